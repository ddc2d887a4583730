"""Names of metrics, ours and those of others: which of them does a name promise?"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from truebleu.metrics.registry import METRICS

if TYPE_CHECKING:
    from truebleu.metrics.base import Metric

# Families that are not ours; the names of their models contain these letters.
OF_OTHERS = (
    "BARTScore", "BERTScore", "BLEURT", "COMET", "GEMBA", "InstructScore", "MaTESe", "METEOR", "MetricX", "MoverScore",
    "MQM", "YiSi",
)  # fmt: skip


def other_metric(name: str, metric: Metric[Any]) -> str | None:
    """The metric that a name promises although another one counted; None if the name is sound, or only a label.

    >>> from truebleu.metrics import CHRF
    >>> [other_metric(name, CHRF(word_order=2)) for name in ("chrF++", "lowercase", "spBLEU", "wmt22-comet-da")]
    [None, None, 'BLEU', 'COMET']
    """
    own = {_letters(one) for one in (metric.name, metric.label, type(metric).__name__)}
    own |= {_letters(key) for key in METRICS if isinstance(metric, METRICS[key])}  # ROUGE-1 is a ROUGE
    known = {_letters(other): other for other in (*METRICS, *OF_OTHERS)} | dict.fromkeys(own, "")
    first, rest = _letters(re.split(r"[\W_]", name.strip())[0]), _letters(name)
    for letters in sorted(known, key=len, reverse=True):
        # A short name is a part of many words, so that only the beginning counts.
        if (letters in rest) if len(letters) > 3 else (letters == first):
            if letters not in own:
                return known[letters]
            rest = rest.replace(letters, " ")
    return None


def _letters(name: str) -> str:
    return re.sub(r"[\W_]", "", name).casefold()
