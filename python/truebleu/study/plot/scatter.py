"""Systems A and B segment by segment: a point for each, and the line on which they are equal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from truebleu.study.plot.plan import PLAIN, Plan, legend, say_below, visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def draw(ax: Axes, plan: Plan) -> None:
    """Draw the points; those on which A is better are triangles that point up, where it is worse, down."""
    from matplotlib.lines import Line2D

    segments, (a, b) = plan.study.segments(plan.metric), plan.two
    ours, theirs = segments.of(a), segments.of(b)
    better, worse = segments.gains(a, b), segments.gains(b, a)
    same = sorted(set(range(len(ours))) - {*better, *worse})
    size = (plan.look.font_size / 3) ** 2 * (0.5 if len(ours) > 500 else 1)
    kinds = (
        (f"{plan.name(a)} better", better, "^", plan.look.gain),
        (f"{plan.name(b)} better", worse, "v", plan.look.loss),
        ("same", same, "o", "#808080"),
    )
    handles = []
    for at, (_, places, marker, color) in enumerate(kinds):
        points: dict[str, Any] = {
            "marker": marker,
            "color": color,
            "alpha": 0.5,
            "linewidths": 0,
            "gid": f"points-{at}",
        }
        ax.scatter(theirs[places], ours[places], s=size, **points)
        handles.append(Line2D([], [], color=color, marker=marker, linestyle=""))
    legend(ax, plan, handles, [f"{what}: {len(places)}" for what, places, _, _ in kinds])
    low, high, _ = visible(segments.scores)
    ax.plot([low, high], [low, high], "-", color="0.4", linewidth=0.6)
    beyond = sum(not (low <= one <= high and low <= other <= high) for one, other in zip(ours, theirs, strict=True))
    ax.set(xlim=(low, high), ylim=(low, high))
    ax.set_aspect("equal", adjustable="box")
    remark = f"{beyond} beyond the axes" if beyond else ""
    say_below(ax, plan, f"{plan.score} of {plan.name(b)}", plan.direction, remark)
    ax.set_ylabel(f"{plan.score} of {plan.name(a)}", **PLAIN)
