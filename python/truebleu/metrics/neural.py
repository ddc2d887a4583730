"""Learned metrics: their scores are computed by a program outside, and their rows are means, as those of `external`.

`LearnedMetric` makes units of texts, asks a scorer for their results, and makes rows of these. What a score is of
(model, weights, packages) is in its signature, and rows of different models never mix.
"""

from __future__ import annotations

from abc import abstractmethod
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import repeat
from math import inf, isinf
from typing import Protocol, Self

from truebleu import _core
from truebleu._counts import number_of, there_are
from truebleu._inputs import Corpus, References, brief, check_corpus, check_texts
from truebleu._options import FEWEST_SEEN, choice, yes_or_no
from truebleu._shown import shown
from truebleu._typing import TYPE_CHECKING, Any, ClassVar
from truebleu.errors import EmptyCorpus, LengthMismatch, MissingReferences, OptionError, UndecodableText
from truebleu.metrics.base import NORMALIZE_FLAG, Metric
from truebleu.metrics.external import ExternalMetric
from truebleu.metrics.known import KnownMetric, known
from truebleu.metrics.options import Field, Option, unless_empty
from truebleu.metrics.score import Score
from truebleu.runners.protocol import Result, Unit
from truebleu.signature import Signature, SignatureValue
from truebleu.stats import Stats

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from truebleu._core import Engine
    from truebleu.metrics.row_rules import Cells, Rules

MULTI_REF = ("", "mean", "max", "first")
EMPTY_HYP = ("", "worst")
# The facts of signatures that rows may differ in and yet be compared, in words: they are told.
BESIDE = {"dev": "device", "torch": "torch", "tf": "transformers"}
Told = Callable[[int, int, int], None]


class UnitScorer(Protocol):
    """What gives results for units: a runner, or a judge."""

    def results(
        self, units: Sequence[Unit], place: Callable[[Unit], str], told: Told | None = None
    ) -> Sequence[Result]:
        """Give a result for each unit, in their order."""


class LearnedScore(Score):
    """The mean of the scores of segments, and what is known of the model that gave them.

    Parameters
    ----------
    name
        The name of the score.
    score
        The mean; not a number where no segment has a score.
    signature
        The settings behind it.
    neural
        Facts of the model and of the run, by name; what was cut off is among them.
    """

    def __init__(
        self, name: str, score: float, *, signature: Signature | None = None, neural: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(name, score, signature=signature)
        self.neural: dict[str, Any] = dict(neural or {})
        self.lacking = 0  # segments without a score

    @property
    def noise(self) -> dict[str, Any] | None:
        """Of a judge with several passes, the figures of its noise."""
        known = ("pass_sd", "noise_share", "repeats_for_10", "pass_noise", "pass_scores")
        return {key: self.neural[key] for key in known} if known[0] in self.neural else None

    def parts(self) -> dict[str, Any]:
        """The facts of model and run."""
        return {"neural": self.neural} if self.neural else {}


class LearnedStats(Stats):
    """Rows, what gave them, and the result of each segment: tokens that were cut off, spans, parts of the score."""

    __slots__ = ("facts", "results")
    results: Sequence[Result]

    def __init__(
        self, rows: NDArray[np.float64], columns: tuple[str, ...], fingerprint: Mapping[str, object],
        references: tuple[int, int], facts: Mapping[str, str],
    ) -> None:  # fmt: skip
        super().__init__(rows, columns, fingerprint, references)
        self.facts = facts  # of the model and its program, as in signatures

    def select(self, segments: Any) -> Stats:
        """Keep some rows, and what gave them."""
        part = super().select(segments)
        return LearnedStats(part.rows, part.columns, part.fingerprint, part.references, self.facts)


class _OfSegments(Sequence[Sequence[Unit]]):
    """The units of each segment, made whenever they are asked for: a million units take more room than their texts."""

    def __init__(self, of: Callable[[int], list[Unit]], size: int, is_single: bool) -> None:
        self._of, self._size, self.is_single = of, size, is_single

    def __getitem__(self, at: Any) -> Any:
        if not 0 <= at < self._size:
            raise IndexError(at)
        return self._of(at)

    def __len__(self) -> int:
        return self._size


class _Flat(Sequence[Unit]):
    """The units of several corpora, one after the other."""

    def __init__(self, corpora: Sequence[Sequence[Sequence[Unit]]]) -> None:
        self._corpora, self._places = corpora, array("Q")
        for which, of in enumerate(corpora):
            # Where each segment has one unit, none is made to know it.
            counts = repeat(1, len(of)) if getattr(of, "is_single", False) else map(len, of)
            self._places.extend(which << 48 | at << 16 | nth for at, n in enumerate(counts) for nth in range(n))

    def __getitem__(self, at: Any) -> Any:
        place = self._places[at]
        return self._corpora[place >> 48][place >> 16 & 0xFFFF_FFFF][place & 0xFFFF]

    def __len__(self) -> int:
        return len(self._places)


class _Outside:
    """Where the work on texts would be: there is none, because texts are not counted block by block."""

    def __init__(self, name: str) -> None:
        self._name = name

    def texts(self, texts: Any) -> Any:
        raise OptionError(
            f"{self._name} cannot be counted block by block, or for each pair of texts: a program outside scores whole "
            "corpora. Name texts with -i, in Python call corpus_score or stats"
        )

    def streams(self, streams: Any, keep_empty: bool) -> Any:
        return self.texts(streams)


class Fact(Field):
    """A field of signatures that says what model and program are: read, it is compared with what is found here."""

    def __init__(self, key: str, short: str, option: str = "") -> None:
        super().__init__(key, short, "", read=self._read)
        self._option = option

    def value(self, metric: object) -> SignatureValue:
        """Ask a metric for its fact."""
        assert isinstance(metric, LearnedMetric)
        return metric.facts().get(self.key)

    def _read(self, text: str, notes: list[str]) -> dict[str, Any]:
        return {self._option: text} if self._option else {"facts": {self.key: text}}


def _follows(text: str, notes: list[str]) -> dict[str, Any]:
    """A field that follows from the metric."""
    return {}


class LearnedMetric(Metric[LearnedScore]):
    """A metric whose scores a program outside computes.

    Parameters
    ----------
    multi_ref, empty_hyp, keep_edges, facts, normalize, rescore
        As in `COMET`.
    """

    texts: ClassVar[tuple[str, ...]]  # of a unit: "src", "hyp", "ref"
    strips_edges: ClassVar[bool] = True
    best_reference: ClassVar[bool] = False  # whether its own rule for several references is the best one
    by_position = is_learned = True
    citations: ClassVar[Mapping[str, str]] = {}
    script_formula = ExternalMetric.script_formula
    flags = (NORMALIZE_FLAG,)
    fields: ClassVar[tuple[Field, ...]] = (
        Field("in", "in", "inputs", read=_follows),
        Field("dir", "dir", "direction_shown", read=_follows),
        Field("mref", "mr", "multi_ref", encode=unless_empty(MULTI_REF)),
        Field("void", "vo", "empty_hyp", encode=unless_empty(EMPTY_HYP)),
        Field("edge", "ed", "edges_shown", read=lambda text, notes: {"keep_edges": text == "keep"}),
        Field("cut", "cut", "nothing", read=_follows),
    )

    multi_ref: Option[str] = Option(choice, known=MULTI_REF)
    empty_hyp: Option[str] = Option(choice, known=EMPTY_HYP)
    keep_edges = Option(yes_or_no)

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "texts" in vars(cls):
            cls.needs_references = "ref" in cls.texts
        found = known(cls.label) if "label" in vars(cls) else None
        if found is not None:
            cls.higher_is_better = found.higher

    def __init__(
        self, multi_ref: str = "", empty_hyp: str = "", keep_edges: bool = False, *,
        facts: Mapping[str, str] | None = None, normalize: str | Sequence[str] = "", rescore: bool = False,
    ) -> None:  # fmt: skip
        self.rescore = yes_or_no(self.name, "rescore", rescore)
        self.multi_ref, self.empty_hyp, self.keep_edges = multi_ref, empty_hyp, keep_edges
        self._facts_given: Mapping[str, str] = dict(facts or {})
        self._sources: Sequence[str] | None = None
        self.told: Told | None = None  # is told how far the work is
        self._called = self.label
        super().__init__(None, "drop", normalize)
        self._preparation = _Outside(self.label)  # type: ignore[assignment]
        if self.empty_hyp and (isinf(self.known.low) or isinf(self.known.high)):
            raise OptionError(f"{self.label}: empty_hyp='worst' needs a range, and this model has none that is known")

    # What a subclass says.

    @abstractmethod
    def _scorer(self) -> UnitScorer:
        """What gives the results."""

    @abstractmethod
    def facts(self) -> Mapping[str, str]:
        """What identifies model, weights and program, by the keys of the signature."""

    @property
    def from_cache(self) -> tuple[int, int]:
        """How many units of the last question were in the cache, and how many there were; (0, 0) if nobody counts."""
        return 0, 0

    def meta(self) -> dict[str, Any]:
        """Everything that is known of the model and the run."""
        return dict(self.facts())

    @property
    def known(self) -> KnownMetric:
        """What `metrics.known` says of it: direction, range and decimals."""
        return known(self.label) or KnownMetric(self.label, True)

    @property
    def bounds(self) -> tuple[float, float]:
        """The range that no score leaves: a metric that is no penalty may be half its usual range beyond it."""
        found = self.known
        reach = 0.0 if found.is_penalty or found.scale == 1 else (found.high - found.low) / 2
        return (found.low, found.high) if isinf(reach) else (found.low - reach, found.high + reach)

    # What is shown.

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of a row's cells."""
        return ExternalMetric.columns

    @classmethod
    def options_of_model(cls, text: str) -> dict[str, Any]:
        """Read the arguments that "MODEL@REVISION" after the name of the metric stands for.

        Parameters
        ----------
        text
            What stands after the name.
        """
        model, _, revision = text.partition("@")
        return {"model": model, "revision": revision} if revision else {"model": model}

    @property
    def inputs(self) -> str:
        """The texts beside the output that are scored with it."""
        return "+".join(text for text in self.texts if text != "hyp")

    @property
    def nothing(self) -> None:
        """What a score says, and not its metric."""

    @property
    def direction_shown(self) -> str | None:
        """The direction, where lower is better."""
        return None if self.higher_is_better else "low"

    @property
    def edges_shown(self) -> str | None:
        """Whether white space at the ends of texts was kept though it is taken away as a rule."""
        return "keep" if self.keep_edges and self.strips_edges else None

    # The calls of a user.

    def corpus_score(
        self, hypotheses: Iterable[str], references: Iterable[Iterable[str | None]] | None = None,
        n_bootstrap: int = 1, *, sources: Iterable[str] | None = None, seed: int | str | None = None,
        threads: int | None = None, checks: bool = True, layout: str | None = None, **division: Any,
    ) -> LearnedScore:  # fmt: skip
        """Score a corpus.

        Parameters
        ----------
        hypotheses, references, n_bootstrap, sources, seed, threads, checks, layout
            As in `Metric.corpus_score`; references may be None for a metric that takes none.
        division
            `resegment`, `documents` and `level`, as in `Metric.corpus_score`.
        """
        chosen = self._with(sources)
        corpus = chosen._corpus(hypotheses, references, layout, threads=threads, **division)
        if len(corpus.hypotheses) >= FEWEST_SEEN and yes_or_no(self.name, "checks", checks) and "ref" in self.texts:
            chosen._glance(corpus)
        return chosen.score(chosen._stats(corpus, threads), n_bootstrap, seed=seed, threads=threads)

    def sentence_score(
        self, hypothesis: str, references: Sequence[str | None] = (), *, sources: str | None = None
    ) -> LearnedScore:
        """Score one segment.

        Parameters
        ----------
        hypothesis
            The output of the system.
        references
            The references of this segment.
        sources
            What was translated.
        """
        streams = [[text] for text in references] or None
        return self.corpus_score([hypothesis], streams, sources=None if sources is None else [sources])

    def sentence_scores(
        self, hypotheses: Iterable[str], references: Iterable[Iterable[str | None]] | None = None, **more: Any
    ) -> NDArray[np.float64]:
        """Score each segment, and return the numbers in one array; not a number where there is no score.

        Parameters
        ----------
        hypotheses, references, more
            As in `stats`.
        """
        import numpy as np

        total, count = self.stats(hypotheses, references, **more).rows.T
        return np.where(count > 0, total / np.maximum(count, 1), np.nan)

    def stats(
        self, hypotheses: Iterable[str], references: Iterable[Iterable[str | None]] | None = None, *,
        layout: str | None = None, sources: Iterable[str] | None = None, threads: int | None = None, **division: Any,
    ) -> LearnedStats:  # fmt: skip
        """Score a corpus: one row per segment, from which everything else can be computed.

        Parameters
        ----------
        hypotheses, references, layout, sources, threads, division
            As in `corpus_score`.
        """
        chosen = self._with(sources)
        return chosen._stats(chosen._corpus(hypotheses, references, layout, threads=threads, **division), threads)

    def segments(
        self, hypotheses: Iterable[str], references: Iterable[Iterable[str | None]] | None = None, **more: Any
    ) -> list[Result]:
        """Give the result of each segment: its score, what was cut off, spans and parts.

        Parameters
        ----------
        hypotheses, references, more
            As in `stats`.
        """
        return [*self.stats(hypotheses, references, **more).results]

    def ask(
        self, systems: Mapping[str, Iterable[str]], references: Iterable[Iterable[str | None]] | None = None, *,
        sources: Iterable[str] | None = None,
    ) -> None:  # fmt: skip
        """Have the texts of several systems scored at once, so that batches do not depend on the order of systems.

        What `stats` is asked for then comes from the cache.

        Parameters
        ----------
        systems
            The output of each system by name.
        references, sources
            As in `stats`.
        """
        chosen = self._with(sources)
        streams = None if references is None else [list(stream) for stream in references]
        found = {name: chosen._units(chosen._corpus(texts, streams, None)) for name, texts in systems.items()}
        chosen._asked(found)

    def score(
        self, stats: Stats, n_bootstrap: int = 1, *, seed: int | str | None = None, threads: int | None = None
    ) -> LearnedScore:
        """Take the mean of rows.

        Parameters
        ----------
        stats, n_bootstrap, seed, threads
            As in `Metric.score`.
        """
        if not stats.rows[:, 1].any():
            raise EmptyCorpus(f"{self.label}: no segment of these has a score, so there is no mean")
        found = super().score(stats, n_bootstrap, seed=seed, threads=threads)
        found.lacking = int((stats.rows[:, 1] == 0).sum())
        signature, results = found.signature, getattr(stats, "results", None)
        if signature is not None and (facts := getattr(stats, "facts", None)):
            for key in BESIDE:  # of another machine, perhaps
                signature.update(key, facts.get(key))
        if signature is not None and results is not None:
            self._tell(results, found, signature)
        return found

    def _tell(self, results: Sequence[Result], score: LearnedScore, signature: Signature) -> None:
        """Say in a score what became of its segments."""
        odd = [(at, one) for at, one in enumerate(results, 1) if one.cut or one.score is None]
        cut, lacking = [at for at, one in odd if one.cut], [at for at, one in odd if one.score is None]
        signature.update("cut", len(cut))
        score.neural |= {**self.meta(), "cut": cut, **({"lacking": lacking} if lacking else {})}

    # From texts to rows.

    def _placed(self, sources: Sequence[str] | None, places: Sequence[int]) -> Self:
        """Give the metric for some segments, of which it is known what was translated."""
        from copy import copy

        found = copy(self)
        if sources is not None:
            found._sources = [*sources]
        elif self._sources is not None:
            found._sources = [self._sources[at] for at in places]
        return found

    def _corpus(
        self, hypotheses: Any, references: Any, layout: str | None = None, resegment: Any = False,
        documents: Any = None, level: str = "segment", threads: int | None = None, **more: Any,
    ) -> Corpus:  # fmt: skip
        if level != "segment" and "src" in self.texts:
            raise OptionError(f"{self.label}: level is {brief(level)}, and sources are those of segments")
        if "ref" in self.texts:
            if references is None:
                raise MissingReferences(
                    f"{self.label} needs references; without them there are cometkiwi, xcomet-qe and metricx-qe"
                )
            return super()._corpus(hypotheses, references, layout, resegment, documents, level, threads)
        if references is None or resegment is False:
            hypotheses = check_texts(self.name, "hypotheses", hypotheses)
            references = [hypotheses]
        corpus = super()._corpus(hypotheses, references, None, resegment, documents, level, threads)
        corpus.references = 0, 0
        return corpus

    def _prepared_corpus(self, corpus: Corpus) -> Corpus:
        if not self.normalize:
            return corpus
        texts, streams = self._normalized(corpus.hypotheses), [*map(self._normalized, corpus.streams)]
        return check_corpus(self.name, texts, References(streams, len(texts)), self._keep_empty)

    def _stats(self, corpus: Corpus, threads: int | None) -> LearnedStats:
        import numpy as np

        units = self._units(corpus)
        results = self._asked({"": units})
        if len(results) > len(units) or self.empty_hyp:
            asked = iter(results)
            several = ([next(asked) for _ in of_segment] for of_segment in units)
            results = [self._joined(found, text) for found, text in zip(several, corpus.hypotheses, strict=True)]
        values = getattr(results, "scores", None)
        if values is None:
            values = np.array([np.nan if one.score is None else one.score for one in results])
        has_score = ~np.isnan(values)
        rows = np.column_stack([np.where(has_score, values, 0.0), has_score.astype(np.float64)])
        identity, facts = {**self.fingerprint(), **corpus.division}, self.facts()
        made = LearnedStats(rows, self.columns, identity, corpus.references, facts)
        made.results = results
        return made

    def _asked(self, corpora: Mapping[str, Sequence[Sequence[Unit]]]) -> Sequence[Result]:
        """Ask for the results of the units of all systems."""

        def place(unit: Unit) -> str:
            where = ((name, at) for name, units in corpora.items() for at, of in enumerate(units, 1) if unit in of)
            name, at = next(where)
            return f"segment {at} of {shown(name)}" if name else f"segment {at}"

        return self._scorer().results(_Flat([*corpora.values()]), place, self.told)

    def _units(self, corpus: Corpus) -> Sequence[Sequence[Unit]]:
        """The units of each segment: one for each reference that is scored."""
        size = len(corpus.hypotheses)
        sources = self._normalized([*self._known_sources(size)]) if "src" in self.texts else None
        streams = corpus.streams if "ref" in self.texts else ()
        edged = self._edged

        def of(at: int) -> list[Unit]:
            src, hyp = None if sources is None else edged(sources[at]), edged(corpus.hypotheses[at]) or ""
            refs = self._chosen(at + 1, [stream[at] for stream in streams]) if streams else [None]
            return [self._checked(Unit(src, hyp, edged(ref)), at + 1) for ref in refs]

        return _OfSegments(of, size, len(streams) < 2 or self.multi_ref == "first")

    def _edged(self, text: str | None) -> str | None:
        return text if text is None or self.keep_edges or not self.strips_edges else text.strip()

    def _checked(self, unit: Unit, segment: int) -> Unit:
        for text in unit:
            try:
                if text is not None and not text.isascii():
                    text.encode()
            except UnicodeEncodeError as error:
                raise UndecodableText(
                    f"{self.label}: segment {segment}, character {error.start + 1}: half of a character "
                    f"(U+{ord(error.object[error.start]):04X}), which no tokenizer takes"
                ) from None
        return unit

    def _known_sources(self, size: int) -> Sequence[str]:
        if self._sources is None:
            raise MissingReferences(
                f"{self.label} needs what was translated: --src FILE, or a test set with -t; in Python sources="
            )
        if len(self._sources) != size:
            ours, theirs = number_of(size, "segment"), number_of(len(self._sources), "text")
            raise LengthMismatch(f"{self.label}: hypotheses has {ours} and sources has {theirs}; expected one for each")
        return self._sources

    def _chosen(self, segment: int, references: Sequence[str | None]) -> list[str | None]:
        """The references of a segment that are scored."""
        there = [text for text in references if text is not None]
        filled = [text for text in there if text] or there[:1]
        if not filled:
            raise MissingReferences(
                f"{self.label}: segment {segment} has no reference, and a model would score it in another way. Leave "
                "the segment out, or use a metric without references"
            )
        if len(filled) > 1 and not self.multi_ref and not self.best_reference:
            raise OptionError(
                f"{self.label} takes one reference, {there_are(len(filled), 'reference')} of segment {segment}; "
                "multi_ref= (--multi-ref) mean, max or first says what becomes of them"
            )
        return [*filled[:1]] if self.multi_ref == "first" else [*filled]

    def _joined(self, results: Sequence[Result], hypothesis: str) -> Result:
        """Make one result of those of all references, and of an empty output the worst."""
        if self.empty_hyp and not hypothesis.strip():
            found = self.known
            return Result(found.low if self.higher_is_better else found.high)
        scored = [one for one in results if one.score is not None]
        if len(scored) < 2:
            return scored[0] if scored else results[0]
        scores = [one.score for one in scored if one.score is not None]
        best = scored[scores.index(max(scores) if self.higher_is_better else min(scores))]
        if self.multi_ref == "mean":
            return best._replace(score=sum(scores) / len(scores), cut=max(one.cut for one in scored), parts={})
        parts = {key: max(one.parts.get(key, -inf) for one in scored) for key in best.parts}
        return best._replace(cut=max(one.cut for one in scored), parts=parts)

    # What follows from it.

    def fingerprint(self) -> Mapping[str, object]:
        """The metric, its options, and the model: rows of two models cannot be put together."""
        named = {key: value for key, value in self.facts().items() if key in self.decisive}
        return {**super().fingerprint(), "in": self.inputs, **named}

    decisive: ClassVar[frozenset[str]] = frozenset(("model", "w", "prec", "max", "rescaled", "pkg", "runner", "from"))

    def arguments(self) -> dict[str, Any]:
        """The arguments that make this metric again: of the model, what its signature says."""
        found = {key: value for key, value in super().arguments().items() if key != "empty_refs" and value}
        return {**found, "facts": dict(self.facts())}

    def _signature_for(
        self, references: tuple[int, int], samples: int | None = None, seed: str | None = None,
        division: Mapping[str, str] | None = None,
    ) -> Signature:  # fmt: skip
        found = super()._signature_for(references, samples, seed, division)
        if references == (0, 0):
            found.update("nrefs", None)
        return found

    def _make_engine(self) -> Engine:
        return _core.mean_engine()

    def _score_from(self, totals: list[float], signature: Signature) -> LearnedScore:
        score = self.engine.score(totals) if totals[1] else float("nan")
        found = LearnedScore(self._called, score, signature=signature)
        found.decimals = self.known.decimals
        return found

    def _row_rules(self, cells: Cells, single: bool, summed: bool) -> Rules:
        score, count = cells["score"], cells["count"]
        low, high = self.bounds
        yield "count", (count < 0) | (count != count.round()) | ((count > 1) & (not summed)), "0 or 1"
        yield "score", (count == 0) & (score != 0), "0, because there is none"
        yield "score", (score < low * count) | (score > high * count), f"{self.label} from {low:g} to {high:g}"

    def _warn(self, detached_stops: int, segments: int) -> None:
        """Texts as they are written are what the model reads."""
