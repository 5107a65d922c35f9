"""Where a container's output goes: file, screen, tail and capture, in bounded memory."""

from __future__ import annotations

import struct
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol, Self

from orchestrator.files import writing
from orchestrator.hiding import HidingStream

TAIL_LINES = 200
CAPTURE_BYTES = 64 << 20
_LINE_BYTES = 8192

STDOUT, STDERR = 1, 2

_HEADER = struct.Struct(">BxxxL")


class FrameReader:
    """Cuts the engine's multiplexed stream into (stream, payload) pairs.

    Docker Engine API, "Attach to a container", stream format: one byte stream number, three zero
    bytes, payload length as big-endian 32-bit integer, payload.
    """

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        """The frames that are complete with `data`."""
        self._buffer += data
        while len(self._buffer) >= _HEADER.size:
            stream, length = _HEADER.unpack_from(self._buffer)
            end = _HEADER.size + length
            if len(self._buffer) < end:
                return
            payload = bytes(self._buffer[_HEADER.size : end])
            del self._buffer[:end]
            yield stream, payload


class TakesBytes(Protocol):
    """What output can be written to."""

    def write(self, data: bytes, /) -> object:
        """Take all of `data`."""


class LogFile:
    """A file that output is appended to as it comes, unbuffered: a full disk shows at once and only once."""

    def __init__(self, path: Path) -> None:
        """Open the file and make its folder.

        Raises:
            DiskError: it cannot be written.
        """
        self._path = path
        with writing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = path.open("ab", buffering=0)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def write(self, data: bytes) -> None:
        """Append all of `data`.

        Raises:
            DiskError: the disk is full.
        """
        rest = memoryview(data)
        with writing(self._path):
            while rest:
                rest = rest[self._file.write(rest) or 0 :]


class LogSink:
    """Takes output as it arrives.

    Lines go to `file` as they end, otherwise unchanged, and to `on_line` and to the tail as text, with
    bytes that are not UTF-8 replaced; a line of more than 8 KiB is cut into several.  None of these is
    given a secret.  What is captured is given to our own reading, whose results are reported without.
    """

    def __init__(self, *, file: TakesBytes | None, on_line: Callable[[str], None] | None, capture: bool) -> None:
        self._file = file
        self._on_line = on_line
        self._capture = capture
        self._captured = bytearray()
        self._hiding = {STDOUT: HidingStream(), STDERR: HidingStream()}
        self._partial = {STDOUT: bytearray(), STDERR: bytearray()}
        self._tail: deque[str] = deque(maxlen=TAIL_LINES)
        self.captured_cut = False

    @property
    def captured(self) -> bytes:
        """Standard output so far, if captured; at most `CAPTURE_BYTES`."""
        return bytes(self._captured)

    @property
    def tail(self) -> str:
        """The last `TAIL_LINES` lines of both streams."""
        return "\n".join(self._tail)

    def write(self, stream: int, data: bytes) -> None:
        """Take a piece of a stream's output."""
        if self._capture and stream == STDOUT:
            room = CAPTURE_BYTES - len(self._captured)
            self.captured_cut = self.captured_cut or len(data) > room
            self._captured += data[:room]
        self._hand_on(stream, self._hiding.setdefault(stream, HidingStream()).feed(data))

    def finish(self) -> None:
        """Hand on what has no line end."""
        for stream, hiding in self._hiding.items():
            self._hand_on(stream, hiding.end())
        for partial in self._partial.values():
            if partial:
                self._emit(partial)
                partial.clear()

    def _hand_on(self, stream: int, data: bytes) -> None:
        if not data:
            return
        if self._file is not None:
            self._file.write(data)
        partial = self._partial.setdefault(stream, bytearray())
        partial += data
        *lines, rest = partial.split(b"\n")
        partial[:] = rest
        for line in lines:
            self._emit(line)
        while len(partial) > _LINE_BYTES:
            self._emit(partial[:_LINE_BYTES])
            del partial[:_LINE_BYTES]

    def _emit(self, line: bytes | bytearray) -> None:
        for start in range(0, max(len(line), 1), _LINE_BYTES):
            text = line[start : start + _LINE_BYTES].decode(errors="replace").rstrip("\r")
            self._tail.append(text)
            if self._on_line is not None:
                self._on_line(text)
