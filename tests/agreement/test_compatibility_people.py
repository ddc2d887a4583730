"""The entries of COMPATIBILITY.md about mt-metrics-eval, as far as they show without it, and what people made of it."""

from itertools import permutations

import numpy as np
import pytest

from oracle import agreement as slow
from truebleu import agree
from truebleu.agreement.cells import grouped
from truebleu.agreement.ties import accuracy


def in_32_bits(people: np.ndarray, metric: np.ndarray) -> float:
    """Soft pairwise accuracy as sums in 32 bits give it, in the order of the rows."""
    signs = np.rint(np.random.default_rng(4).random((1000, people.shape[1]), dtype=np.float32)) * 2 - 1
    off = []
    for a in range(len(people)):
        for b in range(a + 1, len(people)):
            gaps = [(one[a] - one[b]).astype(np.float32) for one in (people, metric)]
            shares = [((signs * gap).sum(axis=1, dtype=np.float32) >= gap.sum(dtype=np.float32)).mean() for gap in gaps]
            off.append(abs(shares[0] - shares[1]))
    return float(1 - np.mean(off))


def test_224_soft_pairwise_accuracy_does_not_depend_on_the_order_of_systems() -> None:
    generator = np.random.default_rng(3)
    people = np.round(generator.normal(size=(4, 60)) * 2).clip(-5, 0)
    metric = people + np.round(generator.normal(size=people.shape), 1)
    theirs, ours = set(), set()
    for order in permutations(range(4)):
        theirs.add(in_32_bits(people[list(order)], metric[list(order)]))
        tables = [{f"s{at}": one[at].tolist() for at in order} for one in (people, metric)]
        found = agree({"MQM": tables[0]}, {"COMET": tables[1]}, statistics=["spa"], unit="segment")
        ours.add(found["COMET"]["spa"])
    assert 1 == len(ours) < len(theirs)
    assert max(theirs) - min(theirs) < 0.05 and min(abs(one - next(iter(ours))) for one in theirs) < 0.01


def test_225_of_equally_good_tolerances_the_smallest_is_taken() -> None:
    people, metric = [[0.0], [0.0], [1.0], [1.0]], [[0.1], [0.2], [0.9], [1.1]]
    # At 0.1 one tie of people is met, at 0.2 both, and up to 0.7 nothing changes.
    found = accuracy(grouped(np.array(people), np.array(metric), "item"))
    assert (slow.best(people, metric, "item")[0], 1.0) == (found.epsilon, found.value)
    assert 0.2 < 0.69 and slow.accuracy(people, metric, "item", 0.69) == 1


def test_226_the_test_between_metrics_swaps_documents(caplog: pytest.LogCaptureFixture) -> None:
    """Two metrics like other documents, by chance: that makes pairs of translations sure, and documents not."""
    documents, claims = [at // 10 for at in range(80)], {"ar": 0, "mtme-pairs": 0}
    for seed in range(30):
        generator = np.random.default_rng(seed)
        people = generator.normal(size=(8, 80))
        liked = generator.choice([1.0, 4.0], (8, 1))
        noise = generator.normal(size=(2, 8, 80)) * np.stack([liked, 5 - liked]).repeat(10, axis=1).reshape(2, 1, 80)
        systems = {
            f"COMET{name}": {f"s{at}": row.tolist() for at, row in enumerate(people + one)}
            for name, one in enumerate(noise)
        }
        gold = {"DA": {f"s{at}": row.tolist() for at, row in enumerate(people)}}
        for test in claims:
            found = agree(gold, systems, statistics=["acc_eq"], documents=documents, test=test)
            claims[test] += found.pairs[0].significant
    assert claims["ar"] <= 5 and claims["mtme-pairs"] >= 10
    assert "44 to 49 %" in caplog.text
