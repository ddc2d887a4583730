"""What learned metrics cost beside their models: the bars, with a runner that has no model. Answers are asserted first.

`python bench/neural.py` measures time of the processor, of this process and of its children. Bars about real packages
need an interpreter that has them: `TRUEBLEU_TEST_NEURAL=/path/python python bench/neural.py`.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
FAKE = (sys.executable, "-E", "-s", "-u", "-X", "utf8", str(ROOT / "tests" / "runners" / "fake.py"))
UNITS = 20_000


def main() -> int:
    """Measure every bar, and say which of them are held."""
    with tempfile.TemporaryDirectory() as folder:
        held = [bar(Path(folder)) for bar in (pipe, second_run, plain_imports, scripts)]
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
        "bad = [one for one in sys.modules if 'runners' in one or 'neural' in one or 'sqlite' in one]; assert not bad, bad"
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


if __name__ == "__main__":
    sys.exit(main())
