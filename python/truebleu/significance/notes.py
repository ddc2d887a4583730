"""Sentences about a comparison that its numbers do not say: what it could have found, and for how many tests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from truebleu._counts import number_of
from truebleu._shown import shown
from truebleu.significance.correction import AUTHORS
from truebleu.significance.power import EQUIVALENT, NO_BETTER, NO_WORSE, NOT_SHOWN
from truebleu.significance.worth import COIN

if TYPE_CHECKING:
    from truebleu.signature import Signature
    from truebleu.significance.results import Comparison, MetricReport, PairReport

_MOST_NAMED = 10  # pairs


def notes_of(comparison: Comparison) -> Iterator[str]:
    """Say what the numbers do not: power, equivalence, strata."""
    for metric in comparison.metrics:
        yield from power_note(comparison, metric)
        yield from missing_notes(metric)
        if "in" in metric.signature.info:
            yield from learned_notes(metric.name, {one.name: one for one in metric.systems}, metric.signature)
    # One example is enough to read the others.
    yield from next((note for metric in comparison.metrics if (note := [*people_note(metric)])), ())
    if comparison.margin is not None:
        for metric in comparison.metrics:
            yield from _equivalence(comparison.margin, metric)
    for metric in comparison.metrics:
        yield from _strata(metric)


def power_note(comparison: Comparison, metric: MetricReport) -> Iterator[str]:
    """Say what the test could have found, if something is not significant."""
    pairs = [pair for pair in metric.pairs if pair.smallest_shown is not None]
    found = [(pair.smallest_shown or 0.0, abs(pair.delta)) for pair in pairs]
    if found:
        smallest, seen = (_span(list(values)) for values in zip(*found, strict=True))
        tests = comparison.n_tests if comparison.correction else 1
        level = f" at the level {comparison.alpha:g} / {tests}" if tests > 1 else ""
        those = "the one seen is" if len(found) == 1 else f"the {len(found)} that are not significant are"
        yield (
            f"With {_size_of(comparison, pairs)} this test finds differences of {smallest} {shown(metric.name)} or "
            f"more with 80 % power{level}; {those} {seen}."
        )


def people_note(metric: MetricReport) -> Iterator[str]:
    """Say what people made of such differences in the past, if it is known."""
    known = [pair for pair in metric.pairs if pair.people is not None]
    if known:
        pair = min(known, key=lambda one: abs(one.delta))
        people = pair.people or 0.0
        how = "as often as a coin would" if people < COIN else f"in about {people:.0f} % of past cases"
        yield (
            f"People preferred the system better by {short(abs(pair.delta))} {shown(metric.name)} {how}; this is no "
            "p-value."
        )


def family_note(comparison: Comparison) -> str:
    """Say which p-values are corrected together."""
    method, pairs = AUTHORS.get(comparison.correction or ""), number_of(len(comparison.metrics[0].pairs), "pair")
    if method is None:
        return f"The p-values of {pairs} per metric are not corrected."
    if comparison.family == "all":
        tests = number_of(comparison.n_tests, "test")
        return f"The p-values of {tests}, those of all metrics, are corrected together after {method}."
    families = f", in {number_of(comparison.n_families, 'family', 'families')}" if comparison.n_families > 1 else ""
    return f"The p-values of {pairs} per metric are corrected after {method}{families}."


def size_of(comparison: Comparison) -> str:
    """Tell how many segments there are, and documents if they are drawn."""
    segments = number_of(comparison.n_segments, "segment", commas=True)
    documents = comparison.n_documents
    return segments if documents is None else f"{segments} ({number_of(documents, 'document', commas=True)})"


def missing_notes(metric: MetricReport) -> Iterator[str]:
    """Say what was done about missing scores, and what that means for the numbers that are shown."""
    gaps = [pair.missing for pair in metric.pairs if pair.missing is not None]
    if not gaps:
        return
    name, counts = shown(metric.name), _from_to([pair.n or 0 for pair in metric.pairs])
    if gaps[0].rule.startswith("fit"):
        yield (
            f"{name}: scores are missing. Differences are those of a fit of effects of segments and systems to all "
            f"scores; two systems share {counts} segments."
        )
    else:
        yield f"{name}: scores are missing. Each pair was tested on the segments that both have: {counts}."
    if any(system.adjusted is not None for system in metric.systems):
        yield (
            f"{name}: systems have scores of different segments, so that their means are not comparable. They are "
            "ranked by the adjusted means, as if all had the same segments."
        )
    yield from (f"{name}: {line}." for line in metric.lacks)


def learned_notes(name: str, scores: Mapping[str, Any], shared: Signature | None = None) -> Iterator[str]:
    """Say below a table what to know of a learned metric or judge, from each system's score, or its report."""
    from truebleu.metrics.neural import BESIDE
    from truebleu.runners.judging.noise import noise_notes

    infos: dict[str, Any] = {system: getattr(one.signature or shared, "info", {}) for system, one in scores.items()}
    passes = next(iter(infos.values())).get("rep")
    yield from noise_notes(shown(name), passes, (getattr(one, "noise", None) for one in scores.values()))
    mixed = []
    for key, word in BESIDE.items():
        by_value: dict[str, list[str]] = {}
        for system, info in infos.items():
            by_value.setdefault(shown(info.get(key) or "unknown"), []).append(system)
        if len(by_value) > 1:
            mixed.append(f"{word} {', '.join(f'{value} ({_listed(of)})' for value, of in by_value.items())}")
    if mixed:
        yield f"{shown(name)}: systems were not scored alike, which can move their scores: {'; '.join(mixed)}."
    bad = [f"{system} {count}" for system, info in infos.items() if (count := str(info.get("bad", 0))) != "0"]
    if bad:
        worst = ", which have the worst score" if bad[0].endswith("w") else ""
        yield f"{shown(name)}: answers that could not be read{worst}: {_listed([one.rstrip('w') for one in bad])}."
    lacking = [f"{system} {lost:,}" for system, one in scores.items() if (lost := getattr(one, "lacking", 0))]
    if lacking:
        yield f"{shown(name)}: segments without a score: {_listed(lacking)}. A mean is over the others."


def _listed(names: Sequence[str]) -> str:
    more = [f"{len(names) - _MOST_NAMED} more"] if len(names) > _MOST_NAMED else []
    return ", ".join([*map(shown, names[:_MOST_NAMED]), *more])


def _size_of(comparison: Comparison, pairs: list[PairReport]) -> str:
    """Tell how many segments some pairs have, and documents if they are drawn."""
    if not any(pair.missing or pair.n != comparison.n_segments for pair in pairs):
        return size_of(comparison)
    segments = f"{_from_to([pair.n or 0 for pair in pairs])} segments"
    units = _from_to([pair.n_units or 0 for pair in pairs])
    return segments if comparison.n_documents is None else f"{segments} ({units} documents)"


def _from_to(counts: list[int]) -> str:
    return " to ".join(dict.fromkeys(f"{one:,}" for one in (min(counts), max(counts))))


def short(value: float) -> str:
    """Write a number with two digits that count, without an exponent.

    >>> short(0.934), short(12.3), short(0.00456)
    ('0.93', '12', '0.0046')
    """
    rounded = float(f"{value:.2g}")
    return f"{rounded:.0f}" if abs(rounded) >= 10 else f"{rounded:.{max(0, 1 - _exponent(rounded))}f}"


def _exponent(value: float) -> int:
    return int(f"{value:.1e}".partition("e")[2]) if value else -1


def _span(values: list[float]) -> str:
    ends = list(dict.fromkeys(map(short, (min(values), max(values)))))
    return " to ".join(ends)


_EQUIVALENCE = {
    EQUIVALENT: "{} and {} are equivalent",
    NO_WORSE: "{} is no worse than {} by so much",
    NO_BETTER: "{} is no better than {} by so much",
    NOT_SHOWN: "of {} and {} it is not shown",
}


def _equivalence(margin: float, metric: MetricReport) -> Iterator[str]:
    """Say what two one-sided tests show of each pair, if a plain test has not said more."""
    found = [pair for pair in metric.pairs if pair.equivalence == EQUIVALENT or not pair.significant]
    words = [_EQUIVALENCE[one.equivalence or NOT_SHOWN].format(*_names(one)) for one in found[:_MOST_NAMED]]
    more = [number_of(len(found) - _MOST_NAMED, "more pair")] if len(found) > _MOST_NAMED else []
    if words:
        yield f"{shown(metric.name)}, a margin of {margin:g} (two one-sided tests): {'; '.join([*words, *more])}."


def _strata(metric: MetricReport) -> Iterator[str]:
    """Say in how many strata the systems of each pair win."""
    found = [pair for pair in metric.pairs if any(pair.strata_won)]
    for pair in found[:_MOST_NAMED]:
        sides = zip((pair, pair.turned), pair.strata_won, strict=True)
        won = ["{} beats {} in {}".format(*_names(one), count) for one, count in sides if count]
        strata = number_of(len(pair.strata), "stratum", "strata")
        yield f"{shown(metric.name)}: of {strata}, {', and '.join(won)}."
    if metric.pairs[0].strata and not found:
        yield f"{shown(metric.name)}: no system beats another in a stratum."


def _names(pair: PairReport) -> tuple[str, str]:
    return shown(pair.system), shown(pair.baseline)
