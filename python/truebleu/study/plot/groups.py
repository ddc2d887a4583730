"""Systems A and B in each group of a set of labels: the difference of their scores, with the interval of the pair."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truebleu.study.plot.plan import MOST_GROUPS, PLAIN, Plan, say_below

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def count(plan: Plan) -> int:
    """Tell how many rows the figure has."""
    return min(MOST_GROUPS, len(plan.study.groups(plan.labels).groups))


def draw(ax: Axes, plan: Plan) -> None:
    """Draw the groups in their order; of very many, those with the largest differences."""
    a, b = plan.two
    paired = plan.study.groups(plan.labels).pair(plan.metric, a, b)
    largest = sorted(paired.groups, key=lambda group: -abs(group.delta))[:MOST_GROUPS]
    shown = [group for group in paired.groups if group in largest]
    ax.axvline(0, color="0.6", linewidth=0.6)
    ax.axvline(paired.delta, color="0.3", linewidth=0.8, linestyle="--", gid="whole-set")
    for row, group in enumerate(shown):
        color, p_value = plan.color(group.delta), group.adjusted_p_value
        if group.interval is not None:
            ax.plot(group.interval, [row, row], "-", color=color, gid=f"interval-{row}")
        face = color if p_value is not None and p_value <= plan.study.alpha else "white"
        marker = plan.marker(group.delta)
        ax.plot([group.delta], [row], marker, color=color, markerfacecolor=face, gid=f"difference-{row}")
    counts = [f"({group.n_segments}{', few' if group.few else ''})" for group in shown]
    names = [" ".join(pair) for pair in zip(plan.short([group.label for group in shown]), counts, strict=True)]
    ax.set_yticks(range(len(shown)), names, **PLAIN)
    ax.set_ylim(len(shown) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    left_out = len(paired.groups) - len(shown)
    ax.set_ylabel(plan.labels + (f" (without {left_out} small differences)" if left_out else ""), **PLAIN)
    sentence = f"{plan.score} of {plan.name(a)} minus that of {plan.name(b)}"
    say_below(ax, plan, sentence, plan.direction, "filled: significant", "dashed: whole set")
