"""The results of a comparison: plain frozen values that can be shown without computing anything."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from truebleu.signature import Signature


@dataclass(frozen=True)
class SystemReport:
    """A system under one metric. With several runs, `score` is their mean and `run_scores` has each.

    `mean` and `half_width` (of the 95 % interval) come from resampling, and `rank_range` from all pairs; None where not
    asked for.
    """

    name: str
    score: float
    run_scores: tuple[float, ...]
    mean: float | None = None
    half_width: float | None = None
    rank_range: tuple[int, int] | None = None


@dataclass(frozen=True)
class PairReport:
    """Two systems under one metric. `delta` is the system's score less the baseline's.

    `significant` compares `adjusted_p_value`, or if no correction was asked for `p_value`, with the level. `winner` is
    the better system if the difference is significant. `interval` is a 95 % interval of the delta, from resampling.
    `signs` are the segments on which the system is better, worse and the same, from the sign test.
    """

    baseline: str
    system: str
    delta: float
    p_value: float
    adjusted_p_value: float | None
    significant: bool
    winner: str | None
    identical: bool
    interval: tuple[float, float] | None = None
    signs: tuple[int, int, int] | None = None
    z: float | None = None


@dataclass(frozen=True)
class MetricReport:
    """Everything under one metric. `clusters` are names, best first, where all pairs were compared."""

    key: str
    name: str
    signature: Signature
    higher_is_better: bool
    systems: tuple[SystemReport, ...]
    pairs: tuple[PairReport, ...]
    clusters: tuple[tuple[str, ...], ...] | None = None


@dataclass(frozen=True)
class Comparison:
    """What `compare` returns."""

    title: str
    test: str
    n_samples: int
    n_confidence: int
    seed: str
    alpha: float
    correction: str | None
    all_pairs: bool
    n_segments: int
    n_documents: int | None
    n_runs: int
    systems: tuple[str, ...]
    metrics: tuple[MetricReport, ...]

    def to_dict(self) -> dict[str, Any]:
        """The same as nested dicts and lists of plain values, for JSON."""
        fields = asdict(self)
        for metric in fields["metrics"]:
            metric["signature"] = str(metric["signature"])
        return fields
