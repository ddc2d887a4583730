"""Every numbered entry of COMPATIBILITY.md, from both sides."""

import hashlib
import json
import logging
import re
import subprocess
import sys
import tarfile
import tempfile
import urllib.request
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import fastchrf
import pytest
import regex
import sacrebleu
import sacrebleu.metrics
import sacrebleu.significance
import sacrebleu.utils

import truebleu
import truebleu.metrics
import truebleu.significance
from cli.conftest import Files, Run
from loopback import CONTENT, isolate, serving, without_privileges
from truebleu import errors
from truebleu.metrics.published import parse_signature
from truebleu.store import RemoteFile, cache_folder, fetch, sacrebleu_folder, unpack
from truebleu.tokenizers.spm import damage

ROOT = Path(__file__).parents[2]
METRICS = ("BLEU", "CHRF", "TER")


def ours(metric: str, *arguments: Any, **options: Any) -> Any:
    return getattr(truebleu.metrics, metric)(**options).corpus_score(*arguments)


def theirs(metric: str, *arguments: Any, **options: Any) -> Any:
    return getattr(sacrebleu.metrics, metric)(**options).corpus_score(*arguments)


def test_every_entry_has_a_test_and_every_test_an_entry() -> None:
    entries = re.findall(r"^\| (\d+) \|", (ROOT / "COMPATIBILITY.md").read_text("utf-8"), re.M)
    files = (ROOT / "tests").rglob("test_*.py")
    tests = [number for file in files for number in re.findall(r"^def test_(\d+)_", file.read_text("utf-8"), re.M)]
    assert sorted(set(map(int, entries))) == list(map(int, entries))
    assert set(entries) == {number.lstrip("0") for number in tests}


@pytest.mark.parametrize("metric", METRICS)
def test_01_streams_of_different_lengths(metric: str) -> None:
    hypotheses, short = ["a b c d e", "x"], [["a b c d e"]]
    assert theirs(metric, hypotheses[:1], short).score == theirs(metric, hypotheses, short).score
    with pytest.raises(errors.LengthMismatch, match="stream 0 of 1 has 1 segment, the hypotheses have 2"):
        ours(metric, hypotheses, short)
    by_segment = [["a b c d e", "a"], ["x", "y"], ["z", "z"]]
    assert isinstance(theirs(metric, ["a b c d e", "x", "z"], by_segment).score, float)
    with pytest.raises(errors.LengthMismatch, match=r"These look transposed.*layout='segments'"):
        ours(metric, ["a b c d e", "x", "z"], by_segment)


@pytest.mark.parametrize("metric", METRICS)
def test_02_strings_in_place_of_lists(metric: str) -> None:
    assert isinstance(theirs(metric, ["a b c"], ["a b c"]).score, float)
    with pytest.raises(
        errors.InputTypeError, match=r"references\[0\] is the plain string 'a b c'.*pass \[references\]"
    ):
        ours(metric, ["a b c"], ["a b c"])
    assert isinstance(theirs(metric, "abc", [["a", "b", "c"]]).score, float)
    with pytest.raises(errors.InputTypeError, match="hypotheses is the plain string 'abc'"):
        ours(metric, "abc", [["a", "b", "c"]])


def test_03_an_empty_reference_beside_a_filled_one() -> None:
    hypotheses, references = ["a b"], [[""], ["a b c d e f"]]
    options = {"effective_order": True}
    there = theirs("BLEU", hypotheses, references, **options)
    dropped = ours("BLEU", hypotheses, references, **options)
    kept = ours("BLEU", hypotheses, references, **options, empty_refs="keep")
    assert 100.00000000000004 == there.score == kept.score
    assert theirs("BLEU", hypotheses, [[None], *references[1:]], **options).score == dropped.score
    assert ("nrefs:1", "nrefs:2") == (str(dropped.signature)[:7], str(kept.signature)[:7])
    assert "empty:keep" in str(kept.signature)
    for metric in METRICS:
        only_empty = ["a b"], [[""], [""]]
        assert theirs(metric, *only_empty).score == ours(metric, *only_empty).score


@pytest.mark.parametrize("metric", METRICS)
def test_04_a_segment_without_references(metric: str) -> None:
    with pytest.raises((TypeError, ValueError, IndexError, ZeroDivisionError)):
        theirs(metric, ["a", "b"], [["a", None]])
    with pytest.raises(errors.SegmentWithoutReference, match="segment 1 has no reference"):
        ours(metric, ["a", "b"], [["a", None]])


@pytest.mark.parametrize("metric", METRICS)
def test_05_no_text_deep_inside(metric: str) -> None:
    with pytest.raises(AttributeError):
        theirs(metric, ["a", "b"], [["a", 3]])
    with pytest.raises(errors.InputTypeError, match="reference stream 0, segment 1: expected a string, got int"):
        ours(metric, ["a", "b"], [["a", 3]])


def test_06_the_signature() -> None:
    metric = sacrebleu.metrics.BLEU(max_ngram_order=2, references=[["a"]])
    assert "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0" == str(metric.get_signature())
    signature = truebleu.metrics.BLEU(max_ngram_order=2, references=[["a"]]).get_signature()
    version = truebleu.__version__
    assert f"nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|order:2|version:truebleu-{version}" == str(signature)


def test_07_signatures_after_a_bootstrap() -> None:
    texts = ["a b c d e"] * 3, [["a b c d x"] * 3]
    there, here = sacrebleu.metrics.BLEU(), truebleu.metrics.BLEU()
    for metric in (there, here):
        metric.corpus_score(*texts, n_bootstrap=10)
        assert "bs:10|seed:12345" in str(metric.get_signature())
        metric.corpus_score(*texts)
    assert "bs:10" in str(there.get_signature())
    assert "bs:10" not in str(here.get_signature())


def test_08_options_are_fixed() -> None:
    there = sacrebleu.metrics.CHRF()
    there.beta = 3
    with pytest.raises(AttributeError, match=r"make a new CHRF\(beta=3\)"):
        truebleu.metrics.CHRF().beta = 3


def test_09_options_without_a_meaning() -> None:
    assert 0 == theirs("BLEU", ["a"], [["a"]], max_ngram_order=0).score
    assert 0 == theirs("CHRF", ["a"], [["a"]], char_order=0).score
    assert theirs("BLEU", ["A"], [["a"]], lowercase="False", effective_order=True).score > 99
    for metric, options in (
        ("BLEU", {"max_ngram_order": 0}),
        ("BLEU", {"max_ngram_order": 33}),
        ("CHRF", {"char_order": 0}),
        ("CHRF", {"beta": -1}),
        ("TER", {"normalized": "no"}),
        ("BLEU", {"lowercase": "False"}),
        ("BLEU", {"smooth_method": "floor", "smooth_value": -0.1}),
    ):
        with pytest.raises(errors.OptionError, match="expected"):
            ours(metric, ["a"], [["a"]], **options)


def test_10_warnings(caplog: pytest.LogCaptureFixture) -> None:
    code = "import {0}.metrics as m; bleu = m.BLEU(); [bleu.sentence_score('a', ['a']) for _ in range(3)]"
    runs = [
        subprocess.run([sys.executable, "-c", code.format(package)], capture_output=True, text=True, check=True)
        for package in ("sacrebleu", "truebleu")
    ]
    assert [3, 1] == [run.stderr.count("effective_order") for run in runs]
    with caplog.at_level(logging.WARNING, logger="truebleu"):
        truebleu.metrics.BLEU().sentence_score("a", ["a"])
    assert ["truebleu"] == [record.name for record in caplog.records]


@pytest.mark.parametrize("metric", METRICS)
def test_11_iterables(metric: str) -> None:
    with pytest.raises(TypeError):
        theirs(metric, (text for text in ["a b"]), [["a b"]])
    score = ours(metric, (text for text in ["a b"]), [(text for text in ["a b"])]).score
    assert theirs(metric, ["a b"], [["a b"]]).score == score
    for unordered in ({"a", "b"}, {"a": 1, "b": 2}):
        with pytest.raises(errors.InputTypeError, match=r"hypotheses is of type (set|dict)"):
            ours(metric, unordered, [["a", "b"]])


def test_12_unicode_of_intl() -> None:
    # U+2E60 is punctuation from 18.0 on; the installed `regex` decides there, nothing does here.
    new = "\u2e60"
    installed = bool(regex.match(r"\p{P}", new))
    there = sacrebleu.metrics.BLEU(tokenize="intl").tokenizer(f"a{new}b")
    assert (f"a {new} b" if installed else f"a{new}b") == there
    assert f"a {new} b" == truebleu.metrics.BLEU(tokenize="intl").tokenizer(f"a{new}b")


def test_13_bootstrap() -> None:
    # chrF of a resample may be a Python float or a NumPy one there, and their mean cannot be taken.
    texts = ["a", "b"], [["a", "c"]]
    with pytest.raises(TypeError):
        theirs("CHRF", *texts, 50)
    score = ours("CHRF", *texts, 50)
    assert 0 < score.confidence.mean < 100


def test_14_models_are_verified(tmp_path: Path) -> None:
    model = tmp_path / "cut.model"
    model.write_bytes(b"\x0a\x05abc")
    assert "is cut short" == damage(model)
    with pytest.raises(errors.TokenizerError, match="is cut short"):
        truebleu.metrics.BLEU(tokenize=truebleu.tokenizers.registry.get_tokenizer_class("spm")(model=model))


def test_15_json_without_a_signature() -> None:
    for score in (ours("BLEU", ["a"], [["a"]]), theirs("BLEU", ["a"], [["a"]])):
        with pytest.raises(ValueError):
            score.format(is_json=True)
    assert issubclass(errors.OptionError, ValueError)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "ref").write_text("a b c d e\nf g h i j\n", "utf-8")
    (tmp_path / "hyp").write_text("a b c d x\nf g h i j\n", "utf-8")
    (tmp_path / "1e3").write_text("a b c d y\nf g h i j\n", "utf-8")
    return tmp_path


def command(program: str, folder: Path, words: str, **variables: str) -> Run:
    files = Files(folder)
    return (
        files.theirs(*words.split(), **variables) if program == "sacrebleu" else files.ours(*words.split(), **variables)
    )


def test_16_default_format(folder: Path) -> None:
    assert command("sacrebleu", folder, "ref -i hyp").out.startswith("{")
    assert command("truebleu", folder, "ref -i hyp").out.startswith("BLEU|nrefs:1")
    assert command("truebleu", folder, "ref -i hyp", TRUEBLEU_FORMAT="json").out.startswith("{")
    assert command("truebleu", folder, "ref -i hyp -f text", TRUEBLEU_FORMAT="json").out.startswith("BLEU|")
    assert command("truebleu", folder, "ref -i hyp -f text", SACREBLEU_FORMAT="json").out.startswith("{")


def test_17_json(folder: Path) -> None:
    theirs = json.loads(command("sacrebleu", folder, "ref -i hyp -f json").out)
    ours = json.loads(command("truebleu", folder, "ref -i hyp -f json").out)
    assert theirs["score"] == round(ours["score"], 1) != ours["score"]
    assert not command("sacrebleu", folder, "ref -i hyp -f json -sl").out.startswith("[")
    assert 2 == len(json.loads(command("truebleu", folder, "ref -i hyp -f json -sl").out))


def test_18_mistakes_on_the_command_line(folder: Path) -> None:
    theirs, ours = (command(program, folder, "nowhere -i hyp") for program in ("sacrebleu", "truebleu"))
    assert (1, 1) == (theirs.code, ours.code)
    assert "Traceback" in theirs.err
    assert "truebleu: nowhere: there is no such file\n" == ours.err
    codes = [command(program, folder, "ref -nr 2 -i hyp").code for program in ("sacrebleu", "truebleu")]
    assert [17, 1] == codes
    codes = [command(program, folder, "").code for program in ("sacrebleu", "truebleu")]
    assert [1, 2] == codes


def test_19_empty_standard_input(folder: Path) -> None:
    (folder / "one").write_text("a b c\n", "utf-8")
    assert 0 == command("sacrebleu", folder, "one").code
    assert 1 == command("truebleu", folder, "one").code


@pytest.mark.parametrize("words", ["ref -i hyp 1e3 --confidence", "ref -i hyp 1e3 -sl", "ref -i hyp -sl -m bleu chrf"])
def test_20_several_of_everything(folder: Path, words: str) -> None:
    assert [1, 0] == [command(program, folder, words).code for program in ("sacrebleu", "truebleu")]


def test_21_names_that_look_like_numbers(folder: Path) -> None:
    (folder / "007").write_bytes((folder / "hyp").read_bytes())
    theirs, ours = (command(program, folder, "ref -i 007 1e3 -f text").out for program in ("sacrebleu", "truebleu"))
    assert "1e3" not in theirs and "1e3" in ours


def test_22_messages(folder: Path) -> None:
    assert "sacreBLEU: Found 2 systems.\n" == command("sacrebleu", folder, "ref -i hyp 1e3").err
    assert "truebleu: found 2 systems\n" == command("truebleu", folder, "ref -i hyp 1e3").err
    theirs, ours = (command(program, folder, "ref -i hyp hyp -q").err for program in ("sacrebleu", "truebleu"))
    assert not theirs.startswith("sacreBLEU: ") and ours.startswith("truebleu: ")


def test_25_byte_order_marks(folder: Path) -> None:
    (folder / "marked").write_bytes(b"\xef\xbb\xbf" + (folder / "hyp").read_bytes())
    theirs, ours = (
        [command(program, folder, f"ref -i {name} -m chrf -b -w 6").out for name in ("hyp", "marked")]
        for program in ("sacrebleu", "truebleu")
    )
    assert theirs[0] == ours[0] == ours[1] != theirs[1]
    done = command("truebleu", folder, "ref -i marked")
    assert "truebleu: marked: a byte order mark at the beginning was left out\n" == done.err


# --- the store --------------------------------------------------------------------------------


@pytest.fixture
def remote(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[RemoteFile]:
    isolate(tmp_path, monkeypatch)
    with serving() as server:
        yield RemoteFile(f"{server.url}/good", "x.txt", "set/raw", md5=hashlib.md5(CONTENT).hexdigest())


def test_50_a_partial_download(remote: RemoteFile, tmp_path: Path) -> None:
    for path in (tmp_path / "x.txt", remote.home):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(CONTENT[:100])
    sacrebleu.utils.download_file(remote.url, str(tmp_path / "x.txt"), expected_md5=remote.md5)
    assert CONTENT[:100] == (tmp_path / "x.txt").read_bytes()
    assert CONTENT == fetch(remote).read_bytes()


def test_51_a_wrong_checksum(remote: RemoteFile, tmp_path: Path) -> None:
    with pytest.raises(SystemExit):
        sacrebleu.utils.download_file(remote.url, str(tmp_path / "x.txt"), expected_md5="0" * 32)
    assert CONTENT == (tmp_path / "x.txt").read_bytes()
    with pytest.raises(errors.DownloadError, match=f"has md5 {remote.md5}, expected 0000"):
        fetch(replace(remote, md5="0" * 32))
    assert not remote.home.exists()


# Python 3.12 tells it of tarfile, later ones of the oracle.
@pytest.mark.filterwarnings("ignore:Python 3.14 will, by default, filter extracted tar:DeprecationWarning")
def test_52_archives_that_write_elsewhere(tmp_path: Path) -> None:
    archive = tmp_path / "a.tgz"
    with tarfile.open(archive, "w:gz") as tar:
        tar.addfile(tarfile.TarInfo("../evil"))
    (tmp_path / "into").mkdir()
    if sys.version_info < (3, 14):
        sacrebleu.utils.extract_tarball(str(archive), str(tmp_path / "into"))
        (tmp_path / "evil").unlink()
    with pytest.raises(errors.ArchiveError, match="would be written outside the folder"):
        unpack(archive, tmp_path / "into")
    assert not (tmp_path / "evil").exists()


def test_53_a_read_only_cache(remote: RemoteFile, monkeypatch: pytest.MonkeyPatch) -> None:
    with tempfile.TemporaryDirectory() as name:  # Unlike pytest's own, it can be opened to others.
        monkeypatch.setenv("TRUEBLEU_CACHE", name)
        home = fetch(remote)
        for folder in (Path(name), *home.relative_to(name).parents):
            (name / folder).chmod(0o555)
        monkeypatch.setenv("HOME", "/nonexistent")
        with without_privileges():
            assert home == fetch(remote)
            with pytest.raises(OSError):
                sacrebleu.utils.download_file(remote.url, str(home), expected_md5=remote.md5)
        for folder in (Path(name), home.parents[1], home.parent):
            folder.chmod(0o755)


def test_54_plain_http(remote: RemoteFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def urlopen(url: Any, *args: Any, **kwargs: Any) -> Any:
        asked.append(getattr(url, "full_url", url))
        raise OSError("no network in tests")

    monkeypatch.setattr(urllib.request, "urlopen", urlopen)
    url = "http://example.org/x.txt"
    with pytest.raises(OSError):
        sacrebleu.utils.download_file(url, str(tmp_path / "x.txt"))
    assert [url] == asked
    with pytest.raises(errors.DownloadError, match="is not an https address"):
        fetch(replace(remote, url=url))


def test_55_where_the_cache_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    isolate(tmp_path, monkeypatch)
    monkeypatch.setenv("SACREBLEU", str(tmp_path / "theirs"))
    there = subprocess.run(
        [sys.executable, "-c", "import sacrebleu; print(sacrebleu.SACREBLEU_DIR)"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert str(tmp_path / "theirs") == there.stdout.strip() == str(sacrebleu_folder())
    assert tmp_path / "cache" == cache_folder()
    monkeypatch.delenv("TRUEBLEU_CACHE")
    assert tmp_path / "theirs" == cache_folder()


REFERENCES = ["g g a e h g", "e h f d c e", "c b e c e b", "b f h b f g"]
SYSTEMS = [
    ("a", ["g g a e h g", "x h f x c e", "c b e c e b", "b x h b f x"]),
    ("b", ["g x a e h g", "e x x d c x", "c b x x e b", "x x h x f x"]),
]


def paired(package: Any, metric: str, systems: Any, *arguments: Any, **options: Any) -> list[Any]:
    """The results of a paired test of one metric."""
    metrics = {metric: getattr(package.metrics, metric)(**options)}
    _, scores = package.significance.PairedTest(systems, metrics, [REFERENCES], *arguments)()
    return next(results for name, results in scores.items() if name != "System")


def test_24_the_test_set_in_the_signature(folder: Path) -> None:
    data = truebleu.testset("demo", "en-de")
    for name, lines in (("src", data.source), ("ref", data.references[0])):
        (folder / f"demo.{name}").write_text("".join(f"{line}\n" for line in lines), "utf-8")
    # Its signature has no place for what it scored; ours has.
    theirs = command("sacrebleu", folder, "demo.ref -i demo.ref -l en-de -f text").out
    ours = command("truebleu", folder, "-t demo -l en-de --refs A -i atlas").out
    assert "test:" not in theirs and "|test:demo|lang:en-de|refs:A|" in ours
    metric = sacrebleu.metrics.BLEU()
    metric.corpus_score(["a"], [["a"]])
    assert "test" not in str(metric.get_signature())


def test_23_the_title_of_a_test(folder: Path) -> None:
    words = "ref -i hyp 1e3 --paired-bs --paired-bs-n 0 -f text"
    theirs, ours = (command(program, folder, words).out for program in ("sacrebleu", "truebleu"))
    assert "test with 0 resampling trials" in theirs and "test with 1000 resampling trials" in ours
    assert "|bs:1000|" in theirs and "|bs:1000|" in ours


@pytest.mark.parametrize("test", ["ar", "bs"])
@pytest.mark.parametrize("metric", METRICS)
def test_30_a_copy_of_the_baseline(metric: str, test: str, caplog: pytest.LogCaptureFixture) -> None:
    systems = [SYSTEMS[0], ("copy", SYSTEMS[0][1])]
    assert 1 / 101 == paired(sacrebleu, metric, systems, test, 100)[1].p_value
    with caplog.at_level(logging.WARNING, logger="truebleu"):
        assert 1.0 == paired(truebleu, metric, systems, test, 100)[1].p_value
    assert f"'copy' has the same {metric} statistics as the baseline 'a': p = 1" in caplog.messages


def test_31_one_system_or_one_segment() -> None:
    assert [None] == [result.p_value for result in paired(sacrebleu, "BLEU", SYSTEMS[:1])]
    with pytest.raises(errors.TooFew, match="named_systems has 1 system"):
        paired(truebleu, "BLEU", SYSTEMS[:1])
    one = [(name, texts[:1]) for name, texts in SYSTEMS]
    for package, metric in ((sacrebleu, sacrebleu.metrics.BLEU()), (truebleu, truebleu.metrics.BLEU())):
        test = package.significance.PairedTest(one, {"BLEU": metric}, [REFERENCES[:1]])
        if package is sacrebleu:
            assert isinstance(test()[1]["BLEU"][1].p_value, float)
        else:
            with pytest.raises(errors.TooFew, match="there is 1 segment"):
                test()


def test_32_seed_zero(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SACREBLEU_SEED", "0")
    there, here = (
        {paired(package, "BLEU", SYSTEMS, "bs", 100)[1].mean for _ in range(5)} for package in (sacrebleu, truebleu)
    )
    assert len(there) > 1
    assert 1 == len(here)


def test_33_fractions_in_add_k() -> None:
    def p_value(package: Any, k: float) -> float:
        options = {"smooth_method": "add-k", "smooth_value": k}
        return float(paired(package, "BLEU", SYSTEMS, "ar", 200, **options)[1].p_value)

    assert p_value(sacrebleu, 1) == p_value(truebleu, 1)
    # With k = 0.9 the shuffles there have k = 0, and are compared with real scores that have 0.9.
    assert 57 / 201 == p_value(sacrebleu, 0.9)
    assert 1 / 201 == p_value(truebleu, 0.9)


@pytest.mark.parametrize("metric", ["CHRF", "TER"])
def test_34_plain_floats(metric: str) -> None:
    there, here = (paired(package, metric, SYSTEMS, "bs", 50)[1] for package in (sacrebleu, truebleu))
    with pytest.raises(TypeError):
        json.dumps(there.mean)
    assert float is type(here.mean)
    assert there.mean == pytest.approx(json.loads(json.dumps(here.mean)), rel=1e-5)


def test_35_jobs() -> None:
    results = [paired(truebleu, "BLEU", SYSTEMS, "ar", 300, -1, jobs) for jobs in (0, 1, 7)]
    assert [results[0]] * 3 == results
    metrics = {"BLEU": sacrebleu.metrics.BLEU()}
    test = sacrebleu.significance.PairedTest(SYSTEMS, metrics, [REFERENCES], n_jobs=-1)
    with pytest.raises(ValueError):
        test()
    with pytest.raises(errors.OptionError, match="n_jobs is -1"):
        truebleu.significance.PairedTest(SYSTEMS, {"BLEU": truebleu.metrics.BLEU()}, [REFERENCES], n_jobs=-1)


def test_36_doubles_in_the_paired_bootstrap() -> None:
    there, here = (paired(package, "CHRF", SYSTEMS, "bs", 500)[1] for package in (sacrebleu, truebleu))
    assert there.p_value == here.p_value
    assert there.ci == pytest.approx(here.ci, abs=1e-5)
    assert float(there.ci) != here.ci


def test_66_self_bleu() -> None:
    samples = ["a b c d e f", "x y z", "a b c d e g"]
    scores = [theirs("BLEU", [text], [[other] for other in samples if other != text]).score for text in samples]
    assert sum(scores) / 3 == truebleu.self_bleu(samples).score
    assert 0 == theirs("BLEU", [samples[2]], [["x y z", "a b c d e g"]]).score < scores[2]
    with pytest.raises(errors.LengthMismatch, match="These look transposed"):
        ours("BLEU", samples[:1], [samples[1:]])


def test_67_fast_bleu() -> None:
    # fast-bleu 0.0.90 prints 1.0 for the first of these.
    samples = ["a b", "a b c d e f g h i j", "a b c d e f g h i k"]
    bleu = truebleu.metrics.BLEU(tokenize="none", max_ngram_order=2)
    assert 0.01831563888873418 == truebleu.self_bleu(samples, bleu, definition="fast-bleu").scores[0]


def test_68_white_space_of_fastchrf() -> None:
    chrf, text = truebleu.metrics.CHRF(), "a\x1cb"
    assert 100 == sacrebleu.metrics.CHRF().sentence_score(text, ["ab"]).score == chrf.pairwise([text], ["ab"])[0, 0]
    assert 46 > fastchrf.pairwise_chrf([[text]], [["ab"]])[0][0][0]
    with pytest.raises(UnicodeEncodeError):
        fastchrf.pairwise_chrf([["\ud800"]], [["\ud800"]])
    assert 100 == chrf.pairwise(["\ud800"], ["\ud800"])[0, 0]


def test_27_marks_of_a_signature_inside_its_values() -> None:
    written = []
    for package in (sacrebleu.metrics, truebleu.metrics):
        metric = package.BLEU()
        metric.test_set, metric.langpair, metric.subset = "demo", "en-de", "news|social:50%"
        metric.corpus_score(["a b"], [["a b"]])
        written.append(str(metric.get_signature()))
    assert "|subset:news|social:50%|" in written[0]
    assert "|subset:news%7Csocial%3A50%25|" in written[1]
    assert "news|social:50%" == parse_signature(written[1]).context["subset"]


def test_131_compute_bleu_leaves_the_lists_of_the_caller_alone() -> None:
    found = []
    for package in (sacrebleu, truebleu.sacrebleu, truebleu):
        correct, total = [3, 2, 1, 0], [4, 3, 2, 1]
        score = package.BLEU.compute_bleu(correct, total, 4, 4, smooth_method="add-k")
        assert ([3, 3, 2, 1], [4, 4, 3, 2]) == (score.counts, score.totals)
        found.append((correct, total))
    assert [([3, 3, 2, 1], [4, 4, 3, 2])] * 2 + [([3, 2, 1, 0], [4, 3, 2, 1])] == found


@pytest.mark.parametrize("metric", METRICS)
def test_132_texts_that_are_empty_or_the_same(metric: str, caplog: pytest.LogCaptureFixture) -> None:
    texts, empty = [f"line {at} of these" for at in range(50)], [""] * 50
    for sides, said in (
        ((texts, [texts]), "is the same as the reference"),
        ((empty, [texts]), "all segments are empty"),
    ):
        caplog.clear()
        expected = theirs(metric, *sides).score
        assert [] == caplog.records
        assert expected == ours(metric, *sides).score
        assert [True] == [said in record.getMessage() for record in caplog.records]


def numbered(count: int) -> list[str]:
    return [f"Bird{at} sees lake{at * at} with fish{at}, moss{at}, reed{at} and {at} boats." for at in range(count)]


@pytest.mark.parametrize("metric", METRICS)
def test_132_lines_that_are_moved(metric: str, caplog: pytest.LogCaptureFixture) -> None:
    texts = numbered(60)
    sides = [*texts[1:], texts[0]], [texts]
    expected = theirs(metric, *sides).score
    assert [] == caplog.records
    assert expected == ours(metric, *sides).score
    (message,) = caplog.messages
    assert message.startswith(
        "hypotheses: from line 1 on, lines fit the reference 1 line further down (BLEU 100.0 there"
    )


def test_150_the_command_refuses_lines_that_are_moved(tmp_path: Path) -> None:
    texts = numbered(60)
    system = [*texts[2:], *texts[:2]]
    (tmp_path / "ref").write_text("".join(f"{text}\n" for text in texts))
    (tmp_path / "sys").write_text("".join(f"{text}\n" for text in system))
    refused, scored = (command("truebleu", tmp_path, f"ref -i sys -b -w 4 {more}") for more in ("", "--no-checks"))
    assert (1, "") == (refused.code, refused.out)
    assert "sys: from line 1 on, lines fit the reference 2 lines further down" in refused.err
    assert (0, f"{theirs('BLEU', system, [texts]).score:.4f}\n") == (scored.code, scored.out)


@pytest.mark.parametrize("metric", METRICS)
def test_152_utf8_that_was_read_as_latin1(metric: str, caplog: pytest.LogCaptureFixture) -> None:
    texts = [f"Für die {at} größten Städte gälte, daß Öl nötig wäre." for at in range(50)]
    misread = [text.encode().decode("latin-1") for text in texts]
    expected = theirs(metric, texts, [misread]).score
    assert [] == caplog.records
    assert expected == ours(metric, texts, [misread]).score
    (message,) = caplog.messages
    assert "references[0]: text such as 'FÃ¼r' for 'Für' is UTF-8 that was read as latin-1" in message


@pytest.mark.parametrize("metric", ["BLEU", "TER"])
def test_153_references_without_spaces_between_words(metric: str, caplog: pytest.LogCaptureFixture) -> None:
    text = "我昨天去了商店。"
    expected = theirs(metric, [text], [[text]]).score
    assert [] == caplog.records
    assert expected == ours(metric, [text], [[text]]).score == 0
    (message,) = caplog.messages
    assert "the references have no spaces between words, and " in message
