"""Traditional for Simplified Chinese, kana for kanji, stripped diacritics and language tags."""

import time
import unicodedata
from pathlib import Path

import pytest

import truebleu
from truebleu import demo
from truebleu.doctor.finding import Finding
from truebleu.doctor.unwrapping import in_simplified, tag_place, variants, without_tags_of_languages

GERMAN, CHINESE = demo.load("en-de"), demo.load("en-zh")
SOME = range(0, 240, 20)


def found_in(texts: list[str], reference: list[str], **more: object) -> dict[str, Finding]:
    return {one.code: one for one in truebleu.diagnose(texts, [reference], skip="D301,D2", **more).findings}  # type: ignore[arg-type]


def in_traditional(text: str) -> str:
    return text.translate(str.maketrans({simplified: traditional for traditional, simplified in variants().items()}))


def test_traditional_characters_are_found_and_turned_into_simplified_ones() -> None:
    texts, reference = list(CHINESE.systems["atlas"]), CHINESE.references["A"]
    changed = [in_traditional(text) if at % 4 == 0 else text for at, text in enumerate(texts)]
    touched = [at for at, text in enumerate(texts) if changed[at] != text]
    report = truebleu.diagnose(changed, [reference], CHINESE.sources, metrics=[truebleu.BLEU(tokenize="zh")])
    finding = {one.code: one for one in report.findings}["D428"]
    assert len(finding.segments) >= 0.8 * len(touched) and set(finding.segments) <= set(touched)
    assert finding.points > 1 and "simplified" == finding.repair
    assert [texts[at] for at in finding.segments] == [report.repaired("simplified")[at] for at in finding.segments]
    assert "D428" not in found_in(
        changed, [in_traditional(text) if at % 4 == 0 else text for at, text in enumerate(reference)]
    )
    other = found_in(texts, [in_traditional(text) for text in reference])["D428"]
    assert other.repair is None and "in Simplified characters" in other.message


def test_the_table_has_pairs_and_is_that_of_the_script() -> None:
    assert len(variants()) > 2000 and "汉语" == in_simplified("漢語") and not set(variants()) & set(variants().values())
    assert "的一是" == in_simplified("的一是")


def test_kana_for_kanji_is_found() -> None:
    reference = ["私は昨日学校へ行って先生と話しました。", "今日は天気が良いので公園を散歩します。"] * 6
    texts = ["わたしはきのうがっこうへいってせんせいとはなしました。", "今日は天気がいいので公園を散歩します。"] * 6
    finding = found_in(texts, reference)["D428"]
    assert tuple(range(0, 12, 2)) == finding.segments and "kana" in finding.message
    assert "D428" not in found_in(texts, texts[::-1][1:] + texts[:1])


def plain(text: str) -> str:
    return "".join(one for one in unicodedata.normalize("NFD", text) if not unicodedata.combining(one))


def test_stripped_diacritics_are_found() -> None:
    texts, reference = list(GERMAN.systems["atlas"]), GERMAN.references["A"]
    changed = [plain(text) for text in reference]
    finding = found_in(changed, reference, sources=GERMAN.sources)["D429"]
    assert len(finding.segments) >= 50 and "error" == finding.level
    assert "D429" not in found_in(texts, reference, sources=GERMAN.sources)
    assert "D429" not in found_in(changed, changed)
    # Names that the source writes so are no loss.
    names = ["Café Mañana"] * 12
    assert "few letters" in truebleu.diagnose(["a"] * 99, [["a"] * 99]).not_checked["D429"]
    assert "D429" not in found_in(["Cafe Manana"] * 12, names, sources=["Cafe Manana"] * 12)
    assert "D429" in found_in(["Cafe Manana"] * 12, names, sources=["x"] * 12)


@pytest.mark.parametrize("form", ["[de] {}", "<de>{}</de>", "de_DE {}", "de: {}", "(DE) {}", "{} [DE]", "{{de}} {}"])
def test_tags_of_languages_are_found_and_cut(form: str) -> None:
    texts, reference = list(GERMAN.systems["atlas"]), GERMAN.references["A"]
    form = form.replace("{{de}}", "\0").replace("{}", "%s").replace("\0", "{de}")
    changed = [form % text if at in SOME else text for at, text in enumerate(texts)]
    report = truebleu.diagnose(changed, [reference], GERMAN.sources)
    assert [("D430", tuple(SOME), "language")] == [(one.code, one.segments, one.repair) for one in report.findings]
    assert texts == report.repaired("language")
    kept = [form % text if at in SOME else text for at, text in enumerate(reference)]
    assert "D430" not in found_in(changed, kept)


@pytest.mark.parametrize("text", ["Das Boot.", "It: a novel", "(it) rains", "No: never", "[x] done", "de facto", ""])
def test_text_has_no_tag(text: str) -> None:
    assert tag_place(text) is None and text == without_tags_of_languages(text)


@pytest.mark.guard
@pytest.mark.parametrize("part", ["[de] ", " ", "<de>", "é", "漢", "de:", "{"])
def test_hostile_texts_take_linear_time(part: str) -> None:
    start = time.process_time()
    for read in (tag_place, in_simplified, without_tags_of_languages):
        read(part * 100_000)  # type: ignore[operator]
    assert time.process_time() - start < 1


def test_the_table_is_what_the_tool_makes(tmp_path: Path) -> None:
    from runpy import run_path

    tool = run_path(str(Path(__file__).resolve().parents[2] / "tools" / "build_variants.py"))
    pairs = [("6F22", "U+6C49"), ("4E00", "U+4E00"), ("9AEE", "U+53D1 U+53D0")]
    lines = "".join(f"U+{code}\tkSimplifiedVariant\t{forms}\n" for code, forms in pairs)
    assert [("漢", "汉")] == tool["pairs"](lines)
