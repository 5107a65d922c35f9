"""Copies a program with its DT_RUNPATH as DT_RPATH: `python3 retag.py PROGRAM COPY`.

Standard library only, Python 3.9 or newer: it runs in containers.  Files of the 64-bit class, little-endian (System V
gABI).  The loader searches a DT_RPATH before LD_LIBRARY_PATH, a DT_RUNPATH after it (ld.so(8)): the two
programs differ in nothing else.  Exit status: 0; 1 if the program has no DT_RUNPATH.
"""

from __future__ import annotations

import shutil
import struct
import sys
from pathlib import Path

PT_DYNAMIC = 2
DT_NULL, DT_RPATH, DT_RUNPATH = 0, 15, 29


def retagged(data: bytes) -> bytes | None:
    """The program with the other tag; None where there is nothing to change."""
    table, size, count = struct.unpack_from("<Q", data, 32)[0], *struct.unpack_from("<HH", data, 54)
    for index in range(count):
        kind, _, offset, _, _, length = struct.unpack_from("<IIQQQQ", data, table + index * size)
        if kind != PT_DYNAMIC:
            continue
        for at in range(offset, offset + length, 16):
            (tag,) = struct.unpack_from("<Q", data, at)
            if tag == DT_NULL:
                break
            if tag == DT_RUNPATH:
                return data[:at] + struct.pack("<Q", DT_RPATH) + data[at + 8 :]
    return None


def main(argv: list[str]) -> int:
    """Copy the first argument's file to the second's path."""
    edited = retagged(Path(argv[1]).read_bytes())
    if edited is None:
        sys.stderr.write(f"{argv[1]}: has no DT_RUNPATH\n")
        return 1
    Path(argv[2]).write_bytes(edited)
    shutil.copymode(argv[1], argv[2])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
