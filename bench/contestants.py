"""How each library is called: from Python strings to an answer, in one thread unless told otherwise."""

from __future__ import annotations

import functools
import gc
import importlib
from typing import Any

import numpy as np

from corpora import Corpus

Options = dict[str, Any]


def truebleu_corpus(metric: str, options: Options, corpus: Corpus, threads: int = 1) -> Any:
    scorer = _metric("truebleu", metric)(**options)
    return scorer.corpus_score(corpus.hypotheses, [corpus.references], threads=threads)


def truebleu_segments(metric: str, options: Options, corpus: Corpus, threads: int = 1) -> Any:
    scorer = _metric("truebleu", metric)(**options)
    return scorer.sentence_scores(corpus.hypotheses, [corpus.references], threads=threads)


def sacrebleu_corpus(metric: str, options: Options, corpus: Corpus) -> Any:
    return _metric("sacrebleu", metric)(**options).corpus_score(corpus.hypotheses, [corpus.references])


def sacrebleu_segments(metric: str, options: Options, corpus: Corpus) -> Any:
    score = _metric("sacrebleu", metric)(**options).sentence_score
    pairs = zip(corpus.hypotheses, corpus.references, strict=True)
    return np.array([score(hypothesis, [reference]).score for hypothesis, reference in pairs])


def bleuscore_corpus(predictions: list[str], references: list[list[str]]) -> Any:
    compute = importlib.import_module("bleuscore").compute
    return compute(references=references, predictions=predictions, ref_len_method="sacrebleu")


def fastchrf_segments(hypotheses: list[list[str]], references: list[list[str]]) -> Any:
    return importlib.import_module("fastchrf").pairwise_chrf(hypotheses, references)


def truebleu_nltk(function: str, references: list[list[list[str]]], hypotheses: list[list[str]]) -> Any:
    return getattr(importlib.import_module("truebleu.nltk"), function)(references, hypotheses)


def nltk_corpus(function: str, references: list[list[list[str]]], hypotheses: list[list[str]]) -> Any:
    module = f"nltk.translate.{function.removeprefix('corpus_')}_score"
    return getattr(importlib.import_module(module), function)(references, hypotheses)


def split_all(corpus: Corpus) -> None:
    """CPython's `str.split` over every text: about the least that any tokenizer in Python could cost."""
    for text in corpus.hypotheses:
        text.split()
    for text in corpus.references:
        text.split()


def forget_sacrebleu() -> None:
    """Empty every `lru_cache` that sacreBLEU's modules have made.

    Its tokenizers remember 65,536 lines. Left alone, the second round would find all its lines tokenized.
    The caches are looked up each time, for modules that load late make new ones.
    """
    for item in gc.get_objects():
        if isinstance(item, functools._lru_cache_wrapper) and _is_sacrebleus(item):
            item.cache_clear()


def _is_sacrebleus(cached: Any) -> bool:
    return str(getattr(cached, "__module__", "")).partition(".")[0] == "sacrebleu"


def _metric(package: str, metric: str) -> Any:
    return getattr(importlib.import_module(f"{package}.metrics"), metric)
