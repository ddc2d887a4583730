"""Words to the user that are not part of the translation: preambles, refusals and remarks at the end.

The lists are in `words.json`, the one place to add a language or a phrase. Each entry is a regular expression
without regard to case; typographic apostrophes count as straight ones.
"""

import json
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

# Marks before the first word: Markdown, quotes, brackets.
_START = r"\A[^\w\n]{0,4}"
_COLON = r"[^\w\n:：]{0,3}[:：]"


def preamble_end(text: str) -> int:
    """Where the words to the user at the beginning of a text end; 0 if it has no such words."""
    return preamble_ends([text])[0]


def preamble_ends(texts: Sequence[str]) -> list[int]:
    """Where the words to the user end in each of several texts."""
    # Most kinds have a colon, and most texts have none.
    with_colon, without = _preamble(True).match, _preamble(False).match
    found = ((with_colon if ":" in text or "：" in text else without)(_straight(text)) for text in texts)
    return [match.end() if match else 0 for match in found]


def note_start(text: str) -> int:
    """Where the remark to the user at the end of a text begins; the length of the text if it has no remark.

    A remark needs a translation before it: a segment that only says "Note: bring a coat." is text.
    """
    found = _note().search(_straight(text))
    return found.start("note") if found and re.search(r"\w", text[: found.start("note")]) else len(text)


def refuses(text: str) -> bool:
    """Whether a text begins by declining to translate, or by asking for something to translate."""
    return _beginning("refusals").match(_straight(text)) is not None


def is_error(text: str) -> bool:
    """Whether a text begins with the words of a program or a server that failed."""
    return _beginning("errors").match(text) is not None


def _straight(text: str) -> str:
    return text.replace("\u2019", "'")  # as long as before, so that places stay


@cache
def _lists() -> dict[str, list[str]]:
    lists: dict[str, list[str]] = json.loads(Path(__file__).with_name("words.json").read_text("utf-8"))
    return lists


def _any_of(name: str) -> str:
    # Longer ones first: "translated text" before "translated".
    return "(?:" + "|".join(sorted(_lists()[name], key=lambda words: (-len(words), words))) + ")"


@cache
def _preamble(has_colon: bool) -> re.Pattern[str]:
    language, translation = _any_of("languages"), _any_of("translation")
    without_colon = [
        rf"{_any_of('announcing')}\b[^:：.\n]{{0,60}}?\btranslat(?:ion|ed)[^:：.\n]{{0,60}}(?:[:：\n]|\.(?=\s))",
        rf"{_any_of('here_is_the_translation')}[^:：。.\n]{{0,60}}(?:[:：。\n]|\.(?=\s))",
    ]
    kinds = [
        rf"{_any_of('agreeing')}\b[^:：\n]{{0,80}}?\b(?:translat|render)[^:：\n]{{0,60}}[:：]",
        without_colon[0],
        rf"(?:the )?(?:{language} )?translation(?: (?:of|into|in|to|from|for) [^:：.\n]{{1,60}}?)?"
        rf"(?: (?:is|reads))?(?: as follows)?{_COLON}",
        rf"(?:final )?{_any_of('labels')}{_COLON}",
        rf"(?:in )?{language}(?: {_any_of('kinds')})?(?: ?\([^()\n]{{1,30}}\))?{_COLON}",
        rf"(?:\w+ )?{translation}(?: [^:：.\n]{{1,30}})?{_COLON}",
        without_colon[1],
    ]
    # The closing marks around the words belong to them: "**Translation:** x".
    words = _START + "(?:" + "|".join(kinds if has_colon else without_colon) + r")[*_\s]*"
    return re.compile(
        rf'\s*(?:```\w*\s*)?\{{\s*"\w[^"\n]{{0,40}}"\s*:\s*"(?=.*"\s*\}})|{words}', re.IGNORECASE | re.DOTALL
    )


@cache
def _beginning(name: str) -> re.Pattern[str]:
    return re.compile(_START + "(?:" + "|".join(_lists()[name]) + ")", re.IGNORECASE)


@cache
def _note() -> re.Pattern[str]:
    notes = "|".join(_lists()["notes"])
    # Without a limit, a long run of line feeds would be scanned again from each of them.
    before = r"(?:(?<=[.!?…。！？”\"»)）」』\u2600-\u27bf\ufe0f\U0001f300-\U0001faff])|\n)"
    return re.compile(rf"{before}(?P<note>[\s*_]{{0,40}}(?:{notes}).*)\Z", re.IGNORECASE | re.DOTALL)
