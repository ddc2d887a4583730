"""Repairs that take away what does not belong, and nothing else; and what they are worth."""

from __future__ import annotations

import json

import pytest

import truebleu
from doctor.faults import ERRORS, REAL_REFUSALS
from truebleu import demo
from truebleu.doctor.finding import Finding
from truebleu.doctor.repairs import repair
from truebleu.doctor.words import is_error, refuses

GERMAN = demo.load("en-de")
TEXTS, REFERENCES = list(GERMAN.systems["atlas"]), [GERMAN.references["A"]]
SOME = range(0, 240, 20)


def damaged(change: str) -> list[str]:
    return [change.format(text) if at in SOME else text for at, text in enumerate(TEXTS)]


def found_in(texts: list[str]) -> dict[str, Finding]:
    return {one.code: one for one in truebleu.diagnose(texts, REFERENCES).findings if one.level != "note"}


def in_full() -> float:
    return truebleu.BLEU().corpus_score(TEXTS, REFERENCES).score


@pytest.mark.parametrize(
    ("text", "repaired"),
    [
        ("▁Das ▁ist ▁ein ▁Bei spiel .", "Das ist ein Beispiel."),
        ("ĠDas Ġist Ġein ĠBei spiel", "Das ist ein Beispiel"),
        ("DasĠistĠeinĠBeispiel", "Das ist ein Beispiel"),
        ("▁我 昨天 去 了 商店", "我昨天去了商店"),
        ("Das ist ▁ein Beispiel mit einer Marke", "Das ist ein Beispiel mit einer Marke"),
        ("Das ist ein Ġeinziger Fall, und sonst ist alles gut", "Das ist ein einziger Fall, und sonst ist alles gut"),
        ("Das@@ selbe gilt hier", "Dasselbe gilt hier"),
    ],
)
def test_spaces_go_only_where_the_mark_begins_the_words(text: str, repaired: str) -> None:
    assert [repaired] == repair([text], "subwords", [0])


def test_a_stray_mark_costs_no_spaces() -> None:
    finding = found_in(damaged("▁{}"))["D303"]
    assert 0 <= finding.prices["BLEU"].points < 5 and "subwords" == finding.repair
    assert abs(in_full() - finding.prices["BLEU"].after) < 1e-9


@pytest.mark.parametrize(
    ("change", "code", "name"),
    [
        ("<think>\nIs it formal? I think so. Note: the name stays.\n</think>\n\n{}", "D416", "thinking"),
        ("The user wants German.</think>{}", "D416", "thinking"),
        ('{{"translation": "{}"}}', "D417", "unwrap"),
        ('```json\n{{"de": "{}"}}\n```', "D417", "unwrap"),
        ("{}\n\nNote: I kept the names. Let me know if you need anything else!", "D412", "postnote"),
        ("{} (Note: short.)", "D412", "postnote"),
    ],
    ids=["reasoning", "end of reasoning", "JSON", "JSON in a fence", "remark", "short remark"],
)
def test_a_price_is_that_of_the_whole_repair(change: str, code: str, name: str) -> None:
    texts = [text.replace('"', "'") for text in damaged("{}")]
    texts = [change.format(text) if at in SOME else text for at, text in enumerate(texts)]
    clean = [text.replace('"', "'") for text in TEXTS]
    report = truebleu.diagnose(texts, REFERENCES)
    findings = {one.code: one for one in report.findings if one.level != "note"}
    assert {code} == findings.keys() - {"D108"} and tuple(SOME) == findings[code].segments
    repaired = report.repaired(*{one.repair for one in findings.values() if one.repair})
    assert clean == repaired
    assert name == findings[code].repair
    assert truebleu.BLEU().corpus_score(clean, REFERENCES).score == findings[code].prices["BLEU"].after


def test_the_value_of_an_object_is_unescaped_and_other_objects_stay() -> None:
    text = 'Er sagte: "Ja", \\ und ging.\nDann kam sie. ü \u2028'
    assert [text] == repair([json.dumps({"translation": text})], "unwrap", [0])
    assert ["Ja", "x}"] == repair(['{"target": "Ja"}', "x}"], "unwrap", [0, 1])


@pytest.mark.parametrize("text", REAL_REFUSALS)
def test_one_refusal_is_enough_and_is_not_repaired(text: str) -> None:
    texts = [text if at == 7 else one for at, one in enumerate(TEXTS)]
    finding = found_in(texts)["D411"]
    assert ((7,), "warning", None, {}) == (finding.segments, finding.level, finding.repair, finding.prices)
    assert texts == truebleu.diagnose(texts, REFERENCES).repaired("postnote", "preamble")


@pytest.mark.parametrize("text", ERRORS)
def test_one_message_of_an_error_is_enough(text: str) -> None:
    finding = found_in([text if at == 7 else one for at, one in enumerate(TEXTS)])["D411"]
    assert ((7,), "warning") == (finding.segments, finding.level) and "message of an error" in finding.message


@pytest.mark.parametrize(
    "text",
    [
        "Sorry if the dictionary did not translate it.",
        "I can't help but wonder.", "Es tut mir leid, das habe ich nicht gesehen.",
        "Leider kann ich morgen nicht kommen.",
        "Je suis désolé, je ne peux pas venir demain.",
        "К сожалению, я не могу прийти.",
        "很抱歉，我无法在提供的电子邮件中找到帐户。",
        "申し訳ありませんが、提供されたメールでアカウントが見つかりません。",
        "Terror: the city sleeps.", "The error was ours.",
        "Trial and error is 200 years old.", "There is nothing to be afraid of.", "It is not easy to explain.",
    ],
)  # fmt: skip
def test_sentences_of_people_are_no_refusals_and_no_errors(text: str) -> None:
    assert not refuses(text) and not is_error(text)
