"""Archives that hold a wheel's members in other ways, right and wrong (PKWARE APPNOTE, chapter 4)."""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path

from typing_extensions import Buffer

from tests.support.wheels import write_zip

Writer = Callable[..., None]

LOCAL, CENTRAL = b"PK\x03\x04", b"PK\x01\x02"
_FLAGS = {LOCAL: 6, CENTRAL: 8}
_METHOD = {LOCAL: 8, CENTRAL: 10}


class _Stream(io.RawIOBase):
    """Bytes that go out in one direction, as to a socket."""

    def __init__(self) -> None:
        self.data = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, data: Buffer) -> int:
        self.data += data
        return memoryview(data).nbytes

    def seekable(self) -> bool:
        return False

    def tell(self) -> int:
        raise io.UnsupportedOperation("tell")


def as_zip(
    *,
    method: int = zipfile.ZIP_DEFLATED,
    extra: bytes = b"",
    wide: bool = False,
    backwards: bool = False,
    streamed: bool = False,
    comment: bytes = b"",
) -> Writer:
    """A writer of archives.

    Each member is packed by `method` and has the `extra` field, sizes of 64 bits where `wide`; members stand in
    the opposite order where `backwards`, and behind each its sizes (a data descriptor) where `streamed`.
    """

    def write(path: Path, members: Iterable[tuple[str, bytes]], *, executables: Iterable[str] = ()) -> None:
        runnable = frozenset(executables)
        ordered = list(members)[:: -1 if backwards else 1]
        stream: io.BytesIO | _Stream = _Stream() if streamed else io.BytesIO()
        with zipfile.ZipFile(stream, "w") as archive:
            archive.comment = comment
            for name, data in ordered:
                info = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
                info.compress_type, info.extra = method, extra
                info.external_attr = (0o100755 if name in runnable else 0o100644) << 16
                with archive.open(info, "w", force_zip64=wide) as file:
                    file.write(data)
        path.write_bytes(stream.getvalue() if isinstance(stream, io.BytesIO) else stream.data)

    return write


def edited(edit: Callable[[bytes], bytes]) -> Writer:
    """The usual writer, and an edit of all that it wrote."""

    def write(path: Path, members: Iterable[tuple[str, bytes]], *, executables: Iterable[str] = ()) -> None:
        write_zip(path, members, executables=executables)
        path.write_bytes(edit(path.read_bytes()))

    return write


def headers(data: bytes, ending: str) -> list[tuple[bytes, int]]:
    """Kind and place of the two headers of the member whose name ends so: before its data, and in the table."""
    found = []
    for kind, fixed, lengths in ((LOCAL, 30, 26), (CENTRAL, 46, 28)):
        at = data.find(kind)
        while at >= 0:
            (length,) = struct.unpack_from("<H", data, at + lengths)
            if data[at + fixed : at + fixed + length].endswith(ending.encode()):
                found.append((kind, at))
            at = data.find(kind, at + 4)
    assert len(found) == 2, f"{ending}: {found}"
    return found


def flagged(ending: str, flags: int) -> Writer:
    """A member's general purpose flags are these: 1 is encryption, 0x20 patched data."""
    return edited(lambda data: _fields(data, ending, _FLAGS, flags))


def packed_by(ending: str, method: int) -> Writer:
    """A member says that it is packed by another method than it is."""
    return edited(lambda data: _fields(data, ending, _METHOD, method))


def linked(ending: str) -> Writer:
    """A member says that it is a symbolic link (Unix mode S_IFLNK)."""

    def edit(data: bytes) -> bytes:
        place = next(at for kind, at in headers(data, ending) if kind == CENTRAL)
        # The mode is the upper half of the external attributes, at 38.
        return data[: place + 40] + struct.pack("<H", 0o120777) + data[place + 42 :]

    return edited(edit)


def _fields(data: bytes, ending: str, places: dict[bytes, int], value: int) -> bytes:
    result = bytearray(data)
    for kind, at in headers(data, ending):
        struct.pack_into("<H", result, at + places[kind], value)
    return bytes(result)
