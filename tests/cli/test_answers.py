"""Paired tables answer in words: the difference, its interval, and what explains it."""

import json
import re
from pathlib import Path

import pytest

from cli.conftest import SYSTEMS, Files

A, B, C = (f"{name}.de" for name in SYSTEMS)
ALL = ("ref1.de", "-i", A, B, C)
BETTER = f"{A} is better than {C} by "


def answers(text: str) -> list[str]:
    return [line for line in text.splitlines() if " is better than " in line or "No difference shown" in line]


@pytest.fixture
def quoted(files: Files) -> tuple[str, ...]:
    """A system and its copy with other quotation marks in half of the lines, as references have them."""
    lines = (files.folder / A).read_text("utf-8").splitlines()
    files.write("curly", "".join(f"„{line}“\n" if at % 2 else f"{line}\n" for at, line in enumerate(lines)))
    files.write("straight", "".join(f'"{line}"\n' if at % 2 else f"{line}\n" for at, line in enumerate(lines)))
    references = (files.folder / "ref1.de").read_text("utf-8").splitlines()
    files.write("quoted", "".join(f"„{line}“\n" if at % 2 else f"{line}\n" for at, line in enumerate(references)))
    return "quoted", "-i", "straight", "curly"


@pytest.mark.parametrize("test", ["bs", "ar"])
def test_171_sacrebleu_s_table_is_answered_on_standard_error(files: Files, test: str) -> None:
    words = (*ALL, "--paired", test, "-m", "bleu", "ter")
    run, quiet, told = files.ours(*words), files.ours(*words, "-q"), files.ours(*words, "-f", "json")
    assert [] == answers(run.out) and 4 == len(answers(run.err)) and BETTER in run.err and "lower is better" in run.err
    assert (run.out, []) == (quiet.out, answers(quiet.err))
    objects = [one for one in json.loads(told.out) if "sentence" in one]
    by_metric = sorted(objects, key=lambda one: one["name"])
    assert [f"truebleu: {one['sentence']}" for one in by_metric] == answers(run.err) and [] == answers(told.err)
    for one in objects:
        low, high = one["interval"]
        assert low < one["delta"] < high
    assert [] == answers(files.ours(*words, "-f", "sacrebleu-json").out)


@pytest.mark.parametrize("mode", ["--paired bs2", "--paired sign", "--paired ar --correction none", "--paired-all"])
@pytest.mark.parametrize("format", ["text", "markdown", "rst", "html"])
def test_tables_of_ours_have_the_answer(files: Files, mode: str, format: str) -> None:
    run = files.ours(*ALL, *mode.split(), "-f", format)
    assert [] == answers(run.err) and (3 if "all" in mode else 2) == len(answers(run.out))
    quiet = files.ours(*ALL, *mode.split(), "-f", format, "-q").out
    assert answers(run.out) == answers(quiet)
    assert "A star" in run.out and "A star" not in quiet and "signatures" in quiet


@pytest.mark.parametrize("mode", ["--paired bs2", "--paired-all", "--paired sign"])
def test_latex_of_ours_is_the_table_and_nothing_else(files: Files, mode: str) -> None:
    lines = files.ours(*ALL, *mode.split(), "-m", "bleu", "ter", "-f", "latex").out.splitlines()
    depth = 0
    for line in lines:
        depth += line.startswith(r"\begin{tabular}")
        assert depth or not line
        depth -= line.startswith(r"\end{tabular}")
    assert not depth and any("+" in line or "-" in line for line in lines)


def test_the_explanation_is_short_and_printed_once(files: Files) -> None:
    for mode in (["--paired", "bs2"], ["--paired", "ar"], ["--paired-all"]):
        out = files.ours(*ALL, *mode, "-m", "bleu", "chrf", "ter").out
        assert 1 == out.count("A star (*)")
        explained = re.sub(r" - With \d+ segments.*?seen (?:is|are) [^.]*\.\d+\.\n", "", out, flags=re.S)
        explained = explained.partition("Metric signatures")[0]
        assert len([line for line in explained.splitlines() if re.match(r"  ?[- ] [A-Z]|   [a-z]", line)]) <= 10


@pytest.mark.parametrize("mode", ["--paired ar", "--paired bs", "--paired bs2", "--paired-all"])
def test_quotation_marks_explain_a_difference(files: Files, quoted: tuple[str, ...], mode: str) -> None:
    run = files.ours(*quoted, *mode.split())
    place = run.err if mode in ("--paired ar", "--paired bs") else run.out
    assert "curly is better than straight by" in place and "Quotation marks explain" in place
    assert "Quotation marks" not in (run.out if place is run.err else run.err)
    unchecked = files.ours(*quoted, *mode.split(), "--no-checks")
    assert "Quotation marks" not in unchecked.out + unchecked.err and len(answers(place)) == len(
        answers(unchecked.out + unchecked.err)
    )
    told = json.loads(files.ours(*quoted, *mode.split(), "-f", "json").out)
    pair = told["metrics"][0]["pairs"][0] if mode == "--paired-all" else told[1]
    assert ["quotes"] == pair["explained"]["folded"] and "Quotation marks explain" in pair["sentence"]
    assert pair["delta"] - pair["explained"]["delta"] == pair["explained"]["part"]


def test_the_headline_of_a_report_says_it(files: Files, quoted: tuple[str, ...], tmp_path: Path) -> None:
    assert 0 == files.ours("report", *quoted, "-o", str(tmp_path / "page.html"), "--json", str(tmp_path / "n")).code
    page = (tmp_path / "page.html").read_text("utf-8")
    (headline,) = re.findall('<p class="verdict">(.*?)</p>', page)
    assert headline.startswith("curly is better than straight by ") and "Quotation marks explain" in headline
    numbers = json.loads((tmp_path / "n").read_text("utf-8"))
    assert "Quotation marks explain" in numbers["comparison"]["metrics"][0]["pairs"][0]["sentence"]
    assert 0 == files.ours("report", *quoted, "-o", str(tmp_path / "page.html"), "--no-checks").code
    assert "Quotation marks explain" not in (tmp_path / "page.html").read_text("utf-8")


def test_the_smallest_p_value_is_below_something_and_not_nothing(files: Files, tmp_path: Path) -> None:
    words = ("ref1.de", "-i", A, C, "--paired-all")
    assert "<0.0001*" in files.ours(*words).out and "p < 0.0001" in files.ours(*words).out
    assert "0.0000" not in files.ours(*words).out
    assert "&lt;0.0001" in files.ours(*words, "-f", "report").out
    assert "(p = 0.0000)*" in files.ours("ref1.de", "-i", A, C, "--paired", "ar", "-parn", "20000").out  # sacreBLEU's
