"""Are the scores of a learned metric those that its model gives here? Its very weights must be on this machine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from truebleu._counts import number_of
from truebleu._shown import shown
from truebleu.errors import TruebleuError
from truebleu.receipts.rows import differs, row_labels, summed

if TYPE_CHECKING:
    from truebleu.receipts.receipt import Receipt


def check_again(
    receipt: Receipt, texts: Sequence[str] | None, streams: Sequence[Sequence[str | None]] | None,
    sources: Sequence[str] | None, models: Mapping[str, str] | None, notes: list[str],
) -> Iterator[list[str]]:  # fmt: skip
    """Score the texts again with each learned metric, and yield what differs; where that cannot be, note why."""
    for entry in receipt.about["metrics"]:
        if "w" not in entry["options"].get("facts", ()):
            continue  # no model with weights: a judge cannot be asked for the same answers
        name, model = entry["name"], str(entry["options"]["model"])
        place = (models or {}).get(name, model)
        why = f"needs {shown(model)}"
        if models is None or texts is None:
            why += ", the texts and rescore (--rescore)" if models is None else " and the texts"
        elif place.startswith("local/"):
            why += f", a model in a folder (--model {name}=./folder)"
        else:
            try:
                yield _differences(receipt, entry, place, texts, streams, sources, notes)
                continue
            except TruebleuError as error:
                why += f": {error}"
        notes.append(f"{shown(name)} was not scored again: {why}")


def _differences(
    receipt: Receipt, entry: dict[str, Any], place: str, texts: Sequence[str],
    streams: Sequence[Sequence[str | None]] | None, sources: Sequence[str] | None, notes: list[str],
) -> list[str]:  # fmt: skip
    """Score once more, without the cache, and compare the rows within the tolerance between batches and machines."""
    import numpy as np

    name, kind = entry["name"], receipt.metric(entry["name"]).__class__
    here: Any = cast("Any", kind)(**{**entry["options"], "model": place}, cache=False)
    with here:
        again = summed(
            here.stats(texts, streams, sources=sources if "src" in here.texts else None), row_labels(receipt)
        )
    kept, limit = receipt.stats[name], here.tolerance
    apart = np.abs(kept.rows[:, 0] - again.rows[:, 0]) / np.maximum(1.0, again.rows[:, 1])
    if (kept.rows[:, 1] != again.rows[:, 1]).any() or apart.max() > limit:
        row = int(np.where(kept.rows[:, 1] != again.rows[:, 1], np.inf, apart).argmax())
        return [f"{differs(f'metrics ({shown(name)})', row, 'score', kept, again, 'its model gives')} "
                f"(at most {limit:g} apart)"]  # fmt: skip
    size = number_of(receipt.about["segments"], "segment", commas=True)
    notes.append(
        f"{shown(name)} was scored again: {size}, the largest difference is {apart.max():.2g} (at most {limit:g})"
    )
    return []
