"""Source distributions made member by member, unsafe ones too."""

from __future__ import annotations

import gzip
import io
import tarfile
from collections.abc import Mapping

TOP = "ant-1.0"
FILES = {"pyproject.toml": b"[build-system]\n", "src/ant.cpp": b"int ant;\n"}


def file(name: str, data: bytes, *, mode: int = 0o644) -> tuple[tarfile.TarInfo, bytes]:
    """A member that is a file."""
    info = tarfile.TarInfo(name)
    info.size, info.mode, info.mtime = len(data), mode, 1_700_000_000
    return info, data


def special(name: str, kind: bytes, link: str = "") -> tuple[tarfile.TarInfo, bytes]:
    """A member of another kind: a link, a device."""
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, link
    return info, b""


def sdist(*more: tuple[tarfile.TarInfo, bytes], files: Mapping[str, bytes] = FILES, top: str = TOP) -> bytes:
    """A tar.gz of files in the folder `top`, and further members as they are."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for info, data in [*(file(f"{top}/{name}", data) for name, data in files.items()), *more]:
            archive.addfile(info, io.BytesIO(data))
    return gzip.compress(buffer.getvalue(), mtime=0)
