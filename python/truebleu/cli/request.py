"""From what was typed to what it means: a checked `Request`, or a UsageError."""

import os
import sys
from argparse import Namespace
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from truebleu._logs import warn
from truebleu._shown import shown
from truebleu._textio import COLUMNS_FORMATS, RECEIPT_ENDING, records_format
from truebleu.cli.flags import PAGE, terminal_columns, wants_color
from truebleu.cli.inputs import STDIN, Source
from truebleu.cli.main import UsageError
from truebleu.errors import OptionError
from truebleu.metrics import METRICS
from truebleu.metrics.base import NORMALIZE_FLAG
from truebleu.metrics.options import Flag
from truebleu.metrics.published import Published, parse_signature
from truebleu.normalization import names_in_order
from truebleu.report.render import FORMATS
from truebleu.report.results import Style
from truebleu.tokenizers.registry import default_for

if TYPE_CHECKING:
    from truebleu.cli.division import DivisionChoice
    from truebleu.cli.only import Range


class TestChoice(NamedTuple):
    """A test set, and which part of it."""

    names: str
    pair: str
    references: tuple[str, ...]  # none: the usual ones
    origlang: str | None
    subset: str | None


class MetricChoice(NamedTuple):
    """A metric by its name on the command line, with the options of its constructor."""

    name: str
    options: Mapping[str, Any]


class PairedChoice(NamedTuple):
    """A paired test and its size."""

    test: str
    trials: int  # 0 or less: the test's own default
    confidence_samples: int  # below 0: none
    threads: int
    all_pairs: bool
    correction: str | None
    documents: str | None


class ExternalChoice(NamedTuple):
    """Segment scores from elsewhere: what they are called, and a file for each system."""

    name: str
    paths: tuple[str, ...]


class ColumnsChoice(NamedTuple):
    """Files of columns that are read row group by row group, and where their totals or scores go."""

    nulls: str
    totals_out: str | None
    resume: bool
    scores_out: str | None


class Request(NamedTuple):
    """Everything that was asked for."""

    source: Source
    division: "DivisionChoice | None"  # None: texts are as they are
    columns: ColumnsChoice | None  # None: all is read into memory
    test_set: TestChoice | None
    only: "tuple[Range, ...] | None"  # None: all segments
    metrics: tuple[MetricChoice, ...]  # in the order they were asked for
    language_pair: str | None
    sentence_level: bool
    confidence_samples: int  # 1 or less: none
    seed: str | None
    published_references: str | None  # how many the signature given to --like had
    published_only: str | None  # which segments it was about, where not all
    paired: PairedChoice | None
    runs: int
    external: tuple[ExternalChoice, ...]
    breakdown: str | None
    style: Style
    report: bool
    detail: bool
    sensitivity: bool
    doctor: bool
    checks: bool  # whether doubtful texts are warned of
    threads: int | None
    quiet: bool
    notes: tuple[str, ...]
    receipt: str | None = None  # where a receipt of the scores goes

    @property
    def needs_texts(self) -> bool:
        """Whether texts or their rows must be kept, because more than corpus scores of files is wanted."""
        wants_rows = self.only or self.sentence_level or self.detail or self.confidence_samples > 1 or self.external
        wants_more = (
            self.division
            or self.test_set
            or self.paired
            or self.breakdown is not None
            or self.sensitivity
            or self.doctor
        )
        return bool(wants_more or wants_rows or self.source.receipts or self.receipt)

    @property
    def division_level(self) -> str:
        """The units that are scored."""
        return "segment" if self.division is None else self.division.level

    @property
    def split_at_spaces(self) -> tuple[str, ...]:
        """The metrics that take what stands between spaces for words, and why."""
        found = []
        for name, options in self.metrics:
            if any(flag.option == "tokenize" for flag in METRICS[name.upper()].flags):
                usual = getattr(METRICS[name.upper()], "TOKENIZER_DEFAULT", "")
                tokenizer = options.get("tokenize") or default_for(options.get("trg_lang", ""), usual)
                if tokenizer in ("13a", "intl", "none"):
                    found.append(f"{METRICS[name.upper()].label} has the tokenizer {tokenizer}")
            elif name == "ter" and not options.get("asian_support"):
                found.append("TER goes without --ter-asian-support")
        return tuple(found)


def understand_part(args: Namespace, **more: object) -> Request:
    """Say what the flags of another command mean, which has some of those of `truebleu` itself."""
    from truebleu.cli.flags import build_parser

    for path in getattr(args, "input", None) or ():
        if path.endswith(RECEIPT_ENDING):
            raise UsageError(f"{shown(path)} is a receipt, which has no texts, and this command needs them")
    return understand(Namespace(**{**vars(build_parser("truebleu").parse_args([])), **vars(args), **more}))


def understand(args: Namespace) -> Request:
    """Check all flags together, and say what they mean."""
    like = _parsed_like(args)
    # The page has the doctor's checks, and --no-checks asks for none.
    args.force = getattr(args, "force", False) or args.no_checks or args.format == PAGE
    paired, source = _paired(args), _source(args)
    request = Request(
        source=source,
        division=_division(args, like),
        columns=_columns(args, source, like),
        test_set=_test_set(args, like, source),
        only=_only(args.only),
        metrics=_metrics(args, like, source),
        language_pair=args.langpair,
        sentence_level=args.sentence_level,
        confidence_samples=_confidence(args, like),
        seed=like.context.get("seed") if like else None,
        published_references=like.context.get("nrefs") if like else None,
        published_only=like.context.get("only") if like else None,
        paired=paired,
        runs=args.runs,
        external=tuple(_external(text) for text in args.external),
        breakdown=args.breakdown,
        style=style_of(args),
        report=args.report,
        detail=args.detail,
        sensitivity=args.sensitivity,
        doctor=args.doctor,
        checks=not args.no_checks,
        threads=args.threads,
        quiet=args.quiet,
        notes=like.notes if like else (),
        receipt=args.receipt,
    )
    _check(args, request)
    return request


def style_of(args: Namespace) -> Style:
    """Tell how a report is to look; for every command with these flags."""
    layout = _format(args.format)
    is_colored = layout == "text" and wants_color(sys.stdout, args.no_color)
    width = 1 if args.width is None else args.width
    columns = terminal_columns() if layout == "text" and sys.stdout.isatty() else 0
    return Style(layout, width, args.short, args.score_only, is_colored, args.width is not None, columns)


def _source(args: Namespace) -> Source:
    references = (*args.refs, *(args.parquet or ()))
    if not references and args.ref_field and args.hyp_field and args.input is None:
        references = (STDIN,)
    # `-` is standard input, as in many programs.
    systems = None if args.input is None else tuple(STDIN if name == "-" else name for name in args.input)
    if args.against is not None:
        if not systems or not args.against.endswith(RECEIPT_ENDING):
            raise UsageError(f"--against names a receipt, NAME{RECEIPT_ENDING}; the systems to test come after -i")
        systems = (args.against, *systems)
    receipts: Mapping[str, Any] = {}
    if any(name.endswith(RECEIPT_ENDING) for name in systems or ()):
        from truebleu.cli.receipts import load_receipts

        receipts = load_receipts(systems or ())
    return Source(
        references=references,
        systems=systems,
        references_per_line=args.num_refs,
        encoding=args.encoding,
        hypothesis_fields=tuple(args.hyp_field or ()),
        reference_fields=tuple(args.ref_field or ()),
        records_format=args.fields_format or ("parquet" if args.parquet else None),
        by=tuple(args.by or ()),
        receipts=receipts,
    )


def _columns(args: Namespace, source: Source, like: Published | None) -> ColumnsChoice | None:
    """Files of columns need not fit in memory, unless rows of them are asked for."""
    of_rows = (
        ("-i", args.input is not None), ("--test-set", args.test_set), ("--sentence-level", args.sentence_level),
        ("--confidence", _confidence(args, like) > 1), ("--paired", _test(args)), ("--breakdown", args.breakdown),
        ("--only", args.only), ("--resegment", args.resegment), ("--level", args.unit),
    )  # fmt: skip
    rows = next((flag for flag, given in of_rows if given), None)
    if source.has_columns and rows is None:
        return ColumnsChoice(args.nulls or "error", args.totals_out, args.resume, args.scores_out)
    for flag, given in (
        ("--nulls", args.nulls), ("--totals-out", args.totals_out), ("--resume", args.resume),
        ("--scores-out", args.scores_out),
    ):  # fmt: skip
        if given:
            goes = f"does not go with {rows}" if source.has_columns else "goes with files of columns, such as Parquet"
            raise UsageError(f"{flag} {goes}")
    return None


def _division(args: Namespace, like: Published | None) -> "DivisionChoice | None":
    typed = args.resegment or args.breaks or args.blank_lines or args.unit
    context = like.context if like else {}
    if not typed and "reseg" not in context and "level" not in context:
        return None
    from truebleu.cli.division import understand_division

    return understand_division(args, context)


def _test_set(args: Namespace, like: Published | None, source: Source) -> TestChoice | None:
    published = like.context if like and not args.refs else {}
    if source.receipts and not args.refs and source.has_texts:
        published = {**next(iter(source.receipts.values())).signature_fields, **published}
    names, pair = args.test_set or published.get("test"), args.langpair or published.get("lang")
    filters = {"--origlang": args.origlang, "--subset": args.subset, "--refs": args.chosen_refs}
    if names is None:
        for flag, value in filters.items():
            if value is not None:
                raise UsageError(f"{flag} is about a test set; choose one with -t")
        return None
    listed = names.split(",")
    twice = next((name for name in listed if listed.count(name) > 1), None)
    if twice is not None:
        raise UsageError(f"--test-set names {twice} twice; its segments would count twice")
    if args.refs:
        raise UsageError("both a test set and reference files are given; choose one of the two")
    if args.num_refs != 1 or args.ref_field:
        raise UsageError("--num-refs and --ref-field are about reference files; the test set has its references")
    if pair is None:
        raise UsageError("a test set needs a language pair, as in -l en-de; 'truebleu --list -t SET' shows them")
    return TestChoice(
        names,
        pair,
        tuple(args.chosen_refs or (published["refs"].split(",") if "refs" in published else ())),
        args.origlang or published.get("origlang"),
        args.subset or published.get("subset"),
    )


def _only(given: str | None) -> "tuple[Range, ...] | None":
    if given is None:
        return None
    from truebleu.cli.only import read_ranges

    return read_ranges(given)


def _check(args: Namespace, request: Request) -> None:
    _check_numbers(args)
    _check_source(request)
    _check_columns(request)
    _check_modes(args, request)


def _check_source(request: Request) -> None:
    source = request.source
    if not source.references and request.test_set is None and source.has_texts:
        raise UsageError(
            "there are no references: name files, before -i, as in 'truebleu ref.txt -i out.txt', or a test set with -t"
        )
    for path in source.references:
        if path.endswith(RECEIPT_ENDING):
            raise UsageError(f"{shown(path)} is a receipt, not a reference: name it after -i or --against")
    if source.systems == ():
        raise UsageError("-i is given without a file name; leave it out to read standard input")
    if source.systems and len(source.systems) > 1 and STDIN in source.systems:
        raise UsageError("-i - is standard input, which goes without other files; its columns are several systems")
    _check_fields(source)
    if source.references_per_line != 1 and (len(source.references) > 1 or source.reference_fields):
        raise UsageError("--num-refs goes with exactly one reference file of plain text")
    if request.language_pair is not None and "-" not in request.language_pair:
        raise UsageError(f"--language-pair is {request.language_pair!r}, expected source-target, as in en-de")


def _check_fields(source: Source) -> None:
    """Fields that nobody would look at are a mistake, and so is a file that would be read in two ways."""
    systems, references = source.hypothesis_fields, source.reference_fields
    if source.records_format == "text" and (systems or references):
        raise UsageError("--fields-format text says that files are plain; leave out --hyp-field and --ref-field")
    if source.records_format not in (None, "text") and not (systems or references):
        raise UsageError("--fields-format is about fields; name them with --hyp-field and --ref-field")
    if systems and source.systems is None and source.references and not references:
        raise UsageError("--hyp-field without -i reads the file of the references: name these with --ref-field")
    if source.by and not (systems and references):
        raise UsageError("--by is about fields; name those of the texts with --hyp-field and --ref-field")
    kinds = {source.kind(path) in COLUMNS_FORMATS for path in source.references}
    if len(kinds) > 1:
        raise UsageError("files of columns and other files are given together; give files of one kind")
    if source.by and kinds == {False} and len(source.references) > 1:
        raise UsageError("--by reads one file of records, or any number of files of columns, such as Parquet")


def _check_columns(request: Request) -> None:
    """What is kept of the rows of files of columns is kept of one system."""
    choice, source = request.columns, request.source
    if choice is None:
        return
    if not (source.hypothesis_fields and source.reference_fields):
        raise UsageError("files of columns need the names of their columns: --hyp-field and --ref-field")
    if STDIN in source.references:
        raise UsageError("files of columns are read from their ends, which standard input cannot do: name a file")
    if choice.resume and choice.totals_out is None:
        raise UsageError("--resume goes on with the totals of an earlier run: name their file with --totals-out")
    if choice.scores_out and (choice.totals_out or source.by or request.report):
        raise UsageError("--scores-out gives a score for each row; leave out --by, --totals-out and --report")
    out = "--totals-out" if choice.totals_out else "--scores-out" if choice.scores_out else ""
    if out and records_format(choice.totals_out or choice.scores_out or "") == "arrow":
        raise UsageError(f"{out} writes Parquet; give a name that does not say Arrow or Feather")
    if out and len(source.hypothesis_fields) > 1:
        raise UsageError(f"{out} is of one system; give one --hyp-field")


def _check_numbers(args: Namespace) -> None:
    least = (
        ("--num-refs", args.num_refs, 1),
        ("--width", args.width, 0),
        ("--threads", args.threads, 1),
        ("--runs", args.runs, 1),
        ("--paired-jobs", args.paired_jobs, 0),
        ("--paired-n", args.paired_n, 0),
        ("--paired-bs-n", args.paired_bs_n, 0),
        ("--paired-ar-n", args.paired_ar_n, 0),
        ("--paired-ar-confidence-n", args.paired_ar_confidence_n, -1),
        ("--confidence-n", args.confidence_n, 1),
    )
    for flag, number, low in least:
        if number is not None and number < low:
            raise UsageError(f"{flag} is {number}, expected a number from {low}")
    if args.confidence and args.confidence_n == 1:
        # As in sacreBLEU, where it is the word for no interval.
        warn("--confidence-n is 1, and one resample makes no interval: none is shown; give 2 or more")


def _check_modes(args: Namespace, request: Request) -> None:
    if request.sentence_level and (args.confidence or request.paired):
        raise UsageError("--sentence-level gives one score a segment; intervals and paired tests are about a corpus")
    docids = args.docids and request.division is None
    for given, flag in ((args.correction, "--correction"), (docids, "--docids"), (request.runs > 1, "--runs")):
        if given and not request.paired:
            raise UsageError(f"{flag} is about a paired test; choose one with --paired or --paired-all")
    if request.division_level != "segment":
        by_segment = (
            ("--breakdown", request.breakdown), ("--only", request.only), ("--external", request.external),
            ("--by", request.source.by), ("--detail", request.detail),
        )  # fmt: skip
        for flag, given in by_segment:
            if given:
                raise UsageError(f"{flag} is about segments, and --level joins them; leave out one of the two")
    if request.external and (request.sentence_level or not (request.paired or request.breakdown)):
        raise UsageError("--external joins a paired test or a breakdown; its scores by themselves are no news")
    groups = "--breakdown" if request.breakdown else "--by" if request.source.by else ""
    if groups and (request.paired or request.sentence_level):
        raise UsageError(f"{groups} scores groups of segments; leave out paired tests and --sentence-level")
    if request.doctor and (request.columns or request.runs > 1 or request.only):
        raise UsageError("--doctor looks at all texts of each system; leave out --runs, --only and files of columns")
    is_of_parts = groups or request.paired or request.sentence_level
    is_all_pairs = request.paired is not None and request.paired.all_pairs
    if request.sensitivity and (is_of_parts or request.columns or request.report):
        left_out = "paired tests, --sentence-level, --breakdown, --by, --report and files of columns"
        raise UsageError(f"--sensitivity is about the scores of whole systems; leave out {left_out}")
    if request.style.format == PAGE:
        _check_page(args, request, bool(is_of_parts and not is_all_pairs))
    if request.breakdown and request.source.by:
        raise UsageError("--breakdown and --by both make groups; choose one of the two")
    if args.confidence and request.paired:
        own = "has its own" if request.paired.test.startswith("bs") else "shows them with --paired-ar-confidence-n 0"
        raise UsageError(f"--confidence is for systems by themselves; --paired {request.paired.test} {own}")
    if request.report and request.style.format not in ("text", "markdown"):
        raise UsageError(f"--report is written as text or markdown, not as {request.style.format}")
    _check_receipts(request, groups)
    has_parts = request.sentence_level or groups or request.detail
    if request.report and (has_parts or is_all_pairs):
        left_out = "--sentence-level, --breakdown, --by, --detail, --paired-all"
        raise UsageError(f"--report states the score of each system; leave out {left_out}")


def _check_page(args: Namespace, request: Request, has_parts: bool) -> None:
    """Refuse what a page does not show: it is of all systems, with a test of all pairs or with none."""
    if sys.stdout.isatty():
        raise UsageError(
            f"-f {PAGE} writes a page of HTML, and standard output is a terminal; send it to a file with >"
        )
    if has_parts or args.confidence or request.detail or request.sensitivity or request.doctor or request.columns:
        left_out = "--confidence, --sentence-level, --breakdown, --by, --detail, --sensitivity and --doctor"
        raise UsageError(f"-f {PAGE} shows all systems, with --paired-all or without a test; leave out {left_out}")


def _check_receipts(request: Request, groups: str) -> None:
    of_texts = (
        ("--detail", request.detail), ("--sensitivity", request.sensitivity), ("--doctor", request.doctor),
        ("--only", request.only),
    )  # fmt: skip
    if request.division is not None and request.source.receipts and not request.source.has_texts:
        raise UsageError("--resegment and --level are about texts, and all systems are receipts")
    for flag, given in of_texts if request.source.receipts else ():
        if given:
            path = shown(next(iter(request.source.receipts)))
            raise UsageError(f"{flag} needs texts, and {path} is a receipt, which has none")
    others = request.paired or groups or request.only or request.columns or request.runs > 1
    if request.receipt is not None and (others or request.source.receipts):
        left_out = "paired tests, --breakdown, --by, --only, --runs, files of columns, and systems that are receipts"
        raise UsageError(f"--receipt is about the scores of all segments of systems; leave out {left_out}")


# Metrics.


def metric_options(args: Namespace, name: str, *, lowercase: bool | None = None) -> dict[str, Any]:
    """Turn what was typed into all options of a metric's constructor, implied ones included; for every command."""
    metric, implied = METRICS[name.upper()], dict[str, Any]()
    known = {flag.option for flag in metric.flags}
    if "tokenize" in known and getattr(args, "langpair", None):
        # Without the country, as sacreBLEU has it: en-zh-CN is tokenized like en-zh.
        implied["trg_lang"] = args.langpair.partition("-")[2].partition("-")[0]
        if getattr(args, "test_set", None):
            from truebleu.dataset.languages import two_letters

            # Sets that sacreBLEU does not have write a language in other ways: zho_Hans, jpn, ko_KR.
            implied["trg_lang"] = two_letters(implied["trg_lang"])
    is_by_segment = getattr(args, "sentence_level", False) or getattr(args, "scores_out", None)
    if is_by_segment and hasattr(metric, "effective_order"):
        implied["effective_order"] = True
    if lowercase is not None and "case_sensitive" in known:
        implied["case_sensitive"] = not lowercase
    elif lowercase is not None and "lowercase" in known:
        implied["lowercase"] = lowercase
    typed: dict[str, Any] = {}
    for flag in metric.flags:
        if _is_typed(args, flag):
            value = getattr(args, flag.dest)
            # Two flags of one option are two names of normalisations: --normalize nfc --wer-normalize standardize.
            typed[flag.option] = f"{typed[flag.option]},{value}" if flag.option in typed else value
    return implied | typed


def refuse_foreign_flags(args: Namespace, name: str, shared: Sequence[str] = ()) -> None:
    """Raise UsageError for a flag of another metric, where a command has one metric."""
    own = {flag.dest for flag in METRICS[name.upper()].flags} | set(shared)
    for other, metric in METRICS.items():
        for flag in metric.flags:
            if flag.dest not in own and _is_typed(args, flag):
                raise UsageError(f"{flag.names[0]} goes with --metric {other.lower()}, not {name}")


def _is_typed(args: Namespace, flag: Flag) -> bool:
    value = getattr(args, flag.dest, None)
    return value is not None and value is not False


def _metrics(args: Namespace, like: Published | None, source: Source) -> tuple[MetricChoice, ...]:
    if like is not None:
        return (MetricChoice(like.metric, like.options),)
    if source.receipts:
        from truebleu.cli.receipts import shared_metrics

        # Texts are counted as the receipts were; the tokenizer is among their options.
        known = shared_metrics(source.receipts, list(dict.fromkeys(args.metrics or ())))
        typed = {name: metric_options(args, name) for name in known}
        without = {name: {key: one for key, one in typed[name].items() if key != "trg_lang"} for name in known}
        return tuple(MetricChoice(name, {**options, **without[name]}) for name, options in known.items())
    chosen = list(dict.fromkeys(args.metrics or ["bleu"]))
    _warn_of_idle_flags(args, chosen)
    return tuple(MetricChoice(name, metric_options(args, name)) for name in chosen)


def _warn_of_idle_flags(args: Namespace, chosen: Sequence[str]) -> None:
    """Log flags of metrics that were not asked for: sacreBLEU ignores them too, but in silence."""
    own = {flag.dest: flag for name in chosen for flag in METRICS[name.upper()].flags}
    idle = {flag.dest: flag for metric in METRICS.values() for flag in metric.flags if flag.dest not in own}
    for flag in idle.values():
        if _is_typed(args, flag):
            meant = [one.names[0] for one in own.values() if one.option == flag.option]
            # Those of sacreBLEU that nothing stands for stay silent, as there.
            if not meant and not flag.names[0].startswith(("--rouge-", "--wer-", "--squad-")):
                continue
            labels = ", ".join(METRICS[name.upper()].label for name in chosen)
            use = f"; use {' or '.join(meant)}" if meant else ""
            warn("%s changes nothing, for it is no flag of %s%s", flag.names[0], labels, use)


# A published signature.


def _parsed_like(args: Namespace) -> Published | None:
    if args.like is None:
        return None
    try:
        like = parse_signature(args.like)
    except OptionError as error:
        raise UsageError(f"--like: {error}") from error
    _refuse_contradictions(args, like)
    return like


def _refuse_contradictions(args: Namespace, like: Published) -> None:
    others = [name for name in args.metrics or [] if name != like.metric]
    if others:
        raise UsageError(f"--like is a signature of {like.metric}, and --metrics asks for {', '.join(others)}")
    for flag in METRICS[like.metric.upper()].flags:
        value = getattr(args, flag.dest)
        wanted = like.options.get(flag.option, value)
        if flag is NORMALIZE_FLAG:  # a signature that does not tell has none, and their order means nothing
            value = ",".join(names_in_order("the command", "--normalize", value)) or None
            wanted = like.options.get(flag.option, "none")
        if value is not None and _is_typed(args, flag) and value != wanted:
            typed = flag.names[0] if value is True else f"{flag.names[0]} {value}"
            says = "does not say so" if value is True else f"says {wanted}"
            raise UsageError(f"{typed} contradicts --like, whose signature {says}")
    _refuse_another_test_set(args, like)
    if args.sentence_level and not like.options.get("effective_order", True):
        raise UsageError("--sentence-level contradicts --like, whose signature says eff:no")


def _refuse_another_test_set(args: Namespace, like: Published) -> None:
    typed = {
        "test": ("--test-set", args.test_set),
        "lang": ("--language-pair", args.langpair),
        "origlang": ("--origlang", args.origlang),
        "subset": ("--subset", args.subset),
        "refs": ("--refs", ",".join(args.chosen_refs) if args.chosen_refs else None),
    }
    for key, (flag, value) in typed.items():
        wanted = like.context.get(key)
        # Old signatures name the target language alone.
        same = value == wanted or (key == "lang" and value and value.partition("-")[2] == wanted)
        if value is not None and wanted is not None and not same:
            raise UsageError(f"{flag} {value} contradicts --like, whose signature says {key}:{wanted}")


# How sure.


def _confidence(args: Namespace, like: Published | None) -> int:
    if args.confidence:
        return int(args.confidence_n)
    if like and "bs" in like.context and not _test(args) and like.context["bs"].isdecimal():
        return int(like.context["bs"])
    return 1


def _paired(args: Namespace) -> PairedChoice | None:
    test = _test(args)
    if test is None:
        return None
    own = {"bs": args.paired_bs_n, "ar": args.paired_ar_n}.get(test)
    trials = own if own is not None else args.paired_n
    return PairedChoice(
        test,
        trials if trials is not None else 0,
        args.paired_ar_confidence_n if test in ("ar", "sign") else -1,
        args.paired_jobs if args.paired_jobs is not None else args.threads or 0,
        args.paired_all,
        None if args.correction == "none" else args.correction,
        # What is longer than a segment is drawn as it is.
        args.docids if args.unit in (None, "segment") else None,
    )


def _test(args: Namespace) -> str | None:
    asked = {name for name, given in (("bs", args.paired_bs), ("ar", args.paired_ar)) if given}
    asked |= {args.paired} if args.paired else set()
    if len(asked) > 1:
        raise UsageError(f"one paired test at a time, got {' and '.join(sorted(asked))}")
    if asked:
        return asked.pop()
    return "ar" if args.paired_all or args.against is not None else None


def _external(text: str) -> ExternalChoice:
    name, found, paths = text.partition("=")
    if not (name and found and paths):
        raise UsageError(f"--external is {text!r}, expected NAME=FILE,FILE,... with a file for each system")
    if shown(name) != name:
        raise UsageError(f"--external is called {name!r}, expected a name that can be shown")
    return ExternalChoice(name, tuple(paths.split(",")))


# Output.


def _format(typed: str | None) -> str:
    """sacreBLEU lets its variable overrule what was typed; ours is only a default."""
    theirs = os.environ.get("SACREBLEU_FORMAT", "").lower()
    if theirs:
        if theirs not in _SACREBLEU_FORMATS:
            there = ", ".join(_SACREBLEU_FORMATS)
            raise UsageError(f"the variable SACREBLEU_FORMAT is {theirs!r}, expected one of {there}")
        return _SACREBLEU_FORMATS[theirs]
    ours = os.environ.get("TRUEBLEU_FORMAT", "").lower()
    if typed is None and ours and ours not in FORMATS:
        raise UsageError(f"the variable TRUEBLEU_FORMAT is {ours!r}, expected one of {', '.join(FORMATS)}")
    return typed or ours or "text"


# In its own variable, sacreBLEU's word for its own JSON.
_SACREBLEU_FORMATS = {"text": "text", "latex": "latex", "json": "sacrebleu-json"}
