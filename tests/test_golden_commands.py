"""The answers of sacreBLEU's program that are kept, and the tool that makes and compares them."""

import json
from pathlib import Path

import pytest

import golden
from oracle import commands

KEPT = golden.GOLDEN.read_text("utf-8").splitlines()


def test_every_difference_from_the_program_is_named() -> None:
    assert [] == golden.differences(KEPT, KEPT)
    first = json.loads(KEPT[0])
    other = json.dumps(first | {"out": first["out"] + " "})
    (fault,) = golden.differences(KEPT, [other, *KEPT[1:]])
    assert fault.endswith(f"sacrebleu {' '.join(first['words'])} ({first['input']}): sacreBLEU answers otherwise")
    assert ["no test asks for it"] == [fault.split(": ")[-1] for fault in golden.differences(KEPT, KEPT[1:])]
    assert ["has no answer in the file"] == [fault.split(": ")[-1] for fault in golden.differences(KEPT[1:], KEPT)]


def test_a_missing_answer_fails_and_tells_how_it_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(commands.VARIABLE, raising=False)
    (tmp_path / "ref").write_text("a\n", "utf-8")
    with pytest.raises(pytest.fail.Exception, match=r"run `python tools/golden\.py`"):
        commands.answer(["ref", "-i", "ref"], tmp_path, b"", {}, {})


def test_no_answer_names_a_folder_of_a_machine() -> None:
    assert len(KEPT) > 200
    assert [] == [line for line in KEPT if any(root in line for root in ("/home", "/root", "/tmp", "site-packages"))]


@pytest.mark.full
def test_the_program_still_answers_so() -> None:
    assert 0 == golden.main(["--check"])
