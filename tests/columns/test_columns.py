"""Columns give what lists give, whatever their layout."""

from __future__ import annotations

import pickle
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conftest import CASES

pa = pytest.importorskip("pyarrow")
import pyarrow.parquet as pq  # noqa: E402

from columns.arrow_cases import Case, case, streams  # noqa: E402
from truebleu import BLEU, CHRF, GLEU, TER, _logs, columns  # noqa: E402
from truebleu.errors import (  # noqa: E402
    EmptyCorpus,
    InputError,
    InputTypeError,
    OptionError,
    SegmentWithoutReference,
    StatsMismatch,
    UndecodableText,
    UnknownField,
)
from truebleu.stats import UNITS  # noqa: E402
from truebleu.version import __version__  # noqa: E402

TABLE = pa.table(
    {
        "system": ["a", "a", "b"],
        "mt": ["a b c d", "e f g h .", "a b c"],
        "ref": ["a b c d", "e f g x", "a b d"],
        "refs": [["x", "y"], ["e f g h"], ["a b c", None, "a"]],
    }
)
TEXTS = {"hypothesis": "mt", "references": "ref"}
ALL = {"bleu": BLEU(), "chrf": CHRF(word_order=2), "ter": TER(), "gleu": GLEU()}


def batches_of_cases() -> list[int]:
    return list(range(0, max(CASES, 2000), 100))


@pytest.mark.parametrize("first", batches_of_cases())
def test_columns_give_what_lists_give(first: int) -> None:
    for number in range(first, first + 100):
        one = case(f"columns/{number}")
        check_rows(one, f"columns/{number}")
        check_scores(one, f"columns/{number}")


def check_rows(one: Case, name: str) -> None:
    given: dict[str, Any] = {"hypothesis": "mt", "references": one.columns, "threads": 1}
    expected = one.metric.stats(one.hypotheses, streams(one.references), threads=1)
    found = columns.stats(one.table, one.metric, **given)
    assert expected.rows.tolist() == found.rows.tolist(), name  # type: ignore[union-attr]
    assert expected.references == found.references, name  # type: ignore[union-attr]
    rows = columns.rows(one.table, {"m": one.metric}, keep=["system", "day"], **given)
    assert one.keys == list(zip(rows["system"].to_pylist(), rows["day"].to_pylist(), strict=True)), name
    for at, column in enumerate(one.metric.columns):
        unit = UNITS if column == "length" else 1
        cells = rows[f"m_{column}" + (f"_{UNITS}" if unit > 1 else "")].to_pylist()
        assert expected.rows[:, at].tolist() == [cell / unit for cell in cells], name
    scores = columns.segment_scores(one.table, {"m": one.metric}, **given)["m"].to_numpy()
    assert one.metric.sentence_scores(one.hypotheses, streams(one.references)).tolist() == scores.tolist(), name


def check_scores(one: Case, name: str) -> None:
    totals = columns.totals(
        one.table, {"m": one.metric}, hypothesis="mt", references=one.columns, by=["system", "day"], threads=1
    )
    keys = totals.keys()
    assert set(one.keys) == set(keys), name
    for key in keys:
        chosen = [at for at, other in enumerate(one.keys) if other == key]
        texts = [one.hypotheses[at] for at in chosen]
        references = [one.references[at] for at in chosen]
        expected = one.metric.corpus_score(texts, streams(references), threads=1)
        found = totals.score(key)["m"]
        # An empty reference beside a filled one is none, unless it is kept.
        numbers = {len(some) if one.metric.empty_refs == "keep" else len([*filter(None, some)]) for some in references}
        if isinstance(one.metric, TER) and numbers - {0, 1, 2, 4}:
            assert expected.score == pytest.approx(found.score, rel=1e-12), name
        else:
            assert expected.to_dict() == found.to_dict(), name


def test_a_table_of_scores_has_keys_counts_scores_and_signatures() -> None:
    scores = columns.score_table(TABLE, [BLEU(), CHRF()], **TEXTS, by=["system"])
    assert ["system", "segments", "skipped", "bleu", "chrf", "bleu_signature", "chrf_signature"] == scores.column_names
    expected = BLEU().corpus_score(["a b c d", "e f g h ."], [["a b c d", "e f g x"]])
    first = scores.to_pylist()[0]
    assert ("a", 2, 0, expected.score, str(expected.signature)) == tuple(
        first[name] for name in ("system", "segments", "skipped", "bleu", "bleu_signature")
    )


def test_several_columns_of_references_are_put_in_order() -> None:
    found = columns.totals(TABLE, BLEU(), hypothesis="mt", references=["ref", "refs"]).score()["bleu"]
    references = [["a b c d", "x", "y"], ["e f g x", "e f g h"], ["a b d", "a b c", "a"]]
    expected = BLEU().corpus_score(TABLE["mt"].to_pylist(), references, layout="segments")
    assert expected.to_dict() == found.to_dict()


@pytest.mark.parametrize("kind", ["table", "batch", "reader", "dict", "lists", "parts", "pandas", "polars", "lazy"])
def test_any_holder_of_arrow_data_is_taken(kind: str) -> None:
    expected = columns.totals(TABLE, ALL, **TEXTS, by="system").to_arrow()
    holders: dict[str, Any] = {
        "table": lambda: TABLE,
        "batch": lambda: TABLE.to_batches()[0],
        "reader": lambda: TABLE.to_reader(max_chunksize=2),
        "dict": lambda: {name: TABLE[name] for name in ("ref", "mt", "system")},
        "lists": lambda: {name: TABLE[name].to_pylist() for name in ("ref", "mt", "system", "refs")},
        "parts": lambda: iter(TABLE.to_batches(max_chunksize=1)),
        "pandas": lambda: pytest.importorskip("pandas") and TABLE.to_pandas(),
        "polars": lambda: pytest.importorskip("polars").DataFrame(TABLE),
        "lazy": lambda: pytest.importorskip("polars").DataFrame(TABLE).lazy(),
    }
    assert expected.equals(columns.totals(holders[kind](), ALL, **TEXTS, by="system").to_arrow())


def test_columns_of_a_mapping_may_be_cut_at_different_places() -> None:
    cut = pa.chunked_array([["a b c d"], [], ["e f g h .", "a b c"]])
    data = {"mt": cut, "ref": pa.chunked_array([["a b c d", "e f g x"], ["a b d"]])}
    expected = columns.totals(TABLE, BLEU(), **TEXTS).to_arrow()
    assert expected.equals(columns.totals(data, BLEU(), **TEXTS).to_arrow())


def test_a_relation_of_duckdb_is_taken() -> None:
    duckdb = pytest.importorskip("duckdb")
    con = duckdb.connect()
    con.register("outputs", TABLE)
    expected = columns.totals(TABLE, ALL, **TEXTS, by="system").to_arrow()
    found = columns.totals(con.sql("SELECT * FROM outputs"), ALL, **TEXTS, by="system")
    assert expected.equals(found.to_arrow())


def test_a_dataset_is_taken() -> None:
    datasets = pytest.importorskip("datasets")
    data = datasets.Dataset.from_dict(TABLE.to_pydict())
    expected = columns.totals(TABLE, ALL, **TEXTS, by="system").to_arrow()
    assert expected.equals(columns.totals(data, ALL, **TEXTS, by="system").to_arrow())
    assert 0 == len(columns.totals(data.select([]), ALL, **TEXTS))


def test_runs_are_decoded() -> None:
    pc = pytest.importorskip("pyarrow.compute")
    runs = TABLE.set_column(0, "system", pc.run_end_encode(TABLE["system"].combine_chunks()))
    runs = runs.set_column(2, "ref", pc.run_end_encode(TABLE["ref"].combine_chunks()))
    expected = columns.totals(TABLE, BLEU(), **TEXTS, by="system").to_arrow()
    assert expected.equals(columns.totals(runs, BLEU(), **TEXTS, by="system").to_arrow())


@pytest.mark.parametrize("ends", [[3, 2, 3], [-1, 2, 3], [2, 2, 3]])
def test_runs_that_do_not_grow_are_refused(ends: list[int]) -> None:
    held = np.array([1, 2, 3], np.int32)  # pyarrow looks at them when it makes an array
    runs = pa.Array.from_buffers(pa.int32(), 3, [None, pa.py_buffer(held)])
    kind = pa.run_end_encoded(pa.int32(), pa.string())
    table = pa.table({"mt": pa.Array.from_buffers(kind, 3, [None], children=[runs, TABLE["mt"].chunk(0)])})
    held[...] = ends
    with pytest.raises(InputTypeError, match='"mt" is run-end encoded and cannot be expanded: its ends do not grow'):
        columns.totals(table.append_column("ref", TABLE["ref"]), BLEU(), **TEXTS)


def test_a_column_of_nothing_but_nulls_is_one_of_missing_texts() -> None:
    table = TABLE.append_column("none", pa.nulls(3))
    expected = columns.totals(TABLE, BLEU(), **TEXTS).to_arrow()
    assert expected.equals(columns.totals(table, BLEU(), hypothesis="mt", references=["none", "ref"]).to_arrow())


# What goes wrong.


def test_a_null_hypothesis_is_named_by_row_key_and_id() -> None:
    table = pa.table({"system": ["x", "Online-A"], "seg": [1, 7], "mt": ["a", None], "ref": ["a", "b"]})
    with pytest.raises(InputTypeError) as caught:
        columns.totals(table, BLEU(), **TEXTS, by="system", id="seg")
    assert (
        "columns: 'mt' is null in row 1 (system='Online-A', seg=7); nulls=\"skip\" leaves such rows out and counts "
        'them, nulls="empty" scores them as empty'
    ) == str(caught.value)
    empty = columns.totals(table, BLEU(), **TEXTS, nulls="empty").score()["bleu"]
    assert BLEU().corpus_score(["a", ""], [["a", "b"]]).to_dict() == empty.to_dict()


def test_skipped_rows_are_counted_and_told(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("WARNING")
    table = pa.table({"k": [1, 1, 2, 3], "mt": ["a b", None, "c", "d"], "ref": ["a b", "x", None, "d"]})
    totals = columns.totals(table, {"bleu": BLEU()}, **TEXTS, by="k", nulls="skip")
    assert "2 of 4 rows" in caplog.text
    scores = totals.scores().to_pydict()
    assert ([1, 0, 1], [1, 1, 0]) == (scores["segments"], scores["skipped"])
    assert scores["bleu"][1] is None
    with pytest.raises(EmptyCorpus, match="all 1 row of the key"):
        totals.score(2)
    assert totals.to_arrow().equals(columns.Totals.from_arrow(totals.to_arrow()).to_arrow())
    rows = columns.rows(table, BLEU(), **TEXTS, keep="k", nulls="skip").to_pydict()
    assert ([1, 1, 2, 3], [2, None, None, 1]) == (rows["k"], rows["bleu_sys_len"])
    scored = columns.segment_scores(table, CHRF(), **TEXTS, nulls="skip").to_pydict()["chrf"]
    assert [100.0, None, None, 100.0] == scored
    stats = columns.stats(table, BLEU(), **TEXTS, nulls="skip")
    assert BLEU().stats(["a b", "d"], [["a b", "d"]]).rows.tolist() == stats.rows.tolist()  # type: ignore[union-attr]


@pytest.mark.parametrize("missing", [None, [], [None, None]])
def test_a_row_without_any_reference_is_an_error(missing: object) -> None:
    table = pa.table({"mt": ["a", "b"], "refs": pa.array([["a"], missing], pa.list_(pa.string()))})
    with pytest.raises(SegmentWithoutReference, match=r"'refs' has no reference in row 1; nulls=\"skip\""):
        columns.totals(table, BLEU(), hypothesis="mt", references="refs")


def test_a_missing_column_is_told_with_those_that_there_are() -> None:
    with pytest.raises(UnknownField, match=r"no column 'mr'; the columns are system, mt, ref, refs; did you mean 'mt'"):
        columns.totals(TABLE, BLEU(), hypothesis="mr", references="ref")


@pytest.mark.parametrize(
    ("values", "kind"), [([0.5], "fractional numbers"), ([["x"]], "lists"), ([b"x"], "bytes"), ([{"x": 1}], "structs")]
)
def test_a_key_that_cannot_be_one_is_told_by_its_type(values: list[object], kind: str) -> None:
    table = pa.table({"mt": ["a"], "ref": ["a"], "key": values})
    with pytest.raises(OptionError, match=f"by has 'key', a column of {kind}; expected strings, whole numbers"):
        columns.totals(table, BLEU(), **TEXTS, by="key")


def test_two_columns_of_a_name_are_refused() -> None:
    table = pa.table([["a"], ["a"], ["b"]], names=["mt", "ref", "ref"])
    with pytest.raises(OptionError, match="2 columns are called 'ref'"):
        columns.totals(table, BLEU(), **TEXTS)


def test_names_that_the_result_needs_are_refused_before_reading() -> None:
    table = TABLE.rename_columns(["segments", "mt", "ref", "refs"])
    with pytest.raises(OptionError, match="'segments' of its own"):
        columns.totals(table, BLEU(), **TEXTS, by="segments")
    with pytest.raises(OptionError, match="'bleu' of its own"):
        columns.segment_scores(TABLE, BLEU(), **TEXTS, keep="bleu")


@pytest.mark.parametrize("values", [[1.5, 2.0], [["a"], ["b"]], [{"a": 1}, {"a": 2}]])
def test_keys_that_do_not_group_reliably_are_refused(values: list[Any]) -> None:
    table = pa.table({"k": values, "mt": ["a", "b"], "ref": ["a", "b"]})
    with pytest.raises(OptionError, match="by has 'k'"):
        columns.totals(table, BLEU(), **TEXTS, by="k")


@pytest.mark.parametrize(
    ("column", "kind"),
    [
        (pa.array([b"a"]), "binary"),
        (pa.array([1]), "integer"),
        (pa.array([[1]]), "list of integer"),
        (pa.array([{"a": "b"}]), "struct of string"),
    ],
)
def test_what_is_no_text_is_refused_with_its_type(column: Any, kind: str) -> None:
    table = pa.table({"mt": pa.array(["a"]), "ref": column})
    with pytest.raises(InputTypeError, match=f'"ref" has the type {kind}, expected strings'):
        columns.totals(table, BLEU(), **TEXTS)


def test_bytes_that_are_not_utf8_are_named() -> None:
    data = pa.py_buffer(b"fine" + b"ab\xffc")
    texts = pa.StringArray.from_buffers(2, pa.py_buffer(np.array([0, 4, 8], np.int32).tobytes()), data)
    table = pa.table({"k": ["x", "y"], "mt": texts, "ref": ["a", "b"]})
    for metric in (BLEU(), CHRF(), BLEU(tokenize=str.split)):
        with pytest.raises(UndecodableText, match=r"'mt' is not UTF-8 in row 1 \(k='y'\): byte 2 is 0xff"):
            columns.totals(table, metric, **TEXTS, by="k")


def test_metrics_are_checked() -> None:
    with pytest.raises(OptionError, match="two metrics are called 'bleu'; give names"):
        columns.totals(TABLE, [BLEU(), BLEU(lowercase=True)], **TEXTS)
    with pytest.raises(OptionError, match="has references of its own"):
        columns.totals(TABLE, BLEU(references=[["a"]]), **TEXTS)
    with pytest.raises(InputTypeError, match="metrics"):
        columns.totals(TABLE, 17, **TEXTS)  # type: ignore[arg-type]


@pytest.mark.parametrize("data", [17, None, b"x", {1, 2}, [1, 2], {"mt": ["a"], "ref": ["b", "c"]}, {"mt": [object()]}])
def test_what_is_no_table_is_refused(data: object) -> None:
    with pytest.raises((InputError, UnknownField)):
        columns.totals(data, BLEU(), **TEXTS)


def test_nothing_at_all_has_no_keys_and_no_score() -> None:
    nothing = TABLE.slice(0, 0)
    assert 0 == len(columns.totals(nothing, BLEU(), **TEXTS, by="system"))
    with pytest.raises(EmptyCorpus):
        columns.score_table(nothing, BLEU(), **TEXTS)
    assert 0 == columns.rows(nothing, BLEU(), **TEXTS, keep=["refs", "system"]).num_rows


@pytest.mark.interpreter
def test_a_worker_can_be_pickled_and_gives_partial_totals() -> None:
    worker = pickle.loads(pickle.dumps(columns.worker(ALL, **TEXTS, by="system")))
    parts = [part for batch in TABLE.to_batches(max_chunksize=1) for part in worker(iter([batch]))]
    merged = columns.Totals.from_arrow(pa.Table.from_batches(parts))
    assert columns.totals(TABLE, ALL, **TEXTS, by="system").to_arrow().equals(merged.to_arrow())
    assert [] == list(worker(iter([])))


def test_the_warning_about_tokenized_text_is_given_once_by_whoever_scores(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("WARNING")
    table = pa.table({"mt": ["a b ."] * 150, "ref": ["a b ."] * 150})
    totals = columns.totals(iter(table.to_batches(max_chunksize=60)), BLEU(), **TEXTS)
    assert "" == caplog.text
    totals.scores()
    assert 1 == caplog.text.count("150 hypotheses end in a full stop")


@pytest.mark.parametrize(("stops", "rows", "is_told"), [(99, 200, False), (100, 9_000, True), (119, 12_000, False)])
def test_texts_seem_tokenized_by_their_share(
    stops: int, rows: int, is_told: bool, caplog: pytest.LogCaptureFixture
) -> None:
    texts = [f"a b c {at} ." for at in range(stops)] + [f"a b c {at}." for at in range(stops, rows)]
    columns.score_table({"mt": texts, "ref": texts}, BLEU(), **TEXTS)
    _logs.forget()  # what was said is not repeated
    BLEU().corpus_score(texts, [texts])
    assert 2 * is_told == caplog.text.count(f"{stops} hypotheses end in a full stop")


@pytest.mark.parametrize(
    ("column", "row"),
    [([["a"], "b", ["c"]], "row 1 is 'b'"), (["a", "b", ["c"]], r"row 2 is \['c'\]"), ([["a"], ["b"], [3]], "row 2")],
)
def test_a_list_of_different_kinds_is_refused_with_its_row(column: list[Any], row: str) -> None:
    with pytest.raises(InputTypeError, match=f"'ref' begins with .*, and {row}"):
        columns.totals({"mt": ["a", "b", "c"], "ref": column}, BLEU(), hypothesis="mt", references="ref")


def test_a_worker_takes_a_file_and_refuses_another_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pq.write_table(TABLE, tmp_path / "a.parquet")
    worker = columns.worker(ALL, **TEXTS, by="system")
    expected = columns.totals(TABLE, ALL, **TEXTS, by="system").to_arrow()
    assert expected == pa.Table.from_batches(worker(tmp_path / "a.parquet"))
    sent = pickle.dumps(worker)
    monkeypatch.setattr("truebleu.columns.work.__version__", "99.0")
    with pytest.raises(StatsMismatch, match=rf"has truebleu 99\.0, expected {re.escape(__version__)}, which sent the"):
        pickle.loads(sent)
