"""`Accumulator`: what comes in batches scores as if it had come at once."""

import itertools
import json
import multiprocessing
import operator
import pickle
import random
import threading
from functools import reduce
from typing import Any

import numpy as np
import pytest

import truebleu
from strategies import Generator, ter_cases_stay_short
from truebleu import BLEU, CHRF, GLEU, TER, Accumulator, columns, errors
from truebleu.metrics.ter import TERScore

METRICS = {
    "BLEU": lambda: BLEU(tokenize="intl", smooth_method="floor"),
    "BLEU with method5": lambda: BLEU(smooth_method="method5"),
    "CHRF": lambda: CHRF(word_order=2, lowercase=True),
    "GLEU": GLEU,
    "TER": TER,
}
Batch = tuple[list[str], list[list[str | None]]]


def batches(name: str) -> list[Batch]:
    return [
        (corpus.hypotheses, corpus.segments)
        for corpus in (ter_cases_stay_short(f"{name}/{at}").corpus() for at in range(random.Random(name).randint(1, 5)))
    ]


def whole(parts: list[Batch]) -> Batch:
    return [text for part, _ in parts for text in part], [texts for _, part in parts for texts in part]


def same(expected: Any, got: Any) -> None:
    assert (repr(expected.score), str(expected), str(expected.signature)) == (
        repr(got.score),
        str(got),
        str(got.signature),
    )


@pytest.mark.parametrize("name", METRICS)
def test_batches_score_as_the_whole(name: str, cases: int) -> None:
    metric = METRICS[name]()
    total = Accumulator(metric)
    for index in range(max(30, cases // 10)):
        parts = batches(f"accumulator/{name}/{index}")
        total.reset()
        for part in parts:
            same(metric.corpus_score(*part, layout="segments"), total(*part))
        everything = whole(parts)
        assert len(everything[0]) == len(total)
        same(metric.corpus_score(*everything, layout="segments"), total.compute())


def test_ters_lengths_are_added_in_the_order_of_segments() -> None:
    # A mean of three lengths is not whole: sums of sums would end in other digits.
    rng = random.Random(4)
    parts = [
        ([sentence(rng) for _ in range(7)], [[sentence(rng) for _ in range(3)] for _ in range(7)]) for _ in range(40)
    ]
    total = Accumulator(TER())
    for part in parts:
        total.update(*part)
    expected = TER().corpus_score(*whole(parts), layout="segments")
    assert expected.ref_length == total.compute().ref_length
    # Not sum(), which is compensated from Python 3.12 on.
    summed = reduce(operator.add, (TER().corpus_score(*part, layout="segments").ref_length for part in parts))
    assert expected.ref_length != summed
    assert expected.ref_length == pytest.approx(summed, rel=1e-14)


def sentence(rng: random.Random) -> str:
    return " ".join(rng.choice(("a", "boat", "lay", "by", "the", "quay")) for _ in range(rng.randint(1, 9)))


@pytest.mark.parametrize("name", ["BLEU", "CHRF", "GLEU"])
def test_merging_in_any_order_is_exact_for_counts(name: str) -> None:
    metric = METRICS[name]()
    parts = [part for index in range(5) for part in batches(f"merge/{index}")]
    accumulators = []
    for part in parts:
        accumulators.append(Accumulator(metric))
        accumulators[-1].update(*part)
    random.Random(1).shuffle(accumulators)
    total = Accumulator(metric)
    for other in accumulators:
        total.merge(other)
    same(metric.corpus_score(*whole(parts), layout="segments"), total.compute())


def test_merging_in_any_order_and_any_parts_is_exact_for_ter() -> None:
    rng = random.Random(4)
    texts = [sentence(rng) for _ in range(280)]
    references: Any = [[sentence(rng) for _ in range(rng.choice((1, 3, 5)))] for _ in range(280)]

    def merged(parts: int, as_state: bool) -> TERScore:
        cuts = [0, *sorted(rng.sample(range(1, 280), parts - 1)), 280]
        total, others = Accumulator(TER()), []
        for start, end in itertools.pairwise(cuts):
            others.append(Accumulator(TER()))
            others[-1].update(texts[start:end], references[start:end])
        rng.shuffle(others)
        while len(others) > 1:  # a tree, and not only one after the other
            others[0].merge(others.pop(rng.randrange(1, len(others))))
        total.merge(json.loads(json.dumps(others[0].state)) if as_state else others[0])
        return total.compute()

    table = {"mt": texts, "refs": references}
    exact: Any = columns.totals(table, TER(), hypothesis="mt", references="refs").score()["ter"]
    found = {(merged(parts, as_state).ref_length, parts) for parts in (1, 2, 7, 50) for as_state in (False, True)}
    assert {(exact.ref_length, parts) for parts in (1, 2, 7, 50)} == found
    # Sums of floats in the order of segments, which sacreBLEU has, end in other digits.
    assert exact.ref_length != TER().corpus_score(texts, references, layout="segments").ref_length
    same(exact, merged(3, False))


def test_so_many_references_that_their_mean_has_no_exact_part_are_added_as_they_are() -> None:
    part, total = Accumulator(TER()), Accumulator(TER())
    part.update(["a b c"], [["a b"] * 16 + ["a"]])
    assert part.state["exact"] is None
    total.merge(part)
    same(part.compute(), total.compute())
    part.update(["a b c"], [["a b"]])
    total.merge(json.loads(json.dumps(part.state)))
    assert 3 == len(total)


def test_exact_totals_that_are_not_those_of_the_state_are_refused() -> None:
    total = Accumulator(TER())
    total.update(["a b c"], [["a b", "a", "a b"]])
    assert 720_720 * 5 // 3 == total.state["exact"]["length"]
    for exact, error, message in (
        ({"length": 5}, errors.StatsMismatch, "two totals of length"),
        ({"edits": 5}, errors.StatsMismatch, r"exact totals of \['edits'\]"),
        ({"length": -1}, errors.TruebleuError, "exact"),
        ([1], errors.InputTypeError, "exact"),
    ):
        with pytest.raises(error, match=message):
            Accumulator(TER()).merge({**total.state, "exact": exact})


def test_what_was_merged_goes_its_own_way() -> None:
    one, two = Accumulator(BLEU()), Accumulator(BLEU())
    two.update(["a b c d"], ["a b c d"])
    one.merge(two)
    one.merge(one)
    two.reset()
    assert (2, 0) == (len(one), len(two))
    one.merge(two)
    assert 2 == len(one)
    assert "nrefs:1|" in str(one.compute().signature)


def test_a_state_is_plain_numbers_that_another_process_can_merge() -> None:
    metric = BLEU()
    total = Accumulator(metric)
    total.update(["a b c d"], [["a b c d", "a"]])
    total.update(["e f"], ["e f"])
    state = json.loads(json.dumps(total.state))
    assert {"segments": 2, "references": [1, 2]}.items() <= state.items()
    other = Accumulator(BLEU(smooth_method="none"))
    other.merge(state)
    same(
        BLEU(smooth_method="none").score(
            metric.stats(["a b c d", "e f"], [["a b c d", "a"], ["e f"]], layout="segments")
        ),
        other.compute(),
    )
    empty = Accumulator(metric)
    empty.merge(json.loads(json.dumps(Accumulator(metric).state)))
    assert 0 == len(empty)


def count_elsewhere(part: Batch) -> Accumulator[Any]:
    total = Accumulator(CHRF())
    total.update(*part)
    return total


# From Python 3.12 on, a fork beside threads of other packages (pytest-xdist's, here) is warned of. It is what is
# tested: training loops do it.
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_processes_count_and_one_adds() -> None:
    parts = batches("processes") + batches("more processes")
    total = Accumulator(CHRF())
    with multiprocessing.get_context("fork").Pool(2) as pool:
        for counted in pool.map(count_elsewhere, parts):
            total.merge(counted)
    same(CHRF().corpus_score(*whole(parts), layout="segments"), total.compute())


def test_threads_can_share_one() -> None:
    parts = [part for index in range(20) for part in batches(f"threads/{index}")]
    total, waiting = Accumulator(BLEU()), list(parts)

    def work() -> None:
        while waiting:
            try:
                part = waiting.pop()
            except IndexError:
                return
            total.update(*part)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    same(BLEU().corpus_score(*whole(parts), layout="segments"), total.compute())


@pytest.mark.interpreter
def test_pickles_carry_on_and_do_not_grow() -> None:
    total, sizes = Accumulator(TER(case_sensitive=True)), []
    for _ in range(3):
        total = pickle.loads(pickle.dumps(total))
        total.update(["a b c"] * 100, ["a b d"] * 100)
        sizes.append(len(pickle.dumps(total)))
    assert 300 == len(total)
    assert max(sizes) - min(sizes) < 10
    assert 33.33333333333333 == total.compute().score


def test_text_is_not_kept() -> None:
    total = Accumulator(BLEU())
    total.update(["a secret that nobody knows"], ["a secret that nobody knows"])
    assert b"secret" not in pickle.dumps(total)


def test_a_metric_with_options_of_score_only_can_take_over() -> None:
    one, two = Accumulator(BLEU(effective_order=True)), Accumulator(BLEU())
    one.update(["a b"], ["a b"])
    two.merge(one)
    assert (100.00000000000004, 0.0) == (one.compute().score, two.compute().score)


@pytest.mark.parametrize(
    ("preds", "target", "error", "message"),
    [
        (["a"], ["a", "b"], errors.LengthMismatch, "1 preds, and references for 2 segments in target"),
        (["a", "b", "c"], [["a", "b", "c"]], errors.LengthMismatch, "look transposed"),
        (["a", "b", "c"], [np.array(["a", "b", "c"])] * 2, errors.LengthMismatch, r"pass list\(zip\(\*target\)\)"),
        (["abc"] * 3, ["abc"], errors.LengthMismatch, "for each prediction$"),
        (["a"] * 3, [["a"] * 3, None], errors.LengthMismatch, "for each prediction$"),
        ("ab", ["a", "b"], errors.FormatMismatch, "preds is the plain string 'ab'"),
        (["a", "b"], "ab", errors.FormatMismatch, "target is the plain string 'ab'"),
        (["a", "b"], [["a"], "b"], errors.FormatMismatch, r"target\[1\] is a string"),
        (["a", "b"], [["a"], [3]], errors.FormatMismatch, r"target\[1\]\[0\] is of type int"),
        (["a", None], ["a", "b"], errors.FormatMismatch, r"preds\[1\] is None"),
        ([["a"]], [["a"]], errors.FormatMismatch, r"preds\[0\] is of type list"),
        ({"a"}, ["a"], errors.FormatMismatch, "preds is of type set"),
        ([], [], errors.NothingAdded, "empty"),
        (["a", "b"], [["a"], []], errors.SegmentWithoutReference, "segment 1"),
        (None, None, errors.FormatMismatch, "preds is None"),
    ],
)
@pytest.mark.parametrize("make", [BLEU, CHRF, GLEU, TER])
def test_bad_batches_are_refused_and_change_nothing(
    make: Any, preds: Any, target: Any, error: Any, message: str
) -> None:
    total = Accumulator(make())
    total.update(["a b c d e"], ["a b c d f"])
    before = total.state
    for call in (total.update, total):
        with pytest.raises(error, match=message):
            call(preds, target)
    assert before == total.state


def test_streams_are_scored_when_they_are_turned_as_the_message_says() -> None:
    preds = ["a b c d", "e f g h", "i j k l"]
    target = [["a b c e", "e f g h", "i j k"], ["a b c f", "e f", "i j k l"]]
    total = Accumulator(BLEU())
    with pytest.raises(errors.LengthMismatch, match=r"streams: pass list\(zip\(\*target\)\)$"):
        total.update(preds, target)
    total.update(preds, list(zip(*target, strict=True)))
    assert BLEU().corpus_score(preds, target).score == total.compute().score


def test_nothing_cannot_be_scored() -> None:
    total = Accumulator(BLEU())
    with pytest.raises(errors.NothingAdded, match="call update first"):
        total.compute()
    total.update(["a"], ["a"])
    total.reset()
    with pytest.raises(errors.NothingAdded):
        total.compute()


def test_what_was_counted_otherwise_cannot_be_merged() -> None:
    total = Accumulator(BLEU())
    for other, message in (
        (Accumulator(BLEU(lowercase=True)), "differs in lowercase: False and True"),
        (Accumulator(CHRF()), "differs in metric: 'BLEU' and 'CHRF'"),
        (Accumulator(BLEU(tokenize="char")), "differs in tokenizer"),
        (Accumulator(BLEU(max_ngram_order=2)), "differs in max_ngram_order"),
        ({**total.state, "totals": {"x": 1}}, r"has the columns \['x'\]"),
    ):
        with pytest.raises(errors.StatsMismatch, match=message):
            total.merge(other)
    for wrong in (None, 3, {}, {"totals": []}, BLEU()):
        with pytest.raises(errors.InputTypeError, match="expected an Accumulator or its state"):
            total.merge(wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("metric", [BLEU, 3, None])
def test_only_metrics_are_accumulated(metric: Any) -> None:
    with pytest.raises(errors.InputTypeError, match=r"expected a metric such as BLEU\(\)"):
        Accumulator(metric)


def test_the_generator_reaches_missing_references() -> None:
    assert any(None in texts for index in range(50) for texts in Generator(f"x/{index}").corpus().segments)
    assert truebleu.Accumulator is Accumulator
