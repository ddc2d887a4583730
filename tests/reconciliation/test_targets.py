"""A target is text: its digits say which scores give it, and a line of output says more."""

import pytest

import truebleu
from truebleu.errors import InputTypeError, OptionError
from truebleu.reconciliation.targets import Fit, parse_target


@pytest.mark.parametrize(
    ("text", "score", "expected"),
    [
        ("46.23", 46.2251, Fit(1.0, False)),
        ("46.23", 46.2349, Fit(1.0, False)),
        ("46.23", 46.2351, Fit(1.0, True)),
        ("46.23", 46.2399, Fit(1.0, True)),
        ("46.23", 46.2401, None),
        ("46.23", 46.2249, None),
        ("46", 46.4, Fit(1.0, False)),
        ("46.2", 46.25, Fit(1.0, False)),  # Python writes 46.2 for 46.25, the even digit
        ("0.4508", 45.0766, Fit(100.0, False)),
        ("0.4508", 0.4508, Fit(1.0, False)),
        ("0.5", 50.0, None),  # one decimal below one is no fraction that anybody prints
        (".4508", 45.08, Fit(100.0, False)),
        ("46.23 %", 46.23, Fit(1.0, False)),
        ("tensor(0.4508)", 45.08, Fit(100.0, False)),
        ("4.6e1", 46.0, Fit(1.0, False)),
    ],
)
def test_digits_define_the_interval(text: str, score: float, expected: Fit | None) -> None:
    assert expected == parse_target(text).fit(score)


def test_one_minus_ter_fits() -> None:
    target = parse_target("67.74")
    assert Fit(1.0, False, True) == target.fit(32.258, "ter")
    assert target.fit(32.258, "bleu") is None


LINES = {
    "sacreBLEU": "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0 = 41.7 69.0/54.0/39.5/27.0 "
    "(BP = 0.933 ratio = 0.935 hyp_len = 58 ref_len = 62)",
    "multi-bleu": "BLEU = 41.69, 69.0/54.0/39.5/27.0 (BP=0.933, ratio=0.935, hyp_len=58, ref_len=62)",
    "fairseq": "BLEU4 = 41.69, 69.0/54.0/39.5/27.0 (BP=0.933, ratio=0.935, syslen=58, reflen=62)",
}


@pytest.mark.parametrize("tool", LINES)
def test_a_line_of_output_is_read(tool: str) -> None:
    target = parse_target(LINES[tool])
    assert "bleu" == target.metric
    assert target.number in ("41.7", "41.69")
    expected = {"bp": "0.933", "ratio": "0.935", "sys_len": "58", "ref_len": "62", "precisions": "69.0/54.0/39.5/27.0"}
    assert expected == target.parts
    parts = {"precisions": [68.97, 54.0, 39.53, 27.03], "bp": 0.9334, "sys_len": 58.0, "ref_len": 62.0}
    assert target.fits_parts(parts)
    assert not target.fits_parts({**parts, "sys_len": 59.0})
    assert not target.fits_parts({**parts, "precisions": [68.97, 54.0, 39.53, 28.03]})
    assert not target.fits_parts(None)


def test_other_lines() -> None:
    mteval = parse_target('NIST score = 7.9012  BLEU score = 0.4451 for system "x"')
    assert ("bleu", "0.4451", (100.0, 1.0)) == (mteval.metric, mteval.number, mteval.scales)
    chrf = parse_target("chrF2++|nrefs:1|case:mixed|eff:yes|nc:6|nw:2|space:no|version:2.6.0 = 58.4")
    assert ("chrf", "58.4") == (chrf.metric, chrf.number)
    assert ("ter", "40.2") == parse_target("TER = 40.2")[2:0:-1]
    json = parse_target('{"name": "BLEU", "score": 41.7, "signature": "nrefs:1|tok:13a"}')
    assert ("bleu", "41.7") == (json.metric, json.number)


@pytest.mark.parametrize("text", ["", "good", "nan", "inf", "41.7.3", "about 40", "-3", "1000.5"])
def test_what_is_no_score_is_refused(text: str) -> None:
    with pytest.raises(OptionError, match="target is"):
        parse_target(text)


@pytest.mark.parametrize("name", ["COMET", "GLEU", "sacrebleu"])
def test_a_score_of_another_metric_is_refused(name: str) -> None:
    with pytest.raises(OptionError, match=f"target is a score of '{name}', expected BLEU, chrF, TER or METEOR"):
        parse_target(f'{{"name": "{name}", "score": 41.7}}')


def test_a_number_is_no_text() -> None:
    with pytest.raises(InputTypeError, match="as text"):
        parse_target(46.23)  # type: ignore[arg-type]


def test_a_number_is_a_target_too() -> None:
    texts, references = ["The tide came in"], [["the tide came in"]]
    expected = truebleu.reconcile(texts, references, "100.0").to_dict()
    assert expected == truebleu.reconcile(texts, references, 100.0).to_dict()
    assert expected == truebleu.reconcile([texts], references, [100.0]).to_dict()
    with pytest.raises(InputTypeError, match=r"target\[0\] is True, expected a number, or text that has one"):
        truebleu.reconcile(texts, references, True)
