"""A project's source tree, packed so that the same files always give the same bytes."""

from __future__ import annotations

import hashlib
import io
import os
import posixpath
import tarfile
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from orchestrator.errors import FetchError, RecipeError

EPOCH = 1_577_836_800
"""Time of every packed file and SOURCE_DATE_EPOCH of every build: 2020-01-01 UTC, in seconds."""

LEFT_OUT = frozenset({".git", ".hg", ".svn", "__pycache__", ".venv", ".mypy_cache", ".ruff_cache", ".pytest_cache"})

_LINKS = 40
"""How many links one may lead through, as on Linux (path_resolution(7))."""


@dataclass(frozen=True)
class SourceTree:
    """A packed source tree and the SHA-256 of its tar."""

    tar: bytes
    sha256: str


@dataclass(frozen=True, kw_only=True)
class _Entry:
    """A file with its content, or a link where `link` is not empty."""

    path: str
    program: bool
    data: bytes = b""
    link: str = ""


def pack_source(folder: Path, *, without: Collection[Path] = ()) -> SourceTree:
    """Pack a folder: sorted names, fixed times and owners, version control and caches left out.

    `without` are further folders to leave out, such as that of the reports; they must be absolute.

    Raises:
        RecipeError: the folder is absent, empty, or holds a link that leaves it or what is no file.
    """
    if not folder.is_dir():
        raise RecipeError(f"There is no source folder {folder}.", advice="Correct project.source.path in the recipe.")
    files = source_files(folder, without=without)
    if not files:
        raise RecipeError(f"The source folder {folder} is empty.", advice="Correct project.source.path in the recipe.")
    return _pack(_read(folder, path) for path in files)


def unpack_sdist(path: Path, name: str) -> SourceTree:
    """The tree of a source distribution (PEP 625: a tar.gz with one folder), packed as its folder would be.

    `name` is the distribution's in errors.  Nothing is written to a disk, and what Python's own filter for
    data (PEP 706) refuses is refused: absolute names, names and links that leave the tree, devices.

    Raises:
        FetchError: the file is no such archive, or has a member that is unsafe.
    """
    try:
        with tarfile.open(path, mode="r:gz") as archive:
            entries = {entry.path: entry for entry in _members(archive, name)}
    except (tarfile.TarError, OSError, EOFError) as error:
        raise _refused(name, f"is not a gzipped tar archive: {error}") from error
    for entry in entries.values():
        _require_inside(entries, entry, name)
    if not {"pyproject.toml", "setup.py"} & entries.keys():
        raise _refused(name, "has neither pyproject.toml nor setup.py in its folder")
    return _pack(sorted(entries.values(), key=lambda entry: PurePosixPath(entry.path).parts))


def source_files(folder: Path, *, without: Collection[Path] = ()) -> list[Path]:
    """The files and links of a folder that are packed, in their order."""
    found: list[Path] = []
    for base, folders, names in os.walk(folder):
        here = Path(base).resolve()
        folders[:] = sorted(name for name in folders if name not in LEFT_OUT and here / name not in without)
        found += [Path(base, name) for name in names if not name.endswith(".pyc")]
        found += [Path(base, name) for name in folders if Path(base, name).is_symlink()]
    return sorted(found, key=lambda path: path.relative_to(folder).parts)


def _read(folder: Path, path: Path) -> _Entry:
    name = path.relative_to(folder).as_posix()
    program = bool(path.stat(follow_symlinks=False).st_mode & 0o100)
    if path.is_symlink():
        if not path.resolve().is_relative_to(folder.resolve()):
            raise RecipeError(f"{path} is a link that leaves the source folder.", advice="Copy the file in its place.")
        return _Entry(path=name, program=program, link=str(path.readlink()))
    if not path.is_file():
        raise RecipeError(f"{path} is neither file, folder nor link.", advice="Remove it from the source folder.")
    return _Entry(path=name, program=program, data=path.read_bytes())


def _members(archive: tarfile.TarFile, name: str) -> Iterator[_Entry]:
    """The files and links below the archive's one folder, without that folder."""
    tops: set[str] = set()
    for member in archive:
        whole = _inside(member.name)
        if whole is None:
            raise _refused(name, f"has the member '{member.name}', which lies outside it")
        top, _, path = whole.partition("/")
        tops.add(top)
        if len(tops) > 1 or (not path and not member.isdir()):
            raise _refused(name, f"holds {', '.join(sorted(tops))} where PEP 625 wants one folder")
        if member.isdir():
            continue
        program = bool(member.mode & 0o100)
        if member.issym():
            yield _Entry(path=path, program=True, link=member.linkname)
        elif member.isreg() or member.islnk():
            yield _Entry(path=path, program=program, data=_content(archive, member, name))
        else:
            raise _refused(name, f"has the member '{member.name}', which is neither file, folder nor link")


def _content(archive: tarfile.TarFile, member: tarfile.TarInfo, name: str) -> bytes:
    """A file's bytes; a hard link's are those of the file that it names."""
    try:
        stream = archive.extractfile(member)
    except KeyError:
        stream = None
    if stream is None:
        raise _refused(name, f"has the link '{member.name}' to '{member.linkname}', which it does not hold")
    return stream.read()


def _inside(path: str) -> str | None:
    """The path without `.` and `..`; None if it is absolute or leaves where it starts."""
    plain = posixpath.normpath(path)
    return None if plain == ".." or plain.startswith(("/", "../")) else plain


def _require_inside(entries: Mapping[str, _Entry], entry: _Entry, name: str) -> None:
    """Refuse an entry below one that is no folder, and a link that leads out of the tree."""
    for parent in map(str, PurePosixPath(entry.path).parents):
        if parent in entries:
            raise _refused(name, f"has the member '{entry.path}' below '{parent}', which is no folder")
    if entry.link and not _leads_inside(entries, entry):
        raise _refused(name, f"has the link '{entry.path}', which leaves it for '{entry.link}'")


def _leads_inside(entries: Mapping[str, _Entry], entry: _Entry) -> bool:
    """Whether a link, and those that it leads through, stay inside the tree; a circle does not."""
    if entry.link.startswith("/"):
        return False
    here = list(PurePosixPath(entry.path).parent.parts)
    left = entry.link.split("/")[::-1]
    followed = 0
    while left:
        match part := left.pop():
            case "" | ".":
                continue
            case "..":
                if not here:
                    return False
                here.pop()
                continue
        here.append(part)
        through = entries.get("/".join(here))
        if through is not None and through.link:
            followed += 1
            if followed > _LINKS or through.link.startswith("/"):
                return False
            here.pop()
            left += through.link.split("/")[::-1]
    return True


def _refused(name: str, what: str) -> FetchError:
    return FetchError(
        f"The source distribution {name} {what}.",
        advice="Unpack it by hand, look at it, and build the folder with --source DIR.",
    )


def _pack(entries: Iterable[_Entry]) -> SourceTree:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for entry in entries:
            info = tarfile.TarInfo(entry.path)
            info.mtime = EPOCH
            info.mode = 0o755 if entry.program else 0o644
            if entry.link:
                info.type, info.linkname = tarfile.SYMTYPE, entry.link
            info.size = len(entry.data)
            archive.addfile(info, io.BytesIO(entry.data))
    data = buffer.getvalue()
    return SourceTree(data, hashlib.sha256(data).hexdigest())
