"""Make a figure of a study, or a file of it: the same numbers give the same bytes each time."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from truebleu._atomic import check_targets, write_whole
from truebleu._inputs import check_instance, check_path
from truebleu._logs import warn
from truebleu._shown import shown
from truebleu.errors import MissingDependency, OptionError
from truebleu.study.plot import difference, ecdf, groups, length, pairs, ranking, scatter
from truebleu.study.plot.plan import CENTIMETRES, FORMATS, POINTS, WHO, Canvas, Plan, make_plan, read_look

if TYPE_CHECKING:
    import os

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from truebleu.study.study import Study

_DRAW: dict[str, Callable[[Axes, Plan], None]] = {
    "ranking": ranking.draw, "pairs": pairs.draw, "groups": groups.draw, "ecdf": ecdf.draw, "scatter": scatter.draw,
    "length": length.draw, "difference": difference.draw,
}  # fmt: skip

# Whose letters are taken where those of matplotlib's own font end, as far as they are installed.
_MORE_FONTS = (
    "Noto Sans CJK SC", "Noto Sans CJK JP", "Noto Sans CJK KR", "Source Han Sans SC", "WenQuanYi Zen Hei",
    "Droid Sans Fallback", "PingFang SC", "Hiragino Sans", "Microsoft YaHei", "Yu Gothic", "Malgun Gothic",
    "Noto Sans Arabic", "Noto Sans Hebrew", "Noto Sans Devanagari", "Noto Sans Thai", "Arial Unicode MS",
)  # fmt: skip


def draw(
    study: Study,
    kind: str,
    *,
    metric: str | None = None,
    systems: Iterable[str] | None = None,
    labels: str | None = None,
    ax: Axes | None = None,
    size: str = "acl1",
    font_size: float = 8.0,
    gray: bool = False,
) -> Axes:
    """Draw a figure of a study with matplotlib, and return its axes.

    Parameters
    ----------
    study
        Where the numbers come from.
    kind, metric, systems, labels, ax, size, font_size, gray
        As in `Study.plot`.
    """
    plan = make_plan(study, kind, metric=metric, systems=systems, labels=labels, look=read_look(size, font_size, gray))
    need_matplotlib()
    if ax is None:
        with _style(plan.look):
            return _new_figure(plan).axes[0]
    from matplotlib.axes import Axes

    check_instance(WHO, "ax", ax, Axes, "axes of matplotlib")
    _DRAW[plan.kind](ax, plan)
    return ax


def save(
    study: Study,
    kind: str,
    path: str | os.PathLike[str],
    *,
    metric: str | None = None,
    systems: Iterable[str] | None = None,
    labels: str | None = None,
    size: str = "acl1",
    font_size: float = 8.0,
    gray: bool = False,
) -> None:
    """Write a figure of a study to a file, whole or not at all: no title, no date, fonts embedded.

    Parameters
    ----------
    study
        Where the numbers come from.
    path
        The file; its name ends in .pdf, .svg or .png.
    kind, metric, systems, labels, size, font_size, gray
        As in `Study.plot`.
    """
    target = check_target(path)
    plan = make_plan(study, kind, metric=metric, systems=systems, labels=labels, look=read_look(size, font_size, gray))
    need_matplotlib()
    form, made = target.suffix[1:].lower(), io.BytesIO()
    undated: dict[str, dict[str, Any]] = {"pdf": {"CreationDate": None}, "svg": {"Date": None}, "png": {}}
    with _style(plan.look):
        _new_figure(plan).savefig(made, format=form, dpi=300, metadata=undated[form])
    write_whole(target, made.getvalue())


def check_target(path: Any) -> Path:
    """Check the name of a file before any work is done for it."""
    target = Path(check_path(f"{WHO}: path", path))
    if target.suffix.lower() not in FORMATS:
        raise OptionError(f"{WHO}: the path of the figure is {shown(target)}, expected a name in {', '.join(FORMATS)}")
    check_targets([target], overwrite=True)
    return target


def need_matplotlib() -> None:
    """Raise MissingDependency where matplotlib is not installed."""
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError as error:
        raise MissingDependency(f'plots need matplotlib ({error}): pip install "truebleu[plot]"') from error


@contextmanager
def _style(look: Canvas) -> Iterator[None]:
    """Our own settings, whatever the user's file of settings says; letters that no font has are told once."""
    from matplotlib import font_manager, style

    installed = {font.name for font in font_manager.fontManager.ttflist}
    size, thin = look.font_size, 0.6
    settings = {
        "font.family": ["DejaVu Sans", *(name for name in _MORE_FONTS if name in installed)],
        "font.size": size, "axes.labelsize": size, "xtick.labelsize": size, "ytick.labelsize": size,
        "legend.fontsize": size, "axes.linewidth": thin, "xtick.major.width": thin, "ytick.major.width": thin,
        "axes.spines.top": False, "axes.spines.right": False, "lines.linewidth": 1.2, "lines.markersize": size / 2,
        "pdf.fonttype": 42, "svg.hashsalt": "truebleu", "path.simplify": False,
    }  # fmt: skip
    with style.context(["default", settings]), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    missing = []
    for one in caught:
        if found := re.match(r"Glyph (\d+) ", str(one.message)):
            missing.append(chr(int(found[1])))
        elif "layout" in str(one.message):
            warn("the figure is too small for its text: choose a larger size, or smaller letters")
        else:
            warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
    if missing:
        letters = "".join(dict.fromkeys(missing))
        warn("the figure has boxes for letters that no installed font has: %s", shown(letters, 40))


def _new_figure(plan: Plan) -> Figure:
    from matplotlib.figure import Figure

    look = plan.look
    height = _height(plan) if look.height is None else look.height
    figure = Figure(figsize=(look.width / CENTIMETRES, height / CENTIMETRES), layout="constrained")
    _DRAW[plan.kind](figure.subplots(), plan)
    return figure


def _height(plan: Plan) -> float:
    """Centimetres that leave room for a line of text in each row, or those of a picture of usual form."""
    line, systems = plan.look.font_size / POINTS, len(plan.study.inputs.systems)
    if plan.kind == "ranking":
        return line * (1.6 * systems + 7)
    if plan.kind == "pairs":
        return line * ((2.3 if pairs.has_numbers(plan) else 1.5) * systems + 7)
    if plan.kind == "groups":
        return line * (1.7 * groups.count(plan) + 8)
    if plan.kind == "scatter" and plan.look.width < 10:
        return plan.look.width
    return plan.look.width * (0.75 if plan.look.width < 10 else 0.45) + 3 * line
