"""`truebleu.overlap`: examples, generated corpora against sets of tuples, files of all kinds, and refusals."""

import bz2
import gzip
import json
import lzma
import random
import subprocess
import sys
import textwrap
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import truebleu
from oracle import overlap as slow
from truebleu import Overlap, _core, overlap, read_lines
from truebleu._logs import heard
from truebleu.contamination import readings
from truebleu.errors import (
    EmptyCorpus,
    FileFormatError,
    InputError,
    InputTypeError,
    LengthMismatch,
    MissingDependency,
    MissingFile,
    MissingReferences,
    OptionError,
    StatsMismatch,
    UndecodableText,
)

HERON = "A grey heron stood by the pond and waited for a fish ."
RAIN = "Rain fell on all the roofs of the old town that night ."


def of(test: Sequence[str], records: Sequence[str], **options: Any) -> Overlap:
    return overlap(references=[list(test)], texts=list(records), **options)


def first(found: Overlap, segment: int = 0) -> Any:
    return found.segments[segment].references[0]


@pytest.mark.parametrize(
    "record",
    [
        HERON,
        HERON.upper(),
        "So: \u201ca grey heron stood, by the pond \u2013 and waited for a fish\u201d.",
        "A  grey\nheron\tstood by\nthe pond\n\nand waited for a fish",
        "\uff21 grey her\xadon stood by the po\u200bnd and waited for a fish",
    ],
)
def test_a_copy_is_found_however_it_is_written(record: str) -> None:
    found = of([HERON, RAIN], ["x", record])
    assert (("overlapping", "clean"), 1.0, 12, 1) == (
        found.verdicts, first(found).coverage, first(found).longest, first(found).records,
    )  # fmt: skip
    assert [("", 2, None)] == [tuple(place) for place in first(found).first]


def test_apostrophes_and_marks_do_not_matter() -> None:
    test = "L\u2019\u00e9t\u00e9 dernier, c'e\u0301tait d\u2019e\u0301videntes vacances a\u0300 la mer"
    assert 1.0 == first(of([test], [test.replace("\u2019", "").replace("'", "").replace("\u00e9", "e\u0301")])).coverage


def test_no_ngram_crosses_a_record() -> None:
    halves = [" ".join(HERON.split()[:6]), " ".join(HERON.split()[6:])]
    assert ("clean",) == of([HERON], halves).verdicts
    assert ("overlapping",) == of([HERON], [" ".join(halves)]).verdicts


def test_short_texts_are_found_whole_and_shorter_ones_are_no_group_of_the_clean() -> None:
    test = ["Rain fell on the town .", "Rain fell .", "Rain fell on the street ."]
    found = of(test, ["In the night rain fell on the town, and on the hills."])
    assert ("overlapping", "too short", "clean") == found.verdicts
    assert (1, 1, 5) == (first(found).ngrams, first(found).of, first(found).longest)


def test_texts_without_spaces_are_found_by_characters() -> None:
    test = ["昔々あるところにお爺さんとお婆さんがいました。", "短い文です。"]
    found = of(test, ["昔々あるところにお爺さんとお婆さんが住んでいた"])
    assert (22, 18, 18) == (first(found).units, round(22 * first(found).coverage), first(found).longest)
    assert ("overlapping", "too short") == found.verdicts


def test_rules() -> None:
    record = [" ".join(HERON.split()[:9])]
    assert 9 / 12 == first(of([HERON], record)).coverage
    for rule, verdict in [
        ("any", "overlapping"), ("coverage:0.75", "overlapping"), ("coverage:0.8", "clean"),
        ("longest:9", "overlapping"), ("longest:10", "clean"),
    ]:  # fmt: skip
        assert (verdict,) == of([HERON], record, rule=rule).verdicts, rule


def test_sides_and_pairs_in_neighbouring_records() -> None:
    german = "Ein grauer Reiher stand am Teich und wartete auf einen Fisch ."
    for records, verdicts in {
        (german, HERON): ("overlapping", "overlapping", "overlapping", "overlapping"),
        (HERON, german): ("overlapping", "overlapping", "overlapping", "overlapping"),
        (german + " " + HERON,): ("overlapping", "overlapping", "overlapping", "overlapping"),
        (german, "x", HERON): ("overlapping", "overlapping", "overlapping", "clean"),
        (german,): ("overlapping", "overlapping", "clean", "clean"),
    }.items():
        found = [
            overlap(sources=[german], references=[[HERON]], texts=records, side=side).verdicts[0]
            for side in ("any", "source", "reference", "pair")
        ]
        assert verdicts == tuple(found), records


def test_ngrams_of_too_many_records_are_left_out() -> None:
    found = of([HERON], [HERON] * 4 + [HERON + " " + RAIN], common=4)
    text = first(found)
    assert (("clean",), 0.0, 1.0, 5, 12) == (
        found.verdicts, text.coverage, text.coverage_common, text.records, text.longest,
    )  # fmt: skip
    assert ("a grey heron stood by the pond and", 5) == found.often[0]
    assert ("overlapping",) == of([HERON], [HERON] * 4, common=4).verdicts


def test_a_missing_reference_has_no_overlap() -> None:
    found = overlap(references=[[HERON, RAIN], [None, HERON]], texts=[HERON])
    assert [True, False] == [one is None for one in (one.references[1] for one in found.segments)]
    assert ("overlapping", "overlapping") == found.verdicts


@pytest.mark.parametrize(
    ("side", "verdicts"),
    [
        ("any", ("clean", "clean", "too short")), ("source", ("clean", "too short", "too short")),
        ("reference", ("too short", "clean", "too short")), ("pair", ("too short",) * 3),
    ],
)  # fmt: skip
def test_a_segment_without_a_text_to_be_found_is_never_clean(side: str, verdicts: tuple[str, ...]) -> None:
    found = overlap(sources=[HERON, None, None], references=[[None, RAIN, None]], texts=["x"], side=side)
    assert verdicts == found.verdicts


# --- the slow way ---------------------------------------------------------------------------------

_PIECES = [
    "a", "B", "c", "dd", "e1", " ", " ", " ", " ", "\n", "'", "-", ".", "é", "e\u0301", "ß", "ﬁ", "І", "ї", "Ж", "家",
    "が", "か\u3099", "ｶﾞ", "ー", "ไ", "ท\u0e35\u0e48", "ကု", "한", "\u1112\u1161\u11ab", "\u0301", "\u0323", "²",
    "\u200b", "\u00ad", "٣", "\U0001f600", "\ufe0f", "ος", "ΟΣ", "İ", "ǆ", "़", "ि",
]  # fmt: skip
TEXT = st.lists(st.sampled_from(_PIECES), max_size=40).map("".join)


def agrees(texts: list[str], records: list[str], common: int, threads: int | None, like: str | None) -> None:
    words, letters = ((3, 3), (4, 4)) if like else ((3, 5), (4, 8))
    found = of(texts, records, n=3, characters=4, common=common, threads=threads, like=like, errors="replace")
    expected = slow.search(texts, records, words, letters, common, like is not None)
    for text, one in zip(texts, expected, strict=True):
        ours = first(found, texts.index(text))
        numbers = (
            ours.units, round(ours.coverage * ours.units), round(ours.coverage_common * ours.units), ours.longest,
            ours.ngrams, ours.of, ours.records, tuple(place.record for place in ours.first),
        )  # fmt: skip
        assert one == numbers, text


@given(st.lists(TEXT, min_size=1, max_size=6), st.lists(TEXT, min_size=1, max_size=6), st.data())
def test_what_is_found_is_what_sets_of_tuples_find(texts: list[str], records: list[str], data: st.DataObject) -> None:
    copies = data.draw(st.lists(st.sampled_from(texts), max_size=3))
    records = records + [one + data.draw(TEXT) for one in copies]
    like = data.draw(st.sampled_from([None, "lm-eval"]))
    if "".join(records):
        agrees(texts, records, data.draw(st.integers(1, 4)), data.draw(st.sampled_from([None, 1, 2, 7])), like)


@given(st.binary(max_size=120) | TEXT.map(str.encode), st.lists(st.integers(1, 9), min_size=1, max_size=5))
def test_blocks_may_end_anywhere(content: bytes, sizes: list[int]) -> None:
    """Inside a character, a word, a record; broken bytes included."""
    test = ["a b c dd e1 é 家 が", "家が ท\u0e35\u0e48 家", "a a a a a"]
    for records in ("lines", "blank", "file"):
        results = []
        for blocks in ([len(content) or 1], sizes):
            scan, at = _scan(test, threads=len(results) + 1), 0
            while at < len(content):
                for size in blocks:
                    assert scan.feed(content[at : at + size], records) is None
                    at += size
            assert scan.end_file() is None
            results.append((scan.matches(2), scan.read(), scan.paired()))
        assert results[0] == results[1]


def _scan(texts: list[str], threads: int = 1) -> _core.OverlapScan:
    reading = readings.folded()
    return _core.OverlapScan(
        reading.cells, reading.pool, beyond=False, alone=True, texts=texts, sides=[(at, 1) for at in range(len(texts))],
        words=(3, 2), characters=(4, 2), replace=True, threads=threads,
    )  # fmt: skip


def test_letters_are_those_of_nfkc_and_case_folding() -> None:
    """Two texts are equal here if and only if Unicode's own folding makes them equal."""
    import unicodedata

    draw = random.Random(5)
    for _ in range(3000):
        one = "".join(draw.choices(_PIECES, k=draw.randint(1, 8)))
        other = "".join(draw.choice([one[at].swapcase(), one[at], one[at]]) for at in range(len(one)))
        forms = [unicodedata.normalize(draw.choice(["NFC", "NFD", "NFKC"]), text) for text in (one, other)]
        nfkc = [unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()) for text in forms]
        if nfkc[0] == nfkc[1]:
            assert slow.units(forms[0]) == slow.units(forms[1])


# --- lm-evaluation-harness ------------------------------------------------------------------------

_WORDS = ["a", "B.", "it's", "(c)", "Ä", "“d”", "e", "f"]
_SENTENCE = st.lists(st.sampled_from(_WORDS), max_size=40).map(" ".join)


@given(_SENTENCE, st.lists(_SENTENCE, min_size=1, max_size=4), st.integers(3, 5))
def test_flags_are_those_of_the_harness_without_free_standing_punctuation(
    test: str, records: list[str], n: int
) -> None:
    records = [*records, f"x {test[:30]} y"]
    found = of([test], records, n=n, like="lm-eval", common=2**31)
    assert slow.janitor_finds(test, records, n) == found.flags[0]


def test_300_a_free_standing_mark_in_training_text() -> None:
    test, record = " ".join([HERON, RAIN]), " ".join([HERON, "-", RAIN])
    words = [word for word in test.split() if word != "."]
    assert not slow.janitor_finds(" ".join(words[8:21]), [record])
    assert ("overlapping",) == of([" ".join(words[8:21])], [record], like="lm-eval").verdicts
    assert ("overlapping",) == of([" ".join(words[8:21])], [record]).verdicts


def test_301_texts_of_few_words() -> None:
    assert not slow.janitor_finds(RAIN, [RAIN])
    assert ("overlapping",) == of([RAIN], [RAIN], n=13).verdicts
    assert ("too short",) == of([RAIN], [RAIN], like="lm-eval").verdicts


# --- real texts -----------------------------------------------------------------------------------


def test_planted_copies_are_found_and_other_text_is_not(wmt22: Path) -> None:
    english, ukrainian, livonian = (
        read_lines(next((wmt22 / "references").glob(f"*.{pair}.ref.*.en.gz"))) for pair in ("cs-en", "uk-en", "liv-en")
    )
    others = ukrainian + livonian
    clean = of(english, others, rule="any")
    assert sum(clean.flags) <= 0.005 * len(english)
    assert sum(of(english, others).flags) <= 0.001 * len(english)
    assert 0 == sum(of(english, others, rule="any", n=13).flags)
    records = [f"{others[at % len(others)]} {line.upper()}\n{others[-1]}" for at, line in enumerate(english)]
    found = of(english, records, common=2**31)
    for at, (text, one) in enumerate(zip(english, found.segments, strict=True), 1):
        assert one.verdict == ("overlapping" if slow.units(text)[4:] else "too short")
        assert one.verdict == "too short" or 1.0 == one.references[0].coverage  # type: ignore[union-attr]
        assert (
            one.verdict == "too short"
            or any(place.record == at for place in one.references[0].first)
            or (
                one.references[0].records > 3  # type: ignore[union-attr]
            )
        )


# --- files ----------------------------------------------------------------------------------------


def found_in(path: Path | str, **options: Any) -> Overlap:
    return overlap(references=[[HERON, RAIN]], train=path, **options)


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, lzma.compress])
def test_files_are_read_compressed_or_not(tmp_path: Path, pack: Any) -> None:
    path = tmp_path / "train.bin"
    content = f"\ufeffone\r\n{RAIN}\r\n\r\nx".encode()
    path.write_bytes(pack(content))
    found = found_in(path)
    assert [(str(path), 2, 8)] == [tuple(place) for place in first(found, 1).first]
    assert [(str(path), len(content), 4, 0, "line")] == [tuple(one) for one in found.train]


def test_zstandard_is_read(tmp_path: Path) -> None:
    zstandard = pytest.importorskip("zstandard")
    path = tmp_path / "train.txt.zst"
    path.write_bytes(zstandard.compress(HERON.encode()))
    assert ("overlapping", "clean") == found_in(path).verdicts


def test_records_of_plain_text(tmp_path: Path) -> None:
    path = tmp_path / "train.txt"
    path.write_text("x\n\n\n" + HERON.replace(" pond", "\npond") + "\n \ny\n", "utf-8")
    assert ("clean", "clean") == found_in(path).verdicts
    blank = found_in(path, records="blank")
    assert [(str(path), 2, 4)] == [tuple(place) for place in first(blank).first]
    assert (3, 1) == (blank.train[0].records, found_in(path, records="file").train[0].records)
    assert [(str(path), 1, 0)] == [tuple(place) for place in first(found_in(path, records="file")).first]


def test_json_lines(tmp_path: Path) -> None:
    path = tmp_path / "train.jsonl"
    rows = [{"text": "x", "a": {"b": "é"}}, {"text": None, "a": {"b": RAIN}}, {"text": HERON, "a": {"b": ""}}]
    path.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n", "utf-8")
    start = len(json.dumps(rows[0], ensure_ascii=False).encode()) + 1
    assert ("overlapping", "clean") == found_in(path).verdicts
    assert [(str(path), 2, start)] == [tuple(place) for place in first(found_in(path, field="a.b"), 1).first]
    assert ("overlapping", "overlapping") == found_in(path, field=["text", "a.b"]).verdicts
    assert 3 == found_in(path, field=["text", "a.b"]).train[0].records


@pytest.mark.parametrize(
    "second", ['{"text": "b", "a": 1}', '{"text": null}', '{"text": "\\ud800 b"}', "", '{"text": "é"}']
)
def test_pyarrow_and_python_read_json_lines_alike(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, second: str) -> None:
    pytest.importorskip("pyarrow")
    path = tmp_path / "train.jsonl"
    path.write_text("\n".join([json.dumps({"text": RAIN, "b": [1]}), second, json.dumps({"text": HERON})]), "utf-8")
    found = []
    for size in (0, 10**9):
        monkeypatch.setattr("truebleu.contamination.training._WORTH", size)
        found.append(found_in(path))
    assert found[0] == found[1]
    assert ("overlapping", "overlapping") == found[0].verdicts
    path.write_bytes(b'{"text": "a", "b": "\xff"}\n')
    for size in (0, 10**9):
        monkeypatch.setattr("truebleu.contamination.training._WORTH", size)
        with pytest.raises(UndecodableText, match="line 1"):
            found_in(path)


def test_ngrams_do_not_cross_fields(tmp_path: Path) -> None:
    path, words = tmp_path / "train.jsonl", HERON.split()
    path.write_text(json.dumps({"a": " ".join(words[:6]), "b": " ".join(words[6:])}), "utf-8")
    assert ("clean", "clean") == found_in(path, field=["a", "b"]).verdicts


def test_tables(tmp_path: Path) -> None:
    tsv, csv = tmp_path / "train.tsv", tmp_path / "train.csv"
    tsv.write_text(f'id\ttext\n1\t"{RAIN}\n2\t{HERON}\n', "utf-8")
    csv.write_text(f'id,text\n1,"one\ntwo"\n2,"{HERON}"\n', "utf-8")
    assert [(str(tsv), 2, 12 + len(RAIN))] == [tuple(place) for place in first(found_in(tsv)).first]
    assert ("overlapping", "overlapping") == found_in(tsv, field="2").verdicts
    assert ("overlapping", "clean") == found_in(csv).verdicts
    assert 2 == found_in(csv).train[0].records


def test_columns(tmp_path: Path) -> None:
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "train.parquet"
    parquet.write_table(pa.table({"text": ["x", HERON, None], "more": [RAIN, "y", "z"]}), path)
    assert [(str(path), 2, None)] == [tuple(place) for place in first(found_in(path)).first]
    assert ("clean", "overlapping") == found_in(path, field=["more"]).verdicts
    with pytest.raises(FileFormatError, match="no column 'body'; the columns are 'text', 'more'"):
        found_in(path, field="body")


def test_several_files_are_sorted_and_counted(tmp_path: Path) -> None:
    for name, text in (("b.txt", HERON), ("a.txt", RAIN), ("c.txt", "x")):
        (tmp_path / name).write_text(text, "utf-8")
    found = found_in(str(tmp_path / "*.txt"))
    assert ["a.txt", "b.txt", "c.txt"] == [Path(one.path).name for one in found.train]
    assert (3, 3) == (found.totals["files"], found.totals["records"])
    # Records of two files are no neighbours.
    pair = overlap(sources=[HERON], references=[[RAIN]], train=str(tmp_path / "*.txt"), side="pair")
    assert ("clean",) == pair.verdicts


def test_a_folder_stands_for_all_files_in_it(tmp_path: Path) -> None:
    for folder in (".git", "none"):
        (tmp_path / "part" / folder).mkdir(parents=True)
    files = {"b.txt": HERON, "part/a.jsonl": json.dumps({"text": RAIN}), "_SUCCESS": "", "part/.git/x": "\xff"}
    for name, text in files.items():
        (tmp_path / name).write_text(text, "latin-1")
    found = found_in(tmp_path)
    assert ["b.txt", "a.jsonl"] == [Path(one.path).name for one in found.train]
    assert ("overlapping", "overlapping") == found.verdicts
    with pytest.raises(MissingFile, match="is a folder without a file"):
        found_in(tmp_path / "part" / "none")


def test_a_file_that_has_the_whole_test_set_is_told(tmp_path: Path) -> None:
    path, messages = tmp_path / "train.txt", list[str]()
    path.write_text(f"{HERON}\n{RAIN}\n", "utf-8")
    with heard(messages), warnings.catch_warnings():
        found_in(path)
        path.write_text(f"{RAIN}\n{HERON}\n", "utf-8")
        found_in(path)
    assert [f"{path} contains 100 % of the test set in order (the references)"] == messages


# --- refusals -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "options", "error", "words"),
    [
        (b"one\ntw\xffo", {}, UndecodableText, "byte 7 is 0xff, which is not utf-8"),
        (b"one\xe5", {}, UndecodableText, "byte 4 is 0xe5"),
        (b"", {}, EmptyCorpus, "0 bytes"),
        (b'{"text": "a"}\n{"body": "b"}', {"format": "jsonl"}, FileFormatError, "line 2: there is no field 'text'"),
        (b'{"text": "a"}\n{"text": ', {"format": "jsonl"}, FileFormatError, "line 2: not JSON"),
        (b'{"text": 5}', {"format": "jsonl"}, FileFormatError, "the field 'text' is a number, expected a text"),
        (b"id\tbody\n", {"format": "tsv"}, FileFormatError, "no column 'text'; the columns are 'id', 'body'"),
        (b"text\tx\na\n", {"format": "tsv"}, FileFormatError, "line 2: found 1 cell, expected 2"),
        (b"x", {"field": "text"}, OptionError, "plain text by its name"),
        (b"x", {"n": 2}, OptionError, "n is 2, expected a whole number from 3 to 64"),
        (b"x", {"n": 65}, OptionError, "from 3 to 64"),
        (b"x", {"rule": "coverage:2"}, OptionError, "expected any, coverage:SHARE up to 1, or longest:WORDS"),
        (b"x", {"side": "source"}, MissingReferences, "side is 'source', and the test set has no sources"),
        (b"x", {"like": "gpt"}, OptionError, "expected one of 'lm-eval'"),
        (b"x", {"records": "pages"}, OptionError, "expected one of 'lines', 'blank', 'file'"),
    ],
)
def test_what_is_wrong_is_said(
    tmp_path: Path, content: bytes, options: dict[str, Any], error: type[Exception], words: str
) -> None:
    path = tmp_path / "train"
    path.write_bytes(content)
    with pytest.raises(error) as caught:
        found_in(path, **options)
    assert words in str(caught.value)


def test_zstandard_without_its_package_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "train.txt.zst"
    path.write_bytes(b"\x28\xb5\x2f\xfd" + bytes(20))
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(MissingDependency, match="zst"):
        found_in(path)


def test_large_test_sets_are_told_and_larger_ones_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    messages = list[str]()
    monkeypatch.setattr("truebleu.contamination.found._MUCH", 20)
    with heard(messages):
        of([HERON, RAIN], [HERON])
    assert ["the test set has about 26 words and takes about 0 MB"] == messages
    monkeypatch.setattr("truebleu.contamination.found._MOST_GRAMS", 25)
    with pytest.raises(OptionError, match="the words of the test set are 26, expected at most 25; divide it"):
        of([HERON, RAIN], [HERON])


@pytest.mark.guard
@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss has other units elsewhere")
def test_a_record_without_end_takes_no_memory() -> None:
    """A hundred blocks of one record take no more than ten."""
    program = """
        import resource, sys
        from contamination.test_found import HERON, _scan
        scan, block = _scan([HERON]), (HERON + " of words that nobody looks for").encode() * 40000
        for at in range(100):
            assert scan.feed(block, "lines") is None
            if at == 10:
                before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        assert scan.end_file() is None
        assert scan.matches(9)[0][0][3] == 12 and scan.read()[0] == 1
        print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024)
    """
    tests = Path(__file__).parents[1]
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, check=True, cwd=tests
    )
    assert float(run.stdout) < 16


def test_errors_may_be_replaced_or_skipped(tmp_path: Path) -> None:
    path = tmp_path / "train.jsonl"
    path.write_bytes(json.dumps({"text": HERON}).encode() + b'\n{"text"\n{"text": "\xff ' + RAIN.encode() + b'"}\n')
    found = found_in(path, errors="skip")
    assert (("overlapping", "overlapping"), 1, 3) == (found.verdicts, found.train[0].skipped, found.train[0].records)
    with pytest.raises(FileFormatError):
        found_in(path, errors="replace")
    plain = tmp_path / "train.txt"
    plain.write_bytes(b"\xff" + HERON.encode() + b"\xe5\x9b")
    replaced = found_in(plain, errors="replace")
    assert (("overlapping", "clean"), 2) == (replaced.verdicts, replaced.totals["replaced"])


def test_a_test_set_is_needed_and_texts_of_one_length() -> None:
    with pytest.raises(MissingReferences):
        overlap(texts=[HERON])
    with pytest.raises(LengthMismatch):
        overlap(sources=[HERON], references=[[HERON, RAIN]], texts=[HERON])
    with pytest.raises(OptionError, match="no training text"):
        overlap(references=[[HERON]])
    with pytest.raises(InputError, match="flat list"):
        overlap(references=[HERON], texts=[HERON])  # type: ignore[list-item]
    with pytest.raises(InputTypeError, match="testset is the plain string 'wmt22', expected what"):
        overlap("wmt22", texts=[HERON])  # type: ignore[arg-type]
    with pytest.raises(InputTypeError, match="record 5001 of texts is of type int, expected a string"):
        overlap(references=[[HERON]], texts=[*["x"] * 5000, 3])  # type: ignore[list-item]


# --- results --------------------------------------------------------------------------------------


def test_a_result_is_saved_and_read_again(tmp_path: Path) -> None:
    found = overlap(sources=["x y z u v", None], references=[[HERON, RAIN]], texts=[HERON, RAIN[:30]], common=1)
    found.save(tmp_path / "overlap.json")
    assert found == Overlap.load(tmp_path / "overlap.json")
    found.require_test([[HERON, RAIN]])
    with pytest.raises(StatsMismatch, match="other references"):
        found.require_test([[HERON, HERON]])
    (tmp_path / "other.json").write_text('{"schema": 1}', "utf-8")
    with pytest.raises(FileFormatError, match="no file that truebleu overlap has written"):
        Overlap.load(tmp_path / "other.json")


def test_a_result_is_a_table() -> None:
    pytest.importorskip("pyarrow")
    rows = of([HERON, RAIN], [HERON]).to_arrow().to_pylist()
    assert {"segment": 1, "verdict": "overlapping", "reference_coverage": 1.0, "reference_longest": 12} == {
        name: rows[0][name] for name in ("segment", "verdict", "reference_coverage", "reference_longest")
    }


def test_a_test_set_by_its_name() -> None:
    test = truebleu.testset("demo", "en-de")
    found = overlap(test, texts=[test.references[0][3]])
    assert "overlapping" == found.verdicts[3]
    assert "demo en-de" == found.test["name"]


def test_scores_of_parts() -> None:
    found = of([HERON, RAIN, "Rain ."], [HERON])
    assert {"all": (3, 3.0), "clean": (1, 1.0), "overlapping": (1, 0.0), "too short": (1, 2.0)} == found.split(
        lambda places: float(sum(places))
    )
