"""A user's own function as a tokenizer."""

import re
from collections.abc import Callable

from truebleu.errors import InputTypeError
from truebleu.tokenizers.base import BaseTokenizer, checked_line


class CallableTokenizer(BaseTokenizer):
    """A tokenizer that calls a function.

    Examples
    --------
    >>> tokenizer = CallableTokenizer(str.split)
    >>> tokenizer("a  b"), tokenizer.signature()
    ('a b', 'custom-str.split')
    """

    def __init__(self, function: Callable[[str], object]) -> None:
        if not callable(function):
            raise InputTypeError(f"a tokenizer must be callable, got {type(function).__name__}")
        self.function = function

    def __call__(self, line: str) -> str:
        result = self.function(checked_line(line))
        if isinstance(result, str):
            return result
        if isinstance(result, list | tuple) and all(isinstance(token, str) for token in result):
            return " ".join(result)
        raise InputTypeError(
            f"the tokenizer {_name(self.function)} returned {_describe(result)} for {line[:60]!r}, "
            "expected a string or a list of strings"
        )

    def signature(self) -> str:
        own = getattr(self.function, "signature", None)
        return _field(own()) if callable(own) else _field(f"custom-{_name(self.function)}")


def _name(function: Callable[[str], object]) -> str:
    return str(getattr(function, "__qualname__", type(function).__qualname__))


def _field(text: object) -> str:
    """Text that can be a value in a signature, where `|` separates fields and `:` ends a key."""
    return re.sub(r"[|:\s]+", "_", str(text))


def _describe(result: object) -> str:
    """The type of a result and, inside a list, of the first element that is not a string.

    >>> _describe(["a", 1])
    'a list with an int in it'
    """
    if not isinstance(result, list | tuple):
        return _a(result)
    return f"{_a(result)} with {_a(next(token for token in result if not isinstance(token, str)))} in it"


def _a(value: object) -> str:
    name = type(value).__name__
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"
