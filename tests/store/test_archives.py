"""Archives made to do harm, and honest ones."""

import contextlib
import gzip
import io
import os
import stat
import tarfile
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truebleu.errors import ArchiveError, CacheError, DownloadError
from truebleu.store import archives, is_archive, unpack

TEXT = b"Guten Tag.\nWie geht's?\n"


def tar_of(path: Path, *members: tarfile.TarInfo | tuple[str, bytes], mode: str = "w:gz") -> Path:
    with tarfile.open(path, mode) as tar:
        for member in members:
            if isinstance(member, tuple):
                info = tarfile.TarInfo(member[0])
                info.size = len(member[1])
                tar.addfile(info, io.BytesIO(member[1]))
            else:
                tar.addfile(member)
    return path


def special(name: str, kind: bytes, target: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


def zip_of(path: Path, *members: tuple[str, bytes], mode: int = 0) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in members:
            info = zipfile.ZipInfo(name)
            info.external_attr = mode << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            packed.writestr(info, content)
    return path


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


# --- honest archives --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "mode"),
    [
        ("a.tar", "w"), ("a.tar.gz", "w:gz"), ("a.tgz", "w:gz"), ("A.TGZ", "w:gz"),
        ("a.tar.bz2", "w:bz2"), ("a.tar.xz", "w:xz"), ("wrongly-named.tar", "w:gz"),
    ],
)  # fmt: skip
def test_tar_files_of_all_kinds_are_unpacked(name: str, mode: str, tmp_path: Path) -> None:
    archive = tar_of(tmp_path / name, ("./test/src.de", TEXT), ("test/deep/ref.en", b""), mode=mode)
    unpack(archive, tmp_path / "into")
    assert {"test/src.de": TEXT, "test/deep/ref.en": b""} == contents(tmp_path / "into")


def test_zip_files_are_unpacked(tmp_path: Path) -> None:
    unpack(zip_of(tmp_path / "a.zip", ("test/", b""), ("test/src.de", TEXT)), tmp_path / "into")
    assert {"test/src.de": TEXT} == contents(tmp_path / "into")


def test_only_wanted_members_are_unpacked_and_all_of_them(tmp_path: Path) -> None:
    archive = tar_of(tmp_path / "a.tgz", ("./a", TEXT), ("../b", TEXT), special("c", tarfile.FIFOTYPE))
    unpack(archive, tmp_path / "into", members=["a"])
    assert {"a": TEXT} == contents(tmp_path / "into")
    with pytest.raises(ArchiveError, match="lacks 1 of the expected members, the first is d/e"):
        unpack(archive, tmp_path / "into", members=["a", "d/e"])


@pytest.mark.parametrize(
    ("kind", "target"), [(tarfile.LNKTYPE, "test/src.de"), (tarfile.SYMTYPE, "src.de"), (tarfile.SYMTYPE, "./src.de")]
)
def test_a_link_to_a_file_of_the_archive_becomes_a_copy(kind: bytes, target: str, tmp_path: Path) -> None:
    archive = tar_of(tmp_path / "a.tgz", special("test/link", kind, target), ("test/src.de", TEXT))
    unpack(archive, tmp_path / "into")
    assert {"test/src.de": TEXT, "test/link": TEXT} == contents(tmp_path / "into")
    assert not (tmp_path / "into" / "test" / "link").is_symlink()


def test_permissions_are_the_users_own(tmp_path: Path) -> None:
    info = tarfile.TarInfo("a")
    info.mode = 0o4777
    unpack(tar_of(tmp_path / "a.tgz", info), tmp_path / "into")
    assert 0 == (tmp_path / "into" / "a").stat().st_mode & (stat.S_ISUID | stat.S_IXUSR)


def test_a_single_compressed_file_is_no_archive(tmp_path: Path) -> None:
    assert [True, True, False, False] == [is_archive(name) for name in ("a.tgz", "a.ZIP", "a.gz", "tgz")]
    with pytest.raises(ArchiveError, match=r"its name must end in one of \.tar"):
        unpack(tmp_path / "a.gz", tmp_path / "into")


def test_real_archives_are_unpacked(data: Path, tmp_path: Path) -> None:
    folder = data / "mirror" / "urls"
    if not folder.is_dir():
        pytest.skip("the folder of real texts has no mirror")
    found = [path for path in folder.rglob("*") if is_archive(path.name)]
    assert 15 == len(found)
    for archive in found:
        into = tmp_path / archive.name
        unpack(archive, into)
        with tarfile.open(archive) as tar:
            expected = {os.path.normpath(member.name): member.size for member in tar if member.isfile()}
        assert expected == {name: len(content) for name, content in contents(into).items()}


# --- attacks ----------------------------------------------------------------------------------

OUTSIDE = ["../evil", "/evil", "a/../../evil", "a/..", "..", "\\\\host\\evil", "..\\evil", "C:evil", "C:/evil"]


@pytest.mark.parametrize("name", OUTSIDE)
@pytest.mark.parametrize("make", [tar_of, zip_of])
def test_nothing_is_written_outside(make: Callable[..., Path], name: str, tmp_path: Path) -> None:
    suffix = ".tgz" if make is tar_of else ".zip"
    archive = make(tmp_path / f"a{suffix}", (name, b"evil"))
    into = tmp_path / "deep" / "into"
    with pytest.raises(ArchiveError, match="would be written outside the folder"):
        unpack(archive, into)
    assert {archive.name} == set(contents(tmp_path))
    assert not Path("/evil").exists()


@pytest.mark.parametrize(
    ("kind", "target"),
    [
        (tarfile.SYMTYPE, "/etc/passwd"),
        (tarfile.SYMTYPE, "../../outside"),
        (tarfile.LNKTYPE, "/etc/passwd"),
        (tarfile.LNKTYPE, "../outside"),
        (tarfile.SYMTYPE, "."),
        (tarfile.SYMTYPE, "itself"),
    ],
)
def test_links_to_elsewhere_are_refused(kind: bytes, target: str, tmp_path: Path) -> None:
    (tmp_path / "outside").write_bytes(b"secret")
    archive = tar_of(tmp_path / "a.tgz", ("file", TEXT), special("itself", kind, target))
    with pytest.raises(ArchiveError, match="has a link 'itself' to"):
        unpack(archive, tmp_path / "into")
    assert {"file": TEXT} == contents(tmp_path / "into")


def test_a_file_cannot_be_written_through_a_link(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    archive = tar_of(tmp_path / "a.tgz", special("d", tarfile.SYMTYPE, str(outside)), ("d/evil", b"evil"))
    with pytest.raises(ArchiveError):
        unpack(archive, tmp_path / "into")
    assert [] == list(outside.iterdir())


@pytest.mark.parametrize("kind", [tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE, tarfile.GNUTYPE_SPARSE])
def test_devices_pipes_and_holes_are_refused(kind: bytes, tmp_path: Path) -> None:
    archive = tar_of(tmp_path / "a.tgz", special("device", kind))
    with pytest.raises(ArchiveError, match="'device' that is neither a file nor a folder"):
        unpack(archive, tmp_path / "into")
    assert {} == contents(tmp_path / "into")


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFCHR, stat.S_IFIFO])
def test_links_and_devices_in_zip_files_are_refused(kind: int, tmp_path: Path) -> None:
    archive = zip_of(tmp_path / "a.zip", ("link", b"/etc/passwd"), mode=kind | 0o777)
    with pytest.raises(ArchiveError, match="'link' that is neither a file nor a folder"):
        unpack(archive, tmp_path / "into")


def test_an_encrypted_member_is_refused(tmp_path: Path) -> None:
    archive = zip_of(tmp_path / "a.zip", ("secret", TEXT))
    data = bytearray(archive.read_bytes())
    data[6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    archive.write_bytes(data)
    with pytest.raises(ArchiveError, match="encrypted member 'secret'"):
        unpack(archive, tmp_path / "into")


@pytest.mark.parametrize("make", [tar_of, zip_of])
def test_a_bomb_is_stopped_by_its_ratio(
    make: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archives, "SMALL", 1000)
    archive = make(tmp_path / ("a.tgz" if make is tar_of else "a.zip"), ("zeros", bytes(10_000_000)))
    limit = archives.MAX_RATIO * archive.stat().st_size
    with pytest.raises(ArchiveError, match=f"unpacks to more than {limit} bytes"):
        unpack(archive, tmp_path / "into")
    assert (tmp_path / "into" / "zeros").stat().st_size <= limit


@pytest.mark.parametrize("make", [tar_of, zip_of])
def test_size_and_number_have_limits(
    make: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = make(tmp_path / ("a.tgz" if make is tar_of else "a.zip"), *((str(n), TEXT) for n in range(20)))
    unpack(archive, tmp_path / "into")
    monkeypatch.setattr(archives, "MAX_MEMBERS", 19)
    with pytest.raises(ArchiveError, match="more than 19 members"):
        unpack(archive, tmp_path / "into")
    monkeypatch.undo()
    monkeypatch.setattr(archives, "MAX_BYTES", 20 * len(TEXT) - 1)
    with pytest.raises(ArchiveError, match=r"unpacks to more than \d+ bytes"):
        unpack(archive, tmp_path / "into")


def test_copies_in_place_of_links_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    links = (special(str(n), tarfile.LNKTYPE, "file") for n in range(20))
    archive = tar_of(tmp_path / "a.tgz", ("file", bytes(1000)), *links)
    monkeypatch.setattr(archives, "MAX_BYTES", 15_000)
    with pytest.raises(ArchiveError, match="more than 15000 bytes"):
        unpack(archive, tmp_path / "into")


def test_a_header_that_would_fill_the_memory_is_refused(tmp_path: Path) -> None:
    archive = tmp_path / "a.tgz"
    with tarfile.open(archive, "w:gz", format=tarfile.PAX_FORMAT) as tar:
        info = tarfile.TarInfo("a")
        info.pax_headers = {"comment": "x" * (archives.MAX_HEADER + 1)}
        tar.addfile(info)
    with pytest.raises(ArchiveError, match=r"has a header of \d+ bytes"):
        unpack(archive, tmp_path / "into")


def test_what_is_skipped_is_bounded_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = tar_of(tmp_path / "a.tgz", ("zeros", bytes(1_000_000)), ("a", TEXT))
    monkeypatch.setattr(archives, "MAX_BYTES", 1000)
    with pytest.raises(ArchiveError, match="more than 1000 bytes"):
        unpack(archive, tmp_path / "into", members=["a"])


# --- damage -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["a.tgz", "a.zip", "a.tar.bz2", "a.tar.xz"])
@given(place=st.floats(0, 1, exclude_max=True), cut=st.booleans())
def test_a_damaged_archive_is_an_error_or_unpacks_as_it_was(
    name: str, place: float, cut: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Some bytes of a header mean nothing, so that changing them changes nothing."""
    folder = tmp_path_factory.mktemp("damage")
    text = bytes(range(256)) * 20
    modes = {"a.tgz": "w:gz", "a.tar.bz2": "w:bz2", "a.tar.xz": "w:xz"}
    archive = zip_of(folder / name, ("a", text)) if name == "a.zip" else tar_of(
        folder / name, ("a", text), mode=modes[name]
    )  # fmt: skip
    data = bytearray(archive.read_bytes())
    position = int(place * len(data))
    if cut:
        del data[position:]
    else:
        data[position] ^= 0x55
    archive.write_bytes(data)
    try:
        unpack(archive, folder / "into")
    except DownloadError as error:
        assert str(archive) in str(error)
    else:
        assert [text] == list(contents(folder / "into").values())


def test_trouble_of_the_system_is_not_called_damage(tmp_path: Path) -> None:
    with pytest.raises(CacheError, match="cannot unpack"):
        unpack(tmp_path / "missing.tgz", tmp_path / "into")
    archive = tar_of(tmp_path / "a.tgz", ("a", TEXT), ("a/b", TEXT))
    with pytest.raises(CacheError, match="cannot unpack"):
        unpack(archive, tmp_path / "into")


@pytest.mark.guard
@pytest.mark.parametrize("kind", [tarfile.XHDTYPE, tarfile.XGLTYPE])
@pytest.mark.parametrize("chained", [False, True])
def test_headers_do_not_fill_the_memory(kind: bytes, chained: bool, tmp_path: Path) -> None:
    """`tarfile` keeps the headers of all members: 1 MB became 0.4 GB."""
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb", compresslevel=1) as stream:
        for number in range(2_000):
            record = b" key%06d=%s\n" % (number, b"x" * 30_000)
            record = b"%d" % (len(record) + 5) + record
            header = tarfile.TarInfo("pax")
            header.type, header.size = kind, len(record)
            stream.write(header.tobuf(tarfile.USTAR_FORMAT) + record + b"\0" * (-len(record) % 512))
            if not chained:
                stream.write(tarfile.TarInfo(f"f{number}").tobuf(tarfile.USTAR_FORMAT))
        stream.write(b"\0" * 1024)
    archive = tmp_path / "x.tgz"
    archive.write_bytes(packed.getvalue())
    tracemalloc.start()
    try:
        with contextlib.suppress(ArchiveError):
            unpack(archive, tmp_path / "out", members=[])
        assert tracemalloc.get_traced_memory()[1] < 50 << 20
    finally:
        tracemalloc.stop()
