"""The reporting template of the practical BLEU guide, filled in: all that a paper should state beside a score."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from truebleu.report.results import Outcome, Results, Style
from truebleu.version import __version__

_RESAMPLING = {"bs": "bootstrap resamples", "ar": "randomization trials", "seed": "seed"}


def template_lines(results: Results, references: Sequence[str], test_set: str, style: Style) -> Iterator[str]:
    """Fill in one template for each system and metric, as text or as a Markdown list.

    Parameters
    ----------
    results
        What to report.
    references
        Where the references come from.
    test_set
        What was translated.
    style
        The format.
    """
    shown = "- **{}:** {}" if style.format == "markdown" else "{}: {}"
    templates = [(system.name, outcome) for system in results.systems for outcome in system.outcomes]
    for number, (system, outcome) in enumerate(templates):
        if number:
            yield ""
        settings = outcome.signature.fields()
        fields = {
            "Metric": f"{_metric_name(outcome, settings)} (corpus-level)",
            "System": system,
            "Score": _score(outcome),
            "Tool": f"truebleu {__version__} (the numbers of sacreBLEU 2.6.0)",
            "Signature": f"{outcome.name}|{outcome.signature}",
            "Tokenizer": settings.get("tok", "none (characters)"),
            "Case": "-lc (case ignored)" if settings["case"] == "lc" else "cased",
            "Smoothing": _smoothing(outcome, settings),
            "References": f"{settings['nrefs']}: {', '.join(references)}",
            "Test set": test_set,
            "Notes": "; ".join(f"{name}: {settings[key]}" for key, name in _RESAMPLING.items() if key in settings),
        }
        yield from (shown.format(key, value or "none") for key, value in fields.items())


def _metric_name(outcome: Outcome, settings: dict[str, str]) -> str:
    return f"BLEU-{settings.get('order', '4')}" if outcome.name == "BLEU" else outcome.name


def _score(outcome: Outcome) -> str:
    interval = "" if outcome.mean is None else f" (μ = {outcome.mean:.2f} ± {outcome.half_width:.2f}, 95 % interval)"
    return f"{outcome.score:.2f}{interval}"


def _smoothing(outcome: Outcome, settings: dict[str, str]) -> str:
    if outcome.name.startswith("chrF"):
        return "effective order" if settings["eff"] == "yes" else "epsilon"
    return settings.get("smooth", "none")
