"""Tar archives made while they are read, so that gigabytes never lie in memory or on disk twice.

The same members always give the same bytes: the time is fixed and all is root's, until it is given to the
owner of a volume.  Format: ustar with GNU extensions, as Python's tarfile writes it.
"""

from __future__ import annotations

import io
import tarfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Self

CHUNK = 1 << 20
"""Bytes that are moved at a time."""

TIME = 315_619_200
"""Time of all members, 1980-01-02 in seconds since 1970: zip archives, wheels among them, know no earlier year."""


class PieceReader(io.RawIOBase):
    """A readable stream over pieces of bytes; `on_close` runs once when it is closed."""

    def __init__(self, pieces: Iterable[bytes], on_close: Callable[[], None] | None = None) -> None:
        super().__init__()
        self._pieces = iter(pieces)
        self._rest = memoryview(b"")
        self._on_close = on_close

    def readable(self) -> bool:
        """Always."""
        return True

    def readinto(self, buffer: bytearray | memoryview, /) -> int:  # type: ignore[override]
        """Fill the buffer as far as the next piece reaches; 0 at the end."""
        while not self._rest:
            piece = next(self._pieces, None)
            if piece is None:
                return 0
            self._rest = memoryview(piece)
        count = min(len(buffer), len(self._rest))
        buffer[:count] = self._rest[:count]
        self._rest = self._rest[count:]
        return count

    def close(self) -> None:
        """Close, and run `on_close`."""
        on_close, self._on_close = self._on_close, None
        try:
            super().close()
        finally:
            if on_close is not None:
                on_close()


@dataclass(frozen=True, kw_only=True)
class TarMember:
    """One file, a symbolic link if it has a `target`, or else a folder if `open` is None.

    Size in bytes; `open` gives its content.
    """

    name: str
    size: int = 0
    mode: int = 0o644
    open: Callable[[], IO[bytes]] | None = None
    target: str = ""

    @classmethod
    def folder(cls, name: str) -> Self:
        """A folder, mode 0755."""
        return cls(name=name, mode=0o755)

    @classmethod
    def link(cls, name: str, target: str) -> Self:
        """A symbolic link; `target` is relative to the link's folder."""
        return cls(name=name, mode=0o777, target=target)

    @classmethod
    def of_bytes(cls, name: str, data: bytes, *, mode: int = 0o644) -> Self:
        """A file with that content."""
        return cls(name=name, size=len(data), mode=mode, open=lambda: io.BytesIO(data))

    @classmethod
    def of_file(cls, name: str, path: Path) -> Self:
        """A file with the content of another, mode 0644.

        Raises:
            OSError: that one cannot be read.
        """
        return cls(name=name, size=path.stat().st_size, open=lambda: path.open("rb"))


class TarStream(PieceReader):
    """A readable stream of an archive.

    Reading raises a ValueError if a member's content has another size than it announces.
    """

    def __init__(self, members: Iterable[TarMember]) -> None:
        super().__init__(_pieces(members))


def tar_of(files: Mapping[str, bytes], *, mode: int = 0o644) -> bytes:
    """A small archive of files with these names and contents."""
    return b"".join(_pieces(TarMember.of_bytes(name, data, mode=mode) for name, data in files.items()))


def folder_entry(name: str, *, user: int, group: int) -> bytes:
    """The entry of a folder, mode 0755."""
    info = _entry(TarMember.folder(name))
    info.uid, info.gid = user, group
    return info.tobuf(tarfile.GNU_FORMAT)


def end_mark() -> bytes:
    """What ends an archive: two blocks of zeros."""
    return bytes(2 * tarfile.BLOCKSIZE)


def padding(size: int) -> bytes:
    """What follows a member's content of `size` bytes, up to the next block."""
    return bytes(-size % tarfile.BLOCKSIZE)


def _pieces(members: Iterable[TarMember]) -> Iterator[bytes]:
    for member in members:
        yield _entry(member).tobuf(tarfile.GNU_FORMAT)
        if member.open is None:
            continue
        written = 0
        with member.open() as stream:
            while chunk := stream.read(CHUNK):
                written += len(chunk)
                yield chunk
        if written != member.size:
            raise ValueError(f"{member.name}: {written} bytes read where {member.size} were announced")
        yield padding(written)
    yield end_mark()


def _entry(member: TarMember) -> tarfile.TarInfo:
    info = tarfile.TarInfo(member.name)
    info.type = tarfile.SYMTYPE if member.target else tarfile.DIRTYPE if member.open is None else tarfile.REGTYPE
    info.size, info.mode, info.mtime, info.linkname = member.size, member.mode, TIME, member.target
    return info
