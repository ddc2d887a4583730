"""truebleu's metrics as metrics of torchmetrics, for Lightning and `MetricCollection`.

States are totals in 64 bits, one tensor, summed over processes. Values are those of `metric.corpus_score(...).score`,
from 0 to 100: not those of torchmetrics' own text metrics, which differ from sacreBLEU in many ways
(docs/accumulators.md lists them).

::

    from truebleu import torch as metrics

    bleu = metrics.BLEU(lowercase=True)      # or TextMetric(truebleu.BLEU(lowercase=True))
    bleu.update(["a grey heron"], [["a grey heron", "a heron"]])
    bleu.compute()                           # a tensor
"""

from __future__ import annotations

from typing import Any

import truebleu.metrics
from truebleu._inputs import group
from truebleu.accumulator import Sums
from truebleu.errors import InputTypeError, MissingDependency, NothingAdded

try:
    import torch
    from torchmetrics import Metric
except ImportError as error:
    raise MissingDependency(
        f"truebleu.torch needs torch and torchmetrics, and {error.name} cannot be imported: pip install torchmetrics. "
        "truebleu.Accumulator does the same without them"
    ) from error

__all__ = ["BLEU", "CHRF", "GLEU", "TER", "TextMetric"]


class TextMetric(Metric):
    """Any metric of truebleu as a metric of torchmetrics; further options are those of the base class."""

    is_differentiable = False
    # The totals of a batch can be added to those before: no need to count it twice in `forward`.
    full_state_update = False

    totals: torch.Tensor
    segments: torch.Tensor
    fewest_references: torch.Tensor
    most_references: torch.Tensor

    def __init__(self, metric: truebleu.metrics.Metric[Any], **options: Any) -> None:
        if not isinstance(metric, truebleu.metrics.Metric):
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
        """Not so for TER."""
        return bool(self.metric.higher_is_better)

    def update(self, preds: Any, target: Any) -> None:
        """Count a batch: strings, each with its list of references or with the only one."""
        name = type(self).__name__
        segments = group(name, preds, target, ("preds", "target"))
        stats = self.metric.stats(segments.predictions, segments.streams(name))
        for name, value in self._tensors(self._sums().plus_rows(stats)).items():
            setattr(self, name, value.to(self.totals.device))

    def compute(self) -> Any:
        """The score of everything since the last reset, as a tensor of 64 bits."""
        return torch.tensor(self.score().score, dtype=torch.float64, device=self.totals.device)

    def score(self) -> Any:
        """The same with all that it is made of, and with its signature. Processes are not gathered here."""
        sums = self._sums()
        if not sums.segments:
            raise NothingAdded(f"{type(self).__name__}: nothing has been counted, call update first")
        return self.metric.score_totals(list(sums.totals), sums.references)

    def _sums(self) -> Sums:
        references = int(self.fewest_references), int(self.most_references)
        return Sums(int(self.segments), tuple(self.totals.tolist()), references)

    def _tensors(self, sums: Sums) -> dict[str, torch.Tensor]:
        """The states by name. In 64 bits: 32 would lose counts from 16 million on."""
        fewest, most = sums.references
        return {
            "totals": torch.tensor(sums.totals, dtype=torch.float64),
            "segments": torch.tensor(sums.segments, dtype=torch.int64),
            "fewest_references": torch.tensor(fewest, dtype=torch.int64),
            "most_references": torch.tensor(most, dtype=torch.int64),
        }


class _Named(TextMetric):
    """A metric by its own options; those of the base class are told apart by name."""

    _make: type[truebleu.metrics.Metric[Any]]

    def __init__(self, **options: Any) -> None:
        base = {name: options.pop(name) for name in _BASE_OPTIONS & options.keys()}
        super().__init__(self._make(**options), **base)


_BASE_OPTIONS = {
    "compute_on_cpu",
    "dist_sync_on_step",
    "process_group",
    "dist_sync_fn",
    "distributed_available_fn",
    "sync_on_compute",
    "compute_with_cache",
}


class BLEU(_Named):
    """`truebleu.BLEU` with its options."""

    _make = truebleu.metrics.BLEU


class CHRF(_Named):
    """`truebleu.CHRF` with its options."""

    _make = truebleu.metrics.CHRF


class TER(_Named):
    """`truebleu.TER` with its options. Lower is better."""

    _make = truebleu.metrics.TER


class GLEU(_Named):
    """`truebleu.GLEU` with its options."""

    _make = truebleu.metrics.GLEU
