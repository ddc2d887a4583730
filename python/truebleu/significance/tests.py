"""The significance tests: one function and one record of `TESTS` each.

`compare`, `PairedTest`, the command line and the reports read this table, and no other place names a test.

>>> [test.name for test in TESTS.values()]
['ar', 'bs', 'bs2', 'sign']
>>> TESTS["bs2"].title.format(1000)
'Two-sided paired bootstrap test with 1000 resampling trials'
"""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from truebleu.resample.bootstrap import DEFAULT_SAMPLES, bootstrap_p_value, two_sided_p_value
from truebleu.resample.randomization import DEFAULT_TRIALS, randomization_p_values

if TYPE_CHECKING:
    from truebleu.significance.experiment import Experiment


class Verdict(NamedTuple):
    """What a test says of one pair of systems under one metric.

    Parameters
    ----------
    p_value
        The p-value.
    signs
        The segments on which the system is better, worse and the same; only the sign test has them.
    z
        The statistic of these counts.
    identical
        Whether the systems have the same rows.
    """

    p_value: float
    signs: tuple[int, int, int] | None = None
    z: float | None = None
    identical: bool = False


class Test(NamedTuple):
    """A significance test.

    Parameters
    ----------
    name
        The name, which is also the key in signatures; the value there is the number of trials, or "exact" without any.
    title
        The name in words, with a place for the number of trials.
    default
        How many trials there are unless another number is asked for; 0 for a test that has none.
    verdicts
        The function that runs the test: it returns a list for each metric, with a verdict for each pair.
    explanation
        What the p-value is, in lines.
    resamples
        Whether the trials are resamples, from which means and intervals are taken as well.
    needs_equal_runs
        Whether all systems must have equally many runs.
    needs_segments
        Whether each system must have one run, and there can be no documents.
    """

    name: str
    title: str
    default: int
    verdicts: "Callable[[Experiment], list[list[Verdict]]]"
    explanation: tuple[str, ...]
    resamples: bool = False
    needs_equal_runs: bool = False
    needs_segments: bool = False


def _shuffles(experiment: "Experiment") -> list[list[Verdict]]:
    """Test all metrics at once: they share the coins."""
    flat, places = experiment.runs
    wanted = [(systems[a], systems[b]) for systems in places for a, b in experiment.pairs]
    p_values = iter(
        randomization_p_values(flat, wanted, experiment.samples, experiment.seed, threads=experiment.threads)
    )
    return [[Verdict(next(p_values)) for _ in experiment.pairs] for _ in places]


def _bootstrap(p_value: Callable[..., float], experiment: "Experiment") -> list[list[Verdict]]:
    return [
        [Verdict(p_value(scores[a], scores[b], table.gap(a, b))) for a, b in experiment.pairs]
        for table, scores in zip(experiment.tables, experiment.resamples, strict=True)
    ]


def _signs(experiment: "Experiment") -> list[list[Verdict]]:
    from truebleu.significance.sign import sign_test

    found = []
    for table in experiment.tables:
        signs = [sign_test(table.counted[a][0], table.counted[b][0], table.metric) for a, b in experiment.pairs]
        found.append([Verdict(sign.p_value, (sign.better, sign.worse, sign.same), sign.z) for sign in signs])
    return found


TESTS = {
    test.name: test
    for test in (
        Test(
            "ar",
            "Paired approximate randomization test with {} trials",
            DEFAULT_TRIALS,
            _shuffles,
            (
                "It shuffles the outputs of both systems segment by segment; p is how often chance then",
                "makes a difference larger than the real one.",
            ),
            needs_equal_runs=True,
        ),
        Test(
            "bs",
            "Paired bootstrap resampling test with {} resampling trials",
            DEFAULT_SAMPLES,
            partial(_bootstrap, bootstrap_p_value),
            (
                "It draws segments with replacement; p is how often the difference, centred on its mean,",
                "is larger than the real one.",
            ),
            resamples=True,
        ),
        Test(
            "bs2",
            "Two-sided paired bootstrap test with {} resampling trials",
            DEFAULT_SAMPLES,
            partial(_bootstrap, two_sided_p_value),
            (
                "It draws segments with replacement; p is how often the difference strays from its mean",
                "as far as the real one is from 0.",
            ),
            resamples=True,
        ),
        Test(
            "sign",
            "Segment replacement sign test",
            0,
            _signs,
            (
                "It puts the system's segments into the baseline, one at a time, and counts those that raise",
                "and lower its score; p is the chance of counts at least as uneven if both were equally likely.",
            ),
            needs_segments=True,
        ),
    )
}
