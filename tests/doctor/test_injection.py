"""Every fault of `faults.py`, put into the demo set: the doctor finds it, and says nothing else."""

import gzip
import json
from pathlib import Path
from random import Random

import pytest

import truebleu
from doctor.faults import FAULTS, SAME, Fault, Texts, kept
from truebleu import demo
from truebleu.doctor.rule import LEVELS

GERMAN, SPANISH = demo.load("en-de"), demo.load("en-es")
SPANISH_TEXTS = SPANISH.references["A"] * 4
CLEAN = Texts(GERMAN.systems["atlas"], [GERMAN.references["A"]], GERMAN.sources, SPANISH_TEXTS, SPANISH_TEXTS)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_is_found_and_nothing_else_is_said(fault: Fault) -> None:
    injected = fault.inject(Random(fault.name), CLEAN)
    if injected is None:
        pytest.skip("the demo set does not allow this fault")
    report = truebleu.diagnose(injected.hypotheses, injected.references, injected.sources)
    levels = {one.code: LEVELS.index(one.level) for one in report.findings}
    assert any(levels.get(code, -1) >= LEVELS.index(fault.level) for code in fault.expects)
    alarms = {code for code, level in levels.items() if level >= LEVELS.index("warning")}
    assert set() == alarms - fault.expects - fault.accepts
    if injected.place is not None:
        (evidence,) = (one.evidence for one in report.findings if one.code in fault.expects)
        assert abs(evidence.get("first", evidence.get("line", -9)) - 1 - injected.place) <= 2


@pytest.mark.parametrize(("number", "same"), SAME)
def test_a_number_in_another_form_is_no_fault(number: str, same: str) -> None:
    injected = kept(number, same)(Random(same), CLEAN)
    assert injected is not None
    assert () == truebleu.diagnose(injected.hypotheses, injected.references, injected.sources, checks="D42").findings


def test_the_clean_text_has_no_alarm() -> None:
    assert () == truebleu.diagnose(CLEAN.hypotheses, CLEAN.references, CLEAN.sources).findings


def test_real_submissions_have_no_alarm_beyond_those_that_were_looked_at(wmt22: Path) -> None:
    pair = "liv-en"  # the smallest; bench/doctor.py --clean examines all
    known = json.loads(Path(__file__).with_name("known-wmt22.json").read_text("utf-8"))[pair]
    sources, references = read(next(wmt22.glob(f"sources/*{pair}*"))), [read(next(wmt22.glob(f"references/*{pair}*")))]
    for path in wmt22.glob(f"system-outputs/*{pair}*"):
        report = truebleu.diagnose(read(path), references, sources)
        alarms = {one.code for one in report.findings if one.level != "note"}
        assert set(known.get(path.name.split(".")[3], {})) == alarms


def read(path: Path) -> list[str]:
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as file:
        return [line.rstrip("\n") for line in file]
