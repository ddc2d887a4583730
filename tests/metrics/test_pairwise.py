"""Every hypothesis against every reference: each cell is what `sentence_score` gives."""

import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sacrebleu.metrics
from hypothesis import given
from hypothesis import strategies as st

import truebleu
from strategies import bleu_options, chrf_options, ter_options, texts, variants
from truebleu.errors import EmptyCorpus, InputTypeError, OptionError
from truebleu.metrics import BLEU, CHRF, GLEU, METRICS, TER
from truebleu.metrics.base import Metric

CALLS = {"BLEU": bleu_options, "CHRF": chrf_options, "TER": ter_options}

HYPOTHESES = ["The lamp was still on.", "the lamp was on, still", "", "Nobody home"]
REFERENCES = ["The lamp was still burning.", "Nobody was at home.", "the lamp was still on."]


@pytest.fixture(params=list(METRICS.values()), ids=list(METRICS))
def metric(request: pytest.FixtureRequest) -> Metric:
    made: Metric = request.param()
    return made


@st.composite
def two_lists(draw: st.DrawFn) -> tuple[list[str], list[str]]:
    """References, and hypotheses that are variants of some of them."""
    references = draw(st.lists(texts, min_size=1, max_size=5))
    hypotheses = st.one_of(texts, st.sampled_from(references).flatmap(variants))
    return draw(st.lists(hypotheses, min_size=1, max_size=5)), references


def loop(metric: Any, hypotheses: list[str], references: list[str]) -> np.ndarray:
    return np.array([[metric.sentence_score(hyp, [ref]).score for ref in references] for hyp in hypotheses])


@pytest.mark.parametrize("name", CALLS)
def test_cells_are_sentence_scores_of_both_libraries(name: str) -> None:
    @given(two_lists(), CALLS[name])
    def check(lists: tuple[list[str], list[str]], options: dict[str, Any]) -> None:
        cells = METRICS[name](**options).pairwise(*lists)
        assert (len(lists[0]), len(lists[1])) == cells.shape
        assert np.float64 == cells.dtype
        assert loop(METRICS[name](**options), *lists).tobytes() == cells.tobytes()
        assert loop(getattr(sacrebleu.metrics, name)(**options), *lists).tobytes() == cells.tobytes()

    check()


def test_matrices_of_many_texts(metric: Metric) -> None:
    # Enough for n-grams that most texts have, which are stored in another way, and for several threads.
    rng = np.random.default_rng(7)
    words = [
        "the",
        "a",
        "lamp",
        "door",
        "was",
        "is",
        "open",
        "shut",
        "still",
        "nobody",
        "came",
        "in",
        "out,",
        "then",
        ".",
        "12",
        "3.5",
    ]
    made = [" ".join(rng.choice(words, rng.integers(1, 25))) for _ in range(130)]
    hypotheses, references = made[:60], made[50:]
    expected = loop(metric, hypotheses, references).tobytes()
    for threads in (1, 2, 5, None):
        assert expected == metric.pairwise(hypotheses, references, threads=threads).tobytes()


def test_the_diagonal_is_that_of_sentence_scores(metric: Metric, wmt22: Any) -> None:
    import gzip

    def read(name: str) -> list[str]:
        with gzip.open(wmt22 / name, "rt", encoding="utf-8", newline="\n") as file:
            return [line.rstrip("\n") for line in file][:150]

    references = read("references/generaltest2022.en-de.ref.A.de.gz")
    hypotheses = read("references/generaltest2022.en-de.ref.B.de.gz")
    cells = metric.pairwise(hypotheses, references)
    assert metric.sentence_scores(hypotheses, [references]).tobytes() == cells.diagonal().tobytes()
    assert metric.sentence_scores([hypotheses[3]] * 150, [references]).tobytes() == cells[3].tobytes()


def test_one_text_on_either_side(metric: Metric) -> None:
    assert loop(metric, HYPOTHESES, REFERENCES[:1]).tobytes() == metric.pairwise(HYPOTHESES, REFERENCES[:1]).tobytes()
    assert loop(metric, HYPOTHESES[:1], REFERENCES).tobytes() == metric.pairwise(HYPOTHESES[:1], REFERENCES).tobytes()


def test_an_empty_reference_is_a_reference(metric: Metric) -> None:
    assert loop(metric, HYPOTHESES, ["", "a"]).tobytes() == metric.pairwise(HYPOTHESES, ["", "a"]).tobytes()


def test_tokenizers_outside_the_core_see_each_text_once() -> None:
    seen: list[str] = []

    def tokenize(line: str) -> list[str]:
        seen.append(line)
        return line.replace("-", " - ").split()

    metric = BLEU(tokenize=tokenize, lowercase=True, max_ngram_order=2)
    hypotheses, references = ["Well-known tide ", "b"], ["a well-known tide", "A-b", "c"]
    cells = metric.pairwise(hypotheses, references)
    assert 5 == len(seen)
    assert loop(metric, hypotheses, references).tobytes() == cells.tobytes()


def test_any_iterable_of_strings_will_do(metric: Metric) -> None:
    expected = metric.pairwise(HYPOTHESES, REFERENCES).tobytes()
    assert expected == metric.pairwise(iter(HYPOTHESES), np.array(REFERENCES)).tobytes()


def test_long_documents_are_scored_like_sentences() -> None:
    documents = [" ".join(f"w{at * k % 997}" for at in range(3000)) for k in (1, 3, 5)]
    for metric in (BLEU(), CHRF(), TER()):
        assert loop(metric, documents, documents).tobytes() == metric.pairwise(documents, documents).tobytes()


@pytest.mark.parametrize(
    ("hypotheses", "references", "error", "message"),
    [
        ("a b", ["a"], InputTypeError, "hypotheses is the plain string 'a b', expected a list of strings"),
        (["a"], "a b", InputTypeError, "references is the plain string 'a b'"),
        (["a", 3], ["a"], InputTypeError, r"hypotheses\[1\] is of type int, expected a string"),
        (["a"], ["a", None], InputTypeError, r"references\[1\] is None, expected a string"),
        (["a"], [["a"]], InputTypeError, r"references\[0\] is of type list"),
        ({"a"}, ["a"], InputTypeError, "hypotheses is of type set"),
        (7, ["a"], InputTypeError, "hypotheses is of type int"),
        ([], ["a"], EmptyCorpus, "hypotheses is empty, expected at least one text"),
        (["a"], [], EmptyCorpus, "references is empty"),
    ],
)
def test_bad_input(metric: Metric, hypotheses: Any, references: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        metric.pairwise(hypotheses, references)


def test_a_number_of_threads_that_is_none(metric: Metric) -> None:
    with pytest.raises(OptionError, match="threads is 0"):
        metric.pairwise(HYPOTHESES, REFERENCES, threads=0)


# --- many Python threads on one metric, as training loops use it for rewards ------------------------


def test_rewards_from_many_threads_are_those_of_one(metric: Metric) -> None:
    batches = [
        ([f"{text} {at % 7}" for text in HYPOTHESES * 20], [[f"{text} {at % 5}" for text in (REFERENCES * 27)[:80]]])
        for at in range(40)
    ]
    expected = [metric.sentence_scores(*batch, threads=1).tobytes() for batch in batches]
    fresh = type(metric)()
    found: list[list[bytes]] = [[] for _ in range(8)]

    def work(worker: int) -> None:
        for batch in batches:
            found[worker].append(fresh.sentence_scores(*batch, threads=1 + worker % 2).tobytes())

    workers = [threading.Thread(target=work, args=(worker,)) for worker in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [expected] * 8 == found


def rewards(metric: Metric, count: int) -> object:
    document = " ".join(f"w{at * 31 % 97}" for at in range(400))
    return metric.sentence_scores([document] * count, [[document[::-1]] * count], threads=1)


def matrix(metric: Metric, count: int) -> object:
    made = [" ".join(f"w{at * k % 97}" for at in range(60)) for k in range(1, 21)]
    return metric.pairwise(made * count, made, threads=1)


@pytest.mark.parametrize("work", [rewards, matrix])
def test_other_threads_run_while_scores_are_computed(metric: Metric, work: Callable[[Metric, int], object]) -> None:
    # If the interpreter's lock were held throughout, no tick could fall into the middle of the call.
    start, end, count = 0.0, 0.0, 8
    ticks: list[float] = []

    def score() -> None:
        nonlocal start, end
        start = time.perf_counter()
        work(metric, count)
        end = time.perf_counter()

    def is_in_the_middle(tick: float) -> bool:
        margin = (end - start) / 4
        return start + margin < tick < end - margin

    # On a busy machine this thread may sleep through a whole call, so there are several, each twice as long.
    while end - start < 0.1 or not any(map(is_in_the_middle, ticks)):
        assert end - start < 10
        count *= 2
        worker = threading.Thread(target=score)
        worker.start()
        while worker.is_alive():
            ticks.append(time.perf_counter())
            time.sleep(0.0005)


gleu_options = st.builds(
    lambda low, more, tokenize, lowercase: {
        "min_len": low, "max_len": low + more, "tokenize": tokenize, "lowercase": lowercase,
    },
    st.integers(1, 4), st.integers(0, 28), st.sampled_from(["13a", "char", "none"]),
    st.booleans(),
)  # fmt: skip


@given(two_lists(), gleu_options)
def test_cells_of_google_bleu_are_its_sentence_scores(
    lists: tuple[list[str], list[str]], options: dict[str, Any]
) -> None:
    gleu = GLEU(**options)
    assert loop(gleu, *lists).tobytes() == gleu.pairwise(*lists).tobytes()
    together = [*lists[0], *lists[1]]
    if len(together) > 1:
        others = [together[:at] + together[at + 1 :] for at in range(len(together))]
        each = [gleu.sentence_score(text, refs).score for text, refs in zip(together, others, strict=True)]
        assert each == truebleu.self_bleu(together, gleu).scores.tolist()
