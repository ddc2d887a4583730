"""Names of metrics on the command line and in Python, where they are typed in any case.

>>> made("chrf++").word_order, name_of(made("CHRF")), name_of(made("chrf", word_order=2))
(2, 'chrf', 'chrf++')
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from truebleu._inputs import brief
from truebleu._shown import nearest
from truebleu._typing import TYPE_CHECKING, Any, TypeVar
from truebleu.errors import OptionError
from truebleu.metrics.registry import LEARNED, METRICS, VARIANTS, is_learned, is_plugged

if TYPE_CHECKING:
    from truebleu.metrics.base import Metric

V = TypeVar("V")

FIXED = {name: options for name, (_, options, _) in VARIANTS.items()}

# Names of metrics in other programs, and what to do here.
_EXACT, _SQUAD = "exact match is em", "exact match and F1 of SQuAD are em and f1"
_ELSEWHERE = {
    "exact_match": _EXACT, "exact-match": _EXACT, "exactmatch": _EXACT, "squad": _SQUAD, "squad_v2": _SQUAD,
    "token_f1": "F1 of answers is f1", "anls": "ANLS is EditSimilarity(0.5, lowercase=True, strip=True) in Python",
    "levenshtein": "edit similarity is editsim", "sacrebleu": "sacreBLEU's BLEU is bleu",
}  # fmt: skip


class ByMetric(dict[str, V]):
    """Values by the names of metrics, which are found in any case: BLEU is bleu."""

    def __missing__(self, key: Any) -> V:
        found = as_written(key, self)
        if found == key:
            raise KeyError(key)
        return self[found]


def as_written(name: Any, known: Iterable[str]) -> Any:
    """Give a name as it is written among others, which may be in another case; unknown names stay as they are."""
    return next((one for one in known if isinstance(name, str) and name.lower() == str(one).lower()), name)


def metric_names() -> tuple[str, ...]:
    """List the metrics by their names on the command line, and the settings with a name of their own."""
    own = {key: [name for name, (kind, _, _) in VARIANTS.items() if kind == key] for key in METRICS}
    return tuple(name for key, variants in own.items() for name in (key.lower(), *variants))


def learned_names() -> tuple[str, ...]:
    """List the metrics that a program outside computes, by their names on the command line."""
    return tuple(name.lower() for name in LEARNED)


def listed_learned() -> str:
    """List the learned metrics for a reader: not one by one names that differ in their end, or in a version.

    >>> listed_learned()
    'comet(-qe), cometkiwi, xcomet(-qe), unite, metricx(-qe), bertscore, judge(-da, -esa, -mqm)'
    """
    ends: dict[str, list[str]] = {}
    for name in learned_names():
        head, dash, end = name.partition("-")
        if head[-1].isdigit() and head.rstrip("0123456789") in ends:
            continue
        ends.setdefault(head, []).extend([dash + end] if dash else [])
    return ", ".join(f"{head}({', '.join(found)})" if found else head for head, found in ends.items())


def listed_names() -> str:
    """List the names for a reader: those of longer and longer n-grams not one by one."""
    return ", ".join(metric_names()).replace(", ".join(f"rouge{order}" for order in range(1, 10)), "rouge1 to 9")


def made(name: str, **options: Any) -> Metric[Any]:
    """Make a metric of its name, which may carry a model."""
    kind: Any = METRICS[name]
    if (model := name.partition("=")[2]) and is_learned(name):
        options = {**kind.options_of_model(model), **options}
    metric: Metric[Any] = kind(**{**options, **FIXED.get(name.lower(), {})})
    if name.lower() in VARIANTS:
        metric._called = label_of(name)  # type: ignore[attr-defined]
    return metric


def label_of(name: str) -> str:
    """Give the name of a metric for readers; other names stay as they are."""
    label = METRICS[name].label if name.lower() in metric_names() or is_learned(name) else name
    return VARIANTS.get(name.lower(), ("", {}, label))[2]


def name_of(metric: Any) -> str:
    """Give the name of a metric on the command line; scores from elsewhere have a name of their own."""
    key = str(getattr(metric, "name", ""))
    is_ours = key in METRICS and isinstance(metric, METRICS[key])
    return name_by(key, metric._options()) if is_ours else getattr(metric, "asked_as", key)


def name_by(key: str, options: Mapping[str, Any]) -> str:
    """Give the name of a metric with some options."""
    variants = [name for name, (kind, fixed, _) in VARIANTS.items() if kind == key and fixed.items() <= options.items()]
    return variants[0] if variants else key.lower()


def as_metric(who: str, what: str, value: Any, language: str = "") -> Any:
    """Make a metric of a name, for texts of a language if it is known; anything else stays as it is."""
    if not isinstance(value, str):
        return value
    if is_learned(value) or (value.lower() not in metric_names() and is_plugged(value)):
        return made(value)
    if value.lower() not in metric_names():
        raise OptionError(f"{who}: {what} is {brief(value)}, which is not a metric{why_unknown(value)}")
    flags = {flag.option for flag in METRICS[value].flags} - FIXED.get(value.lower(), {}).keys()
    return made(value, **({"trg_lang": language} if language and "tokenize" in flags else {}))


def why_unknown(name: str) -> str:
    """Say what a user can do who named a metric that is not here."""
    typed, there = name.lower(), f"choose from {listed_names()}"
    if typed in _ELSEWHERE:
        return f"; {_ELSEWHERE[typed]}"
    from truebleu.metrics.known import is_of_others

    if meant := nearest(typed.partition("=")[0], learned_names()):
        return f"; did you mean {meant[0]}? A model is named as in {meant[0]}=MODEL ({there}, {listed_learned()})"
    if is_of_others(name) and len(name) < 40:
        return (
            f"; {name.upper()} is not counted here but in a program of its own: bring its segment scores with "
            f"--external {name.upper()}=FILE,..., in Python with ExternalMetric ({there})"
        )
    if typed == "all":
        return f"; name those that you want ({there}); --external adds scores of other programs"
    near = "".join(f"did you mean {one}? " for one in nearest(typed, metric_names()))
    return f" ({near}{there})"
