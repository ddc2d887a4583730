"""The demo data: three language pairs, two references, three invented systems.

>>> demo = load("en-de")
>>> len(demo.sources), list(demo.references), list(demo.systems)
(240, ['A', 'B'], ['atlas', 'birch', 'cedar'])
"""

from typing import NamedTuple

from truebleu.errors import OptionError

PAIRS = ("en-de", "en-es", "en-zh")


class DemoSet(NamedTuple):
    """The segments of one language pair, by column."""

    docids: list[str]
    domains: list[str]
    sources: list[str]
    references: dict[str, list[str]]
    systems: dict[str, list[str]]


def load(pair: str) -> DemoSet:
    """The demo segments of a language pair."""
    import json
    from importlib.resources import files

    if pair not in PAIRS:
        raise OptionError(f"the demo data has no language pair {pair!r}, only {', '.join(PAIRS)}")
    text = files(__name__).joinpath(f"{pair}.jsonl").read_text(encoding="utf-8")
    segments = [json.loads(line) for line in text.splitlines()]
    return DemoSet(
        docids=[segment["docid"] for segment in segments],
        domains=[segment["domain"] for segment in segments],
        sources=[segment["src"] for segment in segments],
        references=_columns(segments, "refs"),
        systems=_columns(segments, "systems"),
    )


def _columns(segments: list[dict[str, dict[str, str]]], field: str) -> dict[str, list[str]]:
    return {name: [segment[field][name] for segment in segments] for name in segments[0][field]}
