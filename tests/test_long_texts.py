"""Texts as long as one likes: the cost of a character hardly rises, memory is bounded, and its end is an exception."""

from __future__ import annotations

import functools
import random
import re
import shutil
import subprocess
import sys
import zlib
from pathlib import Path
from typing import Any

import pytest
import sacrebleu

from truebleu import BLEU, CHRF, TER

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs resource limits")


def _text(words: int, seed: int) -> str:
    """Words as frequent as in a language, with punctuation and now and then an entity."""
    r = random.Random(seed)
    vocabulary = ["".join(r.choices("etaoinshrdlucmfwypvbgkqjxz", k=r.randint(1, 9))) for _ in range(20_000)]
    weights = [1 / rank for rank in range(1, 20_001)]
    drawn = r.choices(vocabulary, weights, k=words)
    return " ".join(word + r.choice(["", "", "", "", ",", ".", " &amp;"]) for word in drawn)


def _translated(text: str, seed: int) -> str:
    """The text with one word in four replaced, as two translations differ."""
    r = random.Random(seed)
    words = text.split(" ")
    return " ".join(r.choice(words) if r.random() < 0.25 else word for word in words)


def _chinese(characters: int, seed: int) -> str:
    """Words of one to four of 3,500 characters, some of which are much more frequent than others."""
    r = random.Random(seed)
    weights = [1 / (rank + 10) for rank in range(3500)]
    drawn = r.choices(range(0x4E00, 0x4E00 + 3500), weights, k=50_000)
    words = ["".join(map(chr, drawn[at : at + 1 + at % 4])) for at in range(0, 40_000, 2)]
    return "".join(r.choices(words, [1 / rank for rank in range(1, 20_001)], k=characters))[:characters]


def _any_of_8000(characters: int, seed: int) -> str:
    """Characters that are all as frequent as each other."""
    return "".join(map(chr, random.Random(seed).choices(range(0x4E00, 0x4E00 + 8000), k=characters)))


@functools.cache
def _texts(kind: str) -> tuple[str, str]:
    """A hypothesis and a reference of a million characters: unrelated, or with one piece in four replaced."""
    script, relation = kind.rsplit(", ", 1)
    if script == "8,000 characters":
        reference, other = (_any_of_8000(1_000_000, seed) for seed in (1, 2))
        r = random.Random(3)
        hypothesis = "".join(
            theirs if r.random() < 0.25 else ours for ours, theirs in zip(reference, other, strict=True)
        )
    elif script == "Chinese":
        reference, other = _chinese(1_000_000, 1), _chinese(1_000_000, 2)
        pieces = [(side[at : at + 4]) for side in (reference, other) for at in range(0, 1_000_000, 4)]
        hypothesis = "".join(
            pieces[at + 250_000] if at % 4 == 0 else piece for at, piece in enumerate(pieces[:250_000])
        )
    else:
        reference, other = _text(200_000, 1), _text(200_000, 2)
        hypothesis = _translated(reference, 3)
    return (other if relation == "unrelated" else hypothesis)[:1_000_000], reference[:1_000_000]


# What is counted for texts of a kind: at least one metric of characters and one of words. The last one's n-grams do not
# fit into a machine word, or into four.
COUNTED = {
    "Latin, related": "CHRF(word_order=2), BLEU(tokenize='13a')",
    "Latin, unrelated": "CHRF(), BLEU(tokenize='intl')",
    "Chinese, related": "CHRF(), BLEU(tokenize='char')",
    "Chinese, unrelated": "CHRF(), BLEU(tokenize='zh')",
    "8,000 characters, related": "CHRF(), BLEU(tokenize='zh'), CHRF(char_order=20)",
    "8,000 characters, unrelated": "CHRF(), BLEU(tokenize='zh'), CHRF(char_order=20)",
}
# Instructions for each character of these in segments of 100 characters, before short texts had kernels of their own:
# to make those faster must not count against long ones.
SHORT = {
    "Latin, related": (286, 247),
    "Latin, unrelated": (180, 203),
    "Chinese, related": (235, 233),
    "Chinese, unrelated": (212, 463),
    "8,000 characters, related": (226, 464, 1640),
    "8,000 characters, unrelated": (211, 462, 245),
}
# How long segments are, and how many characters of the text are counted in such segments.
LENGTHS = {100: 100_000, 5_000: 100_000, 400_000: 400_000}

COUNT = """
import os, subprocess, sys
from truebleu import BLEU, CHRF
hypothesis, reference = (open(name, encoding="utf-8").read() for name in ("hypothesis", "reference"))
def dump(name):
    subprocess.run(["callgrind_control", f"--dump={name}", str(os.getpid())], check=True, capture_output=True)
for at, metric in enumerate([METRICS]):
    for length, characters in LENGTHS.items():
        starts = range(0, characters, length)
        ours, theirs = ([text[start : start + length] for start in starts] for text in (hypothesis, reference))
        dump("before")
        metric.engine.totals(ours, [theirs], False, 1)
        dump(f"{at}/{length}")
"""


@pytest.mark.guard
@pytest.mark.skipif(shutil.which("callgrind_control") is None, reason="needs valgrind")
@pytest.mark.parametrize("kind", COUNTED)
def test_a_long_segment_takes_at_most_three_times_the_recorded_instructions(kind: str, tmp_path: Path) -> None:
    for name, text in zip(("hypothesis", "reference"), _texts(kind), strict=True):
        (tmp_path / name).write_text(text, encoding="utf-8")
    command = ["valgrind", "-q", "--tool=callgrind", "--callgrind-out-file=counts", sys.executable, "-c"]
    command.append(COUNT.replace("METRICS", COUNTED[kind]).replace("LENGTHS", str(LENGTHS)))
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=1800)
    assert 0 == done.returncode, done.stderr
    counts: dict[str, dict[int, float]] = {}
    for path in tmp_path.glob("counts.*"):
        written = path.read_text(encoding="utf-8")
        found = re.search(r"^desc: Trigger: dump (\d+)/(\d+)$", written, re.MULTILINE)
        total = re.search(r"^totals: (\d+)$", written, re.MULTILINE)
        if found and total:
            counts.setdefault(found[1], {})[int(found[2])] = int(total[1]) / LENGTHS[int(found[2])]
    assert len(counts) == COUNTED[kind].count("(") and all(LENGTHS.keys() == each.keys() for each in counts.values())
    # Times depend on caches, and on who shares them: bench/long_segments.py has nanoseconds.
    for at, short in enumerate(SHORT[kind]):
        assert max(counts[str(at)].values()) <= 3 * short, counts


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (CHRF(), sacrebleu.CHRF()),
        (CHRF(word_order=2), sacrebleu.CHRF(word_order=2)),
        (CHRF(char_order=20, word_order=2), sacrebleu.CHRF(char_order=20, word_order=2)),
        (BLEU(), sacrebleu.BLEU()),
        (BLEU(tokenize="char"), sacrebleu.BLEU(tokenize="char")),
    ],
)
@pytest.mark.parametrize("alphabet", ["as it is", "wide"])
def test_long_segments_score_as_in_sacrebleu(ours: Any, theirs: Any, alphabet: str) -> None:
    texts = [_text(9000, seed) for seed in (1, 2, 3)]
    if alphabet == "wide":
        texts = [
            "".join(chr(0x4E00 + zlib.crc32(text[at : at + 3].encode()) % 3000) for at in range(0, 20_000, 2))
            for text in texts
        ]
    streams = [[texts[1] + texts[0][:999], "short"], [texts[2], texts[0][5000:]]]
    hypotheses = [texts[0], texts[0][:3000]]
    assert theirs.corpus_score(hypotheses, streams).score == ours.corpus_score(hypotheses, streams).score


def test_a_long_and_a_short_text_score_as_in_sacrebleu() -> None:
    long = _text(6000, 1)
    for hypothesis, references in [("a the of", [long]), (long, ["a"]), (long, ["a", long[:4000], long[3000:]])]:
        for ours, theirs in [(CHRF(), sacrebleu.CHRF()), (BLEU(), sacrebleu.BLEU(effective_order=False))]:
            streams = [[reference] for reference in references]
            assert theirs.corpus_score([hypothesis], streams).score == ours.corpus_score([hypothesis], streams).score


def _run(script: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=600)


PEAK = """
import resource, sys
from truebleu import BLEU, CHRF, TER
text = {text}
other = {other}
metric = {metric}
metric.engine.totals(["a"], [["a"]], False, 1)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
metric.engine.totals([text], [[other]], False, 1)
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024 / len(text))
"""


@pytest.mark.guard
@pytest.mark.skipif(sys.platform != "linux", reason="the peak is in kilobytes on Linux")
@pytest.mark.parametrize("text", ["'a ' * 10_000_000", "'the cat sat on a mat and looked ' * 600_000"])
@pytest.mark.parametrize("metric", ["BLEU()", "CHRF()"])
def test_a_long_segment_needs_less_than_twenty_bytes_a_character(text: str, metric: str) -> None:
    _assert_less_than_twenty_bytes(text=text, other="text[:-1] + 'z'", metric=metric)


# Words of one letter have the most bytes a character. The last four references make TER look for shifts: of too many
# words, of two words, and in letters that take four bytes each.
@pytest.mark.guard
@pytest.mark.skipif(sys.platform != "linux", reason="the peak is in kilobytes on Linux")
@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("'a b ' * 2_000_000", "text"),
        ("'a b ' * 2_000_000", "'b a'"),
        ("'a b ' * 2_000_000", "'b x a'"),
        ("'a b ' * 2_000_000", "'b a ' * 2_000_000"),
        ("'a b ' * 2_000_000", "text[:4_000_000] + 'b a ' + text[4_000_004:]"),
        ("'\u0430 \u0431 ' * 2_000_000", "'\u0431 \u0430 ' * 2_000_000"),
        ("'the cat sat on a mat and looked ' * 250_000", "'a cat looked at the mat and sat there now ' * 200_000"),
    ],
)
def test_a_long_segment_of_ter_needs_less_than_twenty_bytes_a_character(text: str, other: str) -> None:
    _assert_less_than_twenty_bytes(text=text, other=other, metric="TER()")


def _assert_less_than_twenty_bytes(**case: str) -> None:
    done = _run(PEAK.format(**case))
    assert "" == done.stderr
    assert float(done.stdout) < 20


SHORT_OF_MEMORY = """
import resource
from truebleu import BLEU, CHRF, TER
text = "a bc " * 11_000_000
other = "bc a " * 11_000_000
metric = {metric}
metric.engine.totals(["a"], [["a"]], False, 2)
size = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (size + {room}, size + {room}))
try:
    metric.engine.totals([text, "a"] * 2, [[other, "b"] * 2], False, 2)
except MemoryError as error:
    print("MemoryError", error)
"""


@pytest.mark.guard
@pytest.mark.skipif(sys.platform != "linux", reason="limits the address space")
@pytest.mark.parametrize("room", [10**7, 3 * 10**8, 6 * 10**8, 9 * 10**8])
@pytest.mark.parametrize(
    "metric",
    ["BLEU()", "CHRF()", "CHRF(word_order=2)", "TER()", "TER(normalized=True, no_punct=True)"],
)
def test_want_of_memory_is_an_exception(metric: str, room: int) -> None:
    done = _run(SHORT_OF_MEMORY.format(metric=metric, room=room))
    assert (0, "") == (done.returncode, done.stderr)
    assert done.stdout.startswith("MemoryError there is not enough memory")


def test_ter_of_a_long_segment_counts_as_ever() -> None:
    text = _text(2000, 1)
    assert 0.0 == TER().corpus_score([text], [[text]]).score
    # No order of words has fewer edits than the longer length less the words shared. sacreBLEU takes minutes for these.
    for reference, edits in [("a b", 79_998), ("x y", 80_000), ("a b " * 40_000, 0), ("a x", 79_999)]:
        assert edits == TER().engine.totals(["a b " * 40_000], [[reference]], False, 1)[0]
    # Two blocks have changed places in each of two texts, once within reach of a shift, and once too far away.
    words = [str(word) for word in range(70_000)]
    for past, edits in [(30, 1), (60, 20)]:
        moved = [*words[: 900 - past], *words[900:910], *words[900 - past : 900], *words[910:]]
        assert edits == TER().engine.totals([" ".join(moved)], [[" ".join(words)]], False, 1)[0]


@pytest.mark.parametrize(
    "text",
    [
        "ΟΔΟΣ Σ ΣΑΣ. " * 400_000,  # the small letter of a sigma depends on what stands beside it
        "ΟΔΟΣ" * 1_100_000,  # one word, and longer than a piece that is copied at once
        "ΟΔΟΣ" * 1_100_000 + " ΟΔΟΣ" * 900_000,
        "Ä Straße " * 500_000 + "Ж",
    ],
)
def test_a_text_that_is_copied_in_pieces_gets_pythons_small_letters(text: str) -> None:
    small = text.lower()
    expected = BLEU(tokenize="none").engine.totals([small], [[small]], False, 1)
    assert expected == BLEU(tokenize="none", lowercase=True).engine.totals([text], [[small]], False, 1)
