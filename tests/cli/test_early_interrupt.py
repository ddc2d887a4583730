"""Ctrl-C before the command has begun: while Python starts and modules are imported.

Python itself is deaf or talkative until its own modules are there, and no program can change that. What is tested is
that nothing of this package is ever shown.
"""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

import pytest

import truebleu

pytestmark = [pytest.mark.guard, pytest.mark.skipif(sys.platform == "win32", reason="sends signals")]

PACKAGE = Path(truebleu.__file__).parent
# Read before the command can say what Ctrl-C means; they are small, and import nothing else.
FIRST = {str(PACKAGE / name) for name in ("__init__.py", "_lazy.py", "__main__.py")}
SCRIPT = shutil.which("truebleu", path=sysconfig.get_path("scripts"))


def interrupted(command: list[str], after: float) -> subprocess.CompletedProcess[str]:
    """Run a command that waits for its input, and interrupt it after so many seconds."""
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    time.sleep(after)
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=60)
    return subprocess.CompletedProcess(command, process.returncode, output, errors)


@pytest.mark.parametrize("start", ["script", "module"])
def test_an_interrupt_at_any_moment_shows_nothing_of_this_package(start: str, tmp_path: Path) -> None:
    if start == "script" and SCRIPT is None:
        pytest.skip("the package is installed without its scripts")
    (tmp_path / "ref").write_text("a b c\n")
    command = [str(SCRIPT)] if start == "script" else [sys.executable, "-m", "truebleu"]
    for milliseconds in range(0, 151, 6):
        done = interrupted([*command, str(tmp_path / "ref")], milliseconds / 1000)
        assert "" == done.stdout
        frames = set(re.findall('File "([^"]+)"', done.stderr))
        assert set() == {frame for frame in frames if frame.startswith(str(PACKAGE))} - FIRST, done.stderr
        # Python says 1 where it was interrupted itself, and with its traceback dies of the signal.
        assert done.returncode in (-signal.SIGINT, 130) or ("Traceback" in done.stderr and 1 == done.returncode)


def test_nothing_else_is_imported_before_the_command_can_say_what_ctrl_c_means() -> None:
    code = "import sys; before = set(sys.modules); import truebleu.__main__; print(*sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "__future__ truebleu truebleu.__main__ truebleu._lazy\n" == done.stdout


# Runs the command, and tells what Ctrl-C means when argparse is imported, when the command begins, and afterwards.
TELL = """
import signal, sys
signal.signal(signal.SIGINT, {before})
told = []
class Listening:
    def find_spec(self, name, path=None, target=None):
        if name == "argparse": told.append(signal.getsignal(signal.SIGINT))
sys.meta_path.insert(0, Listening())
import truebleu, truebleu.__main__
told.append(signal.getsignal(signal.SIGINT))
sys.modules.pop("argparse", None)
truebleu.__main__._run(lambda: __import__("argparse") and (lambda: told.append(signal.getsignal(signal.SIGINT)) or 0))
names = {{signal.SIG_DFL: "default", signal.SIG_IGN: "ignored", signal.default_int_handler: "python"}}
print(*(names.get(each, "own") for each in [*told, signal.getsignal(signal.SIGINT)]))
"""


@pytest.mark.parametrize(
    ("before", "told"),
    [
        ("signal.default_int_handler", "python default python python"),
        ("signal.SIG_IGN", "ignored ignored ignored ignored"),
        ("signal.SIG_DFL", "default default default default"),
        ("lambda *_: None", "own own own own"),
    ],
)
def test_an_interrupt_ends_the_process_only_until_the_command_is_there(before: str, told: str) -> None:
    """The first word tells that importing the package changes nothing."""
    code = TELL.format(before=before)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert f"{told}\n" == done.stdout
