"""What a receipt says, as lines for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from truebleu._counts import number_of
from truebleu._inputs import brief
from truebleu._shown import shown
from truebleu._text.escape import markdown_text
from truebleu.receipts.file import references_of

# What is shown in lines of its own, or is of no use to people.
_SHOWN = {
    "truebleu_receipt", "digest", "tool", "content", "system", "segments", "inputs", "test_set", "documents", "rows",
    "metrics", "required", "segmentation", "level",
}  # fmt: skip


def receipt_rows(about: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Give what a receipt says: pairs of a heading and a text."""
    yield from ((key, shown(value)) for key, value in about["system"].items())
    known = about.get("test_set")
    if known is not None:
        more = [f"{key} {shown(known[key])}" for key in ("refs", "origlang", "subset", "set_version") if known.get(key)]
        yield "test set", ", ".join([f"{shown(known['name'])} {shown(known['pair'])}", *more])
        yield "of content", shown(known["content"])
    documents = f" in {number_of(about['documents']['count'], 'document')}" if "documents" in about else ""
    yield "segments", f"{about['segments']}{documents}"
    yield from (("level", shown(about["level"])) for _ in range("level" in about))
    yield from (("divided", _division(about["segmentation"])) for _ in range("segmentation" in about))
    if about.get("rows", "segments") != "segments":
        yield "rows", f"{about['rows']}: only sums are kept"
    for one in about["metrics"]:
        interval = one.get("interval")
        around = f" ({interval['mean']:.2f} ± {interval['half_width']:.2f})" if interval else ""
        yield title(one), f"{one['score']:.2f}{around}  {shown(one['signature'])}"
    yield from ((f"file of {title(one)}", one["score_file"]) for one in about["metrics"] if "score_file" in one)
    inputs = about["inputs"]
    yield from (("hypotheses", shown(inputs["hypotheses"])) for _ in range("hypotheses" in inputs))
    for one in references_of(about):
        yield f"reference {shown(one['label'])}", shown(one["hash"])
    yield from ((key, shown(inputs[key])) for key in ("source", "items") if key in inputs)
    yield "made by", shown(f"{about['tool']['name']} {about['tool']['version']}")
    yield "content", shown(about["content"])
    yield "digest", shown(about["digest"])
    yield from ((shown(key), shown(brief(value, 200))) for key, value in about.items() if key not in _SHOWN)


def title(entry: Mapping[str, Any]) -> str:
    """The name of the metric that counted; a name that the author chose stands beside it."""
    kind = entry["fingerprint"]
    name = shown(kind["name"] if kind["metric"] == "external" and "name" in kind else kind["metric"])
    return name if entry["name"].casefold() == name.casefold() else f"{name}, called {brief(entry['name'])}"


def _division(told: Mapping[str, Any]) -> str:
    """How texts were divided, in a line; lists of segments are counted."""
    words = [shown(str(told.get("method")))]
    for key, value in told.items():
        if key != "method" and value is not None:
            number = len(value) if isinstance(value, list) else value
            words.append(f"{shown(key)} {number:.3f}" if isinstance(number, float) else f"{shown(key)} {brief(number)}")
    return ", ".join(words)


def as_text(rows: Iterator[tuple[str, str]]) -> Iterator[str]:
    """Write headings and texts as two columns."""
    pairs = list(rows)
    width = max(len(heading) for heading, _ in pairs)
    yield from (f"{heading:{width}}  {text}" for heading, text in pairs)


def as_markdown(rows: Iterator[tuple[str, str]]) -> Iterator[str]:
    """Write headings and texts as a table of Markdown."""
    yield from ("| | |", "|---|---|")
    for pair in rows:
        yield f"| {markdown_text(pair[0])} | {markdown_text(pair[1])} |"
