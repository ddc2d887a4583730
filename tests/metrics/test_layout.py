"""As many references as segments: both layouts fit, and the one that was not meant is warned of."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import truebleu
from truebleu import BLEU, CHRF, Accumulator
from truebleu._logs import forget

SAMPLES = ["The ferry left at noon.", "It rained all night in town."]
BY_SEGMENT = [["A ship sailed.", SAMPLES[0]], [SAMPLES[1], "The rain did not stop."]]
BY_STREAM = [list(stream) for stream in zip(*BY_SEGMENT, strict=True)]
PHRASE = "lists in {} as texts. They were read by {}, and read by {} they match better"


@pytest.fixture(autouse=True)
def fresh() -> None:
    forget()


def test_references_by_segment_where_streams_are_meant_are_warned_of(caplog: pytest.LogCaptureFixture) -> None:
    scores = CHRF().sentence_scores(SAMPLES, BY_SEGMENT)
    assert not np.allclose(scores, 100)
    (message,) = caplog.messages
    assert PHRASE.format("references", "stream", "segment") in message
    assert "pass list(zip(*references)); layout='segments' says so" in message
    assert np.allclose(CHRF().sentence_scores(SAMPLES, BY_SEGMENT, layout="segments"), 100)
    assert np.allclose(CHRF().sentence_scores(SAMPLES, list(zip(*BY_SEGMENT, strict=True))), 100)
    CHRF().sentence_scores(SAMPLES, BY_SEGMENT, layout="streams")
    assert 1 == len(caplog.messages)


@pytest.mark.parametrize("call", [truebleu.corpus_bleu, truebleu.corpus_chrf, BLEU().corpus_score, BLEU().stats])
def test_every_call_warns(call: Any, caplog: pytest.LogCaptureFixture) -> None:
    call(SAMPLES, BY_SEGMENT)
    assert [True] == [PHRASE.format("references", "stream", "segment") in message for message in caplog.messages]


def test_the_right_layout_is_not_warned_of(caplog: pytest.LogCaptureFixture) -> None:
    BLEU().corpus_score(SAMPLES, BY_STREAM)
    CHRF().sentence_scores(SAMPLES, BY_STREAM)
    Accumulator(BLEU()).update(SAMPLES, BY_SEGMENT)
    BLEU().corpus_score(["x"] * 2, [["y"] * 2] * 2)  # nothing matches either way
    BLEU().corpus_score(SAMPLES, [[None, SAMPLES[1]], [SAMPLES[0], None]])
    assert [] == caplog.messages


def test_an_accumulator_keeps_its_own_layout_and_warns(caplog: pytest.LogCaptureFixture) -> None:
    total = Accumulator(CHRF())
    total.update(SAMPLES, BY_STREAM)
    assert PHRASE.format("target", "segment", "stream") in caplog.messages[0]
    assert total.compute().score == CHRF().corpus_score(SAMPLES, BY_STREAM, layout="segments").score


def test_many_references_are_looked_at_in_a_sample(caplog: pytest.LogCaptureFixture) -> None:
    texts = [f"the heron {at} stood by pond {at * 7}" for at in range(60)]
    references = [[f"the heron {at} stands near pond {at * 7} {other}" for other in range(60)] for at in range(60)]
    BLEU().corpus_score(texts, references, checks=False)
    assert [True] == [PHRASE.format("references", "stream", "segment") in message for message in caplog.messages]


@pytest.mark.parametrize("layout", [None, "segments"])
@pytest.mark.parametrize("kind", [list, tuple, iter, np.array])
def test_one_reference_for_each_sample_may_be_a_string(layout: str | None, kind: Any) -> None:
    expected = BLEU().sentence_scores(SAMPLES, [[pair[0] for pair in BY_SEGMENT]])
    flat = kind([pair[0] for pair in BY_SEGMENT])
    assert expected.tobytes() == BLEU().sentence_scores(SAMPLES, flat, layout=layout).tobytes()
    total, other = Accumulator(BLEU()), Accumulator(BLEU())
    total.update(SAMPLES, [pair[0] for pair in BY_SEGMENT])
    other.update(SAMPLES, [[pair[0]] for pair in BY_SEGMENT])
    assert total.state == other.state


def test_a_string_for_each_sample_has_its_length_checked() -> None:
    with pytest.raises(truebleu.errors.LengthMismatch, match="reference stream 0 of 1 has 1 segment, the hypotheses"):
        BLEU().sentence_scores(SAMPLES, [SAMPLES[0]])


@pytest.mark.parametrize(
    ("call", "options"),
    [(BLEU().corpus_score, {}), (BLEU().stats, {}), (BLEU().sentence_scores, {"layout": "streams"})],
)
def test_elsewhere_a_flat_list_is_still_refused(call: Any, options: dict[str, Any]) -> None:
    with pytest.raises(truebleu.errors.InputTypeError, match="This is a flat list"):
        call(SAMPLES, SAMPLES, **options)
