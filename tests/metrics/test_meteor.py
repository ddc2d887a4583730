"""METEOR against NLTK: known cases, generated texts, words, synonyms, the faces, and what rows promise."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import random
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import nltk.data
import nltk.translate.meteor_score as theirs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.stem import PorterStemmer
from nltk.tokenize import NLTKWordTokenizer

import build_wordnet
import truebleu
import truebleu.evaluate
import truebleu.nltk.meteor_score as ours
from real_texts import wmt22_folder
from truebleu import METEOR, _core
from truebleu.cli.main import main
from truebleu.errors import MissingReferences, OptionError, TokenizerError, UnknownSignature
from truebleu.metrics.meteor import wordnet
from truebleu.metrics.published import metric_from_signature
from truebleu.tokenizers import treebank

GIVEN: dict[str, Any] = json.loads(Path(__file__).parents[1].joinpath("data", "meteor.json").read_text("utf-8"))
VECTORS = {one["name"]: one for one in GIVEN["vectors"]}
COUNTS = ("exact", "stem", "synonym", "chunks", "hyp_len", "ref_len")


def with_data(path: str) -> bool:
    try:
        return bool(nltk.data.find(path))
    except LookupError:
        return False


needs_wordnet = pytest.mark.skipif(not with_data("corpora/wordnet"), reason="NLTK's corpus wordnet is not here")
needs_punkt = pytest.mark.skipif(not with_data("tokenizers/punkt_tab/english"), reason="Punkt's model is not here")


class OurSynsets:
    """WordNet as NLTK asks for it, from our table: so NLTK needs no corpus to be compared with."""

    def synsets(self, word: str) -> list[Any]:
        named = [SimpleNamespace(name=lambda name=name: name) for name in wordnet().synonyms(word.lower())]
        return [SimpleNamespace(lemmas=lambda: named)]


@cache
def families() -> list[list[str]]:
    """Synonyms of some words, whose inflected forms make texts in which all three stages have work."""
    words = [
        "begin",
        "buy",
        "big",
        "car",
        "quick",
        "child",
        "say",
        "think",
        "house",
        "walk",
        "nice",
        "end",
        "answer",
        "sea",
        "stone",
        "way",
        "find",
        "small",
        "job",
    ]
    return [[word, *wordnet().synonyms(word)[:6]] for word in words]


@st.composite
def tokens(draw: Callable[..., Any]) -> list[str]:
    rng = draw(st.randoms(use_true_random=False))
    endings = ("", "", "", "s", "ed", "ing", "es", "ly", "er", "'s", "ity", "é", "ā́", "yy")
    pool = [word for family in rng.sample(families(), 4) for word in family]
    make = lambda: rng.choice(pool) + rng.choice(endings)  # noqa: E731
    return [make().upper() if rng.random() < 0.1 else make() for _ in range(rng.randrange(13))]


@pytest.mark.parametrize("name", VECTORS)
def test_known_cases(name: str) -> None:
    case = VECTORS[name]
    hypothesis, references, options = case["hypothesis"], case["references"], case["options"]
    assert case["score"] == repr(ours.meteor_score(references, hypothesis, **options))
    lower = lambda words: [word.lower() for word in words]  # noqa: E731
    found = wordnet().matches(lower(hypothesis), [lower(reference) for reference in references])
    assert [tuple(one[key] for key in COUNTS) for one in case["by_reference"]] == found
    for reference, one in zip(references, case["by_reference"], strict=True):
        assert [tuple(pair) for pair in one["alignment"]] == ours.align_words(hypothesis, reference)[0]
        assert one["score"] == repr(ours.single_meteor_score(reference, hypothesis, **options))
    joined = METEOR(tokenize="none", **options, empty_refs="keep")
    texts = [" ".join(words) for words in references]
    score = joined.sentence_score(" ".join(hypothesis), texts)
    assert 100 * float(case["score"]) == score.score


@given(tokens(), st.lists(tokens(), min_size=1, max_size=3))
def test_the_face_equals_nltk(hypothesis: list[str], references: list[list[str]]) -> None:
    net = OurSynsets()
    assert theirs.meteor_score(references, hypothesis, wordnet=net) == ours.meteor_score(references, hypothesis)
    options = {"alpha": 0.7, "beta": 2, "gamma": 0.9}
    expected = theirs.meteor_score(references, hypothesis, wordnet=net, **options)
    assert expected == ours.meteor_score(references, hypothesis, **options)
    stemmer = PorterStemmer(mode=PorterStemmer.ORIGINAL_ALGORITHM)
    own = (str.upper, stemmer, net)
    assert theirs.meteor_score(references, hypothesis, *own) == ours.meteor_score(references, hypothesis, *own)
    for reference in references:
        pair = hypothesis, reference
        assert theirs.exact_match(*pair) == ours.exact_match(*pair)
        assert theirs.stem_match(*pair) == ours.stem_match(*pair)
        assert theirs.stem_match(*pair, stemmer) == ours.stem_match(*pair, stemmer)
        assert theirs.wordnetsyn_match(*pair, wordnet=net) == ours.wordnetsyn_match(*pair)
        assert theirs.align_words(*pair, wordnet=net) == ours.align_words(*pair) == ours.align_words(*pair, wordnet=net)


@given(st.lists(st.tuples(tokens(), tokens()), min_size=1, max_size=6))
def test_a_corpus_is_the_mean_of_its_segments(pairs: list[tuple[list[str], list[str]]]) -> None:
    hypotheses, references = [[" ".join(words) for words in side] for side in zip(*pairs, strict=True)]
    metric = METEOR(tokenize="none", empty_refs="keep")
    net = OurSynsets()
    segments = [theirs.single_meteor_score(reference, hypothesis, wordnet=net) for hypothesis, reference in pairs]
    stats = metric.stats(hypotheses, [references])
    assert [100 * score for score in segments] == metric.sentence_scores(hypotheses, [references]).tolist()
    # Exactly summed and rounded once; sums of doubles may differ in the last digits.
    assert 100 * np.mean(segments) == pytest.approx(metric.score(stats).score, rel=1e-12)
    shuffled = list(stats.rows)
    random.Random(1).shuffle(shuffled)
    assert metric.engine.score(np.sum(shuffled, axis=0).tolist()) == metric.score(stats).score
    assert [] == metric.impossible_rows(stats)


@given(st.text("aeiousybcdlmnrtvzgé'-āİ", max_size=14))
def test_stems_are_those_of_nltk(word: str) -> None:
    assert PorterStemmer().stem(word) == ours._porter(word)


PIECES = [
    "'", "''", "\"", "`", "``", ".", "..", "...", ",", ":", ";", "a", "s", "S", "x", "3", "٣", "²", "-", "--",
    "(", ")", "[", "]", "{", "<", ">", "«", "»", "‘", "’", "“", "”", "„", "can", "not", "cannot", "CanNot",
    "gonna", "wanna", "lemme", "gİmme", "gımme", "d'ye", "more'n", "'tis", "'twas", "n't", "N'T", "n'T", "'ll",
    "'Ll", "'LL", "'re", "'ve", "'ſ", "'s", "'S", "'d", "'m", "?", "!", "*", "@", "#", "$", "%", "&", "—", "…",
    "é", "中", "_", "Dr.", "U.S.", "ⓐ", "ª", " ", "  ",
    "\t", "\n", "\x1c", "\xa0", "\u2028", "\u0301", "\u200d",
]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=14))
def test_words_are_those_of_nltk(pieces: list[str]) -> None:
    text = "".join(pieces)
    assert NLTKWordTokenizer().tokenize(text) == _core.treebank_words([text])[0].split(" " if text.strip() else None)
    words = [word.lower() for word in NLTKWordTokenizer().tokenize(text)]
    assert words == METEOR().tokens([text])[0]


def test_the_file_of_synonyms_is_the_one_that_was_checked() -> None:
    found = hashlib.sha256(build_wordnet.DATA.read_bytes()).hexdigest()
    assert "10521c958e702e45c4e08e6838597766cf67fb5b32c986f13ab67529d3598915" == found


def test_the_tool_writes_what_the_core_reads(tmp_path: Path) -> None:
    lines = {
        "noun": "1 03 n 03 match 0 Lucifer 0 friction_match 0 000 | x\n5 03 n 02 funnies 0 comic_strip 0 000 | x",
        "verb": "2 30 v 02 begin 0 start 0 000 | x",
        "adj": "3 00 a 02 fast(a) 0 quick 0 000 | x\n4 00 s 01 lone(ip) 0 000 | x",
        "adv": "",
    }
    for part, text in lines.items():
        (tmp_path / f"data.{part}").write_text(f"  1 the licence\n{text}\n" if text else "", "latin-1")
        forms = {"verb": "began begin\nstarted start\n", "noun": "comics comic_strip\n"}
        (tmp_path / f"{part}.exc").write_text(forms.get(part, ""), "latin-1")
    net = _core.WordNet(build_wordnet.sections(tmp_path))
    cases = {word: ["begin", "start"] for word in ("began", "started", "begins")}
    cases |= {"lucifer": ["match"], "matches": ["match"], "quickest": ["fast", "quick"], "lone": ["lone"]}
    # An irregular form without an underscore leads to a base with one.
    cases |= {"friction_match": [], "comics": ["funnies"]}
    assert cases == {word: net.synonyms(word) for word in cases}
    with pytest.raises(OptionError, match="not the sections"):
        _core.WordNet([b"x"])


@needs_wordnet
@pytest.mark.full
def test_every_word_has_the_synonyms_of_nltk() -> None:
    from nltk.corpus import wordnet as net

    forms = {form for part in net._exception_map.values() for form in part}
    # Words with an underscore are left out of the table: COMPATIBILITY 306.
    words = sorted({word for word in {*net.all_lemma_names(), *forms} if "_" not in word})
    assert len(words) > 83_118
    for word in words:
        found = {lemma.name() for synset in net.synsets(word) for lemma in synset.lemmas()}
        expected = {name for name in found if "_" not in name and name == name.lower()}
        assert expected == set(wordnet().synonyms(word)), word


@needs_wordnet
@pytest.mark.full
@pytest.mark.parametrize("pair", ["cs-en", "uk-en", "liv-en"])
def test_real_texts_score_as_with_nltk_and_its_corpus(pair: str) -> None:
    folder = wmt22_folder()
    if folder is None:
        pytest.skip("WMT22 is not here")
    read = lambda path: gzip.decompress(path.read_bytes()).decode().splitlines()  # noqa: E731
    split = NLTKWordTokenizer().tokenize
    references = read(min(folder.glob(f"references/*.{pair}.ref.*")))
    tokens = list(map(split, references))
    for path in sorted(folder.glob(f"system-outputs/*.{pair}.hyp.*")):
        texts = read(path)
        expected = [100 * theirs.single_meteor_score(*two) for two in zip(tokens, map(split, texts), strict=True)]
        assert expected == METEOR(empty_refs="keep").sentence_scores(texts, [references]).tolist(), path.name


@needs_wordnet
@pytest.mark.full
def test_generated_texts_score_as_with_nltk_and_its_corpus() -> None:
    from nltk.corpus import wordnet as net

    rng = random.Random(7)
    groups = [[lemma.name() for lemma in synset.lemmas() if "_" not in lemma.name()] for synset in net.all_synsets()]
    groups = [group for group in groups if len(group) > 1]
    synonyms = every = 0
    for _ in range(20_000):
        pool = [word for group in rng.sample(groups, 6) for word in group]
        make = lambda: rng.choice(pool) + rng.choice(("", "", "s", "ed", "ing", "er", "ly"))  # noqa: B023, E731
        hypothesis, reference = ([make() for _ in range(rng.randrange(15))] for _ in range(2))
        expected = theirs.single_meteor_score(reference, hypothesis, wordnet=net)
        assert expected == ours.single_meteor_score(reference, hypothesis)
        lower = [[word.lower() for word in side] for side in (hypothesis, reference)]
        (found,) = wordnet().matches(lower[0], [lower[1]])
        synonyms, every = synonyms + found[2], every + sum(found[:3])
    assert synonyms > every / 10


@cache
def nltks_model() -> _core.Punkt:
    folder = Path(str(nltk.data.find("tokenizers/punkt_tab/english")))
    return _core.Punkt(*((folder / name).read_text("utf-8") for name in treebank._FILES))


@needs_punkt
def test_evaluate_has_the_numbers_of_its_script(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(treebank, "punkt", nltks_model)
    module = truebleu.evaluate.load("meteor")
    segments = GIVEN["evaluate"]["segments"]
    predictions = [one["hypothesis"] for one in segments]
    references = [one["references"] for one in segments]
    for one in segments:
        assert " ".join(one["tokens"]) == treebank.TokenizerNltk()(one["hypothesis"])
        assert nltk.word_tokenize(one["hypothesis"]) == one["tokens"]
    found = module.compute(predictions=predictions, references=references)["meteor"]
    assert (GIVEN["evaluate"]["corpus"], np.float64) == (repr(float(found)), type(found))
    flat = module.compute(predictions=predictions, references=[texts[0] for texts in references])["meteor"]
    assert found == flat


SENTENCES = [
    *PIECES, "Dr. ", "U.S. ", "p.m. ", "St. Paul", "The ", "the ", "It ", "he ", "A. ", "J. ", "é. ", "3. ", "-3,5. ",
    ". . .", ". . . .", "? ", "! ", ". ", ".\n", ".) ", ".” ", ".' ", '." ', "?) --", "no. ", "Mr.", "e.g. ",
    "so-called etc. ", " a", "z",
    ", ", ",.", "\n\n", "§. ", "١. ", "ſt. ", "Ǆ", "ǅ",
]  # fmt: skip


def words_of(texts: list[str], model: _core.Punkt) -> list[list[str]]:
    return [line.split(" ") if line else [] for line in _core.treebank_words(texts, model)]


@needs_punkt
@given(pieces=st.lists(st.sampled_from(SENTENCES), max_size=16))
def test_words_of_sentences_are_those_of_word_tokenize(pieces: list[str]) -> None:
    text = "".join(pieces)
    assert nltk.word_tokenize(text) == words_of([text], nltks_model())[0]


def test_words_of_sentences_take_a_model() -> None:
    model = _core.Punkt("dr", "st\tpaul", "the", "smith\t14\nthe\t114")
    text = "Dr. Smith left St. Paul at 5. The end."
    assert [text.replace("5.", "5 .").replace("end.", "end .")] == _core.treebank_words([text], model)
    halves = "A. He\ud800 said ‘no.’"
    assert ["A. He\ud800 said ‘ no . ’"] == _core.treebank_words([halves], _core.Punkt("", "", "", ""))
    with pytest.raises(OptionError, match="not the files of Punkt"):
        _core.Punkt("", "", "", "word")


@pytest.mark.full
@pytest.mark.parametrize("tokenizer", ["nltk-words", pytest.param("nltk", marks=needs_punkt)])
def test_all_texts_of_wmt22_have_the_words_of_nltk(tokenizer: str) -> None:
    folder = wmt22_folder()
    if folder is None:
        pytest.skip("WMT22 is not here")
    split = NLTKWordTokenizer().tokenize if tokenizer == "nltk-words" else nltk.word_tokenize
    texts = {line for path in folder.glob("*/*.gz") for line in gzip.decompress(path.read_bytes()).decode().split("\n")}
    for text in texts:
        words = _core.treebank_words([text], None if tokenizer == "nltk-words" else nltks_model())
        assert " ".join(split(text)) == words[0], text


def test_308_without_the_model_of_sentences_the_tokenizer_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("TRUEBLEU_OFFLINE", "1")
    monkeypatch.setenv("TRUEBLEU_CACHE", str(tmp_path))
    treebank.punkt.cache_clear()
    with pytest.raises(TokenizerError, match=r"nltk-words.*does without(.|\n)*punkt_tab\.zip"):
        METEOR(tokenize="nltk")


def test_options_outside_of_metrics_are_evaluates_too() -> None:
    module, texts = (
        truebleu.evaluate.load("meteor"),
        {"predictions": ["The ferry, a boat"], "references": [["A ferry"]]},
    )
    pair = ["a", "ferry"], ["the", "ferry", ",", "a", "boat"]
    for weights in ((2.0, 3, 0.5), (0.9, 3, -1.0), (0.9, -2.0, 0.5), (0, 0, 0)):
        names = dict(zip(("alpha", "beta", "gamma"), weights, strict=True))
        expected = theirs.single_meteor_score(*pair, wordnet=OurSynsets(), **names)
        assert expected == module.compute(**texts, tokenizer="nltk-words", **names)["meteor"]
    with pytest.raises(OptionError, match="gamma is nan"):
        module.compute(**texts, tokenizer="nltk-words", gamma=float("nan"))


def test_307_the_mean_of_evaluate_is_numpys_and_ours_is_exact() -> None:
    rng = random.Random(3)
    words = ["the", "grey", "heron", "stood", "by", "a", "pond", "and", "nobody", "saw", "it", "leave"]
    texts = [[" ".join(rng.choices(words, k=rng.randrange(1, 15))) for _ in range(300)] for _ in range(2)]
    found = truebleu.evaluate.load("meteor").compute(predictions=texts[0], references=texts[1], tokenizer="nltk-words")
    metric = METEOR()
    segments = [
        ours.single_meteor_score(*reversed([side.split() for side in pair])) for pair in zip(*texts, strict=True)
    ]
    assert np.mean(segments) == found["meteor"]
    import fractions

    exact = sum(map(fractions.Fraction, segments)) / len(segments)
    assert 100 * float(exact) == pytest.approx(metric.corpus_score(texts[0], [texts[1]]).score, rel=2e-16)


def test_bad_options_are_refused_and_the_face_computes_as_nltk() -> None:
    for option, value in [("alpha", -0.1), ("alpha", 1.1), ("gamma", -1), ("gamma", 1.5), ("beta", -1)]:
        with pytest.raises(OptionError, match=f"{option} is {value}"):
            METEOR(**{option: value})
    for option in ("alpha", "beta", "gamma"):
        with pytest.raises(OptionError, match=f"{option} is nan"):
            METEOR(**{option: float("nan")})
    with pytest.raises(OptionError, match="stem is 'snowball', expected one of 'porter', 'no'"):
        METEOR(stem="snowball")
    words = ["the", "ferry", "leaves"], ["a", "ferry", "left"]
    for weights in ((2.0, 3.0, -1.0), (0.0, 0.5, 7.0), (-1.0, 0.0, 0.5)):
        assert theirs.single_meteor_score(*words, str.lower, PorterStemmer(), OurSynsets(), *weights) == (
            ours.single_meteor_score(*words, str.lower, None, None, *weights)
        )
    for module, kind in ((theirs, OverflowError), (ours, OptionError)):
        with pytest.raises(kind):
            module.single_meteor_score(["a", "b"], ["a", "b"], beta=-1e4)


@pytest.mark.parametrize("alpha", [0.0, 0.5, 1.0])
@pytest.mark.parametrize(("hypothesis", "reference"), [("", ""), ("a", ""), ("", "a"), ("a", "b"), ("a b", "b c d")])
def test_divisions_by_zero_are_zero_as_in_nltk(hypothesis: str, reference: str, alpha: float) -> None:
    pair, net = (reference.split(), hypothesis.split()), OurSynsets()
    for beta, gamma in ((3.0, 0.5), (0.0, 1.0), (-1.0, 0.5)):
        options = {"alpha": alpha, "beta": beta, "gamma": gamma}
        expected = theirs.single_meteor_score(*pair, wordnet=net, **options)
        assert expected == ours.single_meteor_score(*pair, **options)
        assert expected == ours.single_meteor_score(*pair, wordnet=net, **options)


@pytest.mark.parametrize("call", ["meteor_score", "single_meteor_score"])
def test_tokens_that_are_none_are_errors_as_in_nltk(call: str) -> None:
    wrap = (lambda one: [one]) if call == "meteor_score" else (lambda one: one)
    for reference, hypothesis in [
        ("a ferry", ["a"]),
        (["a"], "a ferry"),
        (["a"], [1]),
        ([None], ["a"]),
        ([b"a"], ["a"]),
    ]:
        with pytest.raises((TypeError, AttributeError)) as expected:
            getattr(theirs, call)(wrap(reference), hypothesis)
        with pytest.raises(expected.type) as found:
            getattr(ours, call)(wrap(reference), hypothesis)
        if "expects pre-tokenized" in str(expected.value):
            assert str(expected.value) == str(found.value)


@given(tokens(), st.lists(tokens(), min_size=1, max_size=3))
def test_the_usual_call_and_the_long_way_agree(hypothesis: list[str], references: list[list[str]]) -> None:
    class Text(str):
        """Strings that the quick way leaves to the long one."""

    long = [Text(word) for word in hypothesis]
    for weights in ((0.9, 3.0, 0.5), (0.5, 3, 0.5), (1, 0, 0), (0.0, 2.5, 9.0), (-1.0, 0.5, -2.0)):
        assert wordnet().score(long, references, [*weights]) is None or not long
        expected = ours.meteor_score(references, long, str.lower, None, None, *weights)
        assert expected == ours.meteor_score(references, hypothesis, str.lower, None, None, *weights)


def test_unusual_calls_are_left_to_the_long_way() -> None:
    score, weights = wordnet().score, [0.9, 3.0, 0.5]
    usual = ["a", "ferry"]
    assert 0.9375 == score(usual, [usual], weights) == score(tuple(usual), (tuple(usual),), weights)
    for hypothesis, references, numbers in [
        ("a ferry", [usual], weights), (usual, "a ferry", weights), (usual, ["a ferry"], weights),
        (usual, [], weights), (usual, [["a", 1]], weights), ([None], [usual], weights), (iter(usual), [usual], weights),
        (usual, [usual], [True, 3.0, 0.5]), (usual, [usual], [float("nan"), 3.0, 0.5]),
        (usual, [usual], [0.9, "3", 0.5]),
        (["a"] * 5000, [usual], weights), (["a" * 70_000], [usual], weights), (["é" * 70_000], [usual], weights),
        (usual, [usual], [0.9, -1e4, 0.5]),
    ]:  # fmt: skip
        assert score(hypothesis, references, numbers) is None


def test_305_no_references_are_named() -> None:
    with pytest.raises(ValueError):
        theirs.meteor_score([], ["a"])
    with pytest.raises(MissingReferences, match="there are no references"):
        ours.meteor_score([], ["a"])


@pytest.mark.parametrize("weight", ["alpha", "beta", "gamma"])
@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_305_weights_that_are_no_finite_numbers_are_refused(weight: str, value: float) -> None:
    pair = ["a", "b"], ["b", "a", "c"]
    assert not 0 <= theirs.single_meteor_score(*pair, wordnet=OurSynsets(), **{weight: value}) <= 1 or weight == "beta"
    with pytest.raises(OptionError, match=f"{weight} is {value}, expected a number"):
        ours.single_meteor_score(*pair, **{weight: value})


def test_306_synonyms_with_an_underscore_are_those_of_a_wordnet_of_ones_own() -> None:
    class Cars:
        def synsets(self, word: str) -> list[Any]:
            names = [SimpleNamespace(name=lambda: "auto")]
            return [SimpleNamespace(lemmas=lambda: names)] if word == "motor_car" else []

    pair = ["an", "auto"], ["an", "motor_car"]
    assert ours.single_meteor_score(*pair) < ours.single_meteor_score(*pair, wordnet=Cars())
    assert theirs.single_meteor_score(*pair, wordnet=Cars()) == ours.single_meteor_score(*pair, wordnet=Cars())


def test_a_wordnet_of_ones_own_decides() -> None:
    class Mine:
        def synsets(self, word: str) -> list[Any]:
            names = [SimpleNamespace(name=lambda: "pond"), SimpleNamespace(name=lambda: "big_pond")]
            return [SimpleNamespace(lemmas=lambda: names)] if word == "ocean" else []

    pair = ["the", "pond"], ["the", "ocean"]
    for score in (theirs.single_meteor_score, ours.single_meteor_score):
        assert 0.9375 == score(*pair, wordnet=Mine())


def test_options_change_what_matches() -> None:
    texts = ["The quick studies began."], [["The fast study started."]]
    found = {options: METEOR(**dict(options)).corpus_score(*texts) for options in (
        (), (("stem", "no"),), (("synonyms", "no"),), (("stem", "no"), ("synonyms", "no")))}  # fmt: skip
    assert [(2, 1, 2), (2, 0, 2), (2, 1, 0), (2, 0, 0)] == [(s.exact, s.stem, s.synonym) for s in found.values()]


def test_the_signature_says_everything_and_makes_the_metric_again() -> None:
    metric = METEOR(alpha=0.85, gamma=0.25, tokenize="13a", stem="no", synonyms="no")
    signature = str(metric.corpus_score(["a"], [["a"]]).signature)
    expected = "METEOR|nrefs:1|case:lc|tok:13a|stem:no|syn:no|alpha:0.85|beta:3.0|gamma:0.25|version:"
    assert f"METEOR|{signature}".startswith(expected)
    assert metric.fingerprint() == metric_from_signature(f"METEOR|{signature}").fingerprint()
    for field in ("alpha:2", "beta:x", "case:mixed", "gamma:nan"):
        with pytest.raises(UnknownSignature, match=field.split(":")[0]):
            metric_from_signature(f"METEOR|nrefs:1|{field}")


def test_another_language_is_warned_of_once(caplog: pytest.LogCaptureFixture) -> None:
    for language in ("de", "de", "en", "en-GB", ""):
        METEOR(trg_lang=language)
    assert ["METEOR: the target language is 'de', and stems and synonyms are English"] == caplog.messages


def test_the_command_scores(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, text in {"ref": "It isn't so. They left.\n", "sys": "It isn't fair. They departed.\n"}.items():
        (tmp_path / name).write_text(text, "utf-8")
    arguments = [str(tmp_path / "ref"), "-i", str(tmp_path / "sys"), "-m", "meteor"]
    assert 0 == main([*arguments, "--meteor-alpha", "0.5", "-f", "text", "-w", "6"])
    out = capsys.readouterr().out
    score = METEOR(alpha=0.5).corpus_score(["It isn't fair. They departed."], [["It isn't so. They left."]])
    assert f"{score.score:.6f}" in out and "alpha:0.5" in out
    assert 2 == main([*arguments, "--meteor-gamma", "2"])
    assert "gamma is 2.0, expected a number from 0 to 1" in capsys.readouterr().err


@pytest.mark.guard
@pytest.mark.parametrize("word", ["take", "takes", "x"])
def test_long_texts_take_linear_time(word: str) -> None:
    texts = [word] * 100_000, ["accept"] * 100_000
    ours.single_meteor_score(["a"], ["b"])
    start = time.process_time()
    ours.single_meteor_score(*texts)
    ours.single_meteor_score(texts[0], texts[0])
    assert time.process_time() - start < 2


@pytest.mark.guard
def test_synonyms_are_read_quickly() -> None:
    wordnet()
    start = time.process_time()
    wordnet.__wrapped__()
    assert time.process_time() - start < 0.03 * (4 if os.environ.get("COVERAGE_RUN") else 1)
