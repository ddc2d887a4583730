"""How often a test calls two equal systems different that a judge has judged several times; the level is 5 %.

    python bench/calibration_judges.py              # writes bench/calibration_judges.json

Two systems are equally good on 200 segments, and a judge gives each output R marks, one in each pass over all texts.
A mark is the quality of the output, a shift that all systems share in a pass, a shift of this system in this pass, and
noise of its own. Segments are drawn (`means`: the rows are means over passes), or segments and passes together
(`joint`: the same passes for both systems).

- `means` must call 4 to 6 of 100 pairs different wherever no pass prefers a system: those p-values are shown.
- `joint` counts the noise of marks twice, once by segments and once by passes.
- Where a pass prefers a system, neither is right, as R passes show little of what another pass would do. With several
  passes this can be seen, and is told (`told`: the share of all pairs, of which the first setting shows false alarms;
  `untold`: the share of pairs that are called different without that note).
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import numpy as np

from truebleu import compare
from truebleu.metrics.external import ExternalMetric
from truebleu.runners.judging.noise import disagreement, noise_of

OUT = Path(__file__).with_name("calibration_judges.json")
SEGMENTS, TRIALS, RESAMPLES, LEVEL = 200, 399, 399, 0.05
QUALITY = 8.0  # standard deviation of what an output of one system has and that of the other has not
SHARED = 3.0  # of the shift of a pass that all systems share
NOISE = {"little": 4.0, "much": 16.0}
OWN = {"none": 0.0, "some": 1.0}  # of the shift that one system has in a pass


def marks(generator: np.random.Generator, passes: int, noise: float, own: float) -> np.ndarray:
    """The marks of two systems: systems by passes by segments."""
    quality = generator.normal(70, 12, SEGMENTS) + generator.normal(0, QUALITY, (2, 1, SEGMENTS))
    shift = generator.normal(0, SHARED, (1, passes, 1)) + generator.normal(0, own, (2, passes, 1))
    return quality + shift + generator.normal(0, noise, (2, passes, SEGMENTS))


def p_of_means(found: np.ndarray, seed: int) -> float:
    """The p-value of the shipped test on means over passes."""
    rows = {name: one.mean(axis=0).tolist() for name, one in zip("ab", found, strict=True)}
    result = compare(rows, ExternalMetric("ESA"), n_samples=TRIALS, seed=seed, n_confidence=1)
    return float(result.metrics[0].pairs[0].p_value)


def p_of_joint(found: np.ndarray, generator: np.random.Generator) -> float:
    """The p-value of a bootstrap that draws segments, and passes for both systems together."""
    differences = found[1] - found[0]
    passes = len(differences)
    weights = generator.multinomial(SEGMENTS, np.full(SEGMENTS, 1 / SEGMENTS), RESAMPLES) / SEGMENTS
    of_passes = generator.multinomial(passes, np.full(passes, 1 / passes), RESAMPLES) / passes
    drawn = np.einsum("rs,ps,rp->r", weights, differences, of_passes)
    delta = differences.mean()
    return float((1 + (abs(drawn - delta) >= abs(delta)).sum()) / (1 + RESAMPLES))


def is_told(found: np.ndarray) -> bool:
    """Whether it is said that passes prefer different systems."""
    noises = [noise_of(system.T.tolist()) for system in found]
    return disagreement([one._asdict() for one in noises if one is not None]) is not None


def measured(pairs: int) -> dict[str, dict[str, float]]:
    """The share of pairs that are called different, in each setting."""
    found = {}
    for passes in (1, 3):
        for noise, size in NOISE.items():
            for own, shift in OWN.items():
                generator = np.random.default_rng([passes, int(size), int(10 * shift)])
                several = [marks(generator, passes, size, shift) for _ in range(pairs)]
                means = [p_of_means(one, at) <= LEVEL for at, one in enumerate(several)]
                joint = [p_of_joint(one, generator) <= LEVEL for one in several]
                told = [is_told(one) for one in several]
                untold = [called and not said for called, said in zip(means, told, strict=True)]
                kinds = {"means": means, "joint": joint, "told": told, "untold": untold}
                shares = {kind: float(np.mean(values)) for kind, values in kinds.items()}
                found[f"{passes} passes, {noise} noise, {own} preference"] = shares
                print(f"{passes} passes, {noise} noise, {own} preference: {shares}", file=sys.stderr)
    return found


def main() -> int:
    """Measure, and hold that means keep the level where no pass prefers a system."""
    parser = argparse.ArgumentParser(description="false claims of tests on marks of a judge")
    parser.add_argument("--pairs", type=int, default=2000, help="of equal systems, in each setting (default: 2000)")
    given = parser.parse_args()
    found = measured(given.pairs)
    fair = [one["means"] for name, one in found.items() if name.endswith("none preference")]
    OUT.write_text(json.dumps({"pairs": given.pairs, "segments": SEGMENTS, "called": found}, indent=1) + "\n", "utf-8")
    is_kept = all(0.04 <= share <= 0.06 for share in fair)
    print(f"means over passes, no preference: {min(fair):.1%} to {max(fair):.1%} of equal pairs; 4 to 6 % expected")
    return 0 if is_kept else 1


if __name__ == "__main__":
    raise SystemExit(main())
