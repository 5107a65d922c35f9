"""Bytes of an archive that its table of contents does not account for.

Installers that read a wheel as a stream meet every local header; those that read the table of
contents at the end meet only what it lists.  Where the two differ, they install different files.
Layout: PKWARE APPNOTE, chapter 4.3.
"""

from __future__ import annotations

import struct
import zipfile
from collections.abc import Iterator
from typing import IO

_LOCAL = struct.Struct("<4sHHHHHIIIHH")
_END = struct.Struct("<4sHHHHIIH")
_DESCRIPTORS = (12, 16, 20, 24)
"""Sizes of a data descriptor: with or without signature, 32 or 64 bits."""
_HAS_DESCRIPTOR = 0x8


def framing_problems(archive: zipfile.ZipFile, stream: IO[bytes], size: int) -> list[str]:
    """What lies before, between and behind the members; `size` is the file's, in bytes."""
    return [*_inside(archive, stream, size), *_behind(archive, stream, size)]


def _inside(archive: zipfile.ZipFile, stream: IO[bytes], size: int) -> Iterator[str]:
    before, position, descriptor = "", 0, False
    for info in sorted(archive.infolist(), key=lambda info: info.header_offset):
        length = _local_length(stream, info.header_offset) if 0 <= info.header_offset < size else None
        if length is None:
            return  # reading the member says what is wrong with it
        yield from _gap(before, info.header_offset - position, descriptor)
        before, position = info.filename, info.header_offset + length + info.compress_size
        descriptor = bool(info.flag_bits & _HAS_DESCRIPTOR)
    yield from _gap(before, archive.start_dir - position, descriptor)


def _gap(before: str, size: int, descriptor: bool) -> Iterator[str]:
    if size < 0:
        yield f"'{before}' reaches into what follows it"
    elif size and not (descriptor and size in _DESCRIPTORS):
        where = f"behind '{before}'" if before else "before the first member"
        yield f"{size} bytes {where} belong to no member that the table of contents lists"


def _local_length(stream: IO[bytes], start: int) -> int | None:
    stream.seek(start)
    header = stream.read(_LOCAL.size)
    if len(header) < _LOCAL.size or header[:4] != b"PK\x03\x04":
        return None
    *_, name, extra = _LOCAL.unpack(header)
    return _LOCAL.size + int(name) + int(extra)


def _behind(archive: zipfile.ZipFile, stream: IO[bytes], size: int) -> Iterator[str]:
    place = size - _END.size - len(archive.comment)
    stream.seek(max(place, 0))
    record = stream.read(_END.size)
    if place < 0 or record[:4] != b"PK\x05\x06" or _END.unpack(record)[7] != len(archive.comment):
        yield "bytes follow the end of the archive"
        return
    _, _, _, _, total, _, _, _ = _END.unpack(record)
    if total not in {len(archive.infolist()), 0xFFFF}:
        yield f"the end record counts {total} members, the table of contents has {len(archive.infolist())}"
