"""Names of a package that are imported when they are first asked for, and what layers do for those below them."""

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
        For each name, the module that has it, or that it is.
    """
    from importlib import import_module

    def get(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        home = import_module(homes[name])
        return home if homes[name] == f"{package}.{name}" else getattr(home, name)

    def list_names() -> list[str]:
        import sys

        return sorted({*vars(sys.modules[package]), *homes} if package in sys.modules else homes)

    return get, list_names


_services: dict[str, str] = {}


def offer(name: str, home: str) -> None:
    """Say which module has a function that lower layers may ask for; who says it stands above that module."""
    _services[name] = home


def offered(name: str) -> Any:
    """Give a function that an upper layer offers: a study is written as a page, and knows nothing of pages."""
    from importlib import import_module

    return getattr(import_module(_services[name]), name)
