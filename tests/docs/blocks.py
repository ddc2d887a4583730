"""The code blocks of a page, and what happens when they run: the one home of both.

`python blocks.py PAGE` runs all blocks of a page in the folder where it is started, and prints what went wrong, one
problem after the other. `tests/docs/test_blocks.py` starts it for every page, in a folder with files to work on.

What is run, and what is compared:

- ``python``: the blocks of a page, one after the other, in one namespace. ``>>>`` examples are doctests. A comment
  behind ``print(…)`` is what it prints. A comment behind another expression is its value if it looks like one, as
  ``# [1, 2]`` does.
- ``sh`` and ``console`` (and ``text`` that begins with ``$ ``): each command, by bash; ``truebleu`` with words and
  nothing else in this process. Below a ``$ `` line stands what it prints.
- Any other block that follows such a block is what the block prints, all of it.
- ``json``, ``toml`` and ``yaml`` that follow nothing are read by a parser.
- A block whose first line is a comment with the name of a file and nothing else is written to this file, for commands
  to use.

``…`` on a line of its own stands for any number of lines, elsewhere for any text; in comments ``...`` does so too.

A comment above a block changes that:

- ``<!-- not run: REASON -->``: the block is not run.
- ``<!-- fetched: wmt22, wmt24 -->``: commands that name these test sets need a network. They run without one, and must
  get as far as the missing file: their options are right.
- ``<!-- exit codes: 0 1 -->``: with what the commands of the block end, instead of 0.

Two of them stand in one comment with ``; `` between them.
"""

import ast
import contextlib
import doctest
import glob
import io
import json
import re
import subprocess
import sys
import tokenize
import tomllib
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import yaml

CODE = ("python", "sh", "console")
DATA = {"json": json.loads, "toml": tomllib.loads, "yaml": yaml.safe_load}

FENCE = re.compile(
    r"(?:^<!-- (?P<marker>[^\n]*?) -->\n)?^(?P<indent> *)```(?P<language>[\w-]*)[^\n]*\n(?P<text>.*?)^(?P=indent)```$",
    re.S | re.M,
)
MARKER = re.compile(r"(not run): (\S.*)|(fetched): ([\w/, -]+)|(exit codes): ([\d ]+)")
FILE = re.compile(r"[#%] ([\w./-]+\.(?:py|yml|tex))\n")
# What looks like a value: a literal, the text of a score, or a signature.
VALUE = re.compile(r"""[-\[({'"\d]|True\b|False\b|None\b|<|nrefs:""")


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its text, the comment above it, where it begins, and what stands before it."""

    language: str
    text: str
    marker: str
    line: int
    gap: str

    @property
    def code(self) -> bool:
        """Is it something to run?"""
        return self.language in CODE or self.text.startswith("$ ") or bool(self.file)

    @property
    def file(self) -> str:
        """The file that it is written to, if it is one."""
        found = FILE.match(self.text)
        return found[1] if found else ""

    def marked(self, name: str) -> str:
        """What a comment of this name says, if there is one."""
        found = [text for one in self.marker.split("; ") for key, _, text in [one.partition(": ")] if key == name]
        return found[0] if found else ""

    @property
    def unrun(self) -> str:
        """Why it is not run, if it is not."""
        return self.marker.removeprefix("not run: ") if self.marker.startswith("not run: ") else ""

    @property
    def fetched(self) -> list[str]:
        """The test sets that this block would fetch."""
        return self.marked("fetched").split(", ") if self.marked("fetched") else []

    def is_fetched(self, command: str) -> bool:
        """Would this command fetch one of them?"""
        return any(re.search(rf"\b{name}\b", command) for name in self.fetched)

    @property
    def exit_codes(self) -> set[int]:
        """What its commands end with."""
        return {int(code) for code in (self.marked("exit codes") or "0").split()}


def blocks(text: str) -> list[Block]:
    """All fenced blocks of a page."""
    found, end = [], 0
    for match in FENCE.finditer(text):
        indent = match["indent"]
        body = "".join(line.removeprefix(indent) for line in match["text"].splitlines(keepends=True))
        line = text.count("\n", 0, match.start("language")) + 1
        found.append(Block(match["language"], body, match["marker"] or "", line, text[end : match.start()]))
        end = match.end()
    return found


def with_output(page: list[Block]) -> Iterator[tuple[Block, str | None]]:
    """Each block that is no output, with the output that follows it."""
    at = 0
    while at < len(page):
        block, after = page[at], page[at + 1] if at + 1 < len(page) else None
        follows = after and not after.code and not after.gap.strip() and not after.marker and block.language in CODE
        yield block, after.text if after and follows else None
        at += 2 if follows else 1


def faults(text: str) -> list[str]:
    """Blocks that nobody would run, and nobody says why."""
    wrong = []
    for block, output in with_output(blocks(text)):
        shown = [output or "", *(below for _, below in commands(block) if block.code and block.language != "python")]
        if "…" in (one.strip() for one in shown):
            wrong.append(f"line {block.line}: three dots alone are no output")
        if block.marker and not block.unrun and not all(MARKER.fullmatch(one) for one in block.marker.split("; ")):
            wrong.append(f"line {block.line}: an unknown comment: {block.marker}")
        if not (block.code or block.unrun or block.language in DATA):
            wrong.append(f"line {block.line}: a block ({block.language}) that is neither run, nor output, nor marked")
    outside = FENCE.sub("", text)
    for match in re.finditer(r"(?<=\n\n)    \S.*", outside):
        before = outside[: match.start()].rstrip().rpartition("\n\n")[2]
        if not re.match(r" *([-*]|\d+\.) |    ", before):
            wrong.append(f"an indented block, which cannot be run: {match[0].strip()}")
    return wrong


def agrees(said: str, got: str) -> bool:
    """Is this what was said? Three dots stand for anything."""
    pattern = ""
    for line in said.rstrip().split("\n"):
        pattern += r"(?:.*\n)*?" if line.strip() == "…" else re.escape(line.rstrip()).replace("…", ".*") + r"\n"
    # How many settings `reconcile` tries depends on the tokenizers that are installed.
    pattern = re.sub(r"[\d,]+(\\ settings\\ tried;\\ about\\ )[\d.e\\-]+", r"[\\d,]+\1[\\d.e-]+", pattern)
    return re.fullmatch(pattern, "".join(f"{line.rstrip()}\n" for line in got.rstrip().split("\n"))) is not None


def is_value(said: str, value: object) -> bool:
    """Is this value what a comment says?"""
    with contextlib.suppress(ValueError, SyntaxError):
        return bool(ast.literal_eval(said) == value)
    return agrees(said, repr(value)) or agrees(said, str(value))


def differs(what: str, said: str, got: str) -> str:
    """The message about something that is not what the page says."""
    return f"{what}\n--- the page says\n{said.rstrip()}\n--- but it is\n{got.rstrip()}\n"


class Page:
    """The blocks of a page, run in order in the current folder; `problems` collects what is wrong."""

    def __init__(self, text: str) -> None:
        self.blocks = blocks(text)
        self.names: dict[str, Any] = {"__name__": "__main__"}
        self.problems: list[str] = []

    def run(self) -> list[str]:
        """Run everything; the problems that were found."""
        for block, output in with_output(self.blocks):
            if block.unrun:
                continue
            try:
                self.run_block(block, output)
            except Exception:
                self.problems.append(f"line {block.line}: {traceback.format_exc()}")
        return self.problems

    def run_block(self, block: Block, output: str | None) -> None:
        """Run one block, or read it."""
        if block.file:
            Path(block.file).parent.mkdir(parents=True, exist_ok=True)
            Path(block.file).write_text(block.text, "utf-8")
        elif block.language == "python" and ">>> " in block.text:
            self.run_doctest(block)
        elif block.language == "python":
            self.run_python(block, output)
        elif block.code:
            self.run_commands(block, output)
        else:
            DATA[block.language](block.text)

    def run_doctest(self, block: Block) -> None:
        """Examples with prompts."""
        test = doctest.DocTestParser().get_doctest(block.text, self.names, f"line {block.line}", None, block.line)
        said = io.StringIO()
        doctest.DocTestRunner().run(test, out=said.write, clear_globs=False)
        self.names.update(test.globs)
        if said.getvalue():
            self.problems.append(said.getvalue())

    def run_python(self, block: Block, output: str | None) -> None:
        """Statements without prompts, one after the other."""
        comments = {
            token.start[0]: token.string.removeprefix("#").strip().replace("...", "…")
            for token in tokenize.generate_tokens(io.StringIO(block.text).readline)
            if token.type == tokenize.COMMENT
        }
        everything = ""
        for statement in ast.parse(block.text).body:
            where = f"line {block.line + statement.lineno}: {ast.unparse(statement)}"
            value, printed = self.run_statement(statement, where)
            everything += printed
            comment = comments.get(statement.end_lineno or 0)
            if comment is None or output is not None or not isinstance(statement, ast.Expr):
                continue
            if printed and not agrees(comment, printed):
                self.problems.append(differs(where, comment, printed))
            elif not printed and VALUE.match(comment) and not is_value(comment, value):
                self.problems.append(differs(where, comment, repr(value)))
        if output is not None and not agrees(output, everything):
            self.problems.append(differs(f"line {block.line}", output, everything))

    def run_statement(self, statement: ast.stmt, where: str) -> tuple[object, str]:
        """The value of a statement that is an expression, and what was printed."""
        value, printed = None, io.StringIO()
        with contextlib.redirect_stdout(printed):
            if isinstance(statement, ast.Expr):
                value = eval(compile(ast.Expression(statement.value), where, "eval"), self.names)
            else:
                exec(compile(ast.Module([statement], []), where, "exec"), self.names)
        return value, printed.getvalue()

    def run_commands(self, block: Block, output: str | None) -> None:
        """Commands, each in a shell of its own."""
        ended, everything = set(), ""
        for command, shown in commands(block):
            done = run_command(command)
            everything += done.stdout + done.stderr
            if block.is_fetched(command):
                if done.returncode != 1 or "TRUEBLEU_OFFLINE is set" not in done.stderr:
                    self.problems.append(f"line {block.line}: {command}\nshould miss its test set:\n{done.stderr}")
                continue
            ended.add(done.returncode)
            if done.returncode not in block.exit_codes:
                self.problems.append(f"line {block.line}: {command}\nends with {done.returncode}:\n{done.stderr}")
            elif shown and not (agrees(shown, done.stdout) or agrees(shown, done.stdout + done.stderr)):
                self.problems.append(differs(f"line {block.line}: {command}", shown, done.stdout + done.stderr))
        if block.exit_codes != (ended or {0}):
            self.problems.append(f"line {block.line}: its commands end with {sorted(ended)}")
        if output is not None and not agrees(output, everything):
            self.problems.append(differs(f"line {block.line}", output, everything))


def run_command(command: str) -> "subprocess.CompletedProcess[str]":
    """Run it as a shell would; most of the time of a page would go into starting one program again and again."""
    found = re.fullmatch(r"truebleu((?: +(?:[\w./,:=+*-]+|'[^']*'))+)(?: +#.*)?", command)
    if found is None:
        shell = ["bash", "-c", command]
        return subprocess.run(shell, capture_output=True, encoding="utf-8", stdin=subprocess.DEVNULL)
    from truebleu.cli.main import main

    given, out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(3))
    with mock.patch.multiple(sys, stdin=given, stdout=out, stderr=err, __stdout__=out):
        words = [
            word for quoted, plain in re.findall(r"'([^']*)'|([^ ]+)", found[1]) for word in _expanded(quoted, plain)
        ]
        code = main(words)
        out.flush(), err.flush()
    said = (stream.buffer.getvalue().decode("utf-8") for stream in (out, err))  # type: ignore[attr-defined]
    return subprocess.CompletedProcess(command, code, *said)


def _expanded(quoted: str, plain: str) -> list[str]:
    return (sorted(glob.glob(plain)) if "*" in plain else []) or [quoted or plain]


def commands(block: Block) -> Iterator[tuple[str, str]]:
    """Each command of a block, with what the page shows below it."""
    if not block.text.startswith("$ "):
        text = re.sub(r"\\\n\s*", "", block.text)
        yield from ((line, "") for line in text.splitlines() if line.strip() and not line.startswith("#"))
        return
    for part in re.split(r"^\$ ", block.text, flags=re.M)[1:]:
        command, _, shown = part.partition("\n")
        yield command, shown


if __name__ == "__main__":
    sys.path[0] = ""  # as in a terminal: modules of the current folder are found
    found = Page(Path(sys.argv[1]).read_text("utf-8")).run()
    print("\n".join(found))
    sys.exit(bool(found))
