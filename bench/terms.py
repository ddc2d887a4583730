"""How long it takes to find the terms of large glossaries, and in what memory.

`python bench/terms.py` makes a glossary and texts of invented words. Answers are asserted before a time is reported:
what is wanted in every source is counted by another program here, in words, and the rows of some segments are those of
the slow version of the tests. Times are those of the processor, with one thread, from the mapping to the score and what
became of each term; bars that are missed end the program. `--slack 2` halves them, for a machine that is busy.
"""

from __future__ import annotations

import argparse
import random
import resource
import string
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "tests")]

import truebleu  # noqa: E402
from oracle import terms as slow  # type: ignore[import-not-found] # noqa: E402

# Terms, segments, terms of a segment, and the bars: seconds and megabytes.
CASES = ((200_000, 10_000, 20, 3.0, 500), (1_000, 1_000_000, 1, 10.0, None))
WORDS, CHECKED = 60_000, 5


def invented(rng: random.Random, shortest: int, longest: int) -> list[str]:
    return ["".join(rng.choices(string.ascii_lowercase, k=rng.randint(shortest, longest))) for _ in range(WORDS)]


def texts(terms: int, segments: int, density: int) -> tuple[dict[str, str], list[str], list[str]]:
    """A glossary, sources that are full of its terms, and outputs that have four fifths of them."""
    rng, glossary = random.Random(1), dict[str, str]()
    ours, theirs = invented(rng, 3, 10), invented(rng, 3, 12)
    while len(glossary) < terms:
        term = " ".join(rng.choices(ours, k=rng.choice((1, 1, 2, 2, 3))))
        glossary[term] = " ".join(rng.choices(theirs, k=rng.choice((1, 2, 2))))
    known, sources, outputs = list(glossary), [], []
    for _ in range(segments):
        chosen = rng.choices(known, k=density)
        sources.append(" ".join(f"{term} {rng.choice(ours)}" for term in chosen))
        here = (glossary[term] if rng.random() < 0.8 else rng.choice(theirs) for term in chosen)
        outputs.append(" ".join(f"{text} {rng.choice(theirs)}" for text in here))
    return glossary, sources, outputs


def wanted_in(source: str, glossary: dict[str, str]) -> list[str]:
    """The longest terms from the left, word by word."""
    words, at, found = source.split(" "), 0, []
    while at < len(words):
        size = next((size for size in (3, 2, 1) if " ".join(words[at : at + size]) in glossary), 0)
        found += [" ".join(words[at : at + size])] if size else []
        at += size or 1
    return found


def check(glossary: dict[str, str], sources: list[str], outputs: list[str]) -> None:
    rows = truebleu.Terms(glossary, sources=sources).stats(outputs, None).rows.astype(int).tolist()
    wanted = [wanted_in(source, glossary) for source in sources]
    assert [len(one) for one in wanted] == [row[1] for row in rows], "terms of sources"
    for at in range(CHECKED):
        some = {term: [glossary[term]] for term in wanted[at]}
        assert list(slow.row(sources[at], outputs[at], some)) == rows[at][:3], f"segment {at}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--slack", type=float, default=1.0)
    slack = parser.parse_args().slack
    for terms, segments, density, seconds, megabytes in CASES:
        glossary, sources, outputs = texts(terms, segments, density)
        best, before = 9e9, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for _ in range(3):
            start = time.process_time()
            score = truebleu.Terms(glossary, sources=sources).corpus_score(outputs, None, threads=1)
            best = min(best, time.process_time() - start)
        grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
        check(glossary, sources, outputs)
        told = f"{terms:,} terms, {segments:,} segments: {best:.2f} s of CPU (bar {seconds}), {grown:.0f} MB more"
        print(f"{told}{f' (bar {megabytes})' if megabytes else ''}; {score}", flush=True)
        assert best <= seconds * slack, "too slow"
        assert megabytes is None or grown <= megabytes, "too much memory"


if __name__ == "__main__":
    main()
