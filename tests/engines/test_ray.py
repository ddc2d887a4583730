"""Ray gives the bits of one process, whichever worker dies."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyarrow")
ray = pytest.importorskip("ray", reason="Ray is not installed: make test-engines installs it")
pytest.importorskip("ray.data")

import truebleu  # noqa: E402
import truebleu.ray as tb  # noqa: E402
from engines.cases import (  # noqa: E402
    LINES,
    METRICS,
    NULL_MESSAGE,
    SCORES,
    TABLE,
    TOTALS,
    WHICH,
    WITH_NULL,
    dying,
    has_died,
    same_segments,
    same_stats,
)
from truebleu import BLEU, _engines  # noqa: E402
from truebleu.errors import InputTypeError, StatsMismatch, UnknownField  # noqa: E402

pytestmark = pytest.mark.engines


def start() -> None:
    """Start Ray. It gives its node thirty seconds, whatever else the machine does; what took longer starts again."""
    for last in (False, False, True):
        try:
            # Ray also kills workers when the machine is short of memory, whoever takes it.
            calm = {"memory_monitor_refresh_ms": 0}
            ray.init(
                _system_config=calm, num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR"
            )
            return
        except Exception as error:
            ray.shutdown()
            if last or "timed out during startup" not in str(error):
                raise


@pytest.fixture(scope="module", autouse=True)
def cluster() -> Iterator[None]:
    start()
    yield
    ray.shutdown()


def dataset(parts: int, table: Any = TABLE) -> Any:
    step = -(-len(table) // parts) or 1
    return ray.data.from_arrow([table.slice(at, step) for at in range(0, len(table), step)] or [table])


@pytest.mark.parametrize("parts", [1, 3, 40])
def test_a_dataset_has_the_bits_of_one_process(parts: int) -> None:
    assert TOTALS.equals(tb.totals(dataset(parts), METRICS, **WHICH).to_arrow())


def test_blocks_without_rows_and_no_blocks_change_nothing() -> None:
    assert SCORES.equals(tb.score(dataset(3).union(dataset(1, TABLE.slice(0, 0))), METRICS, **WHICH))
    for nothing in (dataset(1, TABLE.slice(0, 0)), ray.data.from_items([])):
        assert 0 == len(tb.totals(nothing, METRICS, **WHICH))


def test_segment_scores_are_new_columns_and_rows_are_collected() -> None:
    scored = tb.segment_scores(dataset(3), METRICS, **LINES)
    assert [*TABLE.column_names, *METRICS] == scored.schema().names
    assert same_segments(scored.take_all())
    assert same_stats(tb.stats(dataset(3), BLEU(), **LINES, by=["system", "lang"], order="seg"))


def test_errors_are_ours() -> None:
    with pytest.raises(InputTypeError, match=NULL_MESSAGE):
        tb.score(dataset(1, WITH_NULL), METRICS, **WHICH, id="seg")
    with pytest.raises(UnknownField, match="no column 'hyp'"):
        tb.score(dataset(3), METRICS, hypothesis="hyp", references="refs")
    assert 1 == sum(tb.score(dataset(3, WITH_NULL), METRICS, **WHICH, nulls="skip")["skipped"].to_pylist())


def test_a_killed_worker_leaves_the_same_bits(tmp_path: Path) -> None:
    die = dying(tmp_path / "flag")

    def first_die(part: Any) -> Any:
        die()
        return part

    killed = dataset(40).map_batches(first_die, batch_format="pyarrow", batch_size=None)
    assert TOTALS.equals(tb.totals(killed, METRICS, **WHICH).to_arrow())
    assert has_died(tmp_path / "flag")


def test_check_tells_versions_and_refuses_others(monkeypatch: pytest.MonkeyPatch) -> None:
    (told,) = tb.check(METRICS)
    assert truebleu.__version__ == told["truebleu"] and METRICS.keys() == told["ids"].keys()
    monkeypatch.setattr(_engines, "__version__", "99.0")
    with pytest.raises(StatsMismatch, match=r"has truebleu .*, and here is 99\.0"):
        tb.check(METRICS)
