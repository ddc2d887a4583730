"""Measures of agreement: tiny cases, generated ones against the slow versions, and WMT23 against mt-metrics-eval."""

import json
import math
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import real_texts
import truebleu
from oracle import agreement as slow
from truebleu.agreement.cells import grouped
from truebleu.agreement.measures import MEASURES, AgreementOptions, AgreementValue, Tables, measure
from truebleu.agreement.ties import _best_of_large_weights, best_epsilon
from truebleu.scores.mtme import read_documents
from truebleu.scores.opened import ScoreFile

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "agreement.json").read_text("utf-8"))
GROUPS = ("none", "item", "system")
PLAIN = AgreementOptions()

PEOPLE = [[-1, 0, -5, None], [0, 0, -1, None], [-5, -1, -5, None]]
METRIC = [[0.8, 0.9, 0.5, 0.1], [0.7, 0.95, 0.6, 0.2], [0.4, 0.85, 0.45, 0.3]]


def array(table: Any) -> Any:
    return np.array([[math.nan if one is None else one for one in row] for row in table], dtype=np.float64)


def taken(
    name: str, people: Any, metric: Any, options: AgreementOptions = PLAIN, documents: Any = None
) -> AgreementValue:
    documents = np.arange(len(people[0])) if documents is None else documents
    return measure(name, "item").take(Tables(array(people), array(metric), documents), options)


@pytest.mark.parametrize(
    ("name", "options", "expected"),
    [
        ("acc_eq", AgreementOptions(), (29 / 36, 8 / 9, 8 / 9)),
        ("pearson", AgreementOptions(), (0.879765, 0.906259, 0.904684)),
        ("spearman", AgreementOptions(), (0.843274, 0.744017, 0.910684)),
        ("tau_b", AgreementOptions(), (0.737725, 0.655442, 0.877664)),
        ("tau_c", AgreementOptions(), (0.851852, 0.703704, 0.925926)),
        ("tau_23", AgreementOptions(), (0.388889, 0.333333, 0.555556)),
        ("kendall_like", AgreementOptions(threshold=1.0), (0.851852, 0.714286, 1.0)),
    ],
)
def test_tiny_case(name: str, options: AgreementOptions, expected: tuple[float, ...]) -> None:
    found = [taken(f"{name}:{group}", PEOPLE, METRIC, options).value for group in GROUPS]
    assert expected == pytest.approx(found, abs=5e-7)


def test_tiny_case_of_one_group() -> None:
    found = taken("acc_eq", PEOPLE, METRIC)
    assert (0.5 - 0.45, pytest.approx(8 / 9)) == (found.details["epsilon"], found.value)
    assert 0.854989 == pytest.approx(taken("pdp", PEOPLE, METRIC).value, abs=5e-7)
    whole = array(PEOPLE)[:, :3], array(METRIC)[:, :3]
    assert slow.spa(whole[0].tolist(), whole[1].tolist()) == pytest.approx(
        taken("spa", PEOPLE, METRIC).value, abs=1e-12
    )


@st.composite
def tables(draw: st.DrawFn, missing: bool = True, systems: int = 5, items: int = 6) -> tuple[Any, Any]:
    size = draw(st.integers(2, systems)), draw(st.integers(1, items))
    tied = st.sampled_from([0.0, -0.0, -1.0, -5.0, 0.1, 0.2, 0.3])
    score = st.one_of(tied, st.floats(-1, 1, width=32))
    kept = st.one_of(st.none(), score, score, score) if missing else score
    rows = st.lists(st.lists(kept, min_size=size[1], max_size=size[1]), min_size=size[0], max_size=size[0])
    return draw(rows), draw(rows)


def has_pairs(people: Any, metric: Any, group: str) -> bool:
    return any(len(cells) > 1 for cells in slow.groups(people, metric, group))


@given(tables(), st.sampled_from(GROUPS))
def test_best_tolerance_is_the_smallest_of_all_that_are_tried(both: tuple[Any, Any], group: str) -> None:
    if has_pairs(*both, group):
        epsilon, value = slow.best(*both, group)
        found = taken(f"acc_eq:{group}", *both)
        assert (epsilon, pytest.approx(float(value), abs=1e-12)) == (found.details["epsilon"], found.value)
        cells = grouped(array(both[0]), array(both[1]), group)
        pairs = [size * (size - 1) // 2 for size in cells.sizes.tolist()]
        common = math.lcm(*{one for one in pairs if one})
        assert epsilon == _best_of_large_weights(cells, [common // one if one else 0 for one in pairs])


@given(tables(), st.sampled_from(GROUPS), st.sampled_from([0.0, 0.1, 0.25, 2.0]))
def test_a_fixed_tolerance(both: tuple[Any, Any], group: str, epsilon: float) -> None:
    if has_pairs(*both, group):
        found = taken(f"acc_eq:{group}", *both, AgreementOptions(epsilon=epsilon))
        assert float(slow.accuracy(*both, group, epsilon)) == pytest.approx(found.value, abs=1e-12)


def test_groups_without_a_small_common_multiple_are_exact_too() -> None:
    generator = np.random.default_rng(1)
    people = generator.integers(-3, 1, (9, 120)).astype(float)
    metric = people + generator.normal(size=people.shape).round(1)
    for system, count in enumerate((113, 109, 107, 103, 101, 97, 89, 83, 79)):
        metric[system, count:] = np.nan
    cells = grouped(people, metric, "system")
    assert math.lcm(*(size * (size - 1) // 2 for size in cells.sizes.tolist())) > 2**63
    lists = [
        [[None if math.isnan(one) else one for one in row] for row in table.tolist()] for table in (people, metric)
    ]
    assert slow.best(*lists, "system")[0] == best_epsilon(cells)


SLOW: dict[str, Callable[..., float]] = {
    "pearson": slow.pearson,
    "spearman": slow.spearman,
    **{kind: (lambda cells, kind=kind: slow.kendall(cells, kind)) for kind in ("tau_b", "tau_c", "tau_23")},
}


@pytest.mark.parametrize("name", SLOW)
@given(both=tables(), group=st.sampled_from(GROUPS))
def test_correlations_are_those_of_pairs_one_by_one(name: str, both: tuple[Any, Any], group: str) -> None:
    expected = slow.mean([SLOW[name](cells) for cells in slow.groups(*both, group)])
    assert expected == pytest.approx(taken(f"{name}:{group}", *both).value, abs=1e-6, nan_ok=True)


@given(tables(), st.sampled_from(GROUPS), st.sampled_from([0.1, 1.0, 4.0]))
def test_pairs_that_people_find_far_apart(both: tuple[Any, Any], group: str, threshold: float) -> None:
    found = taken(f"kendall_like:{group}", *both, AgreementOptions(threshold=threshold))
    assert slow.kendall_like(*both, group, threshold) == pytest.approx(found.value, nan_ok=True)


@given(tables(missing=False))
def test_differences_within_items(both: tuple[Any, Any]) -> None:
    flat = [value for table in both for row in table for value in row]
    if min((abs(a - b) for a in flat for b in flat if a != b), default=1.0) > 1e-6:  # else rounding decides
        assert slow.pdp(*both) == pytest.approx(taken("pdp", *both).value, abs=1e-6, nan_ok=True)


@given(tables(missing=False))
def test_soft_pairwise_accuracy_adds_up_in_any_way(both: tuple[Any, Any]) -> None:
    assert slow.spa(*both) == pytest.approx(taken("spa", *both).value, abs=1e-12)


def test_rows_add_up_to_the_value() -> None:
    generator = np.random.default_rng(2)
    people = generator.integers(-5, 1, (6, 40)).astype(float)
    metric = people + 3 * generator.normal(size=people.shape)
    documents = np.repeat(np.arange(10), 4)
    for name in MEASURES:
        found = taken(name, people, metric, AgreementOptions(threshold=1.0), documents)
        assert found.rows is not None and found.score is not None
        there = found.rows[~np.isnan(found.rows).any(axis=1)]
        sums = np.array([there.sum(axis=0)])
        if name.startswith("spa"):  # shuffles take the normal limit of the p-values
            assert found.value == pytest.approx(float(found.score(sums)[0]), abs=0.02)
        else:
            assert found.value == pytest.approx(float(found.score(sums)[0]), abs=1e-9), name


# WMT23, as mt-metrics-eval has it.

KEYS = {
    "acc23_item_eps0": ("acc_eq", AgreementOptions(epsilon=0.0)),
    "acc_eq_item": ("acc_eq", AgreementOptions()),
    "kendall_like_item_1": ("kendall_like", AgreementOptions(threshold=1.0)),
    "kendall_like_item_25": ("kendall_like", AgreementOptions()),
    "pdp_item": ("pdp", AgreementOptions()),
    "pearson_seg_item": ("pearson", AgreementOptions()),
    "pearson_seg_none": ("pearson:none", AgreementOptions()),
    "pearson_seg_sys": ("pearson:system", AgreementOptions()),
    "spa": ("spa", AgreementOptions()),
    "spearman_seg_item": ("spearman", AgreementOptions()),
    "spearman_seg_none": ("spearman:none", AgreementOptions()),
    "sys_accuracy": ("acc", AgreementOptions()),
    "sys_pearson": ("sys_pearson", AgreementOptions()),
    "sys_spearman": ("sys_spearman", AgreementOptions()),
    "sys_tau_b": ("sys_tau_b", AgreementOptions()),
    "tau_23_item": ("tau_23", AgreementOptions()),
    "tau_b_item": ("tau_b", AgreementOptions()),
    "tau_b_none": ("tau_b:none", AgreementOptions()),
    "tau_b_sys": ("tau_b:system", AgreementOptions()),
    "tau_c_item": ("tau_c", AgreementOptions()),
}


@cache
def wmt23(pair: str, gold: str) -> dict[str, Tables]:
    """The tables of each metric by the name that mt-metrics-eval gives it; the systems are in order of name."""
    folder = real_texts.people_folder()
    if folder is None or not (folder / "wmt23").is_dir():
        pytest.skip("no scores of people at hand: name a folder with people/wmt23 in TRUEBLEU_TEST_DATA")
    folder /= "wmt23"
    people, of_people = (
        truebleu.scores.read(folder / f"human-scores/{pair}.{gold}.{level}.score.gz") for level in ("seg", "sys")
    )
    documents = read_documents(ScoreFile(str(folder / f"documents/{pair}.docs.gz")))[0]
    units = np.unique(documents, return_inverse=True)[1]
    systems = sorted(one for one in people.systems if not (pair == "zh-en" and one == "refA"))
    found = {}
    for path in sorted((folder / "metric-scores" / pair).glob("*.seg.score.gz")):
        table, of_systems = (
            truebleu.scores.read(path.with_name(path.name.replace(".seg.", level))) for level in (".seg.", ".sys.")
        )
        given = tuple(one.matrix(one.metrics[0], systems)[:, 0] for one in (of_people, of_systems))
        scores = people.matrix(people.metrics[0], systems), table.matrix(table.metrics[0], systems)
        found[table.metrics[0].rpartition("-")[0]] = Tables(*scores, units, (given[0], given[1]))
    return found


@pytest.mark.parametrize("gold", GOLDEN)
def test_wmt23_is_that_of_mt_metrics_eval(gold: str) -> None:
    pair, _, kind = gold.partition(".")
    by_name = wmt23(pair, kind)
    compared = 0
    for name, expected in GOLDEN[gold].items():
        tables = by_name.get(name.lstrip("*").removesuffix("[noref]"))
        if tables is None:  # BERTscore and BLEURT-20 are not at hand
            continue
        for key, (measured, options) in KEYS.items():
            if key in expected:
                value = measure(measured, "item").take(tables, options).value
                assert expected[key] == pytest.approx(value, abs=2e-4 if key == "spa" else 1e-9), (name, key)
                compared += 1
    assert compared >= {"da-sqm": 50}.get(kind, 200)


@pytest.mark.parametrize("pair", ["he-en", "zh-en"])
def test_soft_pairwise_accuracy_of_wmt23_is_that_of_64_bits(pair: str) -> None:
    """In another way of adding up, and with the items in another order."""
    for name in ("BLEU", "GEMBA-MQM"):
        tables = wmt23(pair, "mqm")[name]
        there = ~np.isnan(tables.people).any(axis=0)
        people, metric = (np.asarray(one[:, there], np.longdouble) for one in (tables.people, tables.metric))
        signs = np.rint(np.random.default_rng(4).random((1000, there.sum()), dtype=np.float32)) * 2 - 1
        off = []
        for a in range(len(people)):
            for b in range(a + 1, len(people)):
                shares = []
                for scores in (people, metric):
                    differences = (scores[a] - scores[b])[::-1]
                    near = differences.sum() - 1e-9 * np.abs(scores).max()
                    shares.append((((signs[:, ::-1] * differences).sum(axis=1)) >= near).mean())
                off.append(abs(shares[0] - shares[1]))
        value = measure("spa", "item").take(tables, AgreementOptions()).value
        assert 1 - float(np.mean(off)) == pytest.approx(value, abs=1e-12)
        exact = measure("spa:exact", "item").take(tables, AgreementOptions()).value
        assert exact == pytest.approx(value, abs=0.002)
