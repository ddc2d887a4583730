"""Who may import whom. Each layer imports from those before it, lazy imports included, and nothing goes in a circle."""

import ast
import functools
import sys
from collections.abc import Callable, Iterator
from inspect import isfunction
from pathlib import Path
from types import FrameType
from typing import NamedTuple

import pytest

import truebleu
from truebleu import _lazy
from truebleu.cli.main import main

PACKAGE = Path(__file__).resolve().parent.parent / "python" / "truebleu"

DIALECTS = {
    "accumulator",
    "demo",
    "diversity",
    "evaluate",
    "ids",
    "jiwer",
    "lm_eval",
    "nltk",
    "plot",
    "rouge_score",
    "sacrebleu",
    "torch",
}

# From the bottom to the top. Modules of one layer may use each other, as long as they do not go in a circle.
LAYERS: tuple[set[str], ...] = (
    {"_core"},
    {"errors", "_counts", "_logs", "_records", "_typing", "version", "_lazy"},
    {
        "_arrow",
        "_frames",
        "_inputs",
        "_notebook",
        "_options",
        "_plugins",
        "_packing",
        "_textio",
        "_shown",
        "_atomic",
        "normalization",
        "sgm",
        "signature",
    },
    {"_text"},  # what the printers of all wings share
    {"resample", "store"},
    {"runners"},  # programs in other interpreters
    {"tokenizers"},
    {"drift", "glance"},
    # A metric takes texts that are divided anew, and gives rows; rows ask the list of metrics what a column is.
    {"metrics", "resegmentation", "stats"},
    {"columns"},
    {"doctor", "reconciliation"},
    # A test set can be studied, a study and a comparison shown as a page.
    {"agreement", "contamination", "dataset", "scores", "significance", "study"},
    DIALECTS,
    {"plugins", "receipts"},
    {"_engines"},
    {"duckdb", "polars", "spark"},  # the adapters of engines
    {"cli"},
    {"", "__main__", "_moved"},  # the package itself, which re-exports; old paths
)

# sacreBLEU's names that a package still offers, though they live above it: for programs, and nobody in this one.
OFFERED_FROM_ABOVE = {
    ("dataset", "DATASETS"), ("dataset", "Dataset"), ("significance", "PairedTest"), ("significance", "Result"),
}  # fmt: skip

# Methods of named tuples, whose underscore keeps them apart from fields.
_OF_NAMED_TUPLES = {"_replace", "_asdict", "_make", "_fields"}


class Import(NamedTuple):
    module: str  # who imports, without "truebleu."
    imported: str
    names: tuple[str, ...]
    line: int
    for_types_only: bool


def modules() -> dict[str, Path]:
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        if "scripts" in path.relative_to(PACKAGE).parts:  # files for another library's loader
            continue
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


MODULES = modules()


def imports_of(module: str) -> Iterator[Import]:
    tree = ast.parse(MODULES[module].read_text("utf-8"))
    type_blocks = [
        node for node in ast.walk(tree) if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
    ]
    type_lines = {line for block in type_blocks for line in range(block.lineno, (block.end_lineno or 0) + 1)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name == "truebleu" or alias.name.startswith("truebleu."):
                    yield Import(module, alias.name[9:], (), node.lineno, node.lineno in type_lines)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "truebleu":
            base = str(node.module)[9:]
            for alias in node.names:
                inner = f"{base}.{alias.name}".lstrip(".")
                is_module = inner in MODULES or inner == "_core"
                imported, names = (inner, ()) if is_module else (base, (alias.name,))
                yield Import(module, imported, names, node.lineno, node.lineno in type_lines)


def lazy_names_of(module: str) -> Iterator[Import]:
    """The names in the stub of a module, which come when they are first asked for."""
    stub = MODULES[module].with_suffix(".pyi")
    if stub.is_file():
        for line, words in enumerate(map(str.split, stub.read_text("utf-8").splitlines()), 1):
            if words[:1] == ["from"]:
                yield Import(module, words[1][9:], (words[3],), line, for_types_only=True)


@functools.cache
def every_import() -> list[Import]:
    return [one for module in MODULES for one in (*imports_of(module), *lazy_names_of(module))]


def layer_of(module: str) -> int:
    top = module.partition(".")[0]
    return next(at for at, layer in enumerate(LAYERS) if top in layer)


def test_every_module_has_a_layer() -> None:
    assert {module.partition(".")[0] for module in MODULES} <= set().union(*LAYERS)


def test_nothing_imports_from_a_layer_above() -> None:
    upward = [
        one
        for one in every_import()
        if layer_of(one.imported) > layer_of(one.module)
        and not (one.for_types_only and {(one.module, name) for name in one.names} & OFFERED_FROM_ABOVE)
    ]
    assert [] == [f"{one.module}:{one.line} imports {one.imported}" for one in upward]


def test_nobody_asks_a_package_for_a_name_from_above_it() -> None:
    asked = [one for one in every_import() for name in one.names if (one.imported, name) in OFFERED_FROM_ABOVE]
    assert [] == [f"{one.module}:{one.line} asks {one.imported}" for one in asked]


def test_no_address_in_a_text_leads_to_a_layer_above() -> None:
    """Who loads a module, or something of it, by its address depends on it too."""
    upward = [
        f"{module}:{node.lineno} has {node.value!r}"
        for module, path in MODULES.items()
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        if (address := module_in(node.value)) and layer_of(address) > layer_of(module)
    ]
    assert [] == upward


def module_in(text: str) -> str:
    """The module that an address leads to or is in, such as that of a function; "" if it is no address."""
    if not text.startswith("truebleu.") or not text.replace(".", "").isidentifier():
        return ""
    parts = text.split(".")[1:]
    return next((name for end in range(len(parts), 0, -1) if (name := ".".join(parts[:end])) in MODULES), "")


def test_the_address_of_a_function_is_that_of_its_module() -> None:
    assert "study.page.page" == module_in("truebleu.study.page.page.study_page")
    assert "" == module_in("truebleu.study: a sentence") == module_in("truebleu.")


def test_no_layer_answers_for_another_by_name() -> None:
    """Whoever fills a table of functions that lower layers ask for has found a way around the layers."""
    assert {"attach"} == {name for name, one in vars(_lazy).items() if isfunction(one)}


def test_no_imports_go_in_a_circle() -> None:
    graph: dict[str, set[str]] = {module: set() for module in MODULES}
    for one in every_import():
        if not one.for_types_only and one.imported in MODULES and one.imported != one.module:
            graph[one.module].add(one.imported)
    assert [] == circle(graph)


def circle(graph: dict[str, set[str]]) -> list[str]:
    """The modules of some circle, or nothing."""
    done: set[str] = set()

    def visit(module: str, path: list[str]) -> list[str]:
        if module in path:
            return [*path[path.index(module) :], module]
        if module in done:
            return []
        for imported in sorted(graph[module]):
            if found := visit(imported, [*path, module]):
                return found
        done.add(module)
        return []

    return next((found for module in sorted(graph) if (found := visit(module, []))), [])


def test_a_circle_would_be_found() -> None:
    assert ["a", "b", "c", "a"] == circle({"a": {"b"}, "b": {"c"}, "c": {"a"}})


def test_no_private_name_crosses_packages() -> None:
    crossing = [
        f"{one.module}:{one.line} imports {one.imported}.{name}"
        for one in every_import()
        for name in one.names
        if name.startswith("_") and not name.startswith("__")
        if one.imported.partition(".")[0] != one.module.partition(".")[0]
    ]
    assert [] == crossing


@pytest.mark.parametrize("module", [name for name in MODULES if not name.startswith("metrics")])
def test_nobody_reaches_into_the_private_parts_of_a_metric(module: str) -> None:
    tree = ast.parse(MODULES[module].read_text("utf-8"))
    reached = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.Attribute) or not node.attr.startswith("_") or node.attr.startswith("__"):
            continue
        # `self.metric._x` and `metric._x`, whatever the metric is called there.
        owner = node.value.attr if isinstance(node.value, ast.Attribute) else getattr(node.value, "id", "")
        if owner not in ("self", "cls", "other") and node.attr not in _OF_NAMED_TUPLES and "metric" in owner.lower():
            reached.append(f"line {node.lineno}: {ast.unparse(node)}")
    assert [] == reached


def walked(call: Callable[[], object]) -> set[tuple[str, str]]:
    """The functions of the package that a call goes through, with their files; what is loaded once is no part of it."""
    seen: set[tuple[str, str]] = set()

    def watch(frame: FrameType, event: str, argument: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(str(PACKAGE)):
            seen.add((str(Path(code.co_filename).relative_to(PACKAGE)), code.co_qualname))

    call()
    sys.setprofile(watch)
    try:
        call()
    finally:
        sys.setprofile(None)
    return seen


def test_the_walk_of_corpus_bleu_is_short() -> None:
    """How many functions, in how many files, a reader has to follow to understand one call."""
    seen = walked(lambda: truebleu.corpus_bleu(["a b c d e"], [["a b c d f"]]))
    assert len(seen) <= 40 and len({file for file, _ in seen}) <= 10, "\n".join(map(": ".join, sorted(seen)))


def test_the_walk_of_a_paired_test_is_short(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """How many functions a reader has to follow from the words of a command to its table."""
    monkeypatch.chdir(tmp_path)
    lines = {"ref": "the heron {} stood by the pond", "a": "the heron {} stands by the pond", "b": "a heron {} stood"}
    for name, line in lines.items():
        Path(name).write_text("".join(f"{line.format(at)}\n" for at in range(30)))
    codes: list[int] = []
    seen = walked(lambda: codes.append(main(["ref", "-i", "a", "b", "--paired", "ar"])))
    within = ("<genexpr>", "<listcomp>", "<dictcomp>", "<setcomp>", "<lambda>")  # they are lines of their function
    # Named tuples are made in the place of those of `typing`, which nobody follows either.
    functions = sorted(": ".join(one) for one in seen if not one[1].endswith(within) and one[0] != "_records.py")
    assert [0, 0] == codes
    assert len(functions) < 220, "\n".join(functions)


def test_nothing_travels_through_the_environment() -> None:
    """Variables are read and never written: another thread of a training run would see them.

    One command writes them before it runs a program, so that the processes of that program get the face too.
    """
    written = []
    for module, path in MODULES.items():
        if module == "sacrebleu.__main__":
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            targets = getattr(node, "targets", []) if isinstance(node, ast.Assign | ast.Delete) else []
            if any("os.environ" in ast.unparse(target) for target in targets):
                written.append(f"{module}:{node.lineno}")
            if isinstance(node, ast.Call) and ast.unparse(node.func) in (
                "os.putenv",
                "os.environ.update",
                "os.unsetenv",
            ):
                written.append(f"{module}:{node.lineno}")
    assert [] == written
