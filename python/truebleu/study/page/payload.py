"""What the page's script works on: texts, tokens, rows and labels, packed into blocks of text.

`meta` says what the blocks hold. Each block is zlib in base64; browsers unpack it by themselves. Rows are stored as
[column][segment][system], where each run of a system is one more. A column of whole numbers may have another
subtracted, and is written in planes of bytes.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping, Sequence
from functools import cache
from hashlib import sha256
from importlib.resources import files
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from markupsafe import Markup

from truebleu._packing import deflate, pack_planes
from truebleu.study.groups import plain
from truebleu.study.page import spans
from truebleu.study.page.cuts import pack_cuts
from truebleu.version import __version__

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

    from truebleu.significance.systems import RowMetric
    from truebleu.study import Study

SCHEMA = 1

# The parts of the script, in the order in which they are joined.
PARTS = (
    "data", "scores", "format", "state", "filter", "diff", "ngrams", "figures", "plots", "segments", "spans", "cards",
    "table", "notes", "since", "ranking", "groups", "buckets", "panels", "keys", "main",
)  # fmt: skip

# What would end a script element.
_ESCAPES = str.maketrans({character: f"\\u{ord(character):04x}" for character in "<>&"})


class Payload(NamedTuple):
    """What goes into the page for its script."""

    meta: str
    blocks: dict[str, str]


@cache
def script() -> str:
    """Give the program of the page."""
    folder = files("truebleu.study.page") / "assets" / "js"
    parts = (folder.joinpath(f"{part}.js").read_text("utf-8").strip() for part in PARTS)
    return '"use strict";\n' + "\n\n".join(parts) + "\n"


class Packing(NamedTuple):
    """Blocks that another thread packs: what `meta` has to say of each, and the block."""

    texts: list[Future[dict[str, str]]]
    metrics: list[Future[tuple[dict[str, Any], str]]]
    labels: list[Future[tuple[dict[str, Any], str]]]


def begin(study: Study, beside: Executor, *, texts: bool = True) -> Packing:
    """Begin to pack what does not have to be computed first: zlib is slow, and lets other threads work."""
    _ = study.run_rows  # which are counted now, if nobody has asked for them yet; a model may mark errors then
    given = study.inputs
    return Packing(
        # The texts take longest, so they begin.
        [beside.submit(make, study) for make in (_texts, _cuts, *([_spans] if given.spans else ()))] if texts else [],
        [beside.submit(_metric, study, key, metric) for key, metric in given.metrics.items()],
        [beside.submit(_labels, name, values) for name, values in given.labels.items()],
    )


def pack(
    study: Study,
    begun: Packing,
    *,
    numbers: Sequence[int] | None = None,
    decimals: Mapping[str, int] | None = None,
    shown: Mapping[str, Any] | None = None,
) -> Payload:
    """Pack what the script needs of a study."""
    compared = None if study.comparison is None else study.comparison.to_dict()
    told = _zipped(_json({"comparison": compared, **(shown or {})}))
    blocks: dict[str, str] = {}
    metrics, labels = [], []
    for at, metric in enumerate(begun.metrics):
        about, blocks[f"tb-rows-{at}"] = metric.result()
        metrics.append({**about, "decimals": (decimals or {}).get(about["key"], 1)})
    for at, label in enumerate(begun.labels):
        about, blocks[f"tb-labels-{at}"] = label.result()
        labels.append(about)
    for made in begun.texts:
        blocks |= made.result()
    blocks["tb-numbers"] = told
    digest = sha256("".join(blocks.values()).encode()).hexdigest()[:32]
    meta = _meta(study, numbers, metrics=metrics, labels=labels, texts=bool(begun.texts), digest=digest)
    # In ASCII, because HTML may not hold every character.
    escaped = json.dumps(meta, separators=(",", ":")).translate(_ESCAPES)
    return Payload(Markup(escaped), {name: Markup(block) for name, block in blocks.items()})


def _meta(study: Study, numbers: Sequence[int] | None, **more: Any) -> dict[str, Any]:
    given = study.inputs
    return {
        "schema": SCHEMA,
        "version": __version__,
        "title": study.title,
        "language": study.language,
        "n": given.n,
        "numbers": None if numbers is None else list(numbers),
        "systems": list(given.systems),
        "runs": given.n_runs,
        "pair": study.pair,
        **more,
        "sources": given.sources is not None,
        "references": len(given.references),
        "test": [one.sha256 for one in study.provenance.inputs if one.kind == "references"],
        "lowercase": study.tokenizing.lowercase,
        **({"spans": True} if given.spans and more["texts"] else {}),
    }


def _zipped(block: bytes) -> str:
    return deflate(block, 6)


def _json(value: Any) -> bytes:
    # A lone surrogate becomes the escape that JSON has for it.
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "backslashreplace")


# Texts and labels.


def _texts(study: Study) -> dict[str, str]:
    """Texts by segment, because those of one segment are alike and so take little room together."""
    given = study.inputs
    scored = [*given.references, *given.systems.values()]
    streams = scored if given.sources is None else [given.sources, *scored]
    return {"tb-texts": _zipped(_json(list(chain.from_iterable(zip(*streams, strict=True)))))}


def _cuts(study: Study) -> dict[str, str]:
    given = study.inputs
    scored = zip(*given.references, *given.systems.values(), strict=True)
    cuts, listed = pack_cuts(chain.from_iterable(scored), study.tokenizing, study.threads)
    return {"tb-cuts": _zipped(cuts), "tb-tokens": _zipped(_json(listed))}


def _spans(study: Study) -> dict[str, str]:
    return {"tb-spans": _zipped(_json(spans.packed(study)))}


def _labels(name: str, values: list[Hashable]) -> tuple[dict[str, Any], str]:
    """The labels that there are, and the place of each segment's label among them, as four bytes."""
    import numpy as np

    places: dict[Hashable, int] = {}
    codes = [places.setdefault(value, len(places)) for value in values]
    return {"name": name, "values": [plain(label) for label in places]}, _zipped(np.array(codes, "<u4").tobytes())


# Rows.


def _metric(study: Study, key: str, metric: RowMetric) -> tuple[dict[str, Any], str]:
    import numpy as np

    # A subclass may score in another way, so that no formula is inherited.
    declares = "script_formula" in vars(type(metric))
    kind, options = getattr(metric, "script_formula", ("", {})) if declares else ("", {})
    counted = chain.from_iterable(study.run_rows[key].values())
    rows = np.stack([stats.rows for stats in counted], axis=-1)  # segment, column, system and run
    columns: tuple[str, ...] = metric.columns
    if not kind:  # The script has no formula for it, so it gets the scores of segments and none of subsets.
        scores_of_runs = np.repeat(study.segments(key).scores, study.inputs.n_runs, axis=0)
        rows, columns = scores_of_runs.T[:, None, :], ("score",)
    layout, cells = pack_planes(rows.transpose(1, 0, 2))
    scores = study.scores[key]
    about: dict[str, Any] = {
        "key": key,
        "name": next(iter(scores.values())).name,
        "signature": str(next(iter(scores.values())).signature),
        "higher_is_better": metric.higher_is_better,
        "kind": kind,
        "options": options,
        "columns": columns,
        "layout": layout,
        "scores": [score.score for score in scores.values()],
        "run_scores": [list(runs) for runs in study.run_scores[key].values()] if study.inputs.n_runs > 1 else None,
    }
    return about, _zipped(cells)
