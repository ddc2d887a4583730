"""What the adapters share, and what they refuse: no engine is needed for these."""

from __future__ import annotations

import importlib
import json
import pickle
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("pyarrow")

import truebleu._engines as engines
from engines.cases import LINES
from truebleu import BLEU, TER
from truebleu.columns.schema import how_to_add, measures
from truebleu.errors import InputTypeError, MissingDependency, StatsMismatch, TruebleuError, UndecodableText

FIRST = {
    "spark": ("df", ("score", "totals", "segment_scores", "rows")),
    "duckdb": ("relation", ("score",)),
    "polars": ("frame", ("score", "totals")),
}
SESSIONS = [
    ("spark", "check", "spark"),
    ("spark", "ship", "spark"),
    ("duckdb", "register", "connection"),
]
PATHS: list[Any] = ["", "x", "\0", "\ud800", "x" * 100_000, ["x"]]
BAD: list[Any] = [
    None, True, 5, 0.5, float("nan"), 10**30, b"x", [], [None], [5], [["x"]], {}, {"x": 5}, {"x"}, object(), object,
    len, 1j, [5] * 50_000,
]  # fmt: skip


@pytest.mark.parametrize("adapter", FIRST)
def test_garbage_in_place_of_a_table_is_named(adapter: str) -> None:
    module = importlib.import_module(f"truebleu.{adapter}")
    name, calls = FIRST[adapter]
    for call in calls:
        for bad in BAD + PATHS:
            with pytest.raises(InputTypeError, match=rf"truebleu\.{adapter}: {name} is "):
                getattr(module, call)(bad, BLEU(), **LINES)


@pytest.mark.parametrize(("adapter", "call", "name"), SESSIONS)
def test_garbage_in_place_of_a_session_is_named(adapter: str, call: str, name: str) -> None:
    function = getattr(importlib.import_module(f"truebleu.{adapter}"), call)
    for bad in BAD + PATHS:
        with pytest.raises(InputTypeError, match=f"{name} is "):
            function(bad, *([BLEU()] if call == "check" else []))


@pytest.mark.parametrize("name", ["hypothesis", "references", "by", "nulls", "id", "metrics"])
def test_garbage_in_place_of_columns_is_named(name: str) -> None:
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"mt": ["a"], "refs": [["a"]]})
    import truebleu.polars

    for bad in BAD + PATHS:
        given = {"metrics": BLEU(), **LINES, name: bad}
        try:
            truebleu.polars.score(frame, given.pop("metrics"), **given)
        except TruebleuError as error:
            said = (name, "no column", "metric") if name != "nulls" else (name,)
            assert any(word in str(error) for word in said) and len(str(error)) < 600, str(error)


def test_an_engine_that_is_missing_or_too_old_is_named_with_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(
        MissingDependency, match=r"truebleu\.nosuchengine needs nosuchengine 1\.2 or newer.*pip install"
    ):
        engines.engine("nosuchengine", (1, 2))
    old = SimpleNamespace(__version__="0.20.31")
    monkeypatch.setattr(importlib, "import_module", lambda name: old)
    with pytest.raises(MissingDependency, match=r"needs polars 1\.0 or newer, and found 0\.20\.31"):
        engines.engine("polars", (1, 0))


def test_an_error_of_ours_comes_out_of_others() -> None:
    inner = InputTypeError("columns: 'mt' is null in row 7")
    wrapped = RuntimeError("task failed")
    wrapped.__cause__ = inner
    texts = RuntimeError(
        "Traceback:\n  truebleu.errors.EmptyCorpus: first\nDuring handling:\n"
        "truebleu.errors.UndecodableText: columns: 'mt' is not UTF-8 in row 3\n\tat org.apache.spark"
    )
    for error, kind, words in (
        (wrapped, InputTypeError, "columns: 'mt' is null in row 7"),
        (texts, UndecodableText, "columns: 'mt' is not UTF-8 in row 3"),
        (
            ImportError("MissingDependency: there is no truebleu on the worker a"),
            MissingDependency,
            "there is no truebleu on the worker a; hint",
        ),
    ):
        with pytest.raises(kind) as caught, engines.unwrapped("hint"):
            raise error
        assert (words, error) == (str(caught.value), caught.value.__cause__)
    with pytest.raises(ZeroDivisionError), engines.unwrapped("hint"):
        raise ZeroDivisionError


def test_another_version_on_a_worker_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "__version__", "99.0")
    sent = engines.sendable("pickle", len)
    answer = engines.probe("pickle", BLEU())
    monkeypatch.undo()
    with (
        pytest.raises(StatsMismatch, match=r"the worker \S+ \(Python .*\) has truebleu .*, and here is 99\.0"),
        engines.unwrapped(""),
    ):
        sent("abc")
    with pytest.raises(StatsMismatch, match="and here is 99"):
        engines.compare_facts("truebleu.x", [answer()], BLEU(), "hint")


def test_another_unicode_on_a_worker_is_refused_where_it_matters() -> None:
    for metric, refused in ((BLEU(lowercase=True), True), (BLEU(), False)):
        told = json.loads(engines.probe("pickle", metric)())
        told.update(host="far", unicode="9.0", ids={"bleu": "BLEU-0" if refused else told["ids"]["bleu"]})
        if not refused:
            assert [told] == engines.compare_facts("truebleu.x", [json.dumps(told)], metric, "hint")
            continue
        with pytest.raises(
            StatsMismatch, match=r"truebleu\.x: 'bleu' is BLEU-0 on far \(Python .*, Unicode 9\.0\), and BLEU-"
        ):
            engines.compare_facts("truebleu.x", [json.dumps(told)], metric, "hint")


def test_a_worker_works_out_its_own_id(monkeypatch: pytest.MonkeyPatch) -> None:
    (here,) = measures(BLEU(lowercase=True))
    sent = pickle.dumps(here)
    import unicodedata

    monkeypatch.setattr(unicodedata, "unidata_version", "9.0")
    assert here.id != pickle.loads(sent).id


def test_a_tokenizer_that_a_worker_lacks_is_told_before_the_first_job() -> None:
    def broken(text: str) -> list[str]:
        raise ModuleNotFoundError("No module named 'segmenter'")

    metric = BLEU(tokenize=broken)
    answer = json.loads(engines.probe("cloudpickle", metric)()) if _has_cloudpickle() else {"problem": "segmenter"}
    assert "segmenter" in answer["problem"]


def _has_cloudpickle() -> bool:
    try:
        import cloudpickle  # noqa: F401
    except ImportError:
        return False
    return True


def test_sums_of_engines_know_what_to_do_with_each_column() -> None:
    ways: dict[str, Any] = how_to_add(measures(TER()))
    assert {"ter_refs_min": "min", "ter_refs_max": "max"} == {name: way for name, way in ways.items() if way != "sum"}
    assert "ter_id" not in ways and "segments" in ways
