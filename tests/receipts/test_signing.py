"""Signatures by OpenSSH, with keys that are made here."""

import shutil
import subprocess
from pathlib import Path

import pytest

from receipts.forging import made
from truebleu.errors import MissingFile, OutputExists, SigningError
from truebleu.receipts import signing
from truebleu.receipts.signing import sign, signature_problem

needs_openssh = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen of OpenSSH is not installed")


@pytest.fixture
def receipt(tmp_path: Path) -> Path:
    path = tmp_path / "atlas.receipt.json"
    made().save(path)
    return path


@pytest.fixture
def key(tmp_path: Path) -> Path:
    path = tmp_path / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", str(path)], check=True)
    allowed = tmp_path / "allowed"
    allowed.write_text(f"ann@example.org {path.with_suffix('.pub').read_text()}")
    return path


@needs_openssh
def test_a_signature_lies_beside_the_receipt_and_holds(receipt: Path, key: Path, tmp_path: Path) -> None:
    before = receipt.read_bytes()
    assert f"{receipt}.sig" == sign(receipt, key)
    assert before == receipt.read_bytes()
    assert signature_problem(receipt, "ann@example.org", tmp_path / "allowed") is None
    assert "is not a signature of bob" in (signature_problem(receipt, "bob", tmp_path / "allowed") or "")
    receipt.write_bytes(before.replace(b"atlas", b"birch"))
    assert "is not a signature of ann" in (signature_problem(receipt, "ann@example.org", tmp_path / "allowed") or "")


@needs_openssh
def test_a_signature_that_is_there_is_replaced_only_on_request(receipt: Path, key: Path) -> None:
    sign(receipt, key)
    with pytest.raises(OutputExists, match="is there already; --force replaces it"):
        sign(receipt, key)
    assert sign(receipt, key, overwrite=True)


@needs_openssh
def test_a_file_that_is_no_key_is_named(receipt: Path, tmp_path: Path) -> None:
    (tmp_path / "nokey").write_text("hello")
    with pytest.raises(SigningError, match="could not be signed with"):
        sign(receipt, tmp_path / "nokey")


def test_files_that_are_missing_are_named(receipt: Path, tmp_path: Path) -> None:
    with pytest.raises(MissingFile, match="nokey: there is no such file"):
        sign(receipt, tmp_path / "nokey")
    with pytest.raises(MissingFile, match="nobody: there is no such file"):
        signature_problem(receipt, "ann", tmp_path / "nobody")


def test_without_openssh_the_error_says_so(receipt: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signing, "PROGRAM", "no-such-program")
    (tmp_path / "key").write_text("")
    with pytest.raises(SigningError, match="the program no-such-program is not there; it comes with OpenSSH"):
        sign(receipt, tmp_path / "key")
