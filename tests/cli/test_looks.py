"""Short helps, the order of metrics, and a score that is seen at once."""

import io
import json
import re
import sys
from unittest import mock

import pytest

from cli.conftest import SYSTEMS, Files, run_here
from truebleu.cli.flags import rarely_needed, sections
from truebleu.cli.main import COMMANDS, load, main

A, B, _ = (f"{name}.de" for name in SYSTEMS)
TYPED = ("-m", "ter", "bleu", "chrf")


def commands() -> list[str]:
    inner = [f"{name} {one.name}" for name in COMMANDS for one in load(name).commands]
    return [*COMMANDS, *inner]


@pytest.mark.parametrize("name", commands())
def test_the_short_help_leaves_out_the_options_of_metrics(name: str) -> None:
    short, whole = run_here([*name.split(), "-h"]), run_here([*name.split(), "--help"])
    assert (0, 0) == (short.code, whole.code)
    command = load(name.split()[0])
    command = next((one for one in command.commands if name.split()[-1] == one.name), command)
    taken = [*sections(command.flags)]
    own = [one.names[0] for section in taken if not section.of_metrics for one in section.flags]
    has_metrics = any(section.of_metrics for section in taken)
    rare = rarely_needed() if has_metrics else frozenset()
    is_listed = {
        flag: re.search(rf"^ +(--?[\w-]+, )*{flag}\b", short.out, re.M) is not None for flag in own if flag in whole.out
    }
    assert {flag: flag not in rare for flag in is_listed if flag[:2] == "--"}.items() <= is_listed.items()
    if not has_metrics:
        assert short.out == whole.out
        return
    assert f"'truebleu {name} --help' shows all options, those of metrics too." in short.out
    assert len(short.out.splitlines()) <= 80
    assert "--chrf-beta" in whole.out and "--chrf-beta" not in short.out and "--normalize" not in short.out
    assert len(short.out) < 0.85 * len(whole.out)


def names(out: str) -> list[str]:
    return re.findall(r"BLEU|chrF2|TER", re.sub(r"truebleu|signature.*", "", out))[:3]


@pytest.mark.parametrize("words", [(A,), (A, B)])
@pytest.mark.parametrize("format", ["json", "jsonl", "csv", "tsv", "markdown"])
def test_metrics_come_in_the_order_typed_in_our_formats(words: tuple[str, ...], format: str, files: Files) -> None:
    assert ["TER", "BLEU", "chrF2"] == names(files.ours("ref1.de", "-i", *words, *TYPED, "-f", format).out)


@pytest.mark.parametrize("words", [(A,), (A, B)])
@pytest.mark.parametrize("format", ["text", "latex", "sacrebleu-json"])
def test_sacrebleus_formats_keep_its_order(words: tuple[str, ...], format: str, files: Files) -> None:
    assert ["BLEU", "chrF2", "TER"] == names(files.ours("ref1.de", "-i", *words, *TYPED, "-f", format).out)


def test_a_report_has_the_order_typed(files: Files) -> None:
    words = ("report", "ref1.de", "-i", A, B, *TYPED, "--test", "none", "-o", "order.html", "--json", "order.json")
    assert 0 == files.ours(*words, "-q").code
    found = json.loads((files.folder / "order.json").read_text("utf-8"))
    assert ["ter", "bleu", "chrf"] == [one["key"] if "key" in one else one["name"] for one in found["metrics"]]


class Terminal(io.TextIOWrapper):
    def isatty(self) -> bool:
        return True


def on_a_terminal(*words: str) -> str:
    screen = Terminal(io.BytesIO(), "utf-8")
    with mock.patch.multiple(sys, stdout=screen, __stdout__=screen):
        assert 0 == main(words)
        screen.flush()
        return screen.buffer.getvalue().decode()  # type: ignore[attr-defined, no-any-return]


def test_160_the_score_is_bold_on_a_terminal_and_nowhere_else(monkeypatch: pytest.MonkeyPatch) -> None:
    words = ("-t", "demo", "-l", "en-de", "-i", "atlas")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    plain = run_here(words).out
    assert "\033" not in plain and " = 56.9 " in plain
    assert plain.replace(" = 56.9 ", " = \033[1m56.9\033[0m ") == on_a_terminal(*words)
    assert "56.9\n" == on_a_terminal(*words, "-b")
    assert plain == on_a_terminal(*words, "--no-color")
    for name, value in (("NO_COLOR", "1"), ("TERM", "dumb")):
        with monkeypatch.context() as patch:
            patch.setenv(name, value)
            assert plain == on_a_terminal(*words)
