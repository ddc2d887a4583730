"""Tables in every layout that Arrow has, made from a name; and what they must give, found through lists."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from strategies import BLEU_OPTIONS, BLEU_TOKENIZERS, CHRF_OPTIONS, TER_OPTIONS, Generator
from truebleu.metrics import BLEU, CHRF, GLEU, TER, Metric

STRINGS = (pa.string(), pa.large_string(), pa.string_view())
DICTIONARIES = tuple(
    pa.dictionary(index, values)
    for index, values in itertools.product((pa.int8(), pa.uint16(), pa.int32(), pa.int64()), STRINGS[:2])
)
LISTS = (pa.list_, pa.large_list, pa.list_view, pa.large_list_view)


class Case(NamedTuple):
    table: pa.Table
    hypotheses: list[str]
    references: list[list[str]]  # of each segment, without nulls
    columns: list[str]  # of references
    keys: list[tuple[Any, ...]]
    metric: Metric[Any]


def case(name: str) -> Case:
    """A table with hypotheses `mt`, keys `system` and `day`, and references in one or several columns."""
    drawn = Generator(name, longest=60)
    rows, streams = drawn._of((1, 2, 3, 5, 8, 13)), drawn._of((1, 1, 2, 3, 5))
    corpus = drawn.corpus(rows, streams)
    hypotheses = [_plain(text) for text in corpus.hypotheses]
    by_segment = [[None if text is None else _plain(text) for text in texts] for texts in corpus.segments]
    keys = [(drawn._of(("a", "b", None)), drawn._of((1, 2))) for _ in range(rows)]
    columns: dict[str, Any] = {"mt": chunked(drawn, hypotheses, drawn._of((*STRINGS, *DICTIONARIES)))}
    split = drawn.rng.randint(0, streams)
    for at in range(split):
        kind = drawn._of((*STRINGS, *DICTIONARIES))
        columns[f"ref{at}"] = chunked(drawn, [texts[at] for texts in by_segment], kind)
    if split < streams:
        rest = [texts[split:] for texts in by_segment]
        columns["refs"] = chunked(drawn, [_shorter(drawn, texts) for texts in rest], list_type(drawn, streams - split))
    references = [[text for text in texts if text is not None] for texts in by_segment]
    columns["system"] = chunked(drawn, [key[0] for key in keys], drawn._of((*STRINGS, DICTIONARIES[0])))
    columns["day"] = chunked(drawn, [key[1] for key in keys], drawn._of((pa.int8(), pa.uint64(), pa.int32())))
    names = [column for column in columns if column.startswith("ref")]
    return Case(pa.table(columns), hypotheses, references, names, keys, metric(drawn))


def metric(drawn: Generator) -> Metric[Any]:
    more = {"empty_refs": drawn._of(("drop", "drop", "keep"))}
    kind = drawn.rng.randrange(5)
    if kind == 0:
        return CHRF(**drawn.options(CHRF_OPTIONS), **more)
    if kind == 1:
        return TER(**drawn.options(TER_OPTIONS), **more)
    if kind == 2:
        return GLEU(lowercase=drawn._of((False, True)), tokenize=drawn._of(BLEU_TOKENIZERS), **more)
    tokenize = drawn._of((*BLEU_TOKENIZERS, str.split))
    return BLEU(**drawn.options(BLEU_OPTIONS), tokenize=tokenize, **more)


def list_type(drawn: Generator, width: int) -> pa.DataType:
    inner = drawn._of((*STRINGS[:2], pa.string_view(), DICTIONARIES[2]))
    kind = drawn.rng.randrange(len(LISTS) + 1)
    return pa.list_(inner, width) if kind == len(LISTS) else LISTS[kind](inner)


def chunked(drawn: Generator, values: Sequence[Any], kind: pa.DataType) -> pa.ChunkedArray:
    """The values in a few chunks, some of them slices of longer arrays."""
    cuts = sorted(drawn.rng.randint(0, len(values)) for _ in range(drawn._of((0, 1, 3))))
    parts = [values[start:end] for start, end in itertools.pairwise([0, *cuts, len(values)])]
    return pa.chunked_array([array(drawn, part, kind) for part in parts], type=kind)


def array(drawn: Generator, values: Sequence[Any], kind: pa.DataType) -> pa.Array:
    before = drawn._of((0, 0, 1, 9))
    if pa.types.is_fixed_size_list(kind):
        values = [_filled(value, kind.list_size) for value in values]
    padding = [values[0] if values else None] * before
    plain = pa.array([*padding, *values, *padding[:1]], _made_directly(kind))
    return _cast(plain, kind).slice(before, len(values))


def _made_directly(kind: pa.DataType) -> pa.DataType:
    """A type that pyarrow can fill from Python and cast to the wanted one."""
    if pa.types.is_dictionary(kind):
        return kind.value_type
    if hasattr(kind, "value_field"):
        inner = _made_directly(kind.value_type)
        return pa.list_(inner, kind.list_size) if pa.types.is_fixed_size_list(kind) else pa.list_(inner)
    return kind


def _cast(values: pa.Array, kind: pa.DataType) -> pa.Array:
    if pa.types.is_dictionary(kind):
        return values.dictionary_encode().cast(kind)
    if not hasattr(kind, "value_field"):
        return values
    inner = _cast(values.values, kind.value_type) if pa.types.is_dictionary(kind.value_type) else values.values
    if pa.types.is_fixed_size_list(kind):
        return pa.FixedSizeListArray.from_arrays(inner, kind.list_size, mask=values.is_null())
    offsets, mask = values.offsets, values.is_null() if values.null_count else None
    if pa.types.is_list(kind):
        return pa.ListArray.from_arrays(offsets, inner, mask=mask)
    if pa.types.is_large_list(kind):
        return pa.LargeListArray.from_arrays(offsets.cast(pa.int64()), inner, mask=mask)
    wide = pa.int32() if pa.types.is_list_view(kind) else pa.int64()
    made = pa.ListViewArray if pa.types.is_list_view(kind) else pa.LargeListViewArray
    starts, sizes = offsets[:-1].cast(wide), pc.subtract(offsets[1:], offsets[:-1]).cast(wide)
    return made.from_arrays(starts, sizes, inner, mask=mask)


def _filled(value: list[Any] | None, size: int) -> list[Any]:
    return [*(value or ()), *[None] * size][:size]


def _shorter(drawn: Generator, texts: list[str | None]) -> list[str | None] | None:
    """The list without nulls at its end, now and then; a null list, if nothing is left."""
    while texts and texts[-1] is None and drawn.rng.random() < 0.5:
        texts = texts[:-1]
    return texts or drawn._of(([], None))


def _plain(text: str) -> str:
    """Without lone surrogates, which no UTF-8 has."""
    return text.encode("utf-8", "replace").decode()


def streams(references: list[list[str]]) -> list[list[str | None]]:
    return [list(stream) for stream in itertools.zip_longest(*references)]
