"""How often `reconcile` names what was changed, how often it explains what nobody did, and how long it takes.

Settings are changed on purpose, on WMT22: six directions, two systems each. The number that a setting gives is printed
with one or two decimals and looked for. Classes of equal scores count as one: no search can tell them apart.

    python bench/reconcile.py [--pairs N] [--targets N] [--directions NAME ...]
"""

from __future__ import annotations

import argparse
import gzip
import random
import resource
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from corpora import needed_wmt22
from truebleu.metrics import BLEU
from truebleu.reconciliation import reconcile
from truebleu.reconciliation.counts import SystemTexts
from truebleu.reconciliation.family import FAMILIES, Scorer, Setting, all_profiles
from truebleu.reconciliation.search import ALIKE, Search, ranked
from truebleu.reconciliation.targets import parse_target

DIRECTIONS = ("cs-en", "en-de", "en-ja", "en-zh", "liv-en", "uk-en")


class Direction(NamedTuple):
    """Two systems, scored with the same references."""

    name: str
    start: Setting
    scorers: list[Scorer]
    singles: list[Setting]  # every change of one axis that moves the score


class Tally:
    """How often the truth came first, and among the first three."""

    def __init__(self) -> None:
        self.cases = self.first = self.three = 0

    def __str__(self) -> str:
        cases = max(self.cases, 1)
        return f"{self.first / cases:.3f} first, {self.three / cases:.3f} among the first three (n = {self.cases})"


def lines(path: Path) -> list[str]:
    """Read a compressed file, one segment a line."""
    return gzip.open(path, "rt", encoding="utf-8", newline="\n").read().split("\n")[:-1]


def load(name: str) -> Direction:
    """Read a direction and find the changes that move its score."""
    folder = needed_wmt22()
    references = [lines(path) for path in sorted((folder / "references").glob(f"*.{name}.ref.*"))]
    systems = [lines(path) for path in sorted((folder / "system-outputs").glob(f"*.{name}.hyp.*"))[:2]]
    streams = {str(at): stream for at, stream in enumerate(references, 1)}
    scorers = [Scorer(SystemTexts(system, streams, tuple(streams), {})) for system in systems]
    start = Setting("bleu").having({"tokenizer": {"zh": "zh", "ja": "ja-mecab"}.get(name[3:], "13a")})
    for scorer, system in zip(scorers, systems, strict=True):
        metric = BLEU(tokenize=start["tokenizer"], force=True)
        assert metric.corpus_score(system, references).score == scorer.score(start)
    search = looking(scorers, start, ["99.9999"] * 2)
    search.run(2)
    singles = [setting for setting in search.tried if changes(start, setting) == 1]
    return Direction(name, start, scorers, [one for one in singles if moves(scorers, start, one)])


def changes(start: Setting, setting: Setting) -> int:
    """Count the axes on which a setting differs; 0 for what only a tool does."""
    axes = FAMILIES["bleu"].axes
    if setting.metric != "bleu" or any(setting[axis] in axes[axis].only_in_profiles for axis in axes):
        return 0
    return sum(start[axis] != setting[axis] for axis in axes)


def moves(scorers: Sequence[Scorer], start: Setting, setting: Setting, decimals: int = 1) -> bool:
    """Whether a setting prints another number than the start, for both systems."""
    pairs = [(scorer.score(start), scorer.score(setting)) for scorer in scorers]
    return all(new == new and f"{old:.{decimals}f}" != f"{new:.{decimals}f}" for old, new in pairs)


def looking(scorers: Sequence[Scorer], start: Setting, targets: Sequence[str]) -> Search:
    """Make a search; scorers remember what they have scored."""
    return Search(scorers, [parse_target(text)._replace(metric="bleu") for text in targets], start, all_profiles())


def pairs(direction: Direction, count: int) -> Iterator[Setting]:
    """Draw settings of two changes, each of which moves the number."""
    draw, made = random.Random(direction.name), 0
    for _ in range(20 * count):
        one, two = draw.sample(direction.singles, 2)
        (first,), (second,) = (
            [(axis, each[axis]) for axis in FAMILIES["bleu"].axes if each[axis] != direction.start[axis]]
            for each in (one, two)
        )
        axes = {first[0], second[0]}
        if len(axes) < 2 or ("aggregation" in axes and axes & {"smoothing", "order"}):
            continue
        if axes == {"references", "reference length"} or "shifted" in first[1] + second[1]:
            continue
        both = direction.start.having(dict((first, second)))
        if all(moves(direction.scorers, each, both) for each in (direction.start, one, two)):
            made += 1
            yield both
        if made == count:
            return


def try_to_name(direction: Direction, truth: Setting, decimals: int, systems: int, tally: Tally) -> None:
    """Print the number of a setting, look for it, and count whether the setting is named."""
    scorers = direction.scorers[:systems]
    scores = [scorer.score(truth) for scorer in scorers]
    search = looking(scorers, direction.start, [f"{score:.{decimals}f}" for score in scores])
    search.run(2)
    groups = ranked(search.hits, {})[:3]
    found = [all(abs(a - b) <= ALIKE for a, b in zip(group[0].scores, scores, strict=True)) for group in groups]
    tally.cases += 1
    tally.first += found[:1] == [True]
    tally.three += any(found)


def false_explanations(directions: Sequence[Direction], count: int, decimals: int, systems: int) -> dict[str, float]:
    """Look for numbers that no setting gave, and count what is claimed of them."""
    claims: dict[str, int] = {}
    draw = random.Random(decimals)
    for direction in directions:
        scorers = direction.scorers[:systems]
        for _ in range(count):
            near = [scorer.score(direction.start) + draw.uniform(-10, 10) for scorer in scorers]
            search = looking(scorers, direction.start, [f"{max(score, 0.5):.{decimals}f}" for score in near])
            search.run(3)
            claim = search.certainty(len(ranked(search.hits, {})))
            claims[claim] = claims.get(claim, 0) + 1
    total = sum(claims.values())
    return {claim: number / total for claim, number in sorted(claims.items())}


def timings() -> None:
    """Time 3,000 segments with two references, for a number that nothing gives."""
    folder = needed_wmt22()
    references = [lines(path) * 2 for path in sorted((folder / "references").glob("*.en-de.ref.*"))]
    systems = [lines(path) for path in sorted((folder / "system-outputs").glob("*.en-de.hyp.*"))[:2]]
    texts, streams = (systems[0] + systems[1])[:3000], [stream[:3000] for stream in references]
    for level in (2, 3):
        began, used = time.perf_counter(), time.process_time()
        found = reconcile(texts, streams, "99.9999", max_changes=level)
        seconds, processor = time.perf_counter() - began, time.process_time() - used
        assert not found.explained
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"levels 0 to {level}: {found.tested} settings in {seconds:.2f} s ({processor:.2f} s of processor), "
              f"{memory:.0f} MB")  # fmt: skip


def main() -> None:
    """Run everything and print it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--pairs", type=int, default=150, help="settings of two changes for each direction")
    parser.add_argument("--targets", type=int, default=50, help="numbers that no setting gave, for each direction")
    parser.add_argument("--directions", nargs="+", default=DIRECTIONS)
    args = parser.parse_args()
    timings()
    directions = [load(name) for name in args.directions]
    for decimals in (2, 1):
        for systems in (1, 2):
            one, two = Tally(), Tally()
            for direction in directions:
                for truth in direction.singles:
                    try_to_name(direction, truth, decimals, systems, one)
                for truth in pairs(direction, args.pairs):
                    try_to_name(direction, truth, decimals, systems, two)
            print(f"{decimals} decimals, {systems} systems, 1 change: {one}")
            print(f"{decimals} decimals, {systems} systems, 2 changes: {two}")
            found = false_explanations(directions, args.targets, decimals, systems)
            shares = ", ".join(f"{claim} {share:.3f}" for claim, share in found.items())
            print(f"{decimals} decimals, {systems} systems, numbers that no setting gave: {shares}", flush=True)


if __name__ == "__main__":
    main()
