"""TER after Snover et al. (2006) and Tercom, as sacreBLEU 2.6.0 searches for shifts.

Everything is recomputed from nothing for every candidate, which is hopelessly slow
and leaves nothing to get wrong.
"""

import math
from collections.abc import Iterator, Sequence

from oracle.tokenizers import tokenize_ter

BEAM = 25
BLOCK = 10
DISTANCE = 50
BUDGET = 1000


def row(
    hypothesis: str,
    references: Sequence[str | None],
    normalized: bool = False,
    no_punct: bool = False,
    asian_support: bool = False,
    case_sensitive: bool = False,
) -> tuple[int, float]:
    """``(edits, length)`` of one segment: the fewest edits, the mean length."""

    def tokens(text: str, passes: int) -> list[str]:
        for _ in range(passes):
            # Stripped first, because a final sigma is final in what is left.
            text = text.rstrip() if case_sensitive else text.rstrip().lower()
            text = tokenize_ter(text, normalized, no_punct, asian_support)
        return text.split(" ") if text else []

    hyp = tokens(hypothesis, 1)
    # References pass through the tokenizer twice in sacreBLEU, and it is not idempotent.
    refs = [tokens(ref, 2) for ref in references if ref is not None]
    return min(edits(hyp, ref) for ref in refs), sum(len(ref) for ref in refs) / len(refs)


def score(edits: int, length: float) -> float:
    if length > 0:
        return 100 * (edits / length)
    return 100.0 if edits > 0 else 0.0


def edits(hyp: list[str], ref: list[str]) -> int:
    """Shifts plus the edits that remain after them."""
    if not hyp or not ref:
        return len(hyp) + len(ref)
    shifts = counted = 0
    while True:
        distance, operations = edit_distance(hyp, ref)
        candidates = []
        for s, length, x in shift_candidates(hyp, ref, operations):
            counted += 1
            if counted >= BUDGET:
                return shifts + distance
            moved = shifted(hyp, s, length, x)
            candidates.append((distance - edit_distance(moved, ref)[0], length, -s, -x, moved))
        if not candidates:
            return shifts + distance
        best = max(candidates)
        if best[0] <= 0:
            return shifts + distance
        hyp = best[-1]
        shifts += 1


def edit_distance(hyp: list[str], ref: list[str]) -> tuple[int, str]:
    """Distance within the beam, and the operations from the start: M(atch) S(ub) D(elete) I(nsert)."""
    rows, columns = len(hyp) + 1, len(ref) + 1
    ratio = len(ref) / len(hyp)
    beam = math.ceil(ratio / 2 + BEAM) if ratio / 2 > BEAM else BEAM
    cost = [[math.inf] * columns for _ in range(rows)]
    operation = [["?"] * columns for _ in range(rows)]
    cost[0], operation[0] = list(range(columns)), ["I"] * columns
    for i in range(1, rows):
        diagonal = math.floor(i * ratio)
        end = columns if i == rows - 1 else min(columns, diagonal + beam)
        for j in range(max(0, diagonal - beam), end):
            if j == 0:
                cost[i][0], operation[i][0] = cost[i - 1][0] + 1, "D"
                continue
            same = hyp[i - 1] == ref[j - 1]
            for price, name in (
                (cost[i - 1][j - 1] + (not same), "M" if same else "S"),
                (cost[i - 1][j] + 1, "D"),
                (cost[i][j - 1] + 1, "I"),
            ):
                if price < cost[i][j]:
                    cost[i][j], operation[i][j] = price, name
    return cost[-1][-1], _backtrace(operation)


def _backtrace(operation: list[list[str]]) -> str:
    i, j = len(operation) - 1, len(operation[0]) - 1
    path = ""
    while (i, j) != (0, 0):
        step = operation[i][j]
        path = step + path
        i -= step != "I"
        j -= step != "D"
    return path


def shift_candidates(hyp: list[str], ref: list[str], operations: str) -> Iterator[tuple[int, int, int]]:
    """Every ``(start, length, target)`` worth trying, in Tercom's order."""
    align, hyp_errors, ref_errors = alignment(operations)
    for s, t, length in common_blocks(hyp, ref):
        if not any(hyp_errors[s : s + length]) or not any(ref_errors[t : t + length]):
            continue
        if s <= align[t] < s + length:
            continue
        previous = None
        for q in range(t - 1, t + length):
            x = 0 if q == -1 else align[q] + 1
            if x != previous:
                yield s, length, x
            previous = x


def alignment(operations: str) -> tuple[list[int], list[bool], list[bool]]:
    """For each reference word the hypothesis word at or before it; and which words are wrong."""
    align: list[int] = []
    hyp_errors: list[bool] = []
    ref_errors: list[bool] = []
    position = -1
    for operation in operations:
        if operation != "I":
            position += 1
            hyp_errors.append(operation != "M")
        if operation != "D":
            align.append(position)
            ref_errors.append(operation != "M")
    return align, hyp_errors, ref_errors


def common_blocks(hyp: list[str], ref: list[str]) -> Iterator[tuple[int, int, int]]:
    for s in range(len(hyp)):
        for t in range(len(ref)):
            if abs(t - s) > DISTANCE:
                continue
            for length in range(1, BLOCK + 1):
                end, ref_end = s + length, t + length
                if end > len(hyp) or ref_end > len(ref) or hyp[end - 1] != ref[ref_end - 1]:
                    break
                yield s, t, length


def shifted(hyp: list[str], s: int, length: int, x: int) -> list[str]:
    """``hyp`` with the block ``[s, s+length)`` put before position ``x``."""
    block, end = hyp[s : s + length], s + length
    if x < s:
        return hyp[:x] + block + hyp[x:s] + hyp[end:]
    if x > end:
        return hyp[:s] + hyp[end:x] + block + hyp[x:]
    # A target inside the block, or right behind it, moves the block right by x - s places.
    return hyp[:s] + hyp[end : x + length] + block + hyp[x + length :]
