"""sacreBLEU's utility names, for old imports. Nothing new belongs here."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import IO, TYPE_CHECKING, Any, cast

from truebleu._inputs import brief, check_path, ordered, refuse_others
from truebleu._lazy import attach
from truebleu.errors import InputFileError, InputTypeError, MissingFile

if TYPE_CHECKING:
    from truebleu.dataset.sacrebleu import *  # noqa: F403

USERHOME = os.path.expanduser("~")
SACREBLEU_DIR = os.environ.get("SACREBLEU", os.path.join(USERHOME, ".sacrebleu"))


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


def sum_of_lists(lists: Iterable[Iterable[float]]) -> list[float]:
    """Add up the columns of equally long lists.

    >>> sum_of_lists([[1, 2], [3, 4]])
    [4, 6]

    Parameters
    ----------
    lists
        The lists, one a row.
    """
    expected = "a list of equally long lists of numbers"
    rows = [
        ordered("sum_of_lists", f"lists[{at}]", row, "a list of numbers")
        for at, row in enumerate(ordered("sum_of_lists", "lists", lists, expected))
    ]
    try:
        return [sum(column) for column in zip(*rows, strict=True)]
    except (TypeError, ValueError, ArithmeticError) as error:
        raise InputTypeError(f"sum_of_lists: lists is not {expected}: {str(error)[:200]}") from error


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


# Test sets are for those who ask for them: importing truebleu must not load what they need.
_OF_DATASETS = [
    "DATASETS", "download_test_set", "filter_subset", "get_available_origlangs", "get_available_subsets",
    "get_available_testsets", "get_available_testsets_for_langpair", "get_files", "get_langpairs_for_testset",
    "get_reference_files", "get_source_file",
]  # fmt: skip
__getattr__, __dir__ = attach(
    __name__, {**dict.fromkeys(_OF_DATASETS, "truebleu.dataset.sacrebleu"), "SUBSETS": "truebleu.dataset.subsets"}
)
