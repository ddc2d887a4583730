"""What `reconcile` knows of a metric: its family has axes on which scores differ, profiles of tools, and rules.

A `Setting` is a metric and a value on each of its axes, the usual one unless said otherwise. A new metric is a file
like `ter.py` and a line in `FAMILIES` (see `__init__.py`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from truebleu._counts import number_of
from truebleu._inputs import brief
from truebleu.errors import OptionError
from truebleu.metrics import Metric
from truebleu.reconciliation.counts import Array, Counts, SystemTexts


class Axis(NamedTuple):
    """One thing that can differ."""

    name: str
    weight: float  # how surprising a change is
    usual: str
    values: Mapping[str, str]  # each with what a report says of it
    only_in_profiles: tuple[str, ...] = ()  # values that the search does not try by themselves
    rare: tuple[str, ...] = ()  # values that are met less often than the others of the axis
    is_quick: bool = False  # whether all values are tried to tell which of them make no difference
    names_old: bool = False  # whether a report always names the value that a change replaces

    def weight_of(self, value: str) -> float:
        """Tell how surprising a change to a value is."""
        return self.weight + (0.1 if value in self.rare else 0.0)

    def says(self, value: str) -> str:
        """Describe a value for people."""
        return self.values.get(value, value)


# The axes that several metrics have.
REFERENCES = Axis(
    "references", 1.0, "all",
    {"all": "all references", "mean": "mean over the references", "best": "best single reference"},
    is_quick=True,
)  # fmt: skip
LINES = Axis(
    "lines", 1.6, "all",
    {
        "all": "all lines",
        "no blank hypotheses": "lines with a blank hypothesis dropped",
        "no blank references": "lines with a blank reference dropped",
        "no repeated references": "lines whose reference came before dropped",
        "last lost": "the last line lost",
        "shifted -1": "hypotheses one line too early",
        "shifted +1": "hypotheses one line too late",
        **{
            f"first {count}": f"the first {number_of(count, 'line', commas=True)} only"
            for count in (100, 500, 1000, 2000, 3000)
        },
    },
)  # fmt: skip
TEXT = Axis(
    "text", 1.5, "as is",
    {
        "as is": "text as it is",
        "entities": "HTML entities decoded",
        "nfc": "Unicode NFC",
        "nfkc": "Unicode NFKC",
        "width": "full and half width made one",
        "quotes": "quotation marks made one",
        "dashes": "dashes made one",
        "ellipsis": "the sign … written as three full stops",
        "spaces": "spaces made one",
        "no punctuation": "punctuation removed",
        "no specials": "special tokens such as <unk> removed",
        "joined subwords": "subwords joined at @@",
        "split compounds": "compounds split at hyphens",
        "stripped": "spaces at both ends removed",
        "moses": "tokenized by Moses (English)",
        "moses de": "tokenized by Moses (German)",
    },
)  # fmt: skip
CASE = Axis(
    "case", 1.0, "mixed",
    {"mixed": "case kept", "lower": "lower-cased", "ascii": "lower-cased (A to Z)",
     "hypotheses": "hypotheses lower-cased, references not"},
    rare=("ascii", "hypotheses"), is_quick=True,
)  # fmt: skip
SHARED = (REFERENCES.name, LINES.name, TEXT.name)  # on these, a tool can be used in any way


@dataclass(frozen=True, slots=True)
class Setting:
    """A metric and its values; axes that are not among `values` have the usual one."""

    metric: str
    values: tuple[tuple[str, str], ...] = ()  # in the order of the axes

    def __getitem__(self, axis: str) -> str:
        for name, value in self.values:
            if name == axis:
                return value
        return self.axes[axis].usual

    @property
    def family(self) -> Family:
        """The family of the metric."""
        return FAMILIES[self.metric]

    @property
    def axes(self) -> Mapping[str, Axis]:
        """The axes of the metric, in the order in which steps are told."""
        return FAMILIES[self.metric].axes

    def having(self, changes: Mapping[str, str]) -> Setting:
        """Change some values."""
        values = {**dict(self.values), **changes}
        axes = self.axes
        return Setting(
            self.metric, tuple((a, values[a]) for a in axes if values.get(a, axes[a].usual) != axes[a].usual)
        )

    def differences(self, other: Setting) -> dict[str, str]:
        """List the axes on which another setting of the same metric differs, with its values."""
        return {axis: other[axis] for axis in self.axes if self[axis] != other[axis]}


@dataclass(frozen=True, eq=False)
class Profile:
    """A way to call a tool."""

    metric: str
    tool: str
    variant: str  # the options or functions, empty for the usual ones
    title: str  # what a report calls it
    values: Mapping[str, str]
    one_reference: bool  # whether the tool takes one reference only

    @property
    def name(self) -> str:
        """The tool and the variant."""
        return f"{self.tool} {self.variant}".strip()

    @property
    def setting(self) -> Setting:
        """What the tool computes."""
        return Setting(self.metric).having(self.values)


def profile(metric: str, tool: str, variant: str, title: str, one: bool = False, /, **values: str) -> Profile:
    """Make a profile; spaces in the names of axes are written as underscores."""
    return Profile(metric, tool, variant, title, {name.replace("_", " "): value for name, value in values.items()}, one)


class Family(ABC):
    """What can differ between scores of a metric, what tools do, and how a setting is scored."""

    metric: ClassVar[type[Metric[Any]]]
    axes: ClassVar[Mapping[str, Axis]]  # in the order in which steps are told
    profiles: ClassVar[tuple[Profile, ...]]
    counted: ClassVar[tuple[str, ...]] = ()  # settings that agree on these axes are scored one after the other
    apart: ClassVar[tuple[set[str], ...]] = ()  # axes that are not changed together
    silent: ClassVar[dict[str, str]] = {}  # options that change no score of a corpus, and the note about them

    @abstractmethod
    def values_of(self, metric: Any) -> Mapping[str, str]:
        """Find the values of a metric on the axes."""

    @abstractmethod
    def score(self, setting: Setting, counts: Counts) -> float:
        """Score a system with some of its references, in points from 0 to 100; NaN where the tool itself fails."""

    def parts(self, setting: Setting, counts: Counts) -> dict[str, Any] | None:
        """Find what a line of output shows beside the score; None if there is nothing."""
        return None

    def sums(self, setting: Setting, counts: Counts) -> tuple[Array, Callable[[Array], Array]] | None:
        """Give rows and what scores sums of them; None if the score is not one of a sum."""
        return None

    def is_worth_trying(self, axis: str, value: str, texts: SystemTexts) -> bool:
        """Tell whether a value can make a difference on these texts."""
        return True

    def remarks(self) -> list[str]:
        """Say what else may have given a number that nothing explains."""
        return []


# Families by the name of their metric on the command line.
FAMILIES: dict[str, Family] = {}


def all_profiles() -> tuple[Profile, ...]:
    """List the profiles of all families."""
    return tuple(one for family in FAMILIES.values() for one in family.profiles)


def names(word: str) -> str:
    """List what the metrics are called, with a word before the last."""
    *first, last = (family.metric.label for family in FAMILIES.values())
    return f"{', '.join(first)} {word} {last}"


def by_name(*axes: Axis) -> dict[str, Axis]:
    """Arrange axes by their names."""
    return {axis.name: axis for axis in axes}


def check_axes(names: tuple[str, ...]) -> None:
    """Raise OptionError unless all names are those of axes."""
    known = list(dict.fromkeys(name for family in FAMILIES.values() for name in family.axes))
    for name in names:
        if not isinstance(name, str) or name not in known:
            raise OptionError(f"reconcile: axes has {brief(name)}, expected some of {', '.join(known)}")


class Scorer:
    """Scores one system under any setting."""

    def __init__(self, texts: SystemTexts, threads: int | None = None) -> None:
        self.texts, self.counts = texts, Counts(texts, threads)
        self._scores: dict[Setting, float] = {}

    def score(self, setting: Setting) -> float:
        """Score under a setting, in points from 0 to 100; NaN where the tool itself fails."""
        if setting not in self._scores:
            self._scores[setting] = self._score(setting)
        return self._scores[setting]

    def _score(self, setting: Setting) -> float:
        if setting["references"] in ("mean", "best"):
            scores = [self.score(setting.having({"references": name})) for name in self.texts.usual]
            best = max if setting.family.metric.higher_is_better else min
            return float(np.mean(scores)) if setting["references"] == "mean" else best(scores)
        chosen = self.counts.selection(setting["lines"])
        if chosen is not None and not len(chosen):
            return float("nan")
        return float(setting.family.score(setting, self.counts))

    def parts(self, setting: Setting) -> dict[str, Any] | None:
        """Find what a line of output shows beside the score; None if there is nothing."""
        return None if setting["references"] in ("mean", "best") else setting.family.parts(setting, self.counts)
