"""What travels to a machine that never had the wheel: the program, its libraries, its models."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from orchestrator.elf.read import read_elf
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


def libraries(context: Context, wheel: Path, beside: Iterable[Path]) -> dict[str, bytes]:
    """The contents of what is carried, by file name; from the wheels `beside` it, what that needs of them."""
    files = {library.path: library for library in carried(context)}
    wanted = [name for library in files.values() if library.elf for name in library.elf.needed]
    with zipfile.ZipFile(wheel) as archive:
        found = {library.name: archive.read(path) for path, library in files.items()}
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


def bundle(programs: Mapping[str, bytes], libraries: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files of every layout by path; programs and libraries are given by file name."""
    files = {}
    for layout in (*LAYOUTS, ALONE):
        files.update({f"{layout.programs}/{name}": data for name, data in programs.items()})
        if layout.libraries is not None:
            files.update({f"{layout.libraries}/{name}": data for name, data in libraries.items()})
    return files
