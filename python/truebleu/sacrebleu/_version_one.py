"""Names and keywords of sacreBLEU 1 that programs still ask for, as thin as can be."""

import inspect
from collections import Counter
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, TypeVar

from truebleu.tokenizers.native import (
    NoneTokenizer,
    Tokenizer13a,
    TokenizerChar,
    TokenizerV14International,
    TokenizerZh,
)

F = TypeVar("F", bound=Callable[..., Any])

DEFAULT_TOKENIZER = "13a"
NGRAM_ORDER = 4


class _Tokenizer:
    """A function, as in sacreBLEU 1.4; called without a text it gives itself, for 1.5 had classes here."""

    def __init__(self, tokenize: Callable[[str], str]) -> None:
        self._tokenize = tokenize

    def __call__(self, line: str | None = None) -> Any:
        return self if line is None else self._tokenize(line)


tokenize_13a = _Tokenizer(Tokenizer13a())
tokenize_v14_international = _Tokenizer(TokenizerV14International())
tokenize_zh = _Tokenizer(TokenizerZh())

TOKENIZERS: dict[str, _Tokenizer] = {
    "13a": tokenize_13a,
    "intl": tokenize_v14_international,
    "zh": tokenize_zh,
    "char": _Tokenizer(TokenizerChar()),
    "none": _Tokenizer(NoneTokenizer()),
}


def also_named(**names: str) -> Callable[[F], F]:
    """Let a function take parameters by the names they had in sacreBLEU 1: old names, and those of today."""

    def decorate(function: F) -> F:
        @wraps(function)
        def call(*given: Any, **named: Any) -> Any:
            for old, name in names.items():
                if old in named and name not in named:
                    named[name] = named.pop(old)
            return function(*given, **named)

        # `getfullargspec`, which fairseq asks how smoothing is called, does not look behind a wrapper.
        call.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]
        return call  # type: ignore[return-value]

    return decorate


def extract_ngrams(line: str, min_order: int = 1, max_order: int = NGRAM_ORDER) -> Counter[str]:
    """Count the n-grams of a line; each is a string with spaces between its tokens."""
    tokens, orders = line.split(), range(min_order, max_order + 1)
    return Counter(" ".join(tokens[at : at + n]) for n in orders for at in range(len(tokens) - n + 1))


def ref_stats(output: str, refs: Sequence[str]) -> tuple[Counter[str], int, int]:
    """The n-grams of all references, and the difference and the length of the one that is closest in length."""
    length = len(output.split())
    ngrams: Counter[str] = Counter()
    for reference in refs:
        ngrams |= extract_ngrams(reference)
    closest = min((len(reference.split()) for reference in refs), key=lambda size: (abs(size - length), size))
    return ngrams, abs(closest - length), closest
