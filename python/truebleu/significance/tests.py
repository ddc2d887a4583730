"""The significance tests: one function and one record of `TESTS` each.

`compare`, `PairedTest`, the command line and the reports read this table, and no other place names a test.

>>> [test.name for test in TESTS.values()]
['ar', 'bs', 'bs2', 'sign']
>>> TESTS["bs2"].title.format(1000)
'Two-sided paired bootstrap test with 1000 resampling trials'
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from truebleu._records import NamedTuple
from truebleu._typing import TYPE_CHECKING

if TYPE_CHECKING:
    from truebleu.significance.experiment import Experiment


class Verdict(NamedTuple):
    """What a test says of one pair of systems under one metric."""

    p_value: float
    signs: tuple[int, int, int] | None = None
    z: float | None = None
    identical: bool = False
    ways: int = 0  # of swapping units, where all were tried
    with_ties: float | None = None  # the p-value that counts ties, where the other is sacreBLEU's

    def lead(self, delta: float, higher_is_better: bool | None) -> float:
        """Tell how far the system is ahead: by the number of segments, where the test counts them; 0 if none can be."""
        if higher_is_better is None:
            return 0
        if self.signs is not None:  # which need not go with the difference of the scores
            return self.signs[0] - self.signs[1]
        return delta if higher_is_better else -delta


class Test(NamedTuple):
    """A significance test."""

    name: str
    title: str
    default: int
    verdicts: Callable[[Experiment], list[list[Verdict]]]
    explanation: tuple[str, ...]
    resamples: bool = False
    needs_equal_runs: bool = False
    needs_one_run: bool = False
    is_ours: bool = False  # it may have more trials than its default, where they are quick
    counts_ties: bool = False
    needs_differing: bool = False  # enough units that differ
    has_bound: bool = False  # for p-values that are smaller than its trials can give
    exact_title: str = ""  # of a test that tried all ways of swapping


def _shuffles(experiment: Experiment) -> list[list[Verdict]]:
    """Test all metrics at once: they share the coins."""
    from truebleu.resample.randomization import randomize

    flat, places = experiment.runs
    wanted = [(systems[a], systems[b]) for systems in places for a, b in experiment.pairs]
    found = randomize(
        flat, wanted, experiment.samples, experiment.seed,
        threads=experiment.threads, like_sacrebleu=experiment.like_sacrebleu, least=experiment.least,
    )  # fmt: skip
    verdicts = iter(
        Verdict(p_value, ways=ways) if strict is None else Verdict(strict, with_ties=p_value)
        for p_value, ways, strict in found
    )
    return [[next(verdicts) for _ in experiment.pairs] for _ in places]


def _bootstrap(two_sided: bool, experiment: Experiment) -> list[list[Verdict]]:
    from truebleu.resample.bootstrap import bootstrap_p_value, two_sided_p_value

    p_value = two_sided_p_value if two_sided else bootstrap_p_value
    return [
        [Verdict(p_value(scores[a], scores[b], table.means[b] - table.means[a])) for a, b in experiment.pairs]
        for table, scores in zip(experiment.tables, experiment.resamples, strict=True)
    ]


def _signs(experiment: Experiment) -> list[list[Verdict]]:
    from truebleu.significance.sign import sign_test

    found = []
    for table in experiment.tables:
        signs = [sign_test(table.drawn[a][0], table.drawn[b][0], table.metric) for a, b in experiment.pairs]
        found.append([Verdict(sign.p_value, (sign.better, sign.worse, sign.same), sign.z) for sign in signs])
    return found


TESTS = {
    test.name: test
    for test in (
        Test(
            "ar",
            "Paired approximate randomization test with {} trials",
            10_000,
            _shuffles,
            (
                "It shuffles the outputs of both systems segment by segment; p is how often chance then",
                "makes a difference as large as the real one.",
            ),
            needs_equal_runs=True,
            is_ours=True,
            counts_ties=True,
            has_bound=True,
            exact_title="Exact paired randomization test",
        ),
        Test(
            "bs",
            "Paired bootstrap resampling test with {} resampling trials",
            1000,
            partial(_bootstrap, False),
            (
                "It draws segments with replacement; p is how often the difference, centred on its mean,",
                "is larger than the real one.",
            ),
            resamples=True,
        ),
        Test(
            "bs2",
            "Two-sided paired bootstrap test with {} resampling trials",
            1000,
            partial(_bootstrap, True),
            (
                "It draws segments with replacement; p is how often the difference strays from its mean",
                "as far as the real one is from 0.",
            ),
            resamples=True,
            is_ours=True,
            needs_differing=True,
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
            needs_one_run=True,
        ),
    )
}
