"""Is a receipt true? Levels, each of which needs more: the file, its arithmetic, the references, the texts, and for
scores from elsewhere their files.

A receipt is a commitment, not a proof. A person who invents rows can make a receipt that passes the first three levels,
but must then be able to show a text with that hash and those rows.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from truebleu._counts import number_of
from truebleu._inputs import brief, check_instance, check_path, check_texts
from truebleu._shown import shown
from truebleu.dataset.sets import TestSet
from truebleu.errors import InputTypeError, TruebleuError
from truebleu.metrics.external import ExternalMetric
from truebleu.metrics.known import other_metric
from truebleu.metrics.names import as_written
from truebleu.receipts.file import OF_SETS, hash_texts, references_of
from truebleu.receipts.rescoring import check_again
from truebleu.receipts.rows import differs, other_rows, row_labels, summed
from truebleu.receipts.units import in_units
from truebleu.version import __version__

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from truebleu.metrics import Metric
    from truebleu.receipts.receipt import Receipt
    from truebleu.stats import Stats

    Streams = list[list[str | None]]

LEVELS = {1: "whole", 2: "arithmetic", 3: "references", 4: "text", 5: "scores"}


@dataclass(frozen=True)
class Verification:
    """The result of checking a receipt.

    Parameters
    ----------
    levels
        The levels that were checked, and whether they hold: 1 the file is whole, 2 its arithmetic is right, 3 the
        references are the same, 4 the texts are the same, 5 the files of scores from elsewhere are the same, and
        learned metrics give the same scores here.
    problems
        The faults; each names the field.
    notes
        Further information, such as why a level was not checked.
    """

    levels: dict[int, bool]
    problems: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """Whether every check that could be made passed."""
        return not self.problems

    def __bool__(self) -> bool:
        return self.holds


def verify(
    receipt: Receipt,
    references: TestSet | Iterable[Iterable[str | None]] | None = None,
    hypotheses: Iterable[str] | Mapping[Hashable, str] | None = None,
    key: bytes | None = None,
    documents: Iterable[Hashable] | None = None,
    scores: Mapping[str, str] | None = None,
    answers: str | None = None,
    sources: Iterable[str] | None = None,
    rescore: Mapping[str, str] | bool = False,
) -> Verification:
    """Check everything that can be checked with the given data."""
    check_instance("Receipt.verify", "rescore", rescore, (Mapping, bool), "true, or a model for each learned metric")
    check_instance("Receipt.verify", "scores", scores, (Mapping, type(None)), "a path for each metric from elsewhere")
    check_instance("Receipt.verify", "key", key, (bytes, type(None)), "the bytes of a secret")
    given: Any = hypotheses
    if isinstance(given, Mapping):
        texts_of = check_texts("Receipt.verify", "hypotheses", list(given.values()))
        given = dict(zip(given, texts_of, strict=True))
    elif given is not None:
        given = list(check_texts("Receipt.verify", "hypotheses", given))
    notes: list[str] = []
    streams, texts = in_units(receipt, references, given, documents, key, notes)
    if receipt.about["tool"]["version"] != __version__:
        notes.append(f"made by truebleu {shown(receipt.about['tool']['version'])}, checked by {__version__}")
    metrics: dict[str, Metric[Any]] = {}
    found = {1: list[str](), 2: list(_arithmetic(receipt, metrics))}
    if streams is not None:
        found[3] = list(_hashes_of_references(receipt, streams, key, notes))
        if isinstance(references, TestSet) and not found[3]:
            found[3] += _test_set(receipt, references)
        if not found[3]:
            found[3] = [line for name, metric in metrics.items() for line in _lengths(receipt, name, metric, streams)]
        other = _other_version(receipt, references)
        (found[3] if found[3] else notes).extend(other)
    scores = {as_written(name, receipt.stats): path for name, path in (scores or {}).items()}
    external = [name for name, stats in receipt.stats.items() if stats.fingerprint["metric"] == "external"]
    elsewhere = [shown(name) for name in external if name not in scores]
    if elsewhere:
        notes.append(f"scores from elsewhere were not computed again: {', '.join(elsewhere)}")
    if scores:
        from truebleu.receipts.score_files import ScoreCheck, check_file

        checked = ScoreCheck([], notes)
        for name, path in scores.items():
            check_file(receipt, name, path, key, checked)
        if checked.problems or checked.compared == len(scores):
            found[5] = checked.problems
    if answers is not None:
        from truebleu.receipts.answers import check_answers

        found[5] = [*found.get(5, []), *check_answers(receipt, check_path("Receipt.verify: answers", answers))]
    if sources is None and isinstance(references, TestSet) and "src" in references.fields:
        sources = references.source
    translated = None if sources is None else check_texts("Receipt.verify", "sources", sources)
    models = (
        None
        if rescore is False
        else {as_written(name, receipt.stats): place for name, place in rescore.items()}
        if isinstance(rescore, Mapping)
        else {}
    )
    for differences in check_again(receipt, texts, streams, translated, models, notes):
        found[5] = [*found.get(5, []), *differences]
    if texts is not None:
        found[4] = list(_hash_of_texts(receipt, texts, key, notes))
        if translated is not None and "source" in receipt.about["inputs"]:
            found[4] += _hash("inputs.source", receipt.about["inputs"]["source"], translated, key, notes)
        if references is None and references_of(receipt.about):
            notes.append("the rows were not counted again, because the references are not given")
        elif not found[4] and not found.get(3):
            counted_rows = ((name, metric.stats(texts, streams)) for name, metric in metrics.items())
            found[4] = [line for name, stats in counted_rows for line in _rows(receipt, name, stats)]
    # A hash that could not be compared proves nothing, even if nothing contradicts it.
    kept = receipt.about["inputs"]
    is_keyed = {3: any(one["hash"].startswith("hmac-") for one in references_of(receipt.about))}
    is_keyed[4] = kept.get("hypotheses", "").startswith("hmac-")
    unknown = {level for level, keyed in is_keyed.items() if keyed and key is None and not found.get(level)}
    unknown |= {4} if streams is None and references_of(receipt.about) and not found.get(4) else set()
    found = dict(sorted(found.items()))
    levels = {level: not problems for level, problems in found.items() if level not in unknown}
    return Verification(levels, tuple(line for lines in found.values() for line in lines), tuple(notes))


# Level 2.


def first_false(receipt: Receipt, names: Collection[str]) -> str | None:
    """The first fault in the arithmetic of some rows, or None."""
    return next(_arithmetic(receipt, {}, names), None)


def _arithmetic(
    receipt: Receipt, metrics: dict[str, Metric[Any]], names: Collection[str] | None = None
) -> Iterator[str]:
    """Compute everything from the rows again; the metrics of the rows are added to `metrics`."""
    for at, entry in enumerate(receipt.about["metrics"]):
        if names is not None and entry["name"] not in names:
            continue
        where, stats = f"metrics[{at}] ({shown(entry['name'])})", receipt.stats[entry["name"]]
        try:
            metric = receipt.metric(entry["name"])
            stats.require(metric.fingerprint(), f"{where}: fingerprint and options", metric.columns)
            other = None if isinstance(metric, ExternalMetric) else other_metric(entry["name"], metric)
            if other is not None:
                yield f"{where}.name is that of {other}, and the rows are of {metric.name}"
            if stats.references[1] > len(references_of(receipt.about)):
                yield f"{where}.references is {list(stats.references)}, more than inputs.references has"
            bad = metric.impossible_rows(stats, summed=receipt.rows_of != "segments")
            yield from (f"{where}.data: in row {row}, {what}" for row, what in bad)
            if not bad:
                yield from _score(where, entry, metric, stats, receipt.about["tool"]["version"])
            if isinstance(metric, ExternalMetric):
                _ = metric.notice(stats).rows  # raises if the signs of scores contradict the direction
            elif not metric.is_learned:  # whose model is not asked again
                metrics[entry["name"]] = metric
        except TruebleuError as error:
            yield f"{where}: {error}"


def _score(where: str, entry: dict[str, Any], metric: Metric[Any], stats: Stats, version: str) -> Iterator[str]:
    interval = entry.get("interval")
    again = metric.score(stats, interval["n"], seed=interval["seed"]) if interval else metric.score(stats)
    if again.score != entry["score"]:
        yield f"{where}.score is {entry['score']!r}, and the rows give {again.score!r}"
    parts = json.loads(json.dumps(again.parts()))
    for key, value in parts.items():
        if entry["parts"].get(key) != value:
            yield f"{where}.parts.{key} is {brief(entry['parts'].get(key))}, and the rows give {brief(value)}"
    for key in entry["parts"].keys() - parts.keys():
        yield f"{where}.parts.{shown(key)} is not a part of {metric.name}, expected {', '.join(parts) or 'no parts'}"
    for key, value in again.confidence._asdict().items() if interval and again.confidence is not None else ():
        if interval and interval[key] != value:
            yield f"{where}.interval.{key} is {interval[key]!r}, and the rows give {value!r}"
    wanted = str(again.signature).rpartition("version:")[0] + f"version:truebleu-{version}"
    if entry["signature"] != wanted:
        yield f"{where}.signature is {brief(entry['signature'], 200)}, and the options give {brief(wanted, 200)}"


# Level 3.


def _hashes_of_references(receipt: Receipt, streams: Streams, key: bytes | None, notes: list[str]) -> Iterator[str]:
    kept, n = references_of(receipt.about), receipt.about["segments"]
    if len(kept) != len(streams):
        yield f"inputs.references has {len(kept)} of them, and {len(streams)} are given"
        return
    for at, (one, stream) in enumerate(zip(kept, streams, strict=True)):
        where = f"inputs.references[{at}] ({shown(one['label'])})"
        if len(stream) != n:
            yield f"segments is {n}, and reference {at} ({shown(one['label'])}) has {number_of(len(stream), 'line')}"
        else:
            yield from _hash(where, one["hash"], stream, key, notes)


def _hash(where: str, kept: str, texts: Iterable[str | None], key: bytes | None, notes: list[str]) -> Iterator[str]:
    is_keyed = kept.startswith("hmac-")
    if is_keyed and key is None:
        notes.append(f"{where}: its hash has a key, which is not given, so it was not compared")
        return
    again = hash_texts(texts, key if is_keyed else None)
    if again != kept:
        yield f"{where}: its hash is {kept[:32]}..., that of the texts given is {again[:32]}..."


def _test_set(receipt: Receipt, test_set: TestSet) -> Iterator[str]:
    kept = receipt.about.get("test_set")
    if kept is None:
        return
    for key, field in OF_SETS.items():
        ours, theirs = kept.get(field), test_set.signature_fields.get(key)
        if ours != theirs:
            yield f"test_set.{field} is {brief(ours)}, that of the test set given is {brief(theirs)}"
    if kept["content"] != content_of(test_set):
        yield "test_set.content is not the hash of the test set given: sources or documents differ"


def _other_version(receipt: Receipt, references: Any) -> list[str]:
    """A note if the given test set has another version, which may explain why hashes differ."""
    known = receipt.about.get("test_set")
    if known is None or not isinstance(references, TestSet) or known.get("set_version") == references.version:
        return []
    kept, ours = brief(known.get("set_version")), brief(references.version)
    return [f"test_set.set_version is {kept}, that of the test set given is {ours}"]


def content_of(test_set: TestSet) -> str:
    """Hash the sources, references and documents of a test set."""
    if not isinstance(test_set, TestSet):
        raise InputTypeError(f"content_of: test_set is {brief(test_set)}, expected a test set that testset() opened")
    columns = [test_set.source] if "src" in test_set.fields else []
    columns += [*test_set.references, *([test_set.documents] if "docid" in test_set.fields else [])]
    return hash_texts([], None, *columns)


def _lengths(receipt: Receipt, name: str, metric: Metric[Any], streams: Streams) -> Iterator[str]:
    """Count the columns that depend on the references alone, and compare."""
    stats, labels = receipt.stats[name], row_labels(receipt)
    where = f"metrics ({shown(name)})"
    first = [next((text for text in texts if text), "") for texts in zip(*streams, strict=True)]
    if metric.shared_columns:
        again = summed(metric.stats(first, streams), labels)
        for column in metric.shared_columns:
            at = metric.columns.index(column)
            bad = stats.rows[:, at] != again.rows[:, at]
            if bad.any():
                yield differs(where, int(bad.argmax()), column, stats, again)
    if (metric.reference_columns or metric.reference_sums) and (labels is None or len(streams) == 1):
        yield from _chosen(where, metric, stats, streams, labels)


def _chosen(where: str, metric: Metric[Any], stats: Stats, streams: Streams, labels: list[int] | None) -> Iterator[str]:
    """Compare the columns that the chosen reference decides with those of each reference."""
    import numpy as np

    mine, fits, lengths = _decided(metric, stats), [], []
    column, to = metric.nearest or (metric.columns[0], metric.columns[0])
    target = stats.rows[:, metric.columns.index(to)]
    for stream in streams:
        counts, is_there = _counted_alone(metric, stream, streams)
        again = summed(counts, labels)
        fits.append((mine == _decided(metric, again)).all(axis=1) & (is_there if labels is None else True))
        if metric.nearest is not None and labels is None:
            distance = np.abs(again.rows[:, metric.columns.index(column)] - target)
            lengths.append(np.where(is_there, distance, np.inf))
    if lengths:
        fits = [fit & (one == np.min(lengths, axis=0)) for fit, one in zip(fits, lengths, strict=True)]
    bad = ~np.logical_or.reduce(fits)
    if bad.any():
        at = int(bad.argmax())
        names = [*metric.reference_columns, *map(" + ".join, metric.reference_sums)]
        values = dict(zip(names, mine[at].tolist(), strict=True))
        yield f"{where}.data: in row {at}, {brief(values)} fits no reference of the segment"


def _decided(metric: Metric[Any], stats: Stats) -> NDArray[np.float64]:
    """The columns, and sums of columns, that the chosen reference alone decides."""
    import numpy as np

    of = {name: stats.rows[:, at] for at, name in enumerate(stats.columns)}
    sums = [np.sum([of[name] for name in names], axis=0) for names in metric.reference_sums]
    return np.column_stack([*(of[name] for name in metric.reference_columns), *sums])


def _counted_alone(metric: Metric[Any], stream: list[str | None], streams: Streams) -> tuple[Stats, NDArray[np.bool_]]:
    """Count a reference against itself, and find the segments in which it can have been the chosen one."""
    import numpy as np

    texts = [text or "" for text in stream]
    keeps = metric.empty_refs == "keep"
    is_there = [
        text is not None and (bool(text) or keeps or not any(others))
        for text, others in zip(stream, zip(*streams, strict=True), strict=True)
    ]
    return metric.stats(texts, [texts]), np.array(is_there)


# Level 4.


def _hash_of_texts(receipt: Receipt, texts: list[str], key: bytes | None, notes: list[str]) -> Iterator[str]:
    n = receipt.about["segments"]
    if len(texts) != n:
        yield f"segments is {n}, and the system given has {number_of(len(texts), 'line')}"
        return
    yield from _hash("inputs.hypotheses", receipt.about["inputs"]["hypotheses"], texts, key, notes)


def _rows(receipt: Receipt, name: str, stats: Stats) -> Iterator[str]:
    yield from other_rows(receipt, name, stats, "the texts give")
