"""The parsers on seeded input, a little of what `make fuzz` does; and the words of `tools/fuzz.py`."""

import sys
from pathlib import Path

import pytest

import fuzz
import parsers
from conftest import CASES, REPOSITORY


@pytest.mark.parametrize("name", parsers.TARGETS)
def test_what_a_parser_should_take_is_taken(name: str) -> None:
    target = parsers.TARGETS[name]
    assert target.seeds()
    for seed in target.seeds():
        target.check(seed)


@pytest.mark.parametrize("name", parsers.TARGETS)
def test_whatever_the_bytes_a_parser_raises_errors_of_truebleu_alone(name: str) -> None:
    target = parsers.TARGETS[name]
    for mutant in parsers.mutants(target.seeds(), CASES, name):
        parsers.run(target, mutant)


def test_mutants_differ_from_seeds_and_from_each_other_and_come_again() -> None:
    seeds = parsers.TARGETS["sgm"].seeds()
    made = list(parsers.mutants(seeds, 200, "x"))
    assert made == list(parsers.mutants(seeds, 200, "x"))
    assert 150 < len(set(made) - set(seeds))


def test_an_error_of_another_kind_gets_out() -> None:
    def check(data: bytes) -> None:
        raise IndexError(data)

    with pytest.raises(IndexError):
        parsers.run(parsers.Target(check, list), b"x")


def test_every_target_of_rust_has_its_file() -> None:
    files = sorted(path.stem for path in (REPOSITORY / "fuzz" / "fuzz_targets").glob("*.rs"))
    assert files == sorted(fuzz.rust_targets())
    assert {"tokenizers", "matcher", "ter"} <= set(files)
    assert list(parsers.TARGETS) == fuzz.parsers()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--seconds", "0"], "--seconds is 0, expected 1 or more"),
        (["--seconds", "soon"], "invalid int value: 'soon'"),
        (["teh"], "there is no target 'teh', only tokenizers, matcher, ter, "),
    ],
)
def test_wrong_words_are_told(
    words: list[str], told: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["fuzz.py", *words])
    with pytest.raises(SystemExit) as caught:
        fuzz.main()
    assert 2 == caught.value.code
    assert told in capsys.readouterr().err


def test_what_fails_is_named_with_the_way_to_repeat_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    program = tmp_path / "host" / "release" / "ter"
    program.parent.mkdir(parents=True)
    keep = 'for word; do case $word in -artifact_prefix=*) touch "${word#*=}crash-1"; esac; done'
    program.write_text(f"#!/bin/sh\necho wrong\n{keep}\nexit 77\n")
    program.chmod(0o755)
    monkeypatch.setattr(fuzz, "BUILT", tmp_path)
    monkeypatch.setattr(fuzz, "FUZZ", tmp_path / "fuzz")
    monkeypatch.setattr(fuzz, "parsers", list)
    assert not fuzz.fuzz("ter", "host", 1)
    told = capsys.readouterr().out
    assert "wrong\n" in told
    assert f"to repeat it: {program}" in told
    assert told.rstrip().endswith("crash-1")
