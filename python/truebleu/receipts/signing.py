"""Signatures of receipts by SSH keys. They are files beside the receipt, whose bytes never change.

Most developers have a key, and GitHub publishes it (`https://github.com/USER.keys`). The program OpenSSH does the work;
this module handles no key.
"""

from __future__ import annotations

import os
import subprocess

from truebleu._inputs import check_path, check_text
from truebleu._shown import shown
from truebleu.errors import InputFileError, MissingFile, OutputExists, SigningError

PROGRAM = "ssh-keygen"
NAMESPACE = "truebleu-receipt"


def sign(path: str | os.PathLike[str], key: str | os.PathLike[str], *, overwrite: bool = False) -> str:
    """Sign a receipt; the signature is the file with `.sig` after its name, which is returned."""
    path, key = check_path("path", path), os.path.expanduser(check_path("key", key))
    for file in (path, key):
        if not os.path.isfile(file):
            raise MissingFile(f"{shown(file)}: there is no such file")
    target = f"{path}.sig"
    if os.path.lexists(target):
        if not overwrite:
            raise OutputExists(f"{shown(target)} is there already; --force replaces it")
        os.unlink(target)
    done = _run(["-Y", "sign", "-f", key, "-n", NAMESPACE, os.path.abspath(path)])
    if done.returncode or not os.path.isfile(target):
        raise SigningError(f"{shown(path)} could not be signed with {shown(key)}: {_said(done)}")
    return target


def signature_problem(path: str | os.PathLike[str], signer: str, allowed_signers: str | os.PathLike[str]) -> str | None:
    """The fault of the signature of a receipt; None if an allowed signer has signed it."""
    path, allowed = check_path("path", path), check_path("allowed_signers", allowed_signers)
    check_text("signer", signer, "the name of the signer")
    for file in (allowed, f"{path}.sig"):
        if not os.path.isfile(file):
            raise MissingFile(f"{shown(file)}: there is no such file")
    try:
        with open(path, "rb") as receipt:
            done = _run(
                ["-Y", "verify", "-f", allowed, "-I", signer, "-n", NAMESPACE, "-s", f"{path}.sig"], receipt.fileno()
            )
    except OSError as error:
        raise InputFileError(f"{shown(path)}: cannot be read: {error.strerror}") from error
    return None if done.returncode == 0 else f"{shown(path)}.sig is not a signature of {shown(signer)}: {_said(done)}"


def _run(arguments: list[str], stdin: int = subprocess.DEVNULL) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run([PROGRAM, *arguments], stdin=stdin, capture_output=True, check=False)
    except FileNotFoundError as error:
        raise SigningError(f"the program {PROGRAM} is not there; it comes with OpenSSH, from version 8.2 on") from error


def _said(done: subprocess.CompletedProcess[bytes]) -> str:
    said = (done.stderr or done.stdout).decode("utf-8", "replace").strip()
    return shown(said.splitlines()[-1] if said else f"{PROGRAM} ended with code {done.returncode}")
