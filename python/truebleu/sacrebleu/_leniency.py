"""Input that sacreBLEU scores without a word and that is mostly a mistake: refused, or read as sacreBLEU reads it.

sacreBLEU walks hypotheses and streams in parallel, stops at the shortest, and takes a string for a list of one-letter
segments. Here that is refused, as in all of truebleu, unless the program asks for leniency.
"""

import os
from collections.abc import Sequence
from typing import Any

from truebleu._logs import warn

_asked = False


def be_lenient(lenient: bool) -> None:
    """Remember what `install` was asked for."""
    global _asked
    _asked = lenient


def is_lenient() -> bool:
    """Whether `install(lenient=True)` or `TRUEBLEU_LENIENT` asked for it."""
    return _asked or os.environ.get("TRUEBLEU_LENIENT", "").lower() not in ("", "0", "no", "false")


def as_read(who: str, streams: Sequence[Any]) -> list[list[Any]] | None:
    """The streams as sacreBLEU reads them; None if that is no other reading, or if leniency was not asked for."""
    sequences = (list, tuple, str)
    if not is_lenient() or not all(isinstance(stream, sequences) for stream in streams):
        return None
    lengths = [len(stream) for stream in streams]
    texts = sum(isinstance(stream, str) for stream in streams)
    if not lengths or not min(lengths) or (min(lengths) == max(lengths) and not texts):
        return None
    problem = f"{texts} of them given as one string" if texts else f"of {min(lengths)} to {max(lengths)} segments"
    warn(
        "%s: there are %d streams (hypotheses and references), %s. As sacreBLEU would, the first %d segments are "
        "scored and letters of a string are segments, because leniency was asked for; this is mostly a mistake",
        who, len(streams), problem, min(lengths),
    )  # fmt: skip
    return [list(stream[: min(lengths)]) for stream in streams]
