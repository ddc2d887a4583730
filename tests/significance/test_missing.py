"""Scores that are missing: pairs, drop and fit against slow versions, their thresholds, and what stays the same."""

import json
import math
import re
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from truebleu.errors import EmptyCorpus, OptionError, TooFew
from truebleu.metrics import BLEU
from truebleu.significance import Comparison, ExternalMetric, compare
from truebleu.significance.missing import fit_effects, p_of_t
from truebleu.significance.notes import notes_of

Cells = NDArray[np.float64]


def fitted_slowly(cells: Cells) -> Cells:
    """Least squares with a column for each segment and system, the systems' effects centred."""
    systems, items = cells.shape
    rows, values = [], []
    for s in range(systems):
        for i in range(items):
            if not np.isnan(cells[s, i]):
                row = np.zeros(systems + items)
                row[s] = row[systems + i] = 1
                rows.append(row)
                values.append(cells[s, i])
    # The columns of systems and of segments have one sum, so that one singular value is zero but for rounding.
    found = np.linalg.lstsq(np.array(rows), np.array(values), rcond=1e-9)[0][:systems]
    return np.asarray(found - found.mean())


def made(seed: int = 0, systems: int = 4, items: int = 120, share: float = 0.3) -> Cells:
    rng = np.random.default_rng(seed)
    cells = rng.normal(size=items) + rng.normal(scale=0.5, size=(systems, items)) + 0.2 * np.arange(systems)[:, None]
    cells[rng.random(cells.shape) < share] = np.nan
    return cells


def named(cells: Cells) -> dict[str, list[float]]:
    return {f"s{at}": row.tolist() for at, row in enumerate(cells)}


def compared(cells: Cells, **options: Any) -> Comparison:
    options = {"all_pairs": True, "n_samples": 500, "n_confidence": 100, "missing": "pairs", **options}
    return compare(named(cells), ExternalMetric("m", higher_is_better=True), **options)


def test_the_fit_of_the_paper_example() -> None:
    cells = np.array([[1, 2, np.nan, 4], [2, np.nan, 3, 6], [np.nan, 1, 1, 5]])
    found = fit_effects(cells, np.arange(4))
    assert found is not None
    assert [-0.4, 1.0, -0.6] == pytest.approx(found.effects.tolist(), abs=1e-12)


@given(st.integers(0, 10_000), st.integers(2, 5), st.integers(8, 30), st.floats(0, 0.5))
def test_the_fit_equals_least_squares_with_and_without_each_unit(
    seed: int, systems: int, items: int, share: float
) -> None:
    cells, units = made(seed, systems, items, share), np.arange(items) // 3
    try:
        found = fit_effects(cells, units)
    except TooFew:  # it hangs on one unit
        return
    if found is None:
        return
    assert fitted_slowly(cells) == pytest.approx(found.effects, abs=1e-8)
    used = (~np.isnan(cells)).sum(axis=0) >= 2
    for place, unit in enumerate(dict.fromkeys(units[used].tolist())):
        assert fitted_slowly(cells[:, units != unit]) == pytest.approx(found.without[place], abs=1e-8)


@given(st.integers(0, 10_000), st.sampled_from(["ar", "bs2"]))
def test_each_pair_is_tested_on_the_segments_that_both_have(seed: int, test: str) -> None:
    cells = made(seed, 3, 90, 0.2)
    report = compared(cells, test=test, correction=None)
    for (a, b), pair in zip(combinations(range(3), 2), report.metrics[0].pairs, strict=True):
        both = ~np.isnan(cells[a]) & ~np.isnan(cells[b])
        if test == "bs2" and both.sum() < 50:
            assert math.isnan(pair.p_value)
            continue
        (alone,) = compared(cells[[a, b]][:, both], test=test).metrics[0].pairs
        assert (alone.p_value, alone.delta, alone.interval) == (pair.p_value, pair.delta, pair.interval)
        assert (int(both.sum()), "segment", int(both.sum())) == (pair.n, pair.unit, pair.n_units)
        only = [int((~np.isnan(cells[x]) & ~both).sum()) for x in (a, b)]
        assert pair.missing is not None and ("pairs", *only) == pair.missing
        assert ("pairs", *reversed(only)) == pair.turned.missing


@pytest.mark.parametrize("documents", [None, [at // 5 for at in range(120)]])
def test_complete_scores_are_tested_as_always(documents: Sequence[int] | None) -> None:
    scores, metric = named(made(share=0)), ExternalMetric("m", higher_is_better=True)
    always = compare(scores, metric, all_pairs=True, documents=documents)
    for options in ({"missing": "pairs"}, {"missing": "drop"}, {"missing": "fit", "assignment": "random"}):
        assert always == compare(scores, metric, all_pairs=True, documents=documents, **options)  # type: ignore[arg-type]
    assert "missing" not in str(always.metrics[0].signature)


def test_segments_without_any_score_cost_nothing() -> None:
    cells = made(share=0)
    wide = np.full((4, 200), np.nan)
    wide[:, ::2][:, :100], wide[:, 1:41:2] = cells[:, :100], cells[:, 100:]
    order = [*range(0, 41, 1), *range(42, 200, 2)]
    narrow = compared(wide[:, [at for at in order if not np.isnan(wide[0, at])]])
    assert narrow.metrics == compared(wide).metrics and 120 == compared(wide).n_segments
    assert "missing" not in str(narrow.metrics[0].signature) and narrow.metrics[0].pairs[0].missing is None


def test_drop_is_the_test_of_what_all_have() -> None:
    cells = made(share=0.1)
    kept = ~np.isnan(cells).any(axis=0)
    dropped, alone = compared(cells, missing="drop"), compared(cells[:, kept])
    assert alone.metrics[0].pairs == dropped.metrics[0].pairs
    assert "missing:drop" in str(dropped.metrics[0].signature) and int(kept.sum()) == dropped.n_segments
    few = made(share=0.5)
    with pytest.raises(TooFew, match="missing='drop' needs 30 or more; missing='pairs' takes those that two have"):
        compared(few, missing="drop")


def test_the_fit_has_its_standard_error_from_a_jackknife_over_documents() -> None:
    cells, documents = made(), [at // 6 for at in range(120)]
    report = compared(cells, missing="fit", assignment="random", documents=documents, correction=None)
    pair, units = report.metrics[0].pairs[0], np.array(documents)
    without = [fitted_slowly(cells[:, units != unit]) for unit in range(20)]
    gaps = np.array([one[1] - one[0] for one in without])
    error = math.sqrt(19 / 20 * ((gaps - gaps.mean()) ** 2).sum())
    whole = fitted_slowly(cells)
    assert (whole[1] - whole[0], error) == pytest.approx((pair.delta, pair.standard_error), rel=1e-9)
    assert p_of_t(pair.delta, error, 19) == pytest.approx(pair.p_value, rel=1e-6)
    signature = str(report.metrics[0].signature)
    assert "|missing:fit|" in signature and "|docs:20|" in signature and "ar:" not in signature
    assert "Fit of effects of segments and systems, tested by a jackknife" == report.title


def test_p_values_of_students_distribution() -> None:
    # By R: 2 * pt(-t, df).
    known = [(2.228139, 10, 0.05), (2.009575, 49, 0.05), (4.0, 30, 0.0003818), (1.0, 20, 0.3292566), (0.0, 9, 1.0)]
    for t, df, p_value in known:
        assert p_value == pytest.approx(p_of_t(t, 1.0, df), rel=2e-2)
    assert (1.0, 0.0) == (p_of_t(0.0, 0.0, 9), p_of_t(1.0, 0.0, 9))


def test_a_dynamic_assignment_is_warned_of(caplog: pytest.LogCaptureFixture) -> None:
    report = compared(made(), missing="fit", assignment="dynamic")
    assert any("about 7 % false claims at the level 5 %" in message for message in caplog.messages)
    assert "|missing:fit-dynamic|" in str(report.metrics[0].signature)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"missing": "fit"}, "say so with assignment='random'"),
        ({"missing": "pairs", "assignment": "random"}, "assignment is about missing='fit'"),
        ({"missing": "available"}, "missing is 'available', expected one of 'pairs', 'drop', 'fit'"),
        ({"missing": "fit", "assignment": "chance"}, "assignment is 'chance', expected one of 'random', 'dynamic'"),
        ({"strata": ["x", "y"] * 60}, "strata do not go with scores that are missing"),
    ],
)
def test_options_that_do_not_go_together(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        compared(made(), **options)


def test_systems_that_share_nothing_cannot_be_fitted() -> None:
    cells = made(share=0)
    cells[:2, :60], cells[2:, 60:] = np.nan, np.nan
    with pytest.raises(OptionError, match="fall into groups that share none; use missing='pairs'"):
        compared(cells, missing="fit", assignment="random")
    report = compared(cells)
    pairs = {(pair.baseline, pair.system): pair for pair in report.metrics[0].pairs}
    assert math.isnan(pairs["s0", "s2"].p_value) and pairs["s0", "s2"].n == 0 and not pairs["s0", "s2"].significant
    assert None is report.metrics[0].systems[0].adjusted and report.to_dict()["metrics"][0]["pairs"][1]["delta"] is None


def test_a_fit_that_hangs_on_one_segment_is_refused() -> None:
    cells = made(share=0)
    cells[:2, :60], cells[2:, 61:] = np.nan, np.nan  # segment 60 alone is shared
    with pytest.raises(TooFew, match="hangs on a single segment or document"):
        compared(cells, missing="fit", assignment="random")


def test_too_few_complete_pairs(caplog: pytest.LogCaptureFixture) -> None:
    cells = made(systems=3, share=0)
    cells[0, 5:], cells[1, :20] = np.nan, np.nan
    report = compared(cells)
    by_names = {(pair.baseline, pair.system): pair for pair in report.metrics[0].pairs}
    assert [0, 5, 100] == [by_names[one].n for one in (("s0", "s1"), ("s0", "s2"), ("s1", "s2"))]
    assert [True, True, False] == [math.isnan(pair.p_value) for pair in by_names.values()]
    assert any("too few segments have scores of both systems for a p-value" in one for one in caplog.messages)
    assert "Too few segments or documents to test s0 and s2" in " ".join(
        one["sentence"] for one in report.to_dict()["metrics"][0]["pairs"]
    )
    assert 1 == len(report.metrics[0].clusters or ())  # a pair without a p-value blocks the cut


def test_a_bootstrap_of_fewer_than_fifty_pairs_has_no_p_value(caplog: pytest.LogCaptureFixture) -> None:
    cells = made(systems=2, items=60, share=0)
    cells[0, :11] = np.nan
    assert 49 == compared(cells).metrics[0].pairs[0].n and not math.isnan(compared(cells).metrics[0].pairs[0].p_value)
    assert math.isnan(compared(cells, test="bs2").metrics[0].pairs[0].p_value)
    assert any("expected 50 or more; use ar" in message for message in caplog.messages)


def test_a_system_without_any_score_is_named() -> None:
    cells = made()
    cells[2] = np.nan
    with pytest.raises(EmptyCorpus, match="compare: the system 's2' has no score of m, all of them are missing"):
        compared(cells)


def test_systems_with_other_segments_are_ranked_by_adjusted_means() -> None:
    rng = np.random.default_rng(4)
    hard = np.repeat([0.0, 10.0], 60)
    cells = hard + rng.normal(scale=0.3, size=(3, 120)) + np.array([[0.0], [1.0], [0.5]])
    cells[0, :60] = np.nan  # the worst system has the easy half alone
    metric = compared(cells).metrics[0]
    assert ["s1", "s2", "s0"] == metric.order and metric.systems[0].score > metric.systems[1].score
    assert [60, 120, 120] == [system.n for system in metric.systems]
    whole = fitted_slowly(cells)
    for (a, one), (b, other) in combinations(enumerate(metric.systems), 2):
        assert whole[a] - whole[b] == pytest.approx((one.adjusted or 0) - (other.adjusted or 0), abs=1e-9)
    assert (
        "systems lack 0 to 50 % of the segments, which chance hardly makes",
        "s0 lacks 50 % of the segments; there the others score 9.9 lower",
    ) == metric.lacks
    notes = " ".join(notes_of(compared(cells)))
    assert "Each pair was tested on the segments that both have: 60 to 120." in notes
    assert "ranked by the adjusted means" in notes and "s0 lacks 50 % of the segments" in notes


def test_adjusted_means_are_the_means_where_nothing_is_missing_but_at_random() -> None:
    cells = made(share=0.02, items=400)
    for system, row in zip(compared(cells).metrics[0].systems, cells, strict=True):
        assert np.nanmean(row) == pytest.approx(system.adjusted, abs=0.02)
    assert () == compared(cells).metrics[0].lacks


def test_metrics_of_texts_stand_beside_scores_that_are_missing() -> None:
    rng = np.random.default_rng(2)
    words = [["a", "b", "c", "d"], ["a", "b", "x", "d"]]
    texts = {f"s{at}": [" ".join(rng.permutation(words[at])) for _ in range(80)] for at in range(2)}
    references, scores = [["a b c d"] * 80], named(made(systems=2, items=80, share=0.2))
    given = {name: {"bleu": texts[name], "m": scores[name]} for name in texts}
    metric = ExternalMetric("m", higher_is_better=True)
    both = compare(given, {"m": metric, "bleu": BLEU()}, references, missing="pairs")
    assert ["m", "bleu"] == [one.key for one in both.metrics]
    assert compare(texts, {"bleu": BLEU()}, references).metrics[0] == both.metrics[1]
    assert compare(scores, metric, missing="pairs").metrics[0].pairs == both.metrics[0].pairs


@given(st.integers(0, 1000), st.randoms(use_true_random=False), st.sampled_from(["pairs", "drop", "fit"]))
def test_order_and_a_constant_change_nothing_but_the_draws(seed: int, random: Any, rule: str) -> None:
    cells = np.round(made(seed, 3, 80, 0.15), 3)
    order = list(range(3))
    random.shuffle(order)
    options = {"missing": rule, "correction": None} | ({"assignment": "random"} if rule == "fit" else {})
    plain, moved = compared(cells, **options), compared(cells[order] + 7, **options)
    places = {f"s{at}": f"s{order.index(at)}" for at in range(3)}
    for pair in plain.metrics[0].pairs:
        other = moved.metrics[0].pair(places[pair.system], places[pair.baseline])
        assert pair.delta == pytest.approx(other.delta, abs=1e-9) and pair.n == other.n
        assert pair.p_value == pytest.approx(other.p_value, abs=1e-6 if rule == "fit" else 1e-12)


@pytest.mark.parametrize("rule", ["pairs", "fit"])
def test_a_system_twice_is_not_different(rule: str) -> None:
    cells = made(systems=2)
    options: dict[str, Any] = {"missing": rule} | ({"assignment": "random"} if rule == "fit" else {})
    report = compared(np.stack([cells[0], cells[0], cells[1]]), **options)
    assert 1.0 == report.metrics[0].pairs[0].p_value and 0 == report.metrics[0].pairs[0].delta


def test_systems_may_have_different_numbers_of_runs() -> None:
    first, second, third = (row.tolist() for row in made(systems=3, items=200, share=0.1))
    metric = ExternalMetric("m", higher_is_better=True)
    report = compare({"a": [first, second], "b": [third]}, metric, test="bs2", n_samples=100, missing="pairs")
    lost = sum(any(math.isnan(row[at]) for row in (first, second, third)) for at in range(200))
    assert 200 - lost == report.metrics[0].pairs[0].n and not math.isnan(report.metrics[0].pairs[0].p_value)


def test_a_constant_column_shows_no_differences() -> None:
    cells = np.where(np.isnan(made()), np.nan, 2.0)
    for options in ({"missing": "pairs"}, {"missing": "fit", "assignment": "random"}):
        report = compared(cells, **options)
        assert {1.0} == {pair.p_value for pair in report.metrics[0].pairs} and 1 == len(
            report.metrics[0].clusters or ()
        )


def test_the_page_has_the_figures_that_were_measured() -> None:
    root = Path(__file__).resolve().parents[2]
    record = json.loads((root / "bench" / "calibration_missing.json").read_text("utf-8"))
    page = (root / "docs" / "significance.md").read_text("utf-8")
    names = [key.removesuffix(", he-en") for key in record if key.endswith(", he-en")]
    tables = [line for line in page.splitlines() if line.count(" / ") >= 3 and line.startswith("|")]
    assert 5 == len(names) == len(tables)
    for name, line in zip(names, tables, strict=True):
        shown = re.findall(r"([\d.]+) / ([\d.]+)", line)
        kinds = ("pairs false", "pairs power", "fit false", "fit power")
        measured = [(str(record[f"{name}, he-en"][kind]), str(record[f"{name}, zh-en"][kind])) for kind in kinds]
        assert shown == measured[: len(shown)], name
    assert all(record[f"{name}, {pair}"]["pairs false"] <= 5.7 for name in names for pair in ("he-en", "zh-en"))
