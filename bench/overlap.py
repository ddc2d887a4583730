"""How fast training text is read for overlap, in what memory, and whether planted copies are found.

`python bench/overlap.py` takes WMT22 from where `tools/real_texts.py` looks, and gives megabytes per second of CPU,
with the text in memory. Answers are asserted before a rate is reported: one block and many, one thread and two. Bars
that are missed end the program; `--slack 2` halves them, for a machine that is busy. The rule of lm-evaluation-harness
runs on the same text where that package is installed (`pip install --no-deps lm-eval`); its flags must be the same.
`--threads` adds two threads against one, by the clock, for a quiet machine. `--stream 10` reads that many gigabytes,
which are generated on the way with copies planted in them, and says how much memory that took.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import random
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "tests")]

import real_texts  # noqa: E402
import truebleu  # noqa: E402
from oracle import overlap as slow  # type: ignore[import-not-found] # noqa: E402
from truebleu import _core  # noqa: E402
from truebleu.contamination.readings import as_lm_eval, folded  # noqa: E402

# Language: the pair, the side that is test set, and the bar in megabytes per second.
BARS = {
    "en": ("cs-en", 200), "de": ("en-de", 100), "cs": ("cs-en", 100), "uk": ("uk-en", 60), "zh": ("en-zh", 50),
    "ja": ("en-ja", 50),
}  # fmt: skip
JSON_BAR, ZST_BAR, JANITOR_BAR, THREADS_BAR = 120, 0.8, 50, 1.7
SIZE, BLOCK = 40_000_000, 1 << 22


def scan_of(texts: list[str], threads: int = 1, lm_eval: bool = False) -> _core.OverlapScan:
    reading = as_lm_eval() if lm_eval else folded()
    words, letters = ((13, 13), (13, 13)) if lm_eval else ((8, 5), (13, 8))
    sides = [(at, 1) for at in range(len(texts))]
    return _core.OverlapScan(
        reading.cells, reading.pool, beyond=reading.beyond, alone=reading.alone, texts=texts, sides=sides, words=words,
        characters=letters, replace=False, threads=threads,
    )  # fmt: skip


def scanned(scan: _core.OverlapScan, text: bytes, block: int = BLOCK) -> tuple[object, ...]:
    for at in range(0, len(text), block):
        assert scan.feed(text[at : at + block], "lines") is None
    assert scan.end_file() is None
    return *scan.matches(2**31), scan.read()


def lines(path: Path) -> list[str]:
    return [line for line in truebleu.read_lines(path) if line]


def corpora() -> dict[str, tuple[list[str], bytes]]:
    """By language a test set, and text of other segments in this language."""
    folder, found = real_texts.needed_wmt22(), {}
    for language, (pair, _) in BARS.items():
        if language in pair[3:]:
            test = lines(sorted((folder / "references").glob(f"*.{pair}.ref.*.{language}.gz"))[0])
            other = "uk-en" if pair == "cs-en" else pair
            outputs = sorted((folder / "system-outputs").glob(f"*.{other}.*.{language}.gz"))
            train = [one for path in outputs for one in lines(path)]
        else:
            whole = lines(folder / "sources" / f"generaltest2022.{pair}.src.{language}.gz")
            test, train = whole[::2], whole[1::2]
        random.Random(1).shuffle(train)
        text = ("\n".join(train) + "\n").encode()
        found[language] = test, text * (1 + SIZE // len(text))
    return found


def rates(found: dict[str, tuple[list[str], bytes]], slack: float) -> Iterator[str]:
    yield "Megabytes per second of CPU, one thread, text in memory"
    for language, (test, text) in found.items():
        few = text[: text.index(b"\n", 3_000_000)]
        assert scanned(scan_of(test), few) == scanned(scan_of(test, 2), few) == scanned(scan_of(test), few, 65_537)
        best, bar = 9e9, BARS[language][1]
        for _ in range(5):
            scan, start = scan_of(test), time.process_time()
            scanned(scan, text)
            best = min(best, time.process_time() - start)
        rate = len(text) / best / 1e6
        assert rate >= bar / slack, f"{language}: {rate:.0f} MB/s, expected {bar}"
        yield f"  {language}: {rate:.0f} (bar {bar})"


def files(test: list[str], text: bytes, slack: float) -> Iterator[str]:
    """JSON lines, and Zstandard against its decompression alone."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "train.jsonl")
        lines = text.decode().split("\n")
        documents = [" ".join(lines[at : at + 20]) for at in range(0, len(lines), 20)]
        rows = [json.dumps({"id": at, "text": one}, ensure_ascii=False) for at, one in enumerate(documents)]
        path.write_text("\n".join(rows), "utf-8")
        rate = path.stat().st_size / cpu(test, path) / 1e6
        assert rate >= JSON_BAR / slack, f"JSON lines: {rate:.0f} MB/s, expected {JSON_BAR}"
        yield f"  JSON lines, from a file: {rate:.0f} (bar {JSON_BAR})"
        try:
            import zstandard
        except ImportError:
            return
        plain, packed = Path(folder, "train.txt"), Path(folder, "train.txt.zst")
        plain.write_bytes(text)
        packed.write_bytes(zstandard.compress(text))
        rate = cpu(test, plain) / cpu(test, packed)
        assert rate >= ZST_BAR / slack, f"Zstandard: {rate:.2f} of the rate of plain text, expected {ZST_BAR}"
        yield f"  Zstandard: {rate:.2f} of the rate of the same text as it is (bar {ZST_BAR})"


def cpu(test: list[str], path: Path) -> float:
    best = 9e9
    for _ in range(3):
        start = time.process_time()
        truebleu.overlap(references=[test], train=path, threads=1)
        best = min(best, time.process_time() - start)
    return best


def janitor() -> ModuleType | None:
    """The harness's module for itself: the package wants much that is not needed for it."""
    place = importlib.util.find_spec("lm_eval")
    if place is None or not place.submodule_search_locations:
        return None
    path = Path(next(iter(place.submodule_search_locations)), "decontamination", "janitor.py")
    spec = importlib.util.spec_from_file_location("janitor", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def against_janitor(test: list[str], text: bytes, slack: float) -> Iterator[str]:
    module = janitor()
    if module is None:
        yield "  lm-eval is not installed: no row of its own"
        return
    own = module.Janitor(ngram_n=13)
    lines = [*text[:2_000_000].decode(errors="ignore").split("\n"), *(f"so {line} then" for line in test[::7])]
    # Documents of twenty lines, without free-standing marks, which the harness treats in two ways.
    lines = [" ".join(word for word in line.split() if any(map(str.isalnum, word))) for line in lines]
    planted = [" ".join(lines[at : at + 20]) for at in range(0, len(lines), 20)]
    grams = [{*module.word_ngrams(own.normalize_string(line), 13)} for line in test]
    known, found, start = set().union(*grams), set[str](), time.process_time()
    for line in planted:
        for ngram, _ in module.word_ngrams_indices(line, 13):
            clean = own.normalize_string(ngram)
            if clean in known:
                found.add(clean)
    theirs = time.process_time() - start
    block, best = "\n".join(planted).encode(), 9e9
    for _ in range(5):
        scan, start = scan_of(test, lm_eval=True), time.process_time()
        rows, of_given, _, _ = scanned(scan, block)
        best = min(best, time.process_time() - start)
    flags = [rows[at][6][0] > 0 for at in of_given]  # type: ignore[index,attr-defined]
    assert flags == [not found.isdisjoint(one) for one in grams], "flags differ from the harness's"
    rate = len(block) / theirs / 1e6
    assert theirs / best >= JANITOR_BAR / slack, f"{theirs / best:.0f}×, expected {JANITOR_BAR}×"
    ours = f"{len(block) / best / 1e6:.0f} ({theirs / best:.0f}×)"
    yield f"  lm-eval's janitor: {rate:.1f}; ours on the same text, with the same flags: {ours}"


def two_threads(test: list[str], text: bytes, slack: float) -> Iterator[str]:
    seconds = {1: 9e9, 2: 9e9}
    for _ in range(5):
        for threads in seconds:
            scan, start = scan_of(test, threads), time.perf_counter()
            scanned(scan, text)
            seconds[threads] = min(seconds[threads], time.perf_counter() - start)
    ratio = seconds[1] / seconds[2]
    assert ratio >= THREADS_BAR / slack, f"two threads: {ratio:.2f}, expected {THREADS_BAR}"
    yield f"two threads against one: {ratio:.2f} (bar {THREADS_BAR})"


def recall(test: list[str], text: bytes) -> Iterator[str]:
    """Copies in other text: changed in one way each, and how many segments are found."""
    draw = random.Random(3)

    def word_changed(line: str) -> str:
        words = line.split()
        words[draw.randrange(len(words))] = "zyzzyva"
        return " ".join(words)

    def punctuated(line: str) -> str:
        changed = line.replace("'", "\u2019").replace(",", " \u2013").replace(".", "\u2026").replace('"', "\u00bb")
        return changed

    ways: dict[str, tuple[Callable[[str], str], float]] = {
        "exact": (str, 1.0),
        "upper case": (str.upper, 1.0),
        "spaces": (lambda line: line.replace(" ", " \u00a0 "), 1.0),
        "lines": (lambda line: line.replace(" ", "\n"), 1.0),
        "punctuation": (punctuated, 0.99),
        "one word": (word_changed, 0.8),
    }
    test = [line for line in dict.fromkeys(test) if len(slow.units(line)) >= 5]
    others = text[: 200_000_000 if len(text) > 200_000_000 else len(text)].replace(b"\n", b"\n\n")
    yield f"Planted copies among {len(others) / 1e6:.0f} MB of other text, {len(test)} segments"
    for name, (change, bar) in ways.items():
        # Every copy is a paragraph of its own, and knows its place.
        scan = scan_of(test if name != "one word" else [line for line in test if len(slow.units(line)) >= 8])
        asked = test if name != "one word" else [line for line in test if len(slow.units(line)) >= 8]
        assert scan.feed(others, "blank") is None
        before = others.count(b"\n\n")
        changed = [f"say: {change(line)} !" for line in asked]
        assert scan.feed("\n\n".join(changed).encode(), "blank") is None
        assert scan.end_file() is None
        rows, of_given, _ = scan.matches(2**31)
        hits = [rows[at][6][0] > 0 for at in of_given]
        share = sum(hits) / len(asked)
        assert share >= bar, f"{name}: {share:.3f}, expected {bar}"
        own = []
        for number, (at, line) in enumerate(zip(of_given, asked, strict=True), 1):
            words = slow.units(line)
            n = min(8, len(words))
            is_whole = not set(slow.grams(words, n)).isdisjoint(slow.grams(slow.units(changed[number - 1]), n))
            is_there = any(place[1] == before + number for place in rows[at][8]) or rows[at][7] > 3
            own.append(is_there or not is_whole)
        assert all(own), f"{name}: {own.count(False)} places are wrong"
        yield f"  {name}: {100 * share:.1f} % (bar {100 * bar:.0f} %), places right"


def stream(gigabytes: float, test: list[str], text: bytes) -> Iterator[str]:
    """Text that is generated on the way, with a copy of a segment in each hundredth block."""
    scan, size, planted, blocks = scan_of(test, 2), 0, set[int](), 0
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    draw, start = random.Random(2), time.process_time()
    while size < gigabytes * 1e9:
        block = text[(at := draw.randrange(len(text) - BLOCK)) : at + BLOCK]
        block = block[block.index(b"\n") + 1 :]
        block = block[: block.rindex(b"\n") + 1]
        if blocks % 100 == 0:
            number = draw.randrange(len(test))
            planted.add(number)
            block += f"as it says: {test[number]}\n".encode()
        assert scan.feed(block, "lines") is None
        size, blocks = size + len(block), blocks + 1
    seconds = time.process_time() - start
    assert scan.end_file() is None
    rows, of_given, _ = scan.matches(2**31)
    long = {number for number in planted if rows[of_given[number]][2] > 0}
    assert all(rows[of_given[number]][3] == rows[of_given[number]][0] for number in long), "a copy was not found whole"
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    most = 200 + 64 * scan.grams() / 1e6
    assert grown <= most, f"{grown:.0f} MB more, expected at most {most:.0f}"
    rate = f"{size / seconds / 1e6:.0f} MB/s of CPU"
    yield f"stream of {size / 1e9:.1f} GB: {len(long)} copies found whole, {grown:.0f} MB more, {rate}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--slack", type=float, default=1.0)
    parser.add_argument("--threads", action="store_true")
    parser.add_argument("--stream", type=float, default=2.0, metavar="GB")
    args = parser.parse_args()
    found = corpora()
    test, text = found["en"]
    print(f"Python {sys.version.split()[0]}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.0f}")
    parts = [
        rates(found, args.slack),
        files(test, text, args.slack),
        against_janitor(test, text, args.slack),
        recall(test, text * 5),
    ]
    if args.threads:
        parts.append(two_threads(test, text, args.slack))
    for part in [*parts, stream(args.stream, test, text)]:
        for line in part:
            print(line, flush=True)


if __name__ == "__main__":
    main()
