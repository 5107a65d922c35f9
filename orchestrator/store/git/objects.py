"""Objects of a repository, each held against its name: a mirror can lack what is asked for, and cannot change it.

An object's name is the SHA-1 of `TYPE SIZE NUL` and its content; a tree's content is entries of `MODE NAME NUL` and
20 bytes (gitformat-pack(5), git-hash-object(1)).
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from orchestrator.errors import FetchError
from orchestrator.store.git.command import git_program, reading, run_git

_FOLDER, _LINK, _MODULE = 0o40000, 0o120000, 0o160000
_KINDS = 0o170000
"""Mask of the kind in a mode, as in stat(2)."""
_ENTRY = re.compile(rb"(?P<mode>[0-7]+) (?P<name>[^\0]*)\0(?P<object>.{20})", re.DOTALL)
_LONGEST = 1024
"""Of the path of a folder, as Python's stack allows: no project comes near it."""
_CHECK = ("cat-file", "--batch-check=%(objectname)")


@dataclass(frozen=True, kw_only=True)
class GitEntry:
    """What a tree has at a path: a file, a link, or the commit of a submodule; `name` is the object's."""

    path: str
    mode: int
    name: str

    @property
    def link(self) -> bool:
        """Whether it is a symbolic link, whose object holds where it leads."""
        return self.mode & _KINDS == _LINK

    @property
    def module(self) -> bool:
        """Whether it is a submodule, of which `name` is the commit."""
        return self.mode & _KINDS == _MODULE

    @property
    def program(self) -> bool:
        """Whether it is an executable file."""
        return bool(self.mode & 0o100) and not self.module


class Objects:
    """Reads objects of one repository through one `git cat-file --batch`."""

    def __init__(self, git_folder: Path) -> None:
        self.git_folder = git_folder
        command = [git_program(), f"--git-dir={git_folder}", "cat-file", "--batch"]
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
        self._process = subprocess.Popen(
            command,
            cwd="/",
            env=reading(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.communicate()
        self._errors.close()

    def has(self, commit: str) -> bool:
        """Whether the repository has that commit.

        Raises:
            FetchError: it is damaged.
        """
        return self._ask(commit, "commit") is not None

    def read(self, name: str, kind: str) -> bytes:
        """The content of an object of that kind.

        Raises:
            FetchError: the repository lacks it, or what it has is damaged or of another kind.
        """
        data = self._ask(name, kind)
        if data is None:
            raise self._broken(f"has not the {kind} {name}, which something in it names")
        return data

    def tree(self, commit: str) -> Iterator[GitEntry]:
        """All files, links and submodules of a commit.

        Raises:
            FetchError: an object is missing or damaged, or a name is none that a checkout may have.
        """
        first = self.read(commit, "commit").split(b"\n", 1)[0]
        yield from self._walk(first.removeprefix(b"tree ").decode("ascii", "replace"), "")

    def absent(self, names: Iterable[str]) -> frozenset[str]:
        """Those objects, of any kind, that the repository does not have.

        Raises:
            FetchError: there is no git.
        """
        asked = "".join(f"{name}\n" for name in names).encode()
        done = run_git([f"--git-dir={self.git_folder}", *_CHECK], environment=reading(), given=asked)
        lines = (line.split() for line in done.stdout.decode("ascii", "replace").splitlines())
        return frozenset(words[0] for words in lines if words[1:] == ["missing"])

    def _walk(self, tree: str, above: str) -> Iterator[GitEntry]:
        if len(above) > _LONGEST:
            raise self._broken(f"has the tree {tree} deeper than a file's path may be long")
        data, place = self.read(tree, "tree"), 0
        met: set[str] = set()
        while place < len(data):
            found = _ENTRY.match(data, place)
            if found is None:
                raise self._broken(f"has the tree {tree}, which is malformed")
            place, part = found.end(), os.fsdecode(found["name"])
            if part in ("", ".", "..") or "/" in part or part.lower() == ".git":
                raise self._broken(f"has the name '{above}{part}' in the tree {tree}, which no checkout may have")
            if part in met:
                raise self._broken(f"has the name '{above}{part}' twice in the tree {tree}")
            met.add(part)
            entry = GitEntry(path=f"{above}{part}", mode=int(found["mode"], 8), name=found["object"].hex())
            if entry.mode & _KINDS == _FOLDER:
                yield from self._walk(entry.name, f"{entry.path}/")
            else:
                yield entry

    def _ask(self, name: str, kind: str) -> bytes | None:
        """The content of an object, or None if the repository does not have it."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write(f"{name}\n".encode())
            self._process.stdin.flush()
        except OSError:  # it ended: what it said is read below
            pass
        words = self._process.stdout.readline().decode("utf-8", "replace").split()
        if words[1:] == ["missing"]:
            return None
        data = self._process.stdout.read(int(words[2]) + 1)[:-1] if len(words) == 3 else b""
        if len(words) != 3 or len(data) != int(words[2]):
            self._errors.seek(0)
            said = self._errors.read().decode("utf-8", "replace").strip()
            raise self._broken(f"does not give the {kind} {name}", said)
        if words[1] != kind:
            advice = "Give the name of a commit: git rev-parse NAME^{commit}." if kind == "commit" else ""
            raise self._broken(f"has a {words[1]} named {name} where a {kind} is asked for", advice=advice)
        if hashlib.sha1(f"{kind} {len(data)}\0".encode() + data, usedforsecurity=False).hexdigest() != name:
            raise self._broken(f"has another content under the name of the {kind} {name}")
        return data

    def _broken(self, what: str, said: str = "", *, advice: str = "") -> FetchError:
        return FetchError(
            f"The git repository {self.git_folder} {what}.",
            detail=said,
            advice=advice or "Look at it with 'git fsck', and fetch it anew; a copy in the store may be removed.",
        )
