"""Files of a bundle by name, be it a zip or the folder that somebody unpacked it to.

Nothing in it is believed: names, sizes and contents are held against what is expected, and no error of a damaged
archive escapes as it is.  Format: APPNOTE.TXT of PKWARE, as Python's zipfile reads it.
"""

from __future__ import annotations

import hashlib
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Protocol

from orchestrator.errors import FetchError
from orchestrator.files import writing
from orchestrator.reproduce.contents import Member
from orchestrator.tarstream import CHUNK

DAMAGE: tuple[type[Exception], ...] = (
    zipfile.BadZipFile,
    zlib.error,
    tarfile.TarError,
    struct.error,
    EOFError,
    OSError,
    ValueError,
    KeyError,
    OverflowError,
    RuntimeError,  # encrypted; as NotImplementedError, compressed in a way that Python does not know
)
"""What reading a damaged archive raises."""


class Members(Protocol):
    """Where a bundle's files are read from."""

    where: Path

    def open(self, name: str) -> IO[bytes]:
        """The file of that name."""
        ...


class ZipMembers:
    """Those of a bundle.zip, which is opened anew for each."""

    def __init__(self, where: Path) -> None:
        self.where = where

    def open(self, name: str) -> IO[bytes]:
        """The file of that name; the zip is closed with it."""
        with zipfile.ZipFile(self.where) as archive:
            return archive.open(name)


class FolderMembers:
    """Those of a bundle that was unpacked."""

    def __init__(self, where: Path) -> None:
        self.where = where

    def open(self, name: str) -> IO[bytes]:
        """The file of that name; links do not count, they may lead anywhere."""
        path = self.where / name
        if path.is_symlink() or not path.is_file():
            raise KeyError(name)
        return path.open("rb")


def damaged(where: Path, what: str, detail: str = "") -> FetchError:
    """The error of a bundle that cannot be relied on."""
    return FetchError(
        f"The bundle '{where}' {what}.",
        detail=detail,
        advice="Get it again from where the run left it; as it is, nothing can be reproduced from it.",
    )


@contextmanager
def reading(where: Path, name: str) -> Iterator[None]:
    """Within, whatever is wrong with the archive becomes one error that names it and its member."""
    try:
        yield
    except DAMAGE as error:
        said = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise damaged(where, f"is damaged, or is none: '{name}' cannot be read ({said})") from error


def read_small(members: Members, name: str, most: int) -> bytes:
    """The content of a file that must have no more than `most` bytes.

    Raises:
        FetchError: it is missing, damaged or larger.
    """
    with reading(members.where, name), members.open(name) as stream:
        data = stream.read(most + 1)
    if len(data) > most:
        raise damaged(members.where, f"has a '{name}' of more than {most >> 20} MiB")
    return data


def take(members: Members, member: Member, target: Path) -> Path:
    """Write a file to `target`, which must not exist, and hold it against its hash.

    Raises:
        FetchError: it is missing or damaged, or its content is another; then nothing is at `target`.
        DiskError: it cannot be written.
    """
    digest, size = hashlib.sha256(), 0
    try:
        with writing(target):
            target.parent.mkdir(parents=True, exist_ok=True)
            output = target.open("xb")
        with output, reading(members.where, member.name), members.open(member.name) as stream:
            while piece := stream.read(CHUNK):
                size += len(piece)
                if size > member.size:
                    break
                digest.update(piece)
                with writing(target):
                    output.write(piece)
        if size != member.size or digest.hexdigest() != member.sha256:
            raise damaged(
                members.where,
                f"is damaged: '{member.name}' is another file than its contents say",
                f"expected: {member.sha256}, {member.size} bytes\nfound:    {digest.hexdigest()}",
            )
    except FetchError:
        target.unlink(missing_ok=True)
        raise
    return target
