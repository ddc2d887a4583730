"""Garbage in any argument of any public callable gives a TruebleuError that names the argument.

Callables are found by introspection, so a new one is covered as soon as its parameters have valid values in the tables
below. One argument at a time is replaced by each bad value, and then up to three at once by generated ones: either
there is a result, or an error that helps. There are 50 generated calls for each of TRUEBLEU_TEST_CASES: a million in
`make test-full`.
"""

from __future__ import annotations

import inspect
import math
import os
import random
import re
import time
import warnings
import zipfile
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import truebleu
import truebleu.jiwer
import truebleu.tokenizers.native
from conftest import CASES
from truebleu import columns, evaluate, rouge_score, sgm
from truebleu.accumulator import Accumulator
from truebleu.errors import TruebleuError
from truebleu.metrics import BLEU, METRICS, Score
from truebleu.metrics.external import ExternalMetric
from truebleu.nltk import SmoothingFunction
from truebleu.scores import ScoreTable
from truebleu.signature import Signature
from truebleu.significance.sign import sign_test_of_texts
from truebleu.stats import Stats

LONG = "x" * 100_000

# Made anew for each call: a generator can be used once.
BAD: dict[str, Callable[[], object]] = {
    "None": lambda: None,
    "True": lambda: True,
    "5": lambda: 5,
    "-1": lambda: -1,
    "0.5": lambda: 0.5,
    "10**30": lambda: 10**30,
    "nan": lambda: math.nan,
    "inf": lambda: math.inf,
    "'x'": lambda: "x",
    "''": lambda: "",
    "'False'": lambda: "False",
    "'\\0'": lambda: "\0",
    "b'x'": lambda: b"x",
    "[]": lambda: [],
    "[None]": lambda: [None],
    "[5]": lambda: [5],
    "['x']": lambda: ["x"],
    "[['x']]": lambda: [["x"]],
    "[[['x']]]": lambda: [[["x"]]],
    "[nan]": lambda: [math.nan],
    "{}": dict,
    "{'x': 5}": lambda: {"x": 5},
    "set": lambda: {"x"},
    "object": object,
    "class": lambda: object,
    "generator": lambda: (letter for letter in "xy"),
    "surrogate": lambda: "\ud800",
    "surrogates": lambda: ["\ud800"],
    "long": lambda: LONG,
    "long list": lambda: [LONG],
    "many": lambda: [5] * 50_000,
    "array": lambda: np.zeros((2, 3)),
    "scalar array": lambda: np.array(5),
    "int64": lambda: np.int64(2),
    "complex": lambda: 1j,
    "function": lambda: len,
}

HYPOTHESES = ["a b c d e", "f g h i j"]
REFERENCES = [["a b c d x", "f g h i j"]]
TOKENS = [text.split() for text in HYPOTHESES]


@cache
def rows() -> Stats:
    return BLEU().stats(HYPOTHESES, REFERENCES)


@cache
def receipt() -> truebleu.Receipt:
    return truebleu.Receipt.make(HYPOTHESES, REFERENCES, BLEU())


# By the name of the parameter; `VALID_OF` is asked first. Both are made when the first test asks.
VALID: Callable[[], dict[str, object]] = cache(lambda: {
    "aggregate": False, "all_pairs": False, "alpha": 0.05, "asian_support": False, "auto_reweigh": False, "beta": 2,
    "delta": 1.0, "family": "all", "margin": 0.5, "power": 0.8, "strata": ["one", "two"],
    "by": (), "checks": True, "id": None, "jobs": 2, "keep": (), "nulls": "error",
    "baseline": HYPOTHESES, "better": 3, "candidate": [1, 2, 3], "candidates": HYPOTHESES, "case_sensitive": False,
    "char_order": 6, "closest_ref_len": 5, "compat": True, "correct": [3, 2, 1, 1], "correction": "holm",
    "definition": "sacrebleu", "different": [True, True], "documents": ["one", "two"], "effective_order": True,
    "empty_refs": "drop", "eps_smoothing": False, "epsilon": 0.1, "force": False, "function": str.split,
    "higher_is_better": True, "hyp_len": 5, "hypotheses": HYPOTHESES, "hypothesis": HYPOTHESES[0],
    "ignore_whitespace": True, "include_whitespace": False, "is_json": False, "k": 5, "labels": ["one", "two"],
    "layout": "streams", "line": HYPOTHESES[0], "lines": HYPOTHESES, "lowercase": False, "max_len": 4,
    "max_ngram_order": 4, "metric": BLEU(), "metrics": [BLEU()], "min_len": 1, "n": 4, "n_ar_confidence": -1,
    "n_bootstrap": 2, "n_confidence": 2, "n_jobs": 1, "n_samples": 2, "name": "13a", "no_punct": False,
    "names": "nfc,quotes", "normalize": "nfc,quotes",
    "auto": False, "breaks": "prefer", "division": None, "level": "segment", "method": "cue", "resegment": True,
    "window": 200, "people": True,
    "normalized": False, "order": 2, "outcome": 1, "path": "rows.npz", "parts": [rows(), rows()], "preds": HYPOTHESES,
    "ref_len": 5,
    "reference": REFERENCES[0][0], "references": REFERENCES, "remove_punctuation": True,
    "remove_whitespace": True, "samples": HYPOTHESES,
    "strip": True, "threshold": 0.5, "version": 2,
    "score_only": False, "scores": [0.5, 0.25], "seed": 7, "segments": [0, 1], "short": False, "smooth_method": "floor",
    "smooth_value": 0.5, "smoothing": "floor", "smoothing_function": SmoothingFunction().method1, "stats": rows(),
    "sources": HYPOTHESES, "sys_len": 5, "system": HYPOTHESES, "systems": {"one": HYPOTHESES, "two": HYPOTHESES[::-1]},
    "target": REFERENCES[0],
    "test": "bs", "test_type": "bs", "text": "BLEU|nrefs:1|case:lc|version:2.4.0", "threads": 1, "tokenize": "13a",
    "unit": "auto",
    "tokens": TOKENS[0], "total": [4, 3, 2, 1], "trg_lang": "de", "use_effective_order": True,
    "variant": "L", "stem": False, "measure": "recall", "sentences": "newline", "per": "tokens", "precision": 0.5,
    "recall": 0.5, "confidence_interval": 0.9, "rouge_types": ["rouge1", "rougeLsum"], "use_stemmer": True,
    "split_summaries": False, "tokenizer": None, "targets": HYPOTHESES, "prediction": "a b", "predictions": HYPOTHESES,
    "stemmer": None, "usual": "13a",
    "whitespace": False, "width": 2, "word_order": 2, "worse": 1,
})  # fmt: skip

TABLE = {"mt": HYPOTHESES, "ref": REFERENCES[0]}
BY_SEGMENT = [[text] for text in REFERENCES[0]]
TOKEN_REFERENCES = [[text.split()] for text in REFERENCES[0]]
IDS = [[1, 2, 3], [4, 5, 6, 7]]
NLTK_CORPUS = {"list_of_references": TOKEN_REFERENCES, "hypotheses": TOKENS, "weights": (0.5, 0.5)}
NLTK_SENTENCE = {"references": TOKEN_REFERENCES[0], "hypothesis": TOKENS[0], "weights": (0.5, 0.5)}
SMOOTHED = {"p_n": [truebleu.nltk.bleu_score.Fraction(n, 5) for n in (4, 3, 2, 1)], "alpha": 5, **NLTK_SENTENCE}
TESTSETS = {
    "langpair": "en-de", "names": "demo", "origlang": "en", "pair": "en-de", "refs": "A", "requested_fields": ["src"],
    "subset": "news", "systems": [["x"] * 240], "test_set": "demo", "test_sets": "demo", "testset": "demo",
}  # fmt: skip
AGREED = {"a": [0.1, 0.5, None, 0.2], "b": [0.2, 0.6, 0.4, 0.7], "c": [0.9, 0.3, 0.8, 0.4], "d": [0.5] * 4}
SCORES = ScoreTable.from_columns(
    system=["one", "one", "two", "two"], item=["1", "2", "1", "2"], score=[-1, 0, None, -5], metric="MQM"
)
MEANS = {"a": 0.25, "b": 0.5, "c": 0.75, "d": 1.0}
SGM = '<refset setid="s" srclang="en" trglang="de"><doc docid="d" sysid="r"><seg id="1">x</seg></doc></refset>'

# By a pattern for the name of the callable; the first that fits is taken.
VALID_OF: Callable[[], dict[str, Mapping[str, object]]] = cache(lambda: {
    r"_textio\.read_lines$": {"path": "refs.sgm", "encoding": "utf-8"},
    r"Receipt\.make$": {
        "labels": ["A"], "system": "x", "test_set": None, "source": HYPOTHESES, "rows": "segments", "key": b"secret",
        "url": "", "note": "", "stats": None, "segmentation": None, "level": None, "score_files": None,
        "items": ["s1", "s2"],
    },
    r"receipts\.": {
        "answers": None, "rescore": False,
        "content": receipt().content, "name": "BLEU", "other": receipt(), "key": b"secret", "module": "sacrebleu",
        "path": "x.receipt.json", "scores": None,
    },
    r"\.to_html$": {"path": "page.html", "texts": True, "theme": "light", "against": None},
    **{
        rf"\.{kind.__name__}\.(score|score_totals|check_totals|segment_scores|impossible_rows)$": {
            "stats": kind().stats(HYPOTHESES, REFERENCES),
            "totals": kind().stats(HYPOTHESES, REFERENCES).sum(),
            "references": (1, 1),
            "summed": False,
        }
        for kind in METRICS.values()
    },
    r"\.align$": {"references": REFERENCES[0]},
    r"contamination\.": {
        "resume": None,
        "testset": None, "sources": HYPOTHESES, "train": ["refs.sgm"], "texts": HYPOTHESES, "n": 3, "characters": 5,
        "rule": "any", "side": "pair", "common": 9, "records": "blank", "field": [], "format": "text", "like": None,
        "errors": "strict", "tell": None, "path": "o.json", "score": len, "lengths": [1, 2], "n_samples": 100,
        "found": INSTANCES["Overlap"](), "counted": {"BLEU": (BLEU(), {"one": rows()})},
    },
    r"similarity\.EditSimilarity$": {"weights": "indel"},
    r"terms\.Terms$": {
        "lemmatize": None, "language": "pl",
        "glossary": "references", "mode": "form", "case": "fold", "overlap": "all", "compounds": True, "like": "",
        "average": "document", "if_reference": "",
        "split": "/", "allow_none": True, "sources": ["a"], "digest": "refs",
    },
    r"jiwer\.transforms": {
        "transforms": [truebleu.jiwer.Strip()], "word_delimiter": " ", "substitutions": {"a": "b"},
        "words_to_remove": ["a"], "replace_by_space": True, "s": "a b", "inp": ["a", "b"],
    },
    r"jiwer\.(measures|process)": {
        "reference": REFERENCES[0], "hypothesis": HYPOTHESES, "reference_transform": truebleu.jiwer.wer_default,
        "hypothesis_transform": truebleu.jiwer.wer_default,
    },
    r"metrics\.alignment": {
        "output": truebleu.jiwer.process_words(REFERENCES[0], HYPOTHESES), "show_measures": True, "skip_correct": True,
        "line_width": 20, "show_substitutions": True, "show_insertions": True, "show_deletions": True, "top_k": 2,
    },
    r"\.resegment$": {"hypothesis": HYPOTHESES},
    r"\.sentence_score$": {"references": ["a b c d x"], "sources": "a b"},
    r"registry\.find$": {"name": "chrF++"},
    "pairwise": {"references": HYPOTHESES},
    "mbr": {"references": HYPOTHESES, "weights": [1, 2]},
    r"ExternalMetric\.": {
        "stats": ExternalMetric("x", higher_is_better=True).stats([0.5, 0.25]), "missing": True, "summed": False,
    },
    "metrics.external.ExternalMetric": {
        "name": "COMET", "model": "a/b", "revision": "main", "precision": "fp16", "version": "x-1", "kind": "metric",
        "level": "segment", "direction_anyway": False,
    },
    r"comparison\.compare$": {"missing": "pairs", "assignment": None},
    r"agreement\.agree$": {
        "human": {"MQM": AGREED}, "metrics": {"COMET": AGREED, "x": AGREED}, "statistics": ["spa", "acc_eq"],
        "group": "item", "documents": ["one", "one", "two", "two"], "unit": "segment", "test": "ar",
        "higher_is_better": {"x": True}, "system_scores": {"MQM": MEANS, "COMET": MEANS}, "exclude": ["d"],
        "only": [True, True, True, False], "nan": "leave", "honest": False,
    },
    r"autorank\.autorank$": {"scores": {"x": MEANS, "COMET": MEANS}, "higher_is_better": {"x": True}, "partial": True},
    r"worth\.worth$": {"metric": "BLEU"},
    "functions.sentence_": {"references": ["a b c d x"]},
    "sign_test$": {"baseline": rows(), "system": rows()},
    "sign_test_of_texts": {"baseline": HYPOTHESES, "system": HYPOTHESES[::-1]},
    "PairedTest": {"named_systems": [("one", HYPOTHESES), ("two", HYPOTHESES[::-1])], "metrics": {"BLEU": BLEU()}},
    r"metrics\.meteor\.METEOR$": {
        "alpha": 0.9, "beta": 3.0, "gamma": 0.5, "stem": "porter", "synonyms": "wordnet3.0", "tokenize": "nltk-words",
        "lowercase": True,
    },
    r"nltk\.meteor_score\.": {
        "reference": TOKENS[0], "references": [TOKENS[0]], "hypothesis": TOKENS[0], "preprocess": str.lower,
        "stemmer": None, "wordnet": None, "alpha": 0.9, "beta": 3.0, "gamma": 0.5,
    },
    "nltk.bleu_score.SmoothingFunction": SMOOTHED,
    "nltk.bleu_score.sentence_": NLTK_SENTENCE,
    "nltk.gleu_score.sentence_": NLTK_SENTENCE,
    "nltk.nist_score.sentence_": NLTK_SENTENCE,
    "modified_precision": NLTK_SENTENCE,
    "closest_ref_length": {"references": TOKEN_REFERENCES[0]},
    "nltk.chrf_score.corpus_": {"references": REFERENCES[0]},
    "nltk.": NLTK_CORPUS,
    "ids.bleu_corpus_ids": {"references": [[ids] for ids in IDS], "candidates": IDS, "weights": [0.5, 0.5], "n": 2},
    "ids.bleu_sentence_ids": {"references": IDS, "candidate": IDS[0], "weights": [0.5, 0.5], "n": 2},
    "ids.bleu_corpus$": {"references": BY_SEGMENT, "tokenizer": lambda text: [*map(ord, text)], "weights": [1], "n": 1},
    "ids.bleu_sentence$": {
        "references": BY_SEGMENT[0], "candidate": "a", "tokenizer": lambda text: [*map(ord, text)],
        "weights": [1], "n": 1,
    },
    "truebleu.rouge_score": {"target": "a b c", "text": "a b c", "scores": {"rouge1": (0.5, 0.5, 0.5)}},
    "diversity.distinct": {"texts": HYPOTHESES},
    "Accumulator.merge": {"other": Accumulator(BLEU())},
    "Stats.require": {"fingerprint": rows().fingerprint, "what": "rows", "columns": rows().columns},
    "truebleu.stats.Stats$": {
        "rows": np.ones((2, 2)), "columns": ("edits", "length"), "fingerprint": {"metric": "TER"}, "references": (1, 1),
    },
    "Signature": {"fields": {"nrefs": 1}, "short_forms": {"nrefs": "#"}, "key": "test", "value": "demo"},
    "evaluate.hub.load": {
        "path": "chrf", "config_name": "x", "module_type": "metric", "process_id": 0, "num_process": 1,
        "cache_dir": None, "experiment_id": "x", "keep_in_memory": False, "download_config": None,
        "download_mode": None, "revision": None,
    },
    "download_and_prepare": {"download_config": None, "dl_manager": None},
    "evaluate.hub.script_path": {"name": "chrf"},
    "evaluate.logging": {"name": "truebleu", "verbosity": 30},
    "evaluate.saving.save": {"path_or_file": "saved.json"},
    "evaluate.hub.": {"module_type": "metric", "include_community": True, "with_details": False},
    "evaluate.": {
        "prediction": "a b", "reference": "a c", "predictions": HYPOTHESES, "references": REFERENCES[0],
        "evaluations": ["chrf", "ter"], "force_prefix": True, "config_name": "x", "experiment_id": "x",
    },
    r"TestSet\.(field|paragraphs)": {"name": "src"},
    r"TestSet\.refs": {"names": ["A"]},
    r"TestSet\.cut": {"lines": ["x"] * 240},
    r"TestSet\.study": {"systems": {"one": ["x"] * 240}},
    "dataset|utils.print_test_set": TESTSETS,
    "sgm.read": {"path": "refs.sgm", "encoding": "utf-8"},
    "sgm.texts_in_order": {"stream": sgm.parse(SGM)[0], "guide": sgm.parse(SGM)[0]},
    "sgm.": {"text": SGM, "path": "refs.sgm"},
    "utils.": {
        "dest_path": "refs.sgm", "destdir": "unpacked", "encoding": "utf-8", "file": "refs.sgm",
        "filepath": "refs.zip", "lists": [[1, 2], [3, 4]], "mode": "rt",
    },
    r"Totals\.from_arrow": {"data": columns.totals(TABLE, BLEU(), hypothesis="mt", references="ref").to_arrow()},
    r"Stats\.from_arrow": {"data": rows().to_arrow(), "name": "bleu"},
    r"mean_columns": {"metric": "TER"},
    r"Totals\.sum": {"parts": [columns.totals(TABLE, BLEU(), hypothesis="mt", references="ref")]},
    r"stats_of_rows": {
        "data": columns.rows({**TABLE, "seg": [0, 1]}, BLEU(), hypothesis="mt", references="ref", keep="seg"),
        "order": "seg",
    },
    r"columns\.score_files": {
        "paths": "lines.parquet", "hypothesis": "mt", "references": "ref", "resume": None, "where": None,
    },
    r"truebleu\.columns\.": {"data": TABLE, "hypothesis": "mt", "references": "ref", "key": ()},
    "estimate_interval": {"scores": np.arange(4.0)},
    "Score.format": {"signature": "nrefs:1"},
    r"normalization\.normalize|\.tokens$": {"texts": HYPOTHESES},
    r"\.(reconcile|attribute)$": {
        "target": "46.23", "start": "sacrebleu", "end": "multi-bleu", "tools": ["multi-bleu"], "axes": ["case"],
        "labels": {"domain": ["a", "b"]}, "max_changes": 1, "threads": 1, "names": ["A"],
        "others": {"B": REFERENCES[0]},
    },
    r"Study$": {
        "sources": HYPOTHESES, "labels": {"domain": ["one", "two"]}, "baseline": "two", "language": "de",
        "external": {"COMET": {"one": [0.5, 0.25], "two": [0.75, 0.5]}}, "files": {"sources": ["rows.npz"]},
        "title": "Demo", "missing": "pairs", "assignment": None, "scores": SCORES, "human": "MQM", "spans": {"MQM": {}},
        "overlap": None,
    },
    r"MetricReport\.pair$": {"system": "two", "baseline": "one"},
    r"Study\.": {"metric": "BLEU", "name": "domain", "a": "one", "b": "two"},
    r"Breakdown\.|SegmentScores\.": {"metric": "BLEU", "a": "one", "b": "two", "system": "two"},
    "extract_all": {"min_order": 1, "max_order": 2},
    r"doctor\.": {
        "sources": HYPOTHESES, "checks": "D3", "placeholders": "auto", "numbers": "de", "skip": ["D304"],
        "language": "de", "level": "error",
        "others": {"B": HYPOTHESES}, "longest": 40,
    },
    r"plot\.figure\.|Study\.plot$": {
        "study": truebleu.Study(
            {"one": HYPOTHESES, "two": HYPOTHESES[::-1]}, REFERENCES, BLEU(),
            labels={"domain": ["x", "y"]}, test="none",
        ),
        "kind": "groups", "metric": "BLEU", "systems": ["one", "two"], "labels": "domain", "ax": None, "size": "9x5",
        "font_size": 7, "gray": True, "path": "figure.svg",
    },
})  # fmt: skip

MODULES = (
    "truebleu.plot",
    "truebleu", "truebleu.metrics", "truebleu.metrics.published", "truebleu.metrics.external",
    "truebleu.metrics.helpers", "truebleu.significance", "truebleu.significance.sign",
    "truebleu.significance.signtestbleu", "truebleu.nltk", "truebleu.nltk.nist_score", "truebleu.evaluate",
    "truebleu.rouge_score", "truebleu.rouge_score.tokenize", "truebleu.rouge_score.tokenizers",
    "truebleu.ids", "truebleu.jiwer", "truebleu.accumulator", "truebleu.stats", "truebleu.diversity",
    "truebleu.signature",
    "truebleu.tokenizers", "truebleu.tokenizers.registry", "truebleu.tokenizers.native", "truebleu.tokenizers.custom",
    "truebleu.dataset", "truebleu.dataset.sacrebleu", "truebleu.sgm", "truebleu.utils",
    "truebleu.receipts",
    "truebleu.columns", "truebleu.normalization", "truebleu.doctor", "truebleu.reconciliation", "truebleu.study",
    "truebleu.resegmentation", "truebleu.contamination",
)  # fmt: skip

# What is not called here, and why.
EXEMPT = {
    r"signature\.About": "a record that truebleu makes",
    r"utils\.smart_open$": "does what `open` does, as sacreBLEU's does",
    r"dataset\.base\.Dataset$": "a record of what is given, as sacreBLEU's is",
    r"sacrebleu\.utils\.(?!extract_tarball|get_md5sum|print_test_set|smart_open|sum_of_lists)": (
        "sacreBLEU's, for programs that were written for it"
    ),
    r"TestSet$": "made by `testset` from texts that it has read",
    r"sgm\.(Segment|Stream)": "made by `parse`",
    r"(WordOutput|CharacterOutput|AlignmentChunk)$": "records of results",
    r"jiwer\.transforms\.\w+\.(process_string|process_list)$": "called by the transform, which has checked the texts",
    r"AbstractTransform": "abstract",
    r"jiwer\.transforms\.\w+\.__call__$": "its steps may be anybody's functions",
    r"Explained$": "made by `compare`",
    r"Score$|Report$|Comparison$|Group$|Result$|SignTest$|MetricInfo$|Published$|Interval$": "records of results",
    r"significance\.power\.": "records of results",
    r"found\.(Overlap|SegmentOverlap|TextOverlap|TrainingPlace)$|training\.TrainingFile$|split\.\w+(Split|Report)$": (
        "records of results"
    ),
    r"Resegmented$": "made by `resegment`",
    r"doctor\.finding\.(Price|Finding|Diagnosis)$": "made by `diagnose`",
    r"reconciliation\.explanations": "records of results",
    r"study\.\w+\.(Breakdown|GroupDifference|NGram|NGramTable|PairedGroups|Provenance|Reversal|SegmentScores)$": (
        "made by a study"
    ),
    r"verification\.Verification$": "made by `verify`",
    r"accumulator\.Sums": "the inside of an accumulator",
    r"_core\.|Totals$": "made by others, not by users",
    r"rouge_score\.\w+\.(BaseScorer|Tokenizer)\.|RougeScorer\.parts$": "abstract, or called with checked texts",
    r"Totals\.(save|load)$": "files of columns have tests of their own",
    r"options_of_name$|published\.(of_score|stated)$": "called with the parts of a signature that has been read",
    r"BaseTokenizer\.(__call__|apply)$": "abstract",
    r"SmoothingFunction\.method": "NLTK's take whatever counts like a fraction, and a user's own method may give it",
}


@cache
def demo(folder: str) -> Any:
    """A test set whose text is in the cache of a test; to open it takes longer than a call."""
    return truebleu.testset("demo", "en-de")


def study() -> truebleu.Study:
    return truebleu.Study(
        {"one": HYPOTHESES, "two": HYPOTHESES[::-1]}, REFERENCES, BLEU(), labels={"domain": ["x", "y"]}, n_confidence=2
    )


INSTANCES: dict[str, Callable[[], object]] = {
    **{kind.__name__: kind for kind in METRICS.values()},
    "Comparison": lambda: truebleu.significance.compare(
        {"one": HYPOTHESES, "two": REFERENCES[0]}, BLEU(), REFERENCES, n_samples=10
    ),
    "MetricReport": lambda: INSTANCES["Comparison"]().metrics[0],  # type: ignore[attr-defined]
    "BLEUScore": lambda: BLEU().score(rows()),
    "truebleu.metrics.terms.Terms.uses": lambda: METRICS["TERMS"]({"a": "x"}, sources=HYPOTHESES),
    "METEORScore": lambda: truebleu.METEOR().sentence_score("a", ["a"]),
    "TermsScore": lambda: METRICS["TERMS"]().sentence_score("a", ["a"]),
    "WERScore": lambda: METRICS["WER"]().sentence_score("a", ["a"]),
    **{
        name: partial(getattr(truebleu.jiwer, name), *arguments)
        for name, arguments in {
            "AbstractTransform": (), "Compose": ([],), "SubstituteRegexes": ({"a": "b"},),
            "SubstituteWords": ({"a": "b"},), "RemoveSpecificWords": (["a"],),
            **dict.fromkeys(
                ("ExpandCommonEnglishContractions", "ReduceToListOfListOfChars", "ReduceToListOfListOfWords",
                 "ReduceToSingleSentence", "RemoveEmptyStrings", "RemoveKaldiNonWords", "RemoveMultipleSpaces",
                 "RemovePunctuation", "RemoveWhiteSpace", "Strip", "ToLowerCase", "ToUpperCase"), (),
            ),
        }.items()
    },
    "CHRFScore": lambda: truebleu.sentence_chrf("a", ["a"]),
    "ROUGEScore": lambda: truebleu.ROUGE().sentence_score("a", ["a"]),
    "DistinctScore": lambda: truebleu.distinct(HYPOTHESES),
    "RougeScorer": lambda: rouge_score.RougeScorer(["rouge1", "rougeLsum"]),
    "BootstrapAggregator": lambda: rouge_score.BootstrapAggregator(n_samples=2),
    "DefaultTokenizer": rouge_score.tokenizers.DefaultTokenizer,
    "GLEUScore": lambda: truebleu.GLEU().sentence_score("a", ["a"]),
    "TERScore": lambda: truebleu.sentence_ter("a", ["a"]),
    "SelfScore": lambda: truebleu.self_bleu(HYPOTHESES),
    "Score": lambda: ExternalMetric("x").score(ExternalMetric("x").stats([1.0, 2.0])),
    "ExternalMetric": lambda: ExternalMetric("x", higher_is_better=True),
    "Accumulator": lambda: Accumulator(BLEU()),
    "Stats": rows,
    "Receipt": receipt,
    "Overlap": lambda: truebleu.overlap(references=REFERENCES[:1], texts=HYPOTHESES),
    "Totals": lambda: truebleu.columns.totals(TABLE, BLEU(), hypothesis="mt", references="ref"),
    "Diagnosis": lambda: truebleu.diagnose(HYPOTHESES, REFERENCES),
    "Signature": lambda: Signature({"nrefs": 1}),
    "SmoothingFunction": SmoothingFunction,
    "SignTest": lambda: sign_test_of_texts(HYPOTHESES, HYPOTHESES[::-1], REFERENCES, BLEU()),
    "PairedTest": lambda: truebleu.significance.PairedTest(
        [("one", HYPOTHESES), ("two", HYPOTHESES[::-1])], {"BLEU": BLEU()}, REFERENCES, n_samples=2
    ),
    "EvaluationModule": lambda: evaluate.load("bleu"),
    "CombinedEvaluations": lambda: evaluate.combine(["bleu", "chrf"]),
    "CallableTokenizer": lambda: truebleu.tokenizers.custom.CallableTokenizer(str.split),
    "Dataset": lambda: truebleu.DATASETS["demo"],
    "TestSet": lambda: demo(os.getcwd()),
    "Study": study,
    "Breakdown": lambda: study().groups("domain"),
    "SegmentScores": lambda: study().segments("BLEU"),
    "NGramTable": lambda: study().ngrams("one", "two"),
    "Provenance": lambda: study().provenance,
    "Published": lambda: truebleu.metrics.published.parse_signature("BLEU|nrefs:1"),
}  # fmt: skip


class Call(NamedTuple):
    """A public callable with valid arguments."""

    name: str
    function: Callable[..., Any]
    annotations: dict[str, str]

    @property
    def arguments(self) -> dict[str, object]:
        return {parameter: valid_value(self.name, parameter) for parameter in self.annotations}


def public_callables() -> Iterator[tuple[str, Any, str | None]]:
    """Name, callable, and the class of which an object is needed, if it is a method."""
    for module_name in MODULES:
        module = import_module(module_name)
        own = getattr(module, "__all__", None)
        for name in own or [name for name in vars(module) if not name.startswith("_")]:
            value = getattr(module, name)
            home = getattr(value, "__module__", "") or ""
            if not callable(value) or not home.startswith("truebleu") or (own is None and home != module_name):
                continue
            if not hasattr(value, "__qualname__"):  # an object that can be called, such as a preset of jiwer
                continue
            if not inspect.isclass(value):
                yield f"{home}.{value.__qualname__}", value, None
            elif not issubclass(value, BaseException):
                if not inspect.isabstract(value):
                    yield f"{home}.{value.__qualname__}", value, None
                yield from methods(value)


def methods(kind: type) -> Iterator[tuple[str, Any, str | None]]:
    for name in dir(kind):
        found = inspect.getattr_static(kind, name)
        function = found.__func__ if isinstance(found, staticmethod | classmethod) else found
        if (name.startswith("_") and name != "__call__") or not inspect.isfunction(function):
            continue
        if function.__module__.startswith("truebleu"):
            owner = kind.__qualname__ if function is found else None
            yield f"{kind.__module__}.{kind.__qualname__}.{name}", getattr(kind, name), owner


def calls() -> dict[str, Call]:
    found = {}
    for name, value, owner in public_callables():
        is_exempt = any(re.search(pattern, name) for pattern in EXEMPT) or owner in ("Metric", "BaseTokenizer")
        parameters = [*inspect.signature(value).parameters.values()][owner is not None :]
        kinds = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
        wanted = [each for each in parameters if each.kind not in kinds]
        if name in found or is_exempt or not wanted:
            continue
        make = (
            INSTANCES.get(name) or INSTANCES.get(owner or "") or getattr(truebleu.tokenizers.native, owner or "", None)
        )
        assert not owner or make, f"no object of {owner} is known: add one to INSTANCES"
        function = partial(on_object, make, value.__name__) if owner else value
        found[name] = Call(name, function, {each.name: str(each.annotation) for each in wanted})
    return found


def on_object(make: Callable[[], object], method: str, /, **arguments: object) -> object:
    return getattr(make(), method)(**arguments)


@cache
def valid_value(callable_name: str, parameter: str) -> object:
    for pattern, values in VALID_OF().items():
        if re.search(pattern, callable_name) and parameter in values:
            return values[parameter]
    assert parameter in VALID(), f"no valid value is known for {parameter} of {callable_name}: add one"
    return VALID()[parameter]


CALLS = calls()


def outcome(call: Call, arguments: Mapping[str, object]) -> object:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = call.function(**arguments)
        return result() if isinstance(result, truebleu.significance.PairedTest) else result


def complaint(call: Call, bad: Mapping[str, object]) -> str | None:
    """What is wrong with the way the callable takes bad values."""
    before = time.process_time()
    try:
        result = outcome(call, {**call.arguments, **bad})
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        if any(name in FUNCTIONS and callable(value) for name, value in bad.items()):
            return None
        return what_is_wrong_with(error, bad)
    seconds = time.process_time() - before
    if seconds > MOST_SECONDS:
        return f"takes {seconds:.0f} s"
    number = result.score if isinstance(result, Score) else result
    if isinstance(number, float) and not math.isfinite(number):
        return f"gives {number}"
    taken = [name for name, value in bad.items() if must_refuse(call, name, value)]
    return f"takes {taken[0]} for a {call.annotations[taken[0]]}" if taken else None


def what_is_wrong_with(error: BaseException, bad: Mapping[str, object]) -> str | None:
    message = str(error)
    if not isinstance(error, TruebleuError):
        return f"{type(error).__name__}: {message[:200]}"
    message.encode()  # a lone surrogate must not keep it from being printed
    if len(message) >= 600:
        return f"a message of {len(message)} characters: {message[:200]}"
    said = [word for name in bad for word in ALSO_SAID.get(name, (name, name.removesuffix("s")))]
    return None if any(word in message for word in said) else f"does not name it: {message}"


# The word that a message may use in place of the parameter's name.
ALSO_SAID: dict[str, tuple[str, ...]] = {
    "answers": ("answers", "no such file"),
    "baseline": ("baseline", "hypotheses"),
    "by": ("by", "no column"),
    "content": ("content", "receipt"),
    "train": ("train", "no such file", "a folder", "cannot be"),
    "data": ("data", "column", "no such file", "is a folder", "cannot be", "no rows"),
    "documents": ("document", "labels"),
    "evaluations": ("evaluations", "metric"),
    "function": ("function", "tokenizer"),
    "hypotheses": ("hypothes",),
    "hypothesis": ("hypothesis", "no column"),
    "id": ("id", "no column"),
    "keep": ("keep", "no column"),
    "order": ("order", "keep", "no column"),
    "list_of_references": ("reference",),
    "min_len": ("min_len", "max_len"),
    "candidates": ("candidate", "references"),
    "target": ("target", "reference"),
    "destdir": ("destdir", "into"),
    "filepath": ("filepath", "archive"),
    "name": ("name", "tokenizer", "field"),
    "references": ("reference", "no column"),
    "langpair": ("language pair", "langpair"),
    "lines": ("line", "output", "segments"),
    "named_systems": ("system", "hypotheses", "stream"),
    "names": ("names", "test set", "reference", "refs"),
    "pair": ("pair",),
    "refs": ("refs", "reference"),
    "requested_fields": ("field",),
    "systems": ("system", "stream", "hypotheses"),
    "test_set": ("test set",),
    "test_sets": ("test set", "test_sets"),
    "testset": ("test set", "testset"),
    "encoding": ("encoding", "which is not"),
    "resume": ("resume", "is a folder", "cannot be"),
    "paths": ("paths", "no such file", "there is no", "a folder", "cannot be"),
    "path": ("path", "no such file", "a folder", "cannot be", "line 1", "does not hold rows", "has no metric"),
    "fingerprint": ("fingerprint", "differ in"),
    "system": ("system", "hypotheses"),
    "text": ("text", "signature", "no set in this file"),
    "use_effective_order": ("effective_order",),
}

# Taken as they are, because they are ignored or only kept.
ANYTHING = re.compile(r"evaluate\.hub\.load \w+|list_evaluation_modules \w+")

# A call that takes longer hangs, for whoever waits.
MOST_SECONDS = 5

# What a user's own function raises is not ours to change.
FUNCTIONS = (
    "function", "hypothesis_transform", "normalize", "reference_transform", "smoothing_function", "tokenize",
    "tokenizer", "transforms", "tell", "score", "preprocess",
)  # fmt: skip


def must_refuse(call: Call, parameter: str, value: object) -> bool:
    """Whether the type alone tells that a value is wrong. Truth values may be None or 0 and 1, as sacreBLEU's may."""
    kinds = set(call.annotations[parameter].replace("<class '", "").replace("'>", "").split(" | "))
    if (
        value is None
        or not kinds <= {"str", "bool", "int", "float", "None"}
        or ANYTHING.search(f"{call.name} {parameter}")
    ):
        return False
    fits = {
        "str": isinstance(value, str),
        "bool": isinstance(value, int | float | np.number | np.bool_) and value in (0, 1),
        "int": hasattr(value, "__index__"),
        "float": hasattr(value, "__float__"),
        "None": False,
    }
    return not any(fits[kind] for kind in kinds)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are written where they do no harm."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TRUEBLEU_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("TRUEBLEU_OFFLINE", "1")
    rows().save("rows.npz")
    receipt().save("x.receipt.json")
    truebleu.overlap(references=REFERENCES[:1], texts=HYPOTHESES).save("o.json")
    pq.write_table(pa.table(TABLE), "lines.parquet")
    Path("refs.sgm").write_text(SGM, "utf-8")
    with zipfile.ZipFile("refs.zip", "w") as archive:
        archive.write("refs.sgm")


@pytest.mark.parametrize("name", CALLS)
def test_the_valid_call_works(name: str) -> None:
    outcome(CALLS[name], CALLS[name].arguments)


@pytest.mark.parametrize("name", CALLS)
def test_garbage_gives_a_result_or_an_error_that_names_the_argument(name: str) -> None:
    call = CALLS[name]
    cases = [(parameter, label) for parameter in call.arguments for label in BAD]
    found = {case: complaint(call, {case[0]: BAD[case[1]]()}) for case in cases}
    wrong = [f"{parameter}={label}: {words}" for (parameter, label), words in found.items() if words]
    assert [] == wrong, "\n".join(wrong)


@pytest.mark.parametrize("name", CALLS)
def test_generated_garbage_gives_a_result_or_an_error_that_names_an_argument(name: str) -> None:
    call, wrong = CALLS[name], []
    for number in range(1 + 50 * CASES // len(CALLS)):
        chance = random.Random(f"{name}/{number}")
        chosen = chance.sample(sorted(call.arguments), min(len(call.arguments), chance.choice((1, 1, 2, 3))))
        bad = {parameter: garbage(chance) for parameter in chosen}
        shown = f"{number}: {bad!r:.300}"
        words = complaint(call, bad)
        if words:
            wrong.append(f"{shown}: {words}")
    assert [] == wrong, f"{len(wrong)}\n" + "\n".join(wrong[:20])


ATOMS: tuple[Callable[[random.Random], object], ...] = (
    lambda chance: BAD[chance.choice([*BAD])](),
    lambda chance: chance.choice((0, 1, -1, 2**31, 2**63, -(2**63), 2**64, 10**400)),
    lambda chance: chance.choice((0.0, -0.0, 1e308, 5e-324, 0.1, -math.inf)),
    lambda chance: "".join(
        chance.choices("ab .,\n\t\0\r\u3000\u0130\ud800\U0001f600<&;|:%{}$\x1b", k=chance.randrange(9))
    ),
    lambda chance: bytes(chance.choices(range(256), k=chance.randrange(5))),
    lambda chance: chance.choice((Fraction(1, 3), Decimal("NaN"), Decimal(2), range(3), slice(1), ..., NotImplemented)),
    lambda chance: np.array([chance.randrange(3) for _ in range(chance.randrange(4))], chance.choice("bfdOUF")),
    lambda chance: chance.choice((np.float32(2), np.bool_(True), np.str_("x"), np.datetime64("NaT"))),
)
CONTAINERS: tuple[Callable[[list[Any]], object], ...] = (
    list, tuple, iter, lambda items: dict.fromkeys(map(str, items), items), lambda items: dict(enumerate(items)),
    lambda items: [items] * 2, lambda items: {str(item) for item in items}, lambda items: map(str, items),
)  # fmt: skip


def garbage(chance: random.Random, depth: int = 0) -> object:
    """A value of any type, or a container of such values, three deep at most."""
    if depth == 3 or chance.random() < 0.5:
        return chance.choice(ATOMS)(chance)
    return chance.choice(CONTAINERS)([garbage(chance, depth + 1) for _ in range(chance.randrange(4))])


def merged(metric: Any, **changed: Any) -> Accumulator[Any]:
    """An accumulator with the state of another, which was changed."""
    first, second = Accumulator(metric), Accumulator(metric)
    first.update(["a b"], [["a b", "a"]])
    second.merge({**first.state, **changed})
    return second


def test_decimals_are_numbers() -> None:
    totals = {"edits": Decimal(0), "length": Decimal("1.5")}
    assert merged(truebleu.TER()).compute().score == merged(truebleu.TER(), totals=totals).compute().score


NLTK_PAIR = [["a", "b", "c", "d"]], ["a", "b", "c", "e"]
# What a million generated calls have found, each by itself: the names of the arguments are in the messages.
FOUND: dict[str, Callable[[], Any]] = {
    "threads": lambda: BLEU().score(BLEU().stats(["a b"], [["a b"]]), threads=[[]]),  # type: ignore[arg-type]
    "scores": lambda: import_module("truebleu.resample.interval").estimate_interval(
        np.array([0j, 1], dtype="complex64")
    ),
    "min_len": lambda: evaluate.load("google_bleu").compute(
        predictions=["a b"], references=[["a b"]], min_len=np.array([1, 2])
    ),
    "smoothing_function does not take": lambda: truebleu.nltk.sentence_bleu(*NLTK_PAIR, smoothing_function=len),
    "smoothing_function gave": lambda: truebleu.nltk.sentence_bleu(
        *NLTK_PAIR,
        smoothing_function=lambda *_, **__: [1, "x"],
    ),
    "has the columns": lambda: merged(BLEU(), totals={1: 2}),
    "differs in case_sensitive": lambda: merged(
        truebleu.TER(), fingerprint={**truebleu.TER().fingerprint(), "case_sensitive": np.zeros(2)}
    ),
    "font_size": lambda: import_module("truebleu.study.plot.plan").read_look("column", 10**400, False),
    "segmentation": lambda: truebleu.Receipt.make(
        ["a b"],
        [["a b"]],
        [BLEU()],
        segmentation={"method": b"D"},  # type: ignore[arg-type]
    ),
}


@pytest.mark.parametrize("argument", FOUND)
def test_what_was_found_names_its_argument(argument: str) -> None:
    with pytest.raises(TruebleuError, match=argument):
        FOUND[argument]()
