"""A receipt: the inputs of a score, as hashes and rows."""

from __future__ import annotations

import json
import os
from collections.abc import Hashable, Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from truebleu._counts import number_of, there_are
from truebleu._inputs import (
    References,
    brief,
    check_corpus,
    check_instance,
    check_labels,
    check_path,
    check_text,
    check_texts,
)
from truebleu._logs import warn
from truebleu._options import MOST_SAMPLES, choice, whole_number
from truebleu._packing import Packed, pack, pack_labels, unpack, unpack_labels
from truebleu._shown import shown
from truebleu._textio import stored_bytes
from truebleu.dataset.sets import TestSet
from truebleu.errors import FileFormatError, InputFileError, InputTypeError, LengthMismatch, OptionError, StatsMismatch
from truebleu.metrics import Metric
from truebleu.metrics.base import with_about
from truebleu.metrics.external import ExternalMetric
from truebleu.metrics.known import other_metric
from truebleu.metrics.names import ByMetric, as_metric, as_written, name_of
from truebleu.metrics.neural import LearnedStats
from truebleu.metrics.registry import named
from truebleu.receipts import file
from truebleu.receipts.text import title
from truebleu.receipts.verification import Verification, content_of, verify
from truebleu.resample.seed import Seed
from truebleu.resegmentation.names import SIGNED_LEVELS
from truebleu.scores.rated import RatedMetric
from truebleu.signature import About
from truebleu.significance.systems import named_metrics
from truebleu.stats import Stats

if TYPE_CHECKING:
    from truebleu.resegmentation import Resegmented


class Receipt:
    """The inputs of a score: hashes of the texts, settings and rows. It holds no words.

    `stats` has the rows of each metric by name; they work like rows that were counted from texts. `compare` and
    `PairedTest` accept receipts as systems.

    Parameters
    ----------
    content
        The bytes of a receipt.
    name
        What messages call it.
    """

    def __init__(self, content: bytes, name: str = "the receipt") -> None:
        check_instance("Receipt", "content", content, bytes, "the bytes of a receipt")
        self.name = shown(check_text("name", name, "what messages call the receipt"))
        about = file.read(content, self.name)
        n, stats = file.row_count(about), {}
        for at, one in enumerate(about["metrics"]):
            packed = Packed(one["kinds"], one["predict"], one["data"])
            rows = unpack(f"{self.name}: metrics[{at}]", packed, n)
            told = tuple(one["columns"]), one["fingerprint"], tuple(one["references"])
            facts = one["options"].get("facts")
            stats[one["name"]] = LearnedStats(rows, *told, facts) if isinstance(facts, dict) else Stats(rows, *told)
        numbers = None
        if "documents" in about:
            held, segments = about["documents"], about["segments"]
            numbers = unpack_labels(f"{self.name}: documents", held["data"], segments, held["count"])
        self._hold(content, about, stats, numbers)

    def _hold(self, content: bytes, about: dict[str, Any], stats: dict[str, Stats], numbers: list[int] | None) -> None:
        self.content = content
        self.about: Mapping[str, Any] = MappingProxyType(about)
        self.stats: Mapping[str, Stats] = MappingProxyType(ByMetric(stats))
        self.documents = numbers  # the number of the document of each segment, if they are known

    @staticmethod
    def make(
        hypotheses: Iterable[str] | None,
        references: Iterable[Iterable[str | None]] | None,
        metrics: Any,
        *,
        system: str = "",
        test_set: TestSet | None = None,
        documents: Iterable[Hashable] | None = None,
        source: Iterable[str] | None = None,
        labels: Iterable[str] | None = None,
        n_bootstrap: int = 0,
        seed: int | str | None = None,
        rows: str = "segments",
        key: bytes | None = None,
        url: str = "",
        note: str = "",
        threads: int | None = None,
        stats: Mapping[str, Stats] | None = None,
        score_files: Mapping[str, str] | None = None,
        items: Iterable[str] | None = None,
        segmentation: Resegmented | Mapping[str, Any] | None = None,
        level: str | None = None,
    ) -> Receipt:
        """Score a system and make its receipt.

        Parameters
        ----------
        hypotheses
            The output of the system, one string for each segment; None for scores from elsewhere alone.
        references
            A list of streams, each with one reference for every segment; None for those of the test set, or none at
            all of scores from elsewhere alone.
        metrics
            A metric or its name on the command line, such as "bleu"; a list of these, or a mapping from names to them.
        system
            The name of the system.
        test_set
            The test set, if the texts belong to one; its sources and documents are used unless others are given.
        documents
            The document of each segment; their names are not kept.
        source
            The source texts; only their hash is kept.
        labels
            A name for each reference.
        n_bootstrap
            Above 1, scores come with a 95 % interval from as many resamples.
        seed
            The seed of the resamples; None asks `SACREBLEU_SEED`, else it is 12345.
        rows
            "segments"; "documents" to keep only the sums of each document, "total" to keep only the sums of all.
        key
            A secret: with it, hashes of the texts are HMAC-SHA256, and cannot be guessed. Hashes of a test set stay
            plain.
        url
            Where the system, or its output, is described.
        note
            Further information for readers, up to 2,000 characters.
        threads
            How many threads count; all cores unless given.
        stats
            The rows of each metric by name, if the texts have been counted already; those of scores from elsewhere
            always.
        score_files
            The files of scores from elsewhere, by the name of their metric; only their hashes are kept.
        items
            The names of the segments, where scores have them and there may be no references; only their hash is kept.
        segmentation
            The result of `resegment`, if the texts are its segments; or its `to_dict()`.
        level
            The unit of the texts, if segments were joined: "paragraph", "document" or "all".
        """
        who = "Receipt.make"
        checked = _checked_metrics(metrics)
        elsewhere = [name for name, metric in checked.items() if isinstance(metric, ExternalMetric)]
        alone = len(elsewhere) == len(checked)
        texts = None if hypotheses is None and alone else list(check_texts(who, "hypotheses", hypotheses))
        check_instance(who, "test_set", test_set, (TestSet, type(None)), "a test set that testset() opened")
        check_instance(who, "key", key, (bytes, type(None)), "the bytes of a secret")
        check_instance(who, "stats", stats, (Mapping, type(None)), "the rows of each metric by name")
        check_instance(who, "score_files", score_files, (Mapping, type(None)), "a path for each metric from elsewhere")
        level = None if level is None else check_text(f"{who}: level", level, "what a unit is")
        size = len(_given(stats, elsewhere[0])) if texts is None else len(texts)
        if test_set is not None:
            if references is None:
                references = test_set.references
                labels = [name.removeprefix("ref:") for name in test_set.references_used] if labels is None else labels
            # Rows of joined segments are not those of the test set.
            if documents is None and "docid" in test_set.fields and len(test_set) == size and level is None:
                documents = test_set.documents
            source = test_set.source if source is None and "src" in test_set.fields else source
        streams = [] if references is None and alone else file.checked_streams(who, references)
        if streams and texts is not None:
            check_corpus(who, texts, References([*streams], len(streams[0])), keep_empty=True)
        elif streams and len(streams[0]) != size:
            raise LengthMismatch(f"{who}: references have {number_of(len(streams[0]), 'segment')}, the scores {size}")
        about: dict[str, Any] = {"system": _system(system, url, note), "segments": size}
        about["inputs"] = {} if texts is None else {"hypotheses": file.hash_texts(texts, key)}
        if items is not None:
            names = check_labels(who, "items", check_texts(who, "items", items), size)
            about["inputs"]["items"] = file.hash_texts(map(str, names))
        about["inputs"] |= _references(streams, labels, source, None if test_set is not None else key)
        if test_set is not None:
            about["test_set"] = _test_set_fields(test_set)
        about |= {"segmentation": _segmentation(segmentation, texts or [], level)} if segmentation is not None else {}
        about |= {"level": _signed_level(level)} if level not in (None, "segment") else {}
        numbers = None if documents is None else _numbered(check_labels(who, "documents", documents, size))
        kept, groups = _units(rows, numbers, size)
        samples = whole_number(who, "n_bootstrap", n_bootstrap, 0, MOST_SAMPLES)
        drawn = samples, _checked_seed(who, seed, samples)
        about |= kept | {"metrics": []}
        fields, held = {} if test_set is None else test_set.signature_fields, {}
        for name, metric in checked.items():
            is_given = name in elsewhere or (stats is not None and (name in stats or not elsewhere))
            counted = _given(stats, name, size) if is_given else metric.stats(texts or (), streams, threads=threads)
            held[name] = counted if groups is None else counted.merge(groups)
            about["metrics"].append(_entry(name, _signed(metric, fields, about), held[name], *drawn))
            if score_files is not None and name in score_files:
                whose = file.hash_file(check_path(f"{who}: score_files[{brief(name)}]", score_files[name]), key)
                about["metrics"][-1] |= {} if whose is None else {"score_file": whose}
        if samples > 1:
            about["resampling"] = {"n": samples, "seed": drawn[1]}
        # Not through the constructor, which would parse everything again.
        receipt = object.__new__(Receipt)
        receipt.name = "the receipt"
        about, content = file.write(about)
        receipt._hold(content, about, held, numbers if "documents" in about else None)
        return receipt

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Receipt:
        """Read a receipt; if a single byte was changed, it is refused.

        Parameters
        ----------
        path
            The file.
        """
        path = check_path("path", path)
        try:
            size = os.path.getsize(path)
        except OSError:
            size = 0  # the reader says what is wrong
        if size > file.LARGEST:
            raise FileFormatError(
                f"{shown(path)} has {number_of(size, 'byte')}, and no receipt has more than {file.LARGEST}"
            )
        return Receipt(stored_bytes(path), path)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the receipt, whole or not at all.

        Parameters
        ----------
        path
            The file; its name should end in `.receipt.json`.
        """
        from truebleu._atomic import replacing

        try:
            with replacing(Path(check_path("path", path))) as stream:
                stream.write(self.content)
        except (OSError, ValueError) as error:  # ValueError: "." has no name
            raise InputFileError(f"path is {brief(path, 300)}, which cannot be written: {str(error)[:200]}") from error

    @property
    def digest(self) -> str:
        """The hash of the whole file."""
        return str(self.about["digest"])

    @property
    def system(self) -> str:
        """The name of the system."""
        return str(self.about["system"]["name"])

    @property
    def rows_of(self) -> str:
        """The unit of a row: "segments", "documents", or "total"."""
        return str(self.about.get("rows", "segments"))

    @property
    def signature_fields(self) -> dict[str, str]:
        """The fields of signatures for the test set; empty if the texts do not belong to one."""
        known = self.about.get("test_set", {})
        return {key: known[name] for key, name in file.OF_SETS.items() if known.get(name) is not None}

    def metric(self, name: str) -> Metric[Any]:
        """Make the metric that counted some rows; its signatures name the test set and how texts were divided.

        Parameters
        ----------
        name
            The name of the rows, one of `stats`.
        """
        check_text(f"{self.name}: name", name, "that of some rows")
        written = as_written(name, self.stats)
        entry = next((one for one in self.about["metrics"] if one["name"] == written), None)
        if entry is None:
            raise self._without(f"name {brief(name)}")
        kind: Any = named(entry["fingerprint"]["metric"])
        kind = RatedMetric if entry["fingerprint"]["metric"] == "external" else kind
        if kind is None:
            raise OptionError(f"{self.name} has rows of {brief(name)}, and this truebleu has no such metric")
        try:
            if "ratings" in entry["options"]:
                raise TypeError("it has ratings, which no receipt keeps")
            metric: Metric[Any] = kind(**entry["options"])
        except TypeError as error:
            raise OptionError(
                f"{self.name}: the options of {brief(name)} are not those of a metric: {error}"
            ) from error
        return _signed(metric, self.signature_fields, self.about)

    def rows_for(self, metric: Any, references: Iterable[Iterable[str | None]] | None = None) -> Stats:
        """Give the rows that a metric would count; if the receipt does not have them, the error names the difference.

        Parameters
        ----------
        metric
            The metric.
        references
            The references of the other systems, which must be those of the receipt.
        """
        metric = as_metric(self.name, "metric", metric)
        if not hasattr(metric, "fingerprint"):
            raise InputTypeError(f"{self.name}: metric is {brief(metric)}, expected a metric such as BLEU()")
        if references is not None:
            self.require_references(references)
        wanted = dict(metric.fingerprint())
        of_kind = [stats for stats in self.stats.values() if stats.fingerprint.get("metric") == wanted.get("metric")]
        if not of_kind:
            raise self._without(name_of(metric))
        for stats in of_kind:
            if all(stats.fingerprint.get(key) == value for key, value in wanted.items()):
                of_kind = [stats]
        of_kind[0].require(wanted, f"{self.name} and {metric.name}", tuple(metric.columns))
        return of_kind[0]

    def require_references(self, references: Iterable[Iterable[str | None]]) -> None:
        """Raise an error that names the field, unless the receipt was made with these references.

        Parameters
        ----------
        references
            The streams of references.
        """
        streams = file.checked_streams(self.name, references)
        kept = file.references_of(self.about)
        if not kept and len(streams[0]) == self.about["segments"]:
            return  # it has scores from elsewhere alone
        if kept and len(streams) != len(kept):
            raise StatsMismatch(
                f"{self.name} is of {number_of(len(kept), 'reference')}, here {there_are(len(streams))}"
            )
        for at, (one, stream) in enumerate(zip(kept or [{}] * len(streams), streams, strict=True)):
            if len(stream) != self.about["segments"]:
                segments = self.about["segments"]
                raise LengthMismatch(f"{self.name}: segments is {segments}, reference {at} has {len(stream)}")
            if one["hash"].startswith("hmac-"):
                warn("%s: the hashes of its references have a key, so they are not compared", self.name)
            elif file.hash_texts(stream) != one["hash"]:
                label = shown(one["label"])
                where = f"inputs.references[{at}].hash ({label})"
                raise StatsMismatch(f"{self.name}: {where} is the hash of other references")

    def require_same(self, other: Receipt) -> None:
        """Raise StatsMismatch with the name of the field, unless another receipt has the same segments and references.

        Parameters
        ----------
        other
            The other receipt.
        """
        check_instance("Receipt.require_same", "other", other, Receipt, "another receipt")
        both = [_comparable(one) for one in (self, other)]
        # Scores from elsewhere may have no references, and the same texts may have been scored as a test set or files.
        of_both = ["test_set.", "inputs.items"]
        of_both += [] if all(file.references_of(one.about) for one in (self, other)) else ["inputs.references"]
        for field in {**both[0], **both[1]}:
            ours, theirs = (one.get(field) for one in both)
            is_known = not field.startswith(tuple(of_both)) or all(field in one for one in both)
            if ours != theirs and is_known:
                pair = f"{brief(ours)} and {brief(theirs)}"
                raise StatsMismatch(f"{self.name} and {other.name} differ in {field}: {pair}")

    def verify(
        self,
        references: TestSet | Iterable[Iterable[str | None]] | None = None,
        hypotheses: Iterable[str] | Mapping[Hashable, str] | None = None,
        *,
        key: bytes | None = None,
        documents: Iterable[Hashable] | None = None,
        scores: Mapping[str, str] | None = None,
        answers: str | None = None,
        sources: Iterable[str] | None = None,
        rescore: Mapping[str, str] | bool = False,
    ) -> Verification:
        """Check everything that can be checked with the given data. A false receipt gives problems, not an error.

        Give references and texts as they are; if the receipt is about divided or joined texts, they are divided or
        joined here again.

        Parameters
        ----------
        references
            The streams of references, or the test set.
        hypotheses
            The output of the system, one text for each segment; if texts were divided, lines, or a mapping from
            document to text.
        key
            The secret that the hashes were made with, if they were made with one.
        documents
            The document of each segment of the references, if rows are sums of whole documents; a test set provides
            them.
        scores
            The files of scores from elsewhere, by the name of their metric: their hashes are compared, and their scores
            read again.
        answers
            A file with the answers of judges: their hash is compared, and they are read again.
        sources
            What was translated; a test set tells it.
        rescore
            Whether learned metrics score the texts again, if the same weights are here; or a folder with the model for
            each of them by name.
        """
        return verify(self, references, hypotheses, key, documents, scores, answers, sources, rescore)

    def to_metrics(self) -> dict[str, float]:
        """Give the scores by names that MLflow and Weights & Biases take."""
        from truebleu.receipts.exports import metrics_of

        return metrics_of(self)

    def to_params(self) -> dict[str, str]:
        """Give the settings as flat texts, for MLflow and Weights & Biases."""
        from truebleu.receipts.exports import params_of

        return params_of(self)

    def to_evaluate(self, module: str) -> dict[str, Any]:
        """Give the result of a module of `truebleu.evaluate` for this score.

        Parameters
        ----------
        module
            "sacrebleu", "chrf" or "ter".
        """
        from truebleu.receipts.exports import evaluate_of

        return evaluate_of(self, module)

    def to_arrow(self, name: str) -> Any:
        """Give rows as an Arrow table.

        Parameters
        ----------
        name
            The name of the rows, one of `stats`.
        """
        if as_written(check_text(f"{self.name}: name", name, "that of some rows"), self.stats) not in self.stats:
            raise self._without(f"name {brief(name)}")
        return self.stats[name].to_arrow()

    def _without(self, what: str) -> OptionError:
        return OptionError(f"{self.name} has no rows of {what}, only of {', '.join(map(shown, self.stats))}")

    def __len__(self) -> int:
        return file.row_count(self.about)

    def __repr__(self) -> str:
        scores = ", ".join(f"{title(one)} = {one['score']:.2f}" for one in self.about["metrics"])
        return (
            f"<receipt of {shown(self.system) or 'a system'}: {number_of(self.about['segments'], 'segment')}, {scores}>"
        )


def _checked_metrics(metrics: Any) -> dict[str, Metric[Any]]:
    found: dict[str, Any] = {}
    for name, metric in named_metrics("Receipt.make", metrics).items():
        check_text("Receipt.make: a name in metrics", name, "text")
        what = f"metrics[{brief(name)}]"
        expected = "a metric that counts texts, such as BLEU(), or an ExternalMetric"
        check_instance("Receipt.make", what, metric, (Metric, ExternalMetric), expected)
        other = None if isinstance(metric, ExternalMetric) else other_metric(name, metric)  # type: ignore[arg-type]
        if other is not None:
            raise OptionError(f"Receipt.make: {what} is {metric.name}, and its name is that of {other}: rename it")
        found[name] = metric
    return found


def _system(name: str, url: str, note: str) -> dict[str, str]:
    found = {}
    for field, text in (("name", name), ("url", url), ("note", note)):
        what = f"Receipt.make: {'system' if field == 'name' else field}"
        if len(check_text(what, text, "text")) > file.LONGEST_NOTE:
            raise OptionError(f"{what} has {number_of(len(text), 'character')}, expected at most {file.LONGEST_NOTE}")
        if text or field == "name":
            # Lone surrogates of a file name cannot be written.
            found[field] = text.encode("utf-8", "backslashreplace").decode()
    return found


def _test_set_fields(test_set: TestSet) -> dict[str, str | None]:
    known = test_set.signature_fields
    fields = {name: known.get(key) for key, name in file.OF_SETS.items()}
    return {**fields, "set_version": test_set.version, "content": content_of(test_set)}


def _references(
    streams: list[list[str | None]], labels: Iterable[str] | None, source: Iterable[str] | None, key: bytes | None
) -> dict[str, Any]:
    """The fields of a receipt for references and sources."""
    who = "Receipt.make"
    names = list(map(str, range(1, len(streams) + 1)) if labels is None else check_texts(who, "labels", labels))
    if len(names) != len(streams):
        raise LengthMismatch(
            f"{who}: labels has {number_of(len(names), 'name')}, expected one for each of "
            f"{number_of(len(streams), 'reference')}"
        )
    found = [{"label": name, "hash": file.hash_texts(stream, key)} for name, stream in zip(names, streams, strict=True)]
    of_references = {"references": found} if found else {}
    if source is None:
        return of_references
    return {**of_references, "source": file.hash_texts(check_texts(who, "source", source), key)}


def _units(rows: str, numbers: list[int] | None, segments: int) -> tuple[dict[str, Any], list[int] | None]:
    """The fields of a receipt for documents and rows, and the groups in which rows of segments are summed."""
    kept: dict[str, Any] = {}
    if choice("Receipt.make", "rows", rows, file.ROWS) != "segments":
        kept = {"rows": rows, "required": ["rows"]}
    if rows == "total":
        return kept, [0] * segments
    if numbers is None:
        if rows == "documents":
            raise OptionError("Receipt.make: rows is 'documents', and documents are not given")
        return kept, None
    kept["documents"] = {"count": max(numbers) + 1, "data": pack_labels(numbers)}
    return kept, numbers if rows == "documents" else None


def _given(stats: Any, name: str, size: int | None = None) -> Stats:
    if stats is None:
        raise OptionError(f"Receipt.make: {brief(name)} has scores from elsewhere, expected their rows in stats")
    rows = stats.get(name)
    check_instance("Receipt.make", f"stats[{brief(name)}]", rows, Stats, "the rows that stats() returns")
    if size is not None and len(rows) != size:
        where = f"Receipt.make: stats[{brief(name)}]"
        raise LengthMismatch(f"{where} has {number_of(len(rows), 'row')}, and {there_are(size, 'segment')}")
    counted: Stats = rows
    return counted


def _segmentation(value: Any, texts: list[str], level: str | None) -> dict[str, Any]:
    """The fields of a receipt for the division of texts; spans are hashed."""
    from truebleu.resegmentation import Resegmented

    if not isinstance(value, Resegmented):
        check_instance("Receipt.make", "segmentation", value, Mapping, "a result of resegment(), or its to_dict()")
        try:
            return dict(json.loads(json.dumps(dict(value), allow_nan=False)))
        except (TypeError, ValueError, RecursionError) as error:
            raise InputTypeError(f"Receipt.make: segmentation cannot be written as JSON: {brief(error)}") from error
    if level in (None, "segment") and value.segments != texts:
        raise OptionError("Receipt.make: segmentation has other segments than hypotheses, expected the same")
    spans = sha256(json.dumps(list(map(list, value.spans))).encode()).hexdigest()
    return {**value.to_dict(), "spans": f"sha256:{spans}"}


def _signed_level(level: Any) -> str:
    """A level as signatures call it."""
    if level in SIGNED_LEVELS.values():
        return str(level)
    return SIGNED_LEVELS[choice("Receipt.make", "level", level, tuple(SIGNED_LEVELS))]


def _numbered(labels: Iterable[Hashable]) -> list[int]:
    codes: dict[Hashable, int] = {}
    return [codes.setdefault(label, len(codes)) for label in labels]


def _checked_seed(who: str, seed: int | str | None, samples: int) -> str:
    text = Seed.of(seed).number_text()
    if text == "none" and samples > 1:
        raise OptionError(f"{who}: seed is 'none', and an interval with a fresh seed cannot be repeated")
    return text


def _signed(metric: Metric[Any], fields: Mapping[str, str], about: Mapping[str, Any]) -> Metric[Any]:
    """A copy of the metric whose signatures name the test set and how texts were divided."""
    division = {"reseg": about.get("segmentation", {}).get("method"), "level": about.get("level")}
    return with_about(metric, About(**fields, **division))


def _entry(name: str, metric: Metric[Any], stats: Stats, samples: int, seed: str) -> dict[str, Any]:
    """The fields of a receipt for one metric."""
    options = metric.arguments()
    kind: Any = RatedMetric if isinstance(metric, ExternalMetric) else named(metric.name)
    if kind is None or dict(kind(**options).fingerprint()) != dict(metric.fingerprint()):
        raise OptionError(
            f"Receipt.make: {metric!r} cannot be made again from its options, expected a metric of truebleu"
        )
    neural: dict[str, Any] = {}
    if metric.is_learned and (told := getattr(metric.score(stats), "neural", None)):
        # What a run says of itself is no part of the score, which the rows alone must give again.
        neural = {"neural": told}
        stats = stats.select(range(len(stats)))
    score = metric.score(stats, samples, seed=seed)
    packed = pack(stats.rows, stats.columns, metric.predictors)
    entry: dict[str, Any] = {
        "name": name,
        "signature": str(score.signature),
        "options": options,
        "fingerprint": dict(stats.fingerprint),
        "references": list(stats.references),
        "columns": list(stats.columns),
        "kinds": packed.kinds,
        "predict": packed.predict,
        "data": packed.data,
        "score": score.score,
        "parts": score.parts(),
        **neural,
    }
    if score.confidence is not None:
        entry["interval"] = {**score.confidence._asdict(), "n": samples, "seed": seed}
    return entry


def _comparable(receipt: Receipt) -> dict[str, Any]:
    """The fields in which receipts must agree, so that their rows can be compared."""
    about = receipt.about
    known = about.get("test_set", {})
    fields = {f"test_set.{key}": known[key] for key in ("pair", "origlang", "subset") if known}
    hashes = {f"inputs.references[{at}].hash": one["hash"] for at, one in enumerate(file.references_of(about))}
    hashes |= {"inputs.items": about["inputs"]["items"]} if "items" in about["inputs"] else {}
    return {"segments": about["segments"], **fields, **hashes, "rows": receipt.rows_of, "level": about.get("level")}
