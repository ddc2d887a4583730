"""TER with sacreBLEU's names, private ones included. Lower is better.

>>> TER().corpus_score(["by the pond stood a heron"], [["a heron stood by the pond"]])
TER = 33.33
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import truebleu.metrics.ter
from truebleu.sacrebleu.metrics.base import _OURS, Metric, Score, Signature, _hook
from truebleu.sacrebleu.metrics.lib_ter import translation_edit_rate
from truebleu.sacrebleu.tokenizers import tokenizer_ter
from truebleu.sacrebleu.tokenizers.tokenizer_ter import TercomTokenizer
from truebleu.sacrebleu.utils import sum_of_lists

__all__ = [
    "TER", "Metric", "Score", "Signature", "TERScore", "TERSignature", "TercomTokenizer", "sum_of_lists",
    "translation_edit_rate",
]  # fmt: skip

_OURS.update((translation_edit_rate, sum_of_lists))


class TERSignature(Signature):
    """The settings behind a TER score."""

    _fields = truebleu.metrics.ter.TER.fields
    _yes_and_no = (True, False)


class TERScore(Score):
    """A TER score: edits for every hundred reference words. It may exceed 100."""

    def __init__(self, score: float, num_edits: float, ref_length: float) -> None:
        super().__init__("TER", score)
        self.num_edits, self.ref_length = int(num_edits), ref_length


class TER(Metric):
    """TER with sacreBLEU's options, names and defaults. Lower is better.

    Parameters
    ----------
    normalized, no_punct, asian_support, case_sensitive, references
        As in `truebleu.TER`.
    """

    _SIGNATURE_TYPE = TERSignature
    _IN_ROWS = frozenset(("normalized", "no_punct", "asian_support", "case_sensitive"))

    def __init__(
        self,
        normalized: bool = False,
        no_punct: bool = False,
        asian_support: bool = False,
        case_sensitive: bool = False,
        references: Sequence[Sequence[str | None]] | None = None,
    ) -> None:
        super().__init__()
        self.no_punct = no_punct
        self.normalized = normalized
        self.asian_support = asian_support
        self.case_sensitive = case_sensitive
        self.tokenizer: Any = TercomTokenizer(normalized, no_punct, asian_support, case_sensitive)
        self.tokenizer_signature = self.tokenizer.signature()
        self._keep(references)

    def _options(self) -> dict[str, Any]:
        # The tokenizer's own: as in sacreBLEU, attributes changed later show in the signature alone.
        return {name: getattr(self.tokenizer, f"_{name}") for name in sorted(self._IN_ROWS)}

    def _make(self, **options: Any) -> Any:
        return truebleu.metrics.ter.TER(**options)

    def _is_plain(self, references: Any) -> bool:
        # The class in its own module: a program may have put another one into this module.
        return type(self.tokenizer) is tokenizer_ter.TercomTokenizer and super()._is_plain(references)

    def _helpers(self) -> tuple[Any, ...]:
        return translation_edit_rate, sum_of_lists

    def _of_truebleu(self, score: Any) -> TERScore:
        return TERScore(score.score, score.num_edits, score.ref_length)

    def _row(self, row: list[float]) -> list[Any]:
        return [int(row[0]), row[1]]

    @_hook
    def _preprocess_segment(self, sent: str) -> str:
        return str(self.tokenizer(sent.rstrip()))

    @_hook
    def _extract_reference_info(self, refs: Sequence[str]) -> dict[str, Any]:
        # References come here prepared and are prepared once more, as in sacreBLEU.
        return {"ref_words": [self._preprocess_segment(text).split() for text in refs]}

    @_hook
    def _compute_segment_statistics(self, hypothesis: str, ref_kwargs: dict[str, Any]) -> list[float]:
        words, references = hypothesis.split(), ref_kwargs["ref_words"]
        edits = min(translation_edit_rate(words, reference)[0] for reference in references)
        return [edits, sum(map(len, references)) / len(references)]

    @_hook
    def _compute_score_from_stats(self, stats: Sequence[Any]) -> TERScore:
        edits, length = stats[0], stats[1]
        score = truebleu.metrics.ter.TER().score_totals([float(edits), float(length)], (1, 1)).score
        return TERScore(score, edits, length)

    @_hook
    def _aggregate_and_compute(self, stats: Sequence[Sequence[float]]) -> TERScore:
        return self._compute_score_from_stats(sum_of_lists(stats))
