"""Every flag of every command, one after the other beside other words: it changes something, or one is told.

The flags come from the parsers, so a new one is here at once. One whose value cannot be guessed needs it in `VALUES`.
"""

import argparse
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from shlex import split
from typing import Any

import pytest
import sacrebleu.sacrebleu

from cli.conftest import Run, run_here
from truebleu import demo
from truebleu.cli.flags import SACREBLEU_FLAGS, sections
from truebleu.cli.main import COMMANDS, Command, load
from truebleu.metrics import METRICS
from truebleu.metrics.options import SACREBLEU, Flag
from word_overlap import WordOverlap

LIKE = "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0"

# The main command, in all its modes and formats.
USUAL = [
    "ref -i a", "ref -i a b", "ref -i a b --paired bs --paired-n 20", "ref -i a b --paired sign", "ref -i a -f json",
    "-t demo -l en-de -i atlas", "out.parquet --hyp-field mt --ref-field ref", "ref -i a -m chrf",
    f"ref -i a --like {LIKE}", "-i a.receipt.json", "--list", "-t demo -l en-de --echo src",
]  # fmt: skip
MORE = [
    "ref -i a -sl", "ref -i a -ci -cin 20", "ref -i a b --paired ar --paired-n 20",
    "ref -i a b --paired bs2 --paired-n 20", "ref -i a b --paired-all --paired-n 20", "ref -i a --breakdown labels",
    "ref -i a -f csv", "ref -i a -f sacrebleu-json", "ref -i a b -f latex", "ref -i a -b", "ref -i a --report",
    "out.jsonl --hyp-field mt --ref-field ref", "out.jsonl --hyp-field mt --ref-field ref --by kind",
    "--list -t demo", "-t demo --cite", "ref -i a --resegment always", "ref -i a --only 1-5", "ref -i a --sensitivity",
    "ref -i b --against a.receipt.json --paired-n 20", "-t demo -l en-de -i atlas --detail",
    "out.parquet --hyp-field mt --ref-field ref --scores-out out/scores.parquet",
    *(f"ref -i a -m {name.lower()}" for name in METRICS if name not in ("BLEU", "CHRF")),
]  # fmt: skip

OTHERS = [
    "report ref -i a b -o out/x.html --trials 20", "report ref -i a b -o out/x.html --test none",
    "plot ranking ref -i a b -o out/x.svg --trials 20", "plot scatter ref -i a b -o out/x.svg",
    "power ref -i a b", "power ref -i a b --delta 1 --json",
    "agree --human en-de.mqm.seg.score COMET.seg.score chrF.seg.score",
    "scores COMET.seg.score chrF.seg.score", "agree wmt --pair en-de --statistics kendall_like acc",
    "rank COMET.seg.score chrF.seg.score",
    "rank COMET.seg.score chrF.seg.score --human en-de.mqm.seg.score --documents docs --over domain",
    "doctor ref -i a --fail-on never", "reconcile ref -i a --target 30 --max-changes 1",
    "reconcile ref -i a --from sacrebleu --to nltk", "resegment ref -i joined --method mwer", "align ref -i a",
    "align ref -i a --error-counts", "self-bleu a", "self-bleu a -m chrf -f json",
    "sign-test -r ref -t a -b b", "sign-test -r ref -t a -b b -o out",
    "merge totals.parquet", "merge totals.parquet -f json", "receipt make ref -i a -o out/x.receipt.json",
    "receipt show a.receipt.json", "receipt verify a.receipt.json", "receipt export a.receipt.json --to csv",
    "receipt export a.receipt.json --to model-index", "data list", "data where", "completion", "explain BLEU|nrefs:1",
    "metrics list",
    "overlap ref --train a other", "overlap ref --train other -i a b", "overlap -t demo -l en-de --train other",
]  # fmt: skip

VALUES = {
    "input": "b", "num_refs": "2", "encoding": "ascii", "langpair": "en-zh", "hyp_field": "alt", "ref_field": "other",
    "fields_format": "csv", "only": "1-3", "by": "kind", "resegment": "always", "unit": "all", "nulls": "empty",
    "resume": "out/ledger",
    "parquet": "out.parquet", "where": "kind=='x'",
    "totals_out": "out/t.parquet", "scores_out": "out/s.parquet", "test_set": "demo",
    "chosen_refs": "B", "origlang": "de", "subset": "news", "echo": "ref", "download": "demo", "metrics": "ter",
    "like": LIKE.replace("13a", "char"), "normalize": "quotes,dashes", "tokenize": "char", "smooth_value": "0.5",
    "confidence_n": "30", "docids": "ids", "against": "a.receipt.json", "external": "X=numbers", "breakdown": "labels",
    "format": "csv", "receipt": "out/r.receipt.json", "rouge_variant": "2", "rouge_sentences": "<n>",
    "rouge_tokenize": "char", "rouge_measure": "recall", "wer_normalize": "standardize", "output": "out/o.html",
    "title": "T", "json": "out/n.json", "date": "2030-01-31", "src": "b", "labels": "L=labels", "names": "x,y",
    "baseline": "ref", "size": "acl2", "systems": "b", "sources": "b", "language": "zh", "checks": "D3", "skip": "D3",
    "fix": "specials", "target": "20", "start": "nltk", "end": "nltk", "tool": "nltk", "axes": "case",
    "out": "out/o.txt", "correction": "bh", "examples": "1", "metric": "ter", "references": "other", "source": "b",
    "strata": "labels", "sysid": "s", "baseline_sysid": "s", "output_dir": "out",
    "system": "ref", "url": "https://example.org", "note": "n", "keyed": "key", "signer": "me",
    "human": "en-de.mqm.sys.score", "pair": "en-de", "gold": "esa", "scores_format": "mtme-domain", "domain": "y",
    "documents": "docs", "exclude": "s1", "statistics": "acc", "epsilon": "0.1", "autorank": "wmt24", "samples": "9",
    "extra": "extra.csv", "allowed_signers": "key", "into": "out/card.md", "dataset_id": "d", "task_id": "t",
    "model": "m", "to": "mlflow", "option": "x.y=1",
}  # fmt: skip

# Commands that draw at random, or take no seed at all.
_DRAWING = ("report", "plot", "power", "agree", "rank", "scores", "self-bleu", "receipt make", "completion", "overlap")

# These say how something is done, or ask that something is not done.
HOW = {
    "threads",
    "jobs",
    "quiet",
    "no_color",
    "offline",
    "no_checks",
    "no_people",
    "paired_jobs",
    "force",
    "overwrite",
    "open",
    "h",
    "help",
}

# Flags that may leave an answer as it is, because of these texts: p-values, findings and the best system stay.
BY_CHANCE = {
    "report": {"baseline"}, "plot": {"baseline", "correction", "alpha", "smooth_method", "docids"},
    "doctor": {"language", "examples", "smooth_method", "chrf_eps_smoothing", "encoding"},
    "power": {"correction"}, "agree": {"correction", "seed", "alpha", "nan", "include_human", "higher_is_better"},
    "scores": {"encoding", "pair", "direction_anyway", "mqm", "mqm_weights", "canary", "with_raters", "alpha"},
    "rank": {"seed", "partial", "alpha", "pair", "higher_is_better"},
    "reconcile": {"langpair"}, "align": {"all"}, "sign-test": {"by_position", "lowercase", "no_files"},
    "receipt": {"keyed"}, "overlap": {"errors", "common", "seed"},
    "resegment": {"auto"}, "": {"nulls", "smooth_method"},
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    home, few = tmp_path_factory.mktemp("flags"), 12
    data = demo.load("en-de")
    (ref, other), (first, second, _) = (
        [list(texts[:few]) for texts in kind.values()] for kind in (data.references, data.systems)
    )
    first[0], first[3] = first[0].lower() + " don't , “x” — a1 (b) </s>", first[3].upper()
    texts: dict[str, Any] = {
        "ref": ref, "other": other, "a": first, "b": second, "labels": "xy" * 6, "ids": "pppppqqqqqqq",
        "numbers": map(str, range(few)), "key": ["0123456789abcdef"], "joined": [" ".join(first)],
    }  # fmt: skip
    for name, lines in texts.items():
        (home / name).write_text("".join(f"{line}\n" for line in lines), "utf-8")
    rows = [
        {"mt": mt, "alt": alt, "ref": one, "other": two, "kind": "xy"[at % 2]}
        for at, (mt, alt, one, two) in enumerate(zip(first, second, ref, other, strict=True))
    ]
    (home / "out.jsonl").write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pa.Table.from_pylist(rows), home / "out.parquet")
    _write_scores(home)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(home)
        patch.setattr("webbrowser.open", lambda _: True)
        patch.setenv("SOURCE_DATE_EPOCH", "0")
        assert 0 == run_here(split("receipt make ref -i a -o a.receipt.json")).code
        assert 0 == run_here(split("out.parquet --hyp-field mt --ref-field ref --totals-out totals.parquet")).code
        yield home


def _write_scores(home: Path) -> None:
    """Scores of five systems by people and two metrics, on 24 segments of 12 documents and two domains."""
    for folder in ("wmt/human-scores", "wmt/metric-scores/en-de"):
        (home / folder).mkdir(parents=True)
    for at, name in enumerate(("en-de.mqm", "COMET", "chrF")):
        cells = [
            (f"s{s}", -((7 * s * s + i * (at + 2)) % 11) / 4 + (at > 0) * (s + 3)) for s in range(5) for i in range(24)
        ]
        wmt = home / "wmt" / ("metric-scores/en-de" if at else "human-scores")
        for path in (home / f"{name}.seg.score", wmt / f"{name}.seg.score"):
            path.write_text("".join(f"{system}\t{score}\n" for system, score in cells), "utf-8")
        means = [sum(score for system, score in cells if system == f"s{s}") / 24 for s in range(5)]
        path = home / f"{name}.sys.score"
        path.write_text("".join(f"s{s}\t{mean}\n" for s, mean in enumerate(means)), "utf-8")
    (home / "docs").write_text("".join(f"{'xy'[at // 12]}\td{at // 2}\n" for at in range(24)), "utf-8")
    (home / "extra.csv").write_text("system,track\ns1,open\n", "utf-8")


def answer(words: list[str], typed: str = "") -> tuple[Any, ...]:
    """What a command does: its exit code, what it says, and what it writes. The page has the command itself."""
    shutil.rmtree("out", ignore_errors=True)
    Path("out").mkdir()
    run: Run = run_here(words)
    assert run.code != 70, run.err
    files = {path.name: path.read_bytes() for path in sorted(Path("out").rglob("*")) if path.is_file()}
    page = files.get("x.html", b"")
    files["x.html"] = re.sub(rb'"command": ?"[^"]*"|truebleu report ref[^<"]*', b"", page)
    return run.code, run.out.replace(typed, ""), re.sub(r"[\d.]+ MB|\d+ bytes.*", "", run.err), files


def words_of(one: Flag) -> list[str]:
    """The flag and a value that is not its default."""
    name, kind = max(one.names, key=len), one.settings.get("type")
    if one.settings.get("action") in ("store_true", "store_const"):
        return [name]
    if one.dest in VALUES:
        return [name, VALUES[one.dest]]
    if one.settings.get("choices"):
        return [name, str([choice for choice in one.settings["choices"] if choice != one.default][-1])]
    return [name, {float: "0.3"}.get(kind, "3")]


def command_of(words: list[str]) -> Command:
    command = load(words[0] if words[0] in COMMANDS else "")
    return next((one for one in command.commands if one.name == words[1]), command)


def idle(line: str) -> list[str]:
    words = line.split(" ")
    usual, chance = answer(words), BY_CHANCE.get(words[0] if words[0] in COMMANDS else "", set())
    assert 0 == usual[0] or "verify" in line or "reconcile" in line, usual
    flags = {one.names: one for section in sections(command_of(words).flags) for one in section.flags}
    typed = {one.dest for one in flags.values() if set(one.names) & set(words)}
    typed |= {"paired_bs", "paired_ar"} if typed & {"paired", "paired_all", "against"} else set()
    return [
        one.names[0]
        for one in flags.values()
        if one.names[0].startswith("-") and one.dest not in HOW | chance | typed
        if answer(words + words_of(one), " ".join(words_of(one))) == usual
    ]


@pytest.mark.parametrize("line", [*USUAL, *OTHERS])
def test_a_flag_has_an_effect_or_one_is_told(line: str, folder: Path) -> None:
    assert [] == idle(line)


@pytest.mark.full
@pytest.mark.parametrize("line", MORE)
def test_a_flag_has_an_effect_or_one_is_told_in_every_mode(line: str, folder: Path) -> None:
    assert [] == idle(line)


def test_every_command_is_here() -> None:
    assert {*COMMANDS} == {line.split(" ")[0] for line in OTHERS}


# sacreBLEU's flags are never a mistake here because they have no effect.


def sacrebleus(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    found: set[str] = set()
    with monkeypatch.context() as patch:
        patch.setattr(argparse.ArgumentParser, "parse_args", lambda self: found.update(self._option_string_actions))
        sacrebleu.sacrebleu.parse_args()
    return {name for name in found if name.startswith("--")}


def test_the_flags_of_sacrebleu_are_known(monkeypatch: pytest.MonkeyPatch) -> None:
    of_metrics = {
        name
        for metric in METRICS.values()
        if metric.equals == SACREBLEU
        for flag in metric.flags
        for name in flag.names
        if name.startswith("--")
    }
    known = sacrebleus(monkeypatch) - {"--help"}
    assert {"--paired", "--paired-n", "--paired-ar-confidence-n", "--normalize"} == (
        SACREBLEU_FLAGS | of_metrics
    ) - known  # three are of the README of 2.0.0, one is ours and every metric has it
    assert {"--cite"} == known - SACREBLEU_FLAGS - of_metrics  # another name of --citation


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("-cin 10", "--confidence-n has no effect: it goes with --confidence"),
        ("--chrf-beta 3", "--chrf-beta has no effect: it goes with -m chrf, not with bleu"),
        ("-m chrf -tok char", "--tokenize has no effect: it goes with -m bleu, gleu, not with chrf"),
        ("-sv 0.5", "--smooth-value has no effect: BLEU does not use it with these options"),
        ("--paired-bs-n 20", "--paired-bs-n has no effect: it goes with --paired bs"),
        ("-f json -w 4", "--width has no effect: -f json has all digits"),
        ("-b -sh", "--short has no effect: --score-only shows no signature"),
        ("--list -m chrf", "--metrics has no effect: it does not go with --list"),
    ],
)
def test_a_flag_of_sacrebleu_without_an_effect_is_one_warning(words: str, told: str, folder: Path) -> None:
    run = run_here(["ref", "-i", "b", *words.split(" ")] if "--list" not in words else words.split(" "))
    assert 0 == run.code and run.out
    assert [f"truebleu: {told}"] == [line[: len(told) + 10] for line in run.err.splitlines()]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("ref -i a --rouge-stem", "--rouge-stem has no effect: it goes with -m rouge, rouge1, rouge2 and others"),
        ("ref -i a --correction holm", "--correction is about a paired test"),
        (f"ref -i a --like {LIKE} --wer-lowercase", "--wer-lowercase has no effect: it goes with -m wer, cer"),
        ("--list --sensitivity", "--sensitivity has no effect: it does not go with --list"),
        ("-t demo -l en-de -i atlas --hyp-field mt", "--hyp-field has no effect: no system is a file with fields"),
        ("align ref -i a --top 3", "--top has no effect: it goes with --error-counts"),
        ("self-bleu a --seed 0", "--seed has no effect: it goes with --sample"),
        ("ref -i a --seed 7", "--seed has no effect: nothing is drawn at random; it goes with --confidence, --paired"),
        ("ref -i a b --paired sign --seed 7", "--seed has no effect: nothing is drawn at random"),
        ("plot ecdf ref -i a b -o x.svg --seed 7", "--seed has no effect: nothing in this figure is drawn"),
        (
            "receipt make ref -i a --seed 7",
            "--seed has no effect: nothing is drawn at random; it goes with --confidence",
        ),
        *(
            (f"{words} --seed 7", "--seed has no effect: nothing is drawn at random here")
            for words in OTHERS
            if not words.startswith(_DRAWING)
        ),
        ("report ref -i a b --test none --trials 9", "--trials has no effect: it is about a test, and --test is none"),
        ("doctor ref -i a --strict --fail-on never", "--strict has no effect: --fail-on never"),
    ],
)
def test_a_flag_of_ours_without_an_effect_is_an_error(words: str, told: str, folder: Path) -> None:
    run = run_here(words.split(" "))
    assert (2, "") == (run.code, run.out) and told in run.err


def test_a_new_metric_needs_no_edit(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(METRICS, "OVERLAP", WordOverlap)
    run = run_here(["ref", "-i", "a", "--overlap-length", "2"])
    assert 2 == run.code and "--overlap-length has no effect: it goes with -m overlap, not with bleu" in run.err


# The command lines of the README of sacreBLEU 2.0.0, on texts that are here.
README = [
    "--list", "-t demo -l en-de --echo src", "--test-set demo --language-pair en-de --echo src",
    "-t demo -l en-de -i atlas", "-t demo -l en-de -i atlas -sh", "-t demo -l en-de -i atlas -b",
    "-t demo -l en-de -i atlas -b -w 4", "-t demo -l en-de -i atlas -f json",
    "-t demo -l en-de -i atlas -m bleu chrf ter", "-t demo -l en-de -i atlas -m bleu chrf ter --chrf-word-order 2",
    "-t demo -l en-de --echo ref",
    "ref -i a -m bleu -b -w 4", "-t demo -l en-de --origlang=en -i atlas", "ref -i a -b", "ref -i a --tokenize char -b",
    "ref -i a -l en-de -b", "ref other -i a -m bleu chrf ter", "refs --num-refs 2 -i a -m bleu",
    "-t demo -l en-de -i atlas birch -m bleu chrf", "-t demo -l en-de -i atlas birch -m bleu chrf -f latex",
    "ref -i a -m bleu chrf --confidence -w 4 --short", "ref -i a -m bleu chrf -w 4 --score-only",
    "-t demo -l en-de -i atlas birch -m bleu chrf --paired bs --quiet",
    "-t demo -l en-de -i atlas birch -m bleu chrf --paired ar --quiet --paired-jobs 2 --paired-n 100",
    "ref -i a b --paired ar --paired-ar-confidence-n 0 --paired-n 50",
]  # fmt: skip


@pytest.mark.parametrize("line", README)
def test_what_sacrebleus_documentation_shows_is_neither_refused_nor_warned_of(line: str, folder: Path) -> None:
    lines = [(folder / name).read_text("utf-8").splitlines() for name in ("ref", "other")]
    (folder / "refs").write_text("".join(f"{one}\t{two}\n" for one, two in zip(*lines, strict=True)), "utf-8")
    run = run_here(line.split(" "))
    assert 0 == run.code and run.out and "has no effect" not in run.err, run.err
