"""jiwer's transforms: small steps from a text, or a list of texts, to what is counted."""

from __future__ import annotations

import re
import string
import sys
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any

from truebleu._inputs import brief, check_instance
from truebleu._options import yes_or_no
from truebleu.errors import FormatMismatch

Transform = Callable[[Any], Any]


def sentences_of(what: str, value: Any) -> Any:
    """Give a text or a list of texts back, and refuse all else."""
    if not isinstance(value, str | list):
        raise FormatMismatch(f"{what} is {brief(value)}, expected a string or list of strings")
    if isinstance(value, list):
        for at, text in enumerate(value):
            if not isinstance(text, str):
                raise FormatMismatch(f"{what}[{at}] is {brief(text)}, expected a string")
    return value


class AbstractTransform:
    """A step that is applied to a text, or to each text of a list."""

    def __call__(self, sentences: Any) -> Any:
        """Do the step to a text, or to each text of a list."""
        given = sentences_of("input", sentences)
        return self.process_string(given) if isinstance(given, str) else self.process_list(given)

    def process_string(self, s: str) -> Any:
        """Do the step to one text.

        Parameters
        ----------
        s
            The text.
        """
        return self._one(s)

    def process_list(self, inp: list[str]) -> list[Any]:
        """Do the step to each text of a list.

        Parameters
        ----------
        inp
            The texts.
        """
        return self._all(inp)

    # What our steps do. A program's own step overrides the two methods above, as with jiwer.

    def _one(self, s: str) -> Any:
        raise NotImplementedError

    def _all(self, inp: list[str]) -> list[Any]:
        return [self.process_string(text) for text in inp]


class Compose:
    """Several steps, one after the other.

    Parameters
    ----------
    transforms
        The steps.
    """

    def __init__(self, transforms: list[Transform]) -> None:
        check_instance("Compose", "transforms", transforms, (list, tuple), "a list of transforms")
        for at, one in enumerate(transforms):
            if not callable(one):
                raise FormatMismatch(f"Compose: transforms[{at}] is {brief(one)}, expected a transform")
        self.transforms = transforms

    def __call__(self, text: Any) -> Any:
        """Do all steps."""
        for transform in self.transforms:
            text = transform(text)
        return text


class ReduceToListOfListOfWords(AbstractTransform):
    """Split each text at a delimiter; an empty list becomes one text without words.

    Parameters
    ----------
    word_delimiter
        What words are separated by.
    """

    def __init__(self, word_delimiter: str = " ") -> None:
        if word_delimiter is not None and (not isinstance(word_delimiter, str) or not word_delimiter):
            raise FormatMismatch(
                f"ReduceToListOfListOfWords: word_delimiter is {brief(word_delimiter)}, expected text, not empty"
            )
        self.word_delimiter = word_delimiter

    def _one(self, s: str) -> list[list[str]]:
        return [[word for word in s.split(self.word_delimiter) if word]]

    def _all(self, inp: list[str]) -> list[list[str]]:
        return [self.process_string(text)[0] for text in inp] or [[]]


class ReduceToListOfListOfChars(AbstractTransform):
    """Split each text into characters; an empty list becomes one text without characters."""

    def _one(self, s: str) -> list[list[str]]:
        return [list(s)]

    def _all(self, inp: list[str]) -> list[list[str]]:
        return [list(text) for text in inp] or [[]]


class ReduceToSingleSentence(AbstractTransform):
    """Join all texts of a list but empty ones.

    Parameters
    ----------
    word_delimiter
        What stands between them.
    """

    def __init__(self, word_delimiter: str = " ") -> None:
        check_instance("ReduceToSingleSentence", "word_delimiter", word_delimiter, str, "text")
        self.word_delimiter = word_delimiter

    def _one(self, s: str) -> str:
        return s

    def _all(self, inp: list[str]) -> list[str]:
        filled = [text for text in inp if text]
        return [self.word_delimiter.join(filled)] if filled else []


class SubstituteRegexes(AbstractTransform):
    """Replace what patterns match, one pattern after the other.

    Parameters
    ----------
    substitutions
        What each pattern is replaced by, as for `re.sub`.
    """

    def __init__(self, substitutions: Mapping[str, str]) -> None:
        who = type(self).__name__
        check_instance(who, "substitutions", substitutions, Mapping, "a dict from text to text")
        for old, new in substitutions.items():
            if not isinstance(old, str) or not isinstance(new, str):
                raise FormatMismatch(
                    f"{who}: substitutions has {brief(old)}: {brief(new)}, expected text on both sides"
                )
        self.substitutions = substitutions

    def _one(self, s: str) -> str:
        for old, new in self.substitutions.items():
            s = re.sub(self._pattern(old), new, s)
        return s

    def _pattern(self, old: str) -> str:
        return old


class SubstituteWords(SubstituteRegexes):
    """Replace words that stand between word boundaries.

    Parameters
    ----------
    substitutions
        What each word is replaced by.
    """

    def _pattern(self, old: str) -> str:
        return rf"\b{re.escape(old)}\b"


class RemoveSpecificWords(SubstituteWords):
    """Put a space in place of words that stand between word boundaries.

    Parameters
    ----------
    words_to_remove
        The words.
    """

    def __init__(self, words_to_remove: Iterable[str]) -> None:
        who = "RemoveSpecificWords"
        check_instance(who, "words_to_remove", words_to_remove, (str, list, tuple, set, frozenset), "a list of words")
        for word in words_to_remove:
            check_instance(who, "words_to_remove", word, str, "a list of words")
        super().__init__(dict.fromkeys(words_to_remove, " "))


class RemoveWhiteSpace(AbstractTransform):
    """Delete ASCII white space.

    Parameters
    ----------
    replace_by_space
        Whether each such character becomes a space instead.
    """

    def __init__(self, replace_by_space: bool = False) -> None:
        self.tokens_to_remove = list(string.whitespace)
        self.replace_token = " " if yes_or_no("RemoveWhiteSpace", "replace_by_space", replace_by_space) else ""

    def _one(self, s: str) -> str:
        return s.translate(dict.fromkeys(map(ord, self.tokens_to_remove), self.replace_token))


@cache
def _punctuation() -> dict[int, str]:
    """Which characters the Unicode version of this interpreter calls punctuation."""
    return dict.fromkeys((c for c in range(sys.maxunicode + 1) if unicodedata.category(chr(c))[0] == "P"), "")


class RemovePunctuation(AbstractTransform):
    """Delete all characters that Unicode calls punctuation."""

    def _one(self, s: str) -> str:
        return s.translate(_punctuation())


class RemoveMultipleSpaces(AbstractTransform):
    """Put one space in place of each run of two or more characters of white space."""

    def _one(self, s: str) -> str:
        return re.sub(r"\s\s+", " ", s)


class Strip(AbstractTransform):
    """Delete white space at both ends."""

    _one = staticmethod(str.strip)  # type: ignore[assignment]


class RemoveEmptyStrings(AbstractTransform):
    """Drop texts of a list that have nothing but white space."""

    def _one(self, s: str) -> str:
        return s.strip()

    def _all(self, inp: list[str]) -> list[str]:
        return [text for text in inp if text.strip()]


class ExpandCommonEnglishContractions(AbstractTransform):
    """Expand eleven English contractions in small letters, `n't` to ` not` among them."""

    def _one(self, s: str) -> str:
        for short, long in _CONTRACTIONS.items():
            s = s.replace(short, long)
        return s


_CONTRACTIONS = {
    "won't": "will not", "can't": "can not", "let's": "let us", "n't": " not", "'re": " are", "'s": " is",
    "'d": " would", "'ll": " will", "'t": " not", "'ve": " have", "'m": " am",
}  # fmt: skip


class RemoveKaldiNonWords(AbstractTransform):
    """Delete text between brackets, square or angle, with the brackets."""

    def _one(self, s: str) -> str:
        # What opens after the last bracket that closes stays: to look for its end would take quadratic time.
        end = max(s.rfind(">"), s.rfind("]")) + 1
        return re.sub(r"[<\[][^>\]]*[>\]]", "", s[:end]) + s[end:]


class ToLowerCase(AbstractTransform):
    """Make all letters small."""

    _one = staticmethod(str.lower)  # type: ignore[assignment]


class ToUpperCase(AbstractTransform):
    """Make all letters capital."""

    _one = staticmethod(str.upper)  # type: ignore[assignment]
