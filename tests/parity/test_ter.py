"""TER: rows, scores, text and signatures equal sacreBLEU's."""

from itertools import product
from typing import Any

import pytest
import sacrebleu
from hypothesis import given, settings

import truebleu
from parity.compare import CHUNKS, check_case, check_corpus, check_everything, run_cases, same_score
from strategies import (
    TER_OPTIONS,
    VOCABULARIES,
    Corpus,
    Generator,
    corpora,
    ter_cases_stay_short,
    ter_options,
)

pytestmark = pytest.mark.interpreter


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_generated_corpora_score_as_in_sacrebleu(chunk: int, cases: int) -> None:
    def check(generator: Generator, index: int) -> None:
        options, corpus = generator.options(TER_OPTIONS), generator.corpus()
        check_case("TER", options, corpus, index)

    run_cases("ter", chunk, cases, check, ter_cases_stay_short)


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_shuffled_sentences_of_few_words_cost_as_many_edits(chunk: int, cases: int) -> None:
    """Shift search at its worst: many equal words, everything in the wrong place."""

    def check(generator: Generator, index: int) -> None:
        rng = generator.rng
        words = [f"w{i}" for i in range(rng.randint(2, 9))]
        ref = [rng.choice(words) for _ in range(rng.randint(1, 14))]
        hyp = rng.sample(ref, len(ref)) if rng.random() < 0.6 else rng.choices(words, k=rng.randint(1, 14))
        check_corpus("TER", {}, Corpus([" ".join(hyp)], [[" ".join(ref)]]))

    run_cases("ter/shuffled", chunk, cases, check)


@pytest.mark.parametrize("lengths", list(product((1, 2, 9, 30, 60), (1, 3, 26, 70, 120))))
def test_very_uneven_lengths_meet_the_same_beam(lengths: tuple[int, int]) -> None:
    """The beam widens with the ratio of the lengths, and its slope is a double."""
    rng = Generator(f"ter/uneven/{lengths}").rng
    words = [f"w{i}" for i in range(200)]
    hyp, ref = (" ".join(rng.choice(words) for _ in range(length)) for length in lengths)
    check_corpus("TER", {}, Corpus([hyp], [[ref]]))


@pytest.mark.full
@pytest.mark.parametrize("index", range(20))
def test_three_hundred_words_cost_as_many_edits(index: int) -> None:
    rng = Generator(f"ter/long/{index}").rng
    words = [f"w{i}" for i in range(rng.choice((20, 100, 400)))]
    ref = [rng.choice(words) for _ in range(rng.randint(100, 300))]
    hyp = list(ref)
    for _ in range(rng.randint(1, 30)):
        start, target = rng.randrange(len(hyp)), rng.randrange(len(hyp))
        block = hyp[start : start + rng.randint(1, 12)]
        del hyp[start : start + len(block)]
        hyp[target:target] = block
    check_corpus("TER", {}, Corpus([" ".join(hyp)], [[" ".join(ref)]]))


@given(corpora(), ter_options)
def test_corpora_with_empty_references_score_as_in_sacrebleu_when_kept(corpus: Corpus, options: dict[str, Any]) -> None:
    check_everything("TER", options, corpus, "keep")


@given(corpora(), ter_options)
@settings(max_examples=50)
def test_corpora_score_as_in_sacrebleu_without_empty_references(corpus: Corpus, options: dict[str, Any]) -> None:
    check_everything("TER", options, corpus, "drop")


@pytest.mark.parametrize("threads", [1, 2, 3, 7])
def test_a_large_corpus_scores_the_same_on_any_number_of_threads(threads: int, large: tuple[Corpus, Any]) -> None:
    corpus, expected = large
    ours = truebleu.TER(normalized=True, empty_refs="keep")
    same_score(expected, ours.corpus_score(*corpus, threads=threads), "TER")


@pytest.fixture(scope="module")
def large() -> tuple[Corpus, Any]:
    corpus = ter_cases_stay_short("ter/large").corpus(segments=400, streams=3)
    return corpus, sacrebleu.TER(normalized=True).corpus_score(*corpus)


@pytest.mark.parametrize("flags", list(product((False, True), repeat=4)))
def test_the_functions_equal_sacrebleus(flags: tuple[bool, bool, bool, bool]) -> None:
    for index in range(10):
        corpus = ter_cases_stay_short(f"ter/functions/{index}").corpus()
        streams = [["x" if ref == "" else ref for ref in stream] for stream in corpus.streams]
        expected = sacrebleu.corpus_ter(corpus.hypotheses, streams, *flags)
        same_score(expected, truebleu.corpus_ter(corpus.hypotheses, streams, *flags), "TER")
        hyp, refs = corpus.hypotheses[0], [stream[0] for stream in streams]
        expected = sacrebleu.sentence_ter(hyp, refs, *flags)
        same_score(expected, truebleu.sentence_ter(hyp, refs, *flags), "TER")


@pytest.mark.parametrize("words", VOCABULARIES, ids=lambda words: ascii(words[0]))
def test_a_text_against_itself_scores_as_in_sacrebleu(words: list[str]) -> None:
    """Not always zero: under `normalized` references are tokenized twice."""
    text = " ".join(words)
    for options in ({}, {"normalized": True}, {"normalized": True, "asian_support": True}):
        check_corpus("TER", options, Corpus([text], [[text]]))
