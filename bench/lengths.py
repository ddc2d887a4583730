"""The cost of a character by the length of its segment, beside what nothing can be faster than.

python bench/lengths.py            print the table
python bench/lengths.py --write    put it into README.md, and the picture into lengths.svg

The same text is cut into segments of ten to ten thousand characters, in three scripts. Scores are compared with
sacreBLEU's before anything is timed. All figures are nanoseconds of CPU for each character of the hypothesis, one
thread, the best of five; each such character stands for one of the reference too. Two limits are beside them:
`str.split()` of both texts, and copying them from memory to memory (64 MB at a time, more than the caches hold).
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from functools import partial
from math import log10
from pathlib import Path
from typing import Any

import corpora
from long_segments import nanoseconds

LENGTHS = (10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000)
CHARACTERS = 400_000
MUCH = 1 << 26
SCRIPTS = {corpora.LATIN: " ", corpora.CYRILLIC: " ", corpora.CHINESE: ""}
README, PICTURE = Path(__file__).with_name("README.md"), Path(__file__).with_suffix(".svg")
BEGIN, END = "<!-- lengths:begin -->\n", "<!-- lengths:end -->\n"
SPLIT, COPY = "`str.split`", "copying"
COLOURS = ("#1f6fb4", "#d9741c", "#2a8a4a", "#777777", "#bbbbbb")
Costs = dict[str, list[float]]


def main() -> int:
    parser = argparse.ArgumentParser(description="Time segments of ten to ten thousand characters.")
    parser.add_argument("--write", action="store_true", help=f"write {README.name} and {PICTURE.name}")
    arguments = parser.parse_args()
    costs = {script: _costs(script, glue) for script, glue in SCRIPTS.items()}
    table = "\n".join(_table(script, found) for script, found in costs.items())
    print(table)
    if arguments.write:
        text = README.read_text(encoding="utf-8")
        README.write_text(text.split(BEGIN)[0] + BEGIN + table + END + text.split(END)[1], encoding="utf-8")
        PICTURE.write_text(_picture(costs), encoding="utf-8")
    return 0


def _costs(script: str, glue: str) -> Costs:
    """Nanoseconds a character, by job and length."""
    corpus = corpora.generate(script, lines=CHARACTERS // (300 if glue else 150), systems=5)
    whole = [glue.join(side)[:CHARACTERS] for side in (corpus.hypotheses, corpus.references)]
    bleu = {"tokenize": "zh"} if script == corpora.CHINESE else {}
    metrics: dict[str, tuple[str, dict[str, Any]]] = {
        "BLEU": ("BLEU", bleu),
        "chrF": ("CHRF", {}),
        "chrF++": ("CHRF", {"word_order": 2}),
    }
    costs: Costs = {name: [] for name in (*metrics, SPLIT, COPY)}
    copying = _best(partial(_copy, bytearray(b"x") * MUCH, bytearray(MUCH))) / MUCH
    for length in LENGTHS:
        sides = [[text[start : start + length] for start in range(0, len(text), length)] for text in whole]
        for name, (kind, options) in metrics.items():
            costs[name].append(nanoseconds(kind, options, *sides)[0])
        costs[SPLIT].append(_best(partial(_split, *sides)) / CHARACTERS)
        # Python has a byte for each Latin letter, and two for those of the other scripts; both texts are copied.
        costs[COPY].append(2 * (1 if script == corpora.LATIN else 2) * copying)
    return costs


def _split(*sides: list[str]) -> None:
    for texts in sides:
        for text in texts:
            text.split()


def _copy(source: bytearray, target: bytearray) -> None:
    target[:] = source


def _best(work: Callable[[], None]) -> float:
    """Nanoseconds of CPU, the best of five."""
    rounds = []
    for _ in range(5):
        started = time.process_time_ns()
        work()
        rounds.append(time.process_time_ns() - started)
    return float(min(rounds))


def _table(script: str, costs: Costs) -> str:
    lines = [f"| {script.capitalize()}: characters a segment | " + " | ".join(costs) + " |"]
    lines.append("|" + " ---: |" * (1 + len(costs)))
    for at, length in enumerate(LENGTHS):
        cells = [f"{each[at]:.1f}" if each[at] >= 1 else f"{each[at]:.2f}" for each in costs.values()]
        lines.append(f"| {length:,} | " + " | ".join(cells) + " |")
    return "\n".join([*lines, "", ""])


WIDTH, HEIGHT, MARGIN = 640, 260, 50
LOWEST, HIGHEST = 0.01, 1000.0


def _picture(costs: dict[str, Costs]) -> str:
    """A panel for each script; both axes are logarithmic."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {len(costs) * HEIGHT}" '
        'font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{len(costs) * HEIGHT}" fill="#ffffff"/>',
    ]
    for at, (script, found) in enumerate(costs.items()):
        parts += _panel(script, found, at * HEIGHT)
    return "\n".join([*parts, "</svg>"]) + "\n"


def _panel(script: str, costs: Costs, top: int) -> list[str]:
    def x(length: float) -> float:
        return MARGIN + log10(length / LENGTHS[0]) / log10(LENGTHS[-1] / LENGTHS[0]) * (WIDTH - 3 * MARGIN)

    def y(cost: float) -> float:
        return top + HEIGHT - 35 - log10(max(cost, LOWEST) / LOWEST) / log10(HIGHEST / LOWEST) * (HEIGHT - 60)

    title = f"{script.capitalize()}: nanoseconds a character, by characters a segment"
    parts = [f'<text x="{MARGIN}" y="{top + 16}" fill="#222222">{title}</text>']
    for cost in (0.01, 0.1, 1.0, 10.0, 100.0, 1000.0):
        parts.append(
            f'<line x1="{MARGIN}" x2="{WIDTH - 2 * MARGIN}" y1="{y(cost):.1f}" y2="{y(cost):.1f}" stroke="#eeeeee"/>'
            f'<text x="{MARGIN - 6}" y="{y(cost) + 4:.1f}" text-anchor="end" fill="#222222">{cost:g}</text>'
        )
    for length in (10, 100, 1_000, 10_000):
        parts.append(f'<text x="{x(length):.1f}" y="{top + HEIGHT - 16}" text-anchor="middle">{length:,}</text>')
    for at, (colour, (name, found)) in enumerate(zip(COLOURS, costs.items(), strict=True)):
        points = " ".join(f"{x(length):.1f},{y(cost):.1f}" for length, cost in zip(LENGTHS, found, strict=True))
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts.append(
            f'<text x="{WIDTH - 2 * MARGIN + 8}" y="{top + 40 + 18 * at}" fill="{colour}">{name.strip("`")}</text>'
        )
    return parts


if __name__ == "__main__":
    sys.exit(main())
