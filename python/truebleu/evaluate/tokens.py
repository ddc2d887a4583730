"""The tokens of evaluate's `bleu` and `google_bleu`: those of 13a, or what the user's own function returns."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from truebleu._inputs import Reference, References, as_streams, brief, check_corpus
from truebleu._options import thread_count
from truebleu.errors import FormatMismatch
from truebleu.tokenizers.base import BaseTokenizer
from truebleu.tokenizers.native import Tokenizer13a

if TYPE_CHECKING:
    from truebleu._core import Engine

Tokenize = Callable[[str], Any] | None


def is_13a(tokenizer: Tokenize) -> bool:
    """Tell whether the core can tokenize, because no tokenizer was chosen, or 13a was."""
    return tokenizer is None or type(tokenizer) is Tokenizer13a


def count_text(name: str, engine: Engine, predictions: list[str], references: list[Reference]) -> list[int]:
    """Split by 13a and count, both in the core; return the totals of the columns."""
    by_stream = as_streams(name, references)
    check_corpus(name, predictions, References(by_stream, len(references)), True)
    by_stream = [_unstripped(stream) for stream in by_stream]
    return list(map(int, engine.totals(_unstripped(predictions), by_stream, True, thread_count(None))))


def _unstripped(texts: Sequence[str | None]) -> Any:
    """The texts, with a mark after white space at the end, so that the core does not remove this white space.

    evaluate's 13a removes a hyphen with the line break after it, also at the end of a text. The core, like sacreBLEU,
    removes white space at the end first, and the hyphen would stay. 13a removes the mark, "<skipped>", as well.
    """
    stripped = [text and text.rstrip() for text in texts]
    if all(map(operator.is_, stripped, texts)):
        return texts
    return [text if text == short else f"{text}<skipped>" for text, short in zip(texts, stripped, strict=True)]


def tokenized(
    name: str, tokenizer: Tokenize, predictions: list[str], references: list[Reference]
) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Split texts into lists of tokens; return those of the references by segment, then those of the predictions."""
    split = _splitter(name, tokenizer)
    lists = tuple([split(text) for text in texts if text is not None] for texts in references)
    return lists, tuple(map(split, predictions))


def _splitter(name: str, tokenizer: Tokenize) -> Callable[[str], Any]:
    if tokenizer is None:
        tokenizer = Tokenizer13a()
    # A class may be a function that splits, like `list`; of a class of tokenizers an object has to be made first.
    if not callable(tokenizer) or (isinstance(tokenizer, type) and issubclass(tokenizer, BaseTokenizer)):
        shown = getattr(tokenizer, "__name__", brief(tokenizer))
        raise FormatMismatch(f"{name}: tokenizer is {shown}, expected a function from a string to a list of tokens")
    if isinstance(tokenizer, BaseTokenizer):
        # Our tokenizers return a line with spaces, evaluate's return a list.
        line = tokenizer
        return lambda text: line(text).split()
    return tokenizer
