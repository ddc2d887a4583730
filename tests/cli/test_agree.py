"""`truebleu agree` and `truebleu rank` as an organiser uses them: files, a folder, and what is refused."""

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

import real_texts
from cli.conftest import Files
from cli.test_formats import compile_latex
from truebleu import agree

SYSTEMS = ("atlas", "birch", "cedar", "dove", "elm_1")
METRICS = {"COMET-refA": 0.4, "XCOMET-XL-refA": 0.5, "chrF-refA": 4.0}
DOMAINS = [("news", "social")[at // 30] for at in range(60)]


@pytest.fixture
def folder(tmp_path: Path) -> Files:
    """A folder as mt-metrics-eval has them: 5 systems and refA, 60 segments of 12 documents, people on 50 of them."""
    generator = np.random.default_rng(0)
    truth = np.arange(6)[:, None] * 0.5 + generator.normal(size=(6, 60))
    files = Files(tmp_path)
    for name in ("human-scores", "metric-scores/en-de", "documents"):
        (tmp_path / name).mkdir(parents=True)
    people = np.minimum(0, np.round(truth - 2)) + 0.0
    scores = {
        f"metric-scores/en-de/{name}": truth + noise * generator.normal(size=truth.shape)
        for name, noise in METRICS.items()
    }
    scores["metric-scores/en-de/mine-src"] = generator.normal(size=truth.shape)
    names = (*SYSTEMS, "refA")
    for name, table in {"human-scores/en-de.mqm": people, **scores}.items():
        cells = [
            (system, "None" if "human" in name and at >= 50 else repr(float(score)))
            for system, row in zip(names, table, strict=True)
            for at, score in enumerate(row)
        ]
        files.write(f"{name}.seg.score", "".join(f"{system}\t{score}\n" for system, score in cells))
        means = zip(names, table[:, :50].mean(axis=1).tolist(), strict=True)
        files.write(f"{name}.sys.score", "".join(f"{system}\t{mean!r}\n" for system, mean in means))
    files.write("documents/en-de.docs", "".join(f"{one}\td{at // 5}\n" for at, one in enumerate(DOMAINS)))
    return files


def seg(*names: str) -> list[str]:
    return [f"metric-scores/en-de/{name}.seg.score" for name in names]


HUMAN = ("--human", "human-scores/en-de.mqm.seg.score", "--documents", "documents/en-de.docs")


def test_a_folder(folder: Files) -> None:
    run = folder.ours("agree", ".", "--pair", "en-de")
    assert 0 == run.code, run.err
    assert "Agreement with people (MQM): 5 systems, 50 segments of 10 documents" in run.out
    assert "metrics: 60 segments, people: 50" in run.out and "a constant metric" in run.out
    assert "tests: documents swapped whole, two-sided, level 0.05, Holm over 6 pairs of metrics" in run.out
    assert "human references take no part: refA (--include-human)" in run.err
    assert "higher is taken as better for mine-src, as for all files of mt-metrics-eval" in run.err
    assert "refA is" not in folder.ours("agree", ".", "--pair", "en-de", "-q").err


def test_files_and_json(folder: Files) -> None:
    run = folder.ours("agree", *HUMAN, *seg("COMET-refA", "chrF-refA"), "-f", "json", "-q")
    found = json.loads(run.out)
    assert (1, "MQM", 50, 10) == tuple(found[key] for key in ("schema", "gold", "items", "documents"))
    first, second = found["metrics"]
    assert ("COMET-refA", "higher") == (first["name"], first["direction"])
    assert {"value", "items", "trials", "seed"} == first["statistics"]["spa"].keys()
    assert {"value", "group", "epsilon", "metric_ties", "human_ties", "constant", "groups"} == (
        first["statistics"]["acc_eq"].keys()
    )
    assert {"a", "b", "statistic", "delta", "p_value", "adjusted", "significant"} == found["pairs"][0].keys()
    assert "chrF-refA" == second["name"] and [["COMET-refA"], ["chrF-refA"]] == found["clusters"]["acc_eq"]


def test_shell_and_python_give_one_answer(folder: Files) -> None:
    run = folder.ours("agree", *HUMAN, *seg("COMET-refA", "chrF-refA"), "-f", "json", "-q")

    def read(name: str) -> dict[str, list[float | None]]:
        found: dict[str, list[float | None]] = {}
        for line in (folder.folder / name).read_text("utf-8").splitlines():
            system, score = line.split("\t")
            found.setdefault(system, []).append(None if score == "None" else float(score))
        return found

    metrics = {name: read(seg(name)[0]) for name in ("COMET-refA", "chrF-refA")}
    documents = [line.replace("\t", "/") for line in (folder.folder / HUMAN[3]).read_text("utf-8").splitlines()]
    made = agree({"MQM": read(HUMAN[1])}, metrics, documents=documents, exclude=["refA"])
    assert json.loads(json.dumps({"schema": 1, **made.to_dict()})) == json.loads(run.out)


def test_who_takes_part(folder: Files) -> None:
    words = ("agree", *HUMAN, "-f", "json", "--test", "none")
    own = folder.ours(*words, *seg("COMET-refA"), "--include-human")
    assert 5 == len(json.loads(own.out)["systems"]) and "the reference of metrics takes no part: refA" in own.err
    other = folder.ours(*words, *seg("mine-src"), "--include-human", "--higher-is-better", "mine-src")
    assert 6 == len(json.loads(other.out)["systems"])
    fewer = json.loads(folder.ours(*words, *seg("COMET-refA"), "--exclude", "atlas", "--domain", "news").out)
    assert (["birch", "cedar", "dove", "elm_1"], 30, 6) == (fewer["systems"], fewer["items"], fewer["documents"])


def test_scores_of_systems_and_kinds_of_statistics(folder: Files) -> None:
    run = folder.ours("agree", ".", "--pair", "en-de", "--wmt23", "-f", "json", "-q")
    first = json.loads(run.out)["metrics"][0]["statistics"]
    assert ["acc", "sys_pearson", "pearson:none", "acc_eq:item"] == [*first]
    assert "given" == first["acc"]["sys"]
    words = (
        "agree",
        *HUMAN,
        *seg("COMET-refA"),
        "--statistics",
        "acc",
        "tau_b:system",
        "kendall_like",
        "--threshold",
        "1",
    )
    assert "mean" == json.loads(folder.ours(*words, "-f", "json", "-q").out)["metrics"][0]["statistics"]["acc"]["sys"]
    assert "tau_b:system" in folder.ours(*words, "-q").out
    assert folder.ours(*words, "-q", "-f", "html").out.startswith("<table>")


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["agree", *seg("COMET-refA")], 2, "--human names the file with scores of people"),
        (["agree", "."], 2, ". is a folder: name its language pair"),
        (["agree", ".", "--pair", "de-en"], 2, "has no scores of people for de-en"),
        (["agree", ".", "--pair", "en-de", "--gold", "esa"], 2, "has no scores of esa for en-de; it has mqm"),
        (["agree", *seg("COMET-refA"), "--pair", "en-de"], 2, "--pair goes with one folder of mt-metrics-eval"),
        (["agree", ".", "--pair", "en-de", "--human", "x"], 2, "--human goes without it"),
        (["agree", *HUMAN, *seg("COMET-refA"), "--gold", "mqm"], 2, "it goes with --pair"),
        (["agree", *HUMAN, *seg("mine-src")], 2, "--higher-is-better, --lower-is-better"),
        (["agree", *HUMAN, *seg("COMET-refA"), "--lower-is-better", "COMET-refA"], 2, "higher is better"),
        (["agree", *HUMAN, *seg("COMET-refA"), "--higher-is-better", "BLEU"], 2, "the scores are MQM, COMET-refA"),
        (["agree", *HUMAN, *seg("COMET-refA"), "--statistics", "tau_x"], 2, "tau_x"),
        (["agree", *HUMAN, *seg("COMET-refA"), "--domain", "chat"], 2, "the domains are news, social"),
        (["agree", *HUMAN, *seg("COMET-refA"), "--exclude", *SYSTEMS[:3]], 1, "2 systems in common"),
        (["agree", *HUMAN, "nowhere"], 1, "nowhere: there is no such file"),
        (["agree", *HUMAN, *seg("COMET-refA"), "--wmt23", "--statistics", "acc"], 2, "both name statistics"),
        (["agree", *HUMAN, "metric-scores/en-de/COMET-refA.sys.score"], 2, "only of whole systems"),
        (["rank", *seg("mine-src")], 2, "unknown whether higher or lower"),
        (["rank", *seg("COMET-refA"), "--over", "pair"], 2, "--over pair needs the pairs"),
        (["rank", *seg("COMET-refA"), "--average", "micro"], 2, "it goes with --over"),
        (["rank", *seg("COMET-refA"), "--over", "domain"], 2, "needs the domain of each item"),
        (["rank", *seg("COMET-refA"), "--extra", "documents/en-de.docs"], 2, "has no column 'system'"),
        (["rank", *seg("COMET-refA"), "--autorank", "wmt24"], 2, "wmt24"),
        (["rank", "human-scores/en-de.mqm.seg.score"], 1, "no scores of metrics, only of people"),
    ],
)
def test_what_is_refused(folder: Files, words: list[str], code: int, says: str) -> None:
    run = folder.ours(*words)
    assert (code, "") == (run.code, run.out)
    assert says in run.err and "bug" not in run.err, run.err


def test_rank(folder: Files) -> None:
    words = ("rank", *seg("COMET-refA", "XCOMET-XL-refA"))
    run = folder.ours(*words, "-q")
    assert 0 == run.code, run.err
    assert "refA" == run.out.splitlines()[2].split()[0] and "AutoRank of WMT25: 1 is the best of 6 systems" in run.out
    found = json.loads(folder.ours(*words, "-f", "json", "-q").out)
    assert (1, "wmt25", "segment", 60, 1000) == tuple(
        found[key] for key in ("schema", "autorank", "unit", "n_units", "n_samples")
    )
    assert all(one["interval"][0] <= one["autorank"] <= one["interval"][1] for one in found["systems"])
    whole = [name.replace(".seg.", ".sys.") for name in seg("COMET-refA", "XCOMET-XL-refA")]
    plain = json.loads(folder.ours("rank", *whole, "-f", "json", "-q").out)
    assert (0, None) == (plain["n_samples"], plain["systems"][0]["interval"])


def test_rank_with_people_and_domains(folder: Files, tmp_path: Path) -> None:
    folder.write("extra.csv", "system,track\natlas,open\nelm_1,closed & small\n")
    words = ("rank", *seg("COMET-refA", "XCOMET-XL-refA"), *HUMAN, "--extra", "extra.csv", "-q")
    found = json.loads(folder.ours(*words, "-f", "json").out)
    assert "MQM" == found["human"] and {"atlas": "open", "elm_1": "closed & small"} == found["extra"]["track"]
    best = found["systems"][0]
    assert best["rank_range"][0] == best["cluster"] == 1
    micro = json.loads(folder.ours(*words, "-f", "json", "--over", "domain", "--average", "micro").out)
    macro = json.loads(folder.ours(*words, "-f", "json", "--over", "domain").out)
    assert {"news": 30, "social": 30} == macro["strata"]
    people = {one["name"]: one["human"] for one in micro["systems"]}
    assert people == {one["name"]: one["human"] for one in found["systems"]}
    scores = [line.split("\t") for line in (folder.folder / HUMAN[1]).read_text("utf-8").splitlines()]
    for one in macro["systems"]:
        own = [float(score) for system, score in scores if system == one["name"] and score != "None"]
        assert one["human"] == pytest.approx((np.mean(own[:30]) + np.mean(own[30:])) / 2)
        assert one["autorank"] == pytest.approx(sum(one["strata"].values()) / 2)
    latex = folder.ours(*words, "-f", "wmt-latex").out
    assert r"elm\_1 & " in latex and r"closed \& small" in latex
    compile_latex("pdflatex", latex, tmp_path)


def test_rank_over_pairs(folder: Files) -> None:
    rows = {"en-cs": {"a": (0.9, 0.8), "b": (0.5, 0.4), "c": (0.1, 0.2)}, "en-is": {"b": (0.9, 0.9), "a": (0.5, 0.6)}}
    for pair, systems in rows.items():
        for system, scores in systems.items():
            line = {"language_pair": pair, "domain": "news", "document_id": "d1", "metric_scores": {"COMET": scores}}
            path = folder.folder / f"{system}.jsonl"
            path.write_text((path.read_text("utf-8") if path.exists() else "") + json.dumps(line) + "\n", "utf-8")
    words = ("rank", "a.jsonl", "b.jsonl", "--over", "pair", "--pair", "en-cs", "en-is", "-f", "json", "-q")
    found = json.loads(folder.ours(*words).out)
    assert {"a": {"en-cs": 1.0, "en-is": 2.0}, "b": {"en-cs": 2.0, "en-is": 1.0}} == {
        one["name"]: one["strata"] for one in found["systems"]
    }
    assert [1.5, 1.5] == [one["autorank"] for one in found["systems"]]


def test_a_ranking_of_texts_in_the_form_of_shared_tasks(files: Files, tmp_path: Path) -> None:
    words = ("ref1.de", "-i", "atlas.de", "birch.de", "cedar.de", "-m", "chrf", "bleu", "-f", "wmt-latex", "-q")
    run = files.ours(*words, "--paired-all")
    assert 0 == run.code and "Rank & System & chrF2 & BLEU" in run.out and r"\cmidrule{1-4}" in run.out, run.err
    plain = files.ours(*words)
    assert plain.out.startswith("\\begin{tabular}{lrr}\n\\toprule\nSystem & chrF2 & BLEU")
    compile_latex("pdflatex", run.out + plain.out, tmp_path)


def test_wmt23_from_the_shell(tmp_path: Path) -> None:
    data = real_texts.people_folder()
    if data is None or not (data / "wmt23").is_dir():
        pytest.skip("no scores of people at hand: name a folder with people/wmt23 in TRUEBLEU_TEST_DATA")
    run = Files(tmp_path).ours("agree", str(data / "wmt23"), "--pair", "he-en", "--include-human", "-f", "json", "-q")
    found = json.loads(run.out)
    assert (13, 820, 92) == (len(found["systems"]), found["items"], found["documents"])
    by_name = {one["name"]: one["statistics"] for one in found["metrics"]}
    assert 0.585679 == pytest.approx(by_name["XCOMET-Ensemble-refB"]["acc_eq"]["value"], abs=5e-7)
    assert 0.9325 == pytest.approx(by_name["XCOMET-Ensemble-refB"]["spa"]["value"], abs=2e-4)
    with gzip.open(data / "wmt23/documents/he-en.docs.gz", "rt") as file:
        assert 1910 == len(file.readlines())
