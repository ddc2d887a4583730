"""BLEU (Papineni et al., 2002), equal to sacreBLEU 2.6.0.

>>> bleu = BLEU()
>>> print(bleu.corpus_score(["A heron stood by the pond."], [["A grey heron stood by the pond."]]))
BLEU = 72.90 100.0/83.3/80.0/75.0 (BP = 0.867 ratio = 0.875 hyp_len = 7 ref_len = 8)
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

from truebleu import _core
from truebleu._inputs import Corpus
from truebleu._logs import warn
from truebleu.errors import OptionError, UnknownSmoothing
from truebleu.metrics.base import Frozen, Score, whole_number, yes_or_no
from truebleu.metrics.tokenized import TokenizedMetric
from truebleu.signature import Signature, SignatureValue
from truebleu.tokenizers.registry import TOKENIZERS, get_tokenizer_class

if TYPE_CHECKING:
    from truebleu.metrics.base import Engine
    from truebleu.tokenizers import BaseTokenizer

MAX_NGRAM_ORDER = 4

# sacreBLEU's names for two things that live elsewhere.
_TOKENIZERS = TOKENIZERS
_get_tokenizer = get_tokenizer_class
BLEUSignature = Signature

# Chen and Cherry's smoothing methods (2014) by number, with NLTK's defaults of epsilon, k, alpha and k.
METHOD_DEFAULTS: Mapping[str, float | None] = MappingProxyType(
    {
        "method0": None,
        "method1": 0.1,
        "method2": None,
        "method3": None,
        "method4": 5,
        "method5": None,
        "method6": 5,
        "method7": 5,
    }
)
# They average each order with the next, so one order more is counted.
_LOOK_AHEAD = ("method5", "method7")

_HIGHEST_ORDER = 32
_SUSPICIOUS_STOPS = 100

# Python's sum() of floats is compensated from 3.12 on, which decides the last bit of sacreBLEU's scores.
_COMPENSATED_SUM = sys.version_info >= (3, 12)


class BLEUScore(Score):
    """A BLEU score and what it is made of."""

    def __init__(
        self,
        score: float,
        counts: list[float],
        totals: list[float],
        precisions: list[float],
        bp: float,
        sys_len: int,
        ref_len: int,
        *,
        signature: Signature | None = None,
    ) -> None:
        super().__init__("BLEU", score, signature=signature)
        self.counts = counts
        self.totals = totals
        self.precisions = precisions
        self.bp = bp
        self.sys_len = sys_len
        self.ref_len = ref_len
        self.ratio = sys_len / ref_len if ref_len else 0
        self.prec_str = "/".join(f"{precision:.1f}" for precision in precisions)
        lengths = f"hyp_len = {sys_len:d} ref_len = {ref_len:d}"
        self._verbose = f"{self.prec_str} (BP = {bp:.3f} ratio = {self.ratio:.3f} {lengths})"

    def _parts(self) -> dict[str, Any]:
        names = ("counts", "totals", "precisions", "bp", "sys_len", "ref_len", "ratio")
        return {name: getattr(self, name) for name in names}


class BLEU(TokenizedMetric[BLEUScore]):
    """BLEU with its options, as sacreBLEU has them; `tokenize` may also be a tokenizer or a function.

    `empty_refs` says what an empty reference beside a filled one is: "drop" (as sacreBLEU's documentation
    has it), no reference; "keep" (as sacreBLEU computes it), a reference of length zero.

    `smooth_method` may also be "method0" to "method7": Chen and Cherry's methods (2014) as NLTK numbers them, here on
    the totals of the whole corpus. `smooth_value` is then epsilon (method1), k (method4, method7) or alpha (method6).

    >>> BLEU(smooth_method="method4").corpus_score(["the cat is on the mat"], [["there is a cat on the mat"]])
    BLEU = 22.48 83.3/40.0/25.0/6.0 (BP = 0.846 ratio = 0.857 hyp_len = 6 ref_len = 7)
    """

    _name = "BLEU"
    _can_aggregate = True

    SMOOTH_DEFAULTS: ClassVar[Mapping[str, float | None]] = MappingProxyType(
        {"none": None, "floor": 0.1, "add-k": 1, "exp": None}
    )
    smooth_method = Frozen[str]()
    smooth_value = Frozen[float | None]()
    max_ngram_order = Frozen[int]()
    effective_order = Frozen[bool]()

    def __init__(
        self,
        lowercase: bool = False,
        force: bool = False,
        tokenize: str | BaseTokenizer | Callable[[str], object] | None = None,
        smooth_method: str = "exp",
        smooth_value: float | None = None,
        max_ngram_order: int = MAX_NGRAM_ORDER,
        effective_order: bool = False,
        trg_lang: str = "",
        references: Sequence[Sequence[str | None]] | None = None,
        *,
        empty_refs: str = "drop",
    ) -> None:
        self.smooth_method = smooth_method
        self.smooth_value = smooth_value
        _smoothing(smooth_method, smooth_value)
        self.max_ngram_order = whole_number("BLEU", "max_ngram_order", max_ngram_order, 1, _HIGHEST_ORDER)
        self.effective_order = yes_or_no("BLEU", "effective_order", effective_order)
        self._force = yes_or_no("BLEU", "force", force)
        super().__init__(lowercase, tokenize, trg_lang, references, empty_refs)

    def sentence_score(self, hypothesis: str, references: Sequence[str | None]) -> BLEUScore:
        """Score one segment against its references; `effective_order=True` is what you want here."""
        if not self.effective_order:
            warn("sentence_score without effective_order=True: a segment of fewer than four tokens scores 0")
        return super().sentence_score(hypothesis, references)

    @staticmethod
    def compute_bleu(
        correct: list[float],
        total: list[float],
        sys_len: float,
        ref_len: float,
        smooth_method: str = "none",
        smooth_value: float | None = None,
        effective_order: bool = False,
        max_ngram_order: int = MAX_NGRAM_ORDER,
    ) -> BLEUScore:
        """BLEU from counts. As in sacreBLEU, add-k smoothing changes the two lists that were passed.

        >>> BLEU.compute_bleu([5, 2, 1, 0], [6, 5, 4, 3], 6, 7, smooth_method="floor")
        BLEU = 19.43 83.3/40.0/25.0/3.3 (BP = 0.846 ratio = 0.857 hyp_len = 6 ref_len = 7)
        """
        order = _counted_orders(max_ngram_order, smooth_method)
        if len(correct) < order or len(total) < order:
            ahead = f" ({smooth_method} looks one order ahead)" if order > max_ngram_order else ""
            raise IndexError(
                f"compute_bleu: {order} orders{ahead} need as many counts, got {len(correct)} and {len(total)}"
            )
        score, precisions, bp, smoothed_correct, smoothed_total = _core.evaluate_bleu(
            list(correct[:order]),
            list(total[:order]),
            sys_len,
            ref_len,
            smooth_method=smooth_method,
            smooth_value=_smoothing(smooth_method, smooth_value),
            effective_order=effective_order,
            compensated_sum=_COMPENSATED_SUM,
        )
        if smooth_method == "add-k" and any(correct[:order]):
            value = BLEU.SMOOTH_DEFAULTS["add-k"] if smooth_value is None else smooth_value
            kind = int if isinstance(value, int) else float
            for n in range(1, order):
                correct[n], total[n] = kind(smoothed_correct[n]), kind(smoothed_total[n])
                if total[n] == 0:  # smoothing stops here, and with it the change of type
                    break
        if order > max_ngram_order:
            correct, total = correct[:max_ngram_order], total[:max_ngram_order]
        return BLEUScore(score, correct, total, precisions, bp, int(sys_len), int(ref_len))

    @property
    def _orders(self) -> int:
        return _counted_orders(self.max_ngram_order, self.smooth_method)

    @property
    def _columns(self) -> tuple[str, ...]:
        orders = range(1, self._orders + 1)
        return ("sys_len", "ref_len", *(f"correct_{n}" for n in orders), *(f"total_{n}" for n in orders))

    def _make_engine(self) -> Engine:
        native = self.tokenizer.native
        return _core.bleu_engine(
            tokenizer=native or "none",
            order=self.max_ngram_order,
            lowercase=self.lowercase and native is not None,
            smooth_method=self.smooth_method,
            smooth_value=_smoothing(self.smooth_method, self.smooth_value),
            effective_order=self.effective_order,
            compensated_sum=_COMPENSATED_SUM,
            ref_len="closest",
        )

    def _score_from(self, totals: list[float], signature: Signature) -> BLEUScore:
        counts = [int(total) for total in totals]
        order = self._orders
        score = self.compute_bleu(
            list(counts[2 : 2 + order]),
            list(counts[2 + order :]),
            counts[0],
            counts[1],
            self.smooth_method,
            self.smooth_value,
            self.effective_order,
            self.max_ngram_order,
        )
        score.signature = signature
        return score

    def _options(self) -> dict[str, Any]:
        return {
            "lowercase": self.lowercase,
            "tokenize": self.tokenizer_signature,
            "smooth_method": self.smooth_method,
            "smooth_value": self.smooth_value,
            "max_ngram_order": self.max_ngram_order,
            "effective_order": self.effective_order,
        }

    def _row_options(self) -> dict[str, object]:
        return {
            "lowercase": self.lowercase,
            "tokenizer": self.tokenizer.fingerprint(),
            "max_ngram_order": self._orders,
        }

    def _signature_fields(self) -> dict[str, SignatureValue]:
        return {
            "case": "lc" if self.lowercase else "mixed",
            "eff": self.effective_order,
            "tok": self.tokenizer_signature,
            "smooth": self._smooth_text(),
            "order": None if self.max_ngram_order == MAX_NGRAM_ORDER else self.max_ngram_order,
        }

    def _smooth_text(self) -> str:
        if _default_smoothing(self.smooth_method) is None:
            return self.smooth_method
        return f"{self.smooth_method}[{_smoothing(self.smooth_method, self.smooth_value):.2f}]"

    def _warn(self, corpus: Corpus) -> None:
        if corpus.detached_stops >= _SUSPICIOUS_STOPS and not self._force:
            warn(
                "%d hypotheses end in a full stop with a space before it, so they seem to be tokenized already. "
                "Scores of tokenized text are not comparable: detokenize, or pass force=True to silence this",
                corpus.detached_stops,
            )


def _counted_orders(max_ngram_order: int, smooth_method: str) -> int:
    return max_ngram_order + (smooth_method in _LOOK_AHEAD)


def _default_smoothing(method: str) -> float | None:
    """The value that the method smooths with unless told otherwise; None for methods that take none."""
    known = {**BLEU.SMOOTH_DEFAULTS, **METHOD_DEFAULTS}
    if method not in known:
        names = ", ".join(map(repr, known))
        raise UnknownSmoothing(f"BLEU: smooth_method is {method!r}, expected one of {names}")
    return known[method]


def _smoothing(method: str, value: float | None) -> float:
    """The value that the method smooths with; 0 for methods that take none."""
    default = _default_smoothing(method)
    if default is None:
        return 0.0
    number = float(default if value is None else value)
    if not 0 <= number < float("inf"):
        raise OptionError(f"BLEU: smooth_value is {value!r}, expected a number from 0")
    if number == 0 and method in ("method4", "method7"):
        raise OptionError(f"BLEU: smooth_value is {value!r}, and {method} divides by it: expected a number above 0")
    return number
