"""`diagnose`: make the checks, drop findings that others explain, and give each finding its level and its price."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from inspect import signature
from itertools import islice
from typing import Any, NamedTuple

from truebleu._counts import number_of
from truebleu._inputs import brief, check_references, check_texts, ordered, refuse_others
from truebleu._options import thread_count
from truebleu.doctor.case import Case
from truebleu.doctor.explain import FoundFault, explain
from truebleu.doctor.finding import Diagnosis, Finding, Price
from truebleu.doctor.integrity import placeholder_choice
from truebleu.doctor.numbers import number_marks
from truebleu.doctor.prices import Prices
from truebleu.doctor.repairs import LINES, NORMALIZATIONS, check_names, repair
from truebleu.doctor.rule import LEVELS, NOT_ASKED, Fault, NotChecked, Rule, level_of
from truebleu.doctor.rules import RULES
from truebleu.doctor.shape import Lines, formats_of, other_number
from truebleu.doctor.texts import Pool, columns_of
from truebleu.errors import InputTypeError, LengthMismatch, OptionError
from truebleu.metrics import BLEU, CHRF, Metric
from truebleu.metrics.base import varied
from truebleu.metrics.names import ByMetric, as_metric
from truebleu.stats import Stats

# The numbers of this many texts are kept at once, which takes about 40 MB.
_MOST_UNITS = 10  # of a finding
_AT_ONCE = 1 << 17


def diagnose(
    hypotheses: Iterable[str],
    references: Iterable[Iterable[str | None]],
    sources: Iterable[str] | None = None,
    *,
    metrics: Iterable[Metric[Any] | str] | Metric[Any] | str | None = None,
    layout: str = "streams",
    checks: str | Iterable[str] | None = None,
    skip: str | Iterable[str] | None = None,
    language: str = "",
    others: Mapping[str, Iterable[str]] | None = None,
    threads: int | None = None,
    placeholders: str = "auto",
    numbers: str = "",
) -> Diagnosis:
    """Look for faults that make a score meaningless, and compute how many points each costs.

    Parameters
    ----------
    hypotheses
        The output of the system, one string for each segment.
    references
        A list of streams, each with one reference for every segment (None: no reference here).
    sources
        The source texts; some checks need them, and others are more precise with them.
    metrics
        The metrics in which prices are given, or their names on the command line; BLEU and chrF unless given.
    layout
        "segments" if `references` is a list with the references of each segment instead.
    checks
        The checks to make, by code or by the beginning of codes: "D2,D304" or a list of such; all unless given.
    skip
        The checks to leave out, likewise.
    language
        The target language, such as "de", if it is known.
    others
        The outputs of other systems for the same segments, by name: is one of them the same?
    threads
        How many threads count; all cores unless given.
    placeholders
        "auto" for placeholders that source and references have; "strict" for those of the source, whatever the
        references do; "lenient" to let a number be left out where it is the only placeholder; or the names of families
        with commas between them, such as "printf,braces".
    numbers
        The locale of numbers in the target language, such as "de", which makes "1.234" definite; any unless given.
    """
    examiner = Examiner(
        references, sources, metrics=metrics, layout=layout, checks=checks, skip=skip, language=language,
        threads=threads, placeholders=placeholders, numbers=numbers,
    )  # fmt: skip
    return examiner.examine(hypotheses, others)


class Examiner:
    """Diagnoses systems one after the other, and looks at references and sources only once; `diagnose` explains all."""

    def __init__(
        self,
        references: Iterable[Iterable[str | None]],
        sources: Iterable[str] | None = None,
        *,
        metrics: Any = None,
        layout: str = "streams",
        checks: str | Iterable[str] | None = None,
        skip: str | Iterable[str] | None = None,
        language: str = "",
        threads: int | None = None,
        placeholders: str = "auto",
        numbers: str = "",
    ) -> None:
        thread_count(threads)
        placeholder_choice(placeholders)
        number_marks(numbers)
        if not isinstance(language, str):
            raise InputTypeError(f"diagnose: language is {brief(language)}, expected a language such as 'de'")
        self.rules = _chosen(checks, skip)
        self.metrics, self.language, self.threads = _checked_metrics(metrics, language), language, threads
        self.placeholders, self.numbers, self.layout = placeholders, numbers, layout
        self.streams = [list(stream) for stream in check_references("diagnose", references, layout).streams]
        for at, stream in enumerate(self.streams):
            refuse_others("diagnose", f"references[{at}]", stream, allowed=(str, type(None)))
        self.sources = None if sources is None else list(check_texts("diagnose", "sources", sources))
        self.shared: dict[Any, Any] = {}

    def examine(self, hypotheses: Iterable[str], others: Mapping[str, Iterable[str]] | None = None) -> Diagnosis:
        """Diagnose one system."""
        texts, sources = list(check_texts("diagnose", "hypotheses", hypotheses)), self.sources
        not_checked = {rule.code: NOT_ASKED for rule in RULES if rule not in self.rules}
        if sources is not None and len(sources) != len(texts):
            why = (
                f"there are {number_of(len(sources), 'source', commas=True)} and "
                f"{number_of(len(texts), 'hypothesis', 'hypotheses', commas=True)}, so the sources were left out"
            )
            not_checked |= {rule.code: why for rule in self.rules if rule.sources}
            sources = None
        if any(len(stream) != len(texts) for stream in self.streams):
            return _misshapen(texts, self.streams, self.layout, self.threads)
        corpus = Case(texts, self.streams, sources, self.metrics, self.language, self.threads,
                      _checked_others(others, len(texts)), self.shared,
                      placeholders=self.placeholders, numbers=self.numbers)  # fmt: skip
        return _examined(corpus, [rule for rule in self.rules if rule.code not in not_checked], not_checked)


def diagnose_together(
    systems: Mapping[str, Sequence[str]],
    references: Sequence[Sequence[str | None]],
    sources: Sequence[str] | None = None,
    *,
    metrics: Sequence[Metric[Any]] | None = None,
    rows: Sequence[Mapping[str, Stats]] = (),
    language: str = "",
    threads: int | None = None,
) -> dict[str, Diagnosis]:
    """Diagnose several systems as `diagnose` does with one, but look at references and sources only once."""
    asked = _checked_metrics(metrics)
    shared: dict[Any, Any] = {
        ("stats", id(metric), name): stats
        for metric, counted in zip(asked, rows, strict=False) for name, stats in counted.items()
    }  # fmt: skip
    found = {}
    at_once = max(1, _AT_ONCE // max(1, len(references[0])))
    for first in range(0, len(systems), at_once):
        some = dict(islice(systems.items(), first, first + at_once))
        pool = Pool(some.values(), threads)
        corpora = {}
        for name, texts in some.items():
            others = {other: of_other for other, of_other in systems.items() if other != name}
            corpora[name] = Case(texts, references, sources, asked, language, threads, others, shared, pool)
            for metric, counted in zip(asked, rows, strict=False):
                corpora[name].know(metric, counted[name])
        for name, corpus in corpora.items():
            corpus.peers = list(corpora.values())
            found[name] = _examined(corpus, list(RULES), {})
        for corpus in corpora.values():
            corpus.peers = ()  # or else what is known of all texts waits for the collector
    return found


def _examined(corpus: Case, rules: list[Rule], not_checked: dict[str, str]) -> Diagnosis:
    found: list[FoundFault] = []
    for rule in rules:
        try:
            if rule.sources and corpus.sources is None:
                raise NotChecked("it needs the sources")
            if corpus.n < rule.minimum:
                raise NotChecked(f"it needs {number_of(rule.minimum, 'segment')}")
            found += [FoundFault(rule, fault) for fault in rule.find(corpus)]
        except NotChecked as reason:
            not_checked[rule.code] = str(reason)
    kept, explained = explain(found, corpus.n)
    prices = Prices(corpus)
    priced = [prices.of(one) for one in kept]
    findings = []
    for one, of_one in zip(kept, priced, strict=True):
        finding = _finding(one, of_one, corpus.n, prices.waiting.get(id(one.fault), {}))
        if not one.fault.needs_price or any(price.points for price in finding.prices.values()):
            findings.append(finding)
    findings.sort(key=lambda one: (-LEVELS.index(one.level), -abs(one.points), one.code))
    codes = {one.code for one in findings}
    not_checked |= {code: why for code, why in explained.items() if code not in codes}
    passed = tuple(rule.code for rule in rules if rule.code not in codes and rule.code not in not_checked)
    in_order = {rule.code: not_checked[rule.code] for rule in RULES if rule.code in not_checked}

    # A diagnosis may be kept for long: it has the texts, and not what was found out about them.
    texts = corpus.hypotheses
    repairs = [
        _Repair(one.repair, one.fault.order, one.fault.segments, _harm(one.repair, of_one), one.fault.edits)
        for one, of_one in zip(kept, priced, strict=True)
        if one.fault.side == "hypotheses"
    ]

    def mend(names: tuple[str, ...]) -> list[str]:
        return _repaired(texts, repairs, names)

    return Diagnosis(tuple(findings), passed, in_order, corpus.n, mend, _names())


def _misshapen(texts: list[str], streams: list[list[str | None]], layout: str, threads: int | None) -> Diagnosis:
    """The report if the numbers of references and hypotheses differ: beside that, only the format can be checked."""
    by_code = {rule.code: rule for rule in RULES}
    if len(streams) == len(texts):
        other = "segments" if layout == "streams" else "streams"
        message = f"these references are grouped the other way: pass layout={other!r}"
        found = [FoundFault(by_code["D102"], Fault(message, level="error", side="references[0]"))]
    else:
        at = next(at for at, stream in enumerate(streams) if len(stream) != len(texts))
        found = [FoundFault(by_code["D101"], other_number(texts, streams[at], f"references[{at}]", threads))]
        filled = [[text or "" for text in stream] for stream in streams]
        lines = [Lines(side, columns_of(side, threads)) for side in (texts, *filled)]
        found += [FoundFault(by_code["D106"], fault) for fault in formats_of(lines[0], lines[1:])]
    findings = tuple(_finding(one, {}, len(texts)) for one in found)
    codes = [one.code for one in findings]
    passed = () if "D102" in codes or "D106" in codes else ("D106",)
    why = "the numbers of hypotheses and references differ"
    rest = {rule.code: why for rule in RULES if rule.code not in (*codes, *passed)}

    def mend(names: tuple[str, ...]) -> list[str]:
        check_names(names)
        return list(texts)

    return Diagnosis(findings, passed, rest, len(texts), mend, _names())


def _names() -> dict[str, str]:
    return {rule.code: rule.name for rule in RULES}


def _finding(found: FoundFault, prices: dict[str, Price], segments: int, waiting: Mapping[str, int] = {}) -> Finding:
    (rule, fault), name = found, found.repair
    count = len(fault.segments) or segments
    if _harm(name, prices):
        name, prices, waiting = None, {}, {}
    priced = ByMetric(prices)
    level = level_of(rule, fault, count, segments)
    dearest = max((abs(price.points) for price in priced.values()), default=0.0)
    if rule.style and level == "note" and dearest >= 1.0:
        level = "warning"
    message = fault.message if isinstance(fault.message, str) else fault.message(count)
    message += _told(fault.cured or rule.cured, priced)
    evidence = {key: float(value) for key, value in fault.evidence.items()}
    places = tuple(int(at) for at in fault.segments)
    share = count / segments
    return Finding(
        rule.code, rule.name, level, fault.side, places, count, share, evidence, priced, name or None, message,
        tuple(fault.units[:_MOST_UNITS]), waiting,
    )  # fmt: skip


def _told(cured: str, prices: Mapping[str, Price]) -> str:
    """The price in the first metric, as the end of a message."""
    for metric, price in prices.items():
        cured = "Without these segments" if price.kind == "rest" else cured
        return f". {cured}: {round(price.points, price.decimals) + 0.0:+.{price.decimals}f} {metric}"
    return ""


class _Repair(NamedTuple):
    """What a diagnosis keeps of a fault to repair it, and how much worse that would make the texts, if it would."""

    name: str | None
    order: list[int] | None
    segments: Sequence[int]
    harm: str
    edits: Mapping[int, Sequence[tuple[str, str]]]


def _harm(name: str | None, prices: Mapping[str, Price]) -> str:
    """Say that a repair makes the first of the metrics worse; empty if it does not, or changes both sides."""
    for metric, price in prices.items() if name not in NORMALIZATIONS else ():
        is_worse = price.kind == "repair" and round(price.points, 2) < 0
        return f"{price.points:.2f} {metric} ({price.before:.2f}, after it {price.after:.2f})" if is_worse else ""
    return ""


def _repaired(texts: list[str], repairs: Sequence[_Repair], names: tuple[str, ...]) -> list[str]:
    """The hypotheses after repairs, each on the segments of its findings."""
    texts = list(texts)
    for name in check_names(names):
        cures = [one for one in repairs if one.name == name]
        if cures and all(one.harm for one in cures):
            raise OptionError(f"repaired: {name!r} would make these texts worse, {cures[0].harm}; leave it out")
        for one in cures:
            if name == LINES and one.order is not None:
                texts = [texts[at] if at >= 0 else "" for at in one.order]
            elif name not in (LINES, *NORMALIZATIONS) and not one.harm:
                texts = repair(texts, name, one.segments or range(len(texts)), one.edits)
        if name in NORMALIZATIONS:
            texts = repair(texts, name, ())
    return texts


def _checked_others(others: Any, segments: int) -> dict[str, list[str]]:
    if others is None:
        return {}
    if not isinstance(others, Mapping):
        raise InputTypeError(f"diagnose: others is {brief(others)}, expected a dict of names and outputs")
    checked = {str(name): list(check_texts("diagnose", f"others[{name!r}]", texts)) for name, texts in others.items()}
    for name, texts in checked.items():
        if len(texts) != segments:
            raise LengthMismatch(
                f"diagnose: others[{name!r}] has {number_of(len(texts), 'segment')}, the hypotheses {segments}"
            )
    return checked


def _checked_metrics(metrics: Any, language: str = "") -> list[Metric[Any]]:
    given: list[Metric[Any]] = [BLEU(), CHRF()]
    if metrics is not None:
        several = (
            [metrics] if isinstance(metrics, (str, Metric)) else ordered("diagnose", "metrics", metrics, "metrics")
        )
        given = [as_metric("diagnose", f"metrics[{at}]", one, language) for at, one in enumerate(several)]
    for at, metric in enumerate(given):
        if not isinstance(metric, Metric):
            raise InputTypeError(f"diagnose: metrics[{at}] is {brief(metric)}, expected a metric such as BLEU()")
    # The report says it instead of these metrics: BLEU would warn that texts seem to be tokenized.
    return [varied(one, force=True) if "force" in signature(type(one)).parameters else one for one in given]


def _chosen(checks: Any, skip: Any) -> list[Rule]:
    """The rules that a user asked for, by codes or beginnings of codes."""
    wanted = None if checks is None else _prefixes("checks", checks)
    unwanted = () if skip is None else _prefixes("skip", skip)
    return [
        rule for rule in RULES
        if (wanted is None or rule.code.startswith(wanted)) and not (unwanted and rule.code.startswith(unwanted))
    ]  # fmt: skip


def _prefixes(what: str, given: Any) -> tuple[str, ...]:
    parts = given.split(",") if isinstance(given, str) else ordered("diagnose", what, given, "codes such as 'D304'")
    for part in parts:
        if not isinstance(part, str) or not part or not any(rule.code.startswith(part) for rule in RULES):
            raise OptionError(f"diagnose: {what} has {brief(part)}, expected a code such as 'D304', or its beginning")
    return tuple(parts)
