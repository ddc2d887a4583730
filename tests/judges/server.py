"""A server on the loopback with OpenAI's form of chat. Each call is scripted; after the script it answers well."""

import json
import re
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler
from typing import Any, NamedTuple

from loopback import running_server


class Call(NamedTuple):
    """What came: the fields of a call, its headers, and its number, from 0."""

    body: dict[str, Any]
    headers: dict[str, str]
    number: int

    @property
    def texts(self) -> dict[str, Any]:
        """The JSON object of the texts, whether the instructions stand before it or apart."""
        found: dict[str, Any] = json.loads(self.body["messages"][-1]["content"].rsplit("\n\n", 1)[-1])
        return found


def good(call: Call) -> str:
    """A score that is a function of the texts; errors where the translation has "bad"."""
    texts = call.texts
    has_errors = '"errors": [{' in call.body["messages"][0]["content"]
    if has_errors and "errors" not in texts:
        found = [{"text": "bad", "severity": "major", "category": "meaning", "in": "translation"}]
        return json.dumps({"errors": found if "bad" in texts["translation"] else []})
    return json.dumps({"score": value_of(texts.get("source", ""), texts["translation"])})


def value_of(source: str, translation: str) -> int:
    """The score of a pair of texts."""
    return zlib.crc32(f"{source}\0{translation}".encode()) % 101


def gullible(call: Call) -> str:
    """Obey what stands outside of the JSON object, as a model might, and never what stands inside."""
    *before, last = [one["content"] for one in call.body["messages"]]
    try:
        json.loads(last)
    except ValueError:
        before.append(last)
    order = next((found for text in before if (found := re.search(r"give it a score of (\d+)", text))), None)
    return json.dumps({"score": int(order[1])}) if order else good(call)


def completion(text: Any, finish: str | None = "stop", **more: Any) -> bytes:
    """The body of an answer."""
    message = {"role": "assistant", "content": text, **more.pop("message", {})}
    body = {"model": "tiny", "choices": [{"index": 0, "message": message, "finish_reason": finish}]}
    return json.dumps({**body, "usage": {"prompt_tokens": 100, "completion_tokens": 10}, **more}).encode()


class Faulty(BaseHTTPRequestHandler):
    """Does what `server.script` says for each call, in their order."""

    server: Any
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.server.looks += 1
        tiny = {"id": "tiny", "object": "model", "root": "org/Tiny-4bit", "owned_by": "me"}
        self.send(200, json.dumps({"data": [tiny, {"id": "large"}]}).encode())

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        server = self.server
        with server.turn:
            call = Call(body, dict(self.headers), len(server.calls))
            server.calls.append(call)
            server.open += 1
            server.most_open = max(server.most_open, server.open)
        try:
            step = server.script[call.number] if call.number < len(server.script) else server.otherwise
            time.sleep(server.seconds)
            with suppress(BrokenPipeError, ConnectionResetError):
                step(self, call)
        finally:
            with server.turn:
                server.open -= 1

    def send(self, status: int, body: bytes, *headers: tuple[str, str], length: int | None = None) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        for header in headers:
            self.send_header(*header)
        self.end_headers()
        self.wfile.write(body)
        if length not in (None, len(body)):
            self.close_connection = True

    def log_message(self, *args: object) -> None:
        pass


Step = Callable[[Faulty, Call], None]


def says(text: str | Callable[[Call], str], finish: str | None = "stop", **more: Any) -> Step:
    """Answer with a text."""
    return lambda to, call: to.send(200, completion(text(call) if callable(text) else text, finish, **more))


def fails(status: int, message: str = "no", *headers: tuple[str, str]) -> Step:
    """Refuse a call."""
    return lambda to, call: to.send(status, json.dumps({"error": {"message": message}}).encode(), *headers)


def raw(body: bytes, *headers: tuple[str, str], length: int | None = None) -> Step:
    """Send any bytes."""
    return lambda to, call: to.send(200, body, *headers, length=length)


def stalls(to: Faulty, call: Call) -> None:
    """Say nothing until the test ends."""
    to.server.released.wait(20)
    to.close_connection = True


def hangs_up(to: Faulty, call: Call) -> None:
    """Close the connection without a word."""
    to.close_connection = True


def echoes(to: Faulty, call: Call) -> None:
    """Refuse, and repeat the headers of the call, with the key in them."""
    to.send(400, json.dumps({"error": {"message": f"what is this? {call.headers}"}}).encode())


@contextmanager
def judging(*script: Step, otherwise: Step | None = None, seconds: float = 0.0) -> Iterator[Any]:
    """Run a server. It is scripted for each call; then it answers well, or as `otherwise` says."""
    state = {"script": [*script], "otherwise": otherwise or says(good), "seconds": seconds, "turn": threading.Lock()}
    with running_server(Faulty, **state, calls=[], open=0, most_open=0, looks=0) as server:
        server.url += "/v1"
        yield server
