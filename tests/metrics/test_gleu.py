"""Google BLEU as a metric: NLTK's numbers on the tokens of any tokenizer."""

import random

import nltk.translate.gleu_score
import numpy as np
import pytest
import sacrebleu

import truebleu
from strategies import BLEU_TOKENIZERS, Generator
from truebleu import errors
from truebleu.metrics import GLEU, GLEUScore
from truebleu.version import __version__

HYPOTHESES = ["the ferry left at noon", "nobody saw it", "rain, rain and more rain"]
REFERENCES = [["the ferry sailed at noon", "no one saw it", "rain and rain"], ["at noon it left", "unseen", "wet"]]


@pytest.mark.parametrize("tokenize", BLEU_TOKENIZERS)
def test_scores_are_nltks_on_the_same_tokens(tokenize: str, cases: int) -> None:
    tokenizer = sacrebleu.BLEU(tokenize=tokenize).tokenizer
    for index in range(max(cases // 3, 40)):
        generator = Generator(f"gleu/{tokenize}/{index}")
        corpus = generator.corpus()
        lowercase = generator.rng.random() < 0.3
        low = generator.rng.choice((1, 1, 1, 2, 3))
        high = low + generator.rng.choice((3, 3, 0, 1, 8))

        def tokens(text: str, lowercase: bool = lowercase) -> list[str]:
            return tokenizer((text.lower() if lowercase else text).rstrip()).split()

        references = [[tokens(text) for text in texts if text is not None] for texts in corpus.segments]
        hypotheses = [tokens(text) for text in corpus.hypotheses]
        metric = GLEU(lowercase=lowercase, tokenize=tokenize, min_len=low, max_len=high, empty_refs="keep")
        expected = nltk.translate.gleu_score.corpus_gleu(references, hypotheses, low, high)
        score = metric.corpus_score(*corpus)
        case = f"{tuple(corpus)!a} {metric}"
        assert 100.0 * expected == score.score, case
        assert expected == (score.matches / score.ngrams if score.ngrams else 0), case
        segments = [
            100.0 * nltk.translate.gleu_score.sentence_gleu(references, hypothesis, low, high)
            for references, hypothesis in zip(references, hypotheses, strict=True)
        ]
        assert segments == metric.sentence_scores(*corpus).tolist(), case


@pytest.mark.parametrize(
    ("hypothesis", "references", "options", "expected"),
    [
        ("the cat sat on the mat", ["the cat ate the mat"], {}, (6, 18)),
        ("the cat is on the mat", ["there is a cat on the mat"], {}, (8, 22)),
        ("the cat is on the mat", ["there is a cat on the mat"], {"max_len": 2}, (7, 13)),
        ("the cat is on the mat", ["there is a cat on the mat"], {"min_len": 2}, (3, 15)),
        ("a b c", ["a b c d", "a b x y z"], {}, (6, 10)),
        ("a b.", ["a b ."], {}, (6, 6)),
        ("a b.", ["a b ."], {"tokenize": "none"}, (1, 6)),
        ("a", ["a"], {"min_len": 2}, (0, 0)),
        ("", ["a b"], {}, (0, 3)),
        ("", [""], {}, (0, 0)),
        ("A B", ["a b"], {"lowercase": True}, (3, 3)),
    ],
)
def test_matches_and_ngrams_of_small_segments(
    hypothesis: str, references: list[str], options: dict[str, object], expected: tuple[int, int]
) -> None:
    score = GLEU(**options).sentence_score(hypothesis, references)  # type: ignore[arg-type]
    assert expected == (score.matches, score.ngrams)
    assert (100.0 * (expected[0] / expected[1]) if expected[1] else 0.0) == score.score


def test_one_reference_makes_it_symmetric() -> None:
    score = GLEU().sentence_score
    one, two = "the cat sat on the mat", "the cat ate the mat"
    assert 100 / 3 == pytest.approx(score(one, [two]).score, rel=1e-15)
    assert score(one, [two]).score == score(two, [one]).score


def test_matches_are_summed_over_segments_not_averaged() -> None:
    long, short = ("a b c d e f g h", ["a b c d e f g h"]), ("x", ["y"])
    scores = GLEU().sentence_scores(*zip(long, short, strict=True), layout="segments")
    assert [100.0, 0.0] == scores.tolist()
    score = GLEU().corpus_score([long[0], short[0]], [long[1], short[1]], layout="segments")
    assert (26, 27) == (score.matches, score.ngrams)


def test_of_equally_good_references_the_first_gives_the_denominator() -> None:
    for references, expected in ((["x", "x z"], 1), (["x z", "x"], 3)):
        assert expected == GLEU().sentence_score("y", references).ngrams


def test_score_text_signature_and_dict() -> None:
    score = GLEU(lowercase=True, max_len=3).corpus_score(HYPOTHESES, REFERENCES)
    assert isinstance(score, GLEUScore)
    assert f"GLEU = {score.score:.2f} (matches = {score.matches} ngrams = {score.ngrams})" == str(score)
    assert score.signature is not None
    assert f"nrefs:2|case:lc|tok:13a|min:1|max:3|version:truebleu-{__version__}" == str(score.signature)
    assert score.signature.format(short=True).startswith("#:2|c:lc|tok:13a|min:1|max:3|v:")
    fields = score.to_dict()
    assert ("GLEU", score.score, score.matches) == (fields["name"], fields["score"], fields["matches"])


def test_rows_sum_to_the_score() -> None:
    metric = GLEU()
    stats = metric.stats(HYPOTHESES, REFERENCES)
    assert ("matches", "ngrams") == stats.columns
    assert metric.corpus_score(HYPOTHESES, REFERENCES).score == metric.score(stats).score
    with pytest.raises(errors.StatsMismatch, match="max_len"):
        GLEU(max_len=3).score(stats)


def test_bootstrap_gives_an_interval_around_the_score() -> None:
    rng = random.Random(1)
    texts = [" ".join(rng.choice("abcd") for _ in range(9)) for _ in range(60)]
    score = GLEU().corpus_score(texts, [texts[1:] + texts[:1]], n_bootstrap=200)
    assert abs(score.confidence.mean - score.score) < 2 * score.confidence.half_width
    assert "|bs:200|seed:12345|" in str(score.signature)


def test_tokenizers_of_python_and_cached_references_work() -> None:
    expected = GLEU(tokenize="none").corpus_score(HYPOTHESES, REFERENCES).score
    assert expected == GLEU(tokenize=str.split).corpus_score(HYPOTHESES, REFERENCES).score
    cached = GLEU(tokenize=str.split, references=REFERENCES)
    assert expected == cached.corpus_score(HYPOTHESES, None).score
    assert GLEU(references=REFERENCES).corpus_score(HYPOTHESES, None).score > 0


def test_threads_do_not_matter() -> None:
    rng = np.random.default_rng(3)
    texts = [" ".join(map(str, rng.integers(0, 20, 12))) for _ in range(2000)]
    references = [texts[7:] + texts[:7], texts[1:] + texts[:1]]
    scores = {GLEU().corpus_score(texts, references, threads=threads).score for threads in (1, 2, 5)}
    assert 1 == len(scores)


def test_options_are_checked_and_shown() -> None:
    assert "GLEU(lowercase=False, tokenize='13a', min_len=2, max_len=4)" == repr(truebleu.GLEU(min_len=2))
    assert GLEU is truebleu.metrics.METRICS["GLEU"]
    for options in (
        {"min_len": 0},
        {"max_len": 33},
        {"max_len": -1},
        {"min_len": 3, "max_len": 2},
        {"lowercase": "no"},
    ):
        with pytest.raises(errors.OptionError, match="expected"):
            GLEU(**options)  # type: ignore[arg-type]
    with pytest.raises(AttributeError, match=r"make a new GLEU\(max_len=3\)"):
        GLEU().max_len = 3
