"""The outer wall: the names on the pages of docs/reference/api are public, and nothing else is."""

import inspect
import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

PAGES = Path(__file__).resolve().parent.parent / "docs" / "reference" / "api"

# `truebleu.torch` cannot be imported without torch.
WITHOUT_IMPORT = {"truebleu.torch.TextMetric"}


def listed() -> Iterator[tuple[str, bool]]:
    """Each name of a line `::: NAME`, and whether its members are shown with it."""
    for page in sorted(PAGES.glob("*.md")):
        for found in re.finditer(r"^::: (\S+)((?:\n {4}.*)*)", page.read_text("utf-8"), re.MULTILINE):
            yield found[1], "members: false" not in found[2]


@cache
def public_places() -> frozenset[tuple[str, str]]:
    """Module and qualified name of every class and function on the pages, and of what their classes inherit from us."""
    places = {tuple(name.rsplit(".", 1)) for name in WITHOUT_IMPORT}
    for name, with_members in listed():
        if name.startswith("truebleu.torch"):
            continue
        found = resolved(name)
        if not isinstance(found, ModuleType):
            places.update(places_of(found))
        elif with_members:
            own = (one for one in vars(found).values() if getattr(one, "__module__", "") == found.__name__)
            places.update(place for one in own for place in places_of(one))
    return frozenset(places)


def resolved(name: str) -> Any:
    """What a name stands for; of a function and a module with one name, the package offers the function."""
    first, *parts = name.split(".")
    found: Any = import_module(first)
    for part in parts:
        if not hasattr(found, part):
            import_module(f"{found.__name__}.{part}")
        found = getattr(found, part)
    return found


def places_of(found: Any) -> Iterator[tuple[str, str]]:
    if inspect.isclass(found):
        yield from ((base.__module__, base.__qualname__) for base in found.__mro__)
    elif callable(found) and hasattr(found, "__qualname__"):
        inner = inspect.unwrap(found)
        yield inner.__module__, inner.__qualname__.partition(".<locals>")[0]
