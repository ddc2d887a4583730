"""What a metric is stands on the metric: nobody outside knows one by its name."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import truebleu
from truebleu.errors import OptionError
from truebleu.metrics import BLEU, METRICS, TER
from truebleu.metrics.external import ExternalMetric
from truebleu.metrics.published import of_score
from truebleu.significance import compare
from truebleu.study import Study
from truebleu.study.page.page import study_page

PACKAGE = Path(truebleu.__file__).parent
NAMES = {name.lower() for name in METRICS} | {kind.label.lower() for kind in METRICS.values()}
# They speak of metrics in the words of other programs, or are about the settings of three of them.
DIALECTS = {
    "demo", "diversity.py", "evaluate", "ids.py", "jiwer", "nltk", "reconciliation", "rouge_score",
    "sacrebleu", "torch.py",
}  # fmt: skip
# Where a name is meant and not what stands behind it.
HONEST = {
    "cli/commands/self_bleu.py": "a command of BLEU that takes other metrics too",
    "cli/commands/sign_test.py": "the script that --legacy repeats has a BLEU of its own",
    "cli/commands/reconcile.py": "sacreBLEU's default",
    "tokenizers/registry.py": "a tokenizer is called rouge",
}


def names_in(node: ast.AST) -> Iterator[str]:
    """The names of metrics among texts that a value is compared with, or that a mapping has as its keys."""
    texts: list[ast.expr] = []
    if isinstance(node, ast.Compare):
        texts = [node.left, *node.comparators]
    elif isinstance(node, ast.Dict):
        texts = [key for key in node.keys if key is not None]
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr in ("startswith", "endswith", "removeprefix", "removesuffix", "fromkeys", "get"):
            texts = node.args[:1]
    elif isinstance(node, ast.MatchValue):
        texts = [node.value]
    several = [
        one for text in texts for one in (text.elts if isinstance(text, ast.Tuple | ast.List | ast.Set) else [text])
    ]
    for one in several:
        if isinstance(one, ast.Constant) and isinstance(one.value, str) and one.value.lower().strip("-") in NAMES:
            yield one.value


def dispatches(text: str) -> list[str]:
    return [name for node in ast.walk(ast.parse(text)) for name in names_in(node)]


@pytest.mark.parametrize(
    "text",
    [
        'if name == "ter": pass', 'x = kind in ("BLEU", "GLEU")', 'KNOWN = {"TER": ("length",)}',
        'name.startswith("chrF")', 'dict.fromkeys(("MER", "WIL"), 1)', 'match name:\n    case "wer": pass',
    ],
)  # fmt: skip
def test_a_dispatch_would_be_found(text: str) -> None:
    assert dispatches(text)


def test_nobody_outside_asks_for_the_name_of_a_metric() -> None:
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        place = path.relative_to(PACKAGE)
        if place.parts[0] not in {"metrics", *DIALECTS} and (names := dispatches(path.read_text("utf-8"))):
            found[place.as_posix()] = names
    assert {} == {place: names for place, names in found.items() if place not in HONEST}
    assert HONEST.keys() <= found.keys()  # an exception that is none any more is to be taken out


def test_scores_from_elsewhere_are_none_of_ours_whatever_they_are_called() -> None:
    scores = {"a": [0.1, 0.2, 0.3], "b": [0.2, 0.2, 0.9]}
    for name in ("BLEU", "BLEURT"):
        found = compare(scores, ExternalMetric(name)).metrics[0]
        assert of_score(found.name, found.signature.fields()) is None
    texts = {"a": ["it rained", "no"], "b": ["it rains", "no"]}
    study = Study(texts, [["it rained", "no"]], [TER()], external={"BLEURT": {"a": [0.5, 0.1], "b": [0.2, 0.3]}})
    page = study_page(study).decode()
    assert "snover-etal-2006-study" in page and "papineni" not in page
    assert "the numbers of sacreBLEU 2.6.0." in page


@pytest.mark.parametrize(
    ("name", "kind"), [("chrF2++", "CHRF"), ("ROUGE-L", "ROUGE"), ("F1", "F1"), ("TER", "TER"), ("COMET-22", None)]
)
def test_a_metric_is_found_by_the_name_of_its_score(name: str, kind: str | None) -> None:
    assert (None if kind is None else METRICS[kind]) is of_score(name, {})


def test_no_formula_of_the_script_is_inherited() -> None:
    class Doubled(BLEU):
        def _score_from(self, totals: list[float], signature: Any) -> Any:
            score = super()._score_from(totals, signature)
            score.score *= 2
            return score

    texts = {"a": ["it rained"], "b": ["it rains"]}
    pages = [study_page(Study(texts, [["it rained"]], [metric])).decode() for metric in (BLEU(), Doubled())]
    assert [["bleu"], [""]] == [re.findall(r'"kind":"(\w*)"', page) for page in pages]


def test_a_direction_that_nobody_knows_is_asked_for_where_it_decides() -> None:
    metric = ExternalMetric("judge")
    assert 0.5 == metric.score(metric.stats([0.25, 0.75])).score
    with pytest.raises(OptionError, match="judge: it is unknown whether higher or lower scores are better"):
        compare({"a": [0.1, 0.2], "b": [0.3, 0.1]}, metric, all_pairs=True)
