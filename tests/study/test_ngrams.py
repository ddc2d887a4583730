"""The n-grams that tell systems apart, against a naive count."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import truebleu
from strategies import Corpus, corpora
from truebleu import BLEU, CHRF, Study
from truebleu.errors import OptionError
from truebleu.study.ngrams import NGram, compare_ngrams

words = st.lists(st.sampled_from("abc"), max_size=6)
segments = st.lists(st.tuples(words, words, st.lists(words, min_size=1, max_size=2)), min_size=3, max_size=14)


def times(gram: Sequence[str], tokens: Sequence[str]) -> int:
    return sum(list(gram) == list(tokens[at : at + len(gram)]) for at in range(len(tokens) - len(gram) + 1))


def naive(drawn: list[tuple[list[str], list[str], list[list[str]]]], is_known: bool) -> list[NGram]:
    """All n-grams that differ in three segments or more, in no order."""
    texts = [tokens for a, b, _ in drawn for tokens in (a, b)]
    grams = {tuple(t[at : at + n]) for t in texts for n in range(1, 5) for at in range(len(t) - n + 1)}
    found = []
    for gram in grams:
        counts = []
        for at, (a, b, references) in enumerate(drawn):
            limit = max(times(gram, reference) for reference in references)
            if bool(limit) == is_known:
                ours, theirs = times(gram, a), times(gram, b)
                counts.append((at, min(ours, limit), min(theirs, limit)) if is_known else (at, ours, theirs))
        wins, losses = (sum(sign * (one - other) > 0 for _, one, other in counts) for sign in (1, -1))
        if wins + losses >= 3:
            totals = sum(one for _, one, _ in counts), sum(other for _, _, other in counts)
            places = tuple(at for at, one, other in counts if one != other)
            found.append(NGram(gram, *totals, wins, losses, (wins - losses) / (wins + losses) ** 0.5, places))
    return found


@settings(max_examples=150)
@given(segments)
def test_the_table_equals_a_naive_count(drawn: list[tuple[list[str], list[str], list[list[str]]]]) -> None:
    a, b, references = ([one[side] for one in drawn] for side in range(3))
    table = compare_ngrams(("a", "b"), [a, b], references, range(len(drawn)))  # type: ignore[arg-type]
    for sign, is_known, listed in (
        (1, True, table.gains), (-1, True, table.losses), (1, False, table.only_a), (-1, False, table.only_b),
    ):  # fmt: skip
        candidates = [one for one in naive(drawn, is_known) if one.z * sign > 0]
        assert set(listed) <= set(candidates)
        assert sorted((abs(one.z) for one in listed), reverse=True) == [abs(one.z) for one in listed]
        left_out = set(candidates) - set(listed)
        if len(listed) < 25:
            # Each that is left out is inside a longer one that is listed and has the same segments.
            assert all(any(is_inside(one, longer) for longer in listed) for one in left_out)
        else:
            worst = abs(listed[-1].z)
            assert all(abs(one.z) <= worst or any(is_inside(one, longer) for longer in listed) for one in left_out)
        assert not any(is_inside(one, other) and signs(one, drawn) == signs(other, drawn)
                       for one in listed for other in listed)  # fmt: skip


def is_inside(one: NGram, longer: NGram) -> bool:
    shorter, text = f" {' '.join(one.tokens)} ", f" {' '.join(longer.tokens)} "
    same = (one.segments, one.wins, one.losses) == (longer.segments, longer.wins, longer.losses)
    return same and len(one.tokens) < len(longer.tokens) and shorter in text


def signs(gram: NGram, drawn: list[Any]) -> list[bool]:
    return [times(gram.tokens, drawn[at][0]) > times(gram.tokens, drawn[at][1]) for at in gram.segments]


@given(corpora(), st.sampled_from(["13a", "zh", "char", "none", "intl"]), st.booleans())
def test_matches_add_up_to_those_of_bleu(corpus: Corpus, tokenize: str, lowercase: bool) -> None:
    metric = BLEU(tokenize=tokenize, lowercase=lowercase, force=True)
    try:
        stats = metric.stats(corpus.hypotheses, corpus.streams)
    except truebleu.errors.TruebleuError:
        return
    streams = [metric.tokens([text or "" for text in stream]) for stream in corpus.streams]
    for at, (row, tokens) in enumerate(zip(stats.rows, metric.tokens(corpus.hypotheses), strict=True)):
        texts = [stream[at] for stream in streams]
        grams = {
            tuple(text[start : start + n]) for text in texts for n in range(1, 5) for start in range(len(text) - n + 1)
        }
        limits = {gram: max(times(gram, text) for text in texts) for gram in grams}
        counts = [0] * 4
        for gram, limit in limits.items():
            counts[len(gram) - 1] += min(limit, times(gram, tokens))
        assert row[2:6].tolist() == counts


def test_the_demo_has_the_n_grams_that_its_systems_differ_in() -> None:
    study = truebleu.testset("demo", "en-de").study(metrics=BLEU())
    table = study.ngrams("atlas", "cedar")
    assert len(table.gains) == len(table.only_b) == 25
    assert all(one.count_a > one.count_b and one.wins > one.losses for one in table.gains)
    swapped = study.ngrams("cedar", "atlas")
    assert [one.tokens for one in table.gains] == [one.tokens for one in swapped.losses]
    assert [one.tokens for one in table.only_b] == [one.tokens for one in swapped.only_a]
    assert study.ngrams("atlas", "cedar") is table
    first = table.to_dict()["gains"][0]
    assert [at + 1 for at in table.gains[0].segments] == first["segments"]


def test_some_segments_can_be_looked_at() -> None:
    demo = truebleu.testset("demo", "en-de")
    chosen = [at for at, label in enumerate(demo.domains) if label == "news"]
    some = demo.study(metrics=BLEU()).ngrams("atlas", "birch", chosen[::-1])
    news = demo.select(subset="news").study(metrics=BLEU()).ngrams("atlas", "birch")
    places = {at: place for place, at in enumerate(chosen)}
    assert [(one.tokens, one.z) for one in news.gains] == [(one.tokens, one.z) for one in some.gains]
    assert [one.segments for one in news.only_a] == [tuple(places[at] for at in one.segments) for one in some.only_a]


def test_without_bleu_the_tokens_are_those_of_the_language() -> None:
    study = truebleu.testset("demo", "en-zh").study(metrics=CHRF())
    assert all(
        len(token) == 1 or token.isascii() for one in study.ngrams("atlas", "cedar").gains for token in one.tokens
    )


def test_a_wrong_argument_is_refused() -> None:
    study = Study({"a": ["x"], "b": ["y"]}, [["x"]], BLEU())
    with pytest.raises(OptionError, match=r"Study.ngrams: b is 'c', expected one of 'a', 'b'"):
        study.ngrams("a", "c")
    with pytest.raises(OptionError, match=r"Study.ngrams: segments is 1"):
        study.ngrams("a", "b", [1])
