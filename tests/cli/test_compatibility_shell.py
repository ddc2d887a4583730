"""Entries of COMPATIBILITY.md on names, formats and what is not done on the command line, from both sides."""

from cli.conftest import SYSTEMS, Files, as_sacrebleu

A, B, C = (f"{name}.de" for name in SYSTEMS)


def test_76_control_characters_in_names(files: Files) -> None:
    files.write("a\x07b", (files.folder / A).read_bytes())
    words = ("ref1.de", "-i", "a\x07b", B, "-f", "text")
    assert "a\x07b" in files.theirs(*words, SACREBLEU_FORMAT="text").out
    ours = files.ours(*words).out
    assert "\x07" not in ours and "a\\x07b" in ours
    words = ("ref1.de", "-i", A, "--a\x07b")
    assert "--a\x07b" in files.theirs_now(*words).err
    assert "--a\\x07b" in files.ours(*words).err


def test_77_short_signatures_in_latex(files: Files) -> None:
    words = ("ref1.de", "-i", A, B, "-sh", "-f", "latex")
    theirs, ours = files.theirs(*words).out, as_sacrebleu(files.ours(*words).out)
    assert " - BLEU       #:1|" in theirs
    assert theirs.replace("#", "\\#") == ours


def test_78_a_test_set_named_twice(files: Files) -> None:
    """sacreBLEU's sets need the network, so its side is in words."""
    run = files.ours("-t", "demo,demo", "-l", "en-de", "-i", A)
    assert 2 == run.code and "--test-set names demo twice" in run.err


def test_79_an_unknown_format_in_the_variable(files: Files) -> None:
    words = ("ref1.de", "-i", A, "-f", "text")
    assert files.theirs(*words).out == files.theirs(*words, SACREBLEU_FORMAT="yaml").out
    assert 2 == files.ours(*words, SACREBLEU_FORMAT="yaml").code


def test_80_fewer_than_no_resamples(files: Files) -> None:
    words = ("ref1.de", "-i", A, B, "-f", "text", "--paired-bs", "--paired-bs-n", "-5")
    assert "|bs:1000|" in files.theirs(*words).out
    assert 2 == files.ours(*words).code
    single = ("ref1.de", "-i", A, "-f", "text", "-ci", "-cin", "0")
    assert "μ" not in files.theirs(*single).out
    assert 2 == files.ours(*single).code


def test_100_a_receipt_after_i(files: Files) -> None:
    files.write("one.receipt.json", "a b c d\n")
    files.write("one.ref", "a b c d\n")
    assert 0 == files.theirs("one.ref", "-i", "one.receipt.json").code
    ours = files.ours("one.ref", "-i", "one.receipt.json")
    assert 1 == ours.code and "does not begin like a receipt" in ours.err


def test_87_only_scores_of_a_paired_test(files: Files) -> None:
    words = ("ref1.de", "-i", A, B, "-f", "text", "--paired-bs", "--paired-bs-n", "20")
    assert files.theirs(*words).out == files.theirs(*words, "-b").out
    whole, alone = files.ours(*words).out, files.ours(*words, "-b").out
    assert whole.startswith(alone + "\n---") and alone.endswith("╛\n")


def test_130_a_file_with_the_name_of_a_command(files: Files) -> None:
    files.write("report", (files.folder / "ref1.de").read_bytes())
    try:
        theirs, ours = (run("report", "-i", A, "-f", "text") for run in (files.theirs, files.ours))
        same = files.ours("./report", "-i", A, "-f", "text")
    finally:
        (files.folder / "report").unlink()
    assert (0, 2) == (theirs.code, ours.code)
    assert ours.err.endswith("; for the file write ./report\n")
    assert theirs.out == as_sacrebleu(same.out)


def test_156_a_flag_without_an_effect(files: Files) -> None:
    words = ("ref1.de", "-i", A, "-f", "text")
    for idle in (("-cin", "10"), ("--chrf-beta", "3")):
        assert files.theirs(*words).out == files.theirs(*words, *idle).out
        run = files.ours(*words, *idle)
        assert (0, files.ours(*words).out) == (run.code, run.out) and "has no effect: it goes with" in run.err
    assert 2 == files.ours(*words, "--runs", "2").code


def test_155_lists_add_up(files: Files) -> None:
    words = ("ref1.de", "-i", A, "-i", B, "-m", "bleu", "-m", "chrf", "-f", "text")
    assert files.theirs(*words).out == files.theirs("ref1.de", "-i", B, "-m", "chrf", "-f", "text").out
    assert files.ours(*words).out == files.ours("ref1.de", "-i", A, B, "-m", "bleu", "chrf").out


def test_157_decimals_that_a_score_does_not_have(files: Files) -> None:
    words = ("ref1.de", "-i", A, "-f", "text", "-b", "-w")
    assert 40 == len(files.theirs(*words, "40").out.strip().partition(".")[2])
    for width in ("40", "-1"):
        run = files.ours(*words, width)
        assert 2 == run.code and f"--width is {width}, expected a number from 0 to 20" in run.err
    assert files.theirs(*words, "20").out == files.ours(*words, "20").out


def test_159_a_file_for_scores(files: Files) -> None:
    words = ("ref1.de", "-i", A, "-o", "out.json")
    assert "Filtering for --origlang or --subset needs a test" in files.theirs_now(*words).err
    run = files.ours(*words)
    assert 2 == run.code and "unrecognized arguments: -o out.json; scores go to standard output" in run.err
    assert not (files.folder / "out.json").exists()


def test_310_a_file_of_records_alone(files: Files) -> None:
    records = '{"mt": "a b c d", "ref": "a b c d"}\n'
    for name, content in (("one.jsonl", records), ("one.tsv", "mt\tref\na b c d\ta b c d\n")):
        files.write(name, content)
        words, stdin = (name, "-b", "-f", "text"), content.replace("\t", " ")
        theirs = files.theirs_now(*words, stdin=stdin)
        assert (0, "100.0\n", True) == (*files.ours(*words)[:2], "100.0" in theirs.out)
        assert "fields taken by their names" in files.ours(*words, stdin=stdin).err
        plain = files.ours(*words, "--fields-format", "text", stdin=stdin)
        assert (theirs.out, False) == (plain.out, "fields taken" in plain.err)
    files.write("two.tsv", "one\tline\nanother\n")  # no header of ours
    words = ("two.tsv", "-b", "-f", "text")
    assert (
        files.theirs_now(*words, stdin="one line\nanother\n").out == files.ours(*words, stdin="one line\nanother\n").out
    )
