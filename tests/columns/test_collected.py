"""Rows that were counted earlier make the Stats that texts make now."""

from pathlib import Path

import numpy as np
import pytest

pa = pytest.importorskip("pyarrow")
import pyarrow.parquet as pq  # noqa: E402

from engines.cases import LINES, METRICS, TABLE, WHICH  # noqa: E402
from truebleu import BLEU, columns  # noqa: E402
from truebleu.errors import EmptyCorpus, InputError, StatsMismatch, UnknownField  # noqa: E402

ROWS = columns.rows(TABLE, METRICS, **LINES, keep=["system", "lang", "seg"])
SHUFFLED = ROWS.take(np.random.default_rng(7).permutation(len(ROWS)))


@pytest.mark.parametrize("name", METRICS)
def test_rows_on_disk_in_any_order_give_the_stats_of_the_texts(name: str, tmp_path: Path) -> None:
    pq.write_table(SHUFFLED, tmp_path / "rows.parquet")
    metric = {name: METRICS[name]}
    found = columns.stats_of_rows(tmp_path / "rows.parquet", metric, by=["system", "lang"], order="seg")
    expected = columns.stats(TABLE, METRICS[name], **WHICH)
    assert expected.keys() == found.keys()
    for key, stats in expected.items():
        assert stats.rows.tolist() == found[key].rows.tolist()
        assert (stats.references, stats.fingerprint) == (found[key].references, found[key].fingerprint)


def test_without_keys_there_is_one_stats() -> None:
    found = columns.stats_of_rows(SHUFFLED, BLEU(), order=["system", "lang", "seg"])
    assert len(ROWS) == len(found)


def test_rows_that_were_skipped_are_left_out() -> None:
    table = pa.table({"mt": ["a b", None], "ref": ["a b", "c"], "seg": [1, 0]})
    rows = columns.rows(table, BLEU(), hypothesis="mt", references="ref", keep="seg", nulls="skip")
    assert 1 == len(columns.stats_of_rows(rows, BLEU(), order="seg"))


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(InputError, match=r"two rows have the same place in by and order, system='\w+', seg=0"):
        columns.stats_of_rows(ROWS, BLEU(), by="system", order="seg")
    with pytest.raises(StatsMismatch, match="differ in lowercase: False and True"):
        columns.stats_of_rows(ROWS, BLEU(lowercase=True), order=["system", "lang", "seg"])
    with pytest.raises(UnknownField, match=r"no column 'systems'.*did you mean 'system'"):
        columns.stats_of_rows(ROWS, BLEU(), by="systems")
    with pytest.raises(EmptyCorpus):
        columns.stats_of_rows(ROWS.slice(0, 0), BLEU())
