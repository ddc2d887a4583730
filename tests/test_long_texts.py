"""Texts as long as one likes: the cost of a character hardly rises, memory is bounded, and its end is an exception."""

from __future__ import annotations

import random
import subprocess
import sys
import time
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


def _seconds_a_character(metric: Any, hypotheses: list[str], references: list[str]) -> float:
    best = float("inf")
    for _ in range(5):
        started = time.process_time()
        metric.engine.totals(hypotheses, [references], False, 1)
        best = min(best, time.process_time() - started)
    return best / sum(map(len, hypotheses))


@pytest.mark.parametrize(
    "metric", [CHRF(), CHRF(word_order=2), BLEU(), BLEU(tokenize="char"), BLEU(tokenize="none"), BLEU(tokenize="intl")]
)
def test_a_character_costs_hardly_more_in_a_long_segment(metric: Any) -> None:
    reference = _text(200_000, 1)
    hypothesis = _translated(reference, 2)
    cut = {}
    for length in (100, 5_000, 20_000, 1_000_000):
        starts = range(0, 1_000_000, length)
        texts = [[text[start : start + length] for start in starts] for text in (hypothesis, reference)]
        cut[length] = _seconds_a_character(metric, *texts)
    # The goal is 3; a busy machine gets more.
    assert max(cut.values()) < 5 * cut[100], cut


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (CHRF(), sacrebleu.CHRF()),
        (CHRF(word_order=2), sacrebleu.CHRF(word_order=2)),
        (BLEU(), sacrebleu.BLEU()),
        (BLEU(tokenize="char"), sacrebleu.BLEU(tokenize="char")),
    ],
)
@pytest.mark.parametrize("alphabet", ["as it is", "wide"])
def test_long_segments_score_as_in_sacrebleu(ours: Any, theirs: Any, alphabet: str) -> None:
    texts = [_text(9000, seed) for seed in (1, 2, 3)]
    if alphabet == "wide":
        texts = ["".join(chr(0x4E00 + hash(text[at : at + 3]) % 3000) for at in range(0, 20_000, 2)) for text in texts]
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
from truebleu import BLEU, CHRF
text = {text}
other = text[:-1] + "z"
metric = {metric}
metric.engine.totals(["a"], [["a"]], False, 1)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
metric.engine.totals([text], [[other]], False, 1)
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024 / len(text))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the peak is in kilobytes on Linux")
@pytest.mark.parametrize("text", ["'a ' * 10_000_000", "'the cat sat on a mat and looked ' * 600_000"])
@pytest.mark.parametrize("metric", ["BLEU()", "CHRF()"])
def test_a_long_segment_needs_less_than_twenty_bytes_a_character(text: str, metric: str) -> None:
    done = _run(PEAK.format(text=text, metric=metric))
    assert "" == done.stderr
    assert float(done.stdout) < 20


SHORT_OF_MEMORY = """
import resource
from truebleu import BLEU, CHRF, TER
text = "a bc " * 8_000_000
other = "bc a " * 8_000_000
metric = {metric}
metric.engine.totals(["a"], [["a"]], False, 2)
size = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (size + {room}, size + {room}))
try:
    metric.engine.totals([text, "a"] * 2, [[other, "b"] * 2], False, 2)
except MemoryError as error:
    print("MemoryError", error)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="limits the address space")
@pytest.mark.parametrize("room", [10**7, 3 * 10**8, 6 * 10**8, 9 * 10**8])
@pytest.mark.parametrize("metric", ["BLEU()", "CHRF()", "CHRF(word_order=2)", "TER()"])
def test_want_of_memory_is_an_exception(metric: str, room: int) -> None:
    done = _run(SHORT_OF_MEMORY.format(metric=metric, room=room))
    assert (0, "") == (done.returncode, done.stderr)
    assert done.stdout.startswith("MemoryError there is not enough memory")


def test_ter_of_a_long_segment_counts_as_ever() -> None:
    text = _text(2000, 1)
    assert 0.0 == TER().corpus_score([text], [[text]]).score
