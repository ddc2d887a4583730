"""Exact match, token F1 and edit similarity: known values, a slow version, RapidFuzz, and what rows promise."""

from __future__ import annotations

import json
import random
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rapidfuzz.distance import Indel, Levenshtein

import truebleu
from oracle.answers import PIECES, slow_f1, slow_words
from truebleu.accumulator import Accumulator
from truebleu.errors import OptionError, UnknownSignature
from truebleu.metrics import CER, WER, EditSimilarity, ExactMatch, TokenF1
from truebleu.significance import compare
from truebleu.stats import Stats

FACTS: dict[str, Any] = json.loads((Path(__file__).parents[1] / "data" / "wer.json").read_text("utf-8"))


def texts(seed: str, many: int, most: int = 8) -> list[str]:
    rng = random.Random(seed)
    join = ("", " ", " ")
    return ["".join(rng.choice(PIECES) + rng.choice(join) for _ in range(rng.randrange(most))) for _ in range(many)]


@pytest.mark.parametrize("vector", FACTS["squad"])
def test_answers_have_the_known_scores(vector: dict[str, Any]) -> None:
    pair = vector["prediction"], [vector["answer"]]
    assert [100.0 * vector["f1"], 100.0 * vector["f1_v2"]] == [
        TokenF1(version).sentence_score(*pair).score for version in (1, 2)
    ]
    assert {100.0 * vector["exact"]} == {ExactMatch(version).sentence_score(*pair).score for version in (1, 2)}
    assert vector["normalized"] == [" ".join(slow_words(vector[key])) for key in ("prediction", "answer")]


def test_generated_answers_score_as_the_slow_version(cases: int) -> None:
    many = 10 * cases
    hypotheses, references = texts("ours", many), texts("theirs", many)
    hypotheses[::3] = references[::3]
    for version in (1, 2):
        expected = [100.0 * slow_f1(*pair, version) for pair in zip(hypotheses, references, strict=True)]
        assert expected == TokenF1(version).sentence_scores(hypotheses, [references]).tolist()
    exact = [100.0 * (slow_words(h) == slow_words(r)) for h, r in zip(hypotheses, references, strict=True)]
    assert exact == ExactMatch().sentence_scores(hypotheses, [references]).tolist()
    assert 0 < sum(exact) < 100 * many


def test_articles_beside_any_character_are_those_of_the_slow_version() -> None:
    """Which characters end a word is asked of this interpreter, and answered in another way for common letters."""
    characters = [*map(chr, range(0x3100)), *map(chr, range(0xA000, 0x10800)), "😀", "𝐚", "\U000e0061"]
    hypotheses = [f"a{c}x the{c} {c}an b{c}a a{c} {c}the{c} {c}-a{c}" for c in characters]
    references = [f"{c} x b{c}a a{c}x the{c}an {c}a{c}" for c in characters]
    expected = [100.0 * slow_f1(*pair, 1) for pair in zip(hypotheses, references, strict=True)]
    assert expected == TokenF1().sentence_scores(hypotheses, [references]).tolist()
    assert len(set(expected)) > 5


def test_long_answers_score_as_the_slow_version() -> None:
    """Room for tokens is made in another way beyond 65,536 characters, and words may span blocks of 64."""
    rng = random.Random("long")
    for most in (40, 400, 60_000):
        pair = tuple("".join(rng.choice(PIECES) + rng.choice(["", " "]) for _ in range(most)) for _ in range(2))
        spaceless = tuple("“".join(rng.choice(["a", "the", "-", "heron", "é"]) for _ in range(most)) for _ in range(2))
        for ours, theirs in (pair, spaceless):
            assert 100.0 * slow_f1(ours, theirs, 1) == TokenF1().sentence_score(ours, [theirs]).score


def test_the_best_of_several_answers_counts() -> None:
    assert 100.0 == ExactMatch().sentence_score("heron", ["bird", "a heron", ""]).score
    assert 80.0 == TokenF1().sentence_score("cat sat", ["cat", "the cat sat down", "x"]).score
    assert 100.0 * (1 - 1 / 3) == EditSimilarity().sentence_score("abc", ["x", "abd", "xbd"]).score


@pytest.mark.parametrize("vector", FACTS["levenshtein"])
def test_similarity_has_the_known_values(vector: dict[str, Any]) -> None:
    metrics = EditSimilarity(), EditSimilarity(weights="indel")
    found = [metric.sentence_score(vector["a"], [vector["b"]]).score for metric in metrics]
    assert [100.0 * vector["similarity"], 100.0 * vector["indel_ratio"]] == found


@pytest.mark.parametrize(("weights", "theirs"), [("equal", Levenshtein), ("indel", Indel)])
def test_generated_texts_have_rapidfuzz_similarity(weights: str, theirs: Any, cases: int) -> None:
    many = 2 * cases
    ours, others = texts("one", many, 60), texts("two", many, 60)
    ours[::2] = [text[3:] + "x" for text in others[::2]]
    expected = [100.0 * theirs.normalized_similarity(*pair) for pair in zip(ours, others, strict=True)]
    assert expected == EditSimilarity(weights=weights).sentence_scores(ours, [others]).tolist()


def test_anls_cuts_below_its_threshold() -> None:
    anls = EditSimilarity(0.5, lowercase=True, strip=True)
    assert [0.0, 50.0, 100.0] == anls.sentence_scores(["abcx", "abxy", " ABCD "], [["wxyz", "abcd", "abcd"]]).tolist()
    assert 100.0 * 0.75 == EditSimilarity(0.75).sentence_score("abcx", ["abcd"]).score


@pytest.mark.parametrize("metric", [ExactMatch(), TokenF1(), TokenF1(2), EditSimilarity(0.4, "indel")])
def test_rows_add_up_to_the_same_bits_in_any_order_shard_and_number_of_threads(metric: Any) -> None:
    hypotheses, references = texts("h", 400), texts("r", 400)
    whole = metric.stats(hypotheses, [references])
    expected = metric.corpus_score(hypotheses, [references], threads=1).score
    assert expected == metric.corpus_score(hypotheses, [references], threads=3).score == metric.score(whole).score
    assert np.array_equal(whole.rows, np.trunc(whole.rows))
    for seed in range(5):
        order = np.random.default_rng(seed).permutation(400)
        assert whole.sum() == metric.stats([hypotheses[at] for at in order], [[references[at] for at in order]]).sum()
    shards = [metric.stats(hypotheses[at::3], [references[at::3]]) for at in range(3)]
    assert expected == metric.score(Stats.concatenate(shards)).score
    total = Accumulator(metric)
    for at in range(0, 400, 50):
        total.update(hypotheses[at : at + 50], references[at : at + 50])
    assert expected == total.compute().score
    cells = metric.pairwise(hypotheses[:9], references[:9])
    assert np.array_equal(np.diagonal(cells), metric.sentence_scores(hypotheses[:9], [references[:9]]))


def test_shuffles_that_tie_tie_in_bits() -> None:
    """The same answers in another order, to one question: no shuffle may differ by less than the systems do."""
    rng = random.Random("shuffle")
    words = ["heron", "pond", "stood", "by", "grey", "reed", "water"]
    one = [" ".join(rng.choices(words, k=rng.randint(1, 9))) for _ in range(90)]
    two = rng.sample(one, len(one))
    references = [[" ".join(words)] * len(one)]
    assert TokenF1().stats(one, references).sum() == TokenF1().stats(two, references).sum()
    report = compare({"one": one, "two": two}, TokenF1(), references, test="ar", n_samples=300)
    assert 1.0 == report.metrics[0].pairs[0].p_value


@pytest.mark.parametrize("short", [False, True])
@pytest.mark.parametrize(
    "metric",
    [ExactMatch(), ExactMatch(2), TokenF1(), TokenF1(2, normalize="nfc"), EditSimilarity(),
     EditSimilarity(0.1, "indel", True, True), EditSimilarity(1 / 3)],
)  # fmt: skip
def test_a_signature_is_read_back(metric: Any, short: bool) -> None:
    score = metric.corpus_score(["a b"], [["a c"]])
    found = truebleu.metric_from_signature(f"{score.name}|{score.signature.format(short)}")
    assert (repr(metric), metric.fingerprint()) == (repr(found), found.fingerprint())


def test_signatures() -> None:
    def signature(metric: Any) -> str:
        return str(metric.corpus_score(["a"], [["b"]]).signature).rpartition("|version")[0]

    assert "nrefs:1|norm:squad|squad:1" == signature(ExactMatch())
    assert "nrefs:1|norm:squad|squad:2" == signature(TokenF1(2))
    assert "nrefs:1|case:lc|strip:yes|weights:equal|thr:0.5" == signature(EditSimilarity(0.5, "equal", True, True))
    with pytest.raises(UnknownSignature, match="norm 'none', expected 'squad'"):
        truebleu.metric_from_signature("F1|nrefs:1|norm:none|version:truebleu-0.1.0")
    with pytest.raises(UnknownSignature, match="thr 'x', expected a number from 0 to 1"):
        truebleu.metric_from_signature("EditSim|nrefs:1|thr:x|version:truebleu-0.1.0")


def test_bad_options_are_named() -> None:
    for value in (0, 3, "1", None):
        with pytest.raises(OptionError, match="F1: version is"):
            TokenF1(value)  # type: ignore[arg-type]
    for number in (-0.1, 1.5, "x", float("nan")):
        with pytest.raises(OptionError, match="EDITSIM: threshold is"):
            EditSimilarity(number)  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="EDITSIM: weights is 'x', expected one of 'equal', 'indel'"):
        EditSimilarity(weights="x")


def _edited(text: str, rng: random.Random, share: float) -> str:
    letters = [rng.choice(("", "xy", "z")) if rng.random() < share else letter for letter in text]
    return "".join(letters)


@pytest.mark.parametrize("kind", ["near", "far", "moved", "short"])
def test_long_texts_have_rapidfuzz_s_distances(kind: str) -> None:
    rng = random.Random(kind)
    reference = "".join(rng.choices("etaoinshrd  ", k=6000))
    hypothesis = {
        "near": _edited(reference, rng, 0.1),
        "far": "".join(rng.choices("etaoinshrd  ", k=7000)),
        "moved": reference[2500:] + reference[:2500],
        "short": _edited(reference[3000:4500], rng, 0.05),
    }[kind]
    for weights, peer in (("equal", Levenshtein), ("indel", Indel)):
        expected = 100.0 * peer.normalized_similarity(reference, hypothesis)
        assert expected == EditSimilarity(weights=weights).sentence_score(hypothesis, [reference]).score
    tags = [one.tag for one in Levenshtein.editops(reference.strip(), hypothesis.strip())]
    found = CER().corpus_score([hypothesis], [[reference]])
    assert [tags.count(kind) for kind in ("replace", "delete", "insert")] == [
        found.substitutions, found.deletions, found.insertions
    ]  # fmt: skip


@pytest.mark.guard
@pytest.mark.parametrize("metric", [CER(), EditSimilarity(), EditSimilarity(weights="indel")], ids=str)
def test_a_pair_with_few_errors_takes_a_fraction_of_an_unrelated_pair(metric: Any) -> None:
    rng = random.Random(1)
    reference, other = ("".join(rng.choices("etaoinshrd  ", k=60_000)) for _ in "12")
    near = _edited(reference, rng, 0.02)
    times = []
    for text in (near, other):
        rounds = []
        for _ in range(3):
            start = time.process_time()
            metric.engine.totals([text], [[reference]], False, 1)
            rounds.append(time.process_time() - start)
        times.append(min(rounds))
    assert times[1] > 4 * times[0], times


def test_segments_that_take_long_are_told(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr("truebleu.metrics.wer.LONG", 10)
    texts = ["short", "eleven abcd"], [["a longer reference", "eleven abxd."]]
    for metric in (CER(), EditSimilarity()):
        metric.corpus_score(*texts)
    WER().corpus_score(*texts)
    expected = ": segment 2 has 11 characters and its reference 12: the time grows with the square of the length"
    assert ["CER", "EditSim"] == [one.split(":")[0] for one in caplog.messages if expected in one]
