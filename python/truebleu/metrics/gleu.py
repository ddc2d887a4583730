"""Google BLEU, called GLEU (Wu et al., 2016): BLEU for single sentences, made for reinforcement learning.

Equal to NLTK 3.10.4's `corpus_gleu` and to Hugging Face's `google_bleu`, but from 0 to 100 like all metrics here.

>>> print(GLEU().corpus_score(["A heron stood by the pond."], [["A grey heron stood by the pond."]]))
GLEU = 73.08 (matches = 19 ngrams = 26)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from truebleu import _core
from truebleu._options import whole_number
from truebleu._typing import TYPE_CHECKING, Any, ClassVar
from truebleu.errors import OptionError
from truebleu.metrics.base import LOWERCASE_FLAG, NORMALIZE_FLAG
from truebleu.metrics.options import LOWERCASED, Field, Option, flag
from truebleu.metrics.row_rules import not_whole
from truebleu.metrics.score import Score
from truebleu.metrics.tokenized import TOKENIZER_FIELD, TOKENIZER_FLAG, TokenizedMetric
from truebleu.signature import Signature

if TYPE_CHECKING:
    from truebleu._core import Engine
    from truebleu.metrics.row_rules import Cells, Rules
    from truebleu.tokenizers import BaseTokenizer


class GLEUScore(Score):
    """A GLEU score and its parts.

    Parameters
    ----------
    score
        The score, from 0 to 100.
    matches
        The n-grams that both sides share, summed over segments.
    ngrams
        The n-grams of the side that has more of them, summed over segments.
    signature
        The settings behind the score.
    """

    def __init__(self, score: float, matches: int, ngrams: int, *, signature: Signature | None = None) -> None:
        super().__init__("GLEU", score, signature=signature)
        self.matches = matches
        self.ngrams = ngrams
        self.verbose = f"(matches = {matches:d} ngrams = {ngrams:d})"

    def parts(self) -> dict[str, Any]:
        """Matches and n-grams."""
        return {"matches": self.matches, "ngrams": self.ngrams}


class GLEU(TokenizedMetric[GLEUScore]):
    """Google BLEU: the n-grams that both sides share, among those of the side that has more of them.

    Parameters
    ----------
    lowercase
        Whether case is ignored.
    tokenize
        A tokenizer by name, as an object or as a function, as for `BLEU`; None chooses by `trg_lang`.
    min_len
        The shortest n-grams that are counted.
    max_len
        The longest n-grams that are counted.
    trg_lang
        The target language.
    references, empty_refs, normalize
        As in `BLEU`.
    """

    name = label = "GLEU"
    title = "Google BLEU"
    citations: ClassVar[Mapping[str, str]] = {"": "wu-etal-2016-googles"}
    flags = (
        TOKENIZER_FLAG,
        LOWERCASE_FLAG,
        NORMALIZE_FLAG,
        flag("--gleu-min-len", option="min_len", type=int, metavar="N", help="shortest n-grams (default: 1)"),
        flag("--gleu-max-len", option="max_len", type=int, metavar="N", help="longest n-grams (default: 4)"),
    )
    fields = (
        Field("case", "c", "lowercase", "mixed", LOWERCASED),
        TOKENIZER_FIELD,
        Field("min", "min", "min_len", "1"),
        Field("max", "max", "max_len", "4"),
    )

    parts_of = (("matches", "ngrams"),)
    script_formula = "gleu", {}
    min_len = Option(whole_number, low=1, high=32)
    max_len = Option(whole_number, low=1, high=32)

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
        normalize: str | Sequence[str] = "",
    ) -> None:
        self.min_len = min_len
        self.max_len = max_len
        if self.min_len > self.max_len:
            raise OptionError(f"GLEU: min_len is {min_len} and max_len {max_len}, expected min_len to be the smaller")
        super().__init__(lowercase, tokenize, trg_lang, references, empty_refs, normalize)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of a row's cells."""
        return ("matches", "ngrams")

    def _row_rules(self, cells: Cells, single: bool, summed: bool) -> Rules:
        yield from super()._row_rules(cells, single, summed)
        yield from not_whole(cells, self.columns)

    def _make_engine(self) -> Engine:
        return _core.gleu_engine(**self._engine_text(), min_len=self.min_len, max_len=self.max_len)

    def _score_from(self, totals: list[float], signature: Signature) -> GLEUScore:
        matches, ngrams = map(int, totals)
        return GLEUScore(self.engine.score(totals), matches, ngrams, signature=signature)
