"""The outcome of a sign test as text, as JSON, and as the three XML files."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple
from xml.sax.saxutils import escape, quoteattr

from truebleu._counts import number_of
from truebleu._shown import shown
from truebleu.sgm import Key
from truebleu.significance.sign import BETTER, FEW, SAME, WORSE, SignTest

OUTCOMES: Mapping[str, int] = {"good": BETTER, "bad": WORSE, "equal": SAME}
"""The names of the files, and what is in them."""

# What XML 1.0 cannot hold, escaped or not.
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Side(NamedTuple):
    """The texts of one file, or of one of the translations in it; `label` is what people call it."""

    path: str
    name: str
    texts: Sequence[str]
    label: str = ""


class SignInput(NamedTuple):
    """Texts of equal number and in the same order; `keys` are document and segment ids, where there are any."""

    keys: list[Key] | None
    source: Side | None
    references: list[Side]
    baseline: Side
    system: Side


def as_text(test: SignTest, texts: SignInput, files: Mapping[str, str]) -> str:
    """Write the report for people."""
    return "\n".join(_lines(test, texts, files)) + "\n"


def as_json(test: SignTest, texts: SignInput, files: Mapping[str, str]) -> str:
    """Write everything at full precision, with one item for each segment that takes part."""
    result = {
        **test.to_dict(),
        "baseline": texts.baseline.path,
        "system": texts.system.path,
        "files": dict(files),
        "items": [_item(test, texts, index) for index in test.different.nonzero()[0].tolist()],
    }
    return json.dumps(result, indent=1) + "\n"


def as_xml(test: SignTest, texts: SignInput, outcome: str) -> str:
    """Write one of the three files: the segments of an outcome, with everything that belongs to them."""
    indices = test.indices(OUTCOMES[outcome])
    root = {
        "outcome": outcome,
        "count": len(indices),
        "metric": test.metric,
        "signature": test.signature,
        "base_score": _number(test.baseline_score),
        "sys_score": _number(test.system_score),
        "total": test.segments,
        "different": int(test.different.sum()),
        "f_plus": test.better,
        "f_minus": test.worse,
        "f_zero": test.same,
        "z": _number(test.z),
        "p_value": _number(test.p_value),
        "level": test.level or "none",
    }
    segments = "".join(_segment(test, texts, index) for index in indices)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<signtest{_attributes(root)}>\n{segments}</signtest>\n'


def _lines(test: SignTest, texts: SignInput, files: Mapping[str, str]) -> Iterator[str]:
    yield f"{test.metric}|{test.signature}"
    yield f"baseline  {test.baseline_score:6.2f}  {shown(texts.baseline.label or texts.baseline.path)}"
    yield f"system    {test.system_score:6.2f}  {shown(texts.system.label or texts.system.path)}"
    yield ""
    different = int(test.different.sum())
    yield f"{number_of(test.segments, 'segment')}, {different} of them different"
    for sign, count, sum_of_deltas, outcome in (
        ("+", test.better, f"sum {test.gain:+.4f}", "good"),
        ("-", test.worse, f"sum {test.loss:+.4f}", "bad"),
        ("0", test.same, "", "equal"),
    ):
        share = 100 * count / different if different else 0.0
        yield f"f({sign}) = {count:6d}  {share:5.1f} %  {sum_of_deltas:14}  {shown(files.get(outcome, ''))}".rstrip()
    yield ""
    yield f"Z = {test.z:.4f}"
    yield f"p {_small(test.p_value)} (binomial, two-sided, exact)"
    for level, threshold in zip((95, 99), test.thresholds, strict=True):
        yield f"{level} % (Z > {threshold}): {'significant' if test.z > threshold else 'not significant'}"
    yield f"verdict: {test.verdict}"
    trials = test.better + test.worse
    if 0 < trials < FEW:
        yield f"caution: f(+) + f(-) is only {trials}. Below {FEW}, Z promises too much; go by p"
    elif test.level is not None and test.p_value > 1 - test.level:
        yield f"caution: at {test.level:.0%}, p does not confirm what Z says; go by p"


def _small(value: float) -> str:
    if value == 0:
        return "< 1e-300"
    return f"= {value:.4f}" if value >= 0.0001 else f"= {value:.2e}"


def _item(test: SignTest, texts: SignInput, index: int) -> dict[str, Any]:
    score = float(test.scores[index])
    names = {value: name for name, value in OUTCOMES.items()}
    return {
        "n": index + 1,
        **_ids(texts, index),
        "new_score": score,
        "delta": score - test.baseline_score,
        "outcome": names[int(test.outcomes[index])],
    }


def _ids(texts: SignInput, index: int) -> dict[str, str]:
    if texts.keys is None:
        return {}
    docid, segid = texts.keys[index]
    return {"docid": docid, "id": segid}


def _segment(test: SignTest, texts: SignInput, index: int) -> str:
    score = float(test.scores[index])
    numbers = {
        "base_score": _number(test.baseline_score),
        "new_score": _number(score),
        "delta": _number(score - test.baseline_score),
    }
    lines = [f"  <segment{_attributes({'n': index + 1, **_ids(texts, index), **numbers})}>"]
    if texts.source is not None:
        lines.append(_element("src", {}, texts.source.texts[index]))
    for number, side in enumerate(texts.references, 1):
        lines.append(_element("ref", {"n": number, "sysid": side.name}, side.texts[index]))
    lines.append(_element("base", {"sysid": texts.baseline.name}, texts.baseline.texts[index]))
    lines.append(_element("sys", {"sysid": texts.system.name}, texts.system.texts[index]))
    return "\n".join([*lines, "  </segment>\n"])


def _element(name: str, attributes: Mapping[str, object], text: str) -> str:
    return f"    <{name}{_attributes(attributes)}>{escape(_allowed(text), {chr(13): '&#13;'})}</{name}>"


def _attributes(values: Mapping[str, object]) -> str:
    """Attributes of a tag; a sysid that is not known is left out."""
    shown = ((name, str(value)) for name, value in values.items() if value != "")
    return "".join(f" {name}={quoteattr(_allowed(value))}" for name, value in shown)


def _allowed(text: str) -> str:
    return _FORBIDDEN.sub("\ufffd", text)


def _number(value: float) -> str:
    """Six decimals; six digits where these would show little or nothing of it."""
    return f"{value:.6f}" if value == 0 or abs(value) >= 0.001 else f"{value:.6g}"
