"""D501 to D504: faults of the references and of the test set."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from truebleu._counts import number_of
from truebleu.doctor.rule import Fault, listed

if TYPE_CHECKING:
    from truebleu.doctor.case import Case

# The words of a long reference, and the share of long ones that hypotheses may equal to the letter. Shorter ones count
# if there are fewer than `_ENOUGH` longer ones.
_LEAKS = ((20, 0.10), (15, 0.15), (12, 0.20))
_ENOUGH = 60


def leaked(corpus: Case) -> Iterator[Fault]:
    """D501: find output that equals long references to the letter more often than a translator's output does."""
    words = [ref["len"] / 2 if corpus.unspaced else ref["words"] for ref in corpus.refs]
    for least, limit in _LEAKS:  # noqa: B007  the last one tried holds
        long = np.any([count >= least for count in words], axis=0)
        if long.sum() >= _ENOUGH:
            break
    met = [(count >= least) & same for count, same in zip(words, corpus.equals, strict=True)]
    equal = np.flatnonzero(np.any(met, axis=0)).tolist()
    share = len(equal) / max(1, int(long.sum()))
    evidence = {"share": share, "long": float(long.sum())}
    if len(equal) >= 5 and share >= limit:
        message = (
            f"{share:.0%} of the long hypotheses equal a reference to the letter: a leak, or references made from this "
            "output?"
        )
        yield Fault(message, equal, "warning", evidence=evidence)
    elif len(equal) >= 3 and share >= 0.3 * limit:
        message = f"{share:.0%} of the long hypotheses equal a reference: references may be post-edits of this output"
        yield Fault(message, equal, "note", evidence=evidence)


def empty_references(corpus: Case) -> Iterator[Fault]:
    """D502: find segments that have no reference text but a hypothesis."""
    none = np.all([ref["len"] == 0 for ref in corpus.refs], axis=0)
    found = np.flatnonzero(none & (corpus.hyp["len"] > 0)).tolist()
    yield from listed(found, "segment has", "segments have", "no reference text", side="references[0]")


def repeated_segments(corpus: Case) -> Iterator[Fault]:
    """D504: find a test set in which many segments occur more than once."""
    side = "references[0]" if corpus.sources is None else "sources"
    texts = corpus.folded[side]
    places = corpus.once("repeated segments", lambda: _repeated(texts))
    if len(places) >= 0.10 * corpus.n:
        distinct = len(set(texts))
        message = (
            f"{len(places):,} of {number_of(corpus.n, 'segment', commas=True)} occur more than once; "
            f"{distinct:,} are distinct"
        )
        yield Fault(message, places, "note", side=side, evidence={"distinct": distinct})


def _repeated(texts: list[str]) -> list[int]:
    counts = Counter(text for text in texts if len(text) >= 20)
    return [at for at, text in enumerate(texts) if counts[text] > 1]
