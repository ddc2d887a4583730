"""Exact match and token F1 of short answers, as the scripts of SQuAD 1.1 and 2.0 have them; and edit similarity.

Exact match and F1 compare two texts without case, ASCII punctuation and the articles a, an and the. Of
several references the best counts, and the score of a corpus is the mean of its segments, from 0 to 100.

>>> print(TokenF1().corpus_score(["the grey heron"], [["a heron"]]))
F1 = 66.67
>>> print(ExactMatch().corpus_score(["The heron."], [["heron"]]))
EM = 100.00
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from truebleu import _core
from truebleu._inputs import as_float, brief
from truebleu._options import choice, whole_number, yes_or_no
from truebleu._typing import TYPE_CHECKING, Any, ClassVar
from truebleu.errors import OptionError, UnknownSignature
from truebleu.metrics.base import LOWERCASE_FLAG, NORMALIZE_FLAG, Metric
from truebleu.metrics.options import LOWERCASED, YES, Field, Option, flag
from truebleu.metrics.row_rules import not_means, not_of_one_segment, not_whole
from truebleu.metrics.score import Score
from truebleu.metrics.wer import warn_of_long
from truebleu.signature import Signature

if TYPE_CHECKING:
    from truebleu._core import Engine
    from truebleu._inputs import Corpus
    from truebleu.metrics.row_rules import Cells, Rules

_VERSION_FLAG = flag(
    "--squad-version", option="version", type=int, choices=(1, 2), metavar="N",
    help="1: two answers without words score 0 in F1, as in SQuAD 1.1 (default); 2: they score 100",
)  # fmt: skip


def _read_normalizer(text: str, notes: list[str]) -> dict[str, Any]:
    if text != "squad":
        raise UnknownSignature(f"the signature has norm {brief(text)}, expected 'squad'")
    return {}


class _OfAnswers(Metric[Score]):
    """The common part of exact match and F1."""

    flags = (_VERSION_FLAG, NORMALIZE_FLAG)
    fields = (
        Field("norm", "nr", "normalizer", "squad", read=_read_normalizer),
        Field("squad", "sq", "version", "1"),
    )
    equals = "the scripts of SQuAD"
    citations: ClassVar[Mapping[str, str]] = {"": "rajpurkar-etal-2016-squad"}
    normalizer = "squad"
    version = Option(whole_number, low=1, high=2)

    def __init__(
        self,
        version: int = 1,
        references: Sequence[Sequence[str | None]] | None = None,
        *,
        empty_refs: str = "drop",
        normalize: str | Sequence[str] = "",
    ) -> None:
        self.version = version
        super().__init__(references, empty_refs, normalize)

    @classmethod
    def _stated(cls, name: str, settings: Mapping[str, str]) -> dict[str, str]:
        """Name what SQuAD's normalization does."""
        return {**super()._stated(name, settings), "Tokenizer": "words", "Case": "case ignored"}

    def _score_from(self, totals: list[float], signature: Signature) -> Score:
        return Score(self.label, self.engine.score(totals), signature=signature)


class ExactMatch(_OfAnswers):
    """The share of answers that equal a reference, after both are normalised as in SQuAD.

    Parameters
    ----------
    version
        1 or 2, for SQuAD 1.1 or 2.0, whose scripts agree on exact match; the signature shows it.
    references, empty_refs, normalize
        As in `BLEU`.
    """

    name = label = "EM"
    title = "Exact match and F1 of answers"
    shared_columns = ("segments",)
    parts_of = (("exact", "segments"),)
    columns = ("exact", "segments")

    def _row_rules(self, cells: Cells, single: bool, summed: bool) -> Rules:
        yield from super()._row_rules(cells, single, summed)
        yield from not_whole(cells, ("exact",))
        yield from not_of_one_segment(cells, summed)

    def _make_engine(self) -> Engine:
        return _core.exact_match_engine(word_characters())


class TokenF1(_OfAnswers):
    """The harmonic mean of precision and recall over words of answers, after these are normalised as in SQuAD.

    Parameters
    ----------
    version
        1 for SQuAD 1.1, where two answers without words score 0; 2 for SQuAD 2.0, where they score 100.
    references, empty_refs, normalize
        As in `BLEU`.
    """

    name = label = "F1"
    title = "F1 of answers"
    shared_columns = ("segments",)
    columns = ("f1_0", "f1_1", "f1_2", "segments")

    def _row_rules(self, cells: Cells, single: bool, summed: bool) -> Rules:
        yield from super()._row_rules(cells, single, summed)
        yield from not_means(cells, ("f1",), summed)

    def _make_engine(self) -> Engine:
        return _core.token_f1_engine(word_characters(), self.version == 2)


@cache
def word_characters() -> _core.WordCharacters:
    """What `\\w` matches; beyond the third plane there are no letters."""
    import re

    every = "".join(map(chr, range(0x40000)))
    return _core.WordCharacters([(match.start(), match.end() - 1) for match in re.finditer(r"\w+", every)])


def _from_zero_to_one(who: str, option: str, value: Any) -> float:
    number = as_float(value)
    if not 0 <= number <= 1:
        raise OptionError(f"{who}: {option} is {brief(value)}, expected a number from 0 to 1")
    return number


def _read_threshold(text: str, notes: list[str]) -> dict[str, Any]:
    try:
        return {"threshold": _from_zero_to_one("the signature", "thr", float(text))}
    except ValueError as error:
        raise UnknownSignature(f"the signature has thr {brief(text)}, expected a number from 0 to 1") from error


WEIGHTS = ("equal", "indel")


class EditSimilarity(Metric[Score]):
    """One minus the edit distance of two texts divided by the length of the longer, by character, from 0 to 100.

    With `threshold=0.5, lowercase=True, strip=True` the mean is ANLS, the score of questions about documents.

    Parameters
    ----------
    threshold
        Segments below it score 0; from 0 to 1.
    weights
        "equal" if all edits cost the same (RapidFuzz's `Levenshtein.normalized_similarity`), "indel" if only characters
        are inserted and deleted, and lengths are added (python-Levenshtein's and fuzzywuzzy's `ratio`).
    lowercase
        Whether case is ignored.
    strip
        Whether white space at the ends is left out.
    references, empty_refs, normalize
        As in `BLEU`.
    """

    name = "EDITSIM"
    label = "EditSim"
    title = "Edit similarity"
    shared_columns = ("segments",)
    columns = ("score_0", "score_1", "score_2", "segments")
    flags = (LOWERCASE_FLAG, NORMALIZE_FLAG)
    fields = (
        Field("case", "c", "lowercase", "mixed", LOWERCASED),
        Field("strip", "st", "strip", "no", YES),
        Field("weights", "w", "weights", "equal", {name: name for name in WEIGHTS}),
        Field("thr", "thr", "threshold_text", "0", read=_read_threshold),
    )

    threshold = Option(_from_zero_to_one)
    weights: Option[str] = Option(choice, known=WEIGHTS)
    lowercase = Option(yes_or_no)
    strip = Option(yes_or_no)

    def __init__(
        self,
        threshold: float = 0.0,
        weights: str = "equal",
        lowercase: bool = False,
        strip: bool = False,
        references: Sequence[Sequence[str | None]] | None = None,
        *,
        empty_refs: str = "drop",
        normalize: str | Sequence[str] = "",
    ) -> None:
        self.threshold = threshold
        self.weights = weights
        self.lowercase = lowercase
        self.strip = strip
        super().__init__(references, empty_refs, normalize)

    @property
    def threshold_text(self) -> str:
        """The threshold as the signature shows it."""
        return f"{self.threshold:g}" if float(f"{self.threshold:g}") == self.threshold else repr(self.threshold)

    @classmethod
    def _stated(cls, name: str, settings: Mapping[str, str]) -> dict[str, str]:
        """Say that there are no tokens."""
        return {**super()._stated(name, settings), "Tokenizer": "none (characters)"}

    def _row_rules(self, cells: Cells, single: bool, summed: bool) -> Rules:
        yield from super()._row_rules(cells, single, summed)
        yield from not_means(cells, ("score",), summed)

    def _corpus(self, *given: Any, **options: Any) -> Corpus:
        corpus = super()._corpus(*given, **options)
        warn_of_long(self.label, corpus.hypotheses, corpus.streams)
        return corpus

    def _make_engine(self) -> Engine:
        return _core.edit_similarity_engine(
            threshold=self.threshold, is_indel=self.weights == "indel", strip=self.strip, lowercase=self.lowercase
        )

    def _score_from(self, totals: list[float], signature: Signature) -> Score:
        return Score(self.label, self.engine.score(totals), signature=signature)
