"""ELF files for tests, compiled by the machine's own C++ compiler."""

from __future__ import annotations

import shutil
import struct
import subprocess
from collections.abc import Sequence
from pathlib import Path


def compiler() -> str:
    """The C++ compiler; fails where there is none, since a skipped test would look like a passed one."""
    found = shutil.which("g++") or shutil.which("c++")
    if found is None:
        raise AssertionError("no C++ compiler on this machine: install g++")
    return found


def build_library(folder: Path, name: str, source: str, flags: Sequence[str] = ()) -> Path:
    """Compile C++ source into a shared library of this name; flags and files to link come last."""
    return _compile(folder, name, source, ["-fPIC", "-shared"], flags)


def build_program(folder: Path, name: str, source: str, flags: Sequence[str] = ()) -> Path:
    """Compile C++ source into a program."""
    return _compile(folder, name, source, [], flags)


def _compile(folder: Path, name: str, source: str, kind: Sequence[str], flags: Sequence[str]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    output = folder / name
    command = [compiler(), "-std=c++17", "-O1", *kind, "-o", str(output), "-x", "c++", "-", "-x", "none", *flags]
    done = subprocess.run(command, input=source, capture_output=True, text=True, check=False)
    if done.returncode:
        raise AssertionError(f"{' '.join(command)}\n{done.stderr}")
    return output


MACHINES = {"x86_64": 62, "aarch64": 183, "i686": 3, "s390x": 22}
"""Numbers of the gABI's e_machine."""


def tiny_elf(
    bits: int = 64, order: str = "<", machine: str = "x86_64", *, repeated: tuple[bytes, int] = (b"", 0)
) -> bytes:
    """A shared object without section headers, written by hand: `libtiny.so`, which needs `libm.so.6`.

    It defines the function `tiny_call` and uses `tiny_use`; DT_HASH tells how many symbols there are.
    `repeated` is the name of further symbols and how many of them there are.
    """
    wide = bits == 64
    strings = b"\0libtiny.so\0libm.so.6\0tiny_call\0tiny_use\0$ORIGIN/../lib:/opt/x\0" + repeated[0] + b"\0"

    def at(text: bytes) -> int:
        return strings.index(b"\0" + text + b"\0") + 1

    def symbol(name: int, section: int, value: int) -> bytes:
        info = 1 << 4 | 2
        if wide:
            return struct.pack(order + "IBBHQQ", name, info, 0, section, value, 8)
        return struct.pack(order + "IIIBBH", name, value, 8, info, 0, section)

    symbols = bytes(24 if wide else 16) + symbol(at(b"tiny_call"), 1, 64) + symbol(at(b"tiny_use"), 0, 0)
    symbols += symbol(len(strings) - len(repeated[0]) - 1, 1, 64) * repeated[1]
    hash_table = struct.pack(order + "6I", 1, 3 + repeated[1], 1, 0, 2, 0)
    header_size, segment_size, word = (64, 56, "Q") if wide else (52, 32, "I")
    base = 0x10000
    offsets = [header_size + 2 * segment_size]
    for part in (strings, symbols, hash_table):
        offsets.append((offsets[-1] + len(part) + 7) // 8 * 8)
    tags = [
        (14, at(b"libtiny.so")), (1, at(b"libm.so.6")), (29, at(b"$ORIGIN/../lib:/opt/x")), (5, base + offsets[0]),
        (10, len(strings)), (6, base + offsets[1]), (4, base + offsets[2]), (0, 0),
    ]  # fmt: skip
    dynamic = b"".join(struct.pack(order + word + word, *tag) for tag in tags)
    size = offsets[3] + len(dynamic)

    def segment(kind: int, flags: int, offset: int, length: int) -> bytes:
        if wide:
            return struct.pack(order + "IIQQQQQQ", kind, flags, offset, base + offset, 0, length, length, 8)
        return struct.pack(order + "8I", kind, offset, base + offset, 0, length, length, flags, 8)

    ident = b"\x7fELF" + bytes([bits // 32, 1 if order == "<" else 2, 1]) + bytes(9)
    header = ident + struct.pack(order + "HHI", 3, MACHINES[machine], 1)
    header += struct.pack(order + word * 3, 0, header_size, 0)
    header += struct.pack(order + "I6H", 0, header_size, segment_size, 2, 0, 0, 0)
    data = bytearray(header + segment(1, 5, 0, size) + segment(2, 6, offsets[3], len(dynamic)))
    for offset, part in zip(offsets, (strings, symbols, hash_table, dynamic), strict=True):
        data += bytes(offset - len(data)) + part
    return bytes(data)
