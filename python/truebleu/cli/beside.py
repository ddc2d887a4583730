"""What stands below the tables of groups: the terms that were missed most, and tests of overlap with training text."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from truebleu.cli.job import Job
from truebleu.cli.main import UsageError
from truebleu.metrics.preparation import with_glossary
from truebleu.metrics.terms import tell_uses
from truebleu.study.missed import term_lines
from truebleu.study.parts import Rows
from truebleu.study.results import Results

if TYPE_CHECKING:
    from truebleu.contamination.found import Overlap


def overlap_of(job: Job, name: str | None) -> Overlap | None:
    """Read a file that names groups, if it is one that `truebleu overlap` has written; it must be of these references.

    Nothing else that makes groups begins with a brace: labels stand by themselves in lines.
    """
    if name is None or not os.path.isfile(name):
        return None
    with open(name, "rb") as file:
        if file.read(1) != b"{":
            return None
    from truebleu.contamination.found import overlap_of_test

    if job.kept is not None:
        raise UsageError("--only leaves segments out, and the overlap is of all of them; leave out --only")
    return overlap_of_test("--overlap", name, job.references.streams)


def with_tables(job: Job, found: Overlap | None, rows: Sequence[Rows], results: Results) -> Results:
    """Add the tables to the scores of groups: `rows` has those of each system, metric by metric."""
    lines, more = list[str](), dict[tuple[str, str], dict[str, Any]]()
    names = [system.name for system in results.systems]
    has_texts = all(system.receipt is None for system in job.systems)
    metrics = {metric.name: metric for metric, _ in rows[0]}
    for name, metric in with_glossary(metrics, None).items() if has_texts else ():
        references = job.references.streams if metric.if_reference else None
        uses = {one.name: metric.uses(one.segments, references=references) for one in job.systems}
        for system, of_system in zip(results.systems, uses.values(), strict=True):
            tell_uses(system.scores[[*metrics].index(name)], of_system)  # type: ignore[arg-type]
        lines += ["", *term_lines(uses)]
    if found is not None:
        from truebleu.contamination.split import split_scores, tested

        counted = {
            score.name: (metric, dict(zip(names, (of[at][1] for of in rows), strict=True)))
            for at, (score, metric) in enumerate(zip(results.systems[0].scores, metrics.values(), strict=True))
        }
        report = split_scores(found, counted, seed=job.request.seed)
        lines += ["", str(report)]
        more = {(one.system, one.metric): {"overlap": tested(report, one)} for one in report.systems}
    return results._replace(after=tuple(lines), more=more)
