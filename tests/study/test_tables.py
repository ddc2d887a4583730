"""Tables on a terminal, which is as wide as it is; and tables alone."""

import re

import pytest

from truebleu._text.style import Style
from truebleu.cli.main import main
from truebleu.study.formats.tables import drawn

PLAIN = Style()
NAMES = ["wmt24.en-de.a_very_long_name_of_a_system.v3.txt", "b.txt", "日本語システムの出力結果その一.txt", "x" * 60]
HEADERS = ["System", "BLEU (μ ± 95% CI)", "chrF2++ (μ ± 95% CI)", "TER (μ ± 95% CI)"]
ROWS = [[name, *(f"4{at}.1 (4{at}.2 ± 1.{at})\n(p = 0.0{at})*" for at in range(3))] for name in NAMES]


def width(line: str) -> int:
    wcwidth = pytest.importorskip("wcwidth")
    found: int = wcwidth.wcswidth(re.sub("\033\\[\\d+m", "", line))
    return found


@pytest.mark.parametrize("columns", [50, 60, 80, 100, 120])
@pytest.mark.parametrize("color", [True, False])
def test_a_table_is_no_wider_than_the_terminal_and_loses_nothing(columns: int, color: bool) -> None:
    style = PLAIN._replace(columns=columns, color=color)
    lines = drawn(ROWS, HEADERS, ["right"], style, has_baseline=True)
    assert max(map(width, lines)) <= columns
    tables = [sum(1 for line in lines if line.startswith("╒")), sum(1 for line in lines if line.startswith("╘"))]
    assert tables[0] == tables[1] == (1 if columns >= 80 else 2)
    for part in ("BLEU", "chrF2++", "TER", *(f"(4{at}.2 ± 1.{at})" for at in range(3)), "(p = 0.02)*", "b.txt"):
        assert any(part in line for line in lines)
    assert 60 <= sum(line.count("x") for line in lines)
    # No colour goes over the end of a line, where it would paint the borders too.
    assert not color or all(line.count("\033[3") == line.count("\033[0m") for line in lines)


def test_names_are_broken_at_signs() -> None:
    style = PLAIN._replace(columns=60)
    lines = drawn([["Baseline: first_run.txt", *["1.0 (1.0 ± 1.0)"] * 3]], HEADERS, ["right"], style)
    assert ["System", "", "Baseline:", "first_run.", "txt"] == [
        cells[1].strip() for line in lines if len(cells := line.split("│")) > 1
    ][:5]


def test_a_table_that_fits_and_a_table_for_a_file_are_as_ever() -> None:
    plain = drawn(ROWS, HEADERS, ["right"], PLAIN)
    assert plain == drawn(ROWS, HEADERS, ["right"], PLAIN._replace(columns=len(plain[0])))


def test_prose_is_broken_between_words() -> None:
    lines = [" - one two three", "   four five", "", "   six"]
    assert lines == list(PLAIN.wrapped(lines))
    assert [" - one two", "   three four", "   five", "", "   six"] == list(PLAIN._replace(columns=13).wrapped(lines))


@pytest.mark.parametrize("format", ["text", "markdown", "latex", "rst"])
@pytest.mark.parametrize(
    "mode", ["--paired ar -parn 20", "--paired bs2 --paired-n 20", "--paired-all -parn 20", "--breakdown domain"]
)
def test_score_only_is_the_table_alone(format: str, mode: str, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["-t", "demo", "-l", "en-de", "-i", "atlas", "birch", "-q", *mode.split(), "-f", format]
    assert 0 == main(command)
    whole = capsys.readouterr().out
    assert 0 == main([*command, "-b"])
    alone = capsys.readouterr().out
    # A paired test of ours has the table alone in LaTeX anyway.
    is_bare = format == "latex" and mode.startswith(("--paired bs2", "--paired-all"))
    assert ("signatures" in whole) != is_bare
    assert "smooth:exp" not in alone and " - " not in alone and "p-values" not in alone
    assert set(alone.splitlines()) <= {*whole.splitlines(), ""}
