"""Units to results: through the cache, and what is not there through a runner.

Units are made unique, sorted by length and divided into batches before the cache is asked; of a batch, only those that
are missing are sent. So batches do not depend on the order of systems, and work that was interrupted goes on with
the batches that it would have had.
"""

from __future__ import annotations

import datetime
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from heapq import nsmallest
from typing import Any, NamedTuple

from truebleu._counts import number_of
from truebleu._logs import inform, warn
from truebleu.errors import ModelError, RunnerDied, RunnerProtocolError
from truebleu.runners.batches import UnitBatches, UnitResults
from truebleu.runners.cache import ScoreCache
from truebleu.runners.process import Runner
from truebleu.runners.protocol import Result, Unit

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

    def results(self, units: Sequence[Unit], place: Place, told: Told | None = None) -> Sequence[Result]:
        """Give a result for each unit, in their order."""
        if not units:
            return []
        with self._turn:
            batches = UnitBatches(units, place)
            found = UnitResults(batches)
            for part in batches.ranges:
                found.update(self._cached(batches, part))
            if not self.recipe.command and not found.is_there.all():
                self._refuse_missing(place(units[int((~found.is_there[batches.places]).argmax())]), found)
            if not found.is_there.all() or self._recheck:
                self._complete(batches, found, place, told)
            else:
                self.hits, self.misses = len(batches), 0
            return found

    def _refuse_missing(self, first: str, found: UnitResults) -> None:
        """Imported scores stay apart from those that are computed."""
        missing = int((~found.is_there).sum())
        raise ModelError(
            f"{self.recipe.name}: {missing:,} of {len(found.is_there):,} units are not among the imported scores, the "
            f"first is {first}; without --imported-scores all are computed"
        )

    def _complete(self, batches: UnitBatches, found: UnitResults, place: Place, told: Told | None) -> None:
        """Have everything scored that the cache does not have."""
        if found.is_there.any() and not self._agrees(batches, found, place):
            found.is_there[:] = False
        cached = done = int(found.is_there.sum())
        self.hits, self.misses = cached, len(batches) - cached
        missing = ([at for at in part if not found.is_there[at]] for part in batches.ranges)
        try:
            for answered in self._answers(filter(None, missing), batches, place):
                found.update(answered)
                done += len(answered)
                if told is not None:
                    told(done, len(batches), cached)
        except RunnerDied as death:
            if self.cache is None or self.cache.in_memory:
                raise
            raise RunnerDied(f"{death}; {done:,} of {number_of(len(batches), 'unit', commas=True)} are kept") from None

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

    def _cached(self, batches: UnitBatches, part: Iterable[int]) -> dict[int, Result]:
        if self.cache is None:
            return {}
        places = {batches.key(at): at for at in part}
        found = self.cache.get([key for key in places if key in self._done] if self._fresh else [*places])
        return {places[key]: one for key, one in found.items()}

    def _agrees(self, batches: UnitBatches, found: UnitResults, place: Place) -> bool:
        """Score some units of the cache again. If they differ, its file is set aside."""
        assert self.cache is not None
        today = datetime.datetime.now(datetime.UTC).date().isoformat().encode()
        there = [int(at) for at in found.is_there.nonzero()[0]]
        count = max(_CHECKED, _CHECKED * len(there) // 1000, self._recheck)
        chosen = nsmallest(count, there, key=lambda at: blake2b(batches.key(at), key=today, digest_size=8).digest())
        self._recheck = 0
        again = {at: one for part in self._answers([chosen], batches, place, keep=False) for at, one in part.items()}
        differences = [abs((again[at].score or 0.0) - (found.at(at).score or 0.0)) for at in chosen]
        if max(differences) <= self.recipe.tolerance:
            return True
        warn(
            "%s: scores that were kept differ from scores of today by up to %.3g; they are set aside, and all units "
            "are scored again", self.recipe.name, max(differences),
        )  # fmt: skip
        self.cache.set_aside("distrusted")
        return False

    def _answers(
        self, parts: Iterable[list[int]], batches: UnitBatches, place: Place, *, keep: bool = True
    ) -> Iterator[dict[int, Result]]:
        """Send batches, and give the results of each; what is answered is in the cache before more is sent."""
        waiting, again, deaths = iter(parts), deque[list[int]](), 0
        sent: dict[int, list[int]] = {}
        part: list[int] | None = next(waiting, None)
        try:
            while part or sent:
                try:
                    # The death of a runner that has batches is told by `receive`, so that they are sent again.
                    runner = self._runner if sent and self._runner is not None else self._started()
                    while part and len(sent) < _OPEN:
                        sent[runner.score([batches.unit(at).sent() for at in part])] = part
                        part = again.popleft() if again else next(waiting, None)
                    answer = self._answer(runner, sent, batches, place)
                except RunnerDied as death:
                    self._runner = None
                    again.extendleft([part] if part else [])
                    deaths = self._after(death, deaths, sent, again, lambda at: place(batches.unit(at)))
                    part = again.popleft()
                    continue
                if answer:
                    deaths = 0
                    if keep and self.cache is not None:
                        by_key = {batches.key(at): one for at, one in answer.items()}
                        self.cache.put(by_key, replace=self._fresh)
                        self._done.update(by_key if self._fresh else ())
                    yield answer
        except BaseException:
            self.close()
            raise

    def _answer(
        self, runner: Runner, sent: dict[int, list[int]], batches: UnitBatches, place: Place
    ) -> dict[int, Result]:
        message = runner.receive()
        if message["type"] == "progress":
            self._note_batch(message.get("batch"))
            return {}
        if message["type"] not in ("result", "failed") or message["id"] not in sent:
            raise RunnerProtocolError(
                f"the runner {runner.name} answered '{message['type']}' to batch {message.get('id')}, which is not "
                "open: that is its mistake, not that of your texts"
            )
        part = sent.pop(message["id"])
        units = [batches.unit(at) for at in part]
        if message["type"] == "failed":
            at: Any = message.get("unit")
            known = type(at) is int and 0 <= at < len(units)
            raise runner.failure(message, place(units[at]) if known else "")
        results = runner.reader.results(message, units, self.recipe.bounds, lambda at: place(units[at]))
        return dict(zip(part, results, strict=True))

    def _note_batch(self, batch: Any) -> None:
        if type(batch) is int and 0 < batch < self._batch:
            inform("%s: memory: batches of %d instead of %d", self.recipe.name, batch, self._batch)
            self._batch = batch

    def _after(
        self, death: RunnerDied, deaths: int, sent: dict[int, list[int]], waiting: deque[list[int]],
        place: Callable[[int], str],
    ) -> int:  # fmt: skip
        """Prepare to go on after a death; say who was in work if it is time to give up."""
        again = [*sent.values()]
        sent.clear()
        self._restarts += 1
        in_work = again[0] if again else []
        if not in_work or self._restarts > _MOST_RESTARTS or (deaths and len(in_work) == 1):
            where = f" while it scored {place(in_work[0])}" if len(in_work) == 1 else ""
            head, semicolon, words = str(death).partition(";")
            raise RunnerDied(f"{head}{where}{semicolon}{words}") from None
        if getattr(death, "killed", False) and self._batch > 1:
            self._note_batch(self._batch // 2)  # somebody killed it: as a rule, for want of memory
        if deaths:  # for the second time in this batch
            again = [[at] for at in in_work] + again[1:]
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
