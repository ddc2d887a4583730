"""What a figure is to show, checked before anything is counted; and what all figures share: colours, names, numbers.

Blue is a gain and orange a loss, and neither is ever alone: a marker, a sign or a line style says the same, so a figure
can be read in grey.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from unicodedata import east_asian_width

from truebleu._inputs import brief, check_instance, ordered
from truebleu._options import choice
from truebleu._shown import shown
from truebleu.errors import InputTypeError, OptionError, TooFew
from truebleu.metrics.names import as_written, metric_names
from truebleu.study.inputs import Inputs

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from truebleu.significance.results import MetricReport
    from truebleu.study.study import Study

WHO = "Study.plot"

KINDS = ("ranking", "pairs", "groups", "ecdf", "scatter", "length", "difference")

# Kinds that show systems A and B, and kinds that show all systems alike; the others have a line for each.
OF_TWO = ("groups", "scatter", "difference")
OF_ALL = ("ranking", "pairs")

# Widths in centimetres of a column and of a page of the ACL's style; the height follows from what is shown.
WIDTHS = {"acl1": 7.7, "acl2": 16.0}

FORMATS = (".pdf", ".svg", ".png")

# More lines than these cannot be told apart.
MOST_LINES = 6

# More groups than these cannot be read; the largest differences are drawn.
MOST_GROUPS = 40

# The part of the width that names may take.
_NAMES = 0.36

NO_BREAK = "\u00a0"

CENTIMETRES = 2.54  # in an inch
POINTS = 72 / CENTIMETRES  # in a centimetre


@dataclass(frozen=True)
class Canvas:
    """How a figure looks."""

    width: float = WIDTHS["acl1"]
    height: float | None = None
    font_size: float = 8.0
    gray: bool = False

    @property
    def gain(self) -> str:
        """The colour of what is better."""
        return "#000000" if self.gray else "#0072b2"

    @property
    def loss(self) -> str:
        """The colour of what is worse."""
        return "#707070" if self.gray else "#d55e00"

    @property
    def lines(self) -> list[tuple[str, Any]]:
        """A colour and a style for each line that can be told from the others."""
        colors = ["#000000", "#606060", "#909090"] * 2 if self.gray else ["#009e73", "#cc79a7", "#56b4e9", "#000000"]
        styles = ["-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 3))]
        return list(zip(colors if self.gray else [self.gain, self.loss, *colors], styles, strict=True))


@dataclass(frozen=True, eq=False)
class Plan:
    """What a figure shows."""

    study: Study
    kind: str
    metric: str
    systems: tuple[str, ...]
    labels: str
    look: Canvas

    @property
    def higher_is_better(self) -> bool:
        """Whether the better system has the higher score."""
        return self.study.inputs.metrics[self.metric].higher_is_better

    @property
    def two(self) -> tuple[str, str]:
        """The systems A and B."""
        a, b = self.systems or self.study.pair or ("", "")
        return a, b

    @property
    def highlighted(self) -> tuple[str, ...]:
        """The systems whose lines can be told apart: those asked for, or the best; all others are thin."""
        if self.systems:
            return self.systems
        ranking = self.study.ranking(self.metric)
        return tuple(ranking) if len(ranking) <= MOST_LINES else self.two

    @property
    def tested(self) -> MetricReport | None:
        """All pairs of systems under the metric; None if there was no test."""
        comparison = self.study.comparison
        return None if comparison is None else next(one for one in comparison.metrics if one.key == self.metric)

    @property
    def direction(self) -> str:
        """The words for an axis that say which end is better."""
        return "higher is better" if self.higher_is_better else "lower is better"

    @property
    def score(self) -> str:
        """What the scores are called: as they call themselves, unless the user has named the metric."""
        known = next(iter(self.study.scores[self.metric].values()))
        return known.name if self.metric in metric_names() else self.metric

    @property
    def letters(self) -> int:
        """How many letters fit into the width of the figure, on average."""
        return int(self.look.width * POINTS / (0.58 * self.look.font_size))

    def name(self, system: str) -> str:
        """Show the name of a system: short enough, and still no other's."""
        known = list(self.study.inputs.systems)
        return self.short(known)[known.index(system)]

    def short(self, names: Sequence[object]) -> list[str]:
        """Shorten names in the middle until they leave room for the figure, unless two would become one."""
        longest = max(8, int(_NAMES * self.letters))
        while True:
            found = [_fitting(name, longest) for name in names]
            if len(set(found)) == len(names) or longest > max(len(shown(name)) for name in names):
                return found
            longest += 1

    def color(self, difference: float) -> str:
        """Choose the colour of a difference A - B."""
        if difference == 0:
            return "#808080"
        return self.look.gain if (difference > 0) == self.higher_is_better else self.look.loss

    def marker(self, difference: float) -> str:
        """Choose the marker of a difference A - B: a triangle that points to the side of the difference."""
        return "o" if difference == 0 else ">" if difference > 0 else "<"


def make_plan(
    study: Study, kind: Any, *, metric: Any = None, systems: Any = None, labels: Any = None, look: Canvas
) -> Plan:
    """Check what is wanted of a study. Nothing is counted."""
    if not isinstance(getattr(study, "inputs", None), Inputs):
        raise InputTypeError(f"{WHO}: study is {brief(study)}, expected a Study")
    known = study.inputs.systems
    kind = choice(WHO, "kind", kind, KINDS)
    metric = (
        next(iter(study.inputs.metrics))
        if metric is None
        else choice(WHO, "metric", as_written(metric, study.inputs.metrics), study.inputs.metrics)
    )
    if labels is not None and kind != "groups":
        raise OptionError(f"{WHO}: labels is {brief(labels)}, and kind={kind!r} has no groups; leave it out")
    if metric not in study.complete and kind not in OF_ALL:
        raise OptionError(f"{WHO}: scores of {metric} are missing, and kind={kind!r} shows all segments")
    if kind == "length" and not study.inputs.references:
        raise OptionError(f"{WHO}: kind='length' is about the length of references, and there are none")
    if kind == "groups" and not study.label_sets:
        raise OptionError(f"{WHO}: kind='groups' needs labels, and there are none")
    first = next(iter(study.label_sets), "")
    labels = first if labels is None else choice(WHO, "labels", labels, study.label_sets)
    if len(known) < 2 and kind in (*OF_TWO, "pairs"):
        raise TooFew(f"{WHO}: kind={kind!r} compares systems, and there is only {brief(next(iter(known)))}")
    if kind == "pairs" and study.test == "none":
        raise OptionError(f"{WHO}: kind='pairs' shows a test of all pairs, and the study has test='none'")
    given = study.inputs
    if kind == "pairs" and min(given.n, len(set(given.documents or range(2)))) < 2:
        raise TooFew(f"{WHO}: kind='pairs' shows a test of all pairs, which takes two segments or documents")
    return Plan(study, kind, metric, _systems(kind, systems, known), labels, look)


def _systems(kind: str, given: Any, known: Iterable[str]) -> tuple[str, ...]:
    if given is None:
        return ()
    if kind in OF_ALL:
        raise OptionError(f"{WHO}: systems is {brief(given)}, and kind={kind!r} shows all systems; leave it out")
    names = [choice(WHO, "systems", name, known) for name in ordered(WHO, "systems", given, "a list of names")]
    fits = len(names) == 2 if kind in OF_TWO else 1 <= len(names) <= MOST_LINES
    if not fits or len(set(names)) < len(names):
        expected = "two systems, A and B" if kind in OF_TWO else f"one to {MOST_LINES} different systems"
        raise OptionError(f"{WHO}: systems is {brief(given)}, expected {expected}")
    return tuple(names)


def read_look(size: Any, font_size: Any, gray: Any) -> Canvas:
    """Check how a figure is to look."""
    is_number = isinstance(font_size, (int, float)) and not isinstance(font_size, bool)
    if not is_number or not 3 <= font_size <= 40:
        raise OptionError(f"{WHO}: font_size is {brief(font_size)}, expected points from 3 to 40")
    check_instance(WHO, "gray", gray, bool, "True or False")
    if isinstance(size, str) and size in WIDTHS:
        return Canvas(WIDTHS[size], None, font_size, gray)
    side = r"([0-9]{1,3}(?:\.[0-9]{1,3})?)"
    found = re.fullmatch(f"{side}x{side}", size) if isinstance(size, str) else None
    if found is None or not all(2 <= float(length) <= 100 for length in found.groups()):
        expected = f"{', '.join(WIDTHS)}, or centimetres from 2 to 100, as in 8x6"
        raise OptionError(f"{WHO}: size is {brief(size)}, expected {expected}")
    return Canvas(float(found[1]), float(found[2]), font_size, gray)


# What all figures write. The `gid` of an artist is its `id` in SVG, so it holds no name. No name in a text can be taken
# for a formula or move the cursor of a user who copies it.

PLAIN: dict[str, Any] = {"parse_math": False, "usetex": False}


def _fitting(name: object, longest: int) -> str:
    """Show a name that is no wider than so many letters; those of East Asia are twice as wide."""
    for size in range(longest, 3, -1):
        text = shown(name, size)
        if sum(1 + (east_asian_width(letter) in "WF") for letter in text) <= longest:
            break
    return text


def number(value: float, scale: Sequence[float], sign: bool = False) -> str:
    """Write a number: with one decimal, or three where all scores are small.

    >>> number(-0.04, [38.4], sign=True), number(-1.25, [38.4]), number(0.8412, [0.9])
    ('0.0', '−1.2', '0.841')
    """
    decimals = 1 if max(map(abs, scale), default=0) > 2 else 3
    text = f"{value:+.{decimals}f}" if sign else f"{value:.{decimals}f}"
    return text.lstrip("+-") if float(text) == 0 else text.replace("-", "−")


def say_below(ax: Axes, plan: Plan, sentence: str, *remarks: str) -> None:
    """Label the axis below with two lines or more, each as wide as the figure at most."""
    from textwrap import wrap

    # A remark stays in one line: a space that does not break is no space for `wrap`.
    remark = f"({'; '.join(one.replace(' ', NO_BREAK) for one in remarks if one)})"
    lines = [line for text in (sentence, remark) for line in wrap(text, plan.letters, break_on_hyphens=False)]
    ax.set_xlabel("\n".join(lines), loc="right", **PLAIN)


def visible(scores: Any) -> tuple[float, float, str]:
    """Choose the ends of an axis: a few segments far away from all others would make these a dot. They are counted."""
    import numpy as np

    low, high = (float(end) for end in np.percentile(scores, [0.25, 99.75]))
    room = (high - low) / 2 or 1.0
    near = scores[(scores >= low - room) & (scores <= high + room)]
    low, high, beyond = float(near.min()), float(near.max()), scores.size - near.size
    margin = 0.03 * (high - low) or 1.0
    return low - margin, high + margin, f"{beyond} beyond the axis" if beyond else ""


def legend(ax: Axes, plan: Plan, handles: Sequence[Any], names: Sequence[str], below: bool = False) -> None:
    """Add a legend above the axes or below, where it covers nothing, with as many columns as there is room for."""
    columns = max(1, min(len(names), int(plan.letters / (max(map(len, names)) + 4))))
    place: dict[str, Any] = {"loc": "lower right", "bbox_to_anchor": (1, 1), "handlelength": 2.2}
    if below:
        place = {"loc": "upper right", "bbox_to_anchor": (1, 0), "handlelength": 1}
    spaces: dict[str, Any] = {"borderaxespad": 0.3, "columnspacing": 1, "handletextpad": 0.4}
    # Names are set afterwards: matplotlib leaves out those that begin with an underscore.
    made = ax.legend(handles, ["x"] * len(names), frameon=False, ncols=columns, **place, **spaces)
    for text, name in zip(made.get_texts(), names, strict=True):
        text.set(text=name, **PLAIN)
