"""`truebleu sign-test`: is one system better than another, and in which segments?

The options -s, -r, -t, -b and -c are those of SignTestBleu.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple

from truebleu._atomic import check_not_inputs, check_targets, write_together
from truebleu._counts import number_of
from truebleu._shown import shown
from truebleu._textio import read_text, split_lines
from truebleu.cli.flags import INPUT, WORK, Section, chosen, formats, metric_flags, metric_name
from truebleu.cli.inputs import encodings_of, short_names
from truebleu.cli.main import IDLE_WITHOUT, NOT_WITH, Command, UsageError
from truebleu.cli.progress import Progress
from truebleu.cli.request import metric_options, refuse_foreign_flags
from truebleu.errors import EmptyCorpus, FileFormatError, LengthMismatch
from truebleu.metrics.names import made
from truebleu.metrics.options import flag, switch
from truebleu.sgm import Stream, is_sgm, parse, texts_in_order
from truebleu.significance.sign import sign_test_of_texts
from truebleu.significance.sign_text import OUTCOMES, Side, SignInput, as_json, as_text, as_xml
from truebleu.significance.signtestbleu import signtestbleu
from truebleu.version import __version__

_FILES = (
    flag("-s", "--source", metavar="FILE", help="the source; shown in the XML files of --output-dir"),
    flag(
        "-r", "--references", "--reference", metavar="FILE", nargs="+", action="extend", required=True,
        help="one file with all references, or several",
    ),
    flag("-t", "--system", "--test", metavar="FILE", required=True, help="output of the system under test"),
    flag("-b", "--baseline", metavar="FILE", required=True, help="output of the baseline"),
    flag("--sysid", metavar="ID", help="which system of the -t file, if it holds several"),
    flag("--baseline-sysid", metavar="ID", help="which system of the -b file, if it holds several"),
    switch("--by-position", help="ignore the ids: the first segment goes with the first"),
    *chosen(INPUT, "encoding"),
)  # fmt: skip

_METRIC = (
    flag("--metric", "-m", type=metric_name, default="bleu", metavar="NAME", help="one metric (default: bleu)"),
    switch("--case-sensitive", "-c", help="keep case; without it, texts are lower-cased for scoring"),
    switch("--legacy", help="BLEU and thresholds of SignTestBleu, to compare with it"),
    *chosen(INPUT, "langpair"),
)

_OUTPUT = (
    flag(
        "--output-dir", "-o", "--out-dir", metavar="DIR", help="write good.xml, bad.xml and equal.xml into this folder"
    ),
    switch("--force", dest="overwrite", help="replace XML files that exist; goes with --output-dir"),
    switch("--no-files", help="write no XML files, as without --output-dir"),
    *formats("text", "json"),
    *chosen(WORK.flags, "threads"),
    flag("--version", "-V", action="version", version=f"%(prog)s {__version__}", help="the version"),
)


def _compare(args: argparse.Namespace, folder: str | None = None) -> int:
    _check(args)
    folder = None if args.no_files else args.output_dir or folder
    targets = {} if folder is None else {name: Path(folder, f"{name}.xml") for name in OUTCOMES}
    inputs = (args.source, *args.references, args.system, args.baseline)
    check_not_inputs(targets.values(), [path for path in inputs if path is not None])
    # Made before anything is read: an option without a meaning is to be found first.
    options = metric_options(args, args.metric, lowercase=not args.case_sensitive)
    metric = made(args.metric, **options)
    texts = _read_input(args)
    check_targets(targets.values(), args.overwrite)
    sides = texts.baseline.texts, texts.system.texts, [side.texts for side in texts.references]
    with Progress() as progress, progress.step("testing"):
        if args.legacy:
            test = signtestbleu(*sides, case_sensitive=args.case_sensitive, threads=args.threads)
        else:
            test = sign_test_of_texts(*sides, metric, threads=args.threads)
    write_together({target: as_xml(test, texts, name) for name, target in targets.items()}, args.overwrite)
    report = as_json if args.format == "json" else as_text
    sys.stdout.write(report(test, texts, {name: str(target) for name, target in targets.items()}))
    return 0


def _check(args: argparse.Namespace) -> None:
    refuse_foreign_flags(args, args.metric)
    if args.legacy and (args.metric != "bleu" or metric_options(args, "bleu").keys() - {"trg_lang", "lowercase"}):
        raise UsageError("--legacy has a BLEU of its own: it goes without other options of metrics")
    for name in {encoding.rpartition("=")[2] for encoding in args.encoding}:
        try:
            b"ab".decode(name)
        except UnicodeDecodeError:
            pass
        except (LookupError, UnicodeError):
            raise UsageError(f"--encoding is {name!r}, which is not an encoding that Python knows") from None


# --- input: NIST's SGM aligned by ids, or plain text, one segment per line --------------------

_OTHER_MARKUP = re.compile(r"\s*<(?:\?xml|!doctype|dataset|doc)[\s>]", re.I)


class _Found(NamedTuple):
    """A side before it is put in order; plain text has no stream."""

    side: Side
    stream: Stream | None


def _read_input(args: argparse.Namespace) -> SignInput:
    """Read all files and put their segments in the order of the first reference."""
    sides = {"ref": args.references, "sys": [args.baseline, args.system], "src": [args.source]}
    encodings = encodings_of(args.encoding, **sides)
    references = [found for path in args.references for found in _read(path, "refset", encodings)]
    baseline = _only(_read(args.baseline, "tstset", encodings), args.baseline_sysid)
    system = _only(_read(args.system, "tstset", encodings), args.sysid)
    everything = [baseline, system, *references]
    if args.source is not None:
        everything.append(_only(_read(args.source, "srcset", encodings), None))
    ordered = _in_order(everything, references[0], args.by_position)
    return SignInput(
        keys=next((list(found.stream) for found in [*references, *everything] if found.stream is not None), None),
        source=ordered[-1] if args.source is not None else None,
        references=ordered[2 : 2 + len(references)],
        baseline=_labelled(ordered[0], ordered[1]),
        system=_labelled(ordered[1], ordered[0]),
    )


def _labelled(side: Side, other: Side) -> Side:
    label = short_names([side.path, other.path])[side.path]
    # Two translations of one file are told apart by their ids.
    return side._replace(label=f"{label}: {side.name}" if side.path == other.path and side.name else label)


def _read(path: str, kind: str, encodings: Mapping[str, str]) -> list[_Found]:
    text = read_text(path, encodings[path])
    if is_sgm(text) or _OTHER_MARKUP.match(text):
        return [_of_stream(stream) for stream in _streams(text, path, kind)]
    lines = split_lines(text)
    if not lines:
        raise EmptyCorpus(f"{shown(path)}: the file is empty, expected one segment per line or NIST's SGM")
    return [_Found(Side(path, "", lines), None)]


def _of_stream(stream: Stream) -> _Found:
    if not stream:
        raise FileFormatError(f"{stream.path}, line {stream.line}: the {stream.kind} has no segments")
    return _Found(Side(stream.path, stream.name, [segment.text for segment in stream.values()]), stream)


def _streams(text: str, path: str, kind: str) -> list[Stream]:
    streams = parse(text, path)
    wanted = [stream for stream in streams if stream.kind == kind]
    if not wanted:
        got = ", ".join(dict.fromkeys(f"a {stream.kind} (line {stream.line})" for stream in streams)) or "no documents"
        raise FileFormatError(f"{path}: expected a {kind}, got {got}; are the files swapped?")
    return wanted


def _only(found: list[_Found], sysid: str | None) -> _Found:
    """The one translation of a file, or the one that was asked for."""
    path, names = found[0].side.path, ", ".join(repr(entry.side.name) for entry in found)
    if sysid is not None:
        found = [entry for entry in found if entry.side.name == sysid]
        if not found:
            raise FileFormatError(f"{path}: there is no system {sysid!r}, only {names}")
    if len(found) > 1:
        raise FileFormatError(
            f"{path}: there are {number_of(len(found), 'system')} in this file, {names}; choose with --sysid or "
            f"--baseline-sysid"
        )
    return found[0]


def _in_order(everything: list[_Found], guide: _Found, by_position: bool) -> list[Side]:
    """All sides in the order of the guide: by ids if all files have them, else by position."""
    if guide.stream is not None and not by_position and all(found.stream is not None for found in everything):
        return [
            found.side._replace(texts=texts_in_order(found.stream, guide.stream))
            for found in everything
            if found.stream is not None
        ]
    for side, _ in everything:
        if len(side.texts) != len(guide.side.texts):
            raise LengthMismatch(
                f"{shown(side.path)} has {number_of(len(side.texts), 'segment')}, {shown(guide.side.path)} has "
                f"{len(guide.side.texts)}; "
                "is a line missing, or are there empty lines at the end?"
            )
    return [found.side for found in everything]


# The program of old has the short names; what a metric calls -s or --force is known here by its other name, if any.
COMMAND = Command(
    "truebleu sign-test",
    (
        Section("Files", _FILES), Section("Metric", _METRIC), Section("Output", _OUTPUT),
        partial(metric_flags, checked=False),
    ),
    _compare,
    about="Sign test between two systems: each segment in which they differ is replaced in the baseline, alone, and "
    "the corpus is scored again. Files are NIST's SGM, aligned by document and segment ids, or plain text, one segment "
    "per line. With --output-dir, the segments are sorted into good.xml, bad.xml and equal.xml.",
    usage="-r FILE [FILE ...] -t FILE -b FILE [options]",
    example="-r REF -t SYS -b OTHER -m METRIC",
    conflicts=(
        ("--source, --force", IDLE_WITHOUT, "--output-dir", "it is about the XML files; say where they go with -o"),
        ("--output-dir", NOT_WITH, "--no-files", "--output-dir writes XML files, and --no-files writes none"),
    ),
    settings={"allow_abbrev": True},
    is_labelled=True,
    closed_pipe=1,
)  # fmt: skip

# The program of old writes its files wherever it is called.
SIGN_TEST_BLEU = COMMAND._replace(name="SignTestBleu", action=partial(_compare, folder="."), conflicts=())
