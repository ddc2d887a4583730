"""SignTestBleu's own BLEU, against its definition written out."""

import math
from collections import Counter

import pytest

from strategies import Generator
from truebleu import demo
from truebleu.errors import LengthMismatch
from truebleu.significance.signtestbleu import signtestbleu, tokenize


def ngrams(tokens: list[str], n: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1))


def slow_bleu(hypotheses: list[str], streams: list[list[str]], cased: bool) -> float:
    """From 0 to 1: four orders, no smoothing, the shortest reference."""
    matches, totals, length, reference_length = [0] * 4, [0] * 4, 0, 0
    for hypothesis, *references in zip(hypotheses, *streams, strict=True):
        tokens, *others = (tokenize(text, cased).split() for text in (hypothesis, *references))
        length += len(tokens)
        reference_length += min(map(len, others))
        for n in range(1, 5):
            allowed: Counter[tuple[str, ...]] = Counter()
            for other in others:
                allowed |= ngrams(other, n)
            matches[n - 1] += (ngrams(tokens, n) & allowed).total()
            totals[n - 1] += ngrams(tokens, n).total()
    if not all(matches):
        return 0.0
    mean = math.prod(match / total for match, total in zip(matches, totals, strict=True)) ** 0.25
    return mean * math.exp(min(0, 1 - reference_length / length))


@pytest.mark.parametrize("cased", [False, True])
def test_scores_are_those_of_the_definition(cased: bool, cases: int) -> None:
    some_above_zero = 0
    for case in range(max(30, cases // 6)):
        generator = Generator(f"signtestbleu/{case}")
        texts = [generator.segment() for _ in range(6)]
        baseline, system, *streams = ([generator.variant(text) for text in texts] for _ in range(4))
        test = signtestbleu(baseline, system, streams, case_sensitive=cased)
        for index in test.different.nonzero()[0]:
            replaced = [*baseline[:index], system[index], *baseline[index + 1 :]]
            expected = 100 * slow_bleu(replaced, streams, cased)
            # The logarithms of one and the powers of the other round differently.
            assert math.isclose(expected, test.scores[index], rel_tol=1e-12), f"signtestbleu/{case}"
        assert [a != b for a, b in zip(baseline, system, strict=True)] == test.different.tolist()
        some_above_zero += test.baseline_score > 0
    assert some_above_zero > 5


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ('A "B" (C) D/E; F? [G]_H {I} J@K', 'a " b " ( c ) d / e ; f ? [ g ] _ h { i } j @ k'),
        ("it's `so` a-b", "it's `so` a-b"),
        ("1,000.50 a.b ,5 x 5. y", "1,000.50 a . b , 5 x 5 . y"),
        ("5 5. 5", "55 . 5"),
        ("3-4 a-4", "3 - 4 a-4"),
        ("1 000 000 kg", "1000000 kg"),
        ("&quot;x&quot; &amp;lt; R&D", '" x " < r & d'),
        ("two\nlines\tand hy-\nphen", "two lines and hyphen"),
        ("ÄÖ A", "ÄÖ a"),
        ("", ""),
    ],
)
def test_tokens(text: str, tokens: str) -> None:
    assert tokens == tokenize(text)
    assert tokens.lower() == tokenize(text, case_sensitive=True).lower()


def test_the_signature_says_which_bleu_it_is() -> None:
    data = demo.load("en-es")
    systems = data.systems["cedar"], data.systems["atlas"]
    test = signtestbleu(*systems, list(data.references.values()))
    assert "nrefs:2|case:lc|eff:no|tok:signtestbleu|smooth:none|len:shortest" == test.signature.rpartition("|")[0]
    assert (1.96, 2.576) == test.thresholds
    assert 0.99 == test.level


def test_streams_of_different_lengths_are_refused() -> None:
    with pytest.raises(LengthMismatch, match="stream 0 of 1 has 1 segment, the hypotheses have 2"):
        signtestbleu(["a", "b"], ["a", "b"], [["a"]])
