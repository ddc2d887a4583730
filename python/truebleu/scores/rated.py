"""Scores from elsewhere of which more is known: what errors cost, how raters were treated, and what each rater said."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from truebleu.metrics.external import ExternalMetric
from truebleu.metrics.known import KnownMetric
from truebleu.signature import Signature

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class RatedMetric(ExternalMetric):
    """Scores of people, whose signature says what was done with them.

    With `ratings` (by system, raters by items), tests ask whether other raters would say the same.
    """

    def __init__(
        self,
        name: str,
        *,
        weights: str | None = None,
        z: str | None = None,
        ratings: Mapping[str, NDArray[np.float64]] | None = None,
        **about: Any,
    ) -> None:
        super().__init__(name, **about)
        self.weights, self.z, self.ratings = weights, z, ratings

    @property
    def known(self) -> KnownMetric | None:
        """What is known of scores of this name; nothing of those that are standardized, which have both signs."""
        return None if self.z else super().known

    def signature(self) -> Signature:
        """Also name the weights, and what was done about raters."""
        made = super().signature()
        raters = None if self.ratings is None else f"{len(next(iter(self.ratings.values())))}-random"
        for key, value in (("mqm", self.weights), ("z", self.z), ("raters", raters)):
            made.update(key, value)
        return made

    def arguments(self) -> dict[str, Any]:
        """The arguments that make such a metric again, but for the ratings."""
        more = {"weights": self.weights, "z": self.z}
        return super().arguments() | {key: value for key, value in more.items() if value is not None}

    def fingerprint(self) -> dict[str, object]:
        """Rows of other weights, or standardized ones, cannot be put together with these."""
        more = {"mqm": self.weights, "z": self.z}
        return super().fingerprint() | {key: value for key, value in more.items() if value is not None}
