"""What the metrics of the evaluate dialect share: examples are added, then scored together and forgotten."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from truebleu._inputs import Reference, Segments, brief, group
from truebleu.errors import FormatMismatch, NothingAdded, UnknownOption


def _features() -> list[Mapping[str, Any]]:
    """The two shapes that evaluate's own modules declare, in plain types."""
    return [
        {"predictions": "string", "references": ["string"]},
        {"predictions": "string", "references": "string"},
    ]


@dataclass(frozen=True)
class MetricInfo:
    """What a metric says about itself."""

    description: str
    citation: str
    inputs_description: str = (
        "predictions: list of str. references: list of lists of str, or list of str with one reference for each."
    )
    features: list[Mapping[str, Any]] = field(default_factory=_features)
    homepage: str = ""
    license: str = ""
    codebase_urls: tuple[str, ...] = ()
    reference_urls: tuple[str, ...] = ()
    streamable: bool = False
    format: str | None = None
    module_type: str = "metric"


class EvaluationModule(ABC):
    """A metric that collects examples and scores them on `compute`.

    A call that raises changes nothing: what was added before it is still there.

    Parameters
    ----------
    config_name, experiment_id
        Kept as an attribute.
    """

    name: ClassVar[str]
    info: ClassVar[MetricInfo]
    # What evaluate's modules have, with the values of a single process and no cache.
    process_id: ClassVar[int] = 0
    num_process: ClassVar[int] = 1
    seed: int | None = None
    timeout: ClassVar[float] = 100
    data_dir: ClassVar[str | None] = None

    def __init__(self, config_name: str | None = None, experiment_id: str = "default_experiment") -> None:
        self.config_name = config_name
        self.experiment_id = experiment_id
        self._predictions: list[str] = []
        self._references: list[Reference] = []
        self._flat = False

    def add(self, *, prediction: Any = None, reference: Any = None, **plural: Any) -> None:
        """Add one example.

        Parameters
        ----------
        prediction
            The output of the system, a string.
        reference
            The list of its references, or the only one as a string.
        **plural
            evaluate takes `predictions` and `references` for a single example too.
        """
        one = {"predictions": prediction, "references": reference}
        for name, value in plural.items():
            if name not in one or one[name] is not None:
                raise UnknownOption(f"{self.name}.add: there is no {brief(name)}, expected prediction and reference")
            one[name] = value
        self._extend(self._checked([one["predictions"]], [one["references"]], ("prediction", "reference")))

    def add_batch(self, *, predictions: Any = None, references: Any = None) -> None:
        """Add examples.

        Parameters
        ----------
        predictions
            The output of the system, one string for each segment.
        references
            For each segment the list of its references; if every segment has only one, the strings themselves.
        """
        self._extend(self._checked(predictions, references))

    def compute(self, *, predictions: Any = None, references: Any = None, **options: Any) -> dict[str, Any]:
        """Score the examples given here together with all that were added before, and forget them.

        Parameters
        ----------
        predictions, references
            As in `add_batch`.
        **options
            Those of the metric: see its class.
        """
        self._check_options(options)
        at_once = None if self._predictions else self._at_once(predictions, references, **options)
        if at_once is not None:
            return at_once
        texts, lists = self._predictions, self._references
        if predictions is not None or references is not None:
            given = self._checked(predictions, references)
            texts, lists = texts + given.predictions, lists + given.references
        if not texts:
            raise NothingAdded(
                f"{self.name}: there is nothing to score. Pass predictions and references, or add them before"
            )
        result = self._score(texts, lists, **options)
        self._predictions, self._references = [], []
        return result

    def _compute(self, predictions: Any, references: Any, **options: Any) -> dict[str, Any]:
        """Score these examples alone. It is evaluate's, where programs call it to be quicker than `compute`."""
        self._check_options(options)
        given = group(self.name, predictions, references)
        return self._score(given.predictions, given.references, **options)

    def _at_once(self, predictions: Any, references: Any, **options: Any) -> dict[str, Any] | None:
        """The result where examples need not be gathered and are plainly in order; None otherwise."""
        return None

    @abstractmethod
    def _score(self, predictions: list[str], references: list[Reference]) -> dict[str, Any]:
        """Compute the result; subclasses take their options by keyword, each with a default."""

    def download_and_prepare(self, download_config: object = None, dl_manager: object = None) -> None:
        """Do nothing, for there is nothing to download; programs written for evaluate call it.

        Parameters
        ----------
        download_config, dl_manager
            Ignored.
        """
        del download_config, dl_manager

    def __len__(self) -> int:
        return len(self._predictions)

    def __bool__(self) -> bool:
        """True, also when nothing has been added and the length is 0."""
        return True

    def __getattr__(self, name: str) -> Any:
        # evaluate's modules have description, citation, features and so on as attributes of their own.
        if name in MetricInfo.__dataclass_fields__:
            return getattr(self.info, name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __repr__(self) -> str:
        return f'EvaluationModule(name: "{self.name}", module_type: "metric", stored examples: {len(self)})'

    def _check_options(self, options: Mapping[str, Any]) -> None:
        known = type(self)._score.__kwdefaults__ or {}
        for option in options:
            if option not in known:
                there_are = ", ".join(known) or "none"
                raise UnknownOption(f"{self.name}: there is no option {brief(option)}; there are {there_are}")

    def _checked(
        self, predictions: Any, references: Any, names: tuple[str, str] = ("predictions", "references")
    ) -> Segments:
        for what, value in zip(names, (predictions, references), strict=True):
            if value is None or (what in ("prediction", "reference") and value[0] is None):
                raise FormatMismatch(f"{self.name}: {what} is None, expected {names[0]} and {names[1]} together")
        segments = group(self.name, predictions, references, names)
        if self._predictions and segments.flat != self._flat:
            shapes = ("lists of strings", "strings")
            raise FormatMismatch(
                f"{self.name}: references are {shapes[segments.flat]} here, and were {shapes[self._flat]} in what was "
                "added before. Expected the same shape for all"
            )
        return segments

    def _extend(self, segments: Segments) -> None:
        # Copied: the caller's lists may change before they are scored.
        self._predictions.extend(segments.predictions)
        self._references.extend(list(texts) for texts in segments.references)
        self._flat = segments.flat
