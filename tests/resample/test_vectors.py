"""sacreBLEU's figures for six segments, as numbers: scores and p-values exactly, means and intervals to 1e-5.

sacreBLEU's resampled sums are 32-bit floats and ours are exact, so its means are off by some 1e-7 of their size.
"""

import sys
from typing import Any

import pytest

from truebleu.metrics import BLEU, CHRF, TER
from truebleu.resample.bootstrap import resampled_scores
from truebleu.resample.seed import Seed
from truebleu.significance import PairedTest

pytestmark = pytest.mark.interpreter

TOLERANCE = 1e-5

REFERENCE = [
    "The ferry leaves at nine o'clock.",
    "Nobody told us about the storm.",
    "Our luggage was still on the train.",
    "Please keep your ticket until the end of the trip.",
    "We found a small hotel near the harbour.",
    "Breakfast is included.",
]
REFERENCE_2 = [
    "The ferry departs at nine.",
    "No one warned us of the storm.",
    "The train still had our luggage.",
    "Hold on to your ticket until the journey ends.",
    "We found a little hotel close to the port.",
    "The price includes breakfast.",
]
SYSTEMS = {
    "base": [
        "The ferry goes at nine o'clock.",
        "Nobody told us of a storm.",
        "On the train was still our luggage.",
        "Please keep your ticket to the end of the journey.",
        "We have found a small hotel near the port.",
        "Breakfast is included.",
    ],
    "sysA": [
        "The ferry leaves at nine.",
        "Nobody told us about the storm.",
        "Our luggage was still in the train.",
        "Please keep your ticket until the end of the trip.",
        "We found a small hotel by the harbour.",
        "Breakfast is included.",
    ],
    "sysB": [
        "Ferry leaving at 9.",
        "Nobody said about storm.",
        "The luggage stayed in the train.",
        "Keep the ticket please until the trip ends.",
        "Near the harbour we found a small hotel.",
        "Breakfast included.",
    ],
}
ONE, TWO = [REFERENCE], [REFERENCE, REFERENCE_2]

INTERVALS = [
    ("12345", ONE, "BLEU", 44.90567894339321, 44.334039727989705, 16.055291362096135,
     (45.47912504692648, 47.7091573435661, 42.065903041487154)),
    ("12345", ONE, "chrF2", 73.81513052446975, 73.8551025390625, 7.406864166259766,
     (67.98450469970703, 76.5535888671875, 66.09542083740234)),
    ("12345", ONE, "chrF2++", 72.80211366681846, 72.84808349609375, 7.083183288574219,
     (68.1010513305664, 75.22989654541016, 66.44427490234375)),
    ("12345", ONE, "TER", 27.500000000000004, 27.495811462402344, 12.768815994262695,
     (28.571430206298828, 27.02702522277832, 26.086956024169922)),
    ("12345", TWO, "BLEU", 50.865931129438536, 50.1292106668706, 15.231949026236816,
     (53.42198995529349, 54.25539068290613, 47.44337836846992)),
    ("12345", TWO, "TER", 25.0, 24.981124877929688, 9.330358505249023,
     (26.666667938232422, 23.68421173095703, 25.53191566467285)),
    ("7", ONE, "BLEU", 44.90567894339321, 44.50227482334034, 15.300778057982857,
     (56.99222081028744, 42.25732106311567, 50.073367947977275)),
    ("7", ONE, "chrF2", 73.81513052446975, 73.97843170166016, 7.9276885986328125,
     (77.44954681396484, 72.97510528564453, 77.62400817871094)),
    ("7", ONE, "TER", 27.500000000000004, 27.60015869140625, 11.666666030883789,
     (19.047618865966797, 23.33333396911621, 26.3157901763916)),
]  # fmt: skip

BOOTSTRAP = [
    ("12345", "BLEU", "base", 44.90567894339321, None, 44.3340397279897, 16.055291362096135),
    ("12345", "BLEU", "sysA", 79.54421709991406, 0.000999000999000999, 79.35163462872553, 17.783163626253895),
    ("12345", "BLEU", "sysB", 15.183049355368432, 0.000999000999000999, 14.987517804069048, 10.459683768847002),
    ("12345", "chrF2", "base", 73.81513052446975, None, 73.85511016845703, 7.406864166259766),
    ("12345", "chrF2", "sysA", 89.80394447315498, 0.003996003996003996, 89.88903045654297, 8.538707733154297),
    ("12345", "chrF2", "sysB", 54.27705291540558, 0.002997002997002997, 54.00263214111328, 14.60352897644043),
    ("12345", "chrF2++", "sysA", 89.77013698073918, 0.001998001998001998, 89.8521957397461, 8.16769027709961),
    ("12345", "TER", "base", 27.500000000000004, None, 27.495811462402344, 12.768815994262695),
    ("12345", "TER", "sysA", 10.0, 0.002997002997002997, 10.016788482666016, 9.192581176757812),
    ("12345", "TER", "sysB", 55.00000000000001, 0.000999000999000999, 54.839393615722656, 5.806453704833984),
    ("7", "BLEU", "sysB", 15.183049355368432, 0.001998001998001998, 15.53196853262928, 10.848143787883831),
    ("7", "chrF2", "sysA", 89.80394447315498, 0.006993006993006993, 89.729248046875, 8.538707733154297),
    ("7", "TER", "sysA", 10.0, 0.003996003996003996, 10.023157119750977, 8.913043975830078),
]

RANDOMIZATION = [
    ("12345", "BLEU", 0.05929407059294071, 0.032596740325967405, 79.61262881112245, 19.25984309149826),
    ("12345", "chrF2", 0.05799420057994201, 0.029897010298970104, 89.96096801757812, 9.538738250732422),
    ("12345", "chrF2++", 0.05799420057994201, 0.029897010298970104, 89.93292236328125, 9.363906860351562),
    ("12345", "TER", 0.05799420057994201, 9.999000099990002e-05, 9.89147663116455, 10.0),
    ("7", "BLEU", 0.06479352064793521, 0.028597140285971403, 79.08411540724596, 17.967335475744203),
    ("7", "chrF2", 0.06079392060793921, 0.031296870312968704, 89.8316879272461, 8.48895263671875),
    ("7", "TER", 0.06079392060793921, 9.999000099990002e-05, 10.002910614013672, 8.93617057800293),
]


# From Python 3.12 on, sum() is compensated, and sacreBLEU 2.6.0 gives these two BLEU scores with other last bits.
COMPENSATED = {15.183049355368432: 15.18304935536844, 50.865931129438536: 50.86593112943856}


def here(score: float) -> float:
    """sacreBLEU's score on this interpreter."""
    return COMPENSATED.get(score, score) if sys.version_info >= (3, 12) else score


def metrics() -> dict[str, Any]:
    return {"BLEU": BLEU(), "chrF2": CHRF(), "chrF2++": CHRF(word_order=2), "TER": TER()}


def near(expected: float) -> Any:
    return pytest.approx(expected, rel=TOLERANCE, abs=TOLERANCE)


@pytest.mark.parametrize(("seed", "references", "name", "score", "mean", "half_width", "first"), INTERVALS)
def test_single_scores_have_sacrebleus_intervals(
    seed: str,
    references: list[list[str | None]],
    name: str,
    score: float,
    mean: float,
    half_width: float,
    first: tuple[float, ...],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SACREBLEU_SEED", seed)
    metric = metrics()[name]
    found = metric.corpus_score(SYSTEMS["base"], references, n_bootstrap=1000)
    assert (here(score), near(mean), near(half_width)) == (
        found.score,
        found.confidence.mean,
        found.confidence.half_width,
    )
    rows = metric.stats(SYSTEMS["base"], references).rows
    (resampled,) = resampled_scores([(metric.engine, rows)], 3, Seed.of(seed))
    assert list(map(near, first)) == resampled.tolist()


@pytest.mark.parametrize("seed", ["12345", "7"])
def test_paired_bootstrap(seed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SACREBLEU_SEED", seed)
    _, scores = PairedTest(list(SYSTEMS.items()), metrics(), ONE, "bs")()
    for _, name, system, score, p_value, mean, half_width in (row for row in BOOTSTRAP if row[0] == seed):
        found: Any = scores[name][list(SYSTEMS).index(system)]
        assert (here(score), p_value) == (found.score, found.p_value), (name, system)
        assert (near(mean), near(half_width)) == (found.mean, found.ci), (name, system)


@pytest.mark.parametrize("seed", ["12345", "7"])
def test_approximate_randomization(seed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SACREBLEU_SEED", seed)
    _, plain = PairedTest(list(SYSTEMS.items()), metrics(), ONE)()
    signatures, scores = PairedTest(list(SYSTEMS.items()), metrics(), ONE, n_ar_confidence=0)()
    assert f"nrefs:1|bs:1000|ar:10000|seed:{seed}|case:mixed" in str(signatures["BLEU"])
    for _, name, p_a, p_b, mean, half_width in (row for row in RANDOMIZATION if row[0] == seed):
        base, a, b = (found for found in scores[name] if not isinstance(found, str))
        assert (None, p_a, p_b) == (base.p_value, a.p_value, b.p_value), name
        assert (near(mean), near(half_width)) == (a.mean, a.ci), name
        assert [None, p_a, p_b] == [found.p_value for found in plain[name] if not isinstance(found, str)]
        assert all(found.mean is None for found in plain[name] if not isinstance(found, str))


def test_the_baseline_beside_shuffles_has_the_bootstraps_interval() -> None:
    _, beside = PairedTest(list(SYSTEMS.items()), metrics(), ONE, n_ar_confidence=1000)()
    _, alone = PairedTest(list(SYSTEMS.items()), metrics(), ONE, "bs", 1000)()
    for name in metrics():
        one, other = beside[name][0], alone[name][0]
        assert not isinstance(one, str) and not isinstance(other, str)
        assert (other.mean, other.ci) == (one.mean, one.ci)
