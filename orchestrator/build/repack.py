"""Writing a wheel again, so that equal contents give equal bytes, under another platform tag.

Nothing is added to the wheel and no library is changed: only the tag lines of the WHEEL file and
RECORD are made anew (PyPA binary distribution format, PEP 427; file names, PEP 425).  The same
input gives the same bytes as long as the same zlib compresses them.
"""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import stat
import time
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO

from packaging.utils import InvalidWheelFilename, parse_wheel_filename

from orchestrator.errors import WheelError
from orchestrator.files import aside

ZIP_EPOCH = 315532800
"""1980-01-01 UTC, the oldest time that a zip entry can hold, in seconds since 1970."""

_ZIP_END = 4354819198
"""2107-12-31 23:59:58 UTC, the newest."""

_CHUNK = 1 << 20
_DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError)
"""What zipfile raises for a damaged, encrypted or exotically compressed archive."""


def rewrite_wheel(
    source: Path, target: Path, *, platform_tag: str | None = None, source_date_epoch: int = ZIP_EPOCH
) -> Path:
    """Write the wheel `source` into the folder `target`, with that platform tag; return the new file.

    Entries are sorted with `.dist-info` last and RECORD at the very end, times are all
    `source_date_epoch` (seconds since 1970), permission bits are 0644 or 0755, and folders have no entries.  The
    file appears under its name only when it is complete.

    Args:
        source: the wheel; may lie in `target`, and is replaced if its name stays.
        target: the folder of the new wheel.
        platform_tag: such as `manylinux_2_28_x86_64`; None keeps the tags of the file name.
        source_date_epoch: time of all entries; clipped to what a zip can hold.

    Raises:
        WheelError: `source` is damaged, is no wheel, or has unsafe or repeated names.
        OSError: the new file cannot be written; nothing is left behind.
    """
    name = retagged_name(source.name, platform_tag)
    final = target / name
    with open_wheel(source) as archive, aside(final) as hidden, hidden.open("wb") as stream:
        write_members(archive, stream, tag_lines=expanded_tags(name), source_date_epoch=source_date_epoch)
    return final


def retagged_name(filename: str, platform_tag: str | None) -> str:
    """The wheel's file name with another platform tag, or unchanged for None.

    Raises:
        WheelError: it is not a wheel's file name.
    """
    try:
        parse_wheel_filename(filename)
    except InvalidWheelFilename as error:
        raise WheelError(f"{filename}: is not a wheel's file name: {error}.") from error
    return (
        filename if platform_tag is None else f"{filename.removesuffix('.whl').rpartition('-')[0]}-{platform_tag}.whl"
    )


def expanded_tags(filename: str) -> tuple[str, ...]:
    """The tags that the WHEEL file lists for that file name: each combination, sorted."""
    python, abi, platform = filename.removesuffix(".whl").split("-")[-3:]
    return tuple(sorted(f"{p}-{a}-{f}" for p in python.split(".") for a in abi.split(".") for f in platform.split(".")))


@contextmanager
def open_wheel(path: Path) -> Iterator[zipfile.ZipFile]:
    """The wheel's archive; damage that is met while it is read becomes a WheelError too."""
    try:
        with zipfile.ZipFile(path) as archive:
            yield archive
    except _DAMAGED as error:
        raise WheelError(f"{path.name}: is not a readable zip archive: {error}.") from error


def write_members(
    archive: zipfile.ZipFile, stream: IO[bytes], *, tag_lines: tuple[str, ...], source_date_epoch: int = ZIP_EPOCH
) -> None:
    """Write all members of a wheel into `stream` in the order and form that `rewrite_wheel` describes."""
    members = _checked(archive)
    dist_info = _dist_info(members, archive)
    order = sorted(members, key=lambda name: (name.startswith(f"{dist_info}/"), name))
    writer = _Writer(zipfile.ZipFile(stream, "w"), _zip_time(source_date_epoch))
    with writer.archive:
        for name in order:
            relative = name.removeprefix(f"{dist_info}/")
            if name == f"{dist_info}/WHEEL":
                data = _with_tags(archive.read(members[name]), tag_lines)
                writer.add(name, 0o644, io.BytesIO(data), len(data))
            elif name.startswith(f"{dist_info}/") and relative in {"RECORD", "RECORD.jws", "RECORD.p7s"}:
                continue  # made anew; signatures of the old one are void (PEP 427)
            else:
                with archive.open(members[name]) as content:
                    writer.add(name, _mode(members[name]), content, members[name].file_size)
        writer.add_record(f"{dist_info}/RECORD")


@dataclass
class _Writer:
    archive: zipfile.ZipFile
    time: tuple[int, int, int, int, int, int]
    lines: list[tuple[str, str, int | str]] = field(default_factory=list)

    def add(self, name: str, mode: int, content: IO[bytes], expected_size: int) -> None:
        """Copy one member in pieces, and remember its line of RECORD."""
        digest, size = hashlib.sha256(), 0
        with self.archive.open(self._entry(name, mode, expected_size), "w") as out:
            while piece := content.read(_CHUNK):
                digest.update(piece)
                size += len(piece)
                out.write(piece)
        encoded = base64.urlsafe_b64encode(digest.digest()).rstrip(b"=").decode("ascii")
        self.lines.append((name, f"sha256={encoded}", size))

    def add_record(self, name: str) -> None:
        """Write RECORD, whose own line has neither hash nor size."""
        text = io.StringIO(newline="")
        csv.writer(text, lineterminator="\n").writerows([*self.lines, (name, "", "")])
        data = text.getvalue().encode("utf-8")
        self.archive.writestr(self._entry(name, 0o644, len(data)), data)

    def _entry(self, name: str, mode: int, size: int) -> zipfile.ZipInfo:
        entry = zipfile.ZipInfo(name, self.time)
        entry.create_system = 3  # Unix: what the permission bits below mean
        entry.external_attr = (stat.S_IFREG | mode) << 16
        entry.compress_type = zipfile.ZIP_DEFLATED  # at zlib's default level
        entry.file_size = size  # decides whether the entry needs zip64
        return entry


def _checked(archive: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    """The files by name, none of which leaves the folder that the wheel is unpacked into."""
    members: dict[str, zipfile.ZipInfo] = {}
    for entry in archive.infolist():
        path = PurePosixPath(entry.filename)
        plain = str(path) == entry.filename.removesuffix("/")  # no empty part, no '.'
        if not plain or path.is_absolute() or ".." in path.parts or "\\" in entry.filename:
            raise WheelError(f"{_name(archive)}: has an unsafe member name: {entry.filename!r}.")
        if entry.is_dir():
            continue
        if entry.filename in members:
            raise WheelError(f"{_name(archive)}: has two members named {entry.filename!r}.")
        if stat.S_ISLNK(entry.external_attr >> 16):
            raise WheelError(f"{_name(archive)}: has a symbolic link, which wheels cannot hold: {entry.filename!r}.")
        members[entry.filename] = entry
    return members


def _dist_info(members: dict[str, zipfile.ZipInfo], archive: zipfile.ZipFile) -> str:
    folders = sorted(
        name.split("/")[0] for name in members if name.endswith(".dist-info/WHEEL") and name.count("/") == 1
    )
    if len(folders) != 1:
        raise WheelError(f"{_name(archive)}: has {len(folders)} .dist-info folders with a WHEEL file; a wheel has one.")
    return folders[0]


def _name(archive: zipfile.ZipFile) -> str:
    return Path(archive.filename or "wheel").name


def _with_tags(content: bytes, tags: tuple[str, ...]) -> bytes:
    """The WHEEL file with those Tag lines in place of its own."""
    lines = content.decode("utf-8").rstrip("\r\n").splitlines()
    kept = [line for line in lines if line.strip() and not line.lower().startswith("tag:")]
    return "".join(f"{line}\n" for line in [*kept, *(f"Tag: {tag}" for tag in tags)]).encode("utf-8")


def _mode(entry: zipfile.ZipInfo) -> int:
    """0755 for what its owner may execute, else 0644."""
    return 0o755 if (entry.external_attr >> 16) & stat.S_IXUSR else 0o644


def _zip_time(epoch: int) -> tuple[int, int, int, int, int, int]:
    moment = time.gmtime(min(max(epoch, ZIP_EPOCH), _ZIP_END))
    return moment.tm_year, moment.tm_mon, moment.tm_mday, moment.tm_hour, moment.tm_min, moment.tm_sec
