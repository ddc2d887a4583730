"""BLEU of token ids, equal to the R package sacRebleu: for text that a model's tokenizer has turned into numbers.

>>> references = [[[1, 2, 3], [2, 3, 4]], [[1, 2, 6], [781, 21, 9], [7, 3]]]
>>> candidates = [[1, 2, 3], [1, 2]]
>>> bleu_corpus_ids(references, candidates)
0.0
>>> bleu_corpus_ids(references, candidates, smoothing="floor")
0.4842734640584507

References come first, a list of them for each candidate; scores are from 0 to 1. A sequence of ids is a list, a tuple,
or anything that can be read as an array of one dimension: NumPy arrays, `array.array`, tensors.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence, Set
from typing import Any

from truebleu import _core
from truebleu._counts import there_are
from truebleu._inputs import FROM_0, brief, check_instance, equally_many, ordered
from truebleu._options import number_from_zero, thread_count, whole_number, yes_or_no
from truebleu.errors import InputTypeError, OptionError, UnknownSmoothing
from truebleu.metrics.bleu import BLEU
from truebleu.nltk.bleu_score import brevity_penalty, refuse_empty

__all__ = ["bleu_corpus", "bleu_corpus_ids", "bleu_sentence", "bleu_sentence_ids"]

DEFAULT_ORDER = 4

_SMOOTHING = ("floor", "add-k")
_MOST_ORDERS = 1_000_000


def bleu_corpus_ids(
    references: Any,
    candidates: Any,
    n: int = DEFAULT_ORDER,
    weights: Sequence[float] | None = None,
    smoothing: str | None = None,
    epsilon: float = 0.1,
    k: float = 1,
    *,
    compat: bool = True,
    threads: int | None = None,
) -> float:
    """Score a corpus of token ids with BLEU, from 0 to 1.

    Parameters
    ----------
    references
        For each candidate, the list of its references, each a sequence of ids.
    candidates
        The output of the system, a sequence of ids for each segment.
    n
        The highest order.
    weights
        A weight for each order; they take the place of `n`.
    smoothing
        None, "floor" or "add-k".
    epsilon
        For "floor": how many matches a segment gets for an order in which nothing matches.
    k
        For "add-k": the number added to the matches and the totals of each order; 1.9 counts as 1, as in sacRebleu.
    compat
        Whether to score as sacRebleu does; False gives sacreBLEU's BLEU of the ids (docs/token-ids.md).
    threads
        How many threads count; all cores unless given.

    Examples
    --------
    >>> bleu_corpus_ids([[[1, 2, 3, 4]]], [[1, 2, 3, 5]], n=2)
    0.7071067811865475
    """
    options = _Options("bleu_corpus_ids", n, weights, smoothing, epsilon, k)
    return _score(options, _loaded(options.name, references, candidates), compat, threads)


def bleu_sentence_ids(
    references: Any,
    candidate: Any,
    n: int = DEFAULT_ORDER,
    weights: Sequence[float] | None = None,
    smoothing: str | None = None,
    epsilon: float = 0.1,
    k: float = 1,
    *,
    compat: bool = True,
) -> float:
    """Score one sequence of token ids with BLEU, from 0 to 1: it is a corpus of one segment.

    Parameters
    ----------
    references
        The references of the segment, each a sequence of ids.
    candidate
        The output of the system, a sequence of ids.
    n, weights, smoothing, epsilon, k, compat
        As in `bleu_corpus_ids`.

    Examples
    --------
    >>> bleu_sentence_ids([[1, 2, 3, 4]], [1, 2, 3, 5], smoothing="floor")
    0.3976353643835253
    """
    options = _Options("bleu_sentence_ids", n, weights, smoothing, epsilon, k)
    return _score(options, _loaded(options.name, (references,), (candidate,)), compat, 1)


def bleu_corpus(
    references: Sequence[Sequence[str]],
    candidates: Sequence[str],
    tokenizer: Any,
    n: int = DEFAULT_ORDER,
    weights: Sequence[float] | None = None,
    smoothing: str | None = None,
    epsilon: float = 0.1,
    k: float = 1,
    *,
    compat: bool = True,
    threads: int | None = None,
) -> float:
    """Score a corpus of texts with BLEU of the ids that a tokenizer gives them, from 0 to 1.

    Parameters
    ----------
    references
        For each candidate, the list of its references.
    candidates
        The output of the system, one string for each segment.
    tokenizer
        A function from a text to its ids, or an object with such a function as `encode`. Its result is a list of ids,
        or has one as `ids`. Special tokens that it adds are scored like any others.
    n, weights, smoothing, epsilon, k, compat, threads
        As in `bleu_corpus_ids`.

    Examples
    --------
    >>> bleu_corpus([["a heron"]], ["a hero"], lambda text: [ord(character) for character in text])
    0.846481724890614
    """
    options = _Options("bleu_corpus", n, weights, smoothing, epsilon, k)
    encode = _encoder(options.name, tokenizer)
    given = equally_many(options.name, references, candidates, "candidate", "candidates")
    encoded = []
    for segment, texts in enumerate(given[0]):
        place = f"references[{segment}]"
        if isinstance(texts, (str, bytes)) or not isinstance(texts, Collection):
            kind = type(texts).__name__
            raise InputTypeError(f"{options.name}: {place} is of type {kind}, expected a list of strings")
        inner = ordered(options.name, place, texts, "a list of strings")
        encoded.append([encode(f"{place}[{at}]", text) for at, text in enumerate(inner)])
    candidates = [encode(f"candidates[{segment}]", text) for segment, text in enumerate(given[1])]
    return _score(options, _loaded(options.name, encoded, candidates), compat, threads)


def bleu_sentence(
    references: Sequence[str],
    candidate: str,
    tokenizer: Any,
    n: int = DEFAULT_ORDER,
    weights: Sequence[float] | None = None,
    smoothing: str | None = None,
    epsilon: float = 0.1,
    k: float = 1,
    *,
    compat: bool = True,
) -> float:
    """Score one text with BLEU of the ids that a tokenizer gives it, from 0 to 1: it is a corpus of one segment.

    Parameters
    ----------
    references
        The references of the segment.
    candidate
        The output of the system.
    tokenizer
        As in `bleu_corpus`.
    n, weights, smoothing, epsilon, k, compat
        As in `bleu_corpus_ids`.
    """
    return bleu_corpus([references], [candidate], tokenizer, n, weights, smoothing, epsilon, k, compat=compat)


class _Options:
    """Checked options."""

    def __init__(self, name: str, n: int, weights: Any, smoothing: str | None, epsilon: float, k: float) -> None:
        self.name = name
        order = whole_number(name, "n", n, 1, _MOST_ORDERS)
        self.weights = [1 / order] * order if weights is None else _checked_weights(name, weights, order)
        self.smoothing = None if isinstance(smoothing, str) and smoothing == "standard" else smoothing
        if self.smoothing is not None and not (isinstance(smoothing, str) and smoothing in _SMOOTHING):
            raise UnknownSmoothing(f"{name}: smoothing is {brief(smoothing)}, expected None, 'floor' or 'add-k'")
        self.epsilon = number_from_zero(name, "epsilon", epsilon)
        self.k = int(number_from_zero(name, "k", k))


def _checked_weights(name: str, weights: Any, order: int) -> list[float]:
    refused = (str, bytes, Set, Mapping, type)
    is_list = isinstance(weights, Collection) and not isinstance(weights, refused)
    if not is_list or getattr(weights, "shape", None) == () or not len(weights):
        raise OptionError(f"{name}: weights is {brief(weights)}, expected numbers, one for each order")
    if order not in (len(weights), DEFAULT_ORDER):
        raise OptionError(
            f"{name}: n is {order} and {there_are(len(weights), 'weight')}. Weights decide how many orders there are: "
            "leave n out"
        )
    return [number_from_zero(name, f"the weight of order {at}", weight) for at, weight in enumerate(weights, 1)]


def _loaded(name: str, references: Any, candidates: Any) -> _core.TokenCorpus:
    outer = equally_many(name, references, candidates, "candidate", "candidates")
    for segment, given in enumerate(outer[0]):
        _check_depth(name, segment, given)
    corpus = _core.TokenCorpus.from_ids(name, outer[1], outer[0])
    refuse_empty(name, corpus)
    return corpus


def _check_depth(name: str, segment: int, references: Any) -> None:
    """Refuse a flat list of ids where a list of references, each a list of ids, is meant."""
    if isinstance(references, (list, tuple)):
        flat = any(hasattr(reference, "__index__") and not _has_items(reference) for reference in references[:1])
    else:
        flat = len(getattr(references, "shape", (0, 0))) < 2
    if flat:
        raise InputTypeError(
            f"{name}: the references of segment {segment} are a flat sequence of ids, expected a list of references, "
            "each a sequence of ids. With one reference per segment, pass [[reference] for reference in references]. "
            f"{FROM_0}"
        )


def _has_items(value: Any) -> bool:
    shape = getattr(value, "shape", None)
    return hasattr(value, "__len__") if shape is None else len(shape) > 0


def _score(options: _Options, corpus: _core.TokenCorpus, compat: bool, threads: int | None) -> float:
    compat = yes_or_no(options.name, "compat", compat)
    if not len(corpus):
        return 0.0
    return (_score_as_sacrebleu_in_r if compat else _score_as_sacrebleu)(options, corpus, thread_count(threads))


def _score_as_sacrebleu_in_r(options: _Options, corpus: _core.TokenCorpus, threads: int) -> float:
    """Score as the R package does: a segment without n-grams of an order counts as if it had one."""
    order = len(options.weights)
    hyp_len, ref_len, matches, ngrams, short, unmatched = corpus.bleu(order, "first-closest", threads)
    epsilon = options.epsilon if options.smoothing == "floor" else 0
    k = options.k if options.smoothing == "add-k" else 0
    precisions = [
        (matched + epsilon * without + k) / (total + missing + k)
        for matched, without, total, missing in zip(matches, unmatched, ngrams, short, strict=True)
    ]
    return brevity_penalty(ref_len, hyp_len) * _weighted_mean(options.weights, precisions)


def _score_as_sacrebleu(options: _Options, corpus: _core.TokenCorpus, threads: int) -> float:
    """Score as sacreBLEU scores text, with the given weights."""
    order = len(options.weights)
    hyp_len, ref_len, matches, ngrams, _, _ = corpus.bleu(order, "closest", threads)
    method = options.smoothing or "none"
    value = {"floor": options.epsilon, "add-k": options.k}.get(method)
    found = BLEU.compute_bleu([*matches], [*ngrams], hyp_len, ref_len, method, value, max_ngram_order=order)
    if len(set(options.weights)) == 1 and options.weights[0] == 1 / order:
        return found.score / 100
    return found.bp * _weighted_mean(options.weights, [precision / 100 for precision in found.precisions])


def _weighted_mean(weights: Sequence[float], precisions: Sequence[float]) -> float:
    """The geometric mean. An order without weight does not count, whatever its precision."""
    pairs = [pair for pair in zip(weights, precisions, strict=True) if pair[0] != 0]
    if any(precision == 0 for _, precision in pairs):
        return 0.0
    return math.exp(math.fsum(weight * math.log(precision) for weight, precision in pairs))


def _encoder(name: str, tokenizer: Any) -> Callable[[str, Any], Any]:
    # A string has `encode` as well, which makes bytes of it.
    encode = None if isinstance(tokenizer, str) else getattr(tokenizer, "encode", tokenizer)
    if not callable(encode):
        raise InputTypeError(
            f"{name}: tokenizer is of type {type(tokenizer).__name__}, expected a function from text to ids, or an "
            "object with encode. Names of models are not looked up: load the tokenizer yourself"
        )

    def ids(place: str, text: Any) -> Any:
        check_instance(name, place, text, str, "a string to tokenize")
        encoded = encode(text)
        return getattr(encoded, "ids", encoded)

    return ids
