"""The units of a comparison: what is drawn and swapped, and how few of them are too few for what.

Documents are the units wherever they are known, because segments of a document succeed and fail together. Their
intervals are t intervals, which cover better than percentiles and BCa with any number of documents that was simulated
(`docs/calibration.md`).

>>> from truebleu.metrics import CHRF
>>> stats = CHRF().stats(["a b", "c d", "e f"], [["a b", "c x", "e f"]])
>>> len(stats.merge(drawn_labels("compare", "auto", ["news", "chat", "news"])))
2
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from typing import TYPE_CHECKING, NamedTuple

from truebleu._counts import number_of, there_are
from truebleu._inputs import ordered
from truebleu._logs import warn
from truebleu._options import choice
from truebleu.errors import OptionError, TooFew
from truebleu.resample.bootstrap import resampled_scores
from truebleu.resample.interval import Interval, estimate_interval, percentile_interval
from truebleu.resample.randomization import differing_units
from truebleu.significance.defaults import UNITS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from truebleu.metrics import Score
    from truebleu.resample.seed import Seed
    from truebleu.signature import SignatureValue
    from truebleu.significance.experiment import Experiment
    from truebleu.significance.systems import RowMetric
    from truebleu.stats import Stats

# What a table says where documents are not known.
INDEPENDENT = (
    "Segments were taken as independent. Where those of a document succeed and fail together,",
    "a claim at the 5 % level can be wrong in 8 to 16 % of cases; name the documents, if there are any.",
)

# What is said where scores of people have no documents; `docs/people.md` has the figures.
OF_PEOPLE = (
    "One rater does a whole document, so that tests over segments can claim",
    "15 to 33 % false differences at the level 5 %; name the documents (S104).",
)

# With fewer units there is no p-value: the smallest that five can give is above the usual level.
FEWEST = 6

# The bootstrap needs so many units that differ (five of them have 0.028 where 0.0625 is right), and is unsure with less
# than so many in all.
FEWEST_DIFFERING = 10
FEW_DRAWN = 50

# With fewer scores than so many, among others that are missing, there is no interval of a system.
FEWEST_SCORES = 30

# With fewer documents there is no interval, and with fewer than so many it is a rough one.
FEWEST_DOCUMENTS = 5
FEW_DOCUMENTS = 20


def drawn_labels(who: str, unit: str, documents: Iterable[Hashable] | None) -> list[Hashable] | None:
    """Give the labels of the documents that are drawn; None where segments are."""
    choice(who, "unit", unit, UNITS)
    if unit == "document" and documents is None:
        raise OptionError(f"{who}: unit is 'document', and documents is None; expected a label for each segment")
    if unit == "segment" or documents is None:
        return None
    return list(ordered(who, "documents", documents, "a list with one label for each segment"))


def interval_of(resampled: NDArray[np.float64], documents: int | None) -> Interval | None:
    """Estimate mean and 95 % interval of resampled scores; None for too few documents."""
    if documents is None:
        return estimate_interval(resampled)
    half_width = _half_width(resampled, documents)
    return None if half_width is None else Interval(math.fsum(resampled.tolist()) / len(resampled), half_width)


def interval_of_difference(
    resampled: NDArray[np.float64], delta: float, documents: int | None
) -> tuple[float, float] | None:
    """Estimate the 95 % interval of a difference; None for too few documents."""
    if documents is None:
        return percentile_interval(resampled)
    half_width = _half_width(resampled, documents)
    return None if half_width is None else (delta - half_width, delta + half_width)


def _half_width(resampled: NDArray[np.float64], documents: int) -> float | None:
    """Half of a t interval: the bootstrap knows the standard error, but not that so few documents know it badly."""
    if documents < FEWEST_DOCUMENTS:
        return None
    df = documents - 1
    return t_quantile(1.959964, df) * float(resampled.std()) * math.sqrt(documents / df)


class Clustering(NamedTuple):
    """How much segments of a document move together, and what that costs a test over segments."""

    documents: int
    size: float  # segments of a document, on average
    icc: float  # the correlation of two differences within a document, on average over pairs of systems

    @property
    def design_effect(self) -> float:
        """How many times as large the variance of a mean is as it would be if segments were independent."""
        return 1 + (self.size - 1) * self.icc


def clustering_of(cells: NDArray[np.float64], labels: Iterable[Hashable]) -> Clustering | None:
    """Measure the correlation of differences between systems within documents, by an analysis of variance.

    `cells` are scores, systems by segments; nan where there is none. None for too few segments or documents.
    """
    import numpy as np

    numbers: dict[Hashable, int] = {}
    codes = np.array([numbers.setdefault(label, len(numbers)) for label in labels])
    there = ~np.isnan(cells).all(axis=0)
    if len(cells) < 2 or not there.any():
        return None
    count, found = len(set(codes[there].tolist())), []
    for a in range(len(cells)):
        for b in range(a):
            differences = cells[a] - cells[b]
            both = ~np.isnan(differences)
            if (icc := _within(differences[both], codes[both])) is not None:
                found.append(icc)
    return Clustering(count, float(there.sum()) / count, max(0.0, math.fsum(found) / len(found))) if found else None


def _within(values: NDArray[np.float64], codes: NDArray[np.int_]) -> float | None:
    import numpy as np

    sizes = np.bincount(codes)
    sizes, sums = sizes[sizes > 0], np.bincount(codes, values)[sizes > 0]
    groups, total = len(sizes), len(values)
    if groups < 2 or total <= groups:
        return None
    between = float(((sums / sizes - values.mean()) ** 2 * sizes).sum()) / (groups - 1)
    within = float((values**2).sum() - (sums**2 / sizes).sum()) / (total - groups)
    size = (total - float((sizes**2).sum()) / total) / (groups - 1)
    variance = between + (size - 1) * within
    return (between - within) / variance if variance > 0 else None


def t_quantile(z: float, df: int) -> float:
    """Give the quantile of Student's distribution in the place of a normal one (Cornish and Fisher's expansion)."""
    terms = (z**3 + z) / 4, (5 * z**5 + 16 * z**3 + 3 * z) / 96, (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    quantile: float = z + sum(term / df**power for power, term in enumerate(terms, 1))
    return quantile


def score_by_documents(
    metric: RowMetric, stats: Stats, labels: Iterable[Hashable], samples: int, seed: Seed, threads: int
) -> Score:
    """Score rows, with an interval from documents that are drawn whole."""
    score, merged = metric.score(stats), stats.merge(labels)
    (resampled,) = resampled_scores([(metric.engine, merged.rows)], samples, seed, threads=threads)
    warn_of_few_documents(len(merged))
    score.confidence = interval_of(resampled, len(merged))
    fields: dict[str, SignatureValue] = {"bs": samples, "seed": seed.number_text(), "docs": len(merged)}
    score.signature = score.signature.with_test(fields) if score.signature else None
    return score


def warn_of_few_documents(count: int) -> None:
    """Warn where there are so few documents that intervals are rough, or that there are none."""
    if count < FEWEST_DOCUMENTS:
        warn("%s, and an interval needs %d or more", there_are(count, "document"), FEWEST_DOCUMENTS)
    elif count < FEW_DOCUMENTS:
        # Without the number: pairs with missing scores have different ones, and the same words are said once.
        warn("there are fewer than %d documents: intervals and p-values are rough", FEW_DOCUMENTS)


def are_too_few(experiment: Experiment) -> bool:
    """Warn of too few units, and refuse a bootstrap that cannot be right; tell whether there can be no p-value."""
    table = experiment.tables[0]
    word = "document" if table.draws_documents else "segment"
    if table.units < FEWEST:
        least = number_of(FEWEST, word)
        hint = "; unit='segment' takes segments as independent" if table.draws_documents else ""
        warn("%s, and a test needs %s or more: there is no p-value%s", there_are(table.units, word), least, hint)
        return True
    if table.draws_documents:
        warn_of_few_documents(table.units)
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
