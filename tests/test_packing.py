"""The codec of rows: what goes in comes out, and what others wrote badly is refused."""

import base64
import zlib
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from receipts.forging import naive_rows
from truebleu import BLEU, CHRF, TER
from truebleu._packing import Packed, deflate, pack, pack_labels, unpack, unpack_labels
from truebleu.errors import FileFormatError

whole = st.integers(-(2**53) + 1, 2**53 - 1).map(float)
fractions = st.floats(allow_nan=False, allow_infinity=False)
tables = arrays.arrays(
    np.float64,
    st.tuples(st.integers(1, 12), st.integers(1, 6)),
    elements=st.one_of(st.integers(-3, 300).map(float), whole, fractions),
)


def entry_of(packed: Packed) -> dict[str, Any]:
    return packed._asdict()


@given(tables)
def test_rows_come_back_bit_for_bit_and_as_the_documentation_says(rows: Any) -> None:
    names = [str(at) for at in range(rows.shape[1])]
    packed = pack(rows, names, {})
    again = unpack("x", packed, len(rows))
    assert rows.tobytes() == again.tobytes()
    assert rows.tolist() == naive_rows(entry_of(packed), len(rows))


@given(tables)
def test_any_predictor_will_do(rows: Any) -> None:
    names = [str(at) for at in range(rows.shape[1])]
    near = {name: str(at) for at, name in enumerate(names[1:])}
    assert rows.tobytes() == unpack("x", pack(rows, names, near), len(rows)).tobytes()


def test_whole_columns_are_differences_and_others_are_not() -> None:
    rows = np.array([[10.0, 11.0, 0.5], [20.0, 21.0, 2.0]])
    packed = pack(rows, ("a", "b", "c"), {"b": "a", "c": "b"})
    assert ("iif", [-1, 0, -1]) == (packed.kinds, packed.predict)
    content = zlib.decompress(base64.b64decode(packed.data))
    assert bytes([20, 40, 2, 2]) == content[:4]


def test_the_best_earlier_column_is_found_where_a_metric_names_none() -> None:
    rng = np.random.default_rng(7)
    first, second = rng.integers(0, 1000, 500).astype(float), rng.integers(0, 1000, 500).astype(float)
    rows = np.column_stack([first, second, second + 1, first])
    assert [-1, -1, 1, 0] == pack(rows, tuple("abcd"), {}).predict


def test_minus_zero_keeps_its_sign() -> None:
    rows = np.array([[0.0, -0.0], [1.0, 2.0]])
    packed = pack(rows, ("a", "b"), {})
    assert "if" == packed.kinds
    assert rows.tobytes() == unpack("x", packed, 2).tobytes()


@given(st.lists(st.integers(0, 30), min_size=1, max_size=40))
def test_documents_come_back(labels: list[int]) -> None:
    codes: dict[int, int] = {}
    numbers = [codes.setdefault(label, len(codes)) for label in labels]
    assert numbers == unpack_labels("x", pack_labels(numbers), len(numbers), len(codes))


@pytest.mark.parametrize("numbers", [[1, 0], [0, 2], [0, 0], [-1, 0]])
def test_documents_are_numbered_in_order_of_first_appearance(numbers: list[int]) -> None:
    with pytest.raises(FileFormatError, match="in order of first appearance"):
        unpack_labels("documents", pack_labels(numbers), 2, 2)


def data(content: bytes) -> Packed:
    return Packed("i", [-1], deflate(content))


@pytest.mark.parametrize(
    ("packed", "n", "message"),
    [
        (data(b"\x02"), 2, "too few for 2 rows"),
        (data(b"\x02\x82"), 2, "ends too early"),
        (data(b"\x02\x02\x02"), 2, "1 byte after the last column"),
        (data(b"\x82\x00"), 1, "more bytes than it needs"),
        (data(b"\xff" * 9 + b"\x01"), 1, "too large"),
        (data(b"\xfe\xff\xff\xff\xff\xff\xff\x3f"), 1, "not below 2\\*\\*53"),
        (Packed("f", [-1], deflate(bytes(4))), 1, "ends within column 0"),
        (Packed("f", [-1], deflate(bytes([0, 0, 0, 0, 0, 0, 248, 127]))), 1, "not finite"),
        (Packed("i", [-1], "%%%"), 1, "not base64 of zlib"),
        (Packed("i", [-1], base64.b64encode(b"hello").decode()), 1, "not base64 of zlib"),
        (Packed("i", [-1], base64.b64encode(zlib.compress(b"\x02") + b"x").decode()), 1, "something follows"),
        (Packed("i", [-1], base64.b64encode(zlib.compress(b"\x02" * 100)[:-3]).decode()), 100, "cut off"),
        (Packed("i", [-1], deflate(bytes(11))), 1, "more than the 10 bytes"),
        (Packed("i", [-1], deflate(b"\x02")), 10**9, "expected at most 100000000 cells"),
    ],
)
def test_bad_rows_are_refused(packed: Packed, n: int, message: str) -> None:
    with pytest.raises(FileFormatError, match=message):
        unpack("metrics[0]", packed, n)


def test_a_bomb_is_not_inflated() -> None:
    bomb = base64.b64encode(zlib.compress(bytes(50_000_000), 9)).decode()
    with pytest.raises(FileFormatError, match="more than the 1000 bytes"):
        unpack("metrics[0]", Packed("i", [-1], bomb), 100)


def test_metrics_name_columns_that_they_have() -> None:
    for metric in (
        BLEU(),
        BLEU(max_ngram_order=1),
        BLEU(smooth_method="method5"),
        CHRF(),
        CHRF(0, 2),
        CHRF(1, 1),
        TER(),
    ):
        places = {name: at for at, name in enumerate(metric.columns)}
        assert all(places[near] < places[name] for name, near in metric.predictors.items())
        assert set(metric.reference_columns) <= set(metric.columns)
