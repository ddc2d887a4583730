"""Self-BLEU: each sample with all the others as its references, whatever the shortcut."""

import math
import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sacrebleu
import sacrebleu.metrics
from hypothesis import given
from hypothesis import strategies as st

import truebleu
from strategies import bleu_options, chrf_options, ter_options, texts, variants
from truebleu.errors import EmptyCorpus, InputTypeError, OptionError
from truebleu.metrics import BLEU, CHRF, METRICS, TER

CALLS = {"BLEU": bleu_options, "CHRF": chrf_options, "TER": ter_options}
SAMPLES = ["the bus was late again", "the bus came late", "again the bus was late", "we walked"]

samples: st.SearchStrategy[list[str]] = st.one_of(
    st.lists(texts, min_size=2, max_size=7),
    st.lists(st.sampled_from(["", " ", "a", "a b", "a a b c", "b a a a c d e"]), min_size=2, max_size=7),
    texts.flatmap(lambda text: st.lists(st.one_of(variants(text), st.just(text)), min_size=2, max_size=6)),
)


def others(texts: list[str], at: int, empty_refs: str) -> list[str]:
    """The references of one sample, as sacreBLEU must be given them: empty ones only if there are no other."""
    rest = texts[:at] + texts[at + 1 :]
    return rest if empty_refs == "keep" or not any(rest) else [text for text in rest if text]


def loop(metric: Any, texts: list[str], empty_refs: str = "keep") -> list[float]:
    return [metric.sentence_score(text, others(texts, at, empty_refs)).score for at, text in enumerate(texts)]


@pytest.mark.parametrize("name", CALLS)
def test_scores_are_those_of_a_loop_over_either_library(name: str) -> None:
    @given(samples, CALLS[name], st.sampled_from(["drop", "keep"]))
    def check(texts: list[str], options: dict[str, Any], empty_refs: str) -> None:
        metric = METRICS[name](**options, empty_refs=empty_refs)
        result = truebleu.self_bleu(texts, metric)
        assert loop(getattr(sacrebleu.metrics, name)(**options), texts, empty_refs) == result.scores.tolist()
        each = [metric.sentence_score(text, texts[:at] + texts[at + 1 :]) for at, text in enumerate(texts)]
        assert [score.score for score in each] == result.scores.tolist()
        # The signature says how many references a sample had.
        counts = {str(score.signature).partition("|")[0] for score in each}
        expected = counts.pop() if len(counts) == 1 else "nrefs:var"
        assert expected == str(result.signature).partition("|")[0]

    check()


def test_the_guides_example_with_references_in_the_shape_it_means() -> None:
    # The practical guide passes [refs], one stream, of which sacreBLEU reads the first line only.
    values = []
    for at, sample in enumerate(SAMPLES):
        refs = SAMPLES[:at] + SAMPLES[at + 1 :]
        streams = [[ref] for ref in refs]
        values.append(sacrebleu.corpus_bleu([sample], streams, tokenize="13a", smooth_method="exp").score)
    result = truebleu.self_bleu(SAMPLES)
    assert values == result.scores.tolist()
    assert sum(values) / len(values) == result.score
    as_written = [
        sacrebleu.corpus_bleu([text], [SAMPLES[:at] + SAMPLES[at + 1 :]]).score for at, text in enumerate(SAMPLES)
    ]
    assert sum(as_written) / len(as_written) != result.score


@pytest.mark.parametrize("make", [BLEU, CHRF, TER, lambda: BLEU(tokenize="char"), lambda: CHRF(word_order=2)])
def test_hundreds_of_samples_on_any_number_of_threads(make: Callable[[], Any]) -> None:
    rng = random.Random(3)
    words = [
        "the",
        "a",
        "bus",
        "tram",
        "came",
        "left",
        "late",
        "early",
        "again",
        ",",
        ".",
        "and",
        "nobody",
        "saw",
        "it",
    ]
    many = [" ".join(rng.choices(words, k=rng.randint(0, 14))) for _ in range(150)]
    metric = make()
    expected = [metric.sentence_score(text, many[:at] + many[at + 1 :]).score for at, text in enumerate(many)]
    for threads in (1, 2, 5, None):
        assert expected == truebleu.self_bleu(many, metric, threads=threads).scores.tolist()


def test_a_tokenizer_that_makes_tokens_of_nothing() -> None:
    metric = BLEU(tokenize=lambda line: line.split() or ["nothing"], max_ngram_order=1)
    for lines in (["nothing", "a", "", ""], ["", "nothing"], ["", ""]):
        expected = [metric.sentence_score(text, lines[:at] + lines[at + 1 :]).score for at, text in enumerate(lines)]
        assert expected == truebleu.self_bleu(lines, metric).scores.tolist()


def test_duplicates_score_100_and_strangers_0() -> None:
    assert [100, 100] == pytest.approx(truebleu.self_bleu(["a b c d e"] * 2).scores)
    assert 0 == truebleu.self_bleu(["a b c d e", "f g h i j"]).score
    assert 0 == truebleu.self_bleu(["a b c d e"] * 2, TER()).score


def test_the_result_says_what_it_is() -> None:
    result = truebleu.self_bleu(SAMPLES, CHRF(word_order=2))
    assert f"self-chrF2++ = {result.score:.2f} (4 samples)" == str(result)
    assert str(result.signature).startswith("nrefs:3|case:mixed|eff:yes|nc:6|nw:2|space:no|version:truebleu-")
    assert {
        "name": "self-chrF2++",
        "score": result.score,
        "signature": str(result.signature),
        "definition": "sacrebleu",
        "samples": 4,
        "scores": result.scores.tolist(),
    } == result.to_dict()
    assert np.float64 == result.scores.dtype


# --- fast-bleu's definition -------------------------------------------------------------------------


def slow_fast_bleu(hypothesis: list[str], references: list[list[str]], order: int) -> float:
    """NLTK's sentence BLEU with method 1, straight from its description."""
    logs = []
    for n in range(1, order + 1):
        grams = Counter(tuple(hypothesis[at : at + n]) for at in range(len(hypothesis) - n + 1))
        most: Counter[tuple[str, ...]] = Counter()
        for reference in references:
            most |= Counter(tuple(reference[at : at + n]) for at in range(len(reference) - n + 1))
        matches = sum((grams & most).values())
        if n == 1 and not matches:
            return 0.0
        logs.append(math.log((matches or 0.1) / max(1, sum(grams.values()))) / order)
    closest = min((len(reference) for reference in references), key=lambda r: (abs(r - len(hypothesis)), r))
    penalty = 1.0 if len(hypothesis) > closest else math.exp(1 - closest / len(hypothesis))
    return penalty * math.exp(math.fsum(logs))


@given(samples, st.integers(1, 5))
def test_fast_bleus_definition(texts: list[str], order: int) -> None:
    result = truebleu.self_bleu(texts, BLEU(tokenize="none", max_ngram_order=order), definition="fast-bleu")
    tokens = [text.split() for text in texts]
    expected = [slow_fast_bleu(text, tokens[:at] + tokens[at + 1 :], order) for at, text in enumerate(tokens)]
    # Sums of logarithms, here without and there with exact rounding.
    assert expected == pytest.approx(result.scores, rel=1e-13)


TIDE = [
    "At low tide the children walked out to the wreck and back again",
    "The children walked out to the old wreck when the tide was low",
    "When the tide went out a few children went to see the wreck and came back",
    "Nobody walked back to the harbour before the tide came in",
]


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        # Printed by fast-bleu 0.0.90; its weights have 32 bits, and thirds and fifths are not among them.
        (2, [0.6504436355879909, 0.5370861555295747, 0.3535533905932738, 0.2974438831349583]),
        (3, [0.5358322798734924, 0.42848815148917013, 0.20745662361722333, 0.09358400322373364]),
        (4, [0.4188216850419828, 0.3541698766144061, 0.09103526405546068, 0.05406149861913043]),
        (5, [0.32119946894506296, 0.2808799803170796, 0.056432781574247706, 0.03994830068421387]),
    ],
)
def test_numbers_that_fast_bleu_prints(order: int, expected: list[float]) -> None:
    metric = BLEU(tokenize="none", max_ngram_order=order)
    assert expected == pytest.approx(truebleu.self_bleu(TIDE, metric, definition="fast-bleu").scores, rel=1e-7)


def test_fast_bleus_definition_has_its_own_smoothing_whatever_that_of_the_metric() -> None:
    # method5 makes BLEU count one order more, which is none of fast-bleu's.
    smoothed = BLEU(tokenize="none", smooth_method="method5")
    expected = truebleu.self_bleu(TIDE, BLEU(tokenize="none"), definition="fast-bleu").scores.tolist()
    assert expected == truebleu.self_bleu(TIDE, smoothed, definition="fast-bleu").scores.tolist()


def test_the_brevity_penalty_that_fast_bleu_loses() -> None:
    # fast-bleu 0.0.90 prints 1.0 for the first: it looks for the closest length beyond the end of its list.
    short = ["a b", "a b c d e f g h i j", "a b c d e f g h i k"]
    scores = truebleu.self_bleu(short, BLEU(tokenize="none", max_ngram_order=2), definition="fast-bleu").scores
    assert math.exp(1 - 10 / 2) == pytest.approx(scores[0], rel=1e-15)


def test_fast_bleus_definition_says_so_in_the_signature() -> None:
    result = truebleu.self_bleu(SAMPLES, definition="fast-bleu")
    assert "nrefs:3|case:mixed|eff:no|tok:none|smooth:method1[0.10]" == str(result.signature).rpartition("|")[0]
    assert 0 < result.score < 1
    lowered = truebleu.self_bleu(SAMPLES, BLEU(lowercase=True, max_ngram_order=2), definition="fast-bleu")
    assert "case:lc|eff:no|tok:13a|smooth:method1[0.10]|order:2" in str(lowered.signature)


# --- what is refused --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("texts", "options", "error", "message"),
    [
        ([], {}, EmptyCorpus, "samples is empty"),
        (["a"], {}, EmptyCorpus, "there is one sample, expected at least two"),
        ("a b", {}, InputTypeError, "samples is the plain string 'a b'"),
        (["a", None], {}, InputTypeError, r"samples\[1\] is None, expected a string"),
        ([["a"], ["b"]], {}, InputTypeError, r"samples\[0\] is of type list"),
        ({"a", "b"}, {}, InputTypeError, "samples is of type set"),
        (["a", "b"], {"metric": 3}, InputTypeError, "metric is of type int"),
        (["a", "b"], {"metric": BLEU}, InputTypeError, "metric is of type"),
        (["a", "b"], {"definition": "texygen"}, OptionError, "definition is 'texygen', expected one of 'sacrebleu'"),
        (["a", "b"], {"metric": TER(), "definition": "fast-bleu"}, OptionError, "is for BLEU, the metric is TER"),
        (["a", "b"], {"threads": 0}, OptionError, "threads is 0"),
    ],
)
def test_bad_input(texts: Any, options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        truebleu.self_bleu(texts, **options)


def test_one_sample_is_what_an_index_error_was() -> None:
    with pytest.raises(IndexError):
        truebleu.self_bleu(["a"])


def test_what_takes_long_is_said_before_unless_no_pair_is_looked_at(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("truebleu.diversity._CHARACTERS_A_SECOND", 3)
    caplog.set_level("WARNING", logger="truebleu")
    truebleu.self_bleu(SAMPLES)
    truebleu.self_bleu(SAMPLES[:2], CHRF())
    assert "" == caplog.text
    seconds = 4 * sum(map(len, SAMPLES)) / 3
    truebleu.self_bleu(SAMPLES, CHRF())
    assert f"chrF looks at every pair of 4 samples, which takes {seconds:.0f} seconds or more" in caplog.text
