"""The registry: the facts of the built-in sets, and sets from elsewhere."""

import hashlib
import json
import os
import random
import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
import sacrebleu.dataset

import truebleu
from dataset.caches import add_set
from loopback import serving
from truebleu.dataset import cache, pair_text, registry, subsets, user_sets
from truebleu.dataset.citations import citation
from truebleu.dataset.registry import definition, definitions, names, parse
from truebleu.errors import RegistryError, UnknownTestSet

pytestmark = pytest.mark.usefixtures("own_cache")

DOCUMENT = json.loads(registry.BUILT_IN.read_bytes())
# What the addresses of these sets serve has not been seen by whoever wrote them down.
UNSEEN = ("wmt24pp", "wmt25/general", "wmt26/general")
JSONL = b'{"src": "s", "ref": "r"}\n'


def lab(**keys: Any) -> dict[str, Any]:
    one = {"name": "lab/a", "format": "jsonl", "files": [{"path": "a.jsonl"}], "pairs": {"en-de": ["a.jsonl"]}, **keys}
    return {"schema": 1, "version": "2026-11", "sets": [{key: one[key] for key in one if one[key] is not None}]}


def write(folder: Path, document: Any, name: str = "lab.json") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "a.jsonl").write_bytes(JSONL)
    (folder / name).write_text(json.dumps(document), "utf-8")
    return folder / name


# --- the built-in sets --------------------------------------------------------------------------


def test_every_set_of_sacrebleus_is_here_with_the_same_facts() -> None:
    assert (67, 452) == (
        len(sacrebleu.dataset.DATASETS),
        sum(len(theirs.langpairs) for theirs in sacrebleu.dataset.DATASETS.values()),
    )
    for name, theirs in sacrebleu.dataset.DATASETS.items():
        ours = truebleu.DATASETS[name]
        facts = (theirs.name, theirs.data, theirs.md5, theirs.langpairs, theirs.kwargs)
        assert facts == (ours.name, ours.data, ours.md5, ours.langpairs, ours.kwargs)
        assert list(theirs.langpairs) == list(ours.langpairs)


def test_sets_come_in_sacrebleus_order_and_others_after_them() -> None:
    theirs = list(sacrebleu.dataset.DATASETS)
    assert theirs == names()[: len(theirs)]
    ours = ["wmt18/google/wmtp", "wmt20/google/wmtp", "multi30k/2017-mscoco", "ntrex128", "demo"]
    assert ours == names()[len(theirs) :][:5]
    assert [False] * 67 + [True] * 20 == [one.extra for one in definitions()]


def test_the_built_in_registry_follows_its_own_schema() -> None:
    parsed = parse(DOCUMENT, None, "registry.json")
    assert len(parsed) == len({one.name for one in parsed}) == 87
    for one in parsed:
        for file in one.files:
            known = re.fullmatch("[0-9a-f]{32}", str(file.md5)) or re.fullmatch("[0-9a-f]{64}", str(file.sha256))
            assert file.package or (str(file.url).startswith("https://") and (known or one.name in UNSEEN))
        for pair in islice(one.pairs.values(), 0, None, 1999 if isinstance(one.pairs, registry.PairsByRule) else 1):
            for member in pair_text._member_names(one, pair):
                assert pair_text._file_of(one, member)


def test_every_file_of_a_set_is_used_by_some_pair() -> None:
    for one in definitions():
        # Each language is the source of the first pairs that begin with it.
        pairs = islice(one.pairs.values(), 0, None, 203 if isinstance(one.pairs, registry.PairsByRule) else 1)
        members = [name for pair in pairs for name in pair_text._member_names(one, pair)]
        assert set(one.files) == {pair_text._file_of(one, name) for name in members}, one.name


def test_descriptions_are_sentences_of_our_own() -> None:
    for one in definitions():
        assert one.description.endswith(".") and "\n" not in one.description
        theirs = sacrebleu.dataset.DATASETS.get(one.name)
        assert theirs is None or theirs.description != one.description


def test_annotations_are_sacrebleus() -> None:
    assert sacrebleu.dataset.SUBSETS == subsets.annotations() == truebleu.dataset.SUBSETS
    assert sacrebleu.dataset.COUNTRIES == truebleu.dataset.COUNTRIES
    assert sacrebleu.dataset.DOMAINS == truebleu.dataset.DOMAINS
    assert {"wmt18", "wmt19"} == {one.annotations for one in definitions()} - {None}


def test_every_set_but_the_demo_has_a_citation_with_balanced_braces() -> None:
    for one in definitions():
        entry = citation(one)
        assert (entry is None) == (one.name == "demo")
        if entry:
            assert entry.startswith("@") and entry.endswith("}") and entry.count("{") == entry.count("}")


def test_sets_that_use_the_same_archive_share_a_copy() -> None:
    homes = {
        (file.folder, file.filename)
        for name in ("wmt21", "wmt21/B", "wmt21/AB")
        for file in registry.remote_files(name)
    }
    assert {("wmt21/raw", "wmt21.test.tgz")} == homes
    (file,) = registry.remote_files("wmt21/D")
    assert "wmt21/B/raw/wmt21_B.test.tgz" in file.elsewhere and "wmt21/raw/wmt21.test.tgz" not in file.elsewhere
    addresses = {file.url for name in registry.set_names() for file in registry.remote_files(name)}
    assert len(addresses) == len(
        {(file.folder, file.filename) for name in registry.set_names() for file in registry.remote_files(name)}
    )


def test_listing_parses_no_other_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        Path, "read_bytes", lambda path: pytest.fail(f"{path} was read") if path.name != "registry.json" else None
    )
    assert names()


# --- sets from elsewhere ------------------------------------------------------------------------


def test_a_registry_file_adds_sets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "lab", lab(citation="@misc{a}", description="Ours."))
    monkeypatch.setenv("TRUEBLEU_REGISTRY", str(path))
    assert "lab/a" == names()[-1]
    assert "@misc{a}" == truebleu.testset("lab/a", "en-de").citation
    assert [["r"]] == truebleu.testset("lab/a", "en-de").references
    monkeypatch.setenv("TRUEBLEU_REGISTRY", f" {path.parent} ,")
    assert definition("lab/a").extra and ["s"] == truebleu.testset("lab/a", "en-de").source


def test_a_file_that_is_found_twice_adds_its_sets_once(
    own_cache: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("WARNING")
    path = write(own_cache / "registry", lab())
    monkeypatch.setenv("TRUEBLEU_REGISTRY", str(path))
    assert 1 == names().count("lab/a")
    assert "" == caplog.text


def test_a_changed_registry_file_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path, lab())
    monkeypatch.setenv("TRUEBLEU_REGISTRY", str(path))
    assert "lab/a" in names()
    write(tmp_path, lab(name="lab/other"))
    assert "lab/other" in names() and "lab/a" not in names()


def test_a_registry_is_fetched_and_must_have_its_checksum(own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TRUEBLEU_OFFLINE")
    document = lab(files=[{"url": "https://127.0.0.1/a.jsonl", "sha256": hashlib.sha256(JSONL).hexdigest()}])
    content = json.dumps(document).encode()
    with serving() as server:
        server.files["/sets.json"] = content
        address = f"http://127.0.0.1:{server.server_address[1]}/sets.json"
        monkeypatch.setenv("TRUEBLEU_REGISTRY", f"{address}#sha256={hashlib.sha256(content).hexdigest()}")
        assert "lab/a" in names()
        monkeypatch.setenv("TRUEBLEU_REGISTRY", f"{address}#sha256={'0' * 64}")
        with pytest.raises(truebleu.errors.DownloadError, match="expected 0000"):
            names()
        server.files["/local.json"] = json.dumps(lab()).encode()
        monkeypatch.setenv("TRUEBLEU_REGISTRY", address.replace("sets", "local"))
        with pytest.raises(RegistryError, match="a registry from elsewhere may name addresses only"):
            names()
        monkeypatch.setenv("TRUEBLEU_REGISTRY", f"{address}#md5=1")
        with pytest.raises(RegistryError, match="should end in #sha256="):
            names()


def test_sets_that_users_added_are_found(own_cache: Path) -> None:
    write(own_cache / "registry", lab())
    assert ["s"] == truebleu.testset("lab/a", "en-de").source


def test_what_truebleu_data_add_writes_is_understood(own_cache: Path) -> None:
    flat = b'{"src": "s", "ref:A": "r", "ref:B": null, "docid": "d"}\n'
    entry = {"files": [{"path": "a.jsonl", "sha256": hashlib.sha256(flat).hexdigest()}], "fields": [], "segments": 1}
    one = {"format": "jsonl", "pairs": {"en-de": entry}, "content_hash": "sha256:1", "set_version": "2"}
    write(own_cache / "registry", {"version": 1, "sets": {"lab/a": one}})
    (own_cache / "registry" / "a.jsonl").write_bytes(flat)
    opened = truebleu.testset("lab/a", "en-de")
    assert ["src", "ref:A", "ref:B", "docid"] == opened.fields
    assert [["r"], [""]] == opened.references
    assert "2" == definition("lab/a").set_version


def test_a_broken_file_of_a_user_does_not_hide_other_sets(own_cache: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("WARNING")
    write(own_cache / "registry", lab())
    (own_cache / "registry" / "broken.json").write_text("{")
    assert "lab/a" in names()
    assert "broken.json is not JSON" in caplog.text


@pytest.mark.parametrize("from_user", [False, True])
def test_a_name_that_is_taken_is_not_redefined(
    own_cache: Path, from_user: bool, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("WARNING")
    path = write(own_cache / "registry" if from_user else own_cache / "lab", lab(name="wmt22"))
    if from_user:
        assert "wmt-xml" == definition("wmt22").format
        assert "the name 'wmt22' is taken" in caplog.text
    else:
        monkeypatch.setenv("TRUEBLEU_REGISTRY", str(path))
        with pytest.raises(RegistryError, match=r"the name 'wmt22' is taken \(registry.json\)"):
            names()


def test_a_file_with_another_checksum_is_refused(own_cache: Path) -> None:
    write(own_cache / "registry", lab(files=[{"path": "a.jsonl", "sha256": "0" * 64}]))
    with pytest.raises(truebleu.errors.InvalidTestSet, match=r"a\.jsonl has sha256 .*, expected 0000"):
        truebleu.testset("lab/a", "en-de")


def test_text_files_with_metadata_and_systems(own_cache: Path) -> None:
    members = {"s": b"a\nb\n", "r": b"A\nB\n", "d": b"x\ny\n", "o": b"1\n2\n", "n": b"en\nde\n"}
    pairs = {"en-de": {"members": ["s", "r"], "docid": "d", "origlang": "n", "systems": {"best": "o"}}}
    add_set(own_cache / "registry", "lab/t", "plain-text", members, pairs)
    opened = truebleu.testset("lab/t", "en-de")
    assert ["src", "ref", "docid", "origlang", "best"] == opened.fields
    assert {"best": ["1", "2"]} == dict(opened.systems)
    assert ["b"] == opened.select(origlang="de").source


def test_lines_of_different_numbers_are_refused_in_sets_of_ones_own(own_cache: Path) -> None:
    add_set(own_cache / "registry", "lab/t", "plain-text", {"s": b"a\nb\n", "r": b"A\n"}, {"en-de": ["s", "r"]})
    with pytest.raises(truebleu.errors.InvalidTestSet, match="the field 'ref' has 1 line, expected 2"):
        truebleu.testset("lab/t", "en-de")


def test_a_set_has_as_many_lines_as_the_registry_says(own_cache: Path) -> None:
    members = {"s": b"a\nb\n", "r": b"A\nB\n"}
    add_set(own_cache / "registry", "lab/t", "plain-text", members, {"en-de": ["s", "r"]}, lines=3)
    with pytest.raises(truebleu.errors.InvalidTestSet, match="lab/t en-de: the field 'src' has 2 lines, expected 3"):
        truebleu.testset("lab/t", "en-de")


@pytest.mark.parametrize(
    "document, message",
    [
        ([], "a registry is a JSON object, this is list"),
        ({"schema": 2, "sets": []}, "the schema is 2, this version of truebleu knows 1"),
        ({"schema": 1}, "'sets' should be a list of objects"),
        (lab(name="../evil"), "'../evil' cannot be the name of a test set"),
        (lab(name="/a"), "cannot be the name"),
        (lab(name="lab/raw"), "cannot be the name"),
        (lab(name="registry/a"), "cannot be the name"),
        (lab(files=[{"path": "en-de.jsonl", "package": "truebleu.demo"}]), "may name addresses only"),
        (lab(format="csv"), "the format is 'csv', expected one of wmt-xml"),
        (lab(colour="red"), "unknown key 'colour'"),
        (lab(files=[]), "'files' should be a list that is not empty"),
        (lab(files=["a"]), "a file is an object"),
        (lab(files=[{"path": "a", "url": "https://x"}]), "either 'url' or 'path'"),
        (lab(files=[{"url": "https://x/y"}]), "https://x/y has no checksum; give its sha256"),
        (lab(files=[{"url": "https://x/y", "md5": "xyz"}]), "'xyz' is not a md5"),
        (lab(files=[{"path": "a", "size": 3}]), "unknown key 'size'"),
        (lab(pairs=None), "'pairs' should be an object"),
        (lab(pairs={"ende": ["a"]}), "'ende' is not a language pair"),
        (lab(pairs={"en-de": []}), "'members' should be a list of texts"),
        (lab(pairs={"en-de": {"members": ["a"], "x": 1}}), "en-de: unknown key 'x'"),
        (lab(files=-1), "'files' should be a list that is not empty"),
        (lab(files=[{"path": True}]), "'path' of a file should be a text, got True"),
        (lab(files=[{"path": "\0"}]), r"'path' of a file is '\x00', which cannot be a file name"),
        (lab(files=[{"url": "https://x/y\n", "md5": "0" * 32}]), r"'url' of a file is 'https://x/y\n'"),
        (lab(files=[{"url": "https://ann:secret@x/y"}]), "https://x/y has no checksum"),
        (lab(refs=True), "references should be a list of texts, got True"),
        (lab(refs=["A", {}]), "references, systems and metadata should be texts, got {}"),
        (lab(pairs={"en-de": {"members": ["a"], "systems": "x"}}), "'systems' should be an object of texts, got 'x'"),
        (lab(pairs={"en-de": {"members": ["a"], "systems": [1]}}), "'systems' should be an object of texts, got [1]"),
        (lab(pairs={"en-de": {"members": ["a"], "systems": {"x": {}}}}), "should be texts, got {}"),
        (lab(pairs={"en-de": {"members": ["a"], "docid": 1}}), "should be texts, got 1"),
        (lab(annotations="wmt88"), "there are annotations for wmt18, wmt19, not 'wmt88'"),
        (lab(lines="3"), "'lines' should be a number, got '3'"),
        (lab(description={}), "'description' should be a text, got {}"),
        (lab(licence=1), "'licence' should be a text, got 1"),
        (lab(rehost="no"), "'rehost' should be true or false, got 'no'"),
        (lab(gated=1), "'gated' should be true or false, got 1"),
        (lab(unit="page"), "'unit' is 'page', expected segment or document"),
        (lab(cut=[]), "'cut' should be an object by field, got []"),
        (lab(cut={"docid": {"row": 1}}), "docid: 'cut' should be an object of column, header, before"),
        (lab(cut={"docid": {"column": "1"}}), "docid: 'column' should be a number, got '1'"),
        (lab(cut={"docid": {"column": -2}}), "docid: 'column' should be -1 or more"),
        (lab(base="https://x/"), "unknown key 'base'"),
        (lab(files=[{"url": "https://x/y", "git_blob": "12"}]), "'12' is not a git_blob"),
        (lab(files=[{"path": "a", "as": "../b"}]), "'as' of a file is '../b', expected a plain name"),
        (lab(files=[{"path": "a", "as": ".b"}]), "'as' of a file is '.b', expected a plain name"),
        (lab(pairs={"any_of": {"de": "a"}}), "'any_of' should be an object of two languages or more"),
        (lab(pairs={"any_of": {"de": "a", "en": "b"}}), "'any_of' is for plain-text"),
        (lab(format="plain-text", pairs={"any_of": {"de": "a", "en-x": "b"}}), "'en-x' is not a language"),
        (lab(format="plain-text", pairs={"any_of": {"de": "a", "en": 3}}), "member of en should be a text, got 3"),
        (lab(format="plain-text", pairs={"any_of": {"de": "a", "en": "b"}, "fr-de": ["c"]}), "may have docid, genre"),
        (lab(pairs={"en-de": {"members": ["a"], "drop": 1}}), "'drop' should be a text, got 1"),
        (lab(pairs={"en-de": {"members": ["a"], "keys": ["src"]}}), "'keys' should be an object of texts, got ['src']"),
        (lab(pairs={"en-de": {"members": ["a"], "keys": {"src": 1}}}), "should be texts, got 1"),
        (lab(pairs={"en-de": {"members": ["a"], "skip_if": 1}}), "'skip_if' should be an object, got 1"),
        (lab(pairs={"en-de": {"members": ["a"], "src:norm": 1}}), "should be texts, got 1"),
    ],
)  # fmt: skip
def test_what_cannot_be_understood_is_refused_with_its_place(document: Any, message: str) -> None:
    with pytest.raises(RegistryError, match=f"lab.json.*{re.escape(message)}"):
        parse(document, Path("."), "lab.json")


def test_a_missing_place_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRUEBLEU_REGISTRY", f"{os.sep}nowhere")
    with pytest.raises(RegistryError, match="there is no file or folder"):
        names()


def test_an_unknown_name_is_refused_with_a_suggestion() -> None:
    with pytest.raises(UnknownTestSet, match=r"no test set 'wmt2022'.*did you mean wmt22"):
        definition("wmt2022")
    with pytest.raises(UnknownTestSet, match="the test set 'wmt23' has no language pair 'de-fr', only cs-uk, de-en"):
        truebleu.testset("wmt23", "de-fr")


def test_a_problem_is_reported_once(own_cache: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("WARNING")
    write(own_cache / "registry", lab(name="wmt22"))
    assert names() == names()
    assert 1 == caplog.text.count("is taken")


def test_a_member_of_a_tsv_file_needs_a_column(own_cache: Path) -> None:
    add_set(own_cache / "registry", "lab/t", "tsv", {"a": b"x\ty\n"}, {"en-de": ["a", "1:a"]})
    with pytest.raises(RegistryError, match="'a' should be a column and a path, such as 2:a"):
        truebleu.testset("lab/t", "en-de")


BAD = [
    lab(files=-1), lab(files=[{"path": True}]), lab(refs=["A", {}]), lab(refs=True), lab(annotations="wmt88"),
    lab(pairs={"en-de": {"members": ["a"], "systems": "x"}}), lab(files=[{"path": "\0"}]), lab(format={}),
]  # fmt: skip


@pytest.mark.parametrize(
    "content", [*map(json.dumps, BAD), "[" * 100_000, '{"a":' * 100_000, "9" * 5_000, "\udcff", ""]
)
def test_whatever_is_wrong_with_a_file_it_hides_only_itself_and_verify_names_it(content: str, own_cache: Path) -> None:
    write(own_cache / "registry", lab(name="lab/good"))
    bad = own_cache / "registry" / "zz.json"
    bad.write_bytes(content.encode("utf-8", "surrogateescape"))
    assert "lab/good" in names() and 240 == len(truebleu.testset("demo", "en-de"))
    assert bad in user_sets.damaged_descriptions()
    assert [bad] == [finding.path for finding in cache.verify() if finding.problem and finding.path == bad]


def test_documents_changed_at_random_are_understood_or_refused() -> None:
    """Seven places could be reached where a TypeError, a KeyError or the like came out."""
    values: list[Any] = [None, True, -1, 1.5, "", "x", "\0", [], ["x"], [1], {}, {"x": 1}, {"en-de": ["x"]}]
    chance = random.Random(1)
    for _ in range(1_500):
        document = lab(refs=["A"], lines=2, pairs={"en-de": {"members": ["a"], "systems": {"x": "a"}, "docid": "a"}})
        places = list(_places(document))
        for _ in range(chance.randint(1, 2)):
            parent, key = chance.choice(places)
            parent[key] = chance.choice(values)
        with suppress(RegistryError):
            for one in parse(document, Path("."), "lab.json"):
                user_sets.problems_of(one)


def _places(document: Any) -> Iterator[tuple[Any, Any]]:
    for key, value in document.items() if isinstance(document, dict) else enumerate(document):
        yield document, key
        if isinstance(value, dict | list):
            yield from _places(value)


def test_a_pipe_in_the_place_of_a_registry_file_is_not_waited_for(own_cache: Path) -> None:
    (own_cache / "registry").mkdir(parents=True)
    for name in ("x.json", "lab_a.json"):
        os.mkfifo(own_cache / "registry" / name)
    assert "demo" in names()
    with pytest.raises(RegistryError, match="it is a folder, a pipe or a device, expected a file"):
        registry.read(own_cache / "registry" / "x.json")
    write(own_cache / "registry" / "more", lab(files=[{"path": "x.json"}]))
    os.rename(own_cache / "registry" / "more" / "lab.json", own_cache / "registry" / "hand.json")
    (own,) = user_sets.own_sets().values()
    assert "cannot be read" in user_sets.problems_of(own)[own_cache / "registry" / "x.json"]
