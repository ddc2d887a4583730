"""From what was typed to what it means: a checked `Request`, or a UsageError."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence

from truebleu._logs import warn
from truebleu._options import MOST_DECIMALS, checks_are_off
from truebleu._records import NamedTuple
from truebleu._shown import shown
from truebleu._text.style import Style
from truebleu._textio import COLUMNS_FORMATS, RECEIPT_ENDING, records_format
from truebleu._typing import TYPE_CHECKING, Any
from truebleu.cli.flags import DEFAULTS, PAGE, Namespace, defaults, terminal_columns, typed, wants_color, wings
from truebleu.cli.inputs import STDIN, UTF_8, Source, encodings_of
from truebleu.cli.main import (
    GOES_WITH,
    IDLE_WITH,
    IDLE_WITHOUT,
    NOT_WITH,
    Conflict,
    UsageError,
    refuse_conflicts,
    refuse_idle,
)
from truebleu.errors import FileFormatError, OptionError
from truebleu.metrics import METRICS
from truebleu.metrics.base import NORMALIZE_FLAG
from truebleu.metrics.names import FIXED, label_of, made, metric_names
from truebleu.metrics.options import Flag
from truebleu.normalization import names_in_order
from truebleu.significance.defaults import AUTO, FAMILIES, TEST
from truebleu.study.formats.render import FORMATS

if TYPE_CHECKING:
    from truebleu.cli.external import External
    from truebleu.cli.learned.asking import Asking
    from truebleu.cli.segment_numbers import Range
    from truebleu.cli.segmentation import DivisionChoice
    from truebleu.metrics.published import Published


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


class Input(NamedTuple):
    """Which texts are scored, and in which units."""

    source: Source
    test_set: TestChoice | None = None
    division: DivisionChoice | None = None  # None: texts are as they are
    only: tuple[Range, ...] | None = None  # None: all segments
    language_pair: str | None = None
    sources: str | None = None  # a file with what was translated

    @property
    def level(self) -> str:
        """The units that are scored."""
        return "segment" if self.division is None else self.division.level


class Plain(NamedTuple):
    """A score of each system."""

    confidence_samples: int = 1  # 1 or less: none
    sensitivity: bool = False
    receipt: str | None = None  # where a receipt of the scores goes
    overwrite: bool = False  # whether it may replace one that is there
    documents: str | None = None  # a file or a field that tells those to draw
    unit: str = "auto"
    external: External | None = None


class Sentences(Plain):
    """A score of each segment, beside those of systems."""

    __slots__ = ()


class Paired(NamedTuple):
    """A test of each system against the first, or of all pairs."""

    test: str
    trials: int  # 0 or less: the test's own default
    confidence_samples: int  # below 0: none
    threads: int
    all_pairs: bool
    correction: str  # or "none", or "auto"
    documents: str | None
    runs: int = 1
    external: External | None = None
    unit: str = "auto"
    family: str = FAMILIES[0]
    margin: float | None = None
    strata: str | None = None  # a file or a field; None: the test sets, if there are several
    people: bool = True


class Grouped(NamedTuple):
    """A score of each group of segments."""

    labels: str | None  # None: the fields that `--by` names make the groups
    confidence_samples: int = 1
    external: External | None = None
    documents: str | None = None
    unit: str = "auto"


class Columns(NamedTuple):
    """Files of columns that are read row group by row group, and where their totals or scores go."""

    nulls: str
    totals_out: str | None
    resume: bool
    scores_out: str | None
    jobs: int
    where: str | None


Mode = Plain | Sentences | Paired | Grouped | Columns


class Request(NamedTuple):
    """Everything that was asked for."""

    input: Input
    metrics: tuple[MetricChoice, ...]  # in the order they were asked for
    mode: Mode
    style: Style
    like: Published | None  # the signature given to --like
    seed: str | None  # that of --seed, or of this signature
    report: bool
    detail: bool
    doctor: bool
    checks: bool  # whether doubtful texts are warned of
    threads: int | None
    quiet: bool
    learned: Asking | None = None  # what to ask of learned metrics and judges; None: there are none

    @property
    def needs_texts(self) -> bool:
        """Whether texts or their rows must be kept, because more than corpus scores of files is wanted."""
        texts, mode = self.input, self.mode
        is_a_sum = (type(mode) is Plain and mode == Plain()) or (isinstance(mode, Grouped) and mode == Grouped(None))
        parts = texts.division or texts.test_set or texts.only or texts.source.receipts
        if not is_a_sum or parts or texts.sources or self.detail or self.doctor:
            return True
        return any([METRICS[one.name].by_position for one in self.metrics])

    @property
    def shown_metrics(self) -> tuple[MetricChoice, ...]:
        """The metrics in the order in which they are shown: as they were typed, or in formats of sacreBLEU's in its."""
        if self.style.format not in _SACREBLEU_FORMATS.values():
            return self.metrics
        order = metric_names()
        return tuple(sorted(self.metrics, key=lambda one: (*order, one.name).index(one.name)))

    @property
    def split_at_spaces(self) -> tuple[str, ...]:
        """The metrics that take what stands between spaces for words, and why."""
        metrics = [made(name, **options) for name, options in self.metrics]
        return tuple(metric.splits_at_spaces for metric in metrics if metric.splits_at_spaces)


def understand_part(args: Namespace, **more: object) -> Request:
    """Say what the flags of another command mean, which has some of those of `truebleu` itself."""
    for path in getattr(args, "input", None) or ():
        if path.endswith(RECEIPT_ENDING):
            raise UsageError(f"{shown(path)} is a receipt, which has no texts, and this command needs them")
    return understand(Namespace(**{**defaults(), **vars(args), **more}))


def source_of(args: Namespace, **more: object) -> Source:
    """Say which files the flags of another command name, and which fields they have."""
    return _source(Namespace(**{**defaults(), **vars(args), **more}))


def understand(args: Namespace) -> Request:
    """Check all flags together, and say what they mean."""
    like = _parsed_like(args) if args.like is not None else None
    is_unchecked = args.no_checks or checks_are_off()
    # The page has the doctor's checks, and --no-checks asks for none.
    is_forced = getattr(args, "force", False)
    args.force = is_forced or is_unchecked or args.format == PAGE
    test, source, style = _test(args), _source(args), style_of(args)
    test_set, samples = _test_set(args, like, source), args.confidence_n if args.confidence else 1
    if like and "bs" in like.context and test is None and samples == 1 and like.context["bs"].isdecimal():
        samples = int(like.context["bs"])
    for flag, low in _LEAST.items():
        number = getattr(args, flag[2:].replace("-", "_"))
        if number is not None and number < low:
            raise UsageError(f"{flag} is {number}, expected a number from {low}")
    if args.seed is not None:
        from truebleu.resample.seed import Seed

        Seed.of(args.seed)
    given = _given(args, source, style, like, test, test_set, samples)
    asked = args.metrics or ([like.metric] if like else [])
    has_learned = any([METRICS[one].is_learned for one in asked])
    joined = wings() if has_learned or not args.typed.keys() <= DEFAULTS.keys() else []
    for wing in joined:
        given |= wing.words(args, asked)
    refuse_conflicts([*(row for wing in joined for row in wing.CONFLICTS), *_CONFLICTS], given)
    if args.confidence and samples == 1:
        # As in sacreBLEU, where it is the word for no interval.
        warn("--confidence-n is 1, and one resample gives no interval, so no interval is shown; give 2 or more")
    division, only, sources = None, None, None
    for name in _SOURCES:
        sources = sources or getattr(args, name, None)
    if given["divided texts"]:
        from truebleu.cli.segmentation import understand_division

        division = understand_division(args, like.context if like else {})
    if args.only is not None:
        from truebleu.cli.segment_numbers import read_ranges

        only = read_ranges(args.only)
    texts, learned = Input(source, test_set, division, only, args.langpair, sources), None
    metrics = _metrics(args, like, source)
    if any([METRICS[one.name].is_learned for one in metrics]):
        from truebleu.cli.learned.asking import settled

        metrics, learned = settled(args, metrics, texts)
    return Request(
        input=texts,
        metrics=metrics,
        mode=_mode(args, test, samples, bool(given["columns"]), is_forced),
        style=style,
        like=like,
        seed=args.seed if args.seed is not None or like is None else like.context.get("seed"),
        report=args.report,
        detail=args.detail,
        doctor=args.doctor,
        checks=not is_unchecked,
        threads=args.threads,
        quiet=args.quiet,
        learned=learned,
    )


_LEAST = {
    "--num-refs": 1, "--threads": 1, "--jobs": 1, "--runs": 1, "--paired-jobs": 0, "--paired-n": 0,
    "--paired-bs-n": 0, "--paired-ar-n": 0, "--paired-ar-confidence-n": -1, "--confidence-n": 1,
}  # fmt: skip


# In its own variable, sacreBLEU's word for its own JSON.
_SACREBLEU_FORMATS = {"text": "text", "latex": "latex", "json": "sacrebleu-json"}


def style_of(args: Namespace) -> Style:
    """Tell how a report is to look; for every command with these flags."""
    # sacreBLEU lets its variable overrule what was typed; ours is only a default.
    theirs, ours = (os.environ.get(f"{name}_FORMAT", "").lower() for name in ("SACREBLEU", "TRUEBLEU"))
    if theirs and theirs not in _SACREBLEU_FORMATS:
        there = ", ".join(_SACREBLEU_FORMATS)
        raise UsageError(f"the variable SACREBLEU_FORMAT is {theirs!r}, expected one of {there}")
    if not theirs and args.format is None and ours and ours not in FORMATS:
        raise UsageError(f"the variable TRUEBLEU_FORMAT is {ours!r}, expected one of {', '.join(FORMATS)}")
    layout = _SACREBLEU_FORMATS[theirs] if theirs else args.format or ours or "text"
    is_colored = layout == "text" and wants_color(sys.stdout, args.no_color)
    width = 1 if args.width is None else args.width
    if not 0 <= width <= MOST_DECIMALS:
        raise UsageError(f"--width is {width}, expected a number from 0 to {MOST_DECIMALS}; scores have no more digits")
    columns = terminal_columns() if layout in ("text", "csv", "tsv") and sys.stdout.isatty() else 0
    return Style(
        layout, width, args.short, args.score_only, is_colored, args.width is not None, columns, quiet=args.quiet
    )


def _source(args: Namespace) -> Source:
    references = (*args.refs, *(args.parquet or ()))
    if ((not references and args.ref_field and args.hyp_field) or references == ("-",)) and args.input is None:
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
    if any("://" in path for path in (*references, *(systems or ()))):
        from truebleu.cli.fields import placed

        references, systems = placed(args, references), None if systems is None else placed(args, systems)
    # Without files of their own, systems are on standard input, or in fields beside their references.
    own = systems if systems is not None else () if args.hyp_field and references else (STDIN,)
    sources = [getattr(args, name, None) for name in _SOURCES]
    source = Source(
        references=references,
        systems=systems,
        references_per_line=args.num_refs,
        encodings=encodings_of(args.encoding, ref=references, sys=own, src=sources) if args.encoding else UTF_8,
        hypothesis_fields=tuple(args.hyp_field or ()),
        reference_fields=tuple(args.ref_field or ()),
        records_format=args.fields_format or ("parquet" if args.parquet else None),
        by=tuple(args.by or ()),
        receipts=receipts,
    )
    is_named = any(getattr(args, name) for name in _FIELDS)
    if not is_named and (systems is not None or all(source.kind(path) == "text" for path in references)):
        return source  # texts are plain
    from truebleu.cli.fields import has_records, with_fields

    if is_named:
        return with_fields(source, args)
    try:
        return with_fields(source, args) if has_records(source, args) else source
    except FileFormatError as error:
        is_plain = ", line 1: not JSON" in str(error)
        raise FileFormatError(f"{error}; --fields-format text says that it is plain" if is_plain else error) from error


# The file with the sources, which commands keep under names of their own.
_SOURCES = ("sources", "src", "source_texts")
_FIELDS = ("hyp_field", "ref_field", "system_field", "src_field", "doc_field", "id_field")


def _mode(args: Namespace, test: str | None, samples: int, has_columns: bool, is_forced: bool) -> Mode:
    external = None
    if args.external:
        from truebleu.cli.external import understand_external

        external = understand_external(args)
    # What is longer than a segment is drawn as it is, and without intervals documents are for the division.
    is_drawn = args.text_level in (None, "segment") and (test is not None or samples > 1)
    documents, unit = (args.docids or args.doc_field, args.unit) if is_drawn else (None, "auto")
    if test is not None:
        own = {"bs": args.paired_bs_n, "ar": args.paired_ar_n}.get(test)
        trials = own if own is not None else args.paired_n
        return Paired(
            test,
            trials if trials is not None else 0,
            args.paired_ar_confidence_n if test in ("ar", "sign") else -1,
            args.paired_jobs if args.paired_jobs is not None else args.threads or 0,
            args.paired_all,
            args.correction or AUTO,
            documents,
            args.runs,
            external,
            unit,
            args.family,
            args.margin,
            args.strata,
            not args.no_people,
        )
    if has_columns:
        kept = args.totals_out, args.resume, args.scores_out
        return Columns(args.nulls or "error", *kept, args.jobs or 1, args.where)
    if args.breakdown is not None or args.by:
        return Grouped(args.breakdown, samples, external, documents, unit)
    overwrite = is_forced and args.receipt is not None
    kind = Sentences if args.sentence_level else Plain
    return kind(samples, args.sensitivity, args.receipt, overwrite, documents, unit, external)


def _test_set(args: Namespace, like: Published | None, source: Source) -> TestChoice | None:
    published = like.context if like and not args.refs else {}
    if source.receipts and not args.refs and source.has_texts:
        published = {**next(iter(source.receipts.values())).signature_fields, **published}
    names = args.test_set or published.get("test")
    if names is None:
        return None
    return TestChoice(
        names,
        args.langpair or published.get("lang") or "",
        tuple(args.chosen_refs or (published["refs"].split(",") if "refs" in published else ())),
        args.origlang or published.get("origlang"),
        args.subset or published.get("subset"),
    )


# Flags that do not go together.

_OF_ROWS = (
    "-i, --test-set, --sentence-level, --confidence intervals, --paired, a paired test, --breakdown, --only, "
    "--resegment, --level, a page, --receipt, --doctor, --sensitivity, --sources, --src-field, --id-field, "
    "a field of systems, texts inside other fields, --nulls skip of several systems"
)
_OF_TESTS = "{flag} is about a paired test; choose one with --paired or --paired-all"
_OUT = "--totals-out, --resume, --scores-out, --jobs, --where"
_OF_FIELDS = "--nulls, --src-field, --system-field, --doc-field, --id-field"

_CONFLICTS: tuple[Conflict, ...] = (
    (_OUT, GOES_WITH, "files of columns", "{flag} goes with files of columns, such as Parquet"),
    (_OUT, NOT_WITH, _OF_ROWS, "{flag} does not go with {other}"),
    (_OF_FIELDS, GOES_WITH, "fields",
        "{flag} is about files with fields, such as JSONL, and there are none; --fields-format says what a file is"),
    ("--docids", NOT_WITH, "--doc-field", "--docids and --doc-field both tell documents; choose one of the two"),
    ("--nulls skip", NOT_WITH, "divided texts, a receipt",
        "--nulls skip leaves segments out, and --resegment, --level and receipts need all; --nulls empty keeps them"),
    ("--origlang, --subset, --refs", GOES_WITH, "a test set", "{flag} is about a test set; choose one with -t"),
    ("a test set", NOT_WITH, "refs", "both a test set and reference files are given; choose one of the two"),
    ("--sources", NOT_WITH, "--test-set",
        "both a test set, which has its sources, and --sources are given; choose one of the two"),
    ("--sources", NOT_WITH, "only receipts", "--sources is about texts, and all systems are receipts"),
    ("--num-refs, --ref-field", NOT_WITH, "a test set",
        "--num-refs and --ref-field are about reference files; the test set has its references"),
    ("a test set", GOES_WITH, "a language pair",
        "a test set needs a language pair, as in -l en-de; 'truebleu --list -t SET' shows them"),
    ("metrics of texts", GOES_WITH, "references, a test set, metrics without references",
        "{metrics of texts} of texts needs references: name files, before -i, as in 'ref.txt -i out.txt'; the scores "
        "of --external need none"),
    ("texts", GOES_WITH, "references, a test set, --external, metrics without references",
        "there are no references: name files, before -i, as in 'ref.txt -i out.txt', or a test set with -t"),
    ("a test set twice", GOES_WITH, "nothing",
        "--test-set names {a test set twice} twice; its segments would count twice"),
    ("a receipt as a reference", GOES_WITH, "nothing",
        "{a receipt as a reference} is a receipt, not a reference: name it after -i or --against"),
    ("half a language pair", GOES_WITH, "nothing",
        "--language-pair is {half a language pair}, expected source-target, as in en-de"),
    ("no systems", GOES_WITH, "nothing",
        "-i is given without a file name; leave it out to read standard input"),
    ("standard input and files", GOES_WITH, "nothing",
        "-i - is standard input, which goes without other files; its columns are several systems"),
    ("--fields-format text", NOT_WITH, "--hyp-field, --ref-field",
        "--fields-format text says that files are plain; leave out --hyp-field and --ref-field"),
    ("--fields-format", GOES_WITH, "fields, --fields-format text",
        "--fields-format is about fields; name them with --hyp-field and --ref-field"),
    ("systems beside references", GOES_WITH, "fields of both",
        "--hyp-field without -i reads the file of the references: name these with --ref-field"),
    ("--by", GOES_WITH, "fields of both",
        "--by is about fields; name those of the texts with --hyp-field and --ref-field"),
    ("files of two kinds", GOES_WITH, "nothing",
        "files of columns and other files are given together; give files of one kind"),
    ("--by", NOT_WITH, "several files of records",
        "--by reads one file of records, or any number of files of columns, such as Parquet"),
    ("--num-refs", NOT_WITH, "no reference file, several references, --ref-field",
        "--num-refs goes with exactly one reference file of plain text"),
    ("columns", GOES_WITH, "fields of both",
        "files of columns need the names of their columns: --hyp-field and --ref-field"),
    ("--resume", GOES_WITH, "--totals-out",
        "--resume goes on with the totals of an earlier run: name their file with --totals-out"),
    ("--scores-out", NOT_WITH, "--totals-out, --by, --report",
        "--scores-out gives a score for each row; leave out --by, --totals-out and --report"),
    ("--totals-out, --scores-out", NOT_WITH, "a name of Arrow",
        "{flag} writes Parquet; give a name that does not say Arrow or Feather"),
    ("--totals-out, --scores-out", NOT_WITH, "several columns of systems",
        "{flag} is for one system; give one --hyp-field"),
    ("--breaks, --blank-lines", GOES_WITH, "aligned texts",
        "{flag} is about texts that are aligned; it goes with --resegment"),
    ("--blank-lines", GOES_WITH, "--docids",
        "--blank-lines is about documents; name that of each segment with --docids"),
    ("--sentence-level", NOT_WITH, "--confidence, a paired test",
        "--sentence-level gives one score per segment; intervals and paired tests are about a corpus"),
    ("--docids, --unit", GOES_WITH, "a paired test, divided texts, --confidence, a judge that reads documents",
        "{flag} is about paired tests and intervals; choose one with --paired, --paired-all or --confidence"),
    ("--unit", NOT_WITH, "joined segments",
        "--unit says what is drawn, and --level draws what it joins; leave out one of the two"),
    ("--correction, --family, --margin, --strata, --runs, --no-people", GOES_WITH, "a paired test", _OF_TESTS),
    ("--breakdown, --only, --external, --by, --detail, --strata", NOT_WITH, "joined segments",
        "{flag} is about segments, and --level joins them; leave out one of the two"),
    ("--family", IDLE_WITH, "--correction none", "it is about a correction, and --correction is none"),
    ("--family", IDLE_WITHOUT, "several metrics", "it is about several metrics, and there is one"),
    ("--lower-is-better, --higher-is-better, --direction-anyway, --missing, --assignment", GOES_WITH, "--external",
        "{flag} is about the scores of --external"),
    ("--missing fit", GOES_WITH, "--assignment",
        "--missing fit is right only where chance decided which segments of a system were scored: say so with "
        "--assignment random, or dynamic where earlier scores had a say"),
    ("--assignment", GOES_WITH, "--missing fit", "--assignment is about --missing fit"),
    ("--external", NOT_WITH, "--sentence-level, --sensitivity, columns",
        "--external brings scores of segments that nobody counts here; leave out {other}"),
    ("--breakdown", NOT_WITH, "a paired test, --sentence-level",
        "--breakdown and --overlap score groups; leave out paired tests and --sentence-level"),
    ("--by", NOT_WITH, "--sentence-level", "--by scores groups of segments; leave out --sentence-level"),
    ("a test of groups", NOT_WITH, "a receipt, sacreBLEU's JSON",
        "--by tests groups of texts; leave out receipts and -f sacrebleu-json"),
    ("--doctor", NOT_WITH, "columns, --runs, --only",
        "--doctor looks at all texts of each system; leave out --runs, --only and files of columns"),
    ("--sensitivity", NOT_WITH, "a paired test, --sentence-level, --breakdown, --by, --report, columns",
        "--sensitivity is about the scores of whole systems; leave out paired tests, --sentence-level, --breakdown, "
        "--by, --report and files of columns"),
    ("a page", NOT_WITH,
        "a baseline, --sentence-level, --breakdown, --by, --confidence, --detail, --sensitivity, --doctor, columns",
        f"-f {PAGE} shows all systems, with --paired-all or without a test; leave out --confidence, --sentence-level, "
        "--breakdown, --by, --detail, --sensitivity and --doctor"),
    ("a page", NOT_WITH, "a terminal",
        f"-f {PAGE} writes a page of HTML, and standard output is a terminal; send it to a file with >"),
    ("--breakdown", NOT_WITH, "--by", "--breakdown and --by both make groups; choose one of the two"),
    ("--confidence", NOT_WITH, "a bootstrap test",
        "--confidence is for single systems; --paired {a bootstrap test} has its own"),
    ("--confidence", NOT_WITH, "a paired test",
        "--confidence is for single systems; --paired {a paired test} shows them with "
        "--paired-ar-confidence-n 0"),
    ("--report", NOT_WITH, "another format",
        "--report is written as text or markdown, not as {another format}"),
    ("divided texts", NOT_WITH, "only receipts",
        "--resegment and --level are about texts, and all systems are receipts"),
    ("--detail, --sensitivity, --doctor, --only", NOT_WITH, "a receipt",
        "{flag} needs texts, and {a receipt} is a receipt, which has no texts"),
    ("--receipt", NOT_WITH, "a paired test, --breakdown, --by, --only, columns, --runs, a receipt",
        "--receipt is about the scores of all segments of systems; leave out paired tests, --breakdown, --by, --only, "
        "--runs, files of columns, and systems that are receipts"),
    ("--report", NOT_WITH, "--sentence-level, --breakdown, --by, --detail, all pairs",
        "--report states the score of each system; leave out --sentence-level, --breakdown, --by, --detail, "
        "--paired-all"),
    ("--sensitivity", NOT_WITH, "sacreBLEU's JSON", "--sensitivity is not in -f sacrebleu-json; choose another format"),
    ("--hyp-field", IDLE_WITHOUT, "a file of systems", "no system is a file with fields; name one with -i"),
    ("--ref-field", IDLE_WITHOUT, "references", "no reference is a file with fields"),
    ("--confidence-n", IDLE_WITHOUT, "--confidence", "it goes with --confidence"),
    ("--paired-n", IDLE_WITHOUT, "a test with trials", "it goes with --paired ar, bs or bs2, or with --paired-all"),
    ("--paired-n", IDLE_WITH, "trials of the test itself", "{other} says so already"),
    ("--paired-bs-n", IDLE_WITHOUT, "the test bs", "it goes with --paired bs"),
    ("--paired-ar-n", IDLE_WITHOUT, "the test ar", "it goes with --paired ar"),
    ("--paired-ar-confidence-n", IDLE_WITHOUT, "the test ar, the test sign", "it goes with --paired ar or sign"),
    ("--paired-jobs", IDLE_WITHOUT, "a paired test", "it goes with --paired or --paired-all"),
    ("--seed", IDLE_WITHOUT, "a test with trials, intervals of the test, --confidence intervals",
        "nothing is drawn at random; it goes with --confidence, --paired ar, bs or bs2, or --paired-all"),
    ("--detail", IDLE_WITHOUT, "a test set, text", "only test sets (-t) tell original languages and domains"),
    ("--language-pair", IDLE_WITHOUT, "a test set, a choice by language, a page",
        "it goes with a test set (-t), or with a metric whose tokenizer it chooses"),
    ("--encoding", IDLE_WITHOUT, "files of text", "it goes with files of text"),
    ("--format, --width, --short, --score-only, --detail", IDLE_WITH, "--scores-out",
        "--scores-out writes a file, and nothing is printed"),
    ("--width", IDLE_WITH, "all digits", "-f {all digits} has all digits"),
    ("--short", IDLE_WITH, "long signatures", "-f {long signatures} has long signatures"),
    ("--short", IDLE_WITH, "--score-only", "--score-only shows no signature"),
    ("--score-only", IDLE_WITH, "a table of scores, --report", "it goes with a single system, or with -f json"),
)  # fmt: skip


def _given(
    args: Namespace,
    source: Source,
    style: Style,
    like: Published | None,
    test: str | None,
    test_set: TestChoice | None,
    samples: int,
) -> dict[str, Any]:
    """What was typed, by the names of flags, and what follows from it, in words."""
    given, context = typed(args), like.context if like else {}
    asked = args.metrics or ([like.metric] if like else [])
    systems, references, receipts = source.hypothesis_fields, source.reference_fields, source.receipts
    level, sets = args.text_level or context.get("level", "segment"), test_set.names.split(",") if test_set else []
    kinds = {source.kind(path) in COLUMNS_FORMATS for path in source.references}
    has_files = source.systems is None or any(
        os.path.exists(name) or name == STDIN for name in source.systems if name not in receipts
    )
    given |= {
        "a test set": test_set,
        "a language pair": test_set and test_set.pair,
        "texts": source.has_texts,
        "references": source.references,
        "no reference file": not source.references,
        "a test set twice": ", ".join(sorted({name for name in sets if sets.count(name) > 1})),
        "half a language pair": repr(args.langpair) if args.langpair and "-" not in args.langpair else None,
        "a receipt as a reference": ", ".join(
            [shown(one) for one in source.references if one.endswith(RECEIPT_ENDING)]
        ),
        "a terminal": sys.stdout.isatty(),
        "several references": len(source.references) > 1,
        "no systems": source.systems == (),
        "standard input and files": source.systems and len(source.systems) > 1 and STDIN in source.systems,
        "--fields-format text": source.records_format == "text",
        "--fields-format": source.records_format,
        "fields": systems or references,
        "fields of both": systems and references,
        "a field of systems": source.roles and source.roles.system,
        "texts inside other fields": source.has_columns and source.roles and source.roles.are_inside(source),
        "--nulls skip of several systems": args.nulls == "skip" and len(systems) > 1,
        "systems beside references": systems and source.systems is None and source.references,
        "several columns of systems": len(systems) > 1,
        "files of two kinds": len(kinds) > 1,
        "several files of records": kinds == {False} and len(source.references) > 1,
        "files of columns": source.has_columns,
        "a name of Arrow": records_format(args.totals_out or args.scores_out or "") == "arrow",
        "--confidence intervals": samples > 1,
        "a paired test": test,
        "a test of groups": test and args.by,
        "metrics of texts": ", ".join(args.metrics or ()) if args.external and not like else None,
        "metrics without references": asked and all(not METRICS[one].needs_references for one in asked),
        "several metrics": receipts or (like is None and len(args.metrics or ["bleu"]) + len(args.external) > 1),
        "a bootstrap test": test if test and test.startswith("bs") else None,
        "all pairs": test and args.paired_all,
        "a baseline": test and not args.paired_all,
        "aligned texts": args.resegment or "reseg" in context,
        "divided texts": args.resegment or "reseg" in context or level != "segment" or "level" in context,
        "joined segments": level not in ("segment", "seg"),
        "a page": style.format == PAGE,
        "text": style.format == "text",
        "another format": style.format if style.format not in ("text", "markdown") else None,
        "a receipt": shown(next(iter(receipts))) if receipts else None,
        "only receipts": receipts and not source.has_texts,
        "a file of systems": has_files,
        "files of text": (source.references or has_files) and not source.has_columns,
        "a test with trials": test != "sign" and test,
        **{f"the test {name}": name == test for name in ("bs", "ar", "sign")},
        "intervals of the test": test and args.paired_ar_confidence_n >= 0,
        "trials of the test itself": {"bs": args.paired_bs_n, "ar": args.paired_ar_n}.get(test or "") is not None,
        "a choice by language": not like and not receipts and any(
            flag.option == "tokenize" for name in args.metrics or ["bleu"] for flag in METRICS[name].flags
        ),
        "sacreBLEU's JSON": style.format == "sacrebleu-json",
        "all digits": style.format if style.format in ("json", "jsonl", "csv", "tsv") else None,
        "long signatures": style.format if "json" in style.format or style.format in ("csv", "tsv") else None,
        "a table of scores": style.format in ("csv", "tsv") or (
            "json" not in style.format and not args.sentence_level and not test and args.breakdown is None
            and not args.by and max(len(source.systems or ()), len(systems)) > 1
        ),
    }  # fmt: skip
    given["columns"] = source.has_columns and not any(given.get(one) for one in _OF_ROWS.split(", "))
    return given


# Metrics.


def metric_options(args: Namespace, name: str, *, lowercase: bool | None = None) -> dict[str, Any]:
    """Turn what was typed into all options of a metric's constructor, implied ones included; for every command."""
    metric, fixed, implied = METRICS[name], FIXED.get(name, {}), dict[str, Any]()
    if metric.is_learned:
        from truebleu.cli.learned.asking import options_of

        return options_of(args, name)
    known = {flag.option for flag in metric.flags}
    if "tokenize" in known - fixed.keys() and getattr(args, "langpair", None):
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
        value = getattr(args, flag.dest, None)
        if value is not None and value is not False:
            # Two flags of one option are two names of normalisations: --normalize nfc --wer-normalize standardize.
            typed[flag.option] = f"{typed[flag.option]},{value}" if flag.option in typed else value
    return implied | typed | dict(fixed)


def refuse_foreign_flags(args: Namespace, name: str, shared: Sequence[str] = ()) -> None:
    """Raise UsageError for a flag of another metric, where a command has one metric."""
    fixed = FIXED.get(name, {})
    own = {flag.dest for flag in METRICS[name].flags if flag.option not in fixed} | set(shared)
    for other, metric in METRICS.items():
        for flag in metric.flags:
            if flag.dest not in own and flag.dest in args.typed:
                raise UsageError(f"{flag.names[0]} goes with --metric {other.lower()}, not {name}")
    options = {flag.option: getattr(args, flag.dest) for flag in METRICS[name].flags if flag.dest in args.typed}
    _refuse_idle_flags(args, {name: options})


def _metrics(args: Namespace, like: Published | None, source: Source) -> tuple[MetricChoice, ...]:
    known: Mapping[str, Mapping[str, Any]] = {like.metric: like.options} if like else {}
    if like and METRICS[like.metric].is_learned:
        from truebleu.cli.learned.asking import liked

        known = liked(args, like)
    if source.receipts and not like:
        from truebleu.cli.receipts import shared_metrics

        # Texts are counted as the receipts were; the tokenizer is among their options.
        known = shared_metrics(source.receipts, list(dict.fromkeys(args.metrics or ())))
    # Receipts of scores alone have no metric of texts.
    usual = ["bleu"] if source.references or args.test_set or not (args.external or source.receipts) else []
    asked = {name: metric_options(args, name) for name in known or dict.fromkeys(args.metrics or usual)}
    for name, fixed in known.items():
        implied = ("trg_lang", "effective_order") if like else ("trg_lang",)
        typed = {key: one for key, one in asked[name].items() if key not in implied}
        asked[name] = {**typed, **fixed} if like else {**fixed, **typed}
    if not args.typed.keys() <= DEFAULTS.keys():  # to ask all metrics for their flags is to load them
        _refuse_idle_flags(args, asked)
    for name, options in asked.items():
        if METRICS[name].needs and not options.keys() & METRICS[name].needs:
            raise UsageError(METRICS[name].needs_said)
    return tuple(MetricChoice(name, options) for name, options in asked.items())


def _refuse_idle_flags(args: Namespace, asked: Mapping[str, Mapping[str, Any]]) -> None:
    # Flags of metrics that were not asked for, or that leave the metric as it is.
    kinds = {name: (METRICS[name], FIXED.get(name, {})) for name in asked}
    own = {flag.dest: flag for kind, fixed in kinds.values() for flag in kind.flags if flag.option not in fixed}
    typed = {flag.dest: flag for name in METRICS for flag in METRICS[name].flags if flag.dest in args.typed}
    for flag in typed.values():
        of = [name.lower() for name, metric in METRICS.items() if flag in metric.flags]
        goes = f"it goes with -m {', '.join(of[:3])}{' and others' if of[3:] else ''}"
        if flag.dest not in own:
            meant = [one.names[0] for one in own.values() if one.option == flag.option]
            use = f"; use {' or '.join(meant)}" if meant else ""
            refuse_idle(flag.names[0], f"{goes}, not with {', '.join(asked)}{use}")
        elif not any(_is_changed(name, asked[name], flag) for name in asked if flag in kinds[name][0].flags):
            labels = ", ".join(label_of(name) for name in asked if flag in kinds[name][0].flags)
            refuse_idle(flag.names[0], f"{labels} does not use it with these options ({flag.help})")


def _is_changed(name: str, options: Mapping[str, Any], flag: Flag) -> bool:
    if flag.option == NORMALIZE_FLAG.option:  # the texts decide
        return True
    metric = METRICS[name]
    without = {key: one for key, one in options.items() if key != flag.option or key in metric.needs}
    made, plain = metric(**options), metric(**without)
    # Another kind of metric, or an option that leaves no trace on it: nothing speaks against a change.
    values = [getattr(one, flag.option, None) for one in (made, plain)]
    is_unseen = made.name != plain.name or values[0] == values[1]
    shown = [(field.value(made), field.value(plain)) for field in metric.fields]
    return is_unseen or any(one != other for one, other in shown)


# A published signature.


def _parsed_like(args: Namespace) -> Published:
    from truebleu.metrics.published import parse_signature

    try:
        like = parse_signature(args.like)
    except OptionError as error:
        raise UsageError(f"--like: {error}") from error
    _refuse_contradictions(args, like)
    return like


def _refuse_contradictions(args: Namespace, like: Published) -> None:
    kind, options = METRICS[like.metric], like.options.items()
    asked = {name: METRICS[name] for name in args.metrics or []}
    others = [name for name, own in asked.items() if own is not kind or not FIXED.get(name, {}).items() <= options]
    if others:
        raise UsageError(f"--like is a signature of {like.metric}, and --metrics asks for {', '.join(others)}")
    for flag in METRICS[like.metric].flags:
        value = getattr(args, flag.dest)
        wanted = like.options.get(flag.option, value)
        if flag is NORMALIZE_FLAG:  # a signature that does not tell has none, and their order means nothing
            value = ",".join(names_in_order("the command", "--normalize", value)) or None
            wanted = like.options.get(flag.option, "none")
        if flag.dest in args.typed and value != wanted:
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
        "seed": ("--seed", args.seed),
    }
    for key, (flag, value) in typed.items():
        wanted = like.context.get(key)
        # Old signatures name the target language alone.
        same = value == wanted or (key == "lang" and value and value.partition("-")[2] == wanted)
        if value is not None and wanted is not None and not same:
            raise UsageError(f"{flag} {value} contradicts --like, whose signature says {key}:{wanted}")


# How sure.


def _test(args: Namespace) -> str | None:
    asked = {name for name, given in (("bs", args.paired_bs), ("ar", args.paired_ar)) if given}
    asked |= {args.paired} if args.paired else set()
    if len(asked) > 1:
        raise UsageError(f"one paired test at a time, got {' and '.join(sorted(asked))}")
    if asked:
        return asked.pop()
    return TEST if args.paired_all or args.against is not None else None
