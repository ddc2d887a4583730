"""Formats for programs: JSON, JSON lines, CSV, TSV.

All of them hold *score objects*, at full precision: one for each system and metric, at sentence level for each segment.
`docs/command-line.md` describes them. The JSON of sacreBLEU 2.6.0 is here too, byte for byte.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from truebleu._text.escape import spreadsheet_cell
from truebleu._text.style import Style
from truebleu.study.formats.lines import line, sentence_lines
from truebleu.study.results import Outcome, Results, SystemOutcomes, baseline_label

if TYPE_CHECKING:
    from truebleu.significance.results import Comparison

_SCHEMA = 1
_COLUMNS = ("system", "segment", "name", "score", "mean", "half_width", "p_value", "adjusted_p_value", "signature")
_PAIR_COLUMNS = ("baseline", "system", "delta", "p_value", "adjusted_p_value", "significant", "winner")


def json_lines(results: Results, style: Style) -> Iterator[str]:
    """Write one score object if there is one score, a list of them otherwise; a ranking is one object."""
    if results.comparison is not None:
        found: Any = {"schema": _SCHEMA, **_with_paths(results, results.comparison).to_dict()}
    else:
        found = [fields["score"] if style.score_only else fields for fields in _score_objects(results)]
        if len(found) == 1 and not results.is_sentence_level:
            found = found[0]
    yield _json(found, indent=1)


def jsonl_lines(results: Results, style: Style) -> Iterator[str]:
    """Write a score object a line; in a ranking, a pair a line."""
    if results.comparison is not None:
        objects: Iterator[Any] = ({"schema": _SCHEMA, **pair} for pair in _pair_objects(results, results.comparison))
    else:
        objects = (fields["score"] if style.score_only else fields for fields in _score_objects(results))
    yield from (_json(fields) for fields in objects)


def csv_lines(results: Results, style: Style) -> Iterator[str]:
    """Write a header, and a row for each score or, in a ranking, for each pair."""
    return _delimited(results, ",")


def tsv_lines(results: Results, style: Style) -> Iterator[str]:
    """Write the table of `csv_lines` with tabs."""
    return _delimited(results, "\t")


def sacrebleu_lines(results: Results, style: Style) -> Iterator[str]:
    """Write what sacreBLEU 2.6.0 prints with `-f json`."""
    if results.is_sentence_level:
        yield from sentence_lines(results, style)
    elif results.comparison is not None or results.groups:
        yield from json_lines(results, style)
    elif len(results.systems) > 1 or results.test:
        yield json.dumps([_sacrebleu_system(system, results, style) for system in results.systems], indent=4)
    else:
        texts = [_sacrebleu_score(outcome, style) for outcome in results.systems[0].outcomes]
        yield texts[0] if len(texts) == 1 else "[\n" + ",\n".join(texts) + "\n]"


def _score_objects(results: Results) -> Iterator[dict[str, Any]]:
    """Make a dictionary of each score; with groups, of each score of a group too."""
    for group in (*results.groups, *results.details):
        key = {} if group.key is None else {"key": {name: _plain(value) for name, value in group.key.items()}}
        place: dict[str, Any] = {"group": {"label": group.label, "segments": group.segments, **key}}
        for system, outcomes in zip(results.systems, group.systems, strict=True):
            yield from (_score_object({"system": system.path}, outcome) | place for outcome in outcomes)
    for system in results.systems:
        if results.is_sentence_level:
            for number, outcomes in results.numbered(system):
                place = {"system": system.path, "segment": number}
                yield from (_score_object(place, outcome) for outcome in outcomes)
        else:
            told: dict[str, Any] = {}
            if system.diagnosis is not None:
                told["findings"] = [one.to_dict() for one in system.diagnosis.findings]
            if results.smallest_p_value is not None:
                told["smallest_p_value"] = results.smallest_p_value
            for outcome in system.outcomes:
                yield _score_object({"system": system.path}, outcome) | told | _segmentation(system, outcome)


def _segmentation(system: SystemOutcomes, outcome: Outcome) -> dict[str, Any]:
    if system.segmentation is None:
        return {}
    effect = {"effect": system.segmentation["effect"].get(outcome.name)}
    return {"segmentation": {**system.segmentation, **effect}}


def _score_object(place: dict[str, Any], outcome: Outcome) -> dict[str, Any]:
    fields = {"schema": _SCHEMA, **place, "name": outcome.name, "score": outcome.score}
    fields["signature"] = str(outcome.signature)
    if outcome.mean is not None:
        fields["confidence"] = {"mean": outcome.mean, "half_width": outcome.half_width, "level": 0.95}
    for key in ("p_value", "adjusted_p_value"):
        if getattr(outcome, key) is not None:
            fields[key] = getattr(outcome, key)
    if outcome.verbose:
        fields["verbose_score"] = outcome.verbose
    return fields | dict(outcome.parts) | {"settings": outcome.signature.fields()}


def _plain(value: Any) -> Any:
    """A value that JSON has; others, such as dates, become text."""
    return value if isinstance(value, str | int | None) else str(value)


def _pair_objects(results: Results, comparison: Comparison) -> Iterator[dict[str, Any]]:
    for metric in _with_paths(results, comparison).metrics:
        for pair in metric.pairs:
            found = {column: getattr(pair, column) for column in _PAIR_COLUMNS}
            yield {"metric": metric.name, **found, "signature": str(metric.signature)}


def _with_paths(results: Results, comparison: Comparison) -> Comparison:
    """Call systems by their paths, which a program can find again."""
    paths: dict[str | None, str] = {system.name: system.path for system in results.systems}
    metrics = []
    for metric in comparison.metrics:
        systems = tuple(replace(system, name=paths[system.name]) for system in metric.systems)
        pairs = tuple(
            replace(pair, baseline=paths[pair.baseline], system=paths[pair.system], winner=paths.get(pair.winner))
            for pair in metric.pairs
        )
        clusters = tuple(tuple(paths[name] for name in cluster) for cluster in metric.clusters or ())
        metrics.append(replace(metric, systems=systems, pairs=pairs, clusters=clusters))
    return replace(comparison, systems=tuple(paths[name] for name in comparison.systems), metrics=tuple(metrics))


def _delimited(results: Results, delimiter: str) -> Iterator[str]:
    import csv
    import io

    for row in _rows(results):
        text = io.StringIO()
        # What ends a line decides what is quoted.
        csv.writer(text, delimiter=delimiter, lineterminator="\r\n").writerow([spreadsheet_cell(cell) for cell in row])
        yield text.getvalue().removesuffix("\r\n")


def _rows(results: Results) -> Iterator[Sequence[Any]]:
    if results.comparison is not None:
        yield ("metric", *_PAIR_COLUMNS, "signature")
        yield from (tuple(pair.values()) for pair in _pair_objects(results, results.comparison))
        return
    has_groups = bool(results.groups or results.details)
    yield ("group", "segments", *_COLUMNS) if has_groups else _COLUMNS
    for fields in _score_objects(results):
        flat = fields | fields.get("confidence", {})
        group = fields.get("group", {"label": "", "segments": ""})
        cells = [flat.get(column, "") for column in _COLUMNS]
        yield [group["label"], group["segments"], *cells] if has_groups else cells


def _sacrebleu_system(system: SystemOutcomes, results: Results, style: Style) -> dict[str, Any]:
    is_baseline = bool(results.test) and system is results.systems[0]
    fields: dict[str, Any] = {"system": baseline_label(system.path) if is_baseline else system.path}
    for outcome in system.outcomes:
        fields[outcome.name] = (
            {"score": outcome.score, "p_value": outcome.p_value, "mean": outcome.mean, "ci": outcome.half_width}
            if results.test
            else style.number(outcome.score)
        )
    return fields


def _sacrebleu_score(outcome: Outcome, style: Style) -> str:
    if style.score_only:
        return line(outcome, style)
    number = style.number
    fields: dict[str, Any] = {
        "name": outcome.name,
        "score": float(number(outcome.score)),
        "signature": str(outcome.signature),
    }
    if outcome.mean and outcome.half_width is not None:
        fields["confidence_mean"] = float(number(outcome.mean))
        fields["confidence_var"] = float(number(outcome.half_width))
        fields["confidence"] = f"μ = {number(outcome.mean)} ± {number(outcome.half_width)}"
    if outcome.verbose:
        fields["verbose_score"] = outcome.verbose
    return _json(fields | outcome.signature.fields(), indent=1)


def _json(value: Any, indent: int | None = None) -> str:
    """Write JSON that any stream takes: bytes of a file name that are no text become escapes."""
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    return re.sub("[\ud800-\udfff]", lambda found: f"\\u{ord(found[0]):04x}", text)
