"""What the dynamic loader takes out of a wheel for each library that a file needs, by the rules of ld.so(8)."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from dataclasses import dataclass

from orchestrator.wheel.layout import installed_path, normal_path, search_folders
from orchestrator.wheel.model import Library, Wheel


@dataclass(frozen=True, slots=True)
class Load:
    """One library, as the loader meets it on the way from a root; `chain` is the nearest loader first."""

    library: Library
    chain: tuple[Library, ...]
    found: tuple[tuple[str, str | None], ...]
    """Each NEEDED name and the member that the loader takes for it, None if it finds none in the wheel."""


class Loader:
    """The dynamic loader, in front of one installed wheel and nothing else."""

    def __init__(self, wheel: Wheel) -> None:
        self._libraries = tuple(library for library, _ in wheel.readable())
        self._places = {installed_path(library.path): library for library in self._libraries}
        self._names = {name for library in self._libraries for name in _names(library)}
        self._loads: dict[str, tuple[Load, ...]] = {}
        self._users: dict[str, list[Library]] = {}
        for library, elf in wheel.readable():
            for needed in elf.needed:
                self._users.setdefault(needed, []).append(library)

    def finds(self, library: Library, needed: str) -> str | None:
        """The member that the loader takes for a NEEDED name of `library`, None if it finds none in the wheel.

        First as if `library` were loaded by itself; else as part of what loads it, since DT_RPATH is
        inherited and what is loaded already is not searched for again.
        """
        if (own := self.finds_alone(library, needed)) is not None:
            return own
        for root in self._roots(library) if needed in self._names else ():
            for load in self.loads(root):
                if load.library.path == library.path and (path := dict(load.found).get(needed)) is not None:
                    return path
        return None

    def finds_alone(self, library: Library, needed: str) -> str | None:
        """The same by the search path of `library` itself, which is all that counts where nothing else loads it."""
        if needed not in self._names:
            return None
        found = self._search(library, (), needed)
        return found.path if found else None

    def loads(self, root: Library) -> tuple[Load, ...]:
        """What is loaded out of the wheel, beginning with `root`, in the loader's order: breadth first.

        A name is not searched for again if it is the SONAME of something that is loaded, or the name by which
        that was asked for; what a file is called does not count.
        """
        if root.path not in self._loads:
            self._loads[root.path] = self._load(root)
        return self._loads[root.path]

    def _load(self, root: Library) -> tuple[Load, ...]:
        loaded = {root.elf.soname: root} if root.elf and root.elf.soname else {}
        queue: list[tuple[Library, tuple[Library, ...]]] = [(root, ())]
        seen = {root.path}
        result: list[Load] = []
        for library, chain in queue:
            found: list[tuple[str, str | None]] = []
            for needed in library.elf.needed if library.elf else ():
                target = loaded.get(needed) or self._search(library, chain, needed)
                found.append((needed, target.path if target else None))
                if target is None:
                    continue
                loaded.setdefault(needed, target)
                if target.path not in seen:
                    seen.add(target.path)
                    if target.elf and target.elf.soname:
                        loaded.setdefault(target.elf.soname, target)
                    queue.append((target, (library, *chain)))
            result.append(Load(library, chain, tuple(found)))
        return tuple(result)

    def _roots(self, library: Library) -> tuple[Library, ...]:
        """Everything in the wheel that needs the library, directly or not."""
        found: dict[str, Library] = {}
        queue = [library]
        for one in queue:
            for name in _names(one):
                for user in self._users.get(name, ()):
                    if user.path not in found and user.path != library.path:
                        found[user.path] = user
                        queue.append(user)
        return tuple(found.values())

    def _search(self, library: Library, chain: Sequence[Library], needed: str) -> Library | None:
        """The first file of that name in the search path that is for the same processor; others are passed over."""
        if "/" in needed:
            # A name with a slash is a path as it stands, relative to the current folder.
            return None
        for entry in search_folders(library, chain):
            if entry.path is None:
                continue
            target = self._places.get(normal_path(posixpath.join(entry.path, needed)))
            if target is not None and _processor(target) == _processor(library):
                return target
        return None


def _names(library: Library) -> tuple[str, ...]:
    soname = library.elf.soname if library.elf else None
    return (soname, library.name) if soname else (library.name,)


def _processor(library: Library) -> tuple[str, int] | None:
    return (library.elf.machine, library.elf.bits) if library.elf else None
