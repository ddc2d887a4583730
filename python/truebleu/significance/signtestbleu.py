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

from truebleu._inputs import check_instance, check_references, refuse_others
from truebleu._options import yes_or_no
from truebleu.signature import Signature, SignatureValue
from truebleu.significance.sign import Z_95, SignTest, sign_test
from truebleu.significance.systems import check_both

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
    """Run the sign test with SignTestBleu's BLEU and thresholds; scores are from 0 to 100."""
    from truebleu.metrics.bleu import BLEU
    from truebleu.stats import Stats

    metric = BLEU(tokenize="none", smooth_method="none", empty_refs="keep", force=True)
    case_sensitive = yes_or_no("signtestbleu", "case_sensitive", case_sensitive)
    baseline, system = check_both("signtestbleu", baseline, system)
    references = check_references("signtestbleu", references).streams  # type: ignore[assignment]
    for at, stream in enumerate(references):
        refuse_others("signtestbleu", f"references[{at}]", stream)
    streams = [[tokenize(text, case_sensitive) for text in stream] for stream in references]
    counted = []
    for texts in (baseline, system):
        stats = metric.stats([tokenize(text, case_sensitive) for text in texts], streams, threads=threads)
        rows = stats.rows.copy()
        # The length of the shortest reference takes the place of the closest.
        shortest = [min(len(text.split()) for text in segment) for segment in zip(*streams, strict=True)]
        rows[:, stats.columns.index("ref_len")] = shortest
        counted.append(Stats(rows, stats.columns, stats.fingerprint, stats.references))
    different = [ours != theirs for ours, theirs in zip(baseline, system, strict=True)]
    test = sign_test(counted[0], counted[1], metric, different=different)
    fields: dict[str, SignatureValue] = {"nrefs": len(references), "case": "mixed" if case_sensitive else "lc"}
    fields |= {"eff": False, "tok": "signtestbleu", "smooth": "none", "len": "shortest"}
    return replace(test, signature=str(Signature(fields)), thresholds=THRESHOLDS)


def tokenize(text: str, case_sensitive: bool = False) -> str:
    """Put one space between the tokens of a text."""
    check_instance("tokenize", "text", text, str, "the text of one segment")
    case_sensitive = yes_or_no("tokenize", "case_sensitive", case_sensitive)
    text = text.replace("-\n", "")
    for entity, character in _ENTITIES:
        text = text.replace(entity, character)
    text = _MARKS.sub(r" \g<0> ", text)
    text = _STOPS.sub(r" \g<0> ", text)
    text = _DASH.sub(" - ", text)
    # Groups of digits are joined, as in mteval before 11b: "1 000" is one number.
    text = _JOINED_DIGITS.sub("", text.replace("\n", " ").replace("\t", " "))
    return " ".join((text if case_sensitive else text.translate(_LOWER)).split())
