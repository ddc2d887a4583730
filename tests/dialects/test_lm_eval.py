"""`truebleu.lm_eval`: aggregations of pairs, as lm-evaluation-harness gives them."""

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
import sacrebleu

from truebleu import demo, lm_eval
from truebleu.errors import InputTypeError

DATA = demo.load("en-de")
OUTPUTS = [*DATA.systems["atlas"]]
FIRST, SECOND = ([*stream] for stream in DATA.references.values())


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (lm_eval.bleu, sacrebleu.corpus_bleu), (lm_eval.chrf, sacrebleu.corpus_chrf),
        (lm_eval.ter, sacrebleu.corpus_ter),
    ],
)  # fmt: skip
def test_scores_are_those_of_the_corpus(ours: Callable[..., float], theirs: Callable[..., Any]) -> None:
    assert theirs(OUTPUTS, [FIRST]).score == ours(zip(FIRST, OUTPUTS, strict=True))
    both = [*zip(map(list, zip(FIRST, SECOND, strict=True)), [[text] for text in OUTPUTS], strict=True)]
    assert theirs(OUTPUTS, [FIRST, SECOND]).score == ours(map(lm_eval.pair, both))


def test_lists_of_references_may_differ_in_length() -> None:
    items = [([FIRST[0], SECOND[0]], OUTPUTS[0]), (FIRST[1], OUTPUTS[1])]
    assert sacrebleu.corpus_bleu(OUTPUTS[:2], [FIRST[:2], [SECOND[0], None]]).score == lm_eval.bleu(items)


@pytest.mark.parametrize("output", [None, ["a", "b"], 3])
def test_an_output_that_is_no_text_is_refused(output: Any) -> None:
    with pytest.raises(InputTypeError, match="the output of pair 2 is"):
        lm_eval.bleu([("a", "a"), ("b", output)])


def test_names_are_registered_as_the_harness_registers_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    known: dict[str, Any] = {}
    registry: Any = ModuleType("lm_eval.api.registry")
    registry.register_aggregation = lambda name: lambda function: known.setdefault(name, function)
    registry.register_metric = lambda **given: lambda function: known.setdefault((given["metric"], "metric"), given)
    for name in ("lm_eval", "lm_eval.api"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setitem(sys.modules, "lm_eval.api.registry", registry)
    lm_eval.register()
    assert (lm_eval.bleu, lm_eval.ter) == (known["truebleu_bleu"], known["truebleu_ter"])
    assert [True, True, False] == [
        known[f"truebleu_{name}", "metric"]["higher_is_better"] for name in ("bleu", "chrf", "ter")
    ]
