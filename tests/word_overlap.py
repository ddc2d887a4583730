"""A metric that truebleu does not have, to show what a new one costs: this file, and a line in `METRICS`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from truebleu import _core
from truebleu._options import whole_number, yes_or_no
from truebleu.metrics import Metric, Score
from truebleu.metrics.base import NORMALIZE_FLAG
from truebleu.metrics.options import LOWERCASED, Field, Option, flag, switch
from truebleu.signature import Signature


class WordOverlap(Metric[Score]):
    """How many n-grams of one length a text shares with its reference, counted by the engine of Google BLEU."""

    name = "OVERLAP"
    label = title = "Overlap"
    equals = "the paper on overlap"
    citations: ClassVar[Mapping[str, str]] = {"": "papineni-etal-2002-bleu"}
    script_formula = "gleu", {}
    flags = (
        flag("--overlap-length", option="length", type=int, metavar="N", help="words of an n-gram (default: 1)"),
        switch("--overlap-lowercase", option="lowercase", help="ignore case"),
        NORMALIZE_FLAG,
    )
    fields = (
        Field("case", "c", "lowercase", "mixed", LOWERCASED),
        Field("words", "w", "length", "1", means="*=words that overlap: {n}"),
    )

    length = Option(whole_number, low=1, high=32)
    lowercase = Option(yes_or_no)
    columns = ("matches", "ngrams")

    def __init__(
        self,
        length: int = 1,
        lowercase: bool = False,
        references: Sequence[Sequence[str | None]] | None = None,
        *,
        empty_refs: str = "drop",
        normalize: str | Sequence[str] = "",
    ) -> None:
        self.length = length
        self.lowercase = lowercase
        super().__init__(references, empty_refs, normalize)

    def _make_engine(self) -> _core.Engine:
        return _core.gleu_engine(tokenizer="none", min_len=self.length, max_len=self.length, lowercase=self.lowercase)

    def _score_from(self, totals: list[float], signature: Signature) -> Score:
        return Score("Overlap", self.engine.score(totals), signature=signature)
