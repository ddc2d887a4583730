"""Addresses that a program may have from before a module moved still lead to the same thing."""

from importlib import import_module

import pytest

# The old address of a module, a name in it, and the module that has it now.
MOVED = [
    ("truebleu.plot", "draw", "truebleu.study.plot.figure"),
    ("truebleu.plot", "save", "truebleu.study.plot.figure"),
    ("truebleu.plot", "KINDS", "truebleu.study.plot.plan"),
    ("truebleu.report.page", "page", "truebleu.study.page"),
    ("truebleu.report.page.page", "study_page", "truebleu.study.page.page"),
]


@pytest.mark.parametrize(("old", "name", "home"), MOVED)
def test_an_old_address_gives_what_the_new_one_gives(old: str, name: str, home: str) -> None:
    found = getattr(import_module(old), name)
    assert found is getattr(import_module(home), name)
