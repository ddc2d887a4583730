"""Receipts of scores alone: no texts, no references, and `verify` reads the files of scores again."""

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import truebleu
from receipts.forging import forged, rewritten
from truebleu import BLEU, Receipt
from truebleu.cli.main import main
from truebleu.errors import FileFormatError, InputTypeError, LengthMismatch, OptionError, StatsMismatch
from truebleu.metrics.external import ExternalMetric
from truebleu.receipts.exports import EXPORTS, Wanted, export
from truebleu.receipts.text import receipt_rows
from truebleu.scores import read
from truebleu.scores.rated import RatedMetric

SCORES = {"a": [0.5, 0.25, None, 0.75] * 4, "b": [0.25, 0.5, 0.5, 0.25] * 4}
ITEMS = [f"s{at}" for at in range(16)]


def made(system: str = "a", items: list[str] | None = None, **options: Any) -> Receipt:
    metric = ExternalMetric("COMET", model="x/y")
    rows = {"COMET": metric.stats(SCORES[system], missing=True)}
    names = ITEMS if items is None else items
    return Receipt.make(None, None, metric, system=system, stats=rows, items=names, **options)


def test_scores_travel_without_texts_and_references() -> None:
    receipt = Receipt(made(documents=[at // 4 for at in range(16)], n_bootstrap=50).content)
    assert {"items"} == receipt.about["inputs"].keys() and 16 == receipt.about["segments"] == len(receipt)
    found = receipt.verify()
    assert ({1: True, 2: True}, ("scores from elsewhere were not computed again: COMET",)) == (
        found.levels,
        found.notes,
    )
    shown = dict(receipt_rows(receipt.about))
    assert "0.50" in shown["COMET"] and shown["items"].startswith("sha256:lines:") and "hypotheses" not in shown
    for name in EXPORTS:
        if name == "evaluate":
            with pytest.raises(OptionError, match="evaluate has no module for them"):
                export(receipt, name, Wanted())
        else:
            assert "COMET" in export(receipt, name, Wanted(dataset_id="x/y")) or name in ("mlflow", "wandb")


def test_they_are_compared_and_those_of_other_segments_are_not() -> None:
    both = {"a": made("a"), "b": made("b")}
    report = truebleu.compare(both, ExternalMetric("COMET", model="x/y"))
    assert 12 == report.metrics[0].pairs[0].n
    with pytest.raises(StatsMismatch, match=r"differ in inputs\.items"):
        truebleu.compare({**both, "b": made("b", items=ITEMS[::-1])}, ExternalMetric("COMET", model="x/y"))
    texts = [f"it rained {at}" for at in range(16)]
    metric = ExternalMetric("COMET", model="x/y")
    rows = {"COMET": metric.stats(SCORES["b"])}
    with_texts = Receipt.make(texts, [texts], [BLEU(), metric], stats=rows)
    made("a").require_same(with_texts)
    made("a").require_references([texts])
    with pytest.raises(LengthMismatch, match="segments is 16, reference 0 has 2"):
        made("a").require_references([texts[:2]])


def test_what_is_given_for_nothing_is_told() -> None:
    found = made().verify([ITEMS], ITEMS)
    assert {1: True, 2: True} == found.levels and 3 == len(found.notes)
    assert any("no hash of texts: those given were not compared" in note for note in found.notes)


def test_only_scores_may_lack_texts() -> None:
    metric = ExternalMetric("COMET")
    rows = {"COMET": metric.stats([0.5, 0.25])}
    with pytest.raises(InputTypeError, match="hypotheses"):
        Receipt.make(None, [["a", "b"]], [BLEU(), metric], stats=rows)
    with pytest.raises(OptionError, match="expected their rows in stats"):
        Receipt.make(None, None, metric)
    with pytest.raises(LengthMismatch, match="references have 3 segments, the scores 2"):
        Receipt.make(None, [["a", "b", "c"]], metric, stats=rows)
    with pytest.raises(LengthMismatch, match="items"):
        Receipt.make(None, None, metric, stats=rows, items=["a"])
    for change, message in (
        (lambda about: about["inputs"].update(references=[]), "inputs.references is empty"),
        (lambda about: about.update(inputs=5), "inputs is of type int"),
        (lambda about: about["inputs"].update(items="x"), "inputs.items is 'x'"),
        (lambda about: about["metrics"][0]["fingerprint"].update(metric="BLEU"), "inputs.hypotheses is missing"),
    ):
        with pytest.raises(FileFormatError, match=message):
            Receipt(rewritten(made(), change))  # type: ignore[arg-type]
    strange = forged(made(), lambda about: about["metrics"][0]["options"].update(ratings="x"))
    assert any("ratings, which no receipt keeps" in problem for problem in strange.verify().problems)


def written(path: Path, scores: dict[str, list[float | None]], digits: str = "") -> str:
    lines = [f"{name}\t{one}{digits if one is not None else ''}\n" for name, row in scores.items() for one in row]
    path.write_text("".join(lines), "utf-8")
    return str(path)


def test_the_file_of_scores_is_compared_and_read_again(tmp_path: Path) -> None:
    path = written(tmp_path / "COMET.seg.score", SCORES)
    for key in (None, b"k" * 16):
        receipt = made(score_files={"COMET": path}, key=key)
        found = receipt.verify(scores={"COMET": path}, key=key)
        assert ({1: True, 2: True, 5: True}, ()) == (found.levels, found.notes)
    found = receipt.verify(scores={"comet": path})
    assert {1, 2, 5} == found.levels.keys() and "has a key, which is not given" in found.notes[0]
    receipt = made(score_files={"COMET": path})
    # Other bytes with the same scores are another file, and say so; other scores are named.
    same = written(tmp_path / "same.seg.score", SCORES, "0")
    problems = receipt.verify(scores={"COMET": same}).problems
    assert 1 == len(problems) and "metrics (COMET).score_file is sha256:" in problems[0]
    other = written(tmp_path / "other.seg.score", {**SCORES, "a": [0.5, 0.125, *SCORES["a"][2:]]})
    found = receipt.verify(scores={"COMET": other})
    assert found.levels[5] is False and 2 == len(found.problems)
    assert "metrics (COMET).data: in row 1, score is 0.25, and the file gives 0.125" in found.problems[1]
    assert receipt.verify(scores={"COMET": other}).levels[2]
    # The hash alone is compared where the scores cannot be found again.
    alone = written(tmp_path / "few.seg.score", {"x": [0.5], "y": [0.25]})
    found = made(score_files={"COMET": alone}).verify(scores={"COMET": alone})
    assert found.levels[5] and "were not read again: there are no scores of a, only of x, y" in found.notes[0]
    found = made().verify(scores={"COMET": alone})
    assert found and 5 not in found.levels and "the hash of the file is not in the receipt" in found.notes[0]
    with pytest.raises(OptionError, match="has no rows of"):
        receipt.verify(scores={"ESA": path})


def test_weights_and_standardized_scores_are_those_of_the_receipt(tmp_path: Path) -> None:
    lines = ["system\tdoc\tglobalSegId\trater\tcategory\tseverity"]
    random = np.random.default_rng(1)
    for number in range(1, 13):
        for system in "ab":
            for rater in ("r1", "r2"):
                kind = random.choice(["Minor", "Major", "Neutral"])
                lines.append(f"{system}\td{number % 4}\t{number}\t{rater}\tStyle/Awkward\t{kind}")
    path = tmp_path / "errors.tsv.gz"
    path.write_bytes(gzip.compress(("\n".join(lines) + "\n").encode()))
    for weights, sign in (("google", "negative"), ("wmt24", "positive")):
        table = read(path, mqm=sign, mqm_weights=weights)
        metric = table.metric("MQM")
        again = RatedMetric(**json.loads(json.dumps(metric.arguments())))
        assert (again.fingerprint(), str(again.signature())) == (metric.fingerprint(), str(metric.signature()))
        rows = {"MQM": table.stats("MQM", ["a"], metric)["a"]}
        receipt = Receipt.make(None, None, metric, system="a", stats=rows, score_files={"MQM": str(path)})
        assert f"|mqm:{weights}|" in receipt.about["metrics"][0]["signature"]
        found = Receipt(receipt.content).verify(scores={"MQM": str(path)})
        assert found and found.levels[5] and not found.notes, found
    with pytest.raises(StatsMismatch, match="mqm"):
        receipt.rows_for(RatedMetric("MQM", weights="google", kind="human", higher_is_better=False))


def test_the_command_writes_receipts_that_verify(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = ["system,segment,document,rater,metric,score"]
    random = np.random.default_rng(2)
    for system, level in (("atlas", 70), ("birch", 60)):
        for at in range(40):
            for rater in ("ann", "bo"):
                lines.append(f"{system},s{at},d{at // 4},{rater},ESA,{level + random.integers(-20, 20)}")
    Path("ratings.csv").write_text("\n".join(lines) + "\n", "utf-8")
    Path("kept").mkdir()
    assert 0 == main(["scores", "ratings.csv", "--receipts", "kept", "-f", "json"])
    captured = capsys.readouterr()
    expected = json.loads(captured.out)["metrics"][0]
    assert "2 receipts in kept" in captured.err
    paths = [f"kept/{name}.receipt.json" for name in ("atlas", "birch")]
    assert b"ann" not in Path(paths[0]).read_bytes()
    assert 0 == main(["receipt", "verify", *paths, "--external", "ESA=ratings.csv"])
    assert 2 == capsys.readouterr().out.count("verified (1 whole, 2 arithmetic, 5 scores)")
    assert 0 == main(["receipt", "show", paths[0]])
    assert "in 10 documents" in capsys.readouterr().out
    assert 0 == main(["-i", *paths, "--paired-all", "-f", "json"])
    found = json.loads(capsys.readouterr().out)["metrics"][0]
    assert expected["pairs"][0]["p_value"] == found["pairs"][0]["p_value"] and "|docs:10|" in found["signature"]
    assert 1 == main(["scores", "ratings.csv", "--receipts", "kept"])
    assert "is there already; --force replaces it" in capsys.readouterr().err
    assert 0 == main(["scores", "ratings.csv", "--receipts", "kept", "--force"])
    assert 2 == main(["scores", "ratings.csv", "--receipts", "nowhere"])
    assert "expected an existing folder" in capsys.readouterr().err
    assert 2 == main(["scores", "ratings.csv", "--force"])
