"""The scores of single segments."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from truebleu._frames import FRACTION, TEXT, WHOLE, Tabular
from truebleu._options import choice
from truebleu.metrics import BLEU, CHRF
from truebleu.metrics.base import varied
from truebleu.metrics.external import ExternalMetric

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from truebleu.significance.systems import RowMetric
    from truebleu.stats import Stats


@dataclass(frozen=True, eq=False)
class SegmentScores(Tabular):
    """The scores of all segments under one metric. As a table, it has a row for each system and segment, from 0.

    Parameters
    ----------
    metric
        The name of the metric.
    higher_is_better
        Whether the better text has the higher score.
    systems
        The names of the systems.
    scores
        A row for each system and a column for each segment; it cannot be written to.
    """

    metric: str
    higher_is_better: bool
    systems: tuple[str, ...]
    scores: NDArray[np.float64] = field(repr=False)

    def of(self, system: str) -> NDArray[np.float64]:
        """Give the scores of a system.

        Parameters
        ----------
        system
            The name of the system.
        """
        found: NDArray[np.float64] = self.scores[self.systems.index(_known("system", system, self.systems))]
        return found

    def difference(self, a: str, b: str) -> NDArray[np.float64]:
        """Subtract the scores of one system from those of another, segment by segment.

        Parameters
        ----------
        a, b
            The names of the systems; the scores of `b` are subtracted.
        """
        ours, theirs = (self.of(_known(*each, self.systems)) for each in (("a", a), ("b", b)))
        return ours - theirs

    def gains(self, a: str, b: str) -> list[int]:
        """List the segments on which one system is better than another, the largest gain first.

        Segments of equal gain are in their own order, and a segment without a gain is never among them.

        Parameters
        ----------
        a, b
            The names of the system that is better, and of the other.
        """
        import numpy as np

        gain = self.difference(a, b) if self.higher_is_better else -self.difference(a, b)
        order = np.argsort(-gain, kind="stable")
        return [int(at) for at in order if gain[at] > 0]

    def signs(self, a: str, b: str) -> tuple[int, int, int]:
        """Count the segments on which one system is better than another, worse, and the same.

        Parameters
        ----------
        a, b
            The names of the system and of the other.
        """
        better, worse = len(self.gains(a, b)), len(self.gains(b, a))
        difference = self.difference(a, b)
        return better, worse, int((difference == difference).sum()) - better - worse  # a missing score is nan

    def _table(self) -> tuple[Mapping[str, str], Iterable[tuple[Any, ...]]]:
        types = {"metric": TEXT, "system": TEXT, "segment": WHOLE, "score": FRACTION}
        scores = zip(self.systems, self.scores.tolist(), strict=True)
        return types, ((self.metric, name, at, one) for name, row in scores for at, one in enumerate(row))


def segment_scores(key: str, metric: RowMetric, counted: Mapping[str, list[Stats]]) -> SegmentScores:
    """Score each row of all systems, as the metric scores a single segment.

    BLEU leaves out orders that a text is too short for, as `--sentence-level` does.
    """
    import numpy as np

    by_segment: Any = metric
    if not getattr(metric, "effective_order", True):
        by_segment = varied(by_segment, effective_order=True)

    def scored(runs: list[Stats]) -> NDArray[np.float64]:
        several = [np.frombuffer(by_segment.engine.score_rows(stats.rows.tobytes())) for stats in runs]
        if metric.columns == ExternalMetric.columns:
            several = [np.where(stats.rows[:, 1] > 0, one, np.nan) for one, stats in zip(several, runs, strict=True)]
        return several[0] if len(several) == 1 else sum(several[1:], several[0]) / len(several)

    scores = np.stack([scored(runs) for runs in counted.values()])
    scores.flags.writeable = False
    return SegmentScores(key, metric.higher_is_better, tuple(counted), scores)


def length_ratios(
    metrics: Mapping[str, RowMetric], counted: Mapping[str, Mapping[str, Stats]]
) -> tuple[str, dict[str, NDArray[np.float64]]] | None:
    """Divide the length of each output by that of its reference, as BLEU counts them, or else chrF; None without both.

    Of several references, BLEU takes the one that is nearest in length, and chrF the one that it matches best. Where
    the reference is empty, the ratio is not a number.
    """
    import numpy as np

    for kind in (BLEU, CHRF):
        for key, metric in metrics.items():
            if type(metric) is kind:
                unit = {"sys_len": "tokens", "hyp_char_1": "characters"}.get(metric.columns[0], "words")
                found = {}
                for name, stats in counted[key].items():
                    ours, theirs = stats.rows[:, 0], stats.rows[:, 1]
                    found[name] = np.divide(ours, theirs, out=np.full(len(ours), np.nan), where=theirs > 0)
                return unit, found
    return None


def agreement(x: Sequence[float], y: Sequence[float]) -> tuple[float | None, float | None]:
    """Correlate two lists of scores: Pearson's r and Kendall's tau-b; None where all scores of a list are equal.

    Segments that lack one of the two scores are left out.
    """
    import numpy as np

    from truebleu.agreement.cells import grouped
    from truebleu.agreement.correlation import pearson, tau_b

    cells = grouped(np.array([x]), np.array([y]), "none")
    r, tau = (next((one for one in of(cells).tolist() if not math.isnan(one)), None) for of in (pearson, tau_b))
    return r, tau


def _known(what: str, name: Any, systems: tuple[str, ...]) -> str:
    found: str = choice("SegmentScores", what, name, systems)
    return found
