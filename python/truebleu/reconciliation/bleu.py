"""BLEU as tools compute it.

Rows have the hypothesis length, the reference length, the matches of six orders and the n-grams of six orders. They
are segments, batches or the sum of a corpus, and a rule gives a score from 0 to 100 for each row. The core has
sacreBLEU's rules and the smoothing methods that NLTK numbers; what other tools do differently is here.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping
from functools import cache, partial
from importlib.util import find_spec
from typing import Any, ClassVar, NamedTuple

import numpy as np

from truebleu.errors import OptionError
from truebleu.metrics import BLEU
from truebleu.metrics.bleu import SMOOTHING
from truebleu.reconciliation.counts import SHIFTS, Array, Counts, SystemTexts, Wording, scores, windows
from truebleu.reconciliation.family import CASE, LINES, REFERENCES, TEXT, Axis, Family, Setting, by_name, profile
from truebleu.reconciliation.rewriting import TOKENS
from truebleu.tokenizers.registry import TOKENIZERS

_ORDERS = 6
_Two = tuple[float, float]

_TOKENIZER = Axis(
    "tokenizer", 1.0, "13a",
    {
        "13a": "13a",
        "intl": "intl",
        "none": "words split at white space (already tokenized)",
        "ascii-space": "words split at ASCII spaces",
        **{name: name for name in ("char", "zh", "ja-mecab", "ko-mecab", "flores101", "flores200")},
        "wordpunct": "runs of letters, and single signs (wordpunct)",
        "t2t": "tensor2tensor's tokens",
        "13a-bytes": "13a on bytes",
        "code": "wordpunct, then 13a",
        "fairseq": "words split at white space, fairseq's blank lines and <unk>",
        "characters": "characters, spaces among them",
        "scripts": "13a, continuous scripts split into characters",
    },
    ("13a-bytes", "code", "fairseq", "characters", "scripts"),
    ("ascii-space", "char", "zh", "wordpunct", "t2t"), names_old=True,
)  # fmt: skip
_LENGTH = Axis(
    "reference length", 1.2, "closest",
    {
        "closest": "the closest reference length, of two the shorter",
        "first-closest": "the closest reference length, of two the first",
        "shortest": "the shortest reference length",
        "average": "the average reference length",
        "first": "the first reference's length",
    },
    is_quick=True,
)  # fmt: skip
_ORDER = Axis("order", 1.5, "4", {str(n): f"n-grams up to {n} (BLEU-{n})" for n in (4, 1, 2, 3, 5, 6)})
_SMOOTHING = Axis(
    "smoothing", 1.3, "exp",
    {
        "exp": "exp smoothing",
        "none": "no smoothing",
        "floor[0.1]": "smoothing floor 0.1",
        "floor[0.01]": "smoothing floor 0.01",
        "add-k[1]": "one added from bigrams on",
        **{f"add-k[{k}]": f"{k} added from bigrams on" for k in ("0.01", "0.1", "0.5", "2")},
        "add-one": "one added to all orders",
        "exp-always": "exp smoothing also where nothing matches (sacreBLEU before 2)",
        "add-k-trigrams": "one added from trigrams on (sacreBLEU before 1.4.4)",
    },
    ("add-k-trigrams",), tuple(f"add-k[{k}]" for k in ("0.01", "0.1", "0.5", "2")), is_quick=True,
)  # fmt: skip
_BATCHES = {f"batches of {2**n}": f"mean over batches of {2**n}" for n in range(9)}
# Methods that smooth a corpus: 5 and 7 look at the last segment alone, and 6 fails where no trigram matches.
_OF_NLTK = (1, 2, 3, 4)
_AGGREGATION = Axis(
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
        **{f"nltk{n}": f"NLTK's rule for short segments, smoothed by its method {n}" for n in _OF_NLTK},
        "mteval": "mteval's rule for orders without n-grams",
        "torchmetrics": "torchmetrics' rule for zeros, in 32 bits",
        "torchmetrics smooth": "torchmetrics' smoothing, in 32 bits",
        "t2t": "tensor2tensor's rule, in 32 bits",
        "coco": "COCO's tiny numbers",
        "allennlp": "AllenNLP's tiny numbers",
    },
    ("mean floor[0]", "mean floor[0.01]", "nltk", *(f"nltk{n}" for n in _OF_NLTK), "mteval",
     "torchmetrics", "torchmetrics smooth", "t2t", "coco", "allennlp"),
    ("mean mteval", *(f"mean nltk{n}" for n in (0, 5, 6, 7)), "mean code", "mean fairseq", *_BATCHES),
)  # fmt: skip
_EMPTY = Axis("empty references", 1.2, "drop", {"drop": "empty references dropped", "keep": "empty references kept"})

_bleu = partial(profile, "bleu")
_SPACES: Mapping[str, str] = {"tokenizer": "ascii-space", "smoothing": "none"}
_TORCH: Mapping[str, str] = {"reference_length": "first-closest"}

_PROFILES = (
    _bleu("sacrebleu", "", "sacreBLEU", empty_references="keep"),
    _bleu("sacrebleu", "-lc", "sacreBLEU -lc", empty_references="keep", case="lower"),
    _bleu("sacrebleu", "sentences", "the mean of sacreBLEU's sentence scores", aggregation="mean"),
    _bleu("sacrebleu", "sentences, order 4", "the mean of sacreBLEU's sentence scores without effective order",
          aggregation="mean exp"),
    _bleu("sacrebleu<2", "", "sacreBLEU before 2.0", smoothing="exp-always"),
    _bleu("sacrebleu<1.5", "sentences", "the mean of sentence_bleu of sacreBLEU before 1.5",
          aggregation="mean floor[0]"),
    _bleu("sacrebleu<1.3", "sentences", "the mean of sentence_bleu of sacreBLEU 1.2", aggregation="mean floor[0.01]"),
    _bleu("multi-bleu", "", "multi-bleu.perl", **_SPACES),
    _bleu("multi-bleu", "-lc", "multi-bleu.perl -lc", case="ascii", **_SPACES),
    _bleu("multi-bleu", "on Moses tokens", "multi-bleu.perl on text that Moses has tokenized", text="moses", **_SPACES),
    _bleu("multi-bleu", "on Moses tokens, German", "multi-bleu.perl on text that Moses has tokenized as German",
          text="moses de", **_SPACES),
    _bleu("multi-bleu-detok", "", "multi-bleu-detok.perl", smoothing="none"),
    _bleu("multi-bleu-detok", "-lc", "multi-bleu-detok.perl -lc", smoothing="none", case="ascii"),
    _bleu("mteval-v13a", "", "mteval-v13a.pl", case="ascii", aggregation="mteval"),
    _bleu("mteval-v13a", "-c", "mteval-v13a.pl -c", aggregation="mteval"),
    _bleu("mteval-v13a", "-c segments", "the mean of mteval-v13a.pl's segment scores", aggregation="mean mteval"),
    _bleu("mteval-v14", "", "mteval-v14.pl", case="ascii", aggregation="mteval"),
    _bleu("mteval-v14", "-c", "mteval-v14.pl -c", aggregation="mteval"),
    _bleu("mteval-v14", "--international-tokenization", "mteval-v14.pl --international-tokenization", case="lower",
          tokenizer="intl", aggregation="mteval"),
    _bleu("mteval-v14", "-c --international-tokenization", "mteval-v14.pl -c --international-tokenization",
          tokenizer="intl", aggregation="mteval"),
    _bleu("mteval-v14", "-c --brevity-penalty shortest", "mteval-v14.pl -c --brevity-penalty shortest",
          aggregation="mteval", reference_length="shortest"),
    _bleu("mteval-v14", "-c --no-smoothing", "mteval-v14.pl -c --no-smoothing", smoothing="none"),
    _bleu("mteval-v11b", "", "mteval-v11b.pl", case="ascii", tokenizer="13a-bytes", smoothing="none",
          reference_length="shortest"),
    _bleu("mteval-v11b", "-c", "mteval-v11b.pl -c", tokenizer="13a-bytes", smoothing="none",
          reference_length="shortest"),
    _bleu("mteval-v12", "", "mteval-v12.pl", case="lower", tokenizer="intl", smoothing="none",
          reference_length="shortest"),
    _bleu("mteval-v12", "-c", "mteval-v12.pl -c", tokenizer="intl", smoothing="none", reference_length="shortest"),
    _bleu("nltk", "", "NLTK's corpus_bleu of words", tokenizer="none", aggregation="nltk"),
    *(
        _bleu("nltk", f"BLEU-{n}", f"NLTK's corpus_bleu of words, weights of BLEU-{n}", tokenizer="none", order=str(n),
              aggregation="nltk")
        for n in (1, 2, 3)
    ),
    *(
        _bleu("nltk", f"method {n}", f"NLTK's corpus_bleu of words with method{n}", tokenizer="none",
              aggregation=f"nltk{n}")
        for n in _OF_NLTK
    ),
    *(
        _bleu("nltk", f"sentences, method {n}", f"the mean of NLTK's sentence_bleu with method{n}", tokenizer="none",
              aggregation=f"mean nltk{n}")
        for n in range(8)
    ),
    _bleu("nltk", "strings", "NLTK's corpus_bleu of strings, whose characters are the tokens", tokenizer="characters",
          aggregation="nltk"),
    _bleu("hf-bleu", "", "Hugging Face's bleu", smoothing="none", reference_length="shortest"),
    _bleu("hf-bleu", "smooth", "Hugging Face's bleu with smooth=True", smoothing="add-one",
          reference_length="shortest"),
    _bleu("torchmetrics", "", "torchmetrics' BLEUScore", tokenizer="none", aggregation="torchmetrics", **_TORCH),
    _bleu("torchmetrics", "smooth", "torchmetrics' BLEUScore with smooth=True", tokenizer="none",
          aggregation="torchmetrics smooth", **_TORCH),
    _bleu("torchmetrics", "SacreBLEU", "torchmetrics' SacreBLEUScore", aggregation="torchmetrics", **_TORCH),
    _bleu("torchmetrics", "SacreBLEU smooth", "torchmetrics' SacreBLEUScore with smooth=True",
          aggregation="torchmetrics smooth", **_TORCH),
    _bleu("torchmetrics", "SacreBLEU lowercase", "torchmetrics' SacreBLEUScore with lowercase=True", case="lower",
          aggregation="torchmetrics", **_TORCH),
    _bleu("lm-eval", "", "lm-evaluation-harness (sacreBLEU with 13a)"),
    _bleu("opennmt-py", "", "OpenNMT-py (sacreBLEU)"),
    _bleu("fairseq", "--eval-bleu", "fairseq --eval-bleu (sacreBLEU)"),
    _bleu("t5", "", "T5 (sacreBLEU with intl)", tokenizer="intl"),
    _bleu("fairseq-score", "", "fairseq-score", True, tokenizer="fairseq", smoothing="none"),
    _bleu("fairseq-score", "--ignore-case", "fairseq-score --ignore-case", True, tokenizer="fairseq",
          smoothing="none", case="lower"),
    _bleu("fairseq-score", "--sentence-bleu", "the mean of fairseq-score --sentence-bleu", True, tokenizer="fairseq",
          aggregation="mean fairseq"),
    _bleu("tensor2tensor", "", "tensor2tensor's t2t-bleu", True, tokenizer="t2t", case="lower", aggregation="t2t"),
    _bleu("tensor2tensor", "cased", "tensor2tensor's t2t-bleu, cased", True, tokenizer="t2t", aggregation="t2t"),
    *(
        _bleu("coco", f"BLEU-{n}", f"COCO's BLEU-{n} of lower-cased words", tokenizer="none", case="lower",
              order=str(n), aggregation="coco")
        for n in (1, 2, 3, 4)
    ),
    _bleu("codexglue", "", "CodeXGLUE's smoothed BLEU", True, case="lower", tokenizer="code", aggregation="mean code",
          reference_length="shortest"),
    _bleu("marian", "bleu-detok", "Marian's bleu-detok", True, tokenizer="scripts", aggregation="torchmetrics"),
    _bleu("allennlp", "", "AllenNLP's BLEU of words", tokenizer="none", aggregation="allennlp"),
)  # fmt: skip


class Bleu(Family):
    """BLEU."""

    metric = BLEU
    axes = by_name(LINES, REFERENCES, _EMPTY, TEXT, CASE, _TOKENIZER, _LENGTH, _ORDER, _SMOOTHING, _AGGREGATION)
    profiles = _PROFILES
    counted = ("case", "tokenizer")
    apart = ({"aggregation", "smoothing"}, {"aggregation", "order"}, {"references", "reference length"})
    silent: ClassVar[dict[str, str]] = {"effective_order": "eff:yes makes no difference to the score of a corpus"}

    def values_of(self, metric: BLEU) -> Mapping[str, str]:
        """Find the values of a metric on the axes."""
        value, default = metric.smooth_value, SMOOTHING[metric.smooth_method]
        number = f"[{float(default if value is None else value):.15g}]" if default is not None else ""
        if metric.max_ngram_order > _ORDERS:
            raise OptionError(f"reconcile: max_ngram_order is {metric.max_ngram_order}, expected at most {_ORDERS}")
        tokenizer = metric.tokenizer_signature
        named = next((name for name in ("ja-mecab", "ko-mecab") if tokenizer.startswith(name)), tokenizer)
        if named not in TOKENIZERS:
            raise OptionError(f"reconcile: the tokenizer is {named!r}, expected one of {', '.join(TOKENIZERS)}")
        return {
            "case": "lower" if metric.lowercase else "mixed", "tokenizer": named, "order": str(metric.max_ngram_order),
            "smoothing": metric.smooth_method + number, "empty references": metric.empty_refs,
        }  # fmt: skip

    def is_worth_trying(self, axis: str, value: str, texts: SystemTexts) -> bool:
        """Tell whether a value can make a difference on these texts."""
        if axis == "reference length":
            return len(texts.usual) > 1
        if axis == "empty references":
            streams = (texts.streams[name] for name in texts.usual)
            return any("" in each and any(each) for each in zip(*streams, strict=True))
        if value == "documents":
            return "document" in texts.labels
        return axis != "tokenizer" or _is_at_hand(value, texts)

    def score(self, setting: Setting, counts: Counts) -> float:
        """Score a system with some of its references."""
        rule = setting["aggregation"]
        if rule in ("corpus", "coco", "nltk"):
            smoothing = {"corpus": setting["smoothing"], "nltk": "method0"}.get(rule, rule)
            return float(_scores(_sum(setting, counts), smoothing, int(setting["order"]))[0])
        if rule in _OF_CORPORA:
            return float(_OF_CORPORA[rule](_sum(setting, counts))[0])
        key, length = _row_key(setting, counts), setting["reference length"]
        if rule == "documents" or rule.startswith("batches"):
            parts = _parts(_with_length(counts, key, length), rule, setting["lines"], counts)
            return float(_scores(parts).mean())
        found = counts.small((key, length, rule), lambda: _segment_scores(_with_length(counts, key, length), rule))
        return float(counts.chosen(found, setting["lines"]).mean())

    def parts(self, setting: Setting, counts: Counts) -> dict[str, Any] | None:
        """Find the precisions, the brevity penalty and the lengths; None for a mean of segments."""
        if "mean" in setting["aggregation"]:
            return None
        totals = _sum(setting.having({"aggregation": "corpus"}), counts)
        smoothing = setting["smoothing"] if setting["smoothing"] not in _OF_SMOOTHING else "none"
        metric = _metric(smoothing, int(setting["order"]))
        _, (penalty, *precisions) = metric.engine.parts(_cut(totals, metric)[0].tolist())
        return {"precisions": precisions, "bp": penalty, "sys_len": totals[0, 0], "ref_len": totals[0, 1]}

    def sums(self, setting: Setting, counts: Counts) -> tuple[Array, Callable[[Array], Array]] | None:
        """Give rows and what scores sums of them; None if the score is not one of a sum."""
        if setting["aggregation"] != "corpus" or setting["smoothing"] in _OF_SMOOTHING:
            return None
        score = partial(_scores, smoothing=setting["smoothing"], order=int(setting["order"]))
        return _rows(counts, _row_key(setting, counts)), score


def _is_at_hand(tokenizer: str, texts: SystemTexts) -> bool:
    """Whether a tokenizer fits the script and needs nothing that is not installed."""
    needs = {"ja-mecab": ("MeCab", ("HIRAGANA", "KATAKANA")), "ko-mecab": ("mecab_ko", ("HANGUL",))}
    if tokenizer in needs:
        package, scripts = needs[tokenizer]
        sample = "".join(text or "" for text in texts.streams[texts.usual[0]][:200])
        return find_spec(package) is not None and any(
            unicodedata.name(character, "").startswith(scripts) for character in set(sample)
        )
    if tokenizer.startswith("flores"):
        from truebleu.tokenizers.spm import MODELS

        # Nothing is fetched for a guess.
        return find_spec("sentencepiece") is not None and any(copy.exists() for copy in MODELS[tokenizer].copies)
    return True


# Rows.


class _RowKey(NamedTuple):
    """What rows depend on."""

    texts: Wording
    tokenizer: str
    references: tuple[str, ...]
    empty: str
    shift: int


def _row_key(setting: Setting, counts: Counts) -> _RowKey:
    texts = counts.wording(setting["text"], setting["case"])
    native, make = TOKENS.get(setting["tokenizer"], (setting["tokenizer"], None))
    if make is not None:
        texts = counts.step(texts, setting["tokenizer"], make)
    group, shift = counts.texts.group(setting["references"]), SHIFTS.get(setting["lines"], 0)
    return _RowKey(texts, native, group, setting["empty references"], shift)


def _rows(counts: Counts, key: _RowKey) -> Array:
    def count() -> Array:
        metric = BLEU(tokenize=key.tokenizer, max_ngram_order=_ORDERS, force=True, empty_refs=key.empty)
        return counts.count(metric, key.texts, key.references, key.shift)

    return counts.rows(key, count)


def _sum(setting: Setting, counts: Counts) -> Array:
    """The sum of the rows, as one row."""
    key, lines, length = _row_key(setting, counts), setting["lines"], setting["reference length"]
    is_nltk = setting["aggregation"].startswith("nltk")

    def add() -> Array:
        rows = counts.chosen(_with_length(counts, key, length), lines)
        total: Array = (_at_least(rows, 1) if is_nltk else rows).sum(axis=0, keepdims=True)
        return total

    return counts.small((key, lines, length, is_nltk), add)


def _with_length(counts: Counts, key: _RowKey, rule: str) -> Array:
    """The rows with the length of the reference that a rule chooses."""
    rows = _rows(counts, key)
    if rule == "closest" or len(key.references) == 1:
        return rows
    return counts.rows(
        (key, rule),
        lambda: np.column_stack([rows[:, 0], _chosen_lengths(counts, key, rows, rule), rows[:, 2:]]),
    )


def _chosen_lengths(counts: Counts, key: _RowKey, rows: Array, rule: str) -> Array:
    # Where each reference is tried alone, its rows are there or will be wanted.
    alone = [_rows(counts, key._replace(references=(name,))) for name in key.references]
    table = np.column_stack([each[:, 1] for each in alone])
    _, window = windows(key.shift)
    absent = (None,) if key.empty == "keep" else (None, "")
    missing = np.array([[text in absent for text in key.texts.streams[name][window]] for name in key.references]).T
    table[missing & ~np.all(missing, axis=1, keepdims=True)] = np.nan
    if rule in ("shortest", "average"):
        lengths: Array = np.nanmin(table, axis=1) if rule == "shortest" else np.nanmean(table, axis=1)
        return lengths
    # Of those that are equally near, the first; the first of all is as near as any.
    distance = abs(table - rows[:, [0]]) if rule == "first-closest" else np.zeros_like(table)
    nearest = np.where(np.isnan(table), np.inf, distance).argmin(axis=1)
    chosen: Array = table[np.arange(len(table)), nearest]
    return chosen


def _parts(rows: Array, rule: str, lines: str, counts: Counts) -> Array:
    """The sums of the rows of each document, or of so many segments at a time."""
    part = counts.chosen(rows, lines)
    if rule == "documents":
        labels = np.array([str(label) for label in counts.texts.labels["document"]])
        chosen = counts.selection(lines)
        _, codes = np.unique(labels[: len(part)] if chosen is None else labels[chosen], return_inverse=True)
        starts = np.flatnonzero(np.diff(np.sort(codes), prepend=-1))
        return np.add.reduceat(part[codes.argsort(kind="stable")], starts)
    return np.add.reduceat(part, np.arange(0, len(part), int(rule.rpartition(" ")[2])))


# Rules.


@cache
def _metric(smoothing: str, order: int, effective: bool = False) -> BLEU:
    method, found, value = smoothing.partition("[")
    return BLEU(
        tokenize="none", smooth_method=method, smooth_value=float(value[:-1]) if found else None,
        max_ngram_order=order, effective_order=effective,
    )  # fmt: skip


def _cut(rows: Array, metric: BLEU) -> Array:
    """The columns of the orders that a metric counts."""
    orders = len(metric.columns) // 2 - 1
    return np.column_stack([rows[:, : 2 + orders], rows[:, 2 + _ORDERS : 2 + _ORDERS + orders]])


def _scores(rows: Array, smoothing: str = "exp", order: int = 4, effective: bool = False) -> Array:
    if smoothing in _OF_SMOOTHING:
        return _OF_SMOOTHING[smoothing](rows, order)
    metric = _metric(smoothing, order, effective)
    return scores(metric, _cut(rows, metric))


def _segment_scores(rows: Array, rule: str) -> Array:
    if rule in _OF_SEGMENTS:
        return _OF_SEGMENTS[rule](rows)
    smoothing = "exp" if rule in ("mean", "mean exp") else rule.removeprefix("mean ")
    return _scores(rows, smoothing, effective=rule != "mean exp")


def _at_least(rows: Array, number: float) -> Array:
    """Count an order without n-grams as if it had so many."""
    return np.column_stack([rows[:, : 2 + _ORDERS], np.maximum(rows[:, 2 + _ORDERS :], number)])


def _nltk(rows: Array, method: int) -> Array:
    """Score each row as NLTK scores a segment."""
    # An order without n-grams counts as one n-gram, except in method 6: there, next to nothing stands for none.
    found = _scores(_at_least(rows, 1e-300 if method == 6 else 1), f"method{method}")
    if method == 4:  # one word alone has precisions of zero, and NLTK leaves these out
        return np.where((rows[:, 0] == 1) & (rows[:, 2] > 0), 100 * _penalty(rows), found)
    if method == 6:  # NLTK itself fails where no trigram matches; there, precisions count as 1
        return np.where((rows[:, 2] > 0) & (rows[:, 4] == 0), 100 * _penalty(rows), found)
    return found


def _matches(rows: Array, order: int = 4) -> Array:
    return rows[:, 2 : 2 + order]


def _ngrams(rows: Array, order: int = 4) -> Array:
    return rows[:, 2 + _ORDERS : 2 + _ORDERS + order]


def _penalty(rows: Array) -> Array:
    """The brevity penalty, which is 0 for an empty hypothesis."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(rows[:, 0] == 0, 0.0, np.exp(np.minimum(0.0, 1 - rows[:, 1] / rows[:, 0])))


def _mean(rows: Array, precisions: Array) -> Array:
    """The geometric mean of all orders, times the penalty; a precision of zero makes it zero."""
    with np.errstate(divide="ignore"):
        found: Array = 100 * _penalty(rows) * np.exp(np.log(precisions).mean(axis=1))
    return found


def _halved(rows: Array, order: int = 4) -> Array:
    """Precisions in which the first order without a match counts as half a match, the next as a quarter, and so on."""
    matches, ngrams = _matches(rows, order), _ngrams(rows, order)
    unmatched = (matches == 0) & (ngrams > 0)
    parts = np.where(unmatched, 0.5 ** np.cumsum(unmatched, axis=1), matches)
    return np.divide(parts, ngrams, out=np.zeros_like(parts), where=ngrams > 0)


def _mteval(rows: Array) -> Array:
    """Score by mteval's rule: exp smoothing, and an order without any n-gram has the precision 1."""
    return _mean(rows, np.where(_ngrams(rows) == 0, 1.0, _halved(rows)))


def _in_32_bits(rows: Array, precisions: Array) -> Array:
    """The geometric mean times the penalty; orders of precision zero are left out and still divided by."""
    small = precisions.astype(np.float32)
    logs = np.log(small, out=np.zeros_like(small), where=small > 0)
    found = _penalty(rows).astype(np.float32) * np.exp(logs.mean(axis=1, dtype=np.float32))
    points: Array = 100 * found.astype(np.float64)
    return points


def _torchmetrics(rows: Array, added: int = 0) -> Array:
    """Score by torchmetrics' rule, in 32 bits: zero if an order has no match, even when it smooths."""
    more = added * (np.arange(4) > 0)
    found = _in_32_bits(rows, (_matches(rows) + more) / np.maximum(_ngrams(rows) + more, 1))
    return np.where((_matches(rows) == 0).any(axis=1), 0.0, found)


def _adding(rows: Array, order: int = 4, *, first: int = 0, lengths: _Two = (0, 0), counts: _Two = (1, 1)) -> Array:
    """Score without smoothing after adding numbers to both lengths, and to matches and n-grams from an order on."""
    added = np.where(np.arange(_ORDERS) >= first, 1.0, 0.0)
    more = rows + np.array([*lengths, *counts[0] * added, *counts[1] * added])
    return np.where(more[:, 0] == 0, 0.0, _scores(more, "none", order))


# Rules by the names that the axes `aggregation` and `smoothing` have for them.
_OF_SEGMENTS: Mapping[str, Callable[[Array], Array]] = {
    "mean mteval": _mteval,
    **{f"mean nltk{method}": partial(_nltk, method=method) for method in range(8)},
    "mean code": partial(_adding, first=1, lengths=(1, 1)),
    "mean fairseq": partial(_adding, first=1),
}
_OF_CORPORA: Mapping[str, Callable[[Array], Array]] = {
    **{f"nltk{n}": partial(_nltk, method=n) for n in _OF_NLTK},
    "mteval": _mteval,
    "torchmetrics": _torchmetrics,
    "torchmetrics smooth": partial(_torchmetrics, added=1),
    "t2t": lambda rows: _in_32_bits(rows, _halved(rows)),
    "allennlp": partial(_adding, counts=(1e-13, 1e-13)),
}
_OF_SMOOTHING: Mapping[str, Callable[[Array, int], Array]] = {
    "exp-always": lambda rows, order: _mean(rows, _halved(rows, order)),
    "add-one": _adding,
    "add-k-trigrams": partial(_adding, first=2),
    "coco": partial(_adding, lengths=(1e-15, 1e-9), counts=(1e-15, 1e-9)),
}
