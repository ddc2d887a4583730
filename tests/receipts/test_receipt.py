"""Receipts in the place of texts: the same numbers, to the last bit, and errors that name what differs."""

import getpass
import hmac
import os
import re
import socket
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import truebleu
from receipts.forging import forged
from truebleu import BLEU, CHRF, TER, Receipt
from truebleu.errors import FileFormatError, LengthMismatch, OptionError, StatsMismatch
from truebleu.metrics import METRICS
from truebleu.metrics.external import ExternalMetric
from truebleu.receipts.file import write
from truebleu.receipts.text import receipt_rows
from truebleu.significance import PairedTest, breakdown, compare
from truebleu.significance.tests import TESTS
from truebleu.stats import Stats
from word_overlap import WordOverlap

NAMES = ("atlas", "birch", "cedar")


def demo(refs: str | None = None) -> Any:
    return truebleu.testset("demo", "en-de", refs=refs)


def metrics() -> list[Any]:
    return [BLEU(), CHRF(), TER()]


def receipts(**options: Any) -> dict[str, Receipt]:
    made = demo()
    return {
        name: Receipt.make(made.systems[name], made.references, metrics(), system=name, **options) for name in NAMES
    }


@pytest.mark.parametrize("test", TESTS)
def test_p_values_and_intervals_from_receipts_are_those_from_texts(test: str) -> None:
    made, held = demo(), receipts()
    texts = {name: made.systems[name] for name in NAMES}
    how: dict[str, Any] = {"test": test, "n_samples": 300, "n_confidence": 50, "all_pairs": True}
    expected = compare(texts, metrics(), made.references, **how)
    assert expected == compare(held, metrics(), **how)
    assert expected == compare(held, metrics(), made.references, **how)
    mixed = {"atlas": held["atlas"], "birch": texts["birch"], "cedar": held["cedar"]}
    assert expected == compare(mixed, metrics(), made.references, **how)


@pytest.mark.parametrize("test", ["ar", "bs"])
def test_the_paired_test_of_sacrebleu_takes_receipts(test: str) -> None:
    made, held = demo(), receipts()
    named = {metric.name: metric for metric in metrics()}
    how: dict[str, Any] = {"test_type": test, "n_samples": 200, "n_ar_confidence": 50}
    texts = [(name, made.systems[name]) for name in NAMES]
    signatures, scores = PairedTest(texts, named, made.references, **how)()
    for systems, references in ((list(held.items()), None), ([texts[0], *list(held.items())[1:]], made.references)):
        others, found = PairedTest(systems, named, references, **how)()
        assert signatures == others
        assert {key: list(map(repr, values)) for key, values in scores.items()} == {
            key: list(map(repr, values)) for key, values in found.items()
        }


def test_breakdowns_and_intervals_from_receipts_are_those_from_texts() -> None:
    made, receipt = demo(), receipts()["birch"]
    for metric in metrics():
        stats = metric.stats(made.systems["birch"], made.references)
        held = receipt.stats[metric.name]
        assert breakdown(metric, stats, made.domains, n_bootstrap=50) == breakdown(
            metric, held, made.domains, n_bootstrap=50
        )
        with_interval = metric.corpus_score(made.systems["birch"], made.references, 100, seed=3)
        again = metric.score(held, 100, seed=3)
        assert with_interval.to_dict() == again.to_dict()


def test_a_list_of_runs_may_be_receipts() -> None:
    made, held = demo(), receipts()
    runs = {"one": [held["atlas"], held["birch"]], "two": [held["cedar"], held["birch"]]}
    texts = {name: [made.systems[run.system] for run in several] for name, several in runs.items()}
    how: dict[str, Any] = {"test": "bs2", "n_samples": 50}
    assert compare(texts, BLEU(), made.references, **how) == compare(runs, BLEU(), **how)


def test_rows_of_documents_test_documents() -> None:
    made = demo()
    texts = {name: made.systems[name] for name in NAMES}
    held = receipts(documents=made.documents, rows="documents")
    expected = compare(texts, metrics(), made.references, documents=made.documents, n_samples=300)
    found = compare(held, metrics(), n_samples=300)
    for one, other in zip(expected.metrics, found.metrics, strict=True):
        assert str(one.signature) == str(other.signature) and "docs:21" in str(other.signature)
        assert [pair.p_value for pair in one.pairs] == [pair.p_value for pair in other.pairs]
    assert expected.n_documents == found.n_documents == 21
    assert len(held["atlas"].content) < len(receipts()["atlas"].content)


def test_totals_can_be_scored_and_not_be_tested() -> None:
    held = receipts(rows="total")
    score = BLEU().corpus_score(demo().systems["atlas"], demo().references)
    assert score.score == BLEU().score(held["atlas"].stats["BLEU"]).score
    assert held["atlas"].verify(demo(), demo().systems["atlas"]).levels == {1: True, 2: True, 3: True, 4: True}
    with pytest.raises(IndexError, match="resampling needs at least 2"):
        compare(held, BLEU())


def test_a_receipt_says_what_it_was_made_of() -> None:
    made = truebleu.testset("demo", "en-de", subset="news")
    receipt = Receipt.make(
        made.systems["atlas"], None, [BLEU()], system="atlas", test_set=made, n_bootstrap=20, seed=5,
        url="https://example.org", note="first",
    )  # fmt: skip
    about = receipt.about
    assert {"name": "atlas", "url": "https://example.org", "note": "first"} == about["system"]
    assert ("demo", "en-de", None, None, "news", "1") == tuple(
        about["test_set"][key] for key in ("name", "pair", "refs", "origlang", "subset", "set_version")
    )
    assert ["A", "B"] == [one["label"] for one in about["inputs"]["references"]]
    assert {"n": 20, "seed": "5"} == about["resampling"]
    (entry,) = about["metrics"]
    score = receipt.metric("BLEU").corpus_score(made.systems["atlas"], made.references, 20, seed=5)
    assert (score.score, str(score.signature)) == (entry["score"], entry["signature"])
    assert "subset:news" in entry["signature"] and entry["interval"]["n"] == 20
    assert len(made) == len(receipt) == about["segments"] and receipt.documents is not None
    assert {"test": "demo", "lang": "en-de", "subset": "news"} == receipt.signature_fields


def test_what_is_made_is_what_is_read(tmp_path: Path) -> None:
    made = demo()
    for rows in ("segments", "documents", "total"):
        for receipt in receipts(documents=made.documents, rows=rows, n_bootstrap=5).values():
            again = Receipt(receipt.content)
            assert receipt.about == again.about and receipt.documents == again.documents
            for name, stats in receipt.stats.items():
                assert stats.rows.tobytes() == again.stats[name].rows.tobytes()
                assert (stats.columns, stats.fingerprint) == (again.stats[name].columns, again.stats[name].fingerprint)
                assert stats.references == again.stats[name].references


def test_a_receipt_tells_no_path_user_host_or_date(tmp_path: Path) -> None:
    text = receipts()["atlas"].content.decode()
    for secret in (str(tmp_path), os.getcwd(), socket.gethostname(), getpass.getuser()):
        assert f'"{secret}' not in text and f"/{secret}" not in text
    assert not re.search(r"\b20\d\d-\d\d-\d\d", text)


def test_segmentation_and_level_are_kept_as_they_are_given() -> None:
    segmentation = {"method": "cue1", "documents": 21, "segments": 240, "spans": "sha256:lp:" + "0" * 64}
    receipt = Receipt.make(["a b"], [["a b"]], BLEU(), segmentation=segmentation, level="document")
    assert (segmentation, "doc") == (receipt.about["segmentation"], receipt.about["level"])
    assert receipt.verify()
    with pytest.raises(StatsMismatch, match="differ in level: 'doc' and None"):
        receipt.require_same(Receipt.make(["a b"], [["a b"]], BLEU()))


# What is refused, and how it is called.


def test_other_references_pairs_sizes_and_options_are_refused() -> None:
    held, made = receipts()["atlas"], demo()
    one = demo("A")
    other = Receipt.make(one.systems["birch"], one.references, metrics())
    with pytest.raises(StatsMismatch, match=r"differ in inputs\.references\[1\]\.hash"):
        compare({"a": held, "b": other}, BLEU())
    with pytest.raises(StatsMismatch, match=r"inputs\.references\[0\]\.hash \(1\) is the hash of other references"):
        compare({"a": held, "b": made.systems["birch"]}, BLEU(), made.references[::-1])
    with pytest.raises(StatsMismatch, match="is of 2 references, here there is 1"):
        compare({"a": held, "b": made.systems["birch"]}, BLEU(), made.references[:1])
    with pytest.raises(LengthMismatch, match="segments is 240, reference 0 has 239"):
        held.require_references([stream[1:] for stream in made.references])
    with pytest.raises(StatsMismatch, match="differ in segments: 240 and 1"):
        held.require_same(Receipt.make(["a"], [["a"]], BLEU()))
    with pytest.raises(StatsMismatch, match="differ in tokenizer: '13a' and 'intl'"):
        held.rows_for(BLEU(tokenize="intl"))
    with pytest.raises(OptionError, match="has no rows of gleu, only of bleu, chrf, ter"):
        held.rows_for(truebleu.GLEU())


def test_another_subset_is_named() -> None:
    made = demo()
    whole = Receipt.make(made.systems["atlas"], None, BLEU(), test_set=made)
    news = forged(whole, lambda about: about["test_set"].update(subset="news"))
    with pytest.raises(StatsMismatch, match=r"differ in test_set\.subset: None and 'news'"):
        whole.require_same(news)


def test_a_tokenizer_of_ones_own_cannot_be_in_a_receipt() -> None:
    with pytest.raises(OptionError, match=r"the tokenizer 'custom-str\.split' is your own"):
        Receipt.make(["a"], [["a"]], BLEU(tokenize=str.split))


def test_a_fresh_seed_cannot_be_repeated() -> None:
    with pytest.raises(OptionError, match="an interval with a fresh seed cannot be repeated"):
        Receipt.make(["a"], [["a"]], BLEU(), n_bootstrap=10, seed="none")
    assert Receipt.make(["a"], [["a"]], BLEU(), seed="none").verify()


def test_what_nobody_could_read_is_not_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(truebleu.receipts.file, "MOST_DRAWN", 100)
    with pytest.raises(FileFormatError, match=r"metrics\[0\]\.interval\.n is 51, expected a number from 2 to 50"):
        Receipt.make(["a", "b"], [["a", "b"]], BLEU(), n_bootstrap=51)
    monkeypatch.setattr(truebleu.receipts.file, "LARGEST", 100)
    with pytest.raises(FileFormatError, match=r"the receipt would have .* bytes, expected at most 100"):
        Receipt.make(["a", "b"], [["a", "b"]], BLEU())


def test_documents_must_be_known_to_be_summed() -> None:
    with pytest.raises(OptionError, match="rows is 'documents', and documents are not given"):
        Receipt.make(["a"], [["a"]], BLEU(), rows="documents")


COMET = {"model": "Unbabel/wmt22-comet-da", "revision": "2760a223ac957f30acfb18", "precision": "fp16"}


def elsewhere(name: str, scores: list[float | None], **options: Any) -> Receipt:
    """A receipt of texts and of scores from elsewhere."""
    texts = [f"it rained {at}" for at in range(len(scores))]
    metric = ExternalMetric(name, **options)
    rows = {name: metric.stats(scores, missing=True)}
    return Receipt.make(texts, [texts], {"bleu": BLEU(), name: metric}, stats=rows, n_bootstrap=20)


def test_scores_from_elsewhere_travel_with_model_and_direction() -> None:
    receipt = elsewhere("COMET", [0.5, None, 0.75, 0.25] * 3, **COMET)
    again = Receipt(receipt.content)
    metric = again.metric("COMET")
    assert isinstance(metric, ExternalMetric) and metric.fingerprint() == ExternalMetric("COMET", **COMET).fingerprint()
    assert 0.5 == metric.score(again.rows_for(metric)).score == again.about["metrics"][1]["score"]
    assert "|rev:2760a223ac95|prec:fp16|bs:20|" in again.about["metrics"][1]["signature"]
    found = again.verify(
        hypotheses=[f"it rained {at}" for at in range(12)], references=[[f"it rained {at}" for at in range(12)]]
    )
    assert found and "scores from elsewhere were not computed again: COMET" in found.notes
    assert "COMET" in dict(receipt_rows(again.about)) and 0.5 == again.to_metrics()["comet"]
    assert "signature.comet" in again.to_params()
    negated = elsewhere("MetricX", [-2.0, -6.0] * 3)
    assert "higher" == Receipt(negated.content).metric("MetricX").direction  # type: ignore[union-attr]
    with pytest.raises(OptionError, match="'COMET' has scores from elsewhere, expected their rows in stats"):
        Receipt.make(["a"], [["a"]], ExternalMetric("COMET"))


def test_the_file_of_scores_is_known_by_its_hash(tmp_path: Path) -> None:
    content = b"0.5\n0.25\n"
    (tmp_path / "scores").write_bytes(content)
    metric = ExternalMetric("COMET")
    given: dict[str, Any] = {"stats": {"COMET": metric.stats([0.5, 0.25])}}
    for key, kept in (
        (None, f"sha256:{sha256(content).hexdigest()}"),
        (b"k" * 16, f"hmac-sha256:{hmac.new(b'k' * 16, content, 'sha256').hexdigest()}"),
    ):
        made = Receipt.make(
            ["a", "b"],
            [["a", "b"]],
            {"COMET": metric},
            key=key,
            score_files={"COMET": str(tmp_path / "scores")},
            **given,
        )
        again = Receipt(made.content)
        assert kept == again.about["metrics"][0]["score_file"] == dict(receipt_rows(again.about))["file of COMET"]
        assert again.verify()
    pipe = Receipt.make(["a", "b"], [["a", "b"]], {"COMET": metric}, score_files={"COMET": "/dev/null"}, **given)
    assert "score_file" not in pipe.about["metrics"][0]
    with pytest.raises(FileFormatError, match=r"metrics\[0\].score_file is 'md5:1', expected sha256: and 64 digits"):
        write({**pipe.about, "metrics": [{**pipe.about["metrics"][0], "score_file": "md5:1"}]})


def test_receipts_with_scores_from_elsewhere_are_compared() -> None:
    both = {
        "a": elsewhere("COMET", [at % 7 / 10 for at in range(40)]),
        "b": elsewhere("COMET", [None if at == 3 else at % 5 / 10 + 0.2 for at in range(40)]),
    }
    report = truebleu.compare(both, [ExternalMetric("COMET")])
    assert 39 == report.metrics[0].pairs[0].n and report.metrics[0].pairs[0].delta > 0
    with pytest.raises(StatsMismatch, match="differ in model"):
        truebleu.compare(both, [ExternalMetric("COMET", model="another")])


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([[0.5, 2.0], [0.5, 1.0]], "count is [0.5, 2.0], expected 0 or 1"),
        ([[0.5, 0.0], [0.5, 1.0]], "score is [0.5, 0.0], expected 0, because there is none"),
        ([[175.0, 1.0], [0.5, 1.0]], "score is [175.0, 1.0], expected COMET from -50 to 150"),
    ],
)
def test_impossible_scores_are_found(rows: list[list[float]], message: str) -> None:
    metric = ExternalMetric("COMET")
    forged = Stats(np.array(rows), ("score", "count"), metric.fingerprint(), (0, 0))
    receipt = Receipt.make(["a b", "c d"], [["a b", "c d"]], metric, stats={"COMET": forged})
    assert [f"metrics[0] (COMET).data: in row 0, {message}"] == list(receipt.verify().problems)


def test_a_new_metric_needs_no_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(METRICS, "OVERLAP", WordOverlap)
    made = demo()
    receipt = Receipt.make(made.systems["atlas"], None, [WordOverlap(2), BLEU()], test_set=made)
    assert {1: True, 2: True, 3: True, 4: True} == receipt.verify(made, made.systems["atlas"]).levels


def test_rows_can_be_had_as_an_arrow_table() -> None:
    receipt = receipts()["atlas"]
    again = truebleu.stats.Stats.from_arrow(receipt.to_arrow("TER"), TER())
    assert (again.rows == receipt.stats["TER"].rows).all()
    with pytest.raises(OptionError, match="has no rows of name 'COMET'"):
        receipt.to_arrow("COMET")
