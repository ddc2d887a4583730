"""The result of a metric: a number with its name and its signature."""

from __future__ import annotations

from truebleu._inputs import check_instance
from truebleu._options import whole_number, yes_or_no
from truebleu._typing import TYPE_CHECKING, Any
from truebleu.errors import OptionError
from truebleu.signature import SharedSignature, Signature, read_fields

if TYPE_CHECKING:
    from truebleu.resample.interval import Interval


# No float has more decimals.
_WIDEST = 1100


def _number(other: float | Score) -> float:
    return other.score if isinstance(other, Score) else other


class _Signed:
    """Keeps the signature apart from the other attributes: `vars(score)` is plain values, which programs write as JSON.

    A class of its own, because one with slots and a dict of attributes is slower to fill.
    """

    __slots__ = ("_signature",)
    _signature: Signature | None

    @property
    def signature(self) -> Signature | None:
        """The settings behind the score."""
        if type(self._signature) is SharedSignature:
            self._signature = self._signature.copy()
        return self._signature

    @signature.setter
    def signature(self, signature: Signature | None) -> None:
        self._signature = signature


class Score(_Signed):
    """A number with its name and its signature.

    `str(score)` is sacreBLEU's line, `float(score)` the number, which `f"{score:.1f}"` and `score > 30` use;
    `to_dict()` has everything at full precision. `confidence` has the mean and half
    the width of the 95 % interval, where resamples were asked for, and is None otherwise. `verbose` is the rest of the
    line after the number.

    Parameters
    ----------
    name
        The name of the score.
    score
        The number.
    signature
        The settings behind it.
    """

    decimals = 2  # where it is shown as text

    def __init__(self, name: str, score: float, *, signature: Signature | None = None) -> None:
        self.name = name
        self.score = score
        self._signature = signature
        self.confidence: Interval | None = None
        self.verbose = ""

    def format(
        self, width: int = 2, score_only: bool = False, signature: str | Signature = "", is_json: bool = False
    ) -> str:
        """Write the score as text.

        Parameters
        ----------
        width
            How many decimals numbers have.
        score_only
            Whether to leave out everything but the score and its interval.
        signature
            What to show between the name and the score; `score.signature` is the score's own.
        is_json
            Whether to write sacreBLEU's JSON, which needs a signature.
        """
        width = whole_number("format", "width", width, 0, _WIDEST)
        check_instance("format", "signature", signature, (str, Signature), "a signature or its text")
        number = f"{self.score:.{width}f}" if self.score == self.score else "–"  # not a number: there is no score
        interval = self.interval_text(width)
        shown = f"{number} ({interval})" if interval else number
        is_json = yes_or_no("format", "is_json", is_json)
        if yes_or_no("format", "score_only", score_only):
            return shown
        if not is_json:
            prefix = f"{self.name}|{signature}" if str(signature) else self.name
            return f"{prefix} = {shown} {self.verbose}".rstrip(" ")
        if not str(signature):
            raise OptionError("format(is_json=True) needs a signature: pass signature=score.signature")
        import json

        fields: dict[str, object] = {"name": self.name, "score": None if number == "–" else float(number)}
        fields["signature"] = str(signature)
        if interval and self.confidence is not None:
            fields["confidence_mean"] = float(f"{self.confidence.mean:.{width}f}")
            fields["confidence_var"] = float(f"{self.confidence.half_width:.{width}f}")
            fields["confidence"] = interval
        if self.verbose:
            fields["verbose_score"] = self.verbose
        fields |= signature.fields() if isinstance(signature, Signature) else read_fields(signature)[1]
        return json.dumps(fields, indent=1, ensure_ascii=False)

    def interval_text(self, width: int) -> str:
        """Write the interval as sacreBLEU does, which shows no interval with a mean of 0.

        Parameters
        ----------
        width
            How many decimals numbers have.
        """
        width = whole_number("interval_text", "width", width, 0, _WIDEST)
        if self.confidence is None or not self.confidence.mean > 0:
            return ""
        return f"μ = {self.confidence.mean:.{width}f} ± {self.confidence.half_width:.{width}f}"

    def to_dict(self) -> dict[str, Any]:
        """Name, score, signature and parts, as plain numbers at full precision."""
        signature = None if self.signature is None else str(self.signature)
        score = self.score if self.score == self.score else None  # JSON has no nan
        fields: dict[str, Any] = {"name": self.name, "score": score, "signature": signature}
        if self.confidence is not None:
            fields["confidence"] = self.confidence._asdict()
        return fields | self.parts()

    def parts(self) -> dict[str, Any]:
        """The parts of the score, by name."""
        return {}

    def _repr_html_(self) -> str:
        """Write the score as a table, for notebooks."""
        from truebleu._notebook import HtmlTable, as_html

        signature = "" if self.signature is None else str(self.signature)
        rows = [("score", f"{self.score:.{self.decimals}f}"), ("95 % interval", self.interval_text(self.decimals))]
        rows += [("parts", self.verbose), ("signature", signature)]
        return as_html([HtmlTable(self.name, ("part", "value"), [row for row in rows if row[1]])])

    def __float__(self) -> float:
        return float(self.score)

    def __round__(self, digits: int | None = None) -> float:
        return round(float(self.score), digits)

    def __format__(self, spec: str) -> str:
        return format(self.score, spec) if spec else str(self)

    # Equality is left alone: two scores of different texts are not one because their numbers agree.
    def __lt__(self, other: float | Score) -> bool:
        return self.score < _number(other)

    def __le__(self, other: float | Score) -> bool:
        return self.score <= _number(other)

    def __gt__(self, other: float | Score) -> bool:
        return self.score > _number(other)

    def __ge__(self, other: float | Score) -> bool:
        return self.score >= _number(other)

    def __str__(self) -> str:
        return self.format(self.decimals)

    def __repr__(self) -> str:
        return self.format(self.decimals)
