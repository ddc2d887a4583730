"""jiwer's measures, from 0 to 1, and whole numbers where jiwer gives some."""

from __future__ import annotations

from truebleu.jiwer import transformations as presets
from truebleu.jiwer.process import error_rate, process_characters, process_words
from truebleu.jiwer.transforms import Transform

__all__ = ["cer", "mer", "wer", "wil", "wip"]

Sentences = str | list[str] | None


def wer(
    reference: Sentences = None,
    hypothesis: Sentences = None,
    reference_transform: Transform = presets.wer_default,
    hypothesis_transform: Transform = presets.wer_default,
) -> float:
    """Word error rate: errors for each reference word.

    Parameters
    ----------
    reference
        The reference, or a list of them.
    hypothesis
        The hypothesis, or a list of as many.
    reference_transform
        From the references to a list of words for each.
    hypothesis_transform
        From the hypotheses to a list of words for each.
    """
    rate = error_rate(reference, hypothesis, reference_transform, hypothesis_transform)
    if rate is None:
        rate = process_words(reference, hypothesis, reference_transform, hypothesis_transform).wer  # type: ignore[arg-type]
    return rate


def mer(
    reference: Sentences = None,
    hypothesis: Sentences = None,
    reference_transform: Transform = presets.wer_default,
    hypothesis_transform: Transform = presets.wer_default,
) -> float:
    """Match error rate: errors for each step of the alignment.

    Parameters
    ----------
    reference, hypothesis, reference_transform, hypothesis_transform
        As in `wer`.
    """
    return process_words(reference, hypothesis, reference_transform, hypothesis_transform).mer  # type: ignore[arg-type]


def wil(
    reference: Sentences = None,
    hypothesis: Sentences = None,
    reference_transform: Transform = presets.wer_default,
    hypothesis_transform: Transform = presets.wer_default,
) -> float:
    """Word information lost: one less the information preserved.

    Parameters
    ----------
    reference, hypothesis, reference_transform, hypothesis_transform
        As in `wer`.
    """
    return process_words(reference, hypothesis, reference_transform, hypothesis_transform).wil  # type: ignore[arg-type]


def wip(
    reference: Sentences = None,
    hypothesis: Sentences = None,
    reference_transform: Transform = presets.wer_default,
    hypothesis_transform: Transform = presets.wer_default,
) -> float:
    """Word information preserved: the share of hits in the references times that in the hypotheses.

    Parameters
    ----------
    reference, hypothesis, reference_transform, hypothesis_transform
        As in `wer`.
    """
    return process_words(reference, hypothesis, reference_transform, hypothesis_transform).wip  # type: ignore[arg-type]


def cer(
    reference: Sentences = None,
    hypothesis: Sentences = None,
    reference_transform: Transform = presets.cer_default,
    hypothesis_transform: Transform = presets.cer_default,
) -> float:
    """Character error rate: errors for each reference character.

    Parameters
    ----------
    reference, hypothesis
        As in `wer`.
    reference_transform
        From the references to a list of characters for each.
    hypothesis_transform
        From the hypotheses to a list of characters for each.
    """
    rate = error_rate(reference, hypothesis, reference_transform, hypothesis_transform)
    if rate is None:
        output = process_characters(reference, hypothesis, reference_transform, hypothesis_transform)  # type: ignore[arg-type]
        rate = output.cer
    return rate
