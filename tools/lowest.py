"""Write requirements for pip: the lowest versions that pyproject.toml promises, and the oracles that tests need.

python tools/lowest.py            # jinja2==3.1, numpy==1.26, ...
python tools/lowest.py --newest   # jinja2>=3.1, numpy>=1.26, ...: what a user gets today
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

PROJECT = Path(__file__).parent.parent / "pyproject.toml"
# Extras of the package itself; the others are tools of development.
EXTRAS = ("ja", "ko", "spm", "zst", "doctor", "plot", "completion", "columns")
# What the tests need beside it; these have no promise.
TOOLS = (
    "sacrebleu",
    "regex",
    "nltk",
    "jiwer",
    "rapidfuzz",
    "rouge-score",
    "hypothesis",
    "pytest",
    "html5lib",
    "pyyaml",
)


def promised() -> list[str]:
    """The requirements of the package and its extras, as pyproject.toml has them."""
    project = tomllib.loads(PROJECT.read_text("utf-8"))["project"]
    extras = [one for name in EXTRAS for one in project["optional-dependencies"][name]]
    return list(dict.fromkeys([*project["dependencies"], *extras]))


def lowest() -> Iterator[str]:
    """The lowest version of each, then the tools of the tests."""
    for one in promised():
        yield re.sub(r">=([\d.]+).*", r"==\1", one)
    dev = tomllib.loads(PROJECT.read_text("utf-8"))["project"]["optional-dependencies"]["dev"]
    yield from (one for one in dev if re.split(r"[=<>]", one)[0].removesuffix("-xdist") in TOOLS)


if __name__ == "__main__":
    print("\n".join(promised() if "--newest" in sys.argv else lowest()))
