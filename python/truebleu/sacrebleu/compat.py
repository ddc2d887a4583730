"""sacreBLEU's functions: those of truebleu, with the metrics of the face."""

from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any, ParamSpec, TypeVar, cast

from truebleu._logs import warn
from truebleu.metrics import functions
from truebleu.sacrebleu._version_one import also_named
from truebleu.sacrebleu.metrics import BLEU, CHRF, TER, BLEUScore, CHRFScore, TERScore

P = ParamSpec("P")
S = TypeVar("S")


def _first_alone(name: str, hypotheses: Sequence[str], references: Any) -> Any:
    """The references; of one stream of several for one hypothesis the first, which is what sacreBLEU scores with.

    `truebleu.corpus_bleu` takes all of them for its references. Here sacreBLEU's number stays, with a warning.
    """
    stream = functions.several_for_one(hypotheses, references)
    if stream is None:
        return references
    message = (
        "%s: there is one hypothesis, and one reference stream with %d entries. As in sacreBLEU, the first alone is "
        "used; for all of them pass [[text] for text in references]"
    )
    warn(message, name, len(stream))
    return [[stream[0]]]


def _new(kind: Callable[..., S], *options: Any) -> S:
    """A new metric for each call: one of an earlier call would not hear what a program has replaced since."""
    return kind(*options)


# What the names in the code of the functions mean here. Helpers keep the meanings of their own module, so those that
# make metrics are replaced too.
_MEANINGS = {
    **vars(functions),
    **{"__name__": __name__, "BLEU": BLEU, "CHRF": CHRF, "TER": TER},
    **{"_bleu": BLEU, "_metric": _new, "_as_streams": _first_alone},
}


def _of_face(function: Callable[P, object], score: type[S], **old_names: str) -> Callable[P, S]:
    """Make a function that runs the same code, with the metrics of the face in the place of truebleu's."""
    ours = cast(FunctionType, function)
    made = FunctionType(ours.__code__, _MEANINGS, ours.__name__, ours.__defaults__)
    made.__annotations__ = {**ours.__annotations__, "return": score}
    _MEANINGS[ours.__name__] = made
    return cast(Callable[P, S], also_named(**old_names)(made))


_STREAMS = {"sys_stream": "hypotheses", "ref_streams": "references"}
corpus_bleu = _of_face(functions.corpus_bleu, BLEUScore, **_STREAMS)
"""Scores a corpus with BLEU; the parameters are those of `truebleu.corpus_bleu`."""
raw_corpus_bleu = _of_face(functions.raw_corpus_bleu, BLEUScore, **_STREAMS)
"""Scores a corpus that is tokenized already; the parameters are those of `truebleu.raw_corpus_bleu`."""
sentence_bleu = _of_face(functions.sentence_bleu, BLEUScore)
"""Scores one segment with BLEU; the parameters are those of `truebleu.sentence_bleu`."""
corpus_chrf = _of_face(functions.corpus_chrf, CHRFScore, order="char_order")
"""Scores a corpus with chrF or chrF++; the parameters are those of `truebleu.corpus_chrf`."""
sentence_chrf = _of_face(functions.sentence_chrf, CHRFScore, order="char_order")
"""Scores one segment with chrF or chrF++; the parameters are those of `truebleu.sentence_chrf`."""
corpus_ter = _of_face(functions.corpus_ter, TERScore)
"""Scores a corpus with TER; the parameters are those of `truebleu.corpus_ter`."""
sentence_ter = _of_face(functions.sentence_ter, TERScore)
"""Scores one segment with TER; the parameters are those of `truebleu.sentence_ter`."""
