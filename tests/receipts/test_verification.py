"""Forgeries: each impossible row, each false number and each other text is found, and the message says where."""

import copy
import json
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given

import truebleu
from receipts.forging import forged, hashed, made
from strategies import Corpus, corpora
from truebleu import BLEU, CHRF, GLEU, TER, Receipt
from truebleu._packing import pack
from truebleu.errors import OptionError
from truebleu.metrics import CER, ROUGE, WER, EditSimilarity, ExactMatch, Metric, TokenF1
from truebleu.metrics import METRICS as ALL_METRICS
from truebleu.metrics.known import other_metric
from truebleu.receipts.file import content_hash
from truebleu.receipts.text import receipt_rows

METRICS = (
    BLEU(),
    BLEU(max_ngram_order=6),
    BLEU(tokenize="char"),
    CHRF(),
    CHRF(word_order=2, whitespace=True),
    TER(),
    GLEU(),
    ROUGE("L", tokenize="rouge-unicode"),
    ROUGE("3", tokenize="rouge-unicode"),
    WER(),
    CER(lowercase=True),
    ExactMatch(),
    TokenF1(),
    EditSimilarity(),
)


def demo(refs: str = "A") -> Any:
    return truebleu.testset("demo", "en-de", refs=refs)


def test_a_true_receipt_holds_on_all_levels() -> None:
    found = made(n_bootstrap=20).verify(demo(), demo().systems["atlas"])
    assert ({1: True, 2: True, 3: True, 4: True}, (), ()) == (found.levels, found.problems, found.notes)
    assert found.holds and bool(found)


def with_rows(name: str, change_rows: Callable[[Any, tuple[str, ...]], object]) -> Callable[[dict[str, Any]], None]:
    """Change rows, and every number that follows from them: what a careful forger does."""

    def apply(about: dict[str, Any]) -> None:
        entry = next(one for one in about["metrics"] if one["name"] == name)
        stats = made().stats[name]
        rows = stats.rows.copy()
        change_rows(rows, stats.columns)
        packed = pack(rows, stats.columns, {})
        entry.update(packed._asdict())
        metric = made().metric(name)
        score = metric.engine.score([float(total) for total in rows.cumsum(axis=0)[-1]])
        entry["score"] = score

    return apply


def cell(row: int, column: str, change: Callable[[float], float]) -> Callable[[Any, tuple[str, ...]], None]:
    def apply(rows: Any, columns: tuple[str, ...]) -> None:
        at = columns.index(column)
        rows[row, at] = change(rows[row, at])

    return apply


# The rule that is broken, the metric, the change, and what the message says.
FORGERIES: list[tuple[str, Callable[[Any, tuple[str, ...]], None], str]] = [
    ("bleu", cell(3, "correct_1", lambda _: -1), "in row 3, correct_1 is -1, expected a number from 0"),
    ("bleu", cell(4, "sys_len", lambda old: old + 1), "in row 4, total_1 is .* expected sys_len - 0"),
    (
        "bleu",
        cell(5, "total_3", lambda old: old + 1),
        "in row 5, total_3 is .* expected sys_len - 2",
    ),
    ("bleu", cell(5, "correct_4", lambda _: 500), "in row 5, correct_4 is 500, expected no more than total_4"),
    ("bleu", cell(0, "correct_1", lambda _: 0), "in row 0, correct_2 is .* expected no more than correct_1"),
    ("bleu", cell(0, "ref_len", lambda _: 1), "in row 0, correct_1 is .* expected no more than ref_len"),
    ("bleu", cell(0, "ref_len", lambda old: old + 0.5), "in row 0, ref_len is .* expected a whole number"),
    ("chrf++", cell(2, "ref_char_3", lambda old: old + 1), "in row 2, ref_char_3 is .* expected ref_char_1 - 2"),
    ("chrf++", cell(2, "hyp_char_4", lambda old: old + 1), "in row 2, hyp_char_4 is .* expected hyp_char_1 - 3"),
    ("chrf++", cell(2, "hyp_word_2", lambda old: old + 1), "in row 2, hyp_word_2 is .* expected hyp_word_1 - 1"),
    (
        "chrf++",
        cell(2, "match_char_1", lambda _: 9999),
        "in row 2, match_char_1 is 9999, .* more than hyp_char_1",
    ),
    ("chrf++", cell(2, "match_char_2", lambda _: 0), "in row 2, match_char_3 is .* expected no more than match_char_2"),
    ("chrf++", cell(2, "match_word_1", lambda _: 0.5), "in row 2, match_word_1 is 0.5, expected a whole number"),
    ("ter", cell(7, "edits", lambda _: 1.5), "in row 7, edits is 1.5, expected a whole number"),
    ("ter", cell(7, "edits", lambda _: -2), "in row 7, edits is -2, expected a number from 0"),
    ("ter", cell(7, "length", lambda _: -2), "in row 7, length is -2, expected a number from 0"),
    ("ter", cell(7, "length", lambda old: old + 0.5), "in row 7, length is .* expected a whole number"),
]


@pytest.mark.parametrize(("name", "change", "message"), FORGERIES)
def test_an_impossible_row_is_found(name: str, change: Callable[[Any, tuple[str, ...]], None], message: str) -> None:
    found = forged(made(), with_rows(name, change)).verify()
    assert not found and found.levels == {1: True, 2: False}
    assert any(re.search(message, problem) for problem in found.problems), found.problems


def forged_row(metric: Metric[Any], row: int, column: str, value: float) -> Receipt:
    """A receipt of a metric with another value in a cell, and the score that follows from it."""
    receipt = Receipt.make(demo().systems["atlas"], None, [metric], test_set=demo())

    def change(about: dict[str, Any]) -> None:
        (stats,) = receipt.stats.values()
        rows = stats.rows.copy()
        rows[row, stats.columns.index(column)] = value
        score = metric.engine.score([float(total) for total in rows.sum(axis=0)])
        about["metrics"][0].update(pack(rows, stats.columns, {})._asdict(), score=score)

    return forged(receipt, change)


@pytest.mark.parametrize(
    ("metric", "column", "value", "message"),
    [
        (WER(), "hits", 0.5, "hits is 0.5, expected a whole number"),
        (WER(), "insertions", -1, "insertions is -1, expected a number from 0"),
        (CER(), "wrong", 0, "wrong is 0, expected 1 where there are errors, and 0 elsewhere"),
        (WER(), "segments", 9, "segments is 9, expected 1"),
        (ROUGE("L"), "fmeasure_0", 2**27, "fmeasure_0 is 1.34218e+08, expected a score from 0 to 1 for each segment"),
        (ROUGE("2"), "recall_1", 0.5, "recall_1 is 0.5, expected a whole number"),
        (ExactMatch(), "exact", 2, "exact is 2, expected no more than segments"),
        (TokenF1(), "f1_0", 2**27, "f1_0 is 1.34218e+08, expected a score from 0 to 1 for each segment"),
        (EditSimilarity(), "segments", 0, "segments is 0, expected 1"),
        (GLEU(), "matches", 10**6, "matches is 1e+06, expected no more than ngrams"),
    ],
)
def test_an_impossible_row_of_every_other_metric_is_found(
    metric: Metric[Any], column: str, value: float, message: str
) -> None:
    problems = forged_row(metric, 3, column, value).verify().problems
    assert any(f"in row 3, {message}" in problem for problem in problems), problems


@pytest.mark.parametrize("name", ALL_METRICS)
def test_receipts_of_every_metric_hold_on_all_levels(name: str) -> None:
    for one in (demo(), demo("all")):
        receipt = Receipt.make(one.systems["atlas"], None, [ALL_METRICS[name]()], test_set=one)
        found = Receipt(receipt.content).verify(one, one.systems["atlas"])
        assert ({1: True, 2: True, 3: True, 4: True}, ()) == (found.levels, found.problems)


def test_a_variant_without_a_name_of_its_own_has_receipts() -> None:
    receipt = Receipt.make(demo().systems["atlas"], None, [ROUGE("3", stem=True)], test_set=demo())
    assert "ROUGE-3" == receipt.metric("ROUGE3").score(receipt.stats["ROUGE3"]).name
    assert receipt.verify(demo(), demo().systems["atlas"])


def set_metric(at: int, key: str, value: Any) -> Callable[[dict[str, Any]], None]:
    return lambda about: about["metrics"][at].update({key: value})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (set_metric(0, "score", 99.0), "metrics[0] (bleu).score is 99.0, and the rows give 48.7"),
        (set_metric(0, "parts", {}), "metrics[0] (bleu).parts.counts is None, and the rows give"),
        (
            set_metric(0, "signature", "nrefs:1"),
            "metrics[0] (bleu).signature is 'nrefs:1', and the options give 'nrefs:1|",
        ),
        (set_metric(0, "columns", list("abcdefghij")), "metrics[0] (bleu): fingerprint and options differ in columns"),
        (
            set_metric(0, "options", {"tokenize": "intl"}),
            "fingerprint and options differ in tokenizer: '13a' and 'intl'",
        ),
        (set_metric(0, "options", {"colour": "red"}), "metrics[0] (bleu): the receipt: "),
        (
            set_metric(0, "references", [2, 2]),
            "metrics[0] (bleu).references is [2, 2], more than inputs.references has",
        ),
        (
            set_metric(2, "fingerprint", {"metric": "BLEURT"}),
            "metrics[2] (ter): the receipt has rows of 'ter', and this",
        ),
        (lambda about: about["metrics"][0]["interval"].update(mean=1.0), "metrics[0] (bleu).interval.mean is 1.0, and"),
        (lambda about: about["test_set"].update(pair="de-en"), "metrics[0] (bleu).signature is "),
    ],
)
def test_a_false_field_is_named(change: Callable[[dict[str, Any]], None], message: str) -> None:
    found = forged(made(n_bootstrap=20), change).verify()
    assert found.levels == {1: True, 2: False}
    assert any(message in problem for problem in found.problems), found.problems


def swap_names(about: dict[str, Any]) -> None:
    bleu, chrf, _ = about["metrics"]
    bleu["name"], chrf["name"] = chrf["name"], bleu["name"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (swap_names, "metrics[1] (bleu).name is that of BLEU, and the rows are of CHRF"),
        (swap_names, "metrics[0] (chrf++).name is that of CHRF, and the rows are of BLEU"),
        (set_metric(0, "name", "COMET-22"), "metrics[0] (COMET-22).name is that of COMET, and the rows are of BLEU"),
        (set_metric(1, "name", "sacreBLEU 13a"), ".name is that of BLEU, and the rows are of CHRF"),
        (set_metric(0, "name", "TER (%)"), ".name is that of TER, and the rows are of BLEU"),
        (
            lambda about: about["metrics"][0]["parts"].update(comet=0.9),
            "metrics[0] (bleu).parts.comet is not a part of BLEU, expected counts, totals, precisions, bp,",
        ),
        (
            lambda about: about["metrics"][1]["parts"].update(bp=1.0),
            "metrics[1] (chrf++).parts.bp is not a part of CHRF, expected char_order, word_order, beta",
        ),
    ],
)
def test_a_number_under_the_name_of_another_metric_is_refused(
    change: Callable[[dict[str, Any]], None], message: str
) -> None:
    """`content` and digest fit, and rows, texts and references are true."""
    found = forged(made(), change).verify(demo(), demo().systems["atlas"])
    assert found.levels == {1: True, 2: False, 3: True, 4: True}
    assert any(message in problem for problem in found.problems), found.problems


def test_what_is_shown_is_the_metric_that_counted() -> None:
    swapped = forged(made(), swap_names)
    shown = dict(receipt_rows(swapped.about))
    assert shown["BLEU, called 'chrf++'"].startswith("48.7") and "BLEU" not in shown
    assert "BLEU, called 'chrf++' = 48.7" in repr(swapped)
    assert {"signature.bleu.chrf++", "signature.chrf.bleu", "signature.ter"} < swapped.to_params().keys()
    assert {"bleu", "chrf2pp", "ter"} == swapped.to_metrics().keys()


def test_a_label_of_ones_own_is_kept_beside_the_name() -> None:
    metrics = {"chrF++ (lower case)": CHRF(word_order=2, lowercase=True), "main": BLEU(), "spBLEU": BLEU()}
    receipt = Receipt.make(demo().systems["atlas"], None, metrics, test_set=demo())
    assert receipt.verify(demo(), demo().systems["atlas"])
    titles = [heading for heading, _ in receipt_rows(receipt.about)]
    assert {"CHRF, called 'chrF++ (lower case)'", "BLEU, called 'main'", "BLEU, called 'spBLEU'"} < {*titles}
    with pytest.raises(
        OptionError, match=r"metrics\['comet_kiwi'\] is BLEU, and its name is that of CometKiwi: rename"
    ):
        Receipt.make(["a"], [["a"]], {"comet_kiwi": BLEU()})


@pytest.mark.parametrize("name", ALL_METRICS)
def test_no_metric_has_the_name_of_another(name: str) -> None:
    metric = ALL_METRICS[name]()
    assert [None] * 3 == [other_metric(own, metric) for own in (metric.name, metric.label, name)]
    others = {other for other in ALL_METRICS if ALL_METRICS[other]().name != metric.name and other != "ROUGE"}
    assert [] == [other for other in others if other_metric(other, metric) is None]


@given(corpora())
def test_no_rule_is_broken_by_rows_of_texts(corpus: Corpus) -> None:
    documents = [at // 2 for at in range(len(corpus.hypotheses))]
    for metric in METRICS:
        stats = metric.stats(corpus.hypotheses, corpus.streams)
        assert [] == metric.impossible_rows(stats)
        assert [] == metric.impossible_rows(stats.merge(documents), summed=True)


@given(corpora())
def test_receipts_of_generated_texts_hold_on_all_levels(corpus: Corpus) -> None:
    receipt = Receipt.make(corpus.hypotheses, corpus.streams, [BLEU(), CHRF(word_order=1), TER()])
    found = receipt.verify(corpus.streams, corpus.hypotheses)
    assert ({1: True, 2: True, 3: True, 4: True}, ()) == (found.levels, found.problems)


def test_rows_that_no_reference_gives_are_found_with_the_references() -> None:
    """Rows that could be of some text, and are not of this test set."""

    def longer(rows: Any, columns: tuple[str, ...]) -> None:
        rows[9, columns.index("ref_len")] += 1

    found = forged(made(), with_rows("bleu", longer))
    assert found.verify().levels[1]
    problems = found.verify(demo()).problems
    assert any("in row 9, {'ref_len': " in one and "fits no reference of the segment" in one for one in problems)
    ter = forged(made(), with_rows("ter", cell(8, "length", lambda old: old + 1))).verify(demo())
    assert any("metrics (ter).data: in row 8, length is" in problem for problem in ter.problems)
    wer = forged_row(WER(), 5, "hits", 99).verify(demo()).problems
    assert any("in row 5, {'hits + substitutions + deletions': " in problem for problem in wer), wer
    chrf = forged(made(), with_rows("chrf++", lambda rows, columns: rows.__setitem__(6, 0.0))).verify(demo())
    assert any("metrics (chrf++).data: in row 6, {'ref_char_1': 0.0" in problem for problem in chrf.problems)


def test_with_several_references_the_length_must_be_a_closest_one() -> None:
    both = demo("all")
    texts = both.systems["atlas"]
    receipt = Receipt.make(texts, both.references, [BLEU()])
    assert receipt.verify(both.references).levels[3]
    lengths = [BLEU().stats(stream, [stream]).rows[:, 0] for stream in both.references]
    rows = receipt.stats["bleu"].rows
    away = np.abs(np.array(lengths) - rows[:, 0])
    row = int(np.flatnonzero(away[0] != away[1])[0])
    farther = lengths[int(away[:, row].argmax())][row]

    def change(about: dict[str, Any]) -> None:
        changed = rows.copy()
        changed[row, 1] = farther
        about["metrics"][0].update(pack(changed, receipt.stats["bleu"].columns, {})._asdict())

    problems = forged(receipt, change).verify(both.references).problems
    assert any(f"in row {row}, {{'ref_len': {farther}}} fits no reference" in problem for problem in problems)


def test_other_references_texts_and_lengths_are_named() -> None:
    receipt, texts = made(), demo().systems["atlas"]
    assert "inputs.references[0] (A): its hash is" in receipt.verify(demo("B").references).problems[0]
    assert "inputs.references has 1 of them, and 2 are given" in receipt.verify(demo("all")).problems[0]
    short = [stream[:-1] for stream in demo().references]
    assert "segments is 240, and reference 0 (A) has 239 lines" in receipt.verify(short).problems[0]
    assert "inputs.hypotheses: its hash is" in receipt.verify(demo(), demo().systems["birch"]).problems[0]
    assert "segments is 240, and the system given has 239 lines" in receipt.verify(demo(), texts[:-1]).problems[0]
    shuffled = [[*stream[1:], stream[0]] for stream in demo().references]
    assert "inputs.references[0] (A): its hash is" in receipt.verify(shuffled).problems[0]


def test_another_pair_or_another_content_of_the_test_set_is_named() -> None:
    changed = forged(made(), lambda about: about["test_set"].update(content="sha256:lp:" + "0" * 64))
    assert ("test_set.content is not the hash of the test set given: sources or documents differ",) == (
        changed.verify(demo()).problems
    )
    subset = forged(made(), lambda about: about["test_set"].update(subset="news"))
    assert any("test_set.subset is 'news'" in problem for problem in subset.verify(demo()).problems)


def test_another_version_of_the_test_set_is_a_note_or_a_reason() -> None:
    older = forged(made(), lambda about: about["test_set"].update(set_version="0"))
    said = "test_set.set_version is '0', that of the test set given is '1'"
    found = older.verify(demo())
    assert (True, (said,)) == (found.holds, found.notes)
    plain = Receipt.make(demo().systems["atlas"], demo().references, BLEU())
    assert (True, ()) == (plain.verify(demo()).holds, plain.verify(demo()).notes)
    other = forged(older, lambda about: about["inputs"]["references"][0].update(hash="sha256:lines:" + "0" * 64))
    assert said in other.verify(demo()).problems


def test_the_first_segment_whose_rows_differ_is_told() -> None:
    """The texts are those, and somebody has improved two rows."""

    def better(rows: Any, columns: tuple[str, ...]) -> None:
        for row in (12, 30):
            rows[row, columns.index("edits")] = 0

    receipt = forged(made(), with_rows("ter", better))
    assert any("ter" in problem for problem in receipt.verify().problems)  # the parts tell the edits
    found = receipt.verify(demo(), demo().systems["atlas"])
    assert found.levels[4] is False
    assert any("metrics (ter).data: in row 12, edits is 0, and the texts give" in one for one in found.problems)


def test_a_keyed_hash_proves_nothing_without_its_key() -> None:
    texts, references = demo().systems["atlas"], demo().references
    receipt = Receipt.make(texts, references, BLEU(), key=b"sixteen bytes or more")
    assert {1: True, 2: True} == receipt.verify(references, texts).levels
    assert 2 == sum("has a key, which is not given" in note for note in receipt.verify(references, texts).notes)
    assert {1: True, 2: True, 3: True, 4: True} == receipt.verify(
        references, texts, key=b"sixteen bytes or more"
    ).levels
    assert not receipt.verify(references, texts, key=b"another secret here")


def test_texts_without_references_are_hashed_and_not_counted() -> None:
    found = made().verify(hypotheses=demo().systems["atlas"])
    assert {1: True, 2: True} == found.levels and "not counted again" in found.notes[0]
    assert {1: True, 2: True, 4: False} == made().verify(hypotheses=demo().systems["birch"]).levels


def test_another_version_is_noted() -> None:
    about = copy.deepcopy(dict(made().about))
    about["tool"]["version"] = "0.0.9"
    for one in about["metrics"]:
        one["signature"] = one["signature"].rpartition("version:")[0] + "version:truebleu-0.0.9"
    about["content"] = content_hash(about)
    found = Receipt(hashed(json.dumps(about, separators=(",", ":")).encode() + b"\n")).verify()
    assert found and "made by truebleu 0.0.9" in found.notes[0]
