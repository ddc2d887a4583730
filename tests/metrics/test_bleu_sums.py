"""The last bit of BLEU: logarithms are added as the interpreter adds them."""

import json
import math
import sys
from pathlib import Path
from typing import Any

import pytest
import sacrebleu

from truebleu import _core
from truebleu.metrics import BLEU

pytestmark = pytest.mark.interpreter

SCORES = Path(__file__).parents[1] / "golden" / "scores.jsonl"
VECTORS = [json.loads(line) for line in SCORES.read_text("utf-8").splitlines()]
BLEU_VECTORS = [vector for vector in VECTORS if vector["metric"] == "BLEU"]


def evaluate(vector: dict[str, Any], compensated_sum: bool) -> float:
    metric = BLEU(**{**vector["options"], "empty_refs": "keep"})
    sums = metric.stats(vector["hypotheses"], vector["references"]).sum()
    value = metric.smooth_value if metric.smooth_value is not None else BLEU.SMOOTH_DEFAULTS[metric.smooth_method]
    engine = _core.bleu_engine(
        tokenizer="none",
        order=metric.max_ngram_order,
        lowercase=False,
        smooth_method=metric.smooth_method,
        smooth_value=value or 0.0,
        effective_order=metric.effective_order,
        compensated_sum=compensated_sum,
        ref_len="closest",
    )
    return engine.score(sums)


@pytest.mark.parametrize("vector", BLEU_VECTORS, ids=lambda vector: str(vector["score"]))
def test_scores_before_and_after_python_3_12(vector: dict[str, Any]) -> None:
    assert vector["score"] == evaluate(vector, compensated_sum=False)
    assert vector.get("score312", vector["score"]) == evaluate(vector, compensated_sum=True)


def test_the_two_ways_do_differ() -> None:
    assert len(BLEU_VECTORS) > len([vector for vector in BLEU_VECTORS if "score312" not in vector])


def test_the_interpreter_decides() -> None:
    values = [0.1] * 10
    compensated = sum(values) == math.fsum(values)
    assert (sys.version_info >= (3, 12)) == compensated
    score = BLEU.compute_bleu([778, 808, 215, 193], [1563, 925, 972, 1339], 5000, 4000).score
    assert (34.313087164983486 if compensated else 34.31308716498347) == score


def test_counts_that_no_text_has_are_scored_as_sacrebleu_does_with_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("WARNING", logger="truebleu")
    counts = [9, 3, 2, 1], [4, 3, 2, 1], 4, 4
    assert sacrebleu.BLEU.compute_bleu(*counts).score == BLEU.compute_bleu(*counts).score
    assert ["compute_bleu: correct has more n-grams than total, so the score would be meaningless"] == caplog.messages
