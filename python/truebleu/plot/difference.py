"""Systems A and B segment by segment: the differences of their scores in order, from A's largest gain to its loss."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truebleu.plot.plan import PLAIN, Plan, say_below, visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def draw(ax: Axes, plan: Plan) -> None:
    """Draw the differences, and write how many segments are on either side of zero.

    Parameters
    ----------
    ax
        Where to draw.
    plan
        What to draw.
    """
    segments, (a, b) = plan.study.segments(plan.metric), plan.two
    differences, n = segments.difference(a, b), len(plan.study.inputs.references[0])
    better, worse = segments.gains(a, b), segments.gains(b, a)[::-1]
    counts = segments.signs(a, b)
    first = {"better": 0, "worse": n - len(worse)}
    sides = (("better", better, plan.look.gain, ""), ("worse", worse, plan.look.loss, "////"))
    for what, order, color, hatch in sides:
        places = range(first[what], first[what] + len(order))
        ax.fill_between(places, differences[order], step="mid", facecolor=color, alpha=0.35, hatch=hatch, edgecolor=color, linewidth=0)
        ax.plot(places, differences[order], "-" if what == "better" else "--", color=color, drawstyle="steps-mid", gid=what)
    ax.axhline(0, color="0.4", linewidth=0.6)
    texts = (
        (0.02, f"{plan.name(a)} better:\n{counts[0]} ({counts[0] / n:.0%})", "left", 0 if plan.higher_is_better else 1),
        (0.98, f"{plan.name(b)} better:\n{counts[1]} ({counts[1] / n:.0%})", "right", 1 if plan.higher_is_better else 0),
    )
    for x, text, side, y in texts:
        ax.text(x, 0.03 + 0.94 * y, text, ha=side, va="top" if y else "bottom", transform=ax.transAxes, **PLAIN)
    low, high, beyond = visible(differences)
    ax.set(xlim=(-0.5, n - 0.5), ylim=(low, high))
    say_below(ax, plan, "segments in order", f"{counts[2]} the same", beyond)
    ax.set_ylabel(f"{plan.metric} of {plan.name(a)}\nless that of {plan.name(b)}\n({plan.direction})", **PLAIN)
