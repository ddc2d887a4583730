"""What all metrics do alike."""

import pickle
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import sacrebleu

import truebleu.sacrebleu
from truebleu.errors import (
    EmptyCorpus,
    InputTypeError,
    LengthMismatch,
    OptionError,
    SegmentWithoutReference,
    SignatureUnavailable,
)
from truebleu.metrics import BLEU, CHRF, METRICS, TER
from truebleu.metrics.base import REFUSED_OVERRIDES, Metric

HYPOTHESES = ["the ferry left at noon", "nobody saw it", "rain, rain and more rain"]
REFERENCES = [["the ferry sailed at noon", "no one saw it", "rain and rain"], ["at noon it left", "unseen", "wet"]]


@pytest.fixture(params=list(METRICS.values()), ids=list(METRICS))
def metric(request: pytest.FixtureRequest) -> Metric:
    made: Metric = request.param()
    return made


def generated(texts: list[str]) -> Iterator[str]:
    yield from texts


def test_any_iterable_of_strings_will_do(metric: Metric) -> None:
    expected = metric.corpus_score(HYPOTHESES, REFERENCES).score
    assert expected == metric.corpus_score(generated(HYPOTHESES), map(generated, REFERENCES)).score
    assert expected == metric.corpus_score(np.array(HYPOTHESES), np.array(REFERENCES)).score
    assert expected == metric.corpus_score(tuple(HYPOTHESES), tuple(map(tuple, REFERENCES))).score


def test_subclasses_of_str_are_strings(metric: Metric) -> None:
    class Line(str):
        pass

    lines = [Line(text) for text in HYPOTHESES]
    assert metric.corpus_score(HYPOTHESES, REFERENCES).score == metric.corpus_score(lines, REFERENCES).score


def test_sentence_scores_are_those_of_sentence_score(metric: Metric) -> None:
    expected = [
        metric.sentence_score(text, references).score for text, *references in zip(HYPOTHESES, *REFERENCES, strict=True)
    ]
    scores = metric.sentence_scores(HYPOTHESES, REFERENCES)
    assert (expected, np.float64) == (scores.tolist(), scores.dtype)


def test_references_by_segment_may_differ_in_number(metric: Metric) -> None:
    by_segment = [["a b", "c"], ["d"], ["e", "f", "g"]]
    by_stream = [["a b", "d", "e"], ["c", None, "f"], [None, None, "g"]]
    hypotheses = ["a", "d e", "e"]
    segments = metric.corpus_score(hypotheses, by_segment, layout="segments")
    assert metric.corpus_score(hypotheses, by_stream).to_dict() == segments.to_dict()


def test_the_number_of_threads_does_not_show(metric: Metric) -> None:
    hypotheses, references = HYPOTHESES * 700, [stream * 700 for stream in REFERENCES]
    one = metric.stats(hypotheses, references, threads=1)
    for threads in (2, 3, 8, None):
        assert one.rows.tobytes() == metric.stats(hypotheses, references, threads=threads).rows.tobytes()
        assert one.sum() == metric.stats(hypotheses, references, threads=threads).sum()
    expected = metric.corpus_score(hypotheses, references, threads=1).to_dict()
    assert expected == metric.corpus_score(hypotheses, references, threads=5).to_dict()


def test_mean_lengths_are_summed_in_the_order_of_segments() -> None:
    # Thirds and sevenths: any other order of addition shows in the last bits.
    hypotheses = ["a b"] * 5000
    references = [["a " * (at * k % 9 + 1) for at in range(5000)] for k in range(1, 8)]
    length = 0.0
    for at in range(5000):
        length += sum(at * k % 9 + 1 for k in range(1, 8)) / 7
    for threads in (1, 4):
        assert length == TER().corpus_score(hypotheses, references, threads=threads).ref_length


def test_threads_from_the_environment(metric: Metric, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = metric.corpus_score(HYPOTHESES, REFERENCES).score
    monkeypatch.setenv("TRUEBLEU_THREADS", "2")
    assert expected == metric.corpus_score(HYPOTHESES, REFERENCES).score
    monkeypatch.setenv("TRUEBLEU_THREADS", "many")
    with pytest.raises(OptionError, match="TRUEBLEU_THREADS is 'many', expected a whole number"):
        metric.corpus_score(HYPOTHESES, REFERENCES)


@pytest.mark.parametrize("threads", [0, -1, 1.5, "2", True])
def test_a_number_of_threads_that_is_none(metric: Metric, threads: object) -> None:
    with pytest.raises(OptionError, match="threads is"):
        metric.corpus_score(HYPOTHESES, REFERENCES, threads=threads)  # type: ignore[arg-type]


def test_one_metric_serves_many_threads_at_once(metric: Metric) -> None:
    expected = metric.corpus_score(HYPOTHESES, REFERENCES).score
    scores: list[float] = []

    def work() -> None:
        scores.extend(metric.corpus_score(HYPOTHESES * 300, [s * 300 for s in REFERENCES]).score for _ in range(5))

    workers = [threading.Thread(target=work) for _ in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert 40 == len(scores)
    assert 1 == len(set(scores))
    assert expected == pytest.approx(scores[0], abs=20)  # effective length differs, the texts do not


def test_options_cannot_be_changed_afterwards(metric: Metric) -> None:
    option = next(name for name in metric._options() if name != "tokenize")
    with pytest.raises(AttributeError, match=f"{option} cannot be changed"):
        setattr(metric, option, getattr(metric, option))


@pytest.mark.interpreter
def test_metrics_and_scores_can_be_pickled(metric: Metric) -> None:
    score = metric.corpus_score(HYPOTHESES, REFERENCES)
    again = pickle.loads(pickle.dumps(metric))
    assert score.to_dict() == again.corpus_score(HYPOTHESES, REFERENCES).to_dict()
    assert score.to_dict() == pickle.loads(pickle.dumps(score)).to_dict()
    assert str(metric.get_signature()) == str(again.get_signature())


def test_cached_references_serve_many_systems(metric: Metric) -> None:
    cached = type(metric)(references=REFERENCES)  # type: ignore[call-arg]
    assert "nrefs:2" in str(cached.get_signature())
    for hypotheses in (HYPOTHESES, HYPOTHESES[::-1]):
        assert metric.corpus_score(hypotheses, REFERENCES).to_dict() == cached.corpus_score(hypotheses, None).to_dict()


def test_cached_references_do_not_follow_later_changes_of_the_list() -> None:
    streams = [["a b c d e"]]
    metric = BLEU(references=streams)
    streams[0][0] = "x"
    assert metric.corpus_score(["a b c d e"], None).score > 99


def test_references_to_be_cached_are_refused_in_their_own_words(metric: Metric) -> None:
    make = type(metric)
    with pytest.raises(LengthMismatch, match="reference stream 1 has 1 segment, stream 0 has 2"):
        make(references=[["a", "b"], ["c"]])  # type: ignore[call-arg]
    with pytest.raises(EmptyCorpus, match="references has streams without segments"):
        make(references=[[]])  # type: ignore[call-arg]
    with pytest.raises(SegmentWithoutReference, match="segment 1 has no reference"):
        make(references=[["a", None]])  # type: ignore[call-arg]
    with pytest.raises(InputTypeError, match="reference stream 0, segment 1: expected a string, got int"):
        make(references=[["a", 3]])  # type: ignore[call-arg]


@pytest.mark.parametrize("samples", [-1, 2.5, "1000"])
def test_a_number_of_resamples_that_is_none(metric: Metric, samples: object) -> None:
    with pytest.raises(OptionError, match=r"n_bootstrap is .*, expected a whole number"):
        metric.corpus_score(HYPOTHESES, REFERENCES, n_bootstrap=samples)  # type: ignore[arg-type]


def test_no_signature_before_references_are_seen(metric: Metric) -> None:
    with pytest.raises(SignatureUnavailable, match="Score something first"):
        metric.get_signature()
    with pytest.raises(AttributeError, match="num_refs"):
        metric.num_refs  # noqa: B018


def test_repr_shows_the_options() -> None:
    assert "CHRF(char_order=6, word_order=2, beta=2" in repr(CHRF(word_order=2))


def test_lone_surrogates_are_scored_like_any_character(metric: Metric) -> None:
    best = 99.6 if metric.name == "METEOR" else 100.0  # one chunk of five words costs something there
    found = metric.corpus_score(["a \udcff b \ud83d c"], [["a \udcff b \ud83d c"]]).score
    assert found in (0.0, pytest.approx(best, rel=1e-12))


def test_a_document_is_a_segment_too() -> None:
    document = " ".join(f"w{at % 997}" for at in range(20_000))
    assert 100 == pytest.approx(BLEU().corpus_score([document], [[document]]).score)
    assert 100 == CHRF().corpus_score([document], [[document]]).score
    assert 0 == TER().corpus_score([document], [[document]]).score


def test_to_dict_holds_plain_values_at_full_precision(metric: Metric) -> None:
    import json

    score = metric.corpus_score(HYPOTHESES, REFERENCES)
    assert score.to_dict() == json.loads(json.dumps(score.to_dict()))
    assert score.score == score.to_dict()["score"]
    assert str(score.signature) == score.to_dict()["signature"]


def folded(base: Any, hook: str = "_preprocess_segment") -> Any:
    """A subclass as programs write it for sacreBLEU: one that ignores case."""

    def preprocess(self: Any, sent: str) -> str:
        return str(super(kind, self)._preprocess_segment(sent.casefold()))  # type: ignore[misc]

    kind = type("Folded", (base,), {hook: preprocess})
    return kind


@pytest.mark.parametrize("name", ["BLEU", "CHRF", "TER"])
def test_81_a_subclass_that_overrides_a_hook_of_sacrebleu_is_refused(name: str) -> None:
    texts = ["A B C D E"], [["a b c d e"]]
    options = {"case_sensitive": True} if name == "TER" else {}
    expected = getattr(sacrebleu, name)(**options).corpus_score(texts[0], texts[0:1]).score
    for face in (sacrebleu, truebleu.sacrebleu):
        assert expected == folded(getattr(face, name))(**options).corpus_score(*texts).score
    with pytest.raises(OptionError, match=r"Folded overrides _preprocess_segment.*truebleu\.sacrebleu"):
        folded(getattr(truebleu, name))


def test_81_every_hook_that_the_face_honours_is_refused_here_and_a_mixin_is_no_way_round() -> None:
    import truebleu.sacrebleu.metrics as face

    hooks = {one.__name__ for one in face.base._OURS if "." in one.__qualname__}
    assert hooks == REFUSED_OVERRIDES
    for hook in sorted(hooks):
        with pytest.raises(OptionError, match=hook):
            folded(truebleu.BLEU, hook)
    mixin = type("Mixin", (), {"_preprocess_segment": lambda self, sent: sent})
    with pytest.raises(OptionError, match="_preprocess_segment"):
        type("Mixed", (mixin, truebleu.CHRF), {})
    assert type("Named", (truebleu.BLEU,), {"mine": 1})().corpus_score(["a b c d"], [["a b c d"]]).score > 99
