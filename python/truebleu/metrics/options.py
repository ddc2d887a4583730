"""What a metric declares about its options, once: how they are checked, typed on the command line, and signed.

Everything that needs to know the options of a metric (its signature, `--like`, the flags of every command, the
fingerprint of its rows) asks the class.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Generic, NamedTuple, TypeVar, overload

from truebleu._options import whole_number
from truebleu.errors import UnknownSignature
from truebleu.signature import SignatureValue

T = TypeVar("T")

# Takes the name of the metric, the name of the option, and its value; returns the value, or raises OptionError.
Check = Callable[[str, str, Any], T]


class Option(Generic[T]):
    """An option of a metric. It is set once: options do not change under scores that were made with them.

    Parameters
    ----------
    check
        What the value has to pass.
    in_rows
        Whether the option decides the rows; otherwise it decides the score of a row.
    shown
        Whether `repr` shows it.
    """

    def __init__(self, check: Check[T], *, in_rows: bool = True, shown: bool = True) -> None:
        self._check = check
        self.in_rows = in_rows
        self.shown = shown

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type) -> Option[T]: ...
    @overload
    def __get__(self, instance: object, owner: type) -> T: ...
    def __get__(self, instance: object | None, owner: type) -> T | Option[T]:
        if instance is None:
            return self
        value: T = instance.__dict__[self._name]
        return value

    def __set__(self, instance: object, value: Any) -> None:
        if self._name in instance.__dict__:
            owner = type(instance).__name__
            raise AttributeError(
                f"{owner}.{self._name} cannot be changed, options are fixed: make a new {owner}({self._name}={value!r})"
            )
        instance.__dict__[self._name] = self._check(getattr(instance, "name", ""), self._name, value)


def whole(low: int, high: int) -> Check[int]:
    """A check for whole numbers in a range.

    Parameters
    ----------
    low
        The smallest number that passes.
    high
        The largest.
    """
    return lambda who, option, value: whole_number(who, option, value, low, high)


# The command line.


class Flag(NamedTuple):
    """One argument of a command; `settings` go to argparse as they are."""

    names: tuple[str, ...]
    help: str
    settings: Mapping[str, Any]
    option: str = ""  # the argument of the metric's constructor that the flag sets

    @property
    def dest(self) -> str:
        """The attribute that argparse keeps the value in."""
        named = str(self.settings.get("dest", "")) or next((name for name in self.names if name[:2] == "--"), "")
        return (named or self.names[0]).lstrip("-").replace("-", "_")


def flag(*names: str, help: str, option: str = "", **settings: Any) -> Flag:
    """Declare a flag.

    Parameters
    ----------
    names
        Its spellings, the long one first.
    help
        What the help says of it.
    option
        The argument of a metric's constructor that it sets.
    settings
        What else argparse is to know.
    """
    return Flag(names, help, settings, option)


def switch(*names: str, help: str, option: str = "", **settings: Any) -> Flag:
    """Declare a flag without a value.

    Parameters
    ----------
    names
        Its spellings, the long one first.
    help
        What the help says of it.
    option
        The argument of a metric's constructor that it sets to True.
    settings
        What else argparse is to know.
    """
    return Flag(names, help, {"action": "store_true", **settings}, option)


# Signatures.


class Field(NamedTuple):
    """A field of a metric's signature, both ways."""

    key: str
    short: str
    write: Callable[[Any], SignatureValue]  # from the metric; None: not shown
    read: Callable[[str, list[str]], Mapping[str, Any]]  # to arguments of the constructor; notes are for the user
    default: str | None = None  # what a signature means that lacks the field; None: nothing
    old: str = ""  # how sacreBLEU 1 called it


def yes_field(key: str, short: str, option: str, default: str, *, inverted: bool = False) -> Field:
    """A field with the value yes or no.

    Parameters
    ----------
    key
        The long key.
    short
        The short key.
    option
        The option that it shows.
    default
        What a signature means that lacks the field.
    inverted
        Whether yes means that the option is False.
    """

    def read(text: str, notes: list[str]) -> dict[str, bool]:
        if text.lower() not in ("yes", "no", "true", "false"):
            raise UnknownSignature(f"the signature has {text!r} where yes or no is expected")
        return {option: (text.lower() in ("yes", "true")) != inverted}

    return Field(key, short, lambda metric: getattr(metric, option) != inverted, read, default)


def case_field(option: str, default: str, *, inverted: bool = False) -> Field:
    """The field `case`: lc or mixed.

    Parameters
    ----------
    option
        The option that it shows.
    default
        What a signature means that lacks the field.
    inverted
        Whether lc means that the option is False.
    """

    def read(text: str, notes: list[str]) -> dict[str, bool]:
        if text not in ("lc", "mixed"):
            raise UnknownSignature(f"the signature has case {text!r}, expected 'lc' or 'mixed'")
        return {option: (text == "lc") != inverted}

    return Field("case", "c", lambda metric: "lc" if getattr(metric, option) != inverted else "mixed", read, default)


def number_field(key: str, option: str, default: str | None, *, hidden: int | None = None, old: str = "") -> Field:
    """A field with a whole number; its key is short.

    Parameters
    ----------
    key
        The key.
    option
        The option that it shows.
    default
        What a signature means that lacks the field.
    hidden
        The number that is not shown.
    old
        How sacreBLEU 1 called it.
    """

    def read(text: str, notes: list[str]) -> dict[str, int]:
        if not text.isdecimal():
            raise UnknownSignature(f"the signature has {text!r} where a whole number is expected")
        return {option: int(text)}

    def write(metric: Any) -> int | None:
        number: int = getattr(metric, option)
        return None if number == hidden else number

    return Field(key, key, write, read, default, old)
