"""Rows: adding, selecting, saving, refusing."""

import copy
import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from truebleu.accumulator import Accumulator
from truebleu.errors import EmptyCorpus, InputError, InputTypeError, LengthMismatch, StatsMismatch
from truebleu.metrics import BLEU, CHRF, GLEU, TER
from truebleu.metrics.base import Metric
from truebleu.metrics.external import ExternalMetric
from truebleu.significance import compare
from truebleu.significance.sign import sign_test
from truebleu.stats import Stats

pytestmark = pytest.mark.interpreter

HYPOTHESES = ["the ferry left at noon", "nobody saw it", "rain, rain and more rain"]
REFERENCES = [
    ["the ferry sailed at noon", "no one saw it", "rain and rain and rain"],
    ["at noon the ferry left", None, "nothing but rain"],
    ["the boat left at twelve", None, "only rain"],
]
METRICS = [BLEU(effective_order=True), CHRF(word_order=2), TER()]


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
class TestEveryMetric:
    def test_score_of_rows_is_the_corpus_score(self, metric: Metric) -> None:
        stats = metric.stats(HYPOTHESES, REFERENCES)
        expected = metric.corpus_score(HYPOTHESES, REFERENCES)
        assert expected.to_dict() == metric.score(stats).to_dict()
        assert "nrefs:var" in str(metric.score(stats).signature)

    def test_rows_have_named_columns_and_cannot_be_written(self, metric: Metric) -> None:
        stats = metric.stats(HYPOTHESES, REFERENCES)
        assert (len(HYPOTHESES), len(stats.columns)) == stats.rows.shape
        assert np.float64 == stats.rows.dtype
        with pytest.raises(ValueError, match="read-only"):
            stats.rows[0, 0] = 1

    def test_shards_add_up_to_the_whole(self, metric: Metric) -> None:
        first = metric.stats(HYPOTHESES[:1], [stream[:1] for stream in REFERENCES])
        rest = metric.stats(HYPOTHESES[1:], [stream[1:] for stream in REFERENCES])
        whole = metric.stats(HYPOTHESES, REFERENCES)
        assert whole.rows.tolist() == (first + rest).rows.tolist()
        assert whole.references == (first + rest).references
        assert metric.score(whole).to_dict() == metric.score(first + rest).to_dict()

    def test_saved_rows_come_back(self, metric: Metric, tmp_path: Path) -> None:
        stats = metric.stats(HYPOTHESES, REFERENCES)
        stats.save(tmp_path / "rows.npz")
        loaded = Stats.load(tmp_path / "rows.npz")
        assert [path.name for path in tmp_path.iterdir()] == ["rows.npz"]
        assert metric.score(stats).to_dict() == metric.score(loaded).to_dict()
        assert len(stats + loaded) == 2 * len(stats)

    def test_selected_rows_score_as_the_selected_texts(self, metric: Metric) -> None:
        chosen = [0, 2]
        texts = metric.stats(
            [HYPOTHESES[at] for at in chosen], [[stream[at] for at in chosen] for stream in REFERENCES]
        )
        rows = metric.stats(HYPOTHESES, REFERENCES).select(chosen)
        assert texts.rows.tolist() == rows.rows.tolist()


def test_unlike_rows_are_refused_with_the_field_that_differs() -> None:
    cased, lower = BLEU(), BLEU(lowercase=True)
    with pytest.raises(StatsMismatch, match=r"differ in lowercase: False and True"):
        cased.stats(["a"], [["a"]]) + lower.stats(["a"], [["a"]])
    with pytest.raises(StatsMismatch, match=r"differ in metric: 'BLEU' and 'CHRF'"):
        CHRF().score(cased.stats(["a"], [["a"]]))
    with pytest.raises(StatsMismatch, match=r"differ in tokenizer: '13a' and 'custom-str.split'"):
        BLEU(tokenize=str.split).score(cased.stats(["a"], [["a"]]))


def test_score_options_do_not_make_rows_unlike() -> None:
    stats = BLEU().stats(HYPOTHESES, REFERENCES)
    floor = BLEU(smooth_method="floor", effective_order=True)
    assert floor.corpus_score(HYPOTHESES, REFERENCES).score == floor.score(stats).score


def test_a_file_that_is_not_ours_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "rows.npz"
    path.write_text("not rows")
    with pytest.raises(StatsMismatch, match=r"rows\.npz does not hold rows"):
        Stats.load(path)
    with pytest.raises(FileNotFoundError):
        Stats.load(tmp_path / "missing.npz")
    np.savez(path, rows=np.zeros((1, 3)), about=np.array('{"columns": ["a"], "fingerprint": {}, "references": [1, 1]}'))
    with pytest.raises(StatsMismatch, match="expected 1 column"):
        Stats.load(path)


def test_nothing_to_add_or_to_sum_is_an_error() -> None:
    with pytest.raises(EmptyCorpus):
        Stats.concatenate([])
    with pytest.raises(EmptyCorpus, match="no rows"):
        BLEU().stats(["a"], [["a"]]).select([]).sum()


def test_a_failed_save_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "rows.npz"
    stats = BLEU().stats(["a"], [["a"]])
    stats.save(path)
    before = path.read_bytes()
    monkeypatch.setattr(np, "savez_compressed", lambda *args, **kwargs: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        stats.save(path)
    assert (before, ["rows.npz"]) == (path.read_bytes(), [found.name for found in tmp_path.iterdir()])


@pytest.mark.parametrize("clone", [copy.deepcopy, lambda stats: pickle.loads(pickle.dumps(stats))])
def test_rows_can_be_copied_and_sent_to_another_process(clone: Any) -> None:
    stats = BLEU().stats(HYPOTHESES, REFERENCES)
    other = clone(stats)
    assert (stats.fingerprint, stats.columns, stats.references) == (other.fingerprint, other.columns, other.references)
    assert stats.rows.tolist() == other.rows.tolist()
    assert len(stats + other) == 2 * len(stats)


def saved(path: Path, rows: Any, **changes: Any) -> Path:
    stats = BLEU().stats(["a b"], [["a b"]])
    about = {"columns": stats.columns, "fingerprint": dict(stats.fingerprint), "references": stats.references}
    np.savez(path, rows=rows, about=np.array(json.dumps({**about, **changes})))
    return path


@pytest.mark.parametrize(
    ("rows", "changes", "words"),
    [
        (np.full((2, 10), np.nan), {}, r"sys_len of rows\[0\] is nan, expected a finite number from 0"),
        (np.full((2, 10), np.inf), {}, "is inf, expected a finite number"),
        (np.full((2, 10), -1.0), {}, r"is -1\.0, expected a finite number from 0"),
        (np.ones((2, 10), np.float32), {}, "of type float32, expected float64"),
        (np.ones((2, 10), ">f8"), {}, "of type >f8, expected float64"),
        (np.ones((2, 10)), {"references": [1, 2, 3]}, r"references is \(1, 2, 3\), expected two whole numbers"),
        (np.ones((2, 10)), {"references": [-1, 1]}, "expected two whole numbers from 0"),
        (np.ones(10), {}, r"the rows have shape \(10,\)"),
        (np.ones((2, 10)), {"fingerprint": {"schema": 7}}, "rows of schema 7"),
    ],
)
def test_a_file_with_rows_that_no_metric_counts_is_refused(
    rows: Any, changes: dict[str, Any], words: str, tmp_path: Path
) -> None:
    with pytest.raises(StatsMismatch, match=words):
        Stats.load(saved(tmp_path / "rows.npz", rows, **changes))


def test_a_file_with_columns_of_another_name_or_order_is_not_scored(tmp_path: Path) -> None:
    columns = BLEU().columns
    for wrong in (columns[::-1], [f"x{name}" for name in columns]):
        stats = Stats.load(saved(tmp_path / "rows.npz", np.ones((2, 10)), columns=wrong))
        with pytest.raises(StatsMismatch, match="differ in columns"):
            BLEU().score(stats)
    one = Stats.load(saved(tmp_path / "rows.npz", np.ones((2, 1)), columns=["edits"]))
    with pytest.raises(StatsMismatch, match="differ in columns"):
        BLEU().segment_scores(one)


@pytest.mark.parametrize(
    ("metric", "part", "whole"),
    [
        (BLEU(), "correct_2", "total_2"),
        (CHRF(word_order=2), "match_word_1", "hyp_word_1"),
        (CHRF(), "match_char_3", "ref_char_3"),
        (GLEU(), "matches", "ngrams"),
    ],
)
def test_more_matches_than_ngrams_are_refused_wherever_they_come_from(
    metric: Any, part: str, whole: str, tmp_path: Path
) -> None:
    rows = metric.stats(HYPOTHESES, REFERENCES).rows.copy()
    rows[1, metric.columns.index(part)] = 1 + rows[1, metric.columns.index(whole)]
    Stats(rows, metric.columns, metric.fingerprint(), (1, 1)).save(tmp_path / "rows.npz")
    stats = Stats.load(tmp_path / "rows.npz")
    words = rf"as {part} and \d+ as {whole} in row 1, expected {part} to be no more than {whole}"
    for use in (metric.score, metric.segment_scores, lambda stats: sign_test(stats, stats, metric)):
        with pytest.raises(StatsMismatch, match=words):
            use(stats)
    with pytest.raises(StatsMismatch, match=words):
        compare({"one": stats, "two": stats}, metrics=[metric])
    totals = metric.stats(HYPOTHESES, REFERENCES).sum()
    totals[metric.columns.index(part)] = 1 + totals[metric.columns.index(whole)]
    with pytest.raises(StatsMismatch, match=f"totals have .* expected {part} to be no more than {whole}"):
        metric.score_totals(totals, (1, 1))
    accumulator = Accumulator(metric)
    state = {"segments": 2, "totals": dict(zip(metric.columns, totals, strict=True)), "references": [1, 1]}
    with pytest.raises(StatsMismatch, match=rf"totals have .* as {part}"):
        accumulator.merge({**state, "fingerprint": metric.fingerprint()})
    assert 0 == len(accumulator)


def test_scores_from_elsewhere_may_be_negative_in_a_file(tmp_path: Path) -> None:
    comet = ExternalMetric("COMET")
    comet.stats([-0.5, 0.25]).save(tmp_path / "rows.npz")
    assert -0.125 == comet.score(Stats.load(tmp_path / "rows.npz")).score


def test_a_selection_is_a_flat_list_of_places() -> None:
    stats = BLEU().stats(["a", "b", "c"], [["a", "b", "c"]])
    for chosen in (0, None, "01", [[0]], [0.5], {0}):
        with pytest.raises(InputTypeError, match="segments"):
            stats.select(chosen)  # type: ignore[arg-type]
    with pytest.raises(LengthMismatch, match="segments has 2 flags, and there are 3 rows"):
        stats.select(np.array([True, False]))
    with pytest.raises(IndexError, match="segments has indices from 0 to 3"):
        stats.select([0, 3])
    assert [1, 2, 3, 0] == [len(stats.select(chosen)) for chosen in ([-1], (0, 1), range(3), [])]


def test_segments_that_are_counted_from_0_say_so() -> None:
    comet = ExternalMetric("COMET")
    calls = [
        lambda: comet.stats([0.5, None]),  # type: ignore[list-item]
        lambda: comet.stats([0.5, float("nan")]),
        lambda: comet.stats([0.5, 0.5]).group(["a", None]),
    ]
    for call in calls:
        with pytest.raises(InputError, match="Segments are counted from 0"):
            call()


@given(st.lists(st.lists(st.floats(0, 1e6) | st.integers(0, 10**6).map(float), min_size=2, max_size=2), min_size=1))
def test_columns_are_summed_in_the_order_of_the_segments(rows: list[list[float]]) -> None:
    expected = [0.0, 0.0]
    for row in rows:
        expected = [total + cell for total, cell in zip(expected, row, strict=True)]
    # Whatever lies in memory next to each other: NumPy would add such cells in groups.
    for table in (np.array(rows), np.asfortranarray(rows)):
        assert expected == Stats(table, ("a", "b"), {}, (1, 1)).sum()
