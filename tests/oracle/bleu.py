"""BLEU after Papineni et al. (2002), as sacreBLEU 2.6.0 counts and smooths it."""

import math
from collections import Counter
from collections.abc import Sequence

from oracle.text import WHITESPACE, split
from oracle.tokenizers import TOKENIZERS

DEFAULT_VALUE = {"none": None, "exp": None, "floor": 0.1, "add-k": 1}


def prepare(segment: str, lowercase: bool = False, tokenize: str = "13a") -> list[str]:
    if lowercase:
        segment = segment.lower()
    return split(TOKENIZERS[tokenize](segment.rstrip(WHITESPACE)))


def row(hypothesis: str, references: Sequence[str | None], lowercase: bool, tokenize: str, order: int) -> list[int]:
    """``[sys_len, ref_len, correct_1..N, total_1..N]`` of one segment."""
    hyp = prepare(hypothesis, lowercase, tokenize)
    refs = [prepare(ref, lowercase, tokenize) for ref in references if ref is not None]
    ref_len = min((abs(len(ref) - len(hyp)), len(ref)) for ref in refs)[1]
    correct, total = [], []
    for n in range(1, order + 1):
        hyp_ngrams = ngrams(hyp, n)
        best: Counter[tuple[str, ...]] = Counter()
        for ref in refs:
            best |= ngrams(ref, n)
        correct.append((hyp_ngrams & best).total())
        total.append(hyp_ngrams.total())
    return [len(hyp), ref_len, *correct, *total]


def ngrams(tokens: Sequence[str], n: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1))


def score(totals: Sequence[int], method: str, value: float | None, effective_order: bool) -> float:
    """The score of a row, or of the sum of rows."""
    sys_len, ref_len = totals[:2]
    order = (len(totals) - 2) // 2
    correct, total = totals[2 : 2 + order], totals[2 + order :]
    if not any(correct):
        return 0.0
    precisions, used = smoothed(correct, total, method, value)
    logs = [math.log(p) if p else -math.inf for p in precisions]
    logs = logs[:used] if effective_order else logs
    if -math.inf in logs:
        return 0.0
    # The builtin sum, because it became more exact in Python 3.12 and sacreBLEU with it.
    return brevity_penalty(sys_len, ref_len) * math.exp(sum(logs) / len(logs))


def smoothed(correct: Sequence[int], total: Sequence[int], method: str, value: float | None) -> tuple[list[float], int]:
    """Precisions in percent, and how many orders have n-grams at all."""
    value = DEFAULT_VALUE[method] if value is None else value
    precisions = [0.0] * len(correct)
    invented = 1.0
    for n, (c, t) in enumerate(zip(correct, total, strict=True)):
        if method == "add-k" and n > 0:
            c, t = c + value, t + value
        if t == 0:
            return precisions, n
        if c != 0:
            precisions[n] = 100.0 * c / t
        elif method == "exp":
            invented *= 2
            precisions[n] = 100.0 / (invented * t)
        elif method == "floor":
            precisions[n] = 100.0 * value / t
    return precisions, len(correct)


def brevity_penalty(sys_len: int, ref_len: int) -> float:
    if sys_len >= ref_len:
        return 1.0
    return math.exp(1 - ref_len / sys_len) if sys_len else 0.0
