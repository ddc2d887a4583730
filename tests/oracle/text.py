"""Python's whitespace, spelt out, so that the oracle does not lean on what it checks."""

import re

WHITESPACE = (
    "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f\x20\x85\xa0\u1680"
    "\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)

_RUN = re.compile(f"[{WHITESPACE}]+")


def split(text: str) -> list[str]:
    """The pieces between maximal runs of whitespace; empty pieces are dropped."""
    return [piece for piece in _RUN.split(text) if piece]


def respaced(text: str) -> str:
    return " ".join(split(text))
