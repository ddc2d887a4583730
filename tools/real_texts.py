"""Where the real texts of the tests and benchmarks are: WMT22 with its systems, for six language pairs.

They are looked for in this order:

1. the folder that ``TRUEBLEU_TEST_DATA`` names; nothing else counts then;
2. a folder ``shared/data`` beside the checkout;
3. truebleu's own store, where the set is once somebody has used it (`FETCH` does that and no more). Nothing is
   downloaded here. They are written once into ``target/real-texts``, as files of the form that the folders have::

       wmt22/sources/generaltest2022.en-de.src.en.gz
       wmt22/references/generaltest2022.en-de.ref.A.de.gz
       wmt22/system-outputs/generaltest2022.en-de.hyp.Online-B.de.gz
"""

from __future__ import annotations

import gzip
import os
import shutil
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from truebleu.dataset import TestSet, testset
from truebleu.errors import DownloadError
from truebleu.store import offline

CHECKOUT = Path(__file__).resolve().parents[1]
BESIDE = CHECKOUT.parent / "shared" / "data"
WRITTEN = CHECKOUT / "target" / "real-texts"

WMT22 = "wmt22"
PAIRS = ("cs-en", "en-de", "en-ja", "en-zh", "liv-en", "uk-en")

# The archive of one pair has all of them.
FETCH = "truebleu -t wmt22 -l en-de --echo src > /dev/null"
ADVICE = f"no WMT22 at hand: run `{FETCH}`, or name a folder of texts in TRUEBLEU_TEST_DATA"


def data_folder() -> Path | None:
    """The folder of real texts that somebody has put there, or None."""
    if named := os.environ.get("TRUEBLEU_TEST_DATA"):
        if not Path(named).is_dir():
            raise NotADirectoryError(f"TRUEBLEU_TEST_DATA is {named!r}, expected the folder of real texts")
        return Path(named)
    return BESIDE if BESIDE.is_dir() else None


def people_folder() -> Path | None:
    """The folder of scores of people, of metrics and of AutoRank, or None where it is not at hand."""
    folder = data_folder()
    return folder / "people" if folder is not None and (folder / "people").is_dir() else None


def wmt22_folder() -> Path | None:
    """The folder of WMT22's sources, references and system outputs, or None where it is not at hand."""
    folder = data_folder()
    if folder is not None and (folder / WMT22).is_dir():
        return folder / WMT22
    return None if os.environ.get("TRUEBLEU_TEST_DATA") else from_store(WRITTEN)


def needed_wmt22() -> Path:
    """The same, for a program that can do nothing without it."""
    folder = wmt22_folder()
    if folder is None:
        raise SystemExit(ADVICE)
    return folder


@cache
def from_store(target: Path) -> Path | None:
    """WMT22 out of truebleu's cache, or None where it is not in there."""
    folder = target / WMT22
    if folder.is_dir():
        return folder
    try:
        with offline():
            sets = [testset(WMT22, pair) for pair in PAIRS]
    except DownloadError:
        return None
    target.mkdir(parents=True, exist_ok=True)
    part = Path(tempfile.mkdtemp(prefix="part-", dir=target))
    try:
        for one in sets:
            _write(one, part)
        try:
            part.rename(folder)
        except OSError:
            # Another process was faster, with the same texts.
            if not folder.is_dir():
                raise
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return folder


def _write(texts: TestSet, folder: Path) -> None:
    for name, lines in _files(texts):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with gzip.open(path, "wt", compresslevel=1, encoding="utf-8", newline="\n") as file:
            file.writelines(f"{line}\n" for line in lines)


def _files(texts: TestSet) -> Iterator[tuple[str, list[str]]]:
    base = f"generaltest2022.{texts.pair}"
    source, target = texts.pair.split("-")
    yield f"sources/{base}.src.{source}.gz", texts.source
    for field in texts.fields:
        if (field == "ref" or field.startswith("ref:")) and field not in texts.systems:
            # The only reference of a pair has no name in the set.
            name = field.removeprefix("ref").lstrip(":") or "A"
            yield f"references/{base}.ref.{name}.{target}.gz", texts.field(field)
    for system, lines in texts.systems.items():
        yield f"system-outputs/{base}.hyp.{system}.{target}.gz", lines
