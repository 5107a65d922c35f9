"""C9: relative search-path entries lead somewhere, once, inside the wheel."""

from __future__ import annotations

from collections import Counter
from fnmatch import fnmatchcase

from orchestrator.elf.model import Elf
from orchestrator.verify.outcome import Fault, Outcome, Remark
from orchestrator.verify.static.native import dynamic
from orchestrator.verify.static.nvidia import cuda_library
from orchestrator.verify.static.requirements import belongs_to_requirement, brought, shares_prefix
from orchestrator.verify.static.search import entries, folders
from orchestrator.verify.subject import StaticSubject
from orchestrator.wheel.layout import PREFIX_LIBRARIES, Entry, EntryKind, folder_of
from orchestrator.wheel.model import Library


def applies(subject: StaticSubject) -> bool:
    """Some file has a relative entry."""
    return any(_relative(library, elf) for library, elf in dynamic(subject.wheel))


def check(subject: StaticSubject) -> Outcome:
    """An entry that leads nowhere, twice to one place, to all of site-packages or out of it is a mistake.

    Left alone: hops to the CUDA runtime from libraries that need it (C4), hops to the folder of a
    declared requirement, and hops that serve a library which the recipe says need not be found.
    """
    exist = folders(subject.wheel)
    shipped = {library.name for library in subject.wheel.libraries}
    names = brought(subject)
    faults, remarks, inspected = [], [], 0
    for library, elf in dynamic(subject.wheel):
        relative = _relative(library, elf)
        inspected += len(relative)
        for folder, count in Counter(entry.path for entry in relative).items():
            if count > 1:
                texts = tuple(entry.text for entry in relative if entry.path == folder)
                faults.append(Fault(library.path, f"searches {folder or 'site-packages'} {count} times", texts))
        for entry in {entry.path: entry for entry in relative}.values():
            folder = entry.path or ""
            if folder in exist or folder == folder_of(library) or _is_cuda_hop(entry, library, elf, shipped):
                continue
            shared = shares_prefix(folder, "", names) if folder == PREFIX_LIBRARIES else None
            if owner := shared or belongs_to_requirement(folder, names):
                remarks.append(Remark(library.path, f"{entry.text} leads to the declared requirement {owner}"))
            elif not _serves_allowed(subject, library, elf, folder):
                faults.append(Fault(library.path, _reason(entry), (f"{entry.text} is {folder or '.'}",)))
    return Outcome(inspected, "relative search-path entries", tuple(faults), tuple(remarks))


def _relative(library: Library, elf: Elf) -> list[Entry]:
    return [entry for entry in entries(library, elf) if entry.kind is EntryKind.RELATIVE]


def _is_cuda_hop(entry: Entry, library: Library, elf: Elf, shipped: set[str]) -> bool:
    """Whether the entry is meant for the CUDA runtime and is C4's: one beside a hop that arrives is not.

    A runtime that the wheel brings itself needs no hop.
    """
    cuda = [found for name in elf.needed if name not in shipped and (found := cuda_library(name)) is not None]
    if not cuda or "nvidia" not in entry.text.split("/"):
        return False
    reached = {one.path for one in _relative(library, elf)}
    arrives = all(reached.intersection(one.folders) for one in cuda)
    return not arrives or (entry.path or "").startswith("nvidia/")


def _serves_allowed(subject: StaticSubject, library: Library, elf: Elf, folder: str) -> bool:
    """Whether the hop leads to the libraries of another package, and the file has a need that may stay unresolved."""
    top, _, below = folder.partition("/")
    own = {name.partition("/")[0] for name in subject.wheel.names}
    if subject.recipe is None or not below or top in own or top == "..":
        return False
    return any(
        fnmatchcase(name, allowed.library) and fnmatchcase(library.path, allowed.subjects)
        for allowed in subject.recipe.unresolved
        for name in elf.needed
    )


def _reason(entry: Entry) -> str:
    if not entry.path:
        return f"searches all of site-packages: {entry.text}"
    if entry.outside:
        return f"searches outside site-packages: {entry.text}"
    return f"searches a folder that is not in the wheel: {entry.text}"
