"""The command as its users meet it: mistakes, pipes, terminals."""

import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import truebleu
from cli.conftest import PROGRAM, SYSTEMS, Files
from truebleu.version import __version__

A, B, C = (f"{name}.de" for name in SYSTEMS)


def one_message(err: str) -> str:
    """What standard error says, without the prefix and the advice."""
    first, *rest = err.splitlines()
    assert first.startswith("truebleu: ") and rest in ([], ["Try 'truebleu --help'."]), err
    return first.removeprefix("truebleu: ")


# Mistakes in the data: exit code 1.


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("nowhere.txt -i atlas.de", "nowhere.txt: there is no such file"),
        ("ref1.de -i nowhere.txt", "nowhere.txt: there is no such file"),
        (". -i atlas.de", ".: is a folder, expected a file"),
        ("empty -i atlas.de", "empty is empty, expected one segment per line"),
        ("ref1.de -i empty", "empty is empty, expected one segment per line"),
        ("ref1.de", "standard input is empty, expected one segment per line (or use -i FILE)"),
        ("ref1.de ref2.de", "standard input is empty, expected one segment per line (or use -i FILE). ref2.de was "),
        ("broken.gz -i atlas.de", "broken.gz: cannot be decompressed, is it damaged or cut off?"),
        ("broken.xz -i atlas.de", "broken.xz: cannot be decompressed, is it damaged or cut off?"),
        ("bytes.txt -i atlas.de", "bytes.txt, line 2: byte 4 of the line is 0xff, which is not utf-8"),
        ("ref1.de -e nonsense -i atlas.de", "ref1.de: there is no encoding called 'nonsense'"),
        ("ref1.de -i atlas.de atlas.de", "atlas.de is given twice; give each system once"),
        ("ragged.tsv -nr 2 -i atlas.de", "ragged.tsv, line 2: found 1 reference, expected 2, separated by tabs"),
        ("bad.jsonl --ref-field r --hyp-field h", "bad.jsonl, line 2: not JSON: "),
        ("list.jsonl --ref-field r --hyp-field h", "list.jsonl, line 1: a list, expected an object with fields"),
        ("ok.jsonl --ref-field r --hyp-field x", "ok.jsonl, line 1: there is no field 'x'; the fields are 'h', 'r'"),
        ("ok.jsonl --ref-field h --hyp-field r", "ok.jsonl, line 1: the field 'r' is a list, expected a text"),
        ("cells.tsv --ref-field r --hyp-field h", "cells.tsv, line 3: found 1 cell, expected 2 as in the header"),
        ("twice.tsv --ref-field r --hyp-field r", "twice.tsv, line 1: the header has the column 'r' twice"),
        ("none.jsonl --ref-field r --hyp-field h", "none.jsonl, line 2: there is no reference"),
    ],
)
def test_a_mistake_in_the_data_is_one_message_and_exit_code_1(files: Files, words: str, message: str) -> None:
    write_mistakes(files)
    run = files.ours(*words.split())
    assert (1, "") == (run.code, run.out)
    assert one_message(run.err).startswith(message)


def write_mistakes(files: Files) -> None:
    files.write("empty", "")
    (files.folder / "broken.gz").write_bytes(b"\x1f\x8b\x08 no")
    files.write("broken.xz", b"\xfd7zXZ\x00 no")
    files.write("bytes.txt", b"fine\nbad\xff\n")
    files.write("ragged.tsv", "a\tb\nc\n")
    files.write("bad.jsonl", '{"h": "a", "r": "a"}\n{"h": \n')
    files.write("list.jsonl", "[1]\n")
    files.write("ok.jsonl", '{"h": "a", "r": ["a", "b"]}\n')
    files.write("cells.tsv", "h\tr\na\tb\nc\n")
    files.write("twice.tsv", "r\tr\na\tb\n")
    files.write("none.jsonl", '{"h": "a", "r": ["a"]}\n{"h": "b", "r": [null]}\n')


def test_standard_input_with_ragged_systems(files: Files) -> None:
    run = files.ours("ref1.de", stdin="a\tb\nc\n")
    assert 1 == run.code
    assert one_message(run.err).startswith("standard input, line 2: found 1 system, expected 2 as in line 1")


@pytest.mark.parametrize(
    ("edit", "hint"),
    [
        (lambda lines: lines[:-5], "The first 75 fit; is the end of the system missing?"),
        (lambda lines: lines[:30] + lines[33:], "at line 31: are 3 lines of the system missing there?"),
        (lambda lines: [*lines[:20], "Etwas anderes.", *lines[20:]], "at line 21: is 1 line of the reference missing"),
        (lambda lines: ["x"] * 79, ""),
    ],
)
def test_where_files_drift_apart(files: Files, edit: object, hint: str) -> None:
    lines = (files.folder / B).read_text("utf-8").split("\n")[:-1]
    files.write("edited", "\n".join(edit(lines)) + "\n")  # type: ignore[operator]
    run = files.ours("ref1.de", "-i", "edited")
    message = one_message(run.err)
    assert 1 == run.code
    assert message.startswith(f"edited has {len(edit(lines))} lines, the reference ref1.de has 80")  # type: ignore[operator]
    assert message.endswith(
        ("" if hint else "80;") + " if the lines of the system need not match, --resegment aligns them"
    )
    assert hint in message


# Mistakes in usage: exit code 2.


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("", "there are no references"),
        ("ref1.de -i", "-i is given without a file name"),
        ("ref1.de -nr 0 -i atlas.de", "--num-refs is 0, expected a number from 1"),
        ("ref1.de ref2.de -nr 2 -i atlas.de", "--num-refs goes with exactly one reference file"),
        ("ref1.de -i atlas.de -w -1", "--width is -1, expected a number from 0"),
        ("ref1.de -i atlas.de --threads 0", "--threads is 0, expected a number from 1"),
        ("ref1.de -i atlas.de -l ende", "--language-pair is 'ende', expected source-target, as in en-de"),
        ("ref1.de -i atlas.de -sl -ci", "--sentence-level gives one score per segment"),
        ("ref1.de -i atlas.de birch.de --paired-bs --paired ar", "one paired test at a time, got ar and bs"),
        ("ref1.de -i atlas.de birch.de --paired-bs -j -1", "--paired-jobs is -1, expected a number from 0"),
        ("ref1.de -i atlas.de -m chrf -cc 0", "CHRF: char_order and word_order are both 0"),
        ("ref1.de -i atlas.de --like nonsense", "--like: 'nonsense' is not a signature"),
        ("ref1.de -i atlas.de --like BLEU|tok:13a -lc", "--lowercase contradicts --like"),
        (
            "ref1.de -i atlas.de --like BLEU|tok:13a -tok zh",
            "--tokenize zh contradicts --like, whose signature says 13a",
        ),
        ("ref1.de -i atlas.de --like TER|norm:no -m bleu", "--like is a signature of ter, and --metrics asks for bleu"),
        ("ref1.de -i atlas.de --like BLEU|tok:13a -sl", "--sentence-level contradicts --like"),
    ],
)
def test_a_mistake_in_usage_is_one_message_and_exit_code_2(files: Files, words: str, message: str) -> None:
    run = files.ours(*words.split())
    assert (2, "") == (run.code, run.out)
    assert one_message(run.err).startswith(message)


def test_a_flag_without_its_value_says_what_it_takes(files: Files) -> None:
    for flag, message in (
        ("--paired", "argument --paired/-pa: expected one argument: ar, bs, bs2, sign"),
        ("--seed", "argument --seed: expected one argument: N"),
        ("-m", "argument --metrics/-m: expected at least one argument: NAME"),
    ):
        run = files.ours("ref1.de", "-i", "atlas.de", "birch.de", flag)
        assert (2, "") == (run.code, run.out)
        assert run.err.splitlines()[-1] == f"truebleu: error: {message}"


def test_an_unknown_option_is_argparse_s_business(files: Files) -> None:
    run = files.ours("ref1.de", "--nonsense")
    assert (2, "") == (run.code, run.out)
    assert "unrecognized arguments: --nonsense" in run.err


def test_an_unknown_format_in_our_variable(files: Files) -> None:
    run = files.ours("ref1.de", "-i", A, TRUEBLEU_FORMAT="nonsense")
    assert 2 == run.code
    assert one_message(run.err).startswith("the variable TRUEBLEU_FORMAT is 'nonsense', expected one of text, json")


# What works.


def test_version_and_module(files: Files) -> None:
    assert f"truebleu {__version__}\n" == files.ours("--version").out == files.ours("-V").out


def test_the_installed_command_is_the_module(files: Files) -> None:
    command = Path(sys.executable).with_name("truebleu")
    done = subprocess.run([command, "ref1.de", "-i", A], cwd=files.folder, capture_output=True, text=True)
    assert files.ours("ref1.de", "-i", A).out == done.stdout


@pytest.mark.parametrize(
    ("words", "stdin", "code"),
    [(("ref1.de",), "a\n" * 80, 0), (("ref1.de", "-i", A, B), "", 0), (("nowhere", "-i", A), "", 1), (("-i",), "", 2)],
)
def test_a_process_answers_as_the_tests_do_in_theirs(
    files: Files, words: tuple[str, ...], stdin: str, code: int
) -> None:
    done = subprocess.run([*PROGRAM, *words], cwd=files.folder, input=stdin, capture_output=True, encoding="utf-8")
    assert (code, done.stdout, done.stderr) == files.ours(*words, stdin=stdin)
    assert code == done.returncode


def test_help_is_grouped_and_has_examples(files: Files) -> None:
    run = files.ours("--help")
    assert 0 == run.code
    for heading in (
        "What to score:",
        "Test sets:",
        "Metrics:",
        "Google BLEU:",
        "chrF:",
        "TER:",
        "How sure:",
        "Output:",
        "examples:",
    ):
        assert f"\n{heading}\n" in run.out
    assert "\033[" not in run.out


def test_a_reader_who_leaves_is_no_error(files: Files) -> None:
    files.write("many", "a b c\n" * 50_000)
    files.write("others", "a b d\n" * 50_000)
    words = [*PROGRAM, "many", "-i", "others", "-sl"]
    with subprocess.Popen(words, cwd=files.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stderr is not None
        assert process.stdout.readline().startswith(b"BLEU|")
        process.stdout.close()
        assert b"" == process.stderr.read()
    assert 0 == process.returncode


def test_colours_on_a_terminal_only(files: Files) -> None:
    pty = pytest.importorskip("pty", reason="there are no pseudo-terminals here")

    def on_a_terminal(*words: str, **variables: str) -> str:
        ours, its = pty.openpty()
        environment = {**os.environ, **variables}
        process = subprocess.Popen(
            [*PROGRAM, *words], cwd=files.folder, stdout=its, env=environment, stderr=subprocess.DEVNULL
        )
        os.close(its)
        shown = b""
        try:
            while block := os.read(ours, 4096):
                shown += block
        except OSError:  # how a terminal says that the other side has closed it
            pass
        process.wait()
        os.close(ours)
        return shown.decode("utf-8")

    words = ("ref1.de", "-i", A, "-ci", "-cin", "20")
    assert "\033[36m(μ = " in on_a_terminal(*words)
    assert "\033[1mWhat to score:\033[0m" in on_a_terminal("--help")
    for plain in (on_a_terminal(*words, "-nc"), on_a_terminal(*words, NO_COLOR="1"), files.ours(*words).out):
        assert "\033[" not in plain
    table = ("ref1.de", "-i", A, B)
    assert "\033[36mBLEU\033[0m" in on_a_terminal(*table)
    assert "\033[" not in on_a_terminal(*table, "-f", "latex")
    assert "\033[36m" in on_a_terminal(*words, NO_COLOR="")


@pytest.mark.parametrize("suffix", ["gz", "bz2", "xz", "zst"])
def test_compressed_files(files: Files, suffix: str) -> None:
    import bz2
    import gzip
    import lzma

    import zstandard

    compress = {
        "gz": gzip.compress,
        "bz2": bz2.compress,
        "xz": lzma.compress,
        "zst": zstandard.ZstdCompressor().compress,
    }[suffix]
    (files.folder / f"packed.{suffix}").write_bytes(compress((files.folder / A).read_bytes()))
    assert files.ours("ref1.de", "-i", A).out == files.ours("ref1.de", "-i", f"packed.{suffix}").out


def test_jsonl_with_any_number_of_references_and_tabs(files: Files) -> None:
    records = [
        {
            "mt": "The heron\tstood there.",
            "alt": "A heron.",
            "refs": ["The heron stood.", None, "A heron stood there."],
        },
        {"mt": "Nobody came.", "alt": "Nobody.", "refs": "Nobody came at all."},
    ]
    content = "".join(json.dumps(record) + "\n" for record in records)
    files.write("some.jsonl", content)
    streams = [["The heron stood.", "Nobody came at all."], [None, None], ["A heron stood there.", None]]
    expected = truebleu.BLEU().corpus_score([str(record["mt"]) for record in records], streams)
    words = ("--hyp-field", "mt", "--ref-field", "refs", "-f", "json")
    from_file, from_stdin = files.ours("some.jsonl", *words), files.ours(*words, stdin=content)
    assert expected.score == json.loads(from_file.out)["score"]
    assert from_file.out == from_stdin.out
    both = json.loads(files.ours("some.jsonl", "--hyp-field", "mt", "alt", "--ref-field", "refs", "-f", "json").out)
    assert ["mt", "alt"] == [fields["system"] for fields in both]


def test_tsv_with_named_columns_and_plain_references(files: Files) -> None:
    files.write("some.tsv", "id\tmt\tref\n1\ta b c d\ta b c d\n2\te f g h\te f g x\n")
    files.write("some.txt", "a b c d\ne f g x\n")
    by_name = files.ours("some.tsv", "--hyp-field", "mt", "--ref-field", "ref", "-b")
    assert "72.3\n" == by_name.out
    assert by_name.out == files.ours("some.txt", "-i", "some.tsv", "--hyp-field", "mt", "-b").out


def test_every_format_for_programs_has_full_precision(files: Files) -> None:
    expected = {name: truebleu.BLEU().corpus_score(*texts(files, name)).score for name in (A, B)}
    words = ("ref1.de", "-i", A, B)
    assert expected == {x["system"]: x["score"] for x in json.loads(files.ours(*words, "-f", "json").out)}
    lines = files.ours(*words, "-f", "jsonl").out.splitlines()
    assert expected == {x["system"]: x["score"] for x in map(json.loads, lines)}
    for name, delimiter in (("csv", ","), ("tsv", "\t")):
        rows = csv.DictReader(io.StringIO(files.ours(*words, "-f", name).out), delimiter=delimiter)
        assert expected == {row["system"]: float(row["score"]) for row in rows}


def texts(files: Files, name: str) -> tuple[list[str], list[list[str]]]:
    read = [(files.folder / file).read_text("utf-8").split("\n")[:-1] for file in (name, "ref1.de")]
    return read[0], [read[1]]


@pytest.mark.parametrize(
    "words",
    [
        "",
        "-m bleu chrf ter",
        "-ci -cin 20",
        "-sl",
        "-sl -m bleu ter",
        f"-i {B}",
        f"-i {B} -m chrf ter -ci -cin 20",
    ],
)
def test_every_score_object_has_the_documented_keys(files: Files, words: str) -> None:
    out = files.ours("ref1.de", "-i", A, *words.split(), "-f", "json").out
    objects = json.loads(out)
    for fields in objects if isinstance(objects, list) else [objects]:
        assert 1 == fields["schema"]
        assert isinstance(fields["score"], float) and fields["signature"].endswith(f"version:truebleu-{__version__}")
        assert fields["settings"]["nrefs"] == "1"
        assert ("segment" in fields) == ("-sl" in words)
        assert ("confidence" in fields) == ("-ci" in words)
        assert ("precisions" in fields) == (fields["name"] == "BLEU")


def test_json_of_scores_alone_is_json(files: Files) -> None:
    assert isinstance(json.loads(files.ours("ref1.de", "-i", A, "-b", "-f", "json").out), float)
    assert 3 == len(json.loads(files.ours("ref1.de", "-i", A, "-b", "-m", "bleu", "chrf", "ter", "-f", "json").out))


def test_sentence_level_with_several_metrics_and_systems(files: Files) -> None:
    lines = files.ours("ref1.de", "-i", A, B, "-sl", "-m", "chrf", "bleu", "-b").out.splitlines()
    assert 2 * 2 * 80 == len(lines)
    assert [f"{A}:1\tBLEU", f"{A}:1\tchrF2", f"{A}:2\tBLEU"] == [line.rpartition("\t")[0] for line in lines[:3]]
    numbers = [float(line.split("\t")[2]) for line in lines if line.startswith(A) and "chrF2" in line]
    alone = files.ours("ref1.de", "-i", A, "-sl", "-m", "chrf", "-b").out.split()
    assert [float(number) for number in alone] == numbers


def test_intervals_for_several_systems(files: Files) -> None:
    out = files.ours("ref1.de", "-i", A, B, "-ci", "-cin", "100").out
    alone = files.ours("ref1.de", "-i", A, "-ci", "-cin", "100", "-b").out.strip()
    assert "BLEU (μ ± 95% CI)" in out and "bs:100|seed:12345" in out
    assert alone.replace("μ = ", "") in out


RST = """\
========  ======  =======
  System   BLEU    chrF2
========  ======  =======
atlas.de   {0}    {1}
birch.de   {2}    {3}
========  ======  =======
"""


def test_rst_html_and_markdown_tables(files: Files) -> None:
    words = ("ref1.de", "-i", A, B, "-m", "bleu", "chrf")
    scores = [f"{x['score']:.1f}" for x in json.loads(files.ours(*words, "-f", "json").out)]
    assert files.ours(*words, "-f", "rst").out.startswith(RST.format(*scores))
    html = files.ours(*words, "-f", "html").out
    assert '<tr><td style="text-align: right;">atlas.de</td><td style="text-align: center;">' in html
    markdown = files.ours(*words, "-f", "markdown").out
    assert "|---------:|:------:|:-------:|" in markdown and "- BLEU: `nrefs:1|" in markdown


def test_names_that_look_like_numbers_stay_as_they_are(files: Files) -> None:
    for name in ("1e3", "007"):
        (files.folder / name).write_bytes((files.folder / A).read_bytes())
    assert "│      1e3 │" in files.ours("ref1.de", "-i", "1e3", "007").out


def test_threads_do_not_show(files: Files) -> None:
    words = ("ref1.de", "-i", A, "-m", "bleu", "chrf", "ter", "-ci", "-cin", "50")
    assert files.ours(*words, "--threads", "1").out == files.ours(*words, "--threads", "3").out


def test_messages_go_to_standard_error_and_quiet_leaves_warnings(files: Files) -> None:
    assert "truebleu: found 2 systems\n" == files.ours("ref1.de", "-i", A, B).err
    assert "" == files.ours("ref1.de", "-i", A, B, "-q").err
    files.write("tokenized", "a b c .\n" * 100)
    run = files.ours("tokenized", "-i", "tokenized", "-q")
    assert "truebleu: 100 hypotheses end in a full stop with a space before it" in run.err


# Published signatures and reports.


@pytest.mark.parametrize(
    ("signature", "flags"),
    [
        ("BLEU|nrefs:1|case:lc|eff:no|tok:intl|smooth:floor[0.50]|version:2.3.1", "-lc -tok intl -s floor -sv 0.5"),
        ("#:1|c:mixed|e:no|tok:char|s:add-k[1.00]|v:2.0.0", "-tok char -s add-k"),
        ("BLEU+case.mixed+lang.en-de+numrefs.1+smooth.exp+tok.13a+version.1.5.1", ""),
        ("BLEU+c.lc+l.en+#.1+s.none+tok.zh+v.1.2.3", "-lc -tok zh -s none"),
        ("chrF3++|nrefs:1|case:lc|eff:no|nc:5|nw:2|space:yes|version:2.4.0",
         "-m chrf --chrf-beta 3 -cw 2 -cc 5 --chrf-whitespace --chrf-lowercase --chrf-eps-smoothing"),
        ("chrF2|#:1|c:mixed|e:yes|nc:6|nw:0|s:no|v:2.0.0", "-m chrf"),
        ("chrF2+numchars.6+space.false+version.1.5.0", "-m chrf"),
        ("TER|nrefs:1|case:mixed|tok:tercom|norm:yes|punct:no|asian:yes|version:2.2.0",
         "-m ter --ter-case-sensitive --ter-normalized --ter-no-punct --ter-asian-support"),
        ("TER|#:1|c:lc|t:tercom|nr:no|pn:yes|as:no|v:2.0.0", "-m ter"),
        ("TER+tok.tercom-nonorm-punct-noasian-uncased+version.1.5.0", "-m ter"),
    ],
)  # fmt: skip
def test_like_a_published_signature(files: Files, signature: str, flags: str) -> None:
    like = files.ours("ref1.de", "-i", A, "--like", signature)
    assert files.ours("ref1.de", "-i", A, *flags.split()).out == like.out
    assert "which gives the numbers of sacreBLEU 2.6.0" in like.err


def test_like_a_line_of_output_with_resampling(files: Files) -> None:
    line = files.ours("ref1.de", "-i", A, "-m", "chrf", "-ci", "-cin", "30", SACREBLEU_SEED="7").out.strip()
    assert f"{line}\n" == files.ours("ref1.de", "-i", A, "--like", line).out


def test_like_says_when_there_were_other_numbers_of_references(files: Files) -> None:
    run = files.ours("ref1.de", "-i", A, "--like", "BLEU|nrefs:2|tok:13a")
    assert 0 == run.code and "scores with nrefs:2, here there is 1 reference" in run.err


@pytest.mark.parametrize("format", ["text", "markdown"])
def test_the_report_states_what_a_paper_should(files: Files, format: str) -> None:
    out = files.ours("ref1.de", "ref2.de", "-i", A, "--report", "-lc", "-f", format).out
    for key in ("Metric", "Tool", "Signature", "Tokenizer", "Case", "Smoothing", "References", "Test set", "Notes"):
        assert (f"- **{key}:** " if format == "markdown" else f"\n{key}: ") in f"\n{out}"
    assert "BLEU-4 (corpus-level)" in out and "2: ref1.de, ref2.de" in out and "-lc (case ignored)" in out


def test_completion_knows_the_options(files: Files) -> None:
    pytest.importorskip("argcomplete")
    line = "truebleu --chrf-w"
    variables = {
        **os.environ,
        "_ARGCOMPLETE": "1",
        "_ARGCOMPLETE_STDOUT_FILENAME": str(files.folder / "completions"),
        "COMP_LINE": line,
        "COMP_POINT": str(len(line)),
        "_ARGCOMPLETE_IFS": "\n",
    }
    subprocess.run([Path(sys.executable).with_name("truebleu")], env=variables, check=False, capture_output=True)
    completions = (files.folder / "completions").read_text("utf-8").split("\n")
    assert {"--chrf-word-order", "--chrf-whitespace"} == {word.strip() for word in completions if word.strip()}
