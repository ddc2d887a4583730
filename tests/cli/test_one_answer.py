"""The shell, Python and the page give one answer to one question: is this system better than that one?"""

import json
from typing import Any

import html5lib
import pytest

import truebleu
from cli.conftest import SYSTEMS, Files
from truebleu import BLEU, TER, Study
from truebleu.significance import Comparison, breakdown, compare

NAMES = [f"{name}.de" for name in SYSTEMS]
METRICS = {"bleu": BLEU(), "ter": TER()}


def texts(files: Files, *names: str) -> list[list[str]]:
    return [truebleu.read_lines(files.folder / name) for name in names]


def values(element: Any) -> list[float]:
    found = [one.get("data-value") for one in element.iter() if one.get("data-value")]
    return [float(number) for one in found for number in one.split()]


@pytest.fixture(scope="module")
def systems(files: Files) -> dict[str, list[str]]:
    return dict(zip(NAMES, texts(files, *NAMES), strict=True))


@pytest.mark.parametrize("correction", ["holm", None])
@pytest.mark.parametrize("test", ["ar", "bs2", "sign"])
def test_all_pairs(files: Files, systems: dict[str, list[str]], test: str, correction: str | None) -> None:
    references = texts(files, "ref1.de")
    typed = ["ref1.de", "-i", *NAMES, "-m", *METRICS, "--paired", test, "--paired-all"]
    typed += ["--correction", correction or "none"]
    typed += [] if test == "bs2" else ["--paired-ar-confidence-n", "1000"]
    told = json.loads(files.ours(*typed, "-f", "json").out)
    settings: dict[str, Any] = {"test": test, "correction": correction, "n_confidence": 1000}
    found = compare(systems, METRICS, references, all_pairs=True, **settings)
    study = Study(systems, references, METRICS, **settings).comparison
    assert study is not None and told["metrics"] == json.loads(json.dumps(found.to_dict()["metrics"]))
    assert study.metrics == found.metrics
    page = html5lib.parse(files.ours(*typed, "-f", "report").out, namespaceHTMLElements=False)
    lists = page.findall(".//section[@id='pairs']//table")[1::2]
    for metric, listed in zip(found.metrics, lists, strict=True):
        pairs = [metric.pair(a, b) for at, a in enumerate(metric.order) for b in metric.order[at + 1 :]]
        numbers = [(one.delta, *(one.interval or ()), one.p_value, one.adjusted_p_value, one.people) for one in pairs]
        assert [number for row in numbers for number in row if number is not None] == values(listed)
    ranks = [row.find("td").text for row in page.findall(".//table[@class='board']/tbody/tr")]
    first = found.metrics[0]
    assert ranks == ["–".join(map(str, dict.fromkeys(one.rank_range or ()))) for one in first.best_first]


@pytest.mark.parametrize("test", ["ar", "bs", "bs2"])
def test_a_baseline(files: Files, systems: dict[str, list[str]], test: str) -> None:
    """Where the test is one of sacreBLEU's, the shell has its table; scores and p-values are those of `compare`."""
    typed = ["ref1.de", "-i", *NAMES, "-m", *METRICS, "--paired", test, "-f", "json"]
    told = json.loads(files.ours(*typed).out)
    options: dict[str, Any] = {"n_samples": 10_000, "correction": None} if test == "ar" else {}
    found = compare(systems, METRICS, texts(files, "ref1.de"), test=test, **options)
    expected = [row for system in zip(*map(against_the_first, found.metrics), strict=True) for row in system]
    # sacreBLEU's randomization does not count ties, and says what is if it does.
    key = "p_value_with_ties" if test == "ar" else "p_value"
    assert expected == [(one["system"], one["name"], one["score"], one.get(key)) for one in told]


def against_the_first(metric: Any) -> list[tuple[str, str, float, float | None]]:
    p_values = [None, *(pair.p_value for pair in metric.pairs)]
    return [(one.name, metric.name, one.score, p) for one, p in zip(metric.systems, p_values, strict=True)]


def test_the_page_of_a_comparison_is_of_its_numbers(files: Files, systems: dict[str, list[str]], tmp_path: Any) -> None:
    references = texts(files, "ref1.de")
    found: Comparison = compare(systems, METRICS, references, test="bs2", n_samples=200, correction=None)
    found.to_html(tmp_path / "page.html")
    page = html5lib.parse((tmp_path / "page.html").read_text("utf-8"), namespaceHTMLElements=False)
    for metric, listed in zip(found.metrics, page.findall(".//section[@id='pairs']//table"), strict=True):
        pairs = {pair.system: pair for pair in metric.pairs}
        rows = [pairs[name] for name in metric.order if name in pairs]
        numbers = [n for one in rows for n in (one.delta, *(one.interval or ()), one.p_value, one.people)]
        assert [number for number in numbers if number is not None] == values(listed)


def test_groups(files: Files, systems: dict[str, list[str]]) -> None:
    references, labels = texts(files, "ref1.de"), ["long" if at % 3 else "short" for at in range(80)]
    files.write("labels.txt", "".join(f"{label}\n" for label in labels))
    typed = ["ref1.de", "-i", *NAMES, "--breakdown", "labels.txt", "--confidence", "--confidence-n", "100"]
    told = json.loads(files.ours(*typed, "-f", "json").out)
    study = Study(systems, references, BLEU(), labels={"kind": labels}, n_confidence=100, test="none")
    for name in NAMES:
        rows = [one for one in told if one["system"] == name and "group" in one]
        shell = [(one["group"]["label"], one["score"], one["confidence"]["mean"]) for one in rows]
        groups = study.groups("kind").scores["BLEU"][name]
        alone = breakdown(BLEU(), study.rows["BLEU"][name], labels, n_bootstrap=100)
        assert shell == [(one.label, one.score, one.mean) for one in groups]
        assert shell == [(one.label, one.score, one.mean) for one in alone]


def test_variants(files: Files, systems: dict[str, list[str]]) -> None:
    marked = {f"marked-{name}": [line.replace("a", "…", 1) for line in lines] for name, lines in systems.items()}
    for name, lines in marked.items():
        files.write(name, "".join(f"{line}\n" for line in lines))
    typed = ["ref1.de", "-i", *marked, "-m", *METRICS, "--normalize", "quotes", "--sensitivity", "-f", "json"]
    told = [one for one in json.loads(files.ours(*typed).out) if "group" in one]
    metrics = [BLEU(normalize="quotes"), TER(normalize="quotes")]
    found = Study(marked, texts(files, "ref1.de"), metrics).variants
    shell = {(one["group"]["label"], one["name"], one["system"]): (one["score"], one["signature"]) for one in told}
    assert shell == {
        (f"normalize={label}", score.name, name): (score.score, str(score.signature))
        for label, by_metric in found.items() for scores in by_metric.values() for name, score in scores.items()
    }  # fmt: skip
    (_, plain), (_, changed) = (next(iter(found[label]["BLEU"].items())) for label in ("nfc", "ellipsis"))
    assert "textnorm:quotes+ellipsis" in str(changed.signature) and plain.score != changed.score


def test_groups_of_fields(files: Files, systems: dict[str, list[str]]) -> None:
    """Values that read alike are groups of their own: one that is missing is shown as "(null)"."""
    (references,), lines = texts(files, "ref1.de"), systems[NAMES[0]]
    kinds = [(None, "(null)", "short")[at % 3] for at in range(80)]
    rows = [{"mt": mt, "ref": ref, "kind": kind} for mt, ref, kind in zip(lines, references, kinds, strict=True)]
    files.write("kinds.jsonl", "".join(f"{json.dumps(row)}\n" for row in rows))
    typed = ["kinds.jsonl", "--hyp-field", "mt", "--ref-field", "ref", "--by", "kind", "-f", "json"]
    groups = breakdown(BLEU(), BLEU().stats(lines, [references]), map(str, kinds), n_bootstrap=100)
    expected = [(one.label, one.n_segments, one.score, one.mean) for one in groups]
    for more in ([], ["--confidence", "--confidence-n", "100"]):
        told = [one for one in json.loads(files.ours(*typed, *more).out) if "group" in one]
        shell = [(str(one["group"]["key"]["kind"]), one["group"]["segments"], one["score"]) for one in told]
        assert shell == sorted((one[:3] for one in expected), key=lambda one: (one[0] == "None", one))
    assert {one[3] for one in expected} == {one["confidence"]["mean"] for one in told}
