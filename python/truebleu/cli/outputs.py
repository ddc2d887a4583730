"""Several files that belong together: written all, or none."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from truebleu.errors import OutputExists


def check_targets(targets: Iterable[Path], overwrite: bool) -> None:
    """Raise before any work is done for files that could not be written."""
    for target in targets:
        if target.parent.exists() and not target.parent.is_dir():
            raise OutputExists(f"{target.parent} is not a folder, so {target.name} cannot be written there")
        if target.is_dir():
            raise OutputExists(f"{target} is a folder, and a file of that name is to be written")
        if not overwrite and os.path.lexists(target):
            raise OutputExists(f"{target} exists and will not be replaced: choose another folder, or say --force")


def check_not_inputs(targets: Iterable[Path], inputs: Sequence[str]) -> None:
    """Raise if an output is one of the inputs: even those who force it do not mean that."""
    for target in targets:
        for path in inputs:
            if target.exists() and os.path.exists(path) and target.samefile(path):
                raise OutputExists(
                    f"{target} is one of the files to be read, and would be replaced: choose another folder"
                )


def write_together(contents: Mapping[Path, str], overwrite: bool) -> None:
    """Write text files. If anything fails, none is left behind, and files that were there before are as they were."""
    parts = {target: _aside(target, "part") for target in contents}
    try:
        for target, part in parts.items():
            target.parent.mkdir(parents=True, exist_ok=True)
            part.write_text(contents[target], encoding="utf-8", newline="\n")
        check_targets(contents, overwrite)
        _move_in(parts)
    finally:
        for part in parts.values():
            part.unlink(missing_ok=True)


def _move_in(parts: Mapping[Path, Path]) -> None:
    """Give every file its name; the files that had the names before are kept until all have theirs."""
    before = {target: _aside(target, "before") for target in parts if os.path.lexists(target)}
    moved: list[Path] = []
    try:
        for target, old in before.items():
            os.replace(target, old)
        for target, part in parts.items():
            os.replace(part, target)
            moved.append(target)
    except BaseException:
        for target in moved:
            target.unlink(missing_ok=True)
        for target, old in before.items():
            if os.path.lexists(old):
                os.replace(old, target)
        raise
    for old in before.values():
        with suppress(OSError):
            os.remove(old)


def _aside(target: Path, ending: str) -> Path:
    return target.with_name(f".{target.name}.{os.getpid()}.{ending}")
