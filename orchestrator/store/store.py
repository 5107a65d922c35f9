"""The store: a folder of files named by the SHA-256 of their content, and small records by key.

    blobs/ab/abcdef…      content, read-only, never changed once there
    refs/KIND/HASH.json   {"key": …, "value": …}, replaced atomically; HASH is the key's SHA-256
    named/HASH/NAME       hard links to content that needs its file name
    git/COMMIT.git        repositories that hold one commit: it was fetched
    locks/NAME.lock       locks between processes
    temporary/            writes in progress; what a killed process left is removed after a day

Everything is written aside and renamed, so a reader sees a whole file or none, and any number of
processes may share one store.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import tempfile
import time
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import IO, Any

import platformdirs
from filelock import FileLock, Timeout

from orchestrator.console import get_console
from orchestrator.errors import FetchError
from orchestrator.store.trouble import disk_errors, hash_mismatch, unusable

_CHUNK = 1 << 20
_STALE_SECONDS = 24 * 3600
_SHA256 = re.compile(r"[0-9a-f]{64}")


def is_sha256(text: str) -> bool:
    """Whether it is a SHA-256 as the store writes it: hexadecimal, in lower case."""
    return _SHA256.fullmatch(text) is not None


def sha256_file(path: Path) -> str:
    """The SHA-256 of a file's content, in hexadecimal."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


class Store:
    """A content-addressed folder, shared by processes."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._swept = False

    @classmethod
    def default(cls) -> Store:
        """The store that WHEEL_ORCHESTRATOR_STORE names, or the one in the user's cache folder; not made yet.

        Raises:
            FetchError: what is named cannot be a path.
        """
        named = os.environ.get("WHEEL_ORCHESTRATOR_STORE")
        if not named:
            return cls(platformdirs.user_cache_path("wheel-orchestrator"))
        try:
            root = Path(named).expanduser().resolve()
            root.exists()
        except (OSError, RuntimeError) as error:  # RuntimeError: links in a circle, a home of nobody
            raise unusable(Path(named), error) from error
        return cls(root)

    def blob(self, sha256: str, *, verify: bool = False) -> Path | None:
        """The file with that content, or None.

        Content was verified when it was written.  With `verify` it is hashed again, and a file
        that was damaged since is removed, so that the caller fetches it anew.
        """
        path = self._blob_path(sha256)
        if not path.is_file():
            return None
        if verify and sha256_file(path) != sha256:
            get_console().message(f"The store's copy of {sha256} is damaged and was removed.")
            path.unlink(missing_ok=True)
            return None
        return path

    def require(self, sha256: str, what: str) -> Path:
        """The file with that content, which is expected to be there; `what` names it in the error.

        Raises:
            FetchError: the store does not have it.
        """
        path = self.blob(sha256)
        if path is None:
            raise FetchError(f"{what} is no longer in the store.", advice="Run the command again.")
        return path

    def add_file(self, path: Path, *, sha256: str | Collection[str] | None = None, move: bool = False) -> str:
        """Add a file's content and return its SHA-256; the file itself is consumed if `move`.

        Args:
            path: the file.
            sha256: the hash, or the hashes, that its content may have.
            move: take the file instead of copying; needs it inside `temporary()`.

        Raises:
            FetchError: the content has another hash, or the disk is full.
        """
        with path.open("rb") as stream:
            return self._add(stream, path.name, sha256, origin=path if move else None)

    def add_stream(self, stream: IO[bytes], what: str, *, sha256: str | Collection[str] | None = None) -> str:
        """Add what a stream holds, as `add_file` does; `what` names it in errors."""
        return self._add(stream, what, sha256, origin=None)

    def named(self, sha256: str, filename: str) -> Path:
        """The content under a file name, for what reads meaning from the name, as of wheels.

        Raises:
            FetchError: the store does not have the content.
        """
        blob = self.require(sha256, filename)
        path = self.root / "named" / sha256 / Path(filename).name
        if not (path.exists() and path.samefile(blob)):
            with self.temporary(f"naming {filename}") as folder:
                # A hard link: a symbolic one would lose the name wherever paths are resolved.
                aside = folder / "link"
                aside.hardlink_to(blob)
                path.parent.mkdir(parents=True, exist_ok=True)
                aside.replace(path)
        return path

    def get_ref(self, kind: str, key: str) -> dict[str, Any] | None:
        """The record of that kind and key, or None; an unreadable record counts as none."""
        try:
            record = json.loads(self._ref_path(kind, key).read_bytes())
            value = record["value"]
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return value if isinstance(value, dict) else None

    def get_refs(self, kind: str, keys: Iterable[str]) -> dict[str, dict[str, Any]]:
        """The records of that kind that there are for these keys; many absent ones cost one look at a folder."""
        try:
            there = {path.name for path in (self.root / "refs" / kind).iterdir()}
        except OSError:
            return {}
        found = {key: self.get_ref(kind, key) for key in keys if self._ref_name(key) in there}
        return {key: value for key, value in found.items() if value is not None}

    def put_ref(self, kind: str, key: str, value: dict[str, Any]) -> None:
        """Write a record, replacing the one that was there."""
        path = self._ref_path(kind, key)
        with self.temporary("writing to the store") as folder:
            aside = folder / "ref"
            aside.write_text(json.dumps({"key": key, "value": value}, sort_keys=True) + "\n")
            path.parent.mkdir(parents=True, exist_ok=True)
            aside.replace(path)

    @contextmanager
    def lock(self, name: str) -> Iterator[None]:
        """Hold the lock of that name, waiting for others, in this process or another, and saying so."""
        with disk_errors("locking the store", self.root):
            lock = FileLock(self._folder("locks") / f"{re.sub(r'[^A-Za-z0-9._+-]', '_', name)}.lock")
            try:
                lock.acquire(timeout=0)
            except Timeout:
                with get_console().step(f"waiting for {name}, which another step or process has"):
                    lock.acquire(poll_interval=0.1)
        try:
            yield
        finally:
            lock.release()

    @contextmanager
    def temporary(self, doing: str) -> Iterator[Path]:
        """A folder on the store's disk that is gone afterwards, whatever happens.

        Raises:
            FetchError: the disk is full; `doing` says what for.
        """
        with disk_errors(doing, self.root):
            parent = self._folder("temporary")
            self._sweep(parent)
            folder = Path(tempfile.mkdtemp(dir=parent))
            try:
                yield folder
            finally:
                shutil.rmtree(folder, ignore_errors=True)

    def _folder(self, name: str) -> Path:
        """A folder of the store, made if need be.

        Raises:
            FetchError: none can be made there.
            OSError: the disk is full, or may not be written: see `disk_errors`.
        """
        folder = self.root / name
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except (NotADirectoryError, FileExistsError, FileNotFoundError) as error:
            raise unusable(self.root, error) from error
        return folder

    def _add(self, stream: IO[bytes], what: str, sha256: str | Collection[str] | None, *, origin: Path | None) -> str:
        expected = {sha256} if isinstance(sha256, str) else None if sha256 is None else set(sha256)
        with self.temporary(f"adding {what} to the store") as folder:
            aside = origin or folder / "content"
            digest = hashlib.sha256()
            with nullcontext() if origin else aside.open("wb") as target:
                while chunk := stream.read(_CHUNK):
                    digest.update(chunk)
                    if target:
                        target.write(chunk)
            found = digest.hexdigest()
            if expected is not None and found not in expected:
                raise hash_mismatch(what, expected, found)
            self._publish(aside, found)
        return found

    def _publish(self, aside: Path, sha256: str) -> None:
        target = self._blob_path(sha256)
        target.parent.mkdir(parents=True, exist_ok=True)
        aside.chmod(0o444)
        aside.replace(target)

    def _sweep(self, parent: Path) -> None:
        """Remove what killed processes left, once a process."""
        if self._swept:
            return
        self._swept = True
        for folder in parent.iterdir():
            with suppress(OSError):
                if time.time() - folder.stat().st_mtime > _STALE_SECONDS:
                    shutil.rmtree(folder, ignore_errors=True)

    def _blob_path(self, sha256: str) -> Path:
        if not is_sha256(sha256):
            raise ValueError(f"not a SHA-256 in lower-case hexadecimal: {sha256!r}")
        return self.root / "blobs" / sha256[:2] / sha256

    def _ref_path(self, kind: str, key: str) -> Path:
        return self.root / "refs" / kind / self._ref_name(key)

    @staticmethod
    def _ref_name(key: str) -> str:
        return f"{hashlib.sha256(key.encode()).hexdigest()}.json"
