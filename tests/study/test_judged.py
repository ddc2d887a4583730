"""What a study says of its judges."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judges.server import Step, judging, says
from truebleu import BLEU, Study, compare
from truebleu.metrics.judge import JudgeDA
from truebleu.runners.judging.noise import JudgeNoise
from truebleu.study.judged import learned_sentences

N = 30
SOURCES = [f"Quelle {at:02}" for at in range(N)]
LONGER = [f"text {at:02} {'x' * (at + 1)}" for at in range(N)]
SHORT = [f"text {at:02}" for at in range(N)]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRUEBLEU_SCORES", str(tmp_path / "scores"))


def by_length(call: Any) -> str:
    return json.dumps({"score": min(100, 2 * len(call.texts["translation"]))})


def study(url: str, systems: dict[str, list[str]], **more: Any) -> Study:
    judge = JudgeDA(model="org/Gemma-3-9b", url=url, jobs=1, **more)
    return Study(systems, metrics=[BLEU(), judge], references=[SOURCES], sources=SOURCES, checks=False, n_samples=50)


def test_a_judge_that_likes_long_texts_is_caught() -> None:
    with judging(otherwise=says(by_length)) as server:
        found = study(server.url, {"long": LONGER, "short": SHORT, "gemma3-tuned": SHORT})
        bias = found.length_bias["judge-da=org/Gemma-3-9b"]
        assert (1.0, None, None) == (pytest.approx(bias["long"]), bias["short"], bias["gemma3-tuned"])
        told = " ".join(learned_sentences(found))
        (facts,) = found.to_dict()["judges"].values()
    assert "Judge-DA: one pass; judge noise between passes is not known." in told
    assert "is 1.00 (long), not defined (short)" in told and "beside it: BLEU" in told
    assert "By their names gemma3-tuned may be of the family of org/Gemma-3-9b" in told
    assert (["gemma3-tuned"], 1, 0) == (facts["family"], facts["passes"], facts["unparsed"]["long"])
    assert json.dumps(found.to_dict()["length_bias"])


def test_a_study_without_a_judge_says_nothing_of_it() -> None:
    found = Study({"a": LONGER}, metrics=[BLEU()], references=[SOURCES], checks=False)
    assert not found.judges and "judges" not in found.to_dict()
    assert [] == [*learned_sentences(found)]


@given(st.lists(st.integers(0, 5), min_size=10, max_size=30))
def test_the_correlation_is_that_of_mean_ranks(lengths: list[int]) -> None:
    from truebleu.metrics.external import ExternalMetric

    scores = [float((3 * at) % 7) for at in range(len(lengths))]
    texts = ["x" * (length + 1) for length in lengths]
    found = Study({"a": texts}, metrics=[ExternalMetric("ESA")], references=[["abc"] * len(texts)],
                  external={"ESA": {"a": scores}}, checks=False).length_bias["ESA"]["a"]  # fmt: skip

    def ranks(values: list[float]) -> list[float]:
        return [sum(other < one for other in values) + (values.count(one) - 1) / 2 for one in values]

    ours, theirs = ranks([float(one) for one in lengths]), ranks(scores)
    means = sum(ours) / len(ours), sum(theirs) / len(theirs)
    both = sum((x - means[0]) * (y - means[1]) for x, y in zip(ours, theirs, strict=True))
    size = sum((x - means[0]) ** 2 for x in ours) * sum((y - means[1]) ** 2 for y in theirs)
    assert found is None if size == 0 else pytest.approx(both / size**0.5, abs=1e-12) == found


def test_noise_and_what_could_not_be_read_stand_in_comparisons() -> None:
    marks: list[Step] = [says(json.dumps({"score": 10 + at % 3 + (at >= 2 * N)})) for at in range(4 * N)]
    with judging(*[says("eighty")] * 3, *marks) as server:
        judge = JudgeDA(model="tiny", url=server.url, jobs=1, repeats=2, unparsed="skip")
        found = compare({"a": LONGER, "b": SHORT}, judge, sources=SOURCES, n_samples=50, checks=False)
    (metric,) = found.metrics
    assert [{*JudgeNoise._fields}] * 2 == [{*(one.noise or {})} for one in metric.systems]
    assert any(note.startswith("Judge-DA: 2 passes. Between them the score of a system") for note in found.notes)
    bad = [str(one.signature or metric.signature).partition("|bad:")[2][0] for one in metric.systems]
    assert ["0", "1"] == sorted(bad) and metric.systems[0].signature is None
    told = found.to_dict()["metrics"][0]["systems"]
    assert str(metric.systems[1].signature) == told[1]["signature"] and told[0]["signature"] is None


def test_notes_name_devices_versions_and_scores_that_lack() -> None:
    from truebleu.metrics.neural import LearnedScore
    from truebleu.signature import Signature
    from truebleu.significance.notes import learned_notes

    def score(lacking: int = 0, **facts: str) -> LearnedScore:
        made = LearnedScore("COMET", 0.5, signature=Signature({"in": "src", **facts}))
        made.lacking = lacking
        return made

    alike = {"a": score(dev="cpu", torch="2.1"), "b": score(dev="cpu", torch="2.1")}
    assert [] == [*learned_notes("COMET", alike)]
    told = [*learned_notes("COMET", {**alike, "c": score(1234, dev="cuda", tf="4.5")})]
    assert told == [
        "COMET: systems were not scored alike, which can move their scores: device cpu (a, b), cuda (c); torch 2.1 "
        "(a, b), unknown (c); transformers unknown (a, b), 4.5 (c).",
        "COMET: segments without a score: c 1,234. A mean is over the others.",
    ]
    many = {f"s{at}": score(dev="cpu" if at else "cuda") for at in range(13)}
    assert next(learned_notes("COMET", many)).endswith("cpu (s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, 2 more).")
