"""Real packages of PyPI, on sacreBLEU and on the face: what their functions return, and which of their tests pass.

    PYTHONPATH=tests python -m dropin.downstream WHEEL [--packages mbrs jury] [--folder PATH]

It makes a virtual environment (`--folder` keeps it for the next time), installs the wheel, sacreBLEU 2.6.0 and the
packages of `packages.py`, without the models and services that their scores do not need. Their programs, and the tests
that their source archives carry, run twice: on sacreBLEU, and with `truebleu.sacrebleu.install(lenient=True)` at the
start of every interpreter. `make test-downstream` runs this file; pytest does not.
"""

import argparse
import html
import importlib
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urljoin
from urllib.request import urlopen
from xml.etree import ElementTree

from dropin.packages import PACKAGES, PRELUDE, START, Package

# Archives come from where pip takes packages.
USUAL_INDEX = importlib.import_module("pip._internal.models.index").PyPI.simple_url
INDEX = os.environ.get("PIP_INDEX_URL", USUAL_INDEX).rstrip("/")
CONSTRAINTS = Path(__file__).with_name("constraints.txt")
PATIENCE = 1800  # seconds; a suite that hangs must not keep the others waiting for ever


def main() -> int:
    """Install and compare; the number of packages that differ."""
    parser = argparse.ArgumentParser(description="real packages of PyPI, on sacreBLEU and on the face")
    parser.add_argument("wheel", help="the wheel of truebleu, or the folder `python` of a checkout built in place")
    parser.add_argument("--packages", nargs="+", choices=PACKAGES, default=list(PACKAGES), help="by default all")
    parser.add_argument("--folder", type=Path, help="where the virtual environment is made, and kept")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as passing:
        folder = (given.folder or Path(passing)).resolve()
        (folder / "start").mkdir(parents=True, exist_ok=True)
        (folder / "start" / "sitecustomize.py").write_text(START, "utf-8")
        environment(folder, given.wheel)
        differing = [name for name in given.packages if not compare(name, folder, given.wheel)]
    print(f"{len(given.packages) - len(differing)} of {len(given.packages)} packages are as on sacreBLEU", *differing)
    return len(differing)


def environment(folder: Path, wheel: str) -> None:
    """Make an environment that has sacreBLEU and the wheel."""
    if not (folder / "venv" / "bin" / "python").exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder / "venv")], check=True)
    install(folder, ["sacrebleu==2.6.0", "numpy", "tabulate[widechars]", "pytest"])
    if wheel.endswith(".whl"):
        install(folder, [wheel])
        install(folder, [wheel], "--force-reinstall", "--no-deps")


def install(folder: Path, requirements: list[str], *options: str) -> None:
    """Install, or raise CalledProcessError."""
    pip = [str(folder / "venv" / "bin" / "python"), "-m", "pip", "install", "--quiet", "-c", str(CONSTRAINTS)]
    subprocess.run([*pip, *options, *requirements], check=True, capture_output=True, text=True)


def compare(name: str, folder: Path, wheel: str) -> bool:
    """Run the program and the tests of a package on both, and say how many of the results are equal."""
    package, began = PACKAGES[name], time.monotonic()
    try:
        if package.needs:
            install(folder, list(package.needs))
        if package.installed:
            install(folder, [package.requirement], "--no-deps")
    except subprocess.CalledProcessError as error:
        print(f"{name}: cannot be installed: {error.stderr[-1500:]}", flush=True)
        return False
    archive = folder if package.installed and package.suite is None else unpacked(package, folder)
    sound = True
    if package.program:
        place = folder if package.installed else archive
        (place / "program.py").write_text(PRELUDE + package.program, "utf-8")
        command = [str(folder / "venv" / "bin" / "python"), "program.py"]
        outputs = [run(command, package, place, folder, wheel, face) for face in (False, True)]
        shown = [dict(enumerate(line for line in text.splitlines() if line.startswith("= "))) for text in outputs]
        sound = told(f"{name}: %d of %d results are equal", *shown)
    if package.suite is not None:
        results = [outcomes(package, archive, folder, wheel, face) for face in (False, True)]
        passed = sum(outcome == "passed" for outcome in results[1].values())
        # Where none passes, nothing was tested: a package that is missing ends both runs alike.
        sound = told(f"{name}: of its own tests %d of %d have the same outcome", *results) and sound and passed > 0
        print(f"  {passed} passed", flush=True)
    print(f"  {time.monotonic() - began:.0f} s", flush=True)
    return sound


def run(command: list[str], package: Package, place: Path, folder: Path, wheel: str, face: bool) -> str:
    """Run a command in a place, on sacreBLEU or on the face, and give what it printed."""
    paths = [str(folder / "start"), *([] if wheel.endswith(".whl") else [str(Path(wheel).resolve())])]
    variables = {
        **os.environ,
        "PATH": f"{folder / 'venv' / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join(paths),
        "DOWNSTREAM_STUBBED": " ".join(package.stubbed),
        "DOWNSTREAM_FACE": "1" if face else "",
    }
    package_name = "the face" if face else "sacrebleu"
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            env=variables,
            cwd=place,
            timeout=PATIENCE,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired:
        print(f"  {package_name}: not done after {PATIENCE} s", flush=True)
        return ""
    if done.returncode:
        print(f"  {package_name}: exit code {done.returncode}\n{done.stderr[-1500:]}", flush=True)
    return done.stdout


def outcomes(package: Package, archive: Path, folder: Path, wheel: str, face: bool) -> dict[str, str]:
    """The tests of an archive by name, each with what came of it."""
    assert package.suite is not None
    report = folder / "report.xml"
    report.unlink(missing_ok=True)
    pytest = [str(folder / "venv" / "bin" / "python"), "-m", "pytest", "-q", "-p", "no:cacheprovider", "--tb=no"]
    pytest += ["-o", "addopts=", f"--junit-xml={report}"]
    run([*pytest, *package.suite.arguments], package, archive, folder, wheel, face)
    found = {}
    for case in ElementTree.parse(report).iter("testcase") if report.exists() else ():
        kinds = [child.tag for child in case if child.tag in ("failure", "error", "skipped")]
        found[f"{case.get('classname')}::{case.get('name')}"] = kinds[0] if kinds else "passed"
    return found


def unpacked(package: Package, folder: Path) -> Path:
    """The folder of the source archive of a package, fetched from the index when it is not there yet."""
    name, _, version = package.requirement.partition("==")
    stem = f"{name.replace('-', '_')}-{version}"
    if not (folder / "archives" / stem).exists():
        with urlopen(f"{INDEX}/{name}/", timeout=180) as page:
            links = re.findall(r'href="([^"]+)"[^>]*>\s*([^<\s]+)\s*<', page.read().decode())
            address = next(urljoin(page.url, html.unescape(link)) for link, file in links if file == f"{stem}.tar.gz")
        with urlopen(address, timeout=180) as file, tarfile.open(fileobj=file, mode="r|gz") as archive:
            archive.extractall(folder / "archives", filter="data")
    for path, text in (package.suite.files if package.suite is not None else {}).items():
        (folder / "archives" / stem / path).write_text(text, "utf-8")
    return folder / "archives" / stem


def told(message: str, expected: Mapping[Any, str], actual: Mapping[Any, str]) -> bool:
    """Whether two tables are equal and not empty; what differs is printed."""
    differing = [key for key in {**expected, **actual} if expected.get(key) != actual.get(key)]
    print(message % (len(expected) - len(differing), len(expected)), flush=True)
    for key in differing[:5]:
        print(f"  {key}\n    sacrebleu {expected.get(key)!s:.300}\n    truebleu  {actual.get(key)!s:.300}")
    return bool(expected) and not differing


if __name__ == "__main__":
    sys.exit(main())
