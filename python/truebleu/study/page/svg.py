"""The figures, as SVG without styles and scripts: classes of the style sheet give the colours, in light and in dark.

Every text goes through `Markup.format`, which escapes it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from markupsafe import Markup

Point = tuple[float, float]


class Scale(NamedTuple):
    """A stretch of numbers, drawn from one place to another."""

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        """Give the place of a number, with two decimals, which is as exact as a screen."""
        share = (value - self.low) / ((self.high - self.low) or 1.0)
        return round(self.start + share * (self.end - self.start), 2)

    def ticks(self, most: int = 5) -> list[float]:
        """Choose round numbers on the scale: multiples of 1, 2 or 5 times a power of ten."""
        step = 10 ** math.floor(math.log10(((self.high - self.low) or 1.0) / most))
        step = next(step * by for by in (1, 2, 5, 10, 20) if (self.high - self.low) / (step * by) <= most)
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return [round(at * step, 10) for at in range(first, last + 1)]


def spanning(values: Iterable[float], start: float, end: float) -> Scale:
    """Make a scale that holds numbers and zero, with a little room at both ends."""
    known = [0.0, *(value for value in values if math.isfinite(value))]
    room = 0.05 * (max(known) - min(known)) or 1.0
    return Scale(min(known) - room, max(known) + room, start, end)


ROW_WIDTH, ROW_HEIGHT = 220, 22


def row_axis(scale: Scale) -> Markup:
    """Draw the axis that stands over a column of dots."""
    marks = [
        Markup('<line class="tick" x1="{0}" x2="{0}" y1="16" y2="22"/><text x="{0}" y="12">{1}</text>').format(
            scale.at(tick), tick_label(tick)
        )
        for tick in scale.ticks(4)
    ]
    return _figure(ROW_WIDTH, ROW_HEIGHT, marks, "axis")


def row_dot(
    scale: Scale, value: float, interval: Sequence[float] | None, kind: str, runs: Sequence[float] = ()
) -> Markup:
    """Draw a number as a dot with its interval, and a line at zero."""
    x, middle = scale.at(value), ROW_HEIGHT / 2
    marks = [Markup('<line class="zero" x1="{0}" x2="{0}" y1="0" y2="{1}"/>').format(scale.at(0), ROW_HEIGHT)]
    dot = '<circle class="run" cx="{}" cy="{}" r="2.5"/>'
    marks.extend(Markup(dot).format(scale.at(run), middle) for run in runs)
    if interval is not None:
        ends = [scale.at(end) for end in interval]
        line = '<line class="span {}" x1="{}" x2="{}" y1="{}" y2="{}"/>'
        marks.append(Markup(line).format(kind, *ends, middle, middle))
    shapes = {
        "gain": '<path class="gain" d="M{0} {1}l5 5l-5 5l-5 -5z"/>',
        "loss": '<path class="loss" d="M{0} {1}m-4 1h8v8h-8z"/>',
        "none": '<circle class="none" cx="{0}" cy="{2}" r="4"/>',
    }
    marks.append(Markup(shapes[kind]).format(x, middle - 5, middle))
    return _figure(ROW_WIDTH, ROW_HEIGHT, marks, "dot")


WIDTH, HEIGHT = 640, 320
_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 12, 12, 44


class Line(NamedTuple):
    """A line of a figure, or its points."""

    points: Sequence[Point]
    kind: str


def chart(
    title: str,
    lines: Sequence[Line],
    x_name: str,
    y_name: str,
    *,
    zero: bool = False,
    x_labels: Sequence[str] = (),
    margin: float = 0.0,
) -> Markup:
    """Draw lines or points with both axes; a margin is a share of each axis on both of its ends."""
    every = [point for line in lines for point in line.points if math.isfinite(point[0]) and math.isfinite(point[1])]
    xs, ys = [x for x, _ in every] or [0.0, 1.0], [y for _, y in every] or [0.0, 1.0]
    ys = [*ys, 0.0] if zero else ys
    xs = [*xs, *range(len(x_labels))]
    wide, high = margin * (max(xs) - min(xs)), margin * (max(ys) - min(ys))
    x_scale = Scale(min(xs) - wide, max(xs) + wide, _LEFT, WIDTH - _RIGHT)
    y_scale = Scale(min(ys) - high, max(ys) + high, HEIGHT - _BOTTOM, _TOP)
    marks = [*_axes(x_scale, y_scale, x_labels), *(_drawn(line, x_scale, y_scale) for line in lines)]
    if zero:
        across = '<line class="zero" x1="{}" x2="{}" y1="{}" y2="{}"/>'
        marks.append(Markup(across).format(_LEFT, WIDTH - _RIGHT, y_scale.at(0), y_scale.at(0)))
    marks.append(Markup('<text class="name" x="{}" y="{}">{}</text>').format(WIDTH / 2, HEIGHT - 6, x_name))
    turned = '<text class="name" transform="translate(14 {}) rotate(-90)">{}</text>'
    marks.append(Markup(turned).format(HEIGHT / 2, y_name))
    return _figure(WIDTH, HEIGHT, marks, "chart", title)


def tick_label(value: float) -> str:
    """Write the number of a tick, with a true minus."""
    return f"{value:g}".replace("-", "\u2212")


def _axes(x_scale: Scale, y_scale: Scale, x_labels: Sequence[str]) -> list[Markup]:
    bottom, right = HEIGHT - _BOTTOM, WIDTH - _RIGHT
    found = []
    ticks = [float(at) for at in range(len(x_labels))] or x_scale.ticks(6)
    for tick, label in zip(ticks, x_labels or map(tick_label, ticks), strict=True):
        line = '<line class="grid" x1="{0}" x2="{0}" y1="{1}" y2="{2}"/><text x="{0}" y="{3}">{4}</text>'
        found.append(Markup(line).format(x_scale.at(tick), _TOP, bottom, bottom + 16, label))
    for tick in y_scale.ticks(5):
        at = y_scale.at(tick)
        line = '<line class="grid" x1="{}" x2="{}" y1="{}" y2="{}"/><text class="left" x="{}" y="{}">{}</text>'
        found.append(Markup(line).format(_LEFT, right, at, at, _LEFT - 6, at + 4, tick_label(tick)))
    return found


def _drawn(line: Line, x_scale: Scale, y_scale: Scale) -> Markup:
    places = [(x_scale.at(x), y_scale.at(y)) for x, y in line.points if math.isfinite(x) and math.isfinite(y)]
    if line.kind in ("points", "systems"):  # one path however many points: a line of no length with round ends
        path = "".join(f"M{x} {y}h0" for x, y in places)
    else:
        path = "".join(f"{'L' if at else 'M'}{x} {y}" for at, (x, y) in enumerate(places))
    if line.kind.startswith("area") and places:
        path = f"M{places[0][0]} {y_scale.at(0)}L{path[1:]}L{places[-1][0]} {y_scale.at(0)}Z"
    if line.kind.startswith("band") and places:
        path += "Z"
    return Markup('<path class="{}" d="{}"/>').format(line.kind, path)


def _figure(width: float, height: float, marks: Iterable[Markup], kind: str, title: str = "") -> Markup:
    told = Markup('role="img" aria-label="{}"').format(title) if title else Markup('aria-hidden="true"')
    opening = Markup('<svg class="{}" viewBox="0 0 {} {}" width="{}" height="{}" {}>')
    return opening.format(kind, width, height, width, height, told) + Markup("").join(marks) + Markup("</svg>")
