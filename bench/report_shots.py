"""Twelve pictures of reports, for somebody to look at before a release: `make report-shots`.

Nothing is compared: fonts differ between machines. WMT22 is shown where its texts are, and else the demo sets.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from corpora import wmt22_folder
from headless import chromium
from truebleu import BLEU, CHRF, Study
from truebleu.cli.main import main as run

# The name of a picture, the report, the section at its top, and how it is looked at.
SHOTS: tuple[tuple[str, str, str, dict[str, Any]], ...] = (
    ("01-top", "en-de", "head", {}),
    ("02-matrix", "en-de", "pairs", {}),
    ("03-pair", "en-de", "ab", {}),
    ("04-breakdown", "en-de", "groups", {}),
    ("05-segments", "en-de", "segments", {}),
    ("06-chinese", "en-zh", "segments", {}),
    ("07-right-to-left", "right-to-left", "segments", {}),
    ("08-320-pixels", "en-de", "head", {"viewport": {"width": 320, "height": 900}}),
    ("09-print", "en-de", "head", {"media": "print"}),
    ("10-top-dark", "en-de", "head", {"color_scheme": "dark"}),
    ("11-matrix-dark", "en-de", "pairs", {"color_scheme": "dark"}),
    ("12-segments-dark", "en-de", "segments", {"color_scheme": "dark"}),
)


def main(folder: Path) -> None:
    """Make the pictures.

    Parameters
    ----------
    folder
        Where they go.
    """
    from playwright.sync_api import expect

    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place, chromium() as browser:
        reports = {name: Path(place) / f"{name}.html" for name in ("en-de", "en-zh", "right-to-left")}
        for pair in ("en-de", "en-zh"):
            assert run(["report", *_inputs(pair), "-m", "bleu", "chrf", "ter", "-q", "-o", str(reports[pair])]) == 0
        _right_to_left().to_html(reports["right-to-left"])
        for name, report, section, look in SHOTS:
            options = {"viewport": {"width": 1280, "height": 1000}, **look}
            media = options.pop("media", "screen")
            page = browser.new_context(offline=True, **options).new_page()
            page.goto(reports[report].as_uri())
            expect(page.locator("html")).to_have_attribute("data-state", "ready", timeout=60_000)
            page.emulate_media(media=media)
            page.evaluate("(id) => document.getElementById(id).scrollIntoView()", section)
            page.wait_for_timeout(300)
            page.screenshot(path=folder / f"{name}.png", full_page=media == "print")
            if media == "print":
                page.pdf(path=folder / f"{name}.pdf", format="A4")
            page.context.close()
    print(f"{len(SHOTS)} pictures are in {folder}")


def _inputs(pair: str) -> Iterator[str]:
    found = wmt22_folder()
    if found is None:
        return iter(["-t", "demo", "-l", pair, "-i", "atlas", "birch", "cedar"])
    files = {kind: sorted(map(str, (found / kind).glob(f"*.{pair}.*"))) for kind in _KINDS}
    return iter([*files["references"], "-i", *files["system-outputs"], "--src", *files["sources"], "-l", pair])


_KINDS = ("references", "system-outputs", "sources")


def _right_to_left() -> Study:
    """Arabic, Hebrew and Persian with names, digits and joiners between."""
    stems = ["مرحبا بالعالم", "שלום עולם", "می‌خواهم Berlin 2024 بروم", "قال John Smith: نعم", "המחיר 12.50 EUR כולל"]
    references = [f"{stem} {number}" for number in range(30) for stem in stems]
    systems = {
        "first": [text if at % 3 else text.replace(" ", " و ", 1) for at, text in enumerate(references)],
        "second": [text if at % 2 else text.rpartition(" ")[0] for at, text in enumerate(references)],
    }
    sources = [f"Hello {at}, this is Berlin." for at in range(len(references))]
    labels = {"script": ["Arabic", "Hebrew", "Persian", "Arabic", "Hebrew"] * 30}
    return Study(systems, [BLEU(), CHRF()], [references], sources=sources, labels=labels, title="Right to left")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
