"""What a study takes, refuses and gives."""

import json
import os
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import truebleu
from strategies import texts
from truebleu import BLEU, CHRF, TER, Study
from truebleu.errors import InputTypeError, LengthMismatch, OptionError, TruebleuError, UnknownTest
from truebleu.significance import ExternalMetric, compare

DEMO = truebleu.testset("demo", "en-de")
SYSTEMS = {"a": ["x y", "z"], "b": ["x", "z"]}
REFERENCES = [["x y", "z"]]


@pytest.fixture(scope="module")
def study() -> Study:
    return DEMO.study(metrics=[BLEU(), TER()])


def test_the_comparison_is_that_of_compare(study: Study) -> None:
    metrics = dict(study.inputs.metrics)
    expected = compare(DEMO.systems, metrics, DEMO.references, all_pairs=True)
    assert expected == study.comparison
    assert study.comparison is study.comparison
    assert {"ar"} == {study.test, expected.test} and "holm" == expected.correction


def test_scores_are_those_of_the_texts(study: Study) -> None:
    for name, output in DEMO.systems.items():
        assert TER().corpus_score(output, DEMO.references).score == study.scores["TER"][name].score
    # A lower TER is the better one.
    assert ["atlas", "birch", "cedar"] == study.ranking("BLEU") == study.ranking("TER")


def test_checks_are_those_of_the_doctor() -> None:
    study = DEMO.study(metrics=BLEU())
    for name, output in DEMO.systems.items():
        others = {other: texts for other, texts in DEMO.systems.items() if other != name}
        expected = truebleu.diagnose(
            output, DEMO.references, DEMO.source, metrics=[BLEU()], language="de", others=others
        )
        assert expected.to_dict() == study.checks[name].to_dict()


def test_a_test_set_makes_a_study_of_its_systems() -> None:
    study = DEMO.study()
    scores = "bleu atlas 56.93, birch 51.75, cedar 25.94; chrf atlas 70.96, birch 69.19, cedar 52.26"
    assert f"<study of 3 systems, 240 segments: {scores}>" == repr(study)
    assert ("domain", "docid", "length") == study.label_sets
    assert "test:demo|lang:en-de" in str(study.scores["CHRF"]["atlas"].signature)
    news = DEMO.select(subset="news").study({"mine": ["x"] * 65}, title="News", labels={})
    assert ("News", 65, ("length",), ["mine"]) == (
        news.title, news.inputs.n, news.label_sets, list(news.inputs.systems),
    )  # fmt: skip
    metric = BLEU()
    signature = DEMO.study(metrics=metric).scores["BLEU"]["atlas"].signature
    assert "test:demo" in str(signature) and metric.test_set is None


def test_the_pair_shown_first_is_the_best_and_the_baseline() -> None:
    assert ("atlas", "birch") == DEMO.study().pair
    assert ("atlas", "cedar") == DEMO.study(baseline="cedar").pair
    assert ("atlas", "birch") == DEMO.study(baseline="atlas").pair
    assert Study({"a": ["x"]}, [["x"]]).pair is None


def refused(**changes: Any) -> dict[str, Any]:
    return {"systems": SYSTEMS, "references": REFERENCES, **changes}


@pytest.mark.parametrize(
    ("given_to", "error", "message"),
    [
        (refused(labels={"domain": ["news"]}), LengthMismatch, r"Study: in labels\['domain'\] there are 1 label"),
        (refused(labels={"domain": ["news", None]}), InputTypeError, r"labels\['domain'\] the label of segment 1"),
        (refused(labels={"length": [1, 2]}), OptionError, "labels has the name 'length', expected a name that is not"),
        (refused(labels={"document": [1, 2]}, documents=[1, 2]), OptionError, "labels has the name 'document'"),
        (refused(documents=[1]), LengthMismatch, "Study: in documents there are 1 label and 2 segments"),
        (refused(baseline="c"), OptionError, "Study: baseline is 'c', expected one of 'a', 'b'"),
        (refused(systems=[*SYSTEMS.items(), ("a", ["x", "y"])]), OptionError, "Study: two systems are called 'a'"),
        (refused(systems={"a": ["x"], "b": ["x", "y"]}), LengthMismatch, "system 'b' has 2 segments, system 'a' has 1"),
        (refused(systems={}), InputTypeError, "Study: systems is empty"),
        (refused(systems={"a": [["x", 1], ["x", "z"]]}), InputTypeError, r"systems\['a'\]\[0\]\[1\] is of type int"),
        (refused(systems={"a": [["x", "y"], ["x"]]}), LengthMismatch, "system 'a' has 1 segment, system 'a' has 2"),
        (refused(systems={"a": [["x", "y"]] * 2, "b": ["x", "y"]}), LengthMismatch, "'b' has 1 run, system 'a' has 2"),
        (refused(external={"m": {"a": [[1, 2]] * 2, "b": [1, 2]}}), LengthMismatch, r"\['a'\] has 2 runs, the texts"),
        (refused(references=[["x"]]), LengthMismatch, "reference stream 0 of 1 has 1 segment"),
        (refused(sources=["x"]), LengthMismatch, "Study: there are 1 source and 2 segments"),
        (refused(external={"m": {"a": [1, 2]}}), OptionError, r"external\['m'\] and systems differ in 'b'"),
        (refused(external={"m": {"a": [1, 2], "b": [1]}}), LengthMismatch, r"external\['m'\]\['b'\] has 1 score"),
        (refused(external={"BLEU": {"a": [1, 2], "b": [1, 2]}}), OptionError, "scores for 'BLEU', which the metrics"),
        (refused(metrics=ExternalMetric("m")), OptionError, "metrics has 'm', and external has no scores for it"),
        (refused(test="t"), UnknownTest, "Study: test is 't', expected one of 'ar', 'bs', 'bs2', 'sign', 'none'"),
        (refused(unit="document"), OptionError, "Study: unit is 'document', and documents is None"),
        (refused(alpha=1), OptionError, "Study: alpha is 1, expected a number between 0 and 1"),
        (refused(files={"systems": ["a.txt"]}), LengthMismatch, r"files\['systems'\] has 1 paths, expected 2"),
        (refused(files={"labels": ["a.txt"]}), OptionError, "files has 'labels', expected 'systems'"),
    ],
)  # fmt: skip
def test_mistakes_are_refused_before_any_counting(
    given_to: dict[str, Any], error: type[TruebleuError], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(BLEU, "stats", lambda *_: pytest.fail("text was counted"))
    with pytest.raises(error, match=message):
        Study(**given_to)


def test_a_lower_is_better_external_metric_ranks_the_lower_score_first() -> None:
    metrics = [BLEU(), ExternalMetric("errors", higher_is_better=False)]
    study = Study(SYSTEMS, REFERENCES, metrics, external={"errors": {"a": [3, 4], "b": [1, 1]}})
    assert ["b", "a"] == study.ranking("errors")
    assert {"bleu": True, "errors": False} == dict(study.groups("length").higher_is_better)


def test_every_number_is_there_as_plain_values(study: Study) -> None:
    found = study.to_dict()
    plain = json.loads(json.dumps(found, allow_nan=False))
    assert (1, 240, 2, ["atlas", "birch"]) == tuple(
        plain[key] for key in ("schema", "n_segments", "n_references", "pair")
    )
    assert json.loads(json.dumps(study.comparison.to_dict())) == plain["comparison"]
    ter = plain["metrics"][1]
    assert study.scores["TER"]["birch"].score == ter["scores"]["birch"]["score"]
    assert study.segments("TER").of("cedar").tolist() == ter["segments"]["cedar"]
    assert [*study.segments("TER").signs("atlas", "birch")] == list(ter["signs"].values())
    domain = plain["groups"][0]
    assert 3 * 2 == len(domain["pairs"])
    pair = study.groups("domain").pair("TER", "birch", "cedar")
    shown = next(one for one in domain["pairs"] if (one["metric"], one["a"], one["b"]) == ("ter", "birch", "cedar"))
    assert [one.adjusted_p_value for one in pair.groups] == shown["adjusted_p_value"]
    assert [list(one.interval or ()) for one in pair.groups] == shown["interval"]
    assert list(study.checks) == list(plain["checks"])


def test_a_set_of_many_groups_has_the_differences_of_one_pair() -> None:
    labels = {"id": range(240), "odd": [at % 40 for at in range(240)]}
    study = DEMO.study(metrics=CHRF(), labels=labels, n_confidence=0)
    assert [1, 3, 3] == [len(groups["pairs"]) for groups in study.to_dict()["groups"]]


CODE = """
import json, truebleu
study = truebleu.testset("demo", "en-es").study(n_samples=100, n_confidence=100)
print(json.dumps(study.to_dict()))
"""


def test_two_processes_give_the_same_bytes() -> None:
    outputs = []
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        run = subprocess.run([sys.executable, "-c", CODE], capture_output=True, check=True, env=environment)
        outputs.append(run.stdout)
    assert outputs[0] == outputs[1] and len(outputs[0]) > 10_000


@settings(max_examples=40)
@given(st.lists(st.tuples(texts, texts, texts, st.sampled_from(["p", "q"])), min_size=1, max_size=5))
def test_any_texts_give_json(drawn: list[tuple[str, str, str, str]]) -> None:
    systems = {"__proto__": [one[0] for one in drawn], "toString": [one[1] for one in drawn]}
    study = Study(
        systems, [[one[2] for one in drawn]], [BLEU(force=True), CHRF(), TER()],
        sources=[one[2] for one in drawn], labels={"constructor": [one[3] for one in drawn]},
        n_samples=20, n_confidence=20,
    )  # fmt: skip
    found = json.loads(json.dumps(study.to_dict(), allow_nan=False))
    assert list(systems) == found["systems"]
    assert (len(drawn) < 2) == (found["comparison"] is None)


def test_one_system_or_one_segment_or_no_test_has_no_comparison() -> None:
    assert Study({"a": ["x y", "z"]}, REFERENCES).comparison is None
    assert Study({"a": ["x"], "b": ["y"]}, [["x"]]).comparison is None
    assert Study(SYSTEMS, REFERENCES, documents=["d", "d"]).comparison is None
    assert Study(SYSTEMS, REFERENCES, test="none").comparison is None
    assert Study({"a": ["x y", "z"]}, REFERENCES).to_dict()["ngrams"] is None


def test_a_fresh_seed_is_drawn_once() -> None:
    study = Study(SYSTEMS, REFERENCES, seed="none", n_samples=10)
    assert study.comparison is not None and study.seed.value is not None
    assert str(study.seed.value) == study.comparison.seed


def test_two_systems_with_one_output_are_found() -> None:
    atlas = DEMO.systems["atlas"]
    study = DEMO.study({"a": atlas, "b": [*atlas[1:], "x"], "twin": atlas}, BLEU(), test="none", n_confidence=0)
    found = {name: [one.code for one in diagnosis.findings] for name, diagnosis in study.checks.items()}
    assert (True, False, True) == tuple("D109" in found[name] for name in ("a", "b", "twin"))


def test_several_runs_have_the_mean_of_their_scores_everywhere() -> None:
    outputs = list(DEMO.systems.values())
    runs = {"first": outputs[:2], "second": [outputs[2], outputs[1]]}
    scores = {"first": [[1.0] * 240, [2.0] * 240], "second": [[3.0] * 240, [5.0] * 240]}
    bleu, external = BLEU(), {"m": scores}
    study = DEMO.study(
        runs,
        [bleu, ExternalMetric("m", higher_is_better=True)],
        external=external,
        n_samples=50,
        n_confidence=50,
        seed=1,
    )
    alone = [bleu.corpus_score(texts, DEMO.references).score for texts in (outputs[0], outputs[1], outputs[2])]
    assert (alone[0] + alone[1]) / 2 == study.scores["BLEU"]["first"].score
    assert (alone[2], alone[1]) == study.run_scores["BLEU"]["second"]
    assert {"first": 1.5, "second": 4.0} == {name: score.score for name, score in study.scores["m"].items()}
    compared = compare(
        {name: {"bleu": texts, "m": scores[name]} for name, texts in runs.items()},
        {"bleu": study.inputs.metrics["BLEU"], "m": ExternalMetric("m", higher_is_better=True)}, DEMO.references,
        n_samples=50, n_confidence=50, all_pairs=True, seed=1,
    )  # fmt: skip
    assert compared == study.comparison and 2 == compared.n_runs
    single = [DEMO.study({"x": texts}, bleu, n_confidence=0) for texts in outputs[:2]]
    by_segment = sum(one.segments("BLEU").of("x") for one in single) / 2
    assert by_segment.tolist() == study.segments("BLEU").of("first").tolist()
    groups = [one.groups("domain").scores["BLEU"]["x"] for one in single]
    expected = [(a.score + b.score) / 2 for a, b in zip(*groups, strict=True)]
    found = study.groups("domain").scores["BLEU"]["first"]
    assert expected == [one.score for one in found] and all(one.half_width for one in found)
    assert outputs[0] == study.inputs.systems["first"]
    assert ["first (run 1)", "first (run 2)"] == list(study.checks)[:2]
    facts = study.to_dict()
    assert (2, [1.0, 2.0]) == (facts["n_runs"], facts["metrics"][1]["run_scores"]["first"])


def test_trials_and_messages_are_checked_beside_the_doctors_rules() -> None:
    tokenized = [f"{text} ." for text in DEMO.systems["atlas"]]
    systems = {"a": tokenized, "b": DEMO.systems["birch"]}
    for _ in range(2):  # the logger tells the same words once, and each study has them
        study = DEMO.study(systems, BLEU(), n_samples=5, n_confidence=0)
        few, messages = study.own_checks
        assert "with 5 trials the smallest p-value of 1 pair" in few.messages[0] and not few.skipped
        assert ["detokenize" in one for one in messages.messages] == [True]
    untested, none = DEMO.study({"b": DEMO.systems["birch"]}, BLEU(), n_confidence=0).own_checks
    assert ("no test was made", ()) == (untested.skipped, none.messages)
    enough, _ = DEMO.study(metrics=BLEU(), n_samples=200, n_confidence=0).own_checks
    assert ((), "") == (enough.messages, enough.skipped)


def test_metrics_and_references_are_told_apart_by_their_types() -> None:
    systems, references = {"a": ["the heron stood"] * 3, "b": ["a heron"] * 3}, [["the heron stood by"] * 3]
    expected = str(Study(systems, metrics=["bleu", "ter"], references=references).scores)
    given: list[tuple[Any, ...]] = [
        (["bleu", "ter"], references),
        ([BLEU(), TER()], references),
        ({"bleu": BLEU(), "ter": TER()}, tuple(references)),
        (references, ["bleu", "ter"]),  # the order of old
        (iter(references), [BLEU(), TER()]),
        ({1: references[0]}.values(), {"bleu": "bleu", "ter": "ter"}),
        (iter(["bleu", "ter"]), references),
    ]
    for both in given:
        assert expected == str(Study(systems, *both).scores)
    alone = str(Study(systems, metrics="bleu", references=references).scores)
    for metric in ("bleu", BLEU()):
        assert [alone] * 2 == [
            str(Study(systems, *both).scores) for both in ((metric, references), (references, metric))
        ]
    assert ["bleu", "chrf"] == [*Study(systems, references).scores] == [*Study(systems, references=references).scores]
    compared = compare(systems, "bleu", references, checks=False)
    assert str(compared) == str(compare(systems, references, "bleu", checks=False))


def test_what_may_be_either_is_an_error_that_says_how() -> None:
    systems, references = {"a": ["the heron stood"] * 3, "b": ["a heron"] * 3}, [["the heron stood by"] * 3]
    with pytest.raises(InputTypeError, match=r"both lists of texts; write Study\(systems, metrics=\.\.\., references="):
        Study(systems, references, references)
    with pytest.raises(InputTypeError, match=r"Study: references is None, expected .*; write Study\(systems, metrics"):
        Study(systems, ["bleu"])
    with pytest.raises(InputTypeError, match=r"Study: references is None, expected .*; write Study\(systems, metrics"):
        Study(systems, references[0])  # a flat list of texts, which may be names
