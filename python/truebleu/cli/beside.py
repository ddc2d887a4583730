"""What stands below the tables of groups: the terms that were missed most, and tests of overlap with training text."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from truebleu.cli.job import Job
from truebleu.cli.main import UsageError
from truebleu.study.missed import missed_most, term_lines
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
    from truebleu.contamination.found import Overlap

    if job.kept is not None:
        raise UsageError("--only leaves segments out, and the overlap is of all of them; leave out --only")
    found = Overlap.load(name)
    found.require_test(job.references.streams)
    return found


def with_tables(job: Job, found: Overlap | None, rows: Sequence[Rows], results: Results) -> Results:
    """Add the tables to the scores of groups: `rows` has those of each system, metric by metric."""
    lines, more = list[str](), dict[tuple[str, str], dict[str, Any]]()
    names = [system.name for system in results.systems]
    for at, (metric, _) in enumerate(rows[0]):
        if getattr(metric, "glossary", None) is None or any(system.receipt is not None for system in job.systems):
            continue
        references = job.references.streams if metric.if_reference else None
        uses = {one.name: metric.uses(one.segments, references=references) for one in job.systems}
        for system, of_system in zip(results.systems, uses.values(), strict=True):
            told: Any = system.scores[at]
            told.tell(of_system)
        lines += ["", *term_lines(missed_most(uses), names)]
    if found is not None:
        from truebleu.contamination.split import split_scores

        counted = {
            metric.name: (metric, {name: of[at][1] for name, of in zip(names, rows, strict=True)})
            for at, (metric, _) in enumerate(rows[0])
        }
        lengths = [len(text or "") for text in job.references.streams[0]]
        report = split_scores(found, counted, lengths, seed=job.request.seed)
        lines += ["", str(report)]
        shown = {metric.name: score.name for (metric, _), score in zip(rows[0], results.systems[0].scores, strict=True)}
        for one in report.systems:
            pairs = [
                {"system": pair.b, "difference": pair.difference, "p_value": pair.p_value}
                for pair in report.pairs if (pair.metric, pair.a) == (one.metric, one.system)
            ]  # fmt: skip
            more[one.system, shown[one.metric]] = {
                "overlap": {"difference": one.difference, "p_value": one.p_value, "against": pairs}
            }
    return results._replace(after=tuple(lines), more=more)
