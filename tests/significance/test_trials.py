"""The number of trials, and the smallest p-value that it allows."""

import logging
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truebleu.metrics import BLEU, CHRF
from truebleu.significance import Comparison, compare
from truebleu.significance.correction import CORRECTIONS
from truebleu.significance.defaults import MOST_TRIALS, TRIALS, enough_trials
from truebleu.significance.tests import TESTS
from truebleu.significance.trials import smallest_p_value

WORDS = [f"word{at}" for at in range(200)]


def twenty_systems(count: int = 20, segments: int = 150) -> tuple[dict[str, list[str]], list[list[str]]]:
    """Systems that get more and more words wrong."""
    drawn = random.Random(20)
    references = [[drawn.choice(WORDS) for _ in range(12)] for _ in range(segments)]

    def damaged(words: list[str], share: float) -> str:
        return " ".join(drawn.choice(WORDS) if drawn.random() < share else word for word in words)

    systems = {
        f"s{at:02}": [damaged(words, 0.04 * at if count < 25 else 0.02 * at) for words in references]
        for at in range(count)
    }
    return systems, [[" ".join(words) for words in references]]


def found(report: Comparison) -> int:
    return sum(pair.significant for pair in report.metrics[0].pairs)


def test_twenty_systems_differ_with_the_trials_that_compare_chooses_and_not_with_a_thousand(
    caplog: pytest.LogCaptureFixture,
) -> None:
    systems, references = twenty_systems()
    options = {"test": "bs2", "all_pairs": True, "correction": "holm", "checks": False}
    with caplog.at_level(logging.WARNING, logger="truebleu"):
        chosen = compare(systems, CHRF(), references, **options)  # type: ignore[arg-type]
        assert [] == caplog.messages
        few = compare(systems, [BLEU(), CHRF()], references, n_samples=1000, **options)  # type: ignore[arg-type]
    assert (190, TRIALS, 1000) == (len(chosen.metrics[0].pairs), chosen.n_samples, few.n_samples)
    assert 0 == found(few) and 140 < found(chosen)
    assert (190 / 20_001, 190 / 1001) == (chosen.smallest_p_value, few.smallest_p_value)
    assert chosen.smallest_p_value == min(pair.adjusted_p_value or 0 for pair in chosen.metrics[0].pairs)
    assert "bs2:20000" in str(chosen.metrics[0].signature)
    assert [
        "with 1000 trials the smallest p-value of 190 pairs, corrected after holm, is 0.1898, above the level 0.05: no "
        "difference can be significant; give 3800 trials or more"
    ] == caplog.messages


@given(
    st.sampled_from([name for name in TESTS if TESTS[name].default]),
    st.integers(1, 1000),
    st.floats(0.001, 0.5),
    st.sampled_from([None, *CORRECTIONS]),
)
def test_no_test_has_too_few_trials_unless_it_is_told_to(test: str, pairs: int, alpha: float, how: str | None) -> None:
    trials = enough_trials(TESTS[test].default, pairs, alpha)
    times = 5 if pairs <= 200 else 2
    assert trials >= TESTS[test].default and (trials >= times * pairs / alpha or trials == MOST_TRIALS)
    assert trials == TESTS[test].default or trials % 1000 == 0
    smallest = smallest_p_value(trials, pairs, how)
    assert smallest is not None and (smallest <= alpha / times or trials == MOST_TRIALS)


@given(st.integers(1, 200), st.integers(1, 40), st.sampled_from([None, *CORRECTIONS]), st.data())
def test_no_p_values_are_adjusted_to_less_than_the_smallest(
    trials: int, pairs: int, how: str | None, data: st.DataObject
) -> None:
    counts = data.draw(st.lists(st.integers(0, trials), min_size=pairs, max_size=pairs))
    p_values = [(count + 1) / (trials + 1) for count in counts]
    smallest = smallest_p_value(trials, pairs, how)
    assert smallest is not None
    assert smallest <= min(CORRECTIONS[how](p_values) if how else p_values)
    assert smallest == min(CORRECTIONS[how]([1 / (trials + 1)] * pairs) if how else [1 / (trials + 1)])


@pytest.mark.parametrize("alpha", [1e-9, 5e-324])
def test_a_tiny_level_does_not_fill_the_memory(alpha: float) -> None:
    assert MOST_TRIALS == enough_trials(1000, 190, alpha)


def test_a_low_level_needs_more_trials_of_one_pair_too() -> None:
    systems, references = twenty_systems(2, 80)
    report = compare(systems, CHRF(), references, test="bs2", alpha=0.0001)
    assert (50_000, 1 / 50_001) == (report.n_samples, report.smallest_p_value)
    assert report.to_dict()["smallest_p_value"] == report.smallest_p_value


def test_too_few_trials_of_one_pair_are_warned_of_once(caplog: pytest.LogCaptureFixture) -> None:
    systems, references = twenty_systems(2, 30)
    with caplog.at_level(logging.WARNING, logger="truebleu"):
        for _ in range(2):
            compare(systems, CHRF(), references, n_samples=13)
    assert [
        "with 13 trials the smallest p-value of 1 pair is 0.07143, above the level 0.05: no difference can be "
        "significant; give 20 trials or more"
    ] == caplog.messages


def test_the_sign_test_has_no_trials_and_no_smallest_p_value(caplog: pytest.LogCaptureFixture) -> None:
    systems, references = twenty_systems(3, 30)
    with caplog.at_level(logging.WARNING, logger="truebleu"):
        report = compare(systems, CHRF(), references, test="sign", all_pairs=True, correction="holm", alpha=1e-6)
    assert (0, None, []) == (report.n_samples, report.smallest_p_value, caplog.messages)
    assert "smallest" not in str(report)


def test_94_more_than_10_pairs_have_more_resamples_by_default() -> None:
    from sacrebleu import significance as theirs
    from sacrebleu.metrics.bleu import BLEU as TheirBLEU

    import truebleu.significance as ours

    systems, references = twenty_systems(27, 10)
    given = list(systems.items())
    assert 1000 == theirs.PairedTest(given, {"BLEU": TheirBLEU()}, references, "bs").n_samples
    assert 1000 == ours.PairedTest(given, {"BLEU": BLEU()}, references, "bs").n_samples
    assert 3000 == compare(systems, BLEU(), references, test="bs").n_samples
    assert 1000 == compare(given[:11], BLEU(), references, test="bs").n_samples
