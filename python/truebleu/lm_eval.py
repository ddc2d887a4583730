"""BLEU, chrF and TER for tasks of lm-evaluation-harness: a metric that passes pairs on, and an aggregation.

A task's YAML names both as functions (`!function`), as docs/plugins.md shows; `register` adds them under the names
`truebleu_bleu`, `truebleu_chrf` and `truebleu_ter`. The harness gives an aggregation all pairs of reference and
output, so scores are those of the corpus.

>>> bleu([("the heron stands still today", "the heron stands still today"), (["a boat", "one boat"], "one boat")])
100.00000000000004
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from truebleu._inputs import brief
from truebleu.errors import InputTypeError
from truebleu.metrics import METRICS
from truebleu.metrics.names import made

Pair = tuple[Any, str]


def pair(items: Pair) -> Pair:
    """Pass a pair of reference and output on to the aggregation.

    Parameters
    ----------
    items
        The reference, or a list of references, and the output.
    """
    return items


def bleu(items: Iterable[Pair]) -> float:
    """BLEU of all pairs.

    Parameters
    ----------
    items
        Pairs of a reference, or a list of references, and an output.
    """
    return _score("BLEU", items)


def chrf(items: Iterable[Pair]) -> float:
    """ChrF of all pairs.

    Parameters
    ----------
    items
        As in `bleu`.
    """
    return _score("CHRF", items)


def ter(items: Iterable[Pair]) -> float:
    """TER of all pairs, where lower is better.

    Parameters
    ----------
    items
        As in `bleu`.
    """
    return _score("TER", items)


def register() -> None:
    """Add metrics and aggregations to the registry of the harness, in a program that has imported it."""
    from lm_eval.api.registry import register_aggregation, register_metric

    for function in (bleu, chrf, ter):
        name = f"truebleu_{function.__name__}"
        register_aggregation(name)(function)
        is_better = METRICS[function.__name__].higher_is_better
        add = register_metric(metric=name, higher_is_better=is_better, output_type="generate_until", aggregation=name)
        add(lambda items: items)


def _score(name: str, items: Iterable[Pair]) -> float:
    pairs = [*items]
    outputs = [_text(output, at) for at, (_, output) in enumerate(pairs, 1)]
    rows = [[text] if isinstance(text, str) else [*text] for text, _ in pairs]
    longest = max(map(len, rows), default=1)
    streams: list[Sequence[str | None]] = [
        [row[at] if at < len(row) else None for row in rows] for at in range(longest)
    ]
    return float(made(name).corpus_score(outputs, streams).score)


def _text(output: Any, at: int) -> str:
    # The harness gives a list where a task asks for several outputs.
    if isinstance(output, list | tuple) and len(output) == 1:
        output = output[0]
    if not isinstance(output, str):
        raise InputTypeError(f"the output of pair {at} is {brief(output)}, expected text, or a list with one text")
    return output
