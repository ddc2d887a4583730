"""Signatures in words."""

import re
from pathlib import Path
from typing import Any

import pytest

from truebleu.errors import OptionError
from truebleu.metrics import METRICS
from truebleu.metrics.explained import _MEANINGS, explained
from truebleu.metrics.registry import one_of_each
from truebleu.signature import SHORT_FORMS
from truebleu.significance import compare
from truebleu.significance.correction import CORRECTIONS
from truebleu.significance.tests import TESTS

PAGE = (Path(__file__).parents[2] / "docs/explanation/signatures.md").read_text("utf-8")
TEXTS = {"a": ["a b c d", "e f g h", "i j"], "b": ["a b c d", "e f", "i k"]}
REFERENCES = [["a b c d", "e f g", "i j"]]


@pytest.mark.parametrize("name", METRICS)
def test_every_field_and_value_of_a_metric_has_words(name: str) -> None:
    for field in METRICS[name].fields:
        assert field.means or field.key in _MEANINGS, field.key
        shown = {True: "yes", False: "no"}
        values = [shown.get(value, value) if isinstance(value, bool) else value for value in field.encode.values()]
        for value in [field.default, *values]:
            if value is not None and (field.key, value) != ("space", "no"):  # white space always counts in CER
                assert "{" not in explained(f"{METRICS[name].label}|{field.key}:{value}")[-1][1]


@pytest.mark.parametrize("short", [False, True])
@pytest.mark.parametrize("metric", one_of_each(), ids=lambda metric: metric.name)
def test_what_a_metric_writes_is_explained(metric: Any, short: bool) -> None:
    score = metric.corpus_score(TEXTS["a"], REFERENCES)
    found = [field for field, _ in explained(f"{score.name}|{score.signature.format(short)}")]
    assert [score.name, *str(score.signature).split("|")] == found


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("correction", CORRECTIONS)
def test_what_a_test_writes_is_explained(test: str, correction: str) -> None:
    report = compare(TEXTS, "bleu", REFERENCES, test=test, correction=correction, documents=["x", "x", "y"])
    signature = report.metrics[0].signature
    assert str(signature).split("|") == [field for field, _ in explained(signature.format(short=True))]


def test_every_field_of_the_page_has_words_and_every_common_field_too() -> None:
    keys = {key for row in re.findall(r"^\| (`.+?) \|", PAGE, re.M) for key in re.findall(r"`(\w+)`", row)}
    assert keys == set(_MEANINGS) and set(SHORT_FORMS) < keys


def test_the_signatures_of_the_page_are_explained() -> None:
    found = re.findall(r"(?:[\w+]+\|)?(?:nrefs|#):1\|[^\s'\"`]+", PAGE)
    assert 4 == len(found)
    for text in found:
        assert text.count("|") + 1 == len(explained(text))


@pytest.mark.parametrize(
    ("text", "field", "words"),
    [
        (
            "chrF2+case.mixed+numchars.6+numrefs.1+space.False+version.1.5.1",
            "space:no",
            "spaces were removed before characters were compared",
        ),
        ("TER|#:1|t:tercom|v:2.0.0", "tok:tercom", "tokenizer that split the texts into words: tercom"),
        ("TER|#:1|t:wmt17|nr:no", "test:wmt17", "name of the test set: wmt17"),
        ("COMET|external:COMET", "COMET", "the metric: COMET"),
        ("self-BLEU|nrefs:2", "self-BLEU", "the metric: BLEU, of each line with all others as references"),
        ("BLEU|nrefs:1|tok:custom-mine", "tok:custom-mine", "tokenizer that split the texts into words: custom-mine"),
        (
            "BLEU|tok:signtestbleu|len:shortest",
            "tok:signtestbleu",
            "tokenizer that split the texts into words: signtestbleu",
        ),
        ("nrefs:var", "nrefs:var", "the number of references differs from segment to segment"),
    ],
)
def test_other_ways_of_writing(text: str, field: str, words: str) -> None:
    assert words == dict(explained(text))[field]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("BLEU|nrefs:many", "the signature has nrefs 'many', expected var or a whole number"),
        ("BLEU|ties:no", "the signature has ties 'no', expected counted"),
        ("BLEU|nrefs:1|foo:2", "has the field 'foo', which is not known"),
        ("BLEU|nc:6", "has the field 'nc', which is not known"),
        ("BLEU|case:up", "the signature has case 'up', expected 'lc' or 'mixed'"),
        ("BLEU|textnorm:nothing", "the signature: textnorm has 'nothing', expected names among"),
        ("TER|norm:maybe", "where yes or no is expected"),
        ("Nobody|nrefs:1", "the signature is of 'Nobody'"),
        ("nothing", "is not a signature"),
    ],
)
def test_what_is_wrong_is_named(text: str, message: str) -> None:
    with pytest.raises(OptionError) as caught:
        explained(text)
    assert message in str(caught.value)
