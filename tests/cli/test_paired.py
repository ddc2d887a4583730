"""Paired tests, rankings and groups on the command line."""

import csv
import io
import json
import re

import pytest

from cli.conftest import SYSTEMS, Files, as_sacrebleu

A, B, C = (f"{name}.de" for name in SYSTEMS)
ALL = ("ref1.de", "-i", A, B, C)


def without_explanation(text: str) -> str:
    """The wording of the explanation is free; where it stands is not."""
    title, signatures = r"(-+\nPaired [^\n]* trials\n-+\n)", r"-+\nMetric signatures\n"
    shorter, found = re.subn(rf"{title}.*?\n\n(?={signatures})", r"\1", text, flags=re.S)
    assert 1 == found
    return shorter


PAIRED = (
    "--paired-bs",
    "--paired-bs -m bleu chrf ter",
    "-pbs -pbsn 200 -m ter bleu -w 3",
    "--paired-bs -sh",
    "--paired-ar --paired-ar-n 500",
    "-par -parn 300 -m bleu chrf ter",
    "--paired-ar -parn 200 -w 4 -j 2",
)


@pytest.mark.parametrize("format", ["text", "latex"])
@pytest.mark.parametrize("options", PAIRED)
def test_paired_tables_are_sacrebleu_s(files: Files, options: str, format: str) -> None:
    words = (*ALL, *options.split(), "-f", format)
    theirs, ours = files.theirs(*words, "-j", "1"), files.ours(*words)
    assert (0, without_explanation(theirs.out)) == (ours.code, without_explanation(as_sacrebleu(ours.out)))


def test_paired_json_is_sacrebleu_s(files: Files) -> None:
    words = (*ALL, "--paired-ar", "-parn", "200", "-m", "bleu", "chrf")
    assert files.theirs(*words).out == files.ours(*words, "-f", "sacrebleu-json").out


def test_paired_from_standard_input(files: Files) -> None:
    columns = [(files.folder / system).read_text("utf-8").splitlines() for system in (A, B)]
    stdin = "".join(f"{ours}\t{theirs}\n" for ours, theirs in zip(*columns, strict=True))
    words = ("ref1.de", "--paired-bs", "-f", "text")
    theirs, ours = files.theirs(*words, stdin=stdin), files.ours(*words, stdin=stdin)
    assert without_explanation(theirs.out) == without_explanation(as_sacrebleu(ours.out))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("--paired bs", "--paired-bs"),
        ("--paired ar --paired-n 100", "--paired-ar --paired-ar-n 100"),
        ("-pa bs -pan 50 --paired-bs-n 60", "-pbs -pbsn 60"),
        ("--paired bs -paj 2", "--paired-bs -j 1"),
    ],
)
def test_old_spellings(files: Files, old: str, new: str) -> None:
    assert files.ours(*ALL, *new.split()).out == files.ours(*ALL, *old.split()).out


def test_ar_with_intervals(files: Files) -> None:
    out = files.ours(*ALL, "--paired", "ar", "-parn", "100", "--paired-ar-confidence-n", "50").out
    assert "BLEU (μ ± 95% CI)" in out and "nrefs:1|bs:50|ar:100|seed:12345" in out


def test_the_baseline_may_be_named_again(files: Files) -> None:
    words = ("ref1.de", "-i", A, B, A, "--paired-bs", "-pbsn", "20")
    run = files.ours(*words)
    assert files.ours("ref1.de", "-i", A, B, "--paired-bs", "-pbsn", "20").out == run.out
    assert f"{A} is the baseline already" in run.err


def test_a_copy_of_the_baseline_is_not_different(files: Files) -> None:
    (files.folder / "copy").write_bytes((files.folder / A).read_bytes())
    run = files.ours("ref1.de", "-i", A, "copy", "--paired", "ar", "-parn", "100")
    assert "(p = 1.0000)" in run.out and "p = 1" in run.err


@pytest.mark.parametrize("test", ["bs2", "sign"])
def test_our_tests_tell_their_names(files: Files, test: str) -> None:
    objects = json.loads(files.ours(*ALL, "--paired", test, "-f", "json").out)
    assert all(f"|{test}:" in fields["signature"] for fields in objects)
    assert ["p_value" in fields for fields in objects] == [False, True, True]


def test_corrected_p_values(files: Files) -> None:
    words = (*ALL, "--paired", "ar", "-parn", "200", "--correction", "holm")
    objects = json.loads(files.ours(*words, "-f", "json").out)
    first, second = (fields["p_value"] for fields in objects[1:])
    assert min(1.0, 2 * min(first, second)) == min(fields["adjusted_p_value"] for fields in objects[1:])
    assert "adjusted p = " in files.ours(*words).out and "adjust:holm" in files.ours(*words).out


def test_a_ranking_in_every_format(files: Files) -> None:
    words = (*ALL, "--paired-all", "-parn", "500", "-m", "bleu", "chrf", "--correction", "bh")
    comparison = json.loads(files.ours(*words, "-f", "json").out)
    assert (1, 3) == (comparison["schema"], len(comparison["metrics"][0]["pairs"]))
    assert [[A, B], [C]] == comparison["metrics"][0]["clusters"]
    rows = list(csv.DictReader(io.StringIO(files.ours(*words, "-f", "csv").out)))
    assert [pair["p_value"] for pair in comparison["metrics"][1]["pairs"]] == [
        float(row["p_value"]) for row in rows[3:]
    ]
    assert 6 == len(files.ours(*words, "-f", "jsonl").out.splitlines())
    for format in ("text", "markdown", "latex", "rst", "html"):
        out = files.ours(*words, "-f", format).out
        assert "Cluster" in out and "p-value against" in out and ("Metric signatures" in out) == (format != "latex")


def test_documents_runs_and_scores_from_elsewhere(files: Files) -> None:
    files.write("docids", "".join(f"doc{at // 8}\n" for at in range(80)))
    files.write("good", "".join(f"{at % 7 + 1}\n" for at in range(80)))
    files.write("bad", "".join(f"{at % 7}\n" for at in range(80)))
    assert "|docs:10|" in files.ours(*ALL, "--paired", "ar", "--docids", "docids").out
    runs = files.ours("ref1.de", "-i", A, B, B, C, "--runs", "2", "--paired", "bs2")
    assert 1 == runs.code and "given twice" in runs.err
    files.write("again", (files.folder / B).read_text("utf-8"))
    runs = files.ours("ref1.de", "-i", A, B, "again", C, "--runs", "2", "--paired", "bs2")
    assert f"{A} (2 runs)" in runs.out and "|runs:2|" in runs.out
    out = files.ours("ref1.de", "-i", A, B, "--paired", "ar", "--external", "JUDGE[higher]=good,bad", "-f", "json").out
    judged = [fields for fields in json.loads(out) if fields["name"] == "JUDGE"]
    assert [True, False] == [fields["score"] > 3.5 for fields in judged]
    assert judged[1]["p_value"] < 0.01


def ranking_of(files: Files, *words: str) -> list[str]:
    """The systems under the last metric, the best first; the scores of A are 2 and those of B are 6."""
    for name, score in (("two", 2), ("six", 6), ("minus2", -2), ("minus6", -6)):
        files.write(name, "".join(f"{score + at % 3 / 10}\n" for at in range(80)))
    run = files.ours("ref1.de", "-i", A, B, "--paired-all", "--paired-n", "100", "-f", "json", *words)
    assert 0 == run.code, run.err
    systems = json.loads(run.out)["metrics"][-1]["systems"]
    return [one["name"] for one in sorted(systems, key=lambda one: one["rank_range"])]


def test_nothing_is_ranked_without_a_known_direction(files: Files) -> None:
    assert [A, B] == ranking_of(files, "--external", "MetricX=two,six")
    assert [A, B] == ranking_of(files, "--external", "MetricX-24-Hybrid-XL=minus2,minus6")  # as WMT stores them
    assert [B, A] == ranking_of(files, "--external", "wmt22-comet-da=two,six")
    assert [A, B] == ranking_of(files, "--external", "Mine[lower]=two,six")
    assert [A, B] == ranking_of(files, "--external", "Mine=two,six", "--lower-is-better", "Mine")
    assert [B, A] == ranking_of(files, "--external", "Mine=two,six", "--higher-is-better", "Mine")
    pair, mine = ("ref1.de", "-i", A, B), ("--external", "Mine=two,six")
    run = files.ours(*pair, "--paired-all", *mine)
    assert 2 == run.code and "write --external 'Mine[lower]=...' or 'Mine[higher]=...'" in run.err
    for test in ("ar", "bs2"):
        run = files.ours(*pair, "--paired", test, *mine)
        assert 0 == run.code
        assert "Direction of Mine unknown: give --higher-is-better or --lower-is-better." in run.out
    assert 2 == files.ours("report", *pair, *mine).code
    files.write("labels", "a\nb\n" * 40)
    assert 0 == files.ours(*pair, "--breakdown", "labels", *mine).code  # shown, and nobody is called better


def test_a_direction_that_a_known_name_contradicts_is_refused(files: Files) -> None:
    ranking_of(files, "--external", "COMET=two,six")
    for external in (
        "MetricX[higher]=two,six",
        "MetricX[lower]=minus2,minus6",
        "COMET[lower]=two,six",
        "TER=minus2,six",
    ):
        run = files.ours("ref1.de", "-i", A, B, "--paired", "ar", "--external", external)
        assert 2 == run.code and "give them another name" in run.err


def test_groups_in_every_format(files: Files) -> None:
    files.write("labels", "".join("news\n" if at % 3 else "chat\n" for at in range(80)))
    words = ("ref1.de", "-i", A, B, "--breakdown", "labels", "-m", "bleu", "ter", "-ci", "-cin", "50")
    objects = json.loads(files.ours(*words, "-f", "json").out)
    groups = [fields for fields in objects if "group" in fields]
    assert (2 * 2 * 2, 2 * 2) == (len(groups), len(objects) - len(groups))
    lines = [(files.folder / name).read_text("utf-8").splitlines() for name in ("ref1.de", A)]
    for name, texts in zip(("chat.ref", "chat.hyp"), lines, strict=True):
        files.write(name, "".join(f"{text}\n" for text in texts[::3]))
    expected = json.loads(files.ours("chat.ref", "-i", "chat.hyp", "-f", "json").out)["score"]
    assert expected == groups[0]["score"] and {"label": "chat", "segments": 27} == groups[0]["group"]
    rows = list(csv.DictReader(io.StringIO(files.ours(*words, "-f", "tsv").out), delimiter="\t"))
    assert ["chat", "27", A, "BLEU"] == [rows[0][key] for key in ("group", "segments", "system", "name")]
    for format in ("text", "markdown", "latex", "rst", "html"):
        out = files.ours(*words, "-f", format).out
        assert "chat" in out and "bs:50|seed:12345" in out


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (f"ref1.de -i {A} --paired-bs", 1, "a paired test needs two or more systems, got 1"),
        (f"ref1.de -i {A} {B} --correction holm", 2, "--correction is about a paired test"),
        (f"ref1.de -i {A} {B} --paired ar --docids few", 1, "few has 1 line, the systems have 80 segments"),
        (f"ref1.de -i {A} {B} --breakdown few", 1, "few has 1 line, the systems have 80 segments"),
        (
            f"ref1.de -i {A} {B} {C} --paired ar --runs 2",
            1,
            "--runs is 2, and 3 files are not a whole number of systems",
        ),
        (f"ref1.de -i {A} {B} --paired ar --external X=few", 2, "--external X has 1 file, expected 2"),
        (
            f"ref1.de -i {A} {B} --paired ar --external X=few,few",
            1,
            "few has scores of 1 item, the systems have 80 segments",
        ),
        (
            f"ref1.de -i {A} {B} --paired ar --external X=nan,nan",
            1,
            "nan, line 3: the score is 'nan', expected a number; if scores may be missing, say so with --missing pairs",
        ),
        (f"ref1.de -i {A} {B} --paired ar --external X", 2, "--external is 'X', expected NAME=FILE,..."),
        (
            f"ref1.de -i {A} {B} --paired ar --lower-is-better X",
            2,
            "--lower-is-better is about the scores of --external",
        ),
        (f"ref1.de -i {A} {B} --paired ar --external X=f,f --lower-is-better Y", 2, "there are no scores called Y"),
        (f"ref1.de -i {A} {B} --paired ar --external X[higher]=f,f --lower-is-better X", 2, "better both ways"),
        (f"ref1.de -i {A} {B} -sl --external X=nan,nan", 2, "leave out --sentence-level"),
        (f"ref1.de -i {A} {B} --paired ar -ci", 2, "--paired ar shows them with --paired-ar-confidence-n 0"),
        (f"ref1.de -i {A} {B} --paired sign -ci", 2, "--paired sign shows them with --paired-ar-confidence-n 0"),
        (
            f"ref1.de -i {A} {B} --paired bs -ci",
            2,
            "--confidence is for single systems; --paired bs has its own",
        ),
        ("one -i one two --paired ar", 1, "there is 1 segment, and resampling needs at least 2"),
    ],
)
def test_mistakes(files: Files, words: str, code: int, message: str) -> None:
    files.write("few", "1\n")
    files.write("nan", "1\n2\nnan\n" + "3\n" * 77)
    files.write("one", "a b c d\n")
    files.write("two", "a b c e\n")
    run = files.ours(*words.split())
    assert (code, "") == (run.code, run.out)
    assert message in run.err and run.err.count("truebleu: ") <= 2


@pytest.mark.parametrize("test", ["ar", "sign"])
def test_the_intervals_of_a_test_are_shown_as_the_message_about_confidence_says(files: Files, test: str) -> None:
    words = ("ref1.de", "-i", A, B, "--paired", test, "-pan", "50")
    # Tests that sacreBLEU does not have show them unasked.
    assert ("95% CI" in files.ours(*words).out) == (test == "sign")
    refused = files.ours(*words, "--confidence")
    advice = refused.err.split("shows them with ")[1].split("\n")[0].split()
    shown = files.ours(*words, *advice)
    assert (0, 1) == (shown.code, shown.out.count("95% CI"))


def test_seed_zero_is_a_seed(files: Files) -> None:
    words = (*ALL, "--paired", "bs", "-pbsn", "100")
    assert files.ours(*words, SACREBLEU_SEED="0").out == files.ours(*words, SACREBLEU_SEED="0").out
    assert "seed:0" in files.ours(*words, SACREBLEU_SEED="0").out
    assert 2 == files.ours(*words, SACREBLEU_SEED="x").code


@pytest.mark.parametrize("format", ["text", "markdown", "rst"])
def test_a_ranking_tells_its_trials_and_the_smallest_p_value(files: Files, format: str) -> None:
    run = files.ours(*ALL, "--paired-all", "--paired", "bs2", "--correction", "holm", "-f", format)
    assert "Two-sided paired bootstrap test with 20000 resampling trials" in run.out
    assert f"With 20000 trials, the smallest p-value that a pair can have is {3 / 20_001:.4g}." in run.out
    assert "no difference can be significant" not in run.err


def test_too_few_trials_are_warned_of_once_with_their_numbers(files: Files) -> None:
    words = (*ALL, "--paired-all", "--correction", "holm", "--paired-n", "50", "-m", "bleu", "chrf", "-f", "json")
    run = files.ours(*words)
    found = json.loads(run.out)
    assert (50, 3 / 51) == (found["n_samples"], found["smallest_p_value"])
    assert not any(pair["significant"] for metric in found["metrics"] for pair in metric["pairs"])
    assert [
        "truebleu: with 50 trials the smallest p-value of 3 pairs, corrected after holm, is 0.05882, above the level "
        "0.05: no difference can be significant; give 60 trials or more"
    ] == [line for line in run.err.splitlines() if "significant" in line]


def test_a_test_against_a_baseline_tells_the_smallest_p_value_unless_it_is_sacrebleu_s(files: Files) -> None:
    words = (*ALL, "--paired", "bs2", "--correction", "holm")
    assert f"the smallest p-value that a system can have is {2 / 20_001:.4g}." in files.ours(*words).out
    assert [2 / 20_001] * 3 == [one["smallest_p_value"] for one in json.loads(files.ours(*words, "-f", "json").out)]
    assert "bootstrap resamples: 20000" in files.ours(*words, "--report").out
    theirs = files.ours(*ALL, "--paired", "bs", "-pbsn", "15")
    assert "smallest" not in theirs.out
    assert "with 15 trials the smallest p-value of 1 pair is 0.0625" in theirs.err
