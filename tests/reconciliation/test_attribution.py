"""Contributions add up to the gap, whatever the changes."""

import random

import pytest

from reconciliation.f8 import HYPOTHESES, A, B, scorer
from truebleu.errors import OptionError
from truebleu.reconciliation import attribute
from truebleu.reconciliation.attribution import shares
from truebleu.reconciliation.family import FAMILIES, Setting


def test_the_known_gap_is_shared_as_it_should_be() -> None:
    changes = {"references": "1", "tokenizer": "ascii-space", "case": "ascii"}
    found = shares(Setting("bleu"), changes, scorer(A, B).score)
    expected = {"references": -20.2955314886921, "case": 4.392152773627494, "tokenizer": -16.756229082739686}
    assert expected == pytest.approx(found.contributions, abs=1e-9)
    assert sum(found.contributions.values()) == pytest.approx(-32.65960779780429, abs=1e-9)
    assert {"references": -16.6397, "case": 3.1425, "tokenizer": -19.1624} == pytest.approx(found.steps, abs=1e-4)


def test_contributions_and_steps_add_up_to_the_gap() -> None:
    draw, scores = random.Random(0), scorer(A, B).score
    axes = {name: [v for v in axis.values if v != "documents"] for name, axis in FAMILIES["bleu"].axes.items()}
    axes["tokenizer"] = ["13a", "intl", "none", "char", "wordpunct"]
    axes["aggregation"] = ["corpus", "mean", "mean nltk3", "torchmetrics"]
    for _ in range(40):
        changes = {name: draw.choice(values) for name, values in draw.sample(sorted(axes.items()), 4)}
        found = shares(Setting("bleu"), changes, scores)
        gap = scores(Setting("bleu").having(changes)) - scores(Setting("bleu"))
        assert gap == pytest.approx(sum(found.contributions.values()), abs=1e-9)
        assert gap == pytest.approx(sum(found.steps.values()), abs=1e-9)


def test_two_definitions_need_no_search() -> None:
    found = attribute(
        HYPOTHESES, [A, B], "BLEU|nrefs:2|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0", "multi-bleu"
    )
    assert ["tokenizer"] == [change.axis for change in found.changes]
    assert "64.45" == f"{found.end_scores[0]:.2f}"
    assert any("no smoothing" in note for note in found.notes)


def test_a_signature_of_one_reference_is_scored_with_one() -> None:
    two, one = (f"BLEU|nrefs:{count}|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0" for count in (2, 1))
    found = attribute(HYPOTHESES, [A, B], two, one)
    assert [("references", -16.6396542953453)] == [
        (change.axis, pytest.approx(change.contributions[0])) for change in found.changes
    ]


def test_what_cannot_be_scored_is_told() -> None:
    signature = "BLEU|nrefs:1|bs:1000|seed:12345|case:mixed|eff:no|tok:intl|smooth:exp|version:1.4.2"
    notes = attribute(HYPOTHESES, [A], "sacrebleu", signature).notes
    assert any("seed:12345" in note for note in notes)
    assert any("version 1.4.2" in note for note in notes)


def test_two_metrics_have_no_gap() -> None:
    with pytest.raises(OptionError, match="two metrics"):
        attribute(HYPOTHESES, [A], "sacrebleu", "sacrebleu chrF")
