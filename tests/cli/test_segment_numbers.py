"""`--only`: the scores of some segments are those of files that hold nothing else."""

import hashlib
import json
import random
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truebleu import dataset, demo
from truebleu.cli import run as running
from truebleu.cli.commands.score import COMMAND
from truebleu.cli.segment_numbers import Range, numbers_of, read_ranges, signed
from truebleu.metrics import BLEU
from truebleu.metrics.published import parse_signature

run = COMMAND.run

LINES = 60
LIST, NUMBERS = "3-9,17,12-14,40-58,41", [3, 4, 5, 6, 7, 8, 9, 12, 13, 14, 17, *range(40, 59)]
SIGNED = f"{len(NUMBERS)}-" + hashlib.sha256("\n".join(map(str, NUMBERS)).encode()).hexdigest()[:8]
LANGUAGES = ["de", "fr", "en"]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two folders with the same names: all segments, and those of the list alone."""
    data = demo.load("en-de")
    columns = {f"{name}.txt": texts[:LINES] for name, texts in data.systems.items()}
    columns |= {f"ref{at}.txt": texts[:LINES] for at, texts in enumerate(data.references.values())}
    drawn = random.Random(14)
    columns |= {f"{name}.scores": [f"{drawn.random():.3f}" for _ in range(LINES)] for name in data.systems}
    columns["labels.txt"] = [LANGUAGES[at % 3] for at in range(LINES)]
    columns["docs.txt"] = [f"doc{at // 4}" for at in range(LINES)]
    pairs = list(zip(columns["ref0.txt"], columns["ref1.txt"], strict=True))
    columns["tabs.txt"] = ["\t".join(pair) for pair in pairs]
    records = [
        # Only the last segment, which the list leaves out, has three references.
        {"mt": mt, "other": other, "refs": [*pair, "x"] if at == LINES - 1 else pair[: 1 + at % 2], "lang": lang}
        for at, (mt, other, pair, lang) in enumerate(
            zip(columns["atlas.txt"], columns["birch.txt"], pairs, columns["labels.txt"], strict=True)
        )
    ]
    columns["out.jsonl"] = [json.dumps(record) for record in records]
    for folder, kept in (("all", range(1, LINES + 1)), ("some", NUMBERS)):
        (tmp_path / folder).mkdir()
        for name, lines in columns.items():
            text = "".join(f"{lines[number - 1]}\n" for number in kept)
            (tmp_path / folder / name).write_text(text, encoding="utf-8")
    head = "mt\tref\n"
    for folder in ("all", "some"):
        names = [(tmp_path / folder / name).read_text("utf-8").splitlines() for name in ("atlas.txt", "ref0.txt")]
        table = "".join(f"{mt}\t{ref}\n" for mt, ref in zip(*names, strict=True))
        (tmp_path / folder / "out.tsv").write_text(head + table, encoding="utf-8")
    monkeypatch.chdir(tmp_path / "all")
    return tmp_path


def ours(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = run(list(words))
    out, err = capsys.readouterr()
    return code, out, err


SAME = (
    "ref0.txt -i atlas.txt",
    "ref0.txt ref1.txt -i atlas.txt birch.txt -m bleu chrf ter",
    "tabs.txt --num-refs 2 -i atlas.txt --confidence",
    "out.jsonl --hyp-field mt other --ref-field refs",
    "out.jsonl --hyp-field mt --ref-field refs --by lang",
    "out.jsonl --hyp-field mt --ref-field refs --by lang --confidence",
    "out.tsv --hyp-field mt --ref-field ref -m chrf",
    "ref0.txt -i atlas.txt birch.txt --breakdown labels.txt",
    "ref0.txt -i atlas.txt birch.txt cedar.txt --paired bs -pbsn 100",
    "ref0.txt -i atlas.txt birch.txt --paired ar --docids docs.txt --paired-n 100",
    "ref0.txt -i atlas.txt birch.txt --paired bs2 --paired-n 100 --external COMET=atlas.scores,birch.scores",
    "ref0.txt -i atlas.txt birch.txt cedar.txt --paired-all --correction holm --paired-n 200",
    "ref0.txt -i atlas.txt birch.txt --runs 1 --paired sign",
    "ref0.txt -i atlas.txt --sensitivity",
)


@pytest.mark.parametrize("format", ["text", "json"])
@pytest.mark.parametrize("words", SAME)
def test_scores_are_those_of_files_with_these_segments_alone(
    files: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, words: str, format: str
) -> None:
    code, out, err = ours(capsys, *words.split(), "-f", format, "--only", LIST)
    monkeypatch.chdir(files / "some")
    expected = ours(capsys, *words.split(), "-f", format)
    assert f"only:{SIGNED}|" in out
    unsigned = re.sub(rf'only:{SIGNED}\||"only": "{SIGNED}",\s*', "", out)
    assert expected == (code, unsigned, err)


def test_large_files_are_read_into_memory(
    files: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for words in (SAME[0], SAME[3]):
        expected = ours(capsys, *words.split(), "--only", LIST)
        monkeypatch.setattr(running, "LARGE", 1)
        assert expected == ours(capsys, *words.split(), "--only", LIST)
        monkeypatch.undo()
        monkeypatch.chdir(files / "all")


def test_files_of_columns_are_read_into_memory(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    records = [json.loads(line) for line in Path("out.jsonl").read_text("utf-8").splitlines()]
    table = {name: [record[name] for record in records] for name in ("mt", "lang", "refs")}
    parquet.write_table(arrow.table(table), "out.parquet")
    words = ("--hyp-field", "mt", "--ref-field", "refs", "--only", LIST, "-b")
    assert ours(capsys, "out.jsonl", *words) == ours(capsys, "out.parquet", *words)
    code, _, err = ours(capsys, "out.parquet", *words, "--totals-out", "t.parquet")
    assert 2 == code and "--totals-out does not go with --only" in err


def test_segments_keep_the_numbers_that_they_have_in_the_file(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("ref0.txt", "-i", "atlas.txt", "birch.txt", "-sl", "--only", LIST)
    _, out, _ = ours(capsys, *words)
    assert [f"{name}:{number}" for name in ("atlas.txt", "birch.txt") for number in NUMBERS] == [
        line.partition("\t")[0] for line in out.splitlines()
    ]
    _, out, _ = ours(capsys, *words, "-f", "json")
    chosen = json.loads(out)
    _, out, _ = ours(capsys, *words[:-2], "-f", "json")
    whole = {(one["system"], one["segment"]): one["score"] for one in json.loads(out)}
    assert {(one["system"], one["segment"]): one["score"] for one in chosen} == {
        key: score for key, score in whole.items() if key[1] in NUMBERS
    }


def test_a_test_set_is_cut_with_its_fields_and_after_its_filters(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = dataset.testset("demo", "en-de")
    domains, chosen = whole.domains, [*range(50, 100)]
    picked = [number for number in chosen if domains[number - 1] == domains[60]]
    part = [number - 1 for number in picked]
    assert 0 < len(part) < len(chosen)
    stats = BLEU().stats(whole.systems["atlas"], whole.references)
    words = ("-t", "demo", "-l", "en-de", "-i", "atlas", "--only", "50-99", "-f", "json")
    _, out, _ = ours(capsys, *words, "--subset", domains[60])
    found = json.loads(out)
    assert BLEU().score(stats.select(part)).score == found["score"]
    assert f"subset:{domains[60]}|only:{signed(chosen)}|" in found["signature"]
    _, out, _ = ours(capsys, *words, "--breakdown", "domain")
    groups = {one["group"]["label"]: one for one in json.loads(out) if "group" in one}
    assert {domains[number - 1] for number in chosen} == groups.keys()
    assert (len(part), found["score"]) == (groups[domains[60]]["group"]["segments"], groups[domains[60]]["score"])
    _, out, _ = ours(capsys, *words, "--detail")
    details = [one for one in json.loads(out) if one.get("group", {}).get("label", "").endswith(f"={domains[60]}")]
    assert len(part) == sum(one["group"]["segments"] for one in details)
    _, out, _ = ours(capsys, *words, "--subset", domains[60], "-sl")
    assert picked == [one["segment"] for one in json.loads(out)]
    absent = next(number for number, domain in enumerate(domains, 1) if domain != domains[60])
    code, _, err = ours(capsys, *words[:-4], "--only", str(absent), "--subset", domains[60])
    assert 1 == code and "--only selects none of the" in err


def test_a_file_has_a_list_or_more_a_line(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("list.txt").write_text("3-9, 17\n\n12-14 40-58\r\n41\n", encoding="utf-8")
    words = ("ref0.txt", "-i", "atlas.txt", "--only")
    assert ours(capsys, *words, LIST) == ours(capsys, *words, "list.txt")
    assert ours(capsys, *words, "3") == ours(capsys, *words, "3,3, 3-3")


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("0", "--only: found '0', expected numbers from 1"),
        ("0-3", "--only: found '0-3', expected numbers from 1"),
        ("", "--only is '', expected segment numbers such as 12-40,77, or a file with them"),
        ("9-3", "--only: found '9-3', expected the lower number first, as in 3-9"),
        ("3,,4", "--only: found '', expected the number of a segment or a range, as in 12-40"),
        ("3-", "--only: found '3-', expected the number of a segment or a range, as in 12-40"),
        (
            "three",
            "--only is 'three', expected segment numbers such as 12-40,77, or a file with them: there is no such file",
        ),
        ("2,58-61", "--only: found '58-61', expected numbers from 1 to 60: atlas.txt has 60 segments"),
        ("9" * 17, f"--only: found '{'9' * 17}', expected numbers from 1 to 60: atlas.txt has 60 segments"),
    ],
)
def test_wrong_lists_are_refused(files: Path, capsys: pytest.CaptureFixture[str], typed: str, message: str) -> None:
    code, out, err = ours(capsys, "ref0.txt", "-i", "atlas.txt", "--only", typed)
    assert (2, "", f"truebleu: {message}\nTry 'truebleu --help'.\n") == (code, out, err)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("1\n0\n", "list.txt, line 2: found '0', expected numbers from 1"),
        ("1\n2 x\n", "list.txt, line 2: found 'x', expected the number of a segment or a range, as in 12-40"),
        ("5-4", "list.txt, line 1: found '5-4', expected the lower number first, as in 4-5"),
        (
            " \n",
            "list.txt has no segments, expected segment numbers such as 12-40,77, one or more lists per line",
        ),
        ("1\n\n61", "list.txt, line 3: found '61', expected numbers from 1 to 60: atlas.txt has 60 segments"),
    ],
)
def test_wrong_files_of_lists_are_refused_with_the_line(
    files: Path, capsys: pytest.CaptureFixture[str], content: str, message: str
) -> None:
    Path("list.txt").write_text(content, encoding="utf-8")
    assert (1, "", f"truebleu: {message}\n") == ours(capsys, "ref0.txt", "-i", "atlas.txt", "--only", "list.txt")


def test_a_label_is_needed_for_each_segment_of_the_files(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("ref0.txt", "-i", "atlas.txt", "--only", LIST, "--breakdown", "../some/labels.txt")
    code, _, err = ours(capsys, *words)
    assert 1 == code and f"has {len(NUMBERS)} lines, the systems have 60 segments" in err


def test_like_reads_which_segments_a_score_is_of(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("ref0.txt", "-i", "atlas.txt")
    _, line, _ = ours(capsys, *words, "--only", LIST)
    assert SIGNED == parse_signature(line).context["only"]
    assert (0, line, "") == ours(capsys, *words, "--only", LIST, "--like", line)
    _, _, err = ours(capsys, *words, "--like", line)
    assert f"with only:{SIGNED}; --only names the segments" in err
    _, _, err = ours(capsys, *words, "--only", "1-9", "--like", line)
    assert f"with only:{SIGNED}, here it is only:{signed(range(1, 10))}" in err
    _, out, _ = ours(capsys, *words, "--only", LIST, "--short")
    assert SIGNED == parse_signature(out).context["only"]
    _, out, _ = ours(capsys, *words, "--only", LIST, "--report")
    assert f"Notes: only some segments (number and hash): {SIGNED}" in out


def test_the_doctor_looks_at_whole_files(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = ours(capsys, "ref0.txt", "-i", "atlas.txt", "--only", LIST, "--doctor")
    assert 2 == code and "leave out --runs, --only and files of columns" in err


@given(st.lists(st.tuples(st.integers(1, 50), st.integers(0, 20)), min_size=1, max_size=12))
def test_ranges_are_the_numbers_in_them_each_once_and_in_order(pairs: list[tuple[int, int]]) -> None:
    text = ",".join(str(first) if not more else f"{first}-{first + more}" for first, more in pairs)
    ranges = read_ranges(text)
    assert all(isinstance(one, Range) for one in ranges)
    expected = sorted({number for first, more in pairs for number in range(first, first + more + 1)})
    assert expected == numbers_of(ranges, 70, "x")
