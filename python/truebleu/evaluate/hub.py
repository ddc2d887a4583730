"""The metrics of the evaluate dialect by name."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

from truebleu.errors import OptionError, UnknownModule, UnknownOption
from truebleu.evaluate.module import EvaluationModule

# By address, not by import: a program that loads one metric should not wait for all.
_MODULES = {
    "bleu": "bleu.Bleu",
    "sacrebleu": "delegates.Sacrebleu",
    "chrf": "delegates.ChrF",
    "ter": "delegates.Ter",
    "google_bleu": "google_bleu.GoogleBleu",
}

# The owner that evaluate's own metrics have on its hub.
_OWNER = "evaluate-metric/"
_CONSTRUCTOR_OPTIONS = ("seed", "hash", "max_concurrent_cache_files", "timeout")


def load(
    path: str,
    config_name: str | None = None,
    module_type: str | None = None,
    process_id: int = 0,
    num_process: int = 1,
    cache_dir: str | None = None,
    experiment_id: str | None = None,
    keep_in_memory: bool = False,
    download_config: object = None,
    download_mode: object = None,
    revision: object = None,
    **init_kwargs: Any,
) -> EvaluationModule:
    """Load a metric by name.

    What concerns downloads and caches is accepted and ignored, for there are none.

    Parameters
    ----------
    path
        "bleu", "sacrebleu", "chrf", "ter" or "google_bleu".
    config_name
        Kept as an attribute of the metric.
    module_type
        "metric" or None.
    process_id
        Only 0: nothing is gathered from other processes.
    num_process
        Only 1.
    cache_dir
        Ignored.
    experiment_id
        Kept as an attribute of the metric.
    keep_in_memory
        Ignored.
    download_config
        Ignored.
    download_mode
        Ignored.
    revision
        Ignored.
    **init_kwargs
        seed, hash, max_concurrent_cache_files and timeout are ignored; all others are refused.

    Examples
    --------
    >>> len(load("chrf")), load("chrf").name
    (0, 'chr_f')
    """
    name = str(path).removeprefix(_OWNER)
    if name not in _MODULES or module_type not in (None, "metric"):
        kind = module_type or "metric"
        raise UnknownModule(
            f"truebleu.evaluate has no {kind} {path!r}; there are the metrics {', '.join(_MODULES)}. "
            "For others use Hugging Face's evaluate"
        )
    for option in init_kwargs:
        if option not in _CONSTRUCTOR_OPTIONS:
            raise UnknownOption(f"load: there is no option {option!r}; options of a metric go to its compute()")
    if (process_id, num_process) != (0, 1):
        raise OptionError(
            f"load: process_id is {process_id} and num_process {num_process}, expected 0 and 1: nothing is gathered "
            "from other processes here. Use truebleu.Accumulator in each, and merge them"
        )
    module, _, class_name = _MODULES[name].partition(".")
    found = getattr(import_module(f"truebleu.evaluate.{module}"), class_name)
    loaded: EvaluationModule = found(config_name=config_name, experiment_id=experiment_id or "default_experiment")
    return loaded


def list_evaluation_modules(
    module_type: str | None = None, include_community: bool = True, with_details: bool = False
) -> list[str]:
    """List the names that `load` knows.

    Parameters
    ----------
    module_type
        "metric" or None for all names; there are no others, so for any other value the list is empty.
    include_community
        Ignored.
    with_details
        Ignored.

    Examples
    --------
    >>> list_evaluation_modules()
    ['bleu', 'sacrebleu', 'chrf', 'ter', 'google_bleu']
    """
    return list(_MODULES) if module_type in (None, "metric") else []


def script_path(name: str) -> str:
    """Find the path of a script for the real `evaluate.load`, which then counts with truebleu and needs no network.

    Parameters
    ----------
    name
        "bleu", "sacrebleu", "chrf", "ter" or "google_bleu".

    Examples
    --------
    >>> script_path("chrf").replace("\\\\", "/").rpartition("truebleu/")[2]
    'evaluate/scripts/chrf/chrf.py'
    """
    if name not in _MODULES:
        raise UnknownModule(f"there is no script for {name!r}, expected one of {', '.join(_MODULES)}")
    return str(Path(__file__).parent / "scripts" / name / f"{name}.py")
