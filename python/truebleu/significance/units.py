"""The units of a comparison: what is drawn and swapped, and how few of them are too few for what."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truebleu._counts import number_of, there_are
from truebleu._logs import warn
from truebleu.errors import TooFew
from truebleu.resample.randomization import differing_units

if TYPE_CHECKING:
    from truebleu.significance.experiment import Experiment

# With fewer units there is no p-value: the smallest that five can give is above the usual level.
FEWEST = 6

# The bootstrap needs so many units that differ (five of them have 0.028 where 0.0625 is right), and is unsure with less
# than so many in all.
FEWEST_DIFFERING = 10
FEW_DRAWN = 50


def are_too_few(experiment: Experiment) -> bool:
    """Warn of too few units, and refuse a bootstrap that cannot be right; tell whether there can be no p-value."""
    table = experiment.tables[0]
    word = "document" if table.draws_documents else "segment"
    if table.units < FEWEST:
        least = number_of(FEWEST, word)
        warn("%s, and a test needs %s or more: there is no p-value", there_are(table.units, word), least)
        return True
    if not experiment.test.needs_differing:
        return False
    flat, places = experiment.runs
    for one, systems in zip(experiment.tables, places, strict=True):
        for a, b in experiment.pairs:
            if one.runs[a] != one.runs[b]:
                continue
            count = len(differing_units(flat, (systems[a], systems[b])))
            if 0 < count < FEWEST_DIFFERING:
                raise TooFew(
                    f"compare: {one.systems[a]!r} and {one.systems[b]!r} differ in {number_of(count, word)} by "
                    f"{one.key}, and test={experiment.test.name!r} needs {FEWEST_DIFFERING} or more; use ar"
                )
    if table.units < FEW_DRAWN:
        warn(
            "%s, and with fewer than %d the bootstrap claims too many differences; use ar",
            there_are(table.units, word), FEW_DRAWN,
        )  # fmt: skip
    return False
