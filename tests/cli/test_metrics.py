"""`truebleu metrics`: what it says, asks and refuses; the work itself is tested in `runners`."""

import hashlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cli.conftest import Run, run_here
from loopback import isolate, serving
from runners.doubles import double, model
from truebleu.cli.commands import metrics as command
from truebleu.metrics import METRICS
from truebleu.runners import environments, installing
from truebleu.runners.cache import ScoreCache, key_of
from truebleu.runners.environments import CARD, Environment, python_in
from truebleu.runners.families import FAMILIES, PinnedModel
from truebleu.runners.installing import Installation
from truebleu.runners.protocol import Result, Unit


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    isolate(tmp_path, monkeypatch)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TRUEBLEU_ENVIRONMENTS", str(tmp_path / "environments"))
    monkeypatch.setenv("TRUEBLEU_SCORES", str(tmp_path / "scores"))
    monkeypatch.setattr(environments, "_is_here", lambda _: False)
    return tmp_path / "environments"


@pytest.fixture
def plan(home: Path, monkeypatch: pytest.MonkeyPatch) -> Installation:
    lines = ("unbabel-comet==2.2.7", "torch==2.15.0", "nvidia-cublas==13.4")
    lock = installing.LOCKS / "neural-py312-linux-x86_64.txt"
    one = Installation(
        "neural", ("comet",), home / "neural-123456", lock, lines, Path("/p/python"), "3.12", "", "", 44.0
    )
    monkeypatch.setattr(installing, "plans", lambda *_, **__: [one])
    return one


def metrics(line: str) -> Run:
    return run_here(["metrics", *line.split()])


def made(home: Path, name: str = "neural-123456", runners: tuple[str, ...] = ("comet",)) -> Path:
    """A folder that looks like an environment."""
    python = python_in(home / name)
    python.parent.mkdir(parents=True)
    python.symlink_to(sys.executable)
    (home / name / CARD).write_text(json.dumps({"name": "neural", "runners": runners, "bytes": 5_900_000_000}))
    return home / name


def test_all_metrics_are_listed_with_what_they_need(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = made(home)
    monkeypatch.setenv("TRUEBLEU_RUNNER_METRICX", "nowhere")
    text, found = metrics("list").out, json.loads(metrics("list --json").out)
    judges = ["judge", "judge-da", "judge-esa", "judge-mqm"]
    assert [*map(str.lower, METRICS), *FAMILIES, *judges] == [one["metric"] for one in found["metrics"]]
    states = {one["metric"]: one["state"] for one in found["metrics"]}
    assert ("ready", f"ready: installed in {folder}") == (states["bleu"], states["xcomet"])
    assert "not installed: truebleu metrics install bertscore" == states["bertscore"]
    assert states["metricx"].startswith("not ready: TRUEBLEU_RUNNER_METRICX=nowhere: not a program")
    assert "Unbabel/wmt22-comet-da @ 2760a223ac95, Apache-2.0, weights are not here" in text
    assert "CC-BY-NC-SA, its page asks for an agreement, cannot be verified" in text
    assert "judge-esa     asks a server: --judge-url URL\n" in text
    monkeypatch.setenv("TRUEBLEU_JUDGE_URL", "http://127.0.0.1:8000/v1")
    assert "judge-esa     asks the server of TRUEBLEU_JUDGE_URL\n" in metrics("list").out
    assert f"environment {folder}: 5.9 GB, of another version of truebleu, comet\n" in text


def test_the_size_and_the_place_are_said_before_anything_is_done(plan: Installation, home: Path) -> None:
    dry = metrics("install --dry-run")
    assert (0, "") == (dry.code, dry.err)
    assert dry.out.startswith("neural: unbabel-comet 2.2.7, torch 2.15.0\n")
    for words in (f"into      {home}", "about 5.9 GB on disk (44 GB free)", "3.0 GB of it are CUDA", "venv and pip"):
        assert words in dry.out
    refused = metrics("install")
    assert (2, dry.out) == (refused.code, refused.out)
    assert "truebleu metrics: nobody can be asked here, without a terminal: say --yes\n" in refused.err
    assert not home.exists()


@pytest.mark.parametrize(("answer", "expected"), [("y\n", True), ("yes\n", True), ("n\n", False), ("", False)])
def test_the_answer_decides(
    answer: str, expected: bool, plan: Installation, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Terminal:
        def isatty(self) -> bool:
            return True

        def readline(self) -> str:
            return answer

    done: list[Installation] = []

    def install(wanted: Installation, _: Any) -> Environment:
        done.append(wanted)
        return Environment(made(home), {"runners": ["comet"]})

    monkeypatch.setattr(installing, "install", install)
    monkeypatch.setattr(command.sys, "stdin", Terminal())
    assert expected is command._agreed("Install?", False)
    assert 0 == metrics("install --yes").code and [plan] == done


def test_offline_is_refused_before_the_question(plan: Installation) -> None:
    run = metrics("install --yes --offline")
    assert 1 == run.code and "installing needs a network, and it is off" in run.err


def test_environments_are_removed_by_name(home: Path) -> None:
    (home / "other").mkdir(parents=True)
    folder = made(home)
    unknown = metrics("remove neural-12345 --yes")
    assert (2, "") == (unknown.code, unknown.out)
    assert "no environment is called neural-12345 (did you mean neural-123456?)" in unknown.err
    assert 2 == metrics("remove neural").code and folder.exists()
    run = metrics("remove neural --yes")
    assert 0 == run.code and f"removed {folder}, which frees" in run.out
    assert not folder.exists() and (home / "other").exists()
    assert 2 == metrics("remove other --yes").code  # it has no card


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    data = b"weights"
    model = PinnedModel("org/small", "0123abcd", {"model.ckpt": hashlib.sha256(data).hexdigest()}, licence="MIT")
    monkeypatch.setattr(command.models, "MODELS", {"org/small": model})
    with serving({"/org/small/resolve/0123abcd/model.ckpt": data}) as server:
        monkeypatch.setenv("HF_ENDPOINT", server.url)
        yield server


def test_weights_are_fetched_with_their_licence(hub: Any, tmp_path: Path) -> None:
    run = metrics("fetch org/small")
    folder = tmp_path / "cache" / "models" / "org" / "small" / "0123abcd"
    assert (0, b"weights") == (run.code, (folder / "model.ckpt").read_bytes())
    assert f"org/small @ 0123abcd, licence MIT\norg/small is in {folder}, 1 file verified\n" == run.out
    assert (2, 1) == (metrics("fetch nothing").code, metrics("fetch cometkiwi").code)


def test_weights_come_from_a_folder_and_offline_from_nowhere_else(hub: Any, tmp_path: Path) -> None:
    assert 1 == metrics("fetch org/small --offline").code
    (tmp_path / "model.ckpt").write_bytes(b"weights")
    assert 0 == metrics("fetch org/small --offline --from .").code and [] == hub.requests


def keep(name: str) -> None:
    cache = ScoreCache(name, {"model": f"org/{name}"})
    cache.put({key_of(Unit("a", "b", None)): Result(0.5)})
    cache.close()


def test_kept_scores_are_listed_exported_and_removed(tmp_path: Path) -> None:
    for name in ("comet", "metricx"):
        keep(name)
    shown = metrics("cache").out.splitlines()
    assert 3 == len(shown) and shown[-1].endswith(f"in {tmp_path / 'scores'}")
    assert {"comet", "metricx"} == {line.split()[0] for line in shown[:2]}
    assert "1 score, last used" in shown[0] and shown[0].endswith(("org/comet", "org/metricx"))
    assert "2 scores in all.jsonl\n" == metrics("cache --export all.jsonl").out
    assert 4 == len(Path("all.jsonl").read_text().splitlines())
    assert "0 files removed, which frees 0 bytes\n" == metrics("cache --older 1d").out
    assert metrics("cache --clear comet").out.startswith("1 file removed, which frees ")
    assert metrics("cache --prune 0").out.startswith("1 file removed, which frees ")
    assert 1 == len(metrics("cache").out.splitlines())


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("--prune 1G --older 3d", "--prune does not go with --older: say one at a time"),
        ("--clear --export x", "--clear does not go with --export: say one at a time"),
        ("--prune much", "'much' is not a size, expected one like 500M or 2G"),
        ("--older long", "'long' is not a time, expected one like 180d or 12w"),
    ],
)
def test_what_cannot_be_meant_is_refused(line: str, told: str) -> None:
    keep("comet")
    run = metrics(f"cache {line}")
    assert 2 == run.code and told in run.err
    assert "comet" in metrics("cache").out


def test_a_runner_is_started_proved_and_timed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("TRUEBLEU_RUNNER_COMET", str(double(tmp_path)))
    folder = model(tmp_path)
    run = metrics(f"check comet={folder}")
    assert 0 == run.code, run.err
    first, signature = run.out.splitlines()
    assert first.startswith(f"comet={folder}: loaded and proved in ") and ", 100 units in " in first
    assert "model:local/my-comet|" in signature and not (tmp_path / "scores").exists()
    absent = metrics("check comet")
    assert 1 == absent.code and "truebleu metrics fetch Unbabel/wmt22-comet-da" in absent.err


def test_a_metric_that_runs_nothing_has_nothing_to_check() -> None:
    for name, why in (("bleu", "bleu is counted by truebleu itself"), ("commet", "commet is no metric")):
        run = metrics(f"check {name}")
        assert 2 == run.code and f"{why}: there is nothing to check" in run.err


def test_a_prompt_is_printed_as_a_file_and_as_messages(tmp_path: Path) -> None:
    assert 'name = "judge-da"' in metrics("prompt judge-da").out
    (tmp_path / "src").write_text("Guten Tag\nHallo\n", "utf-8")
    (tmp_path / "hyp").write_text("Good day\nHello\n", "utf-8")
    steps = metrics("prompt judge-esa --segment 2 --src src --hyp hyp -l de-en").out.splitlines()
    first, second = map(json.loads, steps)
    assert {"source": "Hallo", "translation": "Hello"} == json.loads(first[-1]["content"])
    assert "German (de)" in first[0]["content"] and "errors" in second[-1]["content"]
    for line, words in (
        ("prompt judge-x", "there is no prompt judge-x, and no such file; ours are judge-da"),
        ("prompt judge-da --segment 1", "judge-da reads src, hyp, so --segment needs --src FILE, --hyp FILE"),
        ("prompt judge-da --src src", "--src is about the messages of a segment"),
        ("prompt judge-da --segment 3 --src src --hyp hyp", "--segment is 3, expected 1 to 2, the lines of src"),
    ):
        run = metrics(line)
        assert 2 == run.code and words in run.err, run.err
