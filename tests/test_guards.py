"""The tools that measure the tests: coverage and mutants; and files that are left open, by us or by the oracle."""

import ast
import gzip
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import measure_coverage
import mutants
from conftest import REPOSITORY
from oracle import files

pytestmark = pytest.mark.guard

SOURCE = """//! A metric.

impl Formula for Metric {
    fn score(&self, totals: &[f64]) -> f64 {
        // a + b is no code
        if totals[0] > 0.0 { 100.0 * totals[1] / totals[0] } else { 0.0 }
    }
}

fn is_empty(row: &[f64]) -> bool {
    row.len() == 0
}

#[cfg(test)]
mod tests {
    #[test]
    fn nothing() {
        assert!(1.0 + 1.0 == 2.0);
    }
}
"""


def exit_of(main: object, words: list[str], monkeypatch: pytest.MonkeyPatch) -> object:
    monkeypatch.setattr(sys, "argv", ["tool", *words])
    with pytest.raises(SystemExit) as caught:
        main()  # type: ignore[operator]
    return caught.value.code


def test_lines_of_tests_do_not_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "metric.rs"
    path.write_text(SOURCE, "utf-8")
    (tmp_path / "naive.rs").write_text("fn f() {}\n", "utf-8")
    record = "SF:{}\nDA:4,2\nDA:6,2\nDA:10,0\nDA:11,0\nDA:16,1\nDA:18,1\nend_of_record\n"
    counts = measure_coverage.counted_lines(record.format(path) + record.format(tmp_path / "naive.rs"))
    assert {path: {4: 2, 6: 2, 10: 0, 11: 0}} == counts
    monkeypatch.setattr(measure_coverage, "CORE", tmp_path)
    assert 50 == measure_coverage.share_of(counts, show_lines=True)
    assert "metric.rs" in (shown := capsys.readouterr().out)
    assert shown.rstrip().endswith("4 lines,    2 not run  10, 11")


def test_counters_that_name_no_line_are_no_full_coverage() -> None:
    with pytest.raises(measure_coverage.CoverageError, match="no line"):
        measure_coverage.share_of({}, show_lines=False)


def test_too_little_is_an_error(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(measure_coverage, "FLOORS", {"python": 90, "rust": 80})
    monkeypatch.setattr(measure_coverage, "measure_python", lambda lines: 89.99)
    monkeypatch.setattr(measure_coverage, "measure_rust", lambda lines: 80.0)
    monkeypatch.setattr(sys, "argv", ["tool"])
    assert 1 == measure_coverage.main()
    assert "89.99 % of python, and the floor is 90 %: too little\n" in (shown := capsys.readouterr().out)
    assert "80.00 % of rust, and the floor is 80 %\n" in shown
    monkeypatch.setattr(sys, "argv", ["tool", "rust"])
    assert 0 == measure_coverage.main()


def test_a_missing_tool_is_told_with_what_brings_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    said = {"--print": "/nowhere\n", "-vV": "host: x86_64-unknown-linux-gnu\nLLVM version: 7.1.2\n"}
    monkeypatch.setattr(measure_coverage, "run", lambda command, settings, trouble: said[command[1]])
    monkeypatch.setattr(sys, "argv", ["tool", "rust"])
    assert 1 == measure_coverage.main()
    assert "`rustup component add llvm-tools`, or `apt-get install llvm-7`" in capsys.readouterr().err


def test_an_unknown_language_is_told(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert 2 == exit_of(measure_coverage.main, ["cobol"], monkeypatch)
    assert "the language is 'cobol', expected python or rust" in capsys.readouterr().err


def test_a_formula_is_changed_in_one_place_at_a_time() -> None:
    score, is_empty = mutants.functions(SOURCE)
    named = (score.name, score.returns, is_empty.name, is_empty.returns)
    assert ("<Metric as Formula>::score", "f64", "is_empty", "bool") == named
    changes = [change for _, change, _ in mutants.changed(SOURCE, score)]
    line = "if totals[0] > 0.0 { 100.0 * totals[1] / totals[0] } else { 0.0 }"
    signs = ["* → /", "/ → *", "> → >=", "0.0 → 1.0", "0.0 → 1.0", "100.0 → 101.0"]
    expected = [*(f"{sign} in `{line}`" for sign in signs), "the body → { 0.0 }", "the body → { 1.0 }"]
    expected[4] += " (place 2)"
    assert expected == changes
    bodies = [body for _, _, body in mutants.changed(SOURCE, is_empty)]
    assert ["{\n    row.len() != 0\n}", "{ true }", "{ false }"] == bodies


def test_every_metric_has_mutants_with_numbers_of_their_own() -> None:
    found = list(mutants.made(mutants.FILES))
    assert list(range(1, len(found) + 1)) == [one.number for one in found]
    assert {path.name for path in mutants.FILES} == {one.file for one in found}
    assert len(found) == len({one.place for one in found})


def test_what_a_function_takes_or_returns_may_be_an_array() -> None:
    (split,) = mutants.functions("fn split(cells: [f64; 3]) -> [f64; 3] {\n    cells\n}\n")
    assert ("split", "[f64; 3]") == (split.name, split.returns)


def test_every_reason_is_that_of_a_mutant() -> None:
    places = {one.place for one in mutants.made(mutants.FILES)}
    assert [] == [place for place in mutants.EXPLAINED if place not in places]


def test_who_lives_needs_a_reason_and_who_is_killed_must_not_have_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    one, other, third = (mutants.Mutant(at, "bleu.rs", at, "score", f"{at} → 0", "") for at in (1, 2, 3))
    monkeypatch.setattr(mutants, "EXPLAINED", {one.place: "Nothing shows it."})
    assert 0 == mutants.verdict([one, other], [one], ["bleu"])
    assert "Nothing shows it." in capsys.readouterr().out
    assert 1 == mutants.verdict([one, other], [one, other], ["bleu"])
    assert "2 of 2 live, 1 without a reason; 0 reasons are stale" in capsys.readouterr().out
    assert 1 == mutants.verdict([one, other], [], ["bleu"])
    assert "stale: bleu.rs score 1 → 0: is killed" in capsys.readouterr().out
    assert 1 == mutants.verdict([third], [], ["bleu"])
    assert "stale: bleu.rs score 1 → 0: is no mutant" in capsys.readouterr().out
    assert 0 == mutants.verdict([third], [], ["chrf"]), "the reasons of other files are not asked"


def test_an_unknown_metric_is_told(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert 2 == exit_of(mutants.main, ["--files", "blue"], monkeypatch)
    assert "there is no metric 'blue', only bleu, chrf, " in capsys.readouterr().err


def test_the_compiler_names_the_mutants_that_it_refuses() -> None:
    spans = [{"file_name": "src/metrics/bleu.rs", "line_start": 12}, {"file_name": "src/lib.rs", "line_start": 12}]
    messages = [{"message": {"level": "error", "spans": spans}}, {"reason": "build-finished"}]
    assert {7} == mutants.broken(messages, {("bleu.rs", 12): 7, ("bleu.rs", 13): 8})


def test_a_judge_that_fails_or_does_not_end_has_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    one = mutants.Mutant(5, "bleu.rs", 1, "score", "", "")
    says = "import os; raise SystemExit(os.environ['TRUEBLEU_MUTANT'] != '{}')"
    assert mutants.survives([sys.executable, "-c", says.format(5)], one)
    assert not mutants.survives([sys.executable, "-c", says.format(6)], one)
    monkeypatch.setattr(mutants, "SECONDS", 1)
    assert not mutants.survives([sys.executable, "-c", "import time; time.sleep(60)"], one)


def test_every_metric_has_judges_of_python() -> None:
    assert [path.stem for path in mutants.FILES] == sorted(mutants.JUDGES)
    named = {name for names in mutants.JUDGES.values() for name in names.split()}
    assert [] == [name for name in named if not (REPOSITORY / "tests" / f"{name}.py").is_file()]


@pytest.mark.parametrize(
    "words",
    [
        "ref.txt -i a.txt b.txt.gz -m bleu chrf ter --paired ar",
        "-t demo -l en-de -i atlas -f json",
        "ref.jsonl -i a.jsonl --ref-field text --hyp-field text",
        "report ref.txt -i a.txt b.txt.gz -o page.html",
        "receipt make ref.txt -i a.txt",
        "doctor ref.txt -i a.txt --fail-on never",
        "sign-test -r ref.txt -t ref.txt -b a.txt",
        "data list",
    ],
)
def test_no_file_is_left_open(words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    lines = "".join(f"The ferry number {at} left at noon.\n" for at in range(30))
    (tmp_path / "ref.txt").write_text(lines)
    (tmp_path / "a.txt").write_text(lines.replace("left", "sailed"))
    (tmp_path / "b.txt.gz").write_bytes(gzip.compress(lines.replace("noon", "night").encode()))
    for name in ("ref", "a"):
        texts = (tmp_path / f"{name}.txt").read_text().splitlines()
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    command = [sys.executable, "-X", "dev", "-W", "always::ResourceWarning", "-m", "truebleu", *words.split()]
    done = subprocess.run(command, capture_output=True, encoding="utf-8")
    assert 0 == done.returncode, done.stderr
    assert "ResourceWarning" not in done.stderr


def test_a_file_that_is_left_open_fails_a_test(tmp_path: Path) -> None:
    path = tmp_path / "test_leak.py"
    path.write_text("def test_leak():\n    open(__file__)\n", "utf-8")
    command = ["-m", "pytest", "-c", str(REPOSITORY / "pyproject.toml"), "-p", "no:cacheprovider", str(path)]
    done = subprocess.run([sys.executable, *command], cwd=tmp_path, capture_output=True, encoding="utf-8")
    assert 1 == done.returncode, done.stdout
    assert "ResourceWarning: unclosed file" in done.stdout


def test_what_sacrebleu_leaves_open_is_closed(tmp_path: Path) -> None:
    utils = pytest.importorskip("sacrebleu.utils")
    (tmp_path / "a.txt").write_text("The ferry left.\n", "utf-8")
    (tmp_path / "b.txt.gz").write_bytes(gzip.compress(b"The heron stayed.\n"))
    streams = [utils.smart_open(str(tmp_path / name)) for name in ("a.txt", "b.txt.gz")]
    assert ["The ferry left.\n", "The heron stayed.\n"] == [next(stream) for stream in streams]
    files.close()
    assert all(stream.closed for stream in streams)


# What takes long, or is no text: whoever needs it makes it in a test, a fixture or a cached function.
MADE = ("Study", "Receipt.make", "reconcile", "diagnose", "compare", "study_page")


def run_at_import(node: ast.AST) -> Iterator[ast.AST]:
    """What of a module runs when it is imported: everything but the bodies of functions."""
    if isinstance(node, ast.FunctionDef | ast.Lambda):
        decorators = node.decorator_list if isinstance(node, ast.FunctionDef) else []
        for part in [*decorators, *node.args.defaults]:
            yield from run_at_import(part)
        return
    yield node
    for child in ast.iter_child_nodes(node):
        yield from run_at_import(child)


def made_at_import(text: str) -> list[str]:
    calls = [ast.unparse(node.func) for node in run_at_import(ast.parse(text)) if isinstance(node, ast.Call)]
    return [call for call in calls if f".{call}".endswith(tuple(f".{name}" for name in MADE))]


def test_nothing_is_made_when_a_module_of_tests_is_imported() -> None:
    """Each process of a run imports all of them before the first test."""
    folder = REPOSITORY / "tests"
    paths = [path for path in folder.rglob("*.py") if path.parent.name != "typing"]
    found = {str(path.relative_to(folder)): made_at_import(path.read_text("utf-8")) for path in paths}
    assert {} == {path: calls for path, calls in found.items() if calls}


def test_what_is_made_at_import_is_found() -> None:
    made = "X = [tb.Study({}, [])]\n@mark(compare(1))\ndef f(x=Receipt.make(2)):\n    diagnose(3)\nlambda: reconcile(4)"
    assert ["tb.Study", "compare", "Receipt.make"] == made_at_import(made)


def test_make_test_and_make_guards_are_all_tests_and_ci_runs_both() -> None:
    makefile, ci = ((REPOSITORY / name).read_text("utf-8") for name in ("Makefile", ".ci/run"))
    chosen = dict(
        re.findall(r"^(test|guards): dev\n(?:\t.*\n)*?\t\$\(BIN\)/python -m pytest -n auto (.*)$", makefile, re.M)
    )
    assert {"test": '-m "not guard"', "guards": "--dist worksteal -m guard"} == chosen
    assert "\nmake test ||" in ci and "\nmake -o dev guards ||" in ci
