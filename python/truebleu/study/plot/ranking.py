"""All systems, the best first, and how far each is from the best or the baseline, with the interval of the pair.

Intervals of two scores overlap where the test of the pair is sure, and readers take the overlap for "no difference".
So the differences are drawn, and the scores are written beside them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from truebleu.study.plot.plan import PLAIN, Plan, number, say_below

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def draw(ax: Axes, plan: Plan) -> None:
    """Draw the ranking."""
    study, names, tested = plan.study, plan.study.ranking(plan.metric), plan.tested
    scores = {name: study.scores[plan.metric][name].score for name in names}
    if tested is None:
        ax.plot(list(scores.values()), range(len(names)), "o", color=plan.look.gain, gid="scores")
        say_below(ax, plan, plan.score, plan.direction)
    else:
        _draw_differences(ax, plan, names)
        for cluster in (tested.clusters or ())[:-1]:
            ax.axhline(names.index(cluster[-1]) + 0.5, color="0.6", linewidth=0.6, linestyle=":", gid="cluster")
    _write_columns(ax, plan, names)
    ax.set_yticks(range(len(names)), [plan.name(name) for name in names], **PLAIN)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)


def _draw_differences(ax: Axes, plan: Plan, names: list[str]) -> None:
    """Draw the difference of each system to the best or the baseline: filled where it is significant."""
    first = plan.study.baseline or names[0]
    ax.axvline(0, color="0.6", linewidth=0.6)
    ax.plot([0], [names.index(first)], "D", color="0.4", gid="reference")
    for pair in plan.tested.pairs if plan.tested else ():
        if first not in (pair.system, pair.baseline):
            continue
        name, sign = (pair.system, 1) if pair.baseline == first else (pair.baseline, -1)
        delta, row = sign * pair.delta, names.index(name)
        color = plan.color(delta)
        if pair.interval is not None:
            ax.plot([sign * end for end in pair.interval], [row, row], "-", color=color, gid=f"interval-{row}")
        face = color if pair.significant else "white"
        marker = plan.marker(delta)
        ax.plot([delta], [row], marker, color=color, markerfacecolor=face, gid=f"difference-{row}")
    say_below(ax, plan, f"{plan.score} minus that of {plan.name(first)}", plan.direction, "filled: significant")


def _write_columns(ax: Axes, plan: Plan, names: list[str]) -> None:
    """Write the score of each system on the right, and which ranks it may have."""
    tested, scores = plan.tested, plan.study.scores[plan.metric]
    columns = [["score", *(number(scores[name].score, [one.score for one in scores.values()]) for name in names)]]
    if tested is not None:
        ranks = {one.name: one.rank_range or () for one in tested.systems}
        columns.append(["rank", *("–".join(map(str, dict.fromkeys(ranks[name]))) for name in names)])
    right = 0.0
    for texts in columns:
        right += plan.look.font_size * (0.62 * max(map(len, texts)) + 0.8)
        for row, text in enumerate(texts, -1):
            ax.annotate(
                text, (1, row), (right, 0), xycoords=("axes fraction", "data"), textcoords="offset points",
                va="center", ha="right", annotation_clip=False, gid=f"{texts[0]}-{row}", **PLAIN,
            )  # fmt: skip
