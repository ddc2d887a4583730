"""The tokenizers that need no library: their work is done in Rust.

Metrics never call these objects; they hand `native` to the core, which tokenizes and
counts in one go. Call one to look at tokens.
"""

from truebleu._typing import ClassVar
from truebleu.tokenizers.base import BaseTokenizer, checked_line


class _NativeTokenizer(BaseTokenizer):
    """A tokenizer whose rules are in the Rust core, under `name`."""

    name: ClassVar[str]

    def __call__(self, line: str) -> str:
        from truebleu._core import tokenize

        return tokenize(self.name, checked_line(line))

    def signature(self) -> str:
        return self.name


class NoneTokenizer(_NativeTokenizer):
    """No tokenization: the line comes back as it is.

    >>> NoneTokenizer()("Hello,  world!")
    'Hello,  world!'
    """

    name = native = "none"

    def __call__(self, line: str) -> str:
        return checked_line(line)


class TokenizerChar(_NativeTokenizer):
    """Every code point is a token.

    >>> TokenizerChar()("ab.")
    'a b .'
    """

    name = native = "char"

    def __call__(self, line: str) -> str:
        return " ".join(checked_line(line))


class TokenizerRegexp(_NativeTokenizer):
    """The rules for Western text that `13a` and `zh` share. A metric cannot choose them, so they are not `native`."""

    name = "re"


class Tokenizer13a(_NativeTokenizer):
    """The tokenizer of WMT, equal to mteval-v13a.

    >>> Tokenizer13a()("Hello, world!")
    'Hello , world !'
    """

    name = native = "13a"


class TokenizerZh(_NativeTokenizer):
    """Chinese characters are tokens; the rest is split by the rules for Western text."""

    name = native = "zh"


class TokenizerRouge(_NativeTokenizer):
    """The tokenizer of rouge-score: runs of ASCII letters and digits, in small letters.

    >>> TokenizerRouge()("It isn't 3.14, Café!")
    'it isn t 3 14 caf'
    """

    name = native = "rouge"


class TokenizerRougeUnicode(_NativeTokenizer):
    """Words of all scripts in small letters; a character of a script that is written without spaces is a word.

    >>> TokenizerRougeUnicode()("It isn't 3.14, Café 北京!")
    'it isn t 3 14 café 北 京'
    """

    name = native = "rouge-unicode"
    lowers = True

    def __call__(self, line: str) -> str:
        return super().__call__(checked_line(line).lower())


class TokenizerV14International(_NativeTokenizer):
    """The international rules of mteval-v14, by Unicode category."""

    name = native = "intl"
