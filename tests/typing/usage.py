"""What a type checker must understand of the public surface; mypy checks this file, nothing runs it."""

from typing import assert_type

import numpy as np
from numpy.typing import NDArray

import truebleu
from truebleu.ids import bleu_corpus_ids
from truebleu.metrics import BLEU, CHRF, GLEU, TER, BLEUScore, CHRFScore, GLEUScore, TERScore
from truebleu.nltk import corpus_gleu, sentence_bleu
from truebleu.signature import Signature
from truebleu.stats import Stats

hypotheses = ["a b c d"]
references: list[list[str | None]] = [["a b c e"], [None]]

assert_type(truebleu.corpus_bleu(hypotheses, references), BLEUScore)
assert_type(truebleu.sentence_ter("a", ["b"]), TERScore)
assert_type(BLEU().corpus_score(hypotheses, references), BLEUScore)
assert_type(CHRF().corpus_score(hypotheses, references), CHRFScore)
assert_type(TER().sentence_score("a", ["b", None]), TERScore)
assert_type(BLEU().sentence_scores(hypotheses, references), NDArray[np.float64])
assert_type(CHRF().stats(hypotheses, [["a", "b"]], layout="segments"), Stats)
assert_type(TER().get_signature(), Signature)
assert_type(BLEU().lowercase, bool)
assert_type(BLEU(tokenize=str.split).max_ngram_order, int)
assert_type(BLEU().score(BLEU().stats(hypotheses, references)), BLEUScore)
assert_type(GLEU(tokenize="intl").corpus_score(hypotheses, references), GLEUScore)
assert_type(GLEU().sentence_score("a", ["b"]).matches, int)
assert_type(sentence_bleu([["a", "b"]], ["a", "c"], weights=(0.5, 0.5)), float | list[float])
assert_type(corpus_gleu([[["a", "b"]]], [["a", "c"]]), float)
assert_type(bleu_corpus_ids([[[1, 2]]], [np.array([1, 3])], n=2), float)
