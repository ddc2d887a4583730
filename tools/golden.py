"""Ask sacreBLEU again for what its program answers to the command lines of the tests: ``python tools/golden.py``.

The answers are ``tests/golden/commands.jsonl``. The tests themselves are run to find out what they ask. ``--check``
writes nothing, and names answers that differ, that are missing, or that no test asks for; ``make test-full`` has a test
that does so.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
GOLDEN = REPOSITORY / "tests" / "golden" / "commands.jsonl"
SACREBLEU = "2.6.0"


def main(argv: list[str] | None = None) -> int:
    """Write or check the file, and return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split(":")[0])
    parser.add_argument("--check", action="store_true", help="write nothing; compare the file with the program")
    given = parser.parse_args(argv)
    if version("sacrebleu") != SACREBLEU:
        sys.exit(f"golden: this is sacreBLEU {version('sacrebleu')}, expected {SACREBLEU}")
    asked, is_green = ask()
    if given.check:
        faults = differences(GOLDEN.read_text("utf-8").splitlines(), asked)
        print("\n".join([*faults, f"golden: {len(asked)} answers of sacreBLEU, {len(faults)} faults"]))
        return int(bool(faults) or not is_green)
    GOLDEN.write_text("".join(f"{line}\n" for line in asked), "utf-8")
    print(f"golden: {len(asked)} answers of sacreBLEU are in {GOLDEN.relative_to(REPOSITORY)}")
    return int(not is_green)


def ask() -> tuple[list[str], bool]:
    """Run the tests that ask; give the records in order, and whether the tests pass with them."""
    tests = [
        path for path in sorted((REPOSITORY / "tests").rglob("test_*.py")) if ".theirs(" in path.read_text("utf-8")
    ]
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder, "record.jsonl")
        record.touch()
        command = [sys.executable, "-m", "pytest", "-n", "auto", *map(str, tests)]
        # A test that calls this has variables of its own.
        ours = {
            name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "TRUEBLEU_TEST_CASES"))
        }
        done = subprocess.run(command, cwd=REPOSITORY, env={**ours, "TRUEBLEU_GOLDEN_RECORD": str(record)})
        return sorted(set(record.read_text("utf-8").splitlines())), done.returncode == 0


def differences(kept: Iterable[str], asked: Iterable[str]) -> list[str]:
    """Name the command lines whose answers are not the same here and there."""
    before, now = ({_command(line): line for line in lines} for lines in (kept, asked))
    return [
        *(
            f"{command}: sacreBLEU answers otherwise"
            for command in before
            if before[command] != now.get(command, before[command])
        ),
        *(f"{command}: no test asks for it" for command in before if command not in now),
        *(f"{command}: has no answer in the file" for command in now if command not in before),
    ]


def _command(line: str) -> str:
    record = json.loads(line)
    variables = [f"{name}={value}" for name, value in record["variables"].items()]
    return f"{' '.join([*variables, 'sacrebleu', *record['words']])} ({record['input']})"


if __name__ == "__main__":
    sys.exit(main())
