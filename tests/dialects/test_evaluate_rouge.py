"""evaluate's `rouge`: the calls that its wrapper makes, with the numbers that they give."""

from __future__ import annotations

import json
import random
from fractions import Fraction
from functools import reduce
from operator import add  # `sum` compensates from Python 3.12 on
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rouge_score.rouge_scorer
import rouge_score.scoring

import truebleu.evaluate as evaluate
from truebleu import errors

VECTORS = json.loads((Path(__file__).parent.parent / "golden" / "rouge.json").read_text("utf-8"))["evaluate_rouge"]
TEXTS: dict[str, Any] = {key: VECTORS[key] for key in ("predictions", "references")}


@pytest.mark.parametrize("run", VECTORS["runs"])
def test_the_seed_decides_the_numbers(run: dict[str, Any]) -> None:
    state = np.random.get_state()[1].tolist()  # type: ignore[index, union-attr]
    found = evaluate.load("rouge", seed=run["seed"]).compute(**TEXTS, use_stemmer=run["use_stemmer"])
    assert run["result"] == found
    assert all(type(one) is np.float64 for one in found.values())
    assert state == np.random.get_state()[1].tolist()  # type: ignore[index, union-attr]


def test_without_a_seed_numpys_global_state_at_load_time_is_one() -> None:
    np.random.seed(42)
    metric = evaluate.load("rouge")
    np.random.seed(7)
    expected = next(one for one in VECTORS["runs"] if one["seed"] == 42 and not one["use_stemmer"])
    assert expected["result"] == metric.compute(**TEXTS)


def test_generated_texts_have_what_the_calls_of_the_wrapper_give(cases: int) -> None:
    """evaluate's script is on a hub; these are the calls that it makes, under its seed."""
    rng = random.Random("evaluate")
    for _ in range(max(cases // 200, 8)):
        size, seed, stem = rng.randrange(1, 12), rng.randrange(2**32), rng.random() < 0.5
        predictions, references = (
            [" ".join(rng.choices(["flies", "the", "İt", "running", "x", "\n", "中"], k=rng.randrange(9)))
             for _ in range(size)] for _ in range(2)
        )  # fmt: skip
        scorer = rouge_score.rouge_scorer.RougeScorer(["rouge1", "rougeLsum"], use_stemmer=stem)
        collected = rouge_score.scoring.BootstrapAggregator()
        for pair in zip(references, predictions, strict=True):
            collected.add_scores(scorer.score(*pair))
        np.random.seed(seed)
        expected = {name: one.mid.fmeasure for name, one in collected.aggregate().items()}
        given = {"predictions": predictions, "references": references, "rouge_types": ["rouge1", "rougeLsum"]}
        assert expected == evaluate.load("rouge", seed=seed).compute(**given, use_stemmer=stem)


def test_the_order_of_types_shows() -> None:
    vector = VECTORS["rouge_types_order"]
    found = evaluate.load("rouge", seed=vector["seed"]).compute(**TEXTS, rouge_types=vector["types"])
    assert list(vector["result"].items()) == list(found.items())


def test_scores_of_each_prediction_are_plain_floats_with_whole_zeros() -> None:
    assert VECTORS["not_aggregated"] == evaluate.load("rouge").compute(**TEXTS, use_aggregator=False)
    found = evaluate.load("rouge").compute(predictions=["a", "b"], references=["", "b"], use_aggregator=False)
    assert "{'rouge1': [0.0, 1.0], 'rouge2': [0.0, 0.0], 'rougeL': [0, 1.0], 'rougeLsum': [0, 1.0]}" == repr(found)


def test_the_mean_is_the_same_every_time() -> None:
    found = evaluate.load("rouge").compute(**TEXTS, aggregator="mean")
    # Rounded once; the vector was added up number by number, and differs in a last digit.
    for name, scores in VECTORS["not_aggregated"].items():
        assert float(sum(map(Fraction, scores)) / len(scores)) == found[name]
        assert VECTORS["mean_of_segments"][name] == reduce(add, scores) / len(scores)
    with pytest.raises(errors.OptionError, match="aggregator is 'median'"):
        evaluate.load("rouge").compute(**TEXTS, aggregator="median")


def test_several_references_and_a_tokenizer() -> None:
    vector = VECTORS["multi"]
    texts = {"predictions": VECTORS["predictions"], "references": vector["references"]}
    assert vector["result"] == evaluate.load("rouge", seed=vector["seed"]).compute(**texts)
    found = evaluate.load("rouge").compute(
        predictions=["北京是"], references=["是北京"], tokenizer=list, use_aggregator=False
    )
    assert [1.0] == found["rouge1"]


def test_unequal_lengths_are_refused_where_zip_cuts() -> None:
    with pytest.raises(errors.LengthMismatch):
        evaluate.load("rouge").compute(predictions=["a", "b"], references=["a"])
