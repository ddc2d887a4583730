"""The tokenizers that need no library: their work is done in Rust.

Metrics never call these objects; they hand `native` to the core, which tokenizes and
counts in one go. Calling one is for looking at tokens.
"""

from typing import ClassVar

from truebleu.tokenizers.base import BaseTokenizer


class NoneTokenizer(BaseTokenizer):
    """No tokenization: the line comes back as it is.

    >>> NoneTokenizer()("Hello,  world!")
    'Hello,  world!'
    """

    native = "none"

    def __call__(self, line: str) -> str:
        return line

    def signature(self) -> str:
        return "none"


class TokenizerChar(BaseTokenizer):
    """Every code point is a token.

    >>> TokenizerChar()("ab.")
    'a b .'
    """

    native = "char"

    def __call__(self, line: str) -> str:
        return " ".join(line)

    def signature(self) -> str:
        return "char"


class _CoreTokenizer(BaseTokenizer):
    """A tokenizer whose rules live in the Rust core under `name`."""

    name: ClassVar[str]

    def __call__(self, line: str) -> str:
        from truebleu._core import tokenize

        return tokenize(self.name, line)

    def signature(self) -> str:
        return self.name


class TokenizerRegexp(_CoreTokenizer):
    """The Western core that `13a` and `zh` share. It is no choice for a metric, so not `native`."""

    name = "re"


class Tokenizer13a(_CoreTokenizer):
    """The tokenizer of WMT, equal to mteval-v13a.

    >>> Tokenizer13a()("Hello, world!")
    'Hello , world !'
    """

    name = native = "13a"


class TokenizerZh(_CoreTokenizer):
    """Chinese by character, the rest by the Western core."""

    name = native = "zh"


class TokenizerV14International(_CoreTokenizer):
    """The international rules of mteval-v14, by Unicode category."""

    name = native = "intl"
