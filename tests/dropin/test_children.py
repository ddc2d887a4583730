"""The face in the processes that a program starts; and its command where Python itself would fail."""

import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

COMMAND = ["-m", "truebleu.sacrebleu"]
START = Path(__file__).resolve().parents[2] / "python" / "truebleu" / "sacrebleu" / "_start"
WHOSE = "import sacrebleu; print('face' if hasattr(sacrebleu, 'truebleu_version') else 'real', flush=True)"

# Every way to start a process that does not inherit the memory of its parent.
WORKERS = """
import multiprocessing, subprocess, sys
from concurrent.futures import ProcessPoolExecutor

def whose(at):
    from sacrebleu.metrics.bleu import BLEU
    import sacrebleu
    assert sacrebleu.BLEU is BLEU
    return "face" if hasattr(sacrebleu, "truebleu_version") else "real"

if __name__ == "__main__":
    found = {}
    for method in ("spawn", "forkserver"):
        context = multiprocessing.get_context(method)
        with context.Pool(1) as pool:
            found[method] = pool.map(whose, [0])[0]
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as executor:
        found["executor"] = list(executor.map(whose, [0]))[0]
    code = "import sacrebleu; print('face' if hasattr(sacrebleu, 'truebleu_version') else 'real')"
    child = [sys.executable, "-c", "import subprocess, sys; subprocess.run([sys.executable, '-c', sys.argv[1]])", code]
    found["grandchild"] = subprocess.run(child, capture_output=True, text=True).stdout.strip()
    print(found)
"""


def run(*arguments: str, cwd: Path, stdin: str = "", **environment: str) -> "subprocess.CompletedProcess[str]":
    settings = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "TRUEBLEU_LENIENT")}
    return subprocess.run(
        [sys.executable, *arguments], input=stdin, capture_output=True, text=True, cwd=cwd, env=settings | environment
    )


def child(code: str, executable: str = "sys.executable", *options: str) -> str:
    """A program that runs another one in a process of its own."""
    return f"import subprocess, sys; subprocess.run([{executable}, *{options!r}, '-c', {code!r}], check=True)"


@pytest.mark.parametrize(("options", "whose"), [([], "face"), (["--no-children"], "real")])
def test_workers_get_the_face_unless_told_otherwise(options: list[str], whose: str, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(WORKERS, "utf-8")
    done = run(*COMMAND, *options, "program.py", cwd=tmp_path)
    expected = dict.fromkeys(("spawn", "forkserver", "executor", "grandchild"), whose)
    assert (f"{expected}\n", "") == (done.stdout, done.stderr)


def test_leniency_is_handed_on(tmp_path: Path) -> None:
    careless = "import sacrebleu; print(sacrebleu.corpus_bleu(['a', 'b'], [['a'], ['b']]).sys_len)"
    done = run(*COMMAND, "--lenient", "-c", child(careless), cwd=tmp_path)
    assert "1\n" == done.stdout and "because leniency was asked for" in done.stderr, done.stderr
    assert "LengthMismatch" in run(*COMMAND, "-c", child(careless), cwd=tmp_path).stderr


def test_truebleu_is_not_imported_before_sacrebleu_is(tmp_path: Path) -> None:
    names = "[name for name in sys.modules if name.partition('.')[0] in ('truebleu', 'sacrebleu', 'numpy')]"
    code = f"import importlib.util, sys; print({names}, importlib.util.find_spec('sacrebleu') is not None, {names})"
    done = run(*COMMAND, "-c", child(code), cwd=tmp_path)
    assert ("[] True []\n", "") == (done.stdout, done.stderr)


def test_the_file_that_it_hides_is_run(tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "sitecustomize.py").write_text("import sys; sys.hidden = __name__, __file__", "utf-8")
    (mine / "other.py").touch()
    code = (
        f"import os, other, sitecustomize, sys; print(sys.hidden == ('sitecustomize', sitecustomize.__file__)); {WHOSE}"
    )
    done = run(*COMMAND, "-c", child(code), cwd=tmp_path, PYTHONPATH=str(mine))
    assert ("True\nface\n", "") == (done.stdout, done.stderr)
    # As after a start without the face: the fault is told, and the program runs.
    (mine / "sitecustomize.py").write_text("raise RuntimeError('mine')", "utf-8")
    done = run(*COMMAND, "-c", child(WHOSE), cwd=tmp_path, PYTHONPATH=str(mine))
    assert "face\n" == done.stdout and 2 == done.stderr.count("RuntimeError: mine")


def test_the_path_of_a_program_stays_and_has_the_folder_once(tmp_path: Path) -> None:
    show = "import os; print(os.environ.get('PYTHONPATH'))"
    nested = [f"{COMMAND + options + ['-c', show]!r}" for options in ([], ["--no-children"])]
    program = "import subprocess, sys\n" + "\n".join(f"subprocess.run([sys.executable, *{one}])" for one in nested)
    done = run(*COMMAND, "-c", program, cwd=tmp_path, PYTHONPATH=f"a{os.pathsep}{os.pathsep}b")
    kept = f"a{os.pathsep}{os.pathsep}b"
    assert f"{START}{os.pathsep}{kept}\n{kept}\n" == done.stdout, done.stderr
    assert f"{START}\nNone\n" == run(*COMMAND, "-c", program, cwd=tmp_path).stdout


def test_two_installations_on_one_path_do_not_run_each_other_for_ever(tmp_path: Path) -> None:
    other = shutil.copytree(START, tmp_path / "other")
    for paths in ((START, other), (other, START), (START, START)):
        done = run("-c", WHOSE, cwd=tmp_path, PYTHONPATH=os.pathsep.join(map(str, paths)))
        assert ("face\n", "") == (done.stdout, done.stderr)


def test_an_interpreter_without_truebleu_is_not_disturbed(tmp_path: Path) -> None:
    venv.create(tmp_path / "bare", with_pip=False)
    bare = repr(str(next((tmp_path / "bare").glob("[bS]*/python*"))))
    absent = run(*COMMAND, "-c", child(WHOSE, bare), cwd=tmp_path)
    assert "ModuleNotFoundError: No module named 'sacrebleu'" in absent.stderr
    quiet = run(*COMMAND, "-c", child("import sys; print(len(sys.meta_path))", bare), cwd=tmp_path)
    assert ("4\n", "") == (quiet.stdout, quiet.stderr)
    (tmp_path / "sacrebleu.py").touch()
    without = run(*COMMAND, "-c", child(WHOSE, bare), cwd=tmp_path)
    assert "real\n" == without.stdout
    assert "<string>:1: RuntimeWarning: " in without.stderr
    assert "a program that runs on truebleu.sacrebleu, and gets sacreBLEU itself: it has no truebleu" in without.stderr


def test_a_truebleu_that_cannot_be_imported_does_not_disturb(tmp_path: Path) -> None:
    (tmp_path / "truebleu.py").write_text("raise TypeError('too new')", "utf-8")
    broken = run("-c", WHOSE, cwd=tmp_path, PYTHONPATH=str(START))
    assert "real\n" == broken.stdout and "truebleu cannot be imported (TypeError('too new'))" in broken.stderr


@pytest.mark.parametrize("option", ["-E", "-I", "-S"])
def test_processes_that_ignore_the_environment_are_spoken_of(option: str, tmp_path: Path) -> None:
    if option != "-S":  # which has no site-packages, and so no truebleu
        done = run(option, *COMMAND, "-c", "print('runs')", cwd=tmp_path)
        assert "runs\n" == done.stdout and "Python was started with -E, -I or -S" in done.stderr
        assert "" == run(option, *COMMAND, "--no-children", "-c", "", cwd=tmp_path).stderr
    count = "import sys; print(len(sys.meta_path))"
    plain = run(option, "-c", count, cwd=tmp_path)
    done = run(*COMMAND, "-c", child(count, "sys.executable", option), cwd=tmp_path)
    assert (plain.stdout, "") == (done.stdout, done.stderr)


ABOUT = "import sys; print(sys.argv, sys.path[0], __name__, sorted(vars()))"


@pytest.mark.parametrize(
    "arguments",
    [
        ["-c", ABOUT, "x", "-c"],
        ["-", "x", "-"],
        ["program.py", "-x"],
        ["folder", "x"],
        ["-c", "import sys; sys.exit(7)"],
        ["missing.py"],
        ["missing/program.py", "x"],
        ["program.py/x"],
        ["empty"],
        ["-m", "missing"],
        ["-m", "missing.part"],
        ["-m", "json"],
    ],
)
@pytest.mark.parametrize("options", [[], ["-P"]])
def test_programs_start_and_fail_as_under_python(arguments: list[str], options: list[str], tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text("import sys; print(sys.argv, sys.path[0], __file__)", "utf-8")
    (tmp_path / "folder").mkdir()
    (tmp_path / "empty").mkdir()
    (tmp_path / "folder" / "__main__.py").write_text("import sys; print(sys.argv, sys.path[:2], __file__)", "utf-8")
    expected, actual = (run(*options, *how, *arguments, cwd=tmp_path, stdin=ABOUT) for how in ([], COMMAND))
    without = "'__annotations__', ", "'__builtins__', ", "'__cached__', "
    shown = [done.stdout for done in (expected, actual)]
    for name in without:
        shown = [text.replace(name, "") for text in shown]
    assert (shown[0], expected.stderr, expected.returncode) == (shown[1], actual.stderr, actual.returncode)


def test_a_fault_of_the_program_is_a_fault(tmp_path: Path) -> None:
    done = run(*COMMAND, "-c", "import missing", cwd=tmp_path)
    assert 1 == done.returncode and done.stderr.endswith("ModuleNotFoundError: No module named 'missing'\n")
    for given in ([], ["-c"], ["-m"], ["--lenient"], ["--help"]):
        done = run(*COMMAND, *given, cwd=tmp_path)
        assert 1 == done.returncode and "-c COMMAND ARGUMENTS" in done.stderr
