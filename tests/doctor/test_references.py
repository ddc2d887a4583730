"""D5: faults of references and of the test set."""

import truebleu
from truebleu import demo
from truebleu.doctor.finding import Finding

GERMAN = demo.load("en-de")
SOURCES, SYSTEM, A, B = GERMAN.sources, GERMAN.systems["birch"], GERMAN.references["A"], GERMAN.references["B"]


def findings(
    hypotheses: list[str], references: list[str] = A, sources: list[str] | None = None, checks: str = "D5"
) -> dict[str, Finding]:
    report = truebleu.diagnose(hypotheses, [references], sources, checks=checks)
    return {one.code: one for one in report.findings}


def leaked(every: int) -> list[str]:
    return [reference if at % every == 0 else text for at, (text, reference) in enumerate(zip(SYSTEM, A, strict=True))]


def test_a_leak_is_found() -> None:
    found = findings(leaked(3))["D501"]
    assert "warning" == found.level
    assert all(at % 3 == 0 for at in found.segments)


def test_few_equal_segments_are_a_note() -> None:
    assert "note" == findings(leaked(8))["D501"].level


def test_references_without_text_are_found() -> None:
    references = ["" if at in (4, 8) else text for at, text in enumerate(A)]
    found = findings(SYSTEM, references)["D502"]
    assert ((4, 8), "references[0]") == (found.segments, found.side)
    assert "D502" not in findings(["" if at in (4, 8) else text for at, text in enumerate(SYSTEM)], references)


def test_odd_references_are_found() -> None:
    places = [at for at, text in enumerate(A) if len(text) > 80][:5]
    references = [text + " " + text + " " + text if at in places else text for at, text in enumerate(A)]
    found = findings(SYSTEM, references, SOURCES)["D503"]
    assert (tuple(places), "references[0]", {}) == (found.segments, found.side, found.prices)


def test_repeated_segments_are_counted() -> None:
    found = findings(SYSTEM[:100] * 2, A[:100] * 2, SOURCES[:100] * 2)["D504"]
    assert ("note", "sources", 100) == (found.level, found.side, found.evidence["distinct"])
    assert "references[0]" == findings(SYSTEM[:100] * 2, A[:100] * 2)["D504"].side
    assert "D504" not in findings(SYSTEM, A, SOURCES)
