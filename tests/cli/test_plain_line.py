"""A plain line is read without argparse: as argparse reads it, or not at all."""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from truebleu.cli.flags import plain_args
from truebleu.cli.main import load
from truebleu.cli.parsing import Parser

NAMES = st.sampled_from(
    ["ref", "sys", "a b", "-", "--", "-i", "--input", "-m", "bleu", "", "-5", "@x", "--inp", "ü", "-x"]
)
FILES = st.lists(st.sampled_from(["ref", "sys.txt", "a b", "i", "ü", "@file", "a=b", "5", ".", "/x"]), max_size=3)
LINES = st.builds(lambda refs, flag, systems: [*refs, flag, *systems], FILES, st.sampled_from(["-i", "--input"]), FILES)


@cache
def parser() -> Parser:
    """The parser of all flags."""
    return load("").parser()


@given(words=LINES | st.lists(NAMES, max_size=6))
def test_a_plain_line_is_read_as_argparse_reads_it(words: list[str]) -> None:
    found = plain_args(words)
    if found is not None:
        read = vars(parser().parse_args(words))
        ours = vars(found)
        assert ours == {name: read[name] for name in ours}
        assert all(value in (None, False) for name, value in read.items() if name not in ours)


def test_a_plain_line_is_read_by_hand_and_any_other_is_not() -> None:
    assert plain_args(["ref", "-i", "sys"]) is not None
    assert plain_args(["a", "b", "--input", "c", "d"]) is not None
    others = [
        "ref -i",
        "-i sys",
        "ref",
        "ref -i sys -m bleu",
        "ref -i sys -i other",
        "ref -i -",
        "- -i sys",
        "r --inp s",
    ]
    assert [None] * len(others) == [plain_args(line.split()) for line in others]


def test_a_plain_score_loads_neither_argparse_nor_other_metrics(tmp_path: Path) -> None:
    (tmp_path / "ref").write_text("a b c d\n")
    code = (
        "import sys; from truebleu.cli.main import main; main(['ref', '-i', 'ref']); "
        "print(*sorted(set(sys.modules) & {'argparse', 'gettext', 'truebleu.cli.parsing', 'truebleu.metrics.rouge', "
        "'truebleu.metrics.wer', 'truebleu.metrics.chrf', 'truebleu.metrics.published', 'numpy', 'json'}))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "" == done.stdout.splitlines()[1]
