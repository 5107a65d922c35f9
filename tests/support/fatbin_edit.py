"""Single edits of the device code in an ELF file: bytes in, bytes out.

The format is described in `orchestrator.elf.fatbin`; only its reading is not used here, so that a
mistake in it cannot hide a planted fault.  Architectures are given as numbers: 90, not `90a`.
"""

from __future__ import annotations

import io
import struct
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from elftools.elf.elffile import ELFFile

PTX, CUBIN = 1, 2
SECTION = ".nv_fatbin"

_CONTAINER = 16
CONTAINER_MAGIC = struct.pack("<IHH", 0xBA55ED50, 1, 16)

Entry = bytes
"""Header and payload."""
Change = Callable[[list[Entry]], list[Entry]]


def drop(data: bytes, kind: int, sm: int) -> bytes:
    """The file without the entries of a kind for one architecture."""
    return _rewrite(data, lambda entries: [one for one in entries if _what(one) != (kind, sm)])


def add(data: bytes, kind: int, sm: int) -> bytes:
    """The file with one entry more in each fat binary, made of the end of its largest payload."""

    def change(entries: list[Entry]) -> list[Entry]:
        largest = max(entries, key=len)
        at, header = entries.index(largest), _header_size(largest)
        extra = (len(largest) - header) // 2 // 8 * 8
        assert extra > header, "no payload is long enough"
        new = bytearray(largest[:header]) + bytes(extra - header)
        struct.pack_into("<H", new, 0, kind)
        struct.pack_into("<Q", new, 8, extra - header)
        struct.pack_into("<I", new, 28, sm)
        shorter = bytearray(largest[: len(largest) - extra])
        struct.pack_into("<Q", shorter, 8, len(shorter) - header)
        return [*entries[:at], bytes(shorter), bytes(new), *entries[at + 1 :]]

    return _rewrite(data, change)


def second(data: bytes, *entries: tuple[int, int]) -> bytes:
    """The file, of one fat binary, with another after it that holds these kinds and architectures.

    Its room is the end of the largest payload.
    """
    ((start, size),) = _containers(data)
    old = list(_entries(data[start + _CONTAINER : start + size]))
    small = bytearray(old[0][: _header_size(old[0])] + bytes(8))
    struct.pack_into("<Q", small, 8, 8)
    new = []
    for kind, sm in entries:
        struct.pack_into("<H", small, 0, kind)
        struct.pack_into("<I", small, 28, sm)
        new.append(bytes(small))
    room = sum(map(len, new)) + _CONTAINER
    largest = max(old, key=len)
    shorter = bytearray(largest[:-room])
    struct.pack_into("<Q", shorter, 8, len(shorter) - _header_size(largest))
    old[old.index(largest)] = bytes(shorter)
    both = b"".join(CONTAINER_MAGIC + struct.pack("<Q", len(b"".join(one))) + b"".join(one) for one in (old, new))
    assert len(both) == size, "the edit needs room"
    return data[:start] + both + data[start + size :]


def wipe(data: bytes) -> bytes:
    """The file with no device code: its section holds padding alone."""
    return _rewrite(data, lambda _: [], keep_containers=False)


def relocatable(data: bytes) -> bytes:
    """The file with its device code where the driver does not look."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "library.so")
        file.write_bytes(data)
        command = ["objcopy", "--rename-section", f"{SECTION}=__nv_relfatbin", str(file)]
        subprocess.run(command, check=True, capture_output=True)
        return file.read_bytes()


def no_sections(data: bytes) -> bytes:
    """The file without a section table (gABI: e_shoff, e_shnum and e_shstrndx are 0)."""
    edited = bytearray(data)
    struct.pack_into("<Q", edited, 40, 0)
    struct.pack_into("<HH", edited, 60, 0, 0)
    return bytes(edited)


def _rewrite(data: bytes, change: Change, *, keep_containers: bool = True) -> bytes:
    """The file with the entries of every fat binary changed; what they no longer fill is padding."""
    edited = bytearray(data)
    found = False
    for start, size in _containers(data):
        entries = list(_entries(data[start + _CONTAINER : start + size]))
        body = b"".join(change(entries))
        assert len(body) <= size - _CONTAINER, "the edit needs room"
        head = CONTAINER_MAGIC + struct.pack("<Q", len(body)) if keep_containers else b""
        edited[start : start + size] = (head + body).ljust(size, b"\0")
        found = True
    assert found, "no device code"
    return bytes(edited)


def _containers(data: bytes) -> Iterator[tuple[int, int]]:
    """Offset and size of each fat binary."""
    section = ELFFile(io.BytesIO(data)).get_section_by_name(SECTION)
    assert section is not None, f"no {SECTION}"
    at, end = section["sh_offset"], section["sh_offset"] + section["sh_size"]
    while (at := data.find(CONTAINER_MAGIC, at, end)) >= 0:
        size = _CONTAINER + struct.unpack_from("<Q", data, at + 8)[0]
        yield at, size
        at += size


def _entries(body: bytes) -> Iterator[Entry]:
    while body.rstrip(b"\0"):
        size = _header_size(body) + struct.unpack_from("<Q", body, 8)[0]
        yield body[:size]
        body = body[size:]


def _header_size(entry: Entry) -> int:
    return int(struct.unpack_from("<I", entry, 4)[0])


def _what(entry: Entry) -> tuple[int, int]:
    """Kind and architecture."""
    return struct.unpack_from("<H", entry, 0)[0], struct.unpack_from("<I", entry, 28)[0]
