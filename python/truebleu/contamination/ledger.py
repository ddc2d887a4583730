"""A file that names the training files that were read and what they had, so that an interrupted scan can go on."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from truebleu._atomic import write_whole
from truebleu._inputs import brief, check_path
from truebleu._logs import inform
from truebleu._shown import json_text, shown
from truebleu._textio import stored_bytes
from truebleu.columns.files import check_output
from truebleu.columns.places import identity, is_done, require_unchanged, state_of
from truebleu.contamination.training import HowToRead, Tell, TrainingFile, scan_file
from truebleu.errors import FileFormatError, OptionError, StatsMismatch

if TYPE_CHECKING:
    from truebleu._core import OverlapScan

_SCHEMA = 1


def resumed(
    ledger: str | os.PathLike[str], scan: OverlapScan, paths: Sequence[str], about: Mapping[str, Any], how: HowToRead,
    tell: Tell | None,
) -> list[TrainingFile]:  # fmt: skip
    """Read the files that the ledger does not have, after those that it has."""
    path = Path(check_path("overlap: resume", ledger))
    if "-" in paths:
        raise OptionError("overlap: resume goes with files, which can be told apart; standard input cannot")
    check_output(path, paths, may_exist=True)
    about = json.loads(json_text(about))
    files = _begun(path, scan, about) if path.exists() else {}
    left = [one for one in paths if not is_done(one, files, path)]
    if other := files.keys() - {identity(one) for one in paths}:
        raise StatsMismatch(f"{shown(path)} also has {shown(min(other))}, which is not among the files now; remove "
                            f"{shown(path)} to read all files again")  # fmt: skip
    if len(left) < len(paths):
        inform("%d of %d files are in %s already, and are skipped", len(paths) - len(left), len(paths), shown(path))
        if tell is not None:
            tell(sum(state["size"] for state in files.values()))
    for one in left:
        state: dict[str, Any] = {**state_of(one)}
        found = scan_file(scan, one, how, tell)
        require_unchanged(one, state)
        files[identity(one)] = {**state, "found": [*found]}
        content = {"schema": _SCHEMA, "about": about, "files": files, "state": scan.state()}
        write_whole(path, json_text(content).encode())
    return [TrainingFile(*state["found"]) for state in files.values()]


def _begun(path: Path, scan: OverlapScan, about: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Take up what was found before, after a check that it is of the same test set and was read in the same way."""
    name = shown(path)
    try:
        found = json.loads(stored_bytes(path))
        before, files, state = found["about"], dict(found["files"]), found["state"]
        if found["schema"] != _SCHEMA:
            raise ValueError(f"schema {found['schema']}")
    except (ValueError, TypeError, KeyError) as error:
        raise FileFormatError(f"{name}: is no file of a scan for overlap that can go on ({brief(error)})") from error
    for key, expected in about.items():
        if before.get(key) != expected:
            raise StatsMismatch(
                f"{name} is of a scan with another {key}: {brief(before.get(key))}, expected {brief(expected)}; "
                "remove it to begin again"
            )
    if not scan.restore(state):
        raise FileFormatError(f"{name}: what was found before does not fit the test set; remove it to begin again")
    return files
