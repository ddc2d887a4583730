"""Tuples with names, against those of `typing`."""

from __future__ import annotations

import copy
import pickle
import typing
from typing import Any

import pytest

from truebleu._records import NamedTuple


class Place(NamedTuple):
    """A record."""

    file: str
    line: int = 1
    note: str | None = None

    @property
    def where(self) -> str:
        """The place in words."""
        return f"{self.file}:{self.line}"


class Elsewhere(Place):
    """A kind of it."""

    __slots__ = ()


class Typed(typing.NamedTuple):
    """The same, of `typing`."""

    file: str
    line: int = 1
    note: str | None = None


CALLS: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
    (("a",), {}), (("a", 2), {}), (("a", 2, "b"), {}), ((), {"file": "a"}), (("a",), {"note": "b"}),
    (("a", 2), {"note": "b"}),
    ((), {"note": "b", "line": 3, "file": "a"}),
    ((), {}), (("a", 2, "b", 4), {}), (("a",), {"file": "b"}), (("a",), {"other": 1}), ((), {"line": 1}),
]  # fmt: skip


@pytest.mark.parametrize(("values", "named"), CALLS)
def test_records_are_made_as_typing_makes_them(values: tuple[Any, ...], named: dict[str, Any]) -> None:
    try:
        expected = Typed(*values, **named)
    except TypeError:
        with pytest.raises(TypeError, match="Place has the fields file, line, note, and"):
            Place(*values, **named)
        return
    found = Place(*values, **named)
    assert tuple(expected) == found and expected._asdict() == found._asdict()
    assert repr(expected).replace("Typed", "Place") == repr(found)
    assert (expected.file, expected.line, expected.note) == (found.file, found.line, found.note)
    assert tuple(expected._replace(line=9)) == found._replace(line=9)


def test_records_are_tuples_that_cannot_be_changed() -> None:
    place = Place("a")
    with pytest.raises(AttributeError):
        place.line = 2  # type: ignore[misc]
    with pytest.raises(AttributeError):
        place.other = 2  # type: ignore[attr-defined]
    assert (Typed._fields, Typed._field_defaults) == (Place._fields, Place._field_defaults)
    assert Place._make(["a", 2, None]) == Place("a", 2) == ("a", 2, None) and hash(place) == hash(("a", 1, None))
    assert "a:1" == place.where
    match place:
        case Place(file, line):
            assert ("a", 1) == (file, line)


@pytest.mark.parametrize("twin", [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_records_are_copied_and_pickled(twin: Any) -> None:
    for one in (Place("a", 2), Elsewhere("b")):
        assert (type(one), one) == (type(twin(one)), twin(one))
