"""Names of a package that are imported when they are first asked for."""

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
