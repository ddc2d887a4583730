"""Scores from elsewhere on the command line: what `--external` and its companions mean, and reading their files."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from truebleu._counts import number_of
from truebleu._logs import inform
from truebleu._shown import shown
from truebleu.cli.main import UsageError
from truebleu.errors import FileFormatError, OptionError
from truebleu.metrics.external import ExternalMetric
from truebleu.scores import ErrorSpan, ScoreTable, read
from truebleu.scores.placing import places_of
from truebleu.scores.spans import in_items
from truebleu.scores.table import ScoreColumn, listed

if TYPE_CHECKING:
    from truebleu.cli.inputs import System
    from truebleu.cli.job import Job
    from truebleu.metrics.score import Score
    from truebleu.stats import Stats

T = TypeVar("T")

_EXPECTED = "expected NAME=FILE,..., with a file for each system, or one that has all of them"


class ScoreChoice(NamedTuple):
    """Segment scores from elsewhere: what they are called, and their files."""

    name: str
    paths: tuple[str, ...]
    is_higher_better: bool | None = None  # None: nobody said
    model: str | None = None
    revision: str | None = None


class External(NamedTuple):
    """All scores from elsewhere, and what is done where they are missing."""

    choices: tuple[ScoreChoice, ...]
    missing: str | None = None
    assignment: str | None = None
    direction_anyway: bool = False


class ReadScores(NamedTuple):
    """A metric of scores from elsewhere, with the rows of each system and run."""

    metric: ExternalMetric
    rows: list[list[Stats]]
    spans: Sequence[Sequence[tuple[ErrorSpan, ...]]] = ()  # of each system by segment, if errors are marked
    paths: tuple[str, ...] = ()

    def path_of(self, at: int) -> str:
        """The file that has the scores of a system."""
        return self.paths[at if len(self.paths) > 1 else 0]


def understand_external(args: Namespace) -> External:
    """Say which scores were named, by NAME[:MODEL[@REVISION]][lower|higher]=FILE,..."""
    found: list[ScoreChoice] = []
    said = {True: list(args.higher_is_better), False: list(args.lower_is_better)}
    for text in args.external:
        head, equals, paths = text.partition("=")
        plain, is_higher = head.removesuffix("[lower]").removesuffix("[higher]"), head.endswith("[higher]")
        name, colon, model = plain.partition(":")
        model, at, revision = model.partition("@")
        if not (name and equals and paths) or (colon and not model) or (at and not revision):
            raise UsageError(f"--external is {text!r}, {_EXPECTED}")
        if shown(plain) != plain or "|" in plain:
            raise UsageError(f"--external is called {plain!r}, expected a name that can be shown, without '|'")
        if any(one.name == name for one in found):
            raise UsageError(f"--external names {name} twice; give each its own name, as in {name}-2")
        if plain != head:
            said[is_higher].append(name)
        directions = {direction for direction, names in said.items() if name in names}
        if len(directions) > 1:
            raise UsageError(f"--external {name} is said to be better both ways, higher and lower")
        is_better = next(iter(directions), None)
        found.append(ScoreChoice(name, tuple(paths.split(",")), is_better, model or None, revision or None))
    for name in (*args.higher_is_better, *args.lower_is_better):
        if name not in [one.name for one in found]:
            raise UsageError(f"there are no scores called {shown(name)} whose direction could be said; see --external")
    return External(tuple(found), args.missing, args.assignment, args.direction_anyway)


def read_external(
    job: Job, chosen: External | None, runs: int = 1, *, ranked: bool = True
) -> tuple[list[ReadScores], list[str] | None]:
    """Make a metric and rows of each column of scores; and the document of each segment, where a file tells it."""
    found, documents = list[ReadScores](), None
    by_segment = None if chosen is None else _segment_documents(job)
    for choice in () if chosen is None else chosen.choices:
        assert chosen is not None
        tables = [_read(path, choice, chosen.missing is not None) for path in choice.paths]
        metric = _metric(choice, tables[0], chosen.direction_anyway)
        metric.about = job.about
        tell_of_model(choice.name, tables[0].columns[_name_in(choice, tables[0])], choice.model)
        _check_number(job, choice, tables)
        places = [
            places_of(one, job.size, by_segment, shown(path)) for one, path in zip(tables, choice.paths, strict=True)
        ]
        columns, errors = _columns(job, choice, tables, places)
        try:
            several = [metric.stats(job.cut(column), missing=True) for column in columns]
        except OptionError as error:
            raise UsageError(str(error)) from error
        if metric.direction is None and ranked:
            raise UsageError(
                f"it is not known whether higher or lower scores of {metric.name} are better, so no system can be "
                f"called better: write --external '{metric.name}[lower]=...' or '{metric.name}[higher]=...', "
                "--lower-is-better or --higher-is-better"
            )
        spans = [job.cut(one) for one in errors[::runs]]  # texts are those of the first run
        rows = [several[at : at + runs] for at in range(0, len(several), runs)]
        found.append(ReadScores(metric, rows, spans, choice.paths))
        known = tables[0].documents
        if known is not None and len(known) == job.size and None not in known:
            documents = job.cut(_in_order(places[0], job.size, [str(one) for one in known], ""))
    return found, documents


def scored(
    one: ReadScores, at: int, samples: int, seed: str | None, threads: int | None, documents: list[str] | None
) -> Score:
    """Take the mean of a system's scores, with an interval if it was asked for."""
    from truebleu._options import thread_count
    from truebleu.resample.seed import Seed
    from truebleu.significance.units import score_by_documents

    stats = one.rows[at][0]
    if samples > 1 and documents is not None:
        return score_by_documents(one.metric, stats, documents, samples, Seed.of(seed), thread_count(threads))
    return one.metric.score(stats, samples, seed=seed, threads=threads)


def tell_of_model(name: str, column: ScoreColumn, said: str | None = None) -> None:
    """Ask for the model of scores whose program does not write it into their file."""
    if column.precision is not None and column.model is None and said is None:
        inform(
            "the files of %s do not name its model; --model %s=MODEL does, or --external %s:MODEL=...", name, name, name
        )


def _read(path: str, choice: ScoreChoice, missing: bool) -> ScoreTable:
    """Read a file of scores, and find those that are meant."""
    try:
        table = read(path, missing=missing)
    except FileFormatError:
        read(path, "plain")  # raises, and names the line, unless the file is of no kind at all
        raise
    if choice.name not in table.metrics and len(table.metrics) > 1:
        there = ", ".join(map(shown, table.metrics))
        raise UsageError(f"--external {choice.name}: {shown(path)} has scores of {there}; name one of them")
    if table.level == "system":
        raise UsageError(f"--external {choice.name}: {shown(path)} has one number per system, expected one per segment")
    return table


def _metric(choice: ScoreChoice, table: ScoreTable, anyway: bool) -> ExternalMetric:
    column = table.columns[_name_in(choice, table)]
    told = column.higher_is_better if choice.is_higher_better is None else choice.is_higher_better
    try:
        return ExternalMetric(
            choice.name, higher_is_better=told, model=choice.model or column.model,
            revision=choice.revision or column.revision, precision=column.precision,
            kind=None if column.kind == "metric" else column.kind, direction_anyway=anyway and told is not None,
        )  # fmt: skip
    except OptionError as error:
        raise UsageError(str(error)) from error


def _name_in(choice: ScoreChoice, table: ScoreTable) -> str:
    return choice.name if choice.name in table.metrics else table.metrics[0]


def _check_number(job: Job, choice: ScoreChoice, tables: Sequence[ScoreTable]) -> None:
    if len(tables) != len(job.systems) and (len(tables) != 1 or len(tables[0].systems) == 1):
        raise UsageError(
            f"--external {choice.name} has {number_of(len(tables), 'file')}, expected {len(job.systems)}, or one that "
            "has all systems"
        )


def _columns(
    job: Job, choice: ScoreChoice, tables: Sequence[ScoreTable], places: Sequence[Sequence[int]]
) -> tuple[list[list[float | None]], list[list[tuple[ErrorSpan, ...]]]]:
    """The scores and the errors of each system, in the order of the systems."""
    files = len(tables) == len(job.systems)
    columns, errors = [], []
    for at, system in enumerate(job.systems):
        table = tables[at] if files else tables[0]
        is_alone = files and len(table.systems) == 1
        name = table.systems[0] if is_alone else _system_in(choice, table, system, job.systems)
        metric, order = _name_in(choice, table), places[at if files else 0]
        (values,) = table.matrix(metric, [name])
        columns.append(_in_order(order, job.size, values.tolist(), None))
        if any(one.spans for one in tables):
            errors.append(_in_order(order, job.size, in_items(table, metric, name), ()))
    if not files:
        known = {_system_in(choice, tables[0], system, job.systems) for system in job.systems}
        others = [name for name in tables[0].systems if name not in known]
        if others:
            inform("%s also has scores of %s, which are not used", shown(choice.paths[0]), listed(others))
    return columns, errors


def _system_in(choice: ScoreChoice, table: ScoreTable, system: System, systems: Sequence[System]) -> str:
    """Find a system in a table by its name, or by that of its file without the ending."""
    for name in (system.name, system.path, PurePath(system.path).name, PurePath(system.path).stem):
        if name in table.systems:
            return name
    ours = listed([one.name for one in systems])
    raise UsageError(
        f"--external {choice.name}: {shown(choice.paths[0])} has no scores of {shown(system.name)}; it has those of "
        f"{listed(table.systems)}, and the systems are {ours}"
    )


def _segment_documents(job: Job) -> list[str] | None:
    """The document of each segment before `--only` is heeded, where a flag, a test set or a field tells it."""
    roles, asked = job.request.input.source.roles, getattr(job.request.mode, "documents", None)
    if job.request.input.level != "segment":
        return None
    if asked is None and job.part is not None:
        asked = "docid" if "docid" in job.part.fields else None
    elif asked is None and roles is not None and job.fields is not None:
        asked = roles.document
    return None if asked is None else job.whole_labels(asked)


def _in_order(places: Sequence[int], size: int, values: Sequence[T], nothing: T) -> list[T]:
    """Put values in the order of the segments."""
    placed = [nothing] * size
    for place, value in zip(places, values, strict=True):
        placed[place] = value
    return placed
