"""Measure what of Python and of Rust the tests run, and hold it to a floor: ``make coverage``.

Python is measured by coverage.py, processes that tests start included; Rust by the compiler's own counters, in the
tests of the core. Lines of tests do not count. Fewer cases are generated than in ``make test``: they reach the same
lines. Guards do not run here: they measure time, memory and what is imported first, and to be measured changes that.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
FOLDER = REPOSITORY / "target" / "coverage"
CORE = REPOSITORY / "crates" / "core" / "src"

# What is reached, in whole per cent: of Python's lines and branches together, and of Rust's lines. They only go up.
# A fifth of what Python lacks is the adapter of Spark, which `make test-engines` runs elsewhere,
# and the answers to a shell that asks for completions, whose process ends before anything can be written down.
FLOORS = {"python": 97, "rust": 95}

# The tests of a file stand at its end (tests/test_rust_layers.py reads it so too).
_TESTS = re.compile(r"^#\[cfg\(test\)\]\nmod tests \{", re.MULTILINE)
_TEST_FILES = ("naive.rs", "tests.rs")


class CoverageError(Exception):
    """What cannot be measured, and what to do about it."""


def main() -> int:
    """Measure one language or both."""
    parser = argparse.ArgumentParser(description="measure what the tests run, and hold it to a floor")
    parser.add_argument("languages", nargs="*", metavar="LANGUAGE", help="python or rust; both unless named")
    parser.add_argument("--lines", action="store_true", help="name the lines that no test runs")
    given = parser.parse_args()
    if unknown := [name for name in given.languages if name not in FLOORS]:
        parser.error(f"the language is {unknown[0]!r}, expected python or rust")
    measure = {"python": measure_python, "rust": measure_rust}
    try:
        reached = {name: measure[name](given.lines) for name in given.languages or FLOORS}
    except CoverageError as error:
        print(f"coverage: {error}", file=sys.stderr)
        return 1
    for name, share in reached.items():
        verdict = "" if share >= FLOORS[name] else ": too little"
        print(f"coverage: {share:.2f} % of {name}, and the floor is {FLOORS[name]} %{verdict}")
    return int(any(share < FLOORS[name] for name, share in reached.items()))


def measure_python(show_lines: bool) -> float:
    """Run the tests of Python under coverage.py, and give the share of lines and branches in per cent.

    Parameters
    ----------
    show_lines
        Whether to name the lines that no test runs.
    """
    settings = dict(os.environ, COVERAGE_FILE=str(FOLDER / "python" / "data"))
    settings.setdefault("TRUEBLEU_TEST_CASES", "60")
    shutil.rmtree(FOLDER / "python", ignore_errors=True)
    (FOLDER / "python").mkdir(parents=True)
    # The first line: a test that fails ends it all.
    tests = ["-n", "auto", "-m", "not guard", "--cov", "--cov-report="]
    run([sys.executable, "-m", "pytest", *tests], settings, "the tests fail")
    report = ["-m", "coverage", "report", "--skip-covered", *(["--show-missing"] if show_lines else [])]
    run([sys.executable, *report], settings, "coverage.py cannot report")
    run([sys.executable, "-m", "coverage", "json", "-q", "-o", str(FOLDER / "python.json")], settings, "no totals")
    return float(json.loads((FOLDER / "python.json").read_bytes())["totals"]["percent_covered"])


def measure_rust(show_lines: bool) -> float:
    """Run the tests of the core with counters, and give the share of lines in per cent.

    Parameters
    ----------
    show_lines
        Whether to name the lines that no test runs.
    """
    profdata, cov = llvm_tool("llvm-profdata"), llvm_tool("llvm-cov")
    shutil.rmtree(FOLDER / "rust", ignore_errors=True)
    (FOLDER / "rust").mkdir(parents=True)
    settings = dict(os.environ, LLVM_PROFILE_FILE=str(FOLDER / "rust" / "%p.profraw"))
    settings.setdefault("PROPTEST_CASES", "64")
    flags = ["--config", f'target.{host()}.rustflags=["-Cinstrument-coverage"]', "--target", host()]
    test = ["cargo", "test", "--lib", "--package", "truebleu-core", "--target-dir", str(FOLDER / "cargo"), *flags]
    built = run([*test, "--quiet", "--no-run", "--message-format=json"], settings, "the tests cannot be built")
    program = next(
        one["executable"] for line in built.splitlines() if (one := json.loads(line)).get("executable") is not None
    )
    run([program, "--quiet"], settings, "the tests of the core fail")
    merged = FOLDER / "rust.profdata"
    raw = [str(path) for path in (FOLDER / "rust").glob("*.profraw")]
    run([profdata, "merge", "--sparse", *raw, "-o", str(merged)], settings, "the counters cannot be read")
    export = [cov, "export", "--format=lcov", f"--instr-profile={merged}", program, str(CORE)]
    counts = counted_lines(run(export, settings, "the counters cannot be shown"))
    return share_of(counts, show_lines)


def counted_lines(lcov: str) -> dict[Path, dict[int, int]]:
    """Read how often each line of the core ran; lines of tests are left out.

    Parameters
    ----------
    lcov
        What llvm-cov exports.
    """
    counts: dict[Path, dict[int, int]] = {}
    for record in lcov.split("end_of_record\n"):
        found = re.search(r"^SF:(.*)$", record, re.MULTILINE)
        if found is None or Path(found[1]).name in _TEST_FILES:
            continue
        path = Path(found[1])
        text = path.read_text("utf-8")
        tests = _TESTS.search(text)
        end = text.count("\n", 0, tests.start()) + 1 if tests else text.count("\n") + 1
        lines = ((int(line), int(count)) for line, count in re.findall(r"^DA:(\d+),(\d+)", record, re.MULTILINE))
        counts[path] = {line: count for line, count in lines if line < end}
    return counts


def share_of(counts: dict[Path, dict[int, int]], show_lines: bool) -> float:
    """Print a table of files that are not run whole, and give the share of all lines in per cent.

    Parameters
    ----------
    counts
        How often each line of each file ran.
    show_lines
        Whether to name the lines that no test runs.
    """
    for path, lines in sorted(counts.items()):
        missed = [line for line, count in lines.items() if not count]
        if missed:
            named = f"  {', '.join(map(str, missed))}" if show_lines else ""
            print(f"{path.relative_to(CORE)!s:32} {len(lines):5} lines, {len(missed):4} not run{named}")
    every = [count for lines in counts.values() for count in lines.values()]
    if not every:
        raise CoverageError("the counters name no line of the core")
    return 100 * sum(count > 0 for count in every) / len(every)


def llvm_tool(name: str) -> str:
    """Find a tool of LLVM that reads what this compiler writes: of the toolchain itself, or of the same version.

    Parameters
    ----------
    name
        The tool.
    """
    sysroot = Path(run(["rustc", "--print", "sysroot"], None, "there is no compiler of Rust").strip())
    own = sysroot / "lib" / "rustlib" / host() / "bin" / name
    version = re.search(r"^LLVM version: (\d+)", run(["rustc", "-vV"], None, "no rustc"), re.MULTILINE)
    number = version[1] if version else ""
    for tool in (str(own), f"{name}-{number}"):
        if found := shutil.which(tool):
            return found
    raise CoverageError(
        f"{name} of LLVM {number} is missing: run `rustup component add llvm-tools`, or `apt-get install llvm-{number}`"
    )


def host() -> str:
    """Name this kind of machine, as the compiler does."""
    said = run(["rustc", "-vV"], None, "there is no compiler of Rust")
    return next(line.split(": ")[1] for line in said.splitlines() if line.startswith("host: "))


def run(command: list[str], settings: dict[str, str] | None, trouble: str) -> str:
    """Run a command in the repository; give what it prints, or show it while it runs.

    Parameters
    ----------
    command
        The words of the command.
    settings
        The variables of its environment, this program's unless given.
    trouble
        What to say when it fails.
    """
    shown = "pytest" in command or "report" in command
    out = None if shown else subprocess.PIPE
    try:
        done = subprocess.run(command, cwd=REPOSITORY, env=settings, stdout=out, encoding="utf-8", errors="replace")
    except OSError as error:
        raise CoverageError(f"{trouble}: {error}") from None
    if done.returncode:
        raise CoverageError(f"{trouble} ({command[0]}: {done.returncode})\n{(done.stdout or '')[-4000:]}".rstrip())
    return done.stdout or ""


if __name__ == "__main__":
    sys.exit(main())
