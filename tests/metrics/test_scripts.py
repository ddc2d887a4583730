"""A tokenizer that does not fit the script of the references is warned of in Python, from one segment on."""

from __future__ import annotations

import logging

import pytest

import truebleu
from truebleu import _core

CHINESE, JAPANESE, THAI = "我昨天去了商店买东西。", "昨日、店に行って買い物をしました。", "ฉันไปตลาดเมื่อวานนี้"


@pytest.fixture
def said(caplog: pytest.LogCaptureFixture) -> list[str]:
    caplog.set_level(logging.WARNING, logger="truebleu")
    messages: list[str] = caplog.messages
    return messages


def told(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [message.partition(" words, and ")[2].partition(". logging.")[0] for message in caplog.messages]


@pytest.mark.parametrize(
    ("text", "fitting"),
    [(CHINESE, '"zh"'), (JAPANESE, '"ja-mecab"'), (THAI, '"flores200" or "char"'), ("好", '"zh"')],
)
def test_one_segment_is_enough_and_the_score_stays(text: str, fitting: str, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, logger="truebleu"):
        assert 0 == truebleu.corpus_bleu([text], [[text]]).score
        truebleu.corpus_bleu([text], [[text]])
        truebleu.sentence_bleu(text, [text])
    assert [f"BLEU has the tokenizer 13a, so most sentences are one word; use tokenize={fitting}"] == told(caplog)
    assert "logging.getLogger('truebleu').setLevel('ERROR') silences this" in caplog.text


def test_every_way_to_a_score_warns(caplog: pytest.LogCaptureFixture) -> None:
    from truebleu import evaluate, sacrebleu

    ways = {
        "kept references": lambda: truebleu.BLEU(references=[[CHINESE]]).corpus_score(["a"], None),
        "rows": lambda: truebleu.BLEU().stats(["a"], [[CHINESE]]),
        "segments": lambda: truebleu.BLEU().sentence_scores(["a"], [[CHINESE]]),
        "accumulator": lambda: truebleu.Accumulator(truebleu.BLEU()).update(["a"], [[CHINESE]]),
        "evaluate": lambda: evaluate.load("sacrebleu").compute(predictions=["a"], references=[[CHINESE]]),
        "face": lambda: sacrebleu.BLEU().corpus_score(["a"], [[CHINESE]]),
        "TER": lambda: truebleu.TER().corpus_score(["a"], [[CHINESE]]),
    }
    for name, way in ways.items():
        truebleu._logs.forget()
        caplog.clear()
        with caplog.at_level(logging.WARNING, logger="truebleu"):
            way()
        assert 1 == len(told(caplog)), name
    assert [
        "TER goes without asian_support, so most sentences are one word; use asian_support=True and normalized=True"
    ] == told(caplog)


def test_texts_and_metrics_that_fit_are_not_warned_of(caplog: pytest.LogCaptureFixture) -> None:
    english = "The character 我 is Chinese, and 好 is another one of them."
    cut = "我 昨天 去 了 商店 买 东西 。"
    with caplog.at_level(logging.WARNING, logger="truebleu"):
        truebleu.corpus_bleu([CHINESE], [[CHINESE]], tokenize="zh")
        truebleu.corpus_chrf([CHINESE], [[CHINESE]])
        truebleu.corpus_bleu([CHINESE], [[english]])
        truebleu.corpus_bleu([cut], [[cut]], tokenize="none")
        truebleu.corpus_bleu(["Он пришёл."], [["Он пришёл — «вчера»."]])
        truebleu.corpus_bleu(["그는 어제 왔다."], [["그는 어제 왔다."]])
        truebleu.diagnose([CHINESE] * 3, [[CHINESE] * 3])  # D301 says it
    assert [] == told(caplog)


def test_the_core_looks_at_a_few_characters_of_a_few_references() -> None:
    def seems_unspaced(texts: list[str]) -> bool:
        return _core.inspect("BLEU", ["a"] * len(texts), [texts], False)[3]

    assert seems_unspaced([CHINESE]) and seems_unspaced(["abc", "", THAI]) and seems_unspaced(["x" * 400 + "我" * 100])
    assert not seems_unspaced(["", "Grüße – „ja“", "Здравствуйте", "한국어"])
    assert seems_unspaced(["a"] * 4 + [JAPANESE] * 4)
