"""The real evaluate, with a cache of its own and without network; and its `bleu` in slow and obvious Python.

The script of that metric is on a hub that tests do not visit, so it is written here from its description.
"""

import atexit
import importlib
import math
import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable
from functools import cache
from typing import Any

from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

_tokenize = Tokenizer13a()


@cache
def real() -> Any:
    """The package; it reads its settings when it is first imported."""
    folder = tempfile.mkdtemp(prefix="truebleu-evaluate-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    os.environ |= {"HF_HOME": folder, "HF_HUB_OFFLINE": "1", "HF_EVALUATE_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1"}
    return importlib.import_module("evaluate")


def split_13a(text: str) -> list[str]:
    """As evaluate splits: by sacreBLEU's 13a, without removing white space at the end before."""
    return _tokenize(text).split()


def slow_bleu(
    predictions: list[str],
    references: list[list[str]],
    max_order: int = 4,
    smooth: bool = False,
    tokenizer: Callable[[str], Any] = split_13a,
) -> dict[str, Any]:
    """evaluate's `bleu`: the shortest reference, one added to all orders when smoothed."""
    matches, totals, length, reference_length = [0] * max_order, [0] * max_order, 0, 0
    for prediction, texts in zip(predictions, references, strict=True):
        tokens, others = tokenizer(prediction), [tokenizer(text) for text in texts]
        length += len(tokens)
        reference_length += min(map(len, others))
        for order in range(1, max_order + 1):
            best: Counter[tuple[str, ...]] = Counter()
            for other in others:
                best |= ngrams(other, order)
            matches[order - 1] += (ngrams(tokens, order) & best).total()
            totals[order - 1] += max(0, len(tokens) - order + 1)
    precisions = []
    for matched, total in zip(matches, totals, strict=True):
        if smooth:
            precisions.append((matched + 1.0) / (total + 1.0))
        else:
            precisions.append(matched / total if total > 0 else 0.0)
    mean = math.exp(sum((1.0 / max_order) * math.log(p) for p in precisions)) if min(precisions) > 0 else 0
    ratio = length / reference_length
    penalty = 1.0 if ratio > 1.0 else math.exp(1 - 1.0 / ratio)
    return {
        "bleu": mean * penalty,
        "precisions": precisions,
        "brevity_penalty": penalty,
        "length_ratio": ratio,
        "translation_length": length,
        "reference_length": reference_length,
    }


def ngrams(tokens: Any, order: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(tokens[at : at + order]) for at in range(len(tokens) - order + 1))
