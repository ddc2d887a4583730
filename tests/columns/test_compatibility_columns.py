"""The entries of COMPATIBILITY.md about columns, from both sides."""

import itertools

import sacrebleu.metrics

from truebleu import TER, columns

LENGTHS = [(1, 2, 2), (6, 3, 5), (5, 4, 1)]


def test_93_ter_of_three_references_does_not_depend_on_the_order() -> None:
    hypotheses = ["a b c"] * len(LENGTHS)
    references = [["a " * length for length in lengths] for lengths in LENGTHS]
    there, here = set(), set()
    for order in itertools.permutations(range(len(LENGTHS))):
        texts, segments = [hypotheses[at] for at in order], [references[at] for at in order]
        streams = [list(stream) for stream in zip(*segments, strict=True)]
        there.add(sacrebleu.metrics.TER().corpus_score(texts, streams).score)
        assert sacrebleu.metrics.TER().corpus_score(texts, streams).score == TER().corpus_score(texts, streams).score
        data = {"mt": texts, "refs": segments}
        here.add(columns.totals(data, TER(), hypothesis="mt", references="refs").score()["ter"].score)
    assert len(there) == 2
    assert len(here) == 1 and here < there
