"""The publications to cite for a test set, as BibTeX."""

from functools import cache
from pathlib import Path
from typing import Any

from truebleu.dataset.registry import Definition


def citation(definition: Definition) -> str | None:
    """The BibTeX entries of a set, or None if none is known.

    >>> from truebleu.dataset.registry import definition
    >>> print(citation(definition("wmt22")).splitlines()[0])
    @inproceedings{kocmi-etal-2022-findings,
    """
    if definition.citation:
        return definition.citation
    keys = _table()["sets"].get(definition.name)
    return "\n\n".join(_bibtex(key) for key in keys) if keys else None


@cache
def _table() -> dict[str, Any]:
    import json

    table: dict[str, Any] = json.loads(Path(__file__).with_name("citations.json").read_bytes())
    return table


def _bibtex(key: str) -> str:
    entry = _table()["entries"][key]
    fields = [f"    {name} = {{{value}}}," for name, value in entry["fields"].items()]
    return "\n".join([f"@{entry['type']}{{{key},", *fields, "}"])
