"""What all metrics share: the calls a user makes, and the score they get.

A metric is its options and an engine in Rust; it has no other state that a score depends on. Subclasses say how options
become an engine, how totals become a score, and what the signature shows.
"""

from __future__ import annotations

import operator
import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar, overload

from truebleu._inputs import (
    EMPTY_REFS,
    Corpus,
    References,
    Stream,
    Texts,
    check_cached,
    check_corpus,
    check_references,
    check_sentence,
)
from truebleu.errors import MissingReferences, OptionError, SignatureUnavailable
from truebleu.signature import Signature, SignatureValue

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from truebleu._core import Engine as Engine
    from truebleu.metrics.pairwise import MBRResult
    from truebleu.stats import Stats


class Score:
    """A number with its name and its signature.

    `str(score)` is sacreBLEU's line; `to_dict()` has everything at full precision.
    """

    def __init__(self, name: str, score: float, *, signature: Signature | None = None) -> None:
        self.name = name
        self.score = score
        self.signature = signature
        self._mean = -1.0
        self._ci = -1.0
        self._verbose = ""

    def format(
        self, width: int = 2, score_only: bool = False, signature: str | Signature = "", is_json: bool = False
    ) -> str:
        """The score as text with `width` decimals, alone, in a line, or as JSON (which needs a signature)."""
        number = f"{self.score:.{width}f}"
        interval = f"μ = {self._mean:.{width}f} ± {self._ci:.{width}f}" if self._mean > 0 else ""
        shown = f"{number} ({interval})" if interval else number
        if score_only:
            return shown
        if is_json:
            return self._format_json(number, interval, str(signature), width)
        prefix = f"{self.name}|{signature}" if str(signature) else self.name
        return f"{prefix} = {shown} {self._verbose}".rstrip(" ")

    def _format_json(self, number: str, interval: str, signature: str, width: int) -> str:
        import json

        if not signature:
            raise OptionError("format(is_json=True) needs a signature: pass signature=score.signature")
        fields: dict[str, object] = {"name": self.name, "score": float(number), "signature": signature}
        if interval:
            fields["confidence_mean"] = float(f"{self._mean:.{width}f}")
            fields["confidence_var"] = float(f"{self._ci:.{width}f}")
            fields["confidence"] = interval
        if self._verbose:
            fields["verbose_score"] = self._verbose
        fields.update(item.partition(":")[::2] for item in signature.split("|"))
        return json.dumps(fields, indent=1, ensure_ascii=False)

    def to_dict(self) -> dict[str, Any]:
        """Name, score, signature and parts, as plain numbers at full precision."""
        signature = None if self.signature is None else str(self.signature)
        fields: dict[str, Any] = {"name": self.name, "score": self.score, "signature": signature}
        if self._mean > 0:
            fields["confidence"] = {"mean": self._mean, "half_width": self._ci}
        return fields | self._parts()

    def _parts(self) -> dict[str, Any]:
        return {}

    def __str__(self) -> str:
        return self.format()

    def __repr__(self) -> str:
        return self.format()


_MOST_SAMPLES = 10_000_000

T = TypeVar("T")
S = TypeVar("S", bound=Score)


class Metric(ABC, Generic[S]):
    """The calls that every metric has."""

    _name: ClassVar[str]
    _signature_type: ClassVar[type[Signature]] = Signature
    _lower_is_better: ClassVar[bool] = False
    _can_aggregate: ClassVar[bool] = False

    def __init__(self, references: Sequence[Sequence[str | None]] | None, empty_refs: str) -> None:
        if empty_refs not in EMPTY_REFS:
            known = ", ".join(map(repr, EMPTY_REFS))
            raise OptionError(f"{self._name}: empty_refs is {empty_refs!r}, expected one of {known}")
        self._empty_refs = empty_refs
        self._engine_or_none: Engine | None = None
        self._cached: References | None = None
        # The signature shows them; sacreBLEU's users set these four themselves.
        self.test_set: str | None = None
        self.langpair: str | None = None
        self.origlang: str | None = None
        self.subset: str | None = None
        # Which references of a test set, where they are not the usual ones.
        self.refs: str | None = None
        self.n_bootstrap: int | None = None
        self.seed: str | None = None
        self._seen_references: tuple[int, int] | None = None
        if references is not None:
            given = check_references(self._name, references)
            self._seen_references = check_cached(self._name, given, self._keep_empty)
            # Copied, because the caller's lists may change before they are used.
            streams: list[Stream] = [tuple(stream) for stream in given.streams]
            self._cached = self._prepare_references(given._replace(streams=streams))

    @property
    def empty_refs(self) -> str:
        """What an empty reference beside a filled one is: "drop", no reference; "keep", one of length zero."""
        return self._empty_refs

    @property
    def num_refs(self) -> int | str:
        """The number of references of each segment last seen, or "var" if it varies."""
        if self._seen_references is None:
            raise AttributeError(f"{self._name}: num_refs is known only after references have been seen")
        return _number_of_references(self._seen_references)

    def corpus_score(
        self,
        hypotheses: Iterable[str],
        references: Iterable[Iterable[str | None]] | None,
        n_bootstrap: int = 1,
        *,
        layout: str = "streams",
        threads: int | None = None,
    ) -> S:
        """Score a corpus.

        `references` is a list of streams, each with one reference for every segment (None: no reference
        here), or with `layout="segments"` a list with the references of each segment. None means the references
        given to the constructor. With `n_bootstrap` above 1, the score carries a mean and a 95 % interval from as many
        resamples.
        """
        n_bootstrap = whole_number(self._name, "n_bootstrap", n_bootstrap, 0, _MOST_SAMPLES)
        corpus = self._corpus(hypotheses, references, layout)
        self.n_bootstrap = self.seed = None
        if n_bootstrap > 1:
            return self._score_with_interval(corpus, n_bootstrap, threads)
        totals = self._engine.totals(corpus.hypotheses, corpus.streams, self._keep_counted_empty, _threads(threads))
        return self._score_from(totals, self._signature_for(corpus.references))

    def sentence_score(self, hypothesis: str, references: Sequence[str | None]) -> S:
        """Score one segment against its references."""
        corpus = check_sentence(self._name, hypothesis, references, self._keep_empty)
        corpus = self._prepared(corpus)
        self._seen_references = corpus.references
        totals = self._engine.totals(corpus.hypotheses, corpus.streams, self._keep_counted_empty, 1)
        return self._score_from(totals, self._signature_for(corpus.references))

    def sentence_scores(
        self,
        hypotheses: Iterable[str],
        references: Iterable[Iterable[str | None]] | None,
        *,
        layout: str = "streams",
        threads: int | None = None,
    ) -> NDArray[np.float64]:
        """The score of each segment, as `sentence_score` gives it, in one array."""
        import numpy as np

        corpus = self._corpus(hypotheses, references, layout)
        scores = self._engine.sentence_scores(
            corpus.hypotheses, corpus.streams, self._keep_counted_empty, _threads(threads)
        )
        return np.frombuffer(scores)

    def stats(
        self,
        hypotheses: Iterable[str],
        references: Iterable[Iterable[str | None]] | None,
        *,
        layout: str = "streams",
        threads: int | None = None,
    ) -> Stats:
        """Count a corpus: one row a segment, from which everything else can be computed."""
        return self._stats(self._corpus(hypotheses, references, layout), threads)

    def pairwise(
        self, hypotheses: Iterable[str], references: Iterable[str], *, threads: int | None = None
    ) -> NDArray[np.float64]:
        """The score of every hypothesis with every reference, in one array.

        Cell (i, j) is `sentence_score(hypotheses[i], [references[j]]).score`.
        """
        from truebleu.metrics.pairwise import pairwise

        return pairwise(self, hypotheses, references, _threads(threads))

    @overload
    def mbr(  # type: ignore[overload-overlap]
        self,
        candidates: Iterable[str],
        references: Iterable[str] | None = None,
        *,
        weights: Iterable[float] | None = None,
        aggregate: bool = False,
        threads: int | None = None,
    ) -> MBRResult: ...
    @overload
    def mbr(
        self,
        candidates: Iterable[Iterable[str]],
        references: Iterable[Iterable[str] | None] | None = None,
        *,
        weights: Iterable[Iterable[float] | None] | None = None,
        aggregate: bool = False,
        threads: int | None = None,
    ) -> list[MBRResult]: ...
    def mbr(
        self,
        candidates: Any,
        references: Any = None,
        *,
        weights: Any = None,
        aggregate: bool = False,
        threads: int | None = None,
    ) -> MBRResult | list[MBRResult]:
        """Minimum-Bayes-risk decoding: the expected score of each candidate, and the best of them.

        A candidate is scored with each reference (each candidate, itself included, if there are none), and the mean
        is taken, weighted if there are weights. With `aggregate`, it is scored once with the mean of the references'
        n-gram counts: faster, and another number. A list of lists of candidates gives a list of results.
        """
        from truebleu.metrics.pairwise import decode

        return decode(self, candidates, references, weights, aggregate, _threads(threads))

    def score(self, stats: Stats) -> S:
        """The score of rows that a metric with the same row options counted."""
        self._require(stats)
        return self._score_from(stats.sum(), self._signature_for(stats.references))

    def segment_scores(self, stats: Stats) -> list[S]:
        """The score object of each row; where only numbers are wanted, `sentence_scores` is much faster."""
        self._require(stats)
        signature = self._signature_for(stats.references)
        return [self._score_from(row, signature) for row in stats.rows.tolist()]

    def get_signature(self) -> Signature:
        """The signature of the references last seen; each score has its own in `score.signature`."""
        if self._seen_references is None:
            raise SignatureUnavailable(
                f"{self._name}: a signature shows the number of references, and none have been seen yet. "
                "Score something first, or pass references to the constructor"
            )
        return self._signature_for(self._seen_references, self.n_bootstrap, self.seed)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_engine_or_none": None}

    def __repr__(self) -> str:
        options = ", ".join(f"{name}={value!r}" for name, value in self._options().items())
        return f"{type(self).__name__}({options})"

    # What a subclass says.

    @property
    @abstractmethod
    def _columns(self) -> tuple[str, ...]:
        """The names of a row's cells."""

    @abstractmethod
    def _make_engine(self) -> Engine:
        """The native engine for these options."""

    @abstractmethod
    def _score_from(self, totals: list[float], signature: Signature) -> S:
        """The score object of summed rows."""

    @abstractmethod
    def _options(self) -> dict[str, Any]:
        """The options, by constructor argument."""

    @abstractmethod
    def _row_options(self) -> dict[str, object]:
        """Those that decide the rows."""

    @abstractmethod
    def _signature_fields(self) -> dict[str, SignatureValue]:
        """What the metric adds to the common fields."""

    # What follows from it.

    @property
    def _keep_empty(self) -> bool:
        return self._empty_refs == "keep"

    @property
    def _keep_counted_empty(self) -> bool:
        """The same for texts that have gone through `_prepared`."""
        return self._keep_empty

    @property
    def _engine(self) -> Engine:
        if self._engine_or_none is None:
            self._engine_or_none = self._make_engine()
        return self._engine_or_none

    def _prepare_references(self, references: References) -> References:
        """Work that is to be done once for cached references."""
        return references

    def _prepared(self, corpus: Corpus) -> Corpus:
        """Work on texts that cannot be done in the engine."""
        return corpus

    def _prepared_texts(self, texts: Texts) -> Texts:
        """The same for texts that are not yet paired."""
        return texts

    def _corpus(self, hypotheses: Iterable[str], references: Any, layout: str) -> Corpus:
        if references is None:
            corpus = check_corpus(self._name, hypotheses, self._cached_references(), self._keep_counted_empty)
            corpus = self._prepared_with_cache(corpus)
        else:
            given = check_references(self._name, references, layout)
            corpus = self._prepared(check_corpus(self._name, hypotheses, given, self._keep_empty, layout))
        self._seen_references = corpus.references
        self._warn(corpus)
        return corpus

    def _prepared_with_cache(self, corpus: Corpus) -> Corpus:
        """The same where the references have gone through `_prepare_references`."""
        return corpus

    def _warn(self, corpus: Corpus) -> None:
        """Log what looks like a mistake but may not be one."""

    def _cached_references(self) -> References:
        if self._cached is None:
            raise MissingReferences(
                f"{self._name}: references is None and none are cached. Pass references here or to the constructor"
            )
        return self._cached

    def _stats(self, corpus: Corpus, threads: int | None) -> Stats:
        import numpy as np

        from truebleu.stats import Stats

        rows = self._engine.rows(corpus.hypotheses, corpus.streams, self._keep_counted_empty, _threads(threads))
        table = np.frombuffer(rows).reshape(len(corpus.hypotheses), len(self._columns))
        return Stats(table, self._columns, self._fingerprint(), corpus.references)

    def _require(self, stats: Stats) -> None:
        stats.require({"schema": stats.fingerprint["schema"], **self._fingerprint()}, f"the rows and this {self._name}")

    def _score_with_interval(self, corpus: Corpus, n_bootstrap: int, threads: int | None) -> S:
        from truebleu.resample.bootstrap import resampled_scores
        from truebleu.resample.interval import estimate_interval
        from truebleu.resample.seed import Seed

        seed = Seed.from_environment()
        stats = self._stats(corpus, threads)
        self.n_bootstrap, self.seed = n_bootstrap, seed.text
        score = self._score_from(stats.sum(), self._signature_for(stats.references, n_bootstrap, seed.text))
        (scores,) = resampled_scores([(self._engine, stats.rows)], n_bootstrap, seed, threads=_threads(threads))
        score._mean, score._ci = estimate_interval(scores)
        return score

    def _fingerprint(self) -> Mapping[str, object]:
        return {"metric": self._name, **self._row_options(), "empty_refs": self._empty_refs}

    def _signature_for(
        self, references: tuple[int, int], samples: int | None = None, seed: str | None = None
    ) -> Signature:
        fields: dict[str, SignatureValue] = {
            "nrefs": _number_of_references(references),
            "bs": samples,
            "seed": seed,
            "test": self.test_set,
            "lang": self.langpair,
            "origlang": self.origlang,
            "subset": self.subset,
            "refs": self.refs,
            **self._signature_fields(),
            "empty": "keep" if self._keep_empty else None,
        }
        return self._signature_type({key: value for key, value in fields.items() if value is not None})


def _number_of_references(references: tuple[int, int]) -> int | str:
    fewest, most = references
    return most if fewest == most else "var"


def _threads(threads: int | None) -> int:
    """How many threads to use; 0 leaves it to the engine: all cores, where there is enough to do."""
    if threads is None:
        text = os.environ.get("TRUEBLEU_THREADS", "")
        if not text:
            return 0
        if not text.isdecimal() or int(text) < 1:
            raise OptionError(f"TRUEBLEU_THREADS is {text!r}, expected a whole number from 1")
        return int(text)
    if isinstance(threads, bool) or not isinstance(threads, int) or threads < 1:
        raise OptionError(f"threads is {threads!r}, expected a whole number from 1, or None for all cores")
    return threads


class Frozen(Generic[T]):
    """An attribute that is set once: options do not change under scores that were made with them."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type) -> Frozen[T]: ...
    @overload
    def __get__(self, instance: object, owner: type) -> T: ...
    def __get__(self, instance: object | None, owner: type) -> T | Frozen[T]:
        if instance is None:
            return self
        value: T = instance.__dict__[self._name]
        return value

    def __set__(self, instance: object, value: T) -> None:
        if self._name in instance.__dict__:
            owner = type(instance).__name__
            raise AttributeError(
                f"{owner}.{self._name} cannot be changed, options are fixed: make a new {owner}({self._name}={value!r})"
            )
        instance.__dict__[self._name] = value


def whole_number(metric: str, option: str, value: Any, low: int, high: int) -> int:
    """The value, if it is a whole number in range."""
    try:
        number = operator.index(value)
    except TypeError:
        number = low - 1
    if not low <= number <= high:
        raise OptionError(f"{metric}: {option} is {value!r}, expected a whole number from {low} to {high}")
    return number


def yes_or_no(metric: str, option: str, value: Any) -> bool:
    """The value as a boolean. Text is refused: "False" would count as true."""
    if value is None or value in (0, 1):
        return bool(value)
    raise OptionError(f"{metric}: {option} is {value!r}, expected True or False")
