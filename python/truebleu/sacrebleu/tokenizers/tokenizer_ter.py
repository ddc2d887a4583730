"""Tercom's tokenizer, as sacreBLEU has it."""

from truebleu import _core
from truebleu.tokenizers.base import BaseTokenizer


class TercomTokenizer(BaseTokenizer):
    """The tokenizer of TER.

    Examples
    --------
    >>> TercomTokenizer(normalized=True)("Hello,  World!")
    'hello , world !'
    """

    def __init__(
        self,
        normalized: bool = False,
        no_punct: bool = False,
        asian_support: bool = False,
        case_sensitive: bool = False,
    ) -> None:
        self._normalized = normalized
        self._no_punct = no_punct
        self._asian_support = asian_support
        self._case_sensitive = case_sensitive

    def __call__(self, sent: str) -> str:
        """Tokenize a line."""
        text = sent if self._case_sensitive else sent.lower()
        return _core.ter_tokenize(text, self._normalized, self._no_punct, self._asian_support, 1)

    def signature(self) -> str:
        """The value after `tok:` in a metric's signature."""
        return "tercom"
