"""Judges on the command line: flags, estimates, answers in a file, and what is refused before anything is sent."""

import json
from pathlib import Path
from typing import Any

import pytest

from judges.server import Faulty, Step, fails, good, judging, says, value_of
from truebleu.cli.main import main
from truebleu.runners.judging.answers import Reading
from truebleu.runners.judging.prompts import prompt_file

N = 24


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TRUEBLEU_SCORES", str(tmp_path / "scores"))
    for name in ("TRUEBLEU_JUDGE_URL", "TRUEBLEU_JUDGE_KEY", "TRUEBLEU_JUDGE_MODEL", "TRUEBLEU_SEND_TEXTS"):
        monkeypatch.delenv(name, raising=False)
    for name in ("src", "a", "b", "ref"):
        (tmp_path / f"{name}.txt").write_text("".join(f"{name} {at}\n" for at in range(N)), "utf-8")
    return tmp_path


def run(words: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    try:
        code = main(words.split())
    except SystemExit as stop:
        code = int(stop.code or 0)
    out, err = capsys.readouterr()
    return code, out, err


def mean(name: str) -> float:
    return sum(value_of(f"src {at}", f"{name} {at}") for at in range(N)) / N


def test_a_judge_stands_beside_bleu_and_a_second_run_asks_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with judging() as server:
        words = f"ref.txt --src src.txt -i a.txt b.txt -m bleu judge-da=tiny --judge-url {server.url} --json -q"
        code, out, _ = run(words, capsys)
        calls = len(server.calls)
        assert (0, 2 * N) == (code, calls)
        assert out == run(words, capsys)[1]
        assert calls == len(server.calls)
    scores = {(one["system"], one["name"]): one for one in json.loads(out)}
    assert [pytest.approx(mean(name), abs=0.05) for name in "ab"] == [
        scores[f"{name}.txt", "Judge-DA"]["score"] for name in "ab"
    ]
    assert "prompt:judge-da-1." in scores["a.txt", "Judge-DA"]["signature"]


def test_languages_are_named_in_the_instructions(capsys: pytest.CaptureFixture[str]) -> None:
    with judging() as server:
        run(f"--src src.txt -i a.txt -l de-en -m judge-da=tiny --judge-url {server.url}", capsys)
        assert "German (de)" in server.calls[0].body["messages"][0]["content"]


def test_an_estimate_sends_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with judging() as server:
        words = f"--src src.txt -i a.txt b.txt -m judge-esa=tiny --judge-url {server.url} --judge-estimate"
        code, out, _ = run(f"{words} --judge-price 1,2", capsys)
        assert (0, 0) == (code, len(server.calls))
    assert out.startswith("judge-esa=tiny: 96 calls for 48 units (")
    assert "0.23 at most, if each answer can be read. Nothing was sent" in out


def test_answers_can_be_published(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with judging() as server:
        run(f"--src src.txt -i a.txt -m judge-da=tiny --judge-url {server.url} --judge-answers said.jsonl", capsys)
    found = [json.loads(line) for line in (folder / "said.jsonl").read_text("utf-8").splitlines()]
    assert [value_of(f"src {at}", f"a {at}") for at in range(N)] == [one["score"] for one in found]
    assert {"score": found[3]["score"]} == json.loads(found[3]["said"][0]["text"])


def test_the_flags_reach_the_call(capsys: pytest.CaptureFixture[str]) -> None:
    with judging() as server:
        run(
            f"--src src.txt -i a.txt -m judge-da --judge-model tiny --judge-url {server.url} --judge-temperature 0.5 "
            "--judge-seed 7 --judge-max-tokens 99 --judge-repeats 2 --judge-jobs 1", capsys,
        )  # fmt: skip
        assert 2 * N == len(server.calls)
        assert {(0.5, 99)} == {(call.body["temperature"], call.body["max_tokens"]) for call in server.calls}
        assert {7, 10} == {call.body["seed"] for call in server.calls}


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        ("-m judge-da=tiny", 2, "judge-da asks a server: --judge-url"),
        ("-m judge-da --judge-url URL", 2, "which model? -m judge-da=NAME, in Python model=; the server has tiny"),
        ("-m judge-da=tiny --judge-url https://me:word@a.example/v1", 2, "has a name or a password in it"),
        ("-m judge-da=tiny --judge-url https://a.example/v1 --send-texts b.example", 2, "the judge is at a.example"),
        ("-m judge-da=tiny --judge-url https://a.example/v1", 2, "24 texts (220 characters) would go to a.example"),
        ("-m judge-da=tiny --judge-url URL --judge-prompt x.toml", 2, "judge-da=tiny has instructions of its own"),
        ("-m judge=tiny --judge-url URL --judge-prompt x.toml", 1, "x.toml"),
        ("-m judge-da=tiny --judge-url URL --judge-budget 3", 2, "--judge-budget needs --judge-price IN,OUT"),
        ("-m judge-da=tiny --judge-url URL --judge-rate often", 2, "rate"),
        ("ref.txt -m bleu --judge-repeats 3", 2, "--judge-repeats has no effect: it is about judges"),
        ("-m judge-da=tiny --judge-url URL --judge-max-calls 5", 1, "stopped after 5 of 5 calls\n"),
        ("-m judge-da=tiny --judge-url URL --judge-max-calls 5", 1, "5 of 24 units are in the cache; the same command"),
        ("-m judge-da=tiny --judge-url URL --judge-max-calls 5 --fresh", 1, "go on from there without --fresh"),
        ("-m judge-da=tiny --judge-url URL --judge-budget 0 --judge-price 1,1", 1, "stopped at 0.0000 of 0.0000"),
        ("-m judge-da=tiny --judge-url URL --judge-repeats 0", 2, "repeats is 0, expected a whole number from 1"),
        ("-m judge-da=tiny --judge-url URL --judge-max-calls 0", 2, "max_calls is 0, expected"),
        ("-m judge-da=tiny --judge-url URL --judge-max-tokens 0", 2, "max_tokens is 0, expected"),
        ("-m judge-da=tiny --judge-url URL --judge-jobs 0", 2, "jobs is 0, expected"),
        ("-m judge-da=tiny --judge-url URL --judge-timeout 0", 2, "timeout is 0.0, expected seconds, above 0"),
        ("-m judge-da=tiny --judge-url URL --judge-timeout -3", 2, "timeout is -3.0, expected seconds, above 0"),
        ("-m judge-da=tiny --judge-url URL --judge-price a,b", 2, "price is 'a,b', expected IN,OUT"),
        ("-m judge-da=tiny --judge-url URL --judge-price nan,1", 2, "price is 'nan,1', expected IN,OUT"),
        ("-m judge-da=tiny --judge-url URL --judge-key-env NOWHERE", 2, "the variable NOWHERE, named for the key, is"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_told(words: str, code: int, told: str, capsys: pytest.CaptureFixture[str]) -> None:
    with judging() as server:
        found, _, err = run(f"{words.replace('URL', server.url)} --src src.txt -i a.txt", capsys)
        assert len(server.calls) <= 5
    assert told in err
    assert code == found


def test_without_a_cache_nothing_is_said_to_be_in_it(capsys: pytest.CaptureFixture[str]) -> None:
    with judging() as server:
        words = f"--src src.txt -i a.txt -m judge-da=tiny --judge-url {server.url} --judge-max-calls 5"
        code, _, err = run(f"{words} --no-score-cache", capsys)
    assert code == 1 and "in the cache" not in err and "kept" not in err


def test_a_seed_and_a_temperature_of_0_are_sent(capsys: pytest.CaptureFixture[str]) -> None:
    with judging() as server:
        _, out, _ = run(f"--src src.txt -i a.txt -m judge-da=tiny --judge-url {server.url} --judge-seed 0 -q", capsys)
        assert {(0, 0.0)} == {(call.body["seed"], call.body["temperature"]) for call in server.calls}
        assert "|jseed:0|" in out


def test_what_cannot_be_read_is_told_once_and_below_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    def some(to: Any, call: Any) -> None:
        (says("well") if call.texts["translation"] == "b 7" else says(good))(to, call)

    for more in ("", " --paired-all", " -q"):
        with judging(otherwise=some) as server:
            words = f"--src src.txt -i a.txt b.txt -m judge-da=tiny --judge-url {server.url} --unparsed worst"
            _, out, err = run(words + more, capsys)
        told = "1 of 48 answers could not be read (1 prose), segment 8 of b.txt"
        assert (more != " -q") == err.count(told) == err.count("could not be read"), err
        assert "answers that could not be read, which have the worst score: b.txt 1." in out


def test_instructions_without_languages_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    with judging() as server:
        words, told = f"--src src.txt -i a.txt -m judge-da=tiny --judge-url {server.url}", "name no languages; -l de-en"
        assert told in run(words, capsys)[2]
        assert told not in run(f"{words} -l en-de", capsys)[2]


def test_answers_that_cannot_be_read_end_with_the_ways_on(capsys: pytest.CaptureFixture[str]) -> None:
    script: list[Step] = [says("well")] * 3
    with judging(*script) as server:
        words = f"--src src.txt -i a.txt b.txt -m judge-da=tiny --judge-url {server.url} --judge-jobs 1"
        code, _, err = run(words, capsys)
        assert code == 1 and "1 of 48 answers could not be read (1 prose)" in err and "--unparsed skip" in err
        calls = len(server.calls)
        code, out, _ = run(f"{words} --unparsed skip --json", capsys)
        assert 0 == run(f"{words} --unparsed skip --paired-all", capsys)[0]
        assert (0, calls) == (code, len(server.calls))
    assert ["bad:0", "bad:1"] == sorted("bad:" + one["signature"].partition("|bad:")[2][0] for one in json.loads(out))


def test_a_server_that_dies_and_comes_back(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("truebleu.runners.judging.pace.PAUSES", (0.001,) * 5)

    def dies(to: Any, call: Any) -> None:
        (says('{"score": 1}') if call.number < 9 else fails(503))(to, call)

    with judging(otherwise=dies) as server:
        words = f"--src src.txt -i a.txt -m judge-da=tiny --judge-url {server.url} --judge-jobs 1"
        code, _, err = run(words, capsys)
        assert code == 1 and "503" in err
        before, server.otherwise = len(server.calls), says('{"score": 1}')
        code, out, _ = run(words, capsys)
        assert (0, N - 9) == (code, len(server.calls) - before)
    assert "1.0" in out


def test_answers_can_be_read_again_against_a_receipt(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script: list[Step] = [says('{"score": 70}'), *[says("well")] * 3]
    with judging(*script) as server:
        words = (
            f"ref.txt --src src.txt -i a.txt -m judge-da=tiny --judge-url {server.url} --judge-repeats 2 --unparsed "
        )
        for rule in ("skip", "worst"):
            outputs = f"--judge-answers said.jsonl --receipt {rule}.receipt.json --judge-jobs 1 -q"
            code, _, err = run(f"{words}{rule} {outputs}", capsys)
            assert code == 0, err
            code, out, _ = run(f"receipt verify {rule}.receipt.json ref.txt --answers said.jsonl", capsys)
            assert code == 0 and "5" in out, out
    said = folder / "said.jsonl"
    kept = said.read_text("utf-8")
    for changed, told in (
        (kept.replace('{\\"score\\": 70}', '{\\"score\\": 71}'), "other answers than those of judge-da"),
        ("\n".join(kept.splitlines()[1:]), "other answers than those of judge-da"),
        ('{"a": 1}\n', "has no list 'said'"),
    ):
        assert changed != kept
        said.write_text(changed, "utf-8")
        code, out, err = run("receipt verify skip.receipt.json ref.txt --answers said.jsonl", capsys)
        assert code and told in out + err, (out, err)


def test_a_receipt_has_the_instructions_whatever_they_are_and_the_languages(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A prompt of one's own is in the receipt: whoever verifies it elsewhere has no such file."""
    (folder / "own.toml").write_text(prompt_file("judge-da").replace("judge-da", "own"), "utf-8")
    with judging() as server:
        words = (
            f"ref.txt --src src.txt -i a.txt -m judge=tiny --judge-prompt own.toml -l de-en --judge-url {server.url}"
        )
        code, _, err = run(f"{words} -q --judge-answers said.jsonl --receipt a.receipt.json", capsys)
        assert code == 0, err
    (folder / "own.toml").unlink()
    assert "own.toml" not in (folder / "a.receipt.json").read_text("utf-8")
    code, out, _ = run("receipt verify a.receipt.json ref.txt --answers said.jsonl", capsys)
    assert code == 0 and "langs:German (de)>English (en)" in run("receipt show a.receipt.json", capsys)[1], out


def test_two_judges_of_one_kind_have_names_of_their_own(capsys: pytest.CaptureFixture[str]) -> None:
    with judging() as server:
        words = f"--src src.txt -i a.txt b.txt -m judge-da=tiny judge-da=org/large --judge-url {server.url}"
        for more in ("", "--paired-all"):
            out = run(f"{words} {more}", capsys)[1]
            assert "Judge-DA-tiny: one pass" in out and "Judge-DA-large: one pass" in out


def test_the_doctor_asks_a_judge(capsys: pytest.CaptureFixture[str]) -> None:
    def some(to: Any, call: Any) -> None:
        (says("well") if call.texts["translation"] == "a 7" else says(good))(to, call)

    with judging(otherwise=some) as server:
        words = f"doctor ref.txt --src src.txt -i a.txt -m judge-da=tiny --judge-url {server.url} --unparsed skip"
        assert "[D605]" in run(f"{words} --level note", capsys)[1]


def test_languages_are_those_of_the_signature(capsys: pytest.CaptureFixture[str]) -> None:
    with judging() as server:
        words = f"--src src.txt -i a.txt --judge-url {server.url} -q"
        signature = run(f"{words} -m judge-da=tiny -l de-en", capsys)[1].partition(" = ")[0]
        calls = len(server.calls)
        like = ["--like", signature, *words.split()]
        assert main(like) == 0 and calls == len(server.calls)
        assert signature == capsys.readouterr().out.partition(" = ")[0]
        assert main([*like, "-l", "de-fr"]) == 2
        assert "the languages German (de)>English (en), here is German (de)>French (fr)" in capsys.readouterr().err


def test_a_receipt_whose_scores_are_not_those_of_the_answers_is_caught(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with judging() as server:
        words = f"ref.txt --src src.txt -i a.txt -m judge-mqm=tiny --judge-url {server.url} -q"
        run(f"{words} --judge-answers said.jsonl --receipt a.receipt.json", capsys)
    monkeypatch.setattr("truebleu.runners.judging.scorer.mqm_score", lambda errors: -1.0)
    code, out, _ = run("receipt verify a.receipt.json ref.txt --answers said.jsonl", capsys)
    assert code == 1 and "the answers about segment 1 give -1, and the receipt has 0" in out


def test_a_judge_reads_documents_that_a_file_tells(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "docs.txt").write_text("".join(f"doc{at // 8}\n" for at in range(N)), "utf-8")
    with judging() as server:
        words = f"--src src.txt -i a.txt -m judge-da=tiny --judge-url {server.url} --judge-context 2"
        code, _, err = run(words, capsys)
        assert code and "the documents of segments are unknown: --docids FILE" in err
        code, out, err = run(f"{words} --docids docs.txt", capsys)
        assert code == 0, err
        assert N == len(server.calls) and "ctx:2" in out
        read = {call.texts["translation"]: call.texts["context"] for call in server.calls}
        assert ["a 5", "a 6"] == [one["translation"] for one in read["a 7"]["before"]]
        assert [] == read["a 7"]["after"]
        code, _, err = run(f"{words} --docids docs.txt --only 1-4", capsys)
        assert code == 2 and "--only leaves them out" in err


def test_kept_answers_are_read_again_without_a_call(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    script: list[Step] = [says("I'd say 85")] * 3
    with judging(*script) as server:
        words = f"--src src.txt -i a.txt -m judge-da=tiny --judge-url {server.url} --judge-jobs 1 --unparsed skip"
        assert 0 == run(words, capsys)[0]
        (folder / "own.toml").write_text(prompt_file("judge-da").replace("judge-da", "own"), "utf-8")
        words = words.replace("judge-da=tiny", "judge=tiny --judge-prompt own.toml")
        assert 0 == run(words, capsys)[0]
    out = run("metrics reparse", capsys)[1]
    assert "judge-da of tiny: 24 units, 1 without a score (1 prose)" in out
    assert "own of tiny: its instructions are not those of today; name their file with --prompt FILE" in out
    out = run("metrics reparse own --prompt own.toml", capsys)[1]
    assert out.startswith("own of tiny: 24 units, 0 without a score\n1 file of answers in")
    # A reader of tomorrow that takes "I'd say 85".
    monkeypatch.setattr("truebleu.runners.judging.scorer.read_answer", lambda *given, **more: Reading(85.0))
    assert "judge-da of tiny: 24 units, 0 without a score" in run("metrics reparse judge-da", capsys)[1]
    assert "nobody was asked" in run("metrics reparse judge-mqm", capsys)[1]
    assert "no such file" in run("metrics reparse --prompt none.toml", capsys)[2].lower()


SECRET = "sk-very/secret+key"


def test_a_key_is_in_no_file_and_no_line_of_a_run(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server repeats the key in everything it says; scores, answers, receipt and page are written even so."""
    monkeypatch.setenv("TRUEBLEU_JUDGE_KEY", SECRET)
    monkeypatch.setattr(
        Faulty, "do_GET", lambda to: to.send(200, json.dumps({"data": [{"id": "tiny", "root": SECRET}]}).encode())
    )
    error = json.dumps({"errors": [{"text": SECRET, "severity": "minor", "category": SECRET}]})
    with judging(says(SECRET), otherwise=says(error, model=SECRET, system_fingerprint=SECRET)) as server:
        words = f"ref.txt --src src.txt -i a.txt b.txt -m bleu judge-mqm=tiny --judge-url {server.url}"
        told = [
            run(f"{words} --judge-answers said.jsonl --json --debug", capsys),
            run(f"{words} --receipt a.receipt.json -q".replace(" b.txt", ""), capsys),
            run(f"report {words} -o page.html", capsys),
            run("metrics cache --export kept.jsonl", capsys), run("metrics reparse", capsys),
        ]  # fmt: skip
        assert all(SECRET in call.headers["Authorization"] for call in server.calls)
    written = [path for path in folder.rglob("*") if path.is_file()]
    assert {".html", ".jsonl", ".sqlite"} <= {path.suffix for path in written}
    assert [0] * 5 == [code for code, *_ in told], told
    for text in (str(told), *(path.read_bytes().decode("latin-1") for path in written)):
        assert "very/secret" not in text and "very%2Fsecret" not in text
    assert "<key>" in (folder / "said.jsonl").read_text("utf-8")


def test_there_is_no_flag_for_the_key_itself(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run("--src src.txt -i a.txt -m judge-da=tiny --judge-key sk-secret", capsys)
    assert code == 2 and "--judge-key" in err


def test_nothing_but_texts_and_instructions_is_sent(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "our-secret-system.txt").write_text((folder / "a.txt").read_text("utf-8"), "utf-8")
    with judging() as server:
        run(f"--src src.txt -i our-secret-system.txt -m judge-esa=tiny --judge-url {server.url}", capsys)
        sent = "".join(f"{call.body}{call.headers}" for call in server.calls)
        assert 2 * N == len(server.calls)
    assert "our-secret" not in sent and str(folder) not in sent and "truebleu-" not in sent
    assert {"truebleu"} == {call.headers["User-Agent"] for call in server.calls}


def test_another_model_than_the_one_asked_for_is_in_the_facts(capsys: pytest.CaptureFixture[str]) -> None:
    with judging(otherwise=says('{"score": 3}', model="tiny-q4")) as server:
        out = run(f"--src src.txt -i a.txt -m judge-da=tiny --judge-url {server.url} --json -q", capsys)[1]
    assert ["tiny-q4"] == json.loads(out)["neural"]["answered_by"]
