"""What `agree` says of metrics, what it refuses, and whether its tests keep their level."""

import math
from typing import Any

import numpy as np
import pytest

import truebleu
from truebleu import agree
from truebleu.agreement.measures import AgreementOptions, Tables, measure
from truebleu.agreement.tests import _swapped_pairs, swapped_documents
from truebleu.errors import LengthMismatch, OptionError, TooFew, TruebleuError
from truebleu.scores import ScoreTable

SYSTEMS = [f"s{at}" for at in range(7)]
DOCUMENTS = [f"d{at // 5}" for at in range(120)]


def campaign(seed: int = 0, noises: tuple[float, ...] = (0.5, 0.52, 6.0)) -> tuple[Any, dict[str, Any]]:
    """People, and metrics that follow them with more or less noise."""
    generator = np.random.default_rng(seed)
    truth = np.arange(7)[:, None] * 0.4 + generator.normal(size=(7, 120))
    people = {"MQM": dict(zip(SYSTEMS, (np.minimum(0, np.round(truth - 2)) + 0.0).tolist(), strict=True))}
    scores = {
        f"COMET{at}": dict(zip(SYSTEMS, (truth + noise * generator.normal(size=truth.shape)).tolist(), strict=True))
        for at, noise in enumerate(noises)
    }
    return people, scores


def test_a_metric_that_follows_people_is_better_than_one_that_does_not() -> None:
    people, metrics = campaign()
    found = agree(people, metrics, documents=DOCUMENTS, statistics=["acc_eq", "spa", "pearson:none", "tau_b:system"])
    assert "COMET2" == [*found.metrics][-1]
    decided = {(one.statistic, one.a, one.b): one for one in found.pairs}
    assert decided["acc_eq", "COMET0", "COMET2"].significant
    assert decided["pearson:none", "COMET1", "COMET2"].significant
    assert not decided["spa", "COMET0", "COMET1"].significant
    assert decided["tau_b:system", "COMET0", "COMET2"].p_value is None
    assert (("COMET0", "COMET1"), ("COMET2",)) == tuple(map(tuple, map(sorted, found.clusters["acc_eq"])))
    assert (3, 3) == found.ranks["acc_eq"]["COMET2"]
    assert (24, 120, tuple(SYSTEMS)) == (found.documents, found.items, found.systems)


def test_order_of_systems_items_and_metrics_does_not_matter() -> None:
    people, metrics = campaign()
    kinds = ["spa", "acc", "acc_eq", "pearson", "tau_c:none", "pdp"]
    expected = agree(people, metrics, documents=DOCUMENTS, statistics=kinds, test="none")
    turned = {
        name: {system: scores[::-1] for system, scores in reversed(by.items())}
        for name, by in reversed(metrics.items())
    }
    back = {"MQM": {system: scores[::-1] for system, scores in reversed(people["MQM"].items())}}
    found = agree(back, turned, documents=DOCUMENTS[::-1], statistics=kinds, test="none")
    for name in metrics:
        for kind in kinds[1:]:  # the signs of spa belong to places
            assert expected[name][kind] == pytest.approx(found[name][kind], abs=1e-12)
    shuffled = {name: dict(reversed(by.items())) for name, by in metrics.items()}
    assert expected == agree(
        {"MQM": dict(reversed(people["MQM"].items()))}, shuffled, documents=DOCUMENTS, statistics=kinds, test="none"
    )


def test_a_metric_that_was_negated_agrees_as_well() -> None:
    people, metrics = campaign()
    lower = {name: {system: [-one for one in scores] for system, scores in by.items()} for name, by in metrics.items()}
    said = {f"{name} time": False for name in metrics}
    turned = agree(people, {f"{k} time": v for k, v in lower.items()}, documents=DOCUMENTS, higher_is_better=said)
    plain = agree(people, metrics, documents=DOCUMENTS)
    assert [*plain.metrics.values()] == [*turned.metrics.values()]
    assert [one.p_value for one in plain.pairs] == [one.p_value for one in turned.pairs]
    assert {"lower"} == set(turned.directions.values())


def test_a_metric_with_itself_has_p_1() -> None:
    people, metrics = campaign()
    kinds = ["acc_eq", "spa", "acc", "pearson:none", "pdp", "kendall_like"]
    found = agree(people, {"A": metrics["COMET0"], "B": metrics["COMET0"]}, documents=DOCUMENTS, statistics=kinds,
                  higher_is_better={"A": True, "B": True}, threshold=1.0)  # fmt: skip
    assert [1.0] * len(kinds) == [one.p_value for one in found.pairs]


def test_cells_that_are_missing_are_left_out_and_counted() -> None:
    people, metrics = campaign()
    people["MQM"] = {
        name: [None if at % 3 == 0 else one for at, one in enumerate(scores)] for name, scores in people["MQM"].items()
    }
    metrics["COMET0"]["s1"][4] = None
    found = agree(people, metrics, documents=DOCUMENTS)
    assert (80, {"COMET0": 1, "COMET1": 0, "COMET2": 0}) == (found.items, found.missing)
    assert 79 == found.metrics["COMET0"]["spa"]["items"]
    assert "metrics: 120 segments, people: 80" in str(found)
    assert "COMET0 lacks 1 cell" in str(found)


def test_a_constant_metric_ties_everything() -> None:
    people, metrics = campaign()
    metrics["COMET9"] = dict.fromkeys(SYSTEMS, [0.5] * 120)
    found = agree(people, metrics, documents=DOCUMENTS, statistics=["acc_eq", "pearson", "spa", "acc"])
    cell = found.metrics["COMET9"]["acc_eq"]
    assert cell["value"] == cell["human_ties"] == cell["constant"] == found.metrics["COMET0"]["acc_eq"]["constant"]
    assert math.isnan(found["COMET9"]["pearson"]) and 120 == found.metrics["COMET9"]["pearson"]["undefined"]
    assert None is found.to_dict()["metrics"][-1]["statistics"]["pearson"]["value"]
    assert "pearson is not defined in 120 of 120 groups" in str(found)
    zero = agree(people, metrics, documents=DOCUMENTS, statistics=["pearson"], nan="zero")
    assert 0.0 == zero["COMET9"]["pearson"]


def test_tolerance_of_the_other_half() -> None:
    people, metrics = campaign()
    found = agree(people, metrics, documents=DOCUMENTS, statistics=["acc_eq"], honest=True, test="none")
    for one in found.metrics.values():
        assert 0 < one["acc_eq"]["honest"] <= one["acc_eq"]["value"] + 1e-12
    assert "other half's ε" in str(found)
    fixed = agree(people, metrics, documents=DOCUMENTS, statistics=["acc_eq"], epsilon=0.0, test="none")
    assert 0.0 == fixed.metrics["COMET0"]["acc_eq"]["epsilon"]


def test_scores_of_systems_may_be_given() -> None:
    people, metrics = campaign()
    given = {"MQM": {one: float(at) for at, one in enumerate(SYSTEMS)}}
    given["COMET0"] = {one: -float(at) for at, one in enumerate(SYSTEMS)}
    found = agree(people, metrics, documents=DOCUMENTS, statistics=["acc", "sys_pearson"], system_scores=given)
    assert {"acc": 0.0, "sys_pearson": -1.0} == found["COMET0"]
    assert ("given", "mean") == tuple(found.metrics[name]["acc"]["sys"] for name in ("COMET0", "COMET1"))


def test_tables_of_scores() -> None:
    people, metrics = campaign()

    def table(by_name: dict[str, Any]) -> ScoreTable:
        rows = [(s, str(i), name, x) for name, by in by_name.items() for s, xs in by.items() for i, x in enumerate(xs)]
        system, item, metric, score = zip(*rows, strict=True)
        return ScoreTable.from_columns(system=system, item=item, metric=metric, score=score)

    expected = agree(people, metrics, documents=DOCUMENTS)
    both = agree(table(people).with_documents(DOCUMENTS), table(metrics))
    assert expected.to_dict() == both.to_dict()
    several = [table({name: by}) for name, by in metrics.items()]
    assert expected.to_dict() == agree(table(people).with_documents(DOCUMENTS), several).to_dict()


def test_results_show_themselves() -> None:
    people, metrics = campaign()
    found = agree(people, metrics, documents=DOCUMENTS)
    assert "<caption>Agreement with MQM</caption>" in found._repr_html_()
    assert found.to_html().count("<tr>") == 5
    assert "tests: documents swapped whole, two-sided, level 0.05, Holm over 3 pairs of metrics" in str(found)
    assert 6 == len(found._table()[1])  # type: ignore[arg-type]
    one = agree(people, {"COMET0": metrics["COMET0"]}, documents=DOCUMENTS)
    assert () == one.pairs and "tests:" not in str(one)


def test_tests_of_mt_metrics_eval_are_warned_of(caplog: pytest.LogCaptureFixture) -> None:
    people, metrics = campaign(noises=(0.5, 0.7))
    small = {name: {system: scores[:30] for system, scores in by.items()} for name, by in metrics.items()}
    gold = {"MQM": {system: scores[:30] for system, scores in people["MQM"].items()}}
    found = agree(gold, small, statistics=["acc_eq"], test="mtme-pairs", documents=DOCUMENTS[:30])
    other = agree(gold, small, statistics=["pearson", "acc_eq"], test="mtme-both", documents=DOCUMENTS[:30])
    assert "44 to 49 %" in caplog.text and "cells of a document are not independent" in caplog.text
    assert found.correction is None and {"acc_eq": 1000} == found.n_samples
    assert 2 == len(other.pairs) and all(0 <= one.p_value <= 1 for one in other.pairs if one.p_value is not None)
    assert "claims far too many differences" in str(found)
    with pytest.raises(OptionError, match="swaps the pairs of acc_eq, and statistics has 'spa'"):
        agree(people, metrics, test="mtme-pairs")


def test_signs_of_pairs_are_binomial() -> None:
    """What mt-metrics-eval does one swap at a time."""
    people, metrics = campaign(noises=(0.5, 0.9))
    tables = [
        Tables(np.array([*people["MQM"].values()]), np.array([*one.values()]), np.arange(120))
        for one in metrics.values()
    ]
    kind = measure("acc_eq", "item")
    values = [kind.take(one, AgreementOptions()) for one in tables]
    epsilons = [one.details["epsilon"] for one in values]
    gaps = _swapped_pairs(tables[0], tables[1], "item", epsilons, np.random.default_rng(1))
    generator, naive = np.random.default_rng(2), []
    rights = []
    for table, epsilon in zip(tables, epsilons, strict=True):
        one, other = np.triu_indices(7, 1)
        people_gap, gap = (part[one] - part[other] for part in (table.people, table.metric))
        rights.append(np.where(np.abs(gap) <= epsilon, 0, np.sign(gap)) == np.sign(people_gap))
    difference = (rights[0].astype(float) - rights[1]).ravel()
    for _ in range(1000):
        naive.append(float((difference * generator.choice([-1, 1], len(difference))).sum() / len(difference)))
    assert np.std(naive) == pytest.approx(gaps.std(), rel=0.1)
    assert abs(gaps.mean()) < 4 * gaps.std() / math.sqrt(1000)


@pytest.mark.parametrize("kind", ["acc_eq", "spa", "pearson:none"])
def test_equal_metrics_are_rarely_called_different(kind: str) -> None:
    """Two metrics whose scores of each document are the same two noises, swapped at random."""
    generator, claims, runs = np.random.default_rng(5), 0, 200
    people, _ = campaign()
    gold, units = np.array([*people["MQM"].values()]), np.repeat(np.arange(24), 5)
    for _ in range(runs):
        shared = generator.normal(size=(2, 7, 24)).repeat(5, axis=2)  # of a document
        noisy = gold + shared + 0.5 * generator.normal(size=(2, 7, 120))
        values = [measure(kind, "item").take(Tables(gold, one, units), AgreementOptions()) for one in noisy]
        claims += (swapped_documents(values, units, 200, 1)[0] or 1) <= 0.05
    assert claims <= 0.05 * runs + 3 * math.sqrt(0.05 * 0.95 * runs)


@pytest.mark.parametrize(
    ("changed", "error", "says"),
    [
        ({"metrics": {"mine": {one: [1.0] * 120 for one in SYSTEMS}}}, OptionError, "(--higher-is-better, --lower-is"),
        ({"metrics": {"MetricX": {one: [-9.0, *[3.0] * 119] for one in SYSTEMS}}}, OptionError, "some below it"),
        ({"metrics": {"COMET": {one: [0.5] * 120 for one in SYSTEMS[:2]}}}, TooFew, "2 systems in common (s0, s1)"),
        ({"metrics": {"COMET": {one: [0.5] * 119 for one in SYSTEMS}}}, LengthMismatch, "MQM 120; COMET 119"),
        ({"metrics": {"COMET": {one: ["x"] * 120 for one in SYSTEMS}}}, TruebleuError, "a score that is no number"),
        ({"metrics": {"COMET": {one: [math.inf] * 120 for one in SYSTEMS}}}, TruebleuError, "an infinite score"),
        ({"metrics": [[1.0]]}, TruebleuError, "expected a table of scores, or {name: {system: [scores]}}"),
        ({"metrics": {}}, OptionError, "metrics has no scores"),
        ({"human": {"MQM": dict.fromkeys(SYSTEMS, [None] * 120)}}, TooFew, "MQM has no scores"),
        ({"human": {"MQM": {one: [0.0, *[None] * 119] for one in SYSTEMS}}}, TooFew, "scores of 1 items, expected 2"),
        ({"human": {"MQM": {**dict.fromkeys(SYSTEMS, [0.0] * 120), "s1": [None] * 120}}}, TooFew, "no score of 's1'"),
        ({"human": {"MQM": {}}}, TooFew, "MQM has no scores"),
        ({"human": {one: {"s0": [0.0]} for one in ("MQM", "ESA")}}, OptionError, "human has MQM, ESA; expected one"),
        ({"documents": ["a"] * 3}, LengthMismatch, "3 labels, expected 120, one for each item"),
        ({"documents": ["a"] * 120, "unit": "document"}, OptionError, "one document in all"),
        ({"documents": None, "unit": "document"}, OptionError, "documents are not known"),
        ({"statistics": []}, OptionError, "statistics is empty"),
        ({"statistics": ["tau_d"]}, OptionError, "tau_d"),
        ({"statistics": ["spa:item"]}, OptionError, "spa has no groups"),
        ({"group": "segment"}, OptionError, "group is 'segment'"),
        ({"test": "wilcoxon"}, OptionError, "test is 'wilcoxon'"),
        ({"alpha": 2}, OptionError, "alpha"),
        ({"epsilon": -1}, OptionError, "epsilon"),
        ({"system_scores": {"COMET0": {}}}, OptionError, "system_scores lacks MQM of 's0'"),
    ],
)  # fmt: skip
def test_what_is_refused(changed: dict[str, Any], error: type[Exception], says: str) -> None:
    people, metrics = campaign()
    given = {"human": people, "metrics": metrics, "documents": DOCUMENTS, **changed}
    with pytest.raises(error) as caught:
        agree(given.pop("human"), given.pop("metrics"), **given)
    assert says in str(caught.value)


def test_without_documents_there_is_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    people, metrics = campaign()
    found = truebleu.agree(people, metrics)
    assert found.documents is None and "items are taken as independent" in caplog.text


def test_documents_of_a_metric_belong_to_its_items() -> None:
    """Only the file of the metric knows the documents, and its items come in another order."""
    people, metrics = campaign()

    def table(name: str, by: dict[str, Any], order: list[int], documents: list[str] | None) -> ScoreTable:
        rows = [(system, f"i{at}", scores[at]) for system, scores in by.items() for at in order]
        system, item, score = zip(*rows, strict=True)
        label = None if documents is None else [documents[int(one[1:])] for one in item]
        return ScoreTable.from_columns(system=system, item=item, metric=name, score=score, document=label)

    expected = agree(people, {"COMET0": metrics["COMET0"], "COMET1": metrics["COMET1"]}, documents=DOCUMENTS)
    turned = list(reversed(range(120)))
    several = [table(name, metrics[name], turned, DOCUMENTS) for name in ("COMET0", "COMET1")]
    found = agree(table("MQM", people["MQM"], list(range(120)), None), several)
    assert expected.to_dict() == found.to_dict()
