"""The jobs: what is raced against what, and how far ahead we must be."""

from __future__ import annotations

import os
import re
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

import before
import contestants
import matrices
import meteor
import processes
import resampling
import rouge
import small
import wer
from contestants import Options
from corpora import CHINESE, CYRILLIC, LATIN, Corpus, load
from report import Goal, Row, cores, figure
from timing import AnswersDiffer, Side, Timing, median_ratio, race

# bleuscore and fastchrf promise sacreBLEU's numbers, not its bits. On these texts bleuscore's 13a finds the
# same tokens, so what is left is the order of the arithmetic.
PEER_TOLERANCE = 1e-9


@dataclass(frozen=True)
class Settings:
    """How much work a run does."""

    rounds: int = 5
    duel_rounds: int = 3
    whole: int | None = None
    duel: int | None = None
    crawl: int = 2_000
    memory_segments: int = 200_000
    imports: int = 31
    commands: int = 7
    resamples: int = 2_000
    shuffles: int = 10_000
    matrix: int = 1_000
    samples: int = 2_000
    before: Path | None = None  # the package of an earlier build

    def corpus(self, name: str) -> Corpus:
        return _cut(load(name), self.whole)

    def duel_corpus(self, name: str, crawls: bool) -> Corpus:
        return _cut(load(name), self.crawl if crawls else self.duel)


def _cut(corpus: Corpus, size: int | None) -> Corpus:
    return corpus if size is None else corpus.sample(size)


QUICK = Settings(
    rounds=3,
    whole=10_000,
    duel=2_000,
    crawl=500,
    memory_segments=50_000,
    imports=7,
    commands=3,
    shuffles=2_000,
    matrix=300,
    samples=500,
)


@dataclass(frozen=True)
class Duel:
    """A job against sacreBLEU."""

    title: str
    metric: str
    goal: Goal
    options: Options = field(default_factory=dict)
    segments: bool = False
    text: str = LATIN
    crawls: bool = False

    def ours(self, corpus: Corpus) -> Any:
        call = contestants.truebleu_segments if self.segments else contestants.truebleu_corpus
        return call(self.metric, self.options, corpus)

    def theirs(self, corpus: Corpus) -> Any:
        call = contestants.sacrebleu_segments if self.segments else contestants.sacrebleu_corpus
        return call(self.metric, self.options, corpus)


DUELS = {
    "bleu-13a": Duel("BLEU 13a corpus", "BLEU", Goal(150, 200)),
    "bleu-intl": Duel("BLEU intl corpus", "BLEU", Goal(115, 153), {"tokenize": "intl"}),
    "bleu-zh": Duel("BLEU zh corpus", "BLEU", Goal(141, 187), {"tokenize": "zh"}, text=CHINESE),
    "bleu-char": Duel("BLEU char corpus", "BLEU", Goal(162, 216), {"tokenize": "char"}),
    "bleu-none": Duel("BLEU none corpus", "BLEU", Goal(88, 117), {"tokenize": "none"}),
    "chrf": Duel("chrF corpus", "CHRF", Goal(200, 280)),
    "chrf++": Duel("chrF++ corpus", "CHRF", Goal(170, 230), {"word_order": 2}),
    "bleu-cyrillic": Duel("BLEU 13a corpus, Cyrillic", "BLEU", Goal(57, 95), text=CYRILLIC),
    "chrf-cyrillic": Duel("chrF corpus, Cyrillic", "CHRF", Goal(157, 262), text=CYRILLIC),
    "chrf-chinese": Duel("chrF corpus, Chinese", "CHRF", Goal(189, 315), text=CHINESE),
    "ter": Duel("TER corpus", "TER", Goal(300, 1000), crawls=True),
    "bleu-segments": Duel("BLEU `sentence_scores`", "BLEU", Goal(80, 200), {"effective_order": True}, True),
    "chrf-segments": Duel("chrF `sentence_scores`", "CHRF", Goal(80, 200), segments=True),
}

THREADED = {"BLEU 13a": "BLEU", "chrF": "CHRF", "TER": "TER"}
OPTIONAL_PEERS = ("bleuscore", "fastchrf", "fast_bleu", "nltk", "jiwer", "rapidfuzz", "torch", "torchmetrics")


def against_sacrebleu(duel: Duel, settings: Settings) -> list[Row]:
    """Race on the same texts: the whole corpus, or a sample of it where sacreBLEU would take many minutes."""
    corpus = settings.duel_corpus(duel.text, duel.crawls)
    sides = [
        Side(partial(duel.ours, corpus)),
        Side(partial(duel.theirs, corpus.copy()), contestants.forget_sacrebleu),
    ]
    ours, theirs = (timing.micros(len(corpus)) for timing in race(sides, settings.duel_rounds, _assert_same))
    ratio, median = theirs.best / ours.best, median_ratio(theirs, ours)
    return [Row(duel.title, duel.goal, ratio, median, ours.best, theirs.best, f"{len(corpus):,}")]


def against_limits(settings: Settings) -> list[Row]:
    """`str.split()` of all texts, and copying their bytes: what no counter of words can be much faster than."""
    corpus = settings.corpus(LATIN)
    copy, everything = corpus.copy(), "".join(corpus.hypotheses + corpus.references)
    # Repeated, so that caches do not hold them.
    source = bytearray(everything.encode()) * COPIES
    sides = [
        Side(partial(contestants.truebleu_corpus, "BLEU", {}, corpus)),
        Side(partial(contestants.split_all, copy)),
        Side(partial(_copy, source, bytearray(len(source)))),
    ]
    ours, split, copied = race(sides, settings.rounds, _anything)
    copied = Timing(tuple(seconds / COPIES for seconds in copied.rounds))
    each = (f"{figure(1e9 * timing.best / len(everything))} ns" for timing in (ours, split, copied))
    note = "a character takes BLEU {}, `str.split()` {}, and copying {}".format(*each)
    return [
        Row(
            f"BLEU 13a, in times of {title}",
            goal,
            ours.best / peer.best,
            median_ratio(ours, peer),
            ours.micros(len(corpus)).best,
            peer.micros(len(corpus)).best,
            f"{len(corpus):,}",
            note,
        )
        for title, goal, peer, note in (
            ("`str.split()`", _at_most(1.5), split, note),
            ("copying its bytes", Goal(None), copied, ""),
        )
    ]


# How often the bytes of all texts are copied.
COPIES = 8


def _copy(source: bytearray, target: bytearray) -> None:
    target[:] = source


def against_bleuscore(settings: Settings) -> list[Row]:
    corpus = settings.corpus(LATIN)
    copy = corpus.copy()
    references = [[reference] for reference in copy.references]
    sides = [
        Side(partial(contestants.truebleu_corpus, "BLEU", {}, corpus)),
        Side(partial(contestants.bleuscore_corpus, copy.hypotheses, references)),
    ]
    differences: list[float] = []

    def check(ours: Any, theirs: Any) -> None:
        differences.append(abs(ours.score - 100 * theirs["bleu"]))
        _assert_close(differences[0], PEER_TOLERANCE)

    return [_peer_row("BLEU 13a against bleuscore", settings, sides, corpus, check, differences)]


def against_fastchrf(settings: Settings) -> list[Row]:
    """fastchrf has no corpus score: it is given one hypothesis and one reference a batch row."""
    corpus = settings.corpus(LATIN)
    copy = corpus.copy()
    hypotheses = [[hypothesis] for hypothesis in copy.hypotheses]
    references = [[reference] for reference in copy.references]
    sides = [
        Side(partial(contestants.truebleu_segments, "CHRF", {}, corpus)),
        Side(partial(contestants.fastchrf_segments, hypotheses, references)),
    ]
    differences: list[float] = []

    def check(ours: Any, theirs: Any) -> None:
        differences.append(float(np.abs(ours - np.array(theirs)[:, 0, 0]).max()))
        _assert_close(differences[0], PEER_TOLERANCE)

    return [_peer_row("chrF segments against fastchrf", settings, sides, corpus, check, differences)]


def against_nltk(title: str, function: str, goal: Goal, settings: Settings) -> list[Row]:
    """Race on lists of words, one reference each; both sides get their own words."""
    corpus = settings.corpus(LATIN)
    sides = [
        Side(partial(call, function, *_words(corpus.copy())))
        for call in (contestants.truebleu_nltk, contestants.nltk_corpus)
    ]
    with mock.patch.dict(os.environ, {"TRUEBLEU_THREADS": "1"}):
        ours, theirs = (timing.micros(len(corpus)) for timing in race(sides, settings.duel_rounds, _assert_equal))
    ratio, median = theirs.best / ours.best, median_ratio(theirs, ours)
    return [Row(title, goal, ratio, median, ours.best, theirs.best, f"{len(corpus):,}")]


def against_evaluate(name: str, goal: Goal, settings: Settings) -> list[Row]:
    """Race evaluate's metric in plain Python, for the script is on a hub; one reference each."""
    corpus = settings.corpus(LATIN)
    peer = {"bleu": contestants.python_bleu, "google_bleu": contestants.python_google_bleu}[name]
    sides = [
        Side(partial(contestants.truebleu_evaluate, name, {}, *_by_prediction(corpus.copy()))),
        Side(partial(peer, *_by_prediction(corpus.copy())), contestants.forget_sacrebleu),
    ]
    with mock.patch.dict(os.environ, {"TRUEBLEU_THREADS": "1"}):
        ours, theirs = (timing.micros(len(corpus)) for timing in race(sides, settings.duel_rounds, _assert_equal))
    ratio, median = theirs.best / ours.best, median_ratio(theirs, ours)
    return [Row(f"evaluate's `{name}`", goal, ratio, median, ours.best, theirs.best, f"{len(corpus):,}")]


def _by_prediction(corpus: Corpus) -> tuple[list[str], list[list[str]]]:
    return corpus.hypotheses, [[text] for text in corpus.references]


def _words(corpus: Corpus) -> tuple[list[list[list[str]]], list[list[str]]]:
    return [[text.split()] for text in corpus.references], [text.split() for text in corpus.hypotheses]


def _assert_equal(ours: Any, theirs: Any) -> None:
    if ours != theirs:
        raise AnswersDiffer(f"{ours!r} here, {theirs!r} there")


def two_threads(settings: Settings) -> list[Row]:
    """BLEU, chrF and TER on two threads against one; the same bits are asserted."""
    corpus = settings.corpus(LATIN)
    return [_thread_row(title, metric, corpus, settings) for title, metric in THREADED.items()]


def memory(settings: Settings) -> list[Row]:
    count = settings.memory_segments
    results = {threads: processes.measure_memory(count, threads) for threads in (1, 2)}
    if results[1]["score"] != results[2]["score"]:
        raise AnswersDiffer("the score depends on the number of threads")
    each = {threads: result["peak"] / count for threads, result in results.items()}
    left = max(result["left"] for result in results.values())
    note = ", ".join(f"{figure(value)} B with {threads} thread(s)" for threads, value in each.items())
    row = partial(Row, segments=f"{count:,}")
    return [
        row("BLEU 13a, peak memory a segment", _at_most(100, " B"), max(each.values()), note=note),
        row("bytes left on the input strings", _at_most(0, " B"), left),
    ]


def imports(settings: Settings) -> list[Row]:
    times = processes.import_times(settings.imports)
    extra = {name: 1000 * (seconds - times["nothing"]) for name, seconds in times.items()}
    note = (
        f"a bare interpreter takes {figure(1000 * times['nothing'])} ms, "
        f"`import sacrebleu` adds {figure(extra['sacrebleu'])} ms, "
        f"`import truebleu` with a first score adds {figure(extra['first score'])} ms"
    )
    return [
        Row("`import truebleu`, beyond bare Python", _at_most(40, " ms"), extra["truebleu"], note=note),
        Row("`import truebleu` against sacreBLEU's", Goal(1), times["sacrebleu"] / times["truebleu"]),
    ]


def command_line(settings: Settings) -> list[Row]:
    """Whole processes: one system of about 2,000 segments, both programs on the same files."""
    corpus = settings.corpus(LATIN).sample(settings.crawl)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file, texts in (("hyp", corpus.hypotheses), ("ref", corpus.references)):
            (folder / file).write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
        three = ["-m", "bleu", "chrf", "ter"]
        words = {
            f"{program} {metrics}": ["-m", program, "ref", "-i", "hyp", *options]
            for program in ("truebleu", "sacrebleu")
            for metrics, options in (("BLEU", []), ("all", three))
        }
        words |= {"help": ["-m", "truebleu", "--help"], "list": ["-m", "truebleu", "--list"], "nothing": ["-c", "pass"]}
        times, outputs = processes.command_times(words, folder, settings.commands)
    for metrics in ("BLEU", "all"):
        _assert_same_text(outputs[f"truebleu {metrics}"], outputs[f"sacrebleu {metrics}"])
    return [
        _command_row("`truebleu`, BLEU + chrF + TER, whole process", Goal(20), "all", times, len(corpus)),
        _command_row("`truebleu`, BLEU, whole process", Goal(9, 11), "BLEU", times, len(corpus)),
        Row("`truebleu --help`, beyond bare Python", _at_most(100, " ms"), 1000 * (times["help"] - times["nothing"])),
        Row("`truebleu --list`, whole process", _at_most(150, " ms"), 1000 * times["list"]),
    ]


def _command_row(title: str, goal: Goal, metrics: str, times: dict[str, float], segments: int) -> Row:
    ours, theirs = times[f"truebleu {metrics}"], times[f"sacrebleu {metrics}"]
    note = f"{figure(1000 * ours)} ms against {figure(1000 * theirs)} ms, medians"
    return Row(title, goal, theirs / ours, segments=f"{segments:,}", note=note)


def _assert_same_text(ours: str, theirs: str) -> None:
    if re.sub(r"version:\S+", "", ours).split() != re.sub(r"version:\S+", "", theirs).split():
        raise AnswersDiffer(f"{ours!r} is not {theirs!r}")


JOBS: dict[str, Callable[[Settings], list[Row]]] = {
    **{name: partial(against_sacrebleu, duel) for name, duel in DUELS.items()},
    "nltk-bleu": partial(against_nltk, "`nltk.corpus_bleu` against NLTK", "corpus_bleu", Goal(30, 60)),
    "nltk-gleu": partial(against_nltk, "`nltk.corpus_gleu` against NLTK", "corpus_gleu", Goal(20, 40)),
    "evaluate-bleu": partial(against_evaluate, "bleu", Goal(50, 100)),
    "evaluate-google-bleu": partial(against_evaluate, "google_bleu", Goal(40, 80)),
    "limits": against_limits,
    "threads": two_threads,
    "memory": memory,
    "imports": imports,
    "command-line": command_line,
    **small.JOBS,
    **resampling.JOBS,
    **before.JOBS,
    "bleuscore": against_bleuscore,
    "fastchrf": against_fastchrf,
    **matrices.JOBS,
    **rouge.JOBS,
    **meteor.JOBS,
    **wer.JOBS,
}


def run(name: str, settings: Settings) -> list[Row]:
    """The rows of one job; a disagreement becomes a row without a time."""
    print(f"{name} …", end=" ", file=sys.stderr, flush=True)
    try:
        rows = JOBS[name](settings)
    except AnswersDiffer as error:
        rows = [Row(name, Goal(None), None, note=str(error), differs=True)]
    except ModuleNotFoundError as error:
        if error.name not in OPTIONAL_PEERS:
            raise
        rows = [Row(name, Goal(None), None, note=f"{error.name} is not installed")]
    print(", ".join(row.verdict().strip("*") for row in rows), file=sys.stderr)
    return rows


def _thread_row(title: str, metric: str, corpus: Corpus, settings: Settings) -> Row:
    title, goal = f"{title}, two threads against one", Goal(1.7)
    if cores() < 2:
        return Row(title, goal, None, note="needs two cores")
    sides = [Side(partial(contestants.truebleu_corpus, metric, {}, corpus, threads)) for threads in (1, 2)]
    # Short calls, and two cores are seldom both free: more rounds to find a moment when they are.
    one, two = race(sides, 3 * settings.rounds, _assert_same)
    return Row(
        title,
        goal,
        one.best / two.best,
        median_ratio(one, two),
        two.micros(len(corpus)).best,
        one.micros(len(corpus)).best,
        f"{len(corpus):,}",
    )


def _peer_row(
    title: str,
    settings: Settings,
    sides: list[Side],
    corpus: Corpus,
    check: Callable[..., None],
    differences: list[float],
) -> Row:
    ours, theirs = race(sides, settings.rounds, check)
    return Row(
        title,
        Goal(5),
        theirs.best / ours.best,
        median_ratio(theirs, ours),
        ours.micros(len(corpus)).best,
        theirs.micros(len(corpus)).best,
        f"{len(corpus):,}",
        f"scores differ by at most {differences[0]:.2g}",
    )


def _assert_same(mine: Any, other: Any) -> None:
    """Equal to the last bit: arrays by element, score objects by score and by text."""
    if isinstance(mine, np.ndarray):
        if not np.array_equal(mine, other):
            raise AnswersDiffer(f"{np.count_nonzero(mine != other)} of {len(mine)} segment scores differ")
    elif mine.score != other.score or str(mine) != str(other):
        raise AnswersDiffer(f"{mine.score!r} is not {other.score!r} ({mine} / {other})")


def _assert_close(difference: float, tolerance: float) -> None:
    if not difference <= tolerance:
        raise AnswersDiffer(f"scores differ by {difference}, more than {tolerance}")


def _anything(*_: Any) -> None:
    """`str.split` has no score to compare; other jobs have compared ours."""


def _at_most(must: float, unit: str = "×") -> Goal:
    return Goal(must, unit=unit, ceiling=True)
