"""Large files of JSON lines are counted batch by batch, and the output is that of the usual way to the byte."""

import gzip
import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from strategies import Generator
from truebleu import _textio
from truebleu.cli import fields
from truebleu.cli import run as running
from truebleu.cli.commands.score import COMMAND

run = COMMAND.run

ROWS = 90


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    drawn = Generator("records", longest=30)
    corpus = drawn.corpus(ROWS, 3)
    clean = [text.encode("utf-8", "replace").decode() for text in corpus.hypotheses]
    rows: list[dict[str, Any]] = []
    for at, text in enumerate(clean):
        refs = [stream[at] and stream[at].encode("utf-8", "replace").decode() for stream in corpus.streams]
        refs = [ref for ref in refs if ref is not None] or ["x"]
        rows.append({"mt": text, "other": text[::-1], "refs": refs, "ref": refs[0], "lang": ["de", "fr", "en"][at % 3]})
        rows[-1] |= {"n": at % 2, "third": [refs[0], None, text], "odd": [text, "b", refs[0]]}

    def lines(**changed: Any) -> str:
        changes = {at: values for values in changed.values() for at in [values.pop("at")]}
        return "".join(json.dumps(row | changes.get(at, {})) + "\n" for at, row in enumerate(rows))

    contents = {
        "all.jsonl": lines(),
        "all.json": lines(),
        "list.json": json.dumps(rows),
        "cut.jsonl": lines().rstrip("\n"),
        "ends.jsonl": lines() + "\n \n\t\n",
        "gap.jsonl": lines() + "\n\n" + lines(),
        "blank.jsonl": "\n" + lines(),
        "crlf.jsonl": lines().replace("\n", "\r\n"),
        "returns.jsonl": lines().replace("\n", "\r"),
        "mark.jsonl": "\ufeff" + lines(),
        "broken.jsonl": lines() + "{",
        "null.jsonl": lines(bad={"at": 70, "mt": None}),
        "number.jsonl": lines(bad={"at": 70, "ref": 7}),
        "unreferenced.jsonl": lines(bad={"at": 70, "ref": None, "refs": []}),
        "mixed.jsonl": lines(bad={"at": 70, "lang": 1}),
        "missing.jsonl": "".join(json.dumps(row if at < 70 else {"mt": "a"}) + "\n" for at, row in enumerate(rows)),
        "surrogate.jsonl": lines(bad={"at": 70, "mt": "\ud800 a"}),
        "empty.jsonl": "",
        "stops.jsonl": json.dumps({"mt": "a b .", "ref": "a b .", "lang": "de"}) + "\n" * 1
        + "".join(json.dumps({"mt": f"a {at} .", "ref": f"b {at} .", "lang": "de"}) + "\n" for at in range(200)),
        "unequal.jsonl": lines(more={"at": 80, "refs": ["a", "b", "c", "d"]}),
        "hollow.jsonl": "".join(json.dumps({"mt": " ", "ref": "", "refs": ["", "a"]}) + "\n" for _ in range(30)),
    }  # fmt: skip
    for name, content in contents.items():
        Path(name).write_text(content, "utf-8", newline="")
    Path("all.jsonl.gz").write_bytes(gzip.compress(lines().encode()))
    Path("false.jsonl.gz").write_text(lines())
    Path("latin.jsonl").write_bytes(lines().encode() + b'{"mt": "\xe9"}\n')
    return tmp_path


def answers(words: str, large: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(running, "LARGE", large)
    monkeypatch.setattr(_textio, "_BLOCK", 4000)
    code = run(words.split())
    return (code, *capsys.readouterr())


_NAMES = (
    "all.jsonl all.json list.json cut.jsonl ends.jsonl gap.jsonl blank.jsonl crlf.jsonl returns.jsonl mark.jsonl "
    "broken.jsonl null.jsonl number.jsonl unreferenced.jsonl mixed.jsonl missing.jsonl surrogate.jsonl empty.jsonl "
    "stops.jsonl hollow.jsonl all.jsonl.gz false.jsonl.gz latin.jsonl nowhere.jsonl ."
)
NAMES = _NAMES.split()
WORDS = [
    *(f"{name} --hyp-field mt --ref-field ref" for name in NAMES),
    *(f"{name} --hyp-field mt --ref-field ref --by lang -f json" for name in NAMES),
    "all.jsonl --hyp-field mt other --ref-field refs -m bleu chrf ter gleu -f json",
    "all.jsonl --hyp-field mt --ref-field refs -m ter -f json",
    "all.jsonl --hyp-field mt --ref-field odd -m ter bleu -f json",
    "all.jsonl --hyp-field mt --ref-field ref third --by n lang -m ter bleu -f json",
    "all.jsonl --hyp-field mt other --ref-field odd --by lang -m ter chrf -f csv",
    "unequal.jsonl --hyp-field mt --ref-field refs -m bleu ter",
    "unequal.jsonl --hyp-field mt --ref-field refs --by lang -m bleu ter -f json",
    "hollow.jsonl --hyp-field mt --ref-field refs",
    "all.jsonl --hyp-field ref --ref-field refs",
    "all.jsonl --hyp-field mt --ref-field ref -lc -tok intl --empty-refs keep",
    "all.jsonl --hyp-field mt --ref-field ref --like BLEU|nrefs:2|case:lc|eff:no|tok:intl|smooth:exp|version:2.4.0",
    "all.jsonl --hyp-field mt --ref-field ref --report",
    "all.jsonl --hyp-field mt --ref-field ref --detail",
    "all.jsonl --hyp-field mt --ref-field ref -e latin-1",
    "all.jsonl -i all.jsonl --hyp-field mt --ref-field ref",
    "all.jsonl --hyp-field mt --ref-field ref --sentence-level",
    "all.jsonl --hyp-field mt --ref-field ref --confidence -cin 5",
]


@pytest.mark.parametrize("words", WORDS)
def test_the_output_is_that_of_the_usual_way(
    words: str, files: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = answers(words, 1 << 60, capsys, monkeypatch)
    assert usual == answers(words, 0, capsys, monkeypatch)


@pytest.mark.parametrize("words", ["", "--by lang", "--by n lang -m bleu chrf ter"])
@pytest.mark.parametrize("name", ["all.jsonl", "all.json", "cut.jsonl", "ends.jsonl", "crlf.jsonl", "all.jsonl.gz"])
def test_records_are_counted_without_being_kept(
    name: str, words: str, files: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "read_job", lambda *given: pytest.fail("the file was read whole"))
    code, out, _ = answers(f"{name} --hyp-field mt --ref-field refs {words}", 0, capsys, monkeypatch)
    assert 0 == code and out


KINDS: dict[str, Any] = {
    "alike": {},
    "a null": {"mt": None},
    "an absent field": {"mt": ...},
    "a number": {"mt": 7},
    "a list": {"ref": ["a", "b"]},
    "a key of another kind": {"n": "x"},
    "a large key": {"n": 2**70},
    "a name with a dot": {"out.mt": "b"},
    "no object": {"out": 5},
    "a null inside": {"out": {"mt": None}},
    "no name": {"system": ""},
    "deep": {"more": json.loads("[" * 300 + "]" * 300)},
    "not a number": {"more": float("nan")},
    "no reference": {"refs": []},
    "half a reference": {"refs": [None, "a"]},
    "many references": {"refs": ["a", "b", "c", "d"]},
}
LINES = {
    "as it is": lambda text: text,
    "twice a field": lambda text: text.replace('{"mt"', '{"mt": "z", "mt"', 1),
    "two on a line": lambda text: text.replace("}\n{", "} {", 1),
    "a space between": lambda text: text.replace("\n", "\n \n", 1),
    "spaces": lambda text: text.replace("\n", " \t\r\n"),
    "control characters": lambda text: text.replace("a", "\x01", 1),
    "a return inside": lambda text: text.replace(", ", ",\r", 1),
}
WAYS = [
    "--hyp-field mt --ref-field ref",
    "--hyp-field out.mt --ref-field refs --by n lang -m bleu ter",
    "--hyp-field mt out.mt --ref-field ref third --nulls empty",
    "--hyp-field mt --ref-field refs --nulls skip --src-field mt",
    "--hyp-field mt --ref-field ref --system-field system",
]


PIECES = ["a", "b", "c", "d", "e", "schön", "鷺", "\\", '"', "\n"]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", [*KINDS, *LINES])
def test_records_that_are_not_alike_are_read_one_by_one(
    way: str, kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    draw, rows = random.Random(3), []
    for at in range(120):
        texts = [
            " ".join(draw.choices(["a", "b", "c", "d", "e", "schön", "鷺", "\\", '"', "\n"], k=9)) for _ in range(4)
        ]
        rows.append({"mt": texts[0], "out": {"mt": texts[1], "x": at}, "ref": texts[2], "refs": texts[2:], "n": at % 3})
        rows[-1] |= {"third": texts[3], "lang": "xy"[at % 2], "system": "b" if at % 2 else "a"}
        if way.endswith("system") and at % 2:
            rows[-1]["ref"] = rows[-2]["ref"]
    rows[77] = {name: value for name, value in {**rows[77], **KINDS.get(kind, {})}.items() if value is not ...}
    lines = [json.dumps(row, ensure_ascii=at % 5 == 0) for at, row in enumerate(rows)]
    change = LINES.get(kind, LINES["as it is"])
    text = "\n".join(lines[:60]) + "\n" + change("\n".join(lines[60:]) + "\n")
    Path("a.jsonl").write_text(text, "utf-8", newline="")
    usual = answers(f"a.jsonl {way} -f json", 1 << 60, capsys, monkeypatch)
    assert usual == answers(f"a.jsonl {way} -f json", 0, capsys, monkeypatch)


@pytest.mark.parametrize("way", WAYS)
def test_records_that_are_alike_are_not_read_one_by_one(
    way: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    row = {"mt": "a b", "out": {"mt": "a"}, "ref": "a c", "refs": ["a", "b"], "third": "d", "n": True, "lang": "x"}
    Path("a.jsonl").write_text("".join(json.dumps({**row, "system": "b"}) + "\n" for _ in range(300)))
    read = []
    real = _textio.parse_json_lines
    monkeypatch.setattr(_textio, "parse_json_lines", lambda *given, **named: read.append(1) or real(*given, **named))
    monkeypatch.setattr(fields, "_LARGE", 0)
    code, _, err = answers(f"a.jsonl {way}", 0, capsys, monkeypatch)
    assert (0, 1) == (code, len(read)), err  # to find the fields, one block is read


@pytest.mark.guard
@pytest.mark.parametrize("name", ["all.jsonl", "all.jsonl.zst", "long.jsonl"])
def test_memory_does_not_grow_with_the_file(tmp_path: Path, name: str) -> None:
    zstandard = pytest.importorskip("zstandard")
    # Less than a tenth is left of it when it is compressed, and still it is large.
    draw = random.Random(1)
    texts = [" ".join(draw.choices(["the", "ferry", "left", "at", "noon"], k=90)) for _ in range(300)]
    rows: list[Any] = [{"mt": text, "refs": [texts[0], text[30:]]} for text in texts]
    if name == "long.jsonl":  # fields inside others, recognised ones, and two systems, one after the other
        rows = [{"system": "ab"[at % 2], "out": {"mt": row["mt"]}, "refs": rows[0]["refs"], "prompt": row["mt"]}
                for at, row in enumerate(rows)]  # fmt: skip
    some = "".join(json.dumps(row) + "\n" for row in rows).encode()

    def peak(rows: int) -> int:
        packed = zstandard.compress(some) if name.endswith(".zst") else some
        (tmp_path / name).write_bytes(packed * (rows // 300))  # frames one after the other are a file
        code = "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, capture_output=True); "
        code += "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
        words = ["--hyp-field", "out.mt"] if name == "long.jsonl" else ["--hyp-field", "mt", "--ref-field", "refs"]
        command = [sys.executable, "-m", "truebleu", name, *words]
        run = subprocess.run([sys.executable, "-c", code, *command], cwd=tmp_path, check=True, capture_output=True)
        return int(run.stdout) // 1024

    few, many = peak(39_000), peak(90_000)
    assert many - few < 15, f"{few} MB for 39,000 rows, {many} MB for 90,000"
