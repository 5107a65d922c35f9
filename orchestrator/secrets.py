"""What must not enter a log, a report or a bundle: values of variables with secret names, credentials in addresses.

Variables count as secret by their names: see `PATTERNS`, and `WHEEL_ORCHESTRATOR_SECRETS`, which names others.
"""

from __future__ import annotations

import fnmatch
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

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
    "*PRIVATE_KEY*",
)
"""Names of variables whose values are secret; case does not matter."""

CONFIGURED = "WHEEL_ORCHESTRATOR_SECRETS"
"""More such patterns, separated by commas."""

SHORTEST = 6
"""Characters of a value that is hidden: shorter ones are words such as `true`, which would vanish everywhere."""

_CREDENTIALS = re.compile(r"(?P<scheme>\b[a-zA-Z][a-zA-Z0-9+.-]*://)[^\s/@'\"<>]+@")


@dataclass(frozen=True)
class Secrets:
    """Values that must not be shown, by the name of the variable that holds each, the longest first."""

    values: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, environ: Mapping[str, str]) -> Secrets:
        """The secrets among these variables; each line of a value of several lines counts by itself."""
        more = [word.strip() for word in environ.get(CONFIGURED, "").split(",") if word.strip()]
        patterns = [pattern.upper() for pattern in (*PATTERNS, *more)]
        found = {
            line: name
            for name, value in environ.items()
            if name != CONFIGURED and any(fnmatch.fnmatchcase(name.upper(), pattern) for pattern in patterns)
            for line in map(str.strip, value.splitlines())
            if len(line) >= SHORTEST
        }
        return cls(tuple((found[line], line) for line in sorted(found, key=len, reverse=True)))

    def hide(self, text: str) -> str:
        """The text without secrets, and without user and password in addresses."""
        for _, value in self.values:
            text = text.replace(value, HIDDEN)
        return _CREDENTIALS.sub(rf"\g<scheme>{HIDDEN}@", text) if "://" in text else text

    def hide_bytes(self, data: bytes) -> bytes:
        """As `hide`, of bytes that may be text in no encoding."""
        text = data.decode("utf-8", "surrogateescape")
        return self.hide(text).encode("utf-8", "surrogateescape")

    def held_by(self, data: bytes) -> str | None:
        """The name of a variable whose value is in the data, `credentials` for an address with some, or None."""
        for name, value in self.values:
            if value.encode() in data:
                return name
        found = b"://" in data and _CREDENTIALS.search(data.decode("utf-8", "surrogateescape"))
        return "credentials" if found else None


@cache
def secrets() -> Secrets:
    """Those of this process."""
    return Secrets.of(os.environ)
