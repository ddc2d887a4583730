"""Settings give the numbers of tools that are installed, on generated texts; and of a slow and obvious multi-bleu."""

import math
import warnings
from collections import Counter
from functools import partial

import pytest
import sacrebleu.metrics
from nltk.translate import bleu_score, chrf_score

from strategies import Corpus, Generator, ter_cases_stay_short
from truebleu import evaluate
from truebleu.errors import TruebleuError
from truebleu.reconciliation.counts import SystemTexts
from truebleu.reconciliation.family import Scorer, Setting
from truebleu.reconciliation.profiles import known_setting


@pytest.fixture
def few(cases: int) -> int:
    """How many corpora to compare: 10,000 where everything is tested."""
    return cases // 2


def scorer(corpus: Corpus) -> Scorer:
    streams = {str(at): stream for at, stream in enumerate(corpus.streams, 1)}
    return Scorer(SystemTexts(corpus.hypotheses, streams, tuple(streams), {}), threads=1)


def filled(name: str, streams: int | None = None, longest: int = 300) -> Corpus:
    """A corpus in which every stream has a reference for every segment, as most tools want it."""
    corpus = Generator(name, longest).corpus(streams=streams)
    return Corpus(corpus.hypotheses, [[text or "x" for text in stream] for stream in corpus.streams])


BLEU_OPTIONS = {
    "tokenizer": {"13a": {}, "intl": {"tokenize": "intl"}, "none": {"tokenize": "none"}, "char": {"tokenize": "char"}},
    "case": {"mixed": {}, "lower": {"lowercase": True}},
    "order": {"4": {}, "2": {"max_ngram_order": 2}, "6": {"max_ngram_order": 6}},
    "smoothing": {
        "exp": {},
        "none": {"smooth_method": "none"},
        "floor[0.1]": {"smooth_method": "floor"},
        "floor[0.01]": {"smooth_method": "floor", "smooth_value": 0.01},
        "add-k[1]": {"smooth_method": "add-k"},
    },
}


def test_bleu_is_sacrebleus(few: int) -> None:
    for index in range(few):
        generator = Generator(f"reconcile/bleu/{index}")
        corpus, values, options = generator.corpus(), {"empty references": "keep"}, {}
        for axis, choices in BLEU_OPTIONS.items():
            values[axis] = generator.rng.choice(sorted(choices))
            options |= choices[values[axis]]
        expected = sacrebleu.metrics.BLEU(**options, force=True).corpus_score(*corpus).score
        assert expected == pytest.approx(scorer(corpus).score(Setting("bleu").having(values)), rel=1e-9), index


def test_mean_of_sentences_is_sacrebleus(few: int) -> None:
    metric = sacrebleu.metrics.BLEU(effective_order=True)
    for index in range(few):
        corpus = filled(f"reconcile/sentences/{index}")
        by_segment = zip(corpus.hypotheses, zip(*corpus.streams, strict=True), strict=True)
        scores = [metric.sentence_score(text, list(refs)).score for text, refs in by_segment]
        found = scorer(corpus).score(Setting("bleu").having({"aggregation": "mean"}))
        assert sum(scores) / len(scores) == pytest.approx(found, rel=1e-9), index


def test_chrf_and_ter_are_sacrebleus(few: int) -> None:
    chrf = {"6": {}, "4": {"char_order": 4}}
    for index in range(few // 2):
        generator = ter_cases_stay_short(f"reconcile/chrf/{index}")
        corpus, characters = generator.corpus(), generator.rng.choice(sorted(chrf))
        corpus = Corpus(corpus.hypotheses, [[text or "x" for text in stream] for stream in corpus.streams])
        words, beta = generator.rng.choice("012"), generator.rng.choice("123")
        eps = generator.rng.choice(["no", "yes"])
        setting = Setting("chrf").having(
            {"characters": characters, "words": words, "beta": beta, "chrF smoothing": eps}
        )
        metric = sacrebleu.metrics.CHRF(
            **chrf[characters], word_order=int(words), beta=int(beta), eps_smoothing=eps == "yes"
        )
        assert metric.corpus_score(*corpus).score == pytest.approx(scorer(corpus).score(setting), rel=1e-9), index
        normalized = generator.rng.choice(["no", "yes"])
        expected = sacrebleu.metrics.TER(normalized=normalized == "yes").corpus_score(*corpus).score
        found = scorer(corpus).score(Setting("ter").having({"normalized": normalized}))
        assert expected == pytest.approx(found, rel=1e-9), index


def of_nltk(score: "partial[float]") -> float:
    """NLTK's number from 0 to 100; not a number where it fails."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return 100 * score()
        except (ZeroDivisionError, AssertionError, IndexError, KeyError, ValueError):
            return math.nan


def test_bleu_is_nltks(few: int) -> None:
    smoothing = bleu_score.SmoothingFunction()
    for index in range(few):
        corpus = filled(f"reconcile/nltk/{index}")
        texts = [text.split() for text in corpus.hypotheses]
        references = [[text.split() for text in each] for each in zip(*corpus.streams, strict=True)]
        ours = scorer(corpus)
        expected = of_nltk(partial(bleu_score.corpus_bleu, references, texts))
        if expected == expected:
            assert expected == pytest.approx(ours.score(known_setting("nltk").setting), rel=1e-9, abs=1e-60), index
        order = 1 + index % 3
        expected = of_nltk(partial(bleu_score.corpus_bleu, references, texts, (1 / order,) * order))
        if expected == expected:
            found = ours.score(known_setting(f"nltk BLEU-{order}").setting)
            assert expected == pytest.approx(found, rel=1e-9, abs=1e-60), (index, order)
        method = index % 8
        function = getattr(smoothing, f"method{method}")
        scores = [
            of_nltk(partial(bleu_score.sentence_bleu, refs, text, smoothing_function=function))
            for refs, text in zip(references, texts, strict=True)
        ]
        found = ours.score(known_setting(f"nltk sentences, method {method}").setting)
        if all(score == score for score in scores):
            assert sum(scores) / len(scores) == pytest.approx(found, rel=1e-9, abs=1e-60), (index, method)
        expected = of_nltk(partial(bleu_score.corpus_bleu, references, texts, smoothing_function=function))
        if expected == expected and method in (1, 2, 3, 4):
            found = ours.score(known_setting(f"nltk method {method}").setting)
            assert expected == pytest.approx(found, rel=1e-9, abs=1e-60), (index, method)


def test_chrf_is_nltks(few: int) -> None:
    for index in range(few):
        corpus = filled(f"reconcile/nltk-chrf/{index}", streams=1, longest=60)
        if any("\x1c" <= c <= "\x1f" for text in [*corpus.hypotheses, *corpus.streams[0]] for c in str(text)):
            continue  # NLTK's pattern of white space has them, and Python's split has not
        expected = of_nltk(partial(chrf_score.corpus_chrf, corpus.streams[0], corpus.hypotheses))
        found = scorer(corpus).score(known_setting("nltk chrF").setting)
        assert expected == pytest.approx(found, rel=1e-9), index


@pytest.mark.parametrize("smooth", [False, True])
def test_bleu_is_hugging_faces(few: int, smooth: bool) -> None:
    module = evaluate.load("bleu")
    setting = known_setting("hf-bleu smooth" if smooth else "hf-bleu").setting
    for index in range(few):
        corpus = filled(f"reconcile/hf/{index}")
        # evaluate leaves the ends of lines, where a hyphen before a line break is joined with what follows.
        streams = [[str(text).rstrip() or "x" for text in stream] for stream in corpus.streams]
        corpus = Corpus([text.rstrip() for text in corpus.hypotheses], list(streams))
        by_segment = [list(each) for each in zip(*corpus.streams, strict=True)]
        try:
            result = module.compute(predictions=corpus.hypotheses, references=by_segment, smooth=smooth)
        except (TruebleuError, ZeroDivisionError):
            continue
        assert 100 * result["bleu"] == pytest.approx(scorer(corpus).score(setting), rel=1e-9), index


def multi_bleu(corpus: Corpus, lowercase: bool) -> float:
    """What multi-bleu.perl computes, from its description: bytes, ASCII spaces, the closest length, no smoothing."""

    def words(text: str) -> list[bytes]:
        data = text.encode("utf-8", "surrogatepass")
        return (data.lower() if lowercase else data).split()

    correct, total, length, goal = [0] * 4, [0] * 4, 0, 0
    for text, references in zip(corpus.hypotheses, zip(*corpus.streams, strict=True), strict=True):
        ours, theirs = words(text), [words(str(reference)) for reference in references]
        length += len(ours)
        goal += min((abs(len(other) - len(ours)), len(other)) for other in theirs)[1]
        for order in range(1, 5):
            grams = [Counter(zip(*(each[at:] for at in range(order)), strict=False)) for each in (ours, *theirs)]
            most = Counter[tuple[bytes, ...]]()
            for other in grams[1:]:
                most |= other
            correct[order - 1] += sum((grams[0] & most).values())
            total[order - 1] += sum(grams[0].values())
    if not all(correct) or not length:
        return 0.0
    logarithms = sum(math.log(part / whole) for part, whole in zip(correct, total, strict=True)) / 4
    return 100 * math.exp(min(0.0, 1 - goal / length) + logarithms)


@pytest.mark.parametrize("variant", ["", "-lc"])
def test_bleu_is_that_of_an_obvious_multi_bleu(few: int, variant: str) -> None:
    setting = known_setting(f"multi-bleu {variant}".strip()).setting
    for index in range(few):
        corpus = filled(f"reconcile/multi-bleu/{index}")
        assert multi_bleu(corpus, variant == "-lc") == pytest.approx(scorer(corpus).score(setting), rel=1e-9), index


TORCHMETRICS = {
    "torchmetrics": ("bleu_score", {}),
    "torchmetrics smooth": ("bleu_score", {"smooth": True}),
    "torchmetrics SacreBLEU": ("sacre_bleu_score", {}),
    "torchmetrics SacreBLEU smooth": ("sacre_bleu_score", {"smooth": True}),
    "torchmetrics chrF": ("chrf_score", {}),
    "torchmetrics chrF nw 0": ("chrf_score", {"n_word_order": 0}),
    "torchmetrics TER": ("translation_edit_rate", {}),
}


@pytest.mark.parametrize("name", TORCHMETRICS)
def test_scores_are_torchmetrics_own(few: int, name: str) -> None:
    torchmetrics = pytest.importorskip("torchmetrics.functional.text", reason="torchmetrics brings gigabytes of torch")
    function, options = TORCHMETRICS[name]
    other = []
    for index in range(few // 2):
        corpus = filled(f"reconcile/torchmetrics/{index}", longest=80)
        # A hyphen before a line break is joined with what follows, as in evaluate.
        streams = [[str(text).rstrip() or "x" for text in stream] for stream in corpus.streams]
        corpus = Corpus([text.rstrip() for text in corpus.hypotheses], list(streams))
        by_segment = [list(each) for each in zip(*corpus.streams, strict=True)]
        expected = 100 * float(getattr(torchmetrics, function)(corpus.hypotheses, by_segment, **options))
        found = scorer(corpus).score(known_setting(name).setting)
        # Sums of 32 bits in another order differ by up to three units of the last place.
        if expected != pytest.approx(found, rel=4e-7, abs=1e-6):
            other.append((index, expected, found))
    # torchmetrics searches shifts in its own way, which shows where many words are the same.
    assert len(other) <= (few // 200 if name == "torchmetrics TER" else 0), other
