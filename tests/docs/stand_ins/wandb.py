"""A stand-in for Weights & Biases, with the calls of the cookbook: the package brings 150 MB and wants an account."""

from numbers import Real
from pathlib import Path
from typing import Any


class Run:
    def __enter__(self) -> "Run":
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def log(self, data: dict[str, Any]) -> None:
        assert data and all(type(key) is str and isinstance(value, Real) for key, value in data.items()), data

    def save(self, path: str) -> None:
        assert Path(path).is_file(), path


def init(*, project: str | None = None, config: dict[str, Any]) -> Run:
    assert config and all(type(key) is str for key in config), config
    return Run()
