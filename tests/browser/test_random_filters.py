"""Scores of whatever a reader may choose: filters of every kind, at random, against Python and against the command."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.browser.live_page import Opened, open_page
from tests.browser.random_filters import Filters

from truebleu import BLEU, CHRF, TER, Study, demo

FILTERS = 200
PROCESSES = 10

# Each list of filters gives the segments, and the text of each score at 0 to 4 decimals.
CHOOSE = """(lists) => JSON.stringify(JSON.parse(lists).map((filters) => {
    const unknown = filters.filter((filter) => !isFilter(live.data, filter));
    if (unknown.length) throw new Error(JSON.stringify(unknown));
    const segments = filterSegments(live.data, { ...live.state, filters });
    const texts = (x) => x === null ? null : [0, 1, 2, 3, 4].map((decimals) => fixed(x, decimals));
    return [segments, live.data.metrics.map((metric) => scoresOf(live.data, metric, segments).map(texts))];
}))"""


def flawed_study() -> Study:
    """The demo set with faults that the doctor finds in single segments."""
    data = demo.load("en-de")
    systems = {name: list(texts) for name, texts in data.systems.items()}
    for at in (3, 50, 51):
        systems["atlas"][at] = ""
    for at in (7, 8, 99):
        systems["birch"][at] = data.sources[at]
    for at in (11, 60):
        systems["cedar"][at] = "der der der der der der der der der der der der der der der der"
    for at in (21, 22):
        systems["cedar"][at] += "\u200b\ufffd"
    labels = {"domain": data.domains, "docid": data.docids}
    return Study(
        systems, list(data.references.values()), [BLEU(), CHRF(), TER()],
        sources=data.sources, labels=labels, test="none", n_confidence=0, language="de",
    )  # fmt: skip


@pytest.fixture(scope="module")
def study() -> Study:
    return flawed_study()


def expected_texts(study: Study, segments: list[int]) -> list[list[list[str] | None]]:
    found: list[list[list[str] | None]] = []
    for key, metric in study.inputs.metrics.items():
        scores = [metric.score(rows.select(segments)).score if segments else None for rows in study.rows[key].values()]
        found.append([None if x is None else [f"{x:.{decimals}f}" for decimals in range(5)] for x in scores])
    return found


def test_two_hundred_random_filters_give_pythons_segments_and_scores(browser: Any, study: Study) -> None:
    assert len({one.code for each in study.checks.values() for one in each.findings if one.segments}) > 3
    filters = Filters(study, seed=5)
    drawn = [filters.several() for _ in range(FILTERS)]
    kinds = {one.filter[0] for each in drawn for one in each}
    assert {"text", "label", "better", "worse", "differ", "diff", "score", "ratio", "only", "gram", "check"} == kinds
    with open_page(browser, study) as page:
        lists = json.dumps([[one.filter for one in each] for each in drawn])
        answers = json.loads(page.evaluate(CHOOSE, lists))
    sizes = []
    for each, (segments, texts) in zip(drawn, answers, strict=True):
        expected = [at for at in range(study.inputs.n) if all(one.test(at) for one in each)]
        assert expected == segments, [one.filter for one in each]
        assert expected_texts(study, expected) == texts, [one.filter for one in each]
        sizes.append(len(expected))
    assert sum(0 < size < study.inputs.n for size in sizes) > FILTERS / 2


def test_ten_subsets_have_the_scores_of_the_command(browser: Any, study: Study, tmp_path: Path) -> None:
    streams = {f"ref{at}": stream for at, stream in enumerate(study.inputs.references)} | dict(study.inputs.systems)
    for name, texts in streams.items():
        (tmp_path / name).write_text("".join(f"{text}\n" for text in texts), "utf-8", newline="")
    filters = Filters(study, seed=9)
    with open_page(browser, study) as page:
        for _ in range(PROCESSES):
            only, shown = a_subset(page, filters)
            command = [sys.executable, "-m", "truebleu", "ref0", "ref1", "-i", *study.inputs.systems, "--only", only]
            command += ["-m", "bleu", "chrf", "ter", "-f", "json", "-q"]
            printed = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
            assert printed_scores(printed) == shown, only


def a_subset(page: Opened, filters: Filters) -> tuple[str, dict[str, list[str]]]:
    """Filters that leave some segments: their numbers as the page copies them, and the scores that it shows."""
    while True:
        chosen = [one.filter for one in filters.several()]
        page.evaluate("(filters) => change({ filters, decimals: 3 })", chosen)
        if page.evaluate("() => live.chosen.length") > 1:
            break
    rows = page.locator("#leaderboard tbody tr").evaluate_all(
        "(rows) => rows.map((row) => [row.dataset.system, [...row.querySelectorAll('td[data-value]')].slice(0, 3)"
        ".map((cell) => cell.textContent)])"
    )
    return page.evaluate("() => writeNumbers(live.data, live.chosen)"), dict(rows)


def printed_scores(printed: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for one in json.loads(printed):
        found.setdefault(one["system"], []).append(f"{one['score']:.3f}")
    return found
