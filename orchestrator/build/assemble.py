"""A checkout from git, put together without git's own: a commit's files, its submodules', and what the recipe adds.

Files are as they were committed: no filter, no line ending and no attribute of `git archive` changes them.
"""

from __future__ import annotations

import hashlib
import io
import os
import tarfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import partial
from pathlib import PurePosixPath

from orchestrator.build.source import Entry, SourceTree, link_fault
from orchestrator.build.unpack import unpack_sdist
from orchestrator.errors import FetchError, RecipeError, nearest
from orchestrator.recipe.source import Source, Tree
from orchestrator.report.model import Pinned
from orchestrator.store.git.addresses import shown
from orchestrator.store.git.modules import FILE, module_addresses
from orchestrator.store.git.objects import GitEntry, Objects
from orchestrator.store.git.repositories import AbsentError, Repositories
from orchestrator.store.sdist import fetch_sdist
from orchestrator.store.store import Store

_POINTER = b"version https://git-lfs.github.com/spec/v1\n"
"""How a pointer file begins (Git LFS specification)."""


@dataclass(frozen=True, kw_only=True)
class _Leaf:
    """What the checkout has at a path; `read` gives a file's content or where a link leads, None is a folder's."""

    path: str
    tree: _Tree
    program: bool = False
    link: bool = False
    read: Callable[[], bytes] | None = None


@dataclass(eq=False)
class _Tree:
    """One tree of the checkout, at a path, and what the report says of it but for the hash of a git one."""

    at: str
    name: str
    version: str
    sha256: str = ""
    digest: hashlib._Hash = field(default_factory=hashlib.sha256)


class Assembly:
    """A checkout in the making."""

    def __init__(self, store: Store, source: Source, repositories: Repositories) -> None:
        assert source.git is not None
        assert source.rev is not None
        self._store, self._source, self._repositories = store, source, repositories
        self._substitutes = {tree.path: tree for tree in source.substitute}
        self._met: set[str] = set()
        """Submodules."""
        self._matched: set[str] = set()
        """Globs of what is left out."""
        self._leaves: dict[str, _Leaf] = {}
        self._trees: list[_Tree] = []
        self.missing: list[str] = []
        """What cannot be had, each with its place, commit and repository."""
        self.pointers: list[str] = []
        """Files that only name their content, which Git LFS keeps elsewhere; known once `entries` were read."""
        if not self._put_git("", source.git, source.rev) and source.submodules:
            self.missing.append(f"so what its submodules are is not known: {', '.join(source.submodules)}")
            for substitute in source.substitute:
                self._put_tree(substitute)
        for extra in source.extra:
            self._put_tree(extra)
        if not self.missing:
            self._require_all_met()
            self._require_inside()

    def entries(self) -> Iterator[Entry]:
        """Files, links and empty folders in their order, each read when its turn comes."""
        for leaf in sorted(self._leaves.values(), key=lambda leaf: PurePosixPath(leaf.path).parts):
            data = leaf.read() if leaf.read else b""
            kind = "folder" if leaf.read is None else "link" if leaf.link else "program" if leaf.program else "file"
            name = leaf.path.removeprefix(f"{leaf.tree.at}/")
            line = f"{kind} {name}\0".encode("utf-8", "surrogateescape")
            leaf.tree.digest.update(line + hashlib.sha256(data).digest())
            if data.startswith(_POINTER):
                self.pointers.append(leaf.path)
            if leaf.read is None:
                yield Entry(path=leaf.path, program=False, folder=True)
            elif leaf.link:
                yield Entry(path=leaf.path, program=True, link=os.fsdecode(data))
            else:
                yield Entry(path=leaf.path, program=leaf.program, data=data)

    def pinned(self) -> tuple[Pinned, ...]:
        """The trees below the checkout's own, once `entries` were read: by commit, or as their sdist's file."""
        return tuple(
            Pinned(name=tree.name, version=tree.version, sha256=tree.sha256 or tree.digest.hexdigest())
            for tree in self._trees
            if tree.at
        )

    def _put_git(self, at: str, url: str, commit: str, folder: str | None = None) -> bool:
        """Put a commit's tree, or a folder of it, and the submodules that are asked for; whether it could be had."""
        try:
            objects = self._repositories.having(url, commit)
        except AbsentError as error:
            self.missing.append(f"{at or 'the checkout'}: commit {commit} of {shown(url)}: {error}")
            return False
        tree = _Tree(at, f"{at} ({shown(url)})", commit)
        self._trees.append(tree)
        entries = list(objects.tree(commit))
        above = f"{folder}/" if folder else ""
        inside = [(_join(at, one.path.removeprefix(above)), one) for one in entries if one.path.startswith(above)]
        if folder and not inside:
            raise RecipeError(f"{shown(url)} has no folder '{folder}' at {commit}.", advice="Correct its 'folder'.")
        taken = {path: entry for path, entry in inside if not self._left_out(path)}
        absent = objects.absent(entry.name for entry in taken.values() if not entry.module)
        lacking = [path for path, entry in taken.items() if entry.name in absent]
        if lacking:
            where = f"{at or 'the checkout'}: commit {commit} of {shown(url)}"
            self.missing.append(f"{where}: {objects.git_folder} lacks files of it: {', '.join(lacking)}")
        addresses = self._addresses(objects, entries, url)
        for path, entry in taken.items():
            if entry.module:
                self._put_module(path, entry, addresses.get(entry.path), tree)
                continue
            read = partial(objects.read, entry.name, "blob")
            self._put(_Leaf(path=path, tree=tree, program=entry.program, link=entry.link, read=read))
        return True

    def _put_module(self, path: str, module: GitEntry, url: str | None, parent: _Tree) -> None:
        self._met.add(path)
        if path in self._substitutes:
            self._put_tree(self._substitutes[path])
        elif path not in self._source.submodules:
            self._put(_Leaf(path=path, tree=parent))
        elif url is None:
            self.missing.append(f"{path}: commit {module.name}: {FILE} of {parent.version} has no address for it")
        else:
            self._put_git(path, url, module.name)

    def _put_tree(self, tree: Tree) -> None:
        """Put a tree that the recipe names where the checkout has nothing yet."""
        if tree.git is not None and tree.rev is not None:
            self._put_git(tree.path, tree.git, tree.rev, tree.folder)
        elif tree.sdist is not None and tree.sha256 is not None:
            self._put_sdist(tree, tree.sdist, tree.sha256)

    def _put_sdist(self, tree: Tree, pinned: str, sha256: str) -> None:
        try:
            file = fetch_sdist(self._store, pinned, sha256)
            packed = unpack_sdist(self._store.require(sha256, file.filename), pinned)
        except FetchError as error:
            self.missing.append(f"{tree.path}: {error.message}")
            return
        use = _Tree(tree.path, f"{tree.path} ({file.name}, sdist)", file.version, sha256)
        self._trees.append(use)
        above = f"{tree.folder}/" if tree.folder else ""
        inside = [(path, member) for path, member in _members(packed) if path.startswith(above)]
        if not inside:
            raise RecipeError(f"The sdist {pinned} has no folder '{tree.folder}'.", advice="Correct its 'folder'.")
        for whole, (program, link, read) in inside:
            path = _join(tree.path, whole.removeprefix(above))
            if not self._left_out(path):
                self._put(_Leaf(path=path, tree=use, program=program, link=link, read=read))

    def _put(self, leaf: _Leaf) -> None:
        if leaf.path in self._leaves:
            raise _taken(leaf.tree.at, leaf.path)
        self._leaves[leaf.path] = leaf

    def _left_out(self, path: str) -> bool:
        matching = {one.path for one in self._source.without if fnmatchcase(path, one.path)}
        self._matched |= matching
        return bool(matching)

    def _addresses(self, objects: Objects, entries: list[GitEntry], url: str) -> dict[str, str]:
        listed = next((entry for entry in entries if entry.path == FILE), None)
        return module_addresses(objects.read(listed.name, "blob"), url) if listed else {}

    def _require_all_met(self) -> None:
        for path in self._source.submodules:
            if path not in self._met:
                raise RecipeError(
                    f"'{path}' in project.source.submodules is no submodule of the checkout.",
                    advice=nearest(path, self._met),
                )
        for one in self._source.without:
            if one.path not in self._matched:
                raise RecipeError(
                    f"'{one.path}' in project.source.without matches no file of the checkout.",
                    advice="Remove it, or correct it.",
                )

    def _require_inside(self) -> None:
        """Refuse files below what is no folder, and links that a container could not follow, as in any other source."""
        for leaf in self._leaves.values():
            for above in map(str, PurePosixPath(leaf.path).parents):
                if above in self._leaves and self._leaves[above].read is not None:
                    raise _taken(leaf.tree.at, above)
        links = {leaf.path: os.fsdecode(leaf.read()) for leaf in self._leaves.values() if leaf.link and leaf.read}
        for path, target in links.items():
            if fault := link_fault(links, path) if target else "is empty":
                raise FetchError(
                    f"The checkout has the link '{path}' to '{target}', which {fault}.",
                    advice="Make a checkout by hand, replace the link, and build the folder with --source DIR.",
                )


def _members(tree: SourceTree) -> Iterator[tuple[str, tuple[bool, bool, Callable[[], bytes]]]]:
    """The members of a packed tree that is in memory, by path: whether a program, whether a link, and their content."""
    packed = tree.tar
    assert isinstance(packed, bytes)
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        for member in archive:
            start, end = member.offset_data, member.offset_data + member.size
            read = partial(_part, packed, start, end)
            if member.issym():
                read = partial(_part, os.fsencode(member.linkname), 0, None)
            yield member.name, (bool(member.mode & 0o100), member.issym(), read)


def _part(data: bytes, start: int, end: int | None) -> bytes:
    return data[start:end]


def _taken(at: str, path: str) -> RecipeError:
    return RecipeError(
        f"The tree at '{at}' would replace '{path}', which the checkout has.",
        advice="A submodule is replaced by project.source.substitute, and is named in 'submodules'; give "
        "project.source.extra a path that is free.",
    )


def _join(at: str, path: str) -> str:
    return f"{at}/{path}" if at else path
