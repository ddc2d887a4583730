"""Plug-ins: the two examples, installed as a user would, and what broken ones may not break."""

import json
import os
import pickle
import subprocess
import sys
from collections.abc import Sequence
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

from truebleu import _plugins
from truebleu._plugins import PluginPoint, plugin, plugins
from truebleu.errors import OptionError, PluginError, UnknownTokenizer
from truebleu.metrics import BLEU, find
from truebleu.metrics.plugin import metric_of
from truebleu.metrics.registry import LEARNED, METRICS
from truebleu.plugins import MetricPlugin, Unit, check
from truebleu.tokenizers import BaseTokenizer

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "plugin"
HYPS, REFS = ["ein Haus", "ein Baum am Haus", ""], ["ein Haus", "ein Haus", "ein Baum"]


class Ratio(MetricPlugin):
    label, low, high, options = "Ratio", 0.0, 1.0, {"power": (float, 1.0, "")}

    def segment_scores(self, units: Sequence[Unit]) -> list[float]:
        lengths = [sorted((len(unit.hyp), len(unit.ref or ""))) for unit in units]
        return [(short / long) ** self.power if long else 1.0 for short, long in lengths]  # type: ignore[attr-defined]


class Tokens(BaseTokenizer):
    def __call__(self, line: str) -> str:
        return " ".join(line)

    def signature(self) -> str:
        return "tokens-3"


class Loaded(EntryPoint):
    """An entry point of an object that is here."""

    def __new__(cls, found: object) -> Any:
        made = super().__new__(cls)
        vars(made)["found"] = found
        return made

    def __init__(self, found: object) -> None:
        super().__init__("x", "here:found", "x")

    def load(self) -> object:
        if isinstance(vars(self)["found"], Exception):
            raise vars(self)["found"]
        return vars(self)["found"]


@pytest.fixture
def add(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Make a plug-in known."""
    there: dict[str, list[PluginPoint]] = {group: [] for group in _plugins.GROUPS}
    monkeypatch.setattr(_plugins, "_installed", lambda group: tuple(there[group]))
    before = dict(LEARNED)

    def install(group: str, name: str, found: object, dist: str = "lab-tools", version: str = "3") -> PluginPoint:
        there[group].append(PluginPoint(group, name, dist, version, Loaded(found)))
        return there[group][-1]

    yield install
    LEARNED.clear()
    LEARNED.update(before)


# --- the examples -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The examples, installed in an environment of their own that sees truebleu and its dependencies."""
    home = tmp_path_factory.mktemp("plugins")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", home / "venv"], check=True)
    (found,) = (home / "venv").glob("lib/python*/site-packages")
    here = [path for path in sys.path if path.endswith("site-packages")]
    (found / "here.pth").write_text("".join(f"import site; site.addsitedir({path!r})\n" for path in here))
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-index", "--no-build-isolation"]
    for name in ("metric", "runner"):
        copy = home / name
        subprocess.run(["cp", "-r", EXAMPLES / name, copy], check=True)
        subprocess.run([*pip, "--disable-pip-version-check", "--target", found, copy], check=True)
    (home / "ref").write_text("Ein Haus.\nEin Baum.\n")
    (home / "sys").write_text("Ein Haus.\nBaum.\n")
    (home / "vectors").mkdir()
    (home / "vectors" / "vectors.bin").write_text("ein 1 0\nhaus. 0 1\nbaum. 1 1\n")
    return home


def run(site: Path, line: str, **variables: str) -> subprocess.CompletedProcess[str]:
    own = {"XDG_STATE_HOME": str(site / "state"), "TRUEBLEU_SCORES": str(site / "scores"), **variables}
    inherited = {key: value for key, value in os.environ.items() if not key.startswith("TRUEBLEU_")}
    command = [str(site / "venv" / "bin" / "python"), "-m", "truebleu", *line.split()]
    return subprocess.run(command, cwd=site, env=inherited | own, capture_output=True, text=True, check=False)


def test_the_metric_of_the_example_scores_and_is_signed(site: Path) -> None:
    done = run(site, "ref -i sys -m bleu length-ratio -f json")
    assert 0 == done.returncode, done.stderr
    bleu, ratio = json.loads(done.stdout)
    assert "BLEU" == bleu["name"]
    assert ("Length-Ratio", pytest.approx((1 + 5 / 9) / 2)) == (ratio["name"], ratio["score"])
    assert "plugin:truebleu-example-metric-1.2" in ratio["signature"]
    squared = json.loads(run(site, "ref -i sys -m length-ratio --option length-ratio.power=2 -f json").stdout)
    assert pytest.approx((1 + (5 / 9) ** 2) / 2) == squared["score"]
    assert "options:power=2.0" in squared["signature"]
    for line, told in (
        ("-m bleu --option length-ratio.power=2", "--option has no effect: it is about the metric of a plug-in"),
        ("-m length-ratio --option ratio.power=2", "--option is about ratio, and -m does not ask for it"),
        ("-m length-ratio --option power=2", "--option is power=2, expected NAME.KEY=VALUE"),
        ("-m length-ratio --option length-ratio.power=much", "length-ratio.power is 'much', expected float"),
    ):
        refused = run(site, f"ref -i sys {line}")
        assert 2 == refused.returncode and told in refused.stderr
    by_full_name = json.loads(run(site, "ref -i sys -m truebleu-example-metric:length-ratio -f json").stdout)
    assert ratio["score"] == by_full_name["score"]


def test_the_runner_of_the_example_scores_in_its_own_process(site: Path) -> None:
    done = run(site, "ref -i sys -m cosine=./vectors -f json")
    assert 0 == done.returncode, done.stderr
    found = json.loads(done.stdout)
    assert ("Cosine", pytest.approx((1 + 3 / 10**0.5) / 2)) == (found["name"], found["score"])
    for words in ("plugin:truebleu-example-runner-0.3", "model:local/vectors", "runner:cosine-1"):
        assert words in found["signature"]
    missing = run(site, "ref -i sys -m cosine=./nowhere")
    assert 1 == missing.returncode and "there is no such folder" in missing.stderr


def test_the_tokenizer_and_the_set_of_the_example_are_found(site: Path) -> None:
    tokenized = json.loads(run(site, "ref -i ref -tok letters -f json").stdout)
    assert 100 == pytest.approx(tokenized["score"]) and "tok:letters-1.2" in tokenized["signature"]
    assert "Ein Haus.\nEin Baum.\n" == run(site, "-t two-lines -l en-de --echo ref").stdout
    assert 0 == run(site, "-t two-lines -l en-de -i sys").returncode


def test_plug_ins_are_listed_and_can_be_switched_off(site: Path) -> None:
    listed = json.loads(run(site, "metrics list --json").stdout)["plugins"]
    assert [
        ("metrics", "length-ratio"), ("runners", "cosine"), ("testsets", "two-lines"), ("tokenizers", "letters"),
    ] == sorted((one["group"], one["name"]) for one in listed)  # fmt: skip
    assert "length-ratio of truebleu-example-metric 1.2" in run(site, "metrics list").stdout
    off = run(site, "ref -i sys -m length-ratio", TRUEBLEU_NO_PLUGINS="1")
    assert 2 == off.returncode and "length-ratio" in off.stderr


def test_plain_scoring_never_looks_for_plug_ins(site: Path) -> None:
    code = (
        "import sys; from truebleu.cli.main import main; main(['ref', '-i', 'sys', '-m', 'bleu', 'chrf']); "
        "print('importlib.metadata' in sys.modules, 'truebleu._plugins' in sys.modules)"
    )
    python = str(site / "venv" / "bin" / "python")
    done = subprocess.run([python, "-S", "-c", _paths() + code], cwd=site, capture_output=True, text=True, check=True)
    assert "False False" == done.stdout.splitlines()[-1]


def _paths() -> str:
    return f"import sys; sys.path[:0] = {[path for path in sys.path if path]!r}; "


# --- names --------------------------------------------------------------------------------------


def test_a_metric_of_a_plug_in_is_one_like_the_others(add: Any) -> None:
    add("metrics", "ratio", Ratio)
    metric: Any = find("ratio")(options={"power": 2})
    score = metric.corpus_score(HYPS, [REFS])
    assert pytest.approx((1 + 0.25 + 0) / 3) == score.score
    assert ("ratio", "Ratio", True) == (metric.asked_as, metric.label, metric.higher_is_better)
    assert "nrefs:1|plugin:lab-tools-3|metric_version:1|options:power=2.0|" in str(score.signature)
    again = pickle.loads(pickle.dumps(metric))
    assert score.score == again.corpus_score(HYPS, [REFS]).score
    other: Any = find("ratio")()
    assert metric.fingerprint() != other.fingerprint()
    assert "RATIO" not in METRICS


def test_ours_win_and_a_hidden_one_has_a_full_name(add: Any) -> None:
    add("metrics", "bleu", Ratio)
    assert BLEU is find("bleu")
    assert "lab-tools:bleu" == find("lab-tools:bleu").asked_as  # type: ignore[attr-defined]


def test_one_name_of_two_distributions_is_an_error(add: Any) -> None:
    add("metrics", "ratio", Ratio)
    add("metrics", "ratio", Ratio, dist="other")
    with pytest.raises(PluginError, match="2 plug-ins are called ratio: say lab-tools:ratio and other:ratio"):
        find("ratio")
    assert "other:ratio" == find("other:ratio").asked_as  # type: ignore[attr-defined]


def test_a_broken_one_breaks_only_itself(add: Any) -> None:
    add("metrics", "broken", ImportError("no module named 'heavy'"))
    add("tokenizers", "cut", ZeroDivisionError("1/0"))
    with pytest.raises(PluginError, match=r"^the metric broken of lab-tools 3 cannot be loaded: ImportError: no m"):
        find("broken")
    with pytest.raises(PluginError, match="the tokenizer cut of lab-tools 3 cannot be loaded"):
        BLEU(tokenize="cut")
    assert 100 == pytest.approx(BLEU().corpus_score(["a b c d"], [["a b c d"]]).score)
    with pytest.raises(OptionError):
        find("brokeen")
    with pytest.raises(UnknownTokenizer):
        BLEU(tokenize="cutt")


def test_nothing_is_loaded_to_be_listed(add: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    add("metrics", "broken", ImportError("x"))
    assert ["lab-tools:broken"] == [one.full_name for one in plugins("metrics")]
    monkeypatch.setenv("TRUEBLEU_NO_PLUGINS", "1")
    assert [] == [*plugins("metrics")] and plugin("metrics", "broken") is None


@pytest.mark.parametrize("name", ["", "UP", "a", "x" * 41, "a b", "a=b", "-a", "é-metric"])
def test_names_are_short_words(name: str, add: Any) -> None:
    add("metrics", name, Ratio)
    assert plugin("metrics", name) is None


# --- what a plug-in may not do -------------------------------------------------------------------


def metric_with(**members: Any) -> type[MetricPlugin]:
    return type("Made", (Ratio,), members)


@pytest.mark.parametrize(
    ("scores", "told"),
    [
        ([0.5], "gave 1 score, expected a list of 3 scores"),
        ([0.5] * 4, "gave 4 scores, expected a list of 3 scores"),
        ((0.5,) * 3, "gave tuple, expected a list of 3 scores"),
        ([0.5, float("nan"), 0.5], "gave nan for segment 2, expected a finite number from 0 to 1"),
        ([0.5, 0.5, float("inf")], "gave inf for segment 3"),
        ([True, 0.5, 0.5], "gave True for segment 1"),
        ([0.5, "0.5", 0.5], "gave '0.5' for segment 2"),
        ([0.5, 1.5, 0.5], "gave 1.5 for segment 2"),
    ],
)
def test_wrong_scores_are_the_mistake_of_the_plug_in(scores: Any, told: str, add: Any) -> None:
    add("metrics", "ratio", metric_with(segment_scores=lambda self, units: scores))
    made: Any = find("ratio")()
    with pytest.raises(PluginError) as caught:
        made.corpus_score(HYPS, [REFS])
    assert str(caught.value).startswith(f"the metric ratio of lab-tools 3 {told}")


def test_an_exception_of_a_plug_in_is_wrapped(add: Any) -> None:
    def fail(self: Any, units: Any) -> Any:
        raise KeyError("model")

    add("metrics", "ratio", metric_with(segment_scores=fail))
    made: Any = find("ratio")()
    with pytest.raises(PluginError, match="the metric ratio of lab-tools 3 failed: KeyError: 'model'"):
        made.corpus_score(HYPS, [REFS])


@pytest.mark.parametrize(
    ("found", "told"),
    [
        (3, "is 3, expected a subclass of truebleu.plugins.MetricPlugin"),
        (metric_with(needs=("ref",)), "expected hyp and others of src and ref"),
        (metric_with(needs=("hyp", "audio")), "expected hyp and others of src and ref"),
        (metric_with(label="two words"), "a label without spaces"),
        (metric_with(fields=lambda self: {"dir": "x"}), "has the signature field 'dir', expected a short word"),
        (metric_with(__init__=lambda self, **options: 1 / 0), "cannot be made: ZeroDivisionError"),
    ],
)
def test_a_class_that_cannot_be_a_metric_is_refused(found: Any, told: str, add: Any) -> None:
    add("metrics", "ratio", found)
    with pytest.raises(PluginError, match=told):
        find("ratio")


def test_options_are_checked_and_read(add: Any) -> None:
    add("metrics", "ratio", metric_with(options={"power": (float, 1.0, ""), "fair": (bool, False, "")}))
    made: Any = find("ratio")
    assert {"power": 2.0, "fair": True} == made(options={"power": "2", "fair": "yes"}).own
    assert {} == made(options={"power": "1", "fair": "no"}).own
    with pytest.raises(OptionError, match=r"ratio has no option powr \(did you mean power\?\); it has power, fair"):
        made(options={"powr": "2"})
    with pytest.raises(OptionError, match=r"ratio\.power is 'much', expected float"):
        made(options={"power": "much"})


def test_scores_that_are_worth_keeping_are_kept(add: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRUEBLEU_SCORES", str(tmp_path / "scores"))
    asked: list[int] = []

    def count(self: Any, units: Sequence[Unit]) -> list[float]:
        asked.append(len(units))
        return Ratio.segment_scores(self, units)

    add("metrics", "ratio", metric_with(segment_scores=count, cacheable=True))
    made: Any = find("ratio")
    first = made().corpus_score(HYPS, [REFS]).score
    assert first == made().corpus_score([*HYPS, "x"], [[*REFS, "x"]]).score * 4 / 3 - 1 / 3
    assert [3, 1] == asked


# --- runners and tokenizers ----------------------------------------------------------------------


def test_a_spec_must_have_the_metric_of_its_entry_point(add: Any) -> None:
    from truebleu.runners.families import RUNNERS

    add("runners", "mine", RUNNERS["comet"])
    add("runners", "other", "no spec")
    with pytest.raises(PluginError, match=r"the runner mine of lab-tools 3 has the metrics comet, .* of the entry"):
        find("mine")
    with pytest.raises(PluginError, match="is 'no spec', and no RunnerSpec"):
        find("other")


def test_a_tokenizer_must_say_whose_it_is(add: Any) -> None:
    add("tokenizers", "tokens", Tokens)
    add("tokenizers", "letters", lambda: Tokens())
    add("tokenizers", "number", lambda: 3)
    assert "tokens-3" == BLEU(tokenize="tokens").tokenizer.signed
    with pytest.raises(PluginError, match="is signed 'tokens-3', expected a word with letters and 3"):
        BLEU(tokenize="letters")
    with pytest.raises(PluginError, match="the tokenizer number of lab-tools 3 is of type int"):
        BLEU(tokenize="number")


# --- the test for authors ------------------------------------------------------------------------


def test_a_good_metric_passes() -> None:
    check(Ratio)
    check(Ratio, power="2")


@pytest.mark.parametrize(
    ("members", "told"),
    [
        ({"higher_is_better": False}, "is better for other texts than for copies of the reference"),
        ({"segment_scores": lambda self, units: [at / 1000 for at, _ in enumerate(units)]}, "in another order"),
        ({"segment_scores": lambda self, units: [len(unit.hyp) * 1.0 for unit in units]}, "expected a finite number"),
        ({"segment_scores": lambda self, units: [1 / len(unit.hyp) for unit in units]}, "failed: ZeroDivisionError"),
    ],
)
def test_a_bad_one_does_not(members: dict[str, Any], told: str) -> None:
    with pytest.raises(PluginError, match=told):
        check(metric_with(**members))


def test_the_point_of_a_test_is_no_plug_in() -> None:
    point = PluginPoint("metrics", "ratio", "x", "1", Loaded(Ratio))
    assert "Ratio" == metric_of(point, "ratio").label
