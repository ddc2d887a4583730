"""The exception tree."""

import pytest

from truebleu import errors


def test_all_names_every_exception_and_nothing_else() -> None:
    defined = {name for name, value in vars(errors).items() if isinstance(value, type)}
    assert defined == set(errors.__all__)


@pytest.mark.parametrize("name", errors.__all__)
def test_every_exception_is_in_the_drawn_tree_and_says_its_message_plainly(name: str) -> None:
    error = getattr(errors, name)("what, where, got, expected")
    assert isinstance(error, errors.TruebleuError)
    assert "what, where, got, expected" == str(error)
    assert (errors.__doc__ is not None and f" {name} " in errors.__doc__) or name == "TruebleuError"
