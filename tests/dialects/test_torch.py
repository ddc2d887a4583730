"""`truebleu.torch`, on torchmetrics where it is installed, else on a stand-in with what the adapter needs of it."""

import importlib
import importlib.util
import pickle
import subprocess
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import truebleu
from strategies import ter_cases_stay_short
from truebleu import errors

REAL = importlib.util.find_spec("torchmetrics") is not None
PAIRS = truebleu.metrics.METRICS


class Tensor(np.ndarray):
    """A tensor as far as the adapter looks."""

    device = "cpu"  # type: ignore[assignment]

    def to(self, device: str) -> "Tensor":
        assert "cpu" == device
        return self


class Metric:
    """The base class as far as the adapter asks: states with their starting values."""

    def __init__(self, **options: Any) -> None:
        assert options.keys() <= {"sync_on_compute"}
        self.defaults: dict[str, Any] = {}
        self.reductions: dict[str, str] = {}

    def add_state(self, name: str, default: Any, dist_reduce_fx: str) -> None:
        self.defaults[name], self.reductions[name] = default, dist_reduce_fx
        setattr(self, name, default.copy())

    def reset(self) -> None:
        for name, default in self.defaults.items():
            setattr(self, name, default.copy())


@pytest.fixture
def torch(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    if not REAL:
        fake, base = ModuleType("torch"), ModuleType("torchmetrics")
        fake.__dict__.update(
            Tensor=Tensor,
            float64=np.float64,
            int64=np.int64,
            tensor=lambda value, dtype, device="cpu": np.array(value, dtype).view(Tensor),
        )
        base.__dict__.update(Metric=Metric)
        monkeypatch.setitem(sys.modules, "torch", fake)
        monkeypatch.setitem(sys.modules, "torchmetrics", base)
    yield importlib.import_module("truebleu.torch")
    sys.modules.pop("truebleu.torch", None)


@pytest.mark.parametrize("name", PAIRS)
def test_batches_score_as_the_whole(torch: Any, name: str, cases: int) -> None:
    # ROUGE's own tokenizer refuses texts in the scripts that are generated.
    options = {"tokenize": "rouge-unicode"} if name.startswith("ROUGE") else {}
    theirs, ours = getattr(torch, name)(sync_on_compute=False, **options), PAIRS[name](**options)
    for index in range(cases // 10):
        parts = [ter_cases_stay_short(f"torch/{name}/{index}/{at}").corpus() for at in range(3)]
        theirs.reset()
        for part in parts:
            theirs.update(part.hypotheses, part.segments)
        expected = ours.corpus_score(
            [text for part in parts for text in part.hypotheses],
            [texts for part in parts for texts in part.segments],
            layout="segments",
        )
        assert expected.score == theirs.compute().item()
        assert (str(expected), str(expected.signature)) == (str(theirs.score()), str(theirs.score().signature))


def test_states_are_reduced_as_sums_have_to_be(torch: Any) -> None:
    one, two = (torch.TextMetric(truebleu.TER()) for _ in range(2))
    one.update(["a b"], [["a b", "a"]])
    two.update(["c d e"], ["c d f"])
    reductions = {"totals": "sum", "segments": "sum", "fewest_references": "min", "most_references": "max"}
    if REAL:
        one.merge_state(two)
    else:
        assert reductions == one.reductions
        for name, reduction in reductions.items():
            setattr(one, name, getattr(np, reduction)([getattr(one, name), getattr(two, name)], axis=0).view(Tensor))
    expected = truebleu.TER().corpus_score(["a b", "c d e"], [["a b", "a"], ["c d f"]], layout="segments")
    assert (str(expected), str(expected.signature)) == (str(one.score()), str(one.score().signature))


def test_directions_and_options(torch: Any) -> None:
    assert [True, True, False] == [getattr(torch, name)().higher_is_better for name in ("BLEU", "CHRF", "TER")]
    metric = torch.BLEU(lowercase=True, tokenize="none")
    metric.update(["A B C D"], ["a b c d"])
    assert 100.00000000000004 == metric.compute().item()
    with pytest.raises(TypeError, match="no_such_option"):
        torch.BLEU(no_such_option=1)


@pytest.mark.parametrize(
    ("preds", "target", "error", "message"),
    [
        (["a"], ["a", "b"], errors.LengthMismatch, "BLEU: there are 1 preds, and references for 2"),
        ("ab", ["a", "b"], errors.FormatMismatch, "BLEU: preds is the plain string"),
        (["a", "b"], [["a"], "b"], errors.FormatMismatch, r"BLEU: target\[1\] is a string"),
        ([], [], errors.NothingAdded, "empty"),
    ],
)
def test_bad_batches_are_refused(torch: Any, preds: Any, target: Any, error: Any, message: str) -> None:
    metric = torch.BLEU()
    with pytest.raises(error, match=message):
        metric.update(preds, target)
    with pytest.raises(errors.NothingAdded, match="call update first"):
        metric.compute()


def test_only_metrics_are_wrapped(torch: Any) -> None:
    with pytest.raises(errors.InputTypeError, match="expected a metric such as"):
        torch.TextMetric(truebleu.BLEU)


@pytest.mark.interpreter
@pytest.mark.parametrize("name", PAIRS)
def test_every_metric_has_one_class_that_can_be_pickled(torch: Any, name: str) -> None:
    assert getattr(torch, name) is getattr(torch, name)
    assert name in torch.__all__
    metric = pickle.loads(pickle.dumps(getattr(torch, name)()))
    assert getattr(torch, name) is type(metric)
    assert PAIRS[name] is type(metric.metric)


def test_a_metric_that_is_registered_later_is_there_too(torch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    class Later(truebleu.GLEU):
        pass

    with pytest.raises(AttributeError, match="no attribute 'LATER'"):
        torch.LATER  # noqa: B018
    monkeypatch.setitem(truebleu.metrics.METRICS, "LATER", Later)
    assert Later is type(torch.LATER(lowercase=True).metric)
    assert "LATER" == torch.LATER.__name__


@pytest.mark.interpreter
@pytest.mark.skipif(not REAL, reason="torchmetrics is not installed: what it does with states is not ours to imitate")
def test_torchmetrics_can_forward_collect_and_pickle(torch: Any) -> None:
    import torchmetrics

    metric = torch.TER()
    first, second = (["a b"], [["a b", "a"]]), (["c d e"], ["c d f"])
    batches = [metric(*first).item(), metric(*second).item()]
    assert [
        truebleu.TER().corpus_score(*batch, layout="segments").score for batch in (first, (second[0], [["c d f"]]))
    ] == batches
    assert metric.compute() == pickle.loads(pickle.dumps(metric)).compute()
    both = torchmetrics.MetricCollection([torch.BLEU(), torch.CHRF()])
    both.update(*first)
    assert {"BLEU", "CHRF"} == set(both.compute())


def test_without_torchmetrics_the_error_says_what_to_do() -> None:
    code = (
        "import sys; sys.modules['torchmetrics'] = None\n"
        "from truebleu.errors import MissingDependency\n"
        "try:\n    import truebleu.torch\n"
        "except MissingDependency as error:\n    print(isinstance(error, ImportError), error)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.startswith("True truebleu.torch needs torch and torchmetrics")
    assert "pip install torchmetrics" in run.stdout
