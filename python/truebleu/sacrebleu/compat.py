"""sacreBLEU's functions: one call makes a metric and scores."""

from collections.abc import Sequence
from typing import Any

from truebleu._logs import warn
from truebleu.sacrebleu._version_one import also_named
from truebleu.sacrebleu.metrics import BLEU, CHRF, TER, BLEUScore, CHRFScore, TERScore

Texts = Sequence[str]
Streams = Sequence[Sequence[str | None]]


@also_named(sys_stream="hypotheses", ref_streams="references")
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
        How orders without a match are smoothed: "exp", "floor", "add-k" or "none".
    smooth_value
        The value that the method smooths with; None for the usual one.
    force
        Whether to be silent about text that seems to be tokenized already.
    lowercase
        Whether case is ignored.
    tokenize
        The name of the tokenizer.
    use_effective_order
        Whether orders that a text is too short for are left out of the mean; wanted for single sentences.
    """
    metric = BLEU(lowercase, force, tokenize, smooth_method, smooth_value, effective_order=use_effective_order)
    score: BLEUScore = metric.corpus_score(hypotheses, _first_alone("corpus_bleu", hypotheses, references))
    return score


@also_named(sys_stream="hypotheses", ref_streams="references")
def raw_corpus_bleu(hypotheses: Texts, references: Streams, smooth_value: float | None = 0.1) -> BLEUScore:
    """Score a corpus that is tokenized already: it is split on white space, with floor smoothing and effective order.

    Parameters
    ----------
    hypotheses
        The output of the system, one string for each segment.
    references
        A list of streams, each with one reference for every segment (None: no reference here).
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
    smooth_method
        How orders without a match are smoothed: "exp", "floor", "add-k" or "none".
    smooth_value
        The value that the method smooths with; None for the usual one.
    lowercase
        Whether case is ignored.
    tokenize
        The name of the tokenizer.
    use_effective_order
        Whether orders that the segment is too short for are left out of the mean.
    """
    metric = BLEU(lowercase, False, tokenize, smooth_method, smooth_value, effective_order=use_effective_order)
    score: BLEUScore = metric.sentence_score(hypothesis, references)
    return score


@also_named(order="char_order")
def corpus_chrf(
    hypotheses: Texts,
    references: Streams,
    char_order: int = CHRF.CHAR_ORDER,
    word_order: int = CHRF.WORD_ORDER,
    beta: int = CHRF.BETA,
    remove_whitespace: bool = True,
    eps_smoothing: bool = False,
) -> CHRFScore:
    """Score a corpus with chrF, or with chrF++ if words count too.

    Parameters
    ----------
    hypotheses
        The output of the system, one string for each segment.
    references
        A list of streams, each with one reference for every segment (None: no reference here).
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
    metric = CHRF(char_order, word_order, beta, whitespace=not remove_whitespace, eps_smoothing=eps_smoothing)
    score: CHRFScore = metric.corpus_score(hypotheses, _first_alone("corpus_chrf", hypotheses, references))
    return score


@also_named(order="char_order")
def sentence_chrf(
    hypothesis: str,
    references: Sequence[str | None],
    char_order: int = CHRF.CHAR_ORDER,
    word_order: int = CHRF.WORD_ORDER,
    beta: int = CHRF.BETA,
    remove_whitespace: bool = True,
    eps_smoothing: bool = False,
) -> CHRFScore:
    """Score one segment with chrF, or with chrF++ if words count too.

    Parameters
    ----------
    hypothesis
        The output of the system.
    references
        The references of this segment.
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
    metric = CHRF(char_order, word_order, beta, whitespace=not remove_whitespace, eps_smoothing=eps_smoothing)
    score: CHRFScore = metric.sentence_score(hypothesis, references)
    return score


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
    hypotheses
        The output of the system, one string for each segment.
    references
        A list of streams, each with one reference for every segment (None: no reference here).
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
    metric = TER(normalized, no_punct, asian_support, case_sensitive)
    score: TERScore = metric.corpus_score(hypotheses, _first_alone("corpus_ter", hypotheses, references))
    return score


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
    hypothesis
        The output of the system.
    references
        The references of this segment.
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
    score: TERScore = TER(normalized, no_punct, asian_support, case_sensitive).sentence_score(hypothesis, references)
    return score


def _first_alone(name: str, hypotheses: Texts, references: Streams) -> Any:
    """The references; of one stream of several for one hypothesis the first, which is what sacreBLEU scores with.

    `truebleu.corpus_bleu` takes all of them for its references. Here sacreBLEU's number stays, with a warning.
    """
    lists = (list, tuple)
    if not all(isinstance(given, lists) and len(given) == 1 for given in (hypotheses, references)):
        return references
    text, stream = hypotheses[0], references[0]
    if not isinstance(text, str) or len(text.splitlines()) > 1 or not isinstance(stream, lists) or len(stream) < 2:
        return references
    message = (
        "%s: there is one hypothesis, and one reference stream with %d entries. As in sacreBLEU, the first alone is "
        "used; for all of them pass [[text] for text in references]"
    )
    warn(message, name, len(stream))
    return [[stream[0]]]
