"""chrF with sacreBLEU's names, private ones included.

>>> CHRF(word_order=2).corpus_score(["A heron stood by the pond."], [["A grey heron stood by the pond."]])
chrF2++ = 81.33
"""

from __future__ import annotations

import string
from collections import Counter
from collections.abc import Sequence
from typing import Any, ClassVar

import truebleu.metrics.chrf
from truebleu.errors import OptionError
from truebleu.sacrebleu.metrics.base import _OURS, Metric, Score, Signature, _hook
from truebleu.sacrebleu.metrics.helpers import extract_all_char_ngrams, extract_word_ngrams
from truebleu.sacrebleu.utils import sum_of_lists

__all__ = [
    "CHRF", "CHRFScore", "CHRFSignature", "Metric", "Score", "Signature", "extract_all_char_ngrams",
    "extract_word_ngrams", "sum_of_lists",
]  # fmt: skip

_OURS.update((extract_all_char_ngrams, extract_word_ngrams, sum_of_lists))

_PUNCTUATION = frozenset(string.punctuation)


class CHRFSignature(Signature):
    """The settings behind a chrF score."""

    _fields = truebleu.metrics.chrf.CHRF.fields


class CHRFScore(Score):
    """A chrF score with the orders and the beta that its name tells."""

    def __init__(self, score: float, char_order: int, word_order: int, beta: float) -> None:
        super().__init__(f"chrF{beta}" + "+" * word_order, score)
        self.beta, self.char_order, self.word_order = beta, char_order, word_order


class CHRF(Metric):
    """chrF with sacreBLEU's options, names and defaults.

    Parameters
    ----------
    char_order, word_order, beta, lowercase, whitespace, eps_smoothing, references
        As in `truebleu.CHRF`.
    """

    CHAR_ORDER: ClassVar[int] = 6
    WORD_ORDER: ClassVar[int] = 0
    BETA: ClassVar[int] = 2
    ORDER: ClassVar[int] = 6  # sacreBLEU 1
    _PUNCTS: ClassVar[set[str]] = set(_PUNCTUATION)
    _SIGNATURE_TYPE = CHRFSignature
    # All of them: beta and smoothing choose among several references.
    _IN_ROWS = frozenset(("char_order", "word_order", "beta", "lowercase", "whitespace", "eps_smoothing"))

    def __init__(
        self,
        char_order: int = CHAR_ORDER,
        word_order: int = WORD_ORDER,
        beta: int = BETA,
        lowercase: bool = False,
        whitespace: bool = False,
        eps_smoothing: bool = False,
        references: Sequence[Sequence[str | None]] | None = None,
    ) -> None:
        super().__init__()
        self.beta = beta
        self.char_order = char_order
        self.word_order = word_order
        self.order = char_order + word_order
        self.lowercase = lowercase
        self.whitespace = whitespace
        self.eps_smoothing = eps_smoothing
        self._keep(references)

    def _options(self) -> dict[str, Any]:
        if self.order != self.char_order + self.word_order:
            raise OptionError(
                f"CHRF: order is {self.order}, and char_order and word_order make {self.char_order + self.word_order}: "
                "a program that changes one has to change the other, or to make a new CHRF"
            )
        return {name: getattr(self, name) for name in sorted(self._IN_ROWS)}

    def _make(self, **options: Any) -> Any:
        return truebleu.metrics.chrf.CHRF(**options)

    def _is_plain(self, references: Any) -> bool:
        return self._PUNCTS == _PUNCTUATION and super()._is_plain(references)

    def _helpers(self) -> tuple[Any, ...]:
        return extract_all_char_ngrams, extract_word_ngrams, sum_of_lists

    def _of_truebleu(self, score: Any) -> CHRFScore:
        return CHRFScore(score.score, self.char_order, self.word_order, self.beta)

    @_hook
    def _preprocess_segment(self, sent: str) -> str:
        return sent.lower() if self.lowercase else sent

    @_hook
    def _remove_punctuation(self, sent: str) -> list[str]:
        words: list[str] = []
        for word in sent.split():
            # One mark leaves a word, the last rather than the first.
            if len(word) > 1 and word[-1] in self._PUNCTS:
                words += (word[:-1], word[-1])
            elif len(word) > 1 and word[0] in self._PUNCTS:
                words += (word[0], word[1:])
            else:
                words.append(word)
        return words

    def _ngrams(self, text: str) -> list[Counter[str]]:
        found = extract_all_char_ngrams(text, self.char_order, self.whitespace)
        if self.word_order > 0:
            words = self._remove_punctuation(text)
            found += [extract_word_ngrams(words, n) for n in range(1, self.word_order + 1)]
        return found

    @_hook
    def _extract_reference_info(self, refs: Sequence[str]) -> dict[str, Any]:
        return {"ref_ngrams": [self._ngrams(text) for text in refs]}

    @staticmethod
    @_hook
    def _get_match_statistics(hyp_ngrams: Counter[str], ref_ngrams: Counter[str]) -> list[int]:
        # An order that the reference lacks does not count against the hypothesis.
        of_hypothesis = hyp_ngrams.total() if ref_ngrams else 0
        return [of_hypothesis, ref_ngrams.total(), (hyp_ngrams & ref_ngrams).total()]

    @_hook
    def _compute_f_score(self, statistics: Sequence[Any]) -> float:
        return float(self._counting().engine.score([float(cell) for cell in statistics]))

    @_hook
    def _compute_segment_statistics(self, hypothesis: str, ref_kwargs: dict[str, Any]) -> list[int]:
        ngrams, best, highest = self._ngrams(hypothesis), list[int](), -1.0
        for reference in ref_kwargs["ref_ngrams"]:
            pairs = zip(ngrams, reference, strict=True)
            row = [cell for pair in pairs for cell in self._get_match_statistics(*pair)]
            score = self._compute_f_score(row)
            if score > highest:  # the first of equals
                best, highest = row, score
        return best

    @_hook
    def _compute_score_from_stats(self, stats: Sequence[Any]) -> CHRFScore:
        return CHRFScore(self._compute_f_score(stats), self.char_order, self.word_order, self.beta)

    @_hook
    def _aggregate_and_compute(self, stats: Sequence[Sequence[int]]) -> CHRFScore:
        return self._compute_score_from_stats(sum_of_lists(stats))
