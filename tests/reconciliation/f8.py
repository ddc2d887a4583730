"""Eight segments with traps and two references, on which every tool's numbers are known."""

from truebleu.reconciliation.counts import SystemTexts
from truebleu.reconciliation.family import Scorer

HYPOTHESES = [
    "The ferry left the harbour at 9:30, didn't it?",
    "Prices rose by 3.5% in 2019-20, he said.",
    '"Nobody saw the grey heron," she told Mr. O\'Neil.',
    "the Tide came in quickly and the boats lay still",
    "Yes.",
    "Zwei Boote.",
    "It costs 1,000\u00a0euros & not 900 - really",
    "They waited and waited and waited by the old stone quay.",
]
A = [
    "The ferry sailed from the harbour at 9:30, didn't it?",
    "Prices went up by 3.5 % in 2019-20, he said.",
    "\u201cNobody saw the grey heron,\u201d she told Mr. O\u2019Neil.",
    "The tide came in quickly and the boats lay still.",
    "Yes.",
    "Two boats lay there.",
    "It costs 1,000 euros and not 900 - really.",
    "They waited for hours by the old stone quay.",
]
B = [
    "The ferry departed at half past nine from the harbour, right?",
    "He said prices rose by 3.5% in 2019-20.",
    '"No one saw the grey heron," she told Mr. O\'Neil.',
    "Quickly the tide came in, and the boats were still.",
    "Yes, indeed.",
    "A pair of boats.",
    "It is 1,000 euros, not 900 - really.",
    "They waited and waited by the old quay of stone.",
]


def scorer(*streams: list[str], hypotheses: list[str] = HYPOTHESES) -> Scorer:
    """A scorer of the eight segments, with reference A unless others are given."""
    named = {str(number): stream for number, stream in enumerate(streams or (A,), 1)}
    return Scorer(SystemTexts(hypotheses, named, tuple(named), {}), threads=1)
