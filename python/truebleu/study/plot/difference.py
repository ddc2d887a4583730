"""Systems A and B segment by segment: the differences of their scores in order, from A's largest gain to its loss."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from truebleu.study.plot.plan import PLAIN, Plan, say_below, visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def draw(ax: Axes, plan: Plan) -> None:
    """Draw the differences, and write how many segments are on either side of zero."""
    segments, (a, b) = plan.study.segments(plan.metric), plan.two
    differences, n = segments.difference(a, b), plan.study.inputs.n
    better, worse = segments.gains(a, b), segments.gains(b, a)[::-1]
    counts = segments.signs(a, b)
    sides = ((0, better, plan.look.gain, "-", ""), (n - len(worse), worse, plan.look.loss, "--", "////"))
    for first, order, color, line, hatch in sides:
        places = range(first, first + len(order))
        area: dict[str, Any] = {"facecolor": color, "edgecolor": color, "alpha": 0.35, "hatch": hatch, "linewidth": 0}
        ax.fill_between(places, differences[order], step="mid", **area)
        ax.plot(places, differences[order], line, color=color, drawstyle="steps-mid", gid=f"differences-{first}")
    ax.axhline(0, color="0.4", linewidth=0.6)
    texts = (
        (0.02, a, counts[0], "left", not plan.higher_is_better),
        (0.98, b, counts[1], "right", plan.higher_is_better),
    )
    for x, name, count, side, is_above in texts:
        text = f"{plan.name(name)} better:\n{count} ({count / n:.0%})"
        place: dict[str, Any] = {"ha": side, "va": "top" if is_above else "bottom", "transform": ax.transAxes}
        ax.text(x, 0.97 if is_above else 0.03, text, **place, **PLAIN)
    low, high, beyond = visible(differences)
    ax.set(xlim=(-0.5, n - 0.5), ylim=(low, high))
    what = f"{plan.score} of {plan.name(a)} minus that of {plan.name(b)}"
    say_below(ax, plan, f"segments by {what}", plan.direction, f"{counts[2]} the same", beyond)
    ax.set_ylabel(f"difference in {plan.score}", **PLAIN)
