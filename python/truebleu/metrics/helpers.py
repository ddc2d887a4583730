"""sacreBLEU's n-gram helpers, for code that imports them. The metrics do not use them.

>>> sorted(extract_word_ngrams(["a", "b", "a", "b"], 2).items())
[('a b', 2), ('b a', 1)]
"""

from collections import Counter
from collections.abc import Sequence


def extract_word_ngrams(tokens: Sequence[str], n: int) -> Counter[str]:
    """The n-grams of a list of tokens, each joined by spaces, with their counts."""
    return Counter(" ".join(tokens[at : at + n]) for at in range(len(tokens) - n + 1))


def extract_all_word_ngrams(line: str, min_order: int, max_order: int) -> tuple[Counter[tuple[str, ...]], int]:
    """The n-grams of all orders of a line split on white space, as tuples, and the number of its tokens."""
    tokens = line.split()
    orders = range(min_order, max_order + 1)
    ngrams = Counter(tuple(tokens[at : at + n]) for n in orders for at in range(len(tokens) - n + 1))
    return ngrams, len(tokens)


def extract_char_ngrams(line: str, n: int, include_whitespace: bool = False) -> Counter[str]:
    """The character n-grams of a line, without white space unless asked for."""
    text = line if include_whitespace else "".join(line.split())
    return Counter(text[at : at + n] for at in range(len(text) - n + 1))


def extract_all_char_ngrams(line: str, max_order: int, include_whitespace: bool = False) -> list[Counter[str]]:
    """The character n-grams of each order from 1."""
    return [extract_char_ngrams(line, n, include_whitespace) for n in range(1, max_order + 1)]
