"""`truebleu sign-test`, in this process and as a program."""

import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truebleu import _atomic, demo
from truebleu._atomic import write_together
from truebleu.cli.commands.sign_test import COMMAND, SIGN_TEST_BLEU
from truebleu.errors import OutputExists
from truebleu.metrics import BLEU, CHRF, TER
from truebleu.significance.sign import sign_test_of_texts
from truebleu.significance.sign_text import Side, SignInput, as_xml
from truebleu.significance.signtestbleu import signtestbleu

# The program of old writes its files; `truebleu sign-test` only with -o.
run = SIGN_TEST_BLEU._replace(name=COMMAND.name).run

NAMES = ("good.xml", "bad.xml", "equal.xml")
KEYS = [("harbour", "1"), ("harbour", "2"), ("market", "1"), ("market", "2"), ("market", "3")]
SOURCE = ["Die Fähre fuhr mittags.", "Der Hafen ist leer.", "Äpfel & Birnen < 2 €", "Er kam zurück.", "Genau so."]
REFERENCES = [
    ["The ferry left the old harbour at noon.", "The harbour is empty now.", "Apples & pears < 2 euros a kilo",
     "He came back on the next day.", "Just like that."],
    ["The ferry sailed from the old harbour at noon.", "There is nobody in the harbour.",
     "Apples and pears for < 2 euros", "The next day he came back.", "Exactly so."],
]  # fmt: skip
BASELINE = [
    "The ferry left old harbour noon.",
    "The harbour is empty now.",
    "Apples & pears < 2 euros a kilo",
    "he came back on the next day.",
    "Just like that.",
]
SYSTEM = [
    "The ferry left the old harbour at noon.",
    "The harbour is vacant.",
    "Apples & pears <2 dollars kilo",
    "He came back on the next day.",
    "Just like that.",
]


def sgm(kind: str, translations: dict[str, list[str]], order: list[int] | None = None) -> str:
    lines = [f'<{kind} setid="demo" srclang="de" trglang="en">']
    for sysid, texts in translations.items():
        for index in order or range(len(KEYS)):
            docid, segid = KEYS[index]
            lines += [
                f'<DOC docid="{docid}" sysid="{sysid}">',
                "<p>",
                f"<seg id={segid}> {escape(texts[index])} </seg>",
            ]
            lines += ["</p>", "</DOC>"]
    return "\n".join([*lines, f"</{kind}>", ""])


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The files of the example, the working directory."""
    monkeypatch.chdir(tmp_path)
    for name, content in {
        "source.sgm": sgm("srcset", {"": SOURCE}),
        "reference.sgm": sgm("refset", {"ann": REFERENCES[0], "bob": REFERENCES[1]}),
        "testoutput.sgm": sgm("tstset", {"new": SYSTEM}, order=[4, 2, 0, 1, 3]),
        "baseline.sgm": sgm("tstset", {"old": BASELINE}),
        "ref1.txt": "\n".join(REFERENCES[0]) + "\n",
        "ref2.txt": "\r\n".join(REFERENCES[1]),
        "new.txt": "\ufeff" + "\n".join(SYSTEM),
        "old.txt": "\n".join(BASELINE) + "\n",
    }.items():
        Path(name).write_text(content, encoding="utf-8", newline="")
    return tmp_path


EXAMPLE = ["-s", "source.sgm", "-r", "reference.sgm", "-t", "testoutput.sgm", "-b", "baseline.sgm"]
PLAIN = ["-r", "ref1.txt", "ref2.txt", "-t", "new.txt", "-b", "old.txt"]


def program(*arguments: str) -> "subprocess.CompletedProcess[str]":
    code = "import sys; from truebleu.cli.commands.sign_test import COMMAND; sys.exit(COMMAND.run(sys.argv[1:]))"
    return subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, encoding="utf-8")


def elements(name: str) -> list[ElementTree.Element]:
    return list(ElementTree.parse(name).getroot())


def outcome(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert 0 == run([*arguments, "--json", "--no-files"])
    result: dict[str, Any] = json.loads(capsys.readouterr().out)
    return result


def test_the_command_of_old_prints_counts_z_and_verdict(folder: Path) -> None:
    result = program("-c", *EXAMPLE, "-o", ".")
    assert (0, "") == (result.returncode, result.stderr)
    test = sign_test_of_texts(BASELINE, SYSTEM, REFERENCES, BLEU())
    assert (2, 2, 0) == (test.better, test.worse, test.same)
    for line in (
        rf"BLEU\|{re.escape(test.signature)}",
        rf"baseline +{test.baseline_score:.2f}  baseline\.sgm",
        rf"system +{test.system_score:.2f}  testoutput\.sgm",
        "5 segments, 4 of them different",
        r"f\(\+\) = +2 +50\.0 % +sum \+.* good\.xml",
        r"f\(-\) = +2 +50\.0 % +sum -.* bad\.xml",
        r"f\(0\) = +0 +0\.0 % +equal\.xml",
        r"Z = 0\.0000",
        r"p = 1\.0000 \(binomial, two-sided, exact\)",
        r"95 % \(Z > 1\.96\): not significant",
        r"99 % \(Z > 2\.57\): not significant",
        "verdict: not significant",
        r"caution: f\(\+\) \+ f\(-\) is only 4\. .*go by p",
    ):
        assert re.search(f"^{line}$", result.stdout, re.M), line


def test_the_name_of_old_is_installed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (script,) = entry_points(group="console_scripts", name="SignTestBleu")
    main = script.load()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["SignTestBleu", "-c", *EXAMPLE])
        assert 0 == main()
    assert "f(+) =      2" in capsys.readouterr().out


def test_case_counts_only_with_c(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lowered, cased = outcome(capsys, *EXAMPLE), outcome(capsys, "-c", *EXAMPLE)
    assert (1, 2, 1) == (lowered["f_plus"], lowered["f_minus"], lowered["f_zero"])
    assert (2, 2, 0) == (cased["f_plus"], cased["f_minus"], cased["f_zero"])
    assert "case:lc" in lowered["signature"] and "case:mixed" in cased["signature"]


def test_the_three_files_hold_every_text_and_both_scores(folder: Path) -> None:
    assert 0 == run(EXAMPLE)
    test = sign_test_of_texts(BASELINE, SYSTEM, REFERENCES, BLEU(lowercase=True))
    found = {}
    for name, count, sign in (("good", 1, 1), ("bad", 2, -1), ("equal", 1, 0)):
        root = ElementTree.parse(f"{name}.xml").getroot()
        assert ("signtest", name, str(count)) == (root.tag, root.get("outcome"), root.get("count"))
        assert ("5", "4", "1", "2", "1") == tuple(
            root.get(key) for key in ("total", "different", "f_plus", "f_minus", "f_zero")
        )
        assert (f"{test.baseline_score:.6f}", f"{test.z:.6f}", "none") == tuple(
            root.get(key) for key in ("base_score", "z", "level")
        )
        for element in root:
            found[int(element.get("n", 0)) - 1] = element
            delta = float(element.get("delta", "nan"))
            assert sign == (delta > 0) - (delta < 0)
    assert [0, 1, 2, 3] == sorted(found)
    for index, element in found.items():
        assert KEYS[index] == (element.get("docid"), element.get("id"))
        assert f"{test.scores[index]:.6f}" == element.get("new_score")
        assert f"{test.baseline_score:.6f}" == element.get("base_score")
        assert [
            ("src", None, SOURCE[index]),
            ("ref", "ann", REFERENCES[0][index]),
            ("ref", "bob", REFERENCES[1][index]),
            ("base", "old", BASELINE[index]),
            ("sys", "new", SYSTEM[index]),
        ] == [(child.tag, child.get("sysid"), child.text) for child in element]


def test_plain_text_and_sgm_give_the_same(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    numbers = ("baseline_score", "system_score", "f_plus", "f_minus", "f_zero", "z", "p_value", "gain", "loss")
    results = [
        outcome(capsys, *EXAMPLE),
        outcome(capsys, *PLAIN),
        outcome(capsys, "-r", "ref1.txt", "-r", "ref2.txt", "-t", "new.txt", "-b", "baseline.sgm"),
    ]
    assert 1 == len({tuple(result[number] for number in numbers) for result in results})
    assert "docid" not in results[1]["items"][0]
    assert {"n": 1, "docid": "harbour", "id": "1"}.items() <= results[2]["items"][0].items()


@pytest.mark.parametrize(
    ("options", "metric"),
    [
        (["-c"], BLEU()),
        (["-tok", "char", "--smooth-method", "floor", "--smooth-value", "0.2"],
         BLEU(lowercase=True, tokenize="char", smooth_method="floor", smooth_value=0.2)),
        (["-l", "en-zh"], BLEU(lowercase=True, trg_lang="zh")),
        (["-m", "chrf"], CHRF(lowercase=True)),
        (["-m", "chrf", "-c", "--chrf-word-order", "2", "--chrf-char-order", "4", "--chrf-beta", "3",
          "--chrf-whitespace", "--chrf-eps-smoothing"], CHRF(4, 2, 3, whitespace=True, eps_smoothing=True)),
        (["-m", "ter"], TER()),
        (["-m", "ter", "-c", "--ter-normalized", "--ter-no-punct", "--ter-asian-support", "--threads", "1"],
         TER(True, True, True, True)),
    ],
)  # fmt: skip
def test_options_reach_the_metric(
    options: list[str], metric: Any, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    test = sign_test_of_texts(BASELINE, SYSTEM, REFERENCES, metric)
    result = outcome(capsys, *PLAIN, *options)
    assert test.to_dict() == {key: result[key] for key in test.to_dict()}
    assert test.scores[test.different].tolist() == [item["new_score"] for item in result["items"]]


def test_legacy_is_the_bleu_of_old(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for options, cased in (([], False), (["-c"], True)):
        test = signtestbleu(BASELINE, SYSTEM, REFERENCES, case_sensitive=cased)
        result = outcome(capsys, *EXAMPLE, "--legacy", *options)
        assert test.to_dict() == {key: result[key] for key in test.to_dict()}
    assert 0 == run([*EXAMPLE, "--legacy"])
    assert "99 % (Z > 2.576): not significant\n" in capsys.readouterr().out


def test_identical_outputs_are_no_difference(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert 0 == run(["-r", "ref1.txt", "-t", "old.txt", "-b", "old.txt"])
    printed = capsys.readouterr().out
    assert "5 segments, 0 of them different" in printed
    assert "Z = 0.0000\np = 1.0000" in printed
    assert "verdict: no difference\n" in printed and "caution" not in printed
    assert [[], [], []] == [elements(name) for name in NAMES]
    assert ["0", "0", "0"] == [ElementTree.parse(name).getroot().get("count") for name in NAMES]


def test_a_clear_winner_is_significant(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = demo.load("en-de")
    for name, texts in (("a", data.systems["atlas"]), ("c", data.systems["cedar"]), ("r", data.references["A"])):
        Path(name).write_text("\n".join(texts), encoding="utf-8")
    assert 0 == run(["-r", "r", "-t", "a", "-b", "c"])
    printed = capsys.readouterr().out
    assert "verdict: the system is better than the baseline at 99% confidence\n" in printed
    assert "95 % (Z > 1.96): significant\n99 % (Z > 2.57): significant\n" in printed
    assert re.search(r"^p = \d\.\d\de-\d+ ", printed, re.M)
    assert 0 == run(["-r", "r", "-t", "c", "-b", "a", "--no-files"])
    assert "verdict: the system is worse than the baseline at 99% confidence\n" in capsys.readouterr().out


# --- files: all three or none -----------------------------------------------------------------


def leftovers(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.suffix not in (".sgm", ".txt"))


@pytest.mark.parametrize("name", NAMES)
def test_an_existing_file_is_refused_before_anything_is_counted(
    name: str, folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    Path(name).write_text("mine")
    monkeypatch.setattr("truebleu.cli.commands.sign_test.sign_test_of_texts", None)
    assert 1 == run(["-r", "ref1.txt", "-t", "new.txt", "-b", "old.txt"])
    assert re.fullmatch(rf"truebleu sign-test: error: {name} exists .*--force.*\n", capsys.readouterr().err)
    assert ([name], "mine") == (leftovers(folder), Path(name).read_text())


def test_force_replaces_the_files(folder: Path) -> None:
    for name in NAMES:
        Path(name).write_text("mine")
    assert 0 == run([*EXAMPLE, "--force"])
    assert [1, 2, 1] == [len(elements(name)) for name in NAMES]
    assert sorted(NAMES) == leftovers(folder)


def test_a_folder_is_made_and_may_not_be_a_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert 1 == run([*EXAMPLE, "-o", "deep"])
    assert "deep: there is no such folder; make it first, or say --mkdir" in capsys.readouterr().err
    assert 0 == run([*EXAMPLE, "-o", "deep", "--mkdir"])
    assert sorted(NAMES) == sorted(os.listdir("deep"))
    assert 1 == run([*EXAMPLE, "--output-dir", "old.txt"])
    assert "old.txt is not a folder" in capsys.readouterr().err
    Path("x/bad.xml").mkdir(parents=True)
    assert 1 == run([*EXAMPLE, "--out-dir", "x", "--force"])
    assert "bad.xml is a folder" in capsys.readouterr().err
    assert ["bad.xml"] == os.listdir("x")


def test_even_force_does_not_replace_an_input(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("bad.xml").write_bytes(Path("baseline.sgm").read_bytes())
    arguments = ["-r", "reference.sgm", "-t", "testoutput.sgm", "-b", "bad.xml", "--force"]
    assert 1 == run(arguments)
    assert "bad.xml is one of the files to be read" in capsys.readouterr().err
    assert Path("baseline.sgm").read_bytes() == Path("bad.xml").read_bytes()
    assert 0 == run([*arguments, "-o", "elsewhere", "--mkdir"])


def test_the_command_of_today_writes_only_into_a_folder_that_is_named(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = set(folder.iterdir())
    assert 0 == COMMAND.run(PLAIN)
    assert before == set(folder.iterdir()) and "good.xml" not in capsys.readouterr().out
    assert 2 == COMMAND.run(EXAMPLE)
    assert "--source has no effect: it is about the XML files; say where they go with -o" in capsys.readouterr().err
    Path("found").mkdir()
    assert 0 == COMMAND.run([*EXAMPLE, "-o", "found"])
    assert set(NAMES) == {path.name for path in Path("found").iterdir()}
    assert 2 == COMMAND.run([*EXAMPLE, "-o", "found", "--no-files"])


def test_no_files_writes_none(folder: Path) -> None:
    Path("good.xml").write_text("mine")
    assert 0 == run([*EXAMPLE, "--no-files"])
    assert ["good.xml"] == leftovers(folder)


def failing(real: Callable[..., Any], at: int, error: type[BaseException]) -> Callable[..., Any]:
    calls = iter(range(1, 100))

    def fails(*arguments: Any, **options: Any) -> Any:
        if next(calls) == at:
            raise error(28, "No space left on device", str(arguments[0]))
        return real(*arguments, **options)

    return fails


@pytest.mark.parametrize("existing", [False, True])
@pytest.mark.parametrize("at", range(1, 7))
@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt])
def test_a_rename_that_fails_leaves_everything_as_it_was(
    existing: bool, at: int, error: type[BaseException], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not existing and at > 3:
        at -= 3
    before = {name: f"mine {name}" for name in NAMES} if existing else {}
    for name, content in before.items():
        Path(name).write_text(content)
    real = os.replace
    monkeypatch.setattr(_atomic.os, "replace", failing(real, at, error))
    with pytest.raises(error):
        write_together({Path(name): "new" for name in NAMES}, overwrite=existing)
    assert before == {name: Path(name).read_text() for name in leftovers(folder)}


@pytest.mark.parametrize("at", [1, 2, 3])
def test_a_disk_that_fills_up_leaves_nothing(
    at: int, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(Path, "write_text", failing(Path.write_text, at, OSError))
    assert 1 == run(EXAMPLE)
    assert re.fullmatch(r"truebleu sign-test: error: .*: No space left on device\n", capsys.readouterr().err)
    assert [] == leftovers(folder)


def test_a_file_that_appears_meanwhile_is_not_replaced(folder: Path) -> None:
    Path("bad.xml").write_text("theirs")
    with pytest.raises(OutputExists, match=r"bad\.xml exists"):
        write_together({Path(name): "new" for name in NAMES}, overwrite=False)
    assert (["bad.xml"], "theirs") == (leftovers(folder), Path("bad.xml").read_text())


@given(st.lists(st.text(st.characters(), max_size=8), min_size=5, max_size=5), st.text(max_size=5))
def test_any_text_makes_well_formed_xml(texts: list[str], name: str) -> None:
    side = Side("file", name, [texts[0]])
    sides = [Side("file", name, [text]) for text in texts[1:]]
    test = sign_test_of_texts(["a"], ["b"], [["a"]], CHRF())
    root = ElementTree.fromstring(
        as_xml(test, SignInput([(name, texts[0])], side, sides[:2], *sides[2:]), "bad").encode()
    )
    shown = [re.sub("[\0-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]", "\ufffd", text) for text in texts]
    assert shown == [child.text or "" for child in root[0]]


# --- mistakes ---------------------------------------------------------------------------------

BAD_DATA = [
    ({}, "-r nowhere.sgm -t new.txt -b old.txt", "nowhere.sgm: there is no such file"),
    ({}, "-r . -t new.txt -b old.txt", ".: is a folder, expected a file"),
    ({"short.txt": b"one\ntwo\n"}, "-r ref1.txt -t short.txt -b old.txt",
     "short.txt has 2 segments, ref1.txt has 5; is a line missing, or are there empty lines at the end?"),
    ({"empty.txt": b""}, "-r ref1.txt -t empty.txt -b old.txt", "empty.txt: the file is empty"),
    ({"x.txt": b"a\nb\xff\n"}, "-r x.txt -t new.txt -b old.txt",
     "x.txt, line 2: byte 2 of the line is 0xff, which is not utf-8"),
    ({}, "-r testoutput.sgm -t reference.sgm -b baseline.sgm",
     "testoutput.sgm: expected a refset, got a tstset (line 2); are the files swapped?"),
    ({"x.sgm": b"<tstset>\n</tstset>"}, "-r reference.sgm -t x.sgm -b baseline.sgm",
     "x.sgm: expected a tstset, got no documents"),
    ({"x.sgm": b"<tstset>\n<doc docid=d></doc></tstset>"}, "-r reference.sgm -t x.sgm -b baseline.sgm",
     "x.sgm, line 2: the tstset has no segments"),
    ({"x.sgm": b"<tstset>\n<doc docid=d><seg id=1>a</doc></tstset>"}, "-r reference.sgm -t x.sgm -b baseline.sgm",
     "x.sgm, line 2: <seg id=1> is not closed"),
    ({"x.sgm": b"<doc docid=d>\n<seg id=1>a</seg></doc>"}, "-r reference.sgm -t x.sgm -b baseline.sgm",
     "x.sgm, line 1: <doc> outside any set"),
    ({"x.xml": b"<?xml version='1.0'?>\n<dataset id='x'></dataset>"}, "-r x.xml -t new.txt -b old.txt",
     "x.xml, line 1: there is no set in this file, expected one of srcset, refset, tstset"),
    ({"x.sgm": b"<tstset>\n<doc docid=market sysid=x><seg id=1>a</seg></doc></tstset>"},
     "-r reference.sgm -t x.sgm -b baseline.sgm",
     "x.sgm (sysid 'x'): document 'harbour' (2 segments) is missing; reference.sgm has it in line 4; 4 segments are"),
    ({"x.sgm": sgm("tstset", {"a": SYSTEM, "b": SYSTEM}).encode()}, "-r reference.sgm -t x.sgm -b baseline.sgm",
     "x.sgm: there are 2 systems in this file, 'a', 'b'; choose with --sysid or --baseline-sysid"),
    ({}, "-r reference.sgm -t testoutput.sgm -b baseline.sgm --sysid old",
     "testoutput.sgm: there is no system 'old', only 'new'"),
]  # fmt: skip


@pytest.mark.parametrize(("files", "arguments", "message"), BAD_DATA)
def test_bad_data_is_one_message_and_exit_code_1(
    files: dict[str, bytes], arguments: str, message: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, content in files.items():
        Path(name).write_bytes(content)
    assert 1 == run(arguments.split())
    out, err = capsys.readouterr()
    assert ("", 1) == (out, err.count("\n"))
    assert err.startswith(f"truebleu sign-test: error: {message}")
    assert not set(NAMES) & set(leftovers(folder))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("", "the following arguments are required: -r"),
        ("-r ref1.txt -t new.txt", "the following arguments are required: -b"),
        ("-r ref1.txt -t new.txt -b old.txt -m bleurt", "invalid choice: 'bleurt'"),
        ("-r ref1.txt -t new.txt -b old.txt -m ter -tok 13a", "--tokenize goes with --metric bleu, not ter"),
        ("-r ref1.txt -t new.txt -b old.txt --chrf-beta 3", "--chrf-beta goes with --metric chrf, not bleu"),
        ("-r ref1.txt -t new.txt -b old.txt -e klingon", "--encoding is 'klingon', which is not an encoding"),
        ("-r ref1.txt -t new.txt -b old.txt -e hex", "--encoding is 'hex', which is not an encoding"),
        ("-r ref1.txt -t new.txt -b old.txt --legacy -m ter", "--legacy has a BLEU of its own"),
        ("-r ref1.txt -t new.txt -b old.txt --legacy -tok char", "--legacy has a BLEU of its own"),
        ("-r ref1.txt -t new.txt -b old.txt surplus", "unrecognized arguments: surplus"),
    ],
)
def test_bad_options_end_in_exit_code_2(
    arguments: str, message: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = run(arguments.split())
    out, err = capsys.readouterr()
    assert (2, "") == (code, out)
    assert message in err and "usage: truebleu sign-test" in err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("-tok nope", "there is no tokenizer 'nope'"),
        ("--smooth-method nope", "smooth_method is 'nope', expected one of"),
        ("--smooth-method floor --smooth-value -1", "smooth_value is -1.0, expected a number from 0"),
        ("-m chrf --chrf-char-order 99", "char_order is 99, expected a whole number from 0 to 32"),
        ("--threads 0", "threads is 0, expected a whole number from 1"),
    ],
)
def test_bad_values_end_in_exit_code_2(
    options: str, message: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert 2 == run([*PLAIN, *options.split()])
    out, err = capsys.readouterr()
    assert ("", 1) == (out, err.count("\n"))
    assert message in err
    assert [] == leftovers(folder)


def test_a_program_never_shows_a_traceback(folder: Path) -> None:
    Path("x.sgm").write_bytes(b"\x1f\x8b\x00")
    for arguments, code in (
        ("-r x.sgm -t new.txt -b old.txt", 1),
        ("--nope", 2),
        ("-r ref1.txt -t \udcff -b old.txt", 1),
    ):
        result = program(*arguments.split())
        assert (code, "") == (result.returncode, result.stdout)
        assert "Traceback" not in result.stderr and "error: " in result.stderr


def test_a_reader_that_goes_away_is_not_an_error_message(folder: Path) -> None:
    code = "import sys; from truebleu.cli.commands.sign_test import COMMAND; sys.exit(COMMAND.run(sys.argv[1:]))"
    read, write = os.pipe()
    os.close(read)
    arguments = [sys.executable, "-c", code, *PLAIN, "--no-files", "--json"]
    result = subprocess.run(arguments, stdout=write, stderr=subprocess.PIPE, text=True)
    os.close(write)
    assert (1, "") == (result.returncode, result.stderr)


def test_systems_of_one_file_are_chosen_by_sysid(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("all.sgm").write_text(sgm("tstset", {"new": SYSTEM, "old": BASELINE}), encoding="utf-8")
    both = ("-t", "all.sgm", "-b", "all.sgm")
    chosen = outcome(capsys, "-r", "reference.sgm", *both, "--sysid", "new", "--baseline-sysid", "old")
    expected = outcome(capsys, *EXAMPLE)
    assert expected["items"] == chosen["items"]


def test_ids_can_be_ignored(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    renamed = sgm("tstset", {"new": SYSTEM}).replace("harbour", "doc1").replace("market", "doc2")
    Path("renamed.sgm").write_text(renamed.replace("The ferry left the old doc1", "The ferry left the old harbour"))
    arguments = ["-r", "reference.sgm", "-t", "renamed.sgm", "-b", "baseline.sgm"]
    assert 1 == run([*arguments, "--no-files"])
    assert "have no segment in common" in (message := capsys.readouterr().err) and "--by-position" in message
    assert 4 == outcome(capsys, *arguments, "--by-position")["different"]


def test_other_encodings_are_read_when_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("latin.txt").write_bytes("Käse\n".encode("latin-1"))
    Path("other.txt").write_bytes("Kase\n".encode("latin-1"))
    result = outcome(capsys, *["-m", "chrf", "-r", "latin.txt", "-t", "latin.txt", "-b", "other.txt", "-e", "latin-1"])
    assert (1, 100.0) == (result["f_plus"], result["system_score"])


def test_warnings_of_the_library_are_shown(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("tokenized.txt").write_text("a b c .\n" * 150)
    assert 0 == run(["-r", "tokenized.txt", "-t", "tokenized.txt", "-b", "tokenized.txt", "--no-files"])
    assert re.match(r"truebleu sign-test: warning: 150 hypotheses end in", capsys.readouterr().err)


def test_help_and_version(capsys: pytest.CaptureFixture[str]) -> None:
    for argument, expected in (("--help", "usage: truebleu sign-test"), ("--version", "truebleu sign-test 0.")):
        assert 0 == run([argument])
        assert capsys.readouterr().out.startswith(expected)


def test_people_read_base_names_and_programs_get_paths(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("new", "old"):
        (folder / name).mkdir()
        (folder / name / "out.txt").write_bytes((folder / f"{name}.txt").read_bytes())
    files = {"new": str(folder / "new" / "out.txt"), "old": str(folder / "old" / "out.txt")}
    words = ["-r", str(folder / "ref1.txt"), "--no-files", "-b", files["old"]]
    for system, names in (
        (str(folder / "new.txt"), ["out.txt", "new.txt"]),
        (files["new"], ["old/out.txt", "new/out.txt"]),
    ):
        assert 0 == run([*words, "-t", system])
        lines = capsys.readouterr().out.splitlines()
        assert names == [line.split()[-1] for line in lines if line.startswith(("baseline ", "system "))]
        assert 0 == run([*words, "-t", system, "--json"])
        found = json.loads(capsys.readouterr().out)
        assert (files["old"], system) == (found["baseline"], found["system"])


def test_two_systems_of_one_file_are_called_by_their_ids(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    both = folder / "both.sgm"
    both.write_bytes((folder / "baseline.sgm").read_bytes() + (folder / "testoutput.sgm").read_bytes())
    words = ["-r", "reference.sgm", "-t", "both.sgm", "-b", "both.sgm", "--sysid", "new", "--baseline-sysid", "old"]
    assert 0 == run([*words, "--no-files"])
    out = capsys.readouterr().out
    assert "both.sgm: old\n" in out and "both.sgm: new\n" in out
