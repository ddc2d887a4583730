"""Names from elsewhere in every format: they are shown, and they cannot act. What is asked for is done or refused."""

import csv
import io
import json
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from truebleu._text.style import Style
from truebleu.cli.main import main

LINES = [f"line {at} has some words , {at * 7 % 5} of them" for at in range(30)]
EVIL = {
    "terminal": "a\x1b]0;pwned\x07b",
    "line feed": "one\ntwo",
    "html": "<script>alert(1)<",
    "latex": "[a_b#$%&^{}~",
    "markdown": "x|y<z",
    "formula": "=1+1",
    "separators": 'a,"b\tc',
}
MODES = {
    "one system": [],
    "table": ["other"],
    "paired": ["other", "--paired", "ar", "-parn", "20"],
    "bootstrap": ["other", "--paired", "bs2", "--paired-n", "20"],
    "ranking": ["other", "--paired-all", "-parn", "20"],
    "groups": ["other", "--breakdown", "labels", "-ci", "-cin", "20"],
    "sentences": ["other", "-sl"],
    "intervals": ["-ci", "-cin", "20", "-sh"],
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write("ref", LINES)
    write("other", [line.replace("words", "w") for line in LINES])
    write("labels", [next(iter(EVIL.values())) if at % 2 else "<b>|_#" for at in range(len(LINES))])
    for name in EVIL.values():
        write(name, [line.replace("some", "many") for line in LINES])
    return tmp_path


def write(name: str, lines: list[str]) -> None:
    Path(name).write_text("".join(f"{line}\n" for line in lines), "utf-8")


def report(format: str, mode: str, name: str, capsys: pytest.CaptureFixture[str]) -> str:
    assert 0 == main(["ref", "-i", name, *MODES[mode], "-f", format, "-q"])
    return capsys.readouterr().out


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("format", ["text", "markdown", "latex", "rst", "html"])
def test_names_and_labels_cannot_act_on_a_terminal(format: str, mode: str, capsys: pytest.CaptureFixture[str]) -> None:
    out = report(format, mode, EVIL["terminal"], capsys)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f]", out)
    assert mode in ("one system", "intervals") or "x1b]0;pwned" in out
    out = report(format, mode, EVIL["line feed"], capsys)
    assert mode in ("one system", "intervals") or "\ntwo" not in out


def test_names_in_messages_cannot_act_on_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["nowhere\x1b[31m\nx"], ["ref", "-i", "nowhere\x1b[31m"], ["self-bleu", "nowhere\x1b[31m\nx"]):
        assert 1 == main(words)
        err = capsys.readouterr().err
        assert "nowhere\\x1b[31m" in err and "\x1b" not in err and 1 == err.count("\n")
    assert 0 == main(["sign-test", "-r", "ref", "-t", EVIL["terminal"], "-b", "other", "--no-files"])
    assert "\x1b" not in capsys.readouterr().out


@pytest.mark.parametrize("mode", MODES)
def test_html_is_one_well_formed_element(mode: str, capsys: pytest.CaptureFixture[str]) -> None:
    out = report("html", mode, EVIL["html"], capsys)
    root = ElementTree.fromstring(out)
    assert "div" == root.tag and "<script" not in out
    assert {"table", "pre"} >= {child.tag for child in root}
    assert mode in ("one system", "intervals") or EVIL["html"] in "".join(root.itertext())


def test_names_of_scores_from_elsewhere_are_escaped_too(capsys: pytest.CaptureFixture[str]) -> None:
    write("scores", ["0.5"] * len(LINES))
    words = [
        "ref",
        "-i",
        "ref",
        "other",
        "--paired",
        "ar",
        "-parn",
        "20",
        "--external",
        "<script>|_=scores,scores",
        "-q",
    ]
    assert 2 == main(words)  # a bar separates the fields of a signature
    words[words.index("--external") + 1] = "<script>_#[lower]=scores,scores"
    capsys.readouterr()
    for format, forbidden in (("html", "<script"), ("markdown", "<script"), ("latex", "[^\\\\]_")):
        assert 0 == main([*words, "-f", format])
        out = re.sub("`.*?`", "", capsys.readouterr().out)
        assert "script" in out and not re.search(forbidden, out)
    words[words.index("--external") + 1] = "\x1b[31m=scores,scores"
    assert 2 == main(words)
    assert "expected a name that can be shown" in capsys.readouterr().err


@pytest.mark.parametrize("mode", MODES)
def test_markdown_rows_have_as_many_cells_as_their_header(mode: str, capsys: pytest.CaptureFixture[str]) -> None:
    out = report("markdown", mode, EVIL["markdown"], capsys)
    for table in re.findall(r"(?:^\|.*\n)+", out, re.M):
        assert 1 == len({len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()})
    prose = re.sub("`[^`\n]*`", "", out)
    assert "<" not in prose


# LaTeX.

DOCUMENT = "\\documentclass{{article}}\n\\usepackage{{booktabs}}\n{}\\begin{{document}}\n{}\n\\end{{document}}\n"
SPECIAL = {
    "all of them": EVIL["latex"] + "\\\"'`|<>-*!?]@",
    "a star": "*x",
    "what looks like a command": "\\input{x}",
    "Latin letters": "Zürich-čeština-ñ-ß-Œ µ±",
}
# The line of one system is sacreBLEU's to the letter (tests/cli/test_parity.py), and no LaTeX.
TABLES = [mode for mode in MODES if mode not in ("one system", "intervals")]
LATEX_MODES = {
    **{mode: MODES[mode] for mode in TABLES},
    "short signatures": ["other", "-sh"],
    "three metrics": ["other", "-m", "bleu", "chrf", "ter", "-ci", "-cin", "20", "-sh"],
    "resampled": ["other", "--paired", "bs", "-pbsn", "20"],
    "shuffled with intervals": ["other", "--paired", "ar", "-parn", "20", "-pacin", "20"],
    "corrected": ["other", "--paired", "ar", "-parn", "20", "-pacin", "20", "--correction", "holm", "-sh"],
    "only scores": ["other", "-b"],
}
# Tables of sacreBLEU's own tests are the same to the letter, with a Greek letter that pdflatex does not know by itself.
GREEK = "\\DeclareUnicodeCharacter{03BC}{\\ensuremath{\\mu}}\n"
NEED_GREEK = ("resampled", "shuffled with intervals")


@pytest.mark.parametrize("mode", TABLES)
def test_latex_has_no_special_character_unescaped(mode: str, capsys: pytest.CaptureFixture[str]) -> None:
    out = report("latex", mode, EVIL["latex"], capsys)
    assert mode == "sentences" or not re.search(r"^\s*\[", out, re.M)
    outside = re.sub(r"(?s)\\begin\{tabular\}.*?\\end\{tabular\}", "", out)
    plain = re.sub(r"\\text\w+\{\}|\\[\^~]\{\}|\\[#$%&_{}]|\$\\mu\$", "", outside)
    assert not re.search(r"[#$%&_^~{}\\μ]", plain), plain
    assert "μ" not in out


def compile_latex(engine: str, text: str, folder: Path, preamble: str = "") -> None:
    program = shutil.which(engine)
    if program is None:
        pytest.skip(
            f"{engine} is not installed; on Debian, it comes with: "
            "apt-get install --no-install-recommends texlive-latex-base texlive-latex-recommended"
        )
    (folder / "x.tex").write_text(DOCUMENT.format(preamble, text), "utf-8")
    words = [program, "-halt-on-error", "-interaction=nonstopmode", "x.tex"]
    # Lua's engine keeps a list of fonts in the user's folder.
    done = subprocess.run(words, cwd=folder, capture_output=True, env=os.environ | {"TEXMFVAR": str(folder / "var")})
    assert 0 == done.returncode, done.stdout[-2000:]


@pytest.mark.parametrize("mode", LATEX_MODES)
def test_latex_compiles(
    mode: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(MODES, mode, LATEX_MODES[mode])
    write("labels", [list(SPECIAL.values())[at % 4] for at in range(len(LINES))])
    found = []
    for name in SPECIAL.values():
        Path(name).write_text(Path("other").read_text("utf-8"), "utf-8")
        found.append(report("latex", mode, name, capsys))
    compile_latex("pdflatex", "\n\n".join(found), tmp_path, GREEK if mode in NEED_GREEK else "")


def test_latex_compiles_with_any_script_where_the_engine_knows_unicode(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write("日本語_Ελληνικά-Кириллица", LINES)
    found = [report("latex", mode, "日本語_Ελληνικά-Кириллица", capsys) for mode in TABLES]
    assert "日本語" in found[0]
    compile_latex("lualatex", "\n\n".join(found), tmp_path)


# Formats for programs.


@pytest.mark.parametrize("mode", ["table", "paired", "ranking", "groups"])
@pytest.mark.parametrize("name", EVIL.values())
def test_csv_and_tsv_keep_rows_whole(mode: str, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    for format, delimiter in (("csv", ","), ("tsv", "\t")):
        rows = list(csv.reader(io.StringIO(report(format, mode, name, capsys), newline=""), delimiter=delimiter))
        assert 1 == len({len(row) for row in rows})
        assert any((f"'{name}" if name.startswith("=") else name) in row for row in rows)


def test_numbers_in_csv_keep_their_minus(capsys: pytest.CaptureFixture[str]) -> None:
    rows = list(csv.DictReader(io.StringIO(report("csv", "ranking", "ref", capsys))))
    assert float(rows[0]["delta"]) < 0


@pytest.mark.skipif(sys.platform != "linux", reason="file names here are always text")
@pytest.mark.parametrize("format", ["json", "jsonl", "sacrebleu-json"])
def test_json_is_valid_utf_8_whatever_a_file_is_called(format: str, folder: Path) -> None:
    name = b"b\xff\xc3\xa4d"
    (folder / os.fsdecode(name)).write_bytes((folder / "other").read_bytes())
    words = [sys.executable, "-m", "truebleu", "ref", "-i", os.fsdecode(name), "other", "-f", format]
    out = subprocess.run(words, capture_output=True, check=True).stdout
    first = json.loads(out.splitlines()[0] if format == "jsonl" else out)
    assert name == os.fsencode((first if format == "jsonl" else first[0])["system"])


# Scores that do not go from 0 to 100.


@pytest.mark.parametrize(
    ("first", "second", "shown"),
    [(0.6, 0.62, ("0.600", "0.620")), (0.8312, 0.8313, ("0.83120", "0.83130")), (10.0, 80.0, ("10.0", "80.0"))],
)
def test_scores_from_elsewhere_show_enough_digits(
    first: float, second: float, shown: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    for name, score in (("x", first), ("y", second)):
        write(name, [str(score)] * len(LINES))
    words = ["ref", "-i", "ref", "other", "--external", "COMET=x,y", "-q"]
    for mode in (["--paired", "ar", "-parn", "20"], ["--paired-all", "-parn", "20"], ["--breakdown", "labels"]):
        assert 0 == main([*words, *mode])
        out = capsys.readouterr().out
        assert all(f" {number} " in out for number in shown) and "100.0" in out
        assert 0 == main([*words, *mode, "-w", "2"])
        assert f" {first:.2f} " in capsys.readouterr().out


def test_a_style_without_scores_from_elsewhere_has_one_width() -> None:
    assert "1.0" == Style().of("BLEU").number(1)


# What is asked for and cannot be done.


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("ref -i other --report -f json", "--report is written as text or markdown, not as json"),
        ("ref -i other --report -sl", "--report states the score of each system; leave out --sentence-level"),
        ("ref -i other ref --report --paired-all", "--report states the score of each system"),
        ("ref -i other -ci -cin 0", "--confidence-n is 0, expected a number from 1"),
        ("ref -i other ref --paired ar --paired-n -5", "--paired-n is -5, expected a number from 0"),
        ("ref -i other ref --paired ar -parn -5", "--paired-ar-n is -5, expected a number from 0"),
        ("ref -i other ref --paired bs -pbsn -5", "--paired-bs-n is -5, expected a number from 0"),
        ("-t demo,demo -l en-de -i atlas", "--test-set names demo twice; its segments would count twice"),
        ("ref -i other ref --paired ar -ci", "--paired ar shows them with --paired-ar-confidence-n 0"),
        ("ref -i other ref --paired bs -ci", "--paired bs has its own"),
    ],
)
def test_what_cannot_be_done_is_refused(words: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert 2 == main(words.split())
    out, err = capsys.readouterr()
    assert "" == out and message in err


def test_an_unknown_format_in_sacrebleu_s_variable_is_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SACREBLEU_FORMAT", "yaml")
    assert 2 == main(["ref", "-i", "other"])
    assert "the variable SACREBLEU_FORMAT is 'yaml', expected one of text, latex, json" in capsys.readouterr().err


def test_one_resample_makes_no_interval_and_a_warning_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert 0 == main(["ref", "-i", "other", "-ci", "-cin", "1", "-q"])
    assert "one resample gives no interval" in capsys.readouterr().err


def test_one_file_given_twice_to_a_paired_test_is_called_that(capsys: pytest.CaptureFixture[str]) -> None:
    assert 1 == main(["ref", "-i", "other", "other", "--paired", "ar", "-q"])
    assert "truebleu: other is given twice, and no other system" in capsys.readouterr().err


def test_the_report_of_a_paired_test_has_p_values_and_plain_names(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["ref", "-i", "other", "ref", "--paired", "ar", "-parn", "100", "-q"]
    assert 0 == main([*words, "-f", "json"])
    p_value = json.loads(capsys.readouterr().out)[1]["p_value"]
    assert 0 == main([*words, "--report"])
    out = capsys.readouterr().out
    assert "\nSystem: other\n" in out and "\nSystem: ref\n" in out and "Baseline:" not in out
    assert "P-value: none: it is the baseline\n" in out and f"P-value: {p_value:.4f} (against other)\n" in out
    write("scores", ["0.5"] * len(LINES))
    assert 0 == main([*words, "--report", "-f", "markdown", "--external", "COMET=scores,scores"])
    out = capsys.readouterr().out
    assert "- **Metric:** COMET (corpus-level)\n" in out and "- **Score:** 100.00 (μ" in out
    assert 0 == main([*words, "--report", "-w", "4"])
    assert "Score: 100.0000\n" in capsys.readouterr().out


# Commands, with hostile names and hostile texts, and the files they write. What `resegment` writes is a text itself.
COMMANDS = {
    "doctor": ("doctor", "ref", "-i", "{name}", "other", "-m", "chrf"),
    "doctor, Markdown": ("doctor", "ref", "-i", "{name}", "-f", "markdown", "-m", "chrf"),
    "reconcile": ("reconcile", "ref", "-i", "{name}", "--target", "12.34", "--max-changes", "1"),
    "reconcile, Markdown": (
        "reconcile",
        "ref",
        "-i",
        "{name}",
        "--target",
        "1.2",
        "--max-changes",
        "1",
        "-f",
        "markdown",
    ),
    "attribution": ("reconcile", "ref", "-i", "{name}", "--from", "sacrebleu", "--to", "multi-bleu"),
    "align": ("align", "ref", "-i", "{name}", "--all"),
    "errors": ("align", "ref", "-i", "{name}", "--error-counts"),
    "receipt": ("receipt", "show", "x.receipt.json"),
    "receipt, Markdown": ("receipt", "show", "x.receipt.json", "-f", "markdown"),
    "verification": ("receipt", "verify", "x.receipt.json", "ref", "-i", "{name}"),
    "card": ("receipt", "export", "x.receipt.json", "--to", "model-index"),
    "JSON": ("ref", "-i", "{name}", "-f", "json"),
    "JSON lines": ("ref", "-i", "{name}", "other", "-f", "jsonl"),
    "receipt, JSON": ("receipt", "show", "x.receipt.json", "-f", "json"),
    "results": ("receipt", "export", "x.receipt.json", "--to", "mlflow"),
    "doctor, JSON": ("doctor", "ref", "-i", "{name}", "--json"),
    "self-bleu, JSON": ("self-bleu", "{name}", "--json"),
    "resegment, JSON": ("resegment", "ref", "-i", "{name}", "-f", "jsonl"),
    "unknown words": ("ref", "-i", "{name}", "--\x1b]0;gone\x07\u202e", "\x9b31m"),
    "report": ("report", "ref", "-i", "{name}", "other", "-o", "page.html"),
    "plot": ("plot", "ranking", "ref", "-i", "{name}", "other", "-o", "figure.svg"),
}
DELIMITED = {
    "CSV": ("ref", "-i", "{name}", "-f", "csv"),
    "TSV": ("ref", "-i", "{name}", "other", "-f", "tsv"),
    "CSV of pairs": ("ref", "-i", "{name}", "other", "--paired-all", "-parn", "20", "-f", "csv"),
    "CSV of groups": ("ref", "-i", "{name}", "--breakdown", "labels", "-f", "csv"),
    "CSV of a receipt": ("receipt", "export", "x.receipt.json", "--to", "csv"),
}
PLAIN = (
    "doctor", "reconcile", "align", "errors", "receipt", "card", "results", "unknown words", *DELIMITED,
    *(one for one in COMMANDS if "JSON" in one),
)  # fmt: skip
HOSTILE = "\x1b]0;gone\x07 $\\frac{ `` <script>alert(1)</script> |\u202e =cmd \x9b31m"


@pytest.mark.parametrize("command", [*COMMANDS, *DELIMITED])
def test_names_and_texts_cannot_act_in_any_command(
    command: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = {**COMMANDS, **DELIMITED}[command]
    # A table for a program has names as they are, unless it goes to a terminal.
    monkeypatch.setattr("sys.stdout.isatty", lambda: command in DELIMITED, raising=False)
    name = "a<script>alert(1)\x1b]0;gone\x07|$\\frac{`\u202e"
    write(name, [f"{line.replace('some', 'many')} {HOSTILE}" for line in LINES])
    write("ref", [f"{line} {HOSTILE} x" for line in LINES])
    if "receipt" in words[0]:
        assert 0 == main(["ref", "-i", name, "--receipt", "x.receipt.json", "-q"])
        capsys.readouterr()
    code = main([word.format(name=name) for word in words])
    out, err = capsys.readouterr()
    assert code in ((2,) if command == "unknown words" else (0, 1)) and "Traceback" not in err, err
    files = [Path(file).read_text("utf-8") for file in ("page.html", "figure.svg") if Path(file).exists()]
    for text in (out, err, *files):
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", text.replace("\r\n", "\n"))
        assert "<script>alert" not in text or command in PLAIN
    if "Markdown" in command:
        # Between backticks nothing has a meaning, and outside of them there is no tag.
        assert "<script" not in re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", out)
        rows = [line for line in out.splitlines() if line.startswith("|")]
        assert len({len(re.findall(r"(?<!\\)\|", row)) for row in rows}) <= 1


@pytest.mark.parametrize("format", ["csv", "tsv"])
def test_a_table_in_a_file_is_utf_8_and_has_names_as_they_are(format: str) -> None:
    names = ["a\x1b[31m\u202eb", "a\udcffb"]
    for name in names:
        write(name, LINES)
    run = subprocess.run(
        [sys.executable, "-m", "truebleu.cli.main", "ref", "-i", *names, "-f", format], capture_output=True
    )
    rows = csv.DictReader(io.StringIO(run.stdout.decode()), delimiter="," if format == "csv" else "\t")
    assert ["a\x1b[31m\u202eb", "a\\udcffb"] == [row["system"] for row in rows]
