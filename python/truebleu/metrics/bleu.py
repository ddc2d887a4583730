"""BLEU (Papineni et al., 2002), equal to sacreBLEU 2.6.0.

>>> bleu = BLEU()
>>> print(bleu.corpus_score(["A heron stood by the pond."], [["A grey heron stood by the pond."]]))
BLEU = 72.90 100.0/83.3/80.0/75.0 (BP = 0.867 ratio = 0.875 hyp_len = 7 ref_len = 8)
"""

from __future__ import annotations

import sys
from collections.abc import Callable, KeysView, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

from truebleu import _core
from truebleu.errors import OptionError, UnknownSmoothing
from truebleu.logs import warn
from truebleu.metrics.base import Frozen, Metric, Score, whole_number, yes_or_no
from truebleu.metrics.corpus import Corpus, References, Stream, Texts
from truebleu.signature import Signature, SignatureValue
from truebleu.tokenizers.registry import TOKENIZERS, default_for, get_tokenizer_class, resolve

if TYPE_CHECKING:
    from truebleu.metrics.base import Engine
    from truebleu.tokenizers import BaseTokenizer

MAX_NGRAM_ORDER = 4

# sacreBLEU's names for two things that live elsewhere.
_TOKENIZERS = TOKENIZERS
_get_tokenizer = get_tokenizer_class
BLEUSignature = Signature

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


class BLEU(Metric[BLEUScore]):
    """BLEU with its options, as sacreBLEU has them; `tokenize` may also be a tokenizer or a function.

    `empty_refs` says what an empty reference beside a filled one is: "drop" (as sacreBLEU's documentation
    has it), no reference; "keep" (as sacreBLEU computes it), a reference of length zero.
    """

    _name = "BLEU"
    _can_aggregate = True

    SMOOTH_DEFAULTS: ClassVar[Mapping[str, float | None]] = MappingProxyType(
        {"none": None, "floor": 0.1, "add-k": 1, "exp": None}
    )
    TOKENIZER_DEFAULT: ClassVar[str] = default_for("")
    TOKENIZERS: ClassVar[KeysView[str]] = TOKENIZERS.keys()

    lowercase = Frozen[bool]()
    smooth_method = Frozen[str]()
    smooth_value = Frozen[float | None]()
    max_ngram_order = Frozen[int]()
    effective_order = Frozen[bool]()
    trg_lang = Frozen[str]()
    tokenizer = Frozen["BaseTokenizer"]()

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
        self.lowercase = yes_or_no("BLEU", "lowercase", lowercase)
        self.smooth_method = smooth_method
        self.smooth_value = smooth_value
        _smoothing(smooth_method, smooth_value)
        self.max_ngram_order = whole_number("BLEU", "max_ngram_order", max_ngram_order, 1, _HIGHEST_ORDER)
        self.effective_order = yes_or_no("BLEU", "effective_order", effective_order)
        self.trg_lang = trg_lang
        self.tokenizer = resolve(tokenize, trg_lang)
        self._force = yes_or_no("BLEU", "force", force)
        if tokenize is not None and default_for(trg_lang) not in (self.TOKENIZER_DEFAULT, tokenize):
            warn(
                "the target language is %r and the tokenizer %r, not %r",
                trg_lang,
                tokenize,
                default_for(trg_lang),
            )
        super().__init__(references, empty_refs)

    @property
    def tokenizer_signature(self) -> str:
        """The value of `tok:` in the signature."""
        return self.tokenizer.signature()

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
        order = max_ngram_order
        if len(correct) < order or len(total) < order:
            raise IndexError(f"compute_bleu: {order} orders need as many counts, got {len(correct)} and {len(total)}")
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
        return BLEUScore(score, correct, total, precisions, bp, int(sys_len), int(ref_len))

    @property
    def _columns(self) -> tuple[str, ...]:
        orders = range(1, self.max_ngram_order + 1)
        return ("sys_len", "ref_len", *(f"correct_{n}" for n in orders), *(f"total_{n}" for n in orders))

    def _make_engine(self) -> Engine:
        native = self.tokenizer.native
        return _core.BleuEngine(
            tokenizer=native or "none",
            order=self.max_ngram_order,
            lowercase=self.lowercase and native is not None,
            smooth_method=self.smooth_method,
            smooth_value=_smoothing(self.smooth_method, self.smooth_value),
            effective_order=self.effective_order,
            compensated_sum=_COMPENSATED_SUM,
        )

    def _score_from(self, totals: list[float], signature: Signature) -> BLEUScore:
        counts = [int(total) for total in totals]
        order = self.max_ngram_order
        score = self.compute_bleu(
            list(counts[2 : 2 + order]),
            list(counts[2 + order :]),
            counts[0],
            counts[1],
            self.smooth_method,
            self.smooth_value,
            self.effective_order,
            order,
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
            "max_ngram_order": self.max_ngram_order,
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
        if self.SMOOTH_DEFAULTS[self.smooth_method] is None:
            return self.smooth_method
        return f"{self.smooth_method}[{_smoothing(self.smooth_method, self.smooth_value):.2f}]"

    def _warn(self, corpus: Corpus) -> None:
        if corpus.detached_stops >= _SUSPICIOUS_STOPS and not self._force:
            warn(
                "%d hypotheses end in a full stop with a space before it, so they seem to be tokenized already. "
                "Scores of tokenized text are not comparable: detokenize, or pass force=True to silence this",
                corpus.detached_stops,
            )

    # Tokenizers outside the engine: text is lower-cased, stripped and tokenized here, then split there.

    @property
    def _keep_counted_empty(self) -> bool:
        # Which references are empty was decided on the text; a tokenizer may leave nothing of a real one.
        return self._keep_empty or self.tokenizer.native is None

    def _prepare_references(self, references: References) -> References:
        if self.tokenizer.native is not None:
            return references
        return references._replace(streams=self._tokenized_streams(references.streams))

    def _prepared(self, corpus: Corpus) -> Corpus:
        if self.tokenizer.native is not None:
            return corpus
        hypotheses = self._tokenized(corpus.hypotheses)
        return corpus._replace(hypotheses=hypotheses, streams=self._tokenized_streams(corpus.streams))

    def _prepared_with_cache(self, corpus: Corpus) -> Corpus:
        if self.tokenizer.native is not None:
            return corpus
        return corpus._replace(hypotheses=self._tokenized(corpus.hypotheses))

    def _prepared_texts(self, texts: Texts) -> Texts:
        return texts if self.tokenizer.native is not None else self._tokenized(texts)

    def _tokenized_streams(self, streams: list[Stream]) -> list[Stream]:
        if not self._keep_empty:
            streams = _without_empty(streams)
        return [self._tokenized_stream(stream) for stream in streams]

    def _tokenized_stream(self, stream: Stream) -> Stream:
        tokenized = iter(self._tokenized(tuple(text for text in stream if text is not None)))
        return tuple(None if text is None else next(tokenized) for text in stream)

    def _tokenized(self, texts: Texts) -> tuple[str, ...]:
        lines = (text.lower().rstrip() if self.lowercase else text.rstrip() for text in texts)
        return tuple(self.tokenizer.apply(lines))


def _without_empty(streams: list[Stream]) -> list[Stream]:
    """Empty references become None where the segment has a filled one."""
    segments = (
        tuple(text or None for text in references) if any(references) else references
        for references in zip(*streams, strict=True)
    )
    return list(zip(*segments, strict=True))


def _smoothing(method: str, value: float | None) -> float:
    """The value that the method smooths with; 0 for methods that take none."""
    if method not in BLEU.SMOOTH_DEFAULTS:
        known = ", ".join(map(repr, BLEU.SMOOTH_DEFAULTS))
        raise UnknownSmoothing(f"BLEU: smooth_method is {method!r}, expected one of {known}")
    default = BLEU.SMOOTH_DEFAULTS[method]
    if default is None:
        return 0.0
    number = float(default if value is None else value)
    if not 0 <= number < float("inf"):
        raise OptionError(f"BLEU: smooth_value is {value!r}, expected a number from 0")
    return number
