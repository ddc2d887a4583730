"""From a published signature back to a metric: score exactly as a paper says it did.

Three ways of writing are understood:

- `BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.4.0`,
- its short form `BLEU|#:1|c:mixed|e:no|tok:13a|s:exp|v:2.4.0`,
- and that of sacreBLEU 1, `BLEU+case.mixed+numrefs.1+smooth.exp+tok.13a+version.1.5.1`.

>>> metric_from_signature("chrF2++|nrefs:1|case:mixed|eff:yes|nc:6|nw:2|space:no|version:2.0.0")
CHRF(char_order=6, word_order=2, beta=2, lowercase=False, whitespace=False, eps_smoothing=False)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from truebleu.errors import UnknownSignature
from truebleu.metrics import BLEU, CHRF, GLEU, TER
from truebleu.metrics.base import Metric
from truebleu.tokenizers.registry import TOKENIZERS
from truebleu.version import __version__


class Published(NamedTuple):
    """What a signature says."""

    metric: str  # "bleu", "chrf", "ter" or "gleu"
    options: Mapping[str, Any]  # arguments of the metric's constructor
    context: Mapping[str, str]  # what is not the metric's: references, test set, resampling
    notes: tuple[str, ...]  # what cannot be honoured, or had to be assumed

    def make(self, **more: Any) -> Metric[Any]:
        """The metric."""
        return _CLASSES[self.metric](**self.options, **more)


def metric_from_signature(text: str) -> Metric[Any]:
    """The metric that a signature describes; what it says of test sets and resampling is left to the caller."""
    return parse_signature(text).make()


def parse_signature(text: str) -> Published:
    """Read a signature of either version, long or short."""
    name, fields = _fields(text.strip())
    metric = _metric_of(name, fields, text)
    fields = _long_keys(metric, fields)
    notes: list[str] = []
    options = _READERS[metric](name, fields, notes)
    context = {key: fields.pop(key) for key in _CONTEXT if key in fields}
    version = fields.pop("version", None)
    if version and not version.startswith("truebleu"):
        notes.append(f"version {version}: this is truebleu {__version__}, which gives the numbers of sacreBLEU 2.6.0")
    if fields:
        unknown = ", ".join(f"{key}:{value}" for key, value in fields.items())
        raise UnknownSignature(f"the signature has {unknown}, which {_SHOWN[metric]} does not know: {text!r}")
    return Published(metric, options, context, tuple(notes))


_CLASSES: dict[str, type[Metric[Any]]] = {"bleu": BLEU, "chrf": CHRF, "ter": TER, "gleu": GLEU}
_SHOWN = {"bleu": "BLEU", "chrf": "chrF", "ter": "TER", "gleu": "GLEU"}
_TEST_SET = ("test", "lang", "origlang", "subset", "refs")
_RESAMPLING = ("bs", "ar", "bs2", "sign", "seed", "docs", "runs", "adjust")
_CONTEXT = ("nrefs", *_RESAMPLING, *_TEST_SET)
_SHORT = {
    "#": "nrefs",
    "numrefs": "nrefs",
    "rs": "seed",
    "l": "lang",
    "o": "origlang",
    "S": "subset",
    "r": "refs",
    "adj": "adjust",
    "v": "version",
    "c": "case",
    "e": "eff",
    "numchars": "nc",
    "nr": "norm",
    "pn": "punct",
    "as": "asian",
}


def _fields(text: str) -> tuple[str, dict[str, str]]:
    """The name, if there is one, and the pairs."""
    items = text.split("|")
    separator = ":"
    if len(items) == 1 and ":" not in text:
        items, separator = text.split("+"), "."
    name = "" if separator in items[0] else items.pop(0)
    # The name is read from what may be a whole line of output.
    items[-1:] = [item.partition(" = ")[0].strip() for item in items[-1:]]
    pairs = [item.partition(separator) for item in items]
    if not pairs or not all(key and found and value for key, found, value in pairs):
        raise UnknownSignature(
            f"{text!r} is not a signature; expected BLEU|nrefs:1|case:mixed|... or BLEU+case.mixed+..., for example"
        )
    return name, {key: value for key, _, value in pairs}


def _metric_of(name: str, fields: Mapping[str, str], text: str) -> str:
    kind = re.sub(r"[\d.+]*$", "", name.lower())
    if kind and kind not in _CLASSES:
        raise UnknownSignature(f"the signature is of {name!r}, expected {', '.join(_SHOWN.values())}: {text!r}")
    if kind:
        return kind
    if {"min", "max"} & fields.keys():
        return "gleu"
    if {"nc", "nw", "numchars"} & fields.keys():
        return "chrf"
    return "ter" if {"norm", "nr", "punct", "pn"} & fields.keys() else "bleu"


def _long_keys(metric: str, fields: Mapping[str, str]) -> dict[str, str]:
    special = {"t": "test"} | {"bleu": {"s": "smooth"}, "chrf": {"s": "space"}}.get(metric, {})
    if metric == "ter" and fields.get("t", "").startswith("tercom"):
        special = {"t": "tok"}
    return {(_SHORT | special).get(key, key): value for key, value in fields.items()}


def _read_bleu(name: str, fields: dict[str, str], notes: list[str]) -> dict[str, Any]:
    method, value = _smoothing(fields.pop("smooth", "exp"))
    options = {
        "lowercase": _case(fields.pop("case", "mixed")) == "lc",
        "tokenize": _tokenizer(fields.pop("tok", "13a"), notes),
        "smooth_method": method,
        "smooth_value": value,
        "effective_order": _yes(fields.pop("eff", "no")),
    }
    if "order" in fields:
        options["max_ngram_order"] = _whole(fields.pop("order"))
    return options | _empty_refs(fields)


def _read_chrf(name: str, fields: dict[str, str], notes: list[str]) -> dict[str, Any]:
    beta = re.fullmatch(r"chrF([\d.]+)\+*", name, re.I)
    if beta is None:
        notes.append("the signature does not tell beta; 2 is assumed")
    return {
        "char_order": _whole(fields.pop("nc", "6")),
        "word_order": _whole(fields.pop("nw", "0")),
        "beta": _number(beta[1]) if beta else 2,
        "lowercase": _case(fields.pop("case", "mixed")) == "lc",
        "whitespace": _yes(fields.pop("space", "no")),
        "eps_smoothing": not _yes(fields.pop("eff", "yes")),
    } | _empty_refs(fields)


def _read_ter(name: str, fields: dict[str, str], notes: list[str]) -> dict[str, Any]:
    old = fields.pop("tok", "tercom").split("-")[1:]  # tercom-nonorm-punct-noasian-uncased
    return {
        "normalized": _yes(fields.pop("norm", "yes" if "norm" in old else "no")),
        "no_punct": not _yes(fields.pop("punct", "no" if "nopunct" in old else "yes")),
        "asian_support": _yes(fields.pop("asian", "yes" if "asian" in old else "no")),
        "case_sensitive": _case(fields.pop("case", "mixed" if "cased" in old else "lc")) == "mixed",
    } | _empty_refs(fields)


def _read_gleu(name: str, fields: dict[str, str], notes: list[str]) -> dict[str, Any]:
    return {
        "lowercase": _case(fields.pop("case", "mixed")) == "lc",
        "tokenize": _tokenizer(fields.pop("tok", "13a"), notes),
        "min_len": _whole(fields.pop("min", "1")),
        "max_len": _whole(fields.pop("max", "4")),
    } | _empty_refs(fields)


_READERS: dict[str, Callable[[str, dict[str, str], list[str]], dict[str, Any]]] = {
    "bleu": _read_bleu,
    "chrf": _read_chrf,
    "ter": _read_ter,
    "gleu": _read_gleu,
}


def _empty_refs(fields: dict[str, str]) -> dict[str, Any]:
    return {"empty_refs": fields.pop("empty")} if "empty" in fields else {}


def _tokenizer(text: str, notes: list[str]) -> str:
    if text in TOKENIZERS:
        return text
    for name in ("ja-mecab", "ko-mecab"):
        if text.startswith(name):
            notes.append(f"tokenizer {text}: the MeCab that is installed is used, whatever its version")
            return name
    known = ", ".join(TOKENIZERS)
    raise UnknownSignature(f"the signature asks for the tokenizer {text!r}, which there is not; known are {known}")


def _smoothing(text: str) -> tuple[str, float | None]:
    found = re.fullmatch(r"(none|exp|floor|add-k|method[0-7])(?:\[([\d.]+)\]|\.([\d.]+))?", text)
    if found is None:
        known = "none, exp, floor, add-k or method0 to method7"
        raise UnknownSignature(f"the signature asks for smoothing {text!r}, expected {known}")
    value = found[2] or found[3]
    return found[1], float(value) if value else None


def _case(text: str) -> str:
    if text not in ("lc", "mixed"):
        raise UnknownSignature(f"the signature has case {text!r}, expected 'lc' or 'mixed'")
    return text


def _yes(text: str) -> bool:
    if text.lower() not in ("yes", "no", "true", "false"):
        raise UnknownSignature(f"the signature has {text!r} where yes or no is expected")
    return text.lower() in ("yes", "true")


def _whole(text: str) -> int:
    if not text.isdecimal():
        raise UnknownSignature(f"the signature has {text!r} where a whole number is expected")
    return int(text)


def _number(text: str) -> int | float:
    return int(text) if text.isdecimal() else float(text)
