"""What the doctor found, as text, Markdown and JSON."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from truebleu._counts import number_of
from truebleu._shown import json_text, shown
from truebleu._text.escape import markdown_code, markdown_text
from truebleu._text.style import GREEN, RED, YELLOW, Style
from truebleu.doctor.repairs import is_available
from truebleu.doctor.rule import LEVELS, NOT_ASKED

if TYPE_CHECKING:
    from truebleu.doctor.finding import Diagnosis, Finding
    from truebleu.doctor.rule import Rule

_COLORS = {"error": RED, "warning": YELLOW, "note": GREEN}
_LONGEST = 120  # characters of an example
_MOST_PLACES = 12  # lines and ranges of lines that a finding names

_CURED = {"repair": "after the repair", "other": "with the other setting", "rest": "without these segments"}


class Examined(NamedTuple):
    """A system, what was found, and the texts that examples are taken from, by the name of their side."""

    name: str  # for people
    path: str  # for programs
    diagnosis: Diagnosis
    texts: dict[str, Sequence[str | None]]
    repaired: tuple[str, ...] = ()  # the repairs of the file that was written
    output: str = ""  # its name


def doctor_lines(examined: Sequence[Examined], style: Style, level: str, examples: int) -> Iterator[str]:
    """Write what was found in each system, as text or as Markdown."""
    is_markdown = style.format == "markdown"
    for at, one in enumerate(examined):
        if at:
            yield ""
        found = one.diagnosis.findings
        name = f"{style.name(one.name)}: " if one.name else ""
        title = f"{name}{counted(found)} in {number_of(one.diagnosis.segments, 'segment', commas=True)}"
        yield f"## {title}" if is_markdown else title
        seen = [finding for finding in found if LEVELS.index(finding.level) >= LEVELS.index(level)]
        for finding in seen:
            yield ""
            yield from (_markdown if is_markdown else _text)(finding, one, style, examples)
        yield ""
        yield from _ends(one, len(found) - len(seen), style)


def rule_lines(rule: Rule) -> Iterator[str]:
    """Say what a check looks for, what it needs, and what its price and its repair are."""
    yield f"{rule.code} {rule.name}"
    said = (rule.find.__doc__ or "").partition("\n")[0].partition(": ")[2]
    yield f"  {said[:1].upper()}{said[1:]}"
    needs = [
        *(["the sources"] if rule.sources else []),
        *([number_of(rule.minimum, "segment")] if rule.minimum > 1 else []),
    ]
    if needs:
        yield f"  needs {' and '.join(needs)}"
    whose = "the score" if rule.price in _CURED else "of learned metrics, the score"
    yield f"  price: {whose} {_CURED.get(rule.price, _CURED['rest'])}"
    if rule.repair:
        yield f"  repair: --fix {rule.repair}"


def diagnosis_text(diagnosis: Diagnosis) -> str:
    """Write what was found in one system, for `print`."""
    return "\n".join(doctor_lines([Examined("", "", diagnosis, {})], Style(), "note", 0))


def doctor_json(examined: Sequence[Examined], level: str) -> str:
    """Write everything for programs: one object for one system, a list of them for several."""
    found = []
    for one in examined:
        fields = {"system": one.path, **one.diagnosis.to_dict()}
        levels = LEVELS[LEVELS.index(level) :]
        fields["findings"] = [finding for finding in fields["findings"] if finding["level"] in levels]
        if one.output:
            fields["repaired"] = {"repairs": list(one.repaired), "output": one.output}
        found.append(fields)
    return json_text(found[0] if len(found) == 1 else found, indent=1)


def line_numbers(segments: Sequence[int]) -> str:
    """Name segments by their lines, counted from 1, and runs of them by their ends.

    >>> line_numbers([0, 4, 5, 6, 9]), line_numbers([7])
    ('lines 1, 5 to 7, 10', 'line 8')
    """
    runs: list[list[int]] = []
    for at in segments:
        if runs and at == runs[-1][1] + 1:
            runs[-1][1] = at
        else:
            runs.append([at, at])
    named = [f"{a + 1}" if a == b else f"{a + 1} to {b + 1}" for a, b in runs[:_MOST_PLACES]]
    rest = sum(b - a + 1 for a, b in runs[_MOST_PLACES:])
    return f"line{'s' if len(segments) > 1 else ''} {', '.join(named)}" + (f" and {rest:,} more" if rest else "")


def _text(finding: Finding, one: Examined, style: Style, examples: int) -> Iterator[str]:
    head = style.paint(finding.level, _COLORS[finding.level])
    yield f"{head} {finding.name} [{finding.code}]: {_said(finding, examples)}"
    yield f"  {_where(finding)}"
    for line, text in _examples(finding, one, examples):
        yield f"    {line}: {text}"
    for at, _, expected, found in finding.units[:examples]:
        yield f"    line {at + 1}: {_plain(expected)} {_plain(found)}"
    yield f"  {_price(finding)}"


def _markdown(finding: Finding, one: Examined, style: Style, examples: int) -> Iterator[str]:
    named = f"{finding.name} [{finding.code}]"
    yield f"- **{finding.level}** {markdown_text(f'{named}: {_said(finding, examples)}')}"
    yield f"  - {_where(finding)}"
    for line, text in _examples(finding, one, examples):
        yield f"    - {line}: {markdown_code(text)}"
    for at, _, expected, found in finding.units[:examples]:
        yield f"    - line {at + 1}: {markdown_code(_plain(expected))} {markdown_text(_plain(found))}"
    yield f"  - {markdown_text(_price(finding))}"


def _said(finding: Finding, examples: int) -> str:
    """The message; without examples, it has no quotations either."""
    return _plain(finding.message if examples else finding.discreet)


def _where(finding: Finding) -> str:
    return f"{finding.side}, {line_numbers(finding.segments) if finding.segments else 'the whole file'}"


def _examples(finding: Finding, one: Examined, most: int) -> Iterator[tuple[int, str]]:
    texts = one.texts.get(finding.side, ())
    for at in finding.segments[:most]:
        text = (texts[at] if at < len(texts) else None) or ""
        yield at + 1, _plain(text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…")


def _price(finding: Finding) -> str:
    """What it costs in each metric, and which repair there is."""
    parts = [
        f"{price.points:+.{price.decimals}f} {metric} ({price.before:.{price.decimals}f}, "
        f"{_CURED.get(price.kind, price.kind)} {price.after:.{price.decimals}f})"
        for metric, price in finding.prices.items()
    ]
    waiting = finding.not_scored_anew.items()
    parts += [f"{metric} not scored anew ({number_of(count, 'segment', commas=True)})" for metric, count in waiting]
    if finding.repair and not is_available(finding.repair):
        return f"cannot be priced here; repair: pip install 'truebleu[doctor]', then --fix {finding.repair}"
    text = f"price: {', '.join(parts)}" if parts else "cannot be priced"
    return f"{text}; repair: --fix {finding.repair}" if finding.repair else text


def _ends(one: Examined, hidden: int, style: Style) -> Iterator[str]:
    """What ends the report of a system: a clean run must look different from one that did not check."""
    diagnosis, reasons, names = one.diagnosis, dict[str, list[str]](), one.diagnosis.names
    for code, why in diagnosis.not_checked.items():
        reasons.setdefault(why, []).append(names.get(code, code))
    ends = [f"passed (not found): {', '.join(names.get(code, code) for code in diagnosis.passed) or 'none'}"]
    if reasons:
        unasked = {NOT_ASKED: [number_of(len(reasons[NOT_ASKED]), "other check")]} if NOT_ASKED in reasons else {}
        parts = (f"{', '.join(found)} ({why})" for why, found in {**reasons, **unasked}.items())
        ends.append(f"not checked: {'; '.join(parts)}")
    if one.output:
        ends.append(f"repaired: {', '.join(one.repaired)}; written to {style.name(one.output)}")
    if hidden:
        ends.append(f"{number_of(hidden, 'finding', commas=True)} of a lower level: --level note shows all")
    for at, line in enumerate(ends):
        yield line if style.format != "markdown" or at == len(ends) - 1 else f"{line}  "


def counted(findings: Sequence[Finding]) -> str:
    """Say how many findings there are of each level."""
    levels = [finding.level for finding in findings]
    parts = [number_of(levels.count(level), level, commas=True) for level in reversed(LEVELS) if level in levels]
    return ", ".join(parts) or "nothing found"


def _plain(text: Any) -> str:
    return shown(text, longest=sys.maxsize)
