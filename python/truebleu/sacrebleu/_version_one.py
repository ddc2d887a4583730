"""Names of sacreBLEU 1 that programs still ask for, as thin as can be."""

from collections import Counter
from collections.abc import Callable, Sequence

from truebleu.tokenizers.native import (
    NoneTokenizer,
    Tokenizer13a,
    TokenizerChar,
    TokenizerV14International,
    TokenizerZh,
)

DEFAULT_TOKENIZER = "13a"
NGRAM_ORDER = 4

tokenize_13a: Callable[[str], str] = Tokenizer13a()
tokenize_v14_international: Callable[[str], str] = TokenizerV14International()
tokenize_zh: Callable[[str], str] = TokenizerZh()

TOKENIZERS: dict[str, Callable[[str], str]] = {
    "13a": tokenize_13a,
    "intl": tokenize_v14_international,
    "zh": tokenize_zh,
    "char": TokenizerChar(),
    "none": NoneTokenizer(),
}


def extract_ngrams(line: str, min_order: int = 1, max_order: int = NGRAM_ORDER) -> Counter[str]:
    """Count the n-grams of a line; each is a string with spaces between its tokens."""
    tokens, orders = line.split(), range(min_order, max_order + 1)
    return Counter(" ".join(tokens[at : at + n]) for n in orders for at in range(len(tokens) - n + 1))


def ref_stats(output: str, refs: Sequence[str]) -> tuple[Counter[str], int, int]:
    """The n-grams of all references, and the difference and the length of the one that is closest in length."""
    length = len(output.split())
    ngrams: Counter[str] = Counter()
    for reference in refs:
        ngrams |= extract_ngrams(reference)
    closest = min((len(reference.split()) for reference in refs), key=lambda size: (abs(size - length), size))
    return ngrams, abs(closest - length), closest
