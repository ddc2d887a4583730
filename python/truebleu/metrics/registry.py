"""The one list of metrics: commands, signatures, tests, accumulators, rows and torch ask it.

A new metric is a file of this package and a line here. Each is imported when somebody asks for it. Names are those of
the command line, in any case.

>>> METRICS["chrf++"].__name__
'CHRF'
"""

from __future__ import annotations

from collections.abc import ItemsView, Iterable, Mapping, ValuesView

from truebleu._typing import TYPE_CHECKING, Any
from truebleu.errors import OptionError

if TYPE_CHECKING:
    from truebleu.metrics.base import Metric

# The module and the class of each, by the name that fingerprints have.
HOMES = {
    "BLEU": "bleu.BLEU", "CHRF": "chrf.CHRF", "TER": "ter.TER", "GLEU": "gleu.GLEU",
    "ROUGE": "rouge.ROUGE", **{f"ROUGE{order}": f"rouge.ROUGE{order}" for order in range(1, 10)},
    "ROUGEL": "rouge.ROUGEL", "ROUGELSUM": "rouge.ROUGELsum",
    **{name: f"wer.{name}" for name in ("WER", "CER", "MER", "WIL", "WIP", "SER")},
    "EM": "similarity.ExactMatch", "F1": "similarity.TokenF1", "EDITSIM": "similarity.EditSimilarity",
    "TERMS": "terms.Terms", "METEOR": "meteor.METEOR",
}  # fmt: skip

# Metrics that a program outside computes. They are no part of `METRICS`: they count no text, and nothing of them is
# loaded before somebody names one.
LEARNED_HOMES = {
    "COMET": "by_runner.COMET", "COMET-QE": "by_runner.COMETQE", "COMETKIWI": "by_runner.CometKiwi",
    "XCOMET": "by_runner.XCOMET", "XCOMET-QE": "by_runner.XCOMETQE", "UNITE": "by_runner.UniTE",
    "METRICX": "by_runner.MetricX", "METRICX-QE": "by_runner.MetricXQE",
    "METRICX23": "by_runner.MetricX23", "METRICX23-QE": "by_runner.MetricX23QE",
    "METRICX24": "by_runner.MetricX", "METRICX24-QE": "by_runner.MetricXQE",
    "BERTSCORE": "by_runner.BERTScore",
    "JUDGE": "judge.Judge", "JUDGE-DA": "judge.JudgeDA", "JUDGE-ESA": "judge.JudgeESA", "JUDGE-MQM": "judge.JudgeMQM",
}  # fmt: skip

# Settings that have a name of their own: the name of the metric, the options that make it, and its name for readers.
VARIANTS: dict[str, tuple[str, Mapping[str, Any], str]] = {
    "chrf+": ("CHRF", {"word_order": 1}, "chrF+"), "chrf++": ("CHRF", {"word_order": 2}, "chrF++"),
    "spbleu": ("BLEU", {"tokenize": "flores200"}, "spBLEU"),
}  # fmt: skip


class _Registry(dict[str, "type[Metric[Any]]"]):
    """Metrics by name; an address in place of a class is that of a metric that has not been used yet.

    A learned metric is found too, also with a model behind its name, though it is not one of the list.
    """

    def __getitem__(self, name: str) -> type[Metric[Any]]:
        asked, lower = name, name.partition("=")[0].lower()
        name = VARIANTS[lower][0] if lower in VARIANTS else lower.upper()
        home: dict[str, Any] = self if name in self else LEARNED
        if name not in home and is_plugged(lower):
            name = lower.upper()
        found: Any = dict.__getitem__(home, name)
        if isinstance(found, str):
            module, _, kind = found.partition(".")
            from importlib import import_module

            found = home[name] = getattr(import_module(f"truebleu.metrics.{module}"), kind)
        elif not isinstance(found, type):
            from importlib import import_module

            found = home[name] = import_module("truebleu.metrics.plugin").metric_of(found, lower)
        family, model = getattr(found, "family", None), asked.partition("=")[2]
        if family is not None and model:
            from truebleu.runners.families import family_of

            if (own := family_of(family.name, model)) != family.name:
                return self[own]
        metric: type[Metric[Any]] = found
        return metric

    def get(self, name: str, default: Any = None) -> Any:
        return self[name] if dict.__contains__(self, name) else default

    def _all(self) -> dict[str, type[Metric[Any]]]:
        return {name: self[name] for name in self}

    def values(self) -> ValuesView[type[Metric[Any]]]:  # type: ignore[override]
        return self._all().values()

    def items(self) -> ItemsView[str, type[Metric[Any]]]:  # type: ignore[override]
        return self._all().items()


def one_of_each() -> list[Metric[Any]]:
    """Make a metric of each name, with its defaults; ROUGE is ROUGE-L unless told otherwise, which has its own."""
    makers: Iterable[Any] = METRICS.values()
    return list({metric.name: metric for metric in (make() for make in makers)}.values())


_addresses: dict[str, Any] = dict(HOMES)
METRICS: dict[str, type[Metric[Any]]] = _Registry(_addresses)
LEARNED: dict[str, Any] = dict(LEARNED_HOMES)


def find(name: str) -> type[Metric[Any]]:
    """Find the class of a metric by its name on the command line, which may carry a model.

    >>> find("chrf++").__name__, find("comet=Unbabel/wmt20-comet-da").__name__
    ('CHRF', 'COMET')

    Parameters
    ----------
    name
        The name in any case, such as "bleu", or "comet=MODEL@REVISION".
    """
    from truebleu._inputs import brief, check_text

    plain = check_text("find: name", name, "the name of a metric, such as 'bleu'").partition("=")[0].lower()
    if plain.upper() not in {*METRICS, *LEARNED} and plain not in VARIANTS and not is_plugged(plain):
        raise OptionError(f"find: name is {brief(name)}, expected one of {', '.join({**METRICS, **LEARNED}).lower()}")
    return METRICS[name]


def named(key: object) -> type[Metric[Any]] | None:
    """Find the class of a metric by the name that fingerprints have; None if there is none."""
    name = str(key)
    return METRICS[name] if name in METRICS or name in LEARNED else None


def is_learned(name: str) -> bool:
    """Tell whether a program outside computes the metric of this name."""
    return name.partition("=")[0].upper() in LEARNED


def is_plugged(name: str) -> bool:
    """Tell whether a plug-in has a metric of this name; it is found from then on, and imported when it is used."""
    plain = name.partition("=")[0].lower()
    if plain.upper() not in LEARNED:
        from truebleu._plugins import plugin

        if (point := plugin("metrics", plain) or plugin("runners", plain)) is None:
            return False
        LEARNED[plain.upper()] = point
    return True
