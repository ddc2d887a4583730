"""Change the formulas of the metrics one small thing at a time, and see whether a test notices.

A tool that builds each mutant anew spends hours on building. Here all mutants are in one program: a function becomes a
choice among copies of its body, each with one change, and the variable ``TRUEBLEU_MUTANT`` says which of them runs. So
the program is built once, and a mutant costs a run of the tests.

The tests of the core are the judge. With ``--python``, who survives them meets the tests of Python, too, which hold the
numbers against sacreBLEU, NLTK, rouge-score and jiwer. Everything happens in a copy, ``target/mutants``.

Who lives needs a test, or an entry in ``tools/mutants.toml`` that says why no result can show the change. The exit code
is 1 if one has neither, or if an entry is no longer true.
"""

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
COPY = REPOSITORY / "target" / "mutants"
TOUR = REPOSITORY / "crates/core/src/lib.rs"
FILES = sorted(path for path in (REPOSITORY / "crates/core/src/metrics").glob("*.rs") if path.stem != "tests")

# What becomes what. Spaces tell an operator from a generic or a reference, for rustfmt puts them around it.
CHANGES = [
    (r" \+ ", " - "), (r" - ", " + "), (r" \* ", " / "), (r" / ", " * "), (r" \+= ", " -= "), (r" \*= ", " /= "),
    (r" == ", " != "), (r" != ", " == "), (r" < ", " <= "), (r" <= ", " < "), (r" > ", " >= "), (r" >= ", " > "),
    (r" && ", " || "), (r" \|\| ", " && "), (r"\.min\(", ".max("), (r"\.max\(", ".min("),
    (r"(?<=[ (])!(?=[a-z(])", ""), (r"\b0\.0\b", "1.0"), (r"\b1\.0\b", "2.0"), (r"\b2\.0\b", "3.0"),
    (r"\b100\.0\b", "101.0"), (r"\.saturating_sub\(", ".saturating_add("),
]  # fmt: skip
BODIES = {"f64": ["0.0", "1.0"], "bool": ["true", "false"], "usize": ["0", "1"], "": [""]}

# The tests of Python that hold a metric to its oracle, the quickest first.
_EVERY = "parity/test_golden"
JUDGES = {
    "bleu": f"{_EVERY} metrics/test_bleu_methods metrics/test_bleu_sums parity/test_bleu dialects/test_nltk",
    "chrf": f"{_EVERY} parity/test_chrf dialects/test_nltk",
    "fast_bleu": "test_self_bleu",
    "gleu": "metrics/test_gleu dialects/test_nltk",
    "mean": "metrics/test_rouge metrics/test_similarity",
    "meteor": "metrics/test_meteor",
    "nist": "dialects/test_nltk",
    "rouge": "metrics/test_rouge dialects/test_rouge_score",
    "similarity": "metrics/test_wer",
    "squad": "metrics/test_similarity",
    "tally": "metrics/test_similarity metrics/test_wer",
    "ter": f"{_EVERY} parity/test_ter",
    "terms": "metrics/test_terms",
    "wer": "metrics/test_wer dialects/test_jiwer",
}

# Who may live, and why: no result can show the change.
REASONS = REPOSITORY / "tools" / "mutants.toml"
EXPLAINED: dict[tuple[str, str, str], str] = {
    (one["file"], one["function"], one["change"]): one["why"]
    for one in tomllib.loads(REASONS.read_text("utf-8"))["lives"]
}

# Tests that take longer have noticed.
SECONDS = 300

# The tests of the core that know metrics. Those of matrices take seconds: only who survives the others meets them.
TESTS = ["metrics::", "matrix::tests"]

_FUNCTION = re.compile(r"^( *)(?:pub(?:\(\w+\))? )?fn (\w+)", re.MULTILINE)
_HEAD = re.compile(r"(?:\[[^]]*\]|[^;{])*?(?:-> ((?:\[[^]]*\]|[^;{])+?) )?\{\n")
_OWNER = re.compile(r"^impl(?:<[^>]*>)? (?:(\w+) for )?(\w+)", re.MULTILINE)
_TESTS = re.compile(r"^#\[cfg\(test\)\]\nmod tests \{", re.MULTILINE)
# Not part of any formula: names of options, and what a matrix is made from.
_NOT_FORMULAS = {"from_name", "index", "index_of_hypotheses", "index_of_mean"}


@dataclass(frozen=True)
class Mutant:
    """One change: its number, where it is, and the body of the function with it."""

    number: int
    file: str
    line: int
    function: str
    change: str
    body: str

    @property
    def place(self) -> tuple[str, str, str]:
        """The file, the function and the change: what stays when lines move."""
        return self.file, self.function, self.change


@dataclass(frozen=True)
class Function:
    """A function of a file: its name (after that of its type), what it returns, and where its body is, with braces."""

    name: str
    returns: str
    start: int
    end: int


def main() -> int:
    """Make the mutants, judge them, and name those that live."""
    parser = argparse.ArgumentParser(description="change the formulas one thing at a time, and run the tests")
    parser.add_argument("--files", nargs="*", default=[path.stem for path in FILES], help="metrics; all unless named")
    parser.add_argument("--list", action="store_true", help="name the mutants, and judge none")
    parser.add_argument("--python", action="store_true", help="let the tests of Python judge those that live, too")
    parser.add_argument("--fork", nargs="+", metavar="TEST", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.fork:
        judge_in_forks(given.fork)
        return 0
    known = [path.stem for path in FILES]
    if unknown := [name for name in given.files if name not in known]:
        parser.error(f"there is no metric {unknown[0]!r}, only {', '.join(known)}")
    mutants = list(made([path for path in FILES if path.stem in given.files]))
    if given.list:
        for one in mutants:
            print(f"{one.number:4} {one.file}:{one.line} {one.function}: {one.change}")
        return 0
    mutants, program = built(mutants)
    print(f"{len(mutants)} mutants that compile", flush=True)
    living = mutants
    for tests in TESTS:
        living = [one for one in living if survives([program, "--quiet", tests], one)]
    print(f"{len(mutants) - len(living)} killed by the tests of the core", flush=True)
    if given.python:
        living = judged_by_python(living)
        print(f"{len(mutants) - len(living)} killed in all", flush=True)
    return verdict(mutants, living, given.files)


def verdict(mutants: list[Mutant], living: list[Mutant], metrics: list[str]) -> int:
    """Name those that live, with the reason if there is one, and the reasons that are not true: the exit code.

    Parameters
    ----------
    mutants
        All that were judged.
    living
        Those that no test noticed.
    metrics
        The names of the files that they are from.
    """
    for one in living:
        print(f"lives: {one.number} {one.file}:{one.line} {one.function}: {one.change}")
        print(f"       {EXPLAINED.get(one.place, 'NO TEST NOTICES, AND NO REASON IS GIVEN')}")
    places = {one.place for one in living}
    stale = [place for place in EXPLAINED if Path(place[0]).stem in metrics and place not in places]
    for place in stale:
        what = "is killed" if place in {one.place for one in mutants} else "is no mutant"
        print(f"stale: {' '.join(place)}: {what}, so its entry in {REASONS.name} must go")
    unexplained = len(places - EXPLAINED.keys())
    print(f"{len(living)} of {len(mutants)} live, {unexplained} without a reason; {len(stale)} reasons are stale")
    return int(unexplained > 0 or len(stale) > 0)


def judged_by_python(living: list[Mutant]) -> list[Mutant]:
    """Let the tests of Python judge, those of the mutant's metric: who survives them, too.

    Parameters
    ----------
    living
        Who has survived so far.
    """
    settings = {**os.environ, "PYTHONPATH": str(extension()), "TRUEBLEU_TEST_CASES": "60"}
    survivors = []
    for name in sorted({one.file for one in living}):
        tests = [f"tests/{test}.py" for test in JUDGES[Path(name).stem].split()]
        own = {str(one.number): one for one in living if one.file == name}
        command = [sys.executable, __file__, "--fork", *tests]
        words = " ".join(["0", *own])
        done = subprocess.run(command, cwd=REPOSITORY, env=settings, input=words, stdout=subprocess.PIPE, text=True)
        passed = done.stdout.split()
        if done.returncode or "0" not in passed:
            raise SystemExit(f"the tests of Python fail without any change: {' '.join(tests)}")
        survivors += [one for number, one in own.items() if number in passed]
        print(f"{name}: {len(own) - len(passed) + 1} of {len(own)} killed by the tests of Python", flush=True)
    return survivors


def judge_in_forks(tests: list[str]) -> None:
    """Run tests once for each number that is read, in a process that begins with all packages loaded.

    The numbers that pass are written. Loading takes several times as long as the tests that kill.

    Parameters
    ----------
    tests
        Files of tests.
    """
    import hypothesis  # noqa: F401
    import jiwer  # noqa: F401
    import nltk.translate  # noqa: F401
    import numpy  # noqa: F401
    import pytest
    import rouge_score.rouge_scorer  # noqa: F401
    import sacrebleu  # noqa: F401

    import truebleu.metrics  # noqa: F401

    for number in sys.stdin.read().split():
        child = os.fork()
        if not child:
            os.environ["TRUEBLEU_MUTANT"] = number
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, 1)
            os.dup2(nowhere, 2)
            signal.alarm(SECONDS)
            os._exit(pytest.main(["-x", "-q", "-n", "0", "-p", "no:cacheprovider", *tests]))
        if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0:
            print(number, flush=True)


def made(files: list[Path]) -> Iterator[Mutant]:
    """Make all mutants of some files.

    Parameters
    ----------
    files
        Sources of the core.
    """
    number = 0
    for path in files:
        text = path.read_text("utf-8")
        for function in functions(text):
            for line, change, body in changed(text, function):
                number += 1
                yield Mutant(number, path.name, line, function.name, change, body)


def functions(text: str) -> Iterator[Function]:
    """Find the functions with a body that hold a formula; those of tests are left out.

    Parameters
    ----------
    text
        A source.
    """
    tests = _TESTS.search(text)
    for found in _FUNCTION.finditer(text, 0, tests.start() if tests else len(text)):
        indent, name = found[1], found[2]
        head = _HEAD.match(text, found.end())
        if head is None or name in _NOT_FORMULAS:
            continue
        end = text.index(f"\n{indent}}}\n", head.end() - 1) + len(indent) + 2
        if indent:
            trait, owner = [one.groups() for one in _OWNER.finditer(text, 0, found.start())][-1]
            name = f"<{owner} as {trait}>::{name}" if trait else f"{owner}::{name}"
        yield Function(name, head[1] or "", head.end() - 2, end)


def changed(text: str, function: Function) -> Iterator[tuple[int, str, str]]:
    """Make the bodies of a function with one change each: the line, what changed, and the body.

    Parameters
    ----------
    text
        The source.
    function
        Where the function is.
    """
    body = text[function.start : function.end]
    comments = [range(*found.span()) for found in re.finditer(r"//[^\n]*", body)]
    seen: Counter[str] = Counter()
    for pattern, new in CHANGES:
        for found in re.finditer(pattern, body):
            if any(found.start() in comment for comment in comments):
                continue
            line = text.count("\n", 0, function.start + found.start()) + 1
            change = f"{found[0].strip()} → {new.strip() or 'nothing'} in `{text.splitlines()[line - 1].strip()}`"
            seen[change] += 1
            which = f" (place {seen[change]})" if seen[change] > 1 else ""
            yield line, change + which, body[: found.start()] + new + body[found.end() :]
    line = text.count("\n", 0, function.start) + 1
    for value in BODIES.get(function.returns, []):
        yield line, f"the body → {{ {value} }}", f"{{ {value} }}"


def built(mutants: list[Mutant]) -> tuple[list[Mutant], str]:
    """Build the tests of the core with all mutants in them: those that compile, and the program.

    Parameters
    ----------
    mutants
        All of them.
    """
    # Files that stay as they are keep their times, so that nothing is built again.
    named = [
        "Cargo.toml",
        "Cargo.lock",
        *(str(path.relative_to(REPOSITORY)) for path in (REPOSITORY / "crates").rglob("*")),
    ]
    for name in [*named, ".cargo/config.toml"]:
        if (REPOSITORY / name).is_file() and REPOSITORY / name not in [*FILES, TOUR]:
            put(COPY / name, (REPOSITORY / name).read_text("utf-8"))
    command = ["cargo", "test", "--lib", "--no-run", "--package", "truebleu-core", "--message-format=json"]
    while True:
        places = write(mutants)
        done = subprocess.run(command, cwd=COPY, capture_output=True, text=True)
        messages = [json.loads(line) for line in done.stdout.splitlines()]
        if done.returncode == 0:
            return mutants, next(one["executable"] for one in messages if one.get("executable"))
        wrong = broken(messages, places)
        if not wrong:
            raise SystemExit(f"the mutants cannot be built:\n{done.stderr[-3000:]}")
        mutants = [one for one in mutants if one.number not in wrong]


def broken(messages: list[dict[str, object]], places: dict[tuple[str, int], int]) -> set[int]:
    """Tell which mutants the compiler refuses.

    Parameters
    ----------
    messages
        What cargo says.
    places
        The mutant of each line that is one's.
    """
    found = set()
    for one in messages:
        message = one.get("message")
        if isinstance(message, dict) and message.get("level") == "error":
            for span in message["spans"]:
                found.add(places.get((Path(span["file_name"]).name, span["line_start"]), 0))
    return found - {0}


def write(mutants: list[Mutant]) -> dict[tuple[str, int], int]:
    """Write the sources of the copy, and give the mutant of each line that is one's.

    Parameters
    ----------
    mutants
        Those that take part.
    """
    source = COPY / "crates" / "core" / "src"
    places: dict[tuple[str, int], int] = {}
    for path in FILES:
        text, parts, at = path.read_text("utf-8"), list[str](), 0
        for function in functions(text):
            own = [one for one in mutants if (one.file, one.function) == (path.name, function.name)]
            lines = range(text.count("\n", 0, function.start) + 1, text.count("\n", 0, function.end) + 2)
            own = [one for one in own if one.line in lines]
            parts.append(text[at : function.start])
            at = function.end
            if not own:
                parts.append(text[function.start : function.end])
                continue
            parts.append("{\nmatch crate::mutants::active() {\n")
            for one in own:
                first = "".join(parts).count("\n") + 1
                parts.append(f"{one.number} => {one.body}\n")
                for line in range(first, first + one.body.count("\n") + 1):
                    places[path.name, line] = one.number
            parts.append(f"_ => {text[function.start : function.end]}\n}}\n}}")
        put(source / "metrics" / path.name, "".join(parts) + text[at:])
    switch = (
        "//! Which mutant runs.\n\n/// Its number, or 0.\npub fn active() -> usize {\n"
        "    static ACTIVE: std::sync::LazyLock<usize> = std::sync::LazyLock::new(|| {\n"
        '        std::env::var("TRUEBLEU_MUTANT").ok().and_then(|number| number.parse().ok()).unwrap_or(0)\n'
        "    });\n    *ACTIVE\n}\n"
    )
    put(source / "mutants.rs", switch)
    put(source / "lib.rs", TOUR.read_text("utf-8").replace("pub mod metrics;", "pub mod metrics;\npub mod mutants;"))
    return places


def put(path: Path, text: str) -> None:
    """Write a file, unless it says so already.

    Parameters
    ----------
    path
        The file.
    text
        What it should say.
    """
    if not path.is_file() or path.read_text("utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


def extension() -> Path:
    """Build the native module with the mutants in it, beside a copy of the package; give the folder to import from."""
    package = COPY / "python" / "truebleu"
    shutil.rmtree(COPY / "python", ignore_errors=True)
    shutil.copytree(REPOSITORY / "python" / "truebleu", package, ignore=shutil.ignore_patterns("*.so", "*.pyd"))
    command = ["cargo", "build", "--quiet", "--release", "--package", "truebleu-python"]
    quick = ["--config", "profile.release.lto=false", "--config", "profile.release.codegen-units=16"]
    subprocess.run([*command, *quick, "--config", "profile.release.opt-level=1"], cwd=COPY, check=True)
    shutil.copy(COPY / "target" / "release" / "lib_core.so", package / "_core.abi3.so")
    return COPY / "python"


def survives(judge: list[str], mutant: Mutant) -> bool:
    """Run tests with a mutant, and tell whether they pass. Tests that do not end have noticed.

    Parameters
    ----------
    judge
        The command.
    mutant
        Whom it judges.
    """
    variables = {**os.environ, "TRUEBLEU_MUTANT": str(mutant.number), "RUST_BACKTRACE": "0"}
    # A case that kills a mutant is no fault of the formulas, and must not be remembered among those that were.
    variables["PROPTEST_DISABLE_FAILURE_PERSISTENCE"] = "true"
    try:
        done = subprocess.run(judge, cwd=REPOSITORY, env=variables, capture_output=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main())
