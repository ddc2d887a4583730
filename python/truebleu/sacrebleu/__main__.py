"""Run a program of Python with the face in the place of sacreBLEU.

python -m truebleu.sacrebleu [--lenient] script.py ARGUMENTS...
python -m truebleu.sacrebleu [--lenient] -m MODULE ARGUMENTS...
"""

import runpy
import sys
from pathlib import Path

from truebleu.sacrebleu._installation import install


def _run(arguments: list[str]) -> None:
    lenient = arguments[:1] == ["--lenient"]
    rest = arguments[lenient:]
    if not rest or rest[0] in ("-h", "--help") or rest == ["-m"]:
        raise SystemExit(__doc__)
    install(lenient=lenient)
    if rest[0] == "-m":
        sys.argv = rest[1:]
        sys.path.insert(0, "")
        runpy.run_module(rest[1], run_name="__main__", alter_sys=True)
    else:
        sys.argv = rest
        sys.path[0] = str(Path(rest[0]).resolve().parent)
        runpy.run_path(rest[0], run_name="__main__")


if __name__ == "__main__":
    _run(sys.argv[1:])
