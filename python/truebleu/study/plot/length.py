"""Scores by the length of the reference: for each system, that of the segments in each bucket, with its interval."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truebleu.study.plot.plan import PLAIN, Plan, legend

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def draw(ax: Axes, plan: Plan) -> None:
    """Draw a line for each system; those that can be told apart have intervals."""
    found, bold = plan.study.groups("length"), plan.highlighted
    scores, handles, names = found.scores[plan.metric], [], []
    order = list(scores)
    others = [name for name in order if name not in bold]
    places = list(range(len(found.groups)))
    for name in others:
        values = [group.number for group in scores[name]]
        (line,) = ax.plot(places, values, color="0.75", linewidth=0.5, gid=f"line-{order.index(name)}")
    if others:
        handles, names = [line], ["the other one" if len(others) == 1 else f"{len(others)} others"]
    for at, (name, (color, style)) in reversed(list(enumerate(zip(bold, plan.look.lines, strict=False)))):
        # Intervals side by side: one above the other they could not be told apart.
        moved = [place + 0.09 * (at - (len(bold) - 1) / 2) for place in places]
        look = {"color": color, "linestyle": style, "marker": "os^Dvx"[at], "zorder": 3 + at}
        values = [group.number for group in scores[name]]
        (line,) = ax.plot(moved, values, gid=f"line-{order.index(name)}", **look)
        for place, group in zip(moved, scores[name], strict=True):
            if group.mean is not None and group.half_width is not None:
                ends = group.mean - group.half_width, group.mean + group.half_width
                ax.plot([place, place], ends, "-", color=color, linewidth=0.8, gid=f"interval-{at}")
        handles, names = [line, *handles], [plan.name(name), *names]
    legend(ax, plan, handles, names)
    ax.set_xticks(places, [f"{group}\n({n})" for group, n in found.groups], **PLAIN)
    ax.set_xlabel("tokens of the reference (segments)")
    ax.set_ylabel(f"{plan.score} ({plan.direction})", **PLAIN)
