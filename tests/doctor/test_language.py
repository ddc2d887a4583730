"""Which hypotheses are in another language than the references."""

import random

import numpy as np
import pytest

from truebleu import demo
from truebleu.doctor.language import foreign_segments, measure

GERMAN = demo.load("en-de")
ENGLISH, REFERENCE, SYSTEM = GERMAN.sources, GERMAN.references["A"], GERMAN.systems["atlas"]
LONG = [i for i, text in enumerate(ENGLISH) if len(text) > 80]


def with_foreign(count: int) -> tuple[list[str], list[int]]:
    """Hypotheses of which some are the English source: another language than the German references."""
    chosen = sorted(random.Random(3).sample(LONG, count))
    return [ENGLISH[i] if i in chosen else text for i, text in enumerate(SYSTEM)], chosen


@pytest.mark.parametrize("system", GERMAN.systems)
def test_no_clean_segment_is_foreign(system: str) -> None:
    assert [] == foreign_segments(GERMAN.systems[system], [REFERENCE], ENGLISH)


@pytest.mark.parametrize("sources", [None, ENGLISH])
def test_english_among_german_is_found(sources: list[str] | None) -> None:
    hypotheses, chosen = with_foreign(20)
    found = foreign_segments(hypotheses, [REFERENCE], sources)
    assert set(found) <= set(chosen)
    assert (20 if sources else 18) == len(found)


def test_a_file_in_another_language_is_found_as_a_whole() -> None:
    enough = sum(measure(ENGLISH, [REFERENCE], None).trigrams >= 30)
    assert 0.98 * enough < len(foreign_segments(ENGLISH, [REFERENCE], None)) <= enough


def test_spanish_is_foreign_among_german_references() -> None:
    spanish = demo.load("en-es")
    hypotheses = [*spanish.references["A"][:10], *SYSTEM[10:]]
    enough = {i for i, text in enumerate(hypotheses[:10]) if len(text) > 70}
    assert enough <= set(foreign_segments(hypotheses, [REFERENCE], None)) <= set(range(10))


def test_entities_addresses_tags_and_names_of_accounts_say_nothing_about_the_language() -> None:
    noise = " &quot;&#34; https://example.org/zzqx/wwyx #WaaZooYxx @qqxxyyzz &quot;"
    noisy = [text + noise for text in SYSTEM]
    assert [] == foreign_segments(noisy, [REFERENCE], None)
    plain, decorated = measure(SYSTEM, [REFERENCE], None), measure(noisy, [REFERENCE], None)
    np.testing.assert_array_equal(plain.distance, decorated.distance)


def test_a_short_segment_of_names_that_the_reference_has_too_is_not_foreign() -> None:
    names = "Przybyszewska, Wojciechowska & Brzęczyszczykiewicz"
    references = [f"Es kommen {names}" if i == 7 else text for i, text in enumerate(REFERENCE)]
    hypotheses = [names if i == 7 else text for i, text in enumerate(SYSTEM)]
    assert [] == foreign_segments(hypotheses, [references], None)


def test_fewer_than_a_hundred_segments_are_not_judged() -> None:
    assert [] == foreign_segments(ENGLISH[:99], [REFERENCE[:99]], None)


def test_texts_without_letters_are_not_judged() -> None:
    assert [] == foreign_segments([""] * 120, [["1 + 1 = 2"] * 120], ["..."] * 120)


def test_lone_surrogates_do_not_shift_segments() -> None:
    hypotheses, chosen = with_foreign(20)
    broken = [f"\ud800{text}" if at % 3 == 0 else text for at, text in enumerate(hypotheses)]
    assert (
        foreign_segments(hypotheses, [REFERENCE], ENGLISH) == foreign_segments(broken, [REFERENCE], ENGLISH) == chosen
    )
