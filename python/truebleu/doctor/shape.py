"""D1: files of the wrong kind. All of these except line breaks are errors: a score without a message would mislead."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations, islice, takewhile

import numpy as np

from truebleu._counts import number_of
from truebleu._shown import shown
from truebleu.doctor import patterns
from truebleu.doctor.alignment import drifts
from truebleu.doctor.case import Case
from truebleu.doctor.rule import Fault, NotChecked, many
from truebleu.doctor.texts import Columns, squash


def counts(corpus: Case) -> Iterator[Fault]:
    """D101: find numbers of lines that differ; a corpus has the same number, so `other_number` looks before."""
    yield from ()


def other_number(hypotheses: Sequence[str], stream: Sequence[str | None], side: str, threads: int | None) -> Fault:
    """D101: report a stream of references with another number of lines, and where lines are missing or surplus."""
    theirs, ours = len(stream), len(hypotheses)
    message = f"the hypotheses have {many(ours, 'line', 'lines')}, {side} {theirs:,}"
    evidence = {"hypotheses": ours, "references": theirs}
    difference = theirs - ours
    if min(ours, theirs) >= 10:
        found = drifts(hypotheses, [text or "" for text in stream], threads).runs
        # From the last change of offset on; lines that fit nowhere may interrupt a stretch.
        run = next(iter(list(takewhile(lambda run: run.offset == difference, reversed(found)))[::-1]), None)
        if run is not None:
            evidence |= {"line": run.first + 1, "offset": run.offset}
            far = many(abs(difference), "line", "lines")
            way = "down" if difference > 0 else "up"
            number = many(abs(difference), "line seems", "lines seem")
            what = "to be missing there" if difference > 0 else "to be too many before it"
            message += f". From line {run.first + 1} on the texts fit {far} further {way}: {number} {what}"
    return Fault(message, level="error", evidence=evidence)


def transposed(corpus: Case) -> Iterator[Fault]:
    """D102: find references that are grouped the other way, if the numbers do not show it."""
    if corpus.n < 2 or len(corpus.references) != corpus.n:
        return
    # One reference at a time: even with the wrong layout, one of them is always right.
    n, references = corpus.n, corpus.references
    repeated = [text for text in corpus.hypotheses for _ in range(n)]
    here = float(corpus.sim(repeated, [references[k][at] for at in range(n) for k in range(n)]).mean())
    there = float(corpus.sim(repeated, [references[at][k] for at in range(n) for k in range(n)]).mean())
    if there > 0 and there >= 1.5 * here:
        message = (
            f"these references fit far better if they are grouped the other way ({there:.2f} against {here:.2f}): "
            "pass the other layout, 'segments' in place of 'streams' or the reverse"
        )
        yield Fault(message, level="error", side="references[0]", evidence={"here": here, "there": there})


def reference_twice(corpus: Case) -> Iterator[Fault]:
    """D103: find streams of references that are the same text."""
    for (at, one), (other_at, other) in combinations(enumerate(corpus.squashed_references), 2):
        share = sum(a == b for a, b in zip(one, other, strict=True)) / corpus.n
        if share >= 0.9:
            message = f"references {at + 1} and {other_at + 1} are the same text in {share:.0%} of lines"
            yield Fault(message, level="error", side=f"references[{other_at}]", evidence={"share": share})


def reference_as_hypothesis(corpus: Case) -> Iterator[Fault]:
    """D104: find hypotheses that are the reference itself."""
    share = int(((corpus.hyp["len"] > 0) & np.any(corpus.equals, axis=0)).sum()) / corpus.n
    if share >= 0.9:
        yield Fault("the hypotheses are the reference itself", level="error", evidence={"share": share})


def source_as_text(corpus: Case) -> Iterator[Fault]:
    """D105: find hypotheses or references that are the source, untranslated."""
    sources = corpus.folded["sources"]
    references = [corpus.folded[side] for side in corpus.reference_sides]
    filled = corpus.once("filled sources", lambda: {at for at, source in enumerate(sources) if source})
    copied = corpus.once(
        "references that are sources", lambda: {at for side in references for at in _equal(side, sources)}
    )
    for side in ("hypotheses", *corpus.reference_sides):
        is_open = filled - copied if side == "hypotheses" else filled
        equal = sum(at in is_open for at in _equal(corpus.folded[side], sources))
        if equal >= max(3, 0.5 * len(is_open)):
            what = "hypotheses" if side == "hypotheses" else "references"
            message = f"the {what} are the source text, untranslated"
            evidence = {"share": equal / len(is_open)}
            yield Fault(message, level="error", side=side, evidence=evidence)


def _equal(texts: Sequence[str], others: Sequence[str]) -> list[int]:
    return [at for at, (one, other) in enumerate(zip(texts, others, strict=True)) if one == other]


# For each format: the pattern of a line, its first character (after white space), the share of lines that must match,
# and what to do.
_FORMATS = (
    (
        r"[STHDP]-\d+\t",
        "[STHDP]",
        0.5,
        "output of fairseq-generate: sort lines by number, and take the last column of H",
    ),
    (r"\s*\{\s*\"", r"\{", 0.5, "JSON objects: use --hyp-field, or take the field of the text"),
    (
        r"\s*(?:\[\s*['\"].*\]|b'.*'|b\".*\")\s*$",
        r"[\[b]",
        0.5,
        "Python lists or bytes, printed: join or decode them first",
    ),
    (r'".*"$', '"', 0.9, "in quotation marks, as in a CSV file: read it with a CSV reader"),
    (r"\d+(?:[.):] |\t|\s*\|\|\|)", r"\d", 0.9, "numbered: take the numbers away"),
)


def other_format(corpus: Case) -> Iterator[Fault]:
    """D106: find lines that are in another format than plain text."""
    lines = corpus.once(
        "lines of references", lambda: [Lines(*side) for side in zip(corpus.references, corpus.refs, strict=True)]
    )
    yield from formats_of(Lines(corpus.hypotheses, corpus.hyp), lines)


class Lines:
    """The first characters of the lines of a file, and their numbers of tabs."""

    def __init__(self, texts: Sequence[str], columns: Columns) -> None:
        self.texts, self.tabs = texts, columns["tab"]
        codes, numbers = np.unique(columns["opening"], return_counts=True)
        self.firsts = dict(zip(map(chr, codes.tolist()), numbers.tolist(), strict=True))


def formats_of(hypotheses: Lines, references: Sequence[Lines]) -> Iterator[Fault]:
    """D106 for lists of texts that may differ in length."""
    sides = [("hypotheses", hypotheses, references[0])]
    sides += [(f"references[{at}]", stream, hypotheses) for at, stream in enumerate(references)]
    for side, one, other in sides:
        message = _format(one, other)
        if message:
            lines = "the hypotheses" if side == "hypotheses" else side
            yield Fault(f"the lines of {lines} are {message}", level="error", side=side)


def _format(lines: Lines, other: Lines) -> str:
    texts, others, tabs = lines.texts, other.texts, lines.tabs
    for pattern, first, least, message in _FORMATS:
        wanted = max(3, least * len(texts))
        if sum(number for character, number in lines.firsts.items() if _is_first(first, character)) < wanted:
            continue
        starts = re.compile(pattern).match
        number = sum(starts(text) is not None for text in texts)
        if number >= wanted and sum(map(bool, map(starts, others))) < 0.2 * len(others):
            return message
    usual = int(np.bincount(tabs).argmax()) if len(tabs) else 0
    their_tabs = int((other.tabs > 0).sum())
    if usual and (tabs == usual).sum() >= max(3, 0.9 * len(texts)) and their_tabs < 0.2 * len(others):
        return f"{number_of(usual + 1, 'column')} with tabs between them: take the column of the text"
    return ""


@cache
def _is_first(pattern: str, character: str) -> bool:
    return re.match(pattern, character) is not None


_MISSING = frozenset(("nan", "NaN", "None", "null", "NULL", "N/A", "<NA>"))


def missing_values(corpus: Case) -> Iterator[Fault]:
    """D107: find words that some programs write for an empty cell of a table."""
    lengths = corpus.hyp["len"]
    short = np.flatnonzero((lengths >= min(map(len, _MISSING))) & (lengths <= max(map(len, _MISSING)))).tolist()
    found = [at for at in short if len(corpus.hypotheses[at]) < 12 and corpus.hypotheses[at].strip() in _MISSING]
    found = [at for at in found if not any(stream[at].strip() in _MISSING for stream in corpus.references)]
    if found:
        word = corpus.hypotheses[found[0]].strip()
        yield Fault(
            lambda n: f'{many(n, "hypothesis is", "hypotheses are")} the word "{word}": an empty cell of a table?',
            found,
            level="error",
        )


def same_system(corpus: Case) -> Iterator[Fault]:
    """D109: find another system with the same output."""
    if not corpus.others:
        raise NotChecked("there is no other system")
    # A study compares every pair of systems; for most pairs the first lines already show that they differ.
    places, loose = corpus.pool.places, corpus.pool.columns["loose"]

    def squashed(text: str) -> str:
        return text if text in places and not loose[places[text]] else squash(text)

    for name, texts in corpus.others.items():
        pairs = zip(corpus.hypotheses, texts, strict=True)
        different = (True for one, other in pairs if one != other and squashed(one) != squashed(other))
        share = (corpus.n - sum(islice(different, int(0.02 * corpus.n) + 1))) / corpus.n
        if share >= 0.98:
            message = f"the system {shown(name)} has the same output in {100 * share:.0f} % of lines"
            yield Fault(message, level="warning", evidence={"share": share})


def line_breaks(corpus: Case) -> Iterator[Fault]:
    """D108: find characters that some tools take for the end of a line, and line breaks that are spelt out."""
    places = corpus.extra_in("line_break").tolist()
    if places:
        characters = {c for at in places for c in patterns.LINE_BREAKS.findall(corpus.hypotheses[at])}
        names = ", ".join(sorted(f"U+{ord(c):04X}" for c in characters))
        yield Fault(
            lambda n: (
                f"{many(n, 'segment contains', 'segments contain')} {names}, which str.splitlines() and some "
                "tools take for a new line: a likely cause of shifted lines"
            ),
            places,
        )
    spelt = corpus.extra(patterns.SPELT_OUT, ("backslash",))
    if spelt:
        word = next(iter(spelt.values()))[0]
        yield Fault(
            lambda n: (
                f"{many(n, 'segment has', 'segments have')} the characters {word} spelt out: were the texts "
                "written with repr() or taken from JSON without decoding?"
            ),
            list(spelt),
        )
