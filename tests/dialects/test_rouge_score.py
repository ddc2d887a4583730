"""`truebleu.rouge_score` gives what rouge-score gives, to the last bit and to the type of a zero."""

from __future__ import annotations

import inspect
import json
import logging
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rouge_score
import rouge_score.io
import rouge_score.rouge_scorer
import rouge_score.scoring
import rouge_score.test_util
import rouge_score.tokenize
import rouge_score.tokenizers
from hypothesis import given
from hypothesis import strategies as st

import truebleu.rouge_score as ours
import truebleu.rouge_score.io
import truebleu.rouge_score.test_util
from truebleu import errors
from truebleu.rouge_score import rouge_scorer, scoring

GOLDEN = json.loads((Path(__file__).parent.parent / "golden" / "rouge.json").read_text("utf-8"))
TYPES = ["rouge1", "rouge2", "rouge3", "rougeL", "rougeLsum"]


@pytest.mark.parametrize("section", ["rouge", "rouge_random"])
def test_every_vector_is_met_with_its_whole_zeros(section: str) -> None:
    for vector in GOLDEN[section]:
        scorer = rouge_scorer.RougeScorer(TYPES, use_stemmer=vector.get("stem", False))
        found = scorer.score(vector["target"], vector["prediction"])
        assert repr(vector["scores"]) == repr({name: list(score) for name, score in found.items()})


PIECES = (
    "a", "b", "c", "the", "running", "flies", "Denied", "agreement", "\n", "\n", " ", ". ", "İ", "\u212a", "é", "中",
    "7", "\t", "\xa0", "\r", "\u2028", "\0", "\ud800", "-", "_",
)  # fmt: skip


def text_of(rng: random.Random) -> str:
    return "".join(rng.choice(PIECES) + rng.choice(("", " ")) for _ in range(rng.randrange(rng.choice((4, 20, 90)))))


def test_generated_texts_have_the_same_scores_types_and_order(cases: int) -> None:
    rng, types = random.Random("face"), [f"rouge{name}" for name in (*"123456789", "L", "Lsum")]
    for _ in range(max(cases // 20, 20)):
        chosen, stem = rng.sample(types, rng.randrange(1, 5)), rng.random() < 0.5
        theirs = rouge_score.rouge_scorer.RougeScorer(chosen, stem)
        found = rouge_scorer.RougeScorer(chosen, stem)
        for _ in range(20):
            targets, prediction = [text_of(rng) for _ in range(rng.randrange(1, 4))], text_of(rng)
            if len(targets) == 1:
                pair = theirs.score(targets[0], prediction), found.score(targets[0], prediction)
            else:
                pair = theirs.score_multi(targets, prediction), found.score_multi(targets, prediction)
            # Names, their order, and whether a zero is whole are in the text.
            assert repr(pair[0]) == repr(pair[1]), (chosen, stem, targets, prediction)


def test_several_targets_and_punkt(monkeypatch: pytest.MonkeyPatch) -> None:
    for vector in GOLDEN["rouge_multi"]:
        found = rouge_scorer.RougeScorer(TYPES).score_multi(vector["targets"], vector["prediction"])
        assert repr(vector["scores"]) == repr({name: list(score) for name, score in found.items()})
    known = {}
    for vector in GOLDEN["rouge_lsum_punkt"]:
        known.update({vector["target"]: vector["sentences"][0], vector["prediction"]: vector["sentences"][1]})
    monkeypatch.setattr("nltk.sent_tokenize", known.__getitem__)
    for vector in GOLDEN["rouge_lsum_punkt"]:
        scorer = rouge_scorer.RougeScorer(["rougeLsum", "rougeL"], split_summaries=True)
        found = scorer.score(vector["target"], vector["prediction"])
        assert vector["scores"] == list(found["rougeLsum"])
        theirs = rouge_score.rouge_scorer.RougeScorer(["rougeL"]).score(vector["target"], vector["prediction"])
        assert tuple(theirs["rougeL"]) == tuple(found["rougeL"])


class Bars:
    """A tokenizer whose tokens have spaces and line feeds in them."""

    def tokenize(self, text: str) -> list[str]:
        return text.split("|")


class Letters:
    def tokenize(self, text: str) -> list[str]:
        return list(text)


def test_a_tokenizer_of_the_users_own_is_asked() -> None:
    for vector in GOLDEN["rouge_char_tokenizer"]:
        found = rouge_scorer.RougeScorer(TYPES, tokenizer=Letters()).score(vector["target"], vector["prediction"])
        assert repr(vector["scores"]) == repr({name: list(score) for name, score in found.items()})
    rng = random.Random("bars")
    scorers = [module.RougeScorer(TYPES, True, tokenizer=Bars()) for module in (rouge_score.rouge_scorer, rouge_scorer)]
    for _ in range(200):
        texts = ["".join(rng.choices(["a", "b", " ", "|", "|", "\n", "é"], k=rng.randrange(20))) for _ in range(2)]
        theirs, found = ({name: tuple(score) for name, score in one.score(*texts).items()} for one in scorers)
        assert repr(theirs) == repr(found), texts


def test_a_batch_has_the_scores_of_its_segments() -> None:
    rng = random.Random("batch")
    targets, predictions = ([" ".join(rng.choices("abcd\n", k=rng.randrange(9))) for _ in range(40)] for _ in range(2))
    scorer = rouge_scorer.RougeScorer(TYPES)
    batch = scorer.score_batch(targets, predictions)
    for at in range(40):
        one = scorer.score(targets[at], predictions[at])
        assert {name: tuple(score) for name, score in one.items()} == {
            name: tuple(part[at] for part in score) for name, score in batch.items()
        }
    assert not any(np.signbit(part).any() for score in batch.values() for part in score)
    lists = scorer.score_batch([[target, "a b"] for target in targets], predictions)
    assert scorer.score_multi([targets[3], "a b"], predictions[3])["rougeL"].fmeasure == lists["rougeL"].fmeasure[3]


@pytest.mark.parametrize("seed", [0, 42, 12345])
@pytest.mark.parametrize("count", [1, 2, 7, 64, 400])
def test_the_aggregator_gives_the_same_bits_and_leaves_the_same_generator(seed: int, count: int) -> None:
    rng = random.Random(seed)
    rows = [{name: (rng.random(), rng.random(), rng.random()) for name in ("rouge1", "rougeL")} for _ in range(count)]
    found, left = [], []
    for module in (rouge_score.scoring, scoring):
        np.random.seed(seed)
        collected = module.BootstrapAggregator(confidence_interval=0.9, n_samples=30)
        for row in rows:
            collected.add_scores({name: module.Score(*score) for name, score in row.items()})
        found.append(repr(collected.aggregate()))
        left.append(np.random.random())
    assert found[0] == found[1]
    assert left[0] == left[1]


def test_the_vector_of_the_aggregator_is_met() -> None:
    vector = GOLDEN["bootstrap_aggregator"]
    np.random.seed(vector["seed"])
    collected = ours.BootstrapAggregator(vector["confidence_interval"], vector["n_samples"])
    for one in vector["fmeasures"]:
        collected.add_scores({"x": ours.Score(one / 2, one, one)})
    found = collected.aggregate()["x"]
    assert [vector["low"], vector["mid"], vector["high"]] == [list(found.low), list(found.mid), list(found.high)]


def test_public_names_and_signatures_are_theirs() -> None:
    pairs: list[tuple[Any, Any]] = [
        (rouge_score.rouge_scorer.RougeScorer, rouge_scorer.RougeScorer),
        (rouge_score.rouge_scorer.RougeScorer.score, rouge_scorer.RougeScorer.score),
        (rouge_score.rouge_scorer.RougeScorer.score_multi, rouge_scorer.RougeScorer.score_multi),
        (rouge_score.rouge_scorer._score_lcs, rouge_scorer._score_lcs),
        (rouge_score.scoring.BootstrapAggregator, scoring.BootstrapAggregator),
        (rouge_score.scoring.BootstrapAggregator.add_scores, scoring.BootstrapAggregator.add_scores),
        (rouge_score.scoring.fmeasure, scoring.fmeasure),
        (rouge_score.tokenize.tokenize, ours.tokenize.tokenize),
        (rouge_score.tokenizers.DefaultTokenizer, ours.tokenizers.DefaultTokenizer),
    ]
    for theirs, mine in pairs:
        expected = [(one.name, one.default) for one in inspect.signature(theirs).parameters.values()]
        assert expected == [(one.name, one.default) for one in inspect.signature(mine).parameters.values()]
    assert repr(rouge_score.scoring.Score(1, 2, 3)) == repr(ours.Score(1, 2, 3))
    assert issubclass(ours.RougeScorer, ours.BaseScorer)


def test_private_names_that_filters_of_instructions_call() -> None:
    scorer = rouge_scorer.RougeScorer(["rougeL"], use_stemmer=False)
    theirs = rouge_score.rouge_scorer.RougeScorer(["rougeL"], use_stemmer=False)
    texts = "It isn't what İ said,\nfor 3.14 reasons", "it is not, what I said for reasons"
    tokens = [scorer._tokenizer.tokenize(text) for text in texts]
    assert [theirs._tokenizer.tokenize(text) for text in texts] == tokens
    for pair in (tokens, [tokens[0], []], [["a b", "c\n"], ["a", "b", "a b", "c\n"]]):
        assert repr(rouge_score.rouge_scorer._score_lcs(*pair)) == repr(rouge_scorer._score_lcs(*pair))


@given(st.lists(st.lists(st.sampled_from("abcd"), max_size=8), min_size=3, max_size=4))
def test_private_names_that_tests_of_rouge_score_call(lists: list[list[str]]) -> None:
    theirs, mine = rouge_score.rouge_scorer, rouge_scorer
    ref, *others = lists
    table = theirs._lcs_table(ref, others[0])
    assert table == mine._lcs_table(ref, others[0])
    assert theirs._backtrack_norec(table, ref, others[0]) == mine._backtrack_norec(table, ref, others[0])
    places = [theirs.lcs_ind(ref, other) for other in others]
    assert places == [mine.lcs_ind(ref, other) for other in others]
    assert theirs._find_union(places) == mine._find_union(places)
    assert theirs._union_lcs(ref, others) == mine._union_lcs(ref, others)
    for pair in ((lists, others), (others, lists), ([ref], [[]]), ([], [])):
        assert repr(theirs._summary_level_lcs(*pair)) == repr(mine._summary_level_lcs(*pair))


@pytest.mark.filterwarnings("ignore:The 'warn' function is deprecated:DeprecationWarning")  # rouge-score calls it
def test_files_are_scored_as_rouge_score_does(tmp_path: Path) -> None:
    texts = {
        "t1": "the cat sat\n\nthe dog\r\n",
        "t2": "one: two:three",
        "p1": "a cat\nx\nthe dog",
        "p2": "one: to:three\n",
    }
    for name, text in texts.items():
        (tmp_path / name).write_bytes(text.encode())
    found = []
    for package, files in ((rouge_score, rouge_score.io), (ours, truebleu.rouge_score.io)):
        scorer = package.rouge_scorer.RougeScorer(["rougeLsum", "rouge2", "rouge1"])
        for delimiter, pattern in (("\n", "1"), ("\n", "[12]"), (":", "2")):
            for aggregator in (None, package.scoring.BootstrapAggregator(n_samples=50)):
                np.random.seed(3)
                paths = [str(tmp_path / f"{kind}{pattern}") for kind in "tp"]
                files.compute_scores_and_write_to_csv(*paths, str(tmp_path / "out"), scorer, aggregator, delimiter)
                found.append((tmp_path / "out").read_text())
    assert 12 == len(found) and found[:6] == found[6:]


@pytest.mark.filterwarnings("ignore:The 'warn' function is deprecated:DeprecationWarning")  # rouge-score calls it
def test_files_that_do_not_fit_are_refused_as_there(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    for name, text in {"t": "a\nb\n", "p": "a\n", "empty": ""}.items():
        (tmp_path / name).write_text(text)
    for files in (rouge_score.io, truebleu.rouge_score.io):
        for names in (("t", "p"), ("t", "[tp]"), ("missing*", "p"), ("missing", "missing")):
            paths = [str(tmp_path / name) for name in (*names, "out")]
            with pytest.raises(ValueError, match=r"equal|same number"):
                files.compute_scores_and_write_to_csv(*paths, rouge_scorer.RougeScorer(["rouge1"]), None)
        with pytest.raises(ValueError, match=r"empty separator|delimiter is ''"):
            files.compute_scores_and_write_to_csv(
                *[str(tmp_path / "t")] * 2, str(tmp_path / "out"), rouge_scorer.RougeScorer(["rouge1"]), None, ""
            )
        nothing = [str(tmp_path / name) for name in ("empty", "empty", "out")]
        files.compute_scores_and_write_to_csv(*nothing, rouge_scorer.RougeScorer(["rouge1"]), None)
        assert not (tmp_path / "out").exists()
    assert "the files have no texts, so nothing is written" in caplog.text


def test_paths_of_its_test_data_have_their_names(tmp_path: Path) -> None:
    theirs, mine = rouge_score.test_util, truebleu.rouge_score.test_util
    names = [name for name in vars(theirs) if name.isupper() and not name.startswith("_")]
    assert 6 == len(names)
    for name in names:
        inside = getattr(theirs, name).rpartition("rouge_score")[2]
        assert getattr(mine, name).endswith(f"rouge_score{inside}")
    (tmp_path / "text").write_bytes(b"a\r\n\nb ")
    assert theirs.get_text(str(tmp_path / "text")) == mine.get_text(str(tmp_path / "text"))


def test_tokenize_asks_a_stemmer_of_the_users_own() -> None:
    class Short:
        def stem(self, word: str) -> str:
            return word[:2]

    for stemmer in (None, Short()):
        text = "Hello abc wonderful"
        assert rouge_score.tokenize.tokenize(text, stemmer) == ours.tokenize.tokenize(text, stemmer)


def test_it_never_refuses_a_script_but_says_so(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "truebleu"):
        assert 0 == rouge_scorer.RougeScorer(["rougeL"]).score("北京", "北京")["rougeL"].fmeasure
    assert "1 of 1 targets have no ASCII letter or digit" in caplog.text


@pytest.mark.parametrize("name", ["rouge0", "rouge10", "rougeX", "ROUGE1", 5])
def test_unknown_types_are_refused_at_once(name: Any) -> None:
    with pytest.raises(ValueError, match="rouge_types"):
        rouge_scorer.RougeScorer([name])


def test_no_types_have_no_scores() -> None:
    assert {} == rouge_scorer.RougeScorer([]).score("a", "b")


@pytest.mark.parametrize("options", [{"confidence_interval": 2}, {"confidence_interval": -0.1}, {"n_samples": 0}])
def test_the_aggregator_refuses_what_theirs_refuses(options: dict[str, Any]) -> None:
    for module in (rouge_score.scoring, scoring):
        with pytest.raises(ValueError, match=next(iter(options))):
            module.BootstrapAggregator(**options)


def test_no_targets_and_other_things_than_texts_are_refused() -> None:
    scorer = rouge_scorer.RougeScorer(["rouge1"])
    with pytest.raises(errors.EmptyReferences):
        scorer.score_multi([], "x")
    for target in (None, ["a"], 5, b"a"):
        with pytest.raises(errors.InputTypeError, match="target"):
            scorer.score(target, "x")  # type: ignore[arg-type]
