"""TER (Snover et al., 2006) as Tercom computes it, equal to sacreBLEU 2.6.0. Lower is better.

>>> print(TER().corpus_score(["by the pond stood a heron"], [["a heron stood by the pond"]]))
TER = 33.33
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from truebleu import _core
from truebleu._options import yes_or_no
from truebleu._typing import TYPE_CHECKING, Any, ClassVar
from truebleu.metrics.base import NORMALIZE_FLAG, Metric
from truebleu.metrics.options import CASED, NO, SACREBLEU, YES, Field, Option, switch
from truebleu.metrics.score import Score
from truebleu.signature import Signature

if TYPE_CHECKING:
    from truebleu._core import Engine
    from truebleu.metrics.row_rules import Cells, Rules


class TERScore(Score):
    """A TER score: edits for every hundred reference words. It may exceed 100.

    Parameters
    ----------
    score
        The score.
    num_edits
        How many edits there are.
    ref_length
        The number of reference words; with several references, their mean.
    signature
        The settings behind the score.
    """

    def __init__(
        self, score: float, num_edits: float, ref_length: float, *, signature: Signature | None = None
    ) -> None:
        super().__init__("TER", score, signature=signature)
        self.num_edits = int(num_edits)
        self.ref_length = ref_length

    def parts(self) -> dict[str, Any]:
        """Edits and words."""
        return {"num_edits": self.num_edits, "ref_length": self.ref_length}


def _read_tokenizer(text: str, notes: list[str]) -> dict[str, bool]:
    """sacreBLEU 1 wrote all options into one field: `tercom-nonorm-punct-noasian-uncased`."""
    words = text.split("-")[1:]
    options = {"norm": "normalized", "nopunct": "no_punct", "asian": "asian_support", "cased": "case_sensitive"}
    return {option: True for word, option in options.items() if word in words}


class TER(Metric[TERScore]):
    """TER with sacreBLEU's options, names and defaults. Lower is better.

    Parameters
    ----------
    normalized
        Whether punctuation is separated from words.
    no_punct
        Whether punctuation is dropped.
    asian_support
        Whether ideographs are split; goes with `normalized`.
    case_sensitive
        Whether case counts.
    references, empty_refs, normalize
        As in `BLEU`.
    """

    name = label = title = "TER"
    higher_is_better = False
    shared_columns = mean_columns = ("length",)
    equals, evaluate_module = SACREBLEU, "ter"
    citations: ClassVar[Mapping[str, str]] = {"": "snover-etal-2006-study"}
    script_formula = "ter", {}
    flags = (
        switch("--ter-case-sensitive", option="case_sensitive", help="do not ignore case"),
        switch("--ter-asian-support", option="asian_support", help="split ideographs; goes with --ter-normalized"),
        switch("--ter-no-punct", option="no_punct", help="drop punctuation"),
        switch("--ter-normalized", option="normalized", help="separate punctuation from words"),
        NORMALIZE_FLAG,
    )
    fields = (
        Field("case", "c", "case_sensitive", "lc", CASED),
        Field("tok", "t", "tokenizer_signature", "tercom", read=_read_tokenizer),
        Field("norm", "nr", "normalized", "no", YES),
        Field("punct", "pn", "no_punct", "yes", NO),
        Field("asian", "as", "asian_support", "no", YES),
    )

    tokenizer_signature = "tercom"
    normalized = Option(yes_or_no)
    no_punct = Option(yes_or_no)
    asian_support = Option(yes_or_no)
    case_sensitive = Option(yes_or_no)

    def __init__(
        self,
        normalized: bool = False,
        no_punct: bool = False,
        asian_support: bool = False,
        case_sensitive: bool = False,
        references: Sequence[Sequence[str | None]] | None = None,
        *,
        empty_refs: str = "drop",
        normalize: str | Sequence[str] = "",
    ) -> None:
        self.normalized = normalized
        self.no_punct = no_punct
        self.asian_support = asian_support
        self.case_sensitive = case_sensitive
        super().__init__(references, empty_refs, normalize)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of a row's cells."""
        return ("edits", "length")

    @property
    def predictors(self) -> Mapping[str, str]:
        """The length is nearest to the edits."""
        return {"length": "edits"}

    @property
    def splits_at_spaces(self) -> str:
        """Why the metric needs spaces between words; "" if it does not."""
        return "" if self.asian_support else "TER goes without --ter-asian-support"

    def _row_rules(self, cells: Cells, single: bool, summed: bool) -> Rules:
        from truebleu.metrics.row_rules import not_whole

        yield from super()._row_rules(cells, single, summed)
        # With several references, the length is the mean of theirs.
        yield from not_whole(cells, self.columns if single else ("edits",))

    def _make_engine(self) -> Engine:
        return _core.ter_engine(
            normalized=self.normalized,
            no_punct=self.no_punct,
            asian_support=self.asian_support,
            lowercase=not self.case_sensitive,
        )

    def _score_from(self, totals: list[float], signature: Signature) -> TERScore:
        edits, length = totals
        return TERScore(self.engine.score(totals), edits, length, signature=signature)
