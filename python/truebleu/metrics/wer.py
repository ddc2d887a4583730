"""Word error rate and related rates, equal to jiwer 4.0.0, but from 0 to 100 like all metrics here.

WER, MER and WIL count errors and lower is better, WIP counts the preserved information, SER counts segments with an
error, and CER is WER by character. All of them count the same alignment of words (docs/wer.md says which of them is for
what).

>>> print(WER().corpus_score(["nobody saw a heron"], [["no one saw the heron"]]))
WER = 60.00 (S = 2 D = 1 I = 0 N = 5)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from truebleu import _core
from truebleu._counts import number_of
from truebleu._inputs import Corpus, Stream, Texts, brief, check_texts
from truebleu._logs import of_which, warn
from truebleu._options import yes_or_no
from truebleu._typing import TYPE_CHECKING, Any, ClassVar
from truebleu.errors import InputTypeError, LengthMismatch, OptionError, UnknownSignature
from truebleu.metrics.base import NORMALIZE_FLAG, Metric, T
from truebleu.metrics.options import LOWERCASED, NO, YES, Field, Option, flag, switch
from truebleu.metrics.row_rules import not_of_one_segment, not_whole
from truebleu.metrics.score import Score
from truebleu.normalization import NORMALIZATIONS, names_in_order, normalize_checked
from truebleu.signature import Signature

if TYPE_CHECKING:
    from truebleu._core import Engine
    from truebleu.metrics.alignment import CharacterOutput, WordOutput
    from truebleu.metrics.row_rules import Cells, Rules
    from truebleu.tokenizers.custom import CallableTokenizer

STANDARDIZE = "standardize"

# Two texts of more characters that have nothing in common take seconds.
LONG = 250_000


class WERScore(Score):
    """An error rate and its counts.

    Parameters
    ----------
    name
        The name of the rate.
    score
        The rate in per cent; WER and CER may exceed 100.
    totals
        Hits, substitutions, deletions, insertions, segments with an error, and segments.
    signature
        The settings behind the score.
    """

    def __init__(self, name: str, score: float, totals: Sequence[float], *, signature: Signature | None = None) -> None:
        super().__init__(name, score, signature=signature)
        self.hits, self.substitutions, self.deletions, self.insertions, self.wrong, self.segments = map(int, totals)
        self.ref_length = self.hits + self.substitutions + self.deletions
        self.hyp_length = self.hits + self.substitutions + self.insertions
        counts = f"S = {self.substitutions:d} D = {self.deletions:d} I = {self.insertions:d} N = {self.ref_length:d}"
        self.verbose = f"(wrong = {self.wrong:d} segments = {self.segments:d})" if name == "SER" else f"({counts})"

    def parts(self) -> dict[str, Any]:
        """Counts and lengths."""
        names = ("hits", "substitutions", "deletions", "insertions", "wrong", "segments", "ref_length", "hyp_length")
        return {name: getattr(self, name) for name in names}


def _normalize(who: str, option: str, value: Any) -> str:
    """What is done to texts, as text: names with commas, `standardize` last, or the name of a function."""
    if callable(value) and not isinstance(value, type):
        return _named(value).signature()
    names = [name.strip() for name in value.split(",") if name.strip()] if isinstance(value, str) else value
    names = [] if names is None else names
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
        expected = f"None, {STANDARDIZE!r}, names of truebleu.normalization, or a function"
        raise OptionError(f"{who}: {option} is {brief(value)}, expected {expected}")
    try:
        known = names_in_order(who, option, [name for name in names if name != STANDARDIZE])
    except OptionError as error:
        raise OptionError(f"{error}, or {STANDARDIZE!r}, or a function") from error
    return ",".join([*known, *([STANDARDIZE] if STANDARDIZE in names else [])])


def _named(function: Callable[[str], Any]) -> CallableTokenizer:
    """A function with the name that a signature shows."""
    from truebleu.tokenizers.custom import CallableTokenizer

    return CallableTokenizer(function)


def _read_normalizer(text: str, notes: list[str]) -> dict[str, Any]:
    if text not in ("none", STANDARDIZE):
        raise UnknownSignature(
            f"the signature was made with a function, norm:{brief(text)[1:-1]}; pass that function as normalize="
        )
    return {"normalize": STANDARDIZE} if text == STANDARDIZE else {}


def _constant(key: str, value: str) -> Callable[[str, list[str]], dict[str, Any]]:
    def read(text: str, notes: list[str]) -> dict[str, Any]:
        if text != value:
            raise UnknownSignature(f"the signature has {key} {brief(text)}, expected {value!r}")
        return {}

    return read


_CASE = Field("case", "c", "lowercase", "mixed", LOWERCASED)
_PUNCT = Field("punct", "pn", "remove_punctuation", "yes", NO)
_NORM = Field("norm", "nr", "normalizer", "none", read=_read_normalizer)


class ErrorRate(Metric[WERScore]):
    """The common part of WER, MER, WIL, WIP, SER and CER.

    Parameters
    ----------
    lowercase
        Whether case is ignored.
    remove_punctuation
        Whether punctuation is deleted (Unicode's category P), after contractions have been expanded.
    normalize
        The normalisation of both sides before counting: None; "standardize", which lower-cases, expands English
        contractions and drops text in brackets, as jiwer's `wer_standardize` does; a function from a text to a text; or
        names of `truebleu.normalization`, as in "nfc,quotes", also with "standardize" among them.
    references, empty_refs
        As in `BLEU`.
    """

    higher_is_better = False
    equals = "jiwer 4.0.0"
    shared_columns = ("segments",)
    reference_sums = (("hits", "substitutions", "deletions"),)
    parts_of = (("wrong", "segments"),)
    columns = ("hits", "substitutions", "deletions", "insertions", "wrong", "segments")
    tokenizer_signature: ClassVar[str] = "jiwer"
    _rate: ClassVar[str] = "wer"
    _by_character: ClassVar[bool] = False

    flags = (
        switch("--wer-lowercase", option="lowercase", help="ignore case"),
        switch("--wer-remove-punctuation", option="remove_punctuation", help="delete punctuation"),
        flag(
            "--wer-normalize", option="normalize", choices=(STANDARDIZE,), metavar="NAME",
            help="standardize: lower-case, expand English contractions, drop text in brackets",
        ),
        NORMALIZE_FLAG,
    )  # fmt: skip
    fields: ClassVar[tuple[Field, ...]] = (
        _CASE,
        _PUNCT,
        Field("tok", "tok", "tokenizer_signature", "jiwer", read=_constant("tok", "jiwer")),
        _NORM,
    )

    lowercase = Option(yes_or_no)
    remove_punctuation = Option(yes_or_no)
    normalize: Option[str] = Option(_normalize, in_rows=False, shown=False)

    def __init__(
        self,
        lowercase: bool = False,
        remove_punctuation: bool = False,
        normalize: str | Sequence[str] | Callable[[str], str] | None = None,
        references: Sequence[Sequence[str | None]] | None = None,
        *,
        empty_refs: str = "drop",
    ) -> None:
        self.lowercase = lowercase
        self.remove_punctuation = remove_punctuation
        self._function = _named(normalize) if callable(normalize) else None
        super().__init__(references, empty_refs, normalize)  # type: ignore[arg-type]

    @property
    def normalizer(self) -> str:
        """The normaliser as the signature writes it: none, standardize, or the name of a function."""
        if self._function is not None:
            return self.normalize
        return STANDARDIZE if self._is_standardized else "none"

    def align(self, hypotheses: Iterable[str], references: Iterable[str]) -> WordOutput | CharacterOutput:
        """Align the words, or for CER the characters, of hypotheses and references.

        The result has jiwer's fields: tokens, chunks of the alignment, counts, and rates from 0 to 1;
        `truebleu.jiwer.visualize_alignment` shows it as text.

        Parameters
        ----------
        hypotheses
            The output of the system, one string for each segment.
        references
            One reference for each segment.

        Examples
        --------
        >>> found = WER().align(["nobody saw it"], ["no one saw it"])
        >>> [(chunk.type, chunk.ref_start_idx, chunk.ref_end_idx) for chunk in found.alignments[0]]
        [('substitute', 0, 1), ('delete', 1, 2), ('equal', 2, 4)]
        """
        from truebleu.metrics.alignment import CharacterOutput, WordOutput, align_tokens

        ours = check_texts(self.name, "hypotheses", hypotheses)
        theirs = check_texts(self.name, "references", references)
        if len(theirs) != len(ours):
            raise LengthMismatch(
                f"{self.name}: references has {number_of(len(theirs), 'segment')}, the hypotheses have {len(ours)}"
            )
        if self._by_character:
            return align_tokens(CharacterOutput, self.tokens(theirs), self.tokens(ours))
        return align_tokens(WordOutput, self.tokens(theirs), self.tokens(ours))

    def tokens(self, texts: Iterable[str]) -> list[list[str]]:
        """Give the words of texts as the metric counts them, or the characters for CER.

        Parameters
        ----------
        texts
            The texts.

        Examples
        --------
        >>> WER(remove_punctuation=True).tokens(["Yes, it's here."])
        [['Yes', 'its', 'here']]
        """
        plain = self._normalized(check_texts(self.name, "texts", texts))
        if self.lowercase or self._is_standardized:
            plain = [text.lower() for text in plain]
        if self._by_character and not (self.remove_punctuation or self._is_standardized):
            return [list(text.strip()) for text in plain]
        lines = [_core.transcript_words(text, self._is_standardized, self.remove_punctuation) for text in plain]
        if self._by_character:
            return [list(line) for line in lines]
        return [line.split(" ") if line else [] for line in lines]

    @property
    def _is_standardized(self) -> bool:
        return self._function is None and self.normalize.split(",")[-1] == STANDARDIZE

    def _row_rules(self, cells: Cells, single: bool, summed: bool) -> Rules:
        yield from super()._row_rules(cells, single, summed)
        yield from not_whole(cells, self.columns[:-1])
        yield from not_of_one_segment(cells, summed)
        errors = cells["substitutions"] + cells["deletions"] + cells["insertions"]
        bad = cells["wrong"] > errors if summed else (cells["wrong"] > 0) != (errors > 0)
        yield "wrong", bad, "no more than the errors" if summed else "1 where there are errors, and 0 elsewhere"

    def rate_engine(self) -> Engine:
        """Make an engine for WER or CER alone: its hits are the reference's length, its insertions all errors."""
        return self._make_engine(distance_only=True)

    def _make_engine(self, distance_only: bool = False) -> Engine:
        return _core.wer_engine(
            rate=self._rate,
            by_character=self._by_character,
            lowercase=self.lowercase,
            standardize=self._is_standardized,
            remove_punctuation=self.remove_punctuation,
            distance_only=distance_only,
        )

    def _score_from(self, totals: list[float], signature: Signature) -> WERScore:
        return WERScore(self.label, self.engine.score(totals), totals, signature=signature)

    def _normalized(self, texts: list[T] | tuple[T, ...]) -> list[T] | tuple[T, ...]:
        """The names that the engine does not know, or the function; None stays None."""
        if self._function is not None:
            return [text if text is None else self._called(text) for text in texts]
        names = tuple(name for name in self.normalize.split(",") if name in NORMALIZATIONS)
        return normalize_checked(texts, names) if names else texts

    def _called(self, text: str) -> Any:
        assert self._function is not None
        found = self._function.function(text)
        if not isinstance(found, str):
            raise InputTypeError(
                f"{self.name}: the function of normalize returned {brief(found)} for {brief(text)}, expected a string"
            )
        return found

    def _signature_for(self, *given: Any, **options: Any) -> Signature:
        signature = super()._signature_for(*given, **options)
        if self.normalize:
            names = [name for name in self.normalize.split(",") if name in NORMALIZATIONS]
            signature.update("textnorm", "+".join(names) or None)
        return signature

    def _corpus(self, *given: Any, **options: Any) -> Corpus:
        corpus = super()._corpus(*given, **options)
        self._look_at_both(corpus.hypotheses, corpus.streams)
        if self._by_character:
            warn_of_long(self.label, corpus.hypotheses, corpus.streams)
        return corpus

    def _look_at_both(self, hypotheses: Texts, streams: list[Stream], *, is_sample: bool = False) -> None:
        """Log that references are empty, or that only they have capitals or punctuation, which costs many points."""
        references = [text for stream in streams for text in stream if text]
        if not is_sample and not any(not text.isspace() for text in references):
            warn("%s: all references are empty; without reference words the rate is the number of errors", self.label)
        where = f" (of {number_of(len(hypotheses), 'segment')} that were looked at)" if is_sample else ""
        tests: dict[str, tuple[bool, Callable[[str], object], str]] = {
            "a capital letter": (
                self.lowercase or self._is_standardized,
                lambda text: text != text.lower(),
                "lowercase",
            ),
            "punctuation": (self.remove_punctuation, _has_punctuation, "remove_punctuation"),
        }
        for what, (is_ignored, has, option) in tests.items():
            if not is_ignored and any(hypotheses) and not any(map(has, hypotheses)) and any(map(has, references)):
                # The same words from each of these metrics, so that they are logged once.
                warn(
                    "no hypothesis%s%s has %s and references do, which error rates count. See %s=True (%s)",
                    of_which(), where, what, option, f"--wer-{option.replace('_', '-')}",
                )  # fmt: skip


def warn_of_long(label: str, hypotheses: Texts, streams: Sequence[Stream]) -> None:
    """Log that a segment is so long that its edit distance, by character, takes seconds or more."""
    for at, text in enumerate(hypotheses):
        if len(text) > LONG:
            longest = max((len(stream[at] or "") for stream in streams), default=0)
            if longest > LONG:
                warn(
                    "%s: segment %d has %s characters and its reference %s: the time grows with the square of the "
                    "length where texts have little in common. See resegment=True, or give a line for each sentence",
                    label, at + 1, f"{len(text):,}", f"{longest:,}",
                )  # fmt: skip


def _has_punctuation(text: str) -> bool:
    """Whether there is a character that `remove_punctuation` deletes."""
    if text.isalnum():
        return False
    from unicodedata import category

    return any(category(character)[0] == "P" for character in set(text) if not character.isalnum())


_MORRIS: Mapping[str, str] = {"": "morris-etal-2004-wer"}


class WER(ErrorRate):
    """Word error rate: errors for each hundred reference words. Lower is better. See `ErrorRate` for the parameters."""

    name = label = "WER"
    title = "WER, MER, WIL, WIP, SER, CER"


class MER(ErrorRate):
    """Match error rate: the share of errors among all steps of the alignment. Lower is better."""

    name = label = "MER"
    title = "Match error rate"
    citations = _MORRIS
    _rate = "mer"


class WIL(ErrorRate):
    """Word information lost: one minus `WIP`. Lower is better."""

    name = label = "WIL"
    title = "Word information lost"
    citations = _MORRIS
    _rate = "wil"


class WIP(ErrorRate):
    """Word information preserved: the share of hits in the reference times that in the hypothesis."""

    name = label = "WIP"
    title = "Word information preserved"
    citations = _MORRIS
    higher_is_better = True
    _rate = "wip"


class SER(ErrorRate):
    """Sentence error rate: the share of segments with an error. Lower is better."""

    name = label = "SER"
    title = "Sentence error rate"
    equals = ""
    _rate = "ser"


class CER(ErrorRate):
    """Character error rate: errors for each hundred reference characters, spaces included. Lower is better."""

    name = label = "CER"
    title = "Character error rate"
    tokenizer_signature = "char"
    _by_character = True
    whitespace = True
    fields = (
        _CASE,
        _PUNCT,
        Field("tok", "tok", "tokenizer_signature", "char", read=_constant("tok", "char")),
        Field("space", "s", "whitespace", "yes", YES, read=_constant("space", "yes")),
        _NORM,
    )
