"""`--seed` is the seed of whatever a command draws; `test_every_flag` has the commands that draw nothing."""

import json

import pytest

from cli.conftest import SYSTEMS, Files

A, B, _ = (f"{name}.de" for name in SYSTEMS)

DRAWN = [
    f"ref1.de -i {A} -ci -cin 50",
    f"ref1.de -i {A} -m chrf -ci -cin 50 -f json",
    f"ref1.de -i {A} {B} --paired bs --paired-n 50",
    f"ref1.de -i {A} {B} --paired ar --paired-n 50",
    f"ref1.de -i {A} {B} --paired bs2 --paired-n 50 -f json",
    f"ref1.de -i {A} {B} --paired sign --paired-ar-confidence-n 50",
    f"ref1.de -i {A} {B} --paired-all --paired-n 50",
    f"-t demo -l en-de -i {SYSTEMS[0]} --breakdown domain -ci -cin 50",
    f"report ref1.de -i {A} {B} --trials 50 -o {{}}.html --json {{}}.json -q",
    f"plot length ref1.de -i {A} {B} -o {{}}.svg -q",
    f"receipt make ref1.de -i {A} -ci -cin 50 -o {{}}.receipt.json -q",
]


@pytest.mark.parametrize("line", DRAWN)
def test_the_seed_is_that_of_the_variable(line: str, files: Files) -> None:
    def answer(*more: str, **variables: str) -> object:
        run = files.ours(*line.replace("{}", "x").split(), *more, SOURCE_DATE_EPOCH="0", **variables)
        assert 0 == run.code, run.err
        written = sorted(files.folder.glob("x.*"))
        contents = [path.read_text("utf-8") for path in written if path.suffix != ".html"]  # which has the command
        for path in written:
            path.unlink()
        return run.out, [text.replace(' --seed 7"', '"') for text in contents]

    assert answer() != answer("--seed", "7") == answer(SACREBLEU_SEED="7") == answer("--seed", "7", SACREBLEU_SEED="8")


def test_a_fresh_seed_differs_each_time(files: Files) -> None:
    words = ("ref1.de", "-i", A, "-ci", "-cin", "50", "-f", "json", "--seed", "none")
    first, second = (json.loads(files.ours(*words).out) for _ in range(2))
    assert first != second and "seed:none" in json.dumps(first)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("-ci --seed x", "the seed is 'x', expected a whole number from 0, or 'none'"),
        ("-ci --seed=-1", "the seed is '-1', expected a whole number from 0, or 'none'"),
        (
            "--seed 7 --like BLEU|nrefs:1|bs:100|seed:12345|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0",
            "--seed 7 contradicts --like, whose signature says seed:12345",
        ),
    ],
)
def test_a_seed_that_cannot_be(words: str, told: str, files: Files) -> None:
    run = files.ours("ref1.de", "-i", A, *words.split(" "))
    assert (2, "") == (run.code, run.out) and told in run.err
