"""The tokenizers by name, in sacreBLEU's order, and the choice of one.

A new tokenizer is one entry here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from truebleu._inputs import brief, kind_of
from truebleu._typing import cast
from truebleu.errors import InputTypeError, UnknownTokenizer
from truebleu.tokenizers.base import BaseTokenizer

# Classes by address, not by import: MeCab and SentencePiece load when they are chosen.
# A proxy of a dict, because `BLEU.TOKENIZERS` is a dict-keys view.
TOKENIZERS: Mapping[str, str] = MappingProxyType(
    {
        "none": "native.NoneTokenizer",
        "zh": "native.TokenizerZh",
        "13a": "native.Tokenizer13a",
        "intl": "native.TokenizerV14International",
        "char": "native.TokenizerChar",
        "ja-mecab": "mecab.TokenizerJaMecab",
        "ko-mecab": "mecab.TokenizerKoMecab",
        "spm": "spm.TokenizerSPM",
        "flores101": "spm.Flores101Tokenizer",
        "flores200": "spm.Flores200Tokenizer",
        "spBLEU-1K": "spm.spBLEU1KTokenizer",
    }
)
# All tokenizers, including those that sacreBLEU does not have.
ALL_TOKENIZERS: Mapping[str, str] = MappingProxyType(
    {
        **TOKENIZERS,
        "rouge": "native.TokenizerRouge",
        "rouge-unicode": "native.TokenizerRougeUnicode",
        "nltk-words": "treebank.TokenizerNltkWords",
        "nltk": "treebank.TokenizerNltk",
    }
)

# Those that the core does itself.
NATIVE = frozenset(name for name, address in ALL_TOKENIZERS.items() if address.startswith("native."))

_DEFAULT = "13a"
# Matched exactly, as in sacreBLEU: "ZH" and "zh-TW" get 13a.
_BY_LANGUAGE = {"zh": "zh", "ja": "ja-mecab", "ko": "ko-mecab"}

Tokenize = str | BaseTokenizer | Callable[[str], object] | None


def get_tokenizer_class(name: str) -> type[BaseTokenizer]:
    """Find the class of a tokenizer, and import it if necessary.

    Examples
    --------
    >>> get_tokenizer_class("char")()("abc")
    'a b c'
    """
    if not isinstance(name, str) or name not in ALL_TOKENIZERS:
        if (made := _of_plugin(name)) is not None:
            return made
        close = " or ".join(map(repr, _closest(name[:40].lower() if isinstance(name, str) else "")))
        hint = f" (did you mean {close}?)" if close else ""
        raise UnknownTokenizer(f"there is no tokenizer {brief(name)}{hint}; known are {', '.join(ALL_TOKENIZERS)}")
    from importlib import import_module

    module, _, class_name = ALL_TOKENIZERS[name].partition(".")
    found = getattr(import_module(f"truebleu.tokenizers.{module}"), class_name)
    return cast(type[BaseTokenizer], found)


class _TokenizerNames(tuple[str, ...]):
    """The names that the command line lists; those of plug-ins are known too."""

    def __contains__(self, name: object) -> bool:
        if super().__contains__(name):
            return True
        from truebleu._plugins import plugin

        return plugin("tokenizers", name) is not None


LISTED = _TokenizerNames(TOKENIZERS)


def _of_plugin(name: object) -> type[BaseTokenizer] | None:
    """The class of a plug-in's tokenizer, or the function that makes it; its signature must tell whose it is."""
    from truebleu._plugins import plugin

    if (point := plugin("tokenizers", name)) is None:
        return None
    made = point.load()
    try:
        tokenizer = made()
    except Exception as error:
        raise point.wrong(f"cannot be made: {type(error).__name__}: {error}") from error
    if not isinstance(tokenizer, BaseTokenizer):
        raise point.wrong(f"is {kind_of(tokenizer)}, expected a truebleu.tokenizers.BaseTokenizer")
    signed = tokenizer.signed
    if point.name not in signed or point.version not in signed or set("|: ") & set(signed):
        raise point.wrong(f"is signed {brief(signed)}, expected a word with {point.name} and {point.version}")
    return cast(type[BaseTokenizer], made)


def default_for(trg_lang: str, usual: str = _DEFAULT) -> str:
    """Find the name of the default tokenizer for a target language.

    Examples
    --------
    >>> default_for("ja"), default_for("de")
    ('ja-mecab', '13a')
    """
    if trg_lang is not None and not isinstance(trg_lang, str):
        raise InputTypeError(f"trg_lang is {kind_of(trg_lang)}, expected a language such as 'ja'")
    if not isinstance(usual, str):
        raise InputTypeError(f"usual is {kind_of(usual)}, expected the name of a tokenizer")
    return _BY_LANGUAGE.get(trg_lang, usual)


def resolve(tokenize: Tokenize, trg_lang: str = "") -> BaseTokenizer:
    """Make the tokenizer that a metric was asked for.

    Examples
    --------
    >>> resolve(None, "zh").signature()
    'zh'
    >>> resolve(str.split).signature()
    'custom-str.split'
    """
    usual = default_for(trg_lang)
    if tokenize is None:
        tokenize = usual
    if isinstance(tokenize, str):
        return _NATIVE.get(tokenize) or _made(tokenize)
    if isinstance(tokenize, BaseTokenizer):
        return tokenize
    if isinstance(tokenize, type) and issubclass(tokenize, BaseTokenizer):
        name = tokenize.__name__
        raise InputTypeError(f"tokenize is the class {name}, expected an instance of it: {name}()")
    if not callable(tokenize):
        raise InputTypeError(
            f"tokenize is {brief(tokenize)}, expected a name ({', '.join(ALL_TOKENIZERS)}), a tokenizer or a function"
        )
    from truebleu.tokenizers.custom import CallableTokenizer

    return CallableTokenizer(tokenize)


# Tokenizers of the Rust core have no state and can be shared.
_NATIVE: dict[str, BaseTokenizer] = {}


def _made(name: str) -> BaseTokenizer:
    tokenizer = get_tokenizer_class(name)()
    if tokenizer.native is not None:
        _NATIVE[name] = tokenizer
    return tokenizer


def _closest(name: str) -> list[str]:
    """The names that are most similar to a wrong one: often one, two for "flores", none if all are very different."""
    from difflib import SequenceMatcher

    likeness = {known: SequenceMatcher(None, name, known.lower()).ratio() for known in ALL_TOKENIZERS}
    best = max(likeness.values())
    return [known for known in ALL_TOKENIZERS if likeness[known] == best >= 0.6]
