"""A number as it was printed: its digits say how exactly it is known.

A target is text. `46.23` is any score that Python writes so with two decimals, or that a program cuts off there. A
whole line of output is read as well; then lengths, precisions and the brevity penalty must fit too.

>>> parse_target("BLEU = 41.69, 69.0/54.0/39.5/27.0 (BP=0.933, ratio=0.935, hyp_len=58, ref_len=62)").parts["bp"]
'0.933'
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import ROUND_DOWN, Decimal
from typing import Any, NamedTuple

from truebleu._inputs import brief, check_text
from truebleu.errors import OptionError
from truebleu.reconciliation.family import FAMILIES, names

_NUMBER = r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?"
_AFTER_NAME = rf"[\w+.-]*(?:\|[^\s=]*)?(?: score)?\s*[=:]?\s*({_NUMBER})"
_JSON_NAME, _JSON_SCORE = re.compile(r'"name":\s*"(\w+)'), re.compile(rf'"score":\s*({_NUMBER})')
_BARE = re.compile(rf"(?:tensor\()?\s*({_NUMBER})\s*%?\s*(?:,[^)]*)?\)?")
_PARTS = {
    "bp": re.compile(rf'"?\bBP"?\s*[=:]\s*({_NUMBER})', re.I),
    "ratio": re.compile(rf"\bratio\s*=\s*({_NUMBER})"),
    "sys_len": re.compile(r"\b(?:hyp_len|syslen|sys_len)\s*=\s*(\d+)"),
    "ref_len": re.compile(r"\b(?:ref_len|reflen)\s*=\s*(\d+)"),
}
# How multi-bleu.perl writes; sacreBLEU has spaces around the signs and no commas.
_MULTI_BLEU = re.compile(r"\bBLEU = [\d.]+, [\d./]+ \(BP=[\d.]+, ratio=[\d.]+, hyp_len=\d+, ref_len=\d+\)")
_PRECISIONS = re.compile(r"(?<![\d.])\d+(?:\.\d+)?(?:/\d+(?:\.\d+)?){1,8}")
_MOST_DECIMALS = 15
_LONGEST = 10_000  # characters: to look for names in a text takes quadratic time


class Fit(NamedTuple):
    """How a score becomes the target: on which scale, and whether it is cut off instead of rounded."""

    scale: float  # 1 for 0 to 100, 100 for 0 to 1
    is_truncated: bool
    is_complement: bool = False  # one minus an error rate


class Target(NamedTuple):
    """The printed number or line."""

    text: str
    number: str
    metric: str | None  # where the text names it
    parts: Mapping[str, str]

    @property
    def tool(self) -> str | None:
        """The tool whose form the text has, where a form is one tool's own."""
        return "multi-bleu" if _MULTI_BLEU.search(self.text) else None

    @property
    def decimals(self) -> int:
        """How many digits are behind the point."""
        return max(0, -int(Decimal(self.number).as_tuple().exponent))

    @property
    def scales(self) -> tuple[float, ...]:
        """What a score from 0 to 100 may have been divided by."""
        return (100.0, 1.0) if Decimal(self.number) <= 1 and self.decimals >= 2 else (1.0,)

    @property
    def width(self) -> float:
        """How wide the interval of scores is that give this text, in points from 0 to 100."""
        return self.scales[0] * 10.0**-self.decimals

    @property
    def points(self) -> float:
        """The target from 0 to 100."""
        return self.scales[0] * float(self.number)

    def fit(self, score: float, metric: str = "bleu") -> Fit | None:
        """Tell how a score gives the target, or None if it does not."""
        goal, decimals = Decimal(self.number), self.decimals
        for scale in self.scales:
            for value, is_complement in ((score, False), *((100 - score, True),) * _is_error(metric)):
                # Far from it, which is nearly always so, nothing need be written.
                if not abs(value / scale - float(goal)) <= 1.1 * 10.0**-decimals:
                    continue
                if Decimal(f"{value / scale:.{decimals}f}") == goal:
                    return Fit(scale, False, is_complement)
                if Decimal(repr(value / scale)).quantize(Decimal(1).scaleb(-decimals), ROUND_DOWN) == goal:
                    return Fit(scale, True, is_complement)
        return None

    def fits_parts(self, parts: Mapping[str, Any] | None) -> bool:
        """Tell whether lengths, precisions and penalty are what the line shows."""
        if not self.parts:
            return True
        if parts is None:
            return False
        ratio = parts["sys_len"] / parts["ref_len"] if parts["ref_len"] else 0.0
        found = {**parts, "ratio": ratio}
        for name in ("bp", "ratio", "sys_len", "ref_len"):
            if name in self.parts and not _prints(found[name], self.parts[name]):
                return False
        shown = self.parts["precisions"].split("/") if "precisions" in self.parts else []
        return all(_prints(*pair) for pair in zip(found["precisions"], shown, strict=False))


def parse_target(text: str) -> Target:
    """Read a number, or a line that a program wrote."""
    given = check_text("reconcile: target", text, "the number as it was printed, as text: '46.23'").strip()
    metric, number = _found_in(given) if len(given) <= _LONGEST else (None, None)
    if number is None or len(number) > 40:
        raise OptionError(
            f"reconcile: target is {brief(text)}, expected a number such as '46.23', or a line of output that has one"
        )
    number = number.rstrip(".")
    family = _family(metric) if metric else None
    target = Target(given, number, family, _parts(given))
    if target.decimals > _MOST_DECIMALS:
        rounded = str(round(Decimal(number), _MOST_DECIMALS - 2))
        target = target._replace(number=rounded)
    if family is None and 101 < target.points <= 1000:  # only an error rate goes beyond 100
        target = target._replace(metric=next(metric for metric in FAMILIES if _is_error(metric)))
    if not 0 <= target.points <= (10_000 if target.metric and _is_error(target.metric) else 101):
        raise OptionError(
            f"reconcile: target is {number}, which {names('and')} cannot give: expected a score from 0 to 100, or "
            "from 0 to 1, of TER up to 1000. Learned metrics such as COMET are means of segment scores, and have no "
            "settings to find"
        )
    return target


def _found_in(text: str) -> tuple[str | None, str | None]:
    """The name of a metric, if there is one, and its number."""
    if found := _BARE.fullmatch(text):
        return None, found[1]
    if (name := _JSON_NAME.search(text)) and (score := _JSON_SCORE.search(text)):
        return name[1], score[1]
    known = "|".join(family.metric.label for family in FAMILIES.values())
    found = re.search(rf"\b({known}){_AFTER_NAME}", text, re.I)
    return (found[1], found[2]) if found else (None, None)


def _family(name: str) -> str:
    for metric, family in FAMILIES.items():
        if name.lower().startswith(family.metric.label.lower()):
            return metric
    raise OptionError(f"reconcile: target is a score of {brief(name)}, expected {names('or')}")


def _is_error(metric: str) -> bool:
    return not FAMILIES[metric].metric.higher_is_better


def _parts(text: str) -> dict[str, str]:
    found = {name: match[1] for name, pattern in _PARTS.items() if (match := pattern.search(text))}
    # The precisions stand before the penalty; elsewhere, 10/12 may be a date.
    if ("bp" in found or "sys_len" in found) and (precisions := _PRECISIONS.search(text)):
        found["precisions"] = precisions[0]
    return found


def _prints(value: float, shown: str) -> bool:
    decimals = max(0, -int(Decimal(shown).as_tuple().exponent))
    return Decimal(f"{value:.{decimals}f}") == Decimal(shown)
