"""Groups of rows, and their scores."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from truebleu import demo
from truebleu.errors import InputTypeError, LengthMismatch, OptionError
from truebleu.metrics import BLEU, CHRF, TER
from truebleu.significance import ExternalMetric, Group, breakdown

DATA = demo.load("en-de")
TEXTS = DATA.systems["atlas"]
REFERENCES = list(DATA.references.values())
LABELS = ["news" if at % 3 else "chat" for at in range(len(TEXTS))]


@pytest.mark.parametrize("metric", [BLEU(), CHRF(), TER()], ids=lambda metric: metric.name)
def test_a_groups_score_is_that_of_its_texts(metric: BLEU | CHRF | TER) -> None:
    groups = breakdown(metric, metric.stats(TEXTS, REFERENCES), LABELS, n_bootstrap=100)
    assert ["chat", "news"] == [group.label for group in groups]
    for group in groups:
        chosen = [at for at, label in enumerate(LABELS) if label == group.label]
        texts = [TEXTS[at] for at in chosen]
        references = [[stream[at] for at in chosen] for stream in REFERENCES]
        expected = metric.corpus_score(texts, references, n_bootstrap=100)
        assert (
            Group(group.label, len(texts), expected.score, expected.confidence.mean, expected.confidence.half_width)
            == group
        )


def test_a_lone_segment_has_no_interval() -> None:
    metric = ExternalMetric("m", higher_is_better=True)
    groups = breakdown(metric, metric.stats([1, 2, 3]), ["x", "y", "x"], n_bootstrap=50, seed=1, threads=1)
    assert [2, 1] == [group.n_segments for group in groups]
    assert [True, False] == [group.mean is not None for group in groups]
    assert all(group.mean is None for group in breakdown(metric, metric.stats([1, 2]), ["x", "x"]))


def test_options_are_checked() -> None:
    metric = ExternalMetric("m", higher_is_better=True)
    with pytest.raises(OptionError, match="breakdown: n_bootstrap is -1"):
        breakdown(metric, metric.stats([1, 2]), ["x", "x"], n_bootstrap=-1)


@given(st.lists(st.tuples(st.integers(-50, 50), st.sampled_from(["a", "b", ("c", 1), 4])), min_size=1))
def test_groups_partition_the_rows(drawn: list[tuple[int, object]]) -> None:
    stats = ExternalMetric("m", higher_is_better=True).stats([value for value, _ in drawn])
    labels = [label for _, label in drawn]
    groups = stats.group(labels)  # type: ignore[arg-type]
    assert list(dict.fromkeys(labels)) == list(groups)
    merged = stats.merge(labels)  # type: ignore[arg-type]
    for row, (label, part) in zip(merged.rows, groups.items(), strict=True):
        assert [value for value, other in drawn if other == label] == part.rows[:, 0].tolist()
        assert part.sum() == row.tolist()
    assert stats.sum() == merged.sum()
    assert np.float64 == merged.rows.dtype


def test_labels_that_do_not_fit_are_refused() -> None:
    stats = ExternalMetric("m", higher_is_better=True).stats([1, 2, 3])
    with pytest.raises(LengthMismatch, match="there are 2 labels and 3 segments"):
        stats.group(["a", "b"])
    with pytest.raises(InputTypeError, match="the label of segment 1 is None"):
        stats.group(["a", None, "b"])
    with pytest.raises(InputTypeError, match="plain string"):
        stats.group("abc")
