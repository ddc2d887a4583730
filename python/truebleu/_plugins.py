"""Plug-ins: packages of others that say in entry points what they add. Nothing of theirs is imported to list them.

What is ours always wins. A plug-in is asked for by name, or as "distribution:name" if its name is taken. To look at
all packages takes some hundredths of a second, so it is done only for a name that is not ours, and by lists.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import cache

from truebleu._records import NamedTuple
from truebleu._shown import shown
from truebleu._typing import Any
from truebleu.errors import PluginError

GROUPS = ("metrics", "runners", "tokenizers", "testsets")
_NAME = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]*:)?[a-z][a-z0-9-]{1,39}")


class PluginPoint(NamedTuple):
    """One thing that an installed distribution adds."""

    group: str
    name: str
    dist: str
    version: str
    entry: Any  # of importlib.metadata

    @property
    def full_name(self) -> str:
        """The name that no other plug-in of another distribution has."""
        return f"{self.dist}:{self.name}"

    @property
    def signed(self) -> str:
        """What signatures say of it."""
        return f"{self.dist}-{self.version}"

    def load(self) -> Any:
        """Import it; whatever goes wrong is an error of the plug-in."""
        try:
            return self.entry.load()
        except Exception as error:
            raise self.wrong(f"cannot be loaded: {type(error).__name__}: {error}") from error

    def wrong(self, what: str) -> PluginError:
        """Make an error that names the distribution."""
        kind = {"testsets": "test set"}.get(self.group, self.group[:-1])
        return PluginError(f"the {kind} {self.name} of {shown(self.dist)} {shown(self.version)} {shown(what, 1000)}")


def plugin(group: str, name: object) -> PluginPoint | None:
    """Find a plug-in by its name, or None; a name that two distributions have is an error."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        return None
    found = [one for one in plugins(group) if name in (one.name, one.full_name)]
    if len(found) > 1:
        both = " and ".join(one.full_name for one in found)
        raise PluginError(f"{len(found)} plug-ins are called {name}: say {both}")
    return found[0] if found else None


def plugins(group: str) -> Iterator[PluginPoint]:
    """All plug-ins of a group, in the order of their names; none if TRUEBLEU_NO_PLUGINS is set."""
    if os.environ.get("TRUEBLEU_NO_PLUGINS", "").strip() in ("", "0"):
        yield from _installed(group)


@cache
def _installed(group: str) -> tuple[PluginPoint, ...]:
    from importlib.metadata import entry_points

    found = {}
    for entry in entry_points(group=f"truebleu.{group}"):
        about: Any = entry.dist
        if about is not None and _NAME.fullmatch(entry.name):
            one = PluginPoint(group, entry.name, str(about.name), str(about.version), entry)
            found[one.full_name] = one
    return tuple(found[name] for name in sorted(found))
