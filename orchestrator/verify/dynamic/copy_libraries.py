"""Copies a wheel's libraries to another place, as far apart as they lie, with $ORIGIN search paths alone.

`python3 -I copy_libraries.py SITE TARGET PATH…`, in a container: standard library only, Python 3.9 or
newer.  Each PATH is relative to both folders.  In a copy whose search path (DT_RPATH, DT_RUNPATH) has
entries that do not begin with $ORIGIN, these are cut out in place.  Prints one line for each of those;
exit status 1 for a file whose search path cannot be found.  Layout: System V gABI, chapters 4 and 5;
64-bit files of this machine's byte order.
"""

from __future__ import annotations

import shutil
import struct
import sys
from pathlib import Path

_PT_LOAD, _PT_DYNAMIC = 1, 2
_DT_NULL, _DT_STRTAB, _DT_RPATH, _DT_RUNPATH = 0, 5, 15, 29
_SEGMENT = struct.Struct("=IIQQQQQQ")
_TAG = struct.Struct("=QQ")


def paths(data: bytes) -> list[int]:
    """Where in the file the texts of its search paths begin."""
    (table,) = struct.unpack_from("=Q", data, 32)
    size, count = struct.unpack_from("=HH", data, 54)
    segments = [_SEGMENT.unpack_from(data, table + size * number) for number in range(count)]
    start, length = next((one[2], one[5]) for one in segments if one[0] == _PT_DYNAMIC)
    tags: list[tuple[int, int]] = []
    for tag, value in _TAG.iter_unpack(data[start : start + length // _TAG.size * _TAG.size]):
        if tag == _DT_NULL:
            break
        tags.append((tag, value))
    address = dict(tags)[_DT_STRTAB]
    strings = next(one[2] + address - one[3] for one in segments if one[0] == _PT_LOAD and _holds(one, address))
    return [strings + value for tag, value in tags if tag in (_DT_RPATH, _DT_RUNPATH)]


def _holds(segment: tuple[int, ...], address: int) -> bool:
    return segment[3] <= address < segment[3] + segment[5]


def relative_only(data: bytes) -> bytes:
    """The file without entries of its search paths that do not begin with $ORIGIN; as long as before.

    What lies behind the new end stays: linkers let a name share the end of a longer text.
    """
    edited = bytearray(data)
    for start in paths(data):
        text = data[start : data.index(b"\0", start)]
        kept = b":".join(one for one in text.split(b":") if one.startswith((b"$ORIGIN", b"${ORIGIN}")))
        if len(kept) < len(text):
            edited[start : start + len(kept) + 1] = kept + b"\0"
    return bytes(edited)


def main(argv: list[str]) -> int:
    """Copy what the arguments name."""
    site, target = Path(argv[1]), Path(argv[2])
    for path in argv[3:]:
        copy = target / path
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(site / path, copy)
        data = copy.read_bytes()
        try:
            edited = relative_only(data)
        except (struct.error, StopIteration, KeyError, ValueError) as error:
            sys.stderr.write(f"{path}: its search path cannot be found: {error!r}\n")
            return 1
        if edited != data:
            sys.stdout.write(f"{path}\n")
            copy.write_bytes(edited)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
