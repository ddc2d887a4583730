"""Every fault of `faults.py`, put into the demo set: the doctor finds it, and says nothing else."""

from random import Random

import pytest

import truebleu
from doctor.faults import FAULTS, Fault, Texts
from truebleu import demo
from truebleu.doctor.finding import LEVELS

GERMAN, SPANISH = demo.load("en-de"), demo.load("en-es")
SPANISH_TEXTS = SPANISH.references["A"] * 4
CLEAN = Texts(GERMAN.systems["atlas"], [GERMAN.references["A"]], GERMAN.sources, SPANISH_TEXTS, [])


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


def test_the_clean_text_has_no_alarm() -> None:
    assert () == truebleu.diagnose(CLEAN.hypotheses, CLEAN.references, CLEAN.sources).findings
