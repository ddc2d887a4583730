"""What there is to report: plain values, computed elsewhere."""

import math
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from truebleu._counts import number_of
from truebleu._shown import shown
from truebleu._text.style import Style
from truebleu.metrics.score import Score
from truebleu.signature import Signature

if TYPE_CHECKING:
    from truebleu.doctor.finding import Diagnosis
    from truebleu.significance.results import Comparison, MetricReport


class Outcome(NamedTuple):
    """A score with everything that may be told about it."""

    name: str
    score: float
    signature: Signature
    mean: float | None = None
    half_width: float | None = None
    p_value: float | None = None
    adjusted_p_value: float | None = None
    verbose: str = ""
    parts: Mapping[str, Any] = MappingProxyType({})
    is_best: bool = False  # whether a test of all pairs finds none that is significantly better

    @staticmethod
    def of(score: Score) -> "Outcome":
        """Make an outcome of a score."""
        if score.signature is None:
            raise ValueError(f"a score without a signature cannot be reported: {score}")
        mean, half_width = score.confidence or (None, None)
        parts = score.parts()
        return Outcome(score.name, score.score, score.signature, mean, half_width, verbose=score.verbose, parts=parts)

    @staticmethod
    def against_baseline(metric: "MetricReport") -> "list[Outcome]":
        """Make an outcome of each system that was compared with the first, and of the first."""
        found = []
        for system, pair in zip(metric.systems, (None, *metric.pairs), strict=True):
            outcome = Outcome(metric.name, system.score, metric.signature, system.mean, system.half_width)
            if pair is not None:
                outcome = outcome._replace(p_value=pair.p_value, adjusted_p_value=pair.adjusted_p_value)
            found.append(outcome)
        return found


class SystemOutcomes(NamedTuple):
    """The outcomes of one system, one for each metric; at sentence level, also those of each segment.

    `name` is for people. `path` is for programs: the whole path, where the system is a file.
    """

    name: str
    path: str
    outcomes: tuple[Outcome, ...]
    segments: tuple[tuple[Outcome, ...], ...] = ()
    diagnosis: "Diagnosis | None" = None
    segmentation: Mapping[str, Any] | None = None  # where texts were divided anew; effects on scores are by name


class GroupOutcomes(NamedTuple):
    """The segments with one label: how many they are, and the outcomes of each system in the order of all systems."""

    label: str
    segments: int
    systems: tuple[tuple[Outcome, ...], ...]
    key: Mapping[str, Any] | None = None  # the values that make the group, where fields do


class Results(NamedTuple):
    """All systems. In a paired test the first is the baseline; a ranking has the comparison of each with each."""

    systems: tuple[SystemOutcomes, ...]
    is_sentence_level: bool = False
    numbers: tuple[int, ...] | None = None  # of the segments, where not all were scored
    title: str = ""  # of a paired test
    test: str = ""  # its name
    runs: int = 1  # how many of them make a system
    groups: tuple[GroupOutcomes, ...] = ()
    details: tuple[GroupOutcomes, ...] = ()  # beside the results: parts of a test set, normalisations
    comparison: "Comparison | None" = None
    smallest_p_value: float | None = None  # that a pair can have in a paired test that sacreBLEU does not have
    is_sacrebleus: bool = False  # whether it is a paired test that sacreBLEU has, and nothing more

    def numbered(self, system: SystemOutcomes) -> Iterable[tuple[int, tuple[Outcome, ...]]]:
        """Pair the outcomes of segments with the numbers that these have in the files."""
        return zip(self.numbers or range(1, len(system.segments) + 1), system.segments, strict=True)

    @property
    def labels(self) -> dict[str, str]:
        """What a table calls each system: its name, how many runs it has, and whether it is the baseline."""
        runs = f" ({number_of(self.runs, 'run')})" if self.runs > 1 else ""
        labels = {system.name: f"{shown(system.name)}{runs}" for system in self.systems}
        if self.test:
            first = self.systems[0].name
            labels[first] = baseline_label(labels[first])
        return labels


def baseline_label(name: str) -> str:
    """Call a system the baseline, as sacreBLEU's tables do."""
    return name if name == "Baseline" else f"Baseline: {name}"


def fitted(style: Style, results: Results) -> Style:
    """Choose the decimals of scores from elsewhere, whose scale is not known, unless they were asked for."""
    if style.is_width_typed:
        return style
    scores: dict[str, list[float]] = {}
    for system in results.systems:
        for outcome in system.outcomes:
            if "external" in outcome.signature.fields():
                scores.setdefault(outcome.name, []).append(outcome.score)
    for metric in results.comparison.metrics if results.comparison else ():
        if "external" in metric.signature.fields():
            scores[metric.name] = [system.score for system in metric.systems]
    return style._replace(widths={name: max(style.width, _decimals(found)) for name, found in scores.items()})


def _decimals(scores: list[float]) -> int:
    """Find how many decimals show the differences between scores: two digits of the spread, and no two alike."""
    spread, size = max(scores) - min(scores), max(map(abs, scores))
    least = max(0, 1 - math.floor(math.log10(spread or size or 1.0) + 1e-6)) + (0 if spread else 2)
    different = len({round(one, 8) for one in scores})
    return next((n for n in range(min(least, 8), 9) if len({f"{one:.{n}f}" for one in scores}) == different), 8)
