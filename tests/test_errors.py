"""The exception tree."""

import builtins
import re

import pytest

from truebleu import errors

CLASSES = {name: value for name, value in vars(errors).items() if isinstance(value, type)}


def drawn_tree() -> list[tuple[str, str, list[str]]]:
    """Each name of the tree in the docstring, with the name it hangs on and the builtins in brackets."""
    path, found = [], []
    for line in (errors.__doc__ or "").partition("::\n")[2].splitlines():
        node = re.match(r"    (?P<branches>[│├└─ ]*)(?P<name>[A-Z]\w+)(?: *\((?P<builtins>[\w, ]+)\))?", line)
        if node is None:
            continue
        depth = len(node["branches"]) // 4
        path[depth:] = [node["name"]]
        found.append((node["name"], path[depth - 1] if depth else "Exception", (node["builtins"] or "").split(", ")))
    return found


def test_the_drawn_tree_has_every_exception_once() -> None:
    assert sorted(CLASSES) == sorted(name for name, _, _ in drawn_tree())


@pytest.mark.parametrize(("name", "parent", "caught_as"), drawn_tree())
def test_an_exception_inherits_what_the_tree_says(name: str, parent: str, caught_as: list[str]) -> None:
    assert parent == CLASSES[name].__bases__[0].__name__
    for builtin in filter(None, caught_as):
        assert issubclass(CLASSES[name], getattr(builtins, builtin))


@pytest.mark.parametrize("name", CLASSES)
def test_every_exception_says_its_message_plainly(name: str) -> None:
    error = CLASSES[name]("what, where, got, expected")
    assert isinstance(error, errors.TruebleuError)
    assert "what, where, got, expected" == str(error)
