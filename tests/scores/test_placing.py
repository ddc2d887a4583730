"""Where scored items stand among the segments of texts."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truebleu._logs import send_to
from truebleu.errors import InputError, LengthMismatch
from truebleu.scores import ScoreTable
from truebleu.scores.placing import places_of


def table(items: Sequence[str], documents: Sequence[str] | None = None, **about: object) -> ScoreTable:
    return ScoreTable.from_columns(
        system=["a"] * len(items), item=items, metric="ESA", score=[50.0] * len(items), document=documents, **about
    )


def named(pairs: Sequence[tuple[str, int]], mark: str = "/") -> ScoreTable:
    return table([f"{document}{mark}{number}" for document, number in pairs], [document for document, _ in pairs])


@pytest.mark.parametrize("mark, first", [("/", 1), ("_###_", 0), ("_#_", 0)])
@given(st.lists(st.sampled_from(["news", "talk 3", "chat#1"]), min_size=1, max_size=30), st.randoms())
def test_named_items_stand_where_their_documents_say(
    mark: str, first: int, documents: list[str], random: object
) -> None:
    seen: dict[str, int] = {}
    pairs = []
    for document in documents:
        pairs.append((document, seen.setdefault(document, first)))
        seen[document] += 1
    # The number 0 tells whether numbers begin there, so it is kept.
    kept = [at for at, pair in enumerate(pairs) if pair[1] == first or random.random() < 0.5]  # type: ignore[attr-defined]
    random.shuffle(kept)  # type: ignore[attr-defined]
    assert kept == places_of(named([pairs[at] for at in kept], mark), len(documents), documents, "esa.csv")


def test_items_without_names_and_numbers_are_segments_in_their_order() -> None:
    assert [0, 1, 2] == places_of(table(["1", "2", "3"], is_by_order=True), 3, None, "x")
    assert [1, 4] == places_of(table(["2", "5"]), 5, ["d"] * 5, "x")
    for wrong in (table(["1", "2"], is_by_order=True), table(["2", "6"])):
        with pytest.raises(LengthMismatch, match=r"x has scores of 2 items, the systems have 5 segments$"):
            places_of(wrong, 5, None, "x")


def test_names_without_documents_of_the_texts_need_the_order_of_the_file() -> None:
    pairs = [("d1", 1), ("d1", 2), ("d2", 1), ("d2", 2)]
    said: list[str] = []
    send_to(lambda _, message: said.append(message))
    try:
        assert [0, 1, 2, 3] == places_of(named(pairs), 4, None, "esa.csv")
    finally:
        send_to(None)
    assert ["esa.csv names its segments, the texts do not: its scores are taken in the order of the file"] == said
    for order, words in (([1, 0, 2, 3], "'d1/1' is after 'd1/2'"), ([0, 2, 1, 3], "'d1/2' is after 'd2/1'")):
        with pytest.raises(
            InputError, match=f"and {words}, so they are not in the order of the texts; --documents FILE"
        ):
            places_of(named([pairs[at] for at in order]), 4, None, "esa.csv")
    with pytest.raises(LengthMismatch, match="4 items, the systems have 5 segments; --documents FILE joins them"):
        places_of(named(pairs), 5, None, "esa.csv")


def test_documents_and_segments_that_the_texts_lack_are_refused() -> None:
    with pytest.raises(InputError, match="the document 'd9', which the texts do not have; theirs are d1, d2"):
        places_of(named([("d1", 1), ("d9", 1)]), 3, ["d1", "d1", "d2"], "esa.csv")
    with pytest.raises(InputError, match="scores of 'd2/2', and the document 'd2' has 1 segment"):
        places_of(named([("d1", 1), ("d2", 2)]), 3, ["d1", "d1", "d2"], "esa.csv")
