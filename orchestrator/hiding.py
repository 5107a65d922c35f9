"""Hiding secrets in output that comes in pieces."""

from __future__ import annotations

import re
from typing import TextIO

from orchestrator.secrets import secrets

_HELD = 64 << 10
"""Bytes of a line that are held back at most: longer lines are handed on in parts."""

_BEGUN = re.compile(rb"[a-zA-Z][a-zA-Z0-9+.-]{0,30}(?::(?:/(?:/[^\s/?#'\"<>\\]{0,1000})?)?)?\Z")
"""The beginning of an address whose user and password may still come."""


class HidingStream:
    """Takes a stream in pieces and gives it without secrets, whole lines at a time, so that none is cut in two.

    A line ends with a line feed or, as progress does, with a carriage return.
    """

    def __init__(self) -> None:
        self._held = bytearray()

    def feed(self, data: bytes) -> bytes:
        """What can be handed on of all that came."""
        self._held += data
        end = max(self._held.rfind(b"\n"), self._held.rfind(b"\r")) + 1
        if len(self._held) - end <= _HELD:
            return self._take(end)
        return self._take(end) + self._take_of_line()

    def end(self) -> bytes:
        """What was held back."""
        return self._take(len(self._held))

    def _take(self, size: int) -> bytes:
        taken = bytes(self._held[:size])
        del self._held[:size]
        return secrets().hide_bytes(taken) if taken else b""

    def _take_of_line(self) -> bytes:
        """All of a long line but what the next piece may make a secret of."""
        known = secrets()
        self._held[:] = known.hide_bytes(bytes(self._held))
        size = max(len(self._held) - known.longest, 0)
        if begun := _BEGUN.search(self._held, max(size - 1100, 0), size):
            size = begun.start()
        return self._take(size)


class HidingText:
    """A text stream whose writes are shown without secrets; all else is the stream's own."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Write the text; what it holds of a secret must be whole."""
        self._stream.write(secrets().hide(text))
        return len(text)

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)
