"""From afar into the cache: mirrors, retries, timeouts, progress.

Every place is tried once, then those again whose trouble may pass, after a pause that doubles: a dead host
does not keep one from a mirror that works. A server that sends too little, in its headers or in the file, is
given up, or everybody would wait for it. What arrives is the file's own business (`verify`).

Only https is spoken, also after a redirect. The bytes are taken as they were stored: a server that labels a .tgz as
"encoded with gzip" would otherwise have it unpacked on the way, and no checksum would fit.

A file that is gated is asked for with the user's token, which goes to the host it is for and to no other: not to a
mirror, not after a redirect, and into no message.
"""

import os
import random
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import urljoin, urlsplit

from truebleu._atomic import aside, sweep
from truebleu._counts import number_of
from truebleu._shown import shown_address
from truebleu.errors import DownloadError, MissingDependency
from truebleu.store.config import is_offline
from truebleu.version import __version__

# Seconds to connect, and to wait for the next bytes.
TIMEOUT: tuple[float, float] = (15, 60)

# Seconds until the file must begin to come: names, connections, headers and redirects together.
PATIENCE = 90.0

# Bytes a second that have to come, on the average of so many seconds.
LEAST_RATE, PERIOD = 1000, 60.0

# How often a place is tried, and the seconds before the second time; then twice as long, and so on.
ATTEMPTS = 4
PAUSE = 1.0
LONGEST_PAUSE = 30.0

# No test set comes near; a server that never ends would fill the disk.
MAX_BYTES = 16 << 30

# The hosts that gated files are on, and the variable that has the user's token for each.
TOKENS = {"huggingface.co": "HF_TOKEN"}

_PASSING = frozenset((408, 425, 429, 500, 502, 503, 504))

# Called with the file's name, the bytes that have arrived, and the bytes to come if the server says; a second
# attempt begins at zero again.
Progress = Callable[[str, int, int | None], None]
_progress: ContextVar[Progress | None] = ContextVar("truebleu_progress", default=None)
# Says what is wrong with a copy, or None.
Verify = Callable[[Path], str | None]
Waiting = Callable[[str], None]
_waiting: ContextVar[Waiting | None] = ContextVar("truebleu_waiting", default=None)


@contextmanager
def reporting(progress: Progress | None, waiting: Waiting | None = None) -> Iterator[None]:
    """Have downloads report how far they are, and what they wait for, in this thread or task.

    >>> with reporting(lambda name, done, total: None):
    ...     pass

    Parameters
    ----------
    progress
        Gets the name of the file, the bytes that have arrived, and the bytes to come if the server says.
    waiting
        Gets a few words whenever there is something to wait for: a server, the next attempt, another process.
    """
    tokens = _progress.set(progress), _waiting.set(waiting)
    try:
        yield
    finally:
        _progress.reset(tokens[0])
        _waiting.reset(tokens[1])


def report_waiting(what: str) -> None:
    """Tell whoever listens what is being waited for."""
    listener = _waiting.get()
    if listener is not None:
        listener(what)


def download(
    places: list[str | Path], home: Path, verify: Verify, alive: Callable[[], None], *, gated: bool = False
) -> list[str] | None:
    """Bring a file home from the first place that has a good one: None if that worked, else what went wrong where."""
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
            except Exception as error:  # A bad server, whatever it does, must not keep one from the next.
                reasons[place] = f"{shown_address(place)}: {shown_address(error) or type(error).__name__}"
                if _may_pass(error):
                    again.append(place)
                    pause = max(pause, _asked_pause(error))
        remaining = again
        if not remaining:
            break
    return list(reasons.values())


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
    """A file being written, that reports how much of it is there."""

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
    """The user's token for a host that wants one; an error that says where to get it if there is none."""
    variable = TOKENS.get(urlsplit(url).hostname or "")
    if variable is None:
        return None
    token = os.environ.get(variable, "").strip()
    if not token:
        terms = shown_address(url.partition("/resolve/")[0])
        raise DownloadError(f"the file is gated: agree to its terms at {terms} and set {variable} to a token of yours")
    # What cannot stand in a header would be shown in the message of whoever refuses it.
    if not (token.isascii() and token.isprintable()) or " " in token:
        raise DownloadError(f"{variable} has a character that no token has")
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
            raise DownloadError(f"the server wants to know who asks ({response.status_code}); {advice}")
        response.raise_for_status()
        length = response.headers.get("content-length", "")
        # What is no number, or one of a thousand digits, says nothing; the checksum decides.
        arriving.total = int(length) if length.isdecimal() and len(length) < 20 else None
        try:
            # As it comes: waiting for a whole block would hide how slow a server is. A wrong label of an encoding must
            # not change the bytes.
            while chunk := response.raw.read1(1 << 16, decode_content=False):
                arriving.write(chunk)
        except HTTPError as error:
            raise requests.exceptions.ConnectionError(error) from error


def _answer(url: str, token: str | None) -> Any:
    """What a server answers, its body not yet read, if that is there within PATIENCE.

    TIMEOUT bounds each wait for bytes, and not their sum: a server that sends its headers letter by letter, or a
    redirect with a body without end, never reaches it. So another thread asks; it ends with the program, if not before.
    """
    import requests

    outcome: list[Any] = []
    given_up = threading.Event()

    def sign(request: Any) -> Any:
        # `requests` takes it off where a redirect leads to another host or port, and does not sign again.
        request.headers["Authorization"] = f"Bearer {token}"
        return request

    def look(response: Any, *args: object, **kwargs: object) -> None:
        # A short link may lead anywhere, plain http included.
        if response.is_redirect:
            try:
                refuse_insecure(response.headers["location"], response.url)
            except DownloadError:
                # Nobody will read its body, and `requests` leaves the connection open.
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
    # Nobody listens between a machine and itself, and the tests need a server.
    loopback = parts.hostname in ("127.0.0.1", "::1", "localhost")
    if parts.scheme != "https" and not (parts.scheme == "http" and loopback):
        raise DownloadError(f"{shown_address(url)} is not an https address")


def _may_pass(error: Exception) -> bool:
    """Whether the same request may work in a moment."""
    if isinstance(error, DownloadError):
        return False
    try:
        from requests import exceptions as of_requests
    except ImportError:  # Nothing but a folder can have been asked.
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
    """What a busy server asks for, within reason."""
    response = getattr(error, "response", None)
    asked = "" if response is None else str(response.headers.get("retry-after", ""))
    return min(float(asked[:9]), LONGEST_PAUSE) if asked.isdecimal() else 0.0
