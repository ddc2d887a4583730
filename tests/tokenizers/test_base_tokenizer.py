import pickle
import subprocess
import sys
from pathlib import Path

import pytest

import truebleu
from truebleu.errors import InputTypeError
from truebleu.tokenizers import BaseTokenizer
from truebleu.tokenizers.base import MEMO_LINES, refuse_lone_surrogate
from truebleu.tokenizers.native import Tokenizer13a


class Shout(BaseTokenizer):
    """Counts its calls, to show what is remembered."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, line: str) -> str:
        self.calls += 1
        return line.upper()

    def signature(self) -> str:
        return "shout"


def test_the_base_class_does_nothing_itself() -> None:
    with pytest.raises(NotImplementedError):
        BaseTokenizer()("a")
    with pytest.raises(NotImplementedError):
        BaseTokenizer().signature()


def test_apply_takes_any_iterable_and_keeps_its_order() -> None:
    assert ["A", "B", "A"] == Shout().apply(iter(["a", "b", "a"]))


def test_apply_refuses_one_string() -> None:
    with pytest.raises(InputTypeError, match="not one string: 'abc'"):
        Shout().apply("abc")


def test_repeated_lines_are_tokenized_once() -> None:
    shout = Shout()
    shout.apply(["a", "b", "a"])
    shout.apply(["b", "a"])
    assert 2 == shout.calls


def test_two_instances_do_not_share_their_memory() -> None:
    first, second = Shout(), Shout()
    first.apply(["a"])
    second.apply(["a"])
    assert (1, 1) == (first.calls, second.calls)


def test_the_memory_is_bounded() -> None:
    shout = Shout()
    shout.apply(str(number) for number in range(MEMO_LINES + 1))
    shout.apply(["0"])
    assert MEMO_LINES + 2 == shout.calls


@pytest.mark.interpreter
def test_a_tokenizer_can_be_pickled_after_use() -> None:
    shout = Shout()
    shout.apply(["a"])
    copy = pickle.loads(pickle.dumps(shout))
    assert ["A"] == copy.apply(["a"])


def test_the_fingerprint_is_the_signature_unless_a_model_adds_to_it() -> None:
    assert "shout" == Shout().fingerprint()


def test_a_subclass_with_a_call_of_its_own_is_no_longer_native() -> None:
    class Own(Tokenizer13a):
        def __call__(self, line: str) -> str:
            return line

    class OnlyRenamed(Tokenizer13a):
        def signature(self) -> str:
            return "renamed"

    assert Own().native is None
    assert OnlyRenamed().native == "13a"


def test_a_lone_surrogate_is_named_with_its_position() -> None:
    with pytest.raises(InputTypeError, match=r"Somebody .* U\+DC80 at position 3 of 'abc.udc80d'"):
        refuse_lone_surrogate("abc\udc80d", "Somebody")


def test_a_line_without_surrogates_is_not_refused() -> None:
    refuse_lone_surrogate("abc \U0001f600", "Somebody")


def test_importing_the_package_loads_nothing_heavy() -> None:
    heavy = {
        "numpy",
        "regex",
        "MeCab",
        "mecab_ko",
        "sentencepiece",
        "requests",
        "urllib.request",
    }
    program = "import sys, truebleu.tokenizers, truebleu.tokenizers.registry; print(*sys.modules)"
    folders = [str(Path(truebleu.__file__).parents[1])]
    loaded = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path[:0] = {folders}; {program}"],
        capture_output=True, text=True, check=True,
    ).stdout.split()  # fmt: skip
    assert not heavy & set(loaded)
