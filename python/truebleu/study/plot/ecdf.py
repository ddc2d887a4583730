"""How the scores of segments are spread: for each score, the share of segments that have it or less."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truebleu.study.plot.plan import Plan, legend, say_below, visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def draw(ax: Axes, plan: Plan) -> None:
    """Draw a line for each system."""
    segments, bold = plan.study.segments(plan.metric), plan.highlighted
    others = [name for name in segments.systems if name not in bold]
    handles, names = [], []
    for name in others:
        line = ax.ecdf(segments.of(name), color="0.75", linewidth=0.5, gid=f"line-{segments.systems.index(name)}")
    if others:
        handles, names = [line], ["the other one" if len(others) == 1 else f"{len(others)} others"]
    for at, (name, (color, style)) in reversed(list(enumerate(zip(bold, plan.look.lines, strict=False)))):
        line = ax.ecdf(
            segments.of(name), color=color, linestyle=style, zorder=3 + at, gid=f"line-{segments.systems.index(name)}"
        )
        handles, names = [line, *handles], [plan.name(name), *names]
    legend(ax, plan, handles, names)
    low, high, beyond = visible(segments.scores)
    ax.set_xlim(low, high)
    say_below(ax, plan, f"{plan.score} of a segment, or less", plan.direction, beyond)
    ax.set_ylabel("share of segments")
    ax.set_ylim(0, 1)
