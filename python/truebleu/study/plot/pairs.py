"""Which differences are real: a cell for each pair of systems, in the order of their ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truebleu.study.plot.plan import PLAIN, POINTS, Plan, legend, number, say_below

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from truebleu.significance.results import PairReport

# Numbers in smaller letters than these, in points, are left out; what remains is the sign.
_SMALLEST = 4.5


def draw(ax: Axes, plan: Plan) -> None:
    """Draw the matrix: the score of the row minus that of the column."""
    from matplotlib.patches import Rectangle

    names, tested = plan.study.ranking(plan.metric), plan.tested
    assert tested is not None
    scores = [score.score for score in plan.study.scores[plan.metric].values()]
    cell = _cell(plan)
    size = min(0.85 * plan.look.font_size, cell / (2.8 if has_numbers(plan) else 1))
    for pair in tested.pairs:
        level = _level(plan, pair)
        for row, column, delta in ((pair.system, pair.baseline, pair.delta), (pair.baseline, pair.system, -pair.delta)):
            x, y, text = names.index(column), names.index(row), number(delta, scores, sign=True)
            face = "white" if level is None else _tint(plan.color(delta), level[1])
            box = Rectangle((x - 0.5, y - 0.5), 1, 1, facecolor=face, edgecolor="0.8", linewidth=0.4)
            box.set_gid(f"pair-{y}-{x}")
            ax.add_patch(box)
            if level is not None:
                text = f"{text}\n{level[1]}" if has_numbers(plan) else text[0]
            elif not has_numbers(plan):
                text = ""
            ink = "white" if level is not None and level[1] == "***" else "black"
            ax.text(
                x, y, text, ha="center", va="center", fontsize=size, color=ink, linespacing=0.9,
                gid=f"text-{y}-{x}", **PLAIN,
            )  # fmt: skip
    ticks = range(len(names))
    # Where two numbers would touch, every fifth is left.
    step = 1 if cell > 1.6 * plan.look.font_size else 5
    heads = [place for place in ticks if (place + 1) % step == 0 or place == 0]
    ax.set_xticks(heads, [str(place + 1) for place in heads])
    ax.set_yticks(ticks, [f"{plan.name(name)}  {place + 1}" for place, name in enumerate(names)], **PLAIN)
    ax.set(xlim=(-0.5, len(names) - 0.5), ylim=(len(names) - 0.5, -0.5))
    ax.tick_params(length=0, top=False, labeltop=True, bottom=False, labelbottom=False)
    ax.spines[:].set_visible(False)
    ax.xaxis.set_label_position("top")
    say_below(ax, plan, f"{plan.score} of the row minus that of the column", plan.direction)
    _explain(ax, plan)


def has_numbers(plan: Plan) -> bool:
    """Tell whether cells are wide enough for numbers that can be read."""
    return _cell(plan) / 2.8 >= _SMALLEST


def _cell(plan: Plan) -> float:
    """The width of a cell in points, about."""
    known = plan.study.inputs.systems
    names = max(len(plan.name(name)) for name in known) + 5
    return plan.look.width * POINTS * (1 - names / plan.letters) / len(known)


def _levels(plan: Plan) -> list[tuple[float, str]]:
    """Steps of the p-value and their stars, the strongest first; the weakest is the level of the study."""
    alpha = plan.study.alpha
    stars = {0.001: "***", 0.01: "**"}
    return sorted((level, text) for level, text in {alpha: "*", **stars}.items() if level <= alpha)


def _level(plan: Plan, pair: PairReport) -> tuple[float, str] | None:
    """The strongest step that a pair reaches; None if its difference is not significant."""
    return next((one for one in _levels(plan) if pair.decisive <= one[0]), None) if pair.significant else None


def _tint(color: str, stars: str) -> str:
    """Mix a colour with white: the more stars, the less white."""
    white = {"***": 0.1, "**": 0.5, "*": 0.75}[stars]
    parts = (int(color[at : at + 2], 16) for at in (1, 3, 5))
    return "#" + "".join(f"{round(part + (255 - part) * white):02x}" for part in parts)


def _explain(ax: Axes, plan: Plan) -> None:
    """Say what the tints mean; a step that so many trials cannot reach is left out."""
    from matplotlib.patches import Patch

    comparison = plan.study.comparison
    least = (comparison.smallest_p_value if comparison else None) or 0
    levels = [one for one in _levels(plan) if one[0] >= least]
    patches = [Patch(facecolor=_tint(plan.look.gain, stars)) for _, stars in levels]
    names = [f"{stars} p ≤ {level:g}" for level, stars in levels]
    if levels:
        legend(ax, plan, patches, names, below=True)
