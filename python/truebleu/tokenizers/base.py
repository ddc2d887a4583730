"""The base of tokenizers: functions from a line to a line of tokens, with a name for signatures."""

from collections.abc import Callable, Iterable
from functools import cached_property, lru_cache

from truebleu._inputs import brief, kind_of, ordered, refuse_others
from truebleu.errors import InputTypeError

# sacreBLEU's size. A larger memory helps little: only the references of one test set repeat.
MEMO_LINES = 65_536


class BaseTokenizer:
    """The base of all tokenizers, and of a user's own: override `__call__` and `signature`.

    `native` names the Rust tokenizer that does the same work inside the counting core, or is None when lines have to
    pass through Python. `lowers` says that it lower-cases text, whatever the metric does about case.

    A tokenizer must give the same result for the same line every time: results are remembered.
    """

    native: str | None = None
    lowers = False
    # Whether it looks at case and at white space at the end: metrics give it texts as they are, and lower-case tokens.
    raw = False

    def __init_subclass__(cls, **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        # A user's subclass of, say, Tokenizer13a with a `__call__` of its own is no longer 13a:
        # the core would silently ignore the override.
        if "__call__" in cls.__dict__ and "native" not in cls.__dict__:
            cls.native = None

    def __call__(self, line: str) -> str:
        """Tokenize a line: return its tokens with a space between them."""
        raise NotImplementedError

    def signature(self) -> str:
        """The value after `tok:` in a metric's signature."""
        raise NotImplementedError

    @cached_property
    def signed(self) -> str:
        """The signature, computed once."""
        return self.signature()

    def fingerprint(self) -> str:
        """The signature, with a suffix if two models have the same signature."""
        return self.signed

    def apply(self, lines: Iterable[str]) -> list[str]:
        """Tokenize many lines; a line seen recently is not tokenized again.

        Parameters
        ----------
        lines
            The lines.
        """
        if isinstance(lines, str):
            raise InputTypeError(f"apply() takes an iterable of lines, not one string: {brief(lines)}")
        texts = ordered("apply", "lines", lines, "an iterable of lines")
        refuse_others("apply", "lines", texts)
        return list(map(self._memo, texts))

    @cached_property
    def _memo(self) -> Callable[[str], str]:
        return lru_cache(maxsize=MEMO_LINES)(self.__call__)

    def __getstate__(self) -> dict[str, object]:
        # The memory of lines is not sent to another process, and cannot be pickled.
        return {name: value for name, value in self.__dict__.items() if name not in ("_memo", "signed")}


def checked_line(line: str) -> str:
    """Give the line, if it is a string."""
    if not isinstance(line, str):
        raise InputTypeError(f"line is {kind_of(line)}, expected a string to tokenize")
    return line


def refuse_lone_surrogate(line: str, who: str) -> None:
    """Raise InputTypeError if a line has a character that cannot be written as UTF-8.

    C++ libraries fail on such a line with a message that names neither the
    character nor its place; this is called when they have failed.
    """
    for position, character in enumerate(line):
        if "\ud800" <= character <= "\udfff":
            raise InputTypeError(
                f"{who} cannot tokenize a lone surrogate: U+{ord(character):04X} at position {position} "
                f"of {line[max(0, position - 10) : position + 10]!r} "
                "(was the text read with errors='surrogateescape'?)"
            )
