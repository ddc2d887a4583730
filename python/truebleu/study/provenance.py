"""Where the numbers come from: what was read, and by which versions.

Nothing here tells who worked, on which machine, in which folder or when: two people with the same inputs and versions
get the same text.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from truebleu._textio import stored_bytes
from truebleu.version import __version__

if TYPE_CHECKING:
    from truebleu.study.inputs import Inputs


@dataclass(frozen=True)
class GivenTexts:
    """One list of texts."""

    kind: str
    name: str
    lines: int
    sha256: str
    file: str | None = None
    file_sha256: str | None = None


@dataclass(frozen=True)
class Provenance:
    """What was read, and by which versions.

    Parameters
    ----------
    inputs
        The texts.
    versions
        The versions of truebleu, Python and NumPy.
    tokenizers
        For each metric that has one, its tokenizer with the model or dictionary it uses.
    options
        For each metric, how it was made.
    """

    inputs: tuple[GivenTexts, ...]
    versions: Mapping[str, str]
    tokenizers: Mapping[str, str]
    options: Mapping[str, str]

    def to_dict(self) -> dict[str, Any]:
        """Give everything as plain values, ready for JSON."""
        return asdict(self)


def provenance_of(inputs: Inputs) -> Provenance:
    """Hash the inputs of a study, and ask for the versions."""
    import platform

    import numpy as np

    named: list[tuple[str, str, Iterable[str | None]]] = [
        ("systems", name, texts) for name, texts in inputs.outputs.items()
    ]
    named += [("references", str(at), stream) for at, stream in enumerate(inputs.references, 1)]
    named += [] if inputs.sources is None else [("sources", "", inputs.sources)]
    paths = {kind: iter(files) for kind, files in inputs.files.items()}
    found = []
    for kind, name, texts in named:
        path = next(paths[kind]) if kind in paths else None
        about = () if path is None else (os.path.basename(path), hashlib.sha256(stored_bytes(path)).hexdigest())
        found.append(GivenTexts(kind, name, inputs.n, hash_of(texts), *about))
    return Provenance(
        tuple(found),
        {"truebleu": __version__, "python": platform.python_version(), "numpy": np.__version__},
        {key: str(one) for key, metric in inputs.metrics.items() if (one := metric.fingerprint().get("tokenizer"))},
        {key: repr(metric) for key, metric in inputs.metrics.items()},
    )


def hash_of(texts: Iterable[str | None]) -> str:
    """Hash texts as a file with one per line."""
    # A lone surrogate has no UTF-8; its code is written as if it had.
    lines = "".join(f"{text or ''}\n" for text in texts)
    return hashlib.sha256(lines.encode("utf-8", "surrogatepass")).hexdigest()
