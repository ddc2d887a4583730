"""What every test shares: how many cases to generate, and where the real texts are.

``TRUEBLEU_TEST_CASES`` (150 unless set, 300 in ``.ci/run``) is the number of generated cases for each metric and
tokenizer; at 20000, which is what ``make test-full`` sets, tests marked ``full`` run as well.
Where the real texts are, ``tools/real_texts.py`` knows.
"""

import atexit
import logging
import os
import platform
import shutil
import signal
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

import real_texts
from oracle import files
from truebleu import _logs

# sacreBLEU multiplies 32-bit floats in its shuffles, and OpenBLAS adds them in an order that depends on the processor.
# With three references TER's lengths are thirds, and its p-value is 9/501 on one machine and 10/501 on another.
# truebleu's sums are exact. The oracle is held to one kernel, which must be chosen before NumPy is loaded.
if platform.machine() in ("x86_64", "AMD64"):
    os.environ.setdefault("OPENBLAS_CORETYPE", "Haswell")

# Whoever runs the tests in the background of a script has them ignore Ctrl-C, and programs that they start would
# inherit it: those that are to be interrupted would run for ever.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# What the tests make must not be remembered in the home of whoever runs them.
os.environ["XDG_STATE_HOME"] = tempfile.mkdtemp(prefix="truebleu-tests-")
atexit.register(shutil.rmtree, os.environ["XDG_STATE_HOME"], ignore_errors=True)

CASES = int(os.environ.get("TRUEBLEU_TEST_CASES", "150"))
FULL = 20_000

REPOSITORY = Path(__file__).resolve().parent.parent

settings.register_profile(
    "truebleu",
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=max(60, min(CASES // 4, 400)),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("truebleu")


files.watch()


@pytest.hookimpl(tryfirst=True)  # before -m chooses
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.parent.name == "browser" or "site" in getattr(item, "fixturenames", ()):
            item.add_marker("guard")
    # These take minutes under valgrind: begun first, they are shared among the processes that test.
    items.sort(key=lambda item: "test_long_texts" not in item.nodeid)
    if CASES >= FULL:
        return
    skip = pytest.mark.skip(reason=f"takes minutes; set TRUEBLEU_TEST_CASES={FULL} to run it")
    for item in items:
        if "full" in item.keywords:
            item.add_marker(skip)


@pytest.fixture(autouse=True)
def _each_test_begins_anew() -> Iterator[None]:
    """One fixture: each costs a fifth of a millisecond, ten thousand times."""
    # A test sees the warnings that an earlier one has seen.
    _logs.forget()
    # Importing `sacrebleu.sacrebleu` lets a closed pipe end the process; Python's own way is an exception.
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    # sacreBLEU warns on every sentence score without effective order: thousands of lines here.
    logger = logging.getLogger("sacrebleu")
    level = logger.level
    logger.setLevel(logging.ERROR)
    yield
    logger.setLevel(level)
    # sacreBLEU leaves its files open, and the collector would tell so in another test.
    files.close()


@pytest.fixture(scope="session")
def cases() -> int:
    """How many cases to generate for each metric and tokenizer."""
    return CASES


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real texts; a test that asks for it skips where there is none."""
    if (folder := real_texts.data_folder()) is None:
        pytest.skip("no folder of real texts: set TRUEBLEU_TEST_DATA")
    return folder


@pytest.fixture(scope="session")
def wmt22() -> Path:
    """The folder of WMT22, from wherever it is at hand."""
    if (folder := real_texts.wmt22_folder()) is None:
        pytest.skip(real_texts.ADVICE)
    return folder


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The documentation site, built once for all processes of a run; tests of it skip where its builder is not."""
    pytest.importorskip("zensical", reason="no builder of the site: pip install truebleu[docs]")
    from docs_build import build

    alone = "PYTEST_XDIST_WORKER" not in os.environ
    place = tmp_path_factory.getbasetemp() if alone else tmp_path_factory.getbasetemp().parent
    built, failed = place / "site", place / "site-failed"
    try:
        (place / "site-begun").mkdir()
    except FileExistsError:  # another process builds it
        deadline = time.monotonic() + 600
        while not built.exists() and not failed.exists() and time.monotonic() < deadline:
            time.sleep(0.2)
    else:
        try:
            build(place / "site-built", place / "site-project")
        except BaseException as error:
            failed.write_text(str(error), "utf-8")
            raise
        (place / "site-built").rename(built)  # whole or not at all
    assert built.is_dir(), failed.read_text("utf-8") if failed.exists() else "the site was not built in ten minutes"
    return built
