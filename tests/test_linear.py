"""What reads text from elsewhere takes time that grows with its length, whatever the text is."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import Any

import pyarrow as pa
import pytest

import truebleu
import truebleu.columns
import truebleu.jiwer
from growth import assert_linear
from truebleu._textio import parse_records
from truebleu.doctor import repairs
from truebleu.errors import OptionError, TruebleuError
from truebleu.metrics.published import parse_signature
from truebleu.normalization import normalize
from truebleu.receipts.exports import Wanted, into_card
from truebleu.reconciliation.targets import parse_target


@cache
def receipt() -> truebleu.Receipt:
    return truebleu.Receipt.make(["a b c d"], [["a b c d"]], truebleu.BLEU())


def _han(length: int) -> str:
    return "".join(chr(0x4E00 + at * 7919 % 9973) for at in range(length))


# What patterns with two ways to go on, or without an end in sight, go through again and again.
TEXTS: dict[str, Callable[[int], str]] = {
    "one word": lambda n: "ab" * (n // 2),
    "one word of Han": _han,
    "spaces": lambda n: "x" + " " * n + "y",
    "line feeds": lambda n: "x." + "\n" * n + "y",
    "blank lines": lambda n: "x" + " \n" * (n // 2) + "y",
    "beginnings of tags": lambda n: "<" * n,
    "a tag without an end": lambda n: "<a " + "href" * (n // 4),
    "brackets": lambda n: "[" * n,
    "stars": lambda n: "*" * n,
    "emphasis": lambda n: "** a" * (n // 4),
    "fences": lambda n: "`" * n,
    "full stops": lambda n: ". " * (n // 2),
    "ampersands": lambda n: "&#" * (n // 2),
    "subwords": lambda n: "a@@" * (n // 3),
    "addresses": lambda n: "http://" * (n // 7),
    "quotations": lambda n: '("' * (n // 2),
    "labels": lambda n: "Translation: " * (n // 13),
    "names of metrics": lambda n: "BLEU." * (n // 5),
    "fractions": lambda n: "1/" * (n // 2),
    "digits": lambda n: "1" * n,
    "damaged text": lambda n: "Ã" * n,
    "marks": lambda n: "a" + "\u0301" * n,
    "suffixes": lambda n: "ational" * (n // 7),
}


def _diagnose(text: str) -> object:
    return truebleu.diagnose([text, "a b c"], [[text[::-1], "a b d"]], sources=[f"x {text}", "y"])


def _repair(text: str) -> object:
    return [repairs.repair([text], name, [0]) for name in repairs.REPAIRS if repairs.is_available(name)]


def _stems(text: str) -> object:
    return truebleu.ROUGE(variant="1", stem=True).sentence_score(text, [f"{text} x"])


def _transforms(text: str) -> object:
    steps: list[Callable[[Any], Any]] = [
        truebleu.jiwer.RemoveKaldiNonWords(), truebleu.jiwer.ExpandCommonEnglishContractions(),
        truebleu.jiwer.RemoveMultipleSpaces(), truebleu.jiwer.RemovePunctuation(), truebleu.jiwer.Strip(),
    ]  # fmt: skip
    return truebleu.jiwer.Compose(steps)(text)


WORK: dict[str, tuple[Callable[[str], object], int]] = {
    "diagnose": (_diagnose, 10_000),
    "repair": (_repair, 10_000),
    "resegment": (lambda text: truebleu.resegment([text], ["a b", "c d"]), 10_000),
    "normalize": (lambda text: normalize([text], "nfc,width,quotes,dashes,ellipsis,spaces"), 50_000),
    "tokens and stems of ROUGE": (_stems, 50_000),
    "words of WER": (
        lambda text: truebleu.WER(normalize="standardize", remove_punctuation=True).tokens([text]),
        50_000,
    ),
    "transforms of jiwer": (_transforms, 20_000),
    "target of reconcile": (parse_target, 20_000),
    "signature": (parse_signature, 20_000),
    "card of a model": (lambda text: into_card(f"---\nmodel-index:{text}\n---\n", receipt(), Wanted(), "x"), 20_000),
}


@pytest.mark.guard
@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("work", WORK)
def test_time_grows_with_the_text(work: str, text: str) -> None:
    function, size = WORK[work]

    def attempt(given: str) -> None:
        with suppress(TruebleuError):
            function(given)

    assert_linear(attempt, TEXTS[text], size)


def _moved_blocks(lines: int) -> tuple[list[str], list[str], list[str]]:
    """Texts of rare and common words whose blocks are in another order, and sources of which some are lost."""
    references = [
        f"the {at * 7919 % 9973} ferry {at} left with {at % 13} boats, and {at * 31} saw it" for at in range(lines)
    ]
    tenth = lines // 10
    texts = [text.replace("saw", "had seen") for text in references]
    moved = [*texts[tenth : 2 * tenth], *texts[:tenth], *texts[2 * tenth :]]
    return moved, references, [*references[:tenth], *references[tenth + 5 :], *references[:5]]


@pytest.mark.guard
def test_time_grows_with_the_lines_that_are_looked_for() -> None:
    def find(given: tuple[list[str], list[str], list[str]]) -> None:
        found = truebleu.diagnose(given[0], [given[1]], given[2], checks="D2,D406", threads=1).findings
        assert {"D201", "D204"} == {one.code for one in found}

    assert_linear(find, _moved_blocks, 1000)


def test_a_target_is_a_line_and_no_book() -> None:
    with pytest.raises(OptionError, match=r"expected a number such as '46\.23'"):
        parse_target("BLEU = 46.23 " + " " * 10_000 + "x")
    assert "46.23" == parse_target("BLEU = 46.23 " + " " * 9_000 + "x").number


@pytest.mark.parametrize(
    ("text", "expected"),
    [("a <x> [y] <z", "a   <z"), ("<<a]b", "b"), ("[", "["), ("a]<", "a]<"), ("a <b [c> d] e", "a  d] e")],
)
def test_what_is_left_of_kaldis_words(text: str, expected: str) -> None:
    assert expected == truebleu.jiwer.RemoveKaldiNonWords()(text)


def _wide_arrow(columns: int) -> pa.Table:
    return pa.table({"mt": ["a b"], "ref": ["a b"], **{f"c{at}": NUMBER for at in range(columns)}})


def _wide_csv(columns: int) -> str:
    return "\n".join(",".join(f"{line}{at}" for at in range(columns)) for line in "ab")


NUMBER = pa.array([1])
WIDE: dict[str, tuple[Callable[[int], Any], Callable[[Any], object], int]] = {
    "a table of Arrow": (
        _wide_arrow,
        lambda table: truebleu.columns.totals(table, truebleu.BLEU(), hypothesis="mt", references="ref"),
        10_000,
    ),
    "CSV": (_wide_csv, lambda text: parse_records(text, "csv", "x.csv"), 10_000),
    "TSV": (lambda n: _wide_csv(n).replace(",", "\t"), lambda text: parse_records(text, "tsv", "x.tsv"), 10_000),
}


@pytest.mark.guard
@pytest.mark.parametrize("kind", WIDE)
def test_time_grows_with_the_columns(kind: str) -> None:
    make, work, size = WIDE[kind]
    assert_linear(work, make, size)
