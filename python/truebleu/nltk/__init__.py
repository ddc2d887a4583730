"""NLTK's translation metrics with NLTK's names, arguments and numbers (3.10.4), counted in Rust.

Replace `nltk.translate` by `truebleu.nltk`. References come first, everything is tokenized, and scores are from 0 to 1.

>>> from truebleu.nltk import SmoothingFunction, sentence_bleu
>>> references, hypothesis = ["there is a cat on the mat".split()], "the cat is on the mat".split()
>>> sentence_bleu(references, hypothesis, smoothing_function=SmoothingFunction().method1)
0.19433094436376075
"""

from truebleu.nltk.bleu_score import (
    SmoothingFunction,
    brevity_penalty,
    closest_ref_length,
    corpus_bleu,
    modified_precision,
    sentence_bleu,
)
from truebleu.nltk.chrf_score import corpus_chrf, sentence_chrf
from truebleu.nltk.gleu_score import corpus_gleu, sentence_gleu
from truebleu.nltk.meteor_score import meteor_score as meteor
from truebleu.nltk.nist_score import corpus_nist, sentence_nist

# The short names that nltk.translate has for them.
bleu = sentence_bleu
gleu = sentence_gleu
chrf = sentence_chrf
nist = sentence_nist

__all__ = [
    "SmoothingFunction",
    "bleu",
    "brevity_penalty",
    "chrf",
    "closest_ref_length",
    "corpus_bleu",
    "corpus_chrf",
    "corpus_gleu",
    "corpus_nist",
    "gleu",
    "meteor",
    "modified_precision",
    "nist",
    "sentence_bleu",
    "sentence_chrf",
    "sentence_gleu",
    "sentence_nist",
]
