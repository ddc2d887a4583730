"""What the scripts say before a model is there, with stand-ins for the packages."""

import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from truebleu.runners.families import FAMILIES

SCRIPTS = Path(__file__).resolve().parents[2] / "python" / "truebleu" / "runners" / "scripts"
UNIT = {"src": "S", "hyp": "H", "ref": "R"}


@pytest.fixture(autouse=True)
def beside_the_scripts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(SCRIPTS))
    for name in ("wire", "proof", "run_bertscore", "run_metricx"):
        monkeypatch.delitem(sys.modules, name, raising=False)


@pytest.fixture
def bertscore(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> SimpleNamespace:
    """The package bert-score with a tokenizer to be set, and a baseline of one model and language."""
    made = SimpleNamespace(tokenizer=SimpleNamespace(sep_token_id=2), given={})

    def scorer(**given: Any) -> Any:
        made.given = given
        return SimpleNamespace(_tokenizer=made.tokenizer, _model=None)

    backends = SimpleNamespace(cuda=SimpleNamespace(matmul=SimpleNamespace()), cudnn=SimpleNamespace())
    package = tmp_path / "bert_score"
    (package / "rescale_baseline" / "en").mkdir(parents=True)
    (package / "rescale_baseline" / "en" / "roberta-large.tsv").touch()
    for name, content in {
        "torch": {"backends": backends, "device": str},
        "transformers": {"AutoConfig": None},
        "bert_score": {"BERTScorer": scorer, "__file__": str(package / "__init__.py")},
        "bert_score.utils": {"model2layers": {"roberta-large": 17}},
    }.items():
        module = ModuleType(name)
        vars(module).update(content)
        monkeypatch.setitem(sys.modules, name, module)
    return made


def load_bertscore(**options: Any) -> None:
    import run_bertscore  # type: ignore[import-not-found]

    message = {"model": "roberta-large", "path": "/m", "device": "cpu", "batch": 2, "options": options}
    run_bertscore.load(message)


def test_a_model_without_its_slow_tokenizer_is_refused(bertscore: SimpleNamespace) -> None:
    bertscore.tokenizer = False  # what transformers 4.57 makes of a folder with tokenizer.json alone
    with pytest.raises(Exception, match=r"lacks the file of the slow tokenizer, .* tokenizer\.json alone will not do"):
        load_bertscore()


def test_a_baseline_is_that_of_the_package_or_an_error(bertscore: SimpleNamespace, tmp_path: Path) -> None:
    bertscore.tokenizer = False
    with pytest.raises(Exception, match="slow tokenizer"):
        load_bertscore(rescale="en")
    path = tmp_path / "bert_score" / "rescale_baseline" / "en" / "roberta-large.tsv"
    assert (True, "en", str(path)) == tuple(
        bertscore.given[key] for key in ("rescale_with_baseline", "lang", "baseline_path")
    )
    with pytest.raises(
        Exception, match="there is no baseline for roberta-large and sw; the package would give unscaled"
    ):
        load_bertscore(rescale="sw")


@pytest.mark.parametrize(
    ("name", "prompt"),
    [
        ("metricx", "source: S candidate: H reference: R"),
        ("metricx-qe", "source: S candidate: H"),
        ("metricx23", "candidate: H reference: R"),
        ("metricx23-qe", "candidate: H source: S"),
    ],
)
def test_a_model_of_metricx_reads_the_prompt_of_its_year(name: str, prompt: str) -> None:
    import run_metricx  # type: ignore[import-not-found]

    family = FAMILIES[name]
    year = family.options["prompt"]
    assert prompt == run_metricx.prompt({key: UNIT[key] for key in family.fields}, year)
    assert family.max_tokens == run_metricx._LONGEST[year]


def scores_of(*values: float) -> Any:
    """A model whose scores are these, whatever it is asked."""
    return lambda units: [{"score": value} for value in values[: len(units)]]


def alone_differs(units: list[dict[str, str]]) -> list[dict[str, Any]]:
    return [{"score": len(units) + at / 10} for at in range(len(units))]


def no_half(units: list[dict[str, str]]) -> list[dict[str, Any]]:
    raise RuntimeError("mat1 and mat2 must have\n the same dtype")


@pytest.mark.parametrize(
    ("score", "precision", "message"),
    [
        (scores_of(0.5, 0.5, 0.5), "fp32", r"scores of this installation are not those of a model: \[0\.5, 0\.5"),
        (scores_of(0.5, float("nan"), 0.1), "fp32", "are not those of a model"),
        (alone_differs, "fp32", "depend on their batch: they differ by 2"),
        (no_half, "bf16", r"cannot run in bf16 here \(mat1 and mat2 must have the same dtype\); --precision fp32"),
    ],
)
def test_a_loaded_model_is_proved(score: Any, precision: str, message: str) -> None:
    import proof  # type: ignore[import-not-found]

    with pytest.raises(Exception, match=message):
        proof.prove(score, ["src", "hyp"], precision, 1e-5)
    proof.prove(lambda units: [{"score": float(len(unit["hyp"]))} for unit in units], ["src", "hyp"], "fp32", 1e-5)
