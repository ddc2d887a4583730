"""A stand-in for MLflow, with the calls of the cookbook: the package brings 100 others."""

import re
from contextlib import nullcontext
from numbers import Real
from pathlib import Path
from typing import Any

# MLflow refuses other names, and longer values.
_NAME = re.compile(r"[\w./ :-]{1,250}")
_LONGEST = 6000


def start_run() -> Any:
    return nullcontext()


def log_metrics(metrics: dict[str, float]) -> None:
    for name, value in metrics.items():
        log_metric(name, value)


def log_metric(key: str, value: float, step: int | None = None) -> None:
    assert _NAME.fullmatch(key) and isinstance(value, Real), (key, value)


def log_params(params: dict[str, Any]) -> None:
    assert all(_NAME.fullmatch(key) and len(str(value)) <= _LONGEST for key, value in params.items()), params


def log_artifact(local_path: str) -> None:
    assert Path(local_path).is_file(), local_path
