"""The reporting template of the practical BLEU guide, filled in: all that a paper should state beside a score."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from truebleu._text.escape import markdown_code
from truebleu._text.style import Style
from truebleu.metrics.published import of_score, stated
from truebleu.study.results import Outcome, Results, fitted
from truebleu.version import __version__

_RESAMPLING = {
    "bs": "bootstrap resamples", "bs2": "bootstrap resamples", "ar": "randomization trials", "seed": "seed",
    "only": "only some segments (number and hash)",
}  # fmt: skip


def template_lines(results: Results, references: Sequence[str], test_set: str, style: Style) -> Iterator[str]:
    """Fill in one template for each system and metric, as text or as a Markdown list."""
    # A paper needs two decimals, unless others are asked for.
    style = style if style.is_width_typed else fitted(style._replace(width=2), results)
    shown = "- **{}:** {}" if style.format == "markdown" else "{}: {}"
    templates = [(system.name, outcome) for system in results.systems for outcome in system.outcomes]
    for number, (system, outcome) in enumerate(templates):
        if number:
            yield ""
        settings = outcome.signature.fields()
        said = stated(outcome.name, settings)
        whose = programs([(outcome.name, settings)])
        fields = {
            "Metric": f"{said['Metric']} (corpus-level)",
            "System": style.name(system),
            "Score": _score(outcome, style.of(outcome.name)),
            "P-value": _p_value(outcome, results, style),
            "Tool": f"truebleu {__version__}{f' (the numbers of {whose})' if whose else ''}",
            "Signature": _signature(outcome, style),
            **{key: said[key] for key in ("Tokenizer", "Case", "Smoothing")},
            "References": f"{len(references)}: {', '.join(map(style.name, references))}",
            "Test set": style.name(test_set),
            "Notes": "; ".join(f"{name}: {settings[key]}" for key, name in _RESAMPLING.items() if key in settings),
        }
        if "norm" in settings:  # without it nobody can compare error rates
            kept = {"yes": "punctuation kept", "no": "punctuation deleted"}.get(settings.get("punct", ""))
            fields["Normalisation"] = ", ".join(filter(None, (settings["norm"], kept)))
        if "external" in settings:  # scores from elsewhere say nothing about text
            fields = {key: fields[key] for key in ("Metric", "System", "Score", "P-value", "Tool", "Test set", "Notes")}
        if not results.test:
            del fields["P-value"]
        yield from (shown.format(key, value or "none") for key, value in fields.items())


def programs(scores: Iterable[tuple[str, Mapping[str, str]]]) -> str:
    """Tell whose numbers some scores are, by name and settings: those of one program and of another; "" for none."""
    kinds = (of_score(*score) for score in scores)
    return " and of ".join({kind.equals: None for kind in kinds if kind is not None and kind.equals})


def _signature(outcome: Outcome, style: Style) -> str:
    text = f"{outcome.name}|{style.signature(outcome.signature)}"
    return markdown_code(text) if style.format == "markdown" else text


def _p_value(outcome: Outcome, results: Results, style: Style) -> str:
    baseline = style.name(results.systems[0].name)
    if outcome.p_value is None:
        return "none: it is the baseline"
    adjusted = "" if outcome.adjusted_p_value is None else f", {outcome.adjusted_p_value:.4f} adjusted"
    return f"{outcome.p_value:.4f}{adjusted} (against {baseline})"


def _score(outcome: Outcome, style: Style) -> str:
    if outcome.mean is None or outcome.half_width is None:
        return style.number(outcome.score)
    mean, half_width = style.number(outcome.mean), style.number(outcome.half_width)
    return f"{style.number(outcome.score)} (μ = {mean} ± {half_width}, 95 % interval)"
