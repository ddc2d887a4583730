"""Phrases that readers whose first language is another stumble over are in no text of the package or its pages."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

# Relative clauses without their noun, "none" for "not one", "less" for "minus", the word order of another language.
PHRASES = (
    r"rid of",
    r"rid both",
    r"whoever",
    r"lest",
    r"dearer",
    r"no news",
    r"(?:which|that|what) there is not",
    r"that is none",
    r"less that of",
    r"(?:formats|program|programs) of others",
    r"(?:segments?|objects?|labels?|documents?|texts?|numbers?|rows?|references?|one) a line",
    r"(?:label|number|row|score|reference) a segment",
)
FOUND = re.compile(rf"(?<![\w`])(?:{'|'.join(PHRASES)})(?!\w)", re.I)


def pages() -> list[Path]:
    package = ROOT / "python" / "truebleu"
    found = [path for kind in ("*.py", "*.j2", "*.js") for path in package.rglob(kind)]
    return sorted([*found, ROOT / "README.md", ROOT / "COMPATIBILITY.md", *(ROOT / "docs").rglob("*.md")])


@pytest.mark.parametrize(
    "words", ["What both sides are rid of", "a tokenizer which\nthere is not", "one segment a line"]
)
def test_the_phrases_are_found(words: str) -> None:
    assert FOUND.search(" ".join(words.split()))


def test_texts_are_in_plain_words() -> None:
    odd = [
        f"{path.relative_to(ROOT)}: {match[0]}"
        for path in pages()
        for match in FOUND.finditer(" ".join(re.sub(r"\n\s*# ", "\n", path.read_text("utf-8")).split()))
    ]
    assert [] == odd
