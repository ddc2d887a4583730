"""Ctrl-C is heard while the core works, and so is the wish to know how far it is.

Each case runs in a process of its own, which gets the signal half a second after the long call has begun. The goal is
200 ms on a machine that has nothing else to do; a shared one gets a second more. Figures are in bench/README.md.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from truebleu import BLEU, CHRF, TER, _core
from truebleu.cli import progress
from truebleu.errors import TruebleuError

pytestmark = pytest.mark.guard

ALLOWED = 1.2  # seconds

PREPARE = """
import random, struct, sys, time
import numpy  # beforehand: NumPy does not bear an interrupt while it is loaded
from truebleu import BLEU, CHRF, TER, _core
r = random.Random(1)
vocabulary = ["".join(r.choices("etaoinshrdlu", k=r.randint(2, 9))) for _ in range(3000)]
def texts(count, words=20):
    return [" ".join(r.choices(vocabulary, k=words)) for _ in range(count)]
def corpus(count, times):
    h = tuple([text.split() for text in texts(count)] * times)
    return _core.TokenCorpus.from_objects("x", h, tuple((x,) for x in h))
"""

# What is prepared, and then called until it is interrupted.
CALLS = {
    "totals": ("h, s = texts(50_000), texts(50_000)", "CHRF().corpus_score(h * 40, [s * 40], threads={threads})"),
    "rows": ("h, s = texts(50_000), texts(50_000)", "BLEU().stats(h * 80, [s * 80], threads={threads})"),
    "sentence_scores": (
        "h, s = texts(30_000), texts(30_000)",
        "TER().engine.sentence_scores(h * 30, [s * 30], False, {threads})",
    ),
    "one huge segment": (
        "h, s = texts(1, 4_000_000), texts(1, 4_000_000)",
        "CHRF().engine.totals(h, [s], False, {threads})",
    ),
    "one long pair of TER": (
        "h, s = texts(1, 40_000), texts(1, 40_000)",
        "TER().engine.totals(h, [s], False, {threads})",
    ),
    "one long document to align": (
        "n = 400_000; a = b''.join(r.randrange(3000).to_bytes(4, sys.byteorder) for _ in range(n)); "
        "one, size = (k.to_bytes(4, sys.byteorder) for k in (1, 20)); refs = (a, size * (n // 20), one * (n // 20))",
        "_core.align_cues([(a, bytes(n), refs, bytes(n), False, False)] * 8, 200, {threads})",
    ),
    "words of one long document": (
        "n = 400_000; a = b''.join(r.randrange(3000).to_bytes(4, sys.byteorder) for _ in range(n)); "
        "one, size = (k.to_bytes(4, sys.byteorder) for k in (2, 10)); refs = (a, size * (n // 10), one * (n // 20))",
        "_core.align_words([(a, refs)] * 8, {threads})",
    ),
    "pairs of scores": (
        "a, b = (b''.join(struct.pack('d', r.random()) for _ in range(60_000)) for _ in 'ab')",
        "_core.best_epsilon(a, b, [60_000], [1])",
    ),
    "pairwise": ("h = texts(20_000)", "CHRF().engine.pairwise(h, h[:9000], {threads})"),
    "pairwise of TER": ("h = texts(4000)", "TER().engine.pairwise(h, h, {threads})"),
    "a long row": (
        "h, s = texts(2, 100_000), texts(400, 2000); e = _core.gleu_engine",
        "e(tokenizer='none', min_len=1, max_len=40, lowercase=False).pairwise(h, s, {threads})",
    ),
    "expected": ("h = texts(9000)", "CHRF().engine.expected([(h, h, None)], False, {threads})"),
    "expected of many": ("h = texts(900)", "CHRF().engine.expected([(h, h, None)] * 99, False, {threads})"),
    "scores_among_others": ("h = texts(60_000)", "CHRF().engine.scores_among_others(h, [], {threads})"),
    "scores_among_others of TER": ("h = texts(60_000)", "TER().engine.scores_among_others(h, [], {threads})"),
    "scores_among_others of BLEU": ("h = texts(300_000)", "BLEU().engine.scores_among_others(h * 3, [], {threads})"),
    "fast_bleu": (
        "h = texts(300_000)",
        "_core.fast_bleu_among_others(h * 3, tokenizer='13a', order=5, lowercase=False)",
    ),
    "bootstrap": (
        "s = BLEU().stats(texts(2000), [texts(2000)]).rows.tobytes()",
        "_core.bootstrap([(BLEU().engine, s)], samples=1_000_000, seed=[1], skip=0, threads={threads})",
    ),
    "randomize": (
        "s, t = (BLEU().stats(texts(2000), [texts(2000)]).rows.tobytes() for _ in '12'); e = BLEU().engine",
        "_core.randomize([(e, s), (e, t)], [([0], [1])], trials=9_000_000, seed=[1], skip=0, threads={threads}, "
        "units=2000, places=[])",
    ),
    "gaps": (
        "s, t = (BLEU().stats(texts(2000), [texts(2000)]).rows.tobytes() for _ in '12'); e = BLEU().engine",
        "_core.gaps_in_deviations([(e, s), (e, t)], [([0], [1])] * 90_000, threads={threads})",
    ),
    "tokens": ("c = corpus(30_000, 12)", "c.bleu(4, 'closest', {threads}), c.bleu(40, 'closest', {threads})"),
    "nist": ("c = corpus(100_000, 1)", "c.nist(5, True), c.nist(5, True)"),
    "from_objects": (
        "h = tuple([text.split() for text in texts(100_000)] * 9); t = tuple((x,) for x in h)",
        "_core.TokenCorpus.from_objects('x', h, t)",
    ),
}

# The same, with one number of threads each, by turns.
MORE_CALLS = {
    "from_ids": (
        "h = tuple([[*range(at % 90, 90)] for at in range(9000)] * 40); t = tuple((x,) for x in h)",
        "_core.TokenCorpus.from_ids('x', h, t)",
    ),
    "gleu of tokens": ("c = corpus(30_000, 12)", "c.gleu(1, 40, {threads})"),
    "inspect": ("h = texts(1000) * 20_000", "_core.inspect('x', h, [h] * 8, True)"),
    "line_fit": ("h = texts(20_000) * 60", "_core.line_fit(h, h, 6), _core.line_fit(h, h, 6)"),
    "line_votes": ("h = texts(20_000) * 30", "_core.line_votes(h, h, 256, 100), _core.line_votes(h, h, 256, 100)"),
    "normalize": ("h = texts(20_000) * 99", "_core.normalize(h, ['quotes', 'spaces'])"),
    "normalize one text": ("h = [texts(1, 1000)[0] * 3000]", "_core.normalize(h, ['quotes', 'width', 'spaces'])"),
    "tokenize one text": (
        "h = texts(1, 1000)[0] * 2000",
        "_core.tokenize('intl', h), _core.tokenize('rouge', h, True)",
    ),
    "words of TER": ("h = texts(1, 1000)[0] * 2000", "_core.ter_tokenize(h, True, True, True, 2)"),
    "words of WER": ("h = texts(1, 1000)[0] * 2000", "_core.transcript_words(h, True, True)"),
    "features": ("h = texts(20_000) * 30", "_core.features(h, {threads})"),
    "features of one text": ("h = [texts(1, 1000)[0] * 3000]", "_core.features(h, {threads})"),
    "runs": ("h = [texts(1, 1000)[0] * 2000]", "_core.runs(h, True, {threads}), _core.runs(h, False, {threads})"),
    "copied_at_most": ("h = texts(20_000) * 100", "_core.copied_at_most(h, h[::-1], 8, False, {threads})"),
    "kinds": ("h = texts(20_000) * 100", "_core.kinds(h, {threads})"),
    "shared_parts": ("h = texts(20_000) * 100", "_core.shared_parts(h, 8, False), _core.shared_parts(h, 8, True)"),
    "fold_marks": ("h = texts(20_000) * 60", "_core.fold_marks(h)"),
    "best_path": (
        "t = numpy.random.default_rng(1).random((900_000, 9)).tobytes(); "
        "o = numpy.tile(numpy.arange(-4, 5, dtype=numpy.int32), 900_000).tobytes()",
        "_core.best_path(t, o, 9, 0.5)",
    ),
    "trigrams": (
        "t = (texts(1, 1000)[0] * 2000).encode('utf-32-le'); l = numpy.arange(0x110000, dtype='u4').tobytes()",
        "_core.trigrams(t, l)",
    ),
    "trigram_sums": (
        "h = texts(20_000) * 30; i = numpy.arange(0x80, dtype='u8').tobytes(); w = bytes(8 << 19)",
        "_core.trigram_sums(h, bytes(len(h)), i, w, {threads})",
    ),
    "images": ("h = texts(20_000) * 60; i = numpy.arange(0x80, dtype='u8').tobytes()", "_core.images(h, i)"),
    "shared_at_most": ("h = texts(20_000) * 30", "_core.shared_at_most(h, h, {threads})"),
    "telling_runs": (
        "h = texts(20_000) * 30",
        "_core.telling_runs(h, True, {threads}), _core.telling_runs(h, False, {threads})",
    ),
    "cuts": ("h = texts(20_000) * 30", "_core.cuts(h, '13a', {threads})"),
    "cuts of one text": ("h = [texts(1, 1000)[0] * 2000]", "_core.cuts(h, '13a', {threads})"),
    "rouge_reach": ("h = [t + ' \\u0431' for t in texts(20_000)] * 99", "_core.rouge_reach([h])"),
    "rouge_scores": (
        "h, s = texts(20_000) * 20, texts(20_000) * 20",
        "_core.rouge_scores(h, [s], variants=['1', 'L'], tokenizer='rouge', stem=True, threads={threads})",
    ),
    "ROUGE-L of one pair": (
        "from truebleu import ROUGE; h, s = texts(1, 300_000), texts(1, 300_000)",
        "ROUGE(variant='L').engine.totals(h, [s], False, {threads})",
    ),
    "WER": (
        "from truebleu import WER; h, s = texts(50_000), texts(50_000)",
        "WER().engine.rows(h * 20, [s * 20], False, {threads})",
    ),
    "CER of one pair": (
        "from truebleu import CER; h, s = texts(1, 60_000), texts(1, 60_000)",
        "CER().engine.totals(h, [s], False, {threads})",
    ),
    "alignments": ("a, b = ([[r.randrange(300) + 1 for _ in range(100_000)]] for _ in '12')", "_core.alignments(a, b)"),
    "edit similarity of one pair": (
        "from truebleu import EditSimilarity; h, s = texts(1, 60_000), texts(1, 60_000)",
        "EditSimilarity().engine.totals(h, [s], False, {threads})",
    ),
    "answers": (
        "h, s = texts(50_000), texts(50_000)",
        "_core.answer_scores(h * 40, [s * 40], _core.WordCharacters([(97, 122)]), True, {threads})",
    ),
    "questions": (
        "h = [{'id': str(at), 'prediction_text': text} for at, text in enumerate(texts(50_000))]\n"
        "s = [{'id': one['id'], 'answers': {'text': [text]}} for one, text in zip(h, texts(50_000))]",
        "_core.squad_sums(h * 40, s * 40, _core.WordCharacters([(97, 122)]), {threads})",
    ),
    "nltk_chrf": ("h, s = texts(20_000), texts(20_000)", "_core.nltk_chrf(h * 9, s * 9, 6, 9.0, True, {threads})"),
    "distinct": ("h = texts(300_000)", "_core.distinct_ngrams(h * 3, tokenizer='13a', order=4, lowercase=False)"),
    "drawn_means": (
        "t = numpy.random.default_rng(1).random((20_000, 3)).tobytes(); k = [*range(624)]",
        "_core.drawn_means(t, 20_000, k, 624)",
    ),
    "score_rows": (
        "s = BLEU().stats(texts(2000), [texts(2000)]).rows.ravel().tolist() * 90",
        "BLEU().engine.score_rows(s)",
    ),
    "lines of files": (
        "t = '\\n'.join(texts(20_000)).encode() * 30",
        "c = _core.LineCounter([(CHRF().engine, False)], 1, 1, {threads}, 100, 1); "
        "[c.feed(file, t[at : at + 2**20]) for at in range(0, len(t), 2**20) for file in (0, 1)]",
    ),
    **{
        f"{name} of a table": (
            "import pyarrow as pa; h = pa.array(texts(20_000) * 40); "
            "k = pa.array([f'k{at % 999}' for at in range(len(h))]); "
            "b = [*_core.ColumnStream(pa.table({'h': h, 'k': k}).combine_chunks().__arrow_c_stream__())][0]; "
            "t = b.texts('h', ['h'], 'error'); e = CHRF().engine; z = bytes(4 * len(h))",
            call,
        )
        for name, call in {
            "texts": "b.texts('h', ['h'], 'error')",
            "keys": "b.keys(['k', 'h'])",
            "values": "b.values('h')",
            "lists": "t.lists()",
            "facts": "t.facts(False, z, 1), t.odd(False, 2), t.refs(False), t.refs_column(False)",
            "totals": "t.totals(e, False, z, 1, [1] * 18, {threads})",
            "cells": "t.cells(e, False, [1] * 18, {threads})",
            "scores": "t.scores(e, False, {threads})",
            "rows_bytes": "t.rows_bytes(e, False, {threads})",
        }.items()
    },
}


def _latency(tmp_path: Path, prepare: str, call: str) -> float:
    script = tmp_path / "work.py"
    script.write_text(
        PREPARE
        + f"{prepare}\nprint('ready', flush=True)\ntry:\n    while True:\n        {call}\n"
        + "except KeyboardInterrupt:\n    print(time.time(), flush=True)\n"
    )
    with subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdout.readline() == "ready\n"
        time.sleep(0.5)
        sent = time.time()
        process.send_signal(signal.SIGINT)
        heard = process.communicate(timeout=60)[0]
    assert 0 == process.returncode
    return float(heard) - sent


CALLS |= {
    "words of METEOR": ("h = texts(60_000) * 20", "_core.treebank_words(h)"),
    "uses of terms": (
        "from truebleu.metrics import Terms; s = texts(60_000); h = texts(60_000) * 20; "
        "t = Terms({w: [w] for w in vocabulary[:500]}, sources=s * 20)._matcher()",
        "t.totals_and_uses(h, [], None)",
    ),
    "lines of JSON": (
        r"r = _core.RecordReader([('t', ('t',), 'u')]); n = 3_000_000; "
        r"b = (b'{\"t\": \"a\", \"x\": [' + b'[],' * 40 + b'0]}\n') * n",
        "r.read(b, n)",
    ),
}
CASES = [(call, threads) for call in CALLS for threads in ((1, 2) if "{threads}" in CALLS[call][1] else (1,))]
CASES += [(call, 1 + at % 2) for at, call in enumerate(MORE_CALLS)]
CALLS |= MORE_CALLS


# The native calls that none of these has, and why they do not last. Whoever adds a call finds a place for it.
SHORT = {
    r"\w+_engine|watching|__new__": "makes an object, and reads no text",
    r"Engine\.(score|parts)": "looks at one row",
    r"Door\..*": "takes at most 32 segments and 4,096 characters",
    r"pair_counts|pairs_above": "sorts numbers",
    r"randomize_every_way": "has 17 rows and 65,536 trials at most",
    r"ColumnStream\..*|ColumnBatch\.(from_array|beside|slice|names|types|metadata|column|__\w+__)": "copies no cells",
    r"BatchTexts\.(problem|counted|skipped)|TokenCorpus\.(without_references|__len__)": "known already",
    r"BatchTexts\.spread_\w+|Column\..*|Table\..*": "copies numbers, a billion a second, or lists that are there",
    r"WordNet\.(synonyms|matches|score)|porter_stem": "looks at one word, or at the words of one segment",
    r"OverlapScan\.(records|read|end_file|streams_in_order|paired|grams|matches)": "takes one batch, or is known",
    r"OverlapScan\.(state|restore)": "copies what is known",
    r"TermMatcher\.engine": "makes an object, and reads no text",
    r"LineCounter\.(wants|lines|filled|totals|detached_stops|same|sample|__\w+__)": "known already",
}


def native_calls() -> list[str]:
    found = []
    for name, value in vars(_core).items():
        if inspect.isclass(value) and not issubclass(value, BaseException):
            methods = [
                method for method in vars(value) if not method.startswith("__") or method in ("__len__", "__next__")
            ]
            found += [f"{name}.{method}" for method in methods]
        elif callable(value) and not inspect.isclass(value) and not name.startswith("__"):
            found.append(name)
    return found


def test_every_native_call_that_may_last_has_a_case() -> None:
    words = " ".join(statement for _, statement in CALLS.values())
    words = words.replace("corpus_score", "totals").replace(".stats(", ".rows(")
    for name in native_calls():
        is_called = re.search(rf"\b{name.rpartition('.')[2]}\(", words)
        assert is_called or any(re.fullmatch(pattern, name) for pattern in SHORT), name


@pytest.mark.parametrize(("call", "threads"), CASES)
def test_an_interrupt_is_heard_in_every_long_call(tmp_path: Path, call: str, threads: int) -> None:
    prepare, statement = CALLS[call]
    latency = _latency(tmp_path, prepare, statement.format(threads=threads))
    print(f"{call}, {threads} thread(s): {1000 * latency:.0f} ms")
    assert latency < ALLOWED


def test_the_command_ends_with_130_and_says_nothing_when_it_is_interrupted(tmp_path: Path) -> None:
    lines = "".join(f"the {number} cats sat on mat {number % 7}\n" for number in range(40_000))
    (tmp_path / "samples.txt").write_text(lines)
    command = [sys.executable, "-m", "truebleu", "self-bleu", str(tmp_path / "samples.txt"), "-m", "chrf"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        time.sleep(2)
        sent = time.time()
        process.send_signal(signal.SIGINT)
        output = process.communicate(timeout=60)
    assert time.time() - sent < ALLOWED
    assert (130, "") == (process.returncode, output[0])
    assert "Traceback" not in output[1]


@pytest.mark.parametrize(("metric", "threads"), [(CHRF(), 1), (CHRF(), 2), (TER(), 2), (BLEU(tokenize="none"), 1)])
def test_a_callback_hears_how_far_a_call_is(metric: BLEU | CHRF | TER, threads: int) -> None:
    text = "a cat sat on the mat and looked at a dog that barked at the moon"
    heard: list[tuple[int, int]] = []
    assert _core.watching(lambda done, total: heard.append((done, total))) is None
    try:
        while len(heard) < 3:
            heard.clear()
            metric.engine.totals(
                [text, text[3:], "moon"] * 400_000, [[text[5:], text, "sun"] * 400_000], False, threads
            )
    finally:
        assert _core.watching(None) is not None
    assert {1_200_000} == {total for _, total in heard}
    assert sorted(heard) == heard and 0 < heard[-1][0] <= 1_200_000


# A timer rings all the time. What is told is the longest time of the processor in which nobody heard it.
DEAF = """
import signal, time
from truebleu import BLEU, CHRF, TER
text, other = TEXT * 1_300_000, OTHER * 1_300_000
heard = []
signal.signal(signal.SIGALRM, lambda *_: heard.append(time.process_time()))
signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
heard.append(time.process_time())
METRIC.engine.totals([text], [[other]], False, THREADS)
signal.setitimer(signal.ITIMER_REAL, 0)
print(max(after - before for before, after in zip(heard, heard[1:])))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="has no timer that rings")
@pytest.mark.parametrize("text", ["the cat sat on a mat and looked ", "кот сидел на Ковре и смотрел на "])
@pytest.mark.parametrize(("metric", "threads"), [("BLEU()", 1), ("CHRF()", 2), ("TER()", 1)])
def test_a_text_of_forty_million_characters_is_never_copied_or_read_for_long(
    text: str, metric: str, threads: int
) -> None:
    code = DEAF.replace("TEXT", repr(text)).replace("OTHER", repr(text[3:] + text[:3])).replace("METRIC", metric)
    code = code.replace("THREADS", str(threads))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600, check=True)
    assert float(done.stdout) < 0.2


def test_what_a_callback_raises_ends_the_call() -> None:
    def stop(done: int, total: int) -> None:
        raise RuntimeError(f"{total} are too many")

    _core.watching(stop)
    try:
        with pytest.raises(RuntimeError, match="9000000 are too many"):
            CHRF().engine.pairwise(["the cat sat on the mat"] * 3000, ["a cat on a mat"] * 3000, 2)
            CHRF().engine.pairwise([f"the {at} cats" for at in range(3000)], ["a cat on a mat"] * 3000, 2)
    finally:
        _core.watching(None)


def test_work_within_a_callback_is_possible() -> None:
    inner: list[float] = []
    _core.watching(lambda done, total: inner.append(BLEU().sentence_score("a b c d", ["a b c d"]).score))
    try:
        while not inner:
            CHRF().engine.totals(["the cat sat on the mat"] * 400_000, [["a cat on a mat"] * 400_000], False, 1)
    finally:
        _core.watching(None)
    assert {100.0} == {round(score, 6) for score in inner}


def test_lists_that_another_thread_changes_give_one_clear_error() -> None:
    """The list is made shorter by a signal handler's stand-in: the callback runs in the midst of a call."""
    texts = ["the cat sat on the mat"] * 600_000
    _core.watching(lambda done, total: texts.clear())
    try:
        with pytest.raises(TypeError, match="a list of texts was changed while it was being scored"):
            CHRF().engine.totals(texts, [["a cat on a mat"] * 600_000], False, 1)
    finally:
        _core.watching(None)


@pytest.mark.parametrize("kind", [BLEU, CHRF, TER])
def test_lists_that_another_thread_changes_give_a_score_or_an_error_that_says_so(kind: type[BLEU | CHRF | TER]) -> None:
    """Texts come and go, or turn into something else, while they are read."""
    hypotheses, references = ["the cat sat on the mat"] * 300, ["a cat on a mat"] * 300
    is_over = threading.Event()

    def disturb() -> None:
        while not is_over.is_set():
            hypotheses.pop()
            references[7] = None  # type: ignore[call-overload]
            hypotheses.append("the cat")
            references[7] = "a cat"

    thread = threading.Thread(target=disturb)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    thread.start()
    try:
        for _ in range(300):
            for call in (kind().corpus_score, kind().stats):
                with contextlib.suppress(TruebleuError):
                    call(hypotheses, [references], threads=1)
    finally:
        is_over.set()
        thread.join()
        sys.setswitchinterval(interval)


def test_a_bar_moves_within_a_step(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr(progress, "_PATIENCE", 0.01)
    monkeypatch.setenv("TERM", "xterm")
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    stats = {name: BLEU().stats([text] * 2000, [["a cat sat on the mat"] * 2000]) for name, text in SYSTEMS.items()}
    for work in (_count, lambda: _core.bootstrap(_systems(stats), samples=40_000, seed=[1], skip=0, threads=1)):
        with progress.Progress() as bar, bar.step("working"):
            screen.truncate(0)
            while not set(re.findall("[0-9]+%", screen.getvalue())) - {"0%", "100%"}:
                work()
    assert _core.watching(None) is None


SYSTEMS = {"one": "the cat sat on a mat", "two": "a cat sits on the mat"}


def _count() -> None:
    CHRF().engine.totals(["the cat sat on the mat"] * 900_000, [["a cat on a mat"] * 900_000], False, 1)


def _systems(stats: dict[str, Any]) -> list[tuple[_core.Engine, bytes]]:
    return [(BLEU().engine, each.rows.tobytes()) for each in stats.values()]
