"""D407 to D409 and D503: texts that are far too short or too long, and which side is at fault.

With sources, the side that is further from the length that its source suggests is the odd one: a reference may be a
summary.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from truebleu.doctor.rule import Fault, listed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truebleu.doctor.case import Case

FEWEST_SEGMENTS = 20

# The end of a sentence, with the quotes and brackets after it.
_FINAL = tuple(".!?…。！？｡।॥؟۔:;\"'”’“»)]）」』")


class Lengths(NamedTuple):
    """The segments with odd lengths: of the hypothesis (too short, too long), or of the reference."""

    short: list[int]
    long: list[int]
    references: list[int]


def truncated(corpus: Case) -> Iterator[Fault]:
    """D407: find hypotheses that are far shorter than every reference."""
    what = "far shorter than every reference"
    yield from listed(odd_lengths(corpus).short, "segment is", "segments are", what)


def too_long(corpus: Case) -> Iterator[Fault]:
    """D408: find hypotheses that are far longer than every reference."""
    what = "more than twice as long as every reference"
    yield from listed(odd_lengths(corpus).long, "segment is", "segments are", what)


def odd_references(corpus: Case) -> Iterator[Fault]:
    """D503: find references whose length their sources do not suggest, while the hypotheses have a usual length."""
    what = "far shorter or longer than"
    one, more = f"reference is {what} its source suggests", f"references are {what} their sources suggest"
    yield from listed(odd_lengths(corpus).references, one, more, side="references[0]")


def median_ratio(corpus: Case) -> float | None:
    """The median ratio of lengths, hypothesis to first reference; None if few hypotheses have text."""
    first = _first_lengths(corpus)
    long = (first >= 20 / corpus.u) & (corpus.hyp["len"] > 0)
    if int(long.sum()) < FEWEST_SEGMENTS:
        return None
    return float(np.median(corpus.hyp["len"][long] / first[long]))


def all_odd(corpus: Case) -> Iterator[Fault]:
    """D409: find output that is too short or too long as a whole."""
    ratio = median_ratio(corpus)
    if ratio is not None and not 0.7 <= ratio <= 1.4:
        message = f"as a whole the output has {ratio:.0%} of the length of the references"
        yield Fault(message, evidence={"median": ratio})


def odd_lengths(corpus: Case) -> Lengths:
    """Find the segments with odd lengths on either side."""
    return corpus.keep("lengths", lambda: _odd_lengths(corpus))


def _odd_lengths(corpus: Case) -> Lengths:
    usual = median_ratio(corpus)
    usual = usual if usual is not None and 0.5 <= usual <= 2 else 1.0
    length, u = corpus.hyp["len"].astype(np.float64), corpus.u
    lengths = np.stack([np.where(ref["len"] > 0, ref["len"], np.nan) for ref in corpus.refs])
    known = ~np.isnan(lengths).all(axis=0)
    shortest = np.where(known, np.nanmin(np.where(known, lengths, 0), axis=0), 0)
    longest = np.where(known, np.nanmax(np.where(known, lengths, 0), axis=0), 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        by_shortest, by_longest = length / shortest / usual, length / longest / usual
    short = (shortest >= 40 / u) & (by_shortest < 0.40) & (length > 0)
    for at in np.flatnonzero((shortest >= 60 / u) & (by_shortest < 0.62) & (length > 0) & ~short).tolist():
        texts = [stream[at].rstrip() for stream in corpus.references if stream[at].strip()]
        short[at] = not corpus.hypotheses[at].rstrip().endswith(_FINAL) and all(text.endswith(_FINAL) for text in texts)
    long = (longest >= 40 / u) & (by_longest > 2.2)
    # A reference that is far too short for its source makes the hypothesis look too long, and the other way round.
    odd = (short & _reference_is_odd(corpus, shortest)) | (long & _reference_is_odd(corpus, longest))
    return Lengths(*(np.flatnonzero(which).tolist() for which in (short & ~odd, long & ~odd, odd)))


def _reference_is_odd(corpus: Case, reference: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether the source suggests the length of the hypothesis rather than that of the reference."""
    source = np.zeros(corpus.n) if corpus.src is None else corpus.src["len"].astype(np.float64)
    known = (source > 0) & (reference > 0) & (corpus.hyp["len"] > 0)
    odd = np.zeros(corpus.n, bool)
    if known.any():
        expected = source[known] * np.median(reference[known] / source[known])
        off, off_reference = np.log(corpus.hyp["len"][known] / expected), np.log(reference[known] / expected)
        odd[known] = np.abs(off_reference) > np.abs(off)
    return odd


def _first_lengths(corpus: Case) -> NDArray[np.int32]:
    """The length of the first reference that is not blank."""
    first = corpus.refs[0]["len"].copy()
    for ref in corpus.refs[1:]:
        first = np.where(first > 0, first, ref["len"])
    return first
