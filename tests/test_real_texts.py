"""Anybody can repeat the figures: the real texts are found in a folder, or in truebleu's own store."""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import real_texts
from conftest import REPOSITORY
from dataset.caches import REGISTRY, members_by_path, put, tar, use

MADE_UP = """<?xml version='1.0' encoding='utf-8'?>
<dataset id="wmttest2022"><doc origlang="{source}" id="one">
  <src lang="{source}"><p><seg id="1">{pair} asks</seg><seg id="2">and asks &amp; asks</seg></p></src>
  {references}
  <hyp system="Online-B" language="{target}"><p><seg id="1">B says</seg><seg id="2">B says more</seg></p></hyp>
  <hyp system="Lan-Bridge" language="{target}"><p><seg id="1">L says</seg><seg id="2">一</seg></p></hyp>
</doc></dataset>"""
REFERENCE = '<ref lang="{}"{}><p><seg id="1">{} is</seg><seg id="2">more is</seg></p></ref>'


@pytest.fixture
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """No folder of texts, and an empty store: each test adds what it is about."""
    monkeypatch.delenv("TRUEBLEU_TEST_DATA", raising=False)
    monkeypatch.setattr(real_texts, "BESIDE", tmp_path / "beside")
    monkeypatch.setattr(real_texts, "WRITTEN", tmp_path / "written")
    store = tmp_path / "store"
    store.mkdir()
    use(store, registry(), monkeypatch)
    real_texts.from_store.cache_clear()
    yield tmp_path
    real_texts.from_store.cache_clear()


def registry() -> dict[str, Any]:
    document: dict[str, Any] = json.loads(REGISTRY.read_bytes())
    return document


def fill(folder: Path, members: dict[str, bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    """Put an archive with these members into the store, as the archive of WMT22."""
    document = registry()
    one = next(one for one in document["sets"] if one["name"] == "wmt22")
    put(folder / "store", "wmt22", one["files"][0], tar(members))
    use(folder / "store", document, monkeypatch)


def made_up(pair: str) -> bytes:
    source, target = pair.split("-")
    names = {"liv-en": [""], "cs-en": ["B", "C"]}.get(pair, ["A"])
    references = "".join(REFERENCE.format(target, f' translator="{name}"' if name else "", name) for name in names)
    return MADE_UP.format(pair=pair, source=source, target=target, references=references).encode()


def path_of(pair: str) -> str:
    return f"wmt22-news-systems-1.1/xml/wmttest2022.{pair}.all.xml"


def lines(path: Path) -> list[str]:
    return gzip.decompress(path.read_bytes()).decode().split("\n")[:-1]


def test_without_any_texts_there_is_none_and_a_program_says_how_to_get_them(nowhere: Path) -> None:
    assert real_texts.data_folder() is None
    assert real_texts.wmt22_folder() is None
    assert not (nowhere / "written").exists()
    with pytest.raises(SystemExit, match="no WMT22 at hand: run `truebleu -t wmt22 "):
        real_texts.needed_wmt22()


def test_a_made_up_store_gives_the_files_of_a_folder(nowhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(nowhere, {path_of(pair): made_up(pair) for pair in real_texts.PAIRS}, monkeypatch)
    folder = real_texts.wmt22_folder()
    assert nowhere / "written" / "wmt22" == folder
    assert folder == real_texts.needed_wmt22()
    found = {str(path.relative_to(folder)): lines(path) for path in folder.rglob("*.gz")}
    assert ["cs-en asks", "and asks & asks"] == found["sources/generaltest2022.cs-en.src.cs.gz"]
    assert ["B is", "more is"] == found["references/generaltest2022.cs-en.ref.B.en.gz"]
    assert ["C is", "more is"] == found["references/generaltest2022.cs-en.ref.C.en.gz"]
    assert "references/generaltest2022.liv-en.ref.A.en.gz" in found  # which has no name in the set
    assert ["L says", "一"] == found["system-outputs/generaltest2022.en-zh.hyp.Lan-Bridge.zh.gz"]
    pairs = len(real_texts.PAIRS)
    assert pairs + pairs + 1 + 2 * pairs == len(found)
    assert [folder] == list((nowhere / "written").iterdir()), "nothing is left of the writing"


def test_what_was_written_once_serves_without_the_store(nowhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(nowhere, {path_of(pair): made_up(pair) for pair in real_texts.PAIRS}, monkeypatch)
    folder = real_texts.wmt22_folder()
    real_texts.from_store.cache_clear()
    monkeypatch.setenv("TRUEBLEU_CACHE", str(nowhere / "empty"))
    assert folder is not None
    assert folder == real_texts.wmt22_folder()


def test_a_folder_beside_the_checkout_goes_before_the_store(nowhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(nowhere, {path_of(pair): made_up(pair) for pair in real_texts.PAIRS}, monkeypatch)
    (nowhere / "beside" / "wmt22").mkdir(parents=True)
    assert nowhere / "beside" / "wmt22" == real_texts.wmt22_folder()
    assert not (nowhere / "written").exists()


def test_the_variable_goes_before_all_and_stands_alone(nowhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (nowhere / "beside" / "wmt22").mkdir(parents=True)
    named = nowhere / "named"
    (named / "wmt22").mkdir(parents=True)
    monkeypatch.setenv("TRUEBLEU_TEST_DATA", str(named))
    assert named == real_texts.data_folder()
    assert named / "wmt22" == real_texts.wmt22_folder()
    (named / "wmt22").rmdir()
    assert real_texts.wmt22_folder() is None


def test_a_variable_that_names_no_folder_is_an_error(nowhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRUEBLEU_TEST_DATA", str(nowhere / "mistyped"))
    with pytest.raises(NotADirectoryError, match=r"TRUEBLEU_TEST_DATA is '.*mistyped', expected the folder"):
        real_texts.wmt22_folder()


def test_the_store_has_the_very_lines_of_the_folder(
    wmt22: Path, data: Path, nowhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = {name: text for name, text in members_by_path(data / "mirror").items() if name == path_of("liv-en")}
    if not real:
        pytest.skip("the folder of real texts has no XML of WMT22")
    fill(nowhere, real, monkeypatch)
    monkeypatch.setattr(real_texts, "PAIRS", ("liv-en",))
    folder = real_texts.needed_wmt22()
    for kind, files in (("references", 1), ("system-outputs", 5)):
        written = {path.name: lines(path) for path in (folder / kind).iterdir()}
        assert files == len(written)
        assert {path.name: lines(path) for path in (wmt22 / kind).glob("*.liv-en.*")} == written
    # Of the sources, the set has one white space where the files have several.
    name = "sources/generaltest2022.liv-en.src.liv.gz"
    assert [" ".join(line.split()) for line in lines(wmt22 / name)] == lines(folder / name)


def test_the_variable_is_read_in_one_place() -> None:
    files = [path for folder in ("tests", "bench", "tools") for path in (REPOSITORY / folder).rglob("*.py")]
    reading = [path.name for path in files if 'environ.get("TRUEBLEU_TEST_DATA"' in path.read_text("utf-8")]
    assert ["real_texts.py", "test_real_texts.py"] == sorted(reading)
