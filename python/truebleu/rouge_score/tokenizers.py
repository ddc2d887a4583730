"""Tokenizers, as `rouge_score.tokenizers` has them."""

from __future__ import annotations

import abc

from truebleu import _core
from truebleu._inputs import check_instance
from truebleu._options import yes_or_no


class Tokenizer(abc.ABC):
    """What splits a text into tokens. A user's own needs no more than `tokenize`."""

    @abc.abstractmethod
    def tokenize(self, text: str) -> list[str]:
        """Split a text.

        Parameters
        ----------
        text
            The text.
        """


class DefaultTokenizer(Tokenizer):
    """The tokenizer of rouge-score: runs of ASCII letters and digits, in small letters.

    Parameters
    ----------
    use_stemmer
        Whether tokens longer than three become stems, by Porter's rules as NLTK has them.
    """

    def __init__(self, use_stemmer: bool = False) -> None:
        self._use_stemmer = yes_or_no("DefaultTokenizer", "use_stemmer", use_stemmer)

    def tokenize(self, text: str) -> list[str]:
        """Split a text.

        Parameters
        ----------
        text
            The text.
        """
        check_instance("DefaultTokenizer.tokenize", "text", text, str, "a string")
        return _core.tokenize("rouge", text, self._use_stemmer).split()
