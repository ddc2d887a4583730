"""Scores and their intervals."""

import json
import os
import pickle
from typing import Any

import pytest

import truebleu
from truebleu.metrics import BLEU, CHRF, TER, Score
from truebleu.resample.interval import Interval

WRONG, RIGHT = ["x y z", "u v w"], [["a b c", "d e f"]]


def test_an_interval_whose_mean_is_zero_is_not_lost() -> None:
    score = CHRF().corpus_score(WRONG, RIGHT, n_bootstrap=50)
    assert Interval(0.0, 0.0) == score.confidence
    assert {"mean": 0.0, "half_width": 0.0} == score.to_dict()["confidence"]


def test_a_score_without_resamples_has_no_interval() -> None:
    score = CHRF().corpus_score(WRONG, RIGHT)
    assert score.confidence is None
    assert "confidence" not in score.to_dict()


@pytest.mark.parametrize("metric", [BLEU(), CHRF(), TER()], ids=lambda metric: metric.name)
def test_a_seed_is_an_argument_and_the_environment_stays_as_it_was(
    metric: BLEU | CHRF | TER, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = ["a b c d e", "f g h i j k", "l m n"], [["a b x d e", "f g h i y k", "l m"]]
    monkeypatch.setenv("SACREBLEU_SEED", "7")
    before = dict(os.environ)
    from_environment = metric.corpus_score(*texts, n_bootstrap=40)
    monkeypatch.delenv("SACREBLEU_SEED")
    from_argument = metric.corpus_score(*texts, n_bootstrap=40, seed=7)
    assert from_environment.confidence == from_argument.confidence
    assert str(from_environment.signature) == str(from_argument.signature)
    assert before.items() - {("SACREBLEU_SEED", "7")} == set(os.environ.items())


@pytest.mark.parametrize("metric", [truebleu.BLEU(), truebleu.CHRF(), truebleu.TER(), truebleu.GLEU()], ids=repr)
def test_the_attributes_of_a_score_can_be_written_as_json(metric: Any) -> None:
    score = metric.corpus_score(["a b c d"], [["a b c x"]], n_bootstrap=2)
    assert score.score == json.loads(json.dumps(vars(score)))["score"]
    other = pickle.loads(pickle.dumps(score))
    assert (vars(score), str(score.signature)) == (vars(other), str(other.signature))


def test_a_score_is_compared_and_written_as_its_number() -> None:
    score, other = Score("X", 31.25), Score("X", 28)
    assert (31.25, "31.2", "  31.250") == (float(score), f"{score:.1f}", f"{score:8.3f}")
    assert str(score) == f"{score}" == format(score)
    assert score > 30 and 30 < score and score >= 31.25 and score <= 31.25 and score < 40 and max(other, score) is score
    assert Score("X", 31.25) != score and 1 == len({score})
    with pytest.raises(TypeError):
        _ = score > "30"  # type: ignore[operator]
    theirs = truebleu.sacrebleu.corpus_bleu(["a b c d e"], [["a b c d f"]])
    assert f"{theirs.score:.1f}" == f"{theirs:.1f}" and str(theirs) == f"{theirs}"


def test_a_length_mismatch_says_where_the_lists_drift_apart() -> None:
    texts = [f"the heron {at} stood by pond {at * 7}" for at in range(60)]
    with pytest.raises(truebleu.errors.LengthMismatch, match="drift apart at line 21: is 1 line of the system missing"):
        truebleu.corpus_bleu(texts[:20] + texts[21:], [texts])
    with pytest.raises(truebleu.errors.LengthMismatch, match=r"has 60 segments, the hypotheses have 59$"):
        truebleu.BLEU().corpus_score(iter(texts[1:]), [texts])  # it cannot be read twice
    with pytest.raises(truebleu.errors.LengthMismatch, match=r"The first fits; is the end of the system missing\?"):
        truebleu.corpus_chrf(texts[:1], [texts[:2], texts[:2]])
