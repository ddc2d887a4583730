"""ROUGE (Lin, 2004), equal to rouge-score 0.1.2 on each segment, but from 0 to 100 like all metrics here.

The score of a corpus is the mean of its segments, the same every time; Hugging Face's `rouge` gives the median of a
bootstrap, which changes with the seed. `truebleu.evaluate` and `truebleu.rouge_score` have that one.

>>> print(ROUGE("L").corpus_score(["A heron stood by the pond."], [["A grey heron stood by the pond."]]))
ROUGE-L = 92.31 (P = 100.00 R = 85.71)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from truebleu import _core
from truebleu._counts import number_of
from truebleu._inputs import Corpus, Stream, Texts, brief
from truebleu._logs import warn
from truebleu._options import choice, yes_or_no
from truebleu._typing import TYPE_CHECKING, Any, ClassVar
from truebleu.errors import InputTypeError, MissingDependency, OptionError, TokenizerMismatch, UnknownSignature
from truebleu.metrics.base import NORMALIZE_FLAG
from truebleu.metrics.options import LOWERCASED, Field, Flag, Option, flag, switch
from truebleu.metrics.row_rules import not_means
from truebleu.metrics.score import Score
from truebleu.metrics.tokenized import Tokenized, TokenizedMetric, read_tokenizer
from truebleu.signature import Signature
from truebleu.tokenizers.registry import ALL_TOKENIZERS

if TYPE_CHECKING:
    from truebleu._core import Engine
    from truebleu.metrics.row_rules import Cells, Rules
    from truebleu.tokenizers import BaseTokenizer

VARIANTS = ("1", "2", "3", "4", "5", "6", "7", "8", "9", "L", "Lsum")
MEASURES = ("fmeasure", "precision", "recall")

# Tokenizers of the core that leave line feeds between tokens, where ROUGE-Lsum looks for them.
_KEEP_LINES = ("rouge", "rouge-unicode", "none")
# Those that make small letters themselves.
_LOWERING = ("rouge", "rouge-unicode")

# Shares of segments without a token, and of letters outside tokens, from which on there is an error or a warning.
_MOST_MISSED = 0.05
_MOST_DROPPED = 0.01

_SEPARATOR = "sep-"


class ROUGEScore(Score):
    """A ROUGE score: the means of precision, recall and F over all segments, from 0 to 100.

    Parameters
    ----------
    variant
        Which ROUGE: "1" to "9", "L" or "Lsum".
    score
        The one of the three that `measure` selects.
    precision
        The share of the hypotheses that is in the references.
    recall
        The share of the references that is in the hypotheses.
    fmeasure
        The mean of the segments' F, which is not the F of the two means.
    signature
        The settings behind the score.
    """

    def __init__(
        self,
        variant: str,
        score: float,
        precision: float,
        recall: float,
        fmeasure: float,
        *,
        signature: Signature | None = None,
    ) -> None:
        super().__init__(f"ROUGE-{variant}", score, signature=signature)
        self.precision = precision
        self.recall = recall
        self.fmeasure = fmeasure
        self.verbose = f"(P = {precision:.2f} R = {recall:.2f})"

    def parts(self) -> dict[str, Any]:
        """Precision, recall and F."""
        return {"precision": self.precision, "recall": self.recall, "fmeasure": self.fmeasure}


def _read_stem(text: str, notes: list[str]) -> dict[str, bool]:
    if text not in ("no", "porter-nltk"):
        raise UnknownSignature(f"the signature has the stemmer {brief(text)}, expected porter-nltk or no")
    return {"stem": text != "no"}


def _read_sentences(text: str, notes: list[str]) -> dict[str, str]:
    if text in ("newline", "punkt"):
        return {"sentences": text}
    if text.startswith(_SEPARATOR):
        return {"sentences": text.removeprefix(_SEPARATOR)}
    raise UnknownSignature(f"the signature splits sentences by {brief(text)}, which is a program's own function")


def _read_measure(text: str, notes: list[str]) -> dict[str, str]:
    return {"measure": choice("the signature", "measure", text, MEASURES, UnknownSignature)}


def _sentences(who: str, option: str, value: Any) -> Any:
    if callable(value) or (isinstance(value, str) and value):
        return value
    raise OptionError(f"{who}: {option} is {brief(value)}, expected 'newline', 'punkt', a separator, or a function")


class ROUGE(TokenizedMetric[ROUGEScore]):
    """ROUGE: which n-grams, or which words in their order, the hypothesis and the reference share.

    Parameters
    ----------
    variant
        "1" to "9" for n-grams of that length, "L" for the longest common subsequence of words, "Lsum" for that of each
        pair of sentences.
    stem
        Whether words are compared by their stems (Porter's, as NLTK has it): for English.
    tokenize
        A tokenizer by name, as an object or as a function; None chooses `zh`, `ja-mecab` or `ko-mecab` by `trg_lang`,
        and otherwise `rouge`, which keeps only ASCII letters and digits. `rouge-unicode` is for all scripts.
    lowercase
        Whether case is ignored.
    measure
        The number that is the score: "fmeasure", "precision" or "recall".
    sentences
        How "Lsum" splits sentences: at each "newline"; by "punkt" of NLTK, which must be installed; at a separator such
        as "<n>"; or by a function from a text to a list of sentences.
    trg_lang
        The target language.
    references, empty_refs, normalize
        As in `BLEU`.
    """

    name = label = title = "ROUGE"
    flags: ClassVar[tuple[Flag, ...]] = (
        flag(
            "--rouge-variant", option="variant", choices=VARIANTS, metavar="NAME",
            help="of -m rouge: 1 to 9, L or Lsum (default: L)",
        ),
        switch("--rouge-stem", option="stem", help="compare stems of English words"),
        flag(
            "--rouge-tokenize", option="tokenize", choices=tuple(ALL_TOKENIZERS), metavar="NAME",
            help="a tokenizer, such as rouge-unicode (default: by target language, else rouge)",
        ),
        flag(
            "--rouge-measure", option="measure", choices=MEASURES, metavar="NAME",
            help="fmeasure, precision or recall (default: fmeasure)",
        ),
        flag(
            "--rouge-sentences", option="sentences", metavar="MARK",
            help="how rougeLsum splits sentences: newline, punkt, or a mark such as '<n>' (default: newline)",
        ),
        NORMALIZE_FLAG,
    )  # fmt: skip
    fields = (
        Field("case", "c", "lowercase", "lc", LOWERCASED),
        Field("tok", "tok", "tokenizer_signature", "rouge", read=read_tokenizer),
        Field("stem", "stem", "stem", "no", {True: "porter-nltk", False: "no"}, read=_read_stem),
        Field("sents", "sents", "_signed_sentences", "newline", read=_read_sentences),
        Field("measure", "m", "_signed_measure", "fmeasure", read=_read_measure),
    )
    equals = "rouge-score 0.1.2 for each segment"
    citations: ClassVar[Mapping[str, str]] = {"": "lin-2004-rouge"}
    TOKENIZER_DEFAULT: ClassVar[str] = "rouge"
    VARIANT: ClassVar[str] = "L"

    variant: Option[str] = Option(choice, known=VARIANTS)
    stem = Option(yes_or_no)
    measure: Option[str] = Option(choice, known=MEASURES, in_rows=False)
    sentences: Option[Any] = Option(_sentences, in_rows=False)

    def __init__(
        self,
        variant: str | None = None,
        stem: bool = False,
        tokenize: str | BaseTokenizer | Callable[[str], object] | None = None,
        lowercase: bool = True,
        measure: str = "fmeasure",
        sentences: str | Callable[[str], Sequence[str]] = "newline",
        trg_lang: str = "",
        references: Sequence[Sequence[str | None]] | None = None,
        *,
        empty_refs: str = "drop",
        normalize: str | Sequence[str] = "",
    ) -> None:
        self.variant = self.VARIANT if variant is None else variant
        # As if there were a class for each variant: rows, columns and messages tell them apart by these.
        name, label, is_of_ngrams = f"ROUGE{self.variant.upper()}", f"ROUGE-{self.variant}", self.variant.isdecimal()
        vars(self).update(name=name, label=label, _can_aggregate=is_of_ngrams)
        self.stem = stem
        self.measure = measure
        self.sentences = sentences
        super().__init__(lowercase, tokenize, trg_lang, references, empty_refs, normalize)
        if not self.lowercase and self.tokenizer.native in _LOWERING:
            raise OptionError(f"{self.name}: lowercase is False, and the tokenizer {self.tokenizer.signed} lowers case")
        if self._cached is not None:
            self._look_at(self._cached.streams)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of a row's cells: three whole numbers for each mean, whose sums are exact, and the segments."""
        means = [f"{measure}_{cell}" for measure in ("precision", "recall", "fmeasure") for cell in range(3)]
        return (*means, "segments")

    @classmethod
    def options_of_name(cls, name: str, notes: list[str]) -> dict[str, Any]:
        """Read the variant from the name: ROUGE-L has L.

        Parameters
        ----------
        name, notes
            As in `Metric.options_of_name`.
        """
        found = re.fullmatch("rouge-?([1-9]|l|lsum)", name, re.I)
        if found is None:
            notes.append(f"the signature does not say which ROUGE it is; ROUGE-{cls.VARIANT} is assumed")
            return {"variant": cls.VARIANT}
        return {"variant": found[1].capitalize()}

    def tokens(self, texts: Iterable[str]) -> list[list[str]]:
        """Give the tokens of texts as the metric counts them: normalised, lower-cased, tokenized, stemmed if asked.

        Parameters
        ----------
        texts
            The texts.
        """
        found = super().tokens(texts)
        return [_core.tokenize("none", " ".join(words), True).split() for words in found] if self.stem else found

    @property
    def _signed_sentences(self) -> str | None:
        """How sentences are split, where that matters."""
        if self.variant != "Lsum":
            return None
        if callable(self.sentences):
            from truebleu.tokenizers.custom import CallableTokenizer

            return CallableTokenizer(self.sentences).signature()
        mark = str(self.sentences)
        return mark if mark in ("newline", "punkt") else _SEPARATOR + mark

    @property
    def _signed_measure(self) -> str | None:
        return None if self.measure == "fmeasure" else self.measure

    @property
    def _splits_here(self) -> bool:
        """Whether texts are split into sentences, and then into tokens, outside the engine."""
        return self.variant == "Lsum" and self.tokenizer.native not in _KEEP_LINES

    def _row_options(self) -> dict[str, object]:
        split = {} if self.variant != "Lsum" else {"sentences": self._signed_sentences}
        return {**super()._row_options(), **split}

    def _make_preparation(self) -> Tokenized | None:
        if self.variant != "Lsum":
            return super()._make_preparation()
        if self.sentences == "newline" and not self._splits_here:
            return None
        split = _splitter(self.name, self.sentences)
        return _BySentence(self.tokenizer if self._splits_here else None, self.lowercase, split)

    def _engine_text(self) -> dict[str, Any]:
        if self._splits_here:
            return {"tokenizer": "none", "lowercase": False}
        text = super()._engine_text()
        # It lower-cases text itself, which is faster.
        return {**text, "lowercase": text["lowercase"] and text["tokenizer"] != "rouge"}

    def _row_rules(self, cells: Cells, single: bool, summed: bool) -> Rules:
        yield from super()._row_rules(cells, single, summed)
        yield from not_means(cells, ("precision", "recall", "fmeasure"), summed)

    def _make_engine(self) -> Engine:
        return _core.rouge_engine(**self._engine_text(), stem=self.stem, variant=self.variant, measure=self.measure)

    def _score_from(self, totals: list[float], signature: Signature) -> ROUGEScore:
        score, parts = self.engine.parts(totals)
        return ROUGEScore(self.variant, score, *parts, signature=signature)

    def _prepared_corpus(self, corpus: Corpus) -> Corpus:
        corpus = super()._prepared_corpus(corpus)
        self._look_at(corpus.streams)
        return corpus

    def _look_at(self, streams: list[Stream], *, is_sample: bool = False) -> None:
        """Refuse references that the tokenizer `rouge` finds nothing in: all scores would be 0, or nearly so."""
        if self.tokenizer.native != "rouge":
            return
        missed, first, letters, dropped = _core.rouge_reach(streams)
        segments = len(streams[0]) if streams else 0
        use = "use tokenize='rouge-unicode' (--rouge-tokenize), or the tokenizer of the language, such as 'zh'"
        looked_at = (
            f"{number_of(segments, 'segment')} that were looked at"
            if is_sample
            else f"{number_of(segments, 'segment')}"
        )
        found = f"{missed} of {looked_at} have no ASCII letter or digit in their references"
        if missed and missed >= _MOST_MISSED * segments:
            text = next(stream[first or 0] for stream in streams if stream[first or 0])
            place = f"One is {brief(text)}" if is_sample else f"The first is segment {first} (counted from 0)"
            raise TokenizerMismatch(
                f"{self.name}: the tokenizer 'rouge' keeps only ASCII letters and digits, and {found}. Expected less "
                f"than 5 %. {place}; {use}"
            )
        if missed:
            warn("%s: %s, where the tokenizer 'rouge' finds no token; %s", self.name, found, use)
        # The share of a single segment means little, and a loop over segments would log a thousand of them.
        if segments > 1 and dropped > _MOST_DROPPED * letters:
            share = 100 * dropped / letters
            warn("%s: the tokenizer 'rouge' drops %.1f %% of the references' letters; %s", self.name, share, use)

    def _corpus(self, *given: Any, **options: Any) -> Corpus:
        corpus = super()._corpus(*given, **options)
        self._look_at_both(corpus.hypotheses, corpus.streams)
        return corpus

    def _look_at_both(self, hypotheses: Texts, streams: list[Stream], *, is_sample: bool = False) -> None:
        """Warn that ROUGE-Lsum equals ROUGE-L if no text has two sentences."""
        if self.variant == "Lsum" and not any(text and "\n" in text for one in (hypotheses, *streams) for text in one):
            where = f" in {number_of(len(hypotheses), 'segment')} that were looked at" if is_sample else ""
            warn(
                "%s: no text%s has more than one sentence, so that ROUGE-Lsum is ROUGE-L; sentences= "
                "(--rouge-sentences) says where they end: 'newline', 'punkt', a mark such as '<n>', or a function",
                self.name, where,
            )  # fmt: skip


def _of_order(order: str) -> type[ROUGE]:
    """The class of n-grams of one length, so that rows and receipts find it by their name."""
    name, words = f"ROUGE{order}", "single words" if order == "1" else f"{order} neighbouring words"
    about = f"ROUGE-{order}: {words}. It has the parameters of `ROUGE`."
    said = {"__doc__": about, "__module__": __name__, "VARIANT": order, "name": name, "label": f"ROUGE-{order}"}
    return type(name, (ROUGE,), {**said, "flags": ROUGE.flags[1:]})


globals().update((f"ROUGE{order}", _of_order(order)) for order in VARIANTS if order.isdecimal())


class ROUGEL(ROUGE):
    """ROUGE-L: the longest common subsequence of words. It has the parameters of `ROUGE`."""

    VARIANT, name, label, flags = "L", "ROUGEL", "ROUGE-L", ROUGE.flags[1:]


class ROUGELsum(ROUGE):
    """ROUGE-Lsum: the longest common subsequences of sentences. It has the parameters of `ROUGE`."""

    VARIANT, name, label, flags = "Lsum", "ROUGELSUM", "ROUGE-Lsum", ROUGE.flags[1:]


class _BySentence(Tokenized):
    """Splits texts into sentences, which then stand on lines, and tokenizes each if the engine is not to."""

    def __init__(self, tokenizer: BaseTokenizer | None, lowercase: bool, split: Callable[[str], Sequence[str]]) -> None:
        self._tokenizer, self.lowercase, self._split = tokenizer, lowercase, split

    def texts(self, texts: Texts) -> tuple[str, ...]:
        return tuple("\n".join(self._lines(text)) for text in texts)

    def _lines(self, text: str) -> list[str]:
        # A line feed inside a sentence does not end it.
        lines = [sentence.replace("\n", " ") for sentence in self._split(text)]
        if self._tokenizer is None:
            return lines
        return list(Tokenized(self._tokenizer, self.lowercase).texts(tuple(lines)))


def _splitter(who: str, sentences: str | Callable[[str], Sequence[str]]) -> Callable[[str], Sequence[str]]:
    """The function that splits a text into sentences."""
    if isinstance(sentences, str) and sentences != "punkt":
        mark = "\n" if sentences == "newline" else sentences
        return lambda text: text.split(mark)
    split = punkt(who) if isinstance(sentences, str) else sentences

    def checked(text: str) -> Sequence[str]:
        found = split(text)
        if isinstance(found, list | tuple) and all(isinstance(sentence, str) for sentence in found):
            return found
        raise InputTypeError(f"{who}: sentences returned {brief(found)} for {brief(text)}, expected a list of strings")

    return checked


def punkt(who: str) -> Callable[[str], list[str]]:
    """Find NLTK's `sent_tokenize`."""
    try:
        from nltk import sent_tokenize
    except ImportError as error:
        raise MissingDependency(f"{who}: sentences='punkt' needs NLTK: pip install nltk") from error

    def split(text: str) -> list[str]:
        try:
            return list(sent_tokenize(text))
        except LookupError as error:
            raise MissingDependency(
                f"{who}: sentences='punkt' needs NLTK's data: python -c \"import nltk; nltk.download('punkt_tab')\""
            ) from error

    return split
