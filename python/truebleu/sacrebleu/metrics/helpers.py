"""sacreBLEU's n-gram helpers, for code that imports them. The metrics do not use them.

>>> sorted(extract_word_ngrams(["a", "b", "a", "b"], 2).items())
[('a b', 2), ('b a', 1)]
"""

from collections import Counter
from collections.abc import Sequence

from truebleu._inputs import check_instance, ordered, refuse_others
from truebleu._options import whole_number, yes_or_no

__all__ = ["extract_all_char_ngrams", "extract_all_word_ngrams", "extract_char_ngrams", "extract_word_ngrams"]

_HIGHEST_ORDER = 100_000


def extract_word_ngrams(tokens: Sequence[str], n: int) -> Counter[str]:
    """Count the n-grams of a list of tokens; each is a string with spaces between its tokens.

    Parameters
    ----------
    tokens
        The tokens.
    n
        How many tokens an n-gram has.
    """
    n = whole_number("extract_word_ngrams", "n", n, 0, _HIGHEST_ORDER)
    if not isinstance(tokens, str):
        tokens = ordered("extract_word_ngrams", "tokens", tokens, "a list of strings")
        refuse_others("extract_word_ngrams", "tokens", tokens)
    return Counter(" ".join(tokens[at : at + n]) for at in range(len(tokens) - n + 1))


def extract_all_word_ngrams(line: str, min_order: int, max_order: int) -> tuple[Counter[tuple[str, ...]], int]:
    """Split a line on white space and count its n-grams, which are tuples; return them and the number of tokens."""
    check_instance("extract_all_word_ngrams", "line", line, str, "a string")
    min_order = whole_number("extract_all_word_ngrams", "min_order", min_order, 0, _HIGHEST_ORDER)
    max_order = whole_number("extract_all_word_ngrams", "max_order", max_order, 0, _HIGHEST_ORDER)
    tokens = line.split()
    orders = range(min_order, max_order + 1)
    ngrams = Counter(tuple(tokens[at : at + n]) for n in orders for at in range(len(tokens) - n + 1))
    return ngrams, len(tokens)


def extract_char_ngrams(line: str, n: int, include_whitespace: bool = False) -> Counter[str]:
    """Count the n-grams of characters of a line.

    Parameters
    ----------
    line
        The line.
    n
        How many characters an n-gram has.
    include_whitespace
        Whether white space counts as characters; otherwise it is removed first.
    """
    check_instance("extract_char_ngrams", "line", line, str, "a string")
    n = whole_number("extract_char_ngrams", "n", n, 0, _HIGHEST_ORDER)
    include_whitespace = yes_or_no("extract_char_ngrams", "include_whitespace", include_whitespace)
    text = line if include_whitespace else "".join(line.split())
    return Counter(text[at : at + n] for at in range(len(text) - n + 1))


def extract_all_char_ngrams(line: str, max_order: int, include_whitespace: bool = False) -> list[Counter[str]]:
    """Count the n-grams of characters of a line, for each order from 1."""
    check_instance("extract_all_char_ngrams", "line", line, str, "a string")
    include_whitespace = yes_or_no("extract_all_char_ngrams", "include_whitespace", include_whitespace)
    max_order = whole_number("extract_all_char_ngrams", "max_order", max_order, 0, _HIGHEST_ORDER)
    return [extract_char_ngrams(line, n, include_whitespace) for n in range(1, max_order + 1)]
