"""TER (Snover et al., 2006) as Tercom computes it, equal to sacreBLEU 2.6.0. Lower is better.

>>> print(TER().corpus_score(["by the pond stood a heron"], [["a heron stood by the pond"]]))
TER = 33.33
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from truebleu import _core
from truebleu.metrics.base import Frozen, Metric, Score, yes_or_no
from truebleu.signature import SHORT_FORMS, Signature, SignatureValue

if TYPE_CHECKING:
    from truebleu.metrics.base import Engine


class TERScore(Score):
    """A TER score: edits for every hundred reference words. It may exceed 100."""

    def __init__(
        self, score: float, num_edits: float, ref_length: float, *, signature: Signature | None = None
    ) -> None:
        super().__init__("TER", score, signature=signature)
        self.num_edits = int(num_edits)
        self.ref_length = ref_length

    def _parts(self) -> dict[str, Any]:
        return {"num_edits": self.num_edits, "ref_length": self.ref_length}


class TERSignature(Signature):
    """TER's tokenizer has a shorter short form."""

    short_forms = SHORT_FORMS | {"tok": "t"}


class TER(Metric[TERScore]):
    """TER with its options, as sacreBLEU has them. `empty_refs` is explained at `BLEU`."""

    _name = "TER"
    _lower_is_better = True
    _signature_type = TERSignature

    normalized = Frozen[bool]()
    no_punct = Frozen[bool]()
    asian_support = Frozen[bool]()
    case_sensitive = Frozen[bool]()

    def __init__(
        self,
        normalized: bool = False,
        no_punct: bool = False,
        asian_support: bool = False,
        case_sensitive: bool = False,
        references: Sequence[Sequence[str | None]] | None = None,
        *,
        empty_refs: str = "drop",
    ) -> None:
        self.normalized = yes_or_no("TER", "normalized", normalized)
        self.no_punct = yes_or_no("TER", "no_punct", no_punct)
        self.asian_support = yes_or_no("TER", "asian_support", asian_support)
        self.case_sensitive = yes_or_no("TER", "case_sensitive", case_sensitive)
        super().__init__(references, empty_refs)

    @property
    def _columns(self) -> tuple[str, ...]:
        return ("edits", "length")

    def _make_engine(self) -> Engine:
        return _core.ter_engine(
            normalized=self.normalized,
            no_punct=self.no_punct,
            asian_support=self.asian_support,
            lowercase=not self.case_sensitive,
        )

    def _score_from(self, totals: list[float], signature: Signature) -> TERScore:
        edits, length = totals
        return TERScore(self._engine.score(totals), edits, length, signature=signature)

    def _options(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("normalized", "no_punct", "asian_support", "case_sensitive")}

    def _row_options(self) -> dict[str, object]:
        return self._options()

    def _signature_fields(self) -> dict[str, SignatureValue]:
        return {
            "case": "mixed" if self.case_sensitive else "lc",
            "tok": "tercom",
            "norm": self.normalized,
            "punct": not self.no_punct,
            "asian": self.asian_support,
        }
