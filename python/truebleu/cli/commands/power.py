"""`truebleu power`: which differences a test set can show, and how large a set has to be."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Iterator
from typing import TYPE_CHECKING

from truebleu._counts import number_of
from truebleu._options import level_of_test
from truebleu._shown import json_text, shown
from truebleu.cli.flags import (
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
from truebleu.cli.main import Command, UsageError
from truebleu.metrics.options import flag

if TYPE_CHECKING:
    from truebleu.significance.power import PairPower, PowerPlan
    from truebleu.significance.results import Comparison

_POWER = (
    flag("--delta", type=float, metavar="X", help="a difference that is to be found, chosen before the test"),
    flag("--power", type=float, default=0.8, metavar="P", help="how often it is to be found (default: 0.8)"),
    *chosen(SURENESS, "docids", "unit", "correction", "family", "strata", "external", "lower_is_better"),
    *chosen(SURENESS, "higher_is_better"),
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

    level = f"{plan.alpha:g}" + (f" / {plan.n_tests} (Bonferroni)" if plan.n_tests > 1 else "")
    yield f"From {size_of(comparison)}, for a two-sided test at the level {level}"
    if comparison.n_documents is None:
        yield "Segments were taken as independent; if there are documents, name them (--docids): more is needed then"
    for pair in plan.pairs:
        yield ""
        yield from _pair_lines(pair, plan)
    for name in {metric.name for metric in comparison.metrics} - {pair.metric for pair in plan.pairs}:
        yield f"{shown(name)}: nothing can be planned, because the systems are the same, or there are too few units"


def _pair_lines(pair: PairPower, plan: PowerPlan) -> Iterator[str]:
    from tabulate import tabulate

    from truebleu.significance.notes import short

    share = f"{100 * plan.power:g} %"
    yield f"{shown(pair.metric)}: {shown(pair.system)} and {shown(pair.baseline)}"
    has_documents = pair.sizes[0].n_documents is not None
    head = ["segments", *(["documents"] if has_documents else []), f"smallest found with {share} power"]
    head += [] if plan.delta is None else [f"power for {plan.delta:g}"]
    rows = []
    for size in pair.sizes:
        counts = [f"{size.n_segments:,}", *([f"{size.n_documents:,}"] if has_documents else [])]
        power = [] if size.power is None else [f"{100 * size.power:.0f} %"]
        rows.append([*counts, short(size.smallest), *power])
    text: str = tabulate(rows, head, "simple", disable_numparse=True, colalign=["right"] * len(head))
    yield from text.split("\n")
    if plan.delta is not None:
        yield f"A difference of {plan.delta:g} is found with {share} power in {_segments(pair.enough)}."
    yield from _of_seen(pair)


def _of_seen(pair: PairPower) -> Iterator[str]:
    """What follows from the difference seen, and what does not."""
    from truebleu.significance.notes import short

    if pair.significant:
        yield f"The difference seen, {short(abs(pair.delta))}, is significant: no size is planned for it, because the"
        yield "power of a test that has found something is only its p-value in other words."
    elif pair.needed is not None:
        seen, least, most = map(_segments, pair.needed)
        yield f"The difference seen, {short(abs(pair.delta))}, would be decided by {seen};"
        yield f"at the ends of its 95 % interval by {least}, and by {most}."


def _segments(count: int | None) -> str:
    return "no number of segments" if count is None else number_of(count, "segment", commas=True)


COMMAND = Command(
    "truebleu power",
    (
        Section("Power", _POWER), TEXTS_AND_ONLY, TEST_SET, metrics_flag, metric_flags,
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
