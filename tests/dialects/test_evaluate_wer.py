"""`truebleu.evaluate`'s wer, cer, exact_match, squad and squad_v2: known values, jiwer, and the real evaluate."""

from __future__ import annotations

import json
import random
import re
import string
from pathlib import Path
from typing import Any

import jiwer
import numpy as np
import pytest

from dialects.hugging_face import real
from truebleu import errors
from truebleu.evaluate import combine, load, script_path

FACTS: dict[str, Any] = json.loads((Path(__file__).parents[1] / "data" / "wer.json").read_text("utf-8"))
TEXTS = {"predictions": ["nobody saw a heron", "x"], "references": ["no one saw the heron", "x"]}


def squad(pairs: list[tuple[str, list[str]]]) -> dict[str, list[dict[str, Any]]]:
    predictions = [{"id": str(at), "prediction_text": text} for at, (text, _) in enumerate(pairs)]
    answers = [{"text": texts, "answer_start": [0] * len(texts)} for _, texts in pairs]
    return {
        "predictions": predictions,
        "references": [{"id": str(at), "answers": one} for at, one in enumerate(answers)],
    }


def test_error_rates_are_sums_of_jiwers_counts(cases: int) -> None:
    rng = random.Random("evaluate")
    words = ["a", "b", " ", "heron", "é", "\t"]
    for _ in range(max(cases // 4, 25)):
        predictions, references = (
            ["".join(rng.choice(words) + rng.choice(("", " ")) for _ in range(rng.randrange(8))) for _ in range(4)]
            for _ in range(2)
        )
        given = {"predictions": predictions, "references": [*references[:3], "x"]}
        for name, process in (("wer", jiwer.process_words), ("cer", jiwer.process_characters)):
            outputs = [process(r, p) for r, p in zip(given["references"], predictions, strict=True)]
            errors_ = sum(one.substitutions + one.deletions + one.insertions for one in outputs)
            total = sum(one.substitutions + one.deletions + one.hits for one in outputs)
            found = load(name).compute(**given)
            assert errors_ / total == found and isinstance(found, float)
            assert found == load(name).compute(**given, concatenate_texts=True)


def test_examples_can_be_added_and_results_combined() -> None:
    metric = load("wer")
    for prediction, reference in zip(*TEXTS.values(), strict=True):
        metric.add(prediction=prediction, reference=reference)
    assert 0.5 == metric.compute()
    found = combine(["wer", "exact_match"]).compute(**TEXTS)
    assert {"wer": 0.5, "exact_match": 0.5} == found
    with pytest.raises(errors.FormatMismatch, match="references has lists"):
        load("wer").compute(predictions=["a"], references=[["a"]])
    with pytest.raises(errors.LengthMismatch):
        load("wer").compute(predictions=["a", "b"], references=["a"])


@pytest.mark.parametrize("run", FACTS["evaluate_exact_match"]["runs"], ids=str)
def test_exact_match_has_the_known_values(run: dict[str, Any]) -> None:
    facts = FACTS["evaluate_exact_match"]
    given = {key: facts[key] for key in ("predictions", "references")}
    found = load("exact_match").compute(**given, **run["options"])
    assert run["exact_match"] == found["exact_match"] and isinstance(found["exact_match"], np.float64)


def slow_exact_match(
    predictions: list[str], references: list[str], regexes: list[str], case: bool, punctuation: bool, numbers: bool
) -> Any:
    """The description of evaluate's script, on arrays as it has them: they lose trailing NULs."""
    arrays: list[Any] = [predictions, references]
    for pattern in regexes:
        arrays = [np.array([re.sub(pattern, "", one) for one in side]) for side in arrays]
    arrays = [np.asarray(side) for side in arrays]
    if case:
        arrays = [np.char.lower(side) for side in arrays]
    for wanted, characters in ((punctuation, string.punctuation), (numbers, string.digits)):
        if wanted:
            arrays = [np.char.translate(side, str.maketrans("", "", characters)) for side in arrays]
    return np.mean(arrays[0] == arrays[1])


def test_generated_answers_match_as_in_arrays(cases: int) -> None:
    rng = random.Random("exact")
    pieces = ["a", "A", "é", "É", "İ", "1", "٣", ".", "”", " ", "the ", "\0", "x"]
    for _ in range(max(cases // 5, 40)):
        sides = [["".join(rng.choices(pieces, k=rng.randrange(4))) for _ in range(6)] for _ in range(2)]
        options: dict[str, Any] = {f"ignore_{what}": rng.random() < 0.5 for what in ("case", "punctuation", "numbers")}
        regexes = rng.sample(["the ", "[aA]", "x$", r"\0"], rng.randrange(3))
        expected = slow_exact_match(*sides, regexes, *options.values())
        given = {"predictions": sides[0], "references": sides[1], "regexes_to_ignore": regexes or None, **options}
        assert expected == load("exact_match").compute(**given)["exact_match"], (sides, regexes, options)


def test_patterns_that_are_none_are_refused() -> None:
    for bad in (["("], "x", [5]):
        with pytest.raises(errors.FormatMismatch, match="regexes_to_ignore"):
            load("exact_match").compute(**TEXTS, regexes_to_ignore=bad)


def test_squad_has_the_known_result() -> None:
    given = squad([(one["prediction"], [one["answer"], "other answer"]) for one in FACTS["squad"]])
    assert FACTS["evaluate_squad"]["result"] == load("squad").compute(**given)
    metric = load("squad")
    metric.add_batch(predictions=given["predictions"][:9], references=given["references"][:9])
    rest = {key: values[9:] for key, values in given.items()}
    assert FACTS["evaluate_squad"]["result"] == metric.compute(**rest)


def test_squad_v2_knows_questions_without_an_answer() -> None:
    given = squad([("the heron", ["a heron"]), ("", []), ("x", ["the"]), ("grey heron", ["heron"])])
    for one, probability in zip(given["predictions"], (0.1, 0.2, 0.0, 0.9), strict=True):
        one["no_answer_probability"] = probability
    f1 = 2 * (1 / 2) * 1 / (1 / 2 + 1)
    found = load("squad_v2").compute(**given)
    assert {
        "exact": 50.0, "f1": 100.0 * (1.0 + 1.0 + 0.0 + f1) / 4, "total": 4,
        "HasAns_exact": 100.0 / 3, "HasAns_f1": 100.0 * (1.0 + 0.0 + f1) / 3, "HasAns_total": 3,
        "NoAns_exact": 100.0, "NoAns_f1": 100.0, "NoAns_total": 1,
    } == found  # fmt: skip
    assert 100.0 * 2.0 / 4 == load("squad_v2").compute(**given, no_answer_threshold=0.5)["f1"]


@pytest.mark.parametrize(
    ("predictions", "references", "what"),
    [
        (["a"], [{"id": "1", "answers": {"text": ["a"]}}], r"predictions\[0\] has 'a' as id"),
        ([{"id": "1"}], [{"id": "1", "answers": {"text": ["a"]}}], r"predictions\[0\] has None as prediction_text"),
        ([{"id": "1", "prediction_text": "a"}], [{"id": "1", "answers": "a"}], r"references\[0\] has answers 'a'"),
        ([{"id": "1", "prediction_text": "a"}], [{"id": "1", "answers": {"text": []}}], "question '1' has no answers"),
        (None, [], "predictions is None"),
    ],
)
def test_what_is_no_answer_is_refused(predictions: Any, references: Any, what: str) -> None:
    with pytest.raises(errors.FormatMismatch, match=what):
        load("squad").compute(predictions=predictions, references=references)


def test_the_real_evaluate_takes_the_scripts() -> None:
    assert 0.5 == real().load(script_path("wer")).compute(**TEXTS)
    given = squad([("The heron", ["a heron", "bird"]), ("x", ["y"])])
    assert {"exact_match": 50.0, "f1": 50.0} == real().load(script_path("squad")).compute(**given)
