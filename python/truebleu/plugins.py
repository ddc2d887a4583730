"""Plug-ins: metrics, runners, tokenizers and test sets of other packages, found by their entry points.

| group of entry points | object |
|---|---|
| `truebleu.metrics` | a subclass of `MetricPlugin` |
| `truebleu.runners` | a `RunnerSpec`: plain data, and a script that runs in an interpreter of its own |
| `truebleu.tokenizers` | a subclass of `truebleu.tokenizers.BaseTokenizer`, or a function that makes one |
| `truebleu.testsets` | a function that returns the description of test sets |

`check` is a test for authors.
"""

from __future__ import annotations

import pickle
import random
from typing import Any

from truebleu._plugins import PluginPoint
from truebleu.metrics.plugin import MetricPlugin, metric_of
from truebleu.runners.families import LearnedFamily, PinnedModel, Requirement, RunnerSpec
from truebleu.runners.protocol import Unit
from truebleu.signature import read_fields

__all__ = [
    "LearnedFamily", "MetricPlugin", "PinnedModel", "Requirement", "RunnerSpec", "Unit", "check",
]  # fmt: skip

_WORDS = ("a", "the", "Haus", "Zürich", "日本", "e\u0301", "12%", "\U0001f600", ".")


def check(plugin: type[MetricPlugin], name: str = "my-metric", **options: Any) -> None:
    """Test a metric as truebleu will use it, and raise PluginError for the first thing that is wrong.

    It is asked for scores of made-up texts, some of them empty: twice, in another order, and each unit alone. They
    must be finite, in its range, equal each time, and no worse for a copy of the reference than for other texts. It
    must be pickled, and its signature read back.

    >>> class Copies(MetricPlugin):
    ...     low, high = 0.0, 1.0
    ...
    ...     def segment_scores(self, units):
    ...         return [float(unit.hyp == unit.ref) for unit in units]
    >>> check(Copies)

    Parameters
    ----------
    plugin
        The class.
    name
        The name of its entry point.
    options
        Its own options.
    """
    point = PluginPoint("metrics", name, "conformance", "1", _Loaded(plugin))
    kind: Any = metric_of(point, name)
    metric = kind(options=options)
    units = _units(metric.texts)
    first = _scores(metric, units)
    order = random.Random(1).sample(range(len(units)), len(units))
    again = _scores(metric, [units[at] for at in order])
    if [first[at] for at in order] != again or first != [_scores(metric, [unit])[0] for unit in units]:
        raise point.wrong("gives other scores for the same units in another order, or one at a time")
    if "ref" in metric.texts:
        copied, other = (sum(first[at::2]) for at in (0, 1))
        if copied != other and (copied > other) is not metric.higher_is_better:
            raise point.wrong("is better for other texts than for copies of the reference: is its direction right?")
    _check_forms(metric, point, units)


class _Loaded:
    def __init__(self, found: object) -> None:
        self._found = found

    def load(self) -> object:
        return self._found


def _units(texts: tuple[str, ...]) -> list[Unit]:
    """Pairs of units: a copy of the reference, and other words; the last have empty texts."""
    draw, units = random.Random(0), []
    for length in (*range(1, 40), 400):
        source, reference, other = (" ".join(draw.choices(_WORDS, k=length)) for _ in range(3))
        units += [Unit(source, reference, reference), Unit(source, other, reference)]
    units += [Unit("a", "", "a"), Unit("a", "", "b")]
    return [Unit(*(text if name in texts else None for name, text in one._asdict().items())) for one in units]  # type: ignore[arg-type]


def _asked(metric: Any, units: list[Unit], call: Any) -> Any:
    texts: dict[str, Any] = {"sources": [unit.src for unit in units]} if "src" in metric.texts else {}
    references = [[unit.ref for unit in units]] if "ref" in metric.texts else None
    return call([unit.hyp for unit in units], references, **texts)


def _scores(metric: Any, units: list[Unit]) -> list[float]:
    return [one.score for one in _asked(metric, units, metric.segments)]


def _check_forms(metric: Any, point: PluginPoint, units: list[Unit]) -> None:
    try:
        pickle.dumps(metric.__getstate__())
    except Exception as error:
        raise point.wrong(f"cannot be pickled: {type(error).__name__}: {error}") from error
    _, fields = read_fields(str(_asked(metric, units, metric.corpus_score).signature))
    for key, value in metric.facts().items():
        if fields.get(key) != value:
            raise point.wrong(f"has the field {key} {value!r} in its signature, which is read back as another")
