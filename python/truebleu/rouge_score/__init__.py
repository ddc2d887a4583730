"""rouge-score's names, arguments and numbers (0.1.2), counted in Rust.

Replace `rouge_score` by `truebleu.rouge_score`. The target comes first, and scores are from 0 to 1.

>>> from truebleu.rouge_score import rouge_scorer
>>> scorer = rouge_scorer.RougeScorer(["rouge1", "rougeL"], use_stemmer=True)
>>> scorer.score("police killed the gunman", "the gunman police kill")["rougeL"]
Score(precision=0.5, recall=0.5, fmeasure=0.5)
"""

from truebleu.rouge_score import rouge_scorer, scoring, tokenize, tokenizers
from truebleu.rouge_score.rouge_scorer import RougeScorer
from truebleu.rouge_score.scoring import AggregateScore, BaseScorer, BootstrapAggregator, Score, fmeasure

__all__ = [
    "AggregateScore",
    "BaseScorer",
    "BootstrapAggregator",
    "RougeScorer",
    "Score",
    "fmeasure",
    "rouge_scorer",
    "scoring",
    "tokenize",
    "tokenizers",
]
