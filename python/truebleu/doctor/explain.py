"""Which finding makes another one superfluous: text in the wrong encoding also has an odd length, script and style.

Findings are taken in one order. One is dropped, or loses segments, if an earlier one that was kept explains it on the
same segments or in the whole file. A dropped finding explains nothing, or two findings would cancel each other.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from truebleu.doctor.rule import Fault, Rule

# A code may be followed by the variant of a fault.
_ORDER = (
    "D101 D102 D106 D104 D105 D103 D109 D202 D203 D201 D204 D307 D303 D302 D305moses D416 D304 D305 "
    "D430 D417json D417xml D306 D411 D413fence D417 D418 D419 D410 D412 D415 D402 D406 D414 D405 D308 D403 D404 "
    "D420 D409 D107 D401 D502 D311 D428 D429 D310 D309 D108 D323 D321 D322 D324 D503 D407 D408 D413 D418shared "
    "D427 D421 D422 D423 D424 D425 D426 D421added D422added D423added D424added D426added D501 D301 D504 "
    "D602 D603 D608 D605 D606 D607 D604 D601 D609"
)
ORDER = tuple(_ORDER.split())

_LEN = "D407 D408 D409 D503"
_STYLE = "D311 D321 D322 D323 D324"
_FORM = "D302 D303 D304 D305 D306 D307 D308 D309 D310 D311 D321 D322 D323 D324 D108"
_CONTENT = "D401 D402 D403 D404 D405 D406 D407 D408 D409 D410 D411 D412 D413 D414 D415 D107 "
_CONTENT += "D416 D417 D418 D419 D420 D428 D429 D430"
_SAME_SEGMENTS = f"{_LEN} D108 D403 D404 D406 D414 D413 D418shared"
_UNRELATED = " ".join(code for code in f"{_LEN} {_FORM} {_CONTENT}".split() if code not in ("D307", "D303", "D302"))

_EXPLAINS = {
    "D106": f"{_LEN} {_FORM} {_CONTENT}",
    "D105": f"{_LEN} {_FORM} {_CONTENT} D201 D202 D203",
    "D202": _UNRELATED,
    "D203": f"{_UNRELATED} D204",
    "D204": "D402 D404 D406 D415 D503",
    "D201": f"{_LEN} D501 D402 D403 D404 D405 D406 D410 D411 D412 D413 D414 D415 {_FORM}",
    "D307": f"{_LEN} {_STYLE} D302 D303 D304 D305 D308 D309 D310 D108 D403 D404 D405 D406 D414",
    "D303": f"{_LEN} D302 D304 D404 D405 D413 D414",
    "D302": "D305 D321 D404 D414 D409",
    "D304": f"D405 {_LEN} D306 D414",
    "D305": "D408 D409 D404",
    "D306": "D408 D409",
    "D308": "D404",
    "D310": "D309",
    "D416": f"{_SAME_SEGMENTS} D304 D306 D321 D402 D405 D410 D411 D412 D415 D417 D418 D419 D420",
    "D417": f"{_SAME_SEGMENTS} D306 D321 D410 D424added",
    "D417json": f"{_SAME_SEGMENTS} D306 D321 D410 D415 D424added D606",
    **{code: f"{_SAME_SEGMENTS} D410 D412 D415 D420" for code in ("D418", "D419")},
    "D418shared": "D408",
    "D430": f"{_SAME_SEGMENTS} D306 D410 D417 D311",
    "D411": f"{_SAME_SEGMENTS} D410 D412 D405 D417 D418 D419",  # there is nothing to repair in a refusal
    **{code: _SAME_SEGMENTS for code in ["D412", "D413", "D413fence", "D402", "D405", "D406"]},
    "D402": f"{_SAME_SEGMENTS} D608",  # of a copy, D603 speaks
    # Words before every text also change the case of first letters.
    **{code: f"{_SAME_SEGMENTS} D311" for code in ["D410", "D414"]},
    "D415": f"{_SAME_SEGMENTS} D402",
    "D403": f"{_LEN} D404 D311",
    "D404": f"{_LEN} D311",
    "D401": f"{_LEN} D406",
    "D107": f"{_LEN} D406",
    "D409": "D407 D408 D503",
    "D104": "D501",
}
# Nothing is kept where nothing was translated, and lines in the wrong place have the units of other lines.
_UNITS = "D421 D422 D423 D424 D425 D426 D427"
_ADDED = "D421added D422added D423added D424added D426added"
_NOT_TRANSLATED = "D105 D106 D107 D201 D202 D203 D204 D302 D303 D401 D402 D403 D404 D405 D406 D407 D409 D411 D415"
_MORE = "D306 D410 D412 D413 D414 D416 D417 D417json D418 D419"
_KEEPS = {
    **{code: f"{_UNITS} D420 D418shared D428 D429" for code in _NOT_TRANSLATED.split()},
    **{code: "D421 D422 D424 D425 D426 D418shared D428 D429" for code in ("D305", "D307", "D308")},
    **{code: _ADDED for code in _MORE.split()},
    "D304": f"{_ADDED} D422",
    "D413fence": "D417",
    "D408": _ADDED,
    "D430": "D421added D422added",
    "D311": "D421 D422 D423",
    "D427": "D421 D424",
    # The numbers inside a broken address are no longer inside one.
    **{code: "D422added D423added D424added" for code in ("D421", "D422", "D423")},
}
# Where half of a file is in a wrong encoding, it also loses characters without a trace of it in their segment.
_EVERYWHERE = (("D307", "D426"),)
EXPLAINS = {
    code: frozenset(f"{_EXPLAINS.get(code, '')} {_KEEPS.get(code, '')}".split()) for code in {**_EXPLAINS, **_KEEPS}
}


class FoundFault(NamedTuple):
    """A fault and the rule that found it."""

    rule: Rule
    fault: Fault

    @property
    def repair(self) -> str | None:
        """The name of the repair that cures it."""
        return self.rule.repair if self.fault.repair is None else self.fault.repair


def explain(found: list[FoundFault], segments: int) -> tuple[list[FoundFault], dict[str, str]]:
    """Keep the findings that nothing explains; the others are given as reasons, by code."""
    few = [one for one in found if one.rule.code in ("D403", "D404") and len(one.fault.segments) < 0.3 * segments]
    if few:
        # Output that is far too short as a whole explains a few segments that seem to be of another language.
        kept, dropped = _taken([one for one in found if one not in few], segments)
        if any(one.rule.code == "D409" and one.fault.evidence.get("median", 1.0) < 0.7 for one in kept):
            return kept, {**dropped, **{one.rule.code: "explained by D409" for one in few}}
    return _taken(found, segments)


def _taken(found: list[FoundFault], segments: int) -> tuple[list[FoundFault], dict[str, str]]:
    kept: list[FoundFault] = []
    dropped: dict[str, str] = {}
    for rule, fault in sorted(found, key=_place):
        left, by = set(fault.segments), ""
        for earlier in kept:
            code = earlier.rule.code
            superfluous = EXPLAINS.get(code + earlier.fault.variant, EXPLAINS.get(code, frozenset()))
            if rule.code not in superfluous and rule.code + fault.variant not in superfluous:
                continue
            covered = earlier.fault.segments
            left.difference_update(covered)
            # Many damaged references make a wrong yardstick for all segments.
            is_of_all = not fault.segments or earlier.fault.side != "hypotheses"
            is_of_all |= (code, rule.code) in _EVERYWHERE and 2 * len(covered) >= segments
            is_whole = not covered or (is_of_all and len(covered) >= 0.2 * segments)
            if is_whole or (fault.segments and not left):
                by = earlier.rule.code
                break
        if by:
            dropped[rule.code] = f"explained by {by}"
        else:
            if len(left) < len(fault.segments):
                places = sorted(left)
                fault = fault.narrow(places) if fault.narrow else replace(fault, segments=places)
            kept.append(FoundFault(rule, fault))
    return kept, dropped


def _place(found: FoundFault) -> int:
    """The place in the order; a variant without a place of its own has that of its code, and a new code is last."""
    places = {code: at for at, code in enumerate(ORDER)}
    code = found.rule.code
    return places.get(code + found.fault.variant, places.get(code, len(ORDER)))
