"""The distribution in `shims/sacrebleu`, for programs and installers that ask which version of sacreBLEU is there."""

import importlib.util
import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

from conftest import REPOSITORY

SHIM = REPOSITORY / "shims" / "sacrebleu"
ABOUT = """
import importlib, importlib.metadata, importlib.util
assert importlib.util.find_spec("sacrebleu") is not None
from sacrebleu.metrics.bleu import BLEU
import sacrebleu, sacrebleu.tokenizers.tokenizer_13a, truebleu.sacrebleu
assert sacrebleu is truebleu.sacrebleu and sacrebleu.BLEU is BLEU and importlib.import_module("sacrebleu") is sacrebleu
print(importlib.metadata.version("sacrebleu"), sacrebleu.__version__)
print(sacrebleu.corpus_bleu(["a b c d"], [["a b c d"]]).score)
"""
EXPECTED = "2.6.0+truebleu 2.6.0\n100.00000000000004\n"


def run(python: str, *arguments: str, cwd: Path, **environment: str) -> str:
    done = subprocess.run(
        [python, *arguments], capture_output=True, text=True, cwd=cwd, env={**os.environ, **environment}
    )
    assert 0 == done.returncode, done.stderr + done.stdout
    return done.stdout


def built(folder: Path) -> Path:
    spec = importlib.util.spec_from_file_location("backend", SHIM / "backend.py")
    assert spec is not None and spec.loader is not None
    backend = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(backend)
    return folder / str(backend.build_wheel(str(folder)))


def test_its_one_module_is_the_face_and_its_version_is_known(tmp_path: Path) -> None:
    wheel = built(tmp_path)
    first = wheel.read_bytes()
    assert first == built(tmp_path).read_bytes()
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "site")
    # In front of the real package.
    assert EXPECTED == run(sys.executable, "-c", ABOUT, cwd=tmp_path, PYTHONPATH=str(tmp_path / "site"))
    (tmp_path / "ref").write_text("a b c d\n", "utf-8")
    command = ("-m", "sacrebleu", "ref", "-i", "ref", "-b")
    assert "100.0" == run(sys.executable, *command, cwd=tmp_path, PYTHONPATH=str(tmp_path / "site")).strip()


@pytest.mark.guard
def test_pip_installs_it_without_a_network_and_takes_it_for_sacrebleu(tmp_path: Path) -> None:
    venv.create(tmp_path / "venv", with_pip=True)
    python = str(next((tmp_path / "venv").glob("[bS]*/python*")))
    packages = run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=tmp_path).strip()
    numpy = Path(str(importlib.util.find_spec("numpy").origin)).parents[1]  # type: ignore[union-attr]
    install = ("-m", "pip", "install", "--no-index", "--no-deps", "--disable-pip-version-check")
    run(python, *install, str(SHIM), cwd=tmp_path, PYTHONPATH="")
    (Path(packages) / "truebleu.pth").write_text(f"{REPOSITORY / 'python'}\n{numpy}\n", "utf-8")
    assert EXPECTED == run(python, "-c", ABOUT, cwd=tmp_path, PYTHONPATH="")
    satisfied = run(python, *install, "sacrebleu>=2.0,==2.6.0", cwd=tmp_path, PYTHONPATH="")
    assert "Requirement already satisfied: sacrebleu" in satisfied
    (tmp_path / "ref").write_text("a b c d\n", "utf-8")
    command = str(next(Path(python).parent.glob("sacrebleu*")))
    assert "100.0" == run(command, "ref", "-i", "ref", "-b", cwd=tmp_path, PYTHONPATH="").strip()
    run(python, "-m", "pip", "uninstall", "--yes", "sacrebleu", cwd=tmp_path, PYTHONPATH="")
    assert not Path(packages, "sacrebleu.py").exists()
