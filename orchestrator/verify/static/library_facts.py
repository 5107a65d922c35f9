"""The composition of a wheel: what a report says of each library."""

from __future__ import annotations

from orchestrator.elf.model import DeviceCode, Elf
from orchestrator.report.model import LibraryFacts
from orchestrator.verify.static.device_code import in_order
from orchestrator.verify.static.native import DEVICE_MACHINES
from orchestrator.verify.static.ownership import definers
from orchestrator.verify.subject import StaticSubject
from orchestrator.wheel.model import Library

MOST_ENTRIES = 1000
"""So many NEEDED entries and folders of a search path are told: a damaged file can have any number."""

_PREFIXES = {"cubin": "sm_", "ptx": "compute_", "lto-ir": "lto_"}
"""As nvcc's -code option names real and virtual architectures, and those of link-time optimisation."""


def library_facts(subject: StaticSubject) -> tuple[LibraryFacts, ...]:
    """A record for each ELF file of the wheel, and for what claims to be one, in the order of their paths."""
    return tuple(_facts(subject, library) for library in sorted(subject.wheel.libraries, key=lambda one: one.path))


def device_code_names(elf: Elf) -> tuple[str, ...]:
    """Architectures by kind, oldest first: `sm_90` a cubin, `compute_120` PTX, `lto_90` LTO-IR.

    What the driver does not load is marked `(relocatable)`; `unreadable` stands for what may be hidden by damage.
    """
    if elf.machine in DEVICE_MACHINES:
        return ()
    names = [*_names(elf, ""), *_names(elf, " (relocatable)")]
    return (*names, *(() if elf.device_code_readable else ("unreadable",)))


def _names(elf: Elf, mark: str) -> list[str]:
    found: dict[str, list[DeviceCode]] = {}
    for entry in elf.device_code:
        if entry.loadable == (not mark):
            found.setdefault(entry.kind, []).append(entry)
    kinds = [*(kind for kind in _PREFIXES if kind in found), *sorted(found.keys() - _PREFIXES.keys())]
    return [
        f"{_PREFIXES.get(kind, f'{kind}_')}{arch}{mark}"
        for kind in kinds
        for arch in in_order(entry.arch for entry in found[kind])
    ]


def _facts(subject: StaticSubject, library: Library) -> LibraryFacts:
    elf = library.elf
    if elf is None:
        return LibraryFacts(
            path=library.path, sha256=library.sha256, size=library.size, error=library.error or "it cannot be read"
        )
    left_out = [
        f"{len(entries) - MOST_ENTRIES} more {what} are left out"
        for entries, what in ((elf.needed, "NEEDED entries"), (elf.search_path, "search folders"))
        if len(entries) > MOST_ENTRIES
    ]
    return LibraryFacts(
        path=library.path,
        sha256=library.sha256,
        size=library.size,
        machine=elf.machine,
        soname=elf.soname,
        needed=elf.needed[:MOST_ENTRIES],
        search=elf.search_path[:MOST_ENTRIES],
        search_kind="RUNPATH" if elf.runpath else "RPATH" if elf.rpath else None,
        owns=_owned(subject, library),
        device_code=device_code_names(elf),
        exports=sum(symbol.is_export for symbol in elf.symbols),
        error="; ".join((*elf.problems, *left_out)),
    )


def _owned(subject: StaticSubject, library: Library) -> tuple[str, ...]:
    """What the recipe says that a library of this name owns or bundles, as far as this one defines it."""
    components = subject.recipe.component if subject.recipe else ()
    return tuple(
        dict.fromkeys(
            name
            for component in components
            if component.library == library.name
            for name in (*component.owns, *component.bundles)
            if any(definer.library.path == library.path for definer in definers(subject.wheel, name))
        )
    )
