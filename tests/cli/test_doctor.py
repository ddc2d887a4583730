"""`truebleu doctor`, as typed, and what the main command says of doubtful texts."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import truebleu
from conftest import REPOSITORY
from truebleu._text.style import Style
from truebleu.cli import run as running
from truebleu.cli.main import main
from truebleu.doctor import diagnose
from truebleu.doctor.finding import Diagnosis, Finding, Price
from truebleu.doctor.rules import RULES
from truebleu.doctor.text import Examined, doctor_json, doctor_lines, line_numbers
from truebleu.metrics import BLEU, CHRF

PAGE = (REPOSITORY / "docs" / "doctor.md").read_text("utf-8")
DEMO = truebleu.testset("demo", "en-de")
CLEAN = list(DEMO.systems["atlas"])
MARKED = [f"{text} <unk>" if at % 20 == 0 else text for at, text in enumerate(CLEAN)]


def write(name: str, lines: list[str]) -> None:
    Path(name).write_text("".join(f"{line}\n" for line in lines), "utf-8")


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write("ref.txt", DEMO.references[0])
    write("src.txt", DEMO.source)
    write("clean.txt", CLEAN)
    write("system.txt", MARKED)


def ran(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main([*words])
    return code, *capsys.readouterr()


def test_a_fault_is_shown_with_its_lines_examples_and_price(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = ran(capsys, "doctor", "ref.txt", "-i", "system.txt", "--examples", "2")
    (finding,) = diagnose(MARKED, DEMO.references[:1]).findings
    assert (1, "") == (code, err)
    assert "system.txt: 1 error in 240 segments" == out.splitlines()[0]
    assert f"error special tokens [D304]: {finding.message}\n  hypotheses, lines 1, 21, 41, " in out
    assert f"    21: {MARKED[20]}\n" in out and f"    41: {MARKED[40]}" not in out
    price = finding.prices["chrF"]
    assert f"{price.points:+.2f} chrF ({price.before:.2f}, after the repair {price.after:.2f})" in out
    assert "; repair: --fix specials\n" in out
    passed, not_checked = out.splitlines()[-2:]  # one line each, by names
    assert passed.startswith(
        "passed (not found): numbers of lines differ, references grouped the other way, one reference twice, "
    )
    assert "not checked: the source in place of a translation, sources in another order, source copied, " in not_checked
    assert not re.search(r"D\d", passed + not_checked)


def test_every_check_is_told_whatever_it_found(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = ran(capsys, "doctor", "ref.txt", "-i", "clean.txt", "--sources", "src.txt", "--level", "note")
    ends = re.sub(r" \([^)]*\)", "", out.partition("passed (not found): ")[2]).replace("\nnot checked: ", ", ").strip()
    told = [*re.findall(r"^\w+ (.+) \[D\d+\]: ", out, re.M), *re.split("[,;] ", ends)]
    assert 0 == code and sorted(rule.name for rule in RULES) == sorted(told)


def test_checks_that_nobody_asked_for_are_counted_and_not_named(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = ran(capsys, "doctor", "ref.txt", "-i", "clean.txt", "--checks", "D421")
    assert out.endswith(
        f"passed (not found): placeholders\nnot checked: {len(RULES) - 1} other checks (not asked for)\n"
    )


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ((), True), (("auto",), True), (("strict",), True), (("lenient",), False), (("printf",), True),
        (("braces", "ruby,printf"), True), (("braces",), False),
    ],
)  # fmt: skip
def test_families_of_placeholders_are_chosen(
    words: tuple[str, ...], found: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, text in (("units.src", "%d\n"), ("units.ref", "%d\n"), ("units.out", "\n")):
        Path(name).write_text(f"a long text {text}" * 9, "utf-8")
    options = [part for word in words for part in ("--placeholders", word)]
    usual = ("doctor", "units.ref", "-i", "units.out", "--sources", "units.src", "--checks", "D421")
    _, out, _ = ran(capsys, *usual, *options)
    assert found == ("[D421]" in out)


def test_json_is_the_report_of_the_function(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = ran(capsys, "doctor", "-t", "demo", "-l", "en-de", "-i", "atlas", "system.txt", "-f", "json")
    expected = [
        diagnose(texts, DEMO.references, DEMO.source, metrics=[BLEU(), CHRF()], language="de", others=others).to_dict()
        for texts, others in ((CLEAN, {"system.txt": MARKED}), (MARKED, {"atlas": CLEAN}))
    ]
    assert 1 == code
    assert [{"system": "atlas", **expected[0]}, {"system": "system.txt", **expected[1]}] == json.loads(out)


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["system.txt"], 1),
        (["system.txt", "--fail-on", "never"], 0),
        (["system.txt", "--strict"], 3),
        (["system.txt", "--strict", "--fail-on", "never"], 2),
        (["system.txt", "--skip", "D304"], 0),
        (["system.txt", "--checks", "D1,D2"], 0),
        (["clean.txt", "--fail-on", "warning"], 0),
        (["clean.txt", "system.txt"], 1),
    ],
)
def test_the_exit_code_tells_whether_there_is_a_fault(
    words: list[str], code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert code == ran(capsys, "doctor", "ref.txt", "-i", *words)[0]


def test_missing_lines_are_explained_where_scoring_refuses(capsys: pytest.CaptureFixture[str]) -> None:
    write("short.txt", CLEAN[:100] + CLEAN[102:])
    code, out, _ = ran(capsys, "doctor", "ref.txt", "-i", "short.txt")
    assert 1 == code and "error numbers of lines differ [D101]: " in out
    assert 1 == main(["ref.txt", "-i", "short.txt"])


def test_repaired_hypotheses_go_to_another_file(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("doctor", "ref.txt", "-i", "system.txt", "--fix", "specials", "--output")
    code, out, _ = ran(capsys, *words, "fixed.txt")
    assert 1 == code and "\nrepaired: specials; written to fixed.txt\n" in out
    assert "".join(f"{text}\n" for text in CLEAN) == Path("fixed.txt").read_text("utf-8")
    out = ran(capsys, *words, "fixed.txt", "-f", "json")[1]
    assert {"repairs": ["specials"], "output": "fixed.txt"} == json.loads(out)["repaired"]
    before = Path("system.txt").read_bytes()
    for target in ("system.txt", "ref.txt", "./ref.txt"):
        code, _, err = ran(capsys, *words, target)
        assert 0 != code and "is one of the files to be read" in err
    assert before == Path("system.txt").read_bytes()


def test_a_text_that_no_line_can_hold_is_not_written(capsys: pytest.CaptureFixture[str]) -> None:
    records = [{"mt": text, "ref": text} for text in ("one two three", "four\nfive six", "seven eight nine ten")]
    Path("out.jsonl").write_text("".join(json.dumps(one) + "\n" for one in records), "utf-8")
    words = ("doctor", "out.jsonl", "--hyp-field", "mt", "--ref-field", "ref", "--fix", "specials", "-o", "fixed.txt")
    code, _, err = ran(capsys, *words)
    assert 1 == code and "text 2 cannot be written" in err
    assert not Path("fixed.txt").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--fix", "specials"], "give both"),
        (["--output", "x"], "give both"),
        (["--fix", "magic", "--output", "x"], "'magic'"),
        (["--checks", "X9"], "'X9'"),
        (["--examples", "-1"], "--examples is -1"),
        (["clean.txt", "--fix", "specials", "--output", "x"], "there are 2 systems"),
        (["-f", "latex"], "latex"),
        (["--normalize", "nfd"], "'nfd'"),
    ],
)
def test_options_without_a_meaning_are_refused(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, err = ran(capsys, "doctor", "ref.txt", "-i", "system.txt", *words)
    assert 2 == code and message in err
    assert not Path("x").exists()


# The report.


def made_up(**changes: Any) -> Examined:
    fields = {
        "code": "D304", "name": "special tokens", "level": "warning", "side": "hypotheses", "segments": (1,),
        "count": 1, "share": 0.5, "evidence": {}, "prices": {}, "repair": None, "message": "a \x1b[31m <b> | text",
    }  # fmt: skip
    finding = Finding(**{**fields, **changes})  # type: ignore[arg-type]
    diagnosis = Diagnosis((finding,), ("D101",), {"D402": "why"}, 2, lambda _: [], {"D101": "numbers of lines differ"})
    return Examined("sys|tem", "path/system", diagnosis, {"hypotheses": ["", "x" * 121], "references[0]": ["y", None]})


def test_text_from_elsewhere_cannot_act() -> None:
    text = "\n".join(doctor_lines([made_up()], Style(), "note", 3))
    assert (
        "warning special tokens [D304]: a \\x1b[31m <b> | text\n  hypotheses, line 2\n    2: " + "x" * 119 + "…\n"
        in text
    )
    assert "  cannot be priced\n\npassed (not found): numbers of lines differ\nnot checked: D402 (why)" in text
    markdown = "\n".join(doctor_lines([made_up()], Style("markdown"), "note", 0))
    assert "## sys\\|tem: 1 warning in 2 segments\n\n- **warning** special tokens [D304]: a " in markdown
    assert ": a \\\\x1b[31m &lt;b> \\| text\n" in markdown
    assert "xxx" not in markdown


def test_prices_of_metrics_where_less_is_better() -> None:
    prices = {"TER": Price(50.0, 48.5, "repair", higher_is_better=False)}
    text = "\n".join(doctor_lines([made_up(prices=prices, repair="tags")], Style(), "note", 0))
    assert "  price: +1.50 TER (50.00, after the repair 48.50); repair: --fix tags\n" in text


def test_what_is_below_the_level_is_counted() -> None:
    text = "\n".join(doctor_lines([made_up(level="note")], Style(), "warning", 3))
    assert "D304" not in text and text.endswith("\n1 finding of a lower level: --level note shows all")
    assert [] == json.loads(doctor_json([made_up(level="note")], "warning"))["findings"]


def test_examples_of_references_and_of_whole_files() -> None:
    lines = [*doctor_lines([made_up(side="references[0]", segments=(0, 1))], Style(), "note", 3)]
    assert "  references[0], lines 1 to 2" in lines and "    1: y" in lines
    assert "  hypotheses, the whole file" in [*doctor_lines([made_up(segments=())], Style(), "note", 3)]


def test_many_lines_are_not_all_named() -> None:
    assert "lines 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23 and 88 more" == line_numbers(range(0, 200, 2))
    assert "lines 1 to 200" == line_numbers(range(200))


# The main command.


def test_the_main_command_shows_findings_after_the_score(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = ran(capsys, "ref.txt", "-i", "system.txt", "--doctor")
    assert 0 == code and ran(capsys, "ref.txt", "-i", "system.txt")[1] == out
    assert "system.txt: error special tokens [D304]: 12 segments have special tokens" in err
    _, out, err = ran(capsys, "ref.txt", "-i", "system.txt", "clean.txt", "--doctor", "-f", "json", "-m", "bleu", "ter")
    assert [["D304"], ["D304"], [], []] == [[one["code"] for one in score["findings"]] for score in json.loads(out)]
    assert 2 == main(["ref.txt", "-i", "system.txt", "clean.txt", "--doctor", "--paired-all", "--runs", "2"])
    write("copy.txt", CLEAN)
    assert " [D109]: the system copy.txt" in ran(capsys, "ref.txt", "-i", "clean.txt", "copy.txt", "--doctor")[2]


@pytest.mark.parametrize("large", [1, 1 << 25])
@pytest.mark.parametrize(
    ("texts", "references", "words", "warning"),
    [
        (MARKED, None, [], " of 120 segments looked at have special tokens (<unk>)"),
        ([text.replace("en ", "e@@ n ") for text in CLEAN], None, [], "have subword marks (@@)"),
        ([re.sub(r"([.,])", r" \1", text) for text in CLEAN[:90]], 90, [], "of commas and full stops have a space"),
        ([re.sub(r"([.,])", r" \1", text) for text in CLEAN], None, [], "hypotheses end in a full stop with a space"),
        ([f"彼は{at}日に来ました。" for at in range(240)], 0, [], "BLEU has the tokenizer 13a; use ja-mecab"),
        ([f"他第{at}天来了。" for at in range(240)], 0, ["-m", "ter"], "TER goes without --ter-asian-support; use zh"),
    ],
    ids=["specials", "subwords", "tokenized", "all tokenized", "japanese", "chinese"],
)
def test_doubtful_texts_are_warned_of_unless_checks_are_declined(
    texts: list[str],
    references: int | None,
    words: list[str],
    warning: str,
    large: int,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(running, "LARGE", large)
    write("odd.txt", texts)
    if references == 0:
        write("ref.txt", [text.replace("来", "行") for text in texts])
    if references:
        write("ref.txt", Path("ref.txt").read_text("utf-8").splitlines()[:references])
    said = ran(capsys, "ref.txt", "-i", "odd.txt", *words)[2]
    assert warning in said and 1 == said.count("\n")
    assert "" == ran(capsys, "ref.txt", "-i", "odd.txt", *words, "--no-checks")[2]
    assert references is not None or "" == ran(capsys, "ref.txt", "-i", "clean.txt")[2]


# The page.


def test_the_page_names_every_group_of_codes() -> None:
    ranges = [(int(a), int(b)) for a, b in re.findall(r"\| D(\d+) to D(\d+) \|", PAGE)]
    for rule in RULES:
        assert any(first <= int(rule.code[1:]) <= last for first, last in ranges), rule.code


def test_without_examples_no_text_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    write("system.txt", [f"Sure! Here is the translation: {text} <unk>" for text in CLEAN])
    assert "Sure!" in ran(capsys, "doctor", "ref.txt", "-i", "system.txt")[1]
    for form in ("text", "markdown"):
        shown = ran(capsys, "doctor", "ref.txt", "-i", "system.txt", "--examples", "0", "--level", "note", "-f", form)[
            1
        ]
        assert "D410" in shown and "Sure!" not in shown


def test_a_check_can_be_listed_and_explained(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = ran(capsys, "doctor", "--list")
    assert 0 == code and [f"{rule.code}  {rule.name}" for rule in RULES] == out.splitlines()
    code, out, _ = ran(capsys, "doctor", "--explain", "d321")
    assert (0, "D321 style of quotes") == (code, out.splitlines()[0]) and "  repair: --fix quotes\n" in out
    assert "  needs the sources and 3 segments\n" in ran(capsys, "doctor", "--explain", "D105")[1]
    for rule in RULES:
        assert ran(capsys, "doctor", "--explain", rule.code)[1].splitlines()[1].startswith("  Find ")
    code, out, err = ran(capsys, "doctor", "--explain", "D999")
    assert (2, "") == (code, out) and "--explain is 'D999', and no check has this code; --list shows them" in err


def test_sources_have_a_short_name(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("doctor", "ref.txt", "-i", "clean.txt")
    long, short = (ran(capsys, *words, flag, "src.txt") for flag in ("--sources", "--src"))
    assert long == short and "it needs the sources" not in short[1]
