"""Placeholders, markup, addresses, emoji and messages: what is found, what is text, and what the references excuse."""

import time
from collections.abc import Callable
from contextlib import suppress

import pytest

import truebleu
from truebleu import demo
from truebleu._text.style import Style
from truebleu.doctor.explain import FoundFault, explain
from truebleu.doctor.finding import Finding
from truebleu.doctor.kept import BrokenMessage, message_arguments, places_of_damaged, units_of
from truebleu.doctor.measures import measures_of
from truebleu.doctor.numbers import numbers_of
from truebleu.doctor.rule import Fault
from truebleu.doctor.rules import RULES
from truebleu.doctor.text import Examined, doctor_lines
from truebleu.doctor.unwrapping import unwrapped, without_thoughts
from truebleu.doctor.words import has_options, has_prompt
from truebleu.errors import OptionError

GERMAN = demo.load("en-de")
TEXTS, REFERENCE, SOURCES = list(GERMAN.systems["atlas"]), GERMAN.references["A"], GERMAN.sources
SOME = range(0, 240, 20)
by_code = {rule.code: rule for rule in RULES}


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("%s %1$s %-5.2lf %@ %1$@", ["%s", "%1$s", "%-5.2lf", "%@", "%1$@"]),
        ("%(name)s %{x} %<x>d", ["%(name)s", "%{x}", "%<x>d"]),
        ("{} {0} {name} {a.b[c]!r:>10}", ["{}", "{0}", "{name}", "{a.b[c]!r:>10}"]),
        ("{{ x }} {{{x}}} {{#if}} {% if x %} ${x}", ["{{x}}", "{{{x}}}", "{{#if}}", "{%ifx%}", "${x}"]),
        ("#PRS_ORG# __NAME__ %NAME% [[x]] @@x@@ <NAME>",
         ["#PRS_ORG#", "__NAME__", "%NAME%", "[[x]]", "@@x@@", "<NAME>"]),
        ("{n, plural, one {a} other {b}}", ["{n,plural"]),
        ('<a href="{url}">', ["<a href=…>", "{url}"]),
        ("<b class='x'>y</b> <laugh/>", ["<b class=x>", "</b>", "<laugh/>"]),
        ("[here](http://a.b) `code`", ["[](http://a.b)", "`code`"]),
        ("See https://a.b/c?d=1. a@b.co /usr/lib/x report.pdf v1.2.3",
         ["https://a.b/c?d=1", "a@b.co", "/usr/lib/x", "report.pdf", "v1.2.3"]),
        ("+ 49 30 1234567 @name #today foo_bar getName",
         ["+49301234567", "@name", "#today", "foo_bar", "getName"]),
        ("👍🏽 ❤️ 🇩🇪", ["👍", "❤", "🇩🇪"]),
        # Beside a unit of the same kind, what is none.
        ("eBay foo_bar", ["foo_bar"]), ("[x] (y) `z`", ["`z`"]), ("<BR> <NAME>", ["<br>", "<NAME>"]),
    ],
)  # fmt: skip
def test_units_are_found(text: str, keys: list[str]) -> None:
    assert keys == [one.key for one in units_of(text)]


@pytest.mark.parametrize(
    "text",
    ["100 % der", "5 %d'augmentation", "%%", "50%sicher", "{ prose in braces }", "$5", "eBay iPhone", "funds.So",
     "10.04.2022", "05/07/2022", "1.234.567", "a < b", "__init__", "★ ✓", "no unit"],
)  # fmt: skip
def test_text_is_no_unit(text: str) -> None:
    assert [] == units_of(text)


@pytest.mark.guard
@pytest.mark.parametrize("part", ["{", "%", "<a ", "1,1", "(", "a.", "a@", "@a.", "_a", "aA", "[", "`", "/a", "'{"])
def test_hostile_texts_take_linear_time(part: str) -> None:
    start = time.process_time()
    units_of(part * 100_000)
    with suppress(BrokenMessage):
        message_arguments(part * 100_000)
    places_of_damaged(part * 100_000, part + part)
    assert time.process_time() - start < 1


@pytest.mark.guard
@pytest.mark.parametrize("part", ["{", "%", "<a ", "1,1", "("])
@pytest.mark.parametrize(
    "read", [units_of, numbers_of, measures_of, has_prompt, has_options, unwrapped, without_thoughts]
)
def test_marks_of_units_in_great_number_take_a_fifth_of_a_second(read: Callable[[str], object], part: str) -> None:
    start = time.process_time()
    read(part * 100_000)
    assert time.process_time() - start < 0.2


@pytest.mark.guard
@pytest.mark.parametrize(
    ("source", "output"),
    [
        ("{{a{}}}", "x"), ("{{a{}}}", "{{A{}}}"), ("<a{}>", "<b{}>"), ("http://a{}", "http://b{}"), ("{}.5", "9{}.5"),
        ("{} kg", "9{} kg"), ("{{n{}, plural, other {{# x}}}}", "{{n{}, plural, other {{x}}}}"), ("%s", "%d"),
    ],
)  # fmt: skip
def test_segments_with_thousands_of_units_are_compared_in_linear_time(source: str, output: str) -> None:
    ours, theirs = (" ".join(part.format(at) for at in range(1000, 4000)) for part in (output, source))
    start = time.process_time()
    truebleu.diagnose([ours, *["a"] * 11], [[theirs, *["a"] * 11]], [theirs, *["b"] * 11], checks="D42", metrics=[])
    assert time.process_time() - start < 1.5


def test_a_text_of_nothing_but_marks_is_compared() -> None:
    for part in ("{", "%", "<a ", "1,1", "(", "\ud800", "\x00", "\u202e"):
        texts = [part * 9_000, *["a"] * 11]
        truebleu.diagnose(texts, [[f"{text}b" for text in texts]], [f"{text}c" for text in texts], checks="D41,D42,D43")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{n, plural, one {# Datei} other {# Dateien}", "does not end"),
        ("{n, Plural, one {a} other {b}}", "keyword"),
        ("{n, plural, one {a} andere {b}}", "case 'andere'"),
        ("{n, plural, one {a}}", "without the case 'other'"),
        ("a } b", "nothing opens"),
    ],
)
def test_a_broken_message_says_why(text: str, why: str) -> None:
    with pytest.raises(BrokenMessage, match=why):
        message_arguments(text)


def test_cases_of_other_languages_and_quoted_braces_are_read() -> None:
    (found,) = message_arguments("'{' {n, plural, one {#} few {#} many {#} other {{who} #}} {who}")
    assert {"one", "few", "many", "other"} == found.cases == found.with_number


def found_in(source: str, output: str, reference: str) -> dict[str, Finding]:
    """What is found if texts end in these words, in twelve segments."""
    texts, references, sources = (
        [f"{text} {words}" if at in SOME else text for at, text in enumerate(side)]
        for side, words in ((TEXTS, output), (REFERENCE, reference), (SOURCES, source))
    )
    return {one.code: one for one in truebleu.diagnose(texts, [references], sources).findings}


@pytest.mark.parametrize(
    ("source", "output", "code"),
    [
        ("%s", "", "D421"), ("%(name)s", "%(Name)s", "D421"), ("{name}", "{Namen}", "D421"),
        ("#PRS_ORG#", "#PRS_ORG #", "D421"), ("{{x}}", "", "D421"), ("<laugh/>", "<lachen/>", "D422"),
        ("`x`", "x", "D422"), ("https://a.org/x", "https://a.org/y", "D423"), ("me@a.org", "ich@a.org", "D423"),
        ("👍", "", "D426"),
        ("{n, plural, one {# x} other {# y}}", "{n, plural, eins {# x} other {# y}}", "D427"),
    ],
)  # fmt: skip
def test_what_source_and_references_keep_must_be_kept(source: str, output: str, code: str) -> None:
    finding = found_in(source, output, source)[code]
    assert tuple(SOME) == finding.segments and finding.level == "error"


@pytest.mark.parametrize("unit", ["%s", "{name}", "<laugh/>", "https://a.org/x", "me@a.org", "👍", "#today"])
def test_what_the_references_do_is_no_fault(unit: str) -> None:
    assert not found_in(unit, unit, unit).keys() & {"D421", "D422", "D423", "D426", "D427"}
    assert not found_in(unit, "", "").keys() & {"D421", "D422", "D423", "D426", "D427"}


def test_a_translated_hashtag_is_no_fault_and_a_lost_one_is() -> None:
    assert "D423" not in found_in("#today", "#heute", "#today")
    assert "D423" in found_in("#today", "", "#today")


def test_the_name_of_a_server_has_no_case_and_a_path_has_one() -> None:
    text = "www.A.org/x me@B.org"
    assert "D423" not in found_in(text, "www.a.org/x me@b.ORG", text)
    assert "D423" in found_in(text, "www.A.org/X me@B.org", text) and "D423" in found_in(
        text, "www.a.org/x Me@b.org", text
    )


def test_capitals_inside_words_that_references_change_are_no_identifiers() -> None:
    assert "D423" in found_in("getName", "x", "getName")
    sources = [f"{text} kuJulayi" if at % 2 else text for at, text in enumerate(SOURCES)]
    references = [f"{text} kuJulayi" if at % 4 == 1 else text for at, text in enumerate(REFERENCE)]
    assert "D423" not in {one.code for one in truebleu.diagnose(TEXTS, [references], sources, checks="D423").findings}


def test_a_damaged_placeholder_is_counted_as_such() -> None:
    evidence = found_in("#PRS_ORG#", "#PRS_ORG #", "#PRS_ORG#")["D421"].evidence
    assert {"lost": 0, "damaged": 12, "moved": 0, "added": 0} == evidence


@pytest.mark.parametrize(
    ("source", "output", "evidence"),
    [
        ("%s and %d", "%d and %s", {"moved": 12}),
        ("%s and %d", "%2$d and %1$s", {}),
        ("%s and %d", "%2$s and %1$d", {"moved": 12}),
        ("%1$s and %2$d", "%2$d and %1$s", {}),
        ("%1$s and %2$d", "%s and %d", {}),
        ("%1$s and %2$d", "% 1 $ s and %2$d", {"damaged": 12}),
        ("{n, plural, other {# x}}", "{n, plural, few {x} other {# x}}", {"lost": 12}),
        ("{n, plural, other {# x}}", "{n, plural, =1 {x} other {# x}}", {}),
        ("{n, plural, one {x} other {# x}}", "{n, plural, one {x} other {# x}}", {}),
        ("{g, select, male {x} other {y}}", "{g, select, mann {x} other {y}}", {"lost": 12}),
        ("{g, select, male {x} other {y}}", "{g, select, other {y} male {x}}", {}),
        ("{n, plural, other {{who} x}}", "{n, plural, few {{who} x} other {{who} x}}", {}),
    ],
)
def test_order_and_cases_of_a_message(source: str, output: str, evidence: dict[str, int]) -> None:
    finding = found_in(source, output, source).get("D421")
    assert evidence == {name: count for name, count in (finding.evidence if finding else {}).items() if count}


def test_cases_that_a_reference_does_not_have_may_be_left_out() -> None:
    source, text = "{g, select, male {x} other {y}}", "{g, select, other {y}}"
    assert "D421" not in found_in(source, text, text)
    (unit,) = {unit[2] for unit in found_in(source, text, source)["D421"].units}
    assert "male (select)" == unit


def test_an_argument_with_cases_is_shown_as_a_whole() -> None:
    units = found_in("{n, plural, other {x}}", "{m, plural, other {x}}", "{n, plural, other {x}}")["D421"].units
    assert {"{n,plural, …}", "{m,plural, …}"} == {unit[2] for unit in units}


def test_a_case_in_which_a_reference_has_no_number_needs_none() -> None:
    source, text = "{n, plural, other {# x}}", "{n, plural, one {x} other {# x}}"
    assert "D421" not in found_in(source, text, text)
    assert "D421" in found_in(source, text, source)


def test_damaged_placeholders_are_repaired_and_lost_ones_are_not_invented() -> None:
    texts = [f"{text} #PRS_ORG # ％S" if at in SOME else text for at, text in enumerate(TEXTS)]
    sides = [[f"{text} #PRS_ORG# %s {{x}}" if at in SOME else text for at, text in enumerate(side)]
             for side in (REFERENCE, SOURCES)]  # fmt: skip
    report = truebleu.diagnose(texts, [sides[0]], sides[1])
    (finding,) = (one for one in report.findings if one.code == "D421")
    assert finding.repair == "placeholders" and finding.points > 0
    assert f"{TEXTS[0]} #PRS_ORG# %s" == report.repaired("placeholders")[0]
    assert (0, "placeholder", "{x}", "lost") in finding.units and len(finding.units) == 10
    assert "line 1: {x} lost" in "\n".join(doctor_lines([Examined("", "", report, {})], Style(), "note", 3))
    assert {"segment": 1, "kind": "placeholder", "expected": "#PRS_ORG#", "found": "damaged"} in finding.to_dict()[
        "units"
    ]


def test_damaged_placeholders_are_written_as_the_source_has_them_and_messages_stay() -> None:
    source = "{% if x %} {{ y }} {n, plural, other {# z}}"
    damaged = ["{% IF x %} {{ Y }} {n, plural, other {# z}}", "{% if x %} {{ y }} ｛n, plural, other ｛# z｝｝"]
    for output, mended in zip(damaged, [source, damaged[1]], strict=True):
        texts, others = ([*TEXTS[:40], *[f"a {words}"] * 9] for words in (output, source))
        report = truebleu.diagnose(texts, [others], others, checks="D421")
        (finding,) = report.findings
        assert finding.evidence["damaged"] == 9 and finding.evidence["lost"] == finding.evidence["added"] == 0
        assert f"a {mended}" == (report.repaired("placeholders") if finding.repair else texts)[40]


@pytest.mark.parametrize(
    ("source", "output", "units"),
    [
        ("%1$s", "%2$s", {("%1$s", "lost"), ("%2$s", "added")}), ("%1$s", "%1s", {("%1$s", "lost"), ("%1s", "added")}),
        ("${user}", "$ {user}", {("${user}", "damaged")}), ("{{x}}", "{x}", {("{{x}}", "lost"), ("{x}", "added")}),
    ],
)  # fmt: skip
def test_units_are_named_as_they_are_written(source: str, output: str, units: set[tuple[str, str]]) -> None:
    assert units == {unit[2:] for unit in found_in(source, output, source)["D421"].units}


def test_which_placeholders_are_compared_can_be_chosen() -> None:
    def codes(output: str, reference: str, placeholders: str) -> set[str]:
        texts, references, sources = (
            [f"{text} {words}" if at in SOME else text for at, text in enumerate(side)]
            for side, words in ((TEXTS, output), (REFERENCE, reference), (SOURCES, "%d {x}"))
        )
        report = truebleu.diagnose(texts, [references], sources, checks="D421", placeholders=placeholders)
        return {one.code for one in report.findings}

    assert {"D421"} == codes("{x}", "%d {x}", "auto") == codes("{x}", "%d {x}", "printf") == codes("", "", "strict")
    assert set() == codes("{x}", "%d {x}", "braces,ruby") == codes("", "", "auto") == codes("%d", "{x} %d", "printf")
    assert {"D421"} == codes("", "%d {x}", "lenient") == codes("%d", "%d {x}", "lenient")
    lone = [f"{text} %d" if at in SOME else text for at, text in enumerate(SOURCES)]
    kept = [f"{text} %d" if at in SOME else text for at, text in enumerate(REFERENCE)]
    for way, found in (("auto", 1), ("lenient", 0)):
        assert found == len(truebleu.diagnose(TEXTS, [kept], lone, checks="D421", placeholders=way).findings)


@pytest.mark.parametrize("given", ["foo", "printf,foo", "", None, 3])
def test_unknown_placeholders_are_refused(given: object) -> None:
    with pytest.raises(OptionError, match=r"placeholders is .* expected auto, strict, lenient, or families"):
        truebleu.diagnose(["a"], [["a"]], placeholders=given)  # type: ignore[arg-type]


def test_segments_without_a_source_are_told() -> None:
    sources = ["" if at in SOME else text for at, text in enumerate(SOURCES)]
    report = truebleu.diagnose(TEXTS, [REFERENCE], sources)
    said = {code: why for code, why in report.not_checked.items() if "D421" <= code <= "D427"}
    assert dict.fromkeys([f"D42{number}" for number in range(1, 8)], "12 segments without a source") == said
    assert "D421" not in report.passed


def test_two_faults_of_a_segment_are_both_named() -> None:
    found = found_in("%s https://a.org 4711", "https://a.com 4712", "%s https://a.org 4711")
    assert {"D421", "D423", "D424"} <= found.keys()


def test_odd_characters_are_shown_and_break_nothing() -> None:
    found = found_in("{a} %s \ud800 \x00 \u202e", "\udfff \x00", "{a} %s \u202e")
    assert {"{a}", "%s"} <= {unit[2] for unit in found["D421"].units}


def test_an_open_brace_of_the_source_is_no_fault_of_the_output() -> None:
    assert "D427" not in found_in("{n, plural, one {a", "{n, plural, one {a", "x")


def test_without_a_reference_a_loss_is_no_error() -> None:
    blank: list[list[str | None]] = [["" if at in SOME else text for at, text in enumerate(REFERENCE)]]
    sources = [f"{text} %s" if at in SOME else text for at, text in enumerate(SOURCES)]
    found = {one.code: one.level for one in truebleu.diagnose(TEXTS, blank, sources, checks="D42").findings}
    assert {"D421": "warning"} == found


def test_one_added_unit_is_explained_where_text_was_added_and_a_lost_one_is_not() -> None:
    one, other = (FoundFault(rule, Fault("", [1], variant=variant)) for rule, variant in
                  ((by_code["D408"], ""), (by_code["D421"], "added")))  # fmt: skip
    lost = FoundFault(by_code["D421"], Fault("", [1]))
    assert [one] == explain([one, other], 9)[0] and [one, lost] == explain([one, lost], 9)[0]


def test_units_are_not_named_in_a_discreet_message() -> None:
    finding = found_in("{secret}", "", "{secret}")["D421"]
    assert "{secret}" in finding.message and "secret" not in finding.discreet
