"""What a difference is worth, families and strata on the command line."""

import json
from pathlib import Path

import pytest

from cli.conftest import SYSTEMS, Files
from loopback import isolate
from truebleu import demo

A, B, C = (f"{name}.de" for name in SYSTEMS)
FOUND = "this test finds differences of "


@pytest.fixture
def near(files: Files) -> str:
    data = demo.load("en-de").systems
    pairs = zip(data["atlas"][:80], data["birch"][:80], strict=True)
    files.write("near.de", "".join(f"{two if at % 9 else one}\n" for at, (one, two) in enumerate(pairs)))
    files.write("halves", "first\n" * 40 + "second\n" * 40)
    return "near.de"


def test_175_what_a_test_could_have_found(files: Files, near: str) -> None:
    run = files.ours("ref1.de", "-i", B, near, "--paired-all")
    assert f"With 80 segments {FOUND}" in run.out and FOUND not in run.err
    # In sacreBLEU's form, standard output is sacreBLEU's.
    theirs = files.ours("ref1.de", "-i", B, near, "--paired", "ar")
    assert FOUND not in theirs.out and 1 == theirs.err.count(FOUND)
    assert FOUND not in files.ours("ref1.de", "-i", B, near, "--paired", "ar", "-q").err
    clear = files.ours("ref1.de", "-i", A, C, "--paired", "ar")
    assert FOUND not in clear.err and FOUND not in files.ours("ref1.de", "-i", A, C, "--paired-all").out
    _, pair = json.loads(files.ours("ref1.de", "-i", B, near, "--paired", "ar", "-f", "json").out)
    assert pair["smallest_shown"] > 0 and {"seen", "least", "most"} == pair["needed"].keys()
    ranked = json.loads(files.ours("ref1.de", "-i", B, near, "--paired-all", "-f", "json").out)
    assert {"seen", "least", "most"} == ranked["metrics"][0]["pairs"][0]["needed"].keys()


def test_power(files: Files, near: str) -> None:
    words = ("power", "ref1.de", "-i", B, near, "-q")
    run = files.ours(*words, "--delta", "1", "-m", "bleu", "chrf")
    assert 0 == run.code and 2 == run.out.count("power for 1\n") and "BLEU: near.de and birch.de\n" in run.out
    assert "80 %\n" in run.out and "would be decided by" in run.out
    assert "Segments were taken as independent" in run.out
    assert "power for" not in files.ours(*words).out
    clear = files.ours("power", "ref1.de", "-i", A, C, "-q").out
    assert "is significant: no size is planned for it" in clear and "would be decided by" not in clear
    for system in (B, near):
        made = ("receipt", "make", "ref1.de", "-i", system, "-o", f"{system}.receipt.json", "-m", "bleu", "--force")
        assert 0 == files.ours(*made).code
    receipts = ("-i", f"{B}.receipt.json", f"{near}.receipt.json")
    plain, kept = (
        json.loads(files.ours("power", *one, "--json", "-q").out) for one in (("ref1.de", *words[2:5]), receipts)
    )
    assert [one["smallest"] for one in plain["sizes"]] == [one["smallest"] for one in kept["sizes"]] and 1 == plain[
        "schema"
    ]
    several = files.ours("power", "ref1.de", "-i", A, B, near, "-q").out
    assert "at the level 0.05 / 3 (Bonferroni)" in several
    for wrong, says in (("0", "--delta is 0"), ("nan", "--delta is nan"), ("-1", "--delta is -1")):
        refused = files.ours(*words, f"--delta={wrong}")
        assert 2 == refused.code and f"{says}, expected a difference to be found, above 0" in refused.err
    assert 2 == files.ours(*words, "--power", "1").code


def test_a_margin(files: Files, near: str) -> None:
    out = files.ours("ref1.de", "-i", B, near, "--paired", "ar", "--margin", "9").out
    assert "BLEU, a margin of 9 (two one-sided tests): near.de and birch.de are equivalent." in out
    assert "ar:exact" in out  # sacreBLEU has no such test
    _, pair = json.loads(files.ours("ref1.de", "-i", B, near, "--paired", "ar", "--margin", "0.01", "-f", "json").out)
    assert "not shown" == pair["equivalence"]
    assert 2 == files.ours("ref1.de", "-i", A, "--margin", "1").code
    assert 2 == files.ours("ref1.de", "-i", A, B, "--paired-all", "--margin=-1").code


def test_families(files: Files) -> None:
    words = ("ref1.de", "-i", A, B, C, "-m", "bleu", "chrf", "--paired-all")
    assert "The p-values of 3 pairs per metric are corrected after Holm, in 2 families." in files.ours(*words).out
    run = files.ours(*words, "--family", "all")
    assert "The p-values of 6 tests, those of all metrics, are corrected together after Holm." in run.out
    found = json.loads(files.ours(*words, "--family", "all", "-f", "json").out)
    assert ("all", 1, 6) == (found["family"], found["n_families"], found["n_tests"])
    _, _, one, _ = json.loads(
        files.ours(*words[:4], *words[5:8], "--paired", "sign", "--family", "all", "-f", "json").out
    )
    assert {"family": "all", "n_families": 1, "n_tests": 2} == one["corrected"]
    idle = files.ours(*words[:5], "--paired-all", "--family", "all")
    assert 2 == idle.code and "--family has no effect: it is about several metrics" in idle.err


def test_strata(files: Files, near: str) -> None:
    words = ("ref1.de", "-i", A, C, "--paired", "ar", "--strata", "halves")
    out = files.ours(*words).out
    assert "|strata:2|" in out and "BLEU: of 2 strata, atlas.de beats cedar.de in 2." in out
    assert "first (40)" in out and "│ 0 : 2 │" in out
    assert "no system beats another in a stratum" in files.ours("ref1.de", "-i", B, near, *words[4:]).out
    for form in ("latex", "markdown", "html", "rst"):
        assert 0 == files.ours(*words, "-f", form).code
    ranked = json.loads(files.ours("ref1.de", "-i", A, C, "--paired-all", "--strata", "halves", "-f", "json").out)
    assert ["atlas.de"] * 2 == [one["winner"] for one in ranked["metrics"][0]["pairs"][0]["strata"]]
    files.write("one", "same\n" * 80)
    files.write("short", "x\ny\n")
    for name, code, says in (("one", 2, "strata has one label for all segments"), ("short", 1, "short has 2 lines")):
        refused = files.ours(*words[:-1], name)
        assert code == refused.code and says in refused.err
    signature = out.rpartition(" - BLEU       ")[2].split("\n")[0]
    assert 0 == files.ours("ref1.de", "-i", A, "--like", f"BLEU|{signature}").code


def test_176_several_sets_are_strata(files: Files, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    isolate(tmp_path, monkeypatch)
    data = demo.load("en-de")
    outputs = {name: [*texts[:80], *texts[80:140]] for name, texts in data.systems.items()}
    for name, part in (("one", slice(0, 80)), ("two", slice(80, 140))):
        kinds = (
            ("src", data.sources),
            ("ref", next(iter(data.references.values()))),
            ("ids", [f"doc{at % 80 // 10}" for at in range(240)]),
        )
        for kind, lines in kinds:
            files.write(f"{name}.{kind}", "".join(f"{line}\n" for line in lines[part]))
        added = ("--name", f"lab/{name}", "-l", "en-de", "--docid", f"{name}.ids")
        assert 0 == files.ours("data", "add", f"{name}.src", f"{name}.ref", *added).code
    for name in ("atlas", "cedar"):
        files.write(f"both.{name}", "".join(f"{line}\n" for line in outputs[name]))
    words = ("-t", "lab/one,lab/two", "-l", "en-de", "-i", "both.atlas", "both.cedar", "--unit", "segment")
    found = json.loads(files.ours(*words, "--paired-all", "-f", "json").out)
    (pair,) = found["metrics"][0]["pairs"]
    assert [("lab/one", 80), ("lab/two", 60)] == [(one["label"], one["n_segments"]) for one in pair["strata"]]
    assert "strata:2" in found["metrics"][0]["signature"]
    # Sets may have the same ids, and these are other documents.
    by_documents = json.loads(files.ours(*words[:7], "--paired-all", "-f", "json").out)
    assert 14 == by_documents["n_documents"] and 2 == len(by_documents["metrics"][0]["pairs"][0]["strata"])
    # sacreBLEU's form has sacreBLEU's answer.
    assert "strata" not in files.ours(*words[:7], "--paired", "ar").out


def test_227_what_people_made_of_such_differences(files: Files) -> None:
    words = ("ref1.de", "-i", "atlas.de", "birch.de")
    run = files.ours(*words, "--paired", "bs2")
    assert "people " in run.out and "People preferred the system better by" in run.out
    assert "people" not in files.ours(*words, "--paired", "bs2", "--no-people").out
    assert '"human_accuracy"' in files.ours(*words, "--paired", "ar", "-f", "json").out
    assert "human" not in files.ours(*words, "--paired", "ar", "-f", "json", "--no-people").out
    for test in ("ar", "bs"):  # test_parity compares them with sacreBLEU's
        assert "people" not in files.ours(*words, "--paired", test).out
