"""Units to judgements: each answer is paid for once, kept as it came, and read anew each time."""

import json
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from judges.asking import MANY, judge, place, scorer, units
from judges.server import Faulty, completion, fails, good, judging, raw, says, value_of
from truebleu.errors import ConsentMissing, JudgeError
from truebleu.runners.cache import ScoreCache, key_of
from truebleu.runners.judging.prompts import parse_prompt, prompt_file, read_prompt
from truebleu.runners.judging.scorer import averaged, digest_of, read_said
from truebleu.runners.protocol import Result, Span, Unit

ONE = units("text")


def test_a_second_run_asks_nothing(tmp_path: Path) -> None:
    with judging() as server:
        first = judge(server.url, tmp_path, MANY)
        calls = len(server.calls)
        assert len(MANY) == calls
        assert first == judge(server.url, tmp_path, [*reversed(MANY)])[::-1]
        assert calls == len(server.calls)
    assert [value_of(one.src or "", one.hyp) for one in MANY] == [one.score for one in first]


def test_equal_texts_are_asked_about_once(tmp_path: Path) -> None:
    with judging() as server:
        found = judge(server.url, tmp_path, ONE * 5)
        assert 1 == len(server.calls)
    assert 1 == len({one.score for one in found})


@pytest.mark.parametrize(
    "more",
    [
        {"name": "judge-esa"}, {"seed": 1}, {"temperature": 0.5}, {"languages": ("German", "")}, {"repeats": 2},
        {"prompt": parse_prompt(prompt_file("judge-da").replace('"1"', '"2"', 1), "x")}, {"fresh": True},
    ],
)  # fmt: skip
def test_what_can_move_an_answer_is_asked_anew(more: dict[str, Any], tmp_path: Path) -> None:
    with judging() as server:
        judge(server.url, tmp_path, ONE)
        judge(server.url, tmp_path, ONE, **more)
        assert 1 < len(server.calls)


def test_another_server_is_another_judge(tmp_path: Path) -> None:
    with judging() as one, judging() as other:
        judge(one.url, tmp_path, ONE)
        judge(other.url, tmp_path, ONE)
        assert (1, 1) == (len(one.calls), len(other.calls))


def test_an_answer_that_cannot_be_read_is_asked_for_twice_more_and_then_kept(tmp_path: Path) -> None:
    with judging(*[says("I'd say 85")] * 3) as server:
        (found,) = judge(server.url, tmp_path, ONE, seed=10)
        assert (None, "prose", 3) == (found.score, found.why, len(found.said))
        assert [10, 11, 12] == [call.body["seed"] for call in server.calls]
        assert {0.0} == {call.body["temperature"] for call in server.calls}
        assert [found] == judge(server.url, tmp_path, ONE, seed=10)
        assert 3 == len(server.calls)


def test_the_first_answer_that_can_be_read_counts(tmp_path: Path) -> None:
    with judging(says("eighty"), says('{"score": 7}')) as server:
        (found,) = judge(server.url, tmp_path, ONE)
    assert (7.0, ["eighty", '{"score": 7}']) == (found.score, [one["text"] for one in found.said])


@pytest.mark.parametrize(
    ("answer", "why", "calls"),
    [
        (says('{"score": 85}', "length"), "cut", 3), (says('{"score": 85}', None), "cut", 3),
        (says('{"score": 85}', "content_filter"), "refused", 1), (says(""), "prose", 3),
        (raw(completion(None, message={"refusal": "no"})), "refused", 1), (says('{"score": "85"}'), "number", 3),
        (says('{"score": 850}'), "range", 3), (says('{"score": NaN}'), "number", 3), (fails(413), "too long", 1),
        (says("\ud800"), "prose", 3), (says("```\n85\n```"), "prose", 3),
    ],
)  # fmt: skip
def test_what_is_no_score_is_a_cell_without_one(answer: Any, why: str, calls: int, tmp_path: Path) -> None:
    with judging(otherwise=answer) as server:
        (found,) = judge(server.url, tmp_path, ONE)
        assert (None, why, calls) == (found.score, found.why, len(server.calls))
        assert [found] == judge(server.url, tmp_path, ONE)
        assert calls == len(server.calls)


def test_esa_asks_for_errors_and_then_for_a_score_with_the_errors_in_view(tmp_path: Path) -> None:
    unit = Unit("source", 'a bad "text"', None)
    with judging() as server:
        (found,) = judge(server.url, tmp_path, [unit], name="judge-esa")
        first, second = server.calls
    assert {"source": "source", "translation": 'a bad "text"'} == first.texts
    error = {"text": "bad", "severity": "major", "in": "translation"}
    assert {"source": "source", "translation": 'a bad "text"', "errors": [error]} == second.texts
    assert ["errors"] == first.body["response_format"]["json_schema"]["schema"]["required"]
    assert ["score"] == second.body["response_format"]["json_schema"]["schema"]["required"]
    assert value_of("source", 'a bad "text"') == found.score
    assert (Span(2, 5, "major", "meaning"),) == found.spans


def test_mqm_gives_errors_and_the_score_is_ours(tmp_path: Path) -> None:
    error = {"text": "nowhere", "severity": "minor", "category": "style", "in": "translation"}
    with judging(says(json.dumps({"errors": [error] * 2}))) as server:
        (found,) = judge(server.url, tmp_path, ONE, name="judge-mqm")
        assert (-2.0, {"errors": 2.0, "placeless": 2.0}) == (found.score, found.parts)
        assert [-5.0, 0.0] == [one.score for one in judge(server.url, tmp_path, units("bad", "ok"), name="judge-mqm")]


def test_each_pass_is_asked_for_itself_and_a_score_is_the_mean(tmp_path: Path) -> None:
    answers = [says(json.dumps({"score": score})) for score in (10, 20, 60)]
    with judging(*answers, otherwise=fails(500)) as server:
        (found,) = judge(server.url, tmp_path, ONE, repeats=3, jobs=1, seed=0)
        assert (30.0, 3) == (found.score, len(found.said))
        assert [0, 3, 6] == [call.body["seed"] for call in server.calls]
        asked = scorer(server.url, tmp_path, repeats=3, jobs=1, seed=0)
        assert [[10.0], [20.0], [60.0]] == [[one.score for one in several] for several in asked.passes(ONE, place)]
        asked.close()


def test_a_pass_that_cannot_be_read_is_left_out_of_the_mean() -> None:
    assert 4.0 == averaged([Result(3.0), Result(None, why="prose"), Result(5.0)]).score
    assert (None, "prose") == averaged([Result(None, why="prose"), Result(None, why="cut")])[0:3:2]


def test_answers_can_be_read_again_without_a_judge(tmp_path: Path) -> None:
    with judging(says("well"), *[says(good)] * 3) as server:
        found = judge(server.url, tmp_path, MANY[:3], jobs=1)
    kept = json.loads(json.dumps([one.said for one in found]))
    again = [read_said(said, read_prompt("judge-da"), unit) for said, unit in zip(kept, MANY, strict=False)]
    assert found == again
    assert digest_of([one.said for one in found]) == digest_of([one.said for one in again])
    again[0] = again[0]._replace(said=({**again[0].said[0], "text": "9"},))
    assert digest_of([one.said for one in found]) != digest_of([one.said for one in again])


def test_the_cache_has_answers_and_no_score_that_nobody_reads(tmp_path: Path) -> None:
    with judging() as server:
        asked = scorer(server.url, tmp_path)
        asked.results(ONE, place)
        asked.close()
        cache = ScoreCache("judge-da", asked.recipe.fingerprint(0), tmp_path)
        (kept,) = cache.get([key_of(ONE[0])]).values()
        cache.close()
    assert kept.score is None
    assert [100, 10] == kept.said[0]["usage"]
    assert server.url not in "".join(str(value) for value in asked.recipe.fingerprint(0).values())


def test_an_estimate_sends_nothing(tmp_path: Path) -> None:
    with judging() as server:
        asked = scorer(server.url, tmp_path, name="judge-esa", repeats=2)
        found = asked.estimate(MANY)
        assert (160, 80, []) == (found.calls, found.texts, server.calls)
        assert found.characters == 2 * sum(len(one.hyp) + len(one.src or "") for one in MANY)
        asked.results(MANY[:10], place)
        assert 120 == asked.estimate(MANY).calls
        asked.close()


def test_progress_is_told(tmp_path: Path) -> None:
    told: list[tuple[int, int, int]] = []
    with judging() as server:
        judge(server.url, tmp_path, MANY[:4])
        asked = scorer(server.url, tmp_path)
        asked.results(MANY[:6], place, lambda *numbers: told.append(numbers))
        asked.close()
    assert [(5, 6, 4), (6, 6, 4)] == told


def test_a_unit_without_an_answer_does_not_keep_the_others_from_theirs(tmp_path: Path) -> None:
    def picky(to: Any, call: Any) -> None:
        fails(500)(to, call) if call.texts["translation"] == "text 3" else says(good)(to, call)

    with judging(otherwise=picky) as server:
        with pytest.raises(JudgeError, match=r"no answer for 1 unit of 40 \(500\), the first is segment 'text 3'"):
            judge(server.url, tmp_path, MANY)
        before, server.otherwise = len(server.calls), says(good)
        judge(server.url, tmp_path, MANY)
        assert before + 1 == len(server.calls)


def test_the_models_of_a_server_can_be_listed(tmp_path: Path) -> None:
    with judging() as server:
        assert ["tiny", "large"] == scorer(server.url, tmp_path).models()


@pytest.mark.parametrize(
    "body", [b"[]", b'{"data": 3}', b'{"data": ["tiny"]}', b"x", b'{"data": [{"id": {}}]}', b"[" * 10**5]
)
def test_a_list_of_models_that_is_none_is_no_matter(
    body: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Faulty, "do_GET", lambda to: to.send(200, body))
    with judging() as server:
        assert [] == scorer(server.url, tmp_path).models()
        (found,) = judge(server.url, tmp_path, ONE)
        assert found.score is not None and "served" not in found.said[0]


def test_an_answer_that_was_paid_for_is_kept_though_the_next_call_fails(tmp_path: Path) -> None:
    """Of the two calls of ESA, the second fails, or its answer cannot be read and the next attempt fails."""

    def picky(to: Any, call: Any) -> None:
        fails(500)(to, call) if "errors" in call.texts else says(good)(to, call)

    with judging(otherwise=picky) as server:
        with pytest.raises(JudgeError, match="no answer for 1 unit of 1"):
            judge(server.url, tmp_path, ONE, name="judge-esa")
        server.otherwise, before = says(good), len(server.calls)
        (found,) = judge(server.url, tmp_path, ONE, name="judge-esa")
        (call,) = server.calls[before:]
        assert [] == call.texts["errors"]
        assert [0, 1] == [one["step"] for one in found.said]
    with judging(says("well"), *[fails(500)] * 6, says("eighty"), says('{"score": 7}')) as server:
        with pytest.raises(JudgeError):
            judge(server.url, tmp_path, ONE)
        (found,) = judge(server.url, tmp_path, ONE)
        assert (7.0, ["well", "eighty", '{"score": 7}']) == (found.score, [one["text"] for one in found.said])
        assert 9 == len(server.calls)


def test_before_there_is_leave_to_send_texts_nothing_is_made(tmp_path: Path) -> None:
    with pytest.raises(ConsentMissing):
        judge("https://api.example.org/v1", tmp_path / "scores", ONE)
    assert [] == [*tmp_path.iterdir()]


PROGRAM = """
import sys
from pathlib import Path
from judges.asking import MANY, place, scorer
asked = scorer(sys.argv[1], Path(sys.argv[2]), jobs=4)
print(sum(one.score for one in asked.results(MANY, place)))
"""


def test_after_an_interrupt_the_same_run_goes_on(tmp_path: Path) -> None:
    """The server stalls in the middle; Ctrl-C; what came is kept, and the rest is asked for once."""
    folders = [str(Path(__file__).parent.parent), str(Path(__file__).parents[2] / "tools")]
    environment: Mapping[str, str] = {"PYTHONPATH": ":".join(folders), "PATH": "", "HOME": str(tmp_path)}

    def stalls_later(to: Any, call: Any) -> None:
        if call.number >= 15:
            to.server.reached.set()
            to.server.released.wait(20)
        says(good)(to, call)

    with judging(otherwise=stalls_later) as server:
        server.reached = threading.Event()
        command = [sys.executable, "-c", PROGRAM, server.url, str(tmp_path / "scores")]
        child = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert server.reached.wait(20)
        child.send_signal(signal.SIGINT)
        _, told = child.communicate(timeout=20)
        assert child.returncode
        assert "15 of 40 units are in the cache; the same command goes on from there" in told
        server.otherwise = says(good)
        before = len(server.calls)
        out = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=60).stdout
        assert len(server.calls) - before == 25
    assert float(out) == sum(value_of(one.src or "", one.hyp) for one in MANY)
