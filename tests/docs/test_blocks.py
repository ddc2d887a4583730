"""Every code block and every command of the documentation runs, and prints what the page says.

How is told in `blocks.py`; `material.py` has the files that commands work on. A page is run in a folder of its own,
without a network, and with an empty home; one that has commands, or modules to import, also in a process of its own.
"""

import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from conftest import REPOSITORY
from docs.blocks import Page, blocks, commands, faults
from docs.material import NEEDED, write

if sys.platform == "win32":
    pytest.skip("the pages' commands are for a POSIX shell", allow_module_level=True)

PAGES = sorted(
    str(path.relative_to(REPOSITORY))
    for path in [REPOSITORY / "README.md", REPOSITORY / "CONTRIBUTING.md", *(REPOSITORY / "docs").rglob("*.md")]
)

# What is not run, with the reason that stands above the block: whoever adds one says so here too.
NOT_RUN = {
    "CONTRIBUTING.md": ["a map"],
    "docs/accumulators.md": ["needs PyTorch; tests/dialects/test_torch.py makes these calls"],
    "docs/agree.md": [
        "the folder is a download of mt-metrics-eval",
        "takes ten minutes, and needs the scores of WMT23",
    ],
    "docs/architecture.md": ["a drawing"],
    "docs/dropin.md": ["it changes the environment"],
    "docs/neural.md": ["it fetches gigabytes"],
    "docs/calibration.md": ["takes a quarter of an hour, and needs the texts of WMT"],
    "docs/columns.md": [f"needs {name}; tests/engines makes these calls" for name in ("Spark", "Ray", "Dask")],
    "docs/coming-from/offline.md": ["needs the bundle of the command before"],
    "docs/documents.md": ["needs texts of WMT"],
    "docs/explanation/bleu.md": ["a formula"],
    "docs/explanation/neural-process.md": ["a drawing"],
    "docs/report.md": ["these files are yours"],
    "docs/judges.md": ["needs a model", "a prompt goes with a server that knows what to say to it"],
    "docs/sign-test.md": ["a formula"],
}

# Commands that run without a network as far as the missing test set: how many there are on a page.
FETCHED = {
    "docs/coming-from/offline.md": 1,
    "docs/command-line.md": 5,
    "docs/doctor.md": 1,
    "docs/documents.md": 1,
    "docs/report.md": 1,
    "docs/store.md": 1,
}


@pytest.mark.parametrize("page", [page for page in PAGES if blocks((REPOSITORY / page).read_text("utf-8"))])
def test_every_block_runs_and_prints_what_the_page_says(
    page: str, shell: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if missing := [name for name in NEEDED.get(page, ()) if shutil.which(name) is None]:
        pytest.skip(f"{', '.join(missing)} not installed")
    write(page, shell)
    text = (REPOSITORY / page).read_text("utf-8")
    is_python = all(block.language == "python" for block in blocks(text) if block.code and not block.unrun)
    if is_python and not [*shell.rglob("*.py")]:
        monkeypatch.chdir(shell)
        assert [] == Page(text).run()
        return
    command = [sys.executable, str(Path(__file__).parent / "blocks.py"), str(REPOSITORY / page)]
    done = subprocess.run(command, cwd=shell, capture_output=True, encoding="utf-8")
    assert 0 == done.returncode, f"{page}\n{done.stdout}\n{done.stderr}"


@pytest.mark.parametrize("page", PAGES)
def test_every_block_is_run_or_says_why_not(page: str) -> None:
    assert [] == faults((REPOSITORY / page).read_text("utf-8"))


def test_what_is_not_run_is_known() -> None:
    unrun: dict[str, list[str]] = {}
    fetched: Counter[str] = Counter()
    for page in PAGES:
        for block in blocks((REPOSITORY / page).read_text("utf-8")):
            if block.unrun:
                unrun.setdefault(page, []).append(block.unrun)
            fetched[page] += sum(block.is_fetched(command) for command, _ in commands(block) if block.fetched)
    assert NOT_RUN == unrun
    assert FETCHED == dict(+fetched)
