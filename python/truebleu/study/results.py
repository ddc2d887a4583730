"""What there is to report: plain values, computed elsewhere."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from types import MappingProxyType

from truebleu._counts import number_of
from truebleu._records import NamedTuple
from truebleu._shown import shown
from truebleu._text.style import Style
from truebleu._typing import TYPE_CHECKING, Any
from truebleu.metrics.score import Score
from truebleu.signature import Signature

if TYPE_CHECKING:
    from truebleu.doctor.finding import Diagnosis
    from truebleu.resample.interval import Interval
    from truebleu.significance.results import Comparison, PairReport


class SystemScores(NamedTuple):
    """The scores of one system, one for each metric; at sentence level, also those of each segment.

    `name` is for people. `path` is for programs: the whole path, where the system is a file.
    """

    name: str
    path: str
    scores: tuple[Score, ...]
    segments: tuple[tuple[Score, ...], ...] = ()
    diagnosis: Diagnosis | None = None
    segmentation: Mapping[str, Any] | None = None  # where texts were divided anew; effects on scores are by name


class GroupScores(NamedTuple):
    """The segments with one label: how many they are, and the scores of each system in the order of all systems."""

    label: str
    segments: int
    systems: tuple[tuple[Score, ...], ...]
    key: Mapping[str, Any] | None = None  # the values that make the group, where fields do


class Results(NamedTuple):
    """All systems, and the test that was made of them: of each with the first, the baseline, or of each with each."""

    systems: tuple[SystemScores, ...]
    is_sentence_level: bool = False
    numbers: tuple[int, ...] | None = None  # of the segments, where not all were scored
    runs: int = 1  # how many of them make a system
    groups: tuple[GroupScores, ...] = ()
    details: tuple[GroupScores, ...] = ()  # beside the results: parts of a test set, normalisations
    comparison: Comparison | None = None
    is_sacrebleus: bool = False  # whether it is a paired test that sacreBLEU has, and nothing more
    best: tuple[Sequence[str], ...] = ()  # by metric, the systems that a test of all pairs finds unbeaten
    parts: tuple[tuple[GroupScores, Results], ...] = ()  # the same test of each group
    after: tuple[str, ...] = ()  # lines below the tables of text
    more: Mapping[tuple[str, str], dict[str, Any]] = MappingProxyType({})  # for JSON, by names of system and score

    @property
    def ranking(self) -> Comparison | None:
        """The test of all pairs."""
        return self.comparison if self.comparison is not None and self.comparison.all_pairs else None

    @property
    def test(self) -> Comparison | None:
        """The test against the baseline; one without a name goes without its explanation too."""
        return None if self.comparison is None or self.ranking or not self.comparison.test else self.comparison

    @property
    def smallest_p_value(self) -> float | None:
        """What a pair can have in a test against the baseline that sacreBLEU does not have."""
        return None if self.test is None or self.is_sacrebleus else self.test.smallest_p_value

    def tested(self) -> Iterator[tuple[SystemScores, list[tuple[Score, PairReport | None]]]]:
        """Give each system with its scores, and what the test against the baseline says of them."""
        reports = () if self.comparison is None or self.ranking else self.comparison.metrics
        for at, system in enumerate(self.systems):
            pairs = [report.pairs[at - 1] for report in reports] if at else []
            yield system, list(zip_longest(system.scores, pairs))

    def numbered(self, system: SystemScores) -> Iterable[tuple[int, tuple[Score, ...]]]:
        """Pair the scores of segments with the numbers that these have in the files."""
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


def compared_scores(comparison: Comparison) -> list[tuple[Score, ...]]:
    """Give the scores of each system, with their intervals and the signatures of the test."""
    columns = []
    for metric in comparison.metrics:
        columns.append(
            [
                plain_score(metric.name, one.score, one.signature or metric.signature, one.interval)
                for one in metric.systems
            ]
        )
    return list(zip(*columns, strict=True))


def plain_score(name: str, number: float, signature: Signature | None, interval: Interval | None) -> Score:
    """Make a score of a number that was computed before, perhaps with its mean and half its interval."""
    score = Score(name, number, signature=signature)
    score.confidence = interval
    return score


def signature_of(score: Score) -> Signature:
    """Give the signature, without which no score is reported."""
    if score.signature is None:
        raise ValueError(f"a score without a signature cannot be reported: {score}")
    return score.signature


def baseline_label(name: str) -> str:
    """Call a system the baseline, as sacreBLEU's tables do."""
    return name if name == "Baseline" else f"Baseline: {name}"


def fitted(style: Style, results: Results) -> Style:
    """Choose the decimals of scores from elsewhere, whose scale is not known, unless they were asked for."""
    if style.is_width_typed:
        return style
    scores: dict[str, list[float]] = {}
    for system in results.systems:
        for score in system.scores:
            if "external" in signature_of(score).fields():
                scores.setdefault(score.name, []).append(score.score)
    for metric in results.comparison.metrics if results.comparison else ():
        if "external" in metric.signature.fields():
            scores[metric.name] = [system.score for system in metric.systems]
    widths = {name: max(style.width, _decimals(found)) for name, found in scores.items()}
    signed = [(one.name, one.signature) for system in results.systems for one in system.scores]
    signed += [(one.name, one.signature) for one in (results.comparison.metrics if results.comparison else ())]
    learned = {name for name, signature in signed if signature is not None and "in" in signature.info}
    if learned:
        from truebleu.metrics.known import known

        widths |= {
            name: max(style.width, one.decimals)
            for name in learned
            if (one := known(name) or known(name.partition("-")[0])) is not None
        }
    return style._replace(widths=widths)


def _decimals(scores: list[float]) -> int:
    """Find how many decimals show the differences between scores: two digits of the spread, and no two alike."""
    spread, size = max(scores) - min(scores), max(map(abs, scores))
    least = max(0, 1 - math.floor(math.log10(spread or size or 1.0) + 1e-6)) + (0 if spread else 2)
    different = len({round(one, 8) for one in scores})
    return next((n for n in range(min(least, 8), 9) if len({f"{one:.{n}f}" for one in scores}) == different), 8)
