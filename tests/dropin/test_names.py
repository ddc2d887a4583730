"""Every name of sacreBLEU 2.6.0, in the module where programs look for it, with the same parameters and defaults."""

import importlib
import inspect
import json
import pickle
import pkgutil
import subprocess
import sys
from types import ModuleType
from typing import Any

import pytest
import sacrebleu

import truebleu
import truebleu.sacrebleu as face

MODULES = sorted(
    found.name for found in pkgutil.walk_packages(sacrebleu.__path__, "sacrebleu.") if "__main__" not in found.name
)

# What programs use of a class beside its public names (section 4 of the findings).
PRIVATE = {
    "Metric": [
        "_SIGNATURE_TYPE", "_aggregate_and_compute", "_cache_references", "_check_corpus_score_args",
        "_check_sentence_score_args", "_compute_score_from_stats", "_compute_segment_statistics",
        "_extract_corpus_statistics", "_extract_reference_info", "_preprocess_segment",
    ],
    "BLEU": ["_get_closest_ref_len"],
    "CHRF": ["_compute_f_score", "_get_match_statistics", "_remove_punctuation"],
}  # fmt: skip
PRIVATE_OF_MODULES = {
    "sacrebleu.metrics.bleu": ["_TOKENIZERS", "_get_tokenizer"],
    "sacrebleu.significance": ["_bootstrap_resample", "_compute_p_value"],
}
# Regular expressions of an implementation; classes that make Python's abstract classes.
NOT_FOR_PROGRAMS = {"ASIAN_PUNCT", "FULL_WIDTH_PUNCT"}


def is_theirs(value: object) -> bool:
    """Whether sacreBLEU made it: not a module, a type of `typing`, or a name imported from elsewhere."""
    if inspect.ismodule(value) or type(value).__module__ in ("typing", "signal"):
        return False
    home = getattr(value, "__module__", None)
    return home is None or str(home).startswith("sacrebleu") or type(value).__module__ in ("builtins", "logging")


def theirs(module: ModuleType) -> dict[str, Any]:
    private = PRIVATE_OF_MODULES.get(module.__name__, [])
    names = {name: value for name, value in vars(module).items() if not name.startswith("_") or name in private}
    of_others = {"COMMIT_ID", "VERSION_TUPLE", "TYPE_CHECKING", "MeCab"}  # None where MeCab is not installed
    return {
        name: value
        for name, value in names.items()
        if is_theirs(value)
        and name not in of_others
        and not (callable(value) and not str(getattr(value, "__module__", "")).startswith("sacrebleu"))
    }


# Classes that take more than sacreBLEU's, which only a keyword reaches.
WITH_MORE_KEYWORDS = {"PairedTest", "TokenizerSPM"}


def parameters(function: Any) -> list[tuple[str, str, object]]:
    """Names, kinds and defaults."""
    found = inspect.signature(function).parameters.values()
    return [(one.name, one.kind.name, one.default) for one in found if not is_an_addition(function, one)]


def is_an_addition(function: Any, parameter: inspect.Parameter) -> bool:
    return parameter.kind is parameter.KEYWORD_ONLY and getattr(function, "__name__", "") in WITH_MORE_KEYWORDS


def full_arguments(function: Any) -> list[object]:
    """What `getfullargspec` says, which does not look behind wrappers: fairseq asks it how smoothing is called.

    Whether a class without parameters has an `__init__` decides if it says "self"; and it names no parameter of
    a function in a cache, as sacreBLEU's tokenizers are.
    """
    try:
        found = inspect.getfullargspec(function)
    except TypeError:
        return []
    more = [] if getattr(function, "__name__", "") in WITH_MORE_KEYWORDS else [found.kwonlyargs, found.kwonlydefaults]
    return [[name for name in found.args if name != "self"], found.varargs, found.varkw, found.defaults, *more]


def differences(expected: Any, actual: Any) -> list[object]:
    described = full_arguments(expected)
    sides = (parameters(expected), described), (parameters(actual), described and full_arguments(actual))
    return [] if sides[0] == sides[1] else list(sides)


@pytest.mark.parametrize("name", ["sacrebleu", *MODULES])
def test_every_name_is_there_with_its_parameters(name: str) -> None:
    expected, actual = importlib.import_module(name), importlib.import_module(f"truebleu.{name}")
    missing, differing = [], []
    for key, value in theirs(expected).items():
        if not hasattr(actual, key):
            missing.append(key)
        elif callable(value):
            found = differences(value, getattr(actual, key))
            if found and not is_a_slip(key):
                differing.append((key, found))
    assert [] == missing
    assert [] == differing


def is_a_slip(name: str) -> bool:
    """The default of `langpairs` is a type in sacreBLEU."""
    return name.endswith("Dataset")


CLASSES = [
    (module, name)
    for module in MODULES
    for name, value in vars(importlib.import_module(module)).items()
    if inspect.isclass(value) and value.__module__ == module
]


@pytest.mark.parametrize(("module", "name"), CLASSES)
def test_every_method_is_there_with_its_parameters(module: str, name: str) -> None:
    expected, actual = (getattr(importlib.import_module(where), name) for where in (module, f"truebleu.{module}"))
    private = [one for kind in expected.__mro__ for one in PRIVATE.get(kind.__name__, [])]
    names = [one for one in dir(expected) if not one.startswith("_") or one in private]
    assert [] == [one for one in names if not hasattr(actual, one) and one not in NOT_FOR_PROGRAMS]
    methods = [one for one in names if callable(getattr(expected, one)) and one not in NOT_FOR_PROGRAMS]
    differing = {one: differences(getattr(expected, one), getattr(actual, one)) for one in methods}
    assert {} == {one: found for one, found in differing.items() if found}


def test_the_version_is_sacrebleus_and_ours_stands_beside_it() -> None:
    assert ("2.6.0", (2, 6, 0)) == (face.__version__, face.version.version_tuple)
    assert sacrebleu.__version__ == face.__version__
    assert truebleu.__version__ == face.truebleu_version


def test_a_star_brings_what_sacrebleu_brings() -> None:
    assert sacrebleu.__all__ == face.__all__
    found: dict[str, Any] = {}
    exec("from truebleu.sacrebleu import *", found)
    assert set(sacrebleu.__all__) == found.keys() - {"__builtins__"}


def test_importing_truebleu_does_not_load_the_face() -> None:
    code = "import truebleu, sys; print([name for name in sys.modules if name.startswith('truebleu.sacrebleu')])"
    assert "[]" == subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip()


def test_modules_are_attributes_as_after_import_sacrebleu() -> None:
    paths = ["tokenizers.tokenizer_base", "tokenizers.tokenizer_ter", "metrics.lib_ter", "metrics.base", "compat"]
    paths += [f"dataset.{name}" for name in ("base", "fake_sgml", "iwslt_xml", "plain_text", "tsv", "wmt_xml")]
    for path in paths:
        for found in (sacrebleu, face):
            for name in path.split("."):
                found = getattr(found, name)
            assert inspect.ismodule(found)
    with pytest.raises(AttributeError):
        face.dataset.nothing  # noqa: B018


def test_datasets_are_a_dict_of_the_same_sets() -> None:
    assert isinstance(face.DATASETS, dict)
    assert list(sacrebleu.DATASETS) == [name for name in face.DATASETS if name in sacrebleu.DATASETS]
    for name, expected in sacrebleu.DATASETS.items():
        actual = face.DATASETS[name]
        assert type(expected).__name__ == type(actual).__name__
        assert expected.langpairs.keys() == actual.langpairs.keys()


@pytest.mark.parametrize("name", ["BLEU", "CHRF", "TER"])
def test_the_attributes_of_scores_and_metrics_are_sacrebleus(name: str) -> None:
    expected, actual = (getattr(package, name)() for package in (sacrebleu, face))
    scores = [metric.corpus_score(["a b c d", "e"], [["a b c e", "e f"]]) for metric in (expected, actual)]
    assert vars(scores[0]) == vars(scores[1])
    assert json.dumps(vars(scores[0])) == json.dumps({key: vars(scores[1])[key] for key in vars(scores[0])})
    tokenizers = {"tokenizer", "_ref_cache"}
    theirs, ours = ({k: v for k, v in vars(one).items() if k not in tokenizers} for one in (expected, actual))
    assert theirs == ours
    copied = pickle.loads(pickle.dumps(actual))
    assert repr(scores[0]) == repr(copied.corpus_score(["a b c d", "e"], [["a b c e", "e f"]]))


@pytest.mark.parametrize("name", ["BLEU", "CHRF", "TER"])
def test_the_signature_has_sacrebleus_keys_and_names_truebleu(name: str) -> None:
    expected, actual = (getattr(package, name)() for package in (sacrebleu, face))
    for metric in (expected, actual):
        metric.corpus_score(["a"], [["a"], [None]])
    theirs, ours = expected.get_signature(), actual.get_signature()
    assert list(theirs.info) == list(ours.info)
    assert {**theirs.info, "version": ""} == {**ours.info, "version": ""}
    assert f"2.6.0+truebleu.{truebleu.__version__}" == ours.info["version"]
    for short in (False, True):
        assert theirs.format(short).rpartition(":")[0] == ours.format(short).rpartition(":")[0]


def test_names_of_version_one_work() -> None:
    # Functions in 1.4, classes in 1.5.
    for table in (face.TOKENIZERS, face.tokenizers.TOKENIZERS):
        assert "a , b" == table["13a"]("a, b") == table["13a"]()("a, b")
    assert "" == face.TOKENIZERS["none"]("") and "13a" == face.tokenizers.DEFAULT_TOKENIZER
    assert {"a b": 1, "a": 1, "b": 1} == face.extract_ngrams("a b")
    assert (0, 2) == face.ref_stats("a b", ["a b", "c d e"])[1:]
    counts = [4, 3, 2, 1]
    assert repr(sacrebleu.BLEU.compute_bleu(counts, counts, 4, 4)) == repr(face.compute_bleu(counts, counts, 4, 4))
    from truebleu.sacrebleu.sacrebleu import DEFAULT_TOKENIZER, tokenize_zh

    assert "13a" == DEFAULT_TOKENIZER and "a 你 b" == tokenize_zh("a你b").strip()
    assert (4, 6) == (face.BLEU.NGRAM_ORDER, face.CHRF.ORDER)


def test_keywords_of_version_one_work() -> None:
    texts, streams = ["a b c d e"], [["a b c d f"]]
    old: dict[str, Any] = {"sys_stream": texts, "ref_streams": streams}
    for name in ("corpus_bleu", "raw_corpus_bleu"):
        assert getattr(sacrebleu, name)(texts, streams).score == getattr(face, name)(**old).score
    assert sacrebleu.corpus_chrf(texts, streams, char_order=3).score == face.corpus_chrf(texts, streams, order=3).score
    assert (
        sacrebleu.sentence_chrf(texts[0], streams[0], char_order=3).score
        == face.sentence_chrf(texts[0], streams[0], order=3).score
    )
    counts = [4, 3, 0, 0]
    expected = sacrebleu.BLEU.compute_bleu(counts, [5, 4, 0, 0], 5, 5, effective_order=True)
    assert expected.score == face.compute_bleu(counts, [5, 4, 0, 0], 5, 5, use_effective_order=True).score
    for wrong in ({"sys_stream": texts, "hypotheses": texts, "references": streams}, {"streams": texts}):
        with pytest.raises(TypeError):
            face.corpus_bleu(**wrong)
