"""The pictures of the documentation, made from the demo set: `make pictures` writes them into docs/img.

Terminals are drawn from what the commands really print, and `tests/docs/test_site_pictures.py` runs the commands again:
a picture whose words have changed fails there. The report is photographed in chromium; what it was drawn from is
noted in docs/img/drawn-from.json, so that the same test sees, without a browser, when the page has changed. Figures are
those of `truebleu plot`.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

from headless import NoBrowser, chromium

IMAGES = Path(__file__).resolve().parent.parent / "docs" / "img"
WIDTH = 100  # columns of the terminal
DEMO = "-t demo -l en-de -i atlas birch cedar"


class Terminal(NamedTuple):
    """A picture of a terminal."""

    command: str  # what is typed
    before: tuple[str, ...] = ()  # commands that make its files, not shown


_FILES = (
    "truebleu -t demo -l en-de --echo ref > ref.txt",
    "truebleu -t demo -l en-de --echo atlas > atlas.txt",
)

TERMINALS = {
    "terminal-score": Terminal(f"truebleu {DEMO} -m bleu chrf ter -ci --short"),
    "terminal-compare": Terminal(f"truebleu {DEMO} -m bleu chrf --paired ar --short"),
    "terminal-doctor": Terminal(
        "truebleu doctor ref.txt -i system.txt -l en-de --examples 1",
        (*_FILES, "awk 'NR % 20 == 1 { $0 = $0 \" <unk>\" } 1' atlas.txt > system.txt"),
    ),
    "terminal-reconcile": Terminal(
        "truebleu reconcile ref.txt -i system.txt --target 42.51", (*_FILES, "mv atlas.txt system.txt")
    ),
    "terminal-error": Terminal("truebleu ref.txt -i system.txt", (*_FILES, "sed '100d' atlas.txt > system.txt")),
}
PLOTS = {"plot-ranking": "ranking", "plot-pairs": "pairs"}
REPORTS = {"report": "light", "report-dark": "dark"}
NOTES = "drawn-from.json"

# The frame of a terminal's picture. Letters are the reader's own: nothing is loaded.
_SVG = """\
<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{ font-family: ui-monospace, Consolas, "DejaVu Sans Mono", monospace; font-size: {char_height}px;
line-height: {line_height}px; font-variant-east-asian: full-width; }}
.{unique_id}-title {{ display: none; }}
{styles}
</style>
<defs><clipPath id="{unique_id}-clip-terminal"><rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/>\
</clipPath>{lines}</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""
_CHARACTER = 12.2  # how wide rich draws a column


def main() -> int:
    """Make the pictures that the command line names, or all."""
    every = [*TERMINALS, *PLOTS, *REPORTS]
    parser = argparse.ArgumentParser(description="make the pictures of the documentation, in docs/img")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"only these, of {', '.join(every)}")
    names = parser.parse_args().names or every
    unknown = [name for name in names if name not in every]
    if unknown:
        parser.error(f"there is no picture {', '.join(unknown)}; there are {', '.join(every)}")
    IMAGES.mkdir(parents=True, exist_ok=True)
    try:
        for name in names:
            _make(name)
    except NoBrowser as error:
        print(f"pictures: {error}", file=sys.stderr)
        return 1
    except subprocess.CalledProcessError as error:
        print(f"pictures: {error}\n{error.stderr or ''}", file=sys.stderr)
        return 1
    return 0


def lines_of_command(terminal: Terminal) -> list[str]:
    """Run the commands of a picture, and give the lines that it must show.

    Parameters
    ----------
    terminal
        The picture.
    """
    return [line.plain.rstrip() for line in _screen(terminal)]


def lines_of_picture(svg: str) -> list[str]:
    """Read the lines that a picture of a terminal shows.

    Parameters
    ----------
    svg
        The picture.
    """
    rows: dict[float, dict[int, str]] = {}
    for text in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text"):
        if "clip-path" in text.attrib:
            row = rows.setdefault(float(text.attrib["y"]), {})
            row[round(float(text.attrib["x"]) / _CHARACTER)] = (text.text or "").replace("\xa0", " ")
    shown = []
    for _, row in sorted(rows.items()):
        line = ""
        for column, part in sorted(row.items()):
            line = line.ljust(column) + part
        shown.append(line.rstrip())
    return shown


def without_version(lines: list[str]) -> list[str]:
    """Leave out the version of truebleu, which signatures hold and every release changes.

    Parameters
    ----------
    lines
        Lines of a terminal.
    """
    return [re.sub(r"truebleu-\d[\w.+-]*", "truebleu-VERSION", line) for line in lines]


def drawn_from() -> str:
    """Make the report anew, and give the hash of what its picture shows: style, script, and the page to the ranking.

    Versions, data and the last digits of scores are left out: the picture does not show them, and they may differ.
    """
    with tempfile.TemporaryDirectory() as place:
        page = _report(Path(place)).read_text("utf-8")
    style = re.search("<style>.*?</style>", page, re.DOTALL)
    program = re.search("<script>.*</script>", page, re.DOTALL)
    top = re.search('<nav.*?(?=<section id="pairs")', page, re.DOTALL)
    assert style and program and top, "the page of a report has other parts than this script knows"
    shown = re.sub(' data-value="[^"]*"', "", style[0] + top[0] + program[0])
    return hashlib.sha256(shown.encode()).hexdigest()


def _make(name: str) -> None:
    if name in TERMINALS:
        (IMAGES / f"{name}.svg").write_text(_drawn(name, TERMINALS[name]), "utf-8")
    elif name in PLOTS:
        _run(f"truebleu plot {PLOTS[name]} {DEMO} -q -o {IMAGES / name}.svg", IMAGES)
    else:
        _photograph(IMAGES / f"{name}.png", REPORTS[name])
        file = IMAGES / NOTES
        notes = json.loads(file.read_text("utf-8")) if file.exists() else {}
        file.write_text(json.dumps({**notes, name: drawn_from()}, indent=2, sort_keys=True) + "\n", "utf-8")


def _drawn(name: str, terminal: Terminal) -> str:
    from rich.console import Console
    from rich.terminal_theme import MONOKAI

    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    for line in _screen(terminal):
        console.print(line, no_wrap=True, overflow="ignore", crop=False)
    drawn = console.export_svg(title="", unique_id=name, code_format=_SVG, theme=MONOKAI)
    return re.sub(r"[ \t]+$", "", drawn, flags=re.M)


def _screen(terminal: Terminal) -> list[Any]:
    """What is on the screen afterwards: the prompt, then what is printed, folded where a terminal folds."""
    from rich.text import Text

    with tempfile.TemporaryDirectory() as place:
        for command in terminal.before:
            _run(command, Path(place))
        printed = _printed(terminal.command, Path(place))
    prompt = Text.assemble(("$ ", "bold green"), (terminal.command, "bold"))
    lines = [prompt, *Text.from_ansi(printed).split("\n", allow_blank=True)]
    while lines and not lines[-1].plain.strip():
        lines.pop()
    return [part for line in lines for part in line.divide(range(WIDTH, len(line.plain), WIDTH))]


def _printed(command: str, place: Path) -> str:
    """What a command prints on a terminal, colours included: messages first, which are not delayed."""
    import pty

    ours, theirs = pty.openpty()
    # The size that the kernel knows is 0 by 0, which makes programs ask for COLUMNS.
    process = subprocess.Popen(
        ["sh", "-c", command],
        cwd=place,
        env=_environment(),
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=subprocess.PIPE,
    )
    os.close(theirs)
    parts = []
    while True:
        try:
            part = os.read(ours, 65_536)
        except OSError:  # Linux says so when the other side has gone
            break
        if not part:
            break
        parts.append(part)
    os.close(ours)
    messages = process.communicate()[1]
    return (messages + b"".join(parts)).decode("utf-8").replace("\r\n", "\n")


def _run(command: str, place: Path) -> None:
    subprocess.run(["sh", "-c", command], cwd=place, env=_environment(), check=True, capture_output=True, text=True)


def _environment() -> dict[str, str]:
    """The same for everybody: the program of this environment, English, a terminal with colours."""
    programs = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    kept = {name: os.environ[name] for name in ("HOME", "XDG_STATE_HOME", "SYSTEMROOT") if name in os.environ}
    return {**kept, "PATH": programs, "TERM": "xterm-256color", "COLUMNS": str(WIDTH), "LANG": "C.UTF-8"}


def _report(place: Path) -> Path:
    report = place / "report.html"
    # The date of the day would make the picture old the next day.
    _run(f"truebleu report {DEMO} -m bleu chrf ter --date 2026-11-18 -q -o {report}", place)
    return report


def _photograph(file: Path, scheme: str) -> None:
    """The head of a report: ranking and verdict."""
    from PIL import Image

    with tempfile.TemporaryDirectory() as place, chromium() as browser:
        report = _report(Path(place))
        look = {"viewport": {"width": 1120, "height": 690}, "color_scheme": scheme}
        page = browser.new_context(offline=True, device_scale_factor=1.5, **look).new_page()
        page.goto(report.as_uri())
        page.wait_for_selector("html[data-state=ready]")
        page.wait_for_timeout(300)
        shot = Image.open(io.BytesIO(page.screenshot()))
    # A page has few colours: a palette makes the file a third of its size.
    shot.convert("RGB").quantize(colors=128, dither=Image.Dither.NONE).save(file, optimize=True)


if __name__ == "__main__":
    sys.exit(main())
