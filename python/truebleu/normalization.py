"""Signed normalisation: differences to remove from both sides before scoring, shown in the signature.

Typographic choices (quotation marks, dashes, spaces, composed letters) move scores without being translation. Metrics
take `normalize="nfc,quotes"`; nothing is normalised unless asked for. Names work in the order of `NORMALIZATIONS`,
whatever order they are written in.

>>> normalize(["„Ja“ – it’s…"], "quotes,dashes")
['"Ja" - it\\'s…']
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from truebleu import _core
from truebleu._inputs import brief, ordered, refuse_others
from truebleu._typing import TypeVar
from truebleu.errors import OptionError

# The other two are for metrics and commands.
__all__ = ["NORMALIZATIONS", "normalize"]

Text = TypeVar("Text", str, str | None)

# The effect of each name, in the order in which they work.
NORMALIZATIONS: Mapping[str, str] = MappingProxyType({
    "entities": "HTML entities are decoded once, as HTML5 does",
    "nfc": "letters and their marks are composed: Unicode NFC",
    "width": "full-width ASCII and the ideographic space become ASCII, half-width kana full kana",
    "quotes": "“ ” „ ‟ « » 〝 〞 ＂ become \", and ‘ ’ ‚ ‛ ‹ › ʼ ´ ＇ become '",
    "dashes": "U+2010 to U+2015, the minus sign and the small and full-width hyphens become -",
    "ellipsis": "… becomes three points",
    "spaces": "white space becomes single spaces, none at the ends; U+200B, U+2060, U+FEFF, U+00AD, U+180E are dropped",
})  # fmt: skip

# These two need tables that the interpreter has: the core does the others.
_OF_PYTHON = ("entities", "nfc")


def normalize(texts: Iterable[str], names: str | Sequence[str]) -> list[str]:
    """Normalise texts; an unchanged text is returned as the same object.

    Parameters
    ----------
    texts
        The texts.
    names
        Names of `NORMALIZATIONS`: a string with commas between them, or a list.
    """
    given = ordered("normalize", "texts", texts, "a list of strings")
    refuse_others("normalize", "texts", given)
    return normalize_checked(given, names_in_order("normalize", "names", names))


def names_in_order(who: str, what: str, names: object) -> tuple[str, ...]:
    """Give names of normalisations, each once, in the order in which they work."""
    if names is None or isinstance(names, str):
        names = [name.strip() for name in names.split(",")] if names else []
    if not isinstance(names, list | tuple):
        raise OptionError(f"{who}: {what} is {brief(names)}, expected names with commas, as in 'nfc,quotes'")
    for name in names:
        if not isinstance(name, str) or name not in NORMALIZATIONS:
            raise OptionError(f"{who}: {what} has {brief(name)}, expected names among {', '.join(NORMALIZATIONS)}")
    return tuple(name for name in NORMALIZATIONS if name in names)


def normalize_checked(texts: Sequence[Text], names: tuple[str, ...]) -> list[Text]:
    """Normalise texts that have been checked; None stays None."""
    found = list(texts)
    if "entities" in names:
        from html import unescape

        found = [unescape(text) if text and "&" in text else text for text in found]
    if "nfc" in names:
        found = _composed(found)
    of_core = [name for name in names if name not in _OF_PYTHON]
    if of_core:
        found = _core.normalize(found, of_core)
        if "nfc" in names:
            # A dropped soft hyphen, or a former full-width letter, may have left a mark beside its letter.
            found = _composed(found)
    return found


def _composed(texts: list[Text]) -> list[Text]:
    from unicodedata import normalize as of_unicode

    return [text if text is None or text.isascii() else of_unicode("NFC", text) for text in texts]
