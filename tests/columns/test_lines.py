"""Lines counted block by block give what the lists of the same lines give."""

from __future__ import annotations

import itertools
import random
from typing import Any

import pytest

from strategies import Generator
from truebleu import _core
from truebleu._textio import split_lines
from truebleu.errors import UndecodableText
from truebleu.metrics import BLEU, CHRF, GLEU, TER, Metric

METRICS: list[Metric[Any]] = [BLEU(), BLEU(lowercase=True, tokenize="intl"), CHRF(word_order=2), TER(), GLEU()]


def text_of(drawn: Generator, lines: int) -> str:
    """Lines full of traps: carriage returns, white space of all kinds at their end, separators inside."""
    ends = ("", "", "", " ", "\r", "\t\u3000", "\x85", "\xa0", " \x1f", "\u2028")
    texts = [drawn.segment().replace("\n", " ") + drawn._of(ends) for _ in range(lines)]
    text = "\n".join(texts) + drawn._of(("", "\n"))
    return text.encode("utf-8", "replace").decode()


def count(contents: list[bytes], references: int, threads: int = 1, block: int = 1 << 20, seed: int = 1) -> Any:
    engines = [(metric.engine, metric.empty_refs == "keep") for metric in METRICS]
    counter = _core.LineCounter(engines, references, len(contents) - references, threads, 100, 4)
    places, rng = [0] * len(contents), random.Random(seed)
    while (file := counter.wants()) is not None:
        part = contents[file][places[file] :][: rng.randint(1, block)]
        places[file] += len(part)
        counter.feed(file, part)
    return counter


@pytest.mark.parametrize("number", range(30))
def test_blocks_of_any_size_give_the_scores_of_the_lines(number: int) -> None:
    drawn = Generator(f"lines/{number}", longest=40)
    references, systems, lines = drawn._of((1, 2, 3)), drawn._of((1, 2)), drawn._of((1, 5, 40))
    texts = [text_of(drawn, lines) for _ in range(references + systems)]
    split = [split_lines(text) for text in texts]
    lines = min(map(len, split))  # an empty last line without a line feed is none
    kept = ["".join(line + "\n" for line in text.split("\n")[:lines]) for text in texts]
    split = [split_lines(text) for text in kept]
    counter = count([text.encode() for text in kept], references, block=drawn._of((1, 7, 1000)), seed=number)
    assert [lines] * len(split) == counter.lines()
    for metric, (totals, pair) in zip(METRICS, counter.totals(), strict=True):
        for system, sums in zip(split[references:], totals, strict=True):
            stats = metric.stats(system, split[:references])
            assert (stats.sum(), stats.references) == (sums, pair), (number, metric)
    stops = [sum(line.endswith(" .") for line in system) for system in split[references:]]
    assert stops == counter.detached_stops()


@pytest.mark.parametrize("threads", [1, 3])
def test_many_lines_are_counted_in_order_whatever_the_threads(threads: int) -> None:
    drawn = Generator("lines/many", longest=10)
    texts = ["".join(f"{drawn._words(6).rstrip()} {at}\n" for at in range(20_000)) for _ in range(4)]
    counter = count([text.encode() for text in texts], 3, threads, block=1 << 18)
    split = [split_lines(text) for text in texts]
    for metric, (totals, _) in zip(METRICS, counter.totals(), strict=True):
        assert metric.stats(split[3], split[:3]).sum() == totals[0]


def test_the_last_line_needs_no_line_feed() -> None:
    assert [2, 2] == count([b"a\nb", b"a\nb\n"], 1).lines()
    assert [1, 1] == count([b"\n", b" "], 1).lines()
    assert [0, 1] == count([b"", b"a"], 1).lines()


def test_files_of_different_lengths_are_counted_to_the_end() -> None:
    many = b"line\n" * 50_000
    assert [3, 50_000] == count([b"a\n" * 3, many], 1).lines()
    assert [50_000, 3] == count([many, b"a\n" * 3], 1).lines()


def test_bytes_that_are_not_utf8_are_named_by_file_line_and_byte() -> None:
    with pytest.raises(UndecodableText) as caught:
        count([b"a\nb\nc\n", b"a\nb\nxy\xffz\n"], 1)
    assert (1, 3, 2, b"\xffz\n") == caught.value.args[1:]


def test_doubts_are_found_on_the_way() -> None:
    counter = count([b"\n \n\t\n", b"a\nb\nc\n", b"a\nb \nc\n"], 2)
    blank, same = [filled == 0 for filled in counter.filled()], counter.same()
    assert ([True, False, False], [[1]]) == (blank, same)
    lines = [f"{at}\n".encode() for at in range(10_000)]
    sample = count([b"".join(lines), b"".join(lines)], 1).sample()
    assert sample[0] == sample[1] and 200 < len(sample[0]) <= 400
    numbers = [int(line) for line in sample[0]]
    blocks = [numbers[at : at + 100] for at in range(0, len(numbers), 100)]
    assert all(block == [*range(block[0], block[0] + 100)] for block in blocks)
    assert len({after[0] - before[0] for before, after in itertools.pairwise(blocks)}) == 1
