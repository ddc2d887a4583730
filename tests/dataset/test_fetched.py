"""From an address to text: every format and kind of archive, fetched from a server on the loopback."""

import gzip
import hashlib
import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import truebleu
from dataset.caches import tar, zipped
from dataset.peer import Peer
from loopback import serving
from truebleu.dataset import cache, pair_text, registry
from truebleu.errors import DownloadError
from truebleu.store.built_once import folder_problem
from truebleu.store.files import digest_of

SGML = (
    '<srcset>\n<doc docid="d1" genre="news" origlang="en">\n<seg id="1"> a  &amp;\u3000b </seg>\n<seg id="2"></seg>\n'
    '<doc docid="d2">\n<seg id="1">c</seg> d\n</doc>\n</srcset>\n'
).encode()
XML = (
    b'<dataset><collection><doc id="d" origlang="en" domain="news">'
    b'<src lang="en"><p><seg id="2">b</seg><seg id="1">a</seg></p></src>'
    b'<ref lang="de" translator="A"><p><seg id="1">A</seg><seg id="2">B &lt;</seg></p></ref>'
    b'<hyp system="S" lang="de"><p><seg id="1">x</seg><seg id="2">y</seg></p></hyp></doc></collection></dataset>'
)
TEXT = "one \u2028 two \n three\r\n".encode()
TSV = b"1\tsource \ttarget\t\n2\t\tziel\tx\n"


@dataclass(frozen=True)
class Case:
    """A set: what its archives hold, and its members; those that are files of their own go by their raw names."""

    kind: str
    archives: dict[str, bytes]
    members: list[str]
    contents: dict[str, bytes]
    refs: tuple[str, ...] = ()


CASES = {
    "fake-sgml": Case(
        "fake-sgml", {"t.tgz": tar({"a.sgm": SGML, "b.sgm": SGML})}, ["a.sgm", "b.sgm"], {"a.sgm": SGML, "b.sgm": SGML}
    ),
    "iwslt-xml": Case("iwslt-xml", {"t.tar.gz": tar({"a.xml": SGML})}, ["a.xml", "a.xml"], {"a.xml": SGML}),
    "sgml-plus-text": Case(
        "sgml-plus-text",
        {"t.zip": zipped({"a.sgm": SGML}), "more.ref": TEXT},
        ["a.sgm", "sgml-plus-text.more.ref"],
        {"a.sgm": SGML, "sgml-plus-text.more.ref": TEXT},
    ),
    "wmt-xml": Case("wmt-xml", {"t.tgz": tar({"./a.xml": XML})}, ["a.xml"], {"a.xml": XML}, ("A",)),
    "plain-text": Case(
        "plain-text",
        {"t.zip": zipped({"a.txt": TEXT}), "b.gz": gzip.compress(TEXT)},
        ["a.txt", "plain-text.b.gz"],
        {"a.txt": TEXT, "plain-text.b.gz": gzip.compress(TEXT)},
    ),
    "tsv": Case("tsv", {"t.tgz": tar({"a.tsv": TSV})}, ["1:a.tsv", "2:a.tsv"], {"a.tsv": TSV}),
}  # fmt: skip


@pytest.fixture
def server(own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.delenv("TRUEBLEU_OFFLINE")
    with serving() as server:
        yield server


def describe(server: Any, name: str, case: Case, path: Path, **digests: str) -> None:
    base = f"http://127.0.0.1:{server.server_address[1]}"
    files = []
    for filename, content in case.archives.items():
        server.files[f"/{name}/{filename}"] = content
        checksum = digests.get("md5") or hashlib.md5(content).hexdigest()
        files.append({"url": f"{base}/{name}/{filename}", "md5": checksum})
    one = {
        "name": name,
        "format": case.kind,
        "files": files,
        "pairs": {"en-de": case.members},
        "refs": list(case.refs) or None,
    }
    one = {key: value for key, value in one.items() if value is not None}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"schema": 1, "sets": [one]}), "utf-8")


@pytest.mark.parametrize("name", CASES)
def test_what_is_fetched_becomes_sacrebleus_bytes(server: Any, own_cache: Path, root: Path, name: str) -> None:
    case = CASES[name]
    describe(server, name, case, own_cache / "registry/lab.json")
    options = {"refs": list(case.refs)} if case.refs else {}
    theirs = Peer(root, case.kind, case.members, name, **options).read(case.contents)
    ours = truebleu.utils.get_files(name, "en-de")
    assert list(theirs.values()) == [Path(path).read_bytes() for path in ours]
    assert list(theirs) == truebleu.DATASETS[name].fieldnames("en-de")
    asked = len(server.requests)
    assert len(case.archives) == asked
    assert truebleu.testset(name, "en-de").references and asked == len(server.requests)


def test_damaged_text_is_made_again_from_the_raw_file(server: Any, own_cache: Path) -> None:
    describe(server, "fake-sgml", CASES["fake-sgml"], own_cache / "registry/lab.json")
    path = Path(truebleu.get_source_file("fake-sgml", "en-de"))
    whole = path.read_bytes()
    path.write_bytes(whole[:3])
    assert whole == Path(truebleu.get_source_file("fake-sgml", "en-de")).read_bytes()
    assert 1 == len(server.requests)


def test_planted_text_is_not_believed_offline_and_without_the_archive(own_cache: Path) -> None:
    """Whoever could write the cache could make `-t wmt22` give any score."""
    definition = registry.definition("wmt22")
    version = pair_text._version(definition, definition.pair("en-de"), None)
    folder = own_cache / "wmt22" / "text" / "en-de" / version
    folder.mkdir(parents=True)
    fields = {"src": "s", "ref:A": "a", "ref:B": "b"}
    for field, name in fields.items():
        (folder / name).write_text(f"{field}\n")
    (folder / "fields.json").write_text(json.dumps({"fields": fields, "systems": [], "filters": {}}))
    files = {path.name: digest_of(path) for path in folder.iterdir()}
    (folder / ".manifest.json").write_text(json.dumps({"schema": 1, "files": files}))
    assert folder_problem(folder) is None
    with pytest.raises(DownloadError, match=r"no good copy of wmt22\.v1\.1\.tar\.gz is in the cache"):
        truebleu.testset("wmt22", "en-de")
    (finding,) = cache.verify()
    assert not finding.ours and "was not made by you" in str(finding.problem)


def test_text_that_was_made_here_is_used_without_its_archive(server: Any, own_cache: Path) -> None:
    describe(server, "fake-sgml", CASES["fake-sgml"], own_cache / "registry/lab.json")
    expected = truebleu.testset("fake-sgml", "en-de").source
    shutil.rmtree(own_cache / "fake-sgml" / "raw")
    assert expected == truebleu.testset("fake-sgml", "en-de").source
    assert 1 == len(server.requests)


def test_a_wrong_checksum_is_refused(server: Any, own_cache: Path) -> None:
    describe(server, "tsv", CASES["tsv"], own_cache / "registry/lab.json", md5="0" * 32)
    with pytest.raises(DownloadError, match="expected 0000"):
        truebleu.testset("tsv", "en-de")


def test_a_member_that_is_not_there_is_named(server: Any, own_cache: Path) -> None:
    case = Case("plain-text", {"t.tgz": tar({"a": TEXT})}, ["a", "b"], {})
    describe(server, "x", case, own_cache / "registry/lab.json")
    with pytest.raises(OSError, match="the first is b"):
        truebleu.testset("x", "en-de")


def test_bombs_are_refused(server: Any, own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pair_text, "LARGEST", 10)
    describe(server, "plain-text", CASES["plain-text"], own_cache / "registry/lab.json")
    with pytest.raises(truebleu.errors.InvalidTestSet, match="decompresses to more than 10 bytes: refused"):
        truebleu.testset("plain-text", "en-de")


def test_real_sets_come_from_a_mirror(server: Any, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The registry as it is, its own checksums, and bytes that a server gives."""
    urls = data / "mirror" / "urls"
    if not urls.is_dir():
        pytest.skip("the folder of real texts has no mirror of test sets")
    for path in urls.rglob("*multi30k*"):
        if path.is_file():
            server.files[f"/{path.relative_to(urls).as_posix()}"] = path.read_bytes()
    for path in urls.rglob("test_2018_flickr.*"):
        server.files[f"/{path.relative_to(urls).as_posix()}"] = path.read_bytes()
    monkeypatch.setenv("TRUEBLEU_MIRROR", f"http://127.0.0.1:{server.server_address[1]}")
    assert 1071 == len(truebleu.testset("multi30k/2018", "en-cs"))
    assert 2 == len(server.requests)
    assert 1000 == len(truebleu.testset("multi30k/2016", "en-cs"))
    assert 2 == len(server.requests)
