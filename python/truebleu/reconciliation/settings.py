"""From a setting to a score: texts are rewritten and counted once for all settings that agree on them.

Rows depend on text, case, tokenizer and references only, and are kept for a while; everything else is arithmetic on
them. A value that changes no text gives back the very texts it was given, so that nothing is counted twice.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from truebleu._core import nltk_chrf
from truebleu.errors import OptionError
from truebleu.metrics import BLEU, CHRF, TER, Metric
from truebleu.normalization import NORMALIZATIONS, normalize
from truebleu.reconciliation import formulas
from truebleu.reconciliation.axes import Setting
from truebleu.reconciliation.formulas import ORDERS, Array
from truebleu.reconciliation.rewriting import (
    CASES,
    ODD_SPACES,
    TEXTS,
    TOKENS,
    Rewriter,
    each,
    standing_in,
)

_KEPT = 48  # sets of rows; what is made of them is small and stays
_CHARACTERS, _WORDS = 6, 2

Stream = Sequence[str | None]
Indices = NDArray[np.intp]


class Corpus(NamedTuple):
    """A system and its references by name; `usual` are those that it is scored with unless a setting says otherwise."""

    hypotheses: Sequence[str]
    streams: Mapping[str, Stream]
    usual: tuple[str, ...]
    labels: Mapping[str, Sequence[Hashable]]


class _Texts(NamedTuple):
    hypotheses: Sequence[str]
    streams: Mapping[str, Stream]

    def rewritten(self, rewriter: Rewriter) -> _Texts:
        """The texts after a rewriter; the same object if nothing changes."""
        ours = list(rewriter.hypotheses(self.hypotheses))
        theirs: dict[str, Stream] = {}
        for name, stream in self.streams.items():
            done = iter(rewriter.references([text for text in stream if text is not None]))
            theirs[name] = [None if text is None else next(done) for text in stream]
        is_same = ours == list(self.hypotheses) and all(list(self.streams[name]) == theirs[name] for name in theirs)
        return self if is_same else _Texts(ours, theirs)


class Scorer:
    """Scores one system under any setting."""

    def __init__(self, corpus: Corpus, threads: int | None = None) -> None:
        self.corpus, self.threads = corpus, threads
        self._scores: dict[Setting, float] = {}
        self._texts: dict[tuple[str, ...], _Texts] = {
            (): _Texts(list(corpus.hypotheses), {name: list(stream) for name, stream in corpus.streams.items()})
        }
        self._rows: dict[Hashable, Array] = {}
        self._sums: dict[Hashable, list[float]] = {}
        self._segments: dict[Hashable, Array] = {}

    def score(self, setting: Setting) -> float:
        """Score under a setting, in points from 0 to 100; NaN where the tool itself fails."""
        if setting not in self._scores:
            self._scores[setting] = self._score(setting)
        return self._scores[setting]

    def parts(self, setting: Setting) -> dict[str, Any] | None:
        """Find what a line of output shows beside the score; None where there is no corpus score of BLEU."""
        if setting.metric != "bleu" or setting["references"] in ("mean", "best") or "mean" in setting["aggregation"]:
            return None
        rows, keys = self._bleu_rows(setting)
        totals = self._totals(rows, keys, setting["lines"], setting["reference length"])
        smoothing = setting["smoothing"] if setting["smoothing"] not in formulas.OF_SMOOTHING else "none"
        order = int(setting["order"])
        metric = _bleu_metric(smoothing, order)
        _, (penalty, *precisions) = metric.engine.parts(_cut(np.array([totals]), metric)[0].tolist())
        return {"precisions": precisions, "bp": penalty, "sys_len": totals[0], "ref_len": totals[1]}

    def rows_key(self, setting: Setting) -> tuple[str, ...]:
        """Tell what settings must agree on to be scored from the same rows, so that they can be scored in turn."""
        own = ("case", "tokenizer") if setting.metric == "bleu" else ()
        return (setting.metric, setting["text"], *(setting[axis] for axis in own), setting["references"])

    def without_each(self, setting: Setting) -> Array:
        """Score the corpus without one of its segments, for each segment; nothing but corpus scores of BLEU."""
        rows, _ = self._bleu_rows(setting)
        return self._scores_of_sums(setting, rows.sum(axis=0) - rows)

    def prefixes(self, setting: Setting, ends: Sequence[int]) -> Array:
        """Score the first segments of a corpus only, up to each of some ends; nothing but corpus scores of BLEU."""
        rows, _ = self._bleu_rows(setting)
        return self._scores_of_sums(setting, rows.cumsum(axis=0)[np.array(ends, np.intp) - 1])

    def _scores_of_sums(self, setting: Setting, sums: Array) -> Array:
        if not len(sums) or setting["aggregation"] != "corpus" or setting["smoothing"] in formulas.OF_SMOOTHING:
            return np.full(len(sums), np.nan)
        return _scores_of(sums, _bleu_metric(setting["smoothing"], int(setting["order"])))

    # Which segments, and which references.

    @cached_property
    def _characters(self) -> str:
        """All characters of the texts, and those that are no digits and that entities may stand for."""
        base = self._texts[()]
        texts = [*base.hypotheses, *(text for stream in base.streams.values() for text in stream if text)]
        return "".join(sorted(set("".join(texts)) | set("¹²³¼½¾")))

    @cached_property
    def _selections(self) -> dict[str, Indices | None]:
        return {"all": None, "shifted -1": None, "shifted +1": None}

    def selection(self, lines: str) -> Indices | None:
        """Find the segments that a value of the axis `lines` leaves; None for all."""
        if lines not in self._selections:
            self._selections[lines] = np.flatnonzero(np.array(self._kept(lines), dtype=bool))
        return self._selections[lines]

    def _kept(self, lines: str) -> list[bool]:
        texts, streams = self.corpus.hypotheses, [self.corpus.streams[name] for name in self.corpus.usual]
        count = len(texts)
        if lines == "no blank hypotheses":
            return [bool(text.strip()) for text in texts]
        if lines == "no blank references":
            return [all(text is None or text.strip() for text in each) for each in zip(*streams, strict=True)]
        if lines == "no repeated references":
            seen: set[Any] = set()
            return [not (each in seen or seen.add(each)) for each in zip(*streams, strict=True)]  # type: ignore[func-returns-value]
        if lines == "last lost":
            return [at < count - 1 for at in range(count)]
        if lines.startswith("first "):
            return [at < int(lines[6:]) for at in range(count)]
        label, found, value = lines.partition("=")
        if not found or label not in self.corpus.labels:
            raise OptionError(f"reconcile: there is no selection of lines called {lines!r}")
        return [str(each) == value for each in self.corpus.labels[label]]

    def _group(self, references: str) -> tuple[str, ...]:
        return self.corpus.usual if references == "all" else (references,)

    # Texts.

    def _prepared(self, setting: Setting) -> tuple[_Texts, str, tuple[str, ...]]:
        """The texts of a setting, the core's tokenizer for them, and a key that equal texts share."""
        texts, key = self._text(setting["text"])
        if setting.metric in ("bleu", "chrf") and (rule := CASES.get(setting["case"])):
            texts, key = self._step(texts, key, setting["case"], lambda _: Rewriter(rule, rule))
        if setting.metric != "bleu":
            return texts, "", key
        native, make = TOKENS.get(setting["tokenizer"], (setting["tokenizer"], None))
        if make is not None:
            texts, key = self._step(texts, key, setting["tokenizer"], make)
        return texts, native, key

    def _text(self, value: str) -> tuple[_Texts, tuple[str, ...]]:
        texts = self._texts[()]
        if value == "as is":
            return texts, ()
        if value in NORMALIZATIONS:
            return self._step(texts, (), value, lambda _: Rewriter(*(lambda lines: normalize(lines, value),) * 2))
        return self._step(texts, (), value, TEXTS[value])

    def _step(
        self, texts: _Texts, key: tuple[str, ...], name: str, make: Callable[[Callable[[], str]], Rewriter]
    ) -> tuple[_Texts, tuple[str, ...]]:
        longer = (*key, name)
        if longer not in self._texts:
            made = texts.rewritten(make(lambda: self._characters))
            # Letters beyond A to Z are rare in English: both ways to lower-case then give the same texts.
            other = self._texts.get((*key, {"ascii": "lower", "lower": "ascii"}.get(name, "")))
            self._texts[longer] = other if other is not None and other == made else made
        found = self._texts[longer]
        same = next(known for known, each in self._texts.items() if each is found)
        return found, same

    # BLEU.

    def _score(self, setting: Setting) -> float:
        if setting["references"] in ("mean", "best"):
            scores = [self.score(setting.having({"references": name})) for name in self.corpus.usual]
            best = min if setting.metric == "ter" else max
            return float(np.mean(scores)) if setting["references"] == "mean" else best(scores)
        chosen = self.selection(setting["lines"])
        if chosen is not None and not len(chosen):
            return float("nan")
        return {"bleu": self._bleu, "chrf": self._chrf, "ter": self._ter}[setting.metric](setting)

    def _bleu(self, setting: Setting) -> float:
        rows, keys = self._bleu_rows(setting)
        lines, length, rule = setting["lines"], setting["reference length"], setting["aggregation"]
        if rule in ("corpus", "coco") or rule in formulas.OF_CORPORA:
            totals = self._totals(rows, keys, lines, length, is_nltk=rule == "nltk")
            if rule == "corpus":
                return _bleu_of(totals, setting["smoothing"], int(setting["order"]))
            table = np.array([totals])
            function = formulas.OF_CORPORA.get(rule)
            return float((function(table) if function else formulas.coco(table, int(setting["order"])))[0])
        chosen = self.selection(lines)
        if rule.startswith("batches") or rule == "documents":
            part = self._with_length(rows, keys, length)
            return self._mean_of_parts(part if chosen is None else part[chosen], rule, chosen)
        key = (keys, length, rule)
        if key not in self._segments:
            self._segments[key] = _segment_scores(self._with_length(rows, keys, length), rule)
        scores = self._segments[key]
        return float((scores if chosen is None else scores[chosen]).mean())

    def _mean_of_parts(self, rows: Array, rule: str, chosen: Indices | None) -> float:
        """The mean of the scores of documents, or of so many segments at a time."""
        if rule == "documents":
            labels = np.array([str(label) for label in self.corpus.labels["document"]])
            _, codes = np.unique(labels[: len(rows)] if chosen is None else labels[chosen], return_inverse=True)
            rows = rows[codes.argsort(kind="stable")]
            starts = np.flatnonzero(np.diff(np.sort(codes), prepend=-1))
        else:
            starts = np.arange(0, len(rows), int(rule.rpartition(" ")[2]))
        return float(_scores_of(np.add.reduceat(rows, starts), _bleu_metric("exp", 4)).mean())

    def _bleu_rows(self, setting: Setting) -> tuple[Array, Hashable]:
        _, native, key = self._prepared(setting)
        shift = {"shifted -1": 1, "shifted +1": -1}.get(setting["lines"], 0)
        return self._rows_of(key, native, self._group(setting["references"]), setting["empty references"], shift)

    def _rows_of(
        self, key: tuple[str, ...], native: str, group: tuple[str, ...], empty: str, shift: int
    ) -> tuple[Array, Hashable]:
        keys = ("bleu", key, native, group, empty, shift)
        if keys not in self._rows:
            metric = BLEU(tokenize=native, max_ngram_order=ORDERS, force=True, empty_refs=empty)
            self._keep(keys, self._counted(metric, self._texts[key], group, shift))
        return self._rows[keys], keys

    def _counted(self, metric: Metric[Any], texts: _Texts, group: Sequence[str], shift: int = 0) -> Array:
        """Rows of some references; a segment that has none of them has a row of zeros."""
        ours, streams = texts.hypotheses, [texts.streams[name] for name in group]
        if shift:
            ours = ours[:-1] if shift > 0 else ours[1:]
            streams = [stream[1:] if shift > 0 else stream[:-1] for stream in streams]
        void = []
        if all(None in stream for stream in streams):
            void = [at for at, each in enumerate(zip(*streams, strict=True)) if all(text is None for text in each)]
        if void:
            streams = [["" if at in set(void) else text for at, text in enumerate(streams[0])], *streams[1:]]
        rows = metric.stats(ours, streams, threads=self.threads).rows
        if void:
            rows = rows.copy()
            rows[void] = 0
        return rows

    def _keep(self, key: Hashable, rows: Array) -> None:
        while len(self._rows) >= _KEPT:
            del self._rows[next(iter(self._rows))]
        self._rows[key] = rows

    def _totals(self, rows: Array, keys: Hashable, lines: str, length: str, is_nltk: bool = False) -> list[float]:
        key = (keys, lines, length, is_nltk)
        if key not in self._sums:
            part, chosen = self._with_length(rows, keys, length), self.selection(lines)
            part = part if chosen is None else part[chosen]
            self._sums[key] = (formulas.at_least_one(part) if is_nltk else part).sum(axis=0).tolist()
        return self._sums[key]

    def _with_length(self, rows: Array, keys: Any, rule: str) -> Array:
        """The rows with the length of the reference that a rule chooses."""
        group = keys[3]
        if rule == "closest" or len(group) == 1:
            return rows
        key = (*keys, rule)
        if key not in self._rows:
            self._keep(key, np.column_stack([rows[:, 0], self._chosen_lengths(rows, keys, rule), rows[:, 2:]]))
        return self._rows[key]

    def _chosen_lengths(self, rows: Array, keys: Any, rule: str) -> Array:
        _, key, native, group, empty, shift = keys
        texts = self._texts[key]
        # Where each reference is tried alone, its rows are there or will be wanted.
        table = np.column_stack([self._rows_of(key, native, (name,), empty, shift)[0][:, 1] for name in group])
        window = slice(1, None) if shift > 0 else slice(None, -1) if shift else slice(None)
        absent = (None,) if empty == "keep" else (None, "")
        missing = np.array([[text in absent for text in texts.streams[name][window]] for name in group]).T
        table[missing & ~np.all(missing, axis=1, keepdims=True)] = np.nan
        if rule in ("shortest", "average"):
            lengths: Array = np.nanmin(table, axis=1) if rule == "shortest" else np.nanmean(table, axis=1)
            return lengths
        # Of those that are equally near, the first; the first of all is as near as any.
        distance = abs(table - rows[:, [0]]) if rule == "first-closest" else np.zeros_like(table)
        nearest = np.where(np.isnan(table), np.inf, distance).argmin(axis=1)
        chosen: Array = table[np.arange(len(table)), nearest]
        return chosen

    # chrF: rows of every reference with all orders; the best reference is chosen for each setting.

    def _chrf(self, setting: Setting) -> float:
        if setting["aggregation"] == "nltk":
            return self._chrf_of_nltk(setting)
        chosen = self.selection(setting["lines"])
        if setting["aggregation"] == "torchmetrics":
            return self._chrf_of_torchmetrics(setting, chosen)
        metric = CHRF(
            char_order=int(setting["characters"]), word_order=int(setting["words"]), beta=_number(setting["beta"]),
            eps_smoothing=setting["chrF smoothing"] == "yes",
        )  # fmt: skip
        rows = self._chrf_rows(setting, setting["white space"] == "yes")
        parts = [_orders(each, metric.char_order, metric.word_order) for each in rows]
        scores = np.column_stack([np.frombuffer(metric.engine.score_rows(each.ravel().tolist())) for each in parts])
        best = scores.argmax(axis=1)
        if setting["aggregation"] == "mean":
            found = scores.max(axis=1)
            return float((found if chosen is None else found[chosen]).mean())
        table = np.stack(parts)[best, np.arange(len(best))]
        return metric.engine.score((table if chosen is None else table[chosen]).sum(axis=0).tolist())

    def _chrf_rows(
        self, setting: Setting, whitespace: bool, odd_spaces: bool = False, all_own: bool = False
    ) -> list[Array]:
        texts, _, key = self._prepared(setting)
        shift = {"shifted -1": 1, "shifted +1": -1}.get(setting["lines"], 0)
        if odd_spaces:  # torchmetrics strips the ends and then removes U+0020 only
            stand_in = standing_in("\t\n\r\f\v" + ODD_SPACES)
            texts, key = self._step(
                texts, key, "u+0020", lambda _: Rewriter(*(each(lambda line: stand_in(line.strip())),) * 2)
            )
        found = []
        for name in self._group(setting["references"]):
            keys = ("chrf", key, whitespace, name, shift, all_own)
            if keys not in self._rows:
                metric = CHRF(char_order=_CHARACTERS, word_order=_WORDS, whitespace=whitespace)
                rows = self._counted(metric, texts, (name,), shift)
                self._keep(keys, self._with_all_own(metric, rows, texts.hypotheses, shift) if all_own else rows)
            found.append(self._rows[keys])
        return found

    def _with_all_own(self, metric: CHRF, rows: Array, texts: Sequence[str], shift: int) -> Array:
        """The rows with all n-grams of the hypotheses; sacreBLEU leaves out orders that no reference has."""
        own = metric.stats(texts, [texts], threads=self.threads).rows[:, ::3]
        if shift:
            own = own[:-1] if shift > 0 else own[1:]
        rows = rows.copy()
        rows[:, ::3] = own
        return rows

    def _chrf_of_nltk(self, setting: Setting) -> float:
        texts, _, _ = self._prepared(setting)
        chosen = self.selection(setting["lines"])
        at = range(len(texts.hypotheses)) if chosen is None else chosen
        stream = texts.streams[self._group(setting["references"])[0]]
        ours, theirs = tuple(texts.hypotheses[n] for n in at), tuple(stream[n] or "" for n in at)
        order, square = int(setting["characters"]), _number(setting["beta"]) ** 2
        whitespace = setting["white space"] == "yes"
        return 100 * float(np.frombuffer(nltk_chrf(ours, theirs, order, square, whitespace, self.threads or 0)).mean())

    def _chrf_of_torchmetrics(self, setting: Setting, chosen: Indices | None) -> float:
        characters, words, square = int(setting["characters"]), int(setting["words"]), _number(setting["beta"]) ** 2
        whitespace = setting["white space"] == "yes"
        pairs = zip(
            self._chrf_rows(setting, whitespace, not whitespace, all_own=True),
            self._chrf_rows(setting, whitespace, all_own=True),
            strict=True,
        )
        parts = [
            np.column_stack([_orders(ours, characters, 0), _orders(theirs, _CHARACTERS, words)[:, 3 * _CHARACTERS :]])
            for ours, theirs in pairs
        ]
        scores = np.column_stack([_f_score(each, square) for each in parts])
        table = np.stack(parts)[scores.argmax(axis=1), np.arange(len(scores))].copy()
        # A segment that matches nothing never finds a best reference, so only its own n-grams are added.
        lost = scores.max(axis=1) == 0
        for column in (1, 2):
            table[lost, column::3] = 0
        totals = (table if chosen is None else table[chosen]).sum(axis=0)
        return 100 * float(np.float32(_f_score(totals[None, :], square)[0]))

    # TER: edits are those of the best reference, the length is the mean of all.

    def _ter(self, setting: Setting) -> float:
        texts, _, key = self._prepared(setting)
        swapped = setting["aggregation"] == "torchmetrics"
        options: dict[str, Any] = {
            "normalized": setting["normalized"] == "yes",
            "no_punct": setting["punctuation"] == "no",
            "asian_support": setting["asian"] == "yes",
            "case_sensitive": setting["TER case"] == "mixed",
        }
        metric, shift = TER(**options), {"shifted -1": 1, "shifted +1": -1}.get(setting["lines"], 0)
        rows = []
        for name in self._group(setting["references"]):
            keys = ("ter", key, *options.values(), name, shift, swapped)
            if keys not in self._rows:
                table = self._counted(metric, texts, (name,), shift)
                if swapped:
                    other = _Texts([text or "" for text in texts.streams[name]], {name: list(texts.hypotheses)})
                    edits = self._counted(metric, other, (name,), -shift)[:, 0]
                    empty = np.array([not text.strip() for text in texts.hypotheses])[: len(edits)]
                    table = np.column_stack([np.where(empty, 0.0, edits), table[:, 1]])
                self._keep(keys, table)
            rows.append(self._rows[keys])
        stacked = np.stack(rows)
        table = np.column_stack([stacked[:, :, 0].min(axis=0), stacked[:, :, 1].mean(axis=0)])
        chosen = self.selection(setting["lines"])
        table = table if chosen is None else table[chosen]
        if setting["aggregation"] == "mean":
            return float(np.frombuffer(metric.engine.score_rows(table.ravel().tolist())).mean())
        return metric.engine.score(table.sum(axis=0).tolist())


_METRICS: dict[tuple[str, int, bool], BLEU] = {}


def _bleu_metric(smoothing: str, order: int, effective: bool = False) -> BLEU:
    key = (smoothing, order, effective)
    if key not in _METRICS:
        method, found, value = smoothing.partition("[")
        _METRICS[key] = BLEU(
            tokenize="none", smooth_method=method, smooth_value=float(value[:-1]) if found else None,
            max_ngram_order=order, effective_order=effective,
        )  # fmt: skip
    return _METRICS[key]


def _cut(rows: Array, metric: BLEU) -> Array:
    """The columns of the orders that a metric counts."""
    orders = len(metric.columns) // 2 - 1
    return np.column_stack([rows[:, : 2 + orders], rows[:, 2 + ORDERS : 2 + ORDERS + orders]])


def _bleu_of(totals: list[float], smoothing: str, order: int) -> float:
    if smoothing in formulas.OF_SMOOTHING:
        return float(formulas.OF_SMOOTHING[smoothing](np.array([totals]), order)[0])
    metric = _bleu_metric(smoothing, order)
    orders = len(metric.columns) // 2 - 1
    return metric.engine.score([*totals[: 2 + orders], *totals[2 + ORDERS : 2 + ORDERS + orders]])


def _scores_of(rows: Array, metric: BLEU) -> Array:
    return np.frombuffer(metric.engine.score_rows(_cut(rows, metric).ravel().tolist()))


def _segment_scores(rows: Array, rule: str) -> Array:
    if rule in formulas.OF_SEGMENTS:
        return formulas.OF_SEGMENTS[rule](rows)
    smoothing = "exp" if rule in ("mean", "mean exp") else rule.removeprefix("mean ")
    return _scores_of(rows, _bleu_metric(smoothing, 4, effective=rule != "mean exp"))


def _orders(rows: Array, characters: int, words: int) -> Array:
    """The columns of fewer orders: three for each, characters first."""
    start = 3 * _CHARACTERS
    return np.column_stack([rows[:, : 3 * characters], rows[:, start : start + 3 * words]])


def _f_score(rows: Array, square: float) -> Array:
    """The F-scores of torchmetrics: the mean over all orders, whether there are n-grams or not."""
    hypothesis, reference, match = (rows[:, at::3] for at in range(3))
    with np.errstate(divide="ignore", invalid="ignore"):
        precision = np.where(hypothesis > 0, match / hypothesis, 0.0)
        recall = np.where(reference > 0, match / reference, 0.0)
    bottom = np.maximum(square * precision + recall, 1e-16)
    scores: Array = ((1 + square) * precision * recall / bottom).mean(axis=1)
    return scores


def _number(text: str) -> float:
    return int(text) if text.isdecimal() else float(text)
