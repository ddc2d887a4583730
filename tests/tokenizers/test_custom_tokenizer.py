import functools
import pickle

import pytest
from sacrebleu.tokenizers.tokenizer_char import TokenizerChar as TheirChar

from truebleu.errors import InputTypeError
from truebleu.tokenizers.custom import CallableTokenizer


class Signed:
    def __call__(self, line: str) -> list[str]:
        return line.split("-")

    def signature(self) -> str:
        return "a|b: c"


@pytest.mark.parametrize("result", ["a b", ["a", "b"], ("a", "b")])
def test_a_function_may_return_text_or_tokens(result: object) -> None:
    assert "a b" == CallableTokenizer(lambda line: result)("x")


def test_no_tokens_are_an_empty_line() -> None:
    assert "" == CallableTokenizer(str.split)("")


@pytest.mark.parametrize(
    ("result", "described"),
    [
        (None, "a NoneType"),
        (3, "an int"),
        (b"a", "a bytes"),
        (["a", 1], "a list with an int in it"),
        ({"a"}, "a set"),
    ],
)
def test_any_other_result_is_refused_and_described(result: object, described: str) -> None:
    with pytest.raises(InputTypeError, match=rf"<lambda> returned {described} for 'some text', expected a string"):
        CallableTokenizer(lambda line: result)("some text")


def test_what_cannot_be_called_is_refused() -> None:
    with pytest.raises(InputTypeError, match="must be callable, got int"):
        CallableTokenizer(3)  # type: ignore[arg-type]


def test_the_signature_is_the_name() -> None:
    assert "custom-str.split" == CallableTokenizer(str.split).signature()
    assert "custom-partial" == CallableTokenizer(functools.partial(str.split, sep="-")).signature()


@pytest.mark.parametrize("function", [lambda line: line, Signed()])
def test_a_signature_breaks_no_field(function: object) -> None:
    signature = CallableTokenizer(function).signature()  # type: ignore[arg-type]
    assert not set("|: ") & set(signature)


def test_its_own_signature_is_preferred() -> None:
    assert "a_b_c" == CallableTokenizer(Signed()).signature()


def test_a_tokenizer_of_sacrebleu_is_welcome() -> None:
    tokenizer = CallableTokenizer(TheirChar())  # type: ignore[no-untyped-call]
    assert ("a b", "char") == (tokenizer("ab"), tokenizer.signature())


@pytest.mark.interpreter
def test_it_is_not_native_and_can_be_pickled() -> None:
    tokenizer = pickle.loads(pickle.dumps(CallableTokenizer(Signed())))
    assert tokenizer.native is None
    assert "a b" == tokenizer("a-b")
