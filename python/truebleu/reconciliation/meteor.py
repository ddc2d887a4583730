"""METEOR as NLTK and evaluate compute it: the tokens differ from user to user, and sometimes stages and parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from truebleu.errors import TokenizerError
from truebleu.metrics import METEOR
from truebleu.reconciliation.counts import SHIFTS, Array, Counts, SystemTexts, scores
from truebleu.reconciliation.family import LINES, REFERENCES, TEXT, Axis, Family, Setting, by_name, profile
from truebleu.store import offline
from truebleu.tokenizers.treebank import punkt

_OWN = (
    Axis(
        "tokenizer", 1.0, "nltk-words",
        {
            "nltk-words": "NLTK's words, without sentences", "nltk": "word_tokenize: NLTK's words of each sentence",
            "none": "words split at white space", "13a": "13a", "intl": "intl",
        },
    ),
    Axis("stems", 1.1, "porter", {"porter": "Porter's stems", "no": "no stems"}),
    Axis("synonyms", 1.1, "wordnet3.0", {"wordnet3.0": "WordNet's synonyms", "no": "no synonyms"}),
    Axis("alpha", 1.3, "0.9", {value: f"alpha {value}" for value in ("0.9", "0.85", "0.8", "0.5")}),
    Axis("beta", 1.3, "3", {value: f"beta {value}" for value in ("3", "2", "1", "0.2")}),
    Axis(
        "gamma", 1.3, "0.5",
        {"0.5": "gamma 0.5", "0.6": "gamma 0.6", "0.4": "gamma 0.4", "0": "no penalty for order (gamma 0)"},
    ),
)  # fmt: skip


class Meteor(Family):
    """METEOR."""

    metric = METEOR
    axes = by_name(LINES, REFERENCES, TEXT, *_OWN)
    profiles = (
        profile("meteor", "evaluate", "METEOR", "evaluate's meteor (NLTK's, of word_tokenize)", tokenizer="nltk"),
        profile("meteor", "nltk", "METEOR", "NLTK's meteor_score of words split at spaces", tokenizer="none"),
    )

    def values_of(self, metric: METEOR) -> Mapping[str, str]:
        """Find the values of a metric on the axes."""
        numbers = {name: f"{getattr(metric, name):g}" for name in ("alpha", "beta", "gamma")}
        words = {"tokenizer": metric.tokenizer_signature, "stems": metric.stem, "synonyms": metric.synonyms}
        return {**words, **numbers}

    def score(self, setting: Setting, counts: Counts) -> float:
        """Score a system with some of its references; NaN for words of sentences without the model that finds them."""
        found = self.sums(setting, counts)
        return float("nan") if found is None else float(found[1](found[0].sum(axis=0))[0])

    def sums(self, setting: Setting, counts: Counts) -> tuple[Array, Callable[[Array], Array]] | None:
        """Give rows and what scores sums of them."""
        if setting["tokenizer"] == "nltk" and not _has_model():
            return None
        alpha, beta, gamma = (float(setting[axis]) for axis in ("alpha", "beta", "gamma"))
        metric = METEOR(alpha, beta, gamma, setting["tokenizer"], setting["stems"], setting["synonyms"])
        texts, shift = counts.wording(setting["text"]), SHIFTS.get(setting["lines"], 0)
        group = counts.texts.group(setting["references"])
        key = ("meteor", texts, tuple(setting[axis.name] for axis in _OWN), group, shift)
        rows = counts.rows(key, partial(counts.count, metric, texts, group, shift))
        return counts.chosen(rows, setting["lines"]), partial(scores, metric)

    def is_worth_trying(self, axis: str, value: str, texts: SystemTexts) -> bool:
        """Tell whether a value can be scored: nothing is downloaded for it."""
        return value != "nltk" or _has_model()

    def remarks(self) -> list[str]:
        """Name what else is called METEOR, and what could not be tried."""
        found = ["METEOR 1.5, the Java program, has other weights, words and tables: its scores cannot be scored here"]
        if not _has_model():
            found.append(
                "evaluate's words were not tried, because NLTK's model of sentences is not in the store: a score with "
                "--meteor-tokenize nltk downloads it"
            )
        return found


def _has_model() -> bool:
    try:
        with offline():
            punkt()
    except TokenizerError:
        return False
    return True
