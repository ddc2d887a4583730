"""Functions that count n-grams."""

from truebleu.metrics.helpers import (
    extract_all_char_ngrams,
    extract_all_word_ngrams,
    extract_char_ngrams,
    extract_word_ngrams,
)

__all__ = ["extract_all_char_ngrams", "extract_all_word_ngrams", "extract_char_ngrams", "extract_word_ngrams"]
