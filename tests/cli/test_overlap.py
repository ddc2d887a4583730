"""`truebleu overlap` in use: what it finds, writes and says, scores of the parts, and what it refuses."""

import gzip
import json
from functools import cache
from pathlib import Path

import pytest

import truebleu
from cli.conftest import Files
from truebleu import CHRF, Overlap, Study, demo
from truebleu.errors import InputTypeError, StatsMismatch


@cache
def texts() -> dict[str, list[str]]:
    """A reference, the sources, and two systems."""
    test, systems = truebleu.testset("demo", "en-de"), demo.load("en-de").systems
    names = iter(systems)
    return {"ref": test.references[0], "src": test.source, "a": [*systems[next(names)]], "b": [*systems[next(names)]]}


COPIED = 12


@pytest.fixture
def folder(tmp_path: Path) -> Files:
    files = Files(tmp_path)
    for name, lines in texts().items():
        files.write(name, "".join(f"{line}\n" for line in lines))
    files.write("train.gz", "".join(f"say {line.upper()}\n" for line in texts()["ref"][:COPIED]))
    return files


def test_a_table_says_which_segments_overlap_and_where(folder: Files) -> None:
    run = folder.ours("overlap", "ref", "--train", "train.gz", "-o", "overlap.json")
    assert (0, "") == (run.code, run.err)
    assert "overlapping" in run.out and "train.gz:1" in run.out
    found = Overlap.load(folder.folder / "overlap.json")
    assert found.verdicts.count("overlapping") + found.verdicts[:COPIED].count("too short") == COPIED
    labels = folder.ours("overlap", "ref", "--train", "train.gz", "-f", "labels").out
    assert [*found.verdicts] == labels.splitlines()
    printed = json.loads(folder.ours("overlap", "ref", "--train", "train.gz", "--json", "--threads", "3").out)
    assert printed == json.loads((folder.folder / "overlap.json").read_bytes())
    groups = folder.ours("ref", "-i", "a", "--breakdown", folder.write("labels", labels))
    assert 0 == groups.code and "overlapping" in groups.out


def test_scores_of_the_parts(folder: Files) -> None:
    words = ("overlap", "ref", "--train", "train.gz", "-i", "a", "b", "-m", "chrf", "bleu", "-f", "json")
    printed = json.loads(folder.ours(*words).out)
    clean = [at for at, one in enumerate(printed["segments"]) if one["verdict"] == "clean"]
    ours, reference = ([texts()[name][at] for at in clean] for name in ("a", "ref"))
    expected = CHRF().corpus_score(ours, [reference]).score
    first = printed["scores"]["systems"][0]
    assert ("chrF2", "a", expected) == (first["metric"], first["system"], first["scores"]["clean"])
    assert 4 == len(printed["scores"]["systems"]) and 2 == len(printed["scores"]["pairs"])
    text = folder.ours(*words[:-2]).out
    assert "difference of differences" in text and "less than 30 segments" in text


def test_what_was_found_is_taken_from_its_file(folder: Files) -> None:
    at_once = folder.ours("overlap", "ref", "--train", "train.gz", "-i", "a", "-o", "o.json")
    later = folder.ours("overlap", "ref", "--found", "o.json", "-i", "a")
    assert at_once == later
    other = folder.ours("overlap", "src", "--found", "o.json", "-i", "a")
    assert 1 == other.code and "other references" in other.err


def test_a_test_set_its_sources_and_standard_input(folder: Files) -> None:
    run = folder.ours("overlap", "-t", "demo", "-l", "en-de", "--train", "-", "--json", stdin=texts()["src"][0])
    found = json.loads(run.out)
    assert ("demo en-de", 1.0) == (found["test"]["name"], found["segments"][0]["source"]["coverage"])
    assert "-" == found["segments"][0]["source"]["first"][0]["file"]
    by_files = folder.ours("overlap", "ref", "--sources", "src", "--train", "-", "--json", stdin=texts()["src"][0])
    assert found["segments"][0]["source"] == json.loads(by_files.out)["segments"][0]["source"]


def test_a_test_set_in_one_file_gives_what_its_texts_give(folder: Files) -> None:
    saved = folder.ours("overlap", "ref", "--sources", "src", "-n", "5", "--index", "t.tbx", "--save-index")
    assert (0, "") == (saved.code, saved.out) and "1 stream of references" in saved.err
    words = ("--train", "train.gz", "-i", "a", "-m", "chrf", "--json")
    at_once = folder.ours("overlap", "ref", "--sources", "src", "-n", "5", *words)
    assert at_once.out == folder.ours("overlap", "--index", "t.tbx", *words).out
    assert at_once.out == folder.ours("overlap", "ref", "--sources", "src", "-n", "5", *words, "--index", "u.tbx",
                                      "--save-index").out  # fmt: skip
    assert (folder.folder / "t.tbx").read_bytes() == (folder.folder / "u.tbx").read_bytes()
    named = ("overlap", "-t", "demo", "-l", "en-de")
    folder.ours(*named, "--index", "d.tbx", "--save-index")
    assert folder.ours(*named, *words[:2], "--json").out == folder.ours("overlap", "--index", "d.tbx", *words[:2],
                                                                        "--json").out  # fmt: skip


def test_an_interrupted_scan_goes_on(folder: Files) -> None:
    words = ("overlap", "ref", "--train", "train.gz", "src", "--json")
    folder.ours("overlap", "ref", "--train", "train.gz", "--resume", "state.json")
    again = folder.ours(*words, "--resume", "state.json")
    assert "1 of 2 files are in state.json already" in again.err
    assert folder.ours(*words).out == again.out


def test_the_main_command_scores_the_parts(folder: Files) -> None:
    """As `truebleu overlap -i` does: one figure on all roads, in text, JSON, Python and on the page."""
    run = folder.ours("overlap", "ref", "--train", "train.gz", "-o", "o.json", "-i", "a", "b", "-m", "chrf", "--json")
    expected = json.loads(run.out)["scores"]
    words = ("ref", "-i", "a", "b", "-m", "chrf")
    whole = [one for one in json.loads(folder.ours(*words, "--overlap", "o.json", "-f", "json").out)]
    groups = {(one["system"], one["group"]["label"]): one["score"] for one in whole if "group" in one}
    for one in expected["systems"]:
        for part in ("clean", "overlapping", "too short"):
            assert one["scores"][part] == groups[one["system"], part]
    of_a, of_b = (one["overlap"] for one in whole if "group" not in one)
    assert [one["difference"] for one in expected["systems"]] == [of_a["difference"], of_b["difference"]]
    assert {one["metric"] for one in expected["systems"]} == {one["name"] for one in whole}
    pair = expected["pairs"][0]
    assert [{"system": "b", "difference": pair["difference"], "p_value": pair["p_value"]}] == of_a["against"]
    text = folder.ours(*words, "--overlap", "o.json").out
    assert "difference of differences" in text and "less than 30 segments" in text and "too short" in text

    found = Overlap.load(folder.folder / "o.json")
    systems = {name: texts()[name] for name in ("a", "b")}
    study = Study(systems, ["chrf"], [texts()["ref"]], overlap=folder.folder / "o.json", test="none")
    assert study.overlapping is not None
    assert [one["scores"] for one in expected["systems"]] == [one.scores for one in study.overlapping.systems]
    assert study.to_dict()["overlap"]["pairs"][0] == pair
    assert study.overlapping == Study(systems, ["chrf"], [texts()["ref"]], overlap=found, test="none").overlapping
    page = folder.ours("report", *words, "--overlap", "o.json", "-o", "-", "--trials", "100").out
    assert 'id="overlap"' in page and 'href="#overlap-pairs"' in page and "Overlap: pairs of systems" in page


def test_an_overlap_of_other_texts_is_refused_everywhere(folder: Files) -> None:
    folder.ours("overlap", "ref", "--train", "train.gz", "-o", "o.json")
    for words in (("src", "-i", "a", "--overlap", "o.json"), ("report", "src", "-i", "a", "--overlap", "o.json")):
        run = folder.ours(*words)
        assert 0 != run.code and "with other references than these" in run.err
    run = folder.ours("ref", "-i", "a", "--overlap", "o.json", "--only", "1-9")
    assert 2 == run.code and "leave out --only" in run.err
    folder.write("broken.json", '{"schema": 1}')
    assert (
        "is no file that truebleu overlap has written" in folder.ours("ref", "-i", "a", "--overlap", "broken.json").err
    )
    with pytest.raises(InputTypeError, match="overlap is of type int, expected what"):
        Study({"a": texts()["a"]}, ["chrf"], [texts()["ref"]], overlap=3)  # type: ignore[arg-type]
    with pytest.raises(StatsMismatch, match="other references"):
        Study({"a": texts()["a"]}, ["chrf"], [texts()["src"]], overlap=folder.folder / "o.json")


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["ref", "--save-index"], 2, "name it"),
        (["ref", "--index", "o.json", "--train", "train.gz"], 2, "--index has the test set"),
        (["--index", "src", "-n", "9", "--train", "train.gz"], 2, "--index tells how long n-grams are"),
        (["--index", "src", "--train", "train.gz"], 1, "src: is no file of --save-index"),
        (["ref", "--train", "train.gz", "--resume", "train.gz"], 1, "is one of the files to be read"),
        (["ref", "--train", "-", "--resume", "state.json"], 2, "standard input cannot"),
        (["ref"], 2, "there is no training text"),
        (["--train", "train.gz"], 2, "there is no test set"),
        (["ref", "--train", "none.txt"], 1, "none.txt"),
        (["ref", "--train", "train.gz", "-m", "chrf"], 0, "--metrics has no effect: it is about the scores of systems"),
        (["ref", "--train", "train.gz", "--samples", "200"], 2, "--samples has no effect"),
        (["ref", "--train", "train.gz", "--found", "o.json"], 2, "leave out --train"),
        (["ref", "--found", "train.gz"], 1, "is no file that truebleu overlap has written"),
        (["ref", "--train", "train.gz", "-n", "2"], 2, "expected a whole number from 3 to 64"),
        (["ref", "--train", "train.gz", "--field", "text"], 2, "plain text by its name"),
        (["ref", "--train", "train.gz", "--sources", "src", "-t", "demo", "-l", "en-de"], 2, "leave out --sources"),
        (["ref", "--train", "train.gz", "--subset", "news"], 2, "goes with -t"),
        (["ref", "--train", "train.gz", "-i", "a", "a"], 2, "named twice"),
        (["ref", "--train", "train.gz", "-i"], 2, "-i names no system"),
        (["ref", "--train", "train.gz", "-i", "train.gz"], 1, "has 12 segments, expected"),
        (["--sources", "src", "--train", "train.gz", "-i", "a"], 2, "against references"),
        (["-t", "demo", "--train", "train.gz"], 2, "-t goes with -l"),
        (["ref", "-t", "demo", "-l", "en-de", "--train", "train.gz"], 2, "has its references; leave out ref, or -t"),
        (["-t", "demo", "-l", "en-de", "--train", "train.gz", "-e", "latin-1"], 0, "--encoding has no effect"),
    ],
)
def test_what_is_wrong_is_said(folder: Files, words: list[str], code: int, said: str) -> None:
    run = folder.ours("overlap", *words)
    assert code == run.code
    assert said in run.err


def test_systems_are_read_before_the_training_text_and_what_was_found_is_kept(folder: Files) -> None:
    (folder.folder / "broken.gz").write_bytes(gzip.compress(b"a\xff"))
    for words, said in ((["none.txt"], "none.txt"), (["a", "-m", "terms"], "-m terms has options")):
        run = folder.ours("overlap", "ref", "--train", "broken.gz", "-i", *words)
        assert said in run.err and "broken.gz" not in run.err
    run = folder.ours("overlap", "ref", "--train", "train.gz", "-i", "a", "--seed", "x", "-o", "o.json")
    assert 2 == run.code and "overlapping" in Overlap.load(folder.folder / "o.json").verdicts


def test_a_broken_file_is_named_with_the_byte(folder: Files) -> None:
    (folder.folder / "broken.gz").write_bytes(gzip.compress(b"a\xff"))
    run = folder.ours("overlap", "ref", "--train", "broken.gz")
    assert (1, True) == (run.code, "broken.gz: byte 2 is 0xff, which is not utf-8" in run.err)
    assert 0 == folder.ours("overlap", "ref", "--train", "broken.gz", "--errors", "replace").code
