"""Judges, against the bars that they have to hold.

python bench/judging.py [--answers N] [--check]

1. Of a million mutated answers, none is read as a number that a strict reader of another kind (fuzz/strict_answers.py)
   does not see, and none the other way round.
2. A server that takes 20 ms and refuses one call in ten: at most 1 ms of processor time a call, 8 calls open at most,
   every unit scored, at most 1.25 calls a unit.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from importlib import import_module
from pathlib import Path
from random import Random

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "fuzz"), str(ROOT / "tests"), str(ROOT / "tools")]

import strict_answers as strict  # noqa: E402
from truebleu.runners.judging.answers import mqm_score, read_answer  # noqa: E402

FORMS = ("score", "errors", "errors+score")
ERROR = {"text": "bad", "severity": "minor", "category": "style", "in": "translation"}
SEEDS = [
    *(json.dumps({"score": score}) for score in (0, 85, 85.5, 100, -3, 1e2, 101)),
    *(json.dumps({"errors": [ERROR] * count}) for count in range(3)), json.dumps({"errors": [ERROR], "score": 70}),
    json.dumps({"errors": [{**ERROR, "severity": one} for one in ("major", "critical")]}), "85", "score: 7", "7/100",
    '```json\n{"score": 85}\n```', '<think>3</think>{"score": 9}', '{"score": 85, "score": 85}', "I'd say 85 or 90",
]  # fmt: skip
PIECES = [
    *'0123456789-+.eE"{}[]:, \n\\',
    "é", "٣", "\\u0031", "\\ud800", "NaN", "Infinity", "true", "null", "```\n", "\n```", "<think>",
    "</think>", '"score": 1,', "/100", "1e9", '"minor"', '"critical"', "\u00a0", "\ud800", '"in": "source"',
]  # fmt: skip


def mutated(rng: Random) -> str:
    """An answer with up to four changes: a piece put in, taken out, doubled, or of another answer."""
    text = rng.choice(SEEDS)
    for _ in range(rng.randrange(5)):
        at, size = rng.randint(0, len(text)), rng.choice((0, 0, 1, 1, 2, 5))
        other = rng.choice(SEEDS)
        start = rng.randint(0, len(other))
        put = rng.choice(
            ("", rng.choice(PIECES), rng.choice(PIECES), text[at : at + size] * 2, other[start : start + 6])
        )
        text = text[:at] + put + text[at + size :]
    return text


def answers(count: int) -> bool:
    """Read mutated answers in both ways."""
    rng, read = Random(28), 0
    start = time.process_time()
    for _ in range(count):
        text, form, as_schema = mutated(rng), rng.choice(FORMS), rng.random() < 0.5
        bounds = (-25.0, 0.0) if form == "errors" else (0.0, 100.0)
        found = read_answer(text, form, bounds, as_schema=as_schema)
        score = None if found.why else found.score if found.score is not None else mqm_score(found.errors)
        if score != strict.score_of(text, form, *bounds, as_schema=as_schema):
            print(f"{text!r} ({form}, schema {as_schema}) is read as {score}, and not by the strict reader")
            return False
        read += score is not None
    print(f"1  {count:,} mutated answers, {read:,} of them with a score: no disagreement", end=" ")
    print(f"({time.process_time() - start:.0f} s of the processor)")
    return True


def calls() -> bool:
    """Judge units with 8 calls at a time, and again with a server that refuses one call in ten."""
    asking, servers = import_module("judges.asking"), import_module("judges.server")
    place, scorer, units = asking.place, asking.scorer, asking.units
    fails, good, judging, says, value_of = (
        getattr(servers, name) for name in ("fails", "good", "judging", "says", "value_of")
    )
    given, rng = units(*(f"text {at}" for at in range(420))), Random(9)

    def sometimes(to: object, call: object) -> None:
        (fails(rng.choice((429, 500))) if rng.random() < 0.1 else says(good))(to, call)

    with judging(seconds=0.02) as server, tempfile.TemporaryDirectory() as folder:
        asked = scorer(server.url, Path(folder), jobs=8)
        asked.results(given[:20], place)
        start = time.process_time()
        results = asked.results(given, place)
        spent = time.process_time() - start
        assert [value_of(one.src or "", one.hyp) for one in given] == [one.score for one in results]
        asked.close()
        # The server is in this process: what it takes is measured by calls without the client.
        both, most = 1000 * spent / 400, server.most_open
        each = 1000 * (spent - _server_alone(server, 400)) / 400
    with judging(otherwise=sometimes) as server, tempfile.TemporaryDirectory() as folder:
        asked = scorer(server.url, Path(folder), jobs=8)
        assert all(one.score is not None for one in asked.results(given, place))
        asked.close()
        ratio, most = len(server.calls) / len(given), max(most, server.most_open)
    print(
        f"2  {each:.2f} ms of the processor a call ({both:.2f} with the server; at most 1), {most} open at most (8), ",
        end="",
    )
    print(f"{ratio:.2f} calls a unit where one in ten fails (1.25)", flush=True)
    return each <= 1 and most <= 8 and ratio <= 1.25


def _server_alone(server: object, count: int) -> float:
    """The processor time that the test server takes for so many calls: with a client of sockets and nothing else."""
    import socket
    from urllib.parse import urlsplit

    url = urlsplit(server.url)  # type: ignore[attr-defined]
    server.seconds = 0  # type: ignore[attr-defined]
    texts = json.dumps({"source": "a", "translation": "b"})
    body = json.dumps({"messages": [{"role": "system", "content": "x" * 1200}, {"role": "user", "content": texts}]})
    head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: {url.netloc}\r\nContent-Length: {len(body)}\r\n\r\n"
    data, start = (head + body).encode(), time.process_time()
    with socket.create_connection((url.hostname or "", url.port or 0)) as one:
        for _ in range(count):
            one.sendall(data)
            got = b""
            while b"\r\n\r\n" not in got or not got.rstrip().endswith(b"}"):
                got += one.recv(1 << 16)
    return time.process_time() - start


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--answers", type=int, default=10**6)
    parser.add_argument("--check", action="store_true", help="exit with 1 if a bar is missed")
    given = parser.parse_args()
    held = [calls(), answers(given.answers)]
    return 0 if all(held) or not given.check else 1


if __name__ == "__main__":
    sys.exit(main())
