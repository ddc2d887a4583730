"""Scores, rows and private methods of the face, beside sacreBLEU's: equal in every bit."""

import copy
import logging
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import sacrebleu
import sacrebleu.metrics.bleu
import sacrebleu.metrics.lib_ter
import sacrebleu.significance
import sacrebleu.tokenizers.tokenizer_ter
import sacrebleu.utils

import truebleu.sacrebleu as face
import truebleu.sacrebleu.metrics.bleu
import truebleu.sacrebleu.metrics.lib_ter
import truebleu.sacrebleu.significance
import truebleu.sacrebleu.utils
from parity.compare import run_cases
from strategies import Generator, ter_cases_stay_short
from truebleu import errors
from truebleu.sacrebleu import _leniency

OPTIONS: dict[str, dict[str, list[Any]]] = {
    "BLEU": {
        "lowercase": [True],
        "tokenize": ["none", "13a", "intl", "char", "zh"],
        "smooth_method": ["exp", "floor", "add-k", "none"],
        "effective_order": [True],
        "max_ngram_order": [2, 4, 5],
    },
    "CHRF": {
        "char_order": [4, 6],
        "word_order": [1, 2],
        "beta": [1, 3],
        "lowercase": [True],
        "whitespace": [True],
        "eps_smoothing": [True],
    },
    "TER": {"normalized": [True], "no_punct": [True], "asian_support": [True], "case_sensitive": [True]},
}
PACKAGES = (sacrebleu, face)


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    logging.getLogger("sacrebleu").setLevel(logging.CRITICAL)
    yield
    logging.getLogger("sacrebleu").setLevel(logging.WARNING)


@pytest.fixture
def lenient() -> Iterator[None]:
    _leniency.be_lenient(True)
    yield
    _leniency.be_lenient(False)


def both(name: str, **options: Any) -> list[Any]:
    return [getattr(package, name)(**options) for package in PACKAGES]


def same(expected: Any, actual: Any) -> None:
    """Two scores with equal attributes, in value and in type."""
    assert repr(expected) == repr(actual)
    assert vars(expected) == vars(actual)
    assert [type(value) for _, value in sorted(vars(expected).items())] == [
        type(value) for _, value in sorted(vars(actual).items())
    ]


def check_metric(name: str, generator: Generator) -> None:
    corpus, options = generator.corpus(), generator.options(OPTIONS[name])
    expected, actual = both(name, **options)
    hypotheses, streams = corpus.hypotheses, corpus.streams
    same(expected.corpus_score(hypotheses, streams), actual.corpus_score(hypotheses, streams))
    assert expected.num_refs == actual.num_refs
    rows = expected._extract_corpus_statistics(hypotheses, streams)
    assert repr(rows) == repr(actual._extract_corpus_statistics(hypotheses, streams))
    same(expected._aggregate_and_compute(copy.deepcopy(rows)), actual._aggregate_and_compute(copy.deepcopy(rows)))
    means = np.mean(rows, axis=0).tolist()
    same(expected._compute_score_from_stats(means[:]), actual._compute_score_from_stats(means[:]))
    assert expected._cache_references(streams) == actual._cache_references(streams)
    for row, text, info in zip(rows, hypotheses, actual._cache_references(streams), strict=True):
        prepared = actual._preprocess_segment(text)
        assert expected._preprocess_segment(text) == prepared
        assert row == actual._compute_segment_statistics(prepared, info)
    segment = corpus.segments[0]
    same(expected.sentence_score(hypotheses[0], segment), actual.sentence_score(hypotheses[0], segment))
    expected, actual = both(name, references=streams, **options)
    assert expected._ref_cache == actual._ref_cache
    same(expected.corpus_score(hypotheses, None), actual.corpus_score(hypotheses, None))


@pytest.mark.parametrize("chunk", range(2))
@pytest.mark.parametrize("name", OPTIONS)
def test_scores_rows_and_private_methods_are_sacrebleus(name: str, chunk: int) -> None:
    generator = ter_cases_stay_short if name == "TER" else Generator
    run_cases(f"face/{name}", chunk, 400, lambda made, _: check_metric(name, made), generator)


def test_functions_are_sacrebleus() -> None:
    def check(generator: Generator, index: int) -> None:
        corpus = generator.corpus(segments=2)
        for metric in ("bleu", "chrf", "ter"):
            calls = [getattr(package, f"corpus_{metric}") for package in PACKAGES]
            same(*(call(corpus.hypotheses, corpus.streams) for call in calls))
            calls = [getattr(package, f"sentence_{metric}") for package in PACKAGES]
            same(*(call(corpus.hypotheses[0], corpus.segments[0]) for call in calls))
        same(*(package.raw_corpus_bleu(corpus.hypotheses, corpus.streams) for package in PACKAGES))

    run_cases("face/functions", 0, 500, check, ter_cases_stay_short)


# --- F and 75: sacreBLEU's numbers under sacreBLEU's name ---------------------------------------


@pytest.mark.parametrize("name", OPTIONS)
def test_an_empty_reference_is_a_reference(name: str) -> None:
    texts, streams = ["the cat sat on the mat"], [[""], ["a cat sat on the mat today"]]
    same(*(metric.corpus_score(texts, streams) for metric in both(name)))
    assert "empty" not in both(name)[1].__dict__


@pytest.mark.parametrize("name", ["corpus_bleu", "corpus_chrf", "corpus_ter"])
def test_one_stream_of_several_for_one_hypothesis_scores_with_the_first(name: str, caplog: Any) -> None:
    texts, streams = ["the cat sat on the mat"], [["a dog", "the cat sat on a mat", "the cat"]]
    with caplog.at_level(logging.WARNING, "truebleu"):
        same(*(getattr(package, name)(texts, streams) for package in PACKAGES))
    assert "the first alone is used" in caplog.text


# --- B, D and H: refused, or read as sacreBLEU reads them ---------------------------------------

MISTAKES = {
    "transposed": (["a b", "c d", "e"], [["a b"], ["c d"], ["e"]], errors.LengthMismatch),
    "flat": (["a b", "c d"], ["a b", "c d"], errors.InputTypeError),
    "hypotheses as a string": ("ab cd", [["ab cd"]], errors.InputTypeError),
    "all as strings": ("ab cd", ["ab ce"], errors.InputTypeError),
    "too few references": (["a b c", "d"], [["a b c"]], errors.LengthMismatch),
    "too few hypotheses": (["a b c"], [["a b c", "d"], ["a b", "c"]], errors.LengthMismatch),
    "one of two is a string": (["a", "b"], [["a", "b"], "ab"], errors.InputTypeError),
}


@pytest.mark.parametrize("case", MISTAKES)
@pytest.mark.parametrize("name", OPTIONS)
def test_a_mistake_is_refused(name: str, case: str) -> None:
    texts, streams, error = MISTAKES[case]
    with pytest.raises(error):
        getattr(face, name)().corpus_score(texts, streams)


@pytest.mark.parametrize("case", MISTAKES)
@pytest.mark.parametrize("name", OPTIONS)
def test_under_leniency_a_mistake_gets_sacrebleus_number_and_a_warning(
    name: str, case: str, lenient: None, caplog: Any
) -> None:
    texts, streams, _ = MISTAKES[case]
    expected, actual = both(name)
    with caplog.at_level(logging.WARNING, "truebleu"):
        same(expected.corpus_score(texts, streams), actual.corpus_score(texts, streams))
    assert "leniency was asked for" in caplog.text
    assert expected.get_signature().info["nrefs"] == actual.get_signature().info["nrefs"]
    assert expected._extract_corpus_statistics(texts, streams) == actual._extract_corpus_statistics(texts, streams)


@pytest.mark.parametrize("name", OPTIONS)
def test_under_leniency_cached_references_are_cut_too(name: str, lenient: None) -> None:
    for references in (["ab", "cde"], [["a", "b", "c"], ["b", "c"]]):
        expected, actual = both(name, references=references)
        assert expected._ref_cache == actual._ref_cache
        for texts in (["a"], ["a", "b"], ["a", "b", "c"]):
            same(expected.corpus_score(texts, None), actual.corpus_score(texts, None))


def test_leniency_can_be_asked_for_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRUEBLEU_LENIENT", "1")
    texts, streams = ["a b", "c d"], [["a b"], ["c d"]]
    same(*(package.corpus_bleu(texts, streams) for package in PACKAGES))
    monkeypatch.setenv("TRUEBLEU_LENIENT", "0")
    with pytest.raises(errors.LengthMismatch):
        face.corpus_bleu(texts, streams)


# --- C: overridden hooks are heard --------------------------------------------------------------


def folded(base: Any) -> Any:
    def _preprocess_segment(self: Any, sent: str) -> Any:
        return base._preprocess_segment(self, sent.casefold())

    return type("Folded", (base,), {"_preprocess_segment": _preprocess_segment})


def longer(base: Any) -> Any:
    def _compute_segment_statistics(self: Any, hypothesis: str, ref_kwargs: dict[str, Any]) -> Any:
        row = base._compute_segment_statistics(self, hypothesis, ref_kwargs)
        return [row[0] + 1, *row[1:]]

    return type("Longer", (base,), {"_compute_segment_statistics": _compute_segment_statistics})


def halved(base: Any) -> Any:
    def _compute_score_from_stats(self: Any, stats: Any) -> Any:
        score = base._compute_score_from_stats(self, stats)
        score.score /= 2
        return score

    return type("Halved", (base,), {"_compute_score_from_stats": _compute_score_from_stats})


def first_reference(base: Any) -> Any:
    def _extract_reference_info(self: Any, refs: Any) -> Any:
        return base._extract_reference_info(self, refs[:1])

    return type("First", (base,), {"_extract_reference_info": _extract_reference_info})


def last_segment(base: Any) -> Any:
    def _extract_corpus_statistics(self: Any, hypotheses: Any, references: Any) -> Any:
        return base._extract_corpus_statistics(self, hypotheses, references)[-1:]

    return type("Last", (base,), {"_extract_corpus_statistics": _extract_corpus_statistics})


@pytest.mark.parametrize("change", [folded, longer, halved, first_reference, last_segment])
@pytest.mark.parametrize("name", OPTIONS)
def test_a_hook_of_a_subclass_is_heard(name: str, change: Any) -> None:
    def check(generator: Generator, index: int) -> None:
        corpus = generator.corpus()
        expected, actual = (change(getattr(package, name))() for package in PACKAGES)
        same(*(metric.corpus_score(*corpus) for metric in (expected, actual)))
        same(*(metric.sentence_score(corpus.hypotheses[0], corpus.segments[0]) for metric in (expected, actual)))

    run_cases(f"face/hooks/{name}", 0, 150, check, ter_cases_stay_short)
    corpus = ["A B C D", "A b x"], [["a b c d", "A b"], ["A b C", "A b y z"]]
    plain, changed = (metric().corpus_score(*corpus) for metric in (getattr(face, name), change(getattr(face, name))))
    assert (name == "TER" and change is folded) or vars(plain) != vars(changed)  # TER ignores case anyway


HOOKS = ("_preprocess_segment", "_extract_reference_info", "_compute_segment_statistics", "_get_match_statistics",
         "_compute_f_score", "_remove_punctuation", "_get_closest_ref_len", "_aggregate_and_compute",
         "_compute_score_from_stats", "_extract_corpus_statistics", "_cache_references")  # fmt: skip


@pytest.mark.parametrize(("name", "options"), [("BLEU", {}), ("CHRF", {}), ("CHRF", {"word_order": 2}), ("TER", {})])
def test_hooks_are_called_in_sacrebleus_order(name: str, options: dict[str, Any]) -> None:
    streams: list[list[str | None]] = [["a b, c d", "e f"], ["a c d", "e"], ["a b, c", None]]
    calls = []
    for package in PACKAGES:
        metric, seen = getattr(package, name)(**options), list[str]()
        for hook in HOOKS:
            if hasattr(metric, hook):
                setattr(metric, hook, recording(hook, getattr(metric, hook), seen))
        metric.corpus_score(["a b c d", "e f g"], streams)
        calls.append(seen)
    assert calls[0] == calls[1] and len(calls[0]) > 10


def recording(name: str, function: Any, seen: list[str]) -> Any:
    def call(*given: Any, **named: Any) -> Any:
        seen.append(name)
        return function(*given, **named)

    return call


@pytest.mark.parametrize("scores", [[-2.0, -3.0], [float("nan"), 0.5], [0.5, 0.5], [0.5, float("nan")]])
def test_a_hook_for_f_chooses_the_reference_as_there(scores: list[float]) -> None:
    rows = []
    for package in PACKAGES:
        metric, left = package.CHRF(), list(scores)
        metric._compute_f_score = lambda statistics, left=left: left.pop(0)
        rows.append(metric._extract_corpus_statistics(["a b"], [["a b"], ["a c"]]))
    assert rows[0] == rows[1]


@pytest.mark.parametrize("name", OPTIONS)
def test_a_hook_with_cached_references_and_a_bootstrap_is_heard(name: str) -> None:
    texts, streams = ["A B c d", "A b c d e", "f G h i"], [["a b C D", "a b c d E", "f g h x"]]
    expected, actual = (folded(getattr(package, name))(references=streams) for package in PACKAGES)
    assert expected._ref_cache == actual._ref_cache
    scores = [metric.corpus_score(texts, None, n_bootstrap=50) for metric in (expected, actual)]
    assert scores[0].score == scores[1].score
    assert str(scores[0]) == str(scores[1])  # means differ in the eighth digit: sacreBLEU adds in 32 bits
    assert ("12345", 50) == (actual.seed, actual.n_bootstrap)


def test_a_function_put_on_an_object_or_a_class_is_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    bleu = face.BLEU()
    bleu._preprocess_segment = lambda sent: "x x x x"
    assert 100 == round(bleu.corpus_score(["a"], [["b"]]).score)
    monkeypatch.setattr(face.BLEU, "_get_closest_ref_len", lambda self, hyp_len, ref_lens: 100)
    assert 100 == face.corpus_bleu(["a b c d"], [["a b c d"]]).ref_len
    monkeypatch.undo()
    monkeypatch.setattr(truebleu.sacrebleu.metrics.bleu, "extract_all_word_ngrams", lambda *given: (Counter(), 7))
    assert 7 == face.corpus_bleu(["a b c d"], [["a b c d"]]).sys_len


def test_a_tokenizer_put_into_the_module_of_ter_is_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    class Letters:
        _normalized = _no_punct = _asian_support = _case_sensitive = False

        def __init__(self, *options: Any, **named: Any) -> None: ...

        def __call__(self, line: str) -> str:
            return " ".join(line.replace(" ", ""))

        def signature(self) -> str:
            return "letters"

    for package in PACKAGES:
        monkeypatch.setattr(package.metrics.ter, "TercomTokenizer", Letters)
    scores = [package.TER().corpus_score(["abcd e"], [["ab cdf"]]) for package in PACKAGES]
    same(*scores)
    assert 5 == scores[1].ref_length


def test_constants_of_a_subclass_are_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    scores = []
    for package in PACKAGES:
        monkeypatch.setattr(package.CHRF, "_PUNCTS", {"a"})
        scores.append(package.CHRF(word_order=2).corpus_score(["ab, ca."], [["b, c. a"]]))
        Letters = type("Letters", (package.BLEU,), {"TOKENIZER_DEFAULT": "char"})
        scores.append(Letters().corpus_score(["abc de"], [["abd de"]]))
        Thai = type("Thai", (package.BLEU,), {"_TOKENIZER_MAP": {"th": "char"}})
        scores.append(Thai(trg_lang="th").corpus_score(["abc de"], [["abd de"]]))
    for expected, actual in zip(scores[:3], scores[3:], strict=True):
        same(expected, actual)
    monkeypatch.undo()
    assert face.CHRF(word_order=2).corpus_score(["ab, ca."], [["b, c. a"]]).score != scores[3].score


def test_a_metric_of_ones_own_works() -> None:
    def words(package: Any) -> Any:
        class Words(package.metrics.base.Metric):  # type: ignore[misc, name-defined]
            def _preprocess_segment(self, sent: str) -> str:
                return sent

            def _extract_reference_info(self, refs: Any) -> Any:
                return {"words": {word for text in refs for word in text.split()}}

            def _compute_segment_statistics(self, hypothesis: str, ref_kwargs: Any) -> Any:
                words = hypothesis.split()
                return [sum(word in ref_kwargs["words"] for word in words), len(words)]

            def _compute_score_from_stats(self, stats: Any) -> Any:
                return package.metrics.base.Score("words", 100 * stats[0] / stats[1])

            def _aggregate_and_compute(self, stats: Any) -> Any:
                return self._compute_score_from_stats(package.utils.sum_of_lists(stats))

        return Words()

    texts, streams = ["a b c", "d e"], [["a b x", "d"], [None, "e e"]]
    same(*(words(package).corpus_score(texts, streams) for package in PACKAGES))


def test_a_replaced_function_for_tokenizers_is_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    class Letters:
        def __call__(self, line: str) -> str:
            return " ".join(line.replace(" ", ""))

        def signature(self) -> str:
            return "letters"

    scores = []
    for package in PACKAGES:
        monkeypatch.setattr(package.metrics.bleu, "_get_tokenizer", lambda name: Letters)
        metric = package.BLEU(tokenize="13a")
        scores.append(metric.corpus_score(["abcd e"], [["ab cdf"]]))
        assert "letters" == metric.get_signature().info["tok"]
        scores.append(package.corpus_bleu(["abcd e"], [["ab cdf"]], tokenize="13a"))
    same(scores[0], scores[2])
    same(scores[1], scores[3])


def test_what_is_replaced_after_a_call_of_a_function_is_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    scores = []
    for package in PACKAGES:
        before = package.corpus_ter(["abcd e"], [["ab cdf"]])
        plain = package.metrics.ter.TercomTokenizer

        class Letters(plain):  # type: ignore[misc, valid-type]
            def __call__(self, line: str) -> str:
                return " ".join(line.replace(" ", ""))

        monkeypatch.setattr(package.metrics.ter, "TercomTokenizer", Letters)
        scores.append(package.corpus_ter(["abcd e"], [["ab cdf"]]))
        assert before.score != scores[-1].score
    same(*scores)


@pytest.mark.parametrize("name", OPTIONS)
def test_private_checks_refuse_what_is_no_text(name: str) -> None:
    for metric in both(name):
        assert metric._check_corpus_score_args(["a"], [["b"]]) is None
        assert metric._check_sentence_score_args("a", ["b"]) is None
        with pytest.raises(TypeError):
            metric._check_sentence_score_args("a", "b")
        with pytest.raises(TypeError):
            metric._check_corpus_score_args([3], [["b"]])


# --- options changed after construction ---------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "attribute", "value"),
    [
        ("BLEU", "effective_order", True),
        ("BLEU", "lowercase", True),
        ("BLEU", "smooth_method", "floor"),
        ("BLEU", "max_ngram_order", 2),
        ("CHRF", "beta", 3),
        ("CHRF", "lowercase", True),
        ("CHRF", "whitespace", True),
        ("TER", "normalized", True),
    ],
)
def test_an_option_changed_later_counts_as_in_sacrebleu(name: str, attribute: str, value: object) -> None:
    scores = []
    for metric in both(name):
        metric.corpus_score(["A b, c"], [["a b, d"]])
        setattr(metric, attribute, value)
        scores.append(metric.corpus_score(["A b, c"], [["a b, d"]]))
        assert value == getattr(metric, attribute)
    same(*scores)


def test_an_option_of_rows_changed_after_references_were_cached_is_refused() -> None:
    bleu = face.BLEU(references=[["a b c d"]])
    bleu.effective_order = True
    assert 100 == round(bleu.corpus_score(["a b c d"], None).score)
    bleu.lowercase = True
    with pytest.raises(errors.OptionError, match="lowercase was changed after references had been cached"):
        bleu.corpus_score(["a b c d"], None)


def test_orders_that_do_not_fit_are_refused() -> None:
    chrf = face.CHRF()
    chrf.word_order = 2
    with pytest.raises(errors.OptionError, match="has to change the other"):
        chrf.corpus_score(["a"], [["a"]])
    chrf.order = 8
    same(sacrebleu.CHRF(word_order=2).corpus_score(["a b"], [["a c"]]), chrf.corpus_score(["a b"], [["a c"]]))


# --- E: the other names -------------------------------------------------------------------------


def test_tercoms_tokenizer_and_edit_distance_are_sacrebleus() -> None:
    theirs, ours = sacrebleu.metrics.lib_ter, truebleu.sacrebleu.metrics.lib_ter

    def check(generator: Generator, index: int) -> None:
        options = generator.options(OPTIONS["TER"])
        text = generator.segment()
        tokenizers = [package.tokenizers.tokenizer_ter.TercomTokenizer(**options) for package in PACKAGES]
        assert tokenizers[0](text) == tokenizers[1](text)
        hypothesis, reference = (tokenizers[0](part).split() for part in (generator.variant(text), text))
        assert theirs.translation_edit_rate(hypothesis, reference) == ours.translation_edit_rate(hypothesis, reference)
        distance, trace = ours.BeamEditDistance(reference)(hypothesis)
        assert theirs.BeamEditDistance(reference)(hypothesis) == (distance, trace)
        assert theirs.trace_to_alignment(trace) == ours.trace_to_alignment(trace)

    run_cases("face/tercom", 0, 4000, check, ter_cases_stay_short)
    assert (1, 3) == ours.translation_edit_rate(["a b", "", "c"], ["a b", "", "d"])


def test_names_of_significance_are_sacrebleus() -> None:
    theirs, ours = sacrebleu.significance, truebleu.sacrebleu.significance
    numbers = np.random.default_rng(1).normal(size=200)
    assert repr(theirs.estimate_ci(numbers.copy())) == repr(ours.estimate_ci(numbers.copy()))
    assert theirs._compute_p_value(numbers, 0.3) == ours._compute_p_value(numbers, 0.3)
    rows = [[1, 2.0], [0, 3.0], [4, 4.0]]
    expected, actual = (
        module._bootstrap_resample(rows, package.TER(), 20) for module, package in ((theirs, sacrebleu), (ours, face))
    )
    assert (expected[0], list(map(str, expected[1]))) == (actual[0], list(map(str, actual[1])))
    scores = [package.BLEU().corpus_score(["a b c d e"], [["a b c d f"]]) for package in PACKAGES]
    for package, score in zip(PACKAGES, scores, strict=True):
        score.estimate_ci([package.metrics.BLEUScore(x, [1], [1], [1], 1, 1, 1) for x in numbers])
    assert vars(scores[0]) == vars(scores[1]) and str(scores[0]) == str(scores[1])


@pytest.mark.parametrize("test_type", ["ar", "bs"])
def test_a_paired_test_is_sacrebleus(test_type: str) -> None:
    systems = [("base", ["a b c d e", "f g h i"]), ("new", ["a b c d x", "f g h i j"])]
    found = []
    for package, module in ((sacrebleu, sacrebleu.significance), (face, truebleu.sacrebleu.significance)):
        metrics = {"BLEU": package.BLEU(), "TER": package.TER()}
        test = module.PairedTest(systems, metrics, [["a b c d x", "f g h i"]], test_type, n_samples=100)
        signatures, scores = test()
        fields = {name: {**signature.info, "version": ""} for name, signature in signatures.items()}
        numbers = [(name, [(r.score, r.p_value) for r in scores[name]]) for name in ("BLEU", "TER")]
        found.append((scores["System"], fields, numbers, [type(one).__name__ for one in signatures.values()]))
    assert found[0] == found[1]
    with pytest.raises(errors.OptionError, match="private methods"):
        truebleu.sacrebleu.significance.PairedTest(systems, {"x": folded(face.BLEU)()}, [["a", "b"]])


def test_names_of_utils_are_sacrebleus(capsys: pytest.CaptureFixture[str]) -> None:
    from argparse import Namespace

    theirs, ours = sacrebleu.utils, truebleu.sacrebleu.utils
    assert [theirs.my_log(x) for x in (0, 0.0, 1, 2.5)] == [ours.my_log(x) for x in (0, 0.0, 1, 2.5)]
    given = Namespace(bleu_a=1, chrf_b=2, format="text", width=2, paired_bs=False, paired_ar=False)
    for strip in (False, True):
        assert theirs.args_to_dict(given, "bleu", strip) == ours.args_to_dict(given, "bleu", strip)
    assert theirs.Color.format("x", "cyan") == ours.Color.format("x", "cyan")
    with pytest.raises(errors.LengthMismatch):
        ours.sanity_check_lengths(["a"], [["a", "b"]])
    systems = [("base", ["a b c d e", "f g h i"]), ("new", ["a b c d x", "f g h i j"])]
    printed = []
    for package, module, utils in (
        (sacrebleu, sacrebleu.significance, theirs),
        (face, truebleu.sacrebleu.significance, ours),
    ):
        test = module.PairedTest(systems, {"BLEU": package.BLEU()}, [["a b c d x", "f g h i"]], "bs", n_samples=100)
        signatures, scores = test()
        utils.print_results_table(scores, signatures, given)
        utils.print_single_results(["BLEU|x = 3", "chrF|yyyyy = 4"], given)
        utils.print_single_results(['{"a": 1}', '{"b": 2}'], Namespace(format="json"))
        printed.append([line for line in capsys.readouterr().out.splitlines() if "version:" not in line])
    assert printed[0] == printed[1]


@pytest.mark.parametrize("name", ["BLEU", "CHRF", "TER"])
def test_an_interval_is_that_of_sacrebleu(name: str) -> None:
    hypotheses, references = ["a b c d e", "f g h i j", "k l m"], [["a b c d", "f g h x j", "k l m n"]]
    theirs = getattr(sacrebleu, name)().corpus_score(hypotheses, references, n_bootstrap=50)
    ours = getattr(face, name)().corpus_score(hypotheses, references, n_bootstrap=50)
    # sacreBLEU adds resamples in 32 bits, of which the last digits are lost.
    assert str(theirs) == str(ours)
    assert (theirs._mean, theirs._ci) == pytest.approx((ours._mean, ours._ci), rel=1e-6)


def test_edits_of_the_other_direction_are_those_of_sacrebleu() -> None:
    expected = "".join(sacrebleu.metrics.lib_ter._flip_trace(" sid"))
    assert expected == truebleu.sacrebleu.metrics.lib_ter._flip_trace(" sid")
    with pytest.raises(errors.OptionError, match="the edit 'x', expected a space, s, d or i"):
        truebleu.sacrebleu.metrics.lib_ter.trace_to_alignment(" x")


def test_the_paired_test_of_the_face_is_ours() -> None:
    metric = face.BLEU()
    test = truebleu.sacrebleu.significance.PairedTest(
        [("a", ["a b c d"] * 3), ("b", ["a b c e"] * 3)], {"BLEU": metric}, [["a b c d"] * 3], test_type="ar"
    )
    assert truebleu.significance.PairedTest is type(test) and 10_000 == test.n_samples
    assert copy.copy(test).metrics == {"BLEU": metric}
    with pytest.raises(AttributeError):
        _ = test.nothing


def test_a_color_that_there_is_not_is_told() -> None:
    with pytest.raises(errors.OptionError, match="color is 'mauve', expected one of"):
        truebleu.sacrebleu.utils.Color.format("x", "mauve")
