"""The numbers of a text, and whether another text has them too: in digits of any script, grouped or not, in any locale.

A number may have several readings: "1.234" is 1234 or 1.234. It is met if the other text has one of them. Small
numbers are written as words in most languages and are not checked; neither are parts of names ("COVID-19").
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Callable, Iterable
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

from truebleu._inputs import brief
from truebleu.errors import OptionError

SMALLEST = 13  # smaller numbers are often words
_LONGEST = 30  # longer runs of digits are codes


class WrittenNumber(NamedTuple):
    """A number as it is written, its readings, and further values that another text may have instead."""

    text: str
    readings: frozenset[Decimal]
    instead: frozenset[Decimal] = frozenset()


class TextNumbers(NamedTuple):
    """The numbers of a text that are checked, and all values that it has in any form."""

    checked: tuple[WrittenNumber, ...]
    values: frozenset[Decimal]
    text: str = ""
    foreign: tuple[str, ...] = ()  # numbers as another locale writes them

    def meets(self, number: WrittenNumber, either: TextNumbers) -> bool:
        """Tell whether this text has a number; where the texts have measures, a converted one counts."""
        if self.values & number.readings or self.values & number.instead:
            return True
        return (_has_measure(self.text) or _has_measure(either.text)) and any(
            _converts(one, self.values) for one in number.readings
        )


NOTHING = TextNumbers((), frozenset())

HAS_DIGIT = re.compile(r"\d|t(?:y|een)\b|百分|[〇零一二三四五六七八九十百千万萬亿億兆两]{2}|[一二三四五六七八九][割成]")
_TOKEN = re.compile(r"\d+(?:[.,'’]\d+|(?<![.,'’]\d)(?: \d{3}(?!\d)))*+")
_NARROW = re.compile("(?<=\\d)[\u00a0\u202f\u2009](?=\\d{3}(?!\\d))")
_DATE = re.compile(
    r"(?<![\d.,/-])(?:(\d{4})([./-])\d{1,2}\2\d{1,2}|\d{1,2}([./-]) ?\d{1,2}\3 ?(\d{4}|\d{2}))(?![\d/-])"
)
_DAY = re.compile(r"(?<![\d.,])\d{1,2}\.(?:0[1-9]|1[0-2])\.(?![\d.])")  # without a year
_SPACED = re.compile(r"(?<!\d)(\d++)(?: , ?|, )(?=(\d++))")
_TIME = re.compile(
    r"(?<![\d.:])(\d{1,2})(?:: ?(\d{2})(?::\d{2})?(?![\d:])| ?[点點時时] ?(?:(\d{1,2}) ?分|半)|"
    r" (?:час|год)\w{0,3} (\d{1,2}) (?:мин|хв))"
)
_SMALL = re.compile(r"\d|1[0-2]")
_IN_WORDS = re.compile(r"\d{1,2}|[012]?\d\.[0-5]\d|[1-9]\d?(?:[.,' ]?0{2,3}){1,3}")
_MYRIADS = re.compile(r"\d[\d.,]{0,20} ?[多余餘几幾数數]?(?:[十千万萬亿億兆]|百(?!分))[\d.,十百千万萬亿億兆多余]{0,30}")
_HAN = re.compile("[〇零一二三四五六七八九十百千万萬亿億兆两]{2,30}")
_TENTHS = re.compile(r"([\d一二三四五六七八九])[割成]")
# A sentence in English does not begin with digits.
_ONES, _TEENS, _TENS = (
    "one two three four five six seven eight nine", "thirteen fourteen fifteen sixteen seventeen eighteen nineteen",
    "twenty thirty forty fifty sixty seventy eighty ninety",
)  # fmt: skip
_IN_ENGLISH = {
    word: step * at
    for words, first, step in ((_ONES, 1, 1), (_TEENS, 13, 1), (_TENS, 2, 10))
    for at, word in enumerate(words.split(), first)
}
_ENGLISH = re.compile(
    rf"\b(?:({_TENS.replace(' ', '|')})(?:[- ]({_ONES.replace(' ', '|')}))?|({_TEENS.replace(' ', '|')}))\b"
)
_CURRENCY = re.compile(r"(?:USD?|EUR|RMB|CNY|JPY|GBP|CHF|CZK|UAH|RUB|PLN|HKD?|NTD?|KRW|INR|AUD?|CAD?|Rs|Kč|A|C|R)\Z")
_ALWAYS = frozenset(map(Decimal, (24, 365)))  # "24/7", "all year round"
_SCALES = (
    (3, r"אלף|thousand|thsd|tausend|mille|mil\b|tis|тис|тыс|k\b|хиляд|tisíc|tys|duizend|tusen|ezer"),
    (6, r"מיליון|million|mio\b|mln|млн|мільй|милли|mili[oó]n|milh|milion|miljoen|miljon|m\b|millió"),
    (9, r"מיליארד|billion|bn\b|b\b|mrd|milliard|млрд|мільярд|миллиард|miliard|miljard|mld"),
    (12, r"trillion|trn\b|billion|bio\b|трлн|bilion|biliard"),
)
_SCALE = [(10**power, re.compile(rf"[ -]?(?:{words})", re.IGNORECASE)) for power, words in _SCALES]
_LAKH = re.compile(r" ?(lakh|crore)", re.IGNORECASE)
# The decimal point and the mark between groups, by languages and countries.
_LOCALES = {
    ".,": "en in zh ja ko he th hi ms",
    ",.": "de at es it nl pt br tr id da el hr sl ro sr vi is",
    ", ": "fr cs pl ru uk sv fi nb no bg hu sk et lv lt be za",
    ".'": "ch",
}
_KNOWN_LOCALES = " ".join(_LOCALES.values()).split()
_CLOCK = re.compile(r"[012]?\d\.[0-5]\d")
_HAN_DIGITS = {**{c: at for at, c in enumerate("〇一二三四五六七八九")}, "零": 0, "两": 2}
_HAN_UNITS = {"十": 10, "百": 100, "千": 1000, "万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8, "兆": 10**12}
_MEASURE = re.compile(
    r"\d ?-?(?:kg|lbs?|km|mi|m|ft|in|cm|mm|l|gal|oz|g|mph|[°º][CF]?|℃|℉|'|\")(?!\w)|pound|mile|feet|foot|inch|gallon|"
    r"yard|ヤード|码|ярд|ounce|acre|kilo|[Mm]et[er]|Meile|Fuß|Zoll|Pfund|градус|фут|дюйм|миль|кг|км|"
    r"英里|英尺|英寸|磅|公斤|公里|フィート|マイル|インチ|ポンド|キロ|摂氏|华氏|摄氏"
)
_FACTORS = [
    Decimal(one)
    for one in ("2.20462", "1.60934", "3.28084", "2.54", "3.78541", "28.3495", "0.404686", "0.3048", "25.4", "0.9144")
]


def number_marks(locale: str) -> tuple[str, str] | None:
    """Give the decimal point and the mark between groups of a locale; None for no locale.

    >>> number_marks("de"), number_marks("fr"), number_marks("")
    ((',', '.'), (',', ' '), None)
    """
    for marks, names in _LOCALES.items() if isinstance(locale, str) else ():
        if not locale:
            return None
        if locale in names.split():
            return marks[0], marks[1]
    raise OptionError(f"numbers is {brief(locale)}, expected a locale: {', '.join(sorted(_KNOWN_LOCALES))}")


def numbers_of(text: str, marks: tuple[str, str] | None = None) -> TextNumbers:
    """Read the numbers of a text, in a locale if its marks are given.

    >>> values = numbers_of("1.234,5 of 66万3000, ٣٥ and 三十五万").values
    >>> values >= {Decimal(one) for one in ("1234.5", "663000", "35", "350000")}
    True
    """
    if not HAS_DIGIT.search(text):
        return NOTHING
    text = _NARROW.sub("'", text)
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text.replace("٫", ".").replace("٬", ","))
        text = re.sub(r"[^\D0-9]", lambda match: str(unicodedata.digit(match[0], 0)), text)
    values: set[Decimal] = set()
    checked: list[WrittenNumber] = []
    plain = list(text)
    _read_dates(text, plain, values, checked)
    _read_han(text, plain, values, checked)
    rest = "".join(plain)
    # COVID-19 is the disease of 2019.
    if "COVID" in rest.upper():
        values.add(Decimal(2019))
    small = rest.lower()
    for words in _ENGLISH.findall(small) if "ty" in small or "teen" in small else ():
        values.add(Decimal(sum(_IN_ENGLISH.get(word, 0) for word in words)))
    # "8, 10" may be written as "8,10".
    values.update(*(readings_of(f"{match[1]},{match[2]}") for match in _SPACED.finditer(rest)))
    foreign = []
    for match in _TOKEN.finditer(rest):
        token, is_name = match[0], _is_name(rest, match.start())
        if marks and not (is_name or readings_of(token, marks) or _CLOCK.fullmatch(token)):
            foreign.append(token)
        # Each run of digits counts by itself too, and so do parts that spaces join.
        runs = [Decimal(run) if len(run) <= _LONGEST else None for run in re.findall(r"\d+", token)]
        values.update(run for run in runs if run is not None)
        for part in {token, *token.split(" ")}:
            values.update(readings_of(part, marks) or readings_of(part))
        found = readings_of(token, marks) or readings_of(token) or {run for run in runs[-1:] if run is not None}
        scaled = _scaled(rest, match.end(), found)
        values |= scaled
        years = {one % 100 for one in found if 1900 <= one <= 2100 and one == one.to_integral_value()}
        values |= years
        if found and not is_name:
            is_small = all(one < SMALLEST for one in found) and not scaled and not re.search(r"[.,'’ ]", token)
            if not is_small and not found & _ALWAYS:
                checked.append(WrittenNumber(token, frozenset(scaled or found), frozenset(found | years)))
    return TextNumbers(tuple(checked), frozenset(values), text, tuple(foreign))


def readings_of(token: str, locale_marks: tuple[str, str] | None = None) -> set[Decimal]:
    """Give the values that a written number can have, in any locale or in that of some marks.

    >>> sorted(readings_of("1.234")), readings_of("12.75"), readings_of("1.234,5"), readings_of("12,34,567")
    ([Decimal('1.234'), Decimal('1234')], {Decimal('12.75')}, {Decimal('1234.5')}, {Decimal('1234567')})
    """
    if len(token) > _LONGEST:
        return set()
    runs, marks = re.split(r"[.,'’ ]", token), re.findall(r"[.,'’ ]", token)
    if not marks:
        return {Decimal(token)}
    found = set()
    decimals, groups = locale_marks or (".,", ".,'’ ")
    if _is_grouped(runs, marks) and marks[0] in f"{groups}'’":
        found.add(Decimal("".join(runs)))
    before = marks[:-1]
    if (
        marks[-1] in decimals
        and (not before or before[0] in f"{groups}'’")
        and (not before or (marks[-1] not in before and _is_grouped(runs[:-1], before)))
    ):
        found.add(Decimal("".join(runs[:-1]) + "." + runs[-1]))
    return found


def lost_and_added(
    source: TextNumbers, output: TextNumbers, references: Iterable[TextNumbers], is_definite: bool = False
) -> tuple[list[WrittenNumber], list[WrittenNumber]]:
    """Compare the numbers of a segment: those that source and references have, and those that none of them has.

    If references and output have definite readings, the source has those of its readings that all references have.
    """
    others = list(references)
    checked = [_agreed(one, others) for one in source.checked] if is_definite else source.checked
    lost = [
        one for one in checked
        if not output.meets(one, source) and all(other.meets(one, source) for other in others)
    ]  # fmt: skip
    added = [
        one for one in output.checked
        if not source.meets(one, output) and not any(other.meets(one, output) for other in others)
    ]  # fmt: skip
    if not lost or not added:
        # Small ones with a scale may be words too: "four thousand".
        lost, added = ([one for one in side if not _SMALL.fullmatch(one.text)] for side in (lost, added))
    if not lost:
        # A number that the source has in words was not added: "half past seven" may become 19.30, "two hundred" 200.
        added = [one for one in added if source.values or not _IN_WORDS.fullmatch(one.text)]
    return lost, added


def _agreed(number: WrittenNumber, others: list[TextNumbers]) -> WrittenNumber:
    agreed = number.readings.intersection(*(one.values for one in others))
    return number._replace(readings=agreed, instead=number.instead - (number.readings - agreed)) if agreed else number


@lru_cache(maxsize=256)
def _has_measure(text: str) -> bool:
    return _MEASURE.search(text) is not None


def _is_grouped(runs: list[str], marks: list[str]) -> bool:
    if len(set(marks)) > 1 or runs[0].startswith("0"):
        return False
    if len(runs[0]) <= 3 and all(len(run) == 3 for run in runs[1:]):
        return True
    is_indian = len(runs) > 2 and marks[0] == "," and len(runs[0]) <= 2
    return is_indian and len(runs[-1]) == 3 and all(len(run) == 2 for run in runs[1:-1])


def _is_name(text: str, start: int) -> bool:
    """Whether a number belongs to the letters before it, as in "COVID-19" and "mp3", but not in "RMB15"."""
    before = text[max(0, start - 1) : start]
    hyphen = before in ("-", "‑", "–") and start > 1
    letter = text[start - 2] if hyphen else before
    joins = letter.isalpha() and (letter < "\u0e00" or "\u1e00" <= letter < "\u2000")
    return joins and (hyphen or not _CURRENCY.search(text[max(0, start - 4) : start]))


def _scaled(text: str, end: int, found: set[Decimal]) -> set[Decimal]:
    scaled = {one * power for power, words in _SCALE if words.match(text, end) for one in found}
    if lakh := _LAKH.match(text, end):
        scaled |= {one * (10**5 if lakh[1].lower() == "lakh" else 10**7) for one in found}
    return scaled


def _read_dates(text: str, plain: list[str], values: set[Decimal], checked: list[WrittenNumber]) -> None:
    """Take dates and times out: days and months may be names, and hours are counted to 12 or to 24."""
    for match in _DATE.finditer(text):
        runs = [Decimal(run) for run in re.findall(r"\d+", match[0])]
        year = Decimal(match[1] or match[4])
        values.update(runs, {year % 100}, readings_of(match[0]) if "." in match[0] and " " not in match[0] else ())
        if year >= 1000:
            checked.append(WrittenNumber(str(year), frozenset([year]), frozenset([year % 100])))
        plain[match.start() : match.end()] = "\x1a" * len(match[0])
    for match in _DAY.finditer("".join(plain)):
        values.update(readings_of(match[0][:-1]), map(Decimal, match[0][:-1].split(".")))
        plain[match.start() : match.end()] = "\x1a" * len(match[0])
    for match in _TIME.finditer(text):
        half = 30 if match[0].endswith("半") else 0
        hour, minutes = Decimal(match[1]), Decimal(match[2] or match[3] or match[4] or half)
        hours = {hour, (hour + 12) % 24, hour - 12} if hour <= 24 else {hour}
        values |= {*hours, minutes, *(one + minutes / 100 for one in hours)}
        plain[match.start() : match.end()] = "\x1a" * len(match[0])


def _read_han(text: str, plain: list[str], values: set[Decimal], checked: list[WrittenNumber]) -> None:
    """Take numbers in Chinese characters out, alone or after digits."""
    if text.isascii():
        return
    for match in _MYRIADS.finditer(text):
        parts = re.findall(r"\d[\d.,]*|[十百千万萬亿億兆]", match[0])
        values.update(*(readings_of(part.rstrip(".,")) for part in parts if part not in _HAN_UNITS))
        # "3,400万" is 34 million, and "3.4万" 34,000.
        written = frozenset(_compound(parts, choose) for choose in (min, max))
        values |= written
        if "\x1a" not in plain[match.start() : match.end()]:
            checked.append(WrittenNumber(match[0], written))
            plain[match.start() : match.end()] = "\x1a" * len(match[0])
    for match in _HAN.finditer(text):
        if "\x1a" not in plain[match.start() : match.end()]:
            values.add(_han_value(match[0]))
    for match in _TENTHS.finditer(text):
        values.add(Decimal(10 * (_HAN_DIGITS[match[1]] if match[1] in _HAN_DIGITS else int(match[1]))))


def _compound(parts: list[str], choose: Callable[..., Decimal]) -> Decimal:
    """The value of digits and units such as 1億9990万742; of several readings of digits one is chosen."""
    total, section, last = Decimal(0), Decimal(0), Decimal(0)
    for part in parts:
        if part not in _HAN_UNITS:
            last = choose(readings_of(part.rstrip(".,")), default=Decimal(0))
        elif _HAN_UNITS[part] < 10**4:
            section, last = section + (last or 1) * _HAN_UNITS[part], Decimal(0)
        else:
            total, section, last = total + (section + last) * _HAN_UNITS[part], Decimal(0), Decimal(0)
    return total + section + last


def _han_value(text: str) -> Decimal:
    if not any(one in _HAN_UNITS for one in text):
        return Decimal("".join(str(_HAN_DIGITS[one]) for one in text))
    total, section, last = 0, 0, 0
    for one in text:
        unit = _HAN_UNITS.get(one, 0)
        if not unit:
            last = _HAN_DIGITS[one]
        elif unit < 10**4:
            section, last = section + (last or 1) * unit, 0
        else:
            total, section, last = total + (section + last or 1) * unit, 0, 0
    return Decimal(total + section + last)


def _converts(value: Decimal, values: frozenset[Decimal]) -> bool:
    """Whether one of some values is this one in another measure, to 2 %."""
    wanted = [value * factor for factor in _FACTORS] + [value / factor for factor in _FACTORS]
    wanted += [value * 9 / 5 + 32, (value - 32) * 5 / 9]
    known = _in_order(values)
    nearest = ((want, bisect_left(known, want - abs(want) / 50)) for want in wanted)
    return any(at < len(known) and known[at] <= want + abs(want) / 50 for want, at in nearest)


@lru_cache(maxsize=4)
def _in_order(values: frozenset[Decimal]) -> list[Decimal]:
    return sorted(values)
