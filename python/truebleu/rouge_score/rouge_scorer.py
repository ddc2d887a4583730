"""`RougeScorer`, as `rouge_score.rouge_scorer` has it: all types are counted in one pass over the words.

`score` and `score_multi` return what rouge-score returns, whole zeros included; `score_batch` is ours, for many texts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from truebleu import _core
from truebleu._inputs import References, as_streams, brief, check_corpus, check_instance, group, ordered
from truebleu._logs import warn
from truebleu._options import thread_count, yes_or_no
from truebleu.errors import EmptyReferences, InputTypeError, OptionError
from truebleu.metrics.rouge import VARIANTS, punkt
from truebleu.rouge_score.scoring import BaseScorer, Score
from truebleu.rouge_score.tokenizers import DefaultTokenizer

_TYPES = {f"rouge{variant}": variant for variant in VARIANTS}

Streams = list[tuple[str | None, ...] | list[str | None]]


class RougeScorer(BaseScorer):
    """ROUGE with the numbers of rouge-score.

    Parameters
    ----------
    rouge_types
        Which scores: "rouge1" to "rouge9", "rougeL", "rougeLsum".
    use_stemmer
        Whether words are compared by their stems.
    split_summaries
        Whether "rougeLsum" splits sentences by NLTK's punkt, and not at line feeds.
    tokenizer
        An object whose method `tokenize` takes a text and returns a list of tokens; it does without the stemmer.
    """

    def __init__(
        self,
        rouge_types: Sequence[str],
        use_stemmer: bool = False,
        split_summaries: bool = False,
        tokenizer: Any = None,
    ) -> None:
        self.rouge_types = ordered("RougeScorer", "rouge_types", rouge_types, "a list of types")
        for one in self.rouge_types:
            if not isinstance(one, str) or one not in _TYPES:
                raise OptionError(f"RougeScorer: rouge_types has {brief(one)}, expected one of {', '.join(_TYPES)}")
        self._use_stemmer = yes_or_no("RougeScorer", "use_stemmer", use_stemmer)
        self._split_summaries = yes_or_no("RougeScorer", "split_summaries", split_summaries)
        if tokenizer is not None and not callable(getattr(tokenizer, "tokenize", None)):
            raise InputTypeError(
                f"RougeScorer: tokenizer is {brief(tokenizer)}, expected an object with a method tokenize, or None"
            )
        self._tokenizer = DefaultTokenizer(self._use_stemmer) if tokenizer is None else tokenizer

    def score(self, target: str, prediction: str) -> dict[str, Score]:
        """Score a prediction against one target.

        Parameters
        ----------
        target
            The reference; it comes first.
        prediction
            The prediction.
        """
        check_instance("RougeScorer.score", "target", target, str, "a string")
        return self.score_multi([target], prediction)

    def score_multi(self, targets: Sequence[str], prediction: str) -> dict[str, Score]:
        """Score a prediction against several targets: each type takes the target with the highest F.

        Parameters
        ----------
        targets
            The references, at least one.
        prediction
            The prediction.
        """
        texts = ordered("RougeScorer.score_multi", "targets", targets, "a list of strings")
        for text in texts:
            check_instance("RougeScorer.score_multi", "targets", text, str, "a list of strings")
        check_instance("RougeScorer.score", "prediction", prediction, str, "a string")
        if not texts:
            raise EmptyReferences("RougeScorer.score_multi: targets is empty, expected at least one")
        found = self.parts([prediction], [[text] for text in texts], 1)
        return {name: Score(*map(_number, parts[0])) for name, parts in found.items()}

    def score_batch(
        self, targets: Iterable[str] | Iterable[Sequence[str]], predictions: Iterable[str], threads: int | None = None
    ) -> dict[str, Score]:
        """Score many predictions at once; each type has a `Score` of three arrays. rouge-score has no such method.

        Parameters
        ----------
        targets
            A target for each prediction, or a list of them.
        predictions
            The predictions.
        threads
            How many threads count; all cores unless given.
        """
        texts, streams = segments_of("RougeScorer.score_batch", predictions, targets, ("predictions", "targets"))
        found = self.parts(texts, streams, thread_count(threads))
        return {name: Score(*(parts.T + 0.0)) for name, parts in found.items()}

    def parts(self, predictions: list[str], streams: Streams, threads: int) -> dict[str, np.ndarray[Any, Any]]:
        """Find precision, recall and F of each type, a line for each segment.

        Where rouge-score has whole zeros, because a side has no words, they are minus zeros.

        Parameters
        ----------
        predictions
            The predictions, as `segments_of` gives them.
        streams
            Their references, as it gives them.
        threads
            How many threads count; 0 for all cores.
        """
        types = list(dict.fromkeys(self.rouge_types))
        if not self._split_summaries and type(self._tokenizer) is DefaultTokenizer:
            return self._counted(types, predictions, streams, threads)
        # Sentences are split or tokenized apart, so that Lsum does not see what the others see.
        found = self._counted([name for name in types if name != "rougeLsum"], predictions, streams, threads)
        if "rougeLsum" in types:
            if self._split_summaries:
                predictions, streams = _split(punkt("RougeScorer"), predictions, streams)
            found |= self._counted(["rougeLsum"], predictions, streams, threads)
        return {name: found[name] for name in types}

    def _counted(
        self, types: list[str], predictions: list[str], streams: Streams, threads: int
    ) -> dict[str, np.ndarray[Any, Any]]:
        if not types:
            return {}
        variants, tokenizer = [_TYPES[name] for name in types], "rouge"
        if type(self._tokenizer) is DefaultTokenizer:
            _warn_of_other_scripts(streams)
        else:
            number = _Numbers(self._tokenizer, by_sentence=types == ["rougeLsum"])
            predictions, streams, tokenizer = number.texts(predictions), [*map(number.texts, streams)], "none"
        stem = self._use_stemmer and tokenizer == "rouge"
        found = _core.rouge_scores(
            predictions, streams, variants=variants, tokenizer=tokenizer, stem=stem, threads=threads
        )
        parts = np.frombuffer(found).reshape(len(predictions), len(types), 3)
        return {name: parts[:, at] for at, name in enumerate(types)}


def segments_of(
    who: str, predictions: Any, references: Any, names: tuple[str, str] = ("predictions", "references")
) -> tuple[list[str], Streams]:
    """Check predictions and their references, and give them as the core takes them."""
    given = group(who, predictions, references, names)
    streams: Any = as_streams(who, given.references)
    check_corpus(who, given.predictions, References(streams, len(given.references)), True)
    return given.predictions, streams


def _number(part: float) -> float:
    """The whole zero that rouge-score has where a side has no words, or the number as it is."""
    return 0 if part == 0 and np.signbit(part) else float(part)


def _warn_of_other_scripts(streams: Streams) -> None:
    missed, _, _, _ = _core.rouge_reach(streams)
    if missed:
        warn(
            "rouge_score: %d of %d targets have no ASCII letter or digit, and rouge-score's tokenizer knows no other: "
            "their scores are 0. Use truebleu.ROUGE(tokenize='rouge-unicode'), or pass a tokenizer",
            missed, len(streams[0]),
        )  # fmt: skip


def _split(
    sentences: Callable[[str], list[str]], predictions: list[str], streams: Streams
) -> tuple[list[str], Streams]:
    """Texts with each sentence on a line."""

    def lines(text: str | None) -> Any:
        return None if text is None else "\n".join(one.replace("\n", " ") for one in sentences(text))

    return [*map(lines, predictions)], [[*map(lines, stream)] for stream in streams]


class _Numbers:
    """Writes the tokens of a user's tokenizer as numbers, which the core can split whatever is in them."""

    def __init__(self, tokenizer: Any, by_sentence: bool) -> None:
        self._tokenize, self._by_sentence = tokenizer.tokenize, by_sentence
        self._numbers: dict[str, str] = {}

    def texts(self, texts: Iterable[str | None]) -> list[Any]:
        return [None if text is None else "\n".join(map(self._line, self._parts(text))) for text in texts]

    def _parts(self, text: str) -> list[str]:
        return [line for line in text.split("\n") if line] if self._by_sentence else [text]

    def _line(self, text: str) -> str:
        tokens = self._tokenize(text)
        if not isinstance(tokens, list | tuple) or not all(isinstance(token, str) for token in tokens):
            raise InputTypeError(
                f"the tokenizer returned {brief(tokens)} for {brief(text)}, expected a list of strings"
            )
        known = self._numbers
        return " ".join(known.setdefault(token, str(len(known))) for token in tokens)


# Private functions of rouge-score. Filters of instructions call the first in loops over all pairs, tests the others.


def _score_lcs(target_tokens: Sequence[str], prediction_tokens: Sequence[str]) -> Score:
    """ROUGE-L of two lists of tokens."""
    return _of_tokens("L", [target_tokens], [prediction_tokens])


def _summary_level_lcs(ref_sent: Sequence[Sequence[str]], can_sent: Sequence[Sequence[str]]) -> Score:
    """ROUGE-Lsum of two lists of sentences."""
    return _of_tokens("Lsum", ref_sent, can_sent)


def _of_tokens(variant: str, target: Sequence[Sequence[str]], prediction: Sequence[Sequence[str]]) -> Score:
    known: dict[str, str] = {}
    texts = [
        "\n".join(" ".join(known.setdefault(token, str(len(known))) for token in tokens) for tokens in sentences)
        for sentences in (target, prediction)
    ]
    found = _core.rouge_scores([texts[1]], [[texts[0]]], variants=[variant], tokenizer="none", stem=False, threads=1)
    return Score(*map(_number, np.frombuffer(found)))


def _lcs_table(ref: Sequence[Any], can: Sequence[Any]) -> list[list[int]]:
    """The length of the longest common subsequence of every two beginnings."""
    table = [[0] * (len(can) + 1)]
    for one in ref:
        row = [0]
        for at, other in enumerate(can):
            row.append(table[-1][at] + 1 if one == other else max(table[-1][at + 1], row[at]))
        table.append(row)
    return table


def _backtrack_norec(t: Sequence[Sequence[int]], ref: Sequence[Any], can: Sequence[Any]) -> list[int]:
    """The places of the longest common subsequence in `ref`, read from the end of a table."""
    at, other, found = len(ref), len(can), []
    while at and other:
        if ref[at - 1] == can[other - 1]:
            at, other = at - 1, other - 1
            found.append(at)
        elif t[at][other - 1] > t[at - 1][other]:
            other -= 1
        else:
            at -= 1
    return found[::-1]


def lcs_ind(ref: Sequence[Any], can: Sequence[Any]) -> list[int]:
    """The places of the longest common subsequence in `ref`."""
    return _backtrack_norec(_lcs_table(ref, can), ref, can)


def _find_union(lcs_list: Iterable[Iterable[int]]) -> list[int]:
    """The places of several subsequences, each once."""
    return sorted({place for places in lcs_list for place in places})


def _union_lcs(ref: Sequence[Any], c_list: Sequence[Sequence[Any]]) -> list[Any]:
    """The tokens of `ref` that are in the longest common subsequence with one of the others."""
    return [ref[place] for place in _find_union(lcs_ind(ref, other) for other in c_list)]
