"""The seed of all resampling, with sacreBLEU's rules: `SACREBLEU_SEED`, 12345 unless set, "none" for a fresh one."""

from __future__ import annotations

import operator
import os
from dataclasses import dataclass

from truebleu._inputs import brief
from truebleu.errors import OptionError

_DEFAULT = "12345"
_WORD = 32


@dataclass(frozen=True)
class Seed:
    """A seed, and its text for signatures. A fresh one is drawn when it is made, so that its uses share their draws.

    Examples
    --------
    >>> Seed.of(7)
    Seed(value=7, text='7')
    """

    value: int
    text: str

    @staticmethod
    def of(seed: int | str | None) -> Seed:
        """Check a seed that a caller gives; None asks `SACREBLEU_SEED`."""
        name = "the seed" if seed is not None else "SACREBLEU_SEED"
        given = seed if seed is not None else os.environ.get("SACREBLEU_SEED", _DEFAULT)
        try:
            text = given if isinstance(given, str) else str(operator.index(given))
        except (TypeError, ValueError):
            text = brief(given)
        if text.lower() == "none":
            import secrets

            return Seed(secrets.randbits(4 * _WORD), "none")
        try:
            value = int(text)
        except ValueError:
            value = -1
        if value < 0:
            raise OptionError(f"{name} is {brief(text)}, expected a whole number from 0, or 'none'")
        return Seed(value, text.lower())  # the text is kept as it was written, in lower case

    def number_text(self) -> str:
        """Write the parsed number, or "none" for a fresh seed: paired tests show `7` for `007`."""
        return "none" if self.text == "none" else str(self.value)

    def words(self) -> list[int]:
        """Give the seed in the form that the generator takes: words of 32 bits, the lowest first."""
        size = max(1, -(-self.value.bit_length() // _WORD))
        return [self.value >> (_WORD * at) & (2**_WORD - 1) for at in range(size)]
