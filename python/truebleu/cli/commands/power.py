"""`truebleu power`: which differences a test set can show, and how large a set has to be."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from truebleu._counts import number_of
from truebleu._options import level_of_test
from truebleu._shown import json_text, shown
from truebleu.cli.flags import (
    STUDY,
    SURENESS,
    TEST_SET,
    TEXTS_AND_ONLY,
    WORK,
    Section,
    chosen,
    defaults,
    formats,
    metric_flags,
    metrics_flag,
)
from truebleu.cli.learned.flags import JUDGING, LEARNING
from truebleu.cli.main import Command, UsageError
from truebleu.metrics.options import flag

if TYPE_CHECKING:
    from truebleu.significance.power import PowerPlan
    from truebleu.significance.results import Comparison, PairReport

_POWER = (
    flag("--delta", type=float, metavar="X", help="a difference that is to be found, chosen before the test"),
    flag("--power", type=float, default=0.8, metavar="P", help="how often it is to be found (default: 0.8)"),
    *chosen(SURENESS, "docids", "unit", "correction", "family", "strata", "external", "lower_is_better"),
    *chosen(SURENESS, "higher_is_better", "direction_anyway", "missing", "assignment"),
    *chosen(STUDY.flags, "src"),
)


def _show(args: Namespace) -> int:
    from truebleu.cli.request import understand
    from truebleu.cli.run import run_request

    level_of_test("--power", args.power)
    if args.delta is not None and not 0 < args.delta < float("inf"):
        raise UsageError(f"--delta is {args.delta:g}, expected a difference to be found, above 0")
    request = understand(Namespace(**{**defaults(), **vars(args), "format": "text", "paired_all": True}))
    comparison = run_request(request)[0].comparison
    assert comparison is not None
    plan = comparison.plan(args.delta, power=args.power)
    if args.format == "json":
        sys.stdout.write(json_text({"schema": 1, **plan.to_dict()}, indent=1) + "\n")
    else:
        sys.stdout.write("".join(f"{line}\n" for line in _lines(comparison, plan)))
    return 0


def _lines(comparison: Comparison, plan: PowerPlan) -> Iterator[str]:
    from truebleu.significance.notes import size_of

    tests = round(comparison.alpha / plan.alpha)
    level = f"{comparison.alpha:g}" + (f" / {tests} (Bonferroni)" if tests > 1 else "")
    yield f"From {size_of(comparison)}, for a two-sided test at the level {level}"
    if comparison.n_documents is None:
        yield "Segments were taken as independent; if there are documents, name them (--docids): more is needed then"
    for metric in comparison.metrics:
        for pair in metric.pairs:
            yield ""
            yield f"{shown(metric.name)}: {shown(pair.system)} and {shown(pair.baseline)}"
            names = metric.name, pair.system, pair.baseline
            rows = [size[3:] for size in plan.sizes if size[:3] == names]
            yield from (
                (*_table(rows, plan), *_of_seen(pair))
                if rows
                else ("Nothing can be planned, because the systems are the same, or there are too few units.",)
            )


def _table(rows: list[Any], plan: PowerPlan) -> list[str]:
    from tabulate import tabulate

    from truebleu.significance.notes import short

    head = [
        "segments",
        "documents",
        f"smallest found with {100 * plan.power:g} % power",
        f"power for {plan.delta or 0:g}",
    ]
    cells: list[tuple[str | None, ...]] = []
    for segments, documents, smallest, power in rows:
        counts = f"{segments:,}", None if documents is None else f"{documents:,}"
        cells.append((*counts, short(smallest), None if power is None else f"{100 * power:.0f} %"))
    kept = [at for at, cell in enumerate(cells[0]) if cell is not None]
    cells = [tuple(row[at] for at in kept) for row in cells]
    text: str = tabulate(
        cells, [head[at] for at in kept], "simple", disable_numparse=True, colalign=["right"] * len(kept)
    )
    return text.split("\n")


def _of_seen(pair: PairReport) -> Iterator[str]:
    """What follows from the difference seen, and what does not."""
    from truebleu.significance.notes import short

    if pair.significant:
        yield f"The difference seen, {short(abs(pair.delta))}, is significant: no size is planned for it, because the"
        yield "power of a test that has found something is only its p-value in other words."
    elif pair.needed is not None:
        counts = (None if one is None else number_of(one, "segment", commas=True) for one in pair.needed)
        seen, least, most = (one or "no number of segments" for one in counts)
        yield f"The difference seen, {short(abs(pair.delta))}, would be decided by {seen};"
        yield f"at the ends of its 95 % interval by {least}, and by {most}."


COMMAND = Command(
    "truebleu power",
    (
        Section("Power", _POWER), TEXTS_AND_ONLY, TEST_SET, metrics_flag, LEARNING, JUDGING, metric_flags,
        Section("Output", (*formats("text", "json"), *chosen(WORK.flags, "quiet", "threads"))),
    ),
    _show,
    about="Says which differences between these systems a test on so many segments finds, and how many segments find "
    "a difference that is given with --delta. Systems are texts or receipts; what counts is how much their "
    "differences vary from segment to segment, or from document to document.",
    usage="REF [REF ...] -i FILE FILE ... [options]",
    example="REF -i SYS OTHER -m METRIC --delta 1",
    functions=("Comparison.plan", "compare"),
)  # fmt: skip
