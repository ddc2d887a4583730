"""Texts that are divided again: `--resegment` and `--level`, and the effect of the segmentation on a score."""

from __future__ import annotations

import os
from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from truebleu._counts import number_of
from truebleu._inputs import References
from truebleu._logs import inform, silenced
from truebleu._shown import shown
from truebleu._textio import parse_records, read_text, records_format
from truebleu.cli.inputs import Reader, RefStreams, Source, System, read_labels, short_names
from truebleu.cli.main import UsageError
from truebleu.errors import FileFormatError, LengthMismatch
from truebleu.resegmentation.corpus import units
from truebleu.resegmentation.levels import at_level
from truebleu.resegmentation.names import SIGNED_LEVELS, WINDOW
from truebleu.resegmentation.segmentation import Resegmented, read_method, resegment_as

if TYPE_CHECKING:
    from argparse import Namespace

    from truebleu.cli.job import Job
    from truebleu.dataset.sets import TestSet
    from truebleu.metrics import Metric
    from truebleu.study.results import Results, SystemScores

# Nobody divides so many lines into one: the files are swapped.
_MANY = 10


class DivisionChoice(NamedTuple):
    """How texts are divided before they are scored."""

    method: str | None  # None: as they are
    auto: bool  # whether documents with as many lines as the references stay as they are
    breaks: str
    window: int | None
    blank_lines: bool
    documents: str | None
    level: str


# What is done for a test set of documents, unless told otherwise.
DOCUMENTS = DivisionChoice("cue", True, "prefer", WINDOW, False, None, "segment")


class Divided(NamedTuple):
    """What was given as a system, and how it was divided."""

    lines: list[str] | None  # None: the file has documents, not lines
    result: Resegmented


def understand_division(args: Namespace, context: Mapping[str, str]) -> DivisionChoice | None:
    """Say how texts are divided: as was typed, or as the signature given to `--like` says."""
    how, breaks, level = args.resegment, args.breaks, args.text_level
    documents = args.docids or args.doc_field
    published = _published_division(args, context)
    if published.get("level") is not None:
        level = published["level"]
    if how is None and "method" not in published:
        if level in (None, "segment"):
            return None
        return DivisionChoice(None, False, "prefer", None, False, documents, level)
    method = published.get("method") or ("cue" if how in ("auto", "always") else how)
    breaks = published.get("breaks") or breaks or "prefer"
    if breaks == "keep" and method != "cue":
        raise UsageError(f"--breaks keep does not go with --resegment {method}")
    is_auto = how in (None, "auto") and method == "cue"
    window = published.get("window", WINDOW)
    return DivisionChoice(method, is_auto, breaks, window, args.blank_lines, documents, level or "segment")


def _published_division(args: Namespace, context: Mapping[str, str]) -> dict[str, Any]:
    """What a signature says of the division of texts, unless what was typed contradicts it."""
    found: dict[str, Any] = {}
    if "level" in context:
        found["level"] = next((name for name, short in SIGNED_LEVELS.items() if short == context["level"]), None)
        if found["level"] is None:
            raise UsageError(f"--like: the signature has level:{context['level']}, which does not exist")
        if args.text_level not in (None, found["level"]):
            raise UsageError(
                f"--level {args.text_level} contradicts --like, whose signature says level:{context['level']}"
            )
    if "reseg" in context:
        read = read_method(context["reseg"])
        if read is None:
            raise UsageError(f"--like: the signature has reseg:{context['reseg']}, which does not exist")
        typed = args.resegment if args.resegment not in ("auto", "always") else "cue"
        if typed not in (None, read["method"]) or args.breaks not in (None, read["breaks"]):
            raise UsageError(
                f"--resegment and --breaks contradict --like, whose signature says reseg:{context['reseg']}"
            )
        found |= read
    return found


def document_labels(
    choice: DivisionChoice, size: int, part: TestSet | None, source: Source | None = None
) -> list[Hashable] | None:
    """Find the document of each segment, where documents are asked for."""
    name, roles = choice.documents, source.roles if source and source.reference_fields else None
    if name is None and choice.level == "document":
        name = "docid" if part is not None and "docid" in part.fields else roles.document if roles else None
    if name is None:
        return None
    if source is not None and roles and (name == roles.document or not os.path.exists(name)):
        return [*Reader(source).fields.labels_of(name)]
    return [*(part.field(name) if part is not None and name in part.fields else read_labels(name, size))]


def resegmented(
    choice: DivisionChoice,
    source: Source,
    references: RefStreams,
    labels: list[Hashable] | None,
    threads: int | None,
    known: Mapping[str, list[str]] | None = None,
    contents: Mapping[str, bytes] | None = None,
) -> tuple[list[System], dict[str, Divided]]:
    """Read all systems and divide each by itself; the second part of the result is by path."""
    assert choice.method is not None
    streams = References([list(stream) for stream in references.streams], len(references.streams[0]))
    systems, divided = [], {}
    for system, documents in _read(source, known, contents):
        if system.receipt is not None:  # which has the rows of texts that were divided before
            systems.append(system)
            continue
        given = documents if documents is not None else system.segments
        lines = None if documents is not None else system.segments
        if documents is not None and labels is None:
            raise UsageError(f"{shown(system.path)} has documents: name the document of each segment with --docids")
        if streams.segments == 1 and lines is not None and len(lines) > _MANY:
            counts = f"{shown(references.names[0])} has 1 line, and {shown(system.path)} has {len(lines)}"
            raise LengthMismatch(f"{counts}: are they swapped? References come first, and systems after -i")
        hypothesis = given if labels is None or documents is not None else _by_document(system, labels, choice)
        result = resegment_as(
            shown(system.path), "the system", hypothesis, streams,
            documents=labels, method=choice.method, breaks=choice.breaks, window=choice.window, auto=choice.auto,
            threads=threads,
        )  # fmt: skip
        systems.append(system._replace(segments=result.segments))
        divided[system.path] = Divided(lines, result)
    return systems, divided


def _read(
    source: Source, known: Mapping[str, list[str]] | None, contents: Mapping[str, bytes] | None
) -> list[tuple[System, dict[Hashable, str] | None]]:
    """Read systems, some of which may come as documents by label."""
    if source.systems is None or source.hypothesis_fields:
        return [(system, None) for system in Reader(source, known, contents).systems()]
    names, found = short_names(source.systems), list[tuple[System, dict[Hashable, str] | None]]()
    for path in source.systems:
        is_known = path in source.receipts or path in (known or {})
        if records_format(path) in ("json", "jsonl") and source.records_format != "text" and not is_known:
            found.append((System(names[path], [], path), read_documents(path, source.encodings[path])))
            continue
        systems = Reader(source._replace(systems=(path,)), known, contents).systems()
        found += [(one._replace(name=names[path]) if one.path == path else one, None) for one in systems]
    return found


def read_documents(path: str, encoding: str) -> dict[Hashable, str]:
    """Read a file of JSON objects, each with the id and the text of a document."""
    from truebleu.cli.fields import DOCUMENT, HYPOTHESIS, needed

    records = parse_records(read_text(path, encoding), records_format(path), shown(path))
    label, text = (needed(role, records.rows[0], path) for role in (DOCUMENT, HYPOTHESIS))
    found: dict[Hashable, str] = {}
    for at, (name, hypothesis) in enumerate(zip(records.keys(label), records.texts(text), strict=True)):
        if str(name) in found:
            raise FileFormatError(f"{records.place(at)}: document {shown(str(name))!r} is there twice")
        found[str(name)] = hypothesis
    return found


def _by_document(system: System, labels: list[Hashable], choice: DivisionChoice) -> Sequence[str | list[str]]:
    """Divide the lines of a file among documents: one per line, or with blank lines between, or as the references
    do."""
    lines, names = system.segments, list(dict.fromkeys(labels))
    if choice.blank_lines:
        found: list[list[str]] = [[]]
        for line in lines:
            if line.strip():
                found[-1].append(line)
            elif found[-1]:
                found.append([])
        return found if found[-1] else found[:-1]
    if len(lines) == len(labels):
        return [[line for line, label in zip(lines, labels, strict=True) if label == name] for name in names]
    if len(lines) == len(names):
        return lines
    raise LengthMismatch(
        f"{shown(system.path)} has {number_of(len(lines), 'line')}, expected {len(names)}, one for each document, or "
        f"{len(labels)}, one for each segment; --blank-lines is for files with a blank line between documents"
    )


def at_level_of(
    level: str, systems: Sequence[System], references: RefStreams, labels: list[Hashable] | None
) -> tuple[list[System], RefStreams]:
    """Join the texts of each unit."""
    if level == "document" and labels is None:
        raise UsageError(
            "--level document needs the document of each segment: name a file, or a field of the test set, with "
            "--docids"
        )
    streams = [list(stream) for stream in references.streams]
    of_segment = units(level, labels, References(list(streams), len(streams[0])))
    found, joined = list[System](), list[Any]()
    for system in systems:
        if system.receipt is None:
            texts, joined = at_level(system.segments, list(streams), of_segment)
            system = system._replace(segments=texts)
        found.append(system)
    return found, RefStreams(joined, references.names)


def tell(job: Job, results: Results) -> Results:
    """Say what the segmentation is and does, in a message for each system and as data."""
    found = []
    for scored in results.systems:
        divided = job.divided.get(scored.path)
        if divided is None:
            found.append(scored)
            continue
        with silenced():  # of what the same texts have been warned of already
            is_tested = results.comparison is not None
            effects = {} if is_tested or results.groups else _effects(job, scored, divided)
        result = divided.result
        told = [*doubts(result), *(_shown_effect(name, effect) for name, effect in effects.items())]
        method, documents = result.signature_fields["reseg"], number_of(result.documents, "document")
        what = f"re-segmented {result.aligned} of {documents} ({method})"
        inform("%s: %s", shown(scored.name), f"{what}: {', '.join(told)}" if told else what)
        found.append(scored._replace(segmentation={**result.to_dict(), "effect": effects}))
    return results._replace(systems=tuple(found))


def doubts(result: Resegmented) -> list[str]:
    """Say in a few words how sure a segmentation is: boundaries that may be elsewhere, segments without text."""
    found = []
    if result.tells_margins:
        boundaries = len(result.segments) - result.documents
        found.append(f"{len(result.uncertain)} of {boundaries} boundaries uncertain")
    if result.aligned and result.empty:
        found.append(f"{number_of(len(result.empty), 'segment')} without text")
    return found


def facts_for_receipt(choice: DivisionChoice, divided: Divided | None) -> dict[str, Any]:
    """Give what a receipt says of the division of texts: its method, what it found, and the units that were scored."""
    found: dict[str, Any] = {} if choice.level == "segment" else {"level": SIGNED_LEVELS[choice.level]}
    if divided is not None:
        found["segmentation"] = divided.result
    return found


def _effects(job: Job, scored: SystemScores, divided: Divided) -> dict[str, dict[str, Any]]:
    """Find what each score would be with other segments: as given, by document, with the next best cuts."""
    system = next(system for system in job.systems if system.path == scored.path)
    is_whole = len(system.segments) == len(divided.result.segments) and job.request.input.level == "segment"
    effects = {}
    for metric, score in zip(job.metrics(), scored.scores, strict=True):
        effect: dict[str, Any] = {"resegmented": score.score}
        if is_whole and not metric.is_learned:  # a model would have to be asked for all of them
            streams, threads = job.references.streams, job.request.threads
            if divided.lines is not None and len(divided.lines) == len(system.segments):
                effect["as_given"] = metric.corpus_score(divided.lines, streams, threads=threads).score
            documents = divided.result.document_labels()
            by_document = metric.stats(system.segments, streams, documents=documents, level="document", threads=threads)
            effect["document"] = metric.score(by_document).score
            if divided.result.tells_margins:
                effect["range"] = _range(metric, system.segments, streams, divided.result, score.score)
        effects[score.name] = effect
    return effects


def _range(
    metric: Metric[Any], segments: list[str], streams: Sequence[Sequence[str | None]], result: Resegmented, score: float
) -> list[float]:
    """Move each uncertain boundary to its runner-up by itself; sum what that gains, and what it loses."""
    pairs = result.alternatives()
    if not pairs:
        return [score, score]
    places = [segment for pair in pairs for segment, _ in pair]
    texts = [text for pair in pairs for _, text in pair]
    rows = metric.stats(segments, streams).rows
    moved = metric.stats(texts, [[stream[at] for at in places] for stream in streams]).rows
    total, low, high = rows.sum(axis=0), score, score
    for at in range(0, len(places), 2):
        changed = total - rows[places[at : at + 2]].sum(axis=0) + moved[at : at + 2].sum(axis=0)
        difference = metric.engine.score(changed.tolist()) - score
        low, high = low + min(difference, 0.0), high + max(difference, 0.0)
    return [low, high]


def _shown_effect(name: str, effect: Mapping[str, Any]) -> str:
    text = f"{name} {effect['resegmented']:.2f}"
    return f"{text} ({effect['range'][0]:.2f}–{effect['range'][1]:.2f})" if "range" in effect else text


def signed(choice: DivisionChoice, divided: Mapping[str, Divided]) -> dict[str, str]:
    """Tell what signatures show."""
    fields = dict(next(iter(divided.values())).result.signature_fields) if divided else {}
    return fields if choice.level == "segment" else {**fields, "level": SIGNED_LEVELS[choice.level]}
