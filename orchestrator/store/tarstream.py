"""Tar archives made while they are read, so that gigabytes never lie in memory or on disk twice.

The same members always give the same bytes: times are zero, owners are given.
"""

from __future__ import annotations

import io
import tarfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import IO

_CHUNK = 1 << 20


@dataclass(frozen=True, kw_only=True)
class TarMember:
    """One file, or a folder if `open` is None.  Size in bytes; `open` gives its content."""

    name: str
    size: int = 0
    mode: int = 0o644
    open: Callable[[], IO[bytes]] | None = None


class TarStream(io.RawIOBase):
    """A readable stream of a tar archive (GNU format, all members owned by `owner`)."""

    def __init__(self, members: Iterable[TarMember], *, owner: int = 0) -> None:
        super().__init__()
        self._chunks = _archive(members, owner)
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        """Always."""
        return True

    def readinto(self, buffer: bytearray | memoryview, /) -> int:  # type: ignore[override]
        """Fill `buffer` as far as the next chunk reaches; 0 at the end."""
        while not self._rest:
            chunk = next(self._chunks, None)
            if chunk is None:
                return 0
            self._rest = memoryview(chunk)
        count = min(len(buffer), len(self._rest))
        buffer[:count] = self._rest[:count]
        self._rest = self._rest[count:]
        return count


def _archive(members: Iterable[TarMember], owner: int) -> Iterator[bytes]:
    for member in members:
        info = tarfile.TarInfo(member.name)
        info.mode = member.mode
        info.uid = info.gid = owner
        if member.open is None:
            info.type = tarfile.DIRTYPE
            yield info.tobuf(tarfile.GNU_FORMAT)
            continue
        info.size = member.size
        yield info.tobuf(tarfile.GNU_FORMAT)
        written = 0
        with member.open() as stream:
            while chunk := stream.read(_CHUNK):
                written += len(chunk)
                yield chunk
        if written != member.size:
            raise ValueError(f"{member.name}: {written} bytes read where {member.size} were announced")
        yield bytes(-written % tarfile.BLOCKSIZE)
    yield bytes(2 * tarfile.BLOCKSIZE)
