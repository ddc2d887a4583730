"""BLEU with sacreBLEU's names, private ones included.

>>> BLEU().corpus_score(["A heron stood by the pond."], [["A grey heron stood by the pond."]])
BLEU = 72.90 100.0/83.3/80.0/75.0 (BP = 0.867 ratio = 0.875 hyp_len = 7 ref_len = 8)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import KeysView, Mapping, Sequence
from typing import Any, ClassVar

import truebleu.metrics.bleu
from truebleu._logs import warn
from truebleu.metrics.bleu import MAX_NGRAM_ORDER
from truebleu.sacrebleu._version_one import also_named
from truebleu.sacrebleu.metrics.base import _OURS, Metric, Score, Signature, _hook, sacrelogger
from truebleu.sacrebleu.metrics.helpers import extract_all_word_ngrams
from truebleu.sacrebleu.utils import my_log, sum_of_lists
from truebleu.tokenizers.registry import TOKENIZERS, get_tokenizer_class

__all__ = [
    "BLEU", "MAX_NGRAM_ORDER", "BLEUScore", "BLEUSignature", "Metric", "Score", "Signature", "extract_all_word_ngrams",
    "my_log", "sacrelogger", "sum_of_lists",
]  # fmt: skip

_OURS.update((extract_all_word_ngrams, sum_of_lists))

_TOKENIZERS = dict(TOKENIZERS)


def _get_tokenizer(name: str) -> Any:
    return get_tokenizer_class(name)


class BLEUSignature(Signature):
    """The settings behind a BLEU score."""

    _fields = truebleu.metrics.bleu.BLEU.fields

    def __init__(self, args: dict[str, Any]) -> None:
        smooth, usual = args["smooth_method"], BLEU.SMOOTH_DEFAULTS.get(args["smooth_method"])
        if usual is not None:
            smooth += f"[{usual if args['smooth_value'] is None else args['smooth_value']:.2f}]"
        super().__init__({**args, "_smooth_text": smooth})


class BLEUScore(Score):
    """A BLEU score and what it is made of."""

    def __init__(
        self,
        score: float,
        counts: list[Any],
        totals: list[Any],
        precisions: list[float],
        bp: float,
        sys_len: int,
        ref_len: int,
    ) -> None:
        super().__init__("BLEU", score)
        made = truebleu.metrics.bleu.BLEUScore(score, counts, totals, precisions, bp, sys_len, ref_len)
        self._verbose = made.verbose
        self.bp, self.counts, self.totals = bp, counts, totals
        self.sys_len, self.ref_len, self.precisions = sys_len, ref_len, precisions
        self.prec_str, self.ratio = made.prec_str, made.ratio


class BLEU(Metric):
    """BLEU with sacreBLEU's options, names and defaults.

    Parameters
    ----------
    lowercase, force, tokenize, smooth_method, smooth_value, max_ngram_order, effective_order, trg_lang, references
        As in `truebleu.BLEU`.
    """

    SMOOTH_DEFAULTS: ClassVar[Mapping[str, float | None]] = dict(truebleu.metrics.bleu.BLEU.SMOOTH_DEFAULTS)
    TOKENIZERS: ClassVar[KeysView[str]] = _TOKENIZERS.keys()
    TOKENIZER_DEFAULT: ClassVar[str] = "13a"
    NGRAM_ORDER: ClassVar[int] = MAX_NGRAM_ORDER  # sacreBLEU 1
    _TOKENIZER_MAP: ClassVar[Mapping[str, str]] = {"zh": "zh", "ja": "ja-mecab", "ko": "ko-mecab"}
    _SIGNATURE_TYPE = BLEUSignature
    _IN_ROWS = frozenset(("lowercase", "tokenize", "max_ngram_order"))

    def __init__(
        self,
        lowercase: bool = False,
        force: bool = False,
        tokenize: str | None = None,
        smooth_method: str = "exp",
        smooth_value: float | None = None,
        max_ngram_order: int = MAX_NGRAM_ORDER,
        effective_order: bool = False,
        trg_lang: str = "",
        references: Sequence[Sequence[str | None]] | None = None,
    ) -> None:
        super().__init__()
        self._force = force
        self.trg_lang = trg_lang
        self.lowercase = lowercase
        self.smooth_value = smooth_value
        self.smooth_method = smooth_method
        self.max_ngram_order = max_ngram_order
        self.effective_order = effective_order
        usual = self._TOKENIZER_MAP.get(trg_lang)
        if tokenize is not None and usual not in (None, tokenize):
            warn("the target language is %r and the tokenizer %r, not %r", trg_lang, tokenize, usual)
        chosen: Any = (usual or self.TOKENIZER_DEFAULT) if tokenize is None else tokenize
        # Asked of the module, so that a program that replaced the function is heard.
        self.tokenizer: Any = _get_tokenizer(chosen)() if isinstance(chosen, str) else chosen
        sign = getattr(self.tokenizer, "signature", None)
        self.tokenizer_signature = sign() if callable(sign) else self._make(**self._options()).tokenizer_signature
        self._keep(references)

    @staticmethod
    @_hook
    @also_named(use_effective_order="effective_order")
    def compute_bleu(
        correct: list[Any],
        total: list[Any],
        sys_len: int,
        ref_len: int,
        smooth_method: str = "none",
        smooth_value: float | None = None,
        effective_order: bool = False,
        max_ngram_order: int = MAX_NGRAM_ORDER,
    ) -> BLEUScore:
        """Compute BLEU from counts. As in sacreBLEU, add-k smoothing changes the two lists that were passed.

        Parameters
        ----------
        correct, total, sys_len, ref_len, smooth_method, smooth_value, effective_order, max_ngram_order
            As in `truebleu.BLEU.compute_bleu`.
        """
        score = truebleu.metrics.bleu.BLEU.compute_bleu(
            correct, total, sys_len, ref_len, smooth_method, smooth_value, effective_order, max_ngram_order
        )
        if smooth_method == "add-k" and isinstance(correct, list) and isinstance(total, list):
            correct[:], total[:] = score.counts, score.totals
        return _as_of_face(score)

    def _options(self) -> dict[str, Any]:
        names = "lowercase", "smooth_method", "smooth_value", "max_ngram_order", "effective_order"
        return {"force": self._force, "tokenize": self.tokenizer, **{name: getattr(self, name) for name in names}}

    def _make(self, **options: Any) -> Any:
        return truebleu.metrics.bleu.BLEU(**options)

    def _helpers(self) -> tuple[Any, ...]:
        return extract_all_word_ngrams, sum_of_lists

    def _of_truebleu(self, score: Any) -> BLEUScore:
        return _as_of_face(score)

    @_hook
    def _preprocess_segment(self, sent: str) -> str:
        text = self.tokenizer((sent.lower() if self.lowercase else sent).rstrip())
        return text if isinstance(text, str) else " ".join(text)

    @_hook
    def _extract_reference_info(self, refs: Sequence[str]) -> dict[str, Any]:
        ngrams: Counter[tuple[str, ...]] = Counter()
        lengths = []
        for text in refs:
            counts, length = extract_all_word_ngrams(text, 1, self.max_ngram_order)
            ngrams |= counts  # of each n-gram, as many as the reference that has most
            lengths.append(length)
        return {"ref_ngrams": ngrams, "ref_lens": lengths}

    @_hook
    def _get_closest_ref_len(self, hyp_len: int, ref_lens: list[int]) -> int:
        return min(ref_lens, key=lambda length: (abs(length - hyp_len), length))

    @_hook
    def _compute_segment_statistics(self, hypothesis: str, ref_kwargs: dict[str, Any]) -> list[int]:
        ngrams, length = extract_all_word_ngrams(hypothesis, 1, self.max_ngram_order)
        correct, total = [0] * self.max_ngram_order, [0] * self.max_ngram_order
        for ngram, count in ngrams.items():
            total[len(ngram) - 1] += count
            correct[len(ngram) - 1] += min(count, ref_kwargs["ref_ngrams"].get(ngram, 0))
        return [length, self._get_closest_ref_len(length, ref_kwargs["ref_lens"]), *correct, *total]

    @_hook
    def _compute_score_from_stats(self, stats: Sequence[Any]) -> BLEUScore:
        orders = self.max_ngram_order
        return self.compute_bleu(
            correct=list(stats[2 : 2 + orders]),
            total=list(stats[2 + orders :]),
            sys_len=int(stats[0]),
            ref_len=int(stats[1]),
            smooth_method=self.smooth_method,
            smooth_value=self.smooth_value,
            effective_order=self.effective_order,
            max_ngram_order=orders,
        )

    @_hook
    def _aggregate_and_compute(self, stats: Sequence[Sequence[int]]) -> BLEUScore:
        return self._compute_score_from_stats(sum_of_lists(stats))


def _as_of_face(score: Any) -> BLEUScore:
    return BLEUScore(score.score, score.counts, score.totals, score.precisions, score.bp, score.sys_len, score.ref_len)
