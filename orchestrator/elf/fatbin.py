"""Device code in a host ELF: the entries of NVIDIA's fat binaries, from their headers alone.

A section (`.nv_fatbin`, which the driver loads; `__nv_relfatbin`, relocatable input) holds containers
one after another with zero padding between them; a container holds entries.  All fields are little
endian.  NVIDIA does not document the format; the field offsets here were found by comparing with
what cuobjdump prints.  Payloads stay compressed: everything wanted is in the headers.
"""

from __future__ import annotations

import re
import struct

from orchestrator.elf.model import DeviceCode

SECTIONS = (".nv_fatbin", "__nv_relfatbin")

_CONTAINER = struct.Struct("<IHHQ")
"""Magic, version, header size, payload size."""
_MAGIC = 0xBA55ED50
_MAGIC_BYTES = re.compile(re.escape(struct.pack("<I", _MAGIC)))
_ENTRY = struct.Struct("<HHIQI8xI8xQ8xQ")
"""Kind, version, header size, padded payload size, compressed size, sm, flags, uncompressed size."""
_ENTRY_VERSION = 0x101
_LARGEST_ENTRY_HEADER = 4096
_KINDS = {1: "ptx", 2: "cubin", 8: "lto-ir"}
_LZ4, _ZSTD = 0x2000, 0x8000
_SUFFIX_A, _SUFFIX_F = 0x100000, 0x200000
_NOT_ZERO = re.compile(rb"[^\0]")

MAX_ENTRIES = 100_000
MAX_PROBLEMS = 20


def read_fatbin(data: bytes | memoryview, section: str) -> tuple[tuple[DeviceCode, ...], tuple[str, ...]]:
    """The device code in one section's bytes, in order, and what could not be read.

    `size` of an entry is its uncompressed size in bytes.  Damage ends the container that it is in;
    reading goes on at the next container.
    """
    view = memoryview(data)
    found: list[DeviceCode] = []
    problems: list[str] = []
    offset = 0
    while (start := _NOT_ZERO.search(view, offset)) and len(problems) < MAX_PROBLEMS and len(found) < MAX_ENTRIES:
        # Padding is whole words, and a container may begin with no zero byte only: its magic has none.
        offset = start.start()
        problem, end = _container_end(view, offset)
        if problem:
            problems.append(f"{section}+{offset:#x}: {problem}")
            following = _MAGIC_BYTES.search(view, offset + 1)
            if following is None:
                break
            offset = following.start()
            continue
        trouble = _entries(view, offset, end, section, found)
        if trouble:
            problems.append(trouble)
        offset = end
    if len(found) >= MAX_ENTRIES:
        problems.append(f"{section}: more than {MAX_ENTRIES} entries")
    return tuple(found), tuple(problems)


def _container_end(view: memoryview, offset: int) -> tuple[str | None, int]:
    """What is wrong with the container at this offset, and where it ends."""
    if offset + _CONTAINER.size > len(view):
        return f"{len(view) - offset} stray bytes", 0
    magic, version, header_size, size = _CONTAINER.unpack_from(view, offset)
    if magic != _MAGIC:
        return f"no container here: magic number {magic:#010x}", 0
    if version != 1 or header_size < _CONTAINER.size:
        return f"container version {version} with a header of {header_size} bytes is not known", 0
    end = offset + header_size + size
    return (f"a container of {size} bytes runs past the section's end", 0) if end > len(view) else (None, end)


def _entries(view: memoryview, container: int, end: int, section: str, found: list[DeviceCode]) -> str | None:
    """Append the entries of the container that ends there to `found`; what stopped the reading, if anything did."""
    offset = container + _CONTAINER.unpack_from(view, container)[2]
    while offset < end and len(found) < MAX_ENTRIES:
        if offset + _ENTRY.size > end:
            # What follows the last entry may be padding.
            rest = _NOT_ZERO.search(view[offset:end])
            return f"{section}+{offset:#x}: truncated entry" if rest else None
        kind, version, header_size, size, packed, sm, flags, unpacked = _ENTRY.unpack_from(view, offset)
        following = offset + header_size + size
        if version != _ENTRY_VERSION or not _ENTRY.size <= header_size <= _LARGEST_ENTRY_HEADER or following > end:
            return f"{section}+{offset:#x}: implausible entry (kind {kind}, header {header_size}, size {size} bytes)"
        suffix = "a" if flags & _SUFFIX_A else "f" if flags & _SUFFIX_F else ""
        compressed = "zstd" if flags & _ZSTD else "lz4" if flags & _LZ4 else None
        name = _KINDS.get(kind, f"kind-{kind}")
        found.append(DeviceCode(name, f"{sm}{suffix}", section, container, compressed, unpacked or packed or size))
        offset = following
    return None
