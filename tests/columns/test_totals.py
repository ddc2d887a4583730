"""Totals add to the same bits in any order, and refuse what does not belong together."""

from __future__ import annotations

import ast
import datetime
import itertools
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from strategies import Generator

pa = pytest.importorskip("pyarrow")

import truebleu  # noqa: E402
from columns.arrow_cases import _plain  # noqa: E402
from truebleu import BLEU, CHRF, GLEU, TER, Accumulator, columns  # noqa: E402
from truebleu.accumulator import Sums, _scored  # noqa: E402
from truebleu.columns import Totals  # noqa: E402
from truebleu.columns.schema import Measure  # noqa: E402
from truebleu.errors import InputError, InputTypeError, OptionError, StatsMismatch  # noqa: E402
from truebleu.metrics import METRICS  # noqa: E402
from truebleu.stats import Stats  # noqa: E402
from word_overlap import WordOverlap  # noqa: E402

TEXTS: dict[str, Any] = {"hypothesis": "mt", "references": "refs"}
ALL = {"bleu": BLEU(), "chrf": CHRF(), "ter": TER(), "gleu": GLEU()}


def big_table(references: int = 3, rows: int = 300) -> Any:
    drawn = Generator(f"totals/{references}", longest=40)
    corpus = drawn.corpus(rows, references)
    refs = [[_plain(text or "x y") + " w" for text in texts] for texts in corpus.segments]
    return pa.table(
        {
            "mt": [_plain(text) for text in corpus.hypotheses],
            "refs": refs,
            "lang": [drawn._of(("de", "cs", None)) for _ in range(rows)],
        }
    )


def in_parts(table: Any, rng: random.Random) -> list[Any]:
    order = rng.sample(range(len(table)), len(table))
    cuts = sorted(rng.sample(range(len(table)), rng.randint(1, 50)))
    bounds = [0, *cuts, len(table)]
    parts = [order[start:end] for start, end in itertools.pairwise(bounds)]
    return [table.take(pa.array(part, pa.int64())) for part in parts]


def merged(parts: list[Totals], rng: random.Random) -> Totals:
    """Added up in a random tree."""
    while len(parts) > 1:
        some = [parts.pop(rng.randrange(len(parts))) for _ in range(min(len(parts), rng.randint(2, 4)))]
        parts.append(Totals.sum(some))
    return parts[0]


def test_any_partition_in_any_order_gives_the_same_bytes() -> None:
    table, rng = big_table(), random.Random(7)
    whole = columns.totals(table, ALL, **TEXTS, by="lang").to_arrow()
    for _ in range(25):
        parts = [columns.totals(part, ALL, **TEXTS, by="lang") for part in in_parts(table, rng)]
        assert ipc_bytes(whole) == ipc_bytes(merged(parts, rng).to_arrow())


def ipc_bytes(table: Any) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, table.schema) as file:
        file.write_table(table.combine_chunks())
    return sink.getvalue().to_pybytes()


def test_float_sums_would_depend_on_the_partition() -> None:
    table, rng = big_table(), random.Random(7)
    stats = columns.stats(table, TER(), **TEXTS)
    assert isinstance(stats, Stats)
    lengths = stats.rows[:, 1]
    orders = [rng.sample(range(len(lengths)), len(lengths)) for _ in range(200)]
    assert len({float(lengths[order].cumsum()[-1]) for order in orders}) > 1


@pytest.mark.parametrize("references", [1, 2, 3, 5])
def test_ter_is_exact_and_equals_the_corpus_score_where_lengths_are_binary(references: int) -> None:
    table = big_table(references)
    found = columns.totals(table, TER(), **TEXTS).score()["ter"].score
    in_order = TER().corpus_score(table["mt"].to_pylist(), table["refs"].to_pylist(), layout="segments").score
    if references in (1, 2):
        assert in_order == found
    else:
        from fractions import Fraction

        rows = columns.rows(table, TER(), **TEXTS)
        edits, lengths = (sum(rows[name].to_pylist()) for name in ("ter_edits", "ter_length_720720"))
        assert 100.0 * (edits / float(Fraction(lengths, 720720))) == found
        assert in_order == pytest.approx(found, rel=1e-12)


def test_ter_of_a_number_of_references_that_does_not_divide_is_refused() -> None:
    table = pa.table({"mt": ["a", "b"], "refs": [["a"], ["b"] * 17]})
    with pytest.raises(InputError, match=r"TER of 17 references cannot be summed exactly, row 1"):
        columns.totals(table, TER(), **TEXTS)
    assert 1 == len(columns.totals(table, BLEU(), **TEXTS))


def test_totals_survive_other_programs(tmp_path: Path) -> None:
    totals = columns.totals(big_table(), ALL, **TEXTS, by="lang")
    expected = totals.to_arrow()
    totals.save(tmp_path / "t.parquet")
    assert ["t.parquet"] == [path.name for path in tmp_path.iterdir()]
    assert expected.equals(Totals.load(tmp_path / "t.parquet").to_arrow())
    assert expected.schema.metadata == Totals.load(tmp_path / "t.parquet").to_arrow().schema.metadata
    bare = expected.replace_schema_metadata(None)
    with pytest.raises(InputTypeError, match="lost its metadata"):
        Totals.from_arrow(bare)
    assert expected.equals(Totals.from_arrow(bare, ALL).to_arrow())
    with pytest.raises(StatsMismatch, match="'bleu_id' is 'BLEU-"):
        Totals.from_arrow(bare, {**ALL, "bleu": BLEU(lowercase=True)})


def test_sums_of_duckdb_are_taken_and_doubles_are_not() -> None:
    duckdb = pytest.importorskip("duckdb")
    totals = columns.totals(big_table(), {"bleu": BLEU()}, **TEXTS, by="lang").to_arrow()
    twice = pa.concat_tables([totals, totals])
    con = duckdb.connect()
    con.register("parts", twice)
    cells = [
        "segments",
        "skipped",
        "bleu_detached_stops",
        *[n for n in totals.column_names if "_len" in n or "_c" in n or "_t" in n],
    ]
    summed = ", ".join(f"sum({name}) AS {name}" for name in dict.fromkeys(cells))
    query = f"SELECT lang, {summed}, min(bleu_refs_min) AS bleu_refs_min, max(bleu_refs_max) AS bleu_refs_max, "
    found = con.sql(query + "any_value(bleu_id) AS bleu_id FROM parts GROUP BY lang")
    expected = Totals.from_arrow(twice)
    assert expected.to_arrow().equals(Totals.from_arrow(found, {"bleu": BLEU()}).to_arrow())
    doubled = totals.set_column(1, "segments", totals["segments"].cast(pa.float64()))
    with pytest.raises(StatsMismatch, match="may have been rounded"):
        Totals.from_arrow(doubled)


def test_totals_of_other_options_are_refused_with_the_field() -> None:
    table = big_table()
    ours, theirs = (columns.totals(table, {"b": BLEU(lowercase=low)}, **TEXTS) for low in (False, True))
    with pytest.raises(StatsMismatch, match="differ in lowercase of 'b': False and True"):
        ours + theirs
    with pytest.raises(StatsMismatch, match="differ in columns"):
        ours + columns.totals(table, {"c": BLEU()}, **TEXTS)
    with pytest.raises(StatsMismatch, match="differ in the type of 'lang'"):
        by_number = columns.totals({"mt": ["a"], "refs": [["a"]], "lang": [1]}, BLEU(), **TEXTS, by="lang")
        columns.totals(table, BLEU(), **TEXTS, by="lang") + by_number


def test_an_id_tells_options_apart_and_is_the_same_everywhere() -> None:
    def identity(metric: Any) -> str:
        return columns.totals({"mt": ["a"], "refs": [["a"]]}, {"m": metric}, **TEXTS).to_arrow()["m_id"][0].as_py()

    assert identity(BLEU()) == identity(BLEU(smooth_method="floor"))  # it does not decide the rows
    assert "BLEU-" == identity(BLEU())[:5] and 21 == len(identity(BLEU()))
    assert 4 == len({identity(one) for one in (BLEU(), BLEU(lowercase=True), BLEU(tokenize="intl"), CHRF())})


def test_totals_that_are_too_large_are_refused_and_not_rounded() -> None:
    totals = columns.totals({"mt": ["a b"], "refs": [["a b"]]}, BLEU(), **TEXTS).to_arrow()
    at = totals.column_names.index("bleu_sys_len")
    large = totals.set_column(at, "bleu_sys_len", pa.array([2**53 + 1], pa.int64()))
    with pytest.raises(InputError, match="above 2\\^53"):
        Totals.from_arrow(large).score()
    largest = Totals.from_arrow(totals.set_column(at, "bleu_sys_len", pa.array([2**63 - 1], pa.int64())))
    with pytest.raises(InputError, match="more than an int64 holds"):
        (largest + largest).to_arrow()


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        (pa.date32(), [datetime.date(2024, 2, 29), datetime.date(1969, 1, 1), None]),
        (pa.bool_(), [True, False, None]),
        (pa.uint64(), [2**64 - 1, 0, None]),
        (pa.dictionary(pa.int8(), pa.int32()), [5, -5, None]),
        (pa.dictionary(pa.int8(), pa.string()), ["b", "a", None]),
        (pa.null(), [None, None, None]),
    ],
)
def test_keys_keep_their_values_and_null_is_one(kind: Any, values: list[Any]) -> None:
    table = pa.table({"mt": ["a", "b", "c"], "refs": [["a"]] * 3, "k": pa.array(values, kind)})
    totals = columns.totals(table, BLEU(), **TEXTS, by="k")
    keys = totals.keys()
    assert set(values) == {value for (value,) in keys}
    again = Totals.from_arrow(totals.to_arrow())
    assert keys == again.keys()
    plain = kind.value_type if pa.types.is_dictionary(kind) else kind
    assert plain == totals.to_arrow()["k"].type


def test_an_accumulator_takes_totals() -> None:
    table = big_table(2)
    for metric in (BLEU(), TER()):
        total = Accumulator(metric)
        total.merge(columns.totals(table, ALL, **TEXTS, by="lang"))
        expected = metric.corpus_score(table["mt"].to_pylist(), table["refs"].to_pylist(), layout="segments")
        assert (300, expected.to_dict()) == (len(total), total.compute().to_dict())
    with pytest.raises(StatsMismatch, match="none of the metrics"):
        Accumulator(BLEU(lowercase=True)).merge(columns.totals(table, ALL, **TEXTS))


@pytest.mark.parametrize("metric", [BLEU(), CHRF(), TER(), GLEU(lowercase=True)], ids=lambda metric: metric.name)
def test_rows_go_through_arrow_and_come_back(metric: Any) -> None:
    table = big_table()
    stats = columns.stats(table, metric, **TEXTS)
    assert isinstance(stats, Stats)
    for again in (
        Stats.from_arrow(stats.to_arrow()),
        Stats.from_arrow(stats.to_arrow().replace_schema_metadata(None), metric),
        Stats.from_arrow(columns.rows(table, metric, **TEXTS, keep="lang")),
        Stats.from_arrow(columns.rows(table, {"x": metric}, **TEXTS).replace_schema_metadata(None), metric, name="x"),
    ):
        assert stats.rows.tolist() == again.rows.tolist()
        assert (stats.references, dict(stats.fingerprint)) == (again.references, dict(again.fingerprint))
        assert metric.score(stats).to_dict() == metric.score(again).to_dict()
    with pytest.raises(StatsMismatch):
        Stats.from_arrow(stats.to_arrow(), BLEU(tokenize="char"))


# One form of totals.


def test_one_class_adds_totals_of_tables_and_records_and_one_those_of_batches() -> None:
    package = Path(truebleu.__file__).parent
    adding = {"add": "KeyTable", "plus_rows": "Sums"}
    places = [
        (path.relative_to(package).as_posix(), node.name)
        for path in package.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ClassDef) and node.name in adding.values()
        for one in node.body
        if isinstance(one, ast.FunctionDef) and adding.get(one.name) == node.name
    ]
    assert [("accumulator.py", "Sums"), ("columns/totals.py", "KeyTable")] == sorted(places)
    records = (package / "cli/json_lines.py").read_text("utf-8")
    assert "totals_together" in records and "numpy" not in records and "Sums" not in records


def test_means_are_added_in_order_until_sums_are_added() -> None:
    metric, texts = TER(), ["a b c", "d", "e f"]
    refs = [["a b c d", "a b", "x"], ["a", "b c d e f", "y z"], ["c d", "a b c", "d"]]
    stats = [metric.stats([text], [[one] for one in some]) for text, some in zip(texts, refs, strict=True)]
    units = Measure("ter", metric).units
    row_by_row = Sums.nothing(len(units), 1)
    for one in stats:
        row_by_row = row_by_row.plus_rows(one)
    expected = metric.stats(texts, [*zip(*refs, strict=True)])
    assert expected.sum() == _scored(row_by_row, units) and row_by_row.in_order
    parts = [Sums.nothing(len(units), 1).plus_rows(one) for one in stats]
    forwards, backwards = parts[0].plus(parts[1]).plus(parts[2]), parts[2].plus(parts[1]).plus(parts[0])
    assert _scored(forwards, units) == _scored(backwards, units) and not forwards.in_order
    assert forwards.exact == row_by_row.exact


class SlowTotals:
    """The slow and obvious way: rows of segments, added as Python's whole numbers under a tuple for each key."""

    def __init__(self, data: Any, metrics: dict[str, Any], by: list[str], nulls: str) -> None:
        self.metrics, self.groups = metrics, dict[tuple[Any, ...], list[dict[str, int | None]]]()
        rows = columns.rows(data, metrics, **TEXTS, nulls=nulls)
        self.cells = {name: [one for one in rows.column_names if one.startswith(f"{name}_")] for name in metrics}
        for at, row in enumerate(rows.to_pylist()):
            self.groups.setdefault(tuple(data[name][at].as_py() for name in by), []).append(row)

    def in_order(self) -> list[tuple[Any, ...]]:
        return sorted(self.groups, key=lambda key: [(value is None, value) for value in key])

    def segments(self, key: tuple[Any, ...]) -> tuple[int, int]:
        skipped = sum(None in row.values() for row in self.groups[key])
        return len(self.groups[key]) - skipped, skipped

    def sums(self, key: tuple[Any, ...], name: str) -> tuple[list[int], list[int]]:
        """The sums of a metric's cells, and the numbers of references."""
        lines = [[row[cell] for cell in self.cells[name]] for row in self.groups[key]]
        columns = [*zip(*(line for line in lines if None not in line), strict=True)]
        return [sum(column) for column in columns[:-1]], list(columns[-1])

    def score(self, key: tuple[Any, ...], name: str) -> Any:
        (sums, references), metric = self.sums(key, name), self.metrics[name]
        units = Measure(name, metric).units
        totals = [cell / unit for cell, unit in zip(sums, units, strict=True)]
        return metric.score_totals(totals, (min(references), max(references)))


@pytest.mark.parametrize("by", [[], ["lang"], ["lang", "seg"]])
@pytest.mark.parametrize("nulls", ["error", "skip"])
def test_tables_of_keys_equal_rows_that_are_added_one_by_one(by: list[str], nulls: str) -> None:
    data, rng = big_table(rows=400), random.Random(5)
    data = data.append_column("seg", pa.array([rng.choice([*range(150), None]) for _ in range(len(data))]))
    if nulls == "skip":
        data = data.set_column(
            0, "mt", pa.array([None if at % 7 < 3 else text.as_py() for at, text in enumerate(data["mt"])])
        )
    metrics = {**ALL, **{name.lower(): kind() for name, kind in METRICS.items() if name.lower() not in ALL}}
    slow = SlowTotals(data, metrics, by, nulls)
    parts = [columns.totals(part, metrics, **TEXTS, by=by, nulls=nulls) for part in in_parts(data, rng)]
    whole = columns.totals(data, metrics, **TEXTS, by=by, nulls=nulls)
    known = whole.scores().to_pydict()
    tables = pa.concat_tables([part.to_arrow() for part in parts])
    for one in (whole, Totals.sum(parts), Totals.from_arrow(tables, metrics)):
        assert slow.in_order() == one.keys()
        assert ipc_bytes(whole.to_arrow()) == ipc_bytes(one.to_arrow())
        assert known == one.scores().to_pydict()
        assert ipc_bytes(whole.whole().to_arrow()) == ipc_bytes(one.whole().to_arrow())
    table = whole.to_arrow().to_pydict()
    for at, key in enumerate(slow.in_order()):
        assert slow.segments(key) == whole.segments(key) == (table["segments"][at], table["skipped"][at])
        if not slow.segments(key)[0]:
            assert {None} == {known[name][at] for name in metrics}
            assert {None} == {table[f"{name}_refs_max"][at] for name in metrics}
            continue
        scores, alone = whole.score(key), whole.of(key).score()
        for name in metrics:
            sums, references = slow.sums(key, name)
            assert sums == [table[cell][at] for cell in slow.cells[name][:-1]]
            assert (min(references), max(references)) == (table[f"{name}_refs_min"][at], table[f"{name}_refs_max"][at])
            expected = slow.score(key, name)
            assert expected.to_dict() == scores[name].to_dict() == alone[name].to_dict()
            assert (expected.score, str(expected.signature)) == (known[name][at], known[f"{name}_signature"][at])
    for name, metric in metrics.items():
        state, every = whole.state(metric), [slow.sums(key, name) for key in slow.in_order() if slow.segments(key)[0]]
        sums = [sum(column) for column in zip(*(one for one, _ in every), strict=True)]
        units = Measure(name, metric).units
        assert [cell / unit for cell, unit in zip(sums, units, strict=True)] == list(state["totals"].values())
        assert (min(min(refs) for _, refs in every), max(max(refs) for _, refs in every)) == state["references"]
        assert sum(slow.segments(key)[0] for key in slow.in_order()) == state["segments"]


def test_a_total_beyond_an_int64_is_refused_and_a_whole_may_be() -> None:
    totals = columns.totals({"mt": ["a b", "c"], "refs": ["a b", "d"], "k": [1, 2]}, BLEU(), **TEXTS, by="k")
    totals._groups.cells["bleu_sys_len"][:] = 2**62
    with pytest.raises(InputError, match=f"the total of 'bleu_sys_len' is {2**63}, more than an int64 holds"):
        Totals.sum([totals, totals])
    assert [2**63] == totals.whole()._groups.cells["bleu_sys_len"].tolist()
    with pytest.raises(InputError, match="more than an int64 holds"):
        totals.whole().to_arrow()
    with pytest.raises(InputError, match="more than an int64 holds"):
        totals.whole() + totals.whole()
    with pytest.raises(InputError, match="above 2\\^53 a score is not exact"):
        totals.scores()


def test_columns_of_totals_with_the_same_name_are_refused() -> None:
    class Odd(WordOverlap):
        columns = ("refs_min", "ngrams")

    table = {"mt": ["a b", "c"], "refs": ["a b", "d"]}
    with pytest.raises(OptionError, match="two columns of totals would be called 'odd_refs_min'; give the metrics"):
        columns.totals(table, {"odd": Odd()}, **TEXTS)
    assert 1 == len(columns.totals(table, {"even": WordOverlap()}, **TEXTS))


@pytest.mark.guard
def test_a_key_takes_few_bytes() -> None:
    code = """if True:
        import pyarrow as pa
        from truebleu import BLEU, columns
        keys = 1_000_000
        table = pa.table({"mt": pa.array(["a b c d"] * keys), "refs": pa.array(["a b c d"] * keys),
                          "k": pa.array([f"doc-{at}" for at in range(keys)])})
        def used():
            return int(open("/proc/self/statm").read().split()[1]) * 4096
        columns.totals(table.slice(0, 1000), BLEU(), hypothesis="mt", references="refs", by="k")
        before = used()
        found = columns.totals(table, BLEU(), hypothesis="mt", references="refs", by="k", threads=1)
        print((used() - before) / keys)
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert float(done.stdout) < 300
