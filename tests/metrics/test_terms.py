"""Terms: known cases, a slow version, glossaries of all kinds, and what rows promise."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import truebleu
from oracle import terms as slow
from truebleu.accumulator import Accumulator
from truebleu.cli.main import main
from truebleu.columns import score_table
from truebleu.errors import (
    EmptyCorpus,
    FileFormatError,
    InputTypeError,
    LengthMismatch,
    MissingReferences,
    OptionError,
    UnknownSignature,
)
from truebleu.metrics.glossary import Glossary
from truebleu.metrics.terms import Terms, TermUse, consistency
from truebleu.significance import breakdown, compare
from truebleu.stats import Stats

# A source, an output and a glossary; found and wanted here, with case="smart", and by the rules of two shared tasks.
CASES: dict[str, tuple[str, str, dict[str, Any], tuple[str, str, str, str]]] = {
    "inside a word": ("The rat ran.", "Die Operation lief.", {"rat": "Rat"}, ("0/1", "0/1", "1/1", "0/1")),
    "exact": ("The rat ran.", "Die Ratte lief.", {"rat": "Ratte"}, ("1/1", "1/1", "1/1", "1/1")),
    "inflected": (
        "of a carcinogen", "w obecności czynnika rakotwórczego", {"carcinogen": "czynnik rakotwórczy"},
        ("1/1", "1/1", "0/1", "0/1"),
    ),
    "vowel changes": (
        "true cancer", "nowotworu złośliwego", {"cancer": "nowotwór złośliwy"}, ("1/1", "1/1", "0/1", "0/1"),
    ),
    "no spaces": (
        "chronic hepatitis patients", "慢性肝炎患者", {"hepatitis": "肝炎"}, ("1/1", "1/1", "1/1", "0/1"),
    ),
    "twice wanted": ("acne and acne", "trądzik", {"acne": "trądzik"}, ("1/2", "1/2", "1/1", "2/2")),
    "nested": (
        "central nervous system", "ośrodkowy układ nerwowy",
        {"central nervous system": "ośrodkowy układ nerwowy", "nervous system": "układ nerwowy"},
        ("1/1", "1/1", "2/2", "2/2"),
    ),
    "second target": ("the car", "l'automobile", {"car": ["voiture", "automobile"]}, ("1/1", "1/1", "0/1", "1/1")),
    "case": ("AIDS aids", "SIDA", {"AIDS": "SIDA"}, ("1/2", "1/1", "1/1", "2/2")),
    "soft hyphen": (
        "blood pressure", "Blut\u00addruck", {"blood pressure": "Blutdruck"}, ("1/1", "1/1", "0/1", "0/1"),
    ),
    "hyphen": ("airbag", "Errezel-airbag bat", {"airbag": "airbag"}, ("1/1", "1/1", "1/1", "1/1")),
    "absent": ("no term here", "Ratte", {"rat": "Ratte"}, ("0/0", "0/0", "0/0", "0/0")),
    "Korean particle": ("hepatitis", "간염은", {"hepatitis": "간염"}, ("1/1", "1/1", "1/1", "0/1")),
    "composed": ("cafe", "cafe\u0301", {"cafe": "caf\u00e9"}, ("1/1", "1/1", "1/1", "1/1")),
    "low line": ("name", "user_name", {"name": "name"}, ("0/1", "0/1", "1/1", "0/1")),
    "number": ("type 12", "Typ 13", {"type 12": "Typ 12"}, ("0/1", "0/1", "0/1", "0/1")),
    "sharp s": ("street", "STRASSE", {"street": "Straße"}, ("1/1", "1/1", "1/1", "1/1")),
}  # fmt: skip
OPTIONS: tuple[dict[str, str], ...] = (
    {},
    {"case": "smart"},
    {"like": "wmt25-track1-surface"},
    {"like": "wmt26-surface"},
)

GLOSSARY = {"acne": ["trądzik", "acne vulgaris"], "cancer": "nowotwór złośliwy", "car": "samochód"}
SOURCES = ["acne and cancer", "a car", "nothing", "acne, acne", "the car with acne"]
GOOD = ["trądzik i nowotwór złośliwy", "samochód", "nic", "trądzik, acne vulgaris", "samochody z trądzikiem"]
BAD = ["trądzik i rak", "auto", "nic", "pryszcze", "samochód"]


@pytest.mark.parametrize("name", CASES)
def test_known_cases(name: str) -> None:
    source, output, glossary, expected = CASES[name]
    found = []
    for options in OPTIONS:
        score = Terms(glossary, sources=[source], allow_none=True, **options).corpus_score([output], None)
        found.append(f"{score.found}/{score.wanted}")
    assert expected == tuple(found)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("inside a word", 100.0), ("exact", 100.0), ("inflected", 0.0), ("vowel changes", 0.0), ("no spaces", 100.0),
        ("twice wanted", 50.0), ("nested", 100.0), ("second target", 100.0), ("case", 50.0), ("soft hyphen", 0.0),
        ("hyphen", 100.0), ("absent", None),
    ],
)  # fmt: skip
def test_the_mean_over_documents_and_terms_of_wmt25(name: str, expected: float | None) -> None:
    source, output, glossary, _ = CASES[name]
    targets = " ".join(text if isinstance(text, str) else text[0] for text in glossary.values())
    metric = Terms(glossary, sources=[source], like="wmt25-track2", allow_none=True)
    assert expected == metric.corpus_score([output], [[targets]]).to_dict()["score"]
    nothing = metric.corpus_score([output], [["none of them"]])
    assert (0, None) == (nothing.wanted, nothing.to_dict()["score"])


def test_terms_count_if_references_have_them() -> None:
    found = {}
    for which in ("", "any", "all"):
        metric = Terms(GLOSSARY, if_reference=which, sources=SOURCES)
        found[which] = metric.corpus_score(GOOD, [GOOD, [*BAD[:4], GOOD[4]]]).wanted
    assert {"": 7, "any": 5, "all": 1} == found
    with pytest.raises(MissingReferences, match="if_reference asks which terms they have"):
        Terms(GLOSSARY, if_reference="any", sources=SOURCES).corpus_score(GOOD, None)


def test_the_mean_over_terms_is_exact_in_any_order() -> None:
    metric = Terms(GLOSSARY, average="document", sources=SOURCES)
    shares = [1, 0, 0, 0, 1, 0]  # acne and cancer, car, acne twice, car and acne
    score = metric.corpus_score(BAD, None)
    assert 100 * (sum(shares) / len(shares)) == score.score and "|avg:document" in str(score.signature)
    stats = metric.stats(GOOD, None)
    turned = Stats(stats.rows[::-1].copy(), stats.columns, stats.fingerprint, stats.references)
    assert metric.score(stats).score == metric.score(turned).score and [] == metric.impossible_rows(stats)
    again: Any = truebleu.metric_from_signature(f"Terms|{score.signature}")
    assert again.score(stats).score == metric.score(stats).score


WORDS = (
    "acne", "Acne", "rat", "ratte", "ratten", "nowotwór", "nowotworu", "system", "systems", "nervous", "A", "B12",
    "mRNA", "肝炎", "肝", "炎症", "-", "간염", "은",
)  # fmt: skip
PHRASES = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).flatmap(
    lambda words: st.sampled_from([" ", "", " "]).map(lambda gap: gap.join(words))
)
TEXTS = st.lists(st.sampled_from(WORDS), max_size=7).flatmap(
    lambda words: st.sampled_from([" ", " ", "", "\u200b", "  "]).map(lambda gap: gap.join(words))
)


@settings(max_examples=400, deadline=None)
@given(
    st.dictionaries(PHRASES, st.lists(PHRASES, min_size=1, max_size=2), min_size=1, max_size=5),
    st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=8),
    st.sampled_from(["exact", "form"]),
    st.sampled_from(["fold", "smart", "keep"]),
    st.sampled_from(["longest", "all"]),
)
def test_rows_are_those_of_the_slow_version(
    glossary: dict[str, list[str]], pairs: list[tuple[str, str]], mode: str, case: str, overlap: str
) -> None:
    if case != "keep":  # two terms that differ in case alone are one
        glossary = {term: targets for term, targets in glossary.items() if term == term.lower()} or {"rat": ["ratte"]}
    if mode == "form" and case == "keep":
        mode = "exact"  # the slow version knows no other forms of cased words
    sources, outputs = zip(*pairs, strict=True)
    metric = Terms(glossary, mode, case, overlap, sources=sources, allow_none=True)
    rows = metric.stats(outputs, None).rows[:, :3].astype(int).tolist()
    expected = [list(slow.row(*pair, glossary, mode, case, overlap)) for pair in pairs]
    assert expected == rows


def test_many_generated_rows_are_those_of_the_slow_version(cases: int) -> None:
    rows_agree(max(2, cases // 10))


@pytest.mark.full
def test_generated_rows_are_those_of_the_slow_version() -> None:
    rows_agree(500)


def rows_agree(glossaries: int) -> None:
    rng = random.Random("terms")
    low = [word for word in WORDS if word == word.lower()]

    def text(most: int) -> str:
        return rng.choice([" ", " ", ""]).join(rng.choices(low, k=rng.randrange(1, most)))

    met = 0
    for _ in range(glossaries):
        glossary = {text(4): [text(4) for _ in range(rng.randrange(1, 3))] for _ in range(6)}
        pairs = [(text(8), text(7)) for _ in range(40)]
        metric = Terms(glossary, sources=[source for source, _ in pairs], allow_none=True)
        rows = metric.stats([output for _, output in pairs], None).rows[:, :3].astype(int).tolist()
        assert [list(slow.row(*pair, glossary)) for pair in pairs] == rows
        met += sum(row[0] for row in rows)
    assert met


def test_sums_know_no_order_of_segments_terms_and_shards() -> None:
    metric = Terms(GLOSSARY, sources=SOURCES)
    whole = metric.corpus_score(GOOD, None)
    assert (7, 7, 5) == (whole.wanted, whole.found, whole.exact)
    turned = Terms(dict(reversed(GLOSSARY.items())), sources=SOURCES[::-1])
    assert whole.score == turned.corpus_score(GOOD[::-1], None).score
    shards = [Terms(GLOSSARY, sources=SOURCES[at::2]).stats(GOOD[at::2], None) for at in range(2)]
    assert whole.score == metric.score(Stats.concatenate(shards)).score
    for threads in (1, 2):
        assert whole.to_dict() == metric.corpus_score(GOOD, None, threads=threads).to_dict()
    assert [] == metric.impossible_rows(metric.stats(GOOD, None))


def test_references_do_not_change_what_is_wanted() -> None:
    metric = Terms(GLOSSARY, sources=SOURCES)
    assert metric.corpus_score(GOOD, None).score == metric.corpus_score(GOOD, [BAD]).score


def test_the_score_says_its_parts() -> None:
    score = Terms(GLOSSARY, sources=SOURCES).corpus_score(BAD, None)
    text = "Terms = 28.57 (2/7 terms; exact 28.6, form 28.6; 0.0 % of 4 segments complete)"
    assert (text, 4, 0) == (str(score), score.segments, score.complete)
    assert {"found": 2, "wanted": 7}.items() <= score.to_dict().items()


def test_a_score_after_one_with_an_interval_is_that_of_a_new_metric() -> None:
    metric = Terms(GLOSSARY, sources=SOURCES)
    interval = metric.corpus_score(BAD, None, n_bootstrap=20)
    found, new = metric.corpus_score(BAD, None), Terms(GLOSSARY, sources=SOURCES).corpus_score(BAD, None)
    assert "bs:20" in str(interval.signature) and str(new.signature) == str(found.signature)
    assert found.to_dict() == new.to_dict() and found.missed == interval.missed
    assert found.score == metric.corpus_score(BAD, None, checks=False).score == interval.score


def test_terms_that_were_missed_are_named(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("INFO", "truebleu"):
        score = Terms({**GLOSSARY, "x": "y", "z": "y"}, sources=SOURCES).corpus_score(BAD, None)
    assert [("acne", 3), ("cancer", 1), ("car", 1)] == [
        (one.source, one.wanted - one.found) for one in score.missed or ()
    ]
    assert {"source": "car", "wanted": 2, "found": 1, "targets": {"samochód": 1}} == score.to_dict()["missed"][-1]
    assert "in no source: 2 of the 5 terms of the glossary" in caplog.text
    many = Terms({f"t{at}": "x" for at in range(30)}, sources=[" ".join(f"t{at}" for at in range(30))])
    assert 20 == len(many.corpus_score([""], None).to_dict()["missed"])


def test_each_segment_may_have_its_own_terms() -> None:
    by_segment = [{"acne": "trądzik"}, {}, {"car": ["auto", "samochód"], "x": "y"}]
    score = Terms(by_segment).corpus_score(["trądzik", "trądzik", "samochód"], None)
    assert (2, 3, 2) == (score.found, score.wanted, score.segments)
    twice = [[{"source": "acne", "target": "trądzik"}, {"source": "acne", "target": "trądzik"}]]
    assert 50.0 == Terms(twice).corpus_score(["trądzik"], None).score
    inflected = [[{"source": "go", "target": "iść", "target_inflected": "szedł"}]]
    found = Terms(inflected).corpus_score(["on szedł"], None)
    assert (1, 0) == (found.found, found.exact)


def test_without_a_glossary_each_reference_is_a_term() -> None:
    score = Terms().corpus_score(["the grey heron", "rain"], [["heron", "rain"], ["pond", None]])
    assert (2, 3, "refs") == (score.found, score.wanted, Terms().digest)
    total = Accumulator(Terms())
    total.update(["the grey heron", "rain"], [["heron", "pond"], ["rain"]])
    assert score.score == total.compute().score


# Lemmas.


_KNOWN = {"szedł": "iść", "szli": "iść", "raki": "rak", "złośliwe": "złośliwy"}


def lemmatize(texts: list[str], language: str) -> list[list[tuple[int, int, str]]]:
    """Words between spaces, commas and characters without width."""
    words = [re.finditer("[^ ,\\u200b\\u00ad]+", text) for text in texts]
    return [[(*one.span(), language + _KNOWN.get(one[0].lower(), one[0])) for one in of_text] for of_text in words]


LEMMAS: dict[str, Any] = {"mode": "lemma", "lemmatize": lemmatize, "language": "pl"}


def test_lemmas_find_what_no_beginning_tells() -> None:
    glossary = {"go": "iść", "true cancer": "rak złośliwy"}
    sources = ["they go", "go and go", "true cancer", "a true cancer"]
    outputs = ["oni  szli​", "szedł­, iść", "RAKI złośliwe", "nic"]
    score = Terms(glossary, sources=sources, **LEMMAS).corpus_score(outputs, None)
    assert (4, 5, 1, 1) == (score.found, score.wanted, score.exact, score.form)
    assert "exact 20.0, form 20.0, lemma 80.0" in str(score)
    assert {"form": 1, "found": 4}.items() <= score.to_dict().items()
    uses = Terms(glossary, sources=sources, **LEMMAS).uses(outputs)
    assert [("go", 3, 3), ("true cancer", 2, 1)] == [(one.source, one.wanted, one.found) for one in uses]


def test_lemmas_include_forms_and_places_stand_for_one_term() -> None:
    metric = Terms(GLOSSARY, sources=SOURCES, **LEMMAS)
    stats = metric.stats(GOOD, None)
    assert ("form",) == stats.columns[-1:] and [] == metric.impossible_rows(stats)
    assert Terms(GLOSSARY, sources=SOURCES).corpus_score(GOOD, None).found == metric.corpus_score(GOOD, None).form
    twice = Terms([{"walk": "szedł", "go": "iść"}], **LEMMAS)
    assert (1, 2) == (twice.corpus_score(["szli"], None).found, twice.corpus_score(["szli szli"], None).found)
    by_term = Terms(GLOSSARY, sources=SOURCES, average="document", **LEMMAS)
    assert metric.corpus_score(GOOD, None).score == by_term.corpus_score(GOOD, None).score == 100.0
    with_references = Terms(GLOSSARY, sources=SOURCES, if_reference="all", **LEMMAS)
    assert 5 == with_references.corpus_score(GOOD, [GOOD]).wanted


def test_a_signature_tells_who_told_the_lemmas() -> None:
    metric = Terms(GLOSSARY, sources=SOURCES, **LEMMAS)
    score = metric.corpus_score(GOOD, [GOOD])
    assert score.signature is not None
    assert "|mode:lemma" in str(score.signature) and "test_terms.lemmatize" in str(score.signature)
    again: Any = truebleu.metric_from_signature(f"Terms|{score.signature}")
    assert again.score(metric.stats(GOOD, [GOOD])).score == score.score
    with pytest.raises(OptionError, match="the signature tells only its hash"):
        again.corpus_score(GOOD, [GOOD])
    import pickle

    assert score.score == pickle.loads(pickle.dumps(metric)).corpus_score(GOOD, [GOOD]).score


@pytest.mark.parametrize(
    ("told", "message"),
    [
        (None, "gave None for 3 texts, expected a list for each"),
        ([[]], "for 3 texts, expected a list for each"),
        ([[(0, 99, "x")]] * 3, "gave (0, 99, 'x') as a word of"),
        ([[(0, 1)]] * 3, "expected where it begins, where it ends, and its lemma"),
        ([[(1, 1, "x")]] * 3, "gave (1, 1, 'x')"),
        ([["x"]] * 3, "gave 'x' as a word"),
    ],
)
def test_lemmas_that_are_none_are_refused(told: Any, message: str) -> None:
    metric = Terms({"a": "b", "c": "d", "e": "f"}, "lemma", sources=["a"], lemmatize=lambda texts, language: told)
    with pytest.raises(OptionError) as caught:
        metric.corpus_score(["b"], None)
    assert message in str(caught.value)


def test_compounds_may_end_in_a_term() -> None:
    for output, expected in (("ein Messgerät", 100.0), ("ein Messgeräte", 100.0), ("eine Gerätschaft", 0.0)):
        for compounds in (False, True):
            score = Terms({"device": "Gerät"}, sources=["device"], compounds=compounds).corpus_score([output], None)
            assert (expected if compounds else 0.0) == score.score, output


def test_consistency_is_the_share_of_the_most_frequent_translation() -> None:
    glossary = {"car": ["auto", "samochód"], "acne": ["trądzik", "acne"], "rat": ["szczur", "rat"]}
    metric = Terms(glossary, sources=["car", "car", "car and acne", "rat rat"])
    score = metric.corpus_score(["auto", "auto", "samochód, acne", "szczur, szczury"], None)
    assert 100 * 4 / 5 == score.consistency and "; consistency 80.0)" in str(score)
    uses = metric.uses(["auto", "auto", "samochód, acne", "szczur"], documents=[1, 1, 2, 2])
    expected = [
        TermUse("car", 2, 2, {"auto": 2, "samochód": 0}, 1), TermUse("car", 1, 1, {"auto": 0, "samochód": 1}, 2),
        TermUse("acne", 1, 1, {"trądzik": 0, "acne": 1}, 2), TermUse("rat", 2, 1, {"szczur": 1, "rat": 0}, 2),
    ]  # fmt: skip
    assert sorted(expected, key=str) == sorted(uses, key=str)
    only = TermUse("x", 3, 3, {"y": 3})
    assert (100.0, None, None) == (consistency(uses), consistency([]), consistency([only]))


def test_a_group_without_terms_has_no_score() -> None:
    metric = Terms(GLOSSARY, sources=SOURCES)
    stats = metric.stats(GOOD, None)
    labels = ["a", "a", "none", "a", "a"]
    assert {"a": 100.0, "none": None} == {one.label: one.score for one in breakdown(metric, stats, labels)}
    scores = [str(one).partition(" (")[0] for one in metric.segment_scores(stats)]
    assert ["Terms = 100.00", "Terms = –"] == scores[1:3] and metric.segment_scores(stats)[2].to_dict()["score"] is None
    assert np.isnan(metric.sentence_scores(GOOD, [GOOD])[2])


def test_tests_and_intervals_take_its_rows() -> None:
    metric = Terms(GLOSSARY, sources=SOURCES)
    report = compare({"bad": BAD, "good": GOOD}, metric, [GOOD], test="ar", checks=False)
    assert [100 * (2 / 7), 100.0] == [one.score for one in report.metrics[0].systems]
    interval = metric.corpus_score(BAD, None, n_bootstrap=200).confidence
    assert interval is not None and 0 < interval.mean < 100


def test_signatures_tell_the_glossary_and_make_the_metric_again() -> None:
    metric = Terms(GLOSSARY, case="smart", compounds=True, sources=SOURCES)
    signature = metric.corpus_score(GOOD, [GOOD]).signature
    assert signature is not None
    other = Terms({**GLOSSARY, "x": "y"}, sources=SOURCES).corpus_score(GOOD, [GOOD]).signature
    assert str(signature).startswith("nrefs:1|terms:3-") and str(other).split("|")[1] != str(signature).split("|")[1]
    again: Any = truebleu.metric_from_signature(f"Terms|{signature.format(True)}")
    assert metric.digest == again.digest and again.score(metric.stats(GOOD, [GOOD])).score == 100.0
    with pytest.raises(OptionError, match="the signature tells only its hash"):
        again.corpus_score(GOOD, [GOOD])
    with pytest.raises(OptionError, match="the glossary has the hash 1-"):
        Terms({"x": "y"}, digest=metric.digest)
    with pytest.raises(UnknownSignature, match="expected the hash of a glossary"):
        truebleu.metric_from_signature("Terms|nrefs:1|terms:abc")


# What the scripts of shared tasks do otherwise.


def found_of(name: str, **options: Any) -> str:
    source, output, glossary, _ = CASES[name]
    score = Terms(glossary, sources=[source], **options).corpus_score([output], None)
    return f"{score.found}/{score.wanted}"


def test_295_a_translation_inside_a_word() -> None:
    assert ("1/1", "0/1") == (found_of("inside a word", like="wmt25-track1-surface"), found_of("inside a word"))


def test_296_one_place_for_two_annotations() -> None:
    assert ("2/2", "1/2") == (found_of("twice wanted", like="wmt26-surface"), found_of("twice wanted"))


def test_297_scripts_without_spaces() -> None:
    assert ("0/1", "1/1") == (found_of("no spaces", like="wmt26-surface"), found_of("no spaces"))


def test_298_terms_inside_terms() -> None:
    assert ("2/2", "1/1") == (found_of("nested", like="wmt25-track1-surface"), found_of("nested"))
    assert "1/2" == found_of("nested", overlap="all")


# Files.


def of_files(tmp_path: Path, name: str, content: Any) -> Glossary:
    path = tmp_path / name.partition(":")[0]
    path.write_text(content if isinstance(content, str) else json.dumps(content, ensure_ascii=False), "utf-8")
    return Glossary.of("terms", f"{tmp_path}/{name}")


def test_files_of_all_forms_are_read(tmp_path: Path) -> None:
    expected = Glossary.of("terms", {"acne": ["trądzik", "wyprysk"], "car": ["auto"]})
    table = "# a comment\nacne\ttrądzik\twyprysk\n\ncar\tauto\n"
    assert expected == of_files(tmp_path, "g.tsv", table)
    flat = {"acne": ["trądzik", "wyprysk"], "car": "auto"}
    assert expected == of_files(tmp_path, "flat.json", flat)
    assert expected == of_files(tmp_path, "parts.json:proper", {"proper": flat, "random": {"x": "y"}})
    lines = "".join(json.dumps(one) + "\n" for one in ({"en": "acne", "terms": flat}, {"terms": {}}))
    assert Glossary.of("terms", [flat, {}]) == of_files(tmp_path, "lines.jsonl", lines)
    term = {
        "source": "acne",
        "target": "trądzik",
        "glossary_targets": ["trądzik", "wyprysk"],
        "target_inflected": "trądzika",
    }
    paragraphs = [
        {"reference": "x", "segments": [{"terms": [term]}, {"terms": [term]}]},
        {"reference": None, "segments": [{"terms": [term]}]},
        {"segments": [{"terms": []}]},
    ]
    unified = of_files(tmp_path, "unified.json", {"documents": [{"paragraphs": paragraphs}]})
    assert ((0, 0), ()) == unified.segments
    assert [("acne", ("trądzik", "wyprysk"), ((0, "trądzika"),))] == [tuple(one) for one in unified.entries]


def test_terms_that_stand_twice_are_joined(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("INFO", "truebleu"):
        found = of_files(tmp_path, "g.tsv", "acne\ta\nacne\tb\n")
    assert "1 term stood there before; the translations were put together" in caplog.text
    assert [("acne", ("a", "b"), ())] == [tuple(one) for one in found.entries]


def test_translations_are_split_on_request() -> None:
    glossary = {"x": "brachyterapia/terapia kontaktowa"}
    assert 0.0 == Terms(glossary, sources=["x"]).corpus_score(["terapia kontaktowa"], None).score
    assert 100.0 == Terms(glossary, split="/", sources=["x"]).corpus_score(["terapia kontaktowa"], None).score


WRONG_FILES: dict[str, tuple[str, Any, str]] = {
    "one column": ("g.tsv", "acne\n", "line 1: found 1 column, 'acne', expected a term, a tab and its translation"),
    "no translation": ("g.tsv", "acne\t \n", "a translation of 'acne' is ' ', expected a text"),
    "empty": ("g.tsv", "", "is empty, expected terms"),
    "only comments": ("g.tsv", "# x\n", "has no terms"),
    "empty target": ("g.json", {"acne": [""]}, "a translation of 'acne' is '', expected a text"),
    "no target": ("g.json", {"acne": []}, "the translation of 'acne' is [], expected one or more texts"),
    "a number": ("g.json", {"acne": 3}, "the translation of 'acne' is 3"),
    "parts": ("g.json", {"proper": {"a": "b"}}, "has parts, 'proper'; choose one, as in"),
    "unknown part": ("g.json:xyz", {"proper": {"a": "b"}}, "has no part 'xyz'; its parts are 'proper'"),
    "part of a flat object": ("g.json:proper", {"a": "b"}, "has no part 'proper'; it has terms and no parts"),
    "part of a table": ("g.tsv:proper", "a\tb\n", "has no part 'proper'"),
    "no field": ("g.jsonl", '{"en": "x"}\n', "line 1: found 'en', expected an object with the field 'terms'"),
    "no JSON": ("g.jsonl", "x\n", "line 1: not JSON"),
    "a text": ("g.json", "3", "has 3, expected an object with terms"),
    "documents": ("g.json", {"documents": [{}]}, "expected documents"),
    "annotation": ("g.json", {"documents": [{"paragraphs": [{"terms": ["x"]}]}]}, "paragraph 1, term 1: found 'x'"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG_FILES)
def test_files_that_are_no_glossaries_are_refused(name: str, tmp_path: Path) -> None:
    file, content, message = WRONG_FILES[name]
    with pytest.raises(FileFormatError) as caught:
        of_files(tmp_path, file, content)
    assert message in str(caught.value)


WRONG_CALLS: dict[str, tuple[Callable[[], object], type[Exception], str]] = {
    "a number": (lambda: Terms(3), InputTypeError, "glossary is of type int, expected a mapping"),
    "no terms": (lambda: Terms({}), OptionError, "glossary has no terms"),
    "half a character": (lambda: Terms({"a": "\ud800"}), OptionError, "has half a character"),
    "no sources": (lambda: Terms(GLOSSARY).corpus_score(GOOD, None), MissingReferences, "there are none; give them as"),
    "few sources": (
        lambda: Terms(GLOSSARY, sources=SOURCES[:2]).corpus_score(GOOD, None), LengthMismatch,
        "hypotheses has 5 segments and sources has 2 texts; expected one for each",
    ),
    "few segments": (
        lambda: Terms([GLOSSARY]).corpus_score(GOOD, None), LengthMismatch,
        "hypotheses has 5 segments, and the glossary has terms of 1 segment",
    ),
    "no term": (
        lambda: Terms({"x": "y"}, sources=SOURCES).corpus_score(GOOD, None), EmptyCorpus, "no segment has a term",
    ),
    "no positions": (lambda: Accumulator(Terms(GLOSSARY)).update(["a"], ["b"]), MissingReferences, "there are none"),
    "kept references": (lambda: Terms(GLOSSARY, references=[["a"]]), OptionError, "come without them"),
    "a mode": (lambda: Terms(GLOSSARY, mode="stem"), OptionError, "mode is 'stem'"),
    "no lemmas": (lambda: Terms(GLOSSARY, mode="lemma"), OptionError, "expected mode='lemma' with a function of texts"),
    "lemmas in another mode": (
        lambda: Terms(GLOSSARY, lemmatize=lemmatize), OptionError, "mode is 'form' and lemmatize is",
    ),
    "lemmas of references": (lambda: Terms(**LEMMAS), OptionError, "and the references are the terms"),
    "no language": (lambda: Terms(GLOSSARY, "lemma", lemmatize=lemmatize, language=3), InputTypeError, "language is 3"),
    "two characters": (lambda: Terms(GLOSSARY, split="ab"), OptionError, "split is 'ab', expected one character"),
    "no uses": (lambda: Terms().uses(["a"]), OptionError, "this needs the glossary, and there is none"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG_CALLS)
def test_calls_that_make_no_sense_are_refused(name: str) -> None:
    call, error, message = WRONG_CALLS[name]
    with pytest.raises(error) as caught:
        call()
    assert message in str(caught.value)


# The command.


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, lines in (("src", SOURCES), ("ref", GOOD), ("good", GOOD), ("bad", BAD), ("doc", "aabbb")):
        Path(name).write_text("".join(f"{line}\n" for line in lines), "utf-8")
    Path("g.json").write_text(json.dumps(GLOSSARY), "utf-8")
    by_segment = [{"terms": {"acne": "trądzik"}}, {"terms": {}}, {"terms": {"x": "nic"}}, {"terms": {}}, {"terms": {}}]
    Path("by.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in by_segment), "utf-8")
    return tmp_path


def printed(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> str:
    assert code == main(words)
    out, err = capsys.readouterr()
    return err if code else out


USUAL = ("ref", "-i", "good", "bad", "-m", "terms", "--terms", "g.json", "--sources", "src")


@pytest.mark.usefixtures("folder")
def test_the_command_scores_tests_and_reports(capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(printed(capsys, *USUAL, "-f", "json"))
    assert [100.0, 100 * (2 / 7)] == [one["score"] for one in found]
    both = ("ref", "-i", "good", "bad", "-m", "terms", "chrf", "--terms", "g.json", "--sources", "src")
    assert "Terms" in printed(capsys, *both, "--paired-all", "--paired-n", "50")
    assert "Terms" in printed(capsys, *both, "-ci", "--docids", "doc")
    table = printed(capsys, *USUAL, "--breakdown", "src")
    assert "–" in table and "Terms that were missed most, and how often each system has them:" in table
    assert ["acne", "4", "4", "1", "trądzik, acne vulgaris"] in [re.split(" {2,}", line) for line in table.splitlines()]
    told = json.loads(printed(capsys, *USUAL, "--breakdown", "src", "-f", "json"))
    assert "acne" == told[-1]["missed"][0]["source"] and [] == told[-2]["missed"]
    assert 2 * 5 == len(printed(capsys, *USUAL, "-sl", "-f", "jsonl").splitlines())
    one = ("ref", "-i", "bad", "-m", "terms", "--terms", "g.json", "--sources", "src")
    assert "Terms" in printed(capsys, *one, "--only", "1-2,4") and "3/3" in printed(
        capsys, *(*one[:2], "good", *one[3:]), "--only", "1,2"
    )
    page = ("report", *both[:1], "-i", "good", "bad", *both[4:-2], "--src", "src", "-o", "page.html", "--trials", "50")
    printed(capsys, *page, "--labels", "kind=src", "-q")
    page_text = Path("page.html").read_text("utf-8")
    assert "Terms that were missed most (terms)" in page_text and "trądzik, acne vulgaris" in page_text
    printed(capsys, *page, "-q", "--no-text")
    assert "trądzik" not in Path("page.html").read_text("utf-8")
    printed(capsys, *one, "--receipt", "bad.receipt.json")
    assert "28.6" in printed(capsys, "-i", "bad.receipt.json", "-m", "terms")


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("words", [
    ("--terms-like", "wmt25-track1-surface"), ("--terms-like", "wmt25-track2"), ("--terms-like", "wmt26-surface"),
    ("--terms-if-reference", "any"), ("--terms-if-reference", "all"), ("--terms-mode", "exact"), ("--terms-compounds",),
    ("--terms-case", "smart"), ("--terms-overlap", "all"), ("--terms-average", "document"),
])  # fmt: skip
def test_each_flag_is_the_option_of_its_name(words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    options = {words[0][8:].replace("-", "_"): words[1] if words[1:] else True}
    expected = Terms(GLOSSARY, sources=SOURCES, **options).corpus_score(BAD, [GOOD])
    one = ("ref", "-i", "bad", "-m", "terms", "--terms", "g.json", "--sources", "src")
    (found,) = json.loads(printed(capsys, *one, *words, "-f", "json").join("[]"))
    assert (expected.score, expected.wanted) == (found["score"], found["wanted"])


@pytest.mark.usefixtures("folder")
def test_terms_of_segments_follow_the_segments(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("ref", "-i", "good", "-m", "terms", "--terms", "by.jsonl")
    assert "(2/2 terms" in printed(capsys, *words) and "(1/1 terms" in printed(capsys, *words, "--only", "2-3")


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(("words", "message"), [
    (("-m", "terms"), "-m terms needs a glossary: name a file with --terms FILE"),
    (("-m", "terms", "--terms", "g.json"), "give them as sources=, or with --sources FILE"),
    (("-m", "terms", "--terms", "absent"), "absent"),
    (("--terms", "g.json"), "--terms"),
    (("-m", "terms", "--terms", "g.json", "--sources", "g.json"), "g.json has 1 line, the systems have 5 segments"),
])  # fmt: skip
def test_the_command_says_what_is_missing(
    words: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(("ref", "-i", "good", *words)) != 0
    assert message in capsys.readouterr().err


@pytest.mark.usefixtures("folder")
def test_references_may_be_the_terms(capsys: pytest.CaptureFixture[str]) -> None:
    assert "Terms|" in printed(capsys, "ref", "-i", "good", "-m", "terms", "--terms", "references")


def test_a_list_column_has_the_terms_of_each_row() -> None:
    pa = pytest.importorskip("pyarrow")
    table = pa.table({"mt": ["the grey heron", "rain"], "terms": [["heron", "pond"], ["rain"]], "lang": ["a", "b"]})
    found = score_table(table, [Terms()], hypothesis="mt", references="terms")
    expected = Terms().corpus_score(["the grey heron", "rain"], [["heron", "rain"], ["pond", None]]).score
    assert [expected] == [value for name, value in found.to_pylist()[0].items() if name.lower() == "terms"]


# Size.


def test_long_terms_and_texts_are_no_trouble() -> None:
    target = " ".join(["ab"] * 500)
    score = Terms({"x": target}, sources=["x x"]).corpus_score([" ".join(["ab"] * 33_000)], None)
    assert (2, 2) == (score.found, score.wanted)


def test_many_terms_that_want_the_same_places_are_no_trouble() -> None:
    glossary = {f"t{at}": "a" for at in range(20)}
    score = Terms(glossary, sources=[" ".join([*glossary] * 50)]).corpus_score(["a " * 900], None)
    assert (900, 1000) == (score.found, score.wanted)
    nested = {f"t{at}": " ".join("a" * (at + 1)) for at in range(20)}
    score = Terms(nested, sources=[" ".join([*nested] * 20)]).corpus_score(["a " * 2000], None)
    assert (20 * 13 + 12, 400) == (score.found, score.wanted)  # 20 of each of the 13 shortest, and 12 of the next
