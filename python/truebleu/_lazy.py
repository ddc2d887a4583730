"""Names of a module that are imported when they are first used."""

from __future__ import annotations

TYPE_CHECKING = False  # `import truebleu` runs this file, and would wait for `typing`
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any


def attach(module: str, homes: Mapping[str, str] | None = None) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Make the functions `__getattr__` and `__dir__` of a module from names and their modules.

    Without them, the lines `from HOME import NAME as NAME` of the module's stub are read when a name is first asked
    for: type checkers and Python share one list.

    >>> getattr_, dir_ = attach("here", {"sqrt": "math"})
    >>> getattr_("sqrt")(4.0), "sqrt" in dir_()
    (2.0, True)
    """
    known: dict[str, str] = {}

    def names() -> Mapping[str, str]:
        if homes is not None or known:
            return homes or known
        import sys

        with open(f"{sys.modules[module].__file__}".removesuffix("c") + "i", "rb") as stub:
            lines = [line.split(" ") for line in stub.read().decode().splitlines() if line.startswith("from ")]
        known.update((name, home) for _, home, _, _, _, name in lines)
        return known

    def imported(home: str) -> Any:
        import gc
        import sys

        # Modules stay. To look for garbage among them meanwhile would cost some per cent of the time, and find none.
        was_enabled = gc.isenabled()
        gc.disable()
        try:
            __import__(home)  # `importlib` itself would have to be loaded
            return sys.modules[home]
        finally:
            if was_enabled:
                gc.enable()

    def get(name: str) -> Any:
        import sys

        if name == "__all__" and homes is None:
            # Without modules: `from truebleu import *` must not hide a program's own `utils`.
            return [each for each, home in names().items() if home != module]
        # The core can be imported from here without reading the stub.
        if name == "_core" or name not in names():
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        home = names()[name]
        if home == module:
            return imported(f"{module}.{name}")
        value = getattr(imported(home), name)
        if module in sys.modules:
            setattr(sys.modules[module], name, value)
        return value

    def list_names() -> list[str]:
        import sys

        own = vars(sys.modules[module]) if module in sys.modules else {}
        # What a module imports for itself is not offered: its names are those that it lists, and those of Python.
        shown = own.get("__all__") or ([] if homes is None else own)
        return sorted({*shown, *(name for name in own if name.startswith("__")), *names()})

    return get, list_names
