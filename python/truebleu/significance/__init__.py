"""Resampling over rows: how sure a score is, and whether two systems differ.

`PairedTest` is sacreBLEU's. `compare` works on texts or rows of any metric, scores from elsewhere included, with more
tests, documents in the place of segments, several runs a system, and all pairs of a shared task. `breakdown` scores
groups of segments.
"""

from typing import TYPE_CHECKING

from truebleu._lazy import attach

if TYPE_CHECKING:
    from truebleu.metrics.external import ExternalMetric as ExternalMetric
    from truebleu.resample.interval import estimate_interval as estimate_interval
    from truebleu.significance.comparison import compare as compare
    from truebleu.significance.groups import Group as Group
    from truebleu.significance.groups import breakdown as breakdown
    from truebleu.significance.paired import PairedTest as PairedTest
    from truebleu.significance.paired import Result as Result
    from truebleu.significance.results import Comparison as Comparison
    from truebleu.significance.results import MetricReport as MetricReport
    from truebleu.significance.results import PairReport as PairReport
    from truebleu.significance.results import SystemReport as SystemReport

_HOMES = {
    "Comparison": "truebleu.significance.results",
    "ExternalMetric": "truebleu.metrics.external",
    "Group": "truebleu.significance.groups",
    "MetricReport": "truebleu.significance.results",
    "PairReport": "truebleu.significance.results",
    "PairedTest": "truebleu.significance.paired",
    "Result": "truebleu.significance.paired",
    "SystemReport": "truebleu.significance.results",
    "breakdown": "truebleu.significance.groups",
    "compare": "truebleu.significance.comparison",
    "estimate_interval": "truebleu.resample.interval",
}
__all__ = list(_HOMES)
__getattr__, __dir__ = attach(__name__, _HOMES)
