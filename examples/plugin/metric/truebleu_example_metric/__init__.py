"""How long an output is beside its reference: the smallest metric that says something, with a tokenizer and a set."""

from truebleu.plugins import MetricPlugin
from truebleu.tokenizers import BaseTokenizer


class LengthRatio(MetricPlugin):
    """How far the length of an output is from that of its reference; 1 is as long, 0 is empty or endless."""

    label = "Length-Ratio"
    low, high = 0.0, 1.0
    options = {"power": (float, 1.0, "how much a difference counts")}

    def segment_scores(self, units):
        lengths = [sorted((len(unit.hyp), len(unit.ref))) for unit in units]
        return [(short / long) ** self.power if long else 1.0 for short, long in lengths]


class Letters(BaseTokenizer):
    """Letters and digits one by one, and nothing else."""

    def __call__(self, line):
        return " ".join(letter for letter in line if letter.isalnum())

    def signature(self):
        return "letters-1.2"


def two_lines():
    """A test set, in the form of truebleu's own; its files are beside this module."""
    return {
        "format": "jsonl",
        "description": "two lines",
        "pairs": {"en-de": {"files": [{"path": "two-lines.jsonl"}], "fields": ["src", "ref"], "segments": 2}},
    }
