"""Official tables of shared tasks: systems by AutoRank and by people, over language pairs or domains.

Each stratum (a language pair, a domain, or everything) has its own AutoRank, and a system has the mean of its strata's:
of equal weight (macro), or by their number of items (micro). Intervals come from documents that are drawn whole, in
each stratum by itself, and for all metrics at once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from truebleu._counts import number_of
from truebleu._inputs import brief
from truebleu._options import MOST_SAMPLES, choice, level_of_test, whole_number
from truebleu.agreement.aligned import ScoresBySystem, columns_of
from truebleu.errors import OptionError, TooFew
from truebleu.resample.seed import Seed
from truebleu.significance.autorank import autoranks, complete_systems
from truebleu.significance.comparison import compare
from truebleu.significance.defaults import ALPHA, RESAMPLES
from truebleu.stats import Stats

if TYPE_CHECKING:
    from truebleu.agreement.cells import Floats
    from truebleu.scores.table import ScoreTable
    from truebleu.significance.results import MetricReport

AVERAGES = ("macro", "micro")
OVER = ("domain", "pair")
_ALL = "all"


class RankedSystem(NamedTuple):
    """A system of an official table."""

    name: str
    autorank: float
    interval: tuple[float, float] | None  # 95 %, from documents that are drawn
    strata: Mapping[str, float]  # its AutoRank in each
    means: Mapping[str, float]  # of each metric, as it is written in the files
    human: float | None = None
    rank_range: tuple[int, int] | None = None  # from people
    cluster: int | None = None


@dataclass(frozen=True)
class OfficialTable:
    """Systems by AutoRank, and by people where they were asked.

    Parameters
    ----------
    systems
        The systems, the best first: by people if they were asked, else by AutoRank.
    metrics
        The names of the metrics of AutoRank.
    human
        The name of people's scores; None if there are none.
    over
        What the strata are; None if there is one.
    average
        Whether strata have equal weights ("macro"), or the numbers of their items ("micro").
    strata
        How many items each stratum has.
    unit
        What was drawn: a "document", or a "segment" where documents are not known.
    n_units
        How many of them there are.
    n_samples, seed
        How often they were drawn, and the seed of that.
    """

    systems: tuple[RankedSystem, ...]
    metrics: tuple[str, ...]
    human: str | None
    over: str | None
    average: str
    strata: Mapping[str, int]
    unit: str
    n_units: int
    n_samples: int
    seed: str

    def to_dict(self) -> dict[str, Any]:
        """Give everything as plain values, for JSON."""
        return {**vars(self), "systems": [one._asdict() for one in self.systems]}


def official_table(
    strata: Mapping[str, Sequence[ScoreTable]] | Sequence[ScoreTable],
    *,
    over: str | None = None,
    average: str = AVERAGES[0],
    partial: bool = False,
    higher_is_better: Mapping[str, bool] | None = None,
    n_samples: int = RESAMPLES,
    alpha: float = ALPHA,
    seed: int | str | None = None,
) -> OfficialTable:
    """Rank systems by AutoRank, and by people where tables have scores of people.

    Parameters
    ----------
    strata
        Tables of scores; by language pair, a mapping from pairs to tables.
    over
        "pair" for a mapping, "domain" for the domains of the items; None for no strata.
    average
        "macro" for the plain mean over strata, "micro" for a mean weighted by the number of items.
    partial
        Whether systems that lack a metric are left out; over pairs, also whether systems may lack pairs.
    higher_is_better
        By metric, whether higher scores are better, where the name does not tell it.
    n_samples
        How often documents are drawn for intervals; 0 for no intervals.
    alpha
        The level of the test of people's scores.
    seed
        A whole number, or "none" for a fresh seed; None takes that of `SACREBLEU_SEED`.
    """
    choice("rank", "average", average, AVERAGES)
    level_of_test("rank: alpha", alpha)
    n_samples = whole_number("rank", "n_samples", n_samples, 0, MOST_SAMPLES)
    by_pair = strata if isinstance(strata, Mapping) else {_ALL: strata}
    if over is not None:
        choice("rank", "over", over, OVER)
    if (over == "pair") is not isinstance(strata, Mapping):
        raise OptionError("rank: over='pair' goes with a mapping from language pairs to tables of scores")
    drawn, said = Seed.of(seed), dict(higher_is_better or {})
    parts = [part for label, tables in by_pair.items() for part in _parts(label, tables, said, over, partial=partial)]
    if not partial and len({frozenset(part.systems) for part in parts}) > 1:
        raise OptionError(f"rank: {_unlike(parts)}; partial=True (--partial) takes the mean of those that it has")
    weights = np.array([part.items if average == "micro" else 1 for part in parts], dtype=np.float64)
    ranks = _averaged(parts, [_ranks_of(part, None) for part in parts], weights)
    intervals = _intervals(parts, weights, n_samples, np.random.default_rng(drawn.value)) if n_samples else {}
    own = {part.label: dict(zip(part.systems, _ranks_of(part, None).tolist(), strict=True)) for part in parts}
    systems = []
    for name in sorted(ranks, key=lambda name: (ranks[name], name)):
        by_stratum = {label: found[name] for label, found in own.items() if name in found}
        systems.append(RankedSystem(name, ranks[name], intervals.get(name), by_stratum, _means(parts, name)))
    people = {table.metrics[at] for tables in by_pair.values() for table in tables for at in _human_places(table)}
    if len(people) > 1:
        raise OptionError(f"rank: scores of people are {', '.join(sorted(people))}; expected one kind")
    if people and over != "pair":
        metric = _compared(by_pair[_ALL], [one.name for one in systems], said, over, average, alpha, drawn.value)
        systems = _with_people(systems, metric)
    has_documents = any(table.documents is not None for tables in by_pair.values() for table in tables)
    return OfficialTable(
        tuple(systems), parts[0].metrics, next(iter(people), None), over, average,
        {part.label: part.items for part in parts}, "document" if has_documents else "segment",
        sum(len(part.sums) for part in parts), n_samples, drawn.number_text(),
    )  # fmt: skip


class _Stratum(NamedTuple):
    """The scores of a stratum: by document, system and metric the sum and the number of cells."""

    label: str
    systems: list[str]
    metrics: tuple[str, ...]
    sums: Floats  # documents × systems × metrics
    counts: Floats
    signs: Floats  # of metrics
    items: int


def _human_places(table: ScoreTable) -> list[int]:
    return [at for at, name in enumerate(table.metrics) if table.columns[name].kind == "human"]


def _parts(
    label: str, tables: Sequence[ScoreTable], said: Mapping[str, bool], over: str | None, *, partial: bool
) -> list[_Stratum]:
    """Divide tables into strata, and add up each."""
    columns = [one for one in columns_of("tables", list(tables), said) if one.name not in _names_of_people(tables)]
    if not columns:
        raise TooFew("rank: there are no scores of metrics, only of people")
    systems = complete_systems({one.name: one.scores for one in columns}, partial=partial)
    domains = {one.name: _labels(one, tables, "domains") for one in columns}
    found = dict.fromkeys(domain for one in domains.values() for domain in one) if over == "domain" else {label: None}
    if over == "domain" and None in found:
        raise OptionError("rank: over='domain' needs the domain of each item, and some have none")
    return [_part(str(one), columns, systems, tables, domains, None if over != "domain" else one) for one in found]


def _names_of_people(tables: Sequence[ScoreTable]) -> set[str]:
    return {table.metrics[at] for table in tables for at in _human_places(table)}


def _labels(column: ScoresBySystem, tables: Sequence[ScoreTable], what: str) -> list[Hashable]:
    """The documents or domains of a column's items; another table may know them, if its items are the same."""
    size = len(next(iter(column.scores.values())))
    own = next(table for table in tables if column.name in table.metrics)
    for table in (own, *tables):
        labels = getattr(table, what)
        if labels is not None and len(labels) == size and (table is own or table.items == own.items):
            return list(labels)
    return [None] * size if what == "domains" else list(range(size))


def _part(
    label: str, columns: Sequence[ScoresBySystem], systems: list[str], tables: Sequence[ScoreTable],
    domains: Mapping[str, list[Hashable]], domain: Hashable,
) -> _Stratum:  # fmt: skip
    places = dict[Hashable, int]()
    cells = []
    for at, column in enumerate(columns):
        documents = _labels(column, tables, "documents")
        scores = np.stack([column.scores[name] for name in systems])
        kept = [item for item, one in enumerate(domains[column.name]) if domain is None or one == domain]
        cells.append((at, scores[:, kept], [places.setdefault(documents[item], len(places)) for item in kept]))
    shape = len(places), len(systems), len(columns)
    sums, counts = np.zeros(shape), np.zeros(shape)
    for at, scores, units in cells:
        np.add.at(sums[:, :, at], units, np.nan_to_num(scores).T)
        np.add.at(counts[:, :, at], units, ~np.isnan(scores).T)
    if empty := np.argwhere(counts.sum(axis=0) == 0).tolist():
        raise TooFew(f"rank: {columns[empty[0][1]].name} has no score of {systems[empty[0][0]]!r} in {label}")
    signs = np.array([float(one.sign) for one in columns])
    items = max(scores.shape[1] for _, scores, _ in cells)
    return _Stratum(label, systems, tuple(one.name for one in columns), sums, counts, signs, items)


def _unlike(parts: Sequence[_Stratum]) -> str:
    everybody = dict.fromkeys(name for part in parts for name in part.systems)
    name, part = next((name, part) for name in everybody for part in parts if name not in part.systems)
    return f"{brief(name)} has no scores in {part.label}"


def _ranks_of(part: _Stratum, weights: Floats | None) -> Floats:
    """AutoRanks of a stratum; with weights of documents, one row for each row of weights."""
    if weights is None:
        return autoranks(part.sums.sum(axis=0) / part.counts.sum(axis=0) * part.signs)
    sums, counts = (np.tensordot(weights, one, axes=1) for one in (part.sums, part.counts))
    whole = np.where(counts > 0, sums / np.maximum(counts, 1), (part.sums.sum(axis=0) / part.counts.sum(axis=0)))
    return autoranks(whole * part.signs)


def _averaged(parts: Sequence[_Stratum], ranks: Sequence[Floats], weights: Floats) -> dict[str, float]:
    found, total = defaultdict[str, float](float), defaultdict[str, float](float)
    for part, of_part, weight in zip(parts, ranks, weights.tolist(), strict=True):
        for name, rank in zip(part.systems, of_part.tolist(), strict=True):
            found[name] += weight * rank
            total[name] += weight
    return {name: found[name] / total[name] for name in found}


def _intervals(
    parts: Sequence[_Stratum], weights: Floats, samples: int, generator: np.random.Generator
) -> dict[str, tuple[float, float]]:
    """Draw documents in each stratum, and compute everything anew."""
    found, total = dict[str, Any](), defaultdict[str, float](float)
    for part, weight in zip(parts, weights.tolist(), strict=True):
        units = len(part.sums)
        draws = generator.multinomial(units, [1 / units] * units, samples).astype(np.float64)
        for name, column in zip(part.systems, _ranks_of(part, draws).T, strict=True):
            found[name] = found.get(name, 0.0) + weight * column
            total[name] += weight
    ends = {name: np.percentile(values / total[name], (2.5, 97.5)).tolist() for name, values in found.items()}
    return {name: (low, high) for name, (low, high) in ends.items()}


def _means(parts: Sequence[_Stratum], name: str) -> dict[str, float]:
    """The mean of each metric over all strata that a system has."""
    there = [(part, part.systems.index(name)) for part in parts if name in part.systems]
    sums = sum(part.sums[:, at].sum(axis=0) for part, at in there)
    counts = sum(part.counts[:, at].sum(axis=0) for part, at in there)
    return dict(zip(parts[0].metrics, np.asarray(sums / counts).tolist(), strict=True))


def _compared(
    tables: Sequence[ScoreTable], systems: Sequence[str], said: Mapping[str, bool], over: str | None, average: str,
    alpha: float, seed: int,
) -> MetricReport:  # fmt: skip
    """Test people's scores of all pairs. With weights of items, sums of rows are means over strata."""
    table = next(one for one in tables if _human_places(one))
    name = table.metrics[_human_places(table)[0]]
    scored = [one for one in sorted(table.scored(name)) if one in systems]
    if len(scored) < 2:
        raise TooFew(
            f"rank: people ({name}) and metrics have {number_of(len(scored), 'system')} in common, expected 2 or more"
        )
    (column,) = [one for one in columns_of("tables", [table], said) if one.name == name]
    rows = table.stats(name, scored)
    kept = np.any([one.rows[:, 1] > 0 for one in rows.values()], axis=0)  # what nobody scored is no item of people's
    labels = [_labels(column, tables, what) for what in ("domains", "documents")]
    domains, documents = ([one for one, is_kept in zip(several, kept, strict=True) if is_kept] for several in labels)
    strata = domains if over == "domain" else None
    weights = np.ones(len(domains))
    if strata is not None and average == "macro":
        weights = np.array([len(strata) / len(set(strata)) / strata.count(label) for label in strata])
    given = {
        system: {name: Stats(one.rows[kept] * weights[:, None], one.columns, one.fingerprint, one.references)}
        for system, one in rows.items()
    }
    found = compare(
        given, {name: table.metric(name)}, all_pairs=True, documents=documents, strata=strata, alpha=alpha, seed=seed
    )
    return found.metrics[0]


def _with_people(systems: Sequence[RankedSystem], metric: MetricReport) -> list[RankedSystem]:
    """Put the systems in the order of people; those that people have not seen come last."""
    cluster_of = {name: at for at, cluster in enumerate(metric.clusters or (), 1) for name in cluster}
    by_name = {one.name: one for one in systems}
    found = [
        by_name[one.name]._replace(human=one.score, rank_range=one.rank_range, cluster=cluster_of.get(one.name))
        for one in metric.best_first
    ]
    return [*found, *(one for one in systems if one.name not in metric.by_name)]
