"""What the table of contents of an archive does not account for."""

from __future__ import annotations

import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import IO, cast

import pytest

from orchestrator.wheel.read import read_wheel
from tests.support.wheels import make_wheel

FILES = {"a/__init__.py": b"x = 1\n" * 50, "a/data.bin": bytes(range(256))}


def not_plain(path: Path) -> list[str]:
    return [text for _, text in read_wheel(path).problems if text.startswith("the archive is not plain")]


def hide_a_member(data: bytes) -> bytes:
    """Take the second member out of the table of contents, and leave its bytes."""
    end = data.rfind(b"PK\x05\x06")
    *_, size, start, _ = struct.unpack_from("<4sHHHHIIH", data, end)
    first = data.index(b"PK\x01\x02", start)
    second = data.index(b"PK\x01\x02", first + 4)
    third = data.index(b"PK\x01\x02", second + 4)
    record = struct.pack("<4sHHHHIIH", b"PK\x05\x06", 0, 0, 4, 4, size - (third - second), start, 0)
    return data[:second] + data[third:end] + record


def miscount(data: bytes) -> bytes:
    end = bytearray(data)
    struct.pack_into("<HH", end, len(data) - 14, 9, 9)
    return bytes(end)


@pytest.mark.parametrize(
    ("edit", "text"),
    [
        (lambda data: b"#!/bin/sh\n" + data, "10 bytes before the first member belong to no member"),
        (lambda data: data + b"junk", "bytes follow the end of the archive"),
        (hide_a_member, "bytes behind 'a/__init__.py' belong to no member that the table of contents lists"),
        (miscount, "the end record counts 9 members, the table of contents has 5"),
    ],
)
def test_unlisted_bytes(tmp_path: Path, edit: Callable[[bytes], bytes], text: str) -> None:
    path = make_wheel(tmp_path, FILES)
    assert not_plain(path) == []
    path.write_bytes(edit(path.read_bytes()))
    (found,) = not_plain(path)
    assert text in found


def test_comments_descriptors_and_large_archives_are_plain(tmp_path: Path) -> None:
    path = make_wheel(tmp_path, FILES)
    with path.open("wb") as stream, zipfile.ZipFile(cast("IO[bytes]", _Unseekable(stream)), "w") as archive:
        archive.comment = b"a comment"
        for name, data in FILES.items():
            with archive.open(name, "w", force_zip64=True) as member:
                member.write(data)
    assert not_plain(path) == []


class _Unseekable:
    """A stream that only writes: zipfile then puts descriptors behind the members."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream

    def write(self, data: bytes, /) -> int:
        return self._stream.write(data)

    def flush(self) -> None:
        self._stream.flush()
