"""The seed of all resampling, with sacreBLEU's rules: `SACREBLEU_SEED`, 12345 unless set, "none" for a fresh one."""

from __future__ import annotations

import os
from dataclasses import dataclass

from truebleu.errors import OptionError

_DEFAULT = "12345"
_WORD = 32


@dataclass(frozen=True)
class Seed:
    """A seed and its text for signatures. A value of None was asked for as "none": each use draws a fresh one.

    >>> Seed.of(7)
    Seed(value=7, text='7')
    """

    value: int | None
    text: str

    @staticmethod
    def of(seed: int | str | None) -> Seed:
        """The seed that was asked for; None asks the environment."""
        if seed is None:
            return Seed.from_environment()
        return _parsed("the seed", str(seed)) if not isinstance(seed, bool) else _refuse("the seed", str(seed))

    @staticmethod
    def from_environment() -> Seed:
        """The seed that `SACREBLEU_SEED` asks for; its text is kept as it was written, in lower case."""
        return _parsed("SACREBLEU_SEED", os.environ.get("SACREBLEU_SEED", _DEFAULT))

    def number_text(self) -> str:
        """The text of the parsed number: paired tests show `7` for `007`."""
        return "none" if self.value is None else str(self.value)

    def words(self) -> list[int]:
        """The seed as the generator takes it: 32 bits a word, the lowest first."""
        value = self.value
        if value is None:
            import secrets

            value = secrets.randbits(4 * _WORD)
        size = max(1, -(-value.bit_length() // _WORD))
        return [value >> (_WORD * at) & (2**_WORD - 1) for at in range(size)]

    def fixed(self) -> Seed:
        """The same seed, or if it is to be drawn, one that was: several uses then share their draws."""
        if self.value is not None:
            return self
        return Seed(sum(word << (_WORD * at) for at, word in enumerate(self.words())), self.text)


def _parsed(name: str, text: str) -> Seed:
    if text.lower() == "none":
        return Seed(None, "none")
    try:
        value = int(text)
    except ValueError:
        value = -1
    return Seed(value, text.lower()) if value >= 0 else _refuse(name, text)


def _refuse(name: str, text: str) -> Seed:
    raise OptionError(f"{name} is {text!r}, expected a whole number from 0, or 'none'")
