"""Real translations: the published WMT22 figures to the last digit, and TER against sacreBLEU.

Two settings were inferred from the figures (see `tests/golden/README.md`): `-all` gave the references in
reverse alphabetical order, which chrF can tell, and Japanese BLEU used the tokenizer `char`.
"""

import csv
import gzip
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import sacrebleu

import truebleu
from parity.compare import expected_rows, same_array, same_score

PAIRS = ("cs-en", "en-de", "en-ja", "en-zh", "liv-en", "uk-en")
PUBLISHED_TOKENIZER = {"ja": "char", "zh": "zh"}

# One system of each pair, of very different strength.
TER_SYSTEMS = {
    "cs-en": "ALMAnaCH-Inria",
    "en-de": "OpenNMT",
    "en-ja": "KYB",
    "en-zh": "Online-W",
    "liv-en": "Liv4ever",
    "uk-en": "Online-G",
}
TER_OPTIONS: dict[str, dict[str, bool]] = {
    "en-ja": {"normalized": True, "asian_support": True},
    "en-zh": {"normalized": True, "asian_support": True, "no_punct": True},
    "uk-en": {"normalized": True},
}


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("metric", ["bleu", "chrf"])
def test_published_scores_are_reproduced_to_the_last_digit(
    wmt22: Path, pair: str, metric: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The figures are older than Python 3.12, whose sum() of floats is compensated. What sacreBLEU gives on the
    # interpreter that runs is held below.
    monkeypatch.setattr("truebleu.metrics.bleu.COMPENSATED_SUM", False)
    language = pair.split("-")[1]
    if metric == "bleu":
        engine: Any = truebleu.BLEU(tokenize=PUBLISHED_TOKENIZER.get(language, "13a"))
    else:
        engine = truebleu.CHRF()
    rows = [row for row in published(wmt22) if row["pair"] == pair and row["metric"].startswith(metric)]
    assert rows
    expected, actual = {}, {}
    for row in rows:
        which = row["metric"].split("-")[1]
        streams = [references(wmt22, pair)[key] for key in chosen(wmt22, pair, which)]
        expected[row["system"], row["metric"]] = float(row["score"])
        score = engine.corpus_score(system(wmt22, pair, row["system"]), streams).score
        actual[row["system"], row["metric"]] = score
    assert expected == actual


@pytest.mark.parametrize("pair", PAIRS)
def test_the_first_lines_get_sacrebleus_rows(wmt22: Path, pair: str) -> None:
    """Rows and sentence scores, which nobody published, on the first 200 segments."""
    streams = [references(wmt22, pair)[key][:200] for key in chosen(wmt22, pair, "all")]
    hyps = system(wmt22, pair, TER_SYSTEMS[pair])[:200]
    segments = [list(refs) for refs in zip(*streams, strict=True)]
    for name, options in (("BLEU", {"trg_lang": pair.split("-")[1]}), ("CHRF", {"word_order": 2})):
        theirs, ours = getattr(sacrebleu, name)(**options), getattr(truebleu, name)(**options)
        same_array(expected_rows(name, options, hyps, segments), ours.stats(hyps, streams).rows)
        expected = [theirs.sentence_score(hyp, refs).score for hyp, refs in zip(hyps, segments, strict=True)]
        same_array(expected, ours.sentence_scores(hyps, streams))
        same_score(theirs.corpus_score(hyps, streams), ours.corpus_score(hyps, streams), name)


def test_japanese_with_mecab_scores_as_in_sacrebleu(wmt22: Path) -> None:
    same_with_mecab(wmt22, ["KYB", "NT5"], 300)


@pytest.mark.full
def test_all_of_japanese_with_mecab_scores_as_in_sacrebleu(wmt22: Path) -> None:
    names = sorted({row["system"] for row in published(wmt22) if row["pair"] == "en-ja"})
    same_with_mecab(wmt22, names, None)


@pytest.mark.parametrize("pair", PAIRS)
def test_ter_of_the_first_segments_equals_sacrebleu(wmt22: Path, pair: str) -> None:
    """300 segments; 50 of Chinese and Japanese, whose characters are the words of a slow search."""
    same_ter(wmt22, pair, 50 if "asian_support" in TER_OPTIONS.get(pair, {}) else 300)


@pytest.mark.full
@pytest.mark.parametrize("pair", PAIRS)
def test_ter_of_a_whole_system_equals_sacrebleu(wmt22: Path, pair: str) -> None:
    same_ter(wmt22, pair, None)


def same_with_mecab(folder: Path, names: list[str], limit: int | None) -> None:
    pytest.importorskip("MeCab")
    streams = [references(folder, "en-ja")["A"][:limit]]
    theirs, ours = sacrebleu.BLEU(tokenize="ja-mecab"), truebleu.BLEU(tokenize="ja-mecab")
    for name in names:
        hyps = system(folder, "en-ja", name)[:limit]
        same_score(theirs.corpus_score(hyps, streams), ours.corpus_score(hyps, streams), "BLEU")


def same_ter(folder: Path, pair: str, limit: int | None) -> None:
    hyps = system(folder, pair, TER_SYSTEMS[pair])[:limit]
    streams = [stream[:limit] for stream in references(folder, pair).values()]
    options = TER_OPTIONS.get(pair, {})
    theirs, ours = sacrebleu.TER(**options), truebleu.TER(**options)
    same_score(theirs.corpus_score(hyps, streams), ours.corpus_score(hyps, streams), "TER")


def chosen(folder: Path, pair: str, which: str) -> list[str]:
    """The names of the references behind a published figure, in the order in which they were given."""
    return sorted(references(folder, pair), reverse=True) if which == "all" else [which]


@cache
def published(folder: Path) -> list[dict[str, str]]:
    if not (folder / "published-scores.tsv").is_file():
        pytest.skip("the test set has no published scores: set TRUEBLEU_TEST_DATA")
    with open(folder / "published-scores.tsv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


@cache
def references(folder: Path, pair: str) -> dict[str, list[str]]:
    paths = sorted((folder / "references").glob(f"generaltest2022.{pair}.ref.*.gz"))
    return {path.name.split(".")[3]: read(path) for path in paths}


@cache
def system(folder: Path, pair: str, name: str) -> list[str]:
    language = pair.split("-")[1]
    return read(folder / "system-outputs" / f"generaltest2022.{pair}.hyp.{name}.{language}.gz")


def read(path: Path) -> list[str]:
    """One segment a line, and only a line feed ends a line."""
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as file:
        return [line.rstrip("\n") for line in file]
