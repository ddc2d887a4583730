"""What all learned metrics share, with a scorer inside this process whose scores are functions of the texts."""

import re
import zlib
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any, ClassVar

import pytest
from tests.metrics.signed import drawn, signed

from truebleu import BLEU, Study, compare
from truebleu.errors import LengthMismatch, MissingReferences, OptionError, TruebleuError, UndecodableText
from truebleu.metrics.neural import Fact, LearnedMetric, Told
from truebleu.metrics.published import parse_signature
from truebleu.runners.protocol import Result, Unit

HYPOTHESES = [f"text {at}" for at in range(60)]
OTHERS = [f"other {at}" for at in range(60)]
REFERENCES = [[f"reference {at}" for at in range(60)]]
SOURCES = [f"Quelle {at}" for at in range(60)]


def value_of(unit: Unit) -> float:
    return zlib.crc32(repr(unit).encode()) / 2**32


class Scorer:
    """Remembers how often it was asked, and for what."""

    asked: ClassVar[list[int]] = []

    def results(self, units: Sequence[Unit], place: Callable[[Unit], str], told: Told | None = None) -> list[Result]:
        self.asked.append(len(units))
        return [self._result(unit) for unit in units]

    def _result(self, unit: Unit) -> Result:
        if unit.hyp == "nothing":
            return Result(None, why="no answer")
        return Result(value_of(unit), cut=3 if "long" in unit.hyp else 0)


class Toy(LearnedMetric):
    name, label, texts = "TOY", "COMET", ("src", "hyp", "ref")
    fields = (*LearnedMetric.fields, Fact("model", "md"), Fact("w", "w"))

    def _scorer(self) -> Scorer:
        return Scorer()

    def facts(self) -> Mapping[str, str]:
        return {"model": "org/toy", "w": "abc"}


class Penalty(Toy):
    name, label, texts = "PENALTY", "MetricX-QE", ("src", "hyp")


def test_235_the_score_is_the_mean_of_the_scores_of_segments() -> None:
    expected = [value_of(Unit(src, hyp, ref)) for src, hyp, ref in zip(SOURCES, HYPOTHESES, REFERENCES[0], strict=True)]
    assert expected == Toy().sentence_scores(HYPOTHESES, REFERENCES, sources=SOURCES).tolist()
    found = Toy().corpus_score(HYPOTHESES, REFERENCES, sources=SOURCES)
    assert sum(expected) / 60 == pytest.approx(found.score, abs=1e-15)
    assert str(found.signature).startswith("nrefs:1|in:src+ref|model:org/toy|w:abc|cut:0|version:")
    assert f"COMET = {found.score:.4f}" == str(found) == repr(found)
    assert re.search(r"= \d+\.\d\d$", str(Penalty().corpus_score(HYPOTHESES, sources=SOURCES)))


def test_directions_and_ranges_are_those_of_known_metrics() -> None:
    assert (True, (-0.5, 1.5)) == (Toy.higher_is_better, Toy().bounds)
    assert (False, (0.0, 25.0)) == (Penalty.higher_is_better, Penalty().bounds)


def test_233_cut_segments_are_told() -> None:
    found = Toy().corpus_score(["a", "long"], [["x", "y"]], sources=["s", "t"])
    assert "|cut:1|" in str(found.signature) and found.neural["cut"] == [2]


def test_a_metric_without_references_takes_none_and_leaves_those_aside_that_are_there() -> None:
    alone = Penalty().corpus_score(HYPOTHESES, sources=SOURCES)
    assert alone.score == Penalty().corpus_score(HYPOTHESES, REFERENCES, sources=SOURCES).score
    assert "nrefs" not in str(alone.signature) and "|dir:low|" in str(alone.signature)


def test_white_space_at_the_ends_is_no_part_of_a_text() -> None:
    plain = Toy().corpus_score(["a"], [["b"]], sources=["c"])
    assert plain.score == Toy().corpus_score([" a\t"], [["b "]], sources=[" c"]).score
    kept = Toy(keep_edges=True).corpus_score([" a\t"], [["b "]], sources=[" c"])
    assert plain.score != kept.score and "|edge:keep|" in str(kept.signature)


@pytest.mark.parametrize(("rule", "of"), [("mean", lambda a, b: (a + b) / 2), ("max", max), ("first", lambda a, _: a)])
def test_234_several_references(rule: str, of: Callable[[float, float], float]) -> None:
    parts = [value_of(Unit("s", "h", reference)) for reference in ("a", "b")]
    found = Toy(rule).corpus_score(["h"], [["a"], ["b"]], sources=["s"])
    assert of(*parts) == found.score and f"|mref:{rule}|" in str(found.signature)


def test_an_empty_output_can_have_the_worst_score() -> None:
    assert Penalty(empty_hyp="worst").corpus_score([" "], sources=["s"]).score == 25.0
    assert Toy(empty_hyp="worst").corpus_score([""], [["r"]], sources=["s"]).score == 0.0


def test_segments_without_a_score_are_missing_and_not_zero() -> None:
    found = Toy().stats(["a", "nothing"], [["x", "y"]], sources=["s", "t"])
    assert [0.0, 0.0] == found.rows[1].tolist() and found.results[1].why == "no answer"


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda: Toy().corpus_score(["a"], [["b"]]), MissingReferences, "needs what was translated: --src"),
        (lambda: Toy().corpus_score(["a"], [["b"]], sources=["s", "t"]), LengthMismatch, "sources has 2 texts"),
        (lambda: Toy().corpus_score(["a"], sources=["s"]), MissingReferences, "cometkiwi"),
        (lambda: Toy().corpus_score(["a", "b"], [["c", None]], sources=["s", "t"]), TruebleuError, "reference"),
        (lambda: Toy().corpus_score(["a"], [["b"], ["c"]], sources=["s"]), OptionError, "--multi-ref"),
        (lambda: Toy().corpus_score(["x\ud800"], [["b"]], sources=["s"]), UndecodableText, r"character 2: .*U\+D800"),
        (lambda: Toy().corpus_score(["a"], [["b"]], sources=["s"], level="all"), OptionError, "level"),
        (lambda: Toy().pairwise(["a"], ["b"]), OptionError, "block by block"),
        (lambda: Toy().mbr(["a", "b"]), OptionError, "block by block"),
        (lambda: Toy("best"), OptionError, "multi_ref"),
    ],
)
def test_232_what_cannot_be_scored_is_refused(
    call: Callable[[], object], kind: type[TruebleuError], message: str
) -> None:  # fmt: skip
    with pytest.raises(kind, match=message):
        call()


def test_all_systems_are_asked_for_at_once() -> None:
    Scorer.asked.clear()
    found = compare(
        {"a": HYPOTHESES, "b": OTHERS}, [BLEU(), Toy()], REFERENCES, sources=SOURCES, all_pairs=True, checks=False
    )
    assert [120, 60, 60] == Scorer.asked
    assert ["BLEU", "COMET"] == [metric.name for metric in found.metrics]


def test_a_study_without_references() -> None:
    study = Study({"a": HYPOTHESES, "b": OTHERS}, metrics=[Penalty()], sources=SOURCES, checks=False)
    assert study.ranking("PENALTY")[0] == min(study.scores["PENALTY"].items(), key=lambda one: one[1].score)[0]


def test_string_metrics_leave_sources_aside() -> None:
    found = BLEU().corpus_score(HYPOTHESES, REFERENCES, sources=SOURCES)
    assert str(found) == str(BLEU().corpus_score(HYPOTHESES, REFERENCES))


@pytest.mark.parametrize("seed", range(100))
def test_a_signature_gives_the_same_request_by_like(seed: int) -> None:
    metric, asked = drawn(Random(seed))
    line = signed(metric)
    again: Any = parse_signature(line).make()
    assert type(metric) is type(again)
    assert asked == {name: getattr(again, name) for name in asked}
    assert metric.facts() == again.facts() and metric.fingerprint() == again.fingerprint()
    assert line == signed(again)
