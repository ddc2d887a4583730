"""SQuAD's normalisation and F1 as they are described, step by step; and pieces of texts that are hard for them."""

from __future__ import annotations

import re
import string
from collections import Counter

PIECES = ["a", "an", "the", "The", "A", "cat", "sat", "then", "“", "”", "a\u0301", "é", "中", "ªa", "²", "_", "-", ".",
          "'s", "İ", "\u00a0", "\t", " ", "\0", "\ud800", "ⓐ", "a中", "中the", "ः", "x1"]  # fmt: skip


def slow_words(text: str) -> list[str]:
    """The description of the normalisation, step by step."""
    plain = "".join(c for c in text.lower() if c not in string.punctuation)
    return re.sub(r"\b(?:the|an|a)\b", " ", plain).split()


def slow_f1(hypothesis: str, reference: str, version: int) -> float:
    ours, theirs = slow_words(hypothesis), slow_words(reference)
    if version == 2 and not (ours and theirs):
        return float(ours == theirs)
    shared = (Counter(ours) & Counter(theirs)).total()
    if not shared:
        return 0.0
    precision, recall = shared / len(ours), shared / len(theirs)
    return (2 * precision * recall) / (precision + recall)
