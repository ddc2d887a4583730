"""The address of a server with a language model, the key for it, and whether texts may go there.

A key is in one object only, which shows itself as `<key>`; whatever may be shown, logged or kept passes its `scrub`.

>>> endpoint_of("http://127.0.0.1:8000/v1/").host, endpoint_of("https://api.example.org/v1").host
('127.0.0.1:8000', 'api.example.org')
>>> Key("s3cret"), Key("s3cret").scrub("the key 's3cret' is wrong")
(<key>, "the key '<key>' is wrong")
"""

from __future__ import annotations

import ipaddress
import os
import stat
import sys
from hashlib import sha256
from typing import Any, NamedTuple
from urllib.parse import quote, quote_plus, urlsplit

from truebleu._counts import number_of
from truebleu._shown import shown, shown_address
from truebleu._textio import stored_bytes
from truebleu.errors import ConsentMissing, JudgeError, OptionError
from truebleu.store.config import is_offline

URL_VARIABLE, KEY_VARIABLE, CONSENT_VARIABLE = "TRUEBLEU_JUDGE_URL", "TRUEBLEU_JUDGE_KEY", "TRUEBLEU_SEND_TEXTS"
_PORTS = {"http": 80, "https": 443}
_SHORTEST = 8  # characters of a key that is a secret


class Endpoint(NamedTuple):
    """A server: its address without a "/" at the end, its host as consent names it, and whether it is this machine."""

    url: str
    host: str
    is_loopback: bool

    @property
    def digest(self) -> str:
        """The SHA-256 of the address: two servers may have different models of one name."""
        return sha256(self.url.encode()).hexdigest()


class Key:
    """A secret that a server asks for, and where it comes from. It never shows itself."""

    def __init__(self, secret: str = "", origin: str = KEY_VARIABLE) -> None:
        if not (secret.isascii() and all(" " < char < "\x7f" for char in secret)):
            raise OptionError(f"the key of {shown(origin)} has spaces or other characters that no key has")
        self.origin, self.__secret = origin, secret

    def __repr__(self) -> str:
        return "<key>"

    def __bool__(self) -> bool:
        return bool(self.__secret)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Key) and (self.__secret, self.origin) == (other.__secret, other.origin)

    def __hash__(self) -> int:
        return hash((self.__secret, self.origin))

    def __reduce__(self) -> Any:
        raise TypeError("a key is not stored")

    def header(self) -> dict[str, str]:
        """The header of a request that has the key."""
        return {"Authorization": f"Bearer {self.__secret}"} if self else {}

    def scrub(self, text: str, *, is_answer: bool = False) -> str:
        """Replace the key in a text, as it is and as addresses have it."""
        # "EMPTY" and "none" are keys for servers that ask for none; in an answer they are words.
        if self and not (is_answer and len(self.__secret) < _SHORTEST):
            for form in {self.__secret, quote(self.__secret), quote(self.__secret, safe=""), quote_plus(self.__secret)}:
                text = text.replace(form, "<key>")
        return text


def endpoint_of(url: str) -> Endpoint:
    """Check an address: http or https, without names, passwords and questions."""
    what = f"the address of the judge is {shown_address(url)}"
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        raise OptionError(f"{what}, which is none: {shown_address(error)}") from None
    if parts.scheme not in _PORTS or not host or not url.isascii() or not url.isprintable() or " " in url:
        raise OptionError(f"{what}, expected one such as http://127.0.0.1:8000/v1")
    if "@" in parts.netloc:
        raise OptionError(f"{what}, and has a name or a password in it; a key comes from {KEY_VARIABLE} or a file")
    if "?" in url or "#" in url:
        raise OptionError(f"{what.partition('?')[0].partition('#')[0]}, and has a '?' or '#' in it; expected a path")
    shown_host = f"[{host}]" if ":" in host else host
    named = shown_host if port in (None, _PORTS[parts.scheme]) else f"{shown_host}:{port}"
    return Endpoint(f"{parts.scheme}://{named}{parts.path.rstrip('/')}", named, _is_loopback(host))


def _is_loopback(host: str) -> bool:
    """Whether a name is one of this machine: the literal addresses and localhost, whatever others resolve to."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host == "localhost"
    return address.is_loopback if address.version == 4 else str(address) == "::1"


def read_key(variable: str = KEY_VARIABLE, path: str | None = None) -> Key:
    """Take the key from a file that only its owner can read, or from a variable; without either, it is empty."""
    if path is None:
        found = os.environ.get(variable, "").strip()
        if not found and variable != KEY_VARIABLE:
            raise OptionError(f"the variable {shown(variable)}, named for the key, is not set or empty")
        return Key(found, variable)
    content = stored_bytes(path)
    mode = stat.S_IMODE(os.stat(path).st_mode)
    if sys.platform != "win32" and mode & 0o077:
        raise OptionError(f"{shown(path)} can be read by others (mode {mode:o}), expected 600")
    if not content.strip():
        raise OptionError(f"{shown(path)} is empty, expected the key")
    return Key(content.decode("utf-8", "replace").strip(), path)


def check_endpoint(endpoint: Endpoint, key: Key, allowed: str | None) -> None:
    """Refuse what can be refused before texts are read: a key that could be read on the way, consent for another."""
    if key and not endpoint.is_loopback and endpoint.url.startswith("http:"):
        raise OptionError("a key over http could be read on the way; expected https, or a server on this machine")
    if allowed is not None and allowed != endpoint.host and not endpoint.is_loopback:
        raise OptionError(f"--send-texts names {shown(allowed)}, and the judge is at {shown(endpoint.host)}")
    if is_offline() and not endpoint.is_loopback:
        raise JudgeError(
            f"the network is off, and the judge is at {shown(endpoint.host)}; expected one on this machine"
        )


def check_consent(endpoint: Endpoint, allowed: str | None, texts: int, characters: int) -> None:
    """Refuse to send texts to another machine unless somebody has said that they may go there."""
    if not endpoint.is_loopback and allowed != endpoint.host:
        host = shown(endpoint.host)
        raise ConsentMissing(
            f"{number_of(texts, 'text', commas=True)} ({number_of(characters, 'character', commas=True)}) would go to "
            f"{host}. If that is allowed for these data: --send-texts {host}"
        )
