"""evaluate's `save`: results in a JSON file, with the circumstances they were computed in."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import datetime
from pathlib import Path
from typing import Any

from truebleu import version
from truebleu._atomic import write_whole
from truebleu._inputs import brief
from truebleu.errors import FormatMismatch, InputFileError


def save(path_or_file: str | os.PathLike[str], **data: Any) -> Path:
    """Write results to a JSON file, and tell its path.

    The time, the commit of the working folder (None outside a repository), and the versions of truebleu and of Python
    are written with them.

    Parameters
    ----------
    path_or_file
        The file, if the name has a suffix; otherwise a folder, in which the file is named by the time. Folders are
        made where they are missing.
    **data
        What is saved, by name.
    """
    if not isinstance(path_or_file, (str, os.PathLike)) or not os.fspath(path_or_file):
        raise FormatMismatch(f"save: path_or_file is {brief(path_or_file)}, expected the path of a file or folder")
    now, path = datetime.now(), Path(path_or_file)
    if not path.suffix:
        path /= f"result-{now:%Y_%m_%d-%H_%M_%S}.json"
    circumstances = {
        "_timestamp": now.isoformat(),
        "_git_commit_hash": _commit(),
        "_evaluate_version": "0.4.6",
        "_truebleu_version": version.__version__,
        "_python_version": sys.version,
        "_interpreter_path": sys.executable,
    }
    try:
        text = json.dumps(data | circumstances)
    except (TypeError, ValueError, RecursionError) as error:
        raise FormatMismatch(f"save: what is to be saved cannot be written as JSON: {error}") from error
    try:
        write_whole(path, text.encode())
    except (OSError, ValueError) as error:  # ValueError: a name that no file can have
        shown = brief(str(path_or_file), 300)
        raise InputFileError(f"save: path_or_file is {shown}, which cannot be written: {str(error)[:200]}") from error
    return path


def _commit() -> str | None:
    """The commit of the working folder, if it is in a repository and git is there."""
    try:
        found = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, check=True, timeout=10)
    except (OSError, subprocess.SubprocessError):
        return None
    return found.stdout.strip()
