"""`truebleu receipt`: small files with which others check a score, and test against a system without its texts."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from truebleu._counts import number_of
from truebleu._logs import inform
from truebleu._shown import json_text, shown
from truebleu._textio import RECEIPT_ENDING
from truebleu.cli.flags import (
    DIVISION,
    INPUT,
    NO_CHECKS,
    SURENESS,
    TEST_SET,
    TEXTS,
    WORK,
    Section,
    chosen,
    formats,
    metric_flags,
    metrics_flag,
    typed,
)  # fmt: skip
from truebleu.cli.main import (
    BAD_DATA,
    GOES_WITH,
    IDLE_WITHOUT,
    NOT_WITH,
    Command,
    UsageError,
    refuse_conflicts,
    refuse_idle,
)
from truebleu.metrics.options import flag, switch

if TYPE_CHECKING:
    from truebleu.cli.inputs import Reader, Source
    from truebleu.dataset.sets import TestSet
    from truebleu.receipts import Receipt, Verification

_PRIVACY = """\
what a receipt reveals: it holds no words, but (1) which segments equal the reference, (2) whether a text that somebody
guesses is the one, segment by segment, (3) the length of every segment, and (4) its hash confirms a guess of the whole
file. For outputs that are secret there are --by-document, --total and --keyed; see docs/receipts.md.
"""

_MAKE = (
    flag(
        "--output", "-o", default="", metavar="FILE",
        help="where to; of several systems a folder (default: the name of the system, and .receipt.json)",
    ),
    flag("--system", default="", metavar="NAME", help="the name of the system (default: that of its file)"),
    flag("--url", default="", metavar="URL", help="where the system, or its output, is described"),
    flag("--note", default="", metavar="TEXT", help="further information for readers"),
    *chosen(SURENESS, "docids", "confidence", "confidence_n", "seed"),
    switch("--by-document", help="keep the sums of each document, not the rows of segments"),
    switch("--total", help="keep only the sums of all segments: the score can be checked, but no test can be made"),
    flag("--keyed", metavar="KEYFILE", help="hash with the secret in a file, so that texts cannot be guessed"),
    switch("--force", help="replace a receipt that is there"),
    *NO_CHECKS,
    *WORK.flags,
)  # fmt: skip


def _make(args: argparse.Namespace) -> int:
    from truebleu.cli.job import check_texts, read_job
    from truebleu.cli.progress import Progress
    from truebleu.cli.receipts import How, base_name, check_targets, make_receipt, read_key
    from truebleu.cli.request import understand_part

    key, rows = read_key(args.keyed), "documents" if args.by_document else "total" if args.total else "segments"
    documents, system, overwrite = args.docids or args.doc_field, args.system, args.force
    samples = args.confidence_n if args.confidence else 1
    is_divided = args.resegment is not None or args.text_level not in (None, "segment")
    request = understand_part(args, docids=args.docids if is_divided else None, force=False)
    if args.docids and args.total and not is_divided:
        refuse_idle("--docids", "--total keeps only the sums of all segments")
    if request.input.level != "segment":
        documents = None  # they are what was scored
    with Progress(request.quiet) as progress:
        job = read_job(request)
        if system and len(job.systems) > 1:
            raise UsageError(f"--system names one system, and there are {len(job.systems)}")
        names = [system or base_name(one) for one in job.systems]
        targets = check_targets(args.output, names, overwrite=overwrite)
        check_texts(job, only_order=True)
        for one, target in zip(job.systems, targets, strict=True):
            with progress.step(f"receipt of {one.name}"):
                receipt = make_receipt(job, one, How(system, args.url, args.note, rows, key, documents, samples))
                receipt.save(target)
            inform("%s: %d bytes, %s", shown(target), len(receipt.content), receipt.digest)
    return 0


def _show(args: argparse.Namespace) -> int:
    from truebleu.receipts.exports import as_yaml
    from truebleu.receipts.receipt import Receipt
    from truebleu.receipts.text import as_markdown, as_text, receipt_rows

    found = []
    for path in args.receipts:
        receipt = Receipt.load(path)
        found.append((receipt, receipt.verify()))
    if args.format in ("json", "yaml"):
        data = [_as_data(receipt, verification) for receipt, verification in found]
        whole: Any = data[0] if len(data) == 1 else data
        _write(as_yaml(whole) if args.format == "yaml" else [json_text(whole, indent=2)])
    for at, (receipt, verification) in enumerate(found if args.format in ("text", "markdown") else ()):
        rows = [*receipt_rows(receipt.about), ("levels that hold", _levels(verification))]
        _write(["", *(as_text if args.format == "text" else as_markdown)(iter(rows))][at == 0 :])
    return 0


def _as_data(receipt: Receipt, verification: Verification) -> dict[str, Any]:
    """What a receipt says, without its rows."""
    about = {key: value for key, value in receipt.about.items() if key not in ("metrics", "documents")}
    without = ("data", "kinds", "predict", "columns")
    about["metrics"] = [
        {key: value for key, value in one.items() if key not in without} for one in receipt.about["metrics"]
    ]
    if "documents" in receipt.about:
        about["documents"] = receipt.about["documents"]["count"]
    levels = {str(level): holds for level, holds in verification.levels.items()}
    return {**about, "verification": {"levels": levels, "problems": list(verification.problems)}}


def _levels(verification: Verification) -> str:
    from truebleu.receipts.verification import LEVELS

    return ", ".join(f"{level} {LEVELS[level]}" for level, holds in verification.levels.items() if holds) or "none"


def _verify(args: argparse.Namespace) -> int:
    from truebleu._textio import read_lines
    from truebleu.cli.inputs import Reader, read_labels
    from truebleu.cli.receipts import read_key
    from truebleu.cli.request import source_of

    paths = [path for path in args.files if path.endswith(RECEIPT_ENDING)]
    references = tuple(path for path in args.files if not path.endswith(RECEIPT_ENDING))
    if not paths:
        raise UsageError(f"there is no receipt among the files, whose name ends in {RECEIPT_ENDING}")
    refuse_conflicts(
        (
            ("--num-refs, --ref-field", IDLE_WITHOUT, "references", _AFTER),
            (_READ, IDLE_WITHOUT, "references, --input", f"{_AFTER}, or with -i"),
            ("--rescore", GOES_WITH, "--input", "--rescore needs the texts: name them with -i"),
            ("--src", IDLE_WITHOUT, "--input", "it goes with the texts of the system, which -i names"),
            ("--model", IDLE_WITHOUT, "--rescore", "it goes with --rescore"),
        ),
        {**typed(args, _VERIFY), "references": references},
    )  # fmt: skip
    source = source_of(args, refs=references, input=args.input or None, test_set=None if references else "")
    reader, key = Reader(source), read_key(args.keyed)
    streams = reader.references().streams if references else None
    has_systems = args.input or (source.hypothesis_fields and references)
    systems = _texts(reader, source) if has_systems else [None] * len(paths)
    if len(systems) != len(paths):
        raise UsageError(
            f"there are {number_of(len(systems), 'system')} and {number_of(len(paths), 'receipt')}, expected "
            f"one each, in order"
        )
    if args.docids and streams is None:
        raise UsageError("--docids is about reference files, which are named after the receipts; a test set tells them")
    documents = read_labels(args.docids, len(streams[0])) if args.docids and streams else None
    files = _score_files(args.external, len(paths))
    more: dict[str, Any] = {
        "documents": documents, "key": key, "answers": args.answers,
        "sources": read_lines(args.src) if args.src else None,
        "rescore": args.rescore and dict(_named(text) for text in args.model),
    }  # fmt: skip
    held = [
        _check(path, streams, texts, args.signer, args.allowed_signers, scores=scores, **more)
        for path, texts, scores in zip(paths, systems, files, strict=True)
    ]
    return 0 if all(held) else BAD_DATA


def _named(text: str) -> tuple[str, str]:
    name, _, model = text.partition("=")
    if not name or not model:
        raise UsageError(f"--model is {shown(text)}, expected NAME=FOLDER")
    return name, model


def _score_files(external: list[str], count: int) -> list[dict[str, str]]:
    """The files of scores for each receipt, by the name of the metric: one for all, or one for each."""
    found: list[dict[str, str]] = [{} for _ in range(count)]
    for text in external:
        name, _, paths = text.partition("=")
        files = paths.split(",") * (count if "," not in paths else 1)
        if not name or not paths or len(files) != count:
            raise UsageError(
                f"--external is {text!r}, expected NAME=FILE with the scores of all, or a file for each of "
                f"{number_of(count, 'receipt')}: NAME=FILE,..."
            )
        for one, path in zip(found, files, strict=True):
            one[name] = path
    return found


def _texts(reader: Reader, source: Source) -> list[Any]:
    """The systems: segments or lines of each file, or where it has documents, a text for each of them."""
    from truebleu._textio import records_format
    from truebleu.cli.segmentation import read_documents

    is_told, paths = source.hypothesis_fields or source.records_format, source.systems or ()
    if is_told or not all(records_format(path) in ("json", "jsonl") for path in paths):
        return [system.segments for system in reader.systems()]
    return [read_documents(path, source.encodings[path]) for path in paths]


def _check(
    path: str,
    streams: Any,
    texts: Any,
    signer: str | None,
    allowed: str | None,
    **more: Any,
) -> bool:
    """Check one receipt and say what was found."""
    from truebleu.errors import InputFileError, TruebleuError
    from truebleu.receipts.receipt import Receipt
    from truebleu.receipts.signing import signature_problem

    try:
        receipt = Receipt.load(path)
    except InputFileError:
        raise  # there is no file to say anything about
    except TruebleuError as error:
        _write([f"{shown(path)}: NOT verified", f"  level 1 (whole): {error}"])
        return False
    notes: list[str] = []
    references = streams if streams is not None else _test_set(receipt, notes)
    found = receipt.verify(references, texts, **more)
    problems, notes = list(found.problems), [*notes, *found.notes]
    signed = ""
    if signer is not None and allowed is not None:
        problem = signature_problem(path, signer, allowed)
        problems += [problem] if problem else []
        signed = "" if problem else f", signed by {shown(signer)}"
    elif os.path.exists(f"{path}.sig"):
        notes.append("there is a signature beside it; --signer and --allowed-signers check it")
    head = f"verified ({_levels(found)}{signed})" if not problems else "NOT verified"
    _write([f"{shown(path)}: {head}", *(f"  {line}" for line in problems), *(f"  note: {line}" for line in notes)])
    return not problems


def _test_set(receipt: Receipt, notes: list[str]) -> TestSet | None:
    """Open the test set that a receipt names, if it is on this machine: a file from elsewhere starts no download."""
    from truebleu.dataset.sets import testset
    from truebleu.errors import TruebleuError
    from truebleu.store import offline

    known = receipt.about.get("test_set")
    if known is None and "references" not in receipt.about["inputs"]:
        return None  # it has scores from elsewhere alone
    if known is None:
        notes.append("the references were not checked: name their files after the receipt")
        return None
    try:
        with offline():
            refs = None if known.get("refs") is None else "all" if known["refs"] == "all" else known["refs"].split(",")
            return testset(
                known["name"], known["pair"], refs=refs, origlang=known.get("origlang"), subset=known.get("subset")
            )
    except TruebleuError as error:
        name = shown(known["name"])
        notes.append(f"the references were not checked: {error}; 'truebleu --download {name}' fetches a known test set")
        return None


def _sign(args: argparse.Namespace) -> int:
    from truebleu.receipts.receipt import Receipt
    from truebleu.receipts.signing import sign

    for path in args.receipts:
        Receipt.load(path)  # nobody should sign what is not whole
        _write([sign(path, args.key, overwrite=args.force)])
    return 0


def _export(args: argparse.Namespace) -> int:
    from truebleu._atomic import write_whole
    from truebleu._textio import decode, stored_bytes
    from truebleu.errors import FileFormatError
    from truebleu.receipts.exports import Wanted, export, into_card
    from truebleu.receipts.receipt import Receipt

    receipt = Receipt.load(args.receipt)
    problems = receipt.verify().problems
    if problems:
        raise FileFormatError(f"{receipt.name} is not true, so nothing is written: {problems[0]}")
    wanted = Wanted(args.dataset_id, args.task_id, args.model, args.url)
    if args.into is None:
        text = export(receipt, args.to, wanted)
        if sys.stdout.isatty():  # names from elsewhere must not act on it
            text = "\n".join(shown(line, sys.maxsize) for line in text.split("\n"))
        sys.stdout.write(text)
        return 0
    if args.to != "model-index":
        raise UsageError("--into puts a model-index into a model card; it goes with --to model-index")
    card, name = Path(args.into), shown(args.into)
    text = decode(stored_bytes(card), "utf-8", name) if card.exists() else ""
    write_whole(card, into_card(text, receipt, wanted, name).encode())
    return 0


def _write(lines: Iterable[str]) -> None:
    for line in lines:
        sys.stdout.write(line + "\n")


_KEPT = "--by-document and --total both say what is kept; choose one of the two"
_HUB = "it goes with --to model-index or eval-results"
_SIGNERS = "--signer and --allowed-signers go together"

_AFTER = "it goes with reference files, which are named after the receipts"
_READ = "--encoding, --fields-format, --hyp-field, --system-field, --id-field"

_VERIFY = (
    flag("files", nargs="+", metavar="FILE", help=f"receipts (*{RECEIPT_ENDING}), then reference files"),
    flag("--input", "-i", nargs="*", metavar="FILE", help="system outputs, one file for each receipt, in this order"),
    *chosen(INPUT, "num_refs", "encoding", "hyp_field", "ref_field", "system_field", "id_field", "fields_format"),
    flag("--answers", metavar="FILE", help="read the answers of judges again, which --judge-answers has written"),
    flag("--external", action="append", default=[], metavar="NAME=FILE,...",
         help="files of scores from elsewhere: one that has all systems, or one for each receipt"),
    flag("--docids", metavar="FILE", help="a document id for each line, if rows are of whole documents"),
    flag("--src", metavar="FILE", help="the source texts, one per line; a test set has them"),
    switch("--rescore", help="have learned metrics score the texts again, where the same weights are"),
    flag("--model", action="append", default=[], metavar="NAME=FOLDER", help="where the model of a learned metric is"),
    flag("--keyed", metavar="KEYFILE", help="the secret that the hashes were made with"),
    flag("--signer", metavar="NAME", help="the person who must have signed"),
    flag("--allowed-signers", metavar="FILE", help="names and public keys, as OpenSSH has them"),
)  # fmt: skip

_SIGN = (
    flag("receipts", nargs="+", metavar="RECEIPT", help="files of receipts"),
    flag("--key", required=True, metavar="FILE", help="the key, as in ~/.ssh/id_ed25519"),
    switch("--force", help="replace a signature that is there"),
)

_TARGETS = ("model-index", "eval-results", "mlflow", "wandb", "evaluate", "csv")

_EXPORT = (
    flag("receipt", metavar="RECEIPT", help="the file of a receipt"),
    flag("--to", required=True, choices=_TARGETS, metavar="FORMAT", help=", ".join(_TARGETS)),
    flag("--into", metavar="FILE", help="put a model-index into this model card, and leave the rest alone"),
    flag("--dataset-id", default="", metavar="ID", help="of the test set on the Hub"),
    flag("--task-id", default="", metavar="ID", help="of the task on the Hub (default: the language pair)"),
    flag("--model", default="", metavar="NAME", help="name of the model (default: the system)"),
    flag("--url", default="", metavar="URL", help="where the receipt is"),
)

COMMAND = Command(
    "truebleu receipt",
    about="Small files with which others check a score, and test against a system without its texts.",
    example="make REF -i SYS -m METRIC -q",
    commands=(
        Command(
            "make", (TEXTS, TEST_SET, metrics_flag, DIVISION, Section("Receipt", _MAKE), metric_flags), _make,
            "score systems and write a receipt of each", "REF [REF ...] [-i FILE ...] [options]", _PRIVACY,
            conflicts=(("--by-document", NOT_WITH, "--total", _KEPT),),
        ),
        Command(
            "show", (Section("", (_SIGN[0], *formats("text", "json", "yaml", "markdown"))),), _show,
            "show the content of a receipt, and which levels of it hold",
        ),
        Command(
            "verify", (Section("", _VERIFY),), _verify,
            "check receipts, as far as references and texts are given; exit 1 if one is false",
            "RECEIPT [RECEIPT ...] [REF ...] [-i FILE ...] [options]",
            conflicts=(
                ("--signer", GOES_WITH, "--allowed-signers", _SIGNERS),
                ("--allowed-signers", GOES_WITH, "--signer", _SIGNERS),
            ),
        ),
        Command(
            "sign", (Section("", _SIGN),), _sign,
            "sign a receipt with an SSH key; the signature is a file beside it, ending in .sig",
        ),
        Command(
            "export", (Section("", _EXPORT),), _export, "write scores in formats of other tools",
            conflicts=(
                ("--model", IDLE_WITHOUT, "--to model-index", "it goes with --to model-index"),
                ("--task-id", IDLE_WITHOUT, "--to eval-results", "it goes with --to eval-results"),
                ("--dataset-id, --url", IDLE_WITHOUT, "--to model-index, --to eval-results", _HUB),
            ),
        ),
    ),
)  # fmt: skip
