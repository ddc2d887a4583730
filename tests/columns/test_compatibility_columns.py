"""The entries of COMPATIBILITY.md about columns, from both sides."""

import itertools
import subprocess
import sys
from pathlib import Path

import pytest
import sacrebleu.metrics

from truebleu import BLEU, TER, columns
from truebleu.cli.main import main

LENGTHS = [(1, 2, 2), (6, 3, 5), (5, 4, 1)]


def test_93_ter_of_three_references_does_not_depend_on_the_order() -> None:
    hypotheses = ["a b c"] * len(LENGTHS)
    references = [["a " * length for length in lengths] for lengths in LENGTHS]
    there, here = set(), set()
    for order in itertools.permutations(range(len(LENGTHS))):
        texts, segments = [hypotheses[at] for at in order], [references[at] for at in order]
        streams = [list(stream) for stream in zip(*segments, strict=True)]
        there.add(sacrebleu.metrics.TER().corpus_score(texts, streams).score)
        assert sacrebleu.metrics.TER().corpus_score(texts, streams).score == TER().corpus_score(texts, streams).score
        data = {"mt": texts, "refs": segments}
        here.add(columns.totals(data, TER(), hypothesis="mt", references="refs").score()["ter"].score)
    assert len(there) == 2
    assert len(here) == 1 and here < there


def test_270_a_folder_stands_for_the_files_of_columns_in_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("pyarrow")
    import pyarrow.parquet

    pyarrow.parquet.write_table(pyarrow.table({"mt": ["a b c d"], "ref": ["a b c d"]}), tmp_path / "a.parquet")
    theirs = subprocess.run([sys.executable, "-m", "sacrebleu", str(tmp_path)], input=b"a", capture_output=True)
    assert theirs.returncode and b"IsADirectoryError" in theirs.stderr
    assert 0 == main([str(tmp_path), "--hyp-field", "mt", "--ref-field", "ref", "-b"])
    assert "100.0" == capsys.readouterr().out.strip()


def test_271_a_small_share_of_tokenized_text_is_no_reason_for_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("WARNING", "sacrebleu")
    texts = ["a b c ."] * 110 + ["a b c."] * 10_900
    theirs, ours = sacrebleu.metrics.BLEU().corpus_score(texts, [texts]), BLEU().corpus_score(texts, [texts])
    assert theirs.score == ours.score
    logged = {record.name: record.getMessage() for record in caplog.records if "tokenized" in record.getMessage()}
    assert ["sacrebleu"] == list(logged)
