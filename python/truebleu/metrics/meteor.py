"""METEOR (Banerjee and Lavie, 2005), equal to NLTK 3.10.4 on each segment, but from 0 to 100 like all metrics here.

Words match if they are equal, have one stem, or are synonyms in WordNet 3.0, which comes with truebleu. The score of a
corpus is the mean of its segments. The Java program METEOR 1.5 has other weights and tables: its scores are others.

>>> print(METEOR().corpus_score(["The quick fox is jumping."], [["The fast fox jumps."]]))
METEOR = 94.90 (exact = 3 stem = 1 synonym = 1 chunks = 2 hyp_words = 6 ref_words = 5)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache

from truebleu import _core
from truebleu._inputs import as_float, brief
from truebleu._logs import warn
from truebleu._options import choice, number_from_zero
from truebleu._typing import TYPE_CHECKING, Any, ClassVar
from truebleu.errors import OptionError, UnknownSignature
from truebleu.metrics.base import NORMALIZE_FLAG
from truebleu.metrics.options import Field, Flag, Option, flag
from truebleu.metrics.row_rules import not_means, not_whole
from truebleu.metrics.score import Score
from truebleu.metrics.tokenized import TokenizedMetric, read_tokenizer
from truebleu.signature import Signature
from truebleu.tokenizers.registry import ALL_TOKENIZERS

if TYPE_CHECKING:
    from truebleu._core import Engine
    from truebleu.metrics.row_rules import Cells, Rules
    from truebleu.tokenizers import BaseTokenizer

_STEMMERS = ("porter", "no")
_SYNONYMS = ("wordnet3.0", "no")
_COUNTS = ("matches_exact", "matches_stem", "matches_synonym", "chunks", "hyp_words", "ref_words")


@cache
def wordnet() -> _core.WordNet:
    """WordNet's synonyms, read once."""
    from pathlib import Path
    from zlib import decompress

    data = Path(__file__).parents[1].joinpath("data", "wordnet30.bin").read_bytes()
    sections, at = [], 0
    while at < len(data):
        end = at + 4 + int.from_bytes(data[at : at + 4], "little")
        sections.append(decompress(data[at + 4 : end]))
        at = end
    return _core.WordNet(sections)


class METEORScore(Score):
    """A METEOR score and its parts, which are sums over all segments, each with its best reference.

    Parameters
    ----------
    score
        The score, from 0 to 100: the mean of the segments' scores.
    exact
        The words that match a word of the reference as they are.
    stem
        Those that match by their stems.
    synonym
        Those that match as synonyms.
    chunks
        Runs of matches that are neighbours on both sides.
    hyp_words
        The words of the hypotheses.
    ref_words
        The words of the references.
    signature
        The settings behind the score.
    """

    def __init__(
        self,
        score: float,
        exact: int,
        stem: int,
        synonym: int,
        chunks: int,
        hyp_words: int,
        ref_words: int,
        *,
        signature: Signature | None = None,
    ) -> None:
        super().__init__("METEOR", score, signature=signature)
        self.exact = exact
        self.stem = stem
        self.synonym = synonym
        self.chunks = chunks
        self.hyp_words = hyp_words
        self.ref_words = ref_words
        self.verbose = f"({' '.join(f'{name} = {count:d}' for name, count in self.parts().items())})"

    def parts(self) -> dict[str, Any]:
        """The matches of each stage, chunks and words."""
        names = ("exact", "stem", "synonym", "chunks", "hyp_words", "ref_words")
        return {name: getattr(self, name) for name in names}


def _from_zero_to_one(who: str, option: str, value: Any) -> float:
    number = as_float(value)
    if not 0 <= number <= 1:
        raise OptionError(f"{who}: {option} is {brief(value)}, expected a number from 0 to 1")
    return number


def _reader(option: str, check: Callable[[str, str, Any], float]) -> Callable[[str, list[str]], Mapping[str, Any]]:
    """Make the reader of a signature's field that is a number."""

    def read(text: str, notes: list[str]) -> dict[str, float]:
        try:
            return {option: check("the signature", option, float(text))}
        except ValueError as error:
            raise UnknownSignature(f"the signature has {option} {brief(text)}, which METEOR cannot have") from error

    return read


class METEOR(TokenizedMetric[METEORScore]):
    """METEOR: which words match as they are, by stem or as synonyms, and in how many runs. For English.

    Parameters
    ----------
    alpha
        The weight of precision in its mean with recall, from 0 to 1; the rest is that of recall, turned around: with
        0.9 recall counts nine times as much.
    beta
        The power of the share of chunks among matches; 0 or more.
    gamma
        The largest penalty for words in another order, from 0 to 1.
    tokenize
        A tokenizer by name, as an object or as a function; None chooses `zh`, `ja-mecab` or `ko-mecab` by `trg_lang`,
        and otherwise `nltk-words`. `nltk` splits sentences first, as Hugging Face's `meteor` does, and needs a file of
        NLTK's in the store.
    stem
        "porter" for Porter's stems as NLTK has them, or "no".
    synonyms
        "wordnet3.0", or "no".
    trg_lang
        The target language; stems and synonyms are English.
    references, empty_refs, normalize
        As in `BLEU`.
    """

    name = label = title = "METEOR"
    shared_columns = ("segments",)
    flags: ClassVar[tuple[Flag, ...]] = (
        flag("--meteor-alpha", option="alpha", type=float, metavar="N", help="weight of recall (default: 0.9)"),
        flag("--meteor-beta", option="beta", type=float, metavar="N", help="power of the penalty (default: 3)"),
        flag("--meteor-gamma", option="gamma", type=float, metavar="N", help="largest penalty (default: 0.5)"),
        flag(
            "--meteor-tokenize", option="tokenize", choices=tuple(ALL_TOKENIZERS), metavar="NAME",
            help="a tokenizer: nltk is that of evaluate (default: by target language, else nltk-words)",
        ),
        flag("--meteor-stem", option="stem", choices=_STEMMERS, metavar="NAME", help="porter or no (default: porter)"),
        flag(
            "--meteor-synonyms", option="synonyms", choices=_SYNONYMS, metavar="NAME",
            help="wordnet3.0 or no (default: wordnet3.0)",
        ),
        NORMALIZE_FLAG,
    )  # fmt: skip
    fields = (
        Field("case", "c", "lowercase", "lc", {True: "lc"}, read=lambda text, notes: _lowercase(text)),
        Field("tok", "tok", "tokenizer_signature", "nltk-words", read=read_tokenizer),
        Field("stem", "stem", "stem", "porter", {name: name for name in _STEMMERS}),
        Field("syn", "syn", "synonyms", "wn3.0", {"wordnet3.0": "wn3.0", "no": "no"}),
        Field("alpha", "a", "alpha", "0.9", read=_reader("alpha", _from_zero_to_one)),
        Field("beta", "b", "beta", "3.0", read=_reader("beta", number_from_zero)),
        Field("gamma", "g", "gamma", "0.5", read=_reader("gamma", _from_zero_to_one)),
    )
    equals = "NLTK 3.10.4 for each segment"
    citations: ClassVar[Mapping[str, str]] = {"": "banerjee-lavie-2005-meteor"}
    TOKENIZER_DEFAULT: ClassVar[str] = "nltk-words"

    alpha = Option(_from_zero_to_one)
    beta = Option(number_from_zero)
    gamma = Option(_from_zero_to_one)
    stem: Option[str] = Option(choice, known=_STEMMERS)
    synonyms: Option[str] = Option(choice, known=_SYNONYMS)

    def __init__(
        self,
        alpha: float = 0.9,
        beta: float = 3.0,
        gamma: float = 0.5,
        tokenize: str | BaseTokenizer | Callable[[str], object] | None = None,
        stem: str = "porter",
        synonyms: str = "wordnet3.0",
        trg_lang: str = "",
        references: Sequence[Sequence[str | None]] | None = None,
        *,
        empty_refs: str = "drop",
        normalize: str | Sequence[str] = "",
    ) -> None:
        self.alpha = alpha
        self.beta = beta
        self.gamma = gamma
        self.stem = stem
        self.synonyms = synonyms
        super().__init__(True, tokenize, trg_lang, references, empty_refs, normalize)
        if trg_lang and trg_lang.replace("_", "-").split("-")[0] not in ("en", "eng"):
            warn("METEOR: the target language is %r, and stems and synonyms are English", trg_lang)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of a row's cells: three whole numbers for the score, whose sums are exact, then counts."""
        return ("meteor_0", "meteor_1", "meteor_2", "segments", *_COUNTS)

    def arguments(self) -> dict[str, Any]:
        """The arguments that make this metric again, as plain values; case is always ignored."""
        return {name: value for name, value in super().arguments().items() if name != "lowercase"}

    def _row_rules(self, cells: Cells, single: bool, summed: bool) -> Rules:
        yield from super()._row_rules(cells, single, summed)
        yield from not_means(cells, ("meteor",), summed)
        yield from not_whole(cells, _COUNTS)
        matches = sum(cells[name] for name in _COUNTS[:3])
        yield "chunks", cells["chunks"] > matches, "no more than there are matches"
        for name in ("hyp_words", "ref_words"):
            yield name, cells[name] < matches, "at least one for each match"

    def _make_engine(self) -> Engine:
        return _core.meteor_engine(
            **self._engine_text(),
            stem=self.stem == "porter",
            wordnet=None if self.synonyms == "no" else wordnet(),
            alpha=self.alpha,
            beta=self.beta,
            gamma=self.gamma,
        )

    def _score_from(self, totals: list[float], signature: Signature) -> METEORScore:
        return METEORScore(self.engine.score(totals), *map(int, totals[4:]), signature=signature)


def _lowercase(text: str) -> dict[str, Any]:
    if text != "lc":
        raise UnknownSignature(f"the signature has case {brief(text)}, expected lc: METEOR ignores case")
    return {}
