"""WER and its kin: the vectors of jiwer 4.0.0, generated texts against jiwer and RapidFuzz, and what rows promise."""

from __future__ import annotations

import gzip
import json
import pickle
import random
from pathlib import Path
from typing import Any

import jiwer
import numpy as np
import pytest
from rapidfuzz.distance import Levenshtein

import truebleu
from truebleu import columns
from truebleu.accumulator import Accumulator
from truebleu.errors import InputTypeError, LengthMismatch, OptionError, UnknownSignature
from truebleu.metrics import CER, MER, METRICS, SER, WER, WIL, WIP
from truebleu.metrics.alignment import KINDS, chunks_of
from truebleu.metrics.wer import ErrorRate
from truebleu.significance import compare
from truebleu.stats import Stats

FACTS: dict[str, Any] = json.loads((Path(__file__).parents[1] / "data" / "wer.json").read_text("utf-8"))
RATES: dict[str, type[ErrorRate]] = {"wer": WER, "mer": MER, "wil": WIL, "wip": WIP}
FAMILY = [WER, MER, WIL, WIP, SER, CER]
# Letters and words that repeat, white space of all kinds, marks, a NUL, and a lone surrogate.
PIECES = ["a", "b", "the", "heron", "é", "e\u0301", "日本", "ß", "x.", "*", "\t", "\u00a0", "\u3000\u3000", "\n",
          "\x1c", "\0", "\ud800", "👍🏽", " ", "  "]  # fmt: skip


def listed(value: str | list[str]) -> list[str]:
    """jiwer takes a string for a list of one, and an empty list for one empty sentence."""
    return [value] if isinstance(value, str) else value or [""]


def counts(score: Any) -> list[int]:
    return [score.hits, score.substitutions, score.deletions, score.insertions]


def chunk_list(chunks: list[Any]) -> list[list[Any]]:
    return [[one.type, one.ref_start_idx, one.ref_end_idx, one.hyp_start_idx, one.hyp_end_idx] for one in chunks]


def text(rng: random.Random, most: int = 9) -> str:
    words = (rng.choice(PIECES) for _ in range(rng.randrange(most)))
    return "".join(f"{word} " if rng.random() < 0.7 else word for word in words)


def corpus(rng: random.Random, segments: int, most: int = 9) -> tuple[list[str], list[str]]:
    references = [text(rng, most) for _ in range(segments)]
    return [text(rng, most) if rng.random() < 0.5 else one + text(rng, 4) for one in references], references


def test_all_vectors_are_here() -> None:
    """A vector that is lost from the file would be missed by nobody."""
    assert {
        "jiwer_words": 35, "jiwer_words_random": 150, "jiwer_chars": 18, "jiwer_text": 12, "jiwer_standardize": 3,
        "jiwer_contiguous": 4, "squad": 27, "evaluate_squad": 2, "evaluate_exact_match": 3, "levenshtein": 7,
        "wmt22": 15,
    } == {name: len(section) for name, section in FACTS.items()}  # fmt: skip


@pytest.mark.parametrize("vector", FACTS["jiwer_words"])
def test_words_have_the_known_counts_rates_and_alignments(vector: dict[str, Any]) -> None:
    references, hypotheses = listed(vector["reference"]), listed(vector["hypothesis"])
    for name, kind in RATES.items():
        score = kind(empty_refs="keep").corpus_score(hypotheses, [references])
        assert 100.0 * vector[name] == score.score, name
        assert [vector[key] for key in ("hits", "substitutions", "deletions", "insertions")] == counts(score)
    assert vector["alignments"] == [*map(chunk_list, WER().align(hypotheses, references).alignments)]


def test_generated_words_have_the_known_alignments() -> None:
    for reference, hypothesis, *expected, chunks in FACTS["jiwer_words_random"]:
        assert expected == counts(WER().sentence_score(hypothesis, [reference]))
        assert chunks == chunk_list(WER().align([hypothesis], [reference]).alignments[0])


@pytest.mark.parametrize("vector", FACTS["jiwer_chars"])
def test_characters_have_the_known_counts_and_alignments(vector: dict[str, Any]) -> None:
    references, hypotheses = listed(vector["reference"]), listed(vector["hypothesis"])
    score = CER().corpus_score(hypotheses, [references])
    assert 100.0 * vector["cer"] == score.score
    assert [vector[key] for key in ("hits", "substitutions", "deletions", "insertions")] == counts(score)
    assert vector["alignments"] == [*map(chunk_list, CER().align(hypotheses, references).alignments)]


@pytest.mark.parametrize("vector", FACTS["jiwer_standardize"])
def test_standardizing_gives_the_known_words(vector: dict[str, Any]) -> None:
    assert [vector["words"]] == WER(normalize="standardize").tokens([vector["text"]])
    assert 0.0 == WER(normalize="standardize").sentence_score(" ".join(vector["words"]), [vector["text"]]).score


def test_generated_texts_have_jiwers_numbers(cases: int) -> None:
    for index in range(cases):
        hypotheses, references = corpus(random.Random(f"wer/{index}"), 1 + index % 4)
        words, characters = (
            jiwer.process_words(references, hypotheses),
            jiwer.process_characters(references, hypotheses),
        )
        for name, kind in RATES.items():
            score = kind().corpus_score(hypotheses, [references])
            assert 100.0 * getattr(words, name) == score.score, (name, hypotheses, references)
            assert [words.hits, words.substitutions, words.deletions, words.insertions] == counts(score)
        score = CER().corpus_score(hypotheses, [references])
        assert 100.0 * characters.cer == score.score, (hypotheses, references)
        assert repr(words) == repr(WER().align(hypotheses, references))
        assert repr(characters) == repr(CER().align(hypotheses, references))
        wrong = sum(any(one.type != "equal" for one in chunks) for chunks in words.alignments)
        assert 100.0 * (wrong / len(references)) == SER().corpus_score(hypotheses, [references]).score


def near(rng: random.Random, length: int, kinds: int) -> tuple[list[str], list[str]]:
    ours = [str(rng.randrange(kinds)) for _ in range(length)]
    kept = [word for word in ours if rng.random() > 0.1]
    return ours, [word if rng.random() > 0.2 else str(rng.randrange(kinds)) for word in kept]


def rapidfuzz_chunks(reference: list[str], hypothesis: list[str]) -> list[list[Any]]:
    codes = Levenshtein.opcodes(reference, hypothesis)
    names = {"replace": "substitute"}
    return [[names.get(one.tag, one.tag), one.src_start, one.src_end, one.dest_start, one.dest_end] for one in codes]


@pytest.mark.parametrize("kinds", [3, 12, 400])
def test_sequences_of_some_blocks_are_aligned_as_rapidfuzz_does(kinds: int) -> None:
    rng = random.Random(kinds)
    for length in [*range(60, 221, 8), 500, 513, 700]:
        reference, hypothesis = near(rng, length, kinds)
        assert rapidfuzz_chunks(reference, hypothesis) == chunk_list(chunks_of([reference], [hypothesis])[0])


@pytest.mark.parametrize("case", ["near", "far", "few kinds", "long and near"])
def test_long_sequences_are_aligned_as_rapidfuzz_does(case: str) -> None:
    rng = random.Random(case)
    if case == "far":
        reference, hypothesis = ([str(rng.randrange(50)) for _ in range(length)] for length in (2300, 1900))
    elif case == "long and near":
        reference = [str(rng.randrange(900)) for _ in range(9000)]
        hypothesis = [word for word in reference if rng.random() > 0.01]
    else:
        reference, hypothesis = near(rng, 2300, 4 if case == "few kinds" else 300)
    assert rapidfuzz_chunks(reference, hypothesis) == chunk_list(chunks_of([reference], [hypothesis])[0])


@pytest.mark.parametrize("system", FACTS["wmt22"])
def test_systems_of_wmt22_have_the_known_totals(system: str, wmt22: Path) -> None:
    facts, (pair, name) = FACTS["wmt22"][system], system.split(" ")
    target = pair.partition("-")[2]

    def lines(path: str) -> list[str]:
        return gzip.decompress((wmt22 / path).read_bytes()).decode().split("\n")[:-1]

    references = lines(f"references/generaltest2022.{pair}.ref.{facts['reference']}.{target}.gz")
    hypotheses = lines(f"system-outputs/generaltest2022.{pair}.hyp.{name}.{target}.gz")
    if facts["words"]:
        scores = [kind().corpus_score(hypotheses, [references]) for kind in (WER, MER, WIL, WIP)]
        assert facts["words"][:4] == counts(scores[0])
        assert [100.0 * rate for rate in facts["words"][4:]] == [score.score for score in scores]
    score = CER().corpus_score(hypotheses, [references])
    assert facts["chars"] == [*counts(score), facts["chars"][4]]
    assert 100.0 * facts["chars"][4] == score.score


@pytest.mark.parametrize("kind", FAMILY)
def test_rows_add_up_to_the_same_in_any_order_shard_and_number_of_threads(kind: type[ErrorRate]) -> None:
    hypotheses, references = corpus(random.Random("rows"), 300)
    metric = kind()
    whole = metric.stats(hypotheses, [references])
    expected = metric.corpus_score(hypotheses, [references], threads=1).score
    assert expected == metric.corpus_score(hypotheses, [references], threads=3).score == metric.score(whole).score
    order = np.random.default_rng(1).permutation(300)
    assert whole.sum() == metric.stats([hypotheses[at] for at in order], [[references[at] for at in order]]).sum()
    shards = [metric.stats(hypotheses[at::3], [references[at::3]]) for at in range(3)]
    assert expected == metric.score(Stats.concatenate(shards)).score
    total = Accumulator(metric)
    for at in range(0, 300, 50):
        total.update(hypotheses[at : at + 50], references[at : at + 50])
    assert expected == total.compute().score
    assert [metric.sentence_score(h, [r]).score for h, r in zip(hypotheses[:40], references[:40], strict=True)] == (
        metric.sentence_scores(hypotheses[:40], [references[:40]]).tolist()
    )


@pytest.mark.parametrize("kind", FAMILY)
def test_a_matrix_has_the_scores_of_single_segments(kind: type[ErrorRate]) -> None:
    hypotheses, references = corpus(random.Random("matrix"), 25)
    hypotheses[0], references[0] = "a b " * 90, "b a c " * 70
    metric = kind(lowercase=True)
    expected = [[metric.sentence_score(one, [other]).score for other in references] for one in hypotheses]
    assert expected == metric.pairwise(hypotheses, references).tolist()
    assert np.allclose(np.mean(expected, axis=1), metric.mbr(hypotheses, references).scores, rtol=1e-12)


def test_decoding_takes_the_lowest_error_rate() -> None:
    candidates = ["x y z", "a b c", "a b d"]
    assert 2 == WER().mbr(candidates, ["a b d", "a b d", "a b c"]).best
    assert 2 == WIP().mbr(candidates, ["a b d", "a b d", "a b c"]).best


def test_of_several_references_the_lowest_rate_counts_and_of_equals_the_first() -> None:
    assert [2, 0, 0, 0] == counts(WER().sentence_score("a b", ["a c", "a b", "a b c d"]))
    # One error for two words each: a deletion in the one, a substitution in the other.
    assert [1, 0, 1, 0] == counts(WER().sentence_score("a", ["a b", "c d", "b a"]))
    assert [1, 1, 0, 0] == counts(WER().sentence_score("a x", ["a b", "a x b y"]))
    assert [2, 0, 2, 0] == counts(WER().sentence_score("a x", ["a x b y", "a b"]))
    assert [0, 1, 0, 0] == counts(WER().sentence_score("a", ["", "b"]))
    assert [0, 0, 0, 1] == counts(WER(empty_refs="keep").sentence_score("a", ["", "b"]))


def test_empty_references_alone_give_the_number_of_errors_and_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("WARNING")
    score = WER().corpus_score(["a b", "c"], [["", " "]])
    assert (300.0, 0, 3) == (score.score, score.ref_length, score.hyp_length)
    assert "all references are empty" in caplog.text
    assert 100.0 == MER().sentence_score("a", [""]).score == WIL().sentence_score("a", [""]).score
    assert 0.0 == WER().sentence_score("", [""]).score
    assert 100.0 == WIP().sentence_score("", [""]).score


def test_style_that_only_references_have_is_warned_of(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("WARNING")
    references = ["Nobody saw it.", "It rained."]
    WER().corpus_score(["nobody saw it", "it rained"], [references])
    assert "no hypothesis has a capital letter" in caplog.text and "no hypothesis has punctuation" in caplog.text
    caplog.clear()
    WER(lowercase=True, remove_punctuation=True).corpus_score(["nobody saw it", "it rained"], [references])
    WER(remove_punctuation=True, normalize="standardize").corpus_score(["nobody saw it", "it rained"], [references])
    CER().corpus_score(["Nobody saw it.", "it"], [references])
    WER().corpus_score(["nobody"], [["no one"]])
    WER().corpus_score([""], [["No one."]])
    # A currency sign is no punctuation, and would not be deleted.
    WER().corpus_score(["five"], [["$5"]])
    assert "" == caplog.text
    columns.totals({"hyp": ["it"], "ref": ["It."]}, WER(normalize="standardize"), hypothesis="hyp", references="ref")
    expected = "no hypothesis (of 1 segment that were looked at) has punctuation"
    assert expected in caplog.text and "capital" not in caplog.text


def test_the_warning_of_style_names_the_system_of_several(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("WARNING")
    systems = {"good": ["Nobody saw it.", "It rained."], "plain": ["nobody saw it.", "it rained."]}
    references = [["Nobody saw it.", "It rained."]]
    compare(systems, [WER(), MER()], references, n_samples=10)
    named = [message for message in caplog.messages if "capital" in message]
    expected = "no hypothesis of 'plain' has a capital letter and references do, which error rates count. "
    assert [f"{expected}See lowercase=True (--wer-lowercase)"] == named
    caplog.clear()
    WER().corpus_score(systems["plain"], references)
    assert "no hypothesis has a capital letter" in caplog.text


def test_options_decide_the_words() -> None:
    reference, hypothesis = "It's here, isn't it?", "its here isnt it"
    assert 100.0 == WER().sentence_score(hypothesis, [reference]).score
    assert 0.0 == WER(lowercase=True, remove_punctuation=True).sentence_score(hypothesis, [reference]).score
    assert 0.0 == WER(remove_punctuation=True).sentence_score("Its here – isnt it", [reference]).score
    assert [["it", "is", "here,", "is", "not", "it?"]] == WER(normalize="standardize").tokens([reference])
    assert [["it", "is", "here", "is", "not", "it"]] == WER(False, True, "standardize").tokens([reference])
    assert [list("its here")] == CER(True, True).tokens(["It's  - here!"])
    assert 0.0 == CER(True, True).sentence_score("its here", ["It's  - here!"]).score
    assert 0.0 == WER(normalize=str.upper).sentence_score("heron", ["HERON"]).score
    assert 0.0 == WER(normalize="quotes,standardize").sentence_score("it is", ["It’s"]).score


@pytest.mark.parametrize("kind", FAMILY)
@pytest.mark.parametrize("short", [False, True])
def test_a_signature_is_read_back(kind: type[ErrorRate], short: bool) -> None:
    for options in ({}, {"lowercase": True, "remove_punctuation": True}, {"normalize": "standardize,nfc"}):
        metric = kind(**options)  # type: ignore[arg-type]
        score = metric.corpus_score(["a b"], [["a c"]])
        assert score.signature is not None
        found = truebleu.metric_from_signature(f"{score.name}|{score.signature.format(short)}")
        assert repr(metric) == repr(found)
        assert metric.fingerprint() == found.fingerprint()


def test_signatures_name_the_normaliser() -> None:
    def signature(metric: ErrorRate) -> str:
        return str(metric.corpus_score(["a"], [["b"]]).signature).rpartition("|version")[0]

    assert "nrefs:1|case:mixed|punct:yes|tok:jiwer|norm:none" == signature(WER())
    assert "nrefs:1|case:mixed|punct:yes|tok:char|space:yes|norm:none" == signature(CER())
    assert "nrefs:1|case:lc|punct:no|tok:jiwer|norm:standardize" == signature(WER(True, True, "standardize"))
    assert "nrefs:1|case:mixed|punct:yes|tok:jiwer|norm:custom-str.upper" == signature(WER(normalize=str.upper))
    assert "nrefs:1|case:mixed|punct:yes|tok:jiwer|norm:standardize|textnorm:nfc" == signature(
        WER(normalize="nfc,standardize")
    )
    with pytest.raises(UnknownSignature, match=r"made with a function, norm:custom-str\.upper"):
        truebleu.metric_from_signature("WER|nrefs:1|norm:custom-str.upper|version:truebleu-0.1.0")
    with pytest.raises(UnknownSignature, match="tok '13a', expected 'jiwer'"):
        truebleu.metric_from_signature("WER|nrefs:1|tok:13a|version:truebleu-0.1.0")


def test_a_score_shows_its_counts() -> None:
    score = WER().corpus_score(["nobody saw a heron"], [["no one saw the heron"]])
    assert "WER = 60.00 (S = 2 D = 1 I = 0 N = 5)" == str(score)
    expected = {"hits": 2, "substitutions": 2, "deletions": 1, "insertions": 0, "wrong": 1, "segments": 1}
    assert {**expected, "ref_length": 5, "hyp_length": 4} == score.parts()
    assert "SER = 50.00 (wrong = 1 segments = 2)" == str(SER().corpus_score(["a", "b"], [["a", "c"]]))


def test_lower_is_better_but_for_wip() -> None:
    assert {"WIP"} == {kind.__name__ for kind in FAMILY if kind.higher_is_better}
    assert {kind.__name__: kind for kind in FAMILY}.items() <= METRICS.items()


def test_bad_options_are_named() -> None:
    for value in (5, ["x"], "x", "nfc,x", object, [5]):
        with pytest.raises(OptionError, match="WER: normalize"):
            WER(normalize=value)  # type: ignore[arg-type]
    with pytest.raises(InputTypeError, match="WER: the function of normalize returned 1"):
        WER(normalize=len).sentence_score("a", ["b"])  # type: ignore[arg-type]
    with pytest.raises(LengthMismatch, match="references has 1 segment, the hypotheses have 2"):
        WER().align(["a", "b"], ["a"])


def test_a_million_words_and_odd_characters_are_counted() -> None:
    many = " ".join(str(at % 1000) for at in range(1_000_000))
    assert [999_999, 1, 0, 0] == counts(WER().sentence_score(many, [many.replace(" 567 ", " x ", 1)]))
    fewer = many[:400_000].rpartition(" ")[0]
    score = WER().sentence_score(f"x {fewer} y", [fewer])
    assert (len(fewer.split()), 0, 0, 2) == (score.hits, score.substitutions, score.deletions, score.insertions)
    assert [1, 1, 0, 0] == counts(WER().sentence_score("a\0 \ud800", ["a\0 \udfff"]))
    assert [1, 0, 0, 0] == counts(WER().sentence_score("é" * 1_000_000, ["é" * 1_000_000]))
    assert 100_000 == CER().sentence_score("日" * 100_000, ["日" * 100_001]).hits


@pytest.mark.interpreter
def test_a_metric_can_be_pickled_with_its_function() -> None:
    metric = pickle.loads(pickle.dumps(WER(normalize=str.lower)))
    assert 0.0 == metric.sentence_score("A", ["a"]).score
    output = WER().align(["a b"], ["a c"])
    assert output == pickle.loads(pickle.dumps(output))


def test_kinds_of_chunks_have_jiwers_names() -> None:
    assert ("equal", "substitute", "delete", "insert") == KINDS
