"""What learned metrics could not see, with a metric whose scores are functions of the texts."""

from collections.abc import Callable
from statistics import fmean
from typing import Any

import pytest

import truebleu
from doctor.stand_ins import Estimated, Judged, noise
from truebleu.doctor import Diagnosis, Finding, diagnose
from truebleu.metrics import BLEU, COMET, BERTScore, Judge, Metric, MetricX
from truebleu.runners.protocol import Unit

SIZE = 120
SOURCES = [f"der graue Reiher Nummer {at} stand am frühen Morgen am Teich" for at in range(SIZE)]
REFERENCES = [f"the grey heron number {at} stood by the pond early in the morning" for at in range(SIZE)]
OUTPUTS = [f"the grey heron number {at} was standing at the pond early in the morning" for at in range(SIZE)]


def usual(unit: Unit) -> float:
    return 0.7 + 0.2 * noise(unit)


def found(outputs: list[str], value: Callable[[Unit], float]) -> dict[str, list[int]]:
    return {one.code: list(one.segments) for one in examined(outputs, Judged(value)).findings}


def examined(outputs: list[str], *metrics: Metric[Any], **options: Any) -> Diagnosis:
    return diagnose(outputs, [REFERENCES], SOURCES, metrics=metrics, **options)


# Texts that are not all alike.
DEMO = truebleu.testset("demo", "en-de")
ATLAS, ENGLISH = [*DEMO.systems["atlas"]], [*DEMO.source]


def examined_demo(outputs: list[str], *metrics: Metric[Any]) -> Diagnosis:
    return diagnose(outputs, DEMO.references[:1], ENGLISH, metrics=metrics)


def test_sound_scores_have_no_finding() -> None:
    assert not {code for code in found(OUTPUTS, usual) if code.startswith("D6")}


def test_segments_that_were_cut_off() -> None:
    outputs = [text * 5 if at in (3, 40, 77) else text for at, text in enumerate(OUTPUTS)]
    assert [3, 40, 77] == found(outputs, usual)["D601"]


def test_a_model_that_gives_one_score() -> None:
    assert "D602" in found(OUTPUTS, lambda unit: 0.5)


@pytest.mark.parametrize(
    ("value", "is_found"), [(usual, True), (lambda unit: usual(unit) * ("der" not in unit.hyp), False)]
)
def test_copies_of_the_source(value: Callable[[Unit], float], is_found: bool) -> None:
    outputs = [SOURCES[at] if at % 12 == 0 else text for at, text in enumerate(OUTPUTS)]
    assert is_found is ("D603" in found(outputs, value))
    if is_found:
        assert [*range(0, SIZE, 12)] == found(outputs, value)["D603"]


def finding(code: str, report: Diagnosis) -> Finding | None:
    return next((one for one in report.findings if one.code == code), None)


@pytest.mark.parametrize(
    ("metric", "language", "is_found"),
    [
        (COMET, "liv", True), (COMET, "hr", False), (COMET, "yo_NG", True), (COMET, "zho_Hans", False),
        (MetricX, "yo_NG", False), (MetricX, "hr", True), (BERTScore, "liv", False),
    ],
)  # fmt: skip
def test_a_language_that_the_encoder_was_not_trained_on(
    metric: type[Any], language: str, is_found: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(metric, "_scorer", lambda self: Judged(usual))
    monkeypatch.setattr(metric, "facts", lambda self: {"model": "org/judged"})
    given = finding("D604", examined(OUTPUTS, metric(), language=language))
    assert is_found is (given is not None)
    if given is not None:
        assert given.level == "note" and f"{metric.label} may not know the target language: {language}" in given.message


@pytest.mark.parametrize("language", ["", "German"])
def test_a_language_that_is_no_code_is_not_looked_up(language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(COMET, "_scorer", lambda self: Judged(usual))
    monkeypatch.setattr(COMET, "facts", lambda self: {"model": "org/judged"})
    report = examined(OUTPUTS, COMET(), language=language)
    assert "and no code such as 'de'" in report.not_checked["D604"]


FOREIGN = {at: ENGLISH[at - 5] for at in range(5, len(ATLAS), 12)}  # the language of the sources, and no copy


@pytest.mark.parametrize(
    ("kind", "value", "is_found"),
    [
        (Estimated, usual, True), (Estimated, lambda unit: usual(unit) * (unit.hyp not in ENGLISH), False),
        (Judged, usual, False),  # it has references
    ],
)  # fmt: skip
def test_another_language_that_scores_well_without_references(
    kind: type[Judged], value: Callable[[Unit], float], is_found: bool
) -> None:
    report = examined_demo([FOREIGN.get(at, text) for at, text in enumerate(ATLAS)], kind(value))
    wrong = finding("D404", report)
    assert wrong is not None and len(wrong.segments) > 0.8 * len(FOREIGN)
    given = finding("D608", report)
    assert is_found is (given is not None)
    if given is not None:
        assert wrong.segments == given.segments
        assert {"rest"} == {price.kind for price in given.prices.values()}


def test_the_target_language_that_scores_well_is_no_finding() -> None:
    assert finding("D608", examined_demo(ATLAS, Estimated(usual))) is None


# Far from the reference, and longer, so that BLEU finds it much worse.
WORSE = [f"a grey heron with the number {at} could be seen near the little pond at dawn" for at in range(SIZE)]


def test_metrics_that_disagree_about_two_systems() -> None:
    given = finding("D609", examined(OUTPUTS, BLEU(), Judged(lambda unit: 0.9 - 0.3 * (unit.hyp in OUTPUTS)),
                                     others={"other.txt": WORSE}))  # fmt: skip
    assert given is not None and given.level == "note" and not given.segments
    assert "metrics disagree: better than other.txt by BLEU (p = 0.0010), worse by COMET (p = 0.0010)" == given.message
    assert {"p BLEU other.txt", "p COMET other.txt"} == given.evidence.keys()


@pytest.mark.parametrize(
    "metrics",
    [
        [BLEU(), Judged(lambda unit: 0.6 + 0.3 * (unit.hyp in OUTPUTS))],  # they agree
        [Judged(lambda unit: 0.9 - 0.3 * (unit.hyp in OUTPUTS))],  # one metric alone
        [BLEU(), Judged(lambda unit: 0.7)],  # no order
    ],
)
def test_metrics_that_agree_are_no_finding(metrics: list[Metric[Any]]) -> None:
    assert finding("D609", examined(OUTPUTS, *metrics, others={"other.txt": WORSE})) is None


def test_differences_that_may_be_chance_are_no_disagreement() -> None:
    other = [*OUTPUTS]
    other[3], other[50] = WORSE[3], WORSE[50]
    metrics = [BLEU(), Judged(lambda unit: 0.9 - 0.3 * (unit.hyp in OUTPUTS))]
    assert finding("D609", examined(OUTPUTS, *metrics, others={"other.txt": other})) is None


def test_rows_tell_what_a_learned_metric_gives_without_the_segments() -> None:
    copied = [ENGLISH[at] if at % 12 == 0 else text for at, text in enumerate(ATLAS)]
    metric = Judged(lambda unit: 0.9 if unit.hyp == unit.src else 0.7)
    given = finding("D402", examined_demo(copied, metric))
    assert given is not None and len(given.segments) > 15
    scores = [0.9 if text == source else 0.7 for text, source in zip(copied, ENGLISH, strict=True)]
    rest = [score for at, score in enumerate(scores) if at not in given.segments]
    price = given.prices["COMET"]
    assert "rest" == price.kind
    assert pytest.approx((fmean(scores), fmean(rest))) == (price.before, price.after)
    assert given.message.endswith(f"Without these segments: {fmean(rest) - fmean(scores):.4f} COMET")
    assert len(ATLAS) == len(metric.asked)


DAMAGED = [f"&amp; {text}" if at % 12 == 5 else text for at, text in enumerate(ATLAS)]


def test_a_repair_is_not_scored_anew_unless_that_is_asked_for() -> None:
    metric, damaged = Judged(usual), len(DAMAGED[5::12])
    report = examined_demo(DAMAGED, BLEU(), metric)
    given = finding("D305", report)
    assert given is not None and {"BLEU"} == given.prices.keys()
    assert {"COMET": damaged} == given.not_scored_anew == given.to_dict()["not_scored_anew"]
    assert f"COMET not scored anew ({damaged} segments)" in str(report)
    assert len(ATLAS) == len(metric.asked)


def test_a_repair_has_only_the_changed_segments_scored_anew() -> None:
    metric = Judged(lambda unit: 0.4 if "&amp;" in unit.hyp else 0.7, rescore=True)
    given = finding("D305", examined_demo(DAMAGED, BLEU(), metric))
    assert given is not None and not given.not_scored_anew
    assert pytest.approx(0.3 * len(DAMAGED[5::12]) / len(DAMAGED)) == given.prices["COMET"].points
    places = range(5, len(ATLAS), 12)
    expected = [(ENGLISH[at], f"& {ATLAS[at]}", DEMO.references[0][at]) for at in places]
    assert expected == [tuple(unit[:3]) for unit in metric.asked[len(ATLAS) :]]


def test_a_judge_cannot_be_asked_to_score_anew() -> None:
    with pytest.raises(TypeError, match="rescore"):
        Judge("judge-da", model="m", url="http://127.0.0.1:1/v1", rescore=True)  # type: ignore[call-arg]
    assert not Judge("judge-da", model="m", url="http://127.0.0.1:1/v1").rescore
