"""Signatures: fields to text, and text back to fields. A result carries its signature and never parses it.

The keys, their order and their short forms are sacreBLEU's, so that a signature can be compared with a published one.
`version` names truebleu. Options that move scores and that sacreBLEU's signature leaves out are appended before the
version when they are not at their defaults. In values, `|`, `:` and `%` are written `%7C`, `%3A` and `%25`.

>>> signature = Signature({"nrefs": 1, "subset": "news|social", "eff": False}, {"eff": "e"})
>>> signature.format().rpartition("|")[0]
'nrefs:1|subset:news%7Csocial|eff:no'
>>> signature.format(short=True).rpartition("|")[0]
'#:1|S:news%7Csocial|e:no'
>>> signature.fields()["subset"]
'news|social'
"""

from __future__ import annotations

from collections.abc import Mapping

from truebleu._inputs import brief, check_instance, kind_of
from truebleu._records import NamedTuple
from truebleu.errors import UnknownSignature
from truebleu.version import __version__

__all__ = ["Signature", "read_fields"]

# Fields about the scored texts and the certainty of the score; a metric's class declares its own fields.
SHORT_FORMS = {
    "nrefs": "#",
    "bs": "bs",
    "ar": "ar",
    "bs2": "bs2",
    "sign": "sign",
    "ties": "ties",
    "tail": "tail",
    "seed": "rs",
    "docs": "docs",
    "strata": "strata",
    "runs": "runs",
    "adjust": "adj",
    "family": "fam",
    "test": "t",
    "lang": "l",
    "origlang": "o",
    "subset": "S",
    "refs": "r",
    "only": "only",
    "reseg": "rg",
    "level": "lv",
    "empty": "empty",
    "textnorm": "tn",
    "external": "ext",
    "model": "md",
    "rev": "rv",
    "prec": "p",
    "pkg": "pk",
    "dir": "dir",
    "mqm": "mqm",
    "z": "z",
    "raters": "rt",
    "missing": "mi",
    "version": "v",
}

# The fields of scores from elsewhere that come first.
ELSEWHERE = ("external", "model", "rev", "prec", "pkg", "dir", "mqm", "z", "raters", "level")

SignatureValue = str | int | bool | None


class About(NamedTuple):
    """What was scored, as signatures tell it beside the metric."""

    test: str | None = None
    lang: str | None = None
    origlang: str | None = None
    subset: str | None = None
    refs: str | None = None  # of a test set, where they are not the usual ones
    only: str | None = None  # the number of segments and a hash, where not all were scored
    reseg: str | None = None  # how texts were divided before they were scored
    level: str | None = None  # and into which units

    def of_set(self, fields: Mapping[str, str]) -> About:
        """Tell another test set."""
        return About(**fields, only=self.only, reseg=self.reseg, level=self.level)


NOTHING = About()


class Signature:
    """The settings behind a score, as `key:value` pairs joined by `|`; the version comes last.

    Parameters
    ----------
    fields
        The values by long key, in order. A value of None is not shown.
    short_forms
        Short keys of a metric's own fields.
    """

    def __init__(self, fields: Mapping[str, SignatureValue], short_forms: Mapping[str, str] | None = None) -> None:
        if type(fields) is not dict:
            check_instance("Signature", "fields", fields, Mapping, "values by key")
        if type(short_forms) is not dict:
            check_instance("Signature", "short_forms", short_forms, (Mapping, type(None)), "short keys by key")
        self.info: dict[str, SignatureValue] = dict(fields)
        self.info.setdefault("version", f"truebleu-{__version__}")
        self._short_forms: Mapping[str, str] = short_forms or {}

    def fields(self) -> dict[str, str]:
        """The values as plain text by long key, the version last; nothing is escaped."""
        order = [*(key for key in self.info if key != "version"), "version"]
        values = [(key, self.info[key]) for key in order if self.info[key] is not None]
        return {key: ("no", "yes")[value] if isinstance(value, bool) else str(value) for key, value in values}

    def format(self, short: bool = False) -> str:
        """Write the signature as text.

        Parameters
        ----------
        short
            Whether keys are written in their short form.
        """
        check_instance("Signature", "short", short, (bool, type(None)), "True or False")
        keys = SHORT_FORMS | dict(self._short_forms) if short else {key: key for key in self.info}
        return "|".join(f"{keys[key]}:{value.translate(_ESCAPES)}" for key, value in self.fields().items())

    def update(self, key: str, value: SignatureValue) -> None:
        """Set a field; a new one comes last before the version.

        Parameters
        ----------
        key
            The long key of the field.
        value
            Its value; None removes the field.
        """
        check_instance("Signature", "key", key, str, "the name of a field")
        check_instance("Signature", "value", value, (str, int, type(None)), "text, a whole number, or None")
        self.info[key] = value

    def with_test(self, fields: Mapping[str, SignatureValue]) -> Signature:
        """Add the fields of a test or a resampling, after the number of references or what scores from elsewhere are.

        Parameters
        ----------
        fields
            The values by long key, in order.
        """
        check_instance("Signature", "fields", fields, Mapping, "values by key")
        rest = dict(self.info)
        first = {key: rest.pop(key) for key in (ELSEWHERE if "external" in rest else ("nrefs",)) if key in rest}
        short = {**{key: key for key in fields if key not in SHORT_FORMS}, **self._short_forms}
        return Signature({**first, **fields, **rest}, short)

    def __str__(self) -> str:
        return self.format()

    def __repr__(self) -> str:
        return self.format()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Signature) and self.format() == other.format()

    def __hash__(self) -> int:
        return hash(self.format())


class SharedSignature(Signature):
    """A signature that many scores have, until one of them is asked for its own.

    To make one for each takes longer than to score a sentence.
    """

    @classmethod
    def of(cls, signature: Signature) -> SharedSignature:
        """Make a signature that many scores can have."""
        return cls(signature.info, signature._short_forms)

    def copy(self) -> Signature:
        """Make a signature that can be changed."""
        return Signature(self.info, self._short_forms)


def read_fields(text: str) -> tuple[str, dict[str, str]]:
    """Read the text of a signature: the name of the score (empty if it is missing), and the fields by key.

    Parameters
    ----------
    text
        A signature of sacreBLEU or truebleu, long or short, or one of sacreBLEU 1 (`BLEU+case.mixed+...`); a name
        before it and `= SCORE` after it are understood.

    Examples
    --------
    >>> read_fields("BLEU|nrefs:1|subset:news%7Csocial|version:2.4.0 = 31.4")
    ('BLEU', {'nrefs': '1', 'subset': 'news|social', 'version': '2.4.0'})
    """
    if not isinstance(text, str):
        raise UnknownSignature(f"the signature is {kind_of(text)}, expected its text")
    items, separator = text.strip().split("|"), ":"
    if len(items) == 1 and ":" not in text:
        items, separator = text.strip().split("+"), "."
    name = "" if separator in items[0] else items.pop(0)
    # A whole line of output may have been copied.
    items[-1:] = [item.partition(" = ")[0].strip() for item in items[-1:]]
    pairs = [item.partition(separator) for item in items]
    if not pairs or not all(key and found and value for key, found, value in pairs):
        raise UnknownSignature(
            f"{brief(text.strip())} is not a signature; expected BLEU|nrefs:1|case:mixed|... or BLEU+case.mixed+..., "
            "for example"
        )
    return name, {key: _plain(value) for key, _, value in pairs}


_ESCAPES = str.maketrans({"%": "%25", "|": "%7C", ":": "%3A"})


def _plain(text: str) -> str:
    for written, mark in (("%7C", "|"), ("%7c", "|"), ("%3A", ":"), ("%3a", ":"), ("%25", "%")):
        text = text.replace(written, mark)
    return text
