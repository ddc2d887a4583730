"""evaluate's `squad` and `squad_v2`: exact match and F1 of answers to questions that are known by their ids."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import chain
from typing import TYPE_CHECKING, Any, cast

from truebleu import _core
from truebleu._inputs import Segments, as_float, as_streams, brief, ordered
from truebleu._logs import warn_each_time
from truebleu._options import thread_count
from truebleu.errors import FormatMismatch, LengthMismatch, NothingAdded, OptionError
from truebleu.evaluate.module import EvaluationModule, MetricInfo
from truebleu.metrics.citations import entries
from truebleu.metrics.similarity import word_characters

if TYPE_CHECKING:
    import numpy as np

_ANSWERS = {"text": ["string"], "answer_start": ["int32"]}


class Squad(EvaluationModule):
    """Exact match and F1 of SQuAD 1.1, from 0 to 100.

    Predictions are dicts with `id` and `prediction_text`, references dicts with `id` and `answers`, whose `text` is the
    list of right answers. A question without a prediction counts as 0 and is logged.

    Examples
    --------
    >>> question = {"id": "1", "answers": {"text": ["the heron", "a bird"], "answer_start": [0, 0]}}
    >>> Squad().compute(predictions=[{"id": "1", "prediction_text": "heron"}], references=[question])
    {'exact_match': 100.0, 'f1': 100.0}
    """

    name = "squad"
    info = MetricInfo(
        description="Exact match and F1 as the script of SQuAD 1.1 computes them, from 0 to 100.",
        citation=entries()["rajpurkar-etal-2016-squad"],
        inputs_description="predictions: dicts with id and prediction_text. references: dicts with id and answers.",
        features=[{"predictions": {"id": "string", "prediction_text": "string"},
                   "references": {"id": "string", "answers": _ANSWERS}}],
        reference_urls=("https://rajpurkar.github.io/SQuAD-explorer/",),
    )  # fmt: skip

    def _checked(
        self, predictions: Any, references: Any, names: tuple[str, str] = ("predictions", "references")
    ) -> Segments:
        """Predictions and references as dicts of plain values; they wait together until they are scored."""
        for what, value in zip(names, (predictions, references), strict=True):
            if value is None or (what in ("prediction", "reference") and value[0] is None):
                raise FormatMismatch(f"{self.name}: {what} is None, expected {names[0]} and {names[1]} together")
        ours = self._predictions_of(names[0], [*self._listed(names[0], predictions)])
        theirs = _references_of(self.name, names[1], [*self._listed(names[1], references)])
        if len(ours) != len(theirs):
            raise LengthMismatch(f"{self.name}: there are {len(ours)} {names[0]} and {len(theirs)} {names[1]}")
        if not ours:
            raise NothingAdded(f"{self.name}: {names[0]} and {names[1]} are empty, expected at least one")
        return Segments(ours, theirs, flat=True)  # type: ignore[arg-type]

    def _compute(self, predictions: Any, references: Any, **options: Any) -> dict[str, Any]:
        self._check_options(options)
        result = self._at_once(predictions, references, **options)
        if result is None:
            given = self._checked(predictions, references)
            result = self._score(given.predictions, given.references, **options)
        return result

    def _listed(self, what: str, values: Any) -> Iterable[Any]:
        return ordered(self.name, what, values, "a list of dicts", FormatMismatch)

    def _predictions_of(self, what: str, given: list[Any]) -> list[tuple[Any, ...]]:
        """The id and the text of each prediction."""
        with suppress(TypeError, KeyError, AttributeError):
            ids, texts = [one["id"] for one in given], [one["prediction_text"] for one in given]
            if _are_texts(ids) and _are_texts(texts):  # nearly always
                return [*zip(ids, texts, strict=True)]
        keys = ("id", "prediction_text")
        return [tuple(_text(self.name, f"{what}[{at}]", one, key) for key in keys) for at, one in enumerate(given)]

    def _at_once(self, predictions: Any, references: Any, **options: Any) -> dict[str, Any] | None:
        if type(predictions) is not list or type(references) is not list:
            return None
        sums = _core.squad_sums(predictions, references, word_characters(), thread_count(None))
        if sums is None:
            return None
        exact, f1, missing = sums
        _warn_of_missing(self.name, missing)
        return {"exact_match": 100.0 * exact / len(references), "f1": 100.0 * f1 / len(references)}

    def _score(self, predictions: list[Any], references: list[Any]) -> dict[str, Any]:
        for key, answers in references:
            if not answers:
                raise FormatMismatch(f"squad: question {brief(key)} has no answers, expected at least one")
        ours = [{"id": key, "prediction_text": text} for key, text in predictions]
        theirs = [{"id": key, "answers": {"text": answers}} for key, answers in references]
        return cast("dict[str, Any]", self._at_once(ours, theirs))  # they are plain now


class SquadV2(Squad):
    """Exact match and F1 of SQuAD 2.0, where a question may have no answer, from 0 to 100.

    Predictions have a `no_answer_probability` too. `compute` takes one option:

    - `no_answer_threshold`: above that probability, the prediction counts as no answer.

    Best thresholds are not searched for.
    """

    name = "squad_v2"
    info = MetricInfo(
        description="Exact match and F1 as the script of SQuAD 2.0 computes them, from 0 to 100.",
        citation=entries()["rajpurkar-etal-2016-squad"],
        inputs_description="predictions: dicts with id, prediction_text and no_answer_probability. references: dicts "
        "with id and answers.",
        features=[{
            "predictions": {"id": "string", "prediction_text": "string", "no_answer_probability": "float32"},
            "references": {"id": "string", "answers": _ANSWERS},
        }],
        reference_urls=("https://rajpurkar.github.io/SQuAD-explorer/",),
    )  # fmt: skip

    def _at_once(self, predictions: Any, references: Any, **options: Any) -> None:
        """Nothing: probabilities and questions with one id are looked at one by one."""

    def _predictions_of(self, what: str, given: list[Any]) -> list[tuple[Any, ...]]:
        """The id and the text of each prediction, and how likely it is that there is no answer."""
        found = super()._predictions_of(what, given)
        probabilities = [as_float(one.get("no_answer_probability")) for one in given]
        for at, probability in enumerate(probabilities):
            if probability != probability:
                odd = brief(given[at].get("no_answer_probability"))
                raise FormatMismatch(f"{self.name}: {what}[{at}] has no_answer_probability {odd}, expected a number")
        return [(*one, probability) for one, probability in zip(found, probabilities, strict=True)]

    def _score(
        self, predictions: list[Any], references: list[Any], *, no_answer_threshold: float = 1.0
    ) -> dict[str, Any]:
        threshold = as_float(no_answer_threshold)
        if threshold != threshold:
            raise OptionError(f"squad_v2: no_answer_threshold is {brief(no_answer_threshold)}, expected a number")
        by_id = {key: (text, probability) for key, text, probability in predictions}
        # Of questions with one id, the last counts; answers that nothing is left of are none.
        questions = {key: answers for key, answers in references}
        answered = {key: answers for key, answers in questions.items() if key in by_id}
        _warn_of_missing(self.name, len(questions) - len(answered))
        if not answered:
            raise NothingAdded("squad_v2: no question has a prediction, expected at least one")
        filled = [_filled(answers) for answers in answered.values()]
        texts = [by_id[key][0] for key in answered]
        scores = [(exact, f1) for exact, f1 in _scores(texts, [each or [""] for each in filled], True).tolist()]
        has_answer = [*map(bool, answered.values())]
        for at, key in enumerate(answered):
            if by_id[key][1] > threshold:
                scores[at] = (float(not has_answer[at]),) * 2
        result = _means("", scores)
        for prefix, kind in (("HasAns_", True), ("NoAns_", False)):
            chosen = [score for score, has in zip(scores, has_answer, strict=True) if has is kind]
            result |= _means(prefix, chosen) if chosen else {}
        return result


def _filled(answers: Sequence[str]) -> list[str]:
    """The answers that something is left of, once they are normalised."""
    scores = _scores([""] * len(answers), [[text] for text in answers], True).tolist()
    return [text for text, (is_empty, _) in zip(answers, scores, strict=True) if not is_empty]


def _means(prefix: str, scores: list[tuple[float, float]]) -> dict[str, Any]:
    total = len(scores)
    exact, f1 = (100.0 * sum(one[at] for one in scores) / total for at in (0, 1))
    return {f"{prefix}exact": exact, f"{prefix}f1": f1, f"{prefix}total": total}


def _scores(
    predictions: list[str], answers: Sequence[Sequence[str]], empty_is_alike: bool
) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Exact match and F1 of each answer, from 0 to 1: a line for each."""
    import numpy as np

    if not predictions:
        return np.zeros((0, 2))
    streams = as_streams("squad", answers)  # type: ignore[arg-type]
    found = _core.answer_scores(predictions, streams, word_characters(), empty_is_alike, thread_count(None))
    return np.frombuffer(found).reshape(-1, 2)


def _warn_of_missing(name: str, missing: int) -> None:
    if missing:
        warn_each_time("%s: %d questions have no prediction", name, missing)


def _text(name: str, where: str, one: Any, key: str) -> str:
    found = one.get(key) if isinstance(one, dict) else one
    if not isinstance(found, str) or found is one:
        raise FormatMismatch(f"{name}: {where} has {brief(found)} as {key}, expected a dict with text there")
    return found


def _are_texts(values: Iterable[Any]) -> bool:
    return set(map(type, values)) <= {str}


def _references_of(name: str, what: str, given: list[Any]) -> list[tuple[str, tuple[str, ...]]]:
    """The id and the answers of each question."""
    with suppress(TypeError, KeyError, AttributeError):
        ids, lists = [one["id"] for one in given], [one["answers"]["text"] for one in given]
        if _are_texts(ids) and set(map(type, lists)) <= {list, tuple} and _are_texts(chain.from_iterable(lists)):
            return [*zip(ids, map(tuple, lists), strict=True)]  # copied, because the caller's may change
    return [_reference(name, what, at, one) for at, one in enumerate(given)]


def _reference(name: str, what: str, at: int, one: Any) -> tuple[str, tuple[str, ...]]:
    key, answers = _text(name, f"{what}[{at}]", one, "id"), one.get("answers")
    texts = answers.get("text") if isinstance(answers, dict) else None
    if not isinstance(texts, list | tuple) or not all(isinstance(text, str) for text in texts):
        raise FormatMismatch(f"{name}: {what}[{at}] has answers {brief(answers)}, expected a dict with a list of text")
    return key, tuple(texts)
