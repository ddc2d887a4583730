"""Rows of results, and the Markdown and JSON they are printed as."""

from __future__ import annotations

import json
import os
import platform
import re
import sys
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

README = Path(__file__).with_name("README.md")
BEGIN, END = "<!-- bench:begin -->", "<!-- bench:end -->"
PACKAGES = ("truebleu", "sacrebleu", "nltk", "bleuscore", "fastchrf", "fast-bleu", "jiwer", "rapidfuzz", "numpy")
HEADER = ("job", "must", "aim", "measured", "median", "ours, µs/segment", "peer, µs/segment", "segments", "")


@dataclass(frozen=True)
class Goal:
    """What a figure must reach, and what we aim for. A figure is either a floor (`≥`) or a ceiling (`≤`)."""

    must: float | None
    aim: float | None = None
    unit: str = "×"
    ceiling: bool = False

    def met(self, value: float, slack: float = 1.0) -> bool:
        if self.must is None:
            return True
        return value <= self.must * slack if self.ceiling else value >= self.must / slack

    def show(self, value: float | None) -> str:
        if value is None:
            return ""
        return f"{'≤' if self.ceiling else '≥'} {figure(value)}{self.unit}"


@dataclass(frozen=True)
class Row:
    """One line of the table. `value` is None where a job could not be measured; `note` then says why."""

    job: str
    goal: Goal
    value: float | None
    median: float | None = None
    ours_us: float | None = None
    peer_us: float | None = None
    segments: str = ""
    note: str = ""
    differs: bool = False

    def ok(self, slack: float = 1.0) -> bool:
        """Whether the goal is met, or nearly so with slack. What was not measured passes only with slack."""
        if self.differs:
            return False
        return slack > 1 if self.value is None else self.goal.met(self.value, slack)

    def verdict(self) -> str:
        if self.differs:
            return "**differs**"
        if self.value is None:
            return "not run"
        return "ok" if self.ok() else "**short**"


def figure(value: float) -> str:
    """Three significant digits, without an exponent."""
    if value == int(value) or abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def markdown(rows: list[Row]) -> str:
    lines = [HEADER, ("---", *("---:" for _ in HEADER[1:-1]), "---"), *(_cells(row) for row in rows)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def notes(rows: list[Row]) -> str:
    return "\n".join(f"- {row.job}: {row.note}." for row in rows if row.note)


def facts(texts: list[str], command: str) -> list[str]:
    """What a reader needs to judge or repeat the figures."""
    return [
        f"Machine: {_cpu()}, {cores()} cores, {platform.system()}",
        f"Python {platform.python_version()}; " + ", ".join(f"{name} {_version(name)}" for name in PACKAGES),
        *(f"Texts: {text}" for text in texts),
        f"Command: `{command}`",
    ]


def as_json(rows: list[Row], facts: list[str]) -> str:
    return json.dumps({"facts": facts, "rows": [_entry(row) for row in rows]}, indent=2, ensure_ascii=False)


def write_readme(text: str, path: Path = README) -> None:
    """Replace what stands between the two markers."""
    old = path.read_text(encoding="utf-8")
    block = re.compile(f"{re.escape(BEGIN)}.*?{re.escape(END)}", re.DOTALL)
    if not block.search(old):
        raise ValueError(f"{path.name} has no {BEGIN} … {END}")
    path.write_text(block.sub(lambda _: f"{BEGIN}\n{text}\n{END}", old), encoding="utf-8")


def cores() -> int:
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


def _cells(row: Row) -> tuple[str, ...]:
    def shown(value: float | None, unit: str = "") -> str:
        return "" if value is None else figure(value) + unit

    unit = row.goal.unit
    return (
        row.job,
        row.goal.show(row.goal.must),
        row.goal.show(row.goal.aim),
        shown(row.value, unit),
        shown(row.median, unit),
        shown(row.ours_us),
        shown(row.peer_us),
        row.segments,
        row.verdict(),
    )


def _entry(row: Row) -> dict[str, Any]:
    return {**asdict(row), "verdict": row.verdict().strip("*")}


def _cpu() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        match = re.search(r"^model name\s*:\s*(.+)$", info.read_text(), re.MULTILINE)
        if match:
            return match[1].strip()
    return platform.processor() or platform.machine()


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "(absent)"
