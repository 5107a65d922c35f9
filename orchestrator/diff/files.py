"""Members beside the libraries: headers, CMake and pkg-config files, Python modules; and what grew most."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable
from typing import get_args

from orchestrator.diff.model import Change, FileKind, Kind, SizeChange
from orchestrator.wheel.model import Member, Wheel

MOST_SIZES = 20
"""So many members that grew or shrank most are told."""

_HEADERS = (".h", ".hh", ".hpp", ".hxx", ".h++", ".cuh", ".inc", ".inl", ".ipp", ".tpp")
_PYTHON = (".py", ".pyi")
_INFO = "*.dist-info"
"""Stands for the folder whose name holds the version."""


def file_kinds(before: Wheel, after: Wheel) -> tuple[FileKind, ...]:
    """Members by kind that came, went, changed, or lie elsewhere with the same content; RECORD says nothing new."""
    old, new = _members(before), _members(after)
    went, came = old.keys() - new.keys(), new.keys() - old.keys()
    moved = _moved({path: old[path] for path in went}, {path: new[path] for path in came})
    went, came = went - moved.keys(), came - set(moved.values())
    changed = {path for path in old.keys() & new.keys() if old[path].sha256 != new[path].sha256}
    found = [
        FileKind(
            kind=kind,
            added=_of(kind, came),
            removed=_of(kind, went),
            changed=_of(kind, changed),
            moved=tuple(
                Change(name=posixpath.basename(path), before=path, after=moved[path])
                for path in _of(kind, moved.keys())
            ),
        )
        for kind in get_args(Kind)
    ]
    return tuple(one for one in found if one)


def size_changes(before: Wheel, after: Wheel) -> tuple[SizeChange, ...]:
    """The members whose sizes differ most, libraries among them; the largest difference first."""
    old, new = _members(before, libraries=True), _members(after, libraries=True)
    found = (
        SizeChange(
            path=path,
            before=old[path].size if path in old else None,
            after=new[path].size if path in new else None,
        )
        for path in old.keys() | new.keys()
    )
    grown = sorted((one for one in found if one.growth), key=lambda one: (-abs(one.growth), one.path))
    return tuple(grown[:MOST_SIZES])


def installed_size(wheel: Wheel) -> int:
    """Bytes of all members, inflated."""
    return sum(member.size for member in wheel.members)


def kind_of(path: str) -> Kind:
    """What a member is, by its name."""
    name = path.lower()
    if name.endswith(_HEADERS):
        return "header"
    if name.endswith(".cmake"):
        return "cmake"
    if name.endswith(".pc"):
        return "pkg-config"
    return "python" if name.endswith(_PYTHON) else "other"


def _members(wheel: Wheel, *, libraries: bool = False) -> dict[str, Member]:
    """Members by path, the .dist-info folder by one name for all versions."""
    left_out = set() if libraries else {library.path for library in wheel.libraries}
    left_out |= {f"{wheel.dist_info}/RECORD"}
    found = {}
    for member in wheel.members:
        if member.is_dir or member.name in left_out:
            continue
        top, _, rest = member.name.partition("/")
        found[f"{_INFO}/{rest}" if top == wheel.dist_info else member.name] = member
    return found


def _moved(went: dict[str, Member], came: dict[str, Member]) -> dict[str, str]:
    """Old path to new path of what has the same content, and enough of it to tell, at one place on each side."""
    old, new = _by_content(went), _by_content(came)
    return {
        old[content][0]: new[content][0]
        for content in old.keys() & new.keys()
        if len(old[content]) == len(new[content]) == 1
    }


def _by_content(members: dict[str, Member]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for path, member in members.items():
        if member.sha256 and member.size:
            found.setdefault(member.sha256, []).append(path)
    return found


def _of(kind: Kind, paths: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(path for path in paths if kind_of(path) == kind))
