"""One name means one thing: no two classes have the same name, and no three files."""

import ast
from collections import defaultdict
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent / "python" / "truebleu"
# Packages whose names are given by others.
DIALECTS = {"evaluate", "jiwer", "nltk", "rouge_score", "sacrebleu"}
# Files that mean the same wherever they are: a package, what its kinds have in common, the list of them, its printer.
SAME_EVERYWHERE = {"__init__", "base", "registry", "text"}

FILES = [path for path in sorted(PACKAGE.rglob("*.py")) if path.relative_to(PACKAGE).parts[0] not in DIALECTS]


def places(named: list[tuple[str, Path]], most: int) -> dict[str, list[str]]:
    """The places of the names that more than so many of them have."""
    found: dict[str, list[str]] = defaultdict(list)
    for name, path in named:
        found[name].append(str(path.relative_to(PACKAGE)))
    return {name: where for name, where in found.items() if len(where) > most}


def test_no_two_classes_have_the_same_name() -> None:
    classes = [
        (node.name.lstrip("_"), path)
        for path in FILES
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ClassDef)
    ]
    assert len(classes) > 200
    assert {} == places(classes, 1)


def test_no_three_files_have_the_same_name() -> None:
    assert {} == places([(path.stem, path) for path in FILES if path.stem not in SAME_EVERYWHERE], 2)
