"""Messages that count: one line, two lines. `truebleu._counts` is the only place that knows the plural."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from plurals import NOUNS, counts_without_a_plural
from truebleu import BLEU, CHRF, TER
from truebleu._counts import number_of, there_are
from truebleu.cli.main import main
from truebleu.errors import TruebleuError
from truebleu.significance.comparison import compare
from truebleu.stats import Stats


def test_the_linter_finds_a_plural_that_is_always_one(tmp_path: Path) -> None:
    (tmp_path / "x.py").write_text("f\"{n} lines, {number_of(n, 'line')}, {n!r} lines, {longest} bytes\"")
    assert ["x.py:1: {n} lines, "] == list(counts_without_a_plural(tmp_path / "x.py"))


def test_a_count_is_singular_or_plural() -> None:
    assert "1 line, 2 lines, 0 lines" == ", ".join(number_of(number, "line") for number in (1, 2, 0))
    assert "there is 1 entry" == there_are(1, "entry", "entries")
    assert "there are 2 entries" == there_are(2, "entry", "entries")


def messages(number: int, folder: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[str]:
    """Make mistakes, and others that are mistakes of the reader's, with so many segments, references and files."""
    texts = ["a b c d"] * number
    more = ["a b c d"] * (number + 1)
    for name, lines in (("few", texts), ("many", more), ("empty", ["", *more])):
        (folder / name).write_text("".join(f"{line}\n" for line in lines))
    stats = BLEU().stats(texts, [texts])
    rows = [
        lambda: BLEU().corpus_score(texts, [more]),
        lambda: BLEU().corpus_score(more, [texts]),
        lambda: CHRF().corpus_score(texts, [texts, more]),
        lambda: TER().stats(texts, [texts]).select([True] * (number + 1)),
        lambda: stats.select([7]),
        lambda: Stats(stats.rows[:, :-1], stats.columns, stats.fingerprint, stats.references),
        lambda: stats.group(["a"] * (number + 2)),
        lambda: BLEU().mbr(texts, weights=[1.0] * (number + 1)),
        lambda: compare([("one", more)], [BLEU()], [more]),
        lambda: compare([("one", texts), ("two", more)], [BLEU()], [texts]),
    ]
    for row in rows:
        try:
            row()
        except TruebleuError as error:
            yield str(error)
        else:
            raise AssertionError("this was to be a mistake")
    yield repr(stats)
    few, many, empty = (str(folder / name) for name in ("few", "many", "empty"))
    sets = f"data add lab/x{number} -l en-de --src {few if number == 1 else empty} --ref"
    for words in (
        f"{many} -i {few}",
        f"{few} -i {many}",
        f"align {few} {many}",
        f"self-bleu {many} --sample 9",
        f"{sets} {few}",
        f"{sets} {many}",
        f"{many} -i {many} --docids {few}",
        f"doctor {many} -i {many}",
    ):
        main(words.split())
        yield from capsys.readouterr()


@pytest.mark.parametrize("number", [1, 2])
def test_what_is_said_of_one_is_in_the_singular_and_of_two_in_the_plural(
    number: int, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRUEBLEU_CACHE", str(tmp_path / "cache"))
    said = [message for message in messages(number, tmp_path, capsys) if message]
    singular = "|".join(
        re.sub("ies$", "y", noun).removesuffix("s").replace("these", "thesis") for noun in NOUNS.split("|")
    )
    wrong = (
        rf"(?<![\d.,:-])1 (?:more |other )?(?:{NOUNS})\b",
        rf"(?<![\d.,-])[2-9] (?:more |other )?(?:{singular})\b",
        r"\bare 1 \w+\b(?! and)|\b1 \w+ have\b|\bis [2-9] (?:{NOUNS})|\b[2-9] \w+ has\b",
    )
    assert [] == [message for message in said if any(re.search(each, message) for each in wrong)]
    # It is not empty talk: the number itself is there.
    assert 8 < sum(bool(re.search(rf"\b{number} \w+", message)) for message in said)
