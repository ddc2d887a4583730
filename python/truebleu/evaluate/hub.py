"""The metrics of the evaluate dialect by name."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

from truebleu._inputs import brief
from truebleu._logs import warn
from truebleu._options import whole_number
from truebleu.errors import OptionError, UnknownModule, UnknownOption
from truebleu.evaluate.module import EvaluationModule

# By address, not by import: a program that loads one metric should not wait for all.
_MODULES = {
    "bleu": "bleu.Bleu",
    "sacrebleu": "delegates.Sacrebleu",
    "chrf": "delegates.ChrF",
    "ter": "delegates.Ter",
    "google_bleu": "google_bleu.GoogleBleu",
    "rouge": "rouge.Rouge",
    "meteor": "meteor.Meteor",
    "wer": "wer.Wer",
    "cer": "wer.Cer",
    "exact_match": "wer.ExactMatch",
    "squad": "squad.Squad",
    "squad_v2": "squad.SquadV2",
}

# The owner that evaluate's own metrics have on its hub.
_OWNER = "evaluate-metric/"
_CONSTRUCTOR_OPTIONS = ("seed", "hash", "max_concurrent_cache_files", "timeout", "trust_remote_code")
# Options of `datasets`, which evaluate takes and never reads.
_OF_DATASETS = ("verification_mode", "token", "use_auth_token", "ignore_verifications")


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
        "bleu", "sacrebleu", "chrf", "ter", "google_bleu", "rouge", "meteor", "wer", "cer", "exact_match", "squad" or
        "squad_v2".
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
    keep_in_memory, download_config, download_mode, revision
        Ignored.
    **init_kwargs
        seed is that of rouge's resamples; hash, max_concurrent_cache_files, timeout and trust_remote_code are ignored;
        so are verification_mode, token, use_auth_token and ignore_verifications, with a warning; all others are
        refused.

    Examples
    --------
    >>> len(load("chrf")), load("chrf").name
    (0, 'chr_f')
    """
    name = path.removeprefix(_OWNER) if isinstance(path, str) else ""
    if name not in _MODULES or not _is_metric(module_type):
        kind = (
            "metric" if _is_metric(module_type) else f"module_type {brief(module_type)}, as which you ask for the path"
        )
        raise UnknownModule(
            f"truebleu.evaluate has no {kind} {brief(path)}; there are the metrics {', '.join(_MODULES)}. "
            "For others use Hugging Face's evaluate"
        )
    for option in init_kwargs:
        if option in _OF_DATASETS:
            warn("load: %s is ignored, as in evaluate: nothing is downloaded here", option)
        elif option not in _CONSTRUCTOR_OPTIONS:
            raise UnknownOption(f"load: there is no option {option!r}; options of a metric go to its compute()")
    if type(process_id) is not int or type(num_process) is not int or (process_id, num_process) != (0, 1):
        raise OptionError(
            f"load: process_id is {brief(process_id)} and num_process {brief(num_process)}, expected 0 and 1: "
            "nothing is gathered from other processes here. Use truebleu.Accumulator in each, and merge them"
        )
    module, _, class_name = _MODULES[name].partition(".")
    found = getattr(import_module(f"truebleu.evaluate.{module}"), class_name)
    experiment = "default_experiment" if experiment_id is None else experiment_id
    loaded: EvaluationModule = found(config_name=config_name, experiment_id=experiment)
    if init_kwargs.get("seed") is not None:
        loaded.seed = whole_number("load", "seed", init_kwargs["seed"], 0, 2**32 - 1)
    return loaded


def list_evaluation_modules(
    module_type: str | None = None, include_community: bool = True, with_details: bool = False
) -> list[str]:
    """List the names that `load` knows.

    Parameters
    ----------
    module_type
        "metric" or None for all names; there are no others, so for any other value the list is empty.
    include_community, with_details
        Ignored.

    Examples
    --------
    >>> list_evaluation_modules()[:7]
    ['bleu', 'sacrebleu', 'chrf', 'ter', 'google_bleu', 'rouge', 'meteor']
    """
    return list(_MODULES) if _is_metric(module_type) else []


def _is_metric(module_type: object) -> bool:
    return module_type is None or (isinstance(module_type, str) and module_type == "metric")


def script_path(name: str) -> str:
    """Find the path of a script for the real `evaluate.load`, which then counts with truebleu and needs no network.

    Parameters
    ----------
    name
        A name that `load` knows.

    Examples
    --------
    >>> script_path("chrf").replace("\\\\", "/").rpartition("truebleu/")[2]
    'evaluate/scripts/chrf/chrf.py'
    """
    if not isinstance(name, str) or name not in _MODULES:
        raise UnknownModule(f"there is no script for {brief(name)}, expected one of the names {', '.join(_MODULES)}")
    return str(Path(__file__).parent / "scripts" / name / f"{name}.py")
