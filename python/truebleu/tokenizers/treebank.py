"""NLTK's words: `nltk.word_tokenize`, and the same without the sentences that it looks for first.

Both look at case and at white space at the end of a text, so texts come as they are, and are lower-cased afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache, cached_property
from typing import Any
from zipfile import ZipFile

from truebleu._inputs import ordered, refuse_others
from truebleu.errors import DownloadError, MissingDependency, TokenizerError
from truebleu.store import RemoteFile, fetch
from truebleu.tokenizers.base import BaseTokenizer, checked_line


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
        return treebank_words(texts)


class TokenizerNltk(TokenizerNltkWords):
    """The words of `nltk.word_tokenize`: those of each sentence that Punkt finds, as Hugging Face's `meteor` has them.

    The package nltk finds the sentences, by its English model, which the store keeps.
    """

    def __init__(self) -> None:
        self._sentences  # noqa: B018  what is missing is told before any work

    def signature(self) -> str:
        return "nltk"

    def apply(self, lines: Iterable[str]) -> list[str]:
        """Tokenize many lines."""
        texts = ordered("apply", "lines", lines, "an iterable of lines")
        refuse_others("apply", "lines", texts)
        sentences = [self._split(text) for text in texts]
        words = iter(super().apply([sentence for each in sentences for sentence in each]))
        return [" ".join(filter(None, (next(words) for _ in each))) for each in sentences]

    def _split(self, text: str) -> list[str]:
        # Nothing can end a sentence before the last character of a text.
        text = text.rstrip()
        return self._sentences(text) if _ENDS.intersection(text[:-1]) else [text]

    @cached_property
    def _sentences(self) -> Callable[[str], list[str]]:
        return punkt()

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in super().__getstate__().items() if name != "_sentences"}


_ENDS = frozenset(".?!")

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
def punkt() -> Callable[[str], list[str]]:
    """Make NLTK's splitter of English sentences, from the model in the store."""
    instead = "tokenize='nltk-words' (--meteor-tokenize nltk-words) does without"
    try:
        from nltk.tokenize.punkt import PunktParameters, PunktSentenceTokenizer
    except ImportError as error:
        raise MissingDependency(f"the tokenizer 'nltk' needs NLTK: pip install nltk; {instead}") from error
    try:
        path = fetch(PUNKT)
    except DownloadError as error:
        raise TokenizerError(f"the tokenizer 'nltk' needs NLTK's model of sentences; {instead}. {error}") from error
    known: Any = PunktParameters()
    with ZipFile(path) as packed:
        lines = {name: packed.read(f"punkt_tab/english/{name}").decode().splitlines() for name in _FILES}
    abbreviations, collocations, starters, contexts = lines.values()
    known.abbrev_types, known.sent_starters = set(abbreviations), set(starters)
    known.collocations = {tuple(line.split("\t")) for line in collocations}
    known.ortho_context.update((word, int(flags)) for word, _, flags in (line.partition("\t") for line in contexts))
    split: Callable[[str], list[str]] = PunktSentenceTokenizer(known).tokenize
    return split


_FILES = ("abbrev_types.txt", "collocations.tab", "sent_starters.txt", "ortho_context.tab")
