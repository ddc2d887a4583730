"""A test set in one file, with how long its n-grams are, so that it can be taken to where the training text is."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from gzip import compress
from pathlib import Path
from typing import Any, NamedTuple

from truebleu._atomic import write_whole
from truebleu._inputs import brief
from truebleu._shown import json_text, shown
from truebleu._textio import read_text
from truebleu.errors import FileFormatError

_SCHEMA = 1


class PreparedTest(NamedTuple):
    """What `overlap` needs of a test set; without a name it was made of files."""

    name: str | None
    pair: str | None
    source: Sequence[str | None] | None
    references: Sequence[Sequence[str | None]]
    options: dict[str, Any]  # n, characters and like, None where the default is meant

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments of `overlap`."""
        texts = {"sources": self.source, "references": self.references or None}
        return {**self.options, **(texts if self.name is None else {"testset": self})}

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the file."""
        content = json_text({"truebleu overlap": _SCHEMA, **self._asdict()})
        write_whole(Path(path), compress(content.encode("utf-8", "surrogatepass"), mtime=0))

    @classmethod
    def load(cls, path: str) -> PreparedTest:
        """Read what `save` has written."""
        try:
            found = json.loads(read_text(path))
            if found.pop("truebleu overlap") != _SCHEMA:
                raise ValueError("it is of another version of truebleu")
            return cls(**found)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise FileFormatError(f"{shown(path)}: is no file of --save-index ({brief(error)})") from error
