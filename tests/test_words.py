"""Every public callable explains each of its parameters, in the form of numpydoc; nothing else does."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from public_api import public_places

PACKAGE = Path(__file__).resolve().parent.parent / "python" / "truebleu"

Function = ast.FunctionDef | ast.AsyncFunctionDef
Documented = Function | ast.ClassDef


def modules() -> list[Path]:
    """All but scripts for another library's loader."""
    paths = (path.relative_to(PACKAGE) for path in sorted(PACKAGE.rglob("*.py")))
    return [path for path in paths if not path.as_posix().startswith("evaluate/scripts")]


def module_name(path: Path) -> str:
    parts = path.with_suffix("").parts
    return ".".join(("truebleu", *(parts[:-1] if parts[-1] == "__init__" else parts)))


def documented(path: Path) -> Iterator[tuple[str, Documented, bool]]:
    """Everything that can have a docstring, with its qualified name, and whether it is public."""
    module = module_name(path)

    def walk(node: ast.AST, prefix: str, in_public: bool) -> Iterator[tuple[str, Documented, bool]]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, Documented):
                name = f"{prefix}{child.name}"
                is_public = (module, name) in public_places() or (in_public and not child.name.startswith("_"))
                is_public = is_public and not child.name.startswith("_")
                yield name, child, is_public
                yield from walk(child, f"{name}.", is_public and isinstance(child, ast.ClassDef))
            else:
                yield from walk(child, prefix, False)

    yield from walk(ast.parse((PACKAGE / path).read_text("utf-8")), "", False)


def public_callables(path: Path) -> Iterator[tuple[str, Function, str]]:
    """Name, function and docstring of everything public; a class explains the parameters of its constructor."""
    for name, node, is_public in documented(path):
        if not is_public:
            continue
        if isinstance(node, ast.ClassDef):
            constructor = next((one for one in node.body if isinstance(one, Function) and one.name == "__init__"), None)
            if constructor is not None and not _is_exempt(constructor):
                yield name, constructor, ast.get_docstring(node) or ""
        elif not _is_exempt(node):
            yield name, node, ast.get_docstring(node) or ""


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


@pytest.mark.parametrize("path", modules(), ids=str)
def test_every_parameter_of_a_public_name_is_explained(path: Path) -> None:
    missing = {}
    for name, function, docstring in public_callables(path):
        unexplained = [one for one in parameters(function) if one not in explained(docstring)]
        if unexplained:
            missing[name] = unexplained
    assert {} == missing


@pytest.mark.parametrize("path", modules(), ids=str)
def test_no_parameter_is_explained_outside_the_wall(path: Path) -> None:
    """What is not on a page of docs/reference/api is private: its names and types say what its parameters are."""
    sections = [
        name
        for name, node, is_public in documented(path)
        if not is_public and "Parameters\n----------\n" in (ast.get_docstring(node) or "")
    ]
    assert [] == sections


def test_the_wall_has_two_sides() -> None:
    places = public_places()
    assert {("truebleu.metrics.base", "Metric"), ("truebleu.metrics.bleu", "BLEU")} < places
    assert 280 < len(places) < 450
    assert ("truebleu.cli.run", "run") not in places


@pytest.mark.parametrize("path", modules(), ids=str)
def test_no_docstring_leans_on_the_one_before(path: Path) -> None:
    texts = {name: ast.get_docstring(node) or "" for name, node, _ in documented(path)}
    assert [] == [name for name, text in texts.items() if text.startswith("The same ")]
