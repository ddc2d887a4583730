"""BLEU: rows, scores, text and signatures equal sacreBLEU's."""

from typing import Any

import pytest
import sacrebleu
from hypothesis import given

import truebleu
from parity.compare import (
    CHUNKS,
    check_case,
    check_corpus,
    check_everything,
    identical,
    run_cases,
    same_score,
)
from strategies import BLEU_OPTIONS, BLEU_TOKENIZERS, Corpus, Generator, bleu_options, corpora, long_text

pytestmark = pytest.mark.interpreter


@pytest.mark.parametrize("chunk", range(CHUNKS))
@pytest.mark.parametrize("tokenize", BLEU_TOKENIZERS)
def test_generated_corpora_score_as_in_sacrebleu(tokenize: str, chunk: int, cases: int) -> None:
    def check(generator: Generator, index: int) -> None:
        options = {**generator.options(BLEU_OPTIONS), "tokenize": tokenize}
        corpus = generator.corpus()
        check_case("BLEU", options, corpus, index)

    run_cases(f"bleu/{tokenize}", chunk, cases, check)


@given(corpora(), bleu_options)
def test_corpora_with_empty_references_score_as_in_sacrebleu_when_kept(corpus: Corpus, options: dict[str, Any]) -> None:
    check_everything("BLEU", options, corpus, "keep")


@given(corpora(), bleu_options)
def test_corpora_score_as_in_sacrebleu_without_empty_references(corpus: Corpus, options: dict[str, Any]) -> None:
    check_everything("BLEU", options, corpus, "drop")


@given(corpora(long_text), bleu_options)
def test_long_segments_score_as_in_sacrebleu(corpus: Corpus, options: dict[str, Any]) -> None:
    check_corpus("BLEU", options, corpus)


@pytest.mark.parametrize("threads", [1, 2, 3, 7])
def test_a_large_corpus_scores_the_same_on_any_number_of_threads(threads: int) -> None:
    corpus = Generator("bleu/large").corpus(segments=700, streams=3)
    theirs, ours = sacrebleu.BLEU(), truebleu.BLEU(empty_refs="keep")
    expected = theirs.corpus_score(*corpus)
    same_score(expected, ours.corpus_score(*corpus, threads=threads), "BLEU")


@pytest.mark.parametrize("smooth_value", [None, 0.1, 0.0])
def test_raw_corpus_bleu_equals_sacrebleu(smooth_value: float | None) -> None:
    for index in range(20):
        corpus = Generator(f"bleu/raw/{index}").corpus()
        streams = _without_empty(corpus)
        expected = sacrebleu.raw_corpus_bleu(corpus.hypotheses, streams, smooth_value)
        same_score(expected, truebleu.raw_corpus_bleu(corpus.hypotheses, streams, smooth_value), "BLEU")


@pytest.mark.parametrize("method", ["exp", "floor", "add-k", "none"])
@pytest.mark.parametrize("tokenize", BLEU_TOKENIZERS)
def test_the_functions_equal_sacrebleus(method: str, tokenize: str) -> None:
    for index in range(10):
        corpus = Generator(f"bleu/functions/{index}").corpus()
        streams = _without_empty(corpus)
        positional = (method, None, True, False, tokenize, True)
        expected = sacrebleu.corpus_bleu(corpus.hypotheses, streams, *positional)
        same_score(expected, truebleu.corpus_bleu(corpus.hypotheses, streams, *positional), "BLEU")
        hyp, refs = corpus.hypotheses[0], [stream[0] for stream in streams]
        keywords = {"smooth_method": method, "tokenize": tokenize, "lowercase": True}
        expected = sacrebleu.sentence_bleu(hyp, refs, **keywords)
        same_score(expected, truebleu.sentence_bleu(hyp, refs, **keywords), "BLEU")


def test_functions_have_sacrebleus_defaults() -> None:
    hyps, refs = ["A red fox ran past 3,5 barns."], [["A red fox ran by 3,5 barns."]]
    same_score(sacrebleu.corpus_bleu(hyps, refs), truebleu.corpus_bleu(hyps, refs), "BLEU")
    same_score(sacrebleu.raw_corpus_bleu(hyps, refs), truebleu.raw_corpus_bleu(hyps, refs), "BLEU")
    expected = sacrebleu.sentence_bleu("A fox", ["A dog ran"])
    same_score(expected, truebleu.sentence_bleu("A fox", ["A dog ran"]), "BLEU")


@pytest.mark.parametrize("language", ["", "zh", "ja", "ko", "ZH", "zh-TW", "de", "en"])
def test_target_language_chooses_the_tokenizer(language: str) -> None:
    hyps, refs = (
        ["\u79c1\u306f\u5b66\u751f. \uc548\ub155"],
        [["\u79c1\u306f\u6559\u5e2b. \uc548\ub155\ud558"]],
    )
    theirs, ours = sacrebleu.BLEU(trg_lang=language), truebleu.BLEU(trg_lang=language)
    same_score(theirs.corpus_score(hyps, refs), ours.corpus_score(hyps, refs), "BLEU")
    assert theirs.get_signature().info["tok"] == ours.get_signature().info["tok"]


@pytest.mark.parametrize("method", ["exp", "floor", "add-k", "none"])
@pytest.mark.parametrize("effective_order", [False, True])
def test_compute_bleu_equals_sacrebleu(method: str, effective_order: bool) -> None:
    for index in range(200):
        rng = Generator(f"bleu/compute/{method}/{index}").rng
        order = rng.randint(1, 6)
        total = sorted((rng.randint(0, 40) for _ in range(order)), reverse=True)
        correct = [rng.randint(0, t) for t in total]
        lengths = total[0], rng.randint(0, 60)
        value = rng.choice([None, 0, 1, 0.5, 2, 0.1])
        arguments = (*lengths, method, value, effective_order, order)
        theirs, face, ours = ((list(correct), list(total)) for _ in range(3))
        expected = sacrebleu.BLEU.compute_bleu(*theirs, *arguments)
        same_score(expected, truebleu.BLEU.compute_bleu(*ours, *arguments), "BLEU")
        same_score(expected, truebleu.sacrebleu.BLEU.compute_bleu(*face, *arguments), "BLEU")
        # add-k rewrites the lists it was given, in sacreBLEU and in the face.
        identical(theirs, face, "the caller's lists")
        assert (correct, total) == ours


def test_compute_bleu_does_not_smooth_unless_asked() -> None:
    expected = sacrebleu.BLEU.compute_bleu([3, 0], [4, 3], 4, 4, max_ngram_order=2)
    actual = truebleu.BLEU.compute_bleu([3, 0], [4, 3], 4, 4, max_ngram_order=2)
    same_score(expected, actual, "BLEU")


def test_class_constants_are_sacrebleus() -> None:
    assert sacrebleu.BLEU.TOKENIZER_DEFAULT == truebleu.BLEU.TOKENIZER_DEFAULT
    assert list(sacrebleu.BLEU.TOKENIZERS) == list(truebleu.BLEU.TOKENIZERS)
    assert sacrebleu.BLEU.SMOOTH_DEFAULTS == truebleu.BLEU.SMOOTH_DEFAULTS


def _without_empty(corpus: Corpus) -> list[list[str | None]]:
    """The functions have no `empty_refs`, so they get references on which both agree."""
    return [["x" if ref == "" else ref for ref in stream] for stream in corpus.streams]
