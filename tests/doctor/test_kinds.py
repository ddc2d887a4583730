"""What the core says that a text can have is never less than what Python's patterns find in it."""

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from truebleu import _core, demo
from truebleu.doctor import kept
from truebleu.doctor.kept import EMOJI, HAS_NUMBER, HAS_UNITS, HAS_VERSIONS, blanked, kinds_of, units_in
from truebleu.doctor.numbers import lost_and_added, number_marks, numbers_of
from truebleu.doctor.words import _instruction, _straight, has_options, has_prompt, word_lists
from truebleu.doctor.wrapping import _grams, _own_words, _parts

# Parts of units and of numbers, and characters that normalization turns into such.
WRITTEN = (
    "1 12 13 5 100 1.5 1,234 3. 0 07 +49 - – / : . , ' ’ 万 千 多 百 年 点 分 时 Mio million k тыс m a B Bc xyZ ab_c "
    "% %s %1 { } {x} {{ $ ${ # #A #AB# __ _ @ @@ < <A <b > / [ ] ]( ( ) ` http:// www.x a@b.co .txt x.py :\\ ~/ 😀 ☀ "
    "٣ ٫ ² ½ ① １ ， ． ： … · ٬ \u200d \ufe0f é ß я ม क् or: Option 1: (or oder b) 2: x the in ⼗ ａ Ｍ ㎏ \u2011 "
    "https://a.b 1/2/2020 10.04.2022 7:30 7.30 1986-88 COVID-19 sixteen of"
)
PIECES = WRITTEN.split(" ")
PIECES += [" ", "  ", "\u00a0", "\u202f", "\u3000", "\n", "\ud800", "\x00", "\u202e", "translate the text ", "Mark"]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)
BITS = {kind: 1 << at for at, (kind, _, _) in enumerate(kept._FAMILIES)}


def has(text: str) -> int:
    """What Python's patterns find, in bits."""
    units = units_in(text, HAS_UNITS)
    numbers = numbers_of(blanked(text, [one for one in units if one.kind != EMOJI]), number_marks("de"))
    bits = [BITS[one.kind] for one in units] + [HAS_NUMBER] * bool(numbers.checked or numbers.foreign)
    return int(np.bitwise_or.reduce([0, *bits, HAS_VERSIONS * has_options(text)]))


def same_units(text: str) -> bool:
    return units_in(text, int(kinds_of([text], 1)[0, 0])) == units_in(text, HAS_UNITS)


@given(TEXTS)
def test_nothing_that_the_patterns_find_is_missing(text: str) -> None:
    assert has(text) & ~int(kinds_of([text], 1)[0, 0]) == 0 and same_units(text)


@given(st.text(max_size=30))
def test_nothing_is_missing_in_any_text(text: str) -> None:
    assert has(text) & ~int(kinds_of([text], 1)[0, 0]) == 0 and same_units(text)


@pytest.mark.parametrize("pair", ["en-de", "en-zh"])
def test_nothing_is_missing_in_real_texts(pair: str) -> None:
    data = demo.load(pair)
    texts = [*data.sources, *data.references["A"], *(text for system in data.systems.values() for text in system)]
    kinds = kinds_of(texts, None)[:, 0]
    assert [] == [text for text, kind in zip(texts, kinds.tolist(), strict=True) if has(text) & ~kind]
    assert np.mean(kinds & HAS_UNITS > 0) < 0.1


@given(TEXTS, st.randoms(use_true_random=False), st.lists(st.sampled_from(PIECES[17:]), max_size=3))
def test_numbers_that_look_the_same_are_the_same(text: str, rng: Random, more: list[str]) -> None:
    parts = text.split(" ") + more
    rng.shuffle(parts)
    other = " ".join(parts)
    (_, *ours), (_, *theirs) = kinds_of([text, other], 1).tolist()
    if ours == theirs != [0, 0]:
        assert ([], []) == lost_and_added(numbers_of(text), numbers_of(other), [])


def test_numbers_that_differ_look_different() -> None:
    numbers = [f"{n} boats" for n in (13, 131, 1.5, "1,234", "1.235", "13.", "1:30", "13 14", "14 13")]
    seen = [tuple(row[1:]) for row in kinds_of(numbers, 1).tolist()]
    assert len(seen) - 1 == len(set(seen)) and seen[0] == seen[5]


WRITTEN_WORDS = "so a b ß ss ſ ς σ Σ É é Anna 7 ab_c foo_bar {x} ม 我 来 了 _ , . ² 😀 ｋ Ｋ"
WORDS = st.lists(st.sampled_from(WRITTEN_WORDS.split(" ")), max_size=9)


@given(WORDS, WORDS, st.integers(1, 3), st.booleans())
def test_the_bound_on_copied_words_is_never_too_low(
    output: list[str], source: list[str], size: int, by_letter: bool
) -> None:
    texts = [" ".join(output), " ".join(source)]
    (bound,) = np.frombuffer(_core.copied_at_most(texts[:1], texts[1:], size, by_letter, 1), np.int32)
    ours, theirs = (_own_words(blanked(text, units_in(text, HAS_UNITS)), by_letter) for text in texts)
    shared, length, longest = _grams(theirs, size), 0, 0
    for at in range(len(ours) - size + 1):
        length = (length + 1 if length else size) if tuple(ours[at : at + size]) in shared else 0
        longest = max(longest, length)
    assert bound >= (longest if 4 * longest >= len(ours) else 0)


@given(st.lists(WORDS.map(" ".join), max_size=6), st.integers(1, 3), st.booleans())
def test_the_bound_on_shared_words_is_never_too_low(texts: list[str], size: int, by_letter: bool) -> None:
    grams = [_grams(_parts(text, by_letter), size) for text in texts]
    most = max((sum(gram in one for one in grams) for gram in set().union(*grams)), default=0)
    assert most <= _core.shared_parts(texts, size, by_letter)


def test_every_instruction_has_one_of_the_stems() -> None:
    lists = word_lists()
    assert [] == [words for words in lists["instructions"] if not any(stem in words for stem in lists["stems"])]


PROMPTS = "Translate,the text,into,German,You are a,translator,Do not add,any,notes,übersetzen Sie,den Text,English,:,."


@given(st.lists(st.sampled_from(PROMPTS.split(",")), max_size=9))
def test_a_prompt_is_found_with_stems_as_without(parts: list[str]) -> None:
    text = " ".join(parts)
    assert has_prompt(text) or not _instruction().search(_straight(text))


def test_pairs_of_texts_are_as_many() -> None:
    with pytest.raises(ValueError, match="2 and 1 texts make no pairs"):
        _core.copied_at_most(["a", "b"], ["a"], 1, False, 1)


@pytest.mark.guard
@pytest.mark.parametrize("part", ["{", "%", "<a ", "1,1", "(", "1 ", "0", "万", "a ", "`", "１"])
def test_the_core_reads_long_texts_in_linear_time(part: str) -> None:
    from growth import assert_linear

    assert_linear(lambda text: (kinds_of([text], 1), _core.shared_parts([text], 6, False)), lambda n: part * n, 100_000)
