"""What travels to a machine that never had the wheel: the program, its libraries, its models."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

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


def read_members(wheel: Path, names: Iterable[str]) -> dict[str, bytes]:
    """The contents of some members of a wheel, by their names."""
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in names}


def bundle(programs: Mapping[str, bytes], libraries: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files of every layout by path; programs and libraries are given by file name."""
    files = {}
    for layout in (*LAYOUTS, ALONE):
        files.update({f"{layout.programs}/{name}": data for name, data in programs.items()})
        if layout.libraries is not None:
            files.update({f"{layout.libraries}/{name}": data for name, data in libraries.items()})
    return files
