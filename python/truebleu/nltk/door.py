"""The door of the NLTK dialect: lists of tokens become a corpus of numbers, or an error that helps."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence, Set
from typing import Any

from truebleu._core import TokenCorpus
from truebleu._logs import warn
from truebleu.errors import InputTypeError, UnequalCorpora

Tokens = Sequence[Any]


def numbered(name: str, references: tuple[Any, ...], hypotheses: tuple[Any, ...]) -> TokenCorpus:
    """The corpus with equal numbers for equal tokens; `name` is that of the function called, for messages."""
    if hypotheses:
        _warn_of_strings(name, references[0], hypotheses[0])
    return TokenCorpus.from_objects(name, hypotheses, references)


def checked(name: str, list_of_references: Any, hypotheses: Any) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """References and hypotheses as tuples, if they are sequences of the same length."""
    references = _as_tuple(name, "the list of references", list_of_references)
    texts = _as_tuple(name, "the list of hypotheses", hypotheses)
    if len(references) != len(texts):
        raise UnequalCorpora(
            f"{name}: there are references for {len(references)} segments, and {len(texts)} hypotheses. "
            "References come first, and there is a list of them for each hypothesis"
        )
    return references, texts


def _as_tuple(name: str, what: str, values: Any) -> tuple[Any, ...]:
    # An iterator would be used up by the first look, and a set has no order.
    if not isinstance(values, Collection) or isinstance(values, (Set, Mapping)):
        raise InputTypeError(f"{name}: {what} is of type {type(values).__name__}, expected a list")
    return tuple(values)


def _warn_of_strings(name: str, references: Any, hypothesis: Any) -> None:
    """NLTK takes a string for the list of its characters, and so do we; mostly it was meant to be split."""
    reference = references[0] if isinstance(references, (list, tuple)) and references else references
    for what, value in (("hypothesis", hypothesis), ("a reference", reference)):
        if isinstance(value, str):
            warn("%s: %s is a string, so its characters are the tokens. To score words, split it first", name, what)
