"""Receipts on the command line: in the place of systems, and as what scoring leaves behind."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from truebleu._counts import number_of
from truebleu._inputs import brief
from truebleu._logs import warn
from truebleu._shown import shown
from truebleu._textio import RECEIPT_ENDING, stored_bytes
from truebleu.cli.inputs import RefStreams, System
from truebleu.cli.main import UsageError
from truebleu.errors import FileFormatError, OutputExists, StatsMismatch
from truebleu.metrics.external import ExternalMetric
from truebleu.metrics.names import name_by
from truebleu.metrics.registry import METRICS
from truebleu.receipts.file import references_of
from truebleu.receipts.receipt import Receipt
from truebleu.receipts.verification import first_false

if TYPE_CHECKING:
    from truebleu.cli.job import Job
    from truebleu.scores.table import ScoreTable
    from truebleu.stats import Stats


class How(NamedTuple):
    """What a receipt is to say beside the scores."""

    system: str = ""  # the name of the system; that of its file unless given
    url: str = ""
    note: str = ""
    rows: str = "segments"
    key: bytes | None = None
    documents: str | None = None  # a file, or a field of the test set
    samples: int = 1  # of its intervals; 1 or less: none


def load_receipts(paths: Sequence[str]) -> dict[str, Receipt]:
    """Read the receipts among files."""
    return {path: Receipt.load(path) for path in paths if path.endswith(RECEIPT_ENDING)}


def shared_metrics(receipts: Mapping[str, Receipt], asked: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Find the metrics that all receipts have, with their options."""
    options: list[dict[str, dict[str, Any]]] = []
    for receipt in receipts.values():
        options.append({})
        for one in _counted(receipt):
            name = name_by(one["fingerprint"]["metric"], one["options"])
            if options[-1].setdefault(name, dict(one["options"])) != one["options"]:
                warn("%s has several metrics named %s, and the first is shown", receipt.name, name)
            if (kind := one["fingerprint"]["metric"].lower()) in asked:
                options[-1].setdefault(kind, dict(one["options"]))
        missing = next((name for name in asked if name not in options[-1]), None)
        if missing is not None:
            raise UsageError(f"{receipt.name} has no rows of {missing}, only of {', '.join(options[-1])}")
    first, *others = options
    shared = [name for name in first if all(name in other for other in others)]
    if not shared and not asked and shared_scores([*receipts.values()]):
        return {}
    if not shared:
        there = "; ".join(", ".join(one) for one in options)
        raise UsageError(f"the receipts have no metric in common: they have {there}")
    found = {name: first[name] for name in asked or shared}
    for receipt in receipts.values():
        _require_true(receipt, found)
    return found


def shared_scores(receipts: Sequence[Receipt]) -> dict[str, ExternalMetric]:
    """Find the scores from elsewhere that all receipts have."""
    first, *others = receipts
    found: dict[str, ExternalMetric] = {}
    for one in first.about["metrics"]:
        metric = first.metric(one["name"])
        if isinstance(metric, ExternalMetric) and all(one["name"] in other.stats for other in others):
            found[one["name"]] = metric
    for receipt in receipts:
        if problem := first_false(receipt, list(found)):
            raise FileFormatError(f"{receipt.name} is not true, so it cannot take the place of a system: {problem}")
    return found


def _counted(receipt: Receipt) -> list[dict[str, Any]]:
    """The metrics of a receipt that count texts."""
    return [one for one in receipt.about["metrics"] if one["fingerprint"]["metric"] != "external"]


def _require_true(receipt: Receipt, metrics: Collection[str]) -> None:
    """Refuse a receipt whose rows are not possible, or whose score does not follow from them."""
    kinds = {METRICS[name] for name in metrics}
    entries = receipt.about["metrics"]
    names = [one["name"] for one in entries if METRICS.get(one["fingerprint"]["metric"]) in kinds]
    problem = first_false(receipt, names)
    if problem is not None:
        raise FileFormatError(f"{receipt.name} is not true, so it cannot take the place of a system: {problem}")


def with_receipts(job: Job, *, needs_segments: bool, is_tested: bool) -> Job:
    """Check that receipts are of the texts of this job, and give a job whose systems can be compared.

    Where a receipt has rows of documents, texts are counted and summed likewise.
    """
    receipts = [system.receipt for system in job.systems if system.receipt is not None]
    first = receipts[0]
    for receipt in receipts:
        _check_test_set(receipt, job)
        if job.references.streams:
            receipt.require_references(job.references.streams)
        if receipt is not first:
            first.require_same(receipt)
        if receipt.rows_of == "total" and is_tested:
            raise StatsMismatch(f"{receipt.name} has only the sums of all segments, so nothing can be tested")
        if receipt.rows_of != "segments" and needs_segments:
            raise StatsMismatch(f"{receipt.name} has rows of {receipt.rows_of}, and those of segments are needed here")
    if not job.references.streams:
        names = [one["label"] for one in references_of(first.about)]
        return job._replace(references=RefStreams([], names))
    if first.rows_of == "documents" and is_tested:
        return job._replace(systems=[_summed(job, system, first) for system in job.systems])
    return job


def _summed(job: Job, system: System, like: Receipt) -> System:
    """Give a system its rows, summed by the documents of a receipt."""
    if system.receipt is not None:
        return system
    metrics = {one.name: job.metric(one) for one in job.request.metrics}
    streams, documents = job.references.streams, like.documents
    made = Receipt.make(system.segments, streams, metrics, rows="documents", documents=documents)
    return system._replace(receipt=made)


def _check_test_set(receipt: Receipt, job: Job) -> None:
    theirs = receipt.signature_fields
    if job.part is None or not theirs:
        return
    ours = job.part.signature_fields
    for key in ("lang", "origlang", "subset"):
        if ours.get(key) != theirs.get(key):
            pair = f"{brief(theirs.get(key))} and {brief(ours.get(key))}"
            raise StatsMismatch(f"{receipt.name} and the command differ in the {key} of the test set: {pair}")


def check_targets(where: str, names: Sequence[str], *, overwrite: bool) -> list[Path]:
    """Choose a file for the receipt of each system, before anything is counted."""
    if where and len(names) == 1 and not os.path.isdir(where) and not where.endswith("/"):
        if not where.endswith(RECEIPT_ENDING):
            raise UsageError(f"the receipt should be {shown(where)}, expected a name that ends in {RECEIPT_ENDING}")
        targets = [Path(where)]
    elif where and not os.path.isdir(where):
        raise UsageError(
            f"there are {number_of(len(names), 'system')}: name an existing folder for their receipts, not "
            f"{shown(where)}"
        )
    else:
        targets = [Path(where) / f"{name}{RECEIPT_ENDING}" for name in names]
    for target in targets:
        if targets.count(target) > 1:
            raise UsageError(f"two receipts would be called {shown(target)}; make them one at a time")
        if not overwrite and os.path.lexists(target):
            raise OutputExists(f"{shown(target)} is there already; --force replaces it")
    return targets


def base_name(system: System) -> str:
    """Name a system after its file, without the folder."""
    return os.path.basename(system.path) or system.name


def make_receipt(
    job: Job,
    system: System,
    how: How,
    stats: Mapping[str, Stats] | None = None,
    external: Sequence[tuple[ExternalMetric, str]] = (),
) -> Receipt:
    """Make the receipt of a system; scores from elsewhere come with their files."""
    if system.receipt is not None:
        raise FileFormatError(f"{shown(system.path)} is a receipt already")
    named = job.part.references_used if job.part is not None else map(os.path.basename, job.references.names)
    request, of_division = job.request, dict[str, Any]()
    is_learned = any(METRICS[one.name].is_learned for one in request.metrics)  # and the sources were scored
    if request.input.division is not None:
        from truebleu.cli.segmentation import facts_for_receipt

        of_division = facts_for_receipt(request.input.division, job.divided.get(system.path))
    return Receipt.make(
        system.segments, job.references.streams or None,
        _without_paths(job.named_metrics()) | {one.name: one for one, _ in external},
        system=how.system or base_name(system), test_set=job.part,
        documents=_documents_of(job, how),
        labels=[name.removeprefix("ref:") for name in named] if job.references.streams else None,
        n_bootstrap=how.samples, seed=request.seed, rows=how.rows, key=how.key, url=how.url,
        note=how.note, threads=request.threads,
        source=job.sources if job.part is None and is_learned else None,
        stats=stats and _without_paths(stats),
        score_files={one.name: path for one, path in external}, **of_division,
    )  # fmt: skip


def _without_paths(named: Mapping[str, Any]) -> dict[str, Any]:
    """Leave the folder of a model out of the name of its metric."""
    found: dict[str, Any] = {}
    for name, value in named.items():
        plain, _, model = name.partition("=")
        short = plain if model.startswith((".", "/", "~")) or "\\" in model else name
        found[name if short in found else short] = value
    return found


def receipts_of_scores(
    table: ScoreTable,
    systems: Sequence[str],
    made: Mapping[str, ExternalMetric],
    files: Mapping[tuple[str, str], str],
    targets: Sequence[Path],
) -> None:
    """Write a receipt of each system in a table of scores, without texts and references."""
    table = table.in_order()
    labels = None if table.documents is None or None in table.documents else table.documents
    rows = {name: table.stats(name, systems, metric) for name, metric in made.items()}
    for system, target in zip(systems, targets, strict=True):
        Receipt.make(
            None, None, made, system=system, documents=labels, items=None if table.is_by_order else table.items,
            stats={name: by_system[system] for name, by_system in rows.items()},
            score_files={name: files[name, system] for name in made if (name, system) in files},
        ).save(target)  # fmt: skip


def _documents_of(job: Job, how: How) -> list[str] | None:
    """The document of each unit that was scored, where they are asked for, or known and not those of the test set."""
    if how.documents:
        return job.labels(how.documents)
    if job.fields is not None:
        return job.known_documents
    is_of_paragraphs = bool(job.spread) and job.part is not None and "docid" in job.part.fields
    return job.labels("docid") if is_of_paragraphs else None


def read_key(path: str | None) -> bytes | None:
    """Read a secret from a file, without the line break at its end."""
    if path is None:
        return None
    key = stored_bytes(path).strip()
    if len(key) < 16:
        raise FileFormatError(
            f"{shown(path)} has a secret of {number_of(len(key), 'byte')}, expected 16 or more, which cannot be guessed"
        )
    return key
