"""The calls of a user: which settings give this number, and how much each difference contributes to a gap."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from copy import copy
from typing import Any

from truebleu._counts import number_of, there_are
from truebleu._inputs import References, check_corpus, check_instance, check_references, check_text, ordered
from truebleu._options import whole_number
from truebleu.errors import InputTypeError, LengthMismatch, OptionError
from truebleu.metrics import Metric
from truebleu.reconciliation.attribution import MOST_CHANGES, mattering, told
from truebleu.reconciliation.counts import SystemTexts
from truebleu.reconciliation.explanations import Attribution, Change, Explanation, Reconciliation
from truebleu.reconciliation.family import FAMILIES, SHARED, Profile, Scorer, Setting, all_profiles, check_axes
from truebleu.reconciliation.profiles import Known, known_setting, of_tools
from truebleu.reconciliation.search import Candidate, Hit, Search, equal, rank, ranked
from truebleu.reconciliation.targets import Fit, Target, parse_target

_SHOWN, _NEAREST = 10, 3

Systems = Sequence[str] | Sequence[Sequence[str]]


def reconcile(
    hypotheses: Systems,
    references: Sequence[Sequence[str | None]],
    target: str | float | Sequence[str | float],
    *,
    start: str | Metric[Any] | None = None,
    tools: Sequence[str] | None = None,
    axes: Sequence[str] | None = None,
    labels: Mapping[str, Sequence[Hashable]] | None = None,
    max_changes: int = 3,
    threads: int = 0,
    names: Sequence[str] | None = None,
    others: Mapping[str, Sequence[str | None]] | None = None,
) -> Reconciliation:
    """Find the settings that give a printed number, and what each change contributes.

    Parameters
    ----------
    hypotheses
        The output of the system, one string for each segment; a list of such lists where `target` is a list.
    references
        A list of streams, each with one reference for every segment.
    target
        The number, best as it was printed, as text, which keeps zeros at its end; or a whole line of output. A list has
        one for each system.
    start
        The settings from which changes are counted: a signature, the name of a tool, or a metric; sacreBLEU's defaults
        unless given.
    tools
        Try only the settings of these tools.
    axes
        Try only changes of these axes; all unless given.
    labels
        Lists with a label for each segment, such as {"origlang": [...]}: each label alone is tried. Means over
        documents are tried where there is one called "document".
    max_changes
        How many changes at once are tried, from 0 to 3.
    threads
        How many threads count; 0 for all cores.
    names
        The names of the references in the result.
    others
        Further references by name, which are tried in place of `references`.

    Examples
    --------
    >>> found = reconcile(["The tide came in"], [["the tide came in"]], "100.00")
    >>> found.explanations[0].profile, found.certainty
    ('sacreBLEU -lc', 'likely')
    """
    level = whole_number("reconcile", "max_changes", max_changes, 0, 3)
    wanted = tuple(ordered("reconcile", "axes", axes, "names of axes")) if axes is not None else ()
    check_axes(wanted)
    profiles = (
        of_tools(tuple(ordered("reconcile", "tools", tools, "names of tools"))) if tools is not None else all_profiles()
    )
    targets = _targets(target)
    is_one = isinstance(target, str | float | int)
    if not is_one and isinstance(hypotheses, list | tuple) and any(isinstance(one, str) for one in hypotheses):
        raise InputTypeError("reconcile: target is a list, and hypotheses is one system, expected a list of systems")
    scorers = _scorers(hypotheses, references, is_one, labels, threads, others)
    if len(targets) != len(scorers):
        raise LengthMismatch(
            f"reconcile: there are {number_of(len(scorers), 'system')} and {number_of(len(targets), 'target')}"
        )
    origin = _origin(start, targets, profiles if tools is not None else (), scorers[0].texts)
    search = Search(scorers, targets, origin.setting, profiles, wanted, only_tools=tools is not None)
    search.run(level)
    return _Report(search, _Words(scorers[0].texts, names), origin).result()


def attribute(
    hypotheses: Systems,
    references: Sequence[Sequence[str | None]],
    start: str | Metric[Any],
    end: str | Metric[Any],
    *,
    labels: Mapping[str, Sequence[Hashable]] | None = None,
    threads: int = 0,
    names: Sequence[str] | None = None,
) -> Attribution:
    """Share the gap between two known definitions among their differences; nothing is searched.

    Parameters
    ----------
    hypotheses
        The output of the system, one string for each segment, or a list of such lists.
    references
        A list of streams, each with one reference for every segment.
    start
        A signature, the name of a tool, or a metric.
    end
        Another.
    labels
        Lists with a label for each segment.
    threads
        How many threads count; 0 for all cores.
    names
        The names of the references in the result.
    """
    texts = ordered("reconcile", "hypotheses", hypotheses, "a list of strings, or of systems")
    is_one = all(isinstance(text, str) for text in texts)
    scorers = _scorers(texts, references, is_one, labels, threads, None)
    given = scorers[0].texts
    first, last = (_placed(known_setting(*each), given) for each in ((start, "start"), (end, "end")))
    if first.setting.metric != last.setting.metric:
        labels_of = [known.setting.family.metric.label for known in (first, last)]
        raise OptionError(f"reconcile: {labels_of[0]} and {labels_of[1]} are two metrics, and their gap has no parts")
    scores = [scorer.score for scorer in scorers]
    changes = first.setting.differences(last.setting)
    made, depend = told(first.setting, changes, scores, _Words(given, names).of(first.setting))
    silent = [axis for axis in changes if axis not in {change.axis for change in made}]
    notes = [f"{axis}: {first.setting.axes[axis].says(changes[axis])} (no difference)" for axis in silent]
    return Attribution(
        first.title,
        last.title,
        tuple(score(first.setting) for score in scores),
        tuple(score(last.setting) for score in scores),
        made,
        depend,
        tuple(dict.fromkeys((*notes, *first.notes, *last.notes))),
    )


# What was given.


def _targets(target: Any) -> list[Target]:
    is_one = isinstance(target, str | float | int)
    given = (target,) if is_one else ordered("reconcile", "target", target, "a number or a text, or a list of them")
    targets = []
    for at, one in enumerate(given):
        text = str(float(one)) if isinstance(one, float | int) and not isinstance(one, bool) else one
        targets.append(parse_target(check_text(f"reconcile: target[{at}]", text, "a number, or text that has one")))
    if not targets:
        raise OptionError("reconcile: target is empty, expected a number as text")
    families = {one.metric for one in targets if one.metric}
    if len(families) > 1:
        raise OptionError(f"reconcile: the targets are of {' and '.join(sorted(families))}, expected one metric")
    return [one._replace(metric=next(iter(families), None)) for one in targets]


def _scorers(
    hypotheses: Any,
    references: Any,
    is_one: bool,
    labels: Mapping[str, Sequence[Hashable]] | None,
    threads: int,
    others: Mapping[str, Sequence[str | None]] | None,
) -> list[Scorer]:
    number = whole_number("reconcile", "threads", threads, 0, 4096)
    systems = [hypotheses] if is_one else ordered("reconcile", "hypotheses", hypotheses, "a list of systems")
    given = check_references("reconcile", references)
    for what, value in (("labels", labels), ("others", others)):
        if value is not None:
            check_instance("reconcile", what, value, Mapping, "lists by name")
    streams = {str(at): tuple(stream) for at, stream in enumerate(given.streams, 1)}
    usual = tuple(streams)
    for name, stream in (others or {}).items():
        checked = check_references("reconcile: others", [stream])
        streams[f"set {name}"] = tuple(checked.streams[0])
    scorers = []
    for system in systems:
        for group in (usual, *((name,) for name in streams if name not in usual)):
            who = "reconcile" if group == usual else "reconcile: others"
            corpus = check_corpus(who, system, References([streams[name] for name in group], given.segments), True)
        texts = tuple(corpus.hypotheses)
        found = SystemTexts(texts, streams, usual, _labels(labels or {}, len(texts)))
        scorers.append(Scorer(found, number or None))
    if not scorers:
        raise InputTypeError("reconcile: hypotheses is an empty list, expected at least one system")
    return scorers


def _labels(labels: Mapping[str, Sequence[Hashable]], segments: int) -> dict[str, Sequence[Hashable]]:
    found: dict[str, Sequence[Hashable]] = {}
    for name, each in labels.items():
        values = ordered("reconcile", f"labels[{name!r}]", each, "a list with a label for each segment")
        if len(values) != segments:
            raise LengthMismatch(
                f"reconcile: there are {number_of(len(values), 'label')} {name!r} and {number_of(segments, 'segment')}"
            )
        found[check_text("reconcile: labels", name, "names of labels")] = values
    return found


def _origin(start: Any, targets: list[Target], profiles: Sequence[Profile], texts: SystemTexts) -> Known:
    metric = targets[0].metric
    if start is not None:
        known = known_setting(start)
        if metric is not None and metric != known.setting.metric:
            raise OptionError(
                f"reconcile: target is a score of {FAMILIES[metric].metric.label}, and start is one of {known.title}"
            )
        return _placed(known, texts)
    families = {profile.metric for profile in profiles}
    metric = metric or ("bleu" if not families or "bleu" in families else families.pop())
    made: Any = FAMILIES[metric].metric
    return _placed(known_setting(made()), texts)


def _placed(known: Known, texts: SystemTexts) -> Known:
    """A setting on these references: a signature may be of one of them."""
    if known.references == "1" and len(texts.usual) > 1:
        return known._replace(setting=known.setting.having({"references": texts.usual[0]}))
    if known.references not in (None, "var", str(len(texts.usual))):
        note = f"the signature is of nrefs:{known.references}, here {there_are(len(texts.usual), 'reference')}"
        return known._replace(notes=(*known.notes, note))
    return known


class _Words:
    """What a report says of values."""

    def __init__(self, texts: SystemTexts, names: Sequence[str] | None) -> None:
        given = [] if names is None else list(ordered("reconcile", "names", names, "a name for each reference"))
        if names is not None and len(given) != len(texts.usual):
            raise LengthMismatch(
                f"reconcile: there are {number_of(len(given), 'name')} and {number_of(len(texts.usual), 'reference')}"
            )
        self.references = dict(zip(texts.usual, map(str, given or texts.usual), strict=True))

    def of(self, start: Setting) -> Any:
        """A function that describes a change from the start."""

        def says(axis: str, value: str) -> str:
            what, old = self.value(start, axis, value), start[axis]
            if axis == "references" and value in self.references and old == "all":
                return f"one reference ({self.references[value]}) instead of {len(self.references)}"
            is_named = start.axes[axis].names_old or old != start.axes[axis].usual
            return f"{what} instead of {self.value(start, axis, old)}" if is_named else what

        return says

    def value(self, setting: Setting, axis: str, value: str) -> str:
        if axis == "references" and value in self.references:
            return f"reference {self.references[value]} alone"
        if axis == "references" and value.startswith("set "):
            return f"the reference {value[4:]}"
        if axis == "lines" and "=" in value:
            label, _, wanted = value.partition("=")
            return f"only lines whose {label} is {wanted}"
        return setting.axes[axis].says(value)


# What was found.


class _Report:
    """Makes the result of a search."""

    def __init__(self, search: Search, words: _Words, origin: Known) -> None:
        self.search, self.words, self.origin = search, words, origin
        self.score = [scorer.score for scorer in search.scorers]

    def result(self) -> Reconciliation:
        search = self.search
        counts = {hit.candidate.setting: len(self._profiles_with(hit.candidate.setting)) for hit in search.hits}
        groups = ranked(search.hits, counts)
        ranks = [rank(group[0], counts)[:4] for group in groups]
        explanations = [self._explanation(best, same) for best, *same in groups[:_SHOWN]]
        nearest = [] if groups else [self._near(candidate) for candidate in search.nearest(_NEAREST)]
        return Reconciliation(
            tuple(target.text for target in search.targets),
            self._start_title(),
            search.scores(search.start),
            tuple(explanations),
            min(ranks.count(ranks[0]), _SHOWN) if ranks else 0,
            search.certainty(len(groups)),
            len(search.tried),
            search.by_chance(),
            tuple(nearest),
            (*self.origin.notes, *(() if groups else self._remarks())),
        )

    def _start_title(self) -> str:
        setting, references = self.search.start, len(self.search.scorers[0].texts.usual)
        if self.origin.metric is None:
            return self.origin.title
        count = references if setting["references"] == "all" else 1
        sample = copy(self.origin.metric).corpus_score(["a"], [["a"]] * count)
        return str(sample.signature).partition("|version:")[0]

    def _explanation(self, hit: Hit, same: Sequence[Hit]) -> Explanation:
        candidate, search = hit.candidate, self.search
        changes, depend = self._changes(candidate.setting)
        shown = self._title(hit)
        return Explanation(
            changes,
            hit.scores,
            tuple(_printed(*each) for each in zip(hit.scores, search.targets, hit.fits, strict=True)),
            not any(fit.is_truncated for fit in hit.fits),
            any(fit.is_truncated for fit in hit.fits),
            shown,
            candidate.level,
            candidate.weight,
            depend,
            candidate.setting.metric,
            tuple(dict.fromkeys(title for other in same if (title := self._title(other)) and title != shown)),
        )

    def _title(self, hit: Hit) -> str | None:
        setting = hit.candidate.setting
        if hit.candidate.profile is not None:
            return hit.candidate.profile.title
        return None if setting == self.search.start else self._profile_title(setting)

    def _changes(self, setting: Setting) -> tuple[tuple[Change, ...], bool]:
        start = self.search.start
        if setting.metric != start.metric:
            return (), False
        made = mattering(start, start.differences(setting), self.score)
        if len(made) > MOST_CHANGES:
            return (), False
        changes, depend = told(start, made, self.score, self.words.of(start))
        return tuple(self._with_equals(setting, change) for change in changes), depend

    def _with_equals(self, setting: Setting, change: Change) -> Change:
        """The change with the other values of its axis that make no difference here."""
        axis = setting.axes[change.axis]
        scores, equals = self.search.scores(setting), []
        values = ["mean", "best"] if axis.name == "references" else [v for v in axis.values if "=" not in v]
        for value in values:
            if value in (change.value, change.old) or value in axis.only_in_profiles or axis.name == "lines":
                continue
            other = setting.having({change.axis: value})
            if (other in self.search.tried or axis.is_quick) and equal(self.search.scores(other), scores):
                equals.append(self.words.value(setting, change.axis, value))
        return Change(**{**vars(change), "equals": tuple(equals)})

    def _profiles_with(self, setting: Setting) -> list[Profile]:
        """The profiles that contain a combination of changes, wherever they are scored."""
        start = self.search.start
        if setting.metric != start.metric:
            return []
        changes = {k: v for k, v in start.differences(setting).items() if k not in SHARED}
        same = [profile for profile in self.search.profiles if changes and profile.metric == setting.metric]
        return [profile for profile in same if changes.items() <= start.differences(profile.setting).items()]

    def _profile_title(self, setting: Setting) -> str | None:
        """The tool that gives this score on the same references, lines and text."""
        kept = {axis: setting[axis] for axis in SHARED}
        scores = self.search.scores(setting)
        for profile in self._profiles_with(setting):
            if equal(self.search.scores(profile.setting.having(kept)), scores):
                return profile.title
        return None

    def _near(self, candidate: Candidate) -> Explanation:
        scores = self.search.scores(candidate.setting)
        scale = self.search.targets[0].scales[0]
        changes, depend = self._changes(candidate.setting)
        fits = [Fit(scale, False)] * len(scores)
        printed = tuple(_printed(*each) for each in zip(scores, self.search.targets, fits, strict=True))
        title = self._profile_title(candidate.setting) or (
            None if candidate.setting.metric == self.search.start.metric else candidate.setting.family.metric.label
        )
        return Explanation(changes, scores, printed, False, False, title, 0, 0.0, depend, candidate.setting.metric)

    def _remarks(self) -> list[str]:
        """Other origins of the target: another tool, the texts without one line, or the first documents only."""
        scorer, target, start = self.search.scorers[0], self.search.targets[0], self.search.start
        sums, found = start.family.sums(start, scorer.counts), start.family.remarks()
        if len(self.search.targets) > 1 or sums is None:
            return found
        rows, score = sums
        fitting = [
            at for at, one in enumerate(score(rows.sum(axis=0) - rows).tolist()) if target.fit(one, start.metric)
        ]
        if fitting:
            others = f"; so would the removal of {number_of(len(fitting) - 1, 'other line')}, each alone"
            many = others if len(fitting) > 1 else ""
            found.append(f"without line {fitting[0] + 1} the start would give {target.number}{many}")
        documents = scorer.texts.labels.get("document", ())
        ends = [at for at in range(1, len(documents)) if documents[at] != documents[at - 1]]
        parts = score(rows.cumsum(axis=0)[[end - 1 for end in ends]]).tolist() if ends else []
        fitting = [end for end, one in zip(ends, parts, strict=True) if target.fit(one, start.metric)]
        if fitting:
            found.append(f"the first {fitting[0]} lines, which are whole documents, would give {target.number}")
        return found


def _printed(score: float, target: Target, fit: Fit) -> str:
    value = (100 - score if fit.is_complement else score) / fit.scale
    return target.number if fit.is_truncated else f"{value:.{target.decimals}f}"
