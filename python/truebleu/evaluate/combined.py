"""Several metrics on the same examples: evaluate's `combine`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from truebleu._inputs import kind_of
from truebleu._options import yes_or_no
from truebleu.errors import FormatMismatch
from truebleu.evaluate.hub import load
from truebleu.evaluate.module import EvaluationModule


def combine(
    evaluations: Sequence[str | EvaluationModule] | Mapping[str, str | EvaluationModule], force_prefix: bool = False
) -> CombinedEvaluations:
    """Combine metrics: they share their examples, and their results come in one dict.

    Parameters
    ----------
    evaluations
        A list of metrics, each a name or a loaded one; or a dict of such, with names for the results.
    force_prefix
        Whether every key of the results is preceded by the name of its metric; otherwise only the keys are that more
        than one metric has.

    Examples
    --------
    >>> both = combine(["sacrebleu", "chrf"])
    >>> list(both.compute(predictions=["a heron"], references=["a grey heron"]))[-4:]
    ['chr_f_score', 'char_order', 'word_order', 'beta']
    """
    return CombinedEvaluations(evaluations, force_prefix)


class CombinedEvaluations:
    """Metrics that share their examples and merge their results.

    Parameters
    ----------
    evaluations, force_prefix
        As in `combine`.
    """

    def __init__(self, evaluations: Any, force_prefix: bool = False) -> None:
        if isinstance(evaluations, str) or not isinstance(evaluations, (Sequence, Mapping)):
            raise FormatMismatch(
                f"combine: evaluations is of type {type(evaluations).__name__}, expected a list of metrics or a dict"
            )
        given = list(evaluations.values() if isinstance(evaluations, Mapping) else evaluations)
        self.evaluation_modules = [load(item) if isinstance(item, str) else item for item in given]
        for at, module in enumerate(self.evaluation_modules):
            if not isinstance(module, EvaluationModule):
                found = kind_of(module)
                raise FormatMismatch(f"combine: evaluations[{at}] is {found}, expected a name or a loaded metric")
        names = [module.name for module in self.evaluation_modules]
        self.evaluation_module_names = list(evaluations) if isinstance(evaluations, Mapping) else names
        self.force_prefix = yes_or_no("combine", "force_prefix", force_prefix)

    def add(self, **example: Any) -> None:
        """Add one example to every metric.

        Parameters
        ----------
        **example
            The `prediction` and the `reference`.
        """
        for module in self.evaluation_modules:
            module.add(**example)

    def add_batch(self, *, predictions: Any = None, references: Any = None) -> None:
        """Add examples to every metric.

        Parameters
        ----------
        predictions, references
            As in `EvaluationModule.add_batch`.
        """
        for module in self.evaluation_modules:
            module.add_batch(predictions=predictions, references=references)

    def compute(self, *, predictions: Any = None, references: Any = None, **options: Any) -> dict[str, Any]:
        """Score the examples given here together with all that were added before; return all results in one dict.

        Parameters
        ----------
        predictions, references
            As in `EvaluationModule.add_batch`.
        **options
            They go to every metric.
        """
        for module in self.evaluation_modules:
            module._check_options(options)
        before = [vars(module).copy() for module in self.evaluation_modules]
        try:
            results = [
                module.compute(predictions=predictions, references=references, **options)
                for module in self.evaluation_modules
            ]
        except Exception:
            # A call that raises changes nothing, so those that have computed get their examples back.
            for module, state in zip(self.evaluation_modules, before, strict=True):
                vars(module).update(state)
            raise
        # Error rates are plain numbers, as in evaluate.
        named = zip(self.evaluation_modules, results, strict=True)
        return self._merged([one if isinstance(one, dict) else {module.name: one} for module, one in named])

    def _merged(self, results: list[dict[str, Any]]) -> dict[str, Any]:
        keys = Counter(key for result in results for key in result)
        names = Counter(self.evaluation_module_names)
        seen: Counter[str] = Counter()
        merged = {}
        for name, result in zip(self.evaluation_module_names, results, strict=True):
            prefix = f"{name}_{seen[name]}" if names[name] > 1 else name
            seen[name] += 1
            for key, value in result.items():
                merged[f"{prefix}_{key}" if self.force_prefix or keys[key] > 1 else key] = value
        return merged
