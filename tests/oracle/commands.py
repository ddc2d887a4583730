"""What sacreBLEU's program answers to command lines, from ``tests/golden/commands.jsonl``; `tools/golden.py` makes it.

sacreBLEU is pinned and the inputs are fixed, so its program need not run each time. Where the variable
``TRUEBLEU_GOLDEN_RECORD`` names a file, as in `tools/golden.py`, the program does run, and its answers go there too.
"""

import functools
import gzip
import hashlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

GOLDEN = Path(__file__).resolve().parent.parent / "golden" / "commands.jsonl"
VARIABLE = "TRUEBLEU_GOLDEN_RECORD"
Answer = tuple[int, str, str]  # the exit code, and what is on both streams


def answer(
    words: Sequence[str], folder: Path, stdin: bytes, variables: Mapping[str, str], inherited: Mapping[str, str]
) -> Answer:
    """The answer of `python -m sacrebleu` in a folder, kept or live."""
    key = {"words": list(words), "variables": dict(variables), "input": _digest(words, folder, stdin)}
    if VARIABLE not in os.environ:
        if (kept := _kept().get(json.dumps(key))) is None:
            pytest.fail(
                f"{GOLDEN.name} has no answer for {key}: run `python tools/golden.py`, which asks sacreBLEU", False
            )
        return kept
    live = run(words, folder, stdin, {**inherited, **variables})
    record = key | dict(zip(("code", "out", "err"), live, strict=True))
    with open(os.environ[VARIABLE], "a", encoding="utf-8") as file:
        file.write(json.dumps(record) + "\n")
    return live


@functools.cache
def _kept() -> dict[str, Answer]:
    records: list[dict[str, Any]] = [json.loads(line) for line in GOLDEN.read_text("utf-8").splitlines()]
    return {
        json.dumps(record): answer for record in records for answer in [tuple(map(record.pop, ("code", "out", "err")))]
    }


def _digest(words: Sequence[str], folder: Path, stdin: bytes) -> str:
    """Of the files that are named and of standard input: the answer to other texts is another answer."""
    named = [[word, _hash(folder / word)] for word in words if (folder / word).is_file()]
    return hashlib.sha256(json.dumps([named, hashlib.sha256(stdin).hexdigest()]).encode()).hexdigest()[:16]


def _hash(path: Path) -> str:
    data = path.read_bytes()
    return hashlib.sha256(gzip.decompress(data) if path.suffix == ".gz" else data).hexdigest()


def run(words: Sequence[str], folder: Path, stdin: bytes, environment: Mapping[str, str]) -> Answer:
    """The answer of the program itself."""
    done = subprocess.run(
        [sys.executable, "-m", "sacrebleu", *words], input=stdin, cwd=folder, env=environment, capture_output=True
    )
    err = done.stderr.decode("utf-8")
    # Where it fails depends on the machine; as what, does not.
    err = re.sub(
        r"(?s)^Traceback \(most recent call last\):\n.*\n(?=\S.*\n\Z)",
        "Traceback (most recent call last):\n",
        err,
        flags=re.M,
    )
    return done.returncode, done.stdout.decode("utf-8"), err
