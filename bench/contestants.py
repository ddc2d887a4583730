"""How each library is called: from Python strings to an answer, in one thread unless told otherwise."""

from __future__ import annotations

import functools
import gc
import importlib
import math
from collections import Counter
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


def truebleu_evaluate(name: str, options: Options, predictions: list[str], references: list[list[str]]) -> Any:
    metric = importlib.import_module("truebleu.evaluate").load(name)
    return metric.compute(predictions=predictions, references=references, **options)


def python_bleu(predictions: list[str], references: list[list[str]], max_order: int = 4) -> Any:
    """evaluate's `bleu` in plain Python: sacreBLEU's 13a, one dict of n-grams a text, then the sums.

    Its script is on a hub, so this stands in for it. It is the same work without evaluate's own checks and copies to
    disk, and so a faster peer than evaluate.
    """
    tokenize = importlib.import_module("sacrebleu.tokenizers.tokenizer_13a").Tokenizer13a()
    matches, totals, length, reference_length = [0] * max_order, [0] * max_order, 0, 0
    for prediction, texts in zip(predictions, references, strict=True):
        tokens, others = tokenize(prediction).split(), [tokenize(text).split() for text in texts]
        length += len(tokens)
        reference_length += min(map(len, others))
        best: Counter[tuple[str, ...]] = Counter()
        for other in others:
            best |= _ngrams(other, max_order)
        for ngram, count in (_ngrams(tokens, max_order) & best).items():
            matches[len(ngram) - 1] += count
        for order in range(max_order):
            totals[order] += max(0, len(tokens) - order)
    precisions = [matched / total if total else 0.0 for matched, total in zip(matches, totals, strict=True)]
    mean = math.exp(sum((1 / max_order) * math.log(p) for p in precisions)) if min(precisions) > 0 else 0.0
    ratio = length / reference_length
    penalty = 1.0 if ratio > 1 else math.exp(1 - 1 / ratio)
    return {
        "bleu": mean * penalty,
        "precisions": precisions,
        "brevity_penalty": penalty,
        "length_ratio": ratio,
        "translation_length": length,
        "reference_length": reference_length,
    }


def _ngrams(tokens: list[str], max_order: int) -> Counter[tuple[str, ...]]:
    orders = range(1, max_order + 1)
    return Counter(tuple(tokens[at : at + n]) for n in orders for at in range(len(tokens) - n + 1))


def python_google_bleu(predictions: list[str], references: list[list[str]]) -> Any:
    """evaluate's `google_bleu`: sacreBLEU's 13a and NLTK's `corpus_gleu`, which it calls."""
    tokenize = importlib.import_module("sacrebleu.tokenizers.tokenizer_13a").Tokenizer13a()
    lists = [[tokenize(text).split() for text in texts] for texts in references]
    corpus_gleu = importlib.import_module("nltk.translate.gleu_score").corpus_gleu
    return {"google_bleu": corpus_gleu(lists, [tokenize(text).split() for text in predictions])}


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
