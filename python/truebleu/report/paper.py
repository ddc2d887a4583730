"""The reporting template of the practical BLEU guide, filled in: all that a paper should state beside a score."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from truebleu.report.results import Outcome, Results
from truebleu.version import __version__


class Setting(NamedTuple):
    """What a report states beside the scores."""

    references: Sequence[str]
    test_set: str
    notes: Sequence[str]


def template_lines(results: Results, setting: Setting, format: str) -> Iterator[str]:
    """One filled-in template for each system and metric, as text or as a Markdown list."""
    first = True
    for system in results.systems:
        for outcome in system.outcomes:
            if not first:
                yield ""
            first = False
            fields = _fields(system.name, outcome, setting)
            yield from (f"- **{key}:** {value}" if format == "markdown" else f"{key}: {value}" for key, value in fields)


def _fields(system: str, outcome: Outcome, setting: Setting) -> Iterator[tuple[str, str]]:
    settings = outcome.signature.fields()
    yield "Metric", f"{_metric_name(outcome, settings)} (corpus-level)"
    yield "System", system
    yield "Score", _score(outcome)
    yield "Tool", f"truebleu {__version__} (the numbers of sacreBLEU 2.6.0)"
    yield "Signature", f"{outcome.name}|{outcome.signature}"
    yield "Tokenizer", settings.get("tok", "none (characters)")
    yield "Case", "-lc (case ignored)" if settings["case"] == "lc" else "cased"
    yield "Smoothing", _smoothing(outcome, settings)
    yield "References", f"{settings['nrefs']}: {', '.join(setting.references)}"
    yield "Test set", setting.test_set
    yield "Notes", "; ".join([*setting.notes, *_resampling(settings)]) or "none"


def _metric_name(outcome: Outcome, settings: dict[str, str]) -> str:
    return f"BLEU-{settings.get('order', '4')}" if outcome.name == "BLEU" else outcome.name


def _score(outcome: Outcome) -> str:
    interval = "" if outcome.mean is None else f" (μ = {outcome.mean:.2f} ± {outcome.half_width:.2f}, 95 % interval)"
    return f"{outcome.score:.2f}{interval}"


def _smoothing(outcome: Outcome, settings: dict[str, str]) -> str:
    if outcome.name.startswith("chrF"):
        return "effective order" if settings["eff"] == "yes" else "epsilon"
    return settings.get("smooth", "none")


def _resampling(settings: dict[str, str]) -> Iterator[str]:
    for key, name in (("bs", "bootstrap resamples"), ("ar", "randomization trials"), ("seed", "seed")):
        if key in settings:
            yield f"{name}: {settings[key]}"
