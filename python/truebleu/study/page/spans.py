"""Errors that people or programs marked, as the page shows them: in the texts, in words, and packed for the script.

A mark has a letter: m (minor), M (major), C (critical), n (any other severity). Errors that have no place in the text,
or whose place has other words than those that were marked, are listed under it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from truebleu._counts import number_of
from truebleu.scores.spans import NOWHERE, ErrorSpan
from truebleu.scores.table import Codes
from truebleu.study.page.characters import LONGEST_TEXT, Piece, pieces, plain

if TYPE_CHECKING:
    from truebleu.study import Study

LETTERS = {"other": "n", "minor": "m", "major": "M", "critical": "C"}
KINDS = tuple(LETTERS)  # from the least
_LONGEST = 80  # characters of a category, and of a quotation


class ShownError(NamedTuple):
    """An error, who says so, and in whose text; without its place if the text has other words there."""

    metric: str
    span: ErrorSpan
    system: str
    quote: str

    @property
    def kind(self) -> str:
        """Its severity, if that has a letter."""
        return self.span.severity if self.span.severity in LETTERS else KINDS[0]

    @property
    def letter(self) -> str:
        """The letter of its mark."""
        return LETTERS[self.kind]

    @property
    def words(self) -> str:
        """Severity, category, how sure a program is, the name of the scores, and the rater."""
        span = self.span
        sure = "" if span.confidence is None else f"{100 * span.confidence:.0f} % sure"
        named = (plain(one, _LONGEST) for one in (span.severity or "error", span.category))
        what = ", ".join(filter(None, (*named, sure)))
        return f"{what} ({', '.join(plain(one, _LONGEST) for one in (self.metric, span.rater) if one)})"

    @property
    def where(self) -> str:
        """What was marked, and where."""
        quote = f": “{plain(self.quote, _LONGEST)}”" if self.quote else ""
        if self.span.start == NOWHERE:
            return f"{quote}, not found there" if quote else ", without a place"
        return f"{quote} in the source" if self.span.in_source else quote


class MarkedRun(NamedTuple):
    """A part of a text under the same marks; `letters` are those of errors that begin here."""

    pieces: list[Piece]
    kind: str = ""
    letters: str = ""
    title: str = ""


def errors_of(study: Study, system: str, at: int) -> list[ShownError]:
    """The errors of a system in a segment."""
    given = study.inputs
    if not given.spans:
        return []
    source = "" if given.sources is None else given.sources[at]
    texts = given.systems[system][at] if given.systems[system] else "", source
    found = []
    for metric, by_system in given.spans.items():
        for span in by_system.get(system, {}).get(at, ()):
            text = texts[span.in_source]
            fits = span.fits(text)
            quote = text[span.start : span.end] if fits else span.quote or ""
            shown = span if fits else span._replace(start=NOWHERE, end=NOWHERE)
            found.append(ShownError(metric, shown, system, quote))
    return found


def runs_of(text: str, errors: Iterable[tuple[str, ShownError]]) -> list[MarkedRun]:
    """Cut a text at the edges of errors. Each of these has what its letter is preceded by: whose it is, or nothing."""
    placed = [(whose, one) for whose, one in errors if one.span.start != NOWHERE]
    kept = text[:LONGEST_TEXT]
    edges = {0, len(kept)}.union(*((one.span.start, one.span.end) for _, one in placed))
    ordered = sorted(edge for edge in edges if edge <= len(kept))
    found = []
    for start, end in pairwise(ordered):
        over = [(whose, one) for whose, one in placed if one.span.start <= start and end <= one.span.end]
        kind = max((one.kind for _, one in over), key=KINDS.index, default="")
        between = " " if any(whose for whose, _ in over) else ""
        letters = between.join(whose + one.letter for whose, one in over if one.span.start == start)
        title = "; ".join(f"{whose} {one.words}".strip() for whose, one in over)
        found.append(MarkedRun(pieces(kept[start:end]), kind, letters, title))
    return [*found, MarkedRun(pieces(text)[-1:])] if len(text) > LONGEST_TEXT else found


def summary(errors: Sequence[ShownError]) -> str:
    """Count errors by their severity, the worst first."""
    counts = Counter(one.kind for one in errors)
    parts = ", ".join(f"{counts[kind]} {kind}" for kind in reversed(KINDS) if counts[kind])
    return f"{number_of(len(errors), 'error')}: {parts}"


def counts_of(study: Study, systems: Iterable[str]) -> list[int]:
    """Count the errors of these systems in each segment."""
    found = [0] * study.inputs.n
    for by_system in study.inputs.spans.values():
        for system in systems:
            for at, spans in by_system.get(system, {}).items():
                found[at] += len(spans)
    return found


def listed(study: Study) -> list[dict[str, Any]]:
    """All errors, for JSON: segments are counted from 0, and what is not known is left out."""
    found = []
    for metric, by_system in study.inputs.spans.items():
        for system, by_segment in by_system.items():
            for at, spans in by_segment.items():
                for span in spans:
                    known = span._asdict().items()
                    fields = {name: one for name, one in known if one not in (None, "", False, NOWHERE)}
                    place = {name: getattr(span, name) for name in ("start", "end") if span.start != NOWHERE}
                    found.append({"metric": metric, "system": system, "segment": at, **fields, **place})
    return found


def packed(study: Study) -> dict[str, Any]:
    """Give the errors as rows of numbers for the script; places are counted as JavaScript counts, in UTF-16 units."""
    metrics, severities, categories, raters = (Codes() for _ in range(4))
    given, rows = study.inputs, []
    touched = {(system, at) for of in given.spans.values() for system, found in of.items() for at in found}
    places = {name: at for at, name in enumerate(given.systems)}
    for system, at in sorted(touched, key=lambda one: (one[1], places[one[0]])):
        texts = given.systems[system][at], "" if given.sources is None else given.sources[at]
        for one in errors_of(study, system, at):
            span = one.span
            ends = [_in_utf16(texts[span.in_source], end) for end in (span.start, span.end)]
            row: list[Any] = [
                at, places[system], metrics[one.metric], severities[plain(span.severity, _LONGEST)], *ends,
                int(span.in_source), categories[plain(span.category, _LONGEST)], raters[span.rater or ""],
                None if span.confidence is None else round(span.confidence, 2),
                plain(one.quote, _LONGEST) if span.start == NOWHERE and one.quote else None,
            ]  # fmt: skip
            while row[-1] is None:
                row.pop()
            rows.append(row)
    lists = {"metrics": metrics, "severities": severities, "categories": categories, "raters": raters}
    return {"rows": rows, **{name: list(known) for name, known in lists.items()}}


def _in_utf16(text: str, place: int) -> int:
    return place if text.isascii() else place + sum(character > "\uffff" for character in text[: max(place, 0)])
