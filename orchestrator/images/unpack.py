"""Layers of packages that are unpacked and nothing more: no script of theirs runs, so they may be of any processor.

What scripts would have done and programs cannot do without is done here: the links that update-alternatives
makes, the user database, folders that must exist.  The database of installed packages stays empty.
"""

from __future__ import annotations

import fnmatch
import io
import re
import tarfile
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import IO

from orchestrator.errors import FetchError, RecipeError
from orchestrator.images.definition import Overlay, StandIn
from orchestrator.images.layers import LayerWriter
from orchestrator.store.debian.contents import package_members
from orchestrator.store.debian.lock import Package
from orchestrator.store.debian.mmdebstrap import EPOCH
from orchestrator.store.store import Store
from orchestrator.tarstream import CHUNK, end_mark, padding

_APART = frozenset({"bullseye"})
"""Suites in which /bin and /lib are folders; from bookworm on they are links below /usr (its release notes, 5.1.13)."""
_MERGED = ("bin", "lib", "lib32", "lib64", "libo32", "libx32", "sbin")

_USERS = {f"usr/share/base-passwd/{name}.master": f"etc/{name}" for name in ("passwd", "group")}
"""What base-passwd's script copies, and where to (update-passwd(8))."""
_ALTERNATIVES = {"awk": "mawk", "c++": "g++", "cc": "gcc", "sh": "dash", "which": "which.debianutils"}
"""Commands that scripts of packages link to the one program of the image that serves for them."""
_FOLDERS = {"dev": 0o755, "proc": 0o755, "root": 0o700, "run": 0o755, "sys": 0o755, "tmp": 0o1777}
_COMMANDS = ("usr/bin", "bin")


def write_system(
    store: Store,
    stand_in: StandIn,
    packages: Sequence[Package],
    writer: LayerWriter,
    *,
    on_line: Callable[[str], None],
    cancelled: threading.Event,
) -> None:
    """Write a whole file system of the packages.

    `on_line` gets the name of each; once `cancelled` is set, it ends.

    Raises:
        FetchError: a package is not in the store or damaged, or it was cancelled.
        EngineError: dpkg-deb is not installed.
        RecipeError: two packages have a file at one place.
    """
    with _Tree(writer, stand_in) as tree:
        if tree.merged:
            for name in ("bin", "lib", "lib64", "sbin"):
                tree.folder(f"usr/{name}")
                tree.link(name, f"usr/{name}")
        for name, mode in _FOLDERS.items():
            tree.folder(name, mode)
        _unpack(store, packages, tree, on_line, cancelled)
        for name, program in _ALTERNATIVES.items():
            for folder in _COMMANDS:
                if f"{folder}/{program}" in tree and f"{folder}/{name}" not in tree:
                    tree.link(f"{folder}/{name}", program)


def write_overlay(
    store: Store,
    stand_in: StandIn,
    overlay: Overlay,
    packages: Sequence[Package],
    writer: LayerWriter,
    *,
    on_line: Callable[[str], None],
    cancelled: threading.Event,
) -> None:
    """Write what the packages add to an image of the stand-in's suite; the rest as `write_system`."""
    with _Tree(writer, stand_in) as tree:
        _unpack(store, packages, tree, on_line, cancelled)
        if tree.merged and any(name.startswith("usr/lib64/") for name in tree.names):
            tree.link("lib64", "usr/lib64")  # where the loader of x86_64 is looked for (its psABI)
        if overlay.bare:
            tools = re.compile(rf"usr/bin/{re.escape(overlay.bare)}-(.+)")
            found = {match[1]: match[0] for name in tree.names if (match := tools.fullmatch(name))}
            for bare, name in sorted(found.items()):
                if f"usr/bin/{bare}" not in tree:
                    tree.link(f"usr/bin/{bare}", PurePosixPath(name).name)
            for name in ("cc", "c++"):
                tree.link(f"usr/bin/{name}", _ALTERNATIVES[name])


def _unpack(
    store: Store,
    packages: Sequence[Package],
    tree: _Tree,
    on_line: Callable[[str], None],
    cancelled: threading.Event,
) -> None:
    for package in packages:
        if cancelled.is_set():
            raise FetchError(f"Unpacking {package.name} was cancelled.")
        on_line(f"unpacking {package.name} {package.version}")
        tree.owner = package.name
        blob = store.require(package.sha256, f"{package.name} {package.version}")
        for name, member, content in package_members(blob):
            tree.add(name.rstrip("/"), member, content)


@dataclass
class _Tree:
    """A file system that is written as a tar: root's, of one time, each path once."""

    writer: LayerWriter
    stand_in: StandIn

    def __post_init__(self) -> None:
        self.merged = self.stand_in.suite not in _APART
        self.owner = ""
        self.names: dict[str, str] = {}
        self._folders: set[str] = set()
        excludes = "|".join(fnmatch.translate(pattern) for pattern in self.stand_in.path_excludes)
        self._excluded = re.compile(excludes or r"(?!)")
        self._size = 0

    def __enter__(self) -> _Tree:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            self._put(end_mark())
            self._put(bytes(-self._size % tarfile.RECORDSIZE))

    def __contains__(self, name: str) -> bool:
        return name in self.names or name in self._folders

    def add(self, name: str, member: tarfile.TarInfo, content: IO[bytes] | None) -> None:
        """A member of a package, where the suite has it.

        Raises:
            RecipeError: another package's file is there.
        """
        if name in {"", "."} or self._excluded.match(f"/{name}"):
            return
        if self.merged and name in _MERGED and not member.isdir():
            return  # newer suites' base-files has the links itself
        name = self._place(name)
        if member.isdir():
            self.folder(name, member.mode, member.uid, member.gid)
            return
        data = content.read() if content and name in _USERS else None
        info = tarfile.TarInfo(name)
        info.type, info.size, info.mode = member.type, member.size, member.mode & 0o7777
        info.uid, info.gid = member.uid, member.gid
        info.linkname = self._place(member.linkname.removeprefix("./")) if member.islnk() else member.linkname
        self._write(info, io.BytesIO(data) if data is not None else content)
        if data is not None and _USERS[name] not in self:
            info = tarfile.TarInfo(_USERS[name])
            info.size, info.mode = len(data), 0o644
            self._write(info, io.BytesIO(data))

    def folder(self, name: str, mode: int = 0o755, user: int = 0, group: int = 0) -> None:
        """A folder, with those above it, unless it is there."""
        if name in self:
            return
        self._folders.add(name)
        info = tarfile.TarInfo(name)
        info.type, info.mode, info.uid, info.gid = tarfile.DIRTYPE, mode & 0o7777, user, group
        self._member(info, None)

    def link(self, name: str, target: str) -> None:
        """A symbolic link of ours, which no package may have."""
        self.owner = ""
        info = tarfile.TarInfo(name)
        info.type, info.linkname, info.mode = tarfile.SYMTYPE, target, 0o777
        self._write(info, None)

    def _write(self, info: tarfile.TarInfo, content: IO[bytes] | None) -> None:
        if info.name in self:
            raise RecipeError(
                f"{self.owner} and {self.names.get(info.name, 'another package')} both have /{info.name}, and are "
                "unpacked into one image.",
                advice="Leave one of them out in the image's definition, or exclude the path with 'path-excludes'.",
            )
        self.names[info.name] = self.owner
        self._member(info, content)

    def _member(self, info: tarfile.TarInfo, content: IO[bytes] | None) -> None:
        info.mtime = EPOCH
        self._put(info.tobuf(tarfile.GNU_FORMAT))
        while content and (chunk := content.read(CHUNK)):
            self._put(chunk)
        self._put(padding(info.size))

    def _put(self, data: bytes) -> None:
        self.writer.write(data)
        self._size += len(data)

    def _place(self, name: str) -> str:
        head, slash, rest = name.partition("/")
        return f"usr/{head}{slash}{rest}" if self.merged and head in _MERGED else name
