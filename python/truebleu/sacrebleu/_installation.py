"""Putting the face into the place of sacreBLEU, for programs that cannot be changed."""

import sys
from importlib import import_module
from pkgutil import walk_packages

from truebleu.errors import NameTaken
from truebleu.sacrebleu._leniency import be_lenient

_FACE = "truebleu.sacrebleu"


def install(lenient: bool = False) -> None:
    """Make `import sacrebleu` give this package, in this process and from now on."""
    face = import_module(_FACE)
    there = sys.modules.get("sacrebleu")
    if there is not None and there is not face:
        raise NameTaken(
            f"sacrebleu was imported ({getattr(there, '__file__', None)}), and programs may hold functions of it. "
            "Call truebleu.sacrebleu.install() before anything imports sacrebleu"
        )
    be_lenient(lenient)
    modules = {"sacrebleu": face}
    for found in walk_packages(face.__path__, f"{_FACE}."):
        if not found.name.rpartition(".")[2].startswith("_"):
            modules[found.name.removeprefix("truebleu.")] = import_module(found.name)
    sys.modules.update(modules)
