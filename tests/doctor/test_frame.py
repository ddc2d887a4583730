"""The frame: what a report is, what explains what, prices, and that silence never looks like health."""

import dataclasses
import json
import random
import sys
from contextlib import suppress

import pytest

import truebleu
from truebleu import demo
from truebleu.doctor.explain import EXPLAINS, ORDER, FoundFault, explain
from truebleu.doctor.finding import Finding
from truebleu.doctor.repairs import REPAIRS
from truebleu.doctor.rule import Fault, Rule, level_of, usual
from truebleu.doctor.rules import RULES
from truebleu.errors import DoctorError, InputError, MissingDependency, OptionError, TruebleuError
from truebleu.metrics import BLEU, CHRF, TER

DEMO = {pair: demo.load(pair) for pair in demo.PAIRS}
GERMAN = DEMO["en-de"]
HYPOTHESES, REFERENCES = GERMAN.systems["atlas"], [GERMAN.references["A"]]


def with_unk(*segments: int) -> list[str]:
    return [f"{text} <unk>" if at in segments else text for at, text in enumerate(HYPOTHESES)]


def rule(code: str) -> Rule:
    return next((one for one in RULES if one.code == code), Rule(code, code, lambda corpus: ()))


def explained(*found: tuple[str, list[int]], segments: int = 100) -> dict[str, list[int]]:
    kept, _ = explain([FoundFault(rule(code), Fault("", places)) for code, places in found], segments)
    return {one.rule.code: list(one.fault.segments) for one in kept}


@pytest.mark.parametrize(
    ("pair", "system"), [(pair, system) for pair in demo.PAIRS for system in DEMO[pair].systems], ids="-".join
)
def test_the_demo_set_has_no_faults(pair: str, system: str) -> None:
    data, language = DEMO[pair], pair[3:]
    report = truebleu.diagnose(
        data.systems[system],
        list(data.references.values()),
        data.sources,
        metrics=[BLEU(trg_lang=language), CHRF()],
        language=language,
    )
    # "15.6 inches" became "15.6".
    true = ("D425",) if (pair, system) == ("en-zh", "cedar") else ()
    assert true == tuple(one.code for one in report.findings)
    report.raise_for("note" if not true else "warning")


def test_every_check_passed_or_found_something_or_was_not_made() -> None:
    for report in (
        truebleu.diagnose(with_unk(3, 4, 5), REFERENCES),
        truebleu.diagnose(["a"], [["b"]]),
        truebleu.diagnose(["a", "b"], [["b"]]),
        truebleu.diagnose(HYPOTHESES, REFERENCES, checks="D30"),
    ):
        found = [finding.code for finding in report.findings]
        told = [*found, *report.passed, *report.not_checked]
        assert {one.code for one in RULES} == set(told)
        assert not set(report.passed) & set(found) and not set(report.not_checked) & {*found, *report.passed}
        assert all(report.not_checked.values())


def test_a_check_that_cannot_be_made_says_why() -> None:
    report = truebleu.diagnose(HYPOTHESES[:5], [REFERENCES[0][:5]])
    assert "it needs 10 segments" == report.not_checked["D201"]
    assert "it needs the sources" == report.not_checked["D105"]
    report = truebleu.diagnose(HYPOTHESES, REFERENCES, GERMAN.sources[1:], skip="D2")
    assert "there are 239 sources and 240 hypotheses, so the sources were left out" == report.not_checked["D105"]
    assert "not asked for" == report.not_checked["D201"]


def test_a_finding_is_a_frozen_value_and_becomes_json() -> None:
    report = truebleu.diagnose(with_unk(7, 8, 30), REFERENCES)
    (finding,) = report.findings
    with pytest.raises(dataclasses.FrozenInstanceError):
        finding.code = "D1"  # type: ignore[misc]
    assert ("D304", "warning", "hypotheses", (7, 8, 30), 3, 3 / 240, "specials") == (
        finding.code, finding.level, finding.side, finding.segments, finding.count, finding.share, finding.repair,
    )  # fmt: skip
    told = json.loads(json.dumps(report.to_dict()))
    assert 1 == told["schema"] and "warning" == told["worst"]
    assert [8, 9, 31] == told["findings"][0]["segments"]
    assert {field.name for field in dataclasses.fields(Finding)} == set(told["findings"][0])


def test_the_price_of_a_repair_is_the_score_of_the_untouched_text() -> None:
    metrics = [BLEU(), CHRF(), TER()]
    (finding,) = truebleu.diagnose(with_unk(*range(50)), REFERENCES, metrics=metrics).findings
    for metric, (label, price) in zip(metrics, finding.prices.items(), strict=True):
        assert metric.label == label and "repair" == price.kind
        assert metric.corpus_score(with_unk(*range(50)), REFERENCES).score == price.before
        assert metric.corpus_score(HYPOTHESES, REFERENCES).score == price.after
        assert price.points > 0
    assert finding.message.endswith(f"Without them: +{finding.prices['BLEU'].points:.2f} BLEU")


def test_two_metrics_of_one_name_have_two_prices() -> None:
    (finding,) = truebleu.diagnose(with_unk(1, 2, 3), REFERENCES, metrics=[BLEU(), BLEU(lowercase=True)]).findings
    assert ["BLEU", "BLEU 2"] == list(finding.prices)


def test_a_fault_without_a_repair_has_no_price() -> None:
    damaged = [f"{text[:-2]}\ufffd" if at < 4 else text for at, text in enumerate(HYPOTHESES)]
    (finding,) = truebleu.diagnose(damaged, REFERENCES).findings
    assert ("D308", {}, None) == (finding.code, finding.prices, finding.repair)
    for rule in RULES:  # the score of other segments is that of another test set
        assert rule.price in ("repair", "other", "none")


def test_a_repair_that_makes_a_score_worse_is_not_offered_and_refused() -> None:
    references = [[f"{text} <b>" if at < 20 else text for at, text in enumerate(REFERENCES[0])]]
    texts = [f"{text} <b> <b>" if at < 20 else text for at, text in enumerate(HYPOTHESES)]
    finding = next(one for one in truebleu.diagnose(texts, references).findings if one.code == "D306")
    assert ({}, None) == (finding.prices, finding.repair) and "Without them" not in finding.message
    with pytest.raises(OptionError, match=r"'tags' would make these texts worse, -\d\.\d+ BLEU \(\d.*leave it out"):
        truebleu.diagnose(texts, references).repaired("tags")


def test_repaired_gives_a_new_list_and_touches_only_what_was_found() -> None:
    texts = with_unk(7, 8, 30)
    texts[9] = f"<unk> {texts[9]}"
    references = [list(REFERENCES[0])]
    references[0][9] = f"<unk> {references[0][9]}"
    report = truebleu.diagnose(texts, references)
    before = list(texts)
    repaired = report.repaired("specials")
    assert before == texts and texts[9] == repaired[9]
    assert [HYPOTHESES[at] for at in (7, 8, 30)] == [repaired[at] for at in (7, 8, 30)]
    with pytest.raises(OptionError, match=r"names has 'nothing', expected thinking, unwrap, prompt, mojibake, .*lines"):
        report.repaired("nothing")


def test_repairs_are_made_in_one_order() -> None:
    texts = [f"„{text}“ &lt;unk&gt; <unk>" if at % 2 else text for at, text in enumerate(HYPOTHESES)]
    report = truebleu.diagnose(texts, REFERENCES)
    assert report.repaired("specials", "quotes", "entities") == report.repaired("entities", "quotes", "specials")
    assert f'"{HYPOTHESES[1]}"' == report.repaired("specials", "entities", "quotes")[1].replace("'", '"')


def test_raise_for_lists_all_messages_of_a_level() -> None:
    report = truebleu.diagnose(with_unk(1, 2, 3), REFERENCES)
    report.raise_for("error")
    with pytest.raises(DoctorError, match=r"^D304 warning: 3 segments have special tokens") as caught:
        report.raise_for("warning")
    assert isinstance(caught.value, InputError | ValueError)
    with pytest.raises(OptionError, match="level is 'bad'"):
        report.raise_for("bad")


def test_levels_depend_on_number_and_share() -> None:
    usually = rule("D304")
    levels = [level_of(usually, Fault(""), *numbers) for numbers in [(3, 60), (2, 400), (1, 240), (3, 3000), (2, 3000)]]
    assert ["error", "warning", "note", "warning", "note"] == levels
    assert usual(3, 3000) and not usual(3, 3001)


def test_findings_are_sorted_by_level_then_price() -> None:
    texts = [f"{text} &amp;" if at < 20 else text for at, text in enumerate(with_unk(*range(100, 105)))]
    report = truebleu.diagnose(texts, REFERENCES)
    assert [("D305", "error"), ("D304", "warning")] == [(one.code, one.level) for one in report.findings]


def test_an_earlier_finding_takes_away_segments() -> None:
    assert {"D304": [1, 2], "D306": [3]} == explained(("D306", [1, 2, 3]), ("D304", [1, 2]))
    assert {"D304": [1, 2]} == explained(("D306", [1, 2]), ("D304", [1, 2]))


def test_untranslated_output_explains_that_it_fits_no_reference() -> None:
    assert {"D105": []} == explained(("D105", []), ("D203", []), ("D403", [1, 2]))


def test_what_was_dropped_explains_nothing() -> None:
    assert {"D307": [1], "D304": [2], "D306": [1]} == explained(("D307", [1]), ("D304", [1, 2]), ("D306", [1]))


def test_a_fifth_of_the_segments_explains_a_whole_file() -> None:
    many, few = list(range(20)), list(range(19))
    assert {"D403": many} == explained(("D403", many), ("D311", []))
    assert {"D403": few, "D311": []} == explained(("D403", few), ("D311", []))


def test_short_output_explains_a_few_segments_of_another_language() -> None:
    short = FoundFault(rule("D409"), Fault("", evidence={"median": 0.5}))
    for number, left in ((29, ["D409"]), (30, ["D404"])):
        kept, _ = explain([short, FoundFault(rule("D404"), Fault("", list(range(number))))], 100)
        assert left == sorted(one.rule.code for one in kept)


def test_the_order_has_every_rule_and_explanations_only_known_codes() -> None:
    assert {one.code for one in RULES} <= set(ORDER)
    assert {code for codes in EXPLAINS.values() for code in codes} <= set(ORDER)


def test_permuted_segments_give_permuted_findings() -> None:
    texts = [f"{text} <b>x</b>" if at % 9 == 0 else text for at, text in enumerate(with_unk(3, 4, 77))]
    texts[50] += " &quot;"
    order = list(range(len(texts)))
    random.Random(1).shuffle(order)
    here = truebleu.diagnose(texts, REFERENCES, skip="D2")
    there = truebleu.diagnose([texts[at] for at in order], [[REFERENCES[0][at] for at in order]], skip="D2")
    assert len(here.findings) >= 3
    assert {one.code: one.segments for one in here.findings} == {
        one.code: tuple(sorted(order[at] for at in one.segments)) for one in there.findings
    }


def test_findings_do_not_depend_on_threads() -> None:
    texts = with_unk(1, 2, 3)
    del texts[100]
    texts.append("x")
    one, two = (truebleu.diagnose(texts, REFERENCES, GERMAN.sources, threads=number) for number in (1, 2))
    assert one.to_dict() == two.to_dict() and one.findings


def test_checks_are_chosen_by_code_or_beginning() -> None:
    texts = [f"{text} <b>" if at < 9 else text for at, text in enumerate(with_unk(20, 21, 22))]
    assert {"D304", "D306"} == {one.code for one in truebleu.diagnose(texts, REFERENCES).findings}
    assert {"D306"} == {one.code for one in truebleu.diagnose(texts, REFERENCES, checks=["D306", "D2"]).findings}
    assert {"D306"} == {one.code for one in truebleu.diagnose(texts, REFERENCES, checks="D3", skip="D304").findings}
    for bad in ("X", "", "D304,", ["D304", 5], 5):
        with pytest.raises(TruebleuError, match="checks"):
            truebleu.diagnose(texts, REFERENCES, checks=bad)  # type: ignore[arg-type]


def test_segments_without_a_reference_are_examined_too() -> None:
    references: list[list[str | None]] = [[None, *REFERENCES[0][1:]]]
    assert () == truebleu.diagnose(HYPOTHESES, references, checks="D1,D2,D3").findings


def test_references_may_be_grouped_by_segment() -> None:
    by_segment = [[text] for text in REFERENCES[0]]
    one = truebleu.diagnose(with_unk(1, 2, 3), by_segment, layout="segments")
    assert one.to_dict() == truebleu.diagnose(with_unk(1, 2, 3), REFERENCES).to_dict()


def test_metrics_keep_their_options_and_do_not_warn(caplog: pytest.LogCaptureFixture) -> None:
    texts = [text.replace(".", " .") for text in with_unk(1, 2, 3)] * 10
    metric = BLEU(lowercase=True, tokenize="intl", smooth_method="floor", smooth_value=0.2, normalize="nfc,quotes")
    report = truebleu.diagnose(texts, [REFERENCES[0] * 10], metrics=[metric])
    finding = next(one for one in report.findings if one.code == "D304")
    assert [] == caplog.records
    assert metric.corpus_score(texts, [REFERENCES[0] * 10]).score == finding.prices["BLEU"].before


def test_diagnose_is_a_lazy_name() -> None:
    assert "diagnose" in truebleu.__all__ and "truebleu.doctor.diagnosis" in sys.modules


PIECES = (
    "a", "The", "<unk>", "@@", "▁x", "&amp;", "<b>", "Ã¼", "\ufffd", "\u200b", "\x07", "\n", "\\n", "好", "ガ", "ｶ",
    "ไ", "и", "\ud800", "é", "e\u0301", "nan", "「", "“", '"', "...", "…", " - ", "–", "##x", "Ġ", "#", "```", "1.",
    "\t", '{"a"', "😅",
)  # fmt: skip


@pytest.mark.parametrize("seed", range(40))
def test_any_text_gets_a_report(seed: int) -> None:
    rng = random.Random(seed)

    def texts(number: int) -> list[str]:
        return [rng.choice(("", " ")).join(rng.choices(PIECES, k=rng.randrange(12))) for _ in range(number)]

    n = rng.choice((1, 2, 3, 10, 12, 60))
    streams: list[list[str | None]] = [list(texts(n + rng.choice((0, 0, 0, 1)))) for _ in range(rng.choice((1, 2, n)))]
    streams[0][0] = None
    metrics = rng.choice((None, [TER()], [BLEU(tokenize="none"), truebleu.GLEU()], [CHRF(word_order=2)]))
    report = truebleu.diagnose(texts(n), streams, rng.choice((None, texts(n), texts(n + 1))), metrics=metrics)
    offered = {one.repair for one in report.findings if one.side == "hypotheses" and one.repair} - {"mojibake"}
    assert n == len(report.repaired(*offered))
    for name in (*REPAIRS, "lines"):
        with suppress(OptionError, MissingDependency):  # it would make the texts worse
            assert n == len(report.repaired(name))
    json.dumps(report.to_dict())
