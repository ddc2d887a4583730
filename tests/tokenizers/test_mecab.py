import gzip
import json
import logging
import pickle
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module, metadata
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from strategies import SURROGATES, Generator
from truebleu.errors import InputTypeError, MissingDependency, TokenizerError
from truebleu.tokenizers.mecab import TokenizerJaMecab, TokenizerKoMecab, WrongDictionary

CLASSES = {"ja": TokenizerJaMecab, "ko": TokenizerKoMecab}
LANGUAGES = pytest.mark.parametrize("language", CLASSES)


def theirs(language: str) -> Any:
    module = import_module(f"sacrebleu.tokenizers.tokenizer_{language}_mecab")
    return getattr(module, CLASSES[language].__name__)()


@LANGUAGES
def test_golden_vectors(language: str, golden: Path) -> None:
    tokenizer = CLASSES[language]()
    for line in (golden / f"tokenizer-{language}-mecab.jsonl").read_text("utf-8").splitlines():
        text, expected = json.loads(line)
        assert expected == tokenizer(text), text


@LANGUAGES
def test_the_signature_is_sacrebleus(language: str) -> None:
    assert theirs(language).signature() == CLASSES[language]().signature()


@LANGUAGES
def test_generated_lines_are_tokenized_as_in_sacrebleu(language: str, cases: int) -> None:
    ours, sacrebleus = CLASSES[language](), theirs(language)
    for line in generated_lines(language, cases):
        assert sacrebleus(line) == ours(line), line


@LANGUAGES
def test_real_japanese_and_chinese_are_tokenized_as_in_sacrebleu(language: str, wmt22: Path) -> None:
    ours, sacrebleus = CLASSES[language](), theirs(language)
    for name in ("generaltest2022.en-ja.ref.A.ja.gz", "generaltest2022.en-zh.ref.A.zh.gz"):
        path = wmt22 / "references" / name
        if not path.exists():
            pytest.skip(f"{name} is not among the real texts")
        lines = gzip.decompress(path.read_bytes()).decode("utf-8").split("\n")
        assert [sacrebleus(line) for line in lines] == ours.apply(lines)


def generated_lines(language: str, cases: int) -> Iterator[str]:
    generator = Generator(f"mecab/{language}")
    for _ in range(cases):
        line = generator.segment()
        for surrogate in set("".join(SURROGATES)):
            line = line.replace(surrogate, "")
        yield line


@LANGUAGES
def test_text_after_a_nul_is_lost_as_in_sacrebleu(language: str) -> None:
    assert "a" == CLASSES[language]()("a\0b")


@LANGUAGES
def test_a_lone_surrogate_is_refused_by_position(language: str) -> None:
    with pytest.raises(InputTypeError, match=r"tokenizer cannot tokenize .*U\+D800 at position 1"):
        CLASSES[language]()("a\ud800b")


@LANGUAGES
def test_a_missing_library_names_the_extra(language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, CLASSES[language].library, None)
    with pytest.raises(MissingDependency, match=rf'pip install "truebleu\[{language}\]"') as caught:
        CLASSES[language]()
    assert isinstance(caught.value, RuntimeError)


@LANGUAGES
def test_a_missing_dictionary_names_the_extra(language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, CLASSES[language].dictionary, None)
    with pytest.raises(MissingDependency, match=rf"truebleu\[{language}\]"):
        CLASSES[language]()


@LANGUAGES
def test_another_dictionary_is_refused(language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CLASSES[language], "dictionary_size", 7)
    with pytest.raises(WrongDictionary, match=r"has \d+ entries, expected 7") as caught:
        CLASSES[language]()
    assert isinstance(caught.value, AssertionError)
    assert isinstance(caught.value, TokenizerError)


def test_a_user_dictionary_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    user = SimpleNamespace(filename="my.dic", size=1, next=None)
    system = SimpleNamespace(size=TokenizerJaMecab.dictionary_size, next=user)
    monkeypatch.setattr(TokenizerJaMecab, "_new_tagger", lambda self: SimpleNamespace(dictionary_info=lambda: system))
    with pytest.raises(WrongDictionary, match=r"my\.dic"):
        TokenizerJaMecab()


def test_a_dictionary_that_does_not_load_is_an_error_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_module("ipadic"), "MECAB_ARGS", "-r /dev/null -d /nowhere")
    with pytest.raises(TokenizerError, match="cannot load the Japanese dictionary"):
        TokenizerJaMecab()


@pytest.mark.parametrize(("version", "warned"), [("1.0.8", True), ("1.0.9", False), ("1.1", False), ("2.0", True)])
def test_versions_outside_the_range_are_logged(
    version: str, warned: bool, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(metadata, "version", lambda name: "1.0" if name == "ipadic" else version)
    with caplog.at_level(logging.WARNING, logger="truebleu"):
        TokenizerJaMecab()
    assert warned == (f"mecab-python3 {version} is not in the range" in caplog.text)


def test_a_line_mecab_gives_up_on_is_an_error_of_ours() -> None:
    tokenizer = TokenizerJaMecab()
    tokenizer._taggers.tagger = SimpleNamespace(parse=lambda line: None)
    with pytest.raises(TokenizerError, match=r"could not parse 'abc' \(3 characters\)"):
        tokenizer("abc")


@pytest.mark.interpreter
@LANGUAGES
def test_it_can_be_pickled_after_use(language: str) -> None:
    tokenizer = CLASSES[language]()
    tokenizer.apply(["a b"])
    copy = pickle.loads(pickle.dumps(tokenizer))
    assert ["a b"] == copy.apply(["a b"])
    assert tokenizer.signature() == copy.signature()


@LANGUAGES
def test_threads_do_not_disturb_each_other(language: str) -> None:
    tokenizer = CLASSES[language]()
    lines = list(generated_lines(f"{language}/threads", 200)) * 10
    expected = [tokenizer(line) for line in lines]
    with ThreadPoolExecutor(4) as pool:
        assert expected == list(pool.map(tokenizer, lines))
        chunks = pool.map(tokenizer.apply, [lines] * 4)
        assert all(expected == chunk for chunk in chunks)


def test_a_run_that_mecab_cannot_finish_is_warned_of(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    tokenizer = TokenizerJaMecab()
    monkeypatch.setattr("truebleu.tokenizers.mecab._LONG_RUN", 200)
    with caplog.at_level(logging.WARNING, logger="truebleu"):
        for text in ("これは長い文です。" * 100, "a b " * 100, "a1" * 150):
            tokenizer(text)
        assert "" == caplog.text
        tokenizer("これは" + "a" * 201)
    assert "a line of 204 characters has a run of more than 200 letters" in caplog.text
