"""Archives that cannot write where they should not, or fill the disk.

A checksum says that an archive is the published one, not that it is harmless. Nothing is written outside the
given folder; no links or devices are made; sizes are counted as they come, not as headers claim.
A link to a file of the same archive, as `tar` makes for files stored twice, becomes a copy of it.
"""

import posixpath
import stat
from collections.abc import Collection
from pathlib import Path, PureWindowsPath
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from truebleu._counts import number_of
from truebleu._shown import shown
from truebleu._textio import decompressing
from truebleu.errors import ArchiveError, CacheError

if TYPE_CHECKING:
    import tarfile

# The largest test set there is unpacks to less than a tenth of each.
MAX_BYTES = 16 << 30
MAX_MEMBERS = 200_000

# Text is compressed to a tenth or a thirtieth of its size, in small archives to less.
MAX_RATIO = 200
SMALL = 64 << 20

# The largest piece read at once: a header that claims more is not honest. `tarfile` keeps a chain of extended
# headers in memory until it comes to a file, so they must be small.
MAX_HEADER = 1 << 16

MAX_GLOBAL_HEADERS = 1_000

TAR_SUFFIXES = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tbz", ".tar.xz", ".txz")
ZIP_SUFFIXES = (".zip",)


def is_archive(name: str) -> bool:
    """Whether a file name is that of an archive that `unpack` can open; a single compressed file is not an archive.

    >>> is_archive("wmt21_B.test.tgz"), is_archive("test_2018_flickr.cs.gz")
    (True, False)

    Parameters
    ----------
    name
        The name of the file.
    """
    return name.lower().endswith(TAR_SUFFIXES + ZIP_SUFFIXES)


def unpack(archive: Path, into: Path, members: Collection[str] | None = None) -> None:
    """Unpack an archive into a folder, which is made if necessary.

    An error may leave some files behind: unpack within `built`, which deletes them.

    Parameters
    ----------
    archive
        The archive.
    into
        The folder.
    members
        Unpack only the files of these names, which must all be there; other files are ignored.
    """
    name = archive.name.lower()
    if not is_archive(name):
        known = " ".join(TAR_SUFFIXES + ZIP_SUFFIXES)
        raise ArchiveError(
            f"{shown(archive)} is not an archive truebleu can unpack: its name must end in one of {known}"
        )
    wanted = None if members is None else {posixpath.normpath(member) for member in members}
    try:
        work = _Unpacking(archive, into, wanted)
        into.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CacheError(f"cannot unpack {shown(archive)} into {shown(into)}: {error.strerror}") from error
    if name.endswith(ZIP_SUFFIXES):
        _unpack_zip(work)
    else:
        _unpack_tar(work)
    missing = sorted((wanted or set()) - work.written.keys())
    if missing:
        raise ArchiveError(f"{archive} lacks {len(missing)} of the expected members, the first is {shown(missing[0])}")


class _Unpacking:
    """One archive while it is unpacked, and how much of it has been read."""

    def __init__(self, archive: Path, into: Path, wanted: set[str] | None) -> None:
        self.archive, self.into, self._wanted = archive, into, wanted
        self.limit = min(MAX_BYTES, max(SMALL, MAX_RATIO * archive.stat().st_size))
        self.written: dict[str, Path] = {}
        self._bytes = self._members = 0

    def wants(self, name: str) -> bool:
        self._members += 1
        if self._members > MAX_MEMBERS:
            raise self.refused(f"has more than {MAX_MEMBERS} members")
        return self._wanted is None or posixpath.normpath(name) in self._wanted

    def target(self, name: str) -> Path:
        """Where a member goes, inside the folder and nowhere else."""
        parts = name.split("/")
        if name.startswith("/") or ".." in parts or "\\" in name or "\0" in name or PureWindowsPath(name).drive:
            raise self.refused(f"has a member {name!r}, which would be written outside the folder")
        return self.into.joinpath(*(part for part in parts if part not in ("", ".")))

    def make_folder(self, name: str) -> None:
        self.target(name).mkdir(parents=True, exist_ok=True)

    def write(self, name: str, source: BinaryIO) -> None:
        target = self.target(name)
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("wb") as stream:
            while chunk := source.read(1 << 16):
                self.count(len(chunk))
                stream.write(chunk)
        self.written[posixpath.normpath(name)] = target

    def copy(self, name: str, original: str) -> None:
        """Copy the file that a link points to."""
        found = self.written.get(posixpath.normpath(original))
        if found is None:
            raise self.refused(f"has a link {name!r} to {original!r}, which is not a file unpacked before it")
        with found.open("rb") as source:
            self.write(name, source)

    def count(self, size: int) -> None:
        self._bytes += size
        if self._bytes > self.limit:
            raise self.too_large()

    def too_large(self) -> ArchiveError:
        return self.refused(f"unpacks to more than {self.limit} bytes, which no test set of its size does")

    def refused(self, what: str) -> ArchiveError:
        return ArchiveError(
            f"{self.archive} {shown(what)}; none of it is used. "
            "If the archive comes from its publisher, please report this."
        )

    def failed(self, error: Exception) -> ArchiveError | CacheError:
        # Decompressors raise OSError too; errors of the system have a number.
        if isinstance(error, OSError) and error.errno is not None:
            return CacheError(f"cannot unpack {self.archive} into {self.into}: {error}")
        return ArchiveError(f"{self.archive} is damaged: {shown(error) or type(error).__name__}")


def _unpack_tar(work: _Unpacking) -> None:
    import lzma
    import tarfile
    import zlib

    try:
        with work.archive.open("rb") as packed:
            # By the first bytes: names are sometimes wrong.
            bounded = _Bounded(cast(BinaryIO, decompressing(packed) or packed), work)
            with tarfile.open(fileobj=cast(Any, bounded), mode="r:") as tar:
                links = []
                while (member := tar.next()) is not None:
                    cast(Any, tar).members.clear()  # Otherwise the headers of all members stay in memory.
                    if len(tar.pax_headers) > MAX_GLOBAL_HEADERS:
                        raise work.refused(f"has more than {MAX_GLOBAL_HEADERS} global headers")
                    if not _unpack_member(work, tar, member):
                        links.append((member.name, member.linkname, member.issym()))
            while bounded.read(1 << 16):  # To the end, where the checksum of the compression is.
                pass
        # Last, as a link may come before the file.
        for name, original, is_symbolic in links:
            work.copy(name, posixpath.join(posixpath.dirname(name), original) if is_symbolic else original)
    except ArchiveError:
        raise
    except (tarfile.TarError, EOFError, zlib.error, lzma.LZMAError, ValueError, OSError, RecursionError) as error:
        raise work.failed(error) from error


def _unpack_member(work: _Unpacking, tar: "tarfile.TarFile", member: "tarfile.TarInfo") -> bool:
    """Whether a member is done; links wait for the file that they point to."""
    if not work.wants(member.name):
        return True
    if member.isdir():
        work.make_folder(member.name)
    elif member.islnk() or member.issym():
        work.target(member.name)
        return False
    elif member.isreg() and not member.issparse():
        source = tar.extractfile(member)
        if source is not None:
            work.write(member.name, cast(BinaryIO, source))
    else:
        raise work.refused(f"has a member {member.name!r} that is neither a file nor a folder")
    return True


class _Bounded:
    """A stream that raises an error before it reads too much, however much `tarfile` asks for."""

    def __init__(self, stream: BinaryIO, work: _Unpacking) -> None:
        self._stream, self._work = stream, work

    def read(self, size: int = -1) -> bytes:
        if not 0 <= size <= MAX_HEADER:
            raise self._work.refused(f"has a header of {number_of(size, 'byte')}")
        data = self._stream.read(size)
        self._check(self._stream.tell())
        return data

    def seek(self, position: int, whence: int = 0) -> int:
        self._check(position)
        return self._stream.seek(position, whence)

    def tell(self) -> int:
        return self._stream.tell()

    def _check(self, position: int) -> None:
        # Twice, because padding counts here: many tiny files are harmless.
        if position > 2 * self._work.limit:
            raise self._work.too_large()


def _unpack_zip(work: _Unpacking) -> None:
    import zipfile
    import zlib

    try:
        with zipfile.ZipFile(work.archive) as packed:
            for member in filter(lambda member: work.wants(member.filename), packed.infolist()):
                if member.is_dir():
                    work.make_folder(member.filename)
                elif stat.S_IFMT(member.external_attr >> 16) not in (0, stat.S_IFREG):
                    raise work.refused(f"has a member {member.filename!r} that is neither a file nor a folder")
                elif member.flag_bits & 1:
                    raise work.refused(f"has an encrypted member {member.filename!r}")
                else:
                    with packed.open(member) as source:
                        work.write(member.filename, cast(BinaryIO, source))
    except ArchiveError:
        raise
    except (zipfile.BadZipFile, EOFError, zlib.error, RuntimeError, ValueError, OSError) as error:
        raise work.failed(error) from error
