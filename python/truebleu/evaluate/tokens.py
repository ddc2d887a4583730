"""The tokens of evaluate's `bleu` and `google_bleu`: 13a, or whatever a function of the user's returns."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from truebleu._inputs import Reference, References, as_streams, check_corpus
from truebleu._options import thread_count
from truebleu.errors import FormatMismatch
from truebleu.tokenizers.base import BaseTokenizer
from truebleu.tokenizers.native import Tokenizer13a

if TYPE_CHECKING:
    from truebleu._core import Engine

Tokenize = Callable[[str], Any] | None


def is_13a(tokenizer: Tokenize) -> bool:
    """Whether the core can tokenize: nothing was chosen, or its own tokenizer."""
    return tokenizer is None or type(tokenizer) is Tokenizer13a


def count_text(name: str, engine: Engine, predictions: list[str], references: list[Reference]) -> list[int]:
    """The totals of an engine that splits by 13a and counts in one go."""
    by_stream = as_streams(name, references)
    check_corpus(name, predictions, References(by_stream, len(references)), True)
    by_stream = [_unstripped(stream) for stream in by_stream]
    return list(map(int, engine.totals(_unstripped(predictions), by_stream, True, thread_count(None))))


def _unstripped(texts: Sequence[str | None]) -> Any:
    """The same texts to a core that strips them and a tokenizer that should not see them stripped.

    evaluate's 13a drops a hyphen before a line break, also at the end; sacreBLEU has removed that line break by then.
    13a drops "<skipped>" as well, which until then keeps what is before it.
    """
    stripped = [text and text.rstrip() for text in texts]
    if all(map(operator.is_, stripped, texts)):
        return texts
    return [text if text == short else f"{text}<skipped>" for text, short in zip(texts, stripped, strict=True)]


def tokenized(
    name: str, tokenizer: Tokenize, predictions: list[str], references: list[Reference]
) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Lists of tokens: those of the references by segment, and those of the predictions."""
    split = _splitter(name, tokenizer)
    lists = tuple([split(text) for text in texts if text is not None] for texts in references)
    return lists, tuple(map(split, predictions))


def _splitter(name: str, tokenizer: Tokenize) -> Callable[[str], Any]:
    if tokenizer is None:
        tokenizer = Tokenizer13a()
    # A class may split, as `list` does; one of ours has to be made first.
    if not callable(tokenizer) or (isinstance(tokenizer, type) and issubclass(tokenizer, BaseTokenizer)):
        shown = getattr(tokenizer, "__name__", repr(tokenizer))
        raise FormatMismatch(f"{name}: tokenizer is {shown}, expected a function from a string to a list of tokens")
    if isinstance(tokenizer, BaseTokenizer):
        # Ours give a line with spaces, evaluate's a list.
        line = tokenizer
        return lambda text: line(text).split()
    return tokenizer
