"""Test sets and the files they are made of.

| module | what it is for |
|---|---|
| `languages` | what a short code of a language means |
| `registry` | which sets there are and what each is made of |
| `user_sets` | sets of one's own: adding, verifying and removing them |
| `formats` | from raw files to columns of text |
| `pair_text` | the columns of one pair, from wherever they come |
| `subsets` | segments by original language and subject |
| `sets` | what a program works with |
| `citations` | whom to cite for a set |
| `cache` | what the cache holds of all sets |
| `sacrebleu` | sacreBLEU's names |

Everything is loaded when it is first asked for.
"""

from typing import TYPE_CHECKING

from truebleu._lazy import attach

if TYPE_CHECKING:
    from truebleu.dataset.sacrebleu import DATASETS as DATASETS
    from truebleu.dataset.sacrebleu import Dataset as Dataset
    from truebleu.dataset.sets import TestSet as TestSet
    from truebleu.dataset.sets import signature_fields as signature_fields
    from truebleu.dataset.sets import testset as testset
    from truebleu.dataset.sets import testsets as testsets
    from truebleu.dataset.subsets import COUNTRIES as COUNTRIES
    from truebleu.dataset.subsets import DOMAINS as DOMAINS
    from truebleu.dataset.subsets import SUBSETS as SUBSETS

_HOMES = {
    "COUNTRIES": "truebleu.dataset.subsets",
    "DATASETS": "truebleu.dataset.sacrebleu",
    "DOMAINS": "truebleu.dataset.subsets",
    "SUBSETS": "truebleu.dataset.subsets",
    "Dataset": "truebleu.dataset.sacrebleu",
    "TestSet": "truebleu.dataset.sets",
    "signature_fields": "truebleu.dataset.sets",
    "testset": "truebleu.dataset.sets",
    "testsets": "truebleu.dataset.sets",
}
__all__ = list(_HOMES)
__getattr__, __dir__ = attach(__name__, _HOMES)
