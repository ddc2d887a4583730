"""Names of metrics, ours and those of others: which of them does a name promise, and are higher scores better?"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from truebleu.errors import OptionError
from truebleu.metrics.registry import METRICS

if TYPE_CHECKING:
    from truebleu.metrics.base import Metric

# Families that are not ours; the names of their models contain these letters. 1: higher scores are better; -1: lower
# ones are, from 0 on; 0: penalties, which may be stored as negative numbers or as positive ones.
OF_OTHERS = {
    "BARTScore": 1, "BERTScore": 1, "BLEURT": 1, "COMET": 1, "GEMBA": 1, "InstructScore": 0, "MaTESe": 0, "METEOR": 1,
    "MetricX": -1, "MoverScore": 1, "MQM": 0, "YiSi": 1,
}  # fmt: skip
_WORDS = {"cesa": 1, "da": 1, "esa": 1, "kiwi": 1, "prism": 1, "sqm": 1, "unite": 1, "hter": -1, "errors": -1}
# Names of ours in other programs that contain the name of another of ours.
_ALSO = {"googlebleu": "GLEU"}
# They say only which version or model it is.
_VERSIONS = {
    "all", "base", "da", "ensemble", "f", "hybrid", "large", "mini", "noref", "p", "qe", "ref", "refa", "refb", "refc",
    "src", "unbabel", "v", "wmt", "xl", "xxl",
}  # fmt: skip


def other_metric(name: str, metric: Metric[Any]) -> str | None:
    """The metric that a name promises although another one counted; None if the name is sound, or only a label.

    >>> from truebleu.metrics import CHRF
    >>> [other_metric(name, CHRF(word_order=2)) for name in ("chrF++", "lowercase", "spBLEU", "wmt22-comet-da")]
    [None, None, 'BLEU', 'COMET']
    """
    own = {_letters(one) for one in (metric.name, metric.label, type(metric).__name__)}
    own |= {_letters(key) for key in METRICS if isinstance(metric, METRICS[key])}  # ROUGE-1 is a ROUGE
    own |= {letters for letters, key in _ALSO.items() if isinstance(metric, METRICS[key])}
    known = {_letters(other): other for other in (*METRICS, *OF_OTHERS)} | _ALSO | dict.fromkeys(own, "")
    first, rest = _letters(re.split(r"[\W_]", name.strip())[0]), _letters(name)
    for letters in sorted(known, key=len, reverse=True):
        # A short name is a part of many words, so that only the beginning counts.
        if (letters in rest) if len(letters) > 3 else (letters == first):
            if letters not in own:
                return known[letters]
            rest = rest.replace(letters, " ")
    return None


def is_of_others(name: str) -> bool:
    """Tell whether a name is one of metrics that are not ours, whose scores may be brought from elsewhere.

    >>> [is_of_others(name) for name in ("xcomet-xl", "bert_score", "unite", "united", "bleu")]
    [True, True, True, False, False]
    """
    letters, words = _letters(name[:40]), re.findall(r"[a-z]+", name.lower())
    return any(_letters(family) in letters for family in OF_OTHERS) or any(word in _WORDS for word in words)


def direction(name: str, scores: Iterable[float]) -> bool | None:
    """Tell whether higher scores are better; None if the name does not tell, as it has words that mean anything.

    Collections such as WMT's store all scores so that higher is better, and MetricX as negative numbers: the sign
    decides. Raises OptionError if scores that should have one sign have both.

    >>> direction("MetricX-24", [2.0, 6.5]), direction("wmt22-comet-da", [0.8]), direction("ESA_time", [12.0])
    (False, True, None)
    """
    words = re.findall(r"[a-z]+", name.lower())
    signs = {_sign(name.upper())} if name.upper() in METRICS else {_sign(w) for w in words if w not in _VERSIONS}
    signs = signs or {_WORDS.get(word) for word in words[:1]}  # DA alone is a score, too
    if not signs or None in signs or {1, -1} <= signs:
        return None
    if signs == {1}:
        return True
    given = list(scores)
    positive, negative = any(score > 1e-9 for score in given), any(score < -1e-9 for score in given)
    if positive and negative:
        raise OptionError(
            f"{name}: some scores are above zero and some below it, expected one sign: are some of them negated? If "
            "they are something else, give them another name"
        )
    return negative or (not positive and -1 not in signs)


def _sign(word: str) -> int | None:
    if (ours := METRICS.get(word.upper())) is not None:
        return 1 if ours.higher_is_better else -1
    families = (sign for family, sign in OF_OTHERS.items() if family.lower() in word)
    return _WORDS.get(word, next(families, 1 if word in ("spbleu", "sacrebleu") else None))


def _letters(name: str) -> str:
    return re.sub(r"[\W_]", "", name).casefold()
