"""sacreBLEU's utility names. Functions that print are for programs that call them by name; nothing else prints."""

from __future__ import annotations

import logging
import math
import os
import sys
from argparse import Namespace
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from truebleu._counts import number_of
from truebleu._lazy import attach
from truebleu.errors import DownloadError, LengthMismatch, OptionError
from truebleu.utils import SACREBLEU_DIR, USERHOME, extract_tarball, get_md5sum, print_test_set, smart_open

if TYPE_CHECKING:
    from truebleu.dataset.sacrebleu import *  # noqa: F403
    from truebleu.dataset.subsets import SUBSETS as SUBSETS

sacrelogger = logging.getLogger("sacrebleu")

_LOG_OF_ZERO = -9999999999


class Color:
    """Colours of a terminal."""

    ENABLE_COLORS = True

    @staticmethod
    def format(msg: str, color: str) -> str:
        """Paint a text, unless colours are off."""
        codes = {"red": 31, "green": 32, "yellow": 33, "blue": 34, "magenta": 35, "cyan": 36, "white": 37}
        if color not in codes:
            raise OptionError(f"Color.format: color is {color!r}, expected one of {', '.join(codes)}")
        return f"\x1b[{codes[color]}m{msg}\x1b[0m" if Color.ENABLE_COLORS else msg


def my_log(num: float) -> float:
    """Compute the natural logarithm; that of 0 is a very small number."""
    return _LOG_OF_ZERO if num == 0.0 else math.log(num)


def sum_of_lists(lists: Sequence[Sequence[Any]]) -> list[Any]:
    """Add up the columns of equally long lists, from the first list to the last.

    Examples
    --------
    >>> sum_of_lists([[1, 2], [3, 4]])
    [4, 6]
    """
    # One after the other: the builtin sum is compensated from Python 3.12 on, and sacreBLEU's is not.
    totals = list(lists[0])
    for row in lists[1:]:
        totals = [total + cell for total, cell in zip(totals, row, strict=True)]
    return totals


def args_to_dict(args: Namespace, prefix: str, strip_prefix: bool = False) -> dict[str, Any]:
    """Pick the arguments of a command that begin with a prefix."""
    start = f"{prefix}_"
    return {
        name.removeprefix(start) if strip_prefix else name: value
        for name, value in vars(args).items()
        if name.startswith(start)
    }


def sanity_check_lengths(system: Sequence[str], refs: Sequence[Sequence[str]], test_set: str | None = None) -> None:
    """Raise LengthMismatch unless all streams have as many segments as the system; sacreBLEU ends the program."""
    for at, stream in enumerate(refs):
        if len(stream) != len(system):
            where = f" of {test_set}" if test_set else ""
            raise LengthMismatch(
                f"reference stream {at}{where} has {number_of(len(stream), 'segment')}, the system has {len(system)}"
            )


def download_file(
    source_path: str,
    dest_path: str | os.PathLike[str],
    extract_to: str | os.PathLike[str] | None = None,
    expected_md5: str | None = None,
) -> None:
    """Fetch a file, check it, and unpack it if asked to."""
    from pathlib import Path

    from truebleu.store.download import download
    from truebleu.store.files import digest_problem

    home = Path(dest_path)
    if not home.exists():
        home.parent.mkdir(parents=True, exist_ok=True)
        problems = download([source_path], home, lambda copy: digest_problem(copy, None, expected_md5), lambda: None)
        if problems:
            raise DownloadError("; ".join(problems))
    if extract_to is not None:
        extract_tarball(home, extract_to)


def print_results_table(results: dict[str, list[Any]], signatures: dict[str, Any], args: Namespace) -> None:
    """Write the table of several systems to the standard output."""
    from truebleu._text.style import Style
    from truebleu.study.formats.render import render
    from truebleu.study.results import Outcome, Results, SystemOutcomes

    names = [name.removeprefix("Baseline: ") for name in results["System"]]
    scores = {name: values for name, values in results.items() if name != "System"}
    systems = []
    for at, system in enumerate(names):
        outcomes = []
        for name, values in scores.items():
            one = values[at]
            number = float(getattr(one, "score", one))
            mean, half_width, p_value = (getattr(one, part, None) for part in ("mean", "ci", "p_value"))
            outcomes.append(Outcome(name, number, signatures[name], mean, half_width, p_value))
        systems.append(SystemOutcomes(system, system, tuple(outcomes)))
    test = "bs" if getattr(args, "paired_bs", False) else "ar" if getattr(args, "paired_ar", False) else ""
    samples = getattr(args, f"paired_{test}_n", 0)
    kind = {"bs": "Paired bootstrap", "ar": "Paired approximate randomization", "": ""}[test]
    title = f"{kind} test with {number_of(samples, 'trial')}" if samples else f"{kind} test"
    style = Style("sacrebleu-json" if args.format == "json" else args.format, args.width, color=Color.ENABLE_COLORS)
    _write(render(Results(tuple(systems), title=title, test=test), style))


def print_single_results(results: Sequence[str], args: Namespace) -> None:
    """Write the results of one system to the standard output, equal signs under each other; a list in JSON."""
    if args.format == "json":
        _write(["[\n" + ",\n".join(results) + "\n]"] if len(results) > 1 else results)
        return
    widest = max(text.find("=") for text in results)
    _write(" " * (widest - text.find("=")) + text if "=" in text else text for text in results)


def print_subset_results(
    metrics: dict[str, Any], full_system: Sequence[str], full_refs: Sequence[Sequence[str]], args: Namespace
) -> None:
    """Refuse: the command `truebleu --detail` writes the scores of the parts of a test set."""
    raise OptionError(
        "print_subset_results is part of sacreBLEU's command: use `truebleu --detail`, or filter_subset()"
    )


def _write(lines: Any) -> None:
    for line in lines:
        sys.stdout.write(f"{line}\n")


_OF_DATASETS = [
    "download_test_set", "filter_subset", "get_available_origlangs", "get_available_subsets",
    "get_available_testsets", "get_available_testsets_for_langpair", "get_files", "get_langpairs_for_testset",
    "get_reference_files", "get_source_file",
]  # fmt: skip
__all__ = [
    "SACREBLEU_DIR", "USERHOME", "Color", "args_to_dict", "download_file", "extract_tarball",
    "get_md5sum", "my_log", "print_results_table", "print_single_results", "print_subset_results", "print_test_set",
    "sacrelogger", "sanity_check_lengths", "smart_open", "sum_of_lists",
]  # fmt: skip
__all__ += _OF_DATASETS
# Test sets are for those who ask for them.
__getattr__, __dir__ = attach(
    __name__,
    {
        **dict.fromkeys(_OF_DATASETS, "truebleu.dataset.sacrebleu"),
        "DATASETS": "truebleu.sacrebleu.dataset._table",
        "SUBSETS": "truebleu.dataset.subsets",
    },
)
