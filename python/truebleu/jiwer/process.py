"""jiwer's `process_words` and `process_characters`: counts, rates, and alignments on demand."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from truebleu import _core
from truebleu._inputs import brief
from truebleu._options import thread_count
from truebleu.errors import FormatMismatch, LengthMismatch
from truebleu.jiwer import transformations as presets
from truebleu.jiwer.transforms import Transform, sentences_of
from truebleu.metrics.alignment import AlignmentChunk, CharacterOutput, Output, WordOutput, align_tokens, counted
from truebleu.metrics.wer import CER, WER, ErrorRate

__all__ = ["AlignmentChunk", "CharacterOutput", "WordOutput", "process_characters", "process_words"]


def _standardized(text: str) -> str:
    return _core.transcript_words(text.lower(), True, False)


# The metric of each preset, and the preparation of its texts before they are joined, if they are.
_PRESETS: tuple[tuple[Transform, ErrorRate, Callable[[str], str] | None], ...] = (
    (presets.wer_default, WER(), None),
    (presets.wer_contiguous, WER(), str.strip),
    (presets.wer_standardize, WER(normalize="standardize"), None),
    (presets.wer_standardize_contiguous, WER(), _standardized),
    (presets.cer_default, CER(), None),
    (presets.cer_contiguous, CER(), str.strip),
)


def process_words(
    reference: str | list[str],
    hypothesis: str | list[str],
    reference_transform: Transform = presets.wer_default,
    hypothesis_transform: Transform = presets.wer_default,
) -> WordOutput:
    """Align the words of references and hypotheses, and count.

    Parameters
    ----------
    reference, hypothesis, reference_transform, hypothesis_transform
        As in `wer`.
    """
    return _processed(WordOutput, reference, hypothesis, reference_transform, hypothesis_transform)


def process_characters(
    reference: str | list[str],
    hypothesis: str | list[str],
    reference_transform: Transform = presets.cer_default,
    hypothesis_transform: Transform = presets.cer_default,
) -> CharacterOutput:
    """Align the characters of references and hypotheses, and count.

    Parameters
    ----------
    reference, hypothesis, reference_transform, hypothesis_transform
        As in `cer`.
    """
    return _processed(CharacterOutput, reference, hypothesis, reference_transform, hypothesis_transform)


def error_rate(reference: Any, hypothesis: Any, reference_transform: Any, hypothesis_transform: Any) -> float | None:
    """Find WER or CER without an alignment, which takes longer; None if a transform is not a preset."""
    texts = _listed(reference, hypothesis)
    found = _of_preset(texts, reference_transform, hypothesis_transform)
    if found is None:
        return None
    metric, theirs, ours = found
    length, _, _, errors, *_ = map(int, _rate_engine(metric).totals(ours, [theirs], True, thread_count(None)))
    return errors / length if length else errors


@cache
def _rate_engine(metric: ErrorRate) -> Any:
    return metric.rate_engine()


def _listed(reference: Any, hypothesis: Any) -> list[list[Any]]:
    given = {"reference": reference, "hypothesis": hypothesis}
    listed = [sentences_of(what, one) for what, one in given.items()]
    return [[one] if isinstance(one, str) else list(one) for one in listed]


def _of_preset(
    texts: list[list[Any]], of_reference: Any, of_hypothesis: Any
) -> tuple[ErrorRate, list[Any], list[Any]] | None:
    """The metric of a preset, and both sides in its form; None unless both sides use the same preset."""
    preset = next((preset for preset in _PRESETS if preset[0] is of_reference), None)
    if preset is None or of_hypothesis is not of_reference:
        return None
    _, metric, clean = preset
    if clean is not None:
        texts = [[" ".join(filter(None, map(clean, side)))] for side in texts]
    theirs, ours = [side or [""] for side in texts]
    _refuse_unequal(theirs, ours)
    return metric, theirs, ours


def _processed(kind: type[Output], reference: Any, hypothesis: Any, of_reference: Any, of_hypothesis: Any) -> Output:
    texts = _listed(reference, hypothesis)
    found = _of_preset(texts, of_reference, of_hypothesis)
    if found is None:
        steps = (("reference_transform", of_reference), ("hypothesis_transform", of_hypothesis))
        lists = [_tokens(name, step, texts[at]) for at, (name, step) in enumerate(steps)]
        _refuse_unequal(*lists)
        return align_tokens(kind, *lists)
    metric, theirs, ours = found
    totals = metric.engine.totals(ours, [theirs], True, thread_count(None))
    return counted(kind, totals[:4], lambda: (metric.tokens(theirs), metric.tokens(ours)))


def _tokens(name: str, transform: Any, texts: list[str]) -> list[list[str]]:
    if not callable(transform):
        raise FormatMismatch(f"{name} is {brief(transform)}, expected a transform")
    found = transform(texts)
    good = isinstance(found, list) and all(
        isinstance(tokens, list) and all(isinstance(token, str) for token in tokens) for tokens in found
    )
    if not good:
        raise FormatMismatch(
            f"{name} returned {brief(found)}, expected a list with a list of words or characters for each text: "
            "end it with ReduceToListOfListOfWords() or ReduceToListOfListOfChars()"
        )
    return list(found)


def _refuse_unequal(references: list[Any], hypotheses: list[Any]) -> None:
    if len(references) != len(hypotheses):
        raise LengthMismatch(
            f"there are {len(references)} reference and {len(hypotheses)} hypothesis sentences after the transforms, "
            "expected as many of both"
        )
