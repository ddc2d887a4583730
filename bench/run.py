"""Race truebleu against sacreBLEU and others, and print one table.

python bench/run.py [--quick] [--only NAME ...] [--before DIRECTORY] [--json FILE] [--check] [--write]
"""

from __future__ import annotations

import os

# One thread a side: libraries built on rayon read this when they start their pool.
os.environ.setdefault("RAYON_NUM_THREADS", "1")

import argparse
import sys
from dataclasses import replace
from pathlib import Path

import before
import corpora
import jobs
import report

QUICK_SLACK = 2.0


def main() -> int:
    arguments = _parse()
    settings = replace(jobs.QUICK if arguments.quick else jobs.Settings(), before=arguments.before)
    rows = [row for name in _names(arguments) for row in jobs.run(name, settings)]
    texts = [corpora.load(name).describe() for name in (corpora.LATIN, corpora.CHINESE)]
    facts = report.facts(texts, _command(arguments))
    text = _document(rows, facts)
    print(text)
    if arguments.json:
        arguments.json.write_text(report.as_json(rows, facts) + "\n", encoding="utf-8")
    if arguments.write:
        report.write_readme(text)
    return _exit_code(rows, arguments)


def _names(arguments: argparse.Namespace) -> list[str]:
    """The jobs that were asked for, or all that can be run."""
    return arguments.only or [name for name in jobs.JOBS if arguments.before or name not in before.JOBS]


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Race truebleu against sacreBLEU and others.")
    parser.add_argument(
        "--quick", action="store_true", help="small samples, under a minute; --check then allows half a must"
    )
    parser.add_argument("--only", nargs="+", choices=list(jobs.JOBS), metavar="NAME", help=", ".join(jobs.JOBS))
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the results here")
    parser.add_argument("--check", action="store_true", help="exit 1 when a must is missed")
    parser.add_argument("--write", action="store_true", help="put the table into bench/README.md")
    parser.add_argument(
        "--before",
        type=Path,
        metavar="DIRECTORY",
        help="the folder with the package of an earlier build; adds its jobs",
    )
    arguments = parser.parse_args()
    if arguments.before and not (arguments.before / "truebleu").is_dir():
        parser.error(f"--before: {arguments.before} holds no package truebleu; give `python` of a built checkout")
    if arguments.before is None and (alone := [name for name in arguments.only or [] if name in before.JOBS]):
        parser.error(f"{alone[0]} is measured against an earlier build; name its folder by --before")
    return arguments


def _command(arguments: argparse.Namespace) -> str:
    """What to type for the same figures; where they were written does not matter."""
    size = ["--quick"] if arguments.quick else []
    only = ["--only", *arguments.only] if arguments.only else []
    other = ["--before", "DIRECTORY"] if arguments.before else []
    return " ".join(["python", "bench/run.py", *size, *only, *other])


def _document(rows: list[report.Row], facts: list[str]) -> str:
    parts = [report.markdown(rows), "\n".join(f"- {fact}" for fact in facts), report.notes(rows)]
    return "\n\n".join(part for part in parts if part)


def _exit_code(rows: list[report.Row], arguments: argparse.Namespace) -> int:
    """Wrong answers always fail; slow ones only when asked."""
    if any(row.differs for row in rows):
        return 1
    slack = QUICK_SLACK if arguments.quick else 1.0
    return int(arguments.check and not all(row.ok(slack) for row in rows))


if __name__ == "__main__":
    sys.exit(main())
