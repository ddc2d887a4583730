"""`truebleu data`, with a cache of each test's own and a small registry."""

import gzip
import hashlib
import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest

import truebleu
from loopback import forbid_sockets, isolate, serving, without_privileges
from truebleu.cli.commands import data as cli
from truebleu.dataset import cache as cached
from truebleu.dataset import registry, user_sets
from truebleu.errors import UnknownTestSet
from truebleu.store import RemoteFile, built, bundle

ARCHIVE, EXTRA = b"an archive, let us say" * 100, b"one more"


class Result(NamedTuple):
    code: int
    out: str
    err: str


Run = Callable[..., Result]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return isolate(tmp_path, monkeypatch)


@pytest.fixture(autouse=True)
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A registry of two sets that share an archive, and the server they come from."""
    with serving({"/shared.tgz": ARCHIVE, "/extra": EXTRA}) as running:

        def file(name: str, content: bytes) -> RemoteFile:
            return RemoteFile(f"{running.url}/{name}", name, "wmt99/raw", md5=hashlib.md5(content).hexdigest())

        shared, extra = file("shared.tgz", ARCHIVE), file("extra", EXTRA)
        sets = {"wmt99": [shared], "wmt99/B": [shared, extra]}

        def remote_files(name: str) -> list[RemoteFile]:
            if name not in sets:
                raise UnknownTestSet(f"there is no test set {name!r}")
            return sets[name]

        registry = SimpleNamespace(
            remote_files=remote_files,
            set_names=lambda: list(sets),
            packaged_files=lambda name: [],
            definition=lambda name: SimpleNamespace(rehost=True),
            definitions=lambda: iter(()),
        )
        monkeypatch.setattr(cached, "registry", registry)
        yield running


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def run_it(*argv: object) -> Result:
        capsys.readouterr()
        code = cli.COMMAND.run([str(word) for word in argv])
        return Result(code, *capsys.readouterr())

    return run_it


def contents(folder: Path) -> dict[str, bytes]:
    """All that is in a folder, but for locks."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file() and path.parent.name != ".locks")
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def write(name: str, content: str | bytes) -> Path:
    path = Path(name)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path.absolute()


def jsonl(*records: object) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


NEWS = ("--name", "lab/news24", "-l", "en-de")
LINES = jsonl(
    {"src": "A heron.", "ref": "Ein Reiher.", "docid": "d1", "domain": "birds"},
    {"src": "Two herons.", "ref": "Zwei Reiher.", "docid": "d1", "domain": "birds"},
)


@pytest.fixture
def news(run: Run) -> Path:
    """A set of one's own, in the cache; the path of its text."""
    assert 0 == run("add", write("news.jsonl", LINES), *NEWS).code
    (file,) = user_sets.own_sets()["lab/news24"].files
    assert file.path is not None
    return file.path


# --- usage ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "argv",
    [
        [], ["no-such-command"], ["pack", "wmt99"], ["pack", "-o", "x"], ["unpack"], ["remove"],
        ["add", "x.jsonl", "--name", "a"], ["verify", "no-such-set"], ["where", "no-such-set"],
        ["pack", "no-such-set", "-o", "x"], ["remove", "no-such-set"],
    ],
)  # fmt: skip
def test_words_without_a_meaning_are_exit_2_and_no_traceback(argv: list[str], run: Run) -> None:
    result = run(*argv)
    assert 2 == result.code
    assert result.err and "Traceback" not in result.err


def test_help_is_exit_0(run: Run) -> None:
    assert 0 == run("--help").code
    assert "truebleu data" in run("pack", "--help").out


def environment() -> dict[str, str]:
    source = [str(Path(truebleu.__file__).parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(source)}


def test_it_works_as_a_program_of_its_own(cache: Path) -> None:
    code = "import sys; from truebleu.cli.commands.data import COMMAND; sys.exit(COMMAND.run(sys.argv[1:]))"
    done = subprocess.run(
        [sys.executable, "-c", code, "list"], capture_output=True, text=True, check=True, env=environment()
    )
    first, _, _, *unseen = done.stdout.splitlines()
    assert (f"nothing is cached in {cache}", "") == (first, done.stderr)
    assert ["wmt24pp has no published SHA-256", "wmt25/general has no published SHA-256"] == [
        line.partition(";")[0] for line in unseen[:2]
    ]


def test_what_is_known_of_a_set_is_shown(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cached, "registry", registry)
    shown = run("show", "flores200/devtest", "mafand/test", "wmt25/general", "wmt24pp")
    assert 0 == shown.code
    flores, mafand, wmt25, wmt24pp = (" ".join(part.split()) for part in shown.out.split("\n  files")[:4])
    assert "pairs any two of 204 languages unit segment licence CC BY-SA 4.0 request The makers" in flores
    assert "packed no: each machine fetches it from where it is published" in flores
    assert "licence CC BY-NC 4.0, not for commercial use" in mafand and "packed yes" in mafand
    assert "unit document" in wmt25 and "unseen 1 file without a known SHA-256; the Git blob is known" in wmt25
    assert "canary records of the domain canary" in wmt24pp and "the first download is trusted" in wmt24pp
    assert 2 == run("show", "flores").code and "did you mean" in run("show", "tico19/tests").err


def test_a_licence_is_kept_with_a_set_of_ones_own(run: Run, news: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cached, "registry", registry)
    added = run("add", news, "--name", "lab/licensed", "-l", "en-de", "--licence", "CC BY 4.0")
    assert "licence CC BY 4.0" in added.out.splitlines()
    again = run("add", news, "--name", "lab/licensed", "-l", "en-fr")
    assert "licence CC BY 4.0" in again.out.splitlines()
    assert "licence   CC BY 4.0" in run("show", "lab/licensed").out


def test_a_closed_pipe_is_no_error() -> None:
    code = "import sys; from truebleu.cli.commands.data import COMMAND; sys.exit(COMMAND.run(sys.argv[1:]))"
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-c", code, "list"], stdout=writer, stderr=subprocess.PIPE, check=True, env=environment()
    )
    os.close(writer)
    assert b"" == done.stderr


# --- list, where, verify, remove --------------------------------------------------------------


def test_list_shows_what_is_cached(run: Run, cache: Path, news: Path) -> None:
    run("pack", "wmt99", "-o", "x.tar")
    lines = run("list").out.splitlines()
    assert any(line.split() == ["wmt99", "download", "2.2", "kB", "wmt99/raw/shared.tgz"] for line in lines)
    assert any(line.startswith("lab/news24") and "own" in line for line in lines)
    assert lines[-1].endswith(f" in {cache}")


def test_names_that_others_gave_files_cannot_act_on_a_terminal(
    run: Run, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (cache / "registry").mkdir(parents=True)
    (cache / "registry" / "\x1b[31mred.json").write_text("{")
    monkeypatch.setenv("TRUEBLEU_MIRROR", "https://ann:secret@mirror.example/\x1b[31m")
    shown = [run("verify"), run("list"), run("where")]
    assert r"\x1b[31mred.json" in shown[0].out and "https://mirror.example/" in shown[2].out
    for result in shown:
        assert "\x1b" not in result.out + result.err and "secret" not in result.out


def test_where_shows_paths(run: Run, cache: Path) -> None:
    assert f"cache      {cache}" == run("where").out.splitlines()[0]
    shared, extra = cache / "wmt99/raw/shared.tgz", cache / "wmt99/raw/extra"
    run("pack", "wmt99", "-o", "x.tar")
    assert f"{shared}\n{extra}  (not there)\n" == run("where", "wmt99/B").out


def test_where_finds_the_files_of_sacrebleu(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "home" / ".sacrebleu" / "wmt99" / "raw" / "shared.tgz"
    path.parent.mkdir(parents=True)
    path.write_bytes(ARCHIVE)
    assert f"{path}\n" == run("where", "wmt99").out
    assert "sacreBLEU" in run("list").out and "0 B in" in run("list").out
    assert 0 == run("verify", "wmt99").code
    path.write_bytes(b"damaged")
    result = run("verify")
    assert 0 == result.code
    assert f"not used: {path} has md5" in result.out


def test_verify_finds_every_kind_of_damage(run: Run, cache: Path, news: Path) -> None:
    run("pack", "wmt99/B", "-o", "x.tar")
    text = built("wmt99/en-de", ["src"], lambda folder: (folder / "src").write_text("x") and None, "1")
    assert (0, "5 sound, 0 damaged\n") == run("verify")[:2]
    damaged = [cache / "wmt99/raw/extra", text / "src", news]
    for path in damaged:
        path.write_bytes(b"other")
    description = cache / "registry" / "broken.json"
    description.write_text("{")
    result = run("verify")
    assert 1 == result.code
    assert "2 sound, 4 damaged" == result.out.splitlines()[-1]
    for path in (damaged[0], text, news, description):
        assert f"DAMAGED {path} " in result.out


def test_a_changed_description_is_damage(run: Run, cache: Path, news: Path) -> None:
    description = cache / "registry" / "lab_news24.json"
    description.write_text(description.read_text().replace('"en-de"', '"en-fr"'))
    result = run("verify", "lab/news24")
    assert 1 == result.code and f"DAMAGED {description} has content_hash" in result.out


@pytest.fixture
def by_hand(cache: Path) -> Path:
    """A registry file in the form that `truebleu.dataset.registry` documents, with two sets; the path of their text."""
    text = cache / "registry" / "de.jsonl"
    text.parent.mkdir(parents=True)
    text.write_bytes(LINES.encode())
    files = [{"path": text.name, "sha256": hashlib.sha256(LINES.encode()).hexdigest()}]
    sets = [{"name": name, "format": "jsonl", "files": files, "pairs": {"en-de": ["de.jsonl"]}} for name in ("a", "b")]
    (text.parent / "lab.json").write_text(json.dumps({"schema": 1, "version": "2026-11", "sets": sets}))
    return text


def test_a_registry_in_the_documented_form_is_sound_and_its_files_are_verified(run: Run, by_hand: Path) -> None:
    assert ["A heron.", "Two herons."] == truebleu.testset("a", "en-de").source
    assert (0, "2 sound, 0 damaged\n") == run("verify")[:2]
    assert (0, "2 sound, 0 damaged\n") == run("verify", "a")[:2]
    assert f"{by_hand.with_name('lab.json')}\n{by_hand}\n" == run("where", "a").out
    by_hand.write_bytes(b"other")
    for words in ((), ("a",)):
        result = run("verify", *words)
        assert 1 == result.code
        assert f"DAMAGED {by_hand} has sha256 {hashlib.sha256(b'other').hexdigest()}, expected" in result.out
        assert "1 sound, 1 damaged" == result.out.splitlines()[-1]
    by_hand.unlink()
    assert f"DAMAGED {by_hand} cannot be read: No such file" in run("verify").out


def test_a_registry_written_by_hand_is_not_changed(run: Run, cache: Path, by_hand: Path) -> None:
    before = contents(cache)
    for code, words in (
        (2, ("remove", "a")),
        (1, ("pack", "a", "-o", "x.tar")),
        (1, ("add", write("x.jsonl", LINES), "--name", "a", "-l", "en-fr")),
        (1, ("add", write("x.jsonl", LINES), "--name", "lab", "-l", "en-fr")),
    ):
        result = run(*words)
        assert code == result.code and "lab.json" in result.err, words
    assert before == contents(cache)


def test_a_pair_is_added_to_a_description_in_the_documented_form(run: Run, cache: Path, by_hand: Path) -> None:
    description = by_hand.with_name("lab.json")
    document = json.loads(description.read_text())
    document["sets"] = [{**document["sets"][0], "name": "lab", "citation": "@misc{x}"}]
    description.write_text(json.dumps(document))
    assert 0 == run("add", write("x.jsonl", jsonl({"src": "Un.", "ref": "Eins."})), "--name", "lab", "-l", "fr-de").code
    assert ["A heron.", "Two herons."] == truebleu.testset("lab", "en-de").source
    added = truebleu.testset("lab", "fr-de")
    assert (["Un."], "@misc{x}") == (added.source, added.citation)
    assert (0, "3 sound, 0 damaged\n") == run("verify")[:2]
    assert 0 == run("pack", "lab", "-o", "x.tar").code


def test_verify_limits_itself_to_the_sets_named_which_must_be_there(run: Run, cache: Path, news: Path) -> None:
    news.write_bytes(b"other")
    assert 1 == run("verify", "lab/news24").code
    result = run("verify", "wmt99")
    assert 1 == result.code
    assert f"DAMAGED {cache / 'wmt99/raw/shared.tgz'} is not there" in result.out
    run("pack", "wmt99", "-o", "x.tar")
    assert 0 == run("verify", "wmt99").code


def test_remove_keeps_what_other_sets_use(run: Run, cache: Path) -> None:
    run("pack", "wmt99/B", "-o", "x.tar")
    inner = built("wmt99/B/en-de", ["src"], lambda folder: (folder / "src").write_text("x") and None, "1")
    outer = built("wmt99/en-de", ["src"], lambda folder: (folder / "src").write_text("x") and None, "1")
    assert "which other sets use" in run("remove", "wmt99").out
    assert inner.exists() and not outer.exists()
    run("remove", "wmt99/B")
    assert {"wmt99/raw/shared.tgz": ARCHIVE} == contents(cache)
    run("remove", "wmt99", "wmt99/B")
    assert {} == contents(cache)


def test_remove_takes_all_of_a_set_of_ones_own(run: Run, cache: Path, news: Path) -> None:
    assert 0 == run("remove", "lab/news24").code
    assert {} == contents(cache)
    assert 2 == run("remove", "lab/news24").code


# --- pack and unpack --------------------------------------------------------------------------


def test_a_bundle_carries_sets_to_a_machine_without_a_network(
    run: Run, cache: Path, tmp_path: Path, news: Path, server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert 0 == run("pack", "wmt99", "wmt99/B", "lab/news24", "-o", "all.tar").code
    before = contents(cache)
    assert ["/shared.tgz", "/extra"] == server.requests
    monkeypatch.setenv("TRUEBLEU_CACHE", str(tmp_path / "there"))
    forbid_sockets(monkeypatch)
    result = run("unpack", "all.tar", "--offline")
    assert 0 == result.code, result.err
    assert before == contents(tmp_path / "there")
    assert 0 == run("verify", "wmt99", "wmt99/B", "lab/news24").code
    assert 0 == run("--offline", "pack", "wmt99/B", "-o", "again.tar").code


def test_the_same_sets_give_the_same_bundle(run: Run, news: Path, cache: Path) -> None:
    run("pack", "wmt99/B", "lab/news24", "-o", "one.tar")
    for path in cache.rglob("*"):
        os.utime(path, (1, 1))
    run("pack", "lab/news24", "wmt99/B", "-o", "two.tar")
    assert Path("one.tar").read_bytes() == Path("two.tar").read_bytes()


def test_offline_a_bundle_of_what_is_not_there_says_what_to_do(
    run: Run, server: Any, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    forbid_sockets(monkeypatch)
    result = run("pack", "wmt99", "-o", "x.tar", "--offline")
    assert 1 == result.code
    for word in ("--offline", f"{server.url}/shared.tgz", str(cache / "wmt99/raw/shared.tgz"), "data unpack"):
        assert word in result.err
    assert not Path("x.tar").exists()


def test_models_of_tokenizers_can_be_packed(run: Run, cache: Path) -> None:
    model = cache / "models" / "sacrebleu_tokenizer_spm.model"
    model.parent.mkdir(parents=True)
    model.write_bytes(b"\x0a\x01a\x1a\x01b")
    assert 0 == run("pack", "flores101", "-o", "x.tar").code
    model.unlink()
    assert 0 == run("unpack", "x.tar").code
    assert model.exists()


def packed(run: Run, *names: str) -> Path:
    assert 0 == run("pack", *names, "-o", "bundle.tar").code
    run("remove", *names)
    return Path("bundle.tar")


def test_a_bundle_damaged_anywhere_changes_nothing(run: Run, cache: Path) -> None:
    """A changed byte may fall on padding or on a field that means nothing; then the files are as they were."""
    path = packed(run, "wmt99", "wmt99/B")
    whole = path.read_bytes()
    expected = {"wmt99/raw/shared.tgz": ARCHIVE, "wmt99/raw/extra": EXTRA}
    refused = 0
    for position in range(0, len(whole), 197):
        damaged = bytearray(whole)
        damaged[position] ^= 0x40
        path.write_bytes(damaged)
        result = run("unpack", path)
        if result.code == 0:
            assert expected == contents(cache)
            run("remove", "wmt99", "wmt99/B")
        else:
            refused += 1
            assert 1 == result.code and "Traceback" not in result.err
        assert {} == contents(cache)
    assert refused > 20


def test_a_bundle_cut_anywhere_changes_nothing(run: Run, cache: Path) -> None:
    path = packed(run, "wmt99", "wmt99/B")
    whole = path.read_bytes()
    with tarfile.open(path) as tar:
        last = tar.getmembers()[-1]
    end = last.offset_data + last.size
    for length in range(0, end, 301):
        path.write_bytes(whole[:length])
        result = run("unpack", path)
        assert 1 == result.code and "bundle.tar" in result.err
        assert {} == contents(cache)


def evil_bundle(entries: list[dict[str, Any]], *members: tuple[str, bytes] | tarfile.TarInfo, **more: Any) -> Path:
    manifest = {"format": "truebleu-bundle", "schema": 1, "sets": {"x": []}, "files": entries, **more}
    with tarfile.open("evil.tar", "w") as tar:
        for member in ((bundle.MANIFEST, json.dumps(manifest).encode()), *members):
            if isinstance(member, tarfile.TarInfo):
                tar.addfile(member)
            else:
                info = tarfile.TarInfo(member[0])
                info.size = len(member[1])
                tar.addfile(info, io.BytesIO(member[1]))
    return Path("evil.tar")


def entry(path: str, content: bytes) -> dict[str, Any]:
    return {"path": path, "bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}


@pytest.mark.parametrize(
    "path",
    ["../evil", "/evil", "a/../../evil", "a/./b", "a//b", ".hidden/x", "a/.b", "config.toml", "a\\b/c", "C:/x", "a/"],
)
def test_a_bundle_cannot_write_elsewhere(path: str, run: Run, cache: Path, tmp_path: Path) -> None:
    result = run("unpack", evil_bundle([entry(path, b"evil")], (path, b"evil")))
    assert 1 == result.code
    assert "which is not a path of a test set" in result.err
    assert {"evil.tar"} == set(contents(tmp_path)) and {} == contents(cache)


def test_a_bundle_brings_files_only_and_only_those_it_names(run: Run, cache: Path) -> None:
    link = tarfile.TarInfo("a/b")
    link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
    good = entry("a/b", b"text")
    makers: list[tuple[Callable[[], Path], str]] = [
        (lambda: evil_bundle([good], link), "mixed up"),
        (lambda: evil_bundle([good]), "found the end"),
        (lambda: evil_bundle([good], ("a/c", b"text")), "expected 'a/b', found 'a/c'"),
        (lambda: evil_bundle([good], ("a/b", b"texT")), "is damaged: a/b has 4 bytes and SHA-256"),
        (lambda: evil_bundle([good], ("a/b", b"text"), ("a/c", b"")), "does not name"),
        (lambda: evil_bundle([good, good], ("a/b", b"text"), ("a/b", b"text")), "names a file twice"),
        (lambda: evil_bundle([{**good, "sha256": "x"}], ("a/b", b"text")), "no size or SHA-256"),
        (lambda: evil_bundle([{"path": "a/b"}], ("a/b", b"text")), "has an invalid manifest"),
        (lambda: evil_bundle([], schema=2), "schema 2, expected 1"),
    ]
    for make, reason in makers:
        result = run("unpack", make())
        assert 1 == result.code
        assert reason in result.err
        assert {} == contents(cache)


@pytest.mark.parametrize("content", [b"", b"no bundle", gzip.compress(b"x", mtime=0), None])
def test_what_is_no_bundle_is_refused(content: bytes | None, run: Run, cache: Path) -> None:
    if content is not None:
        write("x.tar", content)
    result = run("unpack", "x.tar")
    assert 1 == result.code
    assert "x.tar" in result.err and "Traceback" not in result.err
    assert {} == contents(cache)


def test_a_bundle_does_not_replace_a_set_of_ones_own_unless_forced(run: Run, cache: Path, news: Path) -> None:
    path = packed(run, "lab/news24")
    other = write("other.jsonl", jsonl({"src": "Other.", "ref": "Anderes."}))
    run("add", other, *NEWS)
    before = contents(cache)
    result = run("unpack", path)
    assert 1 == result.code and "--force" in result.err
    assert before == contents(cache)
    assert 0 == run("unpack", path, "--force").code
    assert 2 == len(contents(cache))
    assert LINES.count("\n") == user_sets.own_sets()["lab/news24"].record["pairs"]["en-de"]["segments"]
    assert 0 == run("verify").code


def test_a_bundle_cannot_redefine_a_built_in_set(run: Run, cache: Path) -> None:
    text = b'{"src": "a", "ref": "b"}\n'
    files = [{"path": "x.jsonl", "sha256": hashlib.sha256(text).hexdigest()}]
    record = {"version": 1, "sets": {"wmt99": {"format": "jsonl", "pairs": {"en-de": {"files": files}}}}}
    description = json.dumps(record).encode()
    names = ["registry/wmt99.json", "registry/x.jsonl"]
    members = list(zip(names, (description, text), strict=True))
    result = run("unpack", evil_bundle([entry(*member) for member in members], *members))
    assert 1 == result.code and "a name that is not its own" in result.err
    assert {} == contents(cache)


def described(name: str = "lab/evil", **keys: Any) -> tuple[str, bytes]:
    one = {"format": "jsonl", "pairs": {"en-de": {"files": [{"path": "x.jsonl"}]}}, **keys}
    stem = name.replace("/", "_")
    return f"registry/{stem}.json", json.dumps({"schema": 1, "sets": {name: one}}).encode()


def test_a_bundle_cannot_replace_the_text_of_a_set_of_ones_own(run: Run, cache: Path, news: Path) -> None:
    """It came in because no description in the bundle named it, so that nobody looked at it."""
    other = jsonl({"src": "Evil.", "ref": "Böse."}).encode()
    text = (f"registry/{news.name}", other)
    before = contents(cache)
    result = run("unpack", evil_bundle([entry(*text)], text))
    assert 1 == result.code and "which belongs to no set" in result.err
    named = described(pairs={"en-de": {"files": [{"path": news.name}]}})
    for words in ([], ["--force"]):
        result = run("unpack", evil_bundle([entry(*named), entry(*text)], named, text), *words)
        assert 1 == result.code and "belongs to another set" in result.err
    assert before == contents(cache)
    assert 0 == run("verify").code


def test_a_bundle_does_not_replace_a_description_without_being_forced(run: Run, cache: Path, news: Path) -> None:
    """Not even one that claims the same text in a format whose claim nobody checks."""
    own = user_sets.own_sets()["lab/news24"]
    text = ("registry/x.tsv", b"a\tb\n")
    pairs = {"en-de": {"members": ["0:x.tsv", "1:x.tsv"]}}
    evil = described("lab/news24", format="tsv", files=[{"path": "x.tsv"}], pairs=pairs, content_hash=own.content_hash)
    before = contents(cache)
    result = run("unpack", evil_bundle([entry(*evil), entry(*text)], evil, text))
    assert 1 == result.code and "--force" in result.err
    assert before == contents(cache)


TEXT = ("registry/x.jsonl", b'{"src": "a", "ref": "b"}\n')
OUTSIDE: dict[str, Any] = {"format": "plain-text", "pairs": {"en-de": {"members": ["hostname", "hostname"]}}}
SHA256 = hashlib.sha256(b"{}").hexdigest().encode()


@pytest.mark.parametrize(
    "members",
    [
        [described(**OUTSIDE, files=[{"path": "/etc/hostname"}])],
        [described(**OUTSIDE, files=[{"path": "../../hostname"}])],
        [described(**OUTSIDE, files=[{"path": "~/hostname"}])],
        [described(**OUTSIDE, files=[{"path": "remote/hostname"}]), ("registry/remote/hostname", b"x")],
        [("registry/remote/lab.example_reg.json", b"{}"), ("registry/remote/lab.example_reg.json.sha256", SHA256)],
        [("registry/zz.json", b"{")],
        [("registry/zz.json", b"[" * 100_000)],
        [("registry/zz.json", b'{"schema": 1, "sets": []}')],
        [described("lab/a", files=-1)],
        [("config.toml/x", b"x")],
        [("models/other.model", b"x")],
        [("models/sacrebleu_tokenizer_spm.model", b"no model")],
        [("models/sacrebleu_tokenizer_spm.model.sha256", b"x")],
        [("wmt99/raw/shared.tgz", b"another archive")],
        [("wmt99/text/en-de/0/x", b"x")],
        [("wmt99/raw/a\x1b[31m", b"x")],
        [("wmt99/raw/a\nb", b"x")],
        [described(pairs={"en-de": {"files": [{"path": "a\nb"}]}}), ("registry/a\nb", b"x")],
        [described(), TEXT, ("registry/y.jsonl", b"x")],
        [described()],
    ],
)  # fmt: skip
def test_a_bundle_brings_only_what_is_of_a_known_set_or_described(
    members: list[tuple[str, bytes]], run: Run, cache: Path
) -> None:
    result = run("unpack", evil_bundle([entry(*member) for member in members], *members), "--force")
    assert 1 == result.code and "bug in truebleu" not in result.err
    assert "\x1b" not in result.err
    assert {} == contents(cache)


def test_a_bundle_brings_what_it_describes(run: Run, cache: Path) -> None:
    members = [described(), TEXT]
    assert 0 == run("unpack", evil_bundle([entry(*member) for member in members], *members)).code
    assert {"registry/lab_evil.json", "registry/x.jsonl"} == set(contents(cache))


def test_a_bundle_repairs_a_damaged_file_and_leaves_a_sound_one(run: Run, cache: Path) -> None:
    model = cache / "models" / "sacrebleu_tokenizer_spm.model"
    model.parent.mkdir(parents=True)
    model.write_bytes(b"\x0a\x01a\x1a\x01b")
    run("verify", "flores101")
    run("pack", "flores101", "wmt99", "-o", "x.tar")
    (cache / "wmt99/raw/shared.tgz").write_bytes(b"damaged")
    assert 0 == run("unpack", "x.tar").code
    assert ARCHIVE == (cache / "wmt99/raw/shared.tgz").read_bytes()
    other = ("models/sacrebleu_tokenizer_spm.model", b"\x0a\x01c\x1a\x01d")
    result = run("unpack", evil_bundle([entry(*other)], other))
    assert 1 == result.code and "which is sound" in result.err
    assert b"\x0a\x01a\x1a\x01b" == model.read_bytes()


@pytest.mark.parametrize("manifest", [b"[" * 100_000, b'{"format":' * 50_000])
def test_a_manifest_nested_without_end_is_refused(manifest: bytes, run: Run, cache: Path) -> None:
    with tarfile.open("deep.tar", "w") as tar:
        info = tarfile.TarInfo(bundle.MANIFEST)
        info.size = len(manifest)
        tar.addfile(info, io.BytesIO(manifest))
    result = run("unpack", "deep.tar")
    assert 1 == result.code and "has an invalid manifest" in result.err
    assert {} == contents(cache)


# --- add --------------------------------------------------------------------------------------


def test_an_added_set_is_described_as_agreed(run: Run, cache: Path, news: Path) -> None:
    sha256 = hashlib.sha256(news.read_bytes()).hexdigest()
    lines = f"en-de {sha256}\n".encode()
    record = json.loads((cache / "registry" / "lab_news24.json").read_text())
    assert {
        "version": 1,
        "sets": {
            "lab/news24": {
                "format": "jsonl",
                "description": "",
                "pairs": {
                    "en-de": {
                        "files": [{"path": f"lab_news24.en-de.{sha256[:12]}.jsonl", "sha256": sha256}],
                        "fields": ["src", "ref", "docid", "domain"],
                        "segments": 2,
                    }
                },
                "content_hash": f"sha256:{hashlib.sha256(lines).hexdigest()}",
                "set_version": "1",
            }
        },
    } == record
    assert [json.loads(line) for line in LINES.splitlines()] == [
        {name: record[name] for name in ("src", "ref", "docid", "domain")}
        for record in map(json.loads, news.read_text().splitlines())
    ]


def added(pair: str = "en-de") -> list[dict[str, Any]]:
    own_set = user_sets.own_sets()["lab/news24"]
    assert own_set.origin is not None
    path = own_set.origin.parent / own_set.record["pairs"][pair]["files"][0]["path"]
    return [json.loads(line) for line in path.read_text("utf-8").split("\n")[:-1]]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "x.jsonl",
            jsonl({"source": "a", "references": ["b", "c"], "doc_id": 1}, {"source": "d", "references": ["e"]}),
        ),
        ("x.jsonl", jsonl({"src": "a", "refs": {"0": "b", "1": "c"}, "docid": "1"}, {"src": "d", "ref": "e"})),
        ("x.jsonl", jsonl({"src": "a", "ref:0": "b", "ref:1": "c", "docid": "1"}, {"src": "d", "ref:0": "e"})),
        ("x.tsv", "docid\tsrc\tref\tref\n1\ta\tb\tc\n\td\te\t\n"),
        ("x.tsv", "src\tref:0\tref:1\tdocument\r\na\tb\tc\t1\r\nd\te\t\t\r\n"),
        ("x.tsv", "\ufeffsource\tref:0\tnothing\tref:1\tdoc\na\tb\t?\tc\t1\nd\te\t?\t\t"),
        ("x.tsv", "docid\tsrc\tref\tref\n1\ta\tb\tc\n\td\te\t\n\n\n"),
        ("x.csv", 'src,ref:0,ref:1,document\r\n"a",b,"c",1\r\nd,"e",,\r\n\r\n'),
        ("x.json", json.dumps([{"src": "a", "refs": ["b", "c"], "docid": 1}, {"src": "d", "refs": ["e"]}], indent=1)),
        ("x.json", jsonl({"src": "a", "refs": ["b", "c"], "docid": 1}, {"src": "d", "refs": ["e"]}) + "\n\n"),
    ],
)
def test_segments_come_in_many_shapes(name: str, text: str, run: Run) -> None:
    assert 0 == run("add", write(name, text), *NEWS).code
    assert [
        {"src": "a", "ref:0": "b", "ref:1": "c", "docid": "1"},
        {"src": "d", "ref:0": "e", "ref:1": None, "docid": ""},
    ] == added()
    Path(f"{name}.gz").write_bytes(gzip.compress(text.encode(), mtime=0))
    assert "is there already" in run("add", f"{name}.gz", *NEWS).out


def test_plain_files_are_the_source_and_then_references(run: Run) -> None:
    files = [write("src", "a\nb\n"), write("r1", "c\nd\n"), write("r2", "e\nf")]
    write("docs", "1\n2\n")
    run("add", files[0], files[1], *NEWS)
    assert [{"src": "a", "ref": "c"}, {"src": "b", "ref": "d"}] == added()
    result = run("add", *files, *NEWS, "-l", "en-fr", "--labels", "A,B", "--docid", "docs")
    assert 0 == result.code, result.err
    assert {"src": "b", "ref:A": "d", "ref:B": "f", "docid": "2"} == added("en-fr")[1]
    assert ["en-de", "en-fr"] == list(user_sets.own_sets()["lab/news24"].pairs)


def test_a_table_without_a_header_has_its_columns_named(run: Run) -> None:
    path = write("x.tsv", "1\ta\tb\n2\tc\td\n")
    assert 1 == run("add", path, *NEWS).code
    assert 0 == run("add", path, *NEWS, "--columns", "_,src,ref").code
    assert [{"src": "a", "ref": "b"}, {"src": "c", "ref": "d"}] == added()
    assert 0 == run("add", write("x.csv", "1,a,b\n2,c,d\n"), *NEWS, "--columns", "_,src,ref").code
    header = write("y.tsv", "src\tref\na\tb\n")
    assert "this is a header" in run("add", header, "--name", "b", "-l", "en-de", "--columns", "src,ref").err


def test_text_is_kept_as_it_is(run: Run) -> None:
    text = ' a\u00a0\u2028 b\u3000"c"\\ \U0001f426 '
    run("add", write("x.jsonl", jsonl({"src": text, "ref": text})), *NEWS)
    assert [{"src": text, "ref": text}] == added()
    run("add", write("s", f"{text}\n"), write("r", f"{text}\n"), *NEWS, "-l", "en-fr")
    assert [{"src": text, "ref": text}] == added("en-fr")


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("x.jsonl", "", "there is no source"),
        ("x.jsonl", '{"src": "a", "ref": "b"}\n{"src": \n', "line 2: not JSON"),
        ("x.jsonl", '{"src": "a", "ref": "b"}\n\n{"src": "a", "ref": "b"}\n', "line 2: not JSON"),
        ("x.jsonl", '["a"]\n', "line 1: expected a JSON object, got list"),
        ("x.jsonl", jsonl({"src": "a", "ref": 3}), "line 1: 'ref': expected a string, got int"),
        ("x.jsonl", jsonl({"src": "a", "docid": True, "ref": "b"}), "line 1: 'docid': expected a string, got bool"),
        ("x.jsonl", jsonl({"src": "a"}), "there is no reference"),
        ("x.jsonl", jsonl({"ref": "a"}), "there is no source"),
        ("x.jsonl", jsonl({"src": "a", "ref": "b"}, {"ref": "b"}), "line 2: there is no source"),
        ("x.jsonl", jsonl({"src": "a", "ref": "b"}, {"src": "b", "ref": " "}), "line 2: every reference is empty"),
        ("x.jsonl", jsonl({"src": "a", "refs": []}, {"src": "b", "refs": ["c"]}), "line 1: every reference is empty"),
        ("x.jsonl", jsonl({"src": "a", "source": "b", "ref": "c"}), "'source' gives 'src' a second time"),
        ("x.jsonl", jsonl({"src": "a", "ref": "b", "ref:A": "c"}), "must all have labels or none"),
        ("x.jsonl", jsonl({"src": "a", "refs": {"../A": "b"}}), "cannot be the label"),
        ("x.jsonl", jsonl({"src": "a\nb", "ref": "c"}), "line 1: src has a line break in it"),
        ("x.jsonl", '{"src": "\\ud800", "ref": "c"}\n', "line 1: src has a lone surrogate"),
        ("x.jsonl", b'{"src": "a", "ref": "b"}\n{"src": "\xe9", "ref": "b"}\n', "line 2: byte 10 of the line is 0xe9"),
        ("x.tsv", "a\tb\n", "expected a header"),
        ("x.tsv", "", "expected a header"),
        ("x.tsv", "src\tref\n", "there are no segments"),
        ("x.tsv", "src\tref\na\tb\na\n", "line 3: expected 2 columns, got 1"),
        ("x.tsv", "src\tref\na\tb\tc\n", "line 2: expected 2 columns, got 3"),
        ("x.tsv", "src\tref\na\tb\nc\t \n", "line 3: every reference is empty"),
        ("x.tsv", "src\tsource\tref\na\tb\tc\n", "the column 'src' is there twice"),
        ("x.jsonl", jsonl({"src": "a", "ref": "b"}, {"src": "a", "ref": "b", "refs": ["c"]}),
         "line 2: both 'ref' and 'refs' give references, expected one of the two"),
        ("x.jsonl", jsonl({"src": "a", "references": ["c", "d"], "target": None}), "both 'target' and 'references'"),
        ("x.jsonl", jsonl({"src": "a", "ref": "c", "ref:0": "d"}), "line 1: both 'ref' and 'ref:0' give references"),
        ("x.json", '[{"src": "a", "ref": "b"},\n\n{"src": "a", "ref": "b", "refs": ["c"]}]', "record 2: both 'ref'"),
        ("x.json", '[["a"]]', "record 1: expected a JSON object, got list"),
        ("x.json", "[{]", "not JSON"),
        ("x.csv", 'src,ref\n"a",b\n"c\nd",\n', "line 3: src has a line break in it"),
        ("x.csv", "src,ref\na,b\n\nc\n", "line 4: expected 2 columns, got 1"),
        ("x.csv", 'src,ref\na,"b\n', "line 2: not CSV"),
        ("x.csv", "", "expected a header"),
        ("x.txt", "a\n", "a plain file has no references"),
        ("x.jsonl.gz", b"no gzip", "cannot read"),
        ("x.jsonl.gz", gzip.compress(LINES.encode(), mtime=0)[:-12], "cannot read"),
    ],
)  # fmt: skip
def test_bad_files_are_refused_with_the_line(
    name: str, content: str | bytes, reason: str, run: Run, cache: Path
) -> None:
    result = run("add", write(name, content), *NEWS)
    assert 1 == result.code
    assert reason in result.err and name in result.err
    assert {} == contents(cache)


def test_files_of_different_lengths_are_refused(run: Run, cache: Path) -> None:
    source, short, docs = write("src", "a\nb\n"), write("ref", "c\n"), write("docs", "1\n2\n3\n")
    assert f"{short} has 1 line, {source} has 2" in run("add", source, short, *NEWS).err
    assert f"{docs} has 3 lines, {source} has 2" in run("add", source, source, *NEWS, "--docid", docs).err
    assert 1 == run("add", source, source, *NEWS, "--labels", "A,B").code
    assert "all different" in run("add", source, source, source, *NEWS, "--labels", "A,A").err
    assert 1 == run("add", source, "missing", *NEWS).code
    assert {} == contents(cache)


@pytest.mark.parametrize("name", ["", "a b", "../a", "/a", "a/", ".a", "a//b", "a,b", "ä", "a/raw", "models/a"])
def test_names_are_plain_words(name: str, run: Run) -> None:
    assert 2 == run("add", write("x.jsonl", LINES), "--name", name, "-l", "en-de").code


@pytest.mark.parametrize("pair", ["en", "en-", "en-de-fr", "../en-de", "e-n", "en de"])
def test_language_pairs_are_two_languages(pair: str, run: Run) -> None:
    assert 2 == run("add", write("x.jsonl", LINES), "--name", "a", "-l", pair).code
    assert 2 == run("add", write("x.jsonl", LINES), "--name", "a", "-l", "en-de", "--version", "/").code


def test_a_built_in_name_is_taken(run: Run) -> None:
    for name in ("wmt99", "flores200"):
        result = run("add", write("x.jsonl", LINES), "--name", name, "-l", "en-de")
        assert 1 == result.code and "truebleu's own names" in result.err


def test_names_that_share_a_file_are_kept_apart(run: Run, news: Path) -> None:
    result = run("add", write("x.jsonl", LINES), "--name", "lab_news24", "-l", "en-de")
    assert 1 == result.code and "would share the file" in result.err


def test_other_text_or_another_version_is_refused_unless_forced(run: Run, cache: Path, news: Path) -> None:
    other = write("other.jsonl", jsonl({"src": "Other.", "ref": "Anderes."}))
    run("add", other, *NEWS, "-l", "en-fr")
    before = contents(cache)
    assert "is there already: 2 segments" in run("add", "news.jsonl", *NEWS).out
    for more, reason in (((), "with other text"), (("--version", "2"), "already in version 1, you give 2")):
        result = run("add", other, *NEWS, *more)
        assert 1 == result.code and reason in result.err and "--force" in result.err
    assert before == contents(cache)
    assert 0 == run("add", other, *NEWS, "--version", "2", "--force").code
    replaced = user_sets.own_sets()["lab/news24"]
    assert ("2", ["en-de"]) == (replaced.version, list(replaced.pairs))
    assert 2 == len(contents(cache)) and 0 == run("verify").code


def test_notes_tell_what_was_odd(run: Run) -> None:
    records = {"src": "", "refs": ["b", ""], "score": 1}, {"src": "a", "refs": ["b", "c"]}
    err = run("add", write("x.jsonl", "\ufeff" + jsonl(*records)), *NEWS).err
    for note in ("byte order mark", "not used: score", "1 segment has an empty source", "1 segment has no ref:1"):
        assert note in err


def test_pairs_added_at_once_are_all_there(cache: Path) -> None:
    write("x.jsonl", LINES)
    code = "import sys; from truebleu.cli.commands.data import COMMAND; sys.exit(COMMAND.run(sys.argv[1:]))"
    pairs = ["en-de", "en-fr", "en-cs", "en-fi"]
    running = [
        subprocess.Popen(
            [sys.executable, "-c", code, "add", "x.jsonl", "--name", "a", "-l", pair],
            env=environment(), stdout=subprocess.DEVNULL,
        )
        for pair in pairs
    ]  # fmt: skip
    assert [0] * 4 == [process.wait() for process in running]
    assert sorted(pairs) == list(user_sets.own_sets()["a"].pairs)


def test_a_cache_that_cannot_be_written_is_named(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    run("pack", "wmt99", "-o", "x.tar")
    with tempfile.TemporaryDirectory() as name:
        path = Path(name)
        (path / "news.jsonl").write_text(LINES)
        (path / "x.tar").write_bytes(Path("x.tar").read_bytes())
        (path / "cache").mkdir()
        path.chmod(0o755)
        monkeypatch.setenv("TRUEBLEU_CACHE", str(path / "cache"))
        monkeypatch.chdir(path)
        with without_privileges():
            results = [run("add", "news.jsonl", *NEWS), run("unpack", "x.tar"), run("list"), run("verify")]
        monkeypatch.undo()
    assert [1, 1, 0, 0] == [result.code for result in results]
    for result in results[:2]:
        assert "Permission denied" in result.err and str(path / "cache") in result.err


# --- real sets --------------------------------------------------------------------------------


def test_real_sets_make_the_journey(run: Run, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    facts, urls = data.parent / "spec" / "testsets.json", data / "mirror" / "urls"
    if not facts.is_file() or not urls.is_dir():
        pytest.skip("no facts about real test sets beside the real texts")
    real = {entry["name"]: entry for entry in json.loads(facts.read_text("utf-8"))["testsets"]}

    def remote_files(name: str) -> list[RemoteFile]:
        rows = zip(real[name]["urls"], real[name]["raw_names"], real[name]["md5"], strict=True)
        return [RemoteFile(url, raw, f"{name}/raw", md5=md5) for url, raw, md5 in rows]

    registry = SimpleNamespace(
        remote_files=remote_files,
        set_names=lambda: list(real),
        definition=lambda name: SimpleNamespace(rehost=True),
    )
    monkeypatch.setattr(cached, "registry", registry)
    monkeypatch.setenv("TRUEBLEU_MIRROR", str(urls))
    forbid_sockets(monkeypatch)
    sets = ["multi30k/2018", "mtedx/test"]
    assert 0 == run("pack", *sets, "-o", "real.tar", "--offline").code
    monkeypatch.delenv("TRUEBLEU_MIRROR")
    monkeypatch.setenv("TRUEBLEU_CACHE", str(tmp_path / "there"))
    assert 0 == run("unpack", "real.tar").code
    assert "5 sound, 0 damaged" == run("verify", *sets).out.splitlines()[-1]
    assert 1 == run("verify", "iwslt17").code
