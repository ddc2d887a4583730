"""Fuzz what is in ``fuzz/``: ``make fuzz``, or ``make fuzz SECONDS=600 TARGETS="ter sgm"``.

The targets of Rust compare fast versions with slow ones. They need no nightly compiler and no cargo-fuzz: coverage
comes from flags that the stable compiler takes too. The targets of Python feed parsers; Atheris drives them.

What was learnt stays in ``fuzz/corpus``, and the next run begins with it. An input that fails is kept in
``fuzz/artifacts``, and the last line says how to repeat it. Its place in the end is a test.
"""

import argparse
import importlib.util
import os
import subprocess
import sys
import tomllib
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
FUZZ = REPOSITORY / "fuzz"
BUILT = REPOSITORY / "target" / "fuzz"

# As cargo-fuzz sets them: `--cfg fuzzing` makes the slow versions public, the rest counts what runs.
FLAGS = [
    "--cfg=fuzzing",
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
]
# An input of more bytes finds no more, and takes the slow versions long.
OPTIONS = ["-max_len=1000", "-timeout=30", "-print_final_stats=0", "-verbosity=0"]


def main() -> int:
    """Fuzz the targets that the command line names, or all of them."""
    known = [*rust_targets(), *parsers()]
    parser = argparse.ArgumentParser(description="fuzz the targets of fuzz/")
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"of {', '.join(known)}; all unless named")
    parser.add_argument("--seconds", type=int, default=30, help="for each target (default: 30)")
    given = parser.parse_args()
    if given.seconds < 1:
        parser.error(f"--seconds is {given.seconds}, expected 1 or more")
    if unknown := [name for name in given.targets if name not in known]:
        parser.error(f"there is no target {unknown[0]!r}, only {', '.join(known)}")
    wanted = given.targets or known
    if any(name in parsers() for name in wanted) and importlib.util.find_spec("atheris") is None:
        parser.error("the parsers are driven by Atheris, which is not installed: pip install atheris")
    host = build() if any(name in rust_targets() for name in wanted) else ""
    failed = [name for name in wanted if not fuzz(name, host, given.seconds)]
    print(f"fuzz: {len(wanted)} targets, {given.seconds} seconds each: {', '.join(failed) or 'none'} failed")
    return int(bool(failed))


def rust_targets() -> list[str]:
    """List the targets that fuzz/Cargo.toml declares."""
    return [one["name"] for one in tomllib.loads((FUZZ / "Cargo.toml").read_text("utf-8"))["bin"]]


def parsers() -> list[str]:
    """List the targets of fuzz/parsers.py, which is not imported here: Atheris wants to be there first."""
    lines = (FUZZ / "parsers.py").read_text("utf-8").partition("\nTARGETS = {\n")[2].partition("\n}\n")[0].splitlines()
    return [line.split('"')[1] for line in lines]


def build() -> str:
    """Build the targets of Rust, and give the name of this kind of machine, which is part of their path."""
    said = subprocess.run(["rustc", "-vV"], check=True, capture_output=True, text=True).stdout
    host = next(line.split(": ")[1] for line in said.splitlines() if line.startswith("host: "))
    # Flags for the machine by name are added to those of .cargo/config.toml; with --target, programs that only take
    # part in the build are left alone.
    flags = ["--config", f"target.{host}.rustflags={FLAGS}"]
    command = ["cargo", "build", "--quiet", "--release", "--target", host, "--target-dir", str(BUILT), *flags]
    subprocess.run(command, cwd=FUZZ, check=True)
    return host


def fuzz(name: str, host: str, seconds: int) -> bool:
    """Fuzz a target, and tell whether nothing was found.

    Parameters
    ----------
    name
        The target.
    host
        The kind of machine that `build` has built for.
    seconds
        How long.
    """
    corpus, artifacts = FUZZ / "corpus" / name, FUZZ / "artifacts" / name
    for folder in (corpus, artifacts):
        folder.mkdir(parents=True, exist_ok=True)
    program = [str(BUILT / host / "release" / name), str(corpus)]
    if name in parsers():
        program = [sys.executable, str(FUZZ / "parsers.py"), name]
    words = [*program, *OPTIONS, f"-max_total_time={seconds}", f"-artifact_prefix={artifacts}{os.sep}"]
    before = set(artifacts.iterdir())
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", errors="replace")
    print(f"fuzz: {name}: {len(list(corpus.iterdir()))} inputs in its corpus", flush=True)
    if done.returncode:
        kept = " ".join(str(path) for path in sorted(set(artifacts.iterdir()) - before))
        print(f"{done.stdout[-4000:]}\nfuzz: {name} failed; to repeat it: {' '.join(program[:3])} {kept}", flush=True)
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main())
