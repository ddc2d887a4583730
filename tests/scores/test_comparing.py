"""Tables of scores in tests: documents, raters, order of everything, and what is refused."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import truebleu
from truebleu._logs import heard
from truebleu.errors import OptionError, TooFew
from truebleu.scores import ScoreTable, compare
from truebleu.scores.comparing import facts_of, raters_of, standardized
from truebleu.significance.units import clustering_of, t_quantile

Row = tuple[str, str, float | None, str | None, str | None]


def made(rows: list[Row], metric: str = "ESA", **about: object) -> ScoreTable:
    system, item, score, rater, document = (list(column) for column in zip(*rows, strict=True))
    return ScoreTable.from_columns(
        system=system, item=item, metric=metric, score=score, rater=rater, document=document, **about  # type: ignore[arg-type]
    )  # fmt: skip


def rows_of(documents: int = 12, size: int = 3, raters: tuple[str, ...] = ("u", "v"), seed: int = 0) -> list[Row]:
    """Scores of three systems, the last of which is worse."""
    random = np.random.default_rng(seed)
    return [
        (system, f"d{at}-{segment}", round(float(random.normal(70 - 9 * (system == "c"), 8)), 1), rater, f"d{at}")
        for at, segment, rater in itertools.product(range(documents), range(size), raters)
        for system in "abc"
    ]


# Documents.


def slow_icc(groups: list[list[float]]) -> float:
    """The correlation within groups, from the mean squares of a one-way analysis of variance."""
    values = [value for group in groups for value in group]
    mean, n, k = sum(values) / len(values), len(values), len(groups)
    between = sum(len(g) * (sum(g) / len(g) - mean) ** 2 for g in groups) / (k - 1)
    within = sum((value - sum(g) / len(g)) ** 2 for g in groups for value in g) / (n - k)
    size = (n - sum(len(g) ** 2 for g in groups) / n) / (k - 1)
    return (between - within) / (between + (size - 1) * within)


def test_the_correlation_within_documents_is_that_of_an_analysis_of_variance() -> None:
    random = np.random.default_rng(5)
    labels = [f"d{at}" for at in (0, 0, 0, 1, 1, 2, 2, 2, 2, 3)]
    effect = {name: random.normal() for name in set(labels)}
    cells = np.array([[effect[name] + random.normal() for name in labels], random.normal(size=10)])
    groups = [[cells[1, at] - cells[0, at] for at in range(10) if labels[at] == name] for name in sorted(set(labels))]
    found = clustering_of(cells, labels)
    assert found is not None
    assert max(0.0, slow_icc(groups)) == pytest.approx(found.icc, abs=1e-12)
    assert (4, 2.5) == (found.documents, found.size)
    assert 1 + 1.5 * found.icc == found.design_effect


def test_documents_are_drawn_whole_where_they_are_known() -> None:
    found = compare(made(rows_of()), n_samples=200)
    assert (12, "document") == (found.n_documents, found.metrics[0].pairs[0].unit)
    assert "docs:12" in str(found.metrics[0].signature)
    assert compare(made(rows_of()), n_samples=200, unit="segment").n_documents is None


def test_labels_of_documents_may_interleave() -> None:
    rows = [(system, item, score, rater, f"d{at % 12}") for at, (system, item, score, rater, _) in enumerate(rows_of())]
    by_item = {item: document for _, item, _, _, document in rows}
    rows = [(system, item, score, rater, by_item[item]) for system, item, score, rater, _ in rows]
    assert len(set(by_item.values())) == compare(made(rows), n_samples=200).n_documents


def test_people_without_documents_get_a_warning() -> None:
    rows = [(*row[:4], None) for row in rows_of()]
    said: list[str] = []
    with heard(said):
        found = compare(made(rows), n_samples=200)
    assert found.n_documents is None
    assert 1 == len(said) and "ESA is of people, and the documents of segments are not known" in said[0]
    assert "15 to 33 % false differences at the level 5 %; name the documents (S104)" in said[0]
    said.clear()
    with heard(said):
        compare(made(rows, "COMET"), n_samples=200)
    assert not said


def test_a_test_without_a_ranking_needs_no_direction() -> None:
    table = made([(*row[:4], row[4]) for row in rows_of()], "mine")
    with pytest.raises(OptionError, match="the direction of mine is unknown, and without it there is no ranking"):
        compare(table)
    found = compare(table, all_pairs=False, n_samples=200).metrics[0]
    assert found.higher_is_better is None and {None} == {pair.winner for pair in found.pairs}
    told = compare(table, all_pairs=False, n_samples=200, higher_is_better={"mine": True}).metrics[0]
    assert [pair.p_value for pair in told.pairs] == [pair.p_value for pair in found.pairs]


def test_one_document_is_too_few() -> None:
    with pytest.raises(TooFew, match="there is 1 document, and resampling needs at least 2"):
        compare(made(rows_of(documents=1)), unit="document")


def test_items_without_a_document_are_refused() -> None:
    rows = [(*row[:4], None if row[1] == "d0-0" else row[4]) for row in rows_of()]
    with pytest.raises(OptionError, match=r"1 item is of no document .d0-0.; unit='segment' takes segments"):
        compare(made(rows))


# Raters.


def test_the_raters_of_a_cell_are_one_score() -> None:
    rows = rows_of()
    means: dict[tuple[str, str, str | None], list[float]] = {}
    for system, item, score, _, document in rows:
        means.setdefault((system, item, document), []).append(score or 0.0)
    alone: list[Row] = [(*key[:2], sum(found) / len(found), None, key[2]) for key, found in means.items()]
    both = [compare(made(one), n_samples=500).to_dict() for one in (rows, alone)]
    assert both[0] == both[1]


def slow_two_way(table: ScoreTable, a: str, b: str) -> tuple[float, float]:
    """The difference and its standard error, cluster by cluster."""
    rows: dict[tuple[str, str], dict[str, float]] = {}
    for rater in table.raters:
        for at, item in enumerate(table.items):
            for system in (a, b):
                value = float(table.matrix("ESA", [system], rater)[0, at])
                rows.setdefault((item, rater), {})[system] = value
    documents = dict(zip(table.items, table.documents or (), strict=True))
    pairs = {key: one[b] - one[a] for key, one in rows.items() if not math.isnan(one[b] - one[a])}
    items = {item for item, _ in pairs}
    counts = {item: sum(key[0] == item for key in pairs) for item in items}
    delta = sum(value / counts[key[0]] for key, value in pairs.items()) / len(items)
    shares = {key: (value - delta) / counts[key[0]] / len(items) for key, value in pairs.items()}
    variances = []
    for cluster in (
        lambda key: documents[key[0]], lambda key: key[1], lambda key: (documents[key[0]], key[1])
    ):  # fmt: skip
        sums: dict[object, float] = {}
        for key, share in shares.items():
            sums[cluster(key)] = sums.get(cluster(key), 0.0) + share
        variances.append(sum(value**2 for value in sums.values()) * len(sums) / (len(sums) - 1))
    by_document, by_rater, crossed = variances
    return delta, math.sqrt(max(by_document, by_document + by_rater - crossed))


def test_other_raters_have_the_variance_of_two_clusterings() -> None:
    rows = [row for at, row in enumerate(rows_of(raters=tuple("uvwxy"))) if at // 3 % 7]
    table = made(rows)
    found = compare(table, raters="random", correction=None)
    for pair in found.metrics[0].pairs:
        delta, error = slow_two_way(table, pair.baseline, pair.system)
        assert (delta, error) == pytest.approx((pair.delta, pair.standard_error))
        low, high = pair.interval or (0, 0)
        assert t_quantile(1.959964, 4) * error == pytest.approx((high - low) / 2)
    # Student's 97.5 % with four degrees; the expansion is a quarter of a per cent below it.
    assert t_quantile(1.959964, 4) == pytest.approx(2.7764, rel=3e-3)
    assert "raters:5-random" in str(found.metrics[0].signature)
    assert "ar:" not in str(found.metrics[0].signature)


def test_other_raters_need_five_who_scored_both() -> None:
    with pytest.raises(TooFew, match="raters='random' needs 5 raters or more, and ESA has 2"):
        compare(made(rows_of()), raters="random")
    with pytest.raises(TooFew, match="is about several raters, and there is 1 rater"):
        compare(made(rows_of(raters=("u",))), raters="random")
    rows = [(s, i, x, f"{r}{s}", d) for s, i, x, r, d in rows_of(raters=tuple("uvwxy"))]
    with pytest.raises(OptionError, match="raters='random' needs raters who scored both systems, and 36 segments of"):
        compare(made(rows), raters="random")


def test_standardized_scores_have_mean_0_and_deviation_1_for_each_rater() -> None:
    table = standardized(made(rows_of()), "ESA")
    for rater in table.raters:
        values = table.matrix("ESA", raters=rater).ravel()
        assert 0 == pytest.approx(values.mean(), abs=1e-12) and 1 == pytest.approx(values.std(ddof=1))
    found = compare(made(rows_of()), z="raters", n_samples=200)
    assert "z:raters" in str(found.metrics[0].signature)
    assert found.metrics[0].higher_is_better


def test_standardizing_is_refused_where_raters_saw_other_systems() -> None:
    rows = [row for row in rows_of() if not (row[3] == "u" and row[0] == "c")]
    with pytest.raises(
        OptionError, match=r"same mix of systems, within 20 %.*furthest off:\n  r1: c 0 %, a 50 %"
    ) as error:
        compare(made(rows), z="raters")
    assert "u" not in str(error.value).split("furthest off")[1].replace("furthest", "")
    with pytest.raises(OptionError, match="not all scores name theirs"):
        compare(made([(*row[:3], None, row[4]) for row in rows_of(raters=("u",))]), z="raters")


def test_raters_are_described_without_their_names() -> None:
    table = made([("a", "1", 1, "ann", "d"), ("a", "2", 2, "ann", "d"), ("a", "3", 3, "ann", "d"),
                  ("a", "1", 2, "bob", "d"), ("a", "2", 4, "bob", "d"), ("a", "3", 6, "bob", "d")])  # fmt: skip
    one, two = raters_of(table, "ESA")
    assert ("r1", 3, 2.0, 1.0) == one[:4] and ("r2", 3, 4.0, 2.0) == two[:4]
    assert 1 == pytest.approx(one.agreement)
    assert ["ann", "bob"] == [facts.name for facts in raters_of(table, "ESA", with_names=True)]


# Order, and other things that must not matter.


@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=25, deadline=None)
def test_the_order_of_lines_systems_items_and_raters_does_not_matter(seed: int) -> None:
    rows = rows_of(documents=20, size=2, seed=3)
    expected = compare(made(rows), n_samples=300).to_dict()
    np.random.default_rng(seed).shuffle(rows)  # type: ignore[arg-type]
    shuffled = [(s, i, float(x or 0), r, d) for s, i, x, r, d in rows]
    assert expected == compare(made(shuffled), n_samples=300).to_dict()


def test_a_constant_more_moves_means_and_no_p_value() -> None:
    def p_values(more: float) -> list[tuple[float, float]]:
        rows = [(s, i, (x or 0) + more, r, d) for s, i, x, r, d in rows_of()]
        return [(round(pair.delta, 9), pair.p_value) for pair in compare(made(rows), n_samples=300).metrics[0].pairs]

    assert p_values(0.0) == p_values(16.0)


def test_a_system_that_is_there_twice_has_p_1() -> None:
    rows = [*rows_of(), *(("twin", i, x, r, d) for s, i, x, r, d in rows_of() if s == "a")]
    (pair,) = (
        one
        for one in compare(made(rows), n_samples=300).metrics[0].pairs
        if {one.system, one.baseline} == {"a", "twin"}
    )
    assert 1 == pair.p_value


def test_items_that_nobody_scored_change_nothing() -> None:
    table = made(rows_of())
    more = table.join(made([("a", f"x{at}", None, None, "none") for at in range(5)]))
    one, two = (compare(of, n_samples=300).metrics[0] for of in (table, more))
    assert [pair.p_value for pair in one.pairs] == [pair.p_value for pair in two.pairs]
    assert [system.score for system in one.systems] == [system.score for system in two.systems]


def test_complete_scores_give_the_numbers_of_compare() -> None:
    table = made(rows_of()).in_order()
    scores = {name: {"ESA": row.tolist()} for name, row in zip(table.systems, table.matrix("ESA"), strict=True)}
    plain = truebleu.compare(
        scores, truebleu.ExternalMetric("ESA"), all_pairs=True, documents=table.documents, n_samples=300
    )
    ours = compare(table, n_samples=300)
    assert plain.metrics[0].pairs == ours.metrics[0].pairs
    for rule in ("pairs", "drop"):
        assert ours.metrics[0].pairs == compare(table, n_samples=300, missing=rule).metrics[0].pairs


def test_scores_of_whole_systems_are_not_tested() -> None:
    with pytest.raises(OptionError, match="ESA: one number for a system has no chance in it, so that it is not tested"):
        compare(made([("a", "all", 1, None, None), ("b", "all", 2, None, None)], level="system"))


def test_facts_count_items_that_have_scores() -> None:
    table = made([*rows_of(), ("a", "x", None, None, "d0")])
    facts = facts_of(table, compare(table, n_samples=200).metrics[0])
    assert ("human", "higher", 36, 37) == (facts.kind, facts.direction, facts.items, facts.all_items)


def test_a_constant_column_has_no_differences() -> None:
    found = compare(made([(s, i, 50, r, d) for s, i, _, r, d in rows_of()]), n_samples=200).metrics[0]
    assert all(pair.p_value == 1 and not pair.significant for pair in found.pairs)
    assert (("a", "b", "c"),) == found.clusters
