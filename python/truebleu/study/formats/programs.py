"""Formats for programs: JSON, JSON lines, CSV, TSV.

All of them hold *score objects*, at full precision: one for each system and metric, at sentence level for each segment.
`docs/command-line.md` describes them. The JSON of sacreBLEU 2.6.0 is here too, byte for byte.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from truebleu._shown import json_text, shown
from truebleu._text.escape import spreadsheet_cell
from truebleu._text.p_values import without_nan
from truebleu._text.style import Style
from truebleu.metrics.score import Score
from truebleu.study.formats.lines import line, sentence_lines
from truebleu.study.results import Results, SystemScores, baseline_label, signature_of

if TYPE_CHECKING:
    from truebleu.significance.results import Comparison, PairReport

_SCHEMA = 1
_COLUMNS = ("system", "segment", "name", "score", "mean", "half_width", "p_value", "adjusted_p_value", "signature")
_OF_A_PAIR = (
    "p_value", "adjusted_p_value", "p_value_with_ties", "smallest_shown", "needed", "equivalence", "strata",
    "human_accuracy", "human_accuracy_source",
)  # fmt: skip
_PAIR_COLUMNS = ("baseline", "system", "delta", "p_value", "adjusted_p_value", "significant", "winner")


def json_lines(results: Results, style: Style) -> Iterator[str]:
    """Write one score object if there is one score, a list of them otherwise; a ranking is one object."""
    if results.ranking is not None:
        found: Any = {"schema": _SCHEMA, **_with_paths(results, results.ranking).to_dict()}
    else:
        found = [fields["score"] if style.score_only else fields for fields in _score_objects(results)]
        if len(found) == 1 and not results.is_sentence_level:
            found = found[0]
    yield json_text(found, indent=1)


def jsonl_lines(results: Results, style: Style) -> Iterator[str]:
    """Write one score object per line; in a ranking, one pair per line."""
    if results.ranking is not None:
        objects: Iterator[Any] = ({"schema": _SCHEMA, **pair} for pair in _pair_objects(results, results.ranking))
    else:
        objects = (fields["score"] if style.score_only else fields for fields in _score_objects(results))
    yield from (json_text(fields) for fields in objects)


def csv_lines(results: Results, style: Style) -> Iterator[str]:
    """Write a header, and a row for each score or, in a ranking, for each pair."""
    return _delimited(results, ",", style)


def tsv_lines(results: Results, style: Style) -> Iterator[str]:
    """Write the table of `csv_lines` with tabs."""
    return _delimited(results, "\t", style)


def sacrebleu_lines(results: Results, style: Style) -> Iterator[str]:
    """Write what sacreBLEU 2.6.0 prints with `-f json`."""
    if results.is_sentence_level:
        yield from sentence_lines(results, style)
    elif results.ranking is not None or results.groups:
        yield from json_lines(results, style)
    elif len(results.systems) > 1 or results.test:
        yield json.dumps([_sacrebleu_system(*one, results, style) for one in results.tested()], indent=4)
    else:
        texts = [_sacrebleu_score(score, style) for score in results.systems[0].scores]
        yield texts[0] if len(texts) == 1 else "[\n" + ",\n".join(texts) + "\n]"


def _score_objects(results: Results) -> Iterator[dict[str, Any]]:
    """Make a dictionary of each score; with groups, of each score of a group too."""
    for group in (*results.groups, *results.details):
        key = {} if group.key is None else {"key": {name: _plain(value) for name, value in group.key.items()}}
        place: dict[str, Any] = {"group": {"label": group.label, "segments": group.segments, **key}}
        for system, scores in zip(results.systems, group.systems, strict=True):
            yield from (_score_object({"system": system.path}, score) | place for score in scores)
    for system, tested in results.tested():
        if results.is_sentence_level:
            for number, scores in results.numbered(system):
                place = {"system": system.path, "segment": number}
                yield from (_score_object(place, score) for score in scores)
        else:
            told: dict[str, Any] = {}
            if system.diagnosis is not None:
                told["findings"] = [one.to_dict() for one in system.diagnosis.findings]
            if results.smallest_p_value is not None:
                told["smallest_p_value"] = results.smallest_p_value
            if results.test is not None and results.test.correction:
                told["corrected"] = {key: getattr(results.test, key) for key in ("family", "n_families", "n_tests")}
            for at, (score, pair) in enumerate(tested):
                words = {} if pair is None else _difference(results, at, pair)
                words = words | told | results.more.get((system.name, score.name), {})
                yield _score_object({"system": system.path}, score, pair) | words | _segmentation(system, score)


def _difference(results: Results, at: int, pair: PairReport) -> dict[str, Any]:
    """The difference to the baseline, with its interval and in words."""
    from truebleu.significance.sentences import sentence

    assert results.comparison is not None
    explained = {} if pair.explained is None else {"explained": vars(pair.explained)}
    words = sentence(results.comparison.metrics[at], pair)
    return {"delta": pair.delta, "interval": pair.interval, **explained, "sentence": words}


def _segmentation(system: SystemScores, score: Score) -> dict[str, Any]:
    if system.segmentation is None:
        return {}
    effect = {"effect": system.segmentation["effect"].get(score.name)}
    return {"segmentation": {**system.segmentation, **effect}}


def _score_object(place: dict[str, Any], score: Score, pair: PairReport | None = None) -> dict[str, Any]:
    signature = signature_of(score)
    fields = {"schema": _SCHEMA, **place, "name": score.name, "score": score.score, "signature": str(signature)}
    if score.confidence is not None:
        fields["confidence"] = {**score.confidence._asdict(), "level": 0.95}
    known = {} if pair is None else pair.to_dict()
    fields |= {key: known[key] for key in _OF_A_PAIR if known.get(key) not in (None, ())}
    if score.verbose:
        fields["verbose_score"] = score.verbose
    return fields | score.parts() | {"settings": signature.fields()}


def _plain(value: Any) -> Any:
    """A value that JSON has; others, such as dates, become text."""
    return value if isinstance(value, str | int | None) else str(value)


def _pair_objects(results: Results, comparison: Comparison) -> Iterator[dict[str, Any]]:
    from truebleu.significance.sentences import sentence

    for metric in _with_paths(results, comparison).metrics:
        for pair in metric.pairs:
            found = {column: without_nan(getattr(pair, column)) for column in _PAIR_COLUMNS}
            low, high = pair.interval or (None, None)
            more = {"signature": str(metric.signature), "low": low, "high": high, "sentence": sentence(metric, pair)}
            yield {"metric": metric.name, **found, **more}


def _with_paths(results: Results, comparison: Comparison) -> Comparison:
    """Call systems by their paths, which a program can find again."""
    paths: dict[str | None, str] = {system.name: system.path for system in results.systems}
    metrics = []
    for metric in comparison.metrics:
        systems = tuple(replace(system, name=paths[system.name]) for system in metric.systems)
        pairs = tuple(
            replace(
                pair, baseline=paths[pair.baseline], system=paths[pair.system], winner=paths.get(pair.winner),
                strata=tuple(replace(one, winner=paths.get(one.winner)) for one in pair.strata),
            )
            for pair in metric.pairs
        )  # fmt: skip
        clusters = tuple(tuple(paths[name] for name in cluster) for cluster in metric.clusters or ())
        metrics.append(replace(metric, systems=systems, pairs=pairs, clusters=clusters))
    return replace(comparison, systems=tuple(paths[name] for name in comparison.systems), metrics=tuple(metrics))


def _delimited(results: Results, delimiter: str, style: Style) -> Iterator[str]:
    import csv
    import io
    import sys

    for row in _rows(results):
        if style.columns:  # it goes to a terminal, on which a name must not act
            row = [shown(cell, sys.maxsize) if isinstance(cell, str) else cell for cell in row]
        text = io.StringIO()
        # What ends a line decides what is quoted.
        csv.writer(text, delimiter=delimiter, lineterminator="\r\n").writerow([spreadsheet_cell(cell) for cell in row])
        yield text.getvalue().removesuffix("\r\n")


def _rows(results: Results) -> Iterator[Sequence[Any]]:
    if results.ranking is not None:
        yield ("metric", *_PAIR_COLUMNS, "signature", "low", "high", "sentence")
        yield from (tuple(pair.values()) for pair in _pair_objects(results, results.ranking))
        return
    has_groups = bool(results.groups or results.details)
    yield ("group", "segments", *_COLUMNS) if has_groups else _COLUMNS
    for fields in _score_objects(results):
        flat = fields | fields.get("confidence", {})
        group = fields.get("group", {"label": "", "segments": ""})
        cells = [flat.get(column, "") for column in _COLUMNS]
        yield [group["label"], group["segments"], *cells] if has_groups else cells


def _sacrebleu_system(
    system: SystemScores, tested: list[tuple[Score, PairReport | None]], results: Results, style: Style
) -> dict[str, Any]:
    is_baseline = bool(results.test) and system is results.systems[0]
    fields: dict[str, Any] = {"system": baseline_label(system.path) if is_baseline else system.path}
    for score, pair in tested:
        mean, half_width = score.confidence or (None, None)
        p_value = None if pair is None else pair.p_value
        fields[score.name] = (
            {"score": score.score, "p_value": p_value, "mean": mean, "ci": half_width}
            if results.test
            else style.number(score.score)
        )
    return fields


def _sacrebleu_score(score: Score, style: Style) -> str:
    if style.score_only:
        return line(score, style)
    number, signature = style.number, signature_of(score)
    fields: dict[str, Any] = {"name": score.name, "score": float(number(score.score)), "signature": str(signature)}
    if score.confidence is not None and score.confidence.mean:
        mean, half_width = map(number, score.confidence)
        fields["confidence_mean"], fields["confidence_var"] = float(mean), float(half_width)
        fields["confidence"] = f"μ = {mean} ± {half_width}"
    if score.verbose:
        fields["verbose_score"] = score.verbose
    return json_text(fields | signature.fields(), indent=1)
