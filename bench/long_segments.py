"""The cost of a character in segments of a hundred to a million characters, beside sacreBLEU.

python bench/long_segments.py              print the table
python bench/long_segments.py --write      put it into README.md
python bench/long_segments.py --characters N   how many characters are scored for each row (default 1,000,000)

The same text is cut into longer and longer segments. Scores are compared with `==` before anything is timed; times are
CPU time, one thread, the best of three.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

import sacrebleu

import corpora
import truebleu

LENGTHS = (112, 1_000, 5_000, 10_000, 30_000, 100_000, 300_000, 1_000_000)
METRICS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("chrF", "CHRF", {}),
    ("chrF++", "CHRF", {"word_order": 2}),
    ("BLEU", "BLEU", {}),
)
README = Path(__file__).with_name("README.md")
BEGIN, END = "<!-- long:begin -->\n", "<!-- long:end -->\n"


def main() -> int:
    parser = argparse.ArgumentParser(description="Time segments of different lengths.")
    parser.add_argument("--characters", type=int, default=1_000_000, help="characters scored for each row")
    parser.add_argument("--write", action="store_true", help="put the table into README.md")
    arguments = parser.parse_args()
    table = "".join(f"{line}\n" for line in _lines(arguments.characters))
    print(table, end="")
    if arguments.write:
        text = README.read_text(encoding="utf-8")
        before, after = text.split(BEGIN)[0], text.split(END)[1]
        README.write_text(f"{before}{BEGIN}{table}{END}{after}", encoding="utf-8")
    return 0


def _lines(characters: int) -> list[str]:
    corpus = corpora.generate(corpora.LATIN, lines=characters // 300, systems=5)
    texts = [" ".join(side)[:characters] for side in (corpus.hypotheses, corpus.references)]
    names = " | ".join(f"{name} | sacreBLEU's" for name, _, _ in METRICS)
    lines = [f"| characters a segment | {names} |", "|" + " ---: |" * (1 + 2 * len(METRICS))]
    for length in LENGTHS:
        cut = [[text[start : start + length] for start in range(0, len(text), length)] for text in texts]
        cells = [cell for _, kind, options in METRICS for cell in _nanoseconds(kind, options, *cut)]
        lines.append(f"| {length:,} | " + " | ".join(f"{cell:,.0f}" for cell in cells) + " |")
        print(lines[-1], file=sys.stderr)
    return lines


def _nanoseconds(kind: str, options: dict[str, Any], hypotheses: list[str], references: list[str]) -> list[float]:
    """Nanoseconds a character of ours and of sacreBLEU's, when both have given the same score."""
    sides = [getattr(package, kind)(**options) for package in (truebleu, sacrebleu)]
    scores, times = [], []
    for side, rounds in zip(sides, (3, 1), strict=True):
        best = float("inf")
        for _ in range(rounds):
            started = time.process_time()
            score = side.corpus_score(hypotheses, [references]).score
            best = min(best, time.process_time() - started)
        scores.append(score)
        times.append(1e9 * best / sum(map(len, hypotheses)))
    if scores[0] != scores[1]:
        raise SystemExit(f"{kind} {options}: {scores[0]!r} against sacreBLEU's {scores[1]!r}")
    return times


if __name__ == "__main__":
    sys.exit(main())
