"""Language models as judges: metrics whose runner is a server with OpenAI's form of chat, this machine's or another.

`judge-da` asks for a number, `judge-esa` for errors and then for a number, `judge-mqm` for errors that are weighed
here; `judge` takes a prompt of one's own. An answer that cannot be read never becomes a number: `unparsed` says what
becomes of its segment.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from copy import copy
from functools import cached_property, lru_cache
from math import inf
from pathlib import Path
from typing import NamedTuple

from truebleu._counts import number_of
from truebleu._inputs import Corpus, brief, check_text
from truebleu._logs import inform
from truebleu._options import choice, number_from_zero, whole_number, yes_or_no
from truebleu._shown import json_text, shown
from truebleu._typing import Any, ClassVar
from truebleu.errors import OptionError, UnknownSignature, UnparsedAnswers
from truebleu.metrics.known import KnownMetric
from truebleu.metrics.neural import Fact, LearnedMetric, LearnedScore
from truebleu.metrics.options import Field, Option
from truebleu.runners.cache import key_of, score_folder
from truebleu.runners.judging.answers import MQM_SIGNED, PARSER
from truebleu.runners.judging.client import Asked
from truebleu.runners.judging.endpoint import (
    CONSENT_VARIABLE,
    KEY_VARIABLE,
    URL_VARIABLE,
    Key,
    check_endpoint,
    endpoint_of,
    read_key,
)
from truebleu.runners.judging.noise import noise_of
from truebleu.runners.judging.pace import Purse
from truebleu.runners.judging.prompts import OURS, Prompt, read_prompt, with_context
from truebleu.runners.judging.scorer import Estimate, JudgeRecipe, JudgeScorer, bad_passes, digest_of, with_worst
from truebleu.runners.process import SECRETS
from truebleu.runners.protocol import Result, Unit
from truebleu.signature import Signature

MODEL_VARIABLE = "TRUEBLEU_JUDGE_MODEL"
UNPARSED = ("error", "skip", "worst")
MOST_SKIPPED = 0.05  # of all answers: the mean of the others would say little
_EXAMPLES = 5
_UNTOLD = "default"  # the temperature of a server that takes none
_MOST = 10**6  # seconds, or calls per minute


def _some_text(who: str, name: str, value: Any) -> str:
    return check_text(f"{who}: {name}", value, "text")


def _perhaps_whole(who: str, name: str, value: Any, **limits: int) -> int | None:
    return None if value is None else whole_number(who, name, value, **limits)


def _price(who: str, name: str, value: Any) -> tuple[float, float]:
    """Read a price per million tokens: of those that go in, and of those that come out."""
    try:
        there, back = map(float, value.split(",") if isinstance(value, str) else value)
    except (TypeError, ValueError):
        there = back = -1.0
    if not (0 <= there < inf and 0 <= back < inf):
        raise OptionError(f"{who}: {name} is {brief(value)}, expected IN,OUT: the price of a million tokens each way")
    return there, back


def _above_zero(who: str, name: str, value: Any, what: str) -> float:
    """Read a number; of calls per minute, "30/min" is one too."""
    try:
        number = float(value.removesuffix("/min") if isinstance(value, str) else value)
    except (TypeError, ValueError):
        number = 0.0
    if not 0 < number <= _MOST:
        raise OptionError(f"{who}: {name} is {brief(value)}, expected {what}")
    return number


def _number(option: str, kind: Callable[[str], Any]) -> Callable[[str, list[str]], dict[str, Any]]:
    def read(text: str, notes: list[str]) -> dict[str, Any]:
        try:
            return {} if text == _UNTOLD else {option: kind(text)}
        except ValueError:
            raise UnknownSignature(f"the signature has {brief(text)} where a number is expected") from None

    return read


def _counted(text: str, notes: list[str]) -> dict[str, Any]:
    """Read the number of answers that could not be read, which tells what became of them."""
    number, is_worst = text.removesuffix("w"), text.endswith("w")
    return {"unparsed": "worst" if is_worst else "skip"} if number != "0" or is_worst else {}


class _Bad(NamedTuple):
    """A segment of a system with an answer that cannot be read."""

    system: str
    segment: int
    unit: Unit
    result: Result


class Judge(LearnedMetric):
    """A language model that judges each segment, asked over HTTP.

    Parameters
    ----------
    prompt
        "judge-da", "judge-esa" (the default), "judge-mqm", or one's own: a file, or its whole text.
    model
        The model's name on the server.
    url
        The address of the server, such as "http://127.0.0.1:8000/v1"; `TRUEBLEU_JUDGE_URL` unless given.
    temperature
        The temperature, the same for each attempt.
    seed_sent
        A seed for the server. Each attempt and each pass has one of its own.
    max_tokens
        How long an answer may be.
    repeats
        How often each segment is judged; its score is the mean.
    unparsed
        What becomes of answers that cannot be read: an "error" once all others are kept, "skip" leaves their segments
        without a score, "worst" gives them the worst one.
    context
        How many segments before and after each one, of the same document, are sent with it.
    documents
        The document of each segment, for `context`.
    languages
        The names of the languages for the instructions, such as ("German", "English").
    jobs
        How many calls are open at a time.
    rate
        How many calls are made in a minute at most.
    timeout
        Seconds until an answer must be there.
    max_calls
        How many calls are made at most.
    budget
        The most that may be spent, with `price`.
    price
        The price of a million tokens that go in, and of a million that come out.
    send_texts
        The host that texts may go to, if it is not this machine; `TRUEBLEU_SEND_TEXTS` unless given.
    key_env
        The variable that has the key.
    key_file
        A file with the key that only its owner can read.
    cache
        Whether answers are kept, and taken from those that were kept.
    fresh
        Whether everything is asked anew, though answers are there.
    multi_ref, empty_hyp, keep_edges, facts, normalize, called
        As in `COMET`.
    """

    name, label, title = "JUDGE", "Judge", "Judges"
    is_judge: ClassVar[bool] = True
    texts = ("src", "hyp")
    strips_edges = False
    own: ClassVar[str] = "judge-esa"  # the prompt that the name stands for
    decisive = frozenset(("model", "prompt", "temp", "jseed", "rep", "ctx", "parse", "mqm", "langs"))
    fields: ClassVar[tuple[Field, ...]] = (
        *LearnedMetric.fields,
        Fact("model", "md", "model"), Fact("api", "api"), Fact("prompt", "pr"),
        Field("temp", "te", "_temperature_shown", read=_number("temperature", float)),
        Field("jseed", "js", "seed_sent", read=_number("seed_sent", int)),
        Field("rep", "rp", "repeats", read=_number("repeats", int)),
        Field("ctx", "cx", "context", encode={0: None}, read=_number("context", int)),
        Fact("mqm", "mqm"), Fact("langs", "la"), Fact("parse", "pa"), Fact("runner", "ru"), Fact("fmt", "fm"),
        Field("bad", "bad", "nothing", read=_counted),
    )  # fmt: skip
    prompt = Option(_some_text, in_rows=False)
    model = Option(_some_text, in_rows=False)
    temperature = Option(number_from_zero, in_rows=False)
    seed_sent = Option(_perhaps_whole, in_rows=False, low=0, high=2**31)
    max_tokens = Option(whole_number, in_rows=False, low=1, high=10**6)
    repeats = Option(whole_number, in_rows=False, low=1, high=100)
    context = Option(whole_number, in_rows=False, low=0, high=100)
    unparsed: Option[str] = Option(choice, in_rows=False, known=UNPARSED)

    def __init__(
        self, prompt: str = "", model: str = "", url: str | None = None, *, temperature: float = 0.0,
        seed_sent: int | None = None, max_tokens: int = 1024, repeats: int = 1, unparsed: str = "error",
        context: int = 0, documents: Iterable[Hashable] | None = None, languages: Sequence[str] = ("", ""),
        jobs: int = 8, rate: float | str | None = None, timeout: float = 120.0, max_calls: int | None = None,
        budget: float | None = None, price: Any = (0.0, 0.0), send_texts: str | None = None,
        key_env: str = KEY_VARIABLE, key_file: str | None = None, cache: bool = True, fresh: bool = False,
        multi_ref: str = "", empty_hyp: str = "", keep_edges: bool = False, facts: Mapping[str, str] | None = None,
        normalize: str | Sequence[str] = "", called: str = "",
    ) -> None:  # fmt: skip
        self.prompt, self.model = prompt or self.own, model or os.environ.get(MODEL_VARIABLE, "")
        self.temperature, self.seed_sent, self.max_tokens = temperature, seed_sent, max_tokens
        self.repeats, self.unparsed, self.context = repeats, unparsed, context
        self._documents = None if documents is None else [*documents]
        self._url = url or os.environ.get(URL_VARIABLE)
        of_signature = (facts or {}).get("langs", "").partition(">")[::2]
        self._languages = (str(languages[0]), str(languages[1])) if any(languages) else of_signature
        who = self.label
        self._jobs = whole_number(who, "jobs", jobs, 1, 1000)
        self._rate = None if rate is None else _above_zero(who, "rate", rate, "calls per minute, such as 30/min")
        self._timeout = _above_zero(who, "timeout", timeout, f"seconds, above 0 and at most {_MOST:,}")
        self._most = None if max_calls is None else whole_number(who, "max_calls", max_calls, 1, 10**12)
        self._price = _price(who, "price", price)
        self._budget = None if budget is None else number_from_zero(who, "budget", budget)
        if self._budget is not None and not any(self._price):
            raise OptionError(f"{who}: budget needs a price: the cost of a million tokens each way")
        self._allowed = send_texts or os.environ.get(CONSENT_VARIABLE)
        self._key_env, self._key_file = key_env, key_file
        SECRETS.add(str(key_env))
        self._uses_cache, self._fresh = yes_or_no(who, "cache", cache), yes_or_no(who, "fresh", fresh)
        told = self._prompt
        self.texts = told.needs  # type: ignore[assignment, misc]
        if "context" in told.needs and not context:
            raise OptionError(f"{who}: the instructions read the context, and there is none; --judge-context N")
        self.needs_references = "ref" in told.needs  # type: ignore[misc]
        self.higher_is_better = told.higher_is_better  # type: ignore[misc]
        super().__init__(multi_ref, empty_hyp, keep_edges, facts=facts, normalize=normalize)
        self._called = called or self._called
        for key, what, here in (("prompt", "prompt", told.signed), ("langs", "languages", self._languages_shown)):
            if (there := self._facts_given.get(key, here)) != here:
                raise OptionError(
                    f"{who}: the signature has the {what} {shown(there)}, here is {shown(here)}: other instructions "
                    "give other scores"
                )

    @cached_property
    def _prompt(self) -> Prompt:
        return read_prompt(self.prompt)

    @property
    def known(self) -> KnownMetric:
        """The direction and the range that the prompt says."""
        low, high = self._prompt.bounds
        return KnownMetric(self.label, self._prompt.higher_is_better, low, high, needs_reference=False)

    @property
    def bounds(self) -> tuple[float, float]:
        """The range of scores."""
        return self._prompt.bounds

    @property
    def _temperature_shown(self) -> str:
        return f"{self.temperature:g}"

    def arguments(self) -> dict[str, Any]:
        """The arguments that make this judge again, wherever its instructions were."""
        own = {} if self.prompt in OURS else {"prompt": self._prompt.text}
        return {**super().arguments(), **own}

    def facts(self) -> Mapping[str, str]:
        """What identifies the judge: model, instructions, parameters, and the reader of answers."""
        found = {
            "model": self.model, "api": "chat", "prompt": self._prompt.signed, "temp": self._temperature_shown,
            "jseed": None if self.seed_sent is None else str(self.seed_sent), "rep": str(self.repeats),
            "ctx": str(self.context) if self.context else None,
            "mqm": MQM_SIGNED if self._prompt.answer == "errors" else None, "langs": self._languages_shown,
            "parse": str(PARSER), "runner": "judge-1",
        }  # fmt: skip
        return {key: value for key, value in found.items() if value}

    @property
    def _languages_shown(self) -> str:
        return ">".join(self._languages) if any(self._languages) else ""

    def fingerprint(self) -> Mapping[str, object]:
        """The judge, and whether a missing answer is the worst one: rows of two judges cannot be put together."""
        found = super().fingerprint()
        return {**found, "unparsed": "worst"} if self.unparsed == "worst" else found

    def meta(self) -> dict[str, Any]:
        """Everything that is known of the judge, with the instructions."""
        told = self._prompt
        return {**self.facts(), "prompt_sha256": told.digest, "prompt_text": told.text, "max_tokens": self.max_tokens}

    def estimate(self, systems: Mapping[str, Any], references: Any = None, *, sources: Any = None) -> Estimate:
        """Say what judging several systems would ask for, and send nothing.

        Parameters
        ----------
        systems, references, sources
            As in `ask`.
        """
        chosen: Any = self._with(sources)
        several = [chosen._units(chosen._corpus(texts, references)) for texts in systems.values()]
        return self._scorer().estimate([unit for units in several for of_segment in units for unit in of_segment])

    def check_interpreter(self) -> None:
        """Refuse what can be refused before texts are read: no address, no model, texts that may not go there."""
        self._scorer()
        if not any(self._languages) and "_language}" in self._prompt.text:
            inform("%s: its instructions name no languages; -l de-en, if these are the two", self.name.lower())

    @property
    def asked_as(self) -> str:
        """The name on the command line that makes this metric."""
        return f"{self.name.lower()}={self.model}" if self.model else self.name.lower()

    def _scorer(self) -> JudgeScorer:
        if not self._url:
            raise OptionError(
                f"{self.name.lower()} asks a server: --judge-url http://127.0.0.1:8000/v1, in Python url="
            )
        endpoint, key = endpoint_of(self._url), read_key(self._key_env, self._key_file)
        check_endpoint(endpoint, key, self._allowed)
        recipe = JudgeRecipe(
            self._prompt, endpoint, Asked(self.model, self.temperature, self.max_tokens, self._timeout),
            self.seed_sent, self.repeats, self._languages, self._jobs, self._rate, self._allowed,
            self.context,
        )  # fmt: skip
        limits = self._most, self._budget, self._price
        scorer = _scorer_for(recipe, key, limits, self._uses_cache, self._fresh, score_folder())
        if not self.model:
            there = scorer.models() if endpoint.is_loopback or self._allowed == endpoint.host else []
            has = f"; the server has {', '.join(there)}" if there else ""
            raise OptionError(f"which model? -m {self.name.lower()}=NAME, in Python model={has}")
        return scorer

    def with_documents(self, documents: Sequence[Hashable] | None) -> Judge:
        """Give the judge for segments of some documents, unless it has been told others.

        Parameters
        ----------
        documents
            The document of each segment.
        """
        found = copy(self)
        found._documents = self._documents if documents is None or self._documents else [*documents]
        return found

    def _units(self, corpus: Corpus) -> Sequence[Sequence[Unit]]:
        found = super()._units(corpus)
        if not self.context:
            return found
        if self._documents is None or len(self._documents) != len(found):
            known = "unknown" if self._documents is None else f"known for {len(self._documents)} of {len(found)}"
            raise OptionError(
                f"{self.label}: context is {self.context}, and the documents of segments are {known}: --docids FILE, "
                "in Python documents="
            )
        return with_context(found, self._documents, self.context)

    def _asked(self, corpora: Mapping[str, Sequence[Sequence[Unit]]]) -> Sequence[Result]:
        results = super()._asked(corpora)
        places = ((name, at, unit) for name, units in corpora.items() for at, of in enumerate(units, 1) for unit in of)
        bad = [_Bad(*place, one) for place, one in zip(places, results, strict=True) if bad_passes(one)]
        if bad:
            self._decide(bad, {name: len(units) * self.repeats for name, units in corpora.items()})
        if self.unparsed == "worst":
            worst = self.bounds[0 if self.higher_is_better else 1]
            results = [with_worst(one, worst, self.repeats) for one in results]
        return results

    def _decide(self, bad: Sequence[_Bad], asked: Mapping[str, int]) -> None:
        """Say what cannot be read; raise if that is an error, or too much to be left out."""
        of_system = Counter[str]()
        for one in bad:
            of_system[one.system] += bad_passes(one.result)
        count, total = of_system.total(), sum(asked.values())
        reasons = Counter(one.result.why or "in one of its passes" for one in bad)
        listed = ", ".join(f"{number} {why}" for why, number in reasons.most_common())
        examples = [f"segment {at} of {shown(name)}" if name else f"segment {at}" for name, at, *_ in bad[:_EXAMPLES]]
        more = ", …" if len(bad) > _EXAMPLES else ""
        said = (
            f"{self.name.lower()}: {count:,} of {number_of(total, 'answer', commas=True)} could not be read "
            f"({listed}), {', '.join(examples)}{more}"
        )
        if self.unparsed == "error":
            raise UnparsedAnswers(
                f"{said}{'; all others are kept' if self._uses_cache else ''}. --unparsed skip goes on without them, "
                "--unparsed worst with the worst score"
            )
        if self.unparsed == "skip" and any(lost > MOST_SKIPPED * asked[name] for name, lost in of_system.items()):
            raise UnparsedAnswers(
                f"{said}; more than {MOST_SKIPPED:.0%} of a system, so the mean of the others would say little: "
                "--unparsed worst, or another judge"
            )
        # Systems are asked about together, and each is then scored by itself: the first time is enough.
        if self._scorer().is_news([key_of(one.unit) for one in bad]):
            inform("%s", said)

    def _tell(self, results: Sequence[Result], score: LearnedScore, signature: Signature) -> None:
        said = [one for of in results for one in of.said]
        forms = {"text" if "response_format" in one.get("without", ()) else "schema" for one in said}
        without = sorted({field for one in said for field in one.get("without", ())})
        bad = sum(map(bad_passes, results))
        signature.update("fmt", "+".join(sorted(forms)) or None)
        if "temperature" in without:
            signature.update("temp", _UNTOLD)
        if "seed" in without:
            signature.update("jseed", None)
        signature.update("bad", f"{bad}w" if self.unparsed == "worst" and bad else bad)
        score.neural |= {
            **self.meta(), **_counts(results), "bad": bad, "left_out": without,
            "answers_sha256": digest_of([one.said for one in results]),
            "served": [*{json_text(one["served"]): one["served"] for one in said if "served" in one}.values()],
            "answered_by": sorted({one["model"] for one in said if one.get("model")}),
        }  # fmt: skip


class JudgeDA(Judge):
    """A judge that gives each segment a number from 0 to 100."""

    name, label, own = "JUDGE-DA", "Judge-DA", "judge-da"


class JudgeESA(Judge):
    """A judge that lists errors, and then gives a number from 0 to 100 with the errors in view."""

    name, label, own = "JUDGE-ESA", "Judge-ESA", "judge-esa"


class JudgeMQM(Judge):
    """A judge that lists errors with their severity; the score is the sum of their weights, negated."""

    name, label, own = "JUDGE-MQM", "Judge-MQM", "judge-mqm"


@lru_cache(maxsize=16)
def _scorer_for(
    recipe: JudgeRecipe, key: Key, limits: tuple[Any, ...], uses_cache: bool, fresh: bool, folder: Path
) -> JudgeScorer:
    """One scorer for all copies of a metric: they share what may be spent, and the calls that are open."""
    return JudgeScorer(recipe, key, purse=Purse(*limits), uses_cache=uses_cache, fresh=fresh, folder=folder)


def _counts(results: Sequence[Result]) -> dict[str, Any]:
    """Count the answers: attempts, tokens, errors and those without a place."""
    said = [one for of in results for one in of.said]
    usage = [one["usage"] for one in said if one.get("usage")]
    errors = {key: int(sum(one.parts.get(key, 0) for one in results)) for key in ("errors", "placeless", "ambiguous")}
    marks = [[mark for key, mark in one.parts.items() if key.startswith("pass ")] for one in results]
    passes = max(map(len, marks), default=0)
    noise = noise_of([one for one in marks if len(one) == passes])
    tokens = {"tokens_in": sum(one[0] for one in usage), "tokens_out": sum(one[1] for one in usage)}
    return {"answers": len(said), **errors, **tokens, **({} if noise is None else noise._asdict())}
