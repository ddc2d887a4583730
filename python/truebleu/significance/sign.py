"""The sign test of Collins, Koehn and Kučerová (2005): which segments help a system, and do they outnumber the others?

Each segment in which the two systems differ is replaced in the baseline, alone, and the corpus is scored again. A
replacement raises the score, lowers it, or leaves it: f(+), f(−), f(0). If the systems were equally good, a segment
would help as often as it hurts, so f(+) of f(+) + f(−) is tested against a fair coin.

>>> from truebleu.metrics import BLEU
>>> references = [["a grey heron stood by the pond", "nobody saw it leave", "the ferry sailed at noon"]]
>>> baseline = ["a heron stood at the pond", "nobody saw it leave", "the ferry left noon"]
>>> system = ["a grey heron stood by a pond", "nobody saw it leave", "the ferry left at noon"]
>>> bleu = BLEU()
>>> test = sign_test(bleu.stats(baseline, references), bleu.stats(system, references), bleu)
>>> test.better, test.worse, test.same, round(test.z, 3), test.p_value
(2, 0, 0, 1.414, 0.5)
>>> test.verdict
'not significant'
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from truebleu._counts import number_of
from truebleu._inputs import FROM_0, ordered
from truebleu._options import whole_number
from truebleu.errors import InputTypeError, LengthMismatch, StatsMismatch
from truebleu.significance.systems import check_both, check_metric

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from truebleu.significance.systems import RowMetric
    from truebleu.stats import Stats

    Flags = Iterable[bool] | NDArray[np.bool_]

# The thresholds of the program this one replaces. The exact quantiles of the normal distribution are 1.95996… and
# 2.57583…, so a Z between 2.57 and 2.576 is called significant here, as documented there.
Z_95 = 1.96
Z_99 = 2.57

BETTER, SAME, WORSE = 1, 0, -1

# Below this many segments the normal distribution is a bad stand-in for the binomial one.
FEW = 20

_CHUNK = 1 << 16
_MOST_SEGMENTS = 1_000_000_000
_SHOWN = (
    *("metric", "signature", "baseline_score", "system_score", "segments", "different", "f_plus", "f_minus", "f_zero"),
    *("gain", "loss", "z", "p_value", "p_value_normal", "level", "verdict"),
)


@dataclass(frozen=True, eq=False)
class SignTest:
    """The outcome of a sign test. Scores are on the metric's own scale; arrays have one entry for each segment."""

    metric: str
    signature: str
    baseline_score: float
    system_score: float
    better: int
    worse: int
    same: int
    z: float
    p_value: float
    different: NDArray[np.bool_]
    scores: NDArray[np.float64]
    outcomes: NDArray[np.int8]
    thresholds: tuple[float, float] = (Z_95, Z_99)

    @property
    def segments(self) -> int:
        """How many segments the corpus has."""
        return len(self.scores)

    @property
    def deltas(self) -> NDArray[np.float64]:
        """What each replacement adds to the baseline's score."""
        return self.scores - self.baseline_score

    @property
    def gain(self) -> float:
        """The deltas of the better segments, summed."""
        return math.fsum(self.deltas[self.outcomes == BETTER])

    @property
    def loss(self) -> float:
        """The deltas of the worse segments, summed."""
        return math.fsum(self.deltas[self.outcomes == WORSE])

    @property
    def p_value_normal(self) -> float:
        """The p-value that belongs to Z. For few segments it is too small: four to none has 0.046, exactly 0.125."""
        return math.erfc(self.z / math.sqrt(2))

    @property
    def level(self) -> float | None:
        """The confidence at which Z is significant: 0.99, 0.95 or None."""
        for_95, for_99 = self.thresholds
        if self.z > for_99:
            return 0.99
        return 0.95 if self.z > for_95 else None

    @property
    def verdict(self) -> str:
        """Which system is better, and at which confidence, in words."""
        if self.better + self.worse == 0:
            return "no difference"
        if self.level is None:
            return "not significant"
        direction = "better" if self.better > self.worse else "worse"
        return f"the system is {direction} than the baseline at {self.level:.0%} confidence"

    def indices(self, outcome: int) -> list[int]:
        """List the segments that take part and have this outcome, from 0."""
        outcome = whole_number("SignTest.indices", "outcome", outcome, WORSE, BETTER)
        return [int(index) for index in (self.different & (self.outcomes == outcome)).nonzero()[0]]

    def to_dict(self) -> dict[str, Any]:
        """Everything but the arrays, as plain numbers at full precision."""
        counts = {"f_plus": self.better, "f_minus": self.worse, "f_zero": self.same}
        counts["different"] = int(self.different.sum())
        return {name: counts[name] if name in counts else getattr(self, name) for name in _SHOWN}


def sign_test(baseline: Stats, system: Stats, metric: RowMetric | str, *, different: Flags | None = None) -> SignTest:
    """Test whether the system's segments improve the baseline more often than they spoil it."""
    import numpy as np

    metric = check_metric("sign test", "metric", metric)
    _check_pair(baseline, system)
    before, system_score = metric.score(baseline), metric.score(system).score
    _check_shared_columns(baseline, system, metric)
    changed = (baseline.rows != system.rows).any(axis=1)
    flags = changed if different is None else _checked_flags(different, changed)
    scores = _replaced_scores(baseline, system, metric, changed, before.score)
    raised = (scores > before.score).astype(np.int8) - (scores < before.score)
    outcomes = raised if metric.higher_is_better else -raised
    for array in (flags, scores, outcomes):
        array.flags.writeable = False
    better, worse = int((outcomes == BETTER).sum()), int((outcomes == WORSE).sum())
    return SignTest(
        metric=before.name,
        signature=str(before.signature),
        baseline_score=before.score,
        system_score=system_score,
        better=better,
        worse=worse,
        same=int(flags.sum()) - better - worse,
        z=z_value(better, worse),
        p_value=binomial_p_value(better, worse),
        different=flags,
        scores=scores,
        outcomes=outcomes,
    )


def sign_test_of_texts(
    baseline: Sequence[str],
    system: Sequence[str],
    references: Sequence[Sequence[str | None]],
    metric: RowMetric | str,
    *,
    layout: str = "streams",
    threads: int | None = None,
) -> SignTest:
    """Run the sign test on texts: the segments whose texts differ take part.

    Examples
    --------
    >>> from truebleu.metrics import TER
    >>> test = sign_test_of_texts(["a b", "c d"], ["a c", "C d"], [["a b", "c d"]], TER())
    >>> test.better, test.worse, test.same
    (0, 1, 1)
    """
    metric = check_metric("sign_test_of_texts", "metric", metric)
    baseline, system = check_both("sign_test_of_texts", baseline, system)
    rows = [metric.stats(texts, references, layout=layout, threads=threads) for texts in (baseline, system)]
    different = [ours != theirs for ours, theirs in zip(baseline, system, strict=True)]
    return sign_test(rows[0], rows[1], metric, different=different)


def z_value(better: int, worse: int) -> float:
    """Compute how many standard deviations f(+) is from half of f(+) + f(−).

    Examples
    --------
    >>> z_value(60, 40)
    2.0
    """
    trials = _count("z_value", "better", better) + _count("z_value", "worse", worse)
    return abs((better - trials / 2) / math.sqrt(trials / 4)) if trials else 0.0


def binomial_p_value(better: int, worse: int) -> float:
    """Compute how often a fair coin is at least as one-sided as this, either way.

    Examples
    --------
    >>> binomial_p_value(9, 1)
    0.021484375
    """
    # Whole numbers throughout: exact while binomial coefficients fit in 512 bits, and beyond that cut to no fewer
    # than 256, which leaves an error far below a double's. The exact sums would take minutes for a million segments.
    better, worse = _count("binomial_p_value", "better", better), _count("binomial_p_value", "worse", worse)
    trials, fewer = better + worse, min(better, worse)
    term, shift = 1, 0
    for i in range(1, fewer + 1):
        term = term * (trials - i + 1) // i
        if term.bit_length() > 512:
            term >>= 256
            shift += 256
    total, i = 0, fewer
    while term:
        total += term
        term = term * i // (trials - i + 1)
        i -= 1
    return min(1.0, 2 * total / (1 << (trials - shift)))


def _count(who: str, what: str, value: int) -> int:
    return whole_number(who, what, value, 0, _MOST_SEGMENTS)


def _check_pair(baseline: Stats, system: Stats) -> None:
    from truebleu.stats import Stats

    for name, stats in (("baseline", baseline), ("system", system)):
        if not isinstance(stats, Stats):
            kind = type(stats).__name__
            raise InputTypeError(
                f"sign test: the {name} is of type {kind}, expected Stats: metric.stats(texts, references)"
            )
    baseline.require(system.fingerprint, "sign test: the rows of the baseline and the system")
    if len(baseline) != len(system):
        raise LengthMismatch(
            f"sign test: the system has {number_of(len(system), 'segment')}, the baseline has {len(baseline)}"
        )
    if baseline.references != system.references:
        ours, theirs = (" to ".join(map(str, sorted({*stats.references}))) for stats in (baseline, system))
        raise StatsMismatch(
            "sign test: the baseline and the system were counted against different references: "
            f"{ours} and {theirs} per segment"
        )


def _check_shared_columns(baseline: Stats, system: Stats, metric: RowMetric) -> None:
    """Refuse rows that differ where only references decide."""
    for name in metric.shared_columns:
        ours, theirs = (stats.rows[:, stats.columns.index(name)] for stats in (baseline, system))
        differing = (ours != theirs).nonzero()[0]
        if len(differing):
            segment = int(differing[0])
            raise StatsMismatch(
                f"sign test: {name} of segment {segment} is {ours[segment]} in the baseline and {theirs[segment]} in "
                f"the system; were they counted against different references? {FROM_0}"
            )


def _checked_flags(different: Flags, changed: NDArray[np.bool_]) -> NDArray[np.bool_]:
    import numpy as np

    given = ordered("sign test", "different", different, "a flag for each segment")
    flags = np.array(given, dtype=None if set(map(type, given)) <= {bool, np.bool_} else object)
    if flags.dtype != np.bool_ or flags.ndim != 1:
        raise InputTypeError("sign test: different is not a flat list of booleans, expected one for each segment")
    if len(flags) != len(changed):
        raise LengthMismatch(
            f"sign test: different has {number_of(len(flags), 'flag')}, the baseline has "
            f"{number_of(len(changed), 'segment')}"
        )
    contradictions = (changed & ~flags).nonzero()[0]
    if len(contradictions):
        raise StatsMismatch(
            f"sign test: different says that segment {int(contradictions[0])} is the same in both systems, "
            f"but its rows are not equal. {FROM_0}"
        )
    return flags


def _replaced_scores(
    baseline: Stats, system: Stats, metric: RowMetric, changed: NDArray[np.bool_], score: float
) -> NDArray[np.float64]:
    """Score the baseline with each changed segment replaced; elsewhere the score is the baseline's own."""
    import numpy as np

    totals = np.array(baseline.sum())
    scores = np.full(len(baseline), score)
    segments = changed.nonzero()[0]
    for start in range(0, len(segments), _CHUNK):
        chunk = segments[start : start + _CHUNK]
        # The difference first: it is zero where only references decide, as in the fractions of TER's mean lengths, so
        # that the total is not rounded a second time.
        replaced = totals + (system.rows[chunk] - baseline.rows[chunk])
        scores[chunk] = np.frombuffer(metric.engine.score_rows(replaced.ravel().tolist()))
    return scores
