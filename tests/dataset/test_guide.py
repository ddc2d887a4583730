"""The examples of the guide to test sets are true."""

import doctest

import pytest

from conftest import REPOSITORY


@pytest.mark.usefixtures("own_cache")
def test_the_examples_of_the_guide_are_true() -> None:
    guide = REPOSITORY / "docs" / "testsets.md"
    failed, tried = doctest.testfile(str(guide), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert tried > 10
    assert 0 == failed
