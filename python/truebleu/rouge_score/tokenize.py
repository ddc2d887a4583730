"""The function `tokenize`, as `rouge_score.tokenize` has it."""

from __future__ import annotations

from typing import Any

from truebleu import _core
from truebleu._inputs import brief, check_instance
from truebleu.errors import InputTypeError


def tokenize(text: str, stemmer: Any) -> list[str]:
    """Find the runs of ASCII letters and digits of a text, in small letters.

    Parameters
    ----------
    text
        The text.
    stemmer
        What makes stems of tokens longer than three: an object with a method `stem`, or None to leave them.

    Examples
    --------
    >>> tokenize("It isn't Café!", None)
    ['it', 'isn', 't', 'caf']
    """
    check_instance("tokenize", "text", text, str, "a string")
    if stemmer is not None and not callable(getattr(stemmer, "stem", None)):
        raise InputTypeError(f"tokenize: stemmer is {brief(stemmer)}, expected an object with a method stem, or None")
    tokens = _core.tokenize("rouge", text).split()
    return tokens if stemmer is None else [stemmer.stem(one) if len(one) > 3 else one for one in tokens]
