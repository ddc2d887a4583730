"""What is drawn: documents wherever they are known, segments otherwise; and what few documents allow."""

import logging
import math
from typing import Any

import numpy as np
import pytest

from truebleu import Study
from truebleu.errors import OptionError
from truebleu.metrics import BLEU, CHRF
from truebleu.significance import ExternalMetric, breakdown, compare
from truebleu.significance.sign import binomial_p_value

M = {"m": ExternalMetric("m", higher_is_better=True)}


def drawn_scores(documents: int, size: int = 5, seed: int = 1) -> tuple[dict[str, Any], list[int]]:
    """Scores of two systems whose differences belong to documents."""
    rng = np.random.default_rng(seed)
    base = rng.normal(size=documents * size)
    effect = np.repeat(rng.normal(0.3, 0.5, size=documents), size)
    labels = [at // size for at in range(documents * size)]
    return {"a": {"m": base}, "b": {"m": base + effect + rng.normal(0, 0.1, len(base))}}, labels


def test_documents_are_the_units_unless_segments_are_asked_for() -> None:
    scores, labels = drawn_scores(30)
    by_documents, same, by_segments, plain = (
        compare(scores, M, n_samples=400, **options)
        for options in ({"documents": labels}, {"documents": labels, "unit": "document"},
                        {"documents": labels, "unit": "segment"}, {})
    )  # fmt: skip
    assert by_documents == same and by_segments == plain
    assert (30, None) == (by_documents.n_documents, plain.n_documents)
    assert "|docs:30|" in str(by_documents.metrics[0].signature) and "docs" not in str(plain.metrics[0].signature)
    (wide,), (narrow,) = (one.metrics[0].pairs for one in (by_documents, plain))
    assert wide.interval and narrow.interval
    assert wide.interval[1] - wide.interval[0] > 1.5 * (narrow.interval[1] - narrow.interval[0])
    with pytest.raises(OptionError, match="unit is 'document', and documents is None"):
        compare(scores, M, unit="document")
    with pytest.raises(OptionError, match="unit is 'x', expected one of 'auto', 'segment', 'document'"):
        compare(scores, M, unit="x")


def test_the_sign_of_a_document_is_that_of_its_sum() -> None:
    scores, labels = drawn_scores(25)
    differences = (scores["b"]["m"] - scores["a"]["m"]).reshape(25, 5).sum(axis=1)
    better = int((differences > 0).sum())
    (pair,) = compare(scores, M, test="sign", documents=labels).metrics[0].pairs
    assert ((better, 25 - better, 0), binomial_p_value(better, 25 - better)) == (pair.signs, pair.p_value)


@pytest.mark.parametrize(("documents", "has_interval", "has_p"), [(4, False, False), (5, True, False), (8, True, True)])
def test_few_documents(documents: int, has_interval: bool, has_p: bool, caplog: pytest.LogCaptureFixture) -> None:
    scores, labels = drawn_scores(documents)
    with caplog.at_level(logging.WARNING, logger="truebleu"):
        report = compare(scores, M, documents=labels)
    (pair,), system = report.metrics[0].pairs, report.metrics[0].systems[0]
    assert has_interval == (pair.interval is not None) == (system.half_width is not None)
    assert has_p == (not math.isnan(pair.p_value))
    known = f"there are {'fewer than 20' if has_p else documents} documents"
    assert any(known in message for message in caplog.messages)


def test_the_interval_of_documents_is_a_t_interval() -> None:
    for documents, quantile in ((5, 2.776), (10, 2.262), (20, 2.093), (60, 2.001)):
        scores, labels = drawn_scores(documents)
        (pair,) = compare(scores, M, documents=labels, n_confidence=20_000).metrics[0].pairs
        sums = (scores["b"]["m"] - scores["a"]["m"]).reshape(documents, 5).mean(axis=1)
        half = quantile * sums.std(ddof=1) / math.sqrt(documents)
        assert pair.interval == pytest.approx((pair.delta - half, pair.delta + half), abs=0.02 * half)


def test_a_t_interval_covers_where_percentiles_do_not() -> None:
    """True differences of 8 documents, drawn 400 times; three standard errors of 95 % are 3.3 points."""
    rng, covered, narrow = np.random.default_rng(12345), 0, 0
    for at in range(400):
        values = {"a": {"m": np.zeros(8)}, "b": {"m": rng.normal(0.5, 1, 8)}}
        options: dict[str, Any] = {"n_samples": 10, "seed": at, "threads": 1}
        (pair,) = compare(values, M, documents=range(8), **options).metrics[0].pairs
        (other,) = compare(values, M, unit="segment", **options).metrics[0].pairs
        assert pair.interval and other.interval
        covered += pair.interval[0] <= 0.5 <= pair.interval[1]
        narrow += other.interval[0] <= 0.5 <= other.interval[1]
    assert covered >= 0.917 * 400 > narrow


def test_studies_and_groups_draw_documents_too() -> None:
    texts = [f"the heron {at} stood by the pond" for at in range(80)]
    systems = {
        "a": [f"a heron {at} sat" for at in range(80)],
        "b": [f"the heron {at} sat by the pond" for at in range(80)],
    }
    labels, halves = [at // 4 for at in range(80)], [at % 2 for at in range(80)]
    study, by_segment = (
        Study(systems, [texts], [BLEU()], labels={"half": halves}, documents=labels, unit=unit, n_samples=50)
        for unit in ("auto", "segment")
    )
    assert study.comparison and by_segment.comparison
    assert (20, None) == (study.comparison.n_documents, by_segment.comparison.n_documents)
    assert (20, 20) == study.groups("half").n_documents and (None, None) == by_segment.groups("half").n_documents
    rows = CHRF().stats(systems["a"], [texts])
    (whole,) = breakdown(CHRF(), rows, [0] * 80, n_bootstrap=200, documents=[at // 27 for at in range(80)])
    assert whole.half_width is None
