"""The page: a study or a comparison in, the bytes of one HTML file out. The same input gives the same bytes.

Nothing from elsewhere can become markup: the template escapes every value, figures escape theirs, and what the policy
of the page (CSP) does not know by its hash neither runs nor styles anything.
"""

from __future__ import annotations

import hashlib
import os
from base64 import b64encode
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from truebleu._counts import number_of
from truebleu._inputs import check_path
from truebleu._options import choice, yes_or_no
from truebleu._text.p_values import p_text
from truebleu._text.style import Style
from truebleu.study.page import characters, distributions, methods, sections, spans
from truebleu.study.page.payload import Packing, Payload, begin, pack, script
from truebleu.study.page.verdict import verdict
from truebleu.study.results import fitted
from truebleu.version import __version__

if TYPE_CHECKING:
    import jinja2

    from truebleu.significance.results import Comparison, MetricReport
    from truebleu.study.earlier import Since
    from truebleu.study.study import Study

THEMES = ("auto", "light", "dark")


class Look(NamedTuple):
    """How a page is to look, and what stays out of it."""

    theme: str = "auto"
    texts: bool = True
    anonymous: bool = False
    date: str = ""
    command: str = ""
    source_language: str = ""
    numbers: Sequence[int] | None = None
    test_set: str = ""
    title: str = ""
    since: Since | None = None


def write_page(
    path: str | os.PathLike[str], make: Callable[[Look], bytes], *, texts: bool = True, theme: str = "auto"
) -> None:
    """Write the page that a function makes, aside first."""
    from truebleu._atomic import check_targets, write_whole

    target = Path(check_path("to_html: path", path))
    look = Look(choice("to_html", "theme", theme, THEMES), yes_or_no("to_html", "texts", texts))
    check_targets([target], overwrite=True)
    write_whole(target, make(look))


def study_page(study: Study, look: Look | None = None, program: str | None = None) -> bytes:
    """Make the page of a study."""
    look = look or Look()
    program = script() if program is None else program
    # The script tests subsets of rows, and knows nothing of scores that are missing.
    program = program if study.inputs.references and study.complete == tuple(study.inputs.metrics) else ""
    if not program:
        study.prepare()
        return _study_page(study, look, program, None)
    # Texts and rows are packed while the rest is computed and written.
    with ThreadPoolExecutor(1) as beside:
        begun = begin(study, beside, texts=look.texts)
        study.prepare()
        return _study_page(study, look, program, begun)


def _study_page(study: Study, look: Look, program: str, begun: Packing | None) -> bytes:
    common = _common(study.comparison, study, look.title or study.title or heading(study, study.language), look)
    metrics, pair = common["metrics"], study.pair
    given = study.inputs
    whole = [one for one in metrics if one.key in study.complete]
    has_texts = look.texts and bool(given.references and whole)
    facts = {
        "n_segments": given.n,
        "n_documents": None if given.documents is None else len(set(given.documents)),
        "n_references": len(given.references) or None,
        "n_runs": given.n_runs,
        "alpha": study.alpha,
    }

    def payload() -> Payload:
        assert begun is not None
        shown = sections.for_script(study, metrics)
        shown["since"] = look.since and look.since.for_script(study, texts=look.texts)
        return pack(study, begun, numbers=look.numbers, decimals=common["digits"], shown=shown)

    return _rendered(
        look, program, payload if begun else None, **common,
        baseline=study.baseline,
        facts=facts,
        language=study.language,
        leaderboard=sections.leaderboard(metrics, study.baseline),
        absent=list(_absent(study)),
        beside=list(_beside(study, texts=look.texts)),
        ab=sections.against(study, whole, *pair) if pair and whole else None,
        groups=[sections.breakdown(study, whole, name) for name in study.label_sets],
        ngrams=study.ngrams(*pair) if pair and look.texts and given.references else None,
        distributions=distributions.figures(study, whole) if given.references and whole else [],
        cards=sections.cards(study, whole, look.numbers) if has_texts else [],
        letters=spans.LETTERS if has_texts and given.spans else {},
        checks=sections.checks(study, study.own_checks, quotes=look.texts),
        provenance=_provenance(study, look),
    )  # fmt: skip


def _absent(study: Study) -> Iterator[str]:
    """Say which sections are not there, and why."""
    lacking = [one.name for one in study.reports if one.key not in study.complete]
    if lacking:
        names = ", ".join(map(characters.plain, lacking))
        yield f"Scores of {names} are missing: nothing is shown of segments and groups of them, and there is no filter."
    if not study.inputs.references:
        yield "There are no references: segments, n-grams, lengths, checks of texts and the filter are left out."


def _beside(study: Study, *, texts: bool) -> Iterator[dict[str, Any]]:
    """Tables of what is known beside scores: people, training text, and terms, which quote the texts."""
    if study.agreement is not None:
        yield sections.agreement(study, study.agreement)
    if study.overlapping is not None:
        yield from sections.overlapping(study.overlapping)
    yield from (sections.missed_terms(study, key) for key in study.terms if texts)


def heading(study: Study, about: str) -> str:
    """What a page is called that has no other title: the languages or the test set, and how many systems there are."""
    systems = number_of(len(study.inputs.systems), "system")
    return f"{about}, {systems}" if about else f"{systems}, {number_of(study.inputs.n, 'segment', commas=True)}"


def comparison_page(comparison: Comparison, look: Look | None = None) -> bytes:
    """Make the page of a comparison: ranking, pairs and methods, for it holds no texts."""
    look = look or Look()
    common = _common(comparison, None, "Comparison of systems", look)
    baseline = None if comparison.all_pairs else comparison.systems[0]
    return _rendered(
        look, "", None, **common,
        baseline=baseline,
        facts={
            "n_segments": comparison.n_segments, "n_documents": comparison.n_documents, "n_references": None,
            "n_runs": comparison.n_runs,
        },
        language="",
        leaderboard=sections.leaderboard(common["metrics"], baseline),
        absent=[], beside=[],
        ab=None, groups=[], ngrams=None, distributions=[], cards=[], letters={}, checks=None, provenance=None,
    )  # fmt: skip


def public_dict(study: Study, look: Look) -> dict[str, Any]:
    """Give every number of a study, without what the look leaves out."""
    found = study.to_dict()
    if not look.texts:
        found["ngrams"] = None
        found.pop("spans", None)
        for name, diagnosis in study.checks.items():
            for fields, finding in zip(found["checks"][name]["findings"], diagnosis.findings, strict=True):
                fields["message"], fields["units"] = finding.discreet, []
    if look.since is not None:
        found["since"] = look.since.to_dict()
    return found | {"provenance": _provenance(study, look)}


def _provenance(study: Study, look: Look) -> dict[str, Any]:
    found = study.provenance.to_dict()
    for given in found["inputs"]:
        if look.anonymous and given["kind"] == "systems":
            given["sha256"] = given["file"] = given["file_sha256"] = None
    return found


def _common(comparison: Comparison | None, study: Study | None, title: str, look: Look) -> dict[str, Any]:
    results = sections.results_of(comparison, study)
    metrics = comparison.metrics if comparison is not None else study.reports if study is not None else ()
    style = fitted(Style(), results)
    return {
        "title": title,
        "metrics": metrics,
        "digits": {one.key: style.of(one.name).width for one in metrics},
        "comparison": comparison,
        "people": [key for key, one in (study.inputs.metrics if study else {}).items() if is_human(one)],
        "verdict": verdict(comparison) if comparison else _untested(metrics[0]),
        "matrices": [sections.matrix(one, comparison) for one in metrics] if comparison else [],
        "methods": methods.methods(results, metrics, comparison, study, look.test_set),
    }


def is_human(metric: object) -> bool:
    """Tell whether scores are of people."""
    return getattr(metric, "kind", None) == "human"


def _untested(metric: MetricReport) -> str:
    best = characters.plain(metric.order[0])
    if len(metric.order) == 1:
        return f"One system, {best}; there is nothing to compare it with."
    return f"{best} has the best {metric.name}; no test was made, so the difference may be chance."


def _rendered(look: Look, program: str, payload: Callable[[], Payload] | None, **values: Any) -> bytes:
    """Fill in the template, which asks for the payload at its end."""
    style = _asset("report.css")
    policy = (
        f"default-src 'none'; script-src {_hash(program) if payload else chr(39) + 'none' + chr(39)}; "
        f"style-src {_hash(style)}; img-src data:; base-uri 'none'; form-action 'none'; "
        "require-trusted-types-for 'script'; trusted-types 'none'"
    )
    parts = _environment().get_template("page.html.j2").generate(
        look=look, payload=payload, style=style, script=program,
        policy=policy, version=__version__, **values
    )  # fmt: skip
    # Joined as texts, those of the whole page would take four bytes a character.
    return b"".join(part.encode("utf-8") for part in parts).lstrip()


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


@cache
def _asset(name: str) -> str:
    return (files("truebleu.study.page") / "assets" / name).read_text("utf-8")


@cache
def _environment() -> jinja2.Environment:
    import jinja2

    loader = jinja2.FunctionLoader(_asset)
    found = jinja2.Environment(
        loader=loader, autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    found.filters |= {
        "plain": characters.plain, "pieces": characters.pieces, "fixed": fixed, "signed": signed, "exact": repr,
        "many": lambda number: f"{number:,}", "p_text": p_text,
    }  # fmt: skip
    return found


def fixed(value: float, decimals: int) -> str:
    """Write a number with so many decimals and a true minus, and never as minus nothing.

    >>> fixed(-0.04, 1), fixed(-1.25, 1)
    ('0.0', '−1.2')
    """
    if value is None or value != value:
        return "–"  # there is no score
    text = f"{value:.{decimals}f}"
    return text.removeprefix("-") if not float(text) else text.replace("-", "\u2212")


def signed(value: float, decimals: int) -> str:
    """Write a difference with its sign."""
    text = fixed(value, decimals)
    return f"+{text}" if value > 0 and float(text) else text
