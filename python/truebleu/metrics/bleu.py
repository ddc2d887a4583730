"""BLEU (Papineni et al., 2002), equal to sacreBLEU 2.6.0.

>>> bleu = BLEU()
>>> print(bleu.corpus_score(["A heron stood by the pond."], [["A grey heron stood by the pond."]]))
BLEU = 72.90 100.0/83.3/80.0/75.0 (BP = 0.867 ratio = 0.875 hyp_len = 7 ref_len = 8)
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from truebleu import _core
from truebleu._inputs import brief, check_numbers
from truebleu._logs import warn
from truebleu._options import COMPENSATED_SUM, choice, number_from_zero, whole_number, yes_or_no
from truebleu._typing import TYPE_CHECKING, Any, ClassVar, cast
from truebleu.errors import OptionError, TooFew, UnknownSignature, UnknownSmoothing
from truebleu.metrics.base import LOWERCASE_FLAG, NORMALIZE_FLAG
from truebleu.metrics.options import LOWERCASED, SACREBLEU, YES, Field, Option, flag, switch
from truebleu.metrics.score import Score
from truebleu.metrics.tokenized import TOKENIZER_FIELD, TOKENIZER_FLAG, TokenizedMetric
from truebleu.signature import Signature

if TYPE_CHECKING:
    from truebleu._core import Engine
    from truebleu.metrics.row_rules import Cells, Rules
    from truebleu.tokenizers import BaseTokenizer

MAX_NGRAM_ORDER = 4

# The default value of each method; None for methods that take no value. "method0" to "method7" are
# Chen and Cherry's (2014) by number, with NLTK's defaults of epsilon, k, alpha and k.
_SACREBLEU_METHODS: Mapping[str, float | None] = MappingProxyType({"none": None, "floor": 0.1, "add-k": 1, "exp": None})
METHOD_DEFAULTS: Mapping[str, float | None] = MappingProxyType(
    {f"method{n}": value for n, value in enumerate((None, 0.1, None, None, 5, None, 5, 5))}
)
SMOOTHING: Mapping[str, float | None] = MappingProxyType({**_SACREBLEU_METHODS, **METHOD_DEFAULTS})
# They average each order with the next, so one order more is counted.
_LOOK_AHEAD = ("method5", "method7")


class BLEUScore(Score):
    """A BLEU score and its parts.

    Parameters
    ----------
    score
        The score, from 0 to 100.
    counts
        For each order, the n-grams that match.
    totals
        For each order, all n-grams of the system.
    precisions
        For each order, the precision that went into the score, smoothed, from 0 to 100.
    bp
        The brevity penalty.
    sys_len
        The number of tokens of the system.
    ref_len
        The number of tokens of the references that are closest in length.
    signature
        The settings behind the score.
    """

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
        self.prec_str, self.verbose = _texts(_attributes(self))

    def __getattr__(self, name: str) -> Any:
        attributes = self.__dict__
        if name in attributes:
            return attributes[name]
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)

    @property
    def __dict__(self) -> dict[str, Any]:  # type: ignore[override]
        """The attributes; texts that have not been asked for are among them."""
        attributes: dict[str, Any] = _attributes(self)
        if "ratio" in attributes and "prec_str" not in attributes:
            for name, text in zip(("prec_str", "verbose"), _texts(attributes), strict=True):
                attributes.setdefault(name, text)
        return attributes

    def parts(self) -> dict[str, Any]:
        """Counts, lengths, precisions and brevity penalty."""
        names = ("counts", "totals", "precisions", "bp", "sys_len", "ref_len", "ratio")
        return {name: getattr(self, name) for name in names}


# The attributes of a score, as they are.
_attributes = vars(Score)["__dict__"].__get__


def _texts(parts: Mapping[str, Any]) -> tuple[str, str]:
    """The precisions of a score, and the rest of its line after the number."""
    precisions = "/".join(f"{precision:.1f}" for precision in parts["precisions"])
    lengths = f"hyp_len = {parts['sys_len']:d} ref_len = {parts['ref_len']:d}"
    return precisions, f"{precisions} (BP = {parts['bp']:.3f} ratio = {parts['ratio']:.3f} {lengths})"


def _read_smoothing(text: str, notes: list[str]) -> dict[str, str | float | None]:
    import re

    found = re.fullmatch(r"([a-z0-9-]+)(?:\[([\d.]+)\]|\.([\d.]+))?", text)
    if found is None or found[1] not in SMOOTHING:
        raise UnknownSignature(
            f"the signature asks for smoothing {brief(text)}, expected none, exp, floor, add-k or method0 to method7"
        )
    try:
        value = float(found[2] or found[3]) if found[2] or found[3] else None
    except ValueError:
        raise UnknownSignature(f"the signature asks for smoothing {brief(text)}, whose value is not a number") from None
    return {"smooth_method": found[1], "smooth_value": value}


# With which curves of people's preferences were fitted, whatever the tokenizer.
_FITTED = {"name": ("BLEU",), "case": ("mixed",), "eff": ("no",), "smooth": ("exp",)}


class BLEU(TokenizedMetric[BLEUScore]):
    """BLEU with sacreBLEU's options, names and defaults.

    Parameters
    ----------
    lowercase
        Whether case is ignored.
    force
        Whether to suppress the warning about text that seems to be tokenized already.
    tokenize
        A tokenizer by name ("13a", "intl", "zh", "char", "none", "ja-mecab", ...), a tokenizer object, or a function
        from a line to a line or a list of tokens. None chooses by `trg_lang`.
    smooth_method
        "exp", "floor", "add-k", "none", or "method0" to "method7": Chen and Cherry's methods (2014) as NLTK numbers
        them, here on the totals of the whole corpus.
    smooth_value
        The value for floor, add-k, method1 (epsilon), method4 and method7 (k) and method6 (alpha).
    max_ngram_order
        The longest n-grams that are counted.
    effective_order
        Whether to leave orders for which a text is too short out of the mean; use it for single sentences.
    trg_lang
        The target language: "zh", "ja" and "ko" have tokenizers of their own.
    references
        Reference streams to keep for many systems; pass None to `corpus_score` then.
    empty_refs
        How an empty reference beside a filled one counts: "drop", not at all, as sacreBLEU's documentation says; or
        "keep", as a reference of length zero, as sacreBLEU counts.
    normalize
        Differences to remove from both sides before scoring: names of `truebleu.normalization`, as in "nfc,quotes".

    Examples
    --------
    >>> BLEU(smooth_method="method4").corpus_score(["the cat is on the mat"], [["there is a cat on the mat"]])
    BLEU = 22.48 83.3/40.0/25.0/6.0 (BP = 0.846 ratio = 0.857 hyp_len = 6 ref_len = 7)
    """

    name = label = "BLEU"
    title = "BLEU (tokenizer and case: also Google BLEU)"
    flags = (
        flag(
            "--smooth-method", "-s", option="smooth_method", choices=tuple(SMOOTHING), metavar="NAME",
            help="exp (default), floor, add-k, none; method0 to method7: Chen and Cherry's",
        ),
        flag(
            "--smooth-value", "-sv", option="smooth_value", type=float, metavar="X",
            help="default: 0.1 for floor, 1 for add-k",
        ),
        TOKENIZER_FLAG,
        LOWERCASE_FLAG,
        NORMALIZE_FLAG,
        switch("--force", option="force", help="do not warn about text that seems to be tokenized already"),
    )  # fmt: skip
    fields = (
        Field("case", "c", "lowercase", "mixed", LOWERCASED),
        Field("eff", "e", "effective_order", "no", YES),
        TOKENIZER_FIELD,
        Field("smooth", "s", "_smooth_text", "exp", read=_read_smoothing),
        Field("order", "order", "max_ngram_order", encode={MAX_NGRAM_ORDER: None}),
    )
    parts_of = (("correct", "total"),)
    nearest = ("ref_len", "sys_len")
    equals, evaluate_module = SACREBLEU, "sacrebleu"
    citations: ClassVar[Mapping[str, str]] = {"": "papineni-etal-2002-bleu"}
    curves: ClassVar[Mapping[str, Mapping[str, tuple[str, ...]]]] = {
        # The default tokenizer of each language; two others make the two spBLEUs.
        "BLEU": {**_FITTED, "tok": ("13a", "zh", "ja-mecab", "ko-mecab")},
        "spBLEU200": {**_FITTED, "tok": ("flores200",)},
        "spBLEU101": {**_FITTED, "tok": ("flores101",)},
    }
    _can_aggregate = True
    _called = "BLEU"  # its scores; spBLEU if it was asked for by that name

    SMOOTH_DEFAULTS: ClassVar[Mapping[str, float | None]] = _SACREBLEU_METHODS

    smooth_method: Option[str] = Option(choice, in_rows=False, known=SMOOTHING, error=UnknownSmoothing)
    smooth_value: Option[float | None] = Option(in_rows=False)
    max_ngram_order = Option(whole_number, low=1, high=32)
    effective_order = Option(yes_or_no, in_rows=False)

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
        normalize: str | Sequence[str] = "",
    ) -> None:
        self.smooth_method = smooth_method
        self.smooth_value = smooth_value
        self._smooth_by = _smoothing(smooth_method, smooth_value)
        has_value = SMOOTHING[smooth_method] is not None
        self._smooth_text = f"{smooth_method}[{self._smooth_by:.2f}]" if has_value else smooth_method
        self.max_ngram_order = max_ngram_order
        self.effective_order = effective_order
        self._minds_tokenized = not yes_or_no("BLEU", "force", force)
        super().__init__(lowercase, tokenize, trg_lang, references, empty_refs, normalize)

    def sentence_score(
        self, hypothesis: str, references: Sequence[str | None], *, sources: str | None = None
    ) -> BLEUScore:  # fmt: skip
        """Score one segment; use `effective_order=True` for this.

        Parameters
        ----------
        hypothesis
            The output of the system.
        references
            The references of this segment.
        sources
            Left aside.
        """
        if not self.effective_order:
            warn("sentence_score without effective_order=True: a segment of fewer than four tokens scores 0")
        return super().sentence_score(hypothesis, references, sources=sources)

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
        """Compute BLEU from counts. Under add-k smoothing, the score has the counts with k added, as in sacreBLEU.

        Parameters
        ----------
        correct
            For each order, the n-grams that match.
        total
            For each order, all n-grams of the system.
        sys_len
            The number of tokens of the system.
        ref_len
            The number of tokens of the references.
        smooth_method, smooth_value, effective_order
            As in the constructor.
        max_ngram_order
            How many orders are used.

        Examples
        --------
        >>> BLEU.compute_bleu([5, 2, 1, 0], [6, 5, 4, 3], 6, 7, smooth_method="floor")
        BLEU = 19.43 83.3/40.0/25.0/3.3 (BP = 0.846 ratio = 0.857 hyp_len = 6 ref_len = 7)
        """
        smooth_by = _smoothing(smooth_method, smooth_value)
        max_ngram_order = whole_number("compute_bleu", "max_ngram_order", max_ngram_order, 1, sys.maxsize)
        order = max_ngram_order + (smooth_method in _LOOK_AHEAD)
        matched, ngrams = (
            check_numbers("compute_bleu", *each, low=0) for each in (("correct", correct), ("total", total))
        )
        if len(matched) < order or len(ngrams) < order:
            ahead = f" ({smooth_method} looks one order ahead)" if order > max_ngram_order else ""
            raise TooFew(
                f"compute_bleu: max_ngram_order is {max_ngram_order}, and {order} orders{ahead} need as many counts; "
                f"correct has {len(matched)} and total has {len(ngrams)}"
            )
        if any(part > whole for part, whole in zip(matched[:order], ngrams[:order], strict=True)):
            warn("compute_bleu: correct has more n-grams than total, so the score would be meaningless")
        lengths = [number_from_zero("compute_bleu", *each) for each in (("sys_len", sys_len), ("ref_len", ref_len))]
        engine = _core.bleu_engine(
            tokenizer="none",
            order=max_ngram_order,
            lowercase=False,
            smooth_method=smooth_method,
            smooth_value=smooth_by,
            effective_order=yes_or_no("compute_bleu", "effective_order", effective_order),
            compensated_sum=COMPENSATED_SUM,
            ref_len="closest",
        )
        score, (bp, *precisions) = engine.parts([*lengths, *matched[:order], *ngrams[:order]])
        correct, total = (
            [*given] if isinstance(given, list) else read for given, read in ((correct, matched), (total, ngrams))
        )
        if smooth_method == "add-k" and any(correct[:order]):
            _add_k(correct, total, order, smooth_value)
        if order > max_ngram_order:
            correct, total = correct[:max_ngram_order], total[:max_ngram_order]
        return BLEUScore(score, correct, total, precisions, bp, int(sys_len), int(ref_len))

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of a row's cells."""
        orders = range(1, self.max_ngram_order + (self.smooth_method in _LOOK_AHEAD) + 1)
        return ("sys_len", "ref_len", *(f"correct_{n}" for n in orders), *(f"total_{n}" for n in orders))

    @property
    def predictors(self) -> Mapping[str, str]:
        """For each column, the earlier one that it is nearest to."""
        orders = range(2, len(self.columns) // 2)
        near = {"ref_len": "sys_len", "correct_1": "ref_len", "total_1": "sys_len"}
        near |= {f"correct_{n}": f"correct_{n - 1}" for n in orders}
        return near | {f"total_{n}": "sys_len" for n in orders}

    @property
    def reference_columns(self) -> tuple[str, ...]:
        """The length of the reference that is nearest in length."""
        return ("ref_len",)

    @property
    def script_formula(self) -> tuple[str, Mapping[str, Any]]:
        """The formula of BLEU, with the order and the smoothing."""
        return "bleu", {
            "order": self.max_ngram_order,
            "smoothing": self.smooth_method,
            "value": self._smooth_by,
            "effective_order": self.effective_order,
            "compensated_sum": COMPENSATED_SUM,
        }

    @classmethod
    def _stated(cls, name: str, settings: Mapping[str, str]) -> dict[str, str]:
        """Name the longest n-grams, and the flag by which case is ignored."""
        usual = super()._stated(f"{name}-{settings.get('order', MAX_NGRAM_ORDER)}", settings)
        return {**usual, "Case": "-lc (case ignored)"} if settings["case"] == "lc" else usual

    def _row_rules(self, cells: Cells, single: bool, summed: bool) -> Rules:
        from truebleu.metrics.row_rules import not_falling, not_of_length, not_whole

        yield from super()._row_rules(cells, single, summed)
        yield from not_whole(cells, self.columns)
        orders = range(1, len(self.columns) // 2)
        yield from not_of_length(cells, [f"total_{n}" for n in orders], "sys_len", summed)
        if single:  # eight references can give more pairs of words than words
            matches = [f"correct_{n}" for n in orders]
            yield from not_falling(cells, ["ref_len", *matches])

    def _row_options(self) -> dict[str, object]:
        return {**super()._row_options(), "max_ngram_order": len(self.columns) // 2 - 1}

    def _make_engine(self) -> Engine:
        return _core.bleu_engine(
            **self._engine_text(),
            order=self.max_ngram_order,
            smooth_method=self.smooth_method,
            smooth_value=self._smooth_by,
            effective_order=self.effective_order,
            compensated_sum=COMPENSATED_SUM,
            ref_len="closest",
        )

    def _score_from(self, totals: list[float], signature: Signature) -> BLEUScore:
        sys_len, ref_len, *counts = map(int, totals)
        shown, half = self.max_ngram_order, len(counts) // 2
        correct: list[float] = [*counts[:shown]]
        total: list[float] = [*counts[half : half + shown]]
        score, parts = self.engine.parts(totals)
        if self.smooth_method == "add-k" and any(correct):
            _add_k(correct, total, shown, self.smooth_value)
        # Not by its constructor, which writes texts: nobody may ask for them.
        found = BLEUScore.__new__(BLEUScore)
        found.name, found.score, found.confidence, found._signature = self._called, score, None, signature
        found.counts, found.totals, found.sys_len, found.ref_len = correct, total, sys_len, ref_len
        found.bp, *found.precisions = parts
        found.ratio = sys_len / ref_len if ref_len else 0
        return found


def _add_k(correct: list[float], total: list[float], orders: int, smooth_value: float | None) -> None:
    """Change counts as sacreBLEU does under add-k smoothing: from the second order to the first without n-grams."""
    k = cast(float, SMOOTHING["add-k"]) if smooth_value is None else smooth_value
    for n in range(1, orders):
        correct[n] += k
        total[n] += k
        if total[n] == 0:
            break


def _smoothing(method: str, value: float | None) -> float:
    """The value of the smoothing method; 0 for methods that take no value."""
    default = SMOOTHING[choice("BLEU", "smooth_method", method, SMOOTHING, UnknownSmoothing)]
    number = 0.0 if value is None else number_from_zero("BLEU", "smooth_value", value)
    if default is None:
        return 0.0
    if value is None:
        return float(default)
    if number == 0 and method in ("method4", "method7"):
        raise OptionError(f"BLEU: smooth_value is {value!r}, and {method} divides by it: expected a number above 0")
    return number
