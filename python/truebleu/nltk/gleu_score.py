"""Google BLEU as NLTK 3.10.4 computes it: `nltk.translate.gleu_score`."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from truebleu._inputs import Tokens, equally_many, numbered
from truebleu._options import thread_count, whole_number


def sentence_gleu(references: Sequence[Tokens], hypothesis: Tokens, min_len: int = 1, max_len: int = 4) -> float:
    """Score one tokenized segment with Google BLEU, from 0 to 1.

    Parameters
    ----------
    references, hypothesis
        As in `truebleu.nltk.sentence_bleu`.
    min_len
        The shortest n-grams that are counted.
    max_len
        The longest; -1 means no limit.

    Examples
    --------
    >>> sentence_gleu(["it was a grey heron".split()], "it was a grey bird".split())
    0.7142857142857143
    """
    return _gleu("sentence_gleu", [references], [hypothesis], min_len, max_len)


def corpus_gleu(
    list_of_references: Sequence[Sequence[Tokens]], hypotheses: Sequence[Tokens], min_len: int = 1, max_len: int = 4
) -> float:
    """Score a tokenized corpus with Google BLEU, from 0 to 1.

    Matches and n-grams of the best reference of each segment are summed. A segment without references does not count.

    Parameters
    ----------
    list_of_references, hypotheses
        As in `truebleu.nltk.corpus_bleu`.
    min_len, max_len
        As in `sentence_gleu`.
    """
    return _gleu("corpus_gleu", list_of_references, hypotheses, min_len, max_len)


def _gleu(
    name: str,
    list_of_references: Sequence[Sequence[Tokens]],
    hypotheses: Sequence[Tokens],
    min_len: int,
    max_len: int,
) -> float:
    min_len = whole_number(name, "min_len", min_len, 1, sys.maxsize)
    max_len = whole_number(name, "max_len", max_len, -1, sys.maxsize)
    corpus = numbered(name, *equally_many(name, list_of_references, hypotheses))
    matches, ngrams = corpus.gleu(min_len, None if max_len == -1 else max_len, thread_count(None))
    return matches / ngrams if ngrams else 0.0
