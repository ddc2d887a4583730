"""From a published signature back to a metric: score exactly as a paper did.

Three ways of writing are understood:

- `BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.4.0`,
- its short form `BLEU|#:1|c:mixed|e:no|tok:13a|s:exp|v:2.4.0`,
- and that of sacreBLEU 1, `BLEU+case.mixed+numrefs.1+smooth.exp+tok.13a+version.1.5.1`.

So are the forms of sacreCOMET and BERTScore: see `published_learned`.

>>> metric_from_signature("chrF2++|nrefs:1|case:mixed|eff:yes|nc:6|nw:2|space:no|version:2.0.0")
CHRF(char_order=6, word_order=2, beta=2, lowercase=False, whitespace=False, eps_smoothing=False)
"""

from __future__ import annotations

from collections.abc import Mapping

from truebleu._inputs import EMPTY_REFS, brief
from truebleu._records import NamedTuple
from truebleu._typing import TYPE_CHECKING, Any
from truebleu.errors import OptionError, UnknownSignature
from truebleu.metrics.base import Metric
from truebleu.metrics.options import SACREBLEU
from truebleu.metrics.registry import METRICS, VARIANTS, is_learned
from truebleu.normalization import names_in_order
from truebleu.signature import ELSEWHERE, SHORT_FORMS, read_fields
from truebleu.version import __version__

if TYPE_CHECKING:
    from truebleu.metrics.external import ExternalMetric

# Fields of scores from elsewhere.
_ELSEWHERE = {*ELSEWHERE, "missing"} - {"level"}
_CONTEXT = tuple(key for key in SHORT_FORMS if key not in ("empty", "textnorm", *_ELSEWHERE, "version"))
LONG = {short: key for key, short in SHORT_FORMS.items()} | {"numrefs": "nrefs"}


class Published(NamedTuple):
    """The content of a signature."""

    metric: str  # the name of a metric on the command line
    options: Mapping[str, Any]  # arguments of the metric's constructor
    context: Mapping[str, str]  # what is not the metric's: references, test set, resampling
    notes: tuple[str, ...]  # what cannot be honoured, or had to be assumed

    def make(self, **more: Any) -> Metric[Any]:
        """Make the metric."""
        metric: Metric[Any] = METRICS[self.metric](**self.options, **more)
        return metric


def metric_from_signature(text: str) -> Metric[Any] | ExternalMetric:
    """Make the metric that a signature describes; its fields about test sets and resampling are ignored here.

    That of scores from elsewhere gives an `ExternalMetric`.

    Parameters
    ----------
    text
        The signature, perhaps with the name of the score before it.
    """
    return _external(text) or parse_signature(text).make()


def _external(text: str) -> ExternalMetric | None:
    """The metric of scores from elsewhere; None if the signature is of another."""
    from truebleu.metrics.external import FIELDS, SIGNED, ExternalMetric

    if _learned(text):
        return None
    fields = {LONG.get(key, key): value for key, value in read_fields(text)[1].items()}
    if "external" not in fields:
        return None
    known: dict[str, Any] = {key: fields[written] for key, written in FIELDS.items() if written in fields}
    said = fields.get("dir", "")
    if said not in ("", "low", "low!", "high!"):
        raise UnknownSignature(f"the signature has dir {brief(said)}, expected low, low! or high!")
    if said:
        known |= {"higher_is_better": said == "high!", "direction_anyway": said.endswith("!")}
    level = next((one for one, signed in SIGNED.items() if signed == fields.get("level")), fields.get("level", ""))
    return ExternalMetric(fields["external"], level=level, **known)


def _learned(text: str) -> tuple[str, dict[str, Any], list[str]] | None:
    """What another program says of a learned metric: the metric, its options, and notes."""
    from truebleu.metrics.published_learned import read

    return read(text)


def parse_signature(text: str) -> Published:
    """Read a signature of either version, long or short."""
    if (external := _external(text)) is not None:
        model = f":{external.model}" if external.model else ""
        raise UnknownSignature(
            f"the signature is of scores from elsewhere: bring them with --external '{external.name}{model}=FILE,...'"
        )
    if (learned := _learned(text)) is not None:
        metric, found, told = learned
        return Published(metric, found, {}, tuple(told))
    name, kind, fields = in_full(text)
    notes: list[str] = []
    options = kind.options_of_name(name, notes)
    for field in kind.fields:
        if field.default is not None:
            options |= field.options(field.default, notes)
    for field in kind.fields:
        if field.key in fields:
            read = field.options(fields.pop(field.key), notes)
            options |= {key: {**options.get(key, {}), **one} if key == "facts" else one for key, one in read.items()}
    if "empty" in fields:
        options["empty_refs"] = _known_empty(fields.pop("empty"))
    if "textnorm" in fields:
        # WER may have been standardized too, which its own field tells.
        own = options.get("normalize", "")
        options["normalize"] = _known_normalize(fields.pop("textnorm")) + (f",{own}" if own else "")
    context = {key: fields.pop(key) for key in _CONTEXT if key in fields}
    version = fields.pop("version", None)
    if version and not version.startswith("truebleu"):
        notes.append(f"version {version}: this is truebleu {__version__}, which gives the numbers of {SACREBLEU}")
    if fields:
        unknown = brief(", ".join(f"{key}:{value}" for key, value in fields.items()))[1:-1]
        raise UnknownSignature(f"the signature has {unknown}, which {kind.label} does not know: {brief(text)}")
    return Published(kind.name.lower(), options, context, tuple(notes))


def in_full(text: str) -> tuple[str, type[Metric[Any]], dict[str, str]]:
    """Read the name of the score, its metric, and the fields by their long keys."""
    name, written = read_fields(text)
    kind = _metric_of(name, written, text)
    return name, kind, {_long_key(kind, key, value): value for key, value in written.items()}


def of_score(name: str, settings: Mapping[str, str]) -> type[Metric[Any]] | None:
    """Find the metric of a score by its name, as in chrF2++, and the fields of its signature; None if it is no metric.

    Scores from elsewhere may be called as one of ours.
    """
    stem = name.partition("-")[0].rstrip("0123456789.+").upper()
    key = VARIANTS[name.lower()][0] if name.lower() in VARIANTS else name.upper() if name.upper() in METRICS else stem
    return None if "external" in settings else METRICS.get(key) or (METRICS[name] if is_learned(name) else None)


def stated(name: str, settings: Mapping[str, str]) -> dict[str, str]:
    """Give the statements for a paper: metric, tokenizer, case and smoothing."""
    return (of_score(name, settings) or Metric)._stated(name, settings)


def _metric_of(name: str, written: Mapping[str, str], text: str) -> type[Metric[Any]]:
    """The metric of that name; without a name, the first metric that has most of the keys."""
    found = of_score(name, {})
    if found is not None:
        return found
    if name.partition("-")[0].rstrip("0123456789.+"):
        known = ", ".join(kind.label for kind in METRICS.values())
        raise UnknownSignature(f"the signature is of {brief(name)}, expected {known}: {brief(text)}")
    return max(METRICS.values(), key=lambda kind: len(_own_keys(kind).keys() & written.keys()))


def _own_keys(kind: type[Metric[Any]]) -> dict[str, str]:
    """The long key for each way of writing a field of the metric."""
    return {written: field.key for field in kind.fields for written in (field.key, field.short, field.old) if written}


def _long_key(kind: type[Metric[Any]], key: str, value: str) -> str:
    own, common = _own_keys(kind).get(key), LONG.get(key)
    if own and common:
        # The `t` of TER is its tokenizer or a test set: it is the metric's if it looks like the usual value.
        usual = next(field.default for field in kind.fields if field.key == own)
        return own if usual and value.startswith(usual) else common
    return own or common or key


def _known_normalize(text: str) -> str:
    try:
        return ",".join(names_in_order("the signature", "textnorm", text.split("+")))
    except OptionError as error:
        raise UnknownSignature(str(error)) from error


def _known_empty(text: str) -> str:
    if text not in EMPTY_REFS:
        raise UnknownSignature(f"the signature has empty {brief(text)}, expected one of {', '.join(EMPTY_REFS)}")
    return text
