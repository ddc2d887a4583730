"""Is predicted power what tests have, and do two one-sided tests keep their level? On real translations of documents.

python bench/power.py [--sets N]

Documents are drawn with replacement from a test set, whose own difference is then the true one. Power is predicted from
each drawn set and the true difference; found is how often the default test is significant. At a margin of exactly the
true difference, "equivalent" and "no worse" (or "no better") are false claims.
"""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

import numpy as np

from calibration import METRICS, SEED, Task, ask, load
from truebleu.significance.power import NO_BETTER, NO_WORSE, power_of

DOCUMENTS = (20, 40, 80)
APART = (0.3, 4.0)  # points: what is smaller is never found, and what is larger always


def measure(tasks: list[Task], sets: int) -> dict[str, Any]:
    """Predicted and found power by the number of documents, and false claims of equivalence."""
    rng, found = np.random.default_rng(SEED), {}
    for documents in DOCUMENTS:
        predicted: list[float] = []
        significant, false = list[bool](), list[bool]()
        while len(predicted) < sets:
            task = tasks[int(rng.integers(len(tasks)))]
            task = task.pick(*rng.choice(task.systems, 2, replace=False))
            truth = {key: (scores := task.scores(key))[1] - scores[0] for key in METRICS}
            if not all(APART[0] < abs(one) < APART[1] for one in truth.values()):
                continue
            drawn = task.drawn(rng, documents)
            for key, delta in truth.items():
                report = ask(drawn, True, margin=abs(delta))
                (pair,) = next(one for one in report.metrics if one.key == key).pairs
                predicted.append(power_of(delta, pair.standard_error or 0.0, 0.05, documents))
                significant.append(pair.significant)
                false.append(pair.equivalence in ("equivalent", NO_BETTER if delta > 0 else NO_WORSE))
        parts = np.digitize(predicted, (0.25, 0.5, 0.75))
        by_part = [np.mean(np.array(one)[parts == at]) for at in range(4) for one in (predicted, significant)]
        found[str(documents)] = {
            "tests": len(predicted),
            "predicted": round(float(np.mean(predicted)), 3),
            "found": round(float(np.mean(significant)), 3),
            "by quarter (predicted, found)": [round(float(one), 2) for one in by_part],
            "false claims at the margin": round(float(np.mean(false)), 3),
        }
    return found


def main() -> int:
    """Print the figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--sets", type=int, default=1000, help="drawn sets for each number of documents")
    print(json.dumps(measure([*load()], parser.parse_args().sets), indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
