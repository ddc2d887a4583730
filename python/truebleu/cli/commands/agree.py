"""`truebleu agree`: how well metrics agree with people, and which of them agree better."""

from __future__ import annotations

import os
import re
import sys
from argparse import Namespace
from collections.abc import Sequence
from typing import TYPE_CHECKING

from truebleu._logs import inform
from truebleu._shown import json_text, shown
from truebleu.cli.flags import STUDY, SURENESS, WORK, Section, chosen, formats
from truebleu.cli.main import GOES_WITH, IDLE_WITH, NOT_WITH, Command, UsageError
from truebleu.metrics.options import flag, switch

if TYPE_CHECKING:
    from truebleu.scores.table import ScoreTable

_GROUPS, _TESTS = ("item", "system", "none"), ("ar", "mtme-pairs", "mtme-both", "none")
_LEVELS = ("segment", "document")  # of scores that are compared one by one
# Human references among the systems, as mt-metrics-eval calls them, and the reference that a metric was given.
_REFERENCE = re.compile(r"ref[A-Z]|synthetic_ref|postedit[A-Z]")
_REFERENCE_OF_METRIC = re.compile(r"-((?:ref[A-Z]\.?)+|synthetic_ref|postedit[A-Z]|src|all)$")
_WMT23 = "--wmt23"

_WHAT = (
    flag("files", nargs="+", metavar="FILE", help="scores of metrics; or a folder of mt-metrics-eval with --pair"),
    flag(
        "--human", action="append", default=[], metavar="FILE", help="scores of people; once more for those of systems"
    ),
    flag("--pair", metavar="XX-YY", help="the language pair in a folder of mt-metrics-eval"),
    flag("--gold", metavar="NAME", help="whose scores of people in a folder (default: mqm, esa, or the first)"),
    flag("--scores-format", metavar="NAME", help="the format of files of scores (default: recognised by content)"),
    flag("--documents", metavar="FILE", help="the document of each segment, perhaps after its domain and a tab"),
    flag("--domain", metavar="NAME", help="only segments of this domain"),
    switch("--include-human", help="let human references that no metric was given take part as systems"),
    flag("--exclude", nargs="+", default=[], metavar="SYSTEM", help="leave out these systems"),
    *chosen(SURENESS, "lower_is_better", "higher_is_better"),
)
_HOW = (
    flag(
        "--statistics", nargs="+", metavar="NAME",
        help="spa, spa:exact, spa-doc, acc, sys_pearson, sys_spearman, sys_tau_b; and with a group, such as "
        "pearson:none, acc_eq, pearson, spearman, tau_b, tau_c, tau_23, kendall_like, pdp (default: spa acc_eq)",
    ),
    switch(_WMT23, help="the kinds of statistics of WMT23: acc sys_pearson pearson:none acc_eq:item"),
    flag("--group", choices=_GROUPS, default="item", metavar="NAME",
         help="what is compared with one another: the cells of an item, of a system, or none for all (default: item)"),
    flag("--unit", choices=("auto", "segment", "document"), default="auto", metavar="UNIT",
         help="what the test swaps (default: auto, documents where they are known)"),
    flag("--test", choices=_TESTS, default="ar", metavar="NAME",
         help="between metrics: ar; mtme-pairs and mtme-both repeat mt-metrics-eval's, which claim too much; none"),
    *chosen(SURENESS, "correction", "seed"), *chosen(STUDY.flags, "alpha"),
    flag("--epsilon", type=float, metavar="X", help="scores so near count as tied for acc_eq (default: the best)"),
    switch("--honest", help="also acc_eq with the best tolerance of the other half of the documents"),
    flag("--threshold", type=float, default=25.0, metavar="X",
         help="how far apart people find the pairs of kendall_like (default: 25)"),
    flag("--nan", choices=("leave", "zero"), default="leave", metavar="NAME",
         help="groups without a correlation: leave them out, or zero (default: leave)"),
)  # fmt: skip


# Flags that are about some statistics, and these.
_ABOUT = {
    "epsilon": ("acc_eq",), "honest": ("acc_eq",), "threshold": ("kendall_like",),
    "nan": ("pearson", "spearman", "tau_b", "tau_c", "tau_23"),
}  # fmt: skip


def _agree(args: Namespace) -> int:
    from truebleu.agreement.agreement import STATISTICS, WMT23, agree

    statistics = WMT23 if args.wmt23 else tuple(args.statistics or STATISTICS)
    for name, about in _ABOUT.items():
        if name in args.typed and not {one.partition(":")[0] for one in statistics} & {*about}:
            raise UsageError(
                f"--{name} has no effect: it is about {', '.join(about)}, which --statistics does not name"
            )
    human, metrics, documents = _paths(args)
    people, of_people = _tables(human, args.scores_format)
    tables, of_metrics = _tables(metrics, args.scores_format)
    if not people or not tables:
        raise UsageError(f"{'--human' if not people else 'FILE'} has no scores of segments, only of whole systems")
    labels, only = _labels(documents, args.domain)
    found = agree(
        people,
        tables,
        statistics=statistics,
        group=args.group,
        documents=labels,
        unit=args.unit,
        test=args.test,
        correction=None if args.correction == "none" else args.correction or "holm",
        alpha=args.alpha,
        higher_is_better=_directions(args, people, tables),
        system_scores={**of_people, **of_metrics} if of_people else None,
        exclude=_left_out(args, people, tables),
        only=only,
        epsilon=args.epsilon,
        threshold=args.threshold,
        nan=args.nan,
        honest=args.honest,
        seed=args.seed,
    )
    if args.format == "json":
        sys.stdout.write(json_text({"schema": 1, **found.to_dict()}, indent=1) + "\n")
    else:
        sys.stdout.write(f"{found}\n" if args.format == "text" else f"{found.to_html()}\n")
    return 0


def _paths(args: Namespace) -> tuple[list[str], list[str], str | None]:
    """The files of people, of metrics, and of documents."""
    if args.pair is None:
        if folder := next((one for one in args.files if os.path.isdir(one)), None):
            raise UsageError(f"{shown(folder)} is a folder: name its language pair, as in --pair en-de")
        if not args.human:
            raise UsageError("--human names the file with scores of people; without it there is nothing to agree with")
        return args.human, args.files, args.documents
    (folder, *others) = args.files
    if others or not os.path.isdir(folder):
        raise UsageError(
            f"--pair goes with one folder of mt-metrics-eval, got {shown(others[0] if others else folder)}"
        )
    human = _human_files(os.path.join(folder, "human-scores"), args.pair, args.gold)
    metrics = _metric_files(os.path.join(folder, "metric-scores", args.pair))
    documents = [one for one in _listed(os.path.join(folder, "documents")) if _stem(one) == f"{args.pair}.docs"]
    return human, metrics, args.documents or next(iter(documents), None)


def _human_files(folder: str, pair: str, gold: str | None) -> list[str]:
    files = dict[tuple[str, str], str]()
    for one in _listed(folder):
        if (parts := _stem(one).split("."))[0] == pair and len(parts) == 4:
            files[parts[1], parts[2]] = one
    names = sorted({name for name, level in files if level == "seg"})
    if not names or gold not in (None, *names):
        raise UsageError(
            f"{shown(folder)} has no scores of {gold or 'people'} for {pair}; it has {', '.join(names) or 'none'}"
        )
    chosen_name = gold or next((one for one in ("mqm", "esa") if one in names), names[0])
    if gold is None and len(names) > 1:
        inform("scores of people: %s; others are %s (--gold)", chosen_name, ", ".join(set(names) - {chosen_name}))
    return [files[chosen_name, level] for level in ("seg", "sys") if (chosen_name, level) in files]


def _metric_files(folder: str) -> list[str]:
    """The files of metrics with the reference that most of them were given, and of those without one."""
    files = [one for one in _listed(folder) if _stem(one).endswith((".seg.score", ".sys.score"))]
    references = [found[1] for one in files if (found := _REFERENCE_OF_METRIC.search(_metric(one)))]
    several = sorted({one for one in references if one != "src"}, key=lambda one: (-references.count(one), one))
    if len(several) > 1:
        inform("metrics were given %s; those with %s are taken", ", ".join(several), several[0])
    left = several[1:]
    files = [one for one in files if not ((found := _REFERENCE_OF_METRIC.search(_metric(one))) and found[1] in left)]
    if not files:
        raise UsageError(f"{shown(folder)} has no files of scores (*.seg.score)")
    return files


def _listed(folder: str) -> list[str]:
    """The files of a folder; one that is not there has none."""
    return sorted(os.path.join(folder, name) for name in os.listdir(folder)) if os.path.isdir(folder) else []


def _stem(path: str) -> str:
    from truebleu._textio import COMPRESSED

    name = os.path.basename(path)
    return next((name.removesuffix(ending) for ending in COMPRESSED if name.endswith(ending)), name)


def _metric(path: str) -> str:
    return _stem(path).removesuffix(".seg.score").removesuffix(".sys.score")


def _tables(paths: Sequence[str], name: str | None) -> tuple[list[ScoreTable], dict[str, dict[str, float]]]:
    """The tables of segments, and by metric the scores of whole systems."""
    from truebleu.scores.reading import read_all

    of_systems = dict[str, dict[str, float]]()
    tables = read_all(paths, format=name, missing="pairs")
    if (whole := tables.pop("system", None)) is not None:
        for metric in whole.metrics:
            systems = whole.scored(metric)
            of_systems[metric] = dict(zip(systems, whole.matrix(metric, systems)[:, 0].tolist(), strict=True))
    if len(found := [table for level, table in tables.items() if level in _LEVELS]) > 1:
        raise UsageError("the files have scores of segments and of documents, expected one of the two")
    return found, of_systems


def _labels(path: str | None, domain: str | None) -> tuple[list[str] | None, list[bool] | None]:
    """The document of each segment, and whether it is of the domain asked for."""
    if path is None:
        if domain is not None:
            raise UsageError("--domain needs the domain of each segment, and the folder has none (--documents)")
        return None, None
    from truebleu.scores.mtme import read_documents
    from truebleu.scores.opened import ScoreFile

    documents, domains = read_documents(ScoreFile(path))
    if domain is None:
        return documents, None
    if domain not in domains:
        raise UsageError(f"--domain is {shown(domain)}, and the domains are {', '.join(dict.fromkeys(domains))}")
    return documents, [one == domain for one in domains]


def _directions(args: Namespace, people: Sequence[ScoreTable], tables: Sequence[ScoreTable]) -> dict[str, bool]:
    """What was said, and for a folder of mt-metrics-eval what holds for all of its files: higher is better."""
    from truebleu.metrics.known import known

    said = {**dict.fromkeys(args.higher_is_better, True), **dict.fromkeys(args.lower_is_better, False)}
    names = [name for table in (*people, *tables) for name in table.metrics]
    if wrong := [name for name in said if name not in names]:
        raise UsageError(f"a direction is given for {shown(wrong[0])}, and the scores are {', '.join(names)}")
    if args.pair is not None:
        unknown = [name for name in names if name not in said and known(name) is None]
        said |= dict.fromkeys(unknown, True)
        if unknown:
            inform("higher is taken as better for %s, as for all files of mt-metrics-eval", ", ".join(unknown))
    return said


def _left_out(args: Namespace, people: Sequence[ScoreTable], tables: Sequence[ScoreTable]) -> list[str]:
    """Systems that were excluded, and human references: all, or those that a metric was given."""
    human = [one for table in people for one in table.systems if _REFERENCE.fullmatch(one)]
    metrics = [name for table in tables for name in table.metrics]
    given = {one for name in metrics if (found := _REFERENCE_OF_METRIC.search(name)) for one in found[1].split(".")}
    kept = [one for one in human if args.include_human and one not in given]
    if human and not args.include_human:
        inform("human references take no part: %s (--include-human)", ", ".join(human))
    elif taken := [one for one in human if one in given]:
        inform("the reference of metrics takes no part: %s", ", ".join(taken))
    return [*args.exclude, *(one for one in human if one not in kept)]


COMMAND = Command(
    "truebleu agree",
    (
        Section("What", _WHAT), Section("How", _HOW),
        Section("Output", (*formats("text", "json", "html"), *chosen(WORK.flags, "quiet"))),
    ),
    _agree,
    about="Says how well metrics agree with people: soft pairwise accuracy of systems, pairwise accuracy of segments "
    "with calibrated ties, correlations; and which metrics agree better than others, by a test that swaps whole "
    "documents.",
    usage="--human FILE FILE [FILE ...] [options], or DIR --pair XX-YY [options]",
    example="--human SCORES SCORES",
    conflicts=(
        ("--pair", NOT_WITH, "--human", "--pair finds scores of people in the folder; --human goes without it"),
        ("--gold", GOES_WITH, "--pair", "--gold chooses among the files of a folder; it goes with --pair"),
        (_WMT23, NOT_WITH, "--statistics", "--wmt23 and --statistics both name statistics"),
        ("--domain", GOES_WITH, "--documents, --pair", "--domain needs the domain of each segment: --documents"),
        ("--correction, --seed, --unit, --alpha", IDLE_WITH, "--test none", "it is about a test, and --test is none"),
        ("--correction, --unit", IDLE_WITH, "--test mtme-pairs, --test mtme-both",
            "mt-metrics-eval's tests correct nothing, and swap pairs or cells"),
    ),
    functions=("agree", "scores.read"),
)  # fmt: skip
