"""Seeded corpora of tokens: short and long, repetitive and not, of strings, numbers and stranger objects.

>>> corpus("a/1") == corpus("a/1")
True
"""

import random
from fractions import Fraction
from typing import Any, NamedTuple


class Corpus(NamedTuple):
    """As NLTK takes it: references first, a list of them for each hypothesis."""

    references: list[list[Any]]
    hypotheses: list[Any]


# Equal keys of a dict are equal tokens, whatever they look like: 1, 1.0 and True are one.
_NAN = float("nan")
ALPHABETS: list[list[Any]] = [
    ["a", "b"],
    ["a", "b", "c", "d", "e"],
    ["the", "a", "heron", "pond", "grey", "stood", "by", ",", ".", "Wasser", "вода", "水", "😀"],
    [f"word{index}" for index in range(60)],
    list(range(8)),
    [0, 1, 2**40, -1, 2**70, -(2**70)],
    [1, 1.0, True, "1", (1,), (1, "a"), None, Fraction(1, 2), 0.5, b"a", frozenset({1}), _NAN],
]
LENGTHS = (0, 1, 2, 3, 3, 4, 5, 6, 7, 8, 10, 12, 15, 25)


def corpus(name: str, *, segments: int | None = None, references: int | None = None) -> Corpus:
    """One to six segments with one to four references each, most of them edited copies of the hypothesis."""
    rng = random.Random(f"tokens/{name}")
    alphabet = rng.choice(ALPHABETS)
    hypotheses, lists = [], []
    for _ in range(segments or rng.choice((1, 1, 1, 2, 3, 6))):
        hypothesis = [rng.choice(alphabet) for _ in range(rng.choice(LENGTHS))]
        count = references or rng.choice((1, 1, 2, 3, 4))
        lists.append([_container(rng, _variant(rng, hypothesis, alphabet)) for _ in range(count)])
        hypotheses.append(_container(rng, hypothesis))
    return Corpus(lists, hypotheses)


def _variant(rng: random.Random, tokens: list[Any], alphabet: list[Any]) -> list[Any]:
    if rng.random() < 0.2:
        return [rng.choice(alphabet) for _ in range(rng.choice(LENGTHS))]
    edited = list(tokens)
    for _ in range(rng.choice((0, 1, 1, 2, 3, 5))):
        at = rng.randint(0, len(edited))
        edited[at : at + rng.choice((0, 1, 2))] = rng.choice(([], [rng.choice(alphabet)], edited[-2:]))
    return edited


def _container(rng: random.Random, tokens: list[Any]) -> Any:
    if rng.random() < 0.1 and all(isinstance(token, str) and len(token) == 1 for token in tokens):
        return "".join(tokens)
    return tuple(tokens) if rng.random() < 0.2 else tokens


def copied(value: Any) -> Any:
    """The same lists anew, so that a side that changes its input is found out."""
    return [copied(item) for item in value] if isinstance(value, list) else value
