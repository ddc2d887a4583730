"""An interpreter that starts the fake runner whatever script it is given, for commands and pages of documentation."""

import sys
from pathlib import Path

FAKE = Path(__file__).with_name("fake.py")


def double(folder: Path) -> Path:
    """Make such an interpreter; each start adds a line to `starts` beside it."""
    made = folder / "python-double"
    made.write_text(
        f'#!/bin/sh\necho $$ >> "{folder}/starts"\n'
        f'exec "{sys.executable}" -E -s -u -X utf8 "{FAKE}" double "$@"\n'
    )  # fmt: skip
    made.chmod(0o755)
    return made


def model(folder: Path, name: str = "my-comet", content: bytes = b"weights") -> Path:
    """Make a folder with the files of a checkpoint, whose content no fake runner reads."""
    made = folder / name
    (made / "checkpoints").mkdir(parents=True)
    (made / "hparams.yaml").write_text("class_identifier: regression_metric\n")
    (made / "checkpoints" / "model.ckpt").write_bytes(content)
    return made
