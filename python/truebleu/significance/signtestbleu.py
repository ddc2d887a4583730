"""The BLEU that SignTestBleu computed for its sign test, for comparing with results of that program.

Order 4 without smoothing, the *shortest* reference as the reference length, a tokenizer of its own (near that
of mteval 11a), and 2.576 for 99 %. `truebleu.significance.sign` with `BLEU` is the better test: one order without
matches makes every corpus score 0 here.

>>> tokenize("It cost 1 000.50 dollars, (or so).")
'it cost 1000.50 dollars , ( or so ) .'
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from truebleu.significance.sign import Z_95, SignTest, sign_test

if TYPE_CHECKING:
    from truebleu.metrics.bleu import BLEU
    from truebleu.stats import Stats

THRESHOLDS = (Z_95, 2.576)

_ENTITIES = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))
_MARKS = re.compile(r"[{-~\[-_!-&(-+:-@/]")
_STOPS = re.compile(r"(?<![0-9])[.,]|[.,](?![0-9])")
_DASH = re.compile(r"(?<=[0-9])-")
_JOINED_DIGITS = re.compile(r"(?<=[0-9]) (?=[0-9])")
_LOWER = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")


def signtestbleu(
    baseline: Sequence[str],
    system: Sequence[str],
    references: Sequence[Sequence[str]],
    *,
    case_sensitive: bool = False,
    threads: int | None = None,
) -> SignTest:
    """The sign test with SignTestBleu's BLEU and thresholds; references are by stream, scores from 0 to 100."""
    from truebleu.metrics.bleu import BLEU

    metric = BLEU(tokenize="none", smooth_method="none", empty_refs="keep", force=True)
    tokenized = [[tokenize(text, case_sensitive) for text in stream] for stream in references]
    rows = [_stats(metric, texts, tokenized, case_sensitive, threads) for texts in (baseline, system)]
    different = [ours != theirs for ours, theirs in zip(baseline, system, strict=True)]
    test = sign_test(rows[0], rows[1], metric, different=different)
    case = "mixed" if case_sensitive else "lc"
    version = test.signature.rpartition("|")[2]
    signature = f"nrefs:{len(references)}|case:{case}|eff:no|tok:signtestbleu|smooth:none|len:shortest|{version}"
    return replace(test, signature=signature, thresholds=THRESHOLDS)


def tokenize(text: str, case_sensitive: bool = False) -> str:
    """The text with a space between tokens."""
    text = text.replace("-\n", "")
    for entity, character in _ENTITIES:
        text = text.replace(entity, character)
    text = _MARKS.sub(r" \g<0> ", text)
    text = _STOPS.sub(r" \g<0> ", text)
    text = _DASH.sub(" - ", text)
    # Groups of digits are joined, as in mteval before 11b: "1 000" is one number.
    text = _JOINED_DIGITS.sub("", text.replace("\n", " ").replace("\t", " "))
    return " ".join((text if case_sensitive else text.translate(_LOWER)).split())


def _stats(
    metric: BLEU, texts: Sequence[str], references: list[list[str]], case_sensitive: bool, threads: int | None
) -> Stats:
    """BLEU's rows, with the length of the shortest reference instead of the closest."""
    from truebleu.stats import Stats

    stats = metric.stats([tokenize(text, case_sensitive) for text in texts], references, threads=threads)
    rows = stats.rows.copy()
    rows[:, stats.columns.index("ref_len")] = [
        min(len(text.split()) for text in segment) for segment in zip(*references, strict=True)
    ]
    return Stats(rows, stats.columns, stats.fingerprint, stats.references)
