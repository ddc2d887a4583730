"""What callers with texts in other forms than lists need of a metric beside its engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from truebleu._inputs import Stream, Texts
from truebleu._typing import Any
from truebleu.metrics.base import Metric
from truebleu.metrics.tokenized import TokenizedMetric


def prepared(metric: Metric[Any], hypotheses: Texts, streams: list[Stream]) -> tuple[Texts, list[Stream], bool]:
    """Do the work on checked texts that the engine cannot do, and give what the engine takes."""
    normalized = [metric._normalized(stream) for stream in streams]
    return metric._prepared_texts(hypotheses), metric._tokenized_streams(normalized), metric._engine_keeps_empty


def texts_and_options(metric: TokenizedMetric[Any], texts: Texts) -> tuple[Texts, dict[str, Any]]:
    """Give texts as the core takes them, and what it is to do with them: the name of a tokenizer, and case."""
    return metric._prepared_texts(texts), metric._engine_text()


def placed(metric: Metric[Any], sources: Sequence[str] | None, places: Sequence[int]) -> Metric[Any]:
    """Give the metric for some segments: what was translated, if it is known, and their places in the files."""
    return metric._placed(sources, places)


def with_glossary(metrics: Mapping[str, Metric[Any]], sources: list[str] | None) -> dict[str, Any]:
    """Give the metrics that have a glossary, for what was translated, if it is known."""
    having = {key: metric for key, metric in metrics.items() if getattr(metric, "glossary", None) is not None}
    return {key: metric._with(sources) for key, metric in having.items()}


def is_native(metric: Metric[Any]) -> bool:
    """Whether the engine does all the work on text; otherwise it passes through Python."""
    return metric._preparation is None and not metric.normalize


def looks_at_texts(metric: Metric[Any]) -> bool:
    """Whether the metric has anything to say of texts before they are scored."""
    kind = type(metric)
    return kind._look_at is not Metric._look_at or kind._look_at_both is not Metric._look_at_both


def look_at_sample(metric: Metric[Any], hypotheses: Texts, streams: list[Stream]) -> None:
    """Let the metric look at some segments: it may know that it cannot read them, or that something is odd."""
    metric._look_at(streams, is_sample=True)
    metric._look_at_both(hypotheses, streams, is_sample=True)


def warn_of_stops(metric: Metric[Any], detached_stops: int, segments: int) -> None:
    """Log that texts seem to be tokenized already, if the metric minds and so many end in a detached full stop."""
    metric._warn(detached_stops, segments)
