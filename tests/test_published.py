"""Published signatures, read back."""

import time

import pytest

import truebleu
from truebleu.errors import UnknownSignature
from truebleu.metrics import BLEU, CHRF, GLEU, TER
from truebleu.metrics.base import Metric
from truebleu.metrics.published import metric_from_signature, parse_signature

TEXTS = (["a b c d e f", "g h"], [["a b c d x f", "g h"]])

METRICS = [
    BLEU(),
    BLEU(lowercase=True, tokenize="intl", smooth_method="floor", smooth_value=0.25),
    BLEU(smooth_method="add-k", smooth_value=1.0, effective_order=True, max_ngram_order=3),
    BLEU(tokenize="char", smooth_method="none", empty_refs="keep"),
    CHRF(),
    CHRF(char_order=4, word_order=2, beta=3, lowercase=True, whitespace=True, eps_smoothing=True),
    TER(),
    BLEU(smooth_method="method4", smooth_value=5.0),
    BLEU(smooth_method="method7", smooth_value=5.0),
    GLEU(),
    GLEU(min_len=2, max_len=3, lowercase=True, tokenize="intl"),
    TER(normalized=True, no_punct=True, asian_support=True, case_sensitive=True),
]


@pytest.mark.parametrize("metric", METRICS, ids=repr)
@pytest.mark.parametrize("short", [False, True])
def test_our_own_signatures_come_back(metric: Metric[truebleu.metrics.Score], short: bool) -> None:
    score = metric.corpus_score(*TEXTS)
    assert score.signature is not None
    again = truebleu.metric_from_signature(f"{score.name}|{score.signature.format(short)}")
    assert repr(metric) == repr(again)
    assert score.signature == again.corpus_score(*TEXTS).signature


def test_what_is_not_the_metric_s_is_kept_apart() -> None:
    published = parse_signature("#:1|bs:500|rs:7|t:wmt17|l:en-de|o:de|S:x|c:mixed|e:no|tok:13a|s:exp|v:2.0.0")
    expected = {
        "nrefs": "1",
        "bs": "500",
        "seed": "7",
        "test": "wmt17",
        "lang": "en-de",
        "origlang": "de",
        "subset": "x",
    }
    assert expected == published.context
    assert ("version 2.0.0" in published.notes[0]) and len(published.notes) == 1


def test_ter_s_short_tokenizer_is_no_test_set() -> None:
    assert {"nrefs": "1"} == parse_signature("#:1|c:lc|t:tercom|nr:no|pn:yes|as:no|v:2.0.0").context
    assert {"test": "wmt17"} == parse_signature("TER|t:wmt17|nr:no").context


def test_installed_mecab_is_taken_and_told() -> None:
    published = parse_signature("BLEU|nrefs:1|tok:ja-mecab-0.996-IPA|smooth:exp")
    assert "ja-mecab" == published.options["tokenize"]
    assert "whatever its version" in published.notes[0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is not a signature"),
        ("BLEU", "is not a signature"),
        ("BLEU|nrefs", "is not a signature"),
        ("BLEURT|nrefs:1", "is of 'BLEURT', expected BLEU, chrF, TER, GLEU"),
        ("BLEU|tok:moses", "asks for the tokenizer 'moses', which does not exist"),
        ("BLEU|smooth:method9", "asks for smoothing 'method9'"),
        ("BLEU|case:upper", "has case 'upper'"),
        ("BLEU|eff:perhaps", "has 'perhaps' where yes or no is expected"),
        ("chrF2|nc:six", "has 'six' where a whole number is expected"),
        ("BLEU|nrefs:1|nonsense:1", "has nonsense:1, which BLEU does not know"),
    ],
)
def test_what_cannot_be_read(text: str, message: str) -> None:
    with pytest.raises(UnknownSignature, match=message):
        truebleu.metric_from_signature(text)


@pytest.mark.parametrize("text", ["BLEU" + "1" * 100_000 + "x", "chrF" + "1" * 100_000, "1" * 100_000 + "x|nrefs:1"])
def test_a_hundred_thousand_digits_are_refused_at_once(text: str) -> None:
    start = time.process_time()
    with pytest.raises(UnknownSignature) as caught:
        metric_from_signature(f"{text}|nrefs:1")
    assert time.process_time() - start < 1
    assert len(str(caught.value)) < 600
