"""`truebleu receipt`, `--receipt`, `--against`, and receipts after -i: what a user types and reads."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

import truebleu
from receipts.forging import forged
from truebleu import Receipt
from truebleu.cli.main import main
from truebleu.errors import FileFormatError

METRICS = ("-m", "bleu", "chrf", "ter")
CUT = 60


class Shell:
    """Runs commands here, and keeps what they print."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self.capsys = capsys

    def __call__(self, *words: str, code: int = 0) -> str:
        found = main(words)
        out, err = self.capsys.readouterr()
        assert code == found, err or out
        return out if code == 0 else out + err


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    """A folder with the references and two systems of the demo set, and a receipt of each system."""
    monkeypatch.chdir(tmp_path)
    demo = truebleu.testset("demo", "en-de")
    texts = {"refA.txt": demo.references[0], "refB.txt": demo.references[1], "docs.txt": demo.documents}
    texts |= {f"{name}.txt": demo.systems[name] for name in ("atlas", "birch")}
    for name, lines in texts.items():
        Path(name).write_text("".join(f"{line}\n" for line in lines[:CUT]), "utf-8")
    shell = Shell(capsys)
    shell("receipt", "make", "refA.txt", "refB.txt", "-i", "atlas.txt", "birch.txt", *METRICS, "-q")
    return shell


A, B = "atlas.txt.receipt.json", "birch.txt.receipt.json"


def test_a_receipt_is_checked_by_somebody_who_has_more_and_more(shell: Shell) -> None:
    assert f"{A}: verified (1 whole, 2 arithmetic)\n" in shell("receipt", "verify", A)
    assert "name their files after the receipt" in shell("receipt", "verify", A)
    assert "3 references)" in shell("receipt", "verify", A, B, "refA.txt", "refB.txt")
    out = shell("receipt", "verify", A, B, "refA.txt", "refB.txt", "-i", "atlas.txt", "birch.txt")
    assert 2 == out.count("verified (1 whole, 2 arithmetic, 3 references, 4 text)")


def test_a_receipt_that_is_there_is_replaced_only_with_force(shell: Shell) -> None:
    words = ("refA.txt", "-i", "birch.txt", "--receipt")
    before = Path(A).read_bytes()
    assert f"{A} is there already; --force replaces it" in shell(*words, A, code=1)
    assert before == Path(A).read_bytes()
    shell(*words, A, "--force", "-q")
    assert "birch.txt" == Receipt.load(A).system
    assert f"{B} is there already" in shell(*words, ".", code=1)
    assert "is there already" in shell(*words, B, "--no-checks", code=1)


@pytest.mark.parametrize("odd", [["x"], {"x": 1}, None, 5])
def test_what_a_receipt_requires_has_names(shell: Shell, odd: object) -> None:
    with pytest.raises(FileFormatError, match="required names"):
        forged(Receipt.load(A), lambda about: about.update(required=[odd]))


def test_what_evaluate_has_no_module_for_is_told(shell: Shell) -> None:
    shell("refA.txt", "-i", "atlas.txt", "-m", "bleu", "gleu", "--receipt", "g.receipt.json", "-q")
    assert 0 == main(["receipt", "export", "g.receipt.json", "--to", "evaluate"])
    out, err = shell.capsys.readouterr()
    assert ["sacrebleu"] == list(json.loads(out))
    assert "g.receipt.json: evaluate has no module for GLEU, so the export leaves it out" in err


def test_a_false_receipt_gives_exit_code_1_and_a_reason(shell: Shell) -> None:
    assert "inputs.hypotheses: its hash" in shell(
        "receipt", "verify", A, "refA.txt", "refB.txt", "-i", "birch.txt", code=1
    )
    assert "inputs.references[0] (refA.txt)" in shell("receipt", "verify", A, "refB.txt", "refA.txt", code=1)
    Path("bad.receipt.json").write_bytes(Path(A).read_bytes().replace(b'"segments":60', b'"segments":61'))
    out = shell("receipt", "verify", "bad.receipt.json", A, code=1)
    assert "bad.receipt.json: NOT verified\n  level 1 (whole): bad.receipt.json was changed" in out
    assert f"{A}: verified" in out
    assert "was changed" in shell("receipt", "show", "bad.receipt.json", code=1)
    assert "was changed" in shell("-i", "bad.receipt.json", code=1)


def test_the_test_set_that_a_receipt_names_is_looked_up(shell: Shell) -> None:
    shell("receipt", "make", "-t", "demo", "-l", "en-de", "--subset", "news", "-i", "atlas", "-m", "bleu", "-q")
    assert "3 references)" in shell("receipt", "verify", "atlas.receipt.json")
    about = Receipt.load("atlas.receipt.json").about
    assert "news" == about["test_set"]["subset"] and "documents" in about
    assert "demo en-de, subset news, set_version 1" in shell("receipt", "show", "atlas.receipt.json")


@pytest.mark.parametrize("test", ["ar", "bs", "bs2", "sign"])
def test_tests_against_a_receipt_print_the_numbers_of_texts(shell: Shell, test: str) -> None:
    how = (*METRICS, "--paired", test, "--paired-n", "200", "-f", "json", "-q")
    texts = json.loads(shell("refA.txt", "refB.txt", "-i", "atlas.txt", "birch.txt", *how))
    for words in (
        ("refA.txt", "refB.txt", "-i", "birch.txt", "--against", A),
        ("-i", B, "--against", A),
        ("-i", A, B),
        ("refA.txt", "refB.txt", "-i", A, "birch.txt"),
        ("refA.txt", "refB.txt", "-i", "atlas.txt", B),
    ):
        found = json.loads(shell(*words, *how))
        assert [without_names(one) for one in texts] == [without_names(one) for one in found]


def without_names(line: dict[str, object]) -> dict[str, object]:
    # Sentences have names too, and what typography explains is known of texts alone.
    left_out = ("system", "path", "name_of_system", "file", "sentence", "explained")
    return {key: value for key, value in line.items() if key not in left_out}


def test_against_means_a_test(shell: Shell) -> None:
    assert "approximate randomization" in shell("refA.txt", "refB.txt", "-i", "birch.txt", "--against", A, "-q")
    assert "--against names a receipt" in shell("-i", B, "--against", "atlas.txt", code=2)


def test_the_metrics_of_a_receipt_are_taken_unless_others_are_named(shell: Shell) -> None:
    out = shell("-i", A, B, "-q")
    assert all(name in out for name in ("BLEU", "chrF2", "TER"))
    assert "TER" not in shell("-i", A, B, "-m", "bleu", "-q")
    assert "has no rows of gleu, only of bleu, chrf, ter" in shell("-i", A, "-m", "gleu", code=2)
    shell("receipt", "make", "refA.txt", "refB.txt", "-i", "birch.txt", "-m", "ter", "-q", "-o", "t.receipt.json")
    assert "chrF2" not in shell("-i", A, "t.receipt.json", "-q")
    shell("receipt", "make", "refA.txt", "refB.txt", "-i", "birch.txt", "-m", "gleu", "-q", "-o", "g.receipt.json")
    assert "no metric in common" in shell("-i", A, "g.receipt.json", code=2)


def test_texts_are_counted_with_the_options_of_the_receipt(shell: Shell) -> None:
    words = ("receipt", "make", "refA.txt", "-i", "atlas.txt", "-m", "bleu", "--tokenize", "intl", "-lc", "-q", "-o")
    shell(*words, "lc.receipt.json")
    out = shell("refA.txt", "-i", "birch.txt", "--against", "lc.receipt.json", "-l", "en-de", "-q")
    assert "case:lc" in out and "tok:intl" in out
    assert "differ in tokenizer: 'intl" in shell("-i", "lc.receipt.json", "--tokenize", "13a", code=1)


def test_breakdowns_segments_and_intervals_need_no_texts(shell: Shell) -> None:
    texts = ("refA.txt", "refB.txt", "-i", "atlas.txt", *METRICS, "-q", "-f", "csv")
    for more in (("--breakdown", "docs.txt"), ("--confidence", "-cin", "50"), ("--sentence-level",)):
        expected, found = shell(*texts, *more), shell("-i", A, *METRICS, "-q", "-f", "csv", *more)
        if "--sentence-level" not in more:  # there the effective order is another option than the receipt's
            assert expected.replace("atlas.txt", A) == found
        assert expected.count("\n") == found.count("\n")


def test_a_receipt_is_written_while_scoring(shell: Shell) -> None:
    out = shell("refA.txt", "refB.txt", "-i", "atlas.txt", *METRICS, "--receipt", "new.receipt.json", "-q")
    assert out == shell("refA.txt", "refB.txt", "-i", "atlas.txt", *METRICS, "-q")
    assert Path(A).read_bytes() == Path("new.receipt.json").read_bytes()
    Path("folder").mkdir()
    shell("refA.txt", "refB.txt", "-i", "atlas.txt", "birch.txt", *METRICS, "--receipt", "folder", "-q")
    assert Path(A).read_bytes() == Path("folder", A).read_bytes()
    two = ("refA.txt", "-i", "atlas.txt", "birch.txt", "--receipt")
    assert "name an existing folder" in shell(*two, "x.receipt.json", code=2)
    assert "ends in .receipt.json" in shell("refA.txt", "-i", "atlas.txt", "--receipt", "x.json", code=2)
    assert "leave out paired tests" in shell(*two, "folder", "--paired", "ar", code=2)


def test_what_needs_texts_says_so(shell: Shell) -> None:
    for flag in (("--doctor",), ("--only", "1-3"), ("--sensitivity",), ("--detail",)):
        assert f"{flag[0]} needs texts, and {A} is a receipt" in shell("-i", A, *flag, code=2)
    for words in (("report",), ("doctor",), ("plot", "ranking"), ("reconcile", "--target", "12.3")):
        more = ("-o", "x.svg") if words[0] == "plot" else ()
        assert "is a receipt, which has no texts" in shell(*words, "refA.txt", "-i", A, *more, code=2)
    assert "is a receipt, not a reference" in shell(A, "-i", "atlas.txt", code=2)
    assert "is a receipt, which has no texts" in shell("receipt", "make", "refA.txt", "-i", A, code=2)


def test_other_references_are_refused_by_name(shell: Shell) -> None:
    assert "inputs.references[0].hash (refA.txt)" in shell("refB.txt", "refA.txt", "-i", A, code=1)
    assert "is of 2 references, here there is 1" in shell("refA.txt", "-i", "birch.txt", "--against", A, code=1)
    shell("receipt", "make", "-t", "demo", "-l", "en-de", "-i", "atlas", "-m", "bleu", "-q")
    assert "differ in segments: 60 and 240" in shell("-i", A, "atlas.receipt.json", code=1)
    out = shell("-t", "demo", "-l", "en-zh", "-i", "atlas.receipt.json", code=1)
    assert "differ in the lang of the test set: 'en-de' and 'en-zh'" in out
    out = shell("-t", "demo", "-l", "en-de", "--subset", "news", "-i", "atlas.receipt.json", code=1)
    assert "differ in the subset of the test set: None and 'news'" in out


def test_the_test_set_of_a_receipt_is_implied(shell: Shell) -> None:
    shell("receipt", "make", "-t", "demo", "-l", "en-de", "-i", "atlas", "-m", "bleu", "-q")
    out = shell("-i", "birch", "--against", "atlas.receipt.json", "-q", "-pan", "100")
    assert out == shell(
        "-t", "demo", "-l", "en-de", "-i", "birch", "--against", "atlas.receipt.json", "-q", "-pan", "100"
    )
    assert "test:demo|lang:en-de" in out
    assert "test:demo|lang:en-de" in shell("-i", "atlas.receipt.json")


def test_a_false_receipt_stands_for_no_system(shell: Shell) -> None:
    false = forged(Receipt.load(A), lambda about: about["metrics"][0].update(score=99.0))
    false.save("false.receipt.json")
    message = (
        "false.receipt.json is not true, so it cannot take the place of a system: metrics[0] (bleu).score is 99.0, and"
    )
    assert message in shell("refA.txt", "refB.txt", "-i", "birch.txt", "--against", "false.receipt.json", code=1)
    assert message in shell("-i", "false.receipt.json", code=1)
    # What is wrong with other rows does not matter.
    assert "TER" in shell("-i", "false.receipt.json", "-m", "ter", "-q")
    Path("cut.receipt.json").write_bytes(Path(A).read_bytes()[:900])
    assert "cut.receipt.json was changed or cut off" in shell("receipt", "verify", "cut.receipt.json", code=1)


def test_make_divides_texts(shell: Shell) -> None:
    Path("text.txt").write_text(" ".join(Path("atlas.txt").read_text("utf-8").splitlines()) + "\n", "utf-8")
    make = ("receipt", "make", "refA.txt", "-q", "-o")
    shell(*make, "text.receipt.json", "-i", "text.txt", "--resegment")
    assert "4 text)" in shell("receipt", "verify", "text.receipt.json", "refA.txt", "-i", "text.txt")
    documents = ("--docids", "docs.txt")
    shell(*make, "level.receipt.json", "-i", "atlas.txt", "--level", "document", *documents)
    verify = ("receipt", "verify", "level.receipt.json", "refA.txt", "-i", "atlas.txt")
    assert "4 text)" in shell(*verify, *documents)
    shell("refA.txt", "-i", "atlas.txt", "--level", "document", *documents, "--receipt", "same.receipt.json")
    assert Path("same.receipt.json").read_bytes() == Path("level.receipt.json").read_bytes()


def test_receipts_of_rouge_and_wer_stand_for_systems(shell: Shell) -> None:
    more = ("-m", "rouge", "wer", "--rouge-variant", "3", "--rouge-tokenize", "rouge-unicode", "-q")
    for name in ("atlas", "birch"):
        shell("refA.txt", "-i", f"{name}.txt", *more, "--receipt", f"{name}.receipt.json")
    how = ("--paired", "bs", "--paired-n", "50", "-f", "json", "-q")
    found = json.loads(shell("-i", "atlas.receipt.json", "birch.receipt.json", *how))
    texts = json.loads(shell("refA.txt", "-i", "atlas.txt", "birch.txt", *more, *how))
    assert [without_names(one) for one in texts] == [without_names(one) for one in found]
    assert "ROUGE-3" in json.dumps(found)


def test_documents_of_receipts_can_be_drawn(shell: Shell) -> None:
    for name in ("atlas", "birch"):
        shell("receipt", "make", "-t", "demo", "-l", "en-de", "-i", name, "-m", "ter", "-q")
    how = ("--paired", "ar", "--paired-n", "200", "--docids", "docid", "-f", "json", "-q")
    found = json.loads(shell("-i", "atlas.receipt.json", "birch.receipt.json", *how))
    texts = json.loads(shell("-t", "demo", "-l", "en-de", "-i", "atlas", "birch", "-m", "ter", *how))
    assert [without_names(one) for one in texts] == [without_names(one) for one in found]


def test_the_modes_for_secret_outputs(shell: Shell) -> None:
    make = ("receipt", "make", "refA.txt", "-i", "atlas.txt", "-m", "bleu", "-q", "-o")
    shell(*make, "d.receipt.json", "--docids", "docs.txt", "--by-document")
    how = ("--paired", "ar", "--paired-n", "200", "-m", "bleu", "-f", "json", "-q")
    found = json.loads(shell("refA.txt", "-i", "birch.txt", "--against", "d.receipt.json", *how))
    texts = json.loads(shell("refA.txt", "-i", "atlas.txt", "birch.txt", "--docids", "docs.txt", *how))
    assert [one["p_value"] for one in texts[1:]] == [one["p_value"] for one in found[1:]]
    assert "docs:" in json.dumps(found)
    assert "those of segments are needed" in shell("-i", "d.receipt.json", "-sl", code=1)
    shell(*make, "t.receipt.json", "--total")
    assert "only the sums of all segments" in shell(
        "refA.txt", "-i", "birch.txt", "--against", "t.receipt.json", code=1
    )
    assert "4 text" in shell("receipt", "verify", "t.receipt.json", "refA.txt", "-i", "atlas.txt")
    Path("key").write_text("a secret of many bytes\n")
    shell(*make, "k.receipt.json", "--keyed", "key")
    verify = ("receipt", "verify", "k.receipt.json", "refA.txt", "-i", "atlas.txt")
    assert "4 text" in shell(*verify, "--keyed", "key") and "4 text" not in shell(*verify)
    assert "its hash has a key, which is not given" in shell(*verify)
    Path("short").write_text("abc")
    assert "short has a secret of 3 bytes" in shell(*make, "s.receipt.json", "--keyed", "short", code=1)
    assert "choose one of the two" in shell(*make, "s.receipt.json", "--total", "--by-document", code=2)
    assert "documents are not given" in shell(*make, "s.receipt.json", "--by-document", code=2)


def test_make_tells_what_a_receipt_gives_away(shell: Shell) -> None:
    out = shell("receipt", "make", "--help")
    assert "the length of every segment" in out and "--keyed" in out


def test_a_receipt_that_is_there_is_replaced_only_on_request(shell: Shell) -> None:
    words = ("receipt", "make", "refA.txt", "-i", "atlas.txt", "-q")
    assert "is there already; --force replaces it" in shell(*words, code=1)
    shell(*words, "--force")


def test_show_has_four_formats(shell: Shell) -> None:
    import yaml

    receipt = Receipt.load(A)
    text = shell("receipt", "show", A)
    assert all(part in text for part in (receipt.digest, "segments", "tok:13a", "2 arithmetic", "reference refA.txt"))
    about = json.loads(shell("receipt", "show", A, "-f", "json"))
    assert about == yaml.safe_load(shell("receipt", "show", A, "-f", "yaml"))
    assert {"1": True, "2": True} == about["verification"]["levels"] and "data" not in about["metrics"][0]
    assert "| segments | 60 |" in shell("receipt", "show", A, "-f", "markdown")
    assert 2 == len(json.loads(shell("receipt", "show", A, B, "-f", "json")))


def test_export_writes_to_standard_output_or_into_a_card(shell: Shell) -> None:
    assert "model-index:" in shell("receipt", "export", A, "--to", "model-index")
    assert "give --dataset-id" in shell("receipt", "export", A, "--to", "eval-results", code=2)
    card = "---\nlicense: mit\n---\n# Model\n"
    Path("README.md").write_text(card)
    shell("receipt", "export", A, "--to", "model-index", "--into", "README.md")
    text = Path("README.md").read_text()
    assert text.startswith("---\nlicense: mit\nmodel-index:\n") and text.endswith("\n---\n# Model\n")
    assert "--into puts a model-index" in shell("receipt", "export", A, "--to", "csv", "--into", "README.md", code=2)


@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen of OpenSSH is not installed")
def test_sign_and_verify(shell: Shell) -> None:
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", "key"], check=True)
    Path("allowed").write_text(f"ann {Path('key.pub').read_text()}")
    assert f"{A}.sig\n" == shell("receipt", "sign", A, "--key", "key")
    assert "--signer and --allowed-signers check it" in shell("receipt", "verify", A)
    signers = ("--allowed-signers", "allowed", "--signer")
    assert "signed by ann)" in shell("receipt", "verify", A, *signers, "ann")
    assert "is not a signature of bob" in shell("receipt", "verify", A, *signers, "bob", code=1)
    assert "there is no such file" in shell("receipt", "verify", B, *signers, "ann", code=1)
    assert "go together" in shell("receipt", "verify", A, "--signer", "ann", code=2)


def test_words_that_make_no_sense(shell: Shell) -> None:
    assert "there is no receipt among the files" in shell("receipt", "verify", "refA.txt", code=2)
    assert "expected one each" in shell("receipt", "verify", A, B, "refA.txt", "refB.txt", "-i", "atlas.txt", code=2)
    assert "none.receipt.json" in shell("receipt", "verify", "none.receipt.json", code=1)
    two = ("receipt", "make", "refA.txt", "-i", "atlas.txt", "birch.txt", "--force")
    assert "--system names one system" in shell(*two, "--system", "x", code=2)
    assert "name an existing folder" in shell(*two, "-o", "x.receipt.json", code=2)


def test_texts_that_were_divided_anew_have_receipts_of_what_was_scored(shell: Shell) -> None:
    Path("text.txt").write_text(" ".join(Path("atlas.txt").read_text("utf-8").splitlines()) + "\n", "utf-8")
    signature = shell("refA.txt", "-i", "text.txt", "--resegment", "--receipt", "text.receipt.json").split(" = ")[0]
    receipt = Receipt.load("text.receipt.json")
    assert "|reseg:cue1|" in signature and "cue1" == receipt.about["segmentation"]["method"]
    assert {1: True, 2: True} == receipt.verify().levels
    assert receipt.metric("BLEU").score(receipt.stats["BLEU"]).signature.format() in signature
    shell("resegment", "refA.txt", "-i", "text.txt", "-o", "lines.txt")
    assert "4 text)" in shell("receipt", "verify", "text.receipt.json", "refA.txt", "-i", "lines.txt")
    out = shell("receipt", "verify", "text.receipt.json", "refA.txt", "-i", "text.txt")
    assert "4 text)" in out and "divided into segments again (cue1)" in out
    assert "hash" in shell("receipt", "verify", "text.receipt.json", "refA.txt", "-i", "birch.txt", code=1)
    assert " cue1, documents 1, aligned 1, segments 60," in shell("receipt", "show", "text.receipt.json")
    beside = shell("refA.txt", "-i", "text.txt", "--resegment", "--against", "text.receipt.json", "--paired-n", "50")
    assert "text.receipt.json" in beside and "(p = 1.0000)" in beside
    assert "all systems are receipts" in shell("refA.txt", "-i", "text.receipt.json", "--resegment", code=2)


def test_documents_that_are_scored_as_wholes_have_receipts(shell: Shell) -> None:
    shell("refA.txt", "-i", "atlas.txt", "--level", "document", "--docids", "docs.txt", "--receipt", "d.receipt.json")
    receipt = Receipt.load("d.receipt.json")
    assert len(set(Path("docs.txt").read_text().splitlines())) == receipt.about["segments"]
    assert "doc" == receipt.about["level"] and {1: True, 2: True} == receipt.verify().levels
    verify = ("receipt", "verify", "d.receipt.json", "refA.txt", "-i", "atlas.txt")
    assert "verified (1 whole, 2 arithmetic)" in shell(*verify)
    assert "4 text)" in shell(*verify, "--docids", "docs.txt")
    assert "--docids is about reference files" in shell(*verify[:3], "--docids", "docs.txt", code=2)
    shell("-t", "demo", "-l", "en-de", "-i", "atlas", "--level", "document", "--receipt", "set.receipt.json")
    assert "3 references)" in shell("receipt", "verify", "set.receipt.json")
    documents = ("--level", "document", "--docids", "docs.txt")
    assert "birch.txt" in shell("refA.txt", "-i", "birch.txt", "--against", "d.receipt.json", *documents)
    assert "differ in segments: 60 and 6" in shell("-i", A, "d.receipt.json", "--paired-all", code=1)
