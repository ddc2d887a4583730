"""The native side against the rules as they are written, the golden cases, and mweralign."""

from __future__ import annotations

import gzip
import json
import random
import re
import subprocess
import sys
from array import array
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from conftest import CASES, REPOSITORY
from oracle.resegmentation import Case, Token, cost_of, divide
from truebleu import _core
from truebleu.resegmentation import resegment

GOLDEN = json.loads(gzip.decompress((REPOSITORY / "tests/golden/resegmentation.json.gz").read_bytes()))["cases"]


def words_document(case: dict[str, Any], ignores_case: bool) -> tuple[bytes, tuple[bytes, bytes, bytes]]:
    numbers: dict[str, int] = {}

    def number(token: str) -> int:
        return numbers.setdefault(token.lower() if ignores_case else token, len(numbers))

    texts = [text for texts in case["refs"] for text in texts]
    references = ([number(token) for text in texts for token in text], map(len, texts), map(len, case["refs"]))
    tokens, lengths, counts = (array("I", values).tobytes() for values in references)
    return array("I", map(number, case["hyp"])).tobytes(), (tokens, lengths, counts)


def lengths_of(cuts: list[int]) -> list[int]:
    return [end - start for start, end in pairwise([0, *cuts])]


@pytest.mark.parametrize(("tool", "ignores_case"), [("mweralign", True), ("mwersegmenter", False)])
def test_all_golden_cases_are_cut_as_by_the_tool(tool: str, ignores_case: bool) -> None:
    # mweralign cuts pieces of words as well, but not inside a word: truebleu has no such tokens.
    cases = [case for case in GOLDEN if tool in case and case["kind"] != "pieces"]
    assert len(cases) == 400
    found = _core.align_words([words_document(case, ignores_case) for case in cases], 2)
    assert [case[tool] for case in cases] == [lengths_of(cuts) for cuts, *_ in found]


# In a process of its own: mweralign sets up logging when it is imported, and its C++ writes to standard error.
_ORACLE = """
import json, sys
import mweralign
for line in sys.stdin:
    reference, hypothesis = json.loads(line)
    print(json.dumps(mweralign.align_texts(reference, hypothesis)))
"""


def mweralign_lines(pairs: list[tuple[str, str]]) -> list[list[str]]:
    text = "".join(json.dumps(pair) + "\n" for pair in pairs)
    done = subprocess.run([sys.executable, "-c", _ORACLE], input=text, capture_output=True, text=True, check=True)
    return [[line.strip() for line in json.loads(line).split("\n")] for line in done.stdout.splitlines()]


def generated_text(random: random.Random, most: int, letters: str) -> str:
    return " ".join(random.choice(letters) for _ in range(random.randint(1, most)))


def test_generated_texts_are_cut_as_by_mweralign() -> None:
    chance = random.Random(15)
    pairs, given = [], []
    for _ in range(10_000):
        letters, count = "aAbcdéÉ"[: chance.randint(2, 7)], chance.randint(1, 3)
        segments = [[generated_text(chance, 7, letters) for _ in range(count)] for _ in range(chance.randint(1, 6))]
        hypothesis = generated_text(chance, 30, letters)
        pairs.append(("\n".join(" ### ".join(texts) for texts in segments), hypothesis))
        given.append((hypothesis, segments))
    expected = mweralign_lines(pairs)
    texts = [text for text, _ in given]
    labels = [at for at, (_, segments) in enumerate(given) for _ in segments]
    flat = [texts for _, segments in given for texts in segments]
    found = resegment(texts, flat, documents=labels, method="mwer", layout="segments").segments
    assert [
        line for lines, (_, segments) in zip(expected, given, strict=True) for line in lines[: len(segments)]
    ] == found


def generated_case(chance: random.Random) -> Case:
    def token(number: int) -> Token:
        kind = (0, 0, 0, 1, 2, 3, 4, 5)[number % 8]
        flags = [chance.random() < 0.5 for _ in range(3)]
        return Token(number, kind, flags[0] and kind == 0, *flags[1:])

    def text(most: int) -> list[Token]:
        return [token(chance.randrange(16)) for _ in range(chance.randint(0, most))]

    segments = [[text(6) for _ in range(chance.randint(1, 2))] for _ in range(chance.randint(1, 5))]
    return Case(text(20), segments, chance.random() < 0.3, chance.random() < 0.5)


def cue_document(case: Case) -> Any:
    def sorts(tokens: list[Token]) -> bytes:
        flags = ((one.kind, 8 * one.is_capital, 16 * one.is_permitted, 32 * one.has_break) for one in tokens)
        return bytes(sum(flag) for flag in flags)

    def numbers(values: Any) -> bytes:
        return array("I", values).tobytes()

    texts = [text for texts in case.segments for text in texts]
    tokens = [one for text in texts for one in text]
    references = (numbers(one.number for one in tokens), numbers(map(len, texts)), numbers(map(len, case.segments)))
    own = numbers(one.number for one in case.hypothesis), sorts(case.hypothesis)
    return (*own, references, sorts(tokens), case.is_spaceless, case.prefers_breaks)


def test_cues_without_a_window_are_those_of_the_rules() -> None:
    chance = random.Random(16)
    for _ in range(10_000 if CASES >= 20_000 else 1000):
        case = generated_case(chance)
        for window in (None, 3):
            ((cuts, _, _, _, cost, _),) = _core.align_cues([cue_document(case)], window, 1)
            expected, price = divide(case)
            if window is None:
                assert (expected, price) == (cuts, cost)
            assert price == cost
            assert any(map(any, case.segments)) is False or cost_of(case, cuts) == cost


def test_a_margin_is_what_the_best_other_cut_costs_more() -> None:
    chance = random.Random(17)
    for _ in range(300):
        case = generated_case(chance)
        filled = [at for at, texts in enumerate(case.segments) if any(texts)]
        ((cuts, _, margins, others, cost, _),) = _core.align_cues([cue_document(case)], None, 1)
        if len(filled) != 2 or filled != [0, 1] or len(cuts) != 2:
            continue
        prices = {cut: cost_of(case, [cut, len(case.hypothesis)]) for cut in range(len(case.hypothesis) + 1)}
        dearer = min((price for cut, price in prices.items() if cut != cuts[0]), default=float("inf"))
        if dearer == float("inf"):
            assert margins[0] == 2**32 - 1
        else:
            assert (dearer - cost, prices[others[0]]) == (margins[0], dearer)


def test_a_very_long_document_goes_from_anchor_to_anchor() -> None:
    chance = random.Random(18)
    words = [Token(chance.randrange(5000), 0, False, True) for _ in range(3000)]
    segments = [[words[at : at + 20]] for at in range(0, len(words), 20)]
    left = words[:900] + words[1300:]
    document = cue_document(Case(left, segments, False, False))
    ((*expected, none),) = _core.align_cues([document], 200, 1)
    ((*found, anchors),) = _core.align_cues([document], 200, 1, 1000)
    assert (expected, 0) == (found, none)
    assert anchors > 0


def test_real_texts_are_cut_as_by_mweralign(data: Path) -> None:
    """One set whole, and the characters of another, as `mweralign -m cj` makes tokens of them."""
    folder = data / "wmt22"
    pairs = []
    for pair, system, most in (("liv-en", "TartuNLP", None), ("en-zh", "LanguageX", 150)):
        names = f"system-outputs/generaltest2022.{pair}.hyp.{system}", f"references/generaltest2022.{pair}.ref.A"
        texts = [gzip.decompress((folder / f"{name}.{pair[-2:]}.gz").read_bytes()).decode() for name in names]
        ours, theirs = (re.sub(r"([^\x00-\xff])", r" \1 ", text).split("\n")[:-1][:most] for text in texts)
        pairs.append(("\n".join(theirs), " ".join(" ".join(ours).split())))
    for (reference, text), expected in zip(pairs, mweralign_lines(pairs), strict=True):
        references = reference.split("\n")
        found = resegment(text, [references], method="mwer").segments
        assert expected[: len(references)] == found
