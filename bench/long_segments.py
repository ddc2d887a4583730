"""The cost of a character in segments of a hundred to a million characters, beside sacreBLEU; and of hash flooding.

python bench/long_segments.py              print the tables
python bench/long_segments.py --write      put them into README.md
python bench/long_segments.py --characters N   how many characters are scored for each row (default 1,000,000)

The same text is cut into longer and longer segments: Latin and Chinese translations, two Latin texts that have nothing
to do with each other, and texts drawn from 8,000 characters. Scores are compared with `==` before anything is timed;
times are CPU time, one thread, the best of five. sacreBLEU is timed once, on the first 100,000 characters or the first
segment.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import sacrebleu

import corpora
import truebleu
import truebleu.nltk

LENGTHS = (112, 1_000, 5_000, 10_000, 30_000, 100_000, 300_000, 1_000_000)
METRICS: dict[str, tuple[tuple[str, str, dict[str, Any]], ...]] = {
    corpora.LATIN: (("chrF", "CHRF", {}), ("chrF++", "CHRF", {"word_order": 2}), ("BLEU", "BLEU", {})),
    corpora.CHINESE: (
        ("chrF", "CHRF", {}),
        ("chrF++", "CHRF", {"word_order": 2}),
        ("BLEU zh", "BLEU", {"tokenize": "zh"}),
    ),
}
SACREBLEU_CHARACTERS = 100_000
README = Path(__file__).with_name("README.md")
BEGIN, END = "<!-- long:begin -->\n", "<!-- long:end -->\n"


def main() -> int:
    parser = argparse.ArgumentParser(description="Time segments of different lengths.")
    parser.add_argument("--characters", type=int, default=1_000_000, help="characters scored for each row")
    parser.add_argument("--write", action="store_true", help="put the tables into README.md")
    arguments = parser.parse_args()
    tables = ""
    for line in _lines(arguments.characters):
        print(line, flush=True)
        tables += f"{line}\n"
    if arguments.write:
        text = README.read_text(encoding="utf-8")
        before, after = text.split(BEGIN)[0], text.split(END)[1]
        README.write_text(f"{before}{BEGIN}{tables}{END}{after}", encoding="utf-8")
    return 0


def _lines(characters: int) -> Iterator[str]:
    for script, title, glue in ((corpora.LATIN, "Latin", " "), (corpora.CHINESE, "Chinese", "")):
        corpus = corpora.generate(script, lines=characters // (300 if glue else 150), systems=5)
        texts = [glue.join(side)[:characters] for side in (corpus.hypotheses, corpus.references)]
        yield from _table(title, METRICS[script], *texts)
    corpus = corpora.generate(corpora.LATIN, lines=characters // 40, systems=1)
    texts = [" ".join(corpus.hypotheses)[:characters], " ".join(corpus.references)[-characters:]]
    yield from _table("Latin, unrelated", METRICS[corpora.LATIN], *texts)
    yield from _many_characters(characters)
    yield from _flooding()


def _many_characters(characters: int) -> Iterator[str]:
    """Texts over 8,000 characters, each as frequent as the others: more than any language has."""
    r = random.Random(1)
    ours, theirs = (r.choices(range(0x4E00, 0x4E00 + 8000), k=characters) for _ in "12")
    related = [one if r.random() < 0.25 else other for one, other in zip(ours, theirs, strict=True)]
    for title, hypothesis in (("8,000 characters", related), ("8,000 characters, unrelated", ours)):
        texts = ["".join(map(chr, side)) for side in (hypothesis, theirs)]
        yield from _table(title, METRICS[corpora.CHINESE], *texts)


def _table(title: str, metrics: tuple[tuple[str, str, dict[str, Any]], ...], *texts: str) -> Iterator[str]:
    yield f"| {title}: characters a segment | " + " | ".join(f"{name} | sacreBLEU's" for name, _, _ in metrics) + " |"
    yield "|" + " ---: |" * (1 + 2 * len(metrics))
    for length in LENGTHS:
        cut = [[text[start : start + length] for start in range(0, len(text), length)] for text in texts]
        cells = [cell for _, kind, options in metrics for cell in nanoseconds(kind, options, *cut)]
        yield f"| {length:,} | " + " | ".join(f"{cell:,.0f}" for cell in cells) + " |"
    yield ""


def nanoseconds(kind: str, options: dict[str, Any], hypotheses: list[str], references: list[str]) -> list[float]:
    """Nanoseconds a character of ours and of sacreBLEU's, when both have given the same score for sacreBLEU's part."""
    ours, theirs = (getattr(package, kind)(**options) for package in (truebleu, sacrebleu))
    part = slice(max(1, SACREBLEU_CHARACTERS // len(hypotheses[0])))
    started = time.process_time()
    expected = theirs.corpus_score(hypotheses[part], [references[part]]).score
    peer = (time.process_time() - started) / sum(map(len, hypotheses[part]))
    found = ours.corpus_score(hypotheses[part], [references[part]], checks=False).score
    if expected != found:
        raise SystemExit(f"{kind} {options}: {found!r} against sacreBLEU's {expected!r}")
    best = float("inf")
    for _ in range(5):
        started = time.process_time()
        ours.corpus_score(hypotheses, [references], threads=1, checks=False)
        best = min(best, time.process_time() - started)
    return [1e9 * best / sum(map(len, hypotheses)), 1e9 * peer]


def _flooding() -> Iterator[str]:
    """What strangers' texts cost whose words were made up to share one place of a table without a key."""
    count = 40_000
    scattered = [f"{number * 0x9E3779B97F4A7C15 % 10**15:015}" for number in range(count)]
    numbers = [[number * 0x9E3779B1 % 2**31 for number in range(count)], [number << 40 for number in range(count)]]
    yield "| made up to collide | honest, ms | made up, ms | times (at most 4) |"
    yield "| --- | ---: | ---: | ---: |"
    texts = [[" ".join(words)] for words in (scattered, _colliding(count))]
    yield _flooded("BLEU, a segment of 40,000 words", _bleu, *texts)
    yield _flooded("`truebleu.nltk`, a segment of 40,000 numbers", _nltk, *numbers)


def _flooded(title: str, work: Any, honest: Any, made_up: Any) -> str:
    best = []
    for texts in (honest, made_up):
        rounds = []
        for _ in range(5):
            started = time.process_time()
            score = work(texts)
            rounds.append(1e3 * (time.process_time() - started))
        if abs(score - 1) > 1e-9:
            raise SystemExit(f"{title}: a text scores {score!r} against itself")
        best.append(min(rounds))
    return f"| {title} | {best[0]:.1f} | {best[1]:.1f} | {best[1] / best[0]:.1f} |"


def _bleu(texts: list[str]) -> float:
    return truebleu.BLEU(tokenize="none").corpus_score(texts, [texts], threads=1).score / 100


def _nltk(numbers: list[int]) -> float:
    score = truebleu.nltk.corpus_bleu([[numbers]], [numbers])
    assert isinstance(score, float)
    return score


def _colliding(count: int) -> list[str]:
    """Words of fifteen letters: what is flipped in the last seven is flipped back in the first eight, 29 bits on."""
    bits = [bit for bit in range(56) if bit % 8 in (0, 1, 3, 4)]
    words = []
    for chosen in range(count):
        first, last = (int.from_bytes(b"d" * letters, "little") for letters in (8, 7))
        for at, bit in enumerate(bits):
            if chosen >> at & 1:
                last ^= 1 << bit
                first ^= 1 << (bit + 29) % 64
        words.append((first.to_bytes(8, "little") + last.to_bytes(7, "little")).decode("latin-1"))
    return words


if __name__ == "__main__":
    sys.exit(main())
