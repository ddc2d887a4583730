"""One look at texts: every road to a score gives the very same warnings, and every threshold has one home."""

from __future__ import annotations

import ast
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import truebleu
from cli.conftest import Files
from truebleu import glance
from truebleu.cli import run as running
from truebleu.glance import COLUMNS, RULES, Glance, look_at

pa = pytest.importorskip("pyarrow")
import pyarrow.parquet as pq  # noqa: E402

PACKAGE = Path(truebleu.__file__).parent

ANIMALS = ["heron", "fox", "mule", "bear", "eel", "crane", "otter", "mouse", "goat", "wren", "hare", "owl"]
VERBS = ["stood", "slept", "fell", "drank", "sang", "swam", "ran", "sat"]
REFERENCES = [f"The {a} {v}, and nobody saw it {p}." for a in ANIMALS for v in VERBS for p in ("go", "come", "stay")]
HYPOTHESES = [text.replace("The", "A").replace("nobody saw", "no one had seen") for text in REFERENCES]
CHINESE = [f"这{a}在河边{v}了，没有人看见它。" for a in "鹭狐骡熊鳗鹤獭鼠羊鸟兔枭" for v in "站睡落喝唱游跑坐"]


def moved(texts: list[str], by: int) -> list[str]:
    return [*texts[by:], *texts[:by]]


def marked(texts: list[str], mark: str) -> list[str]:
    return [text.replace(" ", f"{mark} ", 1) if at % 3 == 0 else text for at, text in enumerate(texts)]


# What is doubtful, with the beginning of its warning behind the name of the system or of the reference.
CASES: dict[str, tuple[list[str], list[str], str]] = {
    "fine": (REFERENCES, HYPOTHESES, ""),
    "empty system": (REFERENCES, [" "] * len(REFERENCES), "SYS: all segments are empty"),
    "empty reference": ([""] * len(REFERENCES), HYPOTHESES, "the reference REF: all segments are empty"),
    "same": (REFERENCES, REFERENCES, "SYS is the same as the reference REF in all lines"),
    "moved": (REFERENCES, moved(HYPOTHESES, 100), "SYS fits the reference no better line by line"),
    "shuffled": (REFERENCES, random.Random(1).sample(HYPOTHESES, len(HYPOTHESES)), "SYS fits the reference no better"),
    "unspaced": (CHINESE, [text.replace("没有", "无") for text in CHINESE], "SYS: the references have no spaces"),
    "tokenized": (REFERENCES[:60], [t.replace(",", " ,") for t in HYPOTHESES[:60]], "SYS: 50 % of commas and full"),
    "stops": (REFERENCES, [text.replace(".", " .") for text in HYPOTHESES], f"{len(HYPOTHESES)} hypotheses end in"),
    "subwords": (REFERENCES, marked(HYPOTHESES, "@@"), "SYS: 48 of 144 segments looked at have subword marks (@@)"),
    "specials": (REFERENCES, marked(HYPOTHESES, " <unk>"), "SYS: 48 of 144 segments looked at have special tokens"),
}


def lines(name: str, texts: list[str]) -> None:
    Path(name).write_text("".join(f"{text}\n" for text in texts), "utf-8")


def rows(references: list[str], system: list[str]) -> list[dict[str, str]]:
    return [{"sys": text, "ref": other} for text, other in zip(system, references, strict=True)]


FIELDS = ("--hyp-field", "sys", "--ref-field", "ref")

# How texts come to a score: words of the command, and what stands on standard input.
ROADS: dict[str, tuple[tuple[str, ...], bool]] = {
    "files": (("ref.txt", "-i", "sys.txt"), False),
    "standard input": (("ref.txt",), True),
    "blocks": (("ref.txt", "-i", "sys.txt"), False),
    "blocks of standard input": (("ref.txt",), True),
    "JSON lines": (("rows.jsonl", *FIELDS), False),
    "large JSON lines": (("rows.jsonl", *FIELDS), False),
    "Parquet": (("rows.parquet", *FIELDS), False),
    "Parquet in parts": (("part-*.parquet", *FIELDS), False),
    "CSV": (("rows.csv", *FIELDS), False),
}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Files:
    monkeypatch.chdir(tmp_path)
    return Files(tmp_path)


def written(references: list[str], system: list[str]) -> None:
    import csv

    lines("ref.txt", references)
    lines("sys.txt", system)
    table = rows(references, system)
    Path("rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in table))
    pq.write_table(pa.Table.from_pylist(table), "rows.parquet", row_group_size=31)
    half = len(table) // 2
    for at, part in enumerate((table[:half], table[half:])):
        pq.write_table(pa.Table.from_pylist(part), f"part-{at}.parquet")
    with Path("rows.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, ["sys", "ref"])
        writer.writeheader()
        writer.writerows(table)


def named(warnings: str) -> list[str]:
    """Warnings with one name for the system and one for the reference, which differ from road to road."""
    for road in ("rows.jsonl", "rows.parquet", "rows.csv", "part-0.parquet and the 1 file after it", "references[0]"):
        warnings = warnings.replace(f"{road}, reference 1", "REF").replace("references[0]", "REF")
    warnings = warnings.replace("reference ref.txt", "reference REF").replace("truebleu: ", "")
    found = []
    for line in warnings.splitlines():
        name = next((name for name in ("sys.txt", "standard input", "sys", "hypotheses") if line.startswith(name)), "")
        found.append(f"SYS{line[len(name) :]}" if name else line)
    return found


@pytest.mark.parametrize("road", ROADS)
@pytest.mark.parametrize("case", CASES)
def test_every_road_gives_the_same_warnings(case: str, road: str, here: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    references, system, expected = CASES[case]
    written(references, system)
    words, has_input = ROADS[road]
    monkeypatch.setattr(running, "LARGE", 0 if road.startswith(("blocks", "large")) else 1 << 60)
    done = here.ours(*words, stdin=Path("sys.txt").read_bytes() if has_input else b"")
    found = named(done.err)
    assert 0 == done.code and (1 if expected else 0) == len(found), done.err
    assert all(line.startswith(expected) for line in found), done.err
    by_files = here.ours(*ROADS["files"][0]) if road != "files" else done
    assert named(by_files.err) == found
    assert "" == here.ours(*words, "--no-checks", stdin=Path("sys.txt").read_bytes()).err or case == "stops"


@pytest.mark.parametrize("case", ["fine", "empty system", "empty reference", "same", "stops"])
def test_metrics_in_python_say_what_costs_them_nothing(case: str, caplog: pytest.LogCaptureFixture) -> None:
    references, system, expected = CASES[case]
    truebleu.corpus_bleu(system, [references])
    found = named("\n".join(record.getMessage() for record in caplog.records))
    assert (1 if expected else 0) == len(found) and all(line.startswith(expected) for line in found)
    caplog.clear()
    truebleu.corpus_bleu(system[:49], [references[:49]])
    assert [] == caplog.records


# One home.


def numbers_and_words(path: Path) -> set[str]:
    """The names that a module gives to constants."""
    body = ast.parse(path.read_text("utf-8")).body
    assigned = [target for node in body if isinstance(node, ast.Assign) for target in node.targets]
    names = [name for target in assigned for name in (target.elts if isinstance(target, ast.Tuple) else [target])]
    return {name.id for name in names if isinstance(name, ast.Name)}


THRESHOLDS = (
    "MANY_STOPS", "FEWEST_GAPS", "TOKENIZED", "PLAIN", "UNSPACED_SHARE", "KANA_SHARE", "SPACE_BASED", "SUBWORD_MARKS",
    "SPECIAL_TOKENS", "SCRIPTS", "UNSPACED", "COLUMNS",
)  # fmt: skip


def test_thresholds_and_lists_of_words_have_one_home() -> None:
    assert set(THRESHOLDS) <= numbers_and_words(PACKAGE / "glance.py")
    twice = [
        (path.relative_to(PACKAGE).as_posix(), name)
        for folder in ("doctor", "columns", "metrics")
        for path in (PACKAGE / folder).rglob("*.py")
        for name in sorted(numbers_and_words(path))
        if name.lstrip("_") in {*THRESHOLDS, "FEW"}
    ]
    assert [] == twice
    texts = {path: path.read_text("utf-8") for path in PACKAGE.rglob("*.py")}
    for words in ("<<SYS>>", "start_of_turn", '("13a", "intl", "none")', '"Tibetan"', '"cjk_pairs_gap"'):
        assert ["glance.py"] == [path.name for path, text in texts.items() if words in text]


@pytest.mark.parametrize("words", ["all segments are empty", "is the same as the reference", "subword marks"])
def test_one_module_says_what_is_doubtful(words: str) -> None:
    rooms = ("cli", "columns", "metrics")
    paths = [path for room in rooms for path in (PACKAGE / room).rglob("*.py")]
    assert [] == [path.name for path in paths if words in path.read_text("utf-8")]


@pytest.mark.parametrize(
    ("threshold", "value", "case"),
    [
        ("UNSPACED_SHARE", 2.0, "unspaced"), ("TOKENIZED", 2.0, "tokenized"),
        ("SUBWORD_MARKS", (), "subwords"), ("_BEGINNINGS", (), "specials"),
    ],
)  # fmt: skip
def test_a_rule_asks_its_threshold(
    threshold: str, value: Any, case: str, here: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(glance, threshold, value)
    if threshold == "TOKENIZED":
        monkeypatch.setattr(glance.seems_tokenized, "__defaults__", (20, value, 0.1))
    references, system, _ = CASES[case]
    written(references, system)
    assert "" == here.ours("ref.txt", "-i", "sys.txt").err


def test_columns_are_those_of_the_core() -> None:
    from truebleu import _core

    assert 4 * len(COLUMNS) == len(_core.features(["a"], 1))


# The look itself.


def in_batches(systems: list[list[str]], streams: list[list[str]], rng: random.Random) -> Glance:
    seen, at = Glance(len(systems)), 0
    while at < len(systems[0]):
        size = rng.choice((1, 7, 50, 211))
        if seen.is_settled and rng.random() < 0.5:
            size = min(size, len(systems[0]) - at)
            chosen = [at + place for place in seen.chosen(size)]
            picked = [[[text[place] for place in chosen] for text in texts] for texts in (systems, streams)]
            seen.look_at(picked[0], picked[1], of=size)
        else:
            seen.look_at([text[at : at + size] for text in systems], [text[at : at + size] for text in streams])
        at += size
    return seen


@pytest.mark.parametrize("seed", range(20))
def test_batches_are_seen_as_the_whole_is(seed: int) -> None:
    rng = random.Random(seed)
    size = rng.choice((9, 60, 199, 200, 201, 1000))
    texts = [[f"{rng.choice(REFERENCES)} {at}" for at in range(size)] for _ in range(3)]
    systems, streams = [texts[0], rng.choice(texts)], [rng.choice(texts), texts[2]]
    whole, parts = look_at(systems, streams), in_batches(systems, streams, rng)
    names = (["a", "b"], ["c", "d"], ["BLEU has the tokenizer 13a"])
    assert list(whole.doubts(*names)) == list(parts.doubts(*names))
    assert (whole._texts, whole._streams, whole.segments) == (parts._texts, parts._streams, parts.segments)


def test_a_rule_is_a_function_and_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def too_polite(view: glance.View) -> Any:
        if all("please" in text for text in view.sample):
            yield f"{view.name}: every segment says please"

    rules: tuple[tuple[Callable[[glance.View], Any], bool], ...] = ((too_polite, True), *RULES)
    monkeypatch.setattr(glance, "RULES", rules)
    seen = look_at([["yes, please"] * 20], [["yes, please"] * 20])
    assert ["new: every segment says please"] == list(seen.doubts(["new"], ["ref"]))
