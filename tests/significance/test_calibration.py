"""The tests keep their level: the figures of bench/calibration.py, and a small experiment that needs no texts."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from real_texts import data_folder

SCRIPT = Path(__file__).parents[2] / "bench" / "calibration.py"
FIGURES = json.loads(SCRIPT.with_suffix(".json").read_text("utf-8"))


@pytest.fixture(scope="module")
def calibration() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(SCRIPT.parent))
        spec = importlib.util.spec_from_file_location("calibration", SCRIPT)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        patch.setitem(sys.modules, "calibration", module)
        spec.loader.exec_module(module)
        return module


def test_the_page_has_the_figures_that_were_measured(calibration: Any) -> None:
    assert calibration.page(FIGURES) == calibration.PAGE.read_text("utf-8")


def test_other_pages_quote_the_figures_that_were_measured(calibration: Any) -> None:
    claims = calibration.counts(FIGURES)["claims_by_segment"]
    quoted = f"[{claims} %](calibration.md#documents)"
    assert quoted in (calibration.PAGE.parent / "significance.md").read_text("utf-8")


def test_no_figure_is_outside_of_its_bars(calibration: Any) -> None:
    bars = calibration.bars(FIGURES)
    assert len(bars) > 60
    assert [] == [bar for bar in bars if not bar.least <= bar.found <= bar.most]
    assert min(FIGURES[name]["nulls"] for name in ("segment nulls", "document nulls")) >= 5000


def test_documents_keep_the_level_that_segments_miss(calibration: Any) -> None:
    """30 documents of 10 segments that succeed and fail together, swapped whole: 400 nulls.

    Of 400 claims at 5 % there are 6 to 36 in all but one run in a thousand. By segments the chance of a claim is near
    50 % here, so that fewer than 100 are out of the question.
    """
    labels = np.repeat(np.arange(30), 10)
    found: dict[bool, list[float]] = {True: [], False: []}
    for at in range(400):
        rng = np.random.default_rng([calibration.SEED, at])
        scores = [rng.normal(size=30)[labels] + 0.5 * rng.normal(size=300) for _ in range(2)]
        rows = [np.column_stack([each, np.ones(300)]) for each in scores]
        null = calibration.Task("generated", labels, {"mean": rows}).shuffled(rng, by_document=True)
        for by_document, p_values in found.items():
            p_values.append(calibration.p_values(null, "ar", by_document)["mean"])
    claims = {by_document: sum(p <= 0.05 for p in p_values) for by_document, p_values in found.items()}
    assert 6 <= claims[True] <= 36
    assert claims[False] >= 100


@pytest.mark.full
@pytest.mark.skipif(data_folder() is None, reason="needs the test sets of WMT that have documents")
@pytest.mark.parametrize("name", ["segment nulls", "document nulls", "coverage", "families"])
def test_the_same_seed_gives_the_same_figures(calibration: Any, name: str) -> None:
    experiment, _ = calibration.EXPERIMENTS[name]
    some = {"tests": ("ar",)} if name.endswith("nulls") else {}
    found = experiment(list(calibration.load()), FIGURES[name]["nulls"], **some)
    if some:
        unit = "segments" if name == "segment nulls" else "documents"
        found, known = found[unit]["ar"], FIGURES[name][unit]["ar"]
    else:
        known = FIGURES[name]
    assert known == found
