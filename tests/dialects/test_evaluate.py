"""`truebleu.evaluate` against what evaluate calls (sacreBLEU, NLTK, a slow `bleu`), and against evaluate itself."""

import copy
import pickle
import random
import subprocess
import sys
from typing import Any

import bleuscore
import numpy as np
import pytest
import sacrebleu.metrics
from nltk.translate.gleu_score import corpus_gleu

import truebleu.evaluate
from dialects.hugging_face import real, slow_bleu, split_13a
from strategies import BLEU_OPTIONS, CHRF_OPTIONS, Generator, ter_cases_stay_short
from truebleu import errors
from truebleu.evaluate import combine, load
from truebleu.tokenizers import BaseTokenizer
from truebleu.tokenizers.native import Tokenizer13a

NAMES = ("bleu", "sacrebleu", "chrf", "ter", "google_bleu")
PREDICTIONS = ["the boat lay by the quay", "nobody was there"]
REFERENCES = [["there lay a boat by the quay", "a boat lay by the quay"], ["there was nobody", "no one was there"]]


class Texts:
    """Generated predictions, each with as many references as any other, or with its own number of them."""

    def __init__(self, name: str, same_number: bool, generator: type[Generator] | Any = Generator) -> None:
        corpus = generator(name).corpus()
        rng = random.Random(name)
        self.predictions: list[str] = corpus.hypotheses
        texts = [[text or "" for text in segment] for segment in corpus.segments]
        self.references = texts if same_number else [segment[: rng.randint(1, len(segment))] for segment in texts]
        if rng.random() < 0.1:
            self.predictions[0] += rng.choice((" -\n", "-\n ", "\n", "-<skipped>\n", " \t", "-\n-\n"))
            self.references[-1][0] += rng.choice((" -\n", "-\n", " ", "\x1f"))

    @property
    def streams(self) -> list[list[str]]:
        return [list(stream) for stream in zip(*self.references, strict=True)]

    def __repr__(self) -> str:
        return f"{self.predictions!r} {self.references!r}"


def test_bleu_is_the_slow_one(cases: int) -> None:
    metric, scored = load("bleu"), 0
    for index in range(cases):
        texts, rng = Texts(f"evaluate/bleu/{index}", same_number=False), random.Random(index)
        options = {"max_order": rng.choice((4, 4, 1, 2, 6, 33)), "smooth": rng.random() < 0.5}
        try:
            expected = slow_bleu(texts.predictions, texts.references, **options)
        except ZeroDivisionError:
            continue
        result = metric.compute(predictions=texts.predictions, references=texts.references, **options)
        assert repr(expected) == repr(result), f"{texts} {options}"
        scored += 1
    assert scored > cases / 2


def test_bleu_is_the_slow_one_with_other_tokenizers(cases: int) -> None:
    metric = load("bleu")
    for index in range(cases // 5):
        texts = Texts(f"evaluate/bleu-tokenizer/{index}", same_number=False)
        for tokenizer in (str.split, list, lambda text: text.split(" "), lambda text: tuple(text.lower().split("e"))):
            try:
                expected = slow_bleu(texts.predictions, texts.references, tokenizer=tokenizer)
            except ZeroDivisionError:
                continue
            result = metric.compute(predictions=texts.predictions, references=texts.references, tokenizer=tokenizer)
            assert repr(expected) == repr(result), texts


def test_bleu_agrees_with_bleuscore(cases: int) -> None:
    metric = load("bleu")
    for index in range(cases // 5):
        rng = random.Random(f"bleuscore/{index}")
        predictions = [plain_sentence(rng) for _ in range(rng.randint(1, 4))]
        references = [[plain_sentence(rng) for _ in range(rng.randint(1, 3))] for _ in predictions]
        for smooth in (False, True):
            theirs = bleuscore.compute(references=references, predictions=predictions, max_order=4, smooth=smooth)
            ours = metric.compute(predictions=predictions, references=references, smooth=smooth)
            assert list(theirs)[:1] == list(ours)[:1] == ["bleu"]
            # Its logarithms are added in another order.
            assert pytest.approx(theirs["bleu"], rel=1e-12) == ours["bleu"]
            assert theirs["reference_length"] == ours["reference_length"]
            closest = bleuscore.compute(
                references=references, predictions=predictions, smooth=smooth, ref_len_method="closest"
            )
            options = {"smooth": smooth, "ref_len_method": "closest"}
            ours = metric.compute(predictions=predictions, references=references, **options)
            assert closest["reference_length"] == ours["reference_length"]
            assert pytest.approx(closest["bleu"], rel=1e-12) == ours["bleu"]


def plain_sentence(rng: random.Random) -> str:
    return " ".join(rng.choice(["the", "a", "boat", "lay", "by", "quay", ",", "."]) for _ in range(rng.randint(1, 15)))


@pytest.mark.parametrize(
    ("predictions", "references", "options", "expected"),
    [
        # What evaluate 0.4.6 gives.
        (["the cat is on the mat"], ["there is a cat on the mat"], {}, 0.0),
        (["the cat is on the mat"], ["there is a cat on the mat"], {"smooth": True}, 0.3851442247849805),
        (["the cat is on the mat"], ["there is a cat on the mat"], {"max_order": 2}, 0.4887164517296948),
        (["the cat is on the mat"], [["there is a cat on the mat", "a cat is on the mat"]], {}, 0.7598356856515925),
        (["I ate an apple"], [["Bye", "I ate an apple here"]], {}, 1.0),
        (["a b"], ["a b"], {}, 0.0),
        (["a b"], ["a b"], {"smooth": True}, 1.0),
        (["x y"], ["a b c d"], {"smooth": True}, 0.23505403213046533),
        (["", "a b c d"], ["a b c d", "a b c d"], {}, 0.36787944117144233),
        (["Hello, world."], ["Hello , world ."], {}, 1.0),
    ],
)
def test_bleu_gives_the_known_numbers(predictions: Any, references: Any, options: Any, expected: float) -> None:
    assert expected == load("bleu").compute(predictions=predictions, references=references, **options)["bleu"]


def test_google_bleu_is_nltks_corpus_gleu_on_13a(cases: int) -> None:
    metric = load("google_bleu")
    lengths = [(1, 4), (1, 4), (2, 4), (2, 6), (1, 1), (1, 33), (1, -1), (3, 2), (1, 0)]
    for index in range(cases):
        low, high = lengths[index % len(lengths)]
        # NLTK refuses to count all n-grams of a long text.
        generator = ter_cases_stay_short if high == -1 else Generator
        texts = Texts(f"evaluate/google_bleu/{index}", False, generator)
        if index % 10 == 0:
            texts.references[-1] = []
        tokens = [[split_13a(text) for text in segment] for segment in texts.references]
        expected = corpus_gleu(tokens, [split_13a(text) for text in texts.predictions], low, high)
        given = {"predictions": texts.predictions, "references": texts.references}
        result = metric.compute(**given, min_len=low, max_len=high)
        assert repr({"google_bleu": expected}) == repr(result), f"{texts} {low} {high}"


def test_google_bleu_takes_any_tokenizer() -> None:
    metric = load("google_bleu")
    for tokenizer in (str.split, list, lambda text: [text]):
        tokens = [[tokenizer(text) for text in segment] for segment in REFERENCES]
        expected = corpus_gleu(tokens, [tokenizer(text) for text in PREDICTIONS])
        result = metric.compute(predictions=PREDICTIONS, references=REFERENCES, tokenizer=tokenizer)
        assert {"google_bleu": expected} == result


@pytest.mark.parametrize("name", ["bleu", "google_bleu"])
def test_our_tokenizer_objects_are_tokenizers_too(name: str) -> None:
    class Shouting(BaseTokenizer):
        def __call__(self, line: str) -> str:
            return line.upper()

    given = {"predictions": PREDICTIONS, "references": REFERENCES}
    metric = load(name)
    assert metric.compute(**given) == metric.compute(**given, tokenizer=Tokenizer13a())
    assert metric.compute(**given) == metric.compute(**given, tokenizer=Shouting())


def test_sacrebleu_is_sacrebleus(cases: int) -> None:
    metric = load("sacrebleu")
    for index in range(cases):
        name = f"evaluate/sacrebleu/{index}"
        texts = Texts(name, same_number=True)
        options = Generator(name).options({**BLEU_OPTIONS, "tokenize": (None, "13a", "none", "intl", "zh", "char")})
        for unknown in ("max_ngram_order", "trg_lang"):
            options.pop(unknown, None)
        theirs = sacrebleu.metrics.BLEU(**options).corpus_score(texts.predictions, texts.streams)
        if "effective_order" in options:
            options["use_effective_order"] = options.pop("effective_order")
        ours = metric.compute(predictions=texts.predictions, references=texts.references, **options)
        keys = ("score", "counts", "totals", "precisions", "bp", "sys_len", "ref_len")
        assert repr({key: getattr(theirs, key) for key in keys}) == repr(ours), f"{texts} {options}"


def test_chrf_is_sacrebleus(cases: int) -> None:
    metric = load("chrf")
    for index in range(cases):
        name = f"evaluate/chrf/{index}"
        texts, options = Texts(name, same_number=True), Generator(name).options(CHRF_OPTIONS)
        theirs = sacrebleu.metrics.CHRF(**options).corpus_score(texts.predictions, texts.streams)
        ours = metric.compute(predictions=texts.predictions, references=texts.references, **options)
        keys = ("score", "char_order", "word_order", "beta")
        assert repr({key: getattr(theirs, key) for key in keys}) == repr(ours), f"{texts} {options}"


def test_ter_is_sacrebleus(cases: int) -> None:
    metric = load("ter")
    names = {"ignore_punct": "no_punct", "support_zh_ja_chars": "asian_support"}
    for index in range(cases // 3):
        texts = Texts(f"evaluate/ter/{index}", True, ter_cases_stay_short)
        rng = random.Random(index)
        flags = ("normalized", "ignore_punct", "support_zh_ja_chars", "case_sensitive")
        options = {flag: rng.random() < 0.5 for flag in flags}
        there = sacrebleu.metrics.TER(**{names.get(name, name): value for name, value in options.items()})
        theirs = there.corpus_score(texts.predictions, texts.streams)
        ours = metric.compute(predictions=texts.predictions, references=texts.references, **options)
        keys = ("score", "num_edits", "ref_length")
        assert repr({key: getattr(theirs, key) for key in keys}) == repr(ours), f"{texts} {options}"


@pytest.mark.parametrize("name", NAMES)
def test_the_real_evaluate_loads_the_script_and_gives_the_same(name: str) -> None:
    theirs, ours = real().load(truebleu.evaluate.script_path(name)), load(name)
    assert (theirs.name, theirs.module_type) == (ours.name, ours.module_type)
    assert (theirs.description, theirs.citation) == (ours.description, ours.citation)
    option: dict[str, Any] = {"bleu": {"smooth": True}, "chrf": {"word_order": 2}, "google_bleu": {"min_len": 2}}
    options = option.get(name, {})
    for references in (REFERENCES, [texts[0] for texts in REFERENCES]):
        expected = ours.compute(predictions=PREDICTIONS, references=references, **options)
        assert expected == theirs.compute(predictions=PREDICTIONS, references=references, **options)
    for metric in (ours, theirs):
        metric.add(prediction=PREDICTIONS[0], reference=REFERENCES[0])
        metric.add_batch(predictions=PREDICTIONS[1:], references=REFERENCES[1:])
    assert 2 == len(ours) == len(theirs)
    assert ours.compute(**options) == theirs.compute(**options)
    assert 0 == len(ours) == len(theirs)


@pytest.mark.parametrize(
    ("names", "force_prefix"),
    [
        (["sacrebleu", "chrf", "ter"], False),
        (["chrf", "chrf", "bleu"], False),
        (["bleu", "google_bleu"], True),
        ({"one": "chrf", "two": "chrf"}, False),
    ],
)
def test_combine_merges_results_as_evaluate_does(names: Any, force_prefix: bool) -> None:
    def loaded(name: str) -> Any:
        return real().load(truebleu.evaluate.script_path(name))

    modules = (
        {key: loaded(name) for key, name in names.items()} if isinstance(names, dict) else list(map(loaded, names))
    )
    theirs, ours = real().combine(modules, force_prefix=force_prefix), combine(names, force_prefix=force_prefix)
    for metric in (theirs, ours):
        metric.add(prediction=PREDICTIONS[0], reference=REFERENCES[0])
        metric.add_batch(predictions=PREDICTIONS, references=REFERENCES)
    expected = theirs.compute(predictions=PREDICTIONS, references=REFERENCES)
    got = ours.compute(predictions=PREDICTIONS, references=REFERENCES)
    assert (list(expected), expected) == (list(got), got)


def test_what_was_added_is_scored_with_what_is_given_and_forgotten() -> None:
    metric = load("google_bleu")
    metric.add(prediction="a b c", reference=["a b c"])
    metric.add(prediction="a b d", reference=["a b c", "x"])
    metric.add_batch(predictions=["q"], references=[["q"]])
    assert 3 == len(metric)
    assert {"google_bleu": 0.7692307692307693} == metric.compute()
    assert 0 == len(metric)
    metric.add(predictions="a b c", references=["a b c"])
    assert {"google_bleu": 0.8571428571428571} == metric.compute(predictions=["x"], references=[["y"]])


@pytest.mark.parametrize("name", NAMES)
def test_what_was_added_does_not_change_with_the_callers_lists(name: str) -> None:
    metric, references = load(name), [["a b c d e", "f"]]
    metric.add_batch(predictions=["a b c d e"], references=references)
    references[0].append("more")
    references[0][0] = "other"
    expected = load(name).compute(predictions=["a b c d e"], references=[["a b c d e", "f"]])
    assert expected == metric.compute()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("make", [tuple, np.array, iter], ids=["tuples", "arrays", "iterators"])
def test_sequences_of_any_kind_are_taken(name: str, make: Any) -> None:
    expected = load(name).compute(predictions=PREDICTIONS, references=REFERENCES)
    assert expected == load(name).compute(predictions=make(PREDICTIONS), references=make(REFERENCES))


@pytest.mark.parametrize("name", NAMES)
def test_nothing_of_evaluate_is_loaded(name: str) -> None:
    code = (
        "import truebleu.evaluate as evaluate, sys\n"
        f"evaluate.load({name!r}).compute(predictions=['a'], references=['a'])\n"
        "print(sorted({'evaluate', 'datasets', 'nltk', 'sacrebleu', 'numpy'} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "[]" == run.stdout.strip()


def test_modules_tell_about_themselves_and_can_be_copied() -> None:
    metric = load("evaluate-metric/chrf", experiment_id="mine", cache_dir="ignored", seed=3)
    assert ("chr_f", "metric", "mine", False, None) == (
        metric.name,
        metric.module_type,
        metric.experiment_id,
        metric.streamable,
        metric.format,
    )
    assert "chr_f" in repr(metric)
    metric.add(prediction="a", reference="a")
    for twin in (pickle.loads(pickle.dumps(metric)), copy.deepcopy(metric)):
        assert 1 == len(twin)
    with pytest.raises(AttributeError, match="no_such"):
        _ = metric.no_such


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"predictions": ["a"], "references": ["a", "b"]}, errors.LengthMismatch, "1 predictions, and .* 2 segments"),
        (
            {"predictions": ["a", "b", "c"], "references": [["a", "b", "c"], ["a", "b", "c"]]},
            errors.LengthMismatch,
            r"look transposed.*list\(zip",
        ),
        (
            {"predictions": "ab", "references": ["a", "b"]},
            errors.FormatMismatch,
            "predictions is the plain string 'ab'",
        ),
        ({"predictions": ["a", "b"], "references": "ab"}, errors.FormatMismatch, "references is the plain string 'ab'"),
        (
            {"predictions": ["a", "b"], "references": [["a"], "b"]},
            errors.FormatMismatch,
            r"references\[1\] is a string, and references\[0\] is of type list",
        ),
        (
            {"predictions": ["a", "b"], "references": ["a", ["b"]]},
            errors.FormatMismatch,
            r"references\[0\] is a string, and references\[1\] is of type list",
        ),
        (
            {"predictions": ["a", 2], "references": ["a", "b"]},
            errors.FormatMismatch,
            r"predictions\[1\] is of type int",
        ),
        ({"predictions": [["a"]], "references": [["a"]]}, errors.FormatMismatch, r"predictions\[0\] is of type list"),
        ({"predictions": ["a"], "references": [[3]]}, errors.FormatMismatch, r"references\[0\]\[0\] is of type int"),
        ({"predictions": ["a"], "references": [None]}, errors.FormatMismatch, r"references\[0\] is None"),
        ({"predictions": ["a"], "references": [{"a"}]}, errors.FormatMismatch, r"references\[0\] is of type set"),
        ({"predictions": ["a"]}, errors.FormatMismatch, "references is None"),
        ({"references": ["a"]}, errors.FormatMismatch, "predictions is None"),
        ({"predictions": [], "references": []}, errors.NothingAdded, "empty, expected at least one segment"),
        ({}, errors.NothingAdded, "nothing to score"),
        ({"predictions": ["a"], "references": ["a"], "nonsense": 1}, errors.UnknownOption, "no option 'nonsense'"),
    ],
)
def test_bad_input_is_refused_and_changes_nothing(name: str, given: Any, error: Any, message: str) -> None:
    metric = load(name)
    with pytest.raises(error, match=message):
        metric.compute(**given)
    if given and "nonsense" not in given:
        with pytest.raises(error, match=message):
            metric.add_batch(**given)
        metric.add(prediction="a", reference="a")
        with pytest.raises((error, errors.FormatMismatch)):
            metric.compute(**given)
        assert 1 == len(metric)
        metric.compute()
    assert 0 == len(metric)
    expected = load(name).compute(predictions=["a b c d"], references=[["a b c d"]])
    assert expected == metric.compute(predictions=["a b c d"], references=[["a b c d"]])


def test_the_shape_of_references_stays_that_of_the_first() -> None:
    metric = load("bleu")
    metric.add(prediction="a", reference="a")
    with pytest.raises(errors.FormatMismatch, match="lists of strings here, and were strings"):
        metric.add(prediction="a", reference=["a"])
    metric.compute()
    metric.add(prediction="a", reference=["a"])
    with pytest.raises(errors.FormatMismatch, match="strings here, and were lists of strings"):
        metric.compute(predictions=["a"], references=["a"])


def test_adding_one_example_says_what_is_wrong_with_it() -> None:
    metric = load("bleu")
    for given, message in (
        ({"prediction": ["a"], "reference": ["a"]}, r"prediction\[0\] is of type list"),
        ({"prediction": "a", "reference": [["a"]]}, r"reference\[0\]\[0\] is of type list"),
        ({"prediction": "a"}, "reference is None"),
        ({"prediction": "a", "target": "a"}, "there is no 'target'"),
    ):
        with pytest.raises((errors.FormatMismatch, errors.UnknownOption), match=message):
            metric.add(**given)
    for call in (metric.compute, metric.add, metric.add_batch):
        with pytest.raises(TypeError):
            call(["a"], ["a"])  # type: ignore[misc]
    assert 0 == len(metric)


@pytest.mark.parametrize("name", ["sacrebleu", "chrf", "ter"])
def test_references_that_vary_in_number_are_refused_unless_asked_for(name: str) -> None:
    metric, given = load(name), {"predictions": ["a b", "c d"], "references": [["a b"], ["c d", "c e"]]}
    with pytest.raises(errors.LengthMismatch, match="prediction 1 has 2 references, prediction 0 has 1"):
        metric.compute(**given)
    padded = {**given, "references": [["a b", None], ["c d", "c e"]]}
    assert metric.compute(**padded) == metric.compute(**given, strict_refs=False)


@pytest.mark.parametrize("name", ["bleu", "sacrebleu", "chrf", "ter"])
def test_a_prediction_without_references_is_refused(name: str) -> None:
    for references in ([[], ["a"]], [[None], ["a"]]):
        with pytest.raises((errors.SegmentWithoutReference, errors.LengthMismatch)):
            load(name).compute(predictions=["a", "a"], references=references)


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("bleu", {"max_order": 0}, "max_order is 0"),
        ("bleu", {"max_order": 2.5}, "max_order is 2.5"),
        ("bleu", {"smooth": "no"}, "smooth is 'no'"),
        ("bleu", {"ref_len_method": "longest"}, "ref_len_method is 'longest'"),
        ("bleu", {"tokenizer": "13a"}, "tokenizer is '13a', expected a function"),
        ("bleu", {"tokenizer": Tokenizer13a}, "tokenizer is Tokenizer13a, expected a function"),
        ("bleu", {"tokenizer": len}, "hypothesis 0 is of type int|of type int"),
        ("google_bleu", {"min_len": 0}, "min_len is 0"),
        ("google_bleu", {"tokenizer": 3}, "tokenizer is 3"),
        ("sacrebleu", {"smooth_method": "much"}, "smooth_method is 'much'"),
        ("sacrebleu", {"tokenize": "14b"}, "no tokenizer '14b'"),
        ("chrf", {"beta": -1}, "beta is -1"),
        ("ter", {"normalized": "yes"}, "normalized is 'yes'"),
    ],
)
def test_options_without_a_meaning_are_refused(name: str, options: Any, message: str) -> None:
    with pytest.raises((errors.OptionError, errors.InputTypeError), match=message):
        load(name).compute(predictions=["a b"], references=["a b"], **options)


def test_unknown_names_are_refused_with_a_list_of_what_there_is() -> None:
    for call in (lambda: load("bertscore"), lambda: load("bleu", module_type="comparison"), lambda: combine(["blue"])):
        with pytest.raises(errors.UnknownModule, match="bleu, sacrebleu, chrf, ter, google_bleu"):
            call()
    with pytest.raises(errors.UnknownModule, match="no script for 'bertscore'"):
        truebleu.evaluate.script_path("bertscore")
    with pytest.raises(errors.UnknownOption, match="options of a metric go to its compute"):
        load("bleu", smooth=True)
    for evaluations in ("bleu", 3, [3]):
        with pytest.raises(errors.FormatMismatch, match="combine"):
            combine(evaluations)  # type: ignore[arg-type]


def test_a_combined_computation_that_fails_changes_nothing() -> None:
    both = combine(["bleu", "sacrebleu"])
    both.add_batch(predictions=["a b", "c d"], references=[["a b"], ["c d", "c e"]])
    with pytest.raises(errors.LengthMismatch):
        both.compute()
    assert [2, 2] == [len(module) for module in both.evaluation_modules]
    with pytest.raises(errors.UnknownOption, match="'smooth'"):
        both.compute(smooth=True)


@pytest.mark.parametrize("name", ["bleu", "sacrebleu", "chrf", "ter", "google_bleu"])
def test_the_private_way_takes_no_string_for_a_list(name: str) -> None:
    text, reference = "this is a sample sentence .", "this is a reference sentence ."
    expected = load(name).compute(predictions=[text], references=[[reference]])
    assert expected == load(name)._compute(predictions=(text,), references=(reference,))
    assert expected == load(name)._compute([text], [[reference]])
    with pytest.raises(errors.FormatMismatch):
        load(name)._compute(text, reference)


def test_what_programs_ask_of_evaluate_is_there() -> None:
    metric = load("bleu", trust_remote_code=True)
    assert isinstance(metric, truebleu.evaluate.Metric)
    assert truebleu.evaluate.__version__.split(".") >= ["0", "4"]
    assert (None, 0, 1) == (metric.download_and_prepare(), metric.process_id, metric.num_process)
    assert [None, 100, None] == [metric.seed, metric.timeout, metric.data_dir]
    assert isinstance(metric.features, list) and metric.features is not load("ter").features
    texts = {"predictions": ["a, b c d"], "references": [["a, b c e"]]}
    assert load("sacrebleu").compute(**texts) == load("sacrebleu").compute(tokenize="", **texts)
    assert truebleu.evaluate.EvaluationModuleInfo is truebleu.evaluate.MetricInfo


def test_options_that_evaluate_never_reads_are_accepted_and_spoken_of_once(caplog: pytest.LogCaptureFixture) -> None:
    ignored = ("verification_mode", "token", "use_auth_token", "ignore_verifications")
    with caplog.at_level("WARNING", "truebleu"):
        for _ in range(3):
            load("bleu", **dict.fromkeys(ignored, "no_checks"))
    expected = [f"load: {name} is ignored, as in evaluate: nothing is downloaded here" for name in ignored]
    assert expected == [record.getMessage() for record in caplog.records]
    with pytest.raises(errors.UnknownOption, match="there is no option 'tokens'"):
        load("bleu", tokens="x")


def test_messages_are_switched_as_in_evaluate() -> None:
    logging = truebleu.evaluate.logging
    before = logging.get_logger().level
    try:
        for name, level in (("debug", 10), ("info", 20), ("warning", 30), ("error", 40)):
            getattr(logging, f"set_verbosity_{name}")()
            assert level == logging.get_verbosity()
        assert "mine" == logging.get_logger("mine").name
    finally:
        logging.set_verbosity(before)
    truebleu.evaluate.enable_progress_bar()
    truebleu.evaluate.disable_progress_bar()
    assert not truebleu.evaluate.is_progress_bar_enabled()
