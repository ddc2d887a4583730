"""The page in a second engine, Firefox: scenarios 1, 4 and 14 of the specification, with few filters."""

import os
import random
import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from report.page_corpora import HOSTILE, demo_study, hostile_study
from truebleu import Study
from truebleu.study.page.characters import pieces, plain
from truebleu.study.page.page import study_page

# There is no network: whatever the page asked for would go to a port where nobody listens.
SETTINGS = {
    "network.proxy.type": 1, "network.proxy.http": "127.0.0.1", "network.proxy.http_port": 9,
    "network.proxy.ssl": "127.0.0.1", "network.proxy.ssl_port": 9, "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionEnabled": False, "app.update.disabledForTesting": True,
}  # fmt: skip
# What the console holds about files: no message of the page, and no complaint about it.
MESSAGES = """return Services.console.getMessageArray().filter((one) => one instanceof Ci.nsIScriptError &&
    one.sourceName.startsWith("file:")).map((one) => one.errorMessage)"""
# Goes to another address of the page; the page has followed when a listener that came after its own is called.
GO = """const [address, done] = arguments;
    window.addEventListener("hashchange", () => done(), { once: true });
    location.hash = address;"""
KINDS = "return [...new Set([...document.querySelectorAll('*')].map((one) => one.localName))]"


@pytest.fixture(scope="module")
def firefox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    program = os.environ.get("TRUEBLEU_FIREFOX") or shutil.which("firefox-esr") or shutil.which("firefox")
    try:
        from marionette_driver.marionette import Marionette
    except ModuleNotFoundError:
        program = None
    if program is None:
        told = "no Firefox: apt-get install firefox-esr, pip install marionette_driver"
        assert os.environ.get("TRUEBLEU_BROWSER") != "required", told
        pytest.skip(told)
    profile = tmp_path_factory.mktemp("profile")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    shown = {True: "true", False: "false"}
    settings = {key: shown.get(value, repr(value).replace("'", '"')) for key, value in SETTINGS.items()}
    lines = [f'user_pref("{key}", {value});' for key, value in (settings | {"marionette.port": port}).items()]
    (profile / "user.js").write_text("\n".join(lines))
    process = subprocess.Popen(
        [program, "-marionette", "-remote-allow-system-access", "-headless", "-no-remote", "-profile", str(profile)],
        env={**os.environ, "HOME": str(profile)}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        client = Marionette(host="127.0.0.1", port=port, startup_timeout=60)
        client.raise_for_port(timeout=60)
        client.start_session()
        yield client
    finally:
        process.kill()
        process.wait()


def open_study(firefox: Any, study: Study, path: Path) -> None:
    path.write_bytes(study_page(study))
    with firefox.using_context("chrome"):
        firefox.execute_script("Services.console.reset()")
    firefox.navigate(path.as_uri())
    wait_for(firefox, "return document.documentElement.dataset.drawn === 'all'")


def wait_for(firefox: Any, script: str) -> None:
    from marionette_driver.wait import Wait

    Wait(firefox, timeout=60, interval=0.05).until(lambda client: client.execute_script(script))


def check_quiet(firefox: Any) -> None:
    with firefox.using_context("chrome"):
        assert [] == firefox.execute_script(MESSAGES)
    requested = firefox.execute_script("return performance.getEntriesByType('resource').map((one) => one.name)")
    assert [] == [url for url in requested if not url.startswith("data:")]


def test_a_report_opens_from_disk_without_a_message_or_a_request(firefox: Any, tmp_path: Path) -> None:
    open_study(firefox, demo_study(n_samples=100, n_confidence=20), tmp_path / "with space #1 100% 报告.html")
    assert "demo en-de" == firefox.title
    assert 3 == firefox.execute_script("return document.querySelectorAll('#leaderboard tbody tr').length")
    check_quiet(firefox)


def test_twenty_filters_give_the_scores_of_python(firefox: Any, tmp_path: Path) -> None:
    study, draw = demo_study(test="none", n_confidence=0), random.Random(5)
    open_study(firefox, study, tmp_path / "page.html")
    given = study.inputs
    everything = [given.sources, *given.references, *given.systems.values()]
    domains = given.labels["domain"]
    filters: list[tuple[str, list[int]]] = []
    for word in ("die", "der ", "?", "über", "und"):
        found = [at for at in range(given.n) if any(word in texts[at] for texts in everything)]
        filters.append((f"text:{quote(word, safe='')}", found))
    filters += [(f"label:domain:{one}", [at for at in range(given.n) if domains[at] == one]) for one in set(domains)]
    gains = study.segments("BLEU").gains(*study.pair)
    filters.append(("better", sorted(gains)))
    while len(filters) < 20:
        chosen = sorted(draw.sample(range(given.n), draw.choice((1, 3, 20, 100))))
        filters.append(("only:" + quote(",".join(str(at + 1) for at in chosen), safe=""), chosen))
    for text, segments in filters:
        firefox.execute_async_script(GO, script_args=[f"f={text}&dec=4"])
        shown = firefox.execute_script("return document.getElementById('tb-count').textContent")
        assert f"{len(segments)} of {given.n} segments" == shown, text
        rows = firefox.execute_script(
            "return [...document.querySelectorAll('#leaderboard tbody tr')].map((row) => [row.dataset.system,"
            " [...row.querySelectorAll('td[data-value]:not(.half)')].slice(0, 3).map((one) => one.textContent)])"
        )
        for name, texts in rows:
            scores = [metric.score(study.rows[key][name].select(segments)) for key, metric in given.metrics.items()]
            assert [f"{one.score:.4f}" for one in scores] == texts, text
    check_quiet(firefox)


def test_hostile_strings_do_nothing(firefox: Any, tmp_path: Path) -> None:
    from marionette_driver.errors import NoAlertPresentException

    open_study(firefox, demo_study(n_samples=100, n_confidence=0), tmp_path / "demo.html")
    usual = set(firefox.execute_script(KINDS))
    open_study(firefox, hostile_study(), tmp_path / "hostile.html")
    seen: set[str] = set()
    for segment in range(0, len(HOSTILE), 7):
        firefox.execute_script(
            "location.hash = arguments[0]", script_args=[f"systems=all&marks=none&seg={segment + 1}"]
        )
        wait_for(firefox, f"return !!document.querySelector('.card.current[data-segment=\"{segment}\"]')")
        texts = "return [...document.querySelectorAll('.card.current bdi[dir]')].map((one) => one.textContent)"
        seen |= set(firefox.execute_script(texts))
        assert "".join(piece.text for piece in pieces(HOSTILE[segment])) in seen, segment
    assert set(firefox.execute_script(KINDS)) <= usual | {"em", "strong", "wbr"}
    assert plain(HOSTILE[0]) == firefox.title
    assert firefox.execute_script("return window.wrappedJSObject.hacked === undefined")
    with pytest.raises(NoAlertPresentException):
        firefox.switch_to_alert().dismiss()
    check_quiet(firefox)
