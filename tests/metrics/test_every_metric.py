"""Every metric in every place where one can stand: rows, tests, tables, receipts, reports, commands."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import truebleu
from dialects.test_torch import torch  # noqa: F401
from truebleu import columns
from truebleu.accumulator import Accumulator
from truebleu.cli import run
from truebleu.cli.main import main
from truebleu.errors import TooFew
from truebleu.metrics import METRICS
from truebleu.receipts import Receipt
from truebleu.significance import breakdown, compare
from truebleu.stats import Stats
from truebleu.study.formats.render import FORMATS

# The name that the command knows, options in Python, and the same as flags.
OF_NAME: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "bleu": ({}, ()),
    "chrf": ({}, ()),
    "ter": ({}, ()),
    "gleu": ({}, ()),
    "rouge": ({"variant": "3"}, ("--rouge-variant", "3")),
    "rouge1": ({"stem": True}, ("--rouge-stem",)),
    "rouge2": ({"tokenize": "rouge-unicode"}, ("--rouge-tokenize", "rouge-unicode")),
    "rouge3": ({}, ()),
    "rouge9": ({}, ()),
    "rougel": ({"measure": "recall"}, ("--rouge-measure", "recall")),
    "rougelsum": ({"sentences": ". "}, ("--rouge-sentences", ". ")),
    "wer": ({"lowercase": True}, ("--wer-lowercase",)),
    "cer": ({"remove_punctuation": True}, ("--wer-remove-punctuation",)),
    "mer": ({"normalize": "standardize"}, ("--wer-normalize", "standardize")),
    "wil": ({}, ()),
    "wip": ({}, ()),
    "ser": ({}, ()),
    "em": ({}, ()),
    "f1": ({"version": 2}, ("--squad-version", "2")),
    "editsim": ({"lowercase": True}, ("-lc",)),
    "meteor": ({"alpha": 0.8}, ("--meteor-alpha", "0.8")),
    "terms": ({"mode": "exact"}, ("--terms", "references", "--terms-mode", "exact")),
}
WORDS = ("A heron", "stood", "by", "the", "pond.", "It's", "grey,", "and", "nobody", "saw", "Rain", "fell.", "café")
SEGMENTS = 30


def texts(seed: str) -> list[str]:
    rng = random.Random(seed)
    return [" ".join(rng.choices(WORDS, k=rng.randrange(2, 14))) for _ in range(SEGMENTS)]


REFERENCES = texts("reference")
# The one is often right, the other less often.
GOOD, BAD = (
    [one if at % every else other for at, (one, other) in enumerate(zip(REFERENCES, texts(name), strict=True))]
    for name, every in (("good", 3), ("bad", 2))
)
SECOND: list[str | None] = [None if at % 4 == 0 else text for at, text in enumerate(texts("second"))]
LABELS = ["sea" if at % 3 else "land" for at in range(SEGMENTS)]


def made(name: str) -> Any:
    return METRICS[name.upper()](**OF_NAME[name][0])


@pytest.fixture(params=OF_NAME)
def name(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir(tmp_path)
    given = {"ref": REFERENCES, "good": GOOD, "bad": BAD, "labels": LABELS}
    for file, lines in given.items():
        Path(file).write_text("".join(f"{line}\n" for line in lines), "utf-8")
    Path("both").write_text("".join(f"{one or ''}\n" for one in SECOND), "utf-8")
    return request.param


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    code = main(words)
    out, err = capsys.readouterr()
    assert 0 == code, err
    return out


def of_command(capsys: pytest.CaptureFixture[str], name: str, *words: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(printed(capsys, *words, "-m", name, *OF_NAME[name][1], "-f", "json"))
    return found


def test_the_table_is_whole() -> None:
    assert {name.upper() for name in OF_NAME} == set(METRICS) - {f"ROUGE{order}" for order in range(4, 9)}


def test_rows_are_whole_numbers_whose_sums_know_no_order(name: str) -> None:
    metric = made(name)
    stats = metric.stats(GOOD, [REFERENCES, SECOND])
    expected = metric.corpus_score(GOOD, [REFERENCES, SECOND])
    for order in (np.random.default_rng(seed).permutation(SEGMENTS) for seed in range(3)):
        shuffled = Stats(stats.rows[order], stats.columns, stats.fingerprint, stats.references)
        assert expected.score == metric.score(shuffled).score
    shards = [metric.stats(GOOD[at::4], [REFERENCES[at::4], SECOND[at::4]]) for at in range(4)]
    assert expected.score == metric.score(Stats.concatenate(shards)).score
    for threads in (1, 3):
        assert expected.to_dict() == metric.corpus_score(GOOD, [REFERENCES, SECOND], threads=threads).to_dict()
    scores = metric.sentence_scores(GOOD, [REFERENCES, SECOND]).tolist()
    lists = [[one for one in pair if one is not None] for pair in zip(REFERENCES, SECOND, strict=True)]
    assert [metric.sentence_score(*pair).score for pair in zip(GOOD, lists, strict=True)] == scores
    assert metric.corpus_score(GOOD, lists, layout="segments").score == expected.score
    assert [one.score for one in metric.segment_scores(stats)] == scores
    assert [] == metric.impossible_rows(stats)


def test_a_signature_makes_the_metric_again(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    metric = made(name)
    score = metric.corpus_score(GOOD, [REFERENCES])
    for short in (False, True):
        text = f"{score.name}|{score.signature.format(short)}"
        again = truebleu.metric_from_signature(text)
        assert (metric.name, metric.fingerprint()) == (again.name, again.fingerprint())
        assert score.score == again.corpus_score(GOOD, [REFERENCES]).score
        found = json.loads(printed(capsys, "ref", "-i", "good", "--like", text, "-f", "json"))
        assert (score.name, score.score, str(score.signature)) == (found["name"], found["score"], found["signature"])


def test_arguments_make_the_metric_again(name: str) -> None:
    metric = made(name)
    again = METRICS[name.upper()](**json.loads(json.dumps(metric.arguments())))
    assert (repr(metric), metric.fingerprint()) == (repr(again), again.fingerprint())


def test_intervals_and_paired_tests(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    metric = made(name)
    assert metric.corpus_score(GOOD, [REFERENCES], n_bootstrap=50).confidence is not None
    rows = [metric.stats(texts, [REFERENCES]).rows for texts in (BAD, GOOD)]
    differing = int((rows[0] != rows[1]).any(axis=1).sum())
    for test in ("ar", "bs", "bs2", "sign"):
        if test == "bs2" and differing < 10:
            with pytest.raises(TooFew, match="use ar"):
                compare({"bad": BAD, "good": GOOD}, metric, [REFERENCES], test=test)
            continue
        report = compare({"bad": BAD, "good": GOOD}, metric, [REFERENCES], test=test, n_samples=99)
        assert metric.higher_is_better == (report.metrics[0].systems[1].score > report.metrics[0].systems[0].score)
        out = printed(capsys, "ref", "-i", "bad", "good", "-m", name, *OF_NAME[name][1], "--paired", test)
        assert metric.label in out or report.metrics[0].name in out
    out = printed(capsys, "ref", "-i", "bad", "good", "ref", "-m", name, *OF_NAME[name][1], "--paired-all")
    assert metric.label in out


def test_matrices_and_decoding(name: str) -> None:
    metric = made(name)
    cells = metric.pairwise(GOOD[:6], REFERENCES[:5])
    assert [[metric.sentence_score(one, [other]).score for other in REFERENCES[:5]] for one in GOOD[:6]] == (
        cells.tolist()
    )
    best = metric.mbr(GOOD[:6], REFERENCES[:5])
    means = cells.mean(axis=1)
    assert np.allclose(means, best.scores, rtol=1e-12)
    assert int(means.argmax() if metric.higher_is_better else means.argmin()) == best.best
    others = truebleu.self_bleu(GOOD[:6], metric).scores.tolist()
    expected = [metric.sentence_score(one, GOOD[:at] + GOOD[at + 1 : 6]).score for at, one in enumerate(GOOD[:6])]
    assert expected == others


def test_groups_and_accumulators(name: str, capsys: pytest.CaptureFixture[str], torch: Any) -> None:  # noqa: F811
    metric = made(name)
    found = breakdown(metric, metric.stats(GOOD, [REFERENCES]), LABELS)
    for one in found:
        pairs = [pair for pair, label in zip(zip(GOOD, REFERENCES, strict=True), LABELS, strict=True)
                 if label == one.label]  # fmt: skip
        assert one.score == metric.corpus_score([pair[0] for pair in pairs], [[pair[1] for pair in pairs]]).score
    assert "sea" in printed(capsys, "ref", "-i", "good", "-m", name, *OF_NAME[name][1], "--breakdown", "labels")
    total, tensor = Accumulator(metric), getattr(torch, name.upper())(**OF_NAME[name][0])
    for at in range(0, SEGMENTS, 7):
        total.update(GOOD[at : at + 7], REFERENCES[at : at + 7])
        tensor.update(GOOD[at : at + 7], REFERENCES[at : at + 7])
    expected = metric.corpus_score(GOOD, [REFERENCES]).score
    assert expected == total.compute().score == float(tensor.compute())


def test_columns(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    metric = made(name)
    given = {"hyp": GOOD, "ref": REFERENCES, "more": SECOND, "label": LABELS}
    table, names = pa.table(given), dict[str, Any](hypothesis="hyp", references=["ref", "more"])
    expected = metric.corpus_score(GOOD, [REFERENCES, SECOND])
    found = columns.totals(table, metric, **names).score()[metric.name.lower()]
    assert expected.to_dict() == found.to_dict()
    scores = pa.table(columns.segment_scores(table, metric, **names))[metric.name.lower()]
    assert metric.sentence_scores(GOOD, [REFERENCES, SECOND]).tolist() == scores.to_pylist()
    stats: Any = columns.stats(table, metric, **names)
    stats = stats[metric.name.lower()] if isinstance(stats, dict) else stats
    assert np.array_equal(metric.stats(GOOD, [REFERENCES, SECOND]).rows, stats.rows)
    pq.write_table(table, "table.parquet")
    words = ("table.parquet", "--hyp-field", "hyp", "--ref-field", "ref", "more")
    command = of_command(capsys, name, *words)
    assert (expected.score, str(expected.signature)) == (command["score"], command["signature"])


def test_receipts(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    metric = made(name)
    receipt = Receipt.make(GOOD, [REFERENCES], metric, system="good")
    assert {1: True, 2: True, 3: True, 4: True} == receipt.verify([REFERENCES], GOOD).levels
    flags = ("-m", name, *OF_NAME[name][1])
    printed(capsys, "ref", "-i", "good", *flags, "--receipt", "good.receipt.json")
    assert "4 text" in printed(capsys, "receipt", "verify", "good.receipt.json", "ref", "-i", "good")
    assert metric.name in printed(capsys, "receipt", "show", "good.receipt.json")
    found = json.loads(printed(capsys, "-i", "good.receipt.json", "-f", "json"))
    assert metric.corpus_score(GOOD, [REFERENCES]).score == found["score"]
    assert "bad" in printed(capsys, "ref", "-i", "bad", "--against", "good.receipt.json")


@pytest.mark.parametrize("form", FORMATS)
def test_formats(name: str, form: str, capsys: pytest.CaptureFixture[str]) -> None:
    metric, flags = made(name), ("-m", name, *OF_NAME[name][1], "-f", form)
    for words in (("-i", "good"), ("-i", "good", "bad"), ("-i", "good", "bad", "--paired", "bs"), ("-i", "good", "-ci"),
                  ("-i", "good", "-sl"), ("-i", "good", "bad", "--breakdown", "labels")):  # fmt: skip
        if form == "sacrebleu-json" and len(words) > 2:
            continue
        assert metric.label in printed(capsys, "ref", *words, *flags), words


def test_reports(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    metric, flags = made(name), ("-m", name, *OF_NAME[name][1])
    printed(capsys, "report", "ref", "-i", "good", "bad", *flags, "-o", "page.html", "-q")
    page = Path("page.html").read_text("utf-8")
    assert metric.label in page
    # A paper that copies the text on methods must not name a program that has no such metric.
    assert (name in ("bleu", "chrf", "ter")) == ("the numbers of sacreBLEU" in page)
    assert name.startswith("rouge") == ("lin-2004-rouge" in page)
    study = truebleu.Study({"good": GOOD, "bad": BAD}, [REFERENCES], [metric], labels={"place": LABELS})
    assert study.comparison is not None
    assert study.comparison.metrics[0].systems[0].score == metric.corpus_score(GOOD, [REFERENCES]).score
    assert study.groups("place")
    printed(capsys, "ref", "-i", "good", *flags, "--doctor")
    printed(capsys, "ref", "-i", "good", *flags, "--normalize", "nfc,quotes")
    assert metric.label in printed(capsys, "self-bleu", "good", *flags)
    printed(capsys, "sign-test", "-r", "ref", "-b", "bad", "-t", "good", *flags, "--no-files")
    printed(capsys, "plot", "ranking", "ref", "-i", "good", "bad", *flags, "-o", "figure.svg")


def test_files_in_blocks_have_the_same_score(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = of_command(capsys, name, "ref", "both", "-i", "good")
    monkeypatch.setattr(run, "LARGE", 0)
    assert expected == of_command(capsys, name, "ref", "both", "-i", "good")


def test_texts_are_divided_anew(name: str) -> None:
    metric = made(name)
    whole = metric.corpus_score(" ".join(GOOD), [REFERENCES], resegment=True)
    assert whole.score == metric.score(metric.stats(" ".join(GOOD), [REFERENCES], resegment=True)).score
    metric.corpus_score(GOOD, [REFERENCES], documents=LABELS, level="document")
