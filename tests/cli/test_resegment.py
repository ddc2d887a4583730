"""`--resegment`, `--level` and `truebleu resegment`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from truebleu import demo
from truebleu.cli.main import load
from truebleu.metrics import BLEU
from truebleu.metrics.published import parse_signature
from truebleu.resegmentation import resegment
from truebleu.resegmentation.levels import join_texts

run, run_resegment = load("").run, load("resegment").run

LINES = 40


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, list[str]]:
    """A reference, two systems in its lines and one without lines, and documents of four segments."""
    monkeypatch.chdir(tmp_path)
    data = demo.load("en-de")
    names = list(data.systems)
    texts = {
        "ref.txt": list(next(iter(data.references.values())))[:LINES],
        "a.txt": list(data.systems[names[0]])[:LINES],
        "b.txt": list(data.systems[names[1]])[:LINES],
        "ids.txt": [f"doc{at // 4}" for at in range(LINES)],
    }
    texts["joined.txt"] = [" ".join(texts["a.txt"])]
    texts["documents.txt"] = [" ".join(texts["a.txt"][at : at + 4]) for at in range(0, LINES, 4)]
    texts["blank.txt"] = [line for text in texts["documents.txt"] for line in (text, "")]
    for name, lines in texts.items():
        Path(name).write_text("".join(f"{line}\n" for line in lines), "utf-8")
    records = [{"doc_id": f"doc{at}", "hypothesis": text, "x": 5} for at, text in enumerate(texts["documents.txt"])]
    Path("documents.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    return texts


def scored(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[list[dict[str, object]], str]:
    code = run([*words, "-f", "jsonl"])
    out, err = capsys.readouterr()
    assert 0 == code, err
    return [json.loads(line) for line in out.splitlines()], err


def refused(capsys: pytest.CaptureFixture[str], expected: int, *words: str) -> str:
    assert expected == run(list(words))
    return capsys.readouterr().err


def test_a_length_error_names_the_way_out(files: dict[str, list[str]], capsys: pytest.CaptureFixture[str]) -> None:
    message = refused(capsys, 1, "ref.txt", "-i", "joined.txt")
    assert message.endswith("if the lines of the system need not match, --resegment aligns them\n")


@pytest.mark.parametrize(
    "words",
    [
        ("joined.txt",),
        ("documents.txt", "--docids", "ids.txt"),
        ("documents.jsonl", "--docids", "ids.txt"),
        ("blank.txt", "--docids", "ids.txt", "--blank-lines"),
    ],
)
def test_a_text_in_other_lines_is_scored(
    words: tuple[str, ...], files: dict[str, list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    ((found,), err) = scored(capsys, "ref.txt", "-i", *words, "--resegment")
    expected = BLEU().corpus_score(files["a.txt"], [files["ref.txt"]])
    assert abs(expected.score - found["score"]) < 1  # type: ignore[operator]
    assert "|reseg:cue1|" in found["signature"]  # type: ignore[operator]
    about: dict[str, object] = found["segmentation"]  # type: ignore[assignment]
    documents = 10 if "--docids" in words else 1
    assert (documents, documents, LINES) == (about["documents"], about["aligned"], about["segments"])
    effect: dict[str, object] = about["effect"]  # type: ignore[assignment]
    assert found["score"] == effect["resegmented"]
    low, high = effect["range"]  # type: ignore[misc]
    assert low <= found["score"] <= high  # type: ignore[has-type]
    assert f"re-segmented {documents} of {documents} document" in err and "boundaries uncertain, BLEU " in err


def test_lines_that_match_stay_as_they_are_unless_asked(
    files: dict[str, list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    ((auto,), _) = scored(capsys, "ref.txt", "-i", "a.txt", "--resegment")
    assert BLEU().corpus_score(files["a.txt"], [files["ref.txt"]]).score == auto["score"]
    assert 0 == auto["segmentation"]["aligned"]  # type: ignore[index]
    ((always,), _) = scored(capsys, "ref.txt", "-i", "a.txt", "--resegment", "always")
    assert 1 == always["segmentation"]["aligned"]  # type: ignore[index]
    assert auto["score"] == always["segmentation"]["effect"]["as_given"]  # type: ignore[index]


def test_each_method_and_its_options_are_signed_and_read_back(
    files: dict[str, list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    for words, signed in (
        (("--resegment", "mwer"), "mwer"),
        (("--resegment", "mwer-case"), "mwer-case"),
        (("--resegment", "cue", "--breaks", "ignore", "--level", "all"), "cue1.ignore"),
    ):
        ((typed,), _) = scored(capsys, "ref.txt", "-i", "joined.txt", *words)
        assert f"|reseg:{signed}|" in typed["signature"]  # type: ignore[operator]
        assert signed == parse_signature(str(typed["signature"])).context["reseg"]
        ((read,), _) = scored(capsys, "ref.txt", "-i", "joined.txt", "--like", f"BLEU|{typed['signature']}")
        assert (typed["score"], typed["signature"]) == (read["score"], read["signature"])


def test_levels_join_texts(files: dict[str, list[str]], capsys: pytest.CaptureFixture[str]) -> None:
    def by_document(name: str) -> list[str]:
        return [join_texts(files[name][at : at + 4]) for at in range(0, LINES, 4)]

    ((found,), _) = scored(capsys, "ref.txt", "-i", "a.txt", "--level", "document", "--docids", "ids.txt")
    assert BLEU().corpus_score(by_document("a.txt"), [by_document("ref.txt")]).score == found["score"]
    assert "|level:doc|" in found["signature"]  # type: ignore[operator]
    ((whole,), _) = scored(capsys, "-t", "demo", "-l", "en-de", "-i", "atlas", "--level", "document")
    assert "|level:doc|" in whole["signature"]  # type: ignore[operator]
    found_all, _ = scored(capsys, "ref.txt", "-i", "joined.txt", "b.txt", "--resegment", "--level", "all")
    assert 2 == len(found_all)


def test_paired_tests_divide_each_system(files: dict[str, list[str]], capsys: pytest.CaptureFixture[str]) -> None:
    words = ("ref.txt", "-i", "joined.txt", "b.txt", "--resegment", "--paired", "bs", "--paired-n", "20")
    (first, second), err = scored(capsys, *words)
    assert "|reseg:cue1|" in str(first["signature"]) and "p_value" in second
    assert "joined.txt: re-segmented 1 of 1 document" in err and "b.txt: re-segmented 0 of 1 document" in err


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("a.txt", "--breaks", "keep"), 2, "--breaks is about texts that are aligned; it goes with --resegment"),
        (("a.txt", "--resegment", "--blank-lines"), 2, "--blank-lines is about documents"),
        (("a.txt", "--docids", "ids.txt"), 2, "--docids is about paired tests and intervals"),
        (("a.txt", "--level", "document"), 2, "--level document needs the document of each segment"),
        (("a.txt", "--level", "all", "--only", "1-3"), 2, "--only is about segments, and --level joins them"),
        (("a.txt", "--resegment", "mwer", "--breaks", "keep"), 2, "--breaks keep does not go with --resegment mwer"),
        (
            ("documents.jsonl", "--resegment"),
            2,
            "documents.jsonl has documents: name the document of each segment with --docids",
        ),
        (("joined.txt", "--resegment", "--docids", "ids.txt"), 1, "joined.txt has 1 line, expected 10, one for each"),
        (("short.jsonl", "--resegment", "--docids", "ids.txt"), 1, "has no document 'doc9', which the references"),
        (("long.jsonl", "--resegment", "--docids", "ids.txt"), 1, "the references have no document 'docX'"),
        (("twice.jsonl", "--resegment", "--docids", "ids.txt"), 1, "document 'doc0' is there twice"),
        (("a.txt", "--resegment", "mwer", "--like", "BLEU|nrefs:1|reseg:cue1"), 2, "contradict --like"),
        (("a.txt", "--like", "BLEU|nrefs:1|reseg:cue9"), 2, "reseg:cue9, which does not exist"),
        (("a.txt", "--level", "all", "--like", "BLEU|nrefs:1|level:doc"), 2, "--level all contradicts --like"),
    ],
)
def test_what_makes_no_sense_is_refused(
    words: tuple[str, ...], code: int, message: str, files: dict[str, list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    lines = Path("documents.jsonl").read_text("utf-8").splitlines(keepends=True)
    Path("short.jsonl").write_text("".join(lines[:-1]), "utf-8")
    Path("long.jsonl").write_text(
        "".join([*lines, '{"docid": "docX", "doc_id": "docX", "hypothesis": "x"}\n']), "utf-8"
    )
    Path("twice.jsonl").write_text("".join([*lines, lines[0]]), "utf-8")
    assert message in refused(capsys, code, "ref.txt", "-i", *words)


def test_the_command_writes_as_many_lines_as_the_reference(
    files: dict[str, list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    expected = resegment(files["joined.txt"], [files["ref.txt"]])
    assert 0 == run_resegment(["ref.txt", "-i", "joined.txt"])
    out, err = capsys.readouterr()
    assert expected.segments == out.split("\n")[:-1]
    assert "re-segmented 1 of 1 document: " in err
    assert 0 == run_resegment(["ref.txt", "-i", "joined.txt", "-o", "lines.txt", "-q"])
    assert ("", "") == capsys.readouterr()
    assert out == Path("lines.txt").read_text("utf-8")
    assert 0 == run_resegment(
        ["ref.txt", "-i", "documents.jsonl", "--docids", "ids.txt", "-f", "jsonl", "--method", "mwer"]
    )
    objects = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert (list(range(1, LINES + 1)), 10) == ([one["segment"] for one in objects], objects[-1]["document"])
    assert 0 == run_resegment(["ref.txt", "-i", "joined.txt", "-f", "tsv"])
    rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert (LINES + 1, {len(rows[0])}) == (len(rows), set(map(len, rows)))


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["ref.txt", "-i", "joined.txt", "--window", "0"], 2, "--window is 0, expected a number from 1"),
        (["ref.txt", "-i", "joined.txt", "-i", "a.txt"], 2, "there are 2 systems; divide one at a time"),
        (["joined.txt", "ref.txt"], 2, "the output of the system goes after -i, and references come first"),
        (["-i", "joined.txt"], 2, "there are no references"),
        (["ref.txt", "-i", "empty.txt"], 1, "empty.txt is empty"),
        (["joined.txt", "-i", "ref.txt"], 1, f"joined.txt has 1 line, and ref.txt has {LINES}: are they swapped?"),
        (["ref.txt", "-i", "joined.txt", "-o", "ref.txt"], 1, "ref.txt"),
    ],
)
def test_the_command_says_what_is_wrong(
    words: list[str], code: int, message: str, files: dict[str, list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    Path("empty.txt").write_text("", "utf-8")
    assert code == run_resegment(words)
    assert message in capsys.readouterr().err


def test_the_system_of_a_test_set_may_stand_alone(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "joined").write_text(" ".join(demo.load("en-de").systems["atlas"]) + "\n", "utf-8")
    outputs = []
    for words in ([str(tmp_path / "joined")], ["-i", str(tmp_path / "joined")]):
        assert 0 == run_resegment(["-t", "demo", "-l", "en-de", *words])
        outputs.append(capsys.readouterr().out)
    assert 240 == outputs[0].count("\n") and outputs[0] == outputs[1]
