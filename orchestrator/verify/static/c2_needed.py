"""C2: the loader finds everything that the wheel's files need."""

from __future__ import annotations

from fnmatch import fnmatchcase

from orchestrator.elf.model import Elf
from orchestrator.verify.outcome import Fault, Outcome, Remark
from orchestrator.verify.static.native import dynamic
from orchestrator.verify.static.nvidia import cuda_library, is_driver
from orchestrator.verify.static.requirements import belongs_to_requirement, declared
from orchestrator.verify.static.search import entries, shown
from orchestrator.verify.subject import StaticSubject
from orchestrator.wheel.loader import loader_finds
from orchestrator.wheel.model import Library
from orchestrator.wheel.platform_tag import is_system_library


def applies(subject: StaticSubject) -> bool:
    """Some file names a library that it needs."""
    return any(elf.needed for _, elf in dynamic(subject.wheel))


def check(subject: StaticSubject) -> Outcome:
    """By the loader's rules, with nothing installed but this wheel and what it declares.

    The system brings what the manylinux policies list.  CUDA runtime libraries that the wheel does
    not ship are C4's (search path) and K10's (requirement); a library that ships but cannot be read is B6's.
    """
    shipped: dict[str, list[str]] = {}
    for library in subject.wheel.libraries:
        shipped.setdefault(library.name, []).append(library.path)
    unreadable = {library.name for library in subject.wheel.libraries if library.elf is None}
    names = set(declared(subject))
    faults, remarks, inspected = [], [], 0
    for library, elf in dynamic(subject.wheel):
        for needed in elf.needed:
            inspected += 1
            if is_system_library(needed, elf.machine) and needed not in shipped:
                continue
            if needed in unreadable or loader_finds(library, needed, subject.wheel) is not None:
                continue
            if needed not in shipped and (is_driver(needed) or cuda_library(needed)):
                continue
            if reason := _allowed(subject, library, needed) or _brought(library, elf, names):
                remarks.append(Remark(library.path, f"{needed} is left to others: {reason}"))
            elif needed in shipped and not is_system_library(needed, elf.machine):
                where = ", ".join(shipped[needed])
                reason = f"needs {needed}, which ships as {where} and which the loader does not find from here"
                faults.append(Fault(library.path, reason, (shown(elf) if elf.search_path else "no search path",)))
            elif needed not in shipped:
                path = shown(elf) if elf.search_path else "no search path"
                reason = f"needs {needed}, which is absent from the wheel and no part of the manylinux policies"
                faults.append(Fault(library.path, reason, (path,)))
    return Outcome(inspected, "needed libraries", tuple(faults), tuple(remarks))


def _allowed(subject: StaticSubject, library: Library, needed: str) -> str | None:
    for allowed in subject.recipe.unresolved if subject.recipe else ():
        if fnmatchcase(needed, allowed.library) and fnmatchcase(library.path, allowed.subjects):
            return allowed.reason
    return None


def _brought(library: Library, elf: Elf, names: set[str]) -> str | None:
    """A declared requirement into whose folder the search path leads."""
    for entry in entries(library, elf):
        if entry.path and not entry.outside and (owner := belongs_to_requirement(entry.path, names)):
            return f"the search path leads to the declared requirement {owner}"
    return None
