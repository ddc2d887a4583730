"""D404: find hypotheses that are not in the language of the references, without a model of any language.

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

from truebleu import _core
from truebleu._options import thread_count
from truebleu.doctor.texts import has_marks, image_table, settled_characters

if TYPE_CHECKING:
    from numpy.typing import NDArray

FEWEST_SEGMENTS = 100
FEWEST_TRIGRAMS = 30
BINS = 1 << 18

# Separates segments. It is removed from texts that contain it; UTF-8 cannot write it.
_BETWEEN = "\ud800"

# Replaces everything that separates words.
_GAP = "\0"

# Addresses, #tags and @names are the same in every language. Each pattern begins with characters that `re` can find
# fast.
_NAMES = [re.compile(pattern) for pattern in (r"http[^\s\ud800]+", r"www\.[^\s\ud800]+", r"[#@](?<!\w[#@])\w+")]


class Trigrams(NamedTuple):
    """The letter trigrams of a list of texts: the bin and the segment of each."""

    bins: NDArray[np.uint32]
    segment: NDArray[np.int64]


class Likelihoods(NamedTuple):
    """How many trigrams each text has, and their mean log probability."""

    trigrams: NDArray[np.int64]
    means: NDArray[np.float64]


class Yardstick(NamedTuple):
    """The profiles that hypotheses are compared with, made of references and sources; all systems share them."""

    letters: str  # the group of scripts
    profiles: NDArray[np.float64]
    references: NDArray[np.float64]  # mean log probability of each first reference
    middle: float  # the median of those that are not short
    spread: float
    of_sources: NDArray[np.float64] | None  # the profiles of the sources, if they have the same letters


class Measured(NamedTuple):
    """The values that D404 looks at, one per segment."""

    trigrams: NDArray[np.int64]  # of the hypothesis
    distance: NDArray[np.float64]  # mean log probability of the hypothesis, minus that of its reference
    z: NDArray[np.float64]  # the hypothesis among references
    reference_z: NDArray[np.float64]
    # How much more likely the hypothesis is in the source language, if it is unlikely in the target language.
    nearer_source: NDArray[np.float64]


def foreign_segments(
    hypotheses: Sequence[str],
    references: Sequence[Sequence[str]],
    sources: Sequence[str] | None,
    known: Yardstick | None = None,
    likely: Likelihoods | None = None,
    threads: int | None = None,
) -> list[int]:
    """The segments whose hypothesis does not look like the language of the references."""
    if len(hypotheses) < FEWEST_SEGMENTS:
        return []
    at = measure(hypotheses, references, sources, known, likely, threads)
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


def measure(
    hypotheses: Sequence[str],
    references: Sequence[Sequence[str]],
    sources: Sequence[str] | None,
    known: Yardstick | None = None,
    likely: Likelihoods | None = None,
    threads: int | None = None,
) -> Measured:
    """Measure hypotheses and first references with the trigrams of the references, and of the sources."""
    by = known or yardstick(references, sources, threads)
    is_even = np.arange(len(hypotheses)) % 2 == 0
    trigrams, likelihood = likely or likelihoods(hypotheses, is_even, by.letters, by.profiles, threads)
    with np.errstate(invalid="ignore", divide="ignore"):
        z, reference_z = (likelihood - by.middle) / by.spread, (by.references - by.middle) / by.spread
    distance = likelihood - by.references
    nearer = np.full(len(hypotheses), -np.inf)
    unlikely = (z < -2.5) & (distance < -0.7)
    if by.of_sources is not None and unlikely.any():
        texts = [hypotheses[at] for at in np.flatnonzero(unlikely).tolist()]
        as_source = likelihoods(texts, is_even[unlikely], by.letters, by.of_sources, threads)
        nearer[unlikely] = as_source.means - likelihood[unlikely]
    return Measured(trigrams, distance, z, reference_z, nearer)


def yardstick(
    references: Sequence[Sequence[str]], sources: Sequence[str] | None, threads: int | None = None
) -> Yardstick:
    """Make the profiles that hypotheses are compared with."""
    joined = [_joined(side) for side in references]
    letters = _main_letters(joined)
    tables = [_letters_of(text, letters) for text in joined]
    profiles = _profiles([_trigrams(text, table) for text, table in zip(joined, tables, strict=True)])
    is_even = np.arange(len(references[0])) % 2 == 0
    trigrams, likelihood = likelihoods(references[0], is_even, letters, profiles, threads)
    usual = likelihood[trigrams >= FEWEST_TRIGRAMS]
    middle = float(np.median(usual)) if usual.size else np.nan
    spread = 1.4826 * float(np.median(np.abs(usual - middle))) if usual.size else np.nan
    of_sources = None
    if sources is not None:
        text = _joined(sources)
        if _main_letters([text]) == letters:  # D403 looks at text in another script
            of_sources = _profiles([_trigrams(text, _letters_of(text, letters))])
    return Yardstick(letters, profiles, likelihood, middle, spread, of_sources)


def _has_own_words(hypothesis: str, references: Sequence[str]) -> bool:
    """Whether a short text has enough letters in words that no reference has: names are alike in many languages."""
    shared = {word for text in references for word in re.findall(r"\w+", text.casefold())}
    own = [word for word in re.findall(r"\w+", hypothesis.casefold()) if word not in shared]
    return sum(map(len, own)) + len(own) >= FEWEST_TRIGRAMS


def _joined(texts: Sequence[str]) -> NDArray[np.uint32]:
    """The code points of all texts, plain, with a border between two."""
    joined = _BETWEEN.join(_plain(texts))
    return np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), dtype="<u4")


def _plain(texts: Sequence[str]) -> list[str]:
    """The texts case-folded and composed, without words that all languages share, with spaces around them."""
    text = f" {_BETWEEN} ".join(texts)
    if text.count(_BETWEEN) >= len(texts):
        text = f" {_BETWEEN} ".join(text.replace(_BETWEEN, " ") for text in texts)
    if "&" in text:
        text = html.unescape(text)
    for pattern in _NAMES:
        text = pattern.sub(" ", text)
    return unicodedata.normalize("NFC", f" {text} ".casefold()).split(_BETWEEN)


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
    """The script group of a letter or mark; a space for a character between words; nothing for an invisible one."""
    category = unicodedata.category(character)
    if category == "Cf":
        return ""
    if category[0] not in "LM" and character != _BETWEEN:
        return " "
    name = unicodedata.name(character, " ").split(" ")
    script = name[1] if name[0] in ("FULLWIDTH", "HALFWIDTH", "COMBINING") and len(name) > 1 else name[0]
    return "CJK" if script.startswith(("CJK", "HIRAGANA", "KATAKANA", "IDEOGRAPHIC")) else script


def _letters_of(text: NDArray[np.uint32], group: str) -> NDArray[np.uint32]:
    """The class of each code point of joined texts: a letter of the group, a space, or nothing."""
    table = np.zeros(int(text.max()) + 1, dtype=np.uint32)
    dropped = 0x110000
    for code in np.flatnonzero(np.bincount(text)).tolist():
        letter = chr(code) if chr(code) == _BETWEEN else _letter(chr(code), group)
        table[code] = ord(letter) if letter else dropped
    return table


def _letter(character: str, group: str) -> str:
    """The class of a character: itself if it is a letter of the group, "\\0" for a space, or nothing."""
    found = _group(character)
    # A combining mark belongs to the letter before it, whatever its script.
    if found == group or unicodedata.category(character) == "Mn":
        return character
    return _GAP if found else ""


def _trigrams(text: NDArray[np.uint32], table: NDArray[np.uint32]) -> Trigrams:
    """The trigrams of joined texts: letters of one group, and one space for each run of anything else."""
    in_bins, in_segments = _core.trigrams(text.tobytes(), table.tobytes())
    return Trigrams(np.frombuffer(in_bins, np.uint32), np.frombuffer(in_segments, np.int64))


def _profiles(sides: Sequence[Trigrams]) -> NDArray[np.float64]:
    """Log probabilities of the bins, in the even segments and in the odd ones."""
    found = []
    for half in (0, 1):
        counts = sum(np.bincount(side.bins[side.segment % 2 == half], minlength=BINS) for side in sides)
        weights = np.asarray(counts, dtype=np.float64)
        found.append(np.log((weights + 0.05) / (weights.sum() + 0.05 * (1 << 15))))
    return np.stack(found)


def likelihoods(
    texts: Sequence[str],
    is_even: NDArray[np.bool_],
    letters: str,
    profiles: NDArray[np.float64],
    threads: int | None,
) -> Likelihoods:
    """Measure texts with the profile of the half that each is not part of."""
    counts, sums = _sums(texts, is_even, _images(letters), profiles, threads)
    unread = (counts < 0).tolist()
    others = [at for at, text in enumerate(texts) if unread[at] or "http" in text or "www." in text]
    if others:
        plain = _plain([texts[at] for at in others])
        images = image_table({one: _letter(one, letters) for one in set("".join(plain))})
        counts[others], sums[others] = _sums(plain, is_even[others], images, profiles, threads)
    with np.errstate(invalid="ignore", divide="ignore"):
        return Likelihoods(counts, sums / counts)


def _sums(
    texts: Sequence[str], is_even: NDArray[np.bool_], images: bytes, profiles: NDArray[np.float64], threads: int | None
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """How many trigrams each text has, -1 if the images do not suffice, and the sum of their log probabilities."""
    found = _core.trigram_sums(list(texts), is_even.tobytes(), images, profiles.tobytes(), thread_count(threads))
    return np.frombuffer(found[0], np.int64).copy(), np.frombuffer(found[1], np.float64).copy()


@cache
def _images(group: str) -> bytes:
    """The classes of characters, for texts from which nothing else has to be removed."""
    plain = {one: unicodedata.normalize("NFC", one.casefold()) for one in settled_characters() if one not in "#@&"}
    return image_table(
        {one: "".join(_letter(c, group) for c in text) for one, text in plain.items() if not has_marks(text)}
    )
