"""What there is to report: plain values, computed elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from truebleu.metrics.score import Score
from truebleu.signature import Signature

if TYPE_CHECKING:
    from truebleu.significance.results import Comparison


class Outcome(NamedTuple):
    """A score with everything that may be told about it."""

    name: str
    score: float
    signature: Signature
    mean: float | None = None
    half_width: float | None = None
    p_value: float | None = None
    adjusted_p_value: float | None = None
    verbose: str = ""
    parts: Mapping[str, Any] = MappingProxyType({})

    @staticmethod
    def of(score: Score) -> Outcome:
        """The outcome of a metric."""
        fields = score.to_dict()
        interval = fields.pop("confidence", {})
        parts = {key: value for key, value in fields.items() if key not in ("name", "score", "signature")}
        if score.signature is None:
            raise ValueError(f"a score without a signature cannot be reported: {score}")
        return Outcome(
            name=score.name,
            score=score.score,
            signature=score.signature,
            mean=interval.get("mean"),
            half_width=interval.get("half_width"),
            verbose=score.verbose,
            parts=parts,
        )


class SystemOutcomes(NamedTuple):
    """The outcomes of one system, one for each metric; at sentence level, also those of each segment."""

    name: str
    outcomes: tuple[Outcome, ...]
    segments: tuple[tuple[Outcome, ...], ...] = ()
    is_baseline: bool = False


class PairedTitle(NamedTuple):
    """What a paired test is called, and what its explanation needs to know."""

    title: str
    baseline: str
    test: str
    has_intervals: bool


class GroupOutcomes(NamedTuple):
    """The segments with one label: how many they are, and the outcomes of each system in the order of all systems."""

    label: str
    segments: int
    systems: tuple[tuple[Outcome, ...], ...]


class Results(NamedTuple):
    """All systems; in a ranking only the comparison of each with each."""

    systems: tuple[SystemOutcomes, ...]
    is_sentence_level: bool = False
    paired: PairedTitle | None = None
    groups: tuple[GroupOutcomes, ...] = ()
    details: tuple[GroupOutcomes, ...] = ()  # of a test set, beside the results
    comparison: Comparison | None = None


class Style(NamedTuple):
    """How numbers and signatures are to look."""

    width: int = 1
    short: bool = False
    score_only: bool = False
    color: bool = False

    def number(self, value: float) -> str:
        """A score with the decimals asked for."""
        return f"{value:.{self.width}f}"

    def signature(self, outcome: Outcome) -> str:
        """The signature, long or short."""
        return outcome.signature.format(self.short)

    def paint(self, text: str, color: int) -> str:
        """The text in one of the eight colours of a terminal."""
        return f"\033[{color}m{text}\033[0m" if self.color else text


RED, GREEN, YELLOW, CYAN = 31, 32, 33, 36
