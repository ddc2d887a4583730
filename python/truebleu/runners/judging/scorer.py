"""Units to results by asking a judge: through the cache, in which its answers are kept as they came.

A result is always read from the answers, those of today and those of the cache alike. So an answer that cannot be read
is kept too, and asked for once only; and the answers can be read again by others (`read_passes`).
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from truebleu._counts import number_of
from truebleu._logs import warn
from truebleu.errors import JudgeError
from truebleu.runners.cache import ScoreCache, canonical, key_of
from truebleu.runners.judging.answers import Reading, located, mqm_score, read_answer
from truebleu.runners.judging.client import Asked, Client, NoAnswer, Reply
from truebleu.runners.judging.endpoint import Endpoint, Key, check_consent
from truebleu.runners.judging.pace import Clock, Pace, Purse, Stopped, estimated_tokens
from truebleu.runners.judging.prompts import Prompt
from truebleu.runners.protocol import Result, Unit

MORE_ATTEMPTS = 2  # for an answer that cannot be read
_GRACE = 2.0  # seconds for calls that are open when the work is stopped
_HOPELESS = ("refused", "too long")  # asking again would not help

Place = Callable[[Unit], str]
Told = Callable[[int, int, int], None]
Said = Mapping[str, Any]  # an answer as it is kept
Task = tuple[int, bytes]  # a repeat and the key of a unit
Outcome = tuple[Task, Sequence[Said], BaseException | None]


class JudgeRecipe(NamedTuple):
    """Everything that decides what a judge says, and how it is asked."""

    prompt: Prompt
    endpoint: Endpoint
    asked: Asked
    seed: int | None = None
    repeats: int = 1
    languages: tuple[str, str] = ("", "")
    jobs: int = 8
    rate: float | None = None
    allowed: str | None = None  # the host that texts may go to
    context: int = 0  # neighbours of a segment that are sent with it, on each side

    def fingerprint(self, repeat: int) -> dict[str, Any]:
        """What decides an answer: the cache has a file for each."""
        return {
            "runner": "judge", "url": self.endpoint.digest, "model": self.asked.model, "prompt": self.prompt.digest,
            "temperature": self.asked.temperature, "max_tokens": self.asked.max_tokens, "seed": self.seed,
            "languages": [*self.languages], "format": "schema", "repeat": repeat,
            **({"context": self.context} if self.context else {}),
        }  # fmt: skip


class Exchange(NamedTuple):
    """What the answers about a unit say so far: the readings that count, and the call that is needed next."""

    readings: list[Reading]  # of each step the first that can be read, or the last that cannot
    step: int
    attempt: int
    is_over: bool  # whether no call is needed


def exchange(said: Sequence[Said], prompt: Prompt) -> Exchange:
    """Read the answers about a unit: in each step, the first that can be read counts."""
    found = list[Reading]()
    for step in range(len(prompt.steps)):
        several = [_read(one, prompt.form_of(step), prompt.bounds) for one in said if one["step"] == step]
        good = next((one for one in several if not one.why), None)
        if good is None:
            is_over = len(several) > MORE_ATTEMPTS or any(one.why in _HOPELESS for one in several[-1:])
            return Exchange([*found, *(several[-1:] or [Reading(why="missing")])], step, len(several), is_over)
        found.append(good)
    return Exchange(found, len(prompt.steps), 0, True)


def read_said(said: Sequence[Said], prompt: Prompt, unit: Unit) -> Result:
    """Make a result of the answers about a unit."""
    found = exchange(said, prompt)
    score, why = found.readings[-1].score, found.readings[-1].why
    if why:
        return Result(None, why=why, said=tuple(said))
    errors = found.readings[0].errors  # the first step asks for them
    spans, placeless, ambiguous = located(errors, unit.hyp, unit.src)
    parts = {"errors": float(len(errors)), "placeless": float(placeless), "ambiguous": float(ambiguous)}
    named = {key: value for key, value in parts.items() if value}
    return Result(mqm_score(errors) if score is None else score, 0, "", tuple(spans), named, tuple(said))


def _read(one: Said, form: str, bounds: tuple[float, float]) -> Reading:
    if one.get("why"):
        return Reading(why=one["why"])
    return read_answer(one["text"], form, bounds, as_schema="response_format" not in one.get("without", ()))


def read_passes(said: Sequence[Said], prompt: Prompt, unit: Unit, repeats: int) -> Result:
    """Read the answers about a unit in all passes, and give the mean."""
    return averaged([read_said([one for one in said if one["pass"] == at], prompt, unit) for at in range(repeats)])


def digest_of(several: Sequence[Sequence[Said]]) -> str:
    """The SHA-256 of all answers, in the order of the units."""
    return sha256(canonical([[*said] for said in several]).encode()).hexdigest()


class Estimate(NamedTuple):
    """What a run would ask for: calls at least, characters, and tokens at most, about."""

    calls: int
    texts: int
    characters: int
    tokens_in: float
    tokens_out: float
    cost: float


class JudgeScorer:
    """Results by a judge, which is asked for those that the cache does not have."""

    def __init__(
        self, recipe: JudgeRecipe, key: Key, *, purse: Purse | None = None, clock: Clock | None = None,
        uses_cache: bool = True, fresh: bool = False, folder: Path | None = None,
    ) -> None:  # fmt: skip
        self.recipe, self.purse, self._key, self._clock = recipe, purse or Purse(), key, clock
        self._start()
        self._uses_cache, self._fresh, self._folder = uses_cache, fresh, folder
        self._caches: dict[int, ScoreCache] = {}
        self._anew: set[Task] = set()  # what was asked for in this process
        self._begun: dict[Task, Sequence[Said]] = {}  # answers about units that lack a further one
        self._turn, self._at_cache = threading.RLock(), threading.Lock()
        self._told_of: set[bytes] = set()

    def results(self, units: Sequence[Unit], place: Place, told: Told | None = None) -> list[Result]:
        """Give a result for each unit, in their order: of several passes, the mean of those that can be read."""
        return [averaged(several) for several in zip(*self.passes(units, place, told), strict=True)]

    def passes(self, units: Sequence[Unit], place: Place, told: Told | None = None) -> list[list[Result]]:
        """Give the results of each pass over the units."""
        with self._turn:
            by_key = {key_of(unit): unit for unit in units}
            found = self._cached(by_key)
            missing = self._missing(by_key, found)
            if missing:
                check_consent(self.recipe.endpoint, self.recipe.allowed, *_sizes([by_key[key] for _, key in missing]))
            cached, total = len(found), len(found) + len(missing)
            lost = list[tuple[Task, str]]()
            try:
                with closing(self._asked(missing, by_key)) as outcomes:
                    for task, said, error in outcomes:
                        if error is not None:
                            lost.append((task, str(error)))
                            continue
                        found[task] = said
                        if told is not None:
                            told(len(found), total, cached)
            except (KeyboardInterrupt, JudgeError):
                self._say_kept(len(self._cached(by_key)), total)
                raise
            if lost:
                self._say_lost(lost, by_key, place, total)
            self._look_at(found)
            read = {task: read_said(said, self.recipe.prompt, by_key[task[1]]) for task, said in found.items()}
            keys = [key_of(unit) for unit in units]
            return [[read[repeat, key] for key in keys] for repeat in range(self.recipe.repeats)]

    def estimate(self, units: Sequence[Unit]) -> Estimate:
        """Say what a run would ask for, without the units that the cache has."""
        by_key = {key_of(unit): unit for unit in units}
        prompt = self.recipe.prompt
        missing = [by_key[key] for _, key in self._missing(by_key, self._cached(by_key))]
        several = (prompt.all_messages(unit, self.recipe.languages) for unit in missing)
        size = sum(len(one["content"].encode()) for steps in several for messages in steps for one in messages)
        calls = len(missing) * len(prompt.steps)
        there, back = estimated_tokens(size), float(calls * self.recipe.asked.max_tokens)
        return Estimate(calls, *_sizes(missing), there, back, self.purse.cost(there, back))

    def models(self) -> list[str]:
        """The names of the models that the server says it has."""
        return [one["id"] for one in self._client.models()][:20]

    def is_news(self, keys: Sequence[bytes]) -> bool:
        """Whether nobody was told of one of these units; now somebody is."""
        news = {*keys} - self._told_of
        self._told_of |= news
        return bool(news)

    def close(self) -> None:
        """Close the cache."""
        for cache in self._caches.values():
            cache.close()
        self._caches.clear()

    def _start(self) -> None:
        recipe = self.recipe
        self._pace = Pace(recipe.jobs, recipe.rate, self._clock)
        self._client = Client(recipe.endpoint, self._key, recipe.asked, self._pace, self.purse)

    def _cache(self, repeat: int) -> ScoreCache:
        if repeat not in self._caches:
            named, fingerprint = self.recipe.prompt.name, self.recipe.fingerprint(repeat)
            self._caches[repeat] = ScoreCache(named, fingerprint, self._folder, in_memory=not self._uses_cache)
        return self._caches[repeat]

    def _cached(self, by_key: Mapping[bytes, Unit]) -> dict[Task, Sequence[Said]]:
        """What is in the cache; of a unit about which a call has failed, the answers before it are kept aside."""
        found: dict[Task, Sequence[Said]] = {}
        self._begun.clear()
        with self._at_cache:
            kept = {repeat: self._cache(repeat).get([*by_key]) for repeat in range(self.recipe.repeats)}
        for repeat, of_units in kept.items():
            for key, one in of_units.items():
                task = repeat, key
                if one.said and (not self._fresh or task in self._anew):
                    is_over = exchange(one.said, self.recipe.prompt).is_over
                    (found if is_over else self._begun)[task] = one.said
        return found

    def _missing(self, by_key: Mapping[bytes, Unit], found: Mapping[Task, Any]) -> list[Task]:
        """Put what is not there in order: pass by pass, the shortest texts first."""
        size = {key: sum(len(text) for text in unit.sent().values()) for key, unit in by_key.items()}
        order = sorted(by_key, key=lambda key: (size[key], key))
        tasks = ((repeat, key) for repeat in range(self.recipe.repeats) for key in order)
        return [task for task in tasks if task not in found]

    def _keep(self, task: Task, said: Sequence[Said]) -> None:
        """Keep answers as soon as they are there, in the thread that has them: no interrupt comes between."""
        with self._at_cache:
            replace = self._fresh or task in self._begun
            self._cache(task[0]).put({task[1]: Result(None, said=tuple(said))}, replace=replace)
            self._anew.add(task)

    def _asked(self, tasks: Sequence[Task], by_key: Mapping[bytes, Unit]) -> Generator[Outcome, None, None]:
        """Ask about the first unit alone, which shows what the server takes; then about all others at once."""
        if self._pace.stopped.is_set():
            self._start()  # threads of the work that was stopped may still wait for an answer
        if tasks:
            self._client.look()
        for part in (tasks[:1], tasks[1:]):
            yield from self._at_once(part, by_key)

    def _at_once(self, tasks: Sequence[Task], by_key: Mapping[bytes, Unit]) -> Generator[Outcome, None, None]:
        outcomes: queue.SimpleQueue[tuple[Task, list[Said], BaseException | None]] = queue.SimpleQueue()
        waiting: queue.SimpleQueue[Task] = queue.SimpleQueue()
        for task in tasks:
            waiting.put(task)

        def work() -> None:
            while not self._pace.stopped.is_set():
                try:
                    task = waiting.get_nowait()
                except queue.Empty:
                    return
                said, error = [*self._begun.get(task, ())], None
                try:
                    try:
                        self._judge(task, by_key[task[1]], said)
                    finally:
                        if said:
                            self._keep(task, said)  # also what was paid for before a call failed
                except BaseException as found:
                    error = found
                    if not isinstance(error, NoAnswer):
                        self._pace.stopped.set()  # whatever it is, more calls would not help
                outcomes.put((task, said, error))

        threads = [threading.Thread(target=work, daemon=True) for _ in range(min(self.recipe.jobs, len(tasks)))]
        for thread in threads:
            thread.start()
        try:
            for _ in tasks:
                task, said, error = outcomes.get()
                if error is None or isinstance(error, NoAnswer):
                    yield task, said, error
                elif not isinstance(error, Stopped):  # by an error of another call, which comes
                    raise error
        except BaseException:
            self._pace.stopped.set()
            for thread in threads:
                thread.join(_GRACE / len(threads))
            raise

    def _judge(self, task: Task, unit: Unit, said: list[Said]) -> None:
        """Ask about a unit, step by step, and again where an answer cannot be read."""
        prompt, languages = self.recipe.prompt, self.recipe.languages
        while not (found := exchange(said, prompt)).is_over:
            if found.attempt and self._pace.stopped.is_set():
                raise Stopped
            messages = prompt.messages(unit, languages, found.step, found.readings[0].errors)
            reply = self._client.ask(messages, prompt.schema_of(found.step), self._seed(task[0], found.attempt))
            said.append(_as_said(task[0], found.step, reply))

    def _seed(self, repeat: int, attempt: int) -> int | None:
        """The seed of a call: each pass and each attempt has one of its own."""
        return None if self.recipe.seed is None else self.recipe.seed + repeat * (1 + MORE_ATTEMPTS) + attempt

    def _say_lost(
        self, lost: Sequence[tuple[Task, str]], by_key: Mapping[bytes, Unit], place: Place, total: int
    ) -> None:
        (_, key), why = lost[0]
        raise JudgeError(
            f"the judge gave no answer for {number_of(len(lost), 'unit')} of {total:,} ({why}), the first is "
            f"{place(by_key[key])}; all others are kept, and the same command asks for the rest"
        )

    def _say_kept(self, kept: int, total: int) -> None:
        if kept and self._uses_cache:
            rest = "go on from there without --fresh" if self._fresh else "the same command goes on from there"
            warn("%s of %s are in the cache; %s", f"{kept:,}", number_of(total, "unit", commas=True), rest)

    def _look_at(self, found: Mapping[Task, Sequence[Said]]) -> None:
        """Warn where answers came from several models, or from several states of a server."""
        for key, what in (("model", "models"), ("system", "states of the server (system_fingerprint)")):
            names = sorted({str(one[key]) for said in found.values() for one in said if one.get(key)})
            if len(names) > 1:
                warn("the answers are of %d %s: %s", len(names), what, ", ".join(names[:5]))


def averaged(several: Sequence[Result]) -> Result:
    """The mean of the results of several passes that can be read; spans are those of the first."""
    good = [one for one in several if one.score is not None]
    said = tuple(one for result in several for one in result.said)
    first, bad = (good or several)[0], len(several) - len(good)
    parts = {**first.parts, "bad": float(bad)} if bad else {**first.parts}
    if len(several) > 1:
        parts |= {f"pass {at}": one.score for at, one in enumerate(several, 1) if one.score is not None}
    score = sum(one.score or 0.0 for one in good) / len(good) if good else None
    return first._replace(score=score, said=said, parts=parts)


def bad_passes(result: Result) -> int:
    """How many passes have no answer that can be read."""
    return int(result.parts.get("bad", 0))


def with_worst(result: Result, worst: float, passes: int) -> Result:
    """Give the passes that cannot be read the worst score."""
    bad = bad_passes(result)
    if not bad:
        return result
    return result._replace(score=((result.score or 0.0) * (passes - bad) + worst * bad) / passes)


def _as_said(repeat: int, step: int, reply: Reply) -> Said:
    kept = {"pass": repeat, "step": step, **reply._asdict(), "usage": None if reply.usage is None else [*reply.usage]}
    kept["without"] = [*reply.without]
    return {key: value for key, value in kept.items() if value or key in ("pass", "step", "text")}


def _sizes(units: Sequence[Unit]) -> tuple[int, int]:
    texts = [text for unit in units for text in unit.sent().values()]
    return len(units), sum(map(len, texts))
