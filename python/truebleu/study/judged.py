"""What a study says of its learned metrics: their models, passes and noise, the length bias and kinship of judges."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from truebleu._shown import shown
from truebleu.significance.notes import learned_notes
from truebleu.study.results import signature_of

if TYPE_CHECKING:
    from truebleu.study.study import Study

_FEWEST = 10  # segments that a correlation is of

# What the methods say of a learned metric, by the fields of its signature.
_FACTS = {
    "model": "model", "rev": "revision", "w": "weights", "prompt": "prompt", "temp": "temperature",
    "prec": "precision", "dev": "device", "pkg": "package", "torch": "torch", "tf": "transformers",
}  # fmt: skip


def judged(study: Study) -> dict[str, dict[str, Any]]:
    """Give what is known of each judge: model, passes, the noise of each system's marks, and systems of its family."""
    judges: dict[str, Any] = {key: one for key, one in study.inputs.metrics.items() if getattr(one, "is_judge", False)}
    return {key: _facts(study, key, judge) for key, judge in judges.items()}


def length_bias(study: Study) -> dict[str, dict[str, float | None]]:
    """Correlate the scores of segments with the length of output by reference, or by source, after Spearman.

    None for a system with fewer than ten such segments, or whose scores or lengths are all equal.
    """
    from truebleu.agreement.cells import grouped
    from truebleu.agreement.correlation import spearman

    given, found = study.inputs, dict[str, dict[str, float | None]]()
    others = given.references[0] if given.references else given.sources
    if others is None or not given.outputs:
        return found
    lengths = np.array([len(text or "") or np.nan for text in others])
    ratios = {name: np.array([*map(len, texts)]) / lengths for name, texts in given.outputs.items()}
    for key in given.metrics:
        scores = study.segments(key)
        for name, ratio in ratios.items():
            cells = grouped(ratio[None], scores.of(name)[None], "system")
            rho = spearman(cells)[0] if len(cells.metric) >= _FEWEST else np.nan
            found.setdefault(key, {})[name] = None if np.isnan(rho) else float(rho)
    return found


def learned_sentences(study: Study) -> Iterator[str]:
    """Say of each learned metric and judge what a reader of its scores has to know."""
    names = {key: shown(next(iter(of.values())).name) for key, of in study.scores.items()}
    for key, scores in study.scores.items():
        infos = {system: signature_of(one).info for system, one in scores.items()}
        first = next(iter(infos.values()))
        if "in" not in first:
            continue
        name = names[key]
        facts = [f"{word} {shown(first[field])}" for field, word in _FACTS.items() if first.get(field) is not None]
        yield f"{name} is computed by {', '.join(facts)}."
        if "cut" in first:
            cut = (f"{shown(system)} {info['cut']}" for system, info in infos.items())
            yield f"Segments longer than the model reads: {', '.join(cut)}."
        yield from learned_notes(name, scores)
        if key not in study.judges:
            continue
        yield f"{name} judges each output by itself, so that no order of systems can matter."
        if key in study.length_bias:
            besides = [f"{names[one]} {_listed(of)}" for one, of in study.length_bias.items() if one != key]
            beside = f" (beside it: {'; '.join(besides)})" if besides else ""
            by = "references" if study.inputs.references else "sources"
            yield (
                f"The rank correlation of its scores with the length of outputs by that of {by} is "
                f"{_listed(study.length_bias[key])}{beside}."
            )
        if family := study.judges[key]["family"]:
            yield (
                f"By their names {', '.join(map(shown, family))} may be of the family of "
                f"{shown(study.judges[key]['model'])}, which may prefer its own."
            )


def _facts(study: Study, key: str, judge: Any) -> dict[str, Any]:
    scores: dict[str, Any] = dict(study.scores[key])
    family = re.match("[a-z]{3,}", judge.model.rpartition("/")[2].lower())
    return {
        "model": judge.model,
        "passes": judge.repeats,
        "noise": {name: getattr(one, "noise", None) for name, one in scores.items()},
        "unparsed": {name: getattr(one, "neural", {}).get("bad", 0) for name, one in scores.items()},
        "length_bias": study.length_bias.get(key, {}),
        "family": [name for name in study.inputs.systems if family is not None and family[0] in name.lower()],
    }


def _listed(of: Mapping[str, float | None]) -> str:
    """The correlations of systems; of many, the lowest and the highest.

    >>> _listed({"a": 0.123, "b": None}), _listed({"a": 0.1, "b": 0.2, "c": -0.3, "d": 0.15})
    ('0.12 (a), not defined (b)', '-0.30 (c) to 0.20 (b)')
    """
    known = {name: rho for name, rho in of.items() if rho is not None}
    if len(of) > 3 and known:
        low, high = min(known, key=known.__getitem__), max(known, key=known.__getitem__)
        return f"{known[low]:.2f} ({shown(low)}) to {known[high]:.2f} ({shown(high)})"
    return ", ".join(f"{'not defined' if rho is None else f'{rho:.2f}'} ({shown(name)})" for name, rho in of.items())
