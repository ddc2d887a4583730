"""`truebleu overlap`: how much of a test set stands in training text, and what that does to scores."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from truebleu._counts import number_of
from truebleu._logs import inform
from truebleu._shown import json_text, shown
from truebleu._textio import COMPRESSED, read_text, split_lines
from truebleu.cli.flags import INPUT, SURENESS, TEST_SET, WORK, Section, chosen, formats, metrics_flag
from truebleu.cli.inputs import encodings_of
from truebleu.cli.main import GOES_WITH, IDLE_WITH, IDLE_WITHOUT, NOT_WITH, Command, UsageError, refuse_idle
from truebleu.cli.progress import Progress
from truebleu.errors import LengthMismatch
from truebleu.metrics import METRICS
from truebleu.metrics.names import made
from truebleu.metrics.options import flag, switch

if TYPE_CHECKING:
    from truebleu.contamination.found import Overlap
    from truebleu.contamination.prepared import PreparedTest
    from truebleu.contamination.split import SplitReport
    from truebleu.metrics import Metric

_TRAINING = (
    flag("--train", nargs="+", default=[], metavar="FILE",
         help="training text: files, patterns, folders; - is standard input"),
    flag("--field", nargs="+", default=[], metavar="NAME",
         help="fields of JSON lines, columns of tables and Parquet, with the text (default: text)"),
    flag("--records", choices=("lines", "blank", "file"), default="lines", metavar="WHERE",
         help="where records of plain text end: lines, blank (lines), file (default: lines)"),
    flag("--train-format", choices=("text", "jsonl", "tsv", "csv", "parquet", "arrow"), metavar="NAME",
         help="format of the training text (default: by file name)"),
    flag("--errors", choices=("strict", "replace", "skip"), default="strict", metavar="HOW",
         help="bytes that are not UTF-8: replace lets them end words; skip also leaves broken records out "
         "(default: strict)"),
    flag("--resume", metavar="FILE",
         help="write what was found there after each file of training text, and go on from there if it exists"),
)  # fmt: skip
_HOW = (
    flag("-n", "--ngram", dest="n", type=int, metavar="N", help="words of an n-gram, from 3 to 64 (default: 8)"),
    flag("--characters", type=int, metavar="N",
         help="characters of an n-gram in texts without spaces between words (default: 13)"),
    flag("--rule", metavar="RULE",
         help="what makes a text overlap: any, coverage:SHARE, longest:WORDS (default: coverage:0.5)"),
    flag("--side", choices=("any", "source", "reference", "pair"), default="any", metavar="SIDE",
         help="texts that make a segment overlap: any, source, reference, or pair: both in one record or in neighbours "
         "(default: any)"),
    flag("--common", type=int, default=1000, metavar="N", help="leave out n-grams in more records (default: 1000)"),
    flag("--like", choices=("lm-eval",), metavar="NAME", help="the words and the rule of lm-eval: 13 words, any"),
)  # fmt: skip
_SCORES = (
    *chosen(INPUT, "input"),
    flag("--found", metavar="FILE", help="what -o has written, in place of --train"),
    flag("--samples", type=int, default=2000, metavar="N", help="draws of each test (default: 2000)"),
    *chosen(SURENESS, "seed"),
)
_TEXTS = (
    *chosen(INPUT, "refs"),
    flag("--sources", "--src", dest="source_texts", metavar="FILE", help="the sources, one per line"),
    *chosen(INPUT, "encoding", "langpair"),
    flag("--index", metavar="FILE", help="the test set in a file of --save-index, with how long its n-grams are"),
    switch("--save-index", help="write the test set to the file of --index; --train is not needed then"),
)


def _overlap(args: Namespace) -> int:
    from truebleu.contamination.found import overlap_of_test

    if args.input == []:
        raise UsageError("-i names no system: write its file behind it")
    test, cut = _prepared(args)
    references = test.references
    if args.save_index:
        test.save(args.index)
        inform("%s has the test set, with %s", shown(args.index), number_of(len(references), "stream of references"))
        if not args.train:
            return 0
    # Systems and metrics come before the training text, whose reading may take hours.
    metrics, systems = _asked(args, references, cut) if args.input else ([], {})
    found = overlap_of_test("overlap", args.found, references) if args.found else _found(args, test)
    if args.out:
        found.save(args.out)
    report = _report(args, found, metrics, systems, test) if args.input else None
    sys.stdout.write(_FORMATS[args.format](found, report))
    return 0


def _prepared(args: Namespace) -> tuple[PreparedTest, Callable[[list[str]], list[str]]]:
    """The test set, from its files or from the one of `--index`, and what leaves its segments of a whole output."""
    from truebleu.contamination.prepared import PreparedTest

    options = {"n": args.n, "characters": args.characters, "like": args.like}
    is_prepared = args.index and not args.save_index
    if args.encoding and not args.input and (is_prepared or args.test_set):
        refuse_idle("--encoding", "a test set knows its own; it goes with -i")
    if is_prepared:
        if any(value is not None for value in options.values()):
            raise UsageError("--index tells how long n-grams are; leave out -n, --characters and --like")
        if args.refs or args.test_set or args.source_texts:
            raise UsageError("--index has the test set: leave out references, --sources and -t, or say --save-index")
        return PreparedTest.load(args.index), list
    if args.test_set:
        from truebleu.dataset.sets import testset

        if args.langpair is None:
            raise UsageError("-t goes with -l, which names the language pair")
        if args.refs:
            raise UsageError(f"a test set has its references; leave out {shown(args.refs[0])}, or -t")
        test = testset(args.test_set, args.langpair, refs=args.chosen_refs, origlang=args.origlang, subset=args.subset)
        return PreparedTest(test.name, test.pair, test.source, test.references, options), test.cut
    if not args.refs and not args.source_texts:
        raise UsageError("there is no test set: name references, --sources, -t and -l, or --index")
    encodings = encodings_of(args.encoding, ref=args.refs, src=[args.source_texts], sys=args.input or ())
    sources = split_lines(read_text(args.source_texts, encodings[args.source_texts])) if args.source_texts else None
    references = [split_lines(read_text(path, encodings[path])) for path in args.refs]
    return PreparedTest(None, None, sources, references, options), list


def _found(args: Namespace, test: PreparedTest) -> Overlap:
    from truebleu._core import watching
    from truebleu.contamination.found import overlap

    is_plain = all(os.path.isfile(path) and not path.endswith(COMPRESSED) for path in args.train)
    total, done = sum(map(os.path.getsize, args.train)) if is_plain else 0, 0
    with Progress(args.quiet) as progress, progress.step("reading training text"):
        watching(None)  # bytes of files tell more than the blocks of which the core knows

        def tell(count: int) -> None:
            nonlocal done
            done += count
            progress.hear(done, total)

        return overlap(
            **test.arguments, train=args.train, rule=args.rule, side=args.side, common=args.common,
            records=args.records, field=args.field, format=args.train_format, errors=args.errors, resume=args.resume,
            threads=args.threads, tell=tell,
        )  # fmt: skip


def _asked(
    args: Namespace, references: Sequence[Sequence[str | None]], cut: Callable[[list[str]], list[str]]
) -> tuple[list[Metric[Any]], dict[str, list[str]]]:
    """The metrics, and the outputs of systems by their names."""
    from truebleu.cli.request import metric_options

    if not references:
        raise UsageError("systems are scored against references: write them first, as in REF -i SYS")
    encodings = encodings_of(args.encoding, sys=args.input, ref=args.refs, src=[args.source_texts])
    systems = {shown(path): cut(split_lines(read_text(path, encodings[path]))) for path in args.input}
    if len(systems) < len(args.input):
        raise UsageError("a system is named twice after -i")
    for name, lines in systems.items():
        if len(lines) != len(references[0]):
            count = number_of(len(lines), "segment")
            raise LengthMismatch(f"{name} has {count}, expected {len(references[0])} as in the references")
    names = args.metrics or ["bleu"]
    if lacking := [name for name in names if METRICS[name].needs]:
        raise UsageError(f"-m {lacking[0]} has options that it needs: truebleu REF -i SYS --overlap FILE takes them, "
                         "with the file of -o")  # fmt: skip
    return [made(name, **metric_options(args, name)) for name in names], systems


def _report(
    args: Namespace, found: Overlap, metrics: list[Metric[Any]], systems: dict[str, list[str]], test: PreparedTest
) -> SplitReport:
    """The scores of systems on the parts of the test set."""
    from truebleu.contamination.split import split_scores

    how, counted = {"sources": test.source, "threads": args.threads}, {}
    for metric in metrics:
        rows = {system: metric.stats(lines, test.references, **how) for system, lines in systems.items()}
        counted[metric.score(next(iter(rows.values()))).name] = metric, rows
    return split_scores(found, counted, n_samples=args.samples, seed=args.seed)


def _as_json(found: Overlap, report: SplitReport | None) -> str:
    return json_text({**found.to_dict(), **({"scores": report.to_dict()} if report else {})}, indent=1) + "\n"


_FORMATS: dict[str, Callable[[Any, Any], str]] = {
    "text": lambda found, report: f"{found}\n" + (f"\n{report}\n" if report else ""),
    "json": _as_json,
    "labels": lambda found, report: "".join(f"{verdict}\n" for verdict in found.verdicts),
}

COMMAND = Command(
    "truebleu overlap",
    (
        Section("Test set", _TEXTS), TEST_SET, Section("Training text", _TRAINING), Section("What overlaps", _HOW),
        Section("Scores of the parts", _SCORES), metrics_flag,
        Section("Output", (
            flag("--out", "-o", metavar="FILE", help="also write all that was found, as JSON"),
            *formats(*_FORMATS), *chosen(WORK.flags, "quiet", "threads"),
        )),
    ),
    _overlap,
    about="Finds n-grams of a test set in training text, in one pass over text of any size: which segments overlap, by "
    "how much, and where. With systems it scores the overlapping part and the clean part, and tests the difference.",
    usage="[REF ...] [--sources FILE] --train FILE ... [-i SYS ...] [options]",
    example="REF --train SYS -i SYS OTHER -m METRIC",
    conflicts=(
        ("--train", NOT_WITH, "--found", "--found has what was found in training text; leave out --train"),
        ("--metrics, --samples, --seed", IDLE_WITHOUT, "--input", "it is about the scores of systems: -i names them"),
        ("--field, --records, --train-format, --errors, --ngram, --characters, --rule, --side, --common, --like",
            IDLE_WITH, "--found", "--found has been made already"),
        ("--language-pair", IDLE_WITHOUT, "--test-set, --input", "it names the pair of -t, and the language of -i"),
        ("--origlang, --subset, --refs", GOES_WITH, "--test-set", "{flag} chooses in a test set; it goes with -t"),
        ("--save-index", GOES_WITH, "--index", "--save-index writes the file of --index; name it"),
        ("--resume", IDLE_WITH, "--found", "--found has been made already"),
        ("--sources", NOT_WITH, "--test-set", "a test set has its sources; leave out --sources"),
    ),
    functions=("overlap", "split_scores"),
)  # fmt: skip
