"""Signatures of learned metrics that other programs write."""

import pytest

from truebleu.errors import UnknownSignature
from truebleu.metrics.published import metric_from_signature, parse_signature


@pytest.mark.parametrize(
    ("text", "metric", "options"),
    [
        (
            "Python3.11.8|Comet2.2.2|fp32|unite-mup", "unite",
            {"model": "Unbabel/unite-mup", "precision": "fp32", "facts": {"pkg": "unbabel-comet-2.2.2"}},
        ),
        (
            "Python3.9.19|Comet2.2.2|fp16|Unbabel/wmt22-comet-da", "comet",
            {"model": "Unbabel/wmt22-comet-da", "precision": "fp16", "facts": {"pkg": "unbabel-comet-2.2.2"}},
        ),
        (
            "roberta-large_L17_no-idf_version=0.3.12(hug_trans=4.30.2)-rescaled", "bertscore",
            {"model": "roberta-large", "facts": {"pkg": "bert-score-0.3.12", "tf": "4.30.2"}, "rescale": True},
        ),
        (
            "microsoft/deberta-xlarge-mnli_L40_no-idf_version=0.3.13(hug_trans=4.57.6)_fast-tokenizer", "bertscore",
            {"model": "microsoft/deberta-xlarge-mnli", "facts": {"pkg": "bert-score-0.3.13", "tf": "4.57.6"}},
        ),
    ],
)  # fmt: skip
def test_other_programs_say_the_same(text: str, metric: str, options: dict[str, object]) -> None:
    found = parse_signature(text)
    assert (metric, options, {}) == (found.metric, found.options, found.context)
    assert "the signature does not tell the weights" in found.notes[0]
    if "rescale" not in options:  # whose baseline needs a language, which the hash does not tell
        assert options["model"] == metric_from_signature(text).model  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Python3.11.8|Comet2.2.2|fp32|my-comet", "the model 'my-comet', which is not listed here"),
        ("Python3.11.8|Comet2.2.2|fp64|unite-mup", "is not a signature"),
        ("roberta-large_L18_no-idf_version=0.3.12(hug_trans=4.30.2)", "is of layer 18 of roberta-large, expected 17"),
        ("roberta-large_L17_idf_version=0.3.12(hug_trans=4.30.2)", "has idf, by which a segment's score"),
        ("roberta-large_L17_no-idf_version=0.3.12(hug_trans=4.30.2)-custom-rescaled", "has a baseline of its own"),
    ],
)
def test_what_cannot_be_repeated_is_refused(text: str, message: str) -> None:
    with pytest.raises(UnknownSignature, match=message):
        parse_signature(text)
