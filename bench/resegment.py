"""How fast texts are divided into the segments of a reference, and how often rightly.

python bench/resegment.py [--speed] [--quality] [--size] [--growth] [--spm] [--exact] [--systems N] [--pairs PAIR ...]
                          [--check]

`--speed` joins the output of a system into one text and gives it to mweralign and to truebleu, one thread each, in one
run; answers are asserted first: `mwer` must give mweralign's lines. `--spm` adds mweralign's default, which needs its
model on disk. `--quality` joins every WMT22 system, divides it again and says how many boundaries are where they were,
and what the difference does to BLEU; it also asserts that no text costs more than its true segmentation. `--exact`
asserts for every WMT22 system that the usual window costs what the full width costs, which takes long. `--size` divides
texts of 2,037, 10,185 and 20,370 segments, each in a process of its own, and shows time and peak memory. `--growth`
counts the instructions of 1,000 and of 10,000 segments with callgrind, which takes some minutes. Without a flag, all
but `--growth`, `--spm` and `--exact`. `--check` exits 1 if a bar is missed.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

import numpy as np

import instructions
from corpora import needed_wmt22, read
from truebleu.metrics import BLEU, CHRF
from truebleu.resegmentation import resegment

PAIRS = {"en-de": "A", "cs-en": "B", "liv-en": "A", "uk-en": "A", "en-zh": "A", "en-ja": "A"}
SPACELESS = ("zh", "ja")
SAMPLES = {"en-de": "Online-W", "cs-en": "Online-B", "liv-en": "TartuNLP", "uk-en": "ARC-NKUA", "en-zh": "LanguageX"}
# The least share of right boundaries: the mean of a pair, its worst system, and the mean where line breaks are kept;
# and the most that BLEU may move.
BARS = {"zh": (96.5, 0.0, 99.0, 0.1), "ja": (95.5, 0.0, 98.0, 0.2)}
SPACED = (99.0, 98.5, 99.5, 0.02)
# How many times as long mweralign takes at the least, without and with its default tokens (en-de).
TIMES, TIMES_SPM = 20, 100
# Of 10,185 segments: megabytes at most.
MEGABYTES = 250
# How many times the instructions of 1,000 segments 10,000 may take.
GROWTH = 12

_MWERALIGN = """
import json, resource, sys, time
import mweralign
reference, hypothesis = json.load(sys.stdin)
before = time.process_time()
found = mweralign.align_texts(reference, hypothesis)
print(json.dumps([found, time.process_time() - before, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]))
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for flag in ("speed", "quality", "size", "growth", "spm", "exact", "check"):
        parser.add_argument(f"--{flag}", action="store_true")
    parser.add_argument("--systems", type=int, default=99, metavar="N", help="systems of each pair")
    parser.add_argument("--pairs", nargs="+", choices=PAIRS, default=[*PAIRS], metavar="PAIR", help="for --quality")
    parser.add_argument("--one", type=int, metavar="TIMES", help=argparse.SUPPRESS)
    parser.add_argument("--first", nargs=3, metavar=("METHOD", "SEGMENTS", "TIMES"), help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.one:
        one_size(args.one)
        return 0
    if args.first:
        first_segments(args.first[0], *map(int, args.first[1:]))
        return 0
    every = not (args.speed or args.quality or args.size or args.exact or args.growth)
    missed = []
    if args.speed or every:
        missed += speed(args.spm)
    if args.quality or every:
        missed += quality(args.systems, args.pairs)
    if args.size or every:
        missed += sizes()
    if args.growth:
        missed += growth()
    if args.exact:
        exact_costs(args.systems)
    for bar in missed:
        print(f"MISSED: {bar}")
    return int(args.check and bool(missed))


def texts(pair: str, system: str) -> tuple[list[str], list[str]]:
    target, base = pair[-2:], f"generaltest2022.{pair}"
    hypothesis = read(needed_wmt22() / "system-outputs" / f"{base}.hyp.{system}.{target}.gz")
    return hypothesis, read(needed_wmt22() / "references" / f"{base}.ref.{PAIRS[pair]}.{target}.gz")


def systems(pair: str) -> list[str]:
    found = sorted((needed_wmt22() / "system-outputs").glob(f"generaltest2022.{pair}.hyp.*"))
    return [path.name.split(".hyp.")[1].rsplit(".", 2)[0] for path in found]


def joined(pair: str, segments: list[str]) -> str:
    return ("" if pair[-2:] in SPACELESS else " ").join(segments)


def timed(text: str, reference: list[str], method: str) -> float:
    before = time.process_time()
    resegment(text, [reference], method=method, threads=1)
    return time.process_time() - before


def speed(with_spm: bool) -> list[str]:
    """Time, boundaries and BLEU of each tool; mweralign gets characters of zh apart, as it does with `-m cj`."""
    missed = []
    print("| text | tool | CPU s | times cue | boundaries exact, % | BLEU moves by |\n|---|---|---|---|---|---|")
    for pair, system in SAMPLES.items():
        segments, reference = texts(pair, system)
        reference = [line.replace("\t", " ") for line in reference]  # which mweralign takes for a separator
        text = joined(pair, segments)
        words, seconds, _ = mweralign([apart(pair, line) for line in reference], apart(pair, text))
        theirs = [line.split() for line in words[: len(reference)]]
        ours = resegment(apart(pair, text), [[apart(pair, line) for line in reference]], method="mwer").segments
        assert [line.split() for line in ours] == theirs, pair
        cue = timed(text, reference, "cue")
        rows = [("mweralign", seconds, slices(text, [len("".join(line)) for line in theirs]))]
        if with_spm and pair == "en-de":
            rows.append(("mweralign spm32k", *spm(reference, text)))
            missed += [f"{rows[1][1] / cue:.0f} times, expected {TIMES_SPM}"] * (rows[1][1] < TIMES_SPM * cue)
        if pair == "en-de" and seconds < TIMES * cue:
            missed.append(f"{seconds / cue:.1f} times mweralign, expected {TIMES}")
        for method in ("mwer", "cue") if pair[-2:] not in SPACELESS else ("cue",):
            found = resegment(text, [reference], method=method, threads=1).segments
            rows.append((f"truebleu {method}", timed(text, reference, method), found))
        for tool, seconds, found in rows:
            right, moved = exact(segments, found), bleu_moves(pair, segments, found, reference)
            name = f"{pair} {system} ({len(reference)})"
            cells = (name, tool, f"{seconds:.2f}", f"{seconds / cue:.1f}", f"{right:.2f}", f"{moved:+.3f}")
            print(f"| {' | '.join(cells)} |", flush=True)
    return missed


def apart(pair: str, text: str) -> str:
    """A text with characters beyond Latin-1 apart, where mweralign would be told `-m cj`."""
    return re.sub(r"([^\x00-\xff])", r" \1 ", text) if pair[-2:] in SPACELESS else text


def slices(text: str, letters: list[int]) -> list[str]:
    """A text in parts of so many characters that are no white space."""
    ends = [at + 1 for at, character in enumerate(text) if not character.isspace()]
    bounds = [0, *(ends[total - 1] if total else 0 for total in np.cumsum(letters))]
    return [text[start:end].strip() for start, end in pairwise(bounds)]


def bleu_moves(pair: str, segments: list[str], found: list[str], reference: list[str]) -> float:
    bleu = BLEU(tokenize={"zh": "zh", "ja": "char"}.get(pair[-2:], "13a"))
    before, after = (bleu.corpus_score(lines, [reference]).score for lines in (segments, found))
    return after - before


def mweralign(reference: list[str], text: str) -> tuple[list[str], float, float]:
    given = json.dumps(["\n".join(reference), text])
    done = subprocess.run([sys.executable, "-c", _MWERALIGN], input=given, capture_output=True, text=True, check=True)
    found, seconds, memory = json.loads(done.stdout)
    return found.split("\n"), seconds, memory


def spm(reference: list[str], text: str) -> tuple[float, list[str]]:
    """The CPU time and the lines of mweralign's command as it is without options."""
    import tempfile

    with tempfile.TemporaryDirectory() as work:
        paths = Path(work, "ref"), Path(work, "hyp")
        for path, content in zip(paths, ("\n".join(reference), text), strict=True):
            path.write_text(content + "\n", "utf-8")
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        command = [
            sys.executable,
            "-m",
            "mweralign.mweralign",
            "-r",
            str(paths[0]),
            "-t",
            str(paths[1]),
            "-o",
            f"{work}/o",
        ]
        subprocess.run(command, check=True, capture_output=True)
        seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        return seconds, Path(f"{work}/o").read_text("utf-8").split("\n")[: len(reference)]


def exact(segments: list[str], found: list[str]) -> float:
    ends = [np.cumsum([len("".join(text.split())) for text in one])[:-1] for one in (segments, found)]
    return float(100 * (ends[0] == ends[1]).mean())


def quality(most: int, pairs: list[str]) -> list[str]:
    columns = ("pair", "systems", "boundaries exact, %", "worst system", "with breaks", "BLEU", "chrF")
    print(f"| {' | '.join(columns)} |")
    print("|---|---|---|---|---|---|---|")
    missed = []
    for pair in pairs:
        rows = [_quality_of(pair, system) for system in systems(pair)[:most]]
        rate, breaks, bleu, chrf = (np.array(column) for column in zip(*rows, strict=True))
        least, lowest, with_breaks, drop = BARS.get(pair[-2:], SPACED)
        print(
            f"| {pair} | {len(rows)} | {rate.mean():.2f} | {rate.min():.2f} | {breaks.mean():.2f} "
            f"| {bleu[abs(bleu).argmax()]:+.3f} | {chrf[abs(chrf).argmax()]:+.3f} |",
            flush=True,
        )
        bars = {"mean": rate.mean() < least, "worst system": rate.min() < lowest, "breaks": breaks.mean() < with_breaks}
        missed += [f"{pair}: {name}" for name, bad in {**bars, "BLEU": abs(bleu).max() > drop}.items() if bad]
    return missed


def _quality_of(pair: str, system: str) -> tuple[float, float, float, float]:
    segments, reference = texts(pair, system)
    result = resegment(joined(pair, segments), [reference])
    true = resegment(segments, [reference], breaks="keep")
    assert result.cost <= true.cost, (pair, system, result.cost, true.cost)
    bleu = bleu_moves(pair, segments, result.segments, reference)
    scores = [CHRF().corpus_score(lines, [reference]).score for lines in (segments, result.segments)]
    with_breaks = exact(segments, resegment(segments, [reference]).segments)
    return exact(segments, result.segments), with_breaks, bleu, scores[1] - scores[0]


def exact_costs(most: int) -> None:
    """Assert that the window changes nothing."""
    for pair in PAIRS:
        for system in systems(pair)[:most]:
            segments, reference = texts(pair, system)
            text = joined(pair, segments)
            costs = [resegment(text, [reference], window=window).cost for window in (200, None)]
            assert costs[0] == costs[1], (pair, system, costs)
            print(f"{pair} {system}: {costs[0]} with and without a window", flush=True)


def sizes() -> list[str]:
    """Times and memory of one text, and of the same five and ten times."""
    command, peaks = [sys.executable, __file__, "--one"], []
    for times in (1, 5, 10):
        done = subprocess.run([*command, str(times)], check=True, stdout=subprocess.PIPE, text=True)
        print(done.stdout, end="", flush=True)
        peaks.append(float(done.stdout.split(" MB")[0].split()[-1]))
    too_large = [f"{peaks[1]:.0f} MB for 10,185 segments, expected {MEGABYTES}"] * (peaks[1] >= MEGABYTES)
    faster = [f"memory grows faster than the text: {peaks}"] * (peaks[2] > 10 * peaks[0])
    return too_large + faster


def one_size(times: int) -> None:
    segments, reference = (times * part for part in texts("en-de", "Online-W"))
    text, before, wall = " ".join(segments), time.process_time(), time.perf_counter()
    found = resegment(text, [reference]).segments
    seconds, wall = time.process_time() - before, time.perf_counter() - wall
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    rate = exact(segments, found)
    print(
        f"{len(reference)} segments: {seconds:.1f} CPU s, {wall:.1f} s wall, {peak:.0f} MB at most, {rate:.2f} % exact"
    )


def growth() -> list[str]:
    """The instructions of 1,000 and of 10,000 segments as one text, without those to start and to read the text."""
    missed = []
    print("| method | 1,000 segments | 10,000 segments | times |\n|---|---|---|---|")
    for method in ("cue", "mwer"):
        few, many = (_instructions(method, segments) for segments in (1000, 10_000))
        print(f"| {method} | {few / 1e9:.2f}·10⁹ | {many / 1e9:.2f}·10⁹ | {many / few:.1f} |", flush=True)
        missed += [f"{method}: {many / few:.1f} times the instructions, expected {GROWTH}"] * (many > GROWTH * few)
    return missed


def _instructions(method: str, segments: int) -> int:
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    counts = [
        instructions.counted([__file__, "--first", method, str(segments), times], environment) for times in ("0", "1")
    ]
    return counts[1] - counts[0]


def first_segments(method: str, count: int, times: int) -> None:
    """Divide the first segments of a system that is repeated as often as it takes."""
    segments, reference = (10 * part for part in texts("en-de", "Online-W"))
    for _ in range(times):
        found = resegment(" ".join(segments[:count]), [reference[:count]], method=method, threads=1)
        assert exact(segments[:count], found.segments) > (99 if method == "cue" else 80)


if __name__ == "__main__":
    sys.exit(main())
