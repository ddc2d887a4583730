"""The text says no more than what was found."""

import functools
from dataclasses import replace

import truebleu
from reconciliation.f8 import HYPOTHESES, A, B, scorer
from truebleu.reconciliation.explanations import Reconciliation
from truebleu.reconciliation.family import Setting
from truebleu.reconciliation.text import reconciliation_text


@functools.cache
def found() -> Reconciliation:
    return truebleu.reconcile(HYPOTHESES, [A, B], "46.23")


def test_equals_in_rank_are_told_as_either_or() -> None:
    other = replace(found().explanations[0], profile="another tool", changes=())
    text = reconciliation_text(replace(found(), explanations=(found().explanations[0], other), tied=2), "text")
    assert text.startswith(
        "46.23 is either what multi-bleu.perl -lc gives, with one reference (1) or what another tool"
    )


def test_one_of_several_only_may_be_it() -> None:
    text = reconciliation_text(replace(found(), certainty="one of several", by_chance=1.25), "text")
    assert text.startswith("46.23 may be what multi-bleu.perl -lc gives")
    assert "about 1.2 would match by chance, so this is only one possible explanation" in text


def test_a_cut_number_is_marked() -> None:
    text = reconciliation_text(
        replace(found(), explanations=(replace(found().explanations[0], truncated=True, exact=False),)), "text"
    )
    assert "The number is cut off, not rounded." in text.splitlines()


def test_names_cannot_act_on_a_terminal() -> None:
    found = truebleu.reconcile(HYPOTHESES, [A, B], "46.23", names=["\x1b[31mred", "b"])
    assert "\x1b" not in reconciliation_text(found, "text")


def test_the_first_documents_are_told() -> None:
    documents = {"document": [0, 0, 0, 1, 1, 2, 2, 2]}
    part = scorer(A[:5], hypotheses=HYPOTHESES[:5]).score(Setting("bleu"))
    found = truebleu.reconcile(HYPOTHESES, [A], f"{part:.7f}", labels=documents)
    assert "the first 5 lines, which are whole documents, would give" in " ".join(found.notes)
    assert not found.explained


def test_print_shows_what_the_command_shows() -> None:
    assert reconciliation_text(found()) == f"{found()}\n" and "46.23 is what multi-bleu.perl -lc gives" in str(found())
    gap = truebleu.reconciliation.attribute(HYPOTHESES, [A, B], "sacrebleu", "multi-bleu")
    assert reconciliation_text(gap) == f"{gap}\n" and str(gap).startswith("From ")
