"""What pages and messages say about false claims is what `bench/calibration_people.py` measured."""

import json
from pathlib import Path

from truebleu.significance.units import OF_PEOPLE

ROOT = Path(__file__).parents[2]
FIGURES = json.loads((ROOT / "bench" / "calibration_people.json").read_text("utf-8"))
OF_DOCUMENTS = {name: one for name, one in FIGURES["documents"].items() if name.endswith(", documents")}


def span(values: list[float]) -> str:
    return f"{min(values):.0f} to {max(values):.0f}"


def test_false_claims_over_segments_are_quoted_as_measured() -> None:
    measured = span([one["ar segments"] for one in OF_DOCUMENTS.values()])
    assert f"in {measured} of 100 cases" in (ROOT / "docs" / "people.md").read_text("utf-8")
    assert f"[{measured} of 100 cases]" in (ROOT / "COMPATIBILITY.md").read_text("utf-8")
    assert f"{measured} % false differences" in " ".join(OF_PEOPLE)


def test_what_others_do_is_quoted_as_measured() -> None:
    text = (ROOT / "docs" / "people.md").read_text("utf-8")
    rules = FIGURES["rules"]
    assert f"[{span([rules[name] for name in OF_DOCUMENTS])} % on documents]" in text
    assert all(9 < rules[name] < 11 for name in rules if name.endswith(", segments"))
    each = {null: f"{FIGURES['raters'][null]['each rating an item']:.0f} %" for null in ("segments", "documents")}
    assert f"make {each['segments']} false claims" in text and f"and {each['documents']} where they are not" in text


def test_tests_between_metrics_keep_their_level_over_documents() -> None:
    figures = json.loads((ROOT / "bench" / "agree.json").read_text("utf-8"))
    assert figures.pop("nulls") >= 5000
    page = (ROOT / "docs" / "agree.md").read_text("utf-8")
    for null, by_pair in figures.items():
        both = [by_pair[pair] for pair in ("he-en", "zh-en")]
        for at, column in enumerate(zip(*both, strict=True)):
            assert f"{column[0]} / {column[1]} %" in page, (null, at)
        assert all(4 <= one[2] <= 6 for one in both), null
    assert all(38 <= figures[null][pair][0] <= 50 for null in ("items", "documents") for pair in ("he-en", "zh-en"))


def test_tests_over_documents_keep_their_level() -> None:
    for name, one in FIGURES["documents"].items():
        assert name == "nulls" or 4.3 <= one["ar documents"] <= 5.7, name
    for null in ("segments", "documents", "documents x raters"):
        assert 4.0 <= FIGURES["raters"][null]["mean, documents"] <= 5.6, null
    assert FIGURES["raters"]["raters"]["random raters"] <= 7.0
