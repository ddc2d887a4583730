"""What systems are called: people read base names, programs whole paths (COMPATIBILITY 26)."""

import csv
import io
import json

import pytest

from cli.conftest import Files
from truebleu.cli.inputs import short_names


@pytest.fixture
def runs(files: Files) -> Files:
    for folder, system in (("runs/a", "atlas.de"), ("runs/b", "birch.de"), ("runs/b", "cedar.de")):
        (files.folder / folder).mkdir(parents=True, exist_ok=True)
        name = "out.de" if system != "cedar.de" else "cedar.de"
        (files.folder / folder / name).write_bytes((files.folder / system).read_bytes())
    return files


ALL = ("runs/a/out.de", "runs/b/out.de", "runs/b/cedar.de")


@pytest.mark.parametrize("words", [(), ("--paired-ar", "--paired-ar-n", "20")])
def test_26_names_of_systems_in_tables(runs: Files, words: tuple[str, ...]) -> None:
    words = ("ref1.de", "-i", *ALL, *words)
    theirs, ours = runs.theirs(*words, "-f", "text").out, runs.ours(*words, "-f", "text").out
    assert all(f" {path} " in theirs and f" {path} " not in ours for path in ALL)
    assert all(f" {name} " in ours for name in ("a/out.de", "b/out.de", "cedar.de"))
    assert runs.theirs(*words, "-f", "json").out == runs.ours(*words, "-f", "sacrebleu-json").out


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        (["runs/a/out.txt", "x/new.txt.gz"], ["out.txt", "new.txt.gz"]),
        (["runs/a/out.txt", "runs/b/out.txt", "runs/b/y"], ["a/out.txt", "b/out.txt", "y"]),
        (["x/a/out", "y/a/out", "y/b/out"], ["x/a/out", "y/a/out", "b/out"]),
        (["out", "a/out", "./out"], ["out", "a/out", "./out"]),
        (["/out", "out"], ["/out", "out"]),
    ],
)
def test_names_are_as_long_as_needed_to_tell_two_apart(paths: list[str], names: list[str]) -> None:
    assert names == list(short_names(paths).values())


@pytest.mark.parametrize("words", [(), ("--paired", "bs", "--paired-n", "20"), ("--paired-all", "--paired-n", "20")])
def test_tables_have_base_names_and_data_have_paths(runs: Files, words: tuple[str, ...]) -> None:
    words = ("ref1.de", "-i", *ALL, *words)
    for format in ("text", "markdown", "latex", "rst", "html"):
        out = runs.ours(*words, "-f", format).out
        assert all(name in out for name in ("a/out.de", "b/out.de", "cedar.de"))
        assert "runs/" not in out
    for format, delimiter in (("csv", ","), ("tsv", "\t")):
        rows = list(csv.DictReader(io.StringIO(runs.ours(*words, "-f", format).out), delimiter=delimiter))
        assert {row["system"] for row in rows} <= set(ALL) and len(rows) == 3
    objects = [json.loads(line) for line in runs.ours(*words, "-f", "jsonl").out.splitlines()]
    assert {fields["system"] for fields in objects} <= set(ALL)
    found = json.loads(runs.ours(*words, "-f", "json").out)
    systems = found["systems"] if "--paired-all" in words else [fields["system"] for fields in found]
    assert list(ALL) == systems


def test_clusters_and_winners_of_a_ranking_are_paths_too(runs: Files) -> None:
    found = json.loads(runs.ours("ref1.de", "-i", *ALL, "--paired-all", "--paired-n", "200", "-f", "json").out)
    (metric,) = found["metrics"]
    assert set(ALL) == {name for cluster in metric["clusters"] for name in cluster}
    assert set(ALL) == {system["name"] for system in metric["systems"]}
    assert {pair["winner"] for pair in metric["pairs"]} <= {None, *ALL}
    assert {pair["baseline"] for pair in metric["pairs"]} == set(ALL[:2])


def test_runs_are_counted_in_tables_only(runs: Files) -> None:
    words = ("ref1.de", "-i", *ALL, "ref2.de", "--runs", "2", "--paired", "bs2", "--paired-n", "20")
    out = runs.ours(*words).out
    assert "Baseline: a/out.de (2 runs)" in out and "cedar.de (2 runs)" in out
    assert [ALL[0], ALL[2]] == [fields["system"] for fields in json.loads(runs.ours(*words, "-f", "json").out)]


def test_messages_have_base_names_and_errors_about_files_have_paths(runs: Files) -> None:
    (runs.folder / "runs/a/copy.de").write_bytes((runs.folder / ALL[0]).read_bytes())
    run = runs.ours("ref1.de", "-i", ALL[0], "runs/a/copy.de", "--paired", "ar", "--paired-n", "20", "-q")
    assert "truebleu: 'copy.de' has the same bleu statistics as the baseline 'out.de': p = 1\n" == run.err
    (runs.folder / "runs/a/short.de").write_text("eins\n")
    assert "runs/a/short.de has 1 line, the reference" in runs.ours("ref1.de", "-i", "runs/a/short.de").err
    assert "runs/a/out.de is given twice" in runs.ours("ref1.de", "-i", ALL[0], ALL[0]).err


def test_fields_of_a_file_are_named_after_it(runs: Files) -> None:
    (runs.folder / "runs/some.jsonl").write_text('{"x": "a b", "y/z": "a c"}\n{"x": "d e", "y/z": "d e"}\n')
    (runs.folder / "two.ref").write_text("a b\nd e\n")
    words = ("two.ref", "-i", "runs/some.jsonl", "--hyp-field", "x", "y/z")
    out = runs.ours(*words).out
    assert " some.jsonl:x " in out and " some.jsonl:y/z " in out
    found = json.loads(runs.ours(*words, "-f", "json").out)
    assert ["runs/some.jsonl:x", "runs/some.jsonl:y/z"] == [fields["system"] for fields in found]
