"""Files of columns: scores and groups from totals, in constant memory; and segment scores as new columns."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from truebleu._core import watching
from truebleu._counts import number_of
from truebleu._logs import at_system, inform, warn
from truebleu._shown import shown
from truebleu.cli.inputs import RefStreams, columns_name, key_label
from truebleu.cli.job import refuse
from truebleu.cli.progress import Progress
from truebleu.cli.request import Columns, Request
from truebleu.columns.files import count_files, score_segments
from truebleu.columns.parquet import file_rows
from truebleu.columns.places import expand
from truebleu.columns.schema import Layout
from truebleu.columns.totals import Totals
from truebleu.columns.where import Where
from truebleu.columns.work import Task
from truebleu.errors import EmptyCorpus, InputTypeError, SegmentWithoutReference
from truebleu.glance import Certain, Glance
from truebleu.metrics import Score
from truebleu.metrics.names import made
from truebleu.study.results import GroupScores, Results, SystemScores, signature_of


def score_columns(request: Request, choice: Columns) -> tuple[Results, RefStreams]:
    """Count files of columns, and score the totals; the results come with the names of the references."""
    paths = expand(request.input.source.references)
    jobs = _jobs(request, choice)
    if len(jobs) > 1:
        inform("found %d systems", len(jobs))
    with _telling(paths, request.quiet) as tell:
        out, resume, given = choice.totals_out, choice.resume, list(jobs.values())
        found = dict(zip(jobs, count_files(paths, given, out, resume=resume, tell=tell, known=tell), strict=True))
    # Of files that an earlier run counted nothing is known.
    glances = [task.glance for task in jobs.values() if task.glance is not None]
    if [glance.segments for glance in glances] == [totals.whole().segments()[0] for totals in found.values()]:
        certain = _warn_of_doubts(request, columns_name(paths), dict(zip(jobs, glances, strict=True)))
        refuse(certain, has_written=choice.totals_out is not None)
    results = results_of(found)
    seen = signature_of(results.systems[0].scores[0]).fields()["nrefs"]
    published = request.like.context.get("nrefs") if request.like else None
    if published not in (None, "var", seen):
        warn("--like: the signature is of scores with nrefs:%s, here nrefs is %s", published, seen)
    return results, RefStreams([], list(request.input.source.reference_fields))


def write_scores(request: Request, choice: Columns) -> None:
    """Write the rows of files of columns with their scores."""
    assert choice.scores_out is not None
    paths = expand(request.input.source.references)
    ((name, job),) = _jobs(request, choice).items()
    with _telling(paths, request.quiet) as tell:
        written, skipped = score_segments(paths, job, choice.scores_out, tell)
    if job.glance is not None and job.glance.segments:
        refuse(_warn_of_doubts(request, columns_name(paths), {name: job.glance}), has_written=True)
    if skipped:
        warn("%d of %d rows have no hypothesis or no reference: their scores are null", skipped, written)
    inform("%s written to %s", number_of(written, "row"), shown(choice.scores_out))


def results_of(found: Mapping[str, Totals], fields: Sequence[str] | None = None) -> Results:
    """Score totals: all of them together, and each key. `fields` are what the columns of keys are called elsewhere."""
    systems = []
    for name, totals in found.items():
        if not len(totals):
            raise EmptyCorpus(f"{shown(name)}: there are no rows to score")
        with at_system(name, of=len(found)):
            totals.whole().warn()
        systems.append(SystemScores(name, name, _scores(totals.whole(), ())))
    first = next(iter(found.values()))
    names, groups = list(first.by if fields is None else fields), []
    for key in first.keys() if names else ():
        label = key_label(names, key)
        if all(totals.segments(key)[0] for totals in found.values()):
            scores = tuple(_scores(totals, key) for totals in found.values())
            groups.append(GroupScores(label, first.segments(key)[0], scores, dict(zip(names, key, strict=True))))
        else:
            warn("all rows of the group %s were skipped, so it has no score", shown(label))
    return Results(tuple(systems), groups=tuple(groups))


def _scores(totals: Totals, key: Sequence[Any]) -> tuple[Score, ...]:
    return tuple(totals.score(tuple(key)).values())


def _jobs(request: Request, choice: Columns) -> dict[str, Task]:
    """What to count of each system, a column of hypotheses."""
    source, names = request.input.source, request.input.source.hypothesis_fields
    metrics = {one.name: made(one.name, **one.options) for one in request.shown_metrics}
    where = None if choice.where is None else Where(choice.where)
    layouts = [Layout(name, source.reference_fields, source.by, (), None, choice.nulls, where) for name in names]
    glances = [Glance() if request.checks else None for _ in names]
    pairs = zip(layouts, glances, strict=True)
    tasks = [Task(metrics, layout, request.threads, glance, jobs=choice.jobs) for layout, glance in pairs]
    return dict(zip(names, tasks, strict=True))


def _warn_of_doubts(request: Request, where: str, glances: Mapping[str, Glance]) -> list[Certain]:
    """Warn of what is doubtful about columns of hypotheses; what is certain is left to the caller."""
    certain = []
    for at, (name, glance) in enumerate(glances.items()):
        references = [f"{where}, reference {k + 1}" for k in range(glance.references)]
        certain += glance.warn([name], references, request.split_at_spaces, is_first=at == 0)
    return certain


@contextmanager
def _telling(paths: Sequence[str], quiet: bool) -> Iterator[Callable[[int], None] | None]:
    """Show how many rows of all files have been read, on a terminal; and speak of flags where errors name options."""
    is_shown = not quiet and sys.stderr is not None and sys.stderr.isatty()
    with Progress(quiet) as progress, progress.step("counting rows"):
        done, total = 0, sum(map(file_rows, paths)) if is_shown else 0
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
