"""What travels to a machine that never had the wheel: the program, its libraries, its models."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from orchestrator.elf.read import read_elf
from orchestrator.elf.relative import relative_only
from orchestrator.verify.dynamic.context import Context
from orchestrator.wheel.model import Library


@dataclass(frozen=True)
class Layout:
    """Where programs and libraries lie, below the layout's folder; no libraries where that is None."""

    name: str
    programs: str
    libraries: str | None


LAYOUTS = (Layout("flat", "flat", "flat"), Layout("bin+lib", "tree/bin", "tree/lib"))
ALONE = Layout("alone", "alone", None)
"""The control: the program without its libraries, which must not start."""
RELATIVE = Layout("relative paths alone", "relative", "relative")
"""Flat, with the libraries of every folder of the wheel; no file searches an absolute path any more."""


def carried(context: Context) -> tuple[Library, ...]:
    """Every library of the components, and every other of the wheel that these need.

    Python extension modules stay behind: a C++ program has no use for them.
    """
    by_name = context.subject.libraries_by_name
    chosen: dict[str, Library] = {}
    wanted = [component.library for component in context.shipped]
    while wanted:
        for library in by_name.get(wanted.pop(), ()):
            if library.path not in chosen and not library.is_extension:
                chosen[library.path] = library
                wanted += library.elf.needed if library.elf else ()
    return tuple(chosen.values())


def everything(context: Context) -> tuple[Library, ...]:
    """The libraries of every folder of the wheel, those of the components first; no extension modules."""
    rest = (library for library, elf in context.subject.wheel.readable() if elf.machine == context.subject.row.arch)
    found = {library.path: library for library in (*carried(context), *rest) if not library.is_extension}
    return tuple(found.values())


def contents(chosen: Iterable[Library], wheel: Path, beside: Iterable[Path]) -> dict[str, bytes]:
    """The contents of some of the wheel's libraries by file name, and of what they need of the wheels `beside` it.

    Of several files of one name the first is taken.
    """
    first: dict[str, Library] = {}
    wanted: list[str] = []
    for library in chosen:
        first.setdefault(library.name, library)
        wanted += library.elf.needed if library.elf else ()
    with zipfile.ZipFile(wheel) as archive:
        found = {name: archive.read(library.path) for name, library in first.items()}
    with ExitStack() as stack:
        archives = [stack.enter_context(zipfile.ZipFile(path)) for path in beside]
        members = {member.rpartition("/")[2]: (one, member) for one in archives for member in one.namelist()}
        while wanted:
            name = wanted.pop()
            if name in found or name not in members:
                continue
            archive, member = members[name]
            found[name] = archive.read(member)
            wanted += read_elf(found[name]).needed
    return found


def bundle(
    programs: Mapping[str, bytes], libraries: Mapping[str, bytes], everything: Mapping[str, bytes]
) -> dict[str, bytes]:
    """The files of every layout by path; programs, libraries and those of every folder are given by file name."""
    files = {f"{RELATIVE.programs}/{name}": relative_only(data) for name, data in {**everything, **programs}.items()}
    for layout in (*LAYOUTS, ALONE):
        files.update({f"{layout.programs}/{name}": data for name, data in programs.items()})
        if layout.libraries is not None:
            files.update({f"{layout.libraries}/{name}": data for name, data in libraries.items()})
    return files
