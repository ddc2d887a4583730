"""What learned metrics could not see, with a metric whose scores are functions of the texts."""

import zlib
from collections.abc import Callable, Mapping, Sequence

import pytest

from truebleu.doctor import diagnose
from truebleu.metrics.neural import LearnedMetric, Told
from truebleu.runners.protocol import Result, Unit

SIZE = 120
SOURCES = [f"der graue Reiher Nummer {at} stand am frühen Morgen am Teich" for at in range(SIZE)]
REFERENCES = [f"the grey heron number {at} stood by the pond early in the morning" for at in range(SIZE)]
OUTPUTS = [f"the grey heron number {at} was standing at the pond early in the morning" for at in range(SIZE)]


class Judged(LearnedMetric):
    name, label, texts = "JUDGED", "COMET", ("src", "hyp", "ref")

    def __init__(self, value: Callable[[Unit], float]) -> None:
        super().__init__()
        self.value = value

    def _scorer(self) -> "Judged":
        return self

    def results(self, units: Sequence[Unit], place: Callable[[Unit], str], told: Told | None = None) -> list[Result]:
        return [Result(self.value(unit), cut=max(0, len(unit.hyp.split()) - 30)) for unit in units]

    def facts(self) -> Mapping[str, str]:
        return {"model": "org/judged"}


def usual(unit: Unit) -> float:
    return 0.7 + 0.2 * zlib.crc32(unit.hyp.encode()) / 2**32


def found(outputs: list[str], value: Callable[[Unit], float]) -> dict[str, list[int]]:
    metric = Judged(value)._placed(SOURCES, range(SIZE))
    return {one.code: list(one.segments) for one in diagnose(outputs, [REFERENCES], SOURCES, metrics=[metric]).findings}


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
