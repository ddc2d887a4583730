"""What a paper needs: the methods in a paragraph, signatures, whom to cite, and the table in three formats."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from truebleu._counts import number_of
from truebleu._text.escape import as_latex
from truebleu._text.style import Style
from truebleu.dataset.listing import cite
from truebleu.metrics.citations import entries
from truebleu.metrics.published import of_score
from truebleu.signature import read_fields
from truebleu.significance.correction import AUTHORS
from truebleu.study.formats.render import render
from truebleu.study.formats.template import programs, template_lines
from truebleu.study.judged import learned_sentences
from truebleu.study.page.characters import plain
from truebleu.study.results import Results
from truebleu.version import __version__

if TYPE_CHECKING:
    from truebleu.significance.results import Comparison, MetricReport
    from truebleu.study.study import Study

# Whom to cite for what, by their keys in metrics/methods.bib; metrics tell it themselves.
_OF_TESTS = {
    "bs": ("koehn-2004-statistical",),
    "bs2": ("koehn-2004-statistical",),
    "ar": ("riezler-maxwell-2005-pitfalls",),
}
_OF_BOUNDS = ("bentkus-dzindzalieta-2015-tight", "besag-clifford-1991-sequential")
_OF_PEOPLE = ("kocmi-etal-2024-navigating",)
_OF_CORRECTIONS = {"holm": ("holm-1979-simple",), "bh": ("benjamini-hochberg-1995-controlling",)}


def methods(
    results: Results, metrics: Sequence[MetricReport], comparison: Comparison | None, study: Study | None, test_set: str
) -> dict[str, Any]:
    """Write everything of the section, by the writers that the command line has."""
    text = " ".join(_sentences(results, metrics, comparison, study))
    tables = {name: "\n".join(render(results, Style(name, 1))) for name in ("latex", "markdown", "csv")}
    return {
        "text": text,
        "latex": "\n".join(as_latex([text])),
        "signatures": [(one.name, str(one.signature), one.signature.format(True)) for one in metrics],
        "bibtex": "\n\n".join([*_bibtex(metrics, comparison), *(["\n".join(cite(test_set))] if test_set else ())]),
        "tables": [("LaTeX", tables["latex"]), ("Markdown", tables["markdown"]), ("CSV", tables["csv"])],
        "has_bold": any(results.best),
        "template": "" if study is None else "\n".join(_template(results, study)),
    }


def _template(results: Results, study: Study) -> Iterable[str]:
    """Fill in the template that `--report` prints; files are named without their folders."""
    names = [os.path.basename(path) for path in study.inputs.files.get("references", ())]
    names = names or [f"reference {at}" for at in range(1, len(study.inputs.references) + 1)]
    return template_lines(results, names, study.title or "your own files", Style())


def _sentences(
    results: Results, metrics: Sequence[MetricReport], comparison: Comparison | None, study: Study | None
) -> Iterable[str]:
    n = study.inputs.n if study else comparison.n_segments if comparison else 0
    many = len(results.systems)
    names = ", ".join(plain(one.name) for one in metrics)
    about = f" on {plain(study.title)}" if study and study.title else ""
    size = f"{number_of(n, 'segment', commas=True)}{_references(study)}"
    yield f"We scored {number_of(many, 'system')}{about} ({size}) with {names},"
    whose = programs(read_fields(f"{one.name}|{one.signature}") for one in metrics)
    yield f"computed by truebleu {__version__}{f', which gives the numbers of {whose}' if whose else ''}."
    if study is not None:
        yield from learned_sentences(study)
    if comparison is None:
        yield "No significance test was made."
        return
    title = comparison.title[0].lower() + comparison.title[1:]
    pairs = len(comparison.metrics[0].pairs)
    yield f"We compared {number_of(pairs, 'pair')} of systems by a {title} (seed {comparison.seed})."
    if comparison.n_documents is not None:
        yield f"Documents ({comparison.n_documents:,}) were drawn whole."
    method = AUTHORS.get(comparison.correction or "")
    strata = len(comparison.metrics[0].pairs[0].strata)
    if strata:
        yield f"They were drawn in each of {strata} strata by itself."
    whom = "for all metrics together" if comparison.family == "all" else "for each metric"
    yield f"The p-values were corrected after {method} {whom}." if method else "The p-values were not corrected."
    yield f"We call a difference significant if its p-value is {comparison.alpha:g} or less."
    if comparison.is_bounded:
        yield "P-values too small for so many trials are upper bounds (Bentkus and Dzindzalieta, 2015)."
    if comparison.smallest_p_value is not None:
        yield f"The smallest p-value that a pair could have was {comparison.smallest_p_value:.2g}."
    if comparison.metrics[0].systems[0].mean is not None:
        yield "Intervals are 95 % intervals from bootstrap resampling."
    if comparison.all_pairs:
        yield "A cluster ends where every system above is significantly better than every system below."


def _references(study: Study | None) -> str:
    if study is None:
        return ""
    many = len(study.inputs.references)
    return f", {number_of(many, 'reference')}" if many else ""


def _bibtex(metrics: Sequence[MetricReport], comparison: Comparison | None) -> list[str]:
    keys = ["post-2018-call"]
    for one in metrics:
        kind = of_score(*read_fields(f"{one.name}|{one.signature}"))
        keys += [key for end, key in (kind.citations if kind else {}).items() if one.name.endswith(end)]
    if comparison is not None:
        keys += _OF_TESTS["bs"] if comparison.metrics[0].systems[0].mean is not None else ()
        keys += _OF_BOUNDS if comparison.is_bounded else ()
        keys += _OF_PEOPLE if any(pair.people is not None for one in metrics for pair in one.pairs) else ()
        keys += (*_OF_TESTS.get(comparison.test, ()), *_OF_CORRECTIONS.get(comparison.correction or "", ()))
    return [entries()[key] for key in dict.fromkeys(keys)]
