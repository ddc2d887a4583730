"""Signatures: fields to text. A result carries its signature; nothing here ever parses one.

The keys, their order and their short forms are sacreBLEU's, so that a signature can be
compared with a published one. `version` names truebleu. Options that move scores and that sacreBLEU's
signature leaves out are appended before the version when they are not at their defaults.

>>> signature = Signature({"nrefs": 1, "case": "mixed", "eff": False})
>>> signature.format().rpartition("|")[0]
'nrefs:1|case:mixed|eff:no'
>>> signature.format(short=True).rpartition("|")[0]
'#:1|c:mixed|e:no'
"""

from collections.abc import Mapping

from truebleu.version import __version__

SHORT_FORMS = {
    "nrefs": "#",
    "bs": "bs",
    "ar": "ar",
    "bs2": "bs2",
    "sign": "sign",
    "seed": "rs",
    "docs": "docs",
    "runs": "runs",
    "adjust": "adj",
    "test": "t",
    "lang": "l",
    "origlang": "o",
    "subset": "S",
    "refs": "r",
    "case": "c",
    "eff": "e",
    "tok": "tok",
    "smooth": "s",
    "nc": "nc",
    "nw": "nw",
    "space": "s",
    "norm": "nr",
    "punct": "pn",
    "asian": "as",
    "min": "min",
    "max": "max",
    "order": "order",
    "empty": "empty",
    "external": "ext",
    "version": "v",
}

SignatureValue = str | int | bool | None


class Signature:
    """The settings behind a score, as `key:value` pairs joined by `|`; the version comes last."""

    short_forms: Mapping[str, str] = SHORT_FORMS

    def __init__(self, fields: Mapping[str, SignatureValue]) -> None:
        self.info: dict[str, SignatureValue] = dict(fields)
        self.info.setdefault("version", f"truebleu-{__version__}")

    def format(self, short: bool = False) -> str:
        """The text of the signature, with long keys or short ones."""
        order = [*(key for key in self.info if key != "version"), "version"]
        fields = ((key, self.info[key]) for key in order)
        return "|".join(
            f"{self.short_forms[key] if short else key}:{_text(value)}" for key, value in fields if value is not None
        )

    def update(self, key: str, value: SignatureValue) -> None:
        """Set a field; a new one comes last before the version."""
        self.info[key] = value

    def __str__(self) -> str:
        return self.format()

    def __repr__(self) -> str:
        return self.format()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Signature) and self.format() == other.format()

    def __hash__(self) -> int:
        return hash(self.format())


def _text(value: SignatureValue) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)
