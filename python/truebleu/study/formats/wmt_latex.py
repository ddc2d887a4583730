"""The official table of a shared task in LaTeX: ranks, systems and scores, with a line where a cluster ends.

It needs the package booktabs and no other macros. Columns of other files can be put beside it by system.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from truebleu._text.escape import as_latex
from truebleu._text.style import Style
from truebleu.study.formats.render import lines_for_people
from truebleu.study.results import Results, fitted


def wmt_latex_lines(results: Results, style: Style) -> Iterator[str]:
    """Write the ranking under the first metric, with the scores of all; without a test, the systems as they are.

    Segments, groups and a single system have no such table, and come as in LaTeX.
    """
    if results.is_sentence_level or results.groups or len(results.systems) == 1:
        return lines_for_people(results, style._replace(format="latex"))
    style = fitted(style, results)
    names = [score.name for score in results.systems[0].scores]
    scores = {one.name: [style.of(score.name).number(score.score) for score in one.scores] for one in results.systems}
    if results.ranking is None:
        return wmt_table(["System", *names], [[results.labels[name], *cells] for name, cells in scores.items()])
    metric = results.ranking.metrics[0]
    ranges = {one.name: rank_text(one.rank_range) for one in metric.systems}
    ends = {cluster[-1] for cluster in (metric.clusters or ())[:-1]}
    rows = [[ranges[name], results.labels[name], *scores[name]] for name in metric.order]
    return wmt_table(["Rank", "System", *names], rows, {at for at, name in enumerate(metric.order) if name in ends})


def rank_text(ranks: tuple[int, int] | None) -> str:
    """Write a range of ranks.

    >>> rank_text((1, 3)), rank_text((2, 2)), rank_text(None)
    ('1-3', '2', '')
    """
    return "" if ranks is None else "-".join(map(str, dict.fromkeys(ranks)))


def wmt_table(
    head: Sequence[str], rows: Sequence[Sequence[str]], ends: Collection[int] = (), names: int | None = None
) -> Iterator[str]:
    """Write rows with a line below those at `ends`; the column of `names` is aligned at the left."""
    left = next(at for at, one in enumerate(head) if one == "System") if names is None else names
    yield rf"\begin{{tabular}}{{{''.join('l' if at == left else 'r' for at in range(len(head)))}}}"
    yield r"\toprule"
    yield _row(head)
    yield r"\midrule"
    for at, row in enumerate(rows):
        yield _row(row)
        if at in ends:
            yield rf"\cmidrule{{1-{len(head)}}}"
    yield r"\bottomrule"
    yield r"\end{tabular}"


def _row(cells: Sequence[str]) -> str:
    texts = [*as_latex(cell.replace("\n", " ") for cell in cells)]
    if texts[0][:1] in ("[", "*"):  # after the end of a row, LaTeX takes these for an option
        texts[0] = f"{{{texts[0][0]}}}{texts[0][1:]}"
    return f"{' & '.join(texts)} \\\\"
