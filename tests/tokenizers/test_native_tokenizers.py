"""The golden vectors through the classes. Parity on generated text is in tests/parity."""

import json
import pickle
from pathlib import Path

import pytest

from truebleu.tokenizers.registry import get_tokenizer_class

pytestmark = pytest.mark.interpreter

NATIVE = ["none", "char", "13a", "intl", "zh"]


@pytest.mark.parametrize("name", NATIVE)
def test_golden_vectors(name: str, golden: Path) -> None:
    tokenizer = get_tokenizer_class(name)()
    for line in (golden / f"tokenizer-{name}.jsonl").read_text("utf-8").splitlines():
        text, expected = json.loads(line)
        assert expected == tokenizer(text), text


@pytest.mark.parametrize("name", NATIVE)
def test_their_work_is_done_by_the_core_under_the_name_users_know(name: str) -> None:
    tokenizer = get_tokenizer_class(name)()
    assert (name, name) == (tokenizer.native, tokenizer.signature())


def test_the_western_core_pads_and_decodes_nothing() -> None:
    from truebleu.tokenizers.tokenizer_re import TokenizerRegexp

    tokenizer = TokenizerRegexp()
    assert "re" == tokenizer.signature()
    assert tokenizer.native is None
    assert ".5 & quot ; 2020." == tokenizer(".5 &quot; 2020.")


@pytest.mark.parametrize("name", ["none", "char"])
def test_lone_surrogates_are_ordinary_characters(name: str) -> None:
    theirs = {"none": "a\ud800b", "char": "a \ud800 b"}
    assert theirs[name] == get_tokenizer_class(name)()("a\ud800b")


@pytest.mark.parametrize("name", NATIVE)
def test_they_can_be_pickled(name: str) -> None:
    tokenizer = get_tokenizer_class(name)()
    assert type(tokenizer) is type(pickle.loads(pickle.dumps(tokenizer)))
