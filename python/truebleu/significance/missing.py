"""Scores that are missing: on which segments a pair is tested, and a fit of all scores where chance assigned them.

**pairs**, the default: each pair of systems is tested on the segments that both have. Whatever decides which segments a
system has, this keeps the level. **drop**: the segments that all systems have. **fit**: score = segment + system, by
least squares over all scores, with a jackknife over segments or documents; it finds more differences, and is right only
where chance decided who scored what. A mean over the scores that a system happens to have is never tested: where a
system lacks the hard segments, that calls 99 % of equal systems different (`docs/calibration.md`).

>>> import numpy as np
>>> found = fit_effects(np.array([[1, 2, np.nan, 4], [2, np.nan, 3, 6], [np.nan, 1, 1, 5]]), np.arange(4))
>>> found.effects.round(6).tolist()
[-0.4, 1.0, -0.6]
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from truebleu._counts import number_of
from truebleu._logs import warn
from truebleu._options import choice
from truebleu._shown import shown
from truebleu.errors import OptionError, TooFew
from truebleu.significance.experiment import Coverage, Experiment, MeasuredPair
from truebleu.significance.systems import MetricTable, tabulate
from truebleu.significance.tests import Verdict
from truebleu.significance.units import FEW_DRAWN, FEWEST, t_quantile

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

RULES = ("pairs", "drop", "fit")  # the first is the default
ASSIGNMENTS = ("random", "dynamic")

# So many segments must be left where only those count that all systems have.
_FEWEST_KEPT = 30

_DYNAMIC = "where earlier scores decide what is scored next, a fit makes about 7 % false claims at the level 5 %"

# Units whose effects are fitted at a time.
_BLOCK = 1000

# A system is said to lack segments of another kind up to this p-value.
_SURE = 0.01


def separated(experiment: Experiment, rule: str | None, assignment: str | None) -> list[Experiment]:
    """Give metrics of which scores are missing an experiment of their own; the others stay together."""
    rule = rule or RULES[0]
    whole: list[MetricTable] = []
    own: list[Experiment] = []
    for table in experiment.tables:
        there = present(table)
        if there.all():
            whole.append(table)
            continue
        if experiment.strata is not None:
            raise OptionError("compare: strata do not go with scores that are missing; leave out one of the two")
        kept = narrowed(table, rule)
        alone = replace(experiment, tables=[kept], missing=None if there.any(axis=0).sum() == kept.segments else rule)
        if getattr(table.metric, "is_learned", False):  # of people and others, nobody expects all
            alone = replace(alone, left_out=table.segments - kept.segments)
        if not (has := present(kept)).all():
            adjusted = adjusted_means(kept)
            coverage = Coverage([int(one.sum()) for one in has], adjusted, tuple(lacking(kept)))
            signed = "fit-dynamic" if assignment == "dynamic" else rule
            if assignment == "dynamic":
                warn("%s", _DYNAMIC)
            alone = replace(alone, missing=signed, coverage=coverage)
            alone = fitted(alone) if rule == "fit" else by_pair(alone)
        own.append(alone)
    return [replace(experiment, tables=whole), *own] if whole else own


def check_rule(who: str, rule: str | None, assignment: str | None) -> None:
    """Check the rule for missing scores, and that it goes with the assignment."""
    if rule is not None:
        choice(who, "missing", rule, RULES)
    if assignment is not None:
        choice(who, "assignment", assignment, ASSIGNMENTS)
    if rule == "fit" and assignment is None:
        raise OptionError(
            f"{who}: missing='fit' is right only where chance decided which segments of a system were scored; say so "
            "with assignment='random', or assignment='dynamic' where earlier scores had a say"
        )
    if rule != "fit" and assignment is not None:
        raise OptionError(f"{who}: assignment is about missing='fit'")


def present(table: MetricTable) -> NDArray[np.bool_]:
    """Tell which systems have a score for which segment, in all of their runs: systems by segments."""
    import numpy as np

    if table.metric.columns != ("score", "count"):
        return np.ones((len(table.systems), table.segments), np.bool_)
    return np.array([np.logical_and.reduce([stats.rows[:, 1] > 0 for stats in runs]) for runs in table.counted])


def cells_of(table: MetricTable) -> NDArray[np.float64]:
    """The scores, systems by segments, means over runs; nan where there is none."""
    import numpy as np

    rows = np.array([np.sum([stats.rows for stats in runs], axis=0) for runs in table.counted])
    score, count = rows[..., 0], rows[..., 1]
    return np.where(count > 0, score / np.maximum(count, 1), np.nan)


def narrowed(table: MetricTable, rule: str) -> MetricTable:
    """Leave out the segments that no system has, or with "drop" those that one lacks."""
    import numpy as np

    there = present(table)
    if there.all():
        return table
    kept = (np.logical_and if rule == "drop" else np.logical_or).reduce(there)
    if rule == "drop" and kept.sum() < _FEWEST_KEPT:
        raise TooFew(
            f"compare: all systems have a score of {table.key} for {number_of(int(kept.sum()), 'segment')}, and "
            f"missing='drop' needs {_FEWEST_KEPT} or more; missing='pairs' takes those that two have"
        )
    if kept.all():
        return table
    found = part_of(table, range(len(table.systems)), kept)
    return found if rule == "drop" else found._replace(scores=table.scores)  # the same, with all that is known of them


def part_of(table: MetricTable, systems: range | tuple[int, int], kept: NDArray[np.bool_]) -> MetricTable:
    """Keep some systems and segments of a table."""
    labels = None if table.labels is None else [one for one, is_kept in zip(table.labels, kept, strict=True) if is_kept]
    counted = [[stats.select(kept) for stats in table.counted[at]] for at in systems]
    names = [table.systems[at] for at in systems]
    return tabulate("compare", table.key, table.metric, names, counted, labels, table.draws_documents)


@dataclass(frozen=True, eq=False)
class PairByPair(Experiment):
    """An experiment on one metric with missing scores: each pair has segments of its own."""

    parts: tuple[Experiment | None, ...] = ()  # by pair; None where there are too few for a test
    only: tuple[tuple[int, int, int], ...] = ()  # by pair: segments of both, of the first alone, of the other alone

    def verdicts(self) -> list[list[Verdict]]:
        """Test each pair by itself."""
        return [[Verdict(math.nan) if part is None else part.verdicts()[0][0] for part in self.parts]]

    def measured(self, at: int) -> list[MeasuredPair]:
        """Measure the differences on the segments that both systems of a pair have."""
        table, found = self.tables[at], []
        for (a, b), part, (both, *alone) in zip(self.pairs, self.parts, self.only, strict=True):
            if part is None:
                one = MeasuredPair(_difference(table, a, b), None, None, both, both)
            else:
                (one,) = part.measured(0)
            found.append(one._replace(alone=(alone[0], alone[1])))
        return found


def by_pair(experiment: Experiment) -> Experiment:
    """Give each pair of an experiment on one metric the segments that both systems have."""
    (table,), there = experiment.tables, present(experiment.tables[0])
    parts, only, few = list[Experiment | None](), [], []
    for a, b in experiment.pairs:
        both = there[a] & there[b]
        n = int(both.sum())
        only.append((n, int((there[a] & ~both).sum()), int((there[b] & ~both).sum())))
        is_few = n < FEWEST or (experiment.test.needs_differing and n < FEW_DRAWN)
        part = None if is_few or n < 2 else part_of(table, (a, b), both)
        if part is None or part.units < FEWEST:
            few.append(f"{table.systems[a]} and {table.systems[b]} ({n})")
            parts.append(None)
        else:
            parts.append(Experiment(**{**vars(experiment), "tables": [part], "pairs": [(0, 1)]}))
    if few:
        least = FEW_DRAWN if experiment.test.needs_differing else FEWEST
        named = ", ".join(map(shown, few[:5])) + (", ..." if len(few) > 5 else "")
        hint = "; use ar" if experiment.test.needs_differing else ""
        warn(
            "%s: too few segments have scores of both systems for a p-value, expected %d or more%s: %s",
            table.key, least, hint, named,
        )  # fmt: skip
    return PairByPair(**vars(experiment), parts=tuple(parts), only=tuple(only))


def _difference(table: MetricTable, a: int, b: int) -> float:
    """The mean difference on the segments that both have; nan if there are none."""
    import numpy as np

    cells = cells_of(table)
    gaps = cells[b] - cells[a]
    return float(np.nanmean(gaps)) if np.isfinite(gaps).any() else math.nan


# The fit.


class Effects(NamedTuple):
    """The effects of systems, which add up to zero, and the mean effect of segments."""

    effects: NDArray[np.float64]
    level: float
    without: NDArray[np.float64]  # units by systems: the effects without each unit


def fit_effects(cells: NDArray[np.float64], units: NDArray[np.int_], *, only_effects: bool = False) -> Effects | None:
    """Fit score = segment + system by least squares; None where systems do not hang together by shared segments.

    Each unit adds a matrix and a vector to the normal equations of the systems, so that to leave it out is to subtract
    them.
    """
    import numpy as np

    there = ~np.isnan(cells)
    sizes, systems = there.sum(axis=0), len(cells)
    used = sizes >= 2
    weights, values = there[:, used].astype(np.float64), np.where(there, cells, 0.0)[:, used]
    deviations = np.where(there[:, used], values - values.sum(axis=0) / sizes[used], 0.0)
    if not _hang_together(there[:, used]):
        return None
    ones = np.full((systems, systems), 1 / systems)  # makes the effects add up to zero
    matrix = np.diag(weights.sum(axis=1)) - (weights / sizes[used]) @ weights.T + ones
    effects = np.linalg.solve(matrix, deviations.sum(axis=1))
    level = float(np.nanmean(cells[:, sizes > 0] - effects[:, None], axis=0).mean())
    without = [] if only_effects else [*_without_each(weights, deviations, units[used], matrix)]
    return Effects(effects, level, np.concatenate(without) if without else np.empty((0, systems)))


def _without_each(
    weights: NDArray[np.float64], deviations: NDArray[np.float64], units: NDArray[np.int_], matrix: NDArray[np.float64]
) -> Iterator[NDArray[np.float64]]:
    """Fit without each unit, many at a time."""
    import numpy as np

    systems, total = len(matrix), deviations.sum(axis=1)
    sizes = weights.sum(axis=0)
    _, codes = np.unique(units, return_inverse=True)
    order = np.argsort(codes, kind="stable")
    starts = np.searchsorted(codes[order], np.arange(codes.max() + 2))
    for first in range(0, len(starts) - 1, _BLOCK):
        last = min(first + _BLOCK, len(starts) - 1)
        left = np.empty((last - first, systems, systems))
        right = np.empty((last - first, systems))
        for at in range(first, last):
            members = order[starts[at] : starts[at + 1]]
            own = weights[:, members]
            left[at - first] = matrix - np.diag(own.sum(axis=1)) + (own / sizes[members]) @ own.T
            right[at - first] = total - deviations[:, members].sum(axis=1)
        if (np.linalg.cond(left) > 1e10).any():
            raise TooFew(
                "compare: missing='fit' hangs on a single segment or document: without it, some systems share none "
                "with the others; use missing='pairs'"
            )
        yield np.asarray(np.linalg.solve(left, right[..., None])[..., 0], np.float64)


def _hang_together(there: NDArray[np.bool_]) -> bool:
    """Tell whether shared segments lead from each system to every other."""
    import numpy as np

    shared = there.astype(np.int64) @ there.T.astype(np.int64) > 0
    reached = np.zeros(len(there), np.bool_)
    reached[0] = True
    for _ in there:
        reached = reached | shared[reached].any(axis=0)
    return bool(reached.all())


@dataclass(frozen=True, eq=False)
class Fitted(Experiment):
    """An experiment on one metric with missing scores, all of which are fitted together."""

    fit: Effects | None = None
    own_title: ClassVar[str] = "Fit of effects of segments and systems, tested by a jackknife"

    def verdicts(self) -> list[list[Verdict]]:
        """Compare each difference with its standard error."""
        found = []
        for one in self.measured(0):
            is_untested = one.error is None or one.units < FEWEST
            found.append(Verdict(math.nan if is_untested else p_of_t(one.delta, one.error or 0.0, one.units - 1)))
        return [found]

    def measured(self, at: int) -> list[MeasuredPair]:
        """Give the differences of effects, with the jackknife's standard errors."""
        assert self.fit is not None
        effects, _, without = self.fit
        there, found, units = present(self.tables[at]), [], len(without)
        for a, b in self.pairs:
            drawn, delta = without[:, b] - without[:, a], float(effects[b] - effects[a])
            error = math.sqrt((units - 1) / units * float(((drawn - drawn.mean()) ** 2).sum()))
            reach = t_quantile(1.959964, units - 1) * error if units > 1 else math.nan
            both = int((there[a] & there[b]).sum())
            alone = int(there[a].sum()) - both, int(there[b].sum()) - both
            found.append(MeasuredPair(delta, (delta - reach, delta + reach), error, both, units, alone))
        return found


def fitted(experiment: Experiment) -> Experiment:
    """Fit all scores of an experiment on one metric."""
    (table,) = experiment.tables
    found = fit_effects(cells_of(table), _unit_codes(table))
    if found is None:
        raise OptionError(
            f"compare: missing='fit' compares systems by the segments they share, and the systems of {table.key} fall "
            "into groups that share none; use missing='pairs'"
        )
    if len(found.without) < FEWEST:
        raise TooFew(f"compare: missing='fit' needs {FEWEST} segments or documents, and {len(found.without)} are there")
    return Fitted(**vars(experiment), fit=found)


def p_of_t(delta: float, error: float, df: int) -> float:
    """Compute the two-sided p-value of a difference and its standard error with so many degrees of freedom."""
    if not error:
        return float(delta == 0)
    low, high, wanted = 0.0, 40.0, abs(delta) / error
    for _ in range(80):  # the normal quantile whose place in Student's distribution this is
        middle = (low + high) / 2
        low, high = (middle, high) if t_quantile(middle, df) < wanted else (low, middle)
    return math.erfc(low / math.sqrt(2))


def _unit_codes(table: MetricTable) -> NDArray[np.int_]:
    import numpy as np

    if table.labels is None:
        return np.arange(table.segments)
    codes: dict[object, int] = {}
    return np.array([codes.setdefault(label, len(codes)) for label in table.labels])


# What is said of scores that are missing.


def adjusted_means(table: MetricTable) -> list[float] | None:
    """Means as they would be if all systems had all segments, by the fit; None if it cannot be made."""
    found = fit_effects(cells_of(table), _unit_codes(table), only_effects=True)
    return None if found is None else [found.level + float(effect) for effect in found.effects]


def lacking(table: MetricTable) -> list[str]:
    """Say which systems lack segments that are harder or easier than those they have, as the others score them.

    Scores that got lost because of their own value cannot be seen here.
    """
    import numpy as np

    cells, codes, found = cells_of(table), _unit_codes(table), list[str]()
    if uneven(table) <= _SURE:
        least, most = (100 * end for end in (np.isnan(cells).mean(axis=1).min(), np.isnan(cells).mean(axis=1).max()))
        found.append(f"systems lack {least:.0f} to {most:.0f} % of the segments, which chance hardly makes")
    for at, name in enumerate(table.systems):
        has = ~np.isnan(cells[at])
        others = np.delete(cells, at, axis=0)
        others = others - np.nanmean(others, axis=1)[:, None]
        known = ~np.isnan(others).all(axis=0)
        if has.all() or not (has & known).any() or not (~has & known).any():
            continue
        hardness = np.nanmean(others[:, known], axis=0)
        gap, p_value = _gap(hardness, has[known], codes[known])
        if p_value <= _SURE:
            share, side = 100 * (1 - has.mean()), "lower" if gap < 0 else "higher"
            found.append(
                f"{shown(name)} lacks {share:.0f} % of the segments; there the others score {abs(gap):.2g} {side}"
            )
    return found


def _gap(hardness: NDArray[np.float64], has: NDArray[np.bool_], units: NDArray[np.int_]) -> tuple[float, float]:
    """The others' mean on what a system lacks less that on what it has, and how likely shuffled units give as much."""
    import numpy as np

    _, codes = np.unique(units, return_inverse=True)
    means, lacks = np.bincount(codes, hardness) / np.bincount(codes), np.bincount(codes, ~has)
    gap = float(hardness[~has].mean() - hardness[has].mean())
    # The sum of products of two lists, one of them shuffled, is nearly normal, and its variance is known.
    real = float(((lacks - lacks.mean()) * (means - means.mean())).sum())
    spread = math.sqrt(
        float(((lacks - lacks.mean()) ** 2).sum() * ((means - means.mean()) ** 2).sum() / (len(lacks) - 1))
    )
    return gap, math.erfc(abs(real) / spread / math.sqrt(2)) if spread else 1.0


def uneven(table: MetricTable) -> float:
    """The p-value of the chi-squared test that all systems lack the same share of segments."""
    lacks = (~present(table)).sum(axis=1)
    share = lacks.mean() / table.segments
    if not 0 < share < 1:
        return 1.0
    statistic = float(((lacks - lacks.mean()) ** 2).sum() / (table.segments * share * (1 - share)))
    df = len(lacks) - 1
    # Wilson and Hilferty: the cube root of a chi-squared variable is nearly normal.
    z = ((statistic / df) ** (1 / 3) - (1 - 2 / (9 * df))) / math.sqrt(2 / (9 * df))
    return 0.5 * math.erfc(z / math.sqrt(2))
