"""The long table of scores."""

import numpy as np
import pytest

from truebleu.errors import BadScore, EmptyCorpus, InputError, LengthMismatch, OptionError
from truebleu.scores import ScoreTable

NAN = float("nan")


def table(**changed: object) -> ScoreTable:
    columns: dict[str, object] = {
        "system": ["a", "a", "b", "b"],
        "item": ["x", "y", "x", "y"],
        "metric": "ESA",
        "score": [70, 80, 90, None],
    }
    return ScoreTable.from_columns(**{**columns, **changed})  # type: ignore[arg-type]


def same(expected: list[list[float]], found: object) -> None:
    np.testing.assert_array_equal(np.array(expected), found)


def test_a_matrix_has_systems_by_items() -> None:
    same([[70, 80], [90, NAN]], table().matrix("ESA"))
    same([[90, NAN], [70, 80]], table().matrix("ESA", ["b", "a"]))


def test_the_scores_of_several_raters_are_averaged() -> None:
    rated = table(item=["x", "x", "x", "y"], rater=["r", "s", "r", "s"], score=[70, 81, 90, NAN])
    same([[75.5, NAN], [90, NAN]], rated.matrix("ESA"))
    same([[81, NAN], [NAN, NAN]], rated.matrix("ESA", raters="s"))
    assert ("r", "s") == rated.raters


def test_the_order_of_raters_does_not_show_in_the_last_bit() -> None:
    values = [0.1, 0.2, 0.3, 0.7, 1e-9]
    found = {
        float(
            ScoreTable.from_columns(
                system=["a"] * 5, item=["1"] * 5, metric="m", rater=list("vwxyz"), score=np.roll(values, by)
            ).matrix("m")[0, 0]
        )
        for by in range(5)
    }
    assert 1 == len(found)


def test_items_that_are_numbers_stand_in_their_order() -> None:
    numbered = table(item=["10", "9", "9", "10"], document=["d", "e", "e", "d"])
    assert (("9", "10"), ("e", "d")) == (numbered.items, numbered.documents)
    same([[80, 70], [90, NAN]], numbered.matrix("ESA"))


def test_rows_have_a_count_of_zero_where_a_score_is_missing() -> None:
    rows = table().stats("ESA")
    same([[90, 1], [0, 0]], rows["b"].rows)
    assert 90 == table().metric("ESA").score(rows["b"]).score


def test_a_system_without_any_score_is_refused() -> None:
    with pytest.raises(BadScore, match="ESA: the system 'b' has no score, all of its 2 are missing"):
        table(score=[1, 2, None, None]).stats("ESA")


def test_two_scores_of_one_cell_are_refused() -> None:
    with pytest.raises(InputError, match=r"ESA: the system 'a' has two scores for the item 'x' .1 such., expected one"):
        table(item=["x", "x", "x", "y"])


def test_two_documents_of_one_item_are_refused() -> None:
    with pytest.raises(InputError, match="the item 'x' is of the documents 'd' and 'e', expected one document"):
        table(document=["d", "d", "e", "d"])


@pytest.mark.parametrize("name", ["None", "nan", "", "a\tb", "a\nb"])
def test_a_name_of_nothing_is_refused(name: str) -> None:
    with pytest.raises(InputError, match=r"a system is called .*, expected a name that can be shown"):
        table(system=["a", "a", name, name])


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(OptionError, match=r"there is no metric 'ESB' .did you mean ESA..; there are ESA"):
        table().matrix("ESB")


def test_columns_of_unequal_length_and_empty_ones_are_refused() -> None:
    with pytest.raises(LengthMismatch, match="3 items and 4 scores"):
        table(item=["x", "y", "x"])
    with pytest.raises(EmptyCorpus):
        table(system=[], item=[], score=[])


def test_arrow_and_back() -> None:
    given = table(rater=["r", None, "r", "s"], document=["d", "e", "d", "e"])
    back = ScoreTable.from_arrow(given.to_arrow())
    same(given.matrix("ESA").tolist(), back.matrix("ESA"))
    assert (given.raters, given.documents, None) == (back.raters, back.documents, back.domains)


def test_tables_with_names_are_joined_by_names() -> None:
    other = table(metric="COMET", item=["y", "z", "y", "z"], score=[0.1, 0.2, 0.3, 0.4], document=list("dede"))
    both = table().join(other)
    assert (("x", "y", "z"), ("ESA", "COMET"), (None, "d", "e")) == (both.items, both.metrics, both.documents)
    same([[NAN, 0.1, 0.2], [NAN, 0.3, 0.4]], both.matrix("COMET"))
    same([[70, 80, NAN], [90, NAN, NAN]], both.matrix("ESA"))


def test_tables_without_names_are_joined_by_numbers_if_these_are_equal() -> None:
    by_order = table(metric="COMET", item=["1", "2", "1", "2"], is_by_order=True)
    assert ("x", "y") == table().join(by_order).items == by_order.join(table()).items
    longer = table(metric="COMET", item=["1", "2", "3", "4"], is_by_order=True)
    with pytest.raises(LengthMismatch, match="ESA has 2 segments, COMET has 4"):
        table().join(longer)


def test_levels_are_not_mixed() -> None:
    with pytest.raises(OptionError, match=r"scores of a segment .ESA. and of a system .ESA. are not put together"):
        table().join(table(level="system"))


def test_documents_can_be_added() -> None:
    assert ("d", "e") == table().with_documents(["d", "e"]).documents
    with pytest.raises(LengthMismatch, match="in documents there are 1 label and 2 segments, expected one label each"):
        table().with_documents(["d"])
