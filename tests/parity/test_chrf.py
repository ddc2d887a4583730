"""chrF: rows, scores, text and signatures equal sacreBLEU's."""

from typing import Any

import pytest
import sacrebleu
from hypothesis import given

import truebleu
from parity.compare import CHUNKS, check_case, check_corpus, check_everything, run_cases, same_score
from strategies import CHRF_OPTIONS, Corpus, Generator, chrf_options, corpora, long_text
from truebleu.errors import OptionError

pytestmark = pytest.mark.interpreter


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_generated_corpora_score_as_in_sacrebleu(chunk: int, cases: int) -> None:
    def check(generator: Generator, index: int) -> None:
        options, corpus = generator.options(CHRF_OPTIONS), generator.corpus()
        check_case("CHRF", options, corpus, index)

    run_cases("chrf", chunk, cases, check)


@given(corpora(), chrf_options)
def test_corpora_with_empty_references_score_as_in_sacrebleu_when_kept(corpus: Corpus, options: dict[str, Any]) -> None:
    check_everything("CHRF", options, corpus, "keep")


@given(corpora(), chrf_options)
def test_corpora_score_as_in_sacrebleu_without_empty_references(corpus: Corpus, options: dict[str, Any]) -> None:
    check_everything("CHRF", options, corpus, "drop")


@given(corpora(long_text), chrf_options)
def test_long_segments_score_as_in_sacrebleu(corpus: Corpus, options: dict[str, Any]) -> None:
    check_corpus("CHRF", options, corpus)


@pytest.mark.parametrize("threads", [1, 2, 3, 7])
def test_a_large_corpus_scores_the_same_on_any_number_of_threads(threads: int) -> None:
    corpus = Generator("chrf/large").corpus(segments=700, streams=3)
    theirs, ours = sacrebleu.CHRF(word_order=2), truebleu.CHRF(word_order=2, empty_refs="keep")
    same_score(theirs.corpus_score(*corpus), ours.corpus_score(*corpus, threads=threads), "CHRF")


@pytest.mark.parametrize("word_order", [1, 2, 3])
@pytest.mark.parametrize("eps_smoothing", [False, True])
def test_words_alone_score_as_in_sacrebleu(word_order: int, eps_smoothing: bool) -> None:
    options = {"char_order": 0, "word_order": word_order, "eps_smoothing": eps_smoothing}
    for index in range(20):
        check_everything("CHRF", options, Generator(f"chrf/words/{index}").corpus())


def test_no_order_at_all_scores_zero_in_sacrebleu_and_is_refused_here() -> None:
    """COMPATIBILITY 9."""
    assert sacrebleu.CHRF(char_order=0).corpus_score(["a"], [["a"]]).score == 0.0
    with pytest.raises(OptionError, match="char_order and word_order"):
        truebleu.CHRF(char_order=0)


@pytest.mark.parametrize("beta", [0, 1, 2, 3, 2.0, 0.5, 1e-3, 1e6, 10**9, 1.0000000000000002])
def test_beta_keeps_its_type_and_value(beta: float) -> None:
    for index in range(20):
        check_corpus("CHRF", {"beta": beta, "word_order": 2}, Generator(f"chrf/beta/{index}").corpus())


@pytest.mark.parametrize("remove_whitespace", [True, False])
def test_the_functions_equal_sacrebleus(remove_whitespace: bool) -> None:
    for index in range(30):
        corpus = Generator(f"chrf/functions/{index}").corpus()
        streams = [["x" if ref == "" else ref for ref in stream] for stream in corpus.streams]
        positional = (4, 2, 3, remove_whitespace, bool(index % 2))
        expected = sacrebleu.corpus_chrf(corpus.hypotheses, streams, *positional)
        same_score(expected, truebleu.corpus_chrf(corpus.hypotheses, streams, *positional), "CHRF")
        hyp, refs = corpus.hypotheses[0], [stream[0] for stream in streams]
        expected = sacrebleu.sentence_chrf(hyp, refs, *positional)
        same_score(expected, truebleu.sentence_chrf(hyp, refs, *positional), "CHRF")


def test_functions_have_sacrebleus_defaults() -> None:
    hyps, refs = ["A red fox ran past 3,5 barns."], [["A red fox ran by 3,5 barns."]]
    same_score(sacrebleu.corpus_chrf(hyps, refs), truebleu.corpus_chrf(hyps, refs), "CHRF")
    expected = sacrebleu.sentence_chrf("A fox", ["A dog ran"])
    same_score(expected, truebleu.sentence_chrf("A fox", ["A dog ran"]), "CHRF")


def test_class_constants_are_sacrebleus() -> None:
    for name in ("CHAR_ORDER", "WORD_ORDER", "BETA"):
        assert getattr(sacrebleu.CHRF, name) == getattr(truebleu.CHRF, name)
