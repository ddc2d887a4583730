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

from truebleu._lazy import attach

__getattr__, __dir__ = attach(__name__)
