"""The same words to both programs: the same text, byte for byte, but for the version.

Where formats differ by intent (COMPATIBILITY 16 and 17), each program gets its own word for the same format.
"""

from typing import NamedTuple

import pytest

from cli.conftest import SYSTEMS, TRAPS, Files, as_sacrebleu

A, B, C = (f"{name}.de" for name in SYSTEMS)


class Case(NamedTuple):
    """Words for both programs; `stdin` is the name of a file, or text."""

    words: str
    stdin: str = ""


METRIC_OPTIONS = (
    "",
    "-m bleu",
    "-m chrf",
    "-m ter",
    "-m ter chrf bleu",
    "-m chrf chrf ter",
    "-tok none",
    "-tok char",
    "-tok intl -lc",
    "--tokenize zh",
    "-s floor",
    "-s floor -sv 0.5",
    "--smooth-method add-k",
    "-s add-k -sv 2",
    "-s none",
    "-s exp -sv 3",
    "--force -lc",
    "-m chrf -cw 2",
    "-m chrf -cc 4 -cw 1 --chrf-beta 3",
    "-m chrf --chrf-whitespace --chrf-lowercase",
    "-m chrf --chrf-eps-smoothing",
    "-m ter --ter-case-sensitive --ter-no-punct",
    "-m ter --ter-normalized",
    "-m ter --ter-normalize --ter-asian-support",
    "-l en-de -m bleu ter",
    "-l en-zh",
)

OUTPUT_OPTIONS = (
    "-b",
    "-b -w 4",
    "-bw4",
    "-w 0",
    "--width=7 -m bleu chrf ter",
    "-sh",
    "-sh -m bleu chrf ter -w 3",
    "--short --score-only -m ter bleu",
    "-q",
    "-nc",
    "--confidence",
    "-ci -cin 50 -m bleu chrf ter",
    "-ci --confidence-n 1",
    "--confidence -b -m chrf",
    "-sl",
    "-sl -m chrf",
    "-sl -m ter -b",
    "--sentence-level -sh -w 3",
    "-sl -tok char -s floor",
)

MANY_SYSTEMS = (
    "",
    "-m bleu chrf ter",
    "-m ter chrf",
    "-w 4",
    "-sh",
    "-b",
    "-m chrf -cw 2",
    "-m bleu -lc -tok intl -q",
)

CASES = (
    # Every metric option, with one reference, two references, and two in a file.
    *(Case(f"ref1.de -i {A} {options}") for options in METRIC_OPTIONS),
    *(Case(f"ref1.de ref2.de -i {B} {options}") for options in METRIC_OPTIONS),
    *(Case(f"refs.tsv -nr 2 -i {C} {options}") for options in METRIC_OPTIONS[:20]),
    # Every output option.
    *(Case(f"ref1.de ref2.de -i {A} {options}") for options in OUTPUT_OPTIONS),
    *(Case(f"ref1.de {options}", stdin=B) for options in OUTPUT_OPTIONS[:10]),
    # Tables.
    *(Case(f"ref1.de -i {A} {B} {C} {options}") for options in MANY_SYSTEMS),
    *(Case(f"ref1.de ref2.de -i {C} {A} {options}") for options in MANY_SYSTEMS),
    # Chinese.
    *(
        Case(f"ref1.zh ref2.zh -i {SYSTEMS[0]}.zh {options}")
        for options in ("-tok zh", "-l en-zh -m bleu chrf", "-l en-zh-CN", "-tok char")
    ),
    # Ways of reading.
    Case(f"ref1.de.gz -i {SYSTEMS[0]}.de.gz"),
    Case("latin1.ref -e latin-1 -i latin1.ref"),
    Case("latin1.ref --encoding iso-8859-1 -i latin1.ref -m chrf ter"),
    Case("traps.ref -i traps.hyp -m bleu chrf ter"),
    Case("traps.ref -i traps.hyp -sl -w 6"),
    Case("traps.ref -i traps.hyp -m chrf --chrf-whitespace -w 6"),
    Case("ref1.de", stdin="two columns"),
    Case("ref1.de -m bleu ter", stdin="two columns"),
    Case("ref1.de ref2.de -m chrf -sh -w 3", stdin="two columns"),
    Case("refs.tsv -nr 2", stdin="two columns"),
    Case("one.ref", stdin="universal newlines"),
    Case("one.ref -m chrf ter", stdin="universal newlines"),
    Case(f"-i {A} -f text -- ref1.de"),
    Case(f"-i {A} {B} -w 2 ref1.de"),
    Case(f"--input {A} --width 2 ref1.de"),
    Case(f"ref1.de --inp {A} --sh --metr chrf"),
)


def standard_input(files: Files, name: str) -> bytes:
    if name == "two columns":
        columns = [(files.folder / system).read_text("utf-8").splitlines() for system in (A, B)]
        return "".join(f"{ours}\t{theirs}\n" for ours, theirs in zip(*columns, strict=True)).encode("utf-8")
    if name == "universal newlines":
        files.write("one.ref", "a b c d e\nf g h i\nj k l m\nn o\n")
        return b"a b c d e\r\nf g h\rj k l m \nn o"
    return (files.folder / name).read_bytes() if name else b""


def test_there_are_at_least_150_command_lines() -> None:
    assert 150 <= len(set(CASES)) + len(JSON_CASES) + len(LATEX_CASES)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.words)
def test_text(files: Files, case: Case) -> None:
    stdin = standard_input(files, case.stdin)
    words = case.words.split()
    theirs = files.theirs(*words, stdin=stdin, SACREBLEU_FORMAT="text")
    ours = files.ours(*words, stdin=stdin)
    assert (0, theirs.out) == (theirs.code, as_sacrebleu(ours.out))
    assert 0 == ours.code


JSON_CASES = (
    f"ref1.de -i {A}",
    f"ref1.de -i {A} -m ter chrf bleu",
    f"ref1.de ref2.de -i {A} -w 5 -m bleu ter",
    f"ref1.de -i {A} --confidence -cin 100",
    f"ref1.de -i {A} -m bleu chrf ter -ci",
    f"ref1.de -i {A} -b",
    f"ref1.de -i {A} -b -m ter chrf bleu",
    f"ref1.de -i {A} -b -m bleu chrf -ci",
    f"ref1.de -i {A} -sh",
    f"ref1.de -i {A} -sl -m ter",
    f"ref1.de -i {A} {B} {C}",
    f"ref1.de ref2.de -i {A} {B} -m bleu chrf ter -w 3",
)


@pytest.mark.parametrize("words", JSON_CASES)
def test_json_of_sacrebleu(files: Files, words: str) -> None:
    theirs = files.theirs(*words.split())
    assert theirs.out == as_sacrebleu(files.ours(*words.split(), "-f", "sacrebleu-json").out)
    assert theirs.out == as_sacrebleu(files.ours(*words.split(), SACREBLEU_FORMAT="JSON").out)


LATEX_CASES = (
    f"ref1.de -i {A}",
    f"ref1.de -i {A} -m bleu chrf ter",
    f"ref1.de -i {A} {B} -m bleu ter",
    f"ref1.de -i {A} {B} -w 3",
)


@pytest.mark.parametrize("words", LATEX_CASES)
def test_latex(files: Files, words: str) -> None:
    both = [run(*words.split(), "-f", "latex") for run in (files.theirs, files.ours)]
    assert both[0].out == as_sacrebleu(both[1].out)


def test_text_of_the_variable_beats_the_flag(files: Files) -> None:
    words = ("ref1.de", "-i", A, "-f", "json")
    assert files.theirs(*words, SACREBLEU_FORMAT="text").out == as_sacrebleu(
        files.ours(*words, SACREBLEU_FORMAT="text").out
    )


@pytest.mark.parametrize("seed", ["7", "12345"])
def test_seeds(files: Files, seed: str) -> None:
    words = ("ref1.de", "-i", B, "-m", "bleu", "chrf", "ter", "-ci", "-f", "text", "-w", "2")
    assert files.theirs(*words, SACREBLEU_SEED=seed).out == as_sacrebleu(files.ours(*words, SACREBLEU_SEED=seed).out)


def test_traps_hold_what_they_should() -> None:
    assert {"\r", "\t", "\u3000", "\u2028", "\u00a0"} <= set(TRAPS)
