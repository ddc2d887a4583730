"""The data that ships with the package."""

import pytest

import truebleu
from truebleu import demo
from truebleu.errors import OptionError
from truebleu.metrics import BLEU, CHRF


@pytest.mark.parametrize("pair", demo.PAIRS)
def test_the_systems_are_of_different_quality(pair: str) -> None:
    data = demo.load(pair)
    references = list(data.references.values())
    for metric in (BLEU(trg_lang=pair[-2:]), CHRF()):
        atlas, birch, cedar = (metric.corpus_score(outputs, references).score for outputs in data.systems.values())
        assert atlas > birch > cedar


@pytest.mark.parametrize("pair", demo.PAIRS)
def test_columns_are_of_equal_length_and_clean(pair: str) -> None:
    data = demo.load(pair)
    columns = [data.docids, data.domains, data.sources, *data.references.values(), *data.systems.values()]
    assert {len(data.sources)} == {len(column) for column in columns}
    for column in columns:
        for text in column:
            assert text and text == text.strip() and "\t" not in text and "\n" not in text


def test_the_demo_is_the_test_set_of_that_name() -> None:
    assert list(demo.PAIRS) == truebleu.testsets()["demo"]
    data, loaded = truebleu.testset("demo", "en-zh"), demo.load("en-zh")
    assert (data.source, data.documents, data.domains) == (loaded.sources, loaded.docids, loaded.domains)
    assert data.references == list(loaded.references.values()) and dict(data.systems) == loaded.systems


def test_an_unknown_pair_is_refused_with_those_there_are() -> None:
    with pytest.raises(OptionError, match="no language pair 'de-en', only en-de, en-es, en-zh"):
        demo.load("de-en")
