"""What people make of a difference: how often did they prefer the system that a metric calls better by so much?

Kocmi, Zouhar, Federmann and Post (2024) fitted a curve for each of 17 metrics to pairs of systems of a large campaign:
a / (1 + exp(-bΔ)) per cent of the pairs whose scores differ by Δ were put in the same order by people. The constants
are in `metrics/known.py`. They hold for the settings they were fitted with; of others, and of other metrics, nothing is
said.

>>> round(worth("BLEU", 0.8), 1), worth("TER", 0.8), round(worth("COMET", 0.008), 1)
(60.4, None, 87.2)
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from truebleu._inputs import brief, check_instance
from truebleu._options import number_from_zero
from truebleu.errors import OptionError
from truebleu.metrics.known import MODELS, known
from truebleu.metrics.published import of_score
from truebleu.signature import read_fields

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from truebleu.significance.results import MetricReport

SOURCE = "kocmi-etal-2024"  # in JSON, and in BibTeX
COIN = 50.0  # per cent: below it, a difference says no more than a coin

# Scores of a metric between 0 and 1 that are beyond this were multiplied by 100 already.
_BEYOND_ONE = 1.5
# All curves were fitted with one reference.
_ALWAYS = {"nrefs": ("1",)}
# Fields that have nothing to do with a curve.
_OTHER_FIELDS = {
    "bs", "ar", "bs2", "sign", "ties", "tail", "seed", "docs", "strata", "runs", "adjust", "family", "test", "lang",
    "origlang", "subset", "refs", "only", "version",
}  # fmt: skip


class Curve(NamedTuple):
    """A curve, and by how much scores are multiplied for it."""

    a: float
    b: float
    scale: int

    def accuracy(self, delta: float) -> float:
        """Give the per cent of pairs that people put in the same order."""
        return self.a / (1 + math.exp(-self.b * abs(delta) * self.scale))

    def difference(self, accuracy: float) -> float | None:
        """Give the difference that people agree with in so many per cent; None if there is none so large."""
        return -math.log(self.a / accuracy - 1) / self.b / self.scale if accuracy < self.a else None


def worth(metric: str, delta: float) -> float | None:
    """Tell in how many per cent of past cases people preferred the system that was better by so much.

    Parameters
    ----------
    metric
        The name of a metric, such as "BLEU" or "COMET", or a whole signature, whose settings decide.
    delta
        The difference of the scores of two systems.

    Returns
    -------
    float | None
        The per cent; None for metrics and settings of which nothing is known. Below 50 it is no better than a coin.
    """
    check_instance("worth", "metric", metric, str, "the name of a metric, or a signature")
    size = number_from_zero("worth", "delta", abs(delta) if isinstance(delta, int | float) else delta)
    found = _curve_of_text(metric, (size,))
    return None if found is None else found.accuracy(size)


def difference_worth(metric: str, accuracy: float) -> float | None:
    """Give the difference that people agreed with in so many per cent of past cases; None if there is none."""
    if not COIN <= accuracy < 100:
        raise OptionError(f"difference_worth: accuracy is {brief(accuracy)}, expected per cent from 50 to below 100")
    found = _curve_of_text(metric, ())
    return None if found is None else found.difference(accuracy)


def with_people(metric: MetricReport) -> MetricReport:
    """Add to each pair of a metric what people made of such differences."""
    scores = [one.score for one in metric.systems]
    curve = _curve(metric.name, metric.signature.fields(), scores)
    if curve is None:
        return metric
    pairs = tuple(replace(one, people=curve.accuracy(one.delta)) for one in metric.pairs)
    return replace(metric, pairs=pairs)


def people_text(people: float | None) -> str:
    """Write what people made of a difference for a cell; "" if nothing is known.

    >>> people_text(60.4), people_text(44.2), people_text(None)
    ('people 60 %', 'people: a coin', '')
    """
    return "" if people is None else "people: a coin" if people < COIN else f"people {people:.0f} %"


def _curve_of_text(text: str, scores: Iterable[float]) -> Curve | None:
    name, bar, _ = text.partition("|")
    return _curve(name, read_fields(text)[1], scores) if bar else _curve(name, None, scores)


def _curve(name: str, fields: Mapping[str, str] | None, scores: Iterable[float]) -> Curve | None:
    """Find the curve of a metric with these settings; None for the settings of the curve itself."""
    if fields is not None and "external" not in fields:
        kind, named = of_score(name, fields), {"name": name, **fields}
        curves = {} if kind is None else kind.curves
        fitting = [curve for curve, settings in curves.items() if _fits(named, {**_ALWAYS, **settings})]
        if not fitting:
            return None
        found = next(one for one in MODELS if one.name == fitting[0])
    else:
        model = None if fields is None else fields.get("model")
        known_metric = known(fields["external"] if fields else name, model)
        if known_metric is None or known_metric.curve is None:
            return None
        found = known_metric
    assert found.curve is not None
    is_scaled = found.scale > 1 and any(abs(one) > _BEYOND_ONE for one in scores)
    return Curve(*found.curve, 1 if is_scaled else found.scale)


def _fits(fields: Mapping[str, str], wanted: Mapping[str, tuple[str, ...]]) -> bool:
    """Whether all settings are those wanted, and there are no others."""
    is_same = all(fields.get(key) in values for key, values in wanted.items())
    return is_same and not fields.keys() - wanted.keys() - _OTHER_FIELDS
