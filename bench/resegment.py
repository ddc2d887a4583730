"""How fast texts are divided into the segments of a reference, and how often rightly.

python bench/resegment.py [--speed] [--quality] [--size] [--spm] [--systems N]

`--speed` joins the output of a system into one text and gives it to mweralign and to truebleu, one thread each, in one
run; answers are asserted first: `mwer` must give mweralign's lines. `--spm` adds mweralign's default, which needs its
model on disk. `--quality` joins every WMT22 system, divides it again and says how many boundaries are where they were,
and what the difference does to BLEU; it also asserts that no text costs more than its true segmentation. `--size`
divides texts of 2,037, 10,185 and 20,370 segments, each in a process of its own, and shows time and peak memory.
Without a flag, all but `--spm`.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from corpora import data_folder, read
from truebleu.metrics import BLEU, CHRF
from truebleu.resegmentation import resegment

PAIRS = {"en-de": "A", "cs-en": "B", "liv-en": "A", "uk-en": "A", "en-zh": "A", "en-ja": "A"}
SPACELESS = ("zh", "ja")
SAMPLES = {"en-de": "Online-W", "cs-en": "Online-B", "liv-en": "TartuNLP"}
# The least share of right boundaries: the mean of a pair, and its worst system; the most that BLEU may move.
BARS = {"zh": (96.5, 0.0, 0.1), "ja": (95.5, 0.0, 0.2)}
SPACED = (99.0, 98.5, 0.02)

_MWERALIGN = """
import json, resource, sys, time
import mweralign
reference, hypothesis = json.load(sys.stdin)
before = time.process_time()
found = mweralign.align_texts(reference, hypothesis)
print(json.dumps([found, time.process_time() - before, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for flag in ("speed", "quality", "size", "spm"):
        parser.add_argument(f"--{flag}", action="store_true")
    parser.add_argument("--systems", type=int, default=99, metavar="N", help="systems of each pair")
    parser.add_argument("--one", type=int, metavar="TIMES", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.one:
        one_size(args.one)
        return
    every = not (args.speed or args.quality or args.size)
    if args.speed or every:
        speed(args.spm)
    if args.quality or every:
        quality(args.systems)
    if args.size or every:
        for times in (1, 5, 10):
            subprocess.run([sys.executable, __file__, "--one", str(times)], check=True)


def folder() -> Path:
    found = data_folder()
    if found is None:
        raise SystemExit("there are no texts: set TRUEBLEU_TEST_DATA")
    return Path(found) / "wmt22"


def texts(pair: str, system: str) -> tuple[list[str], list[str]]:
    target, base = pair[-2:], f"generaltest2022.{pair}"
    hypothesis = read(folder() / "system-outputs" / f"{base}.hyp.{system}.{target}.gz")
    return hypothesis, read(folder() / "references" / f"{base}.ref.{PAIRS[pair]}.{target}.gz")


def systems(pair: str) -> list[str]:
    found = sorted((folder() / "system-outputs").glob(f"generaltest2022.{pair}.hyp.*"))
    return [path.name.split(".hyp.")[1].rsplit(".", 2)[0] for path in found]


def joined(pair: str, segments: list[str]) -> str:
    return ("" if pair[-2:] in SPACELESS else " ").join(segments)


def timed(text: str, reference: list[str], method: str) -> float:
    before = time.process_time()
    resegment(text, [reference], method=method, threads=1)
    return time.process_time() - before


def speed(with_spm: bool) -> None:
    print("| text | tool | CPU s | times truebleu's cue |\n|---|---|---|---|")
    for pair, system in SAMPLES.items():
        segments, reference = texts(pair, system)
        text = joined(pair, segments)
        words, theirs, _ = mweralign(reference, text)
        ours = resegment(text, [reference], method="mwer", threads=1).segments
        assert [line.split() for line in ours] == [line.split() for line in words[: len(reference)]], pair
        cue, mwer = (timed(text, reference, method) for method in ("cue", "mwer"))
        rows = [("mweralign none", theirs), ("truebleu mwer", mwer), ("truebleu cue", cue)]
        if with_spm and pair == "en-de":
            rows.insert(1, ("mweralign spm32k", spm(reference, text)))
        for tool, seconds in rows:
            print(f"| {pair} {system} ({len(reference)}) | {tool} | {seconds:.2f} | {seconds / cue:.1f} |", flush=True)


def mweralign(reference: list[str], text: str) -> tuple[list[str], float, float]:
    given = json.dumps(["\n".join(reference), text])
    done = subprocess.run([sys.executable, "-c", _MWERALIGN], input=given, capture_output=True, text=True, check=True)
    found, seconds, memory = json.loads(done.stdout)
    return found.split("\n"), seconds, memory


def spm(reference: list[str], text: str) -> float:
    """The CPU time of mweralign's command as it is without options."""
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
        return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def exact(segments: list[str], found: list[str]) -> float:
    ends = [np.cumsum([len("".join(text.split())) for text in one])[:-1] for one in (segments, found)]
    return float(100 * (ends[0] == ends[1]).mean())


def quality(most: int) -> None:
    columns = ("pair", "systems", "boundaries exact, %", "worst system", "with breaks", "BLEU", "chrF", "too dear")
    print(f"| {' | '.join(columns)} |")
    print("|---|---|---|---|---|---|---|---|")
    for pair in PAIRS:
        rows = [_quality_of(pair, system) for system in systems(pair)[:most]]
        rate, breaks, bleu, chrf, dearer = (np.array(column) for column in zip(*rows, strict=True))
        least, lowest, drop = BARS.get(pair[-2:], SPACED)
        missed = rate.mean() < least or rate.min() < lowest or abs(bleu).max() > drop
        print(
            f"| {pair} | {len(rows)} | {rate.mean():.2f} | {rate.min():.2f} | {breaks.mean():.2f} "
            f"| {bleu[abs(bleu).argmax()]:+.3f} | {chrf[abs(chrf).argmax()]:+.3f} | {int(dearer.sum())} |"
            f"{' MISSED' if missed else ''}",
            flush=True,
        )


def _quality_of(pair: str, system: str) -> tuple[float, float, float, float, bool]:
    segments, reference = texts(pair, system)
    result = resegment(joined(pair, segments), [reference])
    true = resegment(segments, [reference], breaks="keep")
    tokenizer = {"zh": "zh", "ja": "char"}.get(pair[-2:], "13a")
    moved = [
        metric.corpus_score(result.segments, [reference]).score - metric.corpus_score(segments, [reference]).score
        for metric in (BLEU(tokenize=tokenizer), CHRF())
    ]
    with_breaks = exact(segments, resegment(segments, [reference]).segments)
    return exact(segments, result.segments), with_breaks, moved[0], moved[1], result.cost > true.cost


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


if __name__ == "__main__":
    main()
