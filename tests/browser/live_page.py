"""A page with the script in it, open in a browser that has no network."""

import tempfile
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

from truebleu import Study
from truebleu.report.page.payload import pack, script

# As a type this is Playwright's page, which need not be installed.
Opened = Any

_POLICY = (
    "default-src 'none'; script-src 'sha256-{}'; base-uri 'none'; form-action 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)


def write_page(study: Study, path: Path, change: Callable[[str], str] = str, *, texts: bool = True) -> None:
    """The least page that the script works in."""
    payload, program = pack(study, texts=texts), change(script())
    policy = _POLICY.format(b64encode(sha256(program.encode()).digest()).decode())
    blocks = "".join(
        f'<script type="application/octet-stream" id="{name}">{block}</script>\n'
        for name, block in payload.blocks.items()
    )
    path.write_text(
        f"""<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}"><title>page</title></head>
<body><main><section id="leaderboard"><h2>Leaderboard</h2></section><section id="ab"><h2>A against B</h2></section>
<section id="segments"><h2>Segments</h2></section></main>
<script type="application/json" id="tb-meta">{payload.meta}</script>
{blocks}<script>{program}</script></body></html>""",
        "utf-8",
    )


@contextmanager
def open_page(browser: Any, study: Study, change: Callable[[str], str] = str, address: str = "") -> Iterator[Opened]:
    """Open the page of a study; a message on the console or a failure in the script fails the test."""
    from playwright.sync_api import expect

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "page.html"
        write_page(study, path, change)
        context = browser.new_context(offline=True)
        page = context.new_page()
        seen: list[str] = []
        page.on("console", lambda message: seen.append(message.text))
        page.on("pageerror", lambda error: seen.append(str(error)))
        page.goto(path.as_uri() + address)
        expect(page.locator("html")).to_have_attribute("data-state", "ready")
        yield page
        context.close()
        assert [] == seen
