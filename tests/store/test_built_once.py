"""Folders that are made once, whole or not at all."""

import errno
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from loopback import isolate, wait_until, without_privileges
from truebleu import store
from truebleu.errors import CacheError, DownloadError
from truebleu.store import RemoteFile, built, built_once, cache_folder, fetch, offline, unpack
from truebleu.store.files import digest_of

NAMES = ("src", "ref")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(built_once, "_private", {})
    return isolate(tmp_path, monkeypatch)


class Build:
    """Writes two files, and counts."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self, folder: Path) -> None:
        self.times += 1
        for name in NAMES:
            (folder / name).write_text(f"{name} of a segment\n")


def make(build: Build | None = None, version: str = "1") -> Path:
    return built("wmt99/en-de", NAMES, build or Build(), version)


def test_a_folder_is_built_once(cache: Path) -> None:
    build = Build()
    assert cache / "wmt99" / "en-de" / "1" == make(build) == make(build)
    assert 1 == build.times
    assert "ref of a segment\n" == (make(build) / "ref").read_text()


def test_a_new_version_is_built_beside_the_old(cache: Path) -> None:
    old, new = make(version="1"), make(version="2")
    assert old != new and (old / "src").exists()


def test_more_may_be_built_than_asked_for_and_is_verified_too() -> None:
    def build(folder: Path) -> None:
        Build()(folder)
        (folder / "systems").mkdir()
        (folder / "systems" / "A").write_text("x\n")

    path = built("a", NAMES, build, "1")
    (path / "systems" / "A").write_text("y\n")
    assert "x\n" == (built("a", NAMES, build, "1") / "systems" / "A").read_text()


def damage(folder: Path, how: str) -> None:
    manifest = folder / built_once.MANIFEST
    if how == "changed":
        (folder / "ref").write_text("ref of a segmenT\n")
    elif how == "truncated":
        (folder / "ref").write_text("")
    elif how == "missing":
        (folder / "ref").unlink()
    elif how == "no manifest":
        manifest.unlink()
    elif how == "cut manifest":
        manifest.write_text(manifest.read_text()[:-20])
    elif how == "odd manifest":
        manifest.write_text('{"schema": 1, "files": ["src", "ref"]}')
    elif how == "later manifest":
        manifest.write_text(manifest.read_text().replace('"schema": 1', '"schema": 2'))
    elif how == "escaping manifest":
        manifest.write_text(json.dumps({"schema": 1, "files": {"../../x": "0"}}))
    elif how == "shorter manifest":
        manifest.write_text(json.dumps({"schema": 1, "files": {}}))
    elif how == "a file":
        for path in folder.iterdir():
            path.unlink()
        folder.rmdir()
        folder.write_text("in the way")


@pytest.mark.parametrize(
    "how",
    [
        "changed", "truncated", "missing", "no manifest", "cut manifest", "odd manifest", "later manifest",
        "escaping manifest", "shorter manifest", "a file",
    ],
)  # fmt: skip
def test_what_is_damaged_is_built_again(how: str, cache: Path) -> None:
    damage(make(), how)
    build = Build()
    path = make(build)
    assert 1 == build.times
    assert "ref of a segment\n" == (path / "ref").read_text()
    assert ["1"] == [entry.name for entry in path.parent.iterdir()]


def test_a_failed_build_leaves_nothing_and_its_error_is_seen(cache: Path) -> None:
    def fail(folder: Path) -> None:
        (folder / "src").write_text("half")
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        built("wmt99/en-de", NAMES, fail, "1")
    assert [] == list((cache / "wmt99" / "en-de").iterdir())


def test_a_build_must_keep_its_promise(cache: Path) -> None:
    with pytest.raises(CacheError, match="gave no ref; expected the files src, ref"):
        built("a", NAMES, lambda folder: (folder / "src").write_text("x") and None, "1")

    def link(folder: Path) -> None:
        (folder / "src").symlink_to("/etc/passwd")

    with pytest.raises(CacheError, match="gave a link or device src"):
        built("a", ["src"], link, "1")
    assert [] == list((cache / "a").iterdir())


@pytest.mark.parametrize("folder", ["", "/a", "../a", "a/../b", "a//b", "a\\b", "."])
def test_a_folder_lies_in_the_cache(folder: str) -> None:
    with pytest.raises(CacheError, match="is not a path inside the cache"):
        built(folder, NAMES, Build(), "1")


def test_a_real_archive_goes_all_the_way(data: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fetched from a mirror, unpacked, built; the archive is not needed again."""
    mirror = data / "mirror" / "urls"
    if not mirror.is_dir():
        pytest.skip("the folder of real texts has no mirror")
    monkeypatch.setenv("TRUEBLEU_MIRROR", str(mirror))
    url = "https://raw.githubusercontent.com/esalesky/mtedx-eval/main/test.tar.gz"
    md5 = "fa4cb1548c210ec424d7d6bc9a3675a7"
    file = RemoteFile(url, "mtedx_test.test.tar.gz", "mtedx/test/raw", md5=md5)

    def build(folder: Path) -> None:
        unpack(fetch(file), folder)

    with offline():
        path = built("mtedx/test/text", (), build, "1")
        file.home.unlink()
        assert path == built("mtedx/test/text", (), build, "1")
    with tarfile.open(mirror / "raw.githubusercontent.com/esalesky/mtedx-eval/main/test.tar.gz") as tar:
        for member in tar:
            if member.isfile():
                assert tar.extractfile(member).read() == (path / member.name).read_bytes()  # type: ignore[union-attr]


# --- caches that cannot be written ------------------------------------------------------------


@pytest.fixture
def read_only(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A cache that may be read by all and written by none. pytest's own folders are closed to nobody."""
    with tempfile.TemporaryDirectory() as name, tempfile.TemporaryDirectory() as state:
        monkeypatch.setenv("TRUEBLEU_CACHE", name)
        # The user who reads it is the one who has made it.
        monkeypatch.setenv("XDG_STATE_HOME", state)
        Path(state).chmod(0o777)
        made = [make(), *make().parents][:3]
        (Path(name) / ".locks").chmod(0o555)
        for folder in (*made, Path(name)):
            folder.chmod(0o555)
        yield Path(name)
        for folder in (Path(name), *reversed(made)):
            folder.chmod(0o755)


def test_a_read_only_cache_is_used_as_it_is(read_only: Path) -> None:
    build = Build()
    with without_privileges():
        assert read_only / "wmt99" / "en-de" / "1" == make(build)
    assert 0 == build.times


def test_what_another_user_has_made_is_compared_once_and_then_used(
    read_only: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build = Build()
    with tempfile.TemporaryDirectory() as state:
        monkeypatch.setenv("XDG_STATE_HOME", state)
        Path(state).chmod(0o777)
        with without_privileges():
            assert read_only / "wmt99" / "en-de" / "1" == make(build) == make(build)
    assert 1 == build.times


def plant(folder: Path) -> None:
    """Other text with a manifest that fits, as anybody can make it who may write the cache."""
    (folder / "ref").write_text("planted\n")
    manifest = json.loads((folder / built_once.MANIFEST).read_text())
    manifest["files"]["ref"] = digest_of(folder / "ref")
    (folder / built_once.MANIFEST).write_text(json.dumps(manifest))
    assert built_once.folder_problem(folder, NAMES) is None


@pytest.mark.parametrize("made_before", [True, False])
def test_text_that_somebody_planted_is_made_again(made_before: bool, cache: Path, tmp_path: Path) -> None:
    plant(make())
    if not made_before:
        shutil.rmtree(tmp_path / "home")
    build = Build()
    assert "ref of a segment\n" == (make(build) / "ref").read_text()
    assert 1 == build.times
    assert ["1"] == [entry.name for entry in (cache / "wmt99" / "en-de").iterdir()]


def test_text_that_somebody_planted_is_not_believed_where_it_cannot_be_made(cache: Path) -> None:
    plant(make())

    def fail(folder: Path) -> None:
        raise DownloadError("no archive")

    with pytest.raises(DownloadError, match="no archive"):
        built("wmt99/en-de", NAMES, fail, "1")


def test_text_that_somebody_planted_in_a_read_only_cache_is_not_used(read_only: Path) -> None:
    plant(read_only / "wmt99" / "en-de" / "1")
    with without_privileges():
        path = make()
    assert read_only not in path.parents and "ref of a segment\n" == (path / "ref").read_text()


def test_a_user_without_a_home_compares_every_time(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (cache.parent / "home").write_text("a file")
    build = Build()
    assert make(build) == make(build)
    assert 2 == build.times


def test_a_cache_may_be_moved(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make()
    cache.rename(cache.with_name("moved"))
    monkeypatch.setenv("TRUEBLEU_CACHE", str(cache.with_name("moved")))
    build = Build()
    make(build)
    assert 0 == build.times


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT])
def test_where_the_cache_has_no_room_a_folder_is_built_privately(code: int, cache: Path) -> None:
    """It ended in a traceback."""
    build = Build()

    def build_if_there_is_room(folder: Path) -> None:
        build(folder)
        if cache in folder.parents:
            raise OSError(code, os.strerror(code))

    path = built("wmt99/en-de", NAMES, build_if_there_is_room, "1")
    assert cache not in path.parents and "ref of a segment\n" == (path / "ref").read_text()
    assert path == built("wmt99/en-de", NAMES, build_if_there_is_room, "1")
    assert [] == list((cache / "wmt99" / "en-de").iterdir())


def test_what_a_read_only_cache_lacks_is_built_privately_once(read_only: Path) -> None:
    build = Build()
    with without_privileges():
        path = make(build, version="2")
        assert path == make(build, version="2")
        assert 1 == build.times
        assert read_only not in path.parents and 0o700 == path.stat().st_mode & 0o777
        (path / "ref").write_text("changed")
        assert "ref of a segment\n" == (make(build, version="2") / "ref").read_text()
    assert ["1"] == [entry.name for entry in (read_only / "wmt99" / "en-de").iterdir()]


def test_what_is_damaged_in_a_read_only_cache_is_built_privately(read_only: Path) -> None:
    path = read_only / "wmt99" / "en-de" / "1"
    path.chmod(0o755)
    (path / "ref").write_text("changed")
    path.chmod(0o555)
    with without_privileges():
        assert "ref of a segment\n" == (make() / "ref").read_text()
    assert "changed" == (path / "ref").read_text()


def test_a_private_folder_goes_with_its_process(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    program = f"""
import os
from truebleu.store import built
os.environ["TRUEBLEU_CACHE"] = {str(tmp_path / "file" / "cache")!r}
path = built("a", ["b"], lambda folder: folder.joinpath("b").write_text("x") and None, "1")
if os.fork() == 0:
    raise SystemExit
os.wait()
print(path.joinpath("b").read_text(), path)
"""
    text, path = run(program).communicate()[0].split()
    assert "x" == text and not Path(path).exists()


# --- at once, and killed ----------------------------------------------------------------------


def run(program: str) -> subprocess.Popen[str]:
    source = [str(Path(store.__file__).parents[3]), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(source)}
    return subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, env=environment)


BUILDING = """
import os, time
from truebleu.store import built
def build(folder):
    open({log!r}, "a").write("built\\n")
    (folder / "src").write_text("x" * 1000)
    {then}
    (folder / "ref").write_text("y" * 1000)
path = built("wmt99/en-de", ["src", "ref"], build, "1")
print(len((path / "src").read_text()), len((path / "ref").read_text()))
"""


def test_of_processes_that_want_the_same_folder_one_builds(tmp_path: Path) -> None:
    log = tmp_path / "log"
    running = [run(BUILDING.format(log=str(log), then="time.sleep(0.5)")) for _ in range(3)]
    assert ["1000 1000\n"] * 3 == [process.communicate()[0] for process in running]
    assert "built\n" == log.read_text()


def test_without_turns_the_first_to_finish_wins_and_all_are_served(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "log"
    program = "import truebleu._atomic as a; a.fcntl = None\n" + BUILDING
    running = [run(program.format(log=str(log), then="time.sleep(0.3)")) for _ in range(3)]
    assert ["1000 1000\n"] * 3 == [process.communicate()[0] for process in running]
    assert ["1"] == [entry.name for entry in (cache_folder() / "wmt99" / "en-de").iterdir()]


def test_a_killed_build_leaves_nothing_that_is_trusted_or_in_the_way(tmp_path: Path, cache: Path) -> None:
    log = tmp_path / "log"
    victim = run(BUILDING.format(log=str(log), then="time.sleep(60)"))
    wait_until(log.exists)
    victim.kill()
    victim.communicate()
    (left,) = (cache / "wmt99" / "en-de").iterdir()
    build = Build()
    assert "ref of a segment\n" == (make(build) / "ref").read_text()
    os.utime(left, (0, 0))
    make(version="2")
    assert ["1", "2"] == sorted(entry.name for entry in (cache / "wmt99" / "en-de").iterdir())
