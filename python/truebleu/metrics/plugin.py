"""Metrics of plug-ins: what an author writes, and the metric that truebleu makes of it.

A plug-in is a learned metric whose program is in this process, or, if it is a runner, outside like those of ours. Its
numbers are checked: a wrong one is the plug-in's mistake, and is said to be.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from math import inf, isfinite

from truebleu._counts import number_of
from truebleu._inputs import brief, check_text
from truebleu._plugins import PluginPoint
from truebleu._shown import did_you_mean
from truebleu._typing import Any, ClassVar
from truebleu.errors import OptionError
from truebleu.metrics.by_runner import RunnerMetric
from truebleu.metrics.known import KnownMetric
from truebleu.metrics.neural import Fact, LearnedMetric, Told, UnitScorer
from truebleu.metrics.options import Field
from truebleu.runners.cache import ScoreCache, key_of
from truebleu.runners.families import FAMILIES, RUNNERS, RunnerSpec, register
from truebleu.runners.protocol import Result, Unit

_KEY = re.compile(r"[a-z][a-z0-9_]{0,19}")
_TEXTS = ("src", "hyp", "ref")
_TRUE = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
_DIRECTION = Fact("plugin", "pl")


class MetricPlugin:
    """What an author of a metric writes; a subclass is the object of an entry point of the group `truebleu.metrics`.

    >>> class LengthRatio(MetricPlugin):
    ...     label = "LengthRatio"
    ...
    ...     def segment_scores(self, units):
    ...         return [len(unit.hyp) / max(1, len(unit.ref)) for unit in units]

    Parameters
    ----------
    options
        The value of each option that is not at its default.
    """

    label: ClassVar[str] = ""
    higher_is_better: ClassVar[bool] = True
    needs: ClassVar[Sequence[str]] = ("hyp", "ref")  # and "src"
    version: ClassVar[str] = "1"  # of the numbers: a change makes another metric
    low: ClassVar[float] = -inf
    high: ClassVar[float] = inf
    options: ClassVar[Mapping[str, tuple[type, Any, str]]] = {}  # of each: its type, default, and help
    cacheable: ClassVar[bool] = False  # whether scores are worth keeping, and depend on nothing but the unit

    def __init__(self, **options: Any) -> None:
        for name, (_, default, _) in self.options.items():
            setattr(self, name, options.get(name, default))

    def segment_scores(self, units: Sequence[Unit]) -> list[float]:
        """Score each unit, which has `src`, `hyp` and `ref`; those that the metric does not need are None.

        Parameters
        ----------
        units
            The units, each of them once.
        """
        raise NotImplementedError

    def fields(self) -> Mapping[str, str]:
        """Further fields of signatures, such as the version of a word list."""
        return {}


class PluginMetric(LearnedMetric):
    """A metric of a plug-in; `options` are the plug-in's own, and all others those of a learned metric."""

    point: ClassVar[PluginPoint]
    kind: ClassVar[type[MetricPlugin]]
    asked_as: ClassVar[str]  # its name on the command line
    decisive = LearnedMetric.decisive | {"plugin", "metric_version"}

    def __init__(self, options: Mapping[str, Any] | None = None, **more: Any) -> None:
        self.own = _read_options(self.point.name, self.kind.options, options or {})
        try:
            self.made = self.kind(**self.own)
        except Exception as error:
            raise self.point.wrong(f"cannot be made: {type(error).__name__}: {error}") from error
        super().__init__(**more)

    @property
    def known(self) -> KnownMetric:
        """Its direction and range, which the plug-in says."""
        return KnownMetric(self.label, self.higher_is_better, self.kind.low, self.kind.high, decimals=4)

    @property
    def options_shown(self) -> str | None:
        """Its own options, where they are not at their defaults."""
        return ",".join(f"{name}={value}" for name, value in sorted(self.own.items())) or None

    @property
    def bounds(self) -> tuple[float, float]:
        """The range that no score leaves."""
        return self.kind.low, self.kind.high

    def check_interpreter(self) -> None:
        """There is none to check: it runs in this one."""

    def facts(self) -> Mapping[str, str]:
        """The distribution, and what the plug-in adds."""
        own = {key: _field(value) for key, value in self.made.fields().items()}
        return {"plugin": self.point.signed, "metric_version": _field(self.kind.version), **own}

    def fingerprint(self) -> Mapping[str, object]:
        """That of a learned metric, and all fields of the plug-in."""
        return {**super().fingerprint(), **self.facts(), "options": self.options_shown or ""}

    def arguments(self) -> dict[str, Any]:
        """The arguments that make this metric again."""
        found = {key: value for key, value in super().arguments().items() if key != "options"}
        return {**found, "options": dict(self.own)} if self.own else found

    def _options(self) -> dict[str, Any]:
        return {**super()._options(), **({"options": dict(self.own)} if self.own else {})}

    def _scorer(self) -> UnitScorer:
        cache = ScoreCache(self.point.name, self.fingerprint()) if self.kind.cacheable else None
        return _PluginScorer(self, cache)

    def __reduce__(self) -> tuple[Any, ...]:
        return _revived, (self.asked_as, self.__getstate__())

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "made": None, "told": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, made=self.kind(**state["own"]))


class _PluginScorer:
    def __init__(self, metric: PluginMetric, cache: ScoreCache | None) -> None:
        self._metric, self._cache = metric, cache

    def results(self, units: Sequence[Unit], place: Callable[[Unit], str], told: Told | None = None) -> list[Result]:
        by_key = {key_of(unit): unit for unit in units}
        found = self._cache.get([*by_key]) if self._cache else {}
        missing = [key for key in by_key if key not in found]
        if missing:
            scores = self._asked([by_key[key] for key in missing], place)
            new = {key: Result(score) for key, score in zip(missing, scores, strict=True)}
            found |= new
            if self._cache is not None:
                self._cache.put(new)
        if told is not None:
            told(len(by_key), len(by_key), len(by_key) - len(missing))
        return [found[key_of(unit)] for unit in units]

    def _asked(self, units: Sequence[Unit], place: Callable[[Unit], str]) -> list[float]:
        point, (low, high) = self._metric.point, self._metric.bounds
        try:
            scores = self._metric.made.segment_scores(units)
        except Exception as error:
            raise point.wrong(f"failed: {type(error).__name__}: {error}") from error
        if not isinstance(scores, list) or len(scores) != len(units):
            given = number_of(len(scores), "score") if isinstance(scores, list) else f"{type(scores).__name__}"
            raise point.wrong(f"gave {given}, expected a list of {number_of(len(units), 'score')}")
        for score, unit in zip(scores, units, strict=True):
            if type(score) not in (float, int) or not isfinite(score) or not low <= score <= high:
                limits = f" from {low:g} to {high:g}" if isfinite(low) and isfinite(high) else ""
                raise point.wrong(f"gave {brief(score)} for {place(unit)}, expected a finite number{limits}")
        return [float(score) for score in scores]


def metric_of(point: PluginPoint, asked: str) -> type[LearnedMetric]:
    """Import a plug-in, and make a metric of it."""
    found = point.load()
    if point.group == "runners":
        return _of_runner(point, found, asked)
    if not isinstance(found, type) or not issubclass(found, MetricPlugin):
        raise point.wrong(f"is {brief(found)}, expected a subclass of truebleu.plugins.MetricPlugin")
    needs = tuple(text for text in _TEXTS if text in found.needs)
    label = found.label or point.name
    if "hyp" not in needs or set(found.needs) - set(_TEXTS) or not re.fullmatch(r"[\w.+-]{1,40}", label):
        raise point.wrong(f"needs {', '.join(found.needs)} and is labelled {label!r}, expected hyp and others of "
                          "src and ref, and a label without spaces")  # fmt: skip
    try:
        keys = [*found().fields()]
    except Exception as error:
        raise point.wrong(f"cannot be made: {type(error).__name__}: {error}") from error
    taken = {field.key for field in LearnedMetric.fields} | {"plugin", "options", "metric_version", "version", "nrefs"}
    if odd := [key for key in keys if not _KEY.fullmatch(key) or key in taken]:
        raise point.wrong(f"has the signature field {odd[0]!r}, expected a short word that is not taken")
    about = {
        "__doc__": found.__doc__ or PluginMetric.__doc__, "__module__": __name__, "point": point, "kind": found,
        "asked_as": asked,
        "name": point.name.upper(), "label": label, "texts": needs, "higher_is_better": bool(found.higher_is_better),
        "needs_references": "ref" in needs, "title": label,
        "fields": (
            _DIRECTION, Fact("metric_version", "mv"), *(Fact(key, key) for key in keys),
            Field("options", "op", "options_shown", read=_options_in), *LearnedMetric.fields,
        ),
    }  # fmt: skip
    return type(found.__name__, (PluginMetric,), about)


def _of_runner(point: PluginPoint, spec: Any, asked: str) -> type[LearnedMetric]:
    """The metric of a plug-in that is a runner: all of it but its direction is as with ours."""
    names = [one.name for one in spec.families] if isinstance(spec, RunnerSpec) else []
    if point.name not in names:
        has = f"has the metrics {', '.join(names)}" if names else f"is {brief(spec)}, and no RunnerSpec"
        raise point.wrong(f"{has}, expected one of the name of the entry point")
    if spec.name not in RUNNERS:
        try:
            register(spec)
        except OptionError as error:
            raise point.wrong(str(error)) from error
    family = FAMILIES[point.name]
    scale = KnownMetric(family.label, spec.higher_is_better, spec.low, spec.high, decimals=4)
    about = {
        "__module__": __name__, "__doc__": RunnerMetric.__doc__, "known": property(lambda self: scale),
        "facts": lambda self: {**RunnerMetric.facts(self), "plugin": point.signed},
        "fields": (*RunnerMetric.fields, _DIRECTION), "decisive": RunnerMetric.decisive | {"plugin"},
        "__reduce__": lambda self: (_revived, (asked, self.__getstate__())),
    }  # fmt: skip
    made: Any = type(family.label, (RunnerMetric,), about, family=family.name)
    made.higher_is_better = spec.higher_is_better
    kind: type[LearnedMetric] = made
    return kind


def _revived(name: str, state: Any) -> Any:
    """Make a metric anew that was copied, or sent to another process: pickle finds no class that is made here."""
    from truebleu.metrics.registry import find

    made: Any = object.__new__(find(name))
    made.__setstate__(state)
    return made


def _read_options(name: str, known: Mapping[str, tuple[type, Any, str]], given: Mapping[str, Any]) -> dict[str, Any]:
    """Check options, and read those that are text as the type that they should have; defaults are left out."""
    found = {}
    for key, value in given.items():
        if key not in known:
            raise OptionError(
                f"{name} has no option {key}{did_you_mean(key, known)}; it has {', '.join(known) or 'none'}"
            )
        kind, default, _ = known[key]
        try:
            read = _TRUE[str(value).lower()] if kind is bool else kind(value)
        except (KeyError, ValueError, TypeError) as error:
            raise OptionError(f"{name}.{key} is {brief(value)}, expected {kind.__name__}") from error
        if read != default:
            found[key] = read
    return found


def _options_in(text: str, notes: list[str]) -> dict[str, Any]:
    return {"options": dict(one.partition("=")[::2] for one in text.split(","))}


def _field(value: object) -> str:
    """Text that can be a value in a signature."""
    return re.sub(r"[|:\s]+", "_", check_text("fields", value, "text") if isinstance(value, str) else str(value))
