"""How long it takes from Ctrl-C to the end of a command in a real terminal (tmux), and to a notebook cell's exception.

python bench/interrupts.py                 print the table; needs tmux, and for the kernel ipykernel and jupyter_client

Each command runs for some seconds before C-c is sent. What is measured ends when the shell has written the time, so it
includes the end of the process.
"""

from __future__ import annotations

import importlib
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

RUNNING = 2.0  # seconds, start of the interpreter included
TRUEBLEU = f"{sys.executable} -m truebleu"
NOTHING = f'{sys.executable} -c "import time; time.sleep(60)" 2>/dev/null'
COMMANDS = {
    "BLEU, chrF and TER": "ref -i sys -m bleu chrf ter",
    "bootstrap": "small.ref -i small -m bleu chrf --confidence --confidence-n 2000000",
    "`--paired-ar`": "small.ref -i small small2 -m bleu chrf --paired-ar --paired-ar-n 10000000",
    "`self-bleu`, chrF": "self-bleu many -m chrf",
    "TER of long texts": "long.ref -i long -m ter",
}
CELL = """
import time
from truebleu import CHRF
t = open("many").read().splitlines()[:20000]
try:
    while True:
        CHRF().pairwise(t, t[:9000])
except KeyboardInterrupt:
    print(time.time())
"""


def main() -> int:
    print("| interrupted | ms |\n| --- | ---: |")
    with tempfile.TemporaryDirectory() as folder:
        _write_texts(Path(folder))
        print(
            f"| bare Python that sleeps, in a terminal | {1e3 * _in_terminal(Path(folder), NOTHING):.0f} |", flush=True
        )
        for name, arguments in COMMANDS.items():
            print(f"| {name}, in a terminal | {1e3 * _in_terminal(Path(folder), f'{TRUEBLEU} {arguments}'):.0f} |")
        print(f"| `pairwise`, in a notebook's kernel | {1e3 * _in_kernel(folder):.0f} |")
    return 0


def _write_texts(folder: Path) -> None:
    r = random.Random(1)
    words = ["".join(r.choices("etaoinshrdlu", k=r.randint(2, 9))) for _ in range(3000)]
    sizes = {"ref": (800_000, 20), "many": (60_000, 20), "small.ref": (4000, 20), "long.ref": (120, 150_000)}
    sizes |= {"sys": sizes["ref"], "small": sizes["small.ref"], "small2": sizes["small.ref"], "long": sizes["long.ref"]}
    for name, (lines, length) in sizes.items():
        text = "".join(" ".join(r.choices(words, k=length)) + "\n" for _ in range(lines))
        (folder / name).write_text(text, encoding="utf-8")


def _in_terminal(folder: Path, command: str) -> float:
    """Seconds from C-c to the end of the command, which must end with 130."""
    session = ["-L", f"truebleu-{time.time_ns()}"]
    ended = folder / "ended"
    ended.unlink(missing_ok=True)
    # C-c reaches this shell too, which goes on when the command has ended.
    shell = (
        f"sh -c 'trap : INT; cd {folder}; {command}; code=$?; date +\"%s.%N $code\" > made; mv made ended; sleep 60'"
    )
    subprocess.run(["tmux", *session, "new-session", "-d", shell], check=True)
    time.sleep(RUNNING)
    sent = time.time()
    subprocess.run(["tmux", *session, "send-keys", "C-c"], check=True)
    while not ended.exists():
        if time.time() > sent + 60:
            raise SystemExit(f"{command}: not ended after a minute")
        time.sleep(0.01)
    subprocess.run(["tmux", *session, "kill-server"], check=False, capture_output=True)
    at, code = ended.read_text().split()
    if code != "130":
        raise SystemExit(f"{command}: ended with {code}, expected 130")
    return float(at) - sent


def _in_kernel(folder: str) -> float:
    """Seconds from the kernel manager's interrupt to the KeyboardInterrupt in the cell."""
    manager, client = importlib.import_module("jupyter_client.manager").start_new_kernel(cwd=folder)
    try:
        client.execute(CELL)
        time.sleep(RUNNING)
        sent = time.time()
        manager.interrupt_kernel()
        while (told := client.get_iopub_msg(timeout=60))["msg_type"] != "stream":
            if told["msg_type"] == "error":
                raise SystemExit(f"the cell ended with {told['content']}, expected a KeyboardInterrupt")
        return float(told["content"]["text"]) - sent
    finally:
        manager.shutdown_kernel(now=True)


if __name__ == "__main__":
    sys.exit(main())
