"""Hugging Face evaluate's metrics with its names, arguments and numbers (0.4.6), offline and counted in Rust.

Replace `import evaluate` by `import truebleu.evaluate as evaluate`. Nothing is downloaded, and evaluate need not be
installed.

>>> import truebleu.evaluate as evaluate
>>> metric = evaluate.load("google_bleu")
>>> metric.compute(predictions=["it was a grey bird"], references=[["it was a grey heron", "it was grey"]])
{'google_bleu': 0.7142857142857143}

`script_path` is for programs that keep the real evaluate: its `load` takes the path of a script.
"""

from truebleu.evaluate.combined import CombinedEvaluations, combine
from truebleu.evaluate.hub import list_evaluation_modules, load, script_path
from truebleu.evaluate.module import EvaluationModule, MetricInfo

# Programs ask evaluate for its version, and whether something is a metric of its.
__version__ = "0.4.6"
Metric = EvaluationModule

__all__ = [
    "CombinedEvaluations",
    "EvaluationModule",
    "Metric",
    "MetricInfo",
    "__version__",
    "combine",
    "list_evaluation_modules",
    "load",
    "script_path",
]
