"""Test sets and the files they are made of.

| module | what it is for |
|---|---|
| `registry` | which sets there are and what each is made of |
| `store` | the cache, and the only door to the network |
| `formats` | from raw files to columns of text |
| `material` | the columns of one pair, from wherever they come |
| `subsets` | segments by original language and subject |
| `sets` | what a program works with |
| `listing` | what the command prints |
| `datasets` | sacreBLEU's names |

Everything is loaded when it is first asked for.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from truebleu.dataset.sacrebleu import DATASETS, Dataset
    from truebleu.dataset.sets import TestSet, signature_fields, testset, testsets

    SUBSETS: dict[str, dict[str, str]]
    COUNTRIES: list[str]
    DOMAINS: list[str]

__all__ = [
    "COUNTRIES",
    "DATASETS",
    "DOMAINS",
    "SUBSETS",
    "Dataset",
    "TestSet",
    "signature_fields",
    "testset",
    "testsets",
]

_MODULES = {
    "DATASETS": "sacrebleu",
    "Dataset": "sacrebleu",
    "TestSet": "sets",
    "signature_fields": "sets",
    "testset": "sets",
    "testsets": "sets",
}
_TABLES = {"SUBSETS": "annotations", "COUNTRIES": "countries", "DOMAINS": "domains"}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name in _TABLES:
        return getattr(import_module(f"{__name__}.subsets"), _TABLES[name])()
    if name in _MODULES:
        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
