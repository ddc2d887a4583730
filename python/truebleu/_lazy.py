"""Names of a package that are imported when they are first asked for."""

from collections.abc import Callable, Mapping
from typing import Any


def attach(package: str, homes: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Make the functions `__getattr__` and `__dir__` of a package.

    >>> getattr_, dir_ = attach("here", {"sqrt": "math"})
    >>> getattr_("sqrt")(4.0), "sqrt" in dir_()
    (2.0, True)

    Parameters
    ----------
    package
        The name of the package.
    homes
        For each name, the module that has it.
    """
    from importlib import import_module

    def get(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(homes[name]), name)

    def list_names() -> list[str]:
        import sys

        return sorted({*vars(sys.modules[package]), *homes} if package in sys.modules else homes)

    return get, list_names
