"""Parts that readers of all formats share: columns, lines, white space.

White space is Python's notion of it. Lines end at a line feed and nothing else: test sets have carriage returns and
U+2028 inside segments.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from truebleu._textio import decode, split_lines
from truebleu.errors import InvalidTestSet

# Gives the bytes of a member.
Member = Callable[[str], bytes]


@dataclass(frozen=True)
class PairFields:
    """The fields of a pair in order, and which of them are system outputs.

    `filters` are the columns for selections, if these are not the fields of the same name.
    """

    fields: dict[str, list[str]]
    systems: tuple[str, ...] = ()
    filters: dict[str, list[str]] = field(default_factory=dict)


def lines_of(content: bytes, where: str) -> list[str]:
    r"""The lines of a file, without their line feeds.

    >>> lines_of("one\r\n\ntwo\u2028and".encode(), "file")
    ['one\r', '', 'two\u2028and']
    """
    return split_lines(decode(content, "utf-8", where, InvalidTestSet), strip="")


def is_text(text: str) -> bool:
    """Tell whether a file can hold a text: it cannot hold half a surrogate pair, which JSON can write."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def squeeze(text: str) -> str:
    r"""The text with one space for each run of white space, and no space at its ends.

    >>> squeeze(" a\u3000\x1f b ")
    'a b'
    """
    return " ".join(text.split())


def reference_names(count: int) -> list[str]:
    """The field names of references without labels.

    >>> reference_names(1), reference_names(2)
    (['ref'], ['ref:0', 'ref:1'])
    """
    return ["ref"] if count == 1 else [f"ref:{number}" for number in range(count)]
