"""Conditions choose the rows that a slow loop chooses, and what cannot fit is not read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from truebleu import BLEU, TER, columns
from truebleu.errors import EmptyCorpus, InputTypeError, OptionError, StatsMismatch, UnknownField

pa = pytest.importorskip("pyarrow")
import pyarrow.parquet as pq  # noqa: E402

from columns.made_up import table  # noqa: E402
from truebleu.cli.main import main  # noqa: E402
from truebleu.columns import parquet  # noqa: E402
from truebleu.columns.where import Where  # noqa: E402

TEXTS: dict[str, Any] = {"hypothesis": "mt", "references": "ref", "by": "system"}
METRICS = [BLEU(), TER()]
Slow = Callable[[dict[str, Any]], bool | None]  # what a condition says of a row; None where it says nothing

COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "==": lambda one, other: one == other,
    "!=": lambda one, other: one != other,
    "<": lambda one, other: one < other,
    ">=": lambda one, other: one >= other,
    "in": lambda one, other: one in other,
    "not in": lambda one, other: one not in other,
}
VALUES: dict[str, Any] = {"lang": st.sampled_from(["de", "fr", "x'y"]), "seg": st.integers(-1, 60)}


@st.composite
def comparison(draw: st.DrawFn) -> tuple[str, Slow]:
    name, sign = draw(st.sampled_from(sorted(VALUES))), draw(st.sampled_from([*COMPARISONS, "is", "is not"]))
    if sign.startswith("is"):
        return f"{name} {sign} None", lambda row: (row[name] is None) is (sign == "is")
    value = draw(st.lists(VALUES[name], max_size=3) if sign.endswith("in") else VALUES[name])

    def slow(row: dict[str, Any]) -> bool | None:
        if row[name] is None:
            return sign == "not in" if value == [] else None
        return COMPARISONS[sign](row[name], value)

    return f"{name} {sign} {value!r}", slow


def joined(inner: Any) -> Any:
    def both(pair: tuple[tuple[str, Slow], tuple[str, Slow]]) -> tuple[str, Slow]:
        (one, slow), (other, slower) = pair

        def of(row: dict[str, Any]) -> bool | None:
            found = {slow(row), slower(row)}
            return False if False in found else None if None in found else True

        return f"({one}) and ({other})", of

    def none(part: tuple[str, Slow]) -> tuple[str, Slow]:
        return f"not ({part[0]})", lambda row: None if (found := part[1](row)) is None else not found

    def either(pair: tuple[tuple[str, Slow], tuple[str, Slow]]) -> tuple[str, Slow]:
        _, slow = none(both((none(pair[0]), none(pair[1]))))
        return f"({pair[0][0]}) or ({pair[1][0]})", slow

    pairs = st.tuples(inner, inner)
    return pairs.map(both) | pairs.map(either) | inner.map(none)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any]:
    """Two files under folders of partitions, one of another format, and the same rows as one table."""
    root, parts = tmp_path_factory.mktemp("where"), []
    for name in ("a", "b"):
        part = table(60, seed=ord(name))
        (root / f"n={name}").mkdir()
        pq.write_table(part, root / f"n={name}" / "x.parquet", row_group_size=7)
        parts.append(part.append_column("n", pa.array([name] * 60)))
    with pa.ipc.new_file(root / "n=b" / "y.arrow", part.schema) as file:
        file.write_table(part)
    return root, pa.concat_tables([*parts, parts[1]])


@settings(max_examples=60, deadline=None)
@given(condition=st.recursive(comparison(), joined, max_leaves=5))
def test_a_condition_chooses_the_rows_of_a_loop(tree: Any, condition: tuple[str, Slow]) -> None:
    root, whole = tree
    text, slow = condition
    rows = [at for at, row in enumerate(whole.select(["lang", "seg"]).to_pylist()) if slow(row)]
    if not rows:
        with pytest.raises(EmptyCorpus, match="no row of 3 files fits where"):
            columns.score_files(root, METRICS, **TEXTS, where=text)
        return
    expected = columns.score_table(whole.take(rows), METRICS, **TEXTS)
    assert expected == columns.score_files(root, METRICS, **TEXTS, where=text)


def test_row_groups_and_files_that_cannot_fit_are_not_read(tree: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    root, whole = tree
    read: list[int] = []
    real = parquet._Parquet.batches

    def counted(self: Any, names: Any, groups: Any = None) -> Any:
        for batch in real(self, names, groups):
            read.append(batch.num_rows)
            yield batch

    monkeypatch.setattr(parquet._Parquet, "batches", counted)
    expected = columns.score_table(whole.slice(0, 60).filter(pa.compute.field("seg") >= 50), METRICS, **TEXTS)
    assert expected == columns.score_files(root, METRICS, **TEXTS, where="seg >= 50 and n == 'a'")
    assert [7, 4] == read  # rows 49 to 59 of the first file, in groups of seven


@pytest.mark.parametrize(
    "text",
    ["", "lang", "lang = 'de'", "'de' == lang", "lang == other", "f(lang) == 1", "1 < seg < 3", "seg in 5", "(" * 500,
     "lang.x == 1", "lang == ['de']", "lang is 'de'", "lang == None", "not lang", "__import__('os')", "seg == \0"],
)  # fmt: skip
def test_what_is_no_condition_is_refused(text: str) -> None:
    with pytest.raises(OptionError, match=r"columns: where is .*, expected comparisons of a column"):
        Where(text)


def test_errors_name_the_condition_the_file_and_the_row(tree: Any, tmp_path: Path) -> None:
    root, _ = tree
    with pytest.raises(InputTypeError, match="where is 5, expected a text"):
        columns.score_files(root, BLEU(), **TEXTS, where=5)  # type: ignore[arg-type]
    with pytest.raises(UnknownField, match=r"x\.parquet: there is no column 'land'; .* did you mean 'lang'"):
        columns.score_files(root, BLEU(), **TEXTS, where="land == 'de'")
    with pytest.raises(OptionError, match=r"x\.parquet: where is 'lang == 5', and cannot be asked"):
        columns.score_files(root, BLEU(), **TEXTS, where="lang == 5")
    bad = table(40).set_column(3, "mt", pa.array(["a"] * 33 + [None] + ["a"] * 6))
    pq.write_table(bad, tmp_path / "bad.parquet")
    place = r"bad\.parquet, of the rows where seg > 30: 'mt' is null in row 2 \(system="
    with pytest.raises(InputTypeError, match=place):
        columns.score_files(tmp_path / "bad.parquet", BLEU(), **TEXTS, where="seg > 30")
    assert 1 == len(columns.score_files(tmp_path / "bad.parquet", BLEU(), **TEXTS, where="seg == 32"))


def test_totals_know_their_condition(tree: Any, tmp_path: Path) -> None:
    root, _ = tree
    kept = tmp_path / "t.parquet"
    found = columns.score_files(root / "n=a", METRICS, **TEXTS, where="seg > 5", resume=kept)
    assert found == columns.score_files(root / "n=a", METRICS, **TEXTS, where="seg > 5", resume=kept)
    with pytest.raises(StatsMismatch, match="was counted with another where: 'seg > 5', expected None"):
        columns.score_files(root, METRICS, **TEXTS, resume=kept)


def test_the_command_counts_and_writes_the_rows_that_fit(
    tree: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root, whole = tree
    chosen = whole.filter((pa.compute.field("lang") == "de") & (pa.compute.field("n") == "a"))
    pq.write_table(chosen, tmp_path / "chosen.parquet")
    fields, where = ["--hyp-field", "mt", "--ref-field", "ref"], ["--where", "lang == 'de' and n == 'a'"]
    assert 0 == main([str(tmp_path / "chosen.parquet"), *fields, "-f", "json"])
    expected = capsys.readouterr().out
    assert 0 == main([str(root / "n=a"), *fields, *where, "-f", "json"])
    assert expected == capsys.readouterr().out
    assert 0 == main([str(root / "n=a"), *fields, *where, "--scores-out", str(tmp_path / "s.parquet")])
    assert chosen["seg"] == pq.read_table(tmp_path / "s.parquet")["seg"]
    assert 2 == main([str(root), *fields, "--where", "lang = 'de'"])
    assert "where is \"lang = 'de'\", expected comparisons" in capsys.readouterr().err
    (tmp_path / "ref").write_text("a\n")
    assert 2 == main([str(tmp_path / "ref"), "-i", str(tmp_path / "ref"), *where])
    assert "--where goes with files of columns" in capsys.readouterr().err
