"""The settings that exist in practice, from the simplest on, until some of them give the target.

Level 0 is the start as it is and every profile of a tool; level 1 is one change of one axis; levels 2 and 3 combine
changes that move the score. The level of the first hit is finished, so that its rivals are known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product
from typing import NamedTuple

from truebleu.reconciliation.attribution import mattering
from truebleu.reconciliation.family import SHARED, Axis, Profile, Scorer, Setting, all_profiles
from truebleu.reconciliation.targets import Fit, Target

_SAME = 1e-9  # scores that differ by less are equal
ALIKE = 2e-5  # points by which a score in 32 bits may differ from the same in 64
_MOST_LABELS = 40
_LIKELY, _CERTAIN = 0.1, 0.01  # how many settings may fit by chance
_METRIC_WEIGHT = 2.0  # how surprising another metric is
_COUNTED = {"tokenizer", "case", "references"}  # what decides rows; at level 3, text goes with one of them


class Candidate(NamedTuple):
    """A setting to try; `profile` if it is what a tool does."""

    setting: Setting
    level: int
    weight: float
    profile: Profile | None = None


class Hit(NamedTuple):
    """A candidate that gives all targets."""

    candidate: Candidate
    scores: tuple[float, ...]
    fits: tuple[Fit, ...]
    is_unlike: bool = False  # whether another tool writes a line of this form


class Search:
    """Tries settings on one or more systems, each with its target."""

    def __init__(
        self,
        scorers: Sequence[Scorer],
        targets: Sequence[Target],
        start: Setting,
        profiles: Sequence[Profile],
        axes: Sequence[str] = (),
        only_tools: bool = False,
    ) -> None:
        self.scorers, self.targets, self.start = scorers, targets, start
        self.profiles, self.axes, self.only_tools = profiles, axes, only_tools
        self.tried: dict[Setting, tuple[float, ...]] = {}
        self.hits: list[Hit] = []
        self._moving: dict[str, list[str]] = {}
        self._equals: dict[tuple[str, str], list[str]] = {}  # values that alone give the same score as another
        self._values = {
            name: _values(axis, scorers, start) for name, axis in start.axes.items() if not axes or name in axes
        }

    def run(self, max_changes: int) -> None:
        """Search level by level; `hits` and `tried` have what was found."""
        for level in range(max_changes + 1):
            self._try(self._candidates(level), everything=level < 2)
            if self.hits:
                self._try(self._siblings(), everything=True)
                return

    def scores(self, setting: Setting) -> tuple[float, ...]:
        """Score all systems."""
        return tuple(scorer.score(setting) for scorer in self.scorers)

    def by_chance(self) -> float:
        """Estimate how many of the tried settings would match the targets by coincidence."""
        near = {
            tuple(round(score / _SAME) for score in scores)
            for scores in self.tried.values()
            if len(scores) == len(self.targets)
            and all(abs(score - target.points) <= 1 for score, target in zip(scores, self.targets, strict=True))
        }
        expected = float(len(near))
        for target in self.targets:
            expected *= min(1.0, target.width / 2)
        return expected

    def certainty(self, explanations: int) -> str:
        """Tell how sure the first explanation is: "certain", "likely", "one of several" or "none"."""
        if not explanations:
            return "none"
        expected = self.by_chance()
        if all("sys_len" in target.parts for target in self.targets):
            return "certain"
        if len(self.targets) > 1 and expected < _CERTAIN and explanations == 1:
            return "certain"
        return "likely" if expected < _LIKELY else "one of several"

    def nearest(self, count: int) -> list[Candidate]:
        """Find the settings that come nearest to the targets, each with another score."""
        distances: dict[tuple[int, ...], tuple[float, Setting]] = {}
        for setting, scores in self.tried.items():
            if len(scores) == len(self.targets) and all(score == score for score in scores):
                gap = max(abs(score - target.points) for score, target in zip(scores, self.targets, strict=True))
                key = tuple(round(score / _SAME) for score in scores)
                distances.setdefault(key, (gap, setting))
        return [
            Candidate(setting, 0, 0.0) for _, setting in sorted(distances.values(), key=lambda pair: pair[0])[:count]
        ]

    def _try(self, candidates: Iterator[Candidate], everything: bool) -> None:
        found = sorted(candidates, key=lambda one: _rows_key(one.setting))
        for candidate in found:
            setting = candidate.setting
            if setting not in self.tried:
                first = self.scorers[0].score(setting)
                # Another system is worth counting only where the first is near its target.
                is_near = everything or abs(first - self.targets[0].points) <= 1
                self.tried[setting] = self.scores(setting) if is_near else (first,)
            scores = self.tried[setting]
            if len(scores) < len(self.targets):
                continue
            fits = [t.fit(score, setting.metric) for t, score in zip(self.targets, scores, strict=True)]
            if all(fit is not None for fit in fits) and len({fit.scale for fit in fits if fit}) == 1:
                lines = zip(self.targets, self.scorers, strict=True)
                if all(not t.parts or t.fits_parts(scorer.parts(setting)) for t, scorer in lines):
                    weight = candidate.weight if candidate.profile is None else self._weight(setting)
                    tool, made = self.targets[0].tool, candidate._replace(weight=weight)
                    is_unlike = bool(tool) and (made.profile is None or not made.profile.tool.startswith(str(tool)))
                    self.hits.append(Hit(made, scores, tuple(fit for fit in fits if fit), is_unlike))

    # Candidates of each level.

    def _candidates(self, level: int) -> Iterator[Candidate]:
        if self.only_tools:
            yield from self._of_tools(level)
        elif level == 0:
            yield Candidate(self.start, 0, 0.0)
            for profile in self.profiles:
                if profile.setting.metric == self.start.metric:
                    yield Candidate(self._on(profile), 0, _METRIC_WEIGHT, profile)
        elif level == 1:
            yield from self._single_changes()
        else:
            self._find_moving()
            yield from self._combinations(level)

    def _of_tools(self, level: int) -> Iterator[Candidate]:
        axes: list[str] = [axis for axis in SHARED if axis in self._values]
        for profile in self.profiles:
            if self.targets[0].metric not in (None, profile.setting.metric):
                continue
            base = self._on(profile)
            for chosen in combinations(axes, level):
                for values in product(*(self._values[axis] for axis in chosen)):
                    changes = dict(zip(chosen, values, strict=True))
                    yield Candidate(base.having(changes), level, _METRIC_WEIGHT, profile)

    def _on(self, profile: Profile) -> Setting:
        """The profile's setting on the references and lines of the start."""
        kept = {axis: self.start[axis] for axis in ("references", "lines")}
        if profile.one_reference and kept["references"] == "all" and len(self.scorers[0].texts.usual) > 1:
            kept["references"] = self.scorers[0].texts.usual[0]
        return profile.setting.having(kept)

    def _weight(self, setting: Setting) -> float:
        """How surprising a tool's setting is: what makes no difference here does not count."""
        if setting.metric != self.start.metric:
            return _METRIC_WEIGHT
        made = mattering(self.start, self.start.differences(setting), [scorer.score for scorer in self.scorers], ALIKE)
        return sum(self.start.axes[axis].weight_of(value) for axis, value in made.items())

    def _single_changes(self) -> Iterator[Candidate]:
        for axis, values in self._values.items():
            for value in values:
                yield Candidate(self.start.having({axis: value}), 1, self.start.axes[axis].weight_of(value))
        if not self.axes and self.targets[0].metric is None:
            for profile in self.profiles:
                if profile.setting.metric != self.start.metric and profile.tool == "sacrebleu":
                    yield Candidate(self._on(profile), 1, _METRIC_WEIGHT, profile)

    def _find_moving(self) -> None:
        """Keep one value of each axis for each score that it gives, if it is another score than the start's."""
        if self._moving:
            return
        for axis, values in self._values.items():
            seen = {self.start[axis]: self.tried[self.start]}
            for value in values:
                scores = self.tried[self.start.having({axis: value})]
                same = next((other for other, known in seen.items() if equal(scores, known)), None)
                # The best reference may be another one, and A to Z another alphabet, once something else changes.
                is_kept = axis in ("references", "case") and same != self.start[axis]
                if same is not None and not is_kept:
                    self._equals.setdefault((axis, same), []).append(value)
                elif all(score == score for score in scores):
                    seen[value] = scores
                    self._moving.setdefault(axis, []).append(value)

    def _siblings(self) -> Iterator[Candidate]:
        """Rivals of hits: values that were left out of combinations because alone they gave the same score."""
        for hit in list(self.hits):
            candidate = hit.candidate
            if candidate.level > 1 and candidate.profile is None:
                for axis, value in self.start.differences(candidate.setting).items():
                    for other in self._equals.get((axis, value), ()):
                        yield candidate._replace(setting=candidate.setting.having({axis: other}))

    def _combinations(self, level: int) -> Iterator[Candidate]:
        for axes in combinations(self._moving, level):
            if any(pair <= set(axes) for pair in self.start.family.apart):
                continue
            if level > 2 and "text" in axes and len(_COUNTED & set(axes)) > 1:
                continue
            known = [self.start.axes[axis] for axis in axes]
            for values in product(*(self._moving[axis] for axis in axes)):
                changes = dict(zip(axes, values, strict=True))
                # There are many documents, and a guess at one and something else proves nothing. Shifted lines have
                # rows of their own and scores near zero, whatever else is done to them.
                if changes.get("lines", "").startswith(("document=", "shifted")):
                    continue
                weight = sum(axis.weight_of(value) for axis, value in zip(known, values, strict=True))
                yield Candidate(self.start.having(changes), level, weight)
        if level == 2 and "references" in self._moving:
            for profile in self.profiles:
                if profile.setting.metric == self.start.metric:
                    for value in self._moving["references"]:
                        yield Candidate(self._on(profile).having({"references": value}), 2, _METRIC_WEIGHT, profile)


def equal(some: Sequence[float], others: Sequence[float], tolerance: float = _SAME) -> bool:
    """Tell whether the scores of all systems are equal."""
    return all(abs(one - other) <= tolerance for one, other in zip(some, others, strict=True))


def _rows_key(setting: Setting) -> tuple[str, ...]:
    """What settings must agree on to be scored from the same rows, so that they can be scored in turn."""
    own = (setting[axis] for axis in setting.family.counted)
    return (setting.metric, setting["text"], *own, setting["references"])


def _values(axis: Axis, scorers: Sequence[Scorer], start: Setting) -> list[str]:
    """The values of an axis that are worth trying on these texts."""
    texts = scorers[0].texts
    values = [value for value in axis.values if value not in axis.only_in_profiles]
    if axis.name == "references":
        others = [name for name in texts.streams if name not in texts.usual]
        values = [*(("all", *texts.usual, "mean", "best") if len(texts.usual) > 1 else ("all",)), *others]
    elif axis.name == "lines":
        values = [value for value in values if _selects(value, scorers)] + _label_values(texts.labels)
    worth = start.family.is_worth_trying
    return [value for value in values if value != start[axis.name] and worth(axis.name, value, texts)]


def _selects(value: str, scorers: Sequence[Scorer]) -> bool:
    """Whether lines are left out and others are left."""
    if value == "all":
        return True
    count = len(scorers[0].texts.hypotheses)
    if value.startswith("shifted"):
        return count > 2
    chosen = [scorer.counts.selection(value) for scorer in scorers]
    return any(each is not None and 0 < len(each) < count for each in chosen)


def _label_values(labels: Mapping[str, Sequence[object]]) -> list[str]:
    found = []
    for name, each in labels.items():
        distinct = list(dict.fromkeys(str(label) for label in each))
        if 1 < len(distinct) <= _MOST_LABELS:
            found += [f"{name}={label}" for label in distinct]
    return found


def ranked(hits: Sequence[Hit], counts: Mapping[Setting, int]) -> list[list[Hit]]:
    """Put hits in order, those with the same scores (but for 32 bits) together; the first of each stands for it."""
    groups: list[list[Hit]] = []
    for hit in sorted(hits, key=lambda one: rank(one, counts)):
        same = next((group for group in groups if equal(group[0].scores, hit.scores, ALIKE)), None)
        if same is None:
            groups.append([hit])
        else:
            same.append(hit)
    return groups


def rank(hit: Hit, counts: Mapping[Setting, int]) -> tuple[bool, int, bool, float, int, int]:
    """Tell how good an explanation is: the smaller, the better."""
    candidate = hit.candidate
    is_truncated = any(fit.is_truncated for fit in hit.fits)
    # Of what is equally simple, the start comes first, then tools in the order of their table.
    place = all_profiles().index(candidate.profile) if candidate.profile else -1
    return (
        hit.is_unlike,
        candidate.level,
        is_truncated,
        round(candidate.weight, 6),
        place,
        -counts.get(candidate.setting, 0),
    )
