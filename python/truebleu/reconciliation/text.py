"""Which settings give a number, as text, Markdown or JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, cast

from truebleu._shown import json_text, shown
from truebleu._text.escape import markdown_text

if TYPE_CHECKING:
    from truebleu.reconciliation.explanations import Attribution, Change, Explanation, Reconciliation

FORMATS = ("text", "json", "markdown")

_CERTAINTY = {
    "certain": ": certain",
    "likely": ": likely, not certain",
    "one of several": ", so this is only one possible explanation",
    "none": ": none fits",
}


def reconciliation_text(found: Reconciliation | Attribution, layout: str = "text") -> str:
    """Write a result."""
    if layout == "json":
        return json_text(found.to_dict(), indent=1) + "\n"
    # Only a search has targets. `isinstance` would import the results, which print themselves with this module.
    lines = (
        _reconciliation(cast("Reconciliation", found), layout)
        if hasattr(found, "targets")
        else _attribution(found, layout)
    )
    return "".join(f"{line}\n" for line in lines)


def _reconciliation(found: Reconciliation, layout: str) -> Iterator[str]:
    number = " and ".join(_number(found, at) for at in range(len(found.targets)))
    if not found.explained:
        yield from _unexplained(found, number, layout)
        return
    first = found.explanations[0]
    verb = "is" if len(found.targets) == 1 else "are"
    verb = "may be" if found.certainty == "one of several" else verb
    tied = [_what(one) for one in found.explanations[: found.tied]]
    if len(tied) > 1:
        yield f"{number} {verb} either {' or '.join(_text(one, layout) for one in tied)}."
    else:
        yield f"{number} {verb} {_text(tied[0], layout)}."
    for at, name in enumerate(found.systems):
        if len(found.systems) > 1:
            yield _text(f"{name}:", layout)
        rows = [(found.start_scores[at], f"as truebleu scores it ({found.start})", "")]
        rows += [(change.contributions[at], change.says, "+") for change in first.changes]
        yield from _table(
            [*rows, (first.scores[at], f"{found.tested:,} settings tried; {_sureness(found)}", "")], layout
        )
    yield from _remarks(found, first, layout)


def _remarks(found: Reconciliation, first: Explanation, layout: str) -> Iterator[str]:
    if first.truncated:
        yield "The number is cut off, not rounded."
    if first.interdependent:
        yield f"The effects depend on each other. One after the other they are {_steps(first.changes)}."
    also = [*first.also, *(f"{value} (no difference on this text)" for c in first.changes for value in c.equals)]
    if also:
        yield _text(f"Also possible: {'; '.join(also)}.", layout)
    others = [_what(one) for one in found.explanations[found.tied : found.tied + 3]]
    if others:
        yield _text(f"Less simple, but they fit too: {'; '.join(others)}.", layout)
    if found.certainty != "certain":
        yield f"What would settle it: {_wanted(found)}."
    yield from (_text(f"Note: {note}.", layout) for note in found.notes)


def _unexplained(found: Reconciliation, number: str, layout: str) -> Iterator[str]:
    near = found.nearest[0].printed[0] if found.nearest else "unknown"
    gives = "gives" if len(found.targets) == 1 else "gives both of"
    yield (
        f"No setting known here {gives} {number}; the closest is {near} ({found.tested:,} settings tried). "
        "A different reference or hypothesis file is more likely than another setting."
    )
    rows = [(found.start_scores[0], f"as truebleu scores it ({found.start})", "")]
    rows += [(one.scores[0], f"near, but not an explanation: {_what(one)}", "") for one in found.nearest]
    yield from _table(rows, layout)
    yield from (_text(f"Note: {note}.", layout) for note in found.notes)


def _attribution(found: Attribution, layout: str) -> Iterator[str]:
    yield _text(f"From {found.start} to {found.end}:", layout)
    for at, (start, end) in enumerate(zip(found.start_scores, found.end_scores, strict=True)):
        rows = [(start, found.start, ""), *((c.contributions[at], c.says, "+") for c in found.changes)]
        yield from _table([*rows, (end, found.end, "")], layout)
    if found.interdependent:
        yield f"The effects depend on each other. One after the other they are {_steps(found.changes)}."
    yield from (_text(f"Note: {note}.", layout) for note in found.notes)


def _steps(changes: Sequence[Change]) -> str:
    return ", ".join(f"{change.axis} {change.steps[0]:+.2f}" for change in changes)


def _table(rows: Sequence[tuple[float, str, str]], layout: str) -> Iterator[str]:
    if layout == "markdown":
        yield from ("", "| points | |", "|---:|---|")
        yield from (f"| {number:{sign}.2f} | {_text(what, layout)} |" for number, what, sign in rows)
        yield ""
    else:
        yield from (f"{number:{sign}7.2f}  {shown(what, 300)}" for number, what, sign in rows)


def _what(one: Explanation) -> str:
    """An explanation in a few words."""
    places = [change for change in one.changes if change.axis in ("references", "lines", "text")]
    if one.profile is not None:
        alone = [change.says.partition(" instead of ")[0] for change in places]
        return f"what {one.profile} gives{''.join(f', with {says}' for says in alone)}"
    if not one.changes:
        return "the score of truebleu as it is"
    return f"the starting settings with {', '.join(change.says for change in one.changes)}"


def _number(found: Reconciliation, at: int) -> str:
    if found.explained:
        return found.explanations[0].printed[at]
    return shown(found.targets[at], 80)


def _sureness(found: Reconciliation) -> str:
    number = found.by_chance
    expected = "none" if number == 0 else f"{number:.1f}" if number >= 0.1 else f"{number:.1g}"
    return f"about {expected} would match by chance{_CERTAINTY[found.certainty]}"


def _wanted(found: Reconciliation) -> str:
    wishes = ["the tool's whole output line"]
    if len(found.targets) == 1:
        wishes.insert(0, "a second system's score")
    if "." not in found.targets[0] or len(found.targets[0].partition(".")[2]) < 2:
        wishes.insert(0, "a second decimal")
    return ", or ".join(wishes)


def _text(text: str, layout: str) -> str:
    return markdown_text(text) if layout == "markdown" else shown(text, 2000)
