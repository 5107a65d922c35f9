"""Damage to what an ELF file says of itself: counts, sizes and places of its tables, and of device code."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable

from tests.support.wheel_draft import Draft

NUMBERS = (0, 1, 2, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 1 << 40, (1 << 64) - 1)

_HEADER = {
    32: "<Q", 40: "<Q", 52: "<H", 54: "<H", 56: "<H", 58: "<H", 60: "<H", 62: "<H",
}  # fmt: skip
"""Places and forms of e_phoff, e_shoff, e_ehsize, e_phentsize, e_phnum, e_shentsize, e_shnum, e_shstrndx."""
_SEGMENT, _SECTION = 56, 64
_SEGMENT_FIELDS, _SECTION_FIELDS = (8, 16, 32, 40, 48), (16, 24, 32, 56)
"""Places of 64-bit fields: offset, address, sizes, alignment; address, offset, size, size of an entry."""
_PT_LOAD, _PT_DYNAMIC, _PT_NOTE, _PT_GNU_PROPERTY = 1, 2, 4, 0x6474E553
_TAGS = (
    1, 2, 4, 5, 6, 10, 11, 14, 15, 25, 27, 29, 30, 0x6FFFFEF5, 0x6FFFFFF0, 0x6FFFFFFC, 0x6FFFFFFD, 0x6FFFFFFE,
    0x6FFFFFFF,
)  # fmt: skip
"""Of the dynamic section: needed, hash tables, strings, symbols, search paths, initialisers, versions and counts."""
_FATBIN = struct.pack("<I", 0xBA55ED50)


def damaged_tables(chance: random.Random, draft: Draft) -> None:
    """A library: one of its tables is longer, elsewhere, or over another."""
    name = chance.choice([name for name in draft.files if name.endswith(".so")])
    draft.files[name] = chance.choice(_WAYS)(chance, draft.files[name])


def _counts(chance: random.Random, data: bytes) -> bytes:
    """The file's header; a section count of 0 stands in the first section, where more than 65,279 are (gABI)."""
    at = chance.choice(tuple(_HEADER))
    data = _put(data, at, _HEADER[at], chance.choice(NUMBERS))
    sections = struct.unpack_from("<Q", data, 40)[0]
    if chance.random() < 0.3 and 0 < sections < len(data):
        data = _put(_put(data, 60, "<H", 0), sections + 32, "<Q", chance.choice(NUMBERS))
    return data


def _segments(chance: random.Random, data: bytes) -> bytes:
    """Program headers: fields, kinds, one over another."""
    start, count = struct.unpack_from("<Q", data, 32)[0], struct.unpack_from("<H", data, 56)[0]
    places = [start + index * _SEGMENT for index in range(count)]
    if not places or places[-1] + _SEGMENT > len(data):
        return data
    at, other = chance.choice(places), chance.choice(places)
    match chance.randrange(3):
        case 0:
            return _put(data, at + chance.choice(_SEGMENT_FIELDS), "<Q", chance.choice(NUMBERS))
        case 1:
            return _put(data, at, "<I", chance.choice((_PT_LOAD, _PT_DYNAMIC, _PT_NOTE, _PT_GNU_PROPERTY, 0)))
        case _:
            return data[:at] + data[other : other + _SEGMENT] + data[at + _SEGMENT :]


def _sections(chance: random.Random, data: bytes) -> bytes:
    """Section headers: fields, one over another."""
    start, count = struct.unpack_from("<Q", data, 40)[0], struct.unpack_from("<H", data, 60)[0]
    places = [start + index * _SECTION for index in range(count)]
    if not places or places[-1] + _SECTION > len(data):
        return data
    at, other = chance.choice(places), chance.choice(places)
    if chance.random() < 0.7:
        return _put(data, at + chance.choice(_SECTION_FIELDS), "<Q", chance.choice(NUMBERS))
    return data[:at] + data[other : other + _SECTION] + data[at + _SECTION :]


def _dynamic(chance: random.Random, data: bytes) -> bytes:
    """The dynamic section: values, tags, all entries the same."""
    start, count = struct.unpack_from("<Q", data, 32)[0], struct.unpack_from("<H", data, 56)[0]
    for index in range(count):
        at = start + index * _SEGMENT
        if at + _SEGMENT <= len(data) and struct.unpack_from("<I", data, at)[0] == _PT_DYNAMIC:
            place, size = struct.unpack_from("<Q", data, at + 8)[0], struct.unpack_from("<Q", data, at + 32)[0]
            break
    else:
        return data
    entries = [at for at in range(place, place + size - 15, 16) if at + 16 <= len(data)]
    if not entries:
        return data
    at = chance.choice(entries)
    match chance.randrange(3):
        case 0:
            return _put(data, at + 8, "<Q", chance.choice((*NUMBERS, chance.randrange(len(data)))))
        case 1:
            return _put(data, at, "<Q", chance.choice(_TAGS))
        case _:
            one = data[at : at + 16]
            return data[:place] + one * len(entries) + data[place + 16 * len(entries) :]


def _hash_table(chance: random.Random, data: bytes) -> bytes:
    """Hash tables, symbols and versions lie behind the program headers, as words of four bytes."""
    at = 64 + 4 * chance.randrange(max(1, min(len(data), 4096) // 4 - 16))
    return _put(data, at, "<I", chance.choice(NUMBERS))


def _device_code(chance: random.Random, data: bytes) -> bytes:
    """A container of device code: its header of 16 bytes, or the first entry's of 64; or containers without end."""
    at = data.find(_FATBIN)
    if at < 0:
        return _hash_table(chance, data)
    if chance.random() < 0.2:
        return data[:at] + data[at : at + 16] * 4096 + data[at + 16 :]
    place = at + 4 * chance.randrange(1, 20)
    return _put(data, place, chance.choice(("<H", "<I", "<Q")), chance.choice(NUMBERS))


_WAYS: tuple[Callable[[random.Random, bytes], bytes], ...] = (
    _counts,
    _segments,
    _sections,
    _dynamic,
    _hash_table,
    _device_code,
)


def _put(data: bytes, at: int, form: str, value: int) -> bytes:
    size = struct.calcsize(form)
    if at + size > len(data):
        return data
    return data[:at] + struct.pack(form, value & ((1 << 8 * size) - 1)) + data[at + size :]
