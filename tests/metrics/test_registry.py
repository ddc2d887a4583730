"""A metric has one name, on the command line and in Python, and settings with a name of their own have one too."""

import json
from pathlib import Path
from typing import Any

import pytest

import truebleu
from truebleu import BLEU, CHRF, TER, Study, demo
from truebleu.accumulator import Accumulator
from truebleu.cli.main import main
from truebleu.errors import OptionError
from truebleu.metrics import METRICS, names
from truebleu.metrics.names import ByMetric, made, metric_names, name_of
from truebleu.significance import breakdown, compare

DEMO = demo.load("en-de")
STREAMS = list(DEMO.references.values())
OUTPUT = DEMO.systems["atlas"]
_BLEURT = (
    "; BLEURT is not counted here but in a program of its own: bring its segment scores with "
    "--external BLEURT=FILE,..., in Python with ExternalMetric (choose from "
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, lines in (("ref", STREAMS[0]), ("a", OUTPUT), ("b", DEMO.systems["birch"])):
        Path(name).write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return tmp_path


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    code = main(words)
    out, err = capsys.readouterr()
    assert 0 == code, err
    return out


def test_every_name_makes_a_metric_that_has_it() -> None:
    for name in [one for one in metric_names() if one != "spbleu"]:  # which needs its model
        assert name.partition("rouge")[1] or name == name_of(made(name))
    assert "spbleu" == names.name_by("BLEU", {"tokenize": "flores200"}) and "chrf++" == name_of(CHRF(word_order=2))
    assert not {"CHRF++", "SPBLEU"} & {*METRICS}


@pytest.mark.usefixtures("folder")
def test_chrf_plus_plus_stands_beside_chrf_in_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(printed(capsys, "ref", "-i", "a", "-m", "chrf", "chrF++", "-f", "json"))
    scores = [CHRF(word_order=order).corpus_score(OUTPUT, STREAMS[:1]).score for order in (0, 2)]
    assert [("chrF2", scores[0]), ("chrF2++", scores[1])] == [(one["name"], one["score"]) for one in found]
    two = ("ref", "-i", "a", "b", "-m", "chrf", "chrf++")
    tested = json.loads(printed(capsys, *two, "--paired-all", "--paired", "bs2", "-f", "json"))
    assert ["chrf", "chrf++"] == [one["key"] for one in tested["metrics"]]
    assert "chrF2++" in printed(capsys, *two, "--paired", "ar", "--paired-n", "20")
    assert 2 * 240 == len(printed(capsys, *two[:3], *two[4:], "-sl", "-f", "jsonl").splitlines())
    printed(capsys, "report", *two, "-o", "page.html", "-q", "--trials", "20")
    printed(capsys, "ref", "-i", "a", "-m", "chrf", "chrf++", "--receipt", "a.receipt.json")
    again = json.loads(printed(capsys, "ref", "-i", "a.receipt.json", "-m", "chrf++", "chrf", "-f", "json"))
    assert scores[::-1] == [one["score"] for one in again]  # in the order typed
    like = "chrF2++|nrefs:1|case:mixed|eff:yes|nc:6|nw:2|space:no|version:2.4.0"
    assert f" = {scores[1]:.1f}\n" in printed(capsys, "ref", "-i", "a", "-m", "chrf++", "--like", like)
    assert 2 == main(["ref", "-i", "a", "-m", "chrf++", "--like", like.replace("nw:2", "nw:0")])


@pytest.mark.usefixtures("folder")
def test_spbleu_is_bleu_with_the_tokenizer_of_flores(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRUEBLEU_CACHE", "empty")
    assert 1 == main(["ref", "-i", "a", "-m", "spbleu", "--offline"])
    assert "flores200" in capsys.readouterr().err
    # Without its model, another tokenizer that nobody would choose by chance.
    monkeypatch.setitem(names.VARIANTS, "spbleu", ("BLEU", {"tokenize": "char"}, "spBLEU"))
    monkeypatch.setitem(names.FIXED, "spbleu", {"tokenize": "char"})
    out = printed(capsys, "ref", "-i", "a", "-m", "bleu", "spbleu", "-tok", "intl", "-l", "en-zh")
    assert "spBLEU|nrefs:1|case:mixed|eff:no|tok:char|" in out and "  BLEU|nrefs:1|case:mixed|eff:no|tok:intl|" in out
    signature = made("spbleu").corpus_score(OUTPUT, STREAMS).signature
    assert BLEU(tokenize="char").fingerprint() == truebleu.metric_from_signature(f"spBLEU|{signature}").fingerprint()


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("bleurt", _BLEURT),
        ("all", "; name those that you want (choose from bleu, spbleu, chrf, chrf+, chrf++, ter, "),
        ("blue", " (did you mean bleu? choose from "),
    ],
)
def test_an_unknown_name_leads_somewhere(name: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert 2 == main(["ref", "-i", "a", "-m", name])
    assert f"invalid choice: {name!r}{message}" in capsys.readouterr().err
    with pytest.raises(OptionError) as refused:
        compare(DEMO.systems, [name], STREAMS)
    assert f"compare: metrics[0] is {name!r}, which is not a metric{message}" in str(refused.value)


def test_names_are_taken_wherever_a_metric_is() -> None:
    rows, labels = BLEU().stats(OUTPUT, STREAMS), DEMO.domains
    expected = BLEU().score(rows).score
    report = compare(DEMO.systems, "bleu", STREAMS, n_samples=20)
    assert [("bleu", "BLEU", expected)] == [(one.key, one.name, one.systems[0].score) for one in report.metrics]
    assert breakdown(BLEU(), rows, labels) == breakdown("BLEU", rows, labels)
    total: Accumulator[Any] = Accumulator("bleu")
    total.update(OUTPUT, list(zip(*STREAMS, strict=True)))
    assert expected == total.compute().score
    receipt = truebleu.Receipt.make(OUTPUT, STREAMS, ["bleu", "chrf++"])
    assert ["bleu", "chrf++"] == list(receipt.stats) and (rows.rows == receipt.stats["BLEU"].rows).all()
    assert (rows.rows == receipt.rows_for("bleu").rows).all()
    assert truebleu.self_bleu(OUTPUT[:9], CHRF()).score == truebleu.self_bleu(OUTPUT[:9], "chrf").score
    found = truebleu.diagnose([f"{text} <unk>" for text in OUTPUT], STREAMS, metrics="ter").findings
    assert {"TER"} == {name for one in found for name in one.prices} and found[0].prices["ter"]


def test_one_name_in_a_study_whatever_its_case() -> None:
    study = Study(DEMO.systems, STREAMS, ["bleu", TER(), "chrf++"], test="none", n_confidence=0)
    assert ["bleu", "ter", "chrf++"] == list(study.scores) == list(study.inputs.metrics)
    assert study.scores["bleu"] is study.scores["BLEU"] and study.ranking("ter") == study.ranking("TER")
    assert study.segments("chrF++") is study.segments("chrf++")
    with pytest.raises(OptionError, match="metric is 'wer', expected one of 'bleu', 'ter', 'chrf\\+\\+'"):
        study.ranking("wer")
    with pytest.raises(KeyError):
        study.scores["wer"]
    assert (
        "zh"
        == truebleu.Study({"a": ["你好"]}, [["你好"]], ["bleu"], language="zh")
        .inputs.text_metrics["bleu"]
        .tokenizer.signed
    )


def test_a_name_that_nothing_has_is_a_key_error() -> None:
    assert 1 == ByMetric({"bleu": 1})["BLEU"]
    with pytest.raises(KeyError, match="ter"):
        ByMetric({"bleu": 1})["ter"]
