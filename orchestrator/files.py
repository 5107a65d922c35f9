"""Files that people and other processes read: written whole or not at all, refused in our words, told by a hash."""

from __future__ import annotations

import errno
import hashlib
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from orchestrator.errors import DiskError, RecipeError

IN_THE_WAY = frozenset({errno.EEXIST, errno.EISDIR, errno.ENOTDIR, errno.ELOOP, errno.ENOTEMPTY})
"""What the operating system says where something else stands at a path."""


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Within, an OSError becomes a DiskError that names `path`, the file or folder that is being written.

    Raises:
        DiskError: the disk is full, or does not take the file.
    """
    try:
        yield
    except (ConnectionError, TimeoutError):
        raise  # what is read fails, not what is written
    except OSError as error:
        first = "Move away what stands there"
        if error.errno not in IN_THE_WAY:
            first = "Free space or correct the folder's permissions"
        raise DiskError(
            f"'{path}' cannot be written: {error.strerror or error}.", advice=f"{first}, then run the command again."
        ) from error


@contextmanager
def aside(path: Path) -> Iterator[Path]:
    """Where to write what becomes `path` when the block ends, or vanishes when it ends by an error.

    So a reader of `path` meets what was there before, or all of what is new.  Folders above it are made.

    Raises:
        OSError: the file or a folder cannot be written, or `path` is a device, pipe or socket, such as /dev/null,
            which a file would replace; see `writing`.
    """
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise OSError(errno.EINVAL, "is a device, pipe or socket, no file", str(path))
    path.parent.mkdir(parents=True, exist_ok=True)
    hidden = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        yield hidden
        hidden.replace(path)
    finally:
        hidden.unlink(missing_ok=True)


def files_stamp(paths: Iterable[Path]) -> frozenset[tuple[str, tuple[int, ...]]]:
    """What tells whether any of these files was written, replaced, added or removed since: it is another then.

    The time of a file's last change of status is set by the system alone (POSIX, sys/stat.h): what was edited and
    edited back is told from what nobody touched.
    """
    found: set[tuple[str, tuple[int, ...]]] = set()
    for path in paths:
        try:
            state = path.lstat()
            target = path.stat() if path.is_symlink() else state
        except OSError:
            found.add((str(path), ()))
            continue
        found.add((str(path), tuple(n for one in (state, target) for n in (one.st_ino, one.st_size, one.st_ctime_ns))))
    return frozenset(found)


def files_digest(paths: Iterable[Path]) -> str:
    """SHA-256 over files: their names (not their folders' place on this machine) and contents.

    A link counts by what it names, and by the content too where that is a file; what is neither by its name.

    Raises:
        RecipeError: a file cannot be read.
    """
    digest = hashlib.sha256()
    for path in sorted(paths):
        try:
            link = str(path.readlink()) if path.is_symlink() else ""
            data = path.read_bytes() if path.is_file() else b""
        except OSError as error:
            raise RecipeError(
                f"'{path}' cannot be read: {error.strerror or error}.", advice="Correct its permissions, or remove it."
            ) from error
        content = hashlib.sha256(f"{link}\0".encode() + data).hexdigest()
        digest.update(f"{path.parent.name}/{path.name}\0{content}\n".encode())
    return digest.hexdigest()
