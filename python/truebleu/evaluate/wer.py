"""evaluate's `wer`, `cer` and `exact_match`: one reference for each prediction, numbers from 0 to 1."""

from __future__ import annotations

import re
import string
from collections.abc import Mapping, Sequence
from typing import Any

from truebleu._inputs import Reference, Segments, brief
from truebleu._options import yes_or_no
from truebleu.errors import FormatMismatch, NothingToDivide
from truebleu.evaluate.module import EvaluationModule, MetricInfo
from truebleu.jiwer import process_characters, process_words
from truebleu.metrics.citations import entries

_RATES = entries()["morris-etal-2004-wer"], "https://en.wikipedia.org/wiki/Word_error_rate"


def _about(description: str, citation: str = "", *urls: str) -> MetricInfo:
    features: list[Mapping[str, Any]] = [{"predictions": "string", "references": "string"}]
    return MetricInfo(
        description, citation, "predictions, references: list of str.", features=features, reference_urls=urls
    )


class _OneReference(EvaluationModule):
    """A metric that takes strings as references, and no lists of them."""

    def _checked(
        self, predictions: Any, references: Any, names: tuple[str, str] = ("predictions", "references")
    ) -> Segments:
        segments = super()._checked(predictions, references, names)
        if not segments.flat:
            raise FormatMismatch(f"{self.name}: {names[1]} has lists, expected one string for each prediction")
        return segments


class Wer(_OneReference):
    """Word error rate with the numbers of jiwer, from 0; `compute` returns a float, and takes one option:

    - `concatenate_texts`: whether a corpus without reference words has a rate, the number of errors.

    Examples
    --------
    >>> Wer().compute(predictions=["nobody saw a heron"], references=["no one saw the heron"])
    0.6
    """

    name = "wer"
    info = _about("Word error rate as jiwer computes it: errors for each reference word. Lower is better.", *_RATES)

    def _score(self, predictions: list[str], references: list[Reference], *, concatenate_texts: bool = False) -> Any:
        output = process_words([str(one[0]) for one in references], predictions)
        return _rate("wer", output, output.wer, concatenate_texts)


class Cer(_OneReference):
    """Character error rate with the numbers of jiwer, from 0; `compute` returns a float, and takes one option:

    - `concatenate_texts`: whether a corpus without reference characters has a rate, the number of errors.

    Examples
    --------
    >>> Cer().compute(predictions=["sitting"], references=["kitten"])
    0.5
    """

    name = "cer"
    info = _about(
        "Character error rate as jiwer computes it: errors for each reference character. Lower is better.", *_RATES
    )

    def _score(self, predictions: list[str], references: list[Reference], *, concatenate_texts: bool = False) -> Any:
        output = process_characters([str(one[0]) for one in references], predictions)
        return _rate("cer", output, output.cer, concatenate_texts)


def _rate(name: str, output: Any, rate: float, concatenate_texts: bool) -> float:
    is_whole = yes_or_no(name, "concatenate_texts", concatenate_texts)
    if not is_whole and not output.hits + output.substitutions + output.deletions:
        raise NothingToDivide(f"{name}: all references are empty, expected at least one with text to divide by")
    return rate


class ExactMatch(_OneReference):
    """The share of predictions that equal their reference, from 0 to 1. `compute` takes these options:

    - `regexes_to_ignore`: patterns whose matches are deleted from both sides first, one after the other.
    - `ignore_case`, `ignore_punctuation`, `ignore_numbers`: whether case, ASCII punctuation and ASCII digits count.

    Examples
    --------
    >>> given = {"predictions": ["Yes", "no."], "references": ["yes", "no"]}
    >>> float(ExactMatch().compute(**given, ignore_case=True)["exact_match"])
    0.5
    """

    name = "exact_match"
    info = _about("The share of predictions that equal their reference.")

    def _score(
        self,
        predictions: list[str],
        references: list[Reference],
        *,
        regexes_to_ignore: Sequence[str] | None = None,
        ignore_case: bool = False,
        ignore_punctuation: bool = False,
        ignore_numbers: bool = False,
    ) -> dict[str, Any]:
        import numpy as np

        patterns = _patterns(regexes_to_ignore)
        is_deleted = {
            string.punctuation: yes_or_no(self.name, "ignore_punctuation", ignore_punctuation),
            string.digits: yes_or_no(self.name, "ignore_numbers", ignore_numbers),
        }
        deleted = str.maketrans("", "", "".join(characters for characters, wanted in is_deleted.items() if wanted))
        is_lowered = yes_or_no(self.name, "ignore_case", ignore_case)

        def left(texts: list[str]) -> list[str]:
            for pattern in patterns:
                # Trailing NULs are lost in evaluate's arrays, after each step.
                texts = [pattern.sub("", text).rstrip("\0") for text in texts]
            if is_lowered:
                # So is what makes a text longer than the longest of the array, as the small letters of \u0130 do.
                widest = max(map(len, texts))
                texts = [text.lower()[:widest] for text in texts]
            return [text.translate(deleted).rstrip("\0") for text in texts]

        ours, theirs = left(predictions), left([str(one[0]) for one in references])
        return {"exact_match": np.mean([one == other for one, other in zip(ours, theirs, strict=True)])}


def _patterns(regexes: Any) -> list[re.Pattern[str]]:
    if regexes is None:
        return []
    if not isinstance(regexes, list | tuple) or not all(isinstance(one, str) for one in regexes):
        raise FormatMismatch(f"exact_match: regexes_to_ignore is {brief(regexes)}, expected a list of patterns")
    try:
        return [re.compile(one) for one in regexes]
    except re.error as error:
        raise FormatMismatch(f"exact_match: regexes_to_ignore has an invalid pattern: {error}") from error
