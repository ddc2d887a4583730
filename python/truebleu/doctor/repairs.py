"""The cures: functions from texts to texts, by name. Normalisations are `truebleu.normalization`'s.

A repair changes hypotheses only, and only segments where its fault was found. A
normalisation changes both sides, all segments. The order is fixed, whatever a user writes.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.util import find_spec

from truebleu._inputs import brief, ordered
from truebleu.doctor import patterns
from truebleu.doctor.unwrapping import in_simplified, unwrapped, without_tags_of_languages, without_thoughts
from truebleu.doctor.words import note_start, preamble_end, without_prompt
from truebleu.errors import MissingDependency, OptionError
from truebleu.normalization import normalize

# Changes both sides and all segments: the same texts without a difference of style.
NORMALIZATIONS = ("nfc", "width", "quotes", "dashes", "ellipsis", "spaces")

# Lines in another order, which is D201's; every text is repaired before it is moved.
LINES = "lines"


def _each(change: Callable[[str], str]) -> Callable[[Sequence[str]], list[str]]:
    return lambda texts: [change(text) for text in texts]


# Text is in pieces if the mark begins more of them than this share: a word has two or three pieces at the most.
_MARKED = 0.3
_CJK_GAP = re.compile(f"(?<=[{patterns.CJK}]) (?=[{patterns.CJK}])")


def _without_subwords(text: str) -> str:
    for mark in ("\u2581", "\u0120"):
        words = text.split()
        if sum(word.startswith(mark) for word in words) > max(1, _MARKED * len(words)):
            text = text.replace(" ", "").replace(mark, " ").strip()
        elif mark in text:
            # Its spaces are real, or stand between Chinese characters.
            text = _CJK_GAP.sub("", re.sub(" +", " ", text.replace(mark, " ")).strip(" "))
    return re.sub(r" ##(?=\w)", "", re.sub(r"(?<=\S)@@( |$)", "", text))


def _without_specials(text: str) -> str:
    return " ".join(patterns.SPECIALS.sub(" ", without_thoughts(text)).split())


def _without_entities(text: str) -> str:
    return html.unescape(patterns.MOSES.sub(lambda match: match[0].strip().strip("@"), text))


def _without_tags(text: str) -> str:
    return patterns.TAGS.sub("", text)


def _without_controls(text: str) -> str:
    return patterns.CONTROLS.sub("", text)


def _without_preamble(text: str) -> str:
    return text[preamble_end(text) :]


def _without_note(text: str) -> str:
    return text[: note_start(text)].rstrip()


def _without_markdown(text: str) -> str:
    """Remove a code fence with its line and the name of its language; remove other marks, but keep the text inside."""
    text = re.sub(rf"(?:{patterns.FENCES.pattern})(?:\w*\n|\s*)", "", text)
    text = patterns.EMPHASIS.sub(lambda match: match[0][2:-2], patterns.HEADING.sub("", text))
    return text.strip()


def _detokenized(text: str) -> str:
    text = re.sub(r" (?=\.(?!\.)|[,;:!?)\]}、。，！？：；）])|(?<=[(\[{（]) ", "", text)
    return _CJK_GAP.sub("", text)


def _without_mojibake(texts: Sequence[str]) -> list[str]:
    if find_spec("ftfy") is None:
        raise MissingDependency("the repair 'mojibake' needs ftfy: pip install truebleu[doctor]")
    import ftfy

    return [ftfy.fix_encoding(text) for text in texts]


def _normalizer(name: str) -> Callable[[Sequence[str]], list[str]]:
    return lambda texts: normalize(texts, name)


# In the order in which they are made.
REPAIRS: dict[str, Callable[[Sequence[str]], list[str]]] = {
    "thinking": _each(without_thoughts),
    "unwrap": _each(unwrapped),
    "prompt": _each(without_prompt),
    "mojibake": _without_mojibake,
    "subwords": _each(_without_subwords),
    "detok": _each(_detokenized),
    "entities": _each(_without_entities),
    "specials": _each(_without_specials),
    "tags": _each(_without_tags),
    "fences": _each(_without_markdown),
    "preamble": _each(_without_preamble),
    "postnote": _each(_without_note),
    "controls": _each(_without_controls),
    "language": _each(without_tags_of_languages),
    "simplified": _each(in_simplified),
    "placeholders": list,  # by the edits that come with the finding
    **{name: _normalizer(name) for name in NORMALIZATIONS},
}


def repair(
    texts: Sequence[str], name: str, segments: Iterable[int], edits: Mapping[int, Sequence[tuple[str, str]]] = {}
) -> list[str]:
    """Repair some of the texts, in a new list; edits replace one part of a segment by another, once each."""
    if name in NORMALIZATIONS:
        return REPAIRS[name](texts)
    repaired, places = list(texts), list(segments)
    for at, text in zip(places, REPAIRS[name]([texts[at] for at in places]), strict=True):
        repaired[at] = text
    for at, parts in edits.items():
        for old, new in parts:
            repaired[at] = repaired[at].replace(old, new, 1)
    return repaired


def is_available(name: str) -> bool:
    """Tell whether a repair can be made here: mojibake needs a package that may not be installed."""
    return name != "mojibake" or find_spec("ftfy") is not None


def check_names(names: object) -> list[str]:
    """Give the names of repairs in the order in which they are made; an unknown name is an error."""
    given, known = ordered("repaired", "names", names, "names of repairs"), (*REPAIRS, LINES)
    for name in given:
        if not isinstance(name, str) or name not in known:
            raise OptionError(f"repaired: names has {brief(name)}, expected {', '.join(known)}")
    return sorted(set(given), key=known.index)
