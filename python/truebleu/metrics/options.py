"""A metric's declaration of its options: how they are checked, typed on the command line, and written in signatures.

Everything that needs to know the options of a metric (its signature, `--like`, the flags of every command, the
fingerprint of its rows) asks the class.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType

from truebleu._inputs import brief
from truebleu._options import MOST_DIGITS
from truebleu._typing import TYPE_CHECKING, Any, Generic, TypeVar, overload
from truebleu.errors import UnknownSignature
from truebleu.signature import SignatureValue

T = TypeVar("T")


class Option(Generic[T]):
    """An option of a metric. It is set once: options do not change under scores that were made with them."""

    def __init__(
        self, check: Callable[..., T] | None = None, *, in_rows: bool = True, shown: bool = True, **limits: Any
    ) -> None:
        self._check = check
        self._limits = limits
        self.in_rows = in_rows
        self.shown = shown

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    if TYPE_CHECKING:
        # Not at run time: without it, Python takes the value from the instance by itself.
        @overload
        def __get__(self, instance: None, owner: type) -> Option[T]: ...
        @overload
        def __get__(self, instance: object, owner: type) -> T: ...
        def __get__(self, instance: object | None, owner: type) -> T | Option[T]: ...

    def __set__(self, instance: Any, value: Any) -> None:
        if self._name in instance.__dict__:
            owner = type(instance).__name__
            raise AttributeError(
                f"{owner}.{self._name} cannot be changed, options are fixed: "
                f"make a new {owner}({self._name}={brief(value)})"
            )
        # Without a check of its own, an option is checked elsewhere.
        found = value if self._check is None else self._check(instance.name, self._name, value, **self._limits)
        instance.__dict__[self._name] = found


# The command line.


class Flag:
    """One argument of a command."""

    # Plain classes here and below: named tuples would take a tenth of the time of `import truebleu`.
    def __init__(self, names: tuple[str, ...], help: str, settings: Mapping[str, Any], option: str = "") -> None:
        self.names, self.help, self.settings, self.option = names, help, settings, option
        # The attribute that argparse keeps the value in, and what it is where nothing was typed.
        named = settings.get("dest") or [*[name for name in names if name[:2] == "--"], names[0]][0]
        self.dest: str = named.lstrip("-").replace("-", "_")
        self.default = settings.get("default", False if settings.get("action") == "store_true" else None)


def flag(*names: str, help: str, option: str = "", **settings: Any) -> Flag:
    """Declare a flag."""
    return Flag(names, help, settings, option)


def switch(*names: str, help: str, option: str = "", **settings: Any) -> Flag:
    """Declare a flag without a value."""
    return Flag(names, help, {"action": "store_true", **settings}, option)


# Signatures.


class Field:
    """A field of a metric's signature, both ways."""

    def __init__(
        self,
        key: str,
        short: str,
        attribute: str,
        default: str | None = None,
        encode: Mapping[Any, SignatureValue] = MappingProxyType({}),
        read: Callable[[str, list[str]], Mapping[str, Any]] | None = None,
        old: str = "",
        means: str = "",  # in words, as in `metrics.explained`, which has those of all keys that we use
    ) -> None:
        self.key, self.short, self.attribute, self.default = key, short, attribute, default
        self.encode, self.read, self.old, self.means = encode, read, old, means

    def value(self, metric: object) -> SignatureValue:
        """Ask a metric for what the field shows."""
        value: SignatureValue = getattr(metric, self.attribute)
        return self.encode.get(value, value)

    def options(self, text: str, notes: list[str]) -> Mapping[str, Any]:
        """Read the arguments of the metric's constructor that the text of the field stands for."""
        if self.read is not None:
            return self.read(text, notes)
        shown = {str(value): option for option, value in self.encode.items() if value is not None}
        if not shown:
            if not text.isdecimal() or len(text) > MOST_DIGITS:
                raise UnknownSignature(f"the signature has {brief(text)} where a whole number is expected")
            return {self.attribute: int(text)}
        if shown.keys() == {"True", "False"}:
            text = {"yes": "True", "no": "False"}.get(text.lower(), text.title())
            if text not in shown:
                raise UnknownSignature(f"the signature has {brief(text.lower())} where yes or no is expected")
        if text not in shown:
            raise UnknownSignature(
                f"the signature has {self.key} {brief(text)}, expected {' or '.join(map(repr, shown))}"
            )
        return {self.attribute: shown[text]}


# The program whose numbers three metrics give, and whose command ours takes after.
SACREBLEU = "sacreBLEU 2.6.0"

# What booleans are shown as.
YES: Mapping[Any, SignatureValue] = MappingProxyType({True: True, False: False})
NO: Mapping[Any, SignatureValue] = MappingProxyType({True: False, False: True})
# What options are shown as that are shown only if they are set.
IF_SET: Mapping[Any, SignatureValue] = MappingProxyType({True: "yes", False: None})
LOWERCASED: Mapping[Any, SignatureValue] = MappingProxyType({True: "lc", False: "mixed"})
CASED: Mapping[Any, SignatureValue] = MappingProxyType({False: "lc", True: "mixed"})


def unless_empty(values: Iterable[str], usual: str = "") -> Mapping[str, str | None]:
    """Show values of an option as they are, and the usual one not at all."""
    return {value: None if value == usual else value for value in values}
