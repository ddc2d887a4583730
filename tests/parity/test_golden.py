"""The vectors of `tests/golden`, through truebleu and sacreBLEU alike: no oracle but the file."""

import importlib
import json
import sys
from pathlib import Path
from typing import Any

import pytest
import regex
import sacrebleu

import truebleu
from parity.compare import ATTRIBUTES, identical, same_array, signature_items
from truebleu import _core

pytestmark = pytest.mark.interpreter

GOLDEN = Path(__file__).resolve().parent.parent / "golden"
FLAGS = {"N": "normalized", "P": "no_punct", "A": "asian_support", "C": "case_sensitive"}
TOKENIZERS = {
    "none": "NoneTokenizer",
    "char": "TokenizerChar",
    "13a": "Tokenizer13a",
    "intl": "TokenizerV14International",
    "zh": "TokenizerZh",
    "ja-mecab": "TokenizerJaMecab",
    "ko-mecab": "TokenizerKoMecab",
}
NEEDS = {"ja-mecab": "MeCab", "ko-mecab": "mecab_ko"}


def vectors(name: str) -> list[Any]:
    lines = (GOLDEN / name).read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


@pytest.fixture(params=[sacrebleu, truebleu], ids=["sacrebleu", "truebleu"])
def package(request: pytest.FixtureRequest) -> Any:
    """Both, so that a wrong vector is not mistaken for a wrong engine."""
    return request.param


@pytest.mark.parametrize("name", TOKENIZERS)
def test_tokenizer_vectors(name: str, package: Any) -> None:
    if name in NEEDS:
        pytest.importorskip(NEEDS[name])
    module = importlib.import_module(f"{package.__name__}.tokenizers.tokenizer_{name.replace('-', '_')}")
    tokenize = getattr(module, TOKENIZERS[name])()
    for line, expected in vectors(f"tokenizer-{name}.jsonl"):
        assert expected == tokenize(line), f"{line!a}"


@pytest.mark.parametrize("vector", vectors("scores.jsonl"), ids=lambda v: f"{v['metric']}-{v['options']}")
def test_score_vectors(vector: dict[str, Any], package: Any) -> None:
    options = dict(vector["options"])
    if package is truebleu:
        options["empty_refs"] = "keep"
    score = getattr(package, vector["metric"])(**options).corpus_score(vector["hypotheses"], vector["references"])
    expected = vector["score"]
    if sys.version_info >= (3, 12):
        # The builtin sum of floats became more exact.
        expected = vector.get("score312", expected)
    identical(expected, score.score, "score")
    for attribute in ("name", *ATTRIBUTES[vector["metric"]]):
        if attribute in vector:
            identical(vector[attribute], getattr(score, attribute), attribute)


@pytest.mark.parametrize("vector", vectors("signatures.jsonl"), ids=lambda v: v["long"])
def test_signature_vectors(vector: dict[str, Any], package: Any) -> None:
    for tokenizer, module in NEEDS.items():
        if tokenizer in vector["long"]:
            pytest.importorskip(module)
    metric = getattr(package, vector["metric"])(**vector["options"])
    metric.corpus_score(["a"] * len(vector["references"][0]), vector["references"])
    assert vector["long"].split("|") == signature_items(metric)
    assert vector["short"].split("|") == signature_items(metric, short=True)


def test_score_from_statistics_alone(package: Any) -> None:
    score = package.BLEU.compute_bleu([778, 808, 215, 193], [1563, 925, 972, 1339], 5000, 4000)
    expected = 34.313087164983486 if sys.version_info >= (3, 12) else 34.31308716498347
    identical(expected, score.score, "score")


def test_categories_are_those_of_the_table() -> None:
    """The table is Unicode 18; an older `regex` knows less, never otherwise."""
    table = json.loads((GOLDEN / "categories.json").read_text(encoding="utf-8"))
    every = "".join(map(chr, range(0x110000)))
    for name, ranges in table["classes"].items():
        known = set(map(ord, regex.findall(rf"\p{{{name}}}", every)))
        listed = code_points(ranges)
        added = set().union(*(code_points(row["ranges"]) for row in table["added"] if row["class"] == name))
        assert set() == known - listed
        assert set() == listed - known - added


def code_points(lines: list[str]) -> set[int]:
    points: set[int] = set()
    for bounds in " ".join(lines).split():
        first, _, last = bounds.partition("-")
        points.update(range(int(first, 16), int(last or first, 16) + 1))
    return points


@pytest.mark.parametrize("vector", vectors("ter-tokenizer.jsonl"), ids=lambda v: f"{v['flags']}-{v['input']!a}")
def test_ter_tokenizer_vectors(vector: dict[str, Any]) -> None:
    flags = [letter in vector["flags"] for letter in "NPA"]
    line = vector["input"] if "C" in vector["flags"] else vector["input"].rstrip().lower()
    assert vector["once"] == _core.ter_tokenize(line, *flags, 1)
    assert vector["twice"] == _core.ter_tokenize(line, *flags, 2)


@pytest.mark.parametrize("vector", vectors("ter-tokenizer.jsonl"), ids=lambda v: f"{v['flags']}-{v['input']!a}")
def test_ter_sees_the_tokens_of_the_vectors(vector: dict[str, Any], package: Any) -> None:
    """Through scores: a hypothesis is tokenized once, its reference twice, and these tokens cost no edit."""
    metric = package.TER(**{FLAGS[letter]: True for letter in vector["flags"]})
    plain = package.TER(case_sensitive=True)
    expected = plain.sentence_score(vector["once"], [vector["twice"]])
    actual = metric.sentence_score(vector["input"], [vector["input"]])
    identical((expected.num_edits, expected.ref_length), (actual.num_edits, actual.ref_length), "row")


@pytest.mark.parametrize("vector", vectors("ter-pairs.jsonl"), ids=lambda v: v["id"])
def test_ter_pairs(vector: dict[str, Any], package: Any) -> None:
    score = ter(package, vector["options"]).sentence_score(vector["hypothesis"], vector["references"])
    same_ter(vector, score)


@pytest.mark.parametrize("vector", vectors("ter-long.jsonl"), ids=lambda v: v["id"])
def test_ter_long_sentences(vector: dict[str, Any]) -> None:
    same_long_ter(vector, truebleu)


@pytest.mark.full
@pytest.mark.parametrize("vector", vectors("ter-long.jsonl"), ids=lambda v: v["id"])
def test_ter_long_sentences_in_sacrebleu(vector: dict[str, Any]) -> None:
    same_long_ter(vector, sacrebleu)


@pytest.mark.parametrize("vector", vectors("ter-corpora.jsonl"), ids=lambda v: f"{v['score']}")
def test_ter_corpora(vector: dict[str, Any], package: Any) -> None:
    metric = ter(package, vector["options"])
    same_ter(vector, metric.corpus_score(vector["hypotheses"], vector["streams"]))
    if package is truebleu:
        same_array(vector["rows"], metric.stats(vector["hypotheses"], vector["streams"]).rows)


@pytest.mark.parametrize("vector", vectors("ter-checksums.jsonl"), ids=lambda v: v["block"])
def test_ter_checksums(vector: dict[str, Any]) -> None:
    """Thousands of pairs from a generator that any language can repeat."""
    hyps, refs = linear_congruential_pairs(vector)
    rows = truebleu.TER(empty_refs="keep").stats(hyps, [refs]).rows
    checksum = 0
    for edits in rows[:, 0].astype(int).tolist():
        checksum = (31 * checksum + edits) % 1000000007
    assert vector["checksum"] == checksum
    assert [vector["edits"], vector["length"]] == rows.sum(axis=0).tolist()


def ter(package: Any, options: dict[str, bool]) -> Any:
    return package.TER(**options, **({"empty_refs": "keep"} if package is truebleu else {}))


def same_long_ter(vector: dict[str, Any], package: Any) -> None:
    hyp, ref = words(vector["hypothesis"]), words(vector["reference"])
    same_ter(vector, ter(package, {}).sentence_score(" ".join(hyp), [" ".join(ref)]))


def same_ter(vector: dict[str, Any], score: Any) -> None:
    identical(vector["edits"], score.num_edits, "edits")
    identical(vector["length"], score.ref_length, "length")
    identical(vector["score"], score.score, "score")


def words(expression: str) -> list[str]:
    """`W(3)` is w0 w1 w2, `J(2)` is j0 j1, `rot(4,1)` is w1 w2 w3 w0; `+` joins; anything else is itself."""
    result: list[str] = []
    for part in expression.split("+"):
        name, _, numbers = part.strip().rstrip(")").partition("(")
        if name == "rot":
            n, k = map(int, numbers.split(","))
            result += [f"w{(i + k) % n}" for i in range(n)]
        elif name in ("W", "J"):
            result += [f"{name.lower()}{i}" for i in range(int(numbers))]
        else:
            result += part.split()
    return result


def linear_congruential_pairs(vector: dict[str, Any]) -> tuple[list[str], list[str]]:
    state = vector["seed"]

    def draw(bound: int) -> int:
        nonlocal state
        state = (1103515245 * state + 12345) % 2**31
        return (state >> 16) % bound

    hyps, refs = [], []
    for _ in range(vector["cases"]):
        size = vector["vmin"] + draw(vector["vmod"])
        lengths = [vector["lmin"] + draw(vector["lmod"]) for _ in range(2)]
        hyp, ref = ([f"t{draw(size)}" for _ in range(length)] for length in lengths)
        hyps.append(" ".join(hyp))
        refs.append(" ".join(ref))
    return hyps, refs
