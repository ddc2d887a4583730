"""Reads answers of judges in another way than truebleu, as the oracle of its reader: by a grammar of its own.

JSON is read by a recursive reader of exactly what an answer may have, character by character; everything else is no
answer.
"""

import re

SEVERITIES = {"minor": 1, "major": 5, "critical": 25}
NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
STRING = re.compile(r'"([^"\\\x00-\x1f]|\\(["\\/bfnrt]|u[0-9a-fA-F]{4}))*"')
SPACE = re.compile(r"[ \t\n\r]*")


class No(Exception):
    """This is no answer."""


class Text:
    """A text that is read from the left."""

    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0

    def skip(self) -> None:
        """Go over spaces."""
        self.at = SPACE.match(self.text, self.at).end()  # type: ignore[union-attr]

    def take(self, pattern: re.Pattern[str]) -> str:
        """Take what a pattern matches here."""
        found = pattern.match(self.text, self.at)
        if found is None:
            raise No
        self.at = found.end()
        return found[0]

    def comes(self, mark: str) -> bool:
        """Take a mark, if it comes next."""
        self.skip()
        if self.text.startswith(mark, self.at):
            self.at += len(mark)
            return True
        return False

    def value(self) -> object:
        """Read any value: objects as lists of pairs, lists as tuples."""
        self.skip()
        if self.comes("{"):
            return self.members()
        if self.comes("["):
            return self.elements()
        if self.text.startswith('"', self.at):
            return decoded(self.take(STRING)[1:-1])
        for word, value in (("true", True), ("false", False), ("null", None)):
            if self.comes(word):
                return value
        return Number(self.take(NUMBER))

    def members(self) -> list[tuple[str, object]]:
        """Read the rest of an object."""
        found: list[tuple[str, object]] = []
        if self.comes("}"):
            return found
        while True:
            self.skip()
            key = decoded(self.take(STRING)[1:-1])
            if not self.comes(":"):
                raise No
            found.append((key, self.value()))
            if self.comes("}"):
                return found
            if not self.comes(","):
                raise No

    def elements(self) -> tuple[object, ...]:
        """Read the rest of a list."""
        found: list[object] = []
        if self.comes("]"):
            return ()
        while True:
            found.append(self.value())
            if self.comes("]"):
                return tuple(found)
            if not self.comes(","):
                raise No


class Number:
    """A number of JSON, as it is written."""

    def __init__(self, written: str) -> None:
        self.written, self.value = written, float(written)


def decoded(text: str) -> str:
    """Resolve the escapes of a string."""
    short = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
    joined = re.sub(
        r"\\(?:u([0-9a-fA-F]{4})|(.))", lambda m: chr(int(m[1], 16)) if m[1] else short.get(m[2], m[2]), text
    )
    return joined.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def is_whole(text: str) -> bool:
    """Whether there is no half of a character."""
    return not re.search("[\ud800-\udfff]", text)


def score_of(text: str, form: str, low: float, high: float, *, as_schema: bool) -> float | None:
    """The score that an answer has beyond any doubt; None for all others."""
    try:
        return strict(text, form, low, high, as_schema)
    except (No, RecursionError):
        return None


def strict(text: str, form: str, low: float, high: float, as_schema: bool) -> float:
    """The score of an answer, or No."""
    if not is_whole(text):
        raise No
    if not as_schema:
        stripped = text.lstrip()
        if stripped.startswith("<think>") and "</think>" in stripped:
            text = stripped[stripped.index("</think>") + len("</think>") :]
        lines = text.strip().split("\n")
        if len(lines) > 2 and re.fullmatch("```[a-z]*", lines[0]) and lines[-1] == "```":
            text = "\n".join(lines[1:-1])
        plain = re.fullmatch(r"(?i)(score: ?)?(-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,20})?)( ?/ ?100)?", text.strip())
        if plain is not None and form == "score" and not (plain[5] and high != 100):
            return inside(float(plain[2]), low, high)
    reader = Text(text)
    found = reader.value()
    reader.skip()
    if reader.at < len(text) or not isinstance(found, list):
        raise No
    values = dict(once(found))
    if values.keys() != {*form.split("+")}:
        raise No
    errors = [severity(one) for one in values["errors"]] if "errors" in values and is_list(values["errors"]) else []  # type: ignore[attr-defined]
    if "score" in values:
        if not isinstance(values["score"], Number):
            raise No
        return inside(values["score"].value, low, high)
    return -min(25.0, float(sum(errors)))


def is_list(value: object) -> bool:
    """Whether these may be errors, or No."""
    if not isinstance(value, tuple) or len(value) > 100:
        raise No
    return True


def inside(value: float, low: float, high: float) -> float:
    """The number, if it is in range, or No."""
    if not low <= value <= high:
        raise No
    return value


def once(pairs: list[tuple[str, object]]) -> list[tuple[str, object]]:
    """Refuse a key that is there twice with different values."""
    seen: dict[str, object] = {}
    for key, value in pairs:
        if key in seen and not equal(seen[key], value):
            raise No
        seen[key] = value
    return pairs


def equal(one: object, other: object) -> bool:
    """Whether two values are the same."""
    if isinstance(one, Number) and isinstance(other, Number):
        return one.value == other.value
    if isinstance(one, list) and isinstance(other, list):  # objects
        return equal_objects(dict(one), dict(other))
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(equal, one, other))
    return type(one) is type(other) and one == other


def equal_objects(one: dict[str, object], other: dict[str, object]) -> bool:
    """Whether two objects are the same."""
    return one.keys() == other.keys() and all(equal(one[key], other[key]) for key in one)


def severity(value: object) -> int:
    """The weight of an error, or No."""
    if not isinstance(value, list):
        raise No
    error = dict(once(value))
    text, category, place = error.get("text"), error.get("category"), error.get("in")
    if not error.keys() <= {"text", "severity", "category", "in"} or not isinstance(text, str) or not is_whole(text):
        raise No
    if category is not None and not (isinstance(category, str) and is_whole(category)):
        raise No
    if place not in (None, "translation", "source") or not isinstance(error.get("severity"), str):
        raise No
    if error["severity"] not in SEVERITIES:
        raise No
    return SEVERITIES[str(error["severity"])]
