"""D4: output that cannot be a translation."""

import pytest

import truebleu
from truebleu import demo
from truebleu.doctor.finding import Finding

GERMAN, CHINESE = demo.load("en-de"), demo.load("en-zh")
SOURCES, SYSTEM, A = GERMAN.sources, GERMAN.systems["atlas"], GERMAN.references["A"]
LONG = [at for at, text in enumerate(A) if len(text) > 80 and len(SOURCES[at]) > 60][:8]


def findings(
    hypotheses: list[str], references: list[str] = A, sources: list[str] | None = None, checks: str = "D4"
) -> dict[str, Finding]:
    report = truebleu.diagnose(hypotheses, [references], sources, checks=checks)
    return {one.code: one for one in report.findings}


def with_texts(texts: dict[int, str], base: list[str] = SYSTEM) -> list[str]:
    return [texts.get(at, text) for at, text in enumerate(base)]


@pytest.mark.parametrize("pair", demo.PAIRS)
def test_the_demo_systems_are_clean(pair: str) -> None:
    data = demo.load(pair)
    for hypotheses in data.systems.values():
        report = truebleu.diagnose(hypotheses, list(data.references.values()), data.sources, checks="D4,D5")
        report.raise_for("warning")


def test_an_empty_hypothesis_is_found_unless_its_references_are_empty_too() -> None:
    hypotheses = with_texts({3: "", 5: " \t", 9: ""})
    references = with_texts({9: ""}, A)
    found = findings(hypotheses, references)["D401"]
    assert ((3, 5), "2 hypotheses are empty") == (found.segments, found.message.partition(".")[0])


def test_a_file_that_is_empty_throughout_is_reported_as_such_alone() -> None:
    report = truebleu.diagnose([""] * 240, [A], SOURCES)
    assert [("D401", "error")] == [(one.code, one.level) for one in report.findings if one.level != "note"]


def test_a_copy_of_the_source_is_found() -> None:
    found = findings(with_texts({at: SOURCES[at].upper() for at in LONG}), sources=SOURCES)["D402"]
    assert tuple(LONG) == found.segments


def test_a_source_that_the_reference_copies_too_is_no_fault() -> None:
    copies = {at: SOURCES[at] for at in LONG}
    assert "D402" not in findings(with_texts(copies), with_texts(copies, A), SOURCES)


@pytest.mark.parametrize(
    "cry", ["#GreatDayOut #SunAndSea @harbour_master", "waaahoooo yeeeees wooow", "www.example.org/a/b"]
)
def test_what_is_copied_on_purpose_is_no_copy_of_the_source(cry: str) -> None:
    sources = with_texts(dict.fromkeys(LONG, cry), SOURCES)
    hypotheses = with_texts(dict.fromkeys(LONG, cry))
    assert "D402" not in findings(hypotheses, sources=sources)


def test_sources_are_needed_for_copies() -> None:
    report = truebleu.diagnose(SYSTEM, [A], checks="D402,D415,D503")
    needing = {code for code, reason in report.not_checked.items() if reason == "it needs the sources"}
    assert {"D402", "D415", "D503"} == needing


def test_cyrillic_among_latin_is_another_script() -> None:
    russian = ["Старый", "мост", "снова", "открыт,", "сказал", "мэр", "города", "в", "понедельник", "утром"]
    found = findings(with_texts({at: " ".join(russian[k:] + russian[:k]) for k, at in enumerate(LONG)}))["D403"]
    assert tuple(LONG) == found.segments
    assert "8 segments are in another script (Cyrillic; the references are in Latin)" in found.message


def test_a_name_in_another_script_is_no_fault() -> None:
    hypotheses = with_texts({at: f"{SYSTEM[at]} (Москва)" for at in LONG})
    assert "D403" not in findings(hypotheses)


def test_chinese_without_kana_is_another_script_among_japanese() -> None:
    references = ["この町の古い橋は月曜日の朝に再び開通しましたと市長は述べた"] * 30
    hypotheses = ["この町の古い橋は、月曜の朝に再び開通したと市長が述べました"] * 24 + [
        "这座城市的旧桥在星期一早上重新开放市长说道"
    ] * 6
    assert (24, 25, 26, 27, 28, 29) == findings(hypotheses, references, checks="D403")["D403"].segments


def test_another_language_is_found() -> None:
    spanish = demo.load("en-es").references["A"]
    foreign = {at: text for at, text in zip(LONG, [text for text in spanish if len(text) > 80], strict=False)}
    assert tuple(foreign) == findings(with_texts(foreign))["D404"].segments


@pytest.mark.parametrize(
    ("text", "loops"),
    [
        ("the " * 8, True),
        ("one two three " * 4, True),
        ("and so it goes on " * 3, True),
        ("ha ha ha", False),
        ("hahahahahahahahahahahahahahahaha", True),
        ("It is as it is, and it is good.", False),
    ],
)
def test_a_loop_is_found(text: str, loops: bool) -> None:
    assert loops == ("D405" in findings(with_texts(dict.fromkeys(LONG, text)), checks="D405"))


@pytest.mark.parametrize(("text", "loops"), [("好" * 16, True), ("今天天气很好很好很好", False)])
def test_a_loop_of_characters_is_found_where_words_have_no_spaces(text: str, loops: bool) -> None:
    hypotheses = with_texts(dict.fromkeys(range(4), text), CHINESE.systems["atlas"])
    assert loops == ("D405" in findings(hypotheses, CHINESE.references["A"], checks="D405"))


def test_a_loop_that_the_source_has_is_no_fault() -> None:
    sources = with_texts(dict.fromkeys(LONG, "blah " * 9), SOURCES)
    assert "D405" not in findings(with_texts(dict.fromkeys(LONG, "bla " * 9)), sources=sources, checks="D405")


def test_one_output_for_many_inputs_is_found() -> None:
    found = findings(with_texts(dict.fromkeys(LONG, "Das ist immer ein und derselbe Satz.")))["D406"]
    assert tuple(LONG) == found.segments


def test_a_greeting_that_many_sources_share_is_no_fault() -> None:
    sources = with_texts(dict.fromkeys(LONG, "Good morning, dear customer!"), SOURCES)
    references = with_texts(dict.fromkeys(LONG, "Guten Morgen, werte Kundschaft!"), A)
    hypotheses = with_texts(dict.fromkeys(LONG, "Schönen Tag, lieber Kunde!"))
    assert "D406" not in findings(hypotheses, references, sources)


def test_truncated_output_is_found() -> None:
    found = findings(with_texts({at: SYSTEM[at][: len(SYSTEM[at]) // 4] for at in LONG}))["D407"]
    assert tuple(LONG) == found.segments


def test_output_that_is_far_too_long_is_found() -> None:
    found = findings(with_texts({at: " ".join(SYSTEM[at : at + 4]) for at in LONG}), checks="D408")["D408"]
    assert set(found.segments) <= set(LONG)
    assert 5 <= found.count


def test_a_reference_that_is_a_summary_is_to_blame_and_not_the_output() -> None:
    references = with_texts({at: " ".join(A[at : at + 4]) for at in LONG}, A)
    blamed = {at for at in LONG if len(references[at]) > 3 * len(SYSTEM[at])}
    found = findings(SYSTEM, references, SOURCES, "D407,D503")
    assert "D407" not in found
    assert blamed <= set(found["D503"].segments) <= set(LONG)
    assert "D407" in findings(SYSTEM, references, None, "D407")


def test_output_that_is_too_short_as_a_whole_is_one_finding() -> None:
    found = findings([text[: len(text) // 2] for text in SYSTEM])
    assert {"D409"} == {code for code, one in found.items() if one.level != "note"}
    assert found["D409"].evidence["median"] == pytest.approx(0.5, abs=0.05)


def test_a_preamble_is_found_and_repaired() -> None:
    hypotheses = with_texts({at: f"Sure! Here is the translation: {SYSTEM[at]}" for at in LONG})
    report = truebleu.diagnose(hypotheses, [A], checks="D4")
    (found,) = report.findings
    assert ("D410", tuple(LONG), "preamble") == (found.code, found.segments, found.repair)
    assert SYSTEM == report.repaired("preamble")
    assert found.prices["BLEU"].after == pytest.approx(truebleu.corpus_bleu(SYSTEM, [A]).score, abs=1e-9)


def test_a_label_that_the_source_has_is_no_preamble() -> None:
    sources = with_texts({at: f"Answer: {SOURCES[at]}" for at in LONG}, SOURCES)
    assert "D410" not in findings(with_texts({at: f"Answer: {SYSTEM[at]}" for at in LONG}), sources=sources)


def test_a_label_without_which_the_output_is_less_like_the_reference_is_no_preamble() -> None:
    references = with_texts({at: f"Deutsch, das {A[at]}" for at in LONG}, A)
    hypotheses = with_texts({at: f"Deutsch: {A[at]}" for at in LONG})
    assert "D410" not in findings(hypotheses, references, checks="D410")


def test_a_refusal_is_found_unless_it_is_the_translation() -> None:
    text = "I'm sorry, but I can't help with that."
    hypotheses = with_texts(dict.fromkeys(LONG, text))
    assert tuple(LONG) == findings(hypotheses, checks="D411")["D411"].segments
    assert {} == findings(hypotheses, with_texts(dict.fromkeys(LONG, text), A), checks="D411")


def test_a_remark_at_the_end_is_found_and_repaired() -> None:
    remark = "\n\nLet me know if you need any changes to the tone or the wording of this translation!"
    hypotheses = with_texts({at: SYSTEM[at] + remark for at in LONG})
    report = truebleu.diagnose(hypotheses, [A], checks="D4")
    (found,) = report.findings
    assert ("D412", "postnote") == (found.code, found.repair)
    assert SYSTEM == with_texts({at: SYSTEM[at] for at in LONG}, report.repaired("postnote"))
    assert set(found.segments) <= set(LONG)


@pytest.mark.parametrize("write", ["```\n{}\n```", "```text\n{}\n```", "~~~\n{}\n~~~", "**{}**", "# {}"])
def test_markdown_is_found_and_repaired(write: str) -> None:
    hypotheses = with_texts({at: write.format(SYSTEM[at]) for at in LONG})
    report = truebleu.diagnose(hypotheses, [A], checks="D413")
    assert [("D413", tuple(LONG))] == [(one.code, one.segments) for one in report.findings]
    assert SYSTEM == report.repaired("fences")


def test_a_heading_that_the_source_has_is_no_fault() -> None:
    sources = with_texts({at: f"# {SOURCES[at]}" for at in LONG}, SOURCES)
    assert {} == findings(with_texts({at: f"# {SYSTEM[at]}" for at in LONG}), sources=sources, checks="D413")


def test_boilerplate_in_any_language_is_found_without_a_list_of_words() -> None:
    hypotheses = [f"Xolomäi quipp draluun oster vayn: {text}" for text in SYSTEM]
    found = findings(hypotheses)["D414"]
    assert (240, "error") == (found.count, found.level)
    ends = findings([f"{text} Xolomäi quipp draluun oster vayn nemelit odrum." for text in SYSTEM])["D414"]
    assert 240 == ends.count


def test_beginnings_that_the_references_share_are_no_boilerplate() -> None:
    words = "Wie gestern gemeldet wurde: "
    assert {} == findings([words + text for text in SYSTEM], [words + text for text in A], checks="D414")


def test_the_source_beside_its_translation_is_found() -> None:
    hypotheses = with_texts({at: f"{SOURCES[at]} = {SYSTEM[at]}" for at in LONG})
    found = {code for code, one in findings(hypotheses, sources=SOURCES).items() if one.level != "note"}
    assert {"D415"} == found


def test_permuting_segments_permutes_the_segments_of_findings() -> None:
    hypotheses = with_texts({at: f"Translation: {SYSTEM[at]}" for at in LONG} | {1: "", 2: "", 4: ""})
    order = [(7 * at + 3) % 240 for at in range(240)]
    before = findings(hypotheses, sources=SOURCES, checks="D401,D402,D403,D405,D407,D410,D414")
    after = findings(*([texts[at] for at in order] for texts in (hypotheses, A, SOURCES)),
                     checks="D401,D402,D403,D405,D407,D410,D414")  # fmt: skip
    assert {code: set(one.segments) for code, one in before.items()} == {
        code: {order[at] for at in one.segments} for code, one in after.items()
    }
    assert {"D401", "D410"} <= set(before)


def test_words_before_every_text_explain_the_case_of_first_letters() -> None:
    report = truebleu.diagnose([f"[[system 7, beam 4, length penalty 0.6]] {text}" for text in SYSTEM], [A], SOURCES)
    assert ["D414"] == [one.code for one in report.findings]


def test_the_source_in_the_place_of_the_output_is_one_finding() -> None:
    report = truebleu.diagnose(SOURCES, [A], SOURCES)
    assert ["D105"] == [one.code for one in report.findings]


def test_the_source_beside_a_short_translation_is_no_copy_of_the_source() -> None:
    sources, references = CHINESE.sources, CHINESE.references["A"]
    pairs = zip(sources, CHINESE.systems["atlas"], strict=True)
    hypotheses = [f"{source} {text}" if len(source) > 40 else text for source, text in pairs]
    found = findings(hypotheses, references, sources, "D402,D415")
    assert ["D415"] == list(found)
    assert sum(len(source) > 40 for source in sources) == found["D415"].count


@pytest.mark.filterwarnings("error")
def test_any_text_gets_a_report() -> None:
    odd = ["", "\ud800", "\x00", "```", "**", "\u200b" * 9, "a" * 5000, "&#xD800;", ": :", "\n\n", "#", "😀" * 40]
    texts = [odd[at % len(odd)] for at in range(120)]
    for sources in (None, texts[::-1], [""] * 120):
        truebleu.diagnose(texts, [texts[5:] + texts[:5]], sources, checks="D4,D5")
