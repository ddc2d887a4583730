"""The runner of blocks notices what is wrong."""

from pathlib import Path

import pytest

from docs.blocks import Page, agrees, blocks, faults


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def fenced(language: str, *lines: str) -> str:
    return "\n".join([f"```{language}", *lines, "```", ""])


GOOD = {
    "names go on": fenced("python", "a = 1") + "\n" + fenced("python", "print(a)  # 1"),
    "output": fenced("python", "print(1)", "print(2)") + "\n" + fenced("text", "1", "2"),
    "doctest": fenced("python", ">>> 1 + 1", "2", ""),
    "a value": fenced("python", "[1, 2]  # [1, 2]"),
    "no value": fenced("python", "[1, 2]  # a list"),
    "a command": fenced("sh", "true    # nothing"),
    "a command and its output": fenced("console", "$ echo 1; echo 2", "1", "2", "$ echo 3", "3"),
    "dots": fenced("console", "$ seq 9", "1", "…", "9"),
    "exit codes": "<!-- exit codes: 0 3 -->\n" + fenced("sh", "exit 3", "true"),
    "not run": "<!-- not run: it ends the world -->\n" + fenced("sh", "false"),
    "data": fenced("json", '{"a": 1}'),
    "a file": fenced("python", "# x.py", "print(7)") + "\n" + fenced("console", "$ python3 x.py", "7"),
    "in a list": "- item\n\n" + "\n".join(f"  {line}" for line in fenced("sh", "true").splitlines()),
}

BAD = {
    "an exception": (fenced("python", "1 / 0"), "ZeroDivisionError"),
    "printed": (fenced("python", "print(1)  # 2"), "but it is\n1"),
    "another value": (fenced("python", "[1, 2]  # [1, 3]"), "but it is\n[1, 2]"),
    "other output": (fenced("python", "print(1)") + "\n" + fenced("text", "2"), "but it is\n1"),
    "less output": (fenced("python", "print(1)") + "\n" + fenced("text", "1", "2"), "but it is\n1"),
    "doctest": (fenced("python", ">>> 1 + 1", "3", ""), "Got:"),
    "a command fails": (fenced("sh", "false"), "ends with 1"),
    "a command succeeds": ("<!-- exit codes: 1 -->\n" + fenced("sh", "true"), "ends with 0"),
    "never with 1": ("<!-- exit codes: 0 1 -->\n" + fenced("sh", "true"), "its commands end with [0]"),
    "a command prints": (fenced("console", "$ echo 1", "2"), "but it is\n1"),
    "the second prints": (fenced("console", "$ echo 1", "1", "$ echo 2", "3"), "but it is\n2"),
    "nothing is fetched": ("<!-- fetched: wmt22 -->\n" + fenced("sh", "true wmt22"), "should miss its test set"),
    "no data": (fenced("json", "{"), "JSONDecodeError"),
}

UNMARKED = {
    "text": "Words.\n\n" + fenced("text", "what is this?"),
    "no language": fenced("", "what is this?"),
    "another language": fenced("py", "1 / 0"),
    "an unknown comment": "<!-- perhaps run: no -->\n" + fenced("sh", "true"),
    "no reason": "<!-- not run:  -->\n" + fenced("sh", "true"),
    "indented": "Words.\n\n    truebleu ref.txt\n",
    "three dots alone": fenced("console", "$ seq 9", "…"),
}


@pytest.mark.parametrize("text", GOOD.values(), ids=GOOD)
def test_good_pages_have_no_problem(text: str) -> None:
    assert [] == faults(text) == Page(text).run()


@pytest.mark.parametrize(("text", "said"), BAD.values(), ids=BAD)
def test_a_problem_is_told(text: str, said: str) -> None:
    (problem, *_) = Page(text).run()
    assert said in problem


@pytest.mark.parametrize("text", UNMARKED.values(), ids=UNMARKED)
def test_what_is_not_run_needs_a_reason(text: str) -> None:
    assert 1 == len(faults(text))


def test_dots_stand_for_anything_and_the_rest_for_itself() -> None:
    assert agrees("a … c\n…\nd", "a b c\nx\ny\nd\n") and agrees("a\n…", "a")
    assert not agrees("a … c", "a b") and not agrees("a", "a\nb") and not agrees("a.c", "abc")


def test_where_a_block_is() -> None:
    (block,) = blocks("# Page\n\n<!-- not run: why -->\n```sh\ntrue\n```\n")
    assert (4, "why", "sh") == (block.line, block.unrun, block.language)
