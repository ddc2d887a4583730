"""Names of a package that are imported when they are first asked for, and what layers do for those below them."""

from __future__ import annotations

TYPE_CHECKING = False  # `import truebleu` runs this file, and would wait for `typing`
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any


def attach(
    package: str, homes: Mapping[str, str], modules: Iterable[str] = (), kept: Iterable[str] = ()
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Make the functions `__getattr__` and `__dir__` of a package.

    >>> getattr_, dir_ = attach("here", {"sqrt": "math"})
    >>> getattr_("sqrt")(4.0), "sqrt" in dir_()
    (2.0, True)
    """

    def get(name: str) -> Any:
        from importlib import import_module

        if name in modules:
            return import_module(f"{package}.{name}")
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(homes[name]), name)
        if name in kept:
            setattr(import_module(package), name, value)
        return value

    def list_names() -> list[str]:
        import sys

        return sorted({*(vars(sys.modules[package]) if package in sys.modules else ()), *homes, *modules})

    return get, list_names


_services: dict[str, str] = {}


def offer(name: str, home: str) -> None:
    """Say which module has a function that lower layers may ask for; who says it stands above that module."""
    _services[name] = home


def offered(name: str) -> Any:
    """Give a function that an upper layer offers: a study is written as a page, and knows nothing of pages."""
    from importlib import import_module

    return getattr(import_module(_services[name]), name)
