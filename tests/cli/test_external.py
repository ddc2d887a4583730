"""Scores from elsewhere in the shell: formats, directions, missing scores, and no references."""

import json
from collections.abc import Sequence
from hashlib import sha256
from typing import Any

import pytest

from cli.conftest import Files

A, B, C = "atlas.de", "birch.de", "cedar.de"
N = 80  # segments
PAIR = ("ref1.de", "-i", A, B)
TEST = ("--paired", "ar", "--paired-n", "200")


def lines(values: Sequence[object]) -> str:
    return "".join(f"{value}\n" for value in values)


@pytest.fixture
def scored(files: Files) -> Files:
    """Files of scores: A is better by MetricX (lower) and worse by the others."""
    better, worse = [1 + at % 7 / 10 for at in range(N)], [3 + at % 5 / 10 for at in range(N)]
    files.write("low", lines(better))
    files.write("high", lines(worse))
    files.write("atlas.jsonl", lines([json.dumps({"source": "x", "prediction": one}) for one in better]))
    files.write("birch.jsonl", lines([json.dumps({"source": "x", "prediction": one}) for one in worse]))
    named = [(name, one) for name, column in (("atlas", better), ("birch", worse)) for one in column]
    files.write("MetricX.seg.score", lines([f"{name}\t{-one}" for name, one in named]))
    files.write("more.seg.score", lines([f"{name}\t{-one}" for name, one in [*named, *[("cedar", 1.0)] * N]]))
    files.write("gaps", lines(["None" if at % 4 == 0 else one for at, one in enumerate(better)]))
    files.write("holes", lines(["" if at % 5 == 1 else one for at, one in enumerate(worse)]))
    return files


def metric_of(files: Files, *words: str) -> dict[str, Any]:
    run = files.ours(*words, "-f", "json")
    assert 0 == run.code, run.err
    found: dict[str, Any] = json.loads(run.out)["metrics"][-1]
    return found


@pytest.mark.parametrize(
    "external",
    ["MetricX=low,high", "MetricX=atlas.jsonl,birch.jsonl", "MetricX=MetricX.seg.score", "MetricX=more.seg.score"],
)
def test_metricx_ranks_the_better_system_first_from_every_kind_of_file(scored: Files, external: str) -> None:
    metric = metric_of(scored, *PAIR, "--paired-all", "--paired-n", "200", "--external", external)
    assert [[A], [B]] == metric["clusters"] and ("seg.score" in external) == metric["higher_is_better"]
    assert ("dir:low" in metric["signature"]) == ("seg.score" not in external)


def test_scores_of_systems_that_are_not_scored_are_told(scored: Files) -> None:
    run = scored.ours(*PAIR, *TEST, "--external", "MetricX=more.seg.score")
    assert "more.seg.score also has scores of cedar, which are not used" in run.err
    assert "MetricX scores are all ≤ 0: they were negated, higher is better" in run.err
    run = scored.ours("ref1.de", "-i", A, B, C, *TEST, "--external", "MetricX=MetricX.seg.score")
    assert 2 == run.code and "has no scores of cedar.de; it has those of atlas, birch, and the systems are" in run.err


def test_a_model_and_its_revision_are_signed(scored: Files) -> None:
    run = scored.ours(*PAIR, *TEST, "--external", "COMET:Unbabel/wmt22-comet-da@2760a223ac957f30acfb18=low,high")
    assert "COMET" in run.out and "|model:Unbabel/wmt22-comet-da|rev:2760a223ac95|" in run.out


def test_scores_need_no_references(scored: Files) -> None:
    run = scored.ours("-i", A, B, "--external", "COMET=low,high")
    assert 0 == run.code and "COMET" in run.out and "BLEU" not in run.out
    alone = metric_of(scored, "-i", A, B, "--paired-all", "--external", "COMET=low,high")
    beside = metric_of(scored, *PAIR, "--paired-all", "--external", "COMET=low,high")
    assert alone == beside
    run = scored.ours("-i", A, B, "-m", "bleu", "ter", "--external", "COMET=low,high")
    assert 2 == run.code and "bleu, ter of texts needs references" in run.err and "--external need none" in run.err
    assert 2 == scored.ours("-i", A, B).code


def test_scores_beside_those_of_texts_without_a_test(scored: Files) -> None:
    found = json.loads(scored.ours(*PAIR, "--external", "COMET=low,high", "--confidence", "-f", "json").out)
    assert ["BLEU", "COMET", "BLEU", "COMET"] == [one["name"] for one in found]
    assert all("|bs:1000|seed:12345|" in one["signature"] for one in found)
    scored.write("ids", lines([at // 8 for at in range(N)]))
    (one, _) = json.loads(
        scored.ours("-i", A, B, "--external", "COMET=low,high", "-ci", "--docids", "ids", "-f", "json").out
    )
    assert "|docs:10|" in one["signature"] and one["confidence"]["mean"] == pytest.approx(one["score"], abs=0.05)


def test_missing_scores_are_left_out_pair_by_pair(scored: Files) -> None:
    words = (*PAIR, "--paired-all", "--paired-n", "200", "--external", "COMET=gaps,holes")
    run = scored.ours(*words)
    assert 1 == run.code and "gaps, line 1: the score is 'None', expected a number" in run.err
    metric = metric_of(scored, *words, "--missing", "pairs")
    both = [at for at in range(N) if at % 4 and at % 5 != 1]
    (pair,) = metric["pairs"]
    assert (len(both), len(both)) == (pair["n"], pair["n_units"]) and "segment" == pair["unit"]
    assert {"rule": "pairs", "a_only": 12, "b_only": 16} == pair["missing"]
    assert [60, 64] == [one["n"] for one in metric["systems"]] and "|missing:pairs|" in metric["signature"]
    text = scored.ours(*words, "--missing", "pairs").out
    assert "Adjusted" in text and f"n = {len(both)}" in text and "Each pair was tested on the segments that" in text
    assert f"n = {len(both)}" in scored.ours(*PAIR, *TEST, *words[-2:], "--missing", "pairs").out
    dropped = metric_of(scored, *words, "--missing", "drop")
    assert dropped["pairs"][0]["delta"] == pytest.approx(pair["delta"]) and "missing:drop" in dropped["signature"]
    fitted = metric_of(scored, *words, "--missing", "fit", "--assignment", "random")
    assert "|missing:fit|" in fitted["signature"] and fitted["pairs"][0]["significant"]


def test_a_format_that_knows_missing_scores_needs_no_flag(scored: Files) -> None:
    cells = [f"{name}\t{'None' if at % 9 == 0 else -1 - at % 3}" for name in ("atlas", "birch") for at in range(N)]
    scored.write("MQM.seg.score", lines(cells))
    metric = metric_of(scored, "-i", A, B, "--paired-all", "--paired-n", "200", "--external", "MQM=MQM.seg.score")
    assert 71 == metric["pairs"][0]["n"] and "missing" not in metric["signature"]


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ("--external Mine=low,high --paired-all", 2, "write --external 'Mine[lower]=...' or 'Mine[higher]=...'"),
        (
            "--external MetricX[higher]=low,high",
            2,
            "MetricX is lower-is-better (0 to 25); these are 1 to 1.6: lower is",
        ),
        ("--external MetricX=low,MetricX.seg.score", 2, "MetricX: some scores are above zero and some below it"),
        ("--external COMET:=low,high", 2, "expected NAME=FILE,..., with a file for each system, or one that has all"),
        ("--external COMET=low,high --external COMET=high,low", 2, "--external names COMET twice"),
        ("--external COMET=low", 2, "--external COMET has 1 file, expected 2, or one that has all systems"),
        ("--external COMET=low,high --missing fit", 2, "--missing fit is right only where chance decided"),
        ("--external COMET=low,high --assignment random", 2, "--assignment is about --missing fit"),
        ("--missing pairs", 2, "--missing is about the scores of --external"),
        ("--direction-anyway", 2, "--direction-anyway is about the scores of --external"),
        (
            "--external COMET=empty,empty --missing pairs",
            1,
            "the system 'atlas.de' has no score of COMET, all of them are",
        ),
        ("--external COMET=short,short", 1, "short has scores of 2 items, the systems have 80 segments"),
        ("--external COMET=infinite,infinite", 1, "infinite, line 2: the score is 'inf', expected a"),
    ],
)
def test_mistakes(scored: Files, words: str, code: int, message: str) -> None:
    scored.write("empty", "None\n" * N)
    scored.write("short", "1\n2\n")
    scored.write("infinite", "1\ninf\n" * 40)
    given = () if "--paired-all" in words else TEST
    run = scored.ours(*PAIR, *given, *words.split())
    assert (code, "") == (run.code, run.out)
    assert message in run.err, run.err


def test_a_direction_is_insisted_on(scored: Files) -> None:
    words = (*PAIR, "--paired-all", "--paired-n", "200", "--external", "MetricX[higher]=low,high")
    assert 2 == scored.ours(*words).code
    metric = metric_of(scored, *words, "--direction-anyway")
    assert metric["higher_is_better"] and "|dir:high!|" in metric["signature"] and [[B], [A]] == metric["clusters"]


def test_receipts_carry_scores(scored: Files) -> None:
    for name, file in ((A, "low"), (B, "high")):
        run = scored.ours("ref1.de", "-i", name, "--external", f"COMET={file}", "--receipt", f"{name}.receipt.json")
        assert 0 == run.code, run.err
        kept = json.loads((scored.folder / f"{name}.receipt.json").read_bytes())["metrics"][-1]["score_file"]
        assert kept == f"sha256:{sha256((scored.folder / file).read_bytes()).hexdigest()}"
    words = ("-i", f"{A}.receipt.json", f"{B}.receipt.json", "--paired-all", "--paired-n", "200")
    metric = metric_of(scored, *words)
    beside = metric_of(scored, *PAIR, *words[-3:], "--external", "COMET=low,high")
    assert "COMET" == metric["name"] and [beside["pairs"][0][key] for key in ("delta", "p_value")] == [
        metric["pairs"][0][key] for key in ("delta", "p_value")
    ]
    run = scored.ours("receipt", "verify", f"{A}.receipt.json", "ref1.de", "-i", A)
    assert 0 == run.code and "scores from elsewhere were not computed again: COMET" in run.out + run.err
    run = scored.ours("receipt", "verify", f"{A}.receipt.json", "ref1.de", "-i", A, "--external", "COMET=low")
    assert 0 == run.code and "4 text, 5 scores" in run.out and "not computed again" not in run.out
    run = scored.ours("receipt", "verify", f"{A}.receipt.json", "ref1.de", "--external", "COMET=high")
    assert 1 == run.code and "metrics (COMET).score_file is sha256:" in run.out and "the file gives 3." in run.out
    run = scored.ours("receipt", "verify", f"{A}.receipt.json", "--external", "COMET=low,high")
    assert 2 == run.code and "or a file for each of 1 receipt" in run.err


@pytest.mark.parametrize("external", ["COMET=low,high", "MetricX=MetricX.seg.score"])
def test_receipts_of_scores_without_references(scored: Files, external: str) -> None:
    """Each system has the hash of its file, be it one for each or one for all."""
    (scored.folder / "kept").mkdir(exist_ok=True)
    name, files = external.partition("=")[0], external.partition("=")[2].split(",")
    run = scored.ours("-i", A, B, "--external", external, "--receipt", "kept", "--force")
    assert 0 == run.code, run.err
    paths = [f"kept/{one}.receipt.json" for one in (A, B)]
    for path, file in zip(paths, files * (3 - len(files)), strict=True):
        about = json.loads((scored.folder / path).read_bytes())
        digest = sha256((scored.folder / file).read_bytes()).hexdigest()
        assert {"hypotheses"} == about["inputs"].keys() and f"sha256:{digest}" == about["metrics"][0]["score_file"]
    run = scored.ours("receipt", "verify", *paths, "-i", A, B, "--external", external)
    assert 0 == run.code and 2 == run.out.count("(1 whole, 2 arithmetic, 4 text, 5 scores)"), run.out
    words = ("--paired-all", "--paired-n", "200")
    alone, beside = (
        metric_of(scored, "-i", *paths, *words),
        metric_of(scored, "-i", A, B, "--external", external, *words),
    )
    assert name == alone["name"] and alone["pairs"][0]["p_value"] == beside["pairs"][0]["p_value"]
    assert name in scored.ours("-i", *paths).out and "BLEU" not in scored.ours("-i", *paths).out
    assert 0 == scored.ours("-i", *paths, "--paired", "ar", "--paired-n", "200").code
    run = scored.ours("-i", *paths, "-m", "bleu")
    assert 2 == run.code and "has no rows of bleu" in run.err


def test_receipts_are_of_one_run_each(scored: Files) -> None:
    run = scored.ours(*PAIR, "--external", "COMET=low,high", "--receipt", "x.receipt.json", "--runs", "2", *TEST)
    assert 2 == run.code and "--receipt is about the scores of all segments of systems" in run.err


def test_a_constant_column_shows_no_difference(scored: Files) -> None:
    scored.write("same", "2.5\n" * N)
    metric = metric_of(scored, *PAIR, "--paired-all", "--external", "COMET=same,same")
    assert [[A, B]] == metric["clusters"] and 1.0 == metric["pairs"][0]["p_value"]


def test_documents_of_a_score_file_are_drawn_whole(scored: Files) -> None:
    rows = [
        json.dumps({"system": name, "segment": at + 1, "metric": "ESA", "score": 50 + at % 7 + 5 * (name == "birch"),
                    "document": f"d{at // 8}"})
        for name in ("atlas", "birch") for at in range(N)
    ]  # fmt: skip
    scored.write("esa.jsonl", lines(rows))
    metric = metric_of(scored, "-i", A, B, "--paired-all", "--external", "ESA=esa.jsonl")
    assert "|docs:10|" in metric["signature"] and ("document", 10) == tuple(
        metric["pairs"][0][key] for key in ("unit", "n_units")
    )
    metric = metric_of(scored, "-i", A, B, "--paired-all", "--unit", "segment", "--external", "ESA=esa.jsonl")
    assert "docs" not in metric["signature"]
