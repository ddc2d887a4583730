"""Test sets and the files they are made of.

| module | what it is for |
|---|---|
| `languages` | the meaning of short language codes |
| `registry` | the sets and their files |
| `user_sets` | the user's own sets: adding, verifying and removing them |
| `formats` | from raw files to columns of text |
| `pair_text` | the columns of one pair, from any source |
| `subsets` | segments by original language and subject |
| `sets` | the objects that programs use |
| `citations` | the publications to cite for a set |
| `cache` | the files of all sets in the cache |

Everything is loaded when it is first used.
"""

from truebleu._lazy import attach

__getattr__, __dir__ = attach(__name__)
