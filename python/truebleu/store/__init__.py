"""The cache folder, and truebleu's only door to the network.

| module | what it does |
|---|---|
| `files` | `fetch`: one file, from the cache or the network, verified on every use |
| `download` | the network: mirrors, retries, timeouts, progress |
| `archives` | `unpack`: archives that cannot write where they should not, or fill the disk |
| `built_once` | `built`: a folder of files made once, whole or not at all, verified on every use |
| `bundle` | many files of the cache in one, for machines without a network |
| `config` | the folders and mirrors, and whether the network may be used |

Nothing here trusts a file because it exists. Every file is written aside and renamed, so a reader finds a whole file or
no file, whatever other processes do and whenever a process is killed.
"""

from truebleu.store.archives import is_archive, unpack
from truebleu.store.built_once import built
from truebleu.store.config import cache_folder, is_offline, mirrors, offline, sacrebleu_folder
from truebleu.store.download import Progress, reporting
from truebleu.store.files import RemoteFile, digest_problem, fetch

__all__ = [
    "Progress", "RemoteFile", "built", "cache_folder", "digest_problem", "fetch", "is_archive", "is_offline",
    "mirrors", "offline", "reporting", "sacrebleu_folder", "unpack",
]  # fmt: skip
