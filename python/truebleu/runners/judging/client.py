"""One call of a server with OpenAI's form of chat, until there is an answer.

What may pass is tried again, a few times, and always with the same temperature. What cannot pass stops the work at
once. Redirects are never followed: they would carry texts and the key elsewhere.
"""

from __future__ import annotations

import json
import os
import re
import threading
from collections.abc import Mapping, Sequence
from math import inf
from typing import Any, NamedTuple

import urllib3
from urllib3.exceptions import HTTPError, SSLError

from truebleu._logs import warn
from truebleu._shown import shown, shown_address
from truebleu.errors import JudgeError
from truebleu.runners.judging.endpoint import Endpoint, Key
from truebleu.runners.judging.pace import PAUSES, Pace, Purse, estimated_tokens
from truebleu.runners.judging.prompts import Message

CONNECT_SECONDS = 10.0
LONGEST_BODY = 1 << 20
SYSTEM_ROLE = "system role"
# Fields that a server may refuse; then they are left out for the whole run. Some servers take the limit of tokens by
# another name only, and say so.
_LIMIT, _OTHER_LIMIT = "max_tokens", "max_completion_tokens"
_OPTIONAL = {field: re.compile(field) for field in ("response_format", _LIMIT, _OTHER_LIMIT, "seed", "temperature")}
_OPTIONAL[SYSTEM_ROLE] = re.compile(r"\bsystem\b.{0,40}\brole\b|\brole\b.{0,40}\bsystem\b", re.IGNORECASE)
_PASSING = frozenset((408, 429, 500, 502, 503, 504))
_TOO_LONG = re.compile("context.{0,12}(length|window|size)|too (long|large|many tokens)", re.IGNORECASE)
_SHOWN = 200  # characters of what a server says


class NoAnswer(Exception):
    """A server did not answer, however often it was asked."""


class Asked(NamedTuple):
    """What every call of a run asks for."""

    model: str
    temperature: float = 0.0
    max_tokens: int = 1024
    timeout: float = 120.0


class Reply(NamedTuple):
    """What a server answered: the text, or why there is none that counts; and what is told about the answer."""

    text: str
    why: str = ""  # "cut", "refused", "too long"
    model: str = ""
    system: str = ""  # the fingerprint of the server
    usage: tuple[int, int] | None = None
    without: tuple[str, ...] = ()  # what was left out of the call
    served: Mapping[str, str] = {}  # what the list of the server says of the model: id, root and owner


class _Passing(Exception):
    """A failure that may pass."""

    def __init__(self, why: str, *, asked: str | None = None, is_busy: bool = False, is_junk: bool = False) -> None:
        super().__init__(why)
        self.why, self.asked, self.is_busy, self.is_junk = why, asked, is_busy, is_junk


class Client:
    """Calls of one server."""

    def __init__(self, endpoint: Endpoint, key: Key, asked: Asked, pace: Pace, purse: Purse) -> None:
        self.endpoint, self._key, self.asked, self.pace, self.purse = endpoint, key, asked, pace, purse
        self._pool = _pool(endpoint, pace.jobs)
        self._limit, self._without = _LIMIT, tuple[str, ...]()
        self._served: Mapping[str, str] = {}
        self._turn = threading.Lock()

    def ask(self, messages: Sequence[Message], schema: Mapping[str, Any] | None, seed: int | None) -> Reply:
        """Ask until there is an answer; raise NoAnswer if there is none, JudgeError if there will be none."""
        attempt = 0
        while True:
            sent = self._body(messages, schema, seed)
            data = json.dumps(sent, ensure_ascii=False).encode()
            try:
                return self._once(data)
            except _Refused as refused:
                self._leave_out(refused, sent)
            except _Passing as failure:
                if attempt == len(PAUSES):
                    raise NoAnswer(failure.why) from None
                self.pace.pause(attempt, failure.asked)
                attempt += 1

    def models(self) -> list[dict[str, str]]:
        """What the server says of the models that it has: id, root and owner; nothing if it does not answer."""
        try:
            status, _, body = self._exchange("GET", f"{self.endpoint.url}/models", None, CONNECT_SECONDS)
            found = json.loads(body)["data"] if status == 200 else []
            told = [{key: self._scrubbed(one.get(key), 80) for key in ("id", "root", "owned_by")} for one in found]
        except (_Passing, HTTPError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return []
        return [{key: value for key, value in one.items() if value} for one in told if one["id"]]

    def look(self) -> None:
        """Ask what the server says of the model; answers have it beside them."""
        self._served = next((one for one in self.models() if one["id"] == self.asked.model), {})

    def _body(self, messages: Sequence[Message], schema: Mapping[str, Any] | None, seed: int | None) -> dict[str, Any]:
        form = {"type": "json_schema", "json_schema": {"name": "judgement", "strict": True, "schema": schema}}
        if SYSTEM_ROLE in self._without:
            messages = [{"role": "user", "content": "\n\n".join(one["content"] for one in messages)}]
        body = {
            "model": self.asked.model, "messages": messages, "temperature": self.asked.temperature,
            self._limit: self.asked.max_tokens, "seed": seed, "response_format": form if schema else None,
            "stream": False,
        }  # fmt: skip
        return {key: value for key, value in body.items() if value is not None and key not in self._without}

    def _once(self, data: bytes) -> Reply:
        self.pace.enter()
        try:
            reserved, reply = self.purse.take(estimated_tokens(len(data)), self.asked.max_tokens), None
            try:
                reply = self._answer(data)
            finally:
                self.purse.pay(reserved, reply.usage if reply else None, is_charged=reply is not None)
        except _Passing as failure:
            self.pace.fail(failure.why, is_busy=failure.is_busy, is_junk=failure.is_junk)
            raise
        finally:
            self.pace.leave()
        self.pace.succeed()
        return reply

    def _answer(self, data: bytes) -> Reply:
        try:
            status, headers, body = self._exchange("POST", f"{self.endpoint.url}/chat/completions", data)
        except SSLError as error:
            raise JudgeError(
                f"the judge has no certificate that is trusted here: {self._scrubbed(str(error), _SHOWN)}"
            ) from None
        except HTTPError as error:
            raise _Passing(_in_words(error)) from None
        if status != 200:
            return self._refusal(status, headers, body)
        if headers.get("content-type", "").startswith("text/event-stream"):
            raise JudgeError("the server streams its answers though none were asked for in parts; switch it off")
        try:
            return self._reply(json.loads(body))
        except (ValueError, KeyError, IndexError, TypeError, RecursionError):
            raise _Passing("an answer that is not of OpenAI's form", is_junk=True) from None

    def _exchange(
        self, method: str, url: str, data: bytes | None, most: float = inf
    ) -> tuple[int, Mapping[str, str], bytes]:
        """Send a request, and read the whole answer in the time it has."""
        clock = self.pace.clock
        seconds = min(self.asked.timeout, most)
        end = clock.now() + seconds
        headers = {
            "User-Agent": "truebleu", "Accept-Encoding": "identity", "Content-Type": "application/json",
            **self._key.header(),
        }  # fmt: skip
        timeout = urllib3.Timeout(connect=min(CONNECT_SECONDS, seconds), read=seconds)
        response = self._pool.request(
            method, url, body=data, headers=headers, timeout=timeout, redirect=False, retries=False,
            preload_content=False,
        )  # fmt: skip
        is_whole = False
        try:
            body = b""
            while part := response.read1(1 << 16, decode_content=False):
                body += part
                if len(body) > LONGEST_BODY:
                    raise _Passing(f"an answer of more than {LONGEST_BODY >> 20} MiB", is_junk=True)
                if clock.now() > end:
                    raise _Passing(f"no whole answer in {seconds:g} seconds")
            is_whole = True
        finally:
            response.release_conn() if is_whole else response.close()
        return response.status, response.headers, body

    def _reply(self, found: Any) -> Reply:
        (choice, *_), usage = found["choices"], found.get("usage")
        message, finish = choice["message"], choice.get("finish_reason")
        refusal, content = message.get("refusal"), message.get("content")
        why = "refused" if refusal or finish == "content_filter" else "" if finish == "stop" else "cut"
        if not isinstance(content, str):
            if not why:
                raise TypeError
            content = refusal if isinstance(refusal, str) else ""
        # Half a character cannot be written; as an escape it is no part of a number either.
        whole = content.encode("utf-8", "backslashreplace").decode()
        return Reply(
            self._key.scrub(whole, is_answer=True), why, self._scrubbed(found.get("model", ""), 100),
            self._scrubbed(found.get("system_fingerprint") or "", 100), _usage(usage), self._without,
            self._served,
        )  # fmt: skip

    def _refusal(self, status: int, headers: Mapping[str, str], body: bytes) -> Reply:
        said = self._scrubbed(_message(body), _SHOWN)
        if 300 <= status < 400:
            to = self._scrubbed(headers.get("location", ""), _SHOWN)
            raise JudgeError(f"the judge sends to another address ({status}, {to}), and redirects are not followed")
        if status in _PASSING:
            raise _Passing(str(status), asked=headers.get("retry-after"), is_busy=status == 429)
        if status == 413 or (status == 400 and _TOO_LONG.search(said)):
            return Reply("", "too long", without=self._without)
        if status in (400, 422) and not self.pace.answers:
            named = next((field for field, words in _OPTIONAL.items() if words.search(said)), None)
            if named is not None and named not in self._without:
                raise _Refused(named, said)
        if status == 401:
            where = f"refuses the key of {shown(self._key.origin)}" if self._key else "asks for a key"
            raise JudgeError(f"the judge {where} (401)")
        raise JudgeError(f"the judge refuses the call ({status}): {said}")

    def _leave_out(self, refused: _Refused, sent: Mapping[str, Any]) -> None:
        with self._turn:
            if refused.field != SYSTEM_ROLE and refused.field not in sent:
                raise JudgeError(f"the judge refuses the call: {refused.said}") from None
            if refused.field == _LIMIT and _OTHER_LIMIT in refused.said:
                self._limit = _OTHER_LIMIT
                return
            if refused.field == self._limit and self.purse.budget is not None:
                raise JudgeError(
                    f"the judge does not take {self._limit}, so that no answer has a longest length and no call a "
                    "highest price: --judge-max-calls instead of --judge-budget"
                ) from None
            if refused.field not in self._without:
                self._without = (*self._without, refused.field)
                warn("the judge does not take %s (%s): it is left out", refused.field, refused.said)

    def _scrubbed(self, text: object, longest: int) -> str:
        return shown_address(self._key.scrub(text) if isinstance(text, str) else "", longest)


class _Refused(Exception):
    """A server does not take a field."""

    def __init__(self, field: str, said: str) -> None:
        super().__init__(field)
        self.field, self.said = field, said


def _usage(given: Any) -> tuple[int, int] | None:
    counts: list[Any] = (
        [given.get(key) for key in ("prompt_tokens", "completion_tokens")] if isinstance(given, dict) else [None]
    )
    are_known = all(isinstance(one, int) and 0 <= one < 1 << 40 for one in counts)
    return (int(counts[0]), int(counts[1])) if are_known else None


def _message(body: bytes) -> str:
    """What a server says in an error, wherever it has put it."""
    text = body[: 1 << 16].decode("utf-8", "replace")
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return text
    for key in ("error", "message", "detail"):
        found = found.get(key, found) if isinstance(found, dict) else found
    return found if isinstance(found, str) else json.dumps(found)


def _in_words(error: HTTPError) -> str:
    kinds = type(error).__name__
    words = {
        "ReadTimeoutError": "no answer in time", "ConnectTimeoutError": "it cannot be reached in time",
        "NameResolutionError": "its name cannot be found", "NewConnectionError": "it refuses the connection",
        "ProtocolError": "it broke off the connection", "ProxyError": "the proxy",
    }  # fmt: skip
    return words.get(kinds, kinds)


def _pool(endpoint: Endpoint, jobs: int) -> urllib3.PoolManager:
    """Connections to the server; a proxy, if the environment names one for it, and own certificates."""
    from urllib.request import getproxies, proxy_bypass

    ca = os.environ.get("REQUESTS_CA_BUNDLE") or os.environ.get("SSL_CERT_FILE")
    settings: dict[str, Any] = {"maxsize": jobs, "block": False}
    if endpoint.url.startswith("https:"):
        settings |= {"cert_reqs": "CERT_REQUIRED", "ca_certs": ca}
    host = endpoint.host.rpartition(":")[0] or endpoint.host
    proxy = getproxies().get(endpoint.url.partition(":")[0])
    if endpoint.is_loopback or not proxy or proxy_bypass(host):
        return urllib3.PoolManager(1, **settings)
    return urllib3.ProxyManager(proxy, 1, **settings)
