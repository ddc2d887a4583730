"""Metrics that are not ours, one row each: their names, directions, ranges, scales, and what a difference is worth.

A name of one of ours is looked up in `METRICS`, whose class says its direction.

>>> known("MetricX-24-Hybrid-XL").higher, known("Unbabel/wmt22-comet-da").name, known("ESA_time")
(False, 'COMET22', None)
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

from truebleu._records import NamedTuple
from truebleu._typing import TYPE_CHECKING, Any
from truebleu.errors import OptionError
from truebleu.metrics.registry import METRICS, VARIANTS

if TYPE_CHECKING:
    from truebleu.metrics.base import Metric


class KnownMetric(NamedTuple):
    """What is known of a metric.

    A penalty has a range that begins or ends at zero: its sign tells whether somebody negated it. `beyond` is how far
    scores may be on the other side of zero although they were not negated, because the metric does not clip them.
    """

    name: str
    higher: bool  # whether higher is better, for scores in their natural range
    low: float = -math.inf  # the natural range
    high: float = math.inf
    scale: int = 1  # scores times this are what `curve` is about
    needs_reference: bool = True
    decimals: int = 1
    citation: str = ""  # its id in the ACL Anthology
    alias: str = ""  # a regular form of other names
    curve: tuple[float, float] | None = None  # a and b of Kocmi et al. (2024.acl-long.110)
    beyond: float = 0.0

    @property
    def is_penalty(self) -> bool:
        """Whether the sign of scores tells their direction."""
        return self.high == 0 or (self.low == 0 and not self.higher)

    def is_higher_better(self, scores: Iterable[float]) -> bool:
        """Tell whether higher is better for these scores; raise OptionError for a penalty with both signs."""
        return self.higher != self.is_negated(scores)

    def is_negated(self, scores: Iterable[float]) -> bool:
        """Tell whether scores are in the mirrored range; raise OptionError for a penalty with both signs."""
        if not self.is_penalty:
            return False
        given = [float(score) for score in scores if abs(score) > _ZERO]
        low, high = min(given, default=0.0), max(given, default=0.0)
        margin = self.beyond if max(-low, high) > self.beyond else 0.0
        if low < -margin and high > margin:
            raise OptionError(
                f"{self.name}: some scores are above zero and some below it, {low:g} to {high:g}, expected one sign: "
                "are some of them negated? If they are something else, give them another name"
            )
        return low < -margin if self.low == 0 else high > margin

    @property
    def widest(self) -> tuple[float, float]:
        """The range that no score leaves.

        Learned metrics may be half a range beyond their usual one, or be multiplied by 100; penalties may be negated.
        """
        reach = max(self.beyond, (self.high - self.low) / 2 if self.scale > 1 else 0.0)
        low, high = self.scale * (self.low - reach), self.scale * (self.high + reach)
        return (min(low, -high), max(high, -low)) if self.is_penalty else (low, high)

    @property
    def shown_range(self) -> str:
        """The natural range in words; "" if it has no ends."""
        if math.isinf(self.low) and math.isinf(self.high):
            return ""
        if math.isinf(self.low) or math.isinf(self.high):
            return f"{self.low:g} and above" if math.isinf(self.high) else f"{self.high:g} and below"
        return f"{self.low:g} to {self.high:g}"


_ZERO = 1e-9

# What several rows have in common.
_RATED = KnownMetric("", True, low=0.0, high=100.0)
_FREE = KnownMetric("", True, scale=100, decimals=4)
_COMET = _FREE._replace(low=0.0, high=1.0, citation="2022.wmt-1.52")
_XCOMET = _COMET._replace(citation="2024.tacl-1.54")
_KIWI = _COMET._replace(citation="2022.wmt-1.60", needs_reference=False)
_BLEURT = _FREE._replace(citation="2020.acl-main.704")
_SPBLEU = _RATED._replace(citation="2022.tacl-1.30")
_QE = _FREE._replace(citation="2021.wmt-1.111", needs_reference=False)
_NEGATIVE = KnownMetric("", True, high=0.0, decimals=2)  # penalties that are written below zero
_BY_PEOPLE = _RATED._replace(needs_reference=False)
# MetricX-23 does not clip its scores: those of WMT23 are up to 0.92 on the other side of zero.
_METRICX = KnownMetric("", False, low=0.0, high=25.0, decimals=2, citation="2023.wmt-1.63", beyond=1.5)

# Models and settings, of which some have a curve. Its digits are those of its authors.
MODELS = tuple(
    kind._replace(name=name, alias=alias, curve=(a, b))
    for kind, name, alias, a, b in (
        (_RATED._replace(citation="P02-1040"), "BLEU", "(sacre)?bleu", 88.33333333333225, 0.9663926931178954),
        (_RATED._replace(citation="W15-3049"), "chrF", "chrf2?", 92.999999999972, 1.1142732157139852),
        (_SPBLEU, "spBLEU200", "spbleu|(f|flores)200-?spbleu|spbleu-?200", 90.99999999998793, 0.8079046528617078),
        (_SPBLEU, "spBLEU101", "(f|flores)101-?spbleu|spbleu-?101", 84.58445492823891, 1.262507595109315),
        (_FREE, "BERTScore", "bert-?score(-f1?)?", 94.99999999999999, 2.6823162097239917),
        (_BLEURT, "BLEURT-default", "bleurt-default", 94.66666666666666, 0.4947232832741672),
        (_BLEURT, "BLEURT-20", "bleurt-?20", 98.33333333332963, 1.3727206190931929),
        (_FREE, "COMET20", "comet-?20(-da)?|wmt20-comet-da", 97.33333333332897, 0.7266990738678005),
        (_COMET, "COMET22", "comet|comet-?22(-da)?|wmt22-comet-da", 96.22374133884283, 2.8359194570556636),
        (_QE, "COMET21-QE", "comet-?21-qe|comet-?qe-?21", 93.7997435048193, 43.38413992717536),
        (_KIWI, "CometKiwi22", "comet-?kiwi(-?22)?(-da)?|wmt22-cometkiwi-da", 98.88141616584615, 2.719280643871758),
        (_KIWI, "CometKiwi23-XL", "(wmt23-)?comet-?kiwi(-?23)?(-da)?-xl", 96.39080593943235, 1.8888877927713834),
        (_KIWI, "CometKiwi23-XXL", "(wmt23-)?comet-?kiwi(-?23)?(-da)?-xxl", 96.23167242471065, 1.2826577343149304),
        (_XCOMET, "XCOMET-XL", "xcomet-xl", 96.56738237041118, 1.4535595865214588),
        (_XCOMET, "XCOMET-XXL", "xcomet-xxl", 98.93432477039522, 1.1629533711748128),
        (_METRICX, "MetricX-23-Large", "metricx-?23-large(-v2p0)?", 93.60777624544488, 26.277850179370947),
        (_METRICX._replace(needs_reference=False), "MetricX-23-QE-Large", "metricx-?23-qe-large(-v2p0)?",
         97.99999999782683, 15.541455989240491),
    )
)  # fmt: skip

# Families: the names of their models contain these letters. A member that is not above has no curve.
FAMILIES = (
    KnownMetric("BARTScore", True, decimals=4),
    _FREE._replace(name="BERTScore"),
    _BLEURT._replace(name="BLEURT"),
    _XCOMET._replace(name="XCOMET"),
    _KIWI._replace(name="CometKiwi"),
    _FREE._replace(name="COMET", citation="2020.emnlp-main.213"),
    KnownMetric("GEMBA", True, needs_reference=False, citation="2023.eamt-1.19"),
    _NEGATIVE._replace(name="InstructScore", citation="2023.emnlp-main.365"),
    _NEGATIVE._replace(name="MaTESe", citation="2022.wmt-1.51"),
    _METRICX._replace(name="MetricX"),
    KnownMetric("MoverScore", True, decimals=4, citation="D19-1053"),
    _NEGATIVE._replace(name="MQM", needs_reference=False, citation="2021.tacl-1.87"),
    KnownMetric("YiSi", True, decimals=4, citation="W19-5358"),
)
OF_OTHERS = tuple(one.name for one in FAMILIES)

# Whole words that are names.
_PRISM = KnownMetric("Prism", True, decimals=4, citation="2020.emnlp-main.8")
_WORDS = {
    "cesa": _BY_PEOPLE._replace(name="cESA"),
    "da": KnownMetric("DA", True, needs_reference=False),  # 0 to 100, or standardized
    "errors": KnownMetric("errors", False, low=0.0),
    "esa": _BY_PEOPLE._replace(name="ESA", citation="2024.wmt-1.131"),
    "hter": KnownMetric("HTER", False, low=0.0),
    "kiwi": _KIWI._replace(name="CometKiwi"),
    "prism": _PRISM, "prismref": _PRISM, "prismsrc": _PRISM._replace(needs_reference=False),
    "sqm": _BY_PEOPLE._replace(name="SQM"),
    "unite": _FREE._replace(name="UniTE", citation="2022.acl-long.558"),
}  # fmt: skip
# Names of ours in other programs that contain the name of another of ours.
_ALSO = {"googlebleu": "GLEU"}
# They say only which version or model it is.
_VERSIONS = {
    "all", "base", "bfloat", "cmda", "da", "ensemble", "f", "flores", "google", "gpt", "hybrid", "judge", "large",
    "mini", "noref", "p", "qe", "ref", "refa", "refb", "refc", "src", "unbabel", "v", "wmt", "xl", "xxl",
}  # fmt: skip
# What mt-metrics-eval adds to a name: the reference that was used, and marks of who took part.
_ADDED = r"(\[noref\]|[-.](ref[a-z](\.ref[a-z])*|src|all|synthetic_ref|postedit[a-z])|[*_])+$"


def known(name: str, model: str | None = None) -> KnownMetric | None:
    """Give what is known of a metric by its name, or its model's; None if a word of it may mean anything.

    A model that is not known leaves what is known of its family, without a curve.

    >>> known("COMET-refB").name, known("COMET", "my/comet").curve, known("GEMBA-MQM[noref]").shown_range
    ('COMET22', None, '0 and below')
    """
    if model is not None:
        family = known(name)
        return known(model) or (family and family._replace(curve=None))
    plain = re.sub(_ADDED, "", name.strip().lower())
    plain = re.sub(r"[^\w+]+|_+", "-", re.sub("^(unbabel|google)/", "", plain)).strip("-")
    exact = next((one for one in MODELS if re.fullmatch(one.alias, plain)), None)
    return exact or _ours(plain) or _of_words(plain)


def direction(name: str, scores: Iterable[float], model: str | None = None) -> bool | None:
    """Tell whether higher scores are better; None if the name does not tell, as it has words that mean anything.

    Collections such as WMT's store all scores so that higher is better, and MetricX as negative numbers: the sign
    decides. Raises OptionError if scores that should have one sign have both.

    >>> direction("MetricX-24", [2.0, 6.5]), direction("wmt22-comet-da", [0.8]), direction("ESA_time", [12.0])
    (False, True, None)
    """
    found = known(name, model)
    return None if found is None else found._replace(name=name).is_higher_better(scores)


def _ours(name: str) -> KnownMetric | None:
    """A metric of ours, whose class knows."""
    key = VARIANTS[name][0] if name in VARIANTS else _ALSO.get(_letters(name), name.upper().replace("-", ""))
    kind = METRICS.get("BLEU" if key in ("SPBLEU", "SACREBLEU") else key)
    if kind is None:
        return None
    return KnownMetric(kind.label, kind.higher_is_better, low=0.0, high=100.0 if kind.higher_is_better else math.inf)


def _of_words(name: str) -> KnownMetric | None:
    """Ask each word of a name; all of them must be known, and agree."""
    words = re.findall("[a-z]+", name)
    found = [_of_word(word) for word in words if word not in _VERSIONS] or [_of_word(word) for word in words[:1]]
    several = [one for one in found if one is not None]
    if not found or len(several) < len(found) or len({one.higher for one in several}) > 1:
        return None
    chosen = next((one for one in several if one.is_penalty), several[-1])  # GEMBA-MQM gives penalties
    return chosen._replace(needs_reference=chosen.needs_reference and not {"qe", "src", "noref"} & set(words))


def _of_word(word: str) -> KnownMetric | None:
    families = (one for one in FAMILIES if one.name.lower() in word)
    return _WORDS.get(word) or _ours(word) or next(families, None)


def other_metric(name: str, metric: Metric[Any]) -> str | None:
    """The metric that a name promises although another one counted; None if the name is sound, or only a label.

    >>> from truebleu.metrics import CHRF
    >>> [other_metric(name, CHRF(word_order=2)) for name in ("chrF++", "lowercase", "spBLEU", "wmt22-comet-da")]
    [None, None, 'BLEU', 'COMET']
    """
    own = {_letters(one) for one in (metric.name, metric.label, type(metric).__name__)}
    own |= {_letters(key) for key in METRICS if isinstance(metric, METRICS[key])}  # ROUGE-1 is a ROUGE
    own |= {letters for letters, key in _ALSO.items() if isinstance(metric, METRICS[key])}
    names = {_letters(other): other for other in (*METRICS, *OF_OTHERS)} | _ALSO | dict.fromkeys(own, "")
    first, rest = _letters(re.split(r"[\W_]", name.strip())[0]), _letters(name)
    for letters in sorted(names, key=len, reverse=True):
        # A short name is a part of many words, so that only the beginning counts.
        if (letters in rest) if len(letters) > 3 else (letters == first):
            if letters not in own:
                return names[letters]
            rest = rest.replace(letters, " ")
    return None


def is_of_others(name: str) -> bool:
    """Tell whether a name is one of metrics that are not ours, whose scores may be brought from elsewhere.

    >>> [is_of_others(name) for name in ("xcomet-xl", "bert_score", "unite", "united", "bleu")]
    [True, True, True, False, False]
    """
    letters, words = _letters(name[:40]), re.findall(r"[a-z]+", name.lower())
    return any(_letters(family) in letters for family in OF_OTHERS) or any(word in _WORDS for word in words)


def _letters(name: str) -> str:
    return re.sub(r"[\W_]", "", name).casefold()
