"""D404: which hypotheses are not in the language of the references, without a model of any language.

The references are the model. Their letter trigrams make two profiles, one of the odd and one of the even segments, and
each segment is measured with the half that it is not part of. A hypothesis whose trigrams are far less likely than
those of its reference, and than those of references in general, is in another language. This works for languages
that no library knows.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

FEWEST_SEGMENTS = 100
FEWEST_TRIGRAMS = 30
BINS = 1 << 18

# Stands between segments. A text that has it, which UTF-8 cannot write, loses it.
_BETWEEN = "\ud800"

# Addresses, #tags and @names are the same in every language. Each pattern begins with what `re` can look for fast.
_NAMES = [re.compile(pattern) for pattern in (r"http[^\s\ud800]+", r"www\.[^\s\ud800]+", r"[#@](?<!\w[#@])\w+")]


class Trigrams(NamedTuple):
    """The letter trigrams of a list of texts: the bin and the segment of each, and how many each segment has."""

    bins: NDArray[np.uint32]
    segment: NDArray[np.int64]
    counts: NDArray[np.int64]


class Measured(NamedTuple):
    """What the rule of D404 looks at, one value a segment."""

    trigrams: NDArray[np.int64]  # of the hypothesis
    distance: NDArray[np.float64]  # mean log probability of the hypothesis, less its reference's
    z: NDArray[np.float64]  # the hypothesis among references
    reference_z: NDArray[np.float64]
    nearer_source: NDArray[np.float64]  # how much likelier the hypothesis is as text of the source language


def foreign_segments(
    hypotheses: Sequence[str], references: Sequence[Sequence[str]], sources: Sequence[str] | None
) -> list[int]:
    """The segments whose hypothesis does not look like the language of the references.

    Parameters
    ----------
    hypotheses
        One text a segment.
    references
        Streams, each with one text a segment.
    sources
        One text a segment, or None.
    """
    if len(hypotheses) < FEWEST_SEGMENTS:
        return []
    at = measure(hypotheses, references, sources)
    enough = at.trigrams >= FEWEST_TRIGRAMS
    compared = enough & np.isfinite(at.distance)
    if compared.any() and np.median(at.distance[compared]) < -0.5:
        # The output as a whole is in another language: then a small distance is enough.
        return np.flatnonzero(compared & (at.distance < -0.3)).tolist()
    long = at.trigrams >= 2 * FEWEST_TRIGRAMS
    far = np.where(long, (at.distance < -0.9) & (at.z < -3.3), (at.distance < -1.3) & (at.z < -4.0))
    far |= (at.nearer_source > 0.8) & (at.z < -2.5) & (at.distance < -0.7)
    suspects = np.flatnonzero(enough & (at.reference_z > -3.5) & far).tolist()
    return [i for i in suspects if long[i] or _has_own_words(hypotheses[i], [side[i] for side in references])]


def measure(hypotheses: Sequence[str], references: Sequence[Sequence[str]], sources: Sequence[str] | None) -> Measured:
    """Measure hypotheses and first references with the trigrams of the references, and of the sources.

    Parameters
    ----------
    hypotheses
        One text a segment.
    references
        Streams, each with one text a segment.
    sources
        One text a segment, or None.
    """
    joined = [_joined(side) for side in references]
    letters = _main_letters(joined)
    sides = [_trigrams(text, letters) for text in joined]
    text = _joined(hypotheses)
    own = _trigrams(text, letters)
    profiles = _profiles(sides)
    of_reference, of_hypothesis = _likelihood(sides[0], profiles), _likelihood(own, profiles)
    usual = of_reference[sides[0].counts >= FEWEST_TRIGRAMS]
    middle = np.median(usual) if usual.size else np.nan
    spread = 1.4826 * np.median(np.abs(usual - middle)) if usual.size else np.nan
    nearer = np.full(len(hypotheses), -np.inf)
    if sources is not None:
        source_text = _joined(sources)
        source_letters = _main_letters([source_text])
        if source_letters == letters:  # text in another script is the matter of D403
            nearer = _likelihood(own, _profiles([_trigrams(source_text, letters)])) - of_hypothesis
    with np.errstate(invalid="ignore", divide="ignore"):
        z, reference_z = (of_hypothesis - middle) / spread, (of_reference - middle) / spread
    return Measured(own.counts, of_hypothesis - of_reference, z, reference_z, nearer)


def _has_own_words(hypothesis: str, references: Sequence[str]) -> bool:
    """Whether a short text has enough letters in words that no reference has: names are alike in many languages."""
    shared = {word for text in references for word in re.findall(r"\w+", text.casefold())}
    own = [word for word in re.findall(r"\w+", hypothesis.casefold()) if word not in shared]
    return sum(map(len, own)) + len(own) >= FEWEST_TRIGRAMS


def _joined(texts: Sequence[str]) -> NDArray[np.uint32]:
    """The code points of all texts, case-folded and composed, without what is the same in every language."""
    text = f" {_BETWEEN} ".join(texts)
    if text.count(_BETWEEN) >= len(texts):
        text = f" {_BETWEEN} ".join(text.replace(_BETWEEN, " ") for text in texts)
    if "&" in text:
        text = html.unescape(text)
    for pattern in _NAMES:
        text = pattern.sub(" ", text)
    text = unicodedata.normalize("NFC", text.casefold())
    return np.frombuffer(f" {text} ".encode("utf-32-le", "surrogatepass"), dtype="<u4")


def _main_letters(texts: Sequence[NDArray[np.uint32]]) -> str:
    """The group of scripts that most letters of the texts have."""
    counts: dict[str, int] = {}
    for text in texts:
        occurrences = np.bincount(text)
        for code in np.flatnonzero(occurrences):
            if (group := _group(chr(code))) not in ("", " "):
                counts[group] = counts.get(group, 0) + int(occurrences[code])
    return max(counts, key=lambda group: (counts[group], group), default="LATIN")


@cache
def _group(character: str) -> str:
    """The script group of a letter or mark, a space for what separates words, nothing for what nobody sees."""
    category = unicodedata.category(character)
    if category == "Cf":
        return ""
    if category[0] not in "LM" and character != _BETWEEN:
        return " "
    name = unicodedata.name(character, " ").split(" ")
    script = name[1] if name[0] in ("FULLWIDTH", "HALFWIDTH", "COMBINING") and len(name) > 1 else name[0]
    return "CJK" if script.startswith(("CJK", "HIRAGANA", "KATAKANA", "IDEOGRAPHIC")) else script


def _trigrams(text: NDArray[np.uint32], group: str) -> Trigrams:
    """The trigrams of joined texts: letters of one group, and one space for each run of anything else."""
    table = np.zeros(int(text.max()) + 1, dtype=np.uint32)
    dropped = 0x110000
    for code in np.flatnonzero(np.bincount(text)):
        found = _group(chr(code))
        # A combining mark belongs to the letter before it, whatever its script.
        kept = found == group or unicodedata.category(chr(code)) == "Mn" or chr(code) == _BETWEEN
        table[code] = code if kept else dropped if found == "" else 0
    codes = table[text]
    space = codes == 0
    keep = codes != dropped
    keep[1:] &= ~(space[1:] & space[:-1])
    codes = codes[keep]
    border = codes == ord(_BETWEEN)
    segment = np.cumsum(border)
    count = int(segment[-1]) + 1
    inside = ~(border[:-2] | border[1:-1] | border[2:])
    mixed = codes[:-2] * np.uint32(0x9E3779B1) + codes[1:-1] * np.uint32(0x85EBCA6B) + codes[2:] * np.uint32(0xC2B2AE35)
    mixed ^= mixed >> np.uint32(15)
    mixed *= np.uint32(0x2C1B3C6D)
    bins = (mixed >> np.uint32(14))[inside]
    segment = segment[:-2][inside]
    return Trigrams(bins, segment, np.bincount(segment, minlength=count))


def _profiles(sides: Sequence[Trigrams]) -> NDArray[np.float64]:
    """Log probabilities of the bins, in the even segments and in the odd ones."""
    found = []
    for half in (0, 1):
        counts = sum(np.bincount(side.bins[side.segment % 2 == half], minlength=BINS) for side in sides)
        weights = np.asarray(counts, dtype=np.float64)
        found.append(np.log((weights + 0.05) / (weights.sum() + 0.05 * (1 << 15))))
    return np.stack(found)


def _likelihood(texts: Trigrams, profiles: NDArray[np.float64]) -> NDArray[np.float64]:
    """The mean log probability of each segment's trigrams, in the half that the segment is not part of."""
    values = profiles[1 - texts.segment % 2, texts.bins]
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.bincount(texts.segment, weights=values, minlength=len(texts.counts)) / texts.counts
