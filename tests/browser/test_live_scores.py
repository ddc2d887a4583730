"""Scores of subsets and numbers as text, computed by the page's script in a real browser, against Python."""

import json
import math
import random
from typing import Any

import pytest
from tests.browser.live_page import Opened, open_page

from truebleu import BLEU, CHRF, GLEU, TER, Study, demo
from truebleu.metrics.bleu import SMOOTHING
from truebleu.metrics.external import ExternalMetric

SUBSETS = 2_000

# Every subset of a list is scored for all systems and metrics; each score comes as its text at 0 to 4 decimals.
# Much goes to and fro as JSON, because Playwright's own way takes ten times as long.
SCORE_SUBSETS = """(subsets) => JSON.stringify(JSON.parse(subsets).map((segments) => live.data.metrics.map((metric) =>
    scoresOf(live.data, metric, segments).map((x) => [x, [0, 1, 2, 3, 4].map((decimals) => fixed(x, decimals))]))))"""
WRITE_NUMBERS = "(numbers) => JSON.stringify(JSON.parse(numbers).map((x) => [0, 1, 2, 3, 4].map((d) => fixed(x, d))))"
SHOW_NUMBERS = "(numbers) => numbers.map((x) => [shownNumber(x, 1), shownDifference(x, 1)])"


def everything(pair: str) -> Study:
    """All formulas at once: each smoothing, fractional lengths of TER, scores from elsewhere."""
    data = demo.load(pair)
    draw = random.Random(7)
    language = pair[-2:]
    metrics: dict[str, Any] = {
        f"BLEU {method} {order}": BLEU(smooth_method=method, max_ngram_order=order, trg_lang=language)
        for method in SMOOTHING
        for order in (4, 2)
    }
    metrics |= {"BLEU e": BLEU(effective_order=True), "add": BLEU(smooth_method="add-k", smooth_value=0.3)}
    metrics |= {"chrF": CHRF(), "chrF++": CHRF(word_order=2, beta=1), "eps": CHRF(eps_smoothing=True, whitespace=True)}
    metrics |= {"TER": TER(), "GLEU": GLEU(), "COST": ExternalMetric("COST", higher_is_better=False)}
    cost = {name: [draw.gauss(0, 1) for _ in data.sources] for name in data.systems}
    references = [list(stream) for stream in data.references.values()]
    return Study(
        data.systems, references, metrics, external={"COST": cost}, test="none", n_confidence=0, language=language
    )


def subsets(n: int, count: int) -> list[list[int]]:
    draw = random.Random(11)
    sizes = [draw.choice((1, 2, 3, 5, 20, n // 2, n)) for _ in range(count)]
    return [sorted(draw.sample(range(n), size)) for size in sizes]


def differences(study: Study, page: Opened, chosen: list[list[int]]) -> list[tuple[object, ...]]:
    """Where a text differs, or a score by more than it may."""
    found = json.loads(page.evaluate(SCORE_SUBSETS, json.dumps(chosen)))
    wrong: list[tuple[object, ...]] = []
    for segments, by_metric in zip(chosen, found, strict=True):
        for (key, metric), scores in zip(study.inputs.metrics.items(), by_metric, strict=True):
            for (name, runs), (score, texts) in zip(study.run_rows[key].items(), scores, strict=True):
                expected = sum(metric.score(stats.select(segments)).score for stats in runs) / len(runs)
                if abs(score - expected) > (16 if isinstance(metric, BLEU) else 0) * math.ulp(expected):
                    wrong.append((key, name, segments, score, expected))
                if texts != [f"{expected:.{decimals}f}" for decimals in range(5)]:
                    wrong.append((key, name, segments, texts, expected))
    return wrong


@pytest.mark.parametrize("pair", ["en-de", "en-zh"])
def test_scores_of_random_subsets_equal_pythons_to_the_last_digit(browser: Any, pair: str) -> None:
    study = everything(pair)
    with open_page(browser, study) as page:
        assert [] == differences(study, page, subsets(study.inputs.n, SUBSETS // 20))


def test_several_runs_have_the_mean_of_their_scores(browser: Any) -> None:
    data = demo.load("en-de")
    atlas, birch, cedar = data.systems.values()
    study = Study(
        {"first": [atlas, birch, cedar], "second": [cedar, birch, birch]}, list(data.references.values()),
        [BLEU(), CHRF(), TER()], test="none", n_confidence=0,
    )  # fmt: skip
    with open_page(browser, study) as page:
        assert [] == differences(study, page, subsets(240, 40))
        for at, key in enumerate(study.inputs.metrics):
            found = page.evaluate("(at) => [...segmentScores(live.data, live.data.metrics[at])]", at)
            expected = study.segments(key).scores.T.ravel().tolist()
            assert all(abs(one - other) < 1e-12 for one, other in zip(found, expected, strict=True))
        assert "first run" in page.locator("#segments").inner_text()


def test_scores_of_two_thousand_subsets_equal_pythons(browser: Any) -> None:
    data = demo.load("en-de")
    study = Study(data.systems, list(data.references.values()), [BLEU(), CHRF(), TER()], test="none", n_confidence=0)
    with open_page(browser, study) as page:
        assert [] == differences(study, page, subsets(240, SUBSETS))


@pytest.mark.parametrize(
    ("operation", "mutant"),
    [
        ("100 * (edits / length)", "(100 * edits) / length"),
        ("(1 + factor) * precision * recall", "(1 + factor) * (precision * recall)"),
        ("100 / (divisor * all)", "100 / (2 * divisor * all)"),
        ("sum += cells[segment];", "sum += cells[segment] + 1;"),
    ],
)
def test_a_script_with_one_operation_swapped_is_found_out(browser: Any, operation: str, mutant: str) -> None:
    data = demo.load("en-de")
    study = Study(data.systems, list(data.references.values()), [BLEU(), CHRF(), TER()], test="none", n_confidence=0)
    with open_page(browser, study, lambda script: script.replace(operation, mutant)) as page:
        assert [] != differences(study, page, subsets(240, 100))


def test_scores_of_segments_equal_pythons(browser: Any) -> None:
    study = everything("en-de")
    with open_page(browser, study) as page:
        found = page.evaluate("() => live.data.metrics.map((metric) => [...segmentScores(live.data, metric)])")
    for key, scores in zip(study.inputs.metrics, found, strict=True):
        expected = study.segments(key).scores.T.ravel().tolist()
        exact = not isinstance(study.inputs.metrics[key], BLEU)
        assert scores == (expected if exact else pytest.approx(expected, rel=2**-48, abs=0)), key


def test_numbers_are_written_as_python_writes_them(browser: Any) -> None:
    draw = random.Random(3)
    ties = [sign * whole / 2**power for sign in (1, -1) for whole in range(2_001) for power in range(6)]
    near = [tie * (1 + step * 2**-52) for tie in draw.sample(ties, 20_000) for step in (-1, 1)]
    others = [draw.uniform(-100, 100) for _ in range(40_000)] + [10 ** draw.uniform(-20, 12) for _ in range(10_000)]
    numbers = [*ties, *near, *others, -0.0, 0.5, 1.5, 2.5, 6.25, 1e15 + 0.5]
    assert len(numbers) > 100_000
    with open_page(browser, everything("en-de")) as page:
        found = json.loads(page.evaluate(WRITE_NUMBERS, json.dumps(numbers)))
        shown = page.evaluate(SHOW_NUMBERS, [-0.04, -0.06, 0.04, 0.06, None])
    expected = [[f"{x:.{places}f}" for places in range(5)] for x in numbers]
    wrong = [each for each in zip(numbers, found, expected, strict=True) if each[1] != each[2]]
    assert [] == wrong
    assert [["0.0", "0.0"], ["−0.1", "−0.1"], ["0.0", "0.0"], ["0.1", "+0.1"], ["–", "–"]] == shown
