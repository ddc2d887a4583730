"""A judge as a metric: in scores, tests and signatures it is one like any other."""

import pickle
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judges.server import fails, judging, says, value_of
from truebleu import BLEU, compare
from truebleu.errors import ConsentMissing, OptionError, UnparsedAnswers
from truebleu.metrics import METRICS
from truebleu.metrics.external import ExternalMetric
from truebleu.metrics.judge import Judge, JudgeDA, JudgeESA, JudgeMQM
from truebleu.metrics.published import metric_from_signature, parse_signature
from truebleu.runners.judging.prompts import prompt_file

SOURCES = [f"Quelle {at}" for at in range(60)]
GOOD = [f"text {at}" for at in range(60)]
OTHER = [f"other {at}" for at in range(60)]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TRUEBLEU_SCORES", str(tmp_path / "scores"))
    for name in ("TRUEBLEU_JUDGE_URL", "TRUEBLEU_JUDGE_KEY", "TRUEBLEU_JUDGE_MODEL", "TRUEBLEU_SEND_TEXTS"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def values(texts: list[str]) -> list[int]:
    return [value_of(source, text) for source, text in zip(SOURCES, texts, strict=True)]


def test_a_score_is_the_mean_and_its_signature_says_by_whom() -> None:
    with judging() as server:
        found = JudgeDA(model="tiny", url=server.url).corpus_score(GOOD, sources=SOURCES)
    assert sum(values(GOOD)) / 60 == pytest.approx(found.score, abs=1e-12)
    prompt = found.neural["prompt"]
    said = f"in:src|model:tiny|api:chat|prompt:{prompt}|temp:0|rep:1|parse:1|runner:judge-1|fmt:schema|bad:0|version:"
    assert str(found.signature).startswith(said)
    assert server.url not in str(found.signature) + str(found.neural)
    assert 64 == len(found.neural["answers_sha256"])
    assert [{"id": "tiny", "root": "org/Tiny-4bit", "owned_by": "me"}] == found.neural["served"]
    assert 1 == server.looks  # for all calls


def test_what_the_server_does_not_take_is_signed() -> None:
    with judging(fails(400, "no temperature"), fails(422, "no seed"), fails(400, "no response_format")) as server:
        found = JudgeDA(model="tiny", url=server.url, seed_sent=3).corpus_score(GOOD, sources=SOURCES)
    assert "|temp:default|rep:1|" in str(found.signature) and "|fmt:text|bad:0|" in str(found.signature)
    assert ["response_format", "seed", "temperature"] == found.neural["left_out"]
    assert metric_from_signature(f"Judge-DA|{found.signature}").fingerprint() == JudgeDA(model="tiny").fingerprint()


def test_judges_are_compared_like_any_metric() -> None:
    with judging() as server:
        judge = JudgeDA(model="tiny", url=server.url)
        found = compare({"a": GOOD, "b": OTHER}, [BLEU(), judge], [OTHER], sources=SOURCES, n_samples=50, checks=False)
        assert 120 == len(server.calls)
    expected = compare({"a": values(GOOD), "b": values(OTHER)}, ExternalMetric("ESA"), n_samples=50)
    (judged,), (known,) = found.metrics[1].pairs, expected.metrics[0].pairs
    assert (known.p_value, known.delta) == (judged.p_value, judged.delta)


def test_the_prompts_have_ranges_and_directions() -> None:
    assert [(0, 100), (0, 100), (-25, 0)] == [kind(model="m").bounds for kind in (JudgeDA, JudgeESA, JudgeMQM)]
    assert JudgeESA is METRICS["judge-esa=qwen3-32b"]
    assert Judge("judge-da", "m").bounds == (0, 100)


def test_a_prompt_of_ones_own_may_want_references_and_prefer_low_scores(folder: Path) -> None:
    own = folder / "own.toml"
    text = (
        prompt_file("judge-da").replace('["src", "hyp"]', '["hyp", "ref"]').replace("better = true", "better = false")
    )
    own.write_text(text, "utf-8")
    with judging(otherwise=says('{"score": 7}')) as server:
        judge = Judge(str(own), "tiny", server.url)
        found = judge.corpus_score(["a"], [["b"]])
        assert {"translation": "a", "reference": "b"} == server.calls[0].texts
    assert judge.needs_references and not judge.higher_is_better
    assert "in:ref|dir:low" in str(found.signature)


ANSWERS = [says("eighty")] * 3


def test_what_cannot_be_read_is_an_error_and_going_on_costs_nothing() -> None:
    with judging(*ANSWERS) as server:
        common: dict[str, Any] = {"model": "tiny", "url": server.url, "jobs": 1}
        with pytest.raises(
            UnparsedAnswers, match=r"judge-da: 1 of 60 answers could not be read \(1 prose\), segment \d+;"
        ):
            JudgeDA(**common).corpus_score(GOOD, sources=SOURCES)
        calls = len(server.calls)
        skipped = JudgeDA(**common, unparsed="skip").corpus_score(GOOD, sources=SOURCES)
        worst = JudgeDA(**common, unparsed="worst").corpus_score(GOOD, sources=SOURCES)
        rows = JudgeDA(**common, unparsed="skip").stats(GOOD, sources=SOURCES).rows
        assert calls == len(server.calls) == 62
    (lost,) = [at for at, (_, count) in enumerate(rows) if not count]
    rest = sum(values(GOOD)) - values(GOOD)[lost]
    assert [pytest.approx(rest / 59), pytest.approx(rest / 60)] == [skipped.score, worst.score]
    assert "|bad:1|" in str(skipped.signature) and "|bad:1w|" in str(worst.signature)
    assert [0.0, 0.0] == rows[lost].tolist()


def test_too_many_are_not_skipped() -> None:
    with judging(otherwise=says("eighty")) as server:
        judge = JudgeDA(model="tiny", url=server.url, unparsed="skip")
        with pytest.raises(UnparsedAnswers, match=r"60 of 60 .* more than 5%"):
            judge.corpus_score(GOOD, sources=SOURCES)
        worst = JudgeDA(model="tiny", url=server.url, unparsed="worst").corpus_score(GOOD, sources=SOURCES)
    assert (0.0, 60) == (worst.score, worst.neural["bad"])


def test_passes_are_counted_and_averaged() -> None:
    with judging(says('{"score": 10}'), *ANSWERS, says('{"score": 30}')) as server:
        judge = JudgeDA(model="tiny", url=server.url, repeats=3, jobs=1, unparsed="worst")
        found = judge.corpus_score(["a"], sources=["b"])
    assert pytest.approx(40 / 3) == found.score
    assert "|rep:3|" in str(found.signature) and "|bad:1w|" in str(found.signature)


def test_without_a_server_a_model_or_leave_nothing_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    def told(judge: Judge, kind: type[Exception] = OptionError) -> str:
        with pytest.raises(kind) as error:
            judge.corpus_score(GOOD, sources=SOURCES)
        return str(error.value)

    assert "judge-esa asks a server: --judge-url http://127.0.0.1:8000/v1" in told(JudgeESA(model="m"))
    assert "--send-texts api.example.org" in told(JudgeDA("", "m", "https://api.example.org/v1"), ConsentMissing)
    wrong = JudgeDA("", "m", "https://api.example.org/v1", send_texts="example.org")
    assert "--send-texts names example.org" in told(wrong)
    with judging() as server:
        assert "which model? -m judge-da=NAME, in Python model=; the server has tiny, large" in told(
            JudgeDA(url=server.url)
        )
        monkeypatch.setenv("TRUEBLEU_JUDGE_URL", server.url)
        monkeypatch.setenv("TRUEBLEU_JUDGE_MODEL", "tiny")
        assert JudgeDA().corpus_score(["a"], sources=["b"]).score == value_of("b", "a")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"repeats": 0}, "repeats"), ({"temperature": -1}, "temperature"), ({"unparsed": "guess"}, "unparsed"),
        ({"budget": 3}, "budget needs a price"), ({"price": "1"}, "price"),
        ({"price": (1, None)}, "price"), ({"timeout": 10**9}, "timeout"), ({"rate": 0}, "rate"),
        ({"rate": "often"}, "rate"),
        ({"jobs": 0}, "jobs"), ({"max_tokens": 0}, "max_tokens"), ({"facts": {"prompt": "judge-da-1.abc"}}, "prompt"),
    ],
)  # fmt: skip
def test_wrong_options_are_refused(options: dict[str, Any], told: str) -> None:
    with pytest.raises(OptionError, match=told):
        JudgeDA(model="m", **options)


def test_a_judge_can_be_pickled_without_its_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRUEBLEU_JUDGE_KEY", "sk-secret")
    with judging() as server:
        judge = JudgeDA(model="tiny", url=server.url)
        judge.corpus_score(["a"], sources=["b"])
        stored = pickle.dumps(judge)
        assert b"sk-secret" not in stored
        again = pickle.loads(stored)
        assert again.fingerprint() == judge.fingerprint()
        assert again.corpus_score(["a"], sources=["b"]).score == value_of("b", "a")
        assert "sk-secret" not in repr(judge) + str(vars(judge))


@pytest.mark.parametrize("options", [{"fresh": True}, {"cache": False}])
def test_even_without_the_cache_of_others_a_process_asks_once(options: dict[str, Any]) -> None:
    with judging() as server:
        JudgeDA(model="tiny", url=server.url).corpus_score(GOOD, sources=SOURCES)
        judge = JudgeDA(model="tiny", url=server.url, **options)
        judge.ask({"a": GOOD}, sources=SOURCES)
        judge.corpus_score(GOOD, sources=SOURCES)
        assert 120 == len(server.calls)


def test_what_was_paid_for_is_shared_by_calls() -> None:
    with judging() as server:
        judge = JudgeDA(model="tiny", url=server.url)
        estimate = judge.estimate({"a": GOOD}, sources=SOURCES)
        assert (60, 0) == (estimate.calls, len(server.calls))
        judge.ask({"a": GOOD, "b": OTHER}, sources=SOURCES)
        judge.corpus_score(GOOD, sources=SOURCES)
        assert 120 == len(server.calls)


NAMES = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), min_size=1, max_size=12)


@given(
    kind=st.sampled_from([JudgeDA, JudgeESA, JudgeMQM]), model=NAMES, temperature=st.floats(0, 2),
    seed=st.none() | st.integers(0, 2**31), repeats=st.integers(1, 9), normalize=st.sampled_from(["", "nfc"]),
)  # fmt: skip
def test_a_signature_gives_the_same_judge(kind: type[Judge], model: str, **options: Any) -> None:
    options["seed_sent"] = options.pop("seed")
    judge = kind(model=model, **options)
    text = f"{judge.label}|{judge._signature_for((0, 0))}"
    assert judge.fingerprint() == metric_from_signature(text).fingerprint()
    assert judge.fingerprint() == parse_signature(text).make().fingerprint()
    short = f"{judge.label}|{judge._signature_for((0, 0)).format(short=True)}"
    assert judge.fingerprint() == metric_from_signature(short).fingerprint()


def test_the_kept_answers_are_never_shown_as_those_of_another_prompt() -> None:
    signature = f"Judge-DA|{JudgeDA(model='m')._signature_for((0, 0))}"
    with pytest.raises(OptionError, match="other instructions give other scores"):
        metric_from_signature(signature.replace("prompt:judge-da-1.", "prompt:judge-da-0."))


TEXTS = ["a", "b", "c", "d", "e"]
DOCUMENTS = ["x", "x", "x", "y", "y"]


def test_a_judge_may_read_what_stands_around_a_segment_in_its_document(folder: Path) -> None:
    with judging() as server:
        judge = JudgeDA(model="tiny", url=server.url, context=1, documents=DOCUMENTS, jobs=1)
        score = judge.corpus_score(TEXTS, sources=[text.upper() for text in TEXTS])
        read = {call.texts["translation"]: call.texts for call in server.calls}
        pair = {text: {"source": text.upper(), "translation": text} for text in TEXTS}
        assert {**pair["b"], "context": {"before": [pair["a"]], "after": [pair["c"]]}} == read["b"]
        assert {"before": [pair["b"]], "after": []} == read["c"]["context"]  # "d" is of another document
        assert "|rep:1|ctx:1|" in str(score.signature)
        judge.corpus_score(TEXTS, sources=[text.upper() for text in TEXTS])
        assert 5 == len(server.calls)
        other = [*TEXTS[:2], "C", *TEXTS[3:]]  # around "b" there is another text now
        judge.corpus_score(other, sources=[text.upper() for text in TEXTS])
        assert ["C", "b"] == sorted(call.texts["translation"] for call in server.calls[5:])
        JudgeDA(model="tiny", url=server.url).corpus_score(TEXTS, sources=[text.upper() for text in TEXTS])
        assert 12 == len(server.calls)
    plain = JudgeDA(model="tiny").fingerprint()
    assert plain != judge.fingerprint() and {"ctx"} == judge.fingerprint().keys() - plain.keys()
    assert judge.fingerprint() == metric_from_signature(f"Judge-DA|{score.signature}").fingerprint()


def test_studies_and_comparisons_tell_a_judge_the_documents() -> None:
    from truebleu import Study

    systems = {"one": TEXTS, "two": TEXTS[::-1]}
    with judging() as server:
        judge = JudgeDA(model="tiny", url=server.url, context=2)
        Study(systems, metrics=judge, sources=TEXTS, documents=DOCUMENTS, checks=False).ranking("judge-da=tiny")
        assert 10 == len(server.calls)
        compare(systems, judge, sources=TEXTS, documents=DOCUMENTS, n_samples=20, checks=False)
        assert 10 == len(server.calls)
        assert any(call.texts["context"]["after"] for call in server.calls)


def test_without_documents_there_is_no_context() -> None:
    judge = JudgeDA(model="tiny", url="http://127.0.0.1:9/v1", context=1)
    with pytest.raises(OptionError, match="context is 1, and the documents of segments are unknown: --docids FILE"):
        judge.corpus_score(TEXTS, sources=TEXTS)
    with pytest.raises(OptionError, match="known for 5 of 3"):
        judge.with_documents(DOCUMENTS).corpus_score(TEXTS[:3], sources=TEXTS[:3])


def test_instructions_that_read_the_context_want_one(folder: Path) -> None:
    own = folder / "own.toml"
    own.write_text(prompt_file("judge-da").replace('["src", "hyp"]', '["hyp", "context"]'), "utf-8")
    with pytest.raises(OptionError, match="the instructions read the context, and there is none"):
        Judge(str(own), "tiny")
    with judging() as server:
        Judge(str(own), "tiny", server.url, context=1, documents="xx").corpus_score(["a", "b"])
        assert {"before": [{"translation": "a"}], "after": []} in [call.texts["context"] for call in server.calls]
