"""The project's source as one tar, the same bytes for the same files."""

from __future__ import annotations

import hashlib
import io
import os
import tarfile
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from orchestrator.errors import RecipeError

EPOCH = 1_577_836_800
"""Time of every packed file and SOURCE_DATE_EPOCH of every build: 2020-01-01 UTC, in seconds."""

LEFT_OUT = frozenset({".git", ".hg", ".svn", "__pycache__", ".venv", ".mypy_cache", ".ruff_cache", ".pytest_cache"})


@dataclass(frozen=True)
class SourceTree:
    """A packed source tree and the SHA-256 of its tar."""

    tar: bytes
    sha256: str


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
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path in files:
            _add(archive, folder, path)
    data = buffer.getvalue()
    return SourceTree(data, hashlib.sha256(data).hexdigest())


def source_files(folder: Path, *, without: Collection[Path] = ()) -> list[Path]:
    """The files and links of a folder that are packed, in their order."""
    found: list[Path] = []
    for base, folders, names in os.walk(folder):
        here = Path(base).resolve()
        folders[:] = sorted(name for name in folders if name not in LEFT_OUT and here / name not in without)
        found += [Path(base, name) for name in names if not name.endswith(".pyc")]
        found += [Path(base, name) for name in folders if Path(base, name).is_symlink()]
    return sorted(found, key=lambda path: path.relative_to(folder).parts)


def _add(archive: tarfile.TarFile, folder: Path, path: Path) -> None:
    info = tarfile.TarInfo(path.relative_to(folder).as_posix())
    info.mtime = EPOCH
    info.mode = 0o755 if path.stat(follow_symlinks=False).st_mode & 0o100 else 0o644
    if path.is_symlink():
        if not path.resolve().is_relative_to(folder.resolve()):
            raise RecipeError(f"{path} is a link that leaves the source folder.", advice="Copy the file in its place.")
        info.type, info.linkname = tarfile.SYMTYPE, str(path.readlink())
        archive.addfile(info)
        return
    if not path.is_file():
        raise RecipeError(f"{path} is neither file, folder nor link.", advice="Remove it from the source folder.")
    data = path.read_bytes()
    info.size = len(data)
    archive.addfile(info, io.BytesIO(data))
