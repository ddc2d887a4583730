"""METEOR as NLTK 3.10.4 computes it: `nltk.translate.meteor_score`, without NLTK or its data.

Words are matched in Rust, with the stems and synonyms that NLTK has. A `preprocess`, `stemmer` or `wordnet` of the
caller's own is used as given, in Python.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise, zip_longest
from typing import Any

from truebleu import _core
from truebleu._inputs import as_float, brief, ordered, refuse_others
from truebleu._options import thread_count
from truebleu._shown import shown
from truebleu.errors import InputTypeError, MissingReferences, OptionError
from truebleu.metrics.meteor import METEOR
from truebleu.metrics.meteor import wordnet as own_wordnet

Words = list[tuple[int, str]]
Matches = tuple[list[tuple[int, int]], Words, Words]


def meteor_score(
    references: Iterable[Iterable[str]],
    hypothesis: Iterable[str],
    preprocess: Callable[[str], str] = str.lower,
    stemmer: Any = None,
    wordnet: Any = None,
    alpha: float = 0.9,
    beta: float = 3.0,
    gamma: float = 0.5,
) -> float:
    """Score one tokenized segment with METEOR, from 0 to 1; the best of its references counts.

    Parameters
    ----------
    references
        The references of the segment, each a list of tokens.
    hypothesis
        The output of the system, a list of tokens.
    preprocess
        What is done to each token first.
    stemmer
        An object with a method `stem`; Porter's unless given.
    wordnet
        An object with a method `synsets`, such as NLTK's corpus; WordNet 3.0 unless given.
    alpha
        The weight of precision in its mean with recall, as in `truebleu.METEOR`.
    beta
        The power of the share of chunks.
    gamma
        The largest penalty for chunks.

    Examples
    --------
    >>> meteor_score(["the quick fox jumps".split()], "the fast fox is jumping".split())
    0.9146341463414633
    """
    weights = [alpha, beta, gamma]
    if preprocess is str.lower and stemmer is None and wordnet is None:
        # The usual call, for which nothing has to be asked in Python.
        score = own_wordnet().score(hypothesis, references, weights)
        if score is not None:
            return score
    given = ordered("meteor_score", "references", references, "a list with a list of tokens for each reference")
    ours = _tokens("hypothesis", hypothesis)
    _check(preprocess, stemmer, wordnet, dict(zip(("alpha", "beta", "gamma"), weights, strict=True)))
    ours = list(map(preprocess, ours))
    scores = [
        _score(list(map(preprocess, _tokens("reference", reference))), ours, preprocess, stemmer, wordnet, *weights)
        for reference in given
    ]
    if not scores:
        raise MissingReferences("meteor_score: there are no references, expected at least one list of tokens")
    return max(scores)


def single_meteor_score(
    reference: Iterable[str],
    hypothesis: Iterable[str],
    preprocess: Callable[[str], str] = str.lower,
    stemmer: Any = None,
    wordnet: Any = None,
    alpha: float = 0.9,
    beta: float = 3.0,
    gamma: float = 0.5,
) -> float:
    """Score one tokenized segment against one reference with METEOR, from 0 to 1.

    Parameters
    ----------
    reference
        The reference, a list of tokens.
    hypothesis
        The output of the system, a list of tokens.
    preprocess, stemmer, wordnet, alpha, beta, gamma
        As in `meteor_score`.
    """
    return meteor_score([reference], hypothesis, preprocess, stemmer, wordnet, alpha, beta, gamma)


def exact_match(hypothesis: Iterable[str], reference: Iterable[str]) -> Matches:
    """Match equal words; return the matches, and the words of both sides that have none, with their places.

    Parameters
    ----------
    hypothesis, reference
        Lists of tokens.

    Examples
    --------
    >>> exact_match(["a", "cat"], ["The", "cat"])
    ([(1, 1)], [(0, 'a')], [(0, 'the')])
    """
    return _matched(*_numbered(hypothesis, reference), lambda word: (word,))


def stem_match(hypothesis: Iterable[str], reference: Iterable[str], stemmer: Any = None) -> Matches:
    """Match words by their stems; return matches and the stems that are left.

    Parameters
    ----------
    hypothesis, reference
        Lists of tokens.
    stemmer
        As in `meteor_score`.
    """
    return _by_stem(*_numbered(hypothesis, reference), stemmer)


def wordnetsyn_match(hypothesis: Iterable[str], reference: Iterable[str], wordnet: Any = None) -> Matches:
    """Match words of the reference that are synonyms of words of the hypothesis; return matches and what is left.

    Parameters
    ----------
    hypothesis, reference
        Lists of tokens.
    wordnet
        As in `meteor_score`.
    """
    return _matched(*_numbered(hypothesis, reference), _synonyms(wordnet))


def align_words(
    hypothesis: Iterable[str], reference: Iterable[str], stemmer: Any = None, wordnet: Any = None
) -> Matches:
    """Match words as they are, by stem and as synonyms; return sorted matches and the stems that are left.

    Parameters
    ----------
    hypothesis, reference
        Lists of tokens.
    stemmer, wordnet
        As in `meteor_score`.
    """
    return _aligned(*_numbered(hypothesis, reference), stemmer, wordnet)


def _tokens(name: str, tokens: object) -> Sequence[str]:
    """The tokens of a text; a text itself is refused in NLTK's words."""
    if isinstance(tokens, str):
        raise InputTypeError(f'"{name}" expects pre-tokenized {name} (Iterable[str]): {shown(tokens, 200)}')
    found = ordered("meteor_score", name, tokens, "a list of tokens")
    refuse_others("meteor_score", name, found)
    return found


def scores_of_words(
    hypotheses: list[str], references: list[list[str]], alpha: float, beta: float, gamma: float
) -> list[float]:
    """Score many segments whose words are in small letters, with single spaces between them."""
    import numpy as np

    _check(str.lower, None, None, {"alpha": alpha, "beta": beta, "gamma": gamma})
    if not (0 <= alpha <= 1 and beta >= 0 and 0 <= gamma <= 1):
        pairs = zip(hypotheses, references, strict=True)
        return [
            meteor_score([one.split() for one in each], line.split(), alpha=alpha, beta=beta, gamma=gamma)
            for line, each in pairs
        ]
    metric = METEOR(alpha, beta, gamma, "none", empty_refs="keep")
    streams: list[tuple[str | None, ...] | list[str | None]] = list(zip_longest(*references))
    rows = np.frombuffer(metric.engine.rows(hypotheses, streams, True, thread_count(None)))
    high, middle, low = rows.reshape(-1, len(metric.columns))[:, :3].T
    found: list[float] = (high / 2**26 + (middle / 2**52 + low / 2**78)).tolist()
    return found


def _score(
    theirs: list[str], ours: list[str], preprocess: object, stemmer: Any, wordnet: Any, alpha: float, beta: float,
    gamma: float,
) -> float:  # fmt: skip
    """Score tokens that have been preprocessed."""
    if preprocess is str.lower and stemmer is None and wordnet is None:
        ((*stages, chunks, _, _),) = own_wordnet().matches(ours, [theirs])
        matched = sum(stages)
    else:
        places = _aligned(list(enumerate(ours)), list(enumerate(theirs)), stemmer, wordnet)[0]
        matched, chunks = len(places), _chunks(places)
    try:
        precision, recall = float(matched) / len(ours), float(matched) / len(theirs)
        mean = (precision * recall) / (alpha * precision + (1 - alpha) * recall)
        share = float(chunks) / matched
        score: float = (1 - gamma * share**beta) * mean
    except ZeroDivisionError:
        return 0.0
    except OverflowError:
        raise OptionError(f"meteor_score: beta is {brief(beta)}, a power that is too large for a float") from None
    return score


def _check(preprocess: object, stemmer: object, wordnet: object, numbers: Mapping[str, object]) -> None:
    for name, value in numbers.items():
        if not math.isfinite(as_float(value)):
            raise OptionError(f"meteor_score: {name} is {brief(value)}, expected a number")
    if not callable(preprocess):
        raise InputTypeError(f"meteor_score: preprocess is {brief(preprocess)}, expected a function of a token")
    for name, given, method in (("stemmer", stemmer, "stem"), ("wordnet", wordnet, "synsets")):
        if given is not None and (isinstance(given, type) or not callable(getattr(given, method, None))):
            raise InputTypeError(f"meteor_score: {name} is {brief(given)}, expected an object with a method {method}")


def _numbered(hypothesis: Iterable[str], reference: Iterable[str]) -> tuple[Words, Words]:
    ours, theirs = _tokens("hypothesis", hypothesis), _tokens("reference", reference)
    return list(enumerate(map(str.lower, ours))), list(enumerate(map(str.lower, theirs)))


def _matched(ours: Words, theirs: Words, accepts: Callable[[str], Iterable[str]]) -> Matches:
    """Match each word, the last first, with the last free word of the reference that it accepts."""
    free: dict[str, list[int]] = {}
    for at, (_, word) in enumerate(theirs):
        free.setdefault(word, []).append(at)
    pairs = []
    for at in reversed(range(len(ours))):
        best = max(((free[word][-1], word) for word in accepts(ours[at][1]) if free.get(word)), default=None)
        if best is not None:
            pairs.append((at, free[best[1]].pop()))
    gone, taken = {at for at, _ in pairs}, {at for _, at in pairs}
    matches = [(ours[at][0], theirs[place][0]) for at, place in pairs]
    rests = [[one for at, one in enumerate(side) if at not in gone] for side, gone in ((ours, gone), (theirs, taken))]
    return matches, rests[0], rests[1]


def _by_stem(ours: Words, theirs: Words, stemmer: Any) -> Matches:
    stem = _porter if stemmer is None else stemmer.stem
    ours, theirs = ([(at, stem(word)) for at, word in side] for side in (ours, theirs))
    return _matched(ours, theirs, lambda word: (word,))


def _aligned(ours: Words, theirs: Words, stemmer: Any, wordnet: Any) -> Matches:
    exact, ours, theirs = _matched(ours, theirs, lambda word: (word,))
    stem, ours, theirs = _by_stem(ours, theirs, stemmer)
    synonym, ours, theirs = _matched(ours, theirs, _synonyms(wordnet))
    return sorted([*exact, *stem, *synonym], key=lambda pair: pair[0]), ours, theirs


def _porter(word: str) -> str:
    # NLTK asks how long a word is before it lowers it, which can make it longer (İ).
    return _core.porter_stem(word.lower()) if len(word) > 2 else word.lower()


def _synonyms(wordnet: Any) -> Callable[[str], set[str]]:
    if wordnet is None:
        return lambda word: {word, *own_wordnet().synonyms(word.lower())}

    def names(word: str) -> Iterator[str]:
        return (lemma.name() for synset in wordnet.synsets(word) for lemma in synset.lemmas())

    return lambda word: {word, *(name for name in names(word) if "_" not in name)}


def _chunks(places: list[tuple[int, int]]) -> int:
    breaks = sum((left[0] + 1, left[1] + 1) != right for left, right in pairwise(places))
    return breaks + 1
