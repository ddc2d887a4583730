"""sacreBLEU has one place in this package: nothing outside of `truebleu.sacrebleu` bears one of its private names."""

import ast
import inspect
import pkgutil
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

import sacrebleu

import truebleu
from truebleu.metrics.base import REFUSED_OVERRIDES

PACKAGE = Path(truebleu.__file__).parent
THE_LIST = "metrics/base.py"
PLAIN_WORDS = {"_mean"}  # a function that averages may be called so anywhere


@cache
def private_names() -> frozenset[str]:
    """What the modules, classes, metrics and scores of the installed sacreBLEU have with one underscore."""
    owners: list[object] = [sacrebleu.BLEU(), sacrebleu.CHRF(), sacrebleu.TER(), sacrebleu.corpus_ter(["a"], [["a"]])]
    for found in pkgutil.walk_packages(sacrebleu.__path__, "sacrebleu."):
        if not found.name.endswith("__main__"):
            module = import_module(found.name)
            owners.append(module)
            owners += [one for one in vars(module).values() if inspect.isclass(one) and one.__module__ == found.name]
    names = {name for owner in owners for name in vars(owner)}
    return frozenset(name for name in names if name.startswith("_") and not name.startswith("__") and name != "_")


def bearers(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Attributes, functions, classes, variables and texts that are a name."""
    for node in ast.walk(tree):
        line = getattr(node, "lineno", 0)
        if isinstance(node, ast.Attribute):
            yield node.attr, line
        elif isinstance(node, ast.FunctionDef | ast.ClassDef | ast.alias):
            yield node.name, line
        elif isinstance(node, ast.Name):
            yield node.id, line
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value, line


def borrowed(path: Path) -> list[tuple[str, str]]:
    place = path.relative_to(PACKAGE).as_posix()
    tree = ast.parse(path.read_text("utf-8"))
    return [(f"{place}:{line}", name) for name, line in bearers(tree) if name in private_names() - PLAIN_WORDS]


def test_private_names_of_sacrebleu_stay_in_its_place() -> None:
    paths = [path for path in sorted(PACKAGE.rglob("*.py")) if path.relative_to(PACKAGE).parts[0] != "sacrebleu"]
    found = [each for path in paths for each in borrowed(path)]
    assert [] == [(place, name) for place, name in found if not place.startswith(f"{THE_LIST}:")]
    # There, the list of refused overrides has them, and nothing else does.
    assert sorted(name for _, name in found) == sorted(REFUSED_OVERRIDES - {"compute_bleu"})


def test_a_borrowed_name_would_be_found() -> None:
    assert {"_get_tokenizer", "_preprocess_segment", "_ref_cache", "_mean"} <= private_names()
    face = [name for _, name in borrowed(PACKAGE / "sacrebleu" / "metrics" / "bleu.py")]
    assert {"_get_tokenizer", "_TOKENIZERS", "_preprocess_segment"} <= {*face}
