"""Faults of the archive, and of the files that say what is in it."""

from __future__ import annotations

import hashlib
from base64 import urlsafe_b64encode
from collections.abc import Callable

from tests.detection.fault import Fault, WheelEdit
from tests.detection.faults.cuda_runtime import REQUIREMENT, UNDECLARED
from tests.support import zips
from tests.support.faults import METADATA, PROFILER, replaced
from tests.support.wheel_draft import Draft

_TEXT = "minirt/version.py"
_MISSING = "the requirement nvidia-cuda-runtime<14,>=13.0 is missing"


def _recorded(edit: Callable[[list[str]], None]) -> WheelEdit:
    """The first line of RECORD (path, hash, size) is another."""

    def edit_record(data: bytes) -> bytes:
        first, rest = data.decode().split("\n", 1)
        fields = first.rsplit(",", 2)
        edit(fields)
        return f"{','.join(fields)}\n{rest}".encode()

    def change(draft: Draft) -> None:
        draft.edit_record = edit_record

    return change


def _weak_hash(draft: Draft) -> None:
    name, data = next(iter(draft.files.items()))
    digest = urlsafe_b64encode(hashlib.md5(data, usedforsecurity=False).digest()).rstrip(b"=").decode()

    def weaken(fields: list[str]) -> None:
        assert fields[0] == name
        fields[1] = f"md5={digest}"

    _recorded(weaken)(draft)


def _other_size(fields: list[str]) -> None:
    fields[2] = str(int(fields[2]) + 1)


def _listed_twice(draft: Draft) -> None:
    draft.edit_record = lambda data: data.split(b"\n", 1)[0] + b"\n" + data


def _zipped(writer: zips.Writer) -> WheelEdit:
    def edit(draft: Draft) -> None:
        draft.zipped = writer

    return edit


def _broken_packing(data: bytes) -> bytes:
    """A member's bytes are others than were packed: its checksum does not fit."""
    (_, local), _ = zips.headers(data, _TEXT)
    at = local + 30 + len(_TEXT) + 4
    return data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1 :]


def _second_information(draft: Draft) -> None:
    draft.files["other-2.0.dist-info/METADATA"] = b"Metadata-Version: 2.1\nName: other\nVersion: 2.0\n"


def _required(line: str) -> WheelEdit:
    return replaced(METADATA, REQUIREMENT, f"Requires-Dist: {line}\n")


FAULTS: tuple[Fault, ...] = (
    Fault(
        name="weak hash in RECORD",
        owners=("J7",),
        says="RECORD uses the hash md5, which the specification does not allow",
        edit=_weak_hash,
    ),
    Fault(name="wrong size in RECORD", owners=("J7",), says="bytes, RECORD says", edit=_recorded(_other_size)),
    Fault(name="line of RECORD twice", owners=("J7",), says="listed 2 times", edit=_listed_twice),
    Fault(name="encrypted member", owners=("J7",), says="it is encrypted", edit=_zipped(zips.flagged(_TEXT, 1))),
    Fault(
        name="member packed by an unknown method",
        owners=("J7",),
        says="cannot be inflated",
        edit=_zipped(zips.packed_by(_TEXT, 99)),
    ),
    Fault(
        name="member with a broken checksum",
        owners=("J7",),
        says="cannot be inflated",
        edit=_zipped(zips.edited(_broken_packing)),
    ),
    Fault(
        name="bytes before the archive",
        owners=("K11",),
        says="bytes before the first member belong to no member",
        edit=_zipped(zips.edited(lambda data: b"#!/usr/bin/env python3\n" + data)),
    ),
    Fault(
        name="bytes behind the archive",
        owners=("K11",),
        says="bytes follow the end of the archive",
        edit=_zipped(zips.edited(lambda data: data + b"\0" * 16)),
    ),
    Fault(
        name="library that is a symbolic link",
        owners=("K11",),
        says="it is a symbolic link; installers write such a member as a text file",
        edit=_zipped(zips.linked(PROFILER)),
    ),
    Fault(
        name="information of another distribution",
        owners=("J7",),
        says="a wheel has exactly one .dist-info folder",
        edit=_second_information,
    ),
    Fault(
        name="METADATA of another project",
        owners=("J7",),
        says="says Name minirt-nightly, the file name says minirt",
        edit=replaced(METADATA, "\nName: minirt\n", "\nName: minirt-nightly\n"),
    ),
    Fault(
        name="WHEEL of a format to come",
        owners=("J7",),
        says="Wheel-Version",
        edit=replaced(".dist-info/WHEEL", "Wheel-Version: 1.0", "Wheel-Version: 2.0"),
    ),
    Fault(
        name="CUDA: requirement as an extra",
        variant="cuda-13.0",
        owners=("H2", "K10"),
        says=_MISSING,
        also={"K10": UNDECLARED},
        edit=_required('nvidia-cuda-runtime<14,>=13.0; extra == "cuda"'),
    ),
    Fault(
        name="CUDA: requirement on another system",
        variant="cuda-13.0",
        owners=("H2", "K10"),
        says=_MISSING,
        also={"K10": UNDECLARED},
        edit=_required('nvidia-cuda-runtime<14,>=13.0; sys_platform == "win32"'),
    ),
)
"""Faults that reading shows."""
