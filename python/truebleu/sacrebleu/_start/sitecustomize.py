"""Gives the face to a process whose parent runs on it: Python loads this file at its start, because of `PYTHONPATH`.

Any interpreter may load it, also an older one or one that has no truebleu; that process must then work as without it.
"""

import os
import sys
import warnings
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import find_spec, module_from_spec


class _Face:
    """Finds `sacrebleu`. Nothing of truebleu is imported before a program asks for it."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> "ModuleSpec | None":
        if name != "sacrebleu":
            return None
        if find_spec("truebleu") is None:
            self._give_up("it has no truebleu")
            return None
        return ModuleSpec(name, self)  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> None:
        """Have an empty module made, in whose place the face is put."""

    def exec_module(self, module: object) -> None:
        del sys.modules["sacrebleu"]
        try:
            face = import_module("truebleu.sacrebleu")
        except Exception as error:  # made for another Python, say
            self._give_up(f"truebleu cannot be imported ({error!r})")
            import_module("sacrebleu")
        else:
            self._leave()
            face.install()

    def _give_up(self, why: str) -> None:
        self._leave()
        who = f"{sys.executable} was started by a program that runs on truebleu.sacrebleu, and gets sacreBLEU itself"
        warnings.warn(f"{who}: {why}", RuntimeWarning, stacklevel=3)

    def _leave(self) -> None:
        sys.meta_path[:] = [finder for finder in sys.meta_path if finder is not self]


def _run_hidden() -> None:
    """Run the file of the same name that Python would have loaded without this one."""
    here, paths = os.path.dirname(os.path.abspath(__file__)), [os.path.abspath(path) for path in sys.path]
    spec = PathFinder.find_spec("sitecustomize", paths[paths.index(here) + 1 :] if here in paths else [])
    if spec is not None and spec.loader is not None:
        module = sys.modules["sitecustomize"] = module_from_spec(spec)
        spec.loader.exec_module(module)


if __name__ == "sitecustomize":
    sys.meta_path.insert(0, _Face())
    _run_hidden()
