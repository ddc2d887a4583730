"""The reporting template of the practical BLEU guide, filled in: all that a paper should state beside a score."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from truebleu._text.escape import markdown_code
from truebleu._text.p_values import p_text
from truebleu._text.style import Style
from truebleu.metrics.published import of_score, stated
from truebleu.metrics.score import Score
from truebleu.study.results import Results, fitted, signature_of
from truebleu.version import __version__

if TYPE_CHECKING:
    from truebleu.significance.results import PairReport

_RESAMPLING = {
    "bs": "bootstrap resamples", "bs2": "bootstrap resamples", "ar": "randomization trials", "seed": "seed",
    "only": "only some segments (number and hash)",
}  # fmt: skip


def template_lines(results: Results, references: Sequence[str], test_set: str, style: Style) -> Iterator[str]:
    """Fill in one template for each system and metric, as text or as a Markdown list."""
    # A paper needs two decimals, unless others are asked for.
    style = style if style.is_width_typed else fitted(style._replace(width=2), results)
    shown = "- **{}:** {}" if style.format == "markdown" else "{}: {}"
    templates = [(system.name, *one) for system, scores in results.tested() for one in scores]
    for number, (system, score, pair) in enumerate(templates):
        if number:
            yield ""
        settings = signature_of(score).fields()
        said = stated(score.name, settings)
        whose = programs([(score.name, settings)])
        fields = {
            "Metric": f"{said['Metric']} (corpus-level)",
            "System": style.name(system),
            "Score": _score(score, style.of(score.name)),
            "P-value": _p_value(pair, style),
            "Tool": f"truebleu {__version__}{f' (the numbers of {whose})' if whose else ''}",
            "Signature": _signature(score, style),
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


def _signature(score: Score, style: Style) -> str:
    text = f"{score.name}|{style.signature(signature_of(score))}"
    return markdown_code(text) if style.format == "markdown" else text


def _p_value(pair: PairReport | None, style: Style) -> str:
    if pair is None:
        return "none: it is the baseline"
    adjusted = "" if pair.adjusted_p_value is None else f", {p_text(pair.adjusted_p_value)} adjusted"
    return f"{p_text(pair.p_value)}{adjusted} (against {style.name(pair.baseline)})"


def _score(score: Score, style: Style) -> str:
    if score.confidence is None:
        return style.number(score.score)
    mean, half_width = map(style.number, score.confidence)
    return f"{style.number(score.score)} (μ = {mean} ± {half_width}, 95 % interval)"
