"""Studies of scores from elsewhere: a table alone, missing scores, no references, and the checks of such scores."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from truebleu import Study
from truebleu.errors import EmptyCorpus, InputTypeError, OptionError
from truebleu.metrics import BLEU
from truebleu.metrics.external import ExternalMetric
from truebleu.scores import ScoreTable
from truebleu.significance import breakdown

N = 60


def table(share: float = 0.3, *, documents: bool = True) -> ScoreTable:
    """Three systems, the last the best: ESA with missing scores, and COMET with all."""
    rng = np.random.default_rng(1)
    base = rng.normal(size=N)
    cells: dict[str, list[Any]] = {key: [] for key in ("system", "item", "metric", "score", "document")}
    for place, name in enumerate(("s1", "s2", "s3")):
        for at in range(N):
            for metric, score in (
                ("ESA", 60 + 10 * base[at] + 5 * place + rng.normal() * 4),
                ("COMET", 0.7 + 0.02 * base[at] + 0.01 * place + rng.normal() * 0.01),
            ):
                lost = metric == "ESA" and rng.random() < share
                row = (name, str(at + 1), metric, None if lost else score, f"d{at // 3}")
                for column, value in zip(cells.values(), row, strict=True):
                    column.append(value)
    if not documents:
        del cells["document"]
    return ScoreTable.from_columns(**cells)


def test_a_study_of_scores_alone_has_people_first_and_draws_documents() -> None:
    study = Study(scores=table(), human="ESA")
    assert ["ESA", "COMET"] == list(study.inputs.metrics) and N == study.inputs.n
    assert study.comparison is not None and 20 == study.comparison.n_documents
    assert "s3" == study.ranking("ESA")[0] and ("COMET",) == study.complete
    assert ("document",) == study.label_sets and {} == dict(study.checks)
    found = json.loads(json.dumps(study.to_dict()))
    assert None is found["ngrams"] and None in found["metrics"][0]["segments"]["s1"]
    assert {"rule": "pairs"}.items() <= found["comparison"]["metrics"][0]["pairs"][0]["missing"].items()


def test_its_page_says_what_is_absent_and_shows_n_and_adjusted_means(tmp_path: Path) -> None:
    Study(scores=table(), human="ESA").to_html(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text("utf-8")
    assert "Scores of ESA are missing: nothing is shown of segments and groups of them" in page
    assert "There are no references: segments, n-grams, lengths, checks of texts and the filter are left out." in page
    assert ">adjusted</th>" in page and 'id="ngrams"' not in page and "<script" not in page
    assert "S103" in page and "ESA: systems have" in page
    assert page.index(">ESA</bdi>") < page.index(">COMET</bdi>")


def test_scores_join_texts_and_metrics_that_count_them(tmp_path: Path) -> None:
    texts = {name: [f"text {at} of {name}" for at in range(N)] for name in ("s1", "s2", "s3")}
    references = [[f"text {at} of s3" for at in range(N)]]
    study = Study(texts, BLEU(), references, scores=table(0.0), checks=False)
    assert ["ESA", "bleu", "COMET"] == list(study.inputs.metrics) == list(study.complete)
    study.to_html(tmp_path / "page.html")
    assert "<script" in (tmp_path / "page.html").read_text("utf-8")
    gaps = Study(texts, BLEU(), references, scores=table(), checks=False)
    assert ("bleu", "COMET") == gaps.complete and "document" in gaps.label_sets
    gaps.to_html(tmp_path / "gaps.html")
    page = (tmp_path / "gaps.html").read_text("utf-8")
    assert 'id="ngrams"' in page and "<script" not in page


def test_scores_of_a_mapping_need_no_references() -> None:
    scores = {"a": [0.5, None, 0.7] * 10, "b": [0.6, 0.8, None] * 10}
    study = Study({"a": None, "b": None}, external={"COMET": scores}, missing="pairs")
    assert study.comparison is not None and 10 == study.comparison.metrics[0].pairs[0].n
    metric = ExternalMetric("judge", higher_is_better=False)
    lower = Study({"a": None, "b": None}, metric, external={"judge": {"a": [1, 2] * 9, "b": [3, 4] * 9}})
    assert ["a", "b"] == lower.ranking("judge")


@pytest.mark.parametrize("kind", ["ranking", "pairs", "groups", "ecdf", "scatter", "difference", "length"])
def test_figures_of_segments_need_all_scores(kind: str) -> None:
    pytest.importorskip("matplotlib").use("Agg")
    study = Study(scores=table(), human="ESA")
    if kind in ("ranking", "pairs"):
        assert study.plot(kind, metric="ESA") is not None
    else:
        with pytest.raises(OptionError, match="scores of ESA are missing, and kind="):
            study.plot(kind, metric="ESA")
    if kind == "length":
        with pytest.raises(OptionError, match="length of references, and there are none"):
            study.plot(kind, metric="COMET")
    else:
        assert study.plot(kind, metric="COMET") is not None


def test_a_group_without_scores_is_named() -> None:
    metric = ExternalMetric("ESA")
    stats = metric.stats([50.0, None, 60.0, None], missing=True)
    with pytest.raises(EmptyCorpus, match="ESA: a system has no score in the group 'chat'"):
        breakdown(metric, stats, ["news", "chat", "news", "chat"])


def test_checks_of_scores() -> None:
    messages = {one.code: one.messages for one in Study(scores=table(documents=False), human="ESA").own_checks}
    assert messages["S104"][0].startswith("ESA is of people, and the documents of segments are not known")
    assert messages["S103"][0].startswith("ESA: systems have ") and () == messages["S105"]
    negated = Study({"a": None, "b": None}, external={"MetricX": {"a": [-1.0, -2.0] * 9, "b": [-3.0, -9.0] * 9}})
    told = {one.code: one.messages for one in negated.own_checks}
    assert ("MetricX was negated, so that higher is better",) == told["S105"] and () == told["S103"]
    texts = Study({"a": ["x"], "b": ["y"]}, BLEU(), [["x"]])
    assert {"S101", "S102"} == {one.code for one in texts.own_checks}


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: Study(), InputTypeError, "systems is None, expected the texts"),
        (lambda: Study(external={"COMET": {"a": [1.0]}}), InputTypeError, "systems is None, expected the texts"),
        (lambda: Study({"a": ["x"]}, BLEU()), InputTypeError, "references is None"),
        (lambda: Study({"a": ["x"]}, BLEU(), external={"COMET": {"a": [1.0]}}), InputTypeError, "bleu needs them"),
        (lambda: Study({"a": None, "b": ["x"]}, external={}), InputTypeError, "some have scores alone"),
        (lambda: Study(scores=[1, 2]), InputTypeError, "expected a ScoreTable"),  # type: ignore[arg-type]
        (lambda: Study(scores=table(), human="DA"), OptionError, "human is 'DA', expected one of"),
        (
            lambda: Study({"a": None, "b": None}, external={"mine": {"a": [1.0, 2.0], "b": [2.0, 1.0]}}),
            OptionError,
            "mine: it is unknown whether higher or lower scores are better",
        ),
    ],
)
def test_what_is_refused(make: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        make()
