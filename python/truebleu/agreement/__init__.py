"""Agreement of metrics with people: soft pairwise accuracy, accuracy with ties, correlations, tests between metrics."""

from truebleu._lazy import attach

__getattr__, __dir__ = attach(__name__)
