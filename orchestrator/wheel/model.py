"""What is read from one wheel (PyPA binary distribution format, PEP 427)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from email.message import Message
from pathlib import Path

from packaging.requirements import Requirement
from packaging.tags import Tag
from packaging.version import Version

from orchestrator.elf.model import Elf


@dataclass(frozen=True, slots=True)
class Member:
    """One zip entry.  `sha256` in hexadecimal, None where the data could not be inflated."""

    name: str
    size: int
    sha256: str | None
    mode: int
    """Unix permission bits from the external attributes, 0 if absent."""
    is_dir: bool = False


@dataclass(frozen=True, slots=True)
class RecordLine:
    """One line of RECORD: hash as `sha256=<urlsafe base64 without padding>` or empty; size or None."""

    path: str
    hash: str
    size: int | None


@dataclass(frozen=True)
class Library:
    """An ELF file of the wheel, or a file that claims to be one and cannot be read."""

    path: str
    sha256: str
    size: int
    elf: Elf | None
    error: str | None = None
    """Why it cannot be read: a finding (B6), not a crash."""

    @property
    def name(self) -> str:
        """File name without folders."""
        return self.path.rsplit("/", 1)[-1]

    @property
    def folder(self) -> str:
        """Folder inside the wheel, '' at the top."""
        return self.path.rpartition("/")[0]

    @property
    def is_extension(self) -> bool:
        """Whether it is a Python extension module: it defines a PyInit function."""
        return self.elf is not None and any(s.is_export and s.name.startswith("PyInit") for s in self.elf.symbols)


@dataclass(frozen=True)
class Wheel:
    """One wheel, read once.

    Anything damaged is listed in `problems` as (subject, text); what could be read is given all the
    same.  Only a file that is no zip archive at all is refused by the reader.
    """

    path: Path
    filename: str
    sha256: str
    size: int
    distribution: str | None
    """Normalised distribution name from the file name, None if the name is not a wheel's."""
    version: Version | None
    build_tag: str
    tags: frozenset[Tag]
    members: tuple[Member, ...]
    """Zip entries in order; names may repeat."""
    dist_info: str | None
    """Folder name of the .dist-info folder."""
    metadata: Message | None
    requirements: tuple[Requirement, ...]
    wheel_file: Message | None
    """The WHEEL file."""
    record: tuple[RecordLine, ...]
    libraries: tuple[Library, ...]
    texts: Mapping[str, bytes]
    """Small text members that checks read: .cmake, .pc, *-config scripts, *.dist-info/*, */version.py."""
    problems: tuple[tuple[str, str], ...] = ()
    names: frozenset[str] = field(default=frozenset())
    """All member names."""

    def readable(self) -> tuple[tuple[Library, Elf], ...]:
        """Libraries that could be read, with their ELF facts."""
        return tuple((library, library.elf) for library in self.libraries if library.elf is not None)
