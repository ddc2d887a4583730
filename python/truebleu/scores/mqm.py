"""What errors cost in MQM: sets of weights, each a table of names and numbers.

A name is a severity, perhaps with a category after it (`minor/fluency/punctuation`), or a category at any severity
(`*/non-translation!`). The most specific name counts; small and capital letters are the same.

>>> weights = weights_of("google")
>>> [weights.cost(severity, category) for severity, category in (
...     ("Major", "Accuracy/Omission"), ("minor", "Fluency/Punctuation"), ("Major", "Non-translation!"))]
[5.0, 0.1, 25.0]
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from truebleu._inputs import brief
from truebleu._textio import read_text, split_lines
from truebleu.errors import FileFormatError, OptionError

# The rater saw no error, which is a score of zero, and not a missing one.
NO_ERROR = "no-error"

_COMMON = {"major": 5.0, "minor": 1.0, "neutral": 0.0, "minor/fluency/punctuation": 0.1}
# mt-metrics-eval's, and those that WMT24's organisers used.
SETS: Mapping[str, Mapping[str, float]] = {
    "google": {**_COMMON, "major/non-translation!": 25.0},
    "wmt24": {
        **_COMMON, "critical": 5.0, "*/non-translation!": 25.0, "*/source issue": 0.0,
        "*/accuracy/creative reinterpretation": 0.0,
    },
}  # fmt: skip
_CATEGORIES = {
    "accuracy", "fluency", "locale convention", "non-translation!", "other", "source error", "source issue", "style",
    "terminology", "verity",
}  # fmt: skip


class Weights(NamedTuple):
    """A set of weights, and its name in signatures."""

    name: str
    costs: Mapping[str, float]

    def cost(self, severity: str, category: str) -> float | None:
        """What an error costs; None if its severity or its category is unknown."""
        severity, category = severity.strip().lower(), re.sub(r" \(.*\)", "", category.strip().lower())
        parts = category.split("/")
        if NO_ERROR in (severity, parts[0]):
            return 0.0
        if severity not in self.costs or (parts[0] not in _CATEGORIES and not self._names(parts[0])):
            return None
        for end in range(len(parts), 0, -1):
            for first in (severity, "*"):
                if (found := self.costs.get("/".join((first, *parts[:end])))) is not None:
                    return found
        return self.costs[severity]

    def _names(self, category: str) -> bool:
        return any(f"/{category}" in name for name in self.costs)

    @property
    def expected(self) -> str:
        """The names that are known, for a message."""
        severities = ", ".join(name for name in self.costs if "/" not in name)
        return f"the severities {severities} and the categories {', '.join(sorted(_CATEGORIES))}"


def weights_of(name: str) -> Weights:
    """Find a set of weights by its name, or read it from a file: a name and a number per line."""
    if name in SETS:
        return Weights(name, SETS[name])
    costs = {}
    for number, line in enumerate(split_lines(read_text(name)), 1):
        label, _, cost = line.strip().rpartition("\t" if "\t" in line else " ")
        if not re.fullmatch(r"[0-9]+(\.[0-9]*)?", cost) or not label.strip():
            raise FileFormatError(
                f"{name}, line {number}: found {brief(line)}, expected a severity, perhaps with a category, and a "
                f"number, as in 'major/non-translation! 25'; the sets with a name are {', '.join(SETS)}"
            )
        costs[label.strip().lower()] = float(cost)
    if not any("/" not in label for label in costs):
        raise OptionError(f"{name}: no severity has a weight of its own, expected a line such as 'major 5'")
    return Weights(re.split(r"[/\\]", name)[-1].partition(".")[0], costs)
