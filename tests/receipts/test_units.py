"""Receipts of texts that were divided anew or joined: whoever checks one has the texts as they are."""

from collections.abc import Hashable
from typing import Any

import pytest

import truebleu
from truebleu import BLEU, CHRF, Receipt
from truebleu.errors import LengthMismatch, OptionError
from truebleu.resegmentation import resegment
from truebleu.resegmentation.corpus import units
from truebleu.resegmentation.levels import at_level

ALL = {1: True, 2: True, 3: True, 4: True}


def demo() -> Any:
    return truebleu.testset("demo", "en-de")


def by_document() -> dict[Hashable, str]:
    found: dict[Hashable, list[str]] = {}
    for label, text in zip(demo().documents, demo().systems["atlas"], strict=True):
        found.setdefault(label, []).append(text)
    return {label: " ".join(texts) for label, texts in found.items()}


@pytest.mark.parametrize("how", [{}, {"breaks": "ignore"}, {"window": 50}, {"method": "mwer"}])
def test_a_text_is_divided_again_as_the_receipt_says(how: Any) -> None:
    text = " ".join(demo().systems["atlas"])
    result = resegment(text, demo().references, **how)
    receipt = Receipt.make(result.segments, None, [BLEU()], test_set=demo(), segmentation=result)
    assert result.signature_fields["reseg"] == receipt.about["segmentation"]["method"]
    assert f"|reseg:{result.signature_fields['reseg']}|" in receipt.about["metrics"][0]["signature"]
    assert receipt.about["segmentation"]["spans"].startswith("sha256:")
    found = receipt.verify(demo(), [text])
    assert (ALL, ()) == (found.levels, found.problems) and "divided into segments again" in found.notes[0]
    # The segments themselves, and the references alone, do as well.
    assert ALL == receipt.verify(demo(), result.segments).levels
    assert {1: True, 2: True, 3: True} == receipt.verify(demo()).levels
    other = receipt.verify(demo(), [text.replace("e", "a", 1)])
    assert "segments is 240, and the system given has 1 line" in other.problems[0]
    assert "give the segments that 'truebleu resegment' writes" in other.notes[0]


def test_documents_are_divided_again() -> None:
    texts, labels = by_document(), demo().documents
    result = resegment(texts, demo().references, documents=labels)
    receipt = Receipt.make(result.segments, None, [CHRF()], test_set=demo(), segmentation=result)
    assert ALL == receipt.verify(demo(), texts).levels == receipt.verify(demo(), list(texts.values())).levels
    by_name = receipt.verify(demo().references, texts, documents=labels)
    assert ALL == by_name.levels
    assert not receipt.verify(demo(), {**texts, labels[0]: "another text"})
    with pytest.raises(LengthMismatch, match="documents has 239 labels and references has 240 segments"):
        receipt.verify(demo().references, texts, documents=labels[:-1])


@pytest.mark.parametrize(("level", "signed", "count"), [("document", "doc", 21), ("all", "all", 1)])
def test_joined_texts_are_joined_again(level: str, signed: str, count: int) -> None:
    made = demo()
    streams = truebleu._inputs.check_references("test", made.references)
    of_each = units(level, [*made.documents], streams)
    texts, joined = at_level(made.systems["atlas"], streams.streams, of_each)
    for told in (level, signed):
        receipt = Receipt.make(texts, joined, [BLEU()], test_set=made, level=told)
        assert (signed, count) == (receipt.about["level"], receipt.about["segments"])
        assert f"|level:{signed}|" in receipt.about["metrics"][0]["signature"]
        assert ALL == receipt.verify(made, made.systems["atlas"]).levels
        assert ALL == receipt.verify(joined, texts).levels
        assert not receipt.verify(made, made.systems["birch"])
    found = receipt.verify(made.references, made.systems["atlas"])
    assert (ALL if level == "all" else {1: True, 2: True}) == found.levels
    assert ALL == receipt.verify(made.references, made.systems["atlas"], documents=made.documents).levels
    if level == "document":
        assert "rows are sums of whole documents" in found.notes[0]


def test_a_receipt_of_other_segments_than_its_segmentation_is_not_made() -> None:
    made = demo()
    result = resegment(" ".join(made.systems["atlas"]), made.references)
    with pytest.raises(OptionError, match="segmentation has other segments than hypotheses"):
        Receipt.make(made.systems["birch"], None, [BLEU()], test_set=made, segmentation=result)
    with pytest.raises(OptionError, match="level is 'page', expected one of 'paragraph', 'document', 'all'"):
        Receipt.make(["a"], [["a"]], [BLEU()], level="page")
