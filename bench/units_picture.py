"""The picture of docs/explanation/units.md: what chance alone does to a difference, by segments and by documents.

python bench/units_picture.py    # writes docs/img/units.svg
"""

from __future__ import annotations

import sys
from itertools import combinations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from calibration import METRICS, SEED, Task, load, p_values, stats

PICTURE = Path(__file__).resolve().parents[1] / "docs" / "img" / "units.svg"
SHUFFLES = 4000
WIDTH, HEIGHT, LEFT, BARS = 640, 130, 20, 60
COLOURS = {"segments": "#d9741c", "documents": "#1f6fb4"}


def main() -> int:
    pairs = [task.pick(*two) for task in load() for two in combinations(range(task.systems), 2)]
    p_of = [{by: p_values(pair, "ar", by)["BLEU"] for by in (False, True)} for pair in pairs]
    turned = [at for at, each in enumerate(p_of) if each[False] <= 0.05 < each[True]]
    claimed = sum(each[False] <= 0.05 for each in p_of)
    print(f"{len(turned)} of {claimed} differences in {len(pairs)} pairs are significant by segments alone")
    # Of those, the one in the middle.
    turned.sort(key=lambda at: p_of[at][True])
    pair = pairs[turned[len(turned) // 2]]
    drawn = {unit: shuffled(pair, unit == "documents", SHUFFLES) for unit in COLOURS}
    one, other = pair.scores("BLEU")
    PICTURE.write_text(picture(drawn, other - one, len(pair.labels), pair.documents), "utf-8")
    return 0


def shuffled(pair: Task, by_document: bool, count: int) -> NDArray[np.float64]:
    """The differences in BLEU after the two systems have swapped a random half of their segments, or documents."""
    rng = np.random.default_rng(SEED)
    one, other = pair.rows["BLEU"]
    units = pair.documents if by_document else len(pair.labels)
    total, gap = one + other, other - one
    found = []
    for _ in range(count):
        swaps = rng.random(units) < 0.5
        signs = np.where(swaps[pair.labels] if by_document else swaps, -1.0, 1.0)
        moved = signs @ gap
        sides = [(total.sum(axis=0) + side * moved) / 2 for side in (1, -1)]
        ours, theirs = (METRICS["BLEU"].score(stats("BLEU", rows[None])).score for rows in sides)
        found.append(ours - theirs)
    return np.array(found)


def picture(drawn: dict[str, NDArray[np.float64]], delta: float, segments: int, documents: int) -> str:
    edge = 1.05 * max(float(np.abs(each).max()) for each in drawn.values())
    counted = {"segments": f"{segments:,} segments", "documents": f"{documents} documents"}

    def x(value: float) -> float:
        return LEFT + (value + edge) / (2 * edge) * (WIDTH - 2 * LEFT)

    height = 2 * HEIGHT + 50
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        'font-family="sans-serif" font-size="13">',
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
    ]
    for at, (unit, values) in enumerate(drawn.items()):
        floor = (at + 1) * HEIGHT
        heights, edges = np.histogram(values, bins=BARS, range=(-edge, edge))
        tallest = max(int(np.histogram(each, bins=BARS, range=(-edge, edge))[0].max()) for each in drawn.values())
        for count, low, high in zip(heights.tolist(), edges[:-1].tolist(), edges[1:].tolist(), strict=True):
            tall = count / tallest * (HEIGHT - 44)
            beyond = abs((low + high) / 2) >= abs(delta)
            parts.append(
                f'<rect x="{x(low):.1f}" y="{floor - tall:.1f}" width="{x(high) - x(low) - 1:.1f}" '
                f'height="{tall:.1f}" fill="{COLOURS[unit]}" opacity="{1 if beyond else 0.45}"/>'
            )
        share = 100 * float((np.abs(values) >= abs(delta)).mean())
        parts.append(
            f'<text x="{LEFT}" y="{floor - HEIGHT + 26}" fill="#222222">{counted[unit]} swapped at random: '
            f"{share:.1f} % of the shuffles</text>"
            f'<text x="{LEFT}" y="{floor - HEIGHT + 43}" fill="#222222">are as far from 0 as the real difference</text>'
        )
    foot = 2 * HEIGHT
    parts += [
        f'<line x1="{x(side * delta):.1f}" x2="{x(side * delta):.1f}" y1="52" y2="{foot}" stroke="#222222" '
        'stroke-dasharray="4 3"/>'
        for side in (1, -1)
    ]
    for value in (-abs(delta), 0.0, abs(delta)):
        shown = "0" if not value else f"{value:+.2f}"
        parts.append(f'<text x="{x(value):.1f}" y="{foot + 18}" fill="#222222" text-anchor="middle">{shown}</text>')
    parts.append(
        f'<text x="{LEFT}" y="{foot + 40}" fill="#222222">difference in BLEU; the dashed lines are the real one</text>'
    )
    return "\n".join([*parts, "</svg>"]) + "\n"


if __name__ == "__main__":
    sys.exit(main())
