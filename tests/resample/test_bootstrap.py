"""Confidence intervals of single scores."""

import pytest
import sacrebleu.metrics

import truebleu.metrics
from truebleu import demo
from truebleu.errors import OptionError

OPTIONS = [("BLEU", {}), ("CHRF", {}), ("CHRF", {"word_order": 2}), ("TER", {})]


@pytest.mark.parametrize("system", ["atlas", "cedar"])
@pytest.mark.parametrize(("name", "options"), OPTIONS)
def test_intervals_equal_sacrebleus_to_the_printed_digits(name: str, options: dict[str, int], system: str) -> None:
    data = demo.load("en-de")
    texts = data.systems[system], list(data.references.values())
    ours = getattr(truebleu.metrics, name)(**options)
    theirs = getattr(sacrebleu.metrics, name)(**options)
    expected = theirs.corpus_score(*texts, n_bootstrap=300)
    assert str(expected) == str(ours.corpus_score(*texts, n_bootstrap=300))
    assert str(theirs.get_signature()).split("|")[:-1] == str(ours.get_signature()).split("|")[:-1]


def test_the_seed_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    data = demo.load("en-es")
    texts = data.systems["birch"], list(data.references.values())
    metric = truebleu.metrics.CHRF()
    default = metric.corpus_score(*texts, n_bootstrap=50)
    monkeypatch.setenv("SACREBLEU_SEED", "0")
    zero = metric.corpus_score(*texts, n_bootstrap=50)
    assert "|seed:0|" in str(zero.signature)
    assert str(default) != str(zero)
    assert str(zero) == str(metric.corpus_score(*texts, n_bootstrap=50))
    monkeypatch.setenv("SACREBLEU_SEED", "None")
    assert "|seed:none|" in str(metric.corpus_score(*texts, n_bootstrap=50).signature)


@pytest.mark.parametrize("seed", ["-1", "x", "1.5", ""])
def test_a_seed_that_is_none(seed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SACREBLEU_SEED", seed)
    with pytest.raises(OptionError, match="SACREBLEU_SEED is"):
        truebleu.metrics.BLEU().corpus_score(["a"], [["a"]], n_bootstrap=10)


def test_to_dict_has_the_interval() -> None:
    score = truebleu.metrics.BLEU().corpus_score(["a b c d e"] * 3, [["a b c d x"] * 3], n_bootstrap=20)
    assert {"mean": score.confidence.mean, "half_width": score.confidence.half_width} == score.to_dict()["confidence"]
