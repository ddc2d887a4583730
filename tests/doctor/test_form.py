"""D3: text that is not in the form in which it should be scored."""

import re
import unicodedata
from importlib.util import find_spec

import pytest

import truebleu
from truebleu import demo
from truebleu.doctor import patterns
from truebleu.doctor.finding import Finding
from truebleu.doctor.repairs import REPAIRS, repair
from truebleu.metrics import BLEU, CHRF, TER, Metric

GERMAN, CHINESE = demo.load("en-de"), demo.load("en-zh")
HYPOTHESES, A = GERMAN.systems["atlas"], GERMAN.references["A"]
HAN, HAN_A = CHINESE.systems["atlas"], CHINESE.references["A"]

NEEDS_FTFY = pytest.mark.skipif(find_spec("ftfy") is None, reason="ftfy is not installed (extra `doctor`)")


def findings(
    hypotheses: list[str], *references: list[str], metrics: list[Metric] | None = None, **more: object
) -> dict[str, Finding]:
    report = truebleu.diagnose(hypotheses, references or [A], metrics=metrics, **more)  # type: ignore[arg-type]
    return {one.code: one for one in report.findings if one.code.startswith("D3")}


def some(change: object, texts: list[str] = HYPOTHESES, number: int = 8) -> list[str]:
    return [change(text) if at < number else text for at, text in enumerate(texts)]  # type: ignore[operator]


VECTORS = [
    (patterns.SUBWORDS, ["Wasser@@ kocher", "mail me@@", "▁Das", "<0xE2>"], ["a@@b", "## Heading"]),
    (
        patterns.SPECIALS,
        ["a <unk> b", "eng_Latn Hello", ">>fra<< x", "<|im_end|>", "⁇", "x </s>", "<PAD>", "[INST] x [/INST]",
         "<<SYS>>", "<think>", "<start_of_turn>", "<extra_id_0>", "<2de>", "__de__ x", "[UNK]"],
        ["a < b > c", "[sic]", "<b>", "<Vorname>", "#NAME#", "snake_case", "__init__.py"],
    ),
    (patterns.ENTITIES, ["&#39;", "&amp;lt;", "&quot;", "&#xA0;", "&frac12;"], ["AT&T; x", "R&D; y", "Q & A;"]),
    (patterns.MOSES, ["well @-@ known", "3 @.@ 5"], ["a@-@b", "me@x.de"]),
    (patterns.TAGS, ["<br/>", "<a href='x'>", "</b>", "<SPAN class=x>", "<h2>"],
     ["a < b", "<Vorname>", "<A note on fish>", "<bob>", "<i", "x<p"]),
    (patterns.MOJIBAKE, ["Ã¼ber", "â€œJaâ€\x9d", "Ð¡Ð¾", "Å¡koda", "æ—¥æœ¬"], ["LIBERTÉ”", "MENÜ–", "über", "Ärger"]),
]  # fmt: skip


@pytest.mark.parametrize(("pattern", "text"), [(p, text) for p, texts, _ in VECTORS for text in texts])
def test_a_fault_matches(pattern: re.Pattern[str], text: str) -> None:
    assert pattern.search(text)


@pytest.mark.parametrize(("pattern", "text"), [(p, text) for p, _, texts in VECTORS for text in texts])
def test_text_does_not_match(pattern: re.Pattern[str], text: str) -> None:
    assert not pattern.search(text)


def test_every_match_is_let_through_by_the_columns() -> None:
    """Rules search only texts whose columns are above 0; a vector alone in a corpus must be found."""
    expected = {patterns.SUBWORDS: "D303", patterns.SPECIALS: "D304", patterns.ENTITIES: "D305", patterns.MOSES: "D305",
                patterns.TAGS: "D306", patterns.MOJIBAKE: "D307"}  # fmt: skip
    for pattern, texts, _ in VECTORS:
        for text in texts:
            found = truebleu.diagnose([text], [["plain"]], checks=expected[pattern]).findings
            assert [expected[pattern]] == [one.code for one in found], text


# Which tokenizer.


def test_a_tokenizer_for_spaces_does_not_fit_chinese() -> None:
    found = findings(HAN, HAN_A)["D301"]
    assert "error" == found.level and "other" == found.prices["BLEU"].kind and "chrF" not in found.prices
    assert BLEU(tokenize="zh").corpus_score(HAN, [HAN_A]).score == found.prices["BLEU"].after
    assert found.message.startswith("Chinese text, BLEU with tokenizer 13a: ")
    assert "tokens per segment. Use zh; the two numbers are not comparable. With zh: +" in found.message
    for fitting in ([BLEU(tokenize="zh")], [BLEU(tokenize="char"), CHRF()], [TER(asian_support=True, normalized=True)]):
        assert {} == findings(HAN, HAN_A, metrics=fitting)
    found = findings(HAN, HAN_A, metrics=[TER()])["D301"]
    assert TER(asian_support=True, normalized=True).corpus_score(HAN, [HAN_A]).score == found.prices["TER"].after
    assert "Chinese text, TER without asian_support. Use asian_support and normalized" in found.message
    found = findings(HAN, HAN_A, metrics=[truebleu.GLEU()])["D301"]
    assert "GLEU with tokenizer 13a. Use zh" in found.message


def test_japanese_and_korean_are_told_by_their_letters() -> None:
    japanese = ["私は昨日、新しい本を買いました。", "それはとても面白いです。"] * 3
    assert "ja-mecab" in findings(japanese, japanese[::-1])["D301"].message
    thai = ["ฉันซื้อหนังสือเล่มใหม่เมื่อวานนี้", "มันน่าสนใจมาก"] * 3
    assert "Thai text" in findings(thai, thai[::-1])["D301"].message
    assert "flores200, or char" in findings(thai, thai[::-1])["D301"].message
    korean = ["나는 어제 새 책을 샀습니다.", "그것은 매우 흥미롭습니다."] * 3
    found = findings(korean, korean[::-1])["D301"]
    assert "note" == found.level and "ko-mecab" in found.message


# Tokenized text.


def tokenized(text: str) -> str:
    return re.sub(r"([,.])(?= |$)", r" \1", text)


def test_tokenized_output_is_found() -> None:
    found = findings([tokenized(text) for text in HYPOTHESES])["D302"]
    assert "99% of commas and full stops have a space before them, in the references 0%" in found.message
    assert ("error", "hypotheses", (), {}) == (found.level, found.side, found.segments, found.prices)
    found = findings(HYPOTHESES, [tokenized(text) for text in A])["D302"]
    assert "references[0]" == found.side


def test_tokenized_text_on_both_sides_is_fine_without_a_tokenizer() -> None:
    both = [tokenized(text) for text in HYPOTHESES], [tokenized(text) for text in A]
    assert "warning" == findings(*both)["D302"].level
    assert "note" == findings(*both, metrics=[BLEU(tokenize="none")])["D302"].level


def test_chinese_with_spaces_is_tokenized() -> None:
    cut = [" ".join(re.findall("..?", text)) for text in HAN]
    assert "tokenized?" in findings(cut, HAN_A, metrics=[BLEU(tokenize="zh")])["D302"].message
    assert {} == findings(HAN, HAN_A, metrics=[BLEU(tokenize="zh")])


def test_french_spaces_are_no_tokenizer() -> None:
    french = [re.sub(r"\.$", " !", text) for text in HYPOTHESES]
    assert "D302" not in findings(french)


# Leftovers. For each: a change of a text, its code, the repair that undoes it.


LEFTOVERS = {
    "at": (lambda text: re.sub(r"(\w{3})(\w{3,})", r"\1@@ \2", text), "D303", "subwords"),
    "piece": (lambda text: "▁" + text.replace(" ", " ▁"), "D303", "subwords"),
    "wordpiece": (lambda text: re.sub(r"(\w{3})(\w{3,})", r"\1 ##\2", text), "D303", "subwords"),
    "unk": (lambda text: f"{text} <unk>", "D304", "specials"),
    "end": (lambda text: f"{text}</s>", "D304", "specials"),
    "chat": (lambda text: f"<|im_start|>{text}<|im_end|>", "D416", "thinking"),
    "quot": (lambda text: f"&quot;{text}", "D305", "entities"),
    "tags": (lambda text: f"<b>{text}</b>", "D306", "tags"),
}


@pytest.mark.parametrize("name", LEFTOVERS)
def test_leftovers_are_found_and_repaired(name: str) -> None:
    change, code, mend = LEFTOVERS[name]
    report = truebleu.diagnose(some(change), [A])
    (finding,) = report.findings
    assert (code, mend, tuple(range(8))) == (finding.code, finding.repair, finding.segments)
    expected = [text.replace("&quot;", '"') for text in some(change)] if name == "quot" else HYPOTHESES
    assert expected == report.repaired(mend)
    if name != "quot":
        untouched = truebleu.corpus_bleu(HYPOTHESES, [A]).score
        assert untouched == finding.prices["BLEU"].after


@pytest.mark.parametrize("token", ["Wasser@@ kocher", "▁", "<unk>", "&quot;", "<b>", "Ã¼", "@-@"])
def test_what_references_or_sources_have_is_text(token: str) -> None:
    def change(text: str) -> str:
        return f"{text} {token}"

    assert {} == findings(some(change), some(change, A))
    assert {} == findings(some(change), sources=some(change, GERMAN.sources))


@pytest.mark.parametrize(("name", "code"), [("at", "D303"), ("quot", "D305")])
def test_leftovers_in_references_are_errors(name: str, code: str) -> None:
    found = findings(HYPOTHESES, some(LEFTOVERS[name][0], A))[code]
    assert ("error", "references[0]", None) == (found.level, found.side, found.repair)
    assert found.message.startswith("8 references have")


def test_a_few_hashes_are_no_word_pieces() -> None:
    assert {} == findings(some(lambda text: f"{text} ##tag", number=2))


def test_maltese_letters_are_no_mark_of_subwords() -> None:
    assert {} == findings(some(lambda text: f"{text} Ġorġ"))
    marked = [text.replace(" ", " Ġ") for text in HYPOTHESES]
    assert sum(" " in text for text in HYPOTHESES) == findings(marked)["D303"].count


def test_escapes_of_moses_are_found_and_repaired() -> None:
    changed = some(lambda text: text.replace(" ", " @-@ ", 1))
    found = findings(changed)["D305"]
    assert "escapes of a tokenizer" in found.message and tuple(range(8)) == found.segments


# Encoding.


@pytest.mark.parametrize("encoding", ["cp1252", "latin-1"])
def test_text_in_the_wrong_encoding_is_found(encoding: str) -> None:
    damaged = [text.encode().decode(encoding, "replace").replace("\ufffd", "") for text in HYPOTHESES]
    changed = [at for at, text in enumerate(HYPOTHESES) if not text.isascii()]
    found = findings(damaged)
    assert {"D307"} == set(found) and "error" == found["D307"].level
    # Quotes and dashes are three bytes, and what is left of some of them is not enough to tell.
    assert len(found["D307"].segments) >= 0.95 * len(changed)
    assert set(found["D307"].segments) <= set(changed)


@NEEDS_FTFY
def test_ftfy_restores_text() -> None:
    damaged = some(lambda text: f"„{text}“ – Größe".encode().decode("cp1252", "ignore"))
    report = truebleu.diagnose(damaged, [A])
    assert "Größe" in report.repaired("mojibake")[0]


@NEEDS_FTFY
def test_a_capital_inside_a_tag_is_no_damage() -> None:
    assert {} == findings(some(lambda text: f"{text} #LeteckáŠkola"))


def test_a_repair_that_needs_a_package_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("truebleu.doctor.repairs.find_spec", lambda name: None)
    damaged = some(lambda text: text.encode().decode("latin-1"), number=240)
    report = truebleu.diagnose(damaged, [A])
    assert {} == report.findings[0].prices
    with pytest.raises(truebleu.errors.MissingDependency, match=r"needs ftfy: pip install truebleu\[doctor\]"):
        report.repaired("mojibake")


def test_lost_letters_are_found() -> None:
    found = findings(some(lambda text: f"{text[:-1]}\ufffd"))["D308"]
    assert found.message.startswith("8 segments have U+FFFD: letters were lost when the text was decoded")


@pytest.mark.parametrize("character", "\u200b\u2060\ufeff\u00ad\u180e")
def test_characters_that_nobody_sees(character: str) -> None:
    found = findings(some(lambda text: character.join(text.split(" ", 1)), number=20))["D309"]
    assert ("error", "spaces", 20) == (found.level, found.repair, found.count)
    assert f"U+{ord(character):04X}" in found.message
    assert "note" == findings(some(lambda text: text + character, number=2))["D309"].level


def test_joiners_are_text() -> None:
    assert {} == findings(some(lambda text: f"{text}\u200c\u200d\u200e", number=20))


def test_control_characters() -> None:
    report = truebleu.diagnose(some(lambda text: f"\x07{text}\x9c"), [A])
    (finding,) = report.findings
    assert ("D309", "controls") == (finding.code, finding.repair)
    assert HYPOTHESES == report.repaired("controls")
    assert {} == findings(some(lambda text: text.replace(" ", "\t", 1)))


def test_decomposed_letters_are_a_matter_of_style_unless_they_cost_a_point() -> None:
    found = findings([unicodedata.normalize("NFD", text) for text in HYPOTHESES])["D310"]
    assert "warning" == found.level and found.prices["BLEU"].points >= 1
    assert truebleu.corpus_bleu(HYPOTHESES, [A]).score == found.prices["BLEU"].after
    assert "note" == findings(some(lambda text: unicodedata.normalize("NFD", text), number=4))["D310"].level
    found = findings(HYPOTHESES, [unicodedata.normalize("NFD", text) for text in A])["D310"]
    assert "references[0]" == found.side and found.prices["BLEU"].points >= 1


# Case.


@pytest.mark.parametrize("change", [str.lower, str.upper])
def test_lost_case_is_found(change: object) -> None:
    changed = [change(text) for text in HYPOTHESES]  # type: ignore[operator]
    found = findings(changed)["D311"]
    assert ("warning", "hypotheses", "other") == (found.level, found.side, found.prices["BLEU"].kind)
    assert "up to: +" in found.message
    expected = BLEU(lowercase=True).corpus_score(changed, [A]).score
    assert expected == found.prices["BLEU"].after
    assert "note" == findings(changed, metrics=[BLEU(lowercase=True)])["D311"].level


def test_title_case_is_found() -> None:
    spanish = demo.load("en-es")
    titled = [text.title() for text in spanish.systems["atlas"]]
    assert "title case?" in findings(titled, spanish.references["A"])["D311"].message


def test_lost_case_of_references_is_found() -> None:
    assert "references[0]" == findings(HYPOTHESES, [text.lower() for text in A])["D311"].side


def test_case_is_not_checked_where_there_is_none() -> None:
    report = truebleu.diagnose(HAN, [HAN_A])
    assert "has no upper and lower case" in report.not_checked["D311"]
    report = truebleu.diagnose(HYPOTHESES[:3], [A[:3]])
    assert "it needs 500 letters that have a case on each side" == report.not_checked["D311"]


# Repairs.


@pytest.mark.parametrize("name", [name for name in REPAIRS if name != "mojibake"])
def test_a_repair_leaves_plain_text_alone(name: str) -> None:
    texts = [text for text in HYPOTHESES if text.isascii()]
    assert texts and texts == repair(texts, name, range(len(texts)))


def test_detok_undoes_a_simple_tokenizer() -> None:
    plain = [text for text in HYPOTHESES if not re.search(r" [,.]", text)]
    assert plain == repair([tokenized(text) for text in plain], "detok", range(len(plain)))
