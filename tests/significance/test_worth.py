"""What people made of differences: the published table, who is known, and who is not."""

import pytest

import truebleu
from truebleu import BLEU, CHRF, TER, compare, worth
from truebleu.errors import OptionError
from truebleu.significance.worth import SOURCE, difference_worth

# Kocmi, Zouhar, Federmann and Post (2024), the table of thresholds: the difference for 50, 55, … 95 per cent.
PUBLISHED = {
    "BLEU": "0.27 0.52 0.78 1.06 1.39 1.79 2.34 3.35 - -",
    "chrF": "0.14 0.33 0.54 0.76 1.00 1.28 1.63 2.12 3.05 -",
    "spBLEU200": "0.25 0.52 0.82 1.13 1.49 1.91 2.46 3.28 5.57 -",
    "BLEURT-default": "0.23 0.66 1.11 1.59 2.11 2.71 3.43 4.39 5.98 -",
    "BLEURT-20": "0.02 0.17 0.33 0.49 0.66 0.85 1.07 1.35 1.73 2.44",
    "COMET20": "0.08 0.36 0.65 0.96 1.29 1.67 2.10 2.66 3.45 5.10",
    "COMET22": "0.03 0.10 0.18 0.26 0.35 0.45 0.56 0.71 0.94 1.53",
    "COMET21-QE": "0.003 0.008 0.013 0.019 0.025 0.032 0.041 0.052 0.073 -",
    "CometKiwi22": "0.01 0.08 0.16 0.24 0.33 0.42 0.53 0.67 0.85 1.18",
    "XCOMET-XXL": "0.02 0.19 0.37 0.56 0.76 0.98 1.24 1.55 1.99 2.74",
    "XCOMET-XL": "0.05 0.19 0.34 0.50 0.67 0.86 1.08 1.37 1.80 2.82",
    "spBLEU101": "0.29 0.49 0.71 0.95 1.24 1.63 2.26 - - -",
    "CometKiwi23-XXL": "0.06 0.22 0.39 0.57 0.77 0.98 1.24 1.58 2.08 3.39",
    "BERTScore": "0.04 0.12 0.20 0.29 0.38 0.49 0.62 0.80 1.08 -",
    "CometKiwi23-XL": "0.04 0.15 0.26 0.39 0.52 0.66 0.84 1.06 1.40 2.24",
    "MetricX-23-Large": "0.01 0.01 0.02 0.03 0.04 0.05 0.07 0.09 0.12 -",
    "MetricX-23-QE-Large": "0.00 0.02 0.03 0.04 0.06 0.08 0.10 0.12 0.16 0.22",
}
IN_HUNDREDTHS = [name for name in PUBLISHED if name not in ("BLEU", "chrF") and "sp" not in name and "X-23" not in name]


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_published_table(name: str) -> None:
    scale = 100 if name in IN_HUNDREDTHS else 1
    for at, cell in enumerate(PUBLISHED[name].split()):
        found = difference_worth(name, 50 + 5 * at)
        if cell == "-":
            assert found is None
        else:
            assert found is not None
            assert cell == f"{found * scale:.{len(cell.partition('.')[2])}f}"
            assert 50 + 5 * at == pytest.approx(worth(name, found))


def test_the_published_table_is_whole() -> None:
    cells = [cell for row in PUBLISHED.values() for cell in row.split()]
    assert (170, 11, 11) == (len(cells), cells.count("-"), len(IN_HUNDREDTHS))


def test_numbers_of_the_paper() -> None:
    assert (63.989, 60.4, 70.0) == tuple(
        pytest.approx(worth(name, delta), abs=at)
        for name, delta, at in (("BLEU", 1.0, 5e-4), ("BLEU", 0.8, 0.05), ("chrF", 1.0, 0.05))
    )
    assert worth("BLEU", -0.8) == worth("BLEU", 0.8) and worth("BLEU", 0.0) == pytest.approx(44.17, abs=0.01)


@pytest.mark.parametrize(
    "name",
    ["chrF++", "TER", "ROUGE", "WER", "MetricX-24-Hybrid-XL", "MetricX-25", "MetricX-23-XXL", "GEMBA-ESA", "MQM",
     "ESA", "XCOMET-Ensemble", "nobody knows", "COMET-mine", "YiSi", "GLEU"],
)  # fmt: skip
def test_nothing_is_said_of_others(name: str) -> None:
    assert worth(name, 1.0) is None


@pytest.mark.parametrize(
    ("metric", "is_known"),
    [
        (BLEU(), True),
        (BLEU(tokenize="zh"), True),
        (BLEU(lowercase=True), False),
        (BLEU(tokenize="char"), False),
        (BLEU(smooth_method="floor"), False),
        (BLEU(max_ngram_order=2), False),
        (BLEU(effective_order=True), False),
        (CHRF(), True),
        (CHRF(word_order=2), False),
        (CHRF(char_order=4), False),
        (CHRF(beta=3), False),
        (TER(), False),
    ],
)
def test_settings_decide(metric: truebleu.metrics.Metric, is_known: bool) -> None:
    texts = {"a": ["a b c d e f", "g h i j k l"] * 4, "b": ["a b c d e g", "g h i j k m"] * 4}
    refs = [["a b c d e f", "g h i j k n"] * 4]
    (pair,) = compare(texts, metric, refs, n_confidence=0).metrics[0].pairs
    assert is_known is (pair.people is not None)
    assert is_known is ("human_accuracy" in pair.to_dict())
    score = metric.corpus_score(texts["a"], refs)
    assert is_known is (worth(f"{score.name}|{score.signature}", 1.0) is not None)
    (silent,) = compare(texts, metric, refs, n_confidence=0, people=False).metrics[0].pairs
    assert silent.people is None
    (two,) = compare(texts, metric, refs * 2, n_confidence=0).metrics[0].pairs
    assert two.people is None  # the curves are of one reference


def test_scores_from_elsewhere() -> None:
    scores = {"a": [0.81, 0.82] * 5, "b": [0.80, 0.80] * 5}
    small = compare({name: {"COMET": one} for name, one in scores.items()}, truebleu.ExternalMetric("COMET"))
    large = {name: {"COMET": [100 * x for x in one]} for name, one in scores.items()}
    (pair,), (same,) = (one.metrics[0].pairs for one in (small, compare(large, truebleu.ExternalMetric("COMET"))))
    assert pair.people == pytest.approx(worth("COMET", 0.015)) == pytest.approx(same.people)
    found = pair.to_dict()
    assert (pair.people, SOURCE) == (found["human_accuracy"], found["human_accuracy_source"])
    assert "people" not in found


@pytest.mark.parametrize(("metric", "delta"), [(3, 1.0), ("BLEU", "x"), ("BLEU", float("nan")), ("BLEU", None)])
def test_what_is_refused(metric: object, delta: object) -> None:
    with pytest.raises(truebleu.errors.TruebleuError):
        worth(metric, delta)  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="from 50 to below 100"):
        difference_worth("BLEU", 40)
