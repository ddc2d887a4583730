"""All that has been read and is to be scored."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from truebleu._logs import inform, warn
from truebleu._textio import read_lines
from truebleu.cli.inputs import Reader, References, System, check_lengths, read_labels
from truebleu.cli.request import ExternalChoice, MetricChoice, Request, TestChoice, UsageError
from truebleu.errors import EmptyCorpus, FileFormatError, LengthMismatch
from truebleu.metrics import BLEU, CHRF, GLEU, TER
from truebleu.metrics.base import Metric

if TYPE_CHECKING:
    from truebleu.dataset.sets import TestSet
    from truebleu.metrics.external import ExternalMetric

CLASSES: dict[str, type[Metric[Any]]] = {"bleu": BLEU, "chrf": CHRF, "ter": TER, "gleu": GLEU}


class Job(NamedTuple):
    """All that has been read and is to be scored; with a test set, `whole` are the systems before any selection."""

    request: Request
    systems: Sequence[System]
    references: References
    chosen: Chosen | None
    whole: Sequence[System]

    def metric(self, choice: MetricChoice) -> Metric[Any]:
        """The metric that was asked for."""
        metric = CLASSES[choice.name](**choice.options)
        if self.chosen is not None:
            self.chosen.sign(metric)
        return metric

    def metrics(self) -> list[Metric[Any]]:
        """The metrics in the order in which they are shown, whatever the order they were asked for in."""
        order = list(CLASSES)
        chosen = sorted(self.request.metrics, key=lambda choice: order.index(choice.name))
        return [self.metric(choice) for choice in chosen]

    def labels(self, name: str) -> list[str]:
        """A label for each segment, from a file or from the test set."""
        return labels_of(name, len(self.systems[0].segments), self.chosen)


def read_job(request: Request) -> Job:
    """Read everything that a request names, and check it."""
    chosen = Chosen(request.test_set) if request.test_set else None
    reader = Reader(request.source, chosen.whole.systems if chosen else None)
    references = chosen.references if chosen else reader.references()
    systems = _distinct(reader.systems(), is_paired=request.paired is not None)
    if chosen is not None:
        _warn_about_tokenizer(request)
        return Job(request, chosen.cut(systems), references, chosen, systems)
    for system in systems:
        check_lengths(system, references)
    return Job(request, systems, references, None, systems)


def _warn_about_tokenizer(request: Request) -> None:
    if any(choice.options.get("tokenize") == "none" for choice in request.metrics):
        warn("the tokenizer is 'none': scores of text that was tokenized elsewhere cannot be compared")


def _distinct(systems: list[System], *, is_paired: bool) -> list[System]:
    """Refuse to score a file twice; where the first is the baseline, `*.txt` may name it again."""
    seen: dict[str, System] = {}
    for system in systems:
        if system.name not in seen:
            seen[system.name] = system
        elif is_paired and system.name == systems[0].name:
            inform("%s is the baseline already and is not tested against itself", system.name)
        else:
            raise FileFormatError(f"{system.name} is given twice; give each system once")
    return list(seen.values())


# Test sets.


class Chosen:
    """The test set that was chosen: whole, to compare lengths, and cut to what was selected."""

    def __init__(self, choice: TestChoice) -> None:
        from truebleu.dataset.sets import testset

        refs = "all" if choice.references == ("all",) else (choice.references or None)
        self.whole: TestSet = testset(choice.names, choice.pair, refs=refs)
        self.part = self.whole.select(origlang=choice.origlang, subset=choice.subset)
        self.name = f"{choice.names} {choice.pair}"

    @property
    def references(self) -> References:
        """The references of the segments selected."""
        return self._references(self.part)

    def cut(self, systems: Sequence[System]) -> list[System]:
        """The systems, compared with the whole set and cut."""
        whole = self._references(self.whole)
        for system in systems:
            check_lengths(system, whole)
        cut = [System(system.name, self.part.cut(system.segments)) for system in systems]
        if cut and not cut[0].segments:
            raise EmptyCorpus(f"{self.name} has no segment left with {self._filters()}")
        return cut

    def sign(self, metric: Metric[Any]) -> None:
        """Let the metric's signatures tell the test set."""
        fields = self.part.signature_fields
        metric.test_set, metric.langpair = fields["test"], fields["lang"]
        metric.origlang, metric.subset, metric.refs = (fields.get(key) for key in ("origlang", "subset", "refs"))

    def _references(self, part: TestSet) -> References:
        return References(list(part.references), [f"{self.name} {field}" for field in part.references_used])

    def _filters(self) -> str:
        fields = self.part.signature_fields
        return " and ".join(f"{key} {fields[key]!r}" for key in ("origlang", "subset") if key in fields)


def labels_of(name: str, segments: int, chosen: Chosen | None) -> list[str]:
    """A label for each segment: a field of the test set, or the lines of a file."""
    if chosen is not None and name in chosen.part.fields:
        return chosen.part.field(name)
    return read_labels(name, segments)


# Scores from elsewhere.

# For each system, the scores of each of its runs.
Scores = list[list[list[float]]]


def external_metrics(
    choices: Sequence[ExternalChoice], systems: int, runs: int, segments: int
) -> list[tuple[ExternalMetric, Scores]]:
    """A metric for each choice, with its scores by system and run."""
    from truebleu.metrics.external import ExternalMetric

    found = []
    for choice in choices:
        if len(choice.paths) != systems * runs:
            raise UsageError(f"--external {choice.name} has {len(choice.paths)} files, expected {systems * runs}")
        scores = [_read_scores(path, segments) for path in choice.paths]
        by_system = [scores[at * runs : (at + 1) * runs] for at in range(systems)]
        found.append((ExternalMetric(choice.name), by_system))
    return found


def _read_scores(path: str, segments: int) -> list[float]:
    lines = read_lines(path)
    if len(lines) != segments:
        raise LengthMismatch(f"{path} has {len(lines)} scores, the systems have {segments} segments")
    return [_number(text, path, number) for number, text in enumerate(lines, 1)]


def _number(text: str, path: str, line: int) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise FileFormatError(f"{path}, line {line}: found {text!r}, expected a finite number")
    return number
