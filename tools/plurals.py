"""Find messages that know a plural themselves: ``make lint``. `truebleu._counts` is the only place that does."""

import ast
import itertools
import re
import sys
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent / "python" / "truebleu"

# Words that follow a number in some message. In the singular, they would end otherwise.
NOUNS = (
    "bytes|candidates|cells|characters|checks|columns|documents|entries|fields|files|findings|flags|groups|hypotheses|"
    "keys|labels|lines|metrics|names|pairs|problems|receipts|references|rows|runs|samples|scores|segments|sentences|"
    "sets|sources|streams|systems|targets|texts|tokens|totals|trials|values|weights|words"
)

# What is never 1 where it is shown, and how one knows.
NEVER_ONE = {
    "surplus": "its line says it otherwise for one",
    "len(keys)": "only shown if there are more",
    "count(rest)": "only shown if there are more",
    "table.runs": "a list of numbers",
    "max(lengths)": "part of 'of 1 to 3 segments'",
    "FEW": "a constant",
    "FEWEST": "a constant",
    "LARGEST": "a constant",
    "_LONGEST": "a constant",
    "MAX_BYTES": "a constant",
    "MOST_CELLS": "a constant",
    "longest": "only shown if it is above 255",
    "self.limit": "at least some megabytes",
    "len(data)": "at least some megabytes",
    "fitting[0]": "lines of whole documents, of which one alone is never looked at",
    "-(-pairs // alpha)": "at least 20 at any usual level",
    "tokens": "a mean, with decimals",
    "clustering.size": "a mean, with decimals",
    "counts": "a range of numbers, each at least six where there is a test",
    "units": "a range of numbers, each at least six where there is a test",
    "_from_to([pair.n or 0 for pair in pairs])": "a range of numbers, each at least six where there is a test",
    "max(counts)": "part of '1 to 3 scores'",
    "len(found.systems)": "at least three",
    "one['groups']": "part of '1 of 3 groups'",
    "have": "a verb",
    "names.count(name)": "only shown if there are more",
    "self.wrong": "what a score shows has one form, for programs that read it",
    **dict.fromkeys(
        ["groups", "request.input.language_pair", "what", "brief(origlang)", "path", "bundle", "script"],
        "a name, and then a verb",
    ),
}


def main() -> int:
    """Name them; the exit code says whether there are any."""
    found = [fault for path in sorted(PACKAGE.rglob("*.py")) for fault in counts_without_a_plural(path)]
    print(
        "".join(f"{fault}: use truebleu._counts, or say in tools/plurals.py why it is never 1\n" for fault in found),
        end="",
    )
    return int(bool(found))


def counts_without_a_plural(path: Path) -> Iterator[str]:
    """Find f-strings of a file in which a value is followed by a noun in the plural, whatever the value."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        parts = node.values if isinstance(node, ast.JoinedStr) else []
        for value, after in itertools.pairwise(parts):
            text = str(after.value) if isinstance(after, ast.Constant) else ""
            if isinstance(value, ast.FormattedValue) and re.match(rf" (?:more |other )?(?:{NOUNS})\b(?!=)", text):
                shown = ast.unparse(value.value)
                if value.conversion == -1 and shown not in NEVER_ONE:
                    yield f"{path.name}:{value.lineno}: {{{shown}}}{text[:30]}"


if __name__ == "__main__":
    sys.exit(main())
