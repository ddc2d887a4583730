"""Links and headings of Markdown, as GitHub reads it: for the site's builder, and for the tests of all links."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

# Code is not read: a block between fences, or a span between equally many backticks.
_CODE = re.compile(
    r"^(?P<fence>```+|~~~+).*?^(?P=fence)[`~]*[ ]*$|(?<!`)(?P<ticks>`+)(?!`)(?:(?!\n\s*\n).)+?(?<!`)(?P=ticks)(?!`)",
    re.M | re.S,
)
_LINK = re.compile(r"(?P<image>!?)\[(?P<text>(?:[^\[\]]|\[[^\]]*\](?:\([^)]*\))?)*)\]\((?P<target>[^\s()]+)\)")
_TAG = re.compile(r"<(?P<name>img|source|a)\b(?P<rest>[^>]*)>")
_ATTRIBUTE = re.compile(r"\b(src|srcset|href|alt)=\"([^\"]*)\"")
_HEADING = re.compile(r"^#{1,6} +(.+?)(?: +\{[^}]*\})? *#*$", re.M)


class Link(NamedTuple):
    """A link or an image of a page."""

    target: str  # as it is written, with its anchor
    start: int  # where the target begins in the text
    line: int  # counted from 1
    alt: str | None  # what is said in the place of an image; None for a link


def links(text: str) -> Iterator[Link]:
    """Find the links and images outside of code, those in HTML tags too.

    >>> [link.target for link in links("[a](b.md#c), `[no](d.md)`, ![e](f.png)")]
    ['b.md#c', 'f.png']

    Parameters
    ----------
    text
        The text of a page.
    """
    plain = without_code(text)
    for found in _LINK.finditer(plain):
        yield _link(text, found["target"], found.start("target"), found["text"] if found["image"] else None)
        inner = found.start("text")
        for within in _LINK.finditer(found["text"]):  # a picture that is a link
            start = inner + within.start("target")
            yield _link(text, within["target"], start, within["text"] if within["image"] else None)
    for tag in _TAG.finditer(plain):
        found_attributes = {one[1]: one for one in _ATTRIBUTE.finditer(tag["rest"])}
        for name in ("src", "srcset", "href"):
            if name in found_attributes:
                one = found_attributes[name]
                alt = found_attributes["alt"][2] if "alt" in found_attributes else ""
                yield _link(text, one[2], tag.start("rest") + one.start(2), alt if tag["name"] == "img" else None)


def anchors(text: str) -> list[str]:
    """List the anchors of a page's headings, by GitHub's rule.

    >>> anchors("# Which ROUGE?\\n## In `C`, a_b\\n## In `C`, a_b\\n")
    ['which-rouge', 'in-c-a_b', 'in-c-a_b-1']

    Parameters
    ----------
    text
        The text of a page.
    """
    found: list[str] = []
    for heading in _HEADING.finditer(without_code(text, spans=False)):
        words = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading[1])
        slug = re.sub(r"[^\w\- ]", "", words.replace("*", "").lower()).replace(" ", "-")
        again = sum(1 for one in found if re.fullmatch(re.escape(slug) + r"(-\d+)?", one))
        found.append(f"{slug}-{again}" if slug in found else slug)
    return found


def without_code(text: str, *, spans: bool = True) -> str:
    """Blank out code, so that every other letter keeps its place.

    Parameters
    ----------
    text
        The text of a page.
    spans
        Whether code within a line goes too, and not only blocks.
    """

    def blank(found: re.Match[str]) -> str:
        return re.sub(r"[^\n]", " ", found[0]) if spans or found["fence"] else found[0]

    return _CODE.sub(blank, text)


def _link(text: str, target: str, start: int, alt: str | None) -> Link:
    return Link(target, start, text.count("\n", 0, start) + 1, alt)
