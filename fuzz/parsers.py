"""The parsers of what comes from elsewhere, on input that nobody has written: `make fuzz`.

Whatever the bytes are, a parser gives a result that keeps its promises or raises one of truebleu's own errors. Atheris
drives the parsers with the coverage of their code in view (`python fuzz/parsers.py sgm`); `mutants` is the plain way,
for the test suite: seeded, so that it is the same each time.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import io
import json
import random
import sys
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

with contextlib.suppress(ImportError):
    import atheris

    if __name__ == "__main__":
        # The code must be instrumented while it is imported.
        import importlib

        with atheris.instrument_imports(include=["truebleu"]):
            for part in (
                "_textio",
                "sgm",
                "signature",
                "runners.judging.answers",
                "runners.protocol",
                "metrics.published",
                "dataset.registry",
                "dataset.formats",
            ):
                importlib.import_module(f"truebleu.{part}")
            for part in ("wmt_xml", "iwslt_xml", "fake_sgml", "jsonl", "jsonl_keys", "tsv"):
                importlib.import_module(f"truebleu.dataset.formats.{part}")
            for part in ("store.bundle", "receipts.file", "receipts.receipt", "_packing", "receipts.verification"):
                importlib.import_module(f"truebleu.{part}")
            for part in importlib.import_module("truebleu.scores.reading").SCORE_FORMATS.values():
                importlib.import_module(f"truebleu.scores.{part.module}")

import numpy as np

from score_samples import SAMPLES
from strict_answers import score_of
from strict_lines import scores_of
from truebleu import BLEU, CHRF, TER, demo, sgm
from truebleu._textio import RECORDS_FORMATS, parse_records, text_of
from truebleu.dataset import registry
from truebleu.dataset.formats import fake_sgml, iwslt_xml, jsonl, tsv, wmt_xml
from truebleu.dataset.registry import Definition, Pair
from truebleu.errors import TruebleuError
from truebleu.metrics import Metric
from truebleu.metrics.published import parse_signature
from truebleu.receipts import Receipt
from truebleu.receipts import file as receipt_file
from truebleu.runners.judging.answers import mqm_score, read_answer
from truebleu.runners.protocol import LineReader, Unit, line_of
from truebleu.scores.opened import ScoreFile
from truebleu.scores.reading import SCORE_FORMATS, read_opened
from truebleu.signature import Signature, read_fields
from truebleu.store import offline
from truebleu.store.bundle import MANIFEST, unpack_bundle


class Target(NamedTuple):
    """A parser: what is done with bytes, and bytes that it takes."""

    check: Callable[[bytes], object]
    seeds: Callable[[], list[bytes]]


# Each check reads the bytes, and asserts what must hold of what was read.


def check_scores(data: bytes) -> None:
    """Whatever the format of a file of scores, a table has a finite score or none for each system and item."""
    for kind in (None, *SCORE_FORMATS):
        with contextlib.suppress(TruebleuError):
            table = read_opened(ScoreFile("made-up", content=data), kind)
            for metric in table.metrics:
                matrix = table.matrix(metric)
                assert matrix.shape == (len(table.systems), len(table.items)), kind
                assert not np.isinf(matrix).any(), kind
            assert table.documents is None or len(table.documents) == len(table.items), kind
            assert all(table.systems) and len(set(table.systems)) == len(table.systems), kind


def seeds_of_scores() -> list[bytes]:
    """A file of each format."""
    return [text.encode() for _, text in SAMPLES.values()]


def check_judge(data: bytes) -> None:
    """An answer of a judge gives a score if and only if a strict reader sees the same one."""
    text = data.decode("utf-8", "surrogateescape")
    for form, bounds in (("score", (0.0, 100.0)), ("errors", (-25.0, 0.0)), ("errors+score", (0.0, 100.0))):
        for as_schema in (True, False):
            found = read_answer(text, form, bounds, as_schema=as_schema)
            score = None if found.why else mqm_score(found.errors) if found.score is None else found.score
            assert score == score_of(text, form, *bounds, as_schema=as_schema), (form, as_schema)


def seeds_of_judge() -> list[bytes]:
    """Answers of each form, wrapped as models wrap them."""
    error = '{"text": "bad", "severity": "minor", "category": "style", "in": "translation"}'
    texts = (
        '{"score": 85}', "85", "score: 85/100", "<think>100?</think>\n```json\n{\"score\": 8.5e1}\n```",
        f'{{"errors": [{error}, {error}]}}', f'{{"errors": [{error}], "score": 70}}', '{"errors": []}',
    )  # fmt: skip
    return [text.encode() for text in texts]


def check_protocol(data: bytes) -> bool:
    """A line of a runner gives scores if and only if a strict reader sees the same ones; whether it gives any."""
    found = None
    with contextlib.suppress(TruebleuError):
        message = _RUNNER.message(data)
        if message["type"] == "result":
            found = [one.score for one in _RUNNER.results(message, _UNITS, (0.0, 25.0), str)]
    assert found == scores_of(data, [unit.hyp for unit in _UNITS], 0.0, 25.0), data
    return found is not None


_RUNNER, _UNITS = LineReader("made-up"), [Unit("a", "The grey heron é𝄞.", "b"), Unit("c", "", "d")]


def seeds_of_protocol() -> list[bytes]:
    """Lines of each type, and results with everything that they may have."""
    span = {"start": 4, "end": 18, "severity": "major", "category": "style", "confidence": 0.25}
    first = {"score": 12.5, "cut": 3, "spans": [{**span, "end": 8}, span], "parts": {"P": -1e-3, "R": 2}}
    messages: list[dict[str, Any]] = [
        {"type": "result", "id": 1, "results": [first, {"score": None, "why": "no memory"}]},
        {"type": "result", "id": 2, "results": [{"score": 0.25}, {"score": 25}]},
        {"type": "result", "id": 3, "results": [{"score": 7.0, "parts": None, "spans": []}, {"score": 1, "cut": 0}]},
        {"type": "progress", "phase": "score", "done": 1, "total": 2},
        {"type": "failed", "id": None, "kind": "oom", "message": "no memory"},
        {"type": "ready", "meta": {"device": "cpu"}, "batch": 16},
    ]
    return [line_of(message) for message in messages]


def check_signature(data: bytes) -> None:
    """What is read can be written, and what is written is read again; so for fields and for metrics."""
    text = data.decode("utf-8", "replace")
    _, fields = read_fields(text)
    written = Signature({"nrefs": 1, **fields})
    # The version is the end of a line: what stands behind " = " is the score there, and white space means nothing.
    version = written.fields()["version"]
    is_odd = " = " in version or version != version.strip()
    assert is_odd or written.fields() == read_fields(written.format())[1], text
    with offline():
        metric = parse_signature(text).make(references=REFERENCES)
        again = parse_signature(f"{metric.label}|{metric.get_signature()}").make(references=REFERENCES)
    assert metric.get_signature() == again.get_signature(), text


REFERENCES = [["A heron stood by the pond."]]


def seeds_of_signatures() -> list[bytes]:
    """Signatures of several metrics, long, short, and of sacreBLEU 1."""
    texts = ["By the pond stood a heron."], REFERENCES
    metrics: list[Metric[Any]] = [
        BLEU(),
        BLEU(lowercase=True, tokenize="intl", smooth_method="floor"),
        CHRF(word_order=2),
        TER(),
    ]
    lines = [f"{metric.corpus_score(*texts).name}|{metric.get_signature()}" for metric in metrics]
    lines += [metric.get_signature().format(short=True) for metric in metrics]
    lines += ["BLEU+case.mixed+lang.en-de+numrefs.1+smooth.exp+test.wmt17+tok.13a+version.1.5.1 = 31.4"]
    return [line.encode() for line in lines]


def check_sgm(data: bytes) -> None:
    """Documents add up to segments, and a stream is in its own order."""
    text = data.decode("utf-8", "replace")
    sgm.is_sgm(text)
    for stream in sgm.parse(text):
        assert len(stream) == sum(stream.documents.values())
        assert [segment.text for segment in stream.values()] == sgm.texts_in_order(stream, stream)


def seeds_of_sgm() -> list[bytes]:
    """Sources, references and outputs of mteval."""
    segments = '<p>\n<seg id="1">One &amp; two.</seg>\n<seg id="2">Three</seg></p>'
    body = f'<doc docid="a" genre="news" origlang="en">{segments}</doc>'
    return [
        f'<srcset setid="x" srclang="any">{body}</srcset>'.encode(),
        f'<?xml version="1.0"?><!DOCTYPE mteval SYSTEM "x.dtd"><mteval><refset setid="x" refid="r">{body}</refset>'
        f'<refset setid="x" refid="s">{body}</refset></mteval>'.encode(),
        f'<tstset setid="x" sysid="s">{body.replace("docid", "DocID").upper()}</tstset>'.encode(),
    ]


def check_columns(data: bytes) -> None:
    """Whatever the format of a test set, its columns are of one length and hold one line each."""
    for reader, pair in _READERS:
        with contextlib.suppress(TruebleuError):
            columns = reader.read(_DEFINITION, pair, lambda name: data)
            lengths = {len(column) for column in columns.fields.values()}
            assert len(lengths) == 1, (reader.__name__, lengths)
            assert not any("\n" in line for column in columns.fields.values() for line in column), reader.__name__
            assert set(columns.systems) <= set(columns.fields)


_DEFINITION = Definition("made-up", "wmt-xml", "", (), {})
_ONE, _TWO = Pair("en-de", ("one",)), Pair("en-de", ("one", "two"))
_READERS: list[tuple[Any, Pair]] = [(wmt_xml, _ONE), (jsonl, _ONE), (fake_sgml, _TWO), (iwslt_xml, _TWO), (tsv, _ONE)]


def seeds_of_columns() -> list[bytes]:
    """A file of each format."""
    segments = '<p><seg id="1">{0} one</seg><seg id="2">{0} &lt;two&gt;</seg></p>'
    xml = (
        '<?xml version="1.0" encoding="utf-8"?><dataset id="x"><collection id="c">'
        f'<doc id="d" origlang="en" domain="news"><src lang="en">{segments.format("s")}</src>'
        f'<ref lang="de" translator="A">{segments.format("a")}</ref><ref lang="de">{segments.format("b")}</ref>'
        f'<hyp system="X" lang="de">{segments.format("x")}</hyp></doc></collection></dataset>'
    )
    lines = demo_lines()
    talk = '<doc docid="1" genre="lectures">\n<url>x</url>\n<seg id="1"> One. </seg>\n<seg id="2">Two.</seg>\n</doc>\n'
    return [xml.encode(), lines, talk.encode(), b"one\teins\ntwo\tzwei\n"]


@cache
def demo_lines() -> bytes:
    """The first lines of the demo set, as they are packaged."""
    path = next(Path(demo.__file__).parent.glob("*.jsonl"))
    return b"".join(path.read_bytes().splitlines(keepends=True)[:3])


def check_records(data: bytes) -> None:
    """Records have as many numbers as rows, and a field that all have has a value for each."""
    for kind in RECORDS_FORMATS:
        with contextlib.suppress(TruebleuError):
            records = parse_records(text_of(data, "utf-8", "made up"), kind, "made up")
            assert len(records.rows) == len(records.numbers)
            for field in {name for row in records.rows[:3] for name in row}:
                for values in (records.texts, records.lists, records.keys):
                    with contextlib.suppress(TruebleuError):
                        assert len(records.rows) == len(values(field))


def seeds_of_records() -> list[bytes]:
    """Lines of objects, a list of them, and tables."""
    rows = [{"hypothesis": "a b", "references": ["a", None], "n": 1}, {"hypothesis": "ü", "references": "c", "n": None}]
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    return [
        lines.encode(),
        json.dumps(rows).encode(),
        b"a\tb\n1\t2\n",
        b'a,"b ""c"""\r\n1,"2\n3"\r\n',
        "\ufeffa\nb\n".encode(),
    ]


def check_registry(data: bytes) -> None:
    """The sets of a registry can be asked for their pairs."""
    for one in registry.parse(registry._load(data, "made up"), Path("/nowhere"), "made up"):
        assert registry.can_be_a_name(one.name)
        for name in list(one.pairs)[:3]:
            assert isinstance(one.pairs[name], Pair)


def seeds_of_registries() -> list[bytes]:
    """A set of each format."""
    sets = json.loads(registry.BUILT_IN.read_bytes())["sets"]
    # A registry from elsewhere has addresses alone.
    kinds = {one["format"]: one for one in sets if "base" not in one and all("url" in file for file in one["files"])}
    return [json.dumps({"schema": 1, "sets": [one]}).encode() for one in kinds.values()]


def check_bundle(data: bytes) -> None:
    """What a bundle brings is below the cache, and only what its manifest names."""
    with _cache() as home:
        path = home / "made-up.bundle"
        path.write_bytes(data)
        try:
            bundle = unpack_bundle(path)
        except TruebleuError:
            bundle = None
        there = {str(file.relative_to(home / "cache")) for file in (home / "cache").rglob("*") if file.is_file()}
        assert there == ({content.path for content in bundle.files} if bundle else set())


@contextlib.contextmanager
def _cache() -> Iterator[Path]:
    """A cache of its own for as long as a check takes, and where the operating system lets us, in memory."""
    import os

    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(prefix="truebleu-fuzz-", dir=memory if memory.is_dir() else None) as name:
        before = os.environ.get("TRUEBLEU_CACHE")
        os.environ["TRUEBLEU_CACHE"] = str(Path(name) / "cache")
        try:
            yield Path(name)
        finally:
            os.environ.pop("TRUEBLEU_CACHE")
            if before is not None:
                os.environ["TRUEBLEU_CACHE"] = before


def seeds_of_bundles() -> list[bytes]:
    """A bundle of two files."""
    files = {"mine/raw/a.txt": b"one\n", "mine/raw/b.txt": b""}
    listed = [
        {"path": path, "bytes": len(text), "sha256": hashlib.sha256(text).hexdigest()} for path, text in files.items()
    ]
    manifest = {"format": "truebleu-bundle", "schema": 1, "sets": {"mine": list(files)}, "files": listed}
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as packed:
        for name, text in {MANIFEST: json.dumps(manifest).encode(), **files}.items():
            member = tarfile.TarInfo(name)
            member.size = len(text)
            packed.addfile(member, io.BytesIO(text))
    # Two blocks of zeros end an archive; what follows them only fills it up.
    return [buffer.getvalue()[: -(len(buffer.getvalue()) % 10240) or None].rstrip(b"\0") + bytes(1024 + 512)]


def check_receipt(data: bytes) -> None:
    """A receipt that is taken can be verified, and its rows can be scored; so can one whose hashes fit what it says."""
    for content in (data, _sealed(data)):
        with contextlib.suppress(TruebleuError):
            receipt = Receipt(content, "made up")
            receipt.verify()
            for name, rows in receipt.stats.items():
                assert rows.rows.shape == (receipt_file.row_count(receipt.about), len(rows.columns))
                with contextlib.suppress(TruebleuError):
                    receipt.metric(name)


def _sealed(data: bytes) -> bytes:
    """The same with the hashes that it should have, as far as it is JSON: otherwise every change ends at the hashes."""
    try:
        about = json.loads(data)
        about["digest"], about["content"] = f"sha256:{'0' * 64}", receipt_file.content_hash(about)
        content = (json.dumps(about, separators=(",", ":"), ensure_ascii=False) + "\n").encode(
            "utf-8", "backslashreplace"
        )
    except Exception:
        return b""
    return content.replace(b"0" * 64, hashlib.sha256(content).hexdigest().encode(), 1)


def seeds_of_receipts() -> list[bytes]:
    """Receipts of several metrics, one with an interval."""
    texts = ["A heron stood by the pond.", "Rain."], [["By the pond stood a heron.", "It rains."]]
    one = Receipt.make(*texts, {"BLEU": BLEU(), "TER": TER()}, system="x")
    other = Receipt.make(*texts, {"chrF": CHRF()}, system="y", n_bootstrap=10, seed=1)
    return [one.content, other.content]


TARGETS = {
    "signatures": Target(check_signature, seeds_of_signatures),
    "sgm": Target(check_sgm, seeds_of_sgm),
    "test-sets": Target(check_columns, seeds_of_columns),
    "records": Target(check_records, seeds_of_records),
    "registries": Target(check_registry, seeds_of_registries),
    "bundles": Target(check_bundle, seeds_of_bundles),
    "receipts": Target(check_receipt, seeds_of_receipts),
    "scores": Target(check_scores, seeds_of_scores),
    "judge-answers": Target(check_judge, seeds_of_judge),
    "runner-lines": Target(check_protocol, seeds_of_protocol),
}


def run(target: Target, data: bytes) -> None:
    """Check some bytes. Only an error that is not truebleu's own gets out.

    Parameters
    ----------
    target
        The parser.
    data
        What it reads.
    """
    with contextlib.suppress(TruebleuError):
        target.check(data)


# What some parser or other takes for more than text.
TOKENS = [
    *(b"<", b">", b"&", b'"', b"'", b"\n", b"\r", b"\t", b"\0", b"\xff", b"\xed\xa0\x80", b"|", b":", b"%", b"{}"),
    *(b"[]", b"null", b"1e999", b"-1", b"9" * 30, b"\xef\xbb\xbf", b"\\ud800", b"<!--", b"]]>", b"&#1;", b"%25", b"+"),
]  # fmt: skip


def mutants(seeds: list[bytes], count: int, seed: str) -> Iterator[bytes]:
    """Change seeds: bytes, and stretches that are cut out, doubled, or taken from another seed.

    Parameters
    ----------
    seeds
        Bytes that a parser takes.
    count
        How many to make.
    seed
        What the changes are drawn by.
    """
    rng = random.Random(seed)
    for _ in range(count):
        data = bytearray(rng.choice(seeds))
        for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
            at = rng.randrange(len(data) + 1)
            end = min(len(data), at + rng.choice((0, 1, 1, 2, 4, 16, 64)))
            other = rng.choice(seeds)
            start = rng.randrange(len(other) + 1)
            new = rng.choice(
                (b"", rng.choice(TOKENS), rng.randbytes(1), bytes(data[at:end]) * 2, other[start : start + 32])
            )
            data[at:end] = new
        yield bytes(data)


def main() -> None:
    """Fuzz one parser with Atheris; further words are libFuzzer's, files among them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("target", choices=list(TARGETS))
    given, rest = parser.parse_known_args()
    if "atheris" not in globals():
        raise SystemExit("Atheris drives the fuzzing of parsers: pip install atheris")
    target = TARGETS[given.target]
    if all(word.startswith("-") for word in rest):
        corpus = Path(__file__).resolve().parent / "corpus" / given.target
        corpus.mkdir(parents=True, exist_ok=True)
        for seed in target.seeds():
            (corpus / hashlib.sha256(seed).hexdigest()[:16]).write_bytes(seed)
        rest = [*rest, "-max_len=20000", str(corpus)]
    atheris.Setup([sys.argv[0], *rest], lambda data: run(target, data))
    atheris.Fuzz()


if __name__ == "__main__":
    main()
