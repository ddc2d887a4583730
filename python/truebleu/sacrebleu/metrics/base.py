"""What the metrics of the face share: sacreBLEU's private methods, over truebleu's metrics.

A metric keeps its options as plain attributes, which a program may change, and makes a metric of truebleu from them
when it scores. sacreBLEU's private methods are here in slow and obvious Python. A program that overrides one, in a
subclass, on the object or on the class, is heard: then texts go through these methods and not through the core.
"""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, TypeVar

import truebleu.metrics.score
import truebleu.signature
from truebleu._counts import there_are
from truebleu._inputs import check_cached, check_corpus, check_references, check_sentence
from truebleu.errors import LengthMismatch, MissingReferences, OptionError, SignatureUnavailable
from truebleu.metrics.base import REFUSED_OVERRIDES
from truebleu.metrics.options import Field
from truebleu.resample.interval import Interval
from truebleu.sacrebleu._leniency import as_read, is_lenient
from truebleu.sacrebleu.version import __version__
from truebleu.version import __version__ as truebleu_version

sacrelogger = logging.getLogger("sacrebleu")

F = TypeVar("F", bound=Callable[..., Any])

# The functions that a program may replace. As long as none is, the core does their work.
_OURS: set[Callable[..., Any]] = set()


def _hook(function: F) -> F:
    _OURS.add(function)
    return function


class Signature(truebleu.signature.Signature):
    """The settings behind a score, with all of sacreBLEU's keys."""

    _fields: ClassVar[Sequence[Field]] = ()  # of truebleu's metric
    _yes_and_no: ClassVar[tuple[Any, Any]] = ("yes", "no")  # what truth values are in `info`

    def __init__(self, args: dict[str, Any]) -> None:
        if "num_refs" not in args:
            raise SignatureUnavailable("a signature shows the number of references, and none have been seen yet")
        # Those without a default are truebleu's own.
        fields = [field for field in self._fields if field.default is not None]
        short = {field.key: field.short for field in fields}
        super().__init__(
            {
                # Scores are sacreBLEU 2.6.0's, and the local part says who computed them.
                "version": f"{__version__}+truebleu.{truebleu_version}",
                "nrefs": "var" if args["num_refs"] == -1 else args["num_refs"],
                "bs": args.get("n_bootstrap"),
                "ar": None,
                "seed": args.get("seed"),
                "test": args.get("test_set"),
                "lang": args.get("langpair"),
                "origlang": args.get("origlang"),
                "subset": args.get("subset"),
                **{field.key: self._shown(field, args[field.attribute]) for field in fields},
            },
            short,
        )
        self._abbr = truebleu.signature.SHORT_FORMS | short

    def _shown(self, field: Field, value: Any) -> Any:
        shown = field.encode.get(value, value)
        return self._yes_and_no[not shown] if isinstance(shown, bool) else shown


class Score(truebleu.metrics.score.Score):
    """A number with its name. Its attributes are sacreBLEU's, so that `vars(score)` is plain data."""

    signature = None  # sacreBLEU's scores have none; a metric has get_signature()

    def __init__(self, name: str, score: float) -> None:
        self.name = name
        self.score = score
        self._mean = -1.0
        self._ci = -1.0
        self._verbose = ""

    @property
    def confidence(self) -> Interval | None:  # type: ignore[override]
        """The mean and half the width of the interval, where resamples were asked for."""
        return None if self._ci < 0 else Interval(self._mean, self._ci)

    @property
    def verbose(self) -> str:  # type: ignore[override]
        """What the line says after the number."""
        return self._verbose

    def estimate_ci(self, scores: Sequence[Score]) -> None:
        """Set the mean and the interval from scores of resamples."""
        import statistics

        import numpy as np

        from truebleu.resample.interval import percentile_interval

        numbers = [float(score.score) for score in scores]
        low, high = percentile_interval(np.array(numbers))
        self._mean, self._ci = statistics.mean(numbers), 0.5 * (high - low)


class Metric(ABC):
    """The calls that every metric has, and the private methods that programs call or override."""

    _SIGNATURE_TYPE: ClassVar[type[Signature]] = Signature
    # Out of `__dict__`, which programs print and dump: the metric of truebleu with the options it was made from; the
    # references of the constructor; and what was extracted from them, or put there by the program.
    __slots__ = ("__dict__", "__weakref__", "_extracted", "_made", "_references")

    def __init__(self) -> None:
        self._made: tuple[dict[str, Any], Any] | None = None
        self._references: list[Any] | None = None
        self._extracted: list[Any] | None = None
        self._force = True
        self.n_bootstrap: int | None = None
        self.seed: str | None = None

    def corpus_score(
        self, hypotheses: Sequence[str], references: Sequence[Sequence[str | None]] | None, n_bootstrap: int = 1
    ) -> Any:
        """Score a corpus.

        Parameters
        ----------
        hypotheses, references, n_bootstrap
            As in `truebleu.BLEU.corpus_score`.
        """
        hypotheses, references = self._as_read(hypotheses, references)
        if self._is_plain(references):
            counting = self._counting()
            counted = counting.corpus_score(hypotheses, references, n_bootstrap)
            self._remember(counting)
            self.n_bootstrap, self.seed = counting.n_bootstrap, counting.seed
            score = self._of_truebleu(counted)
            if counted.confidence is not None:
                score._mean, score._ci = counted.confidence
            return score
        self._check_corpus_score_args(hypotheses, references)
        stats = self._extract_corpus_statistics(hypotheses, references)
        score = self._aggregate_and_compute(stats)
        self.n_bootstrap = self.seed = None
        if n_bootstrap > 1:
            self.n_bootstrap = n_bootstrap
            self.seed, scores = self.resampled(stats, n_bootstrap)
            score.estimate_ci(scores)
        return score

    def sentence_score(self, hypothesis: str, references: Sequence[str | None]) -> Any:
        """Score one segment.

        Parameters
        ----------
        hypothesis, references
            As in `truebleu.BLEU.sentence_score`.
        """
        if self._is_plain(references):
            counting = self._counting()
            score = counting.sentence_score(hypothesis, references)
            self._remember(counting)
            return self._of_truebleu(score)
        self._check_sentence_score_args(hypothesis, references)
        return self._aggregate_and_compute(
            self._extract_corpus_statistics([hypothesis], [[reference] for reference in references])
        )

    def get_signature(self) -> Signature:
        """The signature of the references last seen."""
        return self._SIGNATURE_TYPE(self.__dict__)

    def to_truebleu(self) -> Any:
        """The metric of truebleu with these options, if no private method was overridden."""
        if not self._is_plain(()):
            raise OptionError(
                f"{type(self).__name__}: private methods of sacreBLEU are overridden here, and truebleu's metrics have "
                "none. Pass tokenize= a function, or change the texts before they are scored"
            )
        return self._counting()

    def _counting(self) -> Any:
        """The metric of truebleu with these options, made anew when they have changed."""
        options = self._options()
        if self._made is None or self._made[0] != options:
            if self._made is not None and self._references is not None:
                self._refuse_other_rows(self._made[0], options)
            self._made = options, self._make(**options, references=self._references, empty_refs="keep")
        return self._made[1]

    def resampled(self, stats: Sequence[Sequence[float]], samples: int) -> tuple[str, list[Any]]:
        """Score resamples of rows, drawn as sacreBLEU draws them; give the seed, and the scores.

        Parameters
        ----------
        stats
            The rows.
        samples
            How many resamples there are.
        """
        import numpy as np

        from truebleu.resample.seed import Seed

        seed, rows = Seed.of(None), np.asarray(stats, dtype=np.float64)
        draws = np.random.default_rng(seed.value).choice(len(rows), size=(samples, len(rows)), replace=True)
        return seed.text, [self._compute_score_from_stats(rows[drawn].sum(axis=0).tolist()) for drawn in draws]

    # What a metric says.

    def _options(self) -> dict[str, Any]:
        """The options of truebleu's metric."""
        raise NotImplementedError

    def _make(self, **options: Any) -> Any:
        """Truebleu's metric."""
        raise NotImplementedError

    def _of_truebleu(self, score: Any) -> Any:
        """The score of the face."""
        raise NotImplementedError

    @abstractmethod
    def _aggregate_and_compute(self, stats: Sequence[Sequence[Any]]) -> Any:
        """The score of rows."""

    @abstractmethod
    def _compute_score_from_stats(self, stats: Sequence[Any]) -> Any:
        """The score of summed rows."""

    @abstractmethod
    def _preprocess_segment(self, sent: str) -> str:
        """A text as it is counted."""

    @abstractmethod
    def _extract_reference_info(self, refs: Sequence[str]) -> dict[str, Any]:
        """What is counted of the references of a segment."""

    @abstractmethod
    def _compute_segment_statistics(self, hypothesis: str, ref_kwargs: dict[str, Any]) -> list[Any]:
        """The row of a segment."""

    # What follows from it.

    @_hook
    def _check_corpus_score_args(self, hyps: Sequence[str], refs: Sequence[Sequence[str | None]] | None) -> None:
        name, given = type(self).__name__, self._references if refs is None else refs
        if given is not None:
            texts, streams = self._as_read(hyps, given)
            check_corpus(name, texts, check_references(name, streams), keep_empty=True)

    @_hook
    def _check_sentence_score_args(self, hyp: str, refs: Sequence[str | None]) -> None:
        check_sentence(type(self).__name__, hyp, refs, keep_empty=True)

    @_hook
    def _extract_corpus_statistics(
        self, hypotheses: Sequence[str], references: Sequence[Sequence[str | None]] | None
    ) -> Any:
        hypotheses, references = self._as_read(hypotheses, references)
        if self._is_plain(references):
            counting = self._counting()
            rows = counting.stats(hypotheses, references).rows.tolist()
            self._remember(counting)
            return [self._row(row) for row in rows]
        cache = self._ref_cache if references is None else self._cache_references(references)
        if cache is None:
            raise MissingReferences(f"{type(self).__name__}: references is None and none are cached")
        if len(cache) != len(hypotheses) and not is_lenient():
            raise LengthMismatch(
                f"{type(self).__name__}: {there_are(len(hypotheses), 'hypothesis', 'hypotheses')}, and "
                f"references for {len(cache)}"
            )
        pairs = zip(hypotheses, cache, strict=False)
        return [self._compute_segment_statistics(self._preprocess_segment(text), info) for text, info in pairs]

    @_hook
    def _cache_references(self, references: Sequence[Sequence[str | None]]) -> list[Any]:
        streams = self._streams(references)
        segments = [[text for text in texts if text is not None] for texts in zip(*streams, strict=True)]
        counts = {len(texts) for texts in segments}
        self.num_refs = counts.pop() if len(counts) == 1 else -1
        return [self._extract_reference_info([self._preprocess_segment(text) for text in texts]) for texts in segments]

    @property
    def _ref_cache(self) -> list[Any] | None:
        if self._extracted is None and self._references is not None:
            self._extracted = self._cache_references(self._references)
        return self._extracted

    @_ref_cache.setter
    def _ref_cache(self, cache: list[Any] | None) -> None:
        self._extracted, self._references, self._made = cache, None, None

    def _keep(self, references: Sequence[Sequence[str | None]] | None) -> None:
        """Check the options, and keep references for many systems."""
        if references is not None:
            self._references = self._streams(references)
            if self._is_plain(()):
                self._remember(self._counting())
            else:
                self._extracted = self._cache_references(self._references)
        elif self._is_plain(()):
            self._counting()

    def _streams(self, references: Any) -> list[Any]:
        """References that come without hypotheses, if they are sound."""
        name = type(self).__name__
        given = check_references(name, as_read(name, references) or references)
        check_cached(name, given, keep_empty=True)
        return [list(stream) for stream in given.streams]

    def _as_read(self, hypotheses: Any, references: Any) -> tuple[Any, Any]:
        """The two as they came, or under leniency as sacreBLEU reads them."""
        streams = self._references if references is None else references
        if not isinstance(streams, (list, tuple, str)) or not streams:
            return hypotheses, references
        read = as_read(type(self).__name__, [hypotheses, *streams])
        return (hypotheses, references) if read is None else (read[0], read[1:])

    def _is_plain(self, references: Any) -> bool:
        """Whether the core may count: nothing is overridden, and the program did not set the cached references."""
        if references is None and self._references is None and self._extracted is not None:
            return False
        found = [*(getattr(self, name) for name in REFUSED_OVERRIDES if hasattr(self, name)), *self._helpers()]
        return all(getattr(function, "__func__", function) in _OURS for function in found)

    def _helpers(self) -> tuple[Any, ...]:
        """The functions of its module that a metric calls, as they are now: programs replace those too."""
        return ()

    def _remember(self, counting: Any) -> None:
        self.num_refs = -1 if counting.num_refs == "var" else counting.num_refs

    def _refuse_other_rows(self, before: dict[str, Any], now: dict[str, Any]) -> None:
        changed = [name for name, value in now.items() if value != before[name] and name in self._IN_ROWS]
        if changed:
            raise OptionError(
                f"{type(self).__name__}: {changed[0]} was changed after references had been cached with another value; "
                "make a new metric"
            )

    _IN_ROWS: ClassVar[frozenset[str]] = frozenset()

    def _row(self, row: list[float]) -> list[Any]:
        return [int(cell) for cell in row]
