"""Pictures of pages of the site, for somebody to look at before a release: `make docs-shots`.

Nothing is compared: fonts differ between machines.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from headless import NoBrowser, chromium

SITE = Path(__file__).resolve().parent.parent / "site"
# Of each kind one page: prose, wide tables, long code, pictures, and both references.
PAGES = (
    "index.html",
    "tutorial.html",
    "command-line.html",
    "explanation/bleu.html",
    "reference/api/significance.html",
    "reference/command-line.html",
    "project/compatibility.html",
    "architecture.html",
)
LOOKS: dict[str, dict[str, Any]] = {
    "light": {"viewport": {"width": 1280, "height": 1000}},
    "dark": {"viewport": {"width": 1280, "height": 1000}, "color_scheme": "dark"},
    "narrow": {"viewport": {"width": 390, "height": 844}},
}


def main() -> int:
    """Make the pictures."""
    parser = argparse.ArgumentParser(description="make pictures of pages of the site")
    parser.add_argument("folder", type=Path, help="where they go")
    parser.add_argument("--site", type=Path, default=SITE, help="the site (default: site/)")
    parser.add_argument("--pages", nargs="+", default=PAGES, metavar="PAGE", help="other pages than the usual ones")
    given = parser.parse_args()
    missing = [page for page in given.pages if not (given.site / page).is_file()]
    if missing:
        print(f"docs-shots: {given.site} has no {', '.join(missing)}; `make docs` makes the site", file=sys.stderr)
        return 1
    given.folder.mkdir(parents=True, exist_ok=True)
    try:
        with chromium() as browser:
            for page in given.pages:
                for look, options in LOOKS.items():
                    name = f"{page.removesuffix('.html').replace('/', '-')}-{look}.png"
                    _shoot(browser, (given.site / page).resolve(), options, given.folder / name)
    except NoBrowser as error:
        print(f"docs-shots: {error}", file=sys.stderr)
        return 1
    print(f"{len(given.pages) * len(LOOKS)} pictures are in {given.folder}")
    return 0


def _shoot(browser: Any, page: Path, options: dict[str, Any], file: Path) -> None:
    opened = browser.new_context(offline=True, **options).new_page()
    opened.goto(page.as_uri())
    opened.wait_for_timeout(500)
    opened.screenshot(path=file)
    opened.context.close()


if __name__ == "__main__":
    sys.exit(main())
