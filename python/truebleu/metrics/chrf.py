"""chrF, chrF+ and chrF++ (Popović, 2015 and 2017), equal to sacreBLEU 2.6.0.

>>> print(CHRF(word_order=2).corpus_score(["A heron stood by the pond."], [["A grey heron stood by the pond."]]))
chrF2++ = 81.33
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from truebleu import _core
from truebleu._inputs import brief
from truebleu._options import number_from_zero, whole_number, yes_or_no
from truebleu._typing import TYPE_CHECKING, Any, ClassVar
from truebleu.errors import OptionError, UnknownSignature
from truebleu.metrics.base import NORMALIZE_FLAG, Metric
from truebleu.metrics.options import LOWERCASED, NO, SACREBLEU, YES, Field, Option, flag, switch
from truebleu.metrics.score import Score
from truebleu.signature import Signature

if TYPE_CHECKING:
    from truebleu._core import Engine
    from truebleu.metrics.row_rules import Cells, Rules

CHRFSignature = Signature


class CHRFScore(Score):
    """A chrF score with its orders and its beta.

    Parameters
    ----------
    score
        The score, from 0 to 100.
    char_order
        The longest character n-grams.
    word_order
        The longest word n-grams.
    beta
        The weight of recall.
    signature
        The settings behind the score.
    """

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

    def parts(self) -> dict[str, Any]:
        """The orders and beta."""
        return {"char_order": self.char_order, "word_order": self.word_order, "beta": self.beta}


# Its square must be a finite float.
_HIGHEST_BETA = 1e150


def _beta(who: str, option: str, value: Any) -> Any:
    if number_from_zero(who, option, value) > _HIGHEST_BETA:
        raise OptionError(f"{who}: {option} is {brief(value)}, expected a number from 0 to {_HIGHEST_BETA:g}")
    return value  # as it was given: the name of the score shows 2 for 2 and 2.0 for 2.0


class CHRF(Metric[CHRFScore]):
    """chrF with sacreBLEU's options, names and defaults; `word_order=2` makes it chrF++.

    Parameters
    ----------
    char_order
        The longest character n-grams.
    word_order
        The longest word n-grams.
    beta
        The weight of recall, relative to precision.
    lowercase
        Whether case is ignored.
    whitespace
        Whether white space counts as characters.
    eps_smoothing
        Whether to smooth as chrF++.py and NLTK do, instead of leaving out orders without n-grams.
    references, empty_refs, normalize
        As in `BLEU`.
    """

    name = "CHRF"
    label = title = "chrF"
    flags = (
        flag(
            "--chrf-char-order", "-cc", option="char_order", type=int, metavar="N",
            help="longest character n-grams (default: 6)",
        ),
        flag(
            "--chrf-word-order", "-cw", option="word_order", type=int, metavar="N",
            help="longest word n-grams; 2 is chrF++ (default: 0)",
        ),
        flag("--chrf-beta", option="beta", type=int, metavar="N", help="weight of recall (default: 2)"),
        switch("--chrf-whitespace", option="whitespace", help="count white space as characters"),
        switch("--chrf-lowercase", option="lowercase", help="ignore case"),
        switch("--chrf-eps-smoothing", option="eps_smoothing", help="smooth as chrF++.py and NLTK do"),
        NORMALIZE_FLAG,
    )  # fmt: skip
    fields = (
        Field("case", "c", "lowercase", "mixed", LOWERCASED),
        Field("eff", "e", "eps_smoothing", "yes", NO),
        Field("nc", "nc", "char_order", "6", old="numchars"),
        Field("nw", "nw", "word_order", "0"),
        Field("space", "s", "whitespace", "no", YES),
    )
    parts_of = (("match", "hyp"), ("match", "ref"))
    equals, evaluate_module = SACREBLEU, "chrf"
    citations: ClassVar[Mapping[str, str]] = {"": "popovic-2015-chrf", "+": "popovic-2017-chrf"}
    curves: ClassVar[Mapping[str, Mapping[str, tuple[str, ...]]]] = {
        "chrF": {
            "name": ("chrF2",), "case": ("mixed",), "eff": ("yes",), "nc": ("6",), "nw": ("0",), "space": ("no",),
        },
    }  # fmt: skip
    _can_aggregate = True

    CHAR_ORDER: ClassVar[int] = 6
    WORD_ORDER: ClassVar[int] = 0
    BETA: ClassVar[int] = 2

    # All of them decide the rows: beta and smoothing choose among several references.
    char_order = Option(whole_number, low=0, high=32)
    word_order = Option(whole_number, low=0, high=32)
    beta: Option[float] = Option(_beta)
    lowercase = Option(yes_or_no)
    whitespace = Option(yes_or_no)
    eps_smoothing = Option(yes_or_no)

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
        normalize: str | Sequence[str] = "",
    ) -> None:
        self.char_order = char_order
        self.word_order = word_order
        if self.order == 0:
            raise OptionError("CHRF: char_order and word_order are both 0, expected at least one above 0")
        self.beta = beta
        self.lowercase = lowercase
        self.whitespace = whitespace
        self.eps_smoothing = eps_smoothing
        super().__init__(references, empty_refs, normalize)

    @classmethod
    def options_of_name(cls, name: str, notes: list[str]) -> dict[str, Any]:
        """Read beta from the name: chrF2 has 2.

        Parameters
        ----------
        name, notes
            As in `Metric.options_of_name`.
        """
        import re

        found = re.fullmatch(r"chrF([\d.]+)\+*", name, re.I)
        if found is None:
            notes.append("the signature does not say beta; 2 is assumed")
            return {"beta": cls.BETA}
        try:
            return {"beta": int(found[1]) if found[1].isdecimal() else float(found[1])}
        except ValueError:
            raise UnknownSignature(f"the signature is of {brief(name)}, whose beta is not a number") from None

    @property
    def order(self) -> int:
        """The number of orders, of characters and words together."""
        return self.char_order + self.word_order

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of a row's cells."""
        orders = [f"char_{n + 1}" for n in range(self.char_order)] + [f"word_{n + 1}" for n in range(self.word_order)]
        return tuple(f"{cell}_{order}" for order in orders for cell in ("hyp", "ref", "match"))

    @property
    def predictors(self) -> Mapping[str, str]:
        """For each column, the earlier one that it is nearest to."""
        near: dict[str, str] = {}
        for kind, orders in (("char", self.char_order), ("word", self.word_order)):
            near |= {f"ref_{kind}_1": f"hyp_{kind}_1", f"match_{kind}_1": f"ref_{kind}_1"} if orders else {}
            for n in range(2, orders + 1):
                near |= {f"{side}_{kind}_{n}": f"{side}_{kind}_1" for side in ("hyp", "ref")}
                near[f"match_{kind}_{n}"] = f"match_{kind}_{n - 1}"
        return near

    @property
    def reference_columns(self) -> tuple[str, ...]:
        """The n-grams of the reference that gives the best score."""
        return tuple(name for name in self.columns if name.startswith("ref_"))

    @property
    def script_formula(self) -> tuple[str, Mapping[str, Any]]:
        """The formula of chrF, with the weight of recall and the smoothing."""
        return "chrf", {"beta_squared": float(self.beta**2), "eps_smoothing": self.eps_smoothing}

    @classmethod
    def _stated(cls, name: str, settings: Mapping[str, str]) -> dict[str, str]:
        """Name the smoothing, which the signature writes in another way."""
        smoothing = "effective order" if settings["eff"] == "yes" else "epsilon"
        return {**super()._stated(name, settings), "Tokenizer": "none (characters)", "Smoothing": smoothing}

    def _row_rules(self, cells: Cells, single: bool, summed: bool) -> Rules:
        from truebleu.metrics.row_rules import not_falling, not_of_length, not_whole

        yield from super()._row_rules(cells, single, summed)
        yield from not_whole(cells, self.columns)
        for kind, orders in (("char", self.char_order), ("word", self.word_order)):
            hyp, ref, match = ([f"{side}_{kind}_{n + 1}" for n in range(orders)] for side in ("hyp", "ref", "match"))
            yield from not_of_length(cells, ref, f"ref_{kind}_1", summed)
            lengths = not_of_length(cells, hyp, f"hyp_{kind}_1", summed)
            # Without an n-gram of that order in the reference, those of the hypothesis are not counted.
            for (name, bad, rule), other in zip(lengths, ref, strict=True):
                yield name, bad & ~((cells[name] == 0) & (cells[other] == 0)), rule
            yield from not_falling(cells, match)

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
        score = self.engine.score(totals)
        return CHRFScore(score, self.char_order, self.word_order, self.beta, signature=signature)
