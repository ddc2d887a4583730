"""Test sets on the command line: what to print about them, and what to score."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from truebleu.cli.inputs import References, System, check_lengths, read_labels
from truebleu.cli.request import TestChoice, UsageError
from truebleu.errors import EmptyCorpus

if TYPE_CHECKING:
    from truebleu.dataset.sets import TestSet
    from truebleu.metrics.base import Metric


def information(args: Namespace) -> Iterable[str] | None:
    """The lines that were asked for instead of a score, in sacreBLEU's order of precedence; None if none were."""
    if args.download:
        return _download(args.download, args.langpair)
    if args.list:
        return _listing(args)
    if args.citation:
        return _citation(args)
    if args.echo:
        return _echo(args)
    return None


def _download(name: str, pair: str | None) -> Iterator[str]:
    from truebleu.dataset.sacrebleu import download_test_set

    download_test_set(name, pair)
    return iter(())


def _listing(args: Namespace) -> Iterable[str]:
    from truebleu.report.testsets import list_fields, list_sets

    if args.langpair is not None and "-" not in args.langpair:
        raise UsageError(f"--language-pair is {args.langpair!r}, expected source-target, as in en-de")
    return list_fields(args.test_set, args.langpair) if args.test_set else list_sets(args.langpair)


def _citation(args: Namespace) -> Iterable[str]:
    from truebleu.report.testsets import cite

    if not args.test_set:
        raise UsageError("--cite needs a test set: -t SET")
    return cite(args.test_set)


def _echo(args: Namespace) -> Iterable[str]:
    from truebleu.report.testsets import echo

    if not (args.test_set and args.langpair):
        raise UsageError("--echo needs a test set and a language pair: -t SET -l en-de")
    return echo(args.test_set, args.langpair, args.echo, args.origlang, args.subset)


# Scoring.


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
