"""sacreBLEU's utility names. Functions that print are for programs that call them by name; nothing else prints."""

# ruff: noqa: F405 -- the names of test sets come late

from __future__ import annotations

import logging
import math
import os
import sys
from argparse import Namespace
from collections.abc import Iterable, Sequence
from typing import IO, TYPE_CHECKING, Any, cast

from truebleu._counts import number_of
from truebleu._inputs import brief, check_path, ordered, refuse_others
from truebleu._lazy import attach
from truebleu.errors import DownloadError, InputFileError, InputTypeError, LengthMismatch, MissingFile, OptionError

if TYPE_CHECKING:
    from truebleu.dataset.subsets import SUBSETS as SUBSETS
    from truebleu.sacrebleu.dataset._functions import *  # noqa: F403

sacrelogger = logging.getLogger("sacrebleu")

USERHOME = os.path.expanduser("~")
SACREBLEU_DIR = os.environ.get("SACREBLEU", os.path.join(USERHOME, ".sacrebleu"))

_LOG_OF_ZERO = -9999999999


def smart_open(file: str | os.PathLike[str], mode: str = "rt", encoding: str = "utf-8") -> IO[Any]:
    """Open a text file, decompressing it if its name ends in `.gz`; only line feeds end lines.

    Parameters
    ----------
    file
        The path of the file.
    mode
        How to open it: `rt` to read, `wt` to write.
    encoding
        How its text is encoded.
    """
    if os.fspath(file).endswith(".gz"):
        import gzip

        return cast(IO[Any], gzip.open(file, mode=mode, encoding=encoding, newline="\n"))
    return open(file, mode=mode, encoding=encoding, newline="\n")


def get_md5sum(dest_path: str | os.PathLike[str]) -> str:
    """Compute the MD5 checksum of a file, in hexadecimal digits.

    Parameters
    ----------
    dest_path
        The path of the file.
    """
    from pathlib import Path

    from truebleu.store.files import digest_of

    path = check_path("dest_path", dest_path)
    try:
        return digest_of(Path(path), "md5")
    except FileNotFoundError as error:
        raise MissingFile(f"dest_path is {brief(path, 300)}, and there is no such file") from error
    except OSError as error:
        raise InputFileError(f"dest_path is {brief(path, 300)}, and it cannot be read: {error.strerror}") from error


def extract_tarball(filepath: str | os.PathLike[str], destdir: str | os.PathLike[str]) -> None:
    """Unpack a tar or zip archive into a folder, and nowhere else.

    Parameters
    ----------
    filepath
        The path of the archive.
    destdir
        The folder, which is made if need be.
    """
    from pathlib import Path

    from truebleu import store

    archive, folder = check_path("filepath", filepath), check_path("destdir", destdir)
    store.unpack(Path(archive), Path(folder))


def print_test_set(
    test_set: str,
    langpair: str,
    requested_fields: Sequence[str],
    origlang: str | None = None,
    subset: str | None = None,
) -> None:
    """Write the fields of a pair to the standard output, which is what this function of sacreBLEU's is for.

    Parameters
    ----------
    test_set
        The name of a test set, or several with commas.
    langpair
        The language pair.
    requested_fields
        The names of the fields, or `all`.
    origlang
        Keep the documents written in this language only.
    subset
        Keep the documents about this subject only.
    """
    import sys

    from truebleu.dataset.listing import echo

    fields = ordered("print_test_set", "requested_fields", requested_fields, "a list of names of fields")
    refuse_others("print_test_set", "requested_fields", fields)
    for line in echo(test_set, langpair, fields, origlang, subset):
        sys.stdout.write(f"{line}\n")


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


def sum_of_lists(lists: Iterable[Iterable[Any]]) -> list[Any]:
    """Add up the columns of equally long lists, from the first list to the last.

    >>> sum_of_lists([[1, 2], [3, 4]])
    [4, 6]

    Parameters
    ----------
    lists
        The lists, one per row.
    """
    expected = "a list of equally long lists of numbers"
    rows = [
        ordered("sum_of_lists", f"lists[{at}]", row, "a list of numbers")
        for at, row in enumerate(ordered("sum_of_lists", "lists", lists, expected))
    ]
    totals = list(rows[0]) if rows else []
    try:
        # One after the other: the builtin sum is compensated from Python 3.12 on, and sacreBLEU's is not.
        for row in rows[1:]:
            totals = [total + cell for total, cell in zip(totals, row, strict=True)]
    except (TypeError, ValueError, ArithmeticError) as error:
        raise InputTypeError(f"sum_of_lists: lists is not {expected}: {str(error)[:200]}") from error
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
    from truebleu.significance.results import Comparison, MetricReport, PairReport, SystemReport
    from truebleu.study.formats.render import render
    from truebleu.study.results import Results, SystemScores, compared_scores

    names = [name.removeprefix("Baseline: ") for name in results["System"]]
    test = "bs" if getattr(args, "paired_bs", False) else "ar" if getattr(args, "paired_ar", False) else ""
    samples = getattr(args, f"paired_{test}_n", 0)
    kind = {"bs": "Paired bootstrap", "ar": "Paired approximate randomization", "": ""}[test]
    title = f"{kind} test with {number_of(samples, 'trial')}" if samples else f"{kind} test"
    metrics = []
    for name, values in [one for one in results.items() if one[0] != "System"]:
        systems, pairs = [], []
        for who, one in zip(names, values, strict=True):
            score, mean, half_width = (getattr(one, part, None) for part in ("score", "mean", "ci"))
            systems.append(SystemReport(who, float(one if score is None else score), (), mean, half_width))
            if getattr(one, "p_value", None) is not None:
                pairs.append(PairReport(names[0], who, 0.0, one.p_value, None, False, None, False))
        metrics.append(MetricReport(name, name, signatures[name], True, tuple(systems), tuple(pairs)))
    found = Comparison(title, test, samples, None, 0, "", 0.05, None, False, 0, None, 1, tuple(names), tuple(metrics))
    rows = zip(names, compared_scores(found), strict=True)
    table = Results(tuple(SystemScores(name, name, of_name) for name, of_name in rows), is_sacrebleus=True)
    style = Style("sacrebleu-json" if args.format == "json" else args.format, args.width, color=Color.ENABLE_COLORS)
    _write(render(table._replace(comparison=found) if metrics and metrics[0].pairs else table, style))


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


__all__ = [
    "SACREBLEU_DIR", "USERHOME", "Color", "args_to_dict", "download_file", "download_test_set", "extract_tarball",
    "filter_subset", "get_available_origlangs", "get_available_subsets", "get_available_testsets",
    "get_available_testsets_for_langpair", "get_files", "get_langpairs_for_testset", "get_md5sum",
    "get_reference_files", "get_source_file", "my_log", "print_results_table", "print_single_results",
    "print_subset_results", "print_test_set", "sacrelogger", "sanity_check_lengths", "smart_open", "sum_of_lists",
]  # fmt: skip
# What is not defined above needs the registry of test sets, and comes when it is asked for.
__getattr__, __dir__ = attach(
    __name__,
    {
        **{name: "truebleu.sacrebleu.dataset._functions" for name in __all__ if name not in globals()},
        "DATASETS": "truebleu.sacrebleu.dataset._table",
        "SUBSETS": "truebleu.dataset.subsets",
    },
)
