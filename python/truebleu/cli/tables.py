"""Files of columns: scores and groups from totals, in constant memory; and segment scores as new columns."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from truebleu._core import watching
from truebleu._counts import number_of
from truebleu._logs import inform, warn
from truebleu._shown import shown
from truebleu.cli.doubts import Doubts
from truebleu.cli.inputs import References, columns_name, key_label
from truebleu.cli.progress import Progress
from truebleu.cli.request import Columns, Request
from truebleu.columns.files import count_files, expand, score_segments
from truebleu.columns.parquet import file_rows
from truebleu.columns.schema import Layout
from truebleu.columns.totals import Totals
from truebleu.columns.work import Task
from truebleu.errors import EmptyCorpus, InputTypeError, SegmentWithoutReference
from truebleu.metrics import METRICS
from truebleu.study.results import GroupOutcomes, Outcome, Results, SystemOutcomes


def score_columns(request: Request, choice: Columns) -> tuple[Results, References]:
    """Count files of columns, and score the totals; the results come with the names of the references."""
    paths = expand(request.input.source.references)
    jobs = _jobs(request, choice)
    if len(jobs) > 1:
        inform("found %d systems", len(jobs))
    doubts = [_ColumnDoubts(job.layout) for job in jobs.values()]

    def look(batch: Any) -> None:
        for one in doubts:
            one.look_at(batch)

    with _telling(paths, request.quiet) as tell:
        out, resume, given = choice.totals_out, choice.resume, list(jobs.values())
        found = dict(
            zip(jobs, count_files(paths, given, out, resume=resume, tell=tell, known=tell, look=look), strict=True)
        )
    results = results_of(found)
    for at, (totals, doubtful) in enumerate(zip(found.values(), doubts, strict=True)):
        # Of files that an earlier run counted nothing is known.
        if request.checks and doubtful.rows == sum(totals.whole().segments()):
            doubtful.warn(columns_name(paths), request.split_at_spaces, is_first=at == 0)
    seen = results.systems[0].outcomes[0].signature.fields()["nrefs"]
    published = request.like.context.get("nrefs") if request.like else None
    if published not in (None, "var", seen):
        warn("--like: the signature is of scores with nrefs:%s, here nrefs is %s", published, seen)
    return results, References([], list(request.input.source.reference_fields))


def write_scores(request: Request, choice: Columns) -> None:
    """Write the rows of files of columns with their scores."""
    assert choice.scores_out is not None
    paths = expand(request.input.source.references)
    (job,) = _jobs(request, choice).values()
    with _telling(paths, request.quiet) as tell:
        written, skipped = score_segments(paths, job, choice.scores_out, tell)
    if skipped:
        warn("%d of %d rows have no hypothesis or no reference: their scores are null", skipped, written)
    inform("%s written to %s", number_of(written, "row"), shown(choice.scores_out))


def results_of(found: Mapping[str, Totals]) -> Results:
    """Score totals: all of them together, and each key."""
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


def _jobs(request: Request, choice: Columns) -> dict[str, Task]:
    """What to count of each system, a column of hypotheses."""
    source, order = request.input.source, [name.lower() for name in METRICS]
    chosen = sorted(request.metrics, key=lambda one: order.index(one.name))
    metrics = {one.name: METRICS[one.name.upper()](**one.options) for one in chosen}
    return {
        name: Task(metrics, Layout(name, source.reference_fields, source.by, (), None, choice.nulls), request.threads)
        for name in source.hypothesis_fields
    }


class _ColumnDoubts:
    """What is doubtful about a column of hypotheses. Rows that lack a text are none, as if they were skipped."""

    def __init__(self, layout: Layout) -> None:
        self.rows = 0
        self._layout, self._doubts = layout, Doubts(1)

    def look_at(self, batch: Any) -> None:
        """Learn from the next rows; once most of them cannot matter, from a sample."""
        chosen = self._doubts.chosen(batch.num_rows) if self._doubts.are_settled else None
        self.rows += batch.num_rows
        taken = [batch.column(name) for name in (self._layout.hypothesis, *self._layout.references)]
        if chosen is None:
            columns = [column.to_pylist() for column in taken]
        else:
            columns = [[column[row].as_py() for row in chosen] for column in taken]
        texts, lists = [], []
        for text, *references in zip(*columns, strict=True):
            found = [one for value in references for one in (value if isinstance(value, list) else [value])]
            text = "" if text is None and self._layout.nulls == "empty" else text
            if text is not None and any(one is not None for one in found):
                texts.append(_as_text(text))
                lists.append([None if one is None else _as_text(one) for one in found])
        if chosen is not None:
            self._doubts.look_at_sample([texts], lists, batch.num_rows)
        elif texts:
            self._doubts.look_at([texts], lists)

    def warn(self, name: str, split_at_spaces: Sequence[str], *, is_first: bool) -> None:
        """Warn where texts were scored that nobody can have meant."""
        names = [f"{name}, reference {at + 1}" for at in range(self._doubts.references)]
        self._doubts.warn([self._layout.hypothesis], names, split_at_spaces, is_first=is_first)


def _as_text(value: str | bytes) -> str:
    return value if isinstance(value, str) else value.decode()


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
