"""The old address of the page of a study, for programs that have it; `truebleu.study.page` is its home."""

import sys
from importlib import import_module

__path__: list[str] = []  # so that `import truebleu.report.page.page` looks for the modules below
for _name in ("page", "page.page"):
    sys.modules[f"{__name__}.{_name}"] = import_module(f"truebleu.study.{_name}")
