"""One call makes a metric and scores. `truebleu.sacrebleu` has the same functions over its own metrics.

>>> round(corpus_bleu(["A heron stood by the pond."], [["A grey heron stood by the pond."]]).score, 2)
72.9
"""

from collections.abc import Callable, Sequence
from functools import lru_cache

from truebleu._logs import warn
from truebleu._options import yes_or_no
from truebleu._typing import Any, TypeVar
from truebleu.metrics.bleu import BLEU, MAX_NGRAM_ORDER, BLEUScore
from truebleu.metrics.chrf import CHRF, CHRFScore
from truebleu.metrics.ter import TER, TERScore
from truebleu.tokenizers.registry import NATIVE

M = TypeVar("M", BLEU, CHRF, TER)

Texts = Sequence[str]
Streams = Sequence[Sequence[str | None]]


def corpus_bleu(
    hypotheses: Texts,
    references: Streams,
    smooth_method: str = "exp",
    smooth_value: float | None = None,
    force: bool = False,
    lowercase: bool = False,
    tokenize: str | None = BLEU.TOKENIZER_DEFAULT,
    use_effective_order: bool = False,
) -> BLEUScore:
    """Score a corpus with BLEU.

    Parameters
    ----------
    hypotheses
        The output of the system, one string for each segment.
    references
        A list of streams, each with one reference for every segment (None: no reference here).
    smooth_method
        How orders without a match are smoothed: "exp", "floor", "add-k", "none", or "method0" to "method7".
    smooth_value
        The value that the method smooths with; None for the usual one.
    force
        Whether to suppress the warning about text that seems to be tokenized already.
    lowercase
        Whether case is ignored.
    tokenize
        The name of the tokenizer.
    use_effective_order
        Whether to leave orders for which a text is too short out of the mean; use it for single sentences.

    Examples
    --------
    >>> corpus_bleu(["A heron stood by the pond."], [["A grey heron stood by the pond."]], lowercase=True)
    BLEU = 72.90 100.0/83.3/80.0/75.0 (BP = 0.867 ratio = 0.875 hyp_len = 7 ref_len = 8)
    """
    metric = _bleu(lowercase, force, tokenize, smooth_method, smooth_value, MAX_NGRAM_ORDER, use_effective_order)
    return metric.corpus_score(hypotheses, _as_streams("corpus_bleu", hypotheses, references))


def raw_corpus_bleu(hypotheses: Texts, references: Streams, smooth_value: float | None = 0.1) -> BLEUScore:
    """Score a corpus that is tokenized already: it is split on white space, with floor smoothing and effective order.

    Parameters
    ----------
    hypotheses, references
        As in `corpus_bleu`.
    smooth_value
        How many matches an order without a match counts as.
    """
    return corpus_bleu(
        hypotheses, references, "floor", smooth_value, force=True, tokenize="none", use_effective_order=True
    )


def sentence_bleu(
    hypothesis: str,
    references: Sequence[str | None],
    smooth_method: str = "exp",
    smooth_value: float | None = None,
    lowercase: bool = False,
    tokenize: str | None = BLEU.TOKENIZER_DEFAULT,
    use_effective_order: bool = True,
) -> BLEUScore:
    """Score one segment with BLEU.

    Parameters
    ----------
    hypothesis
        The output of the system.
    references
        The references of this segment.
    smooth_method, smooth_value, lowercase, tokenize, use_effective_order
        As in `corpus_bleu`.

    Examples
    --------
    >>> sentence_bleu("a grey bird", ["a grey heron", "a grey bird flew"])
    BLEU = 100.00 100.0/100.0/100.0/0.0 (BP = 1.000 ratio = 1.000 hyp_len = 3 ref_len = 3)
    """
    metric = _bleu(lowercase, False, tokenize, smooth_method, smooth_value, MAX_NGRAM_ORDER, use_effective_order)
    return metric.sentence_score(hypothesis, references)


def corpus_chrf(
    hypotheses: Texts,
    references: Streams,
    char_order: int = CHRF.CHAR_ORDER,
    word_order: int = CHRF.WORD_ORDER,
    beta: float = CHRF.BETA,
    remove_whitespace: bool = True,
    eps_smoothing: bool = False,
) -> CHRFScore:
    """Score a corpus with chrF, or with chrF++ if words count too.

    Parameters
    ----------
    hypotheses, references
        As in `corpus_bleu`.
    char_order
        The longest n-grams of characters that are counted.
    word_order
        The longest n-grams of words that are counted: 0 is chrF, 2 is chrF++.
    beta
        How many times as much recall counts as precision.
    remove_whitespace
        Whether white space is left out of the n-grams of characters.
    eps_smoothing
        Whether orders without n-grams are smoothed by a small number, and not left out of the mean.
    """
    whitespace = not yes_or_no("corpus_chrf", "remove_whitespace", remove_whitespace)
    metric = _metric(CHRF, char_order, word_order, beta, False, whitespace, eps_smoothing)
    return metric.corpus_score(hypotheses, _as_streams("corpus_chrf", hypotheses, references))


def sentence_chrf(
    hypothesis: str,
    references: Sequence[str | None],
    char_order: int = CHRF.CHAR_ORDER,
    word_order: int = CHRF.WORD_ORDER,
    beta: float = CHRF.BETA,
    remove_whitespace: bool = True,
    eps_smoothing: bool = False,
) -> CHRFScore:
    """Score one segment with chrF, or with chrF++ if words count too.

    Parameters
    ----------
    hypothesis, references
        As in `sentence_bleu`.
    char_order, word_order, beta, remove_whitespace, eps_smoothing
        As in `corpus_chrf`.
    """
    whitespace = not yes_or_no("sentence_chrf", "remove_whitespace", remove_whitespace)
    metric = _metric(CHRF, char_order, word_order, beta, False, whitespace, eps_smoothing)
    return metric.sentence_score(hypothesis, references)


def corpus_ter(
    hypotheses: Texts,
    references: Streams,
    normalized: bool = False,
    no_punct: bool = False,
    asian_support: bool = False,
    case_sensitive: bool = False,
) -> TERScore:
    """Score a corpus with TER. Lower is better.

    Parameters
    ----------
    hypotheses, references
        As in `corpus_bleu`.
    normalized
        Whether punctuation is split from words.
    no_punct
        Whether punctuation is removed.
    asian_support
        Whether Chinese and Japanese characters count as words, with `normalized`; their punctuation is removed with
        `no_punct`.
    case_sensitive
        Whether case counts.
    """
    metric = _metric(TER, normalized, no_punct, asian_support, case_sensitive)
    return metric.corpus_score(hypotheses, _as_streams("corpus_ter", hypotheses, references))


def sentence_ter(
    hypothesis: str,
    references: Sequence[str | None],
    normalized: bool = False,
    no_punct: bool = False,
    asian_support: bool = False,
    case_sensitive: bool = False,
) -> TERScore:
    """Score one segment with TER. Lower is better.

    Parameters
    ----------
    hypothesis, references
        As in `sentence_bleu`.
    normalized, no_punct, asian_support, case_sensitive
        As in `corpus_ter`.
    """
    return _metric(TER, normalized, no_punct, asian_support, case_sensitive).sentence_score(hypothesis, references)


def _bleu(lowercase: Any, force: Any, tokenize: Any, *options: Any) -> BLEU:
    """A metric with these options. One whose tokenizer is not the engine's is not kept: it may be large."""
    if type(tokenize) is str and tokenize in NATIVE:
        return _metric(BLEU, lowercase, force, tokenize, *options)
    return BLEU(lowercase, force, tokenize, *options)


def _metric(kind: Callable[..., M], *options: Any) -> M:
    """A metric with these options, perhaps that of an earlier call: to make one takes longer than to score a sentence.

    The metric itself refuses an option that cannot be a key.
    """
    try:
        metric: M = _kept(kind, *options)
    except TypeError:
        metric = kind(*options)
    return metric


@lru_cache(32, typed=True)  # 1 and True are equal, and scores may show which of them it was
def _kept(kind: Callable[..., M], *options: Any) -> M:
    return kind(*options)


def _as_streams(name: str, hypotheses: Texts, references: Streams) -> Streams:
    """The references; one stream of several for one hypothesis becomes as many streams of one.

    Loops for self-BLEU are written like this, and sacreBLEU scores them with the first reference alone.
    """
    stream = several_for_one(hypotheses, references)
    if stream is None:
        return references
    message = (
        "%s: there is one hypothesis, and one reference stream with %d entries. All are taken for its references, as "
        "in %s([hypothesis], [[text] for text in references]); sacreBLEU would use the first alone"
    )
    warn(message, name, len(stream), name)
    return [[reference] for reference in stream]


def several_for_one(hypotheses: Texts, references: Streams) -> Sequence[str | None] | None:
    """Give the only stream, if it has several references and there is one hypothesis; else None.

    A hypothesis of several lines is left to be refused: it looks like a whole file where its lines were meant.
    """
    lists = (list, tuple)
    if not (isinstance(hypotheses, lists) and isinstance(references, lists)) or not 1 == len(hypotheses) == len(
        references
    ):
        return None
    text, stream = hypotheses[0], references[0]
    if not isinstance(text, str) or len(text.splitlines()) > 1 or not isinstance(stream, lists) or len(stream) < 2:
        return None
    return stream
