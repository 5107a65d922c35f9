"""File names of shared libraries, and what versions and auditwheel add to them."""

from __future__ import annotations

import re

_SHARED_OBJECT = re.compile(r"\.so(\.[0-9]+)*$")
_VERSION = re.compile(r"(?<=\.so)(?:\.\d+)+$")
_HASH = re.compile(r"-[0-9a-f]{8}(?=\.so|-|\.)")


def is_shared_object(name: str) -> bool:
    """Whether a file is named as a shared library: `libx.so`, `libx.so.1.2`, `_C.cpython-311-x86_64-linux-gnu.so`."""
    return _SHARED_OBJECT.search(name) is not None


def without_hash(name: str) -> str:
    """A library's name before auditwheel copied it into the wheel: `libx.so.1` for `libx-0a1b2c3d.so.1`."""
    return _HASH.sub("", name)


def plain_name(name: str) -> str:
    """A library's name as it is given to a linker: `libx.so` for `libx.so.1.2` and for `libx-0a1b2c3d.so.1`."""
    return _VERSION.sub("", without_hash(name))
