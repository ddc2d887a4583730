"""The store against a server on the loopback: nothing here reaches a network."""

import contextvars
import hashlib
import importlib
import logging
import os
import random
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from loopback import CONTENT, forbid_sockets, isolate, serving, wait_until, without_privileges
from truebleu import _atomic, store
from truebleu.errors import CacheError, DownloadError, MissingDependency
from truebleu.store import (
    RemoteFile,
    built_once,
    cache_folder,
    download,
    fetch,
    is_offline,
    sacrebleu_folder,
)
from truebleu.store.config import on_mirrors, state_folder

SHA256 = hashlib.sha256(CONTENT).hexdigest()
MD5 = hashlib.md5(CONTENT).hexdigest()


@pytest.fixture
def server() -> Iterator[Any]:
    with serving() as running:
        yield running


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return isolate(tmp_path, monkeypatch)


@pytest.fixture
def file(server: Any) -> RemoteFile:
    return RemoteFile(f"{server.url}/good", "some.model", "models", sha256=SHA256)


@pytest.fixture
def unknown(file: RemoteFile) -> RemoteFile:
    """The same file, its checksum not published."""
    return replace(file, sha256=None, check=starts_like_a_model)


def starts_like_a_model(path: Path) -> str | None:
    return None if path.read_bytes().startswith(b"a model") else "is no model"


def place(folder: Path, content: bytes = CONTENT) -> Path:
    path = folder / "models" / "some.model"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


# --- fetching ---------------------------------------------------------------------------------


def test_a_file_is_downloaded_once(file: RemoteFile, server: Any, cache: Path) -> None:
    assert cache / "models" / "some.model" == fetch(file) == fetch(file)
    assert CONTENT == fetch(file).read_bytes()
    assert ["/good"] == server.requests


def test_nothing_is_left_beside_it(file: RemoteFile) -> None:
    assert ["some.model"] == [path.name for path in fetch(file).parent.iterdir()]


def test_other_users_of_the_cache_may_read_it(file: RemoteFile) -> None:
    before = os.umask(0o022)
    try:
        assert 0o644 == fetch(file).stat().st_mode & 0o777
    finally:
        os.umask(before)


def test_an_md5_is_as_good(file: RemoteFile) -> None:
    assert CONTENT == fetch(replace(file, sha256=None, md5=MD5.upper())).read_bytes()


def test_redirects_are_followed(file: RemoteFile, server: Any) -> None:
    fetch(replace(file, url=f"{server.url}/to//good"))
    assert ["/to//good", "/good"] == server.requests


def test_a_mirror_is_tried_when_the_address_fails(file: RemoteFile, server: Any) -> None:
    fetch(replace(file, url=f"{server.url}/missing", mirrors=(file.url,)))
    assert ["/missing", "/good"] == server.requests


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/missing", "404"),
        ("/cut", "broke off the connection before the file was complete"),
        ("/other", "has sha256"),
    ],
)
def test_a_failed_download_leaves_nothing_and_says_why(
    path: str, reason: str, file: RemoteFile, server: Any, cache: Path
) -> None:
    with pytest.raises(DownloadError, match=reason) as caught:
        fetch(replace(file, url=server.url + path))
    assert server.url + path in str(caught.value)
    assert [] == list((cache / "models").iterdir())


def test_a_cut_download_is_noticed_without_a_checksum(unknown: RemoteFile, server: Any, cache: Path) -> None:
    """By its length alone: what arrives would pass the check."""
    with pytest.raises(DownloadError, match="broke off the connection before the file was complete"):
        fetch(replace(unknown, url=f"{server.url}/cut"))
    assert [] == list((cache / "models").iterdir())


def test_a_silent_server_is_given_up(file: RemoteFile, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(download, "TIMEOUT", (0.2, 0.2))
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/x"
        with pytest.raises(DownloadError, match="timed out"):
            fetch(replace(file, url=url))


def test_a_download_that_stalls_is_given_up(
    file: RemoteFile, server: Any, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(download, "TIMEOUT", (0.2, 0.2))
    monkeypatch.setattr(download, "ATTEMPTS", 2)
    with pytest.raises(DownloadError, match="timed out"):
        fetch(replace(file, url=f"{server.url}/stall"))
    assert ["/stall"] * 2 == server.requests
    assert [] == list((cache / "models").iterdir())


@pytest.mark.parametrize("path", ["/status/500/3", "/status/503/1", "/status/429/2", "/cut-then-good"])
def test_trouble_that_may_pass_is_waited_out(path: str, file: RemoteFile, server: Any) -> None:
    assert CONTENT == fetch(replace(file, url=server.url + path)).read_bytes()


@pytest.mark.parametrize(("path", "times"), [("/status/404/9", 1), ("/status/403/9", 1), ("/other", 1), ("/cut", 4)])
def test_trouble_that_stays_is_not_asked_for_again(path: str, times: int, file: RemoteFile, server: Any) -> None:
    with pytest.raises(DownloadError):
        fetch(replace(file, url=server.url + path))
    assert [path] * times == server.requests


def test_a_mirror_is_tried_before_a_second_attempt(file: RemoteFile, server: Any) -> None:
    fetch(replace(file, url=f"{server.url}/status/500/9", mirrors=(file.url,)))
    assert ["/status/500/9", "/good"] == server.requests


def test_pauses_double_and_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(download, "PAUSE", 1.0)
    for attempt, longest in enumerate((1, 2, 4, 8, 16, 30, 30)):
        pauses = [download._backed_off(attempt) for _ in range(50)]
        assert longest / 2 <= min(pauses) < max(pauses) <= longest


def test_a_busy_server_is_left_alone_as_long_as_it_asks(
    file: RemoteFile, server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []
    monkeypatch.setattr(download.time, "sleep", pauses.append)
    monkeypatch.setattr(download, "_asked_pause", lambda error: 7.0)
    fetch(replace(file, url=f"{server.url}/status/503/1"))
    assert [0.0, 7.0] == pauses


@pytest.mark.parametrize("length", ["abc", "-1", "9" * 5000, "1e3", "\xb2"])
def test_a_length_that_makes_no_sense_is_passed_over(length: str, file: RemoteFile, server: Any) -> None:
    assert CONTENT == fetch(replace(file, url=f"{server.url}/length/{length}")).read_bytes()


def test_a_bad_mirror_is_followed_by_the_next_whatever_it_does(
    file: RemoteFile, server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A ValueError from below ended the search."""
    transfer = download._transfer

    def fail_first(url: str, arriving: Any, token: str | None) -> None:
        if url.endswith("/bad"):
            raise ValueError("odd\x1b[31m")
        transfer(url, arriving, token)

    monkeypatch.setattr(download, "_transfer", fail_first)
    assert CONTENT == fetch(replace(file, url=f"{server.url}/bad", mirrors=(file.url,))).read_bytes()
    with pytest.raises(DownloadError, match=r"/bad: odd\\x1b\[31m"):
        fetch(replace(file, url=f"{server.url}/bad", filename="another"))


def test_a_server_that_sends_too_little_is_given_up_for_the_next(
    file: RemoteFile, server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(download, "PERIOD", 0.3)
    dripping = replace(file, url=f"{server.url}/drip")
    before = time.monotonic()
    with pytest.raises(DownloadError, match=r"the server sent \d+ bytes in 0 s, which is too slow"):
        fetch(dripping)
    assert CONTENT == fetch(replace(dripping, mirrors=(file.url,))).read_bytes()
    assert time.monotonic() - before < 8


@pytest.mark.parametrize("path", ["/drip-headers", "/drip-redirect"])
def test_a_server_that_drips_before_the_file_begins_is_given_up_for_the_next(
    path: str, file: RemoteFile, server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(download, "PATIENCE", 0.3)
    dripping = replace(file, url=server.url + path)
    before = time.monotonic()
    with pytest.raises(DownloadError, match=r"did not begin to send the file within 0 s, which is too slow"):
        fetch(dripping)
    assert [path] == server.requests
    monkeypatch.setattr(download, "PATIENCE", 2.0)
    assert CONTENT == fetch(replace(dripping, mirrors=(file.url,))).read_bytes()
    assert time.monotonic() - before < 8


def test_what_a_server_says_cannot_act_on_a_terminal(file: RemoteFile, server: Any) -> None:
    for path in ("/shouting", "/to/ftp://x/\x1b[31m"):
        with pytest.raises(DownloadError) as caught:
            fetch(replace(file, url=server.url + path))
        assert "\x1b" not in str(caught.value) and "\x07" not in str(caught.value)
    assert r"\x1b[31m" in str(caught.value)


def test_the_command_to_paste_is_quoted_without_password(file: RemoteFile, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRUEBLEU_OFFLINE", "1")
    url = "https://ann:secret@lab.example/x;touch${IFS}PWNED;.jsonl"
    with pytest.raises(DownloadError) as caught:
        fetch(replace(file, url=url, filename="q.x;touch${IFS}PWNED;.jsonl"))
    assert "secret" not in str(caught.value)
    (line,) = (line for line in str(caught.value).splitlines() if "curl" in line)
    expected = ["curl", "-L", "-o", "q.x;touch${IFS}PWNED;.jsonl", "https://lab.example/x;touch${IFS}PWNED;.jsonl"]
    assert expected == shlex.split(line)


def test_passwords_are_not_shown_when_a_server_refuses(file: RemoteFile, server: Any) -> None:
    with pytest.raises(DownloadError, match="404") as caught:
        fetch(replace(file, url=f"{server.url}/missing".replace("://", "://ann:secret@")))
    assert "secret" not in str(caught.value)


def test_what_is_waited_for_is_told_to_whoever_asks(file: RemoteFile, server: Any, cache: Path) -> None:
    told: list[str] = []
    with store.reporting(None, told.append):
        fetch(replace(file, url=f"{server.url}/status/500/1"))
    assert "connecting to 127.0.0.1" == told[0] == told[2]
    assert told[1].startswith("some.model: waiting ") and told[1].endswith("before attempt 2 of 4")
    told.clear()
    place(cache, b"")
    with store.reporting(None, told.append), _atomic.turn(file.home, store.config.lock_folder()):
        thread = threading.Thread(target=contextvars.copy_context().run, args=(fetch, file))
        thread.start()
        wait_until(lambda: told)
    thread.join()
    assert ["waiting for another process that fetches some.model", "connecting to 127.0.0.1"] == told


@pytest.mark.parametrize("trap", ["link", "pipe", "folder link"])
def test_a_lock_that_is_no_file_is_not_opened(trap: str, file: RemoteFile, cache: Path, tmp_path: Path) -> None:
    fetch(file)
    (lock,) = (cache / ".locks").iterdir()
    lock.unlink()
    victim = tmp_path / "victim"
    if trap == "link":
        lock.symlink_to(victim)
    elif trap == "pipe":
        os.mkfifo(lock)
    else:
        lock.parent.rmdir()
        (tmp_path / "elsewhere").mkdir()
        lock.parent.symlink_to(tmp_path / "elsewhere")
    place(cache, b"")
    assert CONTENT == fetch(file).read_bytes()
    assert not victim.exists()
    assert trap != "folder link" or [] == list((tmp_path / "elsewhere").iterdir())


def test_a_redirect_loop_ends(file: RemoteFile, server: Any) -> None:
    with pytest.raises(DownloadError, match="redirects"):
        fetch(replace(file, url=f"{server.url}/loop"))


def test_bytes_are_taken_as_stored_whatever_the_server_calls_them(file: RemoteFile, server: Any) -> None:
    assert CONTENT == fetch(replace(file, url=f"{server.url}/labelled")).read_bytes()


def test_a_server_that_never_ends_is_stopped(file: RemoteFile, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(download, "MAX_BYTES", 1000)
    with pytest.raises(DownloadError, match="larger than 1000 bytes"):
        fetch(file)


def test_progress_is_reported_to_whoever_asks(file: RemoteFile, server: Any, cache: Path) -> None:
    reports: list[tuple[str, int, int | None]] = []
    with store.reporting(lambda *report: reports.append(report)):
        fetch(replace(file, url=f"{server.url}/to//good"))
    assert ("some.model", len(CONTENT), len(CONTENT)) == reports[-1]
    assert sorted(reports) == reports
    place(cache, b"")
    fetch(file)
    assert ("some.model", len(CONTENT), len(CONTENT)) == reports[-1]
    assert 1 == reports.count(reports[-1])


# --- mirrors ----------------------------------------------------------------------------------


@pytest.fixture
def elsewhere(tmp_path: Path) -> tuple[RemoteFile, Path]:
    """A file of a host nobody can reach, and a folder that mirrors it."""
    mirror = tmp_path / "mirror"
    copy = mirror / "data.example.org" / "sets" / "some.model"
    copy.parent.mkdir(parents=True)
    copy.write_bytes(CONTENT)
    return RemoteFile("https://data.example.org/sets/some.model", "some.model", "models", sha256=SHA256), mirror


def test_a_folder_can_be_a_mirror_even_offline(
    elsewhere: tuple[RemoteFile, Path], cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, mirror = elsewhere
    monkeypatch.setenv("TRUEBLEU_MIRROR", f"/nowhere, {mirror}")
    monkeypatch.setenv("TRUEBLEU_OFFLINE", "1")
    forbid_sockets(monkeypatch)
    assert cache / "models" / "some.model" == fetch(file)
    assert CONTENT == fetch(file).read_bytes()


def test_an_address_can_be_a_mirror(
    elsewhere: tuple[RemoteFile, Path], server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.files["/mt/data.example.org/sets/some.model"] = CONTENT
    monkeypatch.setenv("TRUEBLEU_MIRROR", f"{server.url}/empty {server.url}/mt/")
    assert CONTENT == fetch(elsewhere[0]).read_bytes()
    paths = [f"/{mirror}/data.example.org/sets/some.model" for mirror in ("empty", "mt")]
    assert paths == server.requests


def test_a_mirror_is_believed_no_more_than_anybody(
    elsewhere: tuple[RemoteFile, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    file, mirror = elsewhere
    (mirror / "data.example.org/sets/some.model").write_bytes(b"something else")
    monkeypatch.setenv("TRUEBLEU_MIRROR", str(mirror))
    monkeypatch.setenv("TRUEBLEU_OFFLINE", "1")
    with pytest.raises(DownloadError, match=f"{mirror}.*has sha256"):
        fetch(file)


def test_a_mirror_must_speak_https_too(elsewhere: tuple[RemoteFile, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRUEBLEU_MIRROR", "http://mirror.example.org")
    with pytest.raises(DownloadError, match=r"http://mirror\.example\.org/\S+ is not an https address"):
        fetch(replace(elsewhere[0], url="ftp://data.example.org/sets/some.model"))


def test_mirrors_stand_in_the_settings_of_the_cache(
    elsewhere: tuple[RemoteFile, Path], cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, mirror = elsewhere
    cache.mkdir()
    (cache / "config.toml").write_text(f"mirrors = [{str(mirror)!r}]\n")
    monkeypatch.setenv("TRUEBLEU_OFFLINE", "1")
    assert CONTENT == fetch(file).read_bytes()
    monkeypatch.setenv("TRUEBLEU_MIRROR", f"{mirror},https://a.example.org")
    assert [str(mirror), "https://a.example.org"] == store.mirrors()


@pytest.mark.parametrize(
    "settings", ["mirrors = [", "mirrors = 'one'", "mirrors = [1]", b"\xff", "a = " + "[" * 99_999]
)
def test_settings_without_a_meaning_are_named(settings: str | bytes, file: RemoteFile, cache: Path) -> None:
    cache.mkdir()
    path = cache / "config.toml"
    path.write_bytes(settings if isinstance(settings, bytes) else settings.encode())
    with pytest.raises(CacheError, match=str(path)):
        fetch(file)


def test_settings_that_are_a_pipe_are_not_waited_for(file: RemoteFile, cache: Path) -> None:
    cache.mkdir()
    os.mkfifo(cache / "config.toml")
    with pytest.raises(CacheError, match="expected a file"):
        fetch(file)


@pytest.mark.parametrize("variable", ["TRUEBLEU_CACHE", "TRUEBLEU_MIRROR"])
def test_the_home_of_a_user_who_is_not_there_is_named(
    variable: str, file: RemoteFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, "~no-such-user/x")
    with pytest.raises(CacheError, match="~no-such-user/x is in the home of a user who has no home"):
        fetch(file)


@pytest.mark.parametrize("path", ["/../secret", "/a/%2e%2e/%2e%2e/secret", "//..//x"])
def test_an_address_cannot_lead_out_of_a_mirror(path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRUEBLEU_MIRROR", str(tmp_path))
    assert [] == on_mirrors(f"https://data.example.org{path}")


def test_real_files_come_from_a_mirror(data: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    urls = data / "mirror" / "urls"
    if not urls.is_dir():
        pytest.skip("the folder of real texts has no mirror")
    monkeypatch.setenv("TRUEBLEU_MIRROR", str(urls))
    with store.offline():
        for path, md5 in (
            ("esalesky/mtedx-eval/main/test.tar.gz", "fa4cb1548c210ec424d7d6bc9a3675a7"),
            ("multi30k/dataset/master/data/task1/raw/test_2018_flickr.cs.gz", "4c6b6490e58107b2e397c5e3e1690abc"),
        ):
            url = f"https://raw.githubusercontent.com/{path}"
            found = fetch(RemoteFile(url, Path(path).name, "real/raw", md5=md5))
            assert (urls / "raw.githubusercontent.com" / path).read_bytes() == found.read_bytes()


# --- safety -----------------------------------------------------------------------------------


@pytest.mark.parametrize("url", ["http://example.org/x", "ftp://example.org/x", "file:///etc/passwd", "http://[::2]/x"])
def test_only_https_is_spoken_to_others(url: str, file: RemoteFile, server: Any) -> None:
    with pytest.raises(DownloadError, match="is not an https address"):
        fetch(replace(file, url=url))
    with pytest.raises(DownloadError, match="is not an https address"):
        fetch(replace(file, url=f"{server.url}/to/{url}"))


@pytest.mark.parametrize("url", ["", "no address", "https://[bad", "https://"])
def test_what_is_no_address_is_a_download_error(url: str, file: RemoteFile, server: Any) -> None:
    with pytest.raises(DownloadError, match=r"no good copy of some\.model"):
        fetch(replace(file, url=url))
    with pytest.raises(DownloadError, match=r"no good copy of some\.model"):
        fetch(replace(file, url=f"{server.url}/to/https://[bad"))


@pytest.mark.parametrize("folder", ["..", "/etc", "a/../..", "", "a\\b"])
def test_a_file_has_its_place_inside_the_cache(folder: str, file: RemoteFile) -> None:
    with pytest.raises(CacheError, match="is not a path inside the cache"):
        fetch(replace(file, folder=folder))
    with pytest.raises(CacheError, match="is not a path inside the cache"):
        fetch(replace(file, elsewhere=(folder,)))


def test_without_requests_the_error_says_what_to_install(file: RemoteFile, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "requests", None)
    with pytest.raises(MissingDependency, match="pip install requests"):
        fetch(file)


def test_offline_nothing_is_asked_and_the_error_says_what_to_do(
    file: RemoteFile, server: Any, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRUEBLEU_OFFLINE", "1")
    forbid_sockets(monkeypatch)
    with pytest.raises(DownloadError) as caught:
        fetch(file)
    message = str(caught.value)
    assert "TRUEBLEU_OFFLINE is set" in message
    assert "truebleu data pack" in message and "truebleu data unpack" in message
    assert f"curl -L -o some.model {file.url}\n    (sha256 {SHA256})" in message
    assert f"put it at {cache / 'models' / 'some.model'}" in message
    assert isinstance(caught.value, OSError)
    assert [] == server.requests


def test_offline_a_cached_file_is_used(
    file: RemoteFile, server: Any, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRUEBLEU_OFFLINE", "1")
    monkeypatch.setitem(sys.modules, "requests", None)
    assert place(cache) == fetch(file)
    assert [] == server.requests


# --- damage -----------------------------------------------------------------------------------


@pytest.mark.parametrize("content", [b"", CONTENT[:-1], CONTENT.replace(b"m", b"n", 1)])
def test_a_damaged_file_is_logged_and_fetched_anew(
    content: bytes, file: RemoteFile, cache: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = place(cache, content)
    with caplog.at_level(logging.WARNING, logger="truebleu"):
        assert CONTENT == fetch(file).read_bytes()
    assert f"not used: {path} " in caplog.text


def test_offline_a_damaged_file_is_an_error_that_names_it(
    file: RemoteFile, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = place(cache, CONTENT[:-1])
    monkeypatch.setenv("TRUEBLEU_OFFLINE", "1")
    with pytest.raises(DownloadError, match=rf"{path} has sha256 \w+, expected {SHA256}"):
        fetch(file)
    assert CONTENT[:-1] == path.read_bytes()


def test_a_failed_repair_keeps_what_was_there(file: RemoteFile, server: Any, cache: Path) -> None:
    path = place(cache, b"damaged")
    with pytest.raises(DownloadError):
        fetch(replace(file, url=f"{server.url}/missing"))
    assert b"damaged" == path.read_bytes()


# --- files without a published checksum -------------------------------------------------------


def test_the_first_checksum_is_written_as_sha256sum_would(unknown: RemoteFile) -> None:
    path = fetch(unknown)
    assert f"{SHA256}  some.model\n" == path.with_name("some.model.sha256").read_text()


def test_what_changes_later_is_noticed_and_repaired(
    unknown: RemoteFile, server: Any, caplog: pytest.LogCaptureFixture
) -> None:
    path = fetch(unknown)
    path.write_bytes(CONTENT + b"!")
    with caplog.at_level(logging.WARNING, logger="truebleu"):
        assert CONTENT == fetch(unknown).read_bytes()
    assert "according to" in caplog.text
    assert ["/good", "/good"] == server.requests


def test_a_download_that_differs_from_the_first_is_refused(unknown: RemoteFile, server: Any) -> None:
    path = fetch(unknown)
    path.unlink()
    with pytest.raises(DownloadError, match=rf"has sha256 \w+, expected {SHA256}, according to .*\.sha256"):
        fetch(replace(unknown, url=f"{server.url}/other"))
    assert not path.exists()


def test_a_file_put_by_hand_is_checked_and_recorded(unknown: RemoteFile, server: Any, cache: Path) -> None:
    path = place(cache)
    assert path == fetch(unknown)
    assert path.with_name("some.model.sha256").exists()
    assert [] == server.requests


def test_a_file_that_fails_its_check_is_never_recorded(unknown: RemoteFile, server: Any, cache: Path) -> None:
    place(cache, b"<html>sign in to this hotel's network</html>")
    with pytest.raises(DownloadError, match="is no model"):
        fetch(replace(unknown, url=f"{server.url}/other"))
    assert ["some.model"] == [path.name for path in (cache / "models").iterdir()]


def test_a_garbled_record_matches_nothing_and_is_named(unknown: RemoteFile, server: Any, cache: Path) -> None:
    record = place(cache).with_name("some.model.sha256")
    record.write_bytes(b"\xff")
    with pytest.raises(DownloadError, match=f"according to {record}"):
        fetch(unknown)


# --- caches -----------------------------------------------------------------------------------


def test_a_file_of_sacrebleu_is_used_and_its_folder_left_alone(
    unknown: RemoteFile, server: Any, tmp_path: Path
) -> None:
    path = place(tmp_path / "home" / ".sacrebleu")
    assert path == fetch(unknown) == fetch(unknown)
    assert [path] == list(path.parent.iterdir())
    assert [] == server.requests


def test_a_file_of_sacrebleu_that_changes_is_not_used(unknown: RemoteFile, tmp_path: Path, cache: Path) -> None:
    path = place(tmp_path / "home" / ".sacrebleu")
    fetch(unknown)
    path.write_bytes(CONTENT + b"!")
    assert cache / "models" / "some.model" == fetch(unknown)
    assert CONTENT + b"!" == path.read_bytes()


@pytest.mark.parametrize("content", [b"", b"half a downl"])
def test_a_damaged_file_of_sacrebleu_is_passed_over(content: bytes, unknown: RemoteFile, tmp_path: Path) -> None:
    path = place(tmp_path / "home" / ".sacrebleu", content)
    assert CONTENT == fetch(unknown).read_bytes()
    assert content == path.read_bytes()


def test_a_file_sacrebleu_keeps_under_another_name_is_found(file: RemoteFile, server: Any, tmp_path: Path) -> None:
    path = tmp_path / "home" / ".sacrebleu" / "wmt21" / "B" / "raw" / "wmt21_B.test.tgz"
    path.parent.mkdir(parents=True)
    path.write_bytes(CONTENT)
    assert path == fetch(replace(file, elsewhere=("wmt21/raw/wmt21.test.tgz", "wmt21/B/raw/wmt21_B.test.tgz")))
    assert [] == server.requests


def test_the_cache_is_the_first_of_the_two_variables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SACREBLEU", str(tmp_path / "theirs"))
    assert tmp_path / "cache" == cache_folder()
    assert tmp_path / "theirs" == sacrebleu_folder()
    monkeypatch.setenv("TRUEBLEU_CACHE", "")
    assert tmp_path / "theirs" == cache_folder()


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="the folder is named differently there")
@pytest.mark.parametrize(("xdg", "folder"), [("", "home/.cache"), ("relative", "home/.cache"), ("{0}/xdg", "xdg")])
def test_else_it_is_the_users_cache(xdg: str, folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TRUEBLEU_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", xdg.format(tmp_path))
    assert tmp_path / folder / "truebleu" == cache_folder()


@pytest.mark.parametrize(("value", "offline"), [("", False), ("0", False), ("no", False), ("1", True), ("true", True)])
def test_offline_is_a_switch(value: str, offline: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRUEBLEU_OFFLINE", value)
    assert offline == is_offline()


def test_a_cache_that_cannot_be_made_is_a_download_error(
    file: RemoteFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a file").touch()
    monkeypatch.setenv("TRUEBLEU_CACHE", str(tmp_path / "a file" / "cache"))
    with pytest.raises(DownloadError, match="set TRUEBLEU_CACHE to another folder: one you can write"):
        fetch(file)


@pytest.fixture
def read_only(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A cache that may be read by all and written by none. pytest's own folders are closed to nobody."""
    for name in ("requests", "urllib3"):  # Which nobody may be unable to read.
        importlib.import_module(name)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        place(folder)
        (folder / "models").chmod(0o555)
        folder.chmod(0o555)
        monkeypatch.setenv("TRUEBLEU_CACHE", name)
        monkeypatch.setenv("HOME", "/nonexistent")
        yield folder
        folder.chmod(0o755)
        (folder / "models").chmod(0o755)


def test_a_read_only_cache_is_read(unknown: RemoteFile, server: Any, read_only: Path) -> None:
    with without_privileges():
        assert read_only / "models" / "some.model" == fetch(unknown) == fetch(unknown)
    assert [] == server.requests


def test_a_read_only_cache_without_the_file_is_a_download_error(unknown: RemoteFile, read_only: Path) -> None:
    with without_privileges(), pytest.raises(DownloadError, match="Permission denied"):
        fetch(replace(unknown, filename="other.model"))


def test_an_unreadable_file_is_not_used(file: RemoteFile, read_only: Path) -> None:
    (read_only / "models" / "some.model").chmod(0)
    with (
        without_privileges(),
        pytest.raises(DownloadError, match=r"some\.model cannot be read: .*Permission denied"),
    ):
        fetch(file)


# --- at once ----------------------------------------------------------------------------------


def start(program: str) -> subprocess.Popen[str]:
    """Run a program that waits for a line before its work, so that several can begin together."""
    folders = [str(Path(store.__file__).parents[3]), *filter(None, [os.environ.get("PYTHONPATH")])]
    begin = "import sys, requests; from truebleu.store import *\n"
    begin += "print('ready', flush=True); sys.stdin.readline()\n"
    return subprocess.Popen(
        [sys.executable, "-c", begin + program],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(folders)},
    )


def go(*processes: subprocess.Popen[str]) -> None:
    """Let processes begin, when all are ready."""
    for process in processes:
        assert process.stdout is not None
        assert "ready\n" == process.stdout.readline()
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()


def fetching(url: str) -> str:
    return f"print(fetch(RemoteFile({url!r}, 'some.model', 'models', sha256={SHA256!r})).stat().st_size)"


def test_of_processes_that_want_the_same_file_one_downloads(server: Any, cache: Path) -> None:
    running = [start(fetching(f"{server.url}/good")) for _ in range(3)]
    go(*running)
    assert [f"{len(CONTENT)}\n"] * 3 == [process.communicate()[0] for process in running]
    assert ["some.model"] == [path.name for path in (cache / "models").iterdir()]
    assert ["/good"] == server.requests


def test_a_killed_download_leaves_nothing_that_is_trusted_or_in_the_way(
    file: RemoteFile, server: Any, cache: Path
) -> None:
    victim = start(fetching(f"{server.url}/stall"))
    go(victim)
    assert server.stalled.wait(20)
    parts = list((cache / "models").glob(".*.part"))
    wait_until(lambda: parts[0].stat().st_size > 0)
    victim.kill()
    victim.communicate()
    assert not (cache / "models" / "some.model").exists()
    began = time.monotonic()
    assert CONTENT == fetch(file).read_bytes()
    assert time.monotonic() - began < 5
    # What it left is removed when it is old, not while it might still be at work.
    assert parts[0].exists()
    os.utime(parts[0], (0, 0))
    place(cache, b"damaged")
    fetch(file)
    assert ["some.model"] == [path.name for path in (cache / "models").iterdir()]


def test_whoever_waits_for_a_killed_process_takes_over(server: Any, cache: Path) -> None:
    victim = start(fetching(f"{server.url}/stall"))
    go(victim)
    assert server.stalled.wait(20)
    waiting = start(fetching(f"{server.url}/good"))
    go(waiting)
    time.sleep(0.5)
    assert waiting.poll() is None and ["/stall"] == server.requests
    victim.kill()
    victim.communicate()
    assert f"{len(CONTENT)}\n" == waiting.communicate(timeout=20)[0]


def test_processes_killed_at_any_moment_leave_whole_files_or_none(server: Any, cache: Path, cases: int) -> None:
    """Some fetch and build, and are killed after a while that differs; then nothing is left but good files."""
    program = f"""
{fetching(f"{server.url}/good")}
def build(folder):
    for name in "abc":
        (folder / name).write_bytes({CONTENT!r})
built("text", "abc", build, "1")
"""
    home, chance = cache / "models" / "some.model", random.Random(1)
    for _ in range(cases // 300):
        running = [start(program) for _ in range(2)]
        go(*running)
        time.sleep(chance.uniform(0, 0.05))
        for process in running:
            process.kill()
            process.communicate()
        assert not home.exists() or CONTENT == home.read_bytes()
        folder = cache / "text" / "1"
        assert not folder.exists() or built_once.folder_problem(folder, "abc") is None
        if chance.random() < 0.5:
            shutil.rmtree(cache, ignore_errors=True)
    last = start(program)
    go(last)
    assert f"{len(CONTENT)}\n" == last.communicate(timeout=20)[0]
    assert built_once.folder_problem(cache / "text" / "1", "abc") is None


def test_a_process_that_sleeps_on_its_turn_is_not_waited_for(
    file: RemoteFile, server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_atomic, "PATIENCE", 0.3)
    sleeper = start(fetching(f"{server.url}/stall"))
    go(sleeper)
    assert server.stalled.wait(20)
    assert CONTENT == fetch(file).read_bytes()
    sleeper.kill()
    sleeper.communicate()


def test_without_locks_everyone_works_and_all_is_well(
    file: RemoteFile, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_atomic, "fcntl", None)
    assert CONTENT == fetch(file).read_bytes()
    assert not (cache / ".locks").exists()


def test_threads_may_fetch_the_same_file_at_once(file: RemoteFile, cache: Path) -> None:
    found: list[Path] = []
    threads = [threading.Thread(target=lambda: found.append(fetch(file))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [cache / "models" / "some.model"] * 6 == found
    assert CONTENT == found[0].read_bytes()


@pytest.mark.parametrize(
    ("platform", "variables", "caches", "state"),
    [
        ("win32", {"LOCALAPPDATA": "/users/ann/local"}, "/users/ann/local", "/users/ann/local/truebleu-state"),
        ("win32", {}, "~/AppData/Local", "~/AppData/Local/truebleu-state"),
        ("darwin", {}, "~/Library/Caches", "~/Library/Application Support/truebleu"),
        ("linux", {"XDG_CACHE_HOME": "/c", "XDG_STATE_HOME": "/s"}, "/c", "/s/truebleu"),
        ("linux", {"XDG_CACHE_HOME": "c", "XDG_STATE_HOME": "s"}, "~/.cache", "~/.local/state/truebleu"),
    ],
)
def test_every_system_has_its_own_folders(
    platform: str, variables: dict[str, str], caches: str, state: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("TRUEBLEU_CACHE", "SACREBLEU", "LOCALAPPDATA", "XDG_CACHE_HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("truebleu.store.config.sys.platform", platform)
    assert Path(caches).expanduser() / "truebleu" == cache_folder()
    assert Path(state).expanduser() == state_folder()
