"""What must not enter a log, a report or a bundle: values of variables with secret names, credentials in addresses.

Variables count as secret by their names: see `PATTERNS`, and `WHEEL_ORCHESTRATOR_SECRETS`, which names others.  So
do the variables that a recipe gives its build, and user and password of an address in any variable or on the
command line.  A value is found as it is and as it is commonly written within something else: see `_spellings`.
"""

from __future__ import annotations

import base64
import fnmatch
import html
import json
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import quote, quote_plus, unquote

HIDDEN = "[hidden]"
"""What stands in a secret's place."""

PATTERNS = (
    "*TOKEN*",
    "*SECRET*",
    "*PASSWORD*",
    "*PASSWD*",
    "*PASSPHRASE*",
    "*CREDENTIAL*",
    "*API_KEY*",
    "*APIKEY*",
    "*ACCESS_KEY*",
    "*PRIVATE_KEY*",
)
"""Names of variables whose values are secret; case does not matter."""

CONFIGURED = "WHEEL_ORCHESTRATOR_SECRETS"
"""More such patterns, separated by commas."""

SHORTEST = 6
"""Characters of a value that is hidden: shorter ones are words such as `true`, which would vanish everywhere."""

COMMAND_LINE = "the command line"
"""Stands for a variable's name where an address on the command line holds the secret."""

IN_ADDRESS = "credentials"
"""Stands for a variable's name where only the form of an address tells that it holds a secret."""

_ARMOUR = re.compile(r"-----(BEGIN|END) [A-Z0-9 ]+-----")
"""First and last line of a key as text (RFC 7468): no secret, and in many files that hold none."""

# RFC 3986, 3.2.1: what stands between `//` and `@`. A user without a password is none for ssh, a token for the web.
_USER = r"[^\s/?#'\"<>@\\:]"
_CREDENTIALS = (
    r"(?P<scheme>\b[a-zA-Z][a-zA-Z0-9+.-]{0,30}://)"
    rf"(?P<secret>(?<!ssh://)(?<!sftp://){_USER}+@|{_USER}*:[^\s/?#'\"<>\\]*@)"
)
_IN_TEXT = re.compile(_CREDENTIALS)
_IN_BYTES = re.compile(_CREDENTIALS.encode())


@dataclass(frozen=True)
class Secrets:
    """Values that must not be shown, by the name of the variable that holds each, the longest first."""

    values: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, environ: Mapping[str, str], words: Iterable[str] = ()) -> Secrets:
        """The secrets among these variables and on a command line; each line of a value counts by itself."""
        patterns = _patterns(environ)
        found: dict[str, str] = {}
        for name, value in environ.items():
            if name != CONFIGURED and any(fnmatch.fnmatchcase(name.upper(), pattern) for pattern in patterns):
                found |= dict.fromkeys(_lines(value), name)
            found |= dict.fromkeys(_passwords(value), name)
        found |= {word: COMMAND_LINE for text in words for word in _passwords(text) if word not in found}
        return cls(tuple((found[line], line) for line in sorted(found, key=lambda line: (-len(line), line))))

    def and_of(self, environ: Mapping[str, str], *, configured: Mapping[str, str]) -> Secrets:
        """These, and those among further variables, by the patterns that `configured` names beside ours."""
        more = Secrets.of({CONFIGURED: configured.get(CONFIGURED, ""), **environ})
        values = {value: name for name, value in (*more.values, *self.values)}
        return Secrets(tuple((values[value], value) for value in sorted(values, key=lambda one: (-len(one), one))))

    def hide(self, text: str) -> str:
        """The text without secrets, and without user and password in addresses."""
        for _, spelling in self._spelled:
            if spelling in text:
                text = text.replace(spelling, HIDDEN)
        return _IN_TEXT.sub(rf"\g<scheme>{HIDDEN}@", text) if "://" in text else text

    def hide_bytes(self, data: bytes) -> bytes:
        """As `hide`, of bytes that may be text in no encoding."""
        for _, spelling in self._encoded:
            if spelling in data:
                data = data.replace(spelling, HIDDEN.encode())
        return _IN_BYTES.sub(rb"\g<scheme>" + HIDDEN.encode() + b"@", data) if b"://" in data else data

    def hide_within(self, value: Any) -> Any:
        """Plain values (those of JSON, and tuples) without secrets in their texts, keys included."""
        if isinstance(value, str):
            return self.hide(value) if type(value) is str else value
        if isinstance(value, Mapping):
            return {self.hide_within(key): self.hide_within(one) for key, one in value.items()}
        if isinstance(value, list | tuple):
            return type(value)(self.hide_within(one) for one in value)
        return value

    def held_by(self, data: bytes) -> str | None:
        """The name of a variable whose value is in the data, `credentials` for an address with some, or None."""
        for name, spelling in self._encoded:
            if spelling in data:
                return name
        return IN_ADDRESS if b"://" in data and _IN_BYTES.search(data) else None

    @property
    def longest(self) -> int:
        """Bytes of the longest spelling, 0 without any."""
        return max((len(spelling) for _, spelling in self._encoded), default=0)

    @cached_property
    def _spelled(self) -> tuple[tuple[str, str], ...]:
        found: dict[str, str] = {}
        for name, value in self.values:
            for spelling in _spellings(value):
                found.setdefault(spelling, name)
        return tuple((found[one], one) for one in sorted(found, key=lambda one: (-len(one), one)))

    @cached_property
    def _encoded(self) -> tuple[tuple[str, bytes], ...]:
        return tuple((name, spelling.encode("utf-8", "surrogateescape")) for name, spelling in self._spelled)


def has_credentials(text: str) -> bool:
    """Whether a text holds an address with user and password, or for the web with either."""
    return "://" in text and _IN_TEXT.search(text) is not None


def secrets() -> Secrets:
    """Those of this process."""
    return _process.known


def learn(environ: Mapping[str, str]) -> None:
    """Count the variables of something that this process is given, such as a recipe's, as its own."""
    _process.known = _process.known.and_of(environ, configured=os.environ)


class _Process:
    """What this process knows to be secret."""

    def __init__(self) -> None:
        self.known = Secrets.of(os.environ, sys.argv)


def _patterns(environ: Mapping[str, str]) -> tuple[str, ...]:
    more = (word.strip() for word in environ.get(CONFIGURED, "").split(","))
    return tuple(pattern.upper() for pattern in (*PATTERNS, *more) if pattern)


def _lines(value: str) -> Iterator[str]:
    """The lines of a value that are long enough to be a secret."""
    for line in map(str.strip, value.splitlines()):
        if len(line) >= SHORTEST and not _ARMOUR.fullmatch(line):
            yield line


def _passwords(text: str) -> Iterator[str]:
    """The secret parts of addresses in a text, as they stand there and decoded."""
    for match in _IN_TEXT.finditer(text) if "://" in text else ():
        user, colon, password = match["secret"].removesuffix("@").partition(":")
        word = password if colon else user
        yield from {one for one in (word, unquote(word)) if len(one) >= SHORTEST}


def _spellings(value: str) -> Iterator[str]:
    """A value as it is, percent-encoded, within texts of JSON, HTML and the shell, and within Base64."""
    encoded = quote(value, safe="", errors="surrogateescape")
    plus = quote_plus(value, errors="surrogateescape")
    yield from (value, encoded, quote(value, errors="surrogateescape"), plus)
    yield from (re.sub("%[0-9A-F]{2}", lambda match: match[0].lower(), one) for one in (encoded, plus))
    yield from (json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1])
    yield from (html.escape(value), value.replace("'", "'\"'\"'"), value.replace("'", "'\\''"))
    for alphabet in (base64.b64encode, base64.urlsafe_b64encode):
        yield from _base64(value.encode("utf-8", "surrogateescape"), alphabet)


def _base64(data: bytes, encode: Any) -> Iterator[str]:
    """What stands in the Base64 of any bytes that hold the data, whatever is before and behind (RFC 4648, 4)."""
    for before in range(3):
        whole = encode(bytes(before) + data).decode()
        # Of six bits each; the first and the last may hold bits of the neighbours.
        yield whole[-(-8 * before // 6) : 8 * (before + len(data)) // 6]


_process = _Process()
