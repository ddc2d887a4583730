"""What grows with the size of a job, as ratios within one run: long segments, many systems, many segments.

python bench/scale.py            print the table; some minutes
python bench/scale.py --check    exit 1 where a bar is missed

Times are those of the processor, one thread, the best of three; a bar is a ratio of two of them, or of a peak of memory
to the size of what was given. Answers are compared before anything is timed.
"""

from __future__ import annotations

import argparse
import csv
import random
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from truebleu._textio import parse_records
from truebleu.columns import totals
from truebleu.diversity import self_bleu
from truebleu.metrics import BLEU, CER, CHRF, TER, EditSimilarity
from truebleu.resample.interval import percentile_interval
from truebleu.significance import compare

VOCABULARY = 3000


class Bar(NamedTuple):
    """A ratio, and the most that it may be."""

    name: str
    found: float
    most: float


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure how costs grow.")
    parser.add_argument("--check", action="store_true", help="exit 1 where a bar is missed")
    arguments = parser.parse_args()
    bars = measured()
    print("| what | at most | measured |\n| --- | ---: | ---: |")
    for bar in bars:
        print(f"| {bar.name} | {bar.most:g} | {bar.found:.2f}{'' if bar.found <= bar.most else ' **too much**'} |")
    return int(arguments.check and any(bar.found > bar.most for bar in bars))


def measured() -> list[Bar]:
    """Measure everything that has a bar."""
    texts = [*_long_segments(), _interval(), *_all_pairs(), _self_chrf()]
    # A process inherits the peak of the one that starts it, so wide tables, which take much memory here, come last.
    return [*texts, *_many_systems(), _many_segments(), _wide_csv(), _wide_arrow()]


def _long_segments() -> list[Bar]:
    """A text with one word in fifty replaced against an unrelated one, of 20,000 words."""
    reference, other = _text(20_000, 1), _text(20_000, 2)
    r = random.Random(3)
    near = " ".join(r.choice(reference.split()) if r.random() < 0.02 else word for word in reference.split())
    assert EditSimilarity().sentence_score(reference, [reference]).score == 100
    bars = []
    metrics: dict[str, Any] = {"CER": CER(), "EditSim": EditSimilarity(), "indel": EditSimilarity(weights="indel")}
    for name, metric in metrics.items():
        times = [_seconds(partial(metric.corpus_score, [text], [[reference]])) for text in (near, other)]
        title = f"{name} of 20,000 words: 2 % of them changed, in times of an unrelated text"
        bars.append(Bar(title, times[0] / times[1], 0.25))
    return bars


def _interval() -> Bar:
    scores = np.random.default_rng(1).standard_normal(71_000)
    ranked = np.sort(scores)
    assert (ranked[1775], ranked[-1776]) == percentile_interval(scores)
    works: tuple[Callable[[Any], Any], ...] = (percentile_interval, np.sort)
    times = [_seconds(partial(_often, work, scores)) for work in works]
    return Bar("the interval of 71,000 scores, in times of sorting them", times[0] / times[1], 0.5)


def _all_pairs() -> list[Bar]:
    """The default test of 20 systems with 20,000 shuffles. Without ties counted it took 0.97 times as long."""
    r = random.Random(7)
    words = _text(VOCABULARY, 7).split()
    reference = [" ".join(r.choices(words, k=r.randint(8, 30))) for _ in range(3000)]
    systems = {f"system {at}": _damaged(reference, words, 0.2 + 0.01 * at, r) for at in range(20)}
    metrics: dict[str, Any] = {"BLEU": BLEU(), "chrF": CHRF(), "TER": TER()}

    def count() -> dict[str, dict[str, Any]]:
        rows = {name: metric.stats for name, metric in metrics.items()}
        return {
            name: {key: each(texts, [reference], threads=1) for key, each in rows.items()}
            for name, texts in systems.items()
        }

    counted, bars = count(), []
    asked: dict[str, Any] = {"all_pairs": True, "n_samples": 20_000, "seed": 1, "threads": 1}
    counting = _seconds(count)
    for unit, labels, most in (("segments", None, 13.5), ("documents", [at // 15 for at in range(3000)], 6.0)):
        seconds = _seconds(partial(compare, counted, metrics, documents=labels, **asked))
        title = f"all pairs of 20 systems with 3,000 segments by {unit}, BLEU, chrF and TER, in times of counting them"
        bars.append(Bar(title, seconds / counting, most))
    return bars


def _self_chrf() -> Bar:
    """Every pair is looked at; what was saved is the score of those that cannot be the best."""
    texts = [_text(20, at) for at in range(3000)]
    chrf = CHRF()
    expected = [
        max(row[:at].tolist() + row[at + 1 :].tolist()) for at, row in enumerate(chrf.pairwise(texts[:50], texts[:50]))
    ]
    assert expected == self_bleu(texts[:50], chrf).scores.tolist()
    times = [_seconds(partial(work, texts)) for work in (partial(_self_bleu, chrf), partial(_pairwise, chrf))]
    return Bar("self-BLEU with chrF of 3,000 texts, in times of the whole matrix", times[0] / times[1], 0.6)


def _self_bleu(metric: Any, texts: list[str]) -> None:
    self_bleu(texts, metric, threads=1)


def _pairwise(metric: Any, texts: list[str]) -> None:
    metric.pairwise(texts, texts, threads=1)


def _wide_csv() -> Bar:
    """A file with a hundred thousand columns, beside Python's own reader, which only splits it."""
    header, cells = ",".join(f"c{at}" for at in range(100_000)), ",".join(["x"] * 100_000)
    assert parse_records(f"{header}\n{cells}\n", "csv", "x.csv").texts("c7") == ["x"]
    ours = partial(parse_records, f"{header}\n{cells}\n", "csv", "x.csv")
    times = [_seconds(work) for work in (ours, lambda: list(csv.reader([header, cells])))]
    return Bar("a CSV file of 100,000 columns, in times of Python's reader", times[0] / times[1], 8)


def _wide_arrow() -> Bar:
    """Only two of a hundred thousand columns are needed; pyarrow hands over all of them."""
    import pyarrow

    table = pyarrow.table({f"c{at}": [f"word {at % 3}"] for at in range(100_000)})
    ours = partial(totals, table, metrics=BLEU(), hypothesis="c1", references="c4", threads=1)
    assert "BLEU = 0.00 100.0/100.0/0.0/0.0" in str(ours().score()["bleu"])

    def handed_over() -> None:
        pyarrow.RecordBatchReader.from_stream(table).read_all()

    times = [_seconds(work) for work in (ours, handed_over)]
    return Bar(
        "the sums of an Arrow table of 100,000 columns, in times of pyarrow's reading it", times[0] / times[1], 2
    )


def _damaged(texts: list[str], words: list[str], share: float, r: random.Random) -> list[str]:
    return [" ".join(word if r.random() > share else r.choice(words) for word in text.split()) for text in texts]


REPORT = """
import random, resource, sys, time
from truebleu import Study
from truebleu.study.page.page import study_page
systems, segments = map(int, sys.argv[1:])
r = random.Random(1)
words = ["".join(r.choices("etaoinshrdlu", k=r.randint(2, 9))) for _ in range(3000)]
ref = [" ".join(r.choices(words, k=20)) for _ in range(segments)]
def output(share):
    return [" ".join(word if r.random() > share else r.choice(words) for word in text.split()) for text in ref]
study = Study({f"s{at}": output(0.1 + 0.3 * at / systems) for at in range(systems)}, references=[ref])
given = sum(len(text) for runs in study.inputs.systems.values() for text in runs)
started = time.process_time()
study_page(study)
spent = time.process_time() - started
# They get worse and worse, so the first is significantly better than the last.
first = study.comparison.metrics[0]
assert "s0" == first.pair("s0", f"s{systems - 1}").winner
print(spent, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / given)
"""


def _many_systems() -> list[Bar]:
    """60 systems have 9.3 times the pairs of 20, and 200 systems 105 times."""
    times = [min(_report(systems, 200)[0] for _ in range(3)) for systems in (20, 60)]
    return [
        Bar("the report of 60 systems with 200 segments, in times of 20 systems", times[1] / times[0], 3),
        Bar("peak memory of the report of 200 systems × 200 segments, bytes a character", _report(200, 200)[1], 75),
    ]


def _many_segments() -> Bar:
    return Bar("peak memory of the report of 2 × 50,000 segments, bytes a character", _report(2, 50_000)[1], 50)


def _report(systems: int, segments: int) -> list[float]:
    command = [sys.executable, "-c", REPORT, str(systems), str(segments)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return [float(word) for word in done.stdout.split()]


def _text(words: int, seed: int) -> str:
    r = random.Random(seed)
    known = ["".join(r.choices("etaoinshrdlu", k=r.randint(2, 9))) for _ in range(VOCABULARY)]
    return " ".join(r.choices(known, k=words))


def _often(work: Callable[[Any], object], scores: Any) -> None:
    for _ in range(50):
        work(scores)


def _seconds(work: Callable[[], object]) -> float:
    best = float("inf")
    for _ in range(3):
        started = time.process_time()
        work()
        best = min(best, time.process_time() - started)
    return best


if __name__ == "__main__":
    sys.exit(main())
