"""evaluate's `squad` and `squad_v2`: exact match and F1 of answers to questions that are known by their ids."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from truebleu import _core
from truebleu._inputs import Segments, as_float, as_streams, brief, ordered
from truebleu._logs import warn_each_time
from truebleu.errors import FormatMismatch, LengthMismatch, NothingAdded, OptionError
from truebleu.evaluate.module import EvaluationModule, MetricInfo
from truebleu.metrics.answers import word_characters
from truebleu.metrics.options import thread_count

_ANSWERS = {"text": ["string"], "answer_start": ["int32"]}
_RAJPURKAR = """@inproceedings{rajpurkar-etal-2016-squad,
    title = "{SQ}u{AD}: 100,000+ Questions for Machine Comprehension of Text",
    author = "Rajpurkar, Pranav and Zhang, Jian and Lopyrev, Konstantin and Liang, Percy",
    booktitle = "Proceedings of the 2016 Conference on Empirical Methods in Natural Language Processing",
    year = "2016",
    url = "https://aclanthology.org/D16-1264",
    pages = "2383--2392"
}"""


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
        citation=_RAJPURKAR,
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
        ours = [self._prediction(names[0], at, one) for at, one in enumerate(self._listed(names[0], predictions))]
        theirs = [_reference(self.name, names[1], at, one) for at, one in enumerate(self._listed(names[1], references))]
        if len(ours) != len(theirs):
            raise LengthMismatch(f"{self.name}: there are {len(ours)} {names[0]} and {len(theirs)} {names[1]}")
        if not ours:
            raise NothingAdded(f"{self.name}: {names[0]} and {names[1]} are empty, expected at least one")
        return Segments(ours, [[one] for one in theirs], flat=True)  # type: ignore[arg-type,list-item]

    def _compute(self, predictions: Any, references: Any, **options: Any) -> dict[str, Any]:
        self._check_options(options)
        given = self._checked(predictions, references)
        return self._score(given.predictions, given.references, **options)

    def _listed(self, what: str, values: Any) -> Iterable[Any]:
        return ordered(self.name, what, values, "a list of dicts", FormatMismatch)

    def _prediction(self, what: str, at: int, one: Any) -> dict[str, Any]:
        return {key: _text(self.name, f"{what}[{at}]", one, key) for key in ("id", "prediction_text")}

    def _score(self, predictions: list[Any], references: list[Any]) -> dict[str, Any]:
        texts = {one["id"]: one["prediction_text"] for one in predictions}
        questions = [one[0] for one in references]
        answered = [one for one in questions if one["id"] in texts]
        for one in questions:
            if not one["text"]:
                raise FormatMismatch(f"squad: question {brief(one['id'])} has no answers, expected at least one")
        _warn_of_missing(self.name, len(questions) - len(answered))
        scores = _scores([texts[one["id"]] for one in answered], [one["text"] for one in answered], False)
        exact, f1 = 0.0, 0.0
        for each_exact, each_f1 in scores:
            exact, f1 = exact + each_exact, f1 + each_f1
        return {"exact_match": 100.0 * exact / len(questions), "f1": 100.0 * f1 / len(questions)}


class SquadV2(Squad):
    """Exact match and F1 of SQuAD 2.0, where a question may have no answer, from 0 to 100.

    Predictions have a `no_answer_probability` too. `compute` takes one option:

    - `no_answer_threshold`: above that probability, the prediction counts as no answer.

    Best thresholds are not searched for.
    """

    name = "squad_v2"
    info = MetricInfo(
        description="Exact match and F1 as the script of SQuAD 2.0 computes them, from 0 to 100.",
        citation=_RAJPURKAR,
        inputs_description="predictions: dicts with id, prediction_text and no_answer_probability. references: dicts "
        "with id and answers.",
        features=[{
            "predictions": {"id": "string", "prediction_text": "string", "no_answer_probability": "float32"},
            "references": {"id": "string", "answers": _ANSWERS},
        }],
        reference_urls=("https://rajpurkar.github.io/SQuAD-explorer/",),
    )  # fmt: skip

    def _prediction(self, what: str, at: int, one: Any) -> dict[str, Any]:
        found = super()._prediction(what, at, one)
        probability = as_float(one.get("no_answer_probability"))
        if probability != probability:
            given = brief(one.get("no_answer_probability"))
            raise FormatMismatch(f"{self.name}: {what}[{at}] has no_answer_probability {given}, expected a number")
        return {**found, "no_answer_probability": probability}

    def _score(
        self, predictions: list[Any], references: list[Any], *, no_answer_threshold: float = 1.0
    ) -> dict[str, Any]:
        threshold = as_float(no_answer_threshold)
        if threshold != threshold:
            raise OptionError(f"squad_v2: no_answer_threshold is {brief(no_answer_threshold)}, expected a number")
        by_id = {one["id"]: one for one in predictions}
        # Of questions with one id, the last counts; answers that nothing is left of are none.
        questions = {one[0]["id"]: one[0] for one in references}
        answered = {key: one for key, one in questions.items() if key in by_id}
        _warn_of_missing(self.name, len(questions) - len(answered))
        if not answered:
            raise NothingAdded("squad_v2: no question has a prediction, expected at least one")
        filled = [_filled(one["text"]) for one in answered.values()]
        texts = [by_id[key]["prediction_text"] for key in answered]
        scores = _scores(texts, [each or [""] for each in filled], True)
        has_answer = [bool(one["text"]) for one in answered.values()]
        for at, key in enumerate(answered):
            if by_id[key]["no_answer_probability"] > threshold:
                scores[at] = (float(not has_answer[at]),) * 2
        result = _means("", scores)
        for prefix, kind in (("HasAns_", True), ("NoAns_", False)):
            chosen = [score for score, has in zip(scores, has_answer, strict=True) if has is kind]
            result |= _means(prefix, chosen) if chosen else {}
        return result


def _filled(answers: list[str]) -> list[str]:
    """The answers that something is left of, once they are normalised."""
    scores = _scores([""] * len(answers), [[text] for text in answers], True)
    return [text for text, (is_empty, _) in zip(answers, scores, strict=True) if not is_empty]


def _means(prefix: str, scores: list[tuple[float, float]]) -> dict[str, Any]:
    total = len(scores)
    exact, f1 = (100.0 * sum(one[at] for one in scores) / total for at in (0, 1))
    return {f"{prefix}exact": exact, f"{prefix}f1": f1, f"{prefix}total": total}


def _scores(predictions: list[str], answers: list[list[str]], empty_is_alike: bool) -> list[tuple[float, float]]:
    """Exact match and F1 of each answer, from 0 to 1."""
    import numpy as np

    if not predictions:
        return []
    streams = as_streams("squad", answers)  # type: ignore[arg-type]
    found = _core.answer_scores(predictions, streams, word_characters(), empty_is_alike, thread_count(None))
    return [(exact, f1) for exact, f1 in np.frombuffer(found).reshape(-1, 2).tolist()]


def _warn_of_missing(name: str, missing: int) -> None:
    if missing:
        warn_each_time("%s: %d questions have no prediction", name, missing)


def _text(name: str, where: str, one: Any, key: str) -> str:
    found = one.get(key) if isinstance(one, dict) else one
    if not isinstance(found, str) or found is one:
        raise FormatMismatch(f"{name}: {where} has {brief(found)} as {key}, expected a dict with text there")
    return found


def _reference(name: str, what: str, at: int, one: Any) -> dict[str, Any]:
    key, answers = _text(name, f"{what}[{at}]", one, "id"), one.get("answers")
    texts = answers.get("text") if isinstance(answers, dict) else None
    if not isinstance(texts, list | tuple) or not all(isinstance(text, str) for text in texts):
        raise FormatMismatch(f"{name}: {what}[{at}] has answers {brief(answers)}, expected a dict with a list of text")
    return {"id": key, "text": list(texts)}
