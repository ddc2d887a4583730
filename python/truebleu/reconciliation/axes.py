"""What can differ between two scores of the same files: axes, each with its values, the usual one first.

A `Setting` is a metric and a value on each of its axes. What a value means is in `rewriting.py` (texts), `settings.py`
(counts) and `formulas.py` (arithmetic); here are the names, how surprising a change is, and what people call it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from truebleu._counts import number_of
from truebleu._inputs import brief
from truebleu.errors import OptionError


class Axis(NamedTuple):
    """One thing that can differ."""

    name: str
    weight: float  # how surprising a change is
    usual: str
    values: Mapping[str, str]  # each with what a report says of it
    only_in_profiles: tuple[str, ...] = ()  # values that the search does not try by themselves
    rare: tuple[str, ...] = ()  # values that are met less often than the others of the axis

    def weight_of(self, value: str) -> float:
        """Tell how surprising a change to a value is."""
        return self.weight + (0.1 if value in self.rare else 0.0)

    def says(self, value: str) -> str:
        """Describe a value for people."""
        return self.values.get(value, value)


def _lines(counts: tuple[int, ...]) -> dict[str, str]:
    return {f"first {count}": f"the first {number_of(count, 'line', commas=True)} only" for count in counts}


REFERENCES = Axis(
    "references", 1.0, "all",
    {"all": "all references", "mean": "mean over the references", "best": "best single reference"},
)  # fmt: skip
LINES = Axis(
    "lines", 1.6, "all",
    {
        "all": "all lines",
        "no blank hypotheses": "lines with a blank hypothesis dropped",
        "no blank references": "lines with a blank reference dropped",
        "no repeated references": "lines whose reference came before dropped",
        "last lost": "the last line lost",
        "shifted -1": "hypotheses one line too early",
        "shifted +1": "hypotheses one line too late",
        **_lines((100, 500, 1000, 2000, 3000)),
    },
)  # fmt: skip
TEXT = Axis(
    "text", 1.5, "as is",
    {
        "as is": "text as it is",
        "entities": "HTML entities decoded",
        "nfc": "Unicode NFC",
        "nfkc": "Unicode NFKC",
        "width": "full and half width made one",
        "quotes": "quotation marks made one",
        "dashes": "dashes made one",
        "ellipsis": "the sign … written as three full stops",
        "spaces": "spaces made one",
        "no punctuation": "punctuation removed",
        "no specials": "special tokens such as <unk> removed",
        "joined subwords": "subwords joined at @@",
        "split compounds": "compounds split at hyphens",
        "stripped": "spaces at both ends removed",
    },
)  # fmt: skip
CASE = Axis(
    "case", 1.0, "mixed",
    {"mixed": "case kept", "lower": "lower-cased", "ascii": "lower-cased (A to Z)"},
    rare=("ascii",),
)  # fmt: skip
TOKENIZER = Axis(
    "tokenizer", 1.0, "13a",
    {
        "13a": "13a",
        "intl": "intl",
        "none": "words split at white space (already tokenized)",
        "ascii-space": "words split at ASCII spaces",
        "char": "char",
        "zh": "zh",
        "ja-mecab": "ja-mecab",
        "ko-mecab": "ko-mecab",
        "flores101": "flores101",
        "flores200": "flores200",
        "wordpunct": "runs of letters, and single signs (wordpunct)",
        "t2t": "tensor2tensor's tokens",
        "13a-bytes": "13a on bytes",
        "code": "wordpunct, then 13a",
        "fairseq": "words split at white space, fairseq's blank lines and <unk>",
        "characters": "characters, spaces among them",
        "scripts": "13a, continuous scripts split into characters",
    },
    ("13a-bytes", "code", "fairseq", "characters", "scripts"),
    ("ascii-space", "char", "zh", "wordpunct", "t2t"),
)  # fmt: skip
LENGTH = Axis(
    "reference length", 1.2, "closest",
    {
        "closest": "the closest reference length, of two the shorter",
        "first-closest": "the closest reference length, of two the first",
        "shortest": "the shortest reference length",
        "average": "the average reference length",
        "first": "the first reference's length",
    },
)  # fmt: skip
ORDER = Axis("order", 1.5, "4", {str(n): f"n-grams up to {n} (BLEU-{n})" for n in (4, 1, 2, 3, 5, 6)})
SMOOTHING = Axis(
    "smoothing", 1.3, "exp",
    {
        "exp": "exp smoothing",
        "none": "no smoothing",
        "floor[0.1]": "smoothing floor 0.1",
        "floor[0.01]": "smoothing floor 0.01",
        "add-k[1]": "one added from bigrams on",
        "add-one": "one added to all orders",
        "exp-always": "exp smoothing also where nothing matches (sacreBLEU before 2)",
        "add-k-trigrams": "one added from trigrams on (sacreBLEU before 1.4.4)",
    },
    ("add-k-trigrams",),
)  # fmt: skip
_BATCHES = {f"batches of {2**n}": f"mean over batches of {2**n}" for n in range(9)}
AGGREGATION = Axis(
    "aggregation", 1.2, "corpus",
    {
        "corpus": "the corpus as a whole",
        "mean": "mean of segments (effective order)",
        "mean exp": "mean of segments without effective order",
        "mean mteval": "mean of segments by mteval's rule",
        **{f"mean nltk{n}": f"mean of segments by NLTK's method {n}" for n in range(8)},
        "mean code": "mean of segments, one added from bigrams on, lengths plus one (CodeXGLUE)",
        "mean fairseq": "mean of segments, one added from bigrams on (fairseq)",
        "documents": "mean over documents",
        **_BATCHES,
        "mean floor[0]": "mean of segments without smoothing (sacreBLEU before 1.5)",
        "mean floor[0.01]": "mean of segments, floor 0.01 (sacreBLEU 1.2)",
        "nltk": "NLTK's rule for short segments",
        "mteval": "mteval's rule for orders without n-grams",
        "torchmetrics": "torchmetrics' rule for zeros, in 32 bits",
        "torchmetrics smooth": "torchmetrics' smoothing, in 32 bits",
        "t2t": "tensor2tensor's rule, in 32 bits",
        "coco": "COCO's tiny numbers",
        "allennlp": "AllenNLP's tiny numbers",
    },
    ("mean nltk6", "mean floor[0]", "mean floor[0.01]", "nltk", "mteval", "torchmetrics", "torchmetrics smooth", "t2t",
     "coco", "allennlp"),
    ("mean mteval", *(f"mean nltk{n}" for n in (0, 5, 6, 7)), "mean code", "mean fairseq", *_BATCHES),
)  # fmt: skip
EMPTY = Axis("empty references", 1.2, "drop", {"drop": "empty references dropped", "keep": "empty references kept"})

_CHRF = (
    Axis("characters", 1.2, "6", {str(n): f"character n-grams up to {n}" for n in (6, 4, 5)}),
    Axis("words", 1.0, "0", {"0": "no word n-grams", "1": "word n-grams up to 1 (chrF+)", "2": "chrF++ (words to 2)"}),
    Axis("beta", 1.2, "2", {str(n): f"beta {n}" for n in (2, 1, 3)}),
    Axis("white space", 1.2, "no", {"no": "white space left out", "yes": "white space kept"}),
    Axis("chrF smoothing", 1.3, "no", {"no": "effective order", "yes": "eps smoothing"}),
    Axis(
        "aggregation", 1.2, "corpus",
        {"corpus": "the corpus as a whole", "mean": "mean of segments", "nltk": "mean of segments by NLTK's rule",
         "torchmetrics": "torchmetrics' rule, in 32 bits"},
        ("nltk", "torchmetrics"),
    ),
)  # fmt: skip
_TER = (
    Axis("normalized", 1.0, "no", {"no": "punctuation attached", "yes": "punctuation separated"}),
    Axis("punctuation", 1.0, "yes", {"yes": "punctuation kept", "no": "punctuation dropped"}),
    Axis("asian", 1.0, "no", {"no": "ideographs together", "yes": "ideographs split"}),
    Axis("TER case", 1.0, "lower", {"lower": "case ignored", "mixed": "case kept"}),
    Axis(
        "aggregation", 1.2, "corpus",
        {"corpus": "the corpus as a whole", "mean": "mean of segments",
         "torchmetrics": "hypothesis and reference swapped (torchmetrics)"},
        ("torchmetrics",),
    ),
)  # fmt: skip

# The axes of each metric, in the order in which steps are told.
AXES: Mapping[str, Mapping[str, Axis]] = {
    metric: {axis.name: axis for axis in axes}
    for metric, axes in {
        "bleu": (LINES, REFERENCES, EMPTY, TEXT, CASE, TOKENIZER, LENGTH, ORDER, SMOOTHING, AGGREGATION),
        "chrf": (LINES, REFERENCES, TEXT, CASE, *_CHRF),
        "ter": (LINES, REFERENCES, TEXT, *_TER),
    }.items()
}
METRIC_WEIGHT = 2.0

LABELS = {"bleu": "BLEU", "chrf": "chrF", "ter": "TER"}


@dataclass(frozen=True, slots=True)
class Setting:
    """A metric and its values; axes that are not among `values` have the usual one."""

    metric: str
    values: tuple[tuple[str, str], ...] = ()  # in the order of the axes

    def __getitem__(self, axis: str) -> str:
        for name, value in self.values:
            if name == axis:
                return value
        return AXES[self.metric][axis].usual

    def having(self, changes: Mapping[str, str]) -> Setting:
        """Change some values."""
        values = {**dict(self.values), **changes}
        axes = AXES[self.metric]
        return Setting(
            self.metric, tuple((a, values[a]) for a in axes if values.get(a, axes[a].usual) != axes[a].usual)
        )


def differences(start: Setting, end: Setting) -> dict[str, str]:
    """List the axes on which two settings of one metric differ, with the value of the second."""
    return {axis: end[axis] for axis in AXES[start.metric] if start[axis] != end[axis]}


def check_axes(names: tuple[str, ...]) -> None:
    """Raise OptionError unless all names are those of axes."""
    known = list(dict.fromkeys(name for axes in AXES.values() for name in axes))
    for name in names:
        if not isinstance(name, str) or name not in known:
            raise OptionError(f"reconcile: axes has {brief(name)}, expected some of {', '.join(known)}")
