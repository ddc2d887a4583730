"""The door for small calls against the usual way: the same values, types, texts, errors and warnings."""

from __future__ import annotations

import copy
import gc
import pickle
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies
import truebleu
from truebleu import BLEU, CHRF, TER, Accumulator
from truebleu._core import Door
from truebleu._logs import forget, heard
from truebleu._options import FEWEST_SEEN
from truebleu.metrics.base import Metric
from truebleu.metrics.functions import _kept

HERE, THERE = "A heron stood by the pond.", "A grey heron stood by the pond."


class Text(str):
    """A string that is not quite one."""


class Several(list[Any]):
    """A list that is not quite one."""


OPEN: list[Callable[[], Metric[Any]]] = [
    BLEU,
    lambda: BLEU(lowercase=True, smooth_method="add-k", smooth_value=2, empty_refs="keep"),
    lambda: BLEU(tokenize="zh", effective_order=True, force=True),
    CHRF,
    lambda: CHRF(word_order=2, lowercase=True),
    TER,
    lambda: TER(normalized=True, asian_support=True),
    truebleu.metrics.GLEU,
]
SHUT: list[Callable[[], Metric[Any]]] = [
    lambda: BLEU(tokenize=str.split),
    lambda: BLEU(normalize="quotes"),
    truebleu.metrics.METRICS["WER"],
    truebleu.metrics.METRICS["ROUGE"],
]

metrics = st.one_of(*[st.sampled_from(OPEN)] * 3, st.sampled_from(SHUT))
good = strategies.texts | st.sampled_from([HERE, THERE, "", "この文には空白がない", "the the the", "A B C D . "])
odd = st.sampled_from([None, 3, b"bytes", Text("a text"), ["a list"], "long " * 1000, "\ud800"])
texts = st.one_of(good, good, good, odd)
lists = st.lists(texts, min_size=0, max_size=4)
plain = st.sampled_from([list, list, list, tuple])
kinds = plain | st.sampled_from([Several, iter])


@st.composite
def plain_corpora(draw: st.DrawFn) -> tuple[Any, Any]:
    """References by stream, by segment, or one for each hypothesis."""
    size = draw(st.integers(1, 4) | st.just(33))
    row = st.lists(good, min_size=size, max_size=size)
    by_segment = st.lists(st.lists(good, min_size=1, max_size=3), min_size=size, max_size=size)
    references = draw(st.lists(row, min_size=1, max_size=3) | by_segment | row)
    inner = draw(plain)
    return draw(plain)(draw(row)), draw(plain)([inner(one) if isinstance(one, list) else one for one in references])


@st.composite
def odd_corpora(draw: st.DrawFn) -> tuple[Any, Any]:
    """Lists of some kind with texts of some kind, in some number."""
    hypotheses = draw(lists)
    row = st.lists(texts, min_size=len(hypotheses), max_size=len(hypotheses))
    references = draw(st.lists(row, max_size=3) | st.lists(lists, max_size=3) | row | texts)
    if isinstance(references, list):
        references = draw(kinds)([draw(kinds)(one) if isinstance(one, list) else one for one in references])
    return draw(kinds)(hypotheses) if draw(st.integers(0, 9)) else draw(texts), references


corpora = st.one_of(plain_corpora(), plain_corpora(), odd_corpora())


def outcome(call: Callable[[], Any]) -> tuple[Any, ...]:
    """All that can be told of a call."""
    forget()
    messages: list[str] = []
    with heard(messages):
        try:
            found = call()
        except Exception as error:
            return type(error), str(error), messages
    if isinstance(found, np.ndarray):
        return found.dtype, found.shape, found.tobytes(), found.flags.writeable, messages
    if found is None:
        return (messages,)
    told = {**vars(found)}
    return type(found), repr(found), sorted(told.items(), key=str), str(found.signature), found.to_dict(), messages


def shut(metric: Metric[Any]) -> Metric[Any]:
    """The metric without its door."""
    metric._door = Door(None, False, True)
    return metric


def again(values: Any) -> Any:
    """The same values once more: some can be read only once."""
    return copy.deepcopy(values)


@given(
    make=metrics,
    corpus=corpora,
    layout=st.sampled_from([None, None, None, "streams", "segments", "rows", 3]),
    more=st.sampled_from(
        [{}, {}, {}, {}, {"n_bootstrap": 1}, {"n_bootstrap": True}, {"n_bootstrap": 1.0}, {"threads": 1}, {"seed": 1},
         {"checks": False}, {"level": "document"}, {"level": "Segment"}, {"n_bootstrap": 5}, {"resegment": 0}]
    ),
)  # fmt: skip
def test_a_corpus_is_scored_as_it_is_on_the_usual_way(
    make: Callable[[], Metric[Any]], corpus: tuple[Any, Any], layout: Any, more: dict[str, Any]
) -> None:
    fast, slow = make(), shut(make())
    hypotheses, references = corpus
    for name in ("corpus_score", "sentence_scores"):
        options = more if name == "corpus_score" else {key: more[key] for key in more.keys() & {"threads", "level"}}
        both = [
            outcome(partial(getattr(one, name), again(hypotheses), again(references), layout=layout, **options))
            for one in (slow, fast)
        ]
        assert both[0] == both[1]
        assert slow._seen_references == fast._seen_references
        assert (slow.n_bootstrap, slow.seed) == (fast.n_bootstrap, fast.seed)


@given(
    make=metrics,
    hypothesis=good | texts,
    references=st.lists(good, min_size=1, max_size=3) | lists | texts,
    kind=kinds,
)
def test_a_sentence_is_scored_as_it_is_on_the_usual_way(
    make: Callable[[], Metric[Any]], hypothesis: Any, references: Any, kind: Any
) -> None:
    fast, slow = make(), shut(make())
    given = kind(references) if isinstance(references, list) else references
    both = [outcome(partial(one.sentence_score, hypothesis, again(given))) for one in (slow, fast)]
    assert both[0] == both[1]
    assert slow._seen_references == fast._seen_references


@given(make=metrics, batches=st.lists(corpora, min_size=1, max_size=3))
def test_batches_add_up_as_they_do_on_the_usual_way(
    make: Callable[[], Metric[Any]], batches: list[tuple[Any, Any]]
) -> None:
    fast, slow = Accumulator(make()), Accumulator(shut(make()))
    for hypotheses, references in batches:
        both = [outcome(partial(one.update, again(hypotheses), again(references))) for one in (slow, fast)]
        assert both[0] == both[1]
        assert slow.state == fast.state
    assert outcome(slow.compute) == outcome(fast.compute)


OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "smooth_method": st.sampled_from(["exp", "add-k", "floor", "none", "wrong", ["exp"], 1]),
        "smooth_value": st.sampled_from([None, 1, 1.0, True, 0.5, -1, "1", [1], float("nan")]),
        "lowercase": st.sampled_from([True, False, 1, 0, None, "yes"]),
        "tokenize": st.sampled_from(["13a", "zh", "char", "none", None, "wrong", str.split, ["13a"], Text("13a")]),
        "use_effective_order": st.sampled_from([True, False, 1, 2]),
    },
)


@given(corpus=corpora, options=OPTIONS)
def test_functions_score_as_new_metrics_do(corpus: tuple[Any, Any], options: dict[str, Any]) -> None:
    hypotheses, references = corpus

    def new() -> Any:
        names = {"use_effective_order": "effective_order"}
        given = {"tokenize": "13a", **{names.get(key, key): value for key, value in options.items()}}
        metric = shut(BLEU(**given))
        return metric.corpus_score(again(hypotheses), again(references))

    stream = references[0] if isinstance(references, (list, tuple)) and len(references) == 1 else ()
    is_one = isinstance(hypotheses, (list, tuple)) and len(hypotheses) == 1
    if not (is_one and isinstance(stream, (list, tuple)) and len(stream) > 1):  # which has a warning of its own
        assert outcome(new) == outcome(lambda: truebleu.corpus_bleu(again(hypotheses), again(references), **options))


@pytest.mark.parametrize("layout", ["streams", "segments"])
def test_plain_calls_go_through_the_door(layout: str) -> None:
    door = BLEU()._door_for_few()
    assert door.totals([HERE], [[THERE]], None) is not None
    assert door.totals((HERE,) * 2, ((THERE,) * 2,) * 2, layout) is not None
    assert door.sentence(HERE, (THERE, "")) is not None
    assert door.scores([HERE] * 32, [THERE] * 32, None) is not None
    assert door.add([HERE], [[THERE]], (0.0,) * 10, (), 1) is not None
    assert door.totals([HERE] * 33, [[THERE] * 33], None) is None
    assert door.totals([HERE * 200], [[THERE]], None) is None


def test_texts_that_are_looked_at_do_not_go_through_the_door() -> None:
    assert 32 < FEWEST_SEEN


@pytest.mark.parametrize("value", ["1", "two"])
def test_the_number_of_threads_is_read_on_the_usual_way(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("TRUEBLEU_THREADS", value)
    call = lambda: truebleu.corpus_bleu([HERE], [[THERE]])  # noqa: E731
    if value == "1":
        assert 72.9 == round(call().score, 2)
    else:
        with pytest.raises(truebleu.errors.OptionError, match="TRUEBLEU_THREADS is 'two'"):
            call()


def test_chrf_of_texts_without_spaces_goes_through_the_door_from_the_second_call_on() -> None:
    metric, words = CHRF(), ["この文には空白がない"]
    first = metric.corpus_score(words, [words])
    assert metric._door_for_few().totals(words, [words], None) is not None
    assert vars(first) == vars(metric.corpus_score(words, [words]))


def test_a_class_that_changes_what_is_counted_is_heard() -> None:
    class Shouting(BLEU):
        def _prepared_corpus(self, corpus: Any) -> Any:
            corpus.hypotheses = [text.upper() for text in corpus.hypotheses]
            return super()._prepared_corpus(corpus)

    assert 0 == Shouting().corpus_score(["a b c d"], [["a b c d"]]).score
    assert 100 == round(Shouting().corpus_score(["a b c d"], [["A B C D"]]).score, 9)


# Scores whose texts nobody has asked for.


def test_attributes_are_all_there_before_anybody_asks() -> None:
    fresh, read = (BLEU().corpus_score([HERE], [[THERE]]) for _ in range(2))
    assert (read.prec_str, read.verbose) == ("100.0/83.3/80.0/75.0", str(read).partition("= 72.90 ")[2])
    assert vars(fresh) == vars(read) and {"prec_str", "verbose"} < vars(fresh).keys()
    with pytest.raises(AttributeError, match="'BLEUScore' object has no attribute 'presicions'"):
        fresh.presicions  # noqa: B018
    changed = BLEU().corpus_score([HERE], [[THERE]])
    changed.verbose = "mine"
    assert ("mine", read.prec_str) == (changed.verbose, changed.prec_str)


@pytest.mark.parametrize("twin", [copy.copy, copy.deepcopy, lambda score: pickle.loads(pickle.dumps(score))])
def test_a_fresh_score_is_copied_whole(twin: Callable[[Any], Any]) -> None:
    for metric in (BLEU(), CHRF(), TER()):
        score = metric.corpus_score([HERE], [[THERE]])
        other = twin(score)
        assert (vars(score), str(score.signature)) == (vars(other), str(other.signature))


def test_the_signature_of_a_score_is_its_own() -> None:
    metric = BLEU()
    one, other = (metric.corpus_score([HERE], [[THERE]]) for _ in range(2))
    assert one.signature is not None and other.signature is not None
    one.signature.update("test", "mine")
    assert "test:mine" in str(one.signature) and one.signature is one.signature
    assert "test:mine" not in str(other.signature) + str(metric.corpus_score([HERE], [[THERE]]).signature)
    metric.test_set = "wmt22"
    assert "test:wmt22" in str(metric.corpus_score([HERE], [[THERE]]).signature)
    assert "test" not in str(metric.corpus_score([HERE] * 2, [[THERE] * 2], layout="streams").signature).split("|")[0]


def test_a_score_does_not_keep_the_references_of_its_metric() -> None:
    metric = BLEU(references=[[THERE]])
    score = metric.corpus_score([HERE], None)
    assert not [one for one in gc.get_referents(score) if isinstance(one, Metric)]
    score = metric.sentence_score(HERE, [THERE])
    assert not [one for one in gc.get_referents(score) if isinstance(one, Metric)]


def test_metrics_of_functions_are_kept_in_a_bounded_number() -> None:
    for value in range(100):
        truebleu.corpus_bleu([HERE], [[THERE]], "floor", value)
    assert _kept.cache_info().currsize <= 32
    one, other = (truebleu.corpus_bleu([HERE], [[THERE]], "add-k", value) for value in (1, 1.0))
    assert repr(one.counts) != repr(other.counts)


def test_threads_share_a_metric() -> None:
    metric, found = BLEU(), dict[int, set[float]]()
    total = Accumulator(metric)

    def work(at: int) -> None:
        pair = [f"{HERE} {at}"], [[f"{THERE} {at}"] * (at + 1)]
        scores = [metric.sentence_score(pair[0][0], pair[1][0]) for _ in range(300)]
        found[at] = {score.score for score in scores}
        assert {f"nrefs:{at + 1}"} == {str(score.signature).partition("|")[0] for score in scores}
        for _ in range(300):
            total.update(*pair)

    threads = [threading.Thread(target=work, args=(at,)) for at in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [1] * 4 == [len(found[at]) for at in range(4)]
    assert 1200 == len(total)
    assert 300 * sum(len(f"{HERE} {at}".split()) + 1 for at in range(4)) == total.state["totals"]["sys_len"]
