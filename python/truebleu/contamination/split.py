"""Scores of the part of a test set that overlaps with training text and of the clean part, and tests of the difference.

Overlapping segments may just be easier, so the difference of one system is a description. What is evidence is the pair:
whether one system gains more on the overlapping part than another.

- One system: flags are shuffled among segments of about the same length (four strata), as often as there are samples.
- Two systems: segments of each part are drawn with replacement, the same for both, and the difference of differences is
  tested against its own spread.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from truebleu._counts import number_of
from truebleu._inputs import brief, check_instance, check_numbers
from truebleu._options import MOST_SAMPLES, whole_number
from truebleu.contamination.found import CLEAN, OVERLAPPING, TOO_SHORT, Overlap
from truebleu.errors import InputTypeError, LengthMismatch, OptionError
from truebleu.resample.bootstrap import stratified_scores, two_sided_p_value
from truebleu.resample.seed import Seed
from truebleu.significance.systems import check_metric
from truebleu.stats import Stats

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truebleu.significance.systems import RowMetric

FEWEST = 30  # segments of a part that is tested
SAMPLES = 2000
_STRATA = 4
_AT_ONCE = 1 << 22  # cells of flags, so that they take little memory
_STREAM = 0x6F766572  # keeps these draws apart from all others; any number would do


class ScoreSplit(NamedTuple):
    """A system under one metric."""

    metric: str
    system: str
    scores: Mapping[str, float | None]  # of "all", "clean", "overlapping" and "too short"; None without segments
    difference: float | None  # overlapping minus clean; None if one of them has no segments
    p_value: float | None  # how often shuffled flags give a difference as far from the usual; None for few segments


class PairSplit(NamedTuple):
    """Two systems under one metric."""

    metric: str
    a: str
    b: str
    difference: float | None  # the difference of the first minus that of the second
    p_value: float | None  # of the hypothesis that both differ by as much; None for few segments


@dataclass(frozen=True)
class SplitReport:
    """What `split_scores` returns.

    Parameters
    ----------
    sizes
        How many segments each part has.
    systems
        A row for each metric and system.
    pairs
        A row for each metric and two systems.
    n_samples
        How often flags were shuffled and segments drawn.
    seed
        The seed of the draws.
    """

    sizes: Mapping[str, int]
    systems: tuple[ScoreSplit, ...]
    pairs: tuple[PairSplit, ...]
    n_samples: int
    seed: str

    @property
    def fewest(self) -> int:
        """How many segments the overlapping and the clean part must have to be tested."""
        return FEWEST

    def to_dict(self) -> dict[str, Any]:
        """Give everything as plain values, for JSON."""
        systems = [{**one._asdict(), "scores": dict(one.scores)} for one in self.systems]
        rows = {"systems": systems, "pairs": [one._asdict() for one in self.pairs]}
        return {"sizes": dict(self.sizes), **rows, "n_samples": self.n_samples, "seed": self.seed}

    def __str__(self) -> str:
        from truebleu.contamination.text import lines_of_split

        return "\n".join(lines_of_split(self))


def split_scores(
    found: Overlap,
    counted: Mapping[str, tuple[RowMetric, Mapping[str, Stats]]],
    lengths: Sequence[int] | None = None,
    *,
    n_samples: int = SAMPLES,
    seed: int | str | None = None,
) -> SplitReport:
    """Score systems on the overlapping and on the clean part of a test set, and test the differences.

    Parameters
    ----------
    found
        What `overlap` has found.
    counted
        By the name of a metric, the metric and the rows that it has counted, by system.
    lengths
        The length of each segment: flags are shuffled among segments of about the same length. Unless given, it is that
        of the first text of a segment, in words.
    n_samples
        How often flags are shuffled and segments drawn.
    seed
        A whole number, or "none" for a fresh seed; None takes that of `SACREBLEU_SEED`.

    Examples
    --------
    >>> from truebleu.contamination.found import overlap
    >>> from truebleu.metrics import CHRF
    >>> reference = ["A grey heron stood by the pond .", "Rain fell on all roofs of the town ."]
    >>> found = overlap(references=[reference], texts=reference[:1])
    >>> chrf = CHRF()
    >>> stats = chrf.stats(["A grey heron stood by the pond .", "It rained on the roofs ."], [reference])
    >>> report = split_scores(found, {"chrF2": (chrf, {"ours": stats})}, [8, 9])
    >>> {part: round(score, 1) for part, score in report.systems[0].scores.items() if score is not None}
    {'all': 59.8, 'clean': 21.8, 'overlapping': 100.0}
    """
    check_instance("split_scores", "found", found, Overlap, "what truebleu.overlap returns")
    whole_number("split_scores", "n_samples", n_samples, 100, MOST_SAMPLES)
    _check_counted(counted)
    if lengths is None:
        texts = [[*filter(None, (*one.references, one.source))] for one in found.segments]
        lengths = [of_segment[0].units if of_segment else 0 for of_segment in texts]
    lengths = [int(length) for length in check_numbers("split_scores", "lengths", lengths, 0)]
    segments, drawn_from = len(found.segments), Seed.of(seed)
    rows = [len(stats) for _, by_system in counted.values() for stats in by_system.values()]
    for size in (*rows, len(lengths)):
        if size != segments:
            known = number_of(segments, "segment")
            raise LengthMismatch(f"split_scores: the overlap is of {known}, and there are rows or lengths of {size}")
    verdicts = np.array(found.verdicts)
    parts = {"all": np.ones(segments, bool)} | {name: verdicts == name for name in (CLEAN, OVERLAPPING, TOO_SHORT)}
    is_tested = min(parts[CLEAN].sum(), parts[OVERLAPPING].sum()) >= FEWEST
    strata = strata_of(np.asarray(lengths, float))
    systems, pairs = list[ScoreSplit](), list[PairSplit]()
    for name, (metric, by_system) in counted.items():
        ours = [_split(name, system, metric, stats, parts) for system, stats in by_system.items()]
        if is_tested:
            tested = parts[CLEAN] | parts[OVERLAPPING]
            drawn = shuffled_differences(
                metric, [stats.rows[tested] for stats in by_system.values()], parts[OVERLAPPING][tested],
                strata[tested], n_samples, drawn_from,
            )  # fmt: skip
            ours = [one._replace(p_value=_p_value(one.difference, row)) for one, row in zip(ours, drawn, strict=True)]
        systems += ours
        draws = _drawn_differences(metric, by_system, parts, n_samples, drawn_from) if is_tested else None
        for a, b in combinations(range(len(ours)), 2):
            first, second = ours[a].difference, ours[b].difference
            gap = None if first is None or second is None else first - second
            p = None if draws is None or gap is None else two_sided_p_value(draws[b], draws[a], gap)
            pairs.append(PairSplit(name, ours[a].system, ours[b].system, gap, p))
    sizes = {name: int(part.sum()) for name, part in parts.items()}
    return SplitReport(sizes, tuple(systems), tuple(pairs), n_samples, drawn_from.number_text())


def tested(report: SplitReport, one: ScoreSplit) -> dict[str, Any]:
    """Give the difference of a system, and how it differs from those of the systems after it, for JSON."""
    pairs = [
        {"system": pair.b, "difference": pair.difference, "p_value": pair.p_value}
        for pair in report.pairs if (pair.metric, pair.a) == (one.metric, one.system)
    ]  # fmt: skip
    return {"difference": one.difference, "p_value": one.p_value, "against": pairs}


def _check_counted(counted: Any) -> None:
    expected = "for each metric, by its name, the metric and the rows that it has counted, by system"
    check_instance("split_scores", "counted", counted, Mapping, expected)
    for pair in counted.values():
        is_pair = isinstance(pair, tuple) and len(pair) == 2 and isinstance(pair[1], Mapping)
        if not is_pair or not all(isinstance(one, Stats) for one in pair[1].values()):
            raise InputTypeError(f"split_scores: counted has {brief(pair)}, expected {expected}")
        check_metric("split_scores", "counted", pair[0])
    if not counted or not all(by_system for _, by_system in counted.values()):
        raise OptionError("split_scores: counted has nothing to score, expected a metric with the rows of a system")


def _split(
    name: str, system: str, metric: RowMetric, stats: Stats, parts: Mapping[str, NDArray[np.bool_]]
) -> ScoreSplit:
    scores = {name: _score(metric, stats, flags) for name, flags in parts.items()}
    clean, overlapping = scores[CLEAN], scores[OVERLAPPING]
    difference = None if clean is None or overlapping is None else overlapping - clean
    return ScoreSplit(name, system, scores, difference, None)


def _score(metric: RowMetric, stats: Stats, flags: NDArray[np.bool_]) -> float | None:
    return metric.engine.score(stats.select(flags).sum()) if flags.any() else None


def strata_of(lengths: NDArray[np.float64]) -> NDArray[np.int_]:
    """Four strata of about as many segments each, by length; equal lengths are in one."""
    cuts = np.quantile(lengths, np.arange(1, _STRATA) / _STRATA)
    found: NDArray[np.int_] = np.searchsorted(cuts, lengths, side="left")
    return found


def shuffled_differences(
    metric: RowMetric, rows: Sequence[NDArray[np.float64]], flags: NDArray[np.bool_], strata: NDArray[np.int_],
    samples: int, seed: Seed,
) -> NDArray[np.float64]:  # fmt: skip
    """The difference of the two parts of each system for flags that are shuffled within strata; a row a system."""
    generator = np.random.default_rng([_STREAM, *seed.words()])
    cells = np.hstack(rows)
    wholes, found = cells.sum(axis=0), []
    members = [np.flatnonzero(strata == code) for code in np.unique(strata)]
    size = max(1, _AT_ONCE // len(flags))
    for start in range(0, samples, size):
        count = min(size, samples - start)
        shuffled = np.zeros((count, len(flags)))
        for places in members:
            shuffled[:, places] = generator.permuted(np.broadcast_to(flags[places], (count, len(places))), axis=1)
        sums = shuffled @ cells
        found.append([_scores(metric, part, rows) for part in (sums, wholes - sums)])
    over, clean = (np.concatenate([one[part] for one in found], axis=1) for part in (0, 1))
    return np.asarray(over - clean)


def _scores(metric: RowMetric, sums: NDArray[np.float64], rows: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    parts = np.split(sums, np.cumsum([one.shape[1] for one in rows])[:-1], axis=1)
    return np.stack([np.frombuffer(metric.engine.score_rows(np.ascontiguousarray(part).tobytes())) for part in parts])


def _p_value(difference: float | None, drawn: NDArray[np.float64]) -> float | None:
    """How often a shuffled difference is as far from their mean; parts differ in length, so the mean need not be 0."""
    if difference is None:
        return None
    mean = (drawn.sum() + difference) / (len(drawn) + 1)  # the real one is among those that are equally likely
    further = np.count_nonzero(abs(drawn - mean) >= abs(difference - mean))
    return (int(further) + 1) / (len(drawn) + 1)


def _drawn_differences(
    metric: RowMetric, by_system: Mapping[str, Stats], parts: Mapping[str, NDArray[np.bool_]], samples: int, seed: Seed
) -> NDArray[np.float64]:
    """The difference of the two parts of each system, for segments that are drawn in each part by itself."""

    def drawn(part: str, stream: Seed) -> NDArray[np.float64]:
        rows = [(metric.engine, stats.rows[parts[part]]) for stats in by_system.values()]
        return stratified_scores(rows, np.zeros(int(parts[part].sum()), int), samples, stream)

    # Another stream, or parts of one size would be drawn alike.
    return drawn(OVERLAPPING, seed) - drawn(CLEAN, Seed(seed.value + 1, seed.text))
