"""Lines that are moved, lost or in another language: the command refuses or warns on every road, Python warns."""

from __future__ import annotations

import gzip
import itertools
import json
import logging
import random
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import truebleu
import truebleu.demo
import truebleu.sacrebleu
from cli.conftest import Files
from truebleu import _core, glance
from truebleu.cli import run as running
from truebleu.errors import OptionError
from truebleu.glance import Certain, look_at

pa = pytest.importorskip("pyarrow")
import pyarrow.parquet as pq  # noqa: E402

PAIRS = ("cs-en", "en-de", "en-ja", "en-zh", "liv-en", "uk-en")
FIELDS = ("--hyp-field", "sys", "--ref-field", "ref")
ROADS: dict[str, tuple[str, ...]] = {
    "files": ("ref.txt", "-i", "sys.txt"),
    "blocks": ("ref.txt", "-i", "sys.txt"),
    "standard input": ("ref.txt",),
    "blocks of standard input": ("ref.txt",),
    "JSON lines": ("rows.jsonl", *FIELDS),
    "large JSON lines": ("rows.jsonl", *FIELDS),
    "Parquet": ("rows.parquet", *FIELDS),
}


def moved(texts: list[str], by: int) -> list[str]:
    return [*texts[by:], *texts[:by]]


def lost(texts: list[str], at: int) -> list[str]:
    return [*texts[:at], *texts[at + 1 :], texts[-1]]


# Generated texts: sentences of frequent and rare words, with a system that has most of them right.


def sentences(count: int, seed: int = 0) -> list[str]:
    rng = random.Random(seed)
    words = ["".join(rng.choices("aeioubdfgklmnprst", k=rng.randint(2, 9))) for _ in range(5 * count)]
    weights = [1 / (at + 1) for at in range(len(words))]
    return [" ".join(rng.choices(words, weights, k=rng.randint(6, 20))).capitalize() + "." for _ in range(count)]


def translated(texts: list[str], seed: int = 1, right: float = 0.7) -> list[str]:
    rng, words = random.Random(seed), " ".join(texts).split()
    return [" ".join(w if rng.random() < right else rng.choice(words) for w in text.split()) for text in texts]


REFERENCES = sentences(400)
SYSTEM = translated(REFERENCES)


def doubts(system: list[str], references: list[str], sources: list[str] | None = None) -> list[str]:
    return list(look_at([system], [references], sources).doubts(["SYS"], ["REF"]))


@pytest.mark.parametrize("by", [1, 2, 3, 10, 33, 99, 100, -1, -2, -10, -33, -99, -100])
def test_all_lines_moved_are_found_at_any_offset(by: int) -> None:
    (found,) = doubts(moved(SYSTEM, by), REFERENCES)
    first, way = (1, "down") if by > 0 else (1 - by, "up")
    lines = "line" if abs(by) == 1 else "lines"
    assert isinstance(found, Certain)
    assert found.startswith(
        f"SYS: from line {first} on, lines fit the reference {abs(by)} {lines} further {way} (BLEU "
    )


@pytest.mark.parametrize("at", [5, 60, 150, 199, 260, 330])
def test_a_line_that_is_lost_is_named_and_certain_if_half_of_the_lines_follow(at: int) -> None:
    (found,) = doubts(lost(SYSTEM, at), REFERENCES)
    number = int(re.findall(r"from line (\d+) on, lines fit the reference 1 line further down", found)[0])
    assert abs(number - (at + 1)) <= 2
    assert (at < 200) == isinstance(found, Certain)


def test_of_many_lines_some_blocks_are_kept_and_the_line_is_about() -> None:
    references = sentences(6000)
    system = translated(references)
    assert [] == doubts(system, references)
    (found,) = doubts(lost(system, 1100), references)
    assert isinstance(found, Certain)
    number = int(re.findall(r"from about line (\d+) on, lines fit the reference 1 line further down", found)[0])
    assert 1100 < number <= 1100 + 2 * glance.BLOCK


def naive_words(text: str) -> set[str]:
    return set(re.findall(r"[a-z0-9]+", text.lower()))


def naive_votes(ours: list[str], theirs: list[str], block: int, farthest: int) -> list[Counter[int]]:
    """The votes of each block: a word on at most three lines of each side votes for the offsets between them."""
    places: list[dict[str, list[int]]] = [{}, {}]
    for side, texts in enumerate((ours, theirs)):
        for line, text in enumerate(texts):
            for word in naive_words(text):
                places[side].setdefault(word, []).append(line)
    found = [Counter[int]() for _ in range(-(-len(ours) // block))]
    for word in places[0].keys() & places[1].keys():
        here, there = places[0][word], places[1][word]
        if len(here) <= 3 and len(there) <= 3:
            for one, other in itertools.product(here, there):
                if abs(other - one) <= farthest:
                    found[one // block][other - one] += 36 // (len(here) * len(there))
    return found


@pytest.mark.parametrize("seed", range(5))
def test_votes_are_those_of_a_slow_count(seed: int) -> None:
    rng = random.Random(seed)
    references = sentences(rng.randint(1, 150), seed)
    ours = rng.choice([moved, lost])(translated(references, seed), rng.randrange(len(references)))
    block, farthest = rng.randint(1, 40), rng.randint(0, 120)
    cells = memoryview(_core.line_votes(ours, references, block, farthest)).cast("i").tolist()
    for at, votes in enumerate(naive_votes(ours, references, block, farthest)):
        both, own, *pairs = cells[10 * at : 10 * at + 10]
        assert (votes.total(), votes.pop(0, 0)) == (both, own)
        best = sorted(votes.items(), key=lambda one: (-one[1], abs(one[0]), one[0]))[:4]
        assert [*itertools.chain(*best), *[0] * (8 - 2 * len(best))] == pairs


# What is not moved.

CYCLE = ["Yes.", "No, not today.", "Perhaps so, I think."]
WORDS = sorted({word for text in REFERENCES for word in text.split()})
SUBTITLES = [CYCLE[at * at % 3] if at % 5 else text for at, text in enumerate(REFERENCES)]
CLEAN: dict[str, tuple[list[str], list[str]]] = {
    "sentences": (SYSTEM, REFERENCES),
    "few": (SYSTEM[:50], REFERENCES[:50]),
    "poor": (translated(REFERENCES, right=0.25), REFERENCES),
    "one sentence": (["The same lines."] * 300, ["The same line."] * 300),
    "three sentences": (translated(CYCLE * 100), CYCLE * 100),
    "three sentences, moved": (moved(CYCLE * 100, 1), CYCLE * 100),
    "sorted words": ([word + "s" for word in WORDS], WORDS),
    "subtitles": (translated(SUBTITLES), SUBTITLES),
    "a poem said four times": (translated(REFERENCES[:100] * 4), REFERENCES[:100] * 4),
    "labels": (["good", "bad", "bad"] * 100, ["good", "good", "bad"] * 100),
}


@pytest.mark.parametrize("case", CLEAN)
def test_clean_texts_give_no_alarm(case: str) -> None:
    assert [] == doubts(*CLEAN[case])


@pytest.mark.parametrize("pair", ["en-de", "en-es", "en-zh"])
def test_the_demo_gives_no_alarm(pair: str) -> None:
    demo = truebleu.demo.load(pair)
    for system in demo.systems.values():
        for references in demo.references.values():
            assert [] == [*look_at([[*system]], [references], demo.sources).doubts(["a"], ["b"], rules=glance.QUICK)]


# Other languages.


def test_an_output_without_the_common_words_of_the_references_is_doubted() -> None:
    other = translated(sentences(400, seed=7))
    assert ["SYS has hardly any of the references' common words; is it the source, or in another language?"] == doubts(
        [f"{text} {number}" for number, text in enumerate(other)],
        [f"{text} {number}" for number, text in enumerate(REFERENCES)],
    )


def test_the_source_in_place_of_the_output_is_known() -> None:
    # As near to the references as a dialect.
    sources = translated(REFERENCES, seed=3)
    (found,) = doubts(sources[:350] + SYSTEM[350:], REFERENCES, sources)
    assert re.fullmatch(
        r"SYS has the text of the source in 3\d\d of 3\d\d lines looked at; is it the .* system\?", found
    )
    assert [] == doubts(SYSTEM, REFERENCES, sources)
    assert [] == doubts(sources, [*sources[:-1], "other"], sources)  # the reference has it too


# Real texts.


def read(path: Path) -> list[str]:
    return gzip.decompress(path.read_bytes()).decode().split("\n")[:-1]


def wmt(folder: Path, pair: str) -> tuple[list[str], list[str], list[str]]:
    kinds = (("sources", "src"), ("references", "ref"), ("system-outputs", "hyp"))
    source, reference, system = (read(min((folder / room).glob(f"*.{pair}.{kind}.*"))) for room, kind in kinds)
    return source, reference, system


CELLS = [(pair, cell) for pair in PAIRS for cell in ("moved", "lost", "source") if (pair, cell) != ("liv-en", "lost")]


def faulty(cell: str, source: list[str], system: list[str]) -> tuple[list[str], str]:
    if cell == "source":
        return source, "has hardly any of the references' common words; is it the source"
    texts, first = (moved(system, 1), 1) if cell == "moved" else (lost(system, 500), 501)
    return texts, f": from line {first} on, lines fit the reference 1 line further down (BLEU "


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Files:
    monkeypatch.chdir(tmp_path)
    return Files(tmp_path)


def written(references: list[str], system: list[str]) -> None:
    for name, texts in (("ref.txt", references), ("sys.txt", system)):
        Path(name).write_text("".join(f"{text}\n" for text in texts), "utf-8")
    rows = [{"sys": text, "ref": other} for text, other in zip(system, references, strict=True)]
    Path("rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    pq.write_table(pa.Table.from_pylist(rows), "rows.parquet", row_group_size=301)


def on(road: str, here: Files, monkeypatch: pytest.MonkeyPatch, *more: str) -> Any:
    monkeypatch.setattr(running, "LARGE", 0 if "blocks" in road or "large" in road else 1 << 60)
    stdin = Path("sys.txt").read_bytes() if "standard input" in road else b""
    return here.ours(*ROADS[road], "--tokenize", "char", *more, stdin=stdin)


@pytest.mark.parametrize(("pair", "cell"), CELLS)
def test_no_cell_of_the_table_is_scored_in_silence(
    pair: str, cell: str, wmt22: Path, here: Files, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    source, references, system = wmt(wmt22, pair)
    texts, expected = faulty(cell, source, system)
    written(references, texts)
    roads = ROADS if pair in ("cs-en", "en-zh") else ("files",)
    for road in roads:
        done = on(road, here, monkeypatch)
        assert expected in done.err, (road, done.err)
        assert (0 if cell == "source" else 1) == done.code, road
        assert (cell == "source") == bool(done.out), road
        assert ("--no-checks scores it anyway" in done.err) == (cell != "source")
        silent = on(road, here, monkeypatch, "--no-checks")
        assert 0 == silent.code and "" == silent.err, road
    truebleu.BLEU(tokenize="char").corpus_score(texts, [references])
    assert [True] == [expected in record.getMessage() for record in caplog.records]


def test_no_clean_system_of_wmt22_is_doubted(wmt22: Path) -> None:
    count = 0
    for pair in PAIRS:
        source, references, _ = wmt(wmt22, pair)
        for path in sorted((wmt22 / "system-outputs").glob(f"*.{pair}.hyp.*")):
            count += 1
            seen = look_at([read(path)], [references], source)
            # The other rules find true faults: two systems have unknown words.
            assert [] == list(seen.doubts(["SYS"], ["REF"], rules=glance.QUICK)), path.name
    assert 61 == count


# The command refuses.


@pytest.fixture
def misaligned(here: Files) -> Files:
    written(REFERENCES, moved(SYSTEM, 2))
    Path("good.txt").write_text("".join(f"{text}\n" for text in SYSTEM), "utf-8")
    return here


REFUSED = "sys.txt: from line 1 on, lines fit the reference 2 lines further down (BLEU "


@pytest.mark.parametrize(
    "words",
    [
        "ref.txt -i sys.txt", "ref.txt -i good.txt sys.txt", "ref.txt -i good.txt sys.txt --paired bs",
        "ref.txt -i good.txt sys.txt --receipt receipts", "ref.txt -i sys.txt -sl", "ref.txt -i sys.txt -f report",
        "report ref.txt -i good.txt sys.txt -o page.html", "plot ranking ref.txt -i good.txt sys.txt -o plot.svg",
        "receipt make ref.txt -i sys.txt -o sys.receipt.json",
    ],
)  # fmt: skip
def test_the_command_refuses_lines_that_are_surely_moved(words: str, misaligned: Files) -> None:
    Path("receipts").mkdir()
    before = sorted(Path().rglob("*"))
    done = misaligned.ours(*words.split())
    assert 1 == done.code and "" == done.out
    assert REFUSED in done.err and "--no-checks scores it anyway" in done.err
    assert before == sorted(Path().rglob("*"))
    done = misaligned.ours(*words.split(), "--no-checks")
    assert 0 == done.code and REFUSED not in done.err, done.err


def test_one_variable_silences_a_whole_machine(misaligned: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRUEBLEU_CHECKS", "off")
    done = misaligned.ours("ref.txt", "-i", "sys.txt")
    assert 0 == done.code and "" == done.err
    monkeypatch.setenv("TRUEBLEU_CHECKS", "maybe")
    done = misaligned.ours("ref.txt", "-i", "sys.txt")
    assert 2 == done.code or 1 == done.code
    assert "TRUEBLEU_CHECKS is 'maybe', expected on or off" in done.err


def test_what_has_been_written_already_is_warned_of(misaligned: Files) -> None:
    done = misaligned.ours("rows.parquet", *FIELDS, "--totals-out", "totals.parquet")
    assert 0 == done.code and done.out and REFUSED.replace("sys.txt", "sys") in done.err
    done = misaligned.ours("rows.parquet", *FIELDS)
    assert 1 == done.code and not done.out


# Python warns.


@pytest.mark.parametrize(
    "score",
    [
        lambda *texts: truebleu.corpus_bleu(*texts).score,
        lambda *texts: truebleu.corpus_chrf(*texts).score,
        lambda *texts: truebleu.sacrebleu.corpus_bleu(*texts).score,
        lambda *texts: truebleu.BLEU(normalize="quotes").corpus_score(*texts).score,
    ],
)
def test_python_warns_from_50_segments_on_and_never_refuses(
    score: Callable[..., float], caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:

    system = moved(SYSTEM, 1)
    score(system[:49], [REFERENCES[:49]])
    assert [] == caplog.records
    score(system[:50], [REFERENCES[:50]])
    (record,) = caplog.records
    assert record.getMessage().startswith("hypotheses: from line 1 on, lines fit the reference 1 line further down")
    assert ("truebleu", logging.WARNING) == (record.name, record.levelno)
    caplog.clear()
    monkeypatch.setenv("TRUEBLEU_CHECKS", "off")
    score(system, [REFERENCES])
    assert [] == caplog.records


def test_checks_can_be_left_out(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    metric, system = truebleu.BLEU(), moved(SYSTEM, 1)
    score = metric.corpus_score(system, [REFERENCES], checks=False)
    assert [] == caplog.records
    assert score.score == metric.corpus_score(system, [REFERENCES]).score and 1 == len(caplog.records)
    monkeypatch.setenv("TRUEBLEU_CHECKS", "perhaps")
    with pytest.raises(OptionError, match="TRUEBLEU_CHECKS is 'perhaps', expected on or off"):
        metric.corpus_score(system, [REFERENCES])
