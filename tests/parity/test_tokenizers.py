"""Tokenizers alone and lower-casing: the same for any line, and for code points in several surroundings."""

import importlib
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
import sacrebleu.metrics
from hypothesis import given

import truebleu.metrics
from parity.compare import CHUNKS, run_cases
from strategies import BLEU_TOKENIZERS, EVERY_CODE_POINT, RANGE_EDGES, RECENT, Generator, texts

pytestmark = pytest.mark.interpreter

CLASSES = {
    "none": "NoneTokenizer",
    "char": "TokenizerChar",
    "13a": "Tokenizer13a",
    "intl": "TokenizerV14International",
    "zh": "TokenizerZh",
}

Tokenize = Callable[[str], str]

SURROUNDINGS = ["a{0}b {0}", " 5{0}5", ".{0}. {0}5 ", "a {0},{0}a"]
CASED_WORDS = ["{0}", "a{0}\u03a3", "a\u03a3{0}a", "a\u03a3{0}", "{0}\u03a3a", "{0}\u03a3", "A{0}B"]

# All that is neither a plain letter of a large script nor unassigned, and the edges of ranges.
NOTABLE_CODE_POINTS = [
    point for point in EVERY_CODE_POINT if point < 0x3400 or unicodedata.category(chr(point)) not in ("Lo", "Cn", "Co")
] + [ord(character) for character in (*RANGE_EDGES, *RECENT)]

# Capital and small letters that came with Unicode 16 and 17.
RECENT_PAIRS = [
    (0x1C89, 0x1C8A), (0xA7CB, 0x0264), (0xA7CC, 0xA7CD), (0xA7CE, 0xA7CF), (0xA7D2, 0xA7D3),
    (0xA7D4, 0xA7D5), (0xA7DA, 0xA7DB), (0xA7DC, 0x019B), (0x10D50, 0x10D70), (0x10D65, 0x10D85),
    (0x16EA0, 0x16EBB), (0x16EB8, 0x16ED3),
]  # fmt: skip


def tokenizer(package: str, name: str) -> Any:
    module = importlib.import_module(f"{package}.tokenizers.tokenizer_{name}")
    return getattr(module, CLASSES[name])()


@pytest.fixture(params=BLEU_TOKENIZERS)
def pair(request: pytest.FixtureRequest) -> tuple[Tokenize, Tokenize]:
    return tokenizer("sacrebleu", request.param), tokenizer("truebleu", request.param)


@pytest.mark.parametrize("chunk", range(CHUNKS))
@pytest.mark.parametrize("name", BLEU_TOKENIZERS)
def test_generated_lines_are_tokenized_as_in_sacrebleu(name: str, chunk: int, cases: int) -> None:
    theirs, ours = tokenizer("sacrebleu", name), tokenizer("truebleu", name)

    def check(generator: Generator, _: int) -> None:
        line = generator.segment()
        same_tokens(line, theirs, ours)

    run_cases(f"tokenizer/{name}", chunk, cases, check)


@given(line=texts)
@pytest.mark.parametrize("name", BLEU_TOKENIZERS)
def test_any_line_is_tokenized_as_in_sacrebleu(name: str, line: str) -> None:
    same_tokens(line, tokenizer("sacrebleu", name), tokenizer("truebleu", name))


@pytest.mark.parametrize("surroundings", SURROUNDINGS)
def test_code_points_are_tokenized_as_in_sacrebleu(surroundings: str, pair: tuple[Tokenize, Tokenize]) -> None:
    """This pins the general categories to those of the installed `regex`, as sacreBLEU takes them."""
    same_tokens_for(NOTABLE_CODE_POINTS, surroundings, *pair)


@pytest.mark.full
def test_every_code_point_is_tokenized_as_in_sacrebleu(pair: tuple[Tokenize, Tokenize]) -> None:
    """Symbols and punctuation leave the letter before them, numbers keep the comma behind them."""
    same_tokens_for(EVERY_CODE_POINT, "a{0},5 ", *pair)


@pytest.mark.parametrize("word", CASED_WORDS)
def test_code_points_are_lowered_as_in_python(word: str) -> None:
    """Python's `str.lower`, with its Unicode version and its rule for the final sigma."""
    same_lowering_for(NOTABLE_CODE_POINTS, word)


@pytest.mark.full
@pytest.mark.parametrize("word", CASED_WORDS)
def test_every_code_point_is_lowered_as_in_python(word: str) -> None:
    same_lowering_for(EVERY_CODE_POINT, word)


@pytest.mark.parametrize(("upper", "lower"), RECENT_PAIRS, ids=lambda code: f"{code:04X}")
def test_letters_too_young_for_this_python_are_left_alone(upper: int, lower: int) -> None:
    """Only a Python that knows the pair lowers it; tables of another Unicode version would show here."""
    hyps, refs = [f"a{chr(upper)}b"], [[f"a{chr(lower)}b"]]
    for name, options in (("BLEU", {"lowercase": True}), ("CHRF", {"lowercase": True}), ("TER", {})):
        expected = getattr(sacrebleu.metrics, name)(**options).corpus_score(hyps, refs)
        assert str(expected) == str(getattr(truebleu.metrics, name)(**options).corpus_score(hyps, refs))


@pytest.mark.parametrize("name", BLEU_TOKENIZERS)
def test_signature_of_the_tokenizer_is_sacrebleus(name: str) -> None:
    expected = tokenizer("sacrebleu", name).signature()
    assert expected == tokenizer("truebleu", name).signature()


def same_tokens_for(points: Sequence[int], surroundings: str, theirs: Tokenize, ours: Tokenize) -> None:
    """Many code points a line, for speed; where a line differs, each alone."""
    for batch in batches(points):
        line = "".join(surroundings.format(chr(point)) for point in batch)
        if theirs(line) != ours(line):
            for point in batch:
                same_tokens(surroundings.format(chr(point)), theirs, ours)
            same_tokens(line, theirs, ours)


def same_lowering_for(points: Sequence[int], word: str) -> None:
    """BLEU counts a word as correct when it equals what Python made of it."""
    options = {"lowercase": True, "tokenize": "none", "max_ngram_order": 1}
    theirs, ours = sacrebleu.metrics.BLEU(**options), truebleu.metrics.BLEU(**options)
    for batch in batches(points):
        line = " ".join(word.format(chr(point)) for point in batch)
        expected, actual = (metric.sentence_score(line, [line.lower()]) for metric in (theirs, ours))
        assert expected.counts == actual.counts, f"within U+{batch[0]:04X} to U+{batch[-1]:04X}"


def batches(points: Sequence[int]) -> Iterator[Sequence[int]]:
    return (points[start : start + 256] for start in range(0, len(points), 256))


def same_tokens(line: str, theirs: Tokenize, ours: Tokenize) -> None:
    expected, actual = theirs(line), ours(line)
    assert expected == actual, f"{line!a}: expected {expected!a}, got {actual!a}"
