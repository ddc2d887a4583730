"""distinct-n: different n-grams of all texts together, among all that there are."""

import random

import pytest

import truebleu
from truebleu import errors
from truebleu.metrics import BLEU


@pytest.mark.parametrize("order", [1, 2, 3, 5])
@pytest.mark.parametrize("per", ["ngrams", "tokens"])
@pytest.mark.parametrize("tokenize", ["13a", "char", "zh", "none", str.split])
def test_the_share_is_that_of_sets_of_ngrams(order: int, per: str, tokenize: str) -> None:
    rng = random.Random(order)
    texts = ["".join(rng.choices("ab. é中A", k=rng.randrange(30))) for _ in range(30)]
    tokens = BLEU(tokenize=tokenize).tokens(texts)
    ngrams = [[tuple(one[at : at + order]) for at in range(len(one) - order + 1)] for one in tokens]
    sizes = [len(one) for one in (tokens if per == "tokens" else ngrams)]
    score = truebleu.distinct(texts, order, tokenize, per)
    different = {ngram for one in ngrams for ngram in one}
    assert (len(different), sum(sizes)) == (score.distinct, score.total)
    assert len(different) / sum(sizes) == score.score
    assert [len(set(one)) / size if size else 0.0 for one, size in zip(ngrams, sizes, strict=True)] == (
        score.scores.tolist()
    )


def test_the_line_tells_the_counts() -> None:
    assert "distinct-1 = 0.50 (distinct = 2 total = 4)" == str(truebleu.distinct(["a b", "b a"], 1))
    assert "distinct-1 = 0.33 (distinct = 1 total = 3)" == str(truebleu.distinct(["a A a"], 1, lowercase=True))
    assert 0.0 == truebleu.distinct(["a"], 2).score


def test_what_has_no_meaning_is_refused() -> None:
    with pytest.raises(errors.OptionError, match="per is 'words'"):
        truebleu.distinct(["a"], per="words")
    with pytest.raises(errors.OptionError, match="n is 0"):
        truebleu.distinct(["a"], 0)
    with pytest.raises(errors.InputError, match="texts"):
        truebleu.distinct([])
