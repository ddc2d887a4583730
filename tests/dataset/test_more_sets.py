"""The sets that sacreBLEU does not have: real bytes where they are, invented ones of the same shape everywhere."""

import gzip
import hashlib
import json
import time
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import truebleu
from loopback import forbid_sockets, isolate, serving
from real_texts import BESIDE, data_folder
from truebleu.cli.main import main
from truebleu.dataset import cache, registry
from truebleu.dataset import listing as testsets
from truebleu.dataset.languages import two_letters
from truebleu.errors import BundleError, DownloadError, OptionError, UnknownTestSet
from truebleu.tokenizers.registry import default_for

pytestmark = pytest.mark.usefixtures("own_cache")

MIRROR = (data_folder() or BESIDE) / "mirror-more"
TICO = ("ar", "fr", "fuv", "km", "my", "sw", "zh")
REAL = [
    *(("tico19/test", f"en-{code}", 2100) for code in TICO),
    *(("tatoeba/v2021-08-07", *facts) for facts in (("eng-isl", 2503), ("eng-jpn", 13862), ("eng-ukr", 13127))),
    ("diabla", "en-fr", 2865),
    ("diabla", "fr-en", 2883),
    *((f"mt-geneval/{one}", pair, 300) for one in ("feminine", "masculine") for pair in ("en-de", "en-hi")),
]


@pytest.fixture
def real(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    if not MIRROR.is_dir():
        pytest.skip("the folder of real texts has no mirror of further test sets")
    root = MIRROR / "urls"
    served = {f"/{path.relative_to(root)}".removesuffix(".gz"): path for path in root.rglob("*.gz")}
    isolate(tmp_path, monkeypatch)
    monkeypatch.delenv("TRUEBLEU_OFFLINE", raising=False)
    with serving(Unpacked(served)) as server:
        monkeypatch.setenv("TRUEBLEU_MIRROR", server.url)
        yield server


class Unpacked(dict[str, bytes]):
    """Files by address, unpacked when one is asked for."""

    def __init__(self, files: dict[str, Path]) -> None:
        super().__init__({address: gzip.decompress(path.read_bytes()) for address, path in files.items()})


@pytest.mark.parametrize("name, pair, lines", REAL)
def test_real_bytes_load_to_the_expected_number_of_segments(real: Any, name: str, pair: str, lines: int) -> None:
    opened = truebleu.testset(name, pair)
    assert [lines] * len(opened.fields) == [len(opened.field(field)) for field in opened.fields]
    assert ["ref"] == opened.references_used


def test_every_mirrored_file_belongs_to_a_pair_that_is_tested(real: Any) -> None:
    listed = {one["url"] for one in json.loads((MIRROR / "MANIFEST.json").read_bytes())["files"]}
    used = set()
    for name, pair, _ in REAL:
        one = registry.definition(name)
        members = (*one.pair(pair).members, *one.pair(pair).metadata.values(), one.pair(pair).drop)
        used |= {file.url for file in one.files if file.basename in members}
    assert listed == used


def test_files_of_the_same_name_do_not_share_a_place(real: Any) -> None:
    """The English side of TICO-19 has one name in all folders, and differs by a few bytes between some."""
    arabic, khmer = truebleu.testset("tico19/test", "en-ar"), truebleu.testset("tico19/test", "en-km")
    assert arabic.source != khmer.source and len(arabic) == len(khmer) == 2100
    assert "CMU_1" == arabic.documents[0] and ":" not in "".join(arabic.documents)


def test_dialogues_keep_the_turns_that_are_scored(real: Any) -> None:
    """In the table the header and the first record share a line."""
    one, other = truebleu.testset("diabla", "en-fr"), truebleu.testset("diabla", "fr-en")
    assert "2018-05-02T20-31-33.167163_french_english_1_17.json" == one.documents[0]
    assert 144 == len(set(one.documents) | set(other.documents))


# --- invented bytes -----------------------------------------------------------------------------


def lines(count: int, form: str) -> bytes:
    return "".join(f"{form.format(number)}\n" for number in range(count)).encode()


def records(count: int, record: Callable[[int], Any]) -> bytes:
    return "".join(json.dumps(record(number)) + "\n" for number in range(count)).encode()


def by_year(sizes: dict[str, int]) -> dict[str, bytes]:
    """Files of the terminology task: documents of two paragraphs."""
    text = {"en": "# A\n\nb \\n c {}", "zh": "# X\n\ny {}"}
    return {
        f"full_data_{year}.jsonl": records(
            size, lambda number: {key: form.format(number) for key, form in text.items()}
        )
        for year, size in sizes.items()
    }


def turns(number: int) -> str:
    return "_IGNORE_FOR_EVAL_" if number % 3 else ""


METADATA = b"URL\tdomain\ttopic\thas_image\thas_hyperlink\n" + lines(
    1012, "https://example.org/{0}\twikinews\tx\tyes\tno"
)
INVENTED: dict[str, tuple[str, int, dict[str, bytes]]] = {
    "flores200/devtest": (
        "en-de",
        1012,
        {
            "eng.devtest": lines(1012, "e {}"),
            "deu.devtest": lines(1012, "d {}"),
            "cmn_Hans.devtest": lines(1012, "\u8fd9\u662f\u7b2c{}\u53e5"),
            "metadata_devtest.tsv": METADATA,
        },
    ),
    "tico19/test": (
        "en-am",
        2100,
        {
            "en-am.en": lines(2100, "e {}"),
            "en-am.am": lines(2100, "a {}"),
            "en-am.info": lines(2100, "DOC_1:{}\thttp\tpublic\tx"),
            "en-ar.en": lines(2100, "other {}"),
            "en-ar.ar": lines(2100, "r {}"),
            "en-ar.info": lines(2100, "DOC_2:{}\thttp\tpublic\tx"),
        },
    ),
    "tatoeba/v2021-08-07": ("en-eo", 3, {"eng-epo.eng": lines(3, "e {}"), "eng-epo.epo": lines(3, "p {}")}),
    "wmt21/heritage-wp": ("ca-it", 5, {"ca-it.ca": lines(5, "c {}"), "ca-it.it": lines(5, "i {}")}),
    "rocs-mt/v1": (
        "en-cs",
        1922,
        {
            "RoCS-MT.src.raw-manseg.en": lines(1922, "r {}"),
            "RoCS-MT.src.norm-manseg.en": lines(1922, "n {}"),
            "RoCS-MT.src.raw-manseg+docid.en.tsv": lines(1922, "doc1\tr {}"),
            "RoCS-MT.ref.cs": lines(1922, "c {}"),
        },
    ),
    "diabla": (
        "en-fr",
        2,
        {
            "diabla.en2fr.orig": lines(4, "o {}"),
            "diabla.en2fr.eval-filter": "".join(f"{turns(number)}\n" for number in range(4)).encode(),
            "diabla.en2fr.ref": lines(2, "r {}"),
            "diabla.info": lines(4, "english\t1\tx\ty\tz\tdialogue {}"),
        },
    ),
    "mafand/test": ("en-hau", 4, {"en-hau.en": lines(4, "e {}"), "en-hau.hau": lines(4, "h {}")}),
    "americasnlp21/test": ("es-nah", 1003, {"test.es": lines(1003, "e {}"), "test.nah": lines(1003, "n {}")}),
    "mt-geneval/feminine": (
        "en-ar",
        300,
        {
            f"geneval-sentences-feminine-test.en_ar.{code}": lines(300, "x {}") for code in ("en", "ar")
        },
    ),
    "wmt25/terminology/track1": (
        "en-es",
        500,
        {"full_data.enes.jsonl": records(500, lambda number: {"en": f"e {number}", "es": f"s {number}", "proper": {}})},
    ),
    "wmt25/terminology/track2": (
        "en-zh",
        55,
        by_year({"2015": 9, "2017": 10, "2019": 11, "2021": 12, "2023": 13}),
    ),
    "wmt24pp": (
        "en-de",
        4,
        {
            "en-de_DE.jsonl": records(
                5,
                lambda number: {
                    "lp": "en-de_DE", "domain": "news" if number else "canary", "document_id": f"d{number // 3}",
                    "segment_id": number, "is_bad_source": not number, "source": f"s {number}", "target": f"t {number}",
                },
            )
        },
    ),
    "wmt25/general": (
        "en-cs",
        3,
        {
            "wmt25-genmt.jsonl": records(
                8,
                lambda number: {
                    "doc_id": f"en-cs_CZ_#_{number}", "src_lang": "en", "tgt_lang": "cs_CZ" if number % 2 else "de_DE",
                    "domain": "news", "src_text": f"one\n\ntwo {number}",
                    "refs": {"refA": {"ref": f"jedna\n\ndve {number}"}} if number < 6 else {},
                },
            )
        },
    ),
    "wmt26/general": (
        "en-de",
        3,
        {
            "wmt26-genmt.jsonl": records(
                6,
                lambda number: {
                    "doc_id": f"WMT26_###_{number}", "src_lang": "eng_Latn", "tgt_lang": "deu_Latn", "domain": "speech",
                    "src_text": f"one\n\ntwo {number}", "gold_transcript": None if number else "One\n\ntwo.",
                    "refs": [{}, {"refA": f"eins\n\nzwei {number}"}][number % 2],
                },
            )
        },
    ),
}  # fmt: skip


@pytest.fixture
def invented(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A registry whose checksums are those of invented files, and a server that has these files."""
    document, served, table = json.loads(registry.BUILT_IN.read_bytes()), {}, []
    for one in document["sets"]:
        contents = INVENTED[one["name"]][2] if one["name"] in INVENTED else {}
        rows = [row.split("\t") for row in registry._table(registry.FILE_TABLE).get(one["name"], ())]
        for row in rows:
            content = contents.get(row[-1] if len(row) > 2 else row[0].rsplit("/", 1)[-1])
            if content is not None:
                served[f"/{(one['base'] + row[0]).removeprefix('https://')}"] = content
                row[1:2] = [hashlib.sha256(content).hexdigest()] if row[1:] else []
        table.append("\n".join([f"[{one['name']}]", *("\t".join(row) for row in rows)]))
        for file in one.get("files", ()) if contents else ():
            (content,) = contents.values()
            file["git_blob"] = hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()
            served[f"/{file['url'].removeprefix('https://')}"] = content
    (tmp_path / "registry.json").write_text(json.dumps(document))
    (tmp_path / "files.tsv").write_text("\n\n".join(table))
    monkeypatch.setattr(registry, "BUILT_IN", tmp_path / "registry.json")
    monkeypatch.setattr(registry, "FILE_TABLE", tmp_path / "files.tsv")
    isolate(tmp_path, monkeypatch)
    with serving(served) as server:
        monkeypatch.setenv("TRUEBLEU_MIRROR", server.url)
        yield server


def test_every_set_of_ours_has_invented_files_of_its_shape() -> None:
    ours = [one.name for one in registry.definitions() if one.extra][5:]
    assert set(ours) == {*INVENTED, "mt-geneval/masculine"}


@pytest.mark.parametrize("name", INVENTED)
def test_files_of_the_shape_of_a_set_are_read(invented: Any, name: str) -> None:
    pair, count, _ = INVENTED[name]
    opened = truebleu.testset(name, pair)
    assert [count] * len(opened.fields) == [len(opened.field(field)) for field in opened.fields]
    assert opened.source != opened.references[0] or name.startswith("mt-geneval")
    # From the cache, and without the network, it is the same.
    assert list(map(opened.field, opened.fields)) == list(map(truebleu.testset(name, pair).field, opened.fields))


def test_a_set_keeps_its_own_codes_in_the_signature(invented: Any) -> None:
    opened = truebleu.testset("flores200/devtest", "en-de")
    assert {"test": "flores200/devtest", "lang": "eng_Latn-deu_Latn"} == opened.signature_fields
    assert ("en", "de") == (opened.source_language, opened.target_language)
    assert "https://example.org/0" == opened.documents[0] and {"wikinews"} == set(opened.domains)


def test_the_command_scores_with_the_codes_and_the_tokenizer_of_the_set(
    invented: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "out.zh").write_bytes(lines(1012, "\u8fd9\u662f\u7b2c{}\u53e5"))
    for pair in ("eng_Latn-zho_Hans", "en-zho_Hans"):
        assert 0 == main(["-t", "flores200/devtest", "-l", pair, "-i", str(tmp_path / "out.zh"), "-f", "text"])
        said = capsys.readouterr().out
        assert "|tok:zh|" in said and "test:flores200/devtest|" in said and "lang:eng_Latn-zho_Hans|" in said
        assert " = 100.0 " in said


def test_files_of_one_name_in_two_folders_have_two_places(invented: Any) -> None:
    first, second = truebleu.testset("tico19/test", "en-am"), truebleu.testset("tico19/test", "en-ar")
    assert ("e 0", "DOC_1") == (first.source[0], first.documents[0])
    assert ("other 0", "DOC_2") == (second.source[0], second.documents[0])


def test_a_second_source_is_a_field(invented: Any) -> None:
    opened = truebleu.testset("rocs-mt/v1", "en-cs")
    assert ["src", "ref", "src:norm", "docid"] == opened.fields
    assert ("r 0", "n 0", "doc1") == (opened.source[0], opened.field("src:norm")[0], opened.documents[0])


def test_turns_that_are_not_scored_are_dropped(invented: Any) -> None:
    opened = truebleu.testset("diabla", "en-fr")
    assert ["o 0", "o 3"] == opened.source and ["dialogue 0", "dialogue 3"] == opened.documents


def test_documents_keep_their_line_breaks_and_have_paragraphs(invented: Any) -> None:
    opened = truebleu.testset("wmt25/terminology/track2", "en-zh")
    assert "document" == opened.unit and "segment" == truebleu.testset("demo", "en-de").unit
    assert "# A\n\nb \\n c 0" == opened.source[0] == truebleu.testset("wmt25/terminology/track2", "en-zh").source[0]
    assert ["# X", "y 0"] == opened.paragraphs("ref")[0]
    assert "full_data_2015.jsonl:1" == opened.documents[0] and 55 == len(set(opened.documents))
    demo = truebleu.testset("demo", "en-de")
    assert [[text] for text in demo.source] == demo.paragraphs("src")
    assert "# A\\n\\nb \\\\n c 0" == next(iter(testsets.echo("wmt25/terminology/track2", "en-zh", ["src"])))


def test_documents_of_other_pairs_and_without_a_reference_are_left_out(invented: Any) -> None:
    opened = truebleu.testset("wmt25/general", "en-cs_CZ")
    assert ["en-cs_CZ_#_1", "en-cs_CZ_#_3", "en-cs_CZ_#_5"] == opened.documents
    assert ["ref:A"] == opened.references_used and ["jedna", "dve 1"] == opened.paragraphs("ref:A")[0]
    assert ["ref:A"] == truebleu.testset("wmt26/general", "en-de").references_used
    with pytest.raises(truebleu.errors.InvalidTestSet, match=r"no record of wmt25-genmt\.jsonl is of this pair"):
        truebleu.testset("wmt25/general", "en-ja_JP")


def test_unseen_sets_are_seen_once_they_are_here(invented: Any) -> None:
    assert ["wmt24pp", "wmt25/general", "wmt26/general"] == cache.unseen_sets()
    truebleu.testset("wmt25/general", "en-cs_CZ")
    truebleu.testset("wmt24pp", "en-de_DE")
    assert ["wmt26/general"] == cache.unseen_sets()


# --- FLORES -------------------------------------------------------------------------------------


@pytest.mark.guard
def test_pairs_by_rule_are_no_object_of_forty_thousand(monkeypatch: pytest.MonkeyPatch) -> None:
    forbid_sockets(monkeypatch)
    testsets.list_pairs("demo")  # What the first use of any set costs is not meant.
    truebleu.testsets()

    def work(name: str) -> None:
        list(testsets.list_fields(name))
        list(testsets.list_sets("en-de"))
        assert truebleu.testsets()[name]
        assert truebleu.DATASETS[name].langpairs

    tracemalloc.start()
    work("flores200/devtest")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2_000_000  # A list of 41,412 names takes 3,000,000 bytes.
    # In comparison with a set of 126 pairs, because machines differ.
    assert seconds(lambda: work("flores200/devtest")) < 4 * seconds(lambda: work("ntrex128"))


def seconds(work: Callable[[], object]) -> float:
    def once() -> float:
        before = time.process_time()
        work()
        return time.process_time() - before

    return min(once() for _ in range(3))


def test_pairs_by_rule_are_all_there() -> None:
    names: Sequence[str] = truebleu.testsets()["flores200/devtest"]
    assert 41_412 == len(names) == len(truebleu.DATASETS["flores200/devtest"].langpairs)
    assert ("ace_Arab-ace_Latn", "zul_Latn-zsm_Latn") == (names[0], names[-1])
    assert ["ace_Arab-ace_Latn", "ace_Arab-acm_Arab"] == names[:2]
    assert len(names) == len(set(names)) and all(name in names for name in names)
    assert "deu_Latn-deu_Latn" not in names and "de" not in names and 5 not in names


def test_short_codes_that_are_ambiguous_or_unknown_are_refused() -> None:
    flores = registry.definition("flores200/devtest")
    assert "eng_Latn-deu_Latn" == flores.pair("en-de").name == flores.pair("eng-deu").name
    with pytest.raises(UnknownTestSet, match="'en-zh' may mean eng_Latn-zho_Hans or eng_Latn-zho_Hant; name one"):
        flores.pair("en-zh")
    with pytest.raises(UnknownTestSet, match=r"204 languages such as ace_Arab; it does not have 'deu_Latin' \(did you"):
        flores.pair("eng_Latn-deu_Latin")
    with pytest.raises(UnknownTestSet, match="no language pair 'en-en'"):
        flores.pair("en-en")
    assert {"flores200/devtest": ["eng_Latn-ace_Arab", "ace_Arab-eng_Latn"]} == truebleu.testsets("eng_Latn-ace_Arab")


def test_the_tokenizer_of_a_language_is_found_by_any_code() -> None:
    for code, expected in (("zho_Hans", "zh"), ("cmn_Hant", "zh"), ("jpn_Jpan", "ja-mecab"), ("ko_KR", "ko-mecab")):
        assert expected == default_for(two_letters(code))


def test_all_pairs_of_a_rule_are_not_made_at_once() -> None:
    with pytest.raises(OptionError, match="the set has 41412: name one"):
        truebleu.download_test_set("flores200/devtest")


def test_what_its_makers_do_not_want_copied_is_not_packed(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("WARNING")
    with pytest.raises(BundleError, match=r"flores200/devtest is not packed: The makers .* not hosted again"):
        cache.pack_sets(["flores200/devtest"], tmp_path / "x.tar")
    assert not (tmp_path / "x.tar").exists()
    with pytest.raises(BundleError, match="demo is not packed: it comes with truebleu"):
        cache.pack_sets(["flores200/devtest", "demo"], tmp_path / "x.tar")
    assert "flores200/devtest is left out of the bundle: The makers" in caplog.text


def test_what_may_not_be_packed_is_not_offered_as_a_bundle() -> None:
    with pytest.raises(DownloadError, match="To provide it by hand") as caught:
        truebleu.testset("flores200/devtest", "en-de")
    assert "data pack" not in str(caught.value)
    with pytest.raises(DownloadError, match="data pack"):
        truebleu.testset("tico19/test", "en-fr")


def test_the_request_of_the_makers_comes_with_the_citation() -> None:
    said = list(testsets.cite("flores200/devtest"))
    assert said[0].startswith("% The makers of FLORES-200 ask that its text is not hosted again")
    assert 3 == sum(line.startswith("@") for line in said)


def test_offline_an_unseen_set_says_what_is_known_of_it() -> None:
    with pytest.raises(DownloadError, match="git_blob f9b0c8a0033374a8cda8215edaa3e7b899c96505"):
        truebleu.testset("wmt25/general", "en-cs")


def test_systems_are_aligned_with_the_paragraphs_of_documents(
    invented: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    opened = truebleu.testset("wmt25/general", "en-cs_CZ")
    texts = {name: text.replace("\n\n", " ") for name, text in zip(opened.documents, opened.references[0], strict=True)}
    rows = [{"doc_id": name, "hypothesis": text} for name, text in texts.items()]
    (tmp_path / "sys.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    words = ["-t", "wmt25/general", "-l", "en-cs_CZ", "-m", "chrf", "-f", "json"]
    assert 0 == main([*words, "-i", str(tmp_path / "sys.jsonl")])
    out, err = capsys.readouterr()
    found = json.loads(out)
    assert 100.0 == found["score"] and "reseg:cue1" in found["signature"]
    assert "has documents: systems are aligned with their paragraphs" in err
    assert sum(map(len, opened.paragraphs("ref:A"))) == found["segmentation"]["segments"]
    made = str(tmp_path / "sys.receipt.json")
    for level, units in (("segment", 6), ("paragraph", 6), ("document", 3), ("all", 1)):
        assert 0 == main([*words, "-i", str(tmp_path / "sys.jsonl"), "--level", level, "--receipt", made, "--force"])
        assert units == truebleu.Receipt.load(made).about["segments"]
        capsys.readouterr()
        assert 0 == main(["receipt", "verify", made, "-i", str(tmp_path / "sys.jsonl")])
        assert "4 text)" in capsys.readouterr().out
    (tmp_path / "less.jsonl").write_text(json.dumps(rows[0]) + "\n")
    assert 1 == main([*words, "-i", str(tmp_path / "less.jsonl")])
    assert opened.documents[1] in capsys.readouterr().err
    assert 0 == main([*words, "-i", str(tmp_path / "sys.jsonl"), "--level", "document"])
    assert "level:doc" in json.loads(capsys.readouterr().out)["signature"]
    assert 2 == main([*words, "-i", str(tmp_path / "sys.jsonl"), "--only", "1"])
    assert "--only is about segments" in capsys.readouterr().err
