"""Google BLEU, called GLEU (Wu et al., 2016): BLEU for single sentences, made for reinforcement learning.

Equal to NLTK 3.10.4's `corpus_gleu` and to Hugging Face's `google_bleu`, but from 0 to 100 like all metrics here.

>>> print(GLEU().corpus_score(["A heron stood by the pond."], [["A grey heron stood by the pond."]]))
GLEU = 73.08 (matches = 19 ngrams = 26)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from truebleu import _core
from truebleu.errors import OptionError
from truebleu.metrics.base import Frozen, Score, whole_number
from truebleu.metrics.tokenized import TokenizedMetric
from truebleu.signature import Signature, SignatureValue

if TYPE_CHECKING:
    from truebleu.metrics.base import Engine
    from truebleu.tokenizers import BaseTokenizer

_HIGHEST_ORDER = 32


class GLEUScore(Score):
    """A GLEU score and what it is made of: n-grams shared, and n-grams of the longer side, summed over segments."""

    def __init__(self, score: float, matches: int, ngrams: int, *, signature: Signature | None = None) -> None:
        super().__init__("GLEU", score, signature=signature)
        self.matches = matches
        self.ngrams = ngrams
        self._verbose = f"(matches = {matches:d} ngrams = {ngrams:d})"

    def _parts(self) -> dict[str, Any]:
        return {"matches": self.matches, "ngrams": self.ngrams}


class GLEU(TokenizedMetric[GLEUScore]):
    """Google BLEU: the n-grams of `min_len` to `max_len` tokens that both sides share, among those of the longer side.

    `tokenize`, `trg_lang` and `empty_refs` are explained at `BLEU`; `empty_refs="keep"` is how NLTK counts.
    """

    _name = "GLEU"

    min_len = Frozen[int]()
    max_len = Frozen[int]()

    def __init__(
        self,
        lowercase: bool = False,
        tokenize: str | BaseTokenizer | Callable[[str], object] | None = None,
        min_len: int = 1,
        max_len: int = 4,
        trg_lang: str = "",
        references: Sequence[Sequence[str | None]] | None = None,
        *,
        empty_refs: str = "drop",
    ) -> None:
        self.min_len = whole_number("GLEU", "min_len", min_len, 1, _HIGHEST_ORDER)
        self.max_len = whole_number("GLEU", "max_len", max_len, 1, _HIGHEST_ORDER)
        if self.min_len > self.max_len:
            raise OptionError(f"GLEU: min_len is {min_len} and max_len {max_len}, expected min_len to be the smaller")
        super().__init__(lowercase, tokenize, trg_lang, references, empty_refs)

    @property
    def _columns(self) -> tuple[str, ...]:
        return ("matches", "ngrams")

    def _make_engine(self) -> Engine:
        native = self.tokenizer.native
        return _core.gleu_engine(
            tokenizer=native or "none",
            min_len=self.min_len,
            max_len=self.max_len,
            lowercase=self.lowercase and native is not None,
        )

    def _score_from(self, totals: list[float], signature: Signature) -> GLEUScore:
        matches, ngrams = map(int, totals)
        return GLEUScore(self._engine.score(totals), matches, ngrams, signature=signature)

    def _options(self) -> dict[str, Any]:
        return {
            "lowercase": self.lowercase,
            "tokenize": self.tokenizer_signature,
            "min_len": self.min_len,
            "max_len": self.max_len,
        }

    def _row_options(self) -> dict[str, object]:
        return {
            "lowercase": self.lowercase,
            "tokenizer": self.tokenizer.fingerprint(),
            "min_len": self.min_len,
            "max_len": self.max_len,
        }

    def _signature_fields(self) -> dict[str, SignatureValue]:
        return {
            "case": "lc" if self.lowercase else "mixed",
            "tok": self.tokenizer_signature,
            "min": self.min_len,
            "max": self.max_len,
        }
