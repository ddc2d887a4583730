"""Every exception of the integrity checks keeps texts from being named that would be named without it."""

import re
from collections.abc import Callable
from typing import Any

import pytest

import truebleu
from truebleu import demo
from truebleu.doctor import numbers
from truebleu.doctor.explain import EXPLAINS, FoundFault, explain
from truebleu.doctor.kept import units_of
from truebleu.doctor.numbers import lost_and_added, numbers_of
from truebleu.doctor.rule import Fault
from truebleu.doctor.rules import RULES

NEVER = re.compile(r"(?!)")
GERMAN = demo.load("en-de")
SOME = range(0, 240, 20)


def changed(source: str, output: str, reference: str) -> list[str]:
    """The numbers that an output lost or has too many."""
    sides = lost_and_added(numbers_of(source), numbers_of(output), [numbers_of(reference)])
    return [one.text for side in sides for one in side]


NUMBERS: list[tuple[str, Any, str, str, str]] = [
    # exception, what there is without it, source, output, reference
    ("_NARROW", NEVER, "100 and 200,300", "100 200\u202f300", "100, 200,300"),
    ("_DATE", NEVER, "15/10/2022", "October 2022", "15/10/2022"),
    ("_DAY", NEVER, "am 25.04.", "on April 25", "25.04."),
    ("_SPACED", NEVER, "13, 25", "13,25", "x"),
    ("_TIME", NEVER, "at 19:30", "at 7.30", "19:30"),
    ("_ALWAYS", frozenset(), "24 hours, 365 days", "immer", "24, 365"),
    ("_SCALE", [], "34 million", "34000000", "34 million"),
    ("_LAKH", NEVER, "34 lakh", "3400000", "34 lakh"),
    ("_MYRIADS", NEVER, "663,000", "66万3000", "663,000"),
    ("_HAN", NEVER, "350,000", "三十五万", "350,000"),
    ("_TENTHS", NEVER, "80 percent", "八成", "80"),
    ("_ENGLISH", NEVER, "13 ships", "Thirteen ships", "13"),
    ("_FACTORS", [], "30 miles", "48 km", "30 miles"),
    ("_MEASURE", NEVER, "30 miles", "48 km", "30 miles"),
    ("_IN_WORDS", NEVER, "two hundred", "200 Boote", "x"),
    ("_SMALL", NEVER, "4 тыс. военных", "many", "4000"),
    ("SMALLEST", 0, "7 boats", "9 Boote", "7 Boote"),
    ("_is_name", lambda text, start: False, "COVID-19, B-52 and mp3", "Covid", "COVID-19, B-52, mp3"),
    ("_LONGEST", 99, "1" * 31, "x", "1" * 31),
    ("_is_grouped", lambda runs, marks: False, "1,234,567", "1234567", "1,234,567"),
]  # fmt: skip


@pytest.mark.parametrize(("exception", "without", "source", "output", "reference"), NUMBERS)
def test_a_number_is_named_only_without_its_exception(
    exception: str, without: Any, source: str, output: str, reference: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    numbers._has_measure.cache_clear()
    assert [] == changed(source, output, reference)
    monkeypatch.setattr(numbers, exception, without)
    numbers._has_measure.cache_clear()
    assert changed(source, output, reference)
    numbers._has_measure.cache_clear()


def test_letters_before_a_number_make_a_name_unless_they_are_a_currency() -> None:
    assert ["15.841"] == changed("RMB15.841", "x", "15.841") and [] == changed("XYZ15.841", "x", "15.841")


@pytest.mark.parametrize(
    ("source", "output", "reference", "found"),
    [
        ("1998", "98", "1998", []), ("1398", "98", "1398", ["1398", "98"]),  # years
        ("12,34,567", "1234567", "12,34,567", []), ("12,345,67", "1234567", "12,345,67", ["12,345,67", "1234567"]),
        ("0,123", "0.123", "0,123", []), ("0,123", "123", "0,123", ["0,123"]),
        ("12.75", "12,75", "12.75", []), ("12.75", "1275", "12.75", ["12.75", "1275"]),
        ("٣٥٠٬٠٠٠", "350.000", "350,000", []), ("٣٫٥", "3,5", "3.5", []), ("１９９８", "1998", "1998", []),
        ("30 miles", "50 km", "30 miles", ["30", "50"]), ("100 °F", "38 °C", "100", []),
    ],
)  # fmt: skip
def test_readings_meet_and_others_do_not(source: str, output: str, reference: str, found: list[str]) -> None:
    assert found == changed(source, output, reference)


@pytest.mark.parametrize(
    ("text", "near"),
    [
        ("a%s", "a %s"), ("%%s", "%-s"), ("%sx", "%s x"), ("%d5", "%d 5"), ("5 %d'augmentation", "5 %d augmentation"),
        ("100 % der", "100 %d er"), ("{ two words }", "{word}"), ("x{a}", "x {a}"), ("$5", "$x$"), ("50 %1", "see %1"),
        ("%1%", "%1"), ("%12$", "%12"), ("__init__", "__INIT__"), ("##", "#A_B#"), ("eBay", "getBay"),
        ("funds.So", "funds.js"), ("10.04.2022", "10.04.2022.1"), ("1.234.567", "1.234.56.7"), ("a@b", "a@b.co"),
        ("05/07/2022", "05/07/20225"), ("a < b > c", "a <b> c"), ("[x] (y)", "[x](y)"), ("★ ✓", "☀"),
        ("and/or/x", "/or/x"),
        ("1.2", "1.2.3"), ("snake_", "snake_case"), ("x#y", "x #y"), ("a@@b", "@@b@@"), ("% s", "%s"),
        ("a$x$", "a $x$"), ("funds.so", "funds.js"), ("+1 23 45", "+1 23 4567"),
    ],
)  # fmt: skip
def test_text_is_no_unit_and_what_is_nearly_the_same_is_one(text: str, near: str) -> None:
    assert [] == units_of(text) and units_of(near)


def codes(source: str | None, output: str, *references: str, checks: str = "D42") -> set[str]:
    """The codes that are found if texts end in these words, in twelve segments."""

    def ending(texts: Any, words: str) -> list[str]:
        return [f"{text} {words}" if at in SOME else text for at, text in enumerate(texts)]

    theirs = [ending(GERMAN.references["A"], one) for one in references]
    sources = None if source is None else ending(GERMAN.sources, source)
    texts = ending(GERMAN.systems["atlas"], output)
    return {one.code for one in truebleu.diagnose(texts, theirs, sources, checks=checks).findings}


@pytest.mark.parametrize(
    ("source", "same", "other"),
    [
        ("{{ x }}", "{{x}}", "{{y}}"), ("{n, number}", "{ n , number}", "{m, number}"), ("👍🏽", "👍", "👎"),
        ('<a title="x">', '<a title="y">', '<a id="x">'), ("<B>", "<b>", "<i>"), ("<b  >", "<b>", "<b/>"),
        ("https://A.org/x.", "https://a.org/x", "https://a.org/X"), ("a@B.org", "a@b.org", "A@b.org"),
        ("+49 30 123-4567", "+49301234567", "+49301234568"), ("%1$s %2$d", "%2$d %1$s", "%1$d %2$s"),
        ("%s %d", "%1$s %2$d", "%d %s"), ("[a](b)", "[c](b)", "[a](c)"), ("#today", "#heute", "heute"),
        ("{n, plural, one {x} other {y}}", "{n, plural, few {x} other {y}}", "{n, plural, one {x} andere {y}}"),
        ("{n, plural, other {# x}}", "{n, plural, =1 {x} other {# x}}", "{n, plural, one {x} other {# x}}"),
        ("{n, plural, other {x}}", "'{' {n, plural, other {x}}", "{ {n, plural, other {x}}"),
        ("5 %", "5 per cent", "5"), ("$5", "5 долларов", "5 €"), ("5 MW", "5メガワット", "5"), ("5 miles", "8 km", "5"),
        ("5 miles", "8 km", "5 km"), ("250 MB", "250 megabytes", "250 GB"),
    ],
)  # fmt: skip
def test_another_form_of_a_unit_is_the_unit_and_another_unit_is_not(source: str, same: str, other: str) -> None:
    assert not codes(source, same, source) and codes(source, other, source)


@pytest.mark.parametrize("unit", ["%s", "{name}", "<laugh/>", "https://a.org/x", "👍", "{n, plural, other {x}}"])
def test_without_sources_what_all_references_have_must_be_kept(unit: str) -> None:
    assert codes(None, "", unit) == codes(None, "", unit, unit) != set()
    assert not codes(None, "", unit, "") and not codes(None, unit, "", "") and not codes(None, unit, unit, "")


def test_without_sources_a_broken_message_is_found_and_numbers_are_not_compared() -> None:
    assert {"D421", "D427"} >= codes(None, "{n, plural, andere {x}}", "{n, plural, other {x}}") >= {"D427"}
    assert not codes(None, "4712 and 5", "4711 and 5 %")
    data = truebleu.diagnose(["a"] * 12, [["b"] * 12])
    skipped = {code for code, why in data.not_checked.items() if why == "it needs the sources"}
    assert {"D424", "D425"} == {code for code in skipped if "D421" <= code <= "D427"}


def test_an_identifier_without_a_source_may_be_a_name() -> None:
    assert "D423" in codes("getName", "x", "getName") and "D423" not in codes(None, "x", "getName")


# Which findings hide others on the same segments, and which of these only if something was added.
UNITS = "D421 D422 D423 D424 D425 D426 D427"
HIDES = [
    (codes_of.split(), hidden.split(), variant)
    for codes_of, hidden, variant in (
        ("D105 D106 D201 D202 D203 D401 D402 D403 D404 D405 D406 D407 D411", UNITS, ""),
        ("D105 D106 D201 D202 D203 D402 D403 D404 D405 D406 D411", "D420", ""),
        ("D305 D307 D308", "D421 D422 D426", ""),
        ("D306 D413", "D422", "added"),
        ("D304", "D422", ""),
        ("D416", "D304 D306 D405 D408 D410 D414 D417 D108", ""),
        ("D416 D418 D419 D408", "D421 D422 D423 D424 D426", "added"),
        ("D417", "D321 D413 D408 D414", ""),
        ("D417xml", "D306", ""),
        ("D417", "D424", "added"),
        ("D418 D419", "D408 D410 D412 D414 D415 D108 D420", ""),
        ("D427", "D421", ""),
    )
]  # fmt: skip


@pytest.mark.parametrize(
    ("code", "hidden", "variant"),
    [(a, b, variant) for ours, theirs, variant in HIDES for a in ours for b in theirs if a != b],
)
def test_a_finding_hides_another_on_its_segments_and_on_no_others(code: str, hidden: str, variant: str) -> None:
    by_code = {rule.code: rule for rule in RULES}
    code, is_of = code[:4], code[4:]
    one = FoundFault(by_code[code], Fault("", [1, 2], variant=is_of))
    other = FoundFault(by_code[hidden], Fault("", [2, 3], variant=variant))
    found, _ = explain([other, one], 9)
    assert [(code, [1, 2]), (hidden, [3])] == [(each.rule.code, list(each.fault.segments)) for each in found]
    if variant:  # what was lost stays
        lost = FoundFault(by_code[hidden], Fault("", [2, 3]))
        kept = {each.rule.code: list(each.fault.segments) for each in explain([lost, one], 9)[0]}
        assert [2, 3] == kept[hidden] or hidden in EXPLAINS[code]


@pytest.mark.parametrize("text", ["{4711}", "<b 4711>", "https://a.org/4711", "v4711.2.3", "#A4711#"])
def test_numbers_inside_other_units_are_not_numbers(text: str) -> None:
    assert not codes(f"4711 {text}", "4711", f"4711 {text}", checks="D424,D425")


KINDS = [
    # kind of damage, what it does to a message, its code
    ("keyword", lambda text: text.replace("plural", "Mehrzahl"), "D427"),
    ("case", lambda text: text.replace("other", "andere"), "D427"),
    ("brace", lambda text: text.replace("}}", "}"), "D427"),
    ("number in a case", lambda text: text.replace("#", ""), "D421"),
    ("argument translated", lambda text: text.replace("{name}", "{Name}"), "D421"),
    ("argument lost", lambda text: text.replace("{name}", ""), "D421"),
    ("printf spaced", lambda text: text.replace("%1$s", "% 1 $ s"), "D421"),
    ("select case", lambda text: text.replace("female", "weiblich"), "D421"),
    ("tag", lambda text: text.replace("<b>", ""), "D422"),
    ("address", lambda text: text.replace("example.org", "beispiel.org"), "D422"),
    ("emoji", lambda text: text.replace("🚀", ""), "D426"),
    ("number", lambda text: text.replace("4711", "4712"), "D424"),
    ("percent", lambda text: text.replace("%!", "!"), "D425"),
    ("JSON", lambda text: '{"translation": "' + text.replace('"', "'") + '"}', "D417"),
    ("thoughts", lambda text: f"<think>A label.</think>{text}", "D416"),
]  # fmt: skip
MESSAGES = {
    "keyword": "{n, plural, one {# file} other {# files}}", "argument": "{name}", "printf": "%1$s %2$s",
    "select": "{g, select, female {her} other {their}}", "tag": "<b>x</b>", "address": '<a href="https://example.org/4">x</a>',
    "emoji": "🚀", "number": "4711", "percent": "15 %!",
}  # fmt: skip


@pytest.mark.parametrize(("kind", "damage", "code"), KINDS, ids=[kind for kind, _, _ in KINDS])
@pytest.mark.parametrize("has_sources", [True, False])
def test_damage_of_a_file_of_messages_is_found(
    kind: str, damage: Callable[[str], str], code: str, has_sources: bool
) -> None:
    by_word = {
        "case": "keyword",
        "brace": "keyword",
        "number in a case": "keyword",
        "JSON": "number",
        "thoughts": "number",
    }
    message = MESSAGES[by_word.get(kind, kind.split()[0])]
    places = SOME[:3]
    sources, references, texts = (
        [f"{text} {message}" if at in places else text for at, text in enumerate(side)]
        for side in (GERMAN.sources, GERMAN.references["A"], GERMAN.systems["atlas"])
    )
    texts = [damage(text) if at in places else text for at, text in enumerate(texts)]
    report = truebleu.diagnose(texts, [references], sources if has_sources else None)
    found = {one.code: one.segments for one in report.findings if one.level != "note"}
    if code in ("D424", "D425") and not has_sources:
        assert code not in found and "it needs the sources" == report.not_checked[code]
    else:
        assert tuple(places) == found[code]
