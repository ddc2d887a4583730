"""NLTK's words: `nltk.word_tokenize`, and the same without the sentences that it looks for first.

Both look at case and at white space at the end of a text, so texts come as they are, and are lower-cased afterwards.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from zipfile import ZipFile

from truebleu._inputs import ordered, refuse_others
from truebleu._typing import TYPE_CHECKING
from truebleu.errors import DownloadError, TokenizerError
from truebleu.store import RemoteFile, fetch
from truebleu.tokenizers.base import BaseTokenizer, checked_line

if TYPE_CHECKING:
    from truebleu._core import Punkt


class TokenizerNltkWords(BaseTokenizer):
    """The words of NLTK's `NLTKWordTokenizer`, equal to NLTK 3.10.4; only the last point of a text is a word.

    >>> TokenizerNltkWords()("It isn't so. They left.")
    "It is n't so. They left ."
    """

    raw = True

    def __call__(self, line: str) -> str:
        return self.apply([checked_line(line)])[0]

    def signature(self) -> str:
        return "nltk-words"

    def apply(self, lines: Iterable[str]) -> list[str]:
        """Tokenize many lines."""
        from truebleu._core import treebank_words

        texts = ordered("apply", "lines", lines, "an iterable of lines")
        refuse_others("apply", "lines", texts)
        return treebank_words(texts, self._model())

    def _model(self) -> Punkt | None:
        """Give the model that finds sentences, if they are to be found."""
        return None


class TokenizerNltk(TokenizerNltkWords):
    """The words of `nltk.word_tokenize`: those of each sentence that Punkt finds, as Hugging Face's `meteor` has them.

    The English model of sentences is NLTK's; the store keeps it.
    """

    def __init__(self) -> None:
        self._model()  # what is missing is told before any work

    def signature(self) -> str:
        return "nltk"

    def _model(self) -> Punkt:
        return punkt()


# Its checksum is also what NLTK's index and other programs have. The licence of the model is not stated, so it is in no
# bundle of ours.
PUNKT = RemoteFile(
    "https://raw.githubusercontent.com/nltk/nltk_data/gh-pages/packages/tokenizers/punkt_tab.zip",
    "punkt_tab.zip",
    folder="models",
    sha256="e57f64187974277726a3417ca6f181ec5403676c717672eef6a748a7b20e0106",
    rehost=False,
)


@cache
def punkt() -> Punkt:
    """Read NLTK's model of English sentences from the store."""
    from truebleu import _core

    instead = "tokenize='nltk-words' (--meteor-tokenize nltk-words) does without"
    try:
        path = fetch(PUNKT)
    except DownloadError as error:
        raise TokenizerError(f"the tokenizer 'nltk' needs NLTK's model of sentences; {instead}. {error}") from error
    with ZipFile(path) as packed:
        return _core.Punkt(*(packed.read(f"punkt_tab/english/{name}").decode() for name in _FILES))


_FILES = ("abbrev_types.txt", "collocations.tab", "sent_starters.txt", "ortho_context.tab")
