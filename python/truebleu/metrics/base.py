"""The common part of all metrics: the calls of a user, and everything that follows from the declared options.

A metric is its options and an engine in Rust; it has no other state that a score depends on. A class declares its
options, flags and signature fields, and says how options become an engine and how totals become a score.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cache

from truebleu import _core
from truebleu._counts import there_are
from truebleu._inputs import (
    EMPTY_REFS,
    Corpus,
    References,
    Stream,
    Texts,
    check_cached,
    check_corpus,
    check_instance,
    check_numbers,
    check_pair,
    check_references,
    check_sentence,
    check_texts,
)
from truebleu._logs import has_receiver
from truebleu._options import FEWEST_SEEN, MOST_SAMPLES, choice, thread_count, whole_number, yes_or_no
from truebleu._typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar, overload
from truebleu.errors import LengthMismatch, MissingReferences, OptionError, SignatureUnavailable, StatsMismatch
from truebleu.metrics.options import Field, Flag, Option, flag, switch
from truebleu.metrics.score import Score
from truebleu.normalization import NORMALIZATIONS, names_in_order, normalize_checked
from truebleu.signature import NOTHING, About, SharedSignature, Signature, SignatureValue

if TYPE_CHECKING:
    from typing import Self

    import numpy as np
    from numpy.typing import NDArray

    from truebleu._core import Engine
    from truebleu.metrics.pairwise import MBRResult
    from truebleu.metrics.row_rules import Cells, Rules
    from truebleu.metrics.tokenized import Tokenized
    from truebleu.resegmentation import Resegmented
    from truebleu.stats import Stats


S = TypeVar("S", bound=Score)
T = TypeVar("T", str, str | None)
M = TypeVar("M")

# Methods by which programs change what a metric of sacreBLEU counts. The metrics here never call them, so a subclass
# that overrides one would silently get the score of its base class: it is refused.
REFUSED_OVERRIDES = frozenset((
    "_aggregate_and_compute", "_cache_references", "_check_corpus_score_args", "_check_sentence_score_args",
    "_compute_f_score", "_compute_score_from_stats", "_compute_segment_statistics", "_extract_corpus_statistics",
    "_extract_reference_info", "_get_closest_ref_len", "_get_match_statistics",
    "_preprocess_segment", "_remove_punctuation", "compute_bleu",
))  # fmt: skip


# Methods that the door for small calls does the work of. A class that overrides one has its say: its door stays shut.
_BEHIND_THE_DOOR = ("_corpus", "_prepared_corpus", "_signature_for", "_stats", "stats")


def _in_order(who: str, option: str, value: Any) -> str:
    # Nearly always nothing is overridden.
    return "" if isinstance(value, str) and not value else ",".join(names_in_order(who, option, value))


def with_about(metric: M, about: About) -> M:
    """Make a copy of a metric whose signatures say what is scored."""
    from copy import copy

    copied: Any = copy(metric)
    copied.about = about
    made: M = copied
    return made


def add_few(
    metric: Metric[Any], hypotheses: Any, references: Any, totals: tuple[float, ...], means: Sequence[int], unit: int
) -> tuple[tuple[float, ...], int, tuple[int, int], tuple[int, ...]] | None:
    """Add the rows of a few short texts to totals; None if nothing was counted: `stats` takes all texts.

    `references` has a list of strings for each hypothesis, or a string. There are the totals, the number of rows, the
    smallest and the largest number of references, and the sums of the columns `means` in whole numbers of 1/`unit`.
    """
    found = metric._door_for_few().add(hypotheses, references, totals, means, unit)
    if found is not None:
        metric._seen_references = found[2]
    return found


def varied(metric: Metric[Any], **changes: Any) -> Metric[Any]:
    """Make a metric like another one, with some options changed."""
    from inspect import signature

    names = [name for name in signature(type(metric)).parameters if name not in ("references", "trg_lang")]
    options = {name: getattr(metric, name) for name in names if hasattr(metric, name)}
    if hasattr(metric, "tokenizer"):
        options["tokenize"] = metric.tokenizer
    return type(metric)(**{**options, **changes})


def _with_place(error: LengthMismatch, hypotheses: Any, references: References) -> LengthMismatch:
    """Say in an error where the texts drift apart, as the command does, unless it explains them already."""
    streams = [[*stream] for stream in references.streams]
    is_list = isinstance(hypotheses, list | tuple)  # others can be read only once
    other = next((stream for stream in streams if is_list and len(stream) != len(hypotheses)), [])
    if other and "transposed" not in str(error) and all(isinstance(text, str | None) for text in (*hypotheses, *other)):
        from truebleu.drift import drift

        error.args = (f"{error}{drift([text or '' for text in hypotheses], other)}",)
    return error


def _told(field: str) -> property:
    """A part of what is scored, under the name by which sacreBLEU's users set it."""

    def change(metric: Any, value: str | None) -> None:
        metric.about = metric.about._replace(**{field: value})

    return property(lambda metric: getattr(metric.about, field), change)


NORMALIZE_FLAG = flag(
    "--normalize", option="normalize", action="join", metavar="NAMES",
    help=f"normalize these in hypotheses and references first, and say so in the signature: {','.join(NORMALIZATIONS)}",
)  # fmt: skip
LOWERCASE_FLAG = switch("--lowercase", "-lc", option="lowercase", help="ignore case")


class Metric(ABC, Generic[S]):
    """The calls that every metric has.

    Parameters
    ----------
    references
        Reference streams to keep for many systems; they are checked and prepared once.
    empty_refs
        How an empty reference beside a filled one counts: "drop", not at all; "keep", as a reference of length zero.
    normalize
        Differences to remove from both sides before scoring: names of `truebleu.normalization`, with commas.
    """

    name: ClassVar[str]
    label: ClassVar[str]  # its name for readers
    title: ClassVar[str]  # of its flags in the help
    higher_is_better: ClassVar[bool] = True
    # Columns that depend on the references alone, so that two systems cannot differ in them.
    shared_columns: ClassVar[tuple[str, ...]] = ()
    # Columns that are means over the references of a segment, and so need not be whole.
    mean_columns: ClassVar[tuple[str, ...]] = ()
    # Beginnings of columns that count a part of other columns: ("correct", "total") for correct_1 of total_1.
    parts_of: ClassVar[tuple[tuple[str, str], ...]] = ()
    # Columns whose sum depends on the chosen reference alone: (("hits", "substitutions", "deletions"),).
    reference_sums: ClassVar[tuple[tuple[str, ...], ...]] = ()
    # Of several references, the one counts whose first column is nearest to the second: ("ref_len", "sys_len").
    nearest: ClassVar[tuple[str, str] | None] = None
    # The program with the same numbers, and the publications to cite: keys in methods.bib, by the end of a score's
    # name.
    equals: ClassVar[str] = ""
    citations: ClassVar[Mapping[str, str]] = {}
    # The module of Hugging Face's evaluate that gives the same score.
    evaluate_module: ClassVar[str] = ""
    # The curves of `metrics/known.py` that tell what people made of its differences, each with the settings it was
    # fitted with: values by the field of a signature, and names of scores.
    curves: ClassVar[Mapping[str, Mapping[str, tuple[str, ...]]]] = {}
    # Whether it needs the place of each segment in the corpus, so that texts cannot be counted block by block.
    by_position: ClassVar[bool] = False
    # Whether it compares texts with references.
    needs_references: ClassVar[bool] = True
    # Whether a program outside computes it: its texts are not counted once more in another form.
    is_learned: ClassVar[bool] = False
    # Options of which a command must name one, and what it says if it does not.
    needs: ClassVar[tuple[str, ...]] = ()
    needs_said: ClassVar[str] = ""
    flags: ClassVar[tuple[Flag, ...]] = ()
    fields: ClassVar[tuple[Field, ...]] = ()
    _can_aggregate: ClassVar[bool] = False
    normalize: Option[str] = Option(_in_order, in_rows=False, shown=False)
    about: About = NOTHING
    test_set, langpair, origlang, subset = map(_told, ("test", "lang", "origlang", "subset"))
    _preparation: Tokenized | None = None  # work on text that the engine cannot do
    _door: _core.Door | None = None
    _is_wary = True  # whether its door looks out for texts without spaces between words
    _shown: tuple[tuple[int, int], About, Signature] | None = None  # by the scores of small calls
    _minds_tokenized = False  # whether scores of text that was tokenized before are not comparable

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        for kind in cls.__mro__:
            if kind.__module__.startswith("truebleu."):
                continue
            overridden = sorted(REFUSED_OVERRIDES & vars(kind).keys())
            if overridden:
                raise OptionError(
                    f"{cls.__name__} overrides {overridden[0]}, which truebleu's metrics never call. "
                    "Derive from the metric of truebleu.sacrebleu, which does, or pass tokenize= a function"
                )

    def __init__(
        self, references: Sequence[Sequence[str | None]] | None, empty_refs: str, normalize: str | Sequence[str] = ""
    ) -> None:
        self.normalize = normalize
        self._empty_refs: str = choice(self.name, "empty_refs", empty_refs, EMPTY_REFS)
        self._keep_empty = empty_refs == "keep"
        # The text decides which references are empty: a tokenizer outside may drop everything of a real one.
        self._engine_keeps_empty = self._keep_empty or self._preparation is not None
        self._engine_or_none: Engine | None = None
        self._cached: References | None = None
        self._given: References | None = None  # as they were given, for texts that are divided again
        self.n_bootstrap: int | None = None
        self.seed: str | None = None
        self._seen_references: tuple[int, int] | None = None
        if references is not None:
            given = check_references(self.name, references)
            self._seen_references = check_cached(self.name, given, self._keep_empty)
            # Copied, because the caller's lists may change before they are used.
            self._given = References([tuple(stream) for stream in given.streams], given.segments)
            streams: list[Stream] = [tuple(self._normalized(stream)) for stream in self._given.streams]
            if self.normalize:
                self._seen_references = check_cached(self.name, References(streams, given.segments), self._keep_empty)
            self._cached = References(self._tokenized_streams(streams), given.segments)

    @property
    def empty_refs(self) -> str:
        """How an empty reference beside a filled one counts: "drop", not at all; "keep", as a reference of length
        zero."""
        return self._empty_refs

    @property
    def has_references(self) -> bool:
        """Whether references were given to the constructor."""
        return self._cached is not None

    @property
    def num_refs(self) -> int | str:
        """The number of references of each segment last seen, or "var" if it varies."""
        if self._seen_references is None:
            raise AttributeError(f"{self.name}: num_refs is known only after references have been seen")
        fewest, most = self._seen_references
        return most if fewest == most else "var"

    def corpus_score(
        self,
        hypotheses: Iterable[str],
        references: Iterable[Iterable[str | None]] | None,
        n_bootstrap: int = 1,
        *,
        layout: str | None = None,
        seed: int | str | None = None,
        threads: int | None = None,
        resegment: bool | str | Resegmented = False,
        documents: Iterable[Hashable] | None = None,
        level: str = "segment",
        checks: bool = True,
        sources: Iterable[str] | None = None,
    ) -> S:
        """Score a corpus.

        Parameters
        ----------
        hypotheses
            The output of the system, one string for each segment.
        references
            A list of streams, each with one reference for every segment (None: no reference here). None stands for
            the references given to the constructor.
        n_bootstrap
            Above 1, the score carries a mean and a 95 % interval from as many resamples.
        layout
            "streams", or "segments" if `references` is a list with the references of each segment. Without it they are
            streams, and a warning says so where there are as many as segments and they match better by segment.
        seed
            The seed of the resamples, or "none" for a fresh one; None asks `SACREBLEU_SEED`, else it is 12345.
        threads
            How many threads count; all cores unless given.
        resegment
            Whether `hypotheses` is a text, or lines, to be divided into the segments of the references first: True, the
            name of a method, "auto" to leave documents alone that have as many lines, or a result of
            `truebleu.resegment`.
        documents
            One label for each segment, for `resegment` and `level`.
        level
            What is scored: each "segment", or the joined texts of each "paragraph" or "document", or of "all".
        checks
            Whether 50 or more segments are looked at for what nobody can have meant to score: lines that are moved,
            shuffled, empty or in another language. A warning says so; the score is the same.
        sources
            What was translated, for metrics that take it; others leave it aside.
        """
        if sources is not None:
            self = self._with(sources)
        is_usual = type(n_bootstrap) is int and n_bootstrap == 1 and seed is None and threads is None
        if is_usual and checks is True and resegment is False and documents is None and level == "segment":
            small = self._door_for_few().totals(hypotheses, references, layout)
            if small is not None:
                self.n_bootstrap = self.seed = None
                return self._score_of_few(*small)
        n_bootstrap = whole_number(self.name, "n_bootstrap", n_bootstrap, 0, MOST_SAMPLES)
        checks = yes_or_no(self.name, "checks", checks)
        if seed is not None:
            from truebleu.resample.seed import Seed

            Seed.of(seed)  # an invalid seed is refused even if nothing is drawn
        corpus = self._corpus(hypotheses, references, layout, resegment, documents, level, threads)
        if len(corpus.hypotheses) >= FEWEST_SEEN and checks:
            self._glance(corpus)
        self.n_bootstrap = self.seed = None
        if n_bootstrap > 1:
            return self._score_with_interval(self._stats(corpus, threads), n_bootstrap, seed, threads)
        totals = self.engine.totals(corpus.hypotheses, corpus.streams, self._engine_keeps_empty, thread_count(threads))
        return self._score_from(totals, self._signature_for(corpus.references, division=corpus.division))

    def __call__(
        self, hypotheses: Iterable[str], references: Iterable[Iterable[str | None]] | None = None, **options: Any
    ) -> S:
        """Score a corpus, as `corpus_score` does."""
        return self.corpus_score(hypotheses, references, **options)

    def sentence_score(self, hypothesis: str, references: Sequence[str | None], *, sources: str | None = None) -> S:
        """Score one segment.

        Parameters
        ----------
        hypothesis
            The output of the system.
        references
            The references of this segment.
        sources
            What was translated, for metrics that take it.
        """
        if sources is not None:
            self = self._with([sources])
        small = self._door_for_few().sentence(hypothesis, references)
        if small is not None:
            return self._score_of_few(*small)
        corpus = self._prepared_corpus(check_sentence(self.name, hypothesis, references, self._keep_empty))
        self._seen_references = corpus.references
        if corpus.seems_unspaced:
            self._warn_of_script(corpus.streams)
        totals = self.engine.totals(corpus.hypotheses, corpus.streams, self._engine_keeps_empty, 1)
        return self._score_from(totals, self._signature_for(corpus.references))

    def sentence_scores(
        self,
        hypotheses: Iterable[str],
        references: Iterable[Iterable[str | None]] | None,
        *,
        layout: str | None = None,
        threads: int | None = None,
        resegment: bool | str | Resegmented = False,
        documents: Iterable[Hashable] | None = None,
        level: str = "segment",
        sources: Iterable[str] | None = None,
    ) -> NDArray[np.float64]:
        """Score each segment, as `sentence_score` does, and return the numbers in one array.

        Parameters
        ----------
        hypotheses
            The output of the system, one string for each segment.
        references
            As in `corpus_score`; if each segment has only one, the strings themselves will do.
        layout, threads, resegment, documents, level, sources
            As in `corpus_score`.
        """
        import numpy as np

        if sources is not None:
            self = self._with(sources)
        if threads is None and resegment is False and documents is None and level == "segment":
            small = self._door_for_few().scores(hypotheses, references, layout)
            if small is not None:
                scores, self._seen_references = small
                return np.frombuffer(scores)
        corpus = self._corpus(hypotheses, references, layout, resegment, documents, level, threads, takes_pairs=True)
        count = self.engine.sentence_scores
        return np.frombuffer(count(corpus.hypotheses, corpus.streams, self._engine_keeps_empty, thread_count(threads)))

    def stats(
        self,
        hypotheses: Iterable[str],
        references: Iterable[Iterable[str | None]] | None,
        *,
        layout: str | None = None,
        threads: int | None = None,
        resegment: bool | str | Resegmented = False,
        documents: Iterable[Hashable] | None = None,
        level: str = "segment",
        sources: Iterable[str] | None = None,
    ) -> Stats:
        """Count a corpus: one row per segment, from which everything else can be computed.

        Parameters
        ----------
        hypotheses, references, layout, threads, resegment, documents, level, sources
            As in `corpus_score`.
        """
        if sources is not None:
            self = self._with(sources)
        return self._stats(self._corpus(hypotheses, references, layout, resegment, documents, level, threads), threads)

    def pairwise(
        self, hypotheses: Iterable[str], references: Iterable[str], *, threads: int | None = None
    ) -> NDArray[np.float64]:
        """Score every hypothesis with every reference: cell (i, j) is that of `hypotheses[i]` and `references[j]`.

        Parameters
        ----------
        hypotheses
            The texts of the rows.
        references
            The texts of the columns.
        threads
            How many threads count; all cores unless given.
        """
        from truebleu.metrics.pairwise import pairwise

        return pairwise(self, hypotheses, references, thread_count(threads))

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
        """Minimum-Bayes-risk decoding: find the expected score of each candidate, and the best candidate.

        Parameters
        ----------
        candidates
            The texts to choose from, or a list of such lists; then there is a list of results.
        references
            The texts that each candidate is scored with; the candidates themselves unless given.
        weights
            How much each reference counts; equally much unless given.
        aggregate
            Whether to score once with the mean of the references' n-gram counts: this is faster, but a different
            number.
        threads
            How many threads count; all cores unless given.
        """
        from truebleu.metrics.pairwise import decode

        aggregate = yes_or_no(self.name, "aggregate", aggregate)
        return decode(self, candidates, references, weights, aggregate, thread_count(threads))

    def score(
        self, stats: Stats, n_bootstrap: int = 1, *, seed: int | str | None = None, threads: int | None = None
    ) -> S:
        """Score rows that a metric with the same row options counted.

        Parameters
        ----------
        stats
            The rows.
        n_bootstrap, seed, threads
            As in `corpus_score`.
        """
        self._require(stats)
        n_bootstrap = whole_number(self.name, "n_bootstrap", n_bootstrap, 0, MOST_SAMPLES)
        thread_count(threads)  # checked even if nothing is resampled
        if n_bootstrap > 1 or seed is not None:
            return self._score_with_interval(stats, n_bootstrap, seed, threads)
        return self._score_from(stats.sum(), self._signature_for(stats.references, division=stats.division))

    def segment_scores(self, stats: Stats) -> list[S]:
        """Score each row; where only numbers are wanted, `sentence_scores` is much faster.

        Parameters
        ----------
        stats
            The rows.
        """
        self._require(stats)
        signature = self._signature_for(stats.references, division=stats.division)
        return [self._score_from(row, signature) for row in stats.rows.tolist()]

    def score_totals(
        self, totals: list[float], references: tuple[int, int], division: Mapping[str, str] | None = None
    ) -> S:
        """Score the sums of rows.

        Parameters
        ----------
        totals
            A sum for each column.
        references
            The smallest and the largest number of references of a segment, for the signature.
        division
            The fields of the signature for texts that were divided again.
        """
        sums = self.check_totals(totals)
        fewest, most = check_pair(self.name, "references", references)
        check_instance(self.name, "division", division, (Mapping, type(None)), "signature fields by key")
        return self._score_from(sums, self._signature_for((fewest, most), division=division))

    def check_totals(self, totals: Iterable[float]) -> list[float]:
        """Give totals as a list of floats, after a check that texts can have them.

        Parameters
        ----------
        totals
            A sum for each column.
        """
        sums = check_numbers(self.name, "totals", totals, low=0)
        if len(sums) != len(self.columns):
            raise StatsMismatch(f"{self.name}: {there_are(len(sums), 'total')}, expected {', '.join(self.columns)}")
        for part, whole in self._parts_and_wholes():
            if sums[part] > sums[whole]:
                raise self._impossible(f"{self.name}: totals", sums, part, whole)
        return sums

    def get_signature(self) -> Signature:
        """The signature of the references last seen; each score has its own in `score.signature`."""
        if self._seen_references is None:
            raise SignatureUnavailable(
                f"{self.name}: a signature shows the number of references, and no references have been seen yet. "
                "Score something first, or pass references to the constructor"
            )
        return self._signature_for(self._seen_references, self.n_bootstrap, self.seed)

    @property
    def engine(self) -> Engine:
        """The native side of the metric."""
        if self._engine_or_none is None:
            self._engine_or_none = self._make_engine()
        return self._engine_or_none

    def fingerprint(self) -> Mapping[str, object]:
        """The metric and the options that decide its rows: rows with other fingerprints cannot be put together."""
        normalized = {"normalize": self.normalize} if self.normalize else {}
        return {"metric": self.name, **self._row_options(), "empty_refs": self._empty_refs, **normalized}

    def arguments(self) -> dict[str, Any]:
        """The arguments that make this metric again, as plain values: those of the constructor, without references."""
        more = {"normalize": self.normalize} if self.normalize else {}
        return {**self._options(), "empty_refs": self._empty_refs, **more}

    def impossible_rows(self, stats: Stats, *, summed: bool = False) -> list[tuple[int, str]]:
        """Find rows that no texts can have: for each rule that is broken, the first such row and what is wrong with it.

        Parameters
        ----------
        stats
            The rows.
        summed
            Whether a row is the sum of several segments, such as those of a document.
        """
        from truebleu.stats import Stats

        check_instance(self.name, "stats", stats, Stats, "the rows that stats() returns")
        stats.require(self.fingerprint(), f"the rows and this {self.name}", self.columns)
        cells = dict(zip(self.columns, stats.rows.T, strict=True))
        single = max(stats.references) == 1
        found = []
        for name, bad, rule in self._row_rules(cells, single, yes_or_no(self.name, "summed", summed)):
            if bad.any():
                at = int(bad.argmax())
                found.append((at, f"{name} is {cells[name][at]:g}, expected {rule}"))
        return found

    def __getstate__(self) -> dict[str, Any]:
        kept = {name: value for name, value in self.__dict__.items() if name not in ("_door", "_shown")}
        return {**kept, "_engine_or_none": None}

    def __repr__(self) -> str:
        normalized = {"normalize": self.normalize} if self.normalize else {}
        options = ", ".join(f"{name}={value!r}" for name, value in {**self._options(), **normalized}.items())
        return f"{type(self).__name__}({options})"

    # What a subclass says.

    @property
    @abstractmethod
    def columns(self) -> tuple[str, ...]:
        """The names of a row's cells."""

    @abstractmethod
    def _make_engine(self) -> Engine:
        """The native engine for these options."""

    @abstractmethod
    def _score_from(self, totals: list[float], signature: Signature) -> S:
        """The score object of summed rows."""

    @property
    def predictors(self) -> Mapping[str, str]:
        """For a column, the earlier one that it is nearest to: receipts keep differences. If none, they search."""
        return {}

    @property
    def reference_columns(self) -> tuple[str, ...]:
        """The columns that the chosen reference decides alone; with one reference, no system can differ in them."""
        return ()

    @property
    def script_formula(self) -> tuple[str, Mapping[str, Any]]:
        """The formula of a page's script that gives the scores, and its options; "" if the script has no such
        formula."""
        return "", {}

    @property
    def splits_at_spaces(self) -> str:
        """Why the metric needs spaces between words; "" if it does not."""
        return ""

    @classmethod
    def _stated(cls, name: str, settings: Mapping[str, str]) -> dict[str, str]:
        """The statements for a paper, from the name of a score and the fields of its signature."""
        case = "case ignored" if settings.get("case") == "lc" else "cased"
        tokenizer, smoothing = settings.get("tok", "none"), settings.get("smooth", "none")
        return {"Metric": name, "Tokenizer": tokenizer, "Case": case, "Smoothing": smoothing}

    def _row_rules(self, cells: Cells, single: bool, summed: bool) -> Rules:
        """The rules for rows: a column, the rows where it is wrong, and what it should be.

        `single` says that each segment has one reference, `summed` that a row is the sum of several segments.
        """
        for name, values in cells.items():
            yield name, values < 0, "a number from 0"
        for part, whole in self._parts_and_wholes():
            name, of = self.columns[part], self.columns[whole]
            yield name, cells[name] > cells[of], f"no more than {of}"

    def _placed(self, sources: Sequence[str] | None, places: Sequence[int]) -> Self:
        """Give the metric for some segments: what was translated, if it is known, and their places in the files."""
        return self

    def _with(self, sources: Iterable[str] | None) -> Self:
        """Give the metric for what was translated, if that is known."""
        texts = None if sources is None else check_texts(self.name, "sources", sources)
        return self if texts is None else self._placed(texts, range(len(texts)))

    @classmethod
    def options_of_name(cls, name: str, notes: list[str]) -> dict[str, Any]:
        """Read the options that the name of a score tells.

        Parameters
        ----------
        name
            The name at the beginning of a signature.
        notes
            A list to which messages for the user are added.
        """
        return {}

    # What follows from it.

    @classmethod
    @cache
    def _declared(cls) -> dict[str, Option[Any]]:
        """The options that the class declares, in order, those of its base first."""
        classes = reversed(cls.__mro__)
        return {name: value for kind in classes for name, value in vars(kind).items() if isinstance(value, Option)}

    def _options(self) -> dict[str, Any]:
        """The options, by constructor argument."""
        return {name: getattr(self, name) for name, option in self._declared().items() if option.shown}

    def _row_options(self) -> dict[str, object]:
        """Those that decide the rows."""
        return {name: getattr(self, name) for name, option in self._declared().items() if option.in_rows}

    def _normalized(self, texts: list[T] | tuple[T, ...]) -> list[T] | tuple[T, ...]:
        return normalize_checked(texts, tuple(self.normalize.split(","))) if self.normalize else texts

    def _prepared_texts(self, texts: Texts) -> Texts:
        texts = self._normalized(texts)
        return texts if self._preparation is None else self._preparation.texts(texts)

    def _tokenized_streams(self, streams: list[Stream]) -> list[Stream]:
        return streams if self._preparation is None else self._preparation.streams(streams, self._keep_empty)

    def _prepared_corpus(self, corpus: Corpus) -> Corpus:
        """The work on checked texts that the engine cannot do. Normalisation comes first."""
        if self.normalize:
            texts, streams = self._normalized(corpus.hypotheses), [*map(self._normalized, corpus.streams)]
            # Again, because a text may have become empty.
            corpus = check_corpus(self.name, texts, References(streams, len(texts)), self._keep_empty)
        if self._preparation is not None:
            corpus.hypotheses = self._preparation.texts(corpus.hypotheses)
            corpus.streams = self._tokenized_streams(corpus.streams)
        return corpus

    def _door_for_few(self) -> _core.Door:
        """The door for a few short texts. It lets in only those that need no work beside that of the engine."""
        if self._door is None:
            kind = type(self)
            is_plain = all(getattr(kind, name) is getattr(Metric, name) for name in _BEHIND_THE_DOOR)
            is_open = is_plain and self._preparation is None and not self.normalize
            self._door = _core.Door(self.engine if is_open else None, self._keep_empty, self._is_wary)
        return self._door

    def _score_of_few(self, totals: list[float], references: tuple[int, int]) -> S:
        self._seen_references = references
        shown = self._shown
        if shown is None or shown[0] != references or shown[1] is not self.about:
            shown = self._shown = references, self.about, SharedSignature.of(self._signature_for(references))
        return self._score_from(totals, shown[2])

    def _corpus(
        self,
        hypotheses: Any,
        references: Any,
        layout: str | None,
        resegment: bool | str | Resegmented = False,
        documents: Any = None,
        level: str = "segment",
        threads: int | None = None,
        *,
        takes_pairs: bool = False,
    ) -> Corpus:
        given, told = self._given, "streams" if layout is None else layout
        if references is not None:
            given = check_references(self.name, references, told, takes_pairs and layout != "streams")
        if resegment is not False or level != "segment" or documents is not None:
            from truebleu.resegmentation.corpus import divided

            texts, streams, division = divided(self.name, hypotheses, given, resegment, documents, level, threads)
            corpus = self._prepared_corpus(check_corpus(self.name, texts, streams, self._keep_empty))
            corpus.division = division
        elif references is not None and given is not None:
            try:
                checked = check_corpus(self.name, hypotheses, given, self._keep_empty, told)
            except LengthMismatch as error:
                raise _with_place(error, hypotheses, given) from None
            if layout is None and 1 < len(checked.hypotheses) == len(checked.streams):
                self._warn_of_layout(checked)
            corpus = self._prepared_corpus(checked)
        elif self._cached is not None:
            corpus = check_corpus(self.name, hypotheses, self._cached, self._engine_keeps_empty)
            corpus.hypotheses = self._prepared_texts(corpus.hypotheses)
        else:
            raise MissingReferences(
                f"{self.name}: references is None and no references are cached. "
                "Pass references here or to the constructor"
            )
        self._seen_references = corpus.references
        if corpus.detached_stops:
            self._warn(corpus.detached_stops, len(corpus.hypotheses))
        if corpus.seems_unspaced:
            self._warn_of_script(corpus.streams)
        return corpus

    def _warn(self, detached_stops: int, segments: int) -> None:
        """Log that texts seem to be tokenized already, if the metric minds."""
        if self._minds_tokenized:
            from truebleu.glance import warn_of_stops

            warn_of_stops(detached_stops, segments)

    def _warn_of_layout(self, corpus: Corpus) -> None:
        """Log that references match better by segment, where they fit both ways; those of the command are files."""
        if not has_receiver():
            from truebleu.glance import warn_of_layout

            warn_of_layout(self.name, "references", corpus.hypotheses, corpus.streams)

    def _warn_of_script(self, streams: list[Stream]) -> None:
        """Log that references have no spaces between words, if the metric needs some; the command says so itself."""
        if not self.splits_at_spaces:
            self._is_wary, self._door = False, self._door if not self._is_wary else None
        elif not has_receiver():
            from truebleu.glance import warn_of_script

            warn_of_script(self, streams)

    def _glance(self, corpus: Corpus) -> None:
        """Log that nobody can have meant to score these texts."""
        from truebleu.glance import ORDER, warn_of

        is_prepared = self._preparation is not None or bool(self.normalize)
        warn_of({"hypotheses": corpus.hypotheses}, corpus.streams, rules=ORDER if is_prepared else ())

    def _look_at(self, streams: list[Stream], *, is_sample: bool = False) -> None:
        """Refuse references that the metric cannot read."""

    def _look_at_both(self, hypotheses: Texts, streams: list[Stream], *, is_sample: bool = False) -> None:
        """Log likely mistakes in the texts of a corpus, or in a sample of them."""

    def _stats(self, corpus: Corpus, threads: int | None) -> Stats:
        import numpy as np

        from truebleu.stats import Stats

        rows = self.engine.rows(corpus.hypotheses, corpus.streams, self._engine_keeps_empty, thread_count(threads))
        # A list that another thread changes may have another length by now.
        table = np.frombuffer(rows).reshape(-1, len(self.columns))
        return Stats(table, self.columns, {**self.fingerprint(), **corpus.division}, corpus.references)

    def _require(self, stats: Stats) -> None:
        from truebleu.stats import Stats

        check_instance(self.name, "stats", stats, Stats, "the rows that stats() returns; corpus_score() takes texts")
        stats.require({**self.fingerprint(), **stats.division}, f"the rows and this {self.name}", self.columns)
        for part, whole in self._parts_and_wholes():
            bad = (stats.rows[:, part] > stats.rows[:, whole]).nonzero()[0]
            if len(bad):
                at = f" in row {bad[0]}" if len(stats.rows) > 1 else ""
                raise self._impossible(f"{self.name}: the rows of stats", stats.rows[bad[0]], part, whole, at)

    def _parts_and_wholes(self) -> Iterator[tuple[int, int]]:
        """Raise if a column exceeds the column it is a part of: that would give scores above 100.

        Rows may come from a file or from another program.
        """
        places = {name: at for at, name in enumerate(self.columns)}
        for part, whole in self.parts_of:
            for name in (name for name in places if name.startswith(part)):
                yield places[name], places[whole + name.removeprefix(part)]

    def _impossible(self, what: str, row: Sequence[float], part: int, whole: int, at: str = "") -> StatsMismatch:
        name, of = self.columns[part], self.columns[whole]
        found = f"{row[part]:g} as {name} and {row[whole]:g} as {of}"
        return StatsMismatch(f"{what} have {found}{at}, expected {name} to be no more than {of}")

    def _score_with_interval(self, stats: Stats, samples: int, seed: int | str | None, threads: int | None) -> S:
        from truebleu.resample.bootstrap import resampled_scores
        from truebleu.resample.interval import estimate_interval
        from truebleu.resample.seed import Seed

        chosen = Seed.of(seed)
        if samples < 2:  # an invalid seed is refused even if nothing is drawn
            return self._score_from(stats.sum(), self._signature_for(stats.references, division=stats.division))
        self.n_bootstrap, self.seed = samples, chosen.text
        signature = self._signature_for(stats.references, samples, chosen.text, stats.division)
        score = self._score_from(stats.sum(), signature)
        (scores,) = resampled_scores([(self.engine, stats.rows)], samples, chosen, threads=thread_count(threads))
        score.confidence = estimate_interval(scores)
        return score

    def _signature_for(
        self,
        references: tuple[int, int],
        samples: int | None = None,
        seed: str | None = None,
        division: Mapping[str, str] | None = None,
    ) -> Signature:
        shown: dict[str, SignatureValue] = {
            "nrefs": references[1] if references[0] == references[1] else "var",
            "bs": samples,
            "seed": seed,
            **({} if self.about is NOTHING and not division else {**self.about._asdict(), **(division or {})}),
            **{field.key: field.value(self) for field in self.fields},
            "empty": "keep" if self._keep_empty else None,
            "textnorm": self.normalize.replace(",", "+") or None,
        }
        return Signature(
            {key: value for key, value in shown.items() if value is not None},
            {field.key: field.short for field in self.fields},
        )
