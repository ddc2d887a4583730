"""truebleu's metrics as metrics of torchmetrics, for Lightning and `MetricCollection`.

There is a class for each name in `truebleu.metrics.METRICS`. States are totals in 64 bits, one tensor, summed over
processes. Values are those of `metric.corpus_score(...).score`, from 0 to 100: not those of torchmetrics' own text
metrics, which differ from sacreBLEU in many ways (docs/accumulators.md lists them).

::

    from truebleu import torch as metrics

    bleu = metrics.BLEU(lowercase=True)      # or TextMetric(truebleu.BLEU(lowercase=True))
    bleu.update(["a grey heron"], [["a grey heron", "a heron"]])
    bleu.compute()                           # a tensor
"""

from __future__ import annotations

from typing import Any

from truebleu import metrics
from truebleu._inputs import group
from truebleu.accumulator import Sums
from truebleu.errors import InputTypeError, MissingDependency, NothingAdded
from truebleu.glance import warn_of_layout
from truebleu.metrics.base import add_few
from truebleu.metrics.names import as_metric

try:
    import torch
    from torchmetrics import Metric
except ImportError as error:
    raise MissingDependency(
        f"truebleu.torch needs torch and torchmetrics, and {error.name} cannot be imported: pip install torchmetrics. "
        "truebleu.Accumulator does the same without them"
    ) from error

__all__ = ["TextMetric", *metrics.METRICS]


class TextMetric(Metric):
    """A metric of truebleu as a metric of torchmetrics.

    Parameters
    ----------
    metric
        The metric that counts and scores, such as `truebleu.BLEU()`, or its name, such as "bleu".
    options
        Those of torchmetrics' base class.
    """

    is_differentiable = False
    # The totals of a batch can be added to those before: no need to count it twice in `forward`.
    full_state_update = False

    totals: torch.Tensor
    segments: torch.Tensor
    fewest_references: torch.Tensor
    most_references: torch.Tensor

    def __init__(self, metric: metrics.Metric[Any] | str, **options: Any) -> None:
        metric = as_metric("TextMetric", "metric", metric)
        if not isinstance(metric, metrics.Metric):
            raise InputTypeError(
                f"TextMetric: metric is of type {type(metric).__name__}, expected a metric such as truebleu.BLEU()"
            )
        super().__init__(**options)
        self.metric = metric
        nothing = Sums.nothing(len(metric.columns))
        for (name, value), reduction in zip(self._tensors(nothing).items(), ("sum", "sum", "min", "max"), strict=True):
            self.add_state(name, value, dist_reduce_fx=reduction)

    @property
    def higher_is_better(self) -> bool:
        """Whether a higher score is better; for TER a lower one is."""
        return bool(self.metric.higher_is_better)

    def update(self, preds: Any, target: Any) -> None:
        """Count a batch.

        Parameters
        ----------
        preds
            The output of the system, one string for each segment.
        target
            For each segment the list of its references; if every segment has only one, the strings themselves.
        """
        if self._add_few(preds, target):
            return
        name = type(self).__name__
        segments = group(name, preds, target, ("preds", "target"))
        streams = segments.streams(name)
        if 1 < len(segments.predictions) == len(streams):
            warn_of_layout(name, "target", segments.predictions, streams, by_segment=True)
        stats = self.metric.stats(segments.predictions, streams, layout="streams")
        for name, value in self._tensors(self._sums().plus_rows(stats)).items():
            setattr(self, name, value.to(self.totals.device))

    def compute(self) -> Any:
        """Score everything since the last reset; the number is a tensor of 64 bits."""
        return torch.tensor(self.score().score, dtype=torch.float64, device=self.totals.device)

    def score(self) -> Any:
        """Score everything that this process has counted since the last reset, as an object with its signature."""
        sums = self._sums()
        if not sums.segments:
            raise NothingAdded(f"{type(self).__name__}: nothing has been counted, call update first")
        return self.metric.score_totals(list(sums.totals), sums.references)

    def _add_few(self, preds: Any, target: Any) -> bool:
        """Count a few short texts, and tell whether they were no more than that. Making tensors takes longest."""
        device = self.totals.device
        found = add_few(self.metric, preds, target, tuple(self.totals.tolist()), (), 1)
        if found is None:
            return False
        totals, segments, (fewest, most), _ = found
        self.totals = torch.tensor(totals, dtype=torch.float64, device=device)
        self.segments = self.segments + segments
        if fewest < int(self.fewest_references):
            self.fewest_references = torch.tensor(fewest, dtype=torch.int64, device=device)
        if most > int(self.most_references):
            self.most_references = torch.tensor(most, dtype=torch.int64, device=device)
        return True

    def _sums(self) -> Sums:
        references = int(self.fewest_references), int(self.most_references)
        return Sums(int(self.segments), tuple(self.totals.tolist()), references)

    def _tensors(self, sums: Sums) -> dict[str, torch.Tensor]:
        """The states by name. They have 64 bits: 32 would lose counts from 16 million on."""
        fewest, most = sums.references
        return {
            "totals": torch.tensor(sums.totals, dtype=torch.float64),
            "segments": torch.tensor(sums.segments, dtype=torch.int64),
            "fewest_references": torch.tensor(fewest, dtype=torch.int64),
            "most_references": torch.tensor(most, dtype=torch.int64),
        }


_BASE_OPTIONS = {
    "compute_on_cpu",
    "dist_sync_on_step",
    "process_group",
    "dist_sync_fn",
    "distributed_available_fn",
    "sync_on_compute",
    "compute_with_cache",
}


def __getattr__(name: str) -> Any:
    """The class of a metric, made when it is first asked for."""
    if name not in metrics.METRICS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    wrapped = metrics.METRICS[name]

    def __init__(self: TextMetric, **options: Any) -> None:
        # The options of the base class are told apart by name; all others are the metric's.
        base = {option: options.pop(option) for option in _BASE_OPTIONS & options.keys()}
        TextMetric.__init__(self, wrapped(**options), **base)

    words = f"`{wrapped.__module__}.{wrapped.__qualname__}` with its options by name, and those of torchmetrics."
    made = type(name, (TextMetric,), {"__init__": __init__, "__module__": __name__, "__doc__": words})
    globals()[name] = made
    return made
