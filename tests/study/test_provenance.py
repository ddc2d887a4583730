"""Where the numbers of a study come from, and what is never told."""

import getpass
import gzip
import hashlib
import json
import platform
from pathlib import Path

import pytest

import truebleu
from truebleu import BLEU, CHRF, Study
from truebleu.errors import InputFileError

TEXTS = {"a": ["Zwölf Möwen", "\ud800"], "b": ["x", ""]}
REFERENCES = [["x", "y"], [None, "z"]]


def hash_of(*lines: str) -> str:
    return hashlib.sha256("".join(f"{line}\n" for line in lines).encode("utf-8", "surrogatepass")).hexdigest()


def test_inputs_are_hashed_as_they_were_read() -> None:
    inputs = Study(TEXTS, REFERENCES, sources=["s", "t"]).provenance.inputs
    assert [
        ("systems", "a", 2, hash_of("Zwölf Möwen", "\ud800")),
        ("systems", "b", 2, hash_of("x", "")),
        ("references", "1", 2, hash_of("x", "y")),
        ("references", "2", 2, hash_of("", "z")),
        ("sources", "", 2, hash_of("s", "t")),
    ] == [(one.kind, one.name, one.lines, one.sha256) for one in inputs]


def test_the_hash_of_a_plain_file_is_that_of_its_bytes(tmp_path: Path) -> None:
    plain, packed = tmp_path / "a.txt", tmp_path / "ref.gz"
    plain.write_bytes(b"x\ny\n")
    packed.write_bytes(gzip.compress(b"x\nz\n", mtime=0))
    files = {"systems": [plain], "references": [str(packed)]}
    system, reference = Study({"a": ["x", "y"]}, [["x", "z"]], files=files).provenance.inputs
    assert ("a.txt", hash_of("x", "y")) == (system.file, system.file_sha256) and system.sha256 == system.file_sha256
    assert ("ref.gz", hashlib.sha256(packed.read_bytes()).hexdigest()) == (reference.file, reference.file_sha256)
    assert reference.sha256 == hash_of("x", "z")


def test_a_file_that_has_gone_is_named() -> None:
    study = Study({"a": ["x"]}, [["x"]], files={"systems": ["/nowhere/a.txt"]})
    with pytest.raises(InputFileError, match=r"/nowhere/a\.txt: there is no such file"):
        _ = study.provenance


def test_versions_and_options_are_told() -> None:
    found = Study(TEXTS, REFERENCES, [BLEU(tokenize="zh"), CHRF(word_order=2)]).provenance
    assert (truebleu.__version__, platform.python_version()) == (found.versions["truebleu"], found.versions["python"])
    assert {"bleu": "zh"} == found.tokenizers
    assert "word_order=2" in found.options["chrf++"]


def test_no_user_no_host_and_no_folder_are_told(tmp_path: Path) -> None:
    folder = tmp_path / "secret"
    folder.mkdir()
    (folder / "a.txt").write_text("x\n", "utf-8")
    study = Study({"a": ["x"]}, [["x"]], [BLEU(tokenize=str.split)], files={"systems": [folder / "a.txt"]})
    told = json.dumps(study.to_dict())
    assert "a.txt" in told
    for private in ("secret", str(tmp_path), platform.node(), f"/{getpass.getuser()}", " at 0x"):
        assert private not in told
