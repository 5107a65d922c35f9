"""Reading a wheel over its zip: one pass, each member inflated once, one library in memory at a time."""

from __future__ import annotations

import hashlib
import re
import struct
import zipfile
from collections import Counter
from email.message import Message
from pathlib import Path

from packaging.tags import Tag
from packaging.utils import InvalidWheelFilename, canonicalize_name, parse_wheel_filename
from packaging.version import Version

from orchestrator.elf.model import Elf
from orchestrator.elf.read import MAGIC, ElfError, read_elf
from orchestrator.errors import WheelError
from orchestrator.wheel import members
from orchestrator.wheel.framing import framing_problems
from orchestrator.wheel.info import Problems, parse_message, parse_record, parse_requirements
from orchestrator.wheel.model import Library, Member, Wheel
from orchestrator.wheel.names import is_shared_object

TEXT_LIMIT = 2 << 20
"""Largest text that is kept for checks, in bytes."""
INFO_LIMIT = 32 << 20
"""The same for a `.dist-info` file: RECORD grows with the wheel."""
HEADERS_LIMIT = 2 << 20
"""The same for METADATA and WHEEL, whose parsed form takes ten times as much, and a requirement a time of its own."""
TEXT_TOTAL = 64 << 20
"""Largest size of all texts together, in bytes."""

_TEXT = re.compile(r"(\.cmake|\.pc|-config|(^|/)_?version\.py|^[^/]+\.dist-info/[^/]+(/.+)?)$")
_OTHER_FORMATS = (
    b"\xcf\xfa\xed\xfe", b"\xce\xfa\xed\xfe", b"\xca\xfe\xba\xbe", b"MZ", b"!<arch>\n", b"!<thin>\n",
)  # fmt: skip
"""Mach-O, PE and archives: readable files, only none of this system's shared objects."""


def read_wheel(path: Path) -> Wheel:
    """Read a wheel file.

    Raises `WheelError` only if the file is no zip archive (or cannot be opened); everything else
    that is damaged is in the result's `problems`.
    """
    try:
        size = path.stat().st_size
        with path.open("rb") as stream:
            sha256 = hashlib.file_digest(stream, "sha256").hexdigest()
        archive = zipfile.ZipFile(path)
    except OSError as error:
        raise WheelError(
            f"{path}: cannot be read: {error.strerror or error}.",
            advice="Give the path of a .whl file that you may read.",
        ) from error
    except (zipfile.BadZipFile, ValueError, NotImplementedError, EOFError, struct.error, OverflowError) as error:
        raise WheelError(
            f"{path}: not a wheel: it is no zip archive, or its table of contents is damaged ({error}; {size} bytes).",
            advice="Fetch or build the file again; a cut-off download is the usual cause.",
        ) from error
    with archive:
        return _Reader(path, size, sha256, archive).read()


class _Reader:
    """One pass over one archive."""

    def __init__(self, path: Path, size: int, sha256: str, archive: zipfile.ZipFile) -> None:
        self._path, self._size, self._sha256, self._archive = path, size, sha256, archive
        self._problems: Problems = []
        self._libraries: list[Library] = []
        self._texts: dict[str, bytes] = {}
        self._text_total = 0
        self._total = 0

    def read(self) -> Wheel:
        """Read everything."""
        distribution, version, build_tag, tags = self._file_name()
        infos = self._archive.infolist()
        with self._path.open("rb") as stream:
            for text in framing_problems(self._archive, stream, self._size):
                self._problems.append((self._path.name, f"the archive is not plain: {text}"))
        names = [info.filename for info in infos]
        for name, count in Counter(names).items():
            if count > 1:
                self._problems.append((name, f"{count} members have this name"))
        found = tuple(self._member(info) for info in infos)
        dist_info = self._dist_info(names, distribution, version)
        metadata = self._message(dist_info, "METADATA")
        return Wheel(
            path=self._path,
            filename=self._path.name,
            sha256=self._sha256,
            size=self._size,
            distribution=distribution,
            version=version,
            build_tag=build_tag,
            tags=tags,
            members=found,
            dist_info=dist_info,
            metadata=metadata,
            requirements=(
                parse_requirements(metadata, f"{dist_info}/METADATA", self._problems) if metadata is not None else ()
            ),
            wheel_file=self._message(dist_info, "WHEEL"),
            record=(
                parse_record(self._texts[f"{dist_info}/RECORD"], f"{dist_info}/RECORD", self._problems)
                if self._has(dist_info, "RECORD")
                else ()
            ),
            libraries=tuple(self._libraries),
            texts=self._texts,
            problems=tuple(self._problems),
            names=frozenset(names),
        )

    def _file_name(self) -> tuple[str | None, Version | None, str, frozenset[Tag]]:
        try:
            distribution, version, build, tags = parse_wheel_filename(self._path.name)
        except (InvalidWheelFilename, ValueError) as error:
            self._problems.append((self._path.name, f"not the file name of a wheel: {error}"))
            return None, None, "", frozenset()
        return distribution, version, "".join(map(str, build)), tags

    def _member(self, info: zipfile.ZipInfo) -> Member:
        name = info.filename
        if problem := members.name_problem(info):
            self._problems.append((name, problem))
        if members.is_symbolic_link(info):
            self._problems.append((name, "it is a symbolic link; installers write such a member as a text file"))
        # ZipInfo.is_dir() fails on an empty name.
        is_dir = name.endswith("/")
        if is_dir and info.file_size:
            self._problems.append((name, f"a folder that holds {info.file_size} bytes of its own"))
        sha256 = None if is_dir else self._content(info)
        mode = (info.external_attr >> 16) & 0o7777
        return Member(name, info.file_size, sha256, mode, is_dir=is_dir)

    def _content(self, info: zipfile.ZipInfo) -> str | None:
        """Inflate a member, keep what checks need of it, and give its hash; None if it cannot be inflated."""
        name = info.filename
        trouble = members.entry_problem(info, self._total)
        digest = hashlib.sha256()
        head = b""
        spool: members.Spool | None = None
        keep = trouble is None and self._keeps(info)
        try:
            for chunk in members.chunks(self._archive, info) if trouble is None else ():
                if not head:
                    head = chunk[:4096]
                    if keep or head.startswith(MAGIC):
                        spool = members.Spool(info.file_size)
                self._total += len(chunk)
                digest.update(chunk)
                if spool is not None:
                    spool.write(chunk)
        except members.READ_ERRORS as error:
            # An error can quote a whole member's name, or what stands in its place.
            trouble = f"it cannot be inflated: {str(error)[:200]}"
        sha256 = digest.hexdigest() if trouble is None else None
        if trouble is not None:
            self._problems.append((name, trouble))
        elif keep:
            self._texts[name] = b""
            if spool is not None:
                with spool.view() as view:
                    self._texts[name] = bytes(view)
        self._library(info, head, sha256, trouble, spool)
        if spool is not None:
            spool.close()
        return sha256

    def _keeps(self, info: zipfile.ZipInfo) -> bool:
        """Whether the member is a text that checks read, and not too large a one."""
        if not _TEXT.search(info.filename):
            return False
        limit = TEXT_LIMIT
        if ".dist-info/" in info.filename:
            limit = HEADERS_LIMIT if info.filename.endswith(("/METADATA", "/WHEEL")) else INFO_LIMIT
        if info.file_size > limit or self._text_total + info.file_size > TEXT_TOTAL:
            self._problems.append((info.filename, f"too large to be looked at: {info.file_size} bytes"))
            return False
        self._text_total += info.file_size
        return True

    def _library(
        self, info: zipfile.ZipInfo, head: bytes, sha256: str | None, trouble: str | None, spool: members.Spool | None
    ) -> None:
        """Add the member to the libraries, if it is ELF or claims to be a shared object and is unreadable."""
        is_elf = head.startswith(MAGIC)
        if not is_elf and not is_shared_object(info.filename):
            return
        elf: Elf | None = None
        error: str | None = trouble
        if trouble is None and is_elf and spool is not None:
            try:
                with spool.view() as view:
                    elf = read_elf(view)
            except ElfError as elf_error:
                error = str(elf_error)
        elif trouble is None:
            if _is_other_file(head):
                return
            error = "empty file" if not head else "not an ELF file: the magic number is missing"
        self._libraries.append(Library(info.filename, sha256 or "", info.file_size, elf, error))

    def _dist_info(self, names: list[str], distribution: str | None, version: Version | None) -> str | None:
        """The `.dist-info` folder: the one that the file name announces, else the only one."""
        folders = sorted({name.split("/", 1)[0] for name in names if name.split("/", 1)[0].endswith(".dist-info")})
        if len(folders) != 1:
            found = ", ".join(folders) or "none"
            self._problems.append((self._path.name, f"a wheel has exactly one .dist-info folder; found: {found}"))
        for folder in folders:
            if _is_info_folder(folder, distribution, version):
                return folder
        if folders and distribution is not None:
            wanted = f"{distribution.replace('-', '_')}-{version}.dist-info"
            self._problems.append((folders[0], f"the file name announces the folder {wanted}"))
        return folders[0] if folders else None

    def _has(self, dist_info: str | None, name: str) -> bool:
        if dist_info is None:
            return False
        if f"{dist_info}/{name}" in self._texts:
            return True
        self._problems.append((f"{dist_info}/{name}", "missing, or it could not be read"))
        return False

    def _message(self, dist_info: str | None, name: str) -> Message | None:
        path = f"{dist_info}/{name}"
        return parse_message(self._texts[path], path, self._problems) if self._has(dist_info, name) else None


def _is_info_folder(folder: str, distribution: str | None, version: Version | None) -> bool:
    """Whether a `.dist-info` folder is named for that distribution and version, in any spelling of both."""
    name, _, text = folder.removesuffix(".dist-info").rpartition("-")
    try:
        return canonicalize_name(name) == distribution and Version(text) == version
    except ValueError:  # one of thousands of digits too, which is no InvalidVersion
        return False


def _is_other_file(head: bytes) -> bool:
    """Whether a file named like a shared object is something else on purpose: a linker script, another system's."""
    if not head:
        return False
    return head.startswith(_OTHER_FORMATS) or (b"\0" not in head and all(byte >= 9 for byte in head))
