"""Tercom's edit distance on lists of words, with the trace of its edits."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence

from truebleu.errors import OptionError
from truebleu.metrics.ter import TER

_BEAM_WIDTH = 25


def translation_edit_rate(words_hyp: list[str], words_ref: list[str]) -> tuple[int, int]:
    """Count the edits that turn a hypothesis into a reference, shifts of blocks among them.

    Examples
    --------
    >>> translation_edit_rate(["a", "b", "c"], ["b", "c", "a"])
    (1, 3)
    """
    # Words may hold anything, so numbers stand for them in the texts that are counted.
    numbers: dict[Hashable, str] = {}
    texts = [
        " ".join(numbers.setdefault(word, str(len(numbers))) for word in words) for words in (words_hyp, words_ref)
    ]
    edits, length = TER(case_sensitive=True, empty_refs="keep").stats([texts[0]], [[texts[1]]]).rows[0]
    return int(edits), int(length)


class BeamEditDistance:
    """The edit distance to a reference, computed near the diagonal only."""

    def __init__(self, words_ref: list[str]) -> None:
        self._words_ref = words_ref

    def __call__(self, words_hyp: list[str]) -> tuple[int, str]:
        """Compute the distance and its trace: a space for equal words, s(ubstitute), d(elete), i(nsert).

        Examples
        --------
        >>> BeamEditDistance(["a", "b", "c"])(["a", "x"])
        (2, ' is')
        """
        words_ref = self._words_ref
        columns = len(words_ref) + 1
        ratio = len(words_ref) / len(words_hyp) if words_hyp else 1.0
        beam = math.ceil(ratio / 2 + _BEAM_WIDTH) if ratio / 2 > _BEAM_WIDTH else _BEAM_WIDTH
        costs: list[float] = list(range(columns))
        edits = [["i"] * columns]
        for i, word in enumerate(words_hyp, 1):
            diagonal = math.floor(i * ratio)
            last = columns if i == len(words_hyp) else min(columns, diagonal + beam)
            row: list[float] = [math.inf] * columns
            edits.append(["?"] * columns)
            for j in range(max(0, diagonal - beam), last):
                ways: list[tuple[float, str]] = [(costs[j] + 1, "d")]
                if j > 0:
                    same = word == words_ref[j - 1]
                    ways = [(costs[j - 1] + (not same), " " if same else "s"), *ways, (row[j - 1] + 1, "i")]
                row[j], edits[i][j] = min(ways, key=lambda way: way[0])  # the first of equals
            costs = row
        return int(costs[-1]), _trace(edits)


def _trace(edits: list[list[str]]) -> str:
    """The edits from the first to the last word."""
    i, j, backwards = len(edits) - 1, len(edits[0]) - 1, []
    while (i, j) != (0, 0):
        edit = edits[i][j]
        backwards.append(edit)
        i, j = i - (edit != "i"), j - (edit != "d")
    return "".join(reversed(backwards))


def trace_to_alignment(trace: str) -> tuple[dict[int, int], list[int], list[int]]:
    """Tell which reference word each hypothesis word stands for, and which words of the two are wrong.

    Examples
    --------
    >>> trace_to_alignment(" si")
    ({0: 0, 1: 1}, [0, 1], [0, 1, 1])
    """
    alignment: dict[int, int] = {}
    hyp_errors: list[int] = []
    ref_errors: list[int] = []
    for edit in trace:
        if edit not in " sdi":
            raise OptionError(f"the trace has the edit {edit!r}, expected a space, s, d or i")
        if edit != "d":
            ref_errors.append(int(edit != " "))
        if edit != "i":
            alignment[len(hyp_errors)] = len(ref_errors) - 1
            hyp_errors.append(int(edit != " "))
    return alignment, hyp_errors, ref_errors


def _flip_trace(trace: Sequence[str]) -> str:
    """The edits of the other direction."""
    return "".join({"i": "d", "d": "i"}.get(edit, edit) for edit in trace)
