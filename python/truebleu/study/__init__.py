"""A study: systems, references and metrics in, and every number of a report out, computed once when it is asked for.

One module holds one subject: `inputs` what a study is made of, `groups` the breakdown by domain, document or length,
`ngrams` what one system says and another does not, `segments` the scores of single segments, `provenance` what was
read and by which versions, `study` the object that holds them together. Nothing here knows how a report looks.
"""

from typing import TYPE_CHECKING

from truebleu._lazy import attach

if TYPE_CHECKING:
    from truebleu.study.groups import Breakdown as Breakdown
    from truebleu.study.groups import GroupDifference as GroupDifference
    from truebleu.study.groups import PairedGroups as PairedGroups
    from truebleu.study.groups import Reversal as Reversal
    from truebleu.study.ngrams import NGram as NGram
    from truebleu.study.ngrams import NGramTable as NGramTable
    from truebleu.study.provenance import Provenance as Provenance
    from truebleu.study.segments import SegmentScores as SegmentScores
    from truebleu.study.study import Study as Study

_HOMES = {
    "Breakdown": "truebleu.study.groups",
    "GroupDifference": "truebleu.study.groups",
    "NGram": "truebleu.study.ngrams",
    "NGramTable": "truebleu.study.ngrams",
    "PairedGroups": "truebleu.study.groups",
    "Provenance": "truebleu.study.provenance",
    "Reversal": "truebleu.study.groups",
    "SegmentScores": "truebleu.study.segments",
    "Study": "truebleu.study.study",
}
__all__ = list(_HOMES)
__getattr__, __dir__ = attach(__name__, _HOMES)
