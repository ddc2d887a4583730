"""sacreBLEU's utility names, for old imports. Nothing new belongs here."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import IO, TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from truebleu.dataset.sacrebleu import *  # noqa: F403

USERHOME = os.path.expanduser("~")
SACREBLEU_DIR = os.environ.get("SACREBLEU", os.path.join(USERHOME, ".sacrebleu"))


def smart_open(file: str | os.PathLike[str], mode: str = "rt", encoding: str = "utf-8") -> IO[Any]:
    """Open a text file, decompressing it if its name ends in `.gz`; only line feeds end lines."""
    if os.fspath(file).endswith(".gz"):
        import gzip

        return cast(IO[Any], gzip.open(file, mode=mode, encoding=encoding, newline="\n"))
    return open(file, mode=mode, encoding=encoding, newline="\n")


def sum_of_lists(lists: Iterable[Iterable[float]]) -> list[float]:
    """The sums of the columns of equally long lists.

    >>> sum_of_lists([[1, 2], [3, 4]])
    [4, 6]
    """
    return [sum(column) for column in zip(*lists, strict=True)]


def get_md5sum(dest_path: str | os.PathLike[str]) -> str:
    """The MD5 checksum of a file, in hexadecimal digits."""
    import hashlib

    with open(dest_path, "rb") as stream:
        return hashlib.file_digest(stream, lambda: hashlib.md5(usedforsecurity=False)).hexdigest()


def extract_tarball(filepath: str | os.PathLike[str], destdir: str | os.PathLike[str]) -> None:
    """Unpack a tar or zip archive into a folder, and nowhere else."""
    from pathlib import Path

    from truebleu import store

    store.unpack(Path(filepath), Path(destdir))


# Test sets are for those who ask for them: importing truebleu must not load what they need.
_DATASET_NAMES = {
    "DATASETS",
    "download_test_set",
    "filter_subset",
    "get_available_origlangs",
    "get_available_subsets",
    "get_available_testsets",
    "get_available_testsets_for_langpair",
    "get_files",
    "get_langpairs_for_testset",
    "get_reference_files",
    "get_source_file",
    "print_test_set",
}


def __getattr__(name: str) -> Any:
    if name in _DATASET_NAMES:
        from truebleu.dataset import sacrebleu as datasets

        return getattr(datasets, name)
    if name == "SUBSETS":
        from truebleu.dataset import subsets

        return subsets.annotations()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
