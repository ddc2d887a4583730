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
from hypothesis import given as generated
from hypothesis import strategies as st

from dialects.hugging_face import real
from oracle.answers import PIECES, slow_f1, slow_words
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


def script_of_squad(predictions: list[dict[str, Any]], references: list[dict[str, Any]]) -> dict[str, float]:
    """The description of the script, one step after the other."""
    by_id = {one["id"]: one["prediction_text"] for one in predictions}
    exact, f1 = 0.0, 0.0
    for one in references:
        if one["id"] in by_id:
            ours, answers = by_id[one["id"]], one["answers"]["text"]
            exact += max(slow_words(ours) == slow_words(text) for text in answers)
            f1 += max(slow_f1(ours, text, 1) for text in answers)
    return {"exact_match": 100.0 * exact / len(references), "f1": 100.0 * f1 / len(references)}


class Text(str):
    """A text of another class."""


ANSWERS = st.lists(st.sampled_from([*PIECES, " ", " ", "heron", "ÄRGER", "’s"]), max_size=12).map("".join)
SEVERAL = st.lists(ANSWERS, min_size=1, max_size=3)
QUESTION = st.tuples(st.sampled_from("abcdef"), ANSWERS, st.sampled_from("abcdefg"), SEVERAL)


@generated(st.lists(QUESTION, min_size=1, max_size=9))
def test_generated_questions_score_as_by_the_script(questions: list[tuple[str, str, str, list[str]]]) -> None:
    """Ids may come twice or in another order, or have no partner; whatever holds the examples, the result is one."""
    predictions = [{"id": key, "prediction_text": text} for key, text, _, _ in questions]
    references = [{"id": key, "answers": {"text": texts}} for _, _, key, texts in questions]
    expected = script_of_squad(predictions, references)
    metric = load("squad")
    assert expected == metric.compute(predictions=predictions, references=references)
    assert expected == metric._compute(predictions, references)
    assert expected == metric.compute(predictions=tuple(predictions), references=iter(references))
    others = [{**one, "prediction_text": Text(one["prediction_text"])} for one in predictions]
    tuples = [{**one, "answers": {"text": (*one["answers"]["text"],)}} for one in references]
    assert expected == metric.compute(predictions=others, references=tuples)
    for pair in zip(predictions, references, strict=True):
        metric.add(prediction=pair[0], reference=pair[1])
    assert expected == metric.compute()


def test_questions_without_a_prediction_count_and_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("WARNING")
    given = squad([("x", ["x"]), ("y", ["y"])])
    given["references"][1]["id"] = "other"
    assert {"exact_match": 50.0, "f1": 50.0} == load("squad").compute(**given)
    assert ["squad: 1 questions have no prediction"] == [record.getMessage() for record in caplog.records]
    given["references"][0]["id"] = "another"
    assert {"exact_match": 0.0, "f1": 0.0} == load("squad").compute(**given)


def test_squad_says_that_it_has_no_options() -> None:
    with pytest.raises(errors.UnknownOption, match="squad: there is no option 'nope'; there are none"):
        load("squad").compute(**squad([("x", ["x"])]), nope=1)


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
        (
            [{"id": 1, "prediction_text": "a"}],
            [{"id": "1", "answers": {"text": ["a"]}}],
            r"predictions\[0\] has 1 as id",
        ),
        (
            [{"id": "1", "prediction_text": "a"}],
            [{"id": "1", "answers": {"text": ["a", None]}}],
            r"references\[0\] has",
        ),
        ([{"id": "1", "prediction_text": "a"}], [{"answers": {"text": ["a"]}}], r"references\[0\] has None as id"),
        ([{"id": "1", "prediction_text": "a"}], [], "there are 1 predictions and 0 references"),
        ([], [], "predictions and references are empty"),
        (None, [], "predictions is None"),
    ],
)
def test_what_is_no_answer_is_refused(predictions: Any, references: Any, what: str) -> None:
    misfits = errors.FormatMismatch, errors.LengthMismatch, errors.NothingAdded
    with pytest.raises(misfits, match=what):
        load("squad").compute(predictions=predictions, references=references)


def test_the_real_evaluate_takes_the_scripts() -> None:
    assert 0.5 == real().load(script_path("wer")).compute(**TEXTS)
    given = squad([("The heron", ["a heron", "bird"]), ("x", ["y"])])
    assert {"exact_match": 50.0, "f1": 50.0} == real().load(script_path("squad")).compute(**given)
