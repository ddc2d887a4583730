"""How often `reconcile` names what sacreBLEU, NLTK and sacremoses themselves did, drawn without asking what it knows.

A configuration is a tool with its options, on both references of WMT22 or one of them, as it is, lower-cased, or (where
sacremoses is installed) tokenized by Moses. Its number, with two decimals, is looked for with one system and with two.
A setting counts as found if it gives the scores to four decimals; smoothing that moves none of the printed digits is
therefore never found.

    python bench/reconcile_tools.py [--count 62] [--seed N]
"""

from __future__ import annotations

import argparse
import random
import warnings
from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from nltk.translate import bleu_score
from sacrebleu.metrics.bleu import BLEU

from corpora import needed_wmt22
from reconcile import Tally, lines
from truebleu.reconciliation import reconcile

Streams = list[list[str]]
LANGUAGES = {"en-de": "de", "cs-en": "en"}


@cache
def texts_of(name: str) -> tuple[Streams, Streams]:
    """Two systems of a direction, and its references."""
    folder = needed_wmt22()
    systems = [lines(path) for path in sorted((folder / "system-outputs").glob(f"*.{name}.hyp.*"))[:2]]
    return systems, [lines(path) for path in sorted((folder / "references").glob(f"*.{name}.ref.*"))]


def drawn_change(draw: random.Random, language: str) -> tuple[str, Callable[[str], str]]:
    """What is done to all texts before."""
    kinds = ["as it is", "as it is", "lower-cased", *(["Moses tokens"] if find_spec("sacremoses") else [])]
    kind = draw.choice(kinds)
    if kind == "Moses tokens":
        tokenizer = import_module("sacremoses").MosesTokenizer(language)
        return kind, lambda text: str(tokenizer.tokenize(text, return_str=True))
    return kind, str.lower if kind == "lower-cased" else str


def of_sacrebleu(draw: random.Random, systems: Streams, references: Streams) -> tuple[str, list[float]]:
    """Score with sacreBLEU."""
    order, method = draw.choice([4, 4, 4, 2, 1]), draw.choice(["exp", "exp", "none", "floor", "add-k"])
    value, tokens = draw.choice([None, 0.5, 2]) if method == "add-k" else None, draw.choice(["13a", "none", "intl"])
    options: dict[str, Any] = {
        "tokenize": tokens,
        "max_ngram_order": order,
        "smooth_method": method,
        "smooth_value": value,
    }
    metric = BLEU(force=True, **options)
    return f"sacreBLEU {options}", [metric.corpus_score(system, references).score for system in systems]


def of_nltk(draw: random.Random, systems: Streams, references: Streams) -> tuple[str, list[float]]:
    """Score with NLTK: a corpus with weights or a smoothing function, or the mean of segments with one."""
    theirs = [[text.split() for text in each] for each in zip(*references, strict=True)]
    ours = [[text.split() for text in system] for system in systems]
    kind, number = draw.choice(["weights", "corpus", "segments"]), draw.randrange(5)
    function = getattr(bleu_score.SmoothingFunction(), f"method{number}")
    if kind == "weights":
        order = draw.choice([1, 2, 3, 4])
        return f"NLTK BLEU-{order}", [100 * bleu_score.corpus_bleu(theirs, one, (1 / order,) * order) for one in ours]
    if kind == "corpus":
        found = [100 * bleu_score.corpus_bleu(theirs, one, smoothing_function=function) for one in ours]
        return f"NLTK corpus_bleu, method {number}", found
    scores = [
        [
            bleu_score.sentence_bleu(refs, text, smoothing_function=function)
            for refs, text in zip(theirs, one, strict=True)
        ]
        for one in ours
    ]
    return f"NLTK sentence_bleu, method {number}", [100 * sum(each) / len(each) for each in scores]


def main() -> None:
    """Draw configurations, look for their numbers, and print how often they are named."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=62)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    draw, tallies = random.Random(given.seed), (Tally(), Tally())
    for _ in range(given.count):
        name = draw.choice(sorted(LANGUAGES))
        systems, references = texts_of(name)
        chosen = draw.choice([references, references[:1], references[-1:]])
        kind, change = drawn_change(draw, LANGUAGES[name])
        changed = [[[change(text) for text in one] for one in some] for some in (systems, chosen)]
        tool, scores = draw.choice([of_sacrebleu, of_nltk])(draw, *changed)
        for number, tally in enumerate(tallies, 1):
            targets = [f"{score:.2f}" for score in scores[:number]]
            found = reconcile(systems[:number], references, targets).explanations[:3]
            hits = [all(abs(a - b) < 1e-4 for a, b in zip(one.scores, scores, strict=False)) for one in found]
            tally.cases += 1
            tally.first += hits[:1] == [True]
            tally.three += any(hits)
            if hits[:1] != [True]:
                print(f"not first, {number} of 2 systems: {name}, {len(chosen)} references, {kind}, {tool}", flush=True)
    for number, tally in enumerate(tallies, 1):
        print(f"{given.count} configurations, {number} of 2 systems: {tally}")


if __name__ == "__main__":
    main()
