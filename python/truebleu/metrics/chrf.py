"""chrF, chrF+ and chrF++ (Popović, 2015 and 2017), equal to sacreBLEU 2.6.0.

>>> print(CHRF(word_order=2).corpus_score(["A heron stood by the pond."], [["A grey heron stood by the pond."]]))
chrF2++ = 81.33
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from truebleu import _core
from truebleu.errors import OptionError
from truebleu.metrics.base import Frozen, Metric, Score, whole_number, yes_or_no
from truebleu.signature import Signature, SignatureValue

if TYPE_CHECKING:
    from truebleu.metrics.base import Engine

CHRFSignature = Signature

_HIGHEST_ORDER = 32


class CHRFScore(Score):
    """A chrF score with the orders and the beta that its name tells."""

    def __init__(
        self,
        score: float,
        char_order: int,
        word_order: int,
        beta: float,
        *,
        signature: Signature | None = None,
    ) -> None:
        super().__init__(f"chrF{beta}" + "+" * word_order, score, signature=signature)
        self.char_order = char_order
        self.word_order = word_order
        self.beta = beta

    def _parts(self) -> dict[str, Any]:
        return {"char_order": self.char_order, "word_order": self.word_order, "beta": self.beta}


class CHRF(Metric[CHRFScore]):
    """chrF with its options, as sacreBLEU has them; `word_order=2` makes it chrF++.

    `empty_refs` is explained at `BLEU`.
    """

    _name = "CHRF"
    _can_aggregate = True

    CHAR_ORDER: ClassVar[int] = 6
    WORD_ORDER: ClassVar[int] = 0
    BETA: ClassVar[int] = 2

    char_order = Frozen[int]()
    word_order = Frozen[int]()
    beta = Frozen[float]()
    lowercase = Frozen[bool]()
    whitespace = Frozen[bool]()
    eps_smoothing = Frozen[bool]()

    def __init__(
        self,
        char_order: int = CHAR_ORDER,
        word_order: int = WORD_ORDER,
        beta: float = BETA,
        lowercase: bool = False,
        whitespace: bool = False,
        eps_smoothing: bool = False,
        references: Sequence[Sequence[str | None]] | None = None,
        *,
        empty_refs: str = "drop",
    ) -> None:
        self.char_order = whole_number("CHRF", "char_order", char_order, 0, _HIGHEST_ORDER)
        self.word_order = whole_number("CHRF", "word_order", word_order, 0, _HIGHEST_ORDER)
        if self.order == 0:
            raise OptionError("CHRF: char_order and word_order are both 0, expected at least one above 0")
        if isinstance(beta, (str, bool)) or not 0 <= beta < float("inf"):
            raise OptionError(f"CHRF: beta is {beta!r}, expected a number from 0")
        self.beta = beta
        self.lowercase = yes_or_no("CHRF", "lowercase", lowercase)
        self.whitespace = yes_or_no("CHRF", "whitespace", whitespace)
        self.eps_smoothing = yes_or_no("CHRF", "eps_smoothing", eps_smoothing)
        super().__init__(references, empty_refs)

    @property
    def order(self) -> int:
        """The number of orders, of characters and words together."""
        return self.char_order + self.word_order

    @property
    def _columns(self) -> tuple[str, ...]:
        orders = [f"char_{n + 1}" for n in range(self.char_order)] + [f"word_{n + 1}" for n in range(self.word_order)]
        return tuple(f"{cell}_{order}" for order in orders for cell in ("hyp", "ref", "match"))

    def _make_engine(self) -> Engine:
        return _core.chrf_engine(
            char_order=self.char_order,
            word_order=self.word_order,
            # Python's power, because the last bit of a C library's pow() need not be that of a product.
            beta_squared=float(self.beta**2),
            lowercase=self.lowercase,
            whitespace=self.whitespace,
            eps_smoothing=self.eps_smoothing,
        )

    def _score_from(self, totals: list[float], signature: Signature) -> CHRFScore:
        score = self._engine.score(totals)
        return CHRFScore(score, self.char_order, self.word_order, self.beta, signature=signature)

    def _options(self) -> dict[str, Any]:
        names = ("char_order", "word_order", "beta", "lowercase", "whitespace", "eps_smoothing")
        return {name: getattr(self, name) for name in names}

    def _row_options(self) -> dict[str, object]:
        # All of them: beta and smoothing choose among several references.
        return self._options()

    def _signature_fields(self) -> dict[str, SignatureValue]:
        return {
            "case": "lc" if self.lowercase else "mixed",
            "eff": not self.eps_smoothing,
            "nc": self.char_order,
            "nw": self.word_order,
            "space": self.whitespace,
        }
