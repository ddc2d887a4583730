"""Every public callable explains each of its parameters, in the form of numpydoc."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "python" / "truebleu"

# What no user imports: the command, its results on their way to text, and scripts for another library's loader.
INTERNAL = ("cli", "report", "evaluate/scripts")

Function = ast.FunctionDef | ast.AsyncFunctionDef


def public_modules() -> list[Path]:
    paths = (path.relative_to(PACKAGE) for path in sorted(PACKAGE.rglob("*.py")))
    return [
        path
        for path in paths
        if not any(part.startswith("_") and part != "__init__.py" for part in path.parts)
        and not path.as_posix().startswith(INTERNAL)
    ]


def public_callables(tree: ast.Module) -> Iterator[tuple[str, Function, str]]:
    """Name, function and docstring of everything public; a class explains the parameters of its constructor."""
    for node in tree.body:
        if isinstance(node, Function) and not node.name.startswith("_"):
            yield node.name, node, ast.get_docstring(node) or ""
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            for method in node.body:
                if not isinstance(method, Function) or _is_exempt(method):
                    continue
                if method.name == "__init__":
                    yield node.name, method, ast.get_docstring(node) or ""
                elif not method.name.startswith("_"):
                    yield f"{node.name}.{method.name}", method, ast.get_docstring(method) or ""


def _is_exempt(method: Function) -> bool:
    """Signatures for type checkers, and what only overrides."""
    names = {ast.unparse(decorator) for decorator in method.decorator_list}
    return bool(names & {"overload", "override"})


def parameters(function: Function) -> list[str]:
    given = function.args
    names = [*given.posonlyargs, *given.args, *given.kwonlyargs]
    names += [argument for argument in (given.vararg, given.kwarg) if argument is not None]
    return [argument.arg for argument in names if argument.arg not in ("self", "cls")]


def explained(docstring: str) -> set[str]:
    """The names at the margin of the section on parameters."""
    _, found, section = docstring.partition("Parameters\n----------\n")
    if not found:
        return set()
    lines = section.split("\n")
    end = next((at for at, line in enumerate(lines) if set(line) == {"-"}), len(lines) + 1)
    return {name.strip("* ") for line in lines[: end - 1] if line[:1].strip() for name in line.split(",")}


@pytest.mark.parametrize("path", public_modules(), ids=str)
def test_every_parameter_is_explained(path: Path) -> None:
    tree = ast.parse((PACKAGE / path).read_text("utf-8"))
    missing = {}
    for name, function, docstring in public_callables(tree):
        unexplained = [one for one in parameters(function) if one not in explained(docstring)]
        if unexplained:
            missing[name] = unexplained
    assert {} == missing


@pytest.mark.parametrize("path", public_modules(), ids=str)
def test_no_docstring_leans_on_the_one_before(path: Path) -> None:
    tree = ast.parse((PACKAGE / path).read_text("utf-8"))
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    texts = {node.name: ast.get_docstring(node) or "" for node in ast.walk(tree) if isinstance(node, kinds)}
    assert [] == [name for name, text in texts.items() if text.startswith("The same ")]
