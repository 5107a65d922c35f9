"""Zip members of a wheel: what is wrong with their names, and their bytes, inflated once each.

Nothing is ever extracted to a path taken from the archive.  Sizes that an archive declares are not
believed: reading stops where more comes out than was declared, and at fixed limits.
"""

from __future__ import annotations

import lzma
import mmap
import re
import stat
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

CHUNK = 1 << 18
"""Bytes inflated at a time."""
MEMBER_LIMIT = 8 << 30
"""Largest inflated size of one member that is read, in bytes."""
TOTAL_LIMIT = 20 << 30
"""Largest inflated size of all members together, in bytes."""
BOMB_SIZE, BOMB_RATIO = 256 << 20, 500
"""A member both larger (in bytes) and packed tighter than this is not a library but a zip bomb."""
IN_MEMORY = 512 << 20
"""Larger members are parsed from a temporary file, in bytes: half of the gibibyte that reading a wheel may take."""

LONGEST_NAME, LONGEST_PATH = 255, 4095 - 1024
"""Longest name of one file, and of a path below site-packages, in bytes (Linux: NAME_MAX, PATH_MAX)."""

READ_ERRORS = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError, ValueError, NotImplementedError)
"""Everything that `zipfile` and its decompressors raise on damaged data."""

_DRIVE = re.compile(r"^[A-Za-z]:")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_ENCRYPTED = 0x1


def name_problem(info: zipfile.ZipInfo) -> str | None:
    """Why installing a member of this name could write outside its place, or differs between systems."""
    # zipfile cuts names at a NUL; the name as it is in the archive is kept beside it.
    name = info.orig_filename
    if not name:
        return "the name is empty"
    if "\0" in name:
        return "the name contains a NUL"
    if name.startswith("/"):
        return "the name is an absolute path"
    if "\\" in name:
        return "the name contains a backslash, which is a folder separator on Windows only"
    if _DRIVE.match(name):
        return "the name begins with a drive"
    parts = name.rstrip("/").split("/")
    if ".." in parts:
        return "the name climbs out of its folder with '..'"
    if "." in parts or "" in parts:
        return "the name is not normalised: it has an empty part or '.'"
    if _CONTROL.search(name):
        return "the name contains a control character"
    if _bytes(name) > LONGEST_PATH or max(map(_bytes, parts)) > LONGEST_NAME:
        return "the name is longer than file systems allow"
    return None


def _bytes(part: str) -> int:
    return len(part.encode("utf-8", "replace"))


def entry_problem(info: zipfile.ZipInfo, total: int) -> str | None:
    """Why a member is not inflated; `total` is what was inflated before it, in bytes."""
    if info.flag_bits & _ENCRYPTED:
        return "it is encrypted"
    if info.file_size > MEMBER_LIMIT:
        return f"it declares {info.file_size} bytes, more than the limit of {MEMBER_LIMIT}"
    if total + info.file_size > TOTAL_LIMIT:
        return f"the members before it and this one exceed the limit of {TOTAL_LIMIT} bytes"
    if info.file_size > BOMB_SIZE and info.file_size > BOMB_RATIO * max(info.compress_size, 1):
        return f"it declares {info.file_size} bytes out of {info.compress_size}: a zip bomb"
    return None


def is_symbolic_link(info: zipfile.ZipInfo) -> bool:
    """Whether the external attributes say that the member is a symbolic link."""
    return stat.S_ISLNK(info.external_attr >> 16)


def chunks(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Iterator[bytes]:
    """The inflated bytes of a member, its CRC checked at the end.

    Raises one of `READ_ERRORS`, `zipfile.BadZipFile` too where the size is not the declared one.
    """
    size = 0
    with archive.open(info) as stream:
        while chunk := stream.read(CHUNK):
            size += len(chunk)
            yield chunk
    if size != info.file_size:
        raise zipfile.BadZipFile(f"it holds {size} bytes and declares {info.file_size}")


class Spool:
    """Collects the bytes of one member: in memory if it is small, else in a temporary file."""

    def __init__(self, size: int) -> None:
        self._memory = bytearray()
        self._file: IO[bytes] | None = tempfile.TemporaryFile() if size > IN_MEMORY else None  # noqa: SIM115

    def write(self, chunk: bytes) -> None:
        """Append bytes."""
        if self._file is None:
            self._memory += chunk
        else:
            self._file.write(chunk)

    @contextmanager
    def view(self) -> Iterator[memoryview]:
        """All bytes; they are gone afterwards."""
        if self._file is None:
            with memoryview(self._memory) as view:
                yield view
            return
        self._file.flush()
        with mmap.mmap(self._file.fileno(), 0, access=mmap.ACCESS_READ) as mapped, memoryview(mapped) as view:
            yield view

    def close(self) -> None:
        """Drop everything."""
        if self._file is not None:
            self._file.close()
