"""Thoughts, wrappings, prompts, several versions and untranslated parts: what is found, what is text, what is cut."""

import json
import time

import pytest

import truebleu
from truebleu import demo
from truebleu.doctor.finding import Finding
from truebleu.doctor.measures import measures_of
from truebleu.doctor.numbers import number_marks, numbers_of, readings_of
from truebleu.doctor.unwrapping import unwrapped, without_thoughts
from truebleu.doctor.words import has_options, has_prompt, without_prompt
from truebleu.errors import OptionError

GERMAN = demo.load("en-de")
TEXTS, REFERENCE, SOURCES = list(GERMAN.systems["atlas"]), GERMAN.references["A"], GERMAN.sources
PLAIN = [at for at in range(240) if not set("\"'„“”‘’0123456789-/") & set(TEXTS[at] + REFERENCE[at] + SOURCES[at])]
SOME = PLAIN[::4][:12]
NEW = {f"D{number}" for number in range(416, 428)}


def found_in(change: str, other: str = "{}", has_sources: bool = True) -> dict[str, Finding]:
    """What is found if some outputs are changed, and sources and references in another way."""
    texts, references, sources = (
        [form.replace("{}", text) if at in SOME else text for at, text in enumerate(side)]
        for side, form in ((TEXTS, change), (REFERENCE, other), (SOURCES, other))
    )
    report = truebleu.diagnose(texts, [references], sources if has_sources else None)
    return {one.code: one for one in report.findings if one.level != "note"}


@pytest.mark.parametrize("has_sources", [True, False])
@pytest.mark.parametrize(
    ("change", "code", "repair"),
    [
        ("<think>The user wants German. Is it formal?</think>{}", "D416", "thinking"),
        ("<Thinking>Let me see.</Thinking>\n{}", "D416", "thinking"),
        ("[reasoning]It is a sentence.[/reasoning] {}", "D416", "thinking"),
        ("◁think▷It is a sentence.◁/think▷{}", "D416", "thinking"),
        ("<|im_start|>assistant\n{}<|im_end|>", "D416", "thinking"),
        ("<|channel|>analysis<|message|>Simple.<|end|><|channel|>final<|message|>{}", "D416", "thinking"),
        ("[INST] Translate. [/INST] {}", "D416", "thinking"),
        ("<start_of_turn>model\n{}<end_of_turn>", "D416", "thinking"),
        ("{} <think>Or was it", "D416", "thinking"),
        ('{"translation": "{}"}', "D417", "unwrap"),
        ('```json\n{"de": "{}"}\n```', "D417", "unwrap"),
        ('["{}"]', "D417", "unwrap"),
        ('{"source": "x", "Translation": "{}", "notes": "y"}', "D417", "unwrap"),
        ("<translation>{}</translation>", "D417", "unwrap"),
        ("1. {}", "D417", "unwrap"),
        ("(2) {}", "D417", "unwrap"),
        ("- {}", "D417", "unwrap"),
        ("• {}", "D417", "unwrap"),
        ("„{}“", "D417", "unwrap"),
        ('"{}"', "D417", "unwrap"),
        ("Translate the following text into German: {}", "D418", "prompt"),
        ("You are a professional translator. {}", "D418", "prompt"),
        ("{}\nEnglish: The dog sleeps.\nGerman: Der Hund schläft.", "D418", "prompt"),
        ("{}\nSource: The dog sleeps.", "D418", "prompt"),
    ],
)  # fmt: skip
def test_a_wrapping_is_found_and_cut(change: str, code: str, repair: str, has_sources: bool) -> None:
    found = found_in(change, has_sources=has_sources)
    assert {code} == found.keys() - {"D108"} and repair == found[code].repair
    assert tuple(SOME) == found[code].segments
    texts = [change.replace("{}", text) if at in SOME else text for at, text in enumerate(TEXTS)]
    assert TEXTS == truebleu.diagnose(texts, [REFERENCE], SOURCES).repaired(repair)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ("| {} | ok |", "D417"),
        ('{"a": "{}", "b": "{}"}', "D417"),
        ("Option 1: {} Option 2: {}", "D419"),
        ("{} (or: {})", "D419"),
        ("{} / {}", "D419"),
        ("{}\nOr: {}", "D419"),
    ],
)
def test_what_cannot_be_repaired_is_found_too(change: str, code: str) -> None:
    finding = found_in(change)[code]
    assert tuple(SOME) == finding.segments and finding.repair is None


@pytest.mark.parametrize(
    "form",
    ["<think>{}</think>", '{"x": "{}"}', "<text>{}</text>", "1. {}", "- {}", "„{}“", "| {} | x |",
     "Option 1: {} Option 2: {}", "Translate the following text into German: {}",
     "{} Source: Reuters", "{} (or: another one of them)"],
)  # fmt: skip
def test_what_sources_and_references_have_is_text(form: str) -> None:
    assert not found_in(form, form).keys() & NEW


@pytest.mark.parametrize(
    ("output", "other"),
    [("2) {}", "2){}"), ("1. {}", "(1) {}"), ("- {}", "– {}"), ("20. {}", "Am 20. {}"), ("„{}“", '{} "x"'),
     ("| {} | x |", "{} | x"), ("{} / {}", "{} | x"), ("- {}", "− {}"), ("- {}", "―{}"),
     ("{} (oder auch nicht)", "x"),
     ("Er sagt, dass er das von ihm / ihr gern in diesen Tagen noch hätte", "x")],
)  # fmt: skip
def test_lists_quotes_and_tables_in_another_form_are_no_fault(output: str, other: str) -> None:
    assert not {"D417", "D419"} & found_in(output, other).keys()


def test_a_part_of_the_source_is_found_and_names_are_not() -> None:
    part = "this part of the text was never translated by anybody here, and so it stays for all of us to see"
    texts, sources = (
        [f"{text} {part}" if at in SOME else text for at, text in enumerate(side)] for side in (TEXTS, SOURCES)
    )
    (finding,) = truebleu.diagnose(texts, [REFERENCE], sources, checks="D420").findings
    assert tuple(SOME) == finding.segments and part[:20] in finding.message
    kept = [f"{text} {part}" if at in SOME else text for at, text in enumerate(REFERENCE)]
    assert "D420" not in {one.code for one in truebleu.diagnose(texts, [kept], sources).findings}
    names = "Anna Berta Carla Dora Emma Frida Gerda Hanna Ida Johanna"
    texts, sources = (
        [f"{text} {names}" if at in SOME else text for at, text in enumerate(side)] for side in (TEXTS, SOURCES)
    )
    assert "D420" not in {one.code for one in truebleu.diagnose(texts, [REFERENCE], sources).findings}


def test_words_that_many_outputs_share_are_found_anywhere() -> None:
    words = "gemäß den geltenden Richtlinien unseres schönen Hauses"

    def inside(text: str) -> str:
        head, _, tail = text.partition(" ")
        return f"{head} {words} {tail}"

    texts = [inside(text) if at in SOME else text for at, text in enumerate(TEXTS)]
    finding = {one.code: one for one in truebleu.diagnose(texts, [REFERENCE], SOURCES).findings}["D418"]
    assert tuple(SOME) == finding.segments and finding.repair is None
    theirs = [inside(text) if at == SOME[0] else text for at, text in enumerate(REFERENCE)]
    assert "D418" not in {one.code for one in truebleu.diagnose(texts, [theirs], SOURCES).findings}
    # Where sources say the same, translations may.
    sources = [f"according to the rules, {text}" if at in SOME else text for at, text in enumerate(SOURCES)]
    assert "D418" not in {one.code for one in truebleu.diagnose(texts, [REFERENCE], sources).findings}


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("<think>a</think>b", "b"), ("a</think>b", "b"), ("a <think>b", "a"), ("<think>a", ""), ("a[/INST]", "a"),
        ("[INST] <<SYS>> x <</SYS>> y [/INST] z", "z"),
        ("<|im_start|>user\nx<|im_end|>\n<|im_start|>assistant\ny", "y"),
        ("<start_of_turn>user x<end_of_turn><start_of_turn>model y", "y"), ("plain", "plain"),
    ],
)  # fmt: skip
def test_thoughts_are_cut(text: str, cut: str) -> None:
    assert cut == without_thoughts(text)


def test_a_finding_says_how_many_segments_have_nothing_but_thoughts() -> None:
    texts = ["<think>I wonder" if at in SOME[:4] else text for at, text in enumerate(TEXTS)]
    finding = {one.code: one for one in truebleu.diagnose(texts, [REFERENCE]).findings}["D416"]
    assert 4 == finding.evidence["empty"] and "4 segments have nothing else" in finding.message


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        ('{"translation": "a \\"b\\"", "x": "y"}', 'a "b"'), ('{"x": "a", "y": 1}', "a"),
        ('{"x": "a", "y": "b"}', None),
        ("[1, 2]", None), ('["a", "b"]', None), ("<answer>a</answer>", "a"), ("<answer>a", None), ("{not json}", None),
        ("«a»", "a"), ("“a” and “b”", None), ("* a", "a"), ("*a*", None), ("1.5 a", None), ("* a * b", None),
    ],
)  # fmt: skip
def test_only_a_clear_translation_is_unwrapped(text: str, inside: str | None) -> None:
    assert (text if inside is None else inside) == unwrapped(text)


@pytest.mark.parametrize(
    "text",
    ["Übersetze den folgenden Text ins Deutsche: x", "Traduisez le texte suivant : x", "Traduce el siguiente texto: x",
     "请将以下文本翻译成中文：x", "次の文を日本語に翻訳してください。x", "Переведите следующий текст: x",
     "Přeložte následující text: x", "Only output the translation.", "Do not add any explanations."],
)  # fmt: skip
def test_prompts_of_many_languages_are_found(text: str) -> None:
    assert has_prompt(text)


@pytest.mark.parametrize(
    "text",
    ["She works as a translator.", "German: late again.", "He said: yes.", "Please translate.", "The source: unknown.",
     "Do not add salt.", "Wir übersetzen Texte."],
)  # fmt: skip
def test_sentences_of_people_are_no_prompts(text: str) -> None:
    assert not has_prompt(text)


def test_examples_before_the_translation_are_cut() -> None:
    assert "Das Boot." == without_prompt("English: The boat. German: Das Boot. English: The dog.")
    prompt = "Translate the following text into German: "
    assert "Öffnen" == without_prompt(f"{prompt}Open https://a.org German: Öffnen English: Close")[:6]
    assert "Das Boot." == without_prompt(f"{prompt}The boat. German: Das Boot. English: The dog.")
    assert "Das Boot." == without_prompt("Das Boot. Only output the translation.")


@pytest.mark.parametrize(
    "text", ["One or: two?", "Option 1: x", "either x or y", "Version 2.0 of it", "words (of many others there)"]
)
def test_one_version_is_not_several(text: str) -> None:
    assert not has_options(text)


NUMBERS = [
    # source, output, reference, found
    ("3643 boats", "364310 Boote", "3643 Boote", "3643 → 364310"),
    ("350,000 people", "Leute", "350.000 Leute", "350,000"),
    ("12.75", "1275", "12,75", "12.75 → 1275"),
    ("RMB15.841 billion", "x", "15,841 Milliarden", "15.841"),
    ("1,234.5", "1.234,5", "1.234,5", ""),
    ("12 345", "12\u202f345", "12.345", ""),
    ("1’234 and 1234", "1.234", "1234", ""),
    ("12,34,567", "1,234,567", "1234567", ""),
    ("350,000", "٣٥٠٬٠٠٠", "350.000", ""),
    ("350,000", "三十五万", "35万", ""),
    ("663,000", "66万3000", "663,000", ""),
    ("199,990,742", "1億9999万742", "199990742", ""),
    ("175,000", "17万5千", "175000", ""),
    ("80 percent", "8割", "八成", ""),
    ("in 2022", "二〇二二年", "2022", ""),
    ("5 million", "5 Mio.", "5.000.000", ""),
    ("5 billion", "5 Milliarden", "5 Mrd.", ""),
    ("1998", "98", "1998", ""),
    ("7 and 12", "sieben und zwölf", "7 und 12", ""),
    ("COVID-19, B-52 and mp3", "Covid", "COVID-19, B-52 und mp3", ""),
    ("10.04.2022", "April 10, 2022", "2022 in April on 10", ""),
    ("10/12/2021", "den 10. Dezember 2021", "am 10.12.2021", ""),
    ("10.04.2022", "April 10, 2023", "2022", "2022 → 2023"),
    ("24/7, 365 days", "immer", "24/7, 365 Tage", ""),
    ("at 7.30", "um 7:30", "um 7.30", ""),
    ("at 19:30", "at 7.30", "19:30", ""),
    ("100 kg", "220 lb", "100 kg", ""),
    ("350 yards out", "320 Meter", "350 Yard", ""),
    ("30 miles", "48 km", "30 miles", ""),
    ("34 million", "3,400万", "3400万", ""),
    ("30 million", "3,000 万", "3000万", ""),
    ("at 5.30pm", "下午5点30分", "5:30", ""),
    ("at 5.30pm", "下午5点半", "5:30", ""),
    ("1986-88", "1986 bis 1988", "1986–88", ""),
    ("COVID-19", "2019冠状病毒病", "x", ""),
    ("100", "10多万", "100000", ""),
    ("no digit", "Gegen 19.30 Uhr", "halb acht", ""),
    ("třicetiletá", "30-year", "x", ""),
    ("no digit", "1250 Boote", "Boote", "1250"),
    ("two hundred", "200 Boote", "zweihundert", ""),
    ("two hundred thousand", "200,000 Boote", "x", ""),
    ("on 25.04.?", "am 25. April?", "am 25.04?", ""),
    ("on 25.04. at 7", "am 26. April um 7", "am 25.04. um 7", "26"),
    ("for 11,2021", "für 11, 2021", "für 11,2021", ""),
    ("(8, 10 ,12 years)", "(8, 10,12 Jahre)", "8, 10, 12", ""),
    ("13 ships", "Thirteen ships", "13 Schiffe", ""),
    ("32 prósent", "Thirty-two percent", "32 percent", ""),
    ("4 тыс. военных", "Four thousand", "4000", ""),
    ("two billion in 2021", "2 billion in 2021", "2021", ""),
    ("1 million", "10 million", "10,000,000", ""),
    ("В 17 часов 47 минут", "At 5:47 p.m.", "5:47", ""),
    ("07.05.2022 о 21.00", "05/07/2022 at 21.00", "7.5.2022 21.00", ""),
    ("37,847 אלף", "37,847,000", "37,847 thousand", ""),
    ("12,75 metres", "1275 Meter", "12,75 Meter", "12,75 → 1275"),
]  # fmt: skip


@pytest.mark.parametrize(("source", "output", "reference", "found"), NUMBERS)
def test_numbers_are_met_in_any_form(source: str, output: str, reference: str, found: str) -> None:
    texts, references, sources = (
        [words if at in SOME else text for at, text in enumerate(side)]
        for side, words in ((TEXTS, output), (REFERENCE, reference), (SOURCES, source))
    )
    report = truebleu.diagnose(texts, [references], sources, checks="D424")
    assert [found] * bool(found) == [unit[2] for one in report.findings for unit in one.units[:1]]


@pytest.mark.parametrize(
    ("locale", "output", "found"),
    [
        ("", "12,345.5 1,234", []), ("de", "12.345,5 1.234", []), ("en", "12,345.5 1,234", []),
        ("de", "12,345.5 1.234", [("12,345.5", "another locale")]), ("de", "12.345,5 1,234", [("1,234", "lost")]),
        ("fr", "12 345,5 1\u202f234", []), ("ch", "12’345.5 1’234", []),
    ],
)  # fmt: skip
def test_a_locale_makes_readings_definite(locale: str, output: str, found: list[tuple[str, str]]) -> None:
    texts, references, sources = (
        [words if at in SOME else text for at, text in enumerate(side)]
        for side, words in ((TEXTS, output), (REFERENCE, "12345,5 1234" if locale in ("de", "fr") else "12345.5 1234"),
                            (SOURCES, "12,345.5 1,234"))
    )  # fmt: skip
    report = truebleu.diagnose(texts, [references], sources, checks="D424", numbers=locale)
    assert found == [unit[2:] for one in report.findings for unit in one.units[:1]]
    assert found == [] or report.findings[0].level == ("note" if "locale" in found[0][1] else "error")


def test_times_and_names_are_in_no_locale() -> None:
    assert () == numbers_of("um 7.30 Uhr mit v2.55", number_marks("de")).foreign
    assert ("2.75",) == numbers_of("2.75 statt 12,5", number_marks("de")).foreign[:1]


@pytest.mark.parametrize("given", ["xx", "de,en", 3])
def test_unknown_locales_are_refused(given: object) -> None:
    with pytest.raises(OptionError, match=r"numbers is .* expected a locale: at, be, bg, br"):
        truebleu.diagnose(["a"], [["a"]], numbers=given)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("source", "output", "reference", "found"),
    [
        ("5 %", "5", "5 %", "percent"), ("5 %", "5 per cent", "5 %", ""), ("5 %", "5 процентов", "5%", ""),
        ("$5", "5 €", "5 Dollar", "dollar"), ("$5", "5 долларов", "$5", ""), ("5 MW", "5メガワット", "5 MW", ""),
        ("5 miles", "8 km", "5 miles", ""), ("5 kg", "5", "5 Kilo", "kilogram"), ("5 %", "x", "fünf", ""),
        ("5 tongs", "5 x", "5トング", ""), ("35GB", "35GB的", "35GB", ""), ("5 ($EGC)", "5", "5 ($EGC)", ""),
        ("100 %", "百分之百", "100 %", ""), ("500 dollars", "五百块", "500 dollar", ""),
        ("90 kg", "200 pounds", "90 kg", ""),
        ("90 kg", "90", "90 kg", "kilogram"), ("1000 kilometers", "1000キロメートル", "1000 km", ""),
        ("137 kilometers", "137 km", "137キロメートル", ""), ("1000 километров", "1000 м", "1000 km", "kilometre"),
        ('канал "1+1"', "1+1", '"1+1"', ""), ('"4/6"', "4", '"4/6"', ""), ('16x12"', "16x12", '16x12"', "inch"),
        ("125 in 30", "125 auf 30", "125 in 30", ""), ("5 in", "5", "5 in", ""), ("a 5-in pipe", "5", "5 Zoll", "inch"),
        ("2 Fußball", "2", "2 football", ""), ("10 в Евросоюзе", "10 EU", "10 in Europe", ""),
        ("5 foot", "5", "5 Fuß", "foot"), ("15 in Кронштадт", "15", "15 Кронштадт", ""),
        ("2021年度", "2021", "2021年度", ""), ("5割完成", "50完成", "50%完成", "percent"), ("5完成", "5", "5完成", ""),
        ("28 градусов", "28 Celsius", "28 degrees", ""),
        ("in the 1990's", "1990", "1990's", ""), ("3 audio files", "3 Dateien", "3 Audiodateien", ""),
    ],
)  # fmt: skip
def test_a_sign_and_its_words_are_one_unit(source: str, output: str, reference: str, found: str) -> None:
    texts, references, sources = (
        [words if at in SOME else text for at, text in enumerate(side)]
        for side, words in ((TEXTS, output), (REFERENCE, reference), (SOURCES, source))
    )
    report = truebleu.diagnose(texts, [references], sources, checks="D425")
    assert [found] * bool(found) == [unit[2] for one in report.findings for unit in one.units[:1]]


def test_units_are_not_compared_in_a_language_without_words() -> None:
    report = truebleu.diagnose(TEXTS, [REFERENCE], SOURCES, language="fi", checks="D425")
    assert {"D425": "it has no words for the language fi"}.items() <= report.not_checked.items()


def test_numbers_inside_other_units_are_those_of_their_check() -> None:
    texts, references, sources = (
        [f"{text} {words}" if at in SOME else text for at, text in enumerate(side)]
        for side, words in ((TEXTS, "https://a.org/4712 v1.2.4"), (REFERENCE, "https://a.org/4711 v1.2.3"),
                            (SOURCES, "https://a.org/4711 v1.2.3"))
    )  # fmt: skip
    assert {"D423"} == {one.code for one in truebleu.diagnose(texts, [references], sources).findings}


@pytest.mark.guard
@pytest.mark.parametrize(
    "part", ["<think>", "</think>", "[", "{", '{"a":', "1,1", "1 000 ", "万", "1万", "(or ", "Option 1: ", "English: ",
             "\n", "translate the ", "du bist ein ", "$ ", "\"", "<text>", " / ", "| "],
)  # fmt: skip
def test_hostile_texts_take_linear_time(part: str) -> None:
    text = part * 100_000
    start = time.process_time()
    for read in (without_thoughts, unwrapped, without_prompt, has_prompt, has_options, numbers_of, measures_of):
        read(text)  # type: ignore[operator]
    assert time.process_time() - start < 4


def test_readings_of_long_runs_are_none() -> None:
    assert set() == readings_of("1" * 31)
    json.dumps(truebleu.diagnose(["9" * 5000] * 12, [["8" * 5000] * 12], ["7" * 5000] * 12).to_dict())
