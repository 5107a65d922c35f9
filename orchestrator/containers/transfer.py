"""Tar archives on their way to the engine: into volumes with known owners and safe names.

Formats: ustar with pax extensions, POSIX.1-2001, as Python's tarfile reads and writes them.
"""

from __future__ import annotations

import copy
import io
import tarfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import PurePosixPath
from typing import IO, cast

from orchestrator.tarstream import CHUNK, PieceReader, folder_entry, padding

TarSource = bytes | IO[bytes] | Iterable[bytes]
"""A tar archive, compressed or not: all of it, a readable file, or its pieces in turn."""


class Sending:
    """Pieces on their way to the engine, which remembers if it was their source that failed.

    The client wraps every error of a body into one about the connection; `unwrapped` tells the
    source's own errors (a damaged archive, an unreadable file) from the engine's.
    """

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces = pieces
        self._error: Exception | None = None

    def __iter__(self) -> Iterator[bytes]:
        try:
            yield from self._pieces
        except Exception as error:
            self._error = error
            raise

    @contextmanager
    def unwrapped(self) -> Iterator[None]:
        """Within, an error that the source caused is raised as it was.

        Raises:
            Exception: what the source raised.
        """
        try:
            yield
        except Exception:
            if self._error is not None:
                raise self._error from None
            raise


def pieces_of(source: TarSource) -> Iterator[bytes]:
    """The source, piece by piece."""
    stream = open_stream(source)
    while piece := stream.read(CHUNK):
        yield piece


def open_stream(source: TarSource) -> IO[bytes]:
    """The source as a readable file."""
    if isinstance(source, bytes):
        return io.BytesIO(source)
    if hasattr(source, "read"):
        return cast("IO[bytes]", source)
    return io.BufferedReader(PieceReader(source), CHUNK)


def owned(source: TarSource, *, prefix: str, user: int, group: int) -> Iterator[bytes]:
    """The archive's members below `prefix` (none if empty), owned by `user` and `group`, as pieces without an end mark.

    Modes and times are kept.  Names are relative to the prefix whether or not they begin with
    `./`.  Folders that the archive implies but does not hold are added, for else they would be root's.

    Raises:
        ValueError: a member is absolute, leads outside, or is neither file, folder nor link.
        tarfile.TarError: the source is no tar archive, or ends early.
    """
    above = f"{prefix}/" if prefix else ""
    known = {PurePosixPath(".")}
    with tarfile.open(fileobj=open_stream(source), mode="r|*") as archive:
        for member in archive:
            name = _inside(member.name, "member")
            if name == ".":
                continue
            for parent in reversed(PurePosixPath(name).parents):
                if parent not in known:
                    known.add(parent)
                    yield folder_entry(f"{above}{parent}", user=user, group=group)
            if member.isdir():
                known.add(PurePosixPath(name))
            out = copy.copy(member)
            out.name = f"{above}{name}"
            out.uid, out.gid, out.uname, out.gname = user, group, "", ""
            out.pax_headers = {}
            if member.islnk():
                out.linkname = f"{above}{_inside(member.linkname, 'hard link')}"
            elif not (member.isreg() or member.isdir() or member.issym()):
                raise ValueError(f"tar member '{member.name}' is neither file, folder nor link")
            if not member.isreg():
                yield out.tobuf(tarfile.PAX_FORMAT)
                continue
            # A sparse member is written out in full: its description is not carried over.
            out.type = tarfile.REGTYPE
            yield out.tobuf(tarfile.PAX_FORMAT)
            content = archive.extractfile(member)
            assert content is not None
            left = member.size
            while left:
                piece = content.read(min(CHUNK, left))
                if not piece:
                    raise tarfile.ReadError(f"tar member '{member.name}' ends early")
                left -= len(piece)
                yield piece
            yield padding(member.size)


def folders(path: str, *, user: int, group: int) -> bytes:
    """Members for a relative path and each folder above it, owned by `user` and `group`; no end mark."""
    parts = PurePosixPath(_inside(path, "folder")).parts
    return b"".join(folder_entry("/".join(parts[: count + 1]), user=user, group=group) for count in range(len(parts)))


def _inside(name: str, what: str) -> str:
    pure = PurePosixPath(name)
    if pure.is_absolute() or ".." in pure.parts:
        raise ValueError(f"tar {what} '{name}' leads outside its folder")
    return str(pure)
