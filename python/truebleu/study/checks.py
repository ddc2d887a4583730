"""Checks of a study that are not about texts, and so are not the doctor's: the trials of its test, and messages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from truebleu.significance.trials import too_few

if TYPE_CHECKING:
    from truebleu.significance.results import Comparison


@dataclass(frozen=True)
class OwnCheck:
    """One check, and what came of it."""

    code: str
    name: str
    messages: tuple[str, ...] = ()
    skipped: str = ""


def own_checks(comparison: Comparison | None, messages: Sequence[str]) -> tuple[OwnCheck, ...]:
    """Check a study as a whole."""
    skipped, few = "no test was made", ""
    if comparison is not None:
        skipped = "" if comparison.n_samples else "the test has no trials"
        if not comparison.is_bounded:
            few = too_few(comparison.n_samples, comparison.n_tests, comparison.correction, comparison.alpha)
    others = tuple(one for one in messages if one != few)
    return (
        OwnCheck("S101", "too few trials", (few,) if few else (), skipped),
        OwnCheck("S102", "messages of the logger", others),
    )
