"""BLEU as NLTK 3.10.4 computes it: `nltk.translate.bleu_score`.

Counts come from the engine. What NLTK computes with fractions is computed with fractions here, so results are equal to
the last bit. Where NLTK differs from sacreBLEU, docs/nltk.md says so.
"""

from __future__ import annotations

import fractions
import math
import sys
import warnings
from collections import Counter as Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence, Set, Sized
from typing import Any

from truebleu import _core
from truebleu._counts import number_of
from truebleu._inputs import (
    FROM_0,
    Tokens,
    brief,
    check_instance,
    equally_many,
    kind_of,
    numbered,
    ordered,
)
from truebleu._options import finite_number, number_from_zero, thread_count, whole_number, yes_or_no
from truebleu._shown import shown
from truebleu.errors import EmptyReferences, InputTypeError, NothingToDivide, OptionError, SmoothingUndefined
from truebleu.nltk.fraction import Fraction

Precision = fractions.Fraction | float
Weights = Sequence[float] | Sequence[Sequence[float]]

# In method6 each order has twice the digits of the one before, and NLTK does not come back from forty orders. From this
# one on we go on with floats.
_EXACT_ORDERS = 14

# More would cost gigabytes, and no text is so long.
_MOST_ORDERS = 100_000

_UNIFORM = (0.25, 0.25, 0.25, 0.25)


def sentence_bleu(
    references: Sequence[Tokens],
    hypothesis: Tokens,
    weights: Weights = _UNIFORM,
    smoothing_function: Callable[..., list[Any]] | None = None,
    auto_reweigh: bool = False,
) -> float | list[float]:
    """Score one tokenized segment with BLEU, from 0 to 1: it is a corpus of one segment.

    Parameters
    ----------
    references
        The references of the segment, each a list of tokens.
    hypothesis
        The output of the system, a list of tokens. Tokens are any hashable objects.
    weights
        A weight for each order, or several such vectors: then there is a score for each.
    smoothing_function
        A method of `SmoothingFunction`, or a function that is called like one.
    auto_reweigh
        Whether a text of fewer than four tokens gets equal weights for the orders that it has, in place of the default.

    Examples
    --------
    >>> sentence_bleu(["it was a grey heron".split()], "it was a grey bird".split())
    0.668740304976422
    """
    return _bleu("sentence_bleu", [references], [hypothesis], weights, smoothing_function, auto_reweigh)


def corpus_bleu(
    list_of_references: Sequence[Sequence[Tokens]],
    hypotheses: Sequence[Tokens],
    weights: Weights = _UNIFORM,
    smoothing_function: Callable[..., list[Any]] | None = None,
    auto_reweigh: bool = False,
) -> float | list[float]:
    """Score a tokenized corpus with BLEU, from 0 to 1.

    Parameters
    ----------
    list_of_references
        For each hypothesis, the list of its references, each a list of tokens.
    hypotheses
        The output of the system, a list of tokens for each segment. Tokens are any hashable objects.
    weights, smoothing_function, auto_reweigh
        As in `sentence_bleu`.

    Examples
    --------
    >>> references = [["a heron stood by the pond".split()], ["it was grey".split(), "it was a grey one".split()]]
    >>> hypotheses = ["a heron stood by a pond".split(), "it was a grey bird".split()]
    >>> corpus_bleu(references, hypotheses, weights=[(0.5, 0.5), (0.25, 0.25, 0.25, 0.25)])
    [0.7385489458759964, 0.5942170746468833]
    """
    return _bleu("corpus_bleu", list_of_references, hypotheses, weights, smoothing_function, auto_reweigh)


def _bleu(
    name: str,
    list_of_references: Sequence[Sequence[Tokens]],
    hypotheses: Sequence[Tokens],
    weights: Weights,
    smoothing_function: Callable[..., list[Any]] | None,
    auto_reweigh: bool,
) -> float | list[float]:
    vectors = _weight_vectors(name, weights)
    references, texts = equally_many(name, list_of_references, hypotheses)
    if not texts and any(vectors):
        raise NothingToDivide(f"{name}: there are no segments in hypotheses, expected at least one")
    corpus = numbered(name, references, texts)
    refuse_empty(name, corpus, texts)
    order = max(map(len, vectors))
    auto_reweigh = yes_or_no(name, "auto_reweigh", auto_reweigh)
    if smoothing_function is not None and not callable(smoothing_function):
        raise InputTypeError(f"{name}: smoothing_function is {kind_of(smoothing_function)}, expected a function")
    hyp_len, ref_len, matches, ngrams, short, _ = corpus.bleu(order, "closest", thread_count(None))
    if not any(matches):
        return 0 if len(vectors) == 1 else [0] * len(vectors)
    precisions: list[Any] = [
        # A segment without n-grams of an order counts as if it had one.
        Fraction(matched, total + missing)
        for matched, total, missing in zip(matches, ngrams, short, strict=True)
    ]
    smooth = smoothing_function or SmoothingFunction().method0
    try:
        # As in NLTK, a smoothing function gets to see the last segment only.
        smoothed = smooth(precisions, references=references[-1], hypothesis=texts[-1], hyp_len=hyp_len)
    except TypeError as error:
        if error.__traceback__ is not None and error.__traceback__.tb_next is not None:
            raise  # it is the function's own
        taken = "precisions, references=, hypothesis= and hyp_len="
        raise InputTypeError(f"{name}: smoothing_function does not take {taken}: {shown(error)}") from error
    try:
        smoothed = [float(precision) for precision in smoothed]
    except (TypeError, ValueError) as error:
        raise InputTypeError(
            f"{name}: smoothing_function gave {brief(smoothed)}, expected a list of numbers"
        ) from error
    penalty = brevity_penalty(ref_len, hyp_len)
    scores = [_score(penalty, _reweighed(vector, auto_reweigh, hyp_len), smoothed) for vector in vectors]
    return scores[0] if len(scores) == 1 else scores


def _score(penalty: float, weights: Sequence[float], precisions: Sequence[float]) -> float:
    """The score of one vector of weights. It leaves out precisions of zero, and weights without a precision."""
    pairs = zip(weights, precisions, strict=False)
    logarithm = math.fsum(weight * math.log(precision) for weight, precision in pairs if precision > 0)
    try:
        return penalty * math.exp(logarithm)
    except OverflowError as error:
        raise OptionError(f"the weights give a score beyond all floats, exp({logarithm:g})") from error


def _reweighed(weights: Sequence[float], auto_reweigh: bool, hyp_len: int) -> Sequence[float]:
    """The weights, or for a short text equal ones. NLTK compares with a tuple, so a list is never replaced."""
    short = auto_reweigh and hyp_len < 4 and isinstance(weights, tuple) and weights == _UNIFORM
    return (1 / hyp_len,) * hyp_len if short else weights


def _weight_vectors(name: str, weights: Any) -> list[Sequence[float]]:
    """The weights as a list of vectors. One vector is told from several by its first element, which is a number."""
    try:
        weights[0][0]
    except (TypeError, IndexError, KeyError):
        weights = [weights]
    for vector in weights:
        if isinstance(vector, (str, bytes, Set, Mapping)) or not isinstance(vector, Collection) or _is_flat(vector):
            raise InputTypeError(f"{name}: weights is {brief(vector)}, expected numbers, one for each order")
        if len(vector) > _MOST_ORDERS:
            raise OptionError(f"{name}: weights has {len(vector)} orders, expected at most {_MOST_ORDERS}")
        for order, weight in enumerate(vector, 1):
            try:
                finite = math.isfinite(weight)
            except (TypeError, OverflowError):
                found = brief(weight)
                raise InputTypeError(f"{name}: the weight of order {order} is {found}, expected a number") from None
            if not finite:
                raise OptionError(f"{name}: the weight of order {order} is {weight!r}, expected a finite number")
    return list(weights)


def _is_flat(value: Any) -> bool:
    """Whether it is an array without dimensions, which says that it has a length and has none."""
    return getattr(value, "shape", None) == ()


def refuse_empty(name: str, corpus: _core.TokenCorpus, hypotheses: Sequence[Tokens] = ()) -> None:
    """Raise EmptyReferences if a segment has no references."""
    segment = corpus.without_references()
    if segment is not None:
        message = f"{name}: segment {segment} has an empty list of references, expected at least one. {FROM_0}"
        raise EmptyReferences(
            f"{message}. Its hypothesis has {number_of(len(hypotheses[segment]), 'token')}" if hypotheses else message
        )


def modified_precision(references: Sequence[Tokens], hypothesis: Tokens, n: int) -> Fraction:
    """Compute the share of the hypothesis' n-grams that match, as a fraction that is not reduced.

    An n-gram counts at most as often as it occurs in the reference where it is most frequent.

    Parameters
    ----------
    references, hypothesis
        As in `sentence_bleu`.
    n
        How many tokens an n-gram has.

    Examples
    --------
    >>> modified_precision(["a heron or a goose".split()], "a heron a bird a heron".split(), 1)
    Fraction(3, 6)
    """
    n = whole_number("modified_precision", "n", n, 1, sys.maxsize)
    corpus = numbered("modified_precision", (references,), (hypothesis,))
    if n > len(hypothesis):
        return Fraction(0, 1)
    refuse_empty("modified_precision", corpus, (hypothesis,))
    _, _, matches, ngrams, _, _ = corpus.bleu(n, "closest", 1)
    return Fraction(matches[-1], ngrams[-1])


def closest_ref_length(references: Sequence[Tokens], hyp_len: int) -> int:
    """Find the length of a reference that is nearest to a hypothesis; of equally near ones the shorter.

    Parameters
    ----------
    references
        As in `sentence_bleu`.
    hyp_len
        The length of the hypothesis.
    """
    hyp_len = whole_number("closest_ref_length", "hyp_len", hyp_len, 0, sys.maxsize)
    expected = "a list of references, each a list of tokens"
    lengths = []
    for at, reference in enumerate(ordered("closest_ref_length", "references", references, expected)):
        # An array without dimensions says that it has a length, and has none.
        sized = None if getattr(reference, "shape", None) == () else reference
        check_instance("closest_ref_length", f"references[{at}]", sized, Sized, "a list of tokens")
        lengths.append(len(reference))
    if not lengths:
        raise EmptyReferences("closest_ref_length: references is empty, expected at least one")
    return min(lengths, key=lambda length: (abs(length - hyp_len), length))


def brevity_penalty(closest_ref_len: float, hyp_len: float) -> float:
    """Compute the factor by which BLEU is lowered for a short hypothesis: from 0 for an empty one to 1.

    Parameters
    ----------
    closest_ref_len
        The length of the reference that is nearest in length.
    hyp_len
        As in `closest_ref_length`.
    """
    closest_ref_len = number_from_zero("brevity_penalty", "closest_ref_len", closest_ref_len)
    hyp_len = number_from_zero("brevity_penalty", "hyp_len", hyp_len)
    if hyp_len > closest_ref_len:
        return 1
    if hyp_len == 0:
        return 0
    return math.exp(1 - closest_ref_len / hyp_len)


def ngrams(sequence: Tokens, n: int) -> Iterator[tuple[Any, ...]]:
    """Give the n-grams of a sequence, in order, as tuples; programs import it from here.

    Examples
    --------
    >>> list(ngrams("a b c".split(), 2))
    [('a', 'b'), ('b', 'c')]
    """
    n = whole_number("ngrams", "n", n, 1, sys.maxsize)
    tokens = tuple(sequence) if isinstance(sequence, str) else tuple(ordered("ngrams", "sequence", sequence, "tokens"))
    return (tokens[at : at + n] for at in range(len(tokens) - n + 1))


class SmoothingFunction:
    """The smoothing methods of Chen and Cherry (2014), with NLTK's names and numbers.

    Each takes the precisions of the orders as fractions and returns smoothed ones; methods 3 to 7 change the list that
    they are given. As `smoothing_function`, methods 5 to 7 see the references and the hypothesis of the last segment
    only, so on a corpus their scores depend on the order of segments. `truebleu.BLEU(smooth_method="method5")` looks at
    the whole corpus.

    Parameters
    ----------
    epsilon
        For method 1: how many matches an order without a match counts as.
    alpha
        For method 6: how many n-grams are added, of the precision that the two orders before suggest.
    k
        For methods 4 and 7: what the logarithm of the length is divided by.

    Examples
    --------
    >>> SmoothingFunction(epsilon=0.5).method1([Fraction(1, 2), Fraction(0, 1)])
    [Fraction(1, 2), 0.5]
    """

    def __init__(self, epsilon: float = 0.1, alpha: float = 5, k: float = 5) -> None:
        for name, value in (("epsilon", epsilon), ("alpha", alpha), ("k", k)):
            finite_number("SmoothingFunction", name, value)
        self.epsilon = epsilon
        self.alpha = alpha
        self.k = k

    def method0(self, p_n: list[Any], *args: Any, **kwargs: Any) -> list[Any]:
        """Do not smooth: zeros become the smallest normal number, each with a warning.

        Parameters
        ----------
        p_n
            The precision of each order.
        *args, **kwargs
            Not used.
        """
        for order, precision in enumerate(p_n, 1):
            if precision.numerator == 0:
                warnings.warn(
                    f"No {order}-gram of the hypotheses is in the references, so BLEU is as good as 0, whatever "
                    "shorter n-grams match. Use a lower order, or a method of SmoothingFunction()",
                    stacklevel=2,
                )
        return [precision if precision.numerator else sys.float_info.min for precision in p_n]

    def method1(self, p_n: list[Any], *args: Any, **kwargs: Any) -> list[Any]:
        """Count an order without a match as epsilon matches.

        Parameters
        ----------
        p_n, *args, **kwargs
            As in `method0`.
        """
        return [precision if precision.numerator else self.epsilon / precision.denominator for precision in p_n]

    def method2(self, p_n: list[Any], *args: Any, **kwargs: Any) -> list[Any]:
        """Add one to the matches and the totals of all orders but the first.

        Parameters
        ----------
        p_n, *args, **kwargs
            As in `method0`.
        """
        return [*p_n[:1], *(fractions.Fraction(p.numerator + 1, p.denominator + 1) for p in p_n[1:])]

    def method3(self, p_n: list[Any], *args: Any, **kwargs: Any) -> list[Any]:
        """Count the first order without a match as half a match, the next as a quarter, and so on.

        Parameters
        ----------
        p_n, *args, **kwargs
            As in `method0`.
        """
        halvings = 0
        for at, precision in enumerate(p_n):
            if precision.numerator == 0:
                halvings += 1
                p_n[at] = 1 / (2**halvings * precision.denominator)
        return p_n

    def method4(
        self, p_n: list[Any], references: Any, hypothesis: Any, hyp_len: int | None = None, *args: Any, **kwargs: Any
    ) -> list[Any]:
        """Do as method 3, times ln(length) / k; leave a hypothesis of one token alone.

        Parameters
        ----------
        p_n
            The precision of each order.
        hypothesis
            The tokens of the segment.
        hyp_len
            The length to use in place of that of `hypothesis`.
        references, *args, **kwargs
            Not used.
        """
        length = hyp_len or len(hypothesis)
        halvings = 0
        for at, precision in enumerate(p_n):
            if precision.numerator == 0 and length > 1:
                if not self.k:
                    raise SmoothingUndefined("method4 with k 0 divides by zero, expected another k")
                halvings += 1
                p_n[at] = 1 / (2**halvings * self.k / math.log(length)) / precision.denominator
        return p_n

    def method5(
        self, p_n: list[Any], references: Any, hypothesis: Any, hyp_len: int | None = None, *args: Any, **kwargs: Any
    ) -> list[Any]:
        """Average each precision with the next and the smoothed one before; after the last comes order 5.

        Parameters
        ----------
        p_n
            The precision of each order.
        references
            The references of the segment.
        hypothesis
            The tokens of the segment.
        hyp_len, *args, **kwargs
            Not used.
        """
        following = [*p_n[1:], modified_precision(references, hypothesis, 5)]
        before = p_n[0] + 1
        for at, after in enumerate(following):
            before = p_n[at] = (before + p_n[at] + after) / 3
        return p_n

    def method6(
        self, p_n: list[Any], references: Any, hypothesis: Any, hyp_len: int | None = None, *args: Any, **kwargs: Any
    ) -> list[Any]:
        """From the third order on, add alpha n-grams of the precision that the two orders before suggest.

        Parameters
        ----------
        p_n
            The precision of each order.
        hypothesis
            The tokens of the segment.
        references, hyp_len, *args, **kwargs
            Not used.
        """
        if len(p_n) < 3 or not p_n[2]:
            raise SmoothingUndefined(
                "method6 needs at least three orders and a trigram that matches, "
                f"got the precisions {', '.join(map(str, p_n))}. Use another method"
            )
        for at in range(2, len(p_n)):
            last, before = p_n[at - 1], p_n[at - 2]
            if at == _EXACT_ORDERS:
                last, before = float(last), float(before)
            expected = 0 if before == 0 else last**2 / before
            ngrams = max(0, len(hypothesis) - at)
            if ngrams + self.alpha == 0:
                raise SmoothingUndefined(
                    f"method6 with alpha 0 divides by zero: the last hypothesis has no {at + 1}-gram"
                )
            p_n[at] = (p_n[at].numerator + self.alpha * expected) / (ngrams + self.alpha)
        return p_n

    def method7(
        self, p_n: list[Any], references: Any, hypothesis: Any, hyp_len: int | None = None, *args: Any, **kwargs: Any
    ) -> list[Any]:
        """Do as method 4, then as method 5.

        Parameters
        ----------
        p_n
            The precision of each order.
        references
            The references of the segment.
        hypothesis
            The tokens of the segment.
        hyp_len
            The length to use in place of that of `hypothesis`.
        *args, **kwargs
            Not used.
        """
        p_n = self.method4(p_n, references, hypothesis, hyp_len)
        return self.method5(p_n, references, hypothesis, hyp_len)
