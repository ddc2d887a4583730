"""The publications to cite for metrics and tests, from methods.bib beside this file."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path


@cache
def entries() -> dict[str, str]:
    """Give the BibTeX entries by their keys."""
    text = Path(__file__).with_name("methods.bib").read_text("utf-8")
    return {match[1]: match[0].strip() for match in re.finditer(r"@\w+\{([^,]+),.*?\n\}", text, re.DOTALL)}
