"""The reporting template of the practical BLEU guide, filled in: all that a paper should state beside a score."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from truebleu._text.escape import markdown_code
from truebleu._text.style import Style
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
        fields = {
            "Metric": f"{_metric_name(outcome, settings)} (corpus-level)",
            "System": style.name(system),
            "Score": _score(outcome, style.of(outcome.name)),
            "P-value": _p_value(outcome, results, style),
            "Tool": f"truebleu {__version__}{_of_programs([outcome.name])}",
            "Signature": _signature(outcome, style),
            "Tokenizer": settings.get("tok", "words" if "squad" in settings else "none (characters)"),
            "Case": _case(outcome, settings),
            "Smoothing": _smoothing(outcome, settings),
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


# Whose numbers metrics give, by what their names begin with.
_PROGRAMS = {
    **dict.fromkeys(("BLEU", "chrF", "TER"), "sacreBLEU 2.6.0"),
    "ROUGE": "rouge-score 0.1.2 for each segment",
    **dict.fromkeys(("WER", "CER", "MER", "WIL", "WIP"), "jiwer 4.0.0"),
    **dict.fromkeys(("EM", "F1"), "the scripts of SQuAD"),
}


def programs(names: Iterable[str]) -> str:
    """Tell whose numbers some metrics give: those of one program and of another; "" for none."""
    found = {program: None for one in names for name, program in _PROGRAMS.items() if one.startswith(name)}
    return " and of ".join(found)


def _of_programs(names: Iterable[str]) -> str:
    found = programs(names)
    return f" (the numbers of {found})" if found else ""


def _case(outcome: Outcome, settings: dict[str, str]) -> str:
    if settings.get("case") == "lc":
        return "-lc (case ignored)" if outcome.name == "BLEU" else "case ignored"
    return "case ignored" if "squad" in settings else "cased"


def _metric_name(outcome: Outcome, settings: dict[str, str]) -> str:
    return f"BLEU-{settings.get('order', '4')}" if outcome.name == "BLEU" else outcome.name


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


def _smoothing(outcome: Outcome, settings: dict[str, str]) -> str:
    if outcome.name.startswith("chrF"):
        return "effective order" if settings["eff"] == "yes" else "epsilon"
    return settings.get("smooth", "none")
