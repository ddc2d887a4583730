"""The oracle agrees with sacreBLEU and with truebleu: three voices, so that a disagreement can be judged."""

import functools
import operator
from typing import Any

import pytest
import sacrebleu

import truebleu
from oracle import bleu, chrf, ter
from oracle.text import WHITESPACE, split
from oracle.tokenizers import TOKENIZERS, tokenize_ter
from strategies import (
    BLEU_OPTIONS,
    BLEU_TOKENIZERS,
    CHRF_OPTIONS,
    TER_OPTIONS,
    Corpus,
    Generator,
    ter_cases_stay_short,
)
from truebleu import _core


@pytest.fixture(scope="module")
def some(cases: int) -> range:
    """Fewer cases than in the parity tests: the oracle is slow and has no options of its own."""
    return range(max(cases // 5, 40))


def test_whitespace_is_pythons() -> None:
    every = [chr(c) for c in range(0x110000)]
    assert sorted(WHITESPACE) == [c for c in every if c.isspace()]


def test_split_is_pythons(some: range) -> None:
    for index in some:
        line = Generator(f"oracle/split/{index}").segment()
        assert line.split() == split(line)


@pytest.mark.parametrize("name", BLEU_TOKENIZERS)
def test_three_tokenizers_agree(name: str, some: range) -> None:
    theirs, ours = (package.BLEU(tokenize=name).tokenizer for package in (sacrebleu, truebleu))
    for index in some:
        line = Generator(f"oracle/tokenizer/{name}/{index}").segment()
        assert theirs(line) == TOKENIZERS[name](line) == ours(line), f"{line!a}"


@pytest.mark.parametrize("passes", [1, 2])
def test_ter_tokenizers_agree(passes: int, some: range) -> None:
    for index in some:
        generator = Generator(f"oracle/ter-tokenizer/{index}")
        line = generator.segment()
        flags = [generator.rng.random() < 0.6 for _ in range(3)]
        expected = line
        for _ in range(passes):
            expected = tokenize_ter(expected, *flags)
        assert expected == _core.ter_tokenize(line, *flags, passes), f"{line!a} {flags}"


@pytest.mark.parametrize("tokenize", BLEU_TOKENIZERS)
def test_three_bleus_agree(tokenize: str, some: range) -> None:
    for index in some:
        generator = Generator(f"oracle/bleu/{tokenize}/{index}")
        options = {**generator.options(BLEU_OPTIONS), "tokenize": tokenize}
        corpus = generator.corpus()
        order = options.get("max_ngram_order", 4)
        rows = [
            bleu.row(hyp, refs, options.get("lowercase", False), tokenize, order)
            for hyp, refs in zip(corpus.hypotheses, corpus.segments, strict=True)
        ]
        score = bleu.score(
            summed(rows),
            options.get("smooth_method", "exp"),
            options.get("smooth_value"),
            options.get("effective_order", False),
        )
        agree(rows, score, "BLEU", options, corpus)


def test_three_chrfs_agree(some: range) -> None:
    for index in some:
        generator = Generator(f"oracle/chrf/{index}")
        options, corpus = generator.options(CHRF_OPTIONS), generator.corpus()
        segments = zip(corpus.hypotheses, corpus.segments, strict=True)
        rows = [chrf.row(hyp, refs, **options) for hyp, refs in segments]
        score = chrf.score(summed(rows), options.get("beta", 2), options.get("eps_smoothing", False))
        agree(rows, score, "CHRF", options, corpus)


def test_three_ters_agree(some: range) -> None:
    for index in some:
        generator = ter_cases_stay_short(f"oracle/ter/{index}")
        options, corpus = generator.options(TER_OPTIONS), generator.corpus()
        rows = [ter.row(*segment, **options) for segment in zip(corpus.hypotheses, corpus.segments, strict=True)]
        agree(rows, ter.score(*summed(rows)), "TER", options, corpus)


def agree(rows: list[Any], score: float, name: str, options: dict[str, Any], corpus: Corpus) -> None:
    theirs = getattr(sacrebleu, name)(**options)
    ours = getattr(truebleu, name)(**options, empty_refs="keep")
    case = f"{name} {options} {tuple(corpus)!a}"
    assert score == theirs.corpus_score(*corpus).score, f"oracle against sacreBLEU: {case}"
    assert score == ours.corpus_score(*corpus).score, f"oracle against truebleu: {case}"
    assert [list(row) for row in rows] == ours.stats(*corpus).rows.tolist(), f"rows: {case}"


def summed(rows: list[Any]) -> list[Any]:
    return [functools.reduce(operator.add, column) for column in zip(*rows, strict=True)]
