"""Words of texts with the same lemmas as those of terms; what tells lemmas is a function from outside."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from operator import itemgetter
from typing import Any

from truebleu._counts import number_of
from truebleu._inputs import brief
from truebleu.errors import OptionError


class LemmaTable:
    """Translations by their lemmas: each with the number of its entry and its own number there."""

    def __init__(
        self, lemmatize: Callable[..., Any], language: str, targets: Iterable[tuple[int, int, str]], folds: bool
    ) -> None:
        self._lemmatize, self._language, self._folds = lemmatize, language, folds
        by_text = defaultdict[str, list[int]](list)
        for entry, number, text in targets:
            by_text[text] += (entry, number)
        self._targets = defaultdict[tuple[str, ...], list[int]](list)
        for words, numbers in zip(self._words(list(by_text)), by_text.values(), strict=True):
            self._targets[tuple(map(itemgetter(2), words))] += numbers
        self._lengths = sorted({len(lemmas) for lemmas in self._targets} - {0})

    def places(self, texts: list[str]) -> list[str]:
        """Say for each text where a translation stands: the two numbers, where it begins, and where it ends."""
        return [" ".join(map(str, chain.from_iterable(self._places(words)))) for words in self._words(texts)]

    def _places(self, words: list[tuple[int, int, str]]) -> Iterator[tuple[int, int, int, int]]:
        lemmas = [lemma for _, _, lemma in words]
        for at in range(len(words)):
            for length in self._lengths:
                numbers = self._targets.get(tuple(lemmas[at : at + length]), ()) if at + length <= len(words) else ()
                for entry, number in zip(numbers[::2], numbers[1::2], strict=True):
                    yield entry, number, words[at][0], words[at + length - 1][1]

    def _words(self, texts: list[str]) -> list[list[tuple[int, int, str]]]:
        """Ask for the words of texts, and check what comes back."""
        found = self._lemmatize(list(texts), self._language)
        if not isinstance(found, list | tuple) or len(found) != len(texts):
            given = number_of(len(texts), "text")
            raise OptionError(f"TERMS: lemmatize gave {brief(found)} for {given}, expected a list for each")
        return [[self._word(text, one) for one in words] for text, words in zip(texts, found, strict=True)]

    def _word(self, text: str, word: Any) -> tuple[int, int, str]:
        match word:
            case (int(start), int(end), str(lemma)) if 0 <= start < end <= len(text):
                return start, end, lemma.casefold() if self._folds else lemma
        raise OptionError(
            f"TERMS: lemmatize gave {brief(word)} as a word of {brief(text)}, expected where it begins, where it ends, "
            "and its lemma"
        )
