"""`truebleu.resegment`: round trips, robustness, the text policy, and what a user may do wrong."""

from __future__ import annotations

import gzip
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import truebleu
from truebleu import BLEU, CHRF
from truebleu.accumulator import Accumulator
from truebleu.errors import InputTypeError, LengthMismatch, OptionError, StatsMismatch
from truebleu.resegmentation import Resegmented, resegment
from truebleu.resegmentation.levels import join_texts
from truebleu.resegmentation.segmentation import read_method, signed_method
from truebleu.significance import PairedTest, compare

WORDS = "rain fell on the old roof while a grey heron stood by the pond and nobody came out".split()  # noqa: SIM905


def demo_reference() -> list[str]:
    return list(truebleu.testset("demo", "en-de").references[0])


def letters(texts: str | list[str]) -> str:
    return "".join("".join(texts).split())


def sentences(chance: random.Random, count: int) -> list[str]:
    return [
        " ".join(chance.choice(WORDS) for _ in range(chance.randint(2, 9))).capitalize() + chance.choice(".?!.")
        for _ in range(count)
    ]


@pytest.mark.parametrize("breaks", ["prefer", "ignore"])
def test_the_reference_in_other_lines_is_found_again(breaks: str) -> None:
    reference, chance = demo_reference(), random.Random(5)
    words = " ".join(reference).split()
    broken = "".join(word + chance.choice(["\n", "\r\n", " ", " ", " ", " "]) for word in words)
    for hypothesis in (" ".join(reference), reference, broken):
        result = resegment(hypothesis, [reference], breaks=breaks)
        assert [" ".join(text.split()) for text in reference] == [" ".join(text.split()) for text in result.segments]
        assert (0.0, True, []) == (result.error_rate, bool((result.margins > 0).all()), result.suspects)


@pytest.mark.parametrize("method", ["mwer", "mwer-case"])
def test_the_other_methods_find_the_reference_again(method: str) -> None:
    reference = demo_reference()
    result = resegment(" ".join(reference), [reference], method=method)
    assert [text.split() for text in reference] == [text.split() for text in result.segments]
    assert result.error_rate == 0.0
    assert {"reseg": method} == result.signature_fields


_TEXT = st.text(
    st.sampled_from("ab AB.,!?\"'„“»«()\n\r\t\u2028\x00#▁5雨が。、」กำ\u0301\u200d\ufe0f👍🏽👩🇩🇪\u05d0\u0645\u200f"),
    max_size=60,
)


@given(_TEXT, st.lists(_TEXT, min_size=1, max_size=4), st.sampled_from(["cue", "mwer", "mwer-case"]))
def test_all_segments_together_are_the_input(hypothesis: str, reference: list[str], method: str) -> None:
    result = resegment(hypothesis, [reference], method=method)
    assert letters(hypothesis) == letters(result.segments)
    assert len(reference) == len(result.segments)
    text = hypothesis.replace("\r\n", "\n").replace("\r", "\n")
    assert [letters(text[start:end]) for start, end in result.spans] == [letters(one) for one in result.segments]
    assert all("\n" not in text and text == text.strip() for text in result.segments)


@given(st.lists(_TEXT, min_size=1, max_size=5), st.integers(0, 3))
def test_kept_breaks_are_cuts(lines: list[str], more: int) -> None:
    lines = ["".join(line.split()) for line in lines]
    reference = ["x"] * (sum(map(bool, lines)) + more or 1)
    result = resegment(lines, [reference], breaks="keep")
    assert result.given_breaks == result.kept_breaks
    assert letters(lines) == letters(result.segments)
    ends = np.cumsum([len(letters(text)) for text in result.segments])
    assert set(np.cumsum([len(line) for line in lines if line]).tolist()) <= {*ends.tolist(), 0}


def test_more_lines_than_segments_cannot_all_be_kept() -> None:
    with pytest.raises(LengthMismatch, match=r"the text has 3 lines with text, and only 2 segments"):
        resegment(["a", "b", "", "c"], [["a", "b"]], breaks="keep")
    with pytest.raises(OptionError, match="breaks is 'keep', which the method 'mwer' cannot do"):
        resegment("a", [["a"]], breaks="keep", method="mwer")


def test_line_breaks_inside_a_segment_become_a_space_or_nothing() -> None:
    assert ["It rained all day."] == resegment("It rained\n all day.", [["It rained all day."]]).segments
    assert ["雨が降った。"] == resegment("雨が\n降った。", [["雨が降った。"]]).segments
    assert ["雨が ABC 降った。"] == resegment("雨が\nABC\n降った。", [["雨がABC降った。"]]).segments


@pytest.mark.parametrize(
    ("text", "reference", "expected"),
    [
        # No cut inside a word, a number or a grapheme, whatever the reference says.
        ("3.5 Grad warm", ["3", ".5 Grad warm"], ["", "3.5 Grad warm"]),
        ("👩‍👧雨が降った。", ["👩", "雨が降った。"], ["👩‍👧", "雨が降った。"]),
        ("cafe\u0301 noir", ["café", "noir"], ["cafe\u0301", "noir"]),
        ("Das ist z. B. gut. Ja.", ["Das ist z. B. gut.", "Ja."], ["Das ist z. B. gut.", "Ja."]),
        ('Er sagte: "Ja." Sie ging.', ['Er sagte: "Ja."', "Sie ging."], ['Er sagte: "Ja."', "Sie ging."]),
        ("שלום עולם. מה שלומך?", ["שלום עולם.", "מה שלומך?"], ["שלום עולם.", "מה שלומך?"]),
        ("a # b ### c\td", ["a # b", "### c\td"], ["a # b", "### c\td"]),
        ("彼は来た。「雨だ」と言った。", ["彼は来た。", "「雨だ」と言った。"], ["彼は来た。", "「雨だ」と言った。"]),
    ],
)
def test_cuts_are_where_people_would_make_them(text: str, reference: list[str], expected: list[str]) -> None:
    assert expected == resegment(text, [reference]).segments


def test_segments_without_reference_text_get_nothing() -> None:
    streams = [["", "One two.", None, "  ", "Three four.", ""], [None, None, None, "", "Three five.", None]]
    result = resegment("One two. Three five.", streams)
    assert ["", "One two.", "", "", "Three five.", ""] == result.segments
    assert [0, 2, 3, 5] == result.empty
    assert (0.0, []) == (result.error_rate, result.suspects)


def test_text_goes_to_the_last_segment_where_no_reference_says_anything() -> None:
    assert ["", "a b"] == resegment("a b", [["", None]]).segments


def test_documents_that_come_back_are_put_together() -> None:
    reference, labels = ["One two.", "Red blue.", "Three four.", "Green."], ["x", "y", "x", "y"]
    expected = ["One two.", "Red blue.", "Three four.", "Green."]
    texts = ["One two. Three four.", "Red blue. Green."]
    for hypothesis in (texts, {"y": texts[1], "x": texts[0]}, [[part] for part in texts], [texts[0].split(), texts[1]]):
        result = resegment(hypothesis, [reference], documents=labels)
        assert (expected, 2, 2) == (result.segments, result.documents, result.aligned)


@pytest.mark.parametrize(
    ("hypothesis", "message"),
    [
        (["a"], "hypothesis has 1 document, the references have 2: there is no text for document 'y'"),
        (["a", "b", "c"], "has 3 documents, the references have 2: the text after that of document 'y' has no partner"),
        ({"x": "a"}, "hypothesis has no document 'y', which the references have"),
        ({"x": "a", "y": "b", "z": "c"}, "the references have no document 'z', which hypothesis has"),
    ],
)
def test_a_document_without_partner_is_named(hypothesis: Any, message: str) -> None:
    with pytest.raises(LengthMismatch, match=message):
        resegment(hypothesis, [["a", "b"]], documents=["x", "y"])


def test_what_is_no_text_is_refused_and_named() -> None:
    with pytest.raises(InputTypeError, match=r"resegment: hypothesis\['y'\]\[1\] is of type int, expected a string"):
        resegment({"x": "a", "y": ["b", 5]}, [["a", "b"]], documents=["x", "y"])
    with pytest.raises(InputTypeError, match="references: stream 0, segment 1 is of type int"):
        resegment("a", [["a", 5]])  # type: ignore[list-item]
    with pytest.raises(OptionError, match="window is 0, expected a whole number from 1, or None"):
        resegment("a", [["a"]], window=0)


def test_documents_with_as_many_lines_stay_as_they_are() -> None:
    reference, labels = ["One two.", "Three four.", "Five.", "Six."], ["x", "x", "y", "y"]
    result = resegment([["One", "two. Three four. "], ["Five. Six."]], [reference], documents=labels, auto=True)
    assert ["One", "two. Three four. ", "Five.", "Six."] == result.segments
    assert (2, 1) == (result.documents, result.aligned)
    with pytest.raises(LengthMismatch, match="document 'y' has 1 line, the references have 2 segments"):
        resegment([["a", "b"], ["c"]], [reference], documents=labels, method="none")
    assert ["a", "b"] == resegment("a\nb", [["x", "y"]], method="none").segments


def robust_cases() -> Iterator[tuple[str, list[str]]]:
    text = sentences(random.Random(3), 40)
    yield "", text
    yield "... !!! ,,, ...", text
    yield "one", text
    yield " ".join(text * 2), text
    yield "word " * 100_000, ["One reference."]
    yield "one", ["One."] * 100_000
    yield "。" * 5000, ["。"] * 20
    yield "x." * 3000, ["x."] * 20


@pytest.mark.parametrize("method", ["cue", "mwer"])
def test_nothing_is_lost_of_texts_that_do_not_fit(method: str) -> None:
    for hypothesis, reference in robust_cases():
        result = resegment(hypothesis, [reference], method=method)
        assert (letters(hypothesis), len(reference)) == (letters(result.segments), len(result.segments))


def recovered(segments: list[str], found: list[str]) -> list[bool]:
    """For each boundary between given segments, whether a found segment ends there."""
    ends = {int(end) for end in np.cumsum([len(letters(text)) for text in found])}
    return [int(end) in ends for end in np.cumsum([len(letters(text)) for text in segments])[:-1]]


def test_a_missing_stretch_and_a_preamble_leave_the_other_boundaries_where_they_are() -> None:
    reference = sentences(random.Random(4), 1200)
    left = reference[:500] + reference[700:]
    assert np.mean(recovered(left, resegment(" ".join(left), [reference]).segments)) >= 0.97
    preamble = " ".join(random.Random(8).choice(WORDS) for _ in range(300))
    result = resegment(f"{preamble} {' '.join(reference)}", [reference])
    assert np.mean([one == other for one, other in zip(reference[1:], result.segments[1:], strict=True)]) >= 0.99
    assert 0 in result.suspects


def test_threads_change_nothing() -> None:
    reference = sentences(random.Random(6), 400)
    labels = [at // 9 for at in range(400)]
    texts = {label: " ".join(one for one, of in zip(reference, labels, strict=True) if of == label) for label in labels}
    for method in ("cue", "mwer"):
        one, *others = (
            resegment(texts, [reference[::-1]], documents=labels[::-1], method=method, threads=threads)
            for threads in (1, 2, 8)
        )
        for other in others:
            assert (one.segments, one.spans, one.cost) == (other.segments, other.spans, other.cost)
            assert one.margins.tobytes() == other.margins.tobytes()


# Metrics.

REFERENCE = ["It rained all day.", "We stayed at home and read.", "Then the sun came out again."]
OUTPUT = "It rained all the day. We stayed home and read. Then came the sun out again."
SEGMENTS = ["It rained all the day.", "We stayed home and read.", "Then came the sun out again."]


def test_every_metric_takes_a_text_and_says_so() -> None:
    for metric in (BLEU(), CHRF(), truebleu.TER(), truebleu.GLEU()):
        expected = metric.corpus_score(SEGMENTS, [REFERENCE])
        score = metric.corpus_score(OUTPUT, [REFERENCE], resegment=True)
        assert expected.score == score.score
        assert "|reseg:cue1|" in str(score.signature)
        stats = metric.stats(OUTPUT, [REFERENCE], resegment="mwer")
        assert "|rg:mwer|" in metric.score(stats).signature.format(short=True)
        found = metric.sentence_scores(OUTPUT, [REFERENCE], resegment=True)
        assert metric.sentence_scores(SEGMENTS, [REFERENCE]).tolist() == found.tolist()
        cached = type(metric)(references=[REFERENCE])
        assert cached.corpus_score(OUTPUT, None, resegment=True).score == expected.score
    result = resegment(OUTPUT, [REFERENCE], breaks="ignore")
    for text in (OUTPUT, OUTPUT.split(" "), result.segments):
        assert "|reseg:cue1.ignore|" in str(BLEU().corpus_score(text, [REFERENCE], resegment=result).signature)


def test_a_result_is_of_one_text_and_of_no_other() -> None:
    other = "It rained. We stayed home. The sun came out."
    result = resegment(OUTPUT, [REFERENCE])
    with pytest.raises(OptionError, match="resegment is the result of another text than hypotheses"):
        compare({"a": OUTPUT, "b": other}, BLEU(), [REFERENCE], resegment=result)  # type: ignore[arg-type]
    with pytest.raises(LengthMismatch, match="resegment is a result of 3 segments, references has 2"):
        BLEU().corpus_score(OUTPUT, [REFERENCE[:2]], resegment=result)
    labels, texts = ["x", "y", "x"], {"x": " ".join(SEGMENTS[::2]), "y": SEGMENTS[1]}
    result = resegment(texts, [REFERENCE], documents=labels)
    expected = BLEU().corpus_score(SEGMENTS, [REFERENCE]).score
    for text in (texts, [texts["x"], texts["y"]]):
        assert expected == BLEU().corpus_score(text, [REFERENCE], resegment=result).score  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="another text than hypotheses, in document 'y'"):
        BLEU().corpus_score({**texts, "y": "z"}, [REFERENCE], resegment=result)  # type: ignore[arg-type]
    assert (labels, [0, 1, 0], []) == (result.given_labels(), result.document_labels(), result.empty_documents())
    assert resegment(OUTPUT, [REFERENCE]).given_labels() is None
    assert ["y"] == resegment({"x": OUTPUT, "y": " "}, [REFERENCE], documents=labels).empty_documents()


def test_rows_of_texts_divided_otherwise_are_not_put_together() -> None:
    bleu = BLEU()
    with pytest.raises(StatsMismatch, match="reseg"):
        bleu.stats(OUTPUT, [REFERENCE], resegment=True) + bleu.stats(SEGMENTS, [REFERENCE])


def test_tests_take_texts() -> None:
    other = "It rained. We stayed home. The sun came out."
    report = compare({"a": OUTPUT, "b": other}, BLEU(), [REFERENCE], resegment=True, n_samples=50, test="bs2")
    expected = compare(
        {"a": SEGMENTS, "b": other.replace(". ", ".|").split("|")}, BLEU(), [REFERENCE], n_samples=50, test="bs2"
    )
    # Three segments have no p-value.
    ours, theirs = report.metrics[0].pairs[0], expected.metrics[0].pairs[0]
    assert (theirs.delta, theirs.interval) == (ours.delta, ours.interval) and ours.interval is not None
    assert "|reseg:cue1|" in str(report.metrics[0].signature)
    systems: Any = [("a", OUTPUT), ("b", other)]
    signatures, scores = PairedTest(systems, {"BLEU": BLEU()}, [REFERENCE], "bs", 50, resegment=True)()
    assert "|reseg:cue1|" in str(signatures["BLEU"])
    assert BLEU().corpus_score(SEGMENTS, [REFERENCE]).score == scores["BLEU"][0].score  # type: ignore[union-attr]


def test_an_accumulator_divides_each_batch() -> None:
    total, plain = Accumulator(BLEU(), resegment=True), Accumulator(BLEU())
    for _ in range(2):
        total.update(OUTPUT, REFERENCE)  # type: ignore[arg-type]
        plain.update(SEGMENTS, REFERENCE)
    assert plain.compute().score == total.compute().score
    assert "|reseg:cue1|" in str(total.compute().signature)
    with pytest.raises(StatsMismatch, match="reseg"):
        plain.merge(total)


@pytest.mark.parametrize(
    ("how", "level", "message"),
    [
        ("no", "segment", "resegment is 'no', expected True, 'always', 'auto', 'cue', 'mwer', 'mwer-case', False"),
        (False, "page", "level is 'page', expected one of"),
        (False, "document", "level is 'document', and documents is not given"),
    ],
)
def test_what_is_asked_for_is_checked(how: Any, level: str, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        BLEU().corpus_score(SEGMENTS, [REFERENCE], resegment=how, level=level)
    with pytest.raises(OptionError, match="documents is given, but neither resegment nor level uses it"):
        BLEU().corpus_score(SEGMENTS, [REFERENCE], documents=["x", "y", "z"])


def test_levels_join_before_anything_is_counted() -> None:
    bleu, labels = BLEU(), ["x", "x", "y"]
    hypotheses = [join_texts(SEGMENTS[:2]), SEGMENTS[2]]
    references = [[join_texts(REFERENCE[:2]), REFERENCE[2]]]
    for level, expected, field in (
        ("document", bleu.corpus_score(hypotheses, references), "doc"),
        ("all", bleu.corpus_score([join_texts(SEGMENTS)], [[join_texts(REFERENCE)]]), "all"),
    ):
        score = bleu.corpus_score(SEGMENTS, [REFERENCE], documents=labels, level=level)
        assert (expected.score, True) == (score.score, f"|level:{field}|" in str(score.signature))
    blank = [SEGMENTS[0], "", SEGMENTS[1], SEGMENTS[2]], [[REFERENCE[0], "", REFERENCE[1], REFERENCE[2]]]
    assert 2 == len(bleu.stats(*blank, level="paragraph"))
    assert "|lv:par|" in bleu.corpus_score(*blank, level="paragraph").signature.format(short=True)


def test_a_missing_reference_is_missing_for_its_whole_document(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("WARNING", logger="truebleu")
    streams = [REFERENCE, [REFERENCE[0], None, REFERENCE[2]]]
    stats = BLEU().stats(SEGMENTS, streams, documents=["x", "x", "y"], level="document")
    assert (1, 2) == stats.references
    assert "1 of the joined references are left out" in caplog.text


def test_methods_are_signed_and_read_back() -> None:
    for method, breaks, window in (("cue", "prefer", 200), ("cue", "keep", None), ("cue", "ignore", 500)):
        signed = signed_method(method, breaks, window)
        assert {"method": method, "breaks": breaks, "window": window} == read_method(signed)
    assert {"method": "mwer-case", "breaks": "prefer", "window": 200} == read_method("mwer-case")
    assert [None, None, None] == [read_method(text) for text in ("cue2", "mwer.keep", "cue1.w0")]


@pytest.mark.parametrize("method", ["cue", "mwer", "mwer-case"])
def test_a_method_that_may_look_at_every_pair_of_tokens_says_so_where_it_takes_long(
    method: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("truebleu.resegmentation.segmentation._MOST_PAIRS", 11)
    caplog.set_level("WARNING", logger="truebleu")
    resegment(["a b c"], [["a", "b c"]], method=method)
    assert "" == caplog.text
    resegment(["a b", "a b c d"], [["a", "b", "a", "b c", "d"]], documents=[1, 1, 2, 2, 2], method=method)
    said = f"document 2 has 4 tokens and its references 4: {method!r} may look at every pair of them"
    assert ("" if method == "cue" else said) in caplog.text
    assert (method == "cue") == (caplog.text == "")


def test_the_other_cut_of_an_uncertain_boundary_is_told() -> None:
    result = resegment("One two three. maybe Four five six.", [["One two three", "four five six"]])
    assert isinstance(result, Resegmented)
    for (first, left), (second, right) in result.alternatives():
        assert letters(left + right) == letters(result.segments[first] + result.segments[second])
        assert left != result.segments[first]


# Real texts.


def lines_of(wmt22: Path, name: str) -> list[str]:
    folder = wmt22 / ("references" if ".ref." in name else "system-outputs")
    return gzip.decompress((folder / f"generaltest2022.{name}.gz").read_bytes()).decode().split("\n")[:-1]


@pytest.mark.parametrize(
    ("pair", "system", "joint", "least", "drop"),
    [
        ("en-de", "Online-W", " ", 0.99, 0.02),
        ("liv-en", "TartuNLP", " ", 0.99, 0.02),
        ("en-zh", "LanguageX", "", 0.965, 0.1),
    ],
)
def test_boundaries_of_wmt22_are_recovered(
    wmt22: Path, pair: str, system: str, joint: str, least: float, drop: float
) -> None:
    target = pair[-2:]
    segments, reference = (lines_of(wmt22, f"{pair}.{name}.{target}") for name in (f"hyp.{system}", "ref.A"))
    result = resegment(joint.join(segments), [reference])
    assert np.mean(recovered(segments, result.segments)) >= least
    bleu = BLEU(trg_lang=target)
    scores = [bleu.corpus_score(texts, [reference]).score for texts in (segments, result.segments)]
    assert abs(scores[0] - scores[1]) <= drop
    forced = resegment(segments, [reference], breaks="keep")
    assert result.cost <= forced.cost
    assert resegment(joint.join(segments), [reference], window=700).cost == result.cost
