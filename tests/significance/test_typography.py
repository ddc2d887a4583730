"""What explains a difference, against counting texts that were normalised by hand."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from truebleu import BLEU, CHRF, TER, Receipt, Study
from truebleu.errors import TooFew
from truebleu.metrics import WER, Metric
from truebleu.metrics.external import ExternalMetric
from truebleu.normalization import normalize
from truebleu.significance import Comparison, PairReport, compare

WORDS = ("Haus", "Katze", "rot", "und", "der", "Fluss", "sehr", "alt", "Baum", "geht")
FOLDS = ("quotes", "dashes", "case", "spaces")


def sentences(count: int, seed: int) -> list[str]:
    return [" ".join(WORDS[(seed + 7 * at + at * step) % len(WORDS)] for step in range(1, 9)) for at in range(count)]


def folded(texts: list[str], names: tuple[str, ...]) -> list[str]:
    found = normalize(texts, [name for name in names if name != "case"])
    return [text.lower() for text in found] if "case" in names else found


def by_hand(metric: Metric[Any], texts: dict[str, list[str]], references: list[str], names: tuple[str, ...]) -> Any:
    changed = folded(references, names)
    return {name: metric.corpus_score(folded(of, names), [changed]).score for name, of in texts.items()}


def quoting(at: int, text: str) -> str:
    return f"„{text}“" if at % 2 else text


REFERENCES = [quoting(at, text) for at, text in enumerate(sentences(60, 0))]
GOOD = [text.replace("rot", "blau", at % 5 == 0) for at, text in enumerate(REFERENCES)]
BAD = [text.replace("der", "die", at % 3 == 0) for at, text in enumerate(REFERENCES)]
CHANGES: dict[str, Callable[[str], str]] = {
    "quotes": lambda text: text.replace("„", '"').replace("“", '"'),
    "dashes": lambda text: text.replace("und", "–").replace("–", "-"),
    "case": str.lower,
    "spaces": lambda text: text.replace(" ", "\u00a0", 2),
}


# A no-break space is a space for these metrics, or spaces do not count.
UNSEEN = {(name, "spaces") for name in ("BLEU", "CHRF", "TER")}


def only(report: Comparison) -> PairReport:
    (metric,) = report.metrics
    (pair,) = metric.pairs
    return pair


@pytest.mark.parametrize("metric", [BLEU(), CHRF(), TER(case_sensitive=True), WER()])
@pytest.mark.parametrize("name", FOLDS)
def test_one_change_explains_all_of_a_difference(metric: Metric[Any], name: str) -> None:
    references = [text.replace("und", "–") for text in REFERENCES] if name == "dashes" else REFERENCES
    texts = {"same": references, "changed": [CHANGES[name](text) for text in references]}
    pair = only(compare(texts, metric, [references]))
    assert ((metric.name, name) in UNSEEN) == pair.identical
    if pair.identical:
        assert pair.explained is None
        return
    scores = by_hand(metric, texts, references, (name,))
    assert pair.significant and pair.explained is not None and (name,) == pair.explained.folded
    assert (scores["changed"] - scores["same"], "none") == (pair.explained.delta, pair.explained.kind)
    assert pair.delta - pair.explained.delta == pair.explained.part
    assert (pair.explained.p_value, pair.explained.adjusted_p_value) == (1.0, None)


@st.composite
def corpora(draw: st.DrawFn) -> tuple[dict[str, list[str]], list[str]]:
    """Three systems that differ in words, and each in what it does to quotation marks, dashes, case and spaces."""
    references = [quoting(at, f"{text} – ja") for at, text in enumerate(sentences(40, draw(st.integers(0, 9))))]
    texts = {}
    for system in "abc":
        every = draw(st.integers(2, 9))
        words = [text.replace("rot", "grün") if at % every == 0 else text for at, text in enumerate(references)]
        for name in draw(st.lists(st.sampled_from(FOLDS), unique=True)):
            often = draw(st.integers(1, 3))
            words = [CHANGES[name](text) if at % often == 0 else text for at, text in enumerate(words)]
        texts[system] = words
    return texts, references


@settings(max_examples=25)
@given(corpora(), st.sampled_from(["ar", "bs2", "sign"]), st.sampled_from(["holm", None]))
def test_the_explained_part_is_that_of_counting_by_hand(
    corpus: tuple[dict[str, list[str]], list[str]], test: str, correction: str | None
) -> None:
    texts, references = corpus
    options: dict[str, Any] = {"test": test, "correction": correction, "all_pairs": True, "n_samples": 200}
    try:
        report = compare(texts, [BLEU(), TER()], [references], **options)
    except TooFew:  # fewer than ten segments differ: the bootstrap refuses
        return
    plain = compare(texts, [BLEU(), TER()], [references], checks=False, **options)
    for metric, before in zip(report.metrics, plain.metrics, strict=True):
        counting: Metric[Any] = BLEU() if metric.name == "BLEU" else TER()
        for pair, other in zip(metric.pairs, before.pairs, strict=True):
            assert other.explained is None and pair.to_dict() | {"explained": None} == other.to_dict()
            names = FOLDS if metric.name == "BLEU" else ("quotes", "dashes", "spaces")
            together = by_hand(counting, texts, references, names)
            change = abs(pair.delta - (together[pair.system] - together[pair.baseline]))
            if pair.explained is None:
                continue
            found = pair.explained
            scores = by_hand(counting, texts, references, found.folded)
            assert scores[pair.system] - scores[pair.baseline] == found.delta and pair.delta - found.delta == found.part
            assert change > 0 and (abs(found.part) > 0.2 * abs(pair.delta) or found.kind != pair.kind)
            assert "none" != pair.kind or "none" != found.kind
            again = {name: folded(of, found.folded) for name, of in texts.items()}
            changed = [folded(references, found.folded)]
            try:
                retested = compare(again, counting, changed, checks=False, **options)
            except TooFew:
                retested = compare(again, counting, changed, checks=False, **{**options, "test": "ar"})
            assert found.p_value == retested.metrics[0].pair(pair.system, pair.baseline).p_value


def test_a_difference_of_words_has_no_explanation_and_costs_one_more_counting() -> None:
    counted = []

    class Counting(BLEU):
        def stats(self, *words: Any, **more: Any) -> Any:
            counted.append(self.normalize)
            return super().stats(*words, **more)

    texts = {"good": GOOD, "bad": BAD, "worse": [text[:20] for text in BAD]}
    report = compare(texts, Counting(), [REFERENCES], all_pairs=True)
    assert [None] * 3 == [pair.explained for pair in report.metrics[0].pairs]
    assert ["", "", ""] + ["quotes,dashes,spaces"] * 3 == counted


QUOTES = {"same": REFERENCES, "changed": [CHANGES["quotes"](text) for text in REFERENCES]}
SCORES = {"same": [1.0 + at % 3 for at in range(60)], "changed": [at % 3 for at in range(60)]}
SILENT: dict[str, Callable[[], Comparison]] = {
    "rows": lambda: compare({name: BLEU().stats(of, [REFERENCES]) for name, of in QUOTES.items()}, BLEU()),
    "receipts": lambda: compare(
        {name: Receipt.make(of, [REFERENCES], [BLEU()], system=name) for name, of in QUOTES.items()}, BLEU()
    ),
    "scores": lambda: compare(SCORES, ExternalMetric("judge", higher_is_better=True)),
    "switched off": lambda: compare(QUOTES, BLEU(), [REFERENCES], checks=False),
    "own references": lambda: compare(QUOTES, BLEU(references=[REFERENCES])),
    "texts that can be read once": lambda: compare(
        {name: iter(of) for name, of in QUOTES.items()}, BLEU(), [REFERENCES]
    ),
    "normalised already": lambda: compare(QUOTES, BLEU(normalize="quotes"), [REFERENCES]),
}


@pytest.mark.parametrize("case", SILENT)
def test_nothing_is_said_where_there_is_nothing_to_look_at(case: str) -> None:
    report = SILENT[case]()
    assert only(report).explained is None and "Quotation marks" not in str(report)


def test_the_environment_switches_it_off(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = {"same": REFERENCES, "changed": [CHANGES["quotes"](text) for text in REFERENCES]}
    assert only(compare(texts, BLEU(), [REFERENCES])).explained is not None
    monkeypatch.setenv("TRUEBLEU_CHECKS", "off")
    assert only(compare(texts, BLEU(), [REFERENCES])).explained is None


def test_a_study_says_it_too() -> None:
    texts = {"same": GOOD, "changed": [CHANGES["quotes"](text) for text in GOOD], "bad": BAD}
    for runs in (texts, {name: [of, of[::-1]] for name, of in texts.items()}):
        references = [REFERENCES]
        study = Study(runs, metrics=[BLEU(), TER()], references=references).comparison
        found = compare(runs, [BLEU(), TER()], references, all_pairs=True)
        assert study is not None and study.metrics == found.metrics
        assert any(pair.explained for pair in found.metrics[0].pairs)
        quiet = Study(runs, metrics=[BLEU()], references=references, checks=False).comparison
        assert quiet is not None and not any(pair.explained for pair in quiet.metrics[0].pairs)


def test_documents_are_drawn_whole_in_the_second_test_too() -> None:
    documents = [at // 4 for at in range(60)]
    texts = {"same": GOOD, "changed": [CHANGES["quotes"](text) for text in GOOD]}
    pair = only(compare(texts, BLEU(), [REFERENCES], documents=documents))
    assert pair.explained is not None and ("quotes",) == pair.explained.folded and 1.0 == pair.explained.p_value


def test_the_first_metric_tells_the_changes_apart_and_others_are_counted_twice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    counted: list[str] = []
    for metric in (BLEU, CHRF):
        plain = metric.stats
        monkeypatch.setattr(
            metric,
            "stats",
            lambda self, *rest, _plain=plain, **more: counted.append(self.name) or _plain(self, *rest, **more),
        )
    lines = [f'the "heron" number {at} stood by the pond' for at in range(60)]
    other = [line.replace('"', "“", 1).replace('"', "”", 1) for line in lines]
    found = compare({"a": other, "b": lines}, [BLEU(), CHRF()], [lines], checks=True, n_samples=200)
    first, second = (metric.pairs[0].explained for metric in found.metrics)
    assert first is not None and second is not None
    assert ("quotes",) == first.folded and 1 < len(second.folded)
    assert 4 == counted.count("CHRF") < counted.count("BLEU")
