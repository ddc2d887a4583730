"""Profiles give the numbers that their tools gave on eight segments."""

import pytest

from reconciliation.f8 import HYPOTHESES, A, B, scorer
from truebleu.errors import OptionError
from truebleu.reconciliation.family import Setting, all_profiles
from truebleu.reconciliation.profiles import known_setting, of_tools

EXACT, SINGLE = 1e-9, 2e-7

# The profile, its number with reference A and with both, and how exactly the tool tells it; `unit` is 100 for tools
# whose numbers go from 0 to 1.
VECTORS = [
    ("sacrebleu", 1, 62.25029971904938, 78.88995401439465, EXACT),
    ("sacrebleu<2", 1, 62.25029971904938, 78.88995401439465, EXACT),
    ("sacrebleu sentences", 1, 60.02429647636174, None, EXACT),
    ("sacrebleu sentences, order 4", 1, 45.75839441867143, None, EXACT),
    ("sacrebleu -lc", 1, 65.392774, None, 1e-8),
    ("multi-bleu", 1, "41.69", "64.45", 2),
    ("multi-bleu -lc", 1, "46.23", None, 2),
    ("multi-bleu-detok", 1, "62.25", "78.89", 2),
    ("multi-bleu-detok -lc", 1, "65.39", None, 2),
    ("mteval-v13a -c", 100, "0.6225", "0.7889", 4),
    ("mteval-v13a", 100, "0.6539", "0.8304", 4),
    ("mteval-v14 -c --international-tokenization", 100, "0.6201", "0.7736", 4),
    ("mteval-v14 -c --brevity-penalty shortest", 100, None, "0.7993", 4),
    ("mteval-v11b -c", 100, "0.5978", "0.7744", 4),
    ("mteval-v12 -c", 100, "0.6201", "0.8154", 4),
    ("nltk", 100, 0.43797299058374123, 0.6471561771559126, EXACT),
    ("nltk sentences, method 0", 100, "0.2954", None, 4),
    ("nltk sentences, method 1", 100, "0.34258783", None, 8),
    ("nltk sentences, method 2", 100, "0.45413653", None, 8),
    ("nltk sentences, method 3", 100, "0.37691259", None, 8),
    ("nltk sentences, method 4", 100, "0.45078599", None, 8),
    ("nltk sentences, method 5", 100, "0.41123588", None, 8),
    ("nltk sentences, method 7", 100, "0.41346120", None, 8),
    ("nltk strings", 100, 0.769181671163737, None, EXACT),
    ("nltk chrF", 100, 0.6692844335897887, None, EXACT),
    ("hf-bleu", 100, 0.6225029971904934, 0.7993483889268069, EXACT),
    ("hf-bleu smooth", 100, 0.628274027061889, None, EXACT),
    ("torchmetrics", 100, 0.45076588, 0.66605908, SINGLE),
    ("torchmetrics smooth", 100, 0.46267876, None, SINGLE),
    ("torchmetrics SacreBLEU", 100, 0.62250304, 0.76840985, SINGLE),
    ("torchmetrics chrF", 100, 0.71346325, 0.74830002, SINGLE),
    ("torchmetrics chrF nw 0", 100, 0.71924257, 0.75695086, SINGLE),
    ("torchmetrics TER", 100, 0.32258064, 0.30399999, SINGLE),
    ("lm-eval", 1, "62.2503", "78.8900", 4),
    ("t5", 1, 62.012373510160906, None, EXACT),
    ("fairseq-score", 1, 45.076585169650784, None, EXACT),
    ("fairseq-score --ignore-case", 1, 49.573190286925765, None, EXACT),
    ("tensor2tensor cased", 100, 0.62012374, None, SINGLE),
    ("tensor2tensor", 100, 0.65120643, None, SINGLE),
    ("codexglue", 1, 70.04252083502314, None, EXACT),
    ("sacrebleu chrF", 1, 73.12430259006848, 76.90282509947366, EXACT),
    ("sacrebleu chrF++", 1, 72.24658633002726, 75.73692790787722, EXACT),
    ("sacrebleu TER", 1, 32.25806451612903, 30.4, EXACT),
]  # fmt: skip


@pytest.mark.parametrize(("name", "unit", "one", "two", "precision"), VECTORS, ids=[row[0] for row in VECTORS])
def test_a_profile_gives_its_tools_number(
    name: str, unit: int, one: float | str | None, two: float | str | None, precision: float
) -> None:
    setting = known_setting(name).setting
    for expected, streams in ((one, (A,)), (two, (A, B))):
        if expected is not None:
            score = scorer(*streams).score(setting) / unit
            if isinstance(expected, str):
                assert expected == f"{score:.{int(precision)}f}"
            else:
                assert expected == pytest.approx(score, rel=precision)


SETTINGS = [
    ({"tokenizer": "none"}, 45.076585),
    ({"tokenizer": "intl"}, 62.012374),
    ({"tokenizer": "char"}, 76.263243),
    ({"tokenizer": "zh"}, 61.352795),
    ({"case": "lower"}, 65.392774),
    ({"text": "quotes"}, 71.60527798548848),
    ({"text": "no punctuation"}, 64.70461293759783),
    ({"order": "1"}, 77.15659250654267),
    ({"order": "2"}, 71.59940128483768),
    ({"smoothing": "add-k[1]"}, 62.777342320606266),
    ({"smoothing": "add-one"}, 62.82740270618889),
    ({"tokenizer": "wordpunct"}, 66.35088423646984),
]


@pytest.mark.parametrize(("values", "expected"), SETTINGS, ids=str)
def test_one_changed_value_gives_its_number(values: dict[str, str], expected: float) -> None:
    assert expected == pytest.approx(scorer().score(Setting("bleu").having(values)), rel=1e-8)


BOTH = [
    ({"reference length": "first-closest"}, 76.84098100908547),
    ({"reference length": "shortest"}, 79.93483889268069),
    ({"reference length": "average"}, 75.33925115094809),
    ({"references": "mean"}, 53.20949883320789),
    ({"references": "best"}, 62.25029971904938),
    ({"references": "2"}, 44.168697947366404),
]


@pytest.mark.parametrize(("values", "expected"), BOTH, ids=str)
def test_values_about_several_references(values: dict[str, str], expected: float) -> None:
    assert expected == pytest.approx(scorer(A, B).score(Setting("bleu").having(values)), rel=1e-12)


OTHERS = [
    ("chrf", {"white space": "yes"}, 73.7469283685206),
    ("ter", {"normalized": "yes"}, 24.050632911392405),
    ("ter", {"TER case": "mixed"}, 35.483870967741936),
    ("ter", {"punctuation": "no"}, 29.03225806451613),
]


@pytest.mark.parametrize(("metric", "values", "expected"), OTHERS, ids=str)
def test_values_of_chrf_and_ter(metric: str, values: dict[str, str], expected: float) -> None:
    assert expected == pytest.approx(scorer().score(Setting(metric).having(values)), rel=1e-12)


@pytest.mark.parametrize(("order", "expected"), [(1, 0.67657276), (2, 0.60468581), (3, 0.53140533), (4, 0.45076585)])
def test_cocos_orders_on_words_in_their_case(order: int, expected: float) -> None:
    setting = known_setting(f"coco BLEU-{order}").setting.having({"case": "mixed"})
    assert expected == pytest.approx(scorer().score(setting) / 100, rel=2e-8)


def test_mtevals_segments() -> None:
    expected = ["0.7325", "0.7800", "0.4572", "0.6875", "1.0000", "0.1951", "0.5342", "0.4692"]
    setting = known_setting("mteval-v13a -c segments").setting
    scores = [scorer([A[at]], hypotheses=[HYPOTHESES[at]]).score(setting) / 100 for at in range(8)]
    assert expected == [f"{score:.4f}" for score in scores]


def test_sentences_of_old_sacrebleus() -> None:
    one = scorer([A[5]], hypotheses=[HYPOTHESES[5]])
    assert 0.0 == one.score(known_setting("sacrebleu<1.5 sentences").setting)
    assert "1.3115" == f"{one.score(known_setting('sacrebleu<1.3 sentences').setting):.4f}"
    assert "14.127" == f"{one.score(known_setting('sacrebleu sentences').setting):.3f}"
    nothing = scorer(["u v w x y z"], hypotheses=["a b c d e f"])
    assert 0.0 == nothing.score(Setting("bleu"))
    assert "4.058" == f"{nothing.score(known_setting('sacrebleu<2').setting):.3f}"
    little = scorer(["u b c x y z"], hypotheses=["a b c d e f"])
    assert "8.6334" == f"{little.score(Setting('bleu').having({'smoothing': 'floor[0.1]'})):.4f}"
    assert "27.3012" == f"{little.score(Setting('bleu').having({'smoothing': 'add-k[1]'})):.4f}"


ONE_MORE = [
    ("qqq xxx", "vvvvvvvv wwwwww", "sacrebleu chrF", 70.08818426006744, EXACT),
    ("qqq xxx", "vvvvvvvv wwwwww", "torchmetrics chrF nw 0", 71.70105, SINGLE),
    # The reference is too short for most orders: all n-grams of the hypothesis count there, in sacreBLEU none of these.
    ("qqq xxx", "z", "torchmetrics chrF nw 0", 71.7010498046875, SINGLE),
    ("qqq xxx", "z", "torchmetrics chrF", 71.10254764556885, SINGLE),
    ("", "One more line.", "sacrebleu chrF", 70.7699453400947, EXACT),
    ("", "One more line.", "torchmetrics chrF nw 0", 71.92426, SINGLE),
    ("", "One more line.", "sacrebleu TER", 35.38461538461539, EXACT),
    ("", "One more line.", "torchmetrics TER", 30.76923, SINGLE),
    ("", "One more line.", "fairseq-score", 43.452799523901334, EXACT),
    ("", "One more line.", "sacrebleu", 59.05869448332109, EXACT),
]


@pytest.mark.parametrize(("hypothesis", "reference", "name", "expected", "precision"), ONE_MORE, ids=str)
def test_one_more_segment(hypothesis: str, reference: str, name: str, expected: float, precision: float) -> None:
    found = scorer([*A, reference], hypotheses=[*HYPOTHESES, hypothesis]).score(known_setting(name).setting)
    assert expected == pytest.approx(found, rel=precision)


def test_names_are_distinct_and_found() -> None:
    names = [profile.name for profile in all_profiles()]
    assert len(names) == len(set(names))
    variants = ["multi-bleu", "multi-bleu -lc", "multi-bleu on Moses tokens"]
    variants += ["multi-bleu on Moses tokens, German"]
    assert variants == [profile.name for profile in of_tools(("multi-bleu",))]
    with pytest.raises(OptionError, match="no tool 'moses'"):
        of_tools(("moses",))


def test_a_signature_is_a_setting() -> None:
    known = known_setting("BLEU|nrefs:1|case:lc|eff:no|tok:intl|smooth:floor[0.05]|version:2.3.1")
    expected = {"case": "lower", "tokenizer": "intl", "smoothing": "floor[0.05]"}
    assert Setting("bleu").having(expected) == known.setting
    assert "1" == known.references
