"""Show text from elsewhere in a message, so that it is visible but has no effect on the terminal.

A server, a registry or a file name may hold a control character that moves the cursor or changes the title of a
terminal, or a bidirectional control that changes how a line reads. Every message that repeats such text
passes it through `shown`.
"""

from collections.abc import Iterable

# Control characters, line and paragraph separators, bidirectional controls, and lone surrogates, which cannot be
# written.
_BEYOND_ASCII = "\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff"
_ACTING = f"[\x00-\x1f{_BEYOND_ASCII}]"
_PASSWORD = r"(?<=://)[^/?#\s]*@"
_LONGEST = 300


def shown(text: object, longest: int = _LONGEST) -> str:
    r"""Write characters that could affect a terminal as `repr` does, keep the rest, and shorten long text.

    >>> shown("Zürich\x1b[31m\n"), shown("a" * 50 + "z" * 50, longest=11)
    ('Zürich\\x1b[31m\\n', 'aaaaaaa…zzz')
    """
    text = str(text)
    if len(text) > longest:
        end = longest // 3
        text = f"{text[: longest - end - 1]}…{text[-end:]}"
    # The pattern is costly to compile, and text that can be printed has none of its characters.
    if text.isprintable():
        return text
    import re

    return re.sub(_ACTING, lambda found: repr(found[0])[1:-1], text)


def json_text(value: object, indent: int | None = None) -> str:
    r"""Write JSON that people can read and any stream takes: what could affect a terminal becomes an escape of JSON.

    >>> print(json_text({"Zürich": "\x1b\u202e"}))
    {"Zürich": "\u001b\u202e"}
    """
    import json
    import re

    text = json.dumps(value, indent=indent, ensure_ascii=False)  # what is below the space it escapes itself
    return re.sub(f"[{_BEYOND_ASCII}]", lambda found: f"\\u{ord(found[0]):04x}", text)


def shown_address(url: object, longest: int = _LONGEST) -> str:
    """Show an address, or a text with addresses in it, as `shown` does, without the names and passwords in them.

    >>> shown_address("cannot reach https://ann:secret@data.example/x")
    'cannot reach https://data.example/x'
    """
    import re

    return shown(re.sub(_PASSWORD, "", str(url)), longest)


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """Suggest names similar to an unknown one, in parentheses after a space; empty if no name is similar.

    >>> did_you_mean("atlass", ["atlas", "birch"])
    ' (did you mean atlas?)'
    """
    near = " or ".join(map(shown, nearest(name, known, 3)))
    return f" (did you mean {near}?)" if near else ""


def nearest(name: object, known: Iterable[str], most: int = 1, likeness: float = 0.6) -> list[str]:
    """Find the names most similar to an unknown one, the most similar first; empty if all are very different.

    >>> nearest("blue", ["bleu", "chrf"]), nearest("comet", ["bleu", "chrf"])
    (['bleu'], [])
    """
    from difflib import get_close_matches

    # The comparison takes quadratic time, and such a long text was not meant as a name.
    return get_close_matches(str(name)[:100], list(known), n=most, cutoff=likeness)
