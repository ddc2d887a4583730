"""What the doctor says of a judge: answers that cannot be read, errors in words that stand nowhere."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from judges.server import Call, good, judging, says
from truebleu.doctor import diagnose
from truebleu.metrics.judge import Judge, JudgeDA, JudgeMQM

SIZE = 120
SOURCES = [f"der graue Reiher Nummer {at} stand am Teich" for at in range(SIZE)]
OUTPUTS = [f"the grey heron number {at} stood by the pond" for at in range(SIZE)]
REFERENCES = [f"heron number {at}, the grey one, was standing at the pond" for at in range(SIZE)]


def found(kind: type[Judge], answer: Callable[[Call], str], monkeypatch: pytest.MonkeyPatch, folder: Path) -> list[str]:
    monkeypatch.setenv("TRUEBLEU_SCORES", str(folder))
    with judging(otherwise=says(answer)) as server:
        metric = kind(model="tiny", url=server.url, unparsed="skip")._placed(SOURCES, range(SIZE))
        findings = diagnose(OUTPUTS, [REFERENCES], SOURCES, metrics=[metric]).findings
    return [f"{one.code} {[*one.segments]}" for one in findings if one.code[:2] == "D6"]


def test_answers_that_cannot_be_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def some(call: Call) -> str:
        return "well" if " 7 " in call.texts["translation"] else good(call)

    assert ["D605 [7]"] == found(JudgeDA, some, monkeypatch, tmp_path)


def test_errors_that_stand_nowhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def named(word: str, often: int) -> Callable[[Call], str]:
        def answer(call: Call) -> str:
            number = int(call.texts["translation"].split()[4])
            text = word if number % often == 0 else "heron"
            return json.dumps({"errors": [{"text": text, "severity": ("minor", "major")[number % 2]}]})

        return answer

    ten = [at for at in range(SIZE) if at % 10 == 0]
    assert [f"D607 {ten}"] == found(JudgeMQM, named("stork", 10), monkeypatch, tmp_path / "a")
    assert [] == found(JudgeMQM, named("stork", 30), monkeypatch, tmp_path / "b")
    assert [] == found(JudgeMQM, named("pond", 10), monkeypatch, tmp_path / "c")
