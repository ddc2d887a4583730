"""From the network into the cache: mirrors, retries, timeouts, progress.

Every address is tried once. Then those with a temporary problem are tried again, after a pause that doubles: a dead
host does not keep a user from a mirror that works. A server that sends too slowly is given up, or every process would
wait for it. `verify` checks the file that arrives.

Only https is used, also after a redirect. The bytes are taken as they were stored: a server that labels a .tgz as
"encoded with gzip" would otherwise have it unpacked on the way, and no checksum would fit.

The request for a gated file has the user's token, which goes only to the host it is for: not to a mirror, not after a
redirect, and not into a message.
"""

import os
import random
import shutil
import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, BinaryIO
from urllib.parse import urljoin, urlsplit

from truebleu._atomic import aside, sweep
from truebleu._counts import number_of
from truebleu._shown import shown, shown_address
from truebleu.errors import DownloadError, MissingDependency
from truebleu.store.config import is_offline
from truebleu.version import __version__

# Seconds in which one of the servers must take a connection. Without a network nobody wants to wait.
REACH = 1.5

# Seconds to connect, and to wait for the next bytes.
TIMEOUT: tuple[float, float] = (5, 60)

# Seconds until the first bytes of the file must arrive: name lookup, connections, headers and redirects together.
PATIENCE = 90.0

# Bytes per second that have to arrive, on average over this number of seconds.
LEAST_RATE, PERIOD = 1000, 60.0

# How often an address is tried, and the pause before the second attempt in seconds, which then doubles each time.
ATTEMPTS = 4
PAUSE = 1.0
LONGEST_PAUSE = 30.0

# Far more than any test set; a server that never stops would fill the disk.
MAX_BYTES = 16 << 30

# The hosts of gated files, and the variable with the user's token for each.
TOKENS = {"huggingface.co": "HF_TOKEN"}

# What a server does, by a part of the name of an error's class, in this order.
_WORDS = {
    "gaierror": "cannot be found by its name", "UnicodeError": "cannot be found by its name",
    "ConnectionRefused": "refuses the connection", "SSLCertVerification": "has a certificate that is not trusted here",
    "SSL": "makes no secure connection", "Proxy": "is behind a proxy that cannot be reached",
    "ReadTimeout": "timed out while it was sending", "Timeout": "does not answer",
    "IncompleteRead": "broke off the connection before the file was complete",
    "ConnectionReset": "broke off the connection", "RemoteDisconnected": "broke off the connection",
    "TooManyRedirects": "has redirects without end",
}  # fmt: skip

_PASSING = frozenset((408, 425, 429, 500, 502, 503, 504))

# Called with the file's name, the bytes that have arrived, and the bytes to come if the server says; a second
# attempt begins at zero again.
Progress = Callable[[str, int, int | None], None]
_progress: ContextVar[Progress | None] = ContextVar("truebleu_progress", default=None)
# Returns the fault of a copy, or None.
Verify = Callable[[Path], str | None]
Waiting = Callable[[str], None]
_waiting: ContextVar[Waiting | None] = ContextVar("truebleu_waiting", default=None)


@contextmanager
def reporting(progress: Progress | None, waiting: Waiting | None = None) -> Iterator[None]:
    """Make downloads report their progress, and what they wait for, in this thread or task.

    >>> with reporting(lambda name, done, total: None):
    ...     pass

    Parameters
    ----------
    progress
        Called with the name of the file, the bytes that have arrived, and the total if the server gives it.
    waiting
        Called with a few words whenever a download has to wait: for a server, the next attempt, another process.
    """
    tokens = _progress.set(progress), _waiting.set(waiting)
    try:
        yield
    finally:
        _progress.reset(tokens[0])
        _waiting.reset(tokens[1])


def report_waiting(what: str) -> None:
    """Report what a download waits for."""
    listener = _waiting.get()
    if listener is not None:
        listener(what)


def download(
    places: list[str | Path], home: Path, verify: Verify, alive: Callable[[], None], *, gated: bool = False
) -> list[str] | None:
    """Download a file from the first address with a good copy: None, or if all failed the problem at each address."""
    reasons: dict[str | Path, str] = {}
    remaining = [place for place in dict.fromkeys(places) if isinstance(place, Path) or not is_offline()]
    pause = 0.0
    for attempt in range(ATTEMPTS):
        if pause:
            report_waiting(f"{home.name}: waiting {pause:.0f} s before attempt {attempt + 1} of {ATTEMPTS}")
        time.sleep(pause)
        pause = _backed_off(attempt)
        again = []
        for place in remaining:
            try:
                _bring(place, home, verify, alive, gated)
                return None
            except MissingDependency:
                raise
            except Exception as error:  # Whatever a bad server does, the next one must be tried.
                reasons[place] = f"{shown_address(place)}: {_in_words(error)}"
                if _may_pass(error):
                    again.append(place)
                    pause = max(pause, _asked_pause(error))
        remaining = again
        if not remaining:
            break
    return list(reasons.values())


def unreachable(urls: Iterable[str]) -> str:
    """Say for each server why it cannot be reached; "" if one of them, or the user's proxy, takes a connection."""
    ways = dict.fromkeys(map(_way_to, urls))
    hosts = [one for one in ways if one is not None]
    if len(hosts) < len(ways):
        return ""  # the request itself will tell
    answers: SimpleQueue[tuple[str, str]] = SimpleQueue()
    for host in hosts:  # the lookup of a name cannot be interrupted, so a thread may outlive this function
        threading.Thread(target=_knock, args=(*host, answers), daemon=True).start()
    end, found = time.monotonic() + REACH, {name: "does not answer" for name, _ in hosts}
    with suppress(Empty):
        for _ in hosts:
            name, why = answers.get(timeout=max(0.0, end - time.monotonic()))
            if not why:
                return ""
            found[name] = why
    return ", ".join(f"{shown(name)} {why}" for name, why in found.items())


def _way_to(url: str) -> tuple[str, int] | None:
    """The host and the port of a server, or of the proxy that the environment names for it; None if unknown."""
    try:
        from requests.utils import get_environ_proxies, select_proxy

        refuse_insecure(url)
        parts = urlsplit(select_proxy(url, get_environ_proxies(url)) or url)
        port = parts.port or {"https": 443, "http": 80}.get(parts.scheme)
    except (ImportError, DownloadError, ValueError):
        return None
    return (parts.hostname, port) if parts.hostname and port else None


def _knock(name: str, port: int, answers: "SimpleQueue[tuple[str, str]]") -> None:
    """Connect to a host, and say why it cannot be done, or nothing."""
    try:
        socket.create_connection((name, port), timeout=REACH).close()
        answers.put((name, ""))
    except (OSError, UnicodeError) as error:
        answers.put((name, _in_words(error)))


def _in_words(error: BaseException) -> str:
    """Say what went wrong in the words of a user; libraries tell of their own inside."""
    causes, response = [error], getattr(error, "response", None)
    if response is not None and response.status_code >= 400:
        return f"the server answers {response.status_code} {shown(response.reason)}"
    while (cause := causes[-1].__cause__ or causes[-1].__context__) is not None and cause not in causes:
        causes.append(cause)
    kinds = " ".join(type(one).__name__ for one in causes)
    if isinstance(error, OSError) and error.strerror and not kinds.startswith(tuple(_WORDS)):
        return f"{shown(error.filename)}: {error.strerror}" if error.filename else error.strerror
    return next((words for kind, words in _WORDS.items() if kind in kinds), shown_address(error) or kinds)


def _bring(place: str | Path, home: Path, verify: Verify, alive: Callable[[], None], gated: bool) -> None:
    if isinstance(place, str):
        refuse_insecure(place)
    home.parent.mkdir(parents=True, exist_ok=True)
    sweep(home.parent)
    with aside(home) as part:
        with part.open("xb") as stream:
            arriving = _Arriving(stream, home.name, alive)
            if isinstance(place, str):
                _transfer(place, arriving, _token(place) if gated else None)
            else:
                with place.open("rb") as source:
                    arriving.total = place.stat().st_size
                    shutil.copyfileobj(source, arriving, 1 << 16)
        problem = verify(part)
        if problem is not None:
            raise DownloadError(f"the download {problem}")
        part.replace(home)


class _Arriving:
    """A file that reports its progress while it is written."""

    def __init__(self, stream: BinaryIO, name: str, alive: Callable[[], None]) -> None:
        self._stream, self._name, self._alive = stream, name, alive
        self._done, self._report = 0, _progress.get()
        self._since, self._recent = time.monotonic(), 0
        self.total: int | None = None

    def write(self, chunk: bytes) -> int:
        self._done += len(chunk)
        if self._done > MAX_BYTES:
            raise DownloadError(f"the download is larger than {MAX_BYTES} bytes, which no test set is")
        self._expect_rate(len(chunk))
        self._alive()
        if self._report is not None:
            self._report(self._name, self._done, self.total)
        return self._stream.write(chunk)

    def _expect_rate(self, size: int) -> None:
        self._recent += size
        if time.monotonic() - self._since >= PERIOD:
            if self._recent < LEAST_RATE * PERIOD:
                raise DownloadError(
                    f"the server sent {number_of(self._recent, 'byte')} in {PERIOD:.0f} s, which is too slow"
                )
            self._since, self._recent = time.monotonic(), 0


def _token(url: str) -> str | None:
    """The user's token for a host that requires one; without a token, an error says where to get it."""
    variable = TOKENS.get(urlsplit(url).hostname or "")
    if variable is None:
        return None
    token = os.environ.get(variable, "").strip()
    if not token:
        terms = shown_address(url.partition("/resolve/")[0])
        raise DownloadError(f"the file is gated: agree to its terms at {terms} and set {variable} to a token of yours")
    # A library that refuses such a character in a header would show the token in its message.
    if not (token.isascii() and token.isprintable()) or " " in token:
        raise DownloadError(f"{variable} has a character that is not allowed in a token")
    return token


def _transfer(url: str, arriving: _Arriving, token: str | None) -> None:
    try:
        import requests
        from urllib3.exceptions import HTTPError
    except ImportError as error:
        raise MissingDependency(f"downloading needs requests ({error}): pip install requests") from error

    report_waiting(f"connecting to {shown_address(urlsplit(url).hostname)}")
    with _answer(url, token) as response:
        if response.status_code == 401 or (token and response.status_code == 403):
            advice = "was your token made for this file, and did you agree to its terms?" if token else "is it gated?"
            raise DownloadError(f"the server requires authentication ({response.status_code}); {advice}")
        response.raise_for_status()
        length = response.headers.get("content-length", "")
        # Anything but a number of sensible length is ignored; the checksum decides.
        arriving.total = int(length) if length.isdecimal() and len(length) < 20 else None
        try:
            # Bytes are taken as they arrive: waiting for a whole block would hide a slow server. A wrong label of an
            # encoding must not change the bytes.
            while chunk := response.raw.read1(1 << 16, decode_content=False):
                arriving.write(chunk)
        except HTTPError as error:
            raise requests.exceptions.ConnectionError(error) from error


def _answer(url: str, token: str | None) -> Any:
    """The answer of a server, before its body is read, if it comes within PATIENCE.

    TIMEOUT limits each wait for bytes, not their sum: a server that sends its headers letter by letter, or a redirect
    with an endless body, never reaches it. So another thread makes the request; it ends with the program at the latest.
    """
    import requests

    outcome: list[Any] = []
    given_up = threading.Event()

    def sign(request: Any) -> Any:
        # `requests` removes it if a redirect leads to another host or port, and does not add it again.
        request.headers["Authorization"] = f"Bearer {token}"
        return request

    def look(response: Any, *args: object, **kwargs: object) -> None:
        # A short link may lead anywhere, plain http included.
        if response.is_redirect:
            try:
                refuse_insecure(response.headers["location"], response.url)
            except DownloadError:
                # Its body is never read, and `requests` leaves the connection open.
                response.close()
                raise

    def ask() -> None:
        headers = {"User-Agent": f"truebleu/{__version__}", "Accept-Encoding": "identity"}
        try:
            auth = sign if token else None
            answer = requests.get(
                url, headers=headers, stream=True, timeout=TIMEOUT, hooks={"response": look}, auth=auth
            )
            outcome.append(answer)
            if given_up.is_set():
                answer.close()
        except BaseException as error:
            outcome.append(error)

    asking = threading.Thread(target=ask, name="truebleu-download", daemon=True)
    asking.start()
    asking.join(PATIENCE)
    if not outcome:
        given_up.set()
        raise DownloadError(f"the server did not begin to send the file within {PATIENCE:.0f} s, which is too slow")
    if isinstance(outcome[0], BaseException):
        raise outcome[0]
    return outcome[0]


def refuse_insecure(url: str, base: str = "") -> None:
    """Raise unless an address is https, or http on this very machine."""
    try:
        url = urljoin(base, url)
        parts = urlsplit(url)
    except ValueError as error:
        raise DownloadError(f"{shown_address(url)} is not an address: {error}") from error
    # A connection of a machine with itself is safe, and the tests need a server.
    loopback = parts.hostname in ("127.0.0.1", "::1", "localhost")
    if parts.scheme != "https" and not (parts.scheme == "http" and loopback):
        raise DownloadError(f"{shown_address(url)} is not an https address")


def _may_pass(error: Exception) -> bool:
    """Whether the same request may work in a moment."""
    if isinstance(error, DownloadError):
        return False
    try:
        from requests import exceptions as of_requests
    except ImportError:  # Only a folder can have been tried.
        return False

    if isinstance(error, of_requests.HTTPError):
        return error.response is not None and error.response.status_code in _PASSING
    if isinstance(error, of_requests.SSLError):
        return False
    return isinstance(error, of_requests.ConnectionError | of_requests.Timeout | of_requests.ChunkedEncodingError)


def _backed_off(attempt: int) -> float:
    # The chance part keeps a hundred jobs that failed together from coming back together.
    return min(PAUSE * 2.0**attempt, LONGEST_PAUSE) * random.uniform(0.5, 1)


def _asked_pause(error: Exception) -> float:
    """The pause that a busy server asks for, up to a limit."""
    response = getattr(error, "response", None)
    asked = "" if response is None else str(response.headers.get("retry-after", ""))
    return min(float(asked[:9]), LONGEST_PAUSE) if asked.isdecimal() else 0.0
