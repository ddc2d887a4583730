"""What is found, how sure it is, and what is said when nothing is."""

import json

import pytest

import truebleu
from reconciliation.f8 import HYPOTHESES, A, B, scorer
from truebleu import demo
from truebleu.errors import InputTypeError, LengthMismatch, OptionError
from truebleu.reconciliation.family import Setting

DEMO = demo.load("en-de")
REFERENCES = [list(stream) for stream in DEMO.references.values()]
SYSTEMS = [list(texts) for texts in DEMO.systems.values()]


def test_the_example_of_two_references_names_the_tool() -> None:
    found = truebleu.reconcile(HYPOTHESES, [A, B], "46.23")
    first = found.explanations[0]
    assert ("multi-bleu.perl -lc", ("46.23",), True) == (first.profile, first.printed, first.exact)
    assert {"references": "-20.30", "case": "+4.39", "tokenizer": "-16.76"} == {
        axis: f"{points:+.2f}" for axis, points in first.contributions.items()
    }
    assert first.interdependent and found.certainty == "likely"
    equal = {change.axis: change.equals for change in first.changes}
    assert ("best single reference",) == equal["references"] and ("lower-cased",) == equal["case"]


def test_the_start_explains_itself() -> None:
    found = truebleu.reconcile(HYPOTHESES, [A], "62.25")
    assert () == found.explanations[0].changes
    assert found.explanations[0].profile is None
    assert "sacreBLEU" in found.explanations[0].also


def test_a_whole_line_makes_certain() -> None:
    line = "BLEU = 41.69, 69.0/54.0/39.5/27.0 (BP=0.933, ratio=0.935, hyp_len=58, ref_len=62)"
    found = truebleu.reconcile(HYPOTHESES, [A], line)
    assert ("multi-bleu.perl", "certain") == (found.explanations[0].profile, found.certainty)


def test_a_line_whose_lengths_do_not_fit_is_not_explained_by_its_score() -> None:
    line = "BLEU = 41.69, 69.0/54.0/39.5/27.0 (BP=0.933, ratio=0.935, hyp_len=88, ref_len=62)"
    found = truebleu.reconcile(HYPOTHESES, [A], line, max_changes=1)
    assert not found.explained and 3 == len(found.nearest)


def test_two_systems_make_certain() -> None:
    setting = Setting("bleu").having({"tokenizer": "intl", "case": "lower"})
    texts = [HYPOTHESES, [text.replace("the", "a") for text in HYPOTHESES]]
    targets = [f"{scorer(hypotheses=each).score(setting):.2f}" for each in texts]
    found = truebleu.reconcile(texts, [A], targets)
    assert {"tokenizer": "intl", "case": "lower"} == {c.axis: c.value for c in found.explanations[0].changes}
    assert 2 == len(found.explanations[0].scores)
    assert found.by_chance < 0.01


def test_an_error_rate_may_be_above_100() -> None:
    hypotheses, reference = ["a b c d e f g h i j"], ["x y z"]
    assert "333.33" == f"{truebleu.corpus_ter(hypotheses, [reference]).score:.2f}"
    for target in ("333.33", "TER = 333.33"):
        found = truebleu.reconcile(hypotheses, [reference], target, max_changes=0)
        assert ("ter", ()) == (found.explanations[0].metric, found.explanations[0].changes)


def test_hypotheses_alone_in_lower_case_are_found() -> None:
    lower = [[text.lower() for text in system] for system in SYSTEMS[:2]]
    scores = [truebleu.corpus_bleu(system, REFERENCES[:1]).score for system in lower]
    found = truebleu.reconcile(SYSTEMS[:2], REFERENCES[:1], [f"{score:.2f}" for score in scores], max_changes=1)
    assert [("case", "hypotheses")] == [(c.axis, c.value) for c in found.explanations[0].changes]
    assert ["hypotheses lower-cased, references not"] == [c.says for c in found.explanations[0].changes]


@pytest.mark.parametrize("k", [0.01, 0.1, 0.5, 2])
def test_other_numbers_that_are_added_are_found(k: float) -> None:
    target = truebleu.BLEU(smooth_method="add-k", smooth_value=k).corpus_score(HYPOTHESES, [A]).score
    found = truebleu.reconcile(HYPOTHESES, [A], f"{target:.8f}", max_changes=1)
    assert [("smoothing", f"add-k[{k:g}]")] == [(c.axis, c.value) for c in found.explanations[0].changes]


@pytest.mark.parametrize(("method", "value"), [("method4", 3), ("method1", 0.25), ("floor", 0.1234567), ("add-k", 3)])
def test_the_number_of_a_smoothing_method_is_kept(method: str, value: float) -> None:
    start = truebleu.BLEU(smooth_method=method, smooth_value=value, tokenize="none")
    texts = [text[:12] for text in HYPOTHESES]
    found = truebleu.reconcile(texts, [A], "50.00", start=start, max_changes=0)
    assert start.corpus_score(texts, [A]).score == pytest.approx(found.start_scores[0], rel=1e-12)


def test_the_form_of_a_line_names_its_tool() -> None:
    """On these texts sacreBLEU and multi-bleu.perl have the same numbers."""
    texts, reference = ["a b c d e f", "g h i j k"], ["a b c d e g", "g h i j x k"]
    score = truebleu.corpus_bleu(texts, [reference])
    parts = "/".join(f"{one:.1f}" for one in score.precisions)
    line = f"BLEU = {score.score:.2f}, {parts} (BP={score.bp:.3f}, ratio=0.917, hyp_len=11, ref_len=12)"
    found = truebleu.reconcile(texts, [reference], line)
    assert ("multi-bleu.perl", "certain") == (found.explanations[0].profile, found.certainty)
    ours = truebleu.reconcile(texts, [reference], str(score))
    assert () == ours.explanations[0].changes and ours.explanations[0].profile is None


def test_every_number_near_the_score_is_looked_for() -> None:
    score = truebleu.corpus_bleu(SYSTEMS[0], REFERENCES).score
    near = [f"{score + hundredths / 100:.2f}" for hundredths in range(-20, 21)]
    found = [truebleu.reconcile(SYSTEMS[0], REFERENCES, target, max_changes=0, threads=1) for target in near]
    told = [one.targets[0] for one in found if any("without line" in note for note in one.notes)]
    assert 20 < len(told) and f"{score:.2f}" not in told


def test_a_line_whose_absence_gives_the_number_cut_off_is_told() -> None:
    without = truebleu.corpus_bleu(SYSTEMS[0][:7] + SYSTEMS[0][8:], [each[:7] + each[8:] for each in REFERENCES]).score
    target = f"{without - 0.0005:.3f}"
    found = truebleu.reconcile(SYSTEMS[0], REFERENCES, target, max_changes=0, threads=1)
    assert any(note.startswith(f"without line 8 the start would give {target}") for note in found.notes)


def test_a_fraction_and_a_cut_number_are_understood() -> None:
    fraction = truebleu.reconcile(HYPOTHESES, [A], "0.4508", tools=["torchmetrics"])
    assert "torchmetrics' BLEUScore" == fraction.explanations[0].profile
    cut = truebleu.reconcile(HYPOTHESES, [A], "45.07", tools=["fairseq-score"])  # 45.0766 rounds to 45.08
    assert cut.explanations[0].truncated and not cut.explanations[0].exact


def test_tools_confine_the_search() -> None:
    found = truebleu.reconcile(HYPOTHESES, [A, B], "46.23", tools=["multi-bleu"])
    assert "multi-bleu.perl -lc" == found.explanations[0].profile
    assert not truebleu.reconcile(HYPOTHESES, [A, B], "46.23", tools=["t5"], max_changes=1).explained


def test_axes_confine_the_search() -> None:
    found = truebleu.reconcile(HYPOTHESES, [A], "71.605", axes=["text"])
    assert [("text", "quotes")] == [(c.axis, c.value) for c in found.explanations[0].changes]
    assert not truebleu.reconcile(HYPOTHESES, [A], "71.605", axes=["case"]).explained


def test_a_normalised_start_is_understood() -> None:
    found = truebleu.reconcile(HYPOTHESES, [A], "62.2503", start=truebleu.BLEU(normalize="quotes"))
    assert [("text", "as is", "quotes")] == [(c.axis, c.value, c.old) for c in found.explanations[0].changes]
    with pytest.raises(OptionError, match="one normalisation at most"):
        truebleu.reconcile(HYPOTHESES, [A], "62.2503", start=truebleu.BLEU(normalize="nfc,quotes"))


def test_a_start_moves_the_origin() -> None:
    signature = "BLEU|nrefs:1|case:lc|eff:no|tok:intl|smooth:exp|version:2.3.1"
    found = truebleu.reconcile(HYPOTHESES, [A], "62.0124", start=signature)
    assert [("case", "mixed", "lower")] == [(c.axis, c.value, c.old) for c in found.explanations[0].changes]
    assert "tok:intl" in found.start


@pytest.mark.parametrize(("target", "profile"), [("chrF2 = 73.124", None), ("TER = 32.258", None)])
def test_the_text_names_the_metric(target: str, profile: str | None) -> None:
    found = truebleu.reconcile(HYPOTHESES, [A], target)
    assert profile == found.explanations[0].profile and found.explanations[0].metric in ("chrf", "ter")


def test_another_metric_is_tried_where_the_text_names_none() -> None:
    found = truebleu.reconcile(HYPOTHESES, [A], "73.1243")
    assert ("sacreBLEU's chrF", "chrf") == (found.explanations[0].profile, found.explanations[0].metric)
    ter = truebleu.reconcile(HYPOTHESES, [A], "67.7419")  # one minus TER
    assert "sacreBLEU's TER" == ter.explanations[0].profile


def test_chrf_is_searched() -> None:
    found = truebleu.reconcile(HYPOTHESES, [A, B], "0.71924257", start=truebleu.CHRF())
    assert "torchmetrics' CHRFScore with n_word_order=0" == found.explanations[0].profile


def test_labels_are_tried() -> None:
    labels = {"domain": ["boats", "shops"] * 4}
    part = scorer([A[at] for at in range(0, 8, 2)], hypotheses=HYPOTHESES[::2]).score(Setting("bleu"))
    found = truebleu.reconcile(HYPOTHESES, [A], f"{part:.4f}", labels=labels)
    assert [("lines", "domain=boats")] == [(c.axis, c.value) for c in found.explanations[0].changes]
    documents = {"document": [0, 0, 0, 1, 1, 2, 2, 2]}
    mean = [scorer(A[i:j], hypotheses=HYPOTHESES[i:j]).score(Setting("bleu")) for i, j in ((0, 3), (3, 5), (5, 8))]
    found = truebleu.reconcile(HYPOTHESES, [A], f"{sum(mean) / 3:.4f}", labels=documents)
    assert "documents" in [change.value for change in found.explanations[0].changes]


def test_other_references_are_tried() -> None:
    found = truebleu.reconcile(HYPOTHESES, [A], "44.1687", others={"B": B})
    assert ["the reference B"] == [change.says for change in found.explanations[0].changes]


def test_what_nothing_explains_is_not_explained() -> None:
    found = truebleu.reconcile(HYPOTHESES, [A], "1.2345", max_changes=2)
    assert (False, "none", ()) == (found.explained, found.certainty, found.explanations)
    assert 3 == len(found.nearest) and not any(one.exact for one in found.nearest)


def test_a_lost_line_is_told() -> None:
    rest = scorer([*A[:3], *A[4:]], hypotheses=[*HYPOTHESES[:3], *HYPOTHESES[4:]]).score(Setting("bleu"))
    found = truebleu.reconcile(HYPOTHESES, [A], f"{rest:.6f}")
    assert not found.explained
    assert any(note.startswith("without line 4 the start would give") for note in found.notes)


@pytest.mark.parametrize(
    "values",
    [
        {"tokenizer": "intl"}, {"text": "quotes"}, {"references": "2"}, {"reference length": "shortest"},
        {"aggregation": "mean nltk3"}, {"order": "2"}, {"lines": "first 100"},
        {"case": "ascii", "tokenizer": "char"}, {"references": "mean", "aggregation": "mean"},
    ],
    ids=str,
)  # fmt: skip
def test_what_was_changed_in_real_texts_is_named(values: dict[str, str]) -> None:
    setting = Setting("bleu").having(values)
    targets = [f"{scorer(*REFERENCES, hypotheses=each).score(setting):.2f}" for each in SYSTEMS[:2]]
    found = truebleu.reconcile(SYSTEMS[:2], REFERENCES, targets)
    first = found.explanations[:2]  # lower-casing with and without ä may print the same numbers
    truth = [scorer(*REFERENCES, hypotheses=each).score(setting) for each in SYSTEMS[:2]]
    assert any(truth == pytest.approx(one.scores, abs=2e-5) for one in first)


def test_missing_and_empty_references_are_counted_as_they_are() -> None:
    first: list[str | None] = [*A]
    first[1], first[4] = None, "Yes, it is so, indeed."
    references = [first, [*B[:4], "", *B[5:]]]
    target = f"{truebleu.BLEU().corpus_score(HYPOTHESES, references).score:.4f}"
    assert () == truebleu.reconcile(HYPOTHESES, references, target).explanations[0].changes
    kept = f"{truebleu.BLEU(empty_refs='keep').corpus_score(HYPOTHESES, references).score:.6f}"
    found = truebleu.reconcile(HYPOTHESES, references, kept)
    assert "sacreBLEU" == found.explanations[0].profile
    assert ["empty references"] == [change.axis for change in found.explanations[0].changes]


def test_results_can_be_written_as_json() -> None:
    found = truebleu.reconcile(HYPOTHESES, [A, B], "46.23")
    written = json.loads(json.dumps(found.to_dict()))
    assert 1 == written["schema"]
    assert found.explanations[0].score == written["explanations"][0]["scores"][0]
    assert {"axis", "value", "instead_of", "says", "contributions", "steps", "equals"} == set(
        written["explanations"][0]["changes"][0]
    )


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(LengthMismatch, match="1 system and 2 targets"):
        truebleu.reconcile([HYPOTHESES], [A], ["1.0", "2.0"])
    with pytest.raises(LengthMismatch, match="label 'domain'"):
        truebleu.reconcile(HYPOTHESES, [A], "1.0", labels={"domain": ["x"]})
    with pytest.raises(OptionError, match="axes has 'colour'"):
        truebleu.reconcile(HYPOTHESES, [A], "1.0", axes=["colour"])
    with pytest.raises(OptionError, match="one metric"):
        truebleu.reconcile([HYPOTHESES] * 2, [A], ["chrF2 = 1.0", "TER = 2.0"])
    with pytest.raises(InputTypeError, match="hypotheses"):
        truebleu.reconcile("a line", [A], "1.0")
    with pytest.raises(OptionError, match="neither a tool nor a signature"):
        truebleu.reconcile(HYPOTHESES, [A], "1.0", start="moses")
