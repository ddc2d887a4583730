"""Test sets on the command line."""

import json
import shutil
import tarfile
from pathlib import Path

import pytest

from cli.conftest import Files, as_sacrebleu
from truebleu import demo
from truebleu.dataset import registry

DEMO = ("-t", "demo", "-l", "en-de")


def test_the_first_command_needs_no_files(files: Files) -> None:
    run = files.ours(*DEMO, "-i", "atlas", "birch", "cedar")
    assert 0 == run.code
    assert "│    atlas │" in run.out and "nrefs:2|test:demo|lang:en-de|case:mixed" in run.out


def test_a_file_goes_before_a_system_of_the_same_name(files: Files, tmp_path: Path) -> None:
    (tmp_path / "atlas").write_text("nothing\n" * 240, "utf-8")
    assert "0.0\n" == Files(tmp_path).ours(*DEMO, "-i", "atlas", "-b").out
    assert "56.9\n" == files.ours(*DEMO, "-i", "atlas", "-b").out


def test_from_standard_input_as_sacrebleu_s_readme_has_it(files: Files) -> None:
    outputs = "".join(f"{line}\n" for line in demo.load("en-de").systems["birch"])
    assert files.ours(*DEMO, "-i", "birch").out == files.ours(*DEMO, stdin=outputs).out


@pytest.mark.parametrize(
    ("options", "shown", "segments"),
    [
        ((), "nrefs:2|test:demo|lang:en-de|case", 240),
        (("--refs", "B"), "nrefs:1|test:demo|lang:en-de|refs:B|case", 240),
        (("--refs", "all"), "nrefs:2|test:demo|lang:en-de|case", 240),
        (("--subset", "news"), "nrefs:2|test:demo|lang:en-de|subset:news|case", 65),
        (("-ol", "en", "--subset", "social"), "nrefs:2|test:demo|lang:en-de|origlang:en|subset:social|case", 59),
    ],
)
def test_choices_show_in_the_signature(files: Files, options: tuple[str, ...], shown: str, segments: int) -> None:
    out = files.ours(*DEMO, *options, "-i", "atlas", "-f", "jsonl", "-sl").out
    lines = [json.loads(line) for line in out.splitlines()]
    assert (segments, True) == (len(lines), lines[0]["signature"].startswith(shown))


def test_detail(files: Files) -> None:
    lines = files.ours(*DEMO, "-i", "atlas", "--detail", "-m", "chrf", "bleu", "-w", "3").out.splitlines()
    domains = sorted(set(demo.load("en-de").domains))
    assert 2 + 2 * (1 + len(domains)) == len(lines)
    assert lines[2].startswith("origlang=en domain=ALL          : sentences=240    chrF2 = ")
    assert lines[3].startswith("origlang=en domain=ALL          : sentences=240    BLEU  = ")
    news = json.loads(files.ours(*DEMO, "-i", "atlas", "--subset", "news", "-f", "json").out)["score"]
    assert f"origlang=en domain=news         : sentences=65     BLEU  = {news:.3f}" in lines
    groups = json.loads(files.ours(*DEMO, "-i", "atlas", "-d", "-f", "json").out)
    assert news == next(x["score"] for x in groups if x.get("group", {}).get("label") == "origlang=en domain=news")


def test_detail_without_a_test_set_says_so(files: Files) -> None:
    lines = files.ours("ref1.de", "-i", "ref2.de", "--detail").out.splitlines()
    assert "No detail: only test sets (-t) tell original languages and domains." == lines[1]


def test_groups_and_documents_from_the_set(files: Files) -> None:
    out = files.ours(*DEMO, "-i", "atlas", "birch", "--breakdown", "domain").out
    assert "│         news │     65     │" in out
    documents = len(set(demo.load("en-de").docids))
    out = files.ours(*DEMO, "-i", "atlas", "birch", "--paired", "ar", "-parn", "100", "--docids", "docid").out
    assert f"|docs:{documents}|test:demo|" in out


def test_like_a_signature_of_a_test_set(files: Files) -> None:
    expected = files.ours(*DEMO, "--subset", "news", "-i", "atlas", "-lc").out
    assert expected == files.ours("-i", "atlas", "--like", expected.strip()).out


@pytest.mark.parametrize("options", ["--refs B", "--refs B -m gleu", "-s method3", "-ci -cin 20", "-m gleu -lc"])
def test_what_we_print_can_be_given_back(files: Files, options: str) -> None:
    printed = files.ours(*DEMO, "-i", "atlas", *options.split()).out
    assert printed and printed == files.ours("-i", "atlas", "--like", printed.strip()).out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("-t wmt22", "--test-set wmt22 contradicts --like, whose signature says test:demo"),
        ("-l en-es", "--language-pair en-es contradicts --like, whose signature says lang:en-de"),
        ("--subset social", "--subset social contradicts --like, whose signature says subset:news"),
        ("--refs A", "--refs A contradicts --like, whose signature says refs:B"),
    ],
)
def test_another_test_set_contradicts_a_signature(files: Files, words: str, message: str) -> None:
    signature = "BLEU|nrefs:1|test:demo|lang:en-de|subset:news|refs:B|case:mixed|eff:no|tok:13a|smooth:exp"
    run = files.ours("-i", "atlas", "--like", signature, *words.split())
    assert (2, f"truebleu: {message}") == (run.code, run.err.splitlines()[0])


def test_systems_in_fields_with_the_references_of_a_test_set(files: Files) -> None:
    outputs = "".join(json.dumps({"mt": line}) + "\n" for line in demo.load("en-de").systems["birch"])
    assert files.ours(*DEMO, "-i", "birch", "-b").out == files.ours(*DEMO, "--hyp-field", "mt", "-b", stdin=outputs).out


def test_report_names_the_test_set(files: Files) -> None:
    out = files.ours(*DEMO, "-i", "atlas", "--report").out
    assert "\nTest set: demo en-de\n" in out and "\nReferences: 2: demo en-de ref:A, demo en-de ref:B\n" in out


def test_lists_fields_and_citations(files: Files) -> None:
    everything = files.ours("--list").out.splitlines()
    assert "The available test sets are:" == everything[0]
    assert sorted(registry.names()) == [line.split(":")[0].strip() for line in everything[1:]]
    assert ["wmt22"] == [line.split()[0] for line in files.ours("--list", "-l", "en-liv").out.splitlines()[1:]]
    assert "en-de: src, ref:A, ref:B, docid, origlang, domain, atlas, birch, cedar" in files.ours("--list", *DEMO).out
    assert "@inproceedings{" in files.ours("-t", "wmt22", "--cite").out
    echoed = files.ours(*DEMO, "--echo", "src", "ref:B", "domain", "--subset", "news").out.splitlines()
    data = demo.load("en-de")
    assert (65, "\t".join([data.sources[0], data.references["B"][0], "news"])) == (len(echoed), echoed[0])
    assert "" == files.ours("--download", "demo").out


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ("-t demo -i x", 2, "a test set needs a language pair, as in -l en-de"),
        ("-t demo -l en-fr -i x", 2, "the test set 'demo' has no language pair 'en-fr', only en-de, en-es, en-zh"),
        ("-t demmo -l en-de -i x", 2, "there is no test set 'demmo' (did you mean demo?); 'truebleu --list'"),
        ("ref1.de -t demo -l en-de", 2, "both a test set and reference files are given"),
        ("-t demo -l en-de -i nowhere", 1, "nowhere: there is no such file"),
        ("-t demo -l en-de --refs C -i atlas", 2, "demo en-de has no"),
        ("-t demo -l en-de --subset poetry -i atlas", 1, "demo en-de has no segment left with subset 'poetry'"),
        ("-t demo -l en-de -i ref1.de", 1, "ref1.de has 80 lines, the reference demo en-de ref:A has 240"),
        ("-t demo -l en-de --echo nothing", 2, "demo en-de has no field 'nothing'; it has src, ref:A"),
        ("-t demo --echo src", 2, "--echo needs a test set and a language pair"),
        ("--cite", 2, "--cite needs a test set: -t SET"),
        ("--list -t demmo", 2, "there is no test set 'demmo'"),
        ("--list -l ende", 2, "--language-pair is 'ende', expected source-target"),
        ("ref1.de --origlang de -i x", 2, "--origlang is about a test set; choose one with -t"),
        ("-t wmt22 -l en-de -i x --offline", 1, "no good copy of wmt22.v1.1.tar.gz is in the cache"),
    ],
)
def test_mistakes(files: Files, tmp_path: Path, words: str, code: int, message: str) -> None:
    run = files.ours(*words.split(), TRUEBLEU_CACHE=str(tmp_path), SACREBLEU=str(tmp_path))
    assert (code, "") == (run.code, run.out)
    assert run.err.startswith(f"truebleu: {message}")


# Real sets, where the folder of real texts has them: both programs, from the raw files to the text they print.

SET = "multi30k/2016"


@pytest.fixture(scope="module")
def caches(data: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Variables for both programs: a cache that sacreBLEU takes for its own, and the mirror for ours."""
    urls = data / "mirror" / "urls"
    if not urls.is_dir():
        pytest.skip("the folder of real texts has no mirror of test sets")
    theirs = tmp_path_factory.mktemp("theirs")
    raw = theirs / SET / "raw"
    raw.mkdir(parents=True)
    for file in registry.remote_files(SET):
        source = urls / file.url.removeprefix("https://")
        shutil.copy(source, raw / f"{SET.replace('/', '_')}.{source.name}")
        # sacreBLEU unpacks only what it has downloaded itself.
        with tarfile.open(source) as archive:
            archive.extractall(raw, filter="data")
    ours = tmp_path_factory.mktemp("ours")
    return {"SACREBLEU": str(theirs), "TRUEBLEU_CACHE": str(ours), "TRUEBLEU_MIRROR": str(urls)}


@pytest.fixture(scope="module")
def outputs(files: Files, caches: dict[str, str]) -> str:
    source = files.theirs_now("-t", SET, "-l", "en-de", "--echo", "ref", **caches).out
    return source.replace(" ein ", " 1 ").replace(" und ", " plus ")


@pytest.mark.parametrize(
    "options",
    [
        "",
        "-m bleu chrf ter -sh",
        "-ci -cin 20",
        "-sl -m chrf",
        "--echo src ref",
        "--echo all",
        "--echo ref",
        "-tok intl -lc -w 4",
    ],
)
def test_real_sets_as_sacrebleu_prints_them(files: Files, caches: dict[str, str], outputs: str, options: str) -> None:
    words = ("-t", SET, "-l", "en-de", *options.split())
    theirs = files.theirs_now(*words, stdin=outputs, **{**caches, "SACREBLEU_FORMAT": "text"})
    ours = files.ours(*words, stdin=outputs, **caches)
    # COMPATIBILITY 24: our signatures name the test set.
    plain = ours.out.replace(f"|test:{SET}|lang:en-de", "").replace(f"|t:{SET}|l:en-de", "")
    assert (0, sorted(theirs.out.split())) == (ours.code, sorted(as_sacrebleu(plain).split()))
    assert theirs.out and ("-m" in options or theirs.out == as_sacrebleu(plain))
