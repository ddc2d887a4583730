"""Run a program of Python with the face in the place of sacreBLEU, in the processes that it starts too.

python -m truebleu.sacrebleu [--lenient] [--no-children] script.py ARGUMENTS...
python -m truebleu.sacrebleu [--lenient] [--no-children] -m MODULE ARGUMENTS...
python -m truebleu.sacrebleu [--lenient] [--no-children] -c COMMAND ARGUMENTS...
python -m truebleu.sacrebleu [--lenient] [--no-children] - ARGUMENTS...    (the program is standard input)
"""

import os
import runpy
import sys
from importlib.machinery import PathFinder, SourceFileLoader, SourcelessFileLoader
from importlib.util import find_spec, module_from_spec
from types import ModuleType
from typing import Any, NoReturn

from truebleu._logs import warn
from truebleu.sacrebleu._installation import install

_START = os.path.join(os.path.dirname(os.path.abspath(__file__)), "_start")


def _run(arguments: list[str]) -> None:
    options = {"--lenient": False, "--no-children": False}
    while arguments and arguments[0] in options:
        options[arguments.pop(0)] = True
    if not arguments or arguments[0] in ("-h", "--help") or arguments in (["-m"], ["-c"]):
        raise SystemExit(__doc__)
    install(lenient=options["--lenient"])
    _hand_on(not options["--no-children"], options["--lenient"])
    what, *rest = arguments
    if what == "-m":
        _run_module(rest)
    elif what == "-c":
        _start(ModuleType("__main__"), compile(rest[0], "<string>", "exec"), ["-c", *rest[1:]], "")
    elif what == "-":
        module = ModuleType("__main__")
        vars(module).update(__file__="<stdin>", __cached__=None)
        _start(module, compile(sys.stdin.buffer.read(), "<stdin>", "exec"), arguments, "")
    else:
        _run_file(os.path.abspath(what), arguments)


def _hand_on(to_children: bool, lenient: bool) -> None:
    """Have every Python process that the program starts load the file in `_start`, or none of them."""
    given = os.environ.pop("PYTHONPATH", "")
    paths = [path for path in given.split(os.pathsep) if path != _START] if given else []
    if to_children:
        paths.insert(0, _START)
        if sys.flags.ignore_environment or sys.flags.no_site:
            warn(
                "Python was started with -E, -I or -S. Processes that multiprocessing starts get the same option, do "
                "not read PYTHONPATH, and import sacreBLEU itself"
            )
        if lenient:
            os.environ["TRUEBLEU_LENIENT"] = "1"
    if paths:
        os.environ["PYTHONPATH"] = os.pathsep.join(paths)


# Each looks for the program, and fails, as Python does.


def _run_module(arguments: list[str]) -> None:
    name = arguments[0]
    try:
        found = find_spec(name)
        if found is None:
            _fail(1, f"No module named {name}")
        elif found.submodule_search_locations is not None and find_spec(f"{name}.__main__") is None:
            _fail(1, f"No module named {name}.__main__; {name!r} is a package and cannot be directly executed")
    except (ImportError, ValueError) as error:
        _fail(1, f"Error while finding module specification for {name!r} ({type(error).__name__}: {error})")
    sys.argv = arguments
    runpy.run_module(name, run_name="__main__", alter_sys=True)


def _run_file(path: str, arguments: list[str]) -> None:
    inside = PathFinder.find_spec("__main__", [path])  # of a folder or an archive
    if inside is not None:
        loader: Any = inside.loader
        sys.path[: not sys.flags.safe_path] = [path]
        return _start(module_from_spec(inside), loader.get_code("__main__"), arguments)
    if os.path.isdir(path):
        _fail(1, f"can't find '__main__' module in {path!r}")
    loader = (SourcelessFileLoader if path.endswith(".pyc") else SourceFileLoader)("__main__", path)
    try:
        content = loader.get_data(path)
    except OSError as error:
        _fail(2, f"can't open file {path!r}: [Errno {error.errno}] {error.strerror}")
    code = loader.get_code("__main__") if path.endswith(".pyc") else loader.source_to_code(content, path)
    module = ModuleType("__main__")
    vars(module).update(__file__=path, __cached__=None, __loader__=loader)
    _start(module, code, arguments, os.path.dirname(os.path.realpath(path)))


def _start(module: ModuleType, code: Any, arguments: list[str], folder: str | None = None) -> None:
    """Run code as the program, with a folder in front of the path unless Python was told not to have it there."""
    sys.argv = arguments
    if folder is not None and not sys.flags.safe_path:
        sys.path[0] = folder
    sys.modules["__main__"] = module
    exec(code, vars(module))


def _fail(code: int, message: str) -> NoReturn:
    sys.stderr.write(f"{sys.executable}: {message}\n")
    raise SystemExit(code)


if __name__ == "__main__":
    _run(sys.argv[1:])
