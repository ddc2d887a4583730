"""What became better and worse since an older report of the same test set.

Of an older page only its blocks of data are read, as data: nothing in it runs, and limits keep it from taking all
memory. Scores of segments that are the same to six decimals are the same here, since `log` differs between machines.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from truebleu._counts import number_of
from truebleu._inputs import check_path, kind_of, ordered
from truebleu._packing import inflate, unpack_planes
from truebleu._shown import shown
from truebleu._textio import decode, stored_bytes
from truebleu.errors import FileFormatError, InputTypeError, StatsMismatch
from truebleu.stats import Stats
from truebleu.study.provenance import hash_of
from truebleu.study.segments import segment_scores

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truebleu.study.study import Study

_WHO = "to_html: against"
_DECIMALS = 6
_LARGEST = 256_000_000  # bytes of a file, and of the texts in it
_BLOCK = re.compile(r'<script type="application/(?:json|octet-stream)" id="tb-([a-z0-9-]+)">([^<]*)</script>')


class Earlier(NamedTuple):
    """The scores of an older report by metric and system, and its texts by system if it has them."""

    name: str
    scores: dict[str, dict[str, float]]
    segments: dict[str, dict[str, NDArray[Any]]]
    texts: dict[str, list[str]]


class SystemChange(NamedTuple):
    """How a system changed under a metric: its scores, and how many segments are better, worse and the same."""

    system: str
    before: float
    after: float
    better: int
    worse: int
    same: int

    @property
    def delta(self) -> float:
        """The new score less the old one."""
        return self.after - self.before


class Since(NamedTuple):
    """What became better and worse, for the page."""

    name: str
    changes: dict[str, list[SystemChange]]  # by metric
    gone: list[str]
    new: list[str]
    earlier: Earlier

    def to_dict(self) -> dict[str, Any]:
        """Give the numbers as plain values, ready for JSON."""
        changes = {key: [one._asdict() | {"delta": one.delta} for one in of] for key, of in self.changes.items()}
        return {"report": self.name, "changes": changes, "gone": self.gone, "new": self.new}

    def for_script(self, study: Study, *, texts: bool) -> dict[str, Any]:
        """Give the older scores and texts of the systems that are in both; None where they are the same."""
        scores: dict[str, dict[str, list[float | None]]] = {}
        for key, changes in self.changes.items():
            scores[key] = {}
            for name in (one.system for one in changes):
                before, gain = self.earlier.segments[key][name], _gains(study, self.earlier, key, name)
                pairs = zip(before.tolist(), gain.tolist(), strict=True)
                scores[key][name] = [round(score, _DECIMALS) if change else None for score, change in pairs]
        known = study.inputs.systems
        differ = {
            name: [was if was != now else None for was, now in zip(old, known[name], strict=True)]
            for name, old in self.earlier.texts.items()
            if texts and name in known
        }
        return {"name": self.name, "scores": scores, "texts": differ}


def since(study: Study, against: Any, *, anonymous: bool = False) -> Since:
    """Hold a study against an older report: a page, the JSON of one, or receipts."""
    earlier = _read(study, against)
    if not earlier.scores:
        raise StatsMismatch(f"{earlier.name} and this report share no metric with the same signature")
    systems, known = study.inputs.systems, {name for of in earlier.scores.values() for name in of}
    if known.isdisjoint(systems):
        names = [", ".join(shown(name) for name in sorted(of)[:5]) for of in (known, systems)]
        raise StatsMismatch(f"{earlier.name} has systems called {names[0]}, and none of these is here: {names[1]}")
    changes: dict[str, list[SystemChange]] = {}
    for key, before in earlier.scores.items():
        sign, after = 1 if study.inputs.metrics[key].higher_is_better else -1, study.scores[key]
        changes[key] = []
        for name in (name for name in study.ranking(key) if name in before):
            gain = sign * _gains(study, earlier, key, name)
            better, worse = int((gain > 0).sum()), int((gain < 0).sum())
            change = SystemChange(name, before[name], after[name].score, better, worse, len(gain) - better - worse)
            changes[key].append(change)
    gone = [] if anonymous else sorted(known - set(systems))
    return Since(
        "" if anonymous else earlier.name, changes, gone, [one for one in systems if one not in known], earlier
    )


def _gains(study: Study, earlier: Earlier, key: str, name: str) -> NDArray[Any]:
    """The new scores of the segments less the old ones."""
    import numpy as np

    found: NDArray[Any] = np.round(study.segments(key).of(name) - earlier.segments[key][name], _DECIMALS)
    return found


def _read(study: Study, against: Any) -> Earlier:
    if not isinstance(against, str | os.PathLike):
        return _of_receipts(study, ordered("to_html", "against", against, "a report, or a list of receipts"))
    path = check_path(_WHO, against)
    name = shown(os.path.basename(path))
    content = stored_bytes(path)
    if len(content) > _LARGEST:
        raise FileFormatError(f"{name} has {number_of(len(content), 'byte')}, and no report has more than {_LARGEST}")
    text = decode(content, "utf-8", name, FileFormatError)
    read = _of_page if text[:100].lstrip().lower().startswith("<!doctype html") else _of_json
    try:
        return read(study, name, text)
    except (AttributeError, IndexError, KeyError, OverflowError, TypeError, ValueError) as error:
        if isinstance(error, FileFormatError | StatsMismatch):
            raise
        told = "expected a page that `truebleu report` wrote, or its JSON"
        raise FileFormatError(f"{name} is not a report, or it was changed ({str(error)[:200]}); {told}") from error
    except RecursionError as error:
        raise FileFormatError(f"{name}: its brackets are nested too deeply, expected a report") from error


def _require(study: Study, name: str, n: int, references: Iterable[str]) -> None:
    """Refuse the report of another test set."""
    ours = [given.sha256 for given in study.provenance.inputs if given.kind == "references"]
    if n != study.inputs.n or list(references) != ours:
        raise StatsMismatch(f"{name} is a report on other references, so its scores cannot be held against these")


def _is_same(study: Study, key: str, signature: str) -> bool:
    """Whether a metric of the study has this signature, but for the version of the program."""
    if key not in study.inputs.metrics:
        return False
    ours = str(next(iter(study.scores[key].values())).signature)
    return _unversioned(ours) == _unversioned(signature)


def _unversioned(signature: str) -> list[str]:
    return [field for field in signature.split("|") if not field.startswith("version:")]


def _checked(study: Study, values: Any) -> NDArray[Any]:
    import numpy as np

    found = np.asarray(values, float)
    if found.shape != (study.inputs.n,) or not np.isfinite(found).all():
        raise ValueError("the scores of segments are not numbers, or not one for each")
    return found


def _of_page(study: Study, name: str, text: str) -> Earlier:
    blocks = dict(_BLOCK.findall(text))
    if "meta" not in blocks:
        raise FileFormatError(f"{name} has no data of a report in it; expected a page that `truebleu report` wrote")
    meta = json.loads(blocks["meta"])
    systems, first = [str(one) for one in meta["systems"]], int(meta["sources"])
    texts: dict[str, list[str]] = {}
    references = meta.get("test", ())
    if "texts" in blocks:
        every = json.loads(inflate(f"{name}: tb-texts", blocks["texts"], _LARGEST))
        width = first + meta["references"] + len(systems)
        streams = [every[at::width] for at in range(width)]
        references = [hash_of(stream) for stream in streams[first : width - len(systems)]]
        texts = dict(zip(systems, streams[width - len(systems) :], strict=True))
    _require(study, name, meta["n"], references)
    scores, segments = {}, {}
    for at, one in enumerate(meta["metrics"]):
        if _is_same(study, one["key"], one["signature"]):
            cells = unpack_planes(
                f"{name}: tb-rows-{at}", blocks[f"rows-{at}"], one["layout"], (meta["n"], len(systems) * meta["runs"])
            )
            scores[one["key"]] = {who: float(score) for who, score in zip(systems, one["scores"], strict=True)}
            segments[one["key"]] = _scored(study, one, cells, systems)
    return Earlier(name, scores, segments, texts)


def _scored(study: Study, about: Mapping[str, Any], cells: NDArray[Any], systems: list[str]) -> dict[str, NDArray[Any]]:
    """The scores of segments: those of the rows, or what the page has instead of rows."""
    import numpy as np

    key, runs = about["key"], cells.shape[2] // len(systems)
    if not about["kind"]:
        return {name: _checked(study, cells[0, :, at * runs]) for at, name in enumerate(systems)}
    like = next(iter(study.run_rows[key].values()))[0]
    rows = {
        name: [
            Stats(np.ascontiguousarray(cells[:, :, at * runs + run].T), like.columns, like.fingerprint, like.references)
            for run in range(runs)
        ]
        for at, name in enumerate(systems)
    }
    found = segment_scores(key, study.inputs.metrics[key], rows)
    return {name: _checked(study, found.of(name)) for name in systems}


def _of_json(study: Study, name: str, text: str) -> Earlier:
    facts = json.loads(text)
    references = [one["sha256"] for one in facts["provenance"]["inputs"] if one["kind"] == "references"]
    _require(study, name, facts["n_segments"], references)
    scores, segments = {}, {}
    for one in (one for one in facts["metrics"] if _is_same(study, one["key"], one["signature"])):
        scores[one["key"]] = {who: float(score["score"]) for who, score in one["scores"].items()}
        segments[one["key"]] = {who: _checked(study, values) for who, values in one["segments"].items()}
    return Earlier(name, scores, segments, {})


def _of_receipts(study: Study, receipts: Sequence[Any]) -> Earlier:
    scores: dict[str, dict[str, float]] = {}
    segments: dict[str, dict[str, NDArray[Any]]] = {}
    if not receipts:
        raise InputTypeError(f"{_WHO} is empty, expected a report or receipts")
    for receipt in receipts:
        if not hasattr(receipt, "rows_for"):
            raise InputTypeError(f"{_WHO} holds {kind_of(receipt)}, expected receipts")
        receipt.require_references(study.inputs.references)
        # A receipt is often called after its file, and a system here without the end of its name.
        who = receipt.system if receipt.system in study.inputs.systems else receipt.system.partition(".")[0]
        for key, metric in study.inputs.text_metrics.items():
            rows = receipt.rows_for(metric)
            found = segment_scores(key, metric, {who: [rows]})
            segments.setdefault(key, {})[who] = _checked(study, found.of(who))
            scores.setdefault(key, {})[who] = metric.score(rows).score
    return Earlier("the receipts", scores, segments, {})
