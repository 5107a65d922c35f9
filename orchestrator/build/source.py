"""A project's source tree, packed so that the same files always give the same bytes."""

from __future__ import annotations

import hashlib
import io
import os
import tarfile
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

from orchestrator.errors import RecipeError
from orchestrator.tarstream import CHUNK

EPOCH = 1_577_836_800
"""Time of every packed file and SOURCE_DATE_EPOCH of every build: 2020-01-01 UTC, in seconds."""

LEFT_OUT = frozenset({".git", ".hg", ".svn", "__pycache__", ".venv", ".mypy_cache", ".ruff_cache", ".pytest_cache"})

_LINKS = 40
"""How many links one may lead through, as on Linux (path_resolution(7))."""


@dataclass(frozen=True)
class SourceTree:
    """A packed source tree, in memory or in a file, and the SHA-256 of its tar."""

    tar: bytes | Path
    sha256: str

    def pieces(self) -> Iterator[bytes]:
        """The tar, piece by piece."""
        with io.BytesIO(self.tar) if isinstance(self.tar, bytes) else self.tar.open("rb") as stream:
            while piece := stream.read(CHUNK):
                yield piece


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A file with its content, a link where `link` is not empty, or an empty folder."""

    path: str
    program: bool
    data: bytes = b""
    link: str = ""
    folder: bool = False


def pack_source(folder: Path, *, without: Collection[Path] = ()) -> SourceTree:
    """Pack a folder: sorted names, fixed times and owners, version control and caches left out.

    `without` are further folders to leave out, such as that of the reports; they must be absolute.

    Raises:
        RecipeError: the folder is absent, empty, or holds what is no file, or a link that does not
            stay in it.
    """
    if not folder.is_dir():
        raise RecipeError(f"There is no source folder {folder}.", advice="Correct project.source.path in the recipe.")
    files = source_files(folder, without=without)
    if not files:
        raise RecipeError(f"The source folder {folder} is empty.", advice="Correct project.source.path in the recipe.")
    links = _links(folder, files)
    return pack_entries(_read(folder, path, links) for path in files)


def source_files(folder: Path, *, without: Collection[Path] = ()) -> list[Path]:
    """The files and links of a folder that are packed, in their order."""
    found: list[Path] = []
    for base, folders, names in os.walk(folder):
        here = Path(base).resolve()
        folders[:] = sorted(name for name in folders if name not in LEFT_OUT and here / name not in without)
        found += [Path(base, name) for name in names if not name.endswith(".pyc")]
        found += [Path(base, name) for name in folders if Path(base, name).is_symlink()]
    return sorted(found, key=lambda path: path.relative_to(folder).parts)


def link_fault(links: Mapping[str, str], path: str) -> str | None:
    """What is wrong with the link at `path` of a tree whose links are `links`, or None.

    It must stay inside the tree by each link that it leads through, as a container has nothing else of what
    is here; what it names need not be there.
    """
    here = list(PurePosixPath(path).parent.parts)
    left = links[path].split("/")[::-1]
    followed = 0
    if links[path].startswith("/"):
        return "is absolute"
    if "\0" in links[path]:
        return "holds a zero byte"
    while left:
        match part := left.pop():
            case "" | ".":
                continue
            case "..":
                if not here:
                    return "leaves it"
                here.pop()
                continue
        here.append(part)
        through = links.get("/".join(here))
        if through is not None:
            followed += 1
            if followed > _LINKS:
                return "leads in a circle"
            if through.startswith("/"):
                return "leads through an absolute one"
            here.pop()
            left += through.split("/")[::-1]
    return None


def _links(folder: Path, paths: Iterable[Path]) -> dict[str, str]:
    """The links among `paths`, by their path in the folder.

    Raises:
        RecipeError: the container would not have what one leads to.
    """
    found = {path.relative_to(folder).as_posix(): str(path.readlink()) for path in paths if path.is_symlink()}
    for path, target in found.items():
        if fault := link_fault(found, path):
            raise RecipeError(
                f"The source folder {folder} has the link '{path}' to '{target}', which {fault}.",
                advice="Make it a relative link that stays inside the folder, or copy the file in its place.",
            )
    return found


def _read(folder: Path, path: Path, links: Mapping[str, str]) -> Entry:
    name = path.relative_to(folder).as_posix()
    program = bool(path.stat(follow_symlinks=False).st_mode & 0o100)
    if name in links:
        return Entry(path=name, program=program, link=links[name])
    if not path.is_file():
        raise RecipeError(f"{path} is neither file, folder nor link.", advice="Remove it from the source folder.")
    return Entry(path=name, program=program, data=path.read_bytes())


def pack_entries(entries: Iterable[Entry]) -> SourceTree:
    """The tree of these entries, in their order, in memory."""
    buffer = io.BytesIO()
    write_entries(entries, buffer)
    data = buffer.getvalue()
    return SourceTree(data, hashlib.sha256(data).hexdigest())


def write_entries(entries: Iterable[Entry], stream: IO[bytes]) -> None:
    """Write the tar of these entries, in their order."""
    with tarfile.open(fileobj=stream, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for entry in entries:
            info = tarfile.TarInfo(entry.path)
            info.mtime = EPOCH
            info.mode = 0o755 if entry.program or entry.folder else 0o644
            if entry.folder:
                info.type = tarfile.DIRTYPE
            if entry.link:
                info.type, info.linkname = tarfile.SYMTYPE, entry.link
            info.size = len(entry.data)
            archive.addfile(info, io.BytesIO(entry.data))
