"""Resampling over rows: how sure a score is, and whether two systems differ.

`PairedTest` is sacreBLEU's. `compare` works on texts or rows of any metric, scores from elsewhere included, with more
tests, documents in the place of segments, several runs a system, and all pairs of a shared task. `breakdown` scores
groups of segments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from truebleu.metrics.external import ExternalMetric
    from truebleu.resample.interval import estimate_interval
    from truebleu.significance.comparison import compare
    from truebleu.significance.groups import Group, breakdown
    from truebleu.significance.paired import PairedTest, Result
    from truebleu.significance.results import Comparison, MetricReport, PairReport, SystemReport

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

__all__ = [
    "Comparison",
    "ExternalMetric",
    "Group",
    "MetricReport",
    "PairReport",
    "PairedTest",
    "Result",
    "SystemReport",
    "breakdown",
    "compare",
    "estimate_interval",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(_HOMES[name]), name)
