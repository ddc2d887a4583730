"""The calls in Python that a newcomer tries first: what each gives, or the very message, which says what to do."""

import logging
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import truebleu
from truebleu import demo
from truebleu.metrics.gleu import GLEU
from truebleu.metrics.known import other_metric

H = ["The ferry left at noon.", "Nobody saw the heron."]
R = ["The ferry sailed at noon.", "No one saw the heron."]
LINE = "BLEU = 42.46 81.8/66.7/42.9/20.0 (BP = 0.913 ratio = 0.917 hyp_len = 11 ref_len = 12)"
STREAMS = "expected a list of reference streams, each a list with one reference for every segment"
FLAT = f"{STREAMS}. This is a flat list; with one reference for each segment, pass [references]"
ONE = "For a single sentence there are sentence_score() and functions such as sentence_bleu()"
TEXTS = "expected a list of strings, one for each segment"
NAMES = {
    "T": truebleu, "H": H, "R": R, "np": np, "Path": Path, "score": truebleu.corpus_bleu(H, [R]),
    "six": {"a": H * 3, "b": R * 3}, "refs": [R * 3],
}  # fmt: skip

GIVES = {
    "T.corpus_bleu(H, [R])": LINE,
    "T.corpus_bleu(H, list(zip(*[[r] for r in R])))": LINE,
    "T.BLEU().corpus_score(H, [[r] for r in R], layout='segments')": LINE,
    "T.corpus_bleu(tuple(H), [R])": LINE,
    "T.corpus_bleu((h for h in H), [(r for r in R)])": LINE,
    "T.corpus_bleu(np.array(H), [np.array(R)])": LINE,
    "T.BLEU()(H, [R])": LINE,
    "T.BLEU().corpus_score(H, [R])": LINE,
    "T.sentence_bleu(H[0], [R[0]])":
    "BLEU = 37.99 83.3/60.0/25.0/16.7 (BP = 1.000 ratio = 1.000 hyp_len = 6 ref_len = 6)",
    "T.corpus_chrf(H, [R])": "chrF2 = 61.59",
    "T.CHRF(word_order=2)(H, [R])": "chrF2++ = 63.39",
    "T.ROUGE()(H, [R])": "ROUGE-L = 73.33 (P = 77.50 R = 70.00)",
    "score > 30": "True",
    "round(float(score), 3)": "42.459",
    "round(score, 1)": "42.5",
    "f'{score:.1f}'": "42.5",
    "score.score == float(score)": "True",
    "score.to_dict()['score'] == score.score": "True",
    "score.signature": "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:truebleu-0.1.0",
    "repr(T.compare(six, 'bleu', refs))": "<comparison of 2 systems, 6 segments: bleu b 100, a 42.46>",
    "repr(T.compare(six, ['bleu', 'chrf'], refs))":
    "<comparison of 2 systems, 6 segments: bleu b 100, a 42.46; chrf b 100, a 61.59>",
    "T.compare(six, ['bleu'], refs).to_pandas().shape[0] > 0": "True",
    "list(T.Study(six, references=refs, metrics=['bleu']).to_pandas()['system'])": "['a', 'b']",
    "repr(T.reconcile(H, [R], target=42.46))": "<reconciliation of 42.46: explained, likely; print() shows it>",
    "repr(T.diagnose(H, [R]))": "<diagnosis of 2 segments: nothing found; print() shows it>",
    "T.ExternalMetric('COMET').higher_is_better": "True",
    "T.ExternalMetric('MetricX').higher_is_better": "False",
    "T.evaluate.load('sacrebleu').compute(predictions=H, references=[[r] for r in R])['score'] == score.score": "True",
}  # fmt: skip

SAYS = {
    "T.bleu(H, R)": "module 'truebleu' has no attribute 'bleu'; use truebleu.corpus_bleu",
    "T.Bleu()": "module 'truebleu' has no attribute 'Bleu'; use truebleu.BLEU",
    "T.chrF()": "module 'truebleu' has no attribute 'chrF'; use truebleu.CHRF",
    "T.score(H, R)": "module 'truebleu' has no attribute 'score'; use truebleu.corpus_bleu(hypotheses, [references])",
    "T.COMET()": "module 'truebleu' has no attribute 'COMET'; its scores go into truebleu.ExternalMetric('COMET')",
    "T.report(H, R)": "module 'truebleu' has no attribute 'report'; use "
    "truebleu.Study(systems, references=[references]).to_html('report.html')",
    "T.paired_bootstrap(H, R)": "module 'truebleu' has no attribute 'paired_bootstrap'; use "
    "truebleu.compare(systems, metrics, [references])",
    "T.nothing_like_it": "module 'truebleu' has no attribute 'nothing_like_it'",
    "T.evaluate(H, R)": "truebleu.evaluate is a module, not a function: truebleu.corpus_bleu(hypotheses, [references]) "
    "scores texts, and truebleu.evaluate.load('sacrebleu').compute(predictions=..., references=...) as evaluate does",
    "T.corpus_bleu('a b', 'a c')": f"BLEU: references is the plain string 'a c', {STREAMS}. {ONE}",
    "T.corpus_bleu('a b', [['a c']])": f"BLEU: hypotheses is the plain string 'a b', {TEXTS}. {ONE}",
    "T.corpus_bleu(H, R)": f"BLEU: references[0] is the plain string 'The ferry sailed at noon.', {FLAT}",
    "T.corpus_bleu(H, np.array(R))": f"BLEU: references[0] is the plain string 'The ferry sailed at noon.', {FLAT}",
    "T.corpus_bleu(H, [[r] for r in R])": "BLEU: reference stream 0 of 2 has 1 segment, the hypotheses have 2. These "
    "look transposed: references grouped by segment go with layout='segments' of corpus_score(), or pass "
    "list(zip(*references))",
    "T.corpus_bleu(H, [R[:1]])":
    "BLEU: reference stream 0 of 1 has 1 segment, the hypotheses have 2. The first fits; is "
    "the end of the reference missing?",
    "T.sentence_bleu(H[0], R[0])":
    "BLEU: references is the plain string 'The ferry sailed at noon.', expected a list of "
    "strings: [reference]",
    "T.sentence_bleu(H, R)":
    "BLEU: the hypothesis is of type list, expected one string. For several segments there are "
    "corpus_score() and functions such as corpus_bleu()",
    "T.BLEU().score(H, [R])":
    "BLEU: stats is of type list, expected the rows that stats() returns; corpus_score() takes "
    "texts",
    "T.corpus_bleu(None, [R])": f"BLEU: hypotheses is None, {TEXTS}",
    "T.corpus_bleu(3, [R])": f"BLEU: hypotheses is of type int, {TEXTS}",
    "T.corpus_bleu(b'a b', [R])": f"BLEU: hypotheses is of type bytes, {TEXTS}. Decode bytes first: .decode('utf-8')",
    "T.corpus_bleu([h.encode() for h in H], [R])":
    "BLEU: hypotheses, segment 0: expected a string, got bytes. Segments "
    "are counted from 0",
    "T.corpus_bleu(Path('out.txt'), [R])": f"BLEU: hypotheses is the path 'out.txt', {TEXTS}. "
    "truebleu.read_lines('out.txt') reads the lines of a file",
    "T.corpus_bleu(H, Path('ref.txt'))": f"BLEU: references is the path 'ref.txt', {STREAMS}. "
    "truebleu.read_lines('ref.txt') reads the lines of a file",
    "T.corpus_bleu(set(H), [R])": f"BLEU: hypotheses is of type set, {TEXTS}",
    "T.corpus_bleu(H, None)": "BLEU: references is None and no references are cached. Pass references here or to the "
    "constructor",
    "T.corpus_bleu([], [[]])": "BLEU: hypotheses is empty, expected at least one segment",
    "T.BLEU(lowercase='yes')": "BLEU: lowercase is 'yes', expected True or False",
    "T.compare(six, ['blue'], refs)": "compare: metrics[0] is 'blue', which is not a metric (did you mean bleu? ",
    "T.compare({'a': H * 3}, 'bleu', refs)": "compare: there is 1 system in systems, expected at least two",
    "T.Study(H, references=[R])": "Study: systems[0] is 'The ferry left at noon.', expected a name and the texts of a "
    "system, as in {'a': texts}",
    "T.compare({'a': [1, 2] * 3, 'b': [2, 3] * 3}, T.ExternalMetric('judge'), all_pairs=True)":
    "judge: it is unknown whether higher or "
    "lower scores are better, so no system can be called better: pass ExternalMetric('judge', "
    "higher_is_better=True), or "
    "False",
    "T.testset('wmt99', 'en-de')": "there is no test set 'wmt99' (did you mean wmt19 or wmt09 or wmt24?); 'truebleu "
    "--list' and truebleu.testsets() list them",
    "T.read_lines('nope.txt')": "nope.txt: there is no such file",
}  # fmt: skip


@pytest.mark.parametrize("call", GIVES)
def test_a_call_gives(call: str) -> None:
    if "pandas" in call:
        pytest.importorskip("pandas")
    assert GIVES[call] == str(eval(call, NAMES))


@pytest.mark.parametrize("call", SAYS)
def test_a_call_says(call: str) -> None:
    with pytest.raises((truebleu.errors.TruebleuError, AttributeError, TypeError)) as caught:
        eval(call, NAMES)
    message = str(caught.value)
    assert SAYS[call] == (message[: len(SAYS[call])] if SAYS[call].endswith(" ") else message)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_columns_are_taken_and_tables_are_not(library: str) -> None:
    frames = pytest.importorskip(library)
    assert LINE == str(truebleu.corpus_bleu(frames.Series(H), [frames.Series(R)]))
    for hypotheses, references in ((frames.DataFrame({"h": H}), [R]), (H, frames.DataFrame({"r": R}))):
        with pytest.raises(truebleu.errors.InputTypeError, match="This is a table: choose one of its columns"):
            truebleu.corpus_bleu(hypotheses, references)


def test_a_string_that_names_a_file_is_told_how_to_be_read(tmp_path: Path) -> None:
    file = tmp_path / "out.txt"
    file.write_text("a\n")
    with pytest.raises(truebleu.errors.InputTypeError, match=r"truebleu.read_lines\('.*out.txt'\) reads the lines"):
        truebleu.corpus_bleu(str(file), [["a"]])


def test_an_accumulator_says_how_it_wants_streams() -> None:
    accumulator = truebleu.Accumulator("bleu")
    with pytest.raises(truebleu.errors.LengthMismatch, match=r"transposed, as streams: pass list\(zip\(\*target\)\)"):
        accumulator.update(H, [R])
    accumulator.update(H, list(zip(R, strict=True)))
    assert LINE == str(accumulator.compute())


def test_where_lists_drift_apart_is_said() -> None:
    data = demo.load("en-de")
    (reference, *_), (system, *_) = data.references.values(), data.systems.values()
    with pytest.raises(truebleu.errors.LengthMismatch, match=r"They seem to drift apart at line 100: is 1 line of the"):
        truebleu.corpus_bleu([*system[:99], *system[100:]], [reference])


def test_what_is_offered_is_shown_and_explained() -> None:
    names = [name for name in dir(truebleu) if not name.startswith("_")]
    assert {"corpus_bleu", "compare", "Study", "diagnose", "reconcile", "ExternalMetric"} <= {*names}
    assert {"TYPE_CHECKING", "attach", "sys", "annotations"}.isdisjoint(names)
    plain = (str, dict)
    assert [] == [name for name in names if not isinstance(one := getattr(truebleu, name), plain) and not one.__doc__]


# `compare` and `Study` look at texts as `corpus_score` does.

DEMO = demo.load("en-de")
REFERENCES = [list(stream) for stream in DEMO.references.values()]
SYSTEM = list(next(iter(DEMO.systems.values())))
MOVED = [SYSTEM[-1], *SYSTEM[:-1]]


def looked(**options: Any) -> None:
    truebleu.compare({"good": SYSTEM, "moved": MOVED}, "bleu", REFERENCES, n_samples=10, n_confidence=0, **options)


def studied(**options: Any) -> None:
    truebleu.Study({"good": SYSTEM, "moved": MOVED}, references=REFERENCES, metrics="bleu", **options)


@pytest.mark.parametrize("call", [looked, studied])
def test_moved_lines_are_warned_of(
    call: Any, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    truebleu._logs.forget()
    call()
    assert 1 == sum("moved: from line" in message for message in caplog.messages)
    assert not any("good" in message for message in caplog.messages)
    caplog.clear()
    truebleu._logs.forget()
    call(checks=False)
    monkeypatch.setenv("TRUEBLEU_CHECKS", "off")
    call()
    assert not any("moved" in message for message in caplog.messages)


def test_the_source_as_output_is_warned_of(caplog: pytest.LogCaptureFixture) -> None:
    truebleu._logs.forget()
    source = list(DEMO.sources)
    truebleu.Study({"a": SYSTEM, "b": source}, references=REFERENCES, sources=source)
    assert any(message.startswith("b has the text of the source") for message in caplog.messages)


def test_few_segments_are_not_looked_at(caplog: pytest.LogCaptureFixture) -> None:
    truebleu._logs.forget()
    few = {"a": SYSTEM[:49], "b": [SYSTEM[48], *SYSTEM[:48]]}
    truebleu.compare(few, "bleu", [stream[:49] for stream in REFERENCES], n_samples=10, n_confidence=0)
    assert not any("line" in message for message in caplog.messages)


# Names of metrics that contain others.


def test_gleu_may_be_called_by_its_name_elsewhere() -> None:
    assert other_metric("google_bleu", GLEU()) is None
    assert "GLEU" == other_metric("google_bleu", truebleu.BLEU())
    assert "BLEU" == other_metric("my_bleu", GLEU())


def test_scores_of_systems_with_both_signs_are_refused() -> None:
    metric = truebleu.ExternalMetric("MetricX-24")
    assert metric.stats([-2.0, -6.0]) is not None and metric.higher_is_better
    with pytest.raises(truebleu.errors.OptionError, match="some scores are above zero and some below it"):
        metric.stats([2.0, 6.0])
    assert logging.getLogger("truebleu").handlers == []
