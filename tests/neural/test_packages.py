"""The real packages on tiny models: a runner gives what a direct call of its package gives.

`make test-neural` makes the environment, names its interpreter in TRUEBLEU_TEST_NEURAL, and runs these.
"""

import json
import os
import random
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from truebleu import compare
from truebleu.errors import ModelError, RunnerError, StatsMismatch
from truebleu.metrics import find
from truebleu.runners.batches import UnitBatches
from truebleu.runners.cache import key_of
from truebleu.runners.protocol import Unit

if "TRUEBLEU_TEST_NEURAL" not in os.environ:
    pytest.skip("no interpreter with the packages of learned metrics: make test-neural", allow_module_level=True)

pytestmark = pytest.mark.neural

ROOT = Path(__file__).resolve().parents[2]
KINDS = [
    ("comet", "comet", "regression_metric"),
    ("cometkiwi", "comet", "referenceless_regression_metric"),
    ("comet", "comet", "unified_metric"),
    ("xcomet", "comet", "xcomet_metric"),
    ("xcomet-qe", "comet", "xcomet_metric"),
    ("bertscore", "bertscore", "bert"),
    ("metricx", "metricx", "metricx"),
    ("metricx-qe", "metricx", "metricx"),
    ("metricx23", "metricx", "metricx"),
    ("metricx23-qe", "metricx", "metricx"),
    ("unite", "comet", "unified_metric"),
    ("comet-qe", "comet", "referenceless_regression_metric"),
]
TEXT = "the a of heron pond stood early quiet water reeds over wind near moves slowly grey never again 3 12 (and) ß é"
WORDS = TEXT.split()


@pytest.fixture(scope="module")
def python() -> str:
    return os.environ["TRUEBLEU_TEST_NEURAL"]


@pytest.fixture(scope="module")
def models(python: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    subprocess.run([python, str(ROOT / "tools" / "tiny_models.py"), str(folder)], check=True, capture_output=True)
    return folder


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRUEBLEU_SCORES", str(tmp_path / "scores"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def texts(count: int = 60, seed: int = 1, longest: int = 14) -> list[str]:
    draw = random.Random(seed)
    return [" ".join(draw.choices(WORDS, k=draw.randint(1, longest))) for _ in range(count)]


def direct(python: str, name: str, script: str, path: Path, units: list[Unit], batch: int) -> dict[str, Any]:
    sent = [unit.sent() for unit in units]
    job = {"script": script, "path": str(path), "units": sent, "batch": batch, "is_23": "23" in name}
    run = subprocess.run(
        [python, str(Path(__file__).with_name("direct.py"))], input=json.dumps(job), capture_output=True, text=True,
    )  # fmt: skip
    assert not run.returncode, run.stderr[-2000:]
    found: dict[str, Any] = json.loads(run.stdout.splitlines()[-1])
    return found


def scored(name: str, path: Path, python: str, **options: Any) -> Any:
    """The rows of 60 segments under a metric, and its units in the order in which they were sent."""
    metric: Any = find(name)(str(path), python=python, device="cpu", **options)
    columns = {"src": texts(seed=1), "hyp": texts(seed=2), "ref": texts(seed=3)}
    with metric:
        rows = metric.stats(columns["hyp"], [columns["ref"]], sources=columns["src"])
    made = [
        Unit(*(columns[side][at] if side in metric.texts else None for side in ("src", "hyp", "ref")))  # type: ignore[arg-type]
        for at in range(60)
    ]
    return rows, made


@pytest.mark.parametrize(("name", "script", "model"), KINDS)
def test_scores_are_those_of_the_package(name: str, script: str, model: str, models: Path, python: str) -> None:
    rows, units = scored(name, models / model, python)
    by_key = {key_of(unit): unit for unit in units}
    batches = UnitBatches(units, lambda unit: unit.hyp)
    (places,) = batches.ranges
    order = [batches.key(at) for at in places]
    expected = direct(python, name, script, models / model, [by_key[key] for key in order], 16)
    found = {key_of(unit): one for unit, one in zip(units, rows.results, strict=True)}
    if script == "metricx":  # the head by hand, and one unit at a time
        assert expected["scores"] == pytest.approx([found[key].score for key in order], abs=25e-5)
        assert 1 < min(expected["scores"]) < max(expected["scores"]) < 24
    else:
        assert expected["scores"] == [found[key].score for key in order]
    assert len(set(expected["scores"])) > 50
    if expected.get("spans"):
        count = 0
        for key, several in zip(order, expected["spans"], strict=True):
            text = by_key[key].hyp  # a span of spaces alone marks nothing
            marked = [one for one in several if text[one["start"] : one["end"]].strip()]
            assert sorted(text[one["start"] : one["end"]].strip() for one in marked) == sorted(
                text[one.start : one.end] for one in found[key].spans
            )
            assert sorted(one["confidence"] for one in marked) == sorted(one.confidence for one in found[key].spans)
            count += len(marked)
        assert count > 60


def test_bertscore_is_rescaled_as_the_package_does(models: Path, python: str, tmp_path: Path) -> None:
    named = tmp_path / "bert-base-multilingual-cased"  # of which the package has baselines
    shutil.copytree(models / "bert", named)
    rows, units = scored("bertscore", named, python, rescale=True, language="de")
    batches = UnitBatches(units, lambda unit: unit.hyp)
    (places,) = batches.ranges
    order = [batches.unit(at) for at in places]
    expected = direct(python, "bertscore", "rescaled", named, order, 16)
    found = {key_of(unit): one.score for unit, one in zip(units, rows.results, strict=True)}
    assert expected["scores"] == [found[key_of(unit)] for unit in order]
    plain, _ = scored("bertscore", named, python)
    assert "de" == rows.fingerprint["rescaled"] and abs(plain.rows - rows.rows).max() > 0.01
    with pytest.raises(StatsMismatch, match="rescale"):
        rows + plain
    with pytest.raises(ModelError, match="there is no baseline for bert-base-multilingual-cased and sw"):
        scored("bertscore", named, python, rescale=True, language="sw")


@pytest.mark.parametrize(("name", "script", "model"), [KINDS[0], KINDS[5], KINDS[6]])
def test_other_batches_differ_within_the_tolerance(
    name: str, script: str, model: str, models: Path, python: str
) -> None:
    several = [scored(name, models / model, python, batch_size=size, cache=False)[0].rows for size in (1, 7, 64)]
    tolerance = 25e-5 if script == "metricx" else 1e-6
    assert abs(several[0] - several[1]).max() <= tolerance >= abs(several[0] - several[2]).max()


def test_a_warm_cache_has_the_same_bits_and_needs_no_interpreter_to_start(models: Path, python: str) -> None:
    first, _ = scored("comet", models / "regression_metric", python)
    metric: Any = find("comet")(str(models / "regression_metric"), python=python, device="cpu")
    again = metric.stats(texts(seed=2), [texts(seed=3)], sources=texts(seed=1))
    assert first.rows.tobytes() == again.rows.tobytes()
    assert (60, 0) == (metric._link._scorer.hits, metric._link._scorer.misses)
    assert metric._link._scorer._runner is None


def test_what_is_cut_is_counted(models: Path, python: str) -> None:
    metric: Any = find("comet")(str(models / "regression_metric"), python=python, device="cpu")
    found = metric.corpus_score(["grey water", "grey " * 200], [["a", "b"]], sources=["c", "d"])
    assert [2] == found.neural["cut"] and "|cut:1|" in str(found.signature)


@pytest.mark.parametrize(("change", "message"), [("missing", "lacks 1 of"), ("added", "has 1 tensors")])
def test_231_a_checkpoint_with_other_tensors_is_refused(
    change: str, message: str, models: Path, python: str, tmp_path: Path
) -> None:
    source, target = models / "regression_metric", tmp_path / "changed"
    (target / "checkpoints").mkdir(parents=True)
    (target / "hparams.yaml").write_text((source / "hparams.yaml").read_text())
    code = (
        "import sys, torch; kept = torch.load(sys.argv[1]); state = kept['state_dict']\n"
        "if sys.argv[3] == 'missing': del state['estimator.ff.0.weight']\n"
        "else: state['surplus'] = next(iter(state.values()))\n"
        "torch.save(kept, sys.argv[2])"
    )
    paths = [str(folder / "checkpoints" / "model.ckpt") for folder in (source, target)]
    subprocess.run([python, "-c", code, *paths, change], check=True)
    with pytest.raises(ModelError, match=message):
        scored("comet", target, python)


def test_half_precision_that_does_not_work_is_refused(models: Path, python: str) -> None:
    with pytest.raises(RunnerError, match="precision"):
        scored("comet", models / "regression_metric", python, precision="fp16")


def test_systems_in_another_order_have_the_same_scores(models: Path, python: str) -> None:
    metric: Callable[[], Any] = lambda: find("comet")(  # noqa: E731
        str(models / "regression_metric"), python=python, device="cpu", cache=False
    )
    systems = {"a": texts(seed=2), "b": texts(seed=4), "c": texts(seed=5)}
    found = []
    for names in (("a", "b", "c"), ("c", "a", "b")):
        report = compare(
            {name: systems[name] for name in names}, [metric()], [texts(seed=3)], sources=texts(seed=1), checks=False
        )
        found.append({one.name: one.score for one in report.metrics[0].systems})
    assert found[0] == found[1]


IDS = (
    "import json, sys; from transformers import AutoTokenizer\n"
    "made = AutoTokenizer.from_pretrained(sys.argv[1])\n"
    "print(json.dumps([made(text).input_ids for text in json.load(sys.stdin)]))"
)


@pytest.mark.parametrize("name", ["metricx", "metricx-qe"])
def test_metricx_is_what_numpy_alone_computes(name: str, models: Path, python: str) -> None:
    rows, units = scored(name, models / "metricx", python)
    parts = (f" reference: {unit.ref}" if unit.ref is not None else "" for unit in units)
    prompts = [f"source: {unit.src} candidate: {unit.hyp}{part}" for unit, part in zip(units, parts, strict=True)]
    ids = json.loads(said(python, ["-c", IDS, str(models / "metricx")], prompts))
    whole = {"path": str(models / "metricx"), "row_of_head": 250_089}
    script = [str(Path(__file__).with_name("by_hand.py"))]
    expected = json.loads(said(python, script, {**whole, "rows": [row[:-1] for row in ids]}))
    found = [one.score for one in rows.results]
    assert len(found) == 60 and expected == pytest.approx(found, abs=25e-5)
    # It would be noticed if the end of the sentence stayed, or another row of the head were read.
    for other in ({**whole, "rows": ids}, {**whole, "row_of_head": 250_088, "rows": [row[:-1] for row in ids]}):
        others = json.loads(said(python, script, other))
        assert sum(abs(one - two) > 25e-5 for one, two in zip(others, found, strict=True)) > 40


TOKENIZERS = """
import json, sys
import sentencepiece
sys.path.insert(0, sys.argv[2])
import proof
proof.mend_sentencepiece()
from transformers import AutoTokenizer, T5Tokenizer

texts = json.load(sys.stdin)
with open(f"{sys.argv[1]}/spiece.model", "wb") as file:
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(texts * 5), model_writer=file, vocab_size=400, byte_fallback=True, model_type="unigram",
        hard_vocab_limit=False, pad_id=0, eos_id=1, unk_id=2, bos_id=-1, minloglevel=2,
    )
with open(f"{sys.argv[1]}/tokenizer_config.json", "w") as file:
    json.dump({"tokenizer_class": "T5Tokenizer", "extra_ids": 0}, file)
slow = T5Tokenizer.from_pretrained(sys.argv[1], legacy=False)
fast = AutoTokenizer.from_pretrained(sys.argv[1], local_files_only=True, legacy=False)  # as the runner does
assert fast.is_fast and not slow.is_fast
print(json.dumps([[made(text).input_ids for text in texts] for made in (slow, fast)]))
"""


def test_slow_and_fast_tokenizers_of_mt5_agree(python: str, tmp_path: Path) -> None:
    sides = (texts(seed=1), texts(seed=2), texts(seed=3))
    prompts = [f"source: {a} candidate: {b} reference: {c}" for a, b, c in zip(*sides, strict=True)]
    odd = ["", " ", "a  b", " a b ", "ﬁ ① Ａ", "e\u0301 é", "a\tb", "3,5 %", "'quoted'", "▁a"]
    # Characters that the vocabulary does not have are bytes for the slow one, and unknown for the fast one: MetricX's
    # own program takes the fast one.
    unknown = ["日本語。", "🙂 ok"]
    command = ["-c", TOKENIZERS, str(tmp_path), str(ROOT / "python" / "truebleu" / "runners" / "scripts")]
    slow, fast = json.loads(said(python, command, [*prompts, *odd, *unknown]))
    assert slow[: -len(unknown)] == fast[: -len(unknown)]
    assert all(2 in two and 2 not in one for one, two in zip(slow[-len(unknown) :], fast[-len(unknown) :], strict=True))


def said(python: str, command: list[str], given: Any) -> str:
    run = subprocess.run([python, *command], input=json.dumps(given), capture_output=True, text=True)
    assert not run.returncode, run.stderr[-2000:]
    return run.stdout.splitlines()[-1]
