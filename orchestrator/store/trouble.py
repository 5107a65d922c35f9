"""What goes wrong with a store, in words: content that is not what a lock names, and disks that do not take it."""

from __future__ import annotations

import errno
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from orchestrator.errors import FetchError

_ELSEWHERE = "Set WHEEL_ORCHESTRATOR_STORE to a folder that you may write."


class OtherHashError(FetchError):
    """Content has another hash than its lock gives: no later try makes it right."""


def hash_mismatch(what: str, expected: Collection[str], found: str) -> OtherHashError:
    """The error for content that has another hash than its lock gives."""
    wanted = sorted(expected)
    more = f" or one of {len(wanted) - 1} others" if len(wanted) > 1 else ""
    return OtherHashError(
        f"{what}: the file does not have the SHA-256 that was expected.",
        detail=f"expected: {wanted[0]}{more}\nfound:    {found}",
        advice="Nothing was kept. Either the file was changed or damaged on its way, or the lock is out of date: "
        "refresh it with 'nox -s locks' and review the difference.",
    )


@contextmanager
def disk_errors(doing: str, folder: Path) -> Iterator[None]:
    """Turn a full or forbidden disk into an error that says so.

    Raises:
        FetchError: the disk is full, or may not be written.
    """
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise disk_full(doing, folder) from error
        if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
            raise FetchError(
                f"{doing}: '{folder}' cannot be written: {error.strerror}.",
                advice=_ELSEWHERE,
            ) from error
        raise


def unusable(folder: Path, error: Exception) -> FetchError:
    """The error for a store where no folder can be made, such as below a file."""
    why = (error.strerror if isinstance(error, OSError) else None) or str(error)
    return FetchError(f"There can be no store at '{folder}': {why.rstrip('.')}.", advice=_ELSEWHERE)


def disk_full(doing: str, folder: Path) -> FetchError:
    """The error for a full disk; `folder` is where the write went."""
    return FetchError(
        f"{doing}: no space left on the disk of '{folder}'.",
        advice="Nothing was left half-written. Free some space, or set WHEEL_ORCHESTRATOR_STORE to a folder on a "
        "larger disk.",
    )
