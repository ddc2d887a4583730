"""Units through a real child process without a model: what each misbehaviour of a runner becomes."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from tests.runners.fake import value_of

from truebleu.errors import InputError, ModelError, RunnerDied, RunnerError, RunnerMissing, RunnerProtocolError
from truebleu.metrics import JudgeDA
from truebleu.runners.cache import ScoreCache
from truebleu.runners.process import Runner
from truebleu.runners.protocol import Result, Span, Unit
from truebleu.runners.scorer import Recipe, RunnerScorer

FAKE = (sys.executable, "-E", "-s", "-u", "-X", "utf8", str(Path(__file__).with_name("fake.py")))
UNITS = [Unit(f"Quelle {n}", f"text {n}", "a reference") for n in range(20)]


def recipe(mode: str = "good", *, batch: int = 8, silent: float = 30.0, start: str = "", **options: Any) -> Recipe:
    load = {"fields": ["src", "hyp", "ref"], "batch": batch, "options": {"mode": mode, **options}}
    return Recipe("fake", (*FAKE, start), load, (0.0, 1.0), 1e-6, {"silent_seconds": silent})


def place(unit: Unit) -> str:
    return f"segment {unit.hyp.split()[-1]} of b.txt"


@pytest.mark.parametrize("variable", ["TRUEBLEU_JUDGE_KEY", "MY_OWN_KEY"])
def test_the_key_of_a_judge_is_not_in_the_environment_of_a_runner(
    variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, "s3cret")
    JudgeDA(model="m", key_env=variable)
    code = "import os, sys; sys.exit('found ' + os.environ.get(sys.argv[1], 'nothing'))"
    with pytest.raises(RunnerDied, match="found nothing"):
        Runner("fake", [sys.executable, "-c", code, variable])


def scored(made: Recipe, units: list[Unit] = UNITS, cache: ScoreCache | None = None) -> list[Result]:
    with RunnerScorer(made, cache) as scorer:
        return scorer.results(units, place)


def expected(units: list[Unit] = UNITS) -> list[float]:
    return [value_of(unit.sent()) for unit in units]


def values(results: list[Result]) -> list[float | None]:
    return [one.score for one in results]


@pytest.mark.parametrize("mode", ["good", "prints", "flood"])
def test_scores_are_those_of_the_texts(mode: str) -> None:
    assert expected() == values(scored(recipe(mode, batch=64)))


def test_what_a_library_prints_before_the_first_message_is_no_message() -> None:
    with pytest.raises(RunnerProtocolError, match="welcome"):
        scored(recipe(start="prints first"))


def test_equal_units_are_asked_once_and_cut_units_and_spans_come_back(tmp_path: Path) -> None:
    units = [Unit("a", "bad text", "r"), Unit("a", "w " * 25, "r"), Unit("a", "bad text", "r")]
    cache = ScoreCache("fake", {"model": "x"}, tmp_path)
    first = scored(recipe(), units, cache)
    assert (first[0], 5) == (first[2], first[1].cut)
    assert ((Span(0, 3, "major", None, 0.5),), {"mqm": 0.25}) == (first[0].spans, first[0].parts)
    assert [*first] == [*scored(recipe(start="exits"), units, cache)]  # from the cache, without a child
    cache.close()


def test_both_pipes_full_is_no_dead_lock() -> None:
    units = [Unit("s" * 15_000, f"{n} " + "h" * 15_000, "r") for n in range(512)]
    assert expected(units) == values(scored(recipe("flood", batch=512), units))


@pytest.mark.parametrize("mode", ["exit", "SIGSEGV", "SIGKILL"])
def test_a_child_that_dies_once_is_started_again(mode: str, tmp_path: Path) -> None:
    assert expected() == values(scored(recipe(mode, at="text 7", once=str(tmp_path / "mark"))))


def test_a_unit_that_kills_every_child_is_named() -> None:
    with pytest.raises(
        RunnerDied, match=r"died \(signal 11\) while it scored segment 7 of b\.txt; its last words: the"
    ):
        scored(recipe("SIGSEGV", at="text 7"))


def test_what_was_answered_before_a_death_is_kept(tmp_path: Path) -> None:
    units = [Unit("s", f"{n:05} text {n}", "r") for n in range(1200)]
    cache = ScoreCache("fake", {}, tmp_path)
    worst = max(units, key=lambda unit: (len(unit.hyp), unit.hyp))
    with pytest.raises(RunnerDied, match=r"; [\d,]+ of 1,200 units are kept$") as death:
        scored(recipe("exit", at=worst.hyp, batch=512), units, cache)
    with RunnerScorer(recipe(batch=512), cache) as scorer:
        assert expected(units) == values(scorer.results(units, place))
        assert scorer.hits >= 512
        assert f"; {scorer.hits:,} of 1,200 units are kept" in str(death.value)
    cache.close()


def test_what_was_kept_before_counts_and_nothing_is_kept_in_memory(tmp_path: Path) -> None:
    cache = ScoreCache("fake", {}, tmp_path)
    scored(recipe(), UNITS[:5], cache)
    with pytest.raises(RunnerDied, match=r"; \d+ of 20 units are kept$") as death:
        scored(recipe("exit", at="text 7", batch=64), cache=cache)
    with RunnerScorer(recipe(batch=64), cache) as scorer:
        scorer.results(UNITS, place)
        assert 5 <= scorer.hits < 20 and f"; {scorer.hits} of 20 units" in str(death.value)
    cache.close()
    for memory in (None, ScoreCache("fake", {}, tmp_path, in_memory=True)):
        with pytest.raises(RunnerDied, match="died") as death:
            scored(recipe("exit", at="text 7"), cache=memory)
        assert "kept" not in str(death.value)


@pytest.mark.parametrize("most", [1, 3])
def test_memory_halves_the_batch(most: int) -> None:
    assert expected() == values(scored(recipe("oom", most=most)))


def test_no_memory_for_one_unit_names_it() -> None:
    with pytest.raises(RunnerError, match=r"no memory for segment \d+ of b\.txt even alone; --device fake=cpu"):
        scored(recipe("oom", most=0))


@pytest.mark.parametrize(
    "line",
    [
        "xyz\n",
        '{"type": "result", "id": 99, "results": []}\n',
        '{"type": "result", "id": 1, "results": []}\n',
        '{"type": "hello"}\n',
        '{"type": "ready", "meta": {}, "batch": 1}\n',
        '{"type": "result", "id": 1, "results": [{"score": NaN}]}\n',
    ],
    ids=["junk", "wrong id", "too few", "half a hello", "ready again", "NaN"],
)
def test_a_wrong_line_ends_the_run(line: str) -> None:
    with pytest.raises(RunnerProtocolError, match="mistake"):
        scored(recipe("raw", at="text 0", line=line, batch=64))


def test_a_line_without_an_end_is_not_kept_in_memory() -> None:
    with pytest.raises(RunnerProtocolError, match="a line of at most 16 MiB"):
        scored(recipe("raw", at="text 0", line="a" * 1024, times=17 << 10, batch=64))


def test_half_a_line_and_death_is_a_death() -> None:
    with pytest.raises(RunnerError):
        scored(recipe("raw", at="text 0", line='{"type": "res', batch=64, silent=1.0))


@pytest.mark.parametrize(
    "answer",
    [{}, {"score": "1"}, {"score": True}, {"score": 1.5}, {"score": None},
     {"score": 1, "spans": [{"start": 0, "end": 99, "severity": "major"}]}],
    ids=str,
)  # fmt: skip
def test_a_wrong_result_ends_the_run(answer: Any) -> None:
    with pytest.raises(RunnerProtocolError, match=r"segment \d+ of b\.txt|a result with a score"):
        scored(recipe("answers", answer=answer))


def test_too_few_results_are_the_mistake_of_the_runner() -> None:
    with pytest.raises(RunnerError, match="7 results for 8 units"):
        scored(recipe("few", fewer=-1))


@pytest.mark.parametrize("mode", ["silent", "no hello"])
def test_a_child_without_a_sign_of_life_is_ended(mode: str) -> None:
    began = time.monotonic()
    made = recipe(mode, at="text 0", silent=1.0, start=mode if mode == "no hello" else "")
    with pytest.raises(RunnerDied, match="gave no sign of life"):
        scored(made._replace(options={**made.options, "hello_seconds": 1.0 if mode == "no hello" else 30.0}))
    assert time.monotonic() - began < 25


def test_a_child_that_beats_may_take_long() -> None:
    assert expected() == values(scored(recipe("good", seconds=1.5, silent=3.0, batch=8)))


def test_another_protocol_and_a_start_that_fails_are_told() -> None:
    with pytest.raises(RunnerProtocolError, match="speaks protocol 2"):
        scored(recipe(start="other protocol"))
    with pytest.raises(RunnerDied, match=r"exit code 1.*no such package"):
        scored(recipe(start="exits"))
    with pytest.raises(RunnerMissing, match="not a program that can be started"):
        scored(recipe()._replace(command=("/nowhere/python",)))
    with pytest.raises(ModelError, match="9f31, expected e213"):
        scored(recipe("fails"))


def test_a_unit_that_is_too_long_is_refused_before_anything_starts() -> None:
    with pytest.raises(InputError, match=r"segment 1 of b\.txt has .* bytes"):
        scored(recipe(start="exits"), [Unit("s", "h" * (5 << 20) + " 1", "r")])


def test_scores_that_changed_are_not_trusted(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    cache = ScoreCache("fake", {}, tmp_path)
    scored(recipe(), UNITS[:10], cache)
    shifted = values(scored(recipe(shift=0.001), UNITS, cache))
    assert [min(1.0, value + 0.001) for value in expected()] == shifted
    assert "they are set aside" in caplog.text
    assert (tmp_path / f"{cache.path.name}.distrusted").exists()
    cache.close()


def is_running(pid: int) -> bool:
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


def still_running(pids: list[int]) -> list[int]:
    """Those that still run after two seconds."""
    until = time.monotonic() + 2
    while (left := [pid for pid in pids if is_running(pid)]) and time.monotonic() < until:
        time.sleep(0.02)
    return left


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("mode", ["grandchild", "ignores"])
def test_nothing_is_left_behind(mode: str, tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    runner = Runner("fake", FAKE)
    runner.load({"fields": ["hyp"], "batch": 1, "options": {"mode": mode, "at": "x", "pids": str(pids)}})
    runner.score([{"hyp": "x"}])
    while not pids.exists() or not pids.read_text():
        time.sleep(0.02)
    runner.close(patience=0.2)
    assert not still_running(json.loads(pids.read_text()))


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_no_child_outlives_a_host_that_is_killed(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    program = f"""
import sys; sys.path.insert(0, {str(Path(__file__).parents[2])!r})
from truebleu.runners.process import Runner
runner = Runner("fake", {FAKE!r})
runner.load(dict(fields=["hyp"], batch=1, options=dict(mode="beats", at="x")))
runner.score([dict(hyp="x")])
open({str(pids)!r}, "w").write(str(runner.pid))
runner.receive(); runner.receive(); import time; time.sleep(60)
"""
    host = subprocess.Popen([sys.executable, "-c", program])
    while not pids.exists() or not pids.read_text():
        time.sleep(0.02)
    os.kill(host.pid, signal.SIGKILL)
    host.wait()
    assert not still_running([int(pids.read_text())])
