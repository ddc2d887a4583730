"""Signatures."""

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truebleu.metrics import BLEU, CHRF, TER
from truebleu.metrics.base import with_about
from truebleu.signature import About, Signature, read_fields
from truebleu.version import __version__

HYPOTHESES = ["A heron stood by the pond."]
REFERENCES = [["A grey heron stood by the pond."], ["A heron was standing at the pond."]]


def test_version_comes_last_and_names_truebleu() -> None:
    score = BLEU().corpus_score(HYPOTHESES, REFERENCES)
    assert f"version:truebleu-{__version__}" == str(score.signature).split("|")[-1]


def test_every_score_has_the_signature_of_its_own_call() -> None:
    metric = BLEU()
    one = metric.corpus_score(HYPOTHESES, REFERENCES[:1])
    two = metric.corpus_score(HYPOTHESES, REFERENCES)
    assert "nrefs:1|" in str(one.signature)
    assert "nrefs:2|" in str(two.signature)


def test_options_that_sacrebleu_leaves_out_are_shown_when_not_default() -> None:
    signature = BLEU(max_ngram_order=3, empty_refs="keep", references=REFERENCES).get_signature()
    assert "order:3|empty:keep|version" in signature.format()
    assert "order:3|empty:keep|v:" in signature.format(short=True)


def test_ter_has_a_shorter_short_form_for_its_tokenizer() -> None:
    for signature in (TER().corpus_score(HYPOTHESES, REFERENCES).signature, TER(references=REFERENCES).get_signature()):
        assert signature is not None
        assert "|t:tercom|" in signature.format(short=True)


def test_attributes_that_users_set_are_shown() -> None:
    metric = CHRF(references=REFERENCES)
    metric.test_set, metric.langpair = "mine", "en-de"
    assert str(metric.get_signature()).startswith("nrefs:2|test:mine|lang:en-de|case:mixed|")


def test_what_was_scored_is_one_record_beside_the_options() -> None:
    metric = BLEU()
    with pytest.raises(AttributeError):
        metric.about.test = "mine"  # type: ignore[misc]
    signed = with_about(metric, About(test="mine", only="5-abc", level="doc"))
    assert "nrefs:1|test:mine|only:5-abc|level:doc|case:" in str(signed.corpus_score(["a"], [["a"]]).signature)
    assert "mine" == signed.test_set and metric.test_set is None
    assert not {*About._fields, "test_set", "langpair"} & vars(signed).keys()


def test_update_puts_an_unknown_field_before_the_version() -> None:
    signature = Signature({"nrefs": 1})
    signature.update("note", "x")
    assert signature.format().startswith("nrefs:1|note:x|version:")
    with pytest.raises(KeyError):
        signature.format(short=True)


@pytest.mark.interpreter
def test_signatures_compare_by_text_and_can_be_pickled() -> None:
    signature = BLEU(references=REFERENCES).get_signature()
    assert signature == pickle.loads(pickle.dumps(signature))
    assert len({signature, BLEU(references=REFERENCES).get_signature()}) == 1


@given(st.dictionaries(st.text("abcxyz", min_size=1, max_size=3), st.text(min_size=1), min_size=1))
def test_what_was_written_is_read_back_whatever_the_values(values: dict[str, str]) -> None:
    # A name has no colon; a signature that ends in what looks like a score has been copied with it.
    signature = Signature({**values, "version": "1"})
    name, fields = read_fields(f"BLEU|{signature}")
    assert ("BLEU", {**values, "version": "1"}) == (name, fields)
    assert fields == signature.fields()


def test_a_percent_sign_that_escapes_nothing_stays() -> None:
    assert {"subset": "50%", "test": "%zz"} == read_fields("subset:50%|test:%zz")[1]


def test_a_test_stands_behind_the_number_of_references() -> None:
    signature = Signature({"nrefs": 1, "case": "mixed"}, {"case": "c"}).with_test({"bs": 100, "new": "x"})
    assert ["nrefs", "bs", "new", "case", "version"] == list(signature.fields())
    assert signature.format(short=True).startswith("#:1|bs:100|new:x|c:mixed|v:")
