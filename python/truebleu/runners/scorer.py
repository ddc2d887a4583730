"""Units to results: through the cache, and what is not there through a runner.

Units are made unique, sorted by length and divided into batches before the cache is asked; of a batch, only those that
are missing are sent. So batches do not depend on the order of systems, and work that was interrupted goes on with
the batches that it would have had.
"""

from __future__ import annotations

import datetime
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Any, NamedTuple

from truebleu._logs import inform, warn
from truebleu.errors import InputError, ModelError, RunnerDied, RunnerProtocolError
from truebleu.runners.cache import ScoreCache, key_of
from truebleu.runners.process import Runner
from truebleu.runners.protocol import LONGEST_UNIT, MOST_UNITS, Result, Unit

_OPEN = 2  # batches: one in work, one that waits
_MOST_RESTARTS = 3
_CHECKED = 2  # of a thousand scores of the cache, whenever a runner works anyway

Place = Callable[[Unit], str]  # says where a unit comes from
Told = Callable[[int, int, int], None]  # gets how many are done, of how many, and how many of them were cached


class Recipe(NamedTuple):
    """Everything that a runner needs: what to start, what to load, and what its scores may be."""

    name: str
    command: tuple[str, ...]  # none: the cache has everything
    load: Mapping[str, Any]
    bounds: tuple[float, float]
    tolerance: float  # between batches
    options: Mapping[str, Any] = {}  # of `Runner`
    greet: Callable[[Mapping[str, Any]], object] | None = None  # looks at the first message, and may refuse it


class RunnerScorer:
    """Scores by a runner, which starts with the first unit that the cache does not have."""

    def __init__(self, recipe: Recipe, cache: ScoreCache | None, *, fresh: bool = False, recheck: int = 0) -> None:
        self.recipe, self.cache, self._fresh, self._recheck = recipe, cache, fresh, recheck
        self._done: set[bytes] = set()  # what was scored here, which a second question need not score again
        self._runner: Runner | None = None
        self._batch = int(recipe.load.get("batch", 1))
        self._restarts = 0
        self._turn = threading.RLock()
        self.ready: dict[str, Any] | None = None
        self.hits = self.misses = 0

    def results(self, units: Sequence[Unit], place: Place, told: Told | None = None) -> list[Result]:
        """Give a result for each unit, in their order."""
        with self._turn:
            keys = [key_of(unit) for unit in units]
            by_key = dict(zip(keys, units, strict=True))
            found = self._cached([*by_key])
            if len(found) == len(by_key) and not self._recheck:
                self.hits, self.misses = len(found), 0
                return [found[key] for key in keys]
            if not self.recipe.command:  # imported scores stay apart from those that are computed
                first = place(next(unit for key, unit in by_key.items() if key not in found))
                raise ModelError(
                    f"{self.recipe.name}: {len(by_key) - len(found):,} of {len(by_key):,} units are not among the "
                    f"imported scores, the first is {first}; without --imported-scores all are computed"
                )
            batches = [*_batches(by_key, place)]
            missing = [rest for batch in batches if (rest := [key for key in batch if key not in found])]
            if (missing or self._recheck) and found and not self._agrees(by_key, found, place):
                found, missing = {}, batches
            self.hits, self.misses = len(found), sum(map(len, missing))
            cached = len(found)
            for answered in self._answers(missing, by_key, place):
                found.update(answered)
                if told is not None:
                    told(len(found), len(by_key), cached)
            return [found[key] for key in keys]

    def loaded(self) -> dict[str, Any]:
        """Load the model, and give what the runner says of it."""
        with self._turn:
            self._started()
            assert self.ready is not None
            return self.ready

    def is_idle(self) -> bool:
        """Tell whether nobody waits for results."""
        if self._turn.acquire(blocking=False):
            self._turn.release()
            return True
        return False

    def close(self) -> None:
        """End the runner, if there is one."""
        runner, self._runner = self._runner, None
        if runner is not None:
            runner.close()

    def __enter__(self) -> RunnerScorer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _cached(self, keys: Sequence[bytes]) -> dict[bytes, Result]:
        if self.cache is None:
            return {}
        return self.cache.get([key for key in keys if key in self._done] if self._fresh else keys)

    def _agrees(self, by_key: Mapping[bytes, Unit], found: Mapping[bytes, Result], place: Place) -> bool:
        """Score some units of the cache again. If they differ, its file is set aside."""
        assert self.cache is not None
        today = datetime.datetime.now(datetime.UTC).date().isoformat().encode()
        order = sorted(found, key=lambda key: blake2b(key, key=today, digest_size=8).digest())
        chosen = order[: max(_CHECKED, _CHECKED * len(found) // 1000, self._recheck)]
        self._recheck = 0
        again = {k: one for answer in self._answers([chosen], by_key, place, keep=False) for k, one in answer.items()}
        differences = [abs((again[key].score or 0.0) - (found[key].score or 0.0)) for key in chosen]
        if max(differences) <= self.recipe.tolerance:
            return True
        warn(
            "%s: scores that were kept differ from scores of today by up to %.3g; they are set aside, and all units "
            "are scored again", self.recipe.name, max(differences),
        )  # fmt: skip
        self.cache.set_aside("distrusted")
        return False

    def _answers(
        self, batches: Sequence[Sequence[bytes]], by_key: Mapping[bytes, Unit], place: Place, *, keep: bool = True
    ) -> Iterator[dict[bytes, Result]]:
        """Send batches, and give the results of each; what is answered is in the cache before more is sent."""
        waiting, deaths = deque(list(batch) for batch in batches), 0
        sent: dict[int, list[bytes]] = {}
        try:
            while waiting or sent:
                try:
                    # The death of a runner that has batches is told by `receive`, so that they are sent again.
                    runner = self._runner if sent and self._runner is not None else self._started()
                    while waiting and len(sent) < _OPEN:
                        batch = waiting.popleft()
                        sent[runner.score([by_key[key].sent() for key in batch])] = batch
                    answer = self._answer(runner, sent, by_key, place)
                except RunnerDied as death:
                    self._runner = None
                    deaths = self._after(death, deaths, sent, waiting, by_key, place)
                    continue
                if answer:
                    deaths = 0
                    if keep and self.cache is not None:
                        self.cache.put(answer, replace=self._fresh)
                        self._done.update(answer if self._fresh else ())
                    yield answer
        except BaseException:
            self.close()
            raise

    def _answer(
        self, runner: Runner, sent: dict[int, list[bytes]], by_key: Mapping[bytes, Unit], place: Place
    ) -> dict[bytes, Result]:
        message = runner.receive()
        if message["type"] == "progress":
            self._note_batch(message.get("batch"))
            return {}
        if message["type"] not in ("result", "failed") or message["id"] not in sent:
            raise RunnerProtocolError(
                f"the runner {runner.name} answered '{message['type']}' to batch {message.get('id')}, which is not "
                "open: that is its mistake, not that of your texts"
            )
        keys = sent.pop(message["id"])
        units = [by_key[key] for key in keys]
        if message["type"] == "failed":
            at: Any = message.get("unit")
            known = type(at) is int and 0 <= at < len(units)
            raise runner.failure(message, place(units[at]) if known else "")
        results = runner.reader.results(message, units, self.recipe.bounds, lambda at: place(units[at]))
        return dict(zip(keys, results, strict=True))

    def _note_batch(self, batch: Any) -> None:
        if type(batch) is int and 0 < batch < self._batch:
            inform("%s: memory: batches of %d instead of %d", self.recipe.name, batch, self._batch)
            self._batch = batch

    def _after(
        self, death: RunnerDied, deaths: int, sent: dict[int, list[bytes]], waiting: deque[list[bytes]],
        by_key: Mapping[bytes, Unit], place: Place,
    ) -> int:  # fmt: skip
        """Prepare to go on after a death; say who was in work if it is time to give up."""
        again = [*sent.values()]
        sent.clear()
        self._restarts += 1
        in_work = again[0] if again else []
        if not in_work or self._restarts > _MOST_RESTARTS or (deaths and len(in_work) == 1):
            where = f" while it scored {place(by_key[in_work[0]])}" if len(in_work) == 1 else ""
            head, semicolon, words = str(death).partition(";")
            raise RunnerDied(f"{head}{where}{semicolon}{words}") from None
        if getattr(death, "killed", False) and self._batch > 1:
            self._note_batch(self._batch // 2)  # somebody killed it: as a rule, for want of memory
        if deaths:  # for the second time in this batch
            again = [[key] for key in in_work] + again[1:]
        waiting.extendleft(reversed(again))
        return deaths + 1

    def _started(self) -> Runner:
        if self._runner is None or not self._runner.is_alive():
            if self._runner is not None:
                self._runner.close()
            self._runner = Runner(self.recipe.name, self.recipe.command, **self.recipe.options)
            try:
                if self.recipe.greet is not None:
                    self.recipe.greet(self._runner.hello)
                self.ready = self._runner.load({**self.recipe.load, "batch": self._batch})
            except BaseException:
                self.close()
                raise
        return self._runner


def _batches(by_key: Mapping[bytes, Unit], place: Place) -> Iterator[list[bytes]]:
    """Divide units, the shortest first, into batches of at most 512 units and 4 MiB."""
    sizes = {key: sum(len(text.encode()) for text in unit if text is not None) for key, unit in by_key.items()}
    batch: list[bytes] = []
    total = 0
    for key in sorted(sizes, key=lambda key: (sizes[key], key)):
        if sizes[key] > LONGEST_UNIT:
            raise InputError(
                f"{place(by_key[key])} has {sizes[key]:,} bytes with its source and reference, expected at most "
                f"{LONGEST_UNIT:,}"
            )
        if batch and (len(batch) == MOST_UNITS or total + sizes[key] > LONGEST_UNIT):
            yield batch
            batch, total = [], 0
        batch.append(key)
        total += sizes[key]
    if batch:
        yield batch
