"""What learned metrics cost beside their models: the bars, with a runner that has no model. Answers are asserted first.

`python bench/neural.py [B4 B8 ...]` measures time of the processor, of this process and of its children. The part of
B1 about real packages needs an interpreter that has them: `TRUEBLEU_TEST_NEURAL=/path/python python bench/neural.py`.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
FAKE = (sys.executable, "-E", "-s", "-u", "-X", "utf8", str(ROOT / "tests" / "runners" / "fake.py"))
UNITS = 20_000


def main() -> int:
    """Measure the bars that are named, or all; say which of them are held."""
    wanted, held = sys.argv[1:] or [*BARS], []
    for name in wanted:
        for bar in BARS[name]:
            with tempfile.TemporaryDirectory() as folder:
                held.append(bar(Path(folder)))
    return 0 if all(held) else 1


def told(bar: str, what: str, value: float, limit: float, unit: str) -> bool:
    """Print a bar."""
    print(f"{bar}  {what}: {value:.4g} {unit}, at most {limit:g} {unit}: {'held' if value <= limit else 'MISSED'}")
    return value <= limit


def cpu(work: Callable[[], Any]) -> tuple[float, Any]:
    """The time of the processor that some work takes, here and in children that have ended."""
    before = _cpu()
    found = work()
    return _cpu() - before, found


def _cpu() -> float:
    both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in both)


def pipe(folder: Path) -> bool:
    """B1: pipe, keys and cache, beside starting the runner."""
    from truebleu.runners.cache import ScoreCache
    from truebleu.runners.protocol import Unit
    from truebleu.runners.scorer import Recipe, RunnerScorer

    units = [Unit(f"Quelle {at} " * 10, f"text {at} " * 10, f"reference {at} " * 10) for at in range(UNITS)]
    recipe = Recipe("fake", FAKE, {"fields": ["src", "hyp", "ref"], "batch": 64, "options": {}}, (0.0, 1.0), 1e-6)

    def scored(some: list[Unit], name: str) -> list[float]:
        with RunnerScorer(recipe, ScoreCache("fake", {"of": name}, folder)) as scorer:
            return [one.score or 0.0 for one in scorer.results(some, lambda unit: unit.hyp)]

    def value(unit: Unit) -> float:
        return zlib.crc32("\0".join(text for _, text in sorted(unit.sent().items())).encode()) / 2**32

    start, _ = cpu(lambda: scored(units[:1], "start"))
    whole, found = cpu(lambda: scored(units, "whole"))
    assert found == [value(unit) for unit in units]
    warm, again = cpu(lambda: scored(units, "whole"))
    assert again == found
    per = 1e6 / UNITS
    cold = told("B1", "host and runner, 1,000 units", (whole - start) * per, 30, "ms")
    return told("B3", "1,000 units from the cache", warm * per, 30, "ms") and cold


def second_run(folder: Path) -> bool:
    """B3: ten systems of 2,000 segments, three metrics, all in the cache."""
    from tests.runners.doubles import double, model

    names = [f"s{at}.txt" for at in range(10)]
    for name in ("ref.txt", "src.txt", *names):
        (folder / name).write_text("".join(f"{name} the heron stood by the pond {at}\n" for at in range(2000)))
    model(folder)
    environment = {
        **os.environ, "TRUEBLEU_RUNNER_NEURAL": str(double(folder)), "TRUEBLEU_SCORES": str(folder / "scores"),
        "XDG_STATE_HOME": str(folder / "state"),
    }  # fmt: skip
    line = [sys.executable, "-m", "truebleu", "ref.txt", "--src", "src.txt", "-q", "-i", *names, "-m", "bleu"]
    learned = ["comet=./my-comet", "cometkiwi=./my-comet", "xcomet=./my-comet"]

    def run(*more: str) -> str:
        return subprocess.run(
            [*line, *more], cwd=folder, env=environment, capture_output=True, check=True, text=True
        ).stdout

    first = run(*learned)
    starts = (folder / "starts").read_text()
    plain, _ = cpu(run)
    second, again = cpu(lambda: run(*learned))
    assert again == first, "a second run has other scores"
    assert starts == (folder / "starts").read_text(), "a second run started a program"
    return told("B3", "second run, beside the run without learned metrics", second - plain, 1.0, "s")


def plain_imports(folder: Path) -> bool:
    """B6: a plain score loads nothing of this."""
    (folder / "a").write_text("a b c d\n")
    code = (
        "import sys; from truebleu.cli.main import main; main(['a', '-i', 'a'])\n"
        "bad = [one for one in sys.modules if 'runners' in one or 'neural' in one or 'sqlite' in one]\n"
        "assert not bad, bad"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, check=False)
    return told("B6", "modules of learned metrics in a plain score", float(run.returncode != 0), 0, "")


def scripts(folder: Path) -> bool:
    """B13: scripts are short, and nothing else imports what they do."""
    below = ROOT / "python" / "truebleu"
    longest = max(len(path.read_text().splitlines()) for path in (below / "runners" / "scripts").glob("*.py"))
    words = (
        "import torch",
        "import comet",
        "import transformers",
        "import bert_score",
        "from transformers",
        "from comet",
    )
    bad = [
        path for path in below.rglob("*.py")
        if "scripts" not in path.parts and path.name != "torch.py"
        and any(line.strip().startswith(words) for line in path.read_text("utf-8").splitlines())
    ]  # fmt: skip
    assert not bad, bad
    return told("B13", "lines of the longest script", float(longest), 200, "lines")


# What a wheel has of learned metrics, judges apart.
WING = (
    "runners/*.py", "runners/scripts/*.py", "runners/locks/*.txt", "metrics/neural.py", "metrics/by_runner.py",
    "metrics/plugin.py", "metrics/published_learned.py", "plugins.py", "_plugins.py", "lm_eval.py",
    "cli/commands/metrics.py", "cli/learned/*.py", "doctor/learned.py", "receipts/rescoring.py",
)  # fmt: skip


def wheel(folder: Path) -> bool:
    """B13: what all of it adds to a wheel, compressed file by file as there."""
    below = ROOT / "python" / "truebleu"
    paths = [path for pattern in WING for path in below.glob(pattern)]
    assert len(paths) > 30 and any(path.suffix == ".txt" for path in paths)
    size = sum(len(zlib.compress(path.read_bytes(), 9)) for path in paths) / 1000
    return told("B13", f"{len(paths)} files in a wheel", size, 120, "kB")


ROUNDS = 3
WORDS = "the a of heron pond stood early quiet water reeds over wind near moves slowly grey never again"
REAL_UNITS = 2048  # batches of 512, and of 16 in them


def real_pipe(folder: Path) -> bool:
    """B1: pipe, keys and cache beside a direct call of COMET's package with the same batches, on a tiny model."""
    from truebleu.runners.batches import UnitBatches
    from truebleu.runners.cache import ScoreCache
    from truebleu.runners.protocol import Unit
    from truebleu.runners.scorer import Recipe, RunnerScorer

    python = os.environ.get("TRUEBLEU_TEST_NEURAL")
    if python is None:
        print("B1  tiny COMET: skipped, TRUEBLEU_TEST_NEURAL names no interpreter")
        return True
    subprocess.run([python, str(ROOT / "tools" / "tiny_models.py"), str(folder)], check=True, capture_output=True)
    model, draw = folder / "regression_metric", Random(1)
    words = WORDS.split()
    units = [Unit(*(" ".join(draw.choices(words, k=draw.randint(5, 25))) for _ in range(3))) for _ in range(REAL_UNITS)]
    batches = UnitBatches(units, str)
    ordered = [batches.unit(at).sent() for at in range(len(batches))]
    script = ROOT / "python" / "truebleu" / "runners" / "scripts" / "run_comet.py"
    load = {
        "model": "local/tiny", "revision": "", "path": str(model), "expect": {}, "precision": "fp32", "device": "cpu",
        "batch": 16, "tokenizer": None, "options": {}, "fields": ["src", "hyp", "ref"], "threads": 1,
    }  # fmt: skip
    recipe = Recipe("comet", (python, "-E", "-s", "-u", "-X", "utf8", str(script)), load, (-9.0, 9.0), 1e-6)

    def direct() -> dict[str, Any]:
        job = {"script": "comet", "path": str(model), "units": ordered, "batch": 16, "threads": 1}
        command = [python, str(ROOT / "tests" / "neural" / "direct.py")]
        run = subprocess.run(command, input=json.dumps(job), capture_output=True, text=True, check=True)
        found: dict[str, Any] = json.loads(run.stdout.splitlines()[-1])
        return found

    def piped(name: str) -> tuple[float, list[float]]:
        with RunnerScorer(recipe, ScoreCache("comet", {"of": name}, folder)) as scorer:
            scorer.loaded()
            assert scorer._runner is not None
            clock = (~scorer._runner.pid << 3) | 2  # the time of the processor of another process
            start = time.process_time() + time.clock_gettime(clock)
            results = scorer.results(units, str)
            return time.process_time() + time.clock_gettime(clock) - start, [one.score or 0.0 for one in results]

    straight, over = [], []
    for at in range(ROUNDS):
        found = direct()
        took, scores = piped(f"round {at}")
        by_unit = {tuple(unit.values()): score for unit, score in zip(ordered, found["scores"], strict=True)}
        assert scores == [by_unit[tuple(unit.sent().values())] for unit in units], "not the scores of the package"
        straight.append(found["seconds"])
        over.append(took)
    more = 100 * (min(over) / min(straight) - 1)
    print(f"B1  tiny COMET, {REAL_UNITS:,} units: {min(over):.2f} s over the pipe, {min(straight):.2f} s direct")
    return told("B1", "over the pipe beside a direct call", more, 1, "%")


KILLS = 20


def killed(folder: Path) -> bool:
    """B4: host, child or both are killed at random moments; see `Killing.kill` for what is asserted."""
    from tests.runners.killing import BATCH, GONE_SECONDS, Killing

    killing, draw = Killing(folder), Random(4)
    for at in range(KILLS):
        killing.kill(("host", "child", "both")[at % 3], draw)
    print(f"B4  {KILLS} kills: no runner is left after {GONE_SECONDS:g} s, at most {BATCH} answered scores lost, "
          "the cache is sound, and the next run prints the same bytes: held")  # fmt: skip
    return True


LINES = 1_000_000


def mutated_lines(folder: Path) -> bool:
    """B5: lines of runners that were changed at random, read here and by a strict reader."""
    sys.path.insert(0, str(ROOT / "fuzz"))
    import parsers

    seeds, scored = parsers.seeds_of_protocol(), 0
    for line in parsers.mutants(seeds, LINES, "B5"):
        scored += parsers.check_protocol(line)
    assert 0 < scored < LINES
    print(f"B5  {LINES:,} mutated lines: {scored:,} give scores, and for the strict reader the same ones: held")
    return True


MILLION = 1_000_000
MEMORY = """
import os, resource, sys
from truebleu.metrics import COMET

def texts(form):
    return [form.format(at=at) for at in range(int(sys.argv[1]))]

sides = [texts(f"{name} {{at}} of the heron that stood by the pond") for name in ("ref", "src", "hyp")]
metric = COMET("./my-comet", batch_size=512)
rows = metric.stats(sides[2], [sides[0]], sources=sides[1]).rows
metric.close()
print(len(rows), rows[:, 1].sum(), rows[:, 0].mean(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10)
"""


def memory(folder: Path) -> bool:
    """B7: the memory of the host with a million units, texts included."""
    from tests.runners.doubles import double, model

    model(folder)
    environment = {
        **os.environ, "TRUEBLEU_RUNNER_NEURAL": str(double(folder)), "XDG_STATE_HOME": str(folder / "state"),
        "TRUEBLEU_SCORES": str(folder / "scores"),
    }  # fmt: skip
    for kept in ("the cache empty", "the cache full"):
        run = subprocess.run(
            [sys.executable, "-c", MEMORY, str(MILLION)], cwd=folder, env=environment, capture_output=True, check=True,
            text=True,
        )  # fmt: skip
        rows, scored, mean, peak = map(float, run.stdout.split())
        assert rows == scored == MILLION
        assert abs(mean - 0.5) < 0.01
        if not told("B7", f"memory of the host with {MILLION:,} units, {kept}", peak, 600, "MB"):
            return False
    return True


def no_dead_lock(folder: Path) -> bool:
    """B8: 512 units of 30 kB, with 50 MB on standard error; interrupts at random moments."""
    from tests.runners.killing import STOP_SECONDS, Killing

    from truebleu.runners.protocol import Unit
    from truebleu.runners.scorer import Recipe, RunnerScorer

    units = [Unit(f"{at} " * 3, f"{at:05} " * 5000, "r") for at in range(512)]
    load = {"fields": ["src", "hyp", "ref"], "batch": 512, "options": {"mode": "flood"}}
    start = time.monotonic()
    with RunnerScorer(Recipe("fake", FAKE, load, (0.0, 1.0), 1e-6), None) as scorer:
        results = scorer.results(units, str)
    for unit, one in zip(units, results, strict=True):
        assert one.score == zlib.crc32("\0".join(text for _, text in sorted(unit.sent().items())).encode()) / 2**32
    held = told("B8", "512 units of 30 kB, and 50 MB on standard error", time.monotonic() - start, 60, "s")
    killing, draw = Killing(folder), Random(8)
    slowest = max(killing.interrupt(draw) for _ in range(KILLS))
    return (
        told("B8", f"the slowest end of {KILLS} interrupts, without a child left", slowest, STOP_SECONDS, "s") and held
    )


SIGNATURES = 1000


def signatures(folder: Path) -> bool:
    """B11: `--like` on a signature of ours gives the same request."""
    from tests.metrics.signed import drawn, signed

    from truebleu.metrics.published import parse_signature

    draw = Random(11)
    for _ in range(SIGNATURES):
        metric, asked = drawn(draw)
        line = signed(metric)
        again: Any = parse_signature(line).make()
        assert type(again) is type(metric), line
        assert {name: getattr(again, name) for name in asked} == asked, line
        assert again.facts() == metric.facts(), line
        assert again.fingerprint() == metric.fingerprint(), line
        assert signed(again) == line
    print(f"B11  {SIGNATURES:,} signatures: the same request by --like: held")
    return True


BARS: dict[str, tuple[Callable[[Path], bool], ...]] = {
    "B1": (pipe, real_pipe), "B3": (second_run,), "B4": (killed,), "B5": (mutated_lines,), "B6": (plain_imports,),
    "B7": (memory,), "B8": (no_dead_lock,), "B11": (signatures,), "B13": (scripts, wheel),
}  # fmt: skip

if __name__ == "__main__":
    sys.exit(main())
