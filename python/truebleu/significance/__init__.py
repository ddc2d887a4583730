"""Resampling over rows: how sure a score is, and whether two systems differ.

`PairedTest` is sacreBLEU's. `compare` works on texts or rows of any metric, scores from elsewhere included, with more
tests, documents in the place of segments, several runs a system, and all pairs of a shared task. `breakdown` scores
groups of segments.
"""

from truebleu._lazy import attach

__getattr__, __dir__ = attach(__name__)
