"""Longer units than segments: the texts of a paragraph, of a document, or all of them, joined before counting."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

from truebleu._inputs import Stream, Texts
from truebleu._logs import warn
from truebleu.resegmentation.segmentation import joint


def join_texts(texts: Iterable[str]) -> str:
    """Join texts by one space, or by nothing between characters of scripts that are written without spaces.

    Examples
    --------
    >>> join_texts(["It rained.", "", "We stayed in."]), join_texts(["雨が降った。", "家にいた。"])
    ('It rained. We stayed in.', '雨が降った。家にいた。')
    """
    joined: list[str] = []
    for text in texts:
        stripped = text.strip()
        if stripped:
            joined += [joint(joined[-1][-1], stripped[0]), stripped] if joined else [stripped]
    return "".join(joined)


def at_level(hypotheses: Texts, streams: list[Stream], units: Sequence[Hashable]) -> tuple[list[str], list[Stream]]:
    """Join the hypotheses and the references of each unit.

    A reference that is missing for one segment is missing for its whole unit.
    """
    members: dict[Hashable, list[int]] = {}
    for segment, unit in enumerate(units):
        members.setdefault(unit, []).append(segment)
    joined: list[Stream] = []
    lost = 0
    for stream in streams:
        texts: list[str | None] = []
        for segments in members.values():
            found = [text for text in map(stream.__getitem__, segments) if text is not None]
            lost += 0 < len(found) < len(segments)
            texts.append(join_texts(found) if len(found) == len(segments) else None)
        joined.append(texts)
    if lost:
        warn("%d of the joined references are left out: a reference is missing for some of their segments", lost)
    return [join_texts(map(hypotheses.__getitem__, segments)) for segments in members.values()], joined
