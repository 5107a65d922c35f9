"""A source distribution, unpacked in memory: whatever its archive is, it is a tree or one error."""

from __future__ import annotations

import gzip
import posixpath
import tarfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import BinaryIO, cast

from orchestrator.build.source import Entry, SourceTree, link_fault, pack_entries
from orchestrator.errors import FetchError

MOST_BYTES = 1 << 30
"""How much an archive may unpack to: gzip makes a thousandth of it, and the tree is held in memory."""

_LONGEST_NAME, _LONGEST_PATH = 255, 4000
"""In bytes: Linux's NAME_MAX, and its PATH_MAX (4096) less room for the folder that the tree comes to."""

_DAMAGE = (
    tarfile.TarError, zlib.error, OSError, EOFError,
    # What tarfile lets through of headers that are wrong in themselves.
    ValueError, LookupError, ArithmeticError, RecursionError, MemoryError,
)  # fmt: skip


class _TooLargeError(Exception):
    """The archive has more bytes than may be read."""


class _Unzipped:
    """The bytes of a gzip file as tarfile reads them: forwards only, and no more than `most`.

    Forwards only, since a header with a negative size would lead tarfile back to itself for ever.
    """

    def __init__(self, file: gzip.GzipFile, most: int) -> None:
        self._file, self._most = file, most
        self._at = 0
        self.last = b""
        """What was read last."""

    def tell(self) -> int:
        """How many bytes were read."""
        return self._at

    def read(self, size: int) -> bytes:
        """Up to so many bytes more."""
        if size < 0:
            raise tarfile.ReadError(f"a size of {size}")
        self.last = self._file.read(min(size, self._most - self._at + 1))
        self._at += len(self.last)
        if self._at > self._most:
            raise _TooLargeError
        return self.last

    def seek(self, place: int) -> None:
        """Read up to a place."""
        if place < self._at:
            raise tarfile.ReadError("a member that lies before its header")
        while self._at < place and self.read(min(1 << 20, place - self._at)):
            pass

    def drain(self) -> None:
        """Read what is left, so that gzip compares its checksum."""
        while self.read(1 << 20):
            pass


def unpack_sdist(path: Path, name: str, *, most: int = MOST_BYTES) -> SourceTree:
    """The tree of a source distribution (PEP 625: a tar.gz with one folder), packed as its folder would be.

    `name` is the distribution's in errors, `most` how many bytes it may unpack to.  Nothing is written to a
    disk, and what Python's own filter for data (PEP 706) refuses is refused: absolute names, names and links
    that leave the tree, devices.

    Raises:
        FetchError: the file is no such archive, is damaged or too large, or has a member that is unsafe.
    """
    members: dict[str, Entry] = {}
    with _reading(name, most), gzip.open(path) as file:
        stream = _Unzipped(file, most)
        with tarfile.open(fileobj=cast(BinaryIO, stream), mode="r:") as archive:
            for whole, member in _members(archive, name):
                if not member.isdir():
                    members[whole] = _entry(archive, member, whole, members, name)
            # tarfile ends at a damaged header as at the zeros of a whole archive's end.
            if any(stream.last):
                raise tarfile.ReadError("a damaged header after its last member")
        stream.drain()
    entries = {entry.path: entry for entry in members.values()}
    links = {entry.path: entry.link for entry in entries.values() if entry.link}
    for entry in entries.values():
        _require_inside(entries, links, entry, name)
    if not {"pyproject.toml", "setup.py"} & entries.keys():
        raise _refused(name, "has neither pyproject.toml nor setup.py in its folder")
    return pack_entries(sorted(entries.values(), key=lambda entry: PurePosixPath(entry.path).parts))


@contextmanager
def _reading(name: str, most: int) -> Iterator[None]:
    """Within, whatever is wrong with the archive becomes one error."""
    try:
        yield
    except _TooLargeError:
        raise _refused(name, f"unpacks to more than {most >> 20} MiB") from None
    except _DAMAGE as error:
        what = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise _refused(name, f"is not a gzipped tar archive, or is damaged: {what}") from error


def _members(archive: tarfile.TarFile, name: str) -> Iterator[tuple[str, tarfile.TarInfo]]:
    """The members by their names without `.` and `..`, all of which start with the archive's one folder."""
    tops: set[str] = set()
    for member in archive:
        whole = posixpath.normpath(member.name)
        if whole == ".." or whole.startswith(("/", "../")):
            raise _refused(name, f"has the member '{member.name}', which lies outside it")
        if not _nameable(whole) or not _nameable(member.linkname):
            raise _refused(name, f"has the member '{member.name[:80]}…', whose name no file system takes")
        top, _, path = whole.partition("/")
        tops.add(top)
        if len(tops) > 1 or (not path and not member.isdir()):
            raise _refused(name, f"holds {', '.join(sorted(tops))} where PEP 625 wants one folder")
        yield whole, member


def _nameable(path: str) -> bool:
    raw = path.encode("utf-8", "surrogateescape")
    return b"\0" not in raw and len(raw) <= _LONGEST_PATH and max(map(len, raw.split(b"/"))) <= _LONGEST_NAME


def _entry(
    archive: tarfile.TarFile, member: tarfile.TarInfo, whole: str, before: Mapping[str, Entry], name: str
) -> Entry:
    """A member that is no folder; a hard link has the bytes of the member that it names."""
    path, program = whole.partition("/")[2], bool(member.mode & 0o100)
    if member.issym() and member.linkname:
        return Entry(path=path, program=True, link=member.linkname)
    if member.islnk():
        # What it names comes before it (POSIX, pax interchange format, typeflag 1).
        same = before.get(posixpath.normpath(member.linkname))
        if same is None or same.link:
            raise _refused(name, f"has the link '{member.name}' to '{member.linkname}', which it does not hold")
        return Entry(path=path, program=program, data=same.data)
    stream = archive.extractfile(member) if member.isreg() and not member.issparse() else None
    if stream is None:
        raise _refused(name, f"has the member '{member.name}', which is neither file, folder nor link")
    data = stream.read() if member.size >= 0 else b""
    if len(data) != member.size:
        raise tarfile.ReadError(f"{len(data)} bytes of '{member.name}' where its header says {member.size}")
    return Entry(path=path, program=program, data=data)


def _require_inside(entries: Mapping[str, Entry], links: Mapping[str, str], entry: Entry, name: str) -> None:
    """Refuse an entry below one that is no folder, and a link that leads out of the tree."""
    for parent in map(str, PurePosixPath(entry.path).parents):
        if parent in entries:
            raise _refused(name, f"has the member '{entry.path}' below '{parent}', which is no folder")
    if entry.link and (fault := link_fault(links, entry.path)):
        raise _refused(name, f"has the link '{entry.path}' to '{entry.link}', which {fault}")


def _refused(name: str, what: str) -> FetchError:
    return FetchError(
        f"The source distribution {name} {what}.",
        advice="Unpack it by hand, look at it, and build the folder with --source DIR.",
    )
