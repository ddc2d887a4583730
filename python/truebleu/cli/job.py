"""All that has been read and is to be scored."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from truebleu._counts import number_of, there_are
from truebleu._logs import at_system, inform, warn
from truebleu._records import NamedTuple
from truebleu._shown import shown
from truebleu._typing import TYPE_CHECKING, Any, TypeVar
from truebleu.cli.inputs import Key, Reader, RefStreams, System, check_lengths, read_labels
from truebleu.cli.main import UsageError
from truebleu.cli.request import Grouped, MetricChoice, Paired, Request, Sentences
from truebleu.errors import EmptyCorpus, FileFormatError, InputError, LengthMismatch, TooFew
from truebleu.metrics import Metric
from truebleu.metrics.names import made
from truebleu.signature import About

if TYPE_CHECKING:
    from truebleu.cli.fields import Fields
    from truebleu.cli.progress import Progress
    from truebleu.cli.segment_numbers import Kept, Range
    from truebleu.cli.segmentation import Divided
    from truebleu.dataset.sets import TestSet
    from truebleu.doctor.finding import Diagnosis
    from truebleu.glance import Certain
    from truebleu.metrics.published import Published
    from truebleu.stats import Stats

T = TypeVar("T")


class Job(NamedTuple):
    """A request, and what it is about.

    With a test set, `whole` are the systems before any selection, `test_set` is all of it and `part` what its filters
    select. With `--only`, `systems`, `references` and `keys` are cut to what is `kept`.
    """

    request: Request
    systems: Sequence[System]
    references: RefStreams
    whole: Sequence[System]
    test_set: TestSet | None = None
    part: TestSet | None = None
    keys: Sequence[Key] = ()  # what --by makes groups of
    kept: Kept | None = None  # None: all
    divided: Mapping[str, Divided] = MappingProxyType({})  # how texts were divided, by path
    spread: tuple[int, ...] | None = None  # of a set of documents: the document that each segment belongs to

    def metric(self, choice: MetricChoice) -> Metric[Any]:
        """Make a metric whose signatures tell the test set."""
        metric = made(choice.name, **choice.options)
        metric.about = self.about
        if not metric.by_position or all(system.receipt is not None for system in self.systems):
            return metric
        from truebleu.metrics.preparation import placed

        return placed(metric, self.sources, self._places)

    @property
    def _places(self) -> list[int]:
        """The places of the segments in the files."""
        whole = [str(at) for at in range(self.size if self.part is None else len(self.whole[0].segments))]
        return [*map(int, self.cut(whole if self.part is None else self.part.cut(whole)))]

    @property
    def about(self) -> About:
        """What is scored, for signatures."""
        division, fields = self.request.input.division, dict[str, str]()
        if division is not None:
            from truebleu.cli.segmentation import signed

            fields = signed(division, self.divided)
        receipts = [system.receipt for system in self.systems if system.receipt is not None]
        if receipts and not self.references.streams:  # there is nothing else, and they know the test set
            fields |= receipts[0].signature_fields
        elif self.part is not None:
            fields |= self.part.signature_fields
        return About(**fields, only=None if self.kept is None else self.kept.signed)

    def metrics(self) -> list[Metric[Any]]:
        """Make all metrics, in the order in which they are shown, whatever the order they were asked for in."""
        return [*self.named_metrics().values()]

    def named_metrics(self) -> dict[str, Metric[Any]]:
        """Make all metrics by name, in the order in which they are shown."""
        return {one.name: self.metric(one) for one in self.request.shown_metrics}

    def runs(self) -> list[list[System]]:
        """Put the files together that are runs of one system."""
        files, mode = list(self.systems), self.request.mode
        runs = mode.runs if isinstance(mode, Paired) else 1
        if len(files) % runs:
            raise TooFew(f"--runs is {runs}, and {number_of(len(files), 'file')} are not a whole number of systems")
        return [files[at : at + runs] for at in range(0, len(files), runs)]

    def rows(self, metric: Metric[Any], system: System) -> Stats:
        """Count a system, or take the rows of its receipt."""
        if system.receipt is not None:
            rows: Stats = system.receipt.rows_for(metric)
            return rows
        with at_system(system.name, of=len(self.systems)):
            return metric.stats(system.segments, self.references.streams, threads=self.request.threads)

    def diagnosed(
        self, progress: Progress, sources: list[str] | None, language: str = "", **options: Any
    ) -> Iterator[tuple[System, Diagnosis]]:
        """Let the doctor look at each system, beside the others."""
        from truebleu.doctor.diagnosis import Examiner

        language = language or (self.request.input.language_pair or "").partition("-")[2]
        examiner = Examiner(self.references.streams, sources, metrics=self.metrics(), language=language,
                            threads=self.request.threads, **options)  # fmt: skip
        for system in self.systems:
            size = len(system.segments)
            others = {one.name: one.segments for one in self.systems if one is not system and len(one.segments) == size}
            with progress.step(f"examining {system.name}"):
                diagnosis = examiner.examine(system.segments, others)
            yield system, diagnosis

    @property
    def fields(self) -> Fields | None:
        """The files with fields, where references are in them."""
        source = self.request.input.source
        return Reader(source).fields if self.part is None and source.roles and source.reference_fields else None

    @property
    def sources(self) -> list[str] | None:
        """What was translated, where a test set or a field tells it, and texts were not joined."""
        path = self.request.input.sources
        if path is not None and self._has_segments:
            return self.cut(read_labels(path, self.size, self.request.input.source.encodings[path]))
        if self.part is None:
            roles, fields = self.request.input.source.roles, self.fields
            known = fields.texts(roles.source) if roles and roles.source and fields and self._has_segments else None
            return None if known is None else self.cut(known)
        is_known = self.spread is None and "src" in self.part.fields
        return self.cut(self.part.source) if is_known else None

    @property
    def _has_segments(self) -> bool:
        return self.request.input.level == "segment"

    @property
    def size(self) -> int:
        """How many segments there are before `--only` is heeded."""
        return self.systems[0].size if self.kept is None else self.kept.size

    def cut(self, values: list[T]) -> list[T]:
        """Keep the values of the segments that `--only` leaves."""
        if self.kept is None:
            return values
        if len(values) != self.kept.size:
            has = number_of(len(values), "line")
            raise LengthMismatch(
                f"a field of the test set has {has}, expected one for each of {number_of(self.kept.size, 'segment')}"
            )
        return [values[at] for at in self.kept.places]

    def at(self, places: Sequence[int]) -> Job:
        """Give the job of some of its segments."""
        from truebleu.cli.segment_numbers import Kept

        before = self.kept or Kept(tuple(range(1, self.size + 1)), tuple(range(self.size)), self.size, None)
        numbers, kept = (tuple(values[at] for at in places) for values in before[:2])
        named = [([stream[at] for at in places], name) for stream, name in zip(*self.references, strict=True)]
        # Where lists of references differ in length, a stream may have nothing for the segments that are left.
        named = [(stream, name) for stream, name in named if any(text is not None for text in stream)]
        return self._replace(
            systems=[one._replace(segments=[one.segments[at] for at in places]) for one in self.systems],
            references=RefStreams([stream for stream, _ in named], [name for _, name in named]),
            keys=[self.keys[at] for at in places] if self.keys else (),
            kept=before._replace(numbers=numbers, places=kept),
        )

    def labels(self, name: str) -> list[str]:
        """Find a label for each segment."""
        known = [system.receipt.documents for system in self.systems if system.receipt is not None]
        if name == "docid" and self.part is None and known and known[0] is not None and not self._is_field(name):
            return [str(number) for number in known[0]]
        return self.cut(self.whole_labels(name))

    def whole_labels(self, name: str) -> list[str]:
        """Find a label for each segment before `--only` is heeded."""
        if self.part is not None and name in self.part.fields:
            values = self.part.field(name)
            return values if self.spread is None else [values[at] for at in self.spread]
        if self._is_field(name) and self.fields is not None:
            return self.fields.labels_of(name)
        return read_labels(name, self.size)

    def _is_field(self, name: str) -> bool:
        roles = self.request.input.source.roles
        return roles is not None and (name == roles.document or not os.path.exists(name))

    def documents(self, asked: str | None, unit: str) -> list[str] | None:
        """Find the document of each segment, where documents are drawn: those asked for, or those that are known."""
        if unit == "segment":
            return None
        known = self.known_documents if asked is None else self.labels(asked)
        if unit == "document" and known is None:
            raise UsageError("--unit document: nothing tells the document of each segment; name a file with --docids")
        sets = self.strata(None)
        if known is None or sets is None:
            return known
        return [f"{name}:{one}" for name, one in zip(sets, known, strict=True)]  # two sets may have the same ids

    def strata(self, asked: str | None) -> list[str] | None:
        """Find the stratum of each segment: the one asked for, or its test set where there are several."""
        if asked is not None:
            return self.labels(asked)
        if self.part is None or self.spread is not None or self.request.input.level != "segment":
            return None
        names = self.cut(self.part.set_names)
        return names if len(set(names)) > 1 else None

    @property
    def known_documents(self) -> list[str] | None:
        """The document of each segment, where a test set, a receipt or a field tells it."""
        receipts = [system.receipt for system in self.systems if system.receipt is not None]
        of_set = self.part is not None and "docid" in self.part.fields
        of_receipt = self.part is None and receipts and receipts[0].rows_of == "segments" and receipts[0].documents
        roles, fields = self.request.input.source.roles, self.fields
        if not self._has_segments or any(receipt.rows_of != "segments" for receipt in receipts):
            return None
        if roles and roles.document and fields:
            known = fields.labels(roles.document)
            labels = [] if known is None else self.cut(known)
        elif of_set or of_receipt:
            labels = self.labels("docid")
        else:
            return None
        # A set may have one id for all, or one for each segment.
        return labels if 1 < len(set(labels)) < len(labels) else None


def read_job(request: Request, contents: Mapping[str, bytes] | None = None, *, any_length: bool = False) -> Job:
    """Read everything that a request names, and check it."""
    job = _read_test_set(request) if request.input.test_set is not None else _read_files(request, contents, any_length)
    if request.input.source.receipts:
        from truebleu.cli.receipts import with_receipts

        needs_segments, is_tested = isinstance(request.mode, Sentences | Grouped), isinstance(request.mode, Paired)
        job = with_receipts(job, needs_segments=needs_segments, is_tested=is_tested)
    roles, only = request.input.source.roles, request.input.only
    is_whole = only is None and (roles is None or roles.nulls != "skip")
    return job if is_whole else _cut(job, only)


def check_texts(job: Job, *, only_order: bool = False) -> None:
    """Warn of texts that look doubtful, or only of the order of their lines; refuse them where no doubt is left.

    Where the doctor was asked for, it tells more.
    """
    texts = [system for system in job.systems if system.receipt is None]
    if texts and job.references.streams and job.request.checks and not job.request.doctor:
        from truebleu.glance import ORDER, look_at

        seen = look_at([system.segments for system in texts], job.references.streams, job.sources)
        names = [system.path for system in texts], job.references.names, job.request.split_at_spaces
        refuse(seen.warn(*names, rules=ORDER if only_order else ()))


def refuse(certain: Sequence[Certain], *, has_written: bool = False) -> None:
    """Refuse texts that nobody can have meant; warn of them where results have been written already."""
    for doubt in certain if has_written else ():
        warn("%s", doubt)
    if certain and not has_written:
        raise InputError(f"{certain[0]} --no-checks scores it anyway")


def warn_of_signature(request: Request, like: Published) -> None:
    """Warn of what the signature given to `--like` leaves open."""
    for note in like.notes:
        warn("--like: %s", note)
    segments = like.context.get("only")
    if segments is not None and request.input.only is None:
        warn("--like: the signature is of scores with only:%s; --only names the segments", segments)


def warn_of_another_corpus(like: Published, job: Job) -> None:
    """Warn where the signature given to `--like` is not of as many references, or of other segments."""
    given, references, segments = len(job.references.streams), like.context.get("nrefs"), like.context.get("only")
    if references not in (None, "var", str(given)):
        here = there_are(given, "reference")
        warn("--like: the signature is of scores with nrefs:%s, here %s", references, here)
    if segments is not None and job.kept is not None and segments != job.kept.signed:
        warn("--like: the signature is of scores with only:%s, here it is only:%s", segments, job.kept.signed)


def _read_files(request: Request, contents: Mapping[str, bytes] | None, any_length: bool) -> Job:
    reader = Reader(request.input.source, contents=contents)
    references, choice = reader.references(), request.input.division
    if choice is not None:
        return _divided(request, references, None, contents=contents)
    systems = _distinct(reader.systems(), request)
    for system in () if any_length else systems:
        if system.receipt is None:
            check_lengths(system, references)
    by = request.input.source.by
    return Job(request, systems, references, systems, keys=reader.fields.keys(*by) if by else ())


def _divided(
    request: Request,
    references: RefStreams,
    whole: TestSet | None,
    known: Mapping[str, list[str]] | None = None,
    contents: Mapping[str, bytes] | None = None,
) -> Job:
    """Read systems whose texts are divided anew."""
    from truebleu.cli.segmentation import at_level_of, document_labels, resegmented

    choice, divided = request.input.division, dict[str, "Divided"]()
    assert choice is not None
    labels = document_labels(choice, len(references.streams[0]), whole, request.input.source)
    if choice.method is None:
        systems = Reader(request.input.source, known, contents).systems()
    else:
        systems, divided = resegmented(
            choice, request.input.source, references, labels, request.threads, known, contents
        )
    systems = _distinct(systems, request)
    for system in systems:
        if system.receipt is None:
            check_lengths(system, references)
    job = Job(request, systems, references, systems, divided=divided)
    if whole is None and choice.level != "segment":
        systems, references = at_level_of(choice.level, systems, references, labels)
        job = job._replace(systems=systems, references=references, whole=systems)
    return job


def _read_test_set(request: Request) -> Job:
    from truebleu.dataset.sets import testset

    choice = request.input.test_set
    assert choice is not None
    refs = "all" if choice.references == ("all",) else (choice.references or None)
    whole = testset(choice.names, choice.pair, refs=refs)
    part = whole.select(origlang=choice.origlang, subset=choice.subset)
    name = f"{choice.names} {choice.pair}"
    # Before anything is cut: a line too many or too few would go unnoticed.
    if whole.unit == "document":
        return _read_documents(request, whole, part, name)
    references, divided = _references(whole, name), dict[str, "Divided"]()
    if request.input.division is None:
        systems: Sequence[System] = _distinct(Reader(request.input.source, whole.systems).systems(), request)
    else:
        job = _divided(request, references, whole, whole.systems)
        systems, divided = job.systems, dict(job.divided)
    if any(one.options.get("tokenize") == "none" for one in request.metrics):
        warn("the tokenizer is 'none': scores of text that was tokenized elsewhere cannot be compared")
    for system in systems:
        if system.receipt is None:
            check_lengths(system, references)
    cut = [
        system if system.receipt is not None else system._replace(segments=part.cut(system.segments))
        for system in systems
    ]
    if any(system.receipt is None and not system.segments for system in cut):
        filters = {"origlang": choice.origlang, "subset": choice.subset}
        shown = " and ".join(f"{key} {value!r}" for key, value in filters.items() if value is not None)
        raise EmptyCorpus(f"{name} has no segment left with {shown}")
    references = _references(part, name)
    if request.input.level != "segment" and request.input.division is not None:
        from truebleu.cli.segmentation import at_level_of, document_labels

        labels = document_labels(request.input.division, len(references.streams[0]), part)
        cut, references = at_level_of(request.input.division.level, cut, references, labels)
    return Job(request, cut, references, systems, whole, part, divided=divided)


def _read_documents(request: Request, whole: TestSet, part: TestSet, name: str) -> Job:
    """Read systems for a test set of documents: unless told otherwise, they are aligned with its paragraphs."""
    from truebleu.cli.segmentation import DOCUMENTS, at_level_of, resegmented

    for flag, given in (("--only", request.input.only), ("--detail", request.detail)):
        if given:
            raise UsageError(f"{flag} is about segments, and {name} has documents")
    choice = request.input.division or DOCUMENTS
    if choice.method is None:
        choice = DOCUMENTS._replace(level=choice.level)
    if request.input.division is None:
        inform("%s has documents: systems are aligned with their paragraphs, as --resegment auto does", name)
    streams, documents = whole.references_by_paragraph()
    references = RefStreams([*streams], [f"{name} {field}" for field in whole.references_used])
    labels = [whole.documents[at] for at in documents]
    systems, divided = resegmented(choice, request.input.source, references, [*labels], request.threads, whole.systems)
    systems = _distinct(systems, request)
    numbers = {int(number): at for at, number in enumerate(part.cut([str(at) for at in range(len(whole))]))}
    kept = [at for at, document in enumerate(documents) if document in numbers]
    cut = [
        system if system.receipt is not None else system._replace(segments=[system.segments[at] for at in kept])
        for system in systems
    ]
    references = RefStreams([[stream[at] for at in kept] for stream in streams], references.names)
    spread = tuple(numbers[documents[at]] for at in kept)
    if choice.level in ("document", "all"):  # segments are paragraphs already
        cut, references = at_level_of(choice.level, cut, references, [labels[at] for at in kept])
        spread = tuple(dict.fromkeys(spread)) if choice.level == "document" else ()
    request = request._replace(input=request.input._replace(division=choice))
    return Job(request, cut, references, systems, whole, part, divided=divided, spread=spread)


def _cut(job: Job, ranges: tuple[Range, ...] | None) -> Job:
    """Leave the segments that `--only` names, by their numbers in the files, of those that filters and nulls leave."""
    from truebleu.cli.segment_numbers import Kept, numbers_of, signed

    first = job.whole[0]
    left = [str(number) for number in range(1, len(first.segments) + 1)]
    asked = [*map(int, left)] if ranges is None else numbers_of(ranges, len(first.segments), first.path)
    left, wanted, null = left if job.part is None else job.part.cut(left), set(asked), _null_segments(job)
    pairs = [(int(number), at) for at, number in enumerate(left) if int(number) in wanted]
    skipped = sum(at in null for _, at in pairs)
    if not pairs:
        raise EmptyCorpus(f"--only selects none of the {number_of(len(left), 'segment')} of the selection")
    if skipped == len(pairs):
        raise EmptyCorpus(f"all {number_of(skipped, 'segment')} have no hypothesis or no reference")
    tell_skipped(skipped, len(pairs))
    if not skipped and ranges is None:
        return job
    found = job._replace(kept=Kept(tuple(map(int, left)), tuple(range(len(left))), len(left), None))
    found = found.at([at for _, at in pairs if at not in null])
    assert found.kept is not None
    return found._replace(kept=found.kept._replace(signed=None if ranges is None else signed(asked)))


def tell_skipped(skipped: int, segments: int) -> None:
    """Warn that segments were left out."""
    if skipped:
        warn("%d of %s have no hypothesis or no reference, and were skipped", skipped, number_of(segments, "segment"))


def _null_segments(job: Job) -> set[int]:
    """The segments to leave out of a job whose texts may be null."""
    roles, texts = job.request.input.source.roles, [one.segments for one in job.systems if one.receipt is None]
    if roles is None or roles.nulls != "skip":
        return set()
    unreferenced = (all(text is None for text in row) for row in zip(*job.references.streams, strict=False))
    found = {at for segments in texts for at, text in enumerate(segments) if text is None}
    return found | {at for at, is_null in enumerate(unreferenced) if is_null}


def _references(part: TestSet, name: str) -> RefStreams:
    return RefStreams(list(part.references), [f"{name} {field}" for field in part.references_used])


def _distinct(systems: list[System], request: Request) -> list[System]:
    """Refuse to score a file twice; where the first is the baseline, `*.txt` may name it again."""
    seen, mode = dict[str, System](), request.mode
    for system in systems:
        if system.path not in seen:
            seen[system.path] = system
        elif isinstance(mode, Paired) and system.path == systems[0].path:
            inform("%s is the baseline already and is not tested against itself", shown(system.name))
        else:
            raise FileFormatError(f"{shown(system.path)} is given twice; give each system once")
    found, source = list(seen.values()), request.input.source
    if len(found) == 1 < len(systems):
        raise FileFormatError(f"{shown(found[0].path)} is given twice, and no other system to test against it")
    is_unnamed = source.systems is None and not source.hypothesis_fields
    if isinstance(mode, Paired) and not mode.all_pairs and mode.runs == 1 and is_unnamed:
        # Columns of standard input have no names; sacreBLEU counts them from the one after the baseline.
        names = ["Baseline", *(f"System {at}" for at in range(1, len(found)))]
        found = [System(name, system.segments, name) for name, system in zip(names, found, strict=True)]
    return found
