from importlib import import_module

import pytest
from sacrebleu.metrics.bleu import BLEU as TheirBLEU

from truebleu.errors import InputTypeError, UnknownTokenizer
from truebleu.tokenizers import BaseTokenizer
from truebleu.tokenizers.custom import CallableTokenizer
from truebleu.tokenizers.native import NoneTokenizer, Tokenizer13a
from truebleu.tokenizers.registry import TOKENIZERS, default_for, get_tokenizer_class, resolve

CLASSES = {
    "tokenizer_base": ["BaseTokenizer"],
    "tokenizer_none": ["NoneTokenizer"],
    "tokenizer_char": ["TokenizerChar"],
    "tokenizer_13a": ["Tokenizer13a"],
    "tokenizer_re": ["TokenizerRegexp"],
    "tokenizer_zh": ["TokenizerZh"],
    "tokenizer_intl": ["TokenizerV14International"],
    "tokenizer_ja_mecab": ["TokenizerJaMecab"],
    "tokenizer_ko_mecab": ["TokenizerKoMecab"],
    "tokenizer_spm": ["TokenizerSPM", "Flores101Tokenizer", "Flores200Tokenizer", "spBLEU1KTokenizer"],
}


def test_the_names_are_sacrebleus_in_its_order_and_form() -> None:
    assert repr(TheirBLEU.TOKENIZERS) == repr(TOKENIZERS.keys())


def test_the_registry_is_read_only() -> None:
    with pytest.raises(TypeError):
        TOKENIZERS["mine"] = "mine.Mine"  # type: ignore[index]


@pytest.mark.parametrize("name", TOKENIZERS)
def test_every_name_leads_to_a_class(name: str) -> None:
    assert issubclass(get_tokenizer_class(name), BaseTokenizer)


@pytest.mark.parametrize(("module", "names"), CLASSES.items())
def test_sacrebleus_modules_have_its_classes(module: str, names: list[str]) -> None:
    ours = import_module(f"truebleu.tokenizers.{module}")
    theirs = import_module(f"sacrebleu.tokenizers.{module}")
    assert all(hasattr(ours, name) and hasattr(theirs, name) for name in names)


def test_an_unknown_name_is_a_key_error_that_helps() -> None:
    with pytest.raises(UnknownTokenizer) as caught:
        get_tokenizer_class("flores")
    assert isinstance(caught.value, KeyError)
    expected = "there is no tokenizer 'flores' (did you mean 'flores101' or 'flores200'?); known are none, zh, 13a,"
    assert str(caught.value).startswith(expected)


@pytest.mark.parametrize(
    ("name", "meant"),
    [("ja_mecab", "ja-mecab"), ("13A", "13a"), ("spbleu-1k", "spBLEU-1K"), ("zhh", "zh")],
)
def test_the_closest_name_is_proposed(name: str, meant: str) -> None:
    with pytest.raises(UnknownTokenizer, match=f"did you mean '{meant}'"):
        get_tokenizer_class(name)


def test_nothing_is_proposed_where_nothing_is_close() -> None:
    with pytest.raises(UnknownTokenizer) as caught:
        get_tokenizer_class("xyzzy")
    assert "did you mean" not in str(caught.value)


@pytest.mark.parametrize(
    ("language", "name"),
    [
        ("zh", "zh"),
        ("ja", "ja-mecab"),
        ("ko", "ko-mecab"),
        ("", "13a"),
        ("ZH", "13a"),
        ("zh-TW", "13a"),
        ("de", "13a"),
    ],
)
def test_the_default_follows_the_language_to_the_letter(language: str, name: str) -> None:
    assert name == default_for(language)


def test_no_choice_means_the_default_of_the_language() -> None:
    assert "13a" == resolve(None).signature()
    assert "zh" == resolve(None, "zh").signature()


def test_a_choice_overrules_the_language() -> None:
    assert isinstance(resolve("none", "zh"), NoneTokenizer)


def test_a_tokenizer_is_taken_as_it_is() -> None:
    tokenizer = Tokenizer13a()
    assert tokenizer is resolve(tokenizer)


def test_a_function_is_wrapped() -> None:
    tokenizer = resolve(str.lower)
    assert isinstance(tokenizer, CallableTokenizer)
    assert "a" == tokenizer("A")


def test_a_class_is_refused_with_the_way_out() -> None:
    with pytest.raises(InputTypeError, match=r"Tokenizer13a\(\)"):
        resolve(Tokenizer13a)  # type: ignore[arg-type]


def test_what_is_neither_name_nor_function_is_refused() -> None:
    with pytest.raises(InputTypeError, match=r"tokenize is 13, expected a name \(none, zh,"):
        resolve(13)  # type: ignore[arg-type]
