"""Hugging Face evaluate's metrics with its names, arguments and numbers (0.4.6), offline and counted in Rust.

Replace `import evaluate` by `import truebleu.evaluate as evaluate`. Nothing is downloaded, and evaluate need not be
installed.

>>> import truebleu.evaluate as evaluate
>>> metric = evaluate.load("google_bleu")
>>> metric.compute(predictions=["it was a grey bird"], references=[["it was a grey heron", "it was grey"]])
{'google_bleu': 0.7142857142857143}

`script_path` is for programs that keep the real evaluate: its `load` takes the path of a script.
"""

import sys
from types import ModuleType
from typing import Any, NoReturn

from truebleu.evaluate import logging
from truebleu.evaluate.combined import CombinedEvaluations, combine
from truebleu.evaluate.hub import list_evaluation_modules, load, script_path
from truebleu.evaluate.logging import disable_progress_bar, enable_progress_bar, is_progress_bar_enabled
from truebleu.evaluate.module import EvaluationModule, MetricInfo
from truebleu.evaluate.saving import save

# Programs ask evaluate for its version, and whether something is a metric of its.
__version__ = "0.4.6"
Metric = EvaluationModule
EvaluationModuleInfo = MetricInfo

__all__ = [
    "CombinedEvaluations",
    "EvaluationModule",
    "EvaluationModuleInfo",
    "Metric",
    "MetricInfo",
    "__version__",
    "combine",
    "disable_progress_bar",
    "enable_progress_bar",
    "is_progress_bar_enabled",
    "list_evaluation_modules",
    "load",
    "logging",
    "save",
    "script_path",
]

_ELSEWHERE = {
    "EvaluationSuite": "runs models on tasks",
    "Evaluator": "runs models",
    "evaluator": "runs models",
    "push_to_hub": "writes to a hub",
    "inspect_evaluation_module": "downloads a script",
    "launch_gradio_widget": "shows a page of the web",
    "Comparison": "is for modules that are not metrics",
    "Measurement": "is for modules that are not metrics",
}


class _Module(ModuleType):
    """This module, which people call by mistake."""

    def __call__(self, *_: object, **__: object) -> NoReturn:
        raise TypeError(
            "truebleu.evaluate is a module, not a function: truebleu.corpus_bleu(hypotheses, [references]) scores "
            "texts, and truebleu.evaluate.load('sacrebleu').compute(predictions=..., references=...) as evaluate does"
        )


sys.modules[__name__].__class__ = _Module


def __getattr__(name: str) -> Any:
    reason = _ELSEWHERE.get(name)
    if reason is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    raise AttributeError(
        f"truebleu.evaluate has no {name}, which {reason}. Use Hugging Face's evaluate for it; "
        "evaluate.load(truebleu.evaluate.script_path(METRIC)) gives it metrics that truebleu counts"
    )
