"""Which format a file of scores has, and reading it. A format is a row of `SCORE_FORMATS`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from typing import Any, NamedTuple
from unicodedata import normalize

from truebleu._counts import number_of
from truebleu._inputs import brief, check_path, check_text
from truebleu._logs import inform, warn
from truebleu._options import choice, yes_or_no
from truebleu._shown import shown
from truebleu._textio import COLUMNS_FORMATS, records_format
from truebleu.errors import FileFormatError, InputError, LengthMismatch, OptionError
from truebleu.scores.opened import STDIN, ReaderOptions, ScoreFile
from truebleu.scores.table import ScoreTable, listed


class ScoreFormat(NamedTuple):
    """A format: the module with the functions that recognise and read it, and what it is."""

    about: str
    module: str
    recognise: str = "recognise"
    read: str = "read"

    def function(self, name: str) -> Callable[..., Any]:
        """One of its functions."""
        found: Callable[..., Any] = getattr(import_module(f"truebleu.scores.{self.module}"), name)
        return found


# The first that recognises the beginning of a file reads it, so that the most particular ones come first.
SCORE_FORMATS = {
    "pearmut": ScoreFormat("Pearmut's annotations", "pearmut"),
    "wmt25": ScoreFormat("WMT25's scores of metrics, a file for each system", "wmt25"),
    "wmt25-people": ScoreFormat("WMT25's scores of people", "humeval"),
    "metricx": ScoreFormat("what MetricX writes, a file for each system", "metricx"),
    "comet": ScoreFormat("what comet-score --to_json writes", "comet"),
    "mqm": ScoreFormat("Google's table of MQM errors", "google_mqm"),
    "mqm-average": ScoreFormat("averages of MQM by segment", "mqm_average"),
    "appraise": ScoreFormat("Appraise's exports, DA and ESA", "appraise"),
    "table": ScoreFormat("a table with the columns system, segment, metric and score", "long_table"),
    "mtme-rating": ScoreFormat("mt-metrics-eval: a system and a rater's errors", "mtme", "is_ratings", "read_ratings"),
    "mtme": ScoreFormat("mt-metrics-eval: a system and a score per line", "mtme", "is_segments", "read_segments"),
    "mtme-domain": ScoreFormat("mt-metrics-eval: a domain, a system and a score", "mtme", "is_domains", "read_domains"),
    "plain": ScoreFormat("one number per line, a file for each system", "plain"),
}  # fmt: skip


def read(
    path: str | os.PathLike[str],
    format: str | None = None,
    *,
    encoding: str = "utf-8",
    metric: str | None = None,
    pair: str | None = None,
    missing: bool = False,
    mqm: str = "negative",
    mqm_weights: str = "google",
    canary: bool = False,
) -> ScoreTable:
    """Read a file of scores. Its format is recognised by its content.

    Parameters
    ----------
    path
        The file, compressed or not; "-" for standard input.
    format
        The name of its format, as `docs/scores.md` lists them; None to recognise it.
    encoding
        How its text is encoded.
    metric
        The name of the scores, in the place of that in the file; of a file with several metrics, the one that is read.
    pair
        The pair of languages that is read, if the file has several.
    missing
        Whether a plain file of numbers may have lines without one.
    mqm
        "negative" for MQM as in mt-metrics-eval, where higher is better, or "positive" for penalties.
    mqm_weights
        What errors cost in a table of MQM errors: "google", "wmt24", or the path of a file with a name and a number
        per line.
    canary
        Whether the first segment of a table of MQM errors is a canary that was not translated.
    """
    path = check_path("scores.read: path", path)
    choice("scores.read", "mqm", mqm, ("negative", "positive"))
    for name, text in {"encoding": encoding, "mqm_weights": mqm_weights, "metric": metric, "pair": pair}.items():
        if text is not None or name in ("encoding", "mqm_weights"):
            check_text(f"scores.read: {name}", text, "a text")
    if format is not None:
        choice("scores.read", "format", format, SCORE_FORMATS)
    wanted = ReaderOptions(
        metric, pair, yes_or_no("scores.read", "missing", missing), mqm, mqm_weights, canary=bool(canary)
    )
    if path != STDIN and records_format(path) in COLUMNS_FORMATS:
        return _from_columns(path, metric)
    return read_opened(ScoreFile(path, encoding, wanted), format)


def read_all(
    paths: Sequence[str],
    human: Sequence[str] = (),
    *,
    format: str | None = None,
    missing: str | None = None,
    files: dict[tuple[str, str], str] | None = None,
    **how: Any,
) -> dict[str, ScoreTable]:
    """Read several files, those of people first, and put their scores together, by level.

    `files` is told which file has a metric and system, where it is one file.
    """
    tables: dict[str, ScoreTable] = {}
    whose: dict[tuple[str, str, str], str] = {}
    for path in (*human, *paths):
        table = read(path, format, missing=missing is not None, **how)
        if path in human:
            table = table.replaced(columns={name: one._replace(kind="human") for name, one in table.columns.items()})
        for key in ((table.level, metric, system) for metric in table.metrics for system in table.scored(metric)):
            if not table.raters and key in whose:
                raise InputError(
                    f"{shown(path)}: {key[1]} of the system {brief(key[2])} is in {shown(whose[key])}, too; expected "
                    "one file for each, whose name is the system's where the file does not name it"
                )
            if files is not None and files.setdefault(key[1:], path) != path:
                files[key[1:]] = ""  # raters have several
            whose[key] = path
        before = tables.get(table.level)
        tables[table.level] = table if before is None else _joined(before, table, path, missing)
    for table in tables.values():
        _warn_of_twins(table.systems)
    return tables


def _joined(table: ScoreTable, other: ScoreTable, path: str, missing: str | None) -> ScoreTable:
    alone = sorted({*table.items} ^ {*other.items}) if not table.is_by_order and not other.is_by_order else []
    if alone and missing is None:
        raise LengthMismatch(
            f"{shown(path)}: {number_of(len(alone), 'item is', 'items are')} in some files only ({listed(alone)}); "
            "with --missing pairs the rest is compared"
        )
    return table.join(other)


def _warn_of_twins(systems: Sequence[str]) -> None:
    """Warn of names that only case or the form of Unicode tells apart."""
    seen: dict[str, str] = {}
    for name in systems:
        other = seen.setdefault(normalize("NFKC", name).casefold(), name)
        if other != name:
            warn("the systems %s and %s have nearly the same name: are they one?", shown(other), shown(name))


def compared_systems(table: ScoreTable, metrics: Sequence[str], exclude: Sequence[str] = ()) -> list[str]:
    """Choose the systems that have scores of the first metric; the others must have them too."""
    if unknown := [name for name in exclude if name not in table.systems]:
        raise OptionError(f"there is no system {brief(unknown[0])} to be left out, only {', '.join(table.systems)}")
    wanted = [name for name in table.scored(metrics[0]) if name not in exclude]
    for metric in metrics[1:]:
        there = set(table.scored(metric)) - set(exclude)
        if lacking := [name for name in wanted if name not in there]:
            raise InputError(
                f"{metric} has no scores of {listed(lacking)}, which {metrics[0]} has; {metric} has "
                f"{listed(sorted(there))}"
            )
        if extra := sorted(there - set(wanted)):
            inform("%s also has scores of %s, which %s has not: left out", metric, listed(extra), metrics[0])
    return wanted


def read_opened(file: ScoreFile, format: str | None = None) -> ScoreTable:
    """Read a file that is open, in a format that is known."""
    one = recognised(file) if format is None else SCORE_FORMATS[format]
    try:
        table: ScoreTable = one.function(one.read)(file)
    except InputError as error:
        if file.name not in str(error):
            error.args = (f"{file.name}: {error}",)  # of the table, which does not know the file
        raise
    return table


def recognised(file: ScoreFile) -> ScoreFormat:
    """Find the format of a file by its content."""
    for one in SCORE_FORMATS.values():
        if one.function(one.recognise)(file):
            return one
    raise FileFormatError(
        f"{file.name}: this is no file of scores that is known; the formats are {', '.join(SCORE_FORMATS)} "
        "(--scores-format names one)"
    )


def _from_columns(path: str, metric: str | None) -> ScoreTable:
    """Read a Parquet or Arrow file."""
    from truebleu._arrow import read as batches
    from truebleu.columns.parquet import file_batches, file_schema
    from truebleu.scores.long_table import from_rows

    names = list(file_schema(path).names)

    def rows() -> Iterator[Mapping[str, Any]]:
        for part in (part for batch in file_batches(path) for part in batches(batch)):
            for cells in zip(*(part.values(name) for name in names), strict=True):
                yield dict(zip(names, cells, strict=True))

    return from_rows(shown(path), names, enumerate(rows(), 1), metric)
