"""ROUGE as a metric: rouge-score's numbers on every segment, their exact mean, and what the metric says of texts."""

from __future__ import annotations

import json
import logging
import math
import pickle
import random
import unicodedata
from functools import reduce
from operator import add  # `sum` compensates from Python 3.12 on
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import regex
from nltk.stem.porter import PorterStemmer
from rouge_score import rouge_scorer

import truebleu
from parity.test_wmt22 import references, system
from truebleu import ROUGE, _core, columns, errors
from truebleu.accumulator import Accumulator
from truebleu.metrics.rouge import VARIANTS
from truebleu.significance import compare
from truebleu.stats import Stats

GOLDEN = json.loads((Path(__file__).parent.parent / "golden" / "rouge.json").read_text("utf-8"))
TYPES = ("1", "2", "3", "L", "Lsum")
HYPOTHESES = ["the boat lay by the quay", "nobody saw the heron", "it rained all night", "x"]
REFERENCES = [["there lay a boat by the quay", "no one saw the heron", "rain fell all night", "y"]]
PIECES = (
    "a", "b", "c", "the", "running", "flies", "Denied", "\n", " ", ". ", "İ", "\u212a", "é", "中", "7", "\t", "\xa0",
    " ", "\n", "\0", "\ud800", "-", "'",
)  # fmt: skip


def text_of(rng: random.Random) -> str:
    return "".join(rng.choice(PIECES) + rng.choice(("", " ")) for _ in range(rng.randrange(rng.choice((5, 20, 120)))))


@pytest.mark.parametrize("section", ["rouge", "rouge_random"])
def test_every_vector_of_rouge_score_is_met(section: str) -> None:
    for vector in GOLDEN[section]:
        for variant in TYPES:
            metric = ROUGE(variant, stem=vector.get("stem", False), empty_refs="keep")
            score = parts(metric, vector["prediction"], [vector["target"]])
            assert [100.0 * part for part in vector["scores"][f"rouge{variant}"]] == score, (vector, variant)


def parts(metric: ROUGE, prediction: str, targets: list[str]) -> list[float]:
    """Precision, recall and F, whatever the metric thinks of the script."""
    totals = metric.engine.totals([prediction], [[target] for target in targets], True, 1)
    return metric.engine.parts(totals)[1]


def test_the_best_of_several_references_counts_for_each_variant() -> None:
    for vector in GOLDEN["rouge_multi"]:
        for variant in TYPES:
            expected = [100.0 * part for part in vector["scores"][f"rouge{variant}"]]
            assert expected == parts(ROUGE(variant), vector["prediction"], vector["targets"])


def test_scores_are_rouge_scores_on_generated_texts(cases: int) -> None:
    scorers = {
        stem: rouge_scorer.RougeScorer([f"rouge{variant}" for variant in VARIANTS], use_stemmer=stem)
        for stem in (False, True)
    }
    rng = random.Random("rouge")
    metrics = {(variant, stem): ROUGE(variant, stem=stem) for variant in VARIANTS for stem in (False, True)}
    for _ in range(max(cases, 20)):
        target, prediction, stem = text_of(rng), text_of(rng), rng.random() < 0.5
        expected = scorers[stem].score(target, prediction)
        for variant in VARIANTS:
            found = parts(metrics[variant, stem], prediction, [target])
            assert [100.0 * part for part in expected[f"rouge{variant}"]] == found, (target, prediction, variant)


def test_of_several_references_rouge_scores_choice_counts(cases: int) -> None:
    """The highest F, of equals the first: its precision and recall are told too."""
    scorer = rouge_scorer.RougeScorer(["rouge1", "rouge2", "rougeL", "rougeLsum"])
    metrics = {name: ROUGE(name.removeprefix("rouge")) for name in scorer.rouge_types}
    rng = random.Random("several")
    for _ in range(max(cases, 20)):
        # Few kinds of words, so that many references tie.
        targets = [" ".join(rng.choices("abc\n", k=rng.randrange(6))) for _ in range(rng.randrange(2, 5))]
        prediction = " ".join(rng.choices("abc\n", k=rng.randrange(6)))
        for name, expected in scorer.score_multi(targets, prediction).items():
            found = parts(metrics[name], prediction, targets)
            assert [100.0 * part for part in expected] == found, (targets, prediction, name)


SUFFIXES = (
    "ational", "tional", "enci", "anci", "izer", "bli", "alli", "entli", "eli", "ousli", "ization", "ation", "ator",
    "alism", "iveness", "fulness", "ousness", "aliti", "iviti", "biliti", "fulli", "logi", "icate", "ative", "alize",
    "iciti", "ical", "ful", "ness", "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent",
    "ion", "ou", "ism", "ate", "iti", "ous", "ive", "ize", "e", "ll", "ed", "ing", "ies", "sses", "s", "ied", "eed",
    "y",
)  # fmt: skip


def test_all_vectors_are_here() -> None:
    """A vector that is lost from the file would be missed by nobody."""
    counts = {name: len(section) for name, section in GOLDEN.items()}
    assert {
        "stem": 206, "rouge_tokens": 19, "rouge": 74, "rouge_random": 120, "rouge_multi": 6, "rouge_lsum_punkt": 3,
        "rouge_char_tokenizer": 3, "evaluate_rouge": 7, "bootstrap_aggregator": 8, "rouge_unicode": 15, "wmt22": 15,
        "wmt22_documents": 5,
    } == counts  # fmt: skip
    assert 6 == len(GOLDEN["evaluate_rouge"]["runs"])
    assert all(set(TYPES) == {name.removeprefix("rouge") for name in one["scores"]} for one in GOLDEN["rouge_random"])
    # Twelve systems plain and stemmed, three by character; of each ROUGE-1, 2 and L.
    totals = [one.get(way, {}) for one in GOLDEN["wmt22"] for way in ("plain", "stem", "characters")]
    assert 27 * 3 == sum(map(len, totals))


def test_stems_are_nltks(cases: int) -> None:
    for word, stem in GOLDEN["stem"].items():
        # rouge-score leaves short words as they are, whatever the stemmer would make of them.
        assert (word if len(word) < 4 else stem) == _core.tokenize("rouge", word, True)
        assert stem == PorterStemmer().stem(word)
    rng, stemmer = random.Random("stems"), PorterStemmer()
    for _ in range(10 * cases):
        word = "".join(rng.choice("abcdefghiklostyyzwx19") for _ in range(rng.randrange(1, 7)))
        word += "".join(rng.choice(SUFFIXES) for _ in range(rng.randrange(4)))
        if len(word) > 3:
            assert stemmer.stem(word) == _core.tokenize("rouge", word, True), word


def test_tokens_are_those_of_rouge_score() -> None:
    for vector in GOLDEN["rouge_tokens"]:
        assert [vector["plain"]] == ROUGE().tokens([vector["text"]])
        assert [vector["stem"]] == ROUGE(stem=True).tokens([vector["text"]])


def test_every_character_separates_or_not_as_in_rouge_score() -> None:
    everything = " ".join(f"a{chr(c)}b" for c in range(0x3000) if not 0xD800 <= c < 0xE000)
    expected = rouge_scorer.RougeScorer(["rouge1"])._tokenizer.tokenize(everything)
    assert [expected] == ROUGE().tokens([everything])


UNSPACED = r"\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Bopomofo}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}"
UNSPACED += r"\p{scx=Myanmar}\p{scx=Tibetan}"
# Modifier letters that scripts with spaces have too.
SHARED = "\u02bc\u02c7\u02c9\u02ca\u02cb"
WORDS = regex.compile(
    rf"[[\p{{L}}\p{{N}}]&&[{UNSPACED}]--[{SHARED}]]\p{{M}}*|(?:[[\p{{L}}\p{{N}}]--[[{UNSPACED}]--[{SHARED}]]]\p{{M}}*)+",
    regex.V1,
)


def test_words_of_all_scripts_are_what_the_definition_says(cases: int) -> None:
    for text, tokens in GOLDEN["rouge_unicode"]:
        assert [tokens] == ROUGE(tokenize="rouge-unicode").tokens([text])
    # Those that the interpreter knows; what later versions of Unicode added may be anything to `regex`.
    known = [chr(c) for c in range(0x32000) if unicodedata.category(chr(c)) not in ("Cn", "Cs", "Co")]
    rng = random.Random("unicode")
    texts = ["".join(known[at : at + 4000]) for at in range(0, len(known), 4000)]
    texts += ["".join(rng.choices([*known, *"aé中ं "], k=30)) for _ in range(cases)]
    for text in texts:
        expected = WORDS.findall(text.lower())
        assert [expected] == ROUGE(tokenize="rouge-unicode").tokens([text])


def test_the_corpus_score_is_the_exact_mean() -> None:
    for variant in ("1", "2", "L", "Lsum"):
        metric = ROUGE(variant)
        segments = metric.sentence_scores(HYPOTHESES, REFERENCES).tolist()
        score = metric.corpus_score(HYPOTHESES, REFERENCES)
        exact = 100.0 * (math.fsum(segment / 100.0 for segment in segments) / len(segments))
        assert exact == pytest.approx(score.score, rel=1e-15)
        assert score.score == score.fmeasure


def test_totals_of_wmt22_are_the_exact_means_of_rouge_score(wmt22: Path) -> None:
    for vector in GOLDEN["wmt22"]:
        pair, name = vector["name"].split()
        texts = system(wmt22, pair, name), [references(wmt22, pair)[vector["reference"]]]
        for stem in ("plain", "stem"):
            for key, means in vector.get(stem, {}).items():
                score = ROUGE(key.removeprefix("rouge"), stem=stem == "stem").corpus_score(*texts)
                assert [100.0 * mean for mean in means] == [score.precision, score.recall, score.fmeasure]
        for key, means in vector.get("characters", {}).items():
            score = ROUGE(key.removeprefix("rouge"), tokenize="char").corpus_score(*texts)
            assert [100.0 * mean for mean in means] == [score.precision, score.recall, score.fmeasure]


def test_documents_of_wmt22_have_the_lsum_of_rouge_score(wmt22: Path) -> None:
    vector = GOLDEN["wmt22_documents"]
    sides = system(wmt22, "cs-en", vector["system"]), references(wmt22, "cs-en")["B"]
    fours = [["\n".join(side[at : at + 4]) for at in range(0, len(side), 4)] for side in sides]
    for stem in ("plain", "stem"):
        for key, mean in vector[stem].items():
            metric = ROUGE(key.removeprefix("rouge"), stem=stem == "stem")
            assert 100.0 * mean == metric.corpus_score(fours[0], [fours[1]]).score


def many(count: int = 700) -> tuple[list[str], list[list[str]]]:
    rng = random.Random(7)
    words = ["the", "a", "boat", "lay", "by", "quay", "heron", "night", "rain", "fell", "running", "flies"]
    side = [[" ".join(rng.choices(words, k=rng.randrange(1, 25))) for _ in range(count)] for _ in range(2)]
    return side[0], [side[1]]


def test_rows_add_up_to_the_same_bits_in_any_order_shards_and_threads() -> None:
    texts = many()
    for variant in ("2", "L"):
        metric = ROUGE(variant)
        stats = metric.stats(*texts)
        expected = metric.score(stats)
        for threads in (1, 2, 5):
            assert expected.to_dict() == metric.corpus_score(*texts, threads=threads).to_dict()
        segments = metric.sentence_scores(*texts)
        orders = [np.random.default_rng(seed).permutation(700) for seed in range(9)]
        assert len({reduce(add, segments[order].tolist()) for order in orders}) > 1
        for seed in range(5):
            order = np.random.default_rng(seed).permutation(len(stats))
            shuffled = Stats(stats.rows[order], stats.columns, stats.fingerprint, stats.references)
            assert expected.score == metric.score(shuffled).score
            shards = [metric.stats([texts[0][at] for at in part], [[texts[1][0][at] for at in part]])
                      for part in np.array_split(order, 3)]  # fmt: skip
            assert expected.score == metric.score(Stats.concatenate(shards)).score
        assert np.array_equal(stats.rows, np.rint(stats.rows)), "cells are whole numbers"


def test_systems_with_the_same_scores_in_another_order_tie_in_bits() -> None:
    hypotheses, streams = many(60)
    texts = [*streams[0], *streams[0]]
    systems = {"one": [*hypotheses, *streams[0]], "two": [*streams[0], *hypotheses]}
    report = compare(systems, ROUGE("2"), [texts], test="ar", n_samples=200)
    assert 0.0 == report.metrics[0].pairs[0].delta


def test_the_line_and_the_signature() -> None:
    score = ROUGE("L").corpus_score(["a heron stood"], [["a grey heron stood"]])
    assert "ROUGE-L = 85.71 (P = 100.00 R = 75.00)" == str(score)
    signed = str(score.signature).rpartition("|")[0]
    assert "nrefs:1|case:lc|tok:rouge|stem:no" == signed
    score = ROUGE("Lsum", stem=True, measure="recall").corpus_score(["a heron\nstood"], [["a grey heron\nstood"]])
    signed = str(score.signature).rpartition("|")[0]
    assert "nrefs:1|case:lc|tok:rouge|stem:porter-nltk|sents:newline|measure:recall" == signed
    assert (score.recall, 75.0) == (score.score, score.recall)


@pytest.mark.parametrize(
    "options",
    [
        {"variant": "1"}, {"variant": "9", "stem": True}, {"variant": "Lsum", "sentences": "<n>"},
        {"variant": "Lsum", "sentences": "a|b:%"}, {"variant": "Lsum", "tokenize": "13a", "lowercase": False},
        {"variant": "2", "tokenize": "zh", "measure": "precision"}, {"tokenize": "rouge-unicode", "normalize": "nfc"},
        {"empty_refs": "keep"},
    ],
)  # fmt: skip
@pytest.mark.parametrize("short", [False, True])
def test_a_signature_is_read_back(options: dict[str, Any], short: bool) -> None:
    metric = ROUGE(**options)
    score = metric.corpus_score(["a heron\nstood"], [["a grey heron\nstood"]])
    assert score.signature is not None
    again = truebleu.metric_from_signature(f"{score.name}|{score.signature.format(short)}")
    assert repr(metric) == repr(again)
    assert metric.fingerprint() == again.fingerprint()


def test_a_signature_with_a_function_cannot_be_read() -> None:
    score = ROUGE("Lsum", sentences=str.splitlines).corpus_score(["a\nb"], [["b\na"]])
    assert "sents:custom-str.splitlines" in str(score.signature)
    with pytest.raises(errors.UnknownSignature, match="own function"):
        truebleu.metric_from_signature(f"{score.name}|{score.signature}")


# Other scripts.


@pytest.mark.parametrize(("missed", "refused"), [(49, False), (50, True), (51, True)])
def test_five_percent_of_references_without_a_token_are_refused(
    missed: int, refused: bool, caplog: pytest.LogCaptureFixture
) -> None:
    streams = [["北京" if at < missed else "a heron" for at in range(1000)]]
    texts = ["a heron"] * 1000
    if refused:
        with pytest.raises(errors.TokenizerMismatch, match=f"{missed} of 1000 segments .*rouge-unicode"):
            ROUGE().corpus_score(texts, streams)
    else:
        with caplog.at_level(logging.WARNING, "truebleu"):
            ROUGE().corpus_score(texts, streams)
        assert "49 of 1000 segments" in caplog.text
    assert 95.0 == round(ROUGE(tokenize="rouge-unicode").corpus_score(texts, streams).score, 0)


def test_a_mismatch_is_an_error_of_the_tokenizer_and_of_the_value() -> None:
    with pytest.raises(errors.TokenizerError):
        ROUGE().corpus_score(["北京"], [["北京"]])
    with pytest.raises(ValueError, match="first is segment 1"):
        ROUGE().corpus_score(["a", "b"], [["a", "ж"]])
    with pytest.raises(errors.TokenizerMismatch):
        ROUGE(references=[["北京"]])
    with pytest.raises(errors.TokenizerMismatch):
        ROUGE().sentence_score("北京", ["北京"])


def test_another_reference_with_a_token_is_enough_and_hypotheses_never_refuse() -> None:
    assert 0.0 == ROUGE().corpus_score(["北京", "中"], [["北京", "b"], ["a", "c"]]).score
    assert 0.0 == ROUGE().corpus_score(["a"], [["!? ..."]]).score


def test_dropped_letters_are_told(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "truebleu"):
        ROUGE().corpus_score(["aa"] * 2, [["a" * 99 + "é"] * 2])
        # A loop over segments would log a share for each.
        ROUGE().sentence_score("aa", ["éé a"])
        assert "" == caplog.text
        ROUGE().corpus_score(["aa"] * 2, [["a" * 98 + "éé"] * 2])
    assert "drops 2.0 % of the references' letters" in caplog.text


def test_columns_of_another_script_are_refused_too(caplog: pytest.LogCaptureFixture) -> None:
    names = {"hypothesis": "hyp", "references": "ref"}
    for size in (3, 250):
        table = {"hyp": ["a heron"] * size, "ref": [["北京"]] * size}
        for call in (columns.totals, columns.rows, columns.segment_scores):
            with pytest.raises(errors.TokenizerMismatch, match=r"segments that were looked at .*One is '北京'"):
                list(call(table, ROUGE("2"), **names))  # type: ignore[operator]
    assert 0.0 == columns.totals(table, ROUGE(tokenize="rouge-unicode"), **names).score()["rougel"].score
    # References of English that come first say nothing of those that follow.
    batches = [{"hyp": ["a"] * 300, "ref": [text] * 300} for text in ("a", "ж")]
    with pytest.raises(errors.TokenizerMismatch, match="200 of 200"):
        columns.totals(iter(pa.RecordBatch.from_pydict(one) for one in batches), ROUGE(), **names)
    with caplog.at_level(logging.WARNING, "truebleu"):
        columns.totals({"hyp": ["a"], "ref": ["a"]}, ROUGE("Lsum"), **names)
    assert "no text in 1 segment that were looked at has more than one sentence" in caplog.text


def test_the_target_language_chooses_the_tokenizer() -> None:
    score = ROUGE("L", trg_lang="zh").corpus_score(["北京是中国的首都"], [["中国的首都是北京"]])
    assert (62.5, True) == (score.score, "tok:zh" in str(score.signature))
    assert "tok:rouge|" in str(ROUGE("L", trg_lang="de").corpus_score(["a"], [["a"]]).signature)


def test_case_counts_only_where_the_tokenizer_keeps_it() -> None:
    assert 0.0 == ROUGE("1", tokenize="none", lowercase=False).corpus_score(["A"], [["a"]]).score
    assert 100.0 == ROUGE("1", tokenize="none").corpus_score(["A"], [["a"]]).score
    for tokenize in ("rouge", "rouge-unicode"):
        with pytest.raises(errors.OptionError, match="lowercase is False"):
            ROUGE(tokenize=tokenize, lowercase=False)


# Sentences.


def test_sentences_end_where_the_user_says() -> None:
    hypothesis, reference = "a b. c d", "c d. a b"
    expected = ROUGE("Lsum").sentence_score("a b\nc d", ["c d\na b"]).score
    assert 100.0 == expected
    assert 50.0 == ROUGE("Lsum").sentence_score(hypothesis, [reference]).score
    for sentences in (". ", lambda text: text.split(". ")):
        for tokenize in ("rouge", "none", "13a", str.split):
            metric = ROUGE("Lsum", tokenize=tokenize, sentences=sentences)
            assert expected == metric.sentence_score(hypothesis, [reference]).score
            # A line feed inside a sentence ends none.
            assert expected == metric.sentence_score("a b. c\nd", [reference]).score


@pytest.mark.parametrize("tokenize", ["13a", "intl", "char", "zh", str.split])
def test_line_feeds_end_sentences_with_every_tokenizer(tokenize: Any) -> None:
    texts = "ab cd\nef -\ngh", "ef -\nab cd"
    expected = ROUGE("Lsum", tokenize=tokenize, sentences=lambda text: text.split("\n"))
    metric = ROUGE("Lsum", tokenize=tokenize)
    assert expected.sentence_score(texts[0], [texts[1]]).score == metric.sentence_score(texts[0], [texts[1]]).score
    assert (
        metric.sentence_score(texts[0], [texts[1]]).score
        > ROUGE("L", tokenize=tokenize).sentence_score(texts[0], [texts[1]]).score
    )


def test_punkt_splits_as_rouge_score_splits_summaries(monkeypatch: pytest.MonkeyPatch) -> None:
    known = {}
    for vector in GOLDEN["rouge_lsum_punkt"]:
        known.update({vector["target"]: vector["sentences"][0], vector["prediction"]: vector["sentences"][1]})
    monkeypatch.setattr("nltk.sent_tokenize", known.__getitem__)
    for vector in GOLDEN["rouge_lsum_punkt"]:
        score = ROUGE("Lsum", sentences="punkt").sentence_score(vector["prediction"], [vector["target"]])
        assert [100.0 * part for part in vector["scores"]] == [score.precision, score.recall, score.fmeasure]


def test_a_corpus_without_sentences_is_warned_of(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "truebleu"):
        ROUGE("Lsum").corpus_score(["a\nb"], [["b"]])
        assert "" == caplog.text
        ROUGE("Lsum").corpus_score(["a b"], [["b"]])
    assert "ROUGE-Lsum is ROUGE-L" in caplog.text


# Everything else that a metric can do.


@pytest.mark.parametrize("variant", ["1", "3", "L", "Lsum"])
def test_matrices_have_the_scores_of_their_pairs(variant: str) -> None:
    texts = [*many(12)[0], "", "a\nb", "the boat"]
    for metric in (ROUGE(variant), ROUGE(variant, stem=True, measure="recall")):
        expected = [[metric.sentence_score(one, [two]).score for two in texts] for one in texts]
        assert expected == metric.pairwise(texts, texts).tolist()
        assert [row[3:7] for row in expected[:3]] == metric.pairwise(texts[:3], texts[3:7]).tolist()
        others = [metric.sentence_score(one, [two for at, two in enumerate(texts) if at != own]).score
                  for own, one in enumerate(texts)]  # fmt: skip
        assert others == truebleu.self_bleu(texts, metric).scores.tolist()


def test_decoding_takes_the_mean_of_scores_or_of_counts() -> None:
    texts = many(10)[0]
    matrix = ROUGE("L").pairwise(texts, texts)
    found = ROUGE("L").mbr(texts)
    assert int(np.argmax(matrix.sum(axis=1))) == found.best
    same = ROUGE("2").mbr(texts[:1] * 3, aggregate=True)
    assert [100.0] * 3 == same.scores.tolist()
    with pytest.raises(errors.OptionError, match="aggregate"):
        ROUGE("L").mbr(texts, aggregate=True)


@pytest.mark.interpreter
def test_accumulators_resamples_and_pickles_know_it() -> None:
    hypotheses, streams = many(50)
    metric = ROUGE("Lsum")
    total = Accumulator(metric)
    for at in range(0, 50, 7):
        total.update(hypotheses[at : at + 7], streams[0][at : at + 7])
    expected = metric.corpus_score(hypotheses, streams)
    assert expected.score == total.compute().score
    assert expected.to_dict() == pickle.loads(pickle.dumps(metric)).corpus_score(hypotheses, streams).to_dict()
    resampled = metric.corpus_score(hypotheses, streams, n_bootstrap=100)
    assert resampled.confidence is not None and resampled.confidence.half_width > 0


def test_the_classes_of_variants_are_the_metric() -> None:
    for name in ("ROUGE1", "ROUGE2", "ROUGEL", "ROUGELSUM"):
        kind: Any = truebleu.metrics.METRICS[name]
        metric = ROUGE(kind.VARIANT)
        assert (name, kind().fingerprint()) == (metric.name, metric.fingerprint())
        assert kind.label == metric.label


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"variant": "0"}, "variant is '0'"), ({"variant": "W"}, "variant is 'W'"), ({"variant": 1}, "variant is 1"),
        ({"measure": "f"}, "measure is 'f'"), ({"sentences": ""}, "sentences is ''"), ({"stem": "no"}, "stem is 'no'"),
    ],
)  # fmt: skip
def test_options_without_a_meaning_are_refused(options: dict[str, Any], match: str) -> None:
    with pytest.raises(errors.OptionError, match=match):
        ROUGE(**options)


def test_long_texts_and_long_words_have_scores() -> None:
    words = " ".join(f"w{at % 1000}" for at in range(1_000_000))
    assert 100.0 == ROUGE("1").sentence_score(words, [words]).score
    score = ROUGE("L").sentence_score(words, ["w1 w0 w7"])
    assert (3.0e-4, 100.0) == (round(score.precision, 6), score.recall)
    assert 100.0 == ROUGE("L", stem=True).sentence_score("y" * 1_000_000, ["y" * 1_000_000]).score
    lines = "\n".join(["w1 w2 w3", "w4 w5"] * 100)
    assert 100.0 == ROUGE("Lsum").sentence_score(lines, [lines]).score
