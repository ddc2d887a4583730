"""What a type checker must understand of the public surface; mypy checks this file, nothing runs it."""

from collections.abc import Mapping
from typing import assert_type

import numpy as np
from numpy.typing import NDArray

import truebleu
from truebleu import evaluate
from truebleu.diversity import SelfScore
from truebleu.ids import bleu_corpus_ids
from truebleu.metrics import BLEU, CHRF, GLEU, TER, BLEUScore, CHRFScore, GLEUScore, TERScore
from truebleu.metrics.pairwise import MBRResult
from truebleu.nltk import corpus_gleu, sentence_bleu
from truebleu.signature import Signature
from truebleu.significance import Comparison, ExternalMetric, Group, PairedTest, Result, breakdown, compare
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

systems = [("a", hypotheses), ("b", hypotheses)]
assert_type(
    PairedTest(systems, {"BLEU": BLEU()}, references)(), tuple[dict[str, Signature], dict[str, list[str | Result]]]
)
assert_type(compare(dict(systems), [BLEU(), TER()], references, test="bs2"), Comparison)
assert_type(breakdown(TER(), TER().stats(hypotheses, references), ["news"]), list[Group])
assert_type(ExternalMetric("COMET").stats([0.5]), Stats)
demo = truebleu.testset("demo", "en-de", refs=["A"])
assert_type(demo, truebleu.dataset.TestSet)
assert_type(demo.source, list[str])
assert_type(demo.systems, Mapping[str, list[str]])
assert_type(truebleu.corpus_bleu(demo.systems["atlas"], demo.references), BLEUScore)
assert_type(truebleu.get_source_file("demo", "en-de"), str)
assert_type(truebleu.utils.get_files("demo", "en-de"), list[str])
assert_type(truebleu.DATASETS["demo"].citation, str | None)
assert_type(CHRF().pairwise(hypotheses, ["a", "b"]), NDArray[np.float64])
assert_type(CHRF().mbr(hypotheses), MBRResult)
assert_type(BLEU().mbr([hypotheses, hypotheses], weights=[[1.0], None]), list[MBRResult])
assert_type(truebleu.self_bleu(hypotheses, TER()), SelfScore)
assert_type(GLEU(tokenize="intl").corpus_score(hypotheses, references), GLEUScore)
assert_type(GLEU().sentence_score("a", ["b"]).matches, int)
assert_type(sentence_bleu([["a", "b"]], ["a", "c"], weights=(0.5, 0.5)), float | list[float])
assert_type(corpus_gleu([[["a", "b"]]], [["a", "c"]]), float)
assert_type(bleu_corpus_ids([[[1, 2]]], [np.array([1, 3])], n=2), float)
assert_type(truebleu.Accumulator(BLEU()).compute(), BLEUScore)
assert_type(truebleu.Accumulator(TER())(hypotheses, ["a"]), TERScore)
assert_type(evaluate.load("bleu"), evaluate.EvaluationModule)
