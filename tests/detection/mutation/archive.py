"""Damage to what an archive says of its members: sizes of 64 bits, counts, flags, methods, places, names."""

from __future__ import annotations

import random
import struct
import zipfile
from collections.abc import Callable

from tests.support import zips
from tests.support.wheel_draft import Draft

_LARGE = (0, 1, 0xFFFF, 0xFFFFFFFF, 1 << 33, 1 << 40, (1 << 63) - 1, (1 << 64) - 1)
_FLAGS = (0x1, 0x8, 0x20, 0x40, 0x800, 0x2000, 0x41, 0xFFFF)
"""Encrypted, sizes behind, patched, strongly encrypted, names in UTF-8, masked headers; some and all of them."""
_METHODS = (1, 6, 9, 12, 14, 93, 95, 97, 98, 99, 0xFFFF)
"""Deflate64, bzip2, LZMA, Zstandard, xz, … (PKWARE APPNOTE, 4.4.5), of data that is packed otherwise."""
_END, _WIDE_END, _LOCATOR = b"PK\x05\x06", b"PK\x06\x06", b"PK\x06\x07"


def damaged_archive(chance: random.Random, draft: Draft) -> None:
    """The archive is written in another way, or edited where it is told what is in it."""
    draft.zipped = chance.choice(_WAYS)(chance, draft)


def _another_way(chance: random.Random, _draft: Draft) -> zips.Writer:
    methods = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
    return zips.as_zip(
        method=chance.choice(methods),
        extra=chance.choice((b"", b"\x01\x00\x04\x00\xff\xff\xff\xff", b"\x75\x70\xff\xff", chance.randbytes(9))),
        wide=chance.random() < 0.5,
        streamed=chance.random() < 0.5,
        comment=chance.choice((b"", _END * 20, chance.randbytes(300))),
    )


def _flags(chance: random.Random, draft: Draft) -> zips.Writer:
    return zips.flagged(chance.choice(list(draft.files)), chance.choice(_FLAGS))


def _methods(chance: random.Random, draft: Draft) -> zips.Writer:
    return zips.packed_by(chance.choice(list(draft.files)), chance.choice(_METHODS))


def _counts(chance: random.Random, _draft: Draft) -> zips.Writer:
    """The end record: how many members there are, how large the table of contents is, and where."""
    at, form = chance.choice(((8, "<H"), (10, "<H"), (12, "<I"), (16, "<I"), (20, "<H"), (4, "<H"), (6, "<H")))
    value = chance.choice(_LARGE)
    return zips.edited(lambda data: _put(data, data.rfind(_END) + at, form, value))


def _wide_end(chance: random.Random, _draft: Draft) -> zips.Writer:
    """An end record of 64 bits stands before the usual one, which refers to it."""
    count, size, start, place = (chance.choice(_LARGE) for _ in range(4))

    def edit(data: bytes) -> bytes:
        at = data.rfind(_END)
        there = at if chance.random() < 0.7 else place
        wide = struct.pack("<4sQHHIIQQQQ", _WIDE_END, 44, 45, 45, 0, 0, count, count, size, start)
        locator = struct.pack("<4sIQI", _LOCATOR, 0, there, 1)
        return data[:at] + wide + locator + _put(data[at:], 10, "<H", 0xFFFF)

    return zips.edited(edit)


def _wide_sizes(chance: random.Random, draft: Draft) -> zips.Writer:
    """A member's sizes stand in an extra field of 64 bits, and are what nothing can hold."""
    name, values = chance.choice(list(draft.files)), [chance.choice(_LARGE) for _ in range(3)]

    def edit(data: bytes) -> bytes:
        (_, at) = zips.headers(data, name)[1]
        length, extra = struct.unpack_from("<HH", data, at + 28)
        field = struct.pack("<HHQQQ", 1, 24, *values)
        head = _put(_put(_put(data[at : at + 46], 20, "<I", 0xFFFFFFFF), 24, "<I", 0xFFFFFFFF), 42, "<I", 0xFFFFFFFF)
        head = _put(head, 30, "<H", extra + len(field))
        end = at + 46 + length
        return data[:at] + head + data[at + 46 : end] + field + data[end:]

    return zips.edited(edit)


def _overlapping(chance: random.Random, draft: Draft) -> zips.Writer:
    """Members of the table of contents lie at one place: all of them, or one upon another."""
    names = list(draft.files)
    all_of_them, name, other = chance.random() < 0.5, chance.choice(names), chance.choice(names)

    def edit(data: bytes) -> bytes:
        place = zips.headers(data, other)[0][1]
        for one in names if all_of_them else [name]:
            data = _put(data, zips.headers(data, one)[1][1] + 42, "<I", place)
        return data

    return zips.edited(edit)


def _names(chance: random.Random, draft: Draft) -> zips.Writer:
    """The two headers of a member say different names, or the bytes are of no encoding."""
    name = chance.choice(list(draft.files))
    which, new = chance.randrange(2), chance.choice((b"\xff", b"\xe2\x80\xae", b"\0", b"/", b"\xed\xb0\x80", b".."))

    def edit(data: bytes) -> bytes:
        kind, at = zips.headers(data, name)[which]
        start = at + (30 if kind == zips.LOCAL else 46)
        return data[:start] + (new * len(name))[: len(name)] + data[start + len(name) :]

    return zips.edited(edit)


_WAYS: tuple[Callable[[random.Random, Draft], zips.Writer], ...] = (
    _another_way,
    _flags,
    _methods,
    _counts,
    _wide_end,
    _wide_sizes,
    _overlapping,
    _names,
)


def _put(data: bytes, at: int, form: str, value: int) -> bytes:
    size = struct.calcsize(form)
    return data[:at] + struct.pack(form, value & ((1 << 8 * size) - 1)) + data[at + size :]
