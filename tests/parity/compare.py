"""Comparing truebleu with sacreBLEU on one case, in every way a user could notice.

`check_corpus` and `check_everything` take a metric's name, options and a corpus, and fail on any difference.
`run_cases` drives `check_case`, which chooses between them, over generated cases and reports the shortest
failing one.
"""

import functools
import operator
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
import sacrebleu.metrics

import truebleu.metrics
from oracle import chrf as oracle_chrf
from strategies import Corpus, Generator, Streams

ATTRIBUTES = {
    "BLEU": ("counts", "totals", "precisions", "bp", "sys_len", "ref_len", "ratio", "prec_str"),
    "CHRF": ("char_order", "word_order", "beta"),
    "TER": ("num_edits", "ref_length"),
}

# Options that sacreBLEU leaves out of its signatures and truebleu appends.
EXTRA_KEYS = {"order", "empty"}


# --- what is compared -------------------------------------------------------------------------


def check_case(name: str, options: dict[str, Any], corpus: Corpus, index: int) -> None:
    """Every case by its corpus score, every seventh in every way; empty references are kept by turns."""
    turn = index // CHUNKS
    check = check_everything if turn % 7 == 0 else check_corpus
    check(name, options, corpus, ("keep", "drop")[turn % 2])


def check_corpus(name: str, options: dict[str, Any], corpus: Corpus, empty_refs: str = "keep") -> None:
    """Score, statistics, text and signature of the corpus."""
    with described(name, options, corpus, empty_refs):
        theirs, ours = both(name, options, empty_refs)
        expected = theirs.corpus_score(corpus.hypotheses, counted(corpus.streams, empty_refs))
        actual = ours.corpus_score(corpus.hypotheses, corpus.streams)
        same_score(expected, actual, name)
        assert signature_items(theirs) == signature_items(ours)
        assert signature_items(theirs, short=True) == signature_items(ours, short=True)


def check_everything(name: str, options: dict[str, Any], corpus: Corpus, empty_refs: str = "keep") -> None:
    """The corpus, then segments, rows, threads, layout, cached references and formats."""
    check_corpus(name, options, corpus, empty_refs)
    with described(name, options, corpus, empty_refs):
        check_segments(name, options, corpus, empty_refs)
        check_ways_to_call(name, options, corpus, empty_refs)
        check_formats(name, options, corpus, empty_refs)


@contextmanager
def described(name: str, options: dict[str, Any], corpus: Corpus, empty_refs: str) -> Iterator[None]:
    """Write on any failure inside what was being compared."""
    try:
        yield
    except BaseException as error:
        error.add_note(f"{name} {options} empty_refs={empty_refs}\n  {tuple(corpus)!a}")
        raise


def check_segments(name: str, options: dict[str, Any], corpus: Corpus, empty_refs: str) -> None:
    """Rows, sentence scores one by one, and all at once."""
    theirs, ours = both(name, options, empty_refs)
    segments = Corpus(corpus.hypotheses, counted(corpus.streams, empty_refs)).segments
    expected = [theirs.sentence_score(h, rs) for h, rs in zip(corpus.hypotheses, segments, strict=True)]
    for score, hyp, refs in zip(expected, corpus.hypotheses, corpus.segments, strict=True):
        same_score(score, ours.sentence_score(hyp, refs), name)
    same_array([score.score for score in expected], ours.sentence_scores(corpus.hypotheses, corpus.streams))

    stats = ours.stats(corpus.hypotheses, corpus.streams)
    rows = expected_rows(name, options, corpus.hypotheses, segments)
    same_array(rows, stats.rows)
    assert len(stats.columns) == len(rows[0])
    totals = functools.reduce(operator.add, stats.rows)
    assert column_sums(rows) == totals.tolist()


def check_ways_to_call(name: str, options: dict[str, Any], corpus: Corpus, empty_refs: str) -> None:
    """Threads, layout and cached references change nothing."""
    hyps, streams = corpus
    _, ours = both(name, options, empty_refs)
    score, scores, rows = (call(hyps, streams) for call in ways(ours))
    for keywords in ({"threads": 1}, {"threads": 3}, {"layout": "segments"}, {"layout": "streams"}):
        refs = corpus.segments if keywords.get("layout") == "segments" else streams
        again = [call(hyps, refs, **keywords) for call in ways(ours)]
        same_score(score, again[0], name)
        same_array(scores, again[1])
        same_array(rows, again[2])
    cached = getattr(truebleu.metrics, name)(**options, empty_refs=empty_refs, references=streams)
    before = str(cached.get_signature())
    same_score(score, cached.corpus_score(hyps, None), name)
    ours.corpus_score(hyps, streams)
    assert before == str(cached.get_signature()) == str(ours.get_signature())


def ways(metric: Any) -> Iterator[Callable[..., Any]]:
    yield metric.corpus_score
    yield metric.sentence_scores
    yield lambda *args, **keywords: metric.stats(*args, **keywords).rows


def check_formats(name: str, options: dict[str, Any], corpus: Corpus, empty_refs: str) -> None:
    """Every form of the score's text, given the same signature."""
    theirs, ours = both(name, options, empty_refs)
    expected = theirs.corpus_score(corpus.hypotheses, counted(corpus.streams, empty_refs))
    actual = ours.corpus_score(corpus.hypotheses, corpus.streams)
    signature = theirs.get_signature().format()
    for width in (0, 1, 2, 4, 17):
        for keywords in ({}, {"score_only": True}, {"signature": signature}):
            assert expected.format(width=width, **keywords) == actual.format(width=width, **keywords)
        json = {"signature": signature, "is_json": True}
        assert expected.format(width=width, **json) == actual.format(width=width, **json)
        assert expected.format(width, True, signature, True) == actual.format(width, True, signature, True)


# --- what is expected -------------------------------------------------------------------------


def both(name: str, options: dict[str, Any], empty_refs: str = "keep") -> tuple[Any, Any]:
    """sacreBLEU's metric and ours."""
    theirs = getattr(sacrebleu.metrics, name)(**options)
    return theirs, getattr(truebleu.metrics, name)(**options, empty_refs=empty_refs)


def counted(streams: Streams, empty_refs: str) -> Streams:
    """The references sacreBLEU must be given to count what truebleu counts.

    By default an empty reference beside a real one is no reference to truebleu.
    """
    if empty_refs == "keep":
        return streams
    segments = [[ref if ref or not any(refs) else None for ref in refs] for refs in zip(*streams, strict=True)]
    return [list(stream) for stream in zip(*segments, strict=True)]


def expected_rows(
    name: str, options: dict[str, Any], hyps: Sequence[str], segments: Sequence[Sequence[str | None]]
) -> list[list[float]]:
    """The rows as sacreBLEU's sentence scores show them; chrF's show nothing, so the oracle speaks."""
    if name == "CHRF":
        return [oracle_chrf.row(hyp, refs, **options) for hyp, refs in zip(hyps, segments, strict=True)]
    if name == "BLEU":
        # Smoothing rewrites the counts that a score reports.
        options = {**options, "smooth_method": "none"}
    metric = getattr(sacrebleu.metrics, name)(**options)
    scores = [metric.sentence_score(hyp, refs) for hyp, refs in zip(hyps, segments, strict=True)]
    if name == "BLEU":
        return [[score.sys_len, score.ref_len, *score.counts, *score.totals] for score in scores]
    return [[score.num_edits, score.ref_length] for score in scores]


def column_sums(rows: Sequence[Sequence[float]]) -> list[float]:
    """Added row by row from the top, as sacreBLEU adds: the order matters for TER's lengths."""
    return [functools.reduce(operator.add, column) for column in zip(*rows, strict=True)]


# --- what counts as the same ------------------------------------------------------------------


def same_score(expected: Any, actual: Any, name: str) -> None:
    for attribute in ("name", "score", *ATTRIBUTES[name]):
        identical(getattr(expected, attribute), getattr(actual, attribute), attribute)
    assert str(expected) == str(actual)
    assert repr(expected) == repr(actual)


def identical(expected: Any, actual: Any, what: str) -> None:
    """Equal in value, sign of zero and type, down to the elements of lists."""
    assert type(expected) is type(actual), f"{what}: {expected!r} has another type than {actual!r}"
    assert repr(expected) == repr(actual), f"{what}: expected {expected!r}, got {actual!r}"


def same_array(expected: Sequence[Any] | np.ndarray, actual: np.ndarray) -> None:
    """The same shape and the same float64 bits."""
    assert isinstance(actual, np.ndarray)
    assert np.dtype("float64") == actual.dtype
    wanted = np.array(expected, dtype=np.float64)
    assert wanted.shape == actual.shape
    assert wanted.tobytes() == np.ascontiguousarray(actual).tobytes(), f"expected {wanted!r}, got {actual!r}"


def signature_items(metric: Any, short: bool = False) -> list[str]:
    """The signature without version, and without what only truebleu says."""
    items = metric.get_signature().format(short=short).split("|")
    assert items[-1].split(":")[0] == ("v" if short else "version")
    return [item for item in items[:-1] if item.split(":")[0] not in EXTRA_KEYS]


# --- running many cases -----------------------------------------------------------------------

CHUNKS = 10


def run_cases(
    family: str,
    chunk: int,
    cases: int,
    check: Callable[[Generator, int], None],
    generator: Callable[[str], Generator] = Generator,
) -> None:
    """Run one chunk of a family of generated cases, and fail with the shortest of the failing ones.

    Case 17 of family ``chrf`` is always made by ``Generator("chrf/17")``.
    """
    failures = []
    indices = range(chunk, cases, CHUNKS)
    for index in indices:
        try:
            check(generator(f"{family}/{index}"), index)
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # A Rust panic is no Exception.
            failures.append((f"{family}/{index}", error))
    if failures:
        name, error = min(failures, key=lambda failure: len(_account(failure[1])))
        pytest.fail(
            f"{len(failures)} of {len(indices)} cases differ, the shortest being Generator({name!r}):\n"
            + _account(error),
            pytrace=False,
        )


def _account(error: BaseException) -> str:
    """The error, where it was raised, and what was being compared, in ASCII."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    lines = [
        f"{type(error).__name__}: {error}",
        f"{place.name}: {place.line}",
        *getattr(error, "__notes__", []),
    ]
    return "\n".join(lines).encode("ascii", "backslashreplace").decode()
