"""Test sets and files of the face: what sacreBLEU's functions of that name do, with truebleu's store below them."""

import gzip
import hashlib
import io
import tarfile
from pathlib import Path

import pytest

import truebleu
import truebleu.sacrebleu.utils
import truebleu.utils
from loopback import isolate, serving
from truebleu import errors
from truebleu.sacrebleu.dataset.base import Dataset


def test_a_data_set_has_the_texts_of_the_set_that_is_known_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    isolate(tmp_path, monkeypatch)
    known = truebleu.testset("demo", "en-de")
    face = Face("demo", description="a demo")
    face.maybe_download()
    face.process_to_text("en-de")
    assert list(known.source) == list(face.source("en-de"))
    # Lines of references keep their ends, as sacreBLEU's do.
    lines = [tuple(text + "\n" for text in texts) for texts in zip(*known.references, strict=True)]
    assert lines == [tuple(texts) for texts in face.references("en-de")]
    assert {"src", "ref:A", "ref:B"} <= set(face.fieldnames("en-de"))
    files = face.get_files("en-de")
    assert face.get_source_file("en-de") in files and set(face.get_reference_files("en-de")) <= set(files)


class Face(Dataset):
    """One that somebody derives, as from sacreBLEU's."""


def test_an_archive_is_fetched_checked_and_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    isolate(tmp_path / "home", monkeypatch)
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz") as tar:
        member = tarfile.TarInfo("set/a.txt")
        member.size = 6
        tar.addfile(member, io.BytesIO(b"ferry\n"))
    digest, fetch = hashlib.md5(made.getvalue()).hexdigest(), truebleu.sacrebleu.utils.download_file
    with serving({"/set.tar.gz": made.getvalue()}) as server:
        address = f"{server.url}/set.tar.gz"
        with pytest.raises(errors.DownloadError, match="md5"):
            fetch(address, str(tmp_path / "wrong" / "set.tar.gz"), expected_md5="0" * 32)
        fetch(address, str(tmp_path / "to" / "set.tar.gz"), extract_to=str(tmp_path / "out"), expected_md5=digest)
    assert b"ferry\n" == (tmp_path / "out" / "set" / "a.txt").read_bytes()


def test_smart_open_reads_what_is_compressed(tmp_path: Path) -> None:
    (tmp_path / "a.gz").write_bytes(gzip.compress(b"one\r\ntwo\n"))
    (tmp_path / "a.txt").write_bytes(b"one\r\ntwo\n")
    for name in ("a.gz", "a.txt"):
        with truebleu.utils.smart_open(str(tmp_path / name)) as file:
            assert ["one\r\n", "two\n"] == list(file)
