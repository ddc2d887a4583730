"""The built site: every link, anchor and picture is there, and nothing is loaded from elsewhere."""

import re
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

from tests.docs.site_pages import pages


def place(page: str, address: str) -> str:
    """The file that a relative address names."""
    target = unquote(urlsplit(address).path)
    parts: list[str] = []
    for part in [*PurePosixPath(page).parent.parts, *PurePosixPath(target).parts]:
        if part == "..":
            assert parts, f"{page}: {address} leads out of the site"
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts) if target else page


def is_elsewhere(address: str) -> bool:
    return bool(urlsplit(address).scheme or address.startswith("//"))


def test_every_link_and_anchor_leads_to_something(site: Path) -> None:
    found = pages(site)
    assert len(found) > 50
    broken = []
    for name, page in found.items():
        for address in page.links:
            if is_elsewhere(address) or name == "404.html":  # that one is shown at any address
                continue
            file, anchor = place(name, address), unquote(urlsplit(address).fragment)
            if not (site / file).is_file():
                broken.append((name, address, "no such file"))
            elif anchor and anchor not in found[file].ids:
                broken.append((name, address, "no such anchor"))
    assert [] == broken


def test_every_link_to_elsewhere_is_well_formed(site: Path) -> None:
    links = {address for page in pages(site).values() for address in page.links if is_elsewhere(address)}
    assert any(address.startswith("https://github.com/truebleu/truebleu") for address in links)
    wrong = []
    for address in sorted(links):
        parts = urlsplit(address)
        fits = parts.scheme == "https" and re.fullmatch(r"[a-z0-9.-]+\.[a-z]+", parts.netloc) and " " not in address
        if not (fits or parts.scheme == "mailto"):
            wrong.append(address)
    assert [] == wrong


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    loads = {(name, address) for name, page in pages(site).items() for address in page.loads}
    assert len(loads) > 100
    assert [] == sorted(one for one in loads if is_elsewhere(one[1]) and not one[1].startswith("data:"))
    missing = [
        (name, address)
        for name, address in loads
        if not is_elsewhere(address) and name != "404.html" and not (site / place(name, address)).is_file()
    ]
    assert [] == sorted(missing)
    for sheet in site.rglob("*.css"):
        addresses = re.findall(r"(?:url\(|@import )[\"']?((?:https?:)?//[^\"')]+)", sheet.read_text("utf-8"))
        assert [] == addresses, sheet


def test_every_picture_has_words(site: Path) -> None:
    images = {(name, *image) for name, page in pages(site).items() for image in page.images}
    # The logo, which is also the icon, is beside the name of the site, in a link that has a name.
    assert [] == sorted((name, src) for name, src, alt in images if len(alt) < 10 and not src.endswith("/favicon.svg"))


def test_pages_can_be_searched_from_disk(site: Path) -> None:
    assert "significance" in (site / "search.js").read_text("utf-8")
