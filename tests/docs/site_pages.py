"""The pages of the built site, read once: what they link to, load, say and name."""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field
from functools import lru_cache
from html.parser import HTMLParser
from pathlib import Path

# Attributes that make a browser load something when a page is opened.
LOADS = {
    "audio": ("src",), "embed": ("src",), "iframe": ("src",), "img": ("src", "srcset"), "input": ("src",),
    "link": ("href",), "object": ("data",), "script": ("src",), "source": ("src", "srcset"), "track": ("src",),
    "video": ("src", "poster"),
}  # fmt: skip
# Of `link`, the relations that name another page and load nothing.
NAMES_ONLY = {"canonical", "next", "prev", "alternate", "author", "license"}


@dataclass
class Page(HTMLParser):
    """One page."""

    path: Path
    ids: set[str] = field(default_factory=set)
    links: list[str] = field(default_factory=list)
    loads: list[str] = field(default_factory=list)
    images: list[tuple[str, str]] = field(default_factory=list)  # address and words
    sections: dict[str, str] = field(default_factory=dict)  # the text below each heading, by its id
    codes: dict[str, set[str]] = field(default_factory=dict)  # the code below each heading

    def __post_init__(self) -> None:
        super().__init__()
        self._section, self._code = "", None
        self.feed(self.path.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if "id" in given:
            self.ids.add(given["id"])
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        if tag in LOADS and not (tag == "link" and set(given.get("rel", "").split()) & NAMES_ONLY):
            self.loads += [given[name] for name in LOADS[tag] if name in given]
        if tag == "img":
            self.images.append((given.get("src", ""), given.get("alt", "")))
        if tag in ("h1", "h2", "h3", "h4"):
            self._section = given.get("id", "")
        self._code = "" if tag == "code" else self._code

    def handle_endtag(self, tag: str) -> None:
        if tag == "code" and self._code is not None:
            self.codes.setdefault(self._section, set()).add(self._code)
            self._code = None

    def handle_data(self, data: str) -> None:
        self.sections[self._section] = self.sections.get(self._section, "") + data
        if self._code is not None:
            self._code += data


@lru_cache(maxsize=1)
def pages(site: Path) -> dict[str, Page]:
    """Read every page of a site, by its path."""
    return {path.relative_to(site).as_posix(): Page(path) for path in sorted(site.rglob("*.html"))}


def inventory(site: Path) -> set[str]:
    """List the names of Python that the site explains, from the inventory that other sites link by."""
    packed = (site / "objects.inv").read_bytes().split(b"\n", 4)[4]
    return {line.partition(" ")[0] for line in zlib.decompress(packed).decode("utf-8").splitlines()}
