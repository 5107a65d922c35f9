"""Writing bundle.zip: what a run that failed wrote and worked with, so that another machine can try it again.

The same content gives the same bytes: members stand in a fixed order and have a fixed time.
"""

from __future__ import annotations

import hashlib
import io
import stat
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from rich.filesize import decimal

from orchestrator.files import aside, writing
from orchestrator.report.model import FilePin, ImageUse, RowReport, RunReport, SourcePin
from orchestrator.report.write import JUNIT_FILE, PAGE_FILE, REPORT_FILE, SUMMARY_FILE
from orchestrator.reproduce.contents import (
    BUNDLE_FILE,
    CONTENTS_FILE,
    Contents,
    LeftOut,
    Member,
    What,
    image_name,
    inside,
    recipe_name,
    source_name,
    wheel_name,
)
from orchestrator.reproduce.kept import Kept
from orchestrator.reproduce.members import DAMAGE
from orchestrator.secrets import Secrets
from orchestrator.tarstream import CHUNK
from orchestrator.wheel.members import BOMB_SIZE, entry_problem

BUNDLE_BYTES = 256 << 20
"""How much of sources and wheels a bundle takes, and of a recipe's large files, before they are compressed."""

SMALL_BYTES = 1 << 20
"""A recipe's file of no more is in every bundle, and does not count."""

LOG_BYTES = 64 << 20
"""A longer log is left out: it stays in the run's folder."""

_TIME = (2020, 1, 1, 0, 0, 0)
_PIECE, _OVERLAP = 16 << 20, 64 << 10
_LINUX = 3
"""The system on which a member was made, so that its mode counts (APPNOTE.TXT, 4.4.2)."""


class NotHadError(Exception):
    """An image cannot be put into the bundle; says why."""


OpenImage = Callable[[ImageUse], IO[bytes]]
"""Gives the docker-save file of a stand-in.  Raises NotHadError."""


def needs_bundle(report: RunReport) -> bool:
    """Whether anything of the run can be tried again: then a command names the bundle."""
    return any(check.reproduce for row in report.rows for check in row.checks)


def write_bundle(
    report: RunReport,
    folder: Path,
    kept: Kept,
    secrets: Secrets,
    *,
    most: int = BUNDLE_BYTES,
    open_image: OpenImage | None = None,
) -> Path:
    """Write the bundle of a run beside its report, whose files lie in `folder`; its path.

    What holds a secret, has changed since, or does not fit into `most` bytes is left out, and named.  Stand-ins are
    in it only with `open_image`.

    Raises:
        DiskError: it cannot be written.
    """
    path = folder / BUNDLE_FILE
    with writing(path), aside(path) as hidden, zipfile.ZipFile(hidden, "w") as archive:
        writer = _Writer(archive, secrets, most)
        for name in (REPORT_FILE, JUNIT_FILE, SUMMARY_FILE, PAGE_FILE):
            if (folder / name).is_file():
                writer.file("report", name, folder / name)
        rows = [row for row in report.rows if any(check.reproduce for check in row.checks)]
        for row in report.rows:
            for log in sorted((folder / row.row).rglob("*.log")):
                writer.log(f"logs/{row.row}/{log.relative_to(folder / row.row).as_posix()}", log)
        for row in rows:
            _inputs(writer, row, kept)
        if open_image:
            for image in dict.fromkeys(image for row in rows for image in row.images if image.origin == "stand-in"):
                writer.image(image, open_image)
        contents = Contents(run=report.run, files=tuple(writer.members), left_out=tuple(writer.left_out))
        writer.put(CONTENTS_FILE, io.BytesIO(contents.model_dump_json(by_alias=True, indent=1).encode() + b"\n"))
    return path


def _inputs(writer: _Writer, row: RowReport, kept: Kept) -> None:
    given = row.given
    if given is None:
        return
    for pin in given.files:
        writer.recipe(pin, kept.recipes.get(given.revision))
    if given.source:
        writer.source(given.source, kept.sources.get(given.source.sha256))
    if given.wheel:
        writer.wheel(given.wheel, kept.wheels.get(given.wheel.sha256))


@dataclass
class _Writer:
    """Puts members into the zip, each once."""

    archive: zipfile.ZipFile
    secrets: Secrets
    left: int
    """Bytes that sources and wheels may still take."""
    members: list[Member] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)

    def put(self, name: str, stream: IO[bytes], *, packed: bool = False) -> tuple[str, int]:
        """Write a member; its hash and size.  What is `packed` is not compressed again."""
        info = zipfile.ZipInfo(name, _TIME)
        info.compress_type = zipfile.ZIP_STORED if packed else zipfile.ZIP_DEFLATED
        info.create_system, info.external_attr = _LINUX, (stat.S_IFREG | 0o644) << 16
        digest, size = hashlib.sha256(), 0
        with self.archive.open(info, "w", force_zip64=True) as output:
            while piece := stream.read(CHUNK):
                digest.update(piece)
                size += len(piece)
                output.write(piece)
        return digest.hexdigest(), size

    def add(self, what: What, name: str, stream: IO[bytes], *, packed: bool = False) -> None:
        """Write a member and name it."""
        sha256, size = self.put(name, stream, packed=packed)
        self.members.append(Member(name=name, sha256=sha256, size=size, what=what))

    def leave(self, what: What, name: str, why: str, *, sha256: str = "", size: int = 0) -> None:
        """Say what is not in the bundle."""
        self.left_out.append(LeftOut(what=what, name=name, why=why, sha256=sha256, size=size))

    def file(self, what: What, name: str, path: Path) -> None:
        """A file of the run's folder."""
        with path.open("rb") as stream:
            self.add(what, name, stream)

    def log(self, name: str, path: Path) -> None:
        """A log, unless it is too long."""
        size = path.stat().st_size
        if not self._is_new("log", name):
            return
        if size > LOG_BYTES:
            self.leave("log", name, f"is longer than {decimal(LOG_BYTES)}", size=size)
        else:
            self.file("log", name, path)

    def recipe(self, pin: FilePin, folder: Path | None) -> None:
        """A file of the recipe."""
        self._pinned("recipe", recipe_name(pin.path), folder and folder / pin.path, pin.sha256, pin.size)

    def source(self, pin: SourcePin, content: Path | bytes | None) -> None:
        """A source."""
        self._pinned("source", source_name(pin.sha256), content, pin.sha256, pin.size, documented=True)

    def wheel(self, pin: FilePin, path: Path | None) -> None:
        """A wheel."""
        self._pinned("wheel", wheel_name(pin.sha256, pin.path), path, pin.sha256, pin.size, documented=True)

    def image(self, image: ImageUse, open_image: OpenImage) -> None:
        """A stand-in."""
        name = image_name(image.digest)
        if not self._is_new("image", name):
            return
        try:
            with open_image(image) as stream:
                self.add("image", name, stream, packed=True)
        except NotHadError as error:
            self.leave("image", name, str(error))

    def _pinned(
        self,
        what: What,
        name: str,
        content: Path | bytes | None,
        sha256: str,
        size: int,
        *,
        documented: bool = False,
    ) -> None:
        """A member of which hash and size are known, if it is still that, fits, and holds no secret.

        What is `documented` may show addresses with made-up credentials, as documents do.
        """
        if not self._is_new(what, name):
            return
        counted = 0 if what == "recipe" and size <= SMALL_BYTES else size
        data, why = None, ""
        if content is None:
            why = "is not known any more"
        elif counted > self.left:
            why = f"does not fit: {decimal(size)}, and {decimal(self.left)} are left (--bundle-bytes)"
        else:
            try:
                data = content if isinstance(content, bytes) else content.read_bytes()
            except OSError as error:
                why = f"cannot be read: {error.strerror or error}"
        if data is not None and hashlib.sha256(data).hexdigest() != sha256:
            data, why = None, "has changed since it was used"
        held = self._held(what, data, documented=documented) if data is not None else None
        if data is None or held:
            self.leave(what, name, f"holds the value of {held}" if held else why, sha256=sha256, size=size)
            return
        self.left -= counted
        self.add(what, name, io.BytesIO(data), packed=what == "wheel")

    def _is_new(self, what: What, name: str) -> bool:
        """Whether the name was not met yet, and is one that a reader takes; one that is not is named as left out."""
        new = name not in self.seen
        self.seen.add(name)
        try:
            safe = inside(name) == name
        except ValueError:
            safe = False
        if new and not safe:
            self.leave(what, name, "has a name that a bundle may not hold")
        return new and safe

    def _held(self, what: What, data: bytes, *, documented: bool) -> str | None:
        """The secret that the data holds."""
        if documented and not self.secrets.values:  # nothing that counts there could be found: a wheel stays packed
            return None
        for part in _inflated(data) if what == "wheel" else (data,):
            held = self.secrets.held_by(part)
            if held and not (documented and held == "credentials"):
                return held
        return None


def _inflated(wheel: bytes) -> Iterator[bytes]:
    """A wheel, and each of its members as far as it can be read, in pieces.

    A hostile one may unpack to anything: of what no check reads, such as a zip bomb, only the beginning counts.
    """
    yield wheel
    total = 0
    with suppress(*DAMAGE), zipfile.ZipFile(io.BytesIO(wheel)) as archive:
        for info in archive.infolist():
            most = BOMB_SIZE if entry_problem(info, total) else info.file_size
            with suppress(*DAMAGE), archive.open(info) as stream:
                yield from _pieces(stream, most)
            total += most


def _pieces(stream: IO[bytes], most: int) -> Iterator[bytes]:
    """The first `most` bytes in pieces, each with the end of the one before: what is looked for may lie across."""
    before = b""
    while most > 0 and (piece := stream.read(min(_PIECE, most))):
        yield before + piece
        before, most = piece[-_OVERLAP:], most - len(piece)
