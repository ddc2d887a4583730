"""A table of the demo texts, what one process makes of it, and functions that engines send out."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa

from truebleu import BLEU, CHRF, TER, columns, demo

METRICS = {"bleu": BLEU(), "chrf": CHRF(), "chrf_plus": CHRF(word_order=2), "ter": TER()}
WHICH: dict[str, Any] = {"hypothesis": "mt", "references": "refs", "by": ["system", "lang"]}
LINES: dict[str, Any] = {"hypothesis": "mt", "references": "refs"}


def demo_table() -> pa.Table:
    """Nine keys of different sizes, two references each, and a third of the lines has a third reference."""
    lines = []
    for pair in demo.PAIRS:
        data = demo.load(pair)
        for system, texts in data.systems.items():
            for seg, text in enumerate(texts):
                refs = [stream[seg] for stream in data.references.values()]
                more = [data.systems["atlas"][seg]] if seg % 3 == 0 else []
                lines.append({"system": system, "lang": pair, "seg": seg, "mt": text, "refs": refs + more})
    return pa.Table.from_pylist(lines)


TABLE = demo_table()
TOTALS = columns.totals(TABLE, METRICS, **WHICH).to_arrow()
SCORES = columns.score_table(TABLE, METRICS, **WHICH)
SEGMENTS = columns.segment_scores(TABLE, METRICS, **LINES, keep=["system", "lang", "seg"]).to_pylist()
WITH_NULL = TABLE.set_column(3, "mt", pa.array([None, *TABLE["mt"].to_pylist()[1:]]))
NULL_MESSAGE = r"'mt' is null in row 0 \(system='atlas', lang='en-de', seg=0\)"


def same_segments(lines: list[dict[str, Any]]) -> bool:
    """Whether lines in any order have the scores of one process, to the last bit."""
    names = ("system", "lang", "seg", *METRICS)
    found = {tuple(line[name] for name in names) for line in lines}
    return len(lines) == len(SEGMENTS) and found == {tuple(line[name] for name in names) for line in SEGMENTS}


def same_stats(found: dict[Any, Any]) -> bool:
    """Whether rows that were collected are those of one process, in its order."""
    ours: Any = columns.stats(TABLE, BLEU(), **WHICH)
    return found.keys() == ours.keys() and all(
        (found[key].rows == ours[key].rows).all() and found[key].references == ours[key].references for key in ours
    )


def dying(flag: Path, ancestors: int = 0, name: bytes = b"") -> Callable[[], None]:
    """A function that kills the process it first runs in, or one of its ancestors, if it is of the name given.

    The flag is gone then, and there is another, which `has_died` looks for: a test in which nobody died shows nothing.
    """
    flag.write_text("kill once")
    path = str(flag)

    def die() -> None:
        try:
            os.unlink(path)
        except FileNotFoundError:
            return
        pid = os.getpid()
        for _ in range(ancestors):
            with open(f"/proc/{pid}/stat") as file:
                pid = int(file.read().rpartition(")")[2].split()[1])
        with open(f"/proc/{pid}/cmdline", "rb") as command:
            if name in command.read():
                with open(f"{path}.killed", "w") as killed:
                    killed.write(str(pid))
                os.kill(pid, signal.SIGKILL)

    return die


def has_died(flag: Path) -> bool:
    """Whether the function that `dying` made has killed a process."""
    return not flag.exists() and flag.with_name(f"{flag.name}.killed").exists()
