"""sacreBLEU's functions: one call makes a metric and scores.

>>> round(corpus_bleu(["A heron stood by the pond."], [["A grey heron stood by the pond."]]).score, 2)
72.9
"""

from collections.abc import Sequence

from truebleu._logs import warn
from truebleu.metrics.bleu import BLEU, BLEUScore
from truebleu.metrics.chrf import CHRF, CHRFScore
from truebleu.metrics.ter import TER, TERScore

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
    """BLEU of a corpus against one or more reference streams."""
    metric = BLEU(
        lowercase=lowercase,
        force=force,
        tokenize=tokenize,
        smooth_method=smooth_method,
        smooth_value=smooth_value,
        effective_order=use_effective_order,
    )
    return metric.corpus_score(hypotheses, _as_streams("corpus_bleu", hypotheses, references))


def raw_corpus_bleu(hypotheses: Texts, references: Streams, smooth_value: float | None = 0.1) -> BLEUScore:
    """BLEU of text that is tokenized already: split on white space, floor smoothing, effective order."""
    return corpus_bleu(
        hypotheses,
        references,
        smooth_method="floor",
        smooth_value=smooth_value,
        force=True,
        tokenize="none",
        use_effective_order=True,
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
    """BLEU of one segment against its references."""
    metric = BLEU(
        lowercase=lowercase,
        tokenize=tokenize,
        smooth_method=smooth_method,
        smooth_value=smooth_value,
        effective_order=use_effective_order,
    )
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
    """chrF of a corpus against one or more reference streams."""
    metric = _chrf(char_order, word_order, beta, remove_whitespace, eps_smoothing)
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
    """chrF of one segment against its references."""
    return _chrf(char_order, word_order, beta, remove_whitespace, eps_smoothing).sentence_score(hypothesis, references)


def corpus_ter(
    hypotheses: Texts,
    references: Streams,
    normalized: bool = False,
    no_punct: bool = False,
    asian_support: bool = False,
    case_sensitive: bool = False,
) -> TERScore:
    """TER of a corpus against one or more reference streams."""
    metric = TER(normalized, no_punct, asian_support, case_sensitive)
    return metric.corpus_score(hypotheses, _as_streams("corpus_ter", hypotheses, references))


def sentence_ter(
    hypothesis: str,
    references: Sequence[str | None],
    normalized: bool = False,
    no_punct: bool = False,
    asian_support: bool = False,
    case_sensitive: bool = False,
) -> TERScore:
    """TER of one segment against its references."""
    return TER(normalized, no_punct, asian_support, case_sensitive).sentence_score(hypothesis, references)


def _chrf(char_order: int, word_order: int, beta: float, remove_whitespace: bool, eps_smoothing: bool) -> CHRF:
    return CHRF(char_order, word_order, beta, whitespace=not remove_whitespace, eps_smoothing=eps_smoothing)


def _as_streams(name: str, hypotheses: Texts, references: Streams) -> Streams:
    """One stream of several references for one hypothesis: that can only mean that all are its references.

    Loops for self-BLEU are written like this, and sacreBLEU scores them with the first reference alone. A hypothesis
    of several lines is left to be refused: it looks like a whole file where its lines were meant.
    """
    lists = (list, tuple)
    if not (isinstance(hypotheses, lists) and isinstance(references, lists)):
        return references
    if not (len(hypotheses) == len(references) == 1 and isinstance(references[0], lists) and len(references[0]) > 1):
        return references
    if not isinstance(hypotheses[0], str) or len(hypotheses[0].splitlines()) > 1:
        return references
    warn(
        "%s: there is one hypothesis, and one reference stream with %d entries. All are taken for its references, as "
        "in %s([hypothesis], [[text] for text in references]); sacreBLEU would use the first alone",
        name,
        len(references[0]),
        name,
    )
    return [[reference] for reference in references[0]]
