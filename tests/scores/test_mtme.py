"""The files of mt-metrics-eval."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from truebleu.errors import BadScore, EmptyCorpus, FileFormatError, InputError, LengthMismatch
from truebleu.scores import read
from truebleu.scores.mtme import read_documents
from truebleu.scores.opened import ScoreFile

NAN = float("nan")


def file(folder: Path, text: str, name: str = "COMET-refA.seg.score") -> Path:
    path = folder / name
    path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    return path


@pytest.mark.parametrize("text", ["a\t0.5\na\tNone\nb\t0.25\nb\t-0.0\n", "a 0.5\nb  0.25\na None\nb\t-0.0\r\n\n"])
@pytest.mark.parametrize("name", ["COMET-refA.seg.score", "COMET-refA.seg.score.gz"])
def test_the_nth_line_of_a_system_is_its_nth_segment(tmp_path: Path, text: str, name: str) -> None:
    table = read(file(tmp_path, text, name))
    assert (("a", "b"), ("1", "2"), ("COMET-refA",)) == (table.systems, table.items, table.metrics)
    np.testing.assert_array_equal([[0.5, NAN], [0.25, 0.0]], table.matrix("COMET-refA"))
    assert ("segment", "metric") == (table.level, table.columns["COMET-refA"].kind)


def test_files_of_people_name_the_pair_of_languages(tmp_path: Path) -> None:
    table = read(file(tmp_path, "a -1\na 0\nb -2\nb 0\n", "he-en.mqm.seg.score"))
    assert (("MQM",), "human") == (table.metrics, table.columns["MQM"].kind)


def test_scores_of_systems_and_domains_have_levels_of_their_own(tmp_path: Path) -> None:
    assert "system" == read(file(tmp_path, "a 0.5\nb 0.25\n", "COMET-refA.sys.score")).level
    table = read(file(tmp_path, "news a 0.5\nchat a 0.25\nnews b 1\nchat b 2\n", "COMET-refA.domain.score"))
    assert ("domain", ("news", "chat")) == (table.level, table.items)
    np.testing.assert_array_equal([[0.5, 0.25], [1, 2]], table.matrix("COMET-refA"))


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("a 1\na 2\nb 1\n", LengthMismatch, "the system 'b' has 1 line, 'a' has 2; expected equally many"),
        ("a 1\nmy system 2\n", FileFormatError, "line 2: found 3 words, expected a system and a score, without white"),
        ("a 1\n\nb 2\n", FileFormatError, "line 2: found 0 words, expected a system and a score"),
        ("a 1\nb inf\n", BadScore, "line 2: the score is 'inf', expected a number such as 0.5 or -12"),
        ("a 1\nb 1e999\n", BadScore, "line 2: the score is '1e999'"),
        ("a 1\nb 1,5\n", BadScore, "line 2: the score is '1,5'"),
        ("a 1\nb 0x1p3\n", BadScore, "line 2: the score is '0x1p3'"),
        ("a 1\nb １２\n", BadScore, "line 2: the score is '１２'"),
        ("a 1\nb 1_000\n", BadScore, "line 2: the score is '1_000'"),
        ("a 1\nb -nan\n", BadScore, "line 2: the score is '-nan'"),
        ("a 1\nNone 2\n", InputError, "a system is called 'None', expected a name that can be shown"),
    ],
)
def test_bad_lines_are_refused(tmp_path: Path, text: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        read(file(tmp_path, text), "mtme")


def test_a_file_without_scores_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EmptyCorpus, match="is empty, expected scores"):
        read(file(tmp_path, "\n"))
    with pytest.raises(FileFormatError, match="this is no file of scores that is known"):
        read(file(tmp_path, "Dear Sir or Madam,\nhow are you?\n"))


def test_a_document_is_the_pair_of_domain_and_name(tmp_path: Path) -> None:
    docs = ScoreFile(str(file(tmp_path, "news\td1\nnews\td1\nchat\td1\n", "he-en.docs")))
    assert (["news/d1", "news/d1", "chat/d1"], ["news", "news", "chat"]) == read_documents(docs)


def test_a_large_file_is_read_in_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("truebleu._textio._BLOCK", 64)
    text = "".join(f"system{at % 3} {at / 8}\n" for at in range(300))
    table = read(file(tmp_path, text))
    np.testing.assert_array_equal(np.arange(300).reshape(100, 3).T / 8, table.matrix("COMET-refA"))
    with pytest.raises(BadScore, match="line 299: the score is 'x'"):
        read(file(tmp_path, text.replace(f" {298 / 8}\n", " x\n")))
