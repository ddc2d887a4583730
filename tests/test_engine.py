"""The engines of the core, which are one class whatever the metric."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from truebleu import BLEU, CHRF, GLEU, TER, _core
from truebleu._inputs import FROM_0
from truebleu.errors import OptionError, StatsMismatch, TruebleuError
from truebleu.metrics.external import ExternalMetric
from truebleu.signature import Signature

HYPOTHESES = ("the cat sat on the mat", "rain")
STREAMS = [("the cat sat on a mat", "it rains"), ("a cat was on the mat", None)]


@pytest.mark.parametrize(
    "metric", [BLEU(), CHRF(word_order=2), GLEU(), TER(), ExternalMetric("a judge", higher_is_better=True)]
)
def test_every_metric_has_an_engine_of_the_same_class(metric: Any) -> None:
    assert type(metric.engine) is _core.Engine


@pytest.mark.parametrize("smooth_method", ["exp", "none", "method5"])
def test_the_parts_of_bleu_are_those_of_its_score(smooth_method: str) -> None:
    metric = BLEU(smooth_method=smooth_method)
    totals = metric.engine.totals(HYPOTHESES, STREAMS, False, 1)
    score = metric._score_from(totals, Signature({}))
    assert (score.score, [score.bp, *score.precisions]) == metric.engine.parts(totals)


@pytest.mark.parametrize("metric", [CHRF(), GLEU(), TER()])
def test_other_formulas_have_a_score_and_no_parts(metric: Any) -> None:
    totals = metric.engine.totals(HYPOTHESES, STREAMS, False, 1)
    assert (metric.engine.score(totals), []) == metric.engine.parts(totals)


def test_the_engine_of_means_scores_rows() -> None:
    engine = _core.mean_engine()
    assert (0.25, []) == engine.parts([0.5, 2.0])
    assert [0.5, 0.25] == list(memoryview(engine.score_rows([0.5, 1.0, 0.5, 2.0])).cast("d"))


@pytest.mark.parametrize(
    ("method", "arguments"),
    [
        ("totals", (HYPOTHESES, STREAMS, False, 1)),
        ("rows", (HYPOTHESES, STREAMS, False, 1)),
        ("sentence_scores", (HYPOTHESES, STREAMS, False, 1)),
        ("pairwise", (HYPOTHESES, HYPOTHESES, 1)),
        ("expected", ([(HYPOTHESES, HYPOTHESES, None)], False, 1)),
        ("scores_among_others", (HYPOTHESES, [], 1)),
    ],
)
def test_the_engine_of_means_says_that_it_counts_no_text(method: str, arguments: tuple[Any, ...]) -> None:
    with pytest.raises(OptionError, match="counts no text; give it rows"):
        getattr(_core.mean_engine(), method)(*arguments)


@pytest.mark.parametrize("engine", [BLEU().engine, CHRF().engine, GLEU().engine, TER().engine, _core.mean_engine()])
@pytest.mark.parametrize("totals", [[], [1.0], [1.0] * 99])
def test_rows_of_another_width_are_refused(engine: _core.Engine, totals: list[float]) -> None:
    for method in (engine.score, engine.parts, engine.score_rows):
        if method == engine.score_rows and not totals:
            continue
        with pytest.raises(StatsMismatch, match=f"got {len(totals)} cells, expected"):
            method(totals)


def test_a_void_text_that_is_not_there_is_refused() -> None:
    with pytest.raises(OptionError, match="text 2 is void, but there are only 2"):
        BLEU().engine.scores_among_others(HYPOTHESES, [2], 1)


def test_weights_that_are_not_as_many_as_references_are_refused() -> None:
    with pytest.raises(OptionError, match="choice 0 has not as many weights as references"):
        CHRF().engine.expected([(HYPOTHESES, HYPOTHESES, [1.0])], False, 1)


@pytest.mark.parametrize(
    "call",
    [
        lambda: BLEU().corpus_score(["a", 1], [["a", "b"]]),
        lambda: BLEU().corpus_score(["a", "b"], [["a", None]]),
        lambda: _core.TokenCorpus.from_objects("x", ([1], 2), (([1],), ([2],))),
        lambda: _core.TokenCorpus.from_ids("x", ([1], [-2]), (([1],), ([2],))),
    ],
)
def test_the_core_says_that_segments_are_counted_from_0(call: Any) -> None:
    with pytest.raises(TruebleuError, match=rf" 1\b.*\. {FROM_0}$"):
        call()


def test_orders_that_leave_nothing_to_count_are_refused() -> None:
    with pytest.raises(OptionError, match="min_len is 0"):
        _core.gleu_engine(tokenizer="13a", min_len=0, max_len=4, lowercase=False)
    with pytest.raises(OptionError, match="are both 0"):
        _core.chrf_engine(
            char_order=0, word_order=0, beta_squared=4.0, lowercase=False, whitespace=False, eps_smoothing=False
        )
    assert b"" == _core.nltk_chrf(["a"], ["a"], 0, 1.0, True, 1)


class _Odd(str):
    def isascii(self) -> bool:
        raise AssertionError("texts are not asked in Python")


@pytest.mark.parametrize("lowercase", [False, True])
def test_however_python_keeps_a_text_it_is_read_alike_and_left_as_it_was(lowercase: bool) -> None:
    plain = "The Cat sat, 3.5 times."
    texts = [
        plain,
        "",
        "a\x00b",
        "\x7f x",
        "Ça va « bien »",
        "naïve \x85 x",
        "Кот сел",
        "a\udc80 B",
        "😀 ok " * 9,
        _Odd(plain),
    ]
    sizes = [text.__sizeof__() for text in texts]
    metric = BLEU(lowercase=lowercase, tokenize="none", max_ngram_order=1)
    rows = metric.stats(texts, [texts[::-1]]).rows.tolist()
    assert sizes == [text.__sizeof__() for text in texts]

    def words(text: str) -> Counter[str]:
        return Counter((text.lower() if lowercase else text).split())

    expected = [float((words(one) & words(other)).total()) for one, other in zip(texts, texts[::-1], strict=True)]
    assert expected == [row[2] for row in rows]
    assert [float(words(text).total()) for text in texts] == [row[0] for row in rows]
