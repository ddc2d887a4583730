"""Files of columns: scores and groups from totals, in constant memory; and segment scores as new columns."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from truebleu._core import watching
from truebleu._logs import inform, warn
from truebleu._shown import shown
from truebleu._textio import counted
from truebleu.cli.inputs import References, key_label
from truebleu.cli.progress import Progress
from truebleu.cli.request import ColumnsChoice, Request
from truebleu.columns.files import count_files, expand, score_segments
from truebleu.columns.parquet import file_rows
from truebleu.columns.schema import Layout
from truebleu.columns.totals import Totals
from truebleu.columns.work import Job
from truebleu.errors import EmptyCorpus, InputTypeError, SegmentWithoutReference
from truebleu.metrics import METRICS
from truebleu.report.results import GroupOutcomes, Outcome, Results, SystemOutcomes


def score_columns(request: Request, choice: ColumnsChoice) -> tuple[Results, References]:
    """Count files of columns, and score the totals; the results come with the names of the references.

    Parameters
    ----------
    request
        What was asked for.
    choice
        How the files are read, and where totals go.
    """
    paths = expand(request.source.references)
    jobs = _jobs(request, choice)
    if len(jobs) > 1:
        inform("found %d systems", len(jobs))
    with _telling(paths, len(jobs), request.quiet) as tell:
        found = {
            name: count_files(paths, job, choice.totals_out, resume=choice.resume, tell=tell)
            for name, job in jobs.items()
        }
    results = results_of(found)
    seen = results.systems[0].outcomes[0].signature.fields()["nrefs"]
    if request.published_references not in (None, "var", seen):
        warn("--like: the signature is of scores with nrefs:%s, here nrefs is %s", request.published_references, seen)
    return results, References([], list(request.source.reference_fields))


def write_scores(request: Request, choice: ColumnsChoice) -> None:
    """Write the rows of files of columns with their scores.

    Parameters
    ----------
    request
        What was asked for.
    choice
        How the files are read, and where the scores go.
    """
    assert choice.scores_out is not None
    paths = expand(request.source.references)
    (job,) = _jobs(request, choice).values()
    with _telling(paths, 1, request.quiet) as tell:
        written, skipped = score_segments(paths, job, choice.scores_out, tell)
    if skipped:
        warn("%d of %d rows have no hypothesis or no reference: their scores are null", skipped, written)
    inform("%s written to %s", counted(written, "row"), shown(choice.scores_out))


def results_of(found: Mapping[str, Totals]) -> Results:
    """Score totals: all of them together, and each key.

    Parameters
    ----------
    found
        The totals of each system, with the same keys.
    """
    systems = []
    for name, totals in found.items():
        if not len(totals):
            raise EmptyCorpus(f"{shown(name)}: there are no rows to score")
        totals.warn()
        systems.append(SystemOutcomes(name, name, _outcomes(totals.whole(), ())))
    first = next(iter(found.values()))
    names, groups = list(first.by), []
    for key in first.keys() if names else ():
        label = key_label(names, key)
        if all(totals.segments(key)[0] for totals in found.values()):
            outcomes = tuple(_outcomes(totals, key) for totals in found.values())
            groups.append(GroupOutcomes(label, first.segments(key)[0], outcomes, dict(zip(names, key, strict=True))))
        else:
            warn("all rows of the group %s were skipped, so it has no score", shown(label))
    return Results(tuple(systems), groups=tuple(groups))


def _outcomes(totals: Totals, key: Sequence[Any]) -> tuple[Outcome, ...]:
    return tuple(Outcome.of(score) for score in totals.score(tuple(key)).values())


def _jobs(request: Request, choice: ColumnsChoice) -> dict[str, Job]:
    """What to count of each system, a column of hypotheses."""
    source, order = request.source, [name.lower() for name in METRICS]
    chosen = sorted(request.metrics, key=lambda one: order.index(one.name))
    metrics = {one.name: METRICS[one.name.upper()](**one.options) for one in chosen}
    return {
        name: Job(metrics, Layout(name, source.reference_fields, source.by, (), None, choice.nulls), request.threads)
        for name in source.hypothesis_fields
    }


@contextmanager
def _telling(paths: Sequence[str], passes: int, quiet: bool) -> Iterator[Callable[[int], None] | None]:
    """Show how many rows of all files have been read, on a terminal; and speak of flags where errors name options."""
    is_shown = not quiet and sys.stderr is not None and sys.stderr.isatty()
    with Progress(quiet) as progress, progress.step("counting rows"):
        done, total = 0, passes * sum(map(file_rows, paths)) if is_shown else 0
        if is_shown:
            watching(None)  # the core would tell how far it is with each batch

        def tell(rows: int) -> None:
            nonlocal done
            done += rows
            progress.hear(done, total)

        try:
            yield tell if is_shown else None
        except (InputTypeError, SegmentWithoutReference) as error:
            raise type(error)(re.sub(r'nulls="(\w+)"', r"--nulls \1", str(error))) from error
