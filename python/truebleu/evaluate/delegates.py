"""evaluate's `sacrebleu`, `chrf` and `ter`: sacreBLEU's numbers, with references grouped by prediction."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from truebleu._counts import number_of
from truebleu._inputs import Reference, as_streams
from truebleu.errors import LengthMismatch
from truebleu.evaluate.module import EvaluationModule, MetricInfo
from truebleu.metrics import BLEU, CHRF, TER, Metric
from truebleu.metrics.citations import entries
from truebleu.tokenizers.base import BaseTokenizer

# What each of them returns of a score.
PARTS = {
    "sacrebleu": ("score", "counts", "totals", "precisions", "bp", "sys_len", "ref_len"),
    "chrf": ("score", "char_order", "word_order", "beta"),
    "ter": ("score", "num_edits", "ref_length"),
}


class Sacrebleu(EvaluationModule):
    """BLEU with sacreBLEU's numbers, from 0 to 100. `compute` takes these options:

    - `smooth_method`, `smooth_value`, `force`, `lowercase`, `tokenize`: as in `truebleu.BLEU`.
    - `use_effective_order`: whether orders that a text is too short for are left out of the mean.
    - `strict_refs`: whether references that vary in number are refused.

    Examples
    --------
    >>> result = Sacrebleu().compute(predictions=["it was a grey bird"], references=["it was a grey heron"])
    >>> round(result["score"], 2), result["counts"]
    (66.87, [4, 3, 2, 1])
    """

    name = "sacrebleu"
    info = MetricInfo(
        description="BLEU (Papineni et al., 2002) as sacreBLEU computes it, from 0 to 100.",
        citation=entries()["post-2018-call"],
        reference_urls=("https://aclanthology.org/W18-6319",),
    )

    def _score(
        self,
        predictions: list[str],
        references: list[Reference],
        *,
        smooth_method: str = "exp",
        smooth_value: float | None = None,
        force: bool = False,
        lowercase: bool = False,
        tokenize: str | BaseTokenizer | Callable[[str], object] | None = None,
        use_effective_order: bool = False,
        strict_refs: bool = True,
    ) -> dict[str, Any]:
        # As in evaluate, no name is the default.
        options = lowercase, force, None if tokenize == "" else tokenize, smooth_method, smooth_value
        metric = BLEU(*options, effective_order=use_effective_order, empty_refs="keep")
        return _result("sacrebleu", metric, predictions, references, strict_refs)


class ChrF(EvaluationModule):
    """chrF and chrF++ with sacreBLEU's numbers, from 0 to 100. `compute` takes these options:

    - `char_order`, `word_order`, `beta`, `lowercase`, `whitespace`, `eps_smoothing`: as in `truebleu.CHRF`.
    - `strict_refs`: whether references that vary in number are refused.

    Examples
    --------
    >>> ChrF().compute(predictions=["a heron"], references=["a heron"])
    {'score': 100.0, 'char_order': 6, 'word_order': 0, 'beta': 2}
    """

    name = "chr_f"
    info = MetricInfo(
        description="chrF and chrF++ (Popović, 2015 and 2017) as sacreBLEU computes them, from 0 to 100.",
        citation=entries()["popovic-2015-chrf"],
        reference_urls=("https://aclanthology.org/W15-3049",),
    )

    def _score(
        self,
        predictions: list[str],
        references: list[Reference],
        *,
        char_order: int = CHRF.CHAR_ORDER,
        word_order: int = CHRF.WORD_ORDER,
        beta: float = CHRF.BETA,
        lowercase: bool = False,
        whitespace: bool = False,
        eps_smoothing: bool = False,
        strict_refs: bool = True,
    ) -> dict[str, Any]:
        metric = CHRF(char_order, word_order, beta, lowercase, whitespace, eps_smoothing, empty_refs="keep")
        return _result("chrf", metric, predictions, references, strict_refs)


class Ter(EvaluationModule):
    """TER with sacreBLEU's numbers: edits for every hundred reference words. `compute` takes these options:

    - `normalized`, `case_sensitive`: as in `truebleu.TER`.
    - `ignore_punct`: `no_punct` there.
    - `support_zh_ja_chars`: `asian_support` there.
    - `strict_refs`: whether references that vary in number are refused.

    Examples
    --------
    >>> Ter().compute(predictions=["by the pond stood a heron"], references=["a heron stood by the pond"])
    {'score': 33.33333333333333, 'num_edits': 2, 'ref_length': 6.0}
    """

    name = "ter"
    info = MetricInfo(
        description="TER (Snover et al., 2006) as sacreBLEU computes it. Lower is better.",
        citation=entries()["snover-etal-2006-study"],
        reference_urls=("https://aclanthology.org/2006.amta-papers.25",),
    )

    def _score(
        self,
        predictions: list[str],
        references: list[Reference],
        *,
        normalized: bool = False,
        ignore_punct: bool = False,
        support_zh_ja_chars: bool = False,
        case_sensitive: bool = False,
        strict_refs: bool = True,
    ) -> dict[str, Any]:
        metric = TER(normalized, ignore_punct, support_zh_ja_chars, case_sensitive, empty_refs="keep")
        return _result("ter", metric, predictions, references, strict_refs)


def _result(
    name: str,
    metric: Metric[Any],
    predictions: list[str],
    references: list[Reference],
    strict_refs: bool,
) -> dict[str, Any]:
    """Parts of the score. evaluate refuses references that vary in number, because sacreBLEU once did."""
    expected = len(references[0])
    for segment, texts in enumerate(references):
        if strict_refs and len(texts) != expected:
            raise LengthMismatch(
                f"{name}: prediction {segment} has {number_of(len(texts), 'reference')}, prediction 0 has "
                f"{expected}. Expected the "
                "same number for each; strict_refs=False scores them as they are. Predictions are counted from 0"
            )
    score = metric.corpus_score(predictions, as_streams(name, references), layout="streams")
    return {part: getattr(score, part) for part in PARTS[name]}
