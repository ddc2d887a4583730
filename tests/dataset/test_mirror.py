"""Real test sets: every processed byte, filter and score as sacreBLEU 2.6.0 gives them."""

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

import truebleu
from dataset.caches import use
from loopback import isolate, serving
from real_texts import BESIDE, data_folder
from truebleu.dataset import listing as testsets
from truebleu.dataset import registry

pytestmark = pytest.mark.usefixtures("own_cache")

EXPECTED = (data_folder() or BESIDE) / "mirror" / "expected.json"
GOLDEN: dict[str, Any] = json.loads(EXPECTED.read_bytes()) if EXPECTED.is_file() else {}
SETS = [(name, pair) for name, pairs in GOLDEN.get("sets", {}).items() for pair in pairs] or [("none", "none")]

# Half of the documents have a domain; sacreBLEU looks at the last one only and drops the field (COMPATIBILITY 41).
WITH_DOMAIN = ("wmt22", "ru-en")


def digest(lines: list[str]) -> str:
    return hashlib.md5("".join(f"{line}\n" for line in lines).encode()).hexdigest()


@pytest.mark.parametrize("name, pair", SETS)
def test_every_field_has_sacrebleus_bytes(mirror: Path, name: str, pair: str) -> None:
    expected = GOLDEN["sets"][name][pair]
    opened = truebleu.testset(name, pair)
    extra = ["domain"] if (name, pair) == WITH_DOMAIN else []
    assert [*expected["fields"], *extra] == opened.fields
    assert expected["fields"] == {field: digest(opened.field(field)) for field in expected["fields"]}
    assert expected["lines"] == len(opened)
    assert expected["default_refs"] == opened.references_used


@pytest.mark.parametrize("name, pair", [("wmt22", "ru-en"), ("iwslt17", "en-fr"), ("wmt19/google/ar", "en-de")])
def test_files_hold_the_same_bytes(mirror: Path, name: str, pair: str) -> None:
    expected = GOLDEN["sets"][name][pair]["fields"]
    paths = truebleu.utils.get_files(name, pair)
    digests = [hashlib.md5(Path(path).read_bytes()).hexdigest() for path in paths]
    assert list(expected.values()) == digests[: len(expected)]
    stem = f"{name.replace('/', '_')}.{pair}."
    assert [f"{stem}{field.replace(':', '-')}" for field in expected] == [Path(path).name for path in paths][
        : len(expected)
    ]


@pytest.mark.parametrize("check", GOLDEN.get("filter_checks", [None]), ids=str)
def test_filters_keep_sacrebleus_lines(mirror: Path, check: dict[str, Any]) -> None:
    lines = list(testsets.echo(check["testset"], check["pair"], [check["echo"]], check["origlang"], check["subset"]))
    if "defect" in check.get("note", ""):
        assert 1004 == len(lines)  # The note says how many segments sacreBLEU misses.
        return
    assert (check["lines"], check["md5"]) == (len(lines), digest(lines))


@pytest.mark.parametrize("check", GOLDEN.get("score_checks", [None]), ids=str)
def test_scores_are_sacrebleus(mirror: Path, check: dict[str, Any]) -> None:
    field, _, names = check["hyp"].partition(" of ")
    hypotheses = [
        line
        for name in names.replace(f" then {field} of ", ",").split(",")
        for line in truebleu.testset(name, check["pair"]).field(field)
    ]
    against = truebleu.testset(check["against"], check["pair"])
    chosen = against.select(origlang=check.get("origlang"))
    score = truebleu.corpus_bleu(chosen.cut(hypotheses), chosen.references).score
    assert check["expected"] == round(score, check["width"])
    if "detail" in check:
        assert check["detail"] == details(against, hypotheses)


def details(against: truebleu.dataset.TestSet, hypotheses: list[str]) -> dict[str, list[float]]:
    found = {}
    for group in against.groups():
        kept = [number for number, flag in enumerate(group.flags) if flag]
        streams = [[stream[number] for number in kept] for stream in against.references]
        score = truebleu.corpus_bleu([hypotheses[number] for number in kept], streams).score
        found[f"origlang={group.origlang} {group.kind}={group.value}"] = [len(kept), round(score, 1)]
    return found


@pytest.mark.parametrize("name, pair", [("wmt22", "liv-en"), ("wmt22", "ru-sah"), ("wmt23", "he-en")])
def test_filters_work_on_pairs_with_references_of_their_own(mirror: Path, name: str, pair: str) -> None:
    """sacreBLEU raises KeyError (COMPATIBILITY 43)."""
    whole = truebleu.testset(name, pair)
    origins = sorted(set(whole.origlangs))
    assert origins == truebleu.utils.get_available_origlangs(name, pair)
    sizes = {origin: len(whole.select(origlang=origin)) for origin in origins}
    assert {origin: whole.origlangs.count(origin) for origin in origins} == sizes
    for origin, size in sizes.items():
        assert len(whole) == size + len(whole.select(origlang=f"non-{origin}"))


@pytest.fixture
def few(mirrored: tuple[Path, dict[str, Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache that has one archive of multi30k and two of iwslt17, and nothing else."""
    source, document = mirrored
    cache = tmp_path / "few"
    for place in (
        "multi30k/2016/raw/multi30k_2016.multi30k_test_sets_d3ec2a38.tar.gz",
        "iwslt17/raw/iwslt17.en-fr.tgz",
        "iwslt17/raw/iwslt17.fr-en.tgz",
    ):
        (cache / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source / place, cache / place)
    use(cache, document, monkeypatch)
    return cache


def test_one_archive_serves_all_sets_that_use_it(few: Path) -> None:
    assert 1000 == len(truebleu.testset("multi30k/2017", "en-de"))


def test_only_what_a_pair_needs_is_looked_for(few: Path) -> None:
    assert 1455 == len(truebleu.testset("iwslt17", "en-fr"))
    with pytest.raises(truebleu.errors.DownloadError, match="TRUEBLEU_OFFLINE"):
        truebleu.testset("iwslt17", "en-de")


def test_an_existing_cache_of_sacrebleus_is_read_and_not_written(
    few: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = sorted(few.rglob("*"))
    monkeypatch.setenv("SACREBLEU", str(few))
    monkeypatch.setenv("TRUEBLEU_CACHE", str(tmp_path / "ours"))
    assert 1455 == len(truebleu.testset("iwslt17", "fr-en"))
    assert before == sorted(few.rglob("*"))


@pytest.mark.parametrize(("name", "pair"), [("multi30k/2016", "en-de"), ("mtedx/test", "es-en"), ("iwslt17", "en-fr")])
def test_from_a_server_to_a_score(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, pair: str
) -> None:
    """The whole way with real bytes and true checksums: fetched, verified, unpacked, processed, scored."""
    urls = data / "mirror" / "urls"
    if not urls.is_dir():
        pytest.skip("the folder of real texts has no mirror of test sets")
    wanted = [file.url.removeprefix("https://") for file in registry.remote_files(name)]
    served = {f"/{path}": (urls / path).read_bytes() for path in wanted if (urls / path).is_file()}
    isolate(tmp_path, monkeypatch)
    with serving(served) as server:
        monkeypatch.setenv("TRUEBLEU_MIRROR", server.url)
        opened = truebleu.testset(name, pair)
        expected = GOLDEN["sets"][name][pair]["fields"]
        assert expected == {field: digest(opened.field(field)) for field in expected}
    # The server has gone; what was fetched is used.
    monkeypatch.setenv("TRUEBLEU_OFFLINE", "1")
    again = truebleu.testset(name, pair)
    assert 100 == pytest.approx(truebleu.corpus_bleu(again.references[0], again.references).score)
